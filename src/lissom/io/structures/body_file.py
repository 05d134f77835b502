"""Flexible bodies as NetCDF-4 files, see docs/body_files.md for the layout.

The HDF5 library trusts its input: a damaged file can crash the interpreter.  Files written here end
with checksums (`results.files.seal`), which are verified first; files of other writers are first
read by a separate process.
"""

from __future__ import annotations

import dataclasses
import io
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...bodies import FlexibleBody, SecondOrder
from ...bodies.balance import Balance
from ...bodies.line import NodeLine
from ...bodies.recovery import Recovery, Stations, StressPoints
from ...bodies.solids import Solid, solid_fields
from ...errors import ModelError, ModelFileError, ModelWarning, ResultError
from ...immutable import array_of, declared_arrays
from ...records.codec import LENGTHS, misfit
from ...records.legacy import FlatArrays, restored_solids
from ...results.files.disk import as_path, open_regular, replacing
from ...results.files.netcdf.check import check_start
from ...results.files.seal import read_seal, seal
from ...results.files.shield import shielded
from ...structures import Circle, ISection, Rectangle, Section, Tube

Array = np.ndarray

FORMAT, VERSION = "lissom body", 1
_MAGIC = b"\x89HDF\r\n\x1a\n"
_MOST = 1 << 30  # bytes
_PATIENCE = 60.0  # [s] for a separate process
_SECTIONS: dict[str, type[Section]] = {
    kind.__name__: kind for kind in (Circle, ISection, Rectangle, Tube)
}


# Variables of each group
_BODY = {
    "positions": array_of("m", "node", "axis"),
    "masses": array_of("kg", "node"),
    "shapes": array_of("1", "node", "six", "mode"),
    "stiffness": array_of("1", "mode", "other_mode"),
    "damping": array_of("1"),
    "node_inertias": array_of("kg m2", "node", "axis", "other_axis"),
    "node_offsets": array_of("m", "node", "axis"),
    "solid_numbers": array_of("1", "solid_number"),
    "contact_nodes": array_of("1", "contact", whole=True),
    "residual_compliance": array_of("m/N", "contact_row", "contact_column"),
}
_SECOND = declared_arrays(SecondOrder, but=["node_shapes"]) | {
    "nodes": array_of("1", "second_node", whole=True),
    "node_shapes": array_of("1", "second_node", "six", "mode", "other_mode"),
}
_POINTS = declared_arrays(StressPoints)
_BALANCE = {
    "loaded_nodes": array_of("1", "loaded_node", whole=True),
    **declared_arrays(Balance, but=["nodes"]),
}
_STATIONS = declared_arrays(Stations) | {"section": array_of("1", "station", whole=True)} | _BALANCE
_LINE = {"sizes": array_of("1", "size", whole=True), **declared_arrays(NodeLine)}
_OPTIONAL = {*_BODY, "elasticity", *_BALANCE} - {"positions", "masses"}


def save_body(body: FlexibleBody, path: str | os.PathLike[str]) -> None:
    """Write a body; see `FlexibleBody.save`."""
    import h5netcdf

    if not body.is_numeric:
        raise ModelFileError(f"{path}: a body with symbols cannot be written; give numbers first")
    words, groups = _content(body)
    try:
        with replacing(as_path(path)) as draft:
            content = io.BytesIO()
            with h5netcdf.File(content, "w") as file:
                for name, value in words.items():
                    file.attrs[name] = value
                for key, (table, arrays, texts) in groups.items():
                    group = file if not key else file.create_group(key)
                    _write(group, table, arrays)
                    for name, text in texts.items():
                        group.attrs[name] = text
            with open(draft, "wb") as target:
                target.write(content.getbuffer())
            seal(draft)
    except ResultError as error:
        raise ModelFileError(str(error)) from None
    except OSError as error:
        raise ModelFileError(str(ResultError.of(error, path, "write"))) from None


def load_body(path: str | os.PathLike[str]) -> FlexibleBody:
    """Flexible body from a NetCDF-4 file of `FlexibleBody.save` or of another program.

    Parameters
    ----------
    path : path
        File with the layout of the page "Body files".

    Returns
    -------
    FlexibleBody
        Bit for bit the one that was saved, without its source.

    Raises
    ------
    ModelFileError
        If the file cannot be read, is damaged, or is no body.
    """
    try:
        name = as_path(path)
        _check_bytes(name)
    except ResultError as error:
        raise ModelFileError(str(error)) from None
    except OSError as error:
        raise ModelFileError(str(ResultError.of(error, path, "read"))) from None
    return _loaded(name)


