"""Loops and joins of a model: creation, and removal of parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import ModelError, name_list
from ..joints import ClosedContact
from .coupling import Couple
from .frames import NamedFrame
from .parts import Closing, Connection, checked_end, checked_joint

EndArguments = tuple[Any, Any, Any]


def checked_closing(kind: str, name: str, joint: Any, a: EndArguments, b: EndArguments) -> Closing:
    """Validated joint between two ends (part, at, rotation)."""
    where = f"{kind} {name!r}"
    if checked_joint(joint, where).n_v == 6:
        raise ModelError(
            f"{where}: its joint ({joint.label}) allows every motion and constrains nothing; leave "
            f"the {kind} out or give another joint; to let a body float, add it with Free()"
        )
    if kind == "join" and isinstance(joint, ClosedContact):
        raise ModelError(
            f"{where}: {joint.label} is a contact and cannot carry a body; give it to Model.close"
        )
    ends = checked_end(*a, where, "a"), checked_end(*b, where, "b")
    closing = Closing(kind, name, joint, *ends)
    check_two_bodies(closing)
    return closing


def check_two_bodies(closing: Closing) -> None:
    """Reject a joint between a body and itself, except a loop between two nodes of it."""
    a, b = closing.a, closing.b
    nodes = [end.part.node if end.part is not None else None for end in (a, b)]
    if a.body != b.body or (closing.kind == "loop" and nodes[0] != nodes[1]):
        return
    what = "the ground" if a.body is None else f"body {a.body!r}"
    raise ModelError(
        f"{closing.title} connects {what} to itself; give two different bodies, one body and the "
        "ground (None), or to Model.close two nodes of a flexible body"
    )


def removed(
    first: str,
    parts: Mapping[str, Connection],
    loops: Mapping[str, Closing],
    joins: Mapping[str, Closing],
    couplings: Mapping[str, Couple],
    frames: Mapping[str, NamedFrame],
    *,
    outboard: bool,
) -> tuple[dict[str, Any], ...]:
    """Groups of a model without the body or frame `first` and, if `outboard`, its dependents."""
    gone = [first]
    for here in gone:
        carried = [p.name for p in parts.values() if p.to is not None and p.to.name == here]
        carried += [f.name for f in frames.values() if f.end.body == here]
        gone += [name for name in carried if name not in gone]
    dependent = {
        kind: [c.name for c in closings.values() if any(c.touches(body) for body in gone)]
        for kind, closings in (("loop", loops), ("join", joins))
    }
    dependent["coupling"] = [c.name for c in couplings.values() if set(gone) & set(c.bodies)]
    held = [f"it carries {name_list(gone[1:])}"] if len(gone) > 1 else []
    held += [
        f"the {kind} {name_list(names)} depends on it" for kind, names in dependent.items() if names
    ]
    if held and not outboard:
        raise ModelError(
            f"remove({first!r}): {' and '.join(held)}; remove those first or pass outboard=True"
        )
    return (
        {name: part for name, part in parts.items() if name not in gone},
        {name: loop for name, loop in loops.items() if name not in dependent["loop"]},
        {name: join for name, join in joins.items() if name not in dependent["join"]},
        {name: one for name, one in couplings.items() if name not in dependent["coupling"]},
        {name: frame for name, frame in frames.items() if name not in gone},
    )
