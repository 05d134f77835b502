"""What a structure has to know for the second order of its deformation.

The strains of a structure are of second order in its displacements, E = B u + q[u, u] / 2, and its
strain energy has a third order, which is a sum over stresses C B of the first order:

    V = u.K u / 2 + T(u; u, u) / 2 + ...,      T(u; a, b) = sum of (C B u) . q[a, b]            (1)

T(u; a, b), symmetric in a and b, is the stress stiffness of the displacement u between the shapes
a and b.  Each kind of structure has its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Geometry(ABC):
    """Stress stiffness of a structure, and the second order of what lies between its nodes."""

    @abstractmethod
    def between(self, shapes: Array, u: Array) -> Array:
        """T of (1) between shapes (N, m) for displacements (N, k), array (k, m, m)."""

    def inside(self, shapes: Array, about: Array) -> Array | float:  # noqa: ARG002
        """Sums over the mass of (1, r) n, array (4, 3, m, m).

        n[a, b] is the second order of the mass relative to the nodes, which is zero where its
        displacement is linear in theirs; r is its position from `about`.
        """
        return 0.0

    def left_out(self, shapes: Array) -> NDArray[np.bool_]:
        """Shapes (m,) that the sums over the mass leave out."""
        return np.zeros(shapes.shape[1], dtype=bool)


def twice_turned(v: Array) -> Array:
    """Symmetric forms of t x (t x v) = t (t.v) - v (t.t) in t, (3, 3, 3)."""
    one = np.einsum("ki,j->kij", np.eye(3), v)
    return np.asarray((one + one.swapaxes(1, 2)) / 2 - np.einsum("k,ij->kij", v, np.eye(3)))
