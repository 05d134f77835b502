"""Rigid trees against Pinocchio (random ones) and MuJoCo (one branched robot).

Errors are relative to the size of the quantity, generalized ones with their entries made comparable
by the diagonal of the mass matrix.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import lissom as ls
from tests.references.mujoco_robot import ROBOT, ROBOT_JOINTS, Robot, matrix_of, robot_system
from tests.references.peers import peer
from tests.references.pinocchio_twins import JOINT_KINDS, SWAP, Part, Twins, build_twins, draw_parts
from tests.tools.measures import TOLERANCE, error, forward_tolerance, random_state

pytestmark = pytest.mark.peer

SEEDS = range(24)


@dataclass
class Case:
    """A tree in a state, and the same state and its mass matrix in Pinocchio's coordinates."""

    twins: Twins
    state: ls.State
    q: np.ndarray
    v: np.ndarray
    mass: np.ndarray

    @property
    def root(self):
        """Square roots of the diagonal of the mass matrix: they make unlike speeds comparable."""
        return np.sqrt(np.diag(self.mass))

    def random_speeds(self):
        """Vector of the size of the speeds, in Pinocchio's order."""
        return np.random.default_rng(7).standard_normal(len(self.v))

    def force_error(self, actual, expected) -> float:
        return error(actual[self.twins.v_index], expected, 1 / self.root)


@pytest.fixture(scope="module", params=SEEDS)
def case(request):
    pin = peer("pin")
    rng = np.random.default_rng(1000 + request.param)
    twins = build_twins(pin, draw_parts(request.param), rng.uniform(-10, 10, 3), rng)
    state = random_state(twins.system, rng)
    q, v = state.q[twins.q_index], state.v[twins.v_index]
    mass = np.array(pin.crba(twins.model, twins.data, q))
    mass = np.triu(mass) + np.triu(mass, 1).T
    return Case(twins, state, q, v, mass)


def test_random_trees_cover_every_joint():
    drawn = [part.kind for seed in SEEDS for part in draw_parts(seed)]
    assert all(drawn.count(kind) >= 5 for kind in JOINT_KINDS)
    assert max(len(draw_parts(seed)) for seed in SEEDS) == 15
    branched = [seed for seed in SEEDS if _has_branch(draw_parts(seed))]
    assert len(branched) > 10


def _has_branch(parts: list[Part]) -> bool:
    parents = [part.parent for part in parts]
    return len(set(parents)) < len(parents)


def test_mass_matrix_is_crba(case):
    own = ls.mass_matrix(case.twins.system, case.state)
    own = own[np.ix_(case.twins.v_index, case.twins.v_index)]
    assert error(own, case.mass, 1 / np.outer(case.root, case.root)) < TOLERANCE


def test_bias_force_is_nonlinear_effects(case):
    t = case.twins
    expected = t.pin.nonLinearEffects(t.model, t.data, case.q, case.v)
    assert case.force_error(ls.bias_force(t.system, case.state), expected) < TOLERANCE


def test_gravity_force_is_generalized_gravity(case):
    t = case.twins
    expected = t.pin.computeGeneralizedGravity(t.model, t.data, case.q)
    assert case.force_error(ls.gravity_force(t.system, case.state), expected) < TOLERANCE


def test_inverse_dynamics_is_rnea(case):
    t = case.twins
    acceleration = case.random_speeds()
    expected = t.pin.rnea(t.model, t.data, case.q, case.v, acceleration)
    forces = ls.inverse_dynamics(t.system, case.state, t.to_lissom(acceleration))
    assert case.force_error(forces, expected) < TOLERANCE


def test_joint_forces_are_those_of_rnea(case):
    t = case.twins
    acceleration = case.random_speeds()
    t.pin.rnea(t.model, t.data, case.q, case.v, acceleration)
    own = ls.joint_forces(t.system, case.state, t.to_lissom(acceleration))
    expected = [t.data.f[t.joint_id[part.name]].vector[SWAP] for part in t.moving]
    rows = [t.system.names.index(part.name) for part in t.moving]
    assert error(own[rows], expected) < TOLERANCE


