"""Printout of a system."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from ..bodies import NormalBody
from ..bodies.nodes import node_called
from ..errors import MOST_LINES, cut_lines, printable
from ..notebook import code, table
from ..printing import WIDTH, filled
from .coupling import equation

if TYPE_CHECKING:
    from .frame import Frame
    from .loop import Loop, LoopEnd
    from .system import System

DEEPEST = 6  # levels drawn as branches
_MOST_DETAIL = 3  # 2: axes with two digits, 1: the first frequency only, 0: neither
_NARROWEST = 8  # columns of a text that is cut to make the tree fit


def printed_tree(system: System, most: int | None = MOST_LINES) -> str:
    """Text with one line a body: tree, joint, mass, modes and frequencies; then the others.

    `most`: bodies, loops, couplings, frames and shapes that get a line each; None: all.
    """
    return "\n".join(
        [
            heading(system),
            *cut_lines(_bodies(system, most), most, "bodies", system.n_body),
            *cut_lines(_loops(system, most), most, "loops", len(system.loops)),
            *cut_lines(_couplings(system, most), most, "couplings", len(system.couplings)),
            *cut_lines(_frames(system, most), most, "frames", len(system.frames)),
            *cut_lines(_shapes(system, most), most, "shapes", len(system.shapes)),
        ]
    )


def tree_table(system: System) -> str:
    """Tree as a table of HTML; loops, couplings, frames and shapes below it."""
    rows = [
        (code(branch), *_facts(system, i, _MOST_DETAIL))
        for branch, i in islice(_branches(system), MOST_LINES)
    ]
    left = system.n_body - len(rows)
    more = [f"... and {left} more bodies"] if left > 0 else []
    others = printed_tree(system).splitlines()[len(heading(system).splitlines()) :]
    others = [x for x in others if x.startswith(("loop ", "coupling ", "frame ", "shape "))]
    title = " ".join(heading(system).split())
    return table(title, ("body", "joint", "mass", "flexibility"), rows, [*more, *map(code, others)])


def heading(system: System) -> str:
    """Name and size of a system, in lines of at most 80 columns."""
    mass = sum(body.mass for body in system.bodies)
    modes = sum(body.n_mode for body in system.bodies)
    gravity = ", ".join(f"{g:g}" for g in system.gravity)
    pieces = [
        f"{printable(system.name) or 'System'}: {_count(system.n_body)}",
        f"{mass:.6g} kg",
        f"{system.n_q} coordinates",
        f"{system.n_v} speeds ({system.n_v - modes} hinge, {modes} modal)",
        *_loop_count(system),
        f"gravity ({gravity}) m/s^2",
    ]
    return filled("", pieces, end="", indent=2)


def _loop_count(system: System) -> list[str]:
    groups = (("loop", len(system.loops)), ("coupling", len(system.couplings)))
    counts = [f"{n} {what}{'s' if n > 1 else ''}" for what, n in groups if n]
    return [f"{' and '.join(counts)} with {_equations(system.n_constraint)}"] if counts else []


def _equations(n: int) -> str:
    return f"{n} constraint equation{'' if n == 1 else 's'}"


def _count(n: int) -> str:
    return "1 body" if n == 1 else f"{n} bodies"


def _bodies(system: System, most: int | None) -> list[str]:
    """Branch and name, joint, mass and modes of each body, in columns."""
    branches = list(islice(_branches(system), most))
    for detail in range(_MOST_DETAIL, -1, -1):
        rows = [(branch, *_facts(system, i, detail)) for branch, i in branches]
        if _over(rows) <= 0:
            break
    return _columns(rows, right=(2,))


def _facts(system: System, i: int, detail: int) -> tuple[str, str, str]:
    """Joint, mass and modes of a body."""
    label = system.joints[i].label
    if detail == 0:
        label = re.sub(r"\(.*?\)", "(...)", label)
    elif detail < _MOST_DETAIL:
        label = re.sub(r"-?[0-9]+\.[0-9]+", lambda x: f"{float(x[0]):.2g}", label)
    body = system.bodies[i]
    return label + _placed(system, i), f"{body.mass:.4g} kg", _modes(body, detail)


def _over(rows: Sequence[tuple[str, ...]]) -> int:
    """Columns of the widest row above 80."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return sum(widths) + 2 * (len(widths) - 1) - WIDTH


