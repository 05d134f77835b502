"""Variables of a NetCDF-4 file, written through HDF5.

A dimension is a data set that HDF5 calls a scale, with a number, and variables are attached to the
scales of their dimensions.  `h5netcdf` does the same in six times the time, most of it to look up
dimensions again for each variable.
Source: NetCDF documentation, "Interoperability with HDF5".
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

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
