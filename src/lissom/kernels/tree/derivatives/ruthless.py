"""Bodies at level "ruthless": frames and columns of their nodes as each child sees them.

With the jump E of the child (`jumps`), d its change by a coordinate (world axes, common point) and
d' that by a speed, the node's acceleration is A_N + E, and columns of the modes and of the child's
hinge are
  psi_2 + dE + E x xi    phi_2 + d'E                                                          (1)
"""

from __future__ import annotations

from ... import fields as field
from ...compiling import jit
from ...fields import POSITIVE
from ...layout.derivatives import PLAN_ROWS, DerivativesRow
from ...layout.tree import BodyRow
from ...records import node_record, node_size
from ...small import ZERO, add, added, cross, matrix, turn, turn_back, vector
from .attached import attach
from .frames import (
    ACCELERATION,
    FORCE,
    PHI_2,
    PLACE,
    PSI_1,
    PSI_2,
    TURN,
    VELOCITY,
    XI,
    add_frame,
    add_rows,
    clear_frame,
    motion_cross,
    rows_of,
)
from .jumps import (
    about_common,
    add_jump_coupling,
    add_lower,
    attach_lower,
    change_of_jump,
    jump_times,
    motion_at,
    put_jump,
)
from .nodes import Bend, shape_columns, shape_curvature


@jit
def _parent(ints, body):
    """Row of the body that carries this one."""
    return BodyRow(ints, field.HEADER, body.parent)


@jit
def _record(ints, body):
    """Place in scratch of the record of the node that carries a body."""
    parent = _parent(ints, body)
    node = (body.carrier - parent.nodes) // field.NODE_RECORD
    return (parent.node_shapes + node * node_size(parent.n_mode)) & POSITIVE


@jit
def carrying_node(ints, scratch, plan, work, body, places, q, v, x):
    """Write frame and columns of the node that carries a body, without the jump."""
    at, columns = places.carrier, places.carrier_columns & POSITIVE
    b = DerivativesRow(plan, PLAN_ROWS, body.parent).frame
    shape_columns(
        _parent(ints, body), scratch, _record(ints, body), scratch, Bend(0, 0),
        work, b, at, columns, q, v, x,
    )  # fmt: skip
    clear_frame(work, at)


@jit
def add_jump(ints, scratch, plan, work, body, places, q, v):
    """Write the jump of a body and add it to the node and to the columns (1)."""
    at, b = places.carrier, places.frame
    columns, r = places.hinge_columns, body.hinge_dof
    base = DerivativesRow(plan, PLAN_ROWS, body.parent).frame
    jump, p = places.jump & POSITIVE, vector(work, b + PLACE)
    r_0, u_w, r_dot = _relative(work, places)
    y = node_jump(
        _parent(ints, body), scratch, _record(ints, body), work, base, at,
        places.carrier_columns & POSITIVE, jump, r_0, u_w, r_dot, q, v,
    )  # fmt: skip
    E_w, E_v = vector(work, jump), vector(work, jump + 3)
    V_w, V_v = vector(work, b + VELOCITY), vector(work, b + VELOCITY + 3)
    for c in range(r):
        xi_w = rows_of(work, columns + XI * r, r, c)
        xi_v = rows_of(work, columns + (XI + 3) * r, r, c)
        moved, turned = motion_cross(xi_w, xi_v, V_w, V_v), motion_cross(E_w, E_v, xi_w, xi_v)
        du_w = add(rows_of(work, columns + PSI_1 * r, r, c), moved[0])
        du_v = add(rows_of(work, columns + (PSI_1 + 3) * r, r, c), moved[1])
        dp = add(xi_v, cross(xi_w, p))
        dr_dot = add(du_v, add(cross(du_w, p), cross(u_w, dp)))
        d_w, d_v = change_of_jump(y, ZERO, ZERO, ZERO, ZERO, dp, du_w, dr_dot)
        d_w, d_v = about_common(y, E_w, dp, d_w, d_v)
        _add_motion(work, columns + PSI_2 * r, r, c, add(turned[0], d_w), add(turned[1], d_v))
        d_w, d_v = change_of_jump(y, ZERO, ZERO, ZERO, ZERO, ZERO, xi_w, dp)  # dp: velocity there
        d_w, d_v = about_common(y, E_w, ZERO, d_w, d_v)
        _add_motion(work, columns + PHI_2 * r, r, c, d_w, d_v)


@jit
def _relative(work, places):
    """Vectors r, s and r_dot of a body on its node."""
    at, b = places.carrier, places.frame
    p = vector(work, b + PLACE)
    u_w = added(vector(work, b + VELOCITY), -1.0, vector(work, at + VELOCITY))
    u_v = added(vector(work, b + VELOCITY + 3), -1.0, vector(work, at + VELOCITY + 3))
    return added(p, -1.0, vector(work, at + PLACE)), u_w, add(u_v, cross(u_w, p))


