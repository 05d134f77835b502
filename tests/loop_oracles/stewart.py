"""A Stewart platform on a given motion: leg forces by Newton and Euler, written for this machine.

Leg i goes from B_i on the ground (universal joint: an axis a1 fixed there, an axis a2 across the
leg) to P_i on the platform (ball joint).  Its lower part turns, its upper part also slides along
u, the direction of the leg; both have a moment of inertia along u and one across.

    w = u x udot + sigma u,  w . (a1 x a2) = 0           a universal joint does not spin    (1)
    H = J_across (w - (w.u) u) + J_along (w.u) u         of each part about its centre      (2)
    moments about B_i along a1 and a2:  sum (r x m (a - g) + Hdot) = -L u x F_i             (3)
    platform:  m (a - g) = sum F_i,   Hdot = sum (R P_i) x F_i                              (4)
    along u, upper part:  m_2 (a_2 - g) . u = f_i - F_i . u                                 (5)

(3) and (4) are 18 equations for the forces F_i of the legs on the platform, (5) gives the actuator
forces f_i.  All time derivatives are taken by CasADi of positions and directions as functions of
time.  Values are our own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

GRAVITY = np.array([0.0, 0.0, -9.81])


def _turn(axis: int, angle):
    """Rotation about a coordinate axis and its quaternion."""
    j, k = (axis + 1) % 3, (axis + 2) % 3
    R, q = ca.SX.eye(3), ca.SX.zeros(4)
    R[j, j] = R[k, k] = ca.cos(angle)
    R[k, j], R[j, k] = ca.sin(angle), -ca.sin(angle)
    q[0], q[1 + axis] = ca.cos(angle / 2), ca.sin(angle / 2)
    return R, q


def _times(p, q):
    """Product of quaternions (w, x, y, z)."""
    vector = p[0] * q[1:] + q[0] * p[1:] + ca.cross(p[1:], q[1:])
    return ca.vertcat(p[0] * q[0] - ca.dot(p[1:], q[1:]), vector)


@dataclass(frozen=True)
class Part:
    """Mass, distance of its centre from its end of the leg, moments along and across the leg."""

    mass: float
    centre: float
    along: float
    across: float


@dataclass(frozen=True)
class Stewart:
    """Six legs; a platform of mass, centre of mass (3,) and inertia (3, 3) about it."""

    lower: Part = Part(3.0, 0.35, 0.02, 0.12)
    upper: Part = Part(1.5, 0.3, 0.004, 0.06)
    mass: float = 20.0
    centre: tuple[float, float, float] = (0.03, -0.02, 0.05)
    inertia: tuple[float, float, float] = (1.1, 1.3, 2.0)

    @cached_property
    def base(self) -> np.ndarray:
        """B_i (6, 3): pairs 15 degrees either side of three directions."""
        angles = np.radians([-15, 15, 105, 135, 225, 255])
        return 1.0 * np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])

    @cached_property
    def joints(self) -> np.ndarray:
        """P_i (6, 3) in the axes of the platform."""
        angles = np.radians([-45, 45, 75, 165, 195, 285])
        return 0.6 * np.column_stack([np.cos(angles), np.sin(angles), 0 * angles - 0.1])

    def frame(self, i: int) -> np.ndarray:
        """Axes at B_i: x is a1, tangential, and z points up."""
        x, y, _ = self.base[i] / np.linalg.norm(self.base[i])
        return np.array([[-y, -x, 0.0], [x, -y, 0.0], [0.0, 0.0, 1.0]])

    def _pose(self, t):
        """Rotation, quaternion and position of the platform."""
        turns = [0.25 * ca.sin(2 * t), 0.2 * ca.cos(1.7 * t), 0.4 * ca.sin(1.3 * t + 0.5)]
        R, q = ca.SX.eye(3), ca.DM([1, 0, 0, 0])
        for axis in (2, 1, 0):
            R_k, q_k = _turn(axis, turns[axis])
            R, q = R @ R_k, _times(q, q_k)
        p = ca.vertcat(0.2 * ca.sin(1.5 * t), 0.15 * ca.cos(2.2 * t), 1.2 + 0.1 * ca.sin(3 * t))
        return R, q, p

    @cached_property
    def _functions(self):
        t = ca.SX.sym("t")

        def rate(x):
            return ca.jtimes(ca.SX(x), t, ca.SX(1))

        R, quaternion, p = self._pose(t)
        spin = R.T @ rate(R)
        w_body = ca.vertcat(spin[2, 1], spin[0, 2], spin[1, 0])
        coordinates, speeds = [quaternion, p], [w_body, R.T @ rate(p)]
        rows, right, along = [], [], []
        for i in range(6):
            B, frame = ca.DM(self.base[i]), ca.DM(self.frame(i))
            reach = p + R @ ca.DM(self.joints[i]) - B
            length = ca.norm_2(reach)
            u = reach / length
            a1 = frame[:, 0]
            a2 = ca.cross(u, a1)
            a2 = a2 / ca.norm_2(a2)
            c, swing = ca.cross(a1, a2), ca.cross(u, rate(u))
            w = swing - ca.dot(swing, c) / ca.dot(u, c) * u  # (1)
            moment = ca.SX.zeros(3)
            for part, at in ((self.lower, self.lower.centre), (self.upper, None)):
                r = u * (length - self.upper.centre if at is None else at)
                axial = ca.dot(w, u) * u
                H = part.across * (w - axial) + part.along * axial  # (2)
                push = part.mass * (rate(rate(r)) - GRAVITY)
                moment += ca.cross(r, push) + rate(H)
            along.append(ca.dot(push, u))  # of the upper part, the last one
            for axis in (a1, a2):  # (3): axis . (-reach x F) = -(axis x reach) . F
                row = ca.SX.zeros(1, 18)
                row[0, 3 * i : 3 * i + 3] = -ca.cross(axis, reach).T
                rows.append(row)
                right.append(ca.dot(axis, moment))
            local = frame.T @ u
            angles = ca.vertcat(ca.atan2(-local[1], local[2]), ca.asin(local[0]))
            coordinates.append(ca.vertcat(angles, length))
            speeds.append(rate(coordinates[-1]))
        arm = R @ ca.DM(self.centre)
        H = R @ ca.diag(ca.DM(self.inertia)) @ w_body
        push = self.mass * (rate(rate(p + arm)) - GRAVITY)
        rows.append(ca.horzcat(*[ca.SX.eye(3)] * 6))  # (4)
        arms = [R @ ca.DM(x) for x in self.joints]
        rows.append(ca.horzcat(*[ca.skew(x) for x in arms]))
        right += [push, rate(H) + ca.cross(arm, push)]
        v = ca.vertcat(*speeds)
        directions = ca.horzcat(*((p + arms[i] - self.base[i]) for i in range(6)))
        outputs = [ca.vertcat(*coordinates), v, rate(v), ca.vertcat(*rows), ca.vertcat(*right)]
        outputs += [ca.vertcat(*along), directions]
        return ca.Function("stewart", [t], [ca.densify(x) for x in outputs])

    def motion(self, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Coordinates, speeds and their rates: platform (7; 6; 6), then each leg's three.

        The platform's are quaternion and position; [angular; linear] velocity in its axes.
        A leg's are the two angles of its universal joint and its length.
        """
        return tuple(x.full().ravel() for x in self._functions(t)[:3])

    def forces(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Actuator forces f (6,), and forces F (6, 3) of the legs on the platform, world axes."""
        *_, rows, right, along, reach = (x.full() for x in self._functions(t))
        F = np.linalg.solve(rows, right.ravel()).reshape(6, 3)
        u = (reach / np.linalg.norm(reach, axis=0)).T
        return along.ravel() + np.sum(F * u, axis=1), F
