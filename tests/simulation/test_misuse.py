"""Wrong input to a simulation: errors of our own that name part, value and remedy."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest
from numba import njit

import lissom as ls
from lissom.errors import LissomError, LoadError, ModelError, SingularError, StateError
from tests.samples.mechanisms import pendulum

GRAVITY = (0, 0, -9.81)
BRICK = ls.RigidBody.box(2.0, (0.2, 0.3, 0.4))


def model() -> ls.Model:
    """A joint of every kind that loads treat differently, one body each, and a boom."""
    built = ls.Model("zoo", gravity=GRAVITY)
    boom = ls.beam(
        1.0, ls.Rectangle(width=0.02, height=0.01), ls.ALUMINIUM, bending=1, torsion=0, stretch=0
    )
    built.add(boom, ls.Revolute("z"), name="boom")
    built.add(BRICK, ls.Fixed(), to="boom.tip", name="plate")
    built.add(BRICK, ls.Spherical(), name="ball", at=(0, 1, 0))
    built.add(BRICK, ls.Cylindrical("x"), name="tube", at=(0, 2, 0))
    compound = ls.CompoundJoint([np.eye(6)[:, [0, 3]], np.eye(6)[1]])
    built.add(BRICK, compound, name="cardan", at=(0, 3, 0))
    built.add(BRICK, ls.Free(), name="hub")
    return built


@cache
def zoo() -> ls.System:
    return model().compile()


def run(**options):
    """A short run of the zoo."""
    return ls.simulate(zoo(), **{"duration": 0.01, "step": 1e-3, **options})


def swing(**options):
    """A short run of the pendulum."""
    return ls.simulate(pendulum(), **{"duration": 0.01, **options})


def refused(call, kind, *words) -> str:
    """The message of a call's error, which must contain the words."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(kind) as caught:
            call()
    message = str(caught.value)
    assert isinstance(caught.value, LissomError)
    for word in words:
        assert word in message, f"{word!r} is not in: {message}"
    return message


def cases(given):
    return pytest.mark.parametrize("case", given.values(), ids=given.keys())


# Settings

