"""Beams of static shapes against Bernoulli's beam: one of them, in a row, on a hub, with a tip."""

import warnings

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import brentq

import lissom as ls
from lissom.errors import ModelError
from lissom.structures.static_shapes import bar_shapes, beam_shapes, static_mesh

BLADE = ls.Rectangle(0.03, 1e-4)  # thin: the rotary inertia of sections, 1e-9, does not count
LENGTH = 1.3
EI = ls.STEEL.youngs_modulus * BLADE.second_moment_y
LINE = ls.STEEL.density * BLADE.area  # mass per length
PACE = np.sqrt(EI / (LINE * LENGTH**4))  # rad/s per dimensionless frequency


def blade(functions, parts=1, **options):
    """Part of a blade that bends in the plane x-z only."""
    bending = {"bending": (0, functions), "torsion": 0, "stretch": 0}
    return ls.beam(LENGTH / parts, BLADE, ls.STEEL, **bending, damping=0.0, **options)


def row(parts, shapes, joint=None, gravity=(0, 0, 0), tip=None, hub=None, **options):
    """Parts of a blade in a row, on a joint or a hub, with a body at the tip."""
    model, to = ls.Model("row", gravity=gravity), None
    if hub is not None:
        to, joint = model.add(hub, joint, name="hub"), None
    for k in range(parts):
        on = ls.Fixed() if k or joint is None else joint
        model.add(blade(shapes, parts, **options), on, to=to, name=f"p{k}")
        to = f"p{k}.tip"
    if tip is not None:
        model.add(tip, ls.Fixed(), to=to, name="tip")
    return model.compile()


def frequencies(system):
    """Dimensionless frequencies at rest without those of rigid motion, from 1/ω² downwards."""
    state, stiffness = system.state(), np.zeros(system.n_v)
    for i, body in enumerate(system.bodies):
        stiffness[system.layout.modal_v(i)] = body.stiffness
    M, stiff = ls.mass_matrix(system, state), stiffness > 0
    free = ~stiff  # joints and hub follow the deformation: Schur's complement
    bent = M[np.ix_(stiff, stiff)]
    if free.any():
        coupling = M[np.ix_(free, stiff)]
        bent = bent - coupling.T @ np.linalg.solve(M[np.ix_(free, free)], coupling)
    root = 1 / np.sqrt(stiffness[stiff])
    squares = eigh(root[:, None] * bent * root, eigvals_only=True)[::-1]
    return 1 / np.sqrt(squares) / PACE


def roots(equation, guesses):
    return np.array([brentq(equation, g - 0.3, g + 0.3, xtol=1e-14) for g in guesses])


CANTILEVER = roots(lambda b: np.cos(b) + 1 / np.cosh(b), [1.875, 4.694, 7.855]) ** 2


# One beam


@pytest.mark.parametrize("level", ["linear", "full"])
@pytest.mark.parametrize(
    "section", [BLADE, ls.Tube(0.06, 0.004), ls.ISection(0.08, 0.12, 0.008, 0.005)]
)
@pytest.mark.parametrize("bending, torsion, stretch", [(2, 1, 1), (3, 2, 1), (7, 3, 4)])
def test_forces_and_moments_at_the_tip_deform_it_exactly(section, level, bending, torsion, stretch):
    """The flexibility of the tip is that of textbooks, in all six directions."""
    given = {"bending": bending, "torsion": torsion, "stretch": stretch, "level": level}
    body = ls.beam(LENGTH, section, ls.STEEL, **given).normalised()
    tip = body.node_shapes[body.node_names["tip"]]
    found = tip / body.stiffness @ tip.T
    E, G, L = ls.STEEL.youngs_modulus, ls.STEEL.shear_modulus, LENGTH
    exact = np.diag([L / (G * section.torsion_constant), 0, 0, L / (E * section.area), 0, 0])
    planes = ((4, 2, 1, section.second_moment_z), (5, 1, -1, section.second_moment_y))
    for move, turn, sign, moment in planes:
        exact[move, move] = L**3 / (3 * E * moment)
        exact[turn, turn] = L / (E * moment)
        exact[move, turn] = exact[turn, move] = sign * L**2 / (2 * E * moment)
    scale = np.sqrt(np.outer(np.diag(exact), np.diag(exact)))
    np.testing.assert_allclose(found / scale, exact / scale, atol=1e-13)


