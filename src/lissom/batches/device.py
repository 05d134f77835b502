"""A GPU of NVIDIA, through CuPy: device code, launches, memory."""

from __future__ import annotations

import hashlib
import math
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ..errors import KernelError
from ..kernels.device.code import NOTHING_OUTSIDE, ptx_of
from ..kernels.device.entry import LANES, DeviceEntry
from ..kernels.device.ptx import GENERATIONS

OLDEST = GENERATIONS[0].capability  # of the device code
BLOCK = 128  # threads of a block
# Threads for each multiprocessor: kernels take all registers, so that more would wait.
RESIDENT = 256
RESERVE = 0.1  # fraction of the free memory that is left alone


class Device(Protocol):
    """What a batch needs of a GPU."""

    xp: Any  # NumPy's functions for arrays on the device
    threads: int  # threads that run at the same time

    def launch(
        self,
        entry: DeviceEntry,
        count: int,
        threads: int,
        arguments: Sequence[Any],
        outside: str = "",
    ) -> Any:
        """Statuses of `count` states; arguments: arrays and numbers, see `argument`.

        outside: PTX of users' functions that the kernel calls.
        """

    def free_bytes(self) -> int:
        """Memory that a batch may take."""


class Cuda:
    """A GPU of NVIDIA."""

    def __init__(self, number: int) -> None:
        self.xp = cp = _cupy()
        properties = cp.cuda.runtime.getDeviceProperties(number)
        self.name = properties["name"].decode()
        self.capability = 10 * properties["major"] + properties["minor"]
        if self.capability < OLDEST:
            raise KernelError(
                f"GPU {number}, {self.name}, has compute capability {self.capability / 10:g}; the "
                f'device code needs {OLDEST / 10:g} or newer: use another GPU, or device="cpu"'
            )
        self.threads = RESIDENT * int(properties["multiProcessorCount"])
        self._functions: dict[tuple[str, str], Any] = {}

    def launch(
        self,
        entry: DeviceEntry,
        count: int,
        threads: int,
        arguments: Sequence[Any],
        outside: str = "",
    ) -> Any:
        """Statuses of `count` states, computed by so many threads, a multiple of LANES."""
        cp = self.xp
        statuses = cp.empty(count, dtype=cp.int64)
        blocks, width = blocks_of(threads)
        kernel_arguments = parameters(count, statuses, arguments)
        self._function(entry, outside)((blocks,), (width,), tuple(kernel_arguments))
        return statuses

    def free_bytes(self) -> int:
        """Memory that a batch may take."""
        cp = self.xp
        free, _ = cp.cuda.runtime.memGetInfo()
        pool = cp.get_default_memory_pool()
        return int((1 - RESERVE) * (free + pool.free_bytes()))

    def _function(self, entry: DeviceEntry, outside: str) -> Any:
        key = entry.symbol, outside
        if key not in self._functions:
            from cupy.cuda import function

            module = function.Module()
            module.load(self._machine_code(entry, outside))
            self._functions[key] = module.get_function(f"lissom_{entry.symbol}")
        return self._functions[key]

    def _machine_code(self, entry: DeviceEntry, outside: str) -> bytes:
        """Code for this GPU, made of PTX by its driver once."""
        symbol = entry.symbol
        texts, digest = texts_of(entry, outside)
        driver = self.xp.cuda.runtime.driverGetVersion()
        words = f"{digest} {symbol} {self.capability} {driver} {outside}"
        path = cache_folder() / f"{symbol}-{hashlib.sha256(words.encode()).hexdigest()[:24]}.cubin"
        with suppress(OSError):
            return path.read_bytes()
        how_long = "a minute or two" if entry.methods else "half a minute"
        _say(f"lissom: compiling {entry.name} for {self.name}, once, {how_long} ... ")
        try:
            code = self._linked(texts, driver)
        except KernelError:
            _say("failed\n")
            raise
        _say("done\n")
        with suppress(OSError):  # then it is compiled again the next time
            write_cached(path, code)
        return code

    def _linked(self, texts: list[str], driver: int) -> bytes:
        from cupy.cuda import function

        state = function.LinkState()
        try:
            for k, text in enumerate(texts):
                state.add_ptr_data(text.encode(), f"{k}.ptx")
            return bytes(state.complete())
        except Exception as error:
            raise KernelError(
                f"the driver of {self.name} cannot compile the device code ({error}); its version "
                f"is {driver // 1000}.{driver % 1000 // 10}, update it to one of CUDA 12 or newer"
            ) from error


