"""Inverse dynamics and joint forces with loops: the textbook's equation, balances of links."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from tests.samples.closures import JOINTS, TURN, closed_tree, four_bar, four_bar_angles
from tests.tools.measures import error

LENGTHS, MASSES, GRAVITY = (1.0, 2.0, 1.5, 2.0), (1.0, 2.0, 1.5), 9.81
CRANK, RATE, ACCELERATION, BRANCH = -1.0, 1.7, 2.3, 1


def angles(crank):
    return np.array([crank, *four_bar_angles(LENGTHS, crank, BRANCH)])


def middles(crank):
    """Centres of the three links (3, 2) in x and z; an angle about y points down."""
    ends, rows = np.zeros(2), []
    for length, angle in zip(LENGTHS[:3], angles(crank), strict=True):
        along = length * np.array([np.cos(angle), -np.sin(angle)])
        rows.append(ends + along / 2)
        ends = ends + along
    return np.array(rows)


def derivatives(function, x, h=1e-3):
    """First and second derivative by differences of sixth order."""
    f = [function(x + k * h) for k in range(-3, 4)]
    first = (-f[0] + 9 * f[1] - 45 * f[2] + 45 * f[4] - 9 * f[5] + f[6]) / (60 * h)
    second = f[0] / 90 - 3 * f[1] / 20 + 3 * f[2] / 2 - 49 * f[3] / 18
    second = second + 3 * f[4] / 2 - 3 * f[5] / 20 + f[6] / 90
    return first, second / h**2


def inertia(crank):
    """Reduced moment of inertia of the four-bar."""
    turning, moving = derivatives(angles, crank)[0], derivatives(middles, crank)[0]
    own = np.array(MASSES) * np.array(LENGTHS[:3]) ** 2 / 12
    return np.sum(np.array(MASSES) * np.sum(moving**2, axis=1)) + own @ turning**2


def textbook_torque():
    """I acc + I' rate^2 / 2 + dV / dangle, of the one coordinate that is left."""
    slope = derivatives(inertia, CRANK)[0]
    height = derivatives(lambda x: np.array(MASSES) @ middles(x)[:, 1], CRANK)[0]
    return inertia(CRANK) * ACCELERATION + slope * RATE**2 / 2 + GRAVITY * height


@pytest.fixture(scope="module")
def moving():
    """Four-bar, its state and accelerations, all from the closed form."""
    system = four_bar(LENGTHS, masses=MASSES)
    first, second = derivatives(angles, CRANK)
    q = np.diff(angles(CRANK), prepend=0.0)
    v = np.diff(first * RATE, prepend=0.0)
    vdot = np.diff(second * RATE**2 + first * ACCELERATION, prepend=0.0)
    return system, system.state(q, v), vdot


def test_torque_of_the_crank_is_the_textbooks(moving):
    system, state, vdot = moving
    torque = ls.inverse_dynamics(system, state, vdot, actuated=["crank"])
    np.testing.assert_allclose(torque, [textbook_torque(), 0, 0], rtol=1e-7)


def test_torque_of_the_rocker_does_the_same_work(moving):
    system, state, vdot = moving
    torque = ls.inverse_dynamics(system, state, vdot, actuated="rocker")
    assert torque[2] * state.v[2] == pytest.approx(textbook_torque() * RATE, rel=1e-7)
    assert not np.any(torque[:2])


def test_more_actuators_than_motions_share_with_the_least_forces(moving):
    """With one free motion of speeds v: the forces along v, power as before."""
    system, state, vdot = moving
    torque = ls.inverse_dynamics(system, state, vdot, actuated=system.names)
    expected = textbook_torque() * RATE * state.v / (state.v @ state.v)
    np.testing.assert_allclose(torque, expected, rtol=1e-7)


