"""Steps through what is shorter than they are: stops, contacts as functions, limits."""

from __future__ import annotations

import math

import numpy as np
import pytest

import lissom as ls
from tests.samples.mechanisms import sled
from tests.tools.runs import told

HERTZ = 1.538e10  # a steel ball of 10 mm on steel [N/m^1.5]: a contact of 69 us at 1 m/s
STOP = 1e8  # [N/m]: of 57 us


def contact(time, state):
    return [HERTZ * max(0.0, -state["sled"][0]) ** 1.5]


def error_told(messages):
    """Largest error that the warnings name."""
    words = [x.partition("an error of about ")[2].split()[0] for x in messages if "error of" in x]
    return max(map(float, words), default=0.0)


FIXED = ["rk4", "dopri5", "dop853", "generalized_alpha", "rosenbrock"]
LOADS = {
    "stop": {"loads": [ls.JointStop("sled", 0.0, np.inf, stiffness=STOP)]},
    "function": {"forces": contact},
}


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("integrator", FIXED)
def test_an_elastic_contact_shorter_than_a_fixed_step_gives_no_energy(integrator, load):
    system = sled(0.0329)
    start = system.state(sled=0.0023, **{"sled.rates": -1.0})
    run, messages = told(
        system, start, duration=0.006, step=1e-3, integrator=integrator, **LOADS[load]
    )
    error = abs(run["sled.rates"][-1, 0] - 1.0)
    assert error < 0.05  # 404 and 881 m/s if the steps are not divided
    assert run.statistics["divided_steps"] > 0
    assert error_told(messages) > 0.1 * error


def test_a_method_of_order_one_tells_what_a_contact_costs():
    system = sled(0.0329)
    start = system.state(sled=0.0023, **{"sled.rates": -1.0})
    run, messages = told(
        system,
        start,
        duration=0.006,
        step=1e-3,
        integrator="linearly_implicit_euler",
        **LOADS["stop"],
    )
    error = abs(run["sled.rates"][-1, 0] - 1.0)
    assert 0.1 * error < error_told(messages) < 10 * error


def bounced(depth, stiffness, duration):
    """State of a unit oscillator of amplitude 1 with a stop at 1 - depth, piece by piece."""
    u, t, x, v = 1 - depth, 0.0, 0.0, 1.0
    w = math.sqrt(1 + stiffness)
    centre = stiffness * u / (1 + stiffness)
    while True:
        size, phase = math.hypot(x, v), math.atan2(v, x)
        free = (phase - math.acos(u / size)) % (2 * math.pi)  # until it comes to the stop again
        if t + free > duration:
            left = duration - t
            return size * math.cos(left - phase), -size * math.sin(left - phase)
        t, x, v = t + free, u, math.sqrt(size**2 - u**2)
        t, v = t + 2 * math.atan2(v / w, x - centre) / w, -v


@pytest.mark.parametrize("depth", [1e-2, 1e-3, 1e-5])
@pytest.mark.parametrize("integrator", ["auto", "dop853", "dopri5"])
def test_no_step_passes_over_a_stop_that_is_grazed(integrator, depth):
    system = sled()
    loads = [ls.JointSpring("sled", 1.0), ls.JointStop("sled", -np.inf, 1 - depth, stiffness=STOP)]
    start = system.state(**{"sled.rates": 1.0})
    run, messages = told(system, start, duration=20.0, loads=loads, integrator=integrator)
    x, v = bounced(depth, STOP, 20.0)
    assert not messages
    assert abs(run.q[-1, 0] - x) + abs(run.v[-1, 0] - v) < 1e-5  # passed over: 0.02 and more


def test_a_function_of_the_state_on_a_node_is_followed_too():
    model = ls.Model("ball")
    model.add(ls.RigidBody.box(0.0329, (1, 1, 1)), ls.Free(), name="ball")
    system = model.compile()
    push = ls.NodeForce(
        "ball", lambda t, s: [0.0, 0.0, HERTZ * max(0.0, -s["ball"][6]) ** 1.5], axes="world"
    )
    start = system.state(ball=[1, 0, 0, 0, 0, 0, 0.0023], **{"ball.rates": [0, 0, 0, 0, 0, -1.0]})
    run, _ = told(system, start, duration=0.006, step=1e-3, loads=[push], integrator="rk4")
    assert abs(run["ball.rates"][-1, 5] - 1.0) < 0.05


