"""Results as NetCDF-4, readable by xarray, MATLAB and many other programs."""

from __future__ import annotations

import io
import itertools
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

import h5py
import numpy as np

from ....records.packed import json_text
from ....records.system import CONTENT, digest, group_digest, packed_content
from ....system import System
from ...labels import LOAD, field_parts
from ...store import Store, blocks
from ..disk import PathLike, check_space, replacing
from ..seal import seal
from ..shield import give_way
from ..versions import FORMAT_VERSION, lissom_version

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
    "contact": (
        ("time", "contact_part"),
        "points of contacts",
        "see contact_unit",
        "gap, normal force, force on the first body of the pair, its point, slip, radius of patch",
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
    "contact_part": "contact_name",
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
    """Write everything to a file, block by block; `compression`: 0, or a level of zlib from 1 to 4.

    The system and the notes are one variable, bytes of `packed`: as 32 variables they took longer
    to write than all else.
    """
    if not 0 <= compression <= 4:
        raise ValueError(f"compression is {compression}; expected 0 to 4")
    check_space(path, 0 if compression else 8 * len(store) * store.columns.width)
    with replacing(path) as temporary:
        rows = _written(temporary, system, store, meta, compression)
        seal(temporary, rows)


def _written(
    path: str, system: System, store: Store, meta: dict[str, Any], compression: int
) -> list[tuple[int, int]]:
    """Places of the rows in a new file; objects of HDF5 end with this call, under the shield.

    Their weak references call Python when they go, where a Ctrl-C would be lost.
    """
    with _DeferredFile(path, "w+") as output:
        with h5py.File(output, "w", track_order=True) as root:
            file = NetcdfFile(root)
            _write_attributes(root, system, meta)
            _write_names(file, system, store)
            content = packed_content(system, store.columns.names, meta)
            root.attrs["group_digest"] = group_digest({CONTENT: content})
            file.add_group("system").add(CONTENT, ("byte",), content)
            _write_rows(file, store, compression, output)
        output.check()
        with h5py.File(output, "r") as closed:
            places = row_places(closed, store.columns.fields)
            return [(at, at + closed[field].nbytes) for field, at in places.items()]


def row_places(file: h5py.File, fields: Iterable[str]) -> dict[str, int]:
    """Offset of the rows of each field in a file; only of fields stored contiguously."""
    offsets = {f: file[f].id.get_offset() for f in fields if f in file}
    return {field: place for field, place in offsets.items() if place is not None}


class _DeferredFile(io.FileIO):
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


def _write_attributes(file: Any, system: System, meta: dict[str, Any]) -> None:
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
    file.attrs["format_version"] = np.int32(FORMAT_VERSION)


def _write_names(file: NetcdfFile, system: System, store: Store) -> None:
    columns = store.columns
    words = {
        "coordinate": field_parts(system, columns, "q"),
        "speed": field_parts(system, columns, "v"),
        "load": tuple((name, "") for name in columns.wrenches),
        "loop": tuple((loop.name, "") for loop in system.loops),
        "coupling": field_parts(system, columns, "coupling_force"),
        "servo_part": field_parts(system, columns, "servo"),
        "rotor": field_parts(system, columns, "wheel"),
        "contact_part": field_parts(system, columns, "contact"),
        "loop_speed": field_parts(system, columns, "loop_load"),
        "six": LOAD if columns.wrenches or columns.n_loop else (),
    }
    units = {"coordinate_unit": ("coordinate", "q"), "speed_unit": ("speed", "v")}
    units["force_unit"] = ("speed", "force")
    units["coupling_unit"] = ("coupling", "coupling_force")
    units["servo_unit"] = ("servo_part", "servo")
    units["contact_unit"] = ("contact_part", "contact")
    units["loop_speed_unit"] = ("loop_speed", "loop_load")
    file.sizes["time"] = len(store)
    for dimension, pairs in words.items():
        if pairs:
            file.sizes[dimension] = len(pairs)
            _write_texts(file, _NAMES[dimension], dimension, [name for name, _ in pairs])
    for variable, (dimension, field) in units.items():
        if words[dimension]:
            texts = [unit for _, unit in field_parts(system, columns, field)]
            _write_texts(file, variable, dimension, texts)


def _write_texts(file: NetcdfFile, name: str, dimension: str, texts: list[str]) -> None:
    """Write texts as rows of characters, which more versions of MATLAB read than strings."""
    data = [text.replace("\0", " ").encode("utf-8", "replace") for text in texts]
    length = max(1, *map(len, data))
    characters = np.array(data, dtype=f"S{length}").view("S1").reshape(len(data), length)
    file.add(name, (dimension, f"{name}_length"), characters, _Encoding="utf-8")


def _write_rows(file: NetcdfFile, store: Store, compression: int, output: _DeferredFile) -> None:
    for field, (dimensions, long_name, units, description) in _VARIABLES.items():
        shape = [file.sizes.get(d, 0) for d in dimensions]
        if 0 in shape[1:]:
            continue
        options: dict[str, Any] = {}
        if compression and len(store):
            rows = max(1, (1 << 18) // (8 * int(np.prod(shape[1:], dtype=int))))
            options = {"chunks": (min(rows, len(store)), *shape[1:]), "shuffle": True}
            options |= {"compression": "gzip", "compression_opts": compression}
        variable = file.create(field, dimensions, "<f8", **options)
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


# Variables of a NetCDF-4 file, written through HDF5.
#
# A dimension is a data set that HDF5 calls a scale, with a number, and variables are attached to
# the scales of their dimensions.  `h5netcdf` does the same in six times the time, most of it to
# look up dimensions again for each variable.
# Source: NetCDF documentation, "Interoperability with HDF5".

_NAME = "This is a netCDF dimension but not a netCDF variable. {:10d}"


class NetcdfFile:
    """A group of an open HDF5 file; dimensions exist once a variable has them."""

    def __init__(self, group: Any, numbers: Iterator[int] | None = None) -> None:
        self.group = group
        self.sizes: dict[str, int] = {}  # by name; 0: unlimited, so that it may have no entries
        self._scales: dict[str, Any] = {}
        self._numbers = numbers or itertools.count()  # of the dimensions of all groups

    def add_group(self, name: str) -> NetcdfFile:
        """New group."""
        return NetcdfFile(self.group.create_group(name, track_order=True), self._numbers)

    def add(self, name: str, dimensions: tuple[str, ...], data: np.ndarray, **notes: Any) -> None:
        """New variable with its values and attributes."""
        self.sizes |= zip(dimensions, data.shape, strict=True)
        variable = self.create(name, dimensions, data.dtype)
        variable[...] = data
        variable.attrs.update(notes)

    def create(self, name: str, dimensions: tuple[str, ...], kind: Any, **options: Any) -> Any:
        """New variable, with options of `h5py`; its values follow."""
        shape = tuple(self.sizes[d] for d in dimensions)
        if 0 in shape:
            options["maxshape"] = tuple(size or None for size in shape)
        variable = self.group.create_dataset(name, shape, kind, **options)
        for k, dimension in enumerate(dimensions):
            if dimension == name:
                self._scale(dimension, variable, name)
            else:
                variable.dims[k].attach_scale(self._scales.get(dimension) or self._empty(dimension))
        return variable

    def _empty(self, dimension: str) -> Any:
        """Scale of a dimension without a variable of its name."""
        size = self.sizes[dimension]
        options = {} if size else {"maxshape": (None,)}
        scale = self.group.create_dataset(dimension, (size,), ">f4", **options)
        return self._scale(dimension, scale, _NAME.format(size))

    def _scale(self, dimension: str, scale: Any, name: str) -> Any:
        scale.make_scale(name)
        scale.attrs["_Netcdf4Dimid"] = np.int32(next(self._numbers))
        self._scales[dimension] = scale
        return scale
