"""Checks of what is given to a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ...bodies.rigid import RigidBody
from ...errors import ModelError, name_list, shown
from ...spatial.scalar import is_numeric
from .._checks import positive
from .member import Placed


def given_interfaces(given: Any, n: int, what: str) -> dict[str, int]:
    """Interfaces as {name: node}, at least one, each a node of its own."""
    if not isinstance(given, Mapping) or not given:
        raise ModelError(
            f'{what}: interfaces is {shown(given)}; give names and nodes, such as {{"root": 0, '
            '"tip": 5}; the first is held by the joint towards the base'
        )
    return _named(given, n, what, "interface")


def given_names(given: Any, ports: Mapping[str, int], n: int) -> dict[str, int]:
    """Names of further nodes as {name: node}."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ModelError(f'frame: names is {shown(given)}; give nodes, such as {{"camera": 3}}')
    found = _named(given, n, "frame", "name")
    for name, node in found.items():
        if name in ports or node in ports.values():
            other = next(x for x, k in ports.items() if x == name or k == node)
            raise ModelError(
                f"frame: name {name!r} of node {node} is already taken by the interface {other!r} "
                f"of node {ports[other]}; interfaces are named nodes: leave the name out"
            )
    return found


def _named(given: Mapping[Any, Any], n: int, what: str, kind: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for name, node in given.items():
        if not isinstance(name, str) or not name:
            raise ModelError(f"{what}: {kind} {shown(name)} must be a string, such as 'tip'")
        if isinstance(node, bool) or not isinstance(node, Integral) or not 0 <= int(node) < n:
            raise ModelError(
                f"{what}: {kind} {name!r} is at node {shown(node)}, which does not exist; the "
                f"nodes are 0 to {n - 1}"
            )
        for other, taken in found.items():
            if taken == node:
                raise ModelError(
                    f"{what}: {kind}s {other!r} and {name!r} are at the same node {node}; give "
                    "one of them"
                )
        found[name] = int(node)
    return found


def given_masses(given: Any, n: int) -> dict[int, RigidBody]:
    """Masses at nodes as {node: rigid body}; a number is a point mass."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ModelError(
            f"frame: masses is {shown(given)}; give {{node: mass [kg]}} or {{node: RigidBody}}"
        )
    found = {}
    for node, mass in given.items():
        if isinstance(node, bool) or not isinstance(node, Integral) or not 0 <= int(node) < n:
            raise ModelError(
                f"frame: a mass is at node {shown(node)}, which does not exist; the nodes are 0 "
                f"to {n - 1}"
            )
        body = mass if isinstance(mass, RigidBody) else None
        if body is not None and not all(map(is_numeric, (body.mass, body.com, body.inertia))):
            raise ModelError(f"frame: the body at node {node} has symbols; give numbers")
        given_mass = mass if body is None else float(body.mass)
        number = positive(given_mass, f"frame: mass at node {node} [kg]")
        found[int(node)] = RigidBody(number) if body is None else body
    return found


def check_held(bars: Sequence[Placed], n: int) -> None:
    """Reject nodes without members, and nodes whose rotation no member holds."""
    ends = [(bar.nodes[k], end in bar.pinned) for bar in bars for k, end in enumerate(_ENDS)]
    used = {node for node, _ in ends}
    if free := [k for k in range(n) if k not in used]:
        raise ModelError(
            f"frame: node {name_list(free, show=str)} has no member; connect it, or leave it out"
        )
    if loose := sorted(used - {node for node, pinned in ends if not pinned}):
        raise ModelError(
            f"frame: all members at node {name_list(loose, show=str)} are pinned there, so that "
            "nothing holds its rotation; leave one of them without a pin"
        )


_ENDS = ("first", "second")


def check_connected(bars: Sequence[Placed], n: int, ports: Mapping[str, int]) -> None:
    """Reject frames in several parts."""
    i, j = np.array([bar.nodes for bar in bars]).T
    graph = coo_array((np.ones(len(bars)), (i, j)), (n, n))
    parts, label = connected_components(graph, directed=False)
    if parts > 1:
        name, root = next(iter(ports.items()))
        apart = np.flatnonzero(label != label[root]).tolist()
        raise ModelError(
            f"frame: no members connect node {name_list(apart, show=str)} with interface {name!r} "
            f"(node {root}); connect them, or make them a body of their own"
        )
