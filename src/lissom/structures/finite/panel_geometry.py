"""Third order of the strain energy of a panel: the membrane's strains by von Karman.

  e_ij = (u_i,j + u_j,i + u_x,i u_x,j + u_y,i u_y,j + w_,i w_,j) / 2,      i, j = x, y        (1)
  T(u; a, b) = int N_ij(u) (a_x,i b_x,j + a_y,i b_y,j + a_z,i b_z,j) dA                       (2)

N are the forces in the membrane by u.  Curvatures are those of the first order, so slopes are to be
small, and rotations about the normal smaller.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .geometry import ElementGeometry, twisted_slabs
from .plate_element import PlateElement

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PanelGeometry(ElementGeometry):
    """Stress stiffness of a panel.

    Attributes
    ----------
    elements : sequence of PlateElement
        Equal ones are the same object.
    rows : sequence of array (28,) of int
        Freedoms of each.
    particles : tuple
        Masses, positions and motion.
    """

    elements: Sequence[PlateElement]
    rows: Sequence[NDArray[np.intp]]
    particles: tuple[Array, Array, Any]

    def between(self, shapes: Array, u: Array) -> Array:
        """T of (2)."""
        m, k = shapes.shape[1], u.shape[1]
        found = np.zeros((k, m * m))
        for element in dict.fromkeys(self.elements):
            own = [r for x, r in zip(self.elements, self.rows, strict=True) if x is element]
            rows = np.array(own)
            for x, y, weight in element.points(4):
                force = weight * element.force(x, y) @ u[rows]  # xx, yy, xy; (n, 3, k)
                d_x, d_y = element.slopes(x, y)[:, None] @ shapes[rows]  # each (n, 3, m)
                found += _met(force, d_x, d_y).reshape(k, -1)
        found = found.reshape(k, m, m)
        return (found + found.swapaxes(1, 2)) / 2

    def twisting(self, shapes: Array) -> NDArray[np.bool_]:
        """Torsion of a narrow panel."""
        masses, places, motion = self.particles
        return twisted_slabs(masses, places, (motion @ shapes).reshape(len(masses), 3, -1))


def _met(force: Array, d_x: Array, d_y: Array) -> Array:
    """Sum over elements of forces times products of slopes, (k, m, m)."""
    pairs = np.stack(
        [
            d_x.swapaxes(1, 2) @ d_x,
            d_y.swapaxes(1, 2) @ d_y,
            d_x.swapaxes(1, 2) @ d_y + d_y.swapaxes(1, 2) @ d_x,
        ],
        axis=1,
    )
    return np.asarray(np.tensordot(force, pairs, ((0, 1), (0, 1))))
