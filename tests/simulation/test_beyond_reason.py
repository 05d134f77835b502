"""Runs that diverge end, and say when and which body; fixed steps that are too long are told."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import lissom as ls
from lissom.errors import SimulationError, SimulationWarning
from tests.samples.mechanisms import free_mass


def spun_boom() -> ls.System:
    """A boom on a joint that is turned faster than its first frequency: it flies away."""
    model = ls.Model("boom")
    boom = ls.beam(5.0, ls.Tube(radius=0.02, thickness=0.001), ls.CARBON, modes=4)
    model.add(boom, ls.Revolute("z"), name="boom")
    return model.compile()


BOOM, OSCILLATOR = spun_boom(), free_mass()


def spring(rate: float) -> ls.JointSpring:
    return ls.JointSpring("mass", rate**2)


@pytest.mark.parametrize(
    "way",
    [
        {},
        {"integrator": "dopri5"},
        {"integrator": "rk4", "step": 1e-3},
        {"integrator": "generalized_alpha", "step": 1e-3},
        {"integrator": "linearly_implicit_euler", "step": 1e-3},
    ],
    ids=["auto", "dopri5", "rk4", "alpha", "implicit Euler"],
)
def test_a_boom_that_flies_away_ends_the_run(way):
    state = BOOM.state(**{"boom.rates": 40.0, "boom.modes": [1e-3, 0, 0, 0]})
    motion = ls.Motion("boom", velocity=40.0)
    with pytest.warns(SimulationWarning, match="diverged"):
        run = ls.simulate(BOOM, state, duration=20.0, loads=[motion], **way)
    assert run.status == "diverged"
    assert "of body 'boom' bends by 1" in run.message
    assert "times the length" in run.message
    assert 0.01 < run.time[-1] < 2.0
    assert np.abs(run["boom.tip.position"]).max() < 100.0


@pytest.mark.parametrize(
    ("integrator", "step"), [("rk4", 0.05), ("euler_cromer", 0.021), ("dop853", 0.09)]
)
def test_steps_beyond_stability_end_the_run(integrator, step):
    with pytest.warns(SimulationWarning, match=r"diverged.*'mass'.*the step of .* may be too long"):
        run = ls.simulate(
            OSCILLATOR,
            OSCILLATOR.state(mass=0.01),
            duration=10.0,
            loads=[spring(100.0)],
            integrator=integrator,
            step=step,
        )
    assert run.status == "diverged"


def ringing(rate: float, **way: object) -> tuple[ls.Trajectory, float, list[str]]:
    """Run of an oscillator, its error against the cosine, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = ls.simulate(OSCILLATOR, OSCILLATOR.state(mass=0.01), loads=[spring(rate)], **way)
    error = abs(run.q[-1, 0] - 0.01 * np.cos(rate * run.time[-1]))
    return run, error, [str(w.message) for w in caught]


@pytest.mark.parametrize("radians", [0.002, 0.01, 0.05, 0.2, 0.8, 1.5, 3.0, 20.0])
def test_auto_with_a_step_keeps_the_tolerance_or_warns(radians):
    """49 % of the energy was lost at 0.8 rad in a step, without a word."""
    step = radians / 100.0
    run, error, told = ringing(100.0, duration=200 * step, step=step)
    assert error < 10 * 1e-8 * 0.1 or any("leaves an error" in words for words in told)
    if radians <= 0.2:
        assert not told
    energy = run.v[:, 0] ** 2 + (100.0 * run.q[:, 0]) ** 2
    if radians <= 0.8:
        assert energy[-1] == pytest.approx(energy[0], rel=1e-5)


@pytest.mark.parametrize("integrator", ["rk4", "dopri5", "dop853", "generalized_alpha"])
@pytest.mark.parametrize("radians", [0.1, 0.4])
def test_the_estimated_error_is_of_the_size_of_the_error(integrator, radians):
    """As a part of the length of 0.1 m; that of an oscillator goes mostly into its phase."""
    step = radians / 100.0
    run, _, _ = ringing(100.0, duration=200 * step, step=step, integrator=integrator)
    exact = 0.01 * np.cos(100.0 * run.time)
    error = np.abs(run.q[:, 0] - exact).max() / OSCILLATOR.length
    assert 0.3 * error < run.statistics["estimated_error"] < 100 * error + 1e-12


def test_a_chosen_method_that_goes_wild_is_told():
    with pytest.warns(SimulationWarning, match="leaves an error of about .* with RK4.*'mass'"):
        ls.simulate(
            OSCILLATOR,
            OSCILLATOR.state(mass=0.5),
            duration=2.0,
            loads=[spring(100.0)],
            integrator="rk4",
            step=0.01,
        )


def test_auto_follows_a_fast_vibration_that_is_excited():
    """Above 20,000 rad/s a method of order two took a million steps for an error of a per cent."""
    run, error, told = ringing(3e4, duration=0.05)
    assert run.statistics["implicit_time"] < 0.01
    assert error < 1e-7
    assert run.statistics["steps"] < 10_000
    assert not told


def test_auto_passes_over_a_fast_vibration_at_rest():
    """The same spring where nothing moves it: long steps."""
    run = ls.simulate(OSCILLATOR, duration=1.0, loads=[spring(3e4)])
    assert run.statistics["steps"] < 100


def test_auto_lets_a_fast_vibration_decay():
    damped = ls.JointSpring("mass", 3e4**2, damping=2 * 0.05 * 3e4)
    run = ls.simulate(
        OSCILLATOR, OSCILLATOR.state(mass=1e-5), duration=1.0, loads=[damped], rtol=1e-5
    )
    assert run.statistics["implicit_time"] > 0.9
    assert abs(run.q[-1, 0]) < 1e-7


def test_an_event_in_a_step_that_grows_beyond_reason():
    """The part of the step up to the event is repeated; the state is still that of its start."""
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    asked = {"bending": (0, 2), "torsion": 0, "stretch": 0}
    model.add(ls.RigidBody.box(4.0, (0.2, 0.2, 0.2)), ls.Revolute("z"), name="turret")
    boom = ls.beam(1.0, ls.Tube(radius=0.03, thickness=0.002), ls.ALUMINIUM, **asked)
    model.add(boom, ls.Revolute("y"), to="turret", name="boom")
    model.add(ls.RigidBody.sphere(1.0, 0.05), ls.Fixed(), to="boom.tip", name="hand")
    arm, event = model.compile(), ls.Event("boom", value=0.5, name="ground")
    state, way = arm.state(boom=-0.5), {"step": 1e-3, "integrator": "rk4"}
    with pytest.warns(SimulationWarning, match="diverged"):
        run = ls.simulate(arm, state, duration=0.1, events=[event], **way)
    assert run.status == "diverged"
    assert "of body 'boom' grows without bound before an event; the step of 0.001 s" in run.message
    stepper = ls.Stepper(arm, state, events=[event], **way)
    with pytest.raises(SimulationError, match="grows without bound before an event"):
        while stepper.step():
            pass
