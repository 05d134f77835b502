"""Accelerations at a time under all loads."""

from __future__ import annotations

from .. import fields as field
from ..compiling import uncounted
from ..layout import run
from ..layout.tree import BodyRow
from ..loops.closed_tree import closed_accelerations
from ..loops.couplings import take_coupling_forces
from ..loops.dense_dynamics import solve_dense
from ..loops.forces import apply_loop_forces
from ..loops.unknowns import closing_of
from ..records import hinge_record
from ..tree.articulated import accelerate_base_to_tip, articulate_tip_to_base, prepare
from ..tree.external import apply_external
from ..tree.inverse import forces_tip_to_base
from ..tree.motion import motion_base_to_tip
from ..tree.world import place_base_to_tip
from .extrapolation import extrapolate_accelerations
from .loads import body_loads, hinge_loads, node_loads
from .loop_loads import loop_loads
from .motions import drive, undrive
from .slots import clear_wrenches, put_wrenches, slot_motions
from .states import put_states
from .touched_nodes import add_touched_forces, hold_touched, release_touched

ALL = field.RATES | field.GRAVITY | field.ELASTIC
PIVOT = 1e-14  # fraction of a diagonal entry below which the mass matrix is singular


@uncounted
def evaluate(system, arrays, work, t, state, w, out):
    """Write the accelerations at time t to `out`; given motions are written into the state.

    w: the states of loads are state.z plus w times their rates, which are written to work.states.
    Returns 0, CALL_FAILED, SINGULAR_ or NOT_FINITE_.
    """
    head = run.PlanHeader(arrays.plan, 0)
    ints, floats, scratch = system
    plan, table, memory = arrays
    T, x, slots, buffer = work.forces, work.x, work.slots, work.buffer
    q, v, before, extra = state.q, state.v, work.before, work.extra
    n, flags = ints[field.N_V], head.flags
    memory[run.N_EVALUATIONS] += 1.0
    if head.motions.count != 0:
        undrive(ints, plan)
        if drive(ints, plan, table, memory, t, q, v, x, buffer) != 0:
            return run.CALL_FAILED
    put_states(plan, work.states, state.z, w)
    if hinge_loads(arrays, t, q, v, T, work.states, buffer) != 0:
        return run.CALL_FAILED
    if head.node_rates != 0:
        motion_base_to_tip(ints, floats, scratch, q, v, v, flags & field.ACCELERATED)
        place_base_to_tip(ints, scratch)
        slot_motions(ints, scratch, plan, q, v, slots, 0, flags & field.ACCELERATED)
    motion_base_to_tip(ints, floats, scratch, q, v, x, flags & ALL)
    if head.slots.count != 0:
        if head.node_rates == 0:
            place_base_to_tip(ints, scratch)
            slot_motions(ints, scratch, plan, q, v, slots, 0, flags & 0)
        clear_wrenches(plan, slots, 0)
        if node_loads(arrays, t, q, v, slots, work.states, buffer) != 0:
            return run.CALL_FAILED
        if head.body_loads.count != 0:
            status = body_loads(system, arrays, t, q, v, slots, work.states, buffer, T)
            if status != 0:
                return run.CALL_FAILED
        if head.loop_joints.count != 0 and loop_loads(system, arrays, work, t, q, v) != 0:
            return run.CALL_FAILED
        put_wrenches(scratch, plan, slots, 0)
        apply_external(ints, scratch, q, v)
    extrapolate_accelerations(system, arrays, t, before)
    for k in range(n):
        out[k] = T[k] + extra[k]
    touched = scratch[field.TOUCHED] != 0.0
    if touched:
        add_touched_forces(system, plan, before, 1.0, 0.0, False)
        hold_touched(system, plan)
    if head.dense != 0:
        status = solve_dense(
            ints,
            floats,
            scratch,
            q,
            v,
            x,
            before,
            out,
            out,
            work.mass,
            PIVOT,
            flags & ALL,
            flags != 0,
        )
    elif ints[field.LOOPS] != 0:
        status = closed_accelerations(ints, floats, scratch, q, v, x, before, out, out, flags & ALL)
    else:
        status = articulate_tip_to_base(ints, scratch, out)
        if status == field.DONE:
            status = accelerate_base_to_tip(ints, scratch, out)
    if touched:
        release_touched(system, plan)
    if status != field.DONE:
        return run.SINGULAR_ if status == field.SINGULAR else run.NOT_FINITE_
    copy_driven(plan, memory, x, out)
    return 0


