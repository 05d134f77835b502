"""Friction laws and their slopes, patches that spin, bristles, and blocks that slide or stick."""

import copy
import math
import pickle

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import lissom as ls
from lissom.kernels.contact import friction as kernels
from lissom.sim.loads.contact import Friction, Hertz, LinearContact
from tests.tools.kernel_calls import called_from_python

slip = called_from_python(kernels.slip)
patch = called_from_python(kernels.patch)
rolling = called_from_python(kernels.rolling)

SPEEDS = (0.0, 1e-9, 1e-5, 2.4e-5, 2.6e-5, 1e-4, 9e-4, 1.007e-3, 3e-3, 0.1, 5.0)
RUBBER = Friction(0.6, 0.4)
TABLE = np.array([7.0, *RUBBER.numbers()])  # the friction begins at place 1


def derivative(f, x, h):
    """Derivative by Richardson's extrapolation of central differences."""
    return (8 * (f(x + h / 2) - f(x - h / 2)) - (f(x + h) - f(x - h))) / (6 * h)


def brown_mcphee(v, static=0.6, dynamic=0.4, speed=1e-3):
    """Coefficient of friction as it is printed, also of complex numbers."""
    y = v / speed
    return dynamic * np.tanh(4 * y) + (static - dynamic) * y / (0.25 * y**2 + 0.75) ** 2


def test_coefficient_of_brown_and_mcphee():
    for v in SPEEDS:
        m, _slope = slip(TABLE, 1, v * v)
        assert np.isclose(m * v, brown_mcphee(v), rtol=1e-13)
        assert np.isclose(RUBBER.coefficient(v), brown_mcphee(v), rtol=1e-14)
    assert np.array_equal(RUBBER.coefficient([-1e-3, 0.0]), RUBBER.coefficient([1e-3, 0.0]))
    v = np.linspace(0, 3e-3, 300001)
    assert abs(RUBBER.peak - brown_mcphee(v).max()) < 1e-10
    assert abs(RUBBER.peak - 0.599739) < 5e-7
    assert abs(v[brown_mcphee(v).argmax()] / 1e-3 - 1.0068) < 1e-4
    assert np.isclose(Friction(0.3).peak, 0.3, rtol=1e-15)
    assert 0.6 > Friction(0.6, 0.59999).peak > 0.59998


def test_slopes_of_the_coefficient_by_complex_steps():
    for v in SPEEDS[1:]:
        _m, slope = slip(TABLE, 1, v * v)
        h = 1e-30
        ratio = (brown_mcphee(v + 1j * h) / (v + 1j * h)).imag / h  # of mu / v
        expected = ratio / v
        if v > 1e-4:  # below, the differences in it lose their digits
            assert np.isclose(slope, expected, rtol=1e-11)
        near = derivative(lambda x: slip(TABLE, 1, x)[0], v * v, 1e-2 * v * v)
        assert np.isclose(slope, 2 * near, rtol=1e-6 if v > 2e-5 else 1e-2)
    rest = slip(TABLE, 1, 0.0)
    assert np.isclose(rest[0], (4 * 0.4 + 16 / 9 * 0.2) / 1e-3, rtol=1e-14)
    x = slip(TABLE, 1, (0.025e-3 * (1 - 1e-9)) ** 2)  # both sides of the change of form
    y = slip(TABLE, 1, (0.025e-3 * (1 + 1e-9)) ** 2)
    assert np.allclose(x, y, rtol=1e-8)


def test_series_near_rest_follow_high_precision():
    import mpmath

    with mpmath.workdps(50):
        for y in (1e-6, 1e-3, 0.01, 0.024, 0.0249, 0.0251, 0.03, 0.2, 1.0, 8.0):
            v = mpmath.mpf(y * 1e-3)

            def ratio(s):
                z = mpmath.sqrt(s) * 1000
                mu = 0.4 * mpmath.tanh(4 * z) + 0.2 * z / (z * z / 4 + 0.75) ** 2
                return mu / mpmath.sqrt(s)

            m, slope = slip(TABLE, 1, float(v) ** 2)
            square = mpmath.mpf(float(v) ** 2)
            # coefficients are doubles; 0.6 - 0.4 is not quite 0.2
            assert abs(m / ratio(square) - 1) < 1e-14
            expected = 2 * mpmath.diff(ratio, square, h=square * mpmath.mpf("1e-12"))
            assert abs(slope / expected - 1) < 1e-12


