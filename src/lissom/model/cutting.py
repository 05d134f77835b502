"""Choice of the joints that carry bodies and the joints that are cut.

The ground and the bodies are vertices, the joints are edges.  A spanning tree of n bodies has n
joints; the others are cut and give 6 - n_v constraint equations each.  Since the sum over all
joints is fixed, the equations are fewest where the joints of the tree have the fewest motions: a
minimum spanning tree.  A flexible body can only be carried at its inboard node, so some joints can
be traversed in one direction only: a minimum arborescence from the ground.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..bodies import RigidBody
from ..errors import ModelError, name_list
from ..joints import Fixed, Joint
from ..spatial.scalar import as_numbers, is_numeric
from .arborescence import least_arborescence
from .parts import Closing, Connection, End, Part
from .topology import cycle_error, end_node, inboard_node, node_number

Array = np.ndarray

MASSLESS = RigidBody(0.0)


@dataclass(frozen=True, eq=False)
class Tree:
    """Spanning tree: the joint that carries each body, the cut joints and the omitted joints."""

    # by the name of the body; massless bodies come before the body they belong to
    parts: dict[str, Connection]
    cuts: list[Closing]  # joints that become loops
    idle: list[Closing]  # joints with all six motions that carry no body


@dataclass(frozen=True, eq=False)
class Arc:
    """A joint of the graph in one of the directions in which it can carry a body."""

    edge: int  # index of the joint
    # tail, head: carrying body (None is the ground), carried body
    tail: str | None
    head: str
    # the body on the joint, or a massless body on the joint and the body on that
    links: tuple[Connection, ...]
    motions: int  # n_v of the joint
    as_added: bool  # whether this is a body with its joint as added by `Model.add`
    backwards: bool  # whether the joint is traversed from its end b to its end a


def spanning_tree(
    parts: Mapping[str, Connection], joins: Sequence[Closing], taken: Iterable[str] = ()
) -> Tree:
    """Tree with the fewest constraint equations; all parameters must be numbers.

    Ties go to joints as added by `Model.add`, then to fewer massless bodies, then to bodies near
    the ground, then to joints that are not reversed.
    """
    added = [_edge(part, parts) for part in parts.values() if not part.loose]
    edges = [*added, *joins]
    arcs = [arc for k, edge in enumerate(edges) for arc in _arcs(k, edge, parts)]
    depth = depths(arcs)
    check_reached(parts, edges, depth)
    vertex = {name: k for k, name in enumerate([None, *parts])}
    base = (len(parts) + 7) ** 2  # larger than any sum of one rank
    weighted = [(vertex[a.tail], vertex[a.head], _weight(a, depth, base)) for a in arcs]
    tree = [arcs[k] for k in least_arborescence(len(vertex), weighted)]
    links = [link for arc in tree for link in arc.links]
    in_tree = {arc.edge for arc in tree}
    left = [_cut(edge) for k, edge in enumerate(edges) if k not in in_tree]
    cuts = [edge for edge in left if edge.joint.n_v < 6]
    idle = [edge for edge in left if edge.joint.n_v == 6]
    _check_names([link.name for link in links] + [c.name for c in cuts] + [*taken])
    return Tree({link.name: link for link in links}, cuts, idle)


def _edge(part: Connection, parts: Mapping[str, Connection]) -> Closing:
    """Joint that carries a body, as an edge of the graph."""
    if part.to is not None:
        if part.to.name == part.name:
            raise cycle_error([part.name, part.name])
        node_number(f"body {part.name!r}", part.to, parts[part.to.name].body)
    outboard = End(Part(part.name), np.zeros(3), np.eye(3))
    return Closing("body", part.name, part.joint, End(part.to, part.at, part.rotation), outboard)


def _arcs(number: int, edge: Closing, parts: Mapping[str, Connection]) -> list[Arc]:
    """Arcs of a joint in the directions in which it can carry a body."""
    arcs = []
    backward = edge.joint.reversed()
    directions = {"b": (edge.a, edge.b, edge.joint), "a": (edge.b, edge.a, backward)}
    for side, (inboard, outboard, joint) in directions.items():
        node = end_node(edge, side, parts)
        if joint is None or outboard.body is None:
            continue
        part = parts[outboard.body]
        if node != inboard_node(part.body):
            continue
        as_added = edge.kind == "body" and side == "b"
        links = (part,) if as_added else _links(edge, part, inboard, outboard, joint)
        n_v = edge.joint.n_v
        arcs.append(Arc(number, inboard.body, part.name, links, n_v, as_added, side == "a"))
    return arcs


def _links(
    edge: Closing, part: Connection, inboard: End, outboard: End, joint: Joint
) -> tuple[Connection, ...]:
    """Outboard body on the joint, with a massless body in between if the frames need it.

    The body's frame in the joint's outboard frame is (R^T, -p) = (I, -p) (R^T, 0).  If the shift p
    commutes with the joint, shift and rotation move to the inboard side,
    J (I, -p) (R^T, 0) = (R^T, -p) R J R^T; otherwise a massless body is inserted.
    """
    R, p = outboard.rotation, outboard.rotation.T @ outboard.at
    moved = joint if np.array_equal(R, np.eye(3)) else joint.rotated(R)
    if moved is not None and _commutes(joint, p):
        at, rotation = inboard.at - inboard.rotation @ p, inboard.rotation @ R.T
        return (_placed(part, moved, inboard.part, at, rotation),)
    frame = replace(part, name=f"{part.name}@{edge.name}", body=MASSLESS)
    return (
        _placed(frame, joint, inboard.part, inboard.at, inboard.rotation),
        _placed(part, Fixed(), Part(frame.name), -p, R.T),
    )


def _commutes(joint: Joint, p: Array) -> bool:
    """Whether a shift p of its frames commutes with the joint: J (I, p) = (I, p) J.

    True if all rotations of the joint are about p.
    """
    q = joint.neutral() if joint.has_quaternion else 0.3 + 0.11 * np.arange(joint.n_q)
    across = as_numbers(np.cross(joint.motion_map(q)[:3].T, p))
    if not is_numeric(across):
        return not any(across.ravel())  # expressions, false if they are zero
    p = as_numbers(p)
    return bool(np.abs(across).max(initial=0.0) <= 1e-15 * np.abs(p).max())


def _placed(
    part: Connection, joint: Joint, to: Part | None, at: Array, rotation: Array
) -> Connection:
    return replace(part, joint=joint, to=to, at=at, rotation=rotation, loose=False)


def _weight(arc: Arc, depth: Mapping[str | None, int], base: int) -> int:
    """Weight that orders sums of arcs lexicographically by the sums of their ranks."""
    ranks = (arc.motions, not arc.as_added, len(arc.links) - 1, depth[arc.tail], arc.backwards)
    weight = 0
    for rank in ranks:
        weight = weight * base + int(rank)
    return weight


def _cut(edge: Closing) -> Closing:
    """Cut joint; one added by `Model.add` is named "body-carrier"."""
    if edge.kind != "body":
        return edge
    return replace(edge, kind="loop", name=f"{edge.name}-{edge.a.body or 'ground'}")


def _check_names(names: Sequence[str]) -> None:
    """Reject a name of the model that is needed for a massless body or a loop created here."""
    for name, times in Counter(names).items():
        if times > 1:
            raise ModelError(
                f"the name {name!r} is needed for a massless body or a loop that compile creates; "
                "rename the body, loop, join, coupling or frame of that name"
            )


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
