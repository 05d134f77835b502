"""Which contacts of sets are looked at: those of shapes that are near each other.

A set has a contact for each pair of its shapes, most of which are far apart.  The balls about two
shapes, with centres c and radii r, tell how far at least; n is the normal of a fixed half space:
  g >= |c_a - c_b| - r_a - r_b,   g >= n . (c_a - p) - r_a                                      (1)
The list of near contacts holds all whose bound (1) was at most a margin m when the list was made,
all that are closed, and all of shapes without an end.  Where d_0 and d_1 are the distances of a
centre, at both ends of a step, from where it was then, and L is its path within the step, it was
never further away than (d_0 + d_1 + L) / 2.  No other contact can have closed while for all balls
  d_0 + d_1 + L <= m                                                                            (2)
A step that breaks (2) is taken again with a list that is made for it.  L follows from the larger
one of the speeds at the ends of the step.

The list is made in the order of the contacts, so that sums of forces have the same roundings as
with all contacts in it; it is part of memory.
"""

from __future__ import annotations

import math

from ..compiling import inlined, uncounted
from ..layout import contact, run
from ..layout.contact import BallNumbers, BallRecord, NearRecord, TouchRecord
from ..small import add, added, cross, dot, matrix, turn, vector
from .slots import SLOT_POSE, SLOT_POSITION, SLOT_RATE, SLOT_RECORD

MARGIN = 1.5  # of the speeds at the ends of a step over those within
AHEAD = 8.0  # paths within a step that a margin has room for
MOST = 4.0  # wanted margins, above which a margin is reduced
FEW, MANY = 16, 4  # balls for each listed contact that is apart
WIDEST = 32.0
LOAD_ROW, NEAR_RECORD = run.LoadRow.size, NearRecord.size


@inlined
def n_near(plan, memory):
    """Number of contacts to be looked at."""
    head = run.PlanHeader(plan, 0)
    if head.pairs.count == 0:
        return head.contacts.count
    return int(NearRecord(memory, head.near).count)


@inlined
def near_number(plan, memory, j):
    """Number of the j-th of them among all contacts."""
    head = run.PlanHeader(plan, 0)
    if head.pairs.count == 0:
        return j
    return int(memory[head.near + NEAR_RECORD + j])


@inlined
def pair_of(plan, k):
    """Number of contact k among those of sets; negative for one that is a load of its own."""
    head = run.PlanHeader(plan, 0)
    place = plan[head.contacts.first + k]
    return (place - head.pairs.first) // LOAD_ROW if place >= head.pairs.first else -1


@inlined
def _ball(plan, table, b):
    """Constants of ball b."""
    balls = run.PlanHeader(plan, 0).balls
    return BallNumbers(table, run.BallRow(plan, balls.first, b).constants)


@inlined
def _record(plan, memory, b):
    """What memory holds of ball b."""
    balls = run.PlanHeader(plan, 0).balls
    return BallRecord(memory, run.BallRow(plan, balls.first, b).record)


@uncounted
def _center(plan, table, slots, b):
    """Centre of ball b, and its arm from the origin of the slot, in the world."""
    balls = run.PlanHeader(plan, 0).balls
    o = run.BallRow(plan, balls.first, b).slot * SLOT_RECORD
    arm = turn(matrix(slots, o + SLOT_POSE), _ball(plan, table, b).center)
    return add(vector(slots, o + SLOT_POSITION), arm), arm


@uncounted
def measure_balls(arrays, work, w):
    """Write distances of balls from where they were when the list was made, and their speeds."""
    plan, table, memory = arrays
    balls = run.PlanHeader(plan, 0).balls
    for b in range(balls.count):
        if _ball(plan, table, b).kind != contact.BALL:
            w.moved[b] = w.pace[b] = 0.0
            continue
        o = run.BallRow(plan, balls.first, b).slot * SLOT_RECORD
        c, arm = _center(plan, table, work.slots, b)
        d = added(c, -1.0, _record(plan, memory, b).center)
        omega, u = vector(work.slots, o + SLOT_RATE), vector(work.slots, o + SLOT_RATE + 3)
        v = add(u, cross(omega, arm))
        w.moved[b], w.pace[b] = math.sqrt(dot(d, d)), math.sqrt(dot(v, v))


