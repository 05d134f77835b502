"""A batch on the cores of the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..algorithms.tree import engine
from ..algorithms.tree.threads import in_threads
from ..kernels import fields as field
from ..kernels.quantities import Quantity
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
        quantity: Quantity,
        inputs: list[Array],
        places: list[Array] | None,
    ) -> tuple[Array, Array]:
        """Results and statuses (k,) of k states."""
        count, n_v = len(inputs[0]), self.systems[0].n_v
        shape = quantity.shape(n_v)
        matrices, statuses = len(shape) == 2, np.zeros(count, dtype=np.int64)
        # Kernels add to what is there: each thread clears its matrices, as many as its cache holds.
        out = np.empty((count, *shape)) if matrices else np.zeros((count, *shape))
        at_once = max(CLEARED // max(int(np.prod(shape)), 1), 32) if matrices else count
        vectors, zero = iter(inputs), np.zeros(n_v)
        q, v, x = (zero if letter == "0" else next(vectors).ravel() for letter in quantity.takes)

        def work(start: int, stop: int) -> None:
            variants = len(self.systems) > 1
            step = 1 if variants else at_once
            for first in range(start, stop, step):
                last, k = min(first + step, stop), first if variants else 0
                if matrices:
                    out[first:last] = 0.0
                place = engine.NOTHING if places is None else places[k]
                space = engine.workspace(self.systems[k])
                while first < last:  # a state that fails does not stop the others
                    failed = space.evaluate(quantity, (q, v, x), place, out, first, last)
                    if failed < 0:
                        break
                    statuses[failed], first = field.SINGULAR, failed + 1

        in_threads(count, self.threads, work)
        return out, statuses
