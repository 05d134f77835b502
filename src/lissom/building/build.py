"""The build: front ends and back ends in processes of their own, then one binary."""

from __future__ import annotations

import os
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import get_context
from pathlib import Path

from ..errors import KernelError
from ..kernels.native import BINARY, has_stable_abi, sealed, unusable
from ..kernels.sources import binary_digest
from .link import c_compiler, linked
from .targets import Level, Target

OLDEST = {"numba": (0, 62), "numpy": (2, 0)}
RUN = "advance"  # the kernel of a run takes as long as all others together
WORDS = "lissom: compiling all kernels, two to three minutes on two cores"


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
    with tempfile.TemporaryDirectory(prefix="lissom-") as name, numba_chosen():
        code = _Build(Path(name), Target.named(triple)).run()
    _replace(output, sealed(code, digest))
    return True


def check_system() -> None:
    """Raise KernelError where kernels cannot be built, whatever packages are installed."""
    if not has_stable_abi():
        raise KernelError("this Python has no stable ABI; use CPython with its global lock")
    c_compiler()
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        raise KernelError(
            "the headers of Python are missing; install them (Debian and Ubuntu: apt install "
            "python3-dev)"
        )


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
def numba_chosen() -> Iterator[None]:
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
        say(WORDS)
        try:
            cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2
            with ProcessPoolExecutor(
                min(cores, 6),
                mp_context=get_context("spawn"),
                initializer=end_with,
                initargs=(os.getpid(),),
            ) as pool:
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
            say(f"\r{WORDS}{ending}\n" if _on_terminal() else f"{ending}\n")

    def _run(self, pool: ProcessPoolExecutor) -> bytes:
        kernels: dict[str, str] = pool.submit(_kernels).result()
        groups = {"run": [RUN], "rest": [x for x in kernels if x != RUN]}
        steps = len(kernels) + len(groups) * len(self.target.levels)
        fronts = {
            pool.submit(_front, self.folder / name, symbols, self.ticks)
            for name, symbols in groups.items()
        }
        running: set[Future[Path]] = set(fronts)
        objects: list[Path] = []
        while running:
            finished, running = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
            for task in finished:
                made = task.result()
                if task in fronts:
                    running |= {
                        pool.submit(_back, made, level, self.target.triple, self.ticks)
                        for level in self.target.levels
                    }
                else:
                    objects.append(made)
            self._show(steps)
        return linked(self.folder, sorted(objects), self.target.levels, kernels)

    def _show(self, steps: int) -> None:
        if _on_terminal():
            percent = 100 * self.ticks.stat().st_size // steps
            say(f"\r{WORDS} ... {percent} %, {time.monotonic() - self.start:.0f} s ")


def _on_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def say(text: str) -> None:
    """Write to stderr, if there is one."""
    with suppress(AttributeError, OSError, ValueError):  # no stderr, a closed one
        sys.stderr.write(text)
        sys.stderr.flush()


def end_with(parent: int) -> None:
    """End this process when its parent is killed, not minutes later."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _kernels() -> dict[str, str]:
    """Letters of the types of all kernels."""
    from .front_end import entries, letters

    return {symbol: letters(entry.signature) for symbol, entry in entries().items()}


def _front(code: Path, symbols: Sequence[str], ticks: Path) -> Path:
    """Bitcode of kernels in a file."""
    from .front_end import bitcode

    code.write_bytes(bitcode(symbols, partial(_tick, ticks)))
    return code


def _back(code: Path, level: Level, triple: str, ticks: Path) -> Path:
    """Object file of kernels for a level."""
    from .back_end import machine_code

    made = code.with_name(f"{code.name}_{level.identifier}.o")
    made.write_bytes(machine_code(code.read_bytes(), level, triple))
    _tick(ticks)
    return made


def _tick(ticks: Path) -> None:
    """Note that a step is done."""
    with ticks.open("ab") as file:
        file.write(b".")
