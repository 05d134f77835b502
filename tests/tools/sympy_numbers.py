"""Numbers for expressions of SymPy, and accelerations in both."""

from __future__ import annotations

import math

import numpy as np
import sympy

from tests.tools.measures import random_state

OPERATIONS = {
    sympy.Add: math.fsum,
    sympy.Mul: math.prod,
    sympy.Pow: lambda args: args[0] ** args[1],
    sympy.sin: lambda args: math.sin(*args),
    sympy.cos: lambda args: math.cos(*args),
}


class Evaluation:
    """Numbers for SymPy expressions; every shared part is worked out once.

    `sympy.lambdify` takes many minutes for an acceleration that nobody simplified: printed without
    its shared parts it is too long, and the search for them (cse) is slow.
    """

    def __init__(self, symbols, values):
        self.known = dict(zip(symbols, values, strict=True))

    def __call__(self, expression):
        if expression not in self.known:
            self.known[expression] = self._worked_out(expression)
        return self.known[expression]

    def _worked_out(self, expression):
        if expression.is_number:
            return float(expression)
        if isinstance(expression, sympy.Piecewise):
            return next(self(value) for value, case in expression.args if self._holds(case))
        return OPERATIONS[expression.func]([self(arg) for arg in expression.args])

    def _holds(self, case):
        return case == sympy.true or self(case.lhs) < self(case.rhs)

    def of_array(self, expressions):
        flat = [self(sympy.sympify(entry)) for entry in np.ravel(expressions)]
        return np.array(flat).reshape(np.shape(expressions))


def sympy_case(system):
    """Symbolic state, symbolic accelerations or forces, the same in numbers, and the evaluation."""
    rng = np.random.default_rng(6)
    state, given = random_state(system, rng), rng.standard_normal(system.n_v)
    sizes = {"q": system.n_q, "v": system.n_v, "x": system.n_v}
    q, v, x = (np.array(sympy.symbols(f"{name}:{n}")) for name, n in sizes.items())
    evaluate = Evaluation([*q, *v, *x], [*state.q, *state.v, *given])
    return system.state(q=q, v=v), x, state, given, evaluate