def test_its_own_weight_bends_it_exactly_from_three_shapes_on():
    """w = q x² (x² - 4 L x + 6 L²) / 24 EI at every node of the axis."""
    body = blade(3).normalised()
    load = body.integrals.modal_first_moment[2] / body.stiffness  # a force of 1 N/kg along z
    x = body.node_positions[:25, 0]
    found = body.node_shapes[:25, 5] @ load
    exact = LINE * x**2 * (x**2 - 4 * LENGTH * x + 6 * LENGTH**2) / (24 * EI)
    np.testing.assert_allclose(found, exact, atol=1e-14 * exact[-1])


@pytest.mark.parametrize("shapes", range(1, 7))
def test_frequencies_are_those_of_ritz_with_polynomials(shapes):
    """Powers of x in place of Legendre's polynomials span the same space."""
    a = np.arange(2, shapes + 2)
    K = np.outer(a * (a - 1), a * (a - 1)) / (a[:, None] + a - 3)
    M = 1 / (a[:, None] + a + 1)
    powers = np.sqrt(eigh(K, M, eigvals_only=True))
    grid = static_mesh(24, shapes)
    np.testing.assert_allclose(beam_shapes(grid, shapes).frequencies, powers, rtol=1e-5)
    a = np.arange(1, shapes + 1)
    powers = np.sqrt(
        eigh(np.outer(a, a) / (a[:, None] + a - 1), 1 / (a[:, None] + a + 1), eigvals_only=True)
    )
    np.testing.assert_allclose(bar_shapes(grid, shapes).frequencies, powers, rtol=1e-5)


def test_the_documented_errors_of_frequencies():
    table = [[0.272], [5e-3, 0.58], [3.1e-4, 9.1e-3, 0.92], [1.6e-6, 5.7e-3, 2.7e-2]]
    table += [[4e-8, 3e-5, 2.51e-2], [1e-10, 1.4e-5, 3.1e-4]]
    for shapes, bounds in enumerate(table, start=1):
        grid = static_mesh(1, shapes)
        found = beam_shapes(grid, shapes).frequencies[:3] / CANTILEVER[:shapes] - 1
        assert (found < bounds).all() and (found > 0.7 * np.array(bounds) - 1e-14).all()
    for shapes, bound in ((1, 0.103), (2, 4e-3)):
        found = bar_shapes(static_mesh(1, shapes), shapes).frequencies[0] / (np.pi / 2) - 1
        assert 0.9 * bound < found < bound


@pytest.mark.parametrize("shapes", [1, 2, 5, 30])
def test_the_normalised_body_is_well_conditioned(shapes):
    """Modal masses are 1 to rounding, and the basis is kept as it is, also with many shapes."""
    body = ls.beam(LENGTH, BLADE, ls.STEEL, bending=shapes, torsion=shapes, stretch=shapes)
    moves = body.shapes[:, 3:]
    mass = np.einsum("n,nia,nib->ab", body.masses, moves, moves)
    np.testing.assert_allclose(mass, np.eye(4 * shapes), atol=1e-13)
    np.testing.assert_array_equal(body.transform, np.eye(4 * shapes))
    assert not body.shapes[0].any()
    assert (np.diff(body.frequencies) > -1e-12 * body.frequencies[1:]).all()


def test_particles_have_mass_and_inertia_of_the_solid():
    section = ls.Circle(0.3)
    body = ls.beam(2.0, section, ls.STEEL, bending=1, torsion=0, stretch=0)
    mass, x = body.masses, body.positions
    m = ls.STEEL.density * np.pi * 0.3**2 * 2.0
    assert mass.sum() == pytest.approx(m, rel=1e-14)
    assert mass @ x[:, 0] == pytest.approx(m, rel=1e-14)
    assert mass @ (x[:, 1] ** 2 + x[:, 2] ** 2) == pytest.approx(m * 0.09 / 2, rel=1e-13)
    about_y = mass @ (x[:, 0] ** 2 + x[:, 2] ** 2)
    assert about_y == pytest.approx(m * (3 * 0.09 + 4 * 4.0) / 12, rel=1e-13)


# Beams in a row


