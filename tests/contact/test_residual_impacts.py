"""Impacts on reduced bodies with residual compliance, against exact solutions."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lissom as ls
from lissom.kernels.contact import residual
from tests.references.ball_impacts import (
    DENSITY,
    EXPONENT,
    MASS,
    POISSON,
    SOUND,
    STIFFNESS,
    YOUNG,
    ball_on_bar,
    ball_on_beam,
    beam_modes,
)
from tests.tools.kernel_calls import called_from_python

power_in_series = called_from_python(residual.power_in_series)
power_energy = called_from_python(residual.power_energy)

BAR = {"length": 0.2, "area": 1e-4}
BEAM = {"length": 0.1535, "width": 0.01, "height": 0.01}
STEEL = ls.Material("steel", YOUNG, DENSITY, POISSON)


def impact(omega, phi, R, speed, duration):
    """Peak force, largest change of the energy, and speed of the ball, on modes of one point."""
    n = len(omega)

    def contact(y):
        return power_in_series(STIFFNESS, EXPONENT, R, y[n] - phi @ y[:n])

    def rates(t, y):
        force = contact(y)[0]
        return np.concatenate([y[n + 1 :], phi * force - omega**2 * y[:n], [-force / MASS]])

    start = np.zeros(2 * n + 2)
    start[-1] = speed
    run = solve_ivp(
        rates, (0, duration), start, "DOP853", rtol=1e-9, atol=1e-16, dense_output=True,
        max_step=duration / 50,
    )  # fmt: skip
    states = run.sol(np.linspace(0, duration, 3001)).T
    contacts = np.array([contact(y) for y in states])
    p = np.argmax(contacts[:, 0])
    a, b, c = np.polyfit([-1, 0, 1], contacts[p - 1 : p + 2, 0], 2)
    of_law = [power_energy(STIFFNESS, EXPONENT, R, f, d) for f, _, d in contacts]
    energy = (
        np.sum(states[:, n + 1 : -1] ** 2, axis=1) / 2
        + np.sum((omega * states[:, :n]) ** 2, axis=1) / 2
        + MASS * states[:, -1] ** 2 / 2
        + of_law
    )
    return c - b * b / (4 * a), np.ptp(energy) / energy[0], states[-1, -1]


def bar_modes(n):
    """Frequencies and values at the end of the rigid motion and n modes of a free bar."""
    mass = DENSITY * BAR["area"] * BAR["length"]
    omega = np.arange(n + 1) * np.pi * SOUND / BAR["length"]
    return omega, np.append(1.0, np.full(n, np.sqrt(2.0))) / np.sqrt(mass)


def bar_residual(n):
    omega, phi = bar_modes(n)
    return BAR["length"] / (3 * YOUNG * BAR["area"]) - np.sum((phi[1:] / omega[1:]) ** 2)


def beam_residual(n):
    omega, phi = beam_modes(n, **BEAM)
    moment = BEAM["width"] * BEAM["height"] ** 3 / 12
    return BEAM["length"] ** 3 / (48 * YOUNG * moment) - np.sum((phi / omega) ** 2)


@pytest.fixture(scope="module")
def on_bar():
    return ball_on_bar(**BAR, speed=1.0)


@pytest.fixture(scope="module")
def on_beam():
    return ball_on_beam(**BEAM, speed=0.01)


def test_references_are_those_of_the_literature(on_bar, on_beam):
    """The ball on the bar has a closed equation; the beam is Timoshenko's of 1913."""
    assert on_bar == pytest.approx((1255.458, 75.137e-6, -0.534243), rel=5e-6)
    assert on_beam == pytest.approx((4.881649, -0.00302172), rel=2e-6)


# Errors of the peak with R, and least errors without
BAR_ERRORS = {1: (3e-2, 7e-2), 2: (8e-4, 2e-2), 4: (4e-4, 1e-2), 8: (7e-5, 8e-3), 16: (1e-5, 4e-3)}
BEAM_ERRORS = {
    1: (6e-2, 9e-2),
    2: (1.1e-3, 7e-3),
    3: (1e-5, 2e-3),
    4: (3e-5, 8e-4),
    6: (2e-6, 2e-4),
}


@pytest.mark.parametrize("n", BAR_ERRORS)
def test_ball_on_the_end_of_a_free_bar(n, on_bar):
    omega, phi = bar_modes(n)
    peak, energy, speed = impact(omega, phi, bar_residual(n), 1.0, 9e-5)
    with_R, without_R = BAR_ERRORS[n]
    assert abs(peak / on_bar[0] - 1) < with_R and abs(speed - on_bar[2]) < with_R
    assert energy < 1e-7
    assert impact(omega, phi, 0.0, 1.0, 9e-5)[0] / on_bar[0] - 1 > without_R


@pytest.mark.parametrize("n", BEAM_ERRORS)
def test_ball_on_a_simply_supported_beam(n, on_beam):
    omega, phi = beam_modes(n, **BEAM)
    peak, energy, _ = impact(omega, phi, beam_residual(n), 0.01, 1.7e-4)
    with_R, without_R = BEAM_ERRORS[n]
    assert abs(peak / on_beam[0] - 1) < with_R and energy < 1e-6
    assert impact(omega, phi, 0.0, 0.01, 1.7e-4)[0] / on_beam[0] - 1 > without_R


def test_ball_on_the_end_of_a_reduced_free_frame(on_bar):
    """Free-free modes of a frame up to its fourth axial one, and the residual of its reduction."""
    body = ls.frame(
        [(0, 0, 0), (BAR["length"], 0, 0)],
        [ls.Member(0, 1, ls.Rectangle(0.01, 0.01), STEEL, parts=32)],
        interfaces={"root": 0, "tip": 1},
        method="free-free",
        frequency=4.1 * SOUND / (2 * BAR["length"]),
        contact="tip",
    )
    omega = np.sqrt(np.diag(body.stiffness))
    phi = body.shapes[body.names["tip"], 3]
    axial = np.abs(phi) > 1e-3 * np.abs(phi).max()
    R = body.residual_compliance[0, 0]
    assert np.count_nonzero(axial) == 4
    assert R == pytest.approx(bar_residual(4), rel=0.02)
    omega = np.append(0.0, omega[axial])
    phi = np.append(1 / np.sqrt(body.mass), phi[axial])
    errors = [impact(omega, phi, x, 1.0, 9e-5)[0] / on_bar[0] - 1 for x in (R, 0.0)]
    assert abs(errors[0]) < 1e-3 and errors[1] > 1e-2
