"""Motions in closed form, and small tools of the tests of simulations.

Nothing here uses lissom's dynamics but `spacecraft_drift`, which runs it.
"""

from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np
from scipy.integrate import quad
from scipy.special import ellipj, ellipk

import lissom as ls
from tests.samples.flexible_arms import spacecraft
from tests.tools.measures import random_state

# Rotations


def turn(axis, angle):
    """Matrix of a rotation about an axis (Rodrigues' formula)."""
    n = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    skew = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew


def quaternion(axis, angle):
    """Unit quaternion (w, x, y, z) of the same rotation."""
    n = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    return np.array([np.cos(angle / 2), *(np.sin(angle / 2) * n)])


def matrices(q):
    """Rotation matrices (n, 3, 3) of unit quaternions (n, 4)."""
    w, x, y, z = np.asarray(q).T
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


# Pendulum and oscillator


def pendulum(t, amplitude, rate):
    """Angle and its rate of a pendulum released at rest, theta'' = -rate^2 sin(theta).

    sin(theta/2) = k cd(rate t), k = sin(amplitude/2).
    Source: L. D. Landau, E. M. Lifshitz, Mechanics, paragraph 11, problem 1; E. T. Whittaker,
    Analytical Dynamics, article 44.
    """
    m = np.sin(amplitude / 2) ** 2
    sn, cn, dn, _ = ellipj(rate * np.asarray(t), m)
    x = np.sqrt(m) * cn / dn
    slope = -np.sqrt(m) * rate * (1 - m) * sn / dn**2
    return 2 * np.arcsin(x), 2 * slope / np.sqrt(1 - x * x)


def pendulum_period(amplitude, rate):
    """4 K / rate."""
    return 4 * ellipk(np.sin(amplitude / 2) ** 2) / rate


def oscillator(t, x0, v0, mass, damping, stiffness):
    """Position and speed of mass x'' + damping x' + stiffness x = 0, whatever its damping."""
    t = np.asarray(t, dtype=float)
    a, b = damping / (2 * mass), np.emath.sqrt((damping / (2 * mass)) ** 2 - stiffness / mass)
    if b == 0:
        x = (x0 + (v0 + a * x0) * t) * np.exp(-a * t)
        return x, (v0 + a * x0) * np.exp(-a * t) - a * x
    c, s = np.cosh(b * t), np.sinh(b * t) / b
    x = np.exp(-a * t) * (x0 * c + (v0 + a * x0) * s)
    v = np.exp(-a * t) * (v0 * c - (a * v0 + stiffness / mass * x0) * s)
    return np.real(x), np.real(v)


# Rigid body without torque


def symmetric_body(t, rates, across, along):
    """Angular velocity (n, 3) in body axes and attitude (n, 3, 3) to the start's body axes.

    Inertias across, across, along.  The body turns about its angular momentum L at |L| / across,
    and in itself about z.  Source: Landau and Lifshitz, paragraph 33.
    """
    lag = (along / across - 1) * rates[2]
    w = (rates[0] + 1j * rates[1]) * np.exp(1j * lag * np.asarray(t))
    L = np.array([across, across, along]) * rates
    about, own = np.linalg.norm(L) / across, -lag
    attitude = np.array([turn(L, about * x) @ turn((0, 0, 1), own * x) for x in t])
    return np.stack([w.real, w.imag, np.full(len(t), rates[2])], axis=1), attitude


def asymmetric_body(t, rates, inertia):
    """The same for inertias I1 < I2 < I3 and rates (w1, 0, w3) with L^2 > 2 E I2.

    Source: Landau and Lifshitz, paragraph 37, eqs. (37.8)-(37.16): Jacobi's functions, Euler's
    angles about the angular momentum, and the precession by a quadrature.
    """
    I1, I2, I3 = inertia
    L = np.array(inertia) * rates
    M, E2 = np.linalg.norm(L), float(L @ rates)
    assert rates[1] == 0 and I1 < I2 < I3 and M**2 > E2 * I2 and min(rates[0], rates[2]) > 0
    pace = np.sqrt((I3 - I2) * (M**2 - E2 * I1) / (I1 * I2 * I3))
    m = (I2 - I1) * (E2 * I3 - M**2) / ((I3 - I2) * (M**2 - E2 * I1))

    def omega(x):
        sn, cn, dn, _ = ellipj(pace * x, m)
        return np.array(
            [
                np.sqrt((E2 * I3 - M**2) / (I1 * (I3 - I1))) * cn,
                np.sqrt((E2 * I3 - M**2) / (I2 * (I3 - I2))) * sn,
                np.sqrt((M**2 - E2 * I1) / (I3 * (I3 - I1))) * dn,
            ]
        )

    def precession(x):
        w1, w2, _ = omega(x)
        return M * (I1 * w1**2 + I2 * w2**2) / ((I1 * w1) ** 2 + (I2 * w2) ** 2)

    def about_momentum(x, phi):
        l1, l2, l3 = np.array(inertia) * omega(x) / M
        nutation, spin = np.arccos(l3), np.arctan2(l1, l2)
        return turn((0, 0, 1), phi) @ turn((1, 0, 0), nutation) @ turn((0, 0, 1), spin)

    phi = integrals(precession, t)
    first = about_momentum(t[0], 0.0)
    attitude = [first.T @ about_momentum(x, y) for x, y in zip(t, phi, strict=True)]
    return np.array([omega(x) for x in t]), np.array(attitude)


