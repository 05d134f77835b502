"""Level "stiffened" of meshes, panels and given matrices, against theory and nonlinear statics."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import lissom as ls
from lissom.errors import ModelError, ModelWarning
from lissom.io.structures.mesh import mesh_structure
from tests.references import calculix_spin
from tests.references.calculix_comparison import spun_differences
from tests.references.nonlinear_solids import Solid
from tests.references.spinning_beams import buckling, spun
from tests.references.textbook_elements import straight
from tests.samples.meshes import block

WRIGHT = {3.0: (4.7973, 23.3203), 6.0: (7.3604, 26.8091)}  # flap of a spinning cantilever, no hub
ALLOY = ls.Material("alloy", 70e9, 2700.0, 0.3)
PLAIN = ls.Material("without Poisson's ratio", 70e9, 2700.0, 0.0)
LENGTH, WIDTH, THICK = 1.0, 0.06, 0.01
BENDING = 70e9 * WIDTH * THICK**3 / 12
UNIT = np.sqrt(BENDING / (2700 * WIDTH * THICK)) / LENGTH**2


def at(x):
    return lambda points: np.isclose(points[:, 0], x)


TIP = at(LENGTH)


def strip(tip=TIP, kind="hexahedron20", counts=(10, 2, 1), material=PLAIN, **options):
    """Cantilever along x, soft along z."""
    centred = np.array([0, WIDTH / 2, THICK / 2])
    mesh = block(kind, counts, (LENGTH, WIDTH, THICK), lambda p: p - centred)
    options = {"modes": 10, "level": "stiffened"} | options
    return ls.from_mesh(mesh, material, {"root": at(0.0), "tip": tip}, **options)


@pytest.mark.parametrize("kind", ["tetra10", "hexahedron20", "hexahedron27"])
def test_stress_stiffness_is_the_third_derivative_of_the_strain_energy(kind):
    """V is of fourth degree: its part with u, a and b once each is a sum over their signs."""
    rng = np.random.default_rng(5)
    size = np.array([0.3, 0.2, 0.1])
    mesh = block(kind, (2, 1, 1), size, lambda p: p * (1 + 0.2 * p[:, ::-1] / size[::-1]))
    structure = mesh_structure(mesh, ALLOY, {"root": at(0.0)})
    solid = Solid(mesh, ALLOY)
    u, a, b = rng.standard_normal((3, structure.n_freedom)) * 1e-2
    signs = list(product((1, -1), repeat=3))
    exact = sum(np.prod(s) * solid.energy(s[0] * u + s[1] * a + s[2] * b) for s in signs) / 8
    all_three = np.column_stack([u, a, b])
    T = structure.geometry.between(all_three, all_three)
    assert np.isclose(T[0, 1, 2] + T[1, 0, 2] + T[2, 0, 1], exact, rtol=1e-9)
    assert np.allclose(T, T.swapaxes(1, 2))


@pytest.mark.parametrize("tie", ["rigid", "average"])
def test_a_solid_column_buckles_at_eulers_load(tie):
    loads = buckling(strip(ls.Patch(at(LENGTH), tie=tie)), "tip", 3)
    assert np.isclose(-loads[loads < 0].max(), np.pi**2 * BENDING / 4 / LENGTH**2, rtol=3e-3)


def test_a_solid_blade_topples_at_prandtls_load():
    """With the stiffness in bending and torsion that the mesh has."""
    body = strip(modes=16, counts=(20, 2, 1))
    x, tip = body.transform, body.names["tip"]
    shapes = (body.shapes[tip] @ x) / (2 * np.pi * body.frequencies)
    twist, bend = (shapes[k] @ shapes[k] for k in (0, 5))
    exact = 4.0126 * np.sqrt(LENGTH**3 / 3 / bend * LENGTH / twist) / LENGTH**2
    assert np.isclose(np.abs(buckling(body, "tip", 4)).min(), exact, rtol=0.02)


@pytest.mark.parametrize("rate", WRIGHT)
def test_a_spinning_solid_has_wrights_frequencies(rate):
    """In the plane of the spin it is softer: the square less that of the spin."""
    found = spun(strip(counts=(16, 1, 1)), axis=1, omega=rate * UNIT) / UNIT
    exact = np.sqrt(np.square(WRIGHT[rate]) - rate**2)
    lag = [found[0], found[np.argmin(np.abs(found - exact[1]))]]
    assert np.allclose(lag, exact, rtol=5e-3)
    flap = spun(strip(counts=(16, 1, 1)), axis=2, omega=rate * UNIT) / UNIT
    assert np.isclose(flap[0], WRIGHT[rate][0], rtol=2e-3)


def test_a_spinning_blade_has_the_frequencies_of_calculix():
    """Up to three times its first frequency; bent ones are straightened, which is left out."""
    recorded = calculix_spin.records()
    assert recorded["decks"] == {x: calculix_spin.deck(x, 300.0) for x in calculix_spin.BLADES}
    known = recorded["frequencies"]
    assert np.abs(spun_differences("straight", known["straight"])).max() < 1.5e-3
    at_rest, slow, fast = np.abs(spun_differences("bent", known["bent"]))
    assert at_rest.max() < 2e-3 and slow.max() < 0.01 and fast[:3].max() < 0.011
    assert np.ptp([x[0] for x in known["bent"].values()]) > known["bent"]["0.001"][0]  # it stiffens


def test_a_solid_that_spins_up_stays_with_the_beam():
    """Beyond its first frequency, where level "full" would fly apart."""
    found = []
    section = ls.Rectangle(WIDTH, THICK)
    own = {"bending": 5, "torsion": 1, "stretch": 1, "level": "stiffened"}
    for body in (
        strip(counts=(12, 1, 1), damping=0.01),
        ls.beam(LENGTH, section, PLAIN, damping=0.01, **own),
    ):
        model = ls.Model("rotor")
        model.add(body, ls.Revolute("y"), name="blade")
        run = ls.simulate(
            model.compile(),
            duration=0.6,
            step=1e-3,
            integrator="generalized_alpha",
            loads=[ls.Motion("blade", lambda t: 35 * (t - np.sin(5 * t) / 5))],
            output_step=0.01,
        )
        found.append(run["blade.tip.deflection"])
    size = np.abs(found[1]).max()
    assert size > 0.005
    assert np.abs(found[0] - found[1]).max() < 0.02 * size


@pytest.mark.parametrize("tie", ["rigid", "average"])
def test_second_order_is_that_of_nonlinear_statics(tie):
    """Mean of the answers to a load and to its opposite, from Newton's method on all freedoms."""
    counts = (4, 1, 1)
    patch = ls.Patch(at(LENGTH), tie=tie)
    body = strip(patch, counts=counts, material=ALLOY, modes=4)
    source, force = body.source, np.array([60.0, 72.0, 2.0])
    solid = Solid.of(source)
    tip = source.interfaces["tip"]
    answers = [solid.tip(source, tip, sign * force) for sign in (1, -1)]
    model = ls.Model("strip")
    model.add(body, ls.Fixed(), name="strip")
    system = model.compile()
    found = []
    for sign in (1, -1):
        rest = ls.equilibrium(system, loads=[ls.NodeForce("strip.tip", force=sign * force)])
        found.append(system.bodies[0].displaced(body.names["tip"], rest.q))
    first, exact_first = ((x[0] - x[1]) / 2 for x in (found, answers))
    assert np.allclose(first, exact_first, atol=2e-3 * np.abs(exact_first).max())
    second, exact = ((x[0] + x[1]) / 2 for x in (found, answers))
    length = np.repeat([LENGTH, 1.0], 3)  # of a rotation in metres
    assert np.allclose(second * length, exact * length, atol=0.01 * np.abs(exact * length).max())


