"""Beam elements of frames against closed forms and the differential equations of beams."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special
from scipy.linalg import eigh
from scipy.optimize import brentq
from scipy.sparse.linalg import spsolve

import lissom as ls
from lissom.structures.finite.frame import frame_structure
from tests.references.beam_theory import THETA, Beam, M, Q, W
from tests.references.spinning_beams import polynomials
from tests.references.textbook_elements import rigid_motion

SECTION, STEEL, LENGTH = ls.Rectangle(0.05, 0.08), ls.STEEL, 0.7
UP = 4  # direction y of a node


def straight(parts, theory="timoshenko", section=SECTION, **more):
    member = ls.Member(0, 1, section, STEEL, parts=parts)
    ends = [(0, 0, 0), (LENGTH, 0, 0)]
    return frame_structure(ends, [member], interfaces={"root": 0}, theory=theory, **more)


def rows(structure, node, directions):
    return [6 * node + k for k in directions]


def frequencies(structure, held=()):
    """Angular frequencies, with some freedoms held."""
    free = np.setdiff1d(np.arange(structure.n_freedom), held)
    K, M_ = (A.toarray()[np.ix_(free, free)] for A in (structure.stiffness, structure.mass))
    return np.sqrt(eigh(K, M_, eigvals_only=True).clip(min=0))


def deflection(structure, load, held):
    free = np.setdiff1d(np.arange(structure.n_freedom), held)
    found = np.zeros(structure.n_freedom)
    found[free] = spsolve(structure.stiffness[free][:, free].tocsc(), load[free])
    return found


def in_plane(structure):
    """Freedoms that do not belong to bending in the plane x-y."""
    return np.flatnonzero(~np.isin(structure.freedoms[:, 1], (2, 4)))


def theory_beam(theory):
    k, _ = SECTION.shear_factors(STEEL.poisson_ratio)
    return Beam(
        LENGTH,
        STEEL.youngs_modulus * SECTION.second_moment_z,
        STEEL.density * SECTION.area,
        STEEL.density * SECTION.second_moment_z,
        k * STEEL.shear_modulus * SECTION.area if theory == "timoshenko" else np.inf,
    )


CASES = {  # states free at the start, states zero at the end, freedoms held (node 0, node 1)
    "cantilever": ((Q, M), (Q, M), ((2, 4), ())),
    "free-free": ((W, THETA), (Q, M), ((), ())),
    "simply supported": ((THETA, Q), (W, M), ((4,), (4,))),
    "clamped": ((Q, M), (W, THETA), ((2, 4), (2, 4))),
}


@pytest.mark.parametrize("theory", ["timoshenko", "euler-bernoulli"])
@pytest.mark.parametrize("case", CASES)
def test_frequencies_converge_to_the_roots_of_the_differential_equation(case, theory):
    """With the fourth power of the size; the small part of them that is shear with the second."""
    start, end, ends = CASES[case]
    errors = []
    for parts in (4, 8):
        body = straight(parts, theory)
        held = [*in_plane(body), *rows(body, 0, ends[0]), *rows(body, 1, ends[1])]
        found = frequencies(body, np.unique(held))
        found = found[found > 1e-3 * found.max()][:2]
        exact = [theory_beam(theory).frequency(start, end, near=x) for x in found]
        errors.append(found / exact - 1)
    assert np.all(errors[1] > 0) and np.all(errors[1] < 4e-3)
    order = np.log2(errors[0] / errors[1])
    assert order[0] > (3.7 if theory == "euler-bernoulli" else 2.2)


def test_the_first_modes_of_a_slender_cantilever_are_the_textbooks():
    thin = ls.Rectangle(0.001, 0.002)
    body = straight(16, "euler-bernoulli", thin)
    scale = np.sqrt(STEEL.youngs_modulus * thin.second_moment_z / STEEL.density / thin.area)
    found = frequencies(body, np.unique([*in_plane(body), *range(6)]))[:3] * LENGTH**2 / scale
    assert np.allclose(found, [3.516015, 22.034492, 61.697214], rtol=1e-4)


def test_static_deflection_is_exact_with_one_element():
    body = straight(1)
    E, G, moment, A = (
        STEEL.youngs_modulus,
        STEEL.shear_modulus,
        SECTION.second_moment_z,
        SECTION.area,
    )
    k, _ = SECTION.shear_factors(STEEL.poisson_ratio)
    load = np.zeros(12)
    load[6 + UP] = 1000.0
    found = deflection(body, load, range(6))
    assert np.isclose(found[6 + UP], 1000 * (LENGTH**3 / (3 * E * moment) + LENGTH / (k * G * A)))
    assert np.isclose(found[6 + 2], 1000 * LENGTH**2 / (2 * E * moment))
    load = np.zeros(12)
    load[6], load[9] = 50.0, 2e4
    found = deflection(body, load, range(6))
    assert np.isclose(found[6], 50 * LENGTH / (G * SECTION.torsion_constant))
    assert np.isclose(found[9], 2e4 * LENGTH / (E * A))


@pytest.mark.parametrize("tip", [0.5, 0.02])
def test_a_wedge_vibrates_by_bessel_functions(tip):
    """Height falls linearly to `tip`; (E I1 x³ w'')'' = rho A1 x omega² w, x from the apex."""
    wedge = (ls.Rectangle(0.001, 0.004), ls.Rectangle(0.001, 0.004 * tip))
    body = straight(16, "euler-bernoulli", wedge)
    held = np.unique([*np.flatnonzero(~np.isin(body.freedoms[:, 1], (1, 5))), *range(6)])
    root, apex = wedge[0], LENGTH / (1 - tip)
    scale = np.sqrt(STEEL.youngs_modulus * root.second_moment_y / STEEL.density / root.area)
    for found in frequencies(body, held)[:2]:
        near = found * apex**2 / scale  # x in units of the apex' distance
        exact = brentq(wedge_equation, 0.98 * near, 1.02 * near, args=(tip,))
        assert np.isclose(near, exact, rtol=4e-4)


def wedge_equation(rate, tip):
    """Determinant of w = w' = 0 at x = 1 and of no moment and shear at x = tip."""
    rows_ = []
    z = 2 * np.sqrt(rate)
    rows_.append([f(1, z) for f in BESSEL])
    rows_.append([s * f(2, z) for f, s in zip(BESSEL, SIGNS, strict=True)])
    z = 2 * np.sqrt(rate * tip)
    rows_.append([f(3, z) for f in BESSEL])
    rows_.append([t * f(2, z) for f, t in zip(BESSEL, (1, 1, 1, -1), strict=True)])
    return np.linalg.det(np.array(rows_))


