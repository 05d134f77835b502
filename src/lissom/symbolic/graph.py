"""Expression graph without duplicates: the scalar type of the symbolic recursions.

Every expression carries its value at one random point of a finite field.  Two expressions with the
same value are equal with a probability that is practically one (Schwartz 1980, Zippel 1979: a
difference of degree d vanishes at a random point of a field of p elements with probability d / p;
p = 2^127 - 1), so the second is never built.  The sine and cosine of an angle are a random point on
the circle over that field, those of a sum of angles follow from the addition theorems, and unit
quaternions lie on the sphere.  Hence c^2 + s^2 becomes 1, entries of a symmetric matrix are
recognised as equal however they were computed, and terms cancel, without any rewriting.

Numbers: whole numbers, fractions and decimals of up to twelve digits stay exact; others are floats.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ..spatial.scalar import atan, cos, exp, log, select, sin, sqrt, tanh
from .numbers import Number, exact, negated, product_of, sum_of

PRIME = 2**127 - 1
# Relative size of a sine that is rounding noise.
_NOISE = 1e-15

_FUNCTIONS = {f.__name__: f for f in (sin, cos, sqrt, exp, log, tanh, atan)}
_ODD = ("tanh", "atan")


class GraphNode:
    """Immutable expression of a graph.  Arithmetic with numbers and nodes gives nodes."""

    __slots__ = ("args", "graph", "op", "residue")

    def __init__(self, graph: Graph, op: str, args: tuple[Any, ...], residue: int) -> None:
        self.graph, self.op, self.args, self.residue = graph, op, args, residue

    @property
    def number(self) -> Number | None:
        """Value if the node is a number, otherwise None."""
        return self.args[0] if self.op == "number" else None

    def __add__(self, other: Any) -> GraphNode:
        return _with(self, other, self.graph.add)

    def __radd__(self, other: Any) -> GraphNode:
        return _with(self, other, self.graph.add)

    def __sub__(self, other: Any) -> GraphNode:
        return _with(self, other, self.graph.sub)

    def __rsub__(self, other: Any) -> GraphNode:
        return _with(self, other, lambda a, b: self.graph.sub(b, a))

    def __mul__(self, other: Any) -> GraphNode:
        return _with(self, other, self.graph.mul)

    def __rmul__(self, other: Any) -> GraphNode:
        return _with(self, other, self.graph.mul)

    def __truediv__(self, other: Any) -> GraphNode:
        return _with(self, other, lambda a, b: self.graph.mul(a, self.graph.inv(b)))

    def __rtruediv__(self, other: Any) -> GraphNode:
        return _with(self, other, lambda a, b: self.graph.mul(b, self.graph.inv(a)))

    def __bool__(self) -> bool:
        return self.residue != 0

    def __float__(self) -> float:
        if self.op != "number":
            raise TypeError(f"an expression ({self.op}) is not a number")  # its text may be endless
        return float(self.args[0])

    def __neg__(self) -> GraphNode:
        return self.graph.neg(self)

    def __pos__(self) -> GraphNode:
        return self

    def __pow__(self, n: Any) -> GraphNode:
        if int(n) != n:
            raise TypeError(f"the exponent is {n!r}; expected a whole number")
        base = self if n >= 0 else self.graph.inv(self)
        result = self.graph.number(1)
        for _ in range(abs(int(n))):
            result = self.graph.mul(result, base)
        return result

    def sin(self) -> GraphNode:
        """Sine."""
        return self.graph.turn("sin", self)

    def cos(self) -> GraphNode:
        """Cosine."""
        return self.graph.turn("cos", self)

    def sqrt(self) -> GraphNode:
        """Square root."""
        return self.graph.sqrt(self)

    def exp(self) -> GraphNode:
        """Exponential function."""
        return self.graph.function("exp", self)

    def log(self) -> GraphNode:
        """Natural logarithm."""
        return self.graph.function("log", self)

    def tanh(self) -> GraphNode:
        """Hyperbolic tangent."""
        return self.graph.function("tanh", self)

    def atan(self) -> GraphNode:
        """Arc tangent."""
        return self.graph.function("atan", self)

    def select(self, limit: float, below: Any, above: Any) -> GraphNode:
        """`below` where this is less than `limit`, otherwise `above`."""
        return self.graph.select(self, limit, below, above)

    def __repr__(self) -> str:
        """Text of the operation and its operands."""
        if self.op in ("number", "symbol"):
            return str(self.args[0])
        return f"{self.op}({', '.join(map(repr, self.args))})"


def _with(a: GraphNode, b: Any, combine: Any) -> Any:
    if isinstance(b, np.ndarray):
        return NotImplemented
    return combine(a, a.graph.node(b))


class Graph:
    """Set of expressions in which equal expressions are the same node."""

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)
        self._by_residue: dict[int, GraphNode] = {}
        self._circles: dict[Any, tuple[int, int]] = {}
        self._roots: dict[Any, int] = {}
        self._angles: dict[int, dict[Any, int] | None] = {}
        self.symbols: dict[str, GraphNode] = {}
        self.units: list[tuple[str, ...]] = []
        self.zero, self.one = self.number(0), self.number(1)

    def node(self, x: Any) -> GraphNode:
        """Node of a number; a node is returned unchanged."""
        return x if isinstance(x, GraphNode) else self.number(x)

    def number(self, value: Any) -> GraphNode:
        """Node of a number; whole numbers and fractions stay exact."""
        x = exact(value)
        residue = _residue(x)
        existing = self._by_residue.get(residue)
        if existing is not None and existing.op == "number":
            return existing
        return self._keep(GraphNode(self, "number", (x,), residue))

    def symbol(self, name: str) -> GraphNode:
        """Node of a symbol by name, always the same one."""
        if name not in self.symbols:
            node = GraphNode(self, "symbol", (name,), self._draw())
            self.symbols[name] = self._keep(node)
        return self.symbols[name]

    def unit_symbols(self, names: Sequence[str]) -> list[GraphNode]:
        """Nodes of symbols whose squares add up to 1, such as a quaternion."""
        # Stereographic projection of a random point in the space of one dimension less.
        t = [self._draw() for _ in names[1:]]
        square = sum(x * x for x in t) % PRIME
        scale = pow(1 + square, -1, PRIME)
        residues = [(1 - square) * scale % PRIME, *(2 * x * scale % PRIME for x in t)]
        for name, residue in zip(names, residues, strict=True):
            self.symbols[name] = self._keep(GraphNode(self, "symbol", (name,), residue))
        self.units.append(tuple(names))
        return [self.symbols[name] for name in names]

    def _draw(self) -> int:
        return self._random.randrange(2, PRIME - 1)

    def _keep(self, node: GraphNode) -> GraphNode:
        self._by_residue[node.residue] = node
        return node

    def emptied(self) -> Graph:
        """Graph with the same symbols at the same point and no other expressions."""
        new = Graph()
        new._random, new._circles, new._roots = self._random, self._circles, self._roots
        new.units = self.units
        for name, symbol in self.symbols.items():
            new.symbols[name] = new._keep(GraphNode(new, "symbol", (name,), symbol.residue))
        return new

    def _unique(self, op: str, args: tuple[GraphNode, ...], residue: int) -> GraphNode:
        """Existing node of that value or its negative, otherwise a new node."""
        existing = self._by_residue.get(residue)
        if existing is not None:
            return existing
        opposite = self._by_residue.get(PRIME - residue)
        if opposite is not None:
            return self._keep(GraphNode(self, "neg", (opposite,), residue))
        return self._keep(GraphNode(self, op, args, residue))

    def add(self, a: GraphNode, b: GraphNode) -> GraphNode:
        """Sum a + b."""
        if a.residue == 0:
            return b
        if b.residue == 0:
            return a
        x, y = a.number, b.number
        if x is not None and y is not None:
            return self.number(sum_of(x, y))
        if b.op == "neg":
            return self.sub(a, b.args[0])
        if a.op == "neg":
            return self.sub(b, a.args[0])
        return self._unique("add", (a, b), (a.residue + b.residue) % PRIME)

    def sub(self, a: GraphNode, b: GraphNode) -> GraphNode:
        """Difference a - b."""
        if b.residue == 0:
            return a
        if a.residue == 0:
            return self.neg(b)
        x, y = a.number, b.number
        if x is not None and y is not None:
            return self.number(sum_of(x, negated(y)))
        if b.op == "neg":
            return self.add(a, b.args[0])
        if a.op == "neg":
            return self.neg(self.add(a.args[0], b))
        return self._unique("sub", (a, b), (a.residue - b.residue) % PRIME)

    def neg(self, a: GraphNode) -> GraphNode:
        """-a."""
        if a.op == "neg":
            return a.args[0]
        if a.op == "number":
            return self.number(negated(a.args[0]))
        if a.op == "sub":
            return self._unique("sub", a.args[::-1], PRIME - a.residue)
        residue = PRIME - a.residue
        existing = self._by_residue.get(residue)
        return (
            existing if existing is not None else self._keep(GraphNode(self, "neg", (a,), residue))
        )

    def mul(self, a: GraphNode, b: GraphNode) -> GraphNode:
        """Product a b."""
        if a.residue == 0 or b.residue == 0:
            return self.zero
        if a.residue == 1:
            return b
        if b.residue == 1:
            return a
        x, y = a.number, b.number
        if x is not None and y is not None:
            return self.number(product_of(x, y))
        if y is not None:
            a, b, x = b, a, y
        if x is not None:
            if x == -1:
                return self.neg(b)
            if b.op == "mul" and b.args[0].op == "number":
                return self.mul(self.number(product_of(x, b.args[0].args[0])), b.args[1])
        if a.op == "neg":
            return self.neg(self.mul(a.args[0], b))
        if b.op == "neg":
            return self.neg(self.mul(a, b.args[0]))
        if x is not None and x < 0:
            return self.neg(self.mul(self.number(negated(x)), b))
        if a is b and a.op == "sqrt":
            return a.args[0]
        return self._unique("mul", (a, b), a.residue * b.residue % PRIME)

    def inv(self, a: GraphNode) -> GraphNode:
        """Reciprocal 1 / a."""
        if a.residue == 0:
            raise ZeroDivisionError("division by an expression that is zero")
        x = a.number
        if x is not None:
            return self.number(Fraction(1, x) if not isinstance(x, float) else 1 / x)
        if a.op == "neg":
            return self.neg(self.inv(a.args[0]))
        if a.op == "inv":
            return a.args[0]
        return self._unique("inv", (a,), pow(a.residue, -1, PRIME))

    def sqrt(self, a: GraphNode) -> GraphNode:
        """Square root of a: a random value at the point, with a as its known square."""
        x = a.number
        if x is not None:
            root = math.isqrt(x) if isinstance(x, int) and x >= 0 else 0
            return self.number(root if root * root == x else math.sqrt(x))
        if a.residue not in self._roots:
            self._roots[a.residue] = self._draw()
        return self._unique("sqrt", (a,), self._roots[a.residue])

    def function(self, op: str, a: GraphNode) -> GraphNode:
        """Function of a: a random value at the point, which is known for no other argument."""
        if a.number is not None:
            return self.number(_FUNCTIONS[op](float(a.number)))
        if a.op == "neg" and op in _ODD:
            return self.neg(self.function(op, a.args[0]))
        key = op, a.residue
        if key not in self._roots:
            self._roots[key] = self._draw()
        return self._unique(op, (a,), self._roots[key])

    def select(self, x: GraphNode, limit: float, below: Any, above: Any) -> GraphNode:
        """`below` where x < limit, otherwise `above`."""
        b, a = self.node(below), self.node(above)
        if x.number is not None:
            return b if x.number < limit else a
        if a is b:
            return a
        key = (x.residue, limit, b.residue, a.residue)
        if key not in self._roots:
            self._roots[key] = self._draw()
        return self._unique("select", (x, self.number(limit), b, a), self._roots[key])

    def turn(self, op: str, angle: GraphNode) -> GraphNode:
        """Sine or cosine of an angle."""
        if angle.number is not None:
            x = float(angle.number)
            y = math.sin(x) if op == "sin" else math.cos(x)
            return self.number(0 if abs(y) < _NOISE * max(1.0, abs(x)) else y)
        if angle.op == "neg" or (angle.op == "mul" and (angle.args[0].number or 0) < 0):
            value = self.turn(op, self.neg(angle))
            return self.neg(value) if op == "sin" else value
        c, s = self._on_circle(angle)
        return self._unique(op, (angle,), s if op == "sin" else c)

    def _on_circle(self, angle: GraphNode) -> tuple[int, int]:
        """Cosine and sine of an angle in the finite field, by the addition theorems."""
        c, s = 1, 0
        for base, times in self.angle_parts(angle).items():
            if base not in self._circles:
                t = self._draw()
                scale = pow(1 + t * t, -1, PRIME)
                self._circles[base] = (1 - t * t) * scale % PRIME, 2 * t * scale % PRIME
            x, y = self._circles[base]
            y = y if times > 0 else -y
            for _ in range(abs(times)):
                c, s = (c * x - s * y) % PRIME, (s * x + c * y) % PRIME
        return c, s

    def angle_parts(self, angle: GraphNode) -> dict[Any, int]:
        """Whole multiples of the elementary angles that add up to an angle."""
        op, args = angle.op, angle.args
        if op in ("add", "sub"):
            parts = dict(self.angle_parts(args[0]))
            for base, times in self.angle_parts(args[1]).items():
                parts[base] = parts.get(base, 0) + (times if op == "add" else -times)
            return {base: times for base, times in parts.items() if times}
        if op == "neg":
            return {base: -times for base, times in self.angle_parts(args[0]).items()}
        if op == "mul" and isinstance(args[0].number, int) and abs(args[0].args[0]) <= 16:
            n = args[0].args[0]
            return {base: n * times for base, times in self.angle_parts(args[1]).items()}
        return {angle.residue: 1}


def _residue(x: Number) -> int:
    if isinstance(x, int):
        return x % PRIME
    value = Fraction(x)
    return value.numerator * pow(value.denominator, -1, PRIME) % PRIME


def applied(op: str, args: Sequence[Any]) -> Any:
    """Result of an operation on scalars of any type: nodes, SymPy expressions, numbers."""
    match op:
        case "add":
            return args[0] + args[1]
        case "sub":
            return args[0] - args[1]
        case "mul":
            return args[0] * args[1]
        case "neg":
            return -args[0]
        case "inv":
            return 1 / args[0]
        case "select":
            x, limit, below, above = args
            return select(x, float(limit), below, above)
    return _FUNCTIONS[op](args[0])


def ordered(roots: Iterable[GraphNode]) -> Iterator[GraphNode]:
    """All nodes of expressions, each after its operands."""
    seen: set[int] = set()
    for root in roots:
        stack: list[tuple[GraphNode, bool]] = [(root, False)]
        while stack:
            node, ready = stack.pop()
            if ready:
                yield node
            elif id(node) not in seen:
                seen.add(id(node))
                stack.append((node, True))
                if node.op not in ("number", "symbol"):
                    stack.extend((x, False) for x in reversed(node.args))