def test_sharing_between_a_turning_and_a_sliding_actuator_takes_moments_at_the_length():
    a, b = 0.4, 1.1
    model = ls.Model("slider-crank")
    model.add(ls.RigidBody.rod(2.0, a, com=(a / 2, 0, 0)), TURN, name="crank")
    rod = ls.RigidBody.rod(1.0, b, com=(b / 2, 0, 0))
    model.add(rod, TURN, to="crank", at=(a, 0, 0), name="rod")
    model.add(ls.RigidBody(3.0), ls.Prismatic("x"), name="piston")
    model.close(TURN, "rod", "piston", at_a=(b, 0, 0), name="wrist")
    system = model.compile()
    assert system.length == pytest.approx(b)
    start = system.state(crank=1.0, rod=-1.3, piston=1.2, **{"crank.rates": 1.0})
    state = ls.assemble(system, start, held="crank")
    vdot = ls.forward_dynamics(system, state, {"crank": 5.0})
    T = ls.inverse_dynamics(system, state, vdot, actuated=["crank", "piston"])
    # least of (moment / length)^2 + force^2 with the power of 5 N m on the crank
    crank, piston = state.v[0] * b, state.v[2]
    share = 5.0 * state.v[0] / (crank**2 + piston**2)
    np.testing.assert_allclose(T, [share * crank * b, 0, share * piston], rtol=1e-10)


def test_forces_through_the_joints_balance_every_link(moving):
    """m a of each link is its weight and the forces of its two joints, a from the closed form."""
    system, state, vdot = moving
    through = ls.joint_forces(system, state, vdot, actuated=["crank"])
    turn = [ls.pose(system, state, name).rotation for name in system.names]
    forces = [(R @ f[3:])[[0, 2]] for R, f in zip(turn, through, strict=True)]
    first, second = derivatives(middles, CRANK)
    a = second * RATE**2 + first * ACCELERATION
    wanted = np.array(MASSES)[:, None] * (a + np.array([0, GRAVITY]))
    np.testing.assert_allclose(forces[0] - forces[1], wanted[0], atol=1e-6)
    np.testing.assert_allclose(forces[1] - forces[2], wanted[1], atol=1e-6)
    torque = ls.inverse_dynamics(system, state, vdot, actuated=["crank"])
    pin = turn[2] @ ls.loop_forces(system, state, torque)[0][3:]
    np.testing.assert_allclose(forces[2] + pin[[0, 2]], wanted[2], atol=1e-6)
    np.testing.assert_allclose(through[:, 4], 0, atol=1e-9)  # nothing across the plane
    free = ls.joint_forces(system, state, forces=torque)
    np.testing.assert_allclose(free, through, atol=1e-6)


@pytest.mark.parametrize("name", JOINTS)
def test_inverse_dynamics_undoes_forward_dynamics(name):
    """The same accelerations by forces on all hinges that are not larger."""
    rng = np.random.default_rng(9)
    system, state, _ = closed_tree(JOINTS[name], rng, flexible=False)
    state = ls.assemble(system, state)
    T = rng.standard_normal(system.n_v)
    external = {"left hand": rng.standard_normal(6), "right": rng.standard_normal(6)}
    vdot = ls.forward_dynamics(system, state, T, external=external)
    found = ls.inverse_dynamics(system, state, vdot, external=external, actuated=system.names)
    again = ls.forward_dynamics(system, state, found, external=external)
    assert error(again, vdot) < 1e-8
    unit = np.ones(system.n_v)
    unit[system.layout.hinge_v("hub")][3:] = unit[system.layout.hinge_v("right hand")][1:] = (
        system.length
    )
    assert np.linalg.norm(found * unit) <= np.linalg.norm(T * unit) * (1 + 1e-9)
    through = ls.joint_forces(system, state, vdot, external=external, actuated=system.names)
    expected = ls.joint_forces(system, state, forces=found, external=external)
    assert error(through, expected) < 1e-7


def test_flexible_linkage_takes_accelerations_of_forward_dynamics():
    system = four_bar(LENGTHS, flexible=True)
    start = system.state(crank=-1.0, coupler=0.8, rocker=1.9, **{"crank.rates": 1.5})
    state = ls.assemble(system, start, held="crank")
    vdot = ls.forward_dynamics(system, state, {"crank": 7.0})
    torque = ls.inverse_dynamics(system, state, vdot, actuated=["crank"])
    expected = np.zeros(system.n_v)
    expected[system.layout.hinge_v("crank")] = 7.0
    np.testing.assert_allclose(torque, expected, atol=1e-7)
    B = ls.closure(system, state).basis
    with pytest.raises(ls.StateError, match="mode .* modes are not actuated.* forward_dynamics"):
        ls.inverse_dynamics(system, state, vdot + B @ np.ones(B.shape[1]), actuated=system.names)


