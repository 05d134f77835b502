"""What is watched while a run goes on: spin, motion beyond reason, the error of fixed steps."""

from __future__ import annotations

import math

from ..compiling import jit
from ..layout import BODY, MODAL_Q, MODAL_V, N_MODE, N_V, POSITIVE, RATE
from .evaluate import evaluate
from .explicit import explicit_step
from .layout import (
    END,
    ERROR_LARGEST,
    ERROR_SUM,
    ERROR_WORST,
    FLEXIBLES,
    LIMITS,
    N_FLEXIBLE,
    N_STEPS,
    PARAMETERS,
    STEP,
    WORST,
)

EVERY_STEPS = 64  # of so many fixed steps of an explicit method one is taken by halves, too


@jit
def watch_spin(ints, scratch, plan, memory):
    """Keep the fastest turning of each flexible body."""
    for k in range(plan[N_FLEXIBLE]):
        at = plan[FLEXIBLES] + 2 * k
        b = (ints[plan[at] + BODY] & POSITIVE) + RATE
        w = scratch[b] * scratch[b] + scratch[b + 1] * scratch[b + 1] + scratch[b + 2] ** 2
        m = plan[at + 1]
        memory[m] = max(memory[m], math.sqrt(w))


@jit
def beyond_reason(ints, plan, table, memory, q, v):
    """Whether a speed or the deflection of a mode is beyond its limit; memory[WORST] says which."""
    n, o = ints[N_V], plan[LIMITS] & POSITIVE
    for k in range(n):
        if not abs(v[k]) <= table[o + k]:
            memory[WORST] = k
            return True
    for k in range(plan[N_FLEXIBLE]):
        row = plan[plan[FLEXIBLES] + 2 * k]
        o_q, o_v = ints[row + MODAL_Q] & POSITIVE, ints[row + MODAL_V] & POSITIVE
        for j in range(ints[row + N_MODE]):
            if not abs(q[o_q + j]) <= table[o + n + o_v + j]:
                memory[WORST] = o_v + j
                return True
    return False


@jit
def is_sampled(memory):
    """Whether the error of the next fixed step is looked at."""
    return int(memory[N_STEPS]) % EVERY_STEPS == 0


@jit
def by_halves(system, given, room, t, h, q0, v0, x0, s, q, v, x, q1, v1, S, V, flags):
    """Speeds v1 at the end of a step that is taken as two; 0 or a failure.  q, v, x: half-way."""
    half = 0.5 * h
    status = explicit_step(system, given, room, t, half, q0, v0, x0, s, q, v, S, V, flags)
    if status == 0:
        status = evaluate(system, given, room, t + half, q, v, x, flags)
    if status == 0:
        status = explicit_step(system, given, room, t + half, half, q, v, x, s, q1, v1, S, V, flags)
    return status


@jit
def note_sampled_error(plan, table, memory, t, v1, halved, weights, n):
    """Add the difference of both speeds, for this step and those until the next look."""
    p = plan[PARAMETERS]
    left = max(1.0, math.floor((table[p + END] - t) / table[p + STEP] + 0.5))
    worst, which = 0.0, 0
    for k in range(n):
        e = abs(v1[k] - halved[k]) / weights[n + k]
        if not e <= worst:
            worst, which = e, k
    note_error(memory, min(left, float(EVERY_STEPS)), worst, which)


@jit
def note_error(memory, steps, error, which):
    """Add the estimated error of so many steps."""
    memory[ERROR_SUM] += steps * error
    if error > memory[ERROR_LARGEST]:
        memory[ERROR_LARGEST] = error
        memory[ERROR_WORST] = which
