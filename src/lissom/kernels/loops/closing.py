"""Loops in a configuration: frames of their ends, constraint columns, gaps and rates.

Follows (1)-(4) of `closed_loops`.  All loops are expressed in common axes: world axes, or if no
loop is connected to the ground, the axes of the base body's carrier with that body as the origin.
Then no digits are lost far from the world's origin or at orbital speed.
"""

from __future__ import annotations

import math

from .. import fields as field
from ..compiling import jit
from ..fields import POSITIVE
from ..layout.loops import CouplingRow, GroupRow, LoopRow, LoopsHeader, PathRow
from ..layout.records import CarrierRecord, ClosingRecord
from ..layout.tree import BodyRow
from ..records import closure_record, node_shapes
from ..small import (
    IDENTITY,
    ZERO,
    add,
    added,
    cross,
    dot,
    matrix,
    pose,
    product,
    put_pose,
    put_vector,
    scaled,
    turn,
    turn_back,
    vector,
)
from ..tree.joints import general_joint
from ..tree.modal import modal_sums
from .couplings import close_couplings, coupling_rates
from .joints import back_product, constraint_map, joint_pose, joint_rates, nearest, rotation_vector

# Fractions of the system's length, and for rates of length and speeds per second: largest gap of a
# run, and largest gap at which accelerations are meaningful (a user's integrator may leave gaps).
OPEN, FAR = 1e-6, 1e-4


@jit
def place_loops(ints, scratch, v, flags):
    """Poses and velocities of all bodies on the paths of loops, after `motion_base_to_tip`."""
    loops = LoopsHeader(ints, ints[field.LOOPS])
    for k in range(loops.n_path):
        path = PathRow(ints, loops.path_rows, k)
        body, o = BodyRow(ints, path.body), path.place
        b, n = CarrierRecord(scratch, body.record), CarrierRecord(scratch, body.carrier)
        arm, rigid = b.arm, body.level == field.RIGID
        R = b.R
        C, x, u = IDENTITY, ZERO, ZERO
        if path.parent >= 0:
            o_p = path.parent & POSITIVE
            C, x = pose(scratch, o_p)
            u = vector(scratch, path.carrier_velocity & POSITIVE)
            if path.carrier_node != 0:
                x = add(x, turn(C, n.arm))
        if path.parent != -2:
            x = add(x, turn(C, arm))
            if flags & field.RATES != 0:
                rate, hinge = ZERO, body.hinge
                o_v = body.hinge_v
                for c in range(body.hinge_dof):
                    rate = added(rate, v[o_v + c], vector(scratch, hinge + 6 * c + 3))
                if not rigid:
                    rate = turn(R, rate)
                u = add(u, turn(C, add(rate, cross(n.rate, arm))))
        if not rigid:
            C = product(C, R)
        put_pose(scratch, o, C, x)
        o_u = path.velocity
        if rigid:
            put_vector(scratch, o_u, u)
            continue
        m, shapes = body.n_mode, body.node_shapes
        for node in range(path.n_node):
            d = CarrierRecord(scratch, body.nodes, node)
            velocity = cross(b.rate, d.arm)
            if flags & field.RATES != 0:
                o_m = body.modal_v
                e = modal_sums(scratch, node_shapes(shapes, node, m), m, v, o_m)
                velocity = add(velocity, (e[3], e[4], e[5]))
            put_vector(scratch, o_u + 6 * node, add(u, turn(C, velocity)))


@jit
def loop_end(floats, scratch, end):
    """Frame of an end in common axes: working axes of the node, origin, frame axes, arm."""
    o, d = end.place, CarrierRecord(scratch, end.record)
    f = end.frame
    C, x = pose(scratch, o)
    if end.node != 0:
        x = add(x, turn(C, d.arm))
    R = product(C, d.R)
    return C, x, product(R, matrix(floats, f)), turn(R, vector(floats, f + 9))


@jit
def close_loops(ints, floats, scratch, q, v, x, flags):
    """Gap, rate, right-hand side and columns of all loops and couplings, after `place_loops`.

    q, v, x: as for `motion_base_to_tip`.
    """
    loops = LoopsHeader(ints, ints[field.LOOPS])
    _clear_columns(ints, scratch, loops)
    speed = 0.0
    for k in range(loops.n_loop):
        speed = max(speed, _close_loop(ints, floats, scratch, loops, k, flags))
    speed = max(speed, close_couplings(ints, floats, scratch, q, v, x, flags))
    ClosingRecord(scratch, loops.closing).speed = speed


