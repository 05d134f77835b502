"""Contact of flat faces as a load on two slots: force, change and gap, from `contact.faces`.

  N = G_1,   x = origin + (G_x t + G_y u) / N,   f = N n + F                                  (1)
with G of `contact.faces`; x is the centre of pressure, in the plane of b.  Friction acts there by
the slip of the material at x; spin is resisted as by a patch with Hertz's pressure that has the
same moment as a circle with the radius of gyration of the pressure:

  a^2 = s (G_xx+yy / N - |x - origin|^2),   s = 2 (32 / (9 pi))^2                              (2)

since 3 pi / 16 a is 2/3 of the radius R of a circle with uniform pressure, whose radius of gyration
squared is R^2 / 2; for a square the moment is then 0.6 % too large.
"""

from __future__ import annotations

import math

from ..compiling import uncounted
from ..contact.face_gaps import face_gap
from ..contact.faces import (
    AREA,
    CHANGE,
    RADIUS,
    add_pressures,
    approach,
    face_frame,
    relative_motion,
)
from ..contact.friction import patch
from ..contact.law import latched_damping, latched_slope
from ..contact.pairs_cores import FLAT
from ..contact.witness import (
    contact_change,
    contact_force,
    point_velocity,
    slot_motion,
    small_motion,
    velocity_change,
)
from ..layout import contact
from ..layout.contact import ContactNumbers, ContactOutput, TouchRecord
from ..small import ZERO, add, added, cross, dot, product, scaled, turn
from .slots import add_change, add_wrench

PRESSURE = 6  # place of the stiffness per area in the numbers of its law
SPIN_SHAPE = 2.0 * (32.0 / (9.0 * math.pi)) ** 2  # s of (2)
STILL = (ZERO, ZERO, ZERO)


@uncounted
def _poses(numbers, slot_a, slot_b):
    """Attitudes and places of both shapes in the world."""
    return (
        product(slot_a[0], numbers.R_a), add(slot_a[1], turn(slot_a[0], numbers.p_a)),
        product(slot_b[0], numbers.R_b), add(slot_b[1], turn(slot_b[0], numbers.p_b)),
    )  # fmt: skip


@uncounted
def _frame(numbers, table, poses):
    """Face of b that bears, see `face_frame`."""
    R_a, p_a, R_b, p_b = poses
    return face_frame(table, int(numbers.shape_a), int(numbers.shape_b), R_a, p_a, R_b, p_b)


@uncounted
def _damping(numbers, table, memory, load, rate):
    """Damping a of a contact, and its derivative by the rate of approach of the origin of a."""
    touch, c = TouchRecord(memory, load.touch), int(numbers.law)
    if touch.state == contact.CLOSED or touch.state == contact.QUIET:
        return latched_damping(table, c, touch.entry), 0.0
    return latched_damping(table, c, rate), latched_slope(table, c, rate)


@uncounted
def _press(numbers, table, poses, frame, grow, motion, changes, buffer):
    """Write the sums of `add_pressures`."""
    R_a, p_a, R_b, p_b = poses
    k = table[int(numbers.law) + PRESSURE]
    s_a = int(numbers.shape_a)
    add_pressures(table, s_a, R_a, p_a, R_b, p_b, frame, k, grow, motion, changes, buffer)


@uncounted
def _center(p_a, frame, buffer):
    """Centre of pressure: its coordinates in the plane, and in the world."""
    _bearing, t, u, n, q = frame
    x, y = buffer[1] / buffer[0], buffer[2] / buffer[0]
    foot = added(p_a, -dot(n, added(p_a, -1.0, q)), n)
    return x, y, add(foot, add(scaled(x, t), scaled(y, u)))


@uncounted
def _witness_at(x, frame):
    """Witness of a contact at a point of the plane of b."""
    _bearing, t, u, n, _q = frame
    return 0.0, n, x, x, t, u, FLAT, FLAT


@uncounted
def _slip(slot_a, slot_b, n, x):
    """Velocity of a relative to b at x, its part along the surface, and relative turning."""
    v = added(point_velocity(slot_a, x), -1.0, point_velocity(slot_b, x))
    return v, added(v, -dot(n, v), n), added(slot_a[2], -1.0, slot_b[2])