BESSEL = (special.jv, special.yv, special.iv, special.kv)
SIGNS = (-1, -1, 1, -1)  # of the first derivative of f_n(2 sqrt(k x)) / x^(n/2)


def test_a_pointed_cone_has_kirchhoffs_frequency():
    cone = (ls.Circle(0.004), ls.Circle(0.004 * 1e-4))
    body = straight(24, "euler-bernoulli", cone)
    scale = np.sqrt(STEEL.youngs_modulus * cone[0].second_moment_z / STEEL.density / cone[0].area)
    found = frequencies(body, np.unique([*in_plane(body), *range(6)]))[:2] * LENGTH**2 / scale
    s, w, shape, _, curve, _ = polynomials(16)  # by Ritz: EI falls as (1 - s)⁴, mass as (1 - s)²
    stiffness, mass = (curve * w * (1 - s) ** 4) @ curve.T, (shape * w * (1 - s) ** 2) @ shape.T
    exact = np.sqrt(eigh(stiffness, mass, eigvals_only=True)[:2])
    assert np.allclose(exact, [8.719, 21.146], rtol=3e-5)  # as printed
    assert np.allclose(found, exact, rtol=1e-3)


def test_a_ring_has_the_frequencies_of_hoppe():
    n, radius, section = 40, 1.0, ls.Rectangle(0.01, 0.02)
    angle = 2 * np.pi * np.arange(n) / n
    nodes = radius * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    members = [ls.Member(k, (k + 1) % n, section, STEEL, parts=1) for k in range(n)]
    body = frame_structure(nodes, members, interfaces={"a": 0})
    out_of_plane = np.flatnonzero(~np.isin(body.freedoms[:, 1], (2, 3, 4)))
    found = frequencies(body, out_of_plane)[3:7]
    moment, A = section.second_moment_z, section.area
    scale = np.sqrt(STEEL.youngs_modulus * moment / STEEL.density / A) / radius**2
    lobes = np.array([2, 2, 3, 3])
    exact = scale * lobes * (lobes**2 - 1) / np.sqrt(lobes**2 + 1)
    assert np.allclose(found, exact, rtol=5e-3)


