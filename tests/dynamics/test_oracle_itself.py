"""The oracle against results that are known without it."""

import numpy as np
import pytest

from tests.oracle import Body, Joint, Link, Mechanism, Oracle, particle, rigid_body, six_particles
from tests.oracle.description import LINEAR, skew
from tests.oracle.random_joints import SUBGROUPS, random_coordinates, random_map, random_rotation
from tests.oracle.random_mechanism import draw, with_level

INERTIA = np.array([[2.0, 0.2, -0.1], [0.2, 2.5, 0.3], [-0.1, 0.3, 1.8]])
OMEGA = np.array([0.4, -1.1, 0.7])


def quaternion(rng):
    p = rng.normal(size=4)
    return p / np.linalg.norm(p)


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-12)


def test_six_particles_have_the_given_mass_centre_and_inertia():
    com = np.array([0.3, -0.2, 0.5])
    cloud = six_particles(3.0, com, INERTIA)
    arms = cloud.offsets - com
    close(cloud.masses.sum(), 3.0)
    close(cloud.masses @ cloud.offsets, 3.0 * com)
    inertia = sum(-m * skew(a) @ skew(a) for m, a in zip(cloud.masses, arms, strict=True))
    close(inertia, INERTIA)


def test_six_particles_refuse_an_impossible_inertia():
    with pytest.raises(ValueError, match="no particles"):
        six_particles(1.0, np.zeros(3), np.diag([1.0, 1.0, 3.0]))


def test_planar_double_pendulum():
    """Angles from x, the second relative to the first; gravity along -y."""
    m1, m2, l1, l2, g = 1.3, 0.7, 0.9, 1.4, 9.81
    first = rigid_body("first", particle(m1, (l1, 0, 0)))
    second = rigid_body("second", particle(m2, (l2, 0, 0)))
    links = (Link(first, Joint("revolute", "z")),)
    links += (Link(second, Joint("revolute", "z"), parent=0, at=np.array([l1, 0, 0])),)
    (q1, q2), (v1, v2) = q, v = np.array([0.4, -1.1]), np.array([0.8, 1.7])
    snapshot = Oracle(Mechanism(links, np.array([0, -g, 0]))).at(q, v)
    c2, s2, c1, c12 = np.cos(q2), np.sin(q2), np.cos(q1), np.cos(q1 + q2)
    cross = m2 * l2**2 + m2 * l1 * l2 * c2
    m11 = (m1 + m2) * l1**2 + m2 * l2**2 + 2 * m2 * l1 * l2 * c2
    close(snapshot.mass_matrix, [[m11, cross], [cross, m2 * l2**2]])
    centrifugal = m2 * l1 * l2 * s2 * np.array([-(2 * v1 * v2 + v2**2), v1**2])
    weight = g * np.array([(m1 + m2) * l1 * c1 + m2 * l2 * c12, m2 * l2 * c12])
    close(snapshot.gravity_force, weight)
    close(snapshot.bias_force, centrifugal + weight)
    height = (m1 + m2) * l1 * np.sin(q1) + m2 * l2 * np.sin(q1 + q2)
    close(snapshot.potential_energy, g * height)


def test_a_free_body_obeys_newton_and_euler():
    body = rigid_body("body", six_particles(3.0, np.zeros(3), INERTIA))
    rng = np.random.default_rng(1)
    velocity = np.array([1.0, 2.0, -0.5])
    q, v = np.concatenate([quaternion(rng), rng.normal(size=3)]), np.concatenate([OMEGA, velocity])
    snapshot = Oracle(Mechanism((Link(body, Joint("free")),))).at(q, v)
    mass = np.block([[INERTIA, np.zeros((3, 3))], [np.zeros((3, 3)), 3 * np.eye(3)]])
    close(snapshot.mass_matrix, mass)
    close(snapshot.bias_force[:3], np.cross(OMEGA, INERTIA @ OMEGA))
    close(snapshot.bias_force[3:], 3 * np.cross(OMEGA, velocity))
    close(snapshot.frames[0, None].velocity(v, "body"), v)
    close(snapshot.qdot[4:], snapshot.frames[0, None].rotation @ velocity)


