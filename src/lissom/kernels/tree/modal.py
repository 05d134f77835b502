"""Sums over modes, the only places where the cost grows with their number.

Six rows of m numbers represent a 6 x m matrix.  Sums may be reordered so that they use vector
instructions.
"""

from __future__ import annotations

from ..compiling import jit
from ..fields import POSITIVE


@jit(reassociate=True)
def modal_sums(c, o, m, x, o_x):
    """Matrix times vector: six sums of c[o + k m + a] x[o_x + a] over a."""
    o, m, o_x = o & POSITIVE, m & POSITIVE, o_x & POSITIVE
    s0 = s1 = s2 = s3 = s4 = s5 = 0.0
    for a in range(m):
        e = x[o_x + a]
        s0 += c[o + a] * e
        s1 += c[o + m + a] * e
        s2 += c[o + 2 * m + a] * e
        s3 += c[o + 3 * m + a] * e
        s4 += c[o + 4 * m + a] * e
        s5 += c[o + 5 * m + a] * e
    return s0, s1, s2, s3, s4, s5


@jit
def modal_spread(c, o, m, f, y, o_y):
    """Add the transpose times f (six numbers) to y[o_y]."""
    o, m, o_y = o & POSITIVE, m & POSITIVE, o_y & POSITIVE
    f0, f1, f2, f3, f4, f5 = f
    for a in range(m):
        y[o_y + a] += (
            f0 * c[o + a]
            + f1 * c[o + m + a]
            + f2 * c[o + 2 * m + a]
            + f3 * c[o + 3 * m + a]
            + f4 * c[o + 4 * m + a]
            + f5 * c[o + 5 * m + a]
        )


@jit(reassociate=True)
def modal_dot(c, o, m, x, o_x):
    """Sum of c[o + a] x[o_x + a] over a."""
    o, m, o_x = o & POSITIVE, m & POSITIVE, o_x & POSITIVE
    s = 0.0
    for a in range(m):
        s += c[o + a] * x[o_x + a]
    return s


@jit
def three_sums(c, o, m, x, o_x):
    """Three consecutive modal sums."""
    return (
        modal_dot(c, o, m, x, o_x),
        modal_dot(c, o + m, m, x, o_x),
        modal_dot(c, o + 2 * m, m, x, o_x),
    )


@jit
def modal_product(c, o, m, x, o_x, scale, y, o_y):
    """Add scale times the m x m matrix at c[o], times x[o_x], to y[o_y].

    The matrix is stored by columns, so that the inner loop runs over the result.
    """
    o, m, o_x, o_y = o & POSITIVE, m & POSITIVE, o_x & POSITIVE, o_y & POSITIVE
    for b in range(m):
        e = scale * x[o_x + b]
        for a in range(m):
            y[o_y + a] += c[o + b * m + a] * e


@jit(reassociate=True)
def symmetric_product(c, o, m, x, o_x, v, o_v, y, o_y):
    """Add C x of the symmetric m x m matrix at c[o] to y[o_y]; return x^T C x and v^T C v."""
    o, m, o_x, o_v, o_y = o & POSITIVE, m & POSITIVE, o_x & POSITIVE, o_v & POSITIVE, o_y & POSITIVE
    s = t = 0.0
    for b in range(m):
        p = r = 0.0
        for a in range(m):
            e = c[o + b * m + a]
            p += e * x[o_x + a]
            r += e * v[o_v + a]
        y[o_y + b] += p
        s += p * x[o_x + b]
        t += r * v[o_v + b]
    return s, t


@jit(reassociate=True)
def symmetric_form(c, o, m, v, o_v, scale, y, o_y):
    """Add scale C v of the symmetric m x m matrix at c[o] to y[o_y]; return v^T C v."""
    o, m, o_v, o_y = o & POSITIVE, m & POSITIVE, o_v & POSITIVE, o_y & POSITIVE
    t = 0.0
    for b in range(m):
        r = 0.0
        for a in range(m):
            r += c[o + b * m + a] * v[o_v + a]
        y[o_y + b] += scale * r
        t += r * v[o_v + b]
    return t


