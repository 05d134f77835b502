"""The graph of expressions: equal ones are one, and nothing else is."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from lissom.symbolic.calculus import derivative, replaced, symbols_in
from lissom.symbolic.graph import Graph, ordered


def value(node, values):
    """A node in numbers, by the rules of arithmetic and nothing of the graph's own."""
    known = {}
    for x in ordered([node]):
        a = [known[id(y)] for y in x.args] if x.op not in ("number", "symbol") else []
        known[id(x)] = {
            "number": lambda x=x: float(x.args[0]),
            "symbol": lambda x=x: values[x.args[0]],
            "add": lambda a=a: a[0] + a[1],
            "sub": lambda a=a: a[0] - a[1],
            "mul": lambda a=a: a[0] * a[1],
            "neg": lambda a=a: -a[0],
            "inv": lambda a=a: 1 / a[0],
            "sin": lambda a=a: math.sin(a[0]),
            "cos": lambda a=a: math.cos(a[0]),
            "sqrt": lambda a=a: math.sqrt(a[0]),
            "select": lambda a=a: a[2] if a[0] < a[1] else a[3],
        }[x.op]()
    return known[id(node)]


@pytest.fixture
def graph():
    return Graph()


def test_equal_expressions_are_one_node(graph):
    a, b, c = (graph.symbol(x) for x in "abc")
    assert a + b is b + a
    assert (a + b) * (a - b) is a * a - b * b
    assert a * (b + c) is c * a + b * a
    assert a - a is graph.zero
    assert (a * b) / b is a
    assert -(a - b) is b - a
    opposite = -a
    assert -opposite is a


def test_different_expressions_are_different_nodes(graph):
    a, b = graph.symbol("a"), graph.symbol("b")
    nodes = [a, b, -a, a + b, a - b, a * b, a * a, 2 * a, a + 1, a / b, a.sin(), a.cos(), b.sin()]
    assert len({x.residue for x in nodes}) == len(nodes)
    assert a.sqrt() is not a


def test_theorems_of_trigonometry_hold_without_rewriting(graph):
    a, b = graph.symbol("a"), graph.symbol("b")
    s, c = a.sin(), a.cos()
    assert s * s + c * c is graph.one
    assert (a + b).cos() is c * b.cos() - s * b.sin()
    assert (a - b).sin() is s * b.cos() - c * b.sin()
    assert (2 * a).sin() is 2 * s * c
    assert (-a).sin() is -s
    assert (-a).cos() is c


def test_squares_of_a_quaternion_sum_up_to_one(graph):
    w, x, y, z = graph.unit_symbols(["w", "x", "y", "z"])
    assert w * w + x * x + y * y + z * z is graph.one
    assert w * w + x * x is not graph.one


def test_square_of_a_root_is_what_it_is_the_root_of(graph):
    a = graph.symbol("a")
    assert a.sqrt() * a.sqrt() is a
    assert graph.number(9).sqrt() is graph.number(3)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (0.1, Fraction(1, 10)),
        (0.35, Fraction(7, 20)),
        (1 / 12 * 0.5, Fraction(1, 24)),
        (3.0, 3),
        (1e-7, Fraction(1, 10**7)),
        (math.pi, math.pi),
        (math.sqrt(0.5), math.sqrt(0.5)),
    ],
)
def test_numbers_that_people_write_are_exact(graph, given, kept):
    assert graph.number(given).number == kept
    assert float(graph.number(given)) == pytest.approx(given, rel=3e-16)


def test_noise_of_floats_is_not_kept(graph):
    x = math.sqrt(0.5)
    assert graph.number(x) * graph.number(x) - 0.5 is graph.zero


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_numbers_are_finite(graph, bad):
    with pytest.raises(ValueError, match="finite"):
        graph.number(bad)


def random_expression(graph, rng, depth, names):
    """A random expression and the same as a Python function."""
    if depth == 0:
        name = rng.choice(names)
        return graph.symbol(name), lambda v: v[name]
    kind = rng.choice(["add", "sub", "mul", "div", "sin", "cos", "number", "neg"])
    a, f = random_expression(graph, rng, depth - 1, names)
    b, g = random_expression(graph, rng, depth - 1, names)
    n = rng.choice([2, -3, 0.5, 1.7])
    match kind:
        case "add":
            return a + b, lambda v: f(v) + g(v)
        case "sub":
            return a - b, lambda v: f(v) - g(v)
        case "mul":
            return a * b, lambda v: f(v) * g(v)
        case "div":
            return a / (b * b + 2), lambda v: f(v) / (g(v) ** 2 + 2)
        case "sin":
            return a.sin(), lambda v: math.sin(f(v))
        case "cos":
            return a.cos(), lambda v: math.cos(f(v))
        case "number":
            return n * a + b, lambda v: n * f(v) + g(v)
    return -a, lambda v: -f(v)


@pytest.mark.parametrize("seed", range(60))
def test_random_expressions_keep_their_value_and_have_the_right_derivative(seed):
    rng = random.Random(seed)
    graph, names = Graph(seed), ["x", "y", "z"]
    node, function = random_expression(graph, rng, 6, names)
    values = {name: rng.uniform(-1.5, 1.5) for name in names}
    exact = function(values)
    assert value(node, values) == pytest.approx(exact, rel=1e-11, abs=1e-11)
    h = 1e-6
    for name in names:
        slope = value(derivative([node], graph.symbol(name))[0], values)
        ahead, behind = (function(values | {name: values[name] + s * h}) for s in (1, -1))
        size = max(1.0, abs(slope), abs(exact))
        assert slope == pytest.approx((ahead - behind) / (2 * h), abs=1e-5 * size)


def test_symbols_are_replaced_throughout(graph):
    a, b = graph.symbol("a"), graph.symbol("b")
    node = (a.sin() + b) / (1 + a * a)
    new = replaced([node], {a: graph.number(0)})[0]
    assert (new.op, new.args) == ("symbol", ("b",))
    assert symbols_in([node]) == {"a", "b"}


def test_division_by_what_is_zero_is_refused(graph):
    a = graph.symbol("a")
    with pytest.raises(ZeroDivisionError):
        a / (a.sin() ** 2 + a.cos() ** 2 - 1)


def test_selection_keeps_both_branches(graph):
    a = graph.symbol("a")
    node = a.select(0.5, a * a, 2 * a)
    assert value(node, {"a": 0.1}) == pytest.approx(0.01)
    assert value(node, {"a": 1.0}) == pytest.approx(2.0)
    assert a.select(0.5, a, a) is a
    assert graph.number(0.1).select(0.5, a, 2 * a) is a
    slope = derivative([node], a)[0]
    assert value(slope, {"a": 0.1}) == pytest.approx(0.2)
    assert value(slope, {"a": 1.0}) == pytest.approx(2.0)
