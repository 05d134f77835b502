"""A run between two returns to Python: controllers, rows of results, steps, events.

What a run needs to go on is in `memory`; where `advance` returns in between does not change the
result.  At an instant: controllers are sampled, accelerations found, a row is written if one is
due.  Then a step, the rows within it, and a look at the events; if one of these crossed zero, the
step is not taken and Python looks for the instant.
"""

from __future__ import annotations

from numba import types

from ..compiling import Entry, jit
from ..layout import CLOSING, LEAST_LEFT, LOOPS, N_Q, N_V, POSITIVE
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
from .layout import (
    ADAPTIVE,
    BEYOND_REASON,
    CALL_FAILED,
    CONTROLLERS,
    DENSE,
    DIVERGED,
    E_ADDRESS,
    E_B,
    E_MEMORY,
    E_ROW,
    E_TABLE,
    E_WHICH,
    END,
    EULER_CROMER,
    EVENT,
    EXPONENT,
    FINISHED,
    FLAGS,
    FORCED,
    FRESH,
    GENERALIZED_ALPHA,
    GRID,
    IMPLICIT_EULER,
    KNOWN,
    LARGEST,
    LAST_ERROR,
    LAST_STEP,
    LEAD_AGE,
    LEAD_STEP,
    LEAST_SHARE,
    LOOK,
    LOOP_OPEN,
    M_HEADER,
    METHOD,
    MORE,
    N_CONTROLLER,
    N_DENSE,
    N_DIVIDED,
    N_EVALUATIONS,
    N_EVENT,
    N_REJECTED,
    N_ROWS,
    N_SLOT,
    N_STAGE,
    N_STEPS,
    N_STOP,
    N_VECTOR,
    NEAREST,
    NEAREST_TIME,
    NEXT_OUTPUT,
    NEXT_STEP,
    NEXT_STOP,
    O_A,
    O_B,
    O_Q,
    O_V,
    O_X,
    ON,
    ON_GRID,
    ONE_STEP,
    OUTPUT_STEP,
    PARAMETERS,
    PROJECT,
    REJECTED_LAST,
    ROOM,
    ROUGH_UNTIL,
    ROWS_FULL,
    RTOL,
    RUNGE_KUTTA,
    SETTLE,
    SHARE,
    SMALLEST,
    SOLVE,
    STALLED,
    START,
    STEP,
    STOPS,
    SUB,
    TABLEAU,
    TICK,
    TIME,
    TRIED,
    W_A,
    W_A1,
    W_A2,
    W_C,
    W_EXTRA,
    W_FORCES,
    W_K,
    W_OUT,
    W_S,
    W_SIDES,
    W_V1,
    W_V2,
    W_WEIGHTS,
    W_X,
    W_X1,
    WEIGHTS,
    WORST,
)
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
    n_q, n = ints[N_Q], ints[N_V]
    flags, p, method = plan[FLAGS], plan[PARAMETERS], plan[METHOD]
    adaptive = plan[ADAPTIVE] != 0
    total = plan[N_STAGE] + 1 + plan[N_DENSE]
    q0, v0 = memory[plan[O_Q] : plan[O_Q] + n_q], memory[plan[O_V] : plan[O_V] + n]
    x0, a0 = memory[plan[O_X] : plan[O_X] + n], memory[plan[O_A] : plan[O_A] + n]
    b0 = memory[plan[O_B] : plan[O_B] + n]
    q1, q2 = work[:n_q], work[n_q : 2 * n_q]
    o = 2 * n_q
    v1, v2 = _vector(work, o, n, W_V1), _vector(work, o, n, W_V2)
    x1, a1 = _vector(work, o, n, W_X1), _vector(work, o, n, W_A1)
    s, out = _vector(work, o, n, W_S), _vector(work, o, n, W_OUT)
    T, x = _vector(work, o, n, W_FORCES), _vector(work, o, n, W_X)
    extra, A = _vector(work, o, n, W_EXTRA), _vector(work, o, n, W_A)
    K, C = _vector(work, o, n, W_K), _vector(work, o, n, W_C)
    weights = work[o + W_WEIGHTS * n : o + W_A2 * n]
    a2, sides = _vector(work, o, n, W_A2), work[o + W_SIDES * n : o + N_VECTOR * n]
    o += N_VECTOR * n
    S, V = work[o : o + total * n], work[o + total * n : o + 2 * total * n]
    o += 2 * total * n
    slots = work[o : o + plan[N_SLOT] * SLOT_RECORD]
    o += plan[N_SLOT] * SLOT_RECORD
    buffer = work[o : o + plan[ROOM]]
    o += plan[ROOM]
    values, saved = work[o : o + plan[N_EVENT]], work[o + plan[N_EVENT] :]
    o += plan[N_EVENT] + M_HEADER
    M = work[o : o + plan[DENSE] * n].reshape((plan[DENSE], n))
    room = (T, x, extra, slots, buffer, M, x1)
    system, stiff_system = (ints, floats, scratch), (ints, floats, stiff)
    used = stiff_system if method >= IMPLICIT_EULER else system
    given = (plan, table, memory)
    end, tick = table[p + END], table[p + TICK]
    if mode == SOLVE:
        return solve_mass(system, q0, a1, x1, flags)
    if mode == SETTLE:
        return settle(system, given, room, memory[TIME], q0, v0, s, out, flags)
    first = memory[N_EVALUATIONS]
    while True:
        t = memory[TIME]
        if mode == ON:
            if _sample(plan, table, memory, t, q0, v0) != 0:
                return CALL_FAILED
            if memory[FRESH] == 0.0 and method != IMPLICIT_EULER:
                status = evaluate(system, given, room, t, q0, v0, out, flags)
                if status != 0:
                    return status
                for k in range(n):
                    if method == GENERALIZED_ALPHA:
                        b0[k] += out[k] - x0[k]
                    x0[k] = out[k]
            if plan[N_EVENT] != 0 and memory[KNOWN] == 0.0:
                if event_values(plan, table, memory, t, q0, v0, values) != 0:
                    return CALL_FAILED
                keep_values(plan, memory, values)
            due = row_due(plan, table, memory, t)
            if due or memory[FORCED] != 0.0:
                if memory[N_ROWS] >= capacity:
                    return ROWS_FULL
                if memory[FRESH] != 0.0 or method == IMPLICIT_EULER:
                    status = evaluate(system, given, room, t, q0, v0, out, flags)
                    if status != 0:
                        return status
                write_row(system, given, room, t, q0, v0, out, rows, flags)
                memory[FORCED] = 0.0
                if due:
                    memory[NEXT_OUTPUT] += 1.0
                memory[SUB] = 1.0  # this instant has its row
            memory[FRESH] = 1.0
            note_expected(system, given, t, x0)
            if t >= end - tick:
                return FINISHED
            if memory[N_EVALUATIONS] - first >= budget:
                return MORE
        limit = _next_instant(plan, table, memory, t, adaptive)
        for k in range(NEXT_STEP, N_ROWS):
            saved[k] = memory[k]
        divisions, h, t1, status, ready = 0, 0.0, t, 0, False
        _set_weights(plan, table, v0, v0, n, weights)
        while True:  # until a step is accepted
            h = limit - t
            if mode != ON:
                h = memory[NEXT_STEP]
            elif adaptive:
                h = _cut(h, memory[NEXT_STEP])
            elif divisions > 0:
                h = h / (1 << divisions)
            if not t + 0.01 * h > t:
                return status if status != 0 else STALLED
            status, halved = 0, False
            if method == RUNGE_KUTTA and adaptive:
                status = runge_kutta(system, given, room, t, h, q0, v0, x0, s, q1, v1, S, V, flags)
                if status == 0:
                    i = plan[N_STAGE]
                    status = stage(
                        system, given, room, i, i, plan[TABLEAU] + i * total, 1.0, t, h, q0, v0,
                        s, q1, v1, S, V, flags,
                    )  # fmt: skip
            elif method == RUNGE_KUTTA or method == EULER_CROMER:
                if mode == ON and is_sampled(memory):
                    status = by_halves(
                        system, given, room, t, h, q0, v0, x0, s, q2, v2, K, q1, C, S, V, flags
                    )
                    if status == CALL_FAILED:
                        return status
                    halved = status == 0
                status = explicit_step(
                    system, given, room, t, h, q0, v0, x0, s, q1, v1, S, V, flags
                )
            elif method == GENERALIZED_ALPHA:
                lead = min(h, FARTHEST * memory[LEAD_STEP])
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
            if status == CALL_FAILED:
                return status
            t1 = t + h
            if mode == ON and abs(limit - t1) <= tick:
                t1 = limit
            if status == 0 and (mode != ON or not adaptive):
                if mode == ON and method == GENERALIZED_ALPHA:
                    error = alpha_error(given, h, n, a2, a1, weights)
                    note_error(memory, 1.0, error, memory[WORST])
                elif halved:
                    _set_weights(plan, table, v0, v1, n, weights)
                    note_sampled_error(plan, table, memory, t, v1, C, weights, n)
                status = settle(used, given, room, t1, q1, v1, s, out, flags)
            if mode != ON:
                if status != 0:
                    return status
                break
            if not adaptive:
                if status == 0:
                    break
                if (status != DIVERGED and status != LOOP_OPEN) or divisions == MOST_DIVISIONS:
                    return status
                divisions += 1
                memory[N_DIVIDED] += 1.0
                continue
            if status == 0:
                _set_weights(plan, table, v0, v1, n, weights)
                if method == RUNGE_KUTTA:
                    error = error_norm(system, given, h, S, V, weights)
                else:
                    error = alpha_error(given, h, n, a2, a1, weights)
                local = error
                if not error <= SURPRISE:
                    memory[ROUGH_UNTIL] = max(memory[ROUGH_UNTIL], t1)
                rough = t < memory[ROUGH_UNTIL]
                if rough:  # as far as rounding allows
                    error *= min(ROUGH, 1.0 / table[p + LEAST_SHARE])
                if not rough or method == GENERALIZED_ALPHA:
                    error /= max(min(1.0, h * table[p + SHARE]), table[p + LEAST_SHARE])
                wanted, last = memory[NEXT_STEP], memory[LAST_ERROR]
                if _accept(plan, table, memory, h, error):
                    if plan[LOOK] != 0 and method == RUNGE_KUTTA:
                        earlier, status, ready = look_inside(
                            system, given, room, t, h, t1, q0, v0, s, q2, v2, S, V, out, K,
                            weights, values, flags,
                        )  # fmt: skip
                        if status == 0 and earlier < t1:
                            limit = earlier
                            memory[NEXT_STEP], memory[LAST_ERROR] = wanted, last
                            memory[N_REJECTED] += 1.0
                            continue
                    if status == 0:
                        status = settle(used, given, room, t1, q1, v1, s, out, flags)
                    if status == 0:
                        if method == GENERALIZED_ALPHA:
                            note_error(memory, 1.0, local, memory[WORST])
                        break
                    if status == CALL_FAILED:
                        return status
            if status != 0:
                memory[NEXT_STEP] = 0.25 * h
                memory[REJECTED_LAST] = 1.0
            memory[N_REJECTED] += 1.0
        passed = False
        if plan[N_EVENT] != 0:
            if event_values(plan, table, memory, t1, q1, v1, values) != 0:
                return CALL_FAILED
            passed = mode == ON and crossed(plan, memory, values)
        if passed:
            memory[TRIED] = t1 - t
            return EVENT
        if adaptive and method == RUNGE_KUTTA and mode != ONE_STEP:
            status = rows_within(
                system, given, room, t, h, t1, q0, v0, s, q2, v2, S, V, out, rows, capacity,
                ready, flags,
            )  # fmt: skip
            if status != 0:  # the step will be taken again, from where it began
                output, sub = memory[NEXT_OUTPUT], memory[SUB]
                _forget_step(memory, saved)
                memory[NEXT_OUTPUT], memory[SUB] = output, sub
                return status
        # The step is taken
        for k in range(n_q):
            q0[k] = q1[k]
        for k in range(n):
            v0[k] = v1[k]
        memory[FRESH] = 0.0
        if method == GENERALIZED_ALPHA:
            _keep_lead(memory, h, x1, a1, a0, n)
            for k in range(n):
                b0[k] = x0[k]
                x0[k] = x1[k]
            memory[FRESH] = 1.0
        elif adaptive and plan[PROJECT] == 0:
            i = plan[N_STAGE] * n
            for k in range(n):
                x0[k] = V[i + k]
            memory[FRESH] = 1.0
        if ints[LOOPS] != 0:
            nearest = used[2][ints[ints[LOOPS] + CLOSING] + LEAST_LEFT]
            if nearest < memory[NEAREST]:
                memory[NEAREST] = nearest
                memory[NEAREST_TIME] = t1
        memory[TIME] = t1
        memory[LAST_STEP] = h
        memory[SUB] = 0.0
        memory[N_STEPS] += 1.0
        memory[SMALLEST] = min(memory[SMALLEST], h)
        memory[LARGEST] = max(memory[LARGEST], h)
        if plan[N_EVENT] != 0:
            keep_values(plan, memory, values)
        _pass_instants(plan, table, memory, t1)
        watch_spin(ints, used[2], plan, memory)
        if beyond_reason(ints, plan, table, memory, q0, v0):
            return BEYOND_REASON
        if mode != ON:
            return MORE


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
    for k in range(NEXT_STEP, N_ROWS):
        memory[k] = saved[k]


