"""Frequencies of beams that spin, by polynomials and of bodies; loads at which bodies buckle."""

from __future__ import annotations

import numpy as np
from numpy.polynomial import legendre
from scipy.linalg import eigh, eigvals


def polynomials(n, points=60):
    """Shape, slope and curvature of n polynomials clamped at 0, at Gauss points of (0, 1)."""
    x, weights = legendre.leggauss(points)
    s = (x + 1) / 2
    P = [legendre.Legendre(np.eye(n)[k], domain=[0, 1]) for k in range(n)]
    fields = [np.array([f.integ(k, lbnd=0)(s) if k else f(s) for f in P]) for k in (2, 1, 0)]
    tip = np.array([f.integ(2, lbnd=0)(1.0) for f in P])
    return s, weights / 2, *fields, tip


def spinning_reference(spin, hub, tip, n=24):
    """Two flap and two lag frequencies of a spinning beam, L = EI = ρA = 1, mass at the tip.

    w'''' - (T w')' - spin² w (lag) = ω² w, T = spin² (∫ₓ¹ (hub + s) ds + tip (hub + 1)).
    """
    s, w, shape, slope, curve, end = polynomials(n)
    tension = spin**2 * (hub * (1 - s) + (1 - s**2) / 2 + tip * (hub + 1))
    K = (curve * w) @ curve.T + (slope * w * tension) @ slope.T
    M = (shape * w) @ shape.T + tip * np.outer(end, end)
    flap = np.sqrt(eigh(K, M, eigvals_only=True))[:2]
    return np.sort(np.r_[flap, np.sqrt(flap**2 - spin**2)])


def spun(body, axis, omega, hub=0.0):
    """Frequencies of a spinning clamped body along x; the energy is quadratic in the amplitudes.

    V = eta K eta / 2 - omega²/2 integral of d² over the mass, d the distance from the axis
    """
    x = body.transform
    shapes = (body.shapes @ x)[:, 3:]
    masses = body.masses
    second = body.constants_of_second_order.in_modes(x)
    K = np.diag((2 * np.pi * body.frequencies) ** 2)
    for k in set(range(3)) - {axis}:
        moved = shapes[:, k]
        K = K - omega**2 * (moved.T @ (masses[:, None] * moved))
        K = K - omega**2 * second.second_moment[k, k]
        if k == 0:
            K = K - omega**2 * hub * second.first_moment[0]
    return np.sqrt(eigh((K + K.T) / 2, eigvals_only=True))


def buckling(body, node, direction):
    """Least load at a node along a direction (3 to 5) at which K - F h is singular."""
    x = body.transform
    h = body.constants_of_second_order.in_modes(x).node_shapes[body.names[node]][direction]
    values = eigvals(h, np.diag((2 * np.pi * body.frequencies) ** 2)).real
    return 1 / values[np.abs(values) > 1e-12 * np.abs(values).max()]