@jit
def _clear_columns(ints, scratch, loops):
    """Set the columns of all constraints on nodes and hinges to zero."""
    for k in range(loops.n_path):
        path = PathRow(ints, loops.path_rows, k)
        o, n = path.forces, path.n_active
        for j in range(6 * n * path.n_node):
            scratch[o + j] = 0.0
        body, e = BodyRow(ints, path.body), path.innovations
        for j in range(body.hinge_dof * n):
            scratch[e + j] = 0.0
    for k in range(loops.n_group):
        group = GroupRow(ints, loops.group_rows, k)
        if group.body >= 0:
            o = group.forces & POSITIVE
            for j in range(6 * group.n):
                scratch[o + j] = 0.0


@jit
def _close_loop(ints, floats, scratch, loops, k, flags):
    """Gap, rate, right-hand side and columns of one loop; the speed of its ends."""
    length, work = floats[loops.length], loops.loop_work
    loop = LoopRow(ints, loops.loop_rows, k)
    a, b = loop.a, loop.b
    C_a, x_a, F_a, arm_a = loop_end(floats, scratch, a)
    C_b, x_b, F_b, arm_b = loop_end(floats, scratch, b)
    s = added(add(x_b, arm_b), -1.0, x_a)  # from node a to the origin of frame b
    R = back_product(F_a, F_b)
    r = turn_back(F_a, added(s, -1.0, arm_a))
    P, dof = loop.state, loop.dof
    j, kind = loop.joint, loop.kind
    theta, rates = P + field.L_Q, P + field.L_RATES
    columns = loop.columns
    contact = kind >= field.ROLLING
    xi_w, xi_v, distance, drift = ZERO, ZERO, 0.0, ZERO
    if not contact:
        nearest(floats, columns, kind, dof, R, r, length, scratch, theta, work)
        R_j, r_j = joint_pose(floats, j, kind, scratch, theta, work)
        if loop.map < 0:
            constraint_map(scratch, work, dof, length, P)
        else:
            for c in range(6 * loop.n):
                scratch[P + c] = floats[loop.map + c]
        xi_w, xi_v = rotation_vector(back_product(R_j, R)), turn_back(R, added(r, -1.0, r_j))
    w_rel, v_rel, D_w, D_v, speed = ZERO, ZERO, ZERO, ZERO, 0.0
    if flags != 0:
        w_rel, v_rel, D_w, D_v, speed = relative_motion(
            scratch, a, b, C_a, C_b, F_b, s, arm_b, length
        )
        if loop.map < 0 and not contact:
            joint_rates(scratch, work, dof, length, w_rel, v_rel, rates)
            _R, _r, _w, _v, c_w, c_v = general_joint(
                floats, j, kind, scratch, theta, scratch, rates, flags != 0, scratch, work
            )
            D_w, D_v = added(D_w, -1.0, c_w), added(D_v, -1.0, c_v)
    if contact:
        distance, drift = touch(floats, j, kind, R, r, w_rel, v_rel, scratch, P, theta)
    n = loops.n_column
    closure = closure_record(loops.closure, n)
    for c in range(loop.n):
        m, f = vector(scratch, P + 6 * c), vector(scratch, P + 6 * c + 3)
        column = loop.first + c
        gap, rate = dot(m, xi_w) + dot(f, xi_v), dot(m, w_rel) + dot(f, v_rel)
        rhs = -dot(m, D_w) - dot(f, D_v)
        if contact:
            gap = distance if c == 0 else 0.0
            if flags & field.RATES != 0:
                rhs -= drift[c]
        scratch[closure.gap + column] = gap
        scratch[closure.rate + column] = rate
        if flags & field.GRAVITY != 0:  # accelerations are wanted
            stiffness = scratch[closure.stiffness + column]
            rhs -= stiffness * gap + scratch[closure.damping + column] * rate
        scratch[closure.rhs + column] = rhs
    for c in range(loop.n_solved):
        if loop.turn < 0:
            m, f = vector(scratch, P + 6 * c), vector(scratch, P + 6 * c + 3)
        else:
            o = (loop.turn & POSITIVE) + 6 * c
            m, f = vector(floats, o), vector(floats, o + 3)
        m, f = turn(F_b, m), turn(F_b, f)
        _push_on_end(scratch, b.forces, c, C_b, arm_b, m, f, -1.0)
        _push_on_end(scratch, a.forces, c, C_a, s, m, f, 1.0)
    return speed


