"""Loop forces against statics and Newton-Euler by hand; momentum of a free closed mechanism."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from tests.loop_oracles.stewart import Stewart
from tests.samples.loop_mechanisms import rod, stewart_platform, stewart_state

METHODS = ("auto", "articulated", "composite", "reference")


# Statics: two rods lean on each other

GRAVITY = 9.81


@pytest.mark.parametrize("half, height, load", [(0.8, 0.6, 0.0), (0.5, 1.2, 70.0)])
def test_force_in_the_apex_of_two_leaning_rods(half, height, load):
    """Moments about both feet: Y = -W/2 and X = half (W + m g) / (2 height) on the second rod."""
    length, mass = np.hypot(half, height), 3.0
    angle = np.arctan2(height, half)
    model = ls.Model("truss", gravity=(0, -GRAVITY, 0))
    model.add(rod(mass, length), ls.Revolute("z"), name="first", at=(-half, 0, 0))
    model.add(rod(mass, length), ls.Revolute("z"), name="second", at=(half, 0, 0))
    tip = (length, 0, 0)
    model.close(ls.Revolute("z"), "first", "second", at_a=tip, at_b=tip, name="apex")
    system = model.compile()
    state = system.state(first=angle, second=np.pi - angle)
    # W on the first rod's tip, as a force and a moment on its origin, in its axes
    down = np.array([-np.sin(angle), -np.cos(angle), 0.0]) * load
    external = {"first": [0, 0, length * down[1], *down]}
    X = half * (load + mass * GRAVITY) / (2 * height)
    expected = np.array([X, -load / 2, 0.0])
    [wrench] = ls.loop_forces(system, state, external=external)
    on_second = ls.pose(system, state, "second").rotation @ wrench[3:]
    assert np.abs(on_second - expected).max() < 1e-12 * X
    assert np.abs(wrench[:3]).max() < 1e-12 * X
    for method in METHODS:
        vdot = ls.forward_dynamics(system, state, external=external, method=method)
        assert np.abs(vdot).max() < 1e-12 * GRAVITY / length * 10
    run = ls.simulate(system, state, duration=0.5, loads=[])
    assert np.abs(run.q - state.q).max() < 1e-12  # it stands
    force = run["apex.force"][-1]
    assert np.linalg.norm(force) == pytest.approx(half * mass * GRAVITY / (2 * height), rel=1e-9)


def test_weight_of_a_table_is_shared_in_the_least_norm_sense():
    """A plate on one leg, held by three more alike: each carries a quarter (hand: symmetry).

    Four welds leave the shares open; the smallest forces are the equal ones.
    """
    model = ls.Model("table", gravity=(0, 0, -GRAVITY))
    model.add(ls.RigidBody(8.0, inertia=(1, 1, 2)), ls.Free(), name="plate")
    for k, (x, y) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        place = {"at_a": (x, y, 0), "at_b": (x, y, 0)}
        model.close(ls.Spherical(), None, "plate", name=f"leg{k}", **place)
    system = model.compile()
    forces = ls.loop_forces(system, system.neutral())
    expected = np.tile([0, 0, 0, 0, 0, 2 * GRAVITY], (4, 1))
    assert np.abs(forces - expected).max() < 1e-10


# The Stewart platform

TIMES = (0.0, 0.37, 1.2, 2.9)


@pytest.mark.parametrize("time", TIMES)
def test_actuator_forces_of_the_stewart_platform_cause_its_motion(time):
    """Leg forces by Newton and Euler put into forward dynamics give the motion back."""
    values = Stewart()
    system = stewart_platform(values)
    q, v, a = values.motion(time)
    forces, on_platform = values.forces(time)
    state = stewart_state(system, q, v)
    given = {f"upper{i}": force for i, force in enumerate(forces)}
    expected = stewart_state(system, q, a).v
    for method in METHODS:
        vdot = ls.forward_dynamics(system, state, given, method=method)
        assert np.abs(vdot - expected).max() < 1e-10 * np.abs(expected).max()
    wrenches = ls.loop_forces(system, state, given)
    turned = wrenches[:, 3:] @ ls.pose(system, state, "platform").rotation.T
    assert np.abs(turned - on_platform).max() < 1e-10 * np.abs(on_platform).max()
    assert np.abs(wrenches[:, :3]).max() < 1e-10 * np.abs(on_platform).max()


@pytest.mark.parametrize("time", TIMES)
def test_inverse_dynamics_of_the_stewart_platform_gives_its_leg_forces(time):
    values = Stewart()
    system = stewart_platform(values)
    q, v, a = values.motion(time)
    state, acceleration = stewart_state(system, q, v), stewart_state(system, q, a).v
    legs = [f"upper{i}" for i in range(6)]
    found = ls.inverse_dynamics(system, state, acceleration, actuated=legs)
    expected, _ = values.forces(time)
    rows = [system.layout.hinge_v(leg).start for leg in legs]
    size = np.abs(expected).max()
    assert np.abs(found[rows] - expected).max() < 1e-10 * size
    assert np.abs(np.delete(found, rows)).max() < 1e-10 * size


def test_stewart_platform_follows_its_motion_under_the_leg_forces():
    """Half a second of the motion; nothing but the forces of the oracle drives it."""
    values, duration = Stewart(), 0.5
    system = stewart_platform(values)
    rows = [system.layout.hinge_v(f"upper{i}").start for i in range(6)]

    def push(t, state):
        forces = np.zeros(system.n_v)
        forces[rows] = values.forces(t)[0]
        return forces

    q, v, _ = values.motion(0.0)
    start = stewart_state(system, q, v)
    run = ls.simulate(system, start, duration=duration, step=5e-3, integrator="dop853", forces=push)
    q, v, _ = values.motion(duration)
    end = stewart_state(system, q, v)
    assert np.abs(run.q[-1] - end.q).max() < 1e-8
    assert np.abs(run.v[-1] - end.v).max() < 1e-7


# Momentum of a closed mechanism that floats freely


def test_floating_four_bar_keeps_momentum_and_energy():
    """A free hub with two rods and a bar between them by ball joints, in space."""
    model = ls.Model("floating")
    hub = ls.RigidBody(3.0, (0.1, 0.05, 0), (0.4, 0.5, 0.6))
    model.add(hub, ls.Free(), name="hub")
    model.add(rod(0.8, 0.7), ls.Revolute((0.2, 0, 1)), to="hub", at=(0, 0.4, 0), name="a")
    model.add(rod(0.6, 0.9), ls.Revolute((0, -0.1, 1)), to="hub", at=(0, -0.4, 0), name="b")
    bar = ls.RigidBody(0.5, (0.4, 0, 0), (0.002, 0.03, 0.03))
    model.add(bar, ls.Spherical(), to="a", at=(0.7, 0, 0), name="bar")
    model.close(ls.Spherical(), "bar", "b", at_a=(0.8, 0, 0), at_b=(0.9, 0, 0), name="end")
    system = model.compile()
    start = system.state(
        a=0.3,
        b=-0.2,
        bar=[np.sqrt(0.5), 0, 0, -np.sqrt(0.5)],
        **{"hub.rates": [1.0, 0.5, -0.7, 0.2, 0, 0.1], "a.rates": 3.0, "bar.rates": [2.0, 1, 0]},
    )
    state = ls.assemble(system, start)
    run = ls.simulate(system, state, duration=5.0, output_step=0.05, rtol=1e-10)
    momentum, energy = run.momentum(), run.energy.total
    assert np.ptp(run["a"]) > 0.5
    for part in (slice(0, 3), slice(3, 6)):
        size = np.linalg.norm(momentum[0, part])
        assert np.abs(momentum[:, part] - momentum[0, part]).max() < 1e-9 * size
    assert np.ptp(energy) < 1e-9 * energy[0]
    assert np.abs(run["end.gap"]).max() < 1e-11
