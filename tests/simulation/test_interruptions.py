"""Exceptions of handlers, and Ctrl-C, wherever they come: none is lost, none becomes an error."""

import gc
import signal
import sys
import time
import warnings
from dataclasses import dataclass

import numpy as np
import pytest

import lissom as ls
from lissom.algorithms.tree import escapes, own_joints
from lissom.sim.run import interrupts, runner
from lissom.sim.signals.callbacks import RunFunctions
from tests.samples.mechanisms import sled

POSIX = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="signals of POSIX")


SLED = sled()


@pytest.fixture(autouse=True)
def without_collector():
    """What is raised in a callback of the collector, as Hypothesis has one, is lost by Python."""
    gc.disable()
    yield
    gc.enable()


class Alarm(BaseException):
    """What the handler of a program raises."""


class Raising:
    """Tracer that raises at one instruction of a function, in its call number `call`."""

    def __init__(self, code, place, call, raised):
        self.code, self.place, self.call, self.raised = code, place, call, raised
        self.calls = self.passed = 0
        self.fired = False

    def __call__(self, frame, event, _argument):
        if frame.f_code is not self.code:
            return None
        self.calls += 1
        self.passed = 0
        frame.f_trace_opcodes = True
        return self.step if self.calls >= self.call and not self.fired else None

    def step(self, _frame, event, _argument):
        if not self.fired and event == "opcode":
            if self.passed == self.place:
                self.fired = True
                raise self.raised
            self.passed += 1
        return self.step


def traced(code, place, raised, action, call=7):
    """Do something with a tracer; whether it has raised."""
    tracer, before = Raising(code, place, call, raised), sys.gettrace()
    sys.settrace(tracer)
    try:
        action()
    finally:
        sys.settrace(before)
    return tracer.fired


def every_place(code, raised, action, ending):
    """Number of the instructions of a function at which an exception ended what was done."""
    for place in range(400):
        wrong = raised()
        try:
            fired = traced(code, place, wrong, action)
        except ending as error:
            seen = error
            while seen is not None and seen is not wrong:
                seen = seen.__cause__
            assert seen is wrong, (place, error)
        else:
            assert not fired, f"lost at instruction {place}"
            return place
    raise AssertionError("no end")


def short_run(**more):
    ls.simulate(SLED, duration=0.02, step=1e-3, integrator="rk4", **more)


def test_an_exception_at_any_instruction_of_a_call_ends_the_run():
    forced = {"forces": lambda t, state: [np.sin(t)]}
    n = every_place(RunFunctions._call.__code__, Alarm, lambda: short_run(**forced), Alarm)
    assert n > 40


def test_a_failure_at_any_instruction_of_a_call_is_the_cause_of_the_error():
    loads = [ls.Controller(lambda t, state: [np.sin(t)], 1e-3)]
    places = RunFunctions._call.__code__
    assert (
        every_place(places, RuntimeError, lambda: short_run(loads=loads), ls.SimulationError) > 40
    )


def test_an_exception_at_any_instruction_of_a_joint_of_the_user_is_raised():
    @dataclass(frozen=True, eq=False)
    class Slide(ls.Joint):
        coordinates = (("x", "m"),)

        def pose(self, q):
            return np.eye(3), np.array([q[0], 0, 0])

        def motion_map(self, q):
            return np.array([[0.0], [0], [0], [1], [0], [0]])

    model = ls.Model("own")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), Slide(), name="sled")
    system = model.compile()
    state = system.state(sled=0.1)

    def twice():
        for _ in range(8):
            ls.forward_dynamics(system, state)

    assert every_place(own_joints._serve.__code__, Alarm, twice, Alarm) > 40


@POSIX
def test_no_alarm_of_sixty_is_lost():
    class Late(Exception):
        pass

    def ring(*_):
        raise Late

    before, rng = signal.signal(signal.SIGALRM, ring), np.random.default_rng(0)
    lost = 0
    try:
        for _ in range(60):
            try:
                signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-3, 6e-3))
                while True:
                    short_run(forces=lambda t, state: [np.sin(t)])
                    if signal.getitimer(signal.ITIMER_REAL)[0] == 0.0:
                        time.sleep(0.05)  # one that came after the run is raised here
                        lost += 1
                    assert not lost
            except Late:
                pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert not lost


