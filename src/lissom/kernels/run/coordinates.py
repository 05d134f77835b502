"""Coordinates after a motion, on the group of each joint.

A step uses local coordinates s (n_v numbers, zero at its start):
  plain joints   q = q0 + s                                                          (1)
  ball           quaternion q0 exp(s/2)                                              (2)
  free           attitude as (2), position p0 + R0 J_l(s_w) s_v: the group SE(3)     (3)
  products of exponentials, joints of users' own  q = q0 + s, qdot = Gamma(q) v  (4)
Their rates: plain s' = v; ball s' = J_r(s)^-1 w; free s_v' from R0^T p' = exp(s_w) v;
products and own s' = Gamma(q) v.  An own joint may have more coordinates than speeds: its s are
further numbers, after the n_v of the speeds.  `moved` is for methods with one constant motion
x = integral of v over the step: the same except for (4), which it replaces by the midpoint rule.
The error of that is at most about 2/3 of its distance from the trapezoidal rule (`moved_error`).
"""

from __future__ import annotations

import math

from .. import fields as field
from ..compiling import jit
from ..fields import POSITIVE
from ..layout import run
from ..small import (
    IDENTITY,
    ZERO,
    add,
    added,
    cross,
    dot,
    one_plus,
    product,
    put_vector,
    quaternion_rotation,
    rotation_coefficients,
    scaled,
    turn,
    turn_back,
    vector,
)
from ..tree.own_joints import own_rates

DONE = 0


@jit
def charted(plan, q0, s, q):
    """Write the coordinates q for local coordinates s (1)-(4)."""
    head = run.PlanHeader(plan, 0)
    _plain(plan, q0, s, q)
    for k in range(head.specials.count):
        chart = run.ChartRow(plan, head.specials.first, k)
        o_q, o_v, kind = chart.q, chart.v, chart.kind
        if kind == run.BALL or kind == run.POSE:
            _turned(q0, o_q, s, o_v, q)
            if kind == run.POSE:
                _shifted(q0, o_q, s, o_v, q)
        else:
            o_s = chart.local
            for j in range(chart.n_q):
                q[o_q + j] = q0[o_q + j] + s[o_s + j]


@jit
def moved(plan, table, q0, s, q, buffer):
    """Write the coordinates q after the motion s, an integral of speeds."""
    head = run.PlanHeader(plan, 0)
    _plain(plan, q0, s, q)
    for k in range(head.specials.count):
        chart = run.ChartRow(plan, head.specials.first, k)
        o_q, o_v, kind = chart.q, chart.v, chart.kind
        if kind == run.BALL or kind == run.POSE:
            _turned(q0, o_q, s, o_v, q)
            if kind == run.POSE:
                _shifted(q0, o_q, s, o_v, q)
            continue
        n, half = chart.n_q, (head.buffer - run.HALF) & POSITIVE
        for j in range(n):
            q[o_q + j] = q0[o_q + j]
        o = _mapped_rates(table, chart, q, s, buffer)
        if o < 0:
            return field.SINGULAR
        for j in range(n):  # q and q0 may be the same array
            buffer[half + j] = 0.5 * buffer[o + j]
            q[o_q + j] += buffer[half + j]
        o = _mapped_rates(table, chart, q, s, buffer)
        if o < 0:
            return field.SINGULAR
        for j in range(n):
            q[o_q + j] += buffer[o + j] - buffer[half + j]
    return DONE


@jit
def moved_error(plan, table, memory, q0, s, q, weights, buffer):
    """Largest error of the coordinates (4) that `moved` found, in units of the tolerance.

    d = (Gamma(q0) + Gamma(q)) s / 2 - (q - q0)      error <= 2/3 |d|
    """
    head = run.PlanHeader(plan, 0)
    n_v, worst = len(weights) // 2, 0.0
    for k in range(head.specials.count):
        chart = run.ChartRow(plan, head.specials.first, k)
        o_q, kind = chart.q, chart.kind
        if kind == run.BALL or kind == run.POSE:
            continue
        n, half = chart.n_q, (head.buffer - run.HALF) & POSITIVE
        o_s = chart.local
        o = _mapped_rates(table, chart, q, s, buffer)
        for j in range(n if o >= 0 else 0):
            buffer[half + j] = buffer[o + j]
        o = _mapped_rates(table, chart, q0, s, buffer) if o >= 0 else o
        for j in range(n if o >= 0 else 0):
            d = 0.5 * (buffer[o + j] + buffer[half + j]) - (q[o_q + j] - q0[o_q + j])
            i = o_s + j
            w = weights[i] if i < n_v else table[head.weights + n_v + i]
            if not abs(d) / w <= 1.5 * worst:
                worst = abs(d) / (1.5 * w)
                memory[run.WORST] = float(chart.v)
    return worst