def test_a_portal_sways_as_its_dynamic_stiffness_says():
    section = ls.Rectangle(0.002, 0.002)
    nodes = [(0, 0, 0), (0, 1, 0), (1, 1, 0), (1, 0, 0)]
    members = [ls.Member(k, k + 1, section, STEEL, parts=6) for k in range(3)]
    body = frame_structure(nodes, members, interfaces={"a": 0}, theory="euler-bernoulli")
    flat = np.flatnonzero(~np.isin(body.freedoms[:, 1], (2, 3, 4)))
    found = frequencies(body, np.unique([*flat, *range(6), *range(18, 24)]))[0]
    line = STEEL.density * section.area
    beam = Beam(1.0, STEEL.youngs_modulus * section.second_moment_z, line)

    def sway(omega):
        column = beam.dynamic_stiffness(omega)[2:, 2:]  # clamped at the foot
        girder = beam.dynamic_stiffness(omega)
        K = 2 * column
        K[0, 0] -= line * 1.0 * omega**2  # the girder moves along its axis
        # its ends turn by the same angle; columns and girder count rotation in one sense
        K[1, 1] += girder[1, 1] + girder[1, 3] + girder[3, 1] + girder[3, 3]
        return np.linalg.det(K)

    exact = brentq(sway, 0.9 * found, 1.1 * found)
    assert np.isclose(found, exact, rtol=1e-4)


def skewed(**more):
    """Two members anywhere, one tapered with offsets and a pin, and point masses."""
    nodes = [(0.1, -0.2, 0.3), (0.9, 0.4, 0.1), (1.2, 0.1, 0.9)]
    members = [
        ls.Member(0, 1, ls.ISection(0.03, 0.05, 0.004, 0.003), STEEL, reference=(1, 0, 2)),
        ls.Member(
            1,
            2,
            (ls.Tube(0.03, 0.003), ls.Tube(0.02, 0.001)),
            ls.ALUMINIUM,
            offsets=((0.02, 0, 0.01), (0, 0.03, 0)),
            pinned="second",
            parts=3,
        ),
        ls.Member(0, 2, ls.Circle(0.01), STEEL),
    ]
    return frame_structure(
        nodes, members, interfaces={"root": 0, "tip": 2}, masses={1: 0.7, 2: 1.1}, **more
    )


def test_rigid_motion_has_no_strain_and_the_inertia_of_the_solid():
    body = skewed()
    R = rigid_motion(body)
    assert np.abs(body.stiffness @ R).max() < 1e-12 * abs(body.stiffness).max()
    masses, places, _ = body.particles
    inertia = sum(
        m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, places, strict=True)
    )
    found = R.T @ (body.mass @ R)
    assert np.allclose(found[:3, :3], inertia)
    assert np.allclose(found[3:, 3:], masses.sum() * np.eye(3))
    bar = straight(2)
    R, line = rigid_motion(bar), STEEL.density * LENGTH
    A, Iy, Iz = SECTION.area, SECTION.second_moment_y, SECTION.second_moment_z
    axial, long = line * (Iy + Iz), line * A * LENGTH**2 / 3
    found = np.diag(R.T @ (bar.mass @ R))
    assert np.allclose(found[:3], [axial, long + line * Iy, long + line * Iz])


def test_a_rigid_body_at_a_node_has_its_mass_and_inertia():
    """The frame with the box, less the frame without: the box about the origin."""
    box = ls.RigidBody(
        2.0, com=(0.1, 0.2, -0.3), inertia=[[0.2, 0.01, 0], [0.01, 0.3, 0], [0, 0, 0.4]]
    )
    R = rigid_motion(straight(2))
    found = R.T @ ((straight(2, masses={1: box}).mass - straight(2).mass) @ R)
    r = np.array([LENGTH, 0, 0]) + box.com
    assert np.allclose(np.diag(found)[3:], 2.0)
    inertia = np.asarray(box.inertia) + 2.0 * (r @ r * np.eye(3) - np.outer(r, r))
    assert np.allclose(found[:3, :3], inertia)
    assert np.allclose(found[3:, :3] @ (0, 0, 1), 2.0 * np.cross((0, 0, 1), r))


