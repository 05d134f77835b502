"""Runs with what they say, runs that die, and calls that are refused."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import lissom as ls
from lissom.sim.run import record
from tests.samples.mechanisms import pendulum


class DeathError(BaseException):
    """What kills a run in this process."""


def swing(system=None, state=None, **options) -> ls.Trajectory:
    system = system() if system else pendulum()
    start = state(system) if state else system.state(rod=0.3)
    options = {"duration": 1.0, "step": 0.01, "progress": False, **options}
    return ls.simulate(system, start, **options)


def refused(call, kind, *words) -> str:
    with pytest.raises(kind) as caught:
        call()
    for word in words:
        assert word in str(caught.value), f"{word!r} is not in: {caught.value}"
    return str(caught.value)


def dying(patch, chunks):
    """Let runs die after so many chunks."""
    left, keep = [chunks], record.FileRecord.keep

    def keep_and_die(self, checkpoint, **end):
        keep(self, checkpoint, **end)
        left[0] -= 1
        if left[0] <= 0:
            raise DeathError

    patch.setattr(record.FileRecord, "keep", keep_and_die)


def told(*arguments, **settings):
    """Run and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = ls.simulate(*arguments, **settings)
    return run, [str(x.message) for x in caught]


def event_times(run):
    return np.array([t for t, _ in run.meta["events"]])
