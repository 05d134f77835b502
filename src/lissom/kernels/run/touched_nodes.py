"""Nodes that contacts with the ground touch, in the sweeps of implicit steps.

A node has an inertia E (`contact_inertia`) and a force for the next sweep.  E is one more summand
of the articulated inertia of the children of the node: before a sweep the rows of the system are
changed, so that no child writes the inertia of the node and all add to it; afterwards they are as
before.  So sweeps without E have nothing to ask for.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import inlined, uncounted
from ..layout import run
from ..layout.records import CarrierRecord, TouchedRecord
from ..layout.tree import BodyRow
from ..small import ZERO, add, added, apply, turn, turn_back
from ..tree.rigid import put_articulated
from ..tree.twists import twists_base_to_tip

NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
NO_MATRIX = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@inlined
def _times(A, B, D, w, u):
    """Moment and force of an inertia at an acceleration."""
    return add(apply(A, w), turn(B, u)), add(turn_back(B, w), apply(D, u))


@uncounted
def add_touched_forces(system, plan, x, of_step, of_stiffness, driven):
    """Add (of_step E + of_stiffness E_k) J x to the forces at the nodes, for the next sweep.

    After `motion_base_to_tip` in the state of E, or one close to it.  driven: whether x counts for
    hinges whose motion is given.
    """
    head = run.PlanHeader(plan, 0)
    ints, _floats, scratch = system
    twists_base_to_tip(ints, scratch, x, driven)
    for k in range(head.touched.count):
        touched = run.TouchedRow(plan, head.touched.first, k)
        record = TouchedRecord(scratch, touched.record)
        if record.active == 0.0:
            continue
        moved = CarrierRecord(scratch, touched.motion)
        w, u = moved.d_alpha, moved.d_a
        n, f = record.n, record.f
        if of_step != 0.0:
            n_e, f_e = _times(record.A, record.B, record.D, w, u)
            n, f = added(n, of_step, n_e), added(f, of_step, f_e)
        if of_stiffness != 0.0:
            n_e, f_e = _times(record.K_A, record.K_B, record.K_D, w, u)
            n, f = added(n, of_stiffness, n_e), added(f, of_stiffness, f_e)
        record.n, record.f = n, f


@uncounted
def hold_touched(system, plan):
    """Put E and the forces at the nodes before the inward sweep, after `motion_base_to_tip`."""
    head = run.PlanHeader(plan, 0)
    ints, _floats, scratch = system
    for k in range(head.touched.count):
        touched = run.TouchedRow(plan, head.touched.first, k)
        record = TouchedRecord(scratch, touched.record)
        if record.active == 0.0:
            continue
        carrier = CarrierRecord(scratch, touched.carrier)
        carrier.z_w = added(carrier.z_w, -1.0, record.n)
        carrier.z_v = added(carrier.z_v, -1.0, record.f)
        put_articulated(scratch, touched.motion + field.P_, record.A, record.B, record.D)
        if touched.first != 0:
            BodyRow(ints, touched.first).first = 0
        else:
            BodyRow(ints, touched.body).carries = 1


@uncounted
def release_touched(system, plan):
    """Undo `hold_touched` after the outward sweep; the forces are used up."""
    head = run.PlanHeader(plan, 0)
    ints, _floats, scratch = system
    for k in range(head.touched.count):
        touched = run.TouchedRow(plan, head.touched.first, k)
        record = TouchedRecord(scratch, touched.record)
        if record.active == 0.0:
            continue
        record.n, record.f = ZERO, ZERO
        if touched.first != 0:
            BodyRow(ints, touched.first).first = 1
            continue
        BodyRow(ints, touched.body).carries = 0
        put_articulated(scratch, touched.motion + field.P_, NOTHING, NO_MATRIX, NOTHING)