def test_strain_energy_and_mass_do_not_depend_on_the_axes_of_the_body():
    from scipy.spatial.transform import Rotation

    turn = Rotation.from_euler("xyz", [0.4, -1.1, 2.0]).as_matrix()
    nodes = np.array([(0, 0, 0), (1, 0, 0), (1.5, 0.5, 0.3)])
    kind = {"section": ls.Rectangle(0.02, 0.04), "material": STEEL, "parts": 2}
    found = []
    for R in (np.eye(3), turn):
        members = [
            ls.Member(0, 1, **kind, reference=R @ (0, 0.3, 1)),
            ls.Member(1, 2, **kind, reference=R @ (0, 1, 0), offsets=([R @ (0, 0, 0.1)] * 2)),
        ]
        body = frame_structure(nodes @ R.T, members, interfaces={"root": 0})
        found.append(frequencies(body, range(6))[:6])
    assert np.allclose(*found, rtol=1e-8)


def test_offsets_are_a_rigid_tie():
    """Members at offsets bend as those between nodes of their own on stiff arms."""
    tube, arm = ls.Tube(0.02, 0.002), ls.Circle(0.5)
    heavy = ls.Material("stiff and light", 1e13, 1e-6)
    offsets = ((0.0, 0.3, 0.0), (0.0, 0.2, 0.1))
    nodes = np.array([(0, 0, 0), (2, 0, 0)], float)
    short = frame_structure(
        nodes, [ls.Member(0, 1, tube, STEEL, offsets=offsets)], interfaces={"root": 0}
    )
    far = [*nodes, *(nodes + offsets)]
    arms = [ls.Member(0, 2, arm, heavy, parts=1), ls.Member(1, 3, arm, heavy, parts=1)]
    long = frame_structure(far, [ls.Member(2, 3, tube, STEEL), *arms], interfaces={"root": 0})
    load = np.array([3.0, -2.0, 5.0, 100.0, 70.0, -50.0])
    found = []
    for body in (short, long):
        f = np.zeros(body.n_freedom)
        f[6:12] = load
        found.append(deflection(body, f, range(6))[6:12])
    assert np.allclose(*found, rtol=1e-5)


def test_a_pin_carries_no_moment_and_a_propped_cantilever_deflects_as_in_the_handbook():
    """A pinned end of one member on a column that holds the node: 3 EI / L³ of the other."""
    E, moment = STEEL.youngs_modulus, SECTION.second_moment_z
    nodes = [(0, 0, 0), (1, 0, 0), (2, 0, 0)]
    members = [
        ls.Member(0, 1, SECTION, STEEL, parts=2),
        ls.Member(1, 2, SECTION, STEEL, parts=3, pinned="first"),
    ]
    body = frame_structure(nodes, members, interfaces={"root": 0}, theory="euler-bernoulli")
    load = np.zeros(body.n_freedom)
    load[6 + UP] = 1.0
    found = deflection(body, load, [*range(6), *range(12, 18)])
    assert np.isclose(found[6 + UP], 1 / (2 * 3 * E * moment))  # two cantilevers side by side
    stations = body.recovery(found[:, None]).stations
    at_pin = (stations.members == 1) & (stations.places == 0)
    assert np.abs(stations.loads[at_pin][:, 4:]).max() < 1e-9


def test_section_loads_are_those_of_statics():
    """An L of two legs under a force at its tip: the wrench of the force in section axes."""
    nodes = [(0, 0, 0), (0, 2, 0), (0, 2, 1)]
    members = [ls.Member(0, 1, ls.Tube(0.03, 0.002), STEEL, parts=3)]
    members += [ls.Member(1, 2, ls.Tube(0.03, 0.002), STEEL, parts=2)]
    body = frame_structure(nodes, members, interfaces={"root": 0, "tip": 2})
    force, at = np.array([10.0, -20.0, 5.0]), np.array(nodes[2], float)
    load = np.zeros(body.n_freedom)
    load[15:18] = force
    stations = body.recovery(deflection(body, load, range(6))[:, None]).stations
    assert len(stations.places) == 10
    for position, axes, found in zip(
        stations.positions, stations.axes, stations.loads[:, :, 0], strict=True
    ):
        moment = np.cross(at - position, force)
        exact = np.concatenate([axes.T @ force, axes.T @ moment])
        assert np.allclose(found, exact, atol=1e-8)


