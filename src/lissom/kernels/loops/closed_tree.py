"""Articulated bodies with loops: the sweeps of a tree, and the groups of loops between them.

  inward   bodies outboard of the node of a group, their columns, the forces of the group
  outward  bodies up to that node, the forces of the group, bodies outboard of it
Without groups but that of the ground: the sweep of the free tree, the columns, all forces, and the
outward sweep.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..fields import POSITIVE
from ..tree.articulated import accelerate_bodies, all_finite, articulate_bodies
from .closing import close_loops, place_loops
from .columns import pass_columns
from .envelope import clear_envelope
from .forces import gather_rhs, put_softened_part, put_speed_closure, softens_beyond_expected
from .groups import apply_group_forces, attach_group, factor_group, force_of_group, solve_group
from .unknowns import scatter


@jit
def closed_accelerations(ints, floats, scratch, q, v, x, before, forces, out, flags):
    """Accelerations that keep the loops closed; DONE, SINGULAR or NOT_FINITE.

    After `motion_base_to_tip` and external forces.  q, v, x as for `close_loops`.
    A method that changes speeds by kappa times the change of accelerations x from `before` requires
      A (v + kappa (x - before)) = 0,  that is  A x = A before - A v / kappa                 (1)
    Explicit methods give expected accelerations as `before`: close to singular positions, where
    forces are softened, the forces for these accelerations are not.
    """
    place_loops(ints, scratch, v, flags)
    close_loops(ints, floats, scratch, q, v, x, flags)
    put_speed_closure(ints, floats, scratch, before)
    gather_rhs(ints, floats, scratch)
    beyond = softens_beyond_expected(ints, scratch)
    status, _rank, _soft = articulate_closed(ints, floats, scratch, before, forces, True, beyond)
    if status != field.DONE:
        return status
    return accelerate_closed(ints, floats, scratch, out)


@jit
def group_row(ints, h, k):
    """Offset of group k."""
    return (ints[h + field.GROUP_ROWS] & POSITIVE) + k * field.GROUP_ROW


@jit
def articulate_closed(ints, floats, scratch, before, forces, free, beyond):
    """Inward sweep with the forces of loops; its status, rank and softening of the last group.

    free: count the accelerations of the free tree, see `pass_columns`.  beyond: soften only what is
    asked beyond the accelerations `before`.
    """
    h = ints[field.LOOPS] & POSITIVE
    table, n = ints[h + field.ENVELOPE], ints[h + field.N_SOLVED]
    clear_envelope(ints, scratch, table, ints[h + field.LAMBDA] & POSITIVE, n)
    scratch[(ints[h + field.CLOSING] & POSITIVE) + field.LEAST_LEFT] = 1.0
    path, last, told = ints[h + field.N_PATH] - 1, ints[field.N_BODY], False
    rank, soft = 0, False
    for k in range(ints[h + field.N_GROUP]):
        g = group_row(ints, h, k)
        inboard = ints[g + field.G_BODY]  # -1: the ground
        status = articulate_bodies(ints, scratch, forces, inboard + 1, last)
        if status != field.DONE:
            return status, rank, soft
        last = inboard + 1
        while path >= 0:
            p = (ints[h + field.PATH_ROWS] & POSITIVE) + path * field.PATH_ROW
            if ints[p + field.W_BODY] <= field.HEADER + inboard * field.ROW:
                break
            pass_columns(ints, scratch, h, p, free)
            path -= 1
        first = ints[g + field.G_FIRST]
        end = first + ints[g + field.G_N]
        rank, soft = factor_group(ints, floats, scratch, h, table, first, end)
        if soft:
            told = put_softened_part(ints, floats, scratch, before, first, end, beyond, told)
        solve_group(ints, scratch, h, table, first, end, rank, soft)
        if inboard >= 0:
            attach_group(ints, scratch, h, g, rank, soft, beyond)
    return field.DONE, rank, soft


@jit
def accelerate_closed(ints, floats, scratch, out):
    """Outward sweep with the forces of loops; DONE or NOT_FINITE."""
    h = ints[field.LOOPS] & POSITIVE
    start = 0
    for k in range(ints[h + field.N_GROUP] - 1, -1, -1):
        g = group_row(ints, h, k)
        if ints[g + field.G_BODY] >= 0:
            stop = ints[g + field.G_BODY] + 1
            accelerate_bodies(ints, scratch, out, start, stop)
            start = stop
            force_of_group(ints, scratch, h, g)
        if apply_group_forces(ints, scratch, h, g) != field.DONE:
            return field.NOT_FINITE
    accelerate_bodies(ints, scratch, out, start, ints[field.N_BODY])
    scatter(ints, floats, scratch)
    return all_finite(out, ints[field.N_V])


@jit
def solve_last_group(ints, scratch, rank, soft):
    """Forces of the last group for another right-hand side; all of it is softened, if at all."""
    h = ints[field.LOOPS] & POSITIVE
    g = group_row(ints, h, ints[h + field.N_GROUP] - 1)
    first = ints[g + field.G_FIRST]
    last = first + ints[g + field.G_N]
    solve_group(ints, scratch, h, ints[h + field.ENVELOPE], first, last, rank, soft)