def test_a_spherical_pendulum():
    """Euler's equation about the pivot: J ω̇ + ω × J ω = c × R'mg."""
    mass, com, gravity = 2.0, np.array([0.1, -0.4, 0.6]), np.array([1.0, -3.0, -8.0])
    body = rigid_body("bob", six_particles(mass, com, INERTIA))
    link = Link(body, Joint("spherical"), rotation=random_rotation(np.random.default_rng(2)))
    q = quaternion(np.random.default_rng(3))
    snapshot = Oracle(Mechanism((link,), gravity)).at(q, OMEGA)
    about_pivot = INERTIA - mass * skew(com) @ skew(com)
    weight = snapshot.frames[0, None].rotation.T @ (mass * gravity)
    close(snapshot.mass_matrix, about_pivot)
    gyroscopic = np.cross(OMEGA, about_pivot @ OMEGA)
    close(snapshot.bias_force, gyroscopic - np.cross(com, weight))
    close(np.linalg.norm(q + 1e-6 * snapshot.qdot), 1)


def test_a_screw_on_the_ground():
    mass, pitch = 2.0, 0.3
    body = rigid_body("nut", six_particles(mass, np.zeros(3), INERTIA))
    link = Link(body, Joint("screw", "z", pitch=pitch))
    snapshot = Oracle(Mechanism((link,), np.array([0, 0, -9.0]))).at([1.2], [0.7])
    close(snapshot.mass_matrix, [[INERTIA[2, 2] + mass * pitch**2]])
    close(snapshot.bias_force, [9.0 * mass * pitch])
    close(snapshot.frames[0, None].position, [0, 0, 1.2 * pitch])
    close(snapshot.frames[0, None].velocity(np.array([0.7])), [0, 0, 0.7, 0, 0, 0.7 * pitch])


def one_mode_cantilever(level):
    """A particle at (length, eta) on a massless beam that turns about z."""
    shapes = np.zeros((2, 6, 1))
    shapes[1, 4, 0] = 1.0
    shapes[1, 2, 0] = 0.8
    return Body(
        "beam",
        {1: particle(1.5)},
        positions=np.array([[0, 0, 0], [2.0, 0, 0]]),
        shapes=shapes,
        stiffness=np.array([[40.0]]),
        damping=np.array([[0.6]]),
        level=level,
    )


@pytest.mark.parametrize("level", ["full", "linear"])
def test_a_cantilever_with_one_mode(level):
    """Lagrange: 2T = m (η² ω² + (L ω + η̇)²); at level linear, that of η = 0."""
    m, length, eta, rate, omega = 1.5, 2.0, 0.2, -0.7, 1.3
    mechanism = Mechanism((Link(one_mode_cantilever(level), Joint("revolute", "z")),))
    snapshot = Oracle(mechanism).at([eta, 0.5], [rate, omega])
    kept = eta if level == "full" else 0.0
    close(snapshot.mass_matrix, m * np.array([[1, length], [length, length**2 + kept**2]]))
    elastic = 40.0 * eta + 0.6 * rate
    close(snapshot.bias_force, [elastic - m * kept * omega**2, 2 * m * kept * rate * omega])
    close(snapshot.strain_energy, 20 * eta**2)
    tip = snapshot.frames[0, 1]
    turn = 0.5 + 0.8 * eta
    close(tip.rotation[:, 0], [np.cos(turn), np.sin(turn), 0])
    close(tip.velocity(snapshot.v)[2], omega + 0.8 * rate)


def test_the_universal_joint_of_three_frames():
    """The joint with three axes (E 35a)."""
    maps = tuple(column[:, None] for column in np.eye(6)[:3])
    body = rigid_body("body", six_particles(1.0, np.zeros(3), INERTIA))
    t1, t2, _ = q = np.array([0.4, -0.8, 1.1])
    snapshot = Oracle(Mechanism((Link(body, Joint("compound", maps=maps)),))).at(q, OMEGA)
    s1, c1, s2, c2 = np.sin(t1), np.cos(t1), np.sin(t2), np.cos(t2)
    expected = [[1, 0, -s2], [0, c1, c2 * s1], [0, -s1, c1 * c2]]
    close(snapshot.frames[0, None].jacobian("body")[:3], expected)
    close(snapshot.qdot, OMEGA)


