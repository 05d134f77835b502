"""Products with a list of small blocks, by which the spatial operators are applied.

Five numbers in `table` describe a block: its first row and column, its numbers of rows and columns,
and where in `numbers` its entries are, row by row.  x and y hold `width` columns side by side.
"""

from __future__ import annotations

from .compiling import jit

ROW, COLUMN, N_ROW, N_COLUMN, PLACE, BLOCK = range(6)


@jit
def _one_column(numbers, place, n_row, n_column, by_row, by_column, x, c, y, r):
    """Add one block, whose entries are by_row and by_column apart, to a single column."""
    for i in range(n_row):
        o, total = place + i * by_row, 0.0
        for j in range(n_column):
            total += numbers[o + j * by_column] * x[c + j]
        y[r + i] += total


@jit
def _columns(numbers, place, n_row, n_column, by_row, by_column, x, c, y, r, width):
    """Add one block, whose entries are by_row and by_column apart, to several columns."""
    for i in range(n_row):
        target = (r + i) * width
        for j in range(n_column):
            entry, source = numbers[place + i * by_row + j * by_column], (c + j) * width
            for k in range(width):
                y[target + k] += entry * x[source + k]


@jit
def multiply_blocks(table, numbers, x, y, width, transposed, backwards):
    """Add each block, or its transpose, times its part of x to its part of y.

    The blocks are taken in their order or backwards.  Where x is y, each product sees what those
    before it have added: this is a sweep along a tree.
    """
    n = len(table) // BLOCK
    for k in range(n):
        o = (n - 1 - k if backwards else k) * BLOCK
        r, c, place = table[o + ROW], table[o + COLUMN], table[o + PLACE]
        n_row, n_column = table[o + N_ROW], table[o + N_COLUMN]
        by_row, by_column = n_column, 1
        if transposed:
            r, c, n_row, n_column, by_row, by_column = c, r, n_column, n_row, 1, n_column
        if width == 1:
            _one_column(numbers, place, n_row, n_column, by_row, by_column, x, c, y, r)
        else:
            _columns(numbers, place, n_row, n_column, by_row, by_column, x, c, y, r, width)
