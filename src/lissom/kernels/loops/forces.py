"""Right-hand sides of the equations for loop forces, and the forces on bodies."""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..fields import POSITIVE
from ..layout.loops import LoopRow, LoopsHeader
from ..layout.records import CarrierRecord, ClosingRecord
from ..layout.tree import BodyRow
from ..records import closure_record, modal_record
from ..small import (
    ZERO,
    add,
    added,
    cross,
    put_vector,
    scaled,
    six,
    turn,
    turn_back,
    vector,
)
from ..tree.modal import modal_spread
from .closing import constraint_rates, loop_end
from .unknowns import gather, solution_of


@jit
def gather_rhs(ints, floats, scratch):
    """Right-hand sides of the unknowns from those of the constraints; all is to be softened."""
    loops = LoopsHeader(ints, ints[field.LOOPS])
    n = loops.n_column
    rhs = closure_record(loops.closure, n).rhs
    gather(ints, floats, scratch, rhs, solution_of(loops).rhs)
    soften_all(ints, scratch)


@jit
def soften_all(ints, scratch):
    """Save the right-hand side as the part to be softened."""
    loops = LoopsHeader(ints, ints[field.LOOPS])
    solution = solution_of(loops)
    for k in range(loops.n_solved):
        scratch[solution.asked + k] = scratch[solution.rhs + k]


@jit
def softens_beyond_expected(ints, scratch):
    """Whether loop forces are softened only beyond expected accelerations."""
    loops = LoopsHeader(ints, ints[field.LOOPS])
    return ClosingRecord(scratch, loops.closing).softened == field.SOFT_BEYOND


@jit
def put_softened_part(ints, floats, scratch, expected, first, last, beyond, told):
    """Part of the right-hand sides of a group to be softened: all, or `beyond` what is expected.

    expected: accelerations.  told: whether this was called for another group.  Returns True.
    """
    loops = LoopsHeader(ints, ints[field.LOOPS])
    solution = solution_of(loops)
    if not beyond:
        for k in range(first, last):
            scratch[solution.asked + k] = scratch[solution.rhs + k]
        return True
    if told:
        return True
    n = loops.n_column
    applied = closure_record(loops.closure, n).applied
    constraint_rates(ints, floats, scratch, expected, applied)
    gather(ints, floats, scratch, applied, solution.work)
    for k in range(loops.n_solved):
        scratch[solution.asked + k] -= scratch[solution.work + k]
    return True


@jit
def put_speed_closure(ints, floats, scratch, before):
    """Replace the right-hand side for accelerations by that of (5), if requested."""
    if not has_speed_closure(ints, scratch):
        return
    loops = LoopsHeader(ints, ints[field.LOOPS])
    kappa = ClosingRecord(scratch, loops.closing).kappa
    n = loops.n_column
    closure = closure_record(loops.closure, n)
    constraint_rates(ints, floats, scratch, before, closure.applied)
    for k in range(n):
        e = scratch[closure.applied + k]
        scratch[closure.rhs + k] = e - scratch[closure.rate + k] / kappa


@jit
def has_speed_closure(ints, scratch):
    """Whether (5) is requested."""
    loops = LoopsHeader(ints, ints[field.LOOPS])
    return ClosingRecord(scratch, loops.closing).kappa != 0.0


@jit
def apply_loop_forces(ints, floats, scratch):
    """Subtract the loop forces from the residual forces of their bodies, for inverse dynamics.

    After `motion_base_to_tip`, with lambda of a solution at the same state.
    """
    loops = LoopsHeader(ints, ints[field.LOOPS])
    work = loops.loop_work
    for k in range(loops.n_loop):
        loop = LoopRow(ints, loops.loop_rows, k)
        loop_force(ints, scratch, k, scratch, work)
        a, b = loop.a, loop.b
        C_a, x_a, _F_a, _arm_a = loop_end(floats, scratch, a)
        C_b, x_b, F_b, arm_b = loop_end(floats, scratch, b)
        n, f = turn(F_b, vector(scratch, work)), turn(F_b, vector(scratch, work + 3))
        _apply_on_node(ints, scratch, b, C_b, add(n, cross(arm_b, f)), f, -1.0)
        s = added(add(x_b, arm_b), -1.0, x_a)
        _apply_on_node(ints, scratch, a, C_a, add(n, cross(s, f)), f, 1.0)


@jit
def _apply_on_node(ints, scratch, end, C, n, f, sign):
    """Add a force on a node, common axes, to the residual forces of its body."""
    if end.body < 0:
        return
    body, d = BodyRow(ints, end.body & POSITIVE), CarrierRecord(scratch, end.record)
    b = CarrierRecord(scratch, body.record)
    n, f = scaled(sign, turn_back(C, n)), scaled(sign, turn_back(C, f))
    if body.level != field.RIGID:
        m, t = body.n_mode, body.modal
        load = six(turn_back(d.J_l, n), f)
        t_f = modal_record(t, m).force
        modal_spread(scratch, end.shapes, m, load, scratch, t_f)
        n = add(n, cross(d.arm, f))
    b.z_w = add(b.z_w, n)
    b.z_v = add(b.z_v, f)


@jit
def loop_force(ints, scratch, k, out, o):
    """Write [moment; force] on end b of loop k, in the axes of frame b, to out[o:]."""
    loops = LoopsHeader(ints, ints[field.LOOPS])
    n = loops.n_column
    lam = closure_record(loops.closure, n).force
    loop = LoopRow(ints, loops.loop_rows, k)
    P, first = loop.state, loop.first
    m, f = ZERO, ZERO
    for c in range(loop.n):
        s = scratch[lam + first + c]
        m = added(m, s, vector(scratch, P + 6 * c))
        f = added(f, s, vector(scratch, P + 6 * c + 3))
    put_vector(out, o, m)
    put_vector(out, o + 3, f)
