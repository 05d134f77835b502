"""Contacts in implicit steps as rows: three for each that is closed.

  U = e_r J (r = n, t, u)   J: velocity of a relative to b at the common point, by the speeds
  K_r = (e_r . k) U_n       C_r = (e_r . c_n) U_n + (e_r . c_t) U_t + (e_r . c_u) U_u         (1)
with k and c of `contact_slopes`.  These are the contacts between bodies; those with the ground are
inertia where they can be (`contact_inertia`).
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import uncounted
from ..layout import run
from ..layout.tree import BodyRow
from ..small import added, cross, dot, matrix, scaled, turn_back, vector
from ..tree.twists import listed_force
from .contact_slopes import contact_slopes, is_closed
from .slots import SLOT_POSITION, SLOT_RECORD


@uncounted
def add_contact_rows(system, arrays, work, of, state, first):
    """Write the rows (1) of closed contacts from row `first` on; the number of the row after them.

    After `place_slots`.
    """
    head = run.PlanHeader(arrays.plan, 0)
    plan, table, memory = arrays
    n_v, at = system.ints[field.N_V], first
    for k in range(head.contacts.count):
        load = run.LoadRow(plan, plan[head.contacts.first + k])
        if load.touched != 0 or not is_closed(memory, load):
            continue
        a, b = load.slot_a * SLOT_RECORD, load.slot_b * SLOT_RECORD
        N, witness, x, of_gap, c_n, c_t, c_u, _spin = contact_slopes(
            load, table, memory, work.slots, a, b
        )
        if N == 0.0:
            continue
        axes = (witness[1], witness[4], witness[5])
        for r in range(3):
            o = (at + r) * n_v
            for j in range(n_v):
                of.U[o + j] = 0.0
            _put_direction(system, plan, work.slots, of.U, state.q, load.slot_a, x, axes[r], o)
            minus = scaled(-1.0, axes[r])
            _put_direction(system, plan, work.slots, of.U, state.q, load.slot_b, x, minus, o)
        o = at * n_v
        for r in range(3):
            K, C = dot(axes[r], of_gap), dot(axes[r], c_n)
            C_t, C_u = dot(axes[r], c_t), dot(axes[r], c_u)
            for j in range(n_v):
                U_n, U_t, U_u = of.U[o + j], of.U[o + n_v + j], of.U[o + 2 * n_v + j]
                of.K[o + r * n_v + j] = K * U_n
                of.C[o + r * n_v + j] = C * U_n + C_t * U_t + C_u * U_u
        at += 3
    return at


@uncounted
def _put_direction(system, plan, slots, U, q, s, x, e, o):
    """Add the forces on the speeds by the force e at x on slot s to U[o:]."""
    head = run.PlanHeader(plan, 0)
    ints, _floats, scratch = system
    if s >= head.n_wrench:
        return
    slot = run.SlotRow(plan, head.slots.first, s)
    body = BodyRow(ints, slot.body)
    arm = added(x, -1.0, vector(slots, s * SLOT_RECORD + SLOT_POSITION))
    C = matrix(scratch, body.world)
    n, f = turn_back(C, cross(arm, e)), turn_back(C, e)
    c = int(scratch[field.EXTERNAL]) + slot.external + field.EXTERNAL_NODE
    listed_force(ints, scratch, body, c, q, n, f, U, o)