@pytest.mark.parametrize("method", ["articulated", "composite", "reference", "auto"])
def test_forward_dynamics_is_aba(case, method):
    t = case.twins
    forces = case.random_speeds()
    expected = t.pin.aba(t.model, t.data, case.q, case.v, forces)
    vdot = ls.forward_dynamics(t.system, case.state, t.to_lissom(forces), method=method)
    vdot = vdot[t.v_index]
    assert error(vdot, expected, case.root) < forward_tolerance(case.mass)


@pytest.mark.parametrize("method", ["articulated", "composite"])
def test_forward_dynamics_satisfies_the_equations_of_rnea(case, method):
    t = case.twins
    forces = case.random_speeds()
    vdot = ls.forward_dynamics(t.system, case.state, t.to_lissom(forces), method=method)[t.v_index]
    residual = t.pin.rnea(t.model, t.data, case.q, case.v, vdot) - forces
    bias = t.pin.nonLinearEffects(t.model, t.data, case.q, case.v)
    norm = np.linalg.norm
    assert norm(residual) < 1e-12 * (norm(case.mass, 2) * norm(vdot) + norm(bias) + norm(forces))


def test_external_forces_act_as_in_aba(case):
    t = case.twins
    forces = case.random_speeds()
    rng = np.random.default_rng(8)
    wrenches = {part.name: rng.standard_normal(6) for part in t.moving}
    external = t.pin.StdVec_Force()
    external.extend(t.pin.Force.Zero() for _ in range(t.model.njoints))
    for name, wrench in wrenches.items():
        external[t.joint_id[name]] = t.pin.Force(wrench[SWAP])
    expected = t.pin.aba(t.model, t.data, case.q, case.v, forces, external)
    vdot = ls.forward_dynamics(t.system, case.state, t.to_lissom(forces), external=wrenches)
    assert error(vdot[t.v_index], expected, case.root) < forward_tolerance(case.mass)


def test_energies(case):
    t = case.twins
    energy = ls.energy(t.system, case.state)
    kinetic = t.pin.computeKineticEnergy(t.model, t.data, case.q, case.v)
    potential = t.pin.computePotentialEnergy(t.model, t.data, case.q)
    heights = np.abs(t.pin.centerOfMass(t.model, t.data, case.q)) @ np.abs(t.system.gravity)
    size = abs(potential) + sum(part.mass for part in t.parts) * heights
    assert abs(energy.kinetic - kinetic) < TOLERANCE * kinetic
    assert abs(energy.potential - potential) < TOLERANCE * size
    assert energy.strain == 0


def test_center_of_mass(case):
    t = case.twins
    expected = t.pin.centerOfMass(t.model, t.data, case.q)
    size = np.linalg.norm(expected) + 1.0
    assert np.abs(ls.center_of_mass(t.system, case.state) - expected).max() < TOLERANCE * size


def test_momentum_about_the_centre_of_mass_is_centroidal(case):
    t = case.twins
    expected = t.pin.computeCentroidalMomentum(t.model, t.data, case.q, case.v).vector[SWAP]
    about = t.pin.centerOfMass(t.model, t.data, case.q)
    own = ls.momentum(t.system, case.state, about=about)
    assert max(error(own[:3], expected[:3]), error(own[3:], expected[3:])) < TOLERANCE


def _frames(case, acceleration=None):
    """(name, Pinocchio's frame number) of every body after forward kinematics."""
    t = case.twins
    zero = np.zeros(t.model.nv)
    given = zero if acceleration is None else acceleration
    t.pin.forwardKinematics(t.model, t.data, case.q, case.v, given)
    t.pin.computeJointJacobians(t.model, t.data, case.q)
    t.pin.updateFramePlacements(t.model, t.data)
    return [(part.name, t.model.getFrameId(part.name + "_frame")) for part in t.parts]


def test_poses(case):
    t = case.twins
    for name, frame in _frames(case):
        own, placement = ls.pose(t.system, case.state, name), t.data.oMf[frame]
        assert error(own.rotation, placement.rotation) < TOLERANCE
        assert error(own.position, placement.translation) < TOLERANCE


@pytest.mark.parametrize("axes", ["world", "body"])
def test_velocities_and_jacobians(case, axes):
    t = case.twins
    reference = {"world": "LOCAL_WORLD_ALIGNED", "body": "LOCAL"}[axes]
    reference = getattr(t.pin.ReferenceFrame, reference)
    for name, frame in _frames(case):
        velocity = t.pin.getFrameVelocity(t.model, t.data, frame, reference).vector[SWAP]
        own = ls.velocity(t.system, case.state, name, axes=axes)
        assert error(own, velocity) < TOLERANCE
        jacobian = t.pin.getFrameJacobian(t.model, t.data, frame, reference)[SWAP]
        own = ls.jacobian(t.system, case.state, name, axes=axes)[:, t.v_index]
        assert error(own, jacobian) < TOLERANCE


