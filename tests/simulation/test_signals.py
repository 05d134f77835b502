"""Tables and sampled controllers: what is known in pieces is integrated exactly in pieces."""

from __future__ import annotations

from itertools import pairwise

import numba
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

import lissom as ls

MASS = 2.0


def slide():
    model = ls.Model("slide")
    model.add(ls.RigidBody(MASS), ls.Prismatic("x"), name="b")
    return model.compile()


TIMES = np.array([0.2, 0.53, 1.1, 1.37])
VALUES = np.array([1.0, 3.0, -2.0, 4.0])


def exact_steps(t):
    """Speed and way under a force that holds each value until the next time."""
    edges, forces = [0.0, *TIMES[1:], np.inf], VALUES / MASS
    x = v = 0.0
    for (a, b), f in zip(pairwise(edges), forces, strict=True):
        d = min(t, b) - a
        if d <= 0:
            break
        x, v = x + v * d + f * d * d / 2, v + f * d
    return x, v


def exact_lines(t):
    """The same for straight lines between the values, held outside: a cubic in each piece."""
    edges = [0.0, *TIMES, 1e9]
    x = v = 0.0
    for a, b in pairwise(edges):
        d = min(t, b) - a
        if d <= 0:
            break
        f, g = np.interp([a, b], TIMES, VALUES) / MASS
        r = (g - f) / (b - a)
        x, v = x + v * d + f * d**2 / 2 + r * d**3 / 6, v + f * d + r * d**2 / 2
    return x, v


def exact_curve(t):
    """The same for a cubic spline without knots next to the ends, held outside."""
    curve = CubicSpline(TIMES, VALUES / MASS)
    inside = np.clip(t, TIMES[0], TIMES[-1])
    once, twice = curve.antiderivative(1), curve.antiderivative(2)
    before, after = min(t, TIMES[0]), max(0.0, t - TIMES[-1])
    v0, f = VALUES[0] / MASS * before, VALUES[-1] / MASS
    x0, d = VALUES[0] / MASS * before**2 / 2, inside - TIMES[0]
    v1 = v0 + once(inside) - once(TIMES[0])
    x1 = x0 + v0 * d + twice(inside) - twice(TIMES[0]) - once(TIMES[0]) * d
    return x1 + v1 * after + f * after**2 / 2, v1 + f * after


EXACT = {"steps": exact_steps, "linear": exact_lines, "smooth": exact_curve}
# Fixed steps that no corner is a multiple of.  Where corners are hit every piece is a polynomial
# that these methods integrate exactly: degree 2 (steps), 3 (lines), 5 (spline, order 5 and 8).
WAYS = [
    ("dopri5", {"step": 0.05}),
    ("dop853", {"step": 0.05}),
    ("dop853", {"rtol": 1e-10}),
    ("rk4", {"step": 0.05}),
]


def table_cases():
    for kind in EXACT:
        for way, settings in WAYS:
            for end in (1.2, 2.0):
                if kind == "smooth" and way == "rk4":
                    continue
                name = f"{kind} {way} {settings} {end}"
                yield pytest.param(kind, way, settings, end, id=name)


@pytest.mark.parametrize("kind, integrator, settings, end", list(table_cases()))
def test_tables_act_exactly(kind, integrator, settings, end):
    run = ls.simulate(
        slide(),
        duration=end,
        integrator=integrator,
        loads=[ls.Actuator("b", ls.Table(TIMES, VALUES, kind=kind))],
        **settings,
    )
    exact = np.array([EXACT[kind](t) for t in run.time])
    # Adaptive steps leave what rtol allows at each corner.
    allowed = 1e-9 if "rtol" in settings else 1e-13
    assert np.abs(run.q[:, 0] - exact[:, 0]).max() < allowed
    assert np.abs(run.v[:, 0] - exact[:, 1]).max() < allowed


def test_jumps_of_a_table_cost_no_steps():
    """Each piece is a parabola: an adaptive method has nothing to reject."""
    load = ls.Actuator("b", ls.Table(TIMES, VALUES, kind="steps"))
    run = ls.simulate(slide(), duration=1.2, loads=[load])
    assert run.statistics["rejected_steps"] < 3


def test_pendulum_on_a_cart_with_a_table_of_velocities():
    """Straight lines: the acceleration jumps at the corners, and the pendulum feels it."""
    model = ls.Model("cart", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody(1.0), ls.Prismatic("x"), name="cart")
    model.add(ls.RigidBody(1.0, com=(0, 0, -0.8)), ls.Revolute("y"), to="cart", name="bob")
    system = model.compile()
    load = ls.Motion("cart", velocity=ls.Table(TIMES, VALUES))
    run = ls.simulate(system, duration=1.4, step=0.01, integrator="rk4", loads=[load])
    y, edges = np.zeros(2), [0.0, *TIMES, 1.4]
    for a, b in pairwise(edges):
        f, g = np.interp([a, b], TIMES, VALUES)
        push = (g - f) / (b - a)
        y = solve_ivp(
            lambda t, y, p=push: [y[1], (-9.81 * np.sin(y[0]) + p * np.cos(y[0])) / 0.8],
            (a, b),
            y,
            method="DOP853",
            rtol=1e-12,
            atol=1e-13,
        ).y[:, -1]
    # RK4 at 10 ms: 1e-7; the jumps of 10 m/s^2, late by a sixth of a step, cost 1e-2
    assert abs(run["bob.angle"][-1] - y[0]) < 1e-6