@pytest.mark.parametrize("tie", ["rigid", "average"])
def test_a_point_beside_the_tip_moves_on_its_arm(tie):
    """h = h_0 + rho x arm + t x (t x arm), whichever point the interface is."""
    arm = np.array([0.1, 0.2, -0.05])
    near, far = (
        strip(ls.Patch(at(LENGTH), tie=tie, at=point), counts=(3, 1, 1), modes=2)
        for point in ((LENGTH, 0, 0), np.array([LENGTH, 0, 0]) + arm)
    )
    # the same shapes, in the amplitudes of the first body
    same = np.linalg.lstsq(_surface(far), _surface(near), rcond=None)[0]
    tip = near.names["tip"]
    one = near.constants_of_second_order.node_shapes[tip]
    other = far.constants_of_second_order.in_modes(same).node_shapes[tip]
    turn = near.shapes[tip, :3]
    swung = np.cross(turn.T, arm)  # (m, 3)
    twice = np.cross(turn.T[:, None], swung[None])  # t_a x (t_b x arm)
    exact = one[3:] + np.cross(one[:3], arm, axisa=0).transpose(2, 0, 1)
    exact += (twice + twice.swapaxes(0, 1)).transpose(2, 0, 1) / 2
    assert np.allclose(other[:3], one[:3], atol=1e-7 * np.abs(one).max())
    assert np.allclose(other[3:], exact, atol=1e-7 * np.abs(exact).max())


