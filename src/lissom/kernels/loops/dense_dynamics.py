"""Forward dynamics by the mass matrix and one dense solution.  O(N^3)."""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..dense import backward_spd, factor_spd, forward_spd
from ..fields import POSITIVE
from ..records import hinge_record
from ..tree.articulated import all_finite
from ..tree.composite import mass_of_rigid_tree, mass_tip_to_base
from ..tree.external import apply_external
from ..tree.inverse import forces_tip_to_base
from ..tree.motion import motion_base_to_tip
from .closing import close_loops
from .couplings import take_coupling_forces
from .dense import (
    add_kept_loop_forces,
    constrain_dense,
    constraint_compliance,
    constraint_rows,
    keep_loop_forces,
)
from .forces import closes_in_speeds, keep_asked, push_loops


@jit
def solve_dense(ints, floats, scratch, q, v, given, before, forces, out, M, floor, flags, refine):
    """Accelerations under forces, after `motion_base_to_tip` and external forces.

    M has n_v + 2 rows and one more for each constraint; those below the mass matrix are for the
    right-hand side and a solution.  given: accelerations of driven hinges.  before: as for
    `constrain`.  refine: correct the solution once by its residual from inverse dynamics: the
    entries of M are rounded, and a flexible system of many bodies loses eight digits by that.
    SINGULAR if a pivot falls below `floor` times its original diagonal entry, which means that so
    many digits are lost in the elimination.
    """
    n, looped = ints[field.N_V], ints[field.LOOPS] != 0 and flags & field.TREE == 0
    x = M[n]  # `out` may be `forces`, which is still needed
    forces_tip_to_base(ints, scratch, forces, x, flags)
    for k in range(n):
        x[k] = forces[k] - x[k]
    triangle(ints, scratch, M)
    if ints[field.ALL_RIGID] != 0:
        mirror_upper(M, n)
    if scratch[field.ARMATURE] != 0.0:
        _add_armature(ints, scratch, M)
    _hold_driven(ints, M)
    if looped:
        constraint_rows(ints, floats, scratch, q, v, given, before, M, flags)
    flat = M.ravel()
    if factor_spd(flat, 0, n, floor) >= 0:
        return field.SINGULAR
    if looped:
        constraint_compliance(ints, scratch, M)
    status = _solve(ints, floats, scratch, M, looped)
    if status == field.DONE and refine and not (looped and closes_in_speeds(ints, scratch)):
        status = _refine(ints, floats, scratch, q, v, given, forces, M, flags, looped)
    if status == field.DONE:
        for k in range(n):
            out[k] = x[k]
    return status


@jit
def _solve(ints, floats, scratch, M, looped):
    """Replace the right-hand side below the factor in M by the accelerations."""
    n, flat = ints[field.N_V], M.ravel()
    forward_spd(flat, 0, n, flat, n * n)
    if looped and constrain_dense(ints, floats, scratch, M) != field.DONE:
        return field.NOT_FINITE
    backward_spd(flat, 0, n, flat, n * n)
    return all_finite(M[n], n)


@jit
def _refine(ints, floats, scratch, q, v, driven, forces, M, flags, looped):
    """Correct the accelerations below the factor in M, and the loop forces, once."""
    n, given = ints[field.N_V], flags | field.ACCELERATED
    x, found = M[n], M[n + 1]
    for k in range(n):
        found[k] = x[k]
    _give_driven(ints, driven, found)
    motion_base_to_tip(ints, floats, scratch, q, v, found, given)
    if scratch[field.N_EXTERNAL] != 0.0:
        apply_external(ints, scratch, q, v)
    if looped:
        # the right-hand side is the residual
        close_loops(ints, floats, scratch, q, v, found, given)
        push_loops(ints, floats, scratch)
    forces_tip_to_base(ints, scratch, found, x, given)
    if looped:
        take_coupling_forces(ints, floats, scratch, x)
    for k in range(n):
        x[k] = forces[k] - x[k]
    _hold_driven_forces(ints, x)
    if looped:
        keep_loop_forces(ints, scratch)
        keep_asked(ints, scratch)
    status = _solve(ints, floats, scratch, M, looped)
    if looped:
        add_kept_loop_forces(ints, scratch)
    for k in range(n):
        x[k] += found[k]
    return status


@jit
def _give_driven(ints, given, x):
    """Write the given accelerations of driven hinges to x."""
    for i in range(ints[field.N_BODY]):
        row = field.HEADER + i * field.ROW
        if ints[row + field.DRIVEN] != 0:
            for c in range(ints[row + field.HINGE_DOF]):
                x[ints[row + field.HINGE_V] + c] = given[ints[row + field.HINGE_V] + c]


@jit
def _hold_driven_forces(ints, x):
    """Set the forces at driven hinges, whose accelerations are given, to zero."""
    for i in range(ints[field.N_BODY]):
        row = field.HEADER + i * field.ROW
        if ints[row + field.DRIVEN] != 0:
            for c in range(ints[row + field.HINGE_DOF]):
                x[ints[row + field.HINGE_V] + c] = 0.0


@jit
def triangle(ints, scratch, M):
    """One triangle of the mass matrix: the upper one if all bodies are rigid, else the lower."""
    if ints[field.ALL_RIGID] != 0:
        mass_of_rigid_tree(ints, scratch, M)
    else:
        mass_tip_to_base(ints, scratch, M)


@jit
def mirror_upper(M, n):
    """Copy the upper triangle to the lower one."""
    for r in range(n):
        for c in range(r):
            M[r, c] = M[c, r]


@jit
def _hold_driven(ints, M):
    """Replace the rows and columns of driven hinges by the identity, with zero right-hand side."""
    n = ints[field.N_V]
    for i in range(ints[field.N_BODY]):
        row = field.HEADER + i * field.ROW
        if ints[row + field.DRIVEN] == 0:
            continue
        o = ints[row + field.HINGE_V]
        for r in range(o, o + ints[row + field.HINGE_DOF]):
            for c in range(r):
                M[r, c] = 0.0
            for c in range(r + 1, n):
                M[c, r] = 0.0
            M[r, r] = 1.0
    _hold_driven_forces(ints, M[n])


@jit
def _add_armature(ints, scratch, M):
    """Add the armature to the lower triangle of the mass matrix."""
    for i in range(ints[field.N_BODY]):
        row = field.HEADER + i * field.ROW
        r, o_v, o_m = (
            ints[row + field.HINGE_DOF],
            ints[row + field.HINGE_V],
            ints[row + field.MODAL_V],
        )
        o_a = hinge_record(ints[row + field.HINGE] & POSITIVE, r).armature
        for c in range(r):
            for k in range(c + 1):
                M[o_v + c, o_v + k] += scratch[o_a + c * r + k]
        if ints[row + field.LEVEL] != field.RIGID:
            w = ints[row + field.MODAL] & POSITIVE
            for k in range(ints[row + field.N_MODE]):
                lumped = ints[row + field.DENSE] != 0
                M[o_m + k, o_m + k] += scratch[w + k] if lumped else 1.0 / scratch[w + k] - 1.0
