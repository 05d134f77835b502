"""Results as .npz, which can be opened again, and as .csv and .mat for other programs."""

from __future__ import annotations

import csv
import json
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import ResultError
from ..joints import CompoundJoint, Joint, SimpleJoint
from ..system import System
from .described import FORMAT_VERSION, describe, lissom_version, restore
from .files import PathLike, check_version, json_text, replacing
from .store import FIELDS, Columns, MemoryStore, Store

__all__ = ["SIX", "blocks", "labels", "read_npz", "write_csv", "write_mat", "write_npz"]

Array = np.ndarray

SIX = tuple(
    (f"{part} {x}", unit) for part, unit in (("moment", "N m"), ("force", "N")) for x in "xyz"
)

_BLOCK = 1 << 22  # bytes of rows that are held at once
_TEXTS = ("description", "wrenches", "meta")  # JSON
_MAT_LIMIT = 2**31 - 1024  # bytes of one variable

_TURN, _SLIDE, _NONE = "rad", "m", "1"
_BALL = [(f"quaternion {x}", _NONE) for x in "wxyz"]
_SPIN = [(f"omega {x}", _TURN) for x in "xyz"]
_COORDINATES = {
    "Fixed": [],
    "Revolute": [("angle", _TURN)],
    "Prismatic": [("slide", _SLIDE)],
    "Screw": [("angle", _TURN)],
    "Cylindrical": [("angle", _TURN), ("slide", _SLIDE)],
    "Universal": [("angle 1", _TURN), ("angle 2", _TURN)],
    "Spherical": _BALL,
    "Planar": [("x", _SLIDE), ("y", _SLIDE), ("angle", _TURN)],
    "Free": [*_BALL, *((f"position {x}", _SLIDE) for x in "xyz")],
}
_SPEEDS = {"Spherical": _SPIN, "Free": [*_SPIN, *((f"velocity {x}", _SLIDE) for x in "xyz")]}
_TORQUE = [(f"moment {x}", _TURN) for x in "xyz"]
_FORCES = {"Spherical": _TORQUE, "Free": [*_TORQUE, *((f"force {x}", _SLIDE) for x in "xyz")]}
# Modes have unit mass: half the square of a modal rate is an energy.
_UNITS = {
    "q": {_TURN: "rad", _SLIDE: "m", _NONE: "1", "mode": "kg^0.5 m"},
    "v": {_TURN: "rad/s", _SLIDE: "m/s", "mode": "kg^0.5 m/s"},
    "acceleration": {_TURN: "rad/s^2", _SLIDE: "m/s^2", "mode": "kg^0.5 m/s^2"},
    "force": {_TURN: "N m", _SLIDE: "N", "mode": "kg^0.5 m/s^2"},
}


def labels(system: System, columns: Columns, field: str) -> list[tuple[str, str]]:
    """Name and unit of every number of a field, such as ("upper.modes[0]", "kg^0.5 m").

    Parameters
    ----------
    system : System
        What was simulated.
    columns : Columns
        What a row holds.
    field : str
        One of `FIELDS`.
    """
    if field == "time":
        return [("time", "s")]
    if field == "wrench":
        return [(f"{load} {x}", unit) for load in columns.wrenches for x, unit in SIX]
    special = {"q": {}, "force": _FORCES}.get(field, _SPEEDS)
    rates = special is _SPEEDS
    units, modes, end = _UNITS[field], "mode_rates" if rates else "modes", " rate" if rates else ""
    result = []
    for name, body, joint in zip(system.names, system.bodies, system.joints, strict=True):
        result += [(f"{name}.{modes}[{k}]", units["mode"]) for k in range(body.n_mode)]
        words = special.get(type(joint).__name__)
        if words is None:
            words = [(word + end, motion) for word, motion in _joint_words(joint)]
        result += [(f"{name} {word}", units[motion]) for word, motion in words]
    return result


def _joint_words(joint: Joint) -> list[tuple[str, str]]:
    """Coordinates of a joint: word and kind of motion."""
    if not isinstance(joint, (SimpleJoint, CompoundJoint)):
        return _COORDINATES[type(joint).__name__]
    parts = joint.parts if isinstance(joint, CompoundJoint) else (joint,)
    columns = np.concatenate([part.columns for part in parts], axis=1)
    turns = np.any(columns[:3] != 0, axis=0)
    return [(f"coordinate {k}", _TURN if turn else _SLIDE) for k, turn in enumerate(turns)]