def test_the_mass_of_a_rigid_tip_turns_with_it():
    """A block whose outer half is rigid is its inner half with a rigid body at the end."""
    size = np.array([0.2, 0.15, 0.1])
    options = {"modes": 0, "level": "stiffened"}
    middle = (size[0] / 2, size[1] / 2, size[2] / 2)
    outer = ls.Patch(lambda x: x[:, 0] > size[0] / 2 - 1e-9, at=middle)
    whole = block("hexahedron20", (4, 2, 2), size)
    one = ls.from_mesh(whole, ALLOY, {"root": at(0.0), "tip": outer}, **options)
    half = block("hexahedron20", (2, 2, 2), size * [0.5, 1, 1])
    tip = ls.Patch(at(size[0] / 2), at=middle)
    two = ls.from_mesh(half, ALLOY, {"root": at(0.0), "tip": tip}, **options)
    # amplitudes: the motion of the tip
    a, b = (
        x.constants_of_second_order.in_modes(np.linalg.inv(x.shapes[x.names["tip"]]))
        for x in (one, two)
    )
    second, arm = b.node_shapes[1], np.array([size[0] / 4, 0, 0])
    assert np.allclose(a.node_shapes[1], second, atol=1e-9 * np.abs(second).max())
    turned = np.zeros((3, 6, 6))
    turned[1, 0, 1] = turned[1, 1, 0] = turned[2, 0, 2] = turned[2, 2, 0] = arm[0] / 2
    turned[0, 1, 1] = turned[0, 2, 2] = -arm[0]  # t x (t x arm), arm along x
    moved = second[3:] + np.cross(second[:3], arm, axisa=0).transpose(2, 0, 1) + turned
    exact = b.first_moment + float(two.mass) * moved
    assert np.allclose(a.first_moment, exact, atol=1e-9 * np.abs(exact).max())


def _surface(body):
    """Displacements of the nodes of the surface by the shapes."""
    nodes = list(body.solids[0].nodes)
    return body.shapes[nodes, 3:].reshape(3 * len(nodes), -1)


def test_another_level_finds_the_same_second_order_later():
    now, later = strip(counts=(4, 1, 1)), strip(counts=(4, 1, 1), level="full")
    one, other = (body.constants_of_second_order for body in (now, later))
    assert np.allclose(one.second_moment, other.second_moment, rtol=1e-9, atol=1e-9)
    assert other.node_shapes.keys() == one.node_shapes.keys()


def test_a_free_slender_solid_bends_as_far_as_a_beam():
    """Without its torsion being set apart it would lose definiteness at 0.0006 of its length."""
    body = strip(counts=(6, 1, 1), modes=0)
    model = ls.Model("free")
    model.add(body, ls.Free(), name="strip")
    system = model.compile()
    amplitude = np.zeros(body.n_mode)
    amplitude[0] = 0.02 / system.bodies[0].deflection(np.eye(body.n_mode)[0])
    M = ls.mass_matrix(system, system.state(**{"strip.modes": amplitude}))
    assert np.linalg.eigvalsh(M).min() > 0