def hermite_cantilever(n):
    """First frequency of n textbook cubic elements with consistent mass, L = EI = ρA = 1."""
    h, size = 1 / n, 2 * n + 2
    K, M = np.zeros((2, size, size))
    k = [[12, 6 * h, -12, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h]]
    k += [[-12, -6 * h, 12, -6 * h], [6 * h, 2 * h * h, -6 * h, 4 * h * h]]
    m = [[156, 22 * h, 54, -13 * h], [22 * h, 4 * h * h, 13 * h, -3 * h * h]]
    m += [[54, 13 * h, 156, -22 * h], [-13 * h, -3 * h * h, -22 * h, 4 * h * h]]
    for e in range(n):
        at = slice(2 * e, 2 * e + 4)
        K[at, at] += np.array(k) / h**3
        M[at, at] += np.array(m) * h / 420
    return 1 / np.sqrt(eigh(M[2:, 2:], K[2:, 2:], eigvals_only=True)[-1])


@pytest.mark.parametrize("parts, bound", [(1, 5e-3), (2, 5e-4), (4, 4e-5), (8, 3e-6), (16, 2e-7)])
def test_parts_in_a_row_are_cubic_elements(parts, bound):
    """Sag by weight and by a load at the tip, and the first frequency, with two shapes."""
    g = 1e-6  # so small that the deflection is linear
    system = row(parts, 2, gravity=(0, 0, -g))
    end = f"p{parts - 1}.tip"
    rest = ls.equilibrium(system)
    weight = LINE * g * LENGTH**4 / (8 * EI)
    assert -ls.pose(system, rest, end).position[2] == pytest.approx(weight, rel=1e-9)
    force = 3 * EI / LENGTH**3 * 1e-6 * LENGTH
    rest = ls.equilibrium(row(parts, 2), loads=[ls.NodeForce(end, (0, 0, force))])
    assert ls.pose(system, rest, end).position[2] == pytest.approx(1e-6 * LENGTH, rel=1e-9)
    found = frequencies(system)[0]
    assert found == pytest.approx(hermite_cantilever(parts), rel=5e-9)
    assert 0.6 * bound < found / CANTILEVER[0] - 1 < bound


def test_default_beams_in_a_row_sag_as_one():
    """In every part all six directions of loads at its tip are carried."""
    tube, force = ls.Tube(0.02, 0.001), 1e-3
    for parts in (1, 8):
        model, to = ls.Model("row"), None
        for k in range(parts):
            piece = ls.beam(LENGTH / parts, tube, ls.STEEL)
            to = model.add(piece, ls.Fixed(), to=to and f"{to.name}.tip", name=f"p{k}")
        system, end = model.compile(), f"{to.name}.tip"
        load = ls.NodeForce(end, (force, force, force), moment=(force, 0, 0))
        pose = ls.pose(system, ls.equilibrium(system, loads=[load]), end)
        E, G = ls.STEEL.youngs_modulus, ls.STEEL.shear_modulus
        across = force * LENGTH**3 / (3 * E * tube.second_moment_y)
        np.testing.assert_allclose(pose.position[1:], across, rtol=1e-6)
        twist = force * LENGTH / (G * tube.torsion_constant)
        assert pose.rotation[2, 1] == pytest.approx(twist, rel=1e-5)


def test_four_shapes_in_one_part():
    assert frequencies(row(1, 4))[0] / CANTILEVER[0] - 1 < 1e-5


@pytest.mark.parametrize("parts, bounds", [(1, (2e-6, 4e-4)), (4, (1e-7, 5e-6))])
@pytest.mark.parametrize(
    "joint, equation, guesses",
    [
        (ls.Free(), lambda b: np.cos(b) - 1 / np.cosh(b), [4.73, 7.853]),
        (ls.Revolute("y"), lambda b: np.tan(b) - np.tanh(b), [3.927, 7.069]),
    ],
    ids=["free-free", "pinned-free"],
)
def test_free_and_pinned_beams(joint, equation, guesses, parts, bounds):
    shapes = 7 if parts == 1 else 4
    found = frequencies(row(parts, shapes, joint))[:2] / roots(equation, guesses) ** 2 - 1
    assert (abs(found) < bounds).all()


# Hub and tip


