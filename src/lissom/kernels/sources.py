"""Digest of the sources that compiled code is made from."""

from __future__ import annotations

import hashlib
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
# Loads and integrators have their kernels in their own files.
KERNELS = ("kernels", "sim/loads", "sim/integrators")


def sources_digest(*folders: str, package: Path = PACKAGE, device: bool = False) -> bytes:
    """Digest of all Python and C files below folders of the package."""
    digest, any_read = hashlib.sha256(), False
    try:
        for folder in folders:
            root = package / folder
            for path in sorted(x for x in root.rglob("*") if x.suffix in (".py", ".c")):
                name = path.relative_to(root).as_posix()
                if name.startswith("device") and not device:
                    continue
                text = path.read_bytes()
                digest.update(f"{name} {len(text)}\n".encode() + text)
                any_read = True
    except OSError:
        return b""
    return digest.digest() if any_read else b""


# At import: the files may be edited before a kernel is loaded.
SOURCES = sources_digest(*KERNELS)


def binary_digest() -> bytes:
    """Digest of all that the binary of the kernels is made from; empty without sources."""
    made_by = sources_digest("building")
    return hashlib.sha256(SOURCES + made_by).digest() if SOURCES and made_by else b""


def device_digest() -> bytes:
    """Digest of all that the code for GPUs is made from; empty without sources."""
    return sources_digest(*KERNELS, "building", device=True)
