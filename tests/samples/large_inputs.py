"""Sound input of real size: a block of 4800 hexahedra with 17,589 freedoms, in all its forms.

Files are written here without the readers that the checks are about.
"""

from __future__ import annotations

import struct
import warnings
from pathlib import Path
from typing import Any

import meshio
import numpy as np
import scipy.sparse as sp

import lissom as ls
from lissom.io.structures.mesh import mesh_structure
from tests.samples.meshes import block

COUNTS, SIZE = (40, 12, 10), (0.8, 0.2, 0.1)
TEXT_HEADER = "{:8d}{:8d}       6       2{:8s}1P,3E23.16\n"


def write_all(folder: Path) -> None:
    """Write everything into folders named after what reads it."""
    mesh = block("hexahedron", COUNTS, SIZE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ls.ModelWarning)
        source = mesh_structure(mesh, ls.STEEL, {"root": ls.regions.plane("x", 0.0)})
    M, K = (sp.csc_array(A) for A in (source.mass, source.stiffness))
    M, K = (sp.csc_array((A + A.T) / 2) for A in (M, K))
    for name in ("from_matrices", "from_mesh", "read_calculix", "read_nastran", "load_body"):
        (folder / name).mkdir(parents=True)
    _matrices(folder / "from_matrices", M, K, mesh.points)
    _meshes(folder / "from_mesh", mesh)
    _calculix(folder / "read_calculix", mesh, M, K)
    _nastran(folder / "read_nastran", mesh, M, K)
    wing = ls.panel(2.0, 1.0, 0.01, ls.CARBON, interfaces={"root": "left"}, divisions=(24, 12))
    wing.save(folder / "load_body" / "wing.nc")


def _matrices(folder: Path, M: Any, K: Any, nodes: Any) -> None:
    sp.save_npz(folder / "M.npz", M, compressed=False)
    sp.save_npz(folder / "K.npz", K, compressed=False)
    np.save(folder / "nodes.npy", nodes)


def _meshes(folder: Path, mesh: Any) -> None:
    n = len(mesh.cells[0].data)
    tagged = meshio.Mesh(
        mesh.points,
        mesh.cells,
        cell_data={"gmsh:physical": [np.ones(n, int)], "gmsh:geometrical": [np.ones(n, int)]},
        field_data={"steel": np.array([1, 3])},
    )
    meshio.write(folder / "block.msh", tagged, file_format="gmsh", binary=True)
    meshio.write(folder / "text.msh", tagged, file_format="gmsh", binary=False)
    meshio.write(folder / "old.msh", tagged, file_format="gmsh22", binary=True)
    meshio.write(folder / "block.vtk", mesh, file_format="vtk", binary=True)
    meshio.write(folder / "block.vtu", mesh, file_format="vtu", binary=True)


def _calculix(folder: Path, mesh: Any, M: Any, K: Any) -> None:
    x, cells = mesh.points, mesh.cells[0].data + 1
    ends = [np.flatnonzero(np.isclose(x[:, 0], at)) + 1 for at in (0.0, SIZE[0])]
    deck = ["*NODE"] + [f"{k}, {a!r}, {b!r}, {c!r}" for k, (a, b, c) in enumerate(x.tolist(), 1)]
    deck += ["*ELEMENT, TYPE=C3D8, ELSET=ALL"]
    deck += [", ".join(map(str, [k, *row])) for k, row in enumerate(cells.tolist(), 1)]
    for name, nodes in zip(("ROOT", "TIP"), ends, strict=True):
        deck += [f"*NSET, NSET={name}", *map(str, nodes)]
    deck += ["*MATERIAL, NAME=STEEL", "*ELASTIC", "200e9, 0.3", "*DENSITY", "7850."]
    deck += ["*SOLID SECTION, ELSET=ALL, MATERIAL=STEEL", ""]
    (folder / "block.inp").write_text("\n".join(deck))
    rows = [f"{k}.{d}" for k in range(1, len(x) + 1) for d in (1, 2, 3)]
    (folder / "block.dof").write_text("\n".join(rows) + "\n")
    for suffix, matrix in ((".sti", K), (".mas", M)):
        half = sp.coo_array(sp.triu(matrix))
        table = np.column_stack([half.row + 1, half.col + 1, half.data])
        np.savetxt(folder / f"block{suffix}", table, fmt="%10d %10d %20.13E")
    _results(folder / "block.frd", x)


