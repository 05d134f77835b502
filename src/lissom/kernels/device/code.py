"""Device code on disk: one archive of PTX, with a digest of the sources that it is made from."""

from __future__ import annotations

import zipfile
from pathlib import Path

from ...errors import KernelError
from ..sources import device_digest

ARCHIVE = Path(__file__).resolve().parent.parent / "_device.zip"
DIGEST = "digest"
NOTHING_OUTSIDE = "nothing_outside"  # PTX that stands for users' functions where there are none
REMEDY = "`lissom build --device` compiles it"


def write_archive(archive: Path, digest: bytes, texts: dict[str, str]) -> None:
    """Write the PTX of kernels by their symbols, and the digest of the sources."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        file.writestr(DIGEST, digest.hex())
        for symbol, text in texts.items():
            file.writestr(f"{symbol}.ptx", text)


def is_current(archive: Path = ARCHIVE) -> bool:
    """Whether device code is there and made from the present sources."""
    try:
        return _digest(archive) == device_digest().hex()
    except KernelError:
        return False


def ptx_of(symbol: str, archive: Path = ARCHIVE) -> tuple[str, str]:
    """PTX of a kernel, and the digest of its sources."""
    digest = _digest(archive)
    if digest != device_digest().hex():
        raise KernelError(
            f"the sources of the kernels have changed since the device code was built; {REMEDY}"
        )
    with zipfile.ZipFile(archive) as file:
        return file.read(f"{symbol}.ptx").decode(), digest


def _digest(archive: Path) -> str:
    try:
        with zipfile.ZipFile(archive) as file:
            return file.read(DIGEST).decode()
    except FileNotFoundError:
        raise KernelError(f"device code has not been built; {REMEDY}") from None
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise KernelError(f"{archive} cannot be read: {error}; {REMEDY}") from None
