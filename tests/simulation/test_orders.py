"""Measured orders of all integrators, on rigid and flexible mechanisms with joints of every kind.

The exact motion is SciPy's, of `forward_dynamics` and `qdot` in plain coordinates, so that neither
the steps nor the groups of the joints are shared with what is measured.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.integrate import DOP853, RK45

import lissom as ls
from lissom.sim.integrators.tableau import dormand_prince_5, dormand_prince_8
from tests.references.analytic_motions import pendulum, slope
from tests.references.scipy_reference import end_by_scipy, end_error
from tests.samples.flexible_arms import AXLE, flexible_body
from tests.tools.measures import random_state

pytestmark = pytest.mark.filterwarnings("ignore:body .* (turns at|is pulled|is pressed|deflects)")

DURATION = 1.0
TURN_X, TURN_Y, TURN_Z = np.eye(6)[:3]
SLIDE_X = np.eye(6)[3]
BODY = ls.RigidBody(1.2, (0.1, -0.2, 0.15), (0.3, 0.4, 0.5))


def rigid():
    """Free base, ball, universal, Euler angles, and a screw motion with a slide, under gravity."""
    model = ls.Model("rigid", gravity=(1.0, -2.0, -9.81))
    model.add(BODY, ls.Free(), name="base")
    model.add(BODY, ls.Spherical(), to="base", at=(0.3, 0.1, 0), name="ball")
    model.add(BODY, ls.Universal("x", AXLE), to="ball", at=(0.2, 0.3, 0.1), name="cross")
    model.add(
        BODY,
        ls.CompoundJoint([TURN_Z, TURN_Y, TURN_X]),
        to="cross",
        at=(0, 0.3, 0.1),
        name="angles",
    )
    pair = np.transpose([SLIDE_X, TURN_X])
    model.add(BODY, ls.SimpleJoint(pair), to="base", at=(-0.3, 0, 0.1), name="pair")
    return model.compile()


def flexible():
    """Free hub, bending links on Euler angles and on a ball, a dish on a universal joint."""
    model = ls.Model("flexible")
    model.add(BODY, ls.Free(), name="hub")
    boom = flexible_body(3, lumps=True, damping=0.02)
    model.add(boom, ls.CompoundJoint([TURN_Z, TURN_Y, TURN_X]), to="hub", name="boom")
    model.add(flexible_body(4, n_mode=3), ls.Spherical(), to="boom.tip", name="panel")
    model.add(BODY, ls.Universal("y", AXLE), to="boom.side", at=(0, 0.1, 0.1), name="dish")
    return model.compile()


SYSTEMS = {"rigid": rigid, "flexible": flexible}


@cache
def case(name):
    """System, state at the start, and coordinates and speeds at the end by SciPy."""
    system = SYSTEMS[name]()
    start = random_state(system, np.random.default_rng(6), deformation=0.05)
    # Euler angles away from where they are singular
    angles = system.layout.hinge_q({"rigid": "angles", "flexible": "boom"}[name])
    q = start.q.copy()
    q[angles] = 0.3, -0.4, 0.5
    start = system.state(q=q, v=start.v)
    return system, start, end_by_scipy(system, start, DURATION)


def error_of(name, integrator, **settings):
    system, start, exact = case(name)
    return end_error(system, start, exact, DURATION, integrator=integrator, **settings)


# Order, how far the fitted one may be from it, and steps in the run; with many steps rounding
# takes over, with few the next power does.
ORDERS = {
    "euler_cromer": (1, 0.15, (400, 800, 1600, 3200)),
    "linearly_implicit_euler": (1, 0.15, (400, 800, 1600, 3200)),
    "generalized_alpha": (2, 0.15, (200, 400, 800)),
    "rosenbrock": (3, 0.2, (100, 200, 400, 800)),
    "rk4": (4, 0.3, (50, 100, 200, 400)),
    "dopri5": (5, 0.5, (50, 100, 200)),
    "dop853": (8, 0.8, (14, 20, 28, 40)),
}


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("integrator", ORDERS)
def test_order_at_fixed_steps(name, integrator):
    order, allowed, numbers = ORDERS[integrator]
    errors = [error_of(name, integrator, step=DURATION / n) for n in numbers]
    assert abs(-slope(numbers, errors) - order) < allowed


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("radius", [0.0, 0.5, 1.0])
def test_order_of_generalized_alpha_for_every_damping(name, radius):
    method = ls.GeneralizedAlpha(spectral_radius=radius)
    numbers = (400, 800, 1600)
    errors = [error_of(name, method, step=DURATION / n) for n in numbers]
    assert abs(-slope(numbers, errors) - 2) < 0.2


# The error at the end goes with rtol: h with its fifth (eighth) root, the error with h^5 (h^8); as
# a step may use a share of it that goes with h, by that much faster.
# Generalized-alpha: a step of h may err by a share of the tolerance that goes with h, so that all
# steps together keep it: h with its square root, the error with h^2.
# Rosenbrock: h with the third root, the error with h^3; long steps have shares that go with h.
PACES = {
    "dopri5": (1.2, 10.0 ** -np.arange(5, 11)),
    "dop853": (1.0, 10.0 ** -np.arange(5, 11)),
    "rosenbrock": (1.1, 10.0 ** -np.arange(4, 9)),
    "generalized_alpha": (1.0, 10.0 ** -np.arange(4, 9)),
}


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("integrator", PACES)
def test_adaptive_steps_keep_an_error_that_goes_with_the_tolerance(name, integrator):
    pace, tolerances = PACES[integrator]
    errors = [error_of(name, integrator, rtol=x, max_step=DURATION) for x in tolerances]
    assert abs(slope(tolerances, errors) - pace) < 0.25
    assert max(e / x for e, x in zip(errors, tolerances, strict=True)) < 300


@pytest.mark.parametrize("name", SYSTEMS)
def test_tight_tolerance_reaches_scipys_motion(name):
    assert error_of(name, "dop853", rtol=1e-13) < 1e-10


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("integrator", ["dopri5", "dop853", "rosenbrock"])
def test_rows_within_steps_are_as_good_as_their_ends(name, integrator):
    """The interpolants, of orders 4 and 7, against a run that ends at the row."""
    system, start, _ = case(name)
    run = ls.simulate(
        system, start, duration=DURATION, integrator=integrator, rtol=1e-8, output_step=DURATION / 7
    )
    for k in (2, 5):
        exact = ls.simulate(system, start, duration=run.time[k], integrator="dop853", rtol=1e-12)
        assert np.abs(run.q[k] - exact.q[-1]).max() < 3e-7
        assert np.abs(run.v[k] - exact.v[-1]).max() < 3e-6


@pytest.mark.parametrize("radius", [0.0, 0.8])
def test_generalized_alpha_keeps_its_order_in_unequal_steps(radius):
    """A controller that does nothing cuts the steps: 0.9, 0.1, 0.8, 0.2, ... of their length."""
    model = ls.Model("pendulum", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody(2.0, com=(0, 0, -1)), ls.Revolute("y"), name="b")
    system = model.compile()
    exact = pendulum(2.0, 2.0, np.sqrt(9.81))[0]
    steps = np.array([0.01, 0.005, 0.0025])
    errors = []
    for h in steps:
        run = ls.simulate(
            system,
            system.state(b=2.0),
            duration=2.0,
            step=h,
            integrator=ls.GeneralizedAlpha(spectral_radius=radius),
            loads=[ls.Controller(lambda t, state: [0.0], 0.9 * h)],
        )
        errors.append(abs(run.q[-1, 0] - exact))
    assert abs(slope(steps, errors) - 2) < 0.2


def test_the_tables_of_dormand_and_prince_are_those_of_scipy():
    five, eight = dormand_prince_5(), dormand_prince_8()
    assert np.array_equal(five.A[:, :5], RK45.A) and np.array_equal(five.dense, RK45.P)
    assert np.array_equal(five.b, RK45.B) and np.array_equal(five.c, RK45.C)
    assert np.array_equal(five.error, RK45.E)
    assert np.array_equal(eight.A, DOP853.A) and np.array_equal(eight.extra, DOP853.A_EXTRA)
    assert np.array_equal(eight.b, DOP853.B) and np.array_equal(eight.c, DOP853.C)
    assert np.array_equal(eight.error, DOP853.E5) and np.array_equal(eight.second, DOP853.E3)
