"""Derivatives of loads that are not diagonal in the speeds, as rows.

With U_r directions of forces and T_r the forces along them, T = sum_r U_r^T T_r:
  -dT/dq = diag(K) + sum_r U_r^T K_r      -dT/dv = diag(C) + sum_r U_r^T C_r                  (1)
K and C are the slopes of loads on hinges (`loads`).  The rows r are, in this order:
  speeds    U = unit vectors; K_r, C_r by central differences of users' functions and of loads
            without slopes, less the slopes where a load has them; or given with a function   (2)
  slots     U = J, the velocity of a node by the speeds, six rows in world axes; K_r and C_r are
            the changes of its wrench for small motions J e_k of the nodes (`NodeKind.change`);
            J from the columns of the nodes (`places`) if there are any, or force by force    (3)
  cut       U = J of the joints of loops that loads act on; K_r = K_c J, C_r = C_c J           (4)
  contacts  in steps only, where they are not among the slots: see `contact_rows`
Left out of (1), and found by `load_derivatives`, is that J changes with q.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import uncounted
from ..layout import run
from ..small import matrix, put_vector, turn_back
from ..tree.external import apply_external
from ..tree.inverse import forces_tip_to_base
from ..tree.motion import motion_base_to_tip
from ..tree.world import place_base_to_tip
from .contact_rows import add_contact_rows
from .coordinates import moved
from .loads import add_load, add_node_change, add_node_force, add_slopes_of, output_place
from .loop_loads import loop_rows, loop_slopes
from .node_motions import put_directions
from .registry import NO_SLOPES
from .signals import signal
from .slots import SLOT_POSE, SLOT_RECORD, SLOT_WRENCH, clear_wrenches, put_wrenches, slot_motions
from .user_rows import add_user_rows, take_wrench
from .views import loop_joints, slope_rows


@uncounted
def load_rows(system, arrays, work, t, state, other, least):
    """Write the rows U, K and C of (1) in a state; 0 or a failure.

    After `put_states`.  other: a state to be overwritten.  least: the slots that count, EXACT_ROWS
    or STEP_ROWS.
    """
    none = work.forces[:0]
    return load_rows_at(system, arrays, work, t, state, other, least, none, none)


@uncounted
def load_rows_at(system, arrays, work, t, state, other, least, columns, motions):
    """Write rows as `load_rows`, with the columns and motions of the nodes of slots, or empty."""
    head = run.PlanHeader(arrays.plan, 0)
    plan, of = arrays.plan, slope_rows(arrays, work)
    n = system.ints[field.N_V]
    of.count[0] = head.contact_rows
    for k in range(head.contact_rows * n):
        of.U[k] = of.K[k] = of.C[k] = 0.0
    for k in range(n if head.wide != 0 else 0):
        of.U[k * n + k] = 1.0
    if head.loop_forces.count != 0:
        if loop_slopes(system, arrays, work, t, state, 0.0, 0.0) != 0:
            return run.CALL_FAILED
        _cut_rows(system, arrays, work, of, state)
    if head.node_loads.count != 0:
        place_slots(system, arrays, work, state.q, state.v)
        if len(columns) != 0:
            put_directions(plan, columns, motions, of.U, _first_row(plan, n), n)
        else:
            _slot_directions(system, arrays, work, of, state, least)
        if _slot_changes(system, arrays, work, of, t, state, least) != 0:
            return run.CALL_FAILED
        if head.n_row != head.contact_rows and least == run.STEP_ROWS:
            of.count[0] = add_contact_rows(system, arrays, work, of, state, head.contact_rows)
    status = add_user_rows(arrays, work, of, t, state, _first_row(plan, n))
    return status if status != 0 else _differences(system, arrays, work, of, t, state, other)


@uncounted
def place_slots(system, arrays, work, q, v):
    """Write poses and velocities of all slots in a state."""
    head = run.PlanHeader(arrays.plan, 0)
    ints, floats, scratch = system
    plan = arrays.plan
    flags = head.flags & field.ACCELERATED
    motion_base_to_tip(ints, floats, scratch, q, v, v, flags)
    place_base_to_tip(ints, scratch)
    slot_motions(ints, scratch, plan, q, v, work.slots, 0, flags)


@uncounted
def _first_row(plan, n):
    """Number of the first row of slots."""
    head = run.PlanHeader(plan, 0)
    return n if head.wide != 0 else 0


@uncounted
def _cut_rows(system, arrays, work, of, state):
    """Write the rows (4), after `loop_slopes`."""
    head = run.PlanHeader(arrays.plan, 0)
    plan, n = arrays.plan, system.ints[field.N_V]
    cut, first = loop_joints(arrays, work), _first_row(plan, n)
    first += head.slot_rows
    loop_rows(system, arrays, work, state)
    for c in range(head.n_loop_v):
        o = (first + c) * n
        for k in range(n):
            of.U[o + k] = cut.J[c * n + k]
            of.K[o + k] = cut.K[c] * cut.J[c * n + k]
            of.C[o + k] = cut.C[c] * cut.J[c * n + k]


@uncounted
def _slot_directions(system, arrays, work, of, state, least):
    """Write the rows U of (3): forces on the speeds by unit moments and forces in world axes."""
    head = run.PlanHeader(arrays.plan, 0)
    ints, floats, scratch = system
    plan, slots, n = arrays.plan, work.slots, ints[field.N_V]
    flags, first = head.flags, _first_row(plan, n)
    for s in range(head.n_wrench):
        if run.SlotRow(plan, head.slots.first, s).slopes < least:
            continue
        R = matrix(slots, s * SLOT_RECORD + SLOT_POSE)
        for i in range(6):
            motion_base_to_tip(ints, floats, scratch, state.q, state.v, of.zero, flags & 0)
            clear_wrenches(plan, slots, 0)
            unit = (
                1.0 if i % 3 == 0 else 0.0,
                1.0 if i % 3 == 1 else 0.0,
                1.0 if i % 3 == 2 else 0.0,
            )
            put_vector(slots, s * SLOT_RECORD + SLOT_WRENCH + 3 * (i // 3), turn_back(R, unit))
            put_wrenches(scratch, plan, slots, 0)
            apply_external(ints, scratch, state.q, state.v)
            forces_tip_to_base(ints, scratch, of.zero, of.column, flags & 0)
            for k in range(n):
                of.U[(first + 6 * s + i) * n + k] = -of.column[k]
    clear_wrenches(plan, slots, 0)


@uncounted
def _slot_changes(system, arrays, work, of, t, state, least):
    """Write the rows K and C of (3); 0, or a function's status."""
    head = run.PlanHeader(arrays.plan, 0)
    plan, table, memory = arrays
    n, slots = system.ints[field.N_V], work.slots
    first = _first_row(plan, n)
    for i in range(head.node_loads.count):
        load = run.LoadRow(plan, head.node_loads.first, i)
        if memory[load.active] == 0.0 or load.slopes < least:
            continue
        a, b, s = load.slot_a, load.slot_b, load.signal
        if s != 0 and signal(plan, table, memory, s, t, state.q, state.v, work.buffer, 0, 0) != 0:
            return run.CALL_FAILED
        for k in range(n):
            for part in range(2):
                rows = of.K if part == 0 else of.C
                put_slot_motion(plan, of, first, n, k, a, part)
                put_slot_motion(plan, of, first, n, k, b, part)
                add_node_change(
                    load.kind, load, table, memory, work.buffer,
                    slots, a * SLOT_RECORD, b * SLOT_RECORD,
                    of.motion, 12 * a, 12 * b, of.change, 6 * a, 6 * b,
                )  # fmt: skip
                take_changes(plan, of, first, n, k, a, rows)
                take_changes(plan, of, first, n, k, b, rows)
    return 0