def test_force_and_its_tangent_in_space():
    rng = np.random.default_rng(3)
    for scale in (0.0, 1e-4, 1e-3, 0.3):
        v, change, N = scale * rng.normal(size=3), rng.normal(size=3), 12.0

        def force(x, N=N):
            return -N * slip(TABLE, 1, float(x @ x))[0] * x

        m, slope = slip(TABLE, 1, float(v @ v))
        expected = -N * (m * change + slope * v * (v @ change))
        step = 1e-3 * (scale or 1e-4)
        slope_along = derivative(lambda s, v=v, d=change: force(v + s * d), 0.0, step)
        assert np.allclose(slope_along, expected, rtol=1e-6, atol=1e-7 * np.abs(expected).max())
        assert force(v) @ v <= 0.0


def hertz_patch(v, u):
    """Force over mu N and moment over mu N a of sliding friction under Hertz's pressure."""
    x, w = np.polynomial.legendre.leggauss(120)
    r, wr = np.sin(0.25 * np.pi * (x + 1)), 0.25 * np.pi * w * np.cos(0.25 * np.pi * (x + 1))
    angle = 2 * np.pi * (np.arange(600) + 0.5) / 600
    R, A = np.meshgrid(r, angle, indexing="ij")
    X, Y = R * np.cos(A), R * np.sin(A)
    along, across = v - u * Y, u * X
    p = (
        1.5
        / np.pi
        * np.sqrt(1 - R * R)
        * R
        * wr[:, None]
        * 2
        * np.pi
        / 600
        / np.hypot(along, across)
    )
    return np.sum(p * along), np.sum(p * (X * across - Y * along))


def test_patch_follows_the_integral_of_the_pressure():
    a, mu = 2e-3, 0.3
    table = np.array(Friction(mu, speed=1e-9, spin=True).numbers())  # as sharp as Coulomb's
    worst = 0.0
    for angle in np.linspace(1e-3, np.pi / 2 - 1e-3, 40):
        v, u = math.cos(angle), math.sin(angle)
        A, B, *_ = patch(table, 0, v * v, u / a, a)
        force, moment = hertz_patch(v, u)
        worst = max(worst, abs(A * v / mu - force), abs(B * u / a / (mu * a) - moment))
    assert worst < 0.006
    A, B, *_ = patch(table, 0, 0.0, 100.0, a)
    assert np.isclose(B * 100.0, 3 * np.pi / 16 * mu * a, rtol=1e-12)  # spin alone: exact
    assert np.isclose(A * a * 100.0 / mu, 3 * np.pi / 8, rtol=1e-12)  # slope of the force there
    A, B, *_ = patch(table, 0, 4.0, 1e-6, a)
    assert np.isclose(A * 2.0, mu, rtol=1e-9)  # sliding alone: exact
    assert np.isclose(B * 2.0 / (mu * a * a), 0.2, rtol=1e-9)  # mean of r^2/2 over the pressure


def test_tangent_of_a_patch_is_exact_symmetric_and_dissipates():
    table = np.array(Friction(0.6, 0.4, speed=1e-2, spin=True).numbers())
    rng = np.random.default_rng(5)
    a = 2e-3
    for scale in (1e-4, 1e-2, 1.0):
        for _ in range(5):
            v, w = scale * rng.normal(size=2), scale / a * rng.normal()

            def wrench(x):
                v, w, a = x[:2], x[2], x[3]
                A, B, *_ = patch(table, 0, float(v @ v), w, a)
                return np.array([*(-A * v), -B * w])

            A, B, A_v, A_w, B_w, A_a, B_a = patch(table, 0, float(v @ v), w, a)
            tangent = np.zeros((3, 4))
            tangent[:2, :2] = A * np.eye(2) + A_v * np.outer(v, v)
            tangent[:2, 2] = tangent[2, :2] = A_w * v
            tangent[2, 2], tangent[2, 3], tangent[:2, 3] = B_w, w * B_a, A_a * v
            x = np.array([*v, w, a])
            sizes = np.array([scale, scale, scale / a, a])
            for k in range(4):
                unit = np.eye(4)[k]
                column = derivative(
                    lambda s, x=x, unit=unit: wrench(x + s * unit), 0.0, 1e-3 * sizes[k]
                )
                error = np.abs(column + tangent[:, k])
                force = np.abs(wrench(x))
                assert np.all(
                    error * sizes[k] < 1e-7 * (force + np.abs(tangent[:, k]) * sizes[k]).max()
                )
            assert -wrench(x)[:2] @ v - wrench(x)[2] * w > 0.0
    A, B, *rest = patch(table, 0, 0.0, 0.0, a)  # at rest: finite
    assert np.isclose(A, slip(table, 0, 0.0)[0])
    assert all(np.isfinite([A, B, *rest]))


