"""Reader of the NetCDF files written by `writer.write_netcdf`.

Everything is verified before the HDF5 library and the caller see it.  Files of this version are
sealed (`seal`): files of up to `WHOLE` bytes are verified completely when opened, larger ones
without the rows; rows are verified again whenever they are read.  Files of earlier versions and
files changed by another program are compared with their internal checksums by a separate process
with a time limit (`netcdf_check`).
"""

from __future__ import annotations

import json
import os
import zlib
from typing import Any

import h5py
import numpy as np

from ....errors import ResultError
from ....records.system import group_digest, restore, stored_digest, unpacked_content
from ....system import System
from ...store import Columns, blocks
from ..disk import PathLike
from ..seal import Seal, damaged, read_seal
from ..shield import give_way, shielded
from ..versions import check_version
from .check import check_apart
from .writer import row_places

Array = np.ndarray

WHOLE = 1 << 30  # bytes
_FAILURES = (OSError, RuntimeError, LookupError, ValueError, TypeError, AttributeError, MemoryError)


class NetcdfStore:
    """Rows of a NetCDF file, read from the disk on demand.

    The file is open only while it is read; it may be moved or deleted in between, and the store
    can be pickled.
    """

    system: System  # simulated system
    columns: Columns  # columns of a row
    meta: dict[str, Any]  # notes about the run
    _places: dict[str, int]

    def __init__(
        self, path: PathLike, *, trusted: bool = False, system: System | None = None
    ) -> None:
        self.path = os.path.abspath(path)
        self._stamp = self._identity()
        self._seal = self._check_seal(rows=not trusted)
        if self._seal is None and not trusted:
            check_apart(self.path)
        with shielded(), self._opened() as file:
            try:
                self._read_header(file, system)
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
        if self._identity() != self._stamp:
            self._open_again()
        try:
            if self._seal is not None and field in self._places:
                at, row = self._places[field], 8 * k
                with open(self.path, "rb") as raw:
                    data = self._seal.read(raw, at + row * first, at + row * end)
                values = np.frombuffer(data, "<f8").astype(float)
            else:
                with shielded(), self._opened() as file:
                    values = np.asarray(file[field][first:end], dtype=float)
        except ResultError:
            raise
        except _FAILURES as error:
            raise damaged(self.path, error) from None
        return values if field == "time" else values.reshape(n, k)

    def check(self) -> None:
        """Reject a file that has changed in any way since it was written."""
        if self._seal is None:
            check_apart(self.path)
        else:
            self._check_seal(rows=True, whole=True)

    def check_rows(self) -> None:
        """Compare the rows with the checksums of the variables."""
        for field, crc in self._content.items():
            checksum = 0
            for start, stop in blocks(self):
                give_way()
                checksum = zlib.crc32(
                    self.read(field, start, stop).astype("<f8").tobytes(), checksum
                )
            if checksum != crc:
                raise damaged(self.path, f"the checksum of variable {field!r} does not match")

    def _check_seal(self, *, rows: bool, whole: bool = False) -> Seal | None:
        try:
            with open(self.path, "rb") as file:
                if (seal := read_seal(file)) is not None:
                    seal.check(file, rows=rows and (whole or seal.size <= WHOLE))
                return seal
        except ValueError as error:
            raise damaged(self.path, error) from None
        except OSError as error:
            raise ResultError.of(error, self.path, "read") from None

    def _identity(self) -> tuple[int, ...]:
        """Identity of the file, to detect that it was replaced."""
        try:
            status = os.stat(self.path)
        except OSError as error:
            raise ResultError.of(error, self.path, "read") from None
        return status.st_mtime_ns, status.st_size, status.st_ino

    def _open_again(self) -> None:
        """Verify a file that has changed: it may contain the same rows."""
        other = NetcdfStore(self.path)
        if other._content != self._content or other.columns != self.columns:
            raise ResultError(f"{self.path} now contains another run; load it again")
        self._seal, self._stamp, self._places = other._seal, other._stamp, other._places

    def _opened(self) -> h5py.File:
        try:
            return h5py.File(self.path, "r")
        except (FileNotFoundError, PermissionError, BlockingIOError) as error:
            raise ResultError.of(error, self.path, "read") from None
        except OSError as error:
            raise damaged(self.path, error) from None

    def _read_header(self, file: h5py.File, system: System | None) -> None:
        if "lissom_version" not in file.attrs or "format_version" not in file.attrs:
            raise ResultError(
                f"{self.path} is not a results file of lissom; give a file written by lissom"
            )
        check_version(self.path, np.ravel(file.attrs["format_version"])[0])
        # Dimensions without a variable are also data sets, but empty.
        stored = {n: x[()] for n, x in file["system"].items() if "CLASS" not in x.attrs}
        _check_group(file, stored)
        (words, names, self.meta), arrays = unpacked_content(stored)
        self.system = system or restore(words, arrays, source=self.path)
        if system is None:
            now = stored_digest(words, arrays, self.system)
            if now != _text(file.attrs["system_digest"]):
                raise ValueError("the checksum of the system does not match")
        self.columns = Columns.named(self.system, names)
        fields = self.columns.fields
        self._content = {f: int(np.ravel(file[f].attrs["crc32"])[0]) for f in fields if f in file}
        self._places = row_places(file, fields)
        self._n_rows = len(file["time"])


def _check_group(file: h5py.File, stored: dict[str, Array]) -> None:
    """Compare the system group with its checksum, or with its duplicates in attributes."""
    if (digest_there := file.attrs.get("group_digest")) is not None:
        if group_digest(stored) != _text(digest_there):
            raise ValueError("the checksum of the system does not match")
        return
    # files of earlier versions
    meta = stored["meta"].tobytes().decode()
    if (noted := _text(file.attrs["meta"])) != meta and not noted.startswith("too long"):
        raise ValueError("the notes of the run have changed")
    rows = file["load_name"][()] if "load_name" in file else ()
    names = [x.tobytes().rstrip(b"\0").decode() for x in rows]
    if names != json.loads(stored["wrenches"].tobytes()):
        raise ValueError("the names of the loads have changed")


def _text(attribute: Any) -> str:
    """Text of an attribute, which programs store in different ways."""
    text = np.ravel(attribute)[0]
    return text.decode() if isinstance(text, bytes) else str(text)
