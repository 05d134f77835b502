"""Steps with many shapes of which few touch: the cost of a set of contacts beside that of few."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import lissom as ls
from lissom import shapes
from lissom.sim.loads.contact import Contact, Contacts, LinearContact

from .depth import Depth
from .result import Cell, Result, Table
from .timing import Progress

SIZES = {"quick": (10, 30), "normal": (10, 100), "full": (10, 100, 400)}
STEPS = {"quick": 1000, "normal": 10_000, "full": 20_000}
TOUCHING, RADIUS, STEP = 10, 0.1, 1e-4
WEIGHT = 10.0
LAW = LinearContact(1e4)
WAYS = ("without contacts", "ten contacts", "set of contacts")

ABOUT = """Balls side by side, each on a vertical slide; ten are pressed on a floor, the others
move upward at 1 m/s. Microseconds a step of RK4, 0.1 ms: without contacts, with a contact for each
of the ten, and with a set of contacts of all balls with each other and with the floor. Processor
time of the runs; the list of near pairs is made in them as often as the motion needs it."""


def balls(n: int, speed: float = 1.0) -> tuple[ls.System, ls.State, list[Any]]:
    """Balls, their state, and their shapes; the first ten rest on the floor."""
    model, width = ls.Model(f"{n} balls", gravity=(0, 0, 0)), int(np.ceil(np.sqrt(n)))
    for k in range(n):
        at = (0.5 * (k % width), 0.5 * (k // width), 0.0)
        model.add(ls.RigidBody(1.0), ls.Prismatic("z"), name=f"ball{k}", at=at)
    system = model.compile()
    rests = np.arange(n) < TOUCHING
    q = np.where(rests, RADIUS - WEIGHT / LAW.stiffness, 3.0 + 0.01 * np.arange(n))
    v = np.where(rests, 0.0, speed * (1.0 + 0.5 * np.sin(np.arange(n))))
    members = [system.shape(f"ball{k}", shapes.Sphere(RADIUS)) for k in range(n)]
    return system, system.state(q=q, v=v), members


def loads_of(way: str, members: list[Any]) -> list[Any]:
    """Loads of one of the `WAYS`."""
    floor = shapes.HalfSpace()
    weights = [ls.Actuator(f"ball{k}", -WEIGHT) for k in range(TOUCHING)]
    if way == "without contacts":
        return weights
    if way == "ten contacts":
        return weights + [
            Contact(x, floor, LAW, name=f"contact{k}") for k, x in enumerate(members[:TOUCHING])
        ]
    return [*weights, Contacts([*members, floor], law=LAW)]


def seconds_per_step(n: int, way: str, steps: int, rounds: int) -> float:
    """Least time of a step over some runs, each less a run of one step, which has the start."""
    system, state, members = balls(n)
    loads, times = loads_of(way, members), []
    for _ in range(rounds):
        both = []
        for count in (1, 1 + steps):
            begin = time.process_time()
            ls.simulate(
                system, state, duration=count * STEP, step=STEP, integrator="rk4", loads=loads,
                output_step=count * STEP, progress=False, rtol=1e-3,
            )  # fmt: skip
            both.append(time.process_time() - begin)
        times.append((both[1] - both[0]) / steps)
    return min(times)


def run(depth: Depth, progress: Progress) -> Result:
    """Times of steps.

    Parameters
    ----------
    depth : Depth
        Measurement depth.
    progress : callable
        Called with the current activity.
    """
    sizes, steps = SIZES[depth.name], STEPS[depth.name]
    rounds = 1 if depth.name == "quick" else 3
    cells = [(n, way) for n in sizes for way in WAYS]
    best: dict[tuple[int, str], float] = {}
    for k, (n, way) in enumerate(cells):
        progress("sets of contacts", k, len(cells))
        best[n, way] = seconds_per_step(n, way, steps, rounds)
    return Result(
        name="contact-sets",
        title="Sets of contacts",
        about=ABOUT,
        tables=(
            Table(
                "Microseconds a step, ten balls in contact",
                ("balls", "pairs", *WAYS),
                tuple(_rows(sizes, best)),
            ),
        ),
        records=tuple(
            {"balls": n, "way": way, "seconds": seconds} for (n, way), seconds in best.items()
        ),
    )


def _rows(sizes: tuple[int, ...], best: dict[tuple[int, str], float]) -> Iterator[tuple[Cell, ...]]:
    for n in sizes:
        yield n, n * (n + 1) // 2, *(1e6 * best[n, way] for way in WAYS)