SETTINGS = {
    "no duration": (lambda: swing(duration=0), "duration is 0", "positive time [s]"),
    "negative duration": (lambda: swing(duration=-1.0), "duration is -1.0", "positive time"),
    "duration NaN": (lambda: swing(duration=np.nan), "duration is nan", "positive time"),
    "infinite duration": (lambda: swing(duration=np.inf), "duration is inf", "positive time"),
    "duration as text": (lambda: swing(duration="10"), "duration is '10'", "positive time"),
    "duration True": (lambda: swing(duration=True), "duration is True", "positive time"),
    "duration as an array": (lambda: swing(duration=np.ones(2)), "duration is", "positive time"),
    "no step": (lambda: swing(step=0.0), "step is 0.0", "positive time"),
    "negative step": (lambda: swing(step=-1e-3), "step is -0.001", "positive time"),
    "step NaN": (lambda: swing(step=np.nan), "step is nan", "positive time"),
    "infinite step": (lambda: swing(step=np.inf), "step is inf", "positive time"),
    "output_step NaN": (lambda: swing(output_step=np.nan), "output_step is nan", "positive"),
    "negative output_step": (lambda: swing(output_step=-1), "output_step is -1", "positive"),
    "output_step no multiple": (
        lambda: swing(step=2e-3, output_step=3e-3),
        "output_step is 0.003 s",
        "fixed step of 0.002 s",
        "multiple",
        "such as 0.004",
    ),
    "output_step below step": (
        lambda: swing(step=2e-3, output_step=1e-3),
        "output_step is 0.001 s",
        "such as 0.002",
    ),
    "start NaN": (lambda: swing(start=np.nan), "start is nan", "finite time [s]"),
    "start far away": (lambda: swing(start=1e15), "duration of 0.01 s is below", "t = 1e+15 s"),
    "start far for its step": (
        lambda: swing(start=1e9, step=1e-6),
        "step of 1e-06 s is below floating-point resolution at t = 1e+09 s",
        "nearer to zero",
    ),
    "start as text": (lambda: swing(start="now"), "start is 'now'", "finite time [s]"),
    "rtol zero": (lambda: swing(rtol=0), "rtol is 0", "from 1e-15 to below 1"),
    "rtol one": (lambda: swing(rtol=1.0), "rtol is 1.0", "from 1e-15 to below 1"),
    "rtol negative": (lambda: swing(rtol=-1e-6), "rtol is -1e-06", "from 1e-15 to below 1"),
    "rtol NaN": (lambda: swing(rtol=np.nan), "rtol is nan", "from 1e-15 to below 1"),
    "rtol as a list": (lambda: swing(rtol=[1e-6]), "rtol is [1e-06]", "from 1e-15 to below 1"),
    "atol of wrong shape": (lambda: swing(atol=[1e-6, 1e-6]), "atol is [1e-06, 1e-06]", "(1,)"),
    "atol negative": (lambda: swing(atol=-1e-6), "atol is -1e-06", "a positive number"),
    "atol NaN": (lambda: swing(atol=np.nan), "atol is nan", "a positive number"),
    "atol as text": (lambda: swing(atol="small"), "atol is 'small'", "a positive number"),
    "time_limit zero": (lambda: swing(time_limit=0), "time_limit is 0", "positive time"),
    "time_limit NaN": (lambda: swing(time_limit=np.nan), "time_limit is nan", "positive time"),
    "unknown integrator": (
        lambda: swing(integrator="dopri"),
        "no integrator 'dopri'",
        "did you mean 'dopri5'?",
    ),
    "strange integrator": (lambda: swing(integrator="magic"), "no integrator 'magic'", "known:"),
    "integrator as number": (lambda: swing(integrator=4), "integrator is 4", "a name"),
    "fixed steps without step": (
        lambda: swing(integrator="rk4"),
        "RK4 needs a fixed step",
        "give step=",
    ),
    "Euler without step": (
        lambda: swing(integrator="euler-cromer"),
        "Euler-Cromer needs a fixed step",
        "give step=",
    ),
    "spectral radius": (
        lambda: ls.GeneralizedAlpha(spectral_radius=1.2),
        "spectral_radius is 1.2",
        "0 to 1",
    ),
    "tolerance of iterations": (
        lambda: ls.GeneralizedAlpha(tolerance=0),
        "tolerance is 0",
        "expected",
    ),
    "file as number": (lambda: swing(file=3), "file is 3", "path"),
    "resume True": (lambda: swing(resume=True), "resume is True", "path"),
}


@cases(SETTINGS)
def test_settings(case):
    call, *words = case
    refused(call, LoadError, *words)


def test_the_state_must_be_of_this_system():
    other = zoo().state()
    refused(lambda: swing(state=other), StateError, "other bodies", "use system.state(...)")
    refused(lambda: swing(state=[0.0]), StateError, "State")
    refused(lambda: ls.simulate(model(), duration=1.0), LissomError, "compile")


# Loads by themselves

DESCENDING = [0.0, 1.0, 0.5]


class Forgetful:
    """A controller that can save what it remembers but not take it back."""

    def update(self, t, state):
        return [0.0]

    def get_state(self):
        return 1


