"""A run between two returns to Python: controllers, rows of results, steps, events.

What a run needs to go on is in `memory`; where `advance` returns in between does not change the
result.  At an instant: controllers are sampled, accelerations found, a row is written if one is
due.  Then a step, the rows within it, and a look at the events; if one of these crossed zero, the
step is not taken and Python looks for the instant.
"""

from __future__ import annotations

from numba import types

from .. import fields as field
from ..compiling import Entry, jit
from ..fields import POSITIVE
from . import fields as run
from .calls import call
from .evaluate import evaluate, solve_mass
from .event_values import crossed, event_values, keep_values
from .expected import note_expected
from .explicit import (
    error_norm,
    explicit_step,
    runge_kutta,
    stage,
)
from .implicit import alpha_error, generalized_alpha, implicit_euler
from .inside import look_inside
from .loads import SLOT_RECORD
from .projection import settle
from .rows import row_due, rows_within, write_row
from .watch import (
    beyond_reason,
    by_halves,
    is_sampled,
    note_error,
    note_sampled_error,
    watch_spin,
)

MOST_DIVISIONS = 20
SAFETY, SHRINK, GROW = 0.9, 0.2, 6.0
# An error beyond this is a jump inside the step, of which estimates see a small part: until it is
# passed they count so many times.
SURPRISE, ROUGH = 30.0, 30.0
FARTHEST = 8.0  # times the step that the lead was found in, over which it is extended


