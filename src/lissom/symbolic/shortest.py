"""Shortest of a few forms of an expression, found at low cost.

The candidates are the expression as built, its expansion into a sum of products with every sin^2
replaced by 1 - cos^2 (which is unique, so that all terms cancel that can), and that expansion with
common factors extracted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy
from sympy.simplify.fu import TR10i

from .bridge import Bridge, as_sympy_number
from .graph import GraphNode, ordered
from .numbers import Number, negated, product_of, sum_of

Array = np.ndarray
# Products, given by their atoms and powers -> coefficient.
Sum = dict[tuple[tuple[int, int], ...], Number]

# Largest number of terms of an expanded sum; largest number of operations of an expansion that is
# searched for factors and sums of angles, which takes long where denominators are long.
_MOST, _SEARCHED = 200, 600


class Shortest:
    """Converter of nodes to SymPy expressions in their shortest form."""

    def __init__(self, bridge: Bridge) -> None:
        self.bridge = bridge
        self._sums: dict[GraphNode, Sum | None] = {}
        self._atoms: dict[int, GraphNode] = {}

    def matrix(self, nodes: Array) -> sympy.ImmutableDenseMatrix:
        """Matrix of an array of nodes; a vector becomes a column."""
        shape = nodes.shape if nodes.ndim == 2 else (len(nodes), 1)
        return sympy.ImmutableDenseMatrix(*shape, [self.expression(x) for x in nodes.ravel()])

    def expression(self, node: Any) -> sympy.Expr:
        """Shortest form of a node."""
        root = self.bridge.graph.node(node)
        built = self.bridge.expression(root)
        terms = self._sum(root)
        if terms is None:
            return built
        flat = sympy.Add(*(self._product(key, number) for key, number in terms.items()))
        forms = [built, flat]
        if len(terms) <= _MOST // 4 and sympy.count_ops(flat) <= _SEARCHED:
            joined = TR10i(flat)  # sin a cos b + cos a sin b
            forms += [sympy.factor_terms(flat), joined, sympy.factor_terms(joined)]
        return min(forms, key=lambda x: (sympy.count_ops(x), x is built))

    def _product(self, key: tuple[tuple[int, int], ...], number: Number) -> sympy.Expr:
        factors = [self.bridge.expression(self._atoms[atom]) ** power for atom, power in key]
        return sympy.Mul(as_sympy_number(number), *factors)

    def _sum(self, root: GraphNode) -> Sum | None:
        """Expansion of a node into a sum of products, or None if it is too long."""
        for x in ordered([root]):
            if x not in self._sums:
                self._sums[x] = self._expanded(x)
        return self._sums[root]

    def _expanded(self, x: GraphNode) -> Sum | None:
        if x.op == "number":
            return {(): x.args[0]} if x.args[0] != 0 else {}
        if x.op not in ("add", "sub", "mul", "neg"):
            self._atoms[x.residue] = x
            return {((x.residue, 1),): 1}
        a = self._sums[x.args[0]]
        if a is None:
            return None
        if x.op == "neg":
            return {key: negated(number) for key, number in a.items()}
        b = self._sums[x.args[1]]
        if b is None:
            return None
        if x.op == "mul":
            return self._times(a, b)
        total = dict(a)
        for key, number in b.items():
            _gather(total, key, number if x.op == "add" else negated(number))
        return total if len(total) <= _MOST else None

    def _times(self, a: Sum, b: Sum) -> Sum | None:
        if len(a) * len(b) > 10 * _MOST:
            return None
        total: Sum = {}
        for key, number in a.items():
            for other, factor in b.items():
                powers = dict(key)
                for atom, power in other:
                    powers[atom] = powers.get(atom, 0) + power
                self._reduce(total, powers, product_of(number, factor))
        return total if len(total) <= _MOST else None

    def _reduce(self, total: Sum, powers: dict[int, int], number: Number) -> None:
        """Add a product, with sin^2 replaced by 1 - cos^2."""
        for atom, power in powers.items():
            node = self._atoms[atom]
            if power >= 2 and node.op == "sin":
                cosine = node.args[0].cos()
                self._atoms.setdefault(cosine.residue, cosine)
                rest = powers | {atom: power - 2}
                self._reduce(total, rest, number)
                rest[cosine.residue] = rest.get(cosine.residue, 0) + 2
                self._reduce(total, rest, negated(number))
                return
        _gather(total, tuple(sorted((a, n) for a, n in powers.items() if n)), number)


def _gather(total: Sum, key: tuple[tuple[int, int], ...], number: Number) -> None:
    new = sum_of(total.get(key, 0), number)
    if new == 0:
        total.pop(key, None)
    else:
        total[key] = new
