"""Generalized forces of all loads in a state, and their derivatives by configuration and speeds.

With (1) of `load_rows`, and w_r the wrenches of nodes in their own axes, T_c the forces on the
joints of loops:
  dT/dq_k = -(diag(K) + sum_r U_r^T K_r) e_k
            + d/dq_k (J^T w, J_c^T T_c at constant w, T_c)                                    (1)
            + sum_r U_r^T (change of w_r, T_c with the velocities J v, at constant v)         (2)
  dT/dv   = -(diag(C) + sum_r U_r^T C_r)                                                      (3)
The derivatives in (1) and (2) are those of the kinematics alone.  Where the columns of the nodes
are given (`places`), they give (2), and (1) is left to the caller: minus the derivatives of inverse
dynamics at rest, without stiffness and gravity, under the wrenches that stay in the list of
external forces.  Otherwise (loads in loops, users' own joints) they are found by differences of
fourth order:
  f' = (8 (f(d) - f(-d)) - (f(2d) - f(-2d))) / 12 d                                           (4)
So are those of the forces of loads on bodies (fields of gravity, rotors), by q and by v.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import CompiledEntry, uncounted
from ..layout import run
from ..tree.external import apply_external
from ..tree.inverse import forces_tip_to_base
from ..tree.motion import motion_base_to_tip
from .coordinates import moved
from .implicit import clear_sides, tangent
from .load_rows import load_rows_at, place_slots
from .loads import add_node_change, body_loads, hinge_loads, node_loads
from .loop_loads import add_loop_wrenches, find_loop_motions, loop_loads
from .node_motions import put_rate_changes
from .signals import signal
from .slots import SLOT_RATE, SLOT_RECORD, SLOT_WRENCH, clear_wrenches, put_wrenches
from .states import put_states
from .views import loop_joints, slope_rows, views

WIDER = 300.0  # spacing of (4), in multiples of those of users' functions


@uncounted
def load_derivatives(
    ints, floats, scratch, plan, table, memory, work, mass, columns, motions, forces, by_q, by_v
):
    """Write the forces T and the derivatives (1)-(3) at the state in memory; 0 or a failure.

    columns, motions: of the nodes of all slots, or empty, see above.  Forces of sampled controllers
    are constant: those held.
    """
    head = run.PlanHeader(plan, 0)
    r = views(ints, floats, scratch, scratch, plan, table, memory, work, mass)
    system, arrays, t, n = r.system, r.arrays, memory[run.TIME], ints[field.N_V]
    clear_sides(r.tangent.sides)
    for k in range(n):
        r.work.extra[k] = 0.0
    if tangent(arrays, r.work, t, r.start, 0.0, r.tangent, 0.0) != 0:
        return run.CALL_FAILED
    status = load_rows_at(
        system, arrays, r.work, t, r.start, r.inside, run.EXACT_ROWS, columns, motions
    )
    if status != 0:
        return status
    of, o = slope_rows(arrays, r.work), head.stiffness
    for k in range(n):
        for j in range(n):
            by_q[k, j] = by_v[k, j] = 0.0
        by_q[k, k] = table[o + k] - r.tangent.K[k]  # of loads alone, without modes
        by_v[k, k] = table[o + n + k] - r.tangent.C[k]
    _add_products(plan, of, n, of.K, by_q)
    _add_products(plan, of, n, of.C, by_v)
    status = _forces(r, t, forces)
    if status == 0 and (head.node_loads.count != 0 or head.loop_forces.count != 0):
        if len(columns) != 0:
            status = _add_all_slower(r, of, t, columns, motions, by_q)
        else:
            status = _add_turning(r, of, t, by_q)
    if status == 0 and head.body_loads.count != 0:
        status = _add_bodies(r, of, t, forces, by_q, by_v)
    if len(columns) != 0:
        _restore_wrenches(r.arrays.plan, r.work, of)
        put_wrenches(scratch, plan, r.work.slots, 0)
    return status


@uncounted
def _add_products(plan, of, n, rows, out):
    """Subtract sum_r U_r^T rows_r."""
    head = run.PlanHeader(plan, 0)
    for i in range(head.n_row):
        for j in range(n):
            u = of.U[i * n + j]
            if u != 0.0:
                for k in range(n):
                    out[j, k] -= u * rows[i * n + k]


@uncounted
def _forces(r, t, out):
    """Write the generalized forces of all loads; their wrenches stay in the slots."""
    head = run.PlanHeader(r.arrays.plan, 0)
    system, arrays, work, q, v = r.system, r.arrays, r.work, r.start.q, r.start.v
    plan = arrays.plan
    n = len(v)
    put_states(plan, work.states, r.start.z, 0.0)
    if hinge_loads(arrays, t, q, v, work.forces, work.states, work.buffer) != 0:
        return run.CALL_FAILED
    for k in range(n):
        out[k] = work.forces[k]
    if head.slots.count == 0:
        return 0
    place_slots(system, arrays, work, q, v)
    clear_wrenches(plan, work.slots, 0)
    if node_loads(arrays, t, q, v, work.slots, work.states, work.buffer) != 0:
        return run.CALL_FAILED
    of = slope_rows(arrays, work)
    _save_wrenches(plan, work, of)
    if head.loop_joints.count != 0:
        find_loop_motions(system, arrays, loop_joints(arrays, work), r.start)
        if loop_loads(system, arrays, work, t, q, v) != 0:
            return run.CALL_FAILED
    _put_slot_forces(system, arrays, work, of, q, v)
    for k in range(n):
        out[k] -= of.column[k]
    return 0


@uncounted
def _put_slot_forces(system, arrays, work, of, q, v):
    """Write minus the generalized forces of the wrenches of the slots to of.column."""
    head = run.PlanHeader(arrays.plan, 0)
    ints, floats, scratch = system
    flags = head.flags & 0
    motion_base_to_tip(ints, floats, scratch, q, v, of.zero, flags)
    put_wrenches(scratch, arrays.plan, work.slots, 0)
    apply_external(ints, scratch, q, v)
    forces_tip_to_base(ints, scratch, of.zero, of.column, flags)


@uncounted
def _save_wrenches(plan, work, of):
    """Store the wrenches of loads on nodes in place of X."""
    head = run.PlanHeader(plan, 0)
    for s in range(head.n_wrench):
        for j in range(6):
            of.X[6 * s + j] = work.slots[s * SLOT_RECORD + SLOT_WRENCH + j]


@uncounted
def _restore_wrenches(plan, work, of):
    """Put the wrenches of loads on nodes back to their slots."""
    head = run.PlanHeader(plan, 0)
    for s in range(head.n_wrench):
        for j in range(6):
            work.slots[s * SLOT_RECORD + SLOT_WRENCH + j] = of.X[6 * s + j]


@uncounted
def _add_all_slower(r, of, t, columns, motions, by_q):
    """Add (2) from the columns of the nodes, after `_forces`; 0, or a function's status."""
    head = run.PlanHeader(r.arrays.plan, 0)
    n, plan = len(r.start.v), r.arrays.plan
    if head.node_rates == 0:
        return 0
    cut = loop_joints(r.arrays, r.work)
    for j in range(12 * head.slots.count):
        of.motion[j] = 0.0
    for k in range(n):
        put_rate_changes(plan, columns, motions, n, k, of.motion)
        status = _add_slower(r, of, cut, t, k, by_q)
        if status != 0:
            return status
    return 0


