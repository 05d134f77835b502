"""Sensitivities with integrals of servos, given motions and loads on nodes: differences of runs."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from tests.samples.sensitivities import chain, check_adjoint, difference, moving

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

METHODS = {"rk4": "rk4", "alpha": ls.GeneralizedAlpha(0.7, tolerance=1e-13, slack=0.0)}


def check_states(system, state, found, given, columns, spacing=1e-3, tolerance=1e-9):
    """Compare some columns of the derivatives by the initial state with differences of runs."""
    n = system.n_v

    def end(q, v):
        made = ls.simulate(system, system.state(q, v), **given)
        return np.concatenate([made.q[-1], made.v[-1]])

    for k in columns:
        unit = np.eye(2 * n)[k]
        expected = difference(
            lambda h, e=unit: end(state.q + h * e[:n], state.v + h * e[n:]), spacing
        )
        own = found.state[-1][:, k]
        assert np.allclose(own, expected, rtol=tolerance, atol=tolerance), k


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("limit", [np.inf, 0.6])
def test_derivatives_with_integrals_of_servos_are_differences_of_runs(limit, method):
    """Also where the force is at its limit and the integral is frozen."""
    system = chain("linear")
    state, n = moving(system), system.n_v
    target = ls.Table([0.0, 0.1], [0.0, 0.3])
    loads = [
        ls.Servo("column", target, kp=20.0, kd=2.0, ki=400.0, limit=limit),
        ls.Servo("hand", 0.1, kp=30.0, ki=300.0, kd=1.0, integral=0.02),
    ]
    given = {"duration": 0.1, "step": 0.01, "loads": loads, "integrator": METHODS[method]}
    found = ls.sensitivity(system, state, parameters="hand.mass", **given)
    sizes = (1e-3, 1e-9) if limit == np.inf else (1e-5, 1e-7)
    check_states(system, state, found, given, (0, n - 1, n, 2 * n - 1), *sizes)
    check_adjoint(system, state, found, {**given, "parameters": "hand.mass"})


@pytest.mark.parametrize("method", METHODS)
def test_derivatives_of_divided_steps_are_differences_of_runs(method):
    """A stop that is hit: parts of several lengths, whose rows are left out."""
    system = chain("linear")
    state, n = moving(system), system.n_v
    loads = [ls.JointStop("column", -0.1, 0.2376, stiffness=2e4, damping=0.1)]
    given = {"duration": 0.06, "step": 0.01, "loads": loads, "integrator": METHODS[method]}
    made = ls.simulate(system, state, **given)
    assert made.statistics["divided_steps"] > 1
    found = ls.sensitivity(system, state, parameters="hand.mass", **given)
    assert np.array_equal(found.time, made.time) and np.allclose(found.q, made.q, atol=1e-9)
    check_states(system, state, found, given, (0, n - 1, n, 2 * n - 1), 1e-7, 1e-6)
    check_adjoint(system, state, found, {**given, "parameters": "hand.mass"})


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("by", ["position", "velocity", "acceleration"])
def test_derivatives_with_given_motions_are_differences_of_runs(by, method):
    """What is given does not change with the start."""
    system = chain("linear")
    n, start = system.n_v, moving(system)
    q, v = start.q.copy(), start.v.copy()
    motions = {
        "position": lambda t: 0.3 * np.sin(5 * t),
        "velocity": lambda t: 0.4 * np.cos(3 * t),
        "acceleration": lambda t: 2 * np.cos(3 * t),
    }
    if by == "position":
        q[0] = 0.0
    if by != "acceleration":
        v[0] = {"position": 1.5, "velocity": 0.4}[by]
    state = system.state(q, v)
    loads = [ls.Motion("column", **{by: motions[by]}), ls.Actuator("boom", [1.0, 0.5])]
    given = {"duration": 0.1, "step": 0.01, "loads": loads, "integrator": METHODS[method]}
    found = ls.sensitivity(system, state, parameters="hand.mass", **given)
    hinge = system.layout.hinge_v("boom").start
    columns = {0, hinge, n - 1, n, n + hinge, 2 * n - 1}
    fixed = {"position": {0, n}, "velocity": {n}, "acceleration": set()}[by]
    assert not np.any(found.state[:, :, list(fixed)])
    check_states(system, state, found, given, sorted(columns - fixed))
    check_adjoint(system, state, found, {**given, "parameters": "hand.mass"})


def arm(length=0.5, mass=1.0):
    model = ls.Model("arm")
    link = ls.RigidBody.box(1.0, (0.5, 0.1, 0.1), com=(0.25, 0, 0))
    model.add(link, ls.Revolute("y"), name="upper")
    hand = ls.RigidBody.box(mass, (0.5, 0.1, 0.1), com=(0.25, 0, 0))
    model.add(hand, ls.Revolute("z"), to="upper", at=(length, 0, 0), name="lower")
    return model.compile()


def test_loads_on_nodes_move_with_the_places_of_joints():
    """By the place itself, and by a function that builds the model with it."""
    system = arm()
    state = system.state(upper=0.3, lower=0.2)
    loads = [ls.NodeForce("lower", force=(0, 0, 5.0), axes="world")]
    given = {"duration": 0.1, "step": 0.01, "loads": loads}
    length = ls.DesignParameter("length", arm, 0.5)
    found = ls.sensitivity(system, state, parameters=["lower.at.x", length], **given)

    def end(h):
        made = ls.simulate(arm(0.5 + h), (state.q, state.v), integrator="rk4", **given)
        return np.concatenate([made.q[-1], made.v[-1]])

    expected = difference(end, 1e-3)
    assert np.allclose(found.parameters[-1][:, 0], expected, rtol=1e-9, atol=1e-11)
    assert np.allclose(found.parameters[-1][:, 1], expected, rtol=1e-9, atol=1e-11)
    alone = ls.sensitivity(system, state, **given)
    assert np.allclose(alone.state, found.state, rtol=1e-13) and alone.parameters.shape[2] == 0


def test_fields_of_gravity_act_on_masses_that_a_function_builds():
    system, place = arm(), (0.3, 0.2, 4.0)
    state = system.state(upper=0.3, lower=0.2)
    given = {"duration": 0.1, "step": 0.01, "loads": [ls.CentralGravity(50.0, center=place)]}
    mass = ls.DesignParameter("mass", lambda m: arm(mass=m), 1.0)
    found = ls.sensitivity(system, state, parameters=[mass, "lower.at.x"], **given)

    def end(**changed):
        made = ls.simulate(arm(**changed), (state.q, state.v), integrator="rk4", **given)
        return np.concatenate([made.q[-1], made.v[-1]])

    by_mass = difference(lambda h: end(mass=1.0 + h), 1e-3)
    assert found.names == ("mass", "lower.at.x")  # as given
    assert np.allclose(found.parameters[-1][:, 0], by_mass, rtol=1e-8, atol=1e-10)
    by_length = difference(lambda h: end(length=0.5 + h), 1e-3)
    assert np.allclose(found.parameters[-1][:, 1], by_length, rtol=1e-8, atol=1e-10)
    check_adjoint(system, state, found, {**given, "parameters": [mass, "lower.at.x"]})


def test_loads_without_derivatives_are_refused():
    system = chain("linear")
    servo = ls.Servo("hand", 0.1, kp=30.0, ki=300.0)
    field = {"loads": [ls.CentralGravity(1.0, center=(9, 9, 9))], "parameters": "lower.mass"}
    with pytest.raises(ls.errors.LissomError, match="acts on all mass"):
        ls.sensitivity(arm(), arm().state(), duration=0.02, step=0.01, **field)
    with pytest.raises(ls.errors.LissomError, match="two servos"):
        ls.sensitivity(system, system.state(), duration=0.02, step=0.01, loads=[servo, servo])


@pytest.mark.parametrize("axes", ["world", "body"])
def test_derivatives_with_a_force_on_a_node_by_a_function_are_differences_of_runs(axes):
    system = chain("linear")
    state, n = moving(system), system.n_v

    def pull(time, now):
        return (-30.0 * now["hand"][0], 2.0, -3.0 * now["column.rates"][0])

    loads = [ls.NodeForce("hand", pull, axes=axes), ls.NodeSpring("hand", (0.0, 0.2, 0.5), 40.0)]
    given = {"duration": 0.02, "step": 0.002, "loads": loads, "integrator": "rk4"}
    found = ls.sensitivity(system, state, parameters="hand.mass", **given)
    check_states(system, state, found, given, (0, n - 1, n, 2 * n - 1), 1e-3, 1e-7)
    check_adjoint(system, state, found, {**given, "parameters": "hand.mass"})


@pytest.mark.parametrize("function", [ls.sensitivity, ls.gradient])
def test_a_warning_of_the_steps_has_a_remedy_that_derivatives_have_too(function):
    """A mass comes back from a stop, farther by as much as it starts nearer: -1 in closed form."""
    model = ls.Model("sled")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Prismatic("x"), name="sled")
    sled, stop = model.compile(), ls.JointStop("sled", -np.inf, 0.1, stiffness=1e4)
    start, last = sled.state(sled=3.7e-4, **{"sled.rates": 1.0}), []

    def end(time, q, v):
        by_q = np.zeros_like(q)
        by_q[-1] = 1.0
        return q[-1, 0], by_q, np.zeros_like(v)

    objective = (end,) if function is ls.gradient else ()
    for step in (1e-3, 1e-4):
        given = {"duration": 0.2, "step": step, "loads": [stop], "integrator": "generalized_alpha"}
        with pytest.warns(ls.SimulationWarning) as told:
            found = function(sled, start, *objective, **given)
        assert len(told) == 1 and told[0].filename == __file__
        text = str(told[0].message)
        assert text.endswith(
            "shorten the step until the derivatives settle, which lose more there than the run"
        )
        last.append(found.state[0] if objective else found.state[-1, 0, 0])
    assert abs(last[0] + 1) > 0.1 and abs(last[1] + 1) < 0.02
