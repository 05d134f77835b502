"""Printout of a robot from a URDF file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import MOST_LINES, cut_lines, name_list, printable
from ...notebook import table
from ...printing import folded

if TYPE_CHECKING:
    from .joints import Limits
    from .robot import Urdf

_HEADS = ("joint", "carries", "range", "effort", "speed")


def printed(robot: Urdf) -> str:
    """Sizes, and one line a joint: the body that it carries and its limits.

    Parameters
    ----------
    robot : Urdf
        Robot to print.
    """
    rows = [_HEADS, *_rows(robot)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  " + "  ".join(f"{x:{w}s}" for x, w in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
    kept = cut_lines(lines, MOST_LINES + 1, "joints", len(robot.joints) + 1)
    return folded("\n".join([_title(robot), *kept, *_notes(robot)]))


def printed_table(robot: Urdf) -> str:
    """The same as a table of HTML.

    Parameters
    ----------
    robot : Urdf
        Robot to show.
    """
    rows = _rows(robot)[:MOST_LINES]
    more = cut_lines([], 0, "joints", max(0, len(robot.joints) - MOST_LINES))
    return table(_title(robot), _HEADS, rows, [*more, *_notes(robot)])


def _title(robot: Urdf) -> str:
    words = ((len(robot.links), "link"), (len(robot.joints), "joint"))
    counts = ", ".join(f"{n} {what}{'' if n == 1 else 's'}" for n, what in words)
    return f"Urdf of {printable(robot.model.name) or 'a robot'}: {counts}"


def _rows(robot: Urdf) -> list[tuple[str, ...]]:
    return [
        (printable(joint), printable(body), *_limits(robot.limits.get(joint)))
        for joint, body in robot.joints.items()
    ]


def _limits(limits: Limits | None) -> tuple[str, str, str]:
    if limits is None:
        return "", "", ""
    inside = (limits.lower, limits.upper)
    span = f"{inside[0]:.4g} to {inside[1]:.4g}" if np.isfinite(inside).any() else ""
    effort, speed = (f"{x:.4g}" if np.isfinite(x) else "" for x in (limits.effort, limits.velocity))
    return span, effort, speed


def _notes(robot: Urdf) -> list[str]:
    merged = [
        f"{link} into {body}"
        for link, body in robot.links.items()
        if link.replace(".", "_") != body
    ]
    groups = {
        "merged": merged,
        "damping of": list(robot.damping),
        "friction of": list(robot.friction),
        "mimics": list(robot.mimics),
    }
    notes = []
    for what, found in groups.items():
        if found:
            notes.append(f"  {what} {name_list(found, show=printable, most=4)}")
    return notes
