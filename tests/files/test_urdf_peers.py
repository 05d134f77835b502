"""Real robots: dynamics equal to Pinocchio's reading of the same files."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from tests.references.peers import peer
from tests.references.pinocchio_twins import RobotTwin
from tests.samples.urdf_files import robot_file

pin = peer("pin")
ROBOTS = (
    "panda_description/urdf/panda.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "ur_description/urdf/ur10_robot.urdf",
    "talos_data/robots/talos_reduced.urdf",
    "anymal_c_simple_description/urdf/anymal.urdf",
    "solo_description/robots/solo12.urdf",
    "icub_description/robots/icub.urdf",
    "tiago_description/robots/tiago.urdf",
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    "allegro_hand_description/urdf/allegro_left_hand.urdf",
    "xarm_description/urdf/xarm7.urdf",
    "kinova_description/robots/kinova.urdf",
    "hyq_description/robots/hyq_no_sensors.urdf",
    "baxter_description/urdf/baxter.urdf",
)
BOUND = 1e-11


@pytest.mark.parametrize("merge_fixed", [False, True])
@pytest.mark.parametrize("name", ROBOTS)
def test_dynamics_are_those_of_pinocchio(name, merge_fixed):
    twin = RobotTwin(pin, robot_file(name), merge_fixed=merge_fixed)
    model, data, order = twin.model, twin.data, twin.order
    assert twin.system.n_v == model.nv
    rng = np.random.default_rng(3)
    q = pin.integrate(model, pin.neutral(model), rng.normal(size=model.nv))
    v, a = rng.normal(size=model.nv), rng.normal(size=model.nv)
    state = twin.state(q, v)
    M = pin.crba(model, data, q)
    M = np.triu(M) + np.triu(M, 1).T
    own = ls.mass_matrix(twin.system, state)[np.ix_(order, order)]
    assert np.abs(own - M).max() <= BOUND * np.abs(M).max()
    vdot = np.zeros(model.nv)
    vdot[order] = a
    forces = ls.inverse_dynamics(twin.system, state, vdot)[order]
    expected = pin.rnea(model, data, q, v, a)
    assert np.abs(forces - expected).max() <= BOUND * np.abs(expected).max()


@pytest.mark.parametrize("merge_fixed", [False, True])
@pytest.mark.parametrize("name", ROBOTS[:6])
def test_frames_of_links_stand_and_move_as_pinocchio_has_them(name, merge_fixed):
    """Links that are merged with others keep their names as frames."""
    twin = RobotTwin(pin, robot_file(name), merge_fixed=merge_fixed)
    model, data, order, swap = twin.model, twin.data, twin.order, [3, 4, 5, 0, 1, 2]
    rng = np.random.default_rng(4)
    q = pin.integrate(model, pin.neutral(model), rng.normal(size=model.nv))
    v, a = rng.normal(size=model.nv), rng.normal(size=model.nv)
    state, vdot = twin.state(q, v), np.zeros(model.nv)
    vdot[order] = a
    pin.forwardKinematics(model, data, q, v, a)
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    assert merge_fixed == any(body != link for link, body in twin.robot.links.items())
    for link in twin.robot.links:
        number, where = model.getFrameId(link, pin.FrameType.BODY), link.replace(".", "_")
        placed, own = data.oMf[number], ls.pose(twin.system, state, where)
        np.testing.assert_allclose(own.position, placed.translation, atol=1e-12)
        np.testing.assert_allclose(own.rotation, placed.rotation, atol=1e-12)
        for axes, kind in (("body", pin.LOCAL), ("world", pin.LOCAL_WORLD_ALIGNED)):
            J = pin.getFrameJacobian(model, data, number, kind)[swap]
            V = pin.getFrameVelocity(model, data, number, kind).vector[swap]
            A = pin.getFrameClassicalAcceleration(model, data, number, kind).vector[swap]
            found = ls.jacobian(twin.system, state, where, axes=axes)[:, order]
            assert np.abs(found - J).max() < 1e-12
            assert np.abs(ls.velocity(twin.system, state, where, axes=axes) - V).max() < 1e-11
            found = ls.acceleration(twin.system, state, where, vdot, axes=axes)
            assert np.abs(found - A).max() <= 1e-11 * max(1.0, np.abs(A).max())


def test_a_robot_with_a_flexible_forearm_keeps_its_shape_and_its_energy():
    """A link of a published arm becomes a boom, and what it carried hangs on the boom's tip."""
    robot = ls.read_urdf(robot_file("ur_description/urdf/ur5_robot.urdf"), merge_fixed=True)
    rigid = robot.model.compile()
    wrist = robot.model.parts["wrist_1_link"]
    assert np.allclose(wrist.at[:2], 0)  # the forearm lies along z
    along_z = np.array([[0.0, 0, -1], [0, 1, 0], [1, 0, 0]])
    boom = ls.beam(
        wrist.at[2],
        ls.Tube(0.04, 0.001),
        ls.ALUMINIUM,
        bending=1,
        torsion=0,
        stretch=0,
        damping=0.0,
    )
    robot.model.replace("forearm_link", boom.turned(along_z))
    robot.model.move("wrist_1_link", to="forearm_link.tip", rotation=wrist.rotation)
    system = robot.model.compile()
    angles = dict(zip(robot.joints.values(), (0.3, -1.0, 0.8, 0.4, 0.2, 0.1), strict=True))
    hands = [ls.pose(s, s.state(**angles), "wrist_3_link") for s in (rigid, system)]
    np.testing.assert_allclose(hands[0].position, hands[1].position, atol=1e-12)
    np.testing.assert_allclose(hands[0].rotation, hands[1].rotation, atol=1e-12)
    run = ls.simulate(system, system.state(**angles), duration=0.3, rtol=1e-9)
    assert np.abs(run["forearm_link.tip.deflection"]).max() > 1e-6
    assert np.ptp(run.energy.total) < 1e-6 * np.abs(run.energy.kinetic).max()
