"""Runs with contacts that are interrupted, taken in parts, stepped, or done many at a time."""

from __future__ import annotations

import os
import pickle
import warnings

import numpy as np
import pytest

import lissom as ls
from lissom.batches.device_runs import check_runnable
from lissom.errors import LoadError, ResultError
from lissom.sim.loads.contact import Hertz
from lissom.sim.run import runner
from lissom.sim.run.prepare import prepared
from lissom.sim.run.settings import run_options
from tests.samples.contacts import LOSSY, RADIUS, falling_ball, ground_contact

BALL = falling_ball(gravity=9.81)
START = BALL.state(q=[RADIUS + 1e-4], v=[-0.1])
STEPS = {
    "adaptive": {"integrator": "dopri5"},
    "fixed": {"integrator": "rk4", "step": 1e-3},
    "implicit": {"integrator": "generalized_alpha", "step": 1e-3},
}

# Evaluations of a part: enough for some rows, so that each goes on from a new place
BUDGETS = {"adaptive": 200, "fixed": 800, "implicit": 150}


def bouncing(kind, law=LOSSY, **options):
    events = [ls.Event("foot", (), direction=1, once=True, name="up")]
    settings = {"duration": 0.045, "progress": False, **STEPS[kind], **options}
    return ls.simulate(BALL, START, loads=[ground_contact(BALL, law)], events=events, **settings)


def contents(run):
    """All rows and records."""
    fields = run.store.columns.fields
    rows = np.column_stack([run.store.read(x).reshape(len(run), -1) for x in fields])
    touches = [event.touch and event.touch.plain() for event in run.events]
    return rows.tobytes(), run.events, touches, run.statistics["touch_downs"]


@pytest.mark.parametrize("kind", STEPS)
def test_an_interrupted_run_goes_on_bit_for_bit(kind, tmp_path, monkeypatch):
    whole, path = bouncing(kind), tmp_path / "run.nc"
    assert len(whole.events) >= 5
    monkeypatch.setattr(runner, "FIRST_BUDGET", BUDGETS[kind])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        part = bouncing(kind, file=path, time_limit=1e-9)
        parts = 1
        while part.status == "time limit":
            assert os.path.exists(f"{path}.part")
            part = bouncing(kind, resume=path, time_limit=1e-9)
            parts += 1
    assert parts > 1 and contents(part) == contents(whole)
    assert contents(ls.Trajectory.load(path)) == contents(whole)


@pytest.mark.parametrize(
    "other",
    [
        {"law": Hertz(stiffness=1.1e7, restitution=0.6, at_speed=1.0)},
        {"law": Hertz(stiffness=1e7, restitution=0.7, at_speed=1.0)},
    ],
)
def test_a_run_with_another_contact_is_not_continued(other, tmp_path):
    path = tmp_path / "run.nc"
    with pytest.warns(ls.SimulationWarning, match="time limit"):
        bouncing("fixed", file=path, time_limit=1e-9)
    with pytest.raises(ResultError, match=r"different: load 1 \(Contact\) law"):
        bouncing("fixed", resume=path, **other)


def test_trajectories_are_pickled_with_their_contacts():
    run = bouncing("fixed")
    assert contents(pickle.loads(pickle.dumps(run))) == contents(run)


def test_a_stepper_records_what_a_run_does():
    loads = [ground_contact(BALL, LOSSY)]
    stepper = ls.Stepper(BALL, START, step=1e-3, integrator="rk4", loads=loads)
    for _ in range(20):
        stepper.step()
    other = stepper.copy()
    for _ in range(30):
        stepper.step()
        other.step()
    run = ls.simulate(
        BALL, START, duration=0.05, step=1e-3, integrator="rk4", loads=loads, progress=False
    )
    assert stepper.events == run.events == other.events and len(run.events) >= 4
    touches = [[x.touch.plain() for x in one.events] for one in (run, stepper, other)]
    assert touches[0] == touches[1] == touches[2]
    np.testing.assert_array_equal(stepper.v, run.v[-1])
    assert stepper["foot.gap"] == run["foot.gap"][-1]
    stepper.reset()
    assert not stepper.events and stepper["foot.gap"] == pytest.approx(1e-4)
    for _ in range(50):
        stepper.step()
    assert stepper.events == run.events


def test_many_runs_are_those_of_simulate():
    loads = [ground_contact(BALL, LOSSY)]
    settings = {"duration": 0.01, "loads": loads, "integrator": "dopri5", "output_step": 1e-3}
    states = [BALL.state(q=[RADIUS + 1e-3], v=[-speed]) for speed in (0.3, 0.5, 1.0)]
    runs = ls.simulate_batch(BALL, states, progress=False, **settings)
    for k, state in enumerate(states):
        alone = ls.simulate(BALL, state, progress=False, **settings)
        assert contents(runs[k])[:3] == contents(alone)[:3]
    assert np.asarray(runs["foot.gap"]).shape == (3, 11)


def test_a_gpu_refuses_contacts_by_name():
    contact = ground_contact(BALL, LOSSY)
    asked = {"duration": 0.01, "loads": [contact], "integrator": "rk4", "step": 1e-3}
    options = run_options(asked)
    with pytest.raises(LoadError, match="contacts are for the CPU.*'foot'"):
        check_runnable(prepared(BALL, START, options))
