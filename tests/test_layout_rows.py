"""Rows of flat arrays that are read by name, in Python and by Numba's compiler."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from lissom.kernels.compiling import LIBRARY, PLAIN
from lissom.kernels.layout import numba_rows
from lissom.kernels.layout.rows import NamedRow, Number, Offset, Vector, pieces, tuple_of_pieces


class _EndRow(NamedRow):
    place: Offset
    sign: Number


class _LinkRow(NamedRow):
    body: Number
    axis: Vector
    first: _EndRow
    second: _EndRow


ROWS = (_EndRow, _LinkRow)
if LIBRARY is not None or PLAIN:
    for row in ROWS:
        numba_rows.register(row)


def _change(x, o, k):
    link = _LinkRow(x, o, k)
    link.body += 2
    a, b, c = link.axis
    link.axis = b, c, a
    end = link.second
    if link.body > 100:
        end = link.first
    end.sign = 50
    return end.place


EXPECTED = [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 11, 12, 10, 13, 14, 15, 50, 17]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("number", [int, float])
@pytest.mark.parametrize("stride", [1, 3])
def test_a_name_is_its_place_in_the_array(compiled, number, stride):
    x = np.zeros(18 * stride, dtype=number)[::stride]
    x[:] = range(18)
    if number is float and compiled:  # a mask is for integers
        return
    change = numba.njit(_change) if compiled and not PLAIN else _change
    assert change(x, 1, 1) == 15
    assert x.tolist() == EXPECTED


@pytest.mark.skipif(PLAIN, reason="nothing is compiled")
def test_offsets_are_known_not_to_be_negative():
    @numba.njit
    def place(x):
        return _EndRow(x, 0).place, _EndRow(x, 0).sign

    assert place(np.array([-1, -1])) == ((1 << 47) - 1, -1)


@pytest.mark.skipif(PLAIN, reason="nothing is compiled")
def test_a_name_that_is_not_declared_is_refused_by_the_compiler():
    with pytest.raises(numba.TypingError, match="wheel"):
        numba.njit(lambda x: _EndRow(x, 0).wheel)(np.zeros(2, dtype=int))


def test_a_table_has_a_column_for_each_name():
    x = np.arange(16)
    table = _LinkRow.table(x)
    table[1].first.sign = -1
    assert table.axis.tolist() == [[1, 2, 3], [9, 10, 11]]
    assert table.second.place.tolist() == [6, 14]
    assert x[13] == -1
    assert _LinkRow.size == 8


class _Pieces(NamedRow):
    first: Offset
    second: Offset
    end: Offset


if LIBRARY is not None or PLAIN:
    numba_rows.register(_Pieces)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("stride", [1, 2])
def test_pieces_end_where_the_next_begins(compiled, stride):
    x, places = np.arange(12.0)[::stride], np.array([1, 3, 4])
    if compiled and not PLAIN:
        cut = numba.extending.intrinsic(
            lambda context, array, row: numba_rows.cut_array(tuple_of_pieces(_Pieces), array, row)
        )

        @numba.njit
        def both(x, places):
            p = cut(x, _Pieces(places, 0))
            p.second[0] += 100.0
            return p.first, p.second

        first, second = both(x, places)
    else:
        first, second = pieces(x, _Pieces(places, 0))
        second[0] += 100.0
    assert first.tolist() == [stride * 1.0, stride * 2.0]
    assert second.tolist() == [100.0 + stride * 3.0]
    assert x[3] == 100.0 + stride * 3.0
