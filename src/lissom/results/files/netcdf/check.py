"""Verification of files without a seal, in a separate process.

Damaged headers can make the HDF5 library crash or loop forever, which must not affect the caller.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys

from ....errors import ResultError
from ..disk import PathLike
from ..seal import damaged

PATIENCE, SPEED = (
    30.0,
    10e6,
)  # time limit [s], and reading speed [byte/s] that extends it for large files
_MEMORY = 4 << 30  # memory limit [byte], extended for large files
_PROGRAM = """
import sys
from lissom.results.files.netcdf.check import main
sys.exit(main(sys.argv[1]))
"""
REFUSED = 3  # exit code of the other process, which has printed the reason


def check_apart(path: str) -> None:
    """Verify the internal checksums of a file in another process."""
    size = check_start(path)
    if not sys.executable or hasattr(sys, "frozen"):  # Python embedded in another program
        _check_here(path)
        return
    folders = os.pathsep.join(x or os.getcwd() for x in sys.path)
    limit = PATIENCE + size / SPEED
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", _PROGRAM, path],
            env={**os.environ, "PYTHONPATH": folders},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=limit,
            encoding="utf-8",
        )
    except subprocess.TimeoutExpired:
        reason = f"the HDF5 library does not finish reading it within {limit:.0f} s"
        raise damaged(path, reason) from None
    if done.returncode == REFUSED:
        raise ResultError(done.stdout.strip())
    if done.returncode:
        raise damaged(path, "the HDF5 library fails to read it")


def _check_here(path: str) -> None:
    from .reader import NetcdfStore

    NetcdfStore(path, trusted=True).check_rows()


def main(path: str) -> int:
    """Exit code of the other process."""
    try:
        import resource

        most = _MEMORY + 4 * os.path.getsize(path)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    except (ImportError, ValueError, OSError):
        pass  # not available on this system
    try:
        _check_here(path)
    except ResultError as error:
        sys.stdout.buffer.write(str(error).encode())
        return REFUSED
    return 0


def check_start(path: PathLike) -> int:
    """Size of a file, checked against the size in its header."""
    try:
        with open(path, "rb") as file:
            head = file.read(64).ljust(64, b"\0")
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise ResultError.of(error, path, "read") from None
    version = head[8]
    sizes = head[13:15] if version < 2 else head[9:11]
    if version > 3 or sizes != b"\x08\x08":
        raise damaged(path, "its first bytes are not those of HDF5")
    (end,) = struct.unpack_from("<Q", head, {0: 40, 1: 44}.get(version, 28))
    if end != size:  # also if a seal is truncated
        raise damaged(path, f"it has {size} bytes, expected {end}")
    return size