@pytest.mark.parametrize("axes", ["world", "body"])
def test_accelerations_are_the_classical_ones(case, axes):
    t = case.twins
    reference = {"world": "LOCAL_WORLD_ALIGNED", "body": "LOCAL"}[axes]
    reference = getattr(t.pin.ReferenceFrame, reference)
    vdot = case.random_speeds()
    for name, frame in _frames(case, vdot):
        expected = t.pin.getFrameClassicalAcceleration(t.model, t.data, frame, reference)
        own = ls.acceleration(t.system, case.state, name, t.to_lissom(vdot), axes=axes)
        assert error(own, expected.vector[SWAP]) < TOLERANCE


@pytest.fixture(scope="module", params=range(5))
def robot(request) -> Robot:
    mujoco = peer("mujoco")
    m = mujoco.MjModel.from_xml_string(ROBOT)
    d = mujoco.MjData(m)
    system = robot_system(mujoco, m)
    state = random_state(system, np.random.default_rng(request.param))
    assert system.names == tuple(ROBOT_JOINTS)
    R, omega, v = matrix_of(mujoco, state["hub"][:4]), state.v[:3], state.v[3:6]
    turn, drift = np.eye(system.n_v), np.zeros(system.n_v)
    turn[:6, :6] = 0
    turn[:3, 3:6], turn[3:6, :3] = R, np.eye(3)
    drift[:3] = R @ np.cross(omega, v)
    d.qpos[:] = state.q
    d.qpos[:7] = np.r_[state["hub"][4:], state["hub"][:4]]
    d.qvel[:] = turn @ state.v
    mujoco.mj_forward(m, d)
    assert d.nefc == 0 and d.ncon == 0
    return Robot(mujoco, m, d, system, state, turn, drift)


def test_mujoco_mass_matrix(robot):
    expected = robot.turn.T @ robot.mass @ robot.turn
    root = np.sqrt(np.diag(expected))
    own = ls.mass_matrix(robot.system, robot.state)
    assert error(own, expected, 1 / np.outer(root, root)) < TOLERANCE


def test_mujoco_bias_force(robot):
    expected = robot.turn.T @ (robot.data.qfrc_bias + robot.mass @ robot.drift)
    own = ls.bias_force(robot.system, robot.state)
    root = np.sqrt(np.diag(ls.mass_matrix(robot.system, robot.state)))
    assert error(own, expected, 1 / root) < TOLERANCE


@pytest.mark.parametrize("method", ["articulated", "composite"])
def test_mujoco_accelerations(robot, method):
    forces = np.random.default_rng(7).standard_normal(robot.system.n_v)
    robot.data.qfrc_applied[:] = np.linalg.solve(robot.turn.T, forces)
    robot.mujoco.mj_forward(robot.model, robot.data)
    vdot = ls.forward_dynamics(robot.system, robot.state, forces, method=method)
    mass = ls.mass_matrix(robot.system, robot.state)
    root = np.sqrt(np.diag(robot.mass))
    own = robot.turn @ vdot + robot.drift
    assert error(own, robot.data.qacc, root) < forward_tolerance(mass)


def test_mujoco_poses(robot):
    for name in ROBOT_JOINTS:
        own, body = ls.pose(robot.system, robot.state, name), robot.data.body(name)
        assert error(own.position, body.xpos) < TOLERANCE
        assert error(own.rotation, body.xmat.reshape(3, 3)) < TOLERANCE


def test_mujoco_momentum(robot):
    robot.mujoco.mj_subtreeVel(robot.model, robot.data)
    d, world = robot.data, 0
    own = ls.momentum(robot.system, robot.state, about=d.subtree_com[world])
    mass = sum(body.mass for body in robot.system.bodies)
    assert error(own[:3], d.subtree_angmom[world]) < TOLERANCE
    assert error(own[3:], mass * d.subtree_linvel[world]) < TOLERANCE
    assert error(ls.center_of_mass(robot.system, robot.state), d.subtree_com[world]) < TOLERANCE
