"""Accurate solution of lissom's equations by SciPy, as a reference for other simulations."""

from __future__ import annotations

import time

import numpy as np
from scipy.integrate import solve_ivp

from lissom.algorithms import forward_dynamics, pose, qdot
from lissom.system import State, System

from ..peers.result import OUTPUT_STEP, PeerRun

Array = np.ndarray


def reference_solution(
    system: System,
    state: State | None = None,
    *,
    duration: float,
    output_step: float = OUTPUT_STEP,
    rtol: float = 1e-10,
) -> PeerRun:
    """Motion of links by SciPy's adaptive method of order eight.

    Parameters
    ----------
    system : System
        Bodies with nodes "middle" and "tip", such as those of `swinging_links`.
    state : State, optional
        Initial state; by default the neutral state, at rest.
    duration, output_step : float
        Simulated time and time between records [s].
    rtol : float
        Relative tolerance of a step; the absolute one is a thousandth of it.

    Returns
    -------
    PeerRun
        Its seconds do not measure lissom: the functions are called one by one from Python, with far
        smaller steps than necessary.
    """
    begin = time.process_time()
    times, q, v = reference_coordinates(
        system, state, duration=duration, output_step=output_step, rtol=rtol
    )
    seconds = time.process_time() - begin
    ends, middles = link_points(system, q, v)
    return PeerRun("lissom's equations, SciPy's DOP853", seconds, times, ends, middles)


def reference_coordinates(
    system: System,
    state: State | None = None,
    *,
    duration: float,
    output_step: float = OUTPUT_STEP,
    rtol: float = 1e-10,
) -> tuple[Array, Array, Array]:
    """Reference solution of any system: times (n,), coordinates (n, n_q), speeds (n, n_v).

    Parameters
    ----------
    system : System
        Any system.
    state, duration, output_step, rtol
        As for `reference_solution`.
    """
    start = system.neutral() if state is None else state
    n_q = system.n_q

    def rates(_: float, y: Array) -> Array:
        now = system.state(y[:n_q], y[n_q:])
        return np.concatenate([qdot(system, now), forward_dynamics(system, now)])

    times = output_step * np.arange(round(duration / output_step) + 1)
    y = np.concatenate([start.q, start.v])
    done = solve_ivp(rates, (0.0, times[-1]), y, "DOP853", times, rtol=rtol, atol=1e-3 * rtol)
    if not done.success:
        raise RuntimeError(f"SciPy's solve_ivp stopped: {done.message}")
    return times, done.y[:n_q].T, done.y[n_q:].T


def link_points(system: System, q: Array, v: Array) -> tuple[Array, Array]:
    """Ends and middles of all links, each of shape (n, n_link, 3), as in `PeerRun` [m].

    Parameters
    ----------
    system : System
        Bodies with nodes "middle" and "tip".
    q, v : array (n, n_q), (n, n_v)
        Coordinates and speeds, one row for each time.
    """
    states = [system.state(*row) for row in zip(q, v, strict=True)]
    ends, middles = (
        np.array(
            [[pose(system, s, f"{name}.{node}").position for name in system.names] for s in states]
        )
        for node in ("tip", "middle")
    )
    return ends, middles
