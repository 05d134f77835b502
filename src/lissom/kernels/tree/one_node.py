"""The step of `compliance` for a body with one node that carries children, the common case.

Same equations, (2)-(6) there, with matrices of fixed size as rows of six numbers in registers:
straight-line code instead of loops over memory.  Only N is kept for the sweep outward.  Products
with Y and S come from X and S_0, which bodies at level "linear" never change:
  Y f = phi f - X (T^T f)    Y^T alpha = phi^T alpha - T (X^T alpha)    S f = T S_0 (T^T f)    (1)
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..layout.records import CarrierRecord
from ..records import softened_record, stack_record
from ..small import cross, turn, turn_back
from .rigid import articulated


@jit
def row(x, o):
    """Six numbers at x[o]."""
    return x[o], x[o + 1], x[o + 2], x[o + 3], x[o + 4], x[o + 5]


@jit
def put_row(x, o, a):
    """Write six numbers at x[o]."""
    x[o], x[o + 1], x[o + 2], x[o + 3], x[o + 4], x[o + 5] = a


@jit
def combined(a, r0, r1, r2, r3, r4, r5):
    """Row vector a times the matrix of six rows."""
    return (
        a[0] * r0[0] + a[1] * r1[0] + a[2] * r2[0] + a[3] * r3[0] + a[4] * r4[0] + a[5] * r5[0],
        a[0] * r0[1] + a[1] * r1[1] + a[2] * r2[1] + a[3] * r3[1] + a[4] * r4[1] + a[5] * r5[1],
        a[0] * r0[2] + a[1] * r1[2] + a[2] * r2[2] + a[3] * r3[2] + a[4] * r4[2] + a[5] * r5[2],
        a[0] * r0[3] + a[1] * r1[3] + a[2] * r2[3] + a[3] * r3[3] + a[4] * r4[3] + a[5] * r5[3],
        a[0] * r0[4] + a[1] * r1[4] + a[2] * r2[4] + a[3] * r3[4] + a[4] * r4[4] + a[5] * r5[4],
        a[0] * r0[5] + a[1] * r1[5] + a[2] * r2[5] + a[3] * r3[5] + a[4] * r4[5] + a[5] * r5[5],
    )


@jit
def product_at(x, o, a):
    """Product of the 6x6 matrix at x[o] and a vector of six."""
    return (
        _dot(row(x, o), a),
        _dot(row(x, o + 6), a),
        _dot(row(x, o + 12), a),
        _dot(row(x, o + 18), a),
        _dot(row(x, o + 24), a),
        _dot(row(x, o + 30), a),
    )


@jit
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@jit
def _bent(J, a):
    """Row a times T^T = diag(J, I)^T."""
    x, y, z = turn(J, (a[0], a[1], a[2]))
    return x, y, z, a[3], a[4], a[5]


@jit
def _mixed(x, y, z, a, b, c):
    """Value of x a + y b + z c, rows of six."""
    return (
        x * a[0] + y * b[0] + z * c[0],
        x * a[1] + y * b[1] + z * c[1],
        x * a[2] + y * b[2] + z * c[2],
        x * a[3] + y * b[3] + z * c[3],
        x * a[4] + y * b[4] + z * c[4],
        x * a[5] + y * b[5] + z * c[5],
    )


@jit
def _plus(a, b):
    """Sum of two rows."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@jit
