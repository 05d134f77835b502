"""A crossed linkage: a four-bar with equal opposite bars, on the branch where two of them cross.

The half angles of crank and rocker from the base keep a fixed ratio of their tangents,

    tan(c/2) = -(b + a)/(b - a) tan(f/2)       a: crank and rocker, b: coupler and base

through both flat positions, f = 0 and f = pi, where the parallelogram branches off.  One degree of
freedom is left and the energy is kept: T = I(f) fdot^2 / 2 gives fdot, and one quadrature the time.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

ARM, SPAN, MASSES, GRAVITY = 1.0, 2.2, (1.0, 2.0, 3.0), 9.81
START, RATE = 1.0, 7.0


def angles(f: float) -> tuple[np.ndarray, np.ndarray]:
    """Angles of crank, coupler and rocker from the base, and their derivatives by the crank's."""
    k = -(SPAN + ARM) / (SPAN - ARM)
    c = 2 * np.arctan2(k * np.sin(f / 2), np.cos(f / 2))
    dc = k / (np.cos(f / 2) ** 2 + (k * np.sin(f / 2)) ** 2)
    coupler = SPAN + ARM * np.exp(1j * c) - ARM * np.exp(1j * f)
    rate = 1j * ARM * (np.exp(1j * c) * dc - np.exp(1j * f))
    return np.array([f, np.angle(coupler), c]), np.array([1.0, (rate / (1j * coupler)).real, dc])


def inertia(f: float) -> float:
    """I(f) [kg m^2]."""
    (_, b, _), (_, db, dc) = angles(f)
    centre = 1j * ARM * np.exp(1j * f) + 0.5j * SPAN * np.exp(1j * b) * db
    turning = MASSES[0] * ARM**2 / 3 + MASSES[1] * (SPAN * db) ** 2 / 12
    return turning + MASSES[1] * abs(centre) ** 2 + MASSES[2] * (ARM * dc) ** 2 / 3


def potential(f: float) -> float:
    """V(f) [J]."""
    _, b, c = angles(f)[0]
    heights = np.array([np.sin(f) / 2, np.sin(f) + SPAN / ARM * np.sin(b) / 2, np.sin(c) / 2])
    return GRAVITY * ARM * float(np.dot(MASSES, heights))


def crank_angle(times: np.ndarray) -> np.ndarray:
    """Angle of the crank at these times; it never turns back."""
    energy = inertia(START) * RATE**2 / 2 + potential(START)

    def rate(_t, y):
        return [np.sqrt(2 * (energy - potential(y[0])) / inertia(y[0]))]

    solution = solve_ivp(
        rate, (0.0, times[-1]), [START], "DOP853", t_eval=times, rtol=1e-13, atol=1e-13
    )
    return solution.y[0]
