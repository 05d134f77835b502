"""Implicit runs with stiff functions; those that one holds up say so, early and with its name."""

from __future__ import annotations

import re
import warnings
from functools import cache

import numba
import numpy as np
import pytest

import lissom as ls
from lissom.sim.run.runner import Runner
from lissom.sim.warnings import slow_iterations
from lissom.sim.warnings.slow_iterations import SlowIterations
from tests.samples.mechanisms import sled


@cache
def boom():
    model = ls.Model("boom", gravity=(0, 0, -9.81))
    body = ls.beam(1.0, ls.Tube(radius=0.02, thickness=0.001), ls.ALUMINIUM, modes=4)
    model.add(body, ls.Revolute("y"), name="boom")
    return model.compile()


@numba.njit
def pd(t, q, v, out):
    out[4] = 1e4 * (0.3 * np.sin(3 * t) - q[4]) - 1e2 * v[4]


def stiff(t, state):
    return -100.0 * state["boom.rates"][0]


@numba.njit
def relay(t, q, v, out):
    out[4] = -20.0 * np.tanh(1e6 * (v[4] + 10 * q[4] - 0.1 * np.sin(50 * t)))


def steep(t, state):
    return -20.0 * np.tanh(1e6 * (state["boom.rates"][0] + 10 * state["boom"][0]))


CASES = {
    "compiled forces": ({"forces": relay, "rtol": 1e-6}, "the function given as forces"),
    "plain actuator": (
        {"loads": [ls.Actuator("boom", steep, name="relay"), ls.Actuator("boom", np.sin)]},
        "relay",
    ),
    "the stiffer of two": (
        {
            "forces": relay,
            "loads": [ls.Actuator("boom", lambda t, s: -s["boom.rates"][0], name="mild")],
        },
        "the function given as forces",
    ),
}
QUIET = {
    "spring and damper": {"loads": [ls.JointSpring("boom", 1e4, damping=1e2)]},
    "controller": {
        "forces": ls.Controller(lambda t, s: {"boom": -0.01 * s["boom.rates"][0]}, 1e-3)
    },
    "function of time": {"loads": [ls.Actuator("boom", np.sin)]},
    "mild function": {"forces": lambda t, s: {"boom": -0.1 * s["boom.rates"][0]}, "rtol": 1e-10},
    "stop": {"loads": [ls.JointStop("boom", -0.01, 0.1, stiffness=1e6, damping=10.0)]},
    "explicit": {"forces": pd, "integrator": "dop853"},
}


def said(settings, *, until):
    """Messages of a run of 2 s that is ended sooner, and the run."""
    end = ls.Event(lambda t, s: t - until, ls.Stop(), name="end")
    options = {"integrator": "generalized_alpha", **settings}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = ls.simulate(boom(), duration=2.0, events=[end], time_limit=10.0, **options)
    return [str(x.message) for x in caught if "slowed down" in str(x.message)], run


@pytest.mark.parametrize("case", CASES)
def test_a_function_that_nearly_jumps_is_named_early(case):
    """Its derivative at the start of a step says nothing about the end."""
    settings, name = CASES[case]
    found, _ = said(settings, until=0.05)
    assert len(found) == 1 and f"slowed down by {name}: " in found[0]
    assert "JointSpring and JointDamper" in found[0] and "dop853" in found[0]
    assert float(re.search(r"until t = (\S+) s", found[0])[1]) <= 0.05


STIFF = {
    "compiled forces": {"forces": pd},
    "plain actuator": {"loads": [ls.Actuator("boom", stiff, name="brake")]},
    "on a node": {
        "loads": [ls.NodeForce("boom", moment=lambda t, s: (0, -100 * s["boom.rates"][0], 0))]
    },
    "spring between nodes": {
        "loads": [ls.NodeSpring("boom.tip", (1.0, 0, 0.5), 1e6, damping=1e4, length=0.5)],
        "step": 1e-4,  # for accuracy: the boom rings; dop853 takes 7,000 steps
    },
}


@pytest.mark.parametrize("case", STIFF)
@pytest.mark.parametrize("method", ["generalized_alpha", "linearly_implicit_euler", "rosenbrock"])
def test_derivatives_of_stiff_functions_let_steps_be_as_long_as_asked(case, method):
    settings = {"duration": 0.1, "step": 1e-3, **STIFF[case]}
    run = ls.simulate(boom(), integrator=method, **settings)
    steps = round(0.1 / settings.pop("step"))
    assert run.statistics["steps"] == steps and run.statistics["divided_steps"] == 0
    assert run.statistics["iterations"] < 3 * steps
    exact = ls.simulate(boom(), integrator="dop853", output_step=0.1, **settings)
    allowed = 0.2 if method == "linearly_implicit_euler" else 0.02  # order 1 damps the ringing
    assert np.abs(run.q[-1] - exact.q[-1]).max() < allowed * np.abs(exact.q).max()


@pytest.mark.parametrize("case", QUIET)
def test_what_settles_is_not_blamed(case):
    assert said(QUIET[case], until=0.02)[0] == []


