"""Linearization about states and motions: against differences of the nonlinear equations."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import lissom as ls
from lissom.symbolic import derive
from tests.samples.symbolic_models import double_pendulum

t = sympy.Symbol("t", real=True)
STEP = 1e-5


def differences(slope, x):
    """Matrix of central differences of a function of a vector."""
    columns = [(slope(x + STEP * e) - slope(x - STEP * e)) / (2 * STEP) for e in np.eye(len(x))]
    return np.stack(columns, axis=1)


def numbers(matrix, values):
    return np.array(matrix.subs(values), dtype=float)


def top():
    """A gyroscope on a ball joint: speeds that are no rates."""
    model = ls.Model("top", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody(1.5, (0, 0, 0.3), (0.2, 0.25, 0.1)), ls.Spherical(), name="top")
    model.add(ls.RigidBody(0.3, (0.2, 0, 0), 0.01), ls.Revolute("x"), to="top", name="arm")
    return model


def test_about_a_state_in_motion():
    """Coordinates with a quaternion; off its sphere the formulas are read as they stand."""
    model = top()
    equations = derive(model, loads=[ls.JointFriction("arm", 0.4, speed=0.2)])
    functions = equations.lambdify(functions=["forward_dynamics", "qdot", "inverse_dynamics"])
    q = np.array([0.5, 0.5, -0.5, 0.5, 0.3])
    v = np.array([0.3, -0.4, 5.0, 0.7])
    names = (*equations.coordinates, *equations.speeds)
    values = dict(zip(names, [*q, *v], strict=True))
    linear = equations.linearize({s: sympy.Float(x, 17) for s, x in values.items()})
    forces = functions.inverse_dynamics(q, v, np.zeros(4))
    np.testing.assert_allclose(numbers(linear.force, {}).ravel(), forces, rtol=1e-12)

    def slope(x):
        rates = functions.qdot(x[:5], x[5:])
        return np.concatenate([rates, functions.forward_dynamics(x[:5], x[5:], forces)])

    expected = differences(slope, np.concatenate([q, v]))
    tangent = np.eye(9)[:, 4:]  # the arm and the speeds, and turns of the top
    rates = np.zeros((9, 3))
    rates[:4] = equations.kinematics.subs(values)[:4, :3]
    along = np.concatenate([tangent, rates], axis=1).astype(float)
    found = numbers(linear.A, {})
    np.testing.assert_allclose(found @ along, expected @ along, atol=2e-8)


def test_along_a_motion_of_the_double_pendulum():
    sample = double_pendulum()
    equations = derive(sample.model, time=t)
    q1, q2 = equations.coordinates
    motion = {q1: sympy.sin(2 * t) / 3, "q_lower": 1 - t / 2}
    linear = equations.linearize(motion=motion)
    assert linear.A.shape == (4, 4) and t in linear.A.free_symbols
    assert not linear.A.free_symbols & {q1, q2, *equations.speeds}
    functions = equations.lambdify(values={s.name: x for s, x in sample.values.items()})
    now = 0.8
    path = [sympy.sin(2 * t) / 3, 1 - t / 2]
    q, v, a = (np.array([float(x.diff(t, k).subs(t, now)) for x in path]) for k in range(3))
    forces = functions.inverse_dynamics(q, v, a, now)
    values = sample.values | {t: now}
    np.testing.assert_allclose(numbers(linear.force, values).ravel(), forces, rtol=1e-12)

    def slope(x):
        return np.concatenate([x[2:], functions.forward_dynamics(x[:2], x[2:], forces, now)])

    expected = differences(slope, np.concatenate([q, v]))
    np.testing.assert_allclose(numbers(linear.A, values), expected, atol=1e-8)
    inverse = np.linalg.inv(functions.mass(q))
    np.testing.assert_allclose(numbers(linear.B, values)[2:], inverse, rtol=1e-10)


def slider_crank():
    model = ls.Model("engine", gravity=(0, 0, -9.81))
    rod = {"crank": 0.5, "rod": 2.0}
    bodies = {k: ls.RigidBody.rod(1.0, x, com=(x / 2, 0, 0)) for k, x in rod.items()}
    model.add(bodies["crank"], ls.Revolute("y"), name="crank")
    model.add(bodies["rod"], ls.Revolute("y"), to="crank", at=(0.5, 0, 0), name="rod")
    model.add(ls.RigidBody(0.8), ls.Prismatic("x"), name="piston")
    model.close(ls.Revolute("y"), "rod", "piston", at_a=(2.0, 0, 0), name="pin")
    return model


def test_constrained_mechanism_about_its_equilibrium_and_in_motion():
    """The crank hangs; its frequency is that of the numeric side, the rest of A is zero."""
    loads = [ls.JointSpring("piston", 30.0, rest=1.5, damping=0.7), ls.Actuator("crank")]
    equations = derive(slider_crank(), loads=loads)
    functions = equations.lambdify()
    theta = 0.9
    lean = np.arcsin(0.25 * np.sin(theta))
    q = np.array([theta, -theta - lean, 0.5 * np.cos(theta) + 2.0 * np.cos(lean)])
    u = np.array([1.7])
    at = dict(zip((*equations.coordinates, equations.speeds[0]), [*q, *u], strict=True))
    linear = equations.linearize({s: sympy.Float(x, 17) for s, x in at.items()})
    assert linear.A.shape == (4, 4) and linear.B.shape == (4, 1)
    assert linear.input_map.shape == (1, 1) and linear.input_map[0] == 1
    hold = numbers(linear.force, {}).ravel()
    np.testing.assert_allclose(hold, functions.reduced_bias(q, u), rtol=1e-10)
    forces = np.array([*hold, 0, 0])

    def slope(x):
        v = functions.speeds(x[:3], x[3:])
        udot = functions.reduced_dynamics(x[:3], x[3:], forces, [0.0])
        return np.concatenate([functions.qdot(x[:3], v), udot])

    x = np.concatenate([q, u])
    assert np.abs(slope(x)[3:]).max() < 1e-10
    np.testing.assert_allclose(numbers(linear.A, {}), differences(slope, x), atol=1e-7)


def test_rolling_along_a_circle_is_neutral():
    """A sleigh that slides straight ahead: its heading keeps a deviation, its spin dies out."""
    theta, vx, vy = (sympy.Symbol(x) for x in ("theta", "v_x", "v_y"))
    m, arm, J, speed = sympy.symbols("m l J s", positive=True)
    model = ls.Model("sleigh")
    model.add(ls.RigidBody(m, (arm, 0, 0), (0, 0, J)), ls.Planar("z"), name="body")
    across = -sympy.sin(theta) * vx + sympy.cos(theta) * vy
    names = {"coordinates": "x y theta", "speeds": "v_x v_y omega"}
    equations = derive(model, constraints=across, time=t, **names)
    linear = equations.linearize({"theta": 0, "v_x": 3})
    decay = -3 * m * arm / (J + m * arm**2)
    assert sympy.simplify(linear.A[4, 4] - decay) == 0
    moving = equations.linearize(motion={"x": speed * t, "y": 0, "theta": 0})
    assert sympy.simplify(moving.A[4, 4] - decay * speed / 3) == 0
    assert moving.A[1, 2] == speed


def test_motions_that_are_refused():
    timeless = derive(double_pendulum().model)
    with pytest.raises(ls.SymbolicError, match="needs a symbol of time"):
        timeless.linearize(motion={"q_upper": t, "q_lower": t})
    equations = derive(double_pendulum().model, time=t)
    for motion, words in (
        ({"q_upper": t}, "no formula for q_lower"),
        ({"q_uper": t}, "no coordinate 'q_uper'.*'q_upper'"),
        ({"q_upper": "t"}, "q_upper: 't' is neither a finite number"),
        ([t], "motion is"),
    ):
        with pytest.raises(ls.SymbolicError, match=words):
            equations.linearize(motion=motion)
    with pytest.raises(ls.SymbolicError, match="both"):
        equations.linearize({"q_upper": 0}, motion={"q_upper": t})
