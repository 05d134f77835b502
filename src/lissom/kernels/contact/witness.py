"""Contact at the witness of a pair: how it changes with small motions, and the wrench it makes.

Signs: gap g > 0 apart; n outward from b; the force f = N n + F acts on a, and -f on b, both at the
point x in the middle of x_a and x_b, so that momentum is kept.  With small turns theta and shifts
of the bodies, u the displacement of the material points at x_a and x_b, T = (t, u) the tangents,
w = T'(theta x n), d = T'(u_a - u_b), the points move over the surfaces by s:

  (S_a + S_b + g S_a S_b) s_b = w_a - w_b - g S_a w_b + S_a d                                 (1)
  s_a = (1 + g S_b) s_b + g w_b - d                                                           (2)
  dg = n . (u_a - u_b),   dn = T (w_b + S_b s_b),   dx = u + T s                              (3)

since both normals stay opposite, w_b + S_b s_b = w_a - S_a s_a, and d + s_a - s_b = g T'dn.

What is called a slot here is (R, o, omega, v): attitude, position and velocities of a body or node
in the world; a small motion of it is (turn, shift, change of omega, change of v) about o.
"""

from __future__ import annotations

from ..compiling import uncounted
from ..small import add, added, cross, dot, matrix, scaled, turn_back, vector

SINGULAR = 1e-14  # of a determinant, in its products
NOTHING = 1e-26  # of a determinant, in squared entries


@uncounted
def slot_motion(work, o):
    """Slot whose attitude, position, angular and linear velocity are at work[o:]."""
    return matrix(work, o), vector(work, o + 9), vector(work, o + 12), vector(work, o + 15)


@uncounted
def small_motion(motion, o):
    """Turn, shift, and changes of angular and linear velocity at motion[o:]."""
    return vector(motion, o), vector(motion, o + 3), vector(motion, o + 6), vector(motion, o + 9)


@uncounted
def witness_change(witness, slot_a, slot_b, small_a, small_b):
    """Changes of gap, normal and witness points by (3)."""
    g, n, x_a, x_b, t, u, S_a, S_b = witness
    turn_a, turn_b = small_a[0], small_b[0]
    u_a = add(small_a[1], cross(turn_a, added(x_a, -1.0, slot_a[1])))
    u_b = add(small_b[1], cross(turn_b, added(x_b, -1.0, slot_b[1])))
    d = added(u_a, -1.0, u_b)
    w_a, w_b = cross(turn_a, n), cross(turn_b, n)
    a0, a1, b0, b1 = dot(t, w_a), dot(u, w_a), dot(t, w_b), dot(u, w_b)
    d0, d1 = dot(t, d), dot(u, d)
    e0, e1 = d0 - g * b0, d1 - g * b1
    r0 = a0 - b0 + S_a[0] * e0 + S_a[1] * e1
    r1 = a1 - b1 + S_a[1] * e0 + S_a[2] * e1
    s0, s1 = _solved(_normal_matrix(g, S_a, S_b), r0, r1)
    k0, k1 = b0 + S_b[0] * s0 + S_b[1] * s1, b1 + S_b[1] * s0 + S_b[2] * s1  # of the normal
    dn = add(scaled(k0, t), scaled(k1, u))
    dx_a = add(u_a, add(scaled(s0 + g * k0 - d0, t), scaled(s1 + g * k1 - d1, u)))  # (2)
    return dot(n, d), dn, dx_a, add(u_b, add(scaled(s0, t), scaled(s1, u)))


@uncounted
def _normal_matrix(g, S_a, S_b):
    """Matrix of (1), row by row."""
    return (
        S_a[0] + S_b[0] + g * (S_a[0] * S_b[0] + S_a[1] * S_b[1]),
        S_a[1] + S_b[1] + g * (S_a[0] * S_b[1] + S_a[1] * S_b[2]),
        S_a[1] + S_b[1] + g * (S_a[1] * S_b[0] + S_a[2] * S_b[1]),
        S_a[2] + S_b[2] + g * (S_a[1] * S_b[1] + S_a[2] * S_b[2]),
    )


@uncounted
def _is_rank_deficient(M):
    """Whether a matrix (2, 2) has no inverse, up to rounding of its entries."""
    p, q = M[0] * M[3], M[1] * M[2]
    size = M[0] * M[0] + M[1] * M[1] + M[2] * M[2] + M[3] * M[3]
    return abs(p - q) <= SINGULAR * (abs(p) + abs(q)) or abs(p - q) <= NOTHING * size


@uncounted
def _solved(M, r0, r1):
    """Solution of M s = r; of a singular matrix that of its pseudo-inverse, M' / |M|^2."""
    if _is_rank_deficient(M):
        size = M[0] * M[0] + M[1] * M[1] + M[2] * M[2] + M[3] * M[3]
        if size == 0.0:
            return 0.0, 0.0
        return (M[0] * r0 + M[2] * r1) / size, (M[1] * r0 + M[3] * r1) / size
    det = M[0] * M[3] - M[1] * M[2]
    return (M[3] * r0 - M[1] * r1) / det, (M[0] * r1 - M[2] * r0) / det


