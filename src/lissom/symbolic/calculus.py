"""Derivatives of nodes, and substitution of symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from .graph import Graph, GraphNode, applied, ordered

Array = np.ndarray


def derivative(roots: Sequence[GraphNode], variable: GraphNode) -> list[GraphNode]:
    """Partial derivatives of nodes with respect to a symbol."""
    return directional(roots, {variable: variable.graph.one})


def directional(
    roots: Sequence[GraphNode], rates: Mapping[GraphNode, GraphNode]
) -> list[GraphNode]:
    """Directional derivatives: sums of partial derivatives by symbols, each times its rate."""
    if not roots:
        return []
    graph = roots[0].graph
    moving = {id(x): rate for x, rate in rates.items()}
    d: dict[int, GraphNode] = {}
    for x in ordered(roots):
        d[id(x)] = moving.get(id(x), graph.zero) if x.op == "symbol" else _rate(graph, x, d)
    return [d[id(x)] for x in roots]


def _rate(graph: Graph, x: GraphNode, d: dict[int, GraphNode]) -> GraphNode:
    """Chain rule for one operation."""
    if x.op == "number":
        return graph.zero
    a = x.args[0]
    da = d[id(a)]
    match x.op:
        case "add":
            return da + d[id(x.args[1])]
        case "sub":
            return da - d[id(x.args[1])]
        case "mul":
            b = x.args[1]
            return da * b + a * d[id(b)]
        case "select":
            return graph.select(a, float(x.args[1]), d[id(x.args[2])], d[id(x.args[3])])
    if da.residue == 0:
        return graph.zero
    match x.op:
        case "neg":
            return -da
        case "inv":
            return -(x * x * da)
        case "sin":
            return a.cos() * da
        case "cos":
            return -(a.sin() * da)
        case "exp":
            return x * da
        case "log":
            return da / a
        case "tanh":
            return (1 - x * x) * da
        case "atan":
            return da / (1 + a * a)
    return da / (2 * x)  # sqrt


def differentiated(values: Array, variables: Array) -> Array:
    """Derivatives of an array of nodes by each variable, along a new last axis."""
    flat = list(values.ravel())
    columns = [derivative(flat, x) for x in variables]
    result = np.empty((len(flat), len(columns)), dtype=object)
    for k, column in enumerate(columns):
        result[:, k] = column
    return result.reshape(*values.shape, len(columns))


def replaced(roots: Sequence[GraphNode], new: Mapping[GraphNode, GraphNode]) -> list[GraphNode]:
    """Expressions with nodes substituted for symbols.

    They are rebuilt in an empty graph: known nodes of equal value may contain those symbols.
    """
    if not roots or not new:
        return list(roots)
    graph = roots[0].graph.emptied()
    values = _rebuilt(graph, list(new.values()), {})
    rebuilt = _rebuilt(graph, roots, {id(x): values[id(y)] for x, y in new.items()})
    return [rebuilt[id(x)] for x in roots]


def _rebuilt(
    graph: Graph, roots: Sequence[GraphNode], rebuilt: dict[int, GraphNode]
) -> dict[int, GraphNode]:
    """All nodes of expressions, rebuilt in another graph, added to those made already."""
    for x in ordered(roots):
        if id(x) in rebuilt:
            continue
        if x.op == "number":
            rebuilt[id(x)] = graph.number(x.args[0])
        elif x.op == "symbol":
            rebuilt[id(x)] = graph.symbols[x.args[0]]
        else:
            rebuilt[id(x)] = applied(x.op, [rebuilt[id(y)] for y in x.args])
    return rebuilt


def substituted(values: Array, new: Mapping[GraphNode, GraphNode]) -> Array:
    """Array of nodes with nodes substituted for symbols, in the same graph.

    A known node of equal value may still contain those symbols, in a form in which they cancel.
    """
    flat = list(values.ravel())
    if not flat or not new:
        return values
    rebuilt = _rebuilt(flat[0].graph, flat, {id(x): y for x, y in new.items()})
    return np.array([rebuilt[id(x)] for x in flat], dtype=object).reshape(values.shape)


def replaced_in(values: Array, new: Mapping[GraphNode, GraphNode]) -> Array:
    """Array of nodes with nodes substituted for symbols."""
    return np.array(replaced(list(values.ravel()), new), dtype=object).reshape(values.shape)


def symbols_in(roots: Sequence[GraphNode]) -> set[str]:
    """Names of the symbols in expressions."""
    return {x.args[0] for x in ordered(roots) if x.op == "symbol"}


def evaluated(roots: Sequence[GraphNode], point: Mapping[str, float]) -> list[float]:
    """Values of nodes in floats at a point, which has a number for each symbol."""
    values: dict[int, float] = {}
    for x in ordered(roots):
        if x.op == "number":
            values[id(x)] = float(x.args[0])
        elif x.op == "symbol":
            values[id(x)] = point[x.args[0]]
        else:
            values[id(x)] = applied(x.op, [values[id(y)] for y in x.args])
    return [values[id(x)] for x in roots]
