"""Windows of rods in a row: N + 1 parallel cranks and the N couplers between their ends.

All rods have length l and mass m, uniform.  The cranks turn by the same angle a (from the upright)
and the couplers do not turn, so that one pendulum tells all:

    T = ((N + 1)/3 + N) m l^2 adot^2 / 2       V = ((N + 1)/2 + N) m g l cos a

Where the cranks lie along the couplers the constraints lose rank; the motion does not notice.
The mechanism is the "N-four-bar" of the IFToMM library of multibody benchmarks and of M. Gonzalez,
D. Dopico, U. Lugris, J. Cuadrado, "A benchmarking system for MBS simulation software", Multibody
System Dynamics 16 (2006); rods of 1 m and 1 kg are theirs, the initial speed here is our own.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

GRAVITY, LENGTH, MASS = 9.81, 1.0, 1.0


def inertia(n: int) -> float:
    """T = inertia adot^2 / 2 [kg m^2]."""
    return ((n + 1) / 3 + n) * MASS * LENGTH**2


def weight(n: int) -> float:
    """V = weight cos a [J]."""
    return ((n + 1) / 2 + n) * MASS * GRAVITY * LENGTH


def energy(n: int, angle, rate):
    """Total energy [J], zero where the cranks lie flat at rest."""
    return inertia(n) * rate**2 / 2 + weight(n) * np.cos(angle)


def crank_angle(n: int, times, rate: float) -> np.ndarray:
    """Angle of the cranks, from the upright, at these times; it starts at zero with this rate."""
    k = weight(n) / inertia(n)
    solution = solve_ivp(
        lambda t, y: [y[1], k * np.sin(y[0])],
        (0.0, times[-1]),
        [0.0, rate],
        method="DOP853",
        t_eval=times,
        rtol=1e-13,
        atol=1e-13,
    )
    return solution.y[0]


def time_of_turn(n: int, rate: float) -> float:
    """Time of a full turn by the energy integral: the quadrature of da / adot."""
    a = 2 * np.pi * np.arange(400) / 400
    k = weight(n) / inertia(n)
    return float(2 * np.pi * np.mean(1 / np.sqrt(rate**2 + 2 * k * (1 - np.cos(a)))))