@jit
def node_jump(body, c, o, work, b, at, columns, jump, r, s, r_dot, q, v):
    """Write the jump at r from a node of body `row`, add it to frame and columns of the node (1).

    c[o]: record of the node; b: frame of the body; s, r_dot: motion relative to the node.
    """
    m, node, C = body.n_mode, node_record(o), matrix(work, at + TURN)
    y, J, by_turn, by_turn_dot, by_rate = motion_at(body, c, o, work, b, at, r, s, r_dot, q, v)
    put_jump(work, jump, y)
    E_w, E_v = vector(work, jump), vector(work, jump + 3)
    for k in range(6):
        work[at + ACCELERATION + k] += work[jump + k]
    for j in range(m):
        a, d_j = rows_of(c, node.shapes, m, j), rows_of(c, node.shapes + 3 * m, m, j)
        w_j, d_j = turn(C, turn(J, a)), turn(C, d_j)
        xi_w = rows_of(work, columns + XI * m, m, j)
        xi_v = rows_of(work, columns + (XI + 3) * m, m, j)
        turned = motion_cross(E_w, E_v, xi_w, xi_v)
        d_w, d_v = change_of_jump(
            y, turn(C, turn(by_turn, a)), turn(C, turn(by_turn_dot, a)), d_j, ZERO,
            cross(w_j, r), cross(w_j, s), cross(w_j, r_dot),
        )  # fmt: skip
        d_w, d_v = about_common(y, E_w, add(d_j, cross(w_j, r)), d_w, d_v)
        _add_motion(work, columns + PSI_2 * m, m, j, add(turned[0], d_w), add(turned[1], d_v))
        d_w, d_v = change_of_jump(y, w_j, turn(C, turn(by_rate, a)), ZERO, d_j, ZERO, ZERO, ZERO)
        d_w, d_v = about_common(y, E_w, ZERO, d_w, d_v)
        _add_motion(work, columns + PHI_2 * m, m, j, d_w, d_v)
    return y


@jit
def moved_jump(ints, scratch, plan, work, body, places, xi_w, xi_v, q, v):
    """Change of the jump of a body by a displacement xi of its joint on its node."""
    base = DerivativesRow(plan, PLAN_ROWS, body.parent).frame
    at, jump = places.carrier, places.jump & POSITIVE
    r, s, r_dot = _relative(work, places)
    y, _J, _turn, _turn_dot, _rate = motion_at(
        _parent(ints, body), scratch, _record(ints, body), work, base, at, r, s, r_dot, q, v
    )
    dp = add(xi_v, cross(xi_w, y.p))
    d_w, d_v = change_of_jump(y, ZERO, ZERO, ZERO, ZERO, dp, cross(xi_w, s), cross(xi_w, r_dot))
    return about_common(y, vector(work, jump), dp, d_w, d_v)


@jit
def _add_motion(work, o, n, k, a_w, a_v):
    """Add to six rows of column k."""
    add_rows(work, o, n, k, a_w)
    add_rows(work, o + 3 * n, n, k, a_v)


@jit
def attach_children(ints, scratch, plan, work, body, places, terms, q):
    """Attach all children of a body, each by its own frame of its node."""
    m, b = body.n_mode, places.frame
    i = places.first
    while i >= 0:
        child, of_child = BodyRow(ints, field.HEADER, i), DerivativesRow(plan, PLAN_ROWS, i)
        at, carried = of_child.carrier, of_child.frame
        jump, C = of_child.jump & POSITIVE, matrix(work, at + TURN)
        for k in range(6):
            work[at + FORCE + k] = work[carried + FORCE + k]
        columns = of_child.carrier_columns & POSITIVE
        attach(work, terms, m, at, columns)
        attach_lower(work, terms, m, at, columns)
        n, f = vector(work, at + FORCE), vector(work, at + FORCE + 3)
        n = added(n, -1.0, cross(vector(work, at + PLACE), f))
        shape_curvature(
            body, scratch, _record(ints, child), scratch, Bend(0, 0), q,
            turn_back(C, n), turn_back(C, f), work, terms.D_q, 1.0,
        )  # fmt: skip
        image = terms.image + 12 * m  # I xi
        for k in range(m):
            a_w, a_v = rows_of(work, image, m, k), rows_of(work, image + 3 * m, m, k)
            add_rows(work, terms.B, m, k, jump_times(work, jump, a_w, a_v))
        add_jump_coupling(work, at, jump)
        add_frame(work, b, at)
        add_lower(work, b, at)
        i = of_child.next
