"""What a sweep adds to the work of its tasks, over processes and over threads."""

from __future__ import annotations

import functools
import math
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import lissom as ls
from lissom.kernels.layout import run as run_layout
from lissom.sim.run.prepare import prepared
from lissom.sim.run.settings import run_options

from .depth import Depth
from .drawing import BLUE, ORANGE, Records, new_panels
from .result import Requirement, Result, Table
from .timing import Progress

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TASKS = {"quick": 8, "normal": 100, "full": 200}
ROUNDS = {"quick": 1, "normal": 3, "full": 6}
LEAST = 0.95
CHANNELS = ("payload.position", "upper.tip.deflection")

ABOUT = """Simulations of an arm with two flexible booms and a payload of random mass, one second
each, on all processors. *Plain* is the same work without a sweep: workers build and simulate
a sixteenth of their share at a time in a loop and keep the same two channels. The sweep draws the
masses, distributes the tasks in chunks, writes every result to a store on disk and gathers a
dataset; it uses the workers of the plain loop, which have started before. Both alternate, and the
fastest of each counts, wall-clock time. *Start* is the time until new workers have imported all
that a task needs, which a sweep without an executor of one's own takes once. In the last row the
same arm runs from many states, a thousand fixed implicit steps each: *plain* are the calls of the
compiled loop alone, on as many threads, and *sweep* is `simulate_batch`, results included."""


def arm(mass: float) -> Any:
    """The arm with a payload of a mass [kg]."""
    boom = ls.beam(6.0, ls.Tube(radius=0.04, thickness=0.002), ls.CARBON, modes=4)
    model = ls.Model("flexible arm")
    model.add(ls.RigidBody.box(4000, (3.0, 2.4, 2.4)), ls.Free(), name="hub")
    model.add(boom, ls.Revolute("z"), to="hub", at=(1.5, 0, 0), name="upper")
    model.add(boom, ls.Revolute((0, 0.3, 1)), to="upper.tip", name="lower")
    model.add(ls.RigidBody.sphere(mass, 0.3), ls.Fixed(), to="lower.tip", name="payload")
    return model


def swing(system: Any) -> Any:
    """One second of motion."""
    torque = ls.Actuator("upper", 20.0)
    return ls.simulate(system, duration=1.0, output_step=0.02, loads=[torque])


def plain(masses: list[float]) -> list[Any]:
    """The work of some tasks in a loop."""
    found = []
    for mass in masses:
        run = swing(arm(mass).compile())
        found.append([np.array(run[name]) for name in CHANNELS])
    return found


def plain_on(pool: Executor, workers: int, masses: list[float]) -> None:
    """The same on all workers, in pieces small enough that none waits for the others."""
    count = -(-len(masses) // (16 * workers))
    shares = [masses[k : k + count] for k in range(0, len(masses), count)]
    for _ in pool.map(plain, shares):
        pass


def sweep_on(pool: Executor, n: int) -> None:
    """A sweep with a store."""
    with tempfile.TemporaryDirectory() as folder:
        found = ls.sweep(
            arm,
            {"mass": ls.Normal(40.0, 4.0)},
            swing,
            pool,
            samples=n,
            seed=1,
            channels=CHANNELS,
            store=Path(folder) / "sweep",
        )
    assert set(found.status.values) == {"done"}


def best_of_batch(threads: int, n: int, rounds: int) -> dict[str, float]:
    """Shortest times of n runs: compiled loops alone on threads, and `simulate_batch`."""
    system = arm(40.0).compile()
    rng = np.random.default_rng(1)
    q = np.tile(system.neutral().q, (n, 1))
    v = 1e-3 * rng.normal(size=(n, system.n_v))
    options: dict[str, Any] = {"integrator": "generalized_alpha", "output_step": 0.02}
    options |= {"step": 1e-3, "loads": [ls.Actuator("upper", 20.0)]}
    asked = run_options({**options, "duration": 1.0})
    ready = [prepared(system, (q[0], v[0]), asked) for _ in range(threads)]

    def share(k: int) -> None:
        machine = ready[k].machine
        for row in range(k, n, threads):
            machine.begin(q[row], v[row], machine.settings.step)
            assert machine.advance(1 << 40) == run_layout.FINISHED

    def kernels() -> None:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(share, range(threads)))

    def batch() -> None:
        found = ls.simulate_batch(system, (q, v), duration=1.0, threads=threads, **options)
        assert set(found.status) == {"finished"}

    return _shortest({"plain seconds": kernels, "sweep seconds": batch}, rounds)


