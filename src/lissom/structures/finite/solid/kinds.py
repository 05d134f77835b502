"""Kinds of solid elements: nodes, edges, faces, shape functions and integration points.

Nodes are numbered as in VTK and Abaqus (and meshio): corners, middles of edges, of faces, centre.
Shape functions are those of scikit-fem.  Stiffness and mass are integrated as in CalculiX.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....errors import ModelError

Array = NDArray[np.float64]
Node = tuple[int, ...]

_TET = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
_HEX = np.array(
    [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]],
    dtype=float,
)
_WEDGE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1]], dtype=float)
_TET_EDGES = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
_HEX_EDGES = (
    *((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4)),
    *((0, 4), (1, 5), (2, 6), (3, 7)),
)
_TET_FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))
_HEX_FACES = ((0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (3, 7, 6, 2), (0, 3, 2, 1), (4, 5, 6, 7))
_WEDGE_FACES = ((0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5))


@dataclass(frozen=True, eq=False)
class SolidKind:
    """A kind of element."""

    name: str  # as meshio calls it
    element: str  # class of scikit-fem with its shape functions
    corners: Array  # (c, 3) in the reference element
    means: tuple[Node, ...]  # corners between which each further node lies in the middle
    faces: tuple[Node, ...]  # corners of each face, counterclockwise seen from outside
    # stiffness, mass, stress: integration points, see `_rule`; those of stress are where it is most
    # accurate
    stiffness: tuple[str, int]
    mass: tuple[str, int]
    stress: tuple[str, int]

    @property
    def n_node(self) -> int:
        """Number of nodes."""
        return len(self.corners) + len(self.means)

    @property
    def is_linear(self) -> bool:
        """Whether it has corners only."""
        return not self.means

    @cached_property
    def nodes(self) -> Array:
        """Nodes in the reference element, shape (n, 3)."""
        middles = [self.corners[list(mean)].mean(axis=0) for mean in self.means]
        return np.array([*self.corners, *middles])

    @cached_property
    def face_nodes(self) -> tuple[Node, ...]:
        """Nodes of each face: corners, then middles of its edges in order, then its centre."""
        middle_nodes = {frozenset(mean): len(self.corners) + k for k, mean in enumerate(self.means)}
        faces = []
        for face in self.faces:
            around = [frozenset(pair) for pair in zip(face, face[1:] + face[:1], strict=True)]
            middles = [
                middle_nodes[key] for key in (*around, frozenset(face)) if key in middle_nodes
            ]
            faces.append((*face, *middles))
        return tuple(faces)

    def functions(self, points: Array) -> tuple[Array, Array]:
        """Shape functions (q, n) and their gradients (q, n, 3) at points (q, 3)."""
        element = getattr(scikit_fem(), self.element)()
        order = [int(np.argmin(np.abs(element.doflocs - x).sum(axis=1))) for x in self.nodes]
        values = [element.lbasis(points.T.copy(), k) for k in order]
        N = np.stack([np.broadcast_to(value, len(points)) for value, _ in values], axis=1)
        dN = [np.broadcast_to(np.asarray(g).reshape(3, -1), (3, len(points))) for _, g in values]
        return N, np.stack(dN).transpose(2, 0, 1)

    def rule(self, purpose: str) -> tuple[Array, Array]:
        """Integration points (q, 3) and weights (q,) for "stiffness", "mass" or "stress"."""
        return _rule(*getattr(self, purpose))

    @cached_property
    def to_nodes(self) -> Array:
        """Values at the nodes from those at the points of stress, by a polynomial through them."""
        points = self.rule("stress")[0]
        fit = np.linalg.pinv(_polynomial(points, len(points)))
        return np.asarray(_polynomial(self.nodes, len(points)) @ fit)


def _polynomial(x: Array, terms: int) -> Array:
    """Terms of the constant (1), linear (4) or trilinear (8) polynomial at points."""
    a, b, c = x.T
    return np.stack([np.ones(len(x)), a, b, c, a * b, b * c, c * a, a * b * c], axis=1)[:, :terms]


@cache
def _rule(domain: str, n: int) -> tuple[Array, Array]:
    """Gauss rule: n points a direction ("hex"), of degree n ("tet"), 3 points times n ("wedge")."""
    if domain == "tet":
        points, weights = scikit_fem().quadrature.get_quadrature_tet(n)
        return np.ascontiguousarray(points.T), weights
    line, w = np.polynomial.legendre.leggauss(n)
    line, w = (1 + line) / 2, w / 2
    if domain == "hex":
        grid = np.stack(np.meshgrid(line, line, line, indexing="ij"), axis=-1).reshape(-1, 3)
        return grid, np.einsum("i,j,k->ijk", w, w, w).ravel()
    across = np.array([[1, 1], [4, 1], [1, 4]]) / 6 if n > 1 else np.full((1, 2), 1 / 3)
    points = np.array([[*xy, z] for z in line for xy in across])
    return points, np.repeat(w, len(across)) / (2 * len(across))


@cache
def scikit_fem() -> Any:
    """The package scikit-fem, or ModelError with the command that installs it."""
    try:
        import skfem
        import skfem.quadrature
    except ImportError as error:
        raise ModelError(
            "bodies of solid elements need the package scikit-fem, which is not installed; "
            'install it with: pip install "lissom[fe]"'
        ) from error
    return skfem


def _kinds() -> dict[str, SolidKind]:
    tet, hexa, wedge = (
        ("tet", _TET, _TET_FACES),
        ("hex", _HEX, _HEX_FACES),
        ("wedge", _WEDGE, _WEDGE_FACES),
    )
    centres = (*_HEX_EDGES, *_HEX_FACES, tuple(range(8)))
    rows: tuple[tuple[Any, ...], ...] = (
        ("tetra", "ElementTetP1", tet, (), 1, 2, 1),
        ("tetra10", "ElementTetP2", tet, _TET_EDGES, 2, 6, 2),
        ("hexahedron", "ElementHex1", hexa, (), 2, 2, 1),
        ("hexahedron20", "ElementHexS2", hexa, _HEX_EDGES, 3, 3, 2),
        ("hexahedron27", "ElementHex2", hexa, centres, 3, 3, 2),
        ("wedge", "ElementWedge1", wedge, (), 2, 2, 1),
    )
    return {
        name: SolidKind(name, element, corners, means, faces, *((domain, n) for n in counts))
        for name, element, (domain, corners, faces), means, *counts in rows
    }


KINDS = _kinds()
