"""Equilibria of systems with loops: energies minimised otherwise, and beams clamped twice."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import lissom as ls
from tests.samples.closures import TURN, bending_stiffness, clamped_beam, four_bar

GRAVITY = 9.81


def hanging_chain(lengths, masses, span):
    """Rods that hang between two points of the ground at one height."""
    model = ls.Model("chain", gravity=(0, 0, -GRAVITY))
    for i, (length, mass) in enumerate(zip(lengths, masses, strict=True)):
        model.add(
            ls.RigidBody.rod(mass, length, com=(length / 2, 0, 0)),
            TURN,
            name=f"rod{i}",
            to=f"rod{i - 1}" if i else None,
            at=(lengths[i - 1] if i else 0, 0, 0),
        )
    model.close(
        ls.Spherical(),
        None,
        f"rod{len(lengths) - 1}",
        at_a=(span, 0, 0),
        at_b=(length, 0, 0),
        name="hook",
    )
    return model.compile()


LENGTHS, MASSES = np.array([0.5, 0.8, 0.4, 0.7, 0.6]), np.array([1.0, 0.5, 2.0, 0.7, 1.5])


def lowest(lengths, masses, span, angles, springs=(), fixed=None):
    """Absolute angles of least potential energy with the end at the span, by SLSQP.

    Angles as about y: a positive one points down.
    """
    n = len(lengths)

    def energy(a):
        ends = -np.cumsum(lengths * np.sin(a))
        heights = ends + lengths * np.sin(a) / 2
        bending = sum(k * (a[i] - a[i - 1] - rest) ** 2 / 2 for i, k, rest in springs)
        return GRAVITY * masses @ heights + bending

    closed = {
        "type": "eq",
        "fun": lambda a: [lengths @ np.cos(a) - span, lengths @ np.sin(a)],
        "jac": lambda a: np.array([-lengths * np.sin(a), lengths * np.cos(a)]),
    }
    constraints = [closed]
    if fixed is not None:
        constraints.append({"type": "eq", "fun": lambda a: a[0] - fixed})
    done = minimize(
        energy,
        angles,
        method="SLSQP",
        constraints=constraints,
        options={"ftol": 1e-15, "maxiter": 500},
    )
    assert done.success and len(done.x) == n
    return done.x


def test_chain_between_two_points_hangs_where_its_energy_is_least():
    span = 2.0
    system = hanging_chain(LENGTHS, MASSES, span)
    start = np.array([1.0, 0.5, 0.0, -0.5, -1.0])
    exact = lowest(LENGTHS, MASSES, span, start)
    found = ls.equilibrium(system, system.state(np.diff(start, prepend=0.0)))
    np.testing.assert_allclose(np.cumsum(found.q), exact, atol=2e-7)
    assert np.abs(ls.closure(system, found).gap).max() < 1e-12
    assert not np.any(found.v)
    assert np.abs(ls.forward_dynamics(system, found)).max() < 1e-9
    # the hook carries its share of the weight, as moments about the other end tell
    middles = np.cumsum(LENGTHS * np.cos(exact)) - LENGTHS * np.cos(exact) / 2
    share = GRAVITY * MASSES @ middles / span
    force = ls.loop_forces(system, found)[0]
    R = ls.pose(system, found, "rod4").rotation
    assert (R @ force[3:])[2] == pytest.approx(share, rel=1e-6)


def test_it_falls_from_the_neutral_state_whose_loop_is_open():
    """Neutral, the chain is stretched past the hook; it is closed first and then hangs."""
    system = hanging_chain(LENGTHS, MASSES, 2.0)
    exact = lowest(LENGTHS, MASSES, 2.0, np.array([1.0, 0.5, 0.0, -0.5, -1.0]))
    found = ls.equilibrium(system)
    np.testing.assert_allclose(np.cumsum(found.q), exact, atol=2e-7)


def test_springs_and_held_joints_count():
    span, start = 2.0, np.array([1.0, 0.5, 0.0, -0.5, -1.0])
    system = hanging_chain(LENGTHS, MASSES, span)
    springs = [(2, 3.0, 0.4), (4, 5.0, -0.6)]
    exact = lowest(LENGTHS, MASSES, span, start, springs, fixed=1.2)
    loads = [ls.JointSpring(f"rod{i}", k, rest=rest) for i, k, rest in springs]
    q = np.diff(start, prepend=0.0)
    q[0] = 1.2
    found = ls.equilibrium(system, system.state(q), loads=loads, held=["rod0"])
    assert found["rod0"] == 1.2
    np.testing.assert_allclose(np.cumsum(found.q), exact, atol=2e-7)


def test_driven_joint_takes_the_mechanism_along():
    """Its value comes from the motion, the rest from the energy."""
    span, start = 2.0, np.array([1.0, 0.5, 0.0, -0.5, -1.0])
    system = hanging_chain(LENGTHS, MASSES, span)
    exact = lowest(LENGTHS, MASSES, span, start, fixed=0.9)
    loads = [ls.Motion("rod0", lambda t: 0.4 + 0.25 * t)]
    found = ls.equilibrium(system, system.state(np.diff(start, prepend=0.0)), loads=loads, time=2.0)
    assert found["rod0"] == pytest.approx(0.9, abs=1e-14)
    np.testing.assert_allclose(np.cumsum(found.q), exact, atol=2e-7)


def test_redundant_loop_does_not_disturb_the_balance():
    """A four-bar with a spatial pin, against the least energy of its one motion."""
    lengths, masses = (0.8, 1.4, 1.2, 1.6), np.array([1.0, 2.0, 1.5])
    system = four_bar(lengths, masses=masses)
    angles = np.array([2.0, 0.5, -1.0])
    exact = lowest(np.array(lengths[:3]), masses, lengths[3], angles)
    found = ls.equilibrium(system, system.state(np.diff(angles, prepend=0.0)))
    np.testing.assert_allclose(np.cumsum(found.q), exact, atol=2e-7)


@pytest.mark.parametrize("modes", [6, 10])
def test_beam_clamped_twice_under_its_weight(modes):
    """Deflection w L^4 / 384 E I, reactions w L / 2 and w L^2 / 12: exact from three shapes on."""
    span = 2.0
    weight = ls.STEEL.density * 0.02 * 0.01 * GRAVITY
    system = clamped_beam(modes, span=span, gravity=GRAVITY)
    state = ls.equilibrium(system)
    middle = ls.pose(system, state, "beam.12").position
    assert middle[0] == pytest.approx(span / 2)
    deflection = weight * span**4 / (384 * bending_stiffness())
    assert -middle[2] == pytest.approx(deflection, rel=1e-8)
    force, at_root = ls.loop_forces(system, state)[0], ls.joint_forces(system, state)[0]
    assert at_root[5] + force[5] == pytest.approx(weight * span, rel=1e-9)
    assert force[5] == pytest.approx(weight * span / 2, rel=1e-8)
    assert force[1] == pytest.approx(weight * span**2 / 12, rel=1e-8)


def arch(modes, rise, span=1.6):
    """Two flexible beams that lean on each other, hinged at the feet and at the crown."""
    length = np.hypot(span / 2, rise)
    model = ls.Model("arch", gravity=(0, 0, -GRAVITY))
    rod = ls.beam(length, ls.Rectangle(0.02, 0.01), ls.STEEL, modes=modes, damping=0.0)
    model.add(rod, TURN, name="left")
    model.add(rod, TURN, to="left.tip", name="right")
    model.close(TURN, None, "right.tip", at_a=(span, 0, 0), name="foot")
    return model.compile(), np.arctan2(rise, span / 2), length


def test_three_hinged_arch_carries_its_weight_as_statics_say():
    """Thrust W span / (8 rise) and half the weight at each foot; beams deflected 5 w L^4 / 384 E I.

    Rise and span are those of the arch under load: they change by the square of the deflection.
    """
    rise = 0.6
    system, slope, length = arch(16, rise)
    start = system.state(left=-slope, right=2 * slope)
    found = ls.equilibrium(system, start)
    assert np.abs(ls.closure(system, found).gap).max() < 1e-12
    weight = ls.STEEL.density * 0.02 * 0.01 * GRAVITY
    crown = ls.pose(system, found, "left.tip").position
    np.testing.assert_allclose(crown, [0.8, 0, rise], atol=2e-5)
    R = ls.pose(system, found, "right.tip").rotation
    force = R @ ls.loop_forces(system, found)[0][3:]
    # each beam balances about the crown: half its span, its own weight in its middle
    thrust = weight * length * (1.6 / 2) / (2 * rise)
    np.testing.assert_allclose(force, [-thrust, 0, weight * length], rtol=1e-3, atol=1e-9)
    across = weight * np.cos(slope)
    exact = 5 * across * length**4 / (384 * bending_stiffness())
    middle = system.bodies[0].node_names["tip"] // 2
    ends = [ls.pose(system, found, x).position for x in ("left", "left.tip")]
    sag = (ends[0] + ends[1]) / 2 - ls.pose(system, found, f"left.{middle}").position
    assert np.linalg.norm(sag) == pytest.approx(exact, rel=0.02)


def test_what_nothing_holds_is_named():
    """A four-bar on its side has no equilibrium under a moment that nothing balances."""
    model = ls.Model("turntable", gravity=(0, 0, 0))
    rod = ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0))
    beam = ls.RigidBody.rod(3.0, 2.0, com=(1, 0, 0))
    model.add(rod, TURN, name="first")
    model.add(beam, TURN, to="first", at=(1, 0, 0), name="beam")
    model.add(rod, TURN, at=(2, 0, 0), name="second")
    model.close(TURN, "second", "beam", at_a=(1, 0, 0), at_b=(2, 0, 0), name="pin")
    system = model.compile()
    start = system.state(first=-1.0, beam=1.0, second=-1.0)
    with pytest.raises(ls.SingularError, match="nothing holds it"):
        ls.equilibrium(system, start, forces={"first": 1.0})


def test_start_that_cannot_be_closed_is_refused_with_the_loop():
    system = hanging_chain(LENGTHS, MASSES, 4.0)
    with pytest.raises(ls.SingularError, match="loop 'hook' stays open by 1 m"):
        ls.equilibrium(system)
