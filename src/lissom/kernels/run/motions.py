"""Given motions."""

from __future__ import annotations

import math

from .. import fields as field
from ..compiling import uncounted
from ..layout import run
from ..layout.tree import BodyRow
from ..small import added, cross, put_vector, quaternion_rotation, turn_back, vector
from .signals import signal


@uncounted
def drive(ints, plan, table, memory, t, q, v, x, buffer):
    """Write given motions to q, v and the accelerations x; 0, or the status of a function."""
    head = run.PlanHeader(plan, 0)
    for k in range(head.motions.count):
        motion = run.MotionRow(plan, head.motions.first, k)
        active = memory[motion.active] != 0.0
        if active:
            BodyRow(ints, motion.body).driven = 1
        if not active:
            continue
        o_q, o_v, n = motion.q, motion.v, motion.n
        mode = motion.mode
        if mode == run.LOCK:
            for j in range(n):
                v[o_v + j] = 0.0
                x[o_v + j] = 0.0
            continue
        status = signal(plan, table, memory, motion.signal, t, q, v, buffer, 0, 2)
        if status != 0:
            return status
        if mode == run.POSITION:
            m, kind = motion.n_q, motion.joint
            for j in range(m):
                q[o_q + j] = buffer[j]
            if kind == field.SPHERICAL or kind == field.FREE:
                _drive_pose(buffer, m, kind, q, o_q, v, x, o_v)
            else:
                for j in range(n):
                    v[o_v + j] = buffer[m + j]
                    x[o_v + j] = buffer[2 * m + j]
        elif mode == run.VELOCITY:
            for j in range(n):
                v[o_v + j] = buffer[j]
                x[o_v + j] = buffer[n + j]
        else:
            for j in range(n):
                x[o_v + j] = buffer[j]
    return 0


@uncounted
def mark_driven(ints, plan, memory):
    """Mark the driven hinges as `drive` does, without writing their motions."""
    head = run.PlanHeader(plan, 0)
    undrive(ints, plan)
    for k in range(head.motions.count):
        motion = run.MotionRow(plan, head.motions.first, k)
        if memory[motion.active] != 0.0:
            BodyRow(ints, motion.body).driven = 1


@uncounted
def undrive(ints, plan):
    """Clear the marks of `drive`."""
    head = run.PlanHeader(plan, 0)
    for k in range(head.motions.count):
        BodyRow(ints, run.MotionRow(plan, head.motions.first, k).body).driven = 0


@uncounted
def _drive_pose(buffer, m, kind, q, o_q, v, x, o_v):
    """Write speeds from the rates of a quaternion r of any length, q = r / |r|.

    w = 2 vec(r* r') / |r|^2      w' = 2 vec(r* r'') / |r|^2 - 2 w (r . r') / |r|^2
    """
    length = grown = 0.0
    for k in range(4):
        length += buffer[k] * buffer[k]
        grown += buffer[k] * buffer[m + k]
    for k in range(4):
        q[o_q + k] = buffer[k] / math.sqrt(length)
    w = _quaternion_rate(buffer, 0, m)
    w_dot = added(_quaternion_rate(buffer, 0, 2 * m), -2.0 * grown / length, w)
    put_vector(v, o_v, w)
    put_vector(x, o_v, w_dot)
    if kind == field.FREE:
        R = quaternion_rotation(q[o_q], q[o_q + 1], q[o_q + 2], q[o_q + 3])
        u = turn_back(R, vector(buffer, m + 4))
        put_vector(v, o_v + 3, u)
        a = turn_back(R, vector(buffer, 2 * m + 4))
        put_vector(x, o_v + 3, added(a, -1.0, cross(w, u)))


@uncounted
def _quaternion_rate(x, o, p):
    """Vector 2 vec(q* r) / |q|^2 of the quaternions at x[o] and x[p]."""
    a, b, c, d = x[o], x[o + 1], x[o + 2], x[o + 3]
    e, f, g, h = x[p], x[p + 1], x[p + 2], x[p + 3]
    s = 2.0 / (a * a + b * b + c * c + d * d)
    return (
        s * (a * f - b * e - c * h + d * g),
        s * (a * g + b * h - c * e - d * f),
        s * (a * h - b * g + c * f - d * e),
    )