LOADS = {
    "descending times": (
        lambda: ls.Table(DESCENDING, [1, 2, 3]),
        "times must ascend",
        "times[1] = 1.0",
        "0.5",
    ),
    "equal times": (lambda: ls.Table([0, 1, 1], [1, 2, 3]), "times must ascend", "times[2]"),
    "a table of one time": (lambda: ls.Table([0.0], [1.0]), "n >= 2", "(1,)"),
    "values too few": (lambda: ls.Table([0, 1, 2], [1, 2]), "3 times but 2 values", "one for each"),
    "times NaN": (lambda: ls.Table([0, np.nan], [1, 2]), "times", "not finite"),
    "values as text": (lambda: ls.Table([0, 1], ["a", "b"]), "values", "numbers"),
    "kind of table": (lambda: ls.Table([0, 1], [1, 2], "cubic"), "'cubic'", '"smooth"'),
    "period zero": (
        lambda: ls.Controller(lambda t, s: [0], 0, name="pid"),
        "pid: period is 0",
        "positive time",
    ),
    "period negative": (
        lambda: ls.Controller(lambda t, s: [0], -0.1),
        "period is -0.1",
        "positive time",
    ),
    "period NaN": (lambda: ls.Controller(lambda t, s: [0], np.nan), "period is nan", "positive"),
    "period inf": (lambda: ls.Controller(lambda t, s: [0], np.inf), "period is inf", "positive"),
    "period True": (lambda: ls.Controller(lambda t, s: [0], True), "period is True", "positive"),
    "period as text": (lambda: ls.Controller(lambda t, s: [0], "1"), "period is '1'", "positive"),
    "controller not callable": (
        lambda: ls.Controller(3.0, 0.1),
        "update is 3.0",
        "method update(time, state)",
    ),
    "ratio zero": (lambda: ls.Actuator("rod", ratio=0), "Actuator on 'rod'", "ratio is 0"),
    "limit negative": (lambda: ls.Actuator("rod", limit=-1), "limit is -1", "positive"),
    "rotor inertia": (
        lambda: ls.Actuator("rod", rotor_inertia=-1),
        "rotor_inertia is -1",
        "zero or more",
    ),
    "stiffness": (lambda: ls.JointSpring("rod", -3), "JointSpring on 'rod'", "stiffness is -3"),
    "stiffness NaN": (lambda: ls.JointSpring("rod", np.nan), "stiffness is nan", "zero or more"),
    "damping": (lambda: ls.JointDamper("rod", "much"), "damping is 'much'", "zero or more"),
    "friction": (lambda: ls.JointFriction("rod", -1), "force is -1", "zero or more"),
    "friction speed": (lambda: ls.JointFriction("rod", 1, speed=0), "speed is 0", "positive"),
    "stops": (
        lambda: ls.JointStop("rod", 1, -1, stiffness=1),
        "lower is 1",
        "upper is -1",
        "lower < upper",
    ),
    "axes": (lambda: ls.NodeForce("rod", (0, 0, 1), axes="node"), "axes is 'node'", '"world"'),
    "length": (lambda: ls.NodeSpring("rod", (0, 0, 0), 1, length=-1), "length is -1", "zero"),
    "a motion of nothing": (
        lambda: ls.Motion("rod"),
        "Motion on 'rod'",
        "give position, velocity or acceleration",
    ),
    "a motion given twice": (
        lambda: ls.Motion("rod", velocity=1, acceleration=1),
        "both given",
        "give one",
    ),
    "a rate beside a constant": (
        lambda: ls.Motion("rod", 1.0, velocity=0.0),
        "velocity is given with a position that is a constant or a table",
        "leave velocity out",
    ),
    "a rate that is no function": (
        lambda: ls.Motion("rod", np.sin, velocity=np.cos, acceleration=1.0),
        "acceleration is 1.0",
        "function of time",
    ),
    "an integer beyond all floats": (
        lambda: ls.Actuator("rod", ratio=10**5000),
        "Actuator on 'rod': ratio is of type int",
        "one finite number",
    ),
    "too much inertia": (
        lambda: ls.Actuator("rod", ratio=1e200, rotor_inertia=1.0),
        "rotor_inertia times ratio squared is inf",
        "smaller",
    ),
    "numbers as text": (lambda: ls.JointDamper("rod", ["1"]), "damping is ['1']", "zero or more"),
    "name of a load": (lambda: ls.JointDamper("rod", 1, name=[1]), "name is [1]", "text"),
    "on as text": (lambda: ls.JointDamper("rod", 1, on="off"), "on is 'off'", "True or False"),
    "joint as a number": (lambda: ls.Lock(3), "Lock: joint is 3", "name of the body"),
    "load as a load": (lambda: ls.Switch([1]), "Switch: load is [1]", "name of a load"),
    "get_state without set_state": (
        lambda: ls.Controller(Forgetful(), 0.1, name="pid"),
        "pid: update has get_state()",
        "both or neither",
    ),
    "spacing": (lambda: ls.Motion("rod", np.sin, spacing=0), "spacing is 0", "positive time"),
    "event on nothing": (lambda: ls.Event(None), "when is None", "f(time, state)"),
    "direction": (lambda: ls.Event("rod", direction=2), "direction is 2", "-1, 0 or 1"),
    "value": (lambda: ls.Event("rod", value=np.nan), "value is nan", "finite number"),
    "action": (lambda: ls.Event("rod", "stop"), "action is 'stop'", "Stop()", "Switch(load, on)"),
    "action as a class": (lambda: ls.Event("rod", ls.Stop), "action is", "Stop()"),
}


