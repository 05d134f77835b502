"""Kernels: their decorator, and the entries that Python calls.

A function that kernels call is decorated with `jit`.  A kernel that Python calls is an
`CompiledEntry` made from such a function; its `load` returns it compiled.

Compiled code comes from the binary that `lissom build` makes (`native`), or from Numba at the first
use (`numba_cache`).  The choice is made once, at import, for all entries: with the binary `jit`
leaves the functions as they are and Numba is not imported.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar, overload

from . import native

FLAGS = frozenset({"contract", "nsz"})  # no flag that lets the compiler ignore NaN or infinity
# Functions that only kernels call are compiled without the wrapper for calls from Python.
UNCALLED: Any = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

Kernel = Callable[..., Any]
F = TypeVar("F", bound=Kernel)

PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")  # kernels run in Python
LIBRARY = None if PLAIN else native.library()


@overload
def jit(function: F, /) -> F: ...
@overload
def jit(
    *, reassociate: bool = False, counted: bool = True, inlined: bool = False
) -> Callable[[F], F]: ...
def jit(
    function: Any = None,
    /,
    *,
    reassociate: bool = False,
    counted: bool = True,
    inlined: bool = False,
) -> Any:
    """Function that kernels can call; for calls from Python see `CompiledEntry`."""
    flags = FLAGS | {"reassoc"} if reassociate else FLAGS
    options = UNCALLED | {"_nrt": counted, "forceinline": inlined}

    def decorate(f: Any) -> Any:
        if LIBRARY is not None or PLAIN:
            return f
        import numba

        return numba.njit(f, fastmath=set(flags), error_model="numpy", nogil=True, **options)

    return decorate if function is None else decorate(function)


uncounted = jit(counted=False)
inlined = jit(counted=False, inlined=True)


def intrinsic(in_python: Kernel) -> Callable[[Any], Any]:
    """Function that writes instructions for its call in a kernel, as Numba's of the same name."""

    def decorate(function: Any) -> Any:
        if LIBRARY is not None or PLAIN:
            return in_python
        from numba import extending

        return extending.intrinsic(function)

    return decorate


def plain(function: Any) -> Any:
    """Python function behind one that kernels call."""
    return getattr(function, "py_func", function)


ENTRIES: list[CompiledEntry] = []


class CompiledEntry:
    """A kernel that Python calls, compiled for one signature.

    `signature`: types of the result and the arguments, as Numba writes them:
    ``"int64(float64[::1])"``; `seconds`: approximate time that Numba takes to compile it, shown to
    the user [s].
    """

    def __init__(
        self, function: Kernel, signature: str, name: str, *, seconds: float = 20.0
    ) -> None:
        if isinstance(function, FunctionType) and LIBRARY is None and not PLAIN:
            raise TypeError(f"the function of the kernel {name!r} is not decorated with jit")
        self.function = function
        self.signature = signature
        self.name = name
        self.seconds = seconds
        self._kernel: Kernel | None = None
        self._lock = threading.Lock()
        ENTRIES.append(self)

    @property
    def symbol(self) -> str:
        """Name in the binary."""
        return str(plain(self.function).__name__).lstrip("_")

    def load(self) -> Kernel:
        """Compiled kernel, which refuses arguments of other types.

        Safe to call from several threads; after the first call it returns at once.
        """
        if self._kernel is None:
            with self._lock:
                if self._kernel is None:
                    self._kernel = self._loaded()
        return self._kernel

    def _loaded(self) -> Kernel:
        if PLAIN:
            return self.function
        if LIBRARY is not None:
            return LIBRARY.kernel(self.symbol)
        from .numba_cache import compiled

        return compiled(self)


def compile_all() -> None:
    """Load every entry, so that other processes find them in the cache of Numba."""
    for entry in ENTRIES:
        entry.load()


def kernels_in_use() -> str:
    """Where the kernels of this process come from, in words."""
    if PLAIN:
        return "plain Python (NUMBA_DISABLE_JIT)"
    if LIBRARY is not None:
        return f"built ahead, level {LIBRARY.level}, {native.BINARY}"
    return "compiled by Numba at first use"