def test_sharp_friction_of_a_patch_never_feeds_small_changes():
    """The tangent of a potential that is convex has no eigenvalue below zero."""
    table = np.array(Friction(0.3, speed=1e-9, spin=True).numbers())
    for angle in np.linspace(0, np.pi / 2, 50):
        v = np.array([math.cos(angle), 0.0])
        w = math.sin(angle)  # radius 1
        A, _B, A_v, A_w, B_w, *_ = patch(table, 0, v @ v, w, 1.0)
        tangent = np.zeros((3, 3))
        tangent[:2, :2] = A * np.eye(2) + A_v * np.outer(v, v)
        tangent[:2, 2] = tangent[2, :2] = A_w * v
        tangent[2, 2] = B_w
        values = np.linalg.eigvalsh(tangent)
        assert values[0] > -1e-9
        assert values[1] > 0.03  # but for one direction, that of the same motion


def test_a_patch_without_spin_slips_as_any_contact():
    table = np.array(Friction(0.6, 0.4, spin=True).numbers())
    for v in SPEEDS:
        A, _B, A_v, A_w, *_ = patch(table, 0, v * v, 0.0, 1e-3)
        assert np.allclose((A, A_v), slip(table, 0, v * v), rtol=1e-13)
        assert A_w == 0.0


def test_ball_that_spins_on_its_own_weight():
    """Ball of radius 10 mm of steel, patch 27.5748744 um, mu 0.2, 100 rad/s: 125.515 s."""
    mass, g = 4 / 3 * np.pi * 0.01**3 * 7850, 9.81
    steel = ls.Material("hard", youngs_modulus=210e9, density=7850.0, poisson_ratio=0.3)
    law = Hertz(material=steel).between(1 / 0.01)
    a = float(law.patch(law.depth_at(mass * g)))
    assert abs(a - 27.5748744e-6) < 1e-12
    table = np.array(Friction(0.2, speed=1e-9, spin=True).numbers())
    B = patch(table, 0, 0.0, 100.0, a)[1]
    moment = mass * g * B * 100.0
    assert abs(moment - 1.04790510771e-6) < 1e-15
    assert abs(0.4 * mass * 0.01**2 * 100.0 / moment - 125.515193563) < 1e-6


def test_rolling_resistance_and_its_tangent():
    table = np.array([0.0, 0.0, *Friction(0.5, rolling=0.01).numbers(radius=0.2)])
    N, w, change = 30.0, np.array([0.3, -0.1, 0.2]), np.array([-0.2, 0.7, 0.4])

    def moment(w):
        return -N * rolling(table, 2, float(w @ w))[0] * w

    assert np.isclose(np.linalg.norm(moment(1e3 * w)), 0.01 * 0.2 * N, rtol=1e-6)
    m, slope = rolling(table, 2, float(w @ w))
    expected = -N * (m * change + slope * w * (w @ change))
    assert np.allclose(derivative(lambda s: moment(w + s * change), 0.0, 1e-3), expected, rtol=1e-8)
    assert np.allclose(moment(0.0 * w), 0.0)


def test_ball_that_slides_until_it_rolls():
    g, mu = 9.81, 0.2
    table = np.array(Friction(mu, speed=1e-3).numbers())

    def rates(_t, y):
        force = -g * slip(table, 0, (y[1] - y[2]) ** 2)[0] * (y[1] - y[2])
        return [y[1], force, -2.5 * force]

    end = 0.29124799767
    run = solve_ivp(rates, (0, end), [0, 2.0, 0], "Radau", rtol=1e-9, atol=1e-12)
    assert abs(run.y[1, -1] - 10 / 7) < 5e-5
    assert abs(run.y[0, -1] - 0.49928228172) < 1e-7


def test_ball_that_bounces_obliquely():
    """60 degrees from the normal, mu 0.1, e 0.8, radius 10 mm: slips throughout."""
    mass, radius = 0.0328820031076, 0.01
    law = Hertz(15384615384.6, restitution=0.8, at_speed=0.5)
    friction = np.array(Friction(0.1, speed=1e-6).numbers())

    def rates(_t, y):  # depth, its rate, tangential speed, spin
        force = float(law.force(y[0], y[1]))
        slide = y[2] - radius * y[3]
        push = -force * slip(friction, 0, slide * slide)[0] * slide
        return [y[1], -force / mass, push / mass, -push * radius / (0.4 * mass * radius**2)]

    def off(_t, y):
        return y[0]

    off.terminal, off.direction = True, -1
    start = [0.0, 0.5, math.sin(math.pi / 3), 0.0]
    run = solve_ivp(rates, (0, 1), start, rtol=1e-9, atol=1e-14, events=off, first_step=1e-8)
    assert abs(-run.y[1, -1] / 0.5 - 0.8) < 1e-7
    assert abs(run.y[2, -1] - 0.776025403784) < 1e-7
    assert abs(run.y[3, -1] - 22.5) < 1e-5


