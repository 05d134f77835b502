"""Lagrange's equations from energies, with constraints, by automatic differentiation.

    d/dt (dT/dqdot) - dT/dq + dV/dq + dF/dqdot = Q + G^T mu,    g(q) = 0,  G = dg/dq

Energies are CasADi expressions of the coordinates q and their rates.  With constraints the
accelerations and the multipliers solve one linear system (index one); at the tolerances used the
constraints drift by less than the tolerance of the solver times the duration.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
from scipy.integrate import solve_ivp


def thin_rod(mass: float, start, end, q, qdot):
    """Kinetic energy of a uniform thin rod between two points: middle and half vector."""
    moved = ca.jtimes((start + end) / 2, q, qdot)
    turned = ca.jtimes((end - start) / 2, q, qdot)
    return mass * (ca.dot(moved, moved) + ca.dot(turned, turned) / 3) / 2


def particle(mass: float, point, q, qdot):
    """Kinetic energy of a particle."""
    moved = ca.jtimes(point, q, qdot)
    return mass * ca.dot(moved, moved) / 2


class Lagrange:
    """Equations of motion of a mechanism given by its energies.

    Parameters
    ----------
    q, qdot : ca.SX
        Coordinates and rates.
    kinetic, potential : ca.SX
        T(q, qdot), V(q).
    dissipation : ca.SX or float
        F(q, qdot), half the power that dampers take.
    closure : ca.SX, optional
        g(q), a column.
    """

    def __init__(self, q, qdot, kinetic, potential, dissipation=0, closure=None):
        self.n = q.numel()
        g = ca.SX.zeros(0, 1) if closure is None else closure
        momenta = ca.gradient(kinetic, qdot)
        bias = (
            ca.jtimes(momenta, q, qdot)
            - ca.gradient(kinetic - potential, q)
            + ca.gradient(ca.SX(dissipation), qdot)
        )
        rate = ca.jtimes(g, q, qdot)
        terms = [ca.jacobian(momenta, qdot), bias, ca.jacobian(g, q), ca.jtimes(rate, q, qdot), g]
        terms.append(kinetic + potential)
        self._terms = ca.Function("terms", [q, qdot], [ca.densify(x) for x in terms])

    def acceleration(self, q, qdot, force=0.0) -> tuple[np.ndarray, np.ndarray]:
        """Second derivatives of q and the multipliers mu, under generalized forces."""
        M, bias, G, gamma, _, _ = (x.full() for x in self._terms(q, qdot))
        m = len(G)
        matrix = np.block([[M, -G.T], [G, np.zeros((m, m))]])
        right = np.concatenate([force - bias.ravel(), -gamma.ravel()])
        found = np.linalg.solve(matrix, right)
        return found[: self.n], found[self.n :]

    def energy(self, q, qdot) -> float:
        """Kinetic and potential energy [J]."""
        return float(self._terms(q, qdot)[5])

    def closed(self, q, free) -> np.ndarray:
        """Coordinates with the entries `free` moved by Newton's method until g = 0."""
        q = np.array(q, float)
        for _ in range(50):
            _, _, G, _, g, _ = (x.full() for x in self._terms(q, 0 * q))
            step = np.linalg.solve(G[:, free], g.ravel())
            q[free] -= step
            if np.abs(step).max() < 1e-15:
                break
        return q

    def consistent_rates(self, q, qdot, free) -> np.ndarray:
        """Rates with the entries `free` changed so that the closure stays closed."""
        qdot = np.array(qdot, float)
        G = self._terms(q, qdot)[2].full()
        qdot[free] -= np.linalg.solve(G[:, free], G @ qdot)
        return qdot

    def motion(self, times, q, qdot, force=None, *, method="DOP853", rtol=1e-12):
        """Rows of q and of qdot at these times; force(t, q, qdot) are generalized forces."""

        def rates(t, y):
            here = y[: self.n], y[self.n :]
            given = 0.0 if force is None else force(t, *here)
            return np.concatenate([here[1], self.acceleration(*here, given)[0]])

        start = np.concatenate([q, qdot])
        solution = solve_ivp(
            rates, (times[0], times[-1]), start, method=method, t_eval=times, rtol=rtol, atol=rtol
        )
        return solution.y[: self.n].T, solution.y[self.n :].T