@uncounted
def put_slot_motion(plan, of, first, n, k, s, part):
    """Write the motion J e_k of slot s, of the pose (part 0) or the rates, and clear its change."""
    head = run.PlanHeader(plan, 0)
    for j in range(12):
        of.motion[12 * s + j] = 0.0
    for j in range(6):
        of.change[6 * s + j] = 0.0
        if s < head.n_wrench:  # points of the ground do not move
            of.motion[12 * s + 6 * part + j] = of.U[(first + 6 * s + j) * n + k]


@uncounted
def take_changes(plan, of, first, n, k, s, rows):
    """Subtract the change of the wrench of slot s from column k of its rows, and clear it."""
    head = run.PlanHeader(plan, 0)
    for j in range(6):
        if s < head.n_wrench:
            rows[(first + 6 * s + j) * n + k] -= of.change[6 * s + j]
        of.change[6 * s + j] = 0.0


# Differences


@uncounted
def _differences(system, arrays, work, of, t, state, other):
    """Add the rows (2), and those of functions on nodes and joints of loops; 0 or a failure."""
    head = run.PlanHeader(arrays.plan, 0)
    table = arrays.table
    n, spacings = system.ints[field.N_V], head.spacings
    if not _needs_differences(arrays):
        return 0
    for k in range(n):
        for part in range(2):
            d = table[spacings + part * n + k]
            for side in range(2):
                step = d if side == 0 else -d
                if not _displace(arrays, work, state, other, k, part, step):
                    return run.SINGULAR_COORDINATES
                rows = of.K if part == 0 else of.C
                status = _add_forces(system, arrays, work, of, t, other, k, -0.5 / step, rows)
                if status != 0:
                    return status
    return _subtract_slopes(system, arrays, work, of, t, state)


