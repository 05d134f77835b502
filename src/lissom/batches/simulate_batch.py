"""simulate_batch: many runs at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..algorithms.tree.arguments import as_state
from ..errors import LissomError, LoadError, StateError, shown
from ..options import IN_FILES
from ..sim.loads import Load
from ..sim.loads.controller import in_python, private_copies
from ..sim.run.checks import listed
from ..sim.run.interrupts import Interrupts
from ..sim.run.memory import check_memory
from ..sim.run.prepare import Prepared, prepared, prepared_from
from ..sim.run.settings import run_options
from ..system import State, System
from . import arrays
from .batch import as_device, as_systems, check_mechanism, check_variants, cores
from .device_runs import Fleet
from .progress import Counted
from .runs import OneRun, Runs
from .runs_on_cores import OnCores
from .starts import Starts
from .warning import Collected, warn_of_runs

# Options of `simulate` that all runs share
OPTIONS = [name for name in IN_FILES if name not in ("duration", "loads", "time_limit")]


def simulate_batch(
    systems: System | Sequence[System],
    states: Any = None,
    *,
    duration: float,
    loads: Any = (),
    device: Any = "cpu",
    threads: int | None = None,
    progress: bool | None = None,
    time_limit: float = np.inf,
    **options: Any,
) -> Runs:
    """Many runs of a mechanism, from many states, with many loads, or of many variants.

    Each run is that of `simulate` with the same arguments.  One that fails is marked in the result
    and does not disturb the others; what is wrong with all of them is raised.  Ctrl-C ends the runs
    where they are.

    Parameters
    ----------
    systems : System or sequence of System
        The mechanism; or variants, one for each run, which differ in constants alone.
    states : (Q, V) or sequence of State, optional
        Initial states: arrays (k, n_q) and (k, n_v) of NumPy, CuPy, PyTorch or JAX, or a list of k
        states or pairs (q, v); one state for all; by default neutral and at rest.
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
    time_limit : float
        Real time after which a run ends with the rows so far, counted from its own start [s].
        Not on a GPU, where all runs advance together.
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
            f"simulate_batch has no argument {unknown[0]!r}; beside loads and time_limit it takes "
            f"these of simulate: {', '.join(OPTIONS)}"
        )
    arguments = {**options, "duration": duration, "time_limit": time_limit}
    shared_options = run_options(arguments)
    variants = as_systems(systems, "simulate_batch")
    on_cores = isinstance(device, str) and device == "cpu"
    gpu = None if on_cores else as_device(device, threads)
    if gpu is not None and shared_options.time_limit < np.inf:
        raise LoadError(
            "time_limit is for the CPU; on a GPU all runs advance together, and Ctrl-C ends them "
            "where they are"
        )
    (check_mechanism if on_cores else check_variants)(variants)
    initial_states = _states(variants, states)
    count = max(len(initial_states), len(variants)) if initial_states else 0
    if callable(loads) and count == 1:
        raise LoadError(
            "loads is a function of the number of a run, but there is one run only; give a state "
            "for each: states=(Q, V)"
        )
    if not count:
        return Runs(variants, [])
    shared_loads = [] if callable(loads) else listed(loads, Load, "loads")
    remembers = count > 1 and any(map(in_python, [*shared_loads, *_as_list(shared_options.forces)]))
    alike = not callable(loads) and not remembers and len(variants) == 1

    def ready(k: int) -> Prepared:
        state = initial_states[k if len(initial_states) > 1 else 0]
        system = variants[k if len(variants) > 1 else 0]
        forces = shared_options.forces
        run_loads = listed(_loads_of(loads, k), Load, "loads") if callable(loads) else shared_loads
        if remembers:
            forces, run_loads = _own_copies(forces, run_loads)
        run = replace(shared_options, forces=forces, loads=run_loads)
        return prepared(system, state, run, "simulate_batch")

    def again(first: Prepared, k: int) -> Prepared:
        return prepared_from(first, initial_states[k if len(initial_states) > 1 else 0])

    bar, interrupts = Counted(variants[0].name, count, progress), Interrupts()
    collected = Collected(count)
    with collected.whole(), interrupts.caught():
        first = _first(ready, count)
        if gpu is None:
            chosen = shared_options.integrator != "auto"
            shared = again if alike and chosen else None
            starts = Starts(ready, first, shared, interrupts)
            results = OnCores(starts, bar, collected).run(count, cores(threads))
        else:
            starts = Starts(ready, first, again if alike else None, interrupts)
            results = Fleet(starts, count, gpu).run(bar)
    interrupts.pass_on()
    if all(x.error is not None for x in results):
        raise _error_of_all(results)
    runs = Runs(variants, results)
    warn_of_runs(runs)
    return runs