def test_table_of_two_columns_acts_on_a_universal_joint():
    model = ls.Model("u")
    model.add(ls.RigidBody(1.0, inertia=(1, 1, 1)), ls.Universal("x", "y"), name="b")
    table = ls.Table([0.0, 2.0], [[0.0, 0.0], [1.0, 0.0]])
    run = ls.simulate(model.compile(), duration=2.0, loads=[ls.Actuator("b", table)])
    # about x alone: unit inertia, torque t/2: angle t^3 / 12
    assert np.abs(run.q[:, 0] - run.time**3 / 12).max() < 1e-11
    assert not np.any(run.q[:, 1])


# Controllers

GAINS = (9.0, 4.0, 2.5)  # proportional, derivative, integral


class Plain:
    """x, its rate and its sum at the samples, times the gains."""

    def __init__(self):
        self.total, self.times = 0.0, []

    def update(self, t, state):
        self.times.append(t)
        self.total += state.q[0]
        return [-GAINS[0] * state.q[0] - GAINS[1] * state.v[0] - GAINS[2] * self.total]


@numba.njit
def compiled(t, q, v, memory, out):
    memory[0] += q[0]
    out[0] = -9.0 * q[0] - 4.0 * v[0] - 2.5 * memory[0]


def recursion(period, t):
    """Exact motion: the force of the last sample acts, x'' = u / m is constant in between."""
    x, v, total, now = 0.5, -0.3, 0.0, 0
    found = []
    for instant in t:
        while True:
            if now * period <= instant + 1e-12:
                sample = (now * period, x, v)
                total += x
                u = (-GAINS[0] * x - GAINS[1] * v - GAINS[2] * total) / MASS
                x, v = x + v * period + u * period**2 / 2, v + u * period
                now += 1
            else:
                d = instant - sample[0]
                found.append([sample[1] + sample[2] * d + u * d * d / 2, sample[2] + u * d, u])
                break
    return np.array(found)


@pytest.mark.parametrize("period", [0.05, 0.07, 0.0137, 0.3])
@pytest.mark.parametrize(
    "integrator, settings",
    [
        ("rk4", {"step": 0.02}),
        ("dop853", {}),
        ("dopri5", {"output_step": 0.01}),
        ("dop853", {"step": 0.02}),
        ("generalized_alpha", {"step": 0.02}),
    ],
    ids=lambda x: str(x),
)
def test_sampled_controller_is_its_recursion(period, integrator, settings):
    """Constant forces between samples: every method of order two or more is exact."""
    system, update = slide(), Plain()
    start = system.state(b=0.5, **{"b.rates": -0.3})
    runs = [
        ls.simulate(
            system,
            start,
            duration=2.0,
            integrator=integrator,
            forces=ls.Controller(given, period, memory=memory),
            **settings,
        )
        for given, memory in ((update, ()), (compiled, [0.0]))
    ]
    run = runs[0]
    exact = recursion(period, run.time)
    assert np.abs(run.q[:, 0] - exact[:, 0]).max() < 1e-12
    assert np.abs(run.v[:, 0] - exact[:, 1]).max() < 1e-12
    np.testing.assert_allclose(run.force[:, 0], MASS * exact[:, 2], atol=1e-10)
    again = [t for t in update.times if t > 0]
    expected = period * np.arange(1, len(again) + 1)
    np.testing.assert_allclose(again, expected, rtol=0, atol=1e-12)
    assert len(again) in (int(2.0 / period + 1e-9), int(2.0 / period - 1e-9))
    # compiled and plain are one
    assert runs[1].n == run.n
    assert np.abs(runs[1].q - run.q).max() < 1e-12
    assert np.abs(runs[1].v - run.v).max() < 1e-12


def test_two_controllers_of_different_periods_add_up():
    """Constant forces that start at once: their sum."""
    system = slide()
    loads = [
        ls.Controller(lambda t, state: {"b": 1.0 if t >= 0.5 else 0.0}, 0.25),
        ls.Controller(lambda t, state: [0.5], 0.3),
    ]
    run = ls.simulate(system, duration=1.0, loads=loads, rtol=1e-10)
    expected = (0.5 * run.time + np.maximum(0, run.time - 0.5)) / MASS
    assert np.abs(run.v[:, 0] - expected).max() < 1e-12


@numba.njit
def compiled_forces(t, q, v, out):
    out[0] = np.sin(3 * t) - 4.0 * q[0]


def test_forces_at_every_instant_plain_and_compiled():
    """m x'' + 4 x = sin(3 t) from rest: a forced oscillation in closed form."""
    system = slide()
    rate = np.sqrt(4.0 / MASS)
    for forces in (compiled_forces, lambda t, state: {"b": np.sin(3 * t) - 4.0 * state.q[0]}):
        run = ls.simulate(system, duration=4.0, rtol=1e-11, forces=forces)
        part = 1.0 / (MASS * (rate**2 - 9.0))
        exact = part * (np.sin(3 * run.time) - 3.0 / rate * np.sin(rate * run.time))
        assert np.abs(run.q[:, 0] - exact).max() < 1e-10


@pytest.mark.parametrize("clamped", [True, False])
@pytest.mark.parametrize("n", [2, 3, 4, 5, 300])
def test_a_smooth_table_is_the_spline_of_scipy(n, clamped):
    rng = np.random.default_rng(n)
    times, values = np.cumsum(rng.uniform(0.1, 1.0, n)), rng.standard_normal((n, 2))
    ends = "clamped" if clamped else "natural" if n < 4 else "not-a-knot"
    expected = CubicSpline(times, values, bc_type=ends).c.transpose(1, 2, 0)
    found = ls.Table(times, values, "smooth", clamped=clamped).pieces()
    assert np.allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_a_smooth_table_of_huge_values_is_a_load_error():
    table = ls.Table([0, 1e-9, 2e-9, 3e-9, 4e-9], [0, 1e305, -1e305, 1e305, 0], "smooth")
    with pytest.raises(ls.LoadError, match="too fast for a smooth curve"):
        table.pieces()
