"""Derivatives of loads that users give with their functions."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import lissom as ls
from lissom.batches.functions import numbered_functions
from lissom.kernels.run import fields as run
from lissom.sim.run.prepare import prepared
from tests.samples.four_bars import four_bar_of_joins

RNG = np.random.default_rng(11)


def arm():
    boom = ls.beam(1.0, ls.Tube(radius=0.03, thickness=0.004), ls.CARBON, bending=2)
    model = ls.Model("arm")
    model.add(ls.RigidBody.box(3.0, (1.0, 0.3, 0.2)), ls.Spherical(), name="base")
    model.add(boom, ls.Revolute("y"), to="base", at=(0.5, 0, 0), name="boom")
    turn = {"axis": (1, 2, 3), "angle": 0.7}
    model.frame("camera", on="boom.tip", at=(0.1, 0.2, 0), rotation=turn)
    system = model.compile()
    q = system.neutral().q + 0.1 * RNG.standard_normal(system.n_q)
    q[:4] /= np.linalg.norm(q[:4])
    return system, system.state(q, RNG.standard_normal(system.n_v))


SYSTEM, STATE = arm()
N, HINGE, ROD = SYSTEM.n_v, SYSTEM.layout.hinge_v("boom").start, SYSTEM.layout.hinge_q("boom").start
P, D = RNG.standard_normal((2, N, N))


def law(time, state):
    return -P[:, HINGE] * np.sin(state.q[ROD]) - D @ state.v**2 / 2


def law_slopes(time, state):
    by_q = np.zeros((N, N))
    by_q[:, HINGE] = -P[:, HINGE] * np.cos(state.q[ROD])
    return by_q, -D * state.v


@numba.njit
def fast(time, q, v, out):
    out[:] = -P[:, HINGE] * np.sin(q[ROD]) - D @ v**2 / 2


@numba.njit
def fast_slopes(time, q, v, by_q, by_v):
    by_q[:, HINGE] = -P[:, HINGE] * np.cos(q[ROD])
    by_v[:] = -D * v


def pull(time, state):
    return np.array([np.sin(2 * state.v[HINGE]), state.q[ROD] ** 2, 3.0])


def pull_slopes(time, state):
    by_q, by_v = np.zeros((2, 3, N))
    by_q[1, HINGE], by_v[0, HINGE] = 2 * state.q[ROD], 2 * np.cos(2 * state.v[HINGE])
    return by_q, by_v


def motor(time, state):
    return 4.0 * state.q[ROD] - 0.3 * state.v[0]


def motor_slopes(time, state):
    return 4.0 * np.eye(N)[HINGE], -0.3 * np.eye(N)[[0]]


GIVEN = ls.WithDerivatives(pull, pull_slopes)
LOADS = {
    "motor": lambda f: [ls.Actuator("boom", f(motor, motor_slopes), ratio=5.0, rotor_inertia=0.1)],
    "motor at its limit": lambda f: [ls.Actuator("boom", f(motor, motor_slopes), limit=1e-3)],
    "node": lambda f: [ls.NodeForce("boom.tip", f(pull, pull_slopes), f(pull, pull_slopes))],
    "follower": lambda f: [ls.NodeForce("boom.tip", f(pull, pull_slopes), axes="body")],
    "frame": lambda f: [
        ls.NodeForce("camera", f(pull, pull_slopes), axes="body", at=(0.1, -0.2, 0.3))
    ],
}


@pytest.mark.parametrize("make", LOADS.values(), ids=LOADS.keys())
def test_loads_have_the_derivatives_that_are_given(make):
    given = ls.load_derivatives(SYSTEM, STATE, make(ls.WithDerivatives))
    found = ls.load_derivatives(SYSTEM, STATE, make(lambda function, _: function))
    assert np.array_equal(given.forces, found.forces)
    scale = max(np.abs(found.q).max(), np.abs(found.v).max())
    assert np.abs(given.q - found.q).max() <= 1e-8 * scale + 1e-12
    assert np.abs(given.v - found.v).max() <= 1e-8 * scale + 1e-12


@pytest.mark.parametrize("function", [law, fast], ids=["plain", "compiled"])
@pytest.mark.parametrize("slopes", [law_slopes, fast_slopes], ids=["plain", "compiled"])
def test_a_law_has_its_derivatives_to_the_last_digits(function, slopes):
    forces = ls.WithDerivatives(function, slopes)
    found = ls.load_derivatives(SYSTEM, STATE, forces=forces)
    by_q, by_v = law_slopes(0.0, STATE)
    assert np.allclose(found.q, by_q, rtol=1e-14, atol=1e-14)
    assert np.allclose(found.v, by_v, rtol=1e-14, atol=1e-14)


def test_a_motor_in_the_joint_of_a_loop():
    system = four_bar_of_joins().compile()
    loop, n = system.loops[0].name, system.n_v
    state = system.state(RNG.standard_normal(system.n_q), RNG.standard_normal(n))
    row = RNG.standard_normal(n)
    given = ls.WithDerivatives(lambda t, s: row @ s.v, lambda t, s: (None, row))
    a, b = (
        ls.load_derivatives(system, state, [ls.Actuator(loop, f)]) for f in (given, given.function)
    )
    assert np.abs(b.v).max() > 0.1
    assert np.allclose(a.v, b.v, atol=1e-9)
    assert np.allclose(a.q, b.q, atol=1e-8)


def test_linear_models_use_them():
    """A is the same as with a joint spring and damper, to rounding."""
    model = ls.Model("pendulum")
    model.add(ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0)), ls.Revolute("y"), name="rod")
    system = model.compile()
    own = ls.WithDerivatives(
        lambda t, s: -3e7 * s.q - 2e3 * s.v, lambda t, s: (-3e7 * np.eye(1), -2e3 * np.eye(1))
    )
    spring = [ls.JointSpring("rod", 3e7, damping=2e3)]
    A = ls.linearize(system, forces=own).A
    assert np.allclose(A, ls.linearize(system, loads=spring).A, rtol=1e-14)


@pytest.mark.parametrize(
    ("integrator", "step"), [("generalized_alpha", 2e-3), ("rosenbrock", None)]
)
def test_implicit_steps_need_no_more_iterations_than_with_differences(integrator, step):
    """A stiff law: 150 rad/s at steps of 2 ms, a stiffness that grows with the angle."""
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    rod = ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0))
    model.add(rod, ls.Revolute("y"), name="upper")
    model.add(rod, ls.Revolute("y"), to="upper", at=(1, 0, 0), name="lower")
    system, K = model.compile(), np.array([[3e4, 1e4], [2e3, 8e3]])
    calls = {"law": 0, "slopes": 0}

    def pd(time, state):
        calls["law"] += 1
        return -K @ np.sinh(state.q) - 0.02 * K @ state.v

    def slopes(time, state):
        calls["slopes"] += 1
        return -K * np.cosh(state.q), -0.02 * K

    def solved(forces):
        calls.update(law=0, slopes=0)
        options = {"integrator": integrator, "step": step, "rtol": 1e-6}
        found = ls.simulate(system, system.state(upper=0.2), duration=0.2, forces=forces, **options)
        return found, dict(calls)

    own, of_own = solved(ls.WithDerivatives(pd, slopes))
    plain, of_plain = solved(pd)
    for count in ("iterations", "evaluations", "steps"):
        assert own.statistics[count] <= plain.statistics[count] + 2
    assert of_own["slopes"] > 0
    assert of_plain["slopes"] == 0
    assert of_own["law"] < 0.9 * of_plain["law"]  # no calls beside the states of the run
    assert np.allclose(own.state(0.2).q, plain.state(0.2).q, atol=1e-6)


def test_wrong_derivatives_are_named():
    def wrong_sign(time, state):
        by_q, by_v = law_slopes(time, state)
        return by_q, -by_v

    message = r"forces: the derivatives contradict.*by_v\[0, 0\], of .*'base' by .*differences give"
    with pytest.raises(ls.LoadError, match=message):
        ls.load_derivatives(SYSTEM, STATE, forces=ls.WithDerivatives(law, wrong_sign))
    with pytest.raises(ls.LoadError, match="contradict"):
        ls.simulate(SYSTEM, STATE, duration=0.1, forces=ls.WithDerivatives(fast, wrong_sign))
    with pytest.raises(ls.LoadError, match="contradict"):
        ls.linearize(SYSTEM, STATE, forces=ls.WithDerivatives(law, wrong_sign))
    at_rest = SYSTEM.neutral()  # where the law is flat in the speeds
    with pytest.raises(ls.LoadError, match=r"contradict.*by_v"):
        ls.load_derivatives(SYSTEM, at_rest, forces=ls.WithDerivatives(law, wrong_sign))
    bad = ls.NodeForce("boom.tip", ls.WithDerivatives(pull, lambda t, s: (None, None)), name="pull")
    with pytest.raises(ls.LoadError, match=r"pull: force: .*by_q\[1, .*component 1.*is 0"):
        ls.load_derivatives(SYSTEM, STATE, [bad])


def test_corners_and_jumps_are_no_contradiction():
    """A contact that begins just here, and a friction that jumps."""
    model = ls.Model("sled")
    model.add(ls.RigidBody(1.0), ls.Prismatic("x"), name="sled")
    system = model.compile()

    def push(time, state):
        return -50.0 * np.maximum(state.q, 0.0) - 0.3 * np.sign(state.v)

    def slopes(time, state):
        return -50.0 * np.eye(1) * (state.q > 0), None

    for q in (0.0, 1e-9, 0.3, -0.3):
        state, given = system.state([q], [0.0]), ls.WithDerivatives(push, slopes)
        found = ls.load_derivatives(system, state, forces=given)
        assert found.q[0, 0] == (-50.0 if q > 0 else 0.0)


@pytest.mark.parametrize(
    ("slopes", "message"),
    [
        (lambda t, s: law_slopes(t, s)[0], r"expected a pair \(by_q, by_v\)"),
        (lambda t, s: (np.zeros((N, N + 1)), None), rf"by_q has shape.*expected \({N}, {N}\)"),
        (lambda t, s: (None, np.full((N, N), np.nan)), r"by_v\[0, 0\] is nan"),
        (lambda t, s: ("a", "b"), "by_q is 'a'"),
        (lambda t, s: 1 / 0, "ZeroDivisionError"),
        (numba.njit(lambda t, q, v: None), r"cannot be called as f\(time, q, v, by_q, by_v\)"),
    ],
)
def test_derivatives_of_the_wrong_form_are_refused(slopes, message):
    with pytest.raises(ls.LoadError, match=message):
        ls.load_derivatives(SYSTEM, STATE, forces=ls.WithDerivatives(law, slopes))


def test_compiled_derivatives_that_are_not_finite_are_named():
    @numba.njit
    def infinite(time, q, v, by_q, by_v):
        by_v[2, 1] = np.inf

    with pytest.raises(ls.LoadError, match=r"returned inf in by_v\[2, 1\]"):
        ls.load_derivatives(SYSTEM, STATE, forces=ls.WithDerivatives(law, infinite))


def test_where_there_are_no_derivatives_to_use_they_are_refused():
    only_time = ls.WithDerivatives(lambda t: np.ones(N), law_slopes)
    with pytest.raises(ls.LoadError, match="time alone"):
        ls.load_derivatives(
            SYSTEM, STATE, [ls.Actuator("boom", ls.WithDerivatives(np.sin, motor_slopes))]
        )
    with pytest.raises(ls.LoadError, match="forces"):
        ls.load_derivatives(SYSTEM, STATE, forces=only_time)
    with pytest.raises(ls.LoadError, match="sampled controller"):
        ls.Controller(GIVEN, 0.1)
    with pytest.raises(ls.LoadError, match="rotors are differentiated"):
        wheel = ls.Rotor("base", 0.1, torque=ls.WithDerivatives(motor, motor_slopes))
        ls.load_derivatives(SYSTEM, STATE, [wheel])
    with pytest.raises(ls.LoadError, match="expected a function"):
        ls.WithDerivatives(law, 3.0)


def test_a_gpu_differentiates_by_differences():
    """Its device code knows the function alone."""
    ready = prepared(
        SYSTEM,
        STATE,
        duration=1.0,
        start=0.0,
        step=0.01,
        integrator="generalized_alpha",
        rtol=1e-6,
        forces=ls.WithDerivatives(fast, fast_slopes),
        loads=(),
        events=(),
        drift="projection",
        method="auto",
    )
    plan, functions = numbered_functions(ready.machine)
    load = int(plan[run.FORCES]) + run.E_WIDE
    assert ready.machine.elements[load] == run.GIVEN
    assert plan[load] == run.EVERYWHERE
    assert [one.what for one in functions] == ["forces"]
    signal = plan[run.P_HEADER :]
    assert not np.any(signal[[run.S_WHERE, run.S_BY, run.S_BY_WHICH]])
