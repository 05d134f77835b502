"""Given motions by functions: derivatives at any frequency, and jumps that are named."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from lissom.errors import LoadError, SimulationError

INERTIA = 0.7


def rotor() -> ls.System:
    model = ls.Model("rotor")
    model.add(ls.RigidBody(mass=2.0, inertia=(0.4, 0.4, INERTIA)), ls.Revolute("z"), name="rotor")
    return model.compile()


ROTOR = rotor()


@pytest.mark.parametrize("hertz", [0.1, 30.0, 100.0, 2000.0])
@pytest.mark.parametrize("given", ["position", "velocity"])
def test_torque_of_a_vibrating_rotor(hertz, given):
    """Inertia times the second derivative, which is known; 100 Hz divides the first spacing."""
    w = 2 * np.pi * hertz
    if given == "position":
        motion = ls.Motion("rotor", lambda t: 0.1 * np.sin(w * t + 0.3))
        state = ROTOR.state(rotor=0.1 * np.sin(0.3), **{"rotor.rates": 0.1 * w * np.cos(0.3)})
    else:
        motion = ls.Motion("rotor", velocity=lambda t: 0.1 * w * np.cos(w * t + 0.3))
        state = ROTOR.state(rotor=0.1 * np.sin(0.3), **{"rotor.rates": 0.1 * w * np.cos(0.3)})
    run = ls.simulate(ROTOR, state, duration=1.5 / hertz, loads=[motion], output_step=0.05 / hertz)
    torque = -INERTIA * 0.1 * w * w * np.sin(w * run.time + 0.3)
    assert run["rotor.force"][:, 0] == pytest.approx(torque, abs=1e-6 * INERTIA * 0.1 * w * w)
    assert run["rotor.angle"] == pytest.approx(0.1 * np.sin(w * run.time + 0.3), abs=1e-6)


def test_an_acceleration_that_jumps_is_what_motors_give():
    """A trapezoidal profile of velocity: torques +I, 0, -I."""

    def profile(t):
        if t < 1:
            return 0.5 * t * t
        return t - 0.5 if t < 2 else 2.0 - 0.5 * (3 - t) ** 2

    run = ls.simulate(ROTOR, duration=2.5, loads=[ls.Motion("rotor", profile)], output_step=0.05)
    torque = INERTIA * np.select([run.time < 0.99, run.time < 1.99], [1.0, 0.0], -1.0)
    away = np.abs(run.time - np.round(run.time)) > 1e-3
    assert run["rotor.force"][away, 0] == pytest.approx(torque[away], abs=1e-6)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda t: min(t, 1.0), "the velocity jumps near t = 1"),
        (lambda t: 0.3 * t if t < 1 else 0.5 + 0.3 * t, "the position jumps near t = 1"),
        (lambda t: abs(np.sin(3.1 * t)) + 3.1 * t, "the velocity jumps near t = 1.0134 s"),
    ],
    ids=["kink", "jump", "rectified"],
)
def test_jumps_are_named(function, words):
    rate = (function(0.1001) - function(0.0999)) / 2e-4
    state = ROTOR.state(rotor=function(0.1), **{"rotor.rates": rate})
    with pytest.raises(SimulationError, match=words) as caught:
        ls.simulate(ROTOR, state, start=0.1, duration=2.0, loads=[ls.Motion("rotor", function)])
    assert caught.value.trajectory.time[-1] == pytest.approx(1.0, abs=0.05)


def test_a_velocity_that_jumps_is_named():
    def velocity(t):
        return 1.0 if t < 0.7 else 2.0

    state = ROTOR.state(**{"rotor.rates": 1.0})
    with pytest.raises(SimulationError, match=r"the velocity jumps near t = 0\.7.*from 1 to 2"):
        ls.simulate(ROTOR, state, duration=2.0, loads=[ls.Motion("rotor", velocity=velocity)])


def test_a_function_without_derivatives_is_refused():
    noise = np.random.default_rng(1).normal(size=1000)

    def rough(t):
        return noise[int(1e9 * abs(t)) % 1000]

    with pytest.raises(LoadError, match="changes too fast near t = 0 s"):
        ls.simulate(ROTOR, duration=1.0, loads=[ls.Motion("rotor", rough)])