@jit
def _keep_lead(memory, h, x1, a1, lead, n):
    """Lead of the algorithmic accelerations over x, per second: it serves steps of any length.

    A step that is much shorter than the one it was found in tells little about it, unless such
    steps go on for as long.
    """
    memory[LEAD_AGE] += h
    if h >= 0.5 * memory[LEAD_STEP] or memory[LEAD_AGE] > memory[LEAD_STEP]:
        for k in range(n):
            lead[k] = (a1[k] - x1[k]) / h
        memory[LEAD_STEP] = h
        memory[LEAD_AGE] = 0.0


@jit
def _accept(plan, table, memory, h, error):
    """Whether the error allows the step; the next step by a controller with memory (PI)."""
    k = table[plan[PARAMETERS] + EXPONENT]
    if not error <= 1.0:  # also not a number
        factor = max(SHRINK, SAFETY * error ** (-k)) if error < 1e30 else SHRINK
        memory[NEXT_STEP] = factor * h
        memory[REJECTED_LAST] = 1.0
        return False
    error = max(error, 1e-10)
    factor = SAFETY * error ** (-0.8 * k) * max(memory[LAST_ERROR], 1e-4) ** (0.2 * k)
    factor = min(GROW, max(SHRINK, factor))
    if memory[REJECTED_LAST] != 0.0:
        factor = min(1.0, factor)
    largest = table[plan[PARAMETERS] + STEP]
    wanted = min(factor * h, largest)
    if h >= 0.99 * memory[NEXT_STEP] or wanted < memory[NEXT_STEP]:
        memory[NEXT_STEP] = wanted  # a step that was cut short does not shorten the next ones
    memory[LAST_ERROR] = error
    memory[REJECTED_LAST] = 0.0
    return True