@jit
def relative_motion(scratch, a, b, C_a, C_b, F_b, s, arm_b, length):
    """Velocity and acceleration of frame b relative to node a without unknowns, b's axes; (3), (4).

    Also returns the speed of the ends.
    """
    d_a, d_b = CarrierRecord(scratch, a.record), CarrierRecord(scratch, b.record)
    w_a = turn(C_a, d_a.rate)
    w_b = turn(C_b, d_b.rate)
    v_a = vector(scratch, a.velocity)
    v_b = vector(scratch, b.velocity)
    w_rel = added(w_b, -1.0, w_a)
    turning = math.sqrt(dot(w_a, w_a)) + math.sqrt(dot(w_b, w_b))
    speed = max(length * turning, math.sqrt(dot(v_a, v_a)))
    v_rel = added(add(v_b, cross(w_b, arm_b)), -1.0, add(v_a, cross(w_a, s)))
    alpha_a = turn(C_a, d_a.alpha)
    alpha_b = turn(C_b, d_b.alpha)
    a_a = turn(C_a, d_a.a)
    a_b = turn(C_b, d_b.a)
    D_w = added(added(alpha_b, -1.0, alpha_a), -1.0, cross(w_a, w_rel))
    swept = add(cross(alpha_a, s), cross(w_a, added(cross(w_a, s), 2.0, v_rel)))
    D_v = add(a_b, add(cross(alpha_b, arm_b), cross(w_b, cross(w_b, arm_b))))
    D_v = added(D_v, -1.0, add(a_a, swept))
    return (
        turn_back(F_b, w_rel), turn_back(F_b, v_rel), turn_back(F_b, D_w), turn_back(F_b, D_v),
        speed,
    )  # fmt: skip


@jit
def _push_on_end(scratch, forces, c, C, arm, m, f, sign):
    """Add sign times moment and force c of a loop, `arm` from the node, to those of an end."""
    if forces >= 0:
        o = (forces & POSITIVE) + 6 * c
        z = turn_back(C, add(m, cross(arm, f)))
        put_vector(scratch, o, added(vector(scratch, o), sign, z))
        put_vector(scratch, o + 3, added(vector(scratch, o + 3), sign, turn_back(C, f)))


@jit
def constraint_rates(ints, floats, scratch, x, out):
    """Write A x to scratch[out:], without driven hinges; after `close_loops`.

    The sweep of `place_loops` for velocities x, linear and angular, in common axes.
    """
    loops = LoopsHeader(ints, ints[field.LOOPS])
    for k in range(loops.n_path):
        path = PathRow(ints, loops.path_rows, k)
        body, o = BodyRow(ints, path.body), path.place
        b, rigid = CarrierRecord(scratch, body.record), body.level == field.RIGID
        w, u = ZERO, ZERO
        C = matrix(scratch, o)
        K = C if rigid else _times_transposed(C, b.R)  # of its carrier
        if path.carrier_velocity >= 0:
            o_c = path.carrier_velocity & POSITIVE
            w, u = vector(scratch, o_c + 3), vector(scratch, o_c)
        u = add(u, cross(w, turn(K, b.arm)))
        if body.driven == 0:
            e_w, e_v, hinge = ZERO, ZERO, body.hinge
            o_v = body.hinge_v
            for c in range(body.hinge_dof):
                e_w = added(e_w, x[o_v + c], vector(scratch, hinge + 6 * c))
                e_v = added(e_v, x[o_v + c], vector(scratch, hinge + 6 * c + 3))
            w, u = add(w, turn(C, e_w)), add(u, turn(C, e_v))
        o_u = path.velocity
        if rigid:
            put_vector(scratch, o_u, u)
            put_vector(scratch, o_u + 3, w)
            continue
        m, shapes = body.n_mode, body.node_shapes
        o_m = body.modal_v
        for node in range(path.n_node):
            d = CarrierRecord(scratch, body.nodes, node)
            e = modal_sums(scratch, node_shapes(shapes, node, m), m, x, o_m)
            turned = turn(d.J_l, (e[0], e[1], e[2]))
            moved = add(cross(w, turn(C, d.arm)), turn(C, (e[3], e[4], e[5])))
            put_vector(scratch, o_u + 6 * node, add(u, moved))
            put_vector(scratch, o_u + 6 * node + 3, add(w, turn(C, turned)))
    for k in range(loops.n_loop):
        loop = LoopRow(ints, loops.loop_rows, k)
        _C, x_a, _F, _arm = loop_end(floats, scratch, loop.a)
        _C, x_b, F_b, arm_b = loop_end(floats, scratch, loop.b)
        s = added(add(x_b, arm_b), -1.0, x_a)
        at_a, at_b = loop.a.velocity, loop.b.velocity
        w_a, w_b = vector(scratch, at_a + 3), vector(scratch, at_b + 3)
        v_a, v_b = vector(scratch, at_a), vector(scratch, at_b)
        w_rel = turn_back(F_b, added(w_b, -1.0, w_a))
        v_rel = turn_back(F_b, added(add(v_b, cross(w_b, arm_b)), -1.0, add(v_a, cross(w_a, s))))
        P = loop.state
        for c in range(loop.n):
            m_c, f_c = vector(scratch, P + 6 * c), vector(scratch, P + 6 * c + 3)
            scratch[out + loop.first + c] = dot(m_c, w_rel) + dot(f_c, v_rel)
    coupling_rates(ints, floats, scratch, x, out)


