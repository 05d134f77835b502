"""Linearized equations about a state of rest.

  M x_v' + D x_v + K x_q = u,   x_q' = V x_v                                               (1)
with x_q, x_v and u the deviations of coordinates, speeds and generalized forces from those of the
state; K = dF/dq and D = dF/dp, since the other forces are quadratic in the speeds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import sympy
from sympy import ImmutableDenseMatrix as Matrix

from ..errors import SymbolicError
from ..spatial.scalar import solve_spd, zeros
from .calculus import differentiated, replaced
from .derivation import Derivation
from .graph import Node
from .shortest import Shortest

Array = np.ndarray

# Largest number of operations of a fraction that is reduced to lowest terms.
_SHORT = 120


@dataclass(frozen=True)
class Linearization:
    """Linearized equations M x_v' + D x_v + K x_q = u and x_q' = V x_v.

    Attributes
    ----------
    mass, damping : matrix (n_v, n_v)
        M, D.
    stiffness : matrix (n_v, n_q)
        K.
    kinematics : matrix (n_q, n_v)
        V.
    force : matrix (n_v, 1)
        Generalized forces that hold the mechanism at rest in that state.
    solved : callable
        Returns A and B.
    """

    mass: Matrix
    damping: Matrix
    stiffness: Matrix
    kinematics: Matrix
    force: Matrix
    solved: Callable[[], tuple[Matrix, Matrix]] = field(repr=False, compare=False)

    @cached_property
    def _state_space(self) -> tuple[Matrix, Matrix]:
        try:
            return self.solved()
        except ZeroDivisionError:
            raise SymbolicError(
                "the mass matrix is singular: a joint has a motion that moves no inertia, so "
                "that accelerations are undefined; give its body mass and inertia about that axis"
            ) from None

    @property
    def A(self) -> Matrix:
        """State matrix (n_q + n_v, n_q + n_v) of [x_q; x_v]."""
        return self._state_space[0]

    @property
    def B(self) -> Matrix:
        """Input matrix (n_q + n_v, n_v)."""
        return self._state_space[1]


def linearized(d: Derivation, shortest: Shortest, values: Mapping[Node, Node]) -> Linearization:
    """Linearized equations of a derivation, with values substituted for symbols."""

    def at(nodes: Array) -> Array:
        flat = replaced(list(nodes.ravel()), values)
        return np.array(flat, dtype=object).reshape(nodes.shape)

    M, V = at(d.mass), at(d.rates)
    D, K = at(differentiated(d.damping, d.v)), at(differentiated(d.static, d.q))

    def solved() -> tuple[Matrix, Matrix]:
        n_q, n_v = V.shape
        columns = solve_spd(M, np.concatenate([-K, -D, np.eye(n_v)], axis=1))
        above = np.concatenate([zeros(n_q, n_q), V, zeros(n_q, n_v)], axis=1)
        both = shortest.matrix(d.bridge.nodes(np.concatenate([above, columns])))
        both = both.applyfunc(_as_ratio)
        return both[:, : n_q + n_v], both[:, n_q + n_v :]

    return Linearization(
        mass=shortest.matrix(M),
        damping=shortest.matrix(D),
        stiffness=shortest.matrix(K),
        kinematics=shortest.matrix(V),
        force=shortest.matrix(at(d.static)),
        solved=solved,
    )


def _as_ratio(x: sympy.Expr) -> sympy.Expr:
    """Single fraction in lowest terms of a short expression, if that is shorter."""
    if sympy.count_ops(x) > _SHORT:
        return x
    return min((x, sympy.factor(sympy.cancel(x))), key=sympy.count_ops)
