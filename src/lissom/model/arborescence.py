"""Minimum-weight arborescence of a directed graph.

Notation
  arc (tail, head, weight)     directed edge from tail to head
  arborescence                 one arc into every vertex but the root, without a cycle

  1. Take the cheapest arc into every vertex but the root.  If they contain no cycle, stop.
  2. Contract each cycle to one vertex.  From every arc subtract the weight of the arc taken into
     its head: the extra cost of entering a cycle there.
  3. Solve the smaller problem; an arc that enters a cycle replaces the cycle's arc at its head.
Source: J. Edmonds, Optimum branchings, J. Res. Nat. Bur. Standards 71B (1967) 233-240; found
earlier by Chu and Liu (1965).  O(V E).  Differs: all cycles are contracted at once.
"""

from __future__ import annotations

from collections.abc import Sequence

Arc = tuple[int, int, int]


def least_arborescence(n: int, arcs: Sequence[Arc]) -> list[int]:
    """Indices of the arcs of the minimum-weight arborescence with root 0."""
    levels = []
    while True:
        taken = _cheapest(n, arcs)
        vertex, m = _contraction([arcs[k][0] for k in taken])
        if m == n:
            break
        between = [k for k, (tail, head, _) in enumerate(arcs) if vertex[tail] != vertex[head]]
        levels.append((arcs, taken, between))
        price = [0] + [arcs[k][2] for k in taken]
        arcs = [(vertex[t], vertex[h], w - price[h]) for t, h, w in (arcs[k] for k in between)]
        n = m
    for outer, around, between in reversed(levels):
        entering = [between[k] for k in taken]
        taken = list(around)
        for k in entering:
            taken[outer[k][1] - 1] = k
    return taken


def _cheapest(n: int, arcs: Sequence[Arc]) -> list[int]:
    """Index of the cheapest arc into each vertex but the root; the first one in a tie."""
    best: list[int] = [-1] * n
    for k, (_, head, weight) in enumerate(arcs):
        if best[head] < 0 or weight < arcs[best[head]][2]:
            best[head] = k
    return best[1:]


def _contraction(tails: Sequence[int]) -> tuple[list[int], int]:
    """Vertex numbers after contracting every cycle to one vertex, and the new vertex count."""
    n = len(tails) + 1
    seen_from, cycle_of = [-1] * n, list(range(n))
    seen_from[0] = 0
    for start in range(1, n):
        here = start
        while seen_from[here] < 0:
            seen_from[here] = start
            here = tails[here - 1]
        if seen_from[here] == start:  # the path closed a cycle
            around = tails[here - 1]
            while around != here:
                cycle_of[around] = here
                around = tails[around - 1]
    number = {leader: k for k, leader in enumerate(dict.fromkeys(cycle_of))}
    return [number[leader] for leader in cycle_of], len(number)