def _error_of_all(results: Sequence[OneRun]) -> LissomError:
    """Error of runs none of which could start."""
    error = results[0].error
    assert error is not None
    if any(str(x.error) != str(error) for x in results):
        error.args = (f"none of the {len(results)} runs can start; run 0: {error}",)
    return error


def _loads_of(loads: Callable[[int], Any], k: int) -> Any:
    """Loads of run k by the user's function."""
    try:
        return loads(k)
    except LissomError:
        raise
    except Exception as error:
        raise LoadError(f"loads({k}) raised {type(error).__name__}: {error}") from error


def _as_list(forces: Any) -> Sequence[Any]:
    """The argument `forces` as a list, where it may be one of loads."""
    return forces if isinstance(forces, (list, tuple)) else [forces]


def _own_copies(forces: Any, loads: Sequence[Any]) -> tuple[Any, list[Any]]:
    """Forces and loads of one run, with controllers of its own."""
    many = _as_list(forces)
    copies = private_copies([*many, *loads])
    return copies[: len(many)] if many is forces else copies[0], copies[len(many) :]


def _first(ready: Callable[[int], Prepared], count: int) -> Prepared | LissomError:
    """Run 0, prepared, or why it cannot be; a ResultError if the rows of all have no room."""
    try:
        first = ready(0)
    except LissomError as error:
        return error
    settings, width = first.settings, first.machine.width
    every = settings.output_step or (None if settings.adaptive else settings.step)
    if every:
        size = 8.0 * count * width * (settings.duration / every + 2)
        check_memory(size, f"{count} runs", "do them in parts, or store fewer")
    return first


def _states(variants: Sequence[System], states: Any) -> list[State | None]:
    """States of all runs, or one for all."""
    if states is None:
        return [None]
    if isinstance(states, State):
        return [states]
    state_types = (State, tuple) if isinstance(states, list) else State
    if isinstance(states, (list, tuple)) and all(isinstance(x, state_types) for x in states):
        initial_states = _from_rows(variants, states)
    else:
        initial_states = _from_arrays(variants, states)
    if len(variants) > 1 and len(initial_states) not in (1, len(variants)):
        raise StateError(
            f"there are {len(initial_states)} states for {len(variants)} variants; give one for "
            "each, or one for all"
        )
    return initial_states


def _from_arrays(variants: Sequence[System], states: Any) -> list[State | None]:
    try:
        first, second = states
    except (TypeError, ValueError):
        raise StateError(
            f"states is {shown(states)}; expected arrays (Q, V), one state per row, or a list of "
            "states"
        ) from None
    q, v = (arrays.as_float_array(x, name, np) for x, name in ((first, "Q"), (second, "V")))
    system = variants[0]
    if q.ndim != 2 or v.ndim != 2 or len(q) != len(v):
        raise StateError(
            f"states have shapes {q.shape} and {v.shape}; expected (k, {system.n_q}) and "
            f"(k, {system.n_v}), one state per row"
        )
    return _from_rows(variants, list(zip(q, v, strict=True)))


def _from_rows(variants: Sequence[System], rows: Sequence[Any]) -> list[State | None]:
    """States from states or pairs (q, v), one for each run."""
    initial_states: list[State | None] = []
    for k, row in enumerate(rows):
        try:
            initial_states.append(as_state(variants[k if k < len(variants) else 0], row))
        except LissomError as error:
            error.args = (f"row {k}: {error}",)
            raise
    return initial_states
