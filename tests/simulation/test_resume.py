"""A run is resumed with its own arguments only, and an error says which are others."""

from __future__ import annotations

import dataclasses
import os
from functools import partial

import numpy as np
import pytest
from numba import njit

import lissom as ls
from lissom.errors import ResultError
from lissom.sim.run import machine, saving
from lissom.sim.run.settings import Settings, checked_settings
from lissom.sim.run.start import planned
from tests.samples.mechanisms import pendulum
from tests.samples.simulation_cases import contents
from tests.tools.runs import DeathError, dying, refused, swing

pytestmark = pytest.mark.skipif(os.name == "nt", reason="as the tests of files")


LOADS = {
    "loads": [
        ls.JointSpring("rod", 1.0, name="spring"),
        ls.NodeForce("rod", (0, 0, 1.0)),
        ls.NodeSpring("rod", (0, 0, 1.0), 3.0),
    ],
    "events": [ls.Event("rod", ls.Switch("spring"), value=5.0)],
}


def pull(t, state):
    return [STRENGTH * np.sin(t)]


STRENGTH = 0.5


class Pid:
    """Controller with a gain that stays and a sum that does not."""

    def __init__(self, gain):
        self.gain, self.sum = gain, 0.0

    def update(self, t, state):
        self.sum += float(state["rod"][0])
        return [-self.gain * self.sum]

    def get_state(self):
        return self.sum

    def set_state(self, saved):
        self.sum = saved


def scaled(k):
    return lambda t, state: [k * float(state["rod"][0])]


def other_system():
    model = ls.Model("pendulum", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody.rod(1.0, 2.001, com=(1, 0, 0)), ls.Revolute("y"), name="rod")
    return model.compile()


CHANGES = {
    "load 1 (JointSpring) stiffness (1.0 before, 2.0 now)": {
        "loads": [ls.JointSpring("rod", 2.0, name="spring"), *LOADS["loads"][1:]]
    },
    "load 3 (NodeSpring), missing": {"loads": LOADS["loads"][:2]},
    "load 4 (JointDamper), not there before": {
        "loads": [*LOADS["loads"], ls.JointDamper("rod", 0.1)]
    },
    "load 3 (NodeSpring)": {"loads": [*LOADS["loads"][:2], ls.NodeSpring("rod", (0, 0, 2.0), 3.0)]},
    "event 1 (Event) action": {"events": [ls.Event("rod", ls.Switch("spring", True), value=5.0)]},
    "event 1 (Event) value (5.0 before, 6.0 now)": {
        "events": [ls.Event("rod", ls.Switch("spring"), value=6.0)]
    },
    "event 1 (Event), missing": {"events": []},
    "step (0.01 before, 0.02 now)": {"step": 0.02},
    "adaptive (False before, True now)": {"step": None},
    "integrator": {"integrator": "generalized_alpha"},
    "output_step (0.01 before, 0.02 now)": {"output_step": 0.02},
    "start (0.0 before, 0.5 now)": {"start": 0.5},
    "start state": {"state": lambda system: system.state(rod=0.4)},
    "start state ": {"state": lambda system: system.state(**{"rod": 0.3, "rod.rates": 1.0})},
    "rtol (1e-08 before, 1e-06 now)": {"rtol": 1e-6},
    "atol": {"atol": 1e-6},
    "dense (False before, True now)": {"method": "composite"},
    "duration (1.0 before, 2.0 now)": {"duration": 2.0},
    "forces, not there before": {"forces": [1.0]},
    "system": {"system": other_system},
}


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("finished", [False, True])
def test_a_run_is_resumed_with_its_own_arguments_only(finished, tmp_path, monkeypatch):
    path = tmp_path / "run.nc"
    if finished:
        swing(**LOADS, file=path)
    else:
        with monkeypatch.context() as patch:
            dying(patch, 2)
            with pytest.raises(DeathError):
                swing(**LOADS, file=path)
    for words, change in CHANGES.items():
        call = lambda change=change: swing(**{**LOADS, **change}, resume=path)  # noqa: E731
        if finished and "duration" in change:
            words = "is finished and ends at t = 1 s"
        refused(call, ResultError, "run.nc", words.strip())
    assert contents(swing(**LOADS, resume=path)) == contents(swing(**LOADS))


