"""Modes and reduced models of chains so long that soft motions are 1e-12 of stiff ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import matrix_balance

import lissom as ls
from lissom.linear.deflation import evened
from tests.references.beam_theory import Beam

SPRING = 2000.0
LENGTH, TUBE = 3.0, ls.Tube(radius=0.01, thickness=0.002)
INNER, OUTER = 0.008, 0.01
EI = ls.ALUMINIUM.youngs_modulus * np.pi / 4 * (OUTER**4 - INNER**4)
MASS = ls.ALUMINIUM.density * np.pi * (OUTER**2 - INNER**2)


def segments(n):
    """One cantilever, welded from n segments with four modes each."""
    beam = ls.beam(LENGTH / n, TUBE, ls.ALUMINIUM, modes=4)
    model = ls.Model("boom")
    for i in range(n):
        model.add(beam, ls.Fixed(), name=f"s{i}", **({"to": f"s{i - 1}.tip"} if i else {}))
    return model.compile()


def on_springs(model, n, **at):
    """Links in a chain on springs, compiled, and its loads."""
    beam = ls.beam(LENGTH / n, ls.Tube(radius=0.03, thickness=0.002), ls.ALUMINIUM, modes=4)
    for i in range(n):
        model.add(beam, ls.Revolute("y"), name=f"l{i}", **({"to": f"l{i - 1}.tip"} if i else at))
    return model.compile(), [ls.JointSpring(f"l{i}", SPRING, damping=1.0) for i in range(n)]


def floating(n):
    """A hub that floats with n flexible links on springs."""
    model = ls.Model("spacecraft")
    model.add(ls.RigidBody.box(20.0, (1, 1, 1)), ls.Free(), name="hub")
    return on_springs(model, n, to="hub")


@pytest.mark.parametrize("n", [10, 100])
def test_a_boom_of_many_segments_vibrates_as_one_beam(n):
    """Euler and Bernoulli's frequencies with rotary inertia; nothing floats."""
    j = MASS * (OUTER**2 + INNER**2) / 4
    exact = [
        Beam(LENGTH, EI, MASS, j).frequency((2, 3), (2, 3), x**2 * np.sqrt(EI / MASS) / LENGTH**2)
        for x in (1.875104, 4.694091)
    ]
    for damped in (False, None) if n == 10 else (None,):
        modes = ls.modes(segments(n), damped=damped)
        assert modes.n_rigid == 0
        omega = 2 * np.pi * modes.frequencies[:4]
        np.testing.assert_allclose(omega[:2], exact[0], rtol=2e-4 if n > 10 else 1e-3)
        np.testing.assert_allclose(omega[2:], exact[1], rtol=2e-4 if n > 10 else 1e-3)


def test_soft_vibrations_beside_stiff_ones_keep_their_digits():
    """Springs alone hold the joints of 60 links: sum phi phi^T / omega^2 is their compliance."""
    n = 60
    system, loads = on_springs(ls.Model("chain"), n)
    modes = ls.modes(system, loads=loads, damped=False)
    assert modes.n_rigid == 0
    rows = [system.layout.hinge_v(f"l{i}").start for i in range(n)]
    phi = modes.shapes[rows] / np.abs(modes.eigenvalues)
    assert np.abs(phi @ phi.T * SPRING - np.eye(n)).max() < 1e-10
    damped = ls.modes(system, loads=loads)
    np.testing.assert_allclose(damped.frequencies[:5], modes.frequencies[:5], rtol=1e-4)


@pytest.mark.parametrize("n", [3, 30])
def test_responses_of_floating_chains_are_those_of_their_mass_and_stiffness(n):
    """(K + i w C - w^2 M) x = f in the coordinates of the mechanism, which scale with no body."""
    system, loads = floating(n)
    state = system.neutral()
    about = ls.load_derivatives(system, state, loads)
    inverse = ls.inverse_dynamics_derivatives(system, state, np.zeros(system.n_v))
    K, C, M = inverse.q - about.q, inverse.v - about.v, inverse.acceleration
    k = system.layout.hinge_v("l0").start
    omega = 2 * np.pi * np.array([0.7, 1.5, 3.0, 10.0])
    push = np.eye(system.n_v)[k]
    exact = [np.linalg.solve(K + 1j * w * C - w**2 * M, push)[k] for w in omega]
    model = ls.linearize(system, state, loads=loads, inputs=["l0"], outputs=["l0"])
    response = model.frequency_response(omega)
    np.testing.assert_allclose(response.ravel(), exact, rtol=2e-6)
    for method in ("balanced", "modal"):
        whole = model.reduced(model.n, method=method)
        np.testing.assert_allclose(whole.frequency_response(omega).ravel(), exact, rtol=2e-6)
    small = model.reduced(30, method="balanced").frequency_response(omega)
    assert np.abs(small - response).max() < 3e-7


def test_responses_at_poles_are_told_among_others():
    """Elimination of many frequencies together sees which of them are poles."""
    A = np.array([[0.0, 1.0], [-4.0, 0.0]])
    model = ls.LinearModel(
        A, np.array([[0.0], [1.0]]), np.array([[1.0, 0.0]]), np.zeros((1, 1)),
        states=(("x", "m"), ("v", "m/s")), inputs=(("f", "N"),), outputs=(("x", "m"),),
    )  # fmt: skip
    found = model.frequency_response([1.0, 3.0], input="f", output="x")
    np.testing.assert_allclose(found, [1 / 3, -1 / 5], rtol=1e-14)
    with pytest.raises(ls.StateError, match="infinite at this frequency"):
        model.frequency_response([1.0, 2.0, 3.0])


def test_zeros_of_long_floating_chains_are_those_of_their_free_motions():
    """Two chains of length two for each of six motions, and the slowest poles beside them."""
    system, loads = floating(40)
    model = ls.linearize(system, loads=loads)
    modes = ls.modes(system, loads=loads)
    assert modes.n_rigid == 6
    slow = np.sort(np.abs(np.linalg.eigvals(matrix_balance(model.A)[0])))[12:16]
    omega = 2 * np.pi * modes.frequencies[6:8]
    np.testing.assert_allclose(slow, np.repeat(omega, 2), rtol=1e-5)


@pytest.mark.filterwarnings("error")
def test_balancing_by_large_powers_is_silent():
    A = np.array([[1.0, 1e200], [1e-200, 2.0]])
    even, D = evened(A)
    assert np.allclose(np.log10(np.abs(even)), 0, atol=0.5) and D.max() / D.min() > 1e190
    assert np.allclose(even / np.outer(1 / D, D), A, rtol=1e-12)
