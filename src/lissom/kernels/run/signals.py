"""Given functions of time: constants, piecewise polynomials, and called functions."""

from __future__ import annotations

from ..compiling import uncounted
from ..layout import run
from .calls import COMPILED, call, instant
from .remembered import recall, remember


@uncounted
def signal(plan, table, memory, s, t, q, v, out, o, orders):
    """Write the n values of the signal at plan[s:], then their rates up to `orders`, to out[o:].

    At a corner, where a step ends and the next one starts, the first uses the values before it and
    the second those after it: the piece is selected half-way between the start of the step and t.
    Returns 0, or the status of a called function.
    """
    row = run.SignalRow(plan, s, 0)
    kind, n = row.kind, row.n
    if kind == run.CALLED:
        which, now = row.which, instant(plan, table, memory, t)
        records = row.records
        if records != 0 and recall(memory, records, n, orders, now, q, v, out, o):
            return 0
        memory[run.N_CALLS] += 1.0
        status = call(row.address, which, now, q, v, memory, 0, out, o)
        if orders > 0 and status == 0 and which >= COMPILED and memory[run.LATE] != 0.0:
            _correct(memory[run.LATE], n, out, o, orders)
        if records != 0 and status == 0:
            remember(memory, records, n, orders, now, q, v, out, o)
        return status
    c = row.constants
    if kind == run.CONSTANT:
        for k in range(n):
            out[o + k] = table[c + k]
        for k in range(n, n * (orders + 1)):
            out[o + k] = 0.0
        return 0
    pieces, width = row.pieces, row.degree + 1
    inside = 0.5 * (memory[run.TIME] + t)
    sought = inside if row.corners != 0 else t
    low, high = 0, pieces
    while high - low > 1:
        middle = (low + high) // 2
        if table[c + middle] <= sought:
            low = middle
        else:
            high = middle
    x = t - table[c + low]
    if t > table[c + pieces]:  # constant beyond the ends
        x = table[c + pieces] - table[c + low]
    outside = inside >= table[c + pieces] or inside < table[c]
    if t < table[c]:
        x = 0.0
    at = c + pieces + 1 + low * n * width
    for k in range(n):
        value, rate, second = 0.0, 0.0, 0.0
        for j in range(width):  # highest power first
            second = second * x + 2.0 * rate
            rate = rate * x + value
            value = value * x + table[at + k * width + j]
        out[o + k] = value
        if orders > 0:
            out[o + n + k] = 0.0 if outside else rate
        if orders > 1:
            out[o + 2 * n + k] = 0.0 if outside else second
    return 0


@uncounted
def _correct(late, n, out, o, orders):
    """Move values and rates from the rounded time, where they were taken, to that of the run."""
    for k in range(o, o + n):
        second = out[k + 2 * n] if orders > 1 else 0.0
        out[k] += late * (out[k + n] + 0.5 * late * second)
        out[k + n] += late * second
