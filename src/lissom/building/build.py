"""The build: front ends and back ends in processes of their own, then one binary."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from importlib.machinery import EXTENSION_SUFFIXES
from multiprocessing import get_context
from pathlib import Path

from ..errors import KernelError
from ..kernels.native import BINARY, SUFFIX, sealed, unusable
from ..kernels.sources import binary_digest
from .targets import Level, Target

OLDEST = {"numba": (0, 62), "numpy": (2, 0)}
RUN = "advance"  # the kernel of a run takes as long as all others together
WORDS = "lissom: compiling all kernels, about a minute on two cores"


def build(output: Path = BINARY, *, triple: str = "", anew: bool = False) -> bool:
    """Compile all kernels into one binary, with a line of progress on stderr.

    Parameters
    ----------
    output : Path
        File to write; it is replaced at once, processes that use the old one keep it.
    triple : str
        System to compile for, such as "aarch64-unknown-linux-gnu"; this one if empty.
    anew : bool
        Whether to compile even if the file is up to date.

    Returns
    -------
    bool
        Whether anything was compiled.

    Raises
    ------
    KernelError
        If something that the build needs is missing, or a step fails.
    """
    if not anew and not triple and not unusable(output):
        return False
    _check_tools()
    digest = binary_digest()
    if not digest:
        raise KernelError("the sources of the kernels cannot be read; install the package unpacked")
    with tempfile.TemporaryDirectory(prefix="lissom-") as name, _numba_chosen():
        code = _Build(Path(name), Target.named(triple)).run()
    _replace(output, sealed(code, digest))
    return True


def _check_tools() -> None:
    from .link import c_compiler

    if SUFFIX not in EXTENSION_SUFFIXES:
        raise KernelError("this Python has no stable ABI; kernels can be built for CPython only")
    c_compiler()
    for name, oldest in OLDEST.items():
        try:
            version = importlib.import_module(name).__version__
        except ImportError:
            raise KernelError(f"kernels cannot be built without {name}; install it") from None
        if tuple(map(int, version.split(".")[:2])) < oldest:
            needed = ".".join(map(str, oldest))
            raise KernelError(
                f"{name} is {version}; kernels can be built with {needed} or newer, install that"
            )


def _replace(output: Path, content: bytes) -> None:
    fresh = output.with_name(f"{output.name}.{os.getpid()}")
    try:
        fresh.write_bytes(content)
        fresh.replace(output)
    except OSError as error:
        with suppress(OSError):
            fresh.unlink()
        raise KernelError(f"{output} cannot be written: {error}") from None


@contextmanager
def _numba_chosen() -> Iterator[None]:
    """Let the processes of the build take Numba's decorators."""
    before = os.environ.get("LISSOM_KERNELS")
    os.environ["LISSOM_KERNELS"] = "numba"
    try:
        yield
    finally:
        del os.environ["LISSOM_KERNELS"]
        if before is not None:
            os.environ["LISSOM_KERNELS"] = before


class _Build:
    """One build in a folder of its own."""

    def __init__(self, folder: Path, target: Target) -> None:
        self.folder, self.target = folder, target
        self.ticks = folder / "ticks"  # a byte for each kernel that has passed the front end
        self.ticks.touch()
        self.start = time.monotonic()

    def run(self) -> bytes:
        """Content of the library, not sealed."""
        outcome = "failed"
        _say(WORDS)
        try:
            cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2
            with ProcessPoolExecutor(min(cores, 6), mp_context=get_context("spawn")) as pool:
                code = self._run(pool)
            outcome = "done"
            return code
        finally:
            ending = f" ... {outcome} in {time.monotonic() - self.start:.0f} s"
            _say(f"\r{WORDS}{ending}\n" if _on_terminal() else f"{ending}\n")

    def _run(self, pool: ProcessPoolExecutor) -> bytes:
        from .link import linked

        kernels: dict[str, str] = pool.submit(_kernels).result()
        groups = {"run": [RUN], "rest": [x for x in kernels if x != RUN]}
        steps = len(kernels) + len(groups) * len(self.target.levels) + 1
        fronts = {
            pool.submit(_front, str(self.folder / name), symbols, str(self.ticks)): name
            for name, symbols in groups.items()
        }
        running: set[Future[str]] = set(fronts)
        objects: list[Path] = []
        while running:
            finished, running = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
            for future in finished:
                made = future.result()
                if future not in fronts:
                    objects.append(Path(made))
                    continue
                running |= {
                    pool.submit(_back, made, level, self.target.triple)
                    for level in self.target.levels
                }
            self._show(self.ticks.stat().st_size + len(objects), steps)
        return linked(self.folder, sorted(objects), self.target.levels, kernels)

    def _show(self, done: int, steps: int) -> None:
        if _on_terminal():
            seconds = time.monotonic() - self.start
            _say(f"\r{WORDS} ... {100 * done // steps} %, {seconds:.0f} s ")


def _on_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _say(text: str) -> None:
    with suppress(AttributeError, OSError, ValueError):  # no stderr, a closed one
        sys.stderr.write(text)
        sys.stderr.flush()


def _kernels() -> dict[str, str]:
    """Letters of the types of all kernels."""
    from .front_end import entries, letters

    return {symbol: letters(entry.signature) for symbol, entry in entries().items()}


def _front(path: str, symbols: Sequence[str], ticks: str) -> str:
    """Bitcode of kernels in a file."""
    from .front_end import bitcode

    def tick() -> None:
        with open(ticks, "ab") as file:
            file.write(b".")

    Path(path).write_bytes(bitcode(symbols, tick))
    return path


def _back(path: str, level: Level, triple: str) -> str:
    """Object file of bitcode for a level."""
    from .back_end import machine_code

    made = f"{path}_{level.identifier}.o"
    Path(made).write_bytes(machine_code(Path(path).read_bytes(), level, triple))
    return made
