"""Impacts of a steel ball on flexible bodies, by solutions that share no code with lissom.

Ball on the end of a free bar: until the first wave returns the end moves with the speed F/(rho c A)
(D'Alembert's solution), so that depth d and speed v of the ball follow

  d' = v - F/(rho c A),   m v' = -F,   F = k d^(3/2)                                            (1)

Ball on a simply supported beam (Timoshenko 1913): F is linear in each short step; every mode, and
the ball, then move exactly, and the depth at the end of the step gives F there.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

YOUNG, POISSON, DENSITY = 210e9, 0.3, 7850.0  # steel
RADIUS = 0.01  # of the ball [m]
SOUND = np.sqrt(YOUNG / DENSITY)
MASS = DENSITY * 4 / 3 * np.pi * RADIUS**3
STIFFNESS = 4 / 3 * YOUNG / (2 * (1 - POISSON**2)) * np.sqrt(RADIUS)  # Hertz [N/m^1.5]
EXPONENT = 1.5


def ball_on_bar(length, area, speed):
    """Peak force [N], time of contact [s] and speed of the ball afterwards [m/s]."""

    def rates(t, y):
        force = STIFFNESS * max(y[0], 0.0) ** EXPONENT
        return [y[1] - force / (DENSITY * SOUND * area), -force / MASS]

    def leaves(t, y):
        return y[0] if t > 0 else 1.0

    leaves.terminal, leaves.direction = True, -1
    run = solve_ivp(
        rates,
        (0, 2 * length / SOUND),
        [0.0, speed],
        "DOP853",
        rtol=1e-12,
        atol=1e-18,
        events=leaves,
        dense_output=True,
    )
    end = run.t[-1]
    assert run.status == 1 and end < 2 * length / SOUND  # before the wave is back
    top = brentq(lambda t: rates(t, run.sol(t))[0], 0.01 * end, 0.99 * end, xtol=1e-15)
    return STIFFNESS * run.sol(top)[0] ** EXPONENT, end, run.y[1, -1]


def beam_modes(n, length, width, height):
    """Frequencies [rad/s] and mid-span values of the first n odd modes, mass-normalised."""
    odd = np.arange(1, 2 * n, 2)
    area, moment = width * height, width * height**3 / 12
    omega = (odd * np.pi / length) ** 2 * np.sqrt(YOUNG * moment / (DENSITY * area))
    return omega, np.sqrt(2 / (DENSITY * area * length)) * np.sin(odd * np.pi / 2)


def ball_on_beam(length, width, height, speed, step=4e-8, modes=1500):
    """Peak force [N] and speed of the ball after the first contact [m/s]."""
    w, phi = beam_modes(modes, length, width, height)
    cos, sin = np.cos(w * step), np.sin(w * step)
    of_end = phi * (1 - sin / (w * step)) / w**2  # by a force that grows from 0 to 1
    of_start = phi * (1 - cos) / w**2 - of_end
    yields = phi @ of_end + step**2 / (6 * MASS)
    q, p = np.zeros(modes), np.zeros(modes)
    place, velocity, force, peak = 0.0, speed, 0.0, 0.0
    while True:
        q_free = q * cos + p / w * sin + force * of_start
        place_free = place + step * velocity - step**2 * force / (3 * MASS)
        depth = place_free - phi @ q_free
        if depth <= 0:
            return peak, velocity - step / 2 * force / MASS
        after = brentq(
            lambda f, depth=depth: (f / STIFFNESS) ** (1 / EXPONENT) + yields * f - depth,
            0.0,
            depth / yields,
            xtol=1e-13,
        )
        growth = (after - force) / step
        p = -w * q * sin + p * cos + phi * (force * sin / w + growth * (1 - cos) / w**2)
        q = q_free + after * of_end
        place = place_free - step**2 * after / (6 * MASS)
        velocity -= step / 2 * (force + after) / MASS
        force, peak = after, max(peak, after)
