"""Forces on hinges and nodes, and motions that are given."""

from __future__ import annotations

import math

from .. import fields as field
from ..compiling import jit
from ..fields import POSITIVE
from ..nodes import node_motion
from ..small import (
    ZERO,
    add,
    added,
    cross,
    dot,
    matrix,
    product,
    put_matrix,
    put_vector,
    quaternion_rotation,
    scaled,
    turn,
    turn_back,
    vector,
)
from . import fields as run
from .signals import signal

# Record of a slot in work: attitude 9, position 3, angular and linear velocity 6, wrench 6
SLOT_POSE, SLOT_RATE, SLOT_WRENCH, SLOT_RECORD = 0, 12, 18, 24


@jit
def drive(ints, plan, table, memory, t, q, v, x, room):
    """Put given motions into q, v and the accelerations x; 0, or the status of a function."""
    for k in range(plan[run.N_MOTION]):
        e = plan[run.MOTIONS] + k * run.E_ROW
        active = memory[plan[e + run.E_ACTIVE]] != 0.0
        row = plan[e + run.E_A]
        if active:
            ints[row + field.DRIVEN] = 1
        if not active:
            continue
        o_q, o_v, n = plan[e + run.E_Q] & POSITIVE, plan[e + run.E_V] & POSITIVE, plan[e + run.E_N]
        mode = plan[e + run.E_KIND]
        if mode == run.LOCK:
            for j in range(n):
                v[o_v + j] = 0.0
                x[o_v + j] = 0.0
            continue
        status = signal(plan, table, memory, plan[e + run.E_SIGNAL], t, q, v, room, 0, 2)
        if status != 0:
            return status
        if mode == run.POSITION:
            m, kind = plan[e + run.E_N_Q], plan[e + run.E_B]
            for j in range(m):
                q[o_q + j] = room[j]
            if kind == field.SPHERICAL or kind == field.FREE:
                _drive_pose(room, m, kind, q, o_q, v, x, o_v)
            else:
                for j in range(n):
                    v[o_v + j] = room[m + j]
                    x[o_v + j] = room[2 * m + j]
        elif mode == run.VELOCITY:
            for j in range(n):
                v[o_v + j] = room[j]
                x[o_v + j] = room[n + j]
        else:
            for j in range(n):
                x[o_v + j] = room[j]
    return 0


@jit
def undrive(ints, plan):
    """Take back what `drive` marked."""
    for k in range(plan[run.N_MOTION]):
        ints[plan[plan[run.MOTIONS] + k * run.E_ROW + run.E_A] + field.DRIVEN] = 0


@jit
def _drive_pose(room, m, kind, q, o_q, v, x, o_v):
    """Speeds from the rates of a quaternion r of any length, q = r / |r|.

    w = 2 vec(r* r') / |r|^2      w' = 2 vec(r* r'') / |r|^2 - 2 w (r . r') / |r|^2
    """
    length = grown = 0.0
    for k in range(4):
        length += room[k] * room[k]
        grown += room[k] * room[m + k]
    for k in range(4):
        q[o_q + k] = room[k] / math.sqrt(length)
    w = _quaternion_rate(room, 0, m)
    w_dot = added(_quaternion_rate(room, 0, 2 * m), -2.0 * grown / length, w)
    put_vector(v, o_v, w)
    put_vector(x, o_v, w_dot)
    if kind == field.FREE:
        R = quaternion_rotation(q[o_q], q[o_q + 1], q[o_q + 2], q[o_q + 3])
        u = turn_back(R, vector(room, m + 4))
        put_vector(v, o_v + 3, u)
        a = turn_back(R, vector(room, 2 * m + 4))
        put_vector(x, o_v + 3, added(a, -1.0, cross(w, u)))


@jit
def _quaternion_rate(x, o, p):
    """2 vec(q* r) / |q|^2 of the quaternions at x[o] and x[p]."""
    a, b, c, d = x[o], x[o + 1], x[o + 2], x[o + 3]
    e, f, g, h = x[p], x[p + 1], x[p + 2], x[p + 3]
    s = 2.0 / (a * a + b * b + c * c + d * d)
    return (
        s * (a * f - b * e - c * h + d * g),
        s * (a * g + b * h - c * e - d * f),
        s * (a * h - b * g + c * f - d * e),
    )


