"""Level "stiffened" of frames: second order against ls.beam and published values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh, eigvals

import lissom as ls
from lissom.structures.finite.frame import frame_structure
from tests.references.beam_theory import PRANDTL
from tests.references.spinning_beams import buckling, spinning_reference, spun

LENGTH, STEEL = 1.3, ls.STEEL
FLAT = ls.Rectangle(0.004, 0.06)


def cantilever(section, parts=6, direction=(1, 0, 0), **options):
    return ls.frame(
        [(0, 0, 0), LENGTH * np.array(direction)],
        [ls.Member(0, 1, section, STEEL, parts=parts)],
        interfaces={"root": 0, "tip": 1},
        theory="euler-bernoulli",
        **({"modes": 6, "level": "stiffened"} | options),
    )


@pytest.mark.parametrize("parts", [1, 2, 6])
def test_the_second_order_of_a_straight_member_is_that_of_the_beam(parts):
    """For strains that one element has: tip and sums over the mass are equal, for any division."""
    section = ls.Rectangle(0.02, 0.03)
    beam = ls.beam(LENGTH, section, STEEL, bending=2, torsion=1, stretch=1, level="stiffened")
    known = beam.constants_of_second_order
    made = frame_structure(
        [(0, 0, 0), (LENGTH, 0, 0)],
        [ls.Member(0, 1, section, STEEL, parts=parts)],
        interfaces={"root": 0, "tip": 1},
        theory="euler-bernoulli",
    )
    along = [0, *range(2, parts + 1), 1]
    shapes = np.zeros((made.n_freedom, beam.n_mode))
    for k, node in enumerate(along):
        shapes[6 * node : 6 * node + 6] = beam.shapes[24 // parts * k]
    found = made.second_order(shapes)
    exact = known.node_shapes[beam.names["tip"]]
    assert np.abs(found.node_shapes[1] - exact).max() < 1e-9 * np.abs(exact).max()
    assert np.allclose(found.first_moment, known.first_moment, atol=1e-8)
    # the beam leaves out the tilt of sections, a part (r / L)² of the second moment
    assert np.allclose(found.second_moment[0], known.second_moment[0], atol=5e-4 * 6.6)


@pytest.mark.parametrize(
    ("rate", "first", "second"), [(3.0, 4.7973, 23.3203), (6.0, 7.3604, 26.8091)]
)
def test_a_spinning_cantilever_has_wrights_frequencies(rate, first, second):
    """Wright, Smith, Thresher and Wang, Journal of Applied Mechanics 49 (1982): no hub, flap."""
    thin = ls.Rectangle(0.03, 0.002)  # soft about y, in the plane x-z
    body = cantilever(thin)
    unit = np.sqrt(STEEL.youngs_modulus * thin.second_moment_y / STEEL.density / thin.area)
    unit /= LENGTH**2
    found = spun(body, axis=2, omega=rate * unit) / unit
    assert np.allclose(spinning_reference(rate, 0, 0)[1::2], (first, second), rtol=1e-5)
    assert np.isclose(found[0], first, rtol=1e-3)
    assert np.isclose(found[1], second, rtol=1e-3)


def test_a_column_buckles_at_eulers_load():
    loads = buckling(cantilever(FLAT), "tip", 3)
    exact = np.pi**2 * STEEL.youngs_modulus * FLAT.second_moment_z / (4 * LENGTH**2)
    assert np.isclose(-loads[loads < 0].max(), exact, rtol=1e-4)


def test_the_load_of_a_column_does_not_depend_on_its_direction():
    direction = np.array([2, -1, 2]) / 3
    body = cantilever(FLAT, direction=direction)
    x = body.transform
    h = body.constants_of_second_order.in_modes(x).node_shapes[body.names["tip"]][3:]
    along = np.einsum("k,kij->ij", direction, h)
    values = eigvals(along, np.diag((2 * np.pi * body.frequencies) ** 2)).real
    loads = 1 / values[np.abs(values) > 1e-12 * np.abs(values).max()]
    exact = np.pi**2 * STEEL.youngs_modulus * FLAT.second_moment_z / (4 * LENGTH**2)
    assert np.isclose(-loads[loads < 0].max(), exact, rtol=1e-4)


def test_a_blade_topples_at_prandtls_load():
    loads = np.abs(buckling(cantilever(FLAT, parts=16, modes=16), "tip", 5))
    E, G = STEEL.youngs_modulus, STEEL.shear_modulus
    exact = PRANDTL * np.sqrt(E * FLAT.second_moment_z * G * FLAT.torsion_constant) / LENGTH**2
    assert np.isclose(loads.min(), exact, rtol=2e-3)


def test_a_load_on_an_offset_end_turns_with_its_arm():
    """An arm of length a across the tip: its load has the potential F a (1 - cos) when it turns."""
    straight = cantilever(FLAT)
    K = np.diag((2 * np.pi * straight.frequencies) ** 2)
    arm = 0.1
    offset = ls.frame(
        [(0, 0, 0), (LENGTH, arm, 0)],
        [ls.Member(0, 1, FLAT, STEEL, parts=6, offsets=((0, 0, 0), (0, -arm, 0)))],
        interfaces={"root": 0, "tip": 1},
        theory="euler-bernoulli",
        modes=6,
        level="stiffened",
    )
    x, tip = straight.transform, straight.names["tip"]
    second = straight.constants_of_second_order.in_modes(x).node_shapes[tip]
    turn = (straight.shapes[tip] @ x)[:3]
    # r = u + (1 + [t]x + [t]x²/2) a, t = turn eta + rho/2: along y, -(t_x² + t_z²) a
    across = -arm * (np.outer(turn[0], turn[0]) + np.outer(turn[2], turn[2]))
    exact = np.sort(eigvals(second[4] + across, K).real)
    y = offset.transform
    found = offset.constants_of_second_order.in_modes(y).node_shapes[offset.names["tip"]][4]
    L = np.diag((2 * np.pi * offset.frequencies) ** 2)
    assert np.allclose(np.sort(eigvals(found, L).real), exact, atol=1e-6 * np.abs(exact).max())


def test_a_body_on_an_arm_stiffens_as_a_mass_on_a_stiff_member():
    thin, arm, mass = ls.Rectangle(0.03, 0.002), np.array([0.05, 0.1, 0.2]), 0.4
    rigid = ls.Material("stiff and light", 1e13, 1e-6)
    ends = [(0, 0, 0), (LENGTH, 0, 0)]
    boom = ls.Member(0, 1, thin, STEEL, parts=6)
    options = {"theory": "euler-bernoulli", "modes": 8, "level": "stiffened"}
    options["interfaces"] = {"root": 0, "tip": 1}
    one = ls.frame(ends, [boom], masses={1: ls.RigidBody(mass, com=arm)}, **options)
    far = [*ends, ends[1] + arm]
    stiff = ls.Member(1, 2, ls.Circle(0.2), rigid, parts=1)
    other = ls.frame(far, [boom, stiff], masses={2: mass}, **options)
    found, exact = (spun(body, axis=2, omega=5.0)[:4] for body in (one, other))
    assert np.allclose(found, exact, rtol=1e-4)
    assert not np.allclose(found, spun(one, axis=2, omega=0.0)[:4], rtol=1e-2)


def test_a_frame_that_spins_up_stays_with_the_beam():
    """Run of the example in docs/levels.md: beyond its first frequency, `full` would fly apart."""
    thin = ls.Rectangle(0.03, 0.002)
    own = ls.beam(
        LENGTH, thin, STEEL, bending=6, torsion=1, stretch=1, level="stiffened", damping=0.01
    )
    made = cantilever(thin, modes=10, damping=0.01)
    found = []
    for body in (made, own):
        model = ls.Model("rotor")
        model.add(body, ls.Revolute("z"), name="blade")
        system = model.compile()
        state = system.state(v=np.zeros(system.n_v))
        run = ls.simulate(
            system,
            state,
            duration=0.6,
            step=1e-3,
            integrator="generalized_alpha",
            loads=[ls.Motion("blade", lambda t: 60 * (t - np.sin(10 * t) / 10))],
        )
        found.append(run["blade.tip.deflection"])
    size = np.abs(found[1]).max()
    assert size > 0.01
    assert np.abs(found[0] - found[1]).max() < 0.03 * size


def mast(bays=8, radius=0.15, bay=0.4):
    """Lattice of three longerons with crossed diagonals on pins, and stiff arms at both ends."""
    rod, thin, stiff = ls.Tube(0.006, 0.001), ls.Tube(0.004, 0.001), ls.Tube(0.02, 0.004)
    corner = [(0.0, radius * np.cos(a), radius * np.sin(a)) for a in 2 * np.pi / 3 * np.arange(3)]
    nodes = np.array([np.add((bay * k, 0, 0), x) for k in range(bays + 1) for x in corner])
    tip, root = len(nodes), len(nodes) + 1
    lines = [(3 * k + j, 3 * k + (j + 1) % 3, thin, "") for k in range(bays + 1) for j in range(3)]
    for k, j in np.ndindex(bays, 3):
        lines.append((3 * k + j, 3 * k + 3 + j, rod, ""))
        lines += [(3 * k + j, 3 * k + 3 + (j + d) % 3, thin, "both") for d in (1, -1)]
    lines += [(3 * bays + j, tip, stiff, "") for j in range(3)] + [
        (j, root, stiff, "") for j in range(3)
    ]
    return frame_structure(
        [*nodes, (bay * bays, 0, 0), (0, 0, 0)],
        [ls.Member(a, b, s, ls.ALUMINIUM, parts=1, pinned=p) for a, b, s, p in lines],
        interfaces={"root": root, "tip": tip},
    )


def test_what_spin_adds_to_a_mast_is_right_in_bending_and_of_the_right_size_in_torsion():
    """Against the derivative of the tangent stiffness, which has all three parts of it."""
    structure, omega = mast(), 20.0
    body = structure.reduce(modes=12, level="stiffened")
    found = spun(body, 2, omega)[:5] ** 2 - spun(body, 2, 0.0)[:5] ** 2
    K, M = (A.toarray()[:-6, :-6] for A in (structure.stiffness, structure.mass))  # root: last node
    squared, modes = eigh(K, M, subset_by_index=[0, 29])
    x = np.vstack([modes, np.zeros((6, 30))])
    masses, places, motion = structure.particles
    force = places * masses[:, None] * [1, 1, 0]
    u = np.zeros((len(x), 1))
    u[:-6, 0] = np.linalg.solve(K, (motion.T @ force.ravel())[:-6])
    T = structure.geometry.between(np.hstack([x, u]), np.hstack([x, u]))
    added = T[30, :30, :30] + T[:30, 30, :30] + T[:30, 30, :30].T
    moved = (motion @ x).reshape(-1, 3, 30)[:, :2]
    added -= np.einsum("n,nka,nkb->ab", masses, moved, moved)
    inside = structure.geometry.inside(x, np.zeros(3))
    added -= inside[1, 0] + inside[2, 1]
    exact = eigh(np.diag(squared) + omega**2 * added, eigvals_only=True)[:5] - squared[:5]
    bending, torsion = [0, 1, 3, 4], 2
    assert np.allclose(found[bending], exact[bending], rtol=0.055, atol=0.01 * omega**2)
    assert np.isclose(found[torsion] / omega**2, 0.85, atol=0.02)
    assert np.isclose(exact[torsion] / omega**2, 0.60, atol=0.02)
