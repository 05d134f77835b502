"""Forces of contacts behind residual compliance: one point, and several that share a matrix."""

import numpy as np
import pytest
from scipy.optimize import brentq

from lissom.kernels.compiling import LIBRARY, PLAIN, jit
from lissom.kernels.contact import residual
from lissom.kernels.contact.residual import (
    coupled_in_series,
    coupled_size,
    damp_coupled,
    law_in_series,
    power_law,
)
from tests.tools.kernel_calls import called_from_python

power_in_series = called_from_python(residual.power_in_series)
damped_in_series = called_from_python(residual.damped_in_series)
power_energy = called_from_python(residual.power_energy)
residual_along = called_from_python(residual.residual_along)


@jit
def dissipative_law(table, c, depth, rate):
    """Force k d^n (1 + a rate) with k, n, a at table[c:]."""
    if depth <= 0.0:
        return 0.0, 0.0, 0.0
    elastic = table[c] * depth ** table[c + 1]
    factor = 1.0 + table[c + 2] * rate
    if factor <= 0.0:
        return 0.0, 0.0, 0.0
    return elastic * factor, table[c + 1] * elastic / depth * factor, elastic * table[c + 2]


@jit
def saturating_law(table, c, depth, _rate):
    """Force k d/(1 + d/l), of falling stiffness, with k, l at table[c:]."""
    if depth <= 0.0:
        return 0.0, 0.0, 0.0
    below = 1.0 + depth / table[c + 1]
    return table[c] * depth / below, table[c] / below**2, 0.0


def of_one(law, table, compliance, depth, rate):
    return called_from_python(law_in_series, law)(table, 0, compliance, depth, rate)


def coupled(law, constants, R, depths, rates=None):
    """Forces, law depths, tangent, steps; and slopes by rates if there are rates."""
    m, constants = len(depths), np.asarray(constants, dtype=float)
    x = np.full(
        called_from_python(coupled_size)(m), 7.0
    )  # results depend on nothing that was there
    x[:m], x[m : 2 * m] = depths, 0.0 if rates is None else rates
    x[2 * m : 2 * m + m * m] = np.ravel(R)
    arguments = constants.ravel(), 0, constants.shape[1], m, x, 0
    steps = called_from_python(coupled_in_series, law)(*arguments)
    if rates is not None:
        called_from_python(damp_coupled, law)(*arguments)
    f, rate_slopes, d = x[2 * m + m * m : 5 * m + m * m].reshape(3, m).copy()
    D = x[5 * m + m * m : 5 * m + 2 * m * m].reshape(m, m).copy()
    return f, d, D, steps, rate_slopes


def random_compliance(rng, m, rank, size=1e-6):
    A = rng.normal(size=(m, rank))
    return size * (A @ A.T)


def random_case(rng):
    return (
        10 ** rng.uniform(5, 11),
        rng.choice([1.0, 1.5, 2.0, 3.0]),
        10 ** rng.uniform(-12, -6),
        10 ** rng.uniform(-9, -3),
    )


def test_depth_is_that_of_the_law_and_of_the_compliance():
    rng = np.random.default_rng(1)
    for _ in range(500):
        k, n, R, depth = random_case(rng)
        force, _, d = power_in_series(k, n, R, depth)
        assert force == pytest.approx(k * d**n, rel=1e-13)
        assert d + R * force == pytest.approx(depth, rel=1e-13)


@pytest.mark.skipif(not PLAIN and LIBRARY is None, reason="compiled with its constants")
def test_five_steps_suffice_for_hertz(monkeypatch):
    rng = np.random.default_rng(2)
    cases = [random_case(rng) for _ in range(2000)]
    cases = [(k, 1.5, R, depth) for k, _, R, depth in cases]
    converged = [power_in_series(*case) for case in cases]
    monkeypatch.setattr(residual, "_MOST", 5)
    np.testing.assert_allclose([power_in_series(*x) for x in cases], converged, rtol=1e-14)


