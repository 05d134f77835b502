"""A batch on a GPU: constants and workspaces there, states in turns that fit its memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..algorithms.tree import engine
from ..algorithms.tree.packing import pack
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


class _Arrays:
    """Constants of a batch on a GPU, and the workspaces of its threads."""

    def __init__(self, systems: Sequence[System], xp: Any, compact: bool) -> None:
        packed = [pack(x, compact=True) if compact else engine.packed_constants(x) for x in systems]
        self.xp, self.variants = xp, len(systems) > 1
        self.ints = xp.asarray(packed[0].ints)
        self.floats = xp.asarray(np.stack([x.floats for x in packed]))
        spaces = (engine.Workspace(x, y).scratch for x, y in zip(systems, packed, strict=True))
        self._start = np.stack(list(spaces))
        self.n = self._start.shape[1]
        self._workspace: Interleaved | None = None

    @property
    def threads(self) -> int:
        """Threads whose workspaces are on the GPU."""
        return 0 if self._workspace is None else self._workspace.threads

    def prepared(self, threads: int, rows: slice) -> Interleaved:
        """Workspaces of so many threads, with the constants of the rows."""
        space = self._workspace
        if space is None or space.threads < threads:
            self._workspace = None  # its memory may be needed
            space = self._workspace = Interleaved(self.xp, threads, self.n)
            if not self.variants:
                space.fill(self._start[0])
        if self.variants:
            space.fill(self._start[rows])
        return space


class OnDevice:
    """A batch on a GPU."""

    def __init__(self, systems: Sequence[System], device: Device) -> None:
        self.device, self.xp = device, device.xp
        self.words = f"on {getattr(device, 'name', 'a device')}"
        check_known(systems[0])
        self.systems, self.variants = systems, len(systems) > 1
        self._arrays: dict[bool, _Arrays] = {}

    def memory_of(self, x: Any) -> Any:
        """Module of the memory in which an array is taken: arrays on the CPU stay there."""
        return np if library(x) == "numpy" else self.xp

    def evaluate(
        self,
        what: str,
        inputs: list[Any],
        shape: tuple[int, ...],
        paths: list[np.ndarray] | None,
    ) -> tuple[Any, Any]:
        """Results (k, *shape) and statuses (k,) of k states, in the memory of the first array.

        States on the CPU go to the device in turns that fit its memory.
        """
        xp, (entry, flags) = self.xp, ENTRIES[what]
        count, host = len(inputs[0]), isinstance(inputs[0], np.ndarray)
        memory = np if host else xp
        out = memory.zeros((count, *shape))
        statuses = memory.zeros(count, dtype=np.int64)
        if not count:
            return out, statuses
        arrays = self.arrays_of(what)
        threads = self._threads(arrays, count)
        at_once = threads if self.variants else count  # the workspace holds constants of variants
        if host:
            at_once = min(at_once, self._fitting(arrays, inputs, shape, threads))
        where = None if paths is None else xp.asarray(np.stack(paths))
        for start in range(0, count, at_once):
            rows = slice(start, min(start + at_once, count))
            n = rows.stop - rows.start
            space = arrays.prepared(threads, rows)
            results = xp.zeros((n, *shape)) if host else out[rows]
            constants = self._constants(arrays.floats, rows)
            arguments = [argument(arrays.ints), constants, argument(space)]
            arguments += [argument(xp.asarray(x[rows]), each=True) for x in inputs]
            if where is not None:
                arguments.append(self._constants(where, rows))
            arguments.append(argument(results, each=True))
            if flags is not None:
                arguments.append(argument(flags))
            launch_statuses = self.device.launch(entry, n, threads, arguments)
            statuses[rows] = on_cpu(launch_statuses) if host else launch_statuses
            if host:
                out[rows] = on_cpu(results)
        return out, statuses

    def arrays_of(self, what: str) -> _Arrays:
        """Arrays for a quantity."""
        compact = what == "forward" and not self.systems[0].constraints
        if compact not in self._arrays:
            try:
                self._arrays[compact] = _Arrays(self.systems, self.xp, compact)
            except MemoryError:
                raise KernelError(
                    f"the GPU has no memory left for the constants of {len(self.systems)} systems; "
                    'free memory there, give fewer variants, or use device="cpu"'
                ) from None
        return self._arrays[compact]

    def _fitting(
        self, arrays: _Arrays, inputs: list[Any], shape: tuple[int, ...], threads: int
    ) -> int:
        """States that the device has room for at a time, besides their workspaces."""
        numbers = 1 + sum(x.shape[1] for x in inputs) + int(np.prod(shape))
        room = self.device.free_bytes() - 8 * arrays.n * max(threads - arrays.threads, 0)
        return max(int(room / (8 * numbers)) // LANES, 1) * LANES

    def _constants(self, x: Any, rows: slice) -> list[Any]:
        """Constants of the rows: one for all, or those of their variants."""
        return argument(x[rows], each=True) if len(x) > 1 else argument(x[0])

    def _threads(self, arrays: _Arrays, count: int) -> int:
        """Threads for so many states, within the memory of the device."""
        wanted = -(-min(count, self.device.threads) // LANES) * LANES
        if arrays.threads >= wanted:
            return wanted
        room = self.device.free_bytes()
        fit = room // (8 * arrays.n * LANES) * LANES
        if fit < LANES:
            need = 8 * arrays.n * LANES / 1e6
            raise KernelError(
                f"the GPU has {room / 1e6:.3g} MB left, and {LANES} states of this mechanism need "
                f'{need:.3g} MB; free memory there, or use device="cpu"'
            )
        return min(wanted, fit)


def check_known(system: System) -> None:
    """Refuse what device code does not know."""
    rows = engine.packed_constants(system).rows
    for i, row in enumerate(rows):
        if row.kind == field.OWN:
            raise StateError(
                f"joint {system.names[i]!r} is one of your own, which a GPU does not know; use "
                'device="cpu"'
            )