@jit
def hinge_loads(plan, table, memory, t, q, v, T, n_v, room):
    """Generalized forces T of controllers and of elements on hinges; 0, or a function's status."""
    for k in range(n_v):
        T[k] = 0.0
    for k in range(plan[run.N_CONTROLLER]):
        e = plan[run.CONTROLLERS] + k * run.E_ROW
        held = plan[e + run.E_MEMORY] & POSITIVE
        if memory[plan[e + run.E_ACTIVE]] != 0.0:
            for j in range(n_v):
                T[j] += memory[held + j]
    for k in range(plan[run.N_FORCE]):
        e = plan[run.FORCES] + k * run.E_ROW
        if memory[plan[e + run.E_ACTIVE]] == 0.0:
            continue
        kind, n, c = plan[e + run.E_KIND], plan[e + run.E_N], plan[e + run.E_TABLE] & POSITIVE
        o_q, o_v = plan[e + run.E_Q] & POSITIVE, plan[e + run.E_V] & POSITIVE
        if kind == run.FORCE:
            status = signal(plan, table, memory, plan[e + run.E_SIGNAL], t, q, v, room, 0, 0)
            if status != 0:
                return status
            for j in range(n):
                T[o_v + j] += table[c] * min(max(room[j], -table[c + 1]), table[c + 1])
        elif kind == run.SPRING:
            for j in range(n):
                T[o_v + j] -= table[c + 3 * j] * (q[o_q + j] - table[c + 3 * j + 1])
                T[o_v + j] -= table[c + 3 * j + 2] * v[o_v + j]
        elif kind == run.BALL_SPRING:
            theta = rotation_vector(q, o_q)
            for j in range(3):
                T[o_v + j] -= table[c] * theta[j] + table[c + 1] * v[o_v + j]
            if n == 6:
                R = quaternion_rotation(q[o_q], q[o_q + 1], q[o_q + 2], q[o_q + 3])
                p = turn_back(R, vector(q, o_q + 4))
                for j in range(3):
                    T[o_v + 3 + j] -= table[c + 2] * p[j] + table[c + 3] * v[o_v + 3 + j]
        elif kind == run.DAMPER:
            for j in range(n):
                T[o_v + j] -= table[c + j] * v[o_v + j]
        elif kind == run.FRICTION:
            for j in range(n):
                T[o_v + j] -= table[c] * math.tanh(v[o_v + j] / table[c + 1])
        else:
            for j in range(n):
                T[o_v + j] -= stop_force(table, c, q[o_q + j], v[o_v + j])[0]
    return 0


@jit
def stop_force(table, c, x, rate):
    """Force that pushes a coordinate back between its limits, and its slopes in x and rate.

    k d (1 + damping d'), d the depth beyond the limit: smooth at first touch, never pulling.
    """
    lower, upper, k, damping = table[c], table[c + 1], table[c + 2], table[c + 3]
    depth, sign = 0.0, 1.0
    if x > upper:
        depth = x - upper
    elif x < lower:
        depth, sign = lower - x, -1.0
    if depth == 0.0:
        return 0.0, 0.0, 0.0
    grow = 1.0 + damping * sign * rate
    if grow <= 0.0:
        return 0.0, 0.0, 0.0
    return sign * k * depth * grow, k * grow, k * depth * damping


@jit
def rotation_vector(q, o):
    """Rotation vector of the quaternion q[o:], the shorter way round."""
    w, x, y, z = q[o], q[o + 1], q[o + 2], q[o + 3]
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    s = math.sqrt(x * x + y * y + z * z)
    f = 2.0 / w if s < 1e-9 * w else 2.0 * math.atan2(s, w) / s
    return f * x, f * y, f * z


