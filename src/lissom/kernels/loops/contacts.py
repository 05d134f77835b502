"""Contacts of loops: constraints on velocities.  Follows `lissom.joints.contacts`, (1)-(4)."""

from __future__ import annotations

import math

from .. import fields as field
from ..compiling import jit
from ..small import ZERO, added, cross, dot, put_vector, scaled, turn, turn_back, vector

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
