"""Saving and loading of results, by the suffix of the file."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from ...errors import ResultError
from ...system import System
from ..store import Store
from .disk import PathLike, as_path, journal_path, open_regular

# Suffix: module and function that write the format.  They are loaded when they are needed.
WRITERS = {
    ".nc": ("netcdf.writer", "write_netcdf"),
    ".npz": ("exports", "write_npz"),
    ".csv": ("exports", "write_csv"),
    ".mat": ("exports", "write_mat"),
}
LOADABLE = (".nc", ".npz")  # the others are exports without the mechanism


def save(path: PathLike, system: System, store: Store, meta: dict[str, Any]) -> None:
    """Write results to a file; an existing file is replaced when the new one is complete."""
    path = as_path(path)
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in WRITERS:
        raise ResultError(
            f"cannot save {path}: the suffix {suffix!r} is not a known format; use one of "
            f"{', '.join(WRITERS)}"
        )
    module, writer = WRITERS[suffix]
    getattr(import_module(f".{module}", __package__), writer)(path, system, store, meta)


def open_results(path: PathLike, *, salvage: bool = False) -> tuple[System, Store, dict[str, Any]]:
    """System, rows and notes from a results file."""
    from .journal.reader import JournalStore
    from .journal.records import MAGIC

    path = as_path(path)
    start = _first_bytes(path)
    if start and start == MAGIC[: len(start)]:
        journal = JournalStore(path, salvage=salvage)
        return journal.system, journal, journal.notes
    if start == b"\x89HDF\r\n\x1a\n":
        from .netcdf.reader import NetcdfStore

        store = NetcdfStore(path)
        return store.system, store, store.meta
    if start.startswith(b"PK\x03\x04"):
        from .exports import read_npz

        return read_npz(path)
    suffix = os.path.splitext(path)[1].lower()
    if suffix in WRITERS and suffix not in LOADABLE:
        raise ResultError(
            f"{path} is an export without the mechanism and cannot be loaded; "
            "save runs as .nc or .npz to load them again"
        )
    raise ResultError(
        f"{path} is {'not a results file of lissom' if start else 'empty'}; give a .nc, "
        ".nc.part or .npz file written by lissom"
    )


def _first_bytes(path: str) -> bytes:
    try:
        with open_regular(path) as file:
            return file.read(8)
    except FileNotFoundError:
        name, part = journal_path(path)
        other = name if path.endswith(".part") else part
        hint = "correct the path"
        if os.path.exists(other):
            why = "its run has finished" if path.endswith(".part") else "its run has not finished"
            hint = f"but there is {other} ({why}): load that"
        raise ResultError(f"cannot read {path}: there is no such file; {hint}") from None
    except OSError as error:
        raise ResultError.of(error, path, "read") from None