@uncounted
def _add_turning(r, of, t, by_q):
    """Add (1) and (2) by (4), after `_forces`; 0 or a failure."""
    head = run.PlanHeader(r.arrays.plan, 0)
    system, arrays, work, v, at = r.system, r.arrays, r.work, r.start.v, r.inside
    plan, table = arrays.plan, arrays.table
    n, spacings, cut = len(v), head.spacings, loop_joints(arrays, work)
    for k in range(n):
        for j in range(12 * head.slots.count):
            of.motion[j] = 0.0
        for j in range(head.n_loop_v):
            cut.A[j] = 0.0
        for side in range(4):
            d = WIDER * table[spacings + k]
            step = (d, -d, 2.0 * d, -2.0 * d)[side]
            weight = (8.0, -8.0, -1.0, 1.0)[side] / (12.0 * d)
            for j in range(n):
                work.s[j] = step if j == k else 0.0
                at.v[j] = v[j]
            if moved(plan, table, r.start.q, work.s, at.q, work.buffer) != field.DONE:
                return run.SINGULAR_COORDINATES
            _add_displaced(system, arrays, work, of, cut, at, weight)
            for j in range(n):
                by_q[j, k] -= weight * of.column[j]
        if head.node_rates != 0:
            place_slots(system, arrays, work, r.start.q, v)
        status = _add_slower(r, of, cut, t, k, by_q)
        if status != 0:
            return status
    return 0