@jit
def largest_difference(plan, table, q, other, weights):
    """Largest difference of coordinates (4) in units of the tolerance, and the speed it is of."""
    head = run.PlanHeader(plan, 0)
    n_v, worst, which = len(weights) // 2, 0.0, 0
    for k in range(head.specials.count):
        chart = run.ChartRow(plan, head.specials.first, k)
        o_q, o_s = chart.q, chart.local
        if chart.kind == run.BALL or chart.kind == run.POSE:
            continue
        for j in range(chart.n_q):
            i = o_s + j
            w = weights[i] if i < n_v else table[head.weights + n_v + i]
            d = abs(q[o_q + j] - other[o_q + j]) / w
            if not d <= worst:
                worst, which = d, chart.v
    return worst, which


@jit
def chart_rates(plan, table, s, q, v, out, buffer):
    """Write the rates of the local coordinates s at speeds v."""
    head = run.PlanHeader(plan, 0)
    for k in range(head.plains.count):
        chart = run.ChartRow(plan, head.plains.first, k)
        o_v = chart.v
        for j in range(chart.n):
            out[o_v + j] = v[o_v + j]
    for k in range(head.specials.count):
        chart = run.ChartRow(plan, head.specials.first, k)
        o_v, kind = chart.v, chart.kind
        if kind == run.BALL or kind == run.POSE:
            theta, w = vector(s, o_v), vector(v, o_v)
            rate = _right_inverse(theta, w)
            put_vector(out, o_v, rate)
            if kind == run.POSE:
                put_vector(
                    out, o_v + 3, _pose_rate(theta, rate, vector(s, o_v + 3), vector(v, o_v + 3))
                )
        else:
            o, o_s = _mapped_rates(table, chart, q, v, buffer), chart.local
            if o < 0:
                return field.SINGULAR
            for j in range(chart.n):
                out[o_v + j] = 0.0  # those of own joints are further numbers
            for j in range(chart.n_q):
                out[o_s + j] = buffer[o + j]
    return DONE


@jit
def _mapped_rates(table, chart, q, v, buffer):
    """Write Gamma(q) v of a joint (4); its offset in the buffer, -1 if that fails."""
    o_q, o_v = chart.q, chart.v
    c = chart.constants
    if chart.kind == run.MAPPED:
        return own_rates(table, c, q, o_q, v, o_v, buffer)
    status = product_rates(table, c, chart.n, q, o_q, v, o_v, buffer, 0)
    return 0 if status == DONE else -1


@jit
def _plain(plan, q0, s, q):
    head = run.PlanHeader(plan, 0)
    for k in range(head.plains.count):
        chart = run.ChartRow(plan, head.plains.first, k)
        o_q, o_v = chart.q, chart.v
        for j in range(chart.n):
            q[o_q + j] = q0[o_q + j] + s[o_v + j]


@jit
def _turned(q0, o, s, o_v, q):
    """Quaternion q0 exp(s/2), of unit length (2)."""
    x, y, z = s[o_v], s[o_v + 1], s[o_v + 2]
    t2 = 0.25 * (x * x + y * y + z * z)
    if t2 < 1e-4:
        c = 1.0 - t2 * (0.5 - t2 * (1.0 / 24 - t2 / 720))
        f = 0.5 * (1.0 - t2 * (1.0 / 6 - t2 * (1.0 / 120 - t2 / 5040)))
    else:
        t = math.sqrt(t2)
        c, f = math.cos(t), 0.5 * math.sin(t) / t
    x, y, z = f * x, f * y, f * z
    a, b, d, e = q0[o], q0[o + 1], q0[o + 2], q0[o + 3]
    w = a * c - b * x - d * y - e * z
    i = a * x + b * c + d * z - e * y
    j = a * y - b * z + d * c + e * x
    k = a * z + b * y - d * x + e * c
    n = 1.0 / math.sqrt(w * w + i * i + j * j + k * k)
    q[o], q[o + 1], q[o + 2], q[o + 3] = n * w, n * i, n * j, n * k