def test_block_that_stops_on_an_incline():
    g, angle = 9.81, 0.2
    table = np.array(Friction(0.3, speed=1e-5).numbers())

    def rates(_t, y):
        force = -g * math.cos(angle) * slip(table, 0, y[1] ** 2)[0] * y[1]
        return [y[1], g * math.sin(angle) + force]

    def slow(_t, y):
        return y[1] - 1e-4

    slow.terminal = True
    run = solve_ivp(rates, (0, 3), [0, 1.0], "Radau", rtol=1e-10, atol=1e-13, events=slow)
    assert abs(run.t[-1] - 1.06907301776) < 2e-4
    assert abs(run.y[0, -1] - 0.534536508882) < 1e-7


def test_creep_speed_is_where_friction_carries_the_load():
    for part in (0.0, 1e-6, 0.3, 0.55):
        assert np.isclose(RUBBER.coefficient(RUBBER.creep(part)), part, rtol=1e-12)
    expected = brentq(lambda v: brown_mcphee(v) - 0.3, 0, 1e-3)
    assert np.isclose(RUBBER.creep(0.3), expected, rtol=1e-9)
    assert np.isclose(100 * RUBBER.creep(0.3), 1.7299e-2, rtol=1e-4)  # m in 100 s
    assert Friction(0.6, 0.4, hold=True).creep(0.3) == 0.0
    with pytest.raises(ls.LoadError, match=r"part is 0.7; .* beyond which the body slides"):
        RUBBER.creep(0.7)


def test_bristles_have_mindlins_stiffness_at_the_load():
    law = LinearContact(2e6)
    friction = Friction(0.6, 0.4, hold=True)
    numbers = friction.numbers(law, load=100.0, mass=4.0)
    sigma_0 = 2 * (1 - 0.3) / (2 - 0.3) * 2e6 / 100.0
    assert np.isclose(numbers[kernels.SIGMA_0], sigma_0, rtol=1e-12)
    assert np.isclose(numbers[kernels.SIGMA_1], 2 * math.sqrt(sigma_0 * 4.0 / 100.0), rtol=1e-12)
    assert len(numbers) == kernels.SIZE
    stated = Friction(0.6, hold=True, stiffness=1e6, load=10.0).numbers()
    assert stated[kernels.SIGMA_0] == 1e5
    ball = Hertz(material=ls.STEEL).between(100.0)
    depth = ball.depth_at(50.0)
    expected = 2 * (1 - 0.3) / (2 - 0.3) * 1.5 / depth
    assert np.isclose(friction.numbers(ball, load=50.0)[kernels.SIGMA_0], expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Friction(0.4, 0.6), "static is 0.4 and dynamic 0.6; static must not be"),
        (lambda: Friction(-0.1), "static is -0.1; expected a number, zero or more"),
        (lambda: Friction("rough"), "static is 'rough'; expected"),
        (lambda: Friction(0.4, speed=0.0), r"speed is 0.0; expected a positive speed \[m/s\]"),
        (lambda: Friction(0.4, hold=1), "hold is 1; expected True or False"),
        (lambda: Friction(0.4, hold=True, spin=True), "hold and spin do not go together"),
        (lambda: Friction(0.4, hold=True, elastic_part=1.0), "from 0 to below 1"),
        (lambda: Friction(0.4, hold=True, stiffness=1e6), r"give load=... \[N\] with it"),
        (lambda: Friction(0.0, hold=True), "nothing would hold"),
        (lambda: Friction(0.4, hold=True).numbers(), r"needs the normal force at rest; give load="),
        (lambda: Friction(0.4, hold=True).numbers(load=3.0), "needs a normal law, or stiffness"),
        (lambda: Friction(0.4, rolling=0.01).numbers(), "rolling needs a contact at a point"),
    ],
)
def test_refusals_name_the_value_and_the_remedy(make, words):
    with pytest.raises(ls.LoadError, match=words):
        make()


def test_friction_is_copied_pickled_and_printed():
    friction = Friction(0.6, 0.4, hold=True, stiffness=1e6, load=10.0)
    for other in (
        copy.copy(friction),
        copy.deepcopy(friction),
        pickle.loads(pickle.dumps(friction)),
    ):
        assert other.numbers() == friction.numbers()
    assert repr(Friction(0.6, 0.4)) == "Friction(static=0.6, dynamic=0.4)"
    assert Friction(0.6).dynamic == 0.6
    with pytest.raises(AttributeError):
        friction.static = 1.0