@jit(reassociate=True)
def modal_sums_of_two(c, o, m, x, o_x, y, o_y):
    """`modal_sums` of two vectors at once."""
    o, m, o_x, o_y = o & POSITIVE, m & POSITIVE, o_x & POSITIVE, o_y & POSITIVE
    s0 = s1 = s2 = s3 = s4 = s5 = 0.0
    t0 = t1 = t2 = t3 = t4 = t5 = 0.0
    for a in range(m):
        e, f = x[o_x + a], y[o_y + a]
        c0, c1, c2 = c[o + a], c[o + m + a], c[o + 2 * m + a]
        c3, c4, c5 = c[o + 3 * m + a], c[o + 4 * m + a], c[o + 5 * m + a]
        s0 += c0 * e
        s1 += c1 * e
        s2 += c2 * e
        s3 += c3 * e
        s4 += c4 * e
        s5 += c5 * e
        t0 += c0 * f
        t1 += c1 * f
        t2 += c2 * f
        t3 += c3 * f
        t4 += c4 * f
        t5 += c5 * f
    return (s0, s1, s2, s3, s4, s5), (t0, t1, t2, t3, t4, t5)


@jit(reassociate=True)
def weighted_sums_of_two(w, o_w, x, o_x, c, o, d, o_d, m):
    """Sums of two matrices, c and d, with the products of w and x."""
    o_w, o_x, o, o_d, m = o_w & POSITIVE, o_x & POSITIVE, o & POSITIVE, o_d & POSITIVE, m & POSITIVE
    s0 = s1 = s2 = s3 = s4 = s5 = 0.0
    t0 = t1 = t2 = t3 = t4 = t5 = 0.0
    for a in range(m):
        e = w[o_w + a] * x[o_x + a]
        s0 += c[o + a] * e
        s1 += c[o + m + a] * e
        s2 += c[o + 2 * m + a] * e
        s3 += c[o + 3 * m + a] * e
        s4 += c[o + 4 * m + a] * e
        s5 += c[o + 5 * m + a] * e
        t0 += d[o_d + a] * e
        t1 += d[o_d + m + a] * e
        t2 += d[o_d + 2 * m + a] * e
        t3 += d[o_d + 3 * m + a] * e
        t4 += d[o_d + 4 * m + a] * e
        t5 += d[o_d + 5 * m + a] * e
    return (s0, s1, s2, s3, s4, s5), (t0, t1, t2, t3, t4, t5)


@jit(reassociate=True)
def sums_of_two(x, o_x, c, o, d, o_d, m):
    """`weighted_sums_of_two` without weights."""
    o_x, o, o_d, m = o_x & POSITIVE, o & POSITIVE, o_d & POSITIVE, m & POSITIVE
    s0 = s1 = s2 = s3 = s4 = s5 = 0.0
    t0 = t1 = t2 = t3 = t4 = t5 = 0.0
    for a in range(m):
        e = x[o_x + a]
        s0 += c[o + a] * e
        s1 += c[o + m + a] * e
        s2 += c[o + 2 * m + a] * e
        s3 += c[o + 3 * m + a] * e
        s4 += c[o + 4 * m + a] * e
        s5 += c[o + 5 * m + a] * e
        t0 += d[o_d + a] * e
        t1 += d[o_d + m + a] * e
        t2 += d[o_d + 2 * m + a] * e
        t3 += d[o_d + 3 * m + a] * e
        t4 += d[o_d + 4 * m + a] * e
        t5 += d[o_d + 5 * m + a] * e
    return (s0, s1, s2, s3, s4, s5), (t0, t1, t2, t3, t4, t5)


@jit
def modal_spread_two(c, o, f, d, o_d, g, m, y, o_y):
    """Write c^T f + d^T g of two matrices c and d to y[o_y]."""
    o, o_d, m, o_y = o & POSITIVE, o_d & POSITIVE, m & POSITIVE, o_y & POSITIVE
    f0, f1, f2, f3, f4, f5 = f
    g0, g1, g2, g3, g4, g5 = g
    for a in range(m):
        y[o_y + a] = (
            f0 * c[o + a]
            + f1 * c[o + m + a]
            + f2 * c[o + 2 * m + a]
            + f3 * c[o + 3 * m + a]
            + f4 * c[o + 4 * m + a]
            + f5 * c[o + 5 * m + a]
        ) + (
            g0 * d[o_d + a]
            + g1 * d[o_d + m + a]
            + g2 * d[o_d + 2 * m + a]
            + g3 * d[o_d + 3 * m + a]
            + g4 * d[o_d + 4 * m + a]
            + g5 * d[o_d + 5 * m + a]
        )
