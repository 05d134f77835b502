"""Reader of the NetCDF files that `netcdf.write_netcdf` writes."""

from __future__ import annotations

import json
import os
import zlib
from typing import Any

import h5py
import numpy as np

from ..errors import ResultError
from ..system import System
from .described import digest, restore
from .disk import PathLike
from .netcdf import TEXTS
from .store import Columns, blocks
from .versions import check_version

__all__ = ["NetcdfStore"]

Array = np.ndarray

_FAILURES = (OSError, RuntimeError, KeyError, ValueError, TypeError)


class NetcdfStore:
    """Rows of a NetCDF file, read from the disk where they are asked for.

    The file is open only while something is read; it may be moved away or deleted between, and
    the store can be pickled.

    Parameters
    ----------
    path : path
        A file that `write_netcdf` wrote.

    Attributes
    ----------
    system : System
        What was simulated.
    columns : Columns
        What a row holds.
    meta : dict
        Notes about the run.
    """

    system: System
    columns: Columns
    meta: dict[str, Any]

    def __init__(self, path: PathLike) -> None:
        self.path = os.path.abspath(path)
        with self._opened() as file:
            try:
                self._read_header(file)
            except ResultError:
                raise
            except _FAILURES as error:
                raise self._damaged(error) from None

    def __len__(self) -> int:
        """Number of rows."""
        return self._n_rows

    def read(self, field: str, start: int = 0, stop: int | None = None) -> Array:
        """Field of rows start to stop: (n,) for "time", (n, k) for the others."""
        first, end, _ = slice(start, stop).indices(self._n_rows)
        piece = self.columns.slices[field]
        n, k = max(0, end - first), piece.stop - piece.start
        if n * k == 0:
            return np.zeros(n) if field == "time" else np.zeros((n, k))
        with self._opened() as file:
            try:
                if self._contents(file) != self._content:
                    raise ResultError(f"{self.path} now holds another run; open it again")
                data = np.asarray(file[field][first:end], dtype=float)
            except ResultError:
                raise
            except _FAILURES as error:
                raise self._damaged(error) from None
        return data if field == "time" else data.reshape(n, k)

    def check(self) -> None:
        """Read everything and refuse a file whose numbers changed since it was written."""
        for field, crc in self._content.items():
            found = 0
            for start, stop in blocks(self):
                found = zlib.crc32(self.read(field, start, stop).astype("<f8").tobytes(), found)
            if found != crc:
                raise self._damaged(f"variable {field!r} has another checksum")

    def _opened(self) -> h5py.File:
        try:
            return h5py.File(self.path, "r")
        except (FileNotFoundError, PermissionError, BlockingIOError) as error:
            raise ResultError.of(error, self.path, "read") from None
        except OSError as error:
            raise self._damaged(error) from None

    def _damaged(self, reason: object) -> ResultError:
        words = " ".join(str(reason).split())[:200]
        return ResultError(
            f"{self.path} is cut off or damaged ({words}); copy it again, or run again"
        )

    def _contents(self, file: h5py.File) -> dict[str, int]:
        fields = self.columns.fields
        return {f: int(np.ravel(file[f].attrs["crc32"])[0]) for f in fields if f in file}

    def _read_header(self, file: h5py.File) -> None:
        if "lissom_version" not in file.attrs or "format_version" not in file.attrs:
            raise ResultError(
                f"{self.path} is not a file of results of lissom; give a file that lissom wrote"
            )
        check_version(self.path, np.ravel(file.attrs["format_version"])[0])
        group = file["system"]
        # Dimensions without a variable are data sets too; they hold nothing.
        stored = {name: x for name, x in group.items() if "CLASS" not in x.attrs}
        texts = [json.loads(stored.pop(name)[()].tobytes()) for name in TEXTS]
        description, wrenches, self.meta = texts
        arrays = {name: x[()] for name, x in stored.items()}
        self.system = restore(description, arrays, source=self.path)
        if digest(self.system) != file.attrs["system_digest"]:
            raise ValueError("the system has another checksum")
        self.columns = Columns.of(self.system, wrenches)
        self._content = self._contents(file)
        self._n_rows = len(file["time"])