@jit
def slot_motions(ints, scratch, plan, q, v, work, o, flags):
    """Where the slots are, after `motion_base_to_tip` and `place_base_to_tip`.

    With flags ACCELERATED the records of bodies hold velocities: those of the slots are written.
    """
    for k in range(plan[run.N_SLOT]):
        e, w = plan[run.SLOTS] + k * run.E_ROW, o + k * SLOT_RECORD
        row = plan[e + run.E_A]
        if row < 0:
            continue
        b, at = ints[row + field.BODY] & POSITIVE, ints[row + field.WORLD] & POSITIVE
        C, origin = matrix(scratch, at), vector(scratch, at + 9)
        R, l = matrix(scratch, b + field.R_), ZERO
        omega, u = (
            vector(scratch, b + field.ACCELERATION),
            vector(scratch, b + field.ACCELERATION + 3),
        )
        if ints[row + field.LEVEL] != field.RIGID:
            c = int(scratch[field.EXTERNAL]) + plan[e + run.E_B] + 7
            o_q, o_v = ints[row + field.MODAL_Q], ints[row + field.MODAL_V]
            R, l, _J, _w, omega, u = node_motion(
                scratch, c, ints[row + field.N_MODE], scratch, b, q, o_q, v, v, o_v, flags
            )
        put_matrix(work, w + SLOT_POSE, product(C, R))
        put_vector(work, w + SLOT_POSE + 9, add(origin, turn(C, l)))
        if flags != 0:
            put_vector(work, w + SLOT_RATE, turn(C, omega))
            put_vector(work, w + SLOT_RATE + 3, turn(C, u))


@jit
def node_loads(scratch, plan, table, memory, t, q, v, work, o, room):
    """Wrenches of all loads on nodes into the list of external forces; 0, or a status."""
    for k in range(plan[run.N_SLOT]):
        put_vector(work, o + k * SLOT_RECORD + SLOT_WRENCH, ZERO)
        put_vector(work, o + k * SLOT_RECORD + SLOT_WRENCH + 3, ZERO)
    for k in range(plan[run.N_NODE_LOAD]):
        e = plan[run.NODE_LOADS] + k * run.E_ROW
        if memory[plan[e + run.E_ACTIVE]] == 0.0:
            continue
        a = o + plan[e + run.E_A] * SLOT_RECORD
        if plan[e + run.E_KIND] == run.NODE_FORCE:
            status = signal(plan, table, memory, plan[e + run.E_SIGNAL], t, q, v, room, 0, 0)
            if status != 0:
                return status
            f = vector(room, 0)
            if plan[e + run.E_AXES] != 0:
                f = turn_back(matrix(work, a + SLOT_POSE), f)
            c = plan[e + run.E_TABLE] & POSITIVE
            if table[c] == 0.0:
                _add_wrench(work, a, f, ZERO)
            else:
                _add_wrench(work, a, cross(vector(table, c + 1), f), f)
        else:
            _between(plan, table, e, work, a, o + plan[e + run.E_B] * SLOT_RECORD)
    start = int(scratch[field.EXTERNAL])
    count = 0
    for k in range(plan[run.N_SLOT]):
        e = plan[run.SLOTS] + k * run.E_ROW
        if plan[e + run.E_A] >= 0:
            count += 1
            for j in range(6):
                scratch[start + plan[e + run.E_B] + 1 + j] = work[
                    o + k * SLOT_RECORD + SLOT_WRENCH + j
                ]
    scratch[field.N_EXTERNAL] = count
    return 0


@jit
def _add_wrench(work, slot, n, f):
    at = slot + SLOT_WRENCH
    put_vector(work, at, add(vector(work, at), n))
    put_vector(work, at + 3, add(vector(work, at + 3), f))


@jit
def _between(plan, table, e, work, a, b):
    """Spring and damper along the line between points of slot a and of slot b."""
    c = plan[e + run.E_TABLE] & POSITIVE
    r_a, r_b = vector(table, c + 3), vector(table, c + 6)
    x_a, v_a = _point(work, a, r_a)
    x_b, v_b = _point(work, b, r_b)
    d, rate = added(x_b, -1.0, x_a), added(v_b, -1.0, v_a)
    length = math.sqrt(dot(d, d))
    if length > 0.0:
        unit = scaled(1.0 / length, d)
        pull = table[c] * (length - table[c + 2]) + table[c + 1] * dot(unit, rate)
        f = scaled(pull, unit)
    else:
        f = scaled(table[c + 1], rate)
    f_a = turn_back(matrix(work, a + SLOT_POSE), f)
    f_b = turn_back(matrix(work, b + SLOT_POSE), scaled(-1.0, f))
    _add_wrench(work, a, cross(r_a, f_a), f_a)
    _add_wrench(work, b, cross(r_b, f_b), f_b)


@jit
def _point(work, slot, r):
    """Position and velocity in the world of a point r in the axes of a slot."""
    arm = turn(matrix(work, slot + SLOT_POSE), r)
    x = add(vector(work, slot + SLOT_POSE + 9), arm)
    return x, add(vector(work, slot + SLOT_RATE + 3), cross(vector(work, slot + SLOT_RATE), arm))
