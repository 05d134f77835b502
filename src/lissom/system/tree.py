"""The readable print of a system."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..bodies import NormalBody
from ..bodies.nodes import node_called
from .coupling import equation

if TYPE_CHECKING:
    from .loop import Loop, LoopEnd
    from .system import System

__all__ = ["printed_tree"]


def printed_tree(system: System) -> str:
    """Text with one line a body: tree, joint, mass, modes and frequencies; then loops."""
    branches = list(_branches(system))
    width = max((len(stem) + len(name) for stem, name, _ in branches), default=0)
    labels = [system.joints[i].label + _placed(system, i) for _, _, i in branches]
    label_width = max((len(label) for label in labels), default=0)
    rows = [_heading(system)]
    for (stem, name, i), label in zip(branches, labels, strict=True):
        body = system.bodies[i]
        place = f"{(stem + name):{width}s}  {label:{label_width}s}"
        rows.append(f"{place}  {body.mass:10.4g} kg  {_modes(body)}")
    return "\n".join([*rows, *_loops(system), *_couplings(system)])


def _heading(system: System) -> str:
    mass = sum(body.mass for body in system.bodies)
    modes = sum(body.n_mode for body in system.bodies)
    gravity = ", ".join(f"{g:g}" for g in system.gravity)
    return (
        f"{system.name or 'System'}: {_count(system.n_body)}, {mass:.6g} kg, "
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


def _branches(system: System) -> list[tuple[str, str, int]]:
    """(stem, name, body) in the order of the printed tree."""
    rows: list[tuple[str, str, int]] = []
    roots = [i for i in range(system.n_body) if system.parent[i] < 0]
    stack = [(i, "", i == roots[-1]) for i in reversed(roots)]
    while stack:
        i, indent, last = stack.pop()
        rows.append((indent + ("└─ " if last else "├─ "), system.names[i], i))
        children = system.children[i]
        below = indent + ("   " if last else "│  ")
        stack += [(c, below, c == children[-1]) for c in reversed(children)]
    return rows


def _placed(system: System, i: int) -> str:
    """Where on its parent a body sits, if at a node other than the parent's frame."""
    if system.parent[i] < 0:
        return ""
    node = _node(system.bodies[system.parent[i]], int(system.parent_node[i]))
    return node and f" at {node}"


def _node(body: NormalBody, node: int) -> str:
    """Name of a node, or its number; nothing for that of the body's frame."""
    if node == body.inboard:
        return ""
    return node_called(body.node_names, node) or f"node {node}"


def _loops(system: System) -> list[str]:
    """Name, joint, ends and number of equations of each loop, in columns."""
    rows = [_loop(system, loop) for loop in system.loops]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    padded = [[f"{x:{w}s}" for x, w in zip(row, widths, strict=True)] for row in rows]
    return ["  ".join(row).rstrip() for row in padded]


def _loop(system: System, loop: Loop) -> tuple[str, ...]:
    ends = " - ".join(_end(system, end) for end in loop.ends)
    equations = _equations(loop.n_constraint) + (", cut by compile" if loop.chosen else "")
    return f"loop {loop.name}", loop.joint.label, ends, equations


def _couplings(system: System) -> list[str]:
    """Name and equation of each coupling, in columns."""
    width = max((len(one.name) for one in system.couplings), default=0)
    return [f"coupling {one.name:{width}s}  {equation(system, one)}" for one in system.couplings]


def _end(system: System, end: LoopEnd) -> str:
    if end.body < 0:
        return "the ground"
    node = _node(system.bodies[end.body], end.node)
    return system.names[end.body] + (f" ({node})" if node else "")


def _modes(body: NormalBody) -> str:
    if not body.n_mode:
        return "rigid"
    f = np.sort(body.frequencies)
    span = f"{f[0]:.3g} Hz" if len(f) == 1 else f"{f[0]:.3g} to {f[-1]:.3g} Hz"
    return f"{body.n_mode} mode{'s' if body.n_mode > 1 else ''}, {span}, {body.level}"
