"""Cost of multiplying the spatial operators, up to ten thousand bodies."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import lissom as ls

SIZES = (10, 100, 1000, 10_000)
NAMES = ("Phi", "Psi", "H", "innovations", "mass", "mass_inverse")
ROUNDS = 5
LEAST = 2e-3  # CPU time of a round [s]


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


def seconds(work: Callable[[], object]) -> float:
    """Smallest CPU time of one call [s]; the first one fills caches."""
    work()
    start = time.process_time()
    work()
    repeats = 1 + int(LEAST / (time.process_time() - start + 1e-6))
    best = math.inf
    for _ in range(ROUNDS):
        start = time.process_time()
        for _ in range(repeats):
            work()
        best = min(best, (time.process_time() - start) / repeats)
    return best


def products(system: ls.System, state: ls.State) -> dict[str, Callable[[], object]]:
    """One product with each operator, and the bias force as a line of them."""
    op = ls.operators(system, state)
    found = {
        name: partial(getattr(op, name).__matmul__, np.ones(getattr(op, name).shape[1]))
        for name in NAMES
    }
    return found | {
        "bias": lambda: op.H @ (op.Phi @ (op.M_m @ (op.Phi.T @ op.a_m) + op.b_m + op.elastic))
    }


def twins(system: ls.System, state: ls.State) -> dict[str, Callable[[], object]]:
    """Compiled functions with the results of three of the products."""
    x = np.ones(system.n_v)
    return {
        "mass": lambda: ls.multiply_mass(system, state, x),
        "mass_inverse": lambda: ls.solve_mass(system, state, x),
        "bias": lambda: ls.bias_force(system, state),
    }


def measure() -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Times of each product at each size [s], and what they are in times of their twins."""
    times: dict[str, list[float]] = {}
    ratios: dict[str, list[float]] = {}
    for size in SIZES:
        print(f"operators of a chain of {size} bodies", flush=True)
        system, state = chain(size)
        for name, work in products(system, state).items():
            times.setdefault(name, []).append(seconds(work))
        for name, work in twins(system, state).items():
            ratios.setdefault(name, []).append(times[name][-1] / seconds(work))
    return times, ratios


def rows(columns: dict[str, list[str]]) -> str:
    """Table with a row for each size."""
    head = f"| bodies | {' | '.join(f'`{name}`' for name in columns)} |"
    body = [
        f"| {size} | " + " | ".join(column[k] for column in columns.values()) + " |"
        for k, size in enumerate(SIZES)
    ]
    return "\n".join([head, "|---" * (len(columns) + 1) + "|", *body])


def section() -> str:
    """Section of the page of results."""
    times, ratios = measure()
    each = {
        name: [f"{1e6 * t / size:.3f}" for t, size in zip(column, SIZES, strict=True)]
        for name, column in times.items()
    }
    growth = " | ".join(f"{t[-1] / t[-2]:.1f}" for t in times.values())
    beside = {name: [f"{r:.1f}" for r in column] for name, column in ratios.items()}
    return f"""## Operators

One product `operator @ vector`, in microseconds of CPU time **per body**; a chain with four modes
in every tenth link. `bias` is the line `H @ (Phi @ (M_m @ (Phi.T @ a_m) + b_m + elastic))`. A
constant column means a cost that is linear in the number of bodies; up to a hundred bodies a
product is mostly calls from Python.

{rows(each)}
| ratio of the last two costs (ten times the bodies) | {growth} |

The same in times of the compiled function with the same result, `multiply_mass`, `solve_mass` and
`bias_force`. These find the motion of the bodies anew in every call, the operators once.

{rows(beside)}
"""
