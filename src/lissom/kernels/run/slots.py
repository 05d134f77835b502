"""Slots: the nodes that loads act on, and points of the ground; their motions and wrenches.

A record holds the attitude (9 numbers), position, angular and linear velocity in the world, then
the applied moment and force, in the axes of the slot.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import uncounted
from ..layout import run
from ..layout.records import CarrierRecord
from ..layout.tree import BodyRow
from ..small import ZERO, add, matrix, product, put_matrix, put_vector, turn, vector
from ..tree.nodes import deform_listed, node_motion

SLOT_POSE, SLOT_POSITION, SLOT_RATE, SLOT_WRENCH, SLOT_RECORD = 0, 9, 12, 18, 24


@uncounted
def slot_motions(ints, scratch, plan, q, v, work, o, flags):
    """Write the poses of the slots, after `motion_base_to_tip` and `place_base_to_tip`.

    With flags ACCELERATED the records of bodies hold velocities; those of the slots are written.
    """
    head = run.PlanHeader(plan, 0)
    for k in range(head.slots.count):
        slot, w = run.SlotRow(plan, head.slots.first, k), o + k * SLOT_RECORD
        if slot.body < 0:
            continue
        body = BodyRow(ints, slot.body)
        b, at = CarrierRecord(scratch, body.record), body.world
        C, origin = matrix(scratch, at), vector(scratch, at + 9)
        R, l = b.R, ZERO
        omega, u = b.alpha, b.a
        if body.level != field.RIGID:
            c = int(scratch[field.EXTERNAL]) + slot.external + field.EXTERNAL_NODE
            if body.level >= field.STIFFENED:
                deform_listed(body, scratch, c, scratch, q, v, scratch, c)
            R, l, _J, _w, omega, u = node_motion(body, scratch, c, scratch, q, v, v, flags)
        put_matrix(work, w + SLOT_POSE, product(C, R))
        put_vector(work, w + SLOT_POSITION, add(origin, turn(C, l)))
        if flags != 0:
            put_vector(work, w + SLOT_RATE, turn(C, omega))
            put_vector(work, w + SLOT_RATE + 3, turn(C, u))


@uncounted
def clear_wrenches(plan, work, o):
    """Set the wrenches of all slots to zero."""
    head = run.PlanHeader(plan, 0)
    for k in range(head.slots.count):
        put_vector(work, o + k * SLOT_RECORD + SLOT_WRENCH, ZERO)
        put_vector(work, o + k * SLOT_RECORD + SLOT_WRENCH + 3, ZERO)


@uncounted
def add_wrench(work, slot, n, f):
    """Add a moment n and a force f, in the axes of the slot."""
    at = slot + SLOT_WRENCH
    put_vector(work, at, add(vector(work, at), n))
    put_vector(work, at + 3, add(vector(work, at + 3), f))


@uncounted
def add_change(out, o, n, f):
    """Add changes of a moment and a force to out[o:]."""
    put_vector(out, o, add(vector(out, o), n))
    put_vector(out, o + 3, add(vector(out, o + 3), f))


@uncounted
def put_wrenches(scratch, plan, work, o):
    """Write the wrenches of the slots on bodies to the list of external forces."""
    head = run.PlanHeader(plan, 0)
    start = int(scratch[field.EXTERNAL])
    count = 0
    for k in range(head.slots.count):
        slot = run.SlotRow(plan, head.slots.first, k)
        if slot.body >= 0:
            count += 1
            for j in range(6):
                scratch[start + slot.external + 1 + j] = work[o + k * SLOT_RECORD + SLOT_WRENCH + j]
    scratch[field.N_EXTERNAL] = count
