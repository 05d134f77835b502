"""The binary of all kernels: found, checked, and loaded.

`lissom.building` makes it.  Its last 64 bytes are a digest of the sources that it is made from and
a digest of all before: code of other sources is not used, damaged code is not loaded.

``LISSOM_KERNELS=native`` makes it an error that the binary cannot be used, ``LISSOM_KERNELS=numba``
leaves it aside.  ``LISSOM_KERNELS_LEVEL`` asks for the code of one processor level, such as "v2".
"""

from __future__ import annotations

import hashlib
import importlib
import logging
import os
import sys
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

from ..errors import KernelError
from .sources import binary_digest

LOGGER = logging.getLogger("lissom")
SUFFIX = ".abi3.so"
BINARY = Path(__file__).resolve().parent / f"_native{SUFFIX}"
REMEDY = "`lissom build` compiles all kernels"


class CompiledLibrary:
    """Compiled kernels for the processor of this machine."""

    def __init__(self, module: Any) -> None:
        self.levels: tuple[str, ...] = tuple(module.levels)
        self.level = _chosen(self.levels)
        self._module = module

    def kernel(self, symbol: str) -> Callable[..., Any]:
        """Compiled kernel; it refuses arguments of other types."""
        kernel: Callable[..., Any] = self._module.kernel(symbol, self.level)
        return kernel

    def shortcut(self, symbol: str, *fixed: Any) -> Callable[..., Any]:
        """Kernel with most of its arguments fixed; see `calling.c` for what is fixed."""
        kernel: Callable[..., Any] = self._module.shortcut(symbol, self.level, *fixed)
        return kernel

    def function(self, key: str, state: type) -> Callable[..., Any]:
        """Function of a system and a state, which finds a shortcut by its key; see `calling.c`."""
        function: Callable[..., Any] = self._module.function(key, state)
        return function


def library() -> CompiledLibrary | None:
    """Library of all kernels; None, with one line in the log, where Numba has to compile them."""
    wanted = os.environ.get("LISSOM_KERNELS", "")
    if wanted not in ("", "native", "numba"):
        raise KernelError(
            f'LISSOM_KERNELS is {wanted!r}; expected "native" or "numba", or leave it unset'
        )
    if wanted == "numba":
        return None
    why = unusable(BINARY)
    if not why:
        try:
            return CompiledLibrary(importlib.import_module("._native", __package__))
        except ImportError as error:
            why = f"the kernels built ahead cannot be loaded: {error}"
    if wanted == "native":
        raise KernelError(f"LISSOM_KERNELS is 'native', but {why}; {REMEDY}")
    if BINARY.exists():
        LOGGER.warning("lissom: %s: Numba compiles what is used; %s", why, REMEDY)
    return None


def unusable(binary: Path) -> str:
    """Why a binary cannot be used; empty if it can, as far as its bytes tell."""
    if not has_stable_abi():
        return "this Python does not load binaries of the stable ABI"
    try:
        content = binary.read_bytes()
    except FileNotFoundError:
        return "kernels have not been built ahead"
    except OSError as error:
        return f"the kernels built ahead cannot be read: {error}"
    if sealed(content[:-64], content[-64:-32]) != content:
        return f"{binary} is damaged"
    if content[-64:-32] != binary_digest():
        return "the sources of the kernels have changed since they were built"
    return ""


def has_stable_abi() -> bool:
    """Whether this Python loads binaries of the stable ABI; free-threaded ones do not."""
    return SUFFIX in EXTENSION_SUFFIXES and "t" not in getattr(sys, "abiflags", "")


def sealed(code: bytes, digest: bytes) -> bytes:
    """Content of a binary: its code, the digest of its sources, and the digest of both."""
    content = code + digest
    return content + hashlib.sha256(content).digest()


def _chosen(levels: tuple[str, ...]) -> str:
    """The best level, or the one that the environment asks for."""
    if not levels:
        raise ImportError("they have no code for this processor")
    wanted = os.environ.get("LISSOM_KERNELS_LEVEL", "")
    if not wanted:
        return levels[-1]
    for level in levels:
        if wanted in (level, level.rpartition("-")[2]):
            return level
    raise KernelError(f"LISSOM_KERNELS_LEVEL is {wanted!r}; this processor has {', '.join(levels)}")