@jit
def advance(ints, floats, scratch, stiff, plan, table, memory, work, rows, capacity, budget, mode):
    """Go on to the end, to an event, until the rows are full or the evaluations are used up.

    rows: flat, room for `capacity` rows; memory[N_ROWS] says how many were written.  mode: ON, or
    one step of memory[NEXT_STEP] without events, without or with the rows in it; SOLVE: only
    x1 = M^-1 a1 at the present coordinates; SETTLE: given motions and closed loops in the state.
    """
    n_q, n = ints[field.N_Q], ints[field.N_V]
    flags, p, method = plan[run.FLAGS], plan[run.PARAMETERS], plan[run.METHOD]
    adaptive = plan[run.ADAPTIVE] != 0
    total = plan[run.N_STAGE] + 1 + plan[run.N_DENSE]
    q0, v0 = memory[plan[run.O_Q] : plan[run.O_Q] + n_q], memory[plan[run.O_V] : plan[run.O_V] + n]
    x0, a0 = memory[plan[run.O_X] : plan[run.O_X] + n], memory[plan[run.O_A] : plan[run.O_A] + n]
    b0 = memory[plan[run.O_B] : plan[run.O_B] + n]
    q1, q2 = work[:n_q], work[n_q : 2 * n_q]
    o = 2 * n_q
    v1, v2 = _vector(work, o, n, run.W_V1), _vector(work, o, n, run.W_V2)
    x1, a1 = _vector(work, o, n, run.W_X1), _vector(work, o, n, run.W_A1)
    s, out = _vector(work, o, n, run.W_S), _vector(work, o, n, run.W_OUT)
    T, x = _vector(work, o, n, run.W_FORCES), _vector(work, o, n, run.W_X)
    extra, A = _vector(work, o, n, run.W_EXTRA), _vector(work, o, n, run.W_A)
    K, C = _vector(work, o, n, run.W_K), _vector(work, o, n, run.W_C)
    weights = work[o + run.W_WEIGHTS * n : o + run.W_A2 * n]
    a2, sides = _vector(work, o, n, run.W_A2), work[o + run.W_SIDES * n : o + run.N_VECTOR * n]
    o += run.N_VECTOR * n
    S, V = work[o : o + total * n], work[o + total * n : o + 2 * total * n]
    o += 2 * total * n
    slots = work[o : o + plan[run.N_SLOT] * SLOT_RECORD]
    o += plan[run.N_SLOT] * SLOT_RECORD
    buffer = work[o : o + plan[run.ROOM]]
    o += plan[run.ROOM]
    values, saved = work[o : o + plan[run.N_EVENT]], work[o + plan[run.N_EVENT] :]
    o += plan[run.N_EVENT] + run.M_HEADER
    M = work[o : o + plan[run.DENSE] * n].reshape((plan[run.DENSE], n))
    room = (T, x, extra, slots, buffer, M, x1)
    system, stiff_system = (ints, floats, scratch), (ints, floats, stiff)
    used = stiff_system if method >= run.IMPLICIT_EULER else system
    given = (plan, table, memory)
    end, tick = table[p + run.END], table[p + run.TICK]
    if mode == run.SOLVE:
        return solve_mass(system, q0, a1, x1, flags)
    if mode == run.SETTLE:
        return settle(system, given, room, memory[run.TIME], q0, v0, s, out, flags)
    first = memory[run.N_EVALUATIONS]
    while True:
        t = memory[run.TIME]
        if mode == run.ON:
            if _sample(plan, table, memory, t, q0, v0) != 0:
                return run.CALL_FAILED
            if memory[run.FRESH] == 0.0 and method != run.IMPLICIT_EULER:
                status = evaluate(system, given, room, t, q0, v0, out, flags)
                if status != 0:
                    return status
                for k in range(n):
                    if method == run.GENERALIZED_ALPHA:
                        b0[k] += out[k] - x0[k]
                    x0[k] = out[k]
            if plan[run.N_EVENT] != 0 and memory[run.KNOWN] == 0.0:
                if event_values(plan, table, memory, t, q0, v0, values) != 0:
                    return run.CALL_FAILED
                keep_values(plan, memory, values)
            due = row_due(plan, table, memory, t)
            if due or memory[run.FORCED] != 0.0:
                if memory[run.N_ROWS] >= capacity:
                    return run.ROWS_FULL
                if memory[run.FRESH] != 0.0 or method == run.IMPLICIT_EULER:
                    status = evaluate(system, given, room, t, q0, v0, out, flags)
                    if status != 0:
                        return status
                write_row(system, given, room, t, q0, v0, out, rows, flags)
                memory[run.FORCED] = 0.0
                if due:
                    memory[run.NEXT_OUTPUT] += 1.0
                memory[run.SUB] = 1.0  # this instant has its row
            memory[run.FRESH] = 1.0
            note_expected(system, given, t, x0)
            if t >= end - tick:
                return run.FINISHED
            if memory[run.N_EVALUATIONS] - first >= budget:
                return run.MORE
        limit = _next_instant(plan, table, memory, t, adaptive)
        for k in range(run.NEXT_STEP, run.N_ROWS):
            saved[k] = memory[k]
        divisions, h, t1, status, ready = 0, 0.0, t, 0, False
        _set_weights(plan, table, v0, v0, n, weights)
        while True:  # until a step is accepted
            h = limit - t
            if mode != run.ON:
                h = memory[run.NEXT_STEP]
            elif adaptive:
                h = _cut(h, memory[run.NEXT_STEP])
            elif divisions > 0:
                h = h / (1 << divisions)
            if not t + 0.01 * h > t:
                return status if status != 0 else run.STALLED
            status, halved = 0, False
            if method == run.RUNGE_KUTTA and adaptive:
                status = runge_kutta(system, given, room, t, h, q0, v0, x0, s, q1, v1, S, V, flags)
                if status == 0:
                    i = plan[run.N_STAGE]
                    status = stage(
                        system, given, room, i, i, plan[run.TABLEAU] + i * total, 1.0, t, h, q0, v0,
                        s, q1, v1, S, V, flags,
                    )  # fmt: skip
            elif method == run.RUNGE_KUTTA or method == run.EULER_CROMER:
                if mode == run.ON and is_sampled(memory):
                    status = by_halves(
                        system, given, room, t, h, q0, v0, x0, s, q2, v2, K, q1, C, S, V, flags
                    )
                    if status == run.CALL_FAILED:
                        return status
                    halved = status == 0
                status = explicit_step(
                    system, given, room, t, h, q0, v0, x0, s, q1, v1, S, V, flags
                )
            elif method == run.GENERALIZED_ALPHA:
                lead = min(h, FARTHEST * memory[run.LEAD_STEP])
                for k in range(n):
                    a2[k] = x0[k] + lead * a0[k]
                status = generalized_alpha(
                    stiff_system, given, room, t, h, q0, v0, x0, b0, a2, s, q1, v1, x1, a1, K, C,
                    A, sides, weights, out, flags,
                )  # fmt: skip
            else:
                status = implicit_euler(
                    stiff_system, given, room, t, h, q0, v0, s, q1, v1, K, C, A, sides, out, flags
                )
            if status == run.CALL_FAILED:
                return status
            t1 = t + h
            if mode == run.ON and abs(limit - t1) <= tick:
                t1 = limit
            if status == 0 and (mode != run.ON or not adaptive):
                if mode == run.ON and method == run.GENERALIZED_ALPHA:
                    error = alpha_error(given, h, n, a2, a1, weights)
                    note_error(memory, 1.0, error, memory[run.WORST])
                elif halved:
                    _set_weights(plan, table, v0, v1, n, weights)
                    note_sampled_error(plan, table, memory, t, v1, C, weights, n)
                status = settle(used, given, room, t1, q1, v1, s, out, flags)
            if mode != run.ON:
                if status != 0:
                    return status
                break
            if not adaptive:
                if status == 0:
                    break
                if (
                    status != run.DIVERGED and status != run.LOOP_OPEN
                ) or divisions == MOST_DIVISIONS:
                    return status
                divisions += 1
                memory[run.N_DIVIDED] += 1.0
                continue
            if status == 0:
                _set_weights(plan, table, v0, v1, n, weights)
                if method == run.RUNGE_KUTTA:
                    error = error_norm(system, given, h, S, V, weights)
                else:
                    error = alpha_error(given, h, n, a2, a1, weights)
                local = error
                if not error <= SURPRISE:
                    memory[run.ROUGH_UNTIL] = max(memory[run.ROUGH_UNTIL], t1)
                rough = t < memory[run.ROUGH_UNTIL]
                if rough:  # as far as rounding allows
                    error *= min(ROUGH, 1.0 / table[p + run.LEAST_SHARE])
                if not rough or method == run.GENERALIZED_ALPHA:
                    error /= max(min(1.0, h * table[p + run.SHARE]), table[p + run.LEAST_SHARE])
                wanted, last = memory[run.NEXT_STEP], memory[run.LAST_ERROR]
                if _accept(plan, table, memory, h, error):
                    if plan[run.LOOK] != 0 and method == run.RUNGE_KUTTA:
                        earlier, status, ready = look_inside(
                            system, given, room, t, h, t1, q0, v0, s, q2, v2, S, V, out, K,
                            weights, values, flags,
                        )  # fmt: skip
                        if status == 0 and earlier < t1:
                            limit = earlier
                            memory[run.NEXT_STEP], memory[run.LAST_ERROR] = wanted, last
                            memory[run.N_REJECTED] += 1.0
                            continue
                    if status == 0:
                        status = settle(used, given, room, t1, q1, v1, s, out, flags)
                    if status == 0:
                        if method == run.GENERALIZED_ALPHA:
                            note_error(memory, 1.0, local, memory[run.WORST])
                        break
                    if status == run.CALL_FAILED:
                        return status
            if status != 0:
                memory[run.NEXT_STEP] = 0.25 * h
                memory[run.REJECTED_LAST] = 1.0
            memory[run.N_REJECTED] += 1.0
        passed = False
        if plan[run.N_EVENT] != 0:
            if event_values(plan, table, memory, t1, q1, v1, values) != 0:
                return run.CALL_FAILED
            passed = mode == run.ON and crossed(plan, memory, values)
        if passed:
            memory[run.TRIED] = t1 - t
            return run.EVENT
        if adaptive and method == run.RUNGE_KUTTA and mode != run.ONE_STEP:
            status = rows_within(
                system, given, room, t, h, t1, q0, v0, s, q2, v2, S, V, out, rows, capacity,
                ready, flags,
            )  # fmt: skip
            if status != 0:  # the step will be taken again, from where it began
                output, sub = memory[run.NEXT_OUTPUT], memory[run.SUB]
                _forget_step(memory, saved)
                memory[run.NEXT_OUTPUT], memory[run.SUB] = output, sub
                return status
        # The step is taken
        for k in range(n_q):
            q0[k] = q1[k]
        for k in range(n):
            v0[k] = v1[k]
        memory[run.FRESH] = 0.0
        if method == run.GENERALIZED_ALPHA:
            _keep_lead(memory, h, x1, a1, a0, n)
            for k in range(n):
                b0[k] = x0[k]
                x0[k] = x1[k]
            memory[run.FRESH] = 1.0
        elif adaptive and plan[run.PROJECT] == 0:
            i = plan[run.N_STAGE] * n
            for k in range(n):
                x0[k] = V[i + k]
            memory[run.FRESH] = 1.0
        if ints[field.LOOPS] != 0:
            nearest = used[2][ints[ints[field.LOOPS] + field.CLOSING] + field.LEAST_LEFT]
            if nearest < memory[run.NEAREST]:
                memory[run.NEAREST] = nearest
                memory[run.NEAREST_TIME] = t1
        memory[run.TIME] = t1
        memory[run.LAST_STEP] = h
        memory[run.SUB] = 0.0
        memory[run.N_STEPS] += 1.0
        memory[run.SMALLEST] = min(memory[run.SMALLEST], h)
        memory[run.LARGEST] = max(memory[run.LARGEST], h)
        if plan[run.N_EVENT] != 0:
            keep_values(plan, memory, values)
        _pass_instants(plan, table, memory, t1)
        watch_spin(ints, used[2], plan, memory)
        if beyond_reason(ints, plan, table, memory, q0, v0):
            return run.BEYOND_REASON
        if mode != run.ON:
            return run.MORE


