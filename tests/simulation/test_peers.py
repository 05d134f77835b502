"""Runs against Pinocchio's accelerations integrated by SciPy, and against Exudyn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lissom as ls
from lissom.library import rigid_chain, turned_chain
from tests.references.exudyn_pendulum import extrapolated, pendulum
from tests.references.peers import peer
from tests.references.pinocchio_twins import build_twins, draw_parts
from tests.tools.measures import random_state

pytestmark = pytest.mark.peer


@pytest.mark.parametrize("chain, n", [(rigid_chain, 7), (turned_chain, 30)])
def test_chains_move_as_in_pinocchio(chain, n):
    peer("pin")
    from benchmarks.peers.twins import Pinocchio

    model, rng = chain(n), np.random.default_rng(n)
    system, twin = model.compile(), Pinocchio(model)
    q, v, force = rng.uniform(-1, 1, n), rng.uniform(-1, 1, n), rng.uniform(-2, 2, n)

    def rates(t, y):
        return np.r_[y[n:], twin.forward(y[:n], y[n:], np.cos(3 * t) * force)]

    times = np.linspace(0, 1, 21)
    theirs = solve_ivp(
        rates, (0, 1), np.r_[q, v], method="DOP853", t_eval=times, rtol=1e-11, atol=1e-12
    ).y.T
    run = ls.simulate(
        system,
        system.state(q=q, v=v),
        duration=1.0,
        output_step=0.05,
        rtol=1e-11,
        forces=lambda t, state: np.cos(3 * t) * force,
    )
    # Both keep local errors to 1e-11; a chain that falls makes them some hundred times larger.
    np.testing.assert_allclose(run.time, times, rtol=0, atol=1e-14)
    assert np.abs(run.q - theirs[:, :n]).max() < 1e-9
    assert np.abs(run.v - theirs[:, n:]).max() < 1e-8
    fixed = ls.simulate(
        system,
        system.state(q=q, v=v),
        duration=1.0,
        step=5e-4,
        output_step=0.05,
        integrator="rk4",
        forces=lambda t, state: np.cos(3 * t) * force,
    )
    assert np.abs(fixed.q - theirs[:, :n]).max() < 1e-5


@pytest.mark.parametrize("seed", [2, 5, 11])
def test_random_trees_move_as_in_pinocchio(seed):
    """All kinds of joints: their coordinates go by `pin.integrate` and SciPy's steps in v."""
    pin = peer("pin")
    rng = np.random.default_rng(seed)
    twins = build_twins(pin, draw_parts(seed), rng.uniform(-5, 5, 3), rng)
    start = random_state(twins.system, rng, speed=0.5)
    q0, v0 = start.q[twins.q_index], start.v[twins.v_index]
    n, duration = len(v0), 0.3

    # Motion s on the group from q0: s' follows from d/dt integrate(q0, s) = v by pin.dIntegrate.
    def rates(t, y):
        s, v = y[:n], y[n:]
        q = pin.integrate(twins.model, q0, s)
        jacobian = pin.dIntegrate(twins.model, q0, s)[1]
        return np.r_[
            np.linalg.solve(jacobian, v), pin.aba(twins.model, twins.data, q, v, np.zeros(n))
        ]

    y = solve_ivp(rates, (0, duration), np.r_[0 * v0, v0], method="DOP853", rtol=1e-11, atol=1e-12)
    q1 = pin.integrate(twins.model, q0, y.y[:n, -1])
    run = ls.simulate(twins.system, start, duration=duration, rtol=1e-11)
    pin.forwardKinematics(twins.model, twins.data, q1)
    pin.updateFramePlacements(twins.model, twins.data)
    for part in twins.parts:
        theirs = twins.data.oMf[twins.model.getFrameId(part.name + "_frame")]
        assert np.abs(run[f"{part.name}.position"][-1] - theirs.translation).max() < 1e-10
        assert np.abs(run[f"{part.name}.rotation"][-1] - theirs.rotation).max() < 1e-10
    ours = run.v[-1][twins.v_index]
    assert np.abs(ours - y.y[n:, -1]).max() < 1e-10 * np.abs(ours).max()


SPIN = (3.0, 2.0, 4.0)
BENT = np.array([6e-4, -9e-4, 4e-5, 6e-5])


@pytest.mark.filterwarnings("ignore:body .* (turns at|is p|deflects)")  # the same softness in both
def test_flexible_pendulum_is_exudyns():
    """The same bar and state as in `test_peer_runs`, run by `simulate`."""
    peer("exudyn")
    bar = ls.beam(1.0, ls.Rectangle(0.003, 0.004), ls.ALUMINIUM, modes=4, damping=0.005)

    def motion(step):
        found = pendulum(
            bar, "spherical", angular_velocity=SPIN, modes=BENT, duration=0.1, step=step
        )
        return np.hstack([found.tip, found.modes])

    theirs, correction = extrapolated(motion, 1e-4)
    model = ls.Model("one", gravity=(0, 0, -9.81))
    model.add(bar, ls.Spherical(), name="bar")
    system = model.compile()
    start = system.state(**{"bar.rates": SPIN, "bar.modes": BENT})

    def error(integrator, **settings):
        run = ls.simulate(
            system, start, duration=0.1, output_step=0.01, integrator=integrator, **settings
        )
        return np.abs(np.hstack([run["bar.tip.position"], run["bar.modes"]]) - theirs).max()

    assert correction < 1e-9
    assert error("dop853", rtol=1e-10) < 1e-10
    # Second order: from 0.2 ms to 0.1 ms the error falls to a quarter.
    coarse, fine = (error("generalized_alpha", step=h) for h in (2e-4, 1e-4))
    assert fine < 1e-5
    assert 3 < coarse / fine < 5