def _minus(a, b):
    """Difference of two rows."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4], a[5] - b[5]


@jit
def _joined(a, b):
    return a[0], a[1], a[2], a[3], a[4], a[5], b[0], b[1], b[2], b[3], b[4], b[5]


@jit
def _times(s, a):
    return (
        s * a[0], s * a[1], s * a[2], s * a[3], s * a[4], s * a[5],
        s * a[6], s * a[7], s * a[8], s * a[9], s * a[10], s * a[11],
    )  # fmt: skip


@jit
def _less(a, s, b):
    """Value of a - s b, rows of twelve."""
    return (
        a[0] - s * b[0], a[1] - s * b[1], a[2] - s * b[2], a[3] - s * b[3], a[4] - s * b[4],
        a[5] - s * b[5], a[6] - s * b[6], a[7] - s * b[7], a[8] - s * b[8], a[9] - s * b[9],
        a[10] - s * b[10], a[11] - s * b[11],
    )  # fmt: skip


@jit
def _solved(a, b, c, d, e, f):
    """Solution of [A | right-hand sides] given as six rows, by elimination with row exchanges."""
    if abs(b[0]) > abs(a[0]):
        a, b = b, a
    if abs(c[0]) > abs(a[0]):
        a, c = c, a
    if abs(d[0]) > abs(a[0]):
        a, d = d, a
    if abs(e[0]) > abs(a[0]):
        a, e = e, a
    if abs(f[0]) > abs(a[0]):
        a, f = f, a
    a = _times(1.0 / a[0], a)
    b, c, d = _less(b, b[0], a), _less(c, c[0], a), _less(d, d[0], a)
    e, f = _less(e, e[0], a), _less(f, f[0], a)
    if abs(c[1]) > abs(b[1]):
        b, c = c, b
    if abs(d[1]) > abs(b[1]):
        b, d = d, b
    if abs(e[1]) > abs(b[1]):
        b, e = e, b
    if abs(f[1]) > abs(b[1]):
        b, f = f, b
    b = _times(1.0 / b[1], b)
    c, d, e, f = _less(c, c[1], b), _less(d, d[1], b), _less(e, e[1], b), _less(f, f[1], b)
    if abs(d[2]) > abs(c[2]):
        c, d = d, c
    if abs(e[2]) > abs(c[2]):
        c, e = e, c
    if abs(f[2]) > abs(c[2]):
        c, f = f, c
    c = _times(1.0 / c[2], c)
    d, e, f = _less(d, d[2], c), _less(e, e[2], c), _less(f, f[2], c)
    if abs(e[3]) > abs(d[3]):
        d, e = e, d
    if abs(f[3]) > abs(d[3]):
        d, f = f, d
    d = _times(1.0 / d[3], d)
    e, f = _less(e, e[3], d), _less(f, f[3], d)
    if abs(f[4]) > abs(e[4]):
        e, f = f, e
    e = _times(1.0 / e[4], e)
    f = _less(f, f[4], e)
    f = _times(1.0 / f[5], f)
    e = _less(e, e[5], f)
    d = _less(_less(d, d[5], f), d[4], e)
    c = _less(_less(_less(c, c[5], f), c[4], e), c[3], d)
    b = _less(_less(_less(_less(b, b[5], f), b[4], e), b[3], d), b[2], c)
    a = _less(_less(_less(_less(_less(a, a[5], f), a[4], e), a[3], d), a[2], c), a[1], b)
    return a, b, c, d, e, f


@jit
def _right(a):
    return a[6], a[7], a[8], a[9], a[10], a[11]


@jit
def pass_one_node(scratch, t, s, d):
    """Write N (3); return P_R (4) as (A, B, D).  (1) of `compliance` is at scratch[s]."""
    softened = softened_record(s, 1)
    J = CarrierRecord(scratch, d).J_l
    x, y, z = CarrierRecord(scratch, d).arm
    o = softened.compliance  # rows of 6x6 matrices are read one by one: they stay in registers
    s0, s1 = _bent(J, row(scratch, o)), _bent(J, row(scratch, o + 6))
    s2, s3 = _bent(J, row(scratch, o + 12)), _bent(J, row(scratch, o + 18))
    s4, s5 = _bent(J, row(scratch, o + 24)), _bent(J, row(scratch, o + 30))
    s0, s1, s2 = (
        _mixed(J[0], J[1], J[2], s0, s1, s2),
        _mixed(J[3], J[4], J[5], s0, s1, s2),
        _mixed(J[6], J[7], J[8], s0, s1, s2),
    )
    g0, g1, g2, g3, g4, g5 = children_rows(scratch, d)
    i0, i1 = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0, 0.0, 0.0)
    i2, i3 = (0.0, 0.0, 1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0, 0.0, 0.0)
    i4, i5 = (0.0, 0.0, 0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    n0, n1, n2, n3, n4, n5 = _solved(
        _joined(_plus(i0, combined(g0, s0, s1, s2, s3, s4, s5)), i0),
        _joined(_plus(i1, combined(g1, s0, s1, s2, s3, s4, s5)), i1),
        _joined(_plus(i2, combined(g2, s0, s1, s2, s3, s4, s5)), i2),
        _joined(_plus(i3, combined(g3, s0, s1, s2, s3, s4, s5)), i3),
        _joined(_plus(i4, combined(g4, s0, s1, s2, s3, s4, s5)), i4),
        _joined(_plus(i5, combined(g5, s0, s1, s2, s3, s4, s5)), i5),
    )
    n0, n1, n2 = _right(n0), _right(n1), _right(n2)
    n3, n4, n5 = _right(n3), _right(n4), _right(n5)
    o = stack_record(t, 1).passing
    put_row(scratch, o, n0)
    put_row(scratch, o + 6, n1)
    put_row(scratch, o + 12, n2)
    put_row(scratch, o + 18, n3)
    put_row(scratch, o + 24, n4)
    put_row(scratch, o + 30, n5)
    e0, e1 = combined(n0, g0, g1, g2, g3, g4, g5), combined(n1, g0, g1, g2, g3, g4, g5)
    e2, e3 = combined(n2, g0, g1, g2, g3, g4, g5), combined(n3, g0, g1, g2, g3, g4, g5)
    e4, e5 = combined(n4, g0, g1, g2, g3, g4, g5), combined(n5, g0, g1, g2, g3, g4, g5)
    e0, e1, e2, e3, e4, e5 = _averaged(e0, e1, e2, e3, e4, e5)
    o = softened.coupling
    y0 = _minus((1.0, 0.0, 0.0, 0.0, -z, y), _bent(J, row(scratch, o)))
    y1 = _minus((0.0, 1.0, 0.0, z, 0.0, -x), _bent(J, row(scratch, o + 6)))
    y2 = _minus((0.0, 0.0, 1.0, -y, x, 0.0), _bent(J, row(scratch, o + 12)))
    y3 = _minus((0.0, 0.0, 0.0, 1.0, 0.0, 0.0), _bent(J, row(scratch, o + 18)))
    y4 = _minus((0.0, 0.0, 0.0, 0.0, 1.0, 0.0), _bent(J, row(scratch, o + 24)))
    y5 = _minus((0.0, 0.0, 0.0, 0.0, 0.0, 1.0), _bent(J, row(scratch, o + 30)))
    x0, x1 = combined(y0, e0, e1, e2, e3, e4, e5), combined(y1, e0, e1, e2, e3, e4, e5)
    x2, x3 = combined(y2, e0, e1, e2, e3, e4, e5), combined(y3, e0, e1, e2, e3, e4, e5)
    x4, x5 = combined(y4, e0, e1, e2, e3, e4, e5), combined(y5, e0, e1, e2, e3, e4, e5)
    A, B, D = articulated(scratch, s)
    return (
        (A[0] + _dot(x0, y0), A[1] + _dot(x1, y0), A[2] + _dot(x2, y0),
         A[3] + _dot(x1, y1), A[4] + _dot(x2, y1), A[5] + _dot(x2, y2)),
        (B[0] + _dot(x3, y0), B[1] + _dot(x4, y0), B[2] + _dot(x5, y0),
         B[3] + _dot(x3, y1), B[4] + _dot(x4, y1), B[5] + _dot(x5, y1),
         B[6] + _dot(x3, y2), B[7] + _dot(x4, y2), B[8] + _dot(x5, y2)),
        (D[0] + _dot(x3, y3), D[1] + _dot(x4, y3), D[2] + _dot(x5, y3),
         D[3] + _dot(x4, y4), D[4] + _dot(x5, y4), D[5] + _dot(x5, y5)),
    )  # fmt: skip


@jit
def _averaged(a, b, c, d, e, f):
    """Symmetric part.

    Rows and columns of E are both small along a soft direction of the body, and so is their mean; a
    mirrored triangle would mix them.
    """
    ab, ac, ad = 0.5 * (a[1] + b[0]), 0.5 * (a[2] + c[0]), 0.5 * (a[3] + d[0])
    ae, af, bc = 0.5 * (a[4] + e[0]), 0.5 * (a[5] + f[0]), 0.5 * (b[2] + c[1])
    bd, be, bf = 0.5 * (b[3] + d[1]), 0.5 * (b[4] + e[1]), 0.5 * (b[5] + f[1])
    cd, ce, cf = 0.5 * (c[3] + d[2]), 0.5 * (c[4] + e[2]), 0.5 * (c[5] + f[2])
    de, df, ef = 0.5 * (d[4] + e[3]), 0.5 * (d[5] + f[3]), 0.5 * (e[5] + f[4])
    return (
        (a[0], ab, ac, ad, ae, af),
        (ab, b[1], bc, bd, be, bf),
        (ac, bc, c[2], cd, ce, cf),
        (ad, bd, cd, d[3], de, df),
        (ae, be, ce, de, e[4], ef),
        (af, bf, cf, df, ef, f[5]),
    )


@jit
def children_rows(scratch, d):
    """Rows of Gamma."""
    A, B, D = articulated(scratch, d + field.P_)
    return (
        (A[0], A[1], A[2], B[0], B[1], B[2]),
        (A[1], A[3], A[4], B[3], B[4], B[5]),
        (A[2], A[4], A[5], B[6], B[7], B[8]),
        (B[0], B[3], B[6], D[0], D[1], D[2]),
        (B[1], B[4], B[7], D[1], D[3], D[4]),
        (B[2], B[5], B[8], D[2], D[4], D[5]),
    )


@jit
def _node_force(scratch, t, d, a):
    """Force N (Gamma a + zeta) at the node."""
    g0, g1, g2, g3, g4, g5 = children_rows(scratch, d)
    z = row(scratch, d + field.FORCE)
    f = (_dot(g0, a), _dot(g1, a), _dot(g2, a), _dot(g3, a), _dot(g4, a), _dot(g5, a))
    return product_at(scratch, stack_record(t, 1).passing, _plus(f, z))


@jit
def _seen_from_body(J, f):
    """T^T f."""
    n = turn_back(J, (f[0], f[1], f[2]))
    return n[0], n[1], n[2], f[3], f[4], f[5]


@jit
def _seen_from_node(J, a):
    """T a."""
    w = turn(J, (a[0], a[1], a[2]))
    return w[0], w[1], w[2], a[3], a[4], a[5]


@jit
def force_through_one_node(scratch, t, s, d, y):
    """Write y; return Y f_0 (1) with the force f_0 = N (Gamma y + zeta) at the node."""
    put_row(scratch, d + field.YIELD, y)
    f = _node_force(scratch, t, d, y)
    l = cross(CarrierRecord(scratch, d).arm, (f[3], f[4], f[5]))
    inside = _seen_from_body(CarrierRecord(scratch, d).J_l, f)
    inside = product_at(scratch, softened_record(s, 1).coupling, inside)
    return _minus((f[0] + l[0], f[1] + l[1], f[2] + l[2], f[3], f[4], f[5]), inside)


@jit
def accelerate_one_node(scratch, t, s, d, moved, alpha):
    """Write the node force f, and the acceleration A_t (6) to the motion at `moved`."""
    softened, J = softened_record(s, 1), CarrierRecord(scratch, d).J_l
    o = softened.coupling
    inside = combined(
        alpha,
        row(scratch, o),
        row(scratch, o + 6),
        row(scratch, o + 12),
        row(scratch, o + 18),
        row(scratch, o + 24),
        row(scratch, o + 30),
    )
    v = cross((alpha[0], alpha[1], alpha[2]), CarrierRecord(scratch, d).arm)
    a = (alpha[0], alpha[1], alpha[2], alpha[3] + v[0], alpha[4] + v[1], alpha[5] + v[2])
    a = _plus(_minus(a, _seen_from_node(J, inside)), row(scratch, d + field.YIELD))
    f = _node_force(scratch, t, d, a)
    put_row(scratch, d + field.NODE_FORCE, f)
    yielded = product_at(scratch, softened.compliance, _seen_from_body(J, f))
    put_row(scratch, moved + field.CHANGE, _minus(a, _seen_from_node(J, yielded)))
