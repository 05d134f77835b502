"""Short times in which a motion is much faster than before and after, and stops met at random."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lissom as ls
from lissom.sim.warnings import many_steps
from tests.tools.runs import told

SMALL = 1e-8  # [kg m^2]


def past_the_vertical(**settings):
    """Run of a bob on a yoke past the vertical at a thousandth of a radian, with its warnings.

    There the yoke, which weighs next to nothing, turns by half a turn within milliseconds.
    """
    model = ls.Model("spherical pendulum", gravity=(0, 0, -9.81))
    inertia = np.full(3, SMALL)
    model.add(ls.RigidBody(1e-6, inertia=inertia), ls.Revolute("z"), name="yoke")
    bob = ls.RigidBody(1.0, com=(0, 0, -1.0), inertia=100 * inertia)
    model.add(bob, ls.Revolute("y"), name="bob", to="yoke")
    system = model.compile()
    start = system.state(bob=1.0, **{"yoke.rates": 0.01})
    return told(system, start, duration=0.9, **settings)


def exact_angles():
    """Angles of yoke and bob at the end: the yoke keeps its angular momentum."""
    about_z = 101 * SMALL + np.sin(1.0) ** 2
    momentum = 0.01 * about_z

    def rates(_t, y):
        sine, cosine = np.sin(y[1]), np.cos(y[1])
        turn = momentum / (101 * SMALL + sine**2)
        return [turn, y[2], sine * (cosine * turn**2 - 9.81) / (1 + 100 * SMALL)]

    end = solve_ivp(rates, (0, 0.9), [0.0, 1.0, 0.0], method="DOP853", rtol=1e-12, atol=1e-12)
    return end.y[:2, -1]


@pytest.mark.parametrize(
    ("integrator", "step"),
    [("dop853", 1e-3), ("dopri5", 2e-4), ("rk4", 5e-4), ("euler_cromer", 1e-4)],
)
def test_a_burst_between_two_looks_counts_in_the_error_of_fixed_steps(integrator, step):
    """Every 14th or 28th step was looked at: dop853 told 1e-6 of an error of 4e-4."""
    run, _ = past_the_vertical(integrator=integrator, step=step, rtol=1e-3)
    error = np.abs(run.q[-1] - exact_angles()).max()
    assert error > 1e-6
    assert 0.3 * error < run.statistics["estimated_error"] < 1e3 * error


def test_a_burst_between_two_looks_is_told():
    run, messages = past_the_vertical(step=1e-3)
    assert np.abs(run.q[-1] - exact_angles()).max() > 1e-5
    assert "a fixed step of 0.001 s leaves an error of about" in messages[0]


def test_steady_fixed_steps_are_looked_at_as_before():
    """A steady spin, a swing and a fall take one look in 64 steps: three evaluations more each."""
    model = ls.Model("pendulum", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody.box(1.0, (1, 0.1, 0.1), com=(0.5, 0, 0)), ls.Revolute("y"), name="bob")
    system = model.compile()
    run = ls.simulate(system, duration=8.192, step=1e-3, integrator="rk4", rtol=1e-6)
    assert run.statistics["evaluations"] < 8192 * (4 + 8.5 / 64) + 10


@pytest.mark.parametrize(
    ("rate", "rtol", "gap", "speed"),
    [(1480.0, 1e-12, 0.183, 12.1), (1480.0, 1e-10, 0.15, 9.8), (50.0, 4e-8, 0.185, 5.1)],
)
def test_a_stop_gives_back_the_speed_to_the_tolerance(rate, rtol, gap, speed):
    """One in a hundred contacts lay where the estimates of dop853 vanish: up to 1300 tolerances.

    Exact: half a period of a vibration.
    """
    model = ls.Model("mass")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Prismatic("x"), name="mass")
    mass = model.compile()
    stop = ls.JointStop("mass", 0.0, np.inf, stiffness=rate**2)
    start = mass.state(mass=gap, **{"mass.rates": -speed})
    meets, leaves = gap / speed, gap / speed + np.pi / rate
    run = ls.simulate(mass, start, duration=leaves + 0.5 * meets, rtol=rtol, loads=[stop])
    error = abs(run.v[-1, 0] - speed) / (1 + speed), abs(run.q[-1, 0] - 0.5 * gap)
    assert max(error) < 5 * rtol


def spun_up(**settings):
    """A rotor off its axis on a sled, at 2000 rad/s."""
    model = ls.Model("rotor")
    model.add(ls.RigidBody.box(2.0, (1, 1, 1)), ls.Prismatic("x"), name="sled")
    rotor = ls.RigidBody.box(0.3, (0.1, 0.1, 0.3), com=(0, 0, -0.15))
    model.add(rotor, ls.Revolute("y"), name="rotor", to="sled")
    system = model.compile()
    start = system.state(**{"rotor.rates": 2000.0})
    end = ls.Event("rotor", ls.Stop(), value=30.0)  # of 2e4 rad
    return told(system, start, duration=10.0, events=[end], output_step=1.0, rtol=1e-4, **settings)


def test_steps_of_a_low_order_that_are_many_are_told_and_the_remedy_takes_few():
    run, messages = spun_up(integrator="generalized_alpha")
    other, none = spun_up(integrator="dop853")
    assert len(messages) == 1
    assert 'integrator="dop853"' in messages[0]
    assert "rad of the fastest motion" in messages[0]
    assert not none
    assert other.statistics["steps"] < 0.1 * run.statistics["steps"]
    assert np.abs(other.v[-1] - run.v[-1]).max() < 1e-4 * 2000


def test_the_look_at_many_steps_leaves_the_run_as_it_is(monkeypatch):
    run, _ = spun_up(integrator="generalized_alpha")
    monkeypatch.setattr(many_steps.ManySteps, "look", lambda self, stacklevel: None)
    other, messages = spun_up(integrator="generalized_alpha")
    assert not messages
    assert np.array_equal(run.v, other.v)
    assert np.array_equal(run.q, other.q)


@pytest.mark.parametrize(("stiffness", "count"), [(1e12, 0), (1.0, 1)])
def test_implicit_steps_over_a_fast_vibration_are_not_told_of(stiffness, count, monkeypatch):
    monkeypatch.setattr(many_steps, "FIRST", 1000)
    monkeypatch.setattr(many_steps, "MANY", 1000)
    model = ls.Model("masses")
    for name in ("slow", "other"):
        model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Prismatic("x"), name=name)
    system = model.compile()
    springs = [ls.JointSpring("slow", 1.0), ls.JointSpring("other", stiffness)]
    settings = {"integrator": "generalized_alpha", "rtol": 1e-4, "duration": 60.0}
    _, messages = told(system, system.state(slow=1.0), loads=springs, **settings)
    assert len(messages) == count


@pytest.mark.parametrize("rate", [50.0, 300.0, 1480.0])
@pytest.mark.parametrize("step", [1e-3, 1e-4])
def test_linearly_implicit_euler_tells_what_a_stop_costs(rate, step):
    """It counted errors of positions alone, a thirtieth to a thousandth of the error."""
    model = ls.Model("mass")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Prismatic("x"), name="mass")
    mass = model.compile()
    stop = ls.JointStop("mass", 0.0, np.inf, stiffness=rate**2)
    start = mass.state(mass=0.05, **{"mass.rates": -1.0})
    n = round((0.08 + np.pi / rate) / step)
    settings = {"step": step, "integrator": "implicit_euler", "rtol": 1e-3}
    run, _ = told(mass, start, duration=n * step, loads=[stop], **settings)
    away = n * step - 0.05 - np.pi / rate
    error = max(abs(run.v[-1, 0] - 1) / 2, abs(run.q[-1, 0] - away))
    estimate = run.statistics["estimated_error"] + run.statistics["error_at_kinks"]
    assert 0.3 * error < estimate < 10 * error
