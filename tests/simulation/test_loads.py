"""Springs, dampers, friction, stops and motors on joints against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from tests.references.analytic_motions import matrices, oscillator, quaternion

GRAVITY = 9.81
MASS, INERTIA = 2.0, 0.35


def single(joint, *, gravity=(0, 0, 0), mass=MASS, com=(0, 0, 0), inertia=INERTIA):
    model = ls.Model("single", gravity=gravity)
    model.add(
        ls.RigidBody(mass, com=com, inertia=inertia * np.eye(3)), joint, name="b", at=(1, 2, 3)
    )
    return model.compile()


# Integrator, settings and allowed error: the order of the step times the rates of about 3 rad/s.
WAYS = [
    ("dop853", {"rtol": 1e-11}, 1e-9),
    ("dopri5", {"rtol": 1e-10}, 1e-8),
    ("rk4", {"step": 5e-3}, 1e-7),
    ("generalized_alpha", {"step": 1e-3}, 1e-4),
    ("linearly_implicit_euler", {"step": 1e-3}, 2e-2),
    ("euler_cromer", {"step": 1e-3}, 2e-2),
]
WAY_IDS = [way[0] for way in WAYS]

# Damping ratio below, at and above one
RATIOS = [0.0, 0.1, 1.0, 2.5]


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("integrator, settings, allowed", WAYS, ids=WAY_IDS)
@pytest.mark.parametrize(
    "joint, mass",
    [
        (ls.Revolute((1, 2, 2)), INERTIA),
        (ls.Prismatic((0, 3, 4)), MASS),
        (ls.Screw("z", 0.2), INERTIA + MASS * 0.04),
    ],
    ids=["revolute", "prismatic", "screw"],
)
def test_oscillator_of_one_coordinate(joint, mass, integrator, settings, allowed, ratio):
    stiffness, rest = 5.0, 0.4
    damping = 2 * ratio * np.sqrt(stiffness * mass)
    system = single(joint)
    start = system.state(b=1.0, **{"b.rates": -0.5})
    run = ls.simulate(
        system,
        start,
        duration=4.0,
        integrator=integrator,
        loads=[
            ls.JointSpring("b", stiffness, rest=rest, damping=0.25 * damping),
            ls.JointDamper("b", 0.75 * damping),
        ],
        **settings,
    )
    x, v = oscillator(run.time, 1.0 - rest, -0.5, mass, damping, stiffness)
    rate = max(np.sqrt(stiffness / mass), damping / mass)
    assert np.abs(run.q[:, 0] - rest - x).max() < allowed
    assert np.abs(run.v[:, 0] - v).max() < 3 * rate * allowed


def test_springs_on_each_coordinate_of_a_planar_joint():
    """Three oscillators that do not know of each other: the centre of mass is on the axis."""
    system = single(ls.Planar("z"))
    k, c, rest = np.array([3.0, 7.0, 1.1]), np.array([0.2, 3.0, 0.05]), np.array([0.1, -0.2, 0.3])
    start = system.state(b=[0.5, -0.6, 0.7], **{"b.rates": [1.0, 0.3, -0.8]})
    run = ls.simulate(
        system,
        start,
        duration=5.0,
        rtol=1e-11,
        loads=[ls.JointSpring("b", k, rest=rest, damping=c)],
    )
    for j, mass in enumerate((MASS, MASS, INERTIA)):
        x, v = oscillator(run.time, start.q[j] - rest[j], start.v[j], mass, c[j], k[j])
        assert np.abs(run.q[:, j] - rest[j] - x).max() < 3e-10
        assert np.abs(run.v[:, j] - v).max() < 1e-9


def test_spring_on_a_ball_turns_about_its_own_axis():
    """At rest, turned about one axis of a sphere: the angle is a plain oscillator, also large."""
    system = single(ls.Spherical())
    axis = np.array([1.0, -2.0, 2.0]) / 3
    start = system.state(b=quaternion(axis, 2.8))
    run = ls.simulate(
        system, start, duration=5.0, rtol=1e-11, loads=[ls.JointSpring("b", 0.9, damping=0.1)]
    )
    angle, rate = oscillator(run.time, 2.8, 0.0, INERTIA, 0.1, 0.9)
    expected = np.array([quaternion(axis, x) for x in angle])
    assert np.abs(matrices(run.q) - matrices(expected)).max() < 1e-9
    assert np.abs(run.v - np.outer(rate, axis)).max() < 1e-9


@pytest.mark.parametrize("joint", [ls.Spherical(), ls.Free()], ids=["spherical", "free"])
def test_spring_on_a_quaternion_keeps_energy(joint):
    """Potential k |theta|^2 / 2 of the rotation vector, and k |p|^2 / 2; large turns in space."""
    free = isinstance(joint, ls.Free)
    model = ls.Model("one")
    body = ls.RigidBody(1.5, com=(0.1, -0.2, 0.15), inertia=(0.3, 0.4, 0.6))
    model.add(body, joint, name="b", at=(0.3, 0.1, 0.2), rotation=ls.Universal("x", "y").pose(
        np.array([0.4, 0.9])
    )[0])  # fmt: skip
    system = model.compile()
    place = [*quaternion((1, 2, 3), 1.9), 0.4, -0.3, 0.8][: 7 if free else 4]
    rates = [0.5, -0.4, 0.6, 0.3, 0.2, 0.1][: 6 if free else 3]
    start = system.state(b=place, **{"b.rates": rates})
    stiffness = (3.0, 8.0) if free else 3.0
    run = ls.simulate(
        system, start, duration=6.0, rtol=1e-11, loads=[ls.JointSpring("b", stiffness)]
    )
    theta = 2 * np.arctan2(np.linalg.norm(run.q[:, 1:4], axis=1), np.abs(run.q[:, 0]))
    stored = 1.5 * theta**2 + (4.0 * np.sum(run.q[:, 4:] ** 2, axis=1) if free else 0.0)
    total = run.energy.kinetic + stored
    assert theta.max() < np.pi - 0.2 and np.ptp(stored) > 1.0
    assert np.abs(total - total[0]).max() < 1e-10 * total[0]


def test_spring_on_a_free_joint_pulls_the_origin_back():
    """Centre of mass in the origin, no turning: three equal oscillators along the world's axes."""
    system = single(ls.Free())
    start = system.state(b=[1, 0, 0, 0, 0.3, -0.4, 0.5], **{"b.rates": [0, 0, 0, 0.2, 0.1, -0.7]})
    run = ls.simulate(
        system,
        start,
        duration=4.0,
        rtol=1e-11,
        loads=[ls.JointSpring("b", (1.0, 6.0), damping=(0.1, 0.8))],
    )
    for j in range(3):
        x, v = oscillator(run.time, start.q[4 + j], start.v[3 + j], MASS, 0.8, 6.0)
        assert np.abs(run.q[:, 4 + j] - x).max() < 1e-9
        assert np.abs(run.v[:, 3 + j] - v).max() < 1e-9


