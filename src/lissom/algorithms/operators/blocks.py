"""Operators that are lists of small blocks; products run in compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ...kernels.entries import MULTIPLY_BLOCKS
from .algebra import Label, SpatialOperator

Array = np.ndarray
# Rows, entries and columns of a block
Block = tuple[slice, Array, slice]


class Blocks(SpatialOperator):
    """Sum of small blocks, each at its place.

    Parameters
    ----------
    label : Label
        Name, cost and state.
    shape : (int, int)
        Rows and columns of the operator.
    places : sequence of (slice, array, slice)
        Rows, entries and columns of each block.
    """

    def __init__(self, label: Label, shape: tuple[int, int], places: Sequence[Block]) -> None:
        super().__init__(label, shape)
        self.places = [block for block in places if block[1].size]

    @cached_property
    def packed(self) -> tuple[Array, Array] | None:
        """Table and entries for the kernel (`kernels.blocks`); None for complex numbers."""
        if any(np.iscomplexobj(block) for _, block, _ in self.places):
            return None
        table, place = [], 0
        for rows, block, columns in self.places:
            table.append((rows.start, columns.start, *block.shape, place))
            place += block.size
        numbers = [np.asarray(block, dtype=float).ravel() for _, block, _ in self.places]
        return np.array(table, dtype=np.int64).ravel(), np.concatenate([np.zeros(0), *numbers])

    def add(self, x: Array, y: Array, *, transposed: bool = False, backwards: bool = False) -> None:
        """Add the product with columns x to y, block by block; x may be y itself.

        Parameters
        ----------
        x : array (columns, k)
            Factor.
        y : array (rows, k)
            Result; in one piece in memory, and complex where the blocks or x are.
        transposed : bool
            Whether each block is transposed.
        backwards : bool
            Whether the blocks are taken from the last to the first.
        """
        if self.packed is None:
            self._add_complex(x, y, transposed=transposed, backwards=backwards)
            return
        if not x.flags.carray or x.dtype != y.dtype:  # kernels take writable arrays in one piece
            x = np.array(x, dtype=y.dtype, order="C")
        # Blocks of real numbers multiply real and imaginary parts alike, as columns side by side.
        factor, result = x.view(float), y.view(float)
        kernel, k = MULTIPLY_BLOCKS.load(), result.shape[1]
        kernel(*self.packed, factor.reshape(-1), result.reshape(-1), k, transposed, backwards)

    def _add_complex(self, x: Array, y: Array, *, transposed: bool, backwards: bool) -> None:
        for rows, block, columns in reversed(self.places) if backwards else self.places:
            if transposed:
                y[columns] += block.T @ x[rows]
            else:
                y[rows] += block @ x[columns]

    def empty(self, n: int, x: Array) -> Array:
        """Zeros of n rows for the product with columns x."""
        return np.zeros((n, x.shape[1]), dtype=np.result_type(self.dtype, x))

    def _apply(self, x: Array) -> Array:
        y = self.empty(self.shape[0], x)
        self.add(x, y)
        return y

    def _apply_transpose(self, y: Array) -> Array:
        x = self.empty(self.shape[1], y)
        self.add(y, x, transposed=True)
        return x


class BlockDiagonal(Blocks):
    """One block for each body.

    Parameters
    ----------
    label : Label
        Name, cost and state.
    blocks : sequence of arrays
        Block of each body.
    rows, columns : sequence of slice
        Positions of the blocks.
    """

    def __init__(
        self,
        label: Label,
        blocks: Sequence[Array],
        rows: Sequence[slice],
        columns: Sequence[slice],
    ) -> None:
        shape = (rows[-1].stop, columns[-1].stop)
        super().__init__(label, shape, list(zip(rows, blocks, columns, strict=True)))
        self.blocks = tuple(blocks)
