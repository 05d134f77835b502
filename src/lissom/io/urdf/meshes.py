"""Triangle meshes from STL, OBJ and Collada files, for drawings."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...errors import ModelError
from ..reading import read_regular
from .collada import read_collada
from .collada_geometry import Piece

Array = np.ndarray

_LARGEST = 200_000_000  # bytes


class Surfaces(NamedTuple):
    """Content of a mesh file.

    Attributes
    ----------
    pieces : tuple of Piece
        Triangles, those of each colour together.
    notes : tuple of str
        What the file has and the pieces lack.
    """

    pieces: tuple[Piece, ...]
    notes: tuple[str, ...] = ()


def read_mesh(path: Path) -> Surfaces:
    """Triangles of a mesh file.

    Parameters
    ----------
    path : Path
        STL file, text or binary, OBJ file, or Collada file (.dae).
    """
    kind = path.suffix.lower()
    if kind == ".dae":
        return Surfaces(*read_collada(path))
    if kind not in (".stl", ".obj"):
        raise ModelError(f"{path}: not a supported mesh format; use .stl, .obj or .dae")
    try:
        data = read_regular(path, _LARGEST)
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        vertices, triangles = _stl(data) if kind == ".stl" else _obj(data)
    except (ValueError, IndexError, OverflowError) as error:
        raise ModelError(f"{path}: not a valid mesh ({error})") from None
    if not np.all(np.isfinite(vertices)):
        raise ModelError(f"{path}: not a valid mesh (vertices are not finite)")
    return Surfaces((Piece(vertices, triangles, None),))


def _stl(data: bytes) -> tuple[Array, Array]:
    count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else -1
    if len(data) == 84 + 50 * count:
        record = np.dtype([("numbers", "<f4", 12), ("extra", "<u2")])
        corners = np.frombuffer(data, record, count, 84)["numbers"][:, 3:].reshape(-1, 3)
    else:
        words = [line.split() for line in data.decode("ascii", "replace").splitlines()]
        corners = np.array([w[1:4] for w in words if w[:1] == ["vertex"]], dtype=float)
        if not len(corners) or len(corners) % 3:
            raise ValueError("neither binary nor text STL")
    vertices, inverse = np.unique(corners.astype(float), axis=0, return_inverse=True)
    return vertices, inverse.reshape(-1, 3)


def _obj(data: bytes) -> tuple[Array, Array]:
    vertices: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    for line in data.decode("utf-8", "replace").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(x) for x in words[1:4]])
        elif words[:1] == ["f"]:
            corners = [int(w.split("/")[0]) for w in words[1:]]
            corners = [k - 1 if k > 0 else len(vertices) + k for k in corners]
            triangles += [(corners[0], b, c) for b, c in pairwise(corners[1:])]
    points, faces = np.array(vertices).reshape(-1, 3), np.array(triangles, dtype=int).reshape(-1, 3)
    if faces.size and not 0 <= faces.min() <= faces.max() < len(points):
        raise ValueError("a face refers to a vertex that does not exist")
    used, order = np.unique(faces, return_inverse=True)
    return points[used], order.reshape(-1, 3)