def _content(body: FlexibleBody) -> tuple[dict[str, Any], dict[str, Any]]:
    """Attributes of the file; arrays and texts of its groups."""
    solids, numbers = _described_solids(body.solids)
    words: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "level": body.level,
        "inboard": int(body.inboard),
        "names": json.dumps(dict(body.names)),
        "solids": json.dumps(solids),
    }
    of_solids = np.concatenate([np.zeros(0), *(np.ravel(x).astype(float) for x in numbers)])
    groups: dict[str, Any] = {"": (_BODY, _values(body, _BODY, solid_numbers=of_solids), {})}
    if body.level == "stiffened":
        second = body.constants_of_second_order
        nodes, shapes = list(second.node_shapes), np.stack(list(second.node_shapes.values()))
        values = _values(second, _SECOND, nodes=nodes, node_shapes=shapes)
        groups["second_order"] = (_SECOND, values, {})
    if (line := body.line) is not None:
        sizes = line.nodes, line.pieces, line.stations
        groups["line"] = (_LINE, _values(line, _LINE, sizes=sizes), {})
    recovery = body.recovery or Recovery()
    if (points := recovery.points) is not None:
        labels = {"labels": json.dumps(list(points.labels))}
        groups["stress_points"] = (_POINTS, _values(points, _POINTS), labels)
    if recovery.stations is not None:
        groups |= _stations(recovery.stations)
    return words, groups


def _values(record: Any, table: Any, **others: Any) -> dict[str, Array]:
    """Arrays of a record that it has."""
    values = {name: getattr(record, name, None) for name in table} | others
    return {name: np.asarray(value) for name, value in values.items() if value is not None}


def _described_solids(solids: Sequence[Solid]) -> tuple[list[dict[str, Any]], list[Any]]:
    """Kind, color and numbers of rows of each solid; numbers of all solids."""
    words: list[dict[str, Any]] = []
    numbers: list[Any] = []
    for solid in solids:
        table = solid_fields(type(solid))
        rows = {}
        for name, (shape, *_) in table.items():
            if shape and shape[0] < 0:
                counts = list(np.shape(getattr(solid, name)))
                counts = counts[: len(counts) - len(shape) + 1]
                rows[name] = counts[0] if len(counts) == 1 else counts
        words.append({"kind": solid.name, "color": solid.color, "rows": rows})
        numbers += [solid.at, solid.rotation, *(getattr(solid, name) for name in table)]
    return words, numbers


def _stations(stations: Stations) -> dict[str, Any]:
    """Group of the stations; none if their sections are of kinds that files do not know."""
    unknown = {type(x).__name__ for x in stations.sections if type(x).__name__ not in _SECTIONS}
    if unknown:
        warnings.warn(
            f"sections of type {', '.join(sorted(unknown))} cannot be written to files; the file "
            f"has no section loads: use {', '.join(_SECTIONS)}",
            ModelWarning,
            stacklevel=5,
        )
        return {}
    every: dict[int, Section] = {id(x): x for x in stations.sections}
    order = {key: k for k, key in enumerate(every)}
    tables = [{"kind": type(x).__name__, **dataclasses.asdict(x)} for x in every.values()]  # type: ignore[call-overload]
    arrays = _values(stations, _STATIONS, section=[order[id(x)] for x in stations.sections])
    if (balance := stations.balance) is not None:
        arrays |= _values(balance, _BALANCE, loaded_nodes=balance.nodes)
    return {"stations": (_STATIONS, arrays, {"sections": json.dumps(tables)})}


def _write(group: Any, table: Any, arrays: dict[str, Any]) -> None:
    for name, array in arrays.items():
        dimensions = table[name]["dimensions"]
        if name == "damping":
            dimensions = ("mode", "other_mode")[: array.ndim]
        if not array.size:
            continue  # a dimension of length 0 would be unlimited
        for dimension, size in zip(dimensions, array.shape, strict=True):
            if dimension not in group.dimensions:
                group.dimensions[dimension] = size
        kind = "<i8" if array.dtype.kind in "iu" else "<f8"
        variable = group.create_variable(name, dimensions, kind, data=array)
        variable.attrs["units"] = table[name]["unit"]


def _check_bytes(path: str) -> None:
    """Verify a file before the HDF5 library sees it."""
    with open_regular(path) as file:
        start = file.read(8)
        size = file.seek(0, os.SEEK_END)
        if start != _MAGIC:
            what = "is empty" if not size else "is not a NetCDF-4 file"
            raise ModelFileError(f"{path} {what}; give a file written by FlexibleBody.save")
        if size > _MOST:
            raise ModelFileError(f"{path} has {size / 1e9:.3g} GB; bodies have at most 1 GB")
        try:
            stored_seal = read_seal(file)
            if stored_seal is not None:
                stored_seal.check(file)
                return
        except ValueError as error:
            raise _damaged(path, str(error)) from None
    try:
        check_start(path)
    except ResultError as error:
        raise ModelFileError(str(error)) from None
    _read_in_subprocess(path)


def _damaged(path: str, reason: str) -> ModelFileError:
    words = " ".join(reason.split())[:200]
    return ModelFileError(f"{path} is truncated or damaged ({words}); copy it or save it again")


_PROGRAM = """
import sys, h5py
def read(name, x):
    if isinstance(x, h5py.Dataset):
        x[()]
with h5py.File(sys.argv[1], "r") as file:
    file.visititems(read)
"""


