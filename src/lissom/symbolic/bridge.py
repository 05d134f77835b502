"""Conversion between SymPy, the user side, and the graph that the recursions run on."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from ..errors import SymbolicError
from .graph import Graph, GraphNode, applied, ordered

Array = np.ndarray

# Fractions with a larger numerator or denominator are shown as floats.
_SHOWN = 10**6
# Size of a coefficient, relative to those that it is the sum of, that is rounding noise.
_NOISE = 1e-15


class Bridge:
    """Converter between SymPy expressions and graph nodes."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.symbols: dict[str, sympy.Symbol] = {}
        self._nodes: dict[sympy.Expr, GraphNode] = {}
        self._expressions: dict[GraphNode, sympy.Expr] = {}

    def nodes(self, values: Any) -> Any:
        """Nodes of a number or SymPy expression, or of an array of them."""
        if np.ndim(values) == 0:
            x = values.item() if isinstance(values, np.ndarray) else values
            return self.node(x)
        flat = [self.node(x) for x in np.asarray(values, dtype=object).ravel()]
        return np.array(flat, dtype=object).reshape(np.shape(values))

    def node(self, x: Any) -> GraphNode:
        """Node of a number or SymPy expression."""
        if isinstance(x, GraphNode):
            return x
        if isinstance(x, sympy.Expr):
            return self._of_sympy(x)
        try:
            return self.graph.number(None if isinstance(x, str) else x)
        except (TypeError, ValueError, OverflowError):
            raise SymbolicError(
                f"{x!r} is neither a finite number nor a SymPy expression; equations are derived "
                "from numbers and SymPy symbols (to_casadi then gives functions for CasADi)"
            ) from None

    def symbol(self, symbol: sympy.Symbol, what: str) -> GraphNode:
        """Node of a new symbol with a unique name."""
        if symbol.name in self.symbols:
            raise SymbolicError(
                f"the name {symbol.name!r} is used twice, once for a {what}; rename "
                "the parameter, or give other names with coordinates= and speeds="
            )
        self.symbols[symbol.name] = symbol
        node = self.graph.symbol(symbol.name)
        self._nodes[symbol] = node
        return node

    def _of_sympy(self, x: sympy.Expr) -> GraphNode:
        if x in self._nodes:
            return self._nodes[x]
        node = self._converted(x)
        self._nodes[x] = node
        return node

    def _converted(self, x: sympy.Expr) -> GraphNode:
        if x.is_Rational:
            return self.graph.number(Fraction(int(x.p), int(x.q)))
        if x.is_number and x.is_real and not x.free_symbols and x.is_finite:
            return self.graph.number(float(x))
        if x.is_Symbol:
            return self.symbol(x, "parameter")
        if x.is_Add or x.is_Mul:
            result = self._of_sympy(x.args[0])
            for y in x.args[1:]:
                result = result + self._of_sympy(y) if x.is_Add else result * self._of_sympy(y)
            return result
        if x.is_Pow and x.exp.is_Integer:
            return self._of_sympy(x.base) ** int(x.exp)
        if x.is_Pow and (2 * x.exp).is_Integer:
            return self._of_sympy(x.base).sqrt() ** int(2 * x.exp)
        if isinstance(x, (sympy.sin, sympy.cos)):
            argument = self._of_sympy(x.args[0])
            return argument.sin() if isinstance(x, sympy.sin) else argument.cos()
        if (name := type(x).__name__) in ("exp", "log", "tanh", "atan"):
            return getattr(self._of_sympy(x.args[0]), name)()
        if isinstance(x, sympy.Abs):
            size = self._of_sympy(x.args[0])
            return size.select(0.0, -size, size)
        if isinstance(x, sympy.tan):
            argument = self._of_sympy(x.args[0])
            return argument.sin() / argument.cos()
        if x.is_number:
            raise SymbolicError(
                f"the parameter {x} is not a finite real number; give a finite real number"
            )
        raise SymbolicError(
            f"the parameter {x} contains an unsupported function; use a symbol instead and "
            "substitute the expression afterwards (sums, products, powers, roots, sin, cos, tan, "
            "exp, log, tanh, atan and Abs are supported)"
        )

    def expression(self, node: Any) -> sympy.Expr:
        """SymPy expression of a node."""
        root = self.graph.node(node)
        expressions = self._expressions
        for x in ordered([root]):
            if x not in expressions:
                expressions[x] = self._to_sympy(x)
        return expressions[root]

    def matrix(self, nodes: Array) -> sympy.ImmutableDenseMatrix:
        """Matrix of an array of nodes; a vector becomes a column."""
        shape = nodes.shape if nodes.ndim == 2 else (len(nodes), 1)
        flat = [self.expression(x) for x in nodes.ravel()]
        return sympy.ImmutableDenseMatrix(*shape, flat)

    def _to_sympy(self, x: GraphNode) -> sympy.Expr:
        if x.op == "number":
            return as_sympy_number(x.args[0])
        if x.op == "symbol":
            return self.symbols[x.args[0]]
        args = [self._expressions[y] for y in x.args]
        if x.op in ("add", "sub"):
            return _sum(args[0], args[1] if x.op == "add" else -args[1])
        return applied(x.op, args)


def _sum(a: sympy.Expr, b: sympy.Expr) -> sympy.Expr:
    """Sum a + b, without terms of which rounding left something when SymPy added them up."""
    total = a + b
    n = sum(len(x.args) if x.is_Add else 1 for x in (a, b))
    if (len(total.args) if total.is_Add else 1) == n or not total.has(sympy.Float):
        return total
    before = [x.as_coefficients_dict() for x in (a, b)]
    remaining = [
        number * term
        for term, number in total.as_coefficients_dict().items()
        if not number.is_Float
        or abs(number) > _NOISE * max(abs(terms.get(term, 0)) for terms in before)
    ]
    return total if len(remaining) == len(sympy.Add.make_args(total)) else sympy.Add(*remaining)


def as_sympy_number(x: int | float | Fraction) -> sympy.Expr:
    """SymPy number in its most readable form."""
    if isinstance(x, Fraction):
        if max(abs(x.numerator), x.denominator) <= _SHOWN:
            return sympy.Rational(x.numerator, x.denominator)
        return sympy.Float(float(x))
    return sympy.Integer(x) if isinstance(x, int) else sympy.Float(x)
