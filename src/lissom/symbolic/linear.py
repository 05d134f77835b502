"""Linear equations about a state of rest.

  M x_v' + D x_v + K x_q = u,   x_q' = V x_v                                               (1)
with x_q, x_v and u the deviations of coordinates, speeds and generalized forces from those of the
state; K = dF/dq and D = dF/dp, since the other forces are quadratic in the speeds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import sympy
from sympy import ImmutableDenseMatrix as Matrix
from sympy.matrices.exceptions import NonInvertibleMatrixError

from ..errors import SymbolicError
from .calculus import differentiated, replaced
from .derivation import Derivation
from .graph import Node
from .shortest import Shortest

__all__ = ["Linearization", "linearized"]

Array = np.ndarray


@dataclass(frozen=True)
class Linearization:
    """M x_v' + D x_v + K x_q = u and x_q' = V x_v.

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
    """

    mass: Matrix
    damping: Matrix
    stiffness: Matrix
    kinematics: Matrix
    force: Matrix

    @property
    def A(self) -> Matrix:
        """State matrix (n_q + n_v, n_q + n_v) of [x_q; x_v]."""
        n_q = self.kinematics.rows
        inverse = self._inverse_mass()
        above = sympy.Matrix.hstack(sympy.zeros(n_q, n_q), self.kinematics)
        below = sympy.Matrix.hstack(-inverse * self.stiffness, -inverse * self.damping)
        return Matrix(sympy.Matrix.vstack(above, below))

    @property
    def B(self) -> Matrix:
        """Input matrix (n_q + n_v, n_v)."""
        n_q, n_v = self.kinematics.shape
        return Matrix(sympy.Matrix.vstack(sympy.zeros(n_q, n_v), self._inverse_mass()))

    def _inverse_mass(self) -> Matrix:
        try:
            return self.mass.inv()
        except NonInvertibleMatrixError:
            raise SymbolicError(
                "the mass matrix has no inverse: a joint has a motion that moves no inertia, and "
                "accelerations do not exist; give its body mass and inertia about that axis"
            ) from None


def linearized(d: Derivation, shortest: Shortest, values: Mapping[Node, Node]) -> Linearization:
    """Linear equations of a derivation with values for some symbols."""

    def at(nodes: Array) -> Matrix:
        flat = replaced(list(nodes.ravel()), values)
        return shortest.matrix(np.array(flat, dtype=object).reshape(nodes.shape))

    return Linearization(
        mass=at(d.mass),
        damping=at(differentiated(d.damping, d.v)),
        stiffness=at(differentiated(d.static, d.q)),
        kinematics=at(d.rates),
        force=at(d.static),
    )
