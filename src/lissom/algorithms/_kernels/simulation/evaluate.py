"""Accelerations at an instant, with everything that acts."""

from __future__ import annotations

from ..articulated import accelerate_base_to_tip, articulate_tip_to_base, prepare
from ..compiling import jit
from ..couplings import take_coupling_forces
from ..dense_dynamics import solve_dense
from ..external import apply_external
from ..inverse import forces_tip_to_base
from ..layout import (
    ACCELERATED,
    ARMATURE,
    CLOSING,
    DONE,
    ELASTIC,
    GRAVITY,
    HEADER,
    HINGE,
    HINGE_DOF,
    HINGE_V,
    KAPPA,
    LEVEL,
    LOOPS,
    MODAL,
    MODAL_V,
    N_BODY,
    N_LUMP,
    N_MODE,
    N_V,
    POSITIVE,
    RATES,
    RIGID,
    ROW,
    SINGULAR,
    SOFT,
    SOFTENED,
)
from ..loop_forces import constrain, push_loops
from ..motion import motion_base_to_tip
from ..world import place_base_to_tip
from .expected import expect
from .layout import (
    CALL_FAILED,
    DENSE,
    E_ACTIVE,
    E_N,
    E_ROW,
    E_V,
    MOTIONS,
    N_EVALUATIONS,
    N_MOTION,
    N_SLOT,
    NODE_RATES,
    NOT_FINITE_,
    SINGULAR_,
)
from .loads import drive, hinge_loads, node_loads, slot_motions, undrive

ALL = RATES | GRAVITY | ELASTIC
PIVOT = 1e-14  # part of a diagonal entry below which the mass matrix is singular


@jit
def evaluate(system, given, room, t, q, v, out, flags):
    """Accelerations `out` at time t; given motions are put into q and v.

    system: (ints, floats, scratch); given: (plan, table, memory); room: (T, x, extra, slots,
    buffer, M, before): the generalized forces that act, given accelerations, forces that a method
    adds, records of the nodes that loads act on, a buffer, room for the mass matrix, accelerations
    of the last iterate (see `constrain`).  Returns 0, CALL_FAILED, SINGULAR_ or NOT_FINITE_.
    """
    ints, floats, scratch = system
    plan, table, memory = given
    T, x, extra, slots, buffer, M, before = room
    n = ints[N_V]
    memory[N_EVALUATIONS] += 1.0
    if plan[N_MOTION] != 0:
        undrive(ints, plan)
        if drive(ints, plan, table, memory, t, q, v, x, buffer) != 0:
            return CALL_FAILED
    if hinge_loads(plan, table, memory, t, q, v, T, n, buffer) != 0:
        return CALL_FAILED
    if plan[NODE_RATES] != 0:
        motion_base_to_tip(ints, floats, scratch, q, v, v, flags & ACCELERATED)
        place_base_to_tip(ints, scratch)
        slot_motions(ints, scratch, plan, q, v, slots, 0, flags & ACCELERATED)
    motion_base_to_tip(ints, floats, scratch, q, v, x, flags & ALL)
    if plan[N_SLOT] != 0:
        if plan[NODE_RATES] == 0:
            place_base_to_tip(ints, scratch)
            slot_motions(ints, scratch, plan, q, v, slots, 0, flags & 0)
        if node_loads(scratch, plan, table, memory, t, q, v, slots, 0, buffer) != 0:
            return CALL_FAILED
        apply_external(ints, scratch, q, v, flags & ALL)
    expect(system, given, t, before)
    for k in range(n):
        out[k] = T[k] + extra[k]
    if plan[DENSE] != 0:
        status = solve_dense(
            ints, floats, scratch, q, v, x, before, out, out, M, PIVOT, flags & ALL, flags != 0
        )
    else:
        status = articulate_tip_to_base(ints, floats, scratch, out)
        if status == DONE and ints[LOOPS] != 0:
            status = constrain(ints, floats, scratch, q, v, x, before, flags & ALL)
        if status == DONE:
            status = accelerate_base_to_tip(ints, floats, scratch, out)
    if status != DONE:
        return SINGULAR_ if status == SINGULAR else NOT_FINITE_
    copy_driven(plan, memory, x, out)
    return 0


@jit
def solve_mass(system, q, forces, out, flags):
    """Out = M^-1 forces, with rotors and loops; driven hinges do not move.  0 or a failure."""
    ints, floats, scratch = system
    motion_base_to_tip(ints, floats, scratch, q, forces, forces, flags & 0)
    status = articulate_tip_to_base(ints, floats, scratch, forces)
    if status == DONE and ints[LOOPS] != 0:
        scratch[ints[ints[LOOPS] + CLOSING] + SOFTENED] = SOFT
        status = constrain(ints, floats, scratch, q, forces, forces, forces, flags & 0)
    if status == DONE:
        status = accelerate_base_to_tip(ints, floats, scratch, out)
    if status != DONE:
        return SINGULAR_ if status == SINGULAR else NOT_FINITE_
    return 0


@jit
def copy_driven(plan, memory, x, out):
    """Entries of driven hinges from x to out."""
    for k in range(plan[N_MOTION]):
        e = plan[MOTIONS] + k * E_ROW
        if memory[plan[e + E_ACTIVE]] != 0.0:
            o = plan[e + E_V] & POSITIVE
            for j in range(plan[e + E_N]):
                out[o + j] = x[o + j]


@jit
def needed_forces(system, given, room, q, v, acceleration, flags):
    """Forces that the motions of driven hinges need, into T; after `evaluate` at the same state."""
    ints, floats, scratch = system
    plan, _table, memory = given
    T, _x, _extra, _slots, buffer, _M, _before = room
    motion_base_to_tip(ints, floats, scratch, q, v, acceleration, flags & (ALL | ACCELERATED))
    if plan[N_SLOT] != 0:
        apply_external(ints, scratch, q, v, flags & ALL)
    if ints[LOOPS] != 0:
        push_loops(ints, floats, scratch)
    forces_tip_to_base(ints, floats, scratch, acceleration, buffer, flags & (ALL | ACCELERATED))
    if ints[LOOPS] != 0:
        take_coupling_forces(ints, floats, scratch, buffer)
    copy_driven(plan, memory, buffer, T)


@jit
def set_armature(ints, floats, scratch, diagonal, modal):
    """Write inertia that is added to the speeds; `modal`: also that of modes, and what follows."""
    scratch[ARMATURE] = 1.0
    for i in range(ints[N_BODY]):
        row = HEADER + i * ROW
        r, o_v = ints[row + HINGE_DOF], ints[row + HINGE_V] & POSITIVE
        o_a = (ints[row + HINGE] & POSITIVE) + 13 * r + r * r
        for c in range(r):
            scratch[o_a + c * r + c] = diagonal[o_v + c]
        if modal and ints[row + LEVEL] != RIGID:
            w, o_m = ints[row + MODAL] & POSITIVE, ints[row + MODAL_V] & POSITIVE
            for k in range(ints[row + N_MODE]):
                a = diagonal[o_m + k]
                scratch[w + k] = a if ints[row + N_LUMP] != 0 else 1.0 / (1.0 + a)
    if modal:
        prepare(ints, floats, scratch)


@jit
def close_in_speeds(ints, scratch, kappa):
    """Ask for loops closed in the speeds that accelerations lead to: see `constrain`."""
    if ints[LOOPS] != 0:
        scratch[ints[ints[LOOPS] + CLOSING] + KAPPA] = kappa
