"""Jumps of the acceleration at nodes of bodies at level "ruthless".

Velocities are exact at this level, accelerations are not their rates.  Those of a body c on a node
N of such a body differ from those of other levels by a jump E that all outboard of c share:
  E_w = -(g + w x w_r + w_r x s)
  E_v = -(w x (w x delta + 2 l_dot) + (g + w x w_r) x r
          + w_N x (w_N x r) - w x (w x r) + 2 w_r x r_dot)                                    (1)
at the origin p of c.  Notation, all in world axes:
  w, w_N = w + w_r  rates of the carrying body and of its node
  g                 part of the node's angular acceleration, dJ_l/dt theta_dot
  delta, l_dot      displacement of the node and its rate in the body
  r, r_dot, s       from the node to p, its rate in the node, and rate of c relative to the node
A column inboard of the carrying body changes w and w_N alike, so that for all outboard of c it has
psi_2 + K psi_1 and phi_2 + K xi, with
  K_w e = w_r x e    K_v e = -(e x (w x delta) + w x (e x delta) + 2 e x (l_dot + w_r x r))   (2)
at p.  For rows outboard of c K^T S_r^T I is added to S_r^T B, and for what carries it I K to B,
whose lower half then is -2 [P]x + L: L is a matrix of its own, which other systems do not have.
"""

from __future__ import annotations

from typing import NamedTuple

from ... import fields as field
from ...compiling import jit
from ...layout.derivatives import PLAN_ROWS, DerivativesHeader, DerivativesRow
from ...layout.tree import BodyRow
from ...records import node_record
from ...small import ZERO, add, added, cross, dot, matrix, scaled, turn, turn_back, unit, vector
from ..modal import modal_sums
from .frames import (
    COUPLING,
    FRAME,
    LOWER,
    PLACE,
    PSI_1,
    TURN,
    VELOCITY,
    XI,
    add_rows,
    inertia_times,
    rows_of,
)
from .turning import turning_slopes

# work: a jump: E about the common point 6, K about it: K_w 9, K_v 9
K_W, K_V, JUMP_SIZE = 6, 15, 24


class WorldMotion(NamedTuple):
    """Vectors of (1), world axes."""

    w: tuple
    w_r: tuple
    g: tuple
    delta: tuple
    l_dot: tuple
    r: tuple
    s: tuple
    r_dot: tuple
    p: tuple


@jit
def motion_at(body, c, o, work, b, at, r, s, r_dot, q, v):
    """Motion at a node, and J_l and the derivatives of its turning in body axes (`turning`)."""
    m, node, C = body.n_mode, node_record(o), matrix(work, at + TURN)
    d = modal_sums(c, node.shapes, m, q, body.modal_q)
    e = modal_sums(c, node.shapes, m, v, body.modal_v)
    theta = add(vector(c, node.turn), (d[0], d[1], d[2]))
    slopes = turning_slopes(theta, (e[0], e[1], e[2]), ZERO)
    _E, J, w_r, g, by_turn, by_turn_dot, by_rate = slopes
    y = WorldMotion(
        vector(work, b + VELOCITY), turn(C, w_r), turn(C, g), turn(C, (d[3], d[4], d[5])),
        turn(C, (e[3], e[4], e[5])), r, s, r_dot, add(vector(work, at + PLACE), r),
    )  # fmt: skip
    return y, J, by_turn, by_turn_dot, by_rate


@jit
def put_jump(work, o, y):
    """Write E (1) and K (2) about the common point."""
    turned, w_N = add(y.g, cross(y.w, y.w_r)), add(y.w, y.w_r)
    E_w = scaled(-1.0, add(turned, cross(y.w_r, y.s)))
    E_v = cross(y.w, added(cross(y.w, y.delta), 2.0, y.l_dot))
    E_v = add(E_v, add(cross(turned, y.r), cross(w_N, cross(w_N, y.r))))
    E_v = added(added(E_v, -1.0, cross(y.w, cross(y.w, y.r))), 2.0, cross(y.w_r, y.r_dot))
    E_v = added(cross(y.p, E_w), -1.0, E_v)
    rate = add(y.l_dot, cross(y.w_r, y.r))
    for k in range(3):
        work[o + k], work[o + 3 + k] = E_w[k], E_v[k]
        e = unit(k)
        K_w = cross(y.w_r, e)
        K_v = add(cross(e, cross(y.w, y.delta)), cross(y.w, cross(e, y.delta)))
        K_v = added(cross(y.p, K_w), -1.0, added(K_v, 2.0, cross(e, rate)))
        for i in range(3):
            work[o + K_W + 3 * i + k], work[o + K_V + 3 * i + k] = K_w[i], K_v[i]