def test_a_torque_holds_a_linkage_at_rest_by_virtual_work():
    """Accelerations and speeds are zero, so that the loop opens by rounding errors alone."""
    model = ls.Model("linkage", gravity=(0, 0, -9.81))
    for name, to, at in (("crank", None, 0.0), ("rod", "crank", 1.0), ("rocker", None, 1.5)):
        body = ls.RigidBody(1.0, (0.5, 0, 0), (0.1, 0.1, 0.1))
        model.add(body, ls.Revolute("y"), name=name, to=to, at=(at, 0, 0))
    model.close(ls.Revolute("y"), "rod", "rocker", name="pin", at_a=(1, 0, 0), at_b=(1, 0, 0))
    system = model.compile()
    state = ls.assemble(system, system.state(crank=-1.2, rod=1.0, rocker=-1.8))

    def potential(change):
        q = state.q
        moved = system.state(crank=q[0] + change, rod=q[1], rocker=q[2])
        return ls.energy(system, ls.assemble(system, moved, held=["crank"])).potential

    torque = ls.inverse_dynamics(system, state, np.zeros(3), actuated=["crank"])
    slope = (potential(1e-6) - potential(-1e-6)) / 2e-6
    np.testing.assert_allclose(torque, [slope, 0, 0], rtol=1e-7, atol=1e-12)


# Mistakes


@pytest.mark.parametrize(
    "actuated, message",
    [
        (None, r"loops \('pin'\) .* actuated=\["),
        ([], r"actuated joints \(none\) cannot produce .* hinge rate 0 of body 'crank'"),
        ("crnk", "no body 'crnk'; did you mean 'crank'"),
        (["crank.modes"], "only joints have actuators"),
        (["crank.rates"], 'neither "body" nor "body.modes"'),
    ],
)
def test_wrong_actuators_are_named(moving, actuated, message):
    system, state, vdot = moving
    with pytest.raises(ls.StateError, match=message):
        ls.inverse_dynamics(system, state, vdot, actuated=actuated)
    with pytest.raises(ls.StateError, match=message):
        ls.joint_forces(system, state, vdot, actuated=actuated)


def test_accelerations_that_open_a_loop_are_refused(moving):
    system, state, vdot = moving
    with pytest.raises(ls.StateError, match="open loop 'pin' at .* m/s.2"):
        ls.inverse_dynamics(system, state, vdot + np.array([0, 0.1, 0]), actuated=["crank"])


def test_states_with_open_loops_are_refused(moving):
    system, _, vdot = moving
    with pytest.raises(ls.StateError, match="'pin' is open by .* assemble"):
        ls.inverse_dynamics(system, system.neutral(), vdot, actuated=["crank"])


def test_actuators_without_accelerations_are_refused(moving):
    system, state, _ = moving
    with pytest.raises(ls.StateError, match="actuated is given without acceleration"):
        ls.joint_forces(system, state, actuated=["crank"])


def test_tree_is_checked_in_the_same_way():
    system = four_bar(LENGTHS, closed=False)
    state = system.state([0.1, 0.2, 0.3], [1.0, 2.0, 3.0])
    vdot = ls.forward_dynamics(system, state, {"coupler": 2.0})
    found = ls.inverse_dynamics(system, state, vdot, actuated=["coupler"])
    np.testing.assert_allclose(found, [0, 2, 0], atol=1e-12)
    np.testing.assert_allclose(ls.inverse_dynamics(system, state, vdot), found, atol=1e-12)
    with pytest.raises(ls.StateError, match="hinge rate 0 of body 'coupler' would need"):
        ls.inverse_dynamics(system, state, vdot, actuated=["crank", "rocker"])