def hub_and_tip(hub, mass, inertia, count):
    """First frequencies of a beam on a hinge with a hub, and a body at its tip; L = EI = ρA = 1.

    At the root w = 0 and w₂ = -ω² J_hub w₁, at the tip w₂ = ω² J_tip w₁ and w₃ = -ω² m_tip w, where
    w_k is the k-th derivative of w = A (cosh bx - cos bx) + B sinh bx + C sin bx, and ω = b².
    """

    def equation(b):
        e = np.exp(-b)  # scales all terms, so that nothing overflows
        ch, sh, c, s = (1 + e * e) / 2, (1 - e * e) / 2, e * np.cos(b), e * np.sin(b)
        w, slope = np.array([ch - c, sh, s]), np.array([sh + s, ch, c])
        moment, shear = np.array([ch + c, sh, -s]), np.array([sh - s, ch, -c])
        at_hub = np.array([2.0, hub * b**3, hub * b**3]) / (1 + hub * b**3)
        return np.linalg.det([at_hub, shear + mass * b * w, moment - inertia * b**3 * slope])

    grid = np.linspace(0.1, 15.0, 600)
    signs = np.sign([equation(b) for b in grid])
    (at,) = np.nonzero(np.diff(signs))
    return np.array([brentq(equation, grid[k], grid[k + 1], xtol=1e-14) for k in at[:count]]) ** 2


def test_the_frequency_equation_has_known_limits():
    free = hub_and_tip(0.0, 0.0, 0.0, 2)
    np.testing.assert_allclose(np.sqrt(free), [3.926602312, 7.068582746], rtol=1e-9)
    held = hub_and_tip(1e12, 0.0, 0.0, 2)
    np.testing.assert_allclose(held, CANTILEVER[:2], rtol=1e-9)


@pytest.mark.parametrize("hub", [0.1, 1.0, 1e6], ids=["light", "heavy", "held"])
@pytest.mark.parametrize("mass, inertia", [(0.3, 0.0), (1.0, 0.1), (20.0, 1.0)])
@pytest.mark.parametrize("shapes, bound", [(3, 1e-3), (5, 1e-5)])
def test_hub_and_tip_mass(hub, mass, inertia, shapes, bound):
    """A body at the tip is carried by forces and moments there: no slow convergence."""
    whole = LINE * LENGTH
    on = ls.RigidBody(1.0, inertia=np.full(3, hub * whole * LENGTH**2))
    tip = ls.RigidBody(mass * whole, inertia=np.full(3, inertia * whole * LENGTH**2))
    found = frequencies(row(1, shapes, ls.Revolute("y"), hub=on, tip=tip))[0]
    exact = hub_and_tip(hub, mass, inertia, 1)[0]
    assert -1e-6 < found / exact - 1 < bound


# What is asked for


def moved(body):
    """Row of the tip that each shape moves most: 0 turns it about x, 3 to 5 move it."""
    tip = np.abs(body.shapes[body.names["tip"]])
    return np.where(tip[0] > 0, 0, 3 + np.argmax(tip[3:], axis=0))


def families(body):
    """Numbers of shapes: bending x-y, bending x-z, torsion, stretch."""
    return tuple(int(np.sum(moved(body) == r)) for r in (4, 5, 0, 3))


@pytest.mark.parametrize("length", [0.05, 0.5, 5.0, 50.0])
def test_the_number_of_bending_shapes_does_not_depend_on_the_length(length):
    tube, flat = ls.Tube(0.06, 0.004), ls.Rectangle(1.0, 0.02)
    asked = [
        (tube, {}, (3, 3, 1, 1)),
        (tube, {"modes": 4}, (2, 2, 0, 0)),
        (tube, {"modes": 7}, (4, 3, 0, 0)),
        (flat, {}, (3, 3, 1, 1)),
        (flat, {"modes": 4}, (0, 4, 0, 0)),
        (flat, {"bending": 2}, (2, 2, 1, 1)),
        (flat, {"bending": (0, 4), "torsion": 2, "stretch": 0}, (0, 4, 2, 0)),
        (flat, {"bending": np.array([1, 2]), "shapes": "clamped"}, (1, 2, 1, 1)),
    ]
    for section, options, expected in asked:
        assert families(ls.beam(length, section, ls.STEEL, **options)) == expected


