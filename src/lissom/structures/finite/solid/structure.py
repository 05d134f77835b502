"""Structure of a mesh of solid elements."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....errors import ModelError, ModelWarning, name_list
from ..assembly import equal_freedoms
from ..patches import Ground, interfaces_of
from ..structure import Structure, SurfaceMesh
from .elements import ElementBlock, assembled, jacobians
from .geometry import SolidGeometry
from .stresses import SolidRecovery

_FLAT = 1e-9  # determinant over the mean volume of the elements' boxes that counts as zero
_OFF = 0.35  # largest distance of a node from the middle of its edge, over the edge's length


def check_elements(positions: Array, blocks: Sequence[ElementBlock], name: str) -> None:
    """Raise ModelError for elements that are inverted, flat, or whose nodes are out of order.

    `positions` (n, 3): nodes [m].
    """
    for block in blocks:
        _check_nodes(block, name)
        _check_middles(positions, block, name)
        _check_sign(positions, block, name)


def _check_nodes(block: ElementBlock, name: str) -> None:
    ordered = np.sort(block.cells, axis=1)
    twice = np.flatnonzero(np.any(ordered[:, 1:] == ordered[:, :-1], axis=1))
    if len(twice):
        raise ModelError(
            f"{name}: {block.title(twice[0])} has a node twice{_more(len(twice))}; collapsed "
            "elements are not supported: use tetrahedra or wedges there"
        )


def _check_middles(positions: Array, block: ElementBlock, name: str) -> None:
    """Nodes between corners must be near their middle: else the order is another."""
    kind = block.kind
    if kind.is_linear:
        return
    x = positions[block.cells]
    middle = np.stack([x[:, list(mean)].mean(axis=1) for mean in kind.means], axis=1)
    length = np.stack([np.ptp(x[:, list(m)], axis=1).max(axis=1) for m in kind.means], axis=1)
    away = np.linalg.norm(x[:, len(kind.corners) :] - middle, axis=2)
    far = np.argwhere(away > _OFF * length)
    if not len(far):
        return
    e, k = far[0]
    raise ModelError(
        f"{name}: {block.title(e)}: its node {len(kind.corners) + k} is "
        f"{away[e, k] / max(length[e, k], 1e-300):.2g} edge lengths away from the middle of its "
        f"corners {', '.join(map(str, kind.means[k]))}"
        f"{_more(len(np.unique(far[:, 0])))}; the nodes are in another order: give them as "
        "Abaqus and VTK do (corners, then middles of edges, counted from 0)"
    )


def _check_sign(positions: Array, block: ElementBlock, name: str) -> None:
    """J must be positive at all integration points and nodes."""
    kind = block.kind
    points = np.concatenate([kind.rule("stiffness")[0], kind.nodes])
    dN = kind.functions(points)[1]
    lowest = np.concatenate(
        [
            np.linalg.det(jacobians(dN, positions[block.cells[part]])).min(axis=1)
            for part in block.parts()
        ]
    )
    size = np.ptp(positions[block.cells], axis=1).max(axis=1) ** 3
    bad = np.flatnonzero(lowest <= _FLAT * size)
    if not len(bad):
        return
    k = bad[np.argmin(lowest[bad] / np.maximum(size[bad], 1e-300))]
    if len(bad) == len(lowest) and np.all(lowest < -_FLAT * size):
        raise ModelError(
            f"{name}: all {len(bad)} elements of kind {kind.name} are inverted (volume below zero);"
            " the mesh is mirrored or its nodes are in another order: reverse the order of the "
            "corners, as Abaqus and VTK have it"
        )
    what = "flat" if abs(lowest[k]) <= _FLAT * size[k] else "inverted or folded"
    raise ModelError(
        f"{name}: {block.title(k)} is {what}: its smallest volume ratio is "
        f"{lowest[k] / max(size[k], 1e-300):.2g}{_more(len(bad))}; repair the mesh there, or make"
        " the edges straight"
    )


def check_connected(positions: Array, blocks: Sequence[ElementBlock], name: str) -> None:
    """Raise ModelError if the mesh falls into parts that share no node; parameters as above."""
    from scipy import sparse
    from scipy.spatial import cKDTree

    rows = np.concatenate([np.repeat(b.cells[:, 0], b.kind.n_node) for b in blocks])
    columns = np.concatenate([b.cells.ravel() for b in blocks])
    n = len(positions)
    graph = sparse.coo_array((np.ones(len(rows)), (rows, columns)), shape=(n, n))
    count, part = sparse.csgraph.connected_components(graph, directed=False)
    if count == 1:
        return
    size = float(np.ptp(positions, axis=0).max())
    pairs = cKDTree(positions).query_pairs(1e-6 * size, output_type="ndarray")
    double = int(np.count_nonzero(part[pairs[:, 0]] != part[pairs[:, 1]]))
    firsts = [
        next(b.title(k[0]) for b in blocks if len(k := np.flatnonzero(part[b.cells[:, 0]] == p)))
        for p in range(min(count, 5))
    ]
    remedy = (
        f"{double} pairs of their nodes are at the same place: merge them in the mesh generator"
        if double
        else "give each as a body of its own, or connect them in the mesh generator"
    )
    raise ModelError(
        f"{name}: the mesh has {count} parts that share no node, with {name_list(firsts, show=str)}"
        f"{' and so on' if count > 5 else ''}; {remedy}"
    )


def _more(count: int) -> str:
    return f" (and {count - 1} more)" if count > 1 else ""


MOST = 3000  # nodes of a surface that is drawn


def coarser(positions: Array, triangles: Whole, most: int = MOST) -> Whole:
    """Triangles between at most about `most` of their nodes.

    Nodes in one cell of a grid whose surface points in the same direction, so that the two sides of
    a plate stay apart, become the one nearest to their mean.

    `positions` (n, 3): nodes [m]; `triangles` (t, 3): counterclockwise seen from outside.
    """
    used = np.unique(triangles)
    if len(used) <= most:
        return triangles
    x = positions[used] - positions[used].min(axis=0)
    side = _directions(positions, triangles)[used]
    size = np.sqrt(_area(positions, triangles) / most)
    for _ in range(20):
        keys = np.column_stack([(x / size).astype(int), side])
        _, group = np.unique(keys, axis=0, return_inverse=True)
        group = group.ravel()
        if group.max() < most:
            break
        size *= 1.15
    chosen = np.arange(len(positions))
    chosen[used] = used[_nearest_to_mean(x, group)[group]]
    corners = chosen[triangles]
    is_triangle = (corners != np.roll(corners, 1, axis=1)).all(axis=1)
    return np.unique(_rolled(corners[is_triangle]), axis=0)


def _directions(positions: Array, triangles: Whole) -> Whole:
    """Axis that the surface faces at each node: 0 to 2 for +x, +y, +z; 3 to 5 for the opposite."""
    normals = np.stack(
        [
            np.bincount(triangles.ravel(), np.repeat(part, 3), len(positions))
            for part in _vectors(positions, triangles).T
        ],
        axis=1,
    )
    return np.argmax(np.hstack([normals, -normals]), axis=1)


def _vectors(positions: Array, triangles: Whole) -> Array:
    a, b, c = (positions[triangles[:, k]] for k in range(3))
    return np.cross(b - a, c - a) / 2


def _area(positions: Array, triangles: Whole) -> float:
    return float(np.linalg.norm(_vectors(positions, triangles), axis=1).sum())


def _nearest_to_mean(x: Array, group: Whole) -> Whole:
    """Number of the point of each group that is nearest to the group's mean."""
    count = np.bincount(group)
    mean = np.stack([np.bincount(group, part) / count for part in x.T], axis=1)
    away = np.linalg.norm(x - mean[group], axis=1)
    order = np.lexsort([away, group])
    return order[np.searchsorted(group[order], np.arange(len(count)))]


