"""Rows and columns of the modes of a flexible body.

Own terms: z and t_f of `flexible` with their derivatives, in body axes at the body's origin,
  z_w = J alpha + p x a + w x J w + 2 (tr(Q) w - Q^T w) + X[eta_dot, eta_dot] + M_rf,w eta_ddot
  z_v = m a + alpha x p + w x (w x p) + 2 w x s eta_dot + sigma[eta_dot, eta_dot] + M_rf,v eta_ddot
  t_f = M_rf^T [alpha; a] + eta_ddot + A . (g + u) - 2 sum w_k O_k eta_dot + K eta + C eta_dot
with the matrices N_kl (first six, symmetric) and O_k - X_k, X_k, sigma_k of `flexible`:
  dL_kl|j = g_kl + u_kl (twice on the diagonal)    dQ_kl|j = (H_kl^T eta_dot)_j
  H_kk = N_kk,  H_xy = (N_xy - (O_z - X_z))/2, H_yx with +, and so on                         (1)
Whatever is attached at a node (children, a lump, an external force) is a frame with inertia I,
coupling B and force f, and adds with the columns of the node
  A_k += I xi_k   B_k += xi_k^T B   F_k += I psi_2 + B psi_1 + xi x* f   G_k += I phi_2 + B xi
  D_q[i, j] += xi_i . F_j + (d xi_i along j) . f    D_v[i, j] += xi_i . G_j                   (2)
to the rows A, B and columns F, G of the modes and to the block of the modes among themselves.
"""

from __future__ import annotations

from typing import NamedTuple

from ... import fields as field
from ...compiling import jit
from ...fields import POSITIVE
from ...records import node_size
from ...small import (
    add,
    matrix,
    scaled,
    symmetric,
    turn,
    turned_symmetric,
    vector,
)
from ..lumps import LUMP_INERTIA, LUMP_MASS, LUMP_NODE, LUMP_OFFSET
from ..nodes import deform_listed, node_motion
from ..rigid import rigid_force
from .frames import (
    COLUMNS,
    FORCE,
    FRAME,
    FRAME_OF,
    NODE_COLUMNS,
    NODES_OF,
    OWN_TERMS,
    PHI_2,
    PSI_1,
    PSI_2,
    TURN,
    XI,
    add_frame,
    add_rigid,
    add_rows,
    clear_frame,
    coupling_times,
    force_cross,
    inertia_times,
    put_force,
    put_rows,
    rows_of,
    times_coupling,
)
from .nodes import Bend, shape_columns, shape_curvature
from .points import point_terms


class Own(NamedTuple):
    """Rows and columns of m modes, and temporary numbers."""

    A: int  # rows S^T I: six rows of m
    B: int  # rows S^T B: three rows of m
    F: int  # columns of (3) of `sweep`: six rows of m
    G: int  # columns of (4): six rows of m
    D_q: int  # m x m
    D_v: int  # m x m
    M: int  # m x m
    image: int  # 18 rows of m: F, G and I xi of one attached frame; first u_kl 6, o_k 3, h 9
    rates: int  # 24 rows of m: products of the matrices with eta_dot 15, with eta_ddot 6
    frame: int  # a frame
    columns: int  # columns of a node
    node: int  # record of a node


@jit
def own_record(o, m):
    """Offsets in the terms of a body."""
    B = o + 6 * m
    F = B + 3 * m
    D_q = F + 12 * m
    image = D_q + 3 * m * m
    rates = image + 18 * m
    frame = rates + 24 * m
    columns = frame + FRAME
    return Own(
        o, B, F, F + 6 * m, D_q, D_q + m * m, D_q + 2 * m * m,
        image, rates, frame, columns, columns + COLUMNS * m,
    )  # fmt: skip


def own_size(m: int, listed: int) -> int:
    """Size of the terms of a body of m modes, whose nodes in a list have `listed` numbers."""
    return 63 * m + 3 * m * m + FRAME + COLUMNS * m + listed


