"""What inertias of rigid bodies do to the forces along given motions, summed over states.

With the motion (w, alpha, a) of a body and the velocity (y_w, y_v) that speeds mu would give it,
both of its origin in body axes, the changes (1) of `design` do along mu
  mu . dT = dm y_v . a + dp . (y_v x alpha - y_w x a + w x (w x y_v))
          + y_w . dJ alpha + (y_w x w) . dJ w                                                 (1)
Ten numbers of a body serve all its parameters: the cost does not depend on how many there are.
"""

from __future__ import annotations

from ... import fields as field
from ...compiling import jit
from ...layout.records import CarrierRecord
from ...layout.tree import BodyRow
from ...small import add, cross, dot, put_vector, scaled, turn_back, vector
from ..motion import motion_base_to_tip
from .design import DIRECTION

RATE, ALPHA, LINEAR, MOTION = 0, 3, 6, 9  # of a body, body axes


@jit
def inertial_products(ints, floats, scratch, Q, V, A, Y, motions, out, flags, start, stop):
    """Add (1) for unit changes of mass, first moment and inertia to ten numbers of each body.

    Q, V, A: states and their accelerations, consecutive in flat arrays.  Y: mu of each.  motions:
    MOTION numbers of work for each body.
    """
    n, m = ints[field.N_Q], ints[field.N_V]
    for k in range(start, stop):
        q, y = Q[k * n : (k + 1) * n], Y[k * m : (k + 1) * m]
        v, x = V[k * m : (k + 1) * m], A[k * m : (k + 1) * m]
        motion_base_to_tip(ints, floats, scratch, q, v, x, flags)
        for i in range(ints[field.N_BODY]):
            body = BodyRow(ints, field.HEADER, i)
            b, o = CarrierRecord(scratch, body.record), i * MOTION
            R = b.R
            a = b.a
            put_vector(motions, o + RATE, turn_back(R, b.rate))
            put_vector(motions, o + ALPHA, turn_back(R, b.alpha))
            put_vector(motions, o + LINEAR, turn_back(R, a))
        motion_base_to_tip(ints, floats, scratch, q, y, y, flags & 0 | field.ACCELERATED)
        for i in range(ints[field.N_BODY]):
            body = BodyRow(ints, field.HEADER, i)
            if body.level == field.RIGID:
                b = CarrierRecord(scratch, body.record)
                R = b.R
                y_w = turn_back(R, b.alpha)
                y_v = turn_back(R, b.a)
                _add_products(motions, i * MOTION, y_w, y_v, out, i * DIRECTION)


@jit
def _add_products(motions, o, y_w, y_v, out, to):
    """Add (1) of one body."""
    w, alpha = vector(motions, o + RATE), vector(motions, o + ALPHA)
    a, c = vector(motions, o + LINEAR), cross(y_w, w)
    moment = add(add(cross(y_v, alpha), scaled(-1.0, cross(y_w, a))), cross(w, cross(w, y_v)))
    out[to] += dot(y_v, a)
    for j in range(3):
        out[to + 1 + j] += moment[j]
    e = to + 4
    out[e] += y_w[0] * alpha[0] + c[0] * w[0]
    out[e + 1] += y_w[0] * alpha[1] + y_w[1] * alpha[0] + c[0] * w[1] + c[1] * w[0]
    out[e + 2] += y_w[0] * alpha[2] + y_w[2] * alpha[0] + c[0] * w[2] + c[2] * w[0]
    out[e + 3] += y_w[1] * alpha[1] + c[1] * w[1]
    out[e + 4] += y_w[1] * alpha[2] + y_w[2] * alpha[1] + c[1] * w[2] + c[2] * w[1]
    out[e + 5] += y_w[2] * alpha[2] + c[2] * w[2]