@uncounted
def reach(arrays, w, h):
    """Margin that a step needs by (2), after `measure_balls` at its end."""
    plan, _table, memory = arrays
    longest = 0.0
    for b in range(run.PlanHeader(plan, 0).balls.count):
        record = _record(plan, memory, b)
        path = MARGIN * h * max(record.speed, w.pace[b])
        longest = max(longest, record.moved + w.moved[b] + path)
    return longest


@uncounted
def wanted_margin(arrays, h):
    """Margin of a new list if one is due before the next step, of about this length; else zero."""
    plan, _table, memory = arrays
    head, moved, speed = run.PlanHeader(plan, 0), 0.0, 0.0
    near = NearRecord(memory, head.near)
    if near.margin == math.inf:  # all contacts, as before the first step of a run
        return 0.0
    for b in range(head.balls.count):
        record = _record(plan, memory, b)
        moved, speed = max(moved, record.moved), max(speed, record.speed)
    path = MARGIN * h * speed
    wanted = near.wide * max(near.least, AHEAD * path)
    due = 2.0 * (moved + path) > near.margin or near.margin > MOST * wanted
    return wanted if due else 0.0


@uncounted
def list_near(arrays, work, w, margin):
    """Make the list with a margin, for the poses of the slots; how many in it are apart."""
    plan, table, memory = arrays
    head = run.PlanHeader(plan, 0)
    for b in range(head.balls.count):
        c, _arm = _center(plan, table, work.slots, b)
        _record(plan, memory, b).center = c
    for j in range(n_near(plan, memory)):
        k = near_number(plan, memory, j)
        touch = TouchRecord(memory, run.LoadRow(plan, plan[head.contacts.first + k]).touch)
        closed = touch.state == contact.CLOSED or touch.state == contact.QUIET
        w.doubt[k] = 2.0 if closed else 1.0
    count, apart = 0, 0
    for k in range(head.contacts.count):
        p, listed = pair_of(plan, k), w.doubt[k]
        w.doubt[k] = 0.0
        if p >= 0:
            far = listed < 2.0 and _least_gap(plan, table, memory, p) > margin
            if far and listed == 0.0:
                continue
            touch = TouchRecord(memory, run.LoadRow(plan, head.pairs.first, p).touch)
            if far:
                touch.near = 0.0
                continue
            if touch.near == 0.0:
                touch.near = contact.ENTERS
            if listed < 2.0:
                apart += 1
        memory[head.near + NEAR_RECORD + count] = k
        count += 1
    near = NearRecord(memory, head.near)
    near.margin, near.count = margin, count
    return apart


@uncounted
def narrower(arrays, apart, margin):
    """Margin of a list to be made in place of one with too many contacts that are apart, or zero.

    Margins become wider where there are few of them: these cost less than lists made often.
    """
    plan, _table, memory = arrays
    head = run.PlanHeader(plan, 0)
    near = NearRecord(memory, head.near)
    if MANY * apart > head.balls.count and near.wide > 1.0:
        near.wide = 0.5 * near.wide
        return 0.5 * margin
    if FEW * apart < head.balls.count:
        near.wide = min(2.0 * near.wide, WIDEST)
    return 0.0


@uncounted
def _least_gap(plan, table, memory, p):
    """Lower bound (1) of the gap of contact p of the sets."""
    pair = run.PairRow(plan, run.PlanHeader(plan, 0).pair_sides.first, p)
    a, b = _ball(plan, table, pair.ball_a), _ball(plan, table, pair.ball_b)
    d = added(
        _record(plan, memory, pair.ball_a).center, -1.0, _record(plan, memory, pair.ball_b).center
    )
    if a.kind == contact.BALL and b.kind == contact.BALL:
        return math.sqrt(dot(d, d)) - a.radius - b.radius
    if a.kind == contact.BALL and b.kind == contact.PLANE:
        return dot(b.normal, d) - a.radius
    return -math.inf