@uncounted
def _radius(buffer, x, y):
    """Radius a of (2)."""
    return math.sqrt(max(SPIN_SHAPE * (buffer[3] / buffer[0] - x * x - y * y), 0.0))


@uncounted
def add_face_contact(load, table, memory, signals, work, a, b, states, o):
    """Add the wrenches of a contact of faces to its slots, and write its channels."""
    numbers = ContactNumbers(table, load.constants)
    slot_a, slot_b = slot_motion(work, a), slot_motion(work, b)
    channels, poses = ContactOutput(states, o), _poses(numbers, slot_a, slot_b)
    frame = _frame(numbers, table, poses)
    gap, x, _e = face_gap(
        table, int(numbers.shape_a), poses[0], poses[1], poses[2], poses[3], frame, signals
    )
    n = frame[3]
    channels.gap = gap
    if gap > 0.0:
        channels.point, channels.slip = x, _slip(slot_a, slot_b, n, x)[1]
        return
    rate = approach(frame, poses[1], slot_a, slot_b)
    damping, _slope = _damping(numbers, table, memory, load, rate[0])
    grow = 1.0 + damping * rate[0], damping * rate[1], damping * rate[2]
    _press(numbers, table, poses, frame, grow, STILL, False, signals)
    N = signals[0]
    if not N > 0.0:
        channels.point, channels.slip = x, _slip(slot_a, slot_b, n, x)[1]
        return
    s, r, x = _center(poses[1], frame, signals)
    _v, v_t, turning = _slip(slot_a, slot_b, n, x)
    F, M = ZERO, ZERO
    if numbers.slip != 0.0:
        w = dot(n, turning)
        A, B, _A_v, _A_w, _B_w, _A_a, _B_a = patch(
            table, int(numbers.slip), dot(v_t, v_t), w, _radius(signals, s, r)
        )
        F, M = scaled(-N * A, v_t), scaled(-N * B * w, n)
    n_a, f_a, n_b, f_b = contact_force(_witness_at(x, frame), slot_a, slot_b, N, F, M)
    add_wrench(work, a, n_a, f_a)
    add_wrench(work, b, n_b, f_b)
    channels.point, channels.slip = x, v_t
    channels.press, channels.force = N, added(F, N, n)
    channels.patch = math.sqrt(signals[AREA] / math.pi)


@uncounted
def add_face_contact_change(
    load, table, memory, signals, work, a, b, motion, m_a, m_b, out, o_a, o_b
):
    """Add the changes of the wrenches of a contact of faces by small motions of its slots."""
    size = 0.0
    for j in range(12):
        size += abs(motion[m_a + j]) + abs(motion[m_b + j])
    if size == 0.0:
        return
    numbers = ContactNumbers(table, load.constants)
    slot_a, slot_b = slot_motion(work, a), slot_motion(work, b)
    small_a, small_b = small_motion(motion, m_a), small_motion(motion, m_b)
    poses = _poses(numbers, slot_a, slot_b)
    frame = _frame(numbers, table, poses)
    rate = approach(frame, poses[1], slot_a, slot_b)
    damping, slope = _damping(numbers, table, memory, load, rate[0])
    grow = 1.0 + damping * rate[0], damping * rate[1], damping * rate[2]
    U, turned, dr = relative_motion(frame, poses[1], slot_a, slot_b, small_a, small_b)
    da = slope * dr[0]
    by = added(scaled(damping, dr), da, rate)
    _press(numbers, table, poses, frame, grow, (U, turned, by), True, signals)
    N, dN = signals[0], signals[CHANGE]
    if not N > 0.0:
        return
    n, dn = frame[3], cross(small_b[0], frame[3])
    s, r, x = _center(poses[1], frame, signals)
    ds, dr_ = (signals[CHANGE + 1] - s * dN) / N, (signals[CHANGE + 2] - r * dN) / N
    dx = add(small_b[1], cross(small_b[0], added(x, -1.0, slot_b[1])))
    dx = add(dx, add(scaled(ds, frame[1]), scaled(dr_, frame[2])))
    F, M, dF, dM = ZERO, ZERO, ZERO, ZERO
    if numbers.slip != 0.0:
        v, v_t, turning = _slip(slot_a, slot_b, n, x)
        dv = added(
            velocity_change(slot_a, small_a, x, dx), -1.0, velocity_change(slot_b, small_b, x, dx)
        )
        dv_t = added(added(dv, -dot(dn, v) - dot(n, dv), n), -dot(n, v), dn)
        w = dot(n, turning)
        dw = dot(dn, turning) + dot(n, added(small_a[2], -1.0, small_b[2]))
        radius = _radius(signals, s, r)
        d_square = (signals[CHANGE + 3] - signals[3] / N * dN) / N - 2.0 * (s * ds + r * dr_)
        d_radius = 0.5 * SPIN_SHAPE * d_square / radius if radius > 0.0 else 0.0
        A, B, A_v, A_w, B_w, A_a, B_a = patch(table, int(numbers.slip), dot(v_t, v_t), w, radius)
        along = dot(v_t, dv_t)
        F, M = scaled(-N * A, v_t), scaled(-N * B * w, n)
        of_v = N * (A_v * along + A_w * dw + A_a * d_radius) + dN * A
        dF = added(scaled(-N * A, dv_t), -of_v, v_t)
        of_n = N * (A_w * along + B_w * dw + w * B_a * d_radius) + dN * B * w
        dM = added(scaled(-N * B * w, dn), -of_n, n)
    n_a, f_a, n_b, f_b = contact_change(
        _witness_at(x, frame), slot_a, slot_b, small_a, small_b, dn, dx, N, F, M, dN, dF, dM
    )
    add_change(out, o_a, n_a, f_a)
    add_change(out, o_b, n_b, f_b)


