"""A few of the random runs that `make verify` judges by the thousand."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from tests.samples.honest_draws import draw
from tests.tools.honest_runs import Case, Change, judged

BEGIN = 0.50007  # between two looks


def mass_on_rail(words=("mass",), **settings):
    """Model of masses that slide along x, each on its own."""
    model = ls.Model("rail", **settings)
    for name in words:
        model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Prismatic("x"), name=name)
    return model.compile()


def case_of(system, state, loads, corners, **settings):
    """Case whose loads are the same in both runs."""
    rest = {name: settings.pop(name) for name in ("events", "changes") if name in settings}
    return Case(0, system, state, lambda start, exact: loads, corners, 1.0, settings, **rest)


@pytest.mark.parametrize("number", [1, 3, 4])
def test_a_run_is_right_or_says_that_it_may_not_be(number):
    verdict = judged(draw(number))
    assert verdict.honest, verdict


def test_a_wrong_run_is_found_out():
    """The judge, on a run that misses a blow because it says nothing of it and looks nowhere."""
    system = mass_on_rail()
    blow = ls.Actuator("mass", lambda t: 1e4 if BEGIN <= t < BEGIN + 1e-5 else 0.0)
    corners = [BEGIN, BEGIN + 1e-5]
    verdict = judged(case_of(system, system.neutral(), [blow], corners, rtol=1e-6))
    assert not verdict.honest
    assert verdict.error > 0.01


def locked(value, expected):
    """A swinging mass that locks at a value, judged by one that locks at the expected one."""
    system = mass_on_rail(("mass", "other"))
    loads = [ls.JointSpring("mass", 40.0), ls.NodeSpring("mass", "other", 10.0, length=0.5)]
    return case_of(
        system,
        system.state(mass=0.0, other=1.0, **{"mass.rates": 1.0}),
        loads,
        [],
        events=lambda start: [ls.Event("mass", ls.Lock("mass"), value=value, direction=1)],
        changes=[
            Change((ls.Lock("mass"),), watch=lambda t, x: x.q[0] - expected, direction=1),
        ],
    )


def test_the_judge_finds_the_lock_that_the_run_finds():
    verdict = judged(locked(0.05, 0.05))
    assert verdict.honest and not verdict.told, verdict
    assert verdict.error < 1e-8


def test_a_lock_that_comes_late_is_found_out():
    verdict = judged(locked(0.05 + 2e-6, 0.05))
    assert not verdict.honest and not verdict.told, verdict


def test_a_lock_that_never_comes_is_found_out():
    assert not judged(locked(50.0, 0.05)).honest


@pytest.mark.parametrize("lost", [1.0, 1.0 + 1e-5])
def test_a_given_motion_whose_table_is_another_is_found_out(lost):
    """The judge takes its own spline; the table of the run has one value changed."""
    system = mass_on_rail(("mass", "other"))
    times, values = np.array([0.2, 0.3, 0.4, 0.6]), np.array([0.0, 0.05, 0.1, 0.1])

    def loads(start, exact):
        changed = values if exact else values * [1, lost, 1, 1]
        table = ls.Table(times + start, changed, "smooth", clamped=True)
        return [ls.Motion("mass", table), ls.NodeSpring("mass", "other", 300.0, length=0.5)]

    state = system.state(other=0.6)
    verdict = judged(Case(0, system, state, loads, list(times), 1.0, {}))
    assert not verdict.told
    assert verdict.honest == (lost == 1.0), verdict


def test_integrals_of_servos_outlive_the_restarts_of_the_judge():
    system = mass_on_rail()
    hold = ls.Servo("mass", 0.3, kp=50.0, kd=5.0, ki=80.0, name="hold")
    push = ls.Actuator("mass", lambda t: 10.0 * (0.3 <= t < 0.5), name="push")
    verdict = judged(case_of(system, system.neutral(), [hold, push], [0.3, 0.4, 0.5]))
    assert verdict.honest and not verdict.told and verdict.error < 1e-7, verdict


@pytest.mark.parametrize("integrator", ["auto", "rosenbrock"])
def test_speeds_of_a_vibration_on_a_spring_are_kept_beside_a_stiff_one(integrator):
    """The two masses do not touch each other; the second limits explicit steps."""
    model = ls.Model("two masses")
    for name in ("slow", "stiff"):
        model.add(ls.RigidBody(1.0), ls.Prismatic("x"), name=name)
    system, rate, size, end = model.compile(), 300.0, 3e-5, 0.37
    loads = [ls.JointSpring("slow", rate**2), ls.JointSpring("stiff", 2.5e9, damping=1e5)]
    start = system.state(slow=size, stiff=1e-6)
    run = ls.simulate(system, start, duration=end, loads=loads, integrator=integrator)
    found = run.state(end)
    assert abs(found.q[0] - size * np.cos(rate * end)) < 1e-7
    assert abs(found.v[0] + size * rate * np.sin(rate * end)) < 1e-7
