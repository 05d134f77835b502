"""A contact as a load on two slots: its force, the change of it, and its gap.

  f = N n + F,   N = law(-g, -g'),   F = -N A v                                               (1)
  M = -N B w n - N m (omega - w n),   w = n . omega                                           (2)
at the common point of `contact.witness`, omega being the rate at which the body at a turns relative
to that at b.  Without a patch A is mu(|v|) / |v| and B zero; with one, of radius a, a^2 = d R, spin
and slip share the friction.  1 / R is the mean of the relative curvatures.
"""

from __future__ import annotations

import math

from ..compiling import CompiledEntry, uncounted
from ..contact.friction import ROLLING, SPIN, patch, rolling, slip
from ..contact.law import elastic, latched_damping, latched_slope, law_damped
from ..contact.pairs import pair_witness
from ..contact.witness import (
    contact_change,
    contact_force,
    contact_motion,
    contact_motion_change,
    point_velocity,
    slot_motion,
    small_motion,
)
from ..layout import contact
from ..layout.contact import ContactNumbers, ContactOutput, TouchRecord
from ..small import (
    ZERO,
    add,
    added,
    cross,
    dot,
    matrix,
    product,
    put_vector,
    scaled,
    turn,
    vector,
)
from .slots import SLOT_WRENCH, add_change, add_wrench

FAR = 2.0  # distance of the centres, in sums of the radii of the balls about them, that is far


@uncounted
def shapes_witness(numbers, table, slot_a, slot_b):
    """Witness of a contact whose slots are in these poses."""
    return pair_witness(
        int(numbers.pair), table, int(numbers.shape_a), int(numbers.shape_b),
        product(slot_a[0], numbers.R_a), add(slot_a[1], turn(slot_a[0], numbers.p_a)),
        product(slot_b[0], numbers.R_b), add(slot_b[1], turn(slot_b[0], numbers.p_b)),
    )  # fmt: skip


@uncounted
def _between_centers(numbers, slot_a, slot_b):
    """Vector from the centre of the ball about the shape at b to that at a."""
    x_a = add(slot_a[1], turn(slot_a[0], numbers.center_a))
    return added(x_a, -1.0, add(slot_b[1], turn(slot_b[0], numbers.center_b)))


@uncounted
def gap_motion(load, table, memory, work, a, b, exact):
    """Gap, its rate, normal force, largest relative speed of the points, and slip.

    Where the shapes are far apart and this need not be exact, the gap of the balls about them.
    """
    numbers = ContactNumbers(table, load.constants)
    slot_a, slot_b = slot_motion(work, a), slot_motion(work, b)
    if not exact and numbers.ball < math.inf:
        d = _between_centers(numbers, slot_a, slot_b)
        distance = math.sqrt(dot(d, d))
        if distance > FAR * numbers.ball:
            v = add(slot_a[3], cross(slot_a[2], turn(slot_a[0], numbers.center_a)))
            v_b = add(slot_b[3], cross(slot_b[2], turn(slot_b[0], numbers.center_b)))
            v = added(v, -1.0, v_b)
            w = added(slot_a[2], -1.0, slot_b[2])
            speed = math.sqrt(dot(v, v)) + math.sqrt(dot(w, w)) * numbers.ball
            return distance - numbers.ball, dot(d, v) / distance, 0.0, speed, speed
    witness = shapes_witness(numbers, table, slot_a, slot_b)
    _x, _v, rate, v_t, turning = contact_motion(witness, slot_a, slot_b)
    N, _by_depth, _by_rate = normal_force(numbers, table, memory, load, witness[0], rate)
    v = added(point_velocity(slot_a, witness[2]), -1.0, point_velocity(slot_b, witness[3]))
    speed = math.sqrt(dot(v, v))
    if numbers.ball < math.inf:
        speed += math.sqrt(dot(turning, turning)) * numbers.ball
    return witness[0], rate, N, speed, math.sqrt(dot(v_t, v_t))


@uncounted
def normal_force(numbers, table, memory, load, gap, rate):
    """Normal force and its slopes by depth and by rate of depth.

    Before a contact closes its speed of approach is the present one.
    """
    touch, c = TouchRecord(memory, load.touch), int(numbers.law)
    if touch.state == contact.CLOSED or touch.state == contact.QUIET:
        return law_damped(table, c, -gap, -rate, latched_damping(table, c, touch.entry))
    N, by_depth, by_rate = law_damped(table, c, -gap, -rate, latched_damping(table, c, -rate))
    if N > 0.0:
        force, _slope = elastic(table, c, -gap)
        by_rate -= force * rate * latched_slope(table, c, -rate)
    return N, by_depth, by_rate


