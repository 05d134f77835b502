"""Kernels compiled by Numba at their first use: the cache on disk, and messages to the user.

Numba's cache checks only the file of the function and not the files of the functions that it calls.
Here each cached file carries a seal: a digest of its bytes, of all sources of kernels, and of the
settings that change the code.  Code that does not match its seal is compiled again.  A kernel must
therefore take its functions and constants from this folder, or from those of the loads and
integrators.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numba

from .compiling import UNCALLED, CompiledEntry, Kernel
from .native import LOGGER, REMEDY
from .sources import KERNELS, SOURCES, sources_digest

try:
    import fcntl
except ImportError:  # Windows: processes that start together all compile
    fcntl = None  # type: ignore[assignment]

# User settings that change the code and that Numba's cache does not check.
SETTINGS = ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE")
PATIENCE = 300.0  # [s], after which a process no longer waits for another one but compiles itself


def compiled(entry: CompiledEntry) -> Kernel:
    """Numba's dispatcher, from the cache or newly compiled; it refuses other argument types."""
    kernel = dispatcher(entry)
    cache = _cache_of(kernel, entry)
    if cache is None:
        kernel = dispatcher(entry)  # the first one may hold a partial cache
        with _announced(entry, "for this machine"), _generated_once(kernel):
            kernel.compile(entry.signature)
    elif not cache.provides(kernel):
        with _exclusive(cache.lock_path, entry.name):
            if not cache.provides(kernel):
                cache.reading = False
                words = "for this machine; this happens once"
                with _announced(entry, words), _generated_once(kernel):
                    kernel.compile(entry.signature)
        if cache.unsaved is not None:
            _warn_once(f"compiled kernels cannot be saved in {cache.cache_path}: {cache.unsaved}")
    kernel.disable_compile()
    return kernel


def dispatcher(entry: CompiledEntry) -> Any:
    """Numba's dispatcher of an entry, that Python can call."""
    function: Any = entry.function
    options = {k: v for k, v in function.targetoptions.items() if k not in UNCALLED}
    return numba.jit(function.py_func, **options)


def _cache_of(kernel: Any, entry: CompiledEntry) -> _SealedCache | None:
    """Cache, installed in the dispatcher; None, with a message in the log, if there is none."""
    if not SOURCES or sources_digest(*KERNELS) != SOURCES:
        _warn_once(
            "the sources of the kernels changed or cannot be read: compiling without a cache"
        )
        return None
    try:
        kernel.enable_caching()
        kernel._cache = cache = _SealedCache(kernel, entry)
    except (RuntimeError, OSError):
        _warn_once(
            "no writable folder for compiled kernels: they are compiled at each start; "
            "set NUMBA_CACHE_DIR to a writable folder"
        )
        return None
    except (AttributeError, ImportError, TypeError) as error:
        _warn_once(
            f"the cache of Numba {numba.__version__} is not as expected ({error}): "
            "kernels are compiled at each start"
        )
        return None
    return cache


class _NotCachedError(Exception):
    """Raised in a dispatcher that would compile but may only use its cache."""


class _SealedCache:
    """Cache of a dispatcher: Numba's cache, protected against outdated and damaged files.

    All private names of Numba are accessed in the constructors here and in `_Seal`, so that a
    version of Numba without them is detected before anything is loaded.
    """

    def __init__(self, kernel: Any, entry: CompiledEntry) -> None:
        function = kernel.py_func
        self.inner = kernel._cache
        self.seal = self.inner._impl = _Seal(self.inner._impl, kernel, entry)
        self.entry = entry
        self.cache_path: str = self.inner.cache_path
        self.lock_path = Path(
            self.cache_path, f"{function.__module__}.{function.__qualname__}.lock"
        )
        self.reading = True
        self.damaged = False
        self.unsaved: Exception | None = None

    def provides(self, kernel: Any) -> bool:
        """Whether the dispatcher got its code from the cache."""
        try:
            kernel.compile(self.entry.signature)
        except _NotCachedError:
            return False
        return True

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Compiled code; None makes the dispatcher compile."""
        if not self.reading:
            return None
        overload = None
        try:
            overload = self.inner.load_overload(signature, context)
        except Exception as error:  # reading a damaged file can raise anything
            self.damaged = True
            LOGGER.info("kernel %s: unreadable file in the cache: %r", self.entry.name, error)
        if overload is None or overload is not self.seal.opened:
            raise _NotCachedError
        return overload

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Save compiled code; if that fails, it is available to this process only."""
        try:
            if self.damaged:
                self.inner.flush()
            self.inner.save_overload(signature, compiled)
        except Exception as error:  # a full disk, missing permissions
            self.unsaved = error