@uncounted
def is_singular(witness):
    """Whether the closest points are not unique, as of parallel faces and cylinders.

    Their changes are then those of the pseudo-inverse of (1).
    """
    return _is_rank_deficient(_normal_matrix(witness[0], witness[6], witness[7]))


@uncounted
def contact_motion(witness, slot_a, slot_b):
    """Point x, velocity of a relative to b there, rate of the gap, slip, and relative turning.

    v = v_a(x) - v_b(x),  g' = n . v,  slip v - g' n.
    """
    n = witness[1]
    x = scaled(0.5, add(witness[2], witness[3]))
    v = added(point_velocity(slot_a, x), -1.0, point_velocity(slot_b, x))
    rate = dot(n, v)
    return x, v, rate, added(v, -rate, n), added(slot_a[2], -1.0, slot_b[2])


@uncounted
def point_velocity(slot, x):
    """Velocity of the material point of a slot at x."""
    return add(slot[3], cross(slot[2], added(x, -1.0, slot[1])))


@uncounted
def contact_motion_change(witness, slot_a, slot_b, small_a, small_b):
    """Changes of g, n, x, g', slip and relative turning.

    dv = [dv_o + domega x (x - o) + omega x (dx - do)]_a - [the same]_b
    dg' = dn . v + n . dv,   change of the slip: dv - dg' n - g' dn                             (4)
    """
    n = witness[1]
    x, v, rate, _slip, _turning = contact_motion(witness, slot_a, slot_b)
    dg, dn, dx_a, dx_b = witness_change(witness, slot_a, slot_b, small_a, small_b)
    dx = scaled(0.5, add(dx_a, dx_b))
    change_a, change_b = _rate_change(slot_a, small_a, x, dx), _rate_change(slot_b, small_b, x, dx)
    dv = added(change_a, -1.0, change_b)
    d_rate = dot(dn, v) + dot(n, dv)
    d_slip = added(added(dv, -d_rate, n), -rate, dn)
    return dg, dn, dx, d_rate, d_slip, added(small_a[2], -1.0, small_b[2])


@uncounted
def _rate_change(slot, small, x, dx):
    """Change of the velocity of a slot's material at x, where x itself moves by dx."""
    turned = cross(small[2], added(x, -1.0, slot[1]))
    return add(add(small[3], turned), cross(slot[2], added(dx, -1.0, small[1])))


@uncounted
def contact_force(witness, slot_a, slot_b, N, F, M):
    """Moments and forces on both slots, in their axes, of a contact with f = N n + F at x.

    N: normal force, F: friction, M: moment of the contact on a, as of spin and rolling; all in the
    world.  Returns moment and force on a, moment and force on b.
    """
    f = added(F, N, witness[1])
    x = scaled(0.5, add(witness[2], witness[3]))
    moment_a = add(M, cross(added(x, -1.0, slot_a[1]), f))
    moment_b = scaled(-1.0, add(M, cross(added(x, -1.0, slot_b[1]), f)))
    return (
        turn_back(slot_a[0], moment_a),
        turn_back(slot_a[0], f),
        turn_back(slot_b[0], moment_b),
        turn_back(slot_b[0], scaled(-1.0, f)),
    )


@uncounted
def contact_change(witness, slot_a, slot_b, small_a, small_b, dn, dx, N, F, M, dN, dF, dM):
    """Changes of the wrenches of `contact_force`, from dn and dx of `contact_motion_change`.

    df = dN n + N dn + dF,   moment: (dx - do) x f + (x - o) x df + dM                          (5)

    Those seen in the axes of the slots, written along world axes: of a slot that turns by theta,
    df - theta x f.
    """
    f = added(F, N, witness[1])
    df = added(added(dF, dN, witness[1]), N, dn)
    x = scaled(0.5, add(witness[2], witness[3]))
    moment_a, force_a = _seen_change(slot_a, small_a, x, dx, f, df, M, dM)
    moment_b, force_b = _seen_change(slot_b, small_b, x, dx, f, df, M, dM)
    return moment_a, force_a, scaled(-1.0, moment_b), scaled(-1.0, force_b)


@uncounted
def _seen_change(slot, small, x, dx, f, df, M, dM):
    """Change of the moment and the force of f and M at x, seen in the axes of a slot."""
    arm = added(x, -1.0, slot[1])
    moment = add(M, cross(arm, f))
    change = add(dM, add(cross(added(dx, -1.0, small[1]), f), cross(arm, df)))
    return added(change, -1.0, cross(small[0], moment)), added(df, -1.0, cross(small[0], f))
