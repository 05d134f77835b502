"""Planar linkages by Lagrange's equations: the four-bar, and the slider-crank with a flexible rod.

All in the plane x, y; every angle is that of a link against the axis x, about z.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca
import numpy as np

from .lagrange import Lagrange, particle, thin_rod


def _along(angle, length):
    return length * ca.vertcat(ca.cos(angle), ca.sin(angle))


@dataclass(frozen=True)
class FourBar:
    """Crank, coupler and rocker, uniform thin rods; the ground's hinges at 0 and (base, 0).

    q = angles (crank, coupler, rocker); the closure is where coupler and rocker meet.
    """

    lengths: tuple[float, float, float] = (0.4, 1.1, 0.9)
    masses: tuple[float, float, float] = (0.8, 2.2, 1.5)
    base: float = 1.0
    gravity: float = 9.81

    def equations(self) -> Lagrange:
        q, qdot = ca.SX.sym("q", 3), ca.SX.sym("qdot", 3)
        a, b, c = self.lengths
        far = ca.DM([self.base, 0])
        knee = _along(q[0], a)
        tip = knee + _along(q[1], b)
        other = far + _along(q[2], c)
        rods = [(ca.SX.zeros(2), knee), (knee, tip), (far, other)]
        pairs = list(zip(self.masses, rods, strict=True))
        T = sum(thin_rod(m, *ends, q, qdot) for m, ends in pairs)
        V = sum(m * self.gravity * (ends[0][1] + ends[1][1]) / 2 for m, ends in pairs)
        return Lagrange(q, qdot, T, V, closure=tip - other)

    def start(self, crank: float, rate: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and rates with the coupler above, the crank at this angle and rate."""
        equations = self.equations()
        q = equations.closed([crank, 0.6, 1.6], [1, 2])
        return q, equations.consistent_rates(q, [rate, 0.0, 0.0], [1, 2])


@dataclass(frozen=True)
class FlexibleSliderCrank:
    """Rigid crank, slider on the axis x, and between them a rod of particles that bends.

    A particle at x along the rod sits at (x, sum a_k (x/l)^(k+2)) in the frame on the crank's pin.
    The frame is tangent to the rod there.  q = (crank, rod, slide, a).  Stiffness is that of
    Bernoulli's beam in these shapes; damping is `retardation` times it.
    """

    crank_length: float = 0.15
    crank_mass: float = 0.4
    rod_length: float = 0.4
    rod_mass: float = 0.3
    bending_stiffness: float = 6.0
    retardation: float = 2e-5
    slider_mass: float = 0.6
    gravity: float = 9.81
    n_particle: int = 17
    n_shape: int = 3
    masses: np.ndarray = field(init=False)
    places: np.ndarray = field(init=False)

    def __post_init__(self):
        x = np.linspace(0, self.rod_length, self.n_particle)
        m = np.full(self.n_particle, self.rod_mass / (self.n_particle - 1))
        m[[0, -1]] /= 2
        object.__setattr__(self, "places", x)
        object.__setattr__(self, "masses", m)

    def shapes(self) -> np.ndarray:
        """Deflections (particles, shapes) for unit amplitudes."""
        return (self.places[:, None] / self.rod_length) ** np.arange(2, self.n_shape + 2)

    def slopes(self) -> np.ndarray:
        """Derivatives of the deflections along the rod."""
        k, z = np.arange(2, self.n_shape + 2), self.places[:, None] / self.rod_length
        return k * z ** (k - 1) / self.rod_length

    def stiffness(self) -> np.ndarray:
        """Integral of EI u_i'' u_k'': EI i (i-1) k (k-1) / ((i + k - 3) l^3)."""
        k = np.arange(2.0, self.n_shape + 2)
        curvature = np.outer(k * (k - 1), k * (k - 1)) / (k[:, None] + k - 3)
        return self.bending_stiffness / self.rod_length**3 * curvature

    def equations(self) -> Lagrange:
        n = 3 + self.n_shape
        q, qdot = ca.SX.sym("q", n), ca.SX.sym("qdot", n)
        a, slide = q[3:], ca.vertcat(q[2], 0)
        pin = _along(q[0], self.crank_length)
        across = _along(q[1] + np.pi / 2, 1.0)
        bent = ca.DM(self.shapes()) @ a
        points = [pin + _along(q[1], x) + across * bent[i] for i, x in enumerate(self.places)]
        T = thin_rod(self.crank_mass, ca.SX.zeros(2), pin, q, qdot)
        T += particle(self.slider_mass, slide, q, qdot)
        V = self.crank_mass * self.gravity * pin[1] / 2
        for mass, point in zip(self.masses, points, strict=True):
            T += particle(mass, point, q, qdot)
            V += mass * self.gravity * point[1]
        K = ca.DM(self.stiffness())
        V += ca.bilin(K, a, a) / 2
        F = self.retardation * ca.bilin(K, qdot[3:], qdot[3:]) / 2
        return Lagrange(q, qdot, T, V, F, closure=points[-1] - slide)

    def start(self, crank: float, rate: float, a=0.0, adot=0.0) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and rates with the slider on the positive side."""
        equations = self.equations()
        shape = np.full(self.n_shape, 1.0)
        q = np.concatenate([[crank, -0.2, 0.4], a * shape])
        q = equations.closed(q, [1, 2])
        qdot = np.concatenate([[rate, 0.0, 0.0], adot * shape])
        return q, equations.consistent_rates(q, qdot, [1, 2])