class _Seal:
    """Numba's conversion of compiled code to bytes and back, with a seal that is checked."""

    def __init__(self, plain: Any, kernel: Any, entry: CompiledEntry) -> None:
        from numba.core.serialize import dumps

        self.plain = plain
        self.plain_reduce, self.plain_rebuild, self.dumps = plain.reduce, plain.rebuild, dumps
        self.opened: Any = None
        self.key = repr(
            (
                SOURCES,
                numba.__version__,
                [getattr(numba.config, name, None) for name in SETTINGS],
                kernel.targetctx.codegen().magic_tuple(),  # the processor
                (kernel.py_func.__module__, kernel.py_func.__qualname__, str(entry.signature)),
            )
        ).encode()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.plain, name)

    def reduce(self, compiled: Any) -> tuple[bytes, bytes]:
        """Seal and bytes."""
        data = self.dumps(self.plain_reduce(compiled))
        return hashlib.sha256(self.key + data).digest(), data

    def rebuild(self, context: Any, sealed: tuple[bytes, bytes]) -> Any:
        """Compiled code, or None if the seal does not match the sources and the bytes."""
        seal, data = sealed
        if hashlib.sha256(self.key + data).digest() != seal:
            return None
        self.opened = self.plain_rebuild(context, pickle.loads(data))
        return self.opened


@contextmanager
def _exclusive(path: Path, name: str) -> Iterator[None]:
    """One process at a time, where files can be locked; the lock of a dead process is released."""
    with ExitStack() as stack:
        if fcntl is not None:
            with suppress(OSError):
                file = stack.enter_context(open(os.open(path, os.O_RDONLY | os.O_CREAT, 0o666)))
                _wait_for_lock(file, name)
                stack.callback(fcntl.flock, file, fcntl.LOCK_UN)  # also for copies made by fork
        yield


def _wait_for_lock(file: IO[str], name: str) -> None:
    start, announced = time.monotonic(), False
    while True:
        with suppress(BlockingIOError):
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        waited = time.monotonic() - start
        if waited > PATIENCE:
            return None
        if waited > 1.0 and not announced:
            announced = True
            _say(f"lissom: waiting for another process that compiles {name}\n")
        time.sleep(0.05)


@contextmanager
def _generated_once(kernel: Any) -> Iterator[None]:
    """Generate machine code for the kernel only, not for each function that it calls.

    Numba optimises and generates every function as if Python called it, and then again within each
    function that calls it.  Functions that only kernels call do not need separate code.  Other
    threads, and versions of Numba with another design, are not affected.
    """
    thread, name = threading.get_ident(), kernel.py_func.__qualname__
    try:
        from numba.core import codegen as generator

        Library: Any = generator.JITCodeLibrary
        Codegen: Any = generator.JITCPUCodegen
        optimize, finish = Library._optimize_final_module, Library._finalize_final_module
        place = Codegen.set_env
        _ = Library._finalize_dynamic_globals, Library._verify_declare_only_symbols
    except (ImportError, AttributeError):
        LOGGER.info(
            "Numba %s generates code differently: compiling takes longer", numba.__version__
        )
        yield
        return

    def is_part(library: Any) -> bool:
        return threading.get_ident() == thread and library.name != name

    def optimize_whole(library: Any) -> None:
        if not is_part(library):
            optimize(library)

    def finish_whole(library: Any) -> None:
        if not is_part(library):
            return finish(library)
        library._finalize_dynamic_globals()
        library._verify_declare_only_symbols()
        library._finalized = True
        return None

    def place_if_generated(codegen: Any, symbol: str, environment: Any) -> None:
        part = threading.get_ident() == thread
        if not part or codegen._engine.get_global_value_address(symbol) != 0:
            place(codegen, symbol, environment)

    Library._optimize_final_module = optimize_whole
    Library._finalize_final_module = finish_whole
    Codegen.set_env = place_if_generated
    try:
        yield
    finally:
        Library._optimize_final_module = optimize
        Library._finalize_final_module = finish
        Codegen.set_env = place


@contextmanager
def _announced(entry: CompiledEntry, words: str) -> Iterator[None]:
    """Print one line for the user, completed when the work is done."""
    start, outcome = time.perf_counter(), "failed"
    _say(f"lissom: compiling {entry.name} {words} (about {entry.seconds:.0f} s; {REMEDY})")
    try:
        yield
        outcome = "done"
    finally:
        _say(f" ... {outcome} in {time.perf_counter() - start:.1f} s\n")


def _say(text: str) -> None:
    with suppress(AttributeError, OSError, ValueError):  # no stderr, a closed one
        sys.stderr.write(text)
        sys.stderr.flush()


@functools.cache
def _warn_once(text: str) -> None:
    LOGGER.warning("lissom: %s", text)