@uncounted
def face_gap_motion(numbers, table, memory, load, slot_a, slot_b, buffer):
    """Gap, its rate, normal force, largest relative speed of points, and slip, as `gap_motion`."""
    poses = _poses(numbers, slot_a, slot_b)
    frame = _frame(numbers, table, poses)
    s_a = int(numbers.shape_a)
    gap, x, e = face_gap(table, s_a, poses[0], poses[1], poses[2], poses[3], frame, buffer)
    v = added(point_velocity(slot_a, x), -1.0, point_velocity(slot_b, x))
    w = added(slot_a[2], -1.0, slot_b[2])
    speed = math.sqrt(dot(v, v)) + 2.0 * table[s_a + RADIUS] * math.sqrt(dot(w, w))
    N, at = 0.0, x
    if gap < 0.0:
        rate = approach(frame, poses[1], slot_a, slot_b)
        damping, _slope = _damping(numbers, table, memory, load, rate[0])
        grow = 1.0 + damping * rate[0], damping * rate[1], damping * rate[2]
        _press(numbers, table, poses, frame, grow, STILL, False, buffer)
        N = max(buffer[0], 0.0)
        if N > 0.0:
            _x, _y, at = _center(poses[1], frame, buffer)
    _v, v_t, _turning = _slip(slot_a, slot_b, frame[3], at)
    return gap, dot(e, v), N, speed, math.sqrt(dot(v_t, v_t))


@uncounted
def face_witness(numbers, table, slot_a, slot_b, buffer):
    """Witness of the point of `face_gap`, with its vector as the normal."""
    poses = _poses(numbers, slot_a, slot_b)
    frame = _frame(numbers, table, poses)
    s_a = int(numbers.shape_a)
    _gap, x, e = face_gap(table, s_a, poses[0], poses[1], poses[2], poses[3], frame, buffer)
    return 0.0, e, x, x, frame[1], frame[2], FLAT, FLAT


@uncounted
def open_faces(numbers, table, slot_a, slot_b, buffer):
    """Gap, its point, and the slip there of a contact without force."""
    poses = _poses(numbers, slot_a, slot_b)
    frame = _frame(numbers, table, poses)
    s_a = int(numbers.shape_a)
    gap, x, _e = face_gap(table, s_a, poses[0], poses[1], poses[2], poses[3], frame, buffer)
    return gap, x, _slip(slot_a, slot_b, frame[3], x)[1]
