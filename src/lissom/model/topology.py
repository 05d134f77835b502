"""Tree of a model: carriers, the base-to-tip order of bodies, and node numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..bodies import RigidBody
from ..errors import ModelError, name_list, suggestion
from ..system import GROUND
from .parts import Body, Closing, Connection, Part


def check_carriers(name: str, parts: Mapping[str, Connection], frames: Mapping[str, Any]) -> None:
    """Reject a model without bodies, and a body attached to a part that does not exist."""
    if not parts:
        raise ModelError(f"model {name!r} has no bodies; add one with model.add(...)")
    for part in parts.values():
        if part.to is not None and part.to.name not in parts and part.to.name not in frames:
            choices = [name for name in (*parts, *frames) if name != part.name]
            raise ModelError(
                f"body {part.name!r} is attached to {part.to.name!r}, which is not in the model; "
                f"{suggestion(part.to.name, choices)}"
            )


def numbered_base_to_tip(parts: Mapping[str, Connection]) -> list[Connection]:
    """Connections reordered so that every body follows its carrier, otherwise in given order."""
    ordered: dict[str, Connection] = {}
    for part in parts.values():
        for link in reversed(_path_to_ordered(part, parts, ordered)):
            ordered[link.name] = link
    return list(ordered.values())


def _path_to_ordered(
    part: Connection, parts: Mapping[str, Connection], ordered: Mapping[str, Connection]
) -> list[Connection]:
    """The part and its carriers, inward to the ground or to the first known body."""
    path: dict[str, Connection] = {}
    here: Connection | None = part
    while here is not None and here.name not in ordered:
        if here.name in path:
            names = [*path, here.name]
            raise cycle_error(names[names.index(here.name) :])
        path[here.name] = here
        here = parts[here.to.name] if here.to is not None else None
    return list(path.values())


def cycle_error(names: Iterable[str]) -> ModelError:
    """Error about bodies that carry each other."""
    return ModelError(
        "bodies carry each other in a cycle; attach one of them to the ground or to a body outside "
        f"the cycle: {name_list(names, show=str, between=' -> ')}"
    )


def inboard_node(body: Body) -> int:
    """Number of the node at the body's frame."""
    return 0 if isinstance(body, RigidBody) else body.inboard


def end_node(closing: Closing, side: str, parts: Mapping[str, Connection]) -> int:
    """Number of the node at the end "a" or "b" of a joint, -1 for the ground."""
    part = closing.a.part if side == "a" else closing.b.part
    if part is None:
        return GROUND
    if part.name not in parts:
        raise ModelError(
            f"{closing.title}: its end {side} is on {part.name!r}, which is not in the model; "
            f"{suggestion(part.name, parts)}"
        )
    what = f"{closing.title}: its end {side}"
    return node_number(what, part, parts[part.name].body, f"at_{side}")


def node_number(what: str, place: Part, body: Body, offset: str = "at") -> int:
    """Number of the node of `body` at `place`."""
    node = place.node
    if node is None:
        return inboard_node(body)
    where = f"{what} is attached to node {node!r} of body {place.name!r}"
    if isinstance(body, RigidBody):
        raise ModelError(
            f"{where}, but that body is rigid and has no nodes; give {offset}=(x, y, z)"
        )
    if isinstance(node, str) and node in body.names:
        return body.names[node]
    number = int(node) if str(node).isdecimal() else -1
    if not 0 <= number < len(body.positions):
        raise ModelError(
            f"{where}, which does not exist: its nodes are 0 to {len(body.positions) - 1}; "
            f"{suggestion(str(node), body.names)}"
        )
    return number