@uncounted
def gap_between(numbers, table, slot_a, slot_b):
    """Gap of two shapes whose slots are in these poses; of far ones that of balls about them."""
    if numbers.ball < math.inf:
        d = _between_centers(numbers, slot_a, slot_b)
        distance = math.sqrt(dot(d, d))
        if distance > FAR * numbers.ball:
            return distance - numbers.ball
    return shapes_witness(numbers, table, slot_a, slot_b)[0]


@uncounted
def _radius(witness):
    """Radius of the patch, and its derivative by the gap."""
    curvature = 0.5 * (witness[6][0] + witness[6][2] + witness[7][0] + witness[7][2])
    if not (curvature > 0.0 and witness[0] < 0.0):
        return 0.0, 0.0
    radius = math.sqrt(-witness[0] / curvature)
    return radius, 0.5 * radius / witness[0]


@uncounted
def add_contact(load, table, memory, signals, work, a, b, states, o):  # noqa: ARG001
    """Add the wrenches of a contact to its slots, and write its channels."""
    numbers = ContactNumbers(table, load.constants)
    slot_a, slot_b = slot_motion(work, a), slot_motion(work, b)
    channels = ContactOutput(states, o)
    if numbers.ball < math.inf:
        d = _between_centers(numbers, slot_a, slot_b)
        distance = math.sqrt(dot(d, d))
        if distance > FAR * numbers.ball:
            channels.gap = distance - numbers.ball
            return
    witness = shapes_witness(numbers, table, slot_a, slot_b)
    x, _v, rate, v_t, turning = contact_motion(witness, slot_a, slot_b)
    channels.gap, channels.point, channels.slip = witness[0], x, v_t
    N, _by_depth, _by_rate = normal_force(numbers, table, memory, load, witness[0], rate)
    if N == 0.0:
        return
    F, M = ZERO, ZERO
    if numbers.slip != 0.0:
        F, M = _friction(numbers, table, witness, N, v_t, turning)
    n_a, f_a, n_b, f_b = contact_force(witness, slot_a, slot_b, N, F, M)
    add_wrench(work, a, n_a, f_a)
    add_wrench(work, b, n_b, f_b)
    channels.press, channels.force = N, added(F, N, witness[1])
    channels.patch = _radius(witness)[0]


@uncounted
def put_open_contact(load, table, work, a, b, states, o):
    """Write the channels of a contact without force: exact, however far apart its shapes are."""
    channels = ContactOutput(states, o)
    if channels.press != 0.0:
        return
    slot_a, slot_b = slot_motion(work, a), slot_motion(work, b)
    witness = shapes_witness(ContactNumbers(table, load.constants), table, slot_a, slot_b)
    x, _v, _rate, v_t, _turning = contact_motion(witness, slot_a, slot_b)
    channels.gap, channels.point, channels.slip = witness[0], x, v_t


@uncounted
def _friction(numbers, table, witness, N, v, turning):
    """Friction F and moment M of (1), (2)."""
    c, n = int(numbers.slip), witness[1]
    w = dot(n, turning)
    if table[c + SPIN] != 0.0:
        radius, _by_gap = _radius(witness)
        A, B, _A_v, _A_w, _B_w, _A_a, _B_a = patch(table, c, dot(v, v), w, radius)
        F, M = scaled(-N * A, v), scaled(-N * B * w, n)
    else:
        m, _m_v = slip(table, c, dot(v, v))
        F, M = scaled(-N * m, v), ZERO
    if table[c + ROLLING] != 0.0:
        across = added(turning, -w, n)
        m, _m_w = rolling(table, c, dot(across, across))
        M = added(M, -N * m, across)
    return F, M


