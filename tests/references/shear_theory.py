"""Cowper's shear factor from its definition, by the method of Ritz.

G. R. Cowper, Journal of Applied Mechanics 33 (1966). For a force along x the function chi of the
section is harmonic, with d chi/dn = -n.F at its outline and

    F = (nu x²/2 + (1 - nu/2) y², (2 + nu) x y)                                                (1)
    k = 2 (1 + nu) I / (nu/2 (J - I) - A/I integral of x (chi + x y²)), I, J = integrals of x², y²

With the theorem of Gauss and div F = 2 (1 + nu) x, for all functions psi of the section,

    integral of grad chi . grad psi + F . grad psi + 2 (1 + nu) x psi = 0                      (2)
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial.legendre import leggauss

_POINTS, _WEIGHTS = leggauss(20)


def shear_factor(nu, points, weights, values, slopes, along=None):
    """Factor from values (n, p) and slopes (n, 2, p) of functions; in thin walls, along them."""
    x, y = points
    F = np.stack([nu * x**2 / 2 + (1 - nu / 2) * y**2, (2 + nu) * x * y])
    if along is not None:  # stress across a wall vanishes, and with it grad chi + F
        F = np.sum(F * along, axis=0, keepdims=True)
        slopes = np.sum(slopes * along, axis=1, keepdims=True)
    left = np.einsum("ikp,jkp,p->ij", slopes, slopes, weights)
    right = np.einsum("ikp,kp,p->i", slopes, F, weights) + 2 * (1 + nu) * values @ (weights * x)
    chi = np.linalg.lstsq(left, -right, rcond=1e-13)[0] @ values
    area, own, across = weights.sum(), weights @ x**2, weights @ y**2
    moment = weights @ (x * (chi + x * y**2))
    return 2 * (1 + nu) * own / (nu / 2 * (across - own) - area / own * moment)


def rectangle(nu, along, across, n=7):
    """Sides along the force and across it."""
    x, y = (f.ravel() for f in np.meshgrid(_POINTS, _POINTS, indexing="ij"))
    powers = [(i, j) for i in range(1, 2 * n, 2) for j in range(0, 2 * n, 2)]
    values = np.array([x**i * y**j for i, j in powers])
    slopes = np.array(
        [[i * x ** (i - 1) * y**j, j * x**i * y ** max(j - 1, 0)] for i, j in powers]
    ) * np.array([[2 / along], [2 / across]])
    weights = np.outer(_WEIGHTS, _WEIGHTS).ravel() * along * across / 4
    return shear_factor(nu, (along / 2 * x, across / 2 * y), weights, values, slopes)


def ring(nu, inner):
    """Circle of radius 1 with a hole; functions r^k cos(m angle) are all harmonic ones needed."""
    angle = np.arange(16) * np.pi / 8
    radius = inner + (1 - inner) * (_POINTS + 1) / 2
    r, a = (f.ravel() for f in np.meshgrid(radius, angle, indexing="ij"))
    weights = np.outer(_WEIGHTS * (1 - inner) / 2 * radius, np.full(16, np.pi / 8)).ravel()
    values, slopes = [], []
    for k, m in ((1, 1), (3, 3), (-1, 1), (-3, 3))[: 4 if inner else 2]:
        values.append(r**k * np.cos(m * a))
        out, around = k * r ** (k - 1) * np.cos(m * a), -m * r ** (k - 1) * np.sin(m * a)
        slopes.append([out * np.cos(a) - around * np.sin(a), out * np.sin(a) + around * np.cos(a)])
    points = (r * np.cos(a), r * np.sin(a))
    return shear_factor(nu, points, weights, np.array(values), np.array(slopes))


def thin_i(nu, width, height, flange, web):
    """Web along the force, height between the middles of the flanges; walls are lines."""
    s, n = _POINTS, len(_POINTS)
    x = height / 2 * np.concatenate([s, s**0, -(s**0)])
    y = width / 4 * np.concatenate([0 * s, s + 1, s + 1])  # halves of flanges stand for both
    sizes = (height * web, width * flange, width * flange)
    weights = np.concatenate([a / 2 * _WEIGHTS for a in sizes])
    side = np.repeat([0.0, 1, -1], n)
    along = np.stack([np.repeat([1.0, 0, 0], n), np.repeat([0.0, 1, 1], n)])
    values = np.array([x, x**3, side * y, side * y**2])
    slopes = np.zeros((4, 2, 3 * n))
    slopes[:2, 0] = x**0, 3 * x**2
    slopes[2:, 1] = side, 2 * side * y
    return shear_factor(nu, (x, y), weights, values, slopes, along)