def parameters(count: int, statuses: Any, arguments: Sequence[Any]) -> list[Any]:
    """Parameters of a kernel: of `kernels.device.ptx`, in its order."""
    return [np.int64(count), statuses, *(x for parts in arguments for x in parts)]


def blocks_of(threads: int) -> tuple[int, int]:
    """Number of blocks and threads of each; there are no threads beyond those asked for."""
    width = math.gcd(BLOCK, threads)
    return threads // width, width


def texts_of(entry: DeviceEntry, outside: str) -> tuple[list[str], str]:
    """PTX texts that are linked for a kernel, and the digest of its sources."""
    ptx, digest = ptx_of(entry.symbol)
    if not entry.methods:
        return [ptx], digest
    return [ptx, outside or ptx_of(NOTHING_OUTSIDE)[0]], digest


def write_cached(path: Path, content: bytes) -> None:
    """Write a file of the cache; others see all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(f".{os.getpid()}")
    fresh.write_bytes(content)
    fresh.replace(path)


def cache_folder() -> Path:
    """Folder of compiled device code: that of Numba's cache, or the user's."""
    numba_folder = os.environ.get("NUMBA_CACHE_DIR")
    if numba_folder:
        return Path(numba_folder) / "lissom"
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "lissom"


def _say(text: str) -> None:
    with suppress(AttributeError, OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()


def _cupy() -> Any:
    try:
        import cupy
    except ImportError as error:
        raise KernelError(
            f'device="cuda" needs CuPy, which cannot be imported ({error}); '
            "`pip install lissom[gpu]`, or choose the build of your CUDA version: cupy-cuda12x, "
            'cupy-cuda13x; without a GPU use device="cpu"'
        ) from None
    return cupy


def _check_gpu(cp: Any) -> None:
    """Refuse a machine whose GPU cannot be used."""
    try:
        count = int(cp.cuda.runtime.getDeviceCount())
    except cp.cuda.runtime.CUDARuntimeError as error:
        raise KernelError(
            f"no GPU can be used: {error}; install or update NVIDIA's driver and see that "
            '`nvidia-smi` lists the GPU, or use device="cpu"'
        ) from None
    if not count:
        raise KernelError('this machine has no GPU of NVIDIA; use device="cpu"')


def cuda(number: int | None = None) -> Device:
    """CuPy's current GPU; a number must be that of it.

    Arrays and streams are those of the current one, which a batch must not change behind the user's
    back.
    """
    cp = _cupy()
    _check_gpu(cp)
    current = int(cp.cuda.runtime.getDevice())
    if number is not None and number != current:
        raise KernelError(
            f"GPU {number} is not the current one of CuPy, which is {current}; select it first: "
            f"cupy.cuda.Device({number}).use()"
        )
    return _cuda(current)


@cache
def _cuda(number: int) -> Device:
    return Cuda(number)


def argument(x: Any, *, each: bool = False) -> list[Any]:
    """Parameters of an array of a kernel."""
    if isinstance(x, Interleaved):
        return [x.data, np.int64(x.n)]
    if isinstance(x, (int, np.integer)):
        return [np.int64(x)]
    if isinstance(x, float):
        return [np.float64(x)]
    if x.ndim == 3:
        return [x, np.int64(x.shape[1]), np.int64(x.shape[2])]
    if each:
        return [x, np.int64(x.shape[1]), np.int64(x.shape[1])]
    return [x, np.int64(x.size), np.int64(0)]


class Interleaved:
    """Workspaces of many threads, those of LANES threads interleaved."""

    def __init__(self, xp: Any, threads: int, n: int) -> None:
        self.xp, self.threads, self.n = xp, threads, n
        self.data = xp.empty((-(-threads // LANES), n, LANES))

    def fill(self, x: Any) -> None:
        """Write the same numbers, (n,), or those of each thread, (threads, n)."""
        if x.ndim == 1:
            self.data[...] = self.xp.asarray(x)[None, :, None]
        else:
            self.put(0, self.xp.asarray(x))

    def numbers(self, first: int, stop: int) -> Any:
        """Numbers first to stop of every thread, (threads, stop - first), a copy."""
        part = self.data[:, first:stop].transpose(0, 2, 1)
        return part.reshape(-1, stop - first)[: self.threads]

    def put(self, first: int, x: Any, threads: Any = None) -> None:
        """Write x, (m, k), to numbers first to first + k of the first m threads, or of some."""
        xp, k = self.xp, x.shape[1]
        numbers = xp.arange(len(x)) if threads is None else threads
        self.data[numbers // LANES, first : first + k, numbers % LANES] = x
