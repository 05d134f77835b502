"""Independent answers for rods: differential equations of rods by shooting, and linear theory."""

from __future__ import annotations

from functools import cache

import numpy as np
import scipy.linalg
from numpy.polynomial import legendre
from scipy.integrate import solve_bvp, solve_ivp
from scipy.optimize import brentq, fsolve


def skew(a):
    return np.array([[0 * a[0], -a[2], a[1]], [a[2], 0 * a[0], -a[0]], [-a[1], a[0], 0 * a[0]]])


def elastica(force, length=1.0, stiffness=1.0):
    """Tip (x, y) of a cantilever under a dead end force across it, by shooting."""

    def shoot(k):
        def rate(_, y):
            return [y[1], -force / stiffness * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])]

        return solve_ivp(rate, (0, length), [0, k, 0, 0], rtol=1e-12, atol=1e-13).y[:, -1]

    return shoot(brentq(lambda k: shoot(k)[1], 0, 5 + force, xtol=1e-14))[2:]


def shoot(m0, stiffness, force, curvature, length, steps):
    """State [R, r, m] at the end of a rod with moment m0 at its root, Runge-Kutta.

    R' = R [k]x with k = k0 + C^-1 R^T m, r' = R e_x, m' = -r' x F; any scalar type.
    """
    y, h = np.concatenate([np.eye(3).ravel(), np.zeros(3), m0]), length / steps

    def rate(y):
        R = y[:9].reshape(3, 3)
        bent = R @ skew(curvature + R.T @ y[12:] / stiffness)
        return np.concatenate([bent.ravel(), R[:, 0], -skew(R[:, 0]) @ force])

    for _ in range(steps):
        k1 = rate(y)
        k2 = rate(y + h / 2 * k1)
        k3 = rate(y + h / 2 * k2)
        k4 = rate(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y


def shooting_slopes(m0, *arguments):
    """Derivatives of the end moment by the moment at the root, by complex steps."""
    columns = [shoot(m0 + 1e-30j * e, *arguments)[12:].imag / 1e-30 for e in np.eye(3)]
    return np.stack(columns, axis=-1)


@cache
def loaded_rod(stiffness, force, curvature=(0, 0, 0), length=1.0, steps=200):
    """Tip of a cantilever under a dead end force in space, no stretch."""
    m0, force = np.zeros(3), np.asarray(force, dtype=float)
    for part in np.linspace(0, 1, 7)[1:]:
        given = (np.asarray(stiffness), part * force, np.asarray(curvature), length, steps)
        for _ in range(5):
            m0 = m0 - np.linalg.solve(shooting_slopes(m0, *given), shoot(m0, *given)[12:])
    return shoot(m0, *given)[9:12]


@cache
def lateral_load(stiffness, steps=100):
    """Smallest end force along y at which a rod of length 1, bent in x-y, buckles sideways."""
    stiffness = np.asarray(stiffness, dtype=float)

    def planar(force):
        given = (stiffness, np.array([0, force, 0.0]), np.zeros(3), 1.0, steps)
        root = fsolve(lambda m: shoot(np.array([0, 0, m[0]]), *given)[14], force, xtol=1e-13)
        slopes = shooting_slopes(np.array([0, 0, root[0]]), *given)
        return np.linalg.det(slopes[:2, :2])

    start = 4.0126 * np.sqrt(stiffness[0] * stiffness[1])
    forces = np.linspace(start, 1.8 * start, 9)
    values = [planar(f) for f in forces]
    k = next(k for k in range(len(values) - 1) if values[k] * values[k + 1] < 0)
    return brentq(planar, forces[k], forces[k + 1], xtol=1e-12)


def spinning_frequencies(spin, hub, tip=0.0, n=24):
    """Two flap and two lag frequencies of a beam with EI = rho A = L = 1, ascending.

    By polynomials in the linear equation with the tension of the spin.
    """
    x, g = legendre.leggauss(60)
    s, w = (x + 1) / 2, g / 2
    P = [legendre.Legendre.basis(k, domain=[0, 1]) for k in range(n)]
    shape, slope, curve = (
        np.array([f.integ(k, lbnd=0)(s) if k else f(s) for f in P]) for k in (2, 1, 0)
    )
    ends = np.array([f.integ(2, lbnd=0)(1.0) for f in P])
    tension = spin**2 * (hub * (1 - s) + (1 - s**2) / 2 + tip * (hub + 1))
    K = (curve * w) @ curve.T + (slope * w * tension) @ slope.T
    M = (shape * w) @ shape.T + tip * np.outer(ends, ends)
    flap = np.sqrt(scipy.linalg.eigh(K, M, eigvals_only=True))[:2]
    return np.sort(np.concatenate([flap, np.sqrt(flap**2 - spin**2)]))


def pushed(force, angle):
    """Tip (x, y) of a cantilever with EI = L = 1 under a dead force at an angle, by collocation."""
    x, y = np.linspace(0, 1, 101), np.zeros((2, 101))
    for part in np.linspace(0, force, max(3, int(4 * force)))[1:]:

        def rate(_, y, part=part):
            return np.vstack([y[1], part * np.sin(y[0] - angle)])

        found = solve_bvp(rate, lambda a, b: np.array([a[0], b[1]]), x, y, tol=1e-8)
        x, y = found.x, found.y
    g, w = legendre.leggauss(100)
    theta = found.sol((g + 1) / 2)[0]
    return np.array([w @ np.cos(theta), w @ np.sin(theta)]) / 2
