"""A robot with a flexible forearm under a compiled controller."""

import numpy as np
import pytest
from numba import njit

import lissom as ls
from benchmarks.calls.robots import robot_path, with_flexible_forearm
from tests.references.peers import missing_peer

pytestmark = pytest.mark.peer


def test_a_compiled_pd_takes_the_steps_that_were_asked_for():
    """UR5, generalized-alpha at 1 ms, gains of an industrial drive: a thousand steps a second."""
    if robot_path("UR5") is None:
        missing_peer("example-robot-data", ImportError("no file of the UR5"))
    system = with_flexible_forearm().compile()
    joints = np.array(
        [
            (system.layout.hinge_q(name).start, system.layout.hinge_v(name).start)
            for name in system.names
            if system.layout.hinge_v(name).stop > system.layout.hinge_v(name).start
        ]
    )
    goal = np.array([0.3, -1.0, 1.2, -0.4, 0.5, 0.2])
    stiffness = np.array([4e4, 4e4, 2e4, 4e3, 4e3, 4e3])

    @njit
    def pd(t, q, v, out):
        for k in range(6):
            error = goal[k] * min(t, 1.0) - q[joints[k, 0]]
            out[joints[k, 1]] = stiffness[k] * error - 0.02 * stiffness[k] * v[joints[k, 1]]

    run = ls.simulate(
        system, duration=1.0, forces=pd, integrator="generalized_alpha", step=1e-3, output_step=0.1
    )
    assert run.statistics["steps"] == 1000 and run.statistics["divided_steps"] == 0
    assert run.statistics["iterations"] < 4000
    exact = ls.simulate(system, duration=1.0, forces=pd, output_step=0.1, rtol=1e-7)
    assert np.abs(run.q - exact.q)[:, joints[:, 0]].max() < 1e-5
