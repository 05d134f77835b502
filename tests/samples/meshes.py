"""Structured meshes of blocks, as meshio has them."""

from itertools import permutations, product

import meshio
import numpy as np

# VTK's order of the nodes of a hexahedron on the grid 0, 1, 2
_CORNERS = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2)]
_EDGES = [(1, 0, 0), (2, 1, 0), (1, 2, 0), (0, 1, 0), (1, 0, 2), (2, 1, 2), (1, 2, 2), (0, 1, 2)]
_EDGES += [(0, 0, 1), (2, 0, 1), (2, 2, 1), (0, 2, 1)]
_FACES = [(0, 1, 1), (2, 1, 1), (1, 0, 1), (1, 2, 1), (1, 1, 0), (1, 1, 2), (1, 1, 1)]
_HEXES = {
    "hexahedron": [_CORNERS],
    "hexahedron20": [_CORNERS + _EDGES],
    "hexahedron27": [_CORNERS + _EDGES + _FACES],
}


def _tetrahedra(quadratic):
    """Kuhn's six tetrahedra of a cube, all of which have the diagonal."""
    found = []
    for axes in permutations(range(3)):
        x = [np.zeros(3, dtype=int)]
        for a in axes:
            x.append(x[-1] + 2 * np.eye(3, dtype=int)[a])
        if np.linalg.det([x[1], x[2], x[3]]) < 0:
            x[1], x[2] = x[2], x[1]
        if quadratic:
            pairs = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
            x += [(x[i] + x[j]) // 2 for i, j in pairs]
        found.append([tuple(int(v) for v in p) for p in x])
    return found


def _wedges():
    c = _CORNERS
    return [[c[k] for k in (0, 1, 2, 4, 5, 6)], [c[k] for k in (0, 2, 3, 4, 6, 7)]]


def cells_of(kind):
    """Nodes of the elements in one cell of the grid, on 0, 1, 2."""
    if kind in _HEXES:
        return _HEXES[kind]
    return _wedges() if kind == "wedge" else _tetrahedra(kind == "tetra10")


def block(kind, counts, size, bend=None):
    """Mesh of a block from the origin to `size`; `bend` moves its nodes (n, 3)."""
    counts = np.array(counts)
    shape = 2 * counts + 1
    grid = np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1)
    number = np.arange(len(grid.reshape(-1, 3))).reshape(shape)
    starts = 2 * np.array(list(product(*map(range, counts))))
    local = np.array(cells_of(kind))  # (elements, nodes, 3)
    place = starts[:, None, None] + local[None]
    cells = number[tuple(np.moveaxis(place, -1, 0))].reshape(-1, local.shape[1])
    used, cells = np.unique(cells, return_inverse=True)
    points = grid.reshape(-1, 3)[used] / (2 * counts) * size
    cells = cells.reshape(-1, local.shape[1])
    return meshio.Mesh(points if bend is None else bend(points), [(kind, cells)])