FUNCTIONS = {
    "a number in it": (lambda t, s: [0.1 * t], lambda t, s: [0.2 * t]),
    "what it computes": (lambda t, s: [0.1 + t], lambda t, s: [0.1 * t]),
    "a number around it": (scaled(0.1), scaled(0.2)),
    "an array around it": (scaled(np.array(0.1)), scaled(np.array(0.2))),
    "a default": (lambda t, s, k=0.1: [k * t], lambda t, s, k=0.2: [k * t]),
    "an argument": (partial(max, 0.1), partial(max, 0.2)),
    "a gain": (Pid(0.1), Pid(0.2)),
    "a method": (Pid(0.1).update, Pid(0.2).update),
    "compiled": (njit(scaled(0.1)), njit(scaled(0.2))),
}


def words_for(function) -> dict:
    load = ls.Controller(function, 0.1) if isinstance(function, Pid) else None
    given = {"loads": [load]} if load else {"forces": function}
    plan = planned(pendulum(), given.get("forces"), given.get("loads", ()), ())
    settings = checked_settings(
        pendulum(),
        ls.RungeKutta4(),
        **{"duration": 1.0, "start": 0.0, "step": 0.01, "rtol": 1e-8, "atol": None},
        **{"output_step": None, "drift": "projection", "method": "auto"},
    )
    made = machine.Machine(plan, settings)
    made.begin(np.zeros(1), np.zeros(1), 0.01)
    return saving.inputs(made)


@pytest.mark.parametrize("what", [key for key in FUNCTIONS if key != "compiled"])
def test_functions_are_compared_by_what_can_be_had_of_them(what):
    a, b = map(words_for, FUNCTIONS[what])
    assert any(word in x for x in saving.differences(a, b) for word in ("forces", "update"))
    assert saving.differences(a, words_for(FUNCTIONS[what][0])) == []


def test_compiled_functions_are_compared_by_their_source():
    texts = [saving._text(x) for x in FUNCTIONS["compiled"]]
    assert texts[0] != texts[1] and texts[0] == saving._text(njit(scaled(0.1)))


def test_a_number_that_a_function_finds_in_its_module_is_compared(monkeypatch):
    before = words_for(pull)
    assert saving.differences(before, words_for(pull)) == []
    monkeypatch.setitem(globals(), "STRENGTH", 0.6)
    assert saving.differences(before, words_for(pull)) == ["forces"]


def test_what_functions_remember_is_not_compared():
    calls, pid = [], Pid(0.3)

    def counting(t, state):
        calls.append(t)
        return [0.0]

    before = words_for(counting), words_for(pid)
    calls.append(1.0)
    pid.sum = 7.0
    assert (words_for(counting), words_for(pid)) == before


def test_every_setting_of_a_run_is_compared():
    known = words_for(pull)
    assert {f.name for f in dataclasses.fields(Settings)} - {"drift"} <= set(known)


def test_a_journal_of_another_version_of_the_kernels_is_not_resumed(monkeypatch):
    before = words_for(pull)
    monkeypatch.setattr(saving.run, "M_HEADER", saving.run.M_HEADER + 1)
    other = {**before, "version": saving._layout.__wrapped__()}
    assert saving.differences(before, other) == ["version of lissom"]


def test_a_run_of_an_earlier_version_opens_but_is_not_resumed(tmp_path):
    path = tmp_path / "run.nc"
    swing(file=path)
    done = ls.load(path)
    meta = {key: value for key, value in done.meta.items() if key != "inputs"}
    ls.Trajectory(done.system, done.store, meta).save(path)
    assert len(ls.load(path)) == len(done)
    refused(lambda: swing(resume=path), ResultError, "run.nc", "new run from its last state")


def test_a_function_that_failed_may_be_corrected(tmp_path):
    path = tmp_path / "run.nc"
    with pytest.raises(ls.SimulationError, match="ZeroDivisionError"):
        swing(forces=lambda t, state: [0.0] if t < 0.5 else 1 / 0, file=path)
    call = lambda: swing(forces=lambda t, state: [0.0], resume=path, step=0.02)  # noqa: E731
    refused(call, ResultError, "different: step")
    run = swing(forces=lambda t, state: [0.0], resume=path)
    assert contents(run)["q"] == contents(swing())["q"]