def test_fixed_steps_tell_what_a_limit_costs_and_keep_silent_without_one():
    system = sled()
    settings = {"duration": 2.0, "step": 5e-3, "integrator": "rk4"}
    servo = {"kp": 20.0, "kd": 2.0, "target": 0.2}
    free, silent = told(system, loads=[ls.Servo("sled", **servo)], **settings)
    assert not silent and free.statistics["estimated_error"] < 1e-7
    loads = [ls.Servo("sled", limit=1.0, **servo)]
    run, messages = told(system, loads=loads, **settings)
    exact = ls.simulate(system, duration=2.0, loads=loads, rtol=1e-12)
    error = abs(run.v[-1, 0] - exact.v[-1, 0])
    assert error > 1e-7
    assert len(messages) == 1 and "forces bend or jump within steps" in messages[0]
    assert 0.1 * error < error_told(messages) < 1e3 * error
    _, accepted = told(system, loads=loads, rtol=1e-3, **settings)
    assert not accepted


@pytest.mark.parametrize("where", ["joint", "node"])
@pytest.mark.parametrize("integrator", ["rk4", "generalized_alpha"])
def test_a_push_between_the_stages_of_a_fixed_step_has_its_impulse(integrator, where):
    """Gauss's curve, 1 ms wide, in steps of 10 ms: at their ends and middles is none of it."""
    system = sled()

    def push(t):
        return 1e3 * math.exp(-(((t - 0.0527) / 1e-3) ** 2))

    if where == "joint":
        load = ls.Actuator("sled", push)
    else:
        load = ls.NodeForce("sled", force=lambda t: (push(t), 0.0, 0.0))
    run, messages = told(system, duration=0.1, step=0.01, loads=[load], integrator=integrator)
    error = abs(run.v[-1, 0] - math.sqrt(math.pi))
    assert error < (0.01 if integrator == "rk4" else 0.12)  # of 1.77, all of which was lost
    assert run.statistics["divided_steps"] > 0 and error_told(messages) > 0.3 * error


def test_smooth_functions_of_time_divide_no_steps_and_say_nothing():
    load = ls.Actuator("sled", lambda t: math.cos(5.0 * t))
    run, messages = told(sled(), duration=1.0, step=0.01, loads=[load], integrator="rk4")
    assert not messages and run.statistics["divided_steps"] == 0
    assert abs(run.v[-1, 0] - math.sin(5.0) / 5.0) < 1e-8


def test_smooth_functions_of_the_state_divide_no_steps():
    system = sled()
    run, messages = told(
        system,
        system.state(sled=0.1),
        duration=1.0,
        step=1e-3,
        forces=lambda t, s: [-100.0 * s["sled"][0] - s["sled.rates"][0]],
        integrator="rk4",
    )
    assert not messages
    assert run.statistics["steps"] == 1000 and run.statistics["divided_steps"] == 0


@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-8])
def test_generalized_alpha_by_name_keeps_its_tolerance(rtol):
    system = sled()
    start = system.state(sled=0.5)
    run, messages = told(
        system,
        start,
        duration=5.0,
        loads=[ls.JointSpring("sled", 9.0)],
        integrator="generalized_alpha",
        rtol=rtol,
    )
    x, v = 0.5 * math.cos(15.0), -1.5 * math.sin(15.0)
    error = max(abs(run.q[-1, 0] - x), abs(run.v[-1, 0] - v) / (1 + abs(v)))
    assert error < 10 * rtol and not messages


def test_a_step_that_is_singular_on_its_way_is_divided():
    model = ls.Model("boom", gravity=(0, 0, -9.81))
    tube = ls.Tube(radius=0.01, thickness=0.001)
    beam = ls.beam(1.0, tube, ls.ALUMINIUM, modes=4, level="stiffened")
    model.add(beam, ls.Revolute("y"), name="boom")
    model.add(ls.RigidBody.box(1e-3, (0.01,) * 3), ls.Revolute("y"), to="boom.tip", name="end")
    push = ls.NodeForce("boom.tip", [0.0, 0.0, 200.0])
    run, _ = told(model.compile(), duration=0.04, step=0.02, loads=[push], integrator="rosenbrock")
    assert run.status == "finished" and run.statistics["divided_steps"] > 0


def test_the_reason_of_a_run_that_diverged_comes_alone():
    model = ls.Model("boom", gravity=(0, 0, -9.81))
    tube = ls.Tube(radius=0.02, thickness=0.001)
    model.add(ls.beam(1.0, tube, ls.ALUMINIUM, modes=4), ls.Revolute("y"), name="boom")
    model.add(ls.RigidBody.box(5.0, (0.1, 0.1, 0.1)), ls.Revolute("y"), to="boom.tip", name="end")
    run, messages = told(model.compile(), duration=1.0, step=5e-3, integrator="rk4")
    assert run.status in ("diverged", "not finite")
    assert messages[0].startswith("the run ended early") and len(messages) == 1