@jit
def body_tip_to_base(ints, floats, scratch, plan, work, row, o, q, v, x):
    """Rows, columns and frame of one body, after those of the nodes that carry children."""
    m, b = ints[row + field.N_MODE] & POSITIVE, plan[o + FRAME_OF] & POSITIVE
    own = own_record(plan[o + OWN_TERMS] & POSITIVE, m)
    body = ints[row + field.BODY] & POSITIVE
    w = vector(scratch, body + field.RATE)
    alpha = vector(scratch, body + field.ACCELERATION)
    a = vector(scratch, body + field.ACCELERATION + 3)
    point_terms(ints, floats, work, row, b, own, w, alpha, a, q, v, x)
    shapes, c = ints[row + field.NODE_SHAPES] & POSITIVE, ints[row + field.BENDING] & POSITIVE
    size = (ints[row + field.LISTED] & POSITIVE) - node_size(m)
    for node in range(ints[row + field.N_NODE]):
        d = (ints[row + field.NODES] & POSITIVE) + node * field.NODE_RECORD
        at = (plan[o + NODES_OF] & POSITIVE) + node * FRAME
        n, f = vector(scratch, d + field.FORCE), vector(scratch, d + field.FORCE + 3)
        put_force(work, at, matrix(work, at + TURN), n, f)
        attach(work, own, m, at, (plan[o + NODE_COLUMNS] & POSITIVE) + node * COLUMNS * m)
        bent = Bend(ints[row + field.BENT], c + node * size + 3 + 6 * m)
        shape_curvature(
            ints, row, scratch, shapes + node * node_size(m), floats, bent, q, n, f, work, own.D_q
        )
        add_frame(work, b, at)
    if ints[row + field.N_LUMP] != 0:
        _lumps(ints, floats, scratch, work, row, b, own, q, v, x)
    if scratch[field.N_EXTERNAL] != 0.0:
        _external(ints, scratch, work, row, b, own, q, v, x)


@jit
def attach(work, own, m, at, columns):
    """Add the frame `at`, attached at a node with these columns (2), apart from d xi."""
    n, f = vector(work, at + FORCE), vector(work, at + FORCE + 3)
    F, G, H = own.image, own.image + 6 * m, own.image + 12 * m
    for k in range(m):
        xi_w = rows_of(work, columns + XI * m, m, k)
        xi_v = rows_of(work, columns + (XI + 3) * m, m, k)
        a_w, a_v = inertia_times(work, at, xi_w, xi_v)
        add_rows(work, own.A, m, k, a_w)
        add_rows(work, own.A + 3 * m, m, k, a_v)
        put_rows(work, H, m, k, a_w)
        put_rows(work, H + 3 * m, m, k, a_v)
        add_rows(work, own.B, m, k, times_coupling(work, at, xi_w, xi_v))
        p_w, p_v = inertia_times(
            work, at, rows_of(work, columns + PSI_2 * m, m, k),
            rows_of(work, columns + (PSI_2 + 3) * m, m, k),
        )  # fmt: skip
        c_w, c_v = coupling_times(work, at, rows_of(work, columns + PSI_1 * m, m, k))
        t_w, t_v = force_cross(xi_w, xi_v, n, f)
        p_w, p_v = add(p_w, add(c_w, t_w)), add(p_v, add(c_v, t_v))
        s_w, s_v = inertia_times(
            work, at, rows_of(work, columns + PHI_2 * m, m, k),
            rows_of(work, columns + (PHI_2 + 3) * m, m, k),
        )  # fmt: skip
        c_w, c_v = coupling_times(work, at, xi_w)
        s_w, s_v = add(s_w, c_w), add(s_v, c_v)
        put_rows(work, F, m, k, p_w)
        put_rows(work, F + 3 * m, m, k, p_v)
        put_rows(work, G, m, k, s_w)
        put_rows(work, G + 3 * m, m, k, s_v)
        add_rows(work, own.F, m, k, p_w)
        add_rows(work, own.F + 3 * m, m, k, p_v)
        add_rows(work, own.G, m, k, s_w)
        add_rows(work, own.G + 3 * m, m, k, s_v)
    _add_products(work, columns, F, m, own.D_q)
    _add_products(work, columns, G, m, own.D_v)
    _add_products(work, columns, H, m, own.M)