# Friction


@pytest.mark.parametrize(
    "integrator, settings", [("dop853", {}), ("generalized_alpha", {"step": 1e-3})]
)
def test_sliding_block_stops_after_its_distance(integrator, settings):
    """v0^2 / (2 mu g); with tanh(v / s) the way is longer by pi^2 s^2 / (12 mu g).

    Way: integral of v / (mu g tanh(v / s)) dv from 0 to v0 = v0^2 / 2 mu g + s^2 pi^2 / (12 mu g).
    """
    mu, v0 = 0.3, 2.0
    system = single(ls.Prismatic("x"))
    ways, speeds = [], (0.1, 0.03)
    for speed in speeds:
        run = ls.simulate(
            system,
            system.state(**{"b.rates": v0}),
            duration=6.0,
            integrator=integrator,
            loads=[ls.JointFriction("b", mu * MASS * GRAVITY, speed=speed)],
            **settings,
        )
        assert abs(run.v[-1, 0]) < 1e-6
        ways.append(run.q[-1, 0])
    exact = v0**2 / (2 * mu * GRAVITY)
    more = np.pi**2 * np.array(speeds) ** 2 / (12 * mu * GRAVITY)
    # generalized-alpha: second order in a force that changes within s / (mu g) = 10 ms
    allowed = 1e-7 if integrator == "dop853" else 2e-4
    np.testing.assert_allclose(ways, exact + more, rtol=0, atol=allowed)


def test_friction_slows_at_a_constant_rate_while_it_slides():
    system = single(ls.Revolute("z"))
    run = ls.simulate(
        system,
        system.state(**{"b.rates": -3.0}),
        duration=1.5,
        rtol=1e-11,
        loads=[ls.JointFriction("b", 0.5, speed=1e-3)],
    )
    assert np.abs(run.v[:, 0] - (-3 + 0.5 / INERTIA * run.time)).max() < 1e-12
    assert np.abs(run["b.force"] - 0.5).max() < 1e-12


# Stops


def test_bounce_on_a_linear_stop_is_half_a_sine():
    """Contact lasts pi sqrt(m / k), the depth is v sqrt(m / k), the speed turns round."""
    system, k, v0 = single(ls.Prismatic("x")), 5e3, 1.5
    touches = [
        ls.Event("b", (), value=0.6, name="upper"),
        ls.Event("b", (), value=-0.4, name="lower"),
    ]
    run = ls.simulate(
        system,
        system.state(**{"b.rates": v0}),
        duration=1.5,
        rtol=1e-11,
        loads=[ls.JointStop("b", -0.4, 0.6, stiffness=k)],
        events=touches,
    )
    rate = np.sqrt(k / MASS)
    contact = np.pi / rate
    starts = [0.6 / v0, 0.6 / v0 + contact + 1.0 / v0]
    expected = [starts[0], starts[0] + contact, starts[1], starts[1] + contact]
    times = [t for t, _ in run.meta["events"]]
    np.testing.assert_allclose(times, expected, rtol=0, atol=1e-9)
    assert abs(run.q.max() - (0.6 + v0 / rate)) < 1e-5  # rows lie a little beside the deepest one
    assert abs(run.q.min() - (-0.4 - v0 / rate)) < 1e-5
    inside = (run.time > expected[0]) & (run.time < expected[1])
    sine = 0.6 + v0 / rate * np.sin(rate * (run.time[inside] - expected[0]))
    assert inside.sum() > 10 and np.abs(run.q[inside, 0] - sine).max() < 1e-10
    assert abs(run.v[-1, 0] - v0) < 1e-10


