"""Rows of flat arrays that are read by name, in Python and by Numba's compiler."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import lissom as ls
from lissom.kernels.compiling import LIBRARY, PLAIN, inlined
from lissom.kernels.layout import numba_rows, run
from lissom.kernels.layout.rows import NamedRow, Number, Offset, Vector, pieces, tuple_of_pieces
from lissom.kernels.run.registry import switch


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


def test_a_misspelt_name_is_refused():
    with pytest.raises(AttributeError, match="plaice"):
        _EndRow(np.zeros(2), 0).plaice = 1
    with pytest.raises(AttributeError, match="place"):
        _EndRow.table(np.zeros(2)).place = 1


def test_a_table_has_a_column_for_each_name():
    x = np.arange(16)
    table = _LinkRow.table(x)
    table[1].first.sign = -1
    table.body[:] *= 2
    assert [link.axis for link in table] == [(1, 2, 3), (9, 10, 11)]
    assert table.body.tolist() == [0, 16]
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


def test_every_number_of_a_run_belongs_to_one_piece():
    model = ls.Model("arm")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Spherical(), name="a")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Revolute("y"), to="a", name="b")
    system = model.compile()
    loads = [
        ls.Servo("b", 0.1, kp=1.0, ki=1.0),
        ls.NodeSpring("b", None, 10.0, at_b=(1, 2, 3)),
        ls.NodeForce("a", lambda t, state: state.v[:3]),
    ]
    settings = {"step": 0.01, "integrator": "linearly_implicit_euler"}
    machine = ls.Stepper(system, system.neutral(), loads=loads, **settings)._run.machine
    machine.work[:] = machine.memory[run.M_HEADER :] = 0.0
    head = machine.head
    for places in (head.work, head.at_loops, head.at_rows, head.at_watched):
        for piece in pieces(machine.work, places):
            piece += 1.0
    for piece in pieces(machine.memory, head.memory):
        piece += 1.0
    assert len(pieces(machine.work, head.at_rows).U) > 0
    assert np.all(machine.work == 1.0)
    assert np.all(machine.memory[run.M_HEADER :] == 1.0)


def test_a_switch_calls_the_kernel_of_a_number():
    chosen = switch([inlined(lambda x: x + 1), None, inlined(lambda x: 2 * x)], -1)

    def call(k, x):
        return chosen(k, x)

    call = call if LIBRARY is not None or PLAIN else numba.njit(call)
    assert [call(k, 10) for k in range(4)] == [11, -1, 20, -1]
