"""A flyball governor: spinning shaft, two arms with balls, and a slider that the arms lift.

The arms are hinged to the shaft at (+-offset, 0, height) and hang at the angle `a` from the
vertical; a link leads from each arm, `reach` along it, to the slider at the height s.
With rigid links s follows from a in closed form and two coordinates (spin, a) are left; with links
that are springs and dampers there are four: spin, s and one angle for each arm.
After the "flyball governor" of the IFToMM library of multibody benchmarks, whose links are stiff
spring-dampers; all values here are our own.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from .lagrange import Lagrange, particle, thin_rod


@dataclass(frozen=True)
class Governor:
    """Values in SI units; arms and links are uniform thin rods, balls are particles."""

    height: float = 1.0
    offset: float = 0.05
    arm: float = 1.0
    arm_mass: float = 1.0
    ball_mass: float = 5.0
    reach: float = 0.5
    link: float = 0.45
    link_mass: float = 0.4
    slider_mass: float = 3.0
    slider_inertia: float = 0.05
    shaft_inertia: float = 0.2
    gravity: float = 9.81
    link_stiffness: float = 8e5
    link_damping: float = 4e4
    spring: float = 400.0
    spring_damping: float = 30.0
    spring_rest: float = 0.3

    def slide(self, a):
        """Height of the slider below arms at the angle a, with rigid links."""
        root = ca.sqrt if isinstance(a, ca.SX) else np.sqrt
        sin, cos = (ca.sin, ca.cos) if isinstance(a, ca.SX) else (np.sin, np.cos)
        return self.height - self.reach * cos(a) - root(self.link**2 - (self.reach * sin(a)) ** 2)

    def _arm_point(self, spin, a, side: int, distance: float):
        out = side * (self.offset + distance * ca.sin(a))
        up = self.height - distance * ca.cos(a)
        return ca.vertcat(out * ca.cos(spin), out * ca.sin(spin), up)

    def _slider_point(self, spin, s, side: int):
        out = side * self.offset
        return ca.vertcat(out * ca.cos(spin), out * ca.sin(spin), s)

    def _arms_and_balls(self, spin, angles, s, q, qdot):
        spun = ca.jtimes(spin, q, qdot) ** 2
        T = (self.shaft_inertia + self.slider_inertia) * spun / 2
        T += self.slider_mass * ca.jtimes(s, q, qdot) ** 2 / 2
        V = self.slider_mass * self.gravity * s + self.spring * (s - self.spring_rest) ** 2 / 2
        F = self.spring_damping * ca.jtimes(s, q, qdot) ** 2 / 2
        for side, a in zip((1, -1), angles, strict=True):
            root, ball = (self._arm_point(spin, a, side, x) for x in (0.0, self.arm))
            T += thin_rod(self.arm_mass, root, ball, q, qdot)
            T += particle(self.ball_mass, ball, q, qdot)
            V += self.gravity * self.arm_mass * (root[2] + ball[2]) / 2
            V += self.gravity * self.ball_mass * ball[2]
        return T, V, F

    def with_rigid_links(self) -> Lagrange:
        """Equations in q = (spin, a)."""
        q, qdot = ca.SX.sym("q", 2), ca.SX.sym("qdot", 2)
        spin, a = q[0], q[1]
        s = self.slide(a)
        T, V, F = self._arms_and_balls(spin, (a, a), s, q, qdot)
        for side in (1, -1):
            ends = self._arm_point(spin, a, side, self.reach), self._slider_point(spin, s, side)
            T += thin_rod(self.link_mass, *ends, q, qdot)
            V += self.gravity * self.link_mass * (ends[0][2] + ends[1][2]) / 2
        return Lagrange(q, qdot, T, V, F)

    def with_springs(self) -> Lagrange:
        """Equations in q = (spin, s, a1, a2); the links have stiffness and damping, no mass."""
        q, qdot = ca.SX.sym("q", 4), ca.SX.sym("qdot", 4)
        spin, s, angles = q[0], q[1], (q[2], q[3])
        T, V, F = self._arms_and_balls(spin, angles, s, q, qdot)
        for side, a in zip((1, -1), angles, strict=True):
            between = self._arm_point(spin, a, side, self.reach) - self._slider_point(spin, s, side)
            length = ca.norm_2(between)
            V += self.link_stiffness * (length - self.link) ** 2 / 2
            F += self.link_damping * ca.jtimes(length, q, qdot) ** 2 / 2
        return Lagrange(q, qdot, T, V, F)
