"""A device whose threads execute PTX on the CPU, one after another."""

from __future__ import annotations

import ctypes
from typing import NamedTuple

import numpy as np

from lissom.batches.device import blocks_of, parameters, texts_of
from lissom.kernels.compiling import plain
from lissom.kernels.device.entry import LANES
from lissom.kernels.device.ptx import SLOTS, letters

from .compiled import library
from .parsing import PtxError

LOADED, STORED, CONSTANT = 1, 2, 4
WORD = 8


class Range(ctypes.Structure):
    """An array of a launch, as `counting.c` knows it."""

    _fields_ = [(x, ctypes.c_uint64) for x in ("start", "size", "loads", "stores", "seen", "by")]


class Count(NamedTuple):
    """What a launch read and wrote of an argument [words of 8 bytes].

    distinct: words that were read or written at least once.
    """

    name: str
    loads: int
    stores: int
    distinct: int


class PtxDevice:
    """Device whose arrays are NumPy's, for `device=` of batches and runs.

    Parameters
    ----------
    threads : int
        Threads that run at the same time.
    free : int
        Bytes of memory that it says it has.
    texts : mapping of str to str, optional
        PTX by symbols, instead of that of the archive.
    counting : bool
        Whether launches count what they read and write, into `counts`, and refuse addresses
        outside of their arrays, words that several threads touch and one writes, and constants
        that they change.
    """

    xp = np
    name = "PTX on the CPU"

    def __init__(self, threads=64, free=1 << 28, texts=None, counting=False):
        self.threads, self.free, self.counting = threads, free, counting
        self.texts = dict(texts or {})
        self.launched: list[tuple[str, int, int]] = []
        self.counts: list[Count] = []

    def free_bytes(self):
        return self.free

    def launch(self, entry, count, threads, arguments, outside=""):
        assert threads % LANES == 0
        self.launched.append((entry.symbol, count, threads))
        made = library(tuple(self._texts(entry, outside)), counting=self.counting)
        statuses = np.full(count, -1, dtype=np.int64)
        given = parameters(count, statuses, arguments)
        n = 2 + sum(SLOTS[x] for x in letters(entry.signature))
        name = f"lissom_{entry.symbol}"
        assert len(given) == n == ctypes.c_uint32.in_dll(made, f"parameters_{name}").value
        words = np.array([_word(x) for x in given], dtype=np.uint64)
        arrays = {k: x for k, x in enumerate(given) if isinstance(x, np.ndarray)}
        run = made[f"run_{name}"]
        run.restype = ctypes.c_char_p
        seen = self._count_in(made, arrays) if self.counting else None
        fault = run(ctypes.c_void_p(words.ctypes.data), *map(ctypes.c_uint32, blocks_of(threads)))
        if fault:
            raise PtxError(f"{entry.symbol}: {fault.decode()}")
        if seen:
            self.counts = _counted(entry, given, arrays, made, *seen)
        return statuses

    def _texts(self, entry, outside):
        if entry.symbol not in self.texts:
            return texts_of(entry, outside)[0]
        more = [outside or self.texts["nothing_outside"]] if entry.methods else []
        return [self.texts[entry.symbol], *more]

    @staticmethod
    def _count_in(made, arrays):
        sizes = [-(-x.nbytes // WORD) for x in arrays.values()]
        seen = [np.zeros(n, dtype=np.uint8) for n in sizes]
        by = [np.zeros(n, dtype=np.uint32) for n in sizes]
        parts = zip(arrays.values(), seen, by, strict=True)
        ranges = (Range * len(arrays))(
            *(
                Range(x.ctypes.data, x.nbytes, 0, 0, y.ctypes.data, z.ctypes.data)
                for x, y, z in parts
            )
        )
        made.count_in(ranges, ctypes.c_uint64(len(arrays)))
        return ranges, seen, by


def _word(x):
    """Eight bytes of a parameter."""
    if isinstance(x, np.ndarray):
        assert x.flags.c_contiguous and x.dtype in (np.int64, np.float64)
        return x.ctypes.data
    assert x.nbytes == WORD
    return int(x.view(np.uint64))


def _counted(entry, given, arrays, made, ranges, seen, _by):
    """Counts of each array; faults of what must not be written."""
    names = _names(entry)
    counts = []
    for k, found, marks in zip(arrays, ranges, seen, strict=True):
        counts.append(Count(names[k], found.loads, found.stores, int(np.count_nonzero(marks))))
        if np.any((marks & STORED > 0) & (marks & CONSTANT > 0)):
            raise PtxError(f"{entry.symbol}: {names[k]} is read as a constant, and written")
        for other, x in arrays.items():
            if other != k and found.stores and x.size and np.may_share_memory(x, given[k]):
                raise PtxError(f"{entry.symbol}: {names[k]} is also {names[other]}, and written")
    words = {x: ctypes.c_uint64.in_dll(made, x).value for x in ("local_loads", "local_stores")}
    counts.append(Count("of the thread", words["local_loads"], words["local_stores"], 0))
    code = ctypes.c_uint64.in_dll(made, "constant_loads").value
    counts.append(Count("of the code", code, 0, 0))
    return counts


def _names(entry):
    """Names of the parameters by their places."""
    names = ["count", "statuses"]
    kinds = letters(entry.signature)
    words = plain(entry.function).__code__.co_varnames
    for kind, word in zip(kinds, words, strict=False):
        names += [word] * SLOTS[kind]
    return names
