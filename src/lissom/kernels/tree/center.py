"""First moment of all bodies, from which their centre of mass follows."""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..fields import POSITIVE
from ..small import ZERO, add, added, pose, turn, vector
from .modal import modal_sums


@jit
def first_moment(ints, scratch, q):
    """Sum of masses times positions in the world, after `place_base_to_tip`; O(N)."""
    moment = ZERO
    for i in range(ints[field.N_BODY]):
        row = field.HEADER + i * field.ROW
        b, o = ints[row + field.BODY] & POSITIVE, ints[row + field.WORLD] & POSITIVE
        C, x = pose(scratch, o)
        p = vector(scratch, b + field.MOMENT)
        if ints[row + field.LEVEL] != field.RIGID and ints[row + field.LEVEL] <= field.LINEAR:
            n, o_q = ints[row + field.N_MODE], ints[row + field.MODAL_Q]
            moved = modal_sums(scratch, ints[row + field.M_RF] & POSITIVE, n, q, o_q)
            p = add(p, (moved[3], moved[4], moved[5]))
        moment = add(moment, added(turn(C, p), scratch[b + field.MASS], x))
    return moment