def test_slope_is_the_derivative_of_the_force():
    rng = np.random.default_rng(3)
    for _ in range(200):
        k, n, R, depth = random_case(rng)
        h = 1e-5 * depth
        below, above = (power_in_series(k, n, R, depth + x)[0] for x in (-h, h))
        _, slope, d = power_in_series(k, n, R, depth)
        assert slope == pytest.approx((above - below) / (2 * h), rel=1e-7)
        k_d = n * k * d ** (n - 1)
        assert slope == pytest.approx(k_d / (1 + R * k_d), rel=1e-12)


def test_without_compliance_the_law_stands_alone():
    assert power_in_series(1e9, 1.5, 0.0, 1e-4) == pytest.approx((1e3, 1.5e7, 1e-4), rel=1e-14)


def test_open_contacts_have_no_force():
    assert power_in_series(1e9, 1.5, 1e-8, -1e-4) == (0.0, 0.0, -1e-4)
    assert of_one(power_law, np.array([1e9, 1.5]), 1e-8, -1e-4, 0.3) == (0.0, 0.0, 0.0, -1e-4)


def test_force_is_the_derivative_of_the_energy():
    k, n, R = 2e9, 1.5, 3e-8

    def energy(depth):
        force, _, d = power_in_series(k, n, R, depth)
        return power_energy(k, n, R, force, d)

    for depth in (1e-6, 1e-5, 1e-3):
        h = 1e-4 * depth
        slope = (energy(depth + h) - energy(depth - h)) / (2 * h)
        assert slope == pytest.approx(power_in_series(k, n, R, depth)[0], rel=1e-7)


def test_damping_dissipates_force_times_squared_rate():
    for rate in (-0.5, 0.3):
        force, by_depth, by_rate = damped_in_series(100.0, 2e6, 0.7, rate)
        assert (force - 100.0) * rate == pytest.approx(0.7 * 100.0 * rate**2)
        assert by_depth == pytest.approx(2e6 * force / 100.0) and by_rate == 70.0
    assert damped_in_series(100.0, 2e6, 0.7, -2.0) == (0.0, 0.0, 0.0)  # nothing pulls


@pytest.mark.parametrize(
    ("law", "table"),
    [(power_law, [1e8, 1.5]), (dissipative_law, [1e8, 1.5, 0.4]), (saturating_law, [1e6, 1e-5])],
)
def test_any_growing_law_is_in_series_with_its_elastic_force(law, table):
    table, R, rate = np.array(table), 1e-6, 0.8
    plain = getattr(law, "py_func", law)

    def too_deep(x, depth):
        return x + R * plain(table, 0, x, 0.0)[0] - depth

    for depth in (1e-6, 3e-5, 2e-3):
        d = brentq(too_deep, 0, depth, args=(depth,), xtol=1e-18)
        force, by_depth, by_rate, law_depth = of_one(law, table, R, depth, rate)
        assert law_depth == pytest.approx(d, rel=1e-9)
        assert force == pytest.approx(plain(table, 0, d, rate)[0], rel=1e-8)
        assert by_rate == pytest.approx(plain(table, 0, d, rate)[2], rel=1e-8)
        h = 1e-5 * depth
        above, below = (of_one(law, table, R, depth + x, rate)[0] for x in (h, -h))
        assert by_depth == pytest.approx((above - below) / (2 * h), rel=1e-5)


def test_forces_of_300_random_problems_of_five_points_are_the_least_energy():
    """They press, closed points satisfy their laws, open ones do not touch: the one minimum."""
    rng, steps = np.random.default_rng(4), []
    for trial in range(300):
        R = random_compliance(rng, 5, 5 if trial % 3 else 2)
        k = np.full(5, 10 ** rng.uniform(3, 9))
        depths = rng.normal(size=5) * 10 ** rng.uniform(-6, -2)
        f, d, _, count, _ = coupled(power_law, np.column_stack([k, np.full(5, 1.5)]), R, depths)
        steps.append(count)
        closed = f > 0
        rest = depths - R @ f
        scale = np.abs(depths).max()
        assert np.all(f >= 0) and np.all(rest[~closed] <= 1e-13 * scale)
        np.testing.assert_allclose(rest[closed], (f / k)[closed] ** (2 / 3), atol=1e-12 * scale)
        np.testing.assert_allclose(d, rest, atol=1e-14 * scale)
    assert min(steps) > 0 and max(steps) <= 20 and np.mean(steps) < 6