@jit
def _vector(work, o, n, k):
    """Vector k of n numbers."""
    return work[o + k * n : o + (k + 1) * n]


@jit
def _cut(h, wanted):
    """Step towards an instant that is h away: the whole of it, half of it, or what is wanted."""
    if wanted >= (1.0 - 1e-6) * h:
        return h
    return 0.5 * h if wanted > 0.5 * h else wanted


@jit
def _forget_step(memory, saved):
    """Put back what a step changes that is then not taken."""
    for k in range(run.NEXT_STEP, run.N_ROWS):
        memory[k] = saved[k]


@jit
def _keep_lead(memory, h, x1, a1, lead, n):
    """Lead of the algorithmic accelerations over x, per second: it serves steps of any length.

    A step that is much shorter than the one it was found in tells little about it, unless such
    steps go on for as long.
    """
    memory[run.LEAD_AGE] += h
    if h >= 0.5 * memory[run.LEAD_STEP] or memory[run.LEAD_AGE] > memory[run.LEAD_STEP]:
        for k in range(n):
            lead[k] = (a1[k] - x1[k]) / h
        memory[run.LEAD_STEP] = h
        memory[run.LEAD_AGE] = 0.0


@jit
def _accept(plan, table, memory, h, error):
    """Whether the error allows the step; the next step by a controller with memory (PI)."""
    k = table[plan[run.PARAMETERS] + run.EXPONENT]
    if not error <= 1.0:  # also not a number
        factor = max(SHRINK, SAFETY * error ** (-k)) if error < 1e30 else SHRINK
        memory[run.NEXT_STEP] = factor * h
        memory[run.REJECTED_LAST] = 1.0
        return False
    error = max(error, 1e-10)
    factor = SAFETY * error ** (-0.8 * k) * max(memory[run.LAST_ERROR], 1e-4) ** (0.2 * k)
    factor = min(GROW, max(SHRINK, factor))
    if memory[run.REJECTED_LAST] != 0.0:
        factor = min(1.0, factor)
    largest = table[plan[run.PARAMETERS] + run.STEP]
    wanted = min(factor * h, largest)
    if h >= 0.99 * memory[run.NEXT_STEP] or wanted < memory[run.NEXT_STEP]:
        memory[run.NEXT_STEP] = wanted  # a step that was cut short does not shorten the next ones
    memory[run.LAST_ERROR] = error
    memory[run.REJECTED_LAST] = 0.0
    return True


