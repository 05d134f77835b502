"""Acceptance of a step, and the size of the next one."""

from __future__ import annotations

from ..compiling import inlined, uncounted
from ..layout import run
from .gaps import look_at_contacts
from .inner_samples import look_inside
from .kinks import ABRUPT, ALLOWED, SMOOTH, STRAIGHT, kink_error
from .methods import estimated_error
from .monitoring import note_error, note_sampled_error
from .projection import settle

SAFETY, SHRINK, GROW = 0.9, 0.2, 6.0
# An error beyond this is a jump inside the step, of which estimates show only a small part: until
# it is passed they are multiplied by this factor.
SURPRISE, ROUGH = 30.0, 30.0
HIGH = 3
JUMP = 0.5  # change of a speed in a fixed step, in its scale, above which forces may have been met


@inlined
def finish_fixed(r, used, t, h, t1, mode, halved, divisible, part):
    """Finish a step of given length: record its error, enforce motions and loops.

    halved: whether it was also taken as two halves; divisible: whether it is divided if forces bend
    in it; part: whether it is a part of one that was.  Returns 0, BENT, CONTACT or a failure.
    """
    head = run.PlanHeader(r.arrays.plan, 0)
    plan, table, memory = r.arrays
    touching = head.contacts.count != 0 and mode <= run.WHOLE_STEP
    if touching:
        status = settle(used, r.arrays, r.work, t1, r.end)
        if status != 0:
            return status
        memory[run.CONTACT_AT], status, _ready = look_at_contacts(r, t, h, t1, False)
        if status != 0 or memory[run.CONTACT_AT] < t1:
            return status if status != 0 else run.CONTACT
    if head.watched.count != 0 and mode <= run.WHOLE_STEP:
        # functions of time alone: those that a step resolves err as the order of the method says
        adds = part or head.look & run.LOOK_AT_KINKS != 0
        e, rough, status = kink_error(r, t, h, t1, HIGH, STRAIGHT if adds else SMOOTH)
        if status != 0:
            return status
        of, order = run.RunParameters(table, head.parameters).rtol, _order(plan, table)
        if divisible and (e * of > ABRUPT or _jump(r) * of > JUMP):
            return run.BENT
        if (part or rough) and order < HIGH:
            e, _rough, status = kink_error(r, t, h, t1, order, STRAIGHT)
            if status != 0:
                return status
        if adds or rough or e * of > ABRUPT:
            memory[run.BENT_SUM] += e
        if e > memory[run.BENT_LARGEST]:
            memory[run.BENT_LARGEST], memory[run.BENT_TIME] = e, t
            memory[run.BENT_WORST] = memory[run.WORST]
    if mode == run.ON and head.traits & run.ESTIMATES != 0:
        error = estimated_error(head.method, r, h)
        note_error(memory, 1.0, error, memory[run.WORST])
    elif halved:
        set_weights(r.arrays, r.start.v, r.end.v, r.weights)
        note_sampled_error(r, t)
    return 0 if touching else settle(used, r.arrays, r.work, t1, r.end)