def integrals(function, t):
    """Integrals of a function from t[0] to every t, to rounding."""
    pieces = [quad(function, a, b, epsabs=1e-13, epsrel=1e-13)[0] for a, b in pairwise(t)]
    return np.concatenate([[0.0], np.cumsum(pieces)])


# Heavy top


def top_axis(t, *, theta, precession, spin, across, along, moment):
    """Axis (n, 3) of a heavy symmetric top that starts at nutation `theta` at rest in it.

    precession = phi', spin = omega_3, inertias about the pivot, moment = m g l.  cos(theta) lies
    between two roots of a cubic and goes with sn^2; phi by a quadrature.
    Source: H. Goldstein, Classical Mechanics, 2nd ed., section 5-7, eqs. (5-59)-(5-63);
    E. T. Whittaker, Analytical Dynamics, article 71.
    """
    u0 = np.cos(theta)
    a = along * spin / across
    b = (1 - u0**2) * precession + a * u0
    beta = 2 * moment / across
    alpha = (1 - u0**2) * precession**2 + beta * u0
    # f(u) = (1 - u^2) (alpha - beta u) - (b - a u)^2
    roots = np.roots([beta, -(alpha + a * a), 2 * a * b - beta, alpha - b * b])
    u1, u2, u3 = np.sort(roots.real)
    m, pace = (u2 - u1) / (u3 - u1), np.sqrt(beta * (u3 - u1)) / 2
    from_above = abs(u0 - u2) < abs(u0 - u1)

    def height(x):
        sn, cn, dn, _ = ellipj(pace * x, m)
        wave = cn / dn if from_above else sn
        return u1 + (u2 - u1) * wave**2

    def rate(x):
        return (b - a * height(x)) / (1 - height(x) ** 2)

    u, phi = height(np.asarray(t)), integrals(rate, t)
    across_axis = np.sqrt(1 - u * u)
    return np.stack([across_axis * np.sin(phi), -across_axis * np.cos(phi), u], axis=1)


# Orders


def slope(x, errors):
    """Fitted exponent of errors over x."""
    return float(np.polyfit(np.log(x), np.log(errors), 1)[0])


# A long run


def spacecraft_drift(duration, integrator="dop853", *, seed=0, level="full", rows=50, **keywords):
    """Drift of momentum and energy of a free flexible spacecraft: relative, largest over the rows.

    Parameters
    ----------
    duration : float
        Of the run [s].
    integrator : str or Integrator
        As for `simulate`.
    seed, level : int, str
        Of the state at the start, and of the flexible bodies.
    rows : int
        Instants at which it is measured.
    **keywords
        For `simulate`, such as rtol or step.

    Returns
    -------
    dict
        "angular", "linear", "energy", and "seconds" that the run took.
    """
    system = spacecraft(level=level)
    state = random_state(system, np.random.default_rng(seed), deformation=0.1, speed=0.3)
    keywords.setdefault("output_step", duration / rows)
    with warnings.catch_warnings():
        # It turns faster than its frequencies allow for good deflections; what is conserved is
        # conserved all the same.
        warnings.simplefilter("ignore", ls.SimulationWarning)
        run = ls.simulate(
            system, state, duration=duration, integrator=integrator, progress=False, **keywords
        )
    assert run.status == "finished", run.message
    # About a point that moves with the centre of mass: far from the origin the moment of the
    # linear momentum would hide all else.
    momentum, energy = run.momentum(about=run["center_of_mass"]), run.energy.total
    change = np.abs(momentum - momentum[0])
    return {
        "angular": change[:, :3].max() / np.linalg.norm(momentum[0, :3]),
        "linear": change[:, 3:].max() / np.linalg.norm(momentum[0, 3:]),
        "energy": np.abs(energy - energy[0]).max() / abs(energy[0]),
        "seconds": run.statistics["seconds"],
    }
