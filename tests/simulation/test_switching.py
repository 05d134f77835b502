"""Runs of "auto" that switch between explicit and implicit steps by what the steps show."""

from __future__ import annotations

import os

import numpy as np
import pytest

import lissom as ls
from lissom.sim.run import runner
from tests.samples.simulation_cases import contents
from tests.tools.runs import DeathError, dying


def masses(*names):
    model = ls.Model("masses")
    for name in names:
        model.add(ls.RigidBody(1.0), ls.Prismatic("x"), name=name)
    return model.compile()


TWO = masses("slow", "stiff")
RATE = 5e4
LOADS = [
    ls.JointSpring("slow", 9.0),
    ls.JointSpring("stiff", RATE**2, damping=2 * RATE),
    ls.Actuator("stiff", lambda t: RATE**2 * np.sin(t)),
]


def test_steps_limited_by_stability_become_implicit():
    """A damped mass follows its spring's end: the explicit method would take 16,000 steps."""
    run = ls.simulate(TWO, TWO.state(slow=1.0), duration=2.0, loads=LOADS, rtol=1e-6)
    found = run.statistics
    assert found["switches"] >= 1 and found["implicit_time"] > 1.8
    assert "switched to Rosenbrock 3(2) at t = " in found["chosen"]
    assert found["integrator"] == "Dormand-Prince 8(5,3) and Rosenbrock 3(2)"
    assert found["steps"] < 8000
    assert np.abs(run.q[:, 0] - np.cos(3 * run.time)).max() < 1e-5
    assert np.abs(run.q[50:, 1] - np.sin(run.time[50:])).max() < 1e-4


def test_a_vibration_that_has_to_be_followed_stays_explicit():
    system = masses("mass")
    spring = ls.JointSpring("mass", 3e4**2)
    run = ls.simulate(system, system.state(mass=0.01), duration=0.05, loads=[spring])
    assert run.statistics["implicit_time"] < 0.01
    assert np.abs(run.q[:, 0] - 0.01 * np.cos(3e4 * run.time)).max() < 1e-7


def test_an_attempt_that_does_not_pay_is_ended():
    """Fast enough to limit stability, slow enough for accuracy to need the same steps."""
    rates = (150.0, 400.0)
    system = masses("slow", "fast")
    loads = [ls.JointSpring(name, k**2) for name, k in zip(("slow", "fast"), rates, strict=True)]
    start = system.state(slow=1.0)
    run = ls.simulate(system, start, duration=3.0, loads=loads, rtol=1e-9)
    assert run.statistics["implicit_time"] < 0.5
    assert np.abs(run.q[:, 0] - np.cos(150.0 * run.time)).max() < 1e-6


def switching():
    return {"duration": 1.0, "loads": LOADS, "rtol": 1e-6, "output_step": 0.01}


def test_where_compiled_code_returns_does_not_change_when_it_switches(monkeypatch):
    expected = contents(ls.simulate(TWO, TWO.state(slow=1.0), **switching()))
    monkeypatch.setattr(runner, "SLICE", 1e-4)
    assert contents(ls.simulate(TWO, TWO.state(slow=1.0), **switching())) == expected


@pytest.mark.skipif(os.name == "nt", reason="as the tests of files")
@pytest.mark.parametrize("chunks", [4, 30, 90])
def test_a_run_that_is_resumed_switches_at_the_same_step(
    chunks,
    tmp_path,
    small_chunks,
):
    path = tmp_path / "run.nc"
    expected = contents(ls.simulate(TWO, TWO.state(slow=1.0), **switching()))
    with pytest.MonkeyPatch.context() as patch, pytest.raises(DeathError):
        dying(patch, chunks)
        ls.simulate(TWO, TWO.state(slow=1.0), file=path, **switching())
    found = ls.simulate(TWO, TWO.state(slow=1.0), resume=path, **switching())
    assert found.statistics["switches"] >= 1
    assert contents(found) == expected