@uncounted
def solve_mass(system, arrays, q, forces, before, out):
    """Write M^-1 forces to `out`, with rotors and loops; driven hinges do not move.

    before: zero where loops are closed in the speeds, else any.  Returns 0 or a failure.
    """
    head = run.PlanHeader(arrays.plan, 0)
    ints, floats, scratch = system
    flags = head.flags
    motion_base_to_tip(ints, floats, scratch, q, forces, forces, flags & 0)
    touched = scratch[field.TOUCHED] != 0.0
    if touched:
        hold_touched(system, arrays.plan)
    if ints[field.LOOPS] != 0:
        closing_of(ints, scratch).softened = field.SOFT
        status = closed_accelerations(
            ints, floats, scratch, q, forces, forces, before, forces, out, flags & 0
        )
    else:
        status = articulate_tip_to_base(ints, scratch, forces)
        if status == field.DONE:
            status = accelerate_base_to_tip(ints, scratch, out)
    if touched:
        release_touched(system, arrays.plan)
    if status != field.DONE:
        return run.SINGULAR_ if status == field.SINGULAR else run.NOT_FINITE_
    return 0


@uncounted
def copy_driven(plan, memory, x, out):
    """Copy the entries of driven hinges from x to out."""
    head = run.PlanHeader(plan, 0)
    for k in range(head.motions.count):
        motion = run.MotionRow(plan, head.motions.first, k)
        if memory[motion.active] != 0.0:
            o = motion.v
            for j in range(motion.n):
                out[o + j] = x[o + j]


@uncounted
def needed_forces(system, arrays, work, state, acceleration):
    """Write the forces of driven hinges to work.forces; after `evaluate` at the same state."""
    forces_of(system, arrays, work, state, acceleration)
    copy_driven(arrays.plan, arrays.memory, work.buffer, work.forces)


@uncounted
def forces_of(system, arrays, work, state, acceleration):
    """Write the forces of given accelerations to work.buffer, under the loads evaluated last."""
    head = run.PlanHeader(arrays.plan, 0)
    ints, floats, scratch = system
    q, v, buffer, flags = state.q, state.v, work.buffer, head.flags
    motion_base_to_tip(ints, floats, scratch, q, v, acceleration, flags & (ALL | field.ACCELERATED))
    if head.slots.count != 0:
        apply_external(ints, scratch, q, v)
    if ints[field.LOOPS] != 0:
        apply_loop_forces(ints, floats, scratch)
    forces_tip_to_base(ints, scratch, acceleration, buffer, flags & (ALL | field.ACCELERATED))
    if ints[field.LOOPS] != 0:
        take_coupling_forces(ints, floats, scratch, buffer)


@uncounted
def set_armature(ints, scratch, diagonal, modal):
    """Write the armature of the speeds; `modal`: also that of modes, and dependent constants."""
    scratch[field.ARMATURE] = 1.0
    for i in range(ints[field.N_BODY]):
        body = BodyRow(ints, field.HEADER, i)
        r, o_v = body.hinge_dof, body.hinge_v
        o_a = hinge_record(body.hinge, r).armature
        for c in range(r):
            scratch[o_a + c * r + c] = diagonal[o_v + c]
        if modal and body.level != field.RIGID:
            w, o_m = body.modal, body.modal_v
            for k in range(body.n_mode):
                a = diagonal[o_m + k]
                scratch[w + k] = a if body.dense != 0 else 1.0 / (1.0 + a)
    if modal:
        prepare(ints, scratch)


@uncounted
def request_speed_closure(ints, scratch, kappa):
    """Request loops closed in the speeds that result from accelerations: see `constrain`."""
    if ints[field.LOOPS] != 0:
        closing_of(ints, scratch).kappa = kappa
