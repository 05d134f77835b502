"""External forces on nodes."""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..layout.records import CarrierRecord
from ..layout.tree import BodyRow
from ..records import modal_record, node_record
from ..small import add, added, cross, scaled, six, turn, turn_back, vector
from .modal import modal_spread
from .nodes import deform_listed, node_place


@jit
def apply_external(ints, scratch, q, v):
    """Subtract the listed forces from the residual forces of bodies, after `motion_base_to_tip`.

    Each entry of the list: number of the body, [moment; force] in node axes 6, and for a flexible
    body the node, `listed` numbers.
    """
    o = int(scratch[field.EXTERNAL])
    for _entry in range(int(scratch[field.N_EXTERNAL])):
        body = BodyRow(ints, field.HEADER, int(scratch[o]))
        b, m = CarrierRecord(scratch, body.record), body.n_mode
        n, f = vector(scratch, o + field.WRENCH), vector(scratch, o + field.WRENCH + 3)
        o += field.EXTERNAL_NODE
        if body.level == field.RIGID:
            R = b.R
            n, f = turn(R, n), turn(R, f)
        else:
            if body.level >= field.STIFFENED:
                deform_listed(body, scratch, o, scratch, q, v, scratch, o)
            E, l, J_l = node_place(body, scratch, o, q)
            n, f = turn(E, n), turn(E, f)
            minus = six(scaled(-1.0, turn_back(J_l, n)), scaled(-1.0, f))
            t = modal_record(body.modal, m).force
            modal_spread(scratch, node_record(o).shapes, m, minus, scratch, t)
            n = add(n, cross(l, f))
            o += body.listed
        b.z_w = added(b.z_w, -1.0, n)
        b.z_v = added(b.z_v, -1.0, f)