@jit
def _set_weights(plan, table, v0, v1, n, weights):
    """What errors of positions and speeds are measured by."""
    o, rtol = plan[run.WEIGHTS], table[plan[run.PARAMETERS] + run.RTOL]
    for k in range(n):
        weights[k] = table[o + k]
        weights[n + k] = table[o + n + k] + rtol * max(abs(v0[k]), abs(v1[k]))


@jit
def _sample(plan, table, memory, t, q, v):
    """Call the controllers whose instant it is."""
    start, tick = table[plan[run.PARAMETERS] + run.START], table[plan[run.PARAMETERS] + run.TICK]
    for k in range(plan[run.N_CONTROLLER]):
        e = plan[run.CONTROLLERS] + k * run.E_ROW
        number, held = plan[e + run.E_TABLE] & POSITIVE, plan[e + run.E_MEMORY] & POSITIVE
        m = plan[e + run.E_B] & POSITIVE  # memory: number of the next sample, then its own memory
        if t >= start + memory[m] * table[number] - tick:
            status = call(
                plan[e + run.E_ADDRESS], plan[e + run.E_WHICH], t, q, v, memory, m + 1, memory, held
            )
            if status != 0:
                return status
            memory[m] += 1.0
            memory[run.FRESH] = 0.0
    return 0


