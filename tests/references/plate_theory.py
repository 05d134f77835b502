"""Vibration of a square cantilever plate after Kirchhoff, by the method of Ritz.

w = sum of X_i(x) Y_j(y), clamped at x = 0; frequencies in units of sqrt(D / mass per area) / side².
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.polynomial import Legendre
from numpy.polynomial.legendre import leggauss
from scipy.linalg import eigh
from scipy.optimize import brentq

_POINTS, _WEIGHTS = leggauss(80)
S, WEIGHT = (_POINTS + 1) / 2, _WEIGHTS / 2


def plate_frequencies(across, along, nu=0.3, count=5):
    """From functions along both sides: values, slopes and curvatures (3, n, points)."""
    (X, X1, X2), (Y, Y1, Y2) = across, along
    of = [
        [(a * WEIGHT) @ b.T for a, b in pairs] for pairs in (_pairs(X, X1, X2), _pairs(Y, Y1, Y2))
    ]
    (xx, x1, x2, x02), (yy, y1, y2, y02) = of
    K = np.kron(x2, yy) + np.kron(xx, y2) + 2 * (1 - nu) * np.kron(x1, y1)
    K += nu * (np.kron(x02, y02.T) + np.kron(x02.T, y02))
    return np.sqrt(eigh(K, np.kron(xx, yy), eigvals_only=True)[:count])


def _pairs(f, f1, f2):
    return (f, f), (f1, f1), (f2, f2), (f, f2)


def polynomials(n, clamped):
    """Legendre's polynomials on (0, 1), integrated twice from 0 if clamped there."""
    start = 2 if clamped else 0
    P = [Legendre.basis(k, domain=[0, 1]) for k in range(n)]
    P = [p.integ(start, lbnd=0) if start else p for p in P]
    return np.array([[p.deriv(k)(S) if k else p(S) for p in P] for k in range(3)])


def beam_functions(n, clamped):
    """Modes of a beam that is free at 1, clamped or free at 0 (then with both rigid motions)."""
    rigid = [] if clamped else [(S**0, 0 * S, 0 * S), (S - 0.5, S**0, 0 * S)]
    modes = [_beam_mode(k, -1.0 if clamped else 1.0) for k in range(1 if clamped else 2, n + 1)]
    return np.array([*rigid, *modes][:n]).transpose(1, 0, 2)


def _beam_mode(k, sign):
    """cosh + sign cos - r (sinh + sign sin), with cosh cos = sign."""
    near = (k - 0.5) * np.pi
    b = brentq(partial(_characteristic, sign), near - 0.4, near + 0.4, xtol=1e-14)
    r = (np.cosh(b) - sign * np.cos(b)) / (np.sinh(b) - sign * np.sin(b))
    C, H, c, s = np.cosh(b * S), np.sinh(b * S), np.cos(b * S), np.sin(b * S)
    shape = C + sign * c - r * (H + sign * s)
    slope = H - sign * s - r * (C + sign * c)
    return shape, b * slope, b**2 * (C - sign * c - r * (H - sign * s))


def _characteristic(sign, b):
    return np.cosh(b) * np.cos(b) - sign
