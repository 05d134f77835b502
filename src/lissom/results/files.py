"""Saving and opening results by the suffix of the file, and what all files have in common."""

from __future__ import annotations

import errno
import json
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from ..errors import ResultError
from ..system import System
from .described import FORMAT_VERSION
from .store import Store

__all__ = [
    "PathLike",
    "check_version",
    "flush_folder",
    "json_text",
    "open_results",
    "pack",
    "replacing",
    "save",
    "unpack",
]

Array = np.ndarray
PathLike = str | os.PathLike[str]

_LAYOUT = struct.Struct("<Q")  # length of the text before packed arrays
_EXPORTS = (".csv", ".mat")
_KNOWN = (".nc", ".npz", *_EXPORTS)


def save(path: PathLike, system: System, store: Store, meta: dict[str, Any]) -> None:
    """Write results to a file; one that exists is replaced when the new one is complete.

    Parameters
    ----------
    path : path
        The suffix chooses the format: .nc and .npz hold everything and can be opened again, .csv
        and .mat are exports.
    system : System
        What was simulated.
    store : Store
        The rows.
    meta : dict
        Notes about the run that JSON can hold.
    """
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in _KNOWN:
        raise ResultError(
            f"cannot save {path}: the suffix {suffix!r} names no known format; use one of "
            f"{', '.join(_KNOWN)}"
        )
    if suffix == ".nc":
        from .netcdf import write_netcdf

        write_netcdf(path, system, store, meta)
    else:
        from . import exports

        write = {".npz": exports.write_npz, ".csv": exports.write_csv, ".mat": exports.write_mat}
        write[suffix](path, system, store, meta)


def open_results(path: PathLike, *, salvage: bool = False) -> tuple[System, Store, dict[str, Any]]:
    """System, rows and notes of a file of results.

    Parameters
    ----------
    path : path
        A file .nc or .npz, or the journal .nc.part of a run that is not finished.
    salvage : bool
        Whether to read what comes before a damaged record of a journal.

    Returns
    -------
    system : System
        What was simulated.
    store : Store
        The rows; those of .nc and .nc.part stay in the file.
    meta : dict
        Notes about the run.  Those of a journal have the status "unfinished" unless they say
        otherwise.
    """
    from .journal import MAGIC, JournalStore

    start = _first_bytes(path)
    if start and start == MAGIC[: len(start)]:
        journal = JournalStore(path, salvage=salvage)
        return journal.system, journal, {"status": "unfinished", **journal.meta}
    if start == b"\x89HDF\r\n\x1a\n":
        from .netcdf import NetcdfStore

        store = NetcdfStore(path)
        return store.system, store, store.meta
    if start.startswith(b"PK\x03\x04"):
        from .exports import read_npz

        return read_npz(path)
    if os.path.splitext(path)[1].lower() in _EXPORTS:
        raise ResultError(
            f"{path} is an export and does not hold the mechanism, so it cannot be opened here; "
            "save runs as .nc or .npz to open them again"
        )
    raise ResultError(
        f"{path} is {'not a file of results of lissom' if start else 'empty'}; give a file .nc, "
        ".nc.part or .npz that lissom wrote"
    )


def _first_bytes(path: PathLike) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(8)
    except FileNotFoundError:
        name = os.fspath(path)
        other = name.removesuffix(".part") if name.endswith(".part") else name + ".part"
        hint = "correct the path"
        if os.path.exists(other):
            why = "its run has finished" if name.endswith(".part") else "its run has not finished"
            hint = f"but there is {other} ({why}): open that"
        raise ResultError(f"cannot read {path}: there is no such file; {hint}") from None
    except OSError as error:
        raise ResultError.of(error, path, "read") from None


def check_version(path: PathLike, version: Any) -> None:
    """Refuse a file that a later version of lissom wrote.

    Parameters
    ----------
    path : path
        The file, for the message.
    version : int
        Format version that it states.
    """
    if int(version) > FORMAT_VERSION:
        raise ResultError(
            f"{path} has format version {int(version)}, and this lissom reads versions up to "
            f"{FORMAT_VERSION}; update lissom"
        )


@contextmanager
def replacing(path: PathLike) -> Iterator[str]:
    """Name of a new file beside `path` that takes its place when everything went well.

    Parameters
    ----------
    path : path
        File to be written.
    """
    final = os.path.abspath(path)
    folder, name = os.path.split(final)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}.tmp")
    try:
        if os.path.isdir(final):
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
        with open(temporary, "wb"):
            pass  # HDF5 would report a folder that cannot be written in words of its own
        yield temporary
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, final)
        flush_folder(final)
    except ResultError:
        raise
    except (OSError, RuntimeError) as error:  # RuntimeError: some of HDF5's
        raise ResultError.of(error, path, "write") from None
    finally:
        with suppress(OSError):
            os.unlink(temporary)


def flush_folder(path: PathLike) -> None:
    """Bring the name of a new file to the disk, where the system can do so.

    Parameters
    ----------
    path : path
        The file.
    """
    with suppress(OSError):
        folder = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def json_text(value: Any) -> str:
    """JSON in plain ASCII; NumPy's numbers and arrays become numbers and lists.

    Parameters
    ----------
    value
        Dictionaries, lists, numbers, texts.
    """

    def plain(x: Any) -> Any:
        if isinstance(x, (np.generic, np.ndarray)):
            return x.tolist()
        raise TypeError(f"{type(x).__name__} has no place in a file of results: {x!r}")

    return json.dumps(value, default=plain)


def pack(text: dict[str, Any], arrays: dict[str, Array]) -> bytes:
    """Dictionary and arrays as bytes, numbers little-endian.

    Parameters
    ----------
    text : dict
        What JSON can hold.
    arrays : dict of arrays
        Numbers.
    """
    stored = {name: np.asarray(array) for name, array in arrays.items()}
    stored = {name: a.astype(a.dtype.newbyteorder("<"), order="C") for name, a in stored.items()}
    if wrong := [name for name, a in stored.items() if a.dtype.kind not in "biufc"]:
        raise TypeError(f"array {wrong[0]!r} holds no numbers")
    table = [[name, a.dtype.str, a.shape] for name, a in stored.items()]
    head = json_text({"text": text, "arrays": table}).encode("ascii")
    return b"".join([_LAYOUT.pack(len(head)), head, *(a.tobytes() for a in stored.values())])


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, Array]]:
    """What `pack` made bytes of; ValueError where they are not whole.

    Parameters
    ----------
    data : bytes
        As `pack` gave them.
    """
    try:
        (length,) = _LAYOUT.unpack_from(data)
        at = _LAYOUT.size + length
        head = json.loads(data[_LAYOUT.size : at])
        arrays = {}
        for name, kind, shape in head["arrays"]:
            dtype = np.dtype(kind)
            if dtype.kind not in "biufc":
                raise ValueError(f"array {name!r} holds no numbers")
            size = int(np.prod(shape, dtype=int)) * dtype.itemsize
            arrays[name] = np.frombuffer(data[at : at + size], dtype).reshape(shape).copy()
            at += size
        return head["text"], arrays
    except (struct.error, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"not packed text and arrays: {error}") from None
