"""First moment of all bodies, from which their centre of mass follows."""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..layout.records import CarrierRecord
from ..layout.tree import BodyRow
from ..small import ZERO, add, added, pose, turn
from .modal import modal_sums


@jit
def first_moment(ints, scratch, q):
    """Sum of masses times positions in the world, after `place_base_to_tip`; O(N)."""
    moment = ZERO
    for i in range(ints[field.N_BODY]):
        body = BodyRow(ints, field.HEADER, i)
        b = CarrierRecord(scratch, body.record)
        C, x = pose(scratch, body.world)
        p = b.p
        if body.level != field.RIGID and body.level <= field.LINEAR:
            moved = modal_sums(scratch, body.M_rf, body.n_mode, q, body.modal_q)
            p = add(p, (moved[3], moved[4], moved[5]))
        moment = add(moment, added(turn(C, p), b.mass, x))
    return moment
