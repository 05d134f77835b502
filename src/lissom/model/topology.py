"""The graph of a model: who carries whom, and the numbering base to tip."""

from __future__ import annotations

from collections.abc import Mapping

from ..bodies import NormalBody, RigidBody
from ..errors import ModelError, suggestion
from .model import Body, Connection, Model, Part

__all__ = ["node_number", "numbered_base_to_tip"]


def numbered_base_to_tip(model: Model) -> list[Connection]:
    """Connections with every body after the one that carries it, else in the order of addition."""
    parts = model.parts
    if not parts:
        raise ModelError(f"model {model.name!r} has no bodies; add one with model.add(...)")
    for part in parts.values():
        if part.to is not None and part.to.name not in parts:
            raise ModelError(
                f"body {part.name!r} is attached to {part.to.name!r}, which is not in the model; "
                f"{suggestion(part.to.name, [name for name in parts if name != part.name])}"
            )
    ordered: dict[str, Connection] = {}
    for part in parts.values():
        for link in reversed(_path_to_known(part, parts, ordered)):
            ordered[link.name] = link
    return list(ordered.values())


def _path_to_known(
    part: Connection, parts: Mapping[str, Connection], known: Mapping[str, Connection]
) -> list[Connection]:
    """The part and its carriers, inward until the ground or a body that is numbered already."""
    path: dict[str, Connection] = {}
    here: Connection | None = part
    while here is not None and here.name not in known:
        if here.name in path:
            names = [*path, here.name]
            cycle = " -> ".join(names[names.index(here.name) :])
            raise ModelError(
                f"the bodies {cycle} carry each other in a cycle; attach one of them to the ground "
                "or to a body outside the cycle"
            )
        path[here.name] = here
        here = parts[here.to.name] if here.to is not None else None
    return list(path.values())


def node_number(what: str, place: Part, carrier: NormalBody, given: Body) -> int:
    """Number of the carrier's node at `place`; `what` is there, for an error."""
    node = place.node
    if node is None:
        return carrier.inboard
    where = f"{what} is attached to node {node!r} of body {place.name!r}"
    if isinstance(given, RigidBody):
        raise ModelError(f"{where}, but that body is rigid and has no nodes; give at=(x, y, z)")
    if isinstance(node, str) and node in carrier.node_names:
        return carrier.node_names[node]
    number = int(node) if str(node).isdigit() else -1
    if not 0 <= number < len(carrier.node_positions):
        raise ModelError(
            f"{where}, which does not exist: nodes are 0 to {len(carrier.node_positions) - 1}; "
            f"{suggestion(str(node), carrier.node_names)}"
        )
    return number