def test_the_kinematics_of_three_rotations():
    """The same paper, Table II: the spherical joint's Γ."""
    body = rigid_body("body", six_particles(1.0, np.zeros(3), INERTIA))
    y1, y2, _ = q = np.array([0.4, -0.8, 1.1])
    joint = Joint("simple", maps=(np.eye(6)[:, :3],))
    snapshot = Oracle(Mechanism((Link(body, joint),))).at(q, OMEGA)
    s1, c1 = np.sin(y1), np.cos(y1)
    tangent, secant = np.tan(y2), 1 / np.cos(y2)
    gamma = [[1, s1 * tangent, c1 * tangent], [0, c1, -s1], [0, secant * s1, secant * c1]]
    close(snapshot.coordinate_map, gamma)
    close(snapshot.mass_matrix, INERTIA)
    close(snapshot.bias_force, np.cross(OMEGA, INERTIA @ OMEGA))


@pytest.mark.parametrize("name", SUBGROUPS)
def test_a_simple_joint_moves_by_its_constant_map(name):
    """In the child's axes X⁻¹ Xdot = H β, at any coordinates."""
    rng = np.random.default_rng(4)
    joint = Joint("simple", maps=(random_map(rng, name),))
    body = rigid_body("body", six_particles(1.0, np.zeros(3), INERTIA))
    q = random_coordinates(rng, joint)
    snapshot = Oracle(Mechanism((Link(body, joint),))).at(q, np.ones(len(q)))
    np.testing.assert_allclose(snapshot.frames[0, None].jacobian("body"), joint.maps[0], atol=1e-11)


def random_snapshot(seed, level=None):
    description = draw(seed)
    if level is not None:
        description = with_level(description, level)
    transforms = description.own_transforms()
    oracle = Oracle(description.mechanism(transforms))
    return description, oracle.at(*description.state(transforms))


def moved(now, vdot, h):
    """The snapshot a short time h later, to second order in h."""
    early = now.oracle.at(now.q + h / 2 * now.qdot, now.v + h / 2 * vdot)
    return now.oracle.at(now.q + h * early.qdot, now.v + h * vdot)


@pytest.mark.parametrize("seed", range(8))
def test_the_work_of_all_forces_is_the_change_of_energy(seed):
    """At level full: v·(bias + M vdot) = dE/dt + v·C v, with dE/dt by central differences."""
    description, now = random_snapshot(seed, "full")
    vdot, step = description.acceleration, 1e-5

    def total(h):
        there = moved(now, vdot, h)
        return there.kinetic_energy + there.potential_energy + there.strain_energy

    rate = (total(step) - total(-step)) / (2 * step)
    slices = now.oracle.layout.modal_v
    damped = sum(
        now.v[part] @ link.body.damping @ now.v[part]
        for part, link in zip(slices, now.links, strict=True)
    )
    power = now.v @ now.inverse_dynamics(vdot)
    scale = np.abs(now.v) @ now.force_scale(vdot)
    assert abs(power - rate - damped) < 1e-7 * scale


@pytest.mark.parametrize("seed", range(4))
def test_velocity_and_acceleration_of_frames_are_derivatives(seed):
    """By central differences of rotation, position and velocity."""
    description, now = random_snapshot(seed)
    vdot, step = description.acceleration, 1e-5
    later, sooner = (moved(now, vdot, h) for h in (step, -step))
    for key, frame in now.frames.items():
        after, before = later.frames[key], sooner.frames[key]
        velocity, rates = frame.velocity(now.v), np.abs(frame.world_jacobian) @ np.abs(now.v)
        spin = (after.rotation - before.rotation) / (2 * step) @ frame.rotation.T
        np.testing.assert_allclose(spin, skew(velocity[:3]), atol=1e-7 * (1 + rates.max()) ** 2)
        speed = (after.position - before.position) / (2 * step)
        np.testing.assert_allclose(speed, velocity[3:], atol=1e-7 * (1 + rates.max()) ** 2)
        change = (after.velocity(later.v) - before.velocity(sooner.v)) / (2 * step)
        tolerance = 1e-6 * (1 + rates.max()) ** 3
        np.testing.assert_allclose(change, frame.acceleration(vdot), atol=tolerance)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("level", ["full", "linear"])
def test_joint_forces_do_the_work_of_the_hinge_forces(seed, level):
    """A hinge's generalized force is the joint's wrench, projected on the motions it allows."""
    description, now = random_snapshot(seed, level)
    vdot, external = description.acceleration, description.external
    forces = now.inverse_dynamics(vdot, external)
    wrenches = now.joint_forces(vdot, external)
    scale = now.force_scale(vdot, external)
    for i in range(len(now.links)):
        hinge = now.oracle.layout.hinge_v[i]
        allowed = now.frames[i, None].jacobian("body")[:, hinge]
        error = np.abs(allowed.T @ wrenches[i] - forces[hinge])
        assert np.all(error <= 1e-10 * (scale[hinge] + np.abs(allowed.T) @ np.abs(wrenches[i])))


