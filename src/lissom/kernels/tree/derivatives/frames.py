"""Records of the derivatives, and spatial vectors in common axes.

Everything is in world axes about one common point, the origin of the first body, and velocities are
relative to that point's: then nothing has to be moved from body to body, and neither distance nor
speed of the whole mechanism costs digits.  Accelerations are rates of spatial velocities here, not
those of points: A = [alpha; a - w x v] about the origin of a body.

A *frame* is a body, or a node of a flexible body, with all that it carries.  With its inertia I,
velocity V and force f = I A + V x* I V summed over all it carries, a common change
  dV = psi_1,   dA = psi_2 + psi_1 x V                                                        (1)
of all motions outboard changes that force by
  df = I psi_2 + B psi_1,   B = [b_w, 0; -2 [P]x, 0],  P the linear momentum                  (2)
so that a frame needs ten numbers for I, twelve for B and six for f.  What bodies at level
"ruthless" add to the lower half of B is kept apart (`jumps`).

A *column* is what one coordinate or speed does to everything outboard of it:
  xi            its motion: common velocity per unit speed
  psi_1, psi_2  (1) for a unit change of the coordinate, apart from the displacement by xi
  xi, phi_2     (1) for a unit change of the speed
Source: the rigid case is that of S. Singh, R. P. Russell, P. M. Wensing, IEEE Robotics and
Automation Letters 7, 2022.  Differs: common point; modal coordinates; the linear half of psi_1 has
no effect on forces (2).
"""

from __future__ import annotations

from ...compiling import jit
from ...small import (
    add,
    added,
    apply,
    cross,
    dot,
    matrix,
    put_vector,
    scaled,
    symmetric,
    turn,
    turn_back,
    turned_symmetric,
    vector,
)

# work: a frame
TURN = 0  # 9: working axes to world axes
PLACE = 9  # 3: its origin from the common point
VELOCITY = 12  # 6: V
ACCELERATION = 18  # 6: A, gravity as base motion
INERTIA = 24  # 10: J 6 and first moment 3 about the common point, mass 1
COUPLING = 34  # 12: b_w 9, P 3
FORCE = 46  # 6: f
LOWER = 52  # 9: where there are jumps, what they add to -2 [P]x
FRAME = 61

# work: a set of n columns, rows of n numbers
XI, PSI_1, PSI_2, PHI_2, COLUMNS = 0, 6, 12, 18, 24

# plan: see `layout.derivatives`


@jit
def motion_cross(a_w, a_v, b_w, b_v):
    """Spatial cross product a x b of motions."""
    return cross(a_w, b_w), add(cross(a_w, b_v), cross(a_v, b_w))


@jit
def force_cross(a_w, a_v, n, f):
    """Spatial cross product a x* f of a motion and a force."""
    return add(cross(a_w, n), cross(a_v, f)), cross(a_w, f)


@jit
def rows_of(x, o, n, k):
    """Three numbers of column k in rows of n numbers."""
    return x[o + k], x[o + n + k], x[o + 2 * n + k]


@jit
def put_rows(x, o, n, k, a):
    """Write three numbers of column k in rows of n numbers."""
    x[o + k], x[o + n + k], x[o + 2 * n + k] = a


@jit
def add_rows(x, o, n, k, a):
    """Add to three numbers of column k in rows of n numbers."""
    x[o + k] += a[0]
    x[o + n + k] += a[1]
    x[o + 2 * n + k] += a[2]


@jit
def put_column(work, o, n, k, xi_w, xi_v, one_w, one_v, psi_w, psi_v, phi_w, phi_v):
    """Write one of n columns."""
    put_rows(work, o + XI * n, n, k, xi_w)
    put_rows(work, o + (XI + 3) * n, n, k, xi_v)
    put_rows(work, o + PSI_1 * n, n, k, one_w)
    put_rows(work, o + (PSI_1 + 3) * n, n, k, one_v)
    put_rows(work, o + PSI_2 * n, n, k, psi_w)
    put_rows(work, o + (PSI_2 + 3) * n, n, k, psi_v)
    put_rows(work, o + PHI_2 * n, n, k, phi_w)
    put_rows(work, o + (PHI_2 + 3) * n, n, k, phi_v)


@jit
def clear_frame(work, o):
    """Nothing carried: zero inertia and coupling."""
    for k in range(INERTIA, FORCE):
        work[o + k] = 0.0


@jit
def add_frame(work, to, o):
    """Add inertia and coupling of one frame to another."""
    for k in range(INERTIA, FORCE):
        work[to + k] += work[o + k]


