"""Blocks of rows, and what acts on the bodies in them.

The kernels are imported where they are called, so that files can be opened without them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import StateError
from ..system import System
from .loop_forces import forces_at_nodes
from .store import Store, blocks

if TYPE_CHECKING:
    from ..algorithms.tree.section_loads import LoadedStates

Array = np.ndarray


@dataclass(frozen=True)
class RowBlock:
    """Rows start to stop of a store, copied for the kernels."""

    store: Store
    start: int
    stop: int

    def __getitem__(self, field: str) -> Array:
        """One field of the rows."""
        return np.array(self.store.read(field, self.start, self.stop), dtype=float, order="C")


def collected(store: Store, shape: tuple[int, ...], compute: Callable[[RowBlock], Array]) -> Array:
    """Values (n, *shape) of all rows, computed block by block."""
    from ..algorithms.tree.engine import RowError

    out = np.empty((len(store), *shape))
    for start, stop in blocks(store):
        try:
            out[start:stop] = compute(RowBlock(store, start, stop))
        except RowError as failure:
            k = start + failure.row
            t = float(store.read("time", k, k + 1)[0])
            raise StateError(
                f"row {k} (time {t!r} s): the result is not finite, because stored values are not "
                "finite or too large"
            ) from None
    return out


def reactions(system: System, store: Store) -> Array:
    """Moments and forces of all joints, (n, n_body, 6) in body axes."""

    def compute(block: RowBlock) -> Array:
        return rows_within(system, block).reactions

    return collected(store, (system.n_body, 6), compute)


def wrenches_within(system: System, block: RowBlock) -> tuple[list[tuple[int, int]], Array]:
    """Bodies and nodes on which loads and loops act, and the wrenches in a block of rows.

    Returns (body, node): the k places; returns (n, 6 k): moments and forces, node axes.
    """
    frames, w = map(system.place, block.store.columns.wrenches), block["wrench"]
    places = [(frame.body, frame.node) for frame in frames]
    if system.loops:
        ends, of_loops = forces_at_nodes(system, block["q"], block["loop_force"])
        places, w = places + ends, np.concatenate([w, of_loops], axis=1)
    return places, w


def rows_within(system: System, block: RowBlock, *, balance: bool = True) -> LoadedStates:
    """Rows of a block with all that acts on the bodies."""
    from ..algorithms.tree import engine
    from ..algorithms.tree.section_loads import LoadedStates

    q, v, a = (block[field] for field in ("q", "v", "acceleration"))
    linear = block.store.columns.rate_linear
    if not balance:
        return LoadedStates(q, v, a, np.zeros((len(q), 0, 6)), [], np.zeros((len(q), 0)), linear)
    places, w = wrenches_within(system, block)
    forces = engine.joint_forces_rows(system, q, v, a, places, w, rate_linear=linear)
    return LoadedStates(q, v, a, forces, places, w, linear, block.store.columns.field)