def test_hooks_of_others_are_left_as_they_were(monkeypatch):
    # An alarm of another test may have ended a watch between two of its lines.
    monkeypatch.setattr(escapes, "_HOOK", escapes._Hook())
    before, said = sys.unraisablehook, []
    sys.unraisablehook = said.append
    try:
        hook = sys.unraisablehook
        short_run(forces=lambda t, state: [1.0])
        assert sys.unraisablehook is hook and not said
    finally:
        sys.unraisablehook = before


# Ctrl-C

SEEN_IN = {
    runner.Runner._run.__code__,
    runner.Runner.run.__code__,
    runner.completed.__code__,
    interrupts.Interrupts.caught.__wrapped__.__code__,
    interrupts.Interrupts.obeyed.__code__,
    interrupts.Interrupts.pass_on.__code__,
}


class Pressing:
    """Tracer that presses Ctrl-C at one line of the functions in `SEEN_IN`."""

    def __init__(self, place):
        self.place, self.passed, self.fired = place, 0, False

    def __call__(self, frame, _event, _argument):
        return self.step if frame.f_code in SEEN_IN else None

    def step(self, _frame, event, _argument):
        if event == "line" and not self.fired:
            if self.passed == self.place:
                self.fired = True
                signal.raise_signal(signal.SIGINT)
            self.passed += 1
        return self.step


@POSIX
def test_ctrl_c_at_any_line_of_a_short_run_ends_it_or_is_raised():
    before = sys.gettrace()
    for place in range(400):
        tracer = Pressing(place)
        sys.settrace(tracer)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ls.SimulationWarning)
                status = ls.simulate(SLED, duration=0.02, step=1e-3, integrator="rk4").status
        except KeyboardInterrupt:
            status = "interrupted"
        finally:
            sys.settrace(before)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if not tracer.fired:
            break
        assert status == "interrupted", place
    assert 30 < place < 400


def pressed_once():
    """Force that presses Ctrl-C in its sixtieth call."""
    calls = []

    def force(t, state):
        calls.append(t)
        if len(calls) == 60:
            signal.raise_signal(signal.SIGINT)
        return [1.0]

    return force


def objective(time, q, v):
    return float(q[-1, 0]), np.zeros_like(q), np.zeros_like(v)


@POSIX
@pytest.mark.parametrize("name", ["sensitivity", "gradient"])
def test_ctrl_c_ends_sensitivities_and_is_no_error(name):
    settings = {"duration": 1.0, "step": 0.01, "forces": pressed_once()}
    with warnings.catch_warnings(), pytest.raises(KeyboardInterrupt):
        warnings.simplefilter("ignore", ls.SimulationWarning)
        if name == "gradient":
            ls.gradient(SLED, SLED.neutral(), objective, **settings)
        else:
            ls.sensitivity(SLED, SLED.neutral(), **settings)


CALLS = {
    "equilibrium": lambda force: ls.equilibrium(SLED, forces=force),
    "linearize": lambda force: ls.linearize(SLED, SLED.neutral(), forces=force),
    "load_derivatives": lambda force: ls.load_derivatives(SLED, SLED.neutral(), forces=force),
    "stepper": lambda force: ls.Stepper(SLED, step=0.1, loads=[ls.Controller(force, 0.1)]).step(),
}


@pytest.mark.parametrize("name", list(CALLS))
def test_ctrl_c_in_a_function_is_raised_as_such(name):
    def force(t, state):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        CALLS[name](force)


@POSIX
def test_ctrl_c_after_the_last_run_of_a_batch_is_passed_on():
    states = (np.zeros((2, 1)), np.zeros((2, 1)))
    calls = []

    def force(t, state):
        calls.append(t)
        return [0.0]

    ls.simulate_batch(SLED, states, duration=0.02, step=0.01, integrator="rk4", forces=force)
    whole = len(calls)
    calls.clear()

    def pressing(t, state):
        calls.append(t)
        if len(calls) == whole:
            signal.raise_signal(signal.SIGINT)
        return [0.0]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ls.SimulationWarning)
        try:
            runs = ls.simulate_batch(
                SLED, states, duration=0.02, step=0.01, integrator="rk4", forces=pressing
            )
        except KeyboardInterrupt:
            pass
        else:
            assert "interrupted" in runs.status
