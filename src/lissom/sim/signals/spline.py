"""Curves through given values: splines, curves without overshoot, motions from rest to rest.

The slopes s at the knots make the second derivative continuous (de Boor 1978, chapter IV):

h_k s_(k-1) + 2 (h_(k-1) + h_k) s_k + h_(k-1) s_(k+1) = 3 (h_k d_(k-1) + h_(k-1) d_k)     (1)

with widths h and mean slopes d of the intervals.  The two missing equations are s = 0 (clamped), a
second derivative of zero (natural), or a third derivative that is continuous at the second knot
from each end (not a knot).

Curves without overshoot have the slopes (Fritsch and Butland 1984)

s_k = (a + b) / (a / d_(k-1) + b / d_k),  a = 2 h_k + h_(k-1),  b = h_k + 2 h_(k-1)           (2)

where d_(k-1) and d_k have the same sign, and zero elsewhere; at the ends those of the parabola
through three points, limited to the sign and to three times the mean slope beside them.

Between two points at rest the value moves by the quintic with zero first and second derivatives at
both ends,

y = y_k + (y_(k+1) - y_k) (10 x^3 - 15 x^4 + 6 x^5),  x = (t - t_k) / h_k                     (3)
"""

from __future__ import annotations

import numpy as np

Array = np.ndarray

FEW = 200  # knots, below which a full matrix is solved sooner than SciPy is imported


def spline_pieces(times: Array, values: Array, *, clamped: bool) -> Array:
    """Coefficients (intervals, k, 4), highest power first, of the spline in each interval.

    Parameters
    ----------
    times : array (n,)
        Knots, ascending [s].
    values : array (n, k)
        Values at the knots.
    clamped : bool
        Whether the slopes at both ends are zero; otherwise they follow from the values: natural
        below four knots, not a knot above.

    Raises
    ------
    ValueError
        If slopes are beyond the range of floats.
    """
    h = np.diff(times)[:, None]
    d = np.diff(values, axis=0) / h
    return _cubics(h, d, _solution(*_equations(h, d, clamped=clamped)), values)


def monotone_pieces(times: Array, values: Array, *, clamped: bool) -> Array:
    """Coefficients as of `spline_pieces`, of the curve without overshoot (2).

    Parameters
    ----------
    times, values
        As for `spline_pieces`.
    clamped : bool
        Whether the slopes at both ends are zero.
    """
    h = np.diff(times)[:, None]
    d = np.diff(values, axis=0) / h
    s = np.zeros_like(values)
    a, b = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    same = np.sign(d[:-1]) * np.sign(d[1:]) > 0
    s[1:-1] = np.where(same, (a + b) / (a / d[:-1] + b / d[1:]), 0.0)  # (2)
    if not clamped and len(h) == 1:
        s[:] = d[0]
    elif not clamped:
        s[0], s[-1] = _end_slope(h[0], h[1], d[0], d[1]), _end_slope(h[-1], h[-2], d[-1], d[-2])
    return _cubics(h, d, s, values)


def _end_slope(h0: Array, h1: Array, d0: Array, d1: Array) -> Array:
    """Slope at an end from the two intervals beside it."""
    s = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1)
    s = np.where(np.sign(s) == np.sign(d0), s, 0.0)
    steep = (np.sign(d0) != np.sign(d1)) & (np.abs(s) > 3 * np.abs(d0))
    return np.where(steep, 3 * d0, s)


def resting_pieces(times: Array, values: Array) -> Array:
    """Coefficients (intervals, k, 6), highest power first, of motions from rest to rest (3).

    Parameters
    ----------
    times, values
        As for `spline_pieces`.
    """
    h, change = np.diff(times)[:, None], np.diff(values, axis=0)
    none = np.zeros_like(change)
    powers = [factor * change / h**power for factor, power in ((6, 5), (-15, 4), (10, 3))]
    return _checked(np.stack([*powers, none, none, values[:-1]], axis=2))


def _cubics(h: Array, d: Array, s: Array, values: Array) -> Array:
    """Coefficients of cubics with the slopes s at the knots."""
    bend = (s[:-1] + s[1:] - 2 * d) / h
    return _checked(np.stack([bend / h, (d - s[:-1]) / h - bend, s[:-1], values[:-1]], axis=2))


def _checked(pieces: Array) -> Array:
    if not np.all(np.isfinite(pieces)):
        raise ValueError("the slopes of a curve are not finite")
    return pieces


def _equations(h: Array, d: Array, *, clamped: bool) -> tuple[Array, Array]:
    """Bands (3, n) above, on and below the diagonal, and right sides (n, k), of the slopes."""
    n = len(h) + 1
    bands, right = np.zeros((3, n)), np.zeros((n, d.shape[1]))
    bands[0, 2:], bands[2, :-2] = h[:-1, 0], h[1:, 0]
    bands[1, 1:-1] = 2 * (h[:-1, 0] + h[1:, 0])
    right[1:-1] = 3 * (h[1:] * d[:-1] + h[:-1] * d[1:])  # (1)
    if clamped:
        bands[1, 0] = bands[1, -1] = 1.0
    elif n < 4:
        bands[1, 0], bands[0, 1], right[0] = 2.0, 1.0, 3 * d[0]
        bands[1, -1], bands[2, -2], right[-1] = 2.0, 1.0, 3 * d[-1]
    else:
        bands[1, 0], bands[0, 1], right[0] = _not_a_knot(h[0], h[1], d[0], d[1])
        bands[1, -1], bands[2, -2], right[-1] = _not_a_knot(h[-1], h[-2], d[-1], d[-2])
    return bands, right


def _not_a_knot(h0: Array, h1: Array, d0: Array, d1: Array) -> tuple[float, float, Array]:
    """Factors of the slopes at an end and beside it, and right side, of the equation of the end."""
    both = h0 + h1
    return h1[0], both[0], ((h0 + 2 * both) * h1 * d0 + h0 * h0 * d1) / both


def _solution(bands: Array, right: Array) -> Array:
    if bands.shape[1] <= FEW:
        above, on, below = bands
        full = np.diag(on) + np.diag(above[1:], 1) + np.diag(below[:-1], -1)
        return np.linalg.solve(full, right)
    from scipy.linalg import solve_banded

    return np.asarray(solve_banded((1, 1), bands, right))
