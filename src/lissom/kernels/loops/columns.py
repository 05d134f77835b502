"""Columns of the unknown forces: what each does to bodies and hinges, from tip to base.

Follows (6)-(8) of `closed_loops`.  After `close_loops` and the articulation of a body, with
zeta_k the forces of unknown k on its nodes:
  x_k = N zeta_k     Z_k = Y x_k     Lambda_kl += (S zeta_k) . x_l                           (1)
  L e_k = u_k - H Z_k     Lambda_kl += e_k . d^-1 e_l     Z+_k = Z_k + Y_h d^-1 e_k          (2)
The accelerations of the free tree along k need no outward sweep:
  A vdot_free = bias accelerations + sum over hinges e_k . d^-1 e - sum over nodes
                zeta_k . (y - S f_0)                                                         (3)
A rigid body is its own node: x = Z = zeta.  u_k are the forces of a coupling at the hinge.
A body has the columns that reach it, one after another, and Lambda has the entries of columns that
meet on a body.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..fields import POSITIVE
from ..layout.records import CarrierRecord
from ..layout.tree import BodyRow
from ..records import hinge_record, stack_record
from ..small import add, added, cross, dot, put_vector, turn, vector
from ..tree.compliance import node_forces, place_nodes
from ..tree.one_node import combined, product_at, put_row, row as row_of_six
from .envelope import row_of_envelope
from .unknowns import solution_of


@jit
def pass_columns(ints, scratch, loops, path, free):
    """Pass the columns of one body through its nodes and its hinge (1), (2).

    free: add the accelerations (3) to the right-hand side.
    """
    rhs, Lam = solution_of(loops).rhs, loops.Lambda
    table = loops.envelope
    body = BodyRow(ints, path.body)
    b, active = CarrierRecord(scratch, body.record), path.active
    n_active, forces = path.n_active, path.forces
    rigid = body.level == field.RIGID
    Z = forces
    if not rigid:
        Z = loops.loop_work
        if path.n_node == 1:
            _through_one_node(ints, scratch, loops, path, body, Z, rhs, free)
        else:
            _through_nodes(ints, scratch, loops, path, body, Z, rhs, free)
    r, o = body.hinge_dof, body.hinge
    if body.driven != 0:
        r = 0
    e = path.innovations
    _H, o_y, o_l, o_e, _a, _child = hinge_record(o, r)
    arm, R = b.arm, b.R
    for i in range(n_active):
        k = ints[active + i] & POSITIVE
        z_w, z_v = vector(scratch, Z + 6 * i), vector(scratch, Z + 6 * i + 3)
        e_k = e + r * i
        _first, entry = row_of_envelope(ints, table, k)
        entry += Lam
        n_w, n_v = z_w, z_v
        for c in range(r):  # (2)
            s = scratch[e_k + c]  # initial value of a coupling
            s -= dot(vector(scratch, o + 6 * c), z_w) + dot(vector(scratch, o + 6 * c + 3), z_v)
            for t in range(c):
                s -= scratch[o_l + c * r + t] * scratch[e_k + t]
            scratch[e_k + c] = s
            s *= scratch[o_l + c * r + c]
            n_w = added(n_w, s, vector(scratch, o_y + 6 * c))
            n_v = added(n_v, s, vector(scratch, o_y + 6 * c + 3))
            if free:
                scratch[rhs + k] -= s * scratch[o_e + c]
            for t in range(i + 1):
                scratch[entry + ints[active + t]] += s * scratch[e + r * t + c]
        place = ints[active + n_active + i]
        if place >= 0:
            if not rigid:
                n_w, n_v = turn(R, n_w), turn(R, n_v)
            add_at_carrier(scratch, place & POSITIVE, arm, n_w, n_v)


@jit
def add_at_carrier(scratch, o, arm, n, f):
    """Add a moment and a force, at `arm` from the carrying node, to those at scratch[o]."""
    put_vector(scratch, o, add(vector(scratch, o), add(n, cross(arm, f))))
    put_vector(scratch, o + 3, add(vector(scratch, o + 3), f))


@jit
def _through_one_node(ints, scratch, loops, path, body, Z, rhs, free):
    """`_through_nodes` for one node, the common case: Z = (Y N) zeta, w = (S N) zeta."""
    active, forces = path.active, path.forces
    table = loops.envelope
    n, Lam = path.n_active, loops.Lambda
    t, d = body.stack, body.nodes
    w, SN = Z + 6 * n, Z + 12 * n
    YN = SN + 36
    stack = stack_record(t, 1)
    place_nodes(scratch, t, body.compliance, d, 1)
    _product_of_six(scratch, stack.compliance, stack.passing, SN)
    _product_of_six(scratch, stack.transfer, stack.passing, YN)
    g0 = g1 = g2 = g3 = g4 = g5 = 0.0
    if free:
        node_forces(scratch, t, d, 1, field.YIELD)  # f_0
        y = row_of_six(scratch, d + field.YIELD)
        s = product_at(scratch, stack.compliance, row_of_six(scratch, d + field.NODE_FORCE))
        g0, g1, g2, g3, g4, g5 = (
            y[0] - s[0], y[1] - s[1], y[2] - s[2], y[3] - s[3], y[4] - s[4], y[5] - s[5]
        )  # fmt: skip
    for i in range(n):
        k = ints[active + i] & POSITIVE
        z = row_of_six(scratch, forces + 6 * i)
        put_row(scratch, Z + 6 * i, product_at(scratch, YN, z))
        put_row(scratch, w + 6 * i, product_at(scratch, SN, z))
        _first, entry = row_of_envelope(ints, table, k)
        for j in range(i + 1):
            o = w + 6 * j
            scratch[Lam + entry + ints[active + j]] += (
                z[0] * scratch[o] + z[1] * scratch[o + 1] + z[2] * scratch[o + 2]
                + z[3] * scratch[o + 3] + z[4] * scratch[o + 4] + z[5] * scratch[o + 5]
            )  # fmt: skip
        scratch[rhs + k] += z[0] * g0 + z[1] * g1 + z[2] * g2 + z[3] * g3 + z[4] * g4 + z[5] * g5


@jit
def _product_of_six(x, a, b, out):
    """Write the product of the 6x6 matrices at x[a] and x[b] to x[out]."""
    r0, r1, r2 = row_of_six(x, b), row_of_six(x, b + 6), row_of_six(x, b + 12)
    r3, r4, r5 = row_of_six(x, b + 18), row_of_six(x, b + 24), row_of_six(x, b + 30)
    for r in range(6):
        put_row(x, out + 6 * r, combined(row_of_six(x, a + 6 * r), r0, r1, r2, r3, r4, r5))


@jit
def _through_nodes(ints, scratch, loops, path, body, Z, rhs, free):
    """Write the columns of a flexible body at its frame to Z; add to Lambda (1) and the rhs (3)."""
    active, forces = path.active, path.forces
    n, n_node = path.n_active, path.n_node
    Lam, table = loops.Lambda, loops.envelope
    t, nodes = body.stack, body.nodes
    order = 6 * n_node
    o_y, o_s, o_n, _work = stack_record(t, n_node)
    passed, softened = Z + 6 * n, Z + 6 * n + order * n  # x_k and S zeta_k of all columns
    zeta = softened + order * n
    if free:
        node_forces(scratch, t, nodes, n_node, field.YIELD)  # f_0
    for i in range(n):
        k = ints[active + i] & POSITIVE
        for node in range(n_node):
            for c in range(6):
                scratch[zeta + 6 * node + c] = scratch[forces + 6 * n * node + 6 * i + c]
        for r in range(order):
            x = s = 0.0
            for c in range(order):
                x += scratch[o_n + r * order + c] * scratch[zeta + c]
                s += scratch[o_s + r * order + c] * scratch[zeta + c]
            scratch[passed + order * i + r] = x
            scratch[softened + order * i + r] = s
        for r in range(6):
            z = 0.0
            for c in range(order):
                z += scratch[o_y + r * order + c] * scratch[passed + order * i + c]
            scratch[Z + 6 * i + r] = z
        _first, entry = row_of_envelope(ints, table, k)
        for j in range(i + 1):
            e = 0.0
            for c in range(order):
                e += scratch[softened + order * i + c] * scratch[passed + order * j + c]
            scratch[Lam + entry + ints[active + j]] += e
        if free:
            e = 0.0
            for node in range(n_node):
                d = nodes + node * field.NODE_RECORD
                for c in range(6):
                    e += scratch[zeta + 6 * node + c] * scratch[d + field.YIELD + c]
                    e -= (
                        scratch[softened + order * i + 6 * node + c]
                        * scratch[d + field.NODE_FORCE + c]
                    )
            scratch[rhs + k] += e
