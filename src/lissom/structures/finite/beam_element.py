"""Beam element of two nodes, uniform or tapered, from its flexibility.

Notation: e axis of the element, L its length, x the place along it; wrenches [moment; force] and
motions [rotation; translation].  C(x) is the section's stiffness (G J, E I_y, E I_z, E A, G A k_y,
G A k_z), theta and u the motion of a section, 1 and 2 the ends.  Statics alone gives the wrench
w(x) in a section from the wrench f at end 2, without an assumption about the section's change:

    w(x) = B(L - x) f,     B(d) = [1, d [e]x; 0, 1]                                             (1)
    D(x) = integral from 0 to x of B(x - t)^T C(t)^-1 B(L - t) dt                               (2)
    [theta(x); u(x)] = B(x)^T [theta_1; u_1] + D(x) f                                           (3)
    f = D(L)^-1 ([theta_2; u_2] - B(L)^T [theta_1; u_1]) = S d                                  (4)
    K = S^T D(L) S                                                                              (5)

so that (3) are the exact static shapes between the nodes, shear included, and (5) the exact
stiffness.  Euler-Bernoulli beams have no compliance of shear in (2).  The mass lies in particles at
Gauss stations, four to a station at (x, +-a, 0) and (x, 0, +-b) with a² = 2 I_z / A and
b² = 2 I_y / A, which move with their section:

    displacement = u(x) + theta(x) x lever                                                      (6)

The sum over the particles is the consistent mass matrix with rotary inertia.  Source of (1)-(5):
Przemieniecki, "Theory of Matrix Structural Analysis" (1968), chapters 5 and 11.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray

from .._checks import positive
from ..materials import Material
from ..sections import Section

Array = NDArray[np.float64]

_STATIONS = 4  # of the mass; exact for uniform elements
_TAPERED = 6  # stations and points of integrals where the section varies
_CROSS = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # [e]x
_BENDING = {"first": (1, 2), "second": (7, 8)}  # freedoms that a pin releases


@dataclass(frozen=True, eq=False)
class BeamElement:
    """Element along its own x axis; freedoms [theta_1, u_1, theta_2, u_2], 12 in all."""

    length: float  # [m]
    section: Callable[[float], Section]  # section as a function of x/length
    material: Material
    uniform: bool  # whether the section does not vary
    shear: bool  # whether sections shear (Timoshenko)
    pinned: tuple[str, ...] = ()  # ends, "first" and "second", that transfer no bending moment

    @cached_property
    def wrench(self) -> Array:
        """S of (4), (6, 12): wrench on end 2 per freedom of the nodes, with pins."""
        return self.unpinned @ self.node_to_end

    @cached_property
    def node_to_end(self) -> Array:
        """Map (12, 12) of the nodes' freedoms to those of the element's ends.

        A pin turns by itself until its moment vanishes: K_rr d_r = -K_rk d_k.
        """
        pins = [k for end in self.pinned for k in _BENDING[end]]
        others = [k for k in range(12) if k not in pins]
        matrix = np.zeros((12, 12))
        matrix[others, others] = 1.0
        if pins:
            K = self._relative.T @ self.unpinned
            block = np.linalg.solve(K[np.ix_(pins, pins)], K[np.ix_(pins, others)])
            matrix[np.ix_(pins, others)] = -block
        return matrix

    @cached_property
    def unpinned(self) -> Array:
        """S of (4) without pins, (6, 12)."""
        return np.asarray(np.linalg.solve(self.flexibility(1.0), self._relative))

    @cached_property
    def stiffness(self) -> Array:
        """K of (5), (12, 12)."""
        return self.wrench.T @ self.flexibility(1.0) @ self.wrench

    def shapes(self, x: float) -> Array:
        """Motion of the section at the fraction x of the length, (6, 12), by (3)."""
        first = lever(self.length * x).T @ self.node_to_end[:6]
        return first + self.flexibility(x) @ self.wrench

    def loads(self, x: float) -> Array:
        """N, Q_y, Q_z, T, M_y, M_z at the fraction x of the length, (6, 12), by (1)."""
        w = lever(self.length * (1 - x)) @ self.wrench
        return w[[3, 4, 5, 0, 1, 2]]

    def flexibility(self, x: float) -> Array:
        """D of (2) at the fraction x of the length, (6, 6)."""
        if x == 1.0:
            return self._whole
        return self._integral(x)

    @cached_property
    def _whole(self) -> Array:
        D = self._integral(1.0)
        return (D + D.T) / 2

    @property
    def _relative(self) -> Array:
        """Motion of end 2 seen from end 1, (6, 12)."""
        return np.hstack([-lever(self.length).T, np.eye(6)])

    def _integral(self, x: float) -> Array:
        total = np.zeros((6, 6))
        for at, weight in self.points(x):
            one = lever(self.length * (x - at)).T * self.compliance(at)
            total += weight * one @ lever(self.length * (1 - at))
        return total

    def points(self, x: float) -> list[tuple[float, float]]:
        """Gauss points of (0, x) as fractions of the length, and their weights [m]."""
        xi, w = leggauss(_STATIONS if self.uniform else _TAPERED)
        return list(zip(x * (1 + xi) / 2, self.length * x * w / 2, strict=True))

    def compliance(self, x: float) -> Array:
        """1 / C at the fraction x of the length, (6,)."""
        section, material = self.section(x), self.material
        area, about_y, about_z, torsion = section_numbers(section, "frame")
        E, G = material.youngs_modulus, material.shear_modulus
        compliances = 1 / np.array(
            [G * torsion, E * about_y, E * about_z, E * area, np.inf, np.inf]
        )
        if self.shear:
            factors = section.shear_factors(material.poisson_ratio)
            for k, factor in enumerate(factors):
                what = f"frame: section {section.name}: shear factor {'yz'[k]}"
                compliances[4 + k] = 1 / (G * area * positive(factor, what))
        return compliances

    @cached_property
    def particles(self) -> tuple[Array, Array, Array]:
        """Masses (k,), places in the element (k, 3) and their motion (k, 3, 12), by (6)."""
        masses, places, motions = [], [], []
        for x, weight in self.points(1.0):
            section = self.section(x)
            area, about_y, about_z, _ = section_numbers(section, "frame")
            a, b = np.sqrt(2 * np.array([about_z, about_y]) / area)
            N = self.shapes(x)
            for y, z in ((a, 0.0), (-a, 0.0), (0.0, b), (0.0, -b)):
                masses.append(self.material.density * area * weight / 4)
                places.append((self.length * x, y, z))
                motions.append(N[3:] - _cross((0.0, y, z)) @ N[:3])
        return np.array(masses), np.array(places), np.array(motions)


def section_numbers(section: Section, what: str) -> tuple[float, float, float, float]:
    """Area, second moments about y and z, torsion constant of a section, checked."""
    a, b, c, d = (
        positive(getattr(section, name), f"{what}: section {section.name}: {name} [{unit}]")
        for name, unit in _NUMBERS.items()
    )
    return a, b, c, d


_NUMBERS = {
    "area": "m²",
    "second_moment_y": "m⁴",
    "second_moment_z": "m⁴",
    "torsion_constant": "m⁴",
}


def lever(d: float) -> Array:
    """B of (1), (6, 6)."""
    B = np.eye(6)
    B[:3, 3:] = d * _CROSS
    return B


def _cross(v: tuple[float, float, float]) -> Array:
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