@jit
def put_force(work, o, C, n, f):
    """Write a force given at the origin of a frame in its working axes C."""
    n, f = turn(C, n), turn(C, f)
    put_vector(work, o + FORCE, add(n, cross(vector(work, o + PLACE), f)))
    put_vector(work, o + FORCE + 3, f)


@jit
def add_rigid(work, o, C, J, p, m):
    """Add inertia and coupling of a rigid body: (J, p, m) about its origin, working axes C.

    b_w = w x J - J w x - [J w]x - 2 [p]x [v]x about the origin, P = w x p + m v        (2)
    """
    J, p = turned_symmetric(C, J), turn(C, p)
    r, w = vector(work, o + PLACE), vector(work, o + VELOCITY)
    v = add(vector(work, o + VELOCITY + 3), cross(w, r))
    h, P = apply(J, w), added(cross(w, p), m, v)
    # w x J - J w x is symmetric: (w x J) + (w x J)^T
    x, y, z = (
        cross(w, (J[0], J[1], J[2])),
        cross(w, (J[1], J[3], J[4])),
        cross(w, (J[2], J[4], J[5])),
    )
    s = 2.0 * dot(p, v)
    b = (
        2.0 * x[0] + s - 2.0 * v[0] * p[0], y[0] + x[1] + h[2] - 2.0 * v[0] * p[1],
        z[0] + x[2] - h[1] - 2.0 * v[0] * p[2],
        x[1] + y[0] - h[2] - 2.0 * v[1] * p[0], 2.0 * y[1] + s - 2.0 * v[1] * p[1],
        z[1] + y[2] + h[0] - 2.0 * v[1] * p[2],
        x[2] + z[0] + h[1] - 2.0 * v[2] * p[0], y[2] + z[1] - h[0] - 2.0 * v[2] * p[1],
        2.0 * z[2] + s - 2.0 * v[2] * p[2],
    )  # fmt: skip
    add_carried(work, o, r, J, p, m, b, P)


@jit
def add_carried(work, o, r, J, p, m, b, P):
    """Add inertia and coupling given about the point r, world axes."""
    b = moved_coupling(r, b, P)
    d, (x, y, z), (e, f, g) = 2.0 * dot(r, p) + m * dot(r, r), r, p
    J = (
        J[0] + d - 2.0 * x * e - m * x * x, J[1] - x * f - y * e - m * x * y,
        J[2] - x * g - z * e - m * x * z, J[3] + d - 2.0 * y * f - m * y * y,
        J[4] - y * g - z * f - m * y * z, J[5] + d - 2.0 * z * g - m * z * z,
    )  # fmt: skip
    for k in range(6):
        work[o + INERTIA + k] += J[k]
    p = added(p, m, r)
    for k in range(3):
        work[o + INERTIA + 6 + k] += p[k]
        work[o + COUPLING + 9 + k] += P[k]
    work[o + INERTIA + 9] += m
    for k in range(9):
        work[o + COUPLING + k] += b[k]


@jit
def moved_coupling(r, b, P):
    """Upper part b_w of (2) about the common point from that about r: b_w - 2 [r]x [P]x."""
    s = 2.0 * dot(r, P)
    return (
        b[0] + s - 2.0 * P[0] * r[0], b[1] - 2.0 * P[0] * r[1], b[2] - 2.0 * P[0] * r[2],
        b[3] - 2.0 * P[1] * r[0], b[4] + s - 2.0 * P[1] * r[1], b[5] - 2.0 * P[1] * r[2],
        b[6] - 2.0 * P[2] * r[0], b[7] - 2.0 * P[2] * r[1], b[8] + s - 2.0 * P[2] * r[2],
    )  # fmt: skip


@jit
def inertia_times(work, o, a_w, a_v):
    """I of a frame times a motion."""
    J, p, m = (
        symmetric(work, o + INERTIA),
        vector(work, o + INERTIA + 6),
        work[o + INERTIA + 9],
    )
    return add(apply(J, a_w), cross(p, a_v)), added(cross(a_w, p), m, a_v)


@jit
def coupling_times(work, o, a_w):
    """B of a frame times a change of the rates."""
    P = vector(work, o + COUPLING + 9)
    return turn(matrix(work, o + COUPLING), a_w), scaled(-2.0, cross(P, a_w))


@jit
def times_coupling(work, o, a_w, a_v):
    """Motion a times B of a frame: three numbers, a_w^T b_w - 2 (a_v x P)^T."""
    P = vector(work, o + COUPLING + 9)
    return added(turn_back(matrix(work, o + COUPLING), a_w), -2.0, cross(a_v, P))
