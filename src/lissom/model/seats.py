"""Where parts sit on bodies that bend: what sits on the frame of a body follows its root alone."""

from __future__ import annotations

import numpy as np

from ..bodies import RigidBody
from ..bodies.nodes import node_called
from ..spatial.scalar import is_numeric
from ..system import System
from .parts import Body, End, Part

__all__ = ["beside_nodes", "seat"]

Array = np.ndarray

_CLOSE = 0.01  # part of the body's size within which a place is that of a node


def seat(end: End, name: str, old: Body, new: Body) -> End:
    """Frame of a joint, or a named one, after a rigid body was replaced by one with nodes.

    What sat on the frame of the rigid body sits on the nearest node of the new one, at the same
    point while nothing is bent.

    Parameters
    ----------
    end : End
        Where it sits.
    name : str
        Body that is replaced.
    old, new : body
        What was there, and what is there now.
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


def beside_nodes(system: System) -> list[str]:
    """Sentences about what sits on the frame of a body that bends, at the place of a node.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    """
    joints = zip(system.parent, system.parent_node, system.frame_position, strict=True)
    seats = [(f"body {name!r}", *place) for name, place in zip(system.names, joints, strict=True)]
    for loop in system.loops:
        for end in (loop.a, loop.b):
            seats.append((f"loop {loop.name!r}", end.body, end.node, end.position))
    seats += [(f"frame {x.name!r}", x.body, x.node, x.position) for x in system.frames]
    found = []
    for what, i, node, at in seats:
        body = system.bodies[i] if i >= 0 else None
        if body is None or not body.n_mode or node != body.inboard:
            continue
        distance = np.linalg.norm(body.node_positions - at, axis=1)
        k = int(np.argmin(distance))
        size = np.abs(body.node_positions).max()
        if k != body.inboard and distance[k] < _CLOSE * size <= np.linalg.norm(at):
            carrier, called = system.names[i], node_called(body.node_names, k) or k
            found.append(
                f"{what} sits on the frame of {carrier!r}, at the place of its node "
                f"{called!r}, and does not move when {carrier!r} bends; "
                f'if it should, put it on "{carrier}.{called}"'
            )
    return found
