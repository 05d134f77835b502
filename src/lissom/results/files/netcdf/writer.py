"""Results as NetCDF-4, readable by xarray, MATLAB and many other programs."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterable
from typing import Any

import h5netcdf
import h5py
import numpy as np

from ....system import System
from ...description.packed import json_text
from ...description.stored import group_digest, system_arrays
from ...description.system import digest
from ...labels import LOAD, field_parts
from ...store import Columns, Store, blocks
from ..disk import PathLike, check_space, replacing
from ..seal import seal
from ..shield import give_way
from ..versions import lissom_version, version_for

Array = np.ndarray

# Dimensions, long name, units and description of the variables.
_VARIABLES: dict[str, tuple[tuple[str, ...], str, str, str]] = {
    "time": (("time",), "time", "s", "times of the rows"),
    "q": (
        ("time", "coordinate"),
        "coordinates",
        "see coordinate_unit",
        "coordinates of the system; for each body its modes, then its hinge",
    ),
    "v": (
        ("time", "speed"),
        "generalized speeds",
        "see speed_unit",
        "speeds of the system; not all are rates of coordinates",
    ),
    "acceleration": (
        ("time", "speed"),
        "rates of the generalized speeds",
        "speed_unit / s",
        "time derivatives of v",
    ),
    "force": (
        ("time", "speed"),
        "generalized forces",
        "see force_unit",
        "forces of actuators, springs and controllers on the speeds; power is v times force",
    ),
    "wrench": (
        ("time", "load", "six"),
        "spatial forces of loads",
        "N m for moments, N for forces",
        "moment, then force, at the node and in the axes of the node",
    ),
    "loop_force": (
        ("time", "loop", "six"),
        "spatial forces of loops",
        "N m for moments, N for forces",
        "moment, then force, on end b, at the origin and in the axes of its frame; opposite on a",
    ),
    "coupling_force": (
        ("time", "coupling"),
        "forces of couplings",
        "see coupling_unit",
        "each joint receives its ratio times this",
    ),
    "servo": (
        ("time", "servo_part"),
        "forces, errors and integrals of servos",
        "see servo_unit",
        "force at the joint, target minus coordinate, and the integral of that",
    ),
    "wheel": (
        ("time", "rotor"),
        "angular momenta of rotors on bodies",
        "N m s",
        "along its axis: inertia times speed, relative to the carrier or, if driven, in space",
    ),
    "loop_load": (
        ("time", "loop_speed"),
        "forces of loads on joints of loops",
        "see loop_speed_unit",
        "on end b along the motions of the joint, opposite on a; power is its speed times force",
    ),
}
_NAMES = {
    "coordinate": "coordinate_name",
    "speed": "speed_name",
    "load": "load_name",
    "loop": "loop_name",
    "coupling": "coupling_name",
    "servo_part": "servo_name",
    "rotor": "rotor_name",
    "loop_speed": "loop_speed_name",
    "six": "six_name",
}
_ATTRIBUTE_LIMIT = 60_000  # bytes; HDF5 stores no attribute above 64 kB


def write_netcdf(
    path: PathLike,
    system: System,
    store: Store,
    meta: dict[str, Any],
    *,
    compression: int = 0,
) -> None:
    """Write everything to a file, block by block.

    Parameters
    ----------
    path, system, store, meta
        As in `files.save`.
    compression : int
        0, or a level of zlib from 1 to 4.
    """
    if not 0 <= compression <= 4:
        raise ValueError(f"compression is {compression}; expected 0 to 4")
    check_space(path, 0 if compression else 8 * len(store) * store.columns.width)
    with replacing(path) as temporary:
        with _Output(temporary, "w+") as output:
            with h5netcdf.File(output, "w") as file:
                _write_attributes(file, system, store.columns, meta)
                _write_names(file, system, store)
                arrays = system_arrays(system, store.columns.names, meta)
                file.attrs["group_digest"] = group_digest(arrays)
                _write_system(file.create_group("system"), arrays)
                _write_rows(file, store, compression, output)
            output.check()
            with h5py.File(output, "r") as closed:
                places = row_places(closed, store.columns.fields)
                rows = [(at, at + closed[field].nbytes) for field, at in places.items()]
        seal(temporary, rows)


def row_places(file: h5py.File, fields: Iterable[str]) -> dict[str, int]:
    """Offset of the rows of each field in a file; only of fields stored contiguously.

    Parameters
    ----------
    file : h5py.File
        Open file.
    fields : iterable of str
        Names of variables.
    """
    found = {f: file[f].id.get_offset() for f in fields if f in file}
    return {field: place for field, place in found.items() if place is not None}


class _Output(io.FileIO):
    """File for the HDF5 library, which would crash if a write failed: errors are deferred."""

    failure: OSError | None = None

    def check(self) -> None:
        """Raise the deferred error, if any."""
        if self.failure is not None:
            raise self.failure

    def write(self, data: Any) -> int:
        """Write all data; after an error, ignore further writes."""
        rest = memoryview(data).cast("B")
        size = len(rest)
        while rest and self.failure is None:
            try:
                rest = rest[super().write(rest) or 0 :]
            except OSError as error:
                self.failure = error
        return size

    def truncate(self, size: int | None = None) -> int:
        """Set the length."""
        try:
            return super().truncate(size)
        except OSError as error:
            self.failure = self.failure or error
            return size or 0


def _write_attributes(file: Any, system: System, columns: Columns, meta: dict[str, Any]) -> None:
    text = json_text(meta)
    attributes = {
        "title": f"motion of {system.name or 'a mechanism'}, computed by lissom",
        "lissom_version": lissom_version(),
        "status": str(meta.get("status", "")),
        "message": str(meta.get("message", "")),
        "integrator": str(meta.get("integrator", "")),
        "statistics": json_text(meta.get("statistics", {})),
        "meta": text,
        "system_digest": digest(system),
    }
    for name, value in attributes.items():
        clean = value.replace("\0", " ").encode("utf-8", "replace")
        short = len(clean) <= _ATTRIBUTE_LIMIT
        file.attrs[name] = clean.decode() if short else "too long: see /system/meta"
    file.attrs["format_version"] = np.int32(version_for(system, columns))


def _write_names(file: Any, system: System, store: Store) -> None:
    columns = store.columns
    words = {
        "coordinate": field_parts(system, columns, "q"),
        "speed": field_parts(system, columns, "v"),
        "load": tuple((name, "") for name in columns.wrenches),
        "loop": tuple((loop.name, "") for loop in system.loops),
        "coupling": field_parts(system, columns, "coupling_force"),
        "servo_part": field_parts(system, columns, "servo"),
        "rotor": field_parts(system, columns, "wheel"),
        "loop_speed": field_parts(system, columns, "loop_load"),
        "six": LOAD if columns.wrenches or columns.n_loop else (),
    }
    units = {"coordinate_unit": ("coordinate", "q"), "speed_unit": ("speed", "v")}
    units["force_unit"] = ("speed", "force")
    units["coupling_unit"] = ("coupling", "coupling_force")
    units["servo_unit"] = ("servo_part", "servo")
    units["loop_speed_unit"] = ("loop_speed", "loop_load")
    file.dimensions["time"] = len(store) or None  # a dimension without entries must be unlimited
    for dimension, pairs in words.items():
        if pairs:
            file.dimensions[dimension] = len(pairs)
            _write_texts(file, _NAMES[dimension], dimension, [name for name, _ in pairs])
    for variable, (dimension, field) in units.items():
        if words[dimension]:
            texts = [unit for _, unit in field_parts(system, columns, field)]
            _write_texts(file, variable, dimension, texts)


def _write_texts(file: Any, name: str, dimension: str, texts: list[str]) -> None:
    """Write texts as rows of characters, which more versions of MATLAB read than strings."""
    data = [text.replace("\0", " ").encode("utf-8", "replace") for text in texts]
    length = max(1, *map(len, data))
    file.dimensions[f"{name}_length"] = length
    characters = np.array(data, dtype=f"S{length}").view("S1").reshape(len(data), length)
    variable = file.create_variable(name, (dimension, f"{name}_length"), "S1", data=characters)
    variable.attrs["_Encoding"] = "utf-8"


def _write_system(group: Any, arrays: dict[str, Array]) -> None:
    for name, array in arrays.items():
        if not array.size:
            continue  # read back as empty
        dimensions = tuple(f"{name}_{axis}" for axis in range(array.ndim))
        for dimension, size in zip(dimensions, array.shape, strict=True):
            group.dimensions[dimension] = size
        group.create_variable(name, dimensions, array.dtype, data=array)


def _write_rows(file: Any, store: Store, compression: int, output: _Output) -> None:
    for field, (dimensions, long_name, units, description) in _VARIABLES.items():
        shape = [len(store) if d == "time" else len(file.dimensions.get(d, ())) for d in dimensions]
        if 0 in shape[1:]:
            continue
        options: dict[str, Any] = {}
        if compression and len(store):
            rows = max(1, (1 << 18) // (8 * int(np.prod(shape[1:], dtype=int))))
            options = {"chunks": (min(rows, len(store)), *shape[1:]), "shuffle": True}
            options |= {"compression": "gzip", "compression_opts": compression}
        variable = file.create_variable(field, dimensions, "<f8", **options)
        crc = 0
        for start, stop in blocks(store):
            give_way()
            data = np.ascontiguousarray(store.read(field, start, stop), "<f8")
            variable[start:stop] = data.reshape(-1, *shape[1:])
            crc = zlib.crc32(data.tobytes(), crc)
            output.check()
        variable.attrs["long_name"] = long_name
        variable.attrs["units"] = units
        variable.attrs["description"] = description
        variable.attrs["crc32"] = np.int64(crc)
        if names := [_NAMES[d] for d in dimensions if d in _NAMES]:
            variable.attrs["coordinates"] = " ".join(names)
