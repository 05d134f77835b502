"""Joints of a model beyond those that carry bodies: made and taken out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import ModelError, name_list
from .coupling import Couple
from .parts import Closing, Connection, checked_end, checked_joint

__all__ = ["checked_closing", "removed"]

Given = tuple[Any, Any, Any]


def checked_closing(kind: str, name: str, joint: Any, a: Given, b: Given) -> Closing:
    """Joint between two ends (part, at, rotation), or an error that says what is wrong.

    Parameters
    ----------
    kind : {"loop", "join"}
        What it is to the user.
    name : str
        Its name, checked before.
    joint, a, b
        As the user gave them.
    """
    where = f"{kind} {name!r}"
    if checked_joint(joint, where).n_v == 6:
        raise ModelError(
            f"{where}: its joint ({joint.label}) allows every motion and holds nothing; leave the "
            f"{kind} out or give another joint; to let a body float, add it with Free()"
        )
    ends = checked_end(*a, where, "a"), checked_end(*b, where, "b")
    if ends[0].body == ends[1].body:
        what = "the ground" if ends[0].body is None else f"body {ends[0].body!r}"
        raise ModelError(
            f"{where} connects {what} with itself; give two different bodies, or one body and "
            "the ground (None)"
        )
    return Closing(kind, name, joint, *ends)


def removed(
    first: str,
    parts: Mapping[str, Connection],
    loops: Mapping[str, Closing],
    joins: Mapping[str, Closing],
    couplings: Mapping[str, Couple],
    *,
    outboard: bool,
) -> tuple[dict[str, Connection], dict[str, Closing], dict[str, Closing], dict[str, Couple]]:
    """All parts of a model without the body `first` and, by consent, all that hangs on it."""
    gone = [first]
    for body in gone:
        carried = (p for p in parts.values() if p.to is not None and p.to.name == body)
        gone += [p.name for p in carried if p.name not in gone]
    hanging = {
        kind: [c.name for c in closings.values() if any(c.touches(body) for body in gone)]
        for kind, closings in (("loop", loops), ("join", joins))
    }
    hanging["coupling"] = [c.name for c in couplings.values() if set(gone) & set(c.bodies)]
    held = [f"it carries {name_list(gone[1:])}"] if len(gone) > 1 else []
    held += [
        f"the {kind} {name_list(names)} hangs on it" for kind, names in hanging.items() if names
    ]
    if held and not outboard:
        raise ModelError(
            f"remove({first!r}): {' and '.join(held)}; remove those first or pass outboard=True"
        )
    return (
        {name: part for name, part in parts.items() if name not in gone},
        {name: loop for name, loop in loops.items() if name not in hanging["loop"]},
        {name: join for name, join in joins.items() if name not in hanging["join"]},
        {name: one for name, one in couplings.items() if name not in hanging["coupling"]},
    )