@uncounted
def _needs_differences(arrays):
    """Whether an active load is differentiated by differences."""
    plan, memory = arrays.plan, arrays.memory
    for kind in range(3):
        loads = _loads_of_kind(plan, kind)
        for i in range(loads.count):
            load = run.LoadRow(plan, loads.first, i)
            wide = load.wide
            differenced = wide == run.OWN_JOINT or wide == run.EVERYWHERE
            if differenced and memory[load.active] != 0.0:
                return True
    return False


@uncounted
def _loads_of_kind(plan, kind):
    """Loads on hinges (0), joints of loops (1), nodes (2)."""
    head = run.PlanHeader(plan, 0)
    if kind == 0:
        return head.forces
    if kind == 1:
        return head.loop_forces
    return head.node_loads


@uncounted
def _displace(arrays, work, state, other, k, part, step):
    """Write the state moved by a step along speed k, or with this speed changed, to `other`."""
    for j in range(len(state.v)):
        work.s[j] = 0.0
        other.v[j] = state.v[j]
    for j in range(len(state.q)):
        other.q[j] = state.q[j]
    if part == 1:
        other.v[k] += step
        return True
    work.s[k] = step
    return moved(arrays.plan, arrays.table, state.q, work.s, other.q, work.buffer) == field.DONE


@uncounted
def _add_forces(system, arrays, work, of, t, at, k, factor, rows):
    """Add `factor` times the forces at a displaced state to column k of rows; 0 or a failure."""
    head = run.PlanHeader(arrays.plan, 0)
    plan, memory = arrays.plan, arrays.memory
    n, first = system.ints[field.N_V], _first_row(plan, system.ints[field.N_V])
    for j in range(n):
        of.column[j] = 0.0
    for i in range(head.forces.count):
        load = run.LoadRow(plan, head.forces.first, i)
        if _depends_on_speed(load, k) and add_load(
            arrays, t, at.q, at.v, load, at.q, at.v, of.column, work.states, work.buffer
        ):
            return run.CALL_FAILED
    for j in range(n if head.wide != 0 else 0):
        rows[j * n + k] += factor * of.column[j]
    cut = loop_joints(arrays, work)
    for j in range(head.n_loop_v):
        cut.T[j] = 0.0
    for i in range(head.loop_forces.count):
        load = run.LoadRow(plan, head.loop_forces.first, i)
        if load.wide == run.EVERYWHERE and add_load(
            arrays, t, at.q, at.v, load, cut.q, cut.v, cut.T, work.states, work.buffer
        ):
            return run.CALL_FAILED
    for j in range(head.n_loop_v):
        rows[(first + head.slot_rows + j) * n + k] += factor * cut.T[j]
    for i in range(head.node_loads.count):
        load = run.LoadRow(plan, head.node_loads.first, i)
        if load.wide == run.EVERYWHERE and memory[load.active] != 0.0:
            if _add_wrench(
                arrays, work, t, at, load, (first + 6 * load.slot_a) * n + k, n, factor, rows
            ):
                return run.CALL_FAILED
    return 0


@uncounted
def _depends_on_speed(load, k):
    """Whether a load on a hinge is differentiated by speed k."""
    wide, o_v = load.wide, load.v
    in_joint = o_v <= k < o_v + load.n
    return wide == run.EVERYWHERE or (wide == run.OWN_JOINT and in_joint)


@uncounted
def _add_wrench(arrays, work, t, at, load, o, n, factor, rows):
    """Add `factor` times the wrench of a function on a node to rows[o], rows[o + n], ...

    The function is that of a displaced state, the node stays.  Returns 0, or a function's status.
    """
    plan, table, memory = arrays
    slots, a = work.slots, load.slot_a * SLOT_RECORD
    status = signal(plan, table, memory, load.signal, t, at.q, at.v, work.buffer, 0, 0)
    if status != 0:
        return status
    add_node_force(
        load.kind, load, table, memory, work.buffer,
        slots, a, load.slot_b * SLOT_RECORD, work.states, output_place(plan, load),
    )  # fmt: skip
    take_wrench(plan, slots, a, rows, o, n, factor)
    return 0


@uncounted
def _subtract_slopes(system, arrays, work, of, t, state):
    """Subtract the slopes of loads that have some but not their whole derivative; 0 or a status."""
    head = run.PlanHeader(arrays.plan, 0)
    plan = arrays.plan
    n = system.ints[field.N_V]
    for i in range(head.forces.count):
        load = run.LoadRow(plan, head.forces.first, i)
        if load.wide == run.NOWHERE or load.slopes == NO_SLOPES:
            continue
        for j in range(2 * n):
            of.small[j] = 0.0
        for j in range(n):
            of.column[j] = of.solution[j] = 0.0
        status = add_slopes_of(
            arrays, t, state.q, state.v, load, state.q, state.v, work.states, of.small,
            work.buffer, of.column, of.solution,
        )  # fmt: skip
        if status != 0:
            return run.CALL_FAILED
        for j in range(n):
            of.K[j * n + j] -= of.column[j]
            of.C[j * n + j] -= of.solution[j]
    return 0
