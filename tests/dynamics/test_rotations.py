"""The exponential map, its left Jacobian and the Jacobian's rate, on both sides of the series."""

import mpmath
import numpy as np
import pytest

from lissom.spatial import left_jacobian, left_jacobian_rate, rotation_exp, skew
from tests.tools.measures import error

STEP = 1e-30
ANGLES = (0.0, 1e-9, 1e-4, 0.05, 0.3, 0.4999, 0.5001, 0.8, 2.0, 3.1, 6.0)
AXIS = np.array([0.36, -0.48, 0.8])
RATE = np.array([0.7, 1.1, -0.4])


@pytest.fixture(params=ANGLES)
def theta(request):
    return request.param * AXIS


def rate_of(function, theta):
    """Derivative of function(theta) along RATE by a complex step."""
    return function(theta + 1j * STEP * RATE).imag / STEP


def exact(theta, series):
    """sum over k of series(k) skew(theta)^k, in forty digits."""
    with mpmath.workdps(40):
        K = mpmath.matrix(skew(theta).tolist())
        total, power = mpmath.zeros(3), mpmath.eye(3)
        for k in range(80):
            total, power = total + power * series(k), power * K
        return np.array(total.tolist(), dtype=float)


def test_exponential_is_its_power_series(theta):
    expected = exact(theta, lambda k: 1 / mpmath.factorial(k))
    assert error(rotation_exp(theta), expected) < 1e-15


def test_left_jacobian_is_its_power_series(theta):
    expected = exact(theta, lambda k: 1 / mpmath.factorial(k + 1))
    assert error(left_jacobian(theta), expected) < 2e-15


def test_left_jacobian_gives_the_angular_velocity(theta):
    spin = rate_of(rotation_exp, theta) @ rotation_exp(theta).T
    assert error(skew(left_jacobian(theta) @ RATE), spin) < 1e-14


def test_left_jacobian_rate_is_the_rate_of_the_left_jacobian(theta):
    expected = rate_of(left_jacobian, theta) @ RATE
    assert np.abs(left_jacobian_rate(theta, RATE) - expected).max() < 2e-15
