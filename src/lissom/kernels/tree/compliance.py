"""A flexible body as a rigid body in series with a compliance: constants, inward and outward step.

Notation of `reference`, (10)-(14), (19)-(20), (24)-(25).  Matrices over the nodes that carry
children have the order 6 n_node; T = diag(J_l, I) of each node:
  M_bar = M_rr - M_rf W M_rf^T     X = M_rf W Pi^T     S_0 = Pi W Pi^T                  (1)
  Y = phi - X T^T                  S = T S_0 T^T                                        (2)
  (I + Gamma S) N = I   by elimination with row exchanges                               (3)
  P_R = M_bar + Y N Gamma Y^T      f_0 = N (Gamma y + zeta),  y = T Pi W eps_f          (4)
  z_R = z + M_rf W eps_f + Y f_0                                                        (5)
Outward:
  f = N (Gamma (Y^T alpha + y) + zeta)     A_t = Y^T alpha + y - S f                    (6)
  eta_ddot = W (eps_f - M_rf^T alpha - (T Pi)^T f)                                      (7)
At levels "ruthless" and "linear" (1) is constant; at "full" only S_0 is, and M_bar and X are sums
over modes; at "stiffened" and where the modal mass is dense (`dense_modes`) all of it depends on
the deformation.
The accelerations already contain the accelerations gamma of the nodes (see `motion`).  Under a
heavy child the rounding errors of N are large; the same N for Gamma and zeta, applied to the sum,
keeps them in proportion to the force, which is small.
Offsets in the workspace: `records.softened_record` for (1), `records.stack_record`.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..dense import solve_spd
from ..fields import POSITIVE
from ..layout.records import CarrierRecord
from ..records import modal_record, node_shapes, softened_record, stack_record
from ..small import add, six, turn, turn_back, vector
from .modal import modal_spread, modal_spread_two, modal_sums, sums_of_two, weighted_sums_of_two
from .one_node import accelerate_one_node, children_rows, force_through_one_node
from .rigid import articulated, rigid_as_articulated


@jit
def prepare_body(ints, scratch, body):
    """Write the parts of (1) that do not depend on the state, for the current W."""
    if body.dense != 0 or body.level == field.STIFFENED:
        return
    node_compliance(ints, scratch, body)
    if body.level <= field.LINEAR:
        softened_inertia(ints, scratch, body)


@jit
def _weighted_rows(scratch, body, o, out):
    """Write W times the six rows at scratch[o] to scratch[out]."""
    m, f = body.n_mode, body.modal
    for k in range(6):
        for a in range(m):
            scratch[out + k * m + a] = scratch[f + a] * scratch[o + k * m + a]


@jit
def softened_inertia(ints, scratch, body):
    """Matrices M_bar and X of one body (1)."""
    b, m = CarrierRecord(scratch, body.record), body.n_mode
    s, n_node = body.compliance, body.n_node
    shapes = body.node_shapes
    M_rf, weighted = body.M_rf, ints[field.TEMPORARY] & POSITIVE
    _weighted_rows(scratch, body, M_rf, weighted)
    A, B, D = rigid_as_articulated(
        b.J,
        b.p,
        b.mass,
    )
    u = modal_sums(scratch, M_rf, m, scratch, weighted)
    v = modal_sums(scratch, M_rf, m, scratch, weighted + m)
    w = modal_sums(scratch, M_rf, m, scratch, weighted + 2 * m)
    x = modal_sums(scratch, M_rf, m, scratch, weighted + 3 * m)
    y = modal_sums(scratch, M_rf, m, scratch, weighted + 4 * m)
    z = modal_sums(scratch, M_rf, m, scratch, weighted + 5 * m)
    M_bar = (
        A[0] - u[0], A[1] - u[1], A[2] - u[2], A[3] - v[1], A[4] - v[2], A[5] - w[2],
        B[0] - u[3], B[1] - u[4], B[2] - u[5], B[3] - v[3], B[4] - v[4], B[5] - v[5],
        B[6] - w[3], B[7] - w[4], B[8] - w[5],
        D[0] - x[3], D[1] - x[4], D[2] - x[5], D[3] - y[4], D[4] - y[5], D[5] - z[5],
    )  # fmt: skip
    softened = softened_record(s, n_node)
    for k in range(21):
        scratch[softened.inertia + k] = M_bar[k]
    for node in range(n_node):
        Pi = node_shapes(shapes, node, m)
        for r in range(6):
            x = modal_sums(scratch, Pi, m, scratch, weighted + r * m)
            for c in range(6):
                scratch[softened.coupling + (r * n_node + node) * 6 + c] = x[c]


@jit
def node_compliance(ints, scratch, body):
    """Write S_0 of one body (1)."""
    m, n_node = body.n_mode, body.n_node
    shapes = body.node_shapes
    o = softened_record(body.compliance, n_node).compliance
    order = 6 * n_node
    weighted = (ints[field.TEMPORARY] & POSITIVE) + field.SECOND_ROWS * m
    for s in range(n_node):
        _weighted_rows(scratch, body, node_shapes(shapes, s, m), weighted)
        for node in range(n_node):
            Pi = node_shapes(shapes, node, m)
            for r in range(6):
                x = modal_sums(scratch, Pi, m, scratch, weighted + r * m)
                for c in range(6):
                    scratch[o + (6 * s + r) * order + 6 * node + c] = x[c]


@jit
def pass_nodes(scratch, t, s, nodes, n_node):
    """Inward, several nodes: write Y, S, N (2), (3); P_R (4).  (1) is at scratch[s]."""
    place_nodes(scratch, t, s, nodes, n_node)
    _eliminate(scratch, t, nodes, n_node)
    return _seen_inertia(scratch, t, s, n_node)


@jit
def place_nodes(scratch, t, softened, nodes, n_node):
    """Write Y and S (2); (1) is at scratch[softened]."""
    order = 6 * n_node
    _M, o_x, o_s0 = softened_record(softened, n_node)
    o_y, o_s, _N, _work = stack_record(t, n_node)
    for s in range(n_node):
        d = CarrierRecord(scratch, nodes, s)
        J_l, l = d.J_l, d.arm
        for r in range(6):
            x, y = o_x + r * order + 6 * s, o_y + r * order + 6 * s
            e = turn(J_l, vector(scratch, x))
            for c in range(3):
                scratch[y + c] = -e[c]
                scratch[y + 3 + c] = -scratch[x + 3 + c]
            scratch[y + r] += 1.0
        y = o_y + 6 * s
        scratch[y + 4] -= l[2]  # the upper right block of phi is [l]x
        scratch[y + 5] += l[1]
        scratch[y + order + 3] += l[2]
        scratch[y + order + 5] -= l[0]
        scratch[y + 2 * order + 3] -= l[1]
        scratch[y + 2 * order + 4] += l[0]
        for u in range(n_node):
            K_l = CarrierRecord(scratch, nodes, u).J_l
            for r in range(6):  # S_0 T^T
                x, y = o_s0 + (6 * s + r) * order + 6 * u, o_s + (6 * s + r) * order + 6 * u
                e = turn(K_l, vector(scratch, x))
                for c in range(3):
                    scratch[y + c] = e[c]
                    scratch[y + 3 + c] = scratch[x + 3 + c]
            for c in range(6):  # T times it
                y = o_s + 6 * s * order + 6 * u + c
                e = turn(J_l, (scratch[y], scratch[y + order], scratch[y + 2 * order]))
                scratch[y], scratch[y + order], scratch[y + 2 * order] = e


@jit
def _eliminate(scratch, t, nodes, n_node):
    """Write N by elimination (3), then E = N Gamma in place of I + Gamma S."""
    order = 6 * n_node
    _Y, o_s, o_n, o_w = stack_record(t, n_node)
    for k in range(order * order):
        scratch[o_n + k] = 0.0
    for s in range(n_node):  # I + Gamma S
        for r in range(6):
            g = children_rows(scratch, nodes + s * field.NODE_RECORD)[r]
            i = 6 * s + r
            for c in range(order):
                e = 0.0
                for k in range(6):
                    e += g[k] * scratch[o_s + (6 * s + k) * order + c]
                scratch[o_w + i * order + c] = e
            scratch[o_w + i * order + i] += 1.0
            scratch[o_n + i * order + i] = 1.0
    for c in range(order):
        best, pivot = c, abs(scratch[o_w + c * order + c])
        for r in range(c + 1, order):
            size = abs(scratch[o_w + r * order + c])
            if size > pivot:
                best, pivot = r, size
        o_c, p_c = o_w + c * order, o_n + c * order
        if best != c:
            o_b, p_b = o_w + best * order, o_n + best * order
            for k in range(order):
                scratch[o_c + k], scratch[o_b + k] = scratch[o_b + k], scratch[o_c + k]
                scratch[p_c + k], scratch[p_b + k] = scratch[p_b + k], scratch[p_c + k]
        d = 1.0 / scratch[o_c + c]
        for k in range(order):
            scratch[p_c + k] *= d
        for k in range(c + 1, order):
            scratch[o_c + k] *= d
        for r in range(c + 1, order):
            h = -scratch[o_w + r * order + c]
            for k in range(c + 1, order):
                scratch[o_w + r * order + k] += h * scratch[o_c + k]
            for k in range(order):
                scratch[o_n + r * order + k] += h * scratch[p_c + k]
    for c in range(order - 1, 0, -1):
        p_c = o_n + c * order
        for r in range(c):
            h = -scratch[o_w + r * order + c]
            for k in range(order):
                scratch[o_n + r * order + k] += h * scratch[p_c + k]
    for s in range(n_node):
        for k in range(6):
            g = children_rows(scratch, nodes + s * field.NODE_RECORD)[k]  # Gamma is symmetric
            for r in range(order):
                e = 0.0
                for c in range(6):
                    e += scratch[o_n + r * order + 6 * s + c] * g[c]
                scratch[o_w + r * order + 6 * s + k] = e
    for r in range(order):  # its mean with its transpose, see `one_node`
        for c in range(r):
            e = 0.5 * (scratch[o_w + r * order + c] + scratch[o_w + c * order + r])
            scratch[o_w + r * order + c] = scratch[o_w + c * order + r] = e


@jit
def node_forces(scratch, t, nodes, n_node, where):
    """Write N (Gamma a + zeta) as the node forces; a is at `where` in the records."""
    order = 6 * n_node
    _Y, _S, o_n, o_w = stack_record(t, n_node)
    for s in range(n_node):
        d = nodes + s * field.NODE_RECORD
        for r in range(6):
            g, e = children_rows(scratch, d)[r], scratch[d + field.FORCE + r]
            for c in range(6):
                e += g[c] * scratch[d + where + c]
            scratch[o_w + 6 * s + r] = e
    for s in range(n_node):
        for r in range(6):
            e, o = 0.0, o_n + (6 * s + r) * order
            for c in range(order):
                e += scratch[o + c] * scratch[o_w + c]
            scratch[nodes + s * field.NODE_RECORD + field.NODE_FORCE + r] = e


@jit
def _seen_inertia(scratch, t, s, n_node):
    """Inertia P_R (4) as (A, B, D); Y E Y^T is summed from one triangle."""
    o_y, _S, _N, o_e = stack_record(t, n_node)
    A, B, D = articulated(scratch, s)
    order = 6 * n_node
    for k in range(order):
        # row k of E Y^T
        x0 = x1 = x2 = x3 = x4 = x5 = 0.0
        for j in range(order):
            e = scratch[o_e + k * order + j]
            x0 += e * scratch[o_y + j]
            x1 += e * scratch[o_y + order + j]
            x2 += e * scratch[o_y + 2 * order + j]
            x3 += e * scratch[o_y + 3 * order + j]
            x4 += e * scratch[o_y + 4 * order + j]
            x5 += e * scratch[o_y + 5 * order + j]
        y0, y1, y2 = scratch[o_y + k], scratch[o_y + order + k], scratch[o_y + 2 * order + k]
        y3, y4, y5 = (
            scratch[o_y + 3 * order + k],
            scratch[o_y + 4 * order + k],
            scratch[o_y + 5 * order + k],
        )
        A = (A[0] + y0 * x0, A[1] + y1 * x0, A[2] + y2 * x0,
             A[3] + y1 * x1, A[4] + y2 * x1, A[5] + y2 * x2)  # fmt: skip
        B = (B[0] + y0 * x3, B[1] + y0 * x4, B[2] + y0 * x5,
             B[3] + y1 * x3, B[4] + y1 * x4, B[5] + y1 * x5,
             B[6] + y2 * x3, B[7] + y2 * x4, B[8] + y2 * x5)  # fmt: skip
        D = (D[0] + y3 * x3, D[1] + y4 * x3, D[2] + y5 * x3,
             D[3] + y4 * x4, D[4] + y5 * x4, D[5] + y5 * x5)  # fmt: skip
    return A, B, D


@jit
def seen_force(ints, scratch, body):
    """Force z_R of one body (5); eps_f is in its modal part.  Also writes W eps_f, y and f_0."""
    b, m = CarrierRecord(scratch, body.record), body.n_mode
    f, t = body.modal, body.stack
    n_node, nodes = body.n_node, body.nodes
    shapes = body.node_shapes
    M_rf, weighted = body.M_rf, (ints[field.TEMPORARY] & POSITIVE) + field.THIRD_ROWS * m
    modal, Pi = modal_record(f, m), node_shapes(shapes, 0, m)
    softened = body.compliance
    if n_node == 1 and body.dense == 0:
        if scratch[field.ARMATURE] == 0.0:  # W is the identity
            x, y = sums_of_two(scratch, modal.force, scratch, M_rf, scratch, Pi, m)
        else:
            x, y = weighted_sums_of_two(
                scratch, modal.weight, scratch, modal.force, scratch, M_rf, scratch, Pi, m
            )
        y_w = turn(CarrierRecord(scratch, nodes).J_l, (y[0], y[1], y[2]))
        z = force_through_one_node(scratch, t, softened, nodes, six(y_w, (y[3], y[4], y[5])))
        z_w = add(b.z_w, (x[0] + z[0], x[1] + z[1], x[2] + z[2]))
        z_v = add(b.z_v, (x[3] + z[3], x[4] + z[4], x[5] + z[5]))
        return z_w, z_v
    _weigh_vector(scratch, body, modal.force, weighted)
    x = modal_sums(scratch, M_rf, m, scratch, weighted)
    z_w = add(b.z_w, (x[0], x[1], x[2]))
    z_v = add(b.z_v, (x[3], x[4], x[5]))
    if n_node == 1:
        y = modal_sums(scratch, Pi, m, scratch, weighted)
        y_w = turn(CarrierRecord(scratch, nodes).J_l, (y[0], y[1], y[2]))
        x = force_through_one_node(scratch, t, softened, nodes, six(y_w, (y[3], y[4], y[5])))
        return add(z_w, (x[0], x[1], x[2])), add(z_v, (x[3], x[4], x[5]))
    for node in range(n_node):
        d = nodes + node * field.NODE_RECORD
        y = modal_sums(scratch, node_shapes(shapes, node, m), m, scratch, weighted)
        y_w = turn(CarrierRecord(scratch, d).J_l, (y[0], y[1], y[2]))
        for k in range(3):
            scratch[d + field.YIELD + k] = y_w[k]
            scratch[d + field.YIELD + 3 + k] = y[3 + k]
    order, o_y = 6 * n_node, stack_record(t, n_node).transfer
    if n_node > 0:
        node_forces(scratch, t, nodes, n_node, field.YIELD)  # f_0
    for node in range(n_node):
        d = nodes + node * field.NODE_RECORD + field.NODE_FORCE
        for c in range(6):
            e, o = scratch[d + c], o_y + 6 * node + c
            z_w = add(z_w, (scratch[o] * e, scratch[o + order] * e, scratch[o + 2 * order] * e))
            o += 3 * order
            z_v = add(z_v, (scratch[o] * e, scratch[o + order] * e, scratch[o + 2 * order] * e))
    return z_w, z_v


@jit
def _weigh_vector(scratch, body, o, out):
    """Write W times the modal vector at scratch[o] to scratch[out]."""
    m, f = body.n_mode, body.modal
    if body.dense == 0:
        for a in range(m):
            scratch[out + a] = scratch[f + a] * scratch[o + a]
    else:
        for a in range(m):
            scratch[out + a] = scratch[o + a]
        solve_spd(scratch, modal_record(f, m).mass, m, scratch, out)


@jit
def deform(ints, scratch, body, alpha, a, out):
    """Outward: accelerations of the nodes (6) and of the modes (7) of one body."""
    m, f = body.n_mode, body.modal
    t, nodes = body.stack, body.nodes
    n_node, o_v = body.n_node, body.modal_v
    shapes = body.node_shapes
    M_rf, weighted = body.M_rf, (ints[field.TEMPORARY] & POSITIVE) + field.THIRD_ROWS * m
    minus, modal = (-alpha[0], -alpha[1], -alpha[2], -a[0], -a[1], -a[2]), modal_record(f, m)
    if n_node == 1:
        softened, moved = body.compliance, body.node_motion
        accelerate_one_node(scratch, t, softened & POSITIVE, nodes, moved & POSITIVE, six(alpha, a))
        if body.dense == 0:
            n_t, f_t = (
                vector(scratch, nodes + field.NODE_FORCE),
                vector(scratch, nodes + field.NODE_FORCE + 3),
            )
            n_t = turn_back(CarrierRecord(scratch, nodes).J_l, n_t)
            load = -n_t[0], -n_t[1], -n_t[2], -f_t[0], -f_t[1], -f_t[2]
            Pi = node_shapes(shapes, 0, m)
            modal_spread_two(scratch, M_rf, minus, scratch, Pi, load, m, scratch, weighted)
            if scratch[field.ARMATURE] == 0.0:
                for k in range(m):  # (7)
                    out[o_v + k] = scratch[modal.force + k] + scratch[weighted + k]
            else:
                for k in range(m):
                    e = scratch[modal.force + k] + scratch[weighted + k]
                    out[o_v + k] = scratch[modal.weight + k] * e
            return
    for k in range(m):
        scratch[weighted + k] = scratch[modal.force + k]
    modal_spread(scratch, M_rf, m, minus, scratch, weighted)
    if n_node > 1:
        _accelerate_nodes(scratch, t, nodes, n_node, alpha, a)
    for node in range(n_node):
        d = CarrierRecord(scratch, nodes, node)
        n_t, f_t = d.f_w, d.f_v
        n_t = turn_back(d.J_l, n_t)
        minus = -n_t[0], -n_t[1], -n_t[2], -f_t[0], -f_t[1], -f_t[2]
        modal_spread(scratch, node_shapes(shapes, node, m), m, minus, scratch, weighted)
    _weigh_vector(scratch, body, weighted, weighted)
    for k in range(m):  # (7)
        out[o_v + k] = scratch[weighted + k]


@jit
def _accelerate_nodes(scratch, t, nodes, n_node, alpha, a):
    """Write node forces f and accelerations A_t (6)."""
    order = 6 * n_node
    o_y, o_s, _N, _work = stack_record(t, n_node)
    for node in range(n_node):  # Y^T alpha + y
        d = nodes + node * field.NODE_RECORD
        for c in range(6):
            o, e = o_y + 6 * node + c, scratch[d + field.YIELD + c]
            e += (
                alpha[0] * scratch[o]
                + alpha[1] * scratch[o + order]
                + alpha[2] * scratch[o + 2 * order]
            )
            o += 3 * order
            e += a[0] * scratch[o] + a[1] * scratch[o + order] + a[2] * scratch[o + 2 * order]
            scratch[d + field.CHANGE + c] = e
    node_forces(scratch, t, nodes, n_node, field.CHANGE)
    for node in range(n_node):
        d = nodes + node * field.NODE_RECORD
        for other in range(n_node):
            g = nodes + other * field.NODE_RECORD + field.NODE_FORCE
            for r in range(6):
                o, e = o_s + (6 * node + r) * order + 6 * other, 0.0
                for c in range(6):
                    e -= scratch[o + c] * scratch[g + c]
                scratch[d + field.CHANGE + r] += e