@jit
def change_of_jump(y, dw_r, dg, ddelta, dl_dot, dr, ds, dr_dot):
    """Change of (1) at p."""
    turned, d_turned = add(y.g, cross(y.w, y.w_r)), add(dg, cross(y.w, dw_r))
    w_N = add(y.w, y.w_r)
    d_w = add(d_turned, add(cross(dw_r, y.s), cross(y.w_r, ds)))
    d_v = cross(y.w, added(cross(y.w, ddelta), 2.0, dl_dot))
    d_v = add(d_v, add(cross(d_turned, y.r), cross(turned, dr)))
    d_v = add(d_v, cross(dw_r, cross(w_N, y.r)))
    d_v = add(d_v, cross(w_N, add(cross(dw_r, y.r), cross(w_N, dr))))
    d_v = added(d_v, -1.0, cross(y.w, cross(y.w, dr)))
    d_v = added(d_v, 2.0, add(cross(dw_r, y.r_dot), cross(y.w_r, dr_dot)))
    return scaled(-1.0, d_w), scaled(-1.0, d_v)


@jit
def about_common(y, E_w, dp, d_w, d_v):
    """Change of the jump about the common point from that at p, which is displaced by dp."""
    return d_w, add(d_v, add(cross(y.p, d_w), cross(dp, E_w)))


@jit
def jump_times(work, jump, a_w, a_v):
    """Three numbers K^T a of a jump, a = I S_r of a row."""
    upper = turn_back(matrix(work, jump + K_W), a_w)
    return add(upper, turn_back(matrix(work, jump + K_V), a_v))


@jit
def jumps_times(ints, plan, work, j, i, a_w, a_v):
    """Sum of `jump_times` over the jumps of body j and its carriers, outboard of body i."""
    total, over = ZERO, DerivativesRow(plan, PLAN_ROWS, j).over
    while over > i:
        total = add(total, jump_times(work, DerivativesRow(plan, PLAN_ROWS, over).jump, a_w, a_v))
        parent = BodyRow(ints, field.HEADER, over).parent
        over = DerivativesRow(plan, PLAN_ROWS, parent).over
    return total


@jit
def add_jump_products(ints, plan, work, index, i, r, a_w, a_v, D_q, D_v):
    """Add to row r of body i what jumps between it and columns inboard do, (2)."""
    s, w = DerivativesHeader(plan, 0).stack, DerivativesHeader(plan, 0).stack_width
    over, k = DerivativesRow(plan, PLAN_ROWS, i).over, ZERO
    while over >= 0:
        k = add(k, jump_times(work, DerivativesRow(plan, PLAN_ROWS, over).jump, a_w, a_v))
        count, parent = _inboard(ints, plan, over)
        over = DerivativesRow(plan, PLAN_ROWS, parent).over
        first = _inboard(ints, plan, over)[0] if over >= 0 else 0
        for c in range(first, count):
            D_q[r, index[c]] += dot(k, rows_of(work, s + PSI_1 * w, w, c))
            D_v[r, index[c]] += dot(k, rows_of(work, s, w, c))


@jit
def _inboard(ints, plan, i):
    """Number of columns inboard of the modes of the carrier of body i, and that carrier."""
    parent = BodyRow(ints, field.HEADER, i).parent
    modes = BodyRow(ints, field.HEADER, parent).n_mode
    return DerivativesRow(plan, PLAN_ROWS, i).below - modes, parent


@jit
def add_jump_coupling(work, at, jump):
    """Add I K to the coupling of a frame."""
    for k in range(3):
        K_w, K_v = rows_of(work, jump + K_W, 3, k), rows_of(work, jump + K_V, 3, k)
        n, f = inertia_times(work, at, K_w, K_v)
        add_rows(work, at + COUPLING, 3, k, n)
        add_rows(work, at + LOWER, 3, k, f)


@jit
def clear_lower(ints, plan, work):
    """Set L of all frames to zero."""
    for i in range(ints[field.N_BODY]):
        body, places = BodyRow(ints, field.HEADER, i), DerivativesRow(plan, PLAN_ROWS, i)
        n_node = body.n_node if body.level != field.RUTHLESS else 0
        for k in range(9):
            work[places.frame + LOWER + k] = 0.0
            if places.jump >= 0:
                work[places.carrier + LOWER + k] = 0.0
            for node in range(n_node):
                work[places.nodes + node * FRAME + LOWER + k] = 0.0


@jit
def add_lower(work, to, o):
    """Add L of one frame to that of another."""
    for k in range(LOWER, LOWER + 9):
        work[to + k] += work[o + k]


@jit
def lower_times(work, o, a_w):
    """L of a frame times a change of the rates."""
    return turn(matrix(work, o + LOWER), a_w)


@jit
def times_lower(work, o, a_v):
    """Linear half of a motion times L of a frame."""
    return turn_back(matrix(work, o + LOWER), a_v)


@jit
def attach_lower(work, terms, m, at, columns):
    """What L of a frame adds in (1) of `attached`."""
    for j in range(m):
        by_q = lower_times(work, at, rows_of(work, columns + PSI_1 * m, m, j))
        by_v = lower_times(work, at, rows_of(work, columns + XI * m, m, j))
        add_rows(work, terms.F + 3 * m, m, j, by_q)
        add_rows(work, terms.G + 3 * m, m, j, by_v)
        add_rows(
            work, terms.B, m, j, times_lower(work, at, rows_of(work, columns + (XI + 3) * m, m, j))
        )
        for i in range(m):
            xi_v = rows_of(work, columns + (XI + 3) * m, m, i)
            work[terms.D_q + i * m + j] += dot(xi_v, by_q)
            work[terms.D_v + i * m + j] += dot(xi_v, by_v)
