"""simulate_batch: many runs at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from ..errors import LissomError, LoadError, StateError, shown
from ..sim.integrators import as_integrator
from ..sim.run.checks import positive
from ..sim.run.judge import Judge
from ..sim.run.prepare import Prepared, prepared, restarted
from ..sim.run.progress import ProgressBar
from ..sim.run.reasons import Outcome
from ..sim.run.record import MemoryRecord
from ..sim.run.saving import outcome_meta
from ..sim.run.settings import TIME
from ..sim.run.whole_run import begun_run, completed
from ..system import State, System
from . import arrays
from .batch import as_systems, check_variants, cores, found_device
from .fleet import Fleet
from .progress import Counted, collected_warnings, warn_after
from .runs import OneRun, Runs, unfinished

WHOLE = 1 << 40  # evaluations of a slice: the whole run

# Arguments of `simulate` that all runs share, with their defaults
OPTIONS: dict[str, Any] = {
    "start": 0.0,
    "step": None,
    "integrator": "auto",
    "rtol": 1e-8,
    "atol": None,
    "forces": None,
    "events": (),
    "output_step": None,
    "max_step": None,
    "drift": "projection",
    "method": "auto",
    "rate_linear": False,
}


def simulate_batch(
    systems: System | Sequence[System],
    states: Any = None,
    *,
    duration: float,
    loads: Any = (),
    device: Any = "cpu",
    threads: int | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Runs:
    """Many runs of a mechanism, from many states, with many loads, or of many variants.

    Each run is that of `simulate` with the same arguments.  One that fails is marked in the result
    and does not disturb the others.

    Parameters
    ----------
    systems : System or sequence of System
        The mechanism; or variants, one for each run, which differ in constants alone.
    states : (Q, V) or sequence of State, optional
        Initial states: arrays (k, n_q) and (k, n_v) of NumPy, CuPy, PyTorch or JAX, or k states;
        one state for all; by default neutral and at rest.
    duration : float
        Time to simulate [s].
    loads : sequence of Load, or callable
        Loads of all runs; or a function of the number of a run that returns its loads, which must
        be of the same kinds on the same parts.
    device : {"cpu", "cuda", "cuda:1", ...}
        Where to compute.  On a GPU: step= or an integrator by name, no functions of Python.
    threads : int, optional
        Threads on the CPU; by default all cores.
    progress : bool, optional
        Whether to show the progress; by default on a terminal.
    **options
        As for `simulate`: step, integrator, rtol, atol, forces, events, output_step, max_step,
        drift, method, rate_linear, start.

    Returns
    -------
    Runs
    """
    unknown = sorted(set(options) - set(OPTIONS))
    if unknown:
        raise LoadError(
            f"simulate_batch has no argument {unknown[0]!r}; it takes those of simulate: "
            f"{', '.join(OPTIONS)}"
        )
    variants = as_systems(systems, "simulate_batch")
    settings = {**OPTIONS, **options, "duration": positive(duration, "duration", TIME)}
    given = _states(variants, states)
    count = max(len(given), len(variants))
    if callable(loads) and count == 1:
        raise LoadError(
            "loads is a function of the number of a run, but there is one run only; give a state "
            "for each: states=(Q, V)"
        )
    alike = not callable(loads) and len(variants) == 1

    def ready(k: int) -> Prepared:
        state = given[k if len(given) > 1 else 0]
        system = variants[k if len(variants) > 1 else 0]
        own = loads(k) if callable(loads) else loads
        return prepared(system, state, loads=own, what="simulate_batch", **settings)

    def again(first: Prepared, k: int) -> Prepared:
        return restarted(first, given[k if len(given) > 1 else 0])

    bar = Counted(variants[0].name, count, progress)
    with collected_warnings(count):
        if isinstance(device, str) and device == "cpu":
            chosen = as_integrator(settings["integrator"]) is not None
            shared = again if alike and chosen else None
            return Runs(variants, _on_cores(ready, shared, count, cores(threads), bar))
        gpu = found_device(device, threads)
        check_variants(variants)
        many = partial(again, ready(0)) if alike else ready
        return Runs(variants, Fleet(many, count, gpu, alike=alike).run(bar))


def _on_cores(
    ready: Callable[[int], Prepared],
    again: Callable[[Prepared, int], Prepared] | None,
    count: int,
    threads: int,
    bar: Counted,
) -> list[OneRun]:
    """Runs on threads; each takes the next one when it is done with the last.

    again(first, k): run k on the machine of another run of the same thread, where that is the same.
    """
    kept = threading.local()

    def one(k: int) -> OneRun:
        try:
            first = getattr(kept, "ready", None)
            if again is not None and first is not None:
                this = again(first, k)
            else:
                this = kept.ready = ready(k)
            begun_run(this)
            return _ended(this)
        except LissomError as error:
            return unfinished("failed", str(error))
        finally:
            bar.add(1)

    with bar:
        if threads == 1:
            return [one(k) for k in range(count)]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(one, range(count)))


def _ended(ready: Prepared) -> OneRun:
    """Result of a run that has begun; nothing but its end comes back to Python."""
    machine, begun = ready.machine, time.perf_counter()
    columns = machine.plan.columns
    if machine.plan.functions.has_plain:
        silent = ProgressBar("", 0.0, 1.0, False)
        record = MemoryRecord(columns, {})
        _, meta, outcome = completed(ready, record, silent, np.inf)
        warn_after(ready, outcome)
        return OneRun(columns, record.rows, meta)
    judge = Judge(machine, [])
    blocks: list[np.ndarray] = []
    outcome_found: Outcome | None = None
    while outcome_found is None:
        status = machine.advance(WHOLE)
        blocks.append(machine.rows())
        outcome_found = judge.outcome(status)
        blocks += judge.rows
        judge.rows.clear()
    warn_after(ready, outcome_found)
    seconds = time.perf_counter() - begun
    meta = outcome_meta(machine, outcome_found, ready.reason, seconds, judge.happened)
    return OneRun(columns, blocks[0] if len(blocks) == 1 else np.concatenate(blocks), meta)


def _states(variants: Sequence[System], states: Any) -> list[State | None]:
    """States of all runs, or one for all."""
    if states is None:
        return [None]
    if isinstance(states, State):
        return [states]
    if isinstance(states, (list, tuple)) and states and isinstance(states[0], State):
        found: list[State | None] = list(states)
    else:
        found = _from_arrays(variants, states)
    if len(variants) > 1 and len(found) not in (1, len(variants)):
        raise StateError(
            f"there are {len(found)} states for {len(variants)} variants; give one for each, or "
            "one for all"
        )
    return found


def _from_arrays(variants: Sequence[System], states: Any) -> list[State | None]:
    try:
        first, second = states
    except (TypeError, ValueError):
        raise StateError(
            f"states is {shown(states)}; expected arrays (Q, V), one state per row, or a list of "
            "states"
        ) from None
    q, v = (arrays.taken(x, name, np) for x, name in ((first, "Q"), (second, "V")))
    system = variants[0]
    if q.ndim != 2 or v.ndim != 2 or len(q) != len(v):
        raise StateError(
            f"states have shapes {q.shape} and {v.shape}; expected (k, {system.n_q}) and "
            f"(k, {system.n_v}), one state per row"
        )
    found: list[State | None] = []
    for k in range(len(q)):
        try:
            found.append(variants[k if len(variants) > 1 else 0].state(q[k], v[k]))
        except LissomError as error:
            error.args = (f"row {k}: {error}",)
            raise
    return found
