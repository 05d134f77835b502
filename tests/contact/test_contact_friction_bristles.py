"""Bristles: slopes, the implicit step, the cone, blocks that hold, and stick-slip on a belt."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

from lissom.kernels.contact import friction as kernels
from lissom.sim.loads.contact import Friction
from tests.tools.kernel_calls import called_from_python

bristle = called_from_python(kernels.bristle)
bristle_rate = called_from_python(kernels.bristle_rate)
bristle_step = called_from_python(kernels.bristle_step)
slip = called_from_python(kernels.slip)

STATIC, DYNAMIC, SIGMA_0, STRIBECK, PART, G = 0.6, 0.4, 1e5, 1e-2, 0.9, 9.81
FRICTION = Friction(
    STATIC, DYNAMIC, hold=True, stiffness=SIGMA_0, load=1.0, stribeck=STRIBECK, elastic_part=PART
)
TABLE = np.array(FRICTION.numbers())
PERIOD = 0.806888787159  # of stick-slip with sharp friction: see `test_stick_slip`


def limit(v):
    """Largest deflection at a slip speed."""
    return (DYNAMIC + (STATIC - DYNAMIC) * math.exp(-((v / STRIBECK) ** 2))) / SIGMA_0


def cases(n=60):
    """Deflections in all zones, and slips along, across and against them."""
    rng = np.random.default_rng(11)
    for _ in range(n):
        v = rng.normal(size=2)
        v *= 10 ** rng.uniform(-5, 0) / np.linalg.norm(v)
        z = rng.normal(size=2)
        z *= rng.uniform(0, 1.3) * limit(np.linalg.norm(v)) / np.linalg.norm(z)
        yield tuple(map(float, z)), tuple(map(float, v))


def derivative(f, x, h):
    """Derivative by Richardson's extrapolation of central differences."""
    return (8 * (f(x + h / 2) - f(x - h / 2)) - (f(x + h) - f(x - h))) / (6 * h)


def columns(f, x, h):
    return np.stack(
        [derivative(lambda s, k=k: f(tuple(x + s * np.eye(2)[k])), 0.0, h) for k in range(2)],
        axis=1,
    )


def test_slopes_of_force_and_rate():
    for z, v in cases():
        f, f_z, f_v, rate, by_z, by_v = (np.array(x) for x in bristle(TABLE, 0, z, v))
        assert np.array_equal(rate, bristle_rate(TABLE, 0, z, v)[0])
        h_z, h_v = 1e-7 * limit(0.0), 1e-5 * math.hypot(*v)
        edge = math.hypot(*z) / limit(math.hypot(*v))
        if min(abs(edge - PART), abs(edge - 1)) < 1e-3:
            continue
        size = math.hypot(*v)
        for got, place, scale in ((by_z, 3, size), (f_z, 0, SIGMA_0 * limit(0) + math.hypot(*f))):
            slope = columns(
                lambda x, v=v, place=place: np.array(bristle(TABLE, 0, x, v)[place]), z, h_z
            )
            assert np.allclose(got.reshape(2, 2), slope, rtol=1e-5, atol=2e-6 * scale / limit(0))
        for got, place in ((by_v, 3), (f_v, 0)):
            slope = columns(
                lambda x, z=z, place=place: np.array(bristle(TABLE, 0, z, x)[place]), v, h_v
            )
            largest = max(np.abs(slope).max(), math.hypot(*f) / size if place == 0 else 1.0)
            assert np.allclose(got.reshape(2, 2), slope, rtol=1e-5, atol=1e-6 * largest)


def test_rate_along_a_line_is_that_of_dupont():
    """Rate v - alpha |v| z / z_ss as it is printed, of one number."""
    rng = np.random.default_rng(2)
    for _ in range(100):
        v = rng.choice([-1, 1]) * 10 ** rng.uniform(-5, 0)
        z = rng.uniform(-1.2, 1.2) * limit(v)
        x = abs(z) / limit(v)
        alpha = 0.0
        if z * v > 0 and x > PART:
            alpha = 1.0 if x >= 1 else 0.5 * (1 + math.sin(math.pi * (x - 0.95) / 0.1))
        expected = v - alpha * abs(v) * z / limit(v)
        angle = rng.uniform(0, 2 * math.pi)
        c, s = math.cos(angle), math.sin(angle)
        rate = bristle_rate(TABLE, 0, (c * z, s * z), (c * v, s * v))[0]
        assert np.allclose(rate, (c * expected, s * expected), rtol=1e-9, atol=1e-12 * abs(v))


