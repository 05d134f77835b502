"""Expressions as a sequence of short assignments, with a name for each common subexpression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
import sympy

from ..printing import Shown
from .bridge import Bridge, as_sympy_number
from .graph import GraphNode, applied, ordered

Array = np.ndarray

# Largest number of operations in one assignment.
_LONGEST = 24
_LEAVES = ("number", "symbol")


def temporaries(roots: Sequence[GraphNode]) -> list[GraphNode]:
    """Nodes that get a name, in order of evaluation.

    These are nodes used more than once, and nodes that would make a line too long; never signs or
    leaves.
    """
    nodes = list(ordered(roots))
    uses: dict[int, int] = {}
    for x in nodes:
        for y in () if x.op in _LEAVES else x.args:
            base = y.args[0] if y.op == "neg" else y
            uses[id(base)] = uses.get(id(base), 0) + 1
    seen = set()
    for x in roots:
        base = x.args[0] if x.op == "neg" else x
        if x.op != "neg" or id(x) in seen:  # the operand of a sign was already counted above
            uses[id(base)] = uses.get(id(base), 0) + 1
        seen.add(id(x))
    named, size = [], {}
    for x in nodes:
        if x.op in _LEAVES:
            size[id(x)] = 0
            continue
        size[id(x)] = (x.op != "neg") + sum(size[id(y)] for y in x.args)
        if x.op != "neg" and (uses.get(id(x), 0) > 1 or size[id(x)] > _LONGEST):
            named.append(x)
            size[id(x)] = 0
    return named


@dataclass(frozen=True)
class Staged(Shown):
    """Assignments as SymPy expressions, and results in terms of them.

    Attributes
    ----------
    assignments : tuple of (sympy.Symbol, sympy.Expr)
        In order; each uses coordinates, speeds, parameters and earlier assignments.
    results : mapping of str to sympy.ImmutableDenseMatrix
        Quantities by name.
    """

    assignments: tuple[tuple[sympy.Symbol, sympy.Expr], ...]
    results: Mapping[str, sympy.ImmutableDenseMatrix]

    @property
    def operations(self) -> int:
        """Number of operations as counted by SymPy; repeated entries count once."""
        count = sum(int(sympy.count_ops(x)) for _, x in self.assignments)
        entries = {x for matrix in self.results.values() for x in matrix}
        return count + sum(int(sympy.count_ops(x)) for x in entries)


def staged(bridge: Bridge, quantities: Mapping[str, Array]) -> Staged:
    """Assignments and results for arrays of nodes."""
    roots = [x for values in quantities.values() for x in values.ravel()]
    expressions: dict[int, sympy.Expr] = {}
    free = (s for k in count() if (s := f"z{k}") not in bridge.symbols)
    named = {id(x): sympy.Symbol(s) for x, s in zip(temporaries(roots), free, strict=False)}
    assignments = []
    for x in ordered(roots):
        if x.op == "number":
            expressions[id(x)] = as_sympy_number(x.args[0])
        elif x.op == "symbol":
            # Forces and accelerations are symbols of programs only.
            name = x.args[0]
            expressions[id(x)] = bridge.symbols.get(name, sympy.Symbol(name, real=True))
        else:
            expressions[id(x)] = applied(x.op, [expressions[id(y)] for y in x.args])
        if id(x) in named:
            assignments.append((named[id(x)], expressions[id(x)]))
            expressions[id(x)] = named[id(x)]
    results = {}
    for name, values in quantities.items():
        shape = values.shape if values.ndim == 2 else (values.size, 1)
        flat = [expressions[id(x)] for x in values.ravel()]
        results[name] = sympy.ImmutableDenseMatrix(*shape, flat)
    return Staged(tuple(assignments), results)