def test_tangent_is_symmetric_and_the_derivative_of_the_forces():
    rng = np.random.default_rng(5)
    for trial in range(30):
        R = random_compliance(rng, 5, 5 if trial % 2 else 2)
        constants = np.column_stack([10 ** rng.uniform(5, 8, 5), rng.choice([1.0, 1.5, 2.0], 5)])
        depths = 1e-3 * rng.normal(size=5)
        D = coupled(power_law, constants, R, depths)[2]
        np.testing.assert_allclose(D, D.T, atol=1e-12 * np.abs(D).max())
        h = 1e-8
        differences = [
            (
                coupled(power_law, constants, R, depths + e)[0]
                - coupled(power_law, constants, R, depths - e)[0]
            )
            / (2 * h)
            for e in h * np.eye(5)
        ]
        np.testing.assert_allclose(D, np.transpose(differences), atol=1e-6 * np.abs(D).max())


def test_points_without_common_compliance_do_not_see_each_other():
    R = np.diag([1e-7, 0.0, 3e-6])
    constants = [[1e9, 1.5], [1e7, 1.0], [1e10, 2.0]]
    depths = [1e-4, 2e-4, -1e-4]
    f, d, D, *_ = coupled(power_law, constants, R, depths)
    for i in range(3):
        force, slope, depth = power_in_series(*constants[i], R[i, i], depths[i])
        assert (f[i], D[i, i], d[i]) == pytest.approx((force, slope, depth), rel=1e-10)
    assert np.count_nonzero(D - np.diag(np.diag(D))) == 0


def test_points_that_move_as_one_share_their_force():
    """R of rank one: two equal laws behind one spring are one law of twice the stiffness."""
    k, R, depth = 1e9, 1e-7, 1e-4
    f, *_ = coupled(power_law, [[k, 1.5]] * 2, np.full((2, 2), R), [depth, depth])
    assert f[0] == pytest.approx(f[1], rel=1e-12)
    assert f.sum() == pytest.approx(power_in_series(2 * k, 1.5, R, depth)[0], rel=1e-12)


def test_a_pressed_neighbour_lifts_a_point_off():
    f, d, D, *_ = coupled(power_law, [[1e9, 1.5]] * 2, [[2e-7, 1e-7], [1e-7, 2e-7]], [1e-3, 1e-5])
    assert f[0] > 0 and f[1] == 0 and d[1] < 0
    assert not D[1].any() and not D[:, 1].any()


def test_damping_of_coupled_points_is_in_series_with_nothing():
    rng = np.random.default_rng(6)
    R = random_compliance(rng, 4, 3)
    constants = np.column_stack([10 ** rng.uniform(5, 8, 4), [1.5, 1.5, 1.0, 2.0], [0.4] * 4])
    depths, rates = 1e-3 * np.array([1.0, 0.5, 0.8, -0.3]), np.array([0.5, -0.5, 1.0, 0.2])
    elastic = coupled(dissipative_law, constants, R, depths)[0]
    forces, _, D, _, by_rate = coupled(dissipative_law, constants, R, depths, rates)
    np.testing.assert_allclose(forces, elastic * (1 + 0.4 * rates), rtol=1e-9)
    np.testing.assert_allclose(by_rate, 0.4 * elastic, rtol=1e-9)
    for j, e in enumerate(1e-8 * np.eye(4)):
        above, below = (
            coupled(dissipative_law, constants, R, depths + x, rates)[0] for x in (e, -e)
        )
        np.testing.assert_allclose(D[:, j], (above - below) / 2e-8, atol=1e-6 * np.abs(D).max())


def test_compliance_along_normals_is_that_of_the_matrix():
    rng = np.random.default_rng(7)
    R, n = random_compliance(rng, 9, 9), rng.normal(size=(3, 3))
    table = np.concatenate([np.zeros(4), R.ravel()])
    for i in range(3):
        for j in range(3):
            block = R[3 * i : 3 * i + 3, 3 * j : 3 * j + 3]
            along = residual_along(table, 4, 9, i, tuple(n[i]), j, tuple(n[j]))
            assert along == pytest.approx(n[i] @ block @ n[j], rel=1e-12)
