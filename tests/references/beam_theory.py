"""Exact vibration of straight beams in a plane, from the differential equations.

States w, theta, Q, M along the beam: w' = theta + Q / kGA, theta' = M / EI, Q' = -m omega² w,
M' = -Q - j omega² theta, with m and j mass and rotary inertia per length.  Without compliance of
shear and j it is Euler and Bernoulli's beam, with j Rayleigh's, with both Timoshenko's.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm
from scipy.optimize import brentq
from scipy.special import jv

W, THETA, Q, M = range(4)

# Lateral buckling by a force at the tip, F L² / sqrt(EI GJ): phi'' + (F² / EI GJ) s² phi = 0 in the
# twist, s from the tip, is solved by sqrt(s) J(s²...) of orders +-1/4, free of torque at s = 0.
PRANDTL = 2 * brentq(lambda x: jv(-0.25, x), 1.5, 2.5)  # 4.0126


class Beam:
    def __init__(self, length, EI, m, j=0.0, kGA=np.inf):
        self.length, self.EI, self.m, self.j, self.kGA = length, EI, m, j, kGA

    def transfer(self, omega):
        A = np.zeros((4, 4))
        A[W, THETA], A[W, Q], A[THETA, M] = 1.0, 1 / self.kGA, 1 / self.EI
        A[Q, W], A[M, Q], A[M, THETA] = -self.m * omega**2, -1.0, -self.j * omega**2
        return expm(A * self.length)

    def dynamic_stiffness(self, omega):
        """Forces and moments on the ends (Q1, M1, Q2, M2) from (w1, theta1, w2, theta2)."""
        T = self.transfer(omega)
        inner = np.linalg.solve(T[:2, 2:], np.hstack([-T[:2, :2], np.eye(2)]))  # Q, M at the start
        end = T[2:, :2] @ np.eye(2, 4) + T[2:, 2:] @ inner
        return np.vstack([-inner, end])

    def frequency(self, free_at_start, zero_at_end, near):
        """Root near a value: states that are free at the start, states that vanish at the end."""

        def residual(omega):
            return np.linalg.det(self.transfer(omega)[np.ix_(zero_at_end, free_at_start)])

        return brentq(residual, 0.97 * near, 1.03 * near, xtol=1e-10 * near)
