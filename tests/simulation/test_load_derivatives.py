"""Derivatives of the forces of loads: closed forms, and differences of the forces themselves."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from lissom.algorithms.tree.coordinates import moved
from tests.samples.four_bars import four_bar_of_joins

RNG = np.random.default_rng(7)


def skew(x):
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def two_free_bodies():
    model = ls.Model("pair")
    model.add(ls.RigidBody.box(3.0, (1.0, 0.3, 0.2)), ls.Free(), name="a")
    model.add(ls.RigidBody.box(1.0, (0.2, 0.3, 0.2)), ls.Free(), name="b")
    return model.compile()


def differences(system, state, loads, forces=None, spacing=2e-4):
    """dT/dq and dT/dv by Richardson extrapolation of the forces."""

    def of(q, v):
        return ls.load_derivatives(system, system.state(q, v), loads, forces=forces).forces

    def slope(f):
        central = [(f(h) - f(-h)) / (2 * h) for h in (spacing, 2 * spacing)]
        return (4 * central[0] - central[1]) / 3

    q, v = state.raw_q, state.raw_v
    by_q = [slope(lambda h, e=e: of(moved(system, q, h * e), v)) for e in np.eye(system.n_v)]
    by_v = [slope(lambda h, e=e: of(q, v + h * e)) for e in np.eye(system.n_v)]
    return np.array(by_q).T, np.array(by_v).T


def test_a_spring_between_two_bodies_has_its_textbook_stiffness():
    """-dT/dx = k n n^T + (f / l)(1 - n n^T), and the force turns against the axes of its body."""
    system = two_free_bodies()
    x_a, x_b, k, rest = np.array([0.1, -0.4, 0.2]), np.array([1.0, 0.5, -0.7]), 800.0, 0.6
    state = system.state([1, 0, 0, 0, *x_a, 1, 0, 0, 0, *x_b], np.zeros(12))
    found = ls.load_derivatives(system, state, [ls.NodeSpring("a", "b", k, length=rest)])
    d = x_b - x_a
    length = np.linalg.norm(d)
    n, pull = d / length, k * (length - rest)
    K = k * np.outer(n, n) + pull / length * (np.eye(3) - np.outer(n, n))
    assert np.allclose(found.forces, [0, 0, 0, *(pull * n), 0, 0, 0, *(-pull * n)], atol=1e-12)
    assert np.allclose(found.q[3:6, 3:6], -K, rtol=1e-12)
    assert np.allclose(found.q[3:6, 9:], K, rtol=1e-12)
    assert np.allclose(found.q[3:6, :3], skew(pull * n), atol=1e-9 * k)
    assert np.allclose(found.q[:3], 0, atol=1e-9 * k)
    assert not np.any(found.v)


def test_a_damper_between_two_bodies_damps_along_its_line():
    system = two_free_bodies()
    x_b = np.array([1.0, 0.5, -0.7])
    v = RNG.standard_normal(12)
    v[:3] = v[6:9] = 0.0
    state = system.state([1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, *x_b], v)
    damper = ls.NodeSpring("a", "b", damping=30.0)
    found = ls.load_derivatives(system, state, [damper])
    length = np.linalg.norm(x_b)
    n, across = x_b / length, np.eye(3) - np.outer(x_b, x_b) / length**2
    rate = v[9:] - v[3:6]
    C = 30.0 * np.outer(n, n)
    K = 30.0 * (np.outer(n, across @ rate) + (n @ rate) * across) / length
    assert np.allclose(found.v[3:6, 9:], C, rtol=1e-12)
    assert np.allclose(found.q[3:6, 9:], K, rtol=1e-9)


def test_a_force_that_keeps_its_direction_has_the_stiffness_of_a_pendulum():
    """A weight m g at the end of an arm: -dT/dq = m g l cos(q)."""
    model = ls.Model("pendulum")
    model.add(ls.RigidBody.box(1.0, (1, 0.1, 0.1)), ls.Revolute("y"), name="arm")
    system = model.compile()
    for angle in (0.0, 0.7, -2.0):
        state, at = system.state(arm=angle), (0, 0, -1.5)
        weight = ls.NodeForce("arm", (0, 0, -20.0), at=at)
        found = ls.load_derivatives(system, state, [weight])
        assert np.allclose(found.forces, -30.0 * np.sin(angle), atol=1e-12)
        assert np.allclose(found.q, -30.0 * np.cos(angle), atol=1e-9)
        follower = ls.NodeForce("arm", (0, 0, -20.0), at=at, axes="body")
        assert np.allclose(ls.load_derivatives(system, state, [follower]).q, 0, atol=1e-9)


def flexible_tree(gravity=(0, 0, -9.81)):
    boom = ls.beam(1.0, ls.Tube(radius=0.03, thickness=0.004), ls.CARBON, bending=2)
    model = ls.Model("tree", gravity=gravity)
    model.add(ls.RigidBody.box(3.0, (1.0, 0.3, 0.2)), ls.Free(), name="a")
    model.add(boom, ls.Revolute("y"), to="a", at=(0.3, 0.1, 0), name="b")
    model.add(ls.RigidBody.box(1.0, (0.2, 0.3, 0.2)), ls.Spherical(), to="b.tip", name="c")
    model.add(boom, ls.Prismatic("x"), to="c", name="d")
    system = model.compile()
    q = moved(system, system.neutral().raw_q, 0.3 * RNG.standard_normal(system.n_v))
    return system, system.state(q, RNG.standard_normal(system.n_v))


def pull(time, state):
    return np.array([np.sin(2 * state.v[3]), state.q[5] ** 2, state.q[2] * state.v[1]])


LOADS = {
    "spring to the world": [
        ls.NodeSpring("a", (0.2, 0.3, 1), 300.0, damping=20.0, length=0.4, at_a=(0.1, 0.2, 0.3))
    ],
    "spring between flexible bodies": [
        ls.NodeSpring("b.tip", "d.tip", 500.0, damping=11.0, length=0.3, at_b=(0, 0.1, 0.02))
    ],
    "forces on nodes": [
        ls.NodeForce("d.tip", (3, 4, 5.0), (1, 2, 3), at=(0.1, 0.2, 0.3)),
        ls.NodeForce("b.tip", (3, 4, 5.0), (1, 2, -3), axes="body", at=(0.1, -0.2, 0.3)),
    ],
    "functions on nodes": [
        ls.NodeForce("c", pull, axes="body", at=(0.1, -0.2, 0.3)),
        ls.NodeForce("d.tip", pull, at=(0.1, -0.2, 0.3)),
    ],
    "springs of balls": [
        ls.JointSpring("a", (30.0, 40.0), damping=2.0),
        ls.JointSpring("c", 77.0, damping=3.0),
    ],
    "loads on hinges": [
        ls.JointFriction("b", 5.0, speed=0.3),
        ls.JointStop("b", -0.01, 0.01, stiffness=100, damping=0.3),
        ls.Servo("d", 0.3, kp=40.0, kd=4.0, ki=3.0, integral=0.2, limit=90.0),
        ls.JointDamper("d", 7.0),
    ],
}


@pytest.mark.parametrize("loads", LOADS.values(), ids=LOADS.keys())
def test_derivatives_are_those_of_the_forces(loads):
    system, state = flexible_tree()
    found = ls.load_derivatives(system, state, loads)
    by_q, by_v = differences(system, state, loads)
    assert np.abs(by_q).max() > 1
    assert np.abs(found.q - by_q).max() < 1e-8 * np.abs(by_q).max()
    assert np.abs(found.v - by_v).max() < 1e-8 * max(1.0, np.abs(by_v).max())


def test_gains_of_a_function_are_found():
    system, state = flexible_tree()
    n = system.n_v
    P, D = RNG.standard_normal((2, n, n))
    hinges = np.r_[6:10]

    def control(time, state):
        return P[:, hinges] @ state.v[hinges] ** 2 / 2 - D @ state.v

    found = ls.load_derivatives(system, state, forces=control)
    expected = -D
    expected[:, hinges] += P[:, hinges] * state.v[hinges]
    assert np.allclose(found.v, expected, rtol=1e-8, atol=1e-8)
    assert np.allclose(found.q, 0, atol=1e-8)


def test_loads_on_the_joint_of_a_loop():
    system = four_bar_of_joins().compile()
    loop = system.loops[0].name
    state = system.state(RNG.standard_normal(system.n_q), RNG.standard_normal(system.n_v))
    loads = [
        ls.JointSpring(loop, 50.0, damping=4.0),
        ls.NodeSpring("crank", (0.3, 0.1, 2.0), 70.0, damping=3.0, length=0.2),
    ]
    found = ls.load_derivatives(system, state, loads)
    by_q, by_v = differences(system, state, loads)
    assert np.abs(by_q).max() > 1
    assert np.abs(found.q - by_q).max() < 1e-8 * np.abs(by_q).max()
    assert np.abs(found.v - by_v).max() < 1e-8 * np.abs(by_v).max()


def test_a_wheel_at_given_speed_has_the_matrix_of_its_momentum():
    """Moment -omega x h: its derivative by omega is [h]x."""
    system = two_free_bodies()
    state = system.state(system.neutral().q, RNG.standard_normal(12))
    found = ls.load_derivatives(system, state, [ls.Rotor("a", 0.3, 50.0, axis=(0, 0.6, 0.8))])
    h = 15.0 * np.array([0, 0.6, 0.8])
    assert np.allclose(found.v[:3, :3], skew(h), atol=1e-10)
    assert np.allclose(found.forces[:3], -np.cross(state.v[:3], h), atol=1e-12)
    assert np.allclose(found.q, 0, atol=1e-10)


def test_a_point_mass_in_a_central_field_has_its_gradient():
    """-dT/dx = mu m (1 - 3 n n^T) / r^3."""
    model = ls.Model("mass")
    model.add(ls.RigidBody(2.0), ls.Prismatic("x"), name="x")
    system = model.compile()
    found = ls.load_derivatives(
        system, system.state(x=1.0), [ls.CentralGravity(400.0, center=(4.0, 4.0, 0.0))]
    )
    r = 5.0  # (3, 4, 0) away
    assert found.forces[0] == pytest.approx(400.0 * 2.0 * 3.0 / r**3, rel=1e-12)
    assert found.q[0, 0] == pytest.approx(-800.0 * (1 - 3 * 0.36) / r**3, rel=1e-9)


def test_derivatives_of_fields_and_geared_rotors_are_those_of_the_forces():
    system, state = flexible_tree(gravity=(0, 0, 0))
    loads = [
        ls.CentralGravity(400.0, center=(3, 4, 12)),
        ls.Rotor("b", 0.1, axis="x", geared_to="b", ratio=40.0),
        ls.NodeSpring("b.tip", "d.tip", 500.0, damping=11.0, length=0.3),
    ]
    found = ls.load_derivatives(system, state, loads)
    by_q, by_v = differences(system, state, loads)
    assert np.abs(found.q - by_q).max() < 1e-8 * np.abs(by_q).max()
    assert np.abs(found.v - by_v).max() < 1e-8 * np.abs(by_v).max()


def test_a_function_that_fails_is_named():
    system, state = flexible_tree()

    def broken(time, state):
        raise ValueError("no gains")

    with pytest.raises(ls.LoadError, match="no gains"):
        ls.load_derivatives(system, state, forces=broken)