@cases(LOADS)
def test_loads_that_are_wrong_by_themselves(case):
    call, *words = case
    refused(call, LoadError, *words)


# Loads on a system

SMOOTH = ls.Table([0, 1, 2], [0, 1, 0], "smooth")
ON_A_SYSTEM = {
    "a class": (lambda: run(loads=[ls.Motion]), "loads contains", "Motion", "Load objects"),
    "a dictionary": (lambda: run(loads={"boom": 1.0}), "loads", "boom", "Load"),
    "a number": (lambda: run(loads=3), "loads is 3", "a list of Load objects"),
    "an event among loads": (lambda: run(loads=[ls.Event("boom")]), "loads contains", "Load"),
    "a load among events": (
        lambda: run(events=[ls.JointDamper("boom", 1)]),
        "events contains",
        "Event objects",
    ),
    "driven twice": (
        lambda: run(loads=[ls.Motion("boom", np.sin), ls.Motion("boom", np.cos, name="other")]),
        "joint 'boom' is driven twice",
        "Motion on 'boom'",
        "'other'",
        "keep one",
    ),
    "a linear table for a position": (
        lambda: run(loads=[ls.Motion("boom", ls.Table([0, 1], [0, 1]))]),
        "Motion on 'boom'",
        "position",
        "'linear' table",
        'kind="monotone"',
    ),
    "a stepped table for a velocity": (
        lambda: run(loads=[ls.Motion("boom", velocity=ls.Table([0, 1], [0, 1], "steps"))]),
        "velocity",
        "'steps' table",
    ),
    "motion of a fixed joint": (
        lambda: run(loads=[ls.Motion("plate", 0.0)]),
        "Motion on 'plate'",
        "joint of body 'plate' is fixed",
    ),
    "spring on a fixed joint": (
        lambda: run(loads=[ls.JointSpring("plate", 1)]),
        "'plate'",
        "fixed",
    ),
    "spring on a compound joint": (
        lambda: run(loads=[ls.JointSpring("cardan", 1)]),
        "JointSpring on 'cardan'",
        "CompoundJoint",
        "use NodeSpring",
    ),
    "stop on a compound joint": (
        lambda: run(loads=[ls.JointStop("cardan", 0, 1, stiffness=1)]),
        "'cardan'",
        "CompoundJoint",
    ),
    "stop on a ball": (
        lambda: run(loads=[ls.JointStop("ball", 0, 1, stiffness=1)]),
        "'ball'",
        "Spherical",
    ),
    "rest of a ball": (
        lambda: run(loads=[ls.JointSpring("ball", 1, rest=[1, 0, 0])]),
        "rest is [1, 0, 0]",
        "neutral",
    ),
    "position of a compound joint": (
        lambda: run(loads=[ls.Motion("cardan", lambda t: [t, t])]),
        "Motion on 'cardan'",
        "CompoundJoint",
        "give velocity or acceleration",
    ),
    "velocity without acceleration": (
        lambda: run(loads=[ls.Motion("boom", np.sin, velocity=np.cos)]),
        "with velocity also give acceleration",
    ),
    "unknown joint": (
        lambda: run(loads=[ls.Actuator("bom", 1)]),
        "Actuator on 'bom'",
        "did you mean 'boom'?",
    ),
    "unknown node": (
        lambda: run(loads=[ls.NodeForce("boom.tipp", (0, 0, 1))]),
        "NodeForce on 'boom.tipp'",
        "did you mean 'tip'?",
    ),
    "unknown body of a spring": (
        lambda: run(loads=[ls.NodeSpring("hubb", "boom.tip", 1)]),
        "hubb",
        "did you mean 'hub'?",
    ),
    "a place that is none": (
        lambda: run(loads=[ls.NodeSpring("hub", (1, 2), 1)]),
        "(1, 2) is not a place",
        "three numbers",
    ),
    "a spring from a node to itself": (
        lambda: run(loads=[ls.NodeSpring("hub", "hub", 1)]),
        "both ends are",
        "node",
    ),
    "force of wrong size": (
        lambda: run(loads=[ls.Actuator("tube", 1.0)]),
        "Actuator on 'tube'",
        "force",
        "2 numbers",
    ),
    "force NaN": (lambda: run(loads=[ls.Actuator("boom", np.nan)]), "force is nan", "finite"),
    "force as text": (lambda: run(loads=[ls.Actuator("boom", "3")]), "Actuator on 'boom'", "'3'"),
    "table of wrong size": (
        lambda: run(loads=[ls.Actuator("tube", SMOOTH)]),
        "1 values a row",
        "expected 2",
    ),
    "node force of wrong size": (
        lambda: run(loads=[ls.NodeForce("hub", (1, 2))]),
        "NodeForce on 'hub': force",
        "3 numbers",
    ),
    "node moment of wrong size": (
        lambda: run(loads=[ls.NodeForce("hub", moment=1.0)]),
        "NodeForce on 'hub': moment",
        "3 numbers",
    ),
    "stiffness of wrong size": (
        lambda: run(loads=[ls.JointSpring("tube", [1, 2, 3])]),
        "stiffness has shape (3,)",
        "(2,)",
    ),
    "damping of wrong size": (
        lambda: run(loads=[ls.JointDamper("tube", [1, 2, 3])]),
        "damping has shape (3,)",
        "(2,)",
    ),
    "function of three arguments": (
        lambda: run(loads=[ls.Actuator("boom", lambda a, b, c: 0.0)]),
        "takes 3 arguments",
        "(time, state)",
    ),
    "function of no argument": (
        lambda: run(loads=[ls.Actuator("boom", lambda: 0.0)]),
        "Actuator on 'boom'",
        "TypeError",
        "takes 0",
    ),
    "memory as text": (
        lambda: run(forces=ls.Controller(lambda t, s: [0], 0.1, memory="much")),
        "memory is 'much'",
    ),
    "unknown body in forces": (lambda: run(forces={"bom": 1.0}), "bom", "did you mean 'boom'?"),
    "forces of wrong size": (lambda: run(forces=[1.0, 2.0]), "forces", "(2,)"),
    "forces NaN": (lambda: run(forces=np.full(17, np.nan)), "forces", "finite"),
    "event on an unknown joint": (
        lambda: run(events=[ls.Event("bom")]),
        "event 'bom'",
        "did you mean 'boom'?",
    ),
    "event on several motions": (
        lambda: run(events=[ls.Event("tube", name="half way")]),
        "event 'half way'",
        "joint 'tube' has 2 motions",
        "function",
    ),
    "event on a fixed joint": (lambda: run(events=[ls.Event("plate")]), "event 'plate'", "fixed"),
    "lock of an unknown joint": (
        lambda: run(events=[ls.Event("boom", ls.Lock("tubes"))]),
        "event 'boom'",
        "did you mean 'tube'?",
    ),
    "lock of a driven joint": (
        lambda: run(
            loads=[ls.Motion("boom", np.sin)],
            events=[ls.Event(lambda t, s: t - 1, ls.Lock("boom"), name="late")],
        ),
        "event 'late'",
        "joint 'boom' is driven by",
        "Motion on 'boom'",
        "cannot be locked",
    ),
    "switch of an unknown load": (
        lambda: run(
            loads=[ls.JointSpring("boom", 1, name="spring")],
            events=[ls.Event("boom", ls.Switch("sprung"))],
        ),
        "event 'boom'",
        "no load 'sprung'",
        "did you mean 'spring'?",
    ),
}


