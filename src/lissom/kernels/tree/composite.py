"""System mass matrix by composite bodies, lower triangle.  O(N^2) for a chain.

Notation of `reference`, (8), (9).  A composite body is rigid and fully described by (J, p, m).
Row v of the lower triangle is the column of `reference`: the force F that a unit acceleration of
one mode or hinge motion needs, carried inward and projected on the modes and hinges on its way.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..fields import POSITIVE
from ..layout.records import CarrierRecord, CompositeInertia
from ..layout.tree import BodyRow
from ..records import modal_record, node_shapes
from ..small import (
    IDENTITY,
    ZERO,
    add,
    added,
    apply,
    cross,
    dot,
    turn,
    turn_back,
    turned_symmetric,
    vector,
)
from .rigid import shifted_inertia


@jit
def composite_inertia(scratch, o):
    """Composite inertia in the record at scratch[o], in the place of the articulated one."""
    return CompositeInertia(scratch, o + field.P_)


@jit
def _add_to_carrier(scratch, n, J, p, m):
    """Add to the composite inertia of the record at scratch[n]."""
    composite = composite_inertia(scratch, n)
    composite.J = _sum(J, composite.J)
    composite.p = add(p, composite.p)
    composite.mass += m


@jit
def mass_tip_to_base(ints, scratch, M):
    """Lower triangle of the mass matrix in M (n_v x n_v), after `motion_base_to_tip`."""
    for r in range(ints[field.N_V]):
        for c in range(r + 1):
            M[r, c] = 0.0
    _clear(ints, scratch)
    for i in range(ints[field.N_BODY] - 1, -1, -1):
        body = BodyRow(ints, field.HEADER, i)
        b, o = CarrierRecord(scratch, body.record), body.hinge
        kind, rigid = body.kind, body.level == field.RIGID
        o_v = body.hinge_v
        if rigid:
            children = composite_inertia(scratch, body.record)
            J, p, m = _sum(b.J, children.J), add(b.p, children.p), b.mass + children.mass
        else:
            J, p, m = _flexible_columns(ints, scratch, body, M)
        R = b.R if rigid else IDENTITY
        for c in range(body.hinge_dof):
            h_w, h_v = motion_column(scratch, o, kind, R, c)
            n, f = add(apply(J, h_w), cross(p, h_v)), added(cross(h_w, p), m, h_v)
            if not rigid:
                _modal_columns(ints, scratch, body, h_w, h_v, M, o_v + c)
            for k in range(c + 1):
                g_w, g_v = motion_column(scratch, o, kind, R, k)
                M[o_v + c, o_v + k] = dot(g_w, n) + dot(g_v, f)
            _carry_inward(ints, scratch, body, n, f, M, o_v + c)
        if body.parent < 0:
            continue
        if not rigid:
            R = b.R
            J, p = turned_symmetric(R, J), turn(R, p)
        J, p = shifted_inertia(J, p, m, b.arm)
        _add_to_carrier(scratch, body.carrier, J, p, m)


@jit
def mass_of_rigid_tree(ints, scratch, M):
    """Upper triangle for a tree without flexible bodies, in the working axes of the world.

    The forces of all hinge motions of a branch move inward together, one component after another,
    so that a whole branch goes through vector instructions.
    """
    _composite_bodies(ints, scratch)
    n_v, order = ints[field.N_V] & POSITIVE, ints[field.ORDER] & POSITIVE
    v_of, o_f = order + (ints[field.N_BODY] & POSITIVE), ints[field.COLUMNS] & POSITIVE
    in_order = ints[field.IN_ORDER] != 0
    for index in range(ints[field.N_BODY] - 1, -1, -1):
        body = BodyRow(ints, field.HEADER, ints[order + index])
        b, o = CarrierRecord(scratch, body.record), body.hinge
        kind, o_v, dof = body.kind, body.hinge_v, body.hinge_dof
        start, stop = body.branch, body.branch_end
        R, composite = b.R, composite_inertia(scratch, body.record)
        J, p, m = composite.J, composite.p, composite.mass
        for c in range(dof):
            h_w, h_v = motion_column(scratch, o, kind, R, c)
            n, f = add(apply(J, h_w), cross(p, h_v)), added(cross(h_w, p), m, h_v)
            for k in range(3):
                scratch[o_f + k * n_v + start + c] = n[k]
                scratch[o_f + (3 + k) * n_v + start + c] = f[k]
        if not in_order or stop < n_v:
            for c in range(dof):
                for k in range(o_v + c, n_v):
                    M[o_v + c, k] = 0.0
        if kind == field.REVOLUTE and in_order:
            h, r = vector(scratch, o), b.arm
            _read_and_move(scratch, o_f, n_v, start, stop, h, r, M, o_v)
            continue
        for c in range(dof):
            h_w, h_v = motion_column(scratch, o, kind, R, c)
            if in_order:
                _read_branch(scratch, o_f, n_v, start + c, stop, h_w, h_v, M, o_v + c)
            else:
                _read_scattered(ints, v_of, scratch, o_f, n_v, start + c, stop, h_w, h_v, M)
        if body.parent >= 0:
            _move_branch(scratch, o_f, n_v, start, stop, b.arm)


@jit
def _read_branch(scratch, o, n, start, stop, h_w, h_v, M, r):
    """Row r of M at columns start to stop: projection of their forces on the motion h."""
    o, n, start, stop = o & POSITIVE, n & POSITIVE, start & POSITIVE, stop & POSITIVE
    h0, h1, h2 = h_w
    u0, u1, u2 = h_v
    for k in range(start, stop):
        M[r, k] = (
            h0 * scratch[o + k]
            + h1 * scratch[o + n + k]
            + h2 * scratch[o + 2 * n + k]
            + u0 * scratch[o + 3 * n + k]
            + u1 * scratch[o + 4 * n + k]
            + u2 * scratch[o + 5 * n + k]
        )


@jit
def _read_and_move(scratch, o, n, start, stop, h, r, M, body):
    """`_read_branch` at a revolute hinge and `_move_branch` in one pass."""
    o, n, start, stop = o & POSITIVE, n & POSITIVE, start & POSITIVE, stop & POSITIVE
    h0, h1, h2 = h
    r0, r1, r2 = r
    for k in range(start, stop):
        n0, n1, n2 = scratch[o + k], scratch[o + n + k], scratch[o + 2 * n + k]
        f0, f1 = scratch[o + 3 * n + k], scratch[o + 4 * n + k]
        f2 = scratch[o + 5 * n + k]
        M[body, k] = h0 * n0 + h1 * n1 + h2 * n2
        scratch[o + k] = n0 + (r1 * f2 - r2 * f1)
        scratch[o + n + k] = n1 + (r2 * f0 - r0 * f2)
        scratch[o + 2 * n + k] = n2 + (r0 * f1 - r1 * f0)


@jit
def _read_scattered(ints, v_of, scratch, o, n, start, stop, h_w, h_v, M):
    """`_read_branch` for a system in another order; entries go to the upper triangle."""
    i = ints[v_of + start]
    for k in range(start, stop):
        e = (
            h_w[0] * scratch[o + k]
            + h_w[1] * scratch[o + n + k]
            + h_w[2] * scratch[o + 2 * n + k]
            + h_v[0] * scratch[o + 3 * n + k]
            + h_v[1] * scratch[o + 4 * n + k]
            + h_v[2] * scratch[o + 5 * n + k]
        )
        M[i, ints[v_of + k]] = e


@jit
def _move_branch(scratch, o, n, start, stop, r):
    """Move the forces of columns start to stop inward by the arm r: n += r x f."""
    o, n, start, stop = o & POSITIVE, n & POSITIVE, start & POSITIVE, stop & POSITIVE
    r0, r1, r2 = r
    for k in range(start, stop):
        f0, f1 = scratch[o + 3 * n + k], scratch[o + 4 * n + k]
        f2 = scratch[o + 5 * n + k]
        scratch[o + k] += r1 * f2 - r2 * f1
        scratch[o + n + k] += r2 * f0 - r0 * f2
        scratch[o + 2 * n + k] += r0 * f1 - r1 * f0


@jit
def _composite_bodies(ints, scratch):
    """Write the inertia (J, p, m) of every rigid body with all that it carries."""
    for i in range(ints[field.N_BODY]):
        body = BodyRow(ints, field.HEADER, i)
        b, composite = (
            CarrierRecord(scratch, body.record),
            composite_inertia(scratch, body.record),
        )
        composite.J = b.J
        composite.p = b.p
        composite.mass = b.mass
    for i in range(ints[field.N_BODY] - 1, -1, -1):
        body = BodyRow(ints, field.HEADER, i)
        if body.parent < 0:
            continue
        composite = composite_inertia(scratch, body.record)
        p, m = composite.p, composite.mass
        arm = CarrierRecord(scratch, body.record).arm
        J, p = shifted_inertia(composite.J, p, m, arm)
        _add_to_carrier(scratch, body.carrier, J, p, m)


@jit
def _clear(ints, scratch):
    """Set the composite inertias of all records to zero."""
    for i in range(ints[field.N_BODY]):
        body = BodyRow(ints, field.HEADER, i)
        _clear_inertia(composite_inertia(scratch, body.record))
        for node in range(body.n_node):
            _clear_inertia(composite_inertia(scratch, body.nodes + node * field.NODE_RECORD))


@jit
def _clear_inertia(composite):
    """Set an inertia to zero."""
    composite.J = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    composite.p = ZERO
    composite.mass = 0.0


@jit
def _sum(J, K):
    """Sum of two symmetric matrices."""
    return J[0] + K[0], J[1] + K[1], J[2] + K[2], J[3] + K[3], J[4] + K[4], J[5] + K[5]


@jit
def motion_column(scratch, o, kind, R, c):
    """Column c of the motion map, in working axes."""
    if kind == field.REVOLUTE:
        return vector(scratch, o), ZERO
    if kind == field.PRISMATIC:
        return ZERO, vector(scratch, o + 3)
    if kind == field.SPHERICAL or kind == field.FREE:
        k = c % 3
        if k == 0:
            e = R[0], R[3], R[6]
        elif k == 1:
            e = R[1], R[4], R[7]
        else:
            e = R[2], R[5], R[8]
        if c < 3:
            return e, ZERO
        return ZERO, e
    return vector(scratch, o + 6 * c), vector(scratch, o + 6 * c + 3)


@jit
def _carry_inward(ints, scratch, body, n, f, M, r):
    """Carry a force inward from `body` and write its projections to row r of M."""
    while body.parent >= 0:
        b = CarrierRecord(scratch, body.record)
        if body.level != field.RIGID:
            R = b.R
            n, f = turn(R, n), turn(R, f)
        n = add(n, cross(b.arm, f))
        o_n = body.carrier
        d = CarrierRecord(scratch, o_n)
        body = BodyRow(ints, field.HEADER, body.parent)
        kind, o_v = body.kind, body.hinge_v
        b, o = CarrierRecord(scratch, body.record), body.hinge
        rigid = body.level == field.RIGID
        if not rigid:
            m, o_m = body.n_mode, body.modal_v
            node = (o_n - body.nodes) // field.NODE_RECORD
            Pi = node_shapes(body.node_shapes, node, m)
            n0, n1, n2 = turn_back(d.J_l, n)
            for a in range(m):
                M[r, o_m + a] = (
                    n0 * scratch[Pi + a]
                    + n1 * scratch[Pi + m + a]
                    + n2 * scratch[Pi + 2 * m + a]
                    + f[0] * scratch[Pi + 3 * m + a]
                    + f[1] * scratch[Pi + 4 * m + a]
                    + f[2] * scratch[Pi + 5 * m + a]
                )
            n = add(n, cross(d.arm, f))
        if kind == field.REVOLUTE:
            M[r, o_v] = dot(vector(scratch, o), n)
        elif kind == field.PRISMATIC:
            M[r, o_v] = dot(vector(scratch, o + 3), f)
        elif kind != field.FIXED:
            R = b.R if rigid else IDENTITY
            for c in range(body.hinge_dof):
                h_w, h_v = motion_column(scratch, o, kind, R, c)
                M[r, o_v + c] = dot(h_w, n) + dot(h_v, f)


@jit
def _flexible_columns(ints, scratch, body, M):
    """Write the modal rows of one body, and R_rf to its columns; return its composite inertia.

    R_ff = M_ff + sum Pi_hat^T R_t Pi_hat,   R_rf = M_rf + sum phi_t R_t Pi_hat
    """
    b, m = CarrierRecord(scratch, body.record), body.n_mode
    M_ff = modal_record(body.modal, m).mass
    o_m = body.modal_v
    M_rf, work = body.M_rf, ints[field.TEMPORARY] & POSITIVE
    columns = work + field.THIRD_ROWS * m  # six for each mode in turn
    J, p = b.J, b.p
    mass = b.mass
    for a in range(m):
        for k in range(6):
            scratch[columns + 6 * a + k] = scratch[M_rf + k * m + a]
        if body.dense != 0:
            for k in range(a + 1):
                M[o_m + a, o_m + k] = scratch[M_ff + a * m + k]
        else:
            M[o_m + a, o_m + a] = 1.0
    for node in range(body.n_node):
        d = body.nodes + node * field.NODE_RECORD
        Pi = node_shapes(body.node_shapes, node, m)
        composite = composite_inertia(scratch, d)
        J_t, p_t, m_t = composite.J, composite.p, composite.mass
        l, J_l = CarrierRecord(scratch, d).arm, CarrierRecord(scratch, d).J_l
        for a in range(m):
            pi_w = turn(J_l, (scratch[Pi + a], scratch[Pi + m + a], scratch[Pi + 2 * m + a]))
            pi_v = scratch[Pi + 3 * m + a], scratch[Pi + 4 * m + a], scratch[Pi + 5 * m + a]
            n, e = add(apply(J_t, pi_w), cross(p_t, pi_v)), added(cross(pi_w, p_t), m_t, pi_v)
            n_0, back = add(n, cross(l, e)), turn_back(J_l, n)
            for k in range(3):
                scratch[columns + 6 * a + k] += n_0[k]
                scratch[columns + 6 * a + 3 + k] += e[k]
                scratch[work + 6 * a + k] = back[k]
                scratch[work + 6 * a + 3 + k] = e[k]
        for a in range(m):
            for c in range(a + 1):
                s = M[o_m + a, o_m + c]
                for k in range(6):
                    s += scratch[work + 6 * a + k] * scratch[Pi + k * m + c]
                M[o_m + a, o_m + c] = s
        J_0, p_0 = shifted_inertia(J_t, p_t, m_t, l)
        J, p, mass = _sum(J, J_0), add(p, p_0), mass + m_t
    for a in range(m):
        n, e = vector(scratch, columns + 6 * a), vector(scratch, columns + 6 * a + 3)
        _carry_inward(ints, scratch, body, n, e, M, o_m + a)
    return J, p, mass


@jit
def _modal_columns(ints, scratch, body, h_w, h_v, M, r):
    """Write row r of a hinge motion at the modes of its body: R_rf^T h."""
    m, o_m = body.n_mode, body.modal_v
    columns = (ints[field.TEMPORARY] & POSITIVE) + field.THIRD_ROWS * m
    for a in range(m):
        n, e = vector(scratch, columns + 6 * a), vector(scratch, columns + 6 * a + 3)
        M[r, o_m + a] = dot(h_w, n) + dot(h_v, e)
