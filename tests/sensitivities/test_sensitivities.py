"""Sensitivities of runs: complex steps through an independent RK4, and central differences."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from lissom.algorithms.tree import reference
from lissom.algorithms.tree.coordinates import moved
from tests.oracle.random_mechanism import draw, with_level
from tests.samples.random_trees import build
from tests.samples.sensitivities import (
    DURATION,
    STEP,
    TIMES,
    central,
    chain,
    check,
    drive,
    floating,
    moving,
    objective,
    with_field,
)

# Bodies are very soft, so that all terms count in a few steps.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def complex_run(system, q, v, values):
    """RK4 in complex numbers through the readable recursions, without joints on groups."""
    drive_v = system.layout.hinge_v("column")

    def slope(t, q, v):
        forces = np.zeros(system.n_v, complex)
        forces[drive_v] = 2.0 * (
            np.interp(t, TIMES, values.real) + 1j * np.interp(t, TIMES, values.imag)
        )
        motions = reference.kinematics_base_to_tip(system, q, v)
        return v, reference.forward_dynamics(system, motions, forces)

    for k in range(round(DURATION / STEP)):
        t, h = k * STEP, STEP
        a = slope(t, q, v)
        b = slope(t + h / 2, q + h / 2 * a[0], v + h / 2 * a[1])
        c = slope(t + h / 2, q + h / 2 * b[0], v + h / 2 * b[1])
        d = slope(t + h, q + h * c[0], v + h * c[1])
        q = q + h / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0])
        v = v + h / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1])
    return np.concatenate([q, v])


def test_derivatives_of_a_run_are_those_of_complex_steps():
    """By initial state, values of a table, gravity and the place of a joint."""
    system = chain()
    state, values, e = moving(system), np.array([1.0, -2.0, 0.5, 3.0]), 1e-30
    names = ["gravity", "boom.at", "boom.rotation"]
    found = ls.sensitivity(
        system, state, duration=DURATION, step=STEP, parameters=names, controls=[drive(values)]
    )
    q, v, n, u = state.q + 0j, state.v + 0j, system.n_v, values + 0j
    end = complex_run(system, q, v, u)
    assert np.allclose(np.r_[found.q[-1], found.v[-1]], end.real, rtol=1e-11, atol=1e-12)
    eye = 1j * e * np.eye(n)
    expected = [complex_run(system, q + x, v, u) for x in eye]
    expected += [complex_run(system, q, v + x, u) for x in eye]
    check(found.state[-1], expected, e)
    check(found.controls[0][-1], [complex_run(system, q, v, u + x) for x in 1j * e * np.eye(4)], e)
    systems = [with_field(system, gravity=system.gravity + x) for x in 1j * e * np.eye(3)]
    place, rotation = system.frame_position + 0j, system.frame_rotation + 0j
    for x in 1j * e * np.eye(3):
        at = place.copy()
        at[1] += x
        systems.append(with_field(system, frame_position=at))
    for x in 1j * e * np.eye(3):
        turned = rotation.copy()
        turned[1] = turned[1] + np.cross(x, turned[1].T).T
        systems.append(with_field(system, frame_rotation=turned))
    check(found.parameters[-1], [complex_run(s, q, v, u) for s in systems], e)


def end_of(system, state, loads):
    made = ls.simulate(system, state, duration=DURATION, step=STEP, integrator="rk4", loads=loads)
    return made.q[-1], made.v[-1]


@pytest.mark.parametrize("level", ["ruthless", "linear", "full", "stiffened", "exact"])
def test_derivatives_on_groups_are_differences_of_runs(level):
    """Free and ball joints, springs, dampers, forces on nodes, a rotor."""
    system = floating(level)
    state = moving(system, 4)
    loads = [
        ls.JointDamper("boom", 0.3),
        ls.NodeSpring("base", "tip", 40.0, length=0.5, damping=0.1),
        ls.NodeForce("boom.tip", force=(1.0, 2.0, -3.0), axes="world"),
        ls.Actuator("boom", (0.5, -0.4, 0.2), rotor_inertia=0.02),
    ]
    found = ls.sensitivity(
        system, state, duration=DURATION, step=STEP, loads=loads, parameters=["base.com.x"]
    )
    n = system.n_v
    for k, e in enumerate(np.eye(n)):

        def displaced(h, e=e):
            return end_of(system, system.state(moved(system, state.q, h * e), state.v), loads)

        def faster(h, e=e):
            return end_of(system, system.state(state.q, state.v + h * e), loads)

        modes = system.layout.modal_v("boom")
        spacing = 2e-5 if modes.start <= k < modes.stop else 5e-4
        for run, column in ((displaced, k), (faster, n + k)):
            expected = central(run, system, spacing)
            scale = max(1.0, np.abs(expected).max())
            assert np.allclose(found.state[-1][:, column], expected, rtol=0, atol=1e-8 * scale)


INERTIAS = ("hand.inertia.xz", "hand.mass", "hand.com")


@pytest.mark.parametrize("kind", ["linear", "steps", "smooth"])
def test_the_adjoint_gradient_is_that_of_the_forward_sensitivities(kind, monkeypatch):
    """In several blocks of steps, too."""
    system = chain("linear")
    state, values = moving(system), np.array([1.0, -2.0, 0.5, 3.0])
    built = ls.DesignParameter("nothing", lambda _: system, 1.0)
    given = {
        "duration": DURATION,
        "step": STEP,
        "parameters": [*INERTIAS, "boom.stiffness", "boom.damping", built],
        "controls": [drive(values, kind)],
        "loads": [ls.JointSpring("boom", (20.0, 30.0)), ls.JointDamper("hand", 2.0)],
    }
    forward = ls.sensitivity(system, state, **given)
    monkeypatch.setattr("lissom.sim.sensitivities.run_derivatives.BLOCK_BYTES", 20_000)
    found = ls.gradient(system, state, objective, **given)
    value, by_q, by_v = objective(forward.time, forward.q, forward.v)
    by_state = np.concatenate([by_q, by_v], axis=1)
    assert found.value == pytest.approx(value, rel=1e-12)
    for own, theirs in (
        (found.state, forward.state),
        (found.parameters, forward.parameters),
        (found.controls[0], forward.controls[0]),
    ):
        assert np.allclose(own, np.einsum("kn,knp->p", by_state, theirs), rtol=1e-9, atol=1e-11)
    assert abs(found.parameters[-1]) < 1e-9


@pytest.mark.parametrize("level", ["linear", "full", "stiffened", "ruthless"])
def test_gradients_of_random_trees_are_those_of_the_forward_sensitivities(level):
    """Joints of all kinds that `gradient` takes, bodies of all kinds; three steps."""
    checked = 0
    for seed in range(12):
        description = with_level(draw(seed, 0), level)
        try:
            tree = build(description)
            state = tree.state(*description.state(tree.transforms))
            rng = np.random.default_rng(seed)
            by_q, by_v = rng.standard_normal((2, 4, tree.system.n_v))
            given = {"duration": 3e-4, "step": 1e-4}
            forward = ls.sensitivity(tree.system, state, **given)
        except (ls.ModelError, ls.StateError):
            continue  # levels that a body does not have, joints whose speeds are no rates
        found = ls.gradient(tree.system, state, lambda *_, of=(by_q, by_v): (0.0, *of), **given)
        weights = np.concatenate([by_q, by_v], axis=1)
        expected = np.einsum("kn,knp->p", weights, forward.state)
        assert np.allclose(found.state, expected, rtol=0, atol=1e-11 * np.abs(expected).max())
        checked += 1
    assert checked >= 2


def test_a_gradient_with_quaternions_is_that_of_differences():
    """Of the position of a free body and the value of a jumping table."""
    system = floating()
    state, values = (
        moving(system, 2),
        np.array([[1.0, 0.2, 0.1], [0.3, -1.0, 0.4], [0.2, 0.1, 0.5]]),
    )

    def drives(values):
        return [ls.Actuator("boom", ls.Table([0.0, 0.03, 0.07], values, kind="steps"))]

    def reach(time, q, v):
        by_q, by_v = np.zeros_like(q), np.zeros_like(v)
        by_q[-1, :7] = q[-1, :7] * np.arange(1, 8)
        return 0.5 * np.sum(np.arange(1, 8) * q[-1, :7] ** 2), by_q, by_v

    found = ls.gradient(system, state, reach, duration=DURATION, step=STEP, controls=drives(values))

    def value(q, v, values):
        run = ls.simulate(
            system, (q, v), duration=DURATION, step=STEP, integrator="rk4", loads=drives(values)
        )
        return reach(run.time, run.q, run.v)[0]

    def slope(f, h):
        return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)

    modes = system.layout.modal_v("boom")
    for k, e in enumerate(np.eye(system.n_v)):
        spacing = 1e-5 if modes.start <= k < modes.stop else 1e-3
        expected = slope(
            lambda h, e=e: value(moved(system, state.q, h * e), state.v, values), spacing
        )
        assert found.state[k] == pytest.approx(expected, abs=1e-7)
    for k in np.ndindex(3, 3):
        change = np.zeros((3, 3))
        change[k] = 1.0
        expected = slope(lambda h, c=change: value(state.q, state.v, values + h * c), 1e-2)
        assert found.controls[0][k] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"integrator": "dop853"}, "dop853"),
        ({"controls": [ls.Actuator("column", 1.0)]}, "force is a Table"),
        ({"controls": [ls.Actuator("column", ls.Table(TIMES, TIMES), limit=2.0)]}, "limit"),
    ],
)
def test_what_has_no_derivatives_is_refused(given, words):
    system = chain()
    with pytest.raises(ls.errors.LissomError, match=words):
        ls.sensitivity(system, system.state(), duration=DURATION, step=STEP, **given)


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (lambda q, v: ("a", q, v), "the value 'a'"),
        (lambda q, v: (1j, q, v), "the value 1j"),
        (lambda q, v: (q, q, v), "expected one number"),
        (lambda q, v: (0.0, q * np.nan, v), "derivatives by q .* finite"),
        (lambda q, v: (0.0, q, None), "derivatives by v None"),
    ],
)
def test_an_objective_that_returns_no_numbers_is_named(returned, words):
    system = chain()
    with pytest.raises(ls.StateError, match=words):
        ls.gradient(
            system, system.state(), lambda t, q, v: returned(q, v), duration=STEP, step=STEP
        )


def test_a_step_too_long_for_vibrations_that_rest_is_an_error():
    """The state stays at zero, and its derivatives grow beyond all bounds."""
    model = ls.Model("stiff")
    tube = ls.Tube(radius=0.03, thickness=0.003)
    model.add(ls.beam(0.5, tube, ls.ALUMINIUM, bending=2), ls.Revolute("z"), name="boom")
    system = model.compile()

    def ends(time, q, v):
        return q[-1].sum(), np.eye(len(q))[-1][:, None] * np.ones_like(q), np.zeros_like(v)

    with pytest.raises(ls.errors.SimulationError, match="step is too long"):
        ls.sensitivity(system, system.state(), duration=2.0, step=0.02)
    with pytest.raises(ls.errors.SimulationError, match="step is too long"):
        ls.gradient(system, system.state(), ends, duration=2.0, step=0.02)


@pytest.mark.parametrize("integrator", ["rk4", "generalized_alpha"])
def test_a_mechanism_that_cannot_move_has_empty_derivatives(integrator):
    model = ls.Model("wall")
    model.add(ls.RigidBody(1.0), ls.Fixed(), name="bracket")
    system = model.compile()
    parameters = ["bracket.mass", "gravity"]
    settings = {"duration": 0.1, "step": 0.01, "integrator": integrator}
    found = ls.sensitivity(system, system.neutral(), **settings, parameters=parameters)
    assert found.state.shape == (11, 0, 0)
    assert found.parameters.shape == (11, 0, 4)

    def height(time, q, v):
        return 1.0, np.zeros_like(q), np.zeros_like(v)

    slopes = ls.gradient(system, system.neutral(), height, **settings, parameters=parameters)
    assert slopes.state.shape == (0,) and not slopes.parameters.any()
    columns = ls.design_derivatives(system, system.neutral(), parameters)
    assert columns.acceleration.shape == (0, 4)
