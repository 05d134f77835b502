"""Compiled functions that go wrong end the run, with what they are and when, as plain ones do."""

import math

import numba
import numpy as np
import pytest

import lissom as ls
from lissom.kernels.run.calls import SIGNATURE

LATE = 0.3  # from when on they go wrong [s]


def pendulum():
    model = ls.Model("pendulum", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody(1.0, (0, 0, -1.0)), ls.Revolute("y"), name="arm")
    return model.compile()


SYSTEM = pendulum()


@numba.njit
def touching(t, q, v):
    return math.nan if t > LATE else 1.0


@numba.njit
def touching_for_ever(t, q, v):
    return -math.inf if t > LATE else 1.0


@numba.njit
def raising(t, q, v):
    if t > LATE:
        raise ValueError("late")
    return 1.0


@numba.njit
def pushing(t, q, v, out):
    out[0] = math.inf if t > LATE else 0.0


@numba.njit
def controlling(t, q, v, memory, out):
    out[0] = math.nan if t > LATE else 0.0


@numba.njit
def driving(t, out):
    out[0] = math.nan if t > LATE else 0.0


@numba.njit
def moving(t, out):
    out[:] = 0.0
    if t > LATE:
        out[1] = math.nan


@numba.cfunc(SIGNATURE)
def in_c(which, t, q, v, memory, out):
    out[0] = math.nan if t > LATE else 0.0
    return 0


@numba.cfunc(SIGNATURE)
def refusing(which, t, q, v, memory, out):
    return 3 if t > LATE else 0


CASES = {
    "event": ({"events": [ls.Event(touching, name="touch")]}, "event 'touch' returned nan"),
    "infinite event": ({"events": [ls.Event(touching_for_ever)]}, "ever' returned -inf"),
    "event raises": ({"events": [ls.Event(raising)]}, "'raising': the compiled function raised"),
    "controller": ({"forces": ls.Controller(controlling, 0.1)}, "'controlling' returned nan"),
    "signal": ({"loads": [ls.Actuator("arm", driving)]}, "Actuator on 'arm' returned nan"),
    "motion": (
        {"loads": [ls.Motion("arm", moving)]},
        "Motion on 'arm': position returned nan as number 1 of 3",
    ),
    "C status": ({"forces": refusing}, "forces: the C function returned a nonzero status"),
}


@pytest.mark.parametrize("acting, words", CASES.values(), ids=CASES)
def test_what_is_not_finite_ends_the_run_and_is_named(acting, words):
    with pytest.raises(ls.SimulationError) as caught:
        ls.simulate(SYSTEM, duration=1.0, **acting)
    message = str(caught.value)
    assert words in message
    instant = float(message.partition("at t = ")[2].split()[0])
    assert LATE <= instant < 0.6
    run = caught.value.trajectory
    assert run.status == "failed" and run.time[-1] <= instant


def test_functions_serve_many_runs_and_each_is_told_of_its_own():
    """The wrapper is kept with the function; the words are those of the run."""

    @numba.njit
    def push(t, q, v):
        return math.nan if q[0] < 0.0 else 1.0

    for name, angle in (("first", 0.3), ("second", 0.2)):
        with pytest.raises(ls.SimulationError, match=f"event '{name}' returned nan"):
            event = ls.Event(push, name=name)
            ls.simulate(SYSTEM, SYSTEM.state(arm=angle), duration=2.0, events=[event])
    still = ls.simulate(SYSTEM, duration=0.1, events=[ls.Event(push, name="third")])
    assert still.status == "finished"


def counted_compilations(monkeypatch):
    """List that grows by one entry whenever a wrapper is compiled."""
    compiled, cfunc = [], numba.cfunc

    def counting(signature):
        compiled.append(signature)
        return cfunc(signature)

    monkeypatch.setattr(numba, "cfunc", counting)
    return compiled


WAYS = {
    "forces": (lambda: numba.njit(lambda t, q, v, out: None), lambda f: {"forces": f}),
    "controller": (
        lambda: numba.njit(lambda t, q, v, memory, out: None),
        lambda f: {"loads": [ls.Controller(f, 1e-3)]},
    ),
    "event": (lambda: numba.njit(lambda t, q, v: 1.0), lambda f: {"events": [ls.Event(f)]}),
    "time": (
        lambda: numba.njit(lambda t, out: None),
        lambda f: {"loads": [ls.Actuator("arm", f)]},
    ),
    "C": (
        lambda: numba.cfunc(SIGNATURE)(lambda which, t, q, v, memory, out: 0),
        lambda f: {"forces": f},
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_function_is_compiled_once_in_ten_runs(way, monkeypatch):
    made, given = WAYS[way]
    function = made()
    compiled = counted_compilations(monkeypatch)
    for _ in range(10):
        ls.simulate(SYSTEM, duration=1e-3, step=1e-3, integrator="rk4", **given(function))
    assert len(compiled) == 1


FACTOR = 1.0


def test_a_function_that_is_compiled_anew_is_wrapped_anew():
    global FACTOR

    @numba.njit
    def push(t, q, v, out):
        out[0] = FACTOR

    found = []
    for number in (1.0, 2.0):
        FACTOR = number
        push.recompile()
        found.append(ls.simulate(SYSTEM, duration=0.01, forces=push)["arm.force"][0, 0])
    assert found == [1.0, 2.0]


@pytest.mark.parametrize("function, value", ((pushing, "inf"), (in_c, "nan")))
def test_forces_that_are_not_finite_are_named_when_no_step_is_short_enough(function, value):
    with pytest.warns(ls.SimulationWarning, match=f"forces returned {value} at t = 0.3"):
        run = ls.simulate(SYSTEM, SYSTEM.state(arm=0.3), duration=1.0, forces=function)
    assert run.status == "not finite" and "body 'arm' is" in run.message


def test_a_trial_step_that_is_too_long_for_a_compiled_force_is_only_rejected():
    """Free flight in long steps against a soft wall; far behind it the force does not exist."""
    model = ls.Model("slider")
    model.add(ls.RigidBody(1.0), ls.Prismatic("x"), name="puck")
    system = model.compile()

    @numba.njit
    def wall(t, q, v, out):
        if q[0] > 1.5:
            out[0] = math.inf
        elif q[0] > 1.0:
            out[0] = -100.0 * (q[0] - 1.0)

    start = system.state(**{"puck.rates": 1.0})
    run = ls.simulate(system, start, duration=4.0, forces=wall)
    assert run.status == "finished"
    assert abs(run["puck.rates"][-1, 0] + 1.0) < 1e-6  # thrown back


def test_equilibrium_names_forces_that_are_not_finite():
    @numba.njit
    def push(t, q, v, out):
        out[0] = np.nan

    with pytest.raises(ls.LoadError, match="forces returned nan at t = 0 s"):
        ls.equilibrium(SYSTEM, SYSTEM.state(arm=0.1), forces=push)
