"""A batch on the cores of the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..algorithms.tree import engine
from ..algorithms.tree.threads import in_threads
from ..kernels import entries, fields as field
from ..system import System

Array = np.ndarray

CLEARED = 1 << 15  # numbers of matrices that a thread clears at a time, a few of them at least


class Cores:
    """Kernels on threads of this machine."""

    xp = np

    def __init__(self, systems: Sequence[System], threads: int) -> None:
        self.systems, self.threads = systems, threads
        self.words = f"on {threads} thread{'s' * (threads > 1)}"

    def memory_of(self, x: Any) -> Any:  # noqa: ARG002
        """Module of the memory in which an array is taken."""
        return np

    def evaluate(
        self,
        what: str,
        inputs: list[Array],
        shape: tuple[int, ...],
        paths: list[Array] | None,
    ) -> tuple[Array, Array]:
        """Results (k, *shape) and statuses (k,) of k states."""
        count = len(inputs[0])
        matrices, statuses = len(shape) == 2, np.zeros(count, dtype=np.int64)
        # Kernels add to what is there: each thread clears its matrices, as many as its cache holds.
        out = np.empty((count, *shape)) if matrices else np.zeros((count, *shape))
        at_once = max(CLEARED // max(int(np.prod(shape)), 1), 32) if matrices else count
        flat = [x.ravel() for x in inputs]

        def work(start: int, stop: int) -> None:
            variants = len(self.systems) > 1
            step = 1 if variants else at_once
            for first in range(start, stop, step):
                last, k = min(first + step, stop), first if variants else 0
                if matrices:
                    out[first:last] = 0.0
                path = None if paths is None else paths[k]
                _evaluate_rows(what, self.systems[k], flat, out, path, statuses, first, last)

        in_threads(count, self.threads, work)
        return out, statuses


def _evaluate_rows(
    what: str,
    system: System,
    inputs: list[Array],
    out: Array,
    path: Array | None,
    statuses: Array,
    start: int,
    stop: int,
) -> None:
    """States start to stop of one system; a state that fails does not stop the others."""
    space = engine.workspace(system)
    while start < stop:
        failed = _call_kernel(what, space, inputs, out, path, start, stop)
        if failed < 0:
            return
        statuses[failed] = field.SINGULAR
        start = failed + 1


def _call_kernel(
    what: str,
    space: engine.Workspace,
    inputs: list[Array],
    out: Array,
    path: Array | None,
    start: int,
    stop: int,
) -> int:
    """Call of a kernel; returns the state that failed, or -1."""
    call = space.call
    if what == "forward":
        rows = inputs[0], inputs[1], inputs[2], out.ravel()
        limits = engine.CAREFUL, engine.ALL, start, stop
        return int(space.accelerations(rows, space.composite, *limits))
    if what == "inverse":
        flags = engine.ALL | field.ACCELERATED
        return int(space.inverse(*call, *inputs, out.ravel(), flags, start, stop))
    if what == "totals":
        kernel = space.kernel(entries.TOTALS)
        return int(kernel(*call, *inputs, out.ravel(), field.ACCELERATED, start, stop))
    if what == "pose":
        return int(space.kernel(entries.POSE)(*call, *inputs, out.ravel(), path, start, stop))
    matrices = out.reshape(out.shape[0] * out.shape[1], out.shape[2])
    if what == "mass":
        return int(space.kernel(entries.MASS)(*call, *inputs, matrices, 0, 1, True, start, stop))
    return int(space.kernel(entries.JACOBIAN)(*call, *inputs, path, matrices, start, stop))
