"""Forward dynamics by the mass matrix and one dense solution.  O(N^3)."""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..dense import backward_spd, factor_spd, forward_spd
from ..fields import POSITIVE
from ..layout.loops import LoopsHeader, PathRow
from ..layout.records import CarrierRecord, ClosingRecord
from ..layout.tree import BodyRow
from ..records import closure_record, hinge_record, node_shapes
from ..small import ZERO, add, cross, dot, turn, turn_back, vector
from ..tree.articulated import all_finite
from ..tree.composite import mass_of_rigid_tree, mass_tip_to_base
from ..tree.external import apply_external
from ..tree.inverse import forces_tip_to_base
from ..tree.motion import motion_base_to_tip
from .closing import close_loops, place_loops
from .columns import add_at_carrier
from .couplings import take_coupling_forces
from .envelope import row_of_envelope
from .forces import (
    apply_loop_forces,
    gather_rhs,
    has_speed_closure,
    put_speed_closure,
    soften_all,
    softens_beyond_expected,
)
from .groups import factor_group, solve_group
from .unknowns import scatter, solution_of


@jit
def solve_dense(ints, floats, scratch, q, v, driven, before, forces, out, M, floor, flags, refine):
    """Accelerations under forces, after `motion_base_to_tip` and external forces.

    M has n_v + 2 rows and one more for each constraint; those below the mass matrix are for the
    right-hand side and a solution.  driven: accelerations of driven hinges.  before: as for
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
        constraint_rows(ints, floats, scratch, q, v, driven, before, M, flags)
    flat = M.ravel()
    if factor_spd(flat, 0, n, floor) >= 0:
        return field.SINGULAR
    if looped:
        constraint_compliance(ints, scratch, M)
    status = _solve(ints, floats, scratch, M, looped)
    if status == field.DONE and refine and not (looped and has_speed_closure(ints, scratch)):
        status = _refine(ints, floats, scratch, q, v, driven, forces, M, flags, looped)
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
    n, accelerated = ints[field.N_V], flags | field.ACCELERATED
    x, accelerations = M[n], M[n + 1]
    for k in range(n):
        accelerations[k] = x[k]
    _give_driven(ints, driven, accelerations)
    motion_base_to_tip(ints, floats, scratch, q, v, accelerations, accelerated)
    if scratch[field.N_EXTERNAL] != 0.0:
        apply_external(ints, scratch, q, v)
    if looped:
        # the right-hand side is the residual
        close_loops(ints, floats, scratch, q, v, accelerations, accelerated)
        apply_loop_forces(ints, floats, scratch)
    forces_tip_to_base(ints, scratch, accelerations, x, accelerated)
    if looped:
        take_coupling_forces(ints, floats, scratch, x)
    for k in range(n):
        x[k] = forces[k] - x[k]
    _hold_driven_forces(ints, x)
    if looped:
        keep_loop_forces(ints, scratch)
        gather_rhs(ints, floats, scratch)
    status = _solve(ints, floats, scratch, M, looped)
    if looped:
        add_kept_loop_forces(ints, scratch)
    for k in range(n):
        x[k] += accelerations[k]
    return status


@jit
def _give_driven(ints, driven, x):
    """Write the given accelerations of driven hinges to x."""
    for i in range(ints[field.N_BODY]):
        body = BodyRow(ints, field.HEADER, i)
        if body.driven != 0:
            for c in range(body.hinge_dof):
                x[body.hinge_v + c] = driven[body.hinge_v + c]


@jit
def _hold_driven_forces(ints, x):
    """Set the forces at driven hinges, whose accelerations are given, to zero."""
    for i in range(ints[field.N_BODY]):
        body = BodyRow(ints, field.HEADER, i)
        if body.driven != 0:
            for c in range(body.hinge_dof):
                x[body.hinge_v + c] = 0.0


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
        body = BodyRow(ints, field.HEADER, i)
        if body.driven == 0:
            continue
        o = body.hinge_v
        for r in range(o, o + body.hinge_dof):
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
        body = BodyRow(ints, field.HEADER, i)
        r, o_v, o_m = body.hinge_dof, body.hinge_v, body.modal_v
        o_a = hinge_record(body.hinge, r).armature
        for c in range(r):
            for k in range(c + 1):
                M[o_v + c, o_v + k] += scratch[o_a + c * r + k]
        if body.level != field.RIGID:
            w = body.modal
            for k in range(body.n_mode):
                lumped = body.dense != 0
                M[o_m + k, o_m + k] += scratch[w + k] if lumped else 1.0 / scratch[w + k] - 1.0


# Loops by the dense mass matrix: rows of A below it, Lambda from its factor.
#
# rows of A: forces of each constraint shifted inward, T_f = Pi_hat^T f_t, T_r = H f + u      (1)
# M = L d L^T     Y = L^-1 A^T     Lambda = Y^T d^-1 Y                                        (2)
# d L^T vdot = L^-1 (T - b) + Y lambda                                                        (3)


@jit
def constraint_rows(ints, floats, scratch, q, v, driven, before, M, flags):
    """Close the loops and write the rows of A (1) to M, below the mass matrix and two vectors.

    driven: accelerations of driven hinges.
    """
    place_loops(ints, scratch, v, flags)
    close_loops(ints, floats, scratch, q, v, driven, flags)
    put_speed_closure(ints, floats, scratch, before)
    gather_rhs(ints, floats, scratch)
    loops = LoopsHeader(ints, ints[field.LOOPS])
    n_v = ints[field.N_V]
    for k in range(loops.n_solved):
        for c in range(n_v):
            M[n_v + 2 + k, c] = 0.0
    for j in range(loops.n_path - 1, -1, -1):
        path = PathRow(ints, loops.path_rows, j)
        body = BodyRow(ints, path.body)
        b, active = CarrierRecord(scratch, body.record), path.active
        forces, rigid = path.forces, body.level == field.RIGID
        o, o_v = body.hinge, body.hinge_v
        r = body.hinge_dof if body.driven == 0 else 0
        e = path.innovations
        m, o_m = body.n_mode, body.modal_v
        arm, R = b.arm, b.R
        n = path.n_active
        for i in range(n):
            below = n_v + 2 + ints[active + i]
            z_w, z_v = vector(scratch, forces + 6 * i), vector(scratch, forces + 6 * i + 3)
            if not rigid:
                z_w, z_v = ZERO, ZERO
                for node in range(path.n_node):
                    d = CarrierRecord(scratch, body.nodes, node)
                    Pi = node_shapes(body.node_shapes, node, m)
                    column = forces + 6 * n * node + 6 * i
                    f_w, f_v = vector(scratch, column), vector(scratch, column + 3)
                    b_w = turn_back(d.J_l, f_w)
                    for a in range(m):
                        M[below, o_m + a] -= (
                            b_w[0] * scratch[Pi + a]
                            + b_w[1] * scratch[Pi + m + a]
                            + b_w[2] * scratch[Pi + 2 * m + a]
                            + f_v[0] * scratch[Pi + 3 * m + a]
                            + f_v[1] * scratch[Pi + 4 * m + a]
                            + f_v[2] * scratch[Pi + 5 * m + a]
                        )
                    z_w = add(z_w, add(f_w, cross(d.arm, f_v)))
                    z_v = add(z_v, f_v)
            for c in range(r):
                h_w, h_v = vector(scratch, o + 6 * c), vector(scratch, o + 6 * c + 3)
                M[below, o_v + c] = scratch[e + r * i + c] - dot(h_w, z_w) - dot(h_v, z_v)
            place = ints[active + n + i]
            if place >= 0:
                if not rigid:
                    z_w, z_v = turn(R, z_w), turn(R, z_v)
                add_at_carrier(scratch, place & POSITIVE, arm, z_w, z_v)
    if softens_beyond_expected(ints, scratch):
        asked = solution_of(loops).asked
        for k in range(loops.n_solved):
            e, row_k = 0.0, M[n_v + 2 + k]
            for c in range(n_v):
                e += row_k[c] * before[c]
            scratch[asked + k] -= e


@jit
def constraint_compliance(ints, scratch, M):
    """Replace the rows of A by Y and write Lambda (2); after the factorisation."""
    loops = LoopsHeader(ints, ints[field.LOOPS])
    n_v, Lam = ints[field.N_V], loops.Lambda
    flat = M.ravel()
    for k in range(loops.n_solved):
        forward_spd(flat, 0, n_v, flat, (n_v + 2 + k) * n_v)
        y = M[n_v + 2 + k]
        first, row = row_of_envelope(ints, loops.whole, k)
        for l in range(first, k + 1):
            z, e = M[n_v + 2 + l], 0.0
            for c in range(n_v):
                e += y[c] * M[c, c] * z[c]
            scratch[Lam + row + l] = e


@jit
def constrain_dense(ints, floats, scratch, M):
    """Add Y lambda to L^-1 (T - b), the row below the factor of the mass matrix (2), (3)."""
    loops = LoopsHeader(ints, ints[field.LOOPS])
    n, n_v, solution = loops.n_solved, ints[field.N_V], solution_of(loops)
    x = M[n_v]
    for k in range(n):
        y, e = M[n_v + 2 + k], 0.0
        for c in range(n_v):
            e += y[c] * M[c, c] * x[c]
        scratch[solution.rhs + k] -= e
    if not softens_beyond_expected(ints, scratch):
        soften_all(ints, scratch)
    table = loops.whole
    ClosingRecord(scratch, loops.closing).least_left = 1.0
    rank, soft = factor_group(ints, floats, scratch, loops, table, 0, n)
    solve_group(ints, scratch, loops, table, 0, n, rank, soft)
    scatter(ints, floats, scratch)
    finite = 0.0
    for k in range(n):
        s = scratch[solution.force + k]
        finite += 0.0 * s
        y = M[n_v + 2 + k]
        for c in range(n_v):
            x[c] += s * y[c]
    return field.DONE if finite == 0.0 else field.NOT_FINITE


@jit
def keep_loop_forces(ints, scratch):
    """Save lambda."""
    loops = LoopsHeader(ints, ints[field.LOOPS])
    n = loops.n_column
    closure = closure_record(loops.closure, n)
    for k in range(n):
        scratch[closure.applied + k] = scratch[closure.force + k]


@jit
def add_kept_loop_forces(ints, scratch):
    """Add the saved values to lambda."""
    loops = LoopsHeader(ints, ints[field.LOOPS])
    n = loops.n_column
    closure = closure_record(loops.closure, n)
    for k in range(n):
        scratch[closure.force + k] += scratch[closure.applied + k]
