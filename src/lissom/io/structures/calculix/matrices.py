"""Matrices that CalculiX stores with *FREQUENCY, SOLVER=MATRIXSTORAGE.

NAME.dof has node.direction of each row, NAME.sti and NAME.mas have one triangle of the stiffness
and of the mass matrix as lines "row column value".  Freedoms that boundary conditions and
equations fix are missing.
"""

from __future__ import annotations

import io
import os
import re
import warnings

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ....results.files.disk import open_regular
from ..text import Lines, read_text, refused

Numbers = NDArray[np.intp]

_ROW = re.compile(r"^\s*(\d{1,10})\.([1-6])\s*$")
_TRIPLET = np.dtype([("row", np.int64), ("column", np.int64), ("value", np.float64)])


def read_dof(path: str) -> Numbers:
    """Node number and direction (1 to 3) of the rows of the matrices.

    Returns (n, 2): .
    """
    lines = Lines.of(path, "rows as node.direction")
    rows = np.zeros((len(lines), 2), dtype=np.intp)
    for k, text in enumerate(lines.texts):
        match = _ROW.match(text)
        if match is None:
            expected = "expected node.direction, such as 12.3"
            raise lines.refused(k, f"{lines.quoted(text, k)} found; {expected}")
        rows[k] = int(match[1]), int(match[2])
    order = np.lexsort(rows.T)
    same = np.flatnonzero((np.diff(rows[order], axis=0) == 0).all(axis=1))
    if len(same):
        k = int(order[same[0] + 1])
        raise lines.refused(
            k,
            f"{lines.quoted(lines.texts[k], k)} is there twice: CalculiX expands shells and beams "
            "to solids and numbers their freedoms so; use solid elements",
        )
    return rows


def read_matrix(path: str, n_row: int, dof: str) -> sparse.csc_array:
    """Symmetric matrix of one triangle."""
    i, j, value = _triplets(path)
    wrong = {
        f"expected rows and columns of {_mismatch_message(dof, n_row)}": (
            (i < 1) | (j < 1) | (i > n_row) | (j > n_row)
        ),
        "expected a finite number": ~np.isfinite(value),
        "expected one triangle of a symmetric matrix": (i > j) & (i < j).any(),
        "expected each place once; write the file again": _is_repeated(
            np.minimum(i, j), np.maximum(i, j)
        ),
    }
    for expected, mask in wrong.items():
        if mask.any():
            k = int(np.argmax(mask))
            raise refused(path, f"entry ({i[k]}, {j[k]}) is {value[k]:.6g}; {expected}", k + 1)
    if (have := int((i == j).sum())) != n_row:
        message = (
            f"{have} entries on the diagonal; expected those of {_mismatch_message(dof, n_row)}"
        )
        raise refused(path, message)
    half = sparse.csc_array((value, (i - 1, j - 1)), shape=(n_row, n_row))
    return sparse.csc_array(half + half.T - sparse.diags_array(half.diagonal()))


def _is_repeated(low: Numbers, high: Numbers) -> NDArray[np.bool_]:
    """Whether each pair of numbers has occurred before."""
    order = np.lexsort((low, high))
    is_repeated = np.zeros(len(low), dtype=bool)
    is_repeated[order[1:]] = (np.diff(low[order]) == 0) & (np.diff(high[order]) == 0)
    return is_repeated


def _mismatch_message(dof: str, n_row: int) -> str:
    return (
        f"the {n_row} rows of {dof}: the files are of different runs, or one is cut; run it again"
    )


def _triplets(path: str) -> tuple[Numbers, Numbers, NDArray[np.float64]]:
    """Rows, columns and values; line by line, since these files are large."""
    try:
        with open_regular(path) as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            lines = io.TextIOWrapper(file, "latin-1")
            triplets = np.loadtxt(lines, dtype=_TRIPLET, comments=None, ndmin=1)
            file.seek(-1, os.SEEK_END)
            whole = file.read() == b"\n"
    except (OSError, ValueError, OverflowError, MemoryError):
        whole = False
    if whole:
        return triplets["row"], triplets["column"], triplets["value"]
    expected = "expected row, column and value on each line"
    text = read_text(path, "lines of row, column and value")
    raise refused(path, f"{expected}; the file is cut or of another kind", _first_bad(text))


def _first_bad(text: str) -> int:
    """Number of the first line that is no row, column and value; else of the last."""
    k = 0
    for k, line in enumerate(text.splitlines(), 1):
        words = line.split()
        try:
            int(words[0]), int(words[1]), float(words[2])
        except (IndexError, ValueError):
            return k
        if len(words) != 3:
            return k
    return k