@jit
def _next_instant(plan, table, memory, t, adaptive):
    """The next instant that a step must not cross."""
    p = plan[run.PARAMETERS]
    start, tick = table[p + run.START], table[p + run.TICK]
    limit = table[p + run.END]
    if not adaptive:
        limit = min(limit, start + (memory[run.GRID] + 1.0) * table[p + run.STEP])
    elif plan[run.METHOD] == run.GENERALIZED_ALPHA and table[p + run.OUTPUT_STEP] > 0.0:
        limit = min(limit, start + memory[run.NEXT_OUTPUT] * table[p + run.OUTPUT_STEP])
    for k in range(plan[run.N_CONTROLLER]):
        e = plan[run.CONTROLLERS] + k * run.E_ROW
        instant = start + memory[plan[e + run.E_B]] * table[plan[e + run.E_TABLE]]
        if instant < limit - tick:
            limit = instant
    if memory[run.NEXT_STOP] < plan[run.N_STOP]:
        instant = table[plan[run.STOPS] + int(memory[run.NEXT_STOP])]
        if instant < limit - tick:
            limit = instant
    return limit


@jit
def _pass_instants(plan, table, memory, t):
    """Note what the new instant is: the end of a whole step, a corner of a given function."""
    p = plan[run.PARAMETERS]
    start, tick = table[p + run.START], table[p + run.TICK]
    memory[run.ON_GRID] = 0.0
    if (
        plan[run.ADAPTIVE] == 0
        and t >= start + (memory[run.GRID] + 1.0) * table[p + run.STEP] - tick
    ):
        memory[run.GRID] += 1.0
        memory[run.ON_GRID] = 1.0
    while memory[run.NEXT_STOP] < plan[run.N_STOP]:
        if t < table[plan[run.STOPS] + int(memory[run.NEXT_STOP])] - tick:
            break
        memory[run.NEXT_STOP] += 1.0
        memory[run.FRESH] = 0.0


_INTS = types.Array(types.int64, 1, "C")
_FLOATS = types.Array(types.float64, 1, "C")
ADVANCE = Entry(
    advance,
    types.int64(
        _INTS, _FLOATS, _FLOATS, _FLOATS, _INTS, _FLOATS, _FLOATS, _FLOATS, _FLOATS,
        types.int64, types.int64, types.int64,
    ),
    "simulation",
    seconds=60,
)  # fmt: skip
