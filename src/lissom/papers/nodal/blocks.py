"""Operators made of blocks: steps from frames to nodes, stacks, and two by two."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...algorithms.operators.algebra import Label, SpatialOperator
from ...algorithms.operators.blocks import Blocks
from ...system import GROUND

Array = np.ndarray
Row = tuple[SpatialOperator | None, SpatialOperator | None]


class Attachment(Blocks):
    """One step from the frame of every body to the nodes of its parent.

    Parameters
    ----------
    label : Label
        Name, cost and state.
    parents : sequence of int
        Parent of each body.
    nodes, frames : sequence of slice
        Places of each body among the nodes and among the frames.
    blocks : sequence of arrays (6 n of the parent, 6)
        Block of each body; those on the ground are not used.
    """

    def __init__(
        self,
        label: Label,
        parents: Sequence[int],
        nodes: Sequence[slice],
        frames: Sequence[slice],
        blocks: Sequence[Array],
    ) -> None:
        places = [
            (nodes[p], block, frames[k])
            for k, (p, block) in enumerate(zip(parents, blocks, strict=True))
            if p != GROUND
        ]
        super().__init__(label, (nodes[-1].stop, frames[-1].stop), places)
        self.blocks = tuple(blocks)


class Stacked(SpatialOperator):
    """Two operators on the same space, one above the other."""

    def __init__(self, label: Label, top: SpatialOperator, bottom: SpatialOperator) -> None:
        super().__init__(label, (top.shape[0] + bottom.shape[0], top.shape[1]))
        self._top, self._bottom = top, bottom

    def _apply(self, x: Array) -> Array:
        return np.concatenate([self._top @ x, self._bottom @ x])

    def _apply_transpose(self, y: Array) -> Array:
        n = self._top.shape[0]
        above: Array = self._top.T @ y[:n]
        return above + self._bottom.T @ y[n:]


class Quarters(SpatialOperator):
    """Two rows of two operators; None is zero."""

    def __init__(self, label: Label, first: Row, second: Row) -> None:
        whole = [x for x in (first[0], second[1]) if x is not None]
        n, m = (x.shape[0] for x in whole)
        super().__init__(label, (n + m, n + m))
        self._rows, self._n = (first, second), n

    def _apply(self, x: Array) -> Array:
        return np.concatenate([self._sum(row, x) for row in self._rows])

    def _apply_transpose(self, y: Array) -> Array:
        columns = zip(*self._rows, strict=True)
        flipped = [tuple(None if a is None else a.T for a in column) for column in columns]
        return np.concatenate([self._sum((a, b), y) for a, b in flipped])

    def _sum(self, row: Row, x: Array) -> Array:
        parts = zip(row, (x[: self._n], x[self._n :]), strict=True)
        terms = [a @ part for a, part in parts if a is not None]
        return np.asarray(sum(terms[1:], terms[0]))
