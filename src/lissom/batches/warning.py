"""Warnings of many runs: those of `simulate`, each said once."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ..errors import SimulationWarning
from ..sim.run.drive_checks import warn_of_winding
from ..sim.run.prepare import Prepared
from ..sim.run.reasons import Outcome
from ..sim.warnings.accuracy import warn_of_long_steps, warn_of_singular
from ..sim.warnings.inextensible import warn_of_inextensible
from ..sim.warnings.jumps import warn_of_jumps
from ..sim.warnings.linear_limits import warn_of_limits
from ..sim.warnings.spins import fast_spins, warn_of_spins
from .runs import Runs

ENDED = ("finished", "event")
MOST = 5  # warnings of a batch
LOOKED_AT = 8  # runs whose rows are compared with the limits of their models
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")


@contextmanager
def collected_warnings(count: int, which: str = "") -> Iterator[None]:
    """Warnings of many runs, each said once, with the number of runs that it is true of.

    Parameters
    ----------
    count : int
        Number of runs.
    which : str
        Which runs these are, if not all of a batch.
    """
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", SimulationWarning)
        yield
    texts: dict[str, str] = {}  # the first of those that differ in numbers alone
    counts: Counter[str] = Counter()
    for x in found:
        if not issubclass(x.category, SimulationWarning):
            warnings.warn_explicit(x.message, x.category, x.filename, x.lineno)
            continue
        kind = _NUMBER.sub("#", str(x.message))
        texts.setdefault(kind, str(x.message))
        counts[kind] += 1
    for kind, n in counts.most_common(MOST):
        words = f"in {n} of {count} runs{which}: {texts[kind]}"
        warnings.warn(words, SimulationWarning, stacklevel=5)


def warn_before(ready: Prepared, row: np.ndarray) -> None:
    """Warn of a run that begins as it hardly should, as `simulate` does.

    Parameters
    ----------
    ready : Prepared
        The run.
    row : array
        Row of results at its start.
    """
    machine = ready.machine
    if not ready.asked:
        warn_of_jumps(machine.plan, ready.settings, stacklevel=2)
    warn_of_winding(machine, row, stacklevel=2)
    q = machine.plan.columns.part(row[None], "q")[0]
    warn_of_inextensible(machine.system, q, stacklevel=2)


def warn_after(ready: Prepared, outcome: Outcome, *, spins: bool = True) -> None:
    """Warn of a run that is less accurate than asked for.

    Parameters
    ----------
    ready : Prepared
        The run, at its end.
    outcome : Outcome
        How it ended.
    spins : bool
        Whether to look for bodies that have spun too fast.
    """
    if outcome.status in ENDED:
        warn_of_long_steps(ready.machine, asked=ready.asked, stacklevel=2)
        if spins:
            warn_of_spins(ready.machine.system, fast_spins(ready.machine), stacklevel=2)
    warn_of_singular(ready.machine, stacklevel=2)


def warn_of_runs(runs: Runs) -> None:
    """Warn of runs that ended early, and of rows outside the limits of the models.

    Parameters
    ----------
    runs : Runs
        All runs.
    """
    n = len(runs)
    early = [k for k, x in enumerate(runs.status) if x not in ENDED]
    if early:
        k = early[0]
        if "interrupted" in runs.status:
            start = "the runs ended early (interrupted)"
            k = next((x for x in early if runs.status[x] != "interrupted"), k)
        else:
            start = "runs ended early"
        words = f"{start}: {len(early)} of {n}; run {k} ({runs.status[k]}): {runs.message[k]}"
        warnings.warn(words, SimulationWarning, stacklevel=3)
    spread = np.unique(np.linspace(0, n - 1, min(n, LOOKED_AT)).astype(int))
    looked = [int(k) for k in spread if len(runs[int(k)]) and runs.status[k] != "memory"]
    with collected_warnings(len(looked), "" if len(looked) == n else " that were looked at"):
        for k in looked:
            warn_of_limits(runs[k], stacklevel=2)
