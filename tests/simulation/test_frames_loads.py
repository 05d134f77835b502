"""Loads on named frames in runs."""

import numba
import numpy as np
import pytest

import lissom as ls
from tests.samples.frames import arm
from tests.tools.measures import error


@pytest.fixture(scope="module")
def system():
    return arm().compile()


@pytest.fixture(scope="module")
def calm(system):
    """Slow enough for runs: a little bent."""
    return system.state(upper=[0.5, -0.8], hand=1.1, **{"upper.modes": [1e-4, 2e-4, 0, 0]})


@numba.njit
def _pull(t, out):
    out[0], out[1], out[2] = 2.0, -1.0 + 3.0 * t, 0.5


FORCE, SLOPE = np.array([2.0, -1.0, 0.5]), np.array([0.0, 3.0, 0.0])
SIGNALS = {
    "constant": FORCE,
    "table": ls.Table([0.0, 1.0], [FORCE, FORCE + SLOPE]),
    "function": lambda t: FORCE + SLOPE * t,
    "function of state": lambda t, state: FORCE + SLOPE * t,
    "compiled": _pull,
}


@pytest.mark.parametrize("axes", ["world", "body"])
@pytest.mark.parametrize("signal", SIGNALS)
def test_loads_on_frames_are_external_forces_there(system, calm, signal, axes):
    at, moment = np.array([0.1, 0.0, -0.2]), np.array([0.1, 0.2, -0.3])
    load = ls.NodeForce("flange", SIGNALS[signal], moment, axes=axes, at=at)
    run = ls.simulate(system, calm, duration=1e-3, loads=[load])
    R = ls.pose(system, calm, "flange").rotation if axes == "world" else np.eye(3)
    force = R.T @ FORCE
    wrench = np.concatenate([R.T @ moment + np.cross(at, force), force])
    expected = ls.forward_dynamics(system, calm, external={"flange": wrench})
    assert error(run["acceleration"][0], expected) < 1e-10
    assert error(run["flange.load"][0], wrench) < 1e-13


def test_a_spring_between_frames_pulls_their_origins_together(system, calm):
    spring = ls.NodeSpring("tool", "goal", 50.0, length=0.2, at_a=(0.1, 0, 0), at_b=(0, 0.2, 0))
    run = ls.simulate(system, calm, duration=1e-3, loads=[spring])
    a = ls.pose(system, calm, "tool", at=(0.1, 0, 0))
    b = ls.pose(system, calm, "goal", at=(0, 0.2, 0))
    d = b.position - a.position
    pull = 50.0 * (np.linalg.norm(d) - 0.2) * d / np.linalg.norm(d)
    J = ls.jacobian(system, calm, "tool", at=(0.1, 0, 0))[3:]
    M = ls.mass_matrix(system, calm)
    expected = np.linalg.solve(M, J.T @ pull - ls.bias_force(system, calm))
    assert error(run["acceleration"][0], expected) < 1e-9


def test_loads_at_a_frame_and_at_its_body_are_told_apart(system, calm):
    loads = [
        ls.NodeForce("tool", (0, 0, 3.0), axes="body"),
        ls.NodeForce("hand", (1.0, 0, 0), axes="body"),
    ]
    run = ls.simulate(system, calm, duration=1e-3, loads=loads)
    assert run.store.columns.wrenches == ("tool", "hand")
    assert np.allclose(run["tool.load"], [0, 0, 0, 0, 0, 3.0], atol=1e-14)
    turn = ls.pose(system, calm, "hand").rotation.T @ ls.pose(system, calm, "tool").rotation
    assert np.allclose(run["hand.load"][:, 3:], turn @ [0, 0, 3.0] + [1.0, 0, 0], atol=1e-14)


WRONG_LOADS = {
    "ground": (ls.NodeForce("goal", (1, 0, 0)), "'goal' is fixed to the ground"),
    "unknown": (ls.NodeForce("tol", (1, 0, 0)), "no body or frame 'tol'; did you mean 'tool'"),
    "node of a frame": (ls.NodeForce("tool.tip", (1, 0, 0)), "frame 'tool' has no node 'tip'"),
    "one body": (ls.NodeSpring("tool", "camera", 1.0), "both ends are on the same body or node"),
    "no body": (ls.NodeSpring("goal", (1, 1, 1), 1.0), "both ends are on the ground"),
}


@pytest.mark.parametrize("case", WRONG_LOADS)
def test_loads_that_cannot_act_on_a_frame_are_refused(system, calm, case):
    load, words = WRONG_LOADS[case]
    with pytest.raises(ls.LoadError, match=words):
        ls.simulate(system, calm, duration=1e-3, loads=[load])
