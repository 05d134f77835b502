"""Arrays of model files from .npz files: numbers only, within size limits."""

from __future__ import annotations

import os
import zipfile
from typing import Any

import numpy as np

from ...errors import ModelError, suggestion

LARGEST = 1_000_000_000  # most bytes of all arrays of a file

_BROKEN = (OSError, ValueError, zipfile.BadZipFile, EOFError, KeyError, NotImplementedError)


class ArrayFiles:
    """Array files of a model file; the keys of each are read once."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._known: dict[str, list[str]] = {}

    def keys(self, name: str) -> list[str]:
        """Names of the arrays in a file."""
        if name not in self._known:
            path = self._path(name)
            try:
                with zipfile.ZipFile(path) as archive:
                    sizes = {x.filename: x.file_size for x in archive.infolist()}
            except _BROKEN as error:
                raise ModelError(f"{path} is not an array file (.npz): {error}") from None
            if sum(sizes.values()) > LARGEST:
                raise ModelError(
                    f"{path} contains more than {LARGEST / 1e9:g} GB of arrays; split the model"
                )
            self._known[name] = [x.removesuffix(".npy") for x in sizes if x.endswith(".npy")]
        return self._known[name]

    def get(self, name: str, key: str) -> Any:
        """Array of a file."""
        keys = self.keys(name)
        if key not in keys:
            raise ModelError(f"{name} has no array {key!r}; {suggestion(key, keys)}")
        path = self._path(name)
        try:
            with zipfile.ZipFile(path) as archive:
                self._check_header(archive, f"{key}.npy")
                with archive.open(f"{key}.npy") as member:
                    value = np.lib.format.read_array(member, allow_pickle=False)
        except _BROKEN as error:
            raise ModelError(f"{path}: the array {key!r} cannot be read: {error}") from None
        if value.dtype.kind not in "fiu":
            raise ModelError(f"{path}: the array {key!r} has type {value.dtype}; expected numbers")
        return value

    def _path(self, name: str) -> str:
        path = os.path.join(self.folder, name)
        if not os.path.isfile(path):
            raise ModelError(f"there is no file {path}; correct the path")
        return path

    @staticmethod
    def _check_header(archive: zipfile.ZipFile, member: str) -> None:
        """Reject a header that claims more data than the file has."""
        with archive.open(member) as file:
            version = np.lib.format.read_magic(file)
            read = {
                (1, 0): np.lib.format.read_array_header_1_0,
                (2, 0): np.lib.format.read_array_header_2_0,
            }.get(version)
            if read is None:
                raise ValueError(f"unknown header version {version}")
            shape, _, dtype = read(file)
        claimed = dtype.itemsize
        for n in shape:
            claimed *= n
        if claimed > archive.getinfo(member).file_size:
            raise ValueError("it is shorter than its header says")
