"""Accelerations and frequencies compared with textbook formulas."""

from __future__ import annotations

import numpy as np

from ..algorithms import forward_dynamics
from ..bodies import RigidBody
from ..joints import Revolute, Spherical
from ..model import Model
from ..structures import STEEL, Rectangle, beam
from .check import Check
from .measures import relative

G = 9.81


def _double_pendulum() -> float:
    """Two masses on massless rods, angles downwards from the horizontal; Lagrange's equations.

    Source: L. D. Landau, E. M. Lifshitz, Mechanics, paragraph 5, problem 1.
    """
    m1, m2, l1, l2 = 1.3, 0.7, 0.8, 1.1
    model = Model("double pendulum", gravity=(0, 0, -G))
    model.add(RigidBody(m1, com=(l1, 0, 0)), Revolute("y"), name="upper")
    model.add(RigidBody(m2, com=(l2, 0, 0)), Revolute("y"), to="upper", at=(l1, 0, 0), name="lower")
    system = model.compile()
    q, v = np.array([0.3, 0.9]), np.array([1.7, -2.1])
    first, second = np.cumsum(q)
    rate1, rate2 = np.cumsum(v)
    c, s = m2 * l1 * l2 * np.cos(second - first), m2 * l1 * l2 * np.sin(second - first)
    mass = [[(m1 + m2) * l1**2, c], [c, m2 * l2**2]]
    force = [
        (m1 + m2) * G * l1 * np.cos(first) + s * rate2**2,
        m2 * G * l2 * np.cos(second) - s * rate1**2,
    ]
    absolute = np.linalg.solve(mass, force)
    accelerations = forward_dynamics(system, system.state(q, v))
    return relative(np.cumsum(accelerations), absolute)


def _euler() -> float:
    """A free rigid body: I w' = -w x I w."""
    inertia = np.array([0.5, 0.8, 1.1])
    model = Model("top")
    model.add(RigidBody(2.0, inertia=inertia), Spherical(), name="body")
    system = model.compile()
    w = np.array([1.2, -0.7, 2.3])
    acceleration = forward_dynamics(system, system.state(v=w))
    return relative(acceleration, -np.cross(w, inertia * w) / inertia)


def _beam() -> float:
    """Bending frequencies of a clamped bar, by the roots of cos x cosh x = -1.

    Source: S. P. Timoshenko, Vibration Problems in Engineering, third edition, article 53.
    """
    length, section = 1.5, Rectangle(width=0.02, height=0.03)
    frequencies = beam(length, section, STEEL, modes=6, shapes="clamped").frequencies
    roots = np.array([1.875104068711961, 4.694091132974175, 7.854757438237613])
    area, small, large = 0.02 * 0.03, 0.03 * 0.02**3 / 12, 0.02 * 0.03**3 / 12
    per = STEEL.youngs_modulus / (STEEL.density * area)
    exact = [roots**2 / (2 * np.pi * length**2) * np.sqrt(per * i) for i in (small, large)]
    return relative(np.sort(frequencies) / np.sort(np.concatenate(exact)), np.ones(6))


CLOSED_FORMS = (
    Check("double pendulum: Lagrange's equations", 1e-12, _double_pendulum),
    Check("free body: Euler's equations", 1e-12, _euler),
    Check("beam: six Euler-Bernoulli frequencies", 2e-5, _beam),
)