@pytest.mark.parametrize("side", [1, -1], ids=["upper", "lower"])
@pytest.mark.parametrize("damping", [0.1, 0.4, 1.5])
def test_damped_stop_takes_energy_as_hunt_and_crossley(damping, side):
    """k d (1 + c d'): the speed after follows from an integral along the way.

    m v dv = -k d (1 + c v) dd gives v - ln(1 + c v) / c the same before and after (with v < 0
    after).  Source: K. H. Hunt, F. R. E. Crossley, J. Appl. Mech. 42, 1975, for exponent one.
    """
    from scipy.optimize import brentq

    system, v0 = single(ls.Prismatic("x")), 1.2
    limits = (-9.0, 0.3) if side > 0 else (-0.3, 9.0)
    run = ls.simulate(
        system,
        system.state(**{"b.rates": side * v0}),
        duration=1.0,
        rtol=1e-11,
        loads=[ls.JointStop("b", *limits, stiffness=4e3, damping=damping)],
    )

    def level(v):
        return v - np.log1p(damping * v) / damping

    low = -1 / damping + 1e-12
    after = brentq(lambda v: level(v) - level(v0), max(low, -v0), -1e-9, xtol=1e-14)
    assert after > -v0
    # The force has a corner at first touch, within a step: estimates of high order are blind there.
    assert abs(side * run.v[-1, 0] - after) < 1e-6
    assert np.all(side * run["b.force"] <= 0)  # never pulls


# Motors


def test_actuator_with_gear_and_rotor():
    """Acceleration = ratio force / (I + ratio^2 J)."""
    system = single(ls.Revolute((1, 1, 0)))
    motor = ls.Actuator("b", 0.2, ratio=-50.0, rotor_inertia=3e-4)
    for integrator, settings in (("dop853", {}), ("rk4", {"step": 0.1}), ("alpha", {"step": 0.1})):
        run = ls.simulate(system, duration=2.0, integrator=integrator, loads=[motor], **settings)
        expected = -50 * 0.2 / (INERTIA + 2500 * 3e-4)
        np.testing.assert_allclose(run.acceleration, expected, rtol=1e-12)
        np.testing.assert_allclose(run.q[-1], expected * 2.0, rtol=1e-8)
        np.testing.assert_allclose(run["b.force"], -10.0, rtol=1e-14)


def test_rotor_slows_the_oscillation_of_two_links():
    """Rotor on the second joint of two: it sees the relative speed alone, M + diag(0, r^2 J)."""
    model = ls.Model("two")
    link = ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0))
    model.add(link, ls.Revolute("z"), name="a")
    model.add(link, ls.Revolute("z"), to="a", at=(1, 0, 0), name="b")
    system = model.compile()
    start = system.state(a=0.2, b=0.5, **{"a.rates": 1.0, "b.rates": -2.0})
    load = ls.Actuator("b", 1.5, ratio=10.0, rotor_inertia=2e-3)
    run = ls.simulate(system, start, duration=0.1, loads=[load])
    # by hand: uniform rods of length and mass one
    q, (w1, w2) = 0.5, (1.0, -2.0)
    c, s = np.cos(q) / 2, np.sin(q) / 2
    M = np.array([[1 / 3 + 1 / 3 + 1 + 2 * c, 1 / 3 + c], [1 / 3 + c, 1 / 3 + 100 * 2e-3]])
    bias = np.array([-s * (2 * w1 * w2 + w2 * w2), s * w1 * w1])
    expected = np.linalg.solve(M, np.array([0, 15.0]) - bias)
    np.testing.assert_allclose(run.acceleration[0], expected, rtol=1e-12)


def test_limit_of_a_motor_is_on_its_own_side():
    system = single(ls.Prismatic("x"))
    motor = ls.Actuator("b", lambda t: 10 * np.sin(5 * t), ratio=4.0, limit=3.0)
    run = ls.simulate(system, duration=2.0, output_step=0.01, loads=[motor])
    expected = 4 * np.clip(10 * np.sin(5 * run.time), -3, 3)
    np.testing.assert_allclose(run["b.force"][:, 0], expected, atol=1e-12)
    assert np.abs(run["b.force"]).max() == 12.0
