"""Motions by SciPy's integrator with our accelerations: what our steps add is not in them."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

import lissom as ls


def end_by_scipy(system, start, duration):
    """Coordinates and speeds after `duration`, to about 12 digits."""
    n = system.n_q

    def rates(t, y):
        state = system.state(q=y[:n], v=y[n:])
        return np.r_[ls.qdot(system, state), ls.forward_dynamics(system, state)]

    y = np.r_[start.q, start.v]
    return solve_ivp(rates, (0, duration), y, method="DOP853", rtol=3e-13, atol=1e-14).y[:, -1]


def end_error(system, start, exact, duration, **settings):
    """Largest difference of coordinates and speeds at the end of a run from `exact`."""
    run = ls.simulate(system, start, duration=duration, output_step=duration, **settings)
    assert run.status == "finished", run.message
    return np.abs(np.r_[run.q[-1], run.v[-1]] - exact).max()
