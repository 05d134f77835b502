"""Element types of CalculiX: numbers of nodes, names of other programs, and faces.

Nodes of solids are numbered as meshio and VTK do.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Nodes = NDArray[np.intp]


@dataclass(frozen=True)
class ElementType:
    """Element type."""

    n_node: int
    shape: str  # name that meshio gives it

    @property
    def solid(self) -> bool:
        """Whether its stiffness is that of a volume of nodes with three translations."""
        return self.shape in _FACES


def _kinds(names: str, n_node: int, shape: str) -> dict[str, ElementType]:
    return {name: ElementType(n_node, shape) for name in names.split()}


KINDS = {
    **_kinds("C3D4 F3D4", 4, "tetra"),
    **_kinds("C3D10 C3D10T C3D10HS", 10, "tetra10"),
    **_kinds("C3D8 C3D8R C3D8I F3D8", 8, "hexahedron"),
    **_kinds("C3D20 C3D20R C3D20RI", 20, "hexahedron20"),
    **_kinds("C3D6 F3D6", 6, "wedge"),
    **_kinds("C3D15", 15, "wedge15"),
    **_kinds("S3 M3D3 CPS3 CPE3 CAX3", 3, "triangle"),
    **_kinds("S6 M3D6 CPS6 CPE6 CAX6", 6, "triangle6"),
    **_kinds("S4 S4R M3D4 M3D4R CPS4 CPS4R CPE4 CPE4R CAX4 CAX4R", 4, "quad"),
    **_kinds("S8 S8R M3D8 M3D8R CPS8 CPS8R CPE8 CPE8R CAX8 CAX8R", 8, "quad8"),
    **_kinds("B21 B31 B31R T2D2 T3D2 SPRINGA SPRING2 DASHPOTA GAPUNI", 2, "line"),
    **_kinds("B32 B32R T3D3 D", 3, "line3"),
    **_kinds("MASS SPRING1 DCOUP3D", 1, "vertex"),
}

# Corners of the faces S1, S2, ... counter-clockwise from outside.
_TETRA = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3))
_HEXA = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
_WEDGE = ((0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5))
_FACES = {
    "tetra": _TETRA,
    "tetra10": _TETRA,
    "hexahedron": _HEXA,
    "hexahedron20": _HEXA,
    "wedge": _WEDGE,
    "wedge15": _WEDGE,
}

# Corners of the edges whose middle nodes follow the corners, in their order.
_EDGES = {
    "tetra10": ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)),
    "hexahedron20": (
        *((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4)),
        *((0, 4), (1, 5), (2, 6), (3, 7)),
    ),
    "wedge15": (
        *((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)),
        *((0, 3), (1, 4), (2, 5)),
    ),
}


def faces(shape: str) -> tuple[tuple[int, ...], ...]:
    """Nodes of the faces of an element: around the face, with the middle nodes of edges."""
    corners = _FACES.get(shape, ())
    edges = _EDGES.get(shape)
    if edges is None:
        return corners
    n = max(max(edge) for edge in edges) + 1
    middle = {frozenset(edge): n + k for k, edge in enumerate(edges)}
    return tuple(
        tuple(
            node
            for a, b in zip(face, (*face[1:], face[0]), strict=True)
            for node in (a, middle[frozenset((a, b))])
        )
        for face in corners
    )


_SPLIT = {
    3: ((0, 1, 2),),
    4: ((0, 1, 2), (0, 2, 3)),
    6: ((0, 1, 5), (1, 2, 3), (3, 4, 5), (1, 3, 5)),
    8: ((0, 1, 7), (1, 2, 3), (3, 4, 5), (5, 6, 7), (1, 3, 5), (1, 5, 7)),
}


def outer_triangles(cells: Iterable[tuple[str, Nodes]]) -> Nodes:
    """Triangles of the faces that belong to one solid only, counter-clockwise from outside."""
    triangles = []
    groups: dict[int, list[Nodes]] = {}
    for shape, nodes in cells:
        for face in faces(shape):
            groups.setdefault(len(face), []).append(nodes[:, list(face)])
    for size, parts in groups.items():
        every = np.concatenate(parts)
        _, inverse, count = np.unique(
            np.sort(every, axis=1), axis=0, return_inverse=True, return_counts=True
        )
        outer = every[count[inverse.ravel()] == 1]
        triangles += [outer[:, list(corner)] for corner in _SPLIT[size]]
    return np.concatenate(triangles) if triangles else np.zeros((0, 3), dtype=np.intp)
