"""Numerical evaluation of formulas, compared with the compiled system."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import sympy

from lissom.algorithms import bias_force, inverse_dynamics, mass_matrix
from lissom.symbolic import Staged

from ..peers.twins import PeerError
from .cases import Mechanism
from .ways import Assignments, Formulas

Array = np.ndarray

TOLERANCE = 1e-9


def evaluated(
    assignments: Assignments,
    entries: Sequence[sympy.Expr],
    numbers: dict[sympy.Symbol, float],
) -> Array:
    """Values of formulas.

    Parameters
    ----------
    assignments : sequence of (symbol, expression)
        Assignments, in order.
    entries : sequence of expressions
        Expressions to evaluate.
    numbers : dict of symbol to float
        Values of all symbols.
    """
    known = dict(numbers)
    for symbol, expression in assignments:
        known[symbol] = _value(expression, known)
    return np.array([_value(x, known) for x in entries])


def _value(x: sympy.Expr, known: dict[sympy.Symbol, float]) -> float:
    """Value of one expression; for thousands of them much faster than SymPy's evaluation."""
    if x.is_Symbol:
        return known[x]
    if x.is_Number:
        return float(x)
    args = [_value(y, known) for y in x.args]
    if x.is_Add:
        return math.fsum(args)
    if x.is_Mul:
        return math.prod(args)
    if x.is_Pow:
        return float(args[0] ** args[1])
    return {sympy.sin: math.sin, sympy.cos: math.cos, sympy.tan: math.tan}[x.func](*args)


def difference(mechanism: Mechanism, formulas: Formulas) -> float:
    """Largest relative difference of mass matrix and bias from those of the compiled system.

    Parameters
    ----------
    mechanism : Mechanism
        Derived mechanism.
    formulas : Formulas
        Formulas, evaluated at a random state.
    """
    system = mechanism.model(numbers=True).compile()
    rng = np.random.default_rng(1995)
    q, v = rng.uniform(-1.5, 1.5, system.n_q), rng.uniform(-1.5, 1.5, system.n_v)
    numbers = dict(mechanism.values) | dict(zip(formulas.state, (*q, *v), strict=True))
    found = evaluated(formulas.assignments, formulas.entries, numbers)
    state, n = system.state(q, v), system.n_v
    sign = 1 if formulas.whole is None else -1
    mass, bias = mass_matrix(system, state), sign * bias_force(system, state)
    return max(
        float(np.abs(theirs - ours).max() / np.abs(ours).max())
        for theirs, ours in ((found[:-n], mass[np.triu_indices(n)]), (found[-n:], bias))
    )


def checked_difference(mechanism: Mechanism, formulas: Formulas, way: str) -> float:
    """Difference of the formulas; raises a `PeerError` if it is too large.

    Parameters
    ----------
    mechanism : Mechanism
        Derived mechanism.
    formulas : Formulas
        Formulas to check.
    way : str
        Name of the way in the message.
    """
    error = difference(mechanism, formulas)
    if not error <= TOLERANCE:
        raise PeerError(
            f"{way} and lissom's numbers differ by {error:.1e} on {mechanism.name}; the cost of "
            "different results is not compared"
        )
    return error


def checked_residual(mechanism: Mechanism, staged: Staged, state: Sequence[sympy.Symbol]) -> float:
    """Residual force of staged accelerations at a random state, relative to its terms.

    Parameters
    ----------
    mechanism : Mechanism
        Derived mechanism.
    staged : Staged
        Formulas with the result "forward_dynamics".
    state : sequence of symbols
        Coordinates, then speeds.
    """
    system = mechanism.model(numbers=True).compile()
    rng = np.random.default_rng(1995)
    q, v, forces = rng.uniform(-1.5, 1.5, (3, system.n_v))
    applied = [sympy.Symbol(f"f[{k}]", real=True) for k in range(system.n_v)]
    symbols = (*state, *applied)
    numbers = dict(mechanism.values) | dict(zip(symbols, (*q, *v, *forces), strict=True))
    rates = evaluated(staged.assignments, list(staged.results["forward_dynamics"]), numbers)
    at = system.state(q, v)
    left = inverse_dynamics(system, at, rates) - forces
    terms = np.abs(mass_matrix(system, at)) @ np.abs(rates) + np.abs(forces)
    error = float(np.abs(left).max() / terms.max())
    if not error <= TOLERANCE:
        raise PeerError(
            f"accelerations of the {mechanism.name} leave a relative residual force of {error:.1e}"
        )
    return error
