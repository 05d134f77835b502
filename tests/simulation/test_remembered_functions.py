"""Functions of Python in fixed steps: called once for an argument, unless they may differ."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import lissom as ls
from tests.samples.mechanisms import sled

STEPS = 1100  # more than a run looks at before it starts


class Counted:
    """Function that counts its calls and keeps their times."""

    def __init__(self, function):
        self.function, self.times = function, []

    def of_time(self, t):
        self.times.append(t)
        return self.function(t)

    def of_state(self, t, state):
        self.times.append(t)
        return [self.function(t, state)]


def fixed(integrator, **loads):
    run = ls.simulate(
        sled(), sled().state(sled=0.1), duration=STEPS * 0.01, step=0.01, integrator=integrator,
        **loads,
    )  # fmt: skip
    assert run.statistics["divided_steps"] == 0
    return run


@pytest.mark.parametrize(("integrator", "instants"), [("rk4", 4), ("generalized_alpha", 4)])
@pytest.mark.parametrize("where", ["joint", "node"])
def test_a_function_of_time_is_called_once_for_each_quarter_of_a_fixed_step(
    integrator, instants, where
):
    force = Counted(lambda t: math.cos(5.0 * t))
    load = ls.Actuator("sled", force.of_time)
    if where == "node":
        load = ls.NodeForce("sled", lambda t: [force.of_time(t), 0.0, 0.0])
    run = fixed(integrator, loads=[load])
    assert len(force.times) <= (instants + 0.2) * STEPS  # nine and eight without records
    assert run.statistics["function_calls"] <= len(force.times)
    assert abs(run.v[-1, 0] - math.sin(5.0 * run.time[-1]) / 5.0) < 1e-4


def test_a_function_of_time_on_a_node_costs_no_accelerations():
    push = ls.NodeForce("sled", lambda t: [math.cos(5.0 * t), 0.0, 0.0])
    on_node = fixed("rk4", loads=[push]).statistics["evaluations"]
    without = fixed("rk4").statistics["evaluations"]
    assert on_node <= 1.01 * without  # ten more in each step where forces had to be straight


@pytest.mark.parametrize(("integrator", "most"), [("rk4", 7.6), ("generalized_alpha", 6.2)])
def test_the_look_at_the_end_of_a_step_is_that_at_the_start_of_the_next(integrator, most):
    force = Counted(lambda _t, state: -100.0 * state["sled"][0])
    run = fixed(integrator, forces=force.of_state)
    assert len(force.times) <= most * STEPS
    assert abs(run.q[-1, 0] - 0.1 * math.cos(10.0 * run.time[-1])) < 0.02


def test_given_motions_by_functions_are_differentiated_once_for_an_instant():
    calls = Counted(lambda t: 0.1 * math.cos(5.0 * t))
    run = fixed("rk4", loads=[ls.Motion("sled", calls.of_time)])
    assert run.statistics["function_calls"] < 50 * STEPS  # 117 with those of each stage
    assert abs(run.q[-1, 0] - 0.1 * math.cos(5.0 * run.time[-1])) < 1e-12


def test_a_stepper_sees_what_a_function_returns_after_a_change_between_steps():
    now = [1.0]
    stepper = ls.Stepper(
        sled(), step=0.01, integrator="rk4", loads=[ls.Actuator("sled", lambda _t: now[0])]
    )
    speed = 0.0
    for value in (1.0, -3.0, 0.5, 7.0):
        now[0] = value
        stepper.step()
        speed += 0.01 * value
        assert stepper.v[0] == pytest.approx(speed, abs=1e-15)


def test_a_controller_may_change_what_a_function_returns():
    now = [0.0]

    def update(t, state):
        now[0] = 1.0 + round(t / 0.01)  # 1, 2, 3, ... from sample to sample
        return [0.0]

    run = ls.simulate(
        sled(),
        duration=0.1,
        step=0.01,
        integrator="rk4",
        loads=[ls.Controller(update, 0.01), ls.Actuator("sled", lambda _t: now[0])],
    )
    assert run.v[-1, 0] == pytest.approx(0.01 * sum(range(1, 11)), abs=1e-12)


def test_runs_of_one_function_that_changes_between_them_share_nothing():
    now = [1.0]
    load = ls.Actuator("sled", lambda _t: now[0])
    speeds = []
    for value in (1.0, 2.0):
        now[0] = value
        run = ls.simulate(sled(), duration=0.1, step=0.01, integrator="rk4", loads=[load])
        speeds.append(run.v[-1, 0])
    assert np.allclose(speeds, [0.1, 0.2], atol=1e-14)


def told(**settings):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = ls.simulate(sled(), integrator="rk4", step=1e-3, **settings)
    return run, [str(x.message) for x in caught]


def bump(middle, width):
    """Push of 1 N s."""

    def push(t):
        x = (t - middle) / width
        return 2.0 / width * math.cos(math.pi * x) ** 2 if abs(x) < 0.5 else 0.0

    return [ls.Actuator("sled", push)]


def test_a_bump_that_a_step_sees_is_integrated_and_no_warning_foresees_it():
    run, messages = told(duration=0.05, loads=bump(0.01025, 0.5e-3))
    assert abs(run.v[-1, 0] - 1.0) < 1e-9 and run.statistics["divided_steps"] > 0
    assert not messages


@pytest.mark.parametrize("middle", [0.0101, 0.010375, 0.01087])
def test_a_bump_between_two_looks_of_a_step_is_told_before_the_run(middle):
    run, messages = told(duration=0.05, loads=bump(middle, 69e-6))
    assert abs(run.v[-1, 0] - 1.0) > 0.9  # lost
    assert len(messages) == 1 and "changes too much within a fixed step" in messages[0]


def test_many_small_jumps_inside_steps_are_told_by_their_sum():
    """Each too small to divide its step."""
    square = ls.Actuator("sled", lambda t: 0.5 * (-1.0) ** math.floor(t / 0.00437 + 0.3))
    _, messages = told(duration=2.0, loads=[square])
    assert len(messages) == 1 and "bend or jump within steps" in messages[0]


def test_a_long_run_is_not_looked_at_before_it_starts():
    seen = []
    push = ls.Actuator("sled", lambda t: seen.append(t) or 1.0)
    told(duration=STEPS * 1e-3, loads=[push])
    assert len(seen) < 5 * STEPS