@uncounted
def add_contact_change(load, table, memory, signals, work, a, b, motion, m_a, m_b, out, o_a, o_b):  # noqa: ARG001
    """Add the changes of the wrenches of a contact by small motions of its slots."""
    numbers = ContactNumbers(table, load.constants)
    slot_a, slot_b = slot_motion(work, a), slot_motion(work, b)
    witness = shapes_witness(numbers, table, slot_a, slot_b)
    _x, _v, rate, v_t, turning = contact_motion(witness, slot_a, slot_b)
    N, by_depth, by_rate = normal_force(numbers, table, memory, load, witness[0], rate)
    if N == 0.0:
        return
    small_a, small_b = small_motion(motion, m_a), small_motion(motion, m_b)
    dg, dn, dx, d_rate, d_slip, d_turning = contact_motion_change(
        witness, slot_a, slot_b, small_a, small_b
    )
    dN = -by_depth * dg - by_rate * d_rate
    F, M, dF, dM = ZERO, ZERO, ZERO, ZERO
    if numbers.slip != 0.0:
        F, M = _friction(numbers, table, witness, N, v_t, turning)
        dF, dM = friction_change(
            numbers, table, witness, N, v_t, turning, dN, dg, dn, d_slip, d_turning
        )
    n_a, f_a, n_b, f_b = contact_change(
        witness, slot_a, slot_b, small_a, small_b, dn, dx, N, F, M, dN, dF, dM
    )
    add_change(out, o_a, n_a, f_a)
    add_change(out, o_b, n_b, f_b)


@uncounted
def friction_change(numbers, table, witness, N, v, turning, dN, dg, dn, dv, d_turning):
    """Changes of friction and moment of (1), (2)."""
    c, n = int(numbers.slip), witness[1]
    w = dot(n, turning)
    dw, along = dot(dn, turning) + dot(n, d_turning), dot(v, dv)
    if table[c + SPIN] != 0.0:
        radius, by_gap = _radius(witness)
        A, B, A_v, A_w, B_w, A_a, B_a = patch(table, c, dot(v, v), w, radius)
        da = by_gap * dg
        of_v = N * (A_v * along + A_w * dw + A_a * da) + dN * A
        dF = added(scaled(-N * A, dv), -of_v, v)
        of_n = N * (A_w * along + B_w * dw + w * B_a * da) + dN * B * w
        dM = added(scaled(-N * B * w, dn), -of_n, n)
    else:
        m, m_v = slip(table, c, dot(v, v))
        dF = added(scaled(-N * m, dv), -N * m_v * along - dN * m, v)
        dM = ZERO
    if table[c + ROLLING] != 0.0:
        across = added(turning, -w, n)
        change = added(added(d_turning, -dw, n), -w, dn)
        m, m_w = rolling(table, c, dot(across, across))
        of_across = N * m_w * dot(across, change) + dN * m
        dM = added(added(dM, -N * m, change), -of_across, across)
    return dF, dM


@uncounted
def put_unit_forces(load, table, work, a, b):
    """Put a unit force along the normal on the slots of a contact, as wrenches."""
    numbers = ContactNumbers(table, load.constants)
    slot_a, slot_b = slot_motion(work, a), slot_motion(work, b)
    witness = shapes_witness(numbers, table, slot_a, slot_b)
    n_a, f_a, n_b, f_b = contact_force(witness, slot_a, slot_b, 1.0, ZERO, ZERO)
    put_vector(work, a + SLOT_WRENCH, n_a)
    put_vector(work, a + SLOT_WRENCH + 3, f_a)
    put_vector(work, b + SLOT_WRENCH, n_b)
    put_vector(work, b + SLOT_WRENCH + 3, f_b)


WITNESS_SIZE = 22  # gap, normal, two points, two tangents, two shape operators


@uncounted
def closest_points(number, table, s_a, s_b, poses, out):
    """Write the witness of a pair of shapes; poses: attitude and place of a, then of b."""
    g, n, x_a, x_b, t, u, S_a, S_b = pair_witness(
        number, table, s_a, s_b,
        matrix(poses, 0), vector(poses, 9), matrix(poses, 12), vector(poses, 21),
    )  # fmt: skip
    out[0] = g
    put_vector(out, 1, n)
    put_vector(out, 4, x_a)
    put_vector(out, 7, x_b)
    put_vector(out, 10, t)
    put_vector(out, 13, u)
    put_vector(out, 16, S_a)
    put_vector(out, 19, S_b)
    return 0


CLOSEST_POINTS = CompiledEntry(
    closest_points,
    "int64(int64, float64[::1], int64, int64, float64[::1], float64[::1])",
    "closest points of shapes",
)