def _columns(rows: Sequence[tuple[str, ...]], right: tuple[int, ...] = ()) -> list[str]:
    """Rows in columns; if they are wider than 80, texts are cut, those on the left last."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    over = _over(rows)
    for k in reversed([k for k in range(len(widths)) if k not in right]):
        less = max(widths[k] - max(over, 0), min(widths[k], _NARROWEST))
        over -= widths[k] - less
        widths[k] = less
    return ["  ".join(_cells(row, widths, right)).rstrip() for row in rows]


def _cells(row: tuple[str, ...], widths: list[int], right: tuple[int, ...]) -> list[str]:
    cells = []
    for k, (x, w) in enumerate(zip(row, widths, strict=True)):
        end = x[len(x) - w // 3 :] if k == 0 else ""  # names differ at their ends
        text = x if len(x) <= w else f"{x[: w - 3 - len(end)]}...{end}"
        cells.append(text.rjust(w) if k in right else text.ljust(w))
    return cells


def _branches(system: System) -> Iterator[tuple[str, int]]:
    """Pairs (branch with name, body) in printing order.

    In a deep tree an only child is printed under its parent without a branch of its own, and
    branches of many levels show their level instead.
    """
    roots = [i for i in range(system.n_body) if system.parent[i] < 0]
    deep = _depth(system) > DEEPEST
    stack = [(i, "", 0, "└─ " if i == roots[-1] else "├─ ") for i in reversed(roots)]
    while stack:
        i, indent, level, mark = stack.pop()
        place = indent if level < DEEPEST else f"{indent} level {level} "
        yield place + mark + printable(system.names[i]), i
        children = system.children[i]
        below = indent + {"├─ ": "│  ", "└─ ": "   "}.get(mark, "") if level < DEEPEST else indent
        if deep and len(children) == 1:
            stack.append((children[0], below, level, "└ "))
        else:
            marks = ["├─ "] * (len(children) - 1) + ["└─ "]
            marked = zip(children, marks, strict=True) if children else ()
            stack += [(c, below, level + 1, mark) for c, mark in reversed(list(marked))]


def _depth(system: System) -> int:
    """Number of levels of the tree."""
    level = np.ones(system.n_body, dtype=int)
    for i, p in enumerate(system.parent):
        level[i] += level[p] if p >= 0 else 0
    return int(level.max(initial=0))


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
    if rows and _over(rows) > 0:
        rows = [(*row[:-1], row[-1].replace("constraint ", "")) for row in rows]
    return _columns(rows)


def _loop(system: System, loop: Loop) -> tuple[str, ...]:
    ends = " - ".join(_end(system, end) for end in loop.ends)
    equations = _equations(loop.n_constraint) + (", cut by compile" if loop.chosen else "")
    return f"loop {printable(loop.name)}", loop.joint.label, ends, equations


def _couplings(system: System, most: int | None) -> list[str]:
    """Name and equation of each coupling, in columns."""
    return _columns(
        [
            (f"coupling {printable(one.name)}", printable(equation(system, one)))
            for one in system.couplings[:most]
        ]
    )


def _frames(system: System, most: int | None) -> list[str]:
    """Name and place of each frame, in columns."""
    return _columns(
        [
            (f"frame {printable(one.name)}", f"on {_end(system, one)}")
            for one in system.frames[:most]
        ]
    )


def _shapes(system: System, most: int | None) -> list[str]:
    """Name, kind and place of each shape, in columns."""
    return _columns(
        [
            (
                f"shape {printable(one.name)}",
                one.shape.name,
                f"on {printable(one.carrier or 'the ground')}",
            )
            for one in system.shapes[:most]
        ]
    )


def _end(system: System, end: LoopEnd | Frame) -> str:
    if end.body < 0:
        return "the ground"
    node = _node(system.bodies[end.body], end.node)
    return printable(system.names[end.body]) + (f" ({node})" if node else "")


def _modes(body: NormalBody, detail: int) -> str:
    if not body.n_mode:
        return "rigid"
    f = np.sort(body.frequencies)
    count = f"{body.n_mode} mode{'s' if body.n_mode > 1 else ''}"
    if detail < 2:
        return f"{count}, {_hertz(f[0])} Hz" if detail else count
    span = f"{_hertz(f[0])} Hz" if len(f) == 1 else f"{_hertz(f[0])} to {_hertz(f[-1])} Hz"
    return f"{count}, {span}, {body.level}"


def _hertz(x: float) -> str:
    return f"{x:.0f}" if 1000 <= x < 1e6 else f"{x:.3g}"