@pytest.mark.parametrize("seed", range(4))
def test_a_free_system_gains_the_momentum_it_is_given(seed):
    """Only weight and external wrenches change the momentum of a system on a free base."""
    description, _ = random_snapshot(seed, "full")
    base = description.mechanism(description.own_transforms())
    hub = Link(rigid_body("hub", six_particles(5.0, np.zeros(3), INERTIA)), Joint("free"))
    links = [hub]
    for link in base.links:
        links.append(
            Link(link.body, link.joint, link.parent + 1, link.node, link.at, link.rotation)
        )
    rng = np.random.default_rng(seed)
    q, v = description.state(description.own_transforms())
    q = np.concatenate([quaternion(rng), rng.normal(size=3), q])
    v = np.concatenate([rng.normal(size=6), v])
    oracle = Oracle(Mechanism(tuple(links), base.gravity))
    now, wrench = oracle.at(q, v), rng.normal(size=6)
    forces = np.concatenate([np.zeros(6), description.forces])
    vdot = now.forward_dynamics(forces, {(0, None): wrench})
    step = 1e-5
    later, sooner = (moved(now, vdot, h).momentum() for h in (step, -step))
    frame, mass = now.frames[0, None], oracle.masses.sum()
    moment, force = frame.rotation @ wrench[:3], frame.rotation @ wrench[3:]
    moment = moment + np.cross(frame.position, force)
    moment = moment + np.cross(now.center_of_mass, mass * base.gravity)
    expected = np.concatenate([moment, force + mass * base.gravity])
    scale = np.abs(now.v) @ now.force_scale(vdot) + np.abs(expected).max()
    np.testing.assert_allclose((later - sooner) / (2 * step), expected, rtol=0, atol=1e-6 * scale)


@pytest.mark.parametrize("seed", range(6))
def test_linear_is_full_on_an_undeformed_body(seed):
    description, _ = random_snapshot(seed)
    transforms = description.own_transforms()
    q, v = description.state(transforms)
    snapshots = []
    for level in ("full", LINEAR):
        oracle = Oracle(with_level(description, level).mechanism(transforms))
        for part_q, part_v in zip(oracle.layout.modal_q, oracle.layout.modal_v, strict=True):
            q[part_q], v[part_v] = 0, 0
        snapshots.append(oracle.at(q, v))
    full, linear = snapshots
    scale = full.force_scale(description.acceleration)
    close(linear.mass_matrix, full.mass_matrix)
    assert np.all(np.abs(linear.bias_force - full.bias_force) <= 1e-11 * scale)
    close(linear.momentum(), full.momentum())
    close(linear.potential_energy, full.potential_energy)


def test_a_cloud_on_a_node_is_a_rigid_body_fixed_to_it():
    rng = np.random.default_rng(7)
    cloud = six_particles(0.8, rng.normal(size=3) * 0.2, INERTIA * 0.1)
    shapes = 0.4 * rng.normal(size=(3, 6, 2))
    shapes[0] = 0
    positions = np.array([[0, 0, 0], [1.0, 0.2, 0], [2.0, 0, 0.1]])
    stiffness, damping = np.diag([30.0, 50.0]), np.zeros((2, 2))
    middle = {1: particle(1.0)}
    carrying = Body("beam", {**middle, 2: cloud}, positions, shapes, stiffness, damping)
    without_tip = Body("beam", middle, positions, shapes, stiffness, damping)
    tip = Link(rigid_body("tip", cloud), Joint("fixed"), parent=0, node=2)
    gravity = np.array([1.0, -9.0, 2.0])
    q, v = np.array([0.1, -0.2, 0.7]), np.array([0.4, 0.5, -1.2])
    one = Oracle(Mechanism((Link(carrying, Joint("revolute", "y")),), gravity)).at(q, v)
    two = Oracle(Mechanism((Link(without_tip, Joint("revolute", "y")), tip), gravity)).at(q, v)
    close(one.mass_matrix, two.mass_matrix)
    close(one.bias_force, two.bias_force)
