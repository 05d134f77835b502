"""Joints of loops as joints: their coordinates and speeds, and forces along their free motions.

Known forces F_f in the free directions P_f of a loop's joint (C 4.17): a wrench
f on frame b with H f = T, and its opposite on frame a.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..layout.loops import LoopRow, LoopsHeader
from ..small import add, added, cross, matrix, scaled, turn, turn_back
from .closing import loop_end, relative_motion
from .joints import back_product, joint_force, joint_pose, joint_rates, nearest, orthonormal


@jit
def loop_joint_motion(ints, floats, scratch, k, q, o_q, v, o_v):
    """Write coordinates and speeds of the joint of loop k to q[o_q:] and v[o_v:].

    After `motion_base_to_tip` and `place_loops` with RATES.
    """
    loops = LoopsHeader(ints, ints[field.LOOPS])
    length, work = floats[loops.length], loops.loop_work
    loop = LoopRow(ints, loops.loop_rows, k)
    a, b = loop.a, loop.b
    C_a, x_a, F_a, arm_a = loop_end(floats, scratch, a)
    C_b, x_b, F_b, arm_b = loop_end(floats, scratch, b)
    s = added(add(x_b, arm_b), -1.0, x_a)
    R, r = back_product(F_a, F_b), turn_back(F_a, added(s, -1.0, arm_a))
    kind, dof = loop.kind, loop.dof
    state = loop.state
    theta, rates = state + field.L_Q, state + field.L_RATES
    columns = loop.columns
    nearest(floats, columns, kind, dof, R, r, length, scratch, theta, work)
    joint_pose(floats, loop.joint, kind, scratch, theta, work)
    orthonormal(scratch, work, dof, length)
    w_rel, v_rel, _D_w, _D_v, _speed = relative_motion(
        scratch, a, b, C_a, C_b, F_b, s, arm_b, length
    )
    joint_rates(scratch, work, dof, length, w_rel, v_rel, rates)
    for c in range(4 if kind == field.SPHERICAL else dof):
        q[o_q + c] = scratch[theta + c]
    for c in range(dof):
        v[o_v + c] = scratch[rates + c]


@jit
def loop_joint_wrenches(ints, floats, scratch, k, T, o):
    """Moments and forces on the nodes of ends a and b, node axes, of forces T[o:] on the joint.

    After `loop_joint_motion` in the same state.
    """
    loops = LoopsHeader(ints, ints[field.LOOPS])
    length, work = floats[loops.length], loops.loop_work
    loop = LoopRow(ints, loops.loop_rows, k)
    a, b = loop.a, loop.b
    _C_a, x_a, F_a, _arm_a = loop_end(floats, scratch, a)
    _C_b, x_b, F_b, arm_b = loop_end(floats, scratch, b)
    theta = loop.state + field.L_Q
    joint, kind = loop.joint, loop.kind
    joint_pose(floats, joint, kind, scratch, theta, work)
    orthonormal(scratch, work, loop.dof, length)
    n, f = joint_force(scratch, work, loop.dof, length, T, o)
    n, f = turn(F_b, n), turn(F_b, f)
    s = added(add(x_b, arm_b), -1.0, x_a)
    n_a, f_a = scaled(-1.0, add(n, cross(s, f))), scaled(-1.0, f)
    E_a = matrix(floats, a.frame)
    E_b = matrix(floats, b.frame)
    n_b = add(n, cross(arm_b, f))
    return (
        turn(E_a, turn_back(F_a, n_a)), turn(E_a, turn_back(F_a, f_a)),
        turn(E_b, turn_back(F_b, n_b)), turn(E_b, turn_back(F_b, f)),
    )  # fmt: skip
