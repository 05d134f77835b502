"""Elements of a solid, their integration points, mass and stiffness.

  J = sum_i x_i grad N_i          g_i = J^-T grad N_i                                       (1)
  m_ij = int rho N_i N_j dV       M = m (x) 1_3                                             (2)
  K_ia,jb = int lambda g_ia g_jb + mu (g_ib g_ja + delta_ab g_i . g_j) dV                   (3)

with Lamé's lambda = E nu / ((1 + nu) (1 - 2 nu)) and mu = E / (2 (1 + nu)).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...materials import Material
from .kinds import SolidKind

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

_NUMBERS = 4_000_000  # gradients that are kept at a time


@dataclass(frozen=True, eq=False)
class ElementBlock:
    """Elements of one kind and one material."""

    kind: SolidKind  # kind of element
    cells: Whole  # (e, n) nodes of each element
    material: Material  # isotropic
    numbers: Whole  # (e,) numbers of the elements in messages and labels

    def title(self, k: int) -> str:
        """Number and kind of the k-th element."""
        return f"element {self.numbers[k]} ({self.kind.name})"

    @property
    def lame(self) -> tuple[float, float]:
        """Lamé's constants lambda and mu [Pa]."""
        E, nu = self.material.youngs_modulus, self.material.poisson_ratio
        return E * nu / ((1 + nu) * (1 - 2 * nu)), E / (2 * (1 + nu))

    def parts(self) -> Iterator[slice]:
        """Elements a few thousand at a time, so that memory stays small."""
        step = max(1, _NUMBERS // (81 * self.kind.n_node))
        for start in range(0, len(self.cells), step):
            yield slice(start, start + step)


def gradients(kind: SolidKind, points: Array, corners: Array) -> tuple[Array, Array]:
    """Gradients g (e, q, n, 3) of the shape functions and determinants (e, q) of J, by (1).

    `points` (q, 3): points of the reference element; `corners` (e, n, 3): positions of the nodes of
    each element [m].
    """
    dN = kind.functions(points)[1]
    J = jacobians(dN, corners)
    return dN[None] @ np.linalg.inv(J).swapaxes(2, 3), np.linalg.det(J)


def jacobians(dN: Array, corners: Array) -> Array:
    """Matrices J (e, q, 3, 3) of (1): rows are reference directions."""
    e, (q, n, _) = len(corners), dN.shape
    flat = dN.transpose(0, 2, 1).reshape(3 * q, n) @ corners
    return flat.reshape(e, q, 3, 3)


def stiffness_of(block: ElementBlock, corners: Array) -> Array:
    """Stiffness (3) of elements, shape (e, n, 3, n, 3) [N/m]."""
    points, weights = block.kind.rule("stiffness")
    g, det = gradients(block.kind, points, corners)
    e, q, n, _ = g.shape
    flat = g.reshape(e, q, 3 * n)
    A = (flat.transpose(0, 2, 1) * (det * weights)[:, None, :]) @ flat
    A = A.reshape(e, n, 3, n, 3)
    lam, mu = block.lame
    K = lam * A + mu * A.transpose(0, 1, 4, 3, 2)
    K += mu * np.einsum("eicjc->eij", A)[:, :, None, :, None] * np.eye(3)[:, None, :]
    return np.asarray(K)


def masses_of(block: ElementBlock, corners: Array) -> Array:
    """Masses m of (2), shape (e, n, n) [kg]."""
    points, weights = block.kind.rule("mass")
    N, dN = block.kind.functions(points)
    det = np.linalg.det(jacobians(dN, corners))
    pairs = (N[:, :, None] * N[:, None, :]).reshape(len(N), -1)
    m = (block.material.density * det * weights) @ pairs
    return np.asarray(m.reshape(len(det), N.shape[1], N.shape[1]))


def assembled(positions: Array, blocks: Sequence[ElementBlock]) -> tuple[Any, Any]:
    """Mass and stiffness of all elements, sparse (3 n, 3 n), node by node.

    `positions` (n, 3): nodes [m].
    """
    from scipy import sparse

    n = len(positions)
    rows = np.concatenate([np.repeat(b.cells, b.kind.n_node, axis=1).ravel() for b in blocks])
    columns = np.concatenate([np.tile(b.cells, b.kind.n_node).ravel() for b in blocks])
    places, where = np.unique(rows * n + columns, return_inverse=True)
    m, K = np.zeros(len(places)), np.zeros((9, len(places)))
    start = 0
    for block in blocks:
        for part in block.parts():
            corners = positions[block.cells[part]]
            masses = masses_of(block, corners)
            here = where[start : start + masses.size]
            start += masses.size
            m += np.bincount(here, masses.ravel(), len(places))
            stiffness = stiffness_of(block, corners).transpose(2, 4, 0, 1, 3).reshape(9, -1)
            for k in range(9):
                K[k] += np.bincount(here, stiffness[k], len(places))
    starts = np.searchsorted(places, np.arange(n + 1) * n)
    columns = places % n
    mass = sparse.csr_array((m, columns, starts), shape=(n, n))
    stiffness = sparse.bsr_array((K.T.reshape(-1, 3, 3), columns, starts), shape=(3 * n, 3 * n))
    return _symmetric(sparse.kron(mass, sparse.eye_array(3))), _symmetric(stiffness)


def _symmetric(matrix: Any) -> Any:
    """Symmetric to the last bit."""
    matrix = matrix.tocsc()
    return (matrix + matrix.T.tocsc()) / 2