@uncounted
def _add_displaced(system, arrays, work, of, cut, at, weight):
    """Write minus the forces (1) at a displaced state to of.column; add the velocities there.

    Those of the slots are added to of.motion, those of the joints of loops to cut.A, with a weight.
    """
    head = run.PlanHeader(arrays.plan, 0)
    plan, slots = arrays.plan, work.slots
    if head.node_rates != 0:
        place_slots(system, arrays, work, at.q, at.v)
        for s in range(head.n_wrench):
            for j in range(6):
                of.motion[12 * s + 6 + j] += weight * slots[s * SLOT_RECORD + SLOT_RATE + j]
    _restore_wrenches(plan, work, of)
    if head.loop_joints.count != 0:
        find_loop_motions(system, arrays, cut, at)
        for c in range(head.n_loop_v):
            cut.A[c] += weight * cut.v[c]
        add_loop_wrenches(system, arrays, work, cut.T)
    _put_slot_forces(system, arrays, work, of, at.q, at.v)


@uncounted
def _add_slower(r, of, cut, t, k, by_q):
    """Add (2) to column k; 0, or a function's status."""
    head = run.PlanHeader(r.arrays.plan, 0)
    plan, table, memory = r.arrays
    n, work = len(r.start.v), r.work
    first = n if head.wide != 0 else 0
    for j in range(6 * head.slots.count):
        of.change[j] = 0.0
    for i in range(head.node_loads.count if head.node_rates != 0 else 0):
        load = run.LoadRow(plan, head.node_loads.first, i)
        if memory[load.active] == 0.0:
            continue
        a, b, s = load.slot_a, load.slot_b, load.signal
        q, v = r.start.q, r.start.v
        if s != 0 and signal(plan, table, memory, s, t, q, v, work.buffer, 0, 0) != 0:
            return run.CALL_FAILED
        add_node_change(
            load.kind, load, table, memory, work.buffer,
            work.slots, a * SLOT_RECORD, b * SLOT_RECORD,
            of.motion, 12 * a, 12 * b, of.change, 6 * a, 6 * b,
        )  # fmt: skip
    for i in range(6 * head.n_wrench):
        for j in range(n):
            by_q[j, k] += of.U[(first + i) * n + j] * of.change[i]
    for c in range(head.n_loop_v):
        o = (first + head.slot_rows + c) * n
        for j in range(n):
            by_q[j, k] -= of.U[o + j] * cut.C[c] * cut.A[c]
    return 0


@uncounted
def _add_bodies(r, of, t, forces, by_q, by_v):
    """Add the forces of loads on bodies and their derivatives by (4); 0 or a failure."""
    head = run.PlanHeader(r.arrays.plan, 0)
    plan, table, work, at = r.arrays.plan, r.arrays.table, r.work, r.inside
    q, v = r.start.q, r.start.v
    n, spacings = len(v), head.spacings
    if _body_forces(r, of, t, q, v) != 0:
        return run.CALL_FAILED
    for j in range(n):
        forces[j] += of.column[j]
    for k in range(n):
        for side in range(4):
            d, e = WIDER * table[spacings + k], WIDER * table[spacings + n + k]
            step, weight = (1.0, -1.0, 2.0, -2.0)[side], (8.0, -8.0, -1.0, 1.0)[side] / 12.0
            for j in range(n):
                work.s[j] = step * d if j == k else 0.0
                at.v[j] = v[j]
            if moved(plan, table, q, work.s, at.q, work.buffer) != field.DONE:
                return run.SINGULAR_COORDINATES
            if _body_forces(r, of, t, at.q, v) != 0:
                return run.CALL_FAILED
            for j in range(n):
                by_q[j, k] += weight / d * of.column[j]
            at.v[k] += step * e
            if _body_forces(r, of, t, q, at.v) != 0:
                return run.CALL_FAILED
            for j in range(n):
                by_v[j, k] += weight / e * of.column[j]
    return 0


@uncounted
def _body_forces(r, of, t, q, v):
    """Write the generalized forces of loads on bodies to of.column; 0 or a failure."""
    system, work = r.system, r.work
    plan = r.arrays.plan
    place_slots(system, r.arrays, work, q, v)
    clear_wrenches(plan, work.slots, 0)
    for k in range(len(v)):
        work.forces[k] = 0.0
    status = body_loads(
        system, r.arrays, t, q, v, work.slots, work.states, work.buffer, work.forces
    )
    _put_slot_forces(system, r.arrays, work, of, q, v)
    for k in range(len(v)):
        of.column[k] = work.forces[k] - of.column[k]
    return status


_INTS, _FLOATS, _MATRIX = "int64[::1]", "float64[::1]", "float64[:,::1]"
LOAD_DERIVATIVES = CompiledEntry(
    load_derivatives,
    f"int64({_INTS}, {_FLOATS}, {_FLOATS}, {_INTS}, {_FLOATS}, {_FLOATS}, {_FLOATS}, {_MATRIX}, "
    f"{_FLOATS}, {_FLOATS}, {_FLOATS}, {_MATRIX}, {_MATRIX})",
    "derivatives of loads",
    seconds=30,
)