@jit
def _times_transposed(A, B):
    """Product A B^T."""
    return product(A, (B[0], B[3], B[6], B[1], B[4], B[7], B[2], B[5], B[8]))


@jit
def closure_numbers(ints, scratch, out, o):
    """Write gap, rate and joint coordinates of each loop to out[o:]; after `close_loops`.

    Gap and rate of each coupling follow.
    """
    loops = LoopsHeader(ints, ints[field.LOOPS])
    n = loops.n_column
    closure = closure_record(loops.closure, n)
    for k in range(loops.n_loop):
        loop = LoopRow(ints, loops.loop_rows, k)
        first, count = loop.first, loop.n
        for c in range(count):
            out[o + c] = scratch[closure.gap + first + c]
            out[o + count + c] = scratch[closure.rate + first + c]
        o += 2 * count
        for c in range(loop.n_q):
            out[o + c] = scratch[loop.state + field.L_Q + c]
        o += loop.n_q
    for k in range(loops.n_coupling):
        body = CouplingRow(ints, loops.coupling_rows, k)
        column = body.column
        out[o] = scratch[closure.gap + column]
        out[o + 1] = scratch[closure.rate + column]
        o += 2


@jit
def loops_open(ints, floats, scratch):
    """Whether a loop or coupling is violated in position or rate, after `close_loops`."""
    loops = LoopsHeader(ints, ints[field.LOOPS])
    n = loops.n_column
    closure = closure_record(loops.closure, n)
    length = floats[loops.length]
    speed = length + ClosingRecord(scratch, loops.closing).speed
    for k in range(n):
        if not abs(scratch[closure.gap + k]) <= FAR * length:
            return True
        if not abs(scratch[closure.rate + k]) <= FAR * speed:
            return True
    return False


NORMAL = (0.0, 0.0, 1.0)


@jit
def touch(floats, j, kind, R, r, w_rel, v_rel, scratch, P, theta):
    """Write the constraint map to scratch[P:] and coordinates to scratch[theta:]; gap and drifts.

    R, r: frame b in frame a.  w_rel, v_rel: relative velocity in the axes of b.
    """
    if kind == field.SKATE:
        e = vector(floats, j)
        put_vector(scratch, P, ZERO)
        put_vector(scratch, P + 3, e)
        return 0.0, (dot(cross(w_rel, e), v_rel), 0.0, 0.0)
    w, radius = turn(R, w_rel), floats[j + 3]
    rho, rate = (0.0, 0.0, -radius), ZERO
    if kind == field.ROLLING:
        s = turn(R, vector(floats, j))
        s_dot = cross(w, s)
        u = added(NORMAL, -s[2], s)
        size = 1.0 / math.sqrt(dot(u, u))
        e, u_dot = scaled(size, u), added(scaled(-s_dot[2], s), -s[2], s_dot)
        rho = scaled(-radius, e)
        rate = scaled(-radius * size, added(u_dot, -dot(e, u_dot), e))
    _put_column(scratch, P, R, rho, NORMAL)
    _put_column(scratch, P + 6, R, rho, (1.0, 0.0, 0.0))
    _put_column(scratch, P + 12, R, rho, (0.0, 1.0, 0.0))
    scratch[theta], scratch[theta + 1] = r[0] + rho[0], r[1] + rho[1]
    swept = cross(w, rate)
    return r[2] + rho[2], (swept[2], swept[0], swept[1])


@jit
def _put_column(scratch, o, R, rho, t):
    """Write moment and force of a unit force t at rho, axes of a, in the axes of b."""
    put_vector(scratch, o, turn_back(R, cross(rho, t)))
    put_vector(scratch, o + 3, turn_back(R, t))
