"""Reader of the NetCDF files that `netcdf.write_netcdf` writes.

What the HDF5 library and the caller get to see has been checked before.  Files of this version are
sealed (`seal`): up to `WHOLE` bytes all of a file is looked at when it is opened, of larger ones
all but the rows; rows are looked at again whenever they are read.  Files of earlier versions and
those that another program has changed are compared with the checksums inside them, by a process of
its own that may take its time but not for ever (`netcdf_check`).
"""

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
from .netcdf import row_places
from .netcdf_check import check_apart
from .seal import Seal, damaged, read_seal
from .shield import give_way, shielded
from .store import Columns, blocks
from .stored_system import TEXTS, group_digest
from .versions import check_version

__all__ = ["NetcdfStore"]

Array = np.ndarray

WHOLE = 1 << 30  # bytes
_FAILURES = (OSError, RuntimeError, LookupError, ValueError, TypeError, AttributeError, MemoryError)


class NetcdfStore:
    """Rows of a NetCDF file, read from the disk where they are asked for.

    The file is open only while something is read; it may be moved away or deleted between, and
    the store can be pickled.

    Parameters
    ----------
    path : path
        A file that `write_netcdf` wrote.
    trusted : bool
        Whether it was written, or checked by another process, this very moment.

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
    _places: dict[str, int]

    def __init__(self, path: PathLike, *, trusted: bool = False) -> None:
        self.path = os.path.abspath(path)
        self._stamp = self._now()
        self._seal = self._check_seal(rows=not trusted)
        if self._seal is None and not trusted:
            check_apart(self.path)
        with shielded(), self._opened() as file:
            try:
                self._read_header(file)
            except ResultError:
                raise
            except _FAILURES as error:
                raise damaged(self.path, error) from None

    def __len__(self) -> int:
        """Number of rows."""
        return self._n_rows

    @property
    def sealed(self) -> bool:
        """Whether every byte has a checksum."""
        return self._seal is not None

    def read(self, field: str, start: int = 0, stop: int | None = None) -> Array:
        """Field of rows start to stop: (n,) for "time", (n, k) for the others."""
        first, end, _ = slice(start, stop).indices(self._n_rows)
        piece = self.columns.slices[field]
        n, k = max(0, end - first), piece.stop - piece.start
        if n * k == 0:
            return np.zeros(n) if field == "time" else np.zeros((n, k))
        if self._now() != self._stamp:
            self._open_again()
        try:
            if self._seal is not None and field in self._places:
                at, row = self._places[field], 8 * k
                with open(self.path, "rb") as raw:
                    data = self._seal.read(raw, at + row * first, at + row * end)
                found = np.frombuffer(data, "<f8").astype(float)
            else:
                with shielded(), self._opened() as file:
                    found = np.asarray(file[field][first:end], dtype=float)
        except ResultError:
            raise
        except _FAILURES as error:
            raise damaged(self.path, error) from None
        return found if field == "time" else found.reshape(n, k)

    def check(self) -> None:
        """Refuse a file of which anything has changed since it was written."""
        if self._seal is None:
            check_apart(self.path)
        else:
            self._check_seal(rows=True, whole=True)

    def check_rows(self) -> None:
        """Compare the rows with the checksums that the variables themselves have."""
        for field, crc in self._content.items():
            found = 0
            for start, stop in blocks(self):
                give_way()
                found = zlib.crc32(self.read(field, start, stop).astype("<f8").tobytes(), found)
            if found != crc:
                raise damaged(self.path, f"variable {field!r} has another checksum")

    def _check_seal(self, *, rows: bool, whole: bool = False) -> Seal | None:
        try:
            with open(self.path, "rb") as file:
                if (found := read_seal(file)) is not None:
                    found.check(file, rows=rows and (whole or found.size <= WHOLE))
                return found
        except ValueError as error:
            raise damaged(self.path, error) from None
        except OSError as error:
            raise ResultError.of(error, self.path, "read") from None

    def _now(self) -> tuple[int, ...]:
        """What distinguishes the file from another one of its name."""
        try:
            found = os.stat(self.path)
        except OSError as error:
            raise ResultError.of(error, self.path, "read") from None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _open_again(self) -> None:
        """Look at a file that has changed: it may hold the same rows."""
        other = NetcdfStore(self.path)
        if other._content != self._content or other.columns != self.columns:
            raise ResultError(f"{self.path} now holds another run; open it again")
        self._seal, self._stamp, self._places = other._seal, other._stamp, other._places

    def _opened(self) -> h5py.File:
        try:
            return h5py.File(self.path, "r")
        except (FileNotFoundError, PermissionError, BlockingIOError) as error:
            raise ResultError.of(error, self.path, "read") from None
        except OSError as error:
            raise damaged(self.path, error) from None

    def _read_header(self, file: h5py.File) -> None:
        if "lissom_version" not in file.attrs or "format_version" not in file.attrs:
            raise ResultError(
                f"{self.path} is not a file of results of lissom; give a file that lissom wrote"
            )
        check_version(self.path, np.ravel(file.attrs["format_version"])[0])
        # Dimensions without a variable are data sets too; they hold nothing.
        stored = {n: x[()] for n, x in file["system"].items() if "CLASS" not in x.attrs}
        _check_group(file, stored)
        description, names, self.meta = (json.loads(stored.pop(name).tobytes()) for name in TEXTS)
        self.system = restore(description, stored, source=self.path)
        if digest(self.system) != _text(file.attrs["system_digest"]):
            raise ValueError("the system has another checksum")
        self.columns = Columns.named(self.system, names)
        fields = self.columns.fields
        self._content = {f: int(np.ravel(file[f].attrs["crc32"])[0]) for f in fields if f in file}
        self._places = row_places(file, fields)
        self._n_rows = len(file["time"])


def _check_group(file: h5py.File, stored: dict[str, Array]) -> None:
    """Compare what stands beside the rows with its checksum, or with what stands there twice."""
    if (known := file.attrs.get("group_digest")) is not None:
        if group_digest(stored) != _text(known):
            raise ValueError("the system has another checksum")
        return
    # files of earlier versions
    meta = stored["meta"].tobytes().decode()
    if (told := _text(file.attrs["meta"])) != meta and not told.startswith("too long"):
        raise ValueError("the notes of the run have changed")
    rows = file["load_name"][()] if "load_name" in file else ()
    names = [x.tobytes().rstrip(b"\0").decode() for x in rows]
    if names != json.loads(stored["wrenches"].tobytes()):
        raise ValueError("the names of the loads have changed")


def _text(attribute: Any) -> str:
    """Text of an attribute; programs write it in different ways."""
    found = np.ravel(attribute)[0]
    return found.decode() if isinstance(found, bytes) else str(found)
