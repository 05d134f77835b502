"""A GPU in plain Python: the device's kernels, their threads one after another.

With ``NUMBA_ENABLE_CUDASIM=1`` the threads are those of Numba's simulator of CUDA.
"""

from __future__ import annotations

import os

import numpy as np
from numba import cuda

from lissom.kernels.compiling import plain
from lissom.kernels.device.entry import LANES
from lissom.kernels.device.ptx import letters

SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
BLOCK = 32


class Simulated:
    """Device whose arrays are NumPy's.

    Parameters
    ----------
    threads : int
        Threads that run at the same time.
    free : int
        Bytes of memory that it says it has.
    """

    xp = np
    name = "a simulated device"

    def __init__(self, threads=64, free=1 << 26):
        self.threads, self.free = threads, free
        self.launched = []

    def free_bytes(self):
        return self.free

    def launch(self, entry, count, threads, arguments, outside=""):
        assert threads % LANES == 0
        self.launched.append((entry.symbol, count, threads))
        statuses = np.full(count, -1, dtype=np.int64)
        function, kinds = plain(entry.function), letters(entry.signature)
        assert len(arguments) == len(kinds)

        def work(thread, every):
            for state in range(thread, count, every):
                given = [
                    seen(kind, x, thread, state) for kind, x in zip(kinds, arguments, strict=True)
                ]
                statuses[state] = function(*given)

        if SIMULATOR:
            kernel = cuda.jit(lambda: work(cuda.grid(1), cuda.gridsize(1)))
            kernel[threads // BLOCK, BLOCK]()
        else:
            for thread in range(threads):
                work(thread, threads)
        return statuses


def seen(kind, parameters, thread, state):
    """What a thread sees of the parameters of one argument, as `kernels.device.ptx` writes it."""
    if kind in "if":
        return parameters[0].item()
    data, n = parameters[0], int(parameters[1])
    assert data.flags.c_contiguous
    if kind in "IC":
        assert data.dtype == (np.int64 if kind == "I" else np.float64)
        first = state * int(parameters[2])
        return data.reshape(-1)[first : first + n]
    if kind == "W":
        lane = thread % LANES
        first = (thread - lane) * n + lane
        return data.reshape(-1)[first : first + LANES * (n - 1) + 1 : LANES]
    columns = int(parameters[2])
    first = state * n * columns
    return data.reshape(-1)[first : first + n * columns].reshape(n, columns)
