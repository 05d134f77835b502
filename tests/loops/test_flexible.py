"""Closed mechanisms whose links bend: slider-crank, propped beam, a ring that floats freely."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import lissom as ls
from tests.loop_oracles.planar import FlexibleSliderCrank
from tests.samples.loop_mechanisms import (
    flexible_rod,
    floating_ring,
    slider_crank,
    slider_crank_state,
)

METHODS = ("auto", "articulated", "composite", "reference")
# The same softness is in the oracle; what the warning is about has no part here.
SOFT = pytest.mark.filterwarnings("ignore:body .* (turns at|is pulled|is pressed|deflects)")


@pytest.mark.parametrize(
    "crank, rate, bent, bending",
    [(0.7, 10.0, 0.0, 0.0), (2.1, -25.0, 2e-3, 0.3), (4.4, 40.0, -5e-3, -1.0)],
)
def test_accelerations_of_the_flexible_slider_crank(crank, rate, bent, bending):
    """Lagrange's equations of its particles, with multipliers for the pin."""
    values = FlexibleSliderCrank()
    system, torque = slider_crank(values), 0.8
    q, qdot = values.start(crank, rate, bent, bending)
    force = np.concatenate([[torque], np.zeros(len(q) - 1)])
    qddot, mu = values.equations().acceleration(q, qdot, force)
    state = slider_crank_state(system, values, q, qdot)
    expected = slider_crank_state(system, values, q, qddot).v
    for method in METHODS:
        vdot = ls.forward_dynamics(system, state, {"crank": torque}, method=method)
        assert np.abs(vdot - expected).max() < 1e-9 * np.abs(expected).max()
    # mu acts on the rod's tip, its opposite on the slider, whose axes are the world's
    [wrench] = ls.loop_forces(system, state, {"crank": torque})
    assert np.abs(wrench - [0, 0, 0, *-mu, 0]).max() < 1e-9 * np.abs(mu).max()


@cache
def particles_motion() -> tuple[FlexibleSliderCrank, np.ndarray, np.ndarray, np.ndarray]:
    """Slider-crank, its start, and its motion over 0.2 s every 10 ms."""
    values = FlexibleSliderCrank()
    start = values.start(0.7, 25.0, 1e-3, 0.1)
    q, _ = values.equations().motion(np.linspace(0, 0.2, 21), *start, rtol=1e-11)
    assert np.abs(q[:, 3:].sum(axis=1)).max() > 3e-3  # the rod bends by millimetres
    return values, *start, q


def slider_crank_error(**settings) -> float:
    """Largest error of crank, slider and amplitudes against the particles' motion."""
    values, q0, qdot0, q = particles_motion()
    system = slider_crank(values)
    start = slider_crank_state(system, values, q0, qdot0)
    run = ls.simulate(system, start, duration=0.2, output_step=0.01, **settings)
    assert np.abs(run["pin.gap"]).max() < 1e-10
    amplitudes = run["rod.modes"] @ flexible_rod(values).transform.T
    found = np.hstack([run["crank"], run["slider"], amplitudes])
    return float(np.abs(found - q[:, [0, 2, 3, 4, 5]]).max())


@SOFT
def test_flexible_slider_crank_moves_as_its_particles():
    assert slider_crank_error(integrator="dop853", rtol=1e-10) < 1e-9


@SOFT
def test_flexible_slider_crank_by_the_implicit_method_is_of_second_order():
    coarse, fine = (
        slider_crank_error(integrator="generalized_alpha", step=h) for h in (4e-5, 2e-5)
    )
    assert fine < 1e-4
    assert 3 < coarse / fine < 5


def propped_beam(modes: int) -> tuple[ls.System, ls.FlexibleBody]:
    """Beam clamped to the ground along x, its tip on a ball fixed to the ground."""
    beam = ls.beam(2.0, ls.Rectangle(0.03, 0.05), ls.STEEL, modes=modes, damping=0.0)
    model = ls.Model("propped", gravity=(0, 0, -9.81))
    model.add(beam, ls.Fixed(), name="beam")
    model.close(ls.Spherical(), None, "beam.tip", at_a=(2.0, 0, 0), name="prop")
    return model.compile(), beam


@pytest.mark.parametrize("modes", [4, 12])
def test_reaction_of_a_propped_beam_is_that_of_its_modes(modes):
    """By hand: K eta = f + t r and t . eta = 0, so that r = -t K^-1 f / t K^-1 t."""
    system, beam = propped_beam(modes)
    K = (2 * np.pi * beam.frequencies) ** 2
    weight = np.einsum("n,nm->m", beam.masses, beam.shapes[:, 5]) * -9.81
    tip = beam.shapes[beam.names["tip"], 5]
    reaction = -(tip / K @ weight) / (tip / K @ tip)
    state = system.state(**{"beam.modes": (weight + tip * reaction) / K})
    assert np.abs(ls.closure(system, state).gap).max() < 1e-12
    acceleration = ls.forward_dynamics(system, state)
    assert np.abs(acceleration).max() < 1e-8 * np.abs(weight).max()
    [wrench] = ls.loop_forces(system, state)
    on_tip = ls.pose(system, state, "beam.tip").rotation @ wrench[3:]
    assert on_tip[2] == pytest.approx(reaction, rel=1e-9)
    # Bernoulli's beam: three eighths of the weight; the modes come near it
    exact = 3 / 8 * beam.masses.sum() * 9.81
    assert on_tip[2] == pytest.approx(exact, rel=0.03 if modes == 4 else 0.003)


@SOFT
def test_floating_flexible_ring_keeps_momentum_and_energy():
    """Loop forces are internal: they change neither momentum nor, without damping, energy."""
    system, state = floating_ring()
    run = ls.simulate(system, state, duration=2.0, output_step=0.02, rtol=1e-10)
    momentum, energy = run.momentum(), run.energy
    assert np.ptp(energy.strain) > 1e-2 * energy.kinetic[0]  # it does bend
    assert np.ptp(run["left"]) > 0.1  # and the ring changes its form
    for part in (slice(0, 3), slice(3, 6)):
        size = np.linalg.norm(momentum[0, part])
        assert np.abs(momentum[:, part] - momentum[0, part]).max() < 1e-9 * size
    assert np.ptp(energy.total) < 1e-9 * energy.total[0]
    assert np.abs(run["end.gap"]).max() < 1e-10
    assert np.abs(run["end.rate"]).max() < 1e-9


@SOFT
def test_drift_of_the_ring_goes_with_the_tolerance():
    system, state = floating_ring()
    drifts = []
    for rtol in (1e-6, 1e-8):
        run = ls.simulate(system, state, duration=1.0, integrator="dop853", rtol=rtol)
        drifts.append(np.ptp(run.energy.total))
    assert drifts[1] < 0.05 * drifts[0]