@cases(ON_A_SYSTEM)
def test_loads_that_do_not_fit_the_system(case):
    call, *words = case
    refused(call, LissomError, *words)


# Functions at the start: nothing has been computed, nothing written

AT_THE_START = {
    "forces of wrong shape": (
        {"forces": lambda t, s: [0.0, 1.0]},
        "forces returned",
        "shape (2,)",
        "t = 0 s",
        "(1,)",
    ),
    "forces in two dimensions": ({"forces": lambda t, s: [[0.0]]}, "shape (1, 1)", "(1,)"),
    "forces NaN": ({"forces": lambda t, s: [np.nan]}, "forces returned [nan]", "finite"),
    "forces None": ({"forces": lambda t, s: None}, "forces returned None", "expected a number"),
    "forces as text": (
        {"forces": lambda t, s: "much"},
        "forces returned 'much'",
        "expected a number",
    ),
    "forces complex": ({"forces": lambda t, s: [1j]}, "forces returned [1j]", "expected a number"),
    "forces of an unknown body": (
        {"forces": lambda t, s: {"rodd": 1.0}},
        "rodd",
        "did you mean 'rod'?",
        "t = 0 s",
    ),
    "forces of a missing argument": (
        {"forces": lambda t: [0.0]},
        "forces raised TypeError",
        "start",
    ),
    "forces that raise": (
        {"forces": lambda t, s: s["rodd"]},
        "forces raised",
        "at the start",
        "did you mean 'rod'?",
    ),
    "actuator": (
        {"loads": [ls.Actuator("rod", lambda t: [1, 2])]},
        "Actuator on 'rod'",
        "shape (2,)",
        "(1,)",
    ),
    "controller": (
        {"forces": ls.Controller(lambda t, s: np.inf, 0.1, name="pid")},
        "pid returned inf",
        "finite",
    ),
    "controller raises": (
        {"forces": ls.Controller(lambda t, s: 1 / 0, 0.1, name="pid")},
        "pid raised ZeroDivisionError at the start",
    ),
    "motion": (
        {"loads": [ls.Motion("rod", lambda t: [t, t])]},
        "Motion on 'rod': position",
        "(1,)",
    ),
    "motion NaN": ({"loads": [ls.Motion("rod", lambda t: np.nan)]}, "Motion on 'rod'", "finite"),
    "motion raises": (
        {"loads": [ls.Motion("rod", lambda t: {}[1])]},
        "Motion on 'rod'",
        "raised KeyError",
    ),
    "event": (
        {"events": [ls.Event(lambda t, s: [1, 2], name="two")]},
        "event 'two'",
        "shape (2,)",
        "(1,)",
    ),
    "event of true and false": (
        {"events": [ls.Event(lambda t, s: t > 0.5, name="late")]},
        "event 'late' returned False",
        "a number that crosses zero",
    ),
    "event raises": (
        {"events": [ls.Event(lambda t, s: s.nothing, name="bad")]},
        "event 'bad'",
        "AttributeError",
    ),
    "node force": (
        {"loads": [ls.NodeForce("rod", lambda t: 1.0)]},
        "NodeForce on 'rod': force",
        "(3,)",
    ),
}