def _results(path: Path, x: Any) -> None:
    """Twelve modes with displacements and stresses."""
    numbers = range(1, len(x) + 1)
    lines = ["    1C", f"    2C{len(x):30d}{'1':>39s}"]
    lines += [
        f" -1{k:10d}" + "".join(f"{v:12.5E}" for v in row)
        for k, row in zip(numbers, x, strict=True)
    ]
    lines += [" -3"]
    for step in range(1, 13):
        for name, parts in (("DISP", 3), ("STRESS", 6)):
            head = f"  100CL  101{100.0 * step:12.6f}{len(x):12d}{'':20s}{2:2d}{step:5d}"
            lines += [head + f"{'':10s}{1:2d}", f" -4  {name:8s}{parts:5d}    1"]
            lines += [f" -5  {c:8s}    1    2    1    0" for c in _components(name)]
            values = "".join(f"{step * 1e-3:12.5E}" for _ in range(parts))
            lines += [f" -1{k:10d}{values}" for k in numbers]
            lines += [" -3"]
    path.write_text("\n".join([*lines, " 9999", ""]))


def _components(name: str) -> list[str]:
    return ["D1", "D2", "D3"] if name == "DISP" else ["SXX", "SYY", "SZZ", "SXY", "SYZ", "SZX"]


def _nastran(folder: Path, mesh: Any, M: Any, K: Any) -> None:
    x = mesh.points
    cards = [f"GRID,{k},,{a!r},{b!r},{c!r}" for k, (a, b, c) in enumerate(x.tolist(), 1)]
    cards += [f"ASET1,123,1,THRU,{len(x)}", "ENDDATA", ""]
    (folder / "block.bdf").write_text("\n".join(cards))
    for order, name in (("<", "little"), (">", "big")):
        data = b"".join(_binary(A, key, order) for A, key in ((M, b"MAA"), (K, b"KAA")))
        (folder / f"{name}.op4").write_bytes(data)
    text = [line for A, key in ((M, "MAA"), (K, "KAA")) for line in _text(A, key)]
    (folder / "text.op4").write_text("".join(text))
    few = np.arange(300)  # a condensed model: 100 grids, whose matrices are full
    dmig = [line for A, key in ((M, "MAAX"), (K, "KAAX")) for line in _dmig(A[few][:, few], key)]
    (folder / "small.bdf").write_text("\n".join([*cards[:100], *dmig, "ENDDATA", ""]))


def _strings(A: Any) -> Any:
    """Column, first row and values of each run of rows, counted from 1."""
    A = sp.csc_array(A)
    A.sort_indices()
    for j in range(A.shape[1]):
        part = slice(A.indptr[j], A.indptr[j + 1])
        rows, values = A.indices[part], A.data[part]
        cuts = np.flatnonzero(np.diff(rows) != 1) + 1
        runs = zip(np.split(rows, cuts), np.split(values, cuts), strict=True)
        yield j + 1, [(int(r[0]) + 1, v) for r, v in runs]


def _binary(A: Any, name: bytes, order: str) -> bytes:
    """OUTPUT4 of the form BIGMAT."""
    n = A.shape[0]
    records = [struct.pack(f"{order}4i8s", n, -n, 6, 2, name.ljust(8))]
    for column, runs in _strings(A):
        body = b"".join(
            struct.pack(f"{order}2i", 2 * len(v) + 1, row) + v.astype(f"{order}f8").tobytes()
            for row, v in runs
        )
        records.append(struct.pack(f"{order}3i", column, 0, len(body) // 4) + body)
    records.append(struct.pack(f"{order}3id", n + 1, 1, 1, 1.0))
    sizes = [struct.pack(f"{order}i", len(r)) for r in records]
    return b"".join(s + r + s for s, r in zip(sizes, records, strict=True))


def _text(A: Any, name: str) -> Any:
    n = A.shape[0]
    yield TEXT_HEADER.format(n, -n, name)
    for column, runs in _strings(A):
        yield f"{column:8d}{0:8d}{sum(2 * len(v) + 2 for _, v in runs):8d}\n"
        for row, v in runs:
            yield f"{2 * len(v) + 1:8d}{row:8d}\n"
            words = [f"{x:23.16E}" for x in v]
            yield from ("".join(words[k : k + 3]) + "\n" for k in range(0, len(words), 3))
    yield f"{n + 1:8d}{1:8d}{1:8d}\n{1.0:23.16E}\n"


def _dmig(A: Any, name: str) -> Any:
    full = A.toarray()
    yield f"DMIG,{name},0,6,2,0"
    for j in range(len(full)):
        yield f"DMIG*,{name},{j // 3 + 1},{j % 3 + 1}"
        for i in range(j, len(full)):
            yield f"*,{i // 3 + 1},{i % 3 + 1},{float(full[i, j])!r}"
