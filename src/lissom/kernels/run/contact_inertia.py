"""Contacts with the ground in implicit steps: inertia of the nodes they touch.

The matrix of a step is M + A + J' E J, with J the motion of a node and E the symmetric part of the
derivatives of its contacts (`contact_slopes`), weighted as armature A is:
  E = X' (of_damping E_c + of_stiffness E_k) X,   X: motion of the node to that of x            (1)
The sweeps of a step take E as inertia (`touched_nodes`), so that a step costs the same however many
contacts are closed.
Contacts between bodies, and those on nodes that the recursion does not list, are rows:
`contact_rows`.  What E leaves out is the same for both sides of an iteration, which therefore ends
where it would end without E.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import uncounted
from ..layout import run
from ..layout.records import TouchedRecord
from ..layout.tree import BodyRow
from ..small import ZERO, added, matrix, turn_back, turned_symmetric, vector
from ..tree.rigid import plus_articulated, shifted_articulated
from .contact_slopes import contact_slopes, is_closed, symmetric_slopes
from .load_rows import place_slots
from .slots import SLOT_POSITION, SLOT_RECORD
from .touched_nodes import NO_MATRIX, NOTHING


@uncounted
def prepare_contacts(system, arrays, work, state, of_damping, of_stiffness):
    """Write E (1) of all nodes in a state, for the steps that begin there.

    system: with the stiff scratch.  Nothing is evaluated where all contacts are open.
    """
    head = run.PlanHeader(arrays.plan, 0)
    plan, table, memory = arrays
    scratch = system.scratch
    scratch[field.TOUCHED] = 0.0
    if head.touched.count == 0 or not _is_any_closed(plan, memory):
        return
    for k in range(head.touched.count):
        _clear(scratch, run.TouchedRow(plan, head.touched.first, k).record)
    place_slots(system, arrays, work, state.q, state.v)
    number = 0.0
    for k in range(head.contacts.count):
        load = run.LoadRow(plan, plan[head.contacts.first + k])
        if load.touched == 0 or not is_closed(memory, load):
            continue
        a, b = load.slot_a * SLOT_RECORD, load.slot_b * SLOT_RECORD
        N, witness, x, of_gap, c_n, c_t, c_u, spin = contact_slopes(
            load, table, memory, work.slots, a, b
        )
        if N == 0.0:
            continue
        E_k, E_c = symmetric_slopes(witness, of_gap, c_n, c_t, c_u)
        touched = run.TouchedRow(plan, head.touched.first, load.touched - 1)
        number += 1.0 - scratch[touched.record]
        o = (a if load.slot_a < head.n_wrench else b) + SLOT_POSITION
        arm = added(x, -1.0, vector(work.slots, o))
        _add_slopes(system, touched, arm, E_k, E_c, spin, of_damping, of_stiffness)
    scratch[field.TOUCHED] = number


@uncounted
def _is_any_closed(plan, memory):
    """Whether a contact with a touched node is closed."""
    head = run.PlanHeader(plan, 0)
    for k in range(head.contacts.count):
        load = run.LoadRow(plan, plan[head.contacts.first + k])
        if load.touched != 0 and is_closed(memory, load):
            return True
    return False


@uncounted
def _clear(scratch, o):
    """Clear a record."""
    record = TouchedRecord(scratch, o)
    record.active = 0.0
    record.A, record.B, record.D = NOTHING, NO_MATRIX, NOTHING
    record.K_A, record.K_B, record.K_D = NOTHING, NO_MATRIX, NOTHING
    record.n, record.f = ZERO, ZERO


@uncounted
def _add_slopes(system, touched, arm, E_k, E_c, spin, of_damping, of_stiffness):
    """Add the slopes of a contact to the record of its node; arm: from the node to x."""
    ints, _floats, scratch = system
    record = TouchedRecord(scratch, touched.record)
    C = matrix(scratch, BodyRow(ints, touched.body).world)
    back = (C[0], C[3], C[6], C[1], C[4], C[7], C[2], C[5], C[8])
    E_k, E_c = turned_symmetric(back, E_k), turned_symmetric(back, E_c)
    spin, arm = turned_symmetric(back, spin), turn_back(C, arm)
    A, B, D = shifted_articulated(arm, NOTHING, NO_MATRIX, _sum(of_damping, E_c, of_stiffness, E_k))
    A = _sum(1.0, A, of_damping, spin)
    record.A, record.B, record.D = plus_articulated(A, B, D, record.A, record.B, record.D)
    A, B, D = shifted_articulated(arm, NOTHING, NO_MATRIX, E_k)
    record.K_A, record.K_B, record.K_D = plus_articulated(
        A, B, D, record.K_A, record.K_B, record.K_D
    )
    record.active = 1.0


@uncounted
def _sum(s, a, t, b):
    """Sum s a + t b of symmetric matrices."""
    return (
        s * a[0] + t * b[0],
        s * a[1] + t * b[1],
        s * a[2] + t * b[2],
        s * a[3] + t * b[3],
        s * a[4] + t * b[4],
        s * a[5] + t * b[5],
    )
