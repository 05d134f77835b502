"""Bricard's six-bar linkage with right angles: one degree of freedom by closed-form geometry.

Six hinges in a ring, successive axes perpendicular, at the distance l along their common normals.
Grubler's count gives zero degrees of freedom; the symmetry gives one.  The hinge angles alternate
between two values x and y, and the ring is closed where

    f(x, y) = (1 + cos x) (1 + cos y) - 1 = 0                                       (1)

(the condition of Y. Chen, Z. You, T. Tarnai, "Threefold-symmetric Bricard linkages for deployable
structures", Int. J. Solids and Structures 42 (2005), at a twist of 90 degrees; `ring` lets a test
see it).  One bar is the ground; the others are thin rods.  On the curve (1), with unit tangent
t = (-f_y, f_x)/|grad f| and speed w along it:

    T = m(x, y) w^2 / 2       m wdot = -dV/ds - w^2/2 dm/ds       (x, y)dot = t w   (2)

The ring of five moving rods of 1 m and 1 kg under gravity is the "Bricard mechanism" of the IFToMM
library of multibody benchmarks; the direction of gravity and the start are our own.
"""

from __future__ import annotations

from functools import cache

import casadi as ca
import numpy as np
from scipy.integrate import solve_ivp

LENGTH, MASS = 1.0, 1.0
GRAVITY = (0.0, -9.81, 0.0)
# Twist from one axis to the next, about the rod between them.
TWISTS = tuple(np.pi / 2 * (-1) ** k for k in range(6))


def _about_x(angle):
    c, s = ca.cos(angle), ca.sin(angle)
    return ca.vertcat(ca.horzcat(1, 0, 0), ca.horzcat(0, c, -s), ca.horzcat(0, s, c))


def _about_z(angle):
    c, s = ca.cos(angle), ca.sin(angle)
    return ca.vertcat(ca.horzcat(c, -s, 0), ca.horzcat(s, c, 0), ca.horzcat(0, 0, 1))


def _ring(x, y):
    """Frames (rotation, position) after each of the six hinges; the first hinge is at the origin.

    Each hinge turns about its z, then a rod leads along x to the next, whose axis is twisted.
    """
    frames, R, r = [], ca.SX.eye(3), ca.SX.zeros(3)
    for k, twist in enumerate(TWISTS):
        R = R @ _about_z((x, y)[k % 2])
        frames.append((R, r))
        r = r + R @ ca.DM([LENGTH, 0, 0])
        R = R @ _about_x(twist)
    return [*frames, (R, r)]


@cache
def _functions():
    x, y, w = ca.SX.sym("x"), ca.SX.sym("y"), ca.SX.sym("w")
    z = ca.vertcat(x, y)
    f = (1 + ca.cos(x)) * (1 + ca.cos(y)) - 1
    gradient = ca.jacobian(f, z).T
    t = ca.vertcat(-gradient[1], gradient[0]) / ca.norm_2(gradient)
    frames = _ring(x, y)
    inertia, potential = 0, 0
    for R, r in frames[:5]:
        middle, half = r + R @ ca.DM([LENGTH / 2, 0, 0]), R @ ca.DM([LENGTH / 2, 0, 0])
        moved, turned = ca.jtimes(middle, z, t), ca.jtimes(half, z, t)
        # a thin rod: its mass in the middle, and a third of it at both ends from there
        inertia += MASS * (ca.dot(moved, moved) + ca.dot(turned, turned) / 3)
        potential -= MASS * ca.dot(ca.DM(GRAVITY), middle)
    wdot = (-ca.jtimes(potential, z, t) - w**2 / 2 * ca.jtimes(inertia, z, t)) / inertia  # (2)
    points = ca.horzcat(*(r for _, r in frames))
    rotations = ca.horzcat(*(R for R, _ in frames))
    state, rates = ca.vertcat(z, w), ca.vertcat(t * w, wdot)
    return (
        ca.Function("rates", [state], [rates]),
        ca.Function("energy", [state], [inertia * w**2 / 2 + potential]),
        ca.Function("ring", [z], [points, rotations]),
        ca.Function("f", [z], [f]),
        ca.Function("second", [state], [ca.jtimes(rates, state, rates)]),
    )


def partner(x: float) -> float:
    """Angle y in (0, pi) that closes the ring with x."""
    return float(np.arccos(1 / (1 + np.cos(x)) - 1))


def ring(x: float, y: float) -> tuple[np.ndarray, np.ndarray]:
    """Hinges (7, 3) and the axes (7, 3, 3) there; the seventh is the first once more if closed."""
    points, rotations = _functions()[2]([x, y])
    return points.full().T, rotations.full().reshape(3, 7, 3).transpose(1, 0, 2)


def motion(times, x: float, y: float, w: float) -> np.ndarray:
    """Rows (x, y, w) at these times from a start on the curve (1)."""
    rates = _functions()[0]
    solution = solve_ivp(
        lambda t, z: rates(z).full().ravel(),
        (0.0, times[-1]),
        [x, y, w],
        method="DOP853",
        t_eval=times,
        rtol=1e-12,
        atol=1e-12,
    )
    return solution.y.T


def rates(x: float, y: float, w: float) -> np.ndarray:
    """Rates of x and y at the speed w along the curve (1)."""
    return _functions()[0]([x, y, w]).full().ravel()[:2]


def acceleration(x: float, y: float, w: float) -> np.ndarray:
    """Second derivatives of x and y at the speed w along the curve (1)."""
    return _functions()[4]([x, y, w]).full().ravel()[:2]


def energy(x: float, y: float, w: float) -> float:
    """Kinetic and potential energy [J]."""
    return float(_functions()[1]([x, y, w]))


def curve(x: float, y: float) -> float:
    """f of (1)."""
    return float(_functions()[3]([x, y]))
