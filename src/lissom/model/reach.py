"""Which bodies the joints of a graph can reach from the ground, and what to say of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..errors import ModelError, name_list
from .parts import Closing, Connection, End
from .topology import end_node, inboard_node

if TYPE_CHECKING:
    from .graph import Arc

__all__ = ["check_reached", "depths"]

Vertex = str | None


def depths(arcs: Sequence[Arc]) -> dict[Vertex, int]:
    """Least number of joints from the ground (None) to each body that can be carried at all."""
    outward: dict[Vertex, list[str]] = {}
    for arc in arcs:
        outward.setdefault(arc.tail, []).append(arc.head)
    depth: dict[Vertex, int] = {None: 0}
    queue: list[Vertex] = [None]
    for here in queue:
        for head in outward.get(here, []):
            if head not in depth:
                depth[head] = depth[here] + 1
                queue.append(head)
    return depth


def check_reached(
    parts: Mapping[str, Connection], edges: Sequence[Closing], depth: Mapping[Vertex, int]
) -> None:
    """Refuse bodies that nothing carries, with the reason."""
    missing = [name for name in parts if name not in depth]
    if not missing:
        return
    island = _island(missing[0], edges)
    if None not in island:
        raise _unconnected([name for name in parts if name in island])
    for edge in edges:
        for side, (inboard, outboard) in {"b": (edge.a, edge.b), "a": (edge.b, edge.a)}.items():
            if inboard.body in depth and outboard.body not in depth:
                raise _one_way(edge, side, outboard, parts)


def _island(start: Vertex, edges: Sequence[Closing]) -> dict[Vertex, None]:
    """All vertices that joints connect with a body, in whatever direction."""
    island: dict[Vertex, None] = {start: None}
    queue = [start]
    for here in queue:
        for edge in edges:
            ends = (edge.a.body, edge.b.body)
            if here in ends:
                new = [body for body in ends if body not in island]
                island.update(dict.fromkeys(new))
                queue += new
    return island


def _unconnected(names: list[str]) -> ModelError:
    one = len(names) == 1
    return ModelError(
        f"no joint connects {'body' if one else 'the bodies'} {name_list(names)} with the ground; "
        f"join {'it' if one else 'one of them'} to the ground or to a body that is connected with "
        f"it, or let {'it' if one else 'one of them'} float: add it with Free()"
    )


def _one_way(edge: Closing, side: str, end: End, parts: Mapping[str, Connection]) -> ModelError:
    """Why a joint of a reached body does not carry the one at its other end."""
    assert end.body is not None
    body, node = parts[end.body].body, end_node(edge, side, parts)
    joint = f"the joint of body {edge.name!r}" if edge.kind == "body" else edge.title
    if node != inboard_node(body):
        return ModelError(
            f"nothing can carry body {end.body!r}: it is flexible, {joint} holds it at node "
            f"{node} and a flexible body is carried at its inboard node, {inboard_node(body)}; "
            f"join it there, take a body whose inboard node is {node}, or add it with Free()"
        )
    return ModelError(
        f"nothing can carry body {end.body!r}: {joint} would have to run backwards, which a joint "
        f"of type {type(edge.joint).__name__} cannot; swap its ends a and b"
    )
