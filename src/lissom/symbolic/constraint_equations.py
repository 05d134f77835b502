"""Constraint equations of a mechanism as the user sees them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import sympy
from sympy import ImmutableDenseMatrix as Matrix

from ..errors import MOST_LINES, cut_lines, name_list
from ..printing import Shown, folded
from .calculus import replaced_in
from .constrained import ProjectionGraph, projection
from .derivation import Derivation, operations

Array = np.ndarray
Display = Callable[[Array], Matrix]

# Largest number of operations of a dependent speed that is replaced in formulas.
_SHORT = 2


@dataclass(frozen=True)
class Augmented(Shown):
    """Equations for accelerations and multipliers, matrix [pdot; lambda] = right + [Q; 0].

    Attributes
    ----------
    matrix : matrix (n_v + m, n_v + m)
        [[M, -A^T], [A, 0]].
    right : matrix (n_v + m, 1)
        [-(C p + F); -gamma].
    """

    matrix: Matrix
    right: Matrix


class Projected:
    """Equations of motion in independent speeds u, B^T M B udot + B^T (M s + C p + F) = B^T Q.

    Formulas may contain all speeds; `speeds` expresses them by the independent ones.  Where that is
    short, it is done already.

    Parameters
    ----------
    derivation : Derivation
        Source of the formulas.
    shown : callable
        Matrix of an array of nodes.

    Attributes
    ----------
    independent, dependent : tuple of sympy.Symbol
        Independent speeds u, and the others.
    """

    def __init__(self, derivation: Derivation, shown: Display) -> None:
        self._d, self._shown = derivation, shown
        c = derivation.constraints
        self.independent = tuple(derivation.speeds[k] for k in c.independent)
        self.dependent = tuple(derivation.speeds[k] for k in c.dependent)

    def __repr__(self) -> str:
        """Independent and dependent speeds."""
        parts = {"independent": self.independent, "dependent": self.dependent}
        rows = [f"  {what}: {name_list(symbols, show=str)}" for what, symbols in parts.items()]
        return folded("\n".join(["Equations in independent speeds:", *rows]))

    @cached_property
    def _nodes(self) -> ProjectionGraph:
        return projection(self._d)

    @cached_property
    def map(self) -> Matrix:
        """Matrix B (n_v, k), whose columns span the motions that the constraints allow."""
        return self._shown(self._nodes.map)

    @cached_property
    def speeds(self) -> Matrix:
        """All speeds (n_v, 1) in terms of coordinates and independent speeds."""
        return self._shown(self._nodes.speeds)

    @cached_property
    def mass(self) -> Matrix:
        """Mass matrix B^T M B (k, k)."""
        return self._shown(self._nodes.mass)

    @cached_property
    def bias(self) -> Matrix:
        """Bias forces B^T (M s + C p + F) (k, 1), in terms of all speeds."""
        return self._shown(self._shortened(self._nodes.bias))

    @cached_property
    def drift(self) -> Matrix:
        """Accelerations s (n_v, 1) for udot = 0, in terms of all speeds."""
        return self._shown(self._shortened(self._nodes.drift))

    def _shortened(self, values: Array) -> Array:
        """Values with dependent speeds replaced that are short expressions."""
        d, speeds = self._d, self._nodes.speeds
        short = [k for k in d.constraints.dependent if operations([speeds[k]]) <= _SHORT]
        return replaced_in(values, {d.v[k]: speeds[k] for k in short})


class ConstraintEquations:
    """Constraints A p + a = 0 and their place in M pdot + C p + F = Q + A^T lambda.

    Every row is independent of the others; those of planar loops out of their plane are left out.

    Parameters
    ----------
    derivation : Derivation
        Source of the formulas.
    shown : callable
        Matrix of an array of nodes.

    Attributes
    ----------
    multipliers : tuple of sympy.Symbol
        Symbols lambda of the rows, forces [N] or moments [N m].
    sources : tuple of str
        Loop, coupling or formula of each row.
    """

    def __init__(self, derivation: Derivation, shown: Display) -> None:
        self._d, self._shown = derivation, shown
        c = derivation.constraints
        self.multipliers = tuple(sympy.Symbol(name, real=True) for name in c.names)
        self.sources = tuple(row.source for row in c.rows)

    def __repr__(self) -> str:
        """Multiplier and source of each equation."""
        pairs = zip(self.multipliers, self.sources, strict=True)
        rows = (f"  {multiplier}: {source}" for multiplier, source in pairs)
        n = len(self)
        lines = cut_lines(rows, MOST_LINES, "of them", n)
        return folded("\n".join([f"{n} constraint equation{'' if n == 1 else 's'}", *lines]))

    def __len__(self) -> int:
        """Number of constraint equations."""
        return len(self.sources)

    @cached_property
    def jacobian(self) -> Matrix:
        """Matrix A (m, n_v)."""
        return self._shown(self._d.constraints.jacobian)

    @cached_property
    def drift(self) -> Matrix:
        """Vector a (m, 1), zero if no constraint depends on time or has a constant speed."""
        return self._shown(self._d.constraints.drift)

    @cached_property
    def bias(self) -> Matrix:
        """Vector gamma (m, 1) of A pdot + gamma = 0."""
        return self._shown(self._d.constraints.bias)

    @cached_property
    def closure(self) -> Matrix:
        """Left-hand sides of the equations between coordinates, g(q) = 0."""
        return self._shown(self._d.constraints.gaps)

    @cached_property
    def augmented(self) -> Augmented:
        """Equations for accelerations and multipliers together."""
        d, A = self._d, self._d.constraints.jacobian
        zero = np.zeros((len(A), len(A)))
        matrix = np.block([[d.mass, -A.T], [A, zero]]) if len(A) else d.mass
        right = -np.concatenate([d.bias, d.constraints.bias])
        return Augmented(self._shown(d.bridge.nodes(matrix)), self._shown(d.bridge.nodes(right)))

    @cached_property
    def projected(self) -> Projected:
        """Equations in independent speeds."""
        return Projected(self._d, self._shown)
