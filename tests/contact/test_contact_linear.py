"""Contacts in equilibria, vibrations, linear models and derivatives: as they are in the state."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from lissom.errors import LoadError
from lissom.sim.loads.contact import Hertz, LinearContact
from tests.samples.contacts import LOSSY, MASS, RADIUS, falling_ball, ground_contact, stopped_arm

BALL = falling_ball(gravity=9.81)
ELASTIC = Hertz(stiffness=1e7)
WEIGHT = MASS * 9.81
DEPTH = (WEIGHT / 1e7) ** (2 / 3)
STIFFNESS = 1.5 * 1e7 * DEPTH**0.5
RESTING = BALL.state(q=[RADIUS - DEPTH])
OPEN = BALL.state(q=[RADIUS + 1e-3])


def test_an_equilibrium_is_found_from_above_and_from_within():
    loads = [ground_contact(BALL, ELASTIC)]
    for height in (1e-3, -1e-5):
        rest = ls.equilibrium(BALL, BALL.state(q=[RADIUS + height]), loads=loads)
        assert rest.q[0] - RADIUS == pytest.approx(-DEPTH, rel=1e-9)


def test_an_arm_rests_on_its_plate():
    system, contact = stopped_arm()
    rest = ls.equilibrium(system, system.state(arm=[0.2]), loads=[contact])
    angle = float(rest.q[0])
    height = -0.5 * np.sin(angle)
    depth = 0.02 - (height + 0.1)
    moment = 1e6 * depth**1.5 * 0.5 * np.cos(angle)
    assert moment == pytest.approx(9.81 * 0.25 * np.cos(angle), rel=1e-9)
    slope = 1.5e6 * depth**0.5 * (0.5 * np.cos(angle)) ** 2
    slope -= 1e6 * depth**1.5 * 0.5 * np.sin(angle) - 9.81 * 0.25 * np.sin(angle)
    inertia = ls.mass_matrix(system, rest)[0, 0]
    frequency = ls.modes(system, rest, loads=[contact]).frequencies[0]
    assert frequency == pytest.approx(np.sqrt(slope / inertia) / (2 * np.pi), rel=1e-6)


def test_modes_have_the_stiffness_of_a_closed_contact():
    loads = [ground_contact(BALL, ELASTIC)]
    (frequency,) = ls.modes(BALL, RESTING, loads=loads).frequencies
    assert frequency == pytest.approx(np.sqrt(STIFFNESS / MASS) / (2 * np.pi), rel=1e-9)


def test_linear_models_are_open_or_closed_as_in_the_state():
    loads = [ground_contact(BALL, ELASTIC)]
    closed = ls.linearize(BALL, RESTING, loads=loads).A
    np.testing.assert_allclose(closed, [[0, 1], [-STIFFNESS / MASS, 0]], rtol=1e-9)
    np.testing.assert_array_equal(ls.linearize(BALL, OPEN, loads=loads).A, [[0, 1], [0, 0]])


def test_a_closed_contact_is_damped_as_one_at_rest():
    """Its damping follows from the speed of approach, which is the slowest one of the law."""
    contact = ground_contact(BALL, LOSSY)
    A = ls.linearize(BALL, RESTING, loads=[contact]).A

    def acceleration(q, v):
        state = BALL.state(q=[q], v=[v])
        return ls.load_derivatives(BALL, state, [contact]).forces[0] / MASS

    h, q = 1e-6, RADIUS - DEPTH
    by_v = (acceleration(q, h) - acceleration(q, -h)) / (2 * h)
    by_q = (acceleration(q + 1e-9, 0) - acceleration(q - 1e-9, 0)) / 2e-9
    np.testing.assert_allclose(A[1], [by_q, by_v], rtol=1e-6)
    assert by_v < 0


def test_trim_stands_on_the_ground():
    found = ls.trim(BALL, BALL.state(q=[RADIUS - 1e-5]), loads=[ground_contact(BALL, ELASTIC)])
    assert found.state.q[0] - RADIUS == pytest.approx(-DEPTH, rel=1e-6)


@pytest.mark.parametrize("integrator", ["rk4", "generalized_alpha"])
def test_sensitivities_of_a_contact_that_stays_closed(integrator):
    loads = [ground_contact(BALL, ELASTIC)]
    settings = {"duration": 2e-3, "step": 1e-5, "integrator": integrator}
    exact = ls.sensitivity(BALL, RESTING, loads=loads, **settings).state[-1]

    def end(q, v):
        start = BALL.state(q=[RADIUS - DEPTH + q], v=[v])
        run = ls.simulate(BALL, start, loads=loads, progress=False, **settings)
        assert not run.events
        return np.array([run.q[-1, 0], run.v[-1, 0]])

    e, f = DEPTH * 1e-3, DEPTH * 1e-3 * np.sqrt(STIFFNESS / MASS)
    by_q, by_v = (end(e, 0) - end(-e, 0)) / (2 * e), (end(0, f) - end(0, -f)) / (2 * f)
    np.testing.assert_allclose(exact, np.column_stack([by_q, by_v]), rtol=1e-4)


@pytest.mark.parametrize("integrator", ["rk4", "generalized_alpha"])
@pytest.mark.parametrize("law", [LOSSY, LinearContact(1e5)])
def test_derivatives_of_a_run_that_touches_are_refused(law, integrator):
    start = BALL.state(q=[RADIUS + 1e-4], v=[-1.0])
    settings = {"duration": 1e-3, "step": 1e-5, "integrator": integrator}
    settings["loads"] = [ground_contact(BALL, law)]
    with pytest.raises(LoadError, match=r"at t = 9.9951e-05 s foot touches.*differences of runs"):
        ls.sensitivity(BALL, start, **settings)
    with pytest.raises(LoadError, match="foot touches"):
        ls.gradient(BALL, start, objective=lambda t, q, v: q[-1, 0], **settings)


def test_a_contact_that_stays_open_has_no_influence():
    settings = {"duration": 1e-3, "step": 1e-4}
    near = ls.sensitivity(BALL, OPEN, loads=[ground_contact(BALL, LOSSY)], **settings)
    np.testing.assert_array_equal(near.state, ls.sensitivity(BALL, OPEN, **settings).state)
