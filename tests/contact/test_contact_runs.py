"""Runs with contacts: closed forms, published numbers, and integrations that share no code."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import gamma

import lissom as ls
from lissom import shapes
from lissom.sim.loads import Contact
from lissom.sim.loads.contact import Friction, Hertz, LinearContact

METHODS = {
    "dop853": {"rtol": 1e-10},
    "rosenbrock": {"rtol": 1e-7},
    "generalized_alpha": {"rtol": 1e-7},
    "rk4": {"step": 1e-3},
}
RADIUS, DENSITY, STIFFNESS = 0.01, 7850.0, 15384615384.6
MASS = 4 / 3 * np.pi * RADIUS**3 * DENSITY


def sliding_ball(mass=MASS, radius=RADIUS, gravity=0.0):
    """Ball on a vertical slide; its coordinate is the height of its centre."""
    model = ls.Model("ball", gravity=(0, 0, -gravity))
    model.add(ls.RigidBody.sphere(mass, radius), ls.Prismatic("z"), name="ball")
    system = model.compile()
    return system, system.shape("ball", shapes.Sphere(radius))


def names(run):
    return [label for _, label in run.events]


@pytest.mark.parametrize("method", METHODS)
def test_a_steel_ball_rebounds_from_a_steel_plane_as_hertz_says(method):
    """Largest depth 23.48 um and time of contact 69.11 us at 1 m/s, for n = 3/2."""
    system, ball = sliding_ball()
    impact = Contact(ball, shapes.HalfSpace(), Hertz(stiffness=STIFFNESS), name="plane")
    start = system.state(q=[RADIUS + 5e-3], v=[-1.0])
    run = ls.simulate(
        system, start, duration=0.02, loads=[impact], integrator=method, **METHODS[method]
    )
    assert names(run) == ["plane touches", "plane leaves"]
    (touch, _), (leave, _) = run.events
    exact = method != "generalized_alpha"
    assert abs(touch - 5e-3) < 1e-9
    assert abs(leave - touch - 69.1104185312e-6) < (1e-9 if exact else 1e-7)
    assert abs(run.state(0.02).v[0] - 1.0) < (2e-6 if exact else 2e-3)


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("restitution", [0.2, 0.8])
def test_the_restitution_that_is_asked_for_is_reached(restitution, exponent):
    system, ball = sliding_ball(1.0, 0.1)
    law = Hertz(stiffness=1e6, exponent=exponent, restitution=restitution)
    for speed in (0.3, 3.0):  # the damping follows the speed of approach
        start = system.state(q=[0.1 + 0.03 * speed], v=[-speed])
        run = ls.simulate(
            system, start, duration=0.2, loads=[Contact(ball, shapes.HalfSpace(), law)],
            integrator="dop853", rtol=1e-9,
        )  # fmt: skip
        assert abs(run.state(0.2).v[0] / speed - restitution) < 1e-6


def test_damping_for_one_speed_gives_slow_impacts_more_rebound():
    system, ball = sliding_ball(1.0, 0.1)
    law = Hertz(stiffness=1e6, restitution=0.8, at_speed=0.5)
    rebounds = []
    for speed in (0.05, 0.5, 5.0):
        start = system.state(q=[0.1 + 0.03 * speed], v=[-speed])
        run = ls.simulate(
            system, start, duration=0.3, loads=[Contact(ball, shapes.HalfSpace(), law)],
            integrator="dop853", rtol=1e-9,
        )  # fmt: skip
        rebounds.append(run.state(0.3).v[0] / speed)
    # d = 0.373146203365 at 0.5 m/s; e for a tenth and ten times of it, by the exact relation
    d = 0.373146203365
    for e, ratio in zip(rebounds, (0.1, 1.0, 10.0), strict=True):
        x = ratio * d
        assert abs(x * (1 + e) - np.log((1 + x) / (1 - x * e))) < 1e-6


CRADLES = {
    (3, 1): [-0.07095235, 0.07640304, 0.99454931],
    (5, 1): [-0.07108502, -0.03027376, -0.01446363, 0.12704499, 0.98877742],
    (5, 2): [-0.11261498, -0.04195950, 0.21448578, 0.80036667, 1.13972203],
}


@pytest.mark.parametrize(("balls", "moving"), CRADLES)
def test_a_cradle_of_hertz_contacts_ends_with_these_speeds(balls, moving):
    """Neither one after the other (0, ..., 0, 1) nor all at once, but in between."""
    model = ls.Model("cradle")
    for k in range(balls):
        x = 2.0 * k - (0.5 if k < moving else 0.0)
        model.add(ls.RigidBody.sphere(1.0, 1.0), ls.Prismatic("x"), at=(x, 0, 0), name=f"b{k}")
    system = model.compile()
    placed = [system.shape(f"b{k}", shapes.Sphere(1.0)) for k in range(balls)]
    law = Hertz(stiffness=1e6)
    loads = [Contact(placed[k], placed[k + 1], law) for k in range(balls - 1)]
    start = system.state(v=[1.0] * moving + [0.0] * (balls - moving))
    run = ls.simulate(system, start, duration=2.0, loads=loads, integrator="dop853", rtol=1e-10)
    assert np.abs(run.state(2.0).v - CRADLES[balls, moving]).max() < 2e-8


def test_a_bouncing_ball_comes_to_rest_and_falls_silent():
    """Rigid: infinitely many impacts until (2 / (1 - e) - 1) sqrt(2 h / g); here they end."""
    system, ball = sliding_ball(1.0, 0.1, gravity=9.81)
    law = Hertz(stiffness=1e6, restitution=0.5)
    floor = Contact(ball, shapes.HalfSpace(), law, name="floor")
    run = ls.simulate(
        system, system.state(q=[0.6]), duration=3.0, loads=[floor], integrator="dop853"
    )
    touches = [t for t, label in run.events if label == "floor touches"]
    assert abs(touches[0] - np.sqrt(2 * 0.5 / 9.81)) < 1e-9
    assert 4 < len(touches) < 10 and touches[-1] < 3 * np.sqrt(2 * 0.5 / 9.81)
    rest = run.state(3.0)
    depth = (9.81 / 1e6) ** (2 / 3)
    assert abs(0.1 - rest.q[0] - depth) < 1e-3 * depth and abs(rest.v[0]) < 1e-6


@pytest.mark.parametrize("method", ["dop853", "rosenbrock"])
def test_a_ball_slides_until_it_rolls(method):
    """At 2 v / (7 mu g), with 5/7 of its speed; regularised friction creeps a little."""
    radius, stiffness, mu, speed, g = 0.1, 1e5, 0.2, 2.0, 9.81
    model = ls.Model("ball", gravity=(0, 0, -g))
    model.add(ls.RigidBody.sphere(1.0, radius), ls.Planar("y"), name="ball")
    system = model.compile()
    ball = system.shape("ball", shapes.Sphere(radius))
    table = Contact(
        ball,
        shapes.HalfSpace(),
        LinearContact(stiffness, dissipation=0.5),
        Friction(mu, speed=1e-3),
    )
    state = system.state()
    at = ls.pose(system, state, "ball").position
    along = ls.jacobian(system, state, "ball")[3:]
    places = {tuple(np.round(np.abs(along[:, k]), 6)): k for k in range(3)}
    q, v = np.zeros(3), np.zeros(3)
    up = places[0.0, 0.0, 1.0]
    q[up] = along[2, up] * (radius - g / stiffness - at[2])
    v[places[1.0, 0.0, 0.0]] = speed
    start = system.state(q=q, v=v)
    forward = np.sign(ls.velocity(system, start, "ball")[3])
    run = ls.simulate(
        system, start, duration=0.6, loads=[table], integrator=method, rtol=1e-6, output_step=0.01
    )
    rolling = 2 * speed / (7 * mu * g)
    t, x = run.time, forward * (run["ball.position"][:, 0] - run["ball.position"][0, 0])
    slides = speed * t - mu * g * t**2 / 2
    rolls = 12 * speed**2 / (49 * mu * g) + 5 / 7 * speed * (t - rolling)
    assert np.abs(x - np.where(t < rolling, slides, rolls)).max() < 3e-4
    assert abs(rolls[-1] - 0.94035) < 1e-4


@pytest.mark.parametrize("method", ["dop853", "rosenbrock", "generalized_alpha"])
@pytest.mark.parametrize("overlap", [1e-3, 1e-5, 1e-7, 1e-9])
def test_no_step_goes_over_a_contact_however_short(method, overlap):
    """A tip on an arm that turns by more than a radian in a step passes a peg."""
    model = ls.Model("arm")
    model.add(ls.RigidBody(1.0, com=(0.5, 0, 0), inertia=(1, 1, 0.1)), ls.Revolute("z"), name="arm")
    system = model.compile()
    tip = system.shape("arm", shapes.Sphere(0.05, at=(1, 0, 0)))
    place = 1.1 - overlap
    peg = shapes.Sphere(0.05, at=(place * np.cos(1), place * np.sin(1), 0))
    contact = Contact(tip, peg, Hertz(stiffness=1e3), name="peg")
    run = ls.simulate(
        system, system.state(v=[2.0]), duration=6.0, loads=[contact], integrator=method
    )
    half = np.arccos((1 + place**2 - 0.1**2) / (2 * place))  # angle over which they overlap
    expected = [(1 + side * half + turn) / 2.0 for turn in (0, 2 * np.pi) for side in (-1, 1)]
    assert names(run) == ["peg touches", "peg leaves"] * 2
    assert np.abs(np.array([t for t, _ in run.events]) - expected).max() < 1e-3 * half + 1e-9


@pytest.mark.parametrize("method", ["dop853", "rosenbrock", "generalized_alpha"])
def test_what_passes_beside_a_shape_does_not_touch_it(method):
    model = ls.Model("arm")
    model.add(ls.RigidBody(1.0, com=(0.5, 0, 0), inertia=(1, 1, 0.1)), ls.Revolute("z"), name="arm")
    system = model.compile()
    tip = system.shape("arm", shapes.Sphere(0.05, at=(1, 0, 0)))
    peg = shapes.Sphere(0.05, at=((1.1 + 1e-9) * np.cos(1), (1.1 + 1e-9) * np.sin(1), 0))
    contact = Contact(tip, peg, Hertz(stiffness=1e3))
    run = ls.simulate(
        system, system.state(v=[2.0]), duration=6.0, loads=[contact], integrator=method
    )
    assert not run.events and run.statistics["steps"] < 20


def test_two_free_balls_keep_momentum_and_energy_in_an_oblique_impact():
    model = ls.Model("pair")
    for name in "ab":
        model.add(ls.RigidBody.sphere(1.0 if name == "a" else 2.5, 0.2), ls.Free(), name=name)
    system = model.compile()
    q, v = system.neutral().raw_q.copy(), np.zeros(12)
    q[4:7], q[11:14] = (-0.5, 0.1, 0.05), (0.2, 0, 0)
    v[3:6], v[:3] = (2.0, 0, 0), (1.0, 3.0, -2.0)
    start = system.state(q, v)
    a, b = (system.shape(name, shapes.Sphere(0.2)) for name in "ab")
    run = ls.simulate(
        system, start, duration=0.6, loads=[Contact(a, b, Hertz(stiffness=1e7))],
        integrator="dop853", rtol=1e-11,
    )  # fmt: skip
    assert len(run.events) == 2
    before, after = ls.momentum(system, start), ls.momentum(system, run.state(0.6))
    assert np.abs(after - before).max() < 1e-11
    energies = [ls.energy(system, x).kinetic for x in (start, run.state(0.6))]
    assert abs(energies[1] - energies[0]) < 1e-8 * energies[0]


def test_fixed_steps_are_divided_in_a_contact_only():
    """Steps of 1 ms, a contact of 69 us: none of them outside of it, some dozens within."""
    system, ball = sliding_ball()
    impact = Contact(ball, shapes.HalfSpace(), Hertz(stiffness=STIFFNESS))
    run = ls.simulate(
        system, system.state(q=[RADIUS + 5.4e-3], v=[-1.0]), duration=0.02, loads=[impact],
        integrator="rk4", step=1e-3,
    )  # fmt: skip
    assert 20 + 32 <= run.statistics["steps"] < 20 + 45
    assert run.statistics["divided_steps"] >= 1


def test_a_flexible_arm_on_a_table_moves_as_an_integration_by_scipy():
    """Elastic arm of two modes that falls on a ball-ended tip; forces by the same formulas."""
    boom = ls.beam(1.0, ls.Tube(radius=0.01, thickness=0.001), ls.STEEL, modes=2)
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    model.add(boom, ls.Revolute("y"), name="arm", at=(0, 0, 0.2))
    system = model.compile()
    law = LinearContact(2e4, dissipation=0.3)
    tip = system.shape("arm.tip", shapes.Sphere(0.02))
    table = Contact(tip, shapes.HalfSpace(), law, name="table")
    start = system.state()
    run = ls.simulate(system, start, duration=0.5, loads=[table], integrator="dop853", rtol=1e-10)

    def rates(t, y):
        state = system.state(y[: system.n_q], y[system.n_q :])
        at = ls.pose(system, state, "arm.tip")
        J = ls.jacobian(system, state, "arm.tip")
        depth, rate = 0.02 - at.position[2], -(J @ state.v)[5]
        press = max(0.0, 2e4 * depth * (1 + 0.3 * rate)) if depth > 0 else 0.0
        # the velocity of the point of contact is that of the tip, since it is below its centre and
        # the arm turns in the plane: v_z is the same, and no force acts along x
        n = depth_arm(at.position[2])
        wrench = np.array([0.0, 0.0, 0.0, 0.0, 0.0, press])
        wrench[:3] = np.cross(n, wrench[3:])
        forces = J.T @ wrench
        return np.concatenate([state.v, ls.forward_dynamics(system, state, forces)])

    def depth_arm(z):
        return np.array([0.0, 0.0, 0.5 * (-0.02 - z)])

    y0 = np.concatenate([start.raw_q, start.raw_v])
    check = solve_ivp(rates, (0, 0.5), y0, rtol=1e-9, atol=1e-11, method="DOP853", max_step=2e-3)
    assert len(run.events) >= 2
    assert np.abs(run.state(0.5).q - check.y[: system.n_q, -1]).max() < 1e-6


def test_the_time_of_contact_is_that_of_the_formula():
    """T = 2 I d / v with I by gamma functions, n = 3/2."""
    law = Hertz(stiffness=STIFFNESS)
    depth = (1.25 * MASS / STIFFNESS) ** 0.4
    ratio = np.sqrt(np.pi) * gamma(1.4) / gamma(0.9)
    assert abs(law.contact_time(MASS, 1.0) / (2 * ratio * depth) - 1) < 1e-10


@pytest.mark.parametrize(("rate", "floats"), [(115.0, False), (120.0, True)])
def test_a_follower_leaves_its_cam_above_the_rate_that_its_spring_can_follow(rate, floats):
    """An eccentric of 10 mm under 0.5 kg, 2000 N/m, preload 15 mm: sqrt(k (y0 + 2 e) / (m e))."""
    lift, radius, mass, stiffness, preload = 0.01, 0.03, 0.5, 2000.0, 0.015
    assert abs(np.sqrt(stiffness * (preload + 2 * lift) / (mass * lift)) - 118.321595662) < 1e-9
    model = ls.Model("cam")
    model.add(ls.RigidBody.cylinder(0.2, radius, 0.01), ls.Revolute("y"), name="cam")
    plate = ls.RigidBody.box(mass, (0.04, 0.02, 0.01))
    model.add(plate, ls.Prismatic("z"), name="follower", at=(0, 0, radius - lift))
    model.add_shape(shapes.Sphere(radius, at=(0, 0, -lift)), on="cam", name="lobe")
    model.add_shape(shapes.HalfSpace((0, 0, -1)), on="follower", name="plate")
    system = model.compile()
    contact = Contact(
        "lobe", "plate", LinearContact(1e8, dissipation=0.05), name="cam face", initially="pressed"
    )
    loads = [
        ls.Motion("cam", velocity=rate),
        ls.JointSpring("follower", stiffness, rest=-preload),
        contact,
    ]
    start = system.state(follower=-stiffness * preload / 1e8, **{"cam.rates": rate})
    run = ls.simulate(system, start, duration=6 * np.pi / rate, loads=loads)
    turns = rate * run.time / (2 * np.pi)
    gap = run["cam face.gap"][turns > 0.5].max()
    assert gap > 2e-4 if floats else gap < 1e-5
