"""A batch on a GPU: constants and workspaces there, states in turns that fit its memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..algorithms.tree import engine
from ..errors import KernelError, StateError
from ..kernels import fields as field
from ..kernels.device import states
from ..kernels.device.entry import LANES, DeviceEntry
from ..system import System
from .arrays import library, on_cpu
from .device import Device, Interleaved, argument

ENTRIES: dict[str, tuple[DeviceEntry, int | None]] = {  # with the flags that they take
    "forward": (states.FORWARD, engine.ALL),
    "inverse": (states.INVERSE, engine.ALL | field.ACCELERATED),
    "mass": (states.MASS, 0),
    "pose": (states.POSE, None),
    "jacobian": (states.JACOBIAN, None),
    "totals": (states.TOTALS, field.ACCELERATED),
}


class OnDevice:
    """Arrays of a batch on a GPU.

    Parameters
    ----------
    systems : sequence of System
        The mechanism, or its variants.
    device : Device
        The GPU.
    """

    def __init__(self, systems: Sequence[System], device: Device) -> None:
        self.device, self.xp = device, device.xp
        self.words = f"on {getattr(device, 'name', 'a device')}"
        check_known(systems[0])
        spaces = [engine.workspace(x) for x in systems]
        self.variants = len(systems) > 1
        self.ints = self.xp.asarray(spaces[0].packed.ints)
        self.floats = self.xp.asarray(np.stack([x.packed.floats for x in spaces]))
        self._start = np.stack([x.scratch for x in spaces])
        self._n = self._start.shape[1]
        self._workspace: Interleaved | None = None

    def memory_of(self, x: Any) -> Any:
        """Module of the memory in which an array is taken: arrays on the CPU stay there."""
        return np if library(x) == "numpy" else self.xp

    def evaluate(
        self,
        what: str,
        given: list[Any],
        shape: tuple[int, ...],
        paths: list[np.ndarray] | None,
    ) -> tuple[Any, Any]:
        """Results (k, *shape) and statuses (k,) of k states, in the memory of the first array.

        States on the CPU go to the device in turns that fit its memory.
        """
        xp, (entry, flags) = self.xp, ENTRIES[what]
        count, host = len(given[0]), isinstance(given[0], np.ndarray)
        memory = np if host else xp
        out = memory.zeros((count, *shape))
        statuses = memory.zeros(count, dtype=np.int64)
        if not count:
            return out, statuses
        threads = self._threads(count)
        at_once = threads if self.variants else count  # the workspace holds constants of variants
        if host:
            at_once = min(at_once, self._fitting(given, shape, threads))
        where = None if paths is None else xp.asarray(np.stack(paths))
        for start in range(0, count, at_once):
            rows = slice(start, min(start + at_once, count))
            n = rows.stop - rows.start
            space = self._prepared(threads, rows)
            results = xp.zeros((n, *shape)) if host else out[rows]
            arguments = [argument(self.ints), self._constants(self.floats, rows), argument(space)]
            arguments += [argument(xp.asarray(x[rows]), each=True) for x in given]
            if where is not None:
                arguments.append(self._constants(where, rows))
            arguments.append(argument(results, each=True))
            if flags is not None:
                arguments.append(argument(flags))
            found = self.device.launch(entry, n, threads, arguments)
            statuses[rows] = on_cpu(found) if host else found
            if host:
                out[rows] = on_cpu(results)
        return out, statuses

    def _fitting(self, given: list[Any], shape: tuple[int, ...], threads: int) -> int:
        """States that the device has room for at a time, besides their workspaces."""
        numbers = 1 + sum(x.shape[1] for x in given) + int(np.prod(shape))
        there = 0 if self._workspace is None else self._workspace.threads
        room = self.device.free_bytes() - 8 * self._n * max(threads - there, 0)
        return max(int(room / (8 * numbers)) // LANES, 1) * LANES

    def _constants(self, x: Any, rows: slice) -> list[Any]:
        """Constants of the rows: one for all, or those of their variants."""
        return argument(x[rows], each=True) if len(x) > 1 else argument(x[0])

    def _threads(self, count: int) -> int:
        """Threads for so many states, within the memory of the device."""
        wanted = -(-min(count, self.device.threads) // LANES) * LANES
        if self._workspace is not None and self._workspace.threads >= wanted:
            return wanted
        room = self.device.free_bytes()
        fit = room // (8 * self._n * LANES) * LANES
        if fit < LANES:
            need = 8 * self._n * LANES / 1e6
            raise KernelError(
                f"the GPU has {room / 1e6:.3g} MB left, and {LANES} states of this mechanism need "
                f'{need:.3g} MB; free memory there, or use device="cpu"'
            )
        return min(wanted, fit)

    def _prepared(self, threads: int, rows: slice) -> Interleaved:
        """Workspaces with the constants of the rows."""
        space = self._workspace
        if space is None or space.threads < threads:
            space = self._workspace = Interleaved(self.xp, threads, self._n)
            if not self.variants:
                space.fill(self._start[0])
        if self.variants:
            space.fill(self._start[rows])
        return space


def check_known(system: System) -> None:
    """Refuse what device code does not know."""
    rows = engine.packed_constants(system).rows
    for i, row in enumerate(rows):
        if row[field.KIND] == field.OWN:
            raise StateError(
                f"joint {system.names[i]!r} is one of your own, which a GPU does not know; use "
                'device="cpu"'
            )