def _rolled(triangles: Whole) -> Whole:
    """The same triangles, each with its lowest node first."""
    first = np.argmin(triangles, axis=1)
    return np.take_along_axis(triangles, (first[:, None] + np.arange(3)) % 3, axis=1)


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

    block: ElementBlock
    nodes: Whole
    corners: int

    @property
    def keys(self) -> Whole:
        """Corners in ascending order, then -1; then all nodes in the same manner."""
        return np.hstack([_padded(self.nodes[:, : self.corners], 4), _padded(self.nodes, 9)])


def surface_triangles(blocks: Sequence[ElementBlock], name: str) -> Whole:
    """Triangles (t, 3) of the surface, counterclockwise seen from outside."""
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
        outer = f.nodes[~shared[start : start + len(f.nodes)]]
        start += len(f.nodes)
        triangles += [outer[:, list(cut)] for cut in _CUTS[outer.shape[1]]]
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
        elements = ", ".join(titles(int(order[k + j])) for j in range(3))
        raise ModelError(
            f"{name}: more than two elements have one face in common: {elements}; "
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


Array = NDArray[np.float64]
Whole = NDArray[np.int64]

_STIFF = {"tetra": "tetra10", "hexahedron": "hexahedron20", "wedge": "hexahedron20 or tetra10"}


def solid_structure(
    name: str,
    positions: Array,
    blocks: Sequence[ElementBlock],
    interfaces: Any,
    sets: Mapping[str, Whole] | None = None,
    labels: Whole | None = None,
) -> Structure:
    """Structure of solid elements, with three freedoms a node.

    Nodes without element are left out; the numbers of the others in interfaces and sets stay those
    given.

    `positions` (n, 3): nodes [m]; `labels` (n,): numbers of the nodes in the labels of stresses,
    where they are others.
    """
    numbers, positions, blocks = _used(name, positions, blocks)
    check_elements(positions, blocks, name)
    check_connected(positions, blocks, name)
    triangles = surface_triangles(blocks, name)
    ground = Ground(name, positions, numbers, sets or {}, triangles)
    ports = interfaces_of(interfaces, ground)
    _warn(name, blocks)
    mass, stiffness = assembled(positions, blocks)
    names = numbers if labels is None else labels[numbers]
    return Structure(
        name=name,
        positions=positions,
        freedoms=equal_freedoms(len(positions), (3, 4, 5)),
        mass=mass,
        stiffness=stiffness,
        interfaces=ports,
        recovery=SolidRecovery(positions, blocks, np.unique(triangles), names),
        surface=SurfaceMesh(coarser(positions, triangles)),
        geometry=SolidGeometry(positions, blocks),
        numbers=names,
    )


def _used(
    name: str, positions: Array, blocks: Sequence[ElementBlock]
) -> tuple[Whole, Array, tuple[ElementBlock, ...]]:
    """Numbers and positions of the nodes that elements have, and elements between these."""
    if not sum(len(b.cells) for b in blocks):
        raise ModelError(
            f"{name}: the mesh has no solid element; a body needs tetrahedra, hexahedra or wedges"
        )
    for b in blocks:
        outside = np.flatnonzero(np.any((b.cells < 0) | (b.cells >= len(positions)), axis=1))
        if len(outside):
            raise ModelError(
                f"{name}: {b.title(outside[0])} refers to nodes {b.cells[outside[0]].tolist()}; "
                f"the mesh has nodes 0 to {len(positions) - 1}"
            )
        if b.material.poisson_ratio >= 0.5:
            raise ModelError(
                f"{name}: {b.material.label} has poisson_ratio 0.5, which no "
                "displacement element can deform; give 0.49 at most"
            )
    numbers = np.unique(np.concatenate([b.cells.ravel() for b in blocks]))
    bad = numbers[~np.isfinite(positions[numbers]).all(axis=1)]
    if len(bad):
        raise ModelError(
            f"{name}: node {bad[0]} is at {positions[bad[0]].tolist()}; positions must be finite"
        )
    new_number = np.full(len(positions), -1)
    new_number[numbers] = np.arange(len(numbers))
    loose = np.flatnonzero(new_number < 0)
    if len(loose):
        warnings.warn(
            f"{name}: {len(loose)} of {len(positions)} nodes belong to no solid element and are "
            f"left out: {name_list(loose, show=str)}",
            ModelWarning,
            stacklevel=5,
        )
    blocks = tuple(
        dataclasses.replace(b, cells=new_number[b.cells]) for b in blocks if len(b.cells)
    )
    return numbers, positions[numbers], blocks


def _warn(name: str, blocks: Sequence[ElementBlock]) -> None:
    """Elements that are too stiff."""
    for kind in dict.fromkeys(b.kind.name for b in blocks if b.kind.name in _STIFF):
        warnings.warn(
            f"{name}: elements of kind {kind} are too stiff in bending, often by a factor of two: "
            f"make the mesh of second order ({_STIFF[kind]})",
            ModelWarning,
            stacklevel=5,
        )
