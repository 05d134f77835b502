"""Thin cantilevers that bend far, by shooting and by elliptic integrals; L = EI = 1."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipk


def bent_cantilever(force=0.0, weight=0.0, moment=0.0) -> np.ndarray:
    """Tip across and along, under a force and a moment there and a weight per length, all across.

    θ' = κ, κ' = -(force + weight (1 - s)) cos θ, x' = sin θ, z' = cos θ; κ(1) = moment.
    """

    def shot(root):
        def rates(s, y):
            across = force + weight * (1 - s)
            return [y[1], -across * np.cos(y[0]), np.sin(y[0]), np.cos(y[0])]

        return solve_ivp(rates, (0, 1), [0, root, 0, 0], rtol=1e-10, atol=1e-12).y[:, -1]

    # the largest arm of the loads is 1
    most = abs(force) + abs(weight) + abs(moment) + 1e-6
    root = brentq(lambda k: shot(k)[1] - moment, -most, most, xtol=1e-12)
    return shot(root)[2:]


def buckled_cantilever(part: float) -> float:
    """Deflection of the tip, pressed by this part > 1 of the Euler load along its first axis.

    part = (2 K(m) / π)², deflection 2 sqrt(m) / K(m) (S. P. Timoshenko, J. M. Gere, 2.7).
    """
    m = brentq(lambda m: (2 * ellipk(m) / np.pi) ** 2 - part, 1e-9, 1 - 1e-12)
    return float(2 * np.sqrt(m) / ellipk(m))
