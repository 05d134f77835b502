"""Printout of a system."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from ..bodies import NormalBody
from ..bodies.nodes import node_called
from ..errors import MOST_LINES, cut_lines, printable
from .coupling import equation

if TYPE_CHECKING:
    from .frame import Frame
    from .loop import Loop, LoopEnd
    from .system import System

DEEPEST = 40  # levels drawn as branches


def printed_tree(system: System, most: int | None = MOST_LINES) -> str:
    """Text with one line a body: tree, joint, mass, modes and frequencies; then the others.

    Parameters
    ----------
    system : System
        System to print.
    most : int or None
        Bodies, loops, couplings and frames that get a line each; None: all.
    """
    return "\n".join(
        [
            _heading(system),
            *cut_lines(_bodies(system, most), most, "bodies", system.n_body),
            *cut_lines(_loops(system, most), most, "loops", len(system.loops)),
            *cut_lines(_couplings(system, most), most, "couplings", len(system.couplings)),
            *cut_lines(_frames(system, most), most, "frames", len(system.frames)),
        ]
    )


def _heading(system: System) -> str:
    mass = sum(body.mass for body in system.bodies)
    modes = sum(body.n_mode for body in system.bodies)
    gravity = ", ".join(f"{g:g}" for g in system.gravity)
    return (
        f"{printable(system.name) or 'System'}: {_count(system.n_body)}, {mass:.6g} kg, "
        f"{system.n_q} coordinates, {system.n_v} speeds "
        f"({system.n_v - modes} hinge, {modes} modal), {_loop_count(system)}"
        f"gravity ({gravity}) m/s^2"
    )


def _loop_count(system: System) -> str:
    groups = (("loop", len(system.loops)), ("coupling", len(system.couplings)))
    counts = [f"{n} {what}{'s' if n > 1 else ''}" for what, n in groups if n]
    return f"{' and '.join(counts)} with {_equations(system.n_constraint)}, " if counts else ""


def _equations(n: int) -> str:
    return f"{n} constraint equation{'' if n == 1 else 's'}"


def _count(n: int) -> str:
    return "1 body" if n == 1 else f"{n} bodies"


def _bodies(system: System, most: int | None) -> list[str]:
    """Branch and name, joint, mass and modes of each body, in columns."""
    branches = list(islice(_branches(system), most))
    width = max((len(branch) for branch, _ in branches), default=0)
    labels = [system.joints[i].label + _placed(system, i) for _, i in branches]
    label_width = max((len(label) for label in labels), default=0)
    rows = []
    for (branch, i), label in zip(branches, labels, strict=True):
        body = system.bodies[i]
        place = f"{branch:{width}s}  {label:{label_width}s}"
        rows.append(f"{place}  {body.mass:10.4g} kg  {_modes(body)}")
    return rows


def _branches(system: System) -> Iterator[tuple[str, int]]:
    """Pairs (branch with name, body) in printing order; deep branches show their level."""
    roots = [i for i in range(system.n_body) if system.parent[i] < 0]
    stack = [(i, "", 0, i == roots[-1]) for i in reversed(roots)]
    while stack:
        i, indent, level, last = stack.pop()
        place = indent if level < DEEPEST else f"{indent} level {level} "
        yield place + ("└─ " if last else "├─ ") + printable(system.names[i]), i
        children = system.children[i]
        below = indent + ("   " if last else "│  ") if level < DEEPEST else indent
        stack += [(c, below, level + 1, c == children[-1]) for c in reversed(children)]


def _placed(system: System, i: int) -> str:
    """Node of the parent that carries a body, if other than the parent's frame."""
    if system.parent[i] < 0:
        return ""
    node = _node(system.bodies[system.parent[i]], int(system.parent_node[i]))
    return node and f" at {node}"


def _node(body: NormalBody, node: int) -> str:
    """Name or number of a node; empty for the node at the body frame."""
    if node == body.inboard:
        return ""
    return printable(node_called(body.node_names, node) or f"node {node}")


def _loops(system: System, most: int | None) -> list[str]:
    """Name, joint, ends and number of equations of each loop, in columns."""
    rows = [_loop(system, loop) for loop in system.loops[:most]]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    padded = [[f"{x:{w}s}" for x, w in zip(row, widths, strict=True)] for row in rows]
    return ["  ".join(row).rstrip() for row in padded]


def _loop(system: System, loop: Loop) -> tuple[str, ...]:
    ends = " - ".join(_end(system, end) for end in loop.ends)
    equations = _equations(loop.n_constraint) + (", cut by compile" if loop.chosen else "")
    return f"loop {printable(loop.name)}", loop.joint.label, ends, equations


def _couplings(system: System, most: int | None) -> list[str]:
    """Name and equation of each coupling, in columns."""
    shown = [(printable(one.name), equation(system, one)) for one in system.couplings[:most]]
    width = max((len(name) for name, _ in shown), default=0)
    return [f"coupling {name:{width}s}  {printable(words)}" for name, words in shown]


def _frames(system: System, most: int | None) -> list[str]:
    """Name and place of each frame, in columns."""
    shown = [(printable(one.name), _end(system, one)) for one in system.frames[:most]]
    width = max((len(name) for name, _ in shown), default=0)
    return [f"frame {name:{width}s}  on {place}" for name, place in shown]


def _end(system: System, end: LoopEnd | Frame) -> str:
    if end.body < 0:
        return "the ground"
    node = _node(system.bodies[end.body], end.node)
    return printable(system.names[end.body]) + (f" ({node})" if node else "")


def _modes(body: NormalBody) -> str:
    if not body.n_mode:
        return "rigid"
    f = np.sort(body.frequencies)
    span = f"{f[0]:.3g} Hz" if len(f) == 1 else f"{f[0]:.3g} to {f[-1]:.3g} Hz"
    return f"{body.n_mode} mode{'s' if body.n_mode > 1 else ''}, {span}, {body.level}"
