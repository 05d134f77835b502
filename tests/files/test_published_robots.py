"""Panda and UR5 from the files that everybody uses: as they look, and as they move elsewhere."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

import lissom as ls
from tests.references.peers import peer
from tests.references.pinocchio_twins import RobotTwin
from tests.samples.urdf_files import robot_file

pin, mujoco = peer("pin"), peer("mujoco")
pytestmark = pytest.mark.peer
ROBOTS = {  # file, link of the tool, last moving link
    "panda": ("panda_description/urdf/panda.urdf", "panda_hand_tcp", "panda_link7"),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "ee_link", "wrist_3_link"),
}
BOUND = 1e-10


def in_mujoco(path):
    """The robot without its shapes, damping and limits, in MuJoCo."""
    tree = ElementTree.parse(path)
    for link in tree.iter("link"):
        for shape in [x for x in link if x.tag in ("visual", "collision")]:
            link.remove(shape)
    model = mujoco.MjModel.from_xml_string(ElementTree.tostring(tree.getroot(), "unicode"))
    model.dof_damping[:] = 0
    model.opt.disableflags = mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    return model, mujoco.MjData(model)


def close(ours, theirs):
    return np.abs(ours - theirs).max() <= BOUND * np.abs(theirs).max()


@pytest.mark.parametrize("name", ROBOTS)
def test_gravity_accelerations_and_tools_are_those_of_pinocchio_and_mujoco(name):
    file, tool, last = ROBOTS[name]
    twin = RobotTwin(pin, robot_file(file), merge_fixed=True)
    system, order = twin.system, twin.order
    model, data = in_mujoco(robot_file(file))
    places = [model.joint(x).dofadr[0] for x in list(twin.model.names)[1:]]
    rng = np.random.default_rng(5)
    for _ in range(5):
        q, v, torque = (rng.uniform(-1, 1, twin.model.nv) for _ in range(3))
        own_q, own_v, forces = (np.zeros(system.n_v) for _ in range(3))
        own_q[order], own_v[order], forces[order] = q, v, torque
        weight = ls.gravity_force(system, (own_q, own_v))[order]
        rates = ls.forward_dynamics(system, (own_q, own_v), forces)[order]
        assert close(weight, pin.computeGeneralizedGravity(twin.model, twin.data, q))
        assert close(rates, pin.aba(twin.model, twin.data, q, v, torque))
        pin.framesForwardKinematics(twin.model, twin.data, q)
        own = ls.pose(system, (own_q, own_v), tool)
        theirs = twin.data.oMf[twin.model.getFrameId(tool)]
        assert close(own.position, theirs.translation) and close(own.rotation, theirs.rotation)
        data.qpos[places], data.qvel[places], data.qfrc_applied[places] = q, v, torque
        mujoco.mj_forward(model, data)
        assert close(rates, data.qacc[places])
        own, body = ls.pose(system, (own_q, own_v), last), data.body(last)
        assert close(own.position, body.xpos)
        assert close(own.rotation, body.xmat.reshape(3, 3))
        data.qvel[:] = 0
        mujoco.mj_forward(model, data)
        assert close(weight, data.qfrc_bias[places])


@pytest.mark.parametrize("name", ROBOTS)
def test_all_links_have_their_meshes_and_colours(name):
    robot = ls.read_urdf(robot_file(ROBOTS[name][0]), mimics="free")
    assert robot.left_out == ()
    drawn = {x: part.body.solids for x, part in robot.model.parts.items() if part.body.solids}
    heavy = {x for x, part in robot.model.parts.items() if part.body.mass > 0}
    assert heavy - set(drawn) <= {"world", "base_link"}  # of the UR5 some are only frames
    assert all(solid.color for solids in drawn.values() for solid in solids)
    assert sum(len(solid.triangles) for x in drawn.values() for solid in x) > 90_000
