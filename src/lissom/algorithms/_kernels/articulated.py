"""Articulated bodies: forward dynamics and products with the inverse mass matrix.  O(N).

After `motion_base_to_tip` the records hold the accelerations that the unknowns do not cause and the
own forces z, t_f of the bodies at these.  What is left is M vdot = T - (these forces):
  inward   P, z of each body, its own and what its children deliver; the hinge takes its part,
           the rest is shifted to the node that carries the body            (12)-(16), (20), (21)
  outward  what the unknowns add to the accelerations                       (22)-(25)
Equation numbers: `reference`.  With zero own forces the result is M^-1 T.
"""

from __future__ import annotations

from .compiling import jit
from .compliance import (
    deform,
    factor_modal_mass,
    pass_nodes,
    prepare_body,
    seen_force,
    softened_inertia,
)
from .hinges import (
    free_inward,
    free_outward,
    general_inward,
    general_outward,
    prismatic_inward,
    prismatic_outward,
    revolute_inward,
    revolute_outward,
    spherical_inward,
    spherical_outward,
)
from .layout import (
    ARM,
    ARMATURE,
    BODY,
    CARRIER,
    CARRIES,
    CHANGE,
    DONE,
    DRIVEN,
    FIRST,
    FIXED,
    FORCE,
    FREE,
    FULL,
    GROUND_RECORD,
    HEADER,
    HINGE,
    HINGE_DOF,
    HINGE_V,
    INERTIA,
    KIND,
    LEVEL,
    MASS,
    MODAL,
    MODAL_V,
    MOMENT,
    N_BODY,
    N_LUMP,
    N_MODE,
    N_NODE,
    N_V,
    NODES,
    NOT_FINITE,
    P_,
    PARENT,
    POSITIVE,
    PRISMATIC,
    R_,
    REVOLUTE,
    RIGID,
    ROW,
    SINGULAR,
    SPHERICAL,
    STACK,
)
from .one_node import pass_one_node
from .rigid import plus_rigid, rigid_as_articulated, shifted_articulated, turned_articulated
from .small import (
    IDENTITY,
    ZERO,
    add,
    cross,
    matrix,
    put_matrix,
    put_symmetric,
    put_vector,
    symmetric,
    turn,
    turn_back,
    vector,
)


@jit
def prepare(ints, floats, scratch):
    """Constants of all flexible bodies for the present armature."""
    for i in range(ints[N_BODY]):
        row = HEADER + i * ROW
        if ints[row + LEVEL] != RIGID:
            prepare_body(ints, floats, scratch, row)


