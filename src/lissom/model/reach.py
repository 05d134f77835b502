"""Bodies that the joints of a graph can reach from the ground, and errors about the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..errors import ModelError, name_list
from .parts import Closing, Connection, End
from .topology import end_node, inboard_node

if TYPE_CHECKING:
    from .cutting import Arc

Vertex = str | None


def depths(arcs: Sequence[Arc]) -> dict[Vertex, int]:
    """Smallest number of joints from the ground (None) to each body that can be reached."""
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
    """Reject bodies that no joint can carry."""
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
    """All vertices connected to a body by joints, in any direction."""
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
        f"no joint connects {'body' if one else 'the bodies'} {name_list(names)} to the ground; "
        f"join {'it' if one else 'one of them'} to the ground or to a body that is connected to "
        f"it, or let {'it' if one else 'one of them'} float: add it with Free()"
    )


def _one_way(edge: Closing, side: str, end: End, parts: Mapping[str, Connection]) -> ModelError:
    """Error about a joint of a reached body that cannot carry the body at its other end."""
    assert end.body is not None
    body, node = parts[end.body].body, end_node(edge, side, parts)
    joint = f"the joint of body {edge.name!r}" if edge.kind == "body" else edge.title
    if node != inboard_node(body):
        return ModelError(
            f"no joint can carry body {end.body!r}: it is flexible, {joint} is at its node {node}, "
            f"and a flexible body can only be carried at its inboard node, {inboard_node(body)}; "
            f"join it there, use a body whose inboard node is {node}, or add it with Free()"
        )
    return ModelError(
        f"no joint can carry body {end.body!r}: {joint} would have to be reversed, which a joint "
        f"of type {type(edge.joint).__name__} does not support; swap its ends a and b"
    )