@jit
def _set_weights(plan, table, v0, v1, n, weights):
    """What errors of positions and speeds are measured by."""
    o, rtol = plan[WEIGHTS], table[plan[PARAMETERS] + RTOL]
    for k in range(n):
        weights[k] = table[o + k]
        weights[n + k] = table[o + n + k] + rtol * max(abs(v0[k]), abs(v1[k]))


@jit
def _sample(plan, table, memory, t, q, v):
    """Call the controllers whose instant it is."""
    start, tick = table[plan[PARAMETERS] + START], table[plan[PARAMETERS] + TICK]
    for k in range(plan[N_CONTROLLER]):
        e = plan[CONTROLLERS] + k * E_ROW
        number, held = plan[e + E_TABLE] & POSITIVE, plan[e + E_MEMORY] & POSITIVE
        m = plan[e + E_B] & POSITIVE  # memory: number of the next sample, then its own memory
        if t >= start + memory[m] * table[number] - tick:
            status = call(
                plan[e + E_ADDRESS], plan[e + E_WHICH], t, q, v, memory, m + 1, memory, held
            )
            if status != 0:
                return status
            memory[m] += 1.0
            memory[FRESH] = 0.0
    return 0


@jit
def _next_instant(plan, table, memory, t, adaptive):
    """The next instant that a step must not cross."""
    p = plan[PARAMETERS]
    start, tick = table[p + START], table[p + TICK]
    limit = table[p + END]
    if not adaptive:
        limit = min(limit, start + (memory[GRID] + 1.0) * table[p + STEP])
    elif plan[METHOD] == GENERALIZED_ALPHA and table[p + OUTPUT_STEP] > 0.0:
        limit = min(limit, start + memory[NEXT_OUTPUT] * table[p + OUTPUT_STEP])
    for k in range(plan[N_CONTROLLER]):
        e = plan[CONTROLLERS] + k * E_ROW
        instant = start + memory[plan[e + E_B]] * table[plan[e + E_TABLE]]
        if instant < limit - tick:
            limit = instant
    if memory[NEXT_STOP] < plan[N_STOP]:
        instant = table[plan[STOPS] + int(memory[NEXT_STOP])]
        if instant < limit - tick:
            limit = instant
    return limit


@jit
def _pass_instants(plan, table, memory, t):
    """Note what the new instant is: the end of a whole step, a corner of a given function."""
    p = plan[PARAMETERS]
    start, tick = table[p + START], table[p + TICK]
    memory[ON_GRID] = 0.0
    if plan[ADAPTIVE] == 0 and t >= start + (memory[GRID] + 1.0) * table[p + STEP] - tick:
        memory[GRID] += 1.0
        memory[ON_GRID] = 1.0
    while memory[NEXT_STOP] < plan[N_STOP]:
        if t < table[plan[STOPS] + int(memory[NEXT_STOP])] - tick:
            break
        memory[NEXT_STOP] += 1.0
        memory[FRESH] = 0.0


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