@inlined
def finish_adaptive(r, used, t, h, t1):
    """Accept or reject a step of an adaptive method.

    Returns a status; whether it is accepted; the time at which it must end instead, t1 if the error
    decides; whether the stages for dense output are available.
    """
    head = run.PlanHeader(r.arrays.plan, 0)
    memory = r.arrays.memory
    wanted, last = memory[run.NEXT_STEP], memory[run.LAST_ERROR]
    rejected = memory[run.REJECTED_LAST]
    local, error = _errors(r, t, h, t1)
    if not _accept(r.arrays, h, error):
        return 0, False, t1, False
    earlier, status, ready = t1, 0, False
    implicit = head.traits & run.USES_ARMATURE != 0
    looks = head.look & ~run.LOOK_AT_KINKS if implicit else head.look
    if looks != 0 and head.traits & run.INTERPOLATES != 0:
        earlier, status, ready = look_inside(r, t, h, t1)
        if status == 0 and earlier < t1:
            memory[run.NEXT_STEP], memory[run.LAST_ERROR] = wanted, last
            return 0, False, earlier, ready
    if status == 0 and implicit and head.look & run.LOOK_AT_KINKS:
        e, _rough, status = kink_error(r, t, h, t1, HIGH, STRAIGHT)
        if status == 0 and e > ALLOWED:
            memory[run.NEXT_STEP], memory[run.LAST_ERROR] = 0.5 * h, last
            return 0, False, t1, ready
    if status == 0:
        status = settle(used, r.arrays, r.work, t1, r.end)
    if status == 0 and head.contacts.count != 0:
        interpolated = head.traits & run.INTERPOLATES != 0
        earlier, status, ready = look_at_contacts(r, t, h, t1, interpolated)
        if status == run.AGAIN:
            memory[run.NEXT_STEP], memory[run.LAST_ERROR] = wanted, last
            memory[run.REJECTED_LAST] = rejected
            memory[run.N_REJECTED] -= 1.0
            return 0, False, t1, False
        if status == 0 and earlier < t1:
            memory[run.NEXT_STEP], memory[run.LAST_ERROR] = wanted, last
            return 0, False, earlier, ready
    if status == 0 and head.traits & run.ESTIMATES != 0:
        note_error(memory, 1.0, local, memory[run.WORST])
    return status, status == 0, t1, ready


@uncounted
def _order(plan, table):
    """Order of the method, HIGH above two."""
    head = run.PlanHeader(plan, 0)
    return min(HIGH, int(1.0 / run.RunParameters(table, head.parameters).exponent - 0.5))


@inlined
def _jump(r):
    """Largest change of a speed in a step, in units of the tolerance."""
    n, largest = len(r.end.v), 0.0
    set_weights(r.arrays, r.start.v, r.end.v, r.weights)
    for k in range(n):
        change = abs(r.end.v[k] - r.start.v[k]) / r.weights[n + k]
        if not change <= largest:
            largest = change
    return largest


@inlined
def _errors(r, t, h, t1):
    """Error of a step in units of the tolerance: the estimate, and the value for step control."""
    head = run.PlanHeader(r.arrays.plan, 0)
    table, memory = r.arrays.table, r.arrays.memory
    p = run.RunParameters(table, head.parameters)
    set_weights(r.arrays, r.start.v, r.end.v, r.weights)
    error = estimated_error(head.method, r, h)
    local = error
    if not error <= SURPRISE:
        memory[run.ROUGH_UNTIL] = max(memory[run.ROUGH_UNTIL], t1)
    rough = t < memory[run.ROUGH_UNTIL]
    if rough:  # as far as rounding permits
        error *= min(ROUGH, 1.0 / p.least_share)
    settling = memory[run.N_STEPS] < memory[run.SETTLED]
    if not settling and (not rough or head.traits & run.ESTIMATES != 0):
        error /= max(min(1.0, h * p.share), p.least_share)
    return local, error


@uncounted
def _accept(arrays, h, error):
    """Whether the error permits the step; sets the next step by a PI controller."""
    head = run.PlanHeader(arrays.plan, 0)
    table, memory = arrays.table, arrays.memory
    k = run.RunParameters(table, head.parameters).exponent
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
    largest = run.RunParameters(table, head.parameters).step
    wanted = min(factor * h, largest)
    if h >= 0.99 * memory[run.NEXT_STEP] or wanted < memory[run.NEXT_STEP]:
        memory[run.NEXT_STEP] = wanted  # a truncated step does not shorten the next ones
    memory[run.LAST_ERROR] = error
    memory[run.REJECTED_LAST] = 0.0
    return True


@uncounted
def set_weights(arrays, v0, v1, weights):
    """Write the scales of errors of positions and speeds."""
    head = run.PlanHeader(arrays.plan, 0)
    table, n = arrays.table, len(v0)
    o, rtol = head.weights, run.RunParameters(table, head.parameters).rtol
    for k in range(n):
        weights[k] = table[o + k]
        weights[n + k] = table[o + n + k] + rtol * max(abs(v0[k]), abs(v1[k]))
