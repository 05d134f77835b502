"""Given motions: what moves follows them, and the forces that they need are those of the equations.

`test_simulation_driven` has the same against equations written by hand.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import lissom as ls
from tests.references.analytic_motions import matrices, quaternion, turn
from tests.samples.flexible_arms import AXLE, flexible_arm, spacecraft
from tests.tools.measures import TOLERANCE, error, random_state

pytestmark = pytest.mark.filterwarnings("ignore:body .* (turns at|is pulled|is pressed|deflects)")


def needed(run, loads=()):
    """Inverse dynamics at every row, with the recorded loads on nodes."""
    found = []
    for k in range(run.n):
        state = run.system.state(q=run.q[k], v=run.v[k])
        external = {where: run[f"{where}.load"][k] for where in loads}
        found.append(ls.inverse_dynamics(run.system, state, run.acceleration[k], external=external))
    return np.array(found)


@pytest.mark.parametrize(
    "integrator, settings",
    [("dop853", {}), ("rk4", {"step": 1e-2}), ("generalized_alpha", {"step": 1e-2})],
    ids=["dop853", "rk4", "generalized_alpha"],
)
def test_rows_satisfy_the_equations_with_the_loads_that_were_given(integrator, settings):
    """Forces by the formulas of the loads, accelerations by `forward_dynamics`."""
    system = spacecraft(damping=0.02)
    start = random_state(system, np.random.default_rng(3), speed=0.3)
    push, moment = np.array([1.0, -2.0, 0.5]), np.array([0.2, 0.1, -0.3])
    along = np.array([0.3, 0.4, 0.1])
    run = ls.simulate(
        system,
        start,
        duration=0.5,
        integrator=integrator,
        loads=[
            ls.NodeForce("boom.tip", push, moment),
            ls.NodeForce("panel.side", lambda t: along * np.sin(3 * t), axes="body"),
            ls.JointSpring("panel", 3.0, rest=0.2, damping=0.4),
            ls.JointDamper("dish", [0.1, 0.3]),
            ls.Actuator("hub", [0.1, 0.2, 0.3, -1.0, -2.0, -3.0]),
        ],
        **settings,
    )
    assert run.n > 20
    layout = system.layout
    for k in range(0, run.n, 5):
        state = system.state(q=run.q[k], v=run.v[k])
        forces = np.zeros(system.n_v)
        forces[:6] = [0.1, 0.2, 0.3, -1.0, -2.0, -3.0]
        panel, dish = layout.hinge_v("panel"), layout.hinge_v("dish")
        forces[panel] = -3.0 * (state["panel"] - 0.2) - 0.4 * state["panel.rates"]
        forces[dish] = -np.array([0.1, 0.3]) * state["dish.rates"]
        R = ls.pose(system, state, "boom.tip").rotation
        external = {
            "boom.tip": np.r_[R.T @ moment, R.T @ push],
            "panel.side": np.r_[0, 0, 0, along * np.sin(3 * run.time[k])],
        }
        assert error(run.force[k], forces) < TOLERANCE
        assert error(run["boom.tip.load"][k], external["boom.tip"]) < TOLERANCE
        expected = ls.forward_dynamics(system, state, forces, external=external)
        assert error(run.acceleration[k], expected) < TOLERANCE
    assert error(needed(run, ["boom.tip", "panel.side"]), run.force) < TOLERANCE


# Each way to give a motion: the load for body x, and the function (q, v, vdot) it must be.


def wave(t):
    return 0.3 + 0.4 * np.sin(2 * t), 0.8 * np.cos(2 * t), -1.6 * np.sin(2 * t)


KNOTS = np.linspace(-1, 2, 13)
CURVE = CubicSpline(KNOTS, np.cos(1.5 * KNOTS))
WAYS = {
    "position": (lambda x: ls.Motion(x, lambda t: wave(t)[0]), wave, 1e-10),
    "all three": (
        lambda x: ls.Motion(
            x,
            lambda t: wave(t)[0],
            velocity=lambda t: wave(t)[1],
            acceleration=lambda t: wave(t)[2],
        ),
        wave,
        1e-14,
    ),
    "smooth table": (
        lambda x: ls.Motion(x, ls.Table(KNOTS, np.cos(1.5 * KNOTS), kind="smooth")),
        lambda t: (CURVE(t), CURVE(t, 1), CURVE(t, 2)),
        1e-13,
    ),
    "constant position": (lambda x: ls.Motion(x, 0.7), lambda t: (0.7, 0.0, 0.0), 1e-15),
    "constant velocity": (
        lambda x: ls.Motion(x, velocity=1.5),
        lambda t: (0.1 + 1.5 * t, 1.5, 0.0),
        1e-12,
    ),
    "velocity": (
        lambda x: ls.Motion(x, velocity=lambda t: 0.8 * np.cos(2 * t)),
        lambda t: (0.1 + 0.4 * np.sin(2 * t), *wave(t)[1:]),
        1e-11,  # its coordinate is integrated
    ),
    "acceleration": (
        lambda x: ls.Motion(x, acceleration=2.0),
        lambda t: (0.1 + 0.2 * t + t * t, 0.2 + 2 * t, 2.0),
        1e-12,
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_driven_revolute_follows_and_its_force_is_inverse_dynamics(way):
    """A flexible arm whose elbow is driven; the shoulder, a ball, swings."""
    load, expected, allowed = WAYS[way]
    system = flexible_arm()
    start = random_state(system, np.random.default_rng(1), speed=0.2)
    q, v = start.q.copy(), start.v.copy()
    q[system.layout.hinge_q("lower")], v[system.layout.hinge_v("lower")] = 0.1, 0.2
    loads = [load("lower")]
    start = ls.assemble(system, system.state(q=q, v=v), loads=loads)
    run = ls.simulate(system, start, duration=1.0, rtol=1e-9, loads=loads)
    found = np.stack(
        [run["lower.angle"], run["lower.rates"][:, 0], run["lower.hinge_acceleration"][:, 0]]
    )
    target = np.array([np.broadcast_to(x, run.n) for x in expected(run.time)])
    assert np.abs(found - target).max() < allowed
    assert error(needed(run), run.force) < TOLERANCE
    assert np.abs(run["lower.force"]).min(initial=np.inf) < np.abs(run["lower.force"]).max()
    others = np.delete(run.force, system.layout.hinge_v("lower"), axis=1)
    assert not np.any(others)  # nothing else is pushed


AXIS = np.array([0.3, -0.5, 0.8]) / np.linalg.norm([0.3, -0.5, 0.8])


def angle(t):
    return 0.5 * np.sin(2 * t), np.cos(2 * t), -2 * np.sin(2 * t)


def path(t):
    c, s = np.cos(t), np.sin(t)
    return np.array([c, s, 0.3 * t * t]), np.array([-s, c, 0.6 * t]), np.array([-c, -s, 0.6])


@pytest.mark.parametrize("body, joint", [("hub", "free"), ("boom", "spherical")])
def test_driven_pose_follows_and_its_force_is_inverse_dynamics(body, joint):
    """A quaternion as a function of time; speeds and their rates by hand."""
    system = spacecraft()
    start = random_state(system, np.random.default_rng(2), speed=0.3)

    def position(t):
        q = quaternion(AXIS, angle(t)[0])
        return np.r_[q, path(t)[0]] if joint == "free" else q

    loads = [ls.Motion(body, position)]
    run = ls.simulate(system, ls.assemble(system, start, loads=loads), duration=0.4, loads=loads)
    for k, t in enumerate(run.time):
        th, w, a = angle(t)
        R, (_, u, b) = turn(AXIS, th), path(t)
        v, vdot = [w * AXIS], [a * AXIS]
        if joint == "free":
            v.append(R.T @ u)
            vdot.append(R.T @ b - np.cross(w * AXIS, R.T @ u))
        assert np.abs(run[f"{body}.coordinates"][k] - position(t)).max() < 1e-12
        # differences of order eight at 0.01 s: 1e-12 and 1e-10
        assert np.abs(run[f"{body}.rates"][k] - np.concatenate(v)).max() < 1e-12
        assert np.abs(run[f"{body}.hinge_acceleration"][k] - np.concatenate(vdot)).max() < 1e-10
    assert error(needed(run), run.force) < TOLERANCE
    assert np.abs(run[f"{body}.force"]).max() > 0.1


def test_driven_ball_by_velocity_turns_as_told():
    """Constant rate in body axes: attitude exp(w t)."""
    system = flexible_arm()
    start = random_state(system, np.random.default_rng(4), speed=0.1)
    rates = np.array([0.5, -1.0, 0.7])
    loads = [ls.Motion("upper", velocity=rates)]
    start = ls.assemble(system, start, loads=loads)
    run = ls.simulate(system, start, duration=1.0, rtol=1e-9, loads=loads)
    first = matrices(start["upper"][None])[0]
    size = np.linalg.norm(rates)
    expected = np.array([first @ turn(rates, size * t) for t in run.time])
    assert np.abs(matrices(run["upper.coordinates"]) - expected).max() < 1e-12
    assert error(needed(run), run.force) < TOLERANCE


def test_rotor_of_a_driven_joint_costs_force():
    """F = (m + ratio^2 J) a."""
    model = ls.Model("slide")
    model.add(ls.RigidBody(2.0), ls.Prismatic(AXLE), name="b")
    rotor = ls.Actuator("b", ratio=3.0, rotor_inertia=0.5)
    run = ls.simulate(
        model.compile(), duration=1.0, loads=[rotor, ls.Motion("b", acceleration=1.5)]
    )
    np.testing.assert_allclose(run["b.force"], (2.0 + 9 * 0.5) * 1.5, rtol=1e-13)
    np.testing.assert_allclose(run.q[-1], 0.75, rtol=1e-12)


def test_table_of_quaternions_between_its_knots():
    """A spline through quaternions leaves the unit sphere; the direction is what counts."""
    model = ls.Model("ball")
    model.add(ls.RigidBody(1.0, (0.1, 0.2, 0.3), (1.0, 2.0, 2.5)), ls.Spherical(), name="b")
    knots = np.linspace(0, 1, 4)
    values = [quaternion((1, 2, 3), 2.7 * t) for t in knots]
    load = ls.Motion("b", ls.Table(knots, values, kind="smooth"))
    run = ls.simulate(model.compile(), duration=1.0, output_step=0.01, loads=[load])
    curve = CubicSpline(knots, values)
    u = curve(run.time) / np.linalg.norm(curve(run.time), axis=1, keepdims=True)

    def rates(t):
        q, dq = curve(t), curve(t, 1)
        w, x = q[0], q[1:]
        return 2 * (w * dq[1:] - dq[0] * x - np.cross(x, dq[1:])) / (q @ q)

    # without the last row: there the table ends, and so may its slope
    inner = run.time[5:-5]
    changes = [(rates(t + 1e-5) - rates(t - 1e-5)) / 2e-5 for t in inner]
    assert np.abs(run.v - [rates(t) for t in run.time])[:-1].max() < 1e-12
    assert np.abs(run.q - u).max() < 1e-12
    assert np.abs(run.acceleration[5:-5] - changes).max() < 1e-7
