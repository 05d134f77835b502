"""What plain functions of the user returned last, so that they are called once for an argument.

A step meets the same instants several times: stages of a method and iterations, the look along the
step (`kinks`), its end, which is the start of the next.  A function of time alone has COUNT records
that replace each other in turn; a function of the state has one, of the end of a step.  A record
holds while memory[EPOCH] is what it was: it counts whatever the user may have changed between.
"""

from __future__ import annotations

from ..compiling import uncounted
from ..layout import run

COUNT = 6  # more than the instants between the start of a step and the end of the look along it
MOST_ORDERS = 2
NEXT, OF_STATE, HEAD = range(3)  # of all records: the number of the next, whether they have a state
NOW, LATE, EPOCH, ORDERS, VALUES = range(5)  # of a record; a state, where there is one, is last


def remembered_size(n: int, state: int) -> int:
    """Size of the records of a function of n numbers, and of a state of so many (0: of time)."""
    if state:
        return HEAD + VALUES + n + state
    return HEAD + COUNT * (VALUES + n * (MOST_ORDERS + 1))


@uncounted
def remember(memory, m, n, orders, now, q, v, out, o):
    """Record the numbers at out[o:] in the records at memory[m:], after a call at `now`."""
    size, of_state = n * (orders + 1), memory[m + OF_STATE] != 0.0
    if of_state and (memory[run.KEEP] == 0.0 or orders != 0):
        return
    k = int(memory[m + NEXT])
    a = m + HEAD + k * (VALUES + n * (MOST_ORDERS + 1))
    memory[a + NOW], memory[a + LATE], memory[a + ORDERS] = now, memory[run.LATE], orders
    memory[a + EPOCH] = memory[run.EPOCH]
    for j in range(size):
        memory[a + VALUES + j] = out[o + j]
    if not of_state:
        memory[m + NEXT] = (k + 1) % COUNT
        return
    a += VALUES + n
    for j in range(len(q)):
        memory[a + j] = q[j]
    for j in range(len(v)):
        memory[a + len(q) + j] = v[j]


@uncounted
def recall(memory, m, n, orders, now, q, v, out, o):
    """Write the numbers of a call with these arguments to out[o:]; whether there are any."""
    of_state = memory[m + OF_STATE] != 0.0
    for k in range(1 if of_state else COUNT):
        a = m + HEAD + k * (VALUES + n * (MOST_ORDERS + 1))
        same = memory[a + NOW] == now and memory[a + LATE] == memory[run.LATE]
        same = same and memory[a + EPOCH] == memory[run.EPOCH] and memory[a + ORDERS] == orders
        if same and of_state:
            b = a + VALUES + n
            for j in range(len(q)):
                same = same and memory[b + j] == q[j]
            for j in range(len(v)):
                same = same and memory[b + len(q) + j] == v[j]
        if same:
            for j in range(n * (orders + 1)):
                out[o + j] = memory[a + VALUES + j]
            return True
    return False
