"""Matrices that CalculiX stores with *FREQUENCY, SOLVER=MATRIXSTORAGE.

NAME.dof has node.direction of each row, NAME.sti and NAME.mas have one triangle of the stiffness
and of the mass matrix as lines "row column value".  Freedoms that boundary conditions and
equations fix are missing.
"""

from __future__ import annotations

import io
import re
import warnings

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..text import Lines, read_text, refused

Numbers = NDArray[np.intp]

_ROW = re.compile(r"^\s*(\d{1,10})\.([1-6])\s*$")
_TRIPLET = np.dtype([("row", np.int64), ("column", np.int64), ("value", np.float64)])


def read_dof(path: str) -> Numbers:
    """Node number and direction (1 to 3) of the rows of the matrices.

    Parameters
    ----------
    path : str
        NAME.dof.

    Returns
    -------
    array (n, 2) of int
    """
    lines = Lines.of(path, "rows as node.direction")
    found = np.zeros((len(lines), 2), dtype=np.intp)
    for k, text in enumerate(lines.texts):
        match = _ROW.match(text)
        if match is None:
            wanted = "expected node.direction, such as 12.3"
            raise lines.refused(k, f"{lines.quoted(text, k)} found; {wanted}")
        found[k] = int(match[1]), int(match[2])
    order = np.lexsort(found.T)
    same = np.flatnonzero((np.diff(found[order], axis=0) == 0).all(axis=1))
    if len(same):
        k = int(order[same[0] + 1])
        raise lines.refused(
            k,
            f"{lines.quoted(lines.texts[k], k)} is there twice: CalculiX expands shells and beams "
            "to solids and numbers their freedoms so; use solid elements",
        )
    return found


def read_matrix(path: str, n_row: int, dof: str) -> sparse.csc_array:
    """Symmetric matrix of one triangle.

    Parameters
    ----------
    path : str
        NAME.sti or NAME.mas.
    n_row : int
        Number of rows.
    dof : str
        File that names the rows, for messages.
    """
    text = read_text(path, "lines of row, column and value")
    i, j, value = _triplets(path, text)
    bad = np.flatnonzero((i < 1) | (j < 1) | (i > n_row) | (j > n_row))
    if len(bad):
        k = int(bad[0])
        raise refused(path, f"entry ({i[k]}, {j[k]}); {_together(dof, n_row)}", k + 1)
    if len(bad := np.flatnonzero(~np.isfinite(value))):
        raise refused(path, f"value {value[bad[0]]}; expected a finite number", int(bad[0]) + 1)
    if (i < j).any() and (i > j).any():
        k = int(
            np.flatnonzero((i > j) if i[np.argmax(i != j)] < j[np.argmax(i != j)] else i < j)[0]
        )
        message = f"entry ({i[k]}, {j[k]}) is on the other side of the diagonal than those before"
        raise refused(path, f"{message}; expected one triangle of a symmetric matrix", k + 1)
    key = np.minimum(i, j) * (n_row + 1) + np.maximum(i, j)
    order = np.argsort(key, kind="stable")
    if len(twice := np.flatnonzero(np.diff(key[order]) == 0)):
        k = int(order[twice[0] + 1])
        raise refused(path, f"entry ({i[k]}, {j[k]}) is there twice; write the file again", k + 1)
    if (have := int((i == j).sum())) != n_row:
        raise refused(path, f"{have} entries on the diagonal; {_together(dof, n_row)}")
    half = sparse.coo_array((value, (i - 1, j - 1)), shape=(n_row, n_row))
    off = half.T - sparse.diags_array(half.diagonal())
    return sparse.csc_array(half + off)


def _together(dof: str, n_row: int) -> str:
    return f"{dof} names {n_row} rows: the files are of different runs, or one is cut; run it again"


def _triplets(path: str, text: str) -> tuple[Numbers, Numbers, NDArray[np.float64]]:
    wanted = "expected row, column and value on each line"
    if text.endswith("\n") is False:
        raise refused(path, f"the last line has no end: the file is cut; {wanted}", _lines(text))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = np.loadtxt(io.StringIO(text), dtype=_TRIPLET, comments=None, ndmin=1)
    except (ValueError, OverflowError):
        raise refused(
            path, f"{wanted}; the file is cut or of another kind", _first_bad(text)
        ) from None
    if len(found) != _lines(text):
        raise refused(path, f"empty lines; {wanted}", _first_bad(text))
    return found["row"], found["column"], found["value"]


def _lines(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n"))


def _first_bad(text: str) -> int:
    """Number of the first line that is no row, column and value."""
    for k, line in enumerate(text.split("\n"), 1):
        words = line.split()
        try:
            int(words[0]), int(words[1]), float(words[2])
            if len(words) != 3:
                return k
        except (IndexError, ValueError):
            return k
    return 0
