"""The Rosenbrock method: its table, stiff motions in long steps, balances, SciPy's motion."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lissom as ls
from lissom.sim.integrators.rosenbrock_table import ros34pw2, trees_up_to
from tests.samples.four_bars import four_bar_of_joins
from tests.samples.mechanisms import free_mass

pytestmark = pytest.mark.filterwarnings("ignore:body .* (turns at|is pulled|is pressed|deflects)")


def test_trees_of_functions_and_matrices():
    """1, 2 and 5 conditions: Hairer and Wanner, IV.7, for W-methods up to order three."""
    counts = [len(trees_up_to(order)) for order in (1, 2, 3)]
    assert counts == [1, 3, 8]


@pytest.mark.parametrize("place", ["A", "B", "b", "lower"])
def test_a_wrong_number_in_the_table_is_found(place):
    table = ros34pw2()
    wrong = getattr(table, place).copy()
    wrong.flat[np.flatnonzero(wrong)[-1]] += 1e-6
    with pytest.raises(ValueError, match="ROS34PW2"):
        replace(table, **{place: wrong})


@pytest.mark.filterwarnings("ignore:a fixed step")  # the first step, over which it is set in motion
@pytest.mark.parametrize("rate", [1e3, 1e5, 1e7])
def test_long_steps_leave_nothing_of_a_stiff_vibration(rate):
    """Steps of 10 to 100,000 rad: the deflection under a force that grows is followed."""
    spring = ls.JointSpring("mass", rate**2)
    pull = ls.Actuator("mass", ls.Table([0, 1], [0, rate**2]))
    run = ls.simulate(
        free_mass(), duration=1.0, step=0.01, loads=[spring, pull], integrator="rosenbrock"
    )
    rounding = 2e-16 * (0.01 * rate) ** 2  # of forces that cancel
    assert np.abs(run.q[20:, 0] - run.time[20:]).max() < 2 / rate**2 + 1e-10
    assert np.abs(run.v[20:, 0] - 1.0).max() < 1e-6 + rounding


def test_a_damped_function_in_long_steps():
    """A gain of 1e6 /s as a function: its decay is over in the first step."""
    run = ls.simulate(
        free_mass(),
        free_mass().state(v=[1.0]),
        duration=0.1,
        step=0.01,
        forces=lambda t, state: -1e6 * (state.v - np.cos(t)),
        integrator="rosenbrock",
    )
    assert np.abs(run.v[1:, 0] - np.cos(run.time[1:])).max() < 1e-5


@cache
def floating_arm():
    model = ls.Model("arm")
    tube = ls.Tube(radius=0.02, thickness=0.001)
    boom = ls.beam(3.0, tube, ls.ALUMINIUM, bending=2, torsion=0, stretch=1)
    model.add(ls.RigidBody.box(20.0, (0.5, 0.5, 0.5)), ls.Free(), name="hub")
    model.add(boom, ls.Revolute("z"), to="hub", at=(0.25, 0, 0), name="inner")
    model.add(boom, ls.Revolute("y"), to="inner.tip", name="outer")
    system = model.compile()
    speeds = {"hub.rates": [0.3, 0.2, 0.5, 0.1, 0, 0.2], "inner.rates": 0.4, "outer.rates": -0.3}
    return system, system.state(**speeds)


def drift(**settings):
    system, state = floating_arm()
    run = ls.simulate(system, state, duration=4.0, output_step=0.5, **settings)
    h = run.momentum()
    return np.abs(h - h[0]).max() / np.abs(h[0]).max()


def test_momentum_of_a_floating_arm_is_kept_to_the_tolerance():
    rosenbrock = drift(integrator="rosenbrock", rtol=1e-6)
    assert rosenbrock < 1e-5
    assert drift(integrator="generalized_alpha", step=2e-3) > 10 * rosenbrock


def test_a_stiff_arm_moves_as_by_radau():
    """SciPy's implicit method on the public functions: nothing of the steps is shared."""
    tube = ls.Tube(radius=0.02, thickness=0.001)
    model = ls.Model("boom", gravity=(0, 0, -9.81))
    boom = ls.beam(1.0, tube, ls.ALUMINIUM, bending=2, torsion=0, stretch=1, damping=0.02)
    model.add(boom, ls.Revolute("y"), name="boom")
    model.add(ls.RigidBody.box(0.5, (0.1, 0.1, 0.1)), ls.Revolute("y"), to="boom.tip", name="end")
    system = model.compile()
    n, stiff = system.n_q, ls.JointDamper("end", 200.0)
    damping = np.zeros(system.n_v)
    damping[system.layout.hinge_v("end")] = 200.0

    def rates(t, y):
        return np.r_[y[n:], ls.forward_dynamics(system, (y[:n], y[n:]), -damping * y[n:])]

    start = system.state(boom=0.3)
    exact = solve_ivp(rates, (0, 0.3), np.r_[start.q, start.v], "Radau", rtol=1e-9, atol=1e-11)
    run = ls.simulate(
        system, start, duration=0.3, loads=[stiff], integrator="rosenbrock", rtol=1e-7
    )
    assert np.abs(np.r_[run.q[-1], run.v[-1]] - exact.y[:, -1]).max() < 2e-5
    assert run.statistics["steps"] < 8000  # explicit: 12,000 for stability


def test_rosenbrock_closes_loops():
    system = four_bar_of_joins().compile()
    state = ls.assemble(system, system.neutral())
    brake = [ls.JointDamper(system.loops[0].name, 1e5)]
    settings = {"duration": 0.5, "loads": brake, "output_step": 0.05, "rtol": 1e-6}
    runs = [ls.simulate(system, state, integrator=x, **settings) for x in ("rosenbrock", "dop853")]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-5
    assert runs[0].statistics["steps"] < runs[1].statistics["steps"]


def test_servo_with_an_integral_follows_its_target():
    servo = ls.Servo("mass", lambda t: np.sin(t), kp=1e8, kd=1e6, ki=1e6, rate=np.cos)
    run = ls.simulate(
        free_mass(),
        free_mass().state(v=[1.0]),
        duration=1.0,
        loads=[servo],
        step=0.01,
        integrator="rosenbrock",
    )
    assert np.abs(run.q[:, 0] - np.sin(run.time)).max() < 1e-6