def test_rate_is_continuous_in_the_plane():
    """Across the slip that is at right angles to the deflection, where it begins to yield."""
    z = (0.999 * limit(1e-3), 0.0)
    for angle in (math.pi / 2, -math.pi / 2):
        sides = [
            bristle_rate(TABLE, 0, z, (1e-3 * math.cos(x), 1e-3 * math.sin(x)))[0]
            for x in (angle - 1e-7, angle + 1e-7)
        ]
        assert np.allclose(*sides, atol=1e-9)


def test_deflection_never_leaves_the_cone_and_its_force_turns_to_the_slip():
    table = np.array(Friction(0.5, hold=True, stiffness=SIGMA_0, load=1.0).numbers())
    cone = 0.5 / SIGMA_0

    def rates(t, z):
        angle = 30.0 * t
        return bristle_rate(table, 0, tuple(z), (0.01 * math.cos(angle), 0.01 * math.sin(angle)))[0]

    run = solve_ivp(rates, (0, 0.3), [0, 0], rtol=1e-8, atol=1e-13, max_step=1e-4)
    length = np.hypot(*run.y)
    assert length.max() < cone * (1 + 1e-6)
    slide = np.array([math.cos(9.0), math.sin(9.0)])
    assert np.allclose(run.y[:, -1] / cone, slide, atol=0.02)
    tail = run.t > 0.02
    power = run.y[0] * np.cos(30 * run.t) + run.y[1] * np.sin(30 * run.t)
    assert np.all(power[tail] > 0.99 * length[tail])


def test_a_closed_loop_dissipates():
    """Work of the friction on a slip that goes to and fro, or round and round, with N constant."""
    for path in (
        lambda t: (3e-5 * math.sin(t), 0.0),
        lambda t: (1e-6 * math.sin(t), 1e-6 * math.cos(t)),
        lambda t: (2e-5 * math.sin(t), 1e-5 * math.sin(2 * t)),
    ):

        def rates(t, y, path=path):
            h = 1e-5
            v = tuple((np.array(path(t + h)) - path(t - h)) / (2 * h))
            f, _f_z, _f_v, rate, *_ = bristle(TABLE, 0, (y[0], y[1]), v)
            return [*rate, f[0] * v[0] + f[1] * v[1]]

        turns = [2 * math.pi * k for k in (0, 2, 3)]
        run = solve_ivp(rates, (0, turns[-1]), [0, 0, 0], rtol=1e-7, atol=1e-13, t_eval=turns)
        assert run.y[2, 2] - run.y[2, 1] < 0.0


@pytest.mark.parametrize("h", [1e-7, 1e-5, 1e-3, 0.1])
def test_implicit_step_solves_its_equation_with_exact_slopes(h):
    for z, v in cases(40):
        new, change = bristle_step(TABLE, 0, z, v, h)
        rate = bristle_rate(TABLE, 0, new, v)[0]
        size = math.hypot(*z) + h * math.hypot(*v)
        residual = np.subtract(new, np.add(z, h * np.array(rate)))
        # the rate is as steep as v / z_ss, so that the last digit of z counts h v / z_ss times
        last = 1 + h * math.hypot(*v) / limit(math.hypot(*v))
        assert np.abs(residual).max() < 1e-14 * size * last * 100
        x = math.hypot(*new) / limit(math.hypot(*v))
        if min(abs(x - PART), abs(x - 1)) < 1e-2:
            continue
        step = 1e-4 * math.hypot(*v)
        slope = columns(lambda w, z=z: np.array(bristle_step(TABLE, 0, z, w, h)[0]), v, step)
        largest = np.abs(slope).max() + math.hypot(*new) / math.hypot(*v)
        assert np.allclose(np.reshape(change, (2, 2)), slope, rtol=1e-5, atol=1e-6 * largest)


def test_implicit_step_against_a_solver_of_equations():
    for z, v in cases(20):
        h, scale = 1e-4, limit(math.hypot(*v))
        new, _change = bristle_step(TABLE, 0, z, v, h)

        def equation(x, z=z, v=v, h=h, scale=scale):
            rate = bristle_rate(TABLE, 0, tuple(scale * x), v)[0]
            return x - (np.array(z) + h * np.array(rate)) / scale

        root = fsolve(equation, np.array(new) / scale * (1 + 1e-6), xtol=1e-12)
        assert np.allclose(root * scale, new, rtol=1e-7, atol=1e-9 * scale)


