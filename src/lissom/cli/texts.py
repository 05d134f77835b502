"""Descriptions of mechanisms and runs, shared by the commands."""

from __future__ import annotations

import math
import re
import sys
import textwrap
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from ..errors import MOST_LINES

if TYPE_CHECKING:
    from ..results import Trajectory
    from ..results.event_records import EventRecord, ImpactImpulse, Impulse, Touch
    from ..system import System

WIDTH = 80


def heading(system: System) -> str:
    """Name and size of a mechanism."""
    from ..system.tree import heading

    return heading(system)


def tree_text(system: System, most: int | None = MOST_LINES) -> str:
    """Size and tree of a mechanism; without columns if the terminal is too narrow.

    Parameters
    ----------
    system : System
        The mechanism.
    most : int or None
        Bodies, loops, couplings, frames and shapes that get a line each; None: all.
    """
    from ..system.tree import printed_tree

    first = heading(system)
    lines = printed_tree(system, most).removeprefix(first).splitlines()[1:]
    columns = get_terminal_size().columns
    if sys.stdout.isatty() and max(map(len, lines), default=0) > columns:
        lines = [_narrow(line, columns) for line in lines]
    return "\n".join((first, *lines))


def _narrow(line: str, columns: int) -> str:
    """Line of a tree with single spaces, wrapped after its branch if still too long."""
    branch = re.match(r"[ │├└─]*", line)
    assert branch is not None
    fields = re.split(r" {2,}", line[branch.end() :])
    text = "  ".join(field.replace(" ", "\xa0") for field in fields)
    room = max(columns - branch.end(), 30)
    first, *rest = textwrap.wrap(text, room, subsequent_indent="  ", break_long_words=False)
    below = branch[0].replace("├─", "│ ").replace("└─", "  ")
    return "\n".join((branch[0] + first, *(below + x for x in rest))).replace("\xa0", " ")


def run_facts(run: Trajectory) -> dict[str, Any]:
    """Summary of a run as a dictionary, in SI units."""
    from ..results.envelopes import usual_loads
    from ..results.peaks import lock_peak_notes

    energy = run["energy.total"]
    return {
        "name": run.system.name,
        "status": str(run.status),
        "message": run.message,
        "rows": len(run),
        "end": float(run.time[-1]),
        "steps": int(run.statistics.get("steps", 0)),
        "seconds": float(run.statistics.get("seconds", 0.0)),
        "integrator": str(run.statistics.get("integrator", "")),
        "events": [_event(x) for x in run.events],
        "notes": lock_peak_notes(run, usual_loads(run)),
        "energy": {"start": float(energy[0]), "end": float(energy[-1])},
    }


def _event(event: EventRecord) -> dict[str, Any]:
    """An event with the impulses of its locks and impacts, and the contact that changed."""
    facts: dict[str, Any] = {"time": event.time, "name": event.label}
    facts |= {"contact": event.touch.plain()} if event.touch else {}
    return facts | ({"impulses": [x.plain() for x in event.impulses]} if event.impulses else {})


def run_text(run: Trajectory) -> str:
    """Summary of a run in a few lines."""
    statistics = run.statistics
    ended = "stopped by an event" if run.status == "event" else run.status
    words = f"{ended} at t = {run.time[-1]:g} s, {len(run)} rows"
    if "steps" in statistics:
        words += f", {statistics['steps']} steps in {statistics['seconds']:.2f} s"
    lines = [words, str(statistics.get("chosen", ""))]
    for event in run.events:
        lines.append(f"event {event.label!r} at t = {event.time:g} s")
        lines += [f"  {impulse_text(x)}" for x in event.impulses]
        lines += [f"  {touch_text(event.touch)}"] if event.touch else []
    energy = run["energy.total"]
    lines.append(f"energy {energy[0]:.6g} J at the start, {energy[-1]:.6g} J at the end")
    return "\n".join(wrap_text(line) for line in lines if line)


def impulse_text(impulse: Impulse | ImpactImpulse) -> str:
    """Impulse of a lock or an impact in a line."""
    from ..results.event_records import ImpactImpulse

    if isinstance(impulse, ImpactImpulse):
        size = math.hypot(*impulse.impulse)
        return (
            f"impact of {impulse.place}: impulse {size:.4g} N s; energy lost {impulse.loss:.4g} J"
        )
    pairs = zip(impulse.impulse, impulse.units, strict=True)
    numbers = ", ".join(f"{p:.4g} {unit}" for p, unit in pairs)
    return f"lock of {impulse.joint!r}: impulse {numbers}; energy lost {impulse.loss:.4g} J"


def touch_text(touch: Touch) -> str:
    """What a contact did, in a line."""
    if touch.touches:
        return f"speed of approach {touch.speed:.4g} m/s"
    return (
        f"after {touch.lasted:.4g} s; impulse {touch.impulse:.4g} N s, largest normal force "
        f"{touch.peak:.4g} N"
    )


def wrap_text(text: str) -> str:
    """Text wrapped to the terminal."""
    return textwrap.fill(text, WIDTH, subsequent_indent="  ", break_long_words=False)