def test_clamped_shapes_are_the_modes_of_vibration():
    body = ls.beam(LENGTH, BLADE, ls.STEEL, shapes="clamped")
    assert body.n_mode == 6
    first = body.frequencies[moved(body) == 5][:3] * 2 * np.pi / PACE
    np.testing.assert_allclose(first, CANTILEVER, rtol=2e-5)
    chosen = blade(3, shapes="clamped")
    np.testing.assert_array_equal(chosen.frequencies * 2 * np.pi / PACE, first)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bending": -1}, "beam: bending must be an integer >= 0, not -1; give 0, 1, 2"),
        ({"bending": 2.0}, "beam: bending must be an integer >= 0, not 2.0"),
        ({"bending": "3"}, "beam: bending must be an integer >= 0, not '3'"),
        ({"bending": (1, 2, 3)}, r"one number or two, for the planes x-y and x-z, not \(1, 2, 3\)"),
        ({"bending": [3, -2]}, "bending in the plane x-z must be an integer >= 0, not -2"),
        ({"bending": (True, 2)}, "bending in the plane x-y must be an integer >= 0, not True"),
        ({"bending": 101}, "beam: bending is 101 and must not exceed 100; give fewer, or divide"),
        ({"torsion": 1.5}, "beam: torsion must be an integer >= 0, not 1.5"),
        ({"stretch": -2}, "beam: stretch must be an integer >= 0, not -2"),
        ({"bending": 0, "torsion": 0, "stretch": 0}, "nothing deforms; give one of them shapes"),
        ({"modes": 4, "torsion": 1}, "modes=4 and torsion=1 both say how many shapes.*modes alone"),
        ({"modes": 500}, "modes=500: the number of shapes in one plane is .* must not exceed 100"),
        ({"shapes": "exact"}, "beam: shapes must be 'static' or 'clamped', not 'exact'"),
        ({"shapes": None}, "shapes must be 'static' or 'clamped', not None"),
        (
            {"shapes": "clamped", "bending": 9, "elements": 4},
            "4 elements are too few for 20 modes.*elements=9",
        ),
    ],
)
def test_wrong_numbers_of_shapes(options, message):
    with pytest.raises(ModelError, match=message):
        ls.beam(LENGTH, BLADE, ls.STEEL, **options)


@pytest.mark.parametrize(
    ("section", "modes", "message"),
    [
        (ls.Tube(0.06, 0.004), 1, "in the plane x-y, .*give bending=\\(2, 0\\), torsion=0"),
        (ls.Tube(0.06, 0.004), 2, "in each plane, .*give bending=2, torsion=0, stretch=0"),
        (ls.Tube(0.06, 0.004), 3, "in the plane x-z, .*give bending=2, .*or bending=\\(2, 1\\)"),
        (ls.Rectangle(0.05, 0.01), 4, "in the plane x-y, .*give bending=\\(2, 3\\), torsion=0"),
    ],
)
def test_one_shape_that_nobody_asked_for_is_told(section, modes, message):
    with pytest.warns(ls.ModelWarning, match=f"beam: modes={modes} leaves one .*{message}") as said:
        ls.beam(LENGTH, section, ls.STEEL, modes=modes)
    assert said[0].filename == __file__


def test_the_numbers_of_that_warning():
    """Ritz: sqrt(20) for the first frequency, L³ / 4EI for a force."""
    found = blade(1)
    first = 2 * np.pi * found.frequencies[0] / PACE
    assert first == pytest.approx(np.sqrt(20), rel=1e-12)
    assert first / CANTILEVER[0] - 1 == pytest.approx(0.27, abs=0.005)
    tip = found.shapes[found.names["tip"]][5, 0]
    compliance = tip**2 / (2 * np.pi * found.frequencies[0]) ** 2
    assert compliance == pytest.approx(0.75 * LENGTH**3 / (3 * EI), rel=1e-12)


def test_shapes_that_are_asked_for_are_not_told():
    tube, flat = ls.Tube(0.06, 0.004), ls.Rectangle(0.4, 0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ls.beam(LENGTH, tube, ls.STEEL, bending=1)
        ls.beam(LENGTH, tube, ls.STEEL, modes=2, shapes="clamped")
        ls.beam(LENGTH, tube, ls.STEEL, modes=4)
        ls.beam(LENGTH, flat, ls.STEEL, modes=2)  # both in the soft plane