def run(depth: Depth, progress: Progress) -> Result:
    """Tasks per second with and without a sweep.

    Parameters
    ----------
    depth : Depth
        Measurement depth.
    progress : callable
        Called with the current activity.
    """
    n, workers = TASKS[depth.name], os.cpu_count() or 1
    drawn = ls.sweep(_nothing, {"mass": ls.Normal(40.0, 4.0)}, _mass, "serial", samples=n, seed=1)
    masses = drawn.result.values.tolist()
    context = multiprocessing.get_context("spawn")
    pools: dict[str, Callable[[], Executor]] = {
        "processes": lambda: ProcessPoolExecutor(workers, context),
        "threads": lambda: ThreadPoolExecutor(workers),
    }
    records: list[dict[str, Any]] = []
    for kind, make in pools.items():
        progress(kind, len(records), len(pools))
        with make() as pool:
            start = time.perf_counter()
            plain_on(pool, workers, masses[:workers])
            started = time.perf_counter() - start
            best = _best(pool, workers, masses, ROUNDS[depth.name])
        records.append({"workers": kind, "n": n, "start seconds": started, **best})
    progress("simulate_batch", len(records), len(pools) + 1)
    best = best_of_batch(workers, n, ROUNDS[depth.name])
    records.append({"workers": "threads, simulate_batch", "n": n, "start seconds": 0.0, **best})
    header = ("workers", "tasks", "plain [1/s]", "sweep [1/s]", "sweep over plain", "start [s]")
    rows = tuple(
        (
            f"{workers} {r['workers']}",
            n,
            n / r["plain seconds"],
            n / r["sweep seconds"],
            r["plain seconds"] / r["sweep seconds"],
            r["start seconds"],
        )
        for r in records
    )
    worst = min(records, key=lambda r: r["plain seconds"] / r["sweep seconds"])
    bound = Requirement(
        "sweeps",
        "tasks per second of a sweep over those of a plain loop on the same workers",
        "at least",
        LEAST,
        worst["plain seconds"] / worst["sweep seconds"],
        worst["workers"],
        unit="×",
    )
    return Result(
        name="sweeps",
        title="Sweeps",
        about=ABOUT,
        tables=(Table("An arm, one second", header, rows),),
        requirements=(bound,),
        records=tuple(records),
    )


def _best(pool: Executor, workers: int, masses: list[float], rounds: int) -> dict[str, float]:
    calls: dict[str, Callable[[], None]] = {
        "plain seconds": functools.partial(plain_on, pool, workers, masses),
        "sweep seconds": functools.partial(sweep_on, pool, len(masses)),
    }
    return _shortest(calls, rounds)


def _shortest(calls: dict[str, Callable[[], None]], rounds: int) -> dict[str, float]:
    """Shortest time of each call; they alternate."""
    best = dict.fromkeys(calls, math.inf)
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def _nothing() -> str:
    return "nothing"


def _mass(system: Any, mass: float) -> float:
    return mass


def draw_sweeps(records: Records) -> Figure:
    """Tasks per second, with and without a sweep."""
    figure, ((panel,),) = new_panels(1, 1, (5.0, 3.0))
    places = np.arange(len(records))
    for shift, key, colour in ((-0.2, "plain", BLUE), (0.2, "sweep", ORANGE)):
        rates = [r["n"] / r[f"{key} seconds"] for r in records]
        panel.bar(places + shift, rates, 0.38, color=colour, label=key)
    panel.set_xticks(places, [r["workers"] for r in records])
    panel.set(ylabel="tasks per second")
    panel.legend(fontsize=7)
    return figure
