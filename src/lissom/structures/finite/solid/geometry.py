"""Third order of the strain energy of a solid of St. Venant and Kirchhoff's material.

  E = sym grad u + grad u^T grad u / 2,     V = 1/2 int E : C : E dV                          (1)
  T(u; a, b) = int stress(u) : sym(grad a^T grad b) dV                                        (2)

The tangent stiffness at the displacement u has the derivative T(u; a, b) + T(a; u, b) + T(b; u, a).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..geometry import ElementGeometry, twisted_slabs
from .elements import ElementBlock, gradients, masses_of

Array = NDArray[np.float64]

_ROOM = 10_000_000  # numbers that are kept at a time
_PAIRS = ((0, 0), (1, 1), (2, 2), (1, 2), (2, 0), (0, 1))


@dataclass(frozen=True, eq=False)
class SolidGeometry(ElementGeometry):
    """Stress stiffness of a mesh of solid elements, three freedoms a node."""

    positions: Array  # (n, 3) nodes [m]
    blocks: Sequence[ElementBlock]  # elements

    def between(self, shapes: Array, u: Array) -> Array:
        """T of (2) between shapes (N, m) for displacements (N, k), array (k, m, m)."""
        m, k = shapes.shape[1], u.shape[1]
        forms = np.zeros((k, m * m))
        for block, part in self._parts(9 * (m + k) + 6 * m * m):
            slopes, weights = self._slopes(block, part, np.hstack([shapes, u]))
            stress = _stress(block, slopes[..., m:]) * weights[:, None, None]
            a = slopes[..., :m]
            # sum over the components of the displacements
            pairs = np.empty((len(a), 6, m, m))
            for row, (i, j) in enumerate(_PAIRS):
                pairs[:, row] = a[:, i].transpose(0, 2, 1) @ a[:, j]
            forms += stress.reshape(-1, k).T @ pairs.reshape(-1, m * m)
        forms = forms.reshape(k, m, m)
        return (forms + forms.swapaxes(1, 2)) / 2

    def twisting(self, shapes: Array) -> NDArray[np.bool_]:
        """Torsion of a slender solid, with the mass in its nodes."""
        masses = np.zeros(len(self.positions))
        for block in self.blocks:
            for part in block.parts():
                m = masses_of(block, self.positions[block.cells[part]])
                share = np.einsum("eii->ei", m)
                share = share * (m.sum(axis=(1, 2)) / share.sum(axis=1))[:, None]
                np.add.at(masses, block.cells[part], share)
        return twisted_slabs(masses, self.positions, shapes.reshape(len(masses), 3, -1))

    def _parts(self, numbers: int) -> Iterator[tuple[ElementBlock, slice]]:
        """Elements a few at a time, for so many numbers at each point."""
        for block in self.blocks:
            step = max(1, _ROOM // (numbers * len(block.kind.rule("stiffness")[1])))
            for start in range(0, len(block.cells), step):
                yield block, slice(start, start + step)

    def _slopes(self, block: ElementBlock, part: slice, u: Array) -> tuple[Array, Array]:
        """Derivatives along i of components k at all points, (p, i, k, m), and volumes (p,)."""
        points, weights = block.kind.rule("stiffness")
        cells = block.cells[part]
        g, det = gradients(block.kind, points, self.positions[cells])
        e, q, n, _ = g.shape
        moved = u.reshape(len(self.positions), 3, -1)[cells].reshape(e, n, -1)
        slopes = g.transpose(0, 1, 3, 2).reshape(e, 3 * q, n) @ moved
        return slopes.reshape(e * q, 3, 3, -1), (det * weights).ravel()


def _stress(block: ElementBlock, slopes: Array) -> Array:
    """Stress xx, yy, zz, and twice yz, zx, xy, (p, 6, m), as it meets symmetric strains."""
    lam, mu = block.lame
    stress = np.stack([slopes[:, i, j] + slopes[:, j, i] for i, j in _PAIRS], axis=1) * mu
    stress[:, :3] += lam * stress[:, :3].sum(axis=1, keepdims=True) / (2 * mu)
    stress[:, 3:] *= 2
    return np.asarray(stress)
