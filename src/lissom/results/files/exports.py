"""Results as .npz, which can be loaded again, and as .csv and .mat for other programs."""

from __future__ import annotations

import csv
import os
import zipfile
import zlib
from typing import Any

import numpy as np

from ...errors import ResultError
from ...records.packed import json_text
from ...records.system import (
    CONTENT,
    TEXTS,
    group_digest,
    packed_content,
    restore,
    unpacked_content,
)
from ...system import System
from ..labels import LOAD, field_parts
from ..store import Columns, MemoryStore, Store, blocks
from .disk import PathLike, replacing
from .seal import damaged, read_seal, seal
from .shield import give_way, shielded
from .versions import FORMAT_VERSION, check_version, lissom_version

_MAT_LIMIT = 2**31 - 1024  # bytes of one variable


def _shape(store: Store, field: str) -> tuple[int, ...]:
    """Shape of a field in a file: loads and loops have a separate axis."""
    if field == "time":
        return (len(store),)
    if field in ("wrench", "loop_force"):
        columns = store.columns
        return len(store), len(columns.wrenches) if field == "wrench" else columns.n_loop, 6
    piece = store.columns.slices[field]
    return len(store), piece.stop - piece.start


def write_npz(path: PathLike, system: System, store: Store, meta: dict[str, Any]) -> None:
    """Write everything to a NumPy archive that can be loaded again."""
    content = packed_content(system, store.columns.names, meta)
    with replacing(path) as temporary:
        with zipfile.ZipFile(temporary, "w") as archive:
            _write_members(archive, system, store, content)
        seal(temporary, zipped=True)


def _write_members(
    archive: zipfile.ZipFile, system: System, store: Store, content: np.ndarray
) -> None:
    for field in store.columns.fields:
        with archive.open(f"{field}.npy", "w", force_zip64=True) as file:
            header = {"descr": "<f8", "fortran_order": False, "shape": _shape(store, field)}
            np.lib.format.write_array_header_1_0(file, header)
            for start, stop in blocks(store):
                give_way()
                file.write(store.read(field, start, stop).astype("<f8", order="C").tobytes())
    small: dict[str, Any] = {
        "format_version": np.array(FORMAT_VERSION),
        "lissom_version": np.array(lissom_version()),
        "group_digest": np.array(group_digest({CONTENT: content})),
        CONTENT: content,
        **{f"{f}_names": np.array(_names(system, store, f), dtype=str) for f in ("q", "v")},
    }
    for name, array in small.items():
        with archive.open(f"{name}.npy", "w") as file:
            np.lib.format.write_array(file, array, allow_pickle=False)


def _names(system: System, store: Store, field: str) -> list[str]:
    return [name for name, _ in field_parts(system, store.columns, field)]


def read_npz(path: PathLike) -> tuple[System, MemoryStore, dict[str, Any]]:
    """System, rows and notes from a file written by `write_npz`."""
    with shielded():
        try:
            with open(path, "rb") as file:
                if (file_seal := read_seal(file)) is not None:
                    file_seal.check(file)
                elif file.seek(-22, os.SEEK_END) and file.read(4) != b"PK\x05\x06":
                    raise ValueError("its end is missing")
            return _read_members(path)
        except ResultError:
            raise
        except _FAILURES as error:
            raise damaged(path, error) from None


_FAILURES = (
    *(OSError, ValueError, KeyError, EOFError, TypeError, MemoryError, zipfile.BadZipFile),
    *(zlib.error, RuntimeError),  # RuntimeError: unknown kinds of archives
)


def _read_members(path: PathLike) -> tuple[System, MemoryStore, dict[str, Any]]:
    with np.load(path, allow_pickle=False) as file:
        if "format_version" not in file or "lissom_version" not in file:
            raise ResultError(
                f"{path} is not a results file of lissom; give a file written by lissom"
            )
        check_version(path, file["format_version"])
        (words, names, meta), arrays = unpacked_content(_content(file))
        system = restore(words, arrays, source=path)
        columns = Columns.named(system, names)
        rows = np.empty((len(file["time"]), columns.width))
        for field, piece in columns.slices.items():
            rows[:, piece] = file[field].reshape(len(rows), piece.stop - piece.start)
        return system, MemoryStore(columns, rows), meta


def _content(file: Any) -> dict[str, np.ndarray]:
    """Variables that hold all but the rows, compared with their checksum."""
    if CONTENT in file:
        stored = {CONTENT: file[CONTENT]}
    else:  # before format 11
        stored = {n[7:]: file[n] for n in file.files if n.startswith("system.")}
        stored |= {x: np.frombuffer(str(file[x]).encode("ascii"), "S1") for x in TEXTS}
    # earlier versions did not write one
    if "group_digest" in file and group_digest(stored) != str(file["group_digest"]):
        raise ValueError("the checksum of the system does not match")
    return stored


def write_csv(path: PathLike, system: System, store: Store, meta: dict[str, Any]) -> None:
    """Write the rows as text: a line of names with units, then numbers in full precision."""
    with replacing(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerow(_headings(system, store.columns))
        for start, stop in blocks(store):
            give_way()
            parts = [store.read(field, start, stop) for field in store.columns.fields]
            rows = np.column_stack(parts)
            file.writelines(",".join(map(repr, row)) + "\n" for row in rows.tolist())


def _headings(system: System, columns: Columns) -> list[str]:
    result = []
    for field in columns.fields:
        before = "" if field == "time" else f"{field} "
        result += [f"{before}{x} [{unit}]" for x, unit in field_parts(system, columns, field)]
    return [" ".join(heading.split()) for heading in result]


def write_mat(path: PathLike, system: System, store: Store, meta: dict[str, Any]) -> None:
    """Write the rows for MATLAB: variables time, q, v, acceleration, force, wrench, names, meta.

    With loops there are also loop_force and names.loop, with couplings coupling_force and
    names.coupling, with servos servo and names.servo, with rotors on bodies wheel and names.wheel,
    with contacts contact and names.contact, with loads on joints of loops loop_load and
    names.loop_speed.
    """
    import scipy.io

    if 8 * len(store) * store.columns.width > _MAT_LIMIT:
        raise ResultError(
            f"cannot write {path}: .mat files hold at most 2 GB; save as .nc, which MATLAB reads "
            "with ncread"
        )
    words = {"coordinate": "q", "speed": "v"}
    names = {key: np.array(_names(system, store, f), dtype=object) for key, f in words.items()}
    names["load"] = np.array(store.columns.wrenches, dtype=object)
    if system.loops:
        names["loop"] = np.array([loop.name for loop in system.loops], dtype=object)
    if store.columns.servos:
        names["servo"] = np.array(_names(system, store, "servo"), dtype=object)
    if store.columns.wheels:
        names["wheel"] = np.array(_names(system, store, "wheel"), dtype=object)
    if store.columns.contacts:
        names["contact"] = np.array(_names(system, store, "contact"), dtype=object)
    if store.columns.loaded:
        names["loop_speed"] = np.array(_names(system, store, "loop_load"), dtype=object)
    if system.couplings:
        names["coupling"] = np.array([one.name for one in system.couplings], dtype=object)
    names["six"] = np.array([name for name, _ in LOAD], dtype=object)
    with replacing(path) as temporary:
        content: dict[str, Any] = {
            field: store.read(field).reshape(_shape(store, field)) for field in store.columns.fields
        }
        content |= {"names": names, "meta": json_text(meta)}
        scipy.io.savemat(temporary, content, appendmat=False, oned_as="column")