@jit
def _shifted(q0, o, s, o_v, q):
    """Position p0 + R0 J_l(s_w) s_v (3)."""
    theta = vector(s, o_v)
    _a, b, c, _b1, _c1 = rotation_coefficients(dot(theta, theta))
    R0 = quaternion_rotation(q0[o], q0[o + 1], q0[o + 2], q0[o + 3])
    moved = turn(R0, turn(one_plus(b, c, theta), vector(s, o_v + 3)))
    put_vector(q, o + 4, add(vector(q0, o + 4), moved))


@jit
def _left_inverse(theta, x):
    """Product J_l(theta)^-1 x = x - theta x x/2 + d theta x (theta x x)."""
    t2 = dot(theta, theta)
    if t2 < 0.04:
        d = 1.0 / 12 + t2 * (1.0 / 720 + t2 * (1.0 / 30240 + t2 * (1.0 / 1209600 + t2 / 47900160)))
    else:
        t = math.sqrt(t2)
        d = (1.0 - 0.5 * t * math.sin(t) / (1.0 - math.cos(t))) / t2
    y = cross(theta, x)
    return added(added(x, -0.5, y), d, cross(theta, y))


@jit
def _right_inverse(theta, x):
    """Product J_r(theta)^-1 x."""
    return _left_inverse(scaled(-1.0, theta), x)


@jit
def _pose_rate(theta, theta_dot, rho, v):
    """Rate of s_v: J_l rho' = exp(theta) v - (dJ_l/dt) rho."""
    a, b, c, b1, c1 = rotation_coefficients(dot(theta, theta))
    s = dot(theta, theta_dot)
    x = cross(theta, rho)
    change = added(scaled(b1 * s, x), b, cross(theta_dot, rho))
    change = added(change, c1 * s, cross(theta, x))
    change = added(change, c, add(cross(theta_dot, x), cross(theta, cross(theta_dot, rho))))
    return _left_inverse(theta, added(turn(one_plus(a, b, theta), v), -1.0, change))


@jit
def product_rates(table, c, n, q, o_q, v, o_v, buffer, o):
    """Write Gamma(q) v of one simple joint of n motions to buffer[o:]; SINGULAR if undefined.

    table[c:]: the columns of H, six numbers each, then those of the left inverse of H.
    (H^+ B) eps_dot = beta, column j of B is Ad(U_(j-1)^-1) h_j: see `joints.exponential`.
    """
    R, r = IDENTITY, ZERO
    m = o + n  # the matrix [H^+ B | beta], rows of n + 1
    for j in range(n):
        h_w, h_v = vector(table, c + 6 * j), vector(table, c + 6 * j + 3)
        b_w = turn_back(R, h_w)
        b_v = turn_back(R, add(h_v, cross(h_w, r)))
        for i in range(n):
            p_w, p_v = vector(table, c + 6 * n + 6 * i), vector(table, c + 6 * n + 6 * i + 3)
            buffer[m + i * (n + 1) + j] = dot(p_w, b_w) + dot(p_v, b_v)
        eps = q[o_q + j]
        theta = scaled(eps, h_w)
        a, b, d, _b1, _c1 = rotation_coefficients(dot(theta, theta))
        R_j = one_plus(a, b, theta)
        r = add(turn(R_j, r), turn(one_plus(b, d, theta), scaled(eps, h_v)))
        R = product(R_j, R)
    for i in range(n):
        buffer[m + i * (n + 1) + n] = v[o_v + i]
    return eliminate(buffer, m, n, o)


@jit
def eliminate(x, m, n, o):
    """Write the solution of the n x n system at x[m:], rows of n + 1, to x[o:]; pivots rows."""
    w = n + 1
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(x[m + i * w + k]) > abs(x[m + best * w + k]):
                best = i
        if not abs(x[m + best * w + k]) > 1e-12:
            return field.SINGULAR
        for j in range(w):
            x[m + k * w + j], x[m + best * w + j] = x[m + best * w + j], x[m + k * w + j]
        for i in range(k + 1, n):
            f = x[m + i * w + k] / x[m + k * w + k]
            for j in range(k, w):
                x[m + i * w + j] -= f * x[m + k * w + j]
    for k in range(n - 1, -1, -1):
        y = x[m + k * w + n]
        for j in range(k + 1, n):
            y -= x[m + k * w + j] * x[o + j]
        x[o + k] = y / x[m + k * w + k]
    return DONE
