"""Attachment to flexible bodies: parts on the body's frame follow only its inboard node."""

from __future__ import annotations

import numpy as np

from ..bodies import RigidBody
from ..bodies.nodes import node_called
from ..spatial.scalar import is_numeric
from ..system import System
from .parts import Body, End, Part

Array = np.ndarray

_CLOSE = 0.01  # fraction of the body's size within which a point is taken to be a node


def moved_to_node(end: End, name: str, old: Body, new: Body) -> End:
    """Frame of a joint, or a named one, after a rigid body was replaced by one with nodes.

    A frame attached to the rigid body's frame moves to the nearest node of the new body.  Its
    position in the undeformed body stays the same.
    """
    if end.part != Part(name) or not isinstance(old, RigidBody) or isinstance(new, RigidBody):
        return end
    if not is_numeric(end.at) or not is_numeric(new.positions):
        return end
    places = new.positions - new.positions[new.inboard]
    k = int(np.argmin(np.linalg.norm(places - end.at, axis=1)))
    if k == new.inboard:
        return end
    return End(Part(name, node_called(new.names, k) or k), end.at - places[k], end.rotation)


def off_node_warnings(system: System) -> list[str]:
    """Warnings about parts on the frame of a flexible body at the position of one of its nodes."""
    joints = zip(system.parent, system.parent_node, system.frame_position, strict=True)
    ends = [(f"body {name!r}", *place) for name, place in zip(system.names, joints, strict=True)]
    for loop in system.loops:
        for end in (loop.a, loop.b):
            ends.append((f"loop {loop.name!r}", end.body, end.node, end.position))
    ends += [(f"frame {x.name!r}", x.body, x.node, x.position) for x in system.frames]
    for shape in system.shapes:
        if shape.carrier is not None:
            on = system.place(shape.carrier)
            ends.append((f"shape {shape.name!r}", on.body, on.node, on.position + shape.shape.at))
    lines = []
    for what, i, node, at in ends:
        body = system.bodies[i] if i >= 0 else None
        if body is None or not body.n_mode or node != body.inboard:
            continue
        distance = np.linalg.norm(body.node_positions - at, axis=1)
        k = int(np.argmin(distance))
        size = np.abs(body.node_positions).max()
        if k != body.inboard and distance[k] < _CLOSE * size <= np.linalg.norm(at):
            carrier, called = system.names[i], node_called(body.node_names, k) or k
            lines.append(
                f"{what} is attached to the frame of {carrier!r}, at the position of its node "
                f"{called!r}, and does not move when {carrier!r} bends; "
                f'if it should, attach it to "{carrier}.{called}"'
            )
    return lines