@pytest.mark.parametrize("rate", WRIGHT)
def test_a_narrow_spinning_panel_has_wrights_frequencies(rate):
    thin, width = 0.002, 0.03
    body = ls.panel(
        LENGTH,
        width,
        thin,
        PLAIN,
        interfaces={"root": "left", "tip": "right"},
        divisions=(12, 1),
        modes=16,
        level="stiffened",
    )
    unit = np.sqrt(70e9 * thin**2 / 12 / 2700) / LENGTH**2
    found = spun(body, axis=2, omega=rate * unit) / unit
    assert np.allclose(found[:2], WRIGHT[rate], rtol=2e-3)
    loads = buckling(body, "tip", 3)
    exact = np.pi**2 * 70e9 * width * thin**3 / 12 / 4 / LENGTH**2
    assert np.isclose(-loads[loads < 0].max(), exact, rtol=1e-4)


def test_a_wide_spinning_panel_is_the_solid_of_its_size():
    """What the spin adds to the first four frequencies."""
    size, thick = (0.5, 0.3), 0.004
    flat = ls.panel(
        *size,
        thick,
        ALLOY,
        interfaces={"root": "left"},
        divisions=8,
        modes=12,
        method="cantilever",
        level="stiffened",
    )
    centred = np.array([0, size[1] / 2, thick / 2])
    mesh = block("hexahedron20", (10, 6, 1), (*size, thick), lambda p: p - centred)
    options = {"modes": 12, "method": "cantilever", "level": "stiffened"}
    solid = ls.from_mesh(mesh, ALLOY, {"root": at(0.0)}, **options)
    omega = 2 * np.pi * flat.frequencies[0]
    added = [
        (spun(body, 2, omega)[:4] ** 2 - (2 * np.pi * body.frequencies[:4]) ** 2) / omega**2
        for body in (flat, solid)
    ]
    assert np.all(added[0][[0, 2]] > 0.1)
    assert np.allclose(added[0], added[1], atol=0.02 * np.abs(added[1]).max())


def beam_stress(tension, length, n):
    """Consistent stress stiffness of straight beams (Przemieniecki 1968, (15.21)), tension (n,)."""
    h = length / n
    G = np.zeros((6 * n + 6, 6 * n + 6))
    block_ = np.array(
        [
            [36, 3 * h, -36, 3 * h],
            [3 * h, 4 * h**2, -3 * h, -(h**2)],
            [-36, -3 * h, 36, -3 * h],
            [3 * h, -(h**2), -3 * h, 4 * h**2],
        ]
    )
    for k, N in enumerate(tension):
        for rows, sign in (((1, 5, 7, 11), 1), ((2, 4, 8, 10), -1)):
            own, turn = 6 * k + np.array(rows), np.diag([1, sign, 1, sign])
            G[np.ix_(own, own)] += N / (30 * h) * turn @ block_ @ turn
    return G


def given_beam(loads, n=8, length=2.0, **options):
    nodes, K, M = straight(n, length)
    middles = (np.arange(n) + 0.5) * length / n
    pull = 1.5 * (length**2 - middles**2) / 2  # by 1 rad/s, 1.5 kg/m
    known = {"spin": beam_stress(pull, length, n), "tip": beam_stress(np.ones(n), length, n)}
    given = {load: known[load.split()[0]] for load in loads}
    options = {"modes": 10, "level": "stiffened"} | options
    return ls.from_matrices(M, K, nodes, {"root": 0, "tip": n}, stress_stiffness=given, **options)


def test_given_stress_stiffness_makes_wrights_and_eulers_beam():
    with pytest.warns(ModelWarning, match="plain stress stiffness"):
        body = given_beam(["spin z", "spin y", "tip force x"])
    unit = np.sqrt(3e3 / 1.5) / 4
    for rate, exact in WRIGHT.items():
        found = spun(body, axis=2, omega=rate * unit) / unit
        assert all(np.abs(found / value - 1).min() < 2e-3 for value in exact)
    loads = buckling(body, "tip", 3)
    assert np.isclose(-loads[loads < 0].max(), np.pi**2 * 3e3 / 16, rtol=1e-4)


