"""Inverse dynamics, tip to base.  O(N).

After `motion_base_to_tip` with given accelerations the records hold each body's own force z and
modal force t_f; a body hands on what it needs:
  f = z + sum over its nodes phi_t f_t      T_f = t_f + sum Pi_hat_t^T f_t      T_r = H f
These are (5)-(7) of `reference`; armature adds a_f eta_ddot and a_r beta_dot.
"""

from __future__ import annotations

from .compiling import jit
from .layout import (
    ACCELERATED,
    ARM,
    ARMATURE,
    BODY,
    CARRIER,
    FIXED,
    FORCE,
    FREE,
    HEADER,
    HINGE,
    HINGE_DOF,
    HINGE_V,
    KIND,
    LEFT,
    LEVEL,
    MODAL,
    MODAL_V,
    N_BODY,
    N_LUMP,
    N_MODE,
    N_NODE,
    NODE_RECORD,
    NODE_SHAPES,
    NODES,
    PARENT,
    POSITIVE,
    PRISMATIC,
    R_,
    REVOLUTE,
    RIGID,
    ROW,
    SPHERICAL,
)
from .modal import modal_spread
from .small import (
    IDENTITY,
    add,
    cross,
    dot,
    matrix,
    put_vector,
    six,
    turn,
    turn_back,
    vector,
)


@jit
def forces_tip_to_base(ints, floats, scratch, x, out, flags):
    """Generalized forces; each record is left with the spatial force through its hinge."""
    armature = scratch[ARMATURE] != 0.0 and flags & ACCELERATED != 0
    for i in range(ints[N_BODY] - 1, -1, -1):
        row = HEADER + i * ROW
        b, o = ints[row + BODY] & POSITIVE, ints[row + HINGE] & POSITIVE
        kind, rigid = ints[row + KIND], ints[row + LEVEL] == RIGID
        o_v = ints[row + HINGE_V] & POSITIVE
        if not rigid:
            _modal_forces(ints, floats, scratch, row, x, out, armature)
        f_w, f_v = vector(scratch, b + FORCE), vector(scratch, b + FORCE + 3)
        if kind == REVOLUTE:
            out[o_v] = dot(vector(scratch, o), f_w)
        elif kind == PRISMATIC:
            out[o_v] = dot(vector(scratch, o + 3), f_v)
        elif kind == SPHERICAL or kind == FREE:
            R = matrix(scratch, b + R_) if rigid else IDENTITY
            put_vector(out, o_v, turn_back(R, f_w))
            if kind == FREE:
                put_vector(out, o_v + 3, turn_back(R, f_v))
        elif kind != FIXED:
            for c in range(ints[row + HINGE_DOF]):
                h_w, h_v = vector(scratch, o + 6 * c), vector(scratch, o + 6 * c + 3)
                out[o_v + c] = dot(h_w, f_w) + dot(h_v, f_v)
        if armature:
            _hinge_armature(scratch, o, ints[row + HINGE_DOF], x, out, o_v)
        if ints[row + PARENT] < 0:
            continue
        if not rigid:
            R = matrix(scratch, b + R_)
            f_w, f_v = turn(R, f_w), turn(R, f_v)
        f_w = add(f_w, cross(vector(scratch, b + ARM), f_v))
        n = ints[row + CARRIER] & POSITIVE
        put_vector(scratch, n + FORCE, add(vector(scratch, n + FORCE), f_w))
        put_vector(scratch, n + FORCE + 3, add(vector(scratch, n + FORCE + 3), f_v))


@jit
def _modal_forces(ints, floats, scratch, row, x, out, armature):
    """Modal forces of one body, with what its nodes carry; adds that to the body's force."""
    b, m = ints[row + BODY] & POSITIVE, ints[row + N_MODE] & POSITIVE
    t, o_v = (ints[row + MODAL] & POSITIVE) + m, ints[row + MODAL_V] & POSITIVE
    shapes = ints[row + NODE_SHAPES] & POSITIVE
    f_w, f_v = vector(scratch, b + FORCE), vector(scratch, b + FORCE + 3)
    for node in range(ints[row + N_NODE]):
        d = (ints[row + NODES] & POSITIVE) + node * NODE_RECORD
        n_t, f_t = vector(scratch, d + FORCE), vector(scratch, d + FORCE + 3)
        turned = six(turn_back(matrix(scratch, d + LEFT), n_t), f_t)
        modal_spread(floats, shapes + node * (3 + 6 * m) + 3, m, turned, scratch, t)
        f_w = add(f_w, add(n_t, cross(vector(scratch, d + ARM), f_t)))
        f_v = add(f_v, f_t)
    put_vector(scratch, b + FORCE, f_w)
    put_vector(scratch, b + FORCE + 3, f_v)
    for k in range(m):
        out[o_v + k] = scratch[t + k]
    if armature:
        w = ints[row + MODAL] & POSITIVE
        lumped = ints[row + N_LUMP] != 0
        for k in range(m):
            added = scratch[w + k] if lumped else 1.0 / scratch[w + k] - 1.0
            out[o_v + k] += added * x[o_v + k]


@jit
def _hinge_armature(scratch, o, r, x, out, o_v):
    """Add a_r beta_dot."""
    o_a = o + 13 * r + r * r
    for c in range(r):
        for k in range(r):
            out[o_v + c] += scratch[o_a + c * r + k] * x[o_v + k]
