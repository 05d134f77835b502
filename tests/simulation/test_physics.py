"""Runs against motions in closed form: pendulum, bodies without torque, the heavy top."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from tests.references.analytic_motions import (
    asymmetric_body,
    matrices,
    pendulum,
    pendulum_period,
    quaternion,
    slope,
    spacecraft_drift,
    symmetric_body,
    top_axis,
    turn,
)

GRAVITY = 9.81
AMPLITUDE = 2.5  # [rad], far from small

# Integrator, its settings, and the error allowed over three large swings: some ten times what
# the order and the step give (1 ms: 1e-3 for order one, 1e-6 for order two; RK4: (rate h)^4).
WAYS = [
    ("euler_cromer", {"step": 1e-4}, 3e-3),
    ("linearly_implicit_euler", {"step": 1e-4}, 1e-2),
    ("rk4", {"step": 2e-3}, 1e-8),
    ("dopri5", {"rtol": 1e-10}, 2e-8),
    ("dopri5", {"step": 5e-3}, 1e-8),
    ("dop853", {"rtol": 1e-11}, 2e-9),
    ("dop853", {"step": 0.02}, 3e-10),
    ("generalized_alpha", {"step": 1e-3}, 1e-4),
    (ls.GeneralizedAlpha(spectral_radius=1.0), {"step": 1e-3}, 1e-4),
    ("generalized_alpha", {"rtol": 1e-8}, 1e-3),
]
WAY_NAMES = [f"{way if isinstance(way, str) else 'alpha-1'} {keys}" for way, keys, _ in WAYS]


def compound_pendulum():
    """System and rate of small swings; at zero it hangs."""
    model = ls.Model("pendulum", gravity=(0, 0, -GRAVITY))
    body = ls.RigidBody(1.3, com=(0, 0, -0.7), inertia=(0.2, 0.15, 0.1))
    model.add(body, ls.Revolute("y"), name="rod", at=(0.3, 0, 1))
    return model.compile(), np.sqrt(1.3 * GRAVITY * 0.7 / (0.15 + 1.3 * 0.7**2))


@pytest.mark.parametrize("integrator, settings, allowed", WAYS, ids=WAY_NAMES)
def test_pendulum_of_large_amplitude_is_jacobis(integrator, settings, allowed):
    system, rate = compound_pendulum()
    period = pendulum_period(AMPLITUDE, rate)
    start = system.state(rod=AMPLITUDE)
    run = ls.simulate(system, start, duration=3 * period, integrator=integrator, **settings)
    angle, speed = pendulum(run.time, AMPLITUDE, rate)
    assert run.status == "finished" and run.time[-1] == 3 * period
    assert np.abs(run.q[:, 0] - angle).max() < allowed
    assert np.abs(run.v[:, 0] - speed).max() < rate * allowed
    assert np.abs(run.acceleration[:, 0] + rate**2 * np.sin(run.q[:, 0])).max() < 1e-11
    between = run.sample(np.linspace(0, 3 * period, 777))
    angle, _ = pendulum(between.time, AMPLITUDE, rate)
    assert np.abs(between.q[:, 0] - angle).max() < allowed


def test_period_of_the_pendulum_from_its_turns():
    system, rate = compound_pendulum()
    period = pendulum_period(AMPLITUDE, rate)
    falls = ls.Event("rod", (), rate=True, direction=-1, name="turn")
    run = ls.simulate(
        system, system.state(rod=AMPLITUDE), duration=4.5 * period, rtol=1e-12, events=[falls]
    )
    turns = [t for t, _ in run.meta["events"]]
    # The rounding of 1e-15 rad a step is worth 1e-12 s in the slow phase near the turn.
    np.testing.assert_allclose(turns, period * np.arange(1, 5), rtol=0, atol=2e-10)


# A body without torque

OFFSET = np.array([0.2, -0.1, 0.3])
SKEW = turn((1, 2, -1), 0.8)
ATTITUDE = quaternion((0.3, -1, 0.5), 1.1)


def free_body(inertia, rates, drift, com):
    """System on a free joint, its state, and what its centre of mass shall do."""
    model = ls.Model("free")
    model.add(
        ls.RigidBody(1.7, com=com, inertia=inertia), ls.Free(), name="b", at=OFFSET, rotation=SKEW
    )
    system = model.compile()
    # The velocity of the origin is that of the centre of mass less w x com.
    R = SKEW @ matrices([ATTITUDE])[0]
    origin = R.T @ drift - np.cross(rates, com)
    state = system.state(b=[*ATTITUDE, 0.4, 0.5, -0.6], **{"b.rates": [*rates, *origin]})
    return system, state


def free_run_errors(run, system, omega, attitude, drift, com):
    """Largest errors of rates, attitude, position and linear velocity."""
    R0 = SKEW @ matrices([ATTITUDE])[0]
    R = R0 @ attitude
    start = OFFSET + SKEW @ [0.4, 0.5, -0.6] + R0 @ com
    origin = start + np.outer(run.time, drift) - R @ com
    velocity = np.array([r.T @ drift - np.cross(w, com) for r, w in zip(R, omega, strict=True)])
    return (
        np.abs(run.v[:, :3] - omega).max(),
        np.abs(SKEW @ matrices(run.q[:, :4]) - R).max(),
        np.abs(run["b.position"] - origin).max(),
        np.abs(run.v[:, 3:] - velocity).max(),
    )


COM = np.array([0.3, -0.2, 0.25])
DRIFT = np.array([0.3, -0.4, 0.2])
# Error allowed: some ten times what the order and the steps of the method give in five turns.
BODY_WAYS = [
    ("dop853", {"rtol": 1e-11}, 5e-10),
    ("dopri5", {"rtol": 1e-10}, 1e-8),
    ("rk4", {"step": 2e-3}, 2e-9),
    ("generalized_alpha", {"step": 1e-3}, 1e-4),
    ("euler_cromer", {"step": 1e-4}, 1e-2),
]


@pytest.mark.parametrize("integrator, settings, allowed", BODY_WAYS, ids=lambda x: str(x)[:18])
def test_symmetric_body_without_torque(integrator, settings, allowed):
    rates = np.array([1.2, -0.7, 3.0])
    system, state = free_body((0.8, 0.8, 0.3), rates, DRIFT, COM)
    run = ls.simulate(
        system, state, duration=10.0, output_step=0.05, integrator=integrator, **settings
    )
    omega, attitude = symmetric_body(run.time, rates, 0.8, 0.3)
    assert max(free_run_errors(run, system, omega, attitude, DRIFT, COM)) < allowed


@pytest.mark.parametrize("integrator, settings, allowed", BODY_WAYS, ids=lambda x: str(x)[:18])
def test_asymmetric_body_without_torque(integrator, settings, allowed):
    rates, inertia = np.array([1.4, 0.0, 2.0]), (0.4, 0.7, 1.0)
    system, state = free_body(inertia, rates, DRIFT, COM)
    run = ls.simulate(
        system, state, duration=10.0, output_step=0.05, integrator=integrator, **settings
    )
    omega, attitude = asymmetric_body(run.time, rates, inertia)
    assert max(free_run_errors(run, system, omega, attitude, DRIFT, COM)) < allowed


@pytest.mark.parametrize("integrator, settings, allowed", BODY_WAYS, ids=lambda x: str(x)[:18])
def test_asymmetric_body_about_a_fixed_point(integrator, settings, allowed):
    """Without gravity the ball joint gives no moment about itself: the inertia there counts."""
    rates, about = np.array([1.4, 0.0, 2.0]), np.array([1.0, 1.3, 1.7])
    mass, com = 2.0, np.array([0, 0, 0.3])
    inertia = about - mass * np.array([0.09, 0.09, 0])
    model = ls.Model("ball")
    model.add(
        ls.RigidBody(mass, com=com, inertia=inertia),
        ls.Spherical(),
        name="b",
        at=OFFSET,
        rotation=SKEW,
    )
    system = model.compile()
    state = system.state(b=ATTITUDE, **{"b.rates": rates})
    run = ls.simulate(
        system, state, duration=10.0, output_step=0.05, integrator=integrator, **settings
    )
    omega, attitude = asymmetric_body(run.time, rates, about)
    assert np.abs(run.v - omega).max() < allowed
    expected = matrices([ATTITUDE])[0] @ attitude
    assert np.abs(matrices(run.q) - expected).max() < allowed


# The heavy top

TOP = {"across": 0.35, "along": 0.12, "moment": 1.5 * GRAVITY * 0.3}


def heavy_top(theta, precession, spin):
    model = ls.Model("top", gravity=(0, 0, -GRAVITY))
    across = TOP["across"] - 1.5 * 0.3**2
    body = ls.RigidBody(1.5, com=(0, 0, 0.3), inertia=(across, across, TOP["along"]))
    model.add(body, ls.Spherical(), name="top")
    system = model.compile()
    rates = (0.0, precession * np.sin(theta), spin)
    return system, system.state(top=quaternion((1, 0, 0), theta), **{"top.rates": rates})


@pytest.mark.parametrize(
    "theta, precession, spin",
    [(0.6, 0.0, 30.0), (1.2, 3.0, 20.0), (0.9, -1.0, 25.0), (2.0, 0.5, 2.0)],
    ids=["cusps", "waves", "loops", "slow"],
)
@pytest.mark.parametrize(
    "integrator, settings, allowed",
    [
        ("dop853", {"rtol": 1e-12}, 1e-10),
        ("rk4", {"step": 1e-3}, 3e-7),
        ("generalized_alpha", {"step": 5e-4}, 3e-3),
    ],
    ids=["dop853", "rk4", "generalized_alpha"],
)
def test_heavy_top_nutates_as_elliptic_functions(
    theta, precession, spin, integrator, settings, allowed
):
    system, state = heavy_top(theta, precession, spin)
    run = ls.simulate(
        system, state, duration=3.0, output_step=0.02, integrator=integrator, **settings
    )
    axis = run["top.rotation"][:, :, 2]
    expected = top_axis(run.time, theta=theta, precession=precession, spin=spin, **TOP)
    assert np.ptp(expected[:, 2]) > 0.05  # it does nutate
    assert np.abs(axis - expected).max() < allowed
    # p_psi is the momentum about the top's axis, p_phi that about the vertical
    p_psi, p_phi = TOP["along"] * run.v[:, 2], run.momentum()[:, 2]
    start = TOP["across"] * np.sin(theta) ** 2 * precession + TOP["along"] * spin * np.cos(theta)
    assert np.abs(p_psi - TOP["along"] * spin).max() < TOP["along"] * spin * allowed
    assert np.abs(p_phi - start).max() < TOP["along"] * spin * allowed


@pytest.mark.parametrize("sign", [1, -1], ids=["fast", "slow"])
def test_steady_precession_of_the_top(sign):
    """A cos(theta) x^2 - C w x + m g l = 0 (Goldstein, eq. 5-69)."""
    theta, spin = 0.8, 30.0
    a, b, c = TOP["across"] * np.cos(theta), TOP["along"] * spin, TOP["moment"]
    rate = (b + sign * np.sqrt(b * b - 4 * a * c)) / (2 * a)
    system, state = heavy_top(theta, rate, spin)
    run = ls.simulate(system, state, duration=3.0, output_step=0.02, rtol=1e-12)
    axis = run["top.rotation"][:, :, 2]
    azimuth = rate * run.time
    expected = np.sin(theta) * np.stack([np.sin(azimuth), -np.cos(azimuth)], axis=1)
    assert np.abs(axis[:, 2] - np.cos(theta)).max() < 1e-10
    assert np.abs(axis[:, :2] - expected).max() < 1e-10


# Conservation


def test_free_flexible_spacecraft_keeps_momentum_and_energy():
    drift = spacecraft_drift(50.0, "dop853", rtol=1e-10)
    # 1e-9 of the whole: a tenth of rtol in each of some hundred steps
    assert max(drift[x] for x in ("angular", "linear", "energy")) < 1e-9


def test_drift_of_the_spacecraft_goes_with_the_tolerance():
    tolerances = np.array([1e-6, 1e-7, 1e-8, 1e-9])
    drifts = [spacecraft_drift(10.0, "dop853", rtol=x) for x in tolerances]
    for what in ("angular", "energy"):
        found = slope(tolerances, [drift[what] for drift in drifts])
        assert 0.7 < found < 1.4  # an error a step as large as allowed, 8/7 of it with the steps