@jit
def articulate_tip_to_base(ints, floats, scratch, forces):
    """Inward sweep; the status tells whether a hinge saw no inertia."""
    armature = scratch[ARMATURE] != 0.0
    for i in range(ints[N_BODY] - 1, -1, -1):
        row = HEADER + i * ROW
        b, o = ints[row + BODY] & POSITIVE, ints[row + HINGE] & POSITIVE
        kind, rigid = ints[row + KIND], ints[row + LEVEL] == RIGID
        if ints[row + DRIVEN] != 0:
            kind = FIXED  # its motion is given
        o_v = ints[row + HINGE_V] & POSITIVE
        if rigid:
            J, p = symmetric(scratch, b + INERTIA), vector(scratch, b + MOMENT)
            z_w, z_v = vector(scratch, b + FORCE), vector(scratch, b + FORCE + 3)
            if ints[row + CARRIES] != 0:
                A, B = symmetric(scratch, b + P_), matrix(scratch, b + P_ + 6)
                D = symmetric(scratch, b + P_ + 15)
                A, B, D = plus_rigid(A, B, D, J, p, scratch[b + MASS])
            else:
                A, B, D = rigid_as_articulated(J, p, scratch[b + MASS])
        else:
            m, t = ints[row + N_MODE] & POSITIVE, ints[row + MODAL] & POSITIVE
            o_m = ints[row + MODAL_V] & POSITIVE
            for k in range(m):
                scratch[t + m + k] = forces[o_m + k] - scratch[t + m + k]  # (17)
            if ints[row + N_LUMP] != 0 and not factor_modal_mass(ints, floats, scratch, row):
                return SINGULAR
            if ints[row + LEVEL] == FULL:
                softened_inertia(ints, floats, scratch, row)
            s, n_node = ints[row + STACK] & POSITIVE, ints[row + N_NODE]
            if n_node == 0:
                A, B = symmetric(scratch, s), matrix(scratch, s + 6)
                D = symmetric(scratch, s + 15)
            elif n_node == 1:
                A, B, D = pass_one_node(scratch, s, ints[row + NODES] & POSITIVE)
            else:
                A, B, D = pass_nodes(scratch, s, ints[row + NODES] & POSITIVE, n_node)
            z_w, z_v = seen_force(ints, floats, scratch, row)
        blind = False
        if kind == REVOLUTE:
            A, B, D, z_w, z_v, blind = revolute_inward(scratch, o, A, B, D, z_w, z_v, forces[o_v])
        elif kind == PRISMATIC:
            A, B, D, z_w, z_v, blind = prismatic_inward(scratch, o, A, B, D, z_w, z_v, forces[o_v])
        elif kind == SPHERICAL and not armature:
            R = matrix(scratch, b + R_) if rigid else IDENTITY
            n = turn(R, vector(forces, o_v))
            A, B, D, z_w, z_v, blind = spherical_inward(scratch, o, A, B, D, z_w, z_v, n)
        elif kind == FREE and not armature:
            R = matrix(scratch, b + R_) if rigid else IDENTITY
            n, f = turn(R, vector(forces, o_v)), turn(R, vector(forces, o_v + 3))
            blind = free_inward(scratch, o, A, B, D, z_w, z_v, n, f)
            A, B, D = rigid_as_articulated((0.0, 0.0, 0.0, 0.0, 0.0, 0.0), ZERO, 0.0)
            z_w, z_v = n, f
        elif kind != FIXED:
            A, B, D, z_w, z_v, blind = general_inward(
                scratch, o, ints[row + HINGE_DOF], A, B, D, z_w, z_v, forces, o_v
            )
        if blind:
            return SINGULAR
        if ints[row + PARENT] < 0:
            continue
        if not rigid:
            R = matrix(scratch, b + R_)
            A, B, D = turned_articulated(R, A, B, D)
            z_w, z_v = turn(R, z_w), turn(R, z_v)
        r = vector(scratch, b + ARM)
        A, B, D = shifted_articulated(r, A, B, D)
        z_w = add(z_w, cross(r, z_v))
        n = ints[row + CARRIER] & POSITIVE
        if ints[row + FIRST] == 0:
            A_n, D_n = symmetric(scratch, n + P_), symmetric(scratch, n + P_ + 15)
            B_n = matrix(scratch, n + P_ + 6)
            A = (A[0] + A_n[0], A[1] + A_n[1], A[2] + A_n[2],
                 A[3] + A_n[3], A[4] + A_n[4], A[5] + A_n[5])  # fmt: skip
            B = (B[0] + B_n[0], B[1] + B_n[1], B[2] + B_n[2], B[3] + B_n[3], B[4] + B_n[4],
                 B[5] + B_n[5], B[6] + B_n[6], B[7] + B_n[7], B[8] + B_n[8])  # fmt: skip
            D = (D[0] + D_n[0], D[1] + D_n[1], D[2] + D_n[2],
                 D[3] + D_n[3], D[4] + D_n[4], D[5] + D_n[5])  # fmt: skip
        put_symmetric(scratch, n + P_, A)
        put_matrix(scratch, n + P_ + 6, B)
        put_symmetric(scratch, n + P_ + 15, D)
        put_vector(scratch, n + FORCE, add(vector(scratch, n + FORCE), z_w))
        put_vector(scratch, n + FORCE + 3, add(vector(scratch, n + FORCE + 3), z_v))
    return DONE


@jit
def accelerate_base_to_tip(ints, floats, scratch, out):
    """Outward sweep: accelerations of hinges and modes; NOT_FINITE if one of them is not."""
    put_vector(scratch, GROUND_RECORD + CHANGE, ZERO)
    put_vector(scratch, GROUND_RECORD + CHANGE + 3, ZERO)
    armature = scratch[ARMATURE] != 0.0
    for i in range(ints[N_BODY]):
        row = HEADER + i * ROW
        b, n = ints[row + BODY] & POSITIVE, ints[row + CARRIER] & POSITIVE
        o, o_v = ints[row + HINGE] & POSITIVE, ints[row + HINGE_V] & POSITIVE
        kind, rigid = ints[row + KIND], ints[row + LEVEL] == RIGID
        if ints[row + DRIVEN] != 0:
            kind = FIXED
        alpha, a = vector(scratch, n + CHANGE), vector(scratch, n + CHANGE + 3)
        a = add(a, cross(alpha, vector(scratch, b + ARM)))
        if not rigid:
            R = matrix(scratch, b + R_)
            alpha, a = turn_back(R, alpha), turn_back(R, a)
        if kind == REVOLUTE:
            alpha, a = revolute_outward(scratch, o, alpha, a, out, o_v)
        elif kind == PRISMATIC:
            alpha, a = prismatic_outward(scratch, o, alpha, a, out, o_v)
        elif kind == SPHERICAL and not armature:
            R = matrix(scratch, b + R_) if rigid else IDENTITY
            alpha, a = spherical_outward(scratch, o, R, alpha, a, out, o_v)
        elif kind == FREE and not armature:
            R = matrix(scratch, b + R_) if rigid else IDENTITY
            alpha, a = free_outward(scratch, o, R, alpha, a, out, o_v)
        elif kind != FIXED:
            alpha, a = general_outward(scratch, o, ints[row + HINGE_DOF], alpha, a, out, o_v)
        put_vector(scratch, b + CHANGE, alpha)
        put_vector(scratch, b + CHANGE + 3, a)
        if not rigid:
            deform(ints, floats, scratch, row, alpha, a, out)
    return all_finite(out, ints[N_V])


@jit
def all_finite(x, n):
    """DONE if n numbers are finite, else NOT_FINITE."""
    s = 0.0
    for k in range(n):
        s += 0.0 * x[k]
    return DONE if s == 0.0 else NOT_FINITE
