"""Order in which the unknown forces of loops are eliminated, and the envelope of Lambda.

Two loops have entries in Lambda if a body that can move is on the way from the ground to both.
Loops are numbered by a breadth-first search of this graph from a loop at its rim, so that
neighbours have close numbers (Cuthill & McKee 1969), and in the opposite order (George 1971).

Loops that connect only bodies outboard of a node are eliminated there, as a group of that node,
before all that is inboard: in a ladder of windows each of which stands on the one before.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...bodies import RigidBody
from ...system import GROUND, Coupling, System
from ..tree.reference import carriers

Array = np.ndarray
Graph = dict[int, set[int]]


@dataclass(frozen=True)
class EliminationGroups:
    """Loops and couplings by the node at which they are eliminated."""

    # by (body, node), tip to base, the numbers of the loops and couplings; last those of the
    # ground, by (GROUND, 0)
    members: Mapping[tuple[int, int], Sequence[int]]
    passing: Mapping[int, Sequence[int]]  # by body, those whose forces pass its hinge


def nested_groups(system: System) -> EliminationGroups:
    """Groups of all nodes: what is closed there, and shares no child with what is not."""
    total = [len(_touched(system, k)) for k in range(len(system.constraints))]
    on_node: dict[tuple[int, int], Counter[int]] = defaultdict(Counter)
    passing: dict[int, Counter[int]] = defaultdict(Counter)
    carried: dict[tuple[int, int], list[int]] = defaultdict(list)
    places: dict[int, set[tuple[int, int]]] = defaultdict(set)
    for k, one in enumerate(system.constraints):
        for i, node in _touched(system, k):
            if isinstance(one, Coupling):
                passing[i][k] += 1
            elif i != GROUND:
                on_node[i, node][k] += 1
                places[i].add((i, node))
    members: dict[tuple[int, int], Sequence[int]] = {}
    for i in reversed(range(system.n_body)):
        for place in sorted(places[i]):
            counts = sum((passing[c] for c in carried[place]), on_node[place])
            closed = {k for k, times in counts.items() if times == total[k]}
            for together in _components([set(passing[c]) for c in carried[place]]):
                if not together <= closed:
                    closed -= together
            if closed:
                members[place] = sorted(closed)
            passing[i].update({k: times for k, times in counts.items() if k not in closed})
        if passing[i] and (p := int(system.parent[i])) != GROUND:
            place = p, _record(system, p, int(system.parent_node[i]))
            carried[place].append(i)
            places[p].add(place)
    done = {k for group in members.values() for k in group}
    members[GROUND, 0] = [k for k in range(len(total)) if k not in done]
    return EliminationGroups(
        members, {i: sorted(counts) for i, counts in passing.items() if counts}
    )


def _components(sets: list[set[int]]) -> list[set[int]]:
    """Unions of all sets that have elements in common."""
    unions: list[set[int]] = []
    for one in sets:
        apart = [x for x in unions if not x & one]
        unions = [*apart, one.union(*(x for x in unions if x & one))]
    return unions


def ground_group(system: System) -> EliminationGroups:
    """All loops and couplings in the group of the ground."""
    passing: dict[int, list[int]] = defaultdict(list)
    for k in range(len(system.constraints)):
        for i in sorted({j for x, _ in _touched(system, k) for j in carriers(system, x)}):
            passing[i].append(k)
    return EliminationGroups({(GROUND, 0): range(len(system.constraints))}, passing)


def bodies_on_paths(system: System) -> list[int]:
    """Bodies on which loops or couplings act, and all that carry them."""
    bodies: set[int] = set()
    for k in range(len(system.constraints)):
        for i, _ in _touched(system, k):
            while i != GROUND and i not in bodies:
                bodies.add(i)
                i = int(system.parent[i])
    return sorted(bodies)


def _touched(system: System, k: int) -> list[tuple[int, int]]:
    """Bodies and nodes on which a loop or coupling acts; of a coupling without the node."""
    one = system.constraints[k]
    if isinstance(one, Coupling):
        return [(i, -1) for i in sorted(set(one.bodies))]
    return [(end.body, _record(system, end.body, end.node)) for end in (one.a, one.b)]


def _record(system: System, i: int, node: int) -> int:
    """Node of a body with an inertia of its own; a rigid body has one."""
    return 0 if i == GROUND or isinstance(system.bodies[i], RigidBody) else node


def elimination_order(reached: Iterable[Sequence[int]], members: Sequence[int]) -> list[int]:
    """Loops and couplings of a group in the order of elimination."""
    graph: Graph = {k: set() for k in members}
    for together in set(map(tuple, reached)):
        for k in together:
            if k in graph:
                graph[k].update(together)
    order: list[int] = []
    left = dict.fromkeys(sorted(members, key=lambda k: len(graph[k])))
    while left:
        for k in _search(graph, _far_vertex(graph, next(iter(left)))):
            order.append(k)
            del left[k]
    return order[::-1]


def _search(graph: Graph, start: int) -> list[int]:
    """Breadth-first search; neighbours with few neighbours of their own first."""
    reached = dict.fromkeys([start])
    queue = [start]
    for k in queue:
        new = sorted((l for l in graph[k] if l not in reached), key=lambda l: (len(graph[l]), l))
        reached.update(dict.fromkeys(new))
        queue.extend(new)
    return queue


def _far_vertex(graph: Graph, start: int) -> int:
    """Vertex far from most others: the last of a search from the last of a search."""
    return _search(graph, _search(graph, start)[-1])[-1]


def envelope(reached: Iterable[Sequence[int]], n: int) -> Array:
    """First column of each of n rows of Lambda."""
    first = np.arange(n)
    for together in set(map(tuple, reached)):
        rows = list(together)
        first[rows] = np.minimum(first[rows], min(together, default=n))
    return first
