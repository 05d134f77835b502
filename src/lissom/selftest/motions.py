"""Runs with a known final state or a conserved quantity."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..algorithms import energy, momentum
from ..bodies import RigidBody
from ..joints import Revolute, Spherical
from ..model import Model
from ..sim import simulate
from .check import Check
from .measures import free_tree, random_state, relative

AMPLITUDE, LENGTH, G, DURATION = 1.2, 0.8, 9.81, 2.0

# Settings of each integrator, and allowed error of the angle [rad].
INTEGRATORS: tuple[tuple[str, dict[str, Any], float], ...] = (
    ("euler_cromer", {"step": 1e-3}, 5e-3),
    ("rk4", {"step": 1e-2}, 1e-6),
    ("dopri5", {"rtol": 1e-9}, 1e-7),
    ("dop853", {"rtol": 1e-10}, 1e-8),
    ("linearly_implicit_euler", {"step": 1e-3}, 5e-3),
    ("generalized_alpha", {"step": 1e-3}, 2e-5),
)


def _pendulum(integrator: str, settings: dict[str, Any]) -> float:
    """Pendulum released at rest: sin(angle/2) = k cd(rate t), k = sin(amplitude/2).

    Source: L. D. Landau, E. M. Lifshitz, Mechanics, paragraph 11, problem 1.
    """
    from scipy.special import ellipj

    model = Model("pendulum", gravity=(0, 0, -G))
    model.add(RigidBody(1.4, com=(LENGTH, 0, 0)), Revolute("y"), name="bob")
    system = model.compile()
    start = system.state(bob=np.pi / 2 - AMPLITUDE)
    run = simulate(
        system, start, duration=DURATION, integrator=integrator, progress=False, **settings
    )
    m = np.sin(AMPLITUDE / 2) ** 2
    _, cn, dn, _ = ellipj(np.sqrt(G / LENGTH) * run.time, m)
    expected = np.pi / 2 - 2 * np.arcsin(np.sqrt(m) * cn / dn)
    return float(np.abs(run.q[:, 0] - expected).max())


def _top() -> float:
    """Torque-free symmetric top: its angular velocity precesses uniformly about the axis."""
    across, along, rates, duration = 0.6, 1.0, np.array([0.8, 0.0, 3.0]), 3.0
    model = Model("top")
    model.add(RigidBody(1.0, inertia=(across, across, along)), Spherical(), name="top")
    system = model.compile()
    start = system.state(v=rates)
    run = simulate(
        system, start, duration=duration, integrator="dop853", rtol=1e-10, progress=False
    )
    angle = (along - across) / across * rates[2] * duration
    expected = [rates[0] * np.cos(angle), rates[0] * np.sin(angle), rates[2]]
    return relative(run.v[-1], expected)


def _conserved() -> float:
    """Energy and momentum of a free-floating flexible tree after a second of motion."""
    system = free_tree()
    start = random_state(system, 0.2)
    run = simulate(system, start, duration=1.0, integrator="dop853", rtol=1e-10, progress=False)
    end = system.state(run.q[-1], run.v[-1])
    pairs = (
        ([energy(system, end).total], [energy(system, start).total]),
        (momentum(system, end), momentum(system, start)),
    )
    return max(relative(values, expected) for values, expected in pairs)


MOTIONS = (
    *(
        Check(f"pendulum by elliptic functions: {name}", bound, partial(_pendulum, name, settings))
        for name, settings, bound in INTEGRATORS
    ),
    Check("symmetric top: precession", 1e-8, _top),
    Check("flexible tree: energy and momentum of a run", 1e-7, _conserved),
)
