"""Right-hand sides of the equations for loop forces, and the forces on bodies."""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..fields import POSITIVE
from ..records import closure_record, modal_record
from ..small import (
    ZERO,
    add,
    added,
    cross,
    matrix,
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
    h = ints[field.LOOPS] & POSITIVE
    n = ints[h + field.N_COLUMN] & POSITIVE
    rhs = closure_record(ints[h + field.CLOSURE] & POSITIVE, n).rhs
    gather(ints, floats, scratch, rhs, solution_of(ints, h).rhs)
    soften_all(ints, scratch)


@jit
def soften_all(ints, scratch):
    """Save the right-hand side as the part to be softened."""
    h = ints[field.LOOPS] & POSITIVE
    solution = solution_of(ints, h)
    for k in range(ints[h + field.N_SOLVED]):
        scratch[solution.asked + k] = scratch[solution.rhs + k]


@jit
def softens_beyond_expected(ints, scratch):
    """Whether loop forces are softened only beyond expected accelerations."""
    h = ints[field.LOOPS] & POSITIVE
    return scratch[(ints[h + field.CLOSING] & POSITIVE) + field.SOFTENED] == field.SOFT_BEYOND


@jit
def put_softened_part(ints, floats, scratch, expected, first, last, beyond, told):
    """Part of the right-hand sides of a group to be softened: all, or `beyond` what is expected.

    expected: accelerations.  told: whether this was called for another group.  Returns True.
    """
    h = ints[field.LOOPS] & POSITIVE
    solution = solution_of(ints, h)
    if not beyond:
        for k in range(first, last):
            scratch[solution.asked + k] = scratch[solution.rhs + k]
        return True
    if told:
        return True
    n = ints[h + field.N_COLUMN] & POSITIVE
    applied = closure_record(ints[h + field.CLOSURE] & POSITIVE, n).applied
    constraint_rates(ints, floats, scratch, expected, applied)
    gather(ints, floats, scratch, applied, solution.work)
    for k in range(ints[h + field.N_SOLVED]):
        scratch[solution.asked + k] -= scratch[solution.work + k]
    return True


@jit
def put_speed_closure(ints, floats, scratch, before):
    """Replace the right-hand side for accelerations by that of (5), if requested."""
    if not has_speed_closure(ints, scratch):
        return
    h = ints[field.LOOPS] & POSITIVE
    kappa = scratch[(ints[h + field.CLOSING] & POSITIVE) + field.KAPPA]
    n = ints[h + field.N_COLUMN] & POSITIVE
    closure = closure_record(ints[h + field.CLOSURE] & POSITIVE, n)
    constraint_rates(ints, floats, scratch, before, closure.applied)
    for k in range(n):
        e = scratch[closure.applied + k]
        scratch[closure.rhs + k] = e - scratch[closure.rate + k] / kappa


@jit
def has_speed_closure(ints, scratch):
    """Whether (5) is requested."""
    h = ints[field.LOOPS] & POSITIVE
    return scratch[(ints[h + field.CLOSING] & POSITIVE) + field.KAPPA] != 0.0


@jit
def apply_loop_forces(ints, floats, scratch):
    """Subtract the loop forces from the residual forces of their bodies, for inverse dynamics.

    After `motion_base_to_tip`, with lambda of a solution at the same state.
    """
    h = ints[field.LOOPS] & POSITIVE
    work = ints[h + field.LOOP_WORK] & POSITIVE
    for k in range(ints[h + field.N_LOOP]):
        l = (ints[h + field.LOOP_ROWS] & POSITIVE) + k * field.LOOP_ROW
        loop_force(ints, scratch, k, scratch, work)
        a, b = l + field.L_END, l + field.L_END + field.END_ROW
        C_a, x_a, _F_a, _arm_a = loop_end(ints, floats, scratch, a)
        C_b, x_b, F_b, arm_b = loop_end(ints, floats, scratch, b)
        n, f = turn(F_b, vector(scratch, work)), turn(F_b, vector(scratch, work + 3))
        _apply_on_node(ints, scratch, b, C_b, add(n, cross(arm_b, f)), f, -1.0)
        s = added(add(x_b, arm_b), -1.0, x_a)
        _apply_on_node(ints, scratch, a, C_a, add(n, cross(s, f)), f, 1.0)


@jit
def _apply_on_node(ints, scratch, e, C, n, f, sign):
    """Add a force on a node, common axes, to the residual forces of its body."""
    if ints[e + field.END_BODY] < 0:
        return
    row, d = ints[e + field.END_BODY] & POSITIVE, ints[e + field.END_RECORD] & POSITIVE
    b = ints[row + field.BODY] & POSITIVE
    n, f = scaled(sign, turn_back(C, n)), scaled(sign, turn_back(C, f))
    if ints[row + field.LEVEL] != field.RIGID:
        m, t = ints[row + field.N_MODE] & POSITIVE, ints[row + field.MODAL] & POSITIVE
        load = six(turn_back(matrix(scratch, d + field.LEFT), n), f)
        t_f = modal_record(t, m).force
        modal_spread(scratch, ints[e + field.END_SHAPES] & POSITIVE, m, load, scratch, t_f)
        n = add(n, cross(vector(scratch, d + field.ARM), f))
    put_vector(scratch, b + field.FORCE, add(vector(scratch, b + field.FORCE), n))
    put_vector(scratch, b + field.FORCE + 3, add(vector(scratch, b + field.FORCE + 3), f))


@jit
def loop_force(ints, scratch, k, out, o):
    """Write [moment; force] on end b of loop k, in the axes of frame b, to out[o:]."""
    h = ints[field.LOOPS] & POSITIVE
    n = ints[h + field.N_COLUMN] & POSITIVE
    lam = closure_record(ints[h + field.CLOSURE] & POSITIVE, n).force
    l = (ints[h + field.LOOP_ROWS] & POSITIVE) + k * field.LOOP_ROW
    P, first = ints[l + field.L_STATE] & POSITIVE, ints[l + field.L_FIRST]
    m, f = ZERO, ZERO
    for c in range(ints[l + field.L_N]):
        s = scratch[lam + first + c]
        m = added(m, s, vector(scratch, P + 6 * c))
        f = added(f, s, vector(scratch, P + 6 * c + 3))
    put_vector(out, o, m)
    put_vector(out, o + 3, f)
