"""Surface of a solid: faces that belong to one element alone, as triangles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....errors import ModelError
from .elements import Block

Whole = NDArray[np.int64]

# Triangles of faces by their number of nodes (see `Kind.face_nodes`)
_AROUND = tuple(t for k in range(4) for t in ((k, 4 + k, 8), (4 + k, (k + 1) % 4, 8)))
_CUTS: dict[int, tuple[tuple[int, int, int], ...]] = {
    3: ((0, 1, 2),),
    4: ((0, 1, 2), (0, 2, 3)),
    6: ((0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5)),
    8: ((0, 4, 7), (4, 1, 5), (5, 2, 6), (6, 3, 7), (4, 5, 6), (4, 6, 7)),
    9: _AROUND,
}


@dataclass(frozen=True, eq=False)
class _Faces:
    """The same face of all elements of a block."""

    block: Block
    nodes: Whole
    corners: int

    @property
    def keys(self) -> Whole:
        """Corners in ascending order, then -1; then all nodes in the same manner."""
        return np.hstack([_padded(self.nodes[:, : self.corners], 4), _padded(self.nodes, 9)])


def surface_triangles(blocks: Sequence[Block], name: str) -> Whole:
    """Triangles (t, 3) of the surface, counterclockwise seen from outside.

    Parameters
    ----------
    blocks : sequence of Block
        Elements.
    name : str
        Name of the mesh, for messages.

    Raises
    ------
    ModelError
        If neighbours share the corners of a face but not the nodes between them, or more than two
        elements share a face.
    """
    faces = [
        _Faces(b, b.cells[:, list(nodes)], len(corners))
        for b in blocks
        for nodes, corners in zip(b.kind.face_nodes, b.kind.faces, strict=True)
    ]
    keys = np.concatenate([f.keys for f in faces])
    order = np.lexsort(keys[:, 3::-1].T)
    same = np.all(keys[order][1:, :4] == keys[order][:-1, :4], axis=1)
    _check_neighbours(faces, keys, order, same, name)
    shared = np.zeros(len(keys), dtype=bool)
    shared[order[1:][same]] = shared[order[:-1][same]] = True
    triangles, start = [], 0
    for f in faces:
        own = f.nodes[~shared[start : start + len(f.nodes)]]
        start += len(f.nodes)
        triangles += [own[:, list(cut)] for cut in _CUTS[own.shape[1]]]
    return np.concatenate(triangles)


def _padded(nodes: Whole, width: int) -> Whole:
    rest = np.full((len(nodes), width - nodes.shape[1]), -1)
    return np.hstack([np.sort(nodes, axis=1), rest])


def _check_neighbours(
    faces: Sequence[_Faces], keys: Whole, order: Whole, same: NDArray[np.bool_], name: str
) -> None:
    titles = _Titles(faces)
    three = np.flatnonzero(same[1:] & same[:-1])
    if len(three):
        k = three[0]
        found = ", ".join(titles(int(order[k + j])) for j in range(3))
        raise ModelError(
            f"{name}: more than two elements have one face in common: {found}; "
            "remove the elements that are there twice"
        )
    unlike = same & np.any(keys[order][1:] != keys[order][:-1], axis=1)
    if np.any(unlike):
        k = int(np.flatnonzero(unlike)[0])
        raise ModelError(
            f"{name}: {titles(int(order[k]))} and {titles(int(order[k + 1]))} have the corners of "
            "a face in common but not the nodes between them; make all elements linear or all "
            "quadratic, and merge nodes at the same place"
        )


class _Titles:
    """Titles of the elements of faces, by number of the face."""

    def __init__(self, faces: Sequence[_Faces]) -> None:
        self._faces = faces
        self._ends = np.cumsum([len(f.nodes) for f in faces])

    def __call__(self, k: int) -> str:
        i = int(np.searchsorted(self._ends, k, side="right"))
        f = self._faces[i]
        return f.block.title(k - int(self._ends[i]) + len(f.nodes))