def _read_in_subprocess(path: str) -> None:
    """Read all of a file without checksums in another process."""
    if not sys.executable or hasattr(sys, "frozen"):  # Python embedded in another program
        return
    import h5py

    packages = {os.path.dirname(os.path.dirname(str(x.__file__))) for x in (h5py, np)}
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", _PROGRAM, path],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(packages)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_PATIENCE,
        )
    except subprocess.TimeoutExpired:
        raise _damaged(path, "the HDF5 library does not finish reading it") from None
    if done.returncode:
        raise _damaged(path, "the HDF5 library fails to read it")


def _loaded(path: str) -> FlexibleBody:
    import h5py

    failures = (OSError, RuntimeError, LookupError, ValueError, TypeError, AttributeError)
    try:
        with shielded(), h5py.File(path, "r") as file:
            kind = _text(file.attrs.get("format", ""))
            if kind != FORMAT:
                raise ModelFileError(
                    f"{path} is NetCDF, but no body (its attribute format is {kind!r}, not "
                    f"{FORMAT!r}); give a file written by FlexibleBody.save"
                )
            version = _whole(file, "version")
            if not 1 <= version <= VERSION:
                raise ModelFileError(
                    f"{path} has version {version} of the layout; this lissom reads up to "
                    f"{VERSION}: update lissom"
                )
            return _read_body(path, file)
    except ModelFileError:
        raise
    except ModelError as error:
        raise ModelFileError(f"{path}: {error}") from None
    except failures as error:
        raise ModelFileError(f"{path}: its content is not that of a body ({error})") from None


def _read_body(path: str, file: Any) -> FlexibleBody:
    arrays: dict[str, Any] = _read(path, file, _BODY)
    n = len(arrays["positions"])
    arrays.setdefault("shapes", np.zeros((n, 6, 0)))
    arrays.setdefault("stiffness", np.zeros((0, 0)))
    flat = FlatArrays({"solid_numbers": arrays.pop("solid_numbers", ())})
    solids = json.loads(_text(file.attrs.get("solids", "[]")))
    names = json.loads(_text(file.attrs.get("names", "{}")))
    points = stations = second = line = None
    if "line" in file:
        values = _read(path, file["line"], _LINE)
        nodes, pieces, count = values["sizes"].tolist()
        line = NodeLine(nodes, pieces, count, values["places"], values["factors"])
    if "second_order" in file:
        values = _read(path, file["second_order"], _SECOND)
        nodes = values.pop("nodes").astype(int).tolist()
        shapes = values.pop("node_shapes")
        second = SecondOrder(**values, node_shapes=dict(zip(nodes, shapes, strict=True)))
    if "stress_points" in file:
        group = file["stress_points"]
        labels = tuple(json.loads(_text(group.attrs.get("labels", "[]"))))
        values = _read(path, group, _POINTS)
        points = StressPoints(**values, labels=labels)
    if "stations" in file:
        stations = _read_stations(path, file["stations"])
    recovery = None if points is None and stations is None else Recovery(points, stations)
    return FlexibleBody(
        **arrays,
        inboard=_whole(file, "inboard"),
        names=names,
        level=_text(file.attrs.get("level", "full")),
        solids=restored_solids(solids, flat),
        second_order=second,
        recovery=recovery,
        line=line,
    )


def _read_stations(path: str, group: Any) -> Stations:
    values = _read(path, group, _STATIONS)
    tables = json.loads(_text(group.attrs["sections"]))
    every = [_SECTIONS[x.pop("kind")](**x) for x in tables]
    sections = tuple(every[int(k)] for k in values.pop("section"))
    tables = [values.pop(x) for x in _BALANCE if x in values]
    if tables and (len(tables) < 3 or tables[2].shape[2] != 4 + 3 * values["loads"].shape[2]):
        raise ModelFileError(
            f"{path}: the stations need all of {', '.join(_BALANCE)} or none, and inertia has "
            "4 + 3 mode entries along field"
        )
    return Stations(**values, sections=sections, balance=Balance(*tables) if tables else None)


def _read(path: str, group: Any, table: Any) -> dict[str, Array]:
    """Arrays of a group, of the number of dimensions that the layout says."""
    arrays: dict[str, Array] = {}
    lengths = dict(LENGTHS)
    for name, about in table.items():
        if name not in group:
            if name not in _OPTIONAL:
                raise ModelFileError(f"{path}: the variable {name!r} is missing")
            continue
        array = np.array(group[name][()])
        if array.dtype.kind not in "iuf":
            raise ModelFileError(f"{path}: the variable {name!r} does not contain numbers")
        free = ("mode", "other_mode")[: array.ndim]
        dimensions = free if name == "damping" else about["dimensions"]
        if reason := misfit(name, array, dimensions, lengths):
            raise ModelFileError(f"{path}: the variable {reason}")
        arrays[name] = array.astype(int if about["whole"] and array.dtype.kind != "f" else float)
    return arrays


def _whole(file: Any, name: str) -> int:
    """Attribute that is a whole number; 0 if it is missing."""
    return int(np.ravel(file.attrs.get(name, 0))[0])


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
