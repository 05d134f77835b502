"""Matrices in Nastran's OUTPUT4 form: text or binary, dense or sparse, either byte order.

A matrix is a header (columns, rows, form, type, name), its columns, and a last column that is one
too many.  A dense column has its first row and its values.  A sparse one has row 0 and strings of
values, each with its length in words L and its first row, either packed in one word

  row + 65536 (L + 1)                                                                         (1)

or, in the form BIGMAT, which negative numbers of rows announce, as the two words L + 1 and row.
Source: MSC Nastran DMAP Programmer's Guide, module OUTPUT4.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from scipy import sparse

from ..text import path_text, read_bytes, refused
from .op4_binary import BinaryReader
from .op4_text import TextReader


def read_op4(path: str | os.PathLike[str]) -> Mapping[str, sparse.csc_array]:
    """Matrices of an OUTPUT4 file, by name.

    Parameters
    ----------
    path : path
        Text or binary, dense or sparse, of either byte order.

    Returns
    -------
    dict of sparse arrays

    Raises
    ------
    ModelFileError
        If it is cut, damaged or no such file; with line or byte.
    """
    name = path_text(path)
    is_binary = b"\0" in read_bytes(name, 4096)
    drafts = (BinaryReader(name, read_bytes(name)) if is_binary else TextReader(name)).read()
    found: dict[str, sparse.csc_array] = {}
    for draft, values in drafts:
        if draft.name in found:
            raise refused(name, f"matrix {draft.name} is there twice; write each once")
        if wrong := draft.not_finite(values):
            raise refused(name, wrong)
        found[draft.name] = draft.matrix(values)
    return found
