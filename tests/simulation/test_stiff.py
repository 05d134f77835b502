"""Stiff loads: what explicit methods resolve, the implicit ones reach with steps of any size."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls

pytestmark = pytest.mark.filterwarnings("ignore::lissom.SimulationWarning")


def double_pendulum() -> ls.System:
    model = ls.Model("double", gravity=(0, 0, -9.81))
    rod = ls.RigidBody.rod(mass=1.0, length=2.0, com=(1, 0, 0))
    model.add(rod, ls.Revolute("y"), name="rod")
    model.add(rod, ls.Revolute("y"), to="rod", at=(2, 0, 0), name="end")
    return model.compile()


SYSTEM = double_pendulum()
START = SYSTEM.state(rod=0.3)


@pytest.fixture(scope="module")
def stuck():
    """Sliding and sticking, resolved: explicit steps that follow the friction's own rate."""
    friction = ls.JointFriction("rod", 30.0, speed=1e-4)
    return ls.simulate(
        SYSTEM, START, duration=2.0, loads=[friction], integrator="dop853", output_step=0.1
    )


@pytest.mark.parametrize("radius", [0.0, 0.8, 1.0])
@pytest.mark.parametrize("step", [2e-3, 5e-4])
def test_friction_with_long_steps(stuck, radius, step):
    """A step crosses the zone of sticking a thousand times over; it must not feed in energy."""
    friction = ls.JointFriction("rod", 30.0, speed=1e-4)
    run = ls.simulate(
        SYSTEM,
        START,
        duration=2.0,
        loads=[friction],
        integrator=ls.GeneralizedAlpha(radius),
        step=step,
        output_step=0.1,
    )
    assert run.status == "finished"
    # second order: 2 ms leave a few 1e-5 rad
    assert np.abs(run.q - stuck.q).max() < 2e-4 * (step / 2e-3) ** 1.5
    assert np.diff(run.energy.total).max() < 1e-3  # of 12 J; the error of the steps


def test_friction_a_thousand_times_stiffer():
    """Explicit methods would need a hundred million steps; the answer is that of less friction."""
    ends = [
        ls.simulate(
            SYSTEM,
            START,
            duration=2.0,
            loads=[ls.JointFriction("rod", 30.0, speed=speed)],
            step=1e-3,
            integrator="generalized_alpha",
        ).q[-1]
        for speed in (1e-6, 1e-8)
    ]
    assert np.abs(ends[0] - ends[1]).max() < 1e-5


@pytest.mark.parametrize("stiffness", [1e6, 1e8, 1e10])
@pytest.mark.parametrize("way", [{"step": 5e-3}, {"rtol": 1e-7}])
def test_a_stiff_spring_is_a_weld(stiffness, way):
    """The end stays where it is, and the two rods swing as one: the compound pendulum."""
    model = ls.Model("welded", gravity=(0, 0, -9.81))
    rod = ls.RigidBody.rod(mass=1.0, length=2.0, com=(1, 0, 0))
    model.add(rod, ls.Revolute("y"), name="rod")
    model.add(rod, ls.Fixed(), to="rod", at=(2, 0, 0), name="end")
    welded = model.compile()
    wanted = ls.simulate(welded, welded.state(rod=0.3), duration=2.0, rtol=1e-10).q[-1]
    spring = ls.JointSpring("end", stiffness, damping=1e-4 * stiffness)
    run = ls.simulate(SYSTEM, START, duration=2.0, loads=[spring], **way)
    chosen = run.statistics["chosen"]
    assert "generalized-alpha" in chosen or "Rosenbrock" in chosen or stiffness < 1e8
    assert abs(run["rod"][-1, 0] - wanted[0]) < 1e-4
    assert np.abs(run["end"]).max() < 100 / stiffness + 1e-7  # what the iterations leave


def test_auto_says_what_it_chose_and_why():
    soft = ls.simulate(SYSTEM, START, duration=0.1)
    assert soft.statistics["chosen"].startswith(
        "Dormand-Prince 8(5,3) with adaptive steps: nothing"
    )
    rigid = ls.simulate(SYSTEM, START, duration=0.1, step=1e-3)
    assert rigid.statistics["chosen"].startswith("RK4")
    spring = [ls.JointSpring("end", 1e10)]
    stiff = ls.simulate(SYSTEM, START, duration=0.1, loads=spring)
    assert "adaptive steps: fastest vibration" in stiff.statistics["chosen"]
    stiff = ls.simulate(SYSTEM, START, duration=0.1, step=1e-3, loads=spring)
    assert "rad in a step" in stiff.statistics["chosen"]


def test_the_rate_that_auto_sees_is_an_eigenvalue():
    from lissom.sim.run.scales import Slopes, fastest_motions, modal_stiffness

    system = ls.library.swinging_links(3, 4).compile()
    state = system.state(np.full(system.n_q, 0.1))
    stiffness, _ = modal_stiffness(system)
    M = ls.mass_matrix(system, state)
    none = np.zeros((0, system.n_v)), np.zeros(0)
    slopes = Slopes(stiffness, *none), Slopes(0 * stiffness, *none)
    found = fastest_motions(lambda f: np.linalg.solve(M, f), *slopes).vibration
    wanted = np.sqrt(np.linalg.eigvals(np.linalg.solve(M, np.diag(stiffness))).real.max())
    assert 0.97 * wanted < found < 1.0001 * wanted


@pytest.mark.parametrize("radius", [0.8, 1.0])
def test_momentum_drifts_by_the_method_and_not_by_its_iteration(radius):
    """A spacecraft that rings in modes it does not resolve: 5e-4 with the iteration run to its end.

    The bound of 1e-3 is from the same method in plain Python, iterated to 1e-13.
    """
    from benchmarks.drift import spacecraft

    system, state = spacecraft(rough=True)
    run = ls.simulate(
        system, state, duration=0.5, step=1e-3, integrator=ls.GeneralizedAlpha(radius)
    )
    h = run.momentum()[:, :3]
    drift = np.linalg.norm(h - h[0], axis=1).max() / np.linalg.norm(h[0])
    assert 1e-4 < drift < 1e-3