def test_nothing_moves_at_rest():
    new, change = bristle_step(TABLE, 0, (0.0, 0.0), (0.0, 0.0), 1e-3)
    assert new == (0.0, 0.0)
    assert np.allclose(change, (1e-3, 0, 0, 1e-3))
    held = (0.5 * limit(0.0), 0.0)
    assert bristle_step(TABLE, 0, held, (0.0, 0.0), 1.0)[0] == held


def block(shaken, seconds, hold):
    """Travel of a block on an incline of tan 0.3 that is shaken along it at 10 Hz."""
    table = TABLE if hold else np.array(Friction(STATIC, DYNAMIC, speed=1e-3).numbers())

    def drive(t):
        return G * (0.3 + shaken * math.sin(2 * math.pi * 10 * t))

    def rates(t, y):
        if not hold:
            return [y[1], drive(t) - G * slip(table, 0, y[1] * y[1])[0] * y[1]]
        f, _f_z, _f_v, rate, *_ = bristle(table, 0, (y[2], 0.0), (y[1], 0.0))
        return [y[1], drive(t) + G * f[0], rate[0]]

    start = [0.0, 0.0, 0.3 / SIGMA_0] if hold else [0.0, 0.0]
    run = solve_ivp(rates, (0, seconds), start, "LSODA", rtol=1e-8, atol=1e-13, max_step=0.02)
    return run.y[0, -1]


def test_a_block_creeps_without_bristles_and_stays_with_them():
    creep = Friction(STATIC, DYNAMIC, speed=1e-3).creep(0.3)
    assert abs(block(0.0, 4.0, hold=False) / (4.0 * creep) - 1) < 1e-3
    assert 1.0 < block(0.15, 4.0, hold=False) / (4.0 * creep) < 1.2  # 1.86e-2 for 1.73e-2 in 100 s
    assert abs(block(0.0, 4.0, hold=True)) < 1e-12
    assert abs(block(0.15, 4.0, hold=True)) < 1e-6


def stick_slip(hold, seconds=8.0, **options):
    """Period of a mass of 1 on a belt of 0.1 m/s with a spring of 100, pressed by 10."""
    friction = Friction(STATIC, DYNAMIC, hold=hold, **options)
    table = np.array(friction.numbers())

    def rates(_t, y):
        v = 0.1 - y[1]
        if not hold:
            return [y[1], -100.0 * y[0] + 10.0 * slip(table, 0, v * v)[0] * v]
        f, _f_z, _f_v, rate, *_ = bristle(table, 0, (y[2], 0.0), (v, 0.0))
        return [y[1], -100.0 * y[0] - 10.0 * f[0], rate[0]]

    def rises(_t, y):
        return y[0] - 10.0 * (STATIC + DYNAMIC) / 2 / 100.0

    rises.direction = 1
    start = [0.0, 0.1, 0.0] if hold else [0.0, 0.1]
    run = solve_ivp(
        rates, (0, seconds), start, "LSODA", rtol=1e-8, atol=1e-11, events=rises, max_step=0.01
    )
    return float(np.mean(np.diff(run.t_events[0][-5:])))


def test_stick_slip():
    """Sharp friction: (2/w)(pi - atan(dF w/(k V))) + 2 dF/(k V), w^2 = k/m."""
    w, drop = 10.0, 10.0 * (STATIC - DYNAMIC)
    exact = 2 / w * (math.pi - math.atan(drop * w / (100 * 0.1))) + 2 * drop / (100 * 0.1)
    assert abs(exact - PERIOD) < 1e-12
    wide, narrow = (stick_slip(False, speed=x) / PERIOD - 1 for x in (1e-3, 1e-4))
    assert abs(wide - 0.019) < 0.001
    assert abs(narrow - 0.0037) < 0.0005
    held = {"stiffness": 1e6, "load": 10.0, "damping_ratio": 0.5}
    assert abs(stick_slip(True, stribeck=1e-3, **held) / PERIOD - 1) < 5e-3
    assert (
        abs(stick_slip(True, stribeck=1e-2, **held) / PERIOD - 1 - 0.05) < 0.01
    )  # wide, as stated