def test_a_frame_of_a_beam_is_the_beam_in_motion():
    """Free motion of a pendulum: lissom's own beam, other formulation, other shapes."""
    tube, length = ls.Tube(0.02, 0.001), 2.0
    made = ls.frame(
        [(0, 0, 0), (length, 0, 0)],
        [ls.Member(0, 1, tube, ls.ALUMINIUM, parts=8)],
        interfaces={"root": 0, "tip": 1},
        modes=6,
        damping=0.0,
    )
    own = ls.beam(length, tube, ls.ALUMINIUM, bending=6, torsion=2, stretch=2, damping=0.0)
    found = []
    for body in (made, own):
        model = ls.Model("pendulum", gravity=(0, 0, -9.81))
        model.add(body, ls.Revolute("y"), name="arm")
        model.add(ls.RigidBody.sphere(0.3, 0.05), ls.Fixed(), to="arm.tip", name="bob")
        system = model.compile()
        run = ls.simulate(system, system.state(arm=0.4), duration=0.3, rtol=1e-8, atol=1e-9)
        found.append(ls.pose(system, run.state(0.3), "bob").position)
        assert abs(run["energy.total"][-1] - run["energy.total"][0]) < 1e-4
    assert np.allclose(*found, atol=2e-4)  # shear and rotary inertia of a slender tube


def test_a_body_at_rest_is_stressed_by_its_weight():
    """Bending stress M R / I at the root of a cantilever that the shapes alone do not carry."""
    length, tube = 2.0, ls.Tube(0.03, 0.002)
    arm = ls.frame(
        [(0, 0, 0), (length, 0, 0)],
        [ls.Member(0, 1, tube, ls.ALUMINIUM, parts=1)],
        interfaces={"root": 0, "tip": 1},
        modes=0,
        level="linear",
    )
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    model.add(arm, ls.Fixed(), name="arm")
    system = model.compile()
    rest = ls.equilibrium(system)
    found = ls.stress(system, rest, "arm", 0)[:, 0].max()
    moment = 9.81 * ls.ALUMINIUM.density * tube.area * length**2 / 2
    assert np.isclose(found, moment * 0.03 / tube.second_moment_y, rtol=1e-10)


def test_a_frame_survives_its_file(tmp_path):
    body = ls.frame(
        [(0, 0, 0), (1, 0, 0), (1, 1, 0)],
        [
            ls.Member(0, 1, ls.Tube(0.02, 0.002), STEEL, parts=2),
            ls.Member(1, 2, (ls.Circle(0.02), ls.Circle(0.01)), STEEL, parts=2),
        ],
        interfaces={"root": 0, "tip": 2},
        modes=2,
    )
    body.save(tmp_path / "knee.nc")
    again = ls.load_body(tmp_path / "knee.nc")
    assert np.allclose(again.frequencies, body.frequencies)
    one, other = body.recovery.stations, again.recovery.stations
    assert np.array_equal(one.loads, other.loads)
    assert [x.area for x in one.sections] == [x.area for x in other.sections]
    assert len(again.solids) == 2


def test_members_are_drawn_with_their_axes_tapers_and_offsets():
    tube, thin = ls.Rectangle(0.04, 0.02), ls.Rectangle(0.02, 0.01)
    body = ls.frame(
        [(0, 0, 0), (0, 1, 0)],
        [ls.Member(0, 1, (tube, thin), STEEL, parts=2, offsets=((0, 0, 0), (0.1, 0, 0.2)))],
        interfaces={"root": 0, "tip": 1},
        modes=2,
    )
    (sweep,) = body.solids
    x = np.array([0.1, 1.0, 0.2]) / np.sqrt(1.05)
    assert np.allclose(sweep.rotation[:, 0], x)
    assert np.isclose(sweep.rotation[:, 2] @ np.cross(x, (0, 0, 1)), 0)  # z near that of the body
    outlines = np.asarray(sweep.outlines)
    assert np.allclose(np.ptp(outlines, axis=1), [(0.04, 0.02), (0.03, 0.015), (0.02, 0.01)])
    assert np.allclose(outlines[0].mean(axis=0), 0)
    assert np.allclose(outlines[2].mean(axis=0), (sweep.rotation.T @ (0.1, 0, 0.2))[1:])