def test_the_look_changes_nothing(monkeypatch):
    _, run = said({"forces": relay}, until=0.02)
    monkeypatch.setattr(SlowIterations, "look", lambda self, stacklevel: None)
    found, other = said({"forces": relay}, until=0.02)
    n = min(len(run), len(other))  # they end between two slices
    assert not found and n > 500
    assert np.array_equal(run.q[:n], other.q[:n]) and np.array_equal(run.time[:n], other.time[:n])


def test_a_wheel_whose_nutation_the_steps_do_not_resolve_is_named():
    """Nutation at h / I = 2e4 rad/s under steps of a hundredth of a second."""
    model = ls.Model("wheel")
    model.add(ls.RigidBody(1.0, inertia=0.01 * np.eye(3)), ls.Free(), name="hull")
    system = model.compile()
    start = system.state(**{"hull.rates": [0.1, 0.2, 0.3, 0, 0, 0]})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ls.simulate(
            system,
            start,
            duration=0.02,
            step=0.01,
            loads=[ls.Rotor("hull", 0.01, 2e4, name="gyro")],
            integrator="generalized_alpha",
        )
    (words,) = [str(x.message) for x in caught if "slowed down" in str(x.message)]
    assert "by gyro: " in words and "do not have its derivative" in words and "nutation" in words


def test_steps_that_shrink_below_those_asked_for_are_explained():
    """A force that is a staircase of the state: two hundred times the steps, but few of them."""
    model = ls.Model("sled")
    model.add(ls.RigidBody.box(1.0, (0.1, 0.1, 0.1)), ls.Prismatic("x"), name="sled")
    system = model.compile()

    def stairs(time, state):
        return {"sled": -1e8 * np.round(state["sled"], 3)}

    options = {"integrator": "generalized_alpha", "step": 1e-3, "forces": stairs}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = ls.simulate(system, system.state(sled=0.1), duration=0.05, **options)
    assert run.statistics["steps"] < 20_000
    assert sum("forces bend or jump within steps" in str(x.message) for x in caught) == 1


def messages_of(**settings):
    """Messages of a run of the sled, and the run."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = ls.simulate(sled(), **settings)
    return [str(x.message) for x in caught], run


@pytest.mark.parametrize("integrator", ["dop853", "rosenbrock", "auto"])
def test_steep_friction_as_a_function_is_named_whatever_the_method(integrator, monkeypatch):
    monkeypatch.setattr(slow_iterations, "CALLS", 2_000)
    settings = {"duration": 0.1, "integrator": integrator, "rtol": 1e-6}

    def friction(steepness):
        return lambda t, s: [np.sin(t) - 3 * np.tanh(steepness * s["sled.rates"][0])]

    said, _ = messages_of(forces=friction(1e5), **settings)
    assert len(said) == 1 and said[0].startswith("the function given as forces is steep")
    said, run = messages_of(forces=friction(1.0), **settings)
    assert run.statistics["function_calls"] > 2_000 and not said
    load = ls.JointFriction("sled", 3.0, speed=1e-5)  # the remedy
    assert not messages_of(loads=[load, ls.Actuator("sled", np.sin)], **settings)[0]


def test_a_run_whose_time_is_over_while_it_looks_for_steep_functions(monkeypatch):
    """It ends with its status; the look calls functions too, of which none is interrupted."""
    monkeypatch.setattr(slow_iterations, "CALLS", 0)
    monkeypatch.setattr(Runner, "_note_spins", lambda runner: setattr(runner, "_deadline", 0.0))

    def drag(t, s):
        return [-s["sled.rates"][0]]

    other = ls.Actuator("sled", np.sin)
    said, run = messages_of(duration=1.0, forces=drag, loads=[other], integrator="dop853")
    assert run.status == "time limit" and len(said) == 1 and "time limit" in said[0]


@pytest.mark.parametrize("integrator", ["dop853", "generalized_alpha", "rosenbrock", "rk4"])
def test_every_call_of_a_function_is_counted(integrator):
    calls = []

    def push(t, s):
        calls.append(t)
        return [-s["sled.rates"][0]]

    step = {"step": 0.01} if integrator == "rk4" else {"rtol": 1e-3, "max_step": 0.01}
    _, run = messages_of(duration=0.05, forces=push, integrator=integrator, **step)
    assert 0.9 * len(calls) - 20 <= run.statistics["function_calls"] <= len(calls)


def test_derivatives_of_a_motion_by_differences_are_counted_and_told(monkeypatch):
    monkeypatch.setattr(slow_iterations, "FURTHER", 1_000)
    calls = []

    def position(t):
        calls.append(t)
        return 0.1 * np.sin(t) ** 2

    settings = {"duration": 0.5, "step": 0.01, "integrator": "rk4"}
    said, run = messages_of(loads=[ls.Motion("sled", position)], **settings)
    assert len(said) == 1 and "give velocity= and acceleration=" in said[0]
    assert 0.9 * len(calls) - 200 <= run.statistics["function_calls"] <= len(calls)
    whole = ls.Motion(
        "sled",
        position,
        velocity=lambda t: 0.1 * np.sin(2 * t),
        acceleration=lambda t: 0.2 * np.cos(2 * t),
    )
    said, run = messages_of(loads=[whole], **settings)
    assert not said and run.statistics["function_calls"] < 1_000
