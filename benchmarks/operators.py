"""Cost of multiplying the spatial operators, up to ten thousand bodies."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

import lissom as ls

SIZES = (10, 100, 1000, 10_000)
NAMES = ("Phi", "Psi", "H", "innovations", "mass", "mass_inverse")
ROUNDS = 5


def chain(n_body: int) -> tuple[ls.System, ls.State]:
    """Rigid chain on alternating hinges with one flexible link in ten."""
    model = ls.Model("chain")
    tube = ls.Tube(radius=0.08, thickness=0.003)
    rigid = ls.RigidBody.box(4.0, (1.0, 0.1, 0.1), com=(0.5, 0, 0))
    boom = ls.beam(1.0, tube, ls.ALUMINIUM, modes=4)
    for i in range(n_body):
        place: dict[str, Any] = {}
        if i:
            soft = (i - 1) % 10 == 0
            place = {"to": f"l{i - 1}.tip"} if soft else {"to": f"l{i - 1}", "at": (1.0, 0, 0)}
        model.add(boom if i % 10 == 0 else rigid, ls.Revolute("yz"[i % 2]), name=f"l{i}", **place)
    system = model.compile()
    rng = np.random.default_rng(1992)
    return system, system.state(q=1e-2 * rng.standard_normal(system.n_q))


def seconds(operator: object, x: np.ndarray) -> float:
    """Smallest CPU time of one product [s]; the first call fills the caches of the operator."""
    best = math.inf
    operator @ x
    for _ in range(ROUNDS):
        start = time.process_time()
        operator @ x
        best = min(best, time.process_time() - start)
    return best


def measure() -> dict[str, list[float]]:
    """Times of one product of each operator at each size [s]."""
    times: dict[str, list[float]] = {name: [] for name in NAMES}
    for size in SIZES:
        print(f"operators of a chain of {size} bodies", flush=True)
        operators = ls.operators(*chain(size))
        for name in NAMES:
            operator = getattr(operators, name)
            times[name].append(seconds(operator, np.ones(operator.shape[1])))
    return times


def section() -> str:
    """Section of the page of results."""
    times = measure()
    rows = []
    for k, size in enumerate(SIZES):
        cells = [f"{1e6 * t[k] / size:.1f}" for t in times.values()]
        rows.append(f"| {size} | " + " | ".join(cells) + " |")
    growth = [f"{t[-1] / t[-2]:.1f}" for t in times.values()]
    table = "\n".join(rows)
    return f"""## Operators

One product `operator @ vector`, in microseconds of CPU time **per body**; a chain with four modes
in every tenth link. A constant column means a cost that is linear in the number of bodies.

| bodies | {" | ".join(f"`{name}`" for name in times)} |
{"|---" * (len(times) + 1)}|
{table}
| ratio of the last two costs (ten times the bodies) | {" | ".join(growth)} |
"""
