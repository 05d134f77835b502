"""The loop of a run between two returns to Python: controllers, rows of results, steps, events.

`memory` holds everything needed to continue a run; where `advance` returns does not change the
result.  Before each step controllers are sampled, accelerations found, and a row is written if one
is due (`_begin`).  Then follow a step (`_step`, tried until one is accepted), the check of events
and the rows within it (`_pass`); if an event crossed zero, the step is not taken and Python finds
its time.  `_commit` makes the end of the step the state of the run.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import CompiledEntry, inlined, uncounted
from ..layout import run
from ..loops.unknowns import closing_of
from .accept import finish_adaptive, finish_fixed, set_weights
from .due_times import next_instant, pass_instants, sample
from .evaluate import evaluate, solve_mass
from .event_values import crossed, event_values, keep_values
from .extrapolation import note_expected
from .gaps import begin_contacts, commit_contacts, list_for_step
from .loop_loads import has_turns, note_turns
from .methods import commit_step, take_step
from .monitoring import exceeds_limits, watch_spin
from .projection import settle
from .rows import row_due, rows_within, write_row
from .switching import should_switch
from .views import views

BENT_DIVISIONS = 12  # halvings of a fixed step in which forces bend; then it is taken, and told


@uncounted
def advance(
    ints, floats, scratch, stiff, plan, table, memory, work, mass, rows, capacity, budget, mode
):
    """Advance to the end, to an event, until the rows are full or the evaluations are used up.

    mass: buffer for a mass matrix.  rows: flat, for `capacity` rows; memory[N_ROWS] counts those
    written.  mode: ON; WHOLE_STEP: to the end of a fixed step at the latest, without sampling its
    error; or one step of memory[NEXT_STEP] without events, without or with the rows in it; SOLVE:
    only x1 = M^-1 a1 at the current coordinates; SETTLE: only write given motions into the state
    and close its loops.
    """
    head = run.PlanHeader(plan, 0)
    r = views(ints, floats, scratch, stiff, plan, table, memory, work, mass)
    used = r.stiff if head.traits & run.USES_ARMATURE != 0 else r.system
    if mode == run.SOLVE:
        return solve_mass(r.system, r.arrays, r.start.q, r.x.a1, r.x.a1, r.x.x1)
    if mode == run.SETTLE:
        return settle(r.system, r.arrays, r.work, memory[run.TIME], r.start)
    p, first = run.RunParameters(table, head.parameters), memory[run.N_EVALUATIONS]
    if mode != run.ON:  # what is between two steps may have changed the functions of the user
        memory[run.EPOCH] += 1.0
    if not has_turns(r.arrays):
        note_turns(r.system, r.arrays, r.work, r.start)
    while True:
        if mode <= run.WHOLE_STEP:
            status = _begin(r, rows, capacity)
            if status != 0:
                return status
            if memory[run.TIME] >= p.end - p.tick:
                return run.FINISHED
            if mode == run.ON and memory[run.N_EVALUATIONS] - first >= budget:
                return run.MORE
        for k in range(run.NEXT_STEP, run.N_ROWS):
            r.saved[k] = memory[k]
        status, h, t1, ready = _step(r, used, mode)
        if status != 0:
            return status
        status = _pass(r, h, t1, ready, rows, capacity, mode)
        if status == run.SHORTER:
            continue
        if status != 0:
            return status
        _commit(r, used, h, t1)
        changed, status = False, 0
        if head.contacts.count != 0:
            changed, status = commit_contacts(r, h, t1)
            if status != 0:
                return status
        if exceeds_limits(ints, plan, table, memory, r.start.q, r.start.v):
            return run.BEYOND_REASON
        if changed and mode <= run.WHOLE_STEP:
            return run.CONTACT
        if head.switches != 0 and mode == run.ON and should_switch(r, h):
            return run.SWITCH_
        if mode > run.WHOLE_STEP or (mode == run.WHOLE_STEP and memory[run.ON_GRID] != 0.0):
            return run.MORE


@inlined
def _begin(r, rows, capacity):
    """Sample controllers, find accelerations and write a row if due, at the start of a step."""
    head = run.PlanHeader(r.arrays.plan, 0)
    plan, table, memory = r.arrays
    t, traits = memory[run.TIME], head.traits
    if head.contacts.count != 0 and memory[run.CONTACT_STEP] == 0.0:
        begin_contacts(r, t)
    if sample(plan, table, memory, t, r.start.q, r.start.v) != 0:
        return run.CALL_FAILED
    due = row_due(plan, table, memory, t)
    if (due or memory[run.FORCED] != 0.0) and memory[run.N_ROWS] >= capacity:
        return run.ROWS_FULL  # before anything is evaluated, or it would be once more
    if head.events.count != 0 and memory[run.KNOWN] == 0.0:
        if event_values(r.system, r.arrays, t, r.start, r.values) != 0:
            return run.CALL_FAILED
        keep_values(plan, memory, r.values)
    if memory[run.FRESH] == 0.0 and traits & run.NEEDS_START != 0:
        status = evaluate(r.system, r.arrays, r.work, t, r.start, 0.0, r.work.out)
        if status != 0:
            return status
        for k in range(len(r.x.x0)):
            if traits & run.KEEPS_LEAD != 0:
                r.x.before[k] += r.work.out[k] - r.x.x0[k]
            r.x.x0[k] = r.work.out[k]
    if due or memory[run.FORCED] != 0.0:
        if memory[run.FRESH] != 0.0 or traits & run.NEEDS_START == 0:
            status = evaluate(r.system, r.arrays, r.work, t, r.start, 0.0, r.work.out)
            if status != 0:
                return status
        write_row(r.system, r.arrays, r.work, t, r.start, rows)
        memory[run.FORCED] = 0.0
        if due:
            memory[run.NEXT_OUTPUT] += 1.0
        memory[run.SUB] = 1.0  # the row of this time is written
    memory[run.FRESH] = 1.0
    note_expected(r.system, r.arrays, t, r.x.x0)
    return 0


@inlined
def _step(r, used, mode):
    """Try steps until one is accepted.

    Returns a status, the length of the step, its end, and whether its stages for dense output are
    available.
    """
    head = run.PlanHeader(r.arrays.plan, 0)
    plan, table, memory = r.arrays
    t, adaptive = memory[run.TIME], head.adaptive != 0
    limit, tick = next_instant(plan, table, memory), run.RunParameters(table, head.parameters).tick
    divisions, status, ready, bent = 0, 0, False, False
    on, most = mode <= run.WHOLE_STEP, run.RunParameters(table, head.parameters).divisions
    set_weights(r.arrays, r.start.v, r.start.v, r.weights)
    while True:
        h = limit - t
        if memory[run.BENT_STEP] > 0.0 and on:
            h = min(h, 2.0 * memory[run.BENT_STEP])
        if not on:
            h = memory[run.NEXT_STEP]
            if head.pairs.count != 0:
                list_for_step(r, t, h)
        elif adaptive:
            h = _cut(h, memory[run.NEXT_STEP])
        else:
            if head.contacts.count != 0:
                h = min(h, memory[run.CONTACT_STEP])
            if divisions > 0:
                h = h / (1 << divisions)
        if not t + 0.01 * h > t:
            return (status if status != 0 else run.STALLED), h, t, ready
        status, halved = take_step(head.method, r, t, h, mode)
        if status == run.CALL_FAILED:
            return status, h, t, ready
        t1 = t + h
        if on and abs(limit - t1) <= tick:
            t1 = limit
        if not on or not adaptive:
            if status == 0:
                status = finish_fixed(
                    r,
                    used,
                    t,
                    h,
                    t1,
                    mode,
                    halved,
                    divisions < min(most, BENT_DIVISIONS),
                    bent or memory[run.BENT_STEP] > 0.0,
                )
            if status == 0 and (bent or memory[run.BENT_STEP] > 0.0):
                memory[run.BENT_STEP] = h
            if status == run.CONTACT:
                limit = memory[run.CONTACT_AT]
                memory[run.N_DIVIDED] += 1.0
                continue
            if status == run.AGAIN:
                continue
            bent = bent or status == run.BENT
            if not on or status == 0 or _is_hopeless(status) or divisions >= most:
                return status, h, t1, ready
            divisions += 1
            memory[run.N_DIVIDED] += 1.0
            continue
        if status == 0:
            status, accepted, end, ready = finish_adaptive(r, used, t, h, t1)
            if accepted or status == run.CALL_FAILED:
                return status, h, t1, ready
            if end < t1:
                limit = end
        if status != 0:
            memory[run.NEXT_STEP] = 0.25 * h
            memory[run.REJECTED_LAST] = 1.0
        memory[run.N_REJECTED] += 1.0


@uncounted
def _is_hopeless(status):
    """Whether a shorter step would fail, too."""
    return (
        status != run.DIVERGED
        and status != run.LOOP_OPEN
        and status != run.BENT
        and status != run.SINGULAR_
        and status != run.SINGULAR_COORDINATES
    )


@uncounted
def _cut(h, wanted):
    """Step towards a time that is h away: all of it, half of it, or the wanted step."""
    if wanted >= (1.0 - 1e-6) * h:
        return h
    return 0.5 * h if wanted > 0.5 * h else wanted


@inlined
def _pass(r, h, t1, ready, rows, capacity, mode):
    """Check the events at the end of a step, and write the rows within it; 0 or a status.

    If the interpolant is too far off for loops to be closed (close to a singular position it may
    be, between two good ends), the step is rejected, with its rows: SHORTER.
    """
    head = run.PlanHeader(r.arrays.plan, 0)
    plan, _table, memory = r.arrays
    t, n_row = memory[run.TIME], memory[run.N_ROWS]
    if head.events.count != 0:
        if event_values(r.system, r.arrays, t1, r.end, r.values) != 0:
            return run.CALL_FAILED
        if mode <= run.WHOLE_STEP and crossed(plan, memory, r.values):
            memory[run.TRIED] = t1 - t
            return run.EVENT
    interpolated = head.adaptive != 0 and head.traits & run.INTERPOLATES != 0
    if not interpolated or mode == run.ONE_STEP:
        return 0
    status = rows_within(r, t, h, t1, rows, capacity, ready)
    if status != 0:  # the step will be repeated from its start
        output, sub = memory[run.NEXT_OUTPUT], memory[run.SUB]
        rejected, evaluations = memory[run.N_REJECTED], memory[run.N_EVALUATIONS]
        for k in range(run.NEXT_STEP, run.N_ROWS):
            memory[k] = r.saved[k]
        if mode == run.ON and memory[run.SUB] <= 1.0 and not _is_hopeless(status):
            memory[run.N_ROWS] = n_row
            memory[run.N_REJECTED], memory[run.N_EVALUATIONS] = rejected + 1.0, evaluations
            memory[run.NEXT_STEP], memory[run.REJECTED_LAST] = 0.25 * h, 1.0
            return run.SHORTER
        memory[run.NEXT_OUTPUT], memory[run.SUB] = output, sub
    return status


@inlined
def _commit(r, used, h, t1):
    """Make the end of the step the state of the run."""
    head = run.PlanHeader(r.arrays.plan, 0)
    plan, table, memory = r.arrays
    for k in range(len(r.start.q)):
        r.start.q[k] = r.end.q[k]
    for k in range(len(r.start.v)):
        r.start.v[k] = r.end.v[k]
    for k in range(len(r.start.z)):
        r.start.z[k] = r.end.z[k]
    memory[run.FRESH] = 1.0 if commit_step(head.method, r, h) else 0.0
    ints = r.system.ints
    if ints[field.LOOPS] != 0:
        nearest = closing_of(ints, used.scratch).least_left
        if nearest < memory[run.NEAREST]:
            memory[run.NEAREST] = nearest
            memory[run.NEAREST_TIME] = t1
    memory[run.TIME] = t1
    memory[run.LAST_STEP] = h
    memory[run.SUB] = 0.0
    memory[run.N_STEPS] += 1.0
    memory[run.SMALLEST] = min(memory[run.SMALLEST], h)
    memory[run.LARGEST] = max(memory[run.LARGEST], h)
    if head.events.count != 0:
        keep_values(plan, memory, r.values)
    pass_instants(plan, table, memory, t1)
    watch_spin(ints, used.scratch, plan, memory)
    if head.loop_joints.count != 0:
        note_turns(r.system, r.arrays, r.work, r.start)


_INTS, _FLOATS = "int64[::1]", "float64[::1]"
ADVANCE = CompiledEntry(
    advance,
    f"int64({_INTS}, {_FLOATS}, {_FLOATS}, {_FLOATS}, {_INTS}, {_FLOATS}, {_FLOATS}, {_FLOATS}, "
    f"float64[:,::1], {_FLOATS}, int64, int64, int64)",
    "simulation",
    seconds=60,
)