@jit
def _add_products(work, xi, F, m, D):
    """Add xi_i . F_j to D[i, j]; six rows of m numbers each."""
    xi, F, m, D = xi & POSITIVE, F & POSITIVE, m & POSITIVE, D & POSITIVE
    for i in range(m):
        x0, x1, x2 = work[xi + i], work[xi + m + i], work[xi + 2 * m + i]
        x3, x4, x5 = work[xi + 3 * m + i], work[xi + 4 * m + i], work[xi + 5 * m + i]
        to = D + i * m
        for j in range(m):
            work[to + j] += (
                x0 * work[F + j] + x1 * work[F + m + j] + x2 * work[F + 2 * m + j]
                + x3 * work[F + 3 * m + j] + x4 * work[F + 4 * m + j] + x5 * work[F + 5 * m + j]
            )  # fmt: skip


@jit
def _lumps(ints, floats, scratch, work, row, b, own, q, v, x):
    """Lumps of a body, each a rigid body attached at its node."""
    m, size = ints[row + field.N_MODE] & POSITIVE, LUMP_NODE + (ints[row + field.LISTED] & POSITIVE)
    for lump in range(ints[row + field.N_LUMP]):
        c = (ints[row + field.LUMPS] & POSITIVE) + lump * size
        E, w, alpha, a = _listed_node(
            ints, floats, c + LUMP_NODE, scratch, work, row, b, own, q, v, x
        )
        mass = floats[c + LUMP_MASS]
        p = scaled(mass, turn(E, vector(floats, c + LUMP_OFFSET)))
        J = turned_symmetric(E, symmetric(floats, c + LUMP_INERTIA))
        n, f = rigid_force(J, p, mass, w, alpha, a)
        C = matrix(work, own.frame + TURN)
        put_force(work, own.frame, C, n, f)
        add_rigid(work, own.frame, C, J, p, mass)
        attach(work, own, m, own.frame, own.columns)
        bent = Bend(ints[row + field.BENT], c + LUMP_NODE + node_size(m) + 3 + 6 * m)
        shape_curvature(ints, row, work, own.node, floats, bent, q, n, f, work, own.D_q)
        add_frame(work, b, own.frame)


@jit
def _listed_node(ints, c, o, scratch, work, row, b, own, q, v, x):
    """Frame and columns of a node of a list at c[o]; attitude, rate and acceleration, body axes."""
    m, flags = ints[row + field.N_MODE] & POSITIVE, field.RATES | field.ACCELERATED
    for k in range(node_size(m)):
        work[own.node + k] = c[o + k]
    if ints[row + field.LEVEL] >= field.STIFFENED:
        deform_listed(ints, row, c, o, scratch, q, v, work, own.node)
    E, _l, _J, w, alpha, a = node_motion(ints, row, work, own.node, scratch, q, v, x, flags)
    bent = Bend(ints[row + field.BENT], o + node_size(m) + 3 + 6 * m)
    shape_columns(ints, row, work, own.node, c, bent, work, b, own.frame, own.columns, q, v, x)
    clear_frame(work, own.frame)
    return E, w, alpha, a


@jit
def _external(ints, scratch, work, row, b, own, q, v, x):
    """External forces on nodes of a body: frames without inertia that carry the opposite force."""
    m, o = ints[row + field.N_MODE] & POSITIVE, int(scratch[field.EXTERNAL])
    for _entry in range(int(scratch[field.N_EXTERNAL])):
        other = field.HEADER + int(scratch[o]) * field.ROW
        n, f = vector(scratch, o + field.WRENCH), vector(scratch, o + field.WRENCH + 3)
        o += field.EXTERNAL_NODE
        if ints[other + field.LEVEL] == field.RIGID:
            continue
        if other == row:
            E, _w, _alpha, _a = _listed_node(ints, scratch, o, scratch, work, row, b, own, q, v, x)
            n, f = scaled(-1.0, turn(E, n)), scaled(-1.0, turn(E, f))
            put_force(work, own.frame, matrix(work, own.frame + TURN), n, f)
            attach(work, own, m, own.frame, own.columns)
            bent = Bend(ints[row + field.BENT], o + node_size(m) + 3 + 6 * m)
            shape_curvature(ints, row, work, own.node, scratch, bent, q, n, f, work, own.D_q)
        o += ints[other + field.LISTED] & POSITIVE
