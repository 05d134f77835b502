"""Rods against known answers: elastica, buckling, spin, loads in space, rings, springs, loops."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import brentq
from scipy.special import ellipe, ellipk, jv

import lissom as ls
from tests.references import rod_references as known


def cantilever(stiffness=(1, 1, 1), length=1.0, inertia=(0.01, 0.01, 0.01), **asked):
    """A clamped rod of mass 1 without stretch, with torsion, bending and other things as asked."""
    asked = {"stretch": 0, "damping": 0.0} | asked
    body = ls.Rod(length, (*stiffness, 1, 1, 1), 1.0 / length, inertia, **asked)
    model = ls.Model("cantilever", gravity=(0, 0, 0))
    model.add(body, ls.Fixed(), name="rod")
    return model.compile()


def tip(system, force=None, moment=None, start=None):
    """Tip at rest under a force and a moment."""
    loads = [ls.NodeForce("rod.tip", force, moment)] if moment is not None else []
    loads = loads or [ls.NodeForce("rod.tip", force)]
    rest = ls.equilibrium(system, start, loads=loads)
    return ls.pose(system, rest, "rod.tip").position


@pytest.mark.parametrize(
    "force, functions, bound",
    [(1, 2, 9.5e-5), (1, 4, 2.5e-7), (1, 6, 1e-11), (10, 3, 1.3e-3), (10, 4, 2e-5), (10, 8, 6e-9)],
)
def test_elastica_under_an_end_force(force, functions, bound):
    system = cantilever(bending=(functions, 0), torsion=0)
    expected = known.elastica(force)
    assert np.linalg.norm(tip(system, (0, force, 0))[:2] - expected) < bound


@pytest.mark.parametrize("stations, bound", [(6, 1e-4), (8, 1e-7), (12, 1e-13)])
def test_a_moment_bends_a_rod_into_a_closed_circle(stations, bound):
    system = cantilever(bending=(1, 0), torsion=0, stations=stations)
    assert np.linalg.norm(tip(system, (0, 0, 0), (0, 0, 2 * np.pi))) < bound


@pytest.mark.parametrize("functions, bound", [(3, 8.5e-4), (4, 9e-5), (6, 2e-7)])
def test_end_force_oblique_to_the_principal_axes(functions, bound):
    stiffness, force = (0.5, 1.0, 4.0), (0.0, 2.0, 2.0)
    system = cantilever(stiffness, bending=functions, torsion=functions, stations=functions + 4)
    expected = known.loaded_rod(stiffness, force)
    assert np.hypot(*expected[1:]) > 0.5
    assert np.linalg.norm(tip(system, force) - expected) < bound


@pytest.mark.parametrize("functions, bound", [(3, 2.5e-4), (4, 2.7e-5), (6, 1e-7)])
def test_bend_of_45_degrees(functions, bound):
    """K. J. Bathe, S. Bolourchi, Int. J. Numer. Methods Eng. 14, 1979: radius 100, load 600."""
    stiffness, radius = (0.1406 * 5e6, 1e7 / 12, 1e7 / 12), 100.0
    length, curvature = radius * np.pi / 4, (0.0, 0.0, 1 / radius)
    system = cantilever(
        stiffness, length, bending=functions, torsion=functions, curvature=curvature,
        stations=functions + 4,
    )  # fmt: skip
    expected = known.loaded_rod(stiffness, (0, 0, 600.0), curvature, length)
    assert np.linalg.norm(tip(system, (0, 0, 600.0)) - expected) < bound * length


def slopes(system, q, force):
    """Tangent stiffness under a dead force at the tip, by complex steps in the readable text."""

    def unbalanced(q):
        state = system.state(q)
        R = ls.pose(system, state, "rod.tip").rotation
        pushed = np.concatenate([0 * R[0], R.T @ force])
        return ls.inverse_dynamics(system, state, 0 * q, external={"rod.tip": pushed})

    columns = [unbalanced(q + 1e-30j * e).imag / 1e-30 for e in np.eye(system.n_v)]
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize("functions, bound", [(2, 8e-3), (3, 1.4e-4), (4, 1.4e-6), (6, 1e-10)])
def test_eulers_load(functions, bound):
    system = cantilever(bending=(functions, 0), torsion=0)
    rest = np.zeros(system.n_v)
    K, pressed = (slopes(system, rest, np.array([-f, 0.0, 0.0])) for f in (0.0, 1.0))
    load = 1 / eigh(K - pressed, K, eigvals_only=True)[-1]
    assert 0 < load / (np.pi**2 / 4) - 1 < bound


@pytest.mark.parametrize("functions, bound", [(3, 9.4e-3), (4, 9.4e-4), (5, 6.5e-5), (6, 4.5e-6)])
def test_prandtls_load(functions, bound):
    system = cantilever((3.0, 2.0, 1.0), bending=(0, functions), torsion=functions)
    rest = np.zeros(system.n_v)
    K, pushed = (slopes(system, rest, np.array([0.0, f, 0.0])) for f in (0.0, 1.0))
    load = 1 / eigh(K - pushed, K, eigvals_only=True)[-1]
    exact = 2 * brentq(lambda z: jv(-0.25, z), 1.5, 2.5) * np.sqrt(6)
    assert 0 < load / exact - 1 < bound


@pytest.mark.parametrize("functions, bound", [(5, 2e-4)])
def test_lateral_buckling_of_a_rod_that_bends_before(functions, bound):
    stiffness = np.array([0.5, 1.0, 4.0])
    system = cantilever(stiffness, bending=functions, torsion=functions, stations=functions + 3)
    planar = cantilever(stiffness, bending=(functions, 0), torsion=0, stations=functions + 3)
    exact = known.lateral_load(tuple(stiffness))
    assert exact > 1.3 * 4.0126 * np.sqrt(0.5)

    def least(force):
        bent = ls.equilibrium(planar, loads=[ls.NodeForce("rod.tip", (0, force, 0))])
        q = np.zeros(system.n_v)
        q[:functions] = bent.q
        K = slopes(system, q, np.array([0.0, force, 0.0]))
        return np.linalg.eigvalsh((K + K.T) / 2)[0]

    load = brentq(least, 0.9 * exact, 1.15 * exact, xtol=1e-9)
    assert abs(load / exact - 1) < bound


@pytest.mark.parametrize("hub, end", [(0.0, 0.0), (0.3, 0.0), (0.3, 0.5)])
@pytest.mark.parametrize("functions, bound", [(4, 3.2e-3), (6, 6e-5)])
def test_frequencies_of_a_spinning_rod(hub, end, functions, bound):
    spin, inertia = 7.5, (0.0, 0.0, 0.0)
    body = ls.Rod(1.0, (1,) * 6, 1.0, inertia, bending=functions, torsion=0, stretch=0, damping=0.0)
    model = ls.Model("rotor", gravity=(0, 0, 0))
    model.add(ls.RigidBody(1.0), ls.Revolute("z"), name="hub")
    model.add(body, ls.Fixed(), to="hub", at=(hub, 0, 0), name="rod")
    if end:
        model.add(ls.RigidBody(end), ls.Fixed(), to="rod.tip", name="end")
    system = model.compile()
    n, v = 2 * functions, np.zeros(system.n_v)
    v[0] = spin

    def forces(q):
        return ls.inverse_dynamics(system, system.state(q, v), 0 * v)

    columns = [forces(1e-30j * e).imag / 1e-30 for e in np.eye(system.n_v)]
    K = np.stack(columns, axis=-1)[1:, 1:]
    M = ls.mass_matrix(system, system.neutral())[1:, 1:]
    found = np.sqrt(eigh((K + K.T) / 2, M, eigvals_only=True))[:4]
    assert n == len(M)
    assert np.abs(found / known.spinning_frequencies(spin, hub, end) - 1).max() < bound


@pytest.mark.parametrize("part", [1.01, 1.5, 3.0])
def test_a_column_is_found_buckled_and_its_straight_shape_unstable(part):
    """Clamped column: P/P_cr = (2K(k)/π)², tip (2E/K - 1, 2k/√(P/EI))."""
    load = part * np.pi**2 / 4
    system, loads = cantilever(bending=(6, 0), torsion=0), [ls.NodeForce("rod.tip", (-load, 0, 0))]
    bent = np.zeros(system.n_q)
    bent[0] = 0.1
    found = ls.pose(system, ls.equilibrium(system, system.state(bent), loads=loads), "rod.tip")
    k = brentq(lambda k: (2 * ellipk(k * k) / np.pi) ** 2 - part, 1e-6, 0.9999)
    expected = 2 * ellipe(k * k) / ellipk(k * k) - 1, 2 * k / np.sqrt(load), 0
    assert found.position == pytest.approx(expected, abs=6e-6)
    with pytest.warns(ls.SimulationWarning, match="equilibrium is unstable: .*mode 0 of body 'rod"):
        ls.equilibrium(system, loads=loads)


STRIP, BACK = ls.Rectangle(0.02, 0.002), np.radians(165)
EI = ls.STEEL.youngs_modulus * STRIP.second_moment_y
PUSHED = {
    0.05: 0.4742233,
    0.3: 1.5533474,
    1.5: 12.7805656,
}  # force in EI/L² for a motion of the tip


def pushed_strip(body, part, steps=4):
    """Tip of a clamped strip under the force that moves the exact one by a part of its length."""
    model = ls.Model("strip")
    model.add(body, ls.Fixed(), name="strip")
    system = model.compile()
    force, state = PUSHED[part] * EI * np.array([np.cos(BACK), 0, np.sin(BACK)]), system.neutral()
    for x in np.linspace(0, 1, steps + 1)[1:]:
        state = ls.equilibrium(system, state, loads=[ls.NodeForce("strip.tip", x * force)])
    return ls.pose(system, state, "strip.tip").position[[0, 2]]


@pytest.mark.parametrize("part, rod, stiffened, full", [
    (0.05, 2e-7, 1.4e-4, 9.2e-3), (0.3, 6e-7, 4.7e-2, 0.17), (1.5, 1.4e-3, None, 1.4),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore::lissom.errors.SimulationWarning")
def test_one_beam_at_every_level(part, rod, stiffened, full):
    """The table of the page of levels."""
    exact = known.pushed(PUSHED[part], BACK)
    assert np.hypot(exact[0] - 1, exact[1]) == pytest.approx(part, rel=1e-6)
    error = np.linalg.norm(pushed_strip(ls.rod(1.0, STRIP, ls.STEEL), part) - exact)
    assert error < rod
    for level, expected in (("full", full), ("linear", full), ("stiffened", stiffened)):
        if expected is not None:
            beam = ls.beam(1.0, STRIP, ls.STEEL, level=level)
            error = np.linalg.norm(pushed_strip(beam, part) - exact)
            assert error == pytest.approx(expected, rel=0.05)
