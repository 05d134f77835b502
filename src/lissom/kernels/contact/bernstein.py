"""Roots of a polynomial between 0 and 1 that none can slip through, from its Bernstein form.

A polynomial lies within the hull of its coefficients b in Bernstein form: where all of them are
positive it has no root.  Else the interval is halved (de Casteljau).
"""

from __future__ import annotations

import math

import numpy as np

from ..compiling import uncounted

DEGREE = 8
FINEST = 2.0**-40  # interval that counts as a root


def from_samples() -> np.ndarray:
    """Matrix from the values at DEGREE + 1 equidistant points to the coefficients."""
    t, k = np.linspace(0.0, 1.0, DEGREE + 1)[:, None], np.arange(DEGREE + 1)
    binomials = np.array([math.comb(DEGREE, j) for j in range(DEGREE + 1)])
    return np.linalg.inv(binomials * t**k * (1.0 - t) ** (DEGREE - k))


@uncounted
def first_root(b, lo, hi, part, c):
    """First point after `lo` where the polynomial is not positive, or `hi` without one.

    b: DEGREE + 1 coefficients.  part, c: places for as many.
    """
    start, width = lo, hi - lo
    while start < hi:
        _restrict(b, start, min(start + width, hi), part, c)
        lowest = c[0]
        for k in range(1, DEGREE + 1):
            lowest = min(lowest, c[k])
        if lowest > 0.0:
            start += width
            width *= 2.0
        elif width <= FINEST:
            return start
        else:
            width *= 0.5
    return hi


@uncounted
def _restrict(b, lo, hi, part, c):
    """Write the coefficients of the polynomial b between lo and hi to c."""
    for k in range(DEGREE + 1):
        part[k] = b[k]
    for r in range(DEGREE):  # left of hi
        for k in range(DEGREE, r, -1):
            part[k] += (hi - 1.0) * (part[k] - part[k - 1])
    at = lo / hi
    for k in range(DEGREE + 1):
        c[k] = part[k]
    for r in range(DEGREE):  # of that, right of lo
        for k in range(DEGREE - r):
            c[k] += at * (c[k + 1] - c[k])
