"""Translated PTX, compiled by gcc and kept by the digest of all that it is made from."""

from __future__ import annotations

import ctypes
import hashlib
import platform
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from lissom.batches.device import cache_folder, write_cached

from .parsing import PtxError
from .translation import translated

HERE = Path(__file__).resolve().parent
FLAGS = ("-O1", "-w", "-fPIC", "-fno-strict-aliasing", "-ffp-contract=off", "-fno-math-errno")
# What was never written is neither zero nor the same number by chance
FLAGS += ("-ftrivial-auto-var-init=pattern", f"-I{HERE}")


@cache
def _own_digest() -> bytes:
    """Digest of the translator and of the processor."""
    made = hashlib.sha256(" ".join((platform.machine(), *_processor())).encode())
    for path in sorted((*HERE.glob("*.py"), *HERE.glob("*.[ch]"))):
        made.update(path.read_bytes())
    return made.digest()


@cache
def _processor() -> tuple[str, ...]:
    """Flags for the processor's own fused multiplication and addition."""
    try:
        words = Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    except OSError:
        return ()
    return ("-march=x86-64-v3",) if {"fma", "avx2", "bmi2", "movbe"} <= set(words) else ()


@cache
def library(texts: tuple[str, ...], *, counting: bool = False) -> ctypes.CDLL:
    """The PTX texts, linked, as a library of functions `run_...`."""
    objects = [_object(text, lambda text=text: translated(text), counting) for text in texts]
    if counting:
        source = (HERE / "counting.c").read_text(encoding="utf-8")
        objects.append(_object(source, lambda: source, counting))
    given = list(map(str, objects))

    def link(path: Path) -> None:
        _gcc(["-shared", "-Wl,-z,defs", *given, "-o", str(path), "-lm", "-ldl"])

    return ctypes.CDLL(str(_made(" ".join(given), ".so", link)))


def _object(words: str, source: Callable[[], str], counting: bool) -> Path:
    options = ["-DCOUNTED"] if counting else []

    def make(path: Path) -> None:
        _gcc([*options, "-c", "-x", "c", "-", "-o", str(path)], source())

    return _made(words + "".join(options), ".o", make)


def _made(words: str, suffix: str, make: Callable[[Path], None]) -> Path:
    """The file that was made for the same words before, or is made now."""
    digest = hashlib.sha256(_own_digest() + words.encode()).hexdigest()[:24]
    path = cache_folder() / "ptx_on_cpu" / f"{digest}{suffix}"
    if not path.exists():
        with tempfile.TemporaryDirectory() as folder:
            fresh = Path(folder, f"made{suffix}")
            make(fresh)
            write_cached(path, fresh.read_bytes())
    return path


def _gcc(arguments: list[str], source: str = "") -> None:
    command = ["gcc", *FLAGS, *_processor(), *arguments]
    found = subprocess.run(command, input=source, capture_output=True, text=True)
    if found.returncode:
        raise PtxError(f"gcc refuses what PTX was translated to: {found.stderr[-2000:]}")