@cases(AT_THE_START)
def test_functions_that_are_wrong_at_the_start(case, tmp_path):
    options, *words = case
    refused(lambda: swing(file=tmp_path / "run.nc", **options), LoadError, *words)
    assert not list(tmp_path.iterdir())


@njit
def bad_forces(t, q, v):
    return 0.0


@njit
def text_event(t, q, v):
    return "late"


@njit
def nan_forces(t, q, v, out):
    out[0] = np.nan


def test_compiled_functions_of_the_wrong_form():
    form = "f(time, q, v, out)"
    refused(lambda: swing(forces=bad_forces), LoadError, "forces", "cannot be called as", form)
    form = "f(time, q, v, memory, out)"
    call = lambda: swing(forces=ls.Controller(bad_forces, 0.1, name="pid"))  # noqa: E731
    refused(call, LoadError, "pid", form)
    call = lambda: swing(events=[ls.Event(nan_forces, name="late")])  # noqa: E731
    refused(call, LoadError, "event 'late'", "f(time, q, v) -> float")
    call = lambda: swing(events=[ls.Event(text_event, name="late")])  # noqa: E731
    refused(call, LoadError, "event 'late'", "f(time, q, v) -> float")
    call = lambda: swing(loads=[ls.Actuator("rod", bad_forces)])  # noqa: E731
    refused(call, LoadError, "Actuator on 'rod'", "f(time, out)")
    call = lambda: swing(loads=[ls.Motion("rod", bad_forces)])  # noqa: E731
    refused(call, LoadError, "Motion on 'rod'", "f(time, out)")


