"""The build: front ends and back ends in processes of their own, then one binary."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from functools import partial
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import get_context
from pathlib import Path

from ..errors import KernelError
from ..kernels.native import BINARY, SUFFIX, sealed, unusable
from ..kernels.sources import binary_digest
from .link import c_compiler, linked
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
    check_system()
    _check_packages()
    digest = binary_digest()
    if not digest:
        raise KernelError("the sources of the kernels cannot be read; install the package unpacked")
    with tempfile.TemporaryDirectory(prefix="lissom-") as name, _numba_chosen():
        code = _Build(Path(name), Target.named(triple)).run()
    _replace(output, sealed(code, digest))
    return True


def check_system() -> None:
    """Raise KernelError where kernels cannot be built, whatever packages are installed."""
    if SUFFIX not in EXTENSION_SUFFIXES:
        raise KernelError("this Python has no stable ABI; use CPython with its global lock")
    c_compiler()


def _check_packages() -> None:
    for name, oldest in OLDEST.items():
        try:
            found = version(name)
        except PackageNotFoundError:
            raise KernelError(f"kernels cannot be built without {name}; install it") from None
        if tuple(map(int, found.split(".")[:2])) < oldest:
            needed = ".".join(map(str, oldest))
            raise KernelError(
                f"{name} is {found}; kernels can be built with {needed} or newer, install that"
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
    """Environment of the processes of the build: Numba as it comes, whatever is in use here."""
    before = dict(os.environ)
    for name in before:
        if name.startswith(("NUMBA_", "LISSOM_KERNELS")):
            del os.environ[name]
    os.environ["LISSOM_KERNELS"] = "numba"
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


class _Build:
    """One build in a folder of its own."""

    def __init__(self, folder: Path, target: Target) -> None:
        self.folder, self.target = folder, target
        self.ticks = folder / "ticks"  # a byte for each step that is done
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
        except KernelError:
            raise
        except Exception as error:  # the compiler has no other way to fail
            raise KernelError(
                f"the kernels do not compile with Numba {version('numba')}: "
                f"{type(error).__name__}: {error}; install another version of Numba"
            ) from error
        finally:
            ending = f" ... {outcome} in {time.monotonic() - self.start:.0f} s"
            _say(f"\r{WORDS}{ending}\n" if _on_terminal() else f"{ending}\n")

    def _run(self, pool: ProcessPoolExecutor) -> bytes:
        kernels: dict[str, str] = pool.submit(_kernels).result()
        groups = {"run": [RUN], "rest": [x for x in kernels if x != RUN]}
        steps = len(kernels) + len(self.target.levels)
        fronts = [
            pool.submit(_front, str(self.folder / name), symbols, str(self.ticks))
            for name, symbols in groups.items()
        ]
        codes = self._finished(fronts, steps)
        backs = [
            pool.submit(_back, codes, level, self.target.triple, str(self.ticks))
            for level in self.target.levels
        ]
        objects = self._finished(backs, steps)
        return linked(self.folder, objects, self.target.levels, kernels)

    def _finished(self, tasks: Sequence[Future[str]], steps: int) -> list[str]:
        """Results of tasks, with the progress shown while they run."""
        running: set[Future[str]] = set(tasks)
        while running:
            finished, running = wait(running, timeout=0.5, return_when=FIRST_EXCEPTION)
            for task in finished:
                task.result()  # raises what the task did
            if _on_terminal():
                percent = 100 * self.ticks.stat().st_size // steps
                _say(f"\r{WORDS} ... {percent} %, {time.monotonic() - self.start:.0f} s ")
        return sorted(task.result() for task in tasks)


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

    Path(path).write_bytes(bitcode(symbols, partial(_tick, ticks)))
    return path


def _back(codes: Sequence[str], level: Level, triple: str, ticks: str) -> str:
    """Object file of all kernels for a level."""
    from .back_end import machine_code

    made = f"{codes[0]}_{level.identifier}.o"
    content = machine_code([Path(code).read_bytes() for code in codes], level, triple)
    Path(made).write_bytes(content)
    _tick(ticks)
    return made


def _tick(ticks: str) -> None:
    """Note that a step is done."""
    with open(ticks, "ab") as file:
        file.write(b".")
