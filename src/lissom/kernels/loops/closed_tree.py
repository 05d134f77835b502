"""Articulated bodies with loops: the sweeps of a tree, and the groups of loops between them.

  inward   bodies outboard of the node of a group, their columns, the forces of the group
  outward  bodies up to that node, the forces of the group, bodies outboard of it
Without groups but that of the ground: the sweep of the free tree, the columns, all forces, and the
outward sweep.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..layout.loops import GroupRow, LoopsHeader, PathRow
from ..layout.records import ClosingRecord
from ..layout.tree import BODY
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
def articulate_closed(ints, floats, scratch, before, forces, free, beyond):
    """Inward sweep with the forces of loops; its status, rank and softening of the last group.

    free: count the accelerations of the free tree, see `pass_columns`.  beyond: soften only what is
    asked beyond the accelerations `before`.
    """
    loops = LoopsHeader(ints, ints[field.LOOPS])
    table, n = loops.envelope, loops.n_solved
    clear_envelope(ints, scratch, table, loops.Lambda, n)
    ClosingRecord(scratch, loops.closing).least_left = 1.0
    number, last, told = loops.n_path - 1, ints[field.N_BODY], False
    rank, soft = 0, False
    for k in range(loops.n_group):
        group = GroupRow(ints, loops.group_rows, k)
        inboard = group.body  # -1: the ground
        status = articulate_bodies(ints, scratch, forces, inboard + 1, last)
        if status != field.DONE:
            return status, rank, soft
        last = inboard + 1
        while number >= 0:
            path = PathRow(ints, loops.path_rows, number)
            if path.body <= field.HEADER + inboard * BODY:
                break
            pass_columns(ints, scratch, loops, path, free)
            number -= 1
        first = group.first
        end = first + group.n
        rank, soft = factor_group(ints, floats, scratch, loops, table, first, end)
        if soft:
            told = put_softened_part(ints, floats, scratch, before, first, end, beyond, told)
        solve_group(ints, scratch, loops, table, first, end, rank, soft)
        if inboard >= 0:
            attach_group(ints, scratch, loops, group, rank, soft, beyond)
    return field.DONE, rank, soft


@jit
def accelerate_closed(ints, floats, scratch, out):
    """Outward sweep with the forces of loops; DONE or NOT_FINITE."""
    loops = LoopsHeader(ints, ints[field.LOOPS])
    start = 0
    for k in range(loops.n_group - 1, -1, -1):
        group = GroupRow(ints, loops.group_rows, k)
        if group.body >= 0:
            stop = group.body + 1
            accelerate_bodies(ints, scratch, out, start, stop)
            start = stop
            force_of_group(scratch, loops, group)
        if apply_group_forces(ints, scratch, loops, group) != field.DONE:
            return field.NOT_FINITE
    accelerate_bodies(ints, scratch, out, start, ints[field.N_BODY])
    scatter(ints, floats, scratch)
    return all_finite(out, ints[field.N_V])


@jit
def solve_last_group(ints, scratch, rank, soft):
    """Forces of the last group for another right-hand side; all of it is softened, if at all."""
    loops = LoopsHeader(ints, ints[field.LOOPS])
    group = GroupRow(ints, loops.group_rows, loops.n_group - 1)
    first = group.first
    last = first + group.n
    solve_group(ints, scratch, loops, loops.envelope, first, last, rank, soft)