def blocks(store: Store) -> Iterator[tuple[int, int]]:
    """First row and end of pieces of a store that are small enough to hold.

    Parameters
    ----------
    store : Store
        The rows.
    """
    step = max(1, _BLOCK // (8 * store.columns.width))
    for start in range(0, len(store), step):
        yield start, min(len(store), start + step)


def _shape(store: Store, field: str) -> tuple[int, ...]:
    """Shape of a field in a file: loads have an axis of their own."""
    if field == "time":
        return (len(store),)
    if field == "wrench":
        return len(store), len(store.columns.wrenches), 6
    piece = store.columns.slices[field]
    return len(store), piece.stop - piece.start


def write_npz(path: PathLike, system: System, store: Store, meta: dict[str, Any]) -> None:
    """Write everything to a file of NumPy; parameters as in `files.save`.

    Parameters
    ----------
    path, system, store, meta
        As in `save`.
    """
    description, arrays = describe(system)
    texts = map(json_text, (description, store.columns.wrenches, meta))
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for field in FIELDS:
            with archive.open(f"{field}.npy", "w", force_zip64=True) as file:
                header = {"descr": "<f8", "fortran_order": False, "shape": _shape(store, field)}
                np.lib.format.write_array_header_1_0(file, header)
                for start, stop in blocks(store):
                    file.write(store.read(field, start, stop).astype("<f8", order="C").tobytes())
        small: dict[str, Any] = {
            "format_version": np.array(FORMAT_VERSION),
            "lissom_version": np.array(lissom_version()),
            **{name: np.array(text) for name, text in zip(_TEXTS, texts, strict=True)},
            **{f"{f}_names": np.array(_names(system, store, f), dtype=str) for f in ("q", "v")},
            **{f"system.{name}": array for name, array in arrays.items()},
        }
        for name, array in small.items():
            with archive.open(f"{name}.npy", "w") as file:
                np.lib.format.write_array(file, array, allow_pickle=False)


def _names(system: System, store: Store, field: str) -> list[str]:
    return [name for name, _ in labels(system, store.columns, field)]


def read_npz(path: PathLike) -> tuple[System, MemoryStore, dict[str, Any]]:
    """System, rows and notes of a file that `write_npz` wrote.

    Parameters
    ----------
    path : path
        The file.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            if "format_version" not in file or "lissom_version" not in file:
                raise ResultError(
                    f"{path} is not a file of results of lissom; give a file that lissom wrote"
                )
            check_version(path, file["format_version"])
            arrays = {n[7:]: file[n] for n in file.files if n.startswith("system.")}
            description, wrenches, meta = (json.loads(str(file[name])) for name in _TEXTS)
            system = restore(description, arrays, source=path)
            columns = Columns(system.n_q, system.n_v, tuple(wrenches))
            rows = np.empty((len(file["time"]), columns.width))
            for field, piece in columns.slices.items():
                rows[:, piece] = file[field].reshape(len(rows), piece.stop - piece.start)
            return system, MemoryStore(columns, rows), meta
    except ResultError:
        raise
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ResultError(
            f"{path} is cut off or damaged ({error}); copy it again or save it again"
        ) from None


def write_csv(path: PathLike, system: System, store: Store, meta: dict[str, Any]) -> None:
    """Write the rows as text: a line of names with units, then numbers that read back exactly.

    Parameters
    ----------
    path, system, store, meta
        As in `save`; the notes have no place in this format.
    """
    with replacing(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerow(_headings(system, store.columns))
        for start, stop in blocks(store):
            parts = [store.read(field, start, stop) for field in FIELDS]
            rows = np.column_stack(parts)
            file.writelines(",".join(map(repr, row)) + "\n" for row in rows.tolist())


def _headings(system: System, columns: Columns) -> list[str]:
    result = []
    for field in FIELDS:
        before = "" if field == "time" else f"{field} "
        result += [f"{before}{x} [{unit}]" for x, unit in labels(system, columns, field)]
    return [" ".join(heading.split()) for heading in result]


def write_mat(path: PathLike, system: System, store: Store, meta: dict[str, Any]) -> None:
    """Write the rows for MATLAB: variables time, q, v, acceleration, force, wrench, names, meta.

    Parameters
    ----------
    path, system, store, meta
        As in `save`.
    """
    import scipy.io

    if 8 * len(store) * store.columns.width > _MAT_LIMIT:
        raise ResultError(
            f"cannot write {path}: files .mat hold at most 2 GB; save as .nc, which MATLAB reads "
            "with ncread"
        )
    words = {"coordinate": "q", "speed": "v"}
    names = {key: np.array(_names(system, store, f), dtype=object) for key, f in words.items()}
    names["load"] = np.array(store.columns.wrenches, dtype=object)
    names["six"] = np.array([name for name, _ in SIX], dtype=object)
    content: dict[str, Any] = {
        field: store.read(field).reshape(_shape(store, field)) for field in FIELDS
    }
    content |= {"names": names, "meta": json_text(meta)}
    with replacing(path) as temporary:
        scipy.io.savemat(temporary, content, appendmat=False, oned_as="column")