def test_a_compiled_function_that_is_not_finite_at_the_start():
    words = ("cannot start", "forces returned nan at t = 0 s", "force", "'rod'", "nan")
    refused(lambda: swing(forces=nan_forces), LoadError, *words)


# Functions that go wrong later


def after(t_bad, good, bad):
    """Function that does well until an instant."""

    def function(t, state):
        return bad() if t > t_bad else good

    return function


LATER = {
    "NaN": (lambda: [np.nan], "forces returned [nan]", "finite"),
    "shape": (lambda: [0.0, 0.0], "forces returned", "shape (2,)"),
    "None": (lambda: None, "forces returned None", "expected a number"),
    "raises": (lambda: 1 / 0, "forces raised ZeroDivisionError", "division by zero"),
    "unknown body": (lambda: {"rodd": 1.0}, "did you mean 'rod'?"),
    "raises nothing much": (lambda: (_ for _ in ()).throw(RuntimeError()), "raised RuntimeError"),
}


@cases(LATER)
def test_functions_that_go_wrong_later(case):
    bad, *words = case
    forces = after(0.352, [0.0], bad)
    with pytest.raises(ls.SimulationError) as caught:
        swing(duration=1.0, step=0.01, forces=forces)
    message = str(caught.value)
    for word in [*words, "at t = 0.3"]:
        assert word in message, message
    assert message.count("at t =") == 1, message
    assert caught.value.__cause__ is not None
    run = caught.value.trajectory
    assert run.status == "failed" and run.time[-1] == pytest.approx(0.35)
    assert len(run) == 36 and run.message in message


# Drives, equilibrium, results


def test_flexible_drives():
    drive = {"stiffness": 100.0, "rotor_inertia": 1e-4}
    for name, words in (
        ("ball", ("body 'ball'", "revolute or prismatic")),
        ("plate", ("body 'plate'", "revolute or prismatic")),
        ("bom", ("no body 'bom'", "did you mean 'boom'?")),
    ):
        refused(lambda name=name: ls.flexible_drive(model(), name, **drive), ModelError, *words)
    for extra, words in (
        ({"stiffness": 0}, ("stiffness is 0", "positive")),
        ({"rotor_inertia": -1}, ("rotor_inertia is -1", "positive")),
        ({"ratio": 0.1}, ("ratio is 0.1", "1 or more")),
        ({"damping": np.nan}, ("damping is nan", "zero or more")),
    ):
        call = lambda extra=extra: ls.flexible_drive(model(), "boom", **{**drive, **extra})  # noqa: E731
        refused(call, LoadError, *words)
    refused(lambda: ls.flexible_drive(zoo(), "boom", **drive), LoadError, "expected a Model")


def test_no_equilibrium_where_nothing_holds():
    """What falls is named, and not what swings beside it and has not come to rest."""
    built = ls.Model("falling", gravity=GRAVITY)
    boom = ls.beam(
        1.0, ls.Rectangle(width=0.02, height=0.01), ls.ALUMINIUM, bending=1, torsion=0, stretch=0
    )
    built.add(boom, ls.Revolute("y"), name="boom")
    built.add(BRICK, ls.Free(), name="hub", at=(0, 1, 0))
    system = built.compile()
    words = ("nothing holds", "held=['hub']", "add a spring")
    error = refused(lambda: ls.equilibrium(system), SingularError, *words)
    assert "body 'hub'" in error
    refused(lambda: ls.equilibrium(system, held=["hubb"]), LoadError, "did you mean 'hub'?")
    refused(lambda: ls.equilibrium(system, loads=[ls.Actuator]), LoadError, "Load objects")


def test_unknown_channels():
    run = swing(duration=0.1)
    refused(
        lambda: run["rod.positon"],
        StateError,
        "body 'rod' has no 'positon'",
        "did you mean 'position'?",
    )
    refused(lambda: run["rodd.position"], StateError, "rodd")
    refused(lambda: run.state(0.2), StateError, "0.2", "0.1")