def test_loads_of_the_mass_are_combined_from_those_given():
    """Spins about three axes say what each of x, y and z alone does."""
    nodes, K, M = straight(3, 1.0)
    rng = np.random.default_rng(2)
    made = [A + A.T for A in rng.standard_normal((3, len(K), len(K)))]
    spins = {f"spin {axis}": sum(made) - own for axis, own in zip("xyz", made, strict=True)}
    with pytest.warns(ModelWarning):
        body = ls.from_matrices(M, K, nodes, {"root": 0, "tip": 3}, stress_stiffness=spins)
    every = np.eye(body.source.n_freedom)
    found = body.source.geometry.of_loads(every, np.zeros((len(every), 18)), ("tip",))
    fields = found[:12].reshape(4, 3, *every.shape)
    for k, own in enumerate(made):
        assert np.allclose(fields[1 + k, k], own)
    fields[[1, 2, 3], [0, 1, 2]] = 0.0
    assert np.allclose(fields, 0.0) and not np.any(found[12:])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"spin w": np.eye(54)}, "'spin w', which is not known"),
        ({"tpi force x": np.eye(54)}, "did you mean 'tip force x'"),
        ({"root force x": np.eye(54)}, "not known"),
        ({"spin z": np.eye(5)}, r"shape \(5, 5\).*54 freedoms"),
        ({"spin z": np.full((54, 54), np.nan)}, "not finite"),
        ([1], "give matrices by load"),
    ],
)
def test_bad_stress_stiffness_is_refused(given, words):
    nodes, K, M = straight(8, 2.0)
    with pytest.raises(ModelError, match=words):
        ls.from_matrices(M, K, nodes, {"root": 0, "tip": 8}, stress_stiffness=given)


def test_given_stress_stiffness_belongs_to_its_inboard_interface():
    with pytest.warns(ModelWarning), pytest.raises(ModelError, match="held at 'root'"):
        given_beam(["spin z"], inboard="tip")


def test_averages_of_nodes_on_a_line_have_a_second_order():
    nodes, K, M = straight(8, 2.0)
    tip = ls.Interface(nodes[7:].mean(axis=0), np.array([7, 8]), "average")
    given = {"tip force x": beam_stress(np.ones(8), 2.0, 8)}
    with pytest.warns(ModelWarning):
        body = ls.from_matrices(
            M, K, nodes, {"root": 0, "tip": tip}, level="stiffened", stress_stiffness=given
        )
    loads = buckling(body, "tip", 3)
    assert np.isclose(-loads[loads < 0].max(), np.pi**2 * 3e3 / 16, rtol=2e-3)


@pytest.mark.parametrize("level", ["full", "stiffened"])
def test_bodies_without_shapes_are_rigid_at_every_level(level):
    rigid = strip(counts=(2, 1, 1), modes=0, level=level).source.reduce(
        modes=0, level=level, method="cantilever"
    )
    assert rigid.n_mode == 0 and rigid.level == level
    model = ls.Model("stone")
    model.add(rigid, ls.Free(), name="stone")
    assert model.compile().n_v == 6


def test_free_modes_are_refused_at_level_stiffened():
    with pytest.raises(ModelError, match='take method "craig-bampton"'):
        strip(counts=(3, 1, 1), method="free-free")


def test_matrices_alone_do_not_stiffen():
    nodes, K, M = straight(4, 2.0)
    with pytest.raises(ModelError, match="second order"):
        ls.from_matrices(M, K, nodes, {"root": 0, "tip": 4}, level="stiffened")
    structure = ls.from_matrices(M, K, nodes, {"root": 0, "tip": 4}).source
    with pytest.raises(ModelError, match="stress_stiffness to from_matrices"):
        structure.second_order(np.zeros((structure.n_freedom, 1)))
