"""Many short runs of one mechanism under a compiled controller."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from lissom.algorithms import mass_matrix
from lissom.sim import Controller, Stepper, simulate
from lissom.system import System

from .robots import hinged, with_flexible_forearm

Array = np.ndarray

STEP, STEPS = 1e-3, 100
MANY = 10_000
COUNTS = {"quick": 3, "normal": 200, "full": MANY}


def rollout_times(n: int) -> dict[str, float]:
    """Seconds for a rollout of `STEPS` steps, by the way in which it is made; the mean of n.

    Parameters
    ----------
    n : int
        Number of rollouts from random states.
    """
    model = with_flexible_forearm()
    if model is None:
        return {}
    system = model.compile()
    rng = np.random.default_rng(5)
    starts = [_start(system, rng) for _ in range(n)]
    loads = [Controller(_controller(system), STEP)]
    common: dict[str, Any] = {"step": STEP, "integrator": "generalized_alpha", "loads": loads}
    common["rtol"] = 1e-3
    stepper = Stepper(system, starts[0], **common)

    def by_simulate(start: tuple[Array, Array]) -> None:
        simulate(system, start, duration=STEPS * STEP, output_step=STEPS * STEP, **common)

    def by_stepper(start: tuple[Array, Array]) -> None:
        stepper.reset(start)
        for _ in range(STEPS):
            stepper.step()

    found = {}
    for name, rollout in (("simulate", by_simulate), ("Stepper", by_stepper)):
        rollout(starts[0])  # compiles
        before = time.process_time()
        for start in starts:
            rollout(start)
        found[name] = (time.process_time() - before) / n
    return found


def _start(system: System, rng: np.random.Generator) -> tuple[Array, Array]:
    q, v = np.zeros(system.n_q), np.zeros(system.n_v)
    for name in hinged(system):
        q[system.layout.hinge_q(name)] = rng.normal() * 0.5
    return q, v


def _controller(system: System) -> object:
    import numba

    hinges = np.array([system.layout.hinge_v(name).start for name in hinged(system)])
    inertia = 1 / np.diag(np.linalg.inv(mass_matrix(system, system.neutral())))  # of each alone

    @numba.njit
    def control(t, q, v, memory, out):  # type: ignore[no-untyped-def]
        for k in hinges:
            out[k] = -inertia[k] * (100.0 * q[k] + 20.0 * v[k])

    return control
