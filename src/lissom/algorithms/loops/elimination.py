"""Order in which the unknown forces of loops are eliminated, and the envelope of Lambda.

Two loops have entries in Lambda if a body that can move is on the way from the ground to both.
Loops are numbered by a breadth-first search of this graph from a loop at its rim, so that
neighbours have close numbers (Cuthill & McKee 1969), and in the opposite order (George 1971).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

Array = np.ndarray
Graph = list[set[int]]


def elimination_order(reached: Iterable[Sequence[int]], n: int) -> list[int]:
    """Numbers of n loops and couplings in the order of elimination.

    Parameters
    ----------
    reached : iterable of sequence of int
        For each body, the loops and couplings that reach it.
    n : int
        Number of loops and couplings.
    """
    graph: Graph = [set() for _ in range(n)]
    for together in set(map(tuple, reached)):
        for k in together:
            graph[k].update(together)
    order: list[int] = []
    left = dict.fromkeys(sorted(range(n), key=lambda k: len(graph[k])))
    while left:
        for k in _search(graph, _rim(graph, next(iter(left)))):
            order.append(k)
            del left[k]
    return order[::-1]


def _search(graph: Graph, start: int) -> list[int]:
    """Breadth-first search; neighbours with few neighbours of their own first."""
    found = dict.fromkeys([start])
    queue = [start]
    for k in queue:
        new = sorted((l for l in graph[k] if l not in found), key=lambda l: (len(graph[l]), l))
        found.update(dict.fromkeys(new))
        queue.extend(new)
    return queue


def _rim(graph: Graph, start: int) -> int:
    """Vertex far from most others: the last of a search from the last of a search."""
    return _search(graph, _search(graph, start)[-1])[-1]


def envelope(reached: Iterable[Sequence[int]], n: int) -> tuple[Array, int]:
    """First column of each of n rows of Lambda and its offset (n, 2), and the size of all rows.

    Parameters
    ----------
    reached : iterable of sequence of int
        For each body, the unknowns that reach it.
    n : int
        Number of unknowns.
    """
    first = np.arange(n)
    for together in set(map(tuple, reached)):
        first[list(together)] = np.minimum(first[list(together)], min(together, default=n))
    ends = np.cumsum(np.arange(n) + 1 - first)
    return np.column_stack([first, ends - 1 - np.arange(n)]), int(ends[-1]) if n else 0
