"""Numbers for all symbols of a graph: at random, or at random among those that satisfy equations.

What holds for almost all values of the symbols is judged at such a point in floats, where what
rounding left of a zero is small.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import numpy as np

from .calculus import differentiated, evaluated
from .graph import Graph

Array = np.ndarray
Point = Mapping[str, float]

# Newton's method: starts, steps, the error at which equations count as satisfied, and the relative
# size of directions in which they are taken for constant (overconstrained linkages have such).
_STARTS, _STEPS, _CLOSED, _FLAT = 8, 40, 1e-13, 1e-5
# Size of a parameter below which a point is not taken.
_SMALL = 0.1


def random_point(graph: Graph, seed: int = 5) -> Point:
    """Numbers for all symbols; quaternions have unit length."""
    draw = random.Random(seed)
    return _normalised(graph, {name: draw.uniform(0.5, 1.5) for name in graph.symbols})


def point_where(graph: Graph, equations: Array, unknowns: Sequence[str]) -> Point | None:
    """Numbers for all symbols at which expressions are zero; None if none are found.

    First only the unknowns are moved from random numbers, then all symbols; those that are not
    unknowns must not become small, since lengths of zero satisfy most equations.
    """
    if not len(equations):
        return random_point(graph)
    for names in (list(unknowns), list(graph.symbols)):
        symbols = np.array([graph.symbols[x] for x in names], dtype=object)
        slopes = differentiated(equations, symbols)
        for seed in range(_STARTS):
            point = _found(graph, equations, slopes, names, random_point(graph, seed))
            given = [] if point is None else [point[x] for x in names if x not in unknowns]
            if point is not None and all(abs(x) > _SMALL for x in given):
                return point
    return None


def _found(
    graph: Graph, equations: Array, slopes: Array, names: list[str], point: Point
) -> Point | None:
    """Point found by Newton's method from another one."""
    for _ in range(_STEPS):
        left = values_at(equations, point)
        if np.abs(left).max() < _CLOSED:
            return point
        step = np.linalg.lstsq(values_at(slopes, point), -left, rcond=_FLAT)[0]
        step /= max(1.0, 2 * float(np.abs(step).max()))
        moved = {x: point[x] + float(dx) for x, dx in zip(names, step, strict=True)}
        point = _normalised(graph, {**point, **moved})
    return None


def values_at(values: Array, point: Point) -> Array:
    """Values of an array of nodes at a point."""
    return np.array(evaluated(list(values.ravel()), point), dtype=float).reshape(values.shape)


def _normalised(graph: Graph, point: dict[str, float]) -> dict[str, float]:
    for names in graph.units:
        size = np.linalg.norm([point[name] for name in names])
        point |= {name: point[name] / float(size) for name in names}
    return point
