"""Loads as formulas: motions under them are those of the compiled loads, and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate
import sympy

import lissom as ls
from lissom.symbolic import derive


def crane():
    """A trolley on stops with a jib and a hook, in a field of gravity."""
    model = ls.Model("crane", gravity=(0.2, 0, -9.81))
    model.add(ls.RigidBody(2.0), ls.Prismatic("x"), name="trolley")
    model.add(
        ls.RigidBody.box(1.0, (1.0, 0.1, 0.1), com=(0.5, 0, 0)),
        ls.Universal("y", "z"),
        to="trolley",
        name="jib",
    )
    model.add(
        ls.RigidBody(0.5, (0, 0, -0.3), 0.02), ls.Spherical(), to="jib", at=(1, 0, 0), name="load"
    )
    model.frame("hook", on="load", at=(0, 0, -0.4), rotation=np.eye(3)[[1, 2, 0]])
    return model


LOADS = {
    "spring": [ls.JointSpring("jib", [30.0, 20.0], rest=[0.1, -0.2], damping=0.3)],
    "damper": [ls.JointDamper("jib", [0.4, 0.7]), ls.JointDamper("trolley", 0.2)],
    "friction": [ls.JointFriction("jib", 1.5, speed=0.3)],
    "stop": [ls.JointStop("trolley", -0.02, 0.03, stiffness=900.0, damping=0.4)],
    "lower stop": [ls.JointStop("jib", 0.45, np.inf, stiffness=300.0, damping=0.4)],
    "force": [
        ls.NodeForce("hook", (1.0, -2.0, 3.0), (0.2, 0.1, -0.3), axes="body", at=(0.1, 0, 0.2)),
        ls.NodeForce("jib", (0.0, 3.0, 1.0)),
    ],
    "tether": [ls.NodeSpring("hook", (1.0, 1.0, 2.0), 40.0, damping=1.5, length=0.7)],
    "rubber": [ls.NodeSpring("trolley", "jib", 40.0, at_a=(0, 0, 0.5), at_b=(0.6, 0, 0.1))],
    "ball": [ls.JointSpring("load", 12.0, damping=0.1)],
    "motor": [
        ls.Actuator("trolley", 3.0, ratio=2.0, rotor_inertia=0.2, limit=2.5),
        ls.Actuator("jib", (0.4, -0.2)),
    ],
    "switched off": [ls.JointSpring("jib", 1000.0, on=False)],
}
INPUTS = {"motor": [3.0, 0.4, -0.2]}


@pytest.mark.parametrize("name", LOADS)
def test_motion_is_that_of_the_compiled_loads(name):
    model = crane()
    equations = derive(model, loads=LOADS[name])
    functions = equations.lambdify(functions=["forward_dynamics", "qdot"])
    system = model.compile()
    start = system.state(trolley=0.01, jib=[0.4, 0.3], load=[0.8, 0.6, 0, 0])
    start = start.replace(v=np.array([0.3, -0.5, 0.8, 1.0, -0.4, 0.2]))
    none, inputs = np.zeros(system.n_v), INPUTS.get(name)

    def slope(t, x):
        q, v = x[: system.n_q], x[system.n_q :]
        more = [np.array(inputs)] if inputs else []
        return np.concatenate([functions.qdot(q, v), functions.forward_dynamics(q, v, none, *more)])

    end = 0.08
    run = ls.simulate(system, start, duration=end, loads=LOADS[name], rtol=1e-10)
    found = scipy.integrate.solve_ivp(
        slope, (0, end), [*start.q, *start.v], rtol=1e-9, atol=1e-10, method="DOP853"
    ).y[:, -1]
    reached = run.state(end)
    assert np.abs(found[system.n_q :] - reached.v).max() < 2e-6
    assert np.abs(found[: system.n_q] - reached.q).max() < 2e-7
    free = ls.simulate(system, start, duration=end, rtol=1e-6).state(end)
    if name != "switched off":
        assert np.abs(free.v - reached.v).max() > 1e-3


k, c, t, g, length = sympy.symbols("k c t g l", positive=True)


def pendulum(gravity=g):
    model = ls.Model("pendulum", gravity=(0, 0, -gravity))
    model.add(ls.RigidBody(1, com=(length, 0, 0)), ls.Revolute("y"), name="rod")
    return model


def test_forces_by_formula_with_symbols_and_time():
    q, v = sympy.symbols("q_rod v_rod")
    force = -k * (1 + t) * q - c * sympy.Abs(v) * v + sympy.exp(-t)
    equations = derive(pendulum(g * sympy.cos(t)), forces={"v_rod": force}, time=t)
    assert set(map(str, equations.parameters)) == {"k", "c", "g", "l"}
    functions = equations.lambdify(values={"k": 2.0, "c": 0.3, "g": 9.81, "l": 0.5})
    angle, rate, now = 0.4, -0.7, 1.3
    expected = -2.0 * (1 + now) * angle - 0.3 * abs(rate) * rate + np.exp(-now)
    expected += 9.81 * np.cos(now) * 0.5 * np.cos(angle)
    found = functions.forward_dynamics([angle], [rate], [0.0], now)
    assert np.isclose(found[0], expected / 0.25, rtol=1e-12)
    many = functions.forward_dynamics([[angle] * 3], [[rate] * 3], [[0.0] * 3], [now, 0.0, now])
    assert many.shape == (1, 3) and np.isclose(many[0, 2], found[0]) and many[0, 1] != found[0]
    with pytest.raises(ls.StateError, match="forward_dynamics: t is 'x'; expected one real number"):
        functions.forward_dynamics([angle], [rate], [0.0], "x")


def test_loads_with_symbols():
    x, w, n = sympy.symbols("x w n", positive=True)
    loads = [
        ls.JointSpring("rod", k, rest=x, damping=[c]),
        ls.JointFriction("rod", k, speed=w),
        ls.JointStop("rod", -0.1, 0.2, stiffness=k, damping=c),
        ls.Actuator("rod", ratio=n, rotor_inertia=w, name="motor"),
    ]
    equations = derive(pendulum(), loads=loads)
    assert set(map(str, equations.parameters)) == set("kcglnwx")
    assert sympy.simplify(equations.mass[0] - length**2 - n**2 * w) == 0
    values = {"k": 2.0, "c": 0.3, "g": 9.81, "l": 0.5, "x": 0.1, "w": 0.2, "n": 5.0}
    found = equations.lambdify(values=values).forward_dynamics([0.4], [0.7], [0.0], [1.5])
    stop = -2.0 * (0.4 - 0.2) * (1 + 0.3 * 0.7)
    spring = -2.0 * (0.4 - 0.1) - 0.3 * 0.7 - 2.0 * np.tanh(0.7 / 0.2)
    expected = spring + stop + 5.0 * 1.5 + 9.81 * 0.5 * np.cos(0.4)
    assert np.isclose(found[0], expected / (0.25 + 5.0), rtol=1e-12)
    tether = ls.NodeSpring("rod", (0, 0, 1), stiffness=k, length=x, at_a=(1, 0, 0))
    assert {k, x} <= derive(pendulum(), loads=[tether]).force[0].free_symbols
    numeric = ls.Model("rod")
    numeric.add(ls.RigidBody.rod(1, 1, com=(0.5, 0, 0)), ls.Revolute("y"), name="rod")
    for load in (loads[0], tether):
        with pytest.raises(ls.LoadError, match="stiffness is k; a run needs numbers"):
            ls.simulate(numeric.compile(), duration=1.0, loads=[load])


def test_rotor_inertia_and_ratio_enter_as_in_textbooks():
    equations = derive(
        pendulum(), loads=[ls.Actuator("rod", ratio=5.0, rotor_inertia=0.02, name="motor")]
    )
    assert sympy.simplify(equations.mass[0] - (length**2 + sympy.Rational(1, 2))) == 0
    (u,) = equations.inputs
    assert str(u) == "u_motor" and equations.actuation[0] == 5 * u
    assert equations.force == derive(pendulum()).force


def test_elastic_drive_is_rotor_and_gear():
    model = pendulum()
    drive = ls.flexible_drive(model, "rod", stiffness=50.0, ratio=10.0, rotor_inertia=0.003)
    equations = derive(model, loads=[drive])
    M, F = equations.mass, equations.force
    assert sympy.simplify(M[0, 0] - M[0, 1] - sympy.Rational(3, 10)) == 0
    assert F[1].coeff(equations.coordinates[1]) == 50


def test_constraint_by_time_moves_a_length():
    """A pendulum of length 1 + sin t / 2, by a slide with a given motion."""
    model = ls.Model("hoist", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody(0), ls.Revolute("y"), name="arm")
    model.add(ls.RigidBody(2.0), ls.Prismatic("x"), to="arm", name="load")
    slide = sympy.Symbol("q_load")
    equations = derive(model, constraints=slide - 1 - sympy.sin(t) / 2, time=t)
    assert equations.constraints.drift[0] == -sympy.cos(t) / 2
    functions = equations.lambdify()
    now, angle, rate = 0.8, 0.3, 0.9
    r, rdot, rddot = 1 + np.sin(now) / 2, np.cos(now) / 2, -np.sin(now) / 2
    v = functions.speeds([angle, r], [rate], now)
    assert np.isclose(v[1], rdot)
    found = functions.forward_dynamics([angle, r], v, [0, 0], now)
    expected = (9.81 * np.cos(angle) - 2 * rdot * rate) / r
    np.testing.assert_allclose(found, [expected, rddot], rtol=1e-12)
    tension = functions.multipliers([angle, r], v, [0, 0], now)
    pull = 2.0 * (rddot - r * rate**2 - 9.81 * np.sin(angle))
    np.testing.assert_allclose(tension, [pull], rtol=1e-12)


@pytest.mark.parametrize(
    "given, words",
    (
        ({"loads": [ls.Servo("rod", kp=1.0)]}, "Servo.*no formula.*forces="),
        ({"loads": [ls.Motion("rod", lambda t: t)]}, "Motion.*constraints="),
        ({"loads": [ls.JointSpring("rot", 1.0)]}, "JointSpring on 'rot'.*rod"),
        ({"loads": [ls.NodeForce("rod", lambda t: (t, 0, 0))]}, "force is .*three numbers"),
        ({"loads": [ls.JointSpring("rod", [1.0, 2.0])]}, r"stiffness has shape \(2,\)"),
        ({"loads": "spring"}, "loads is 'spring'; give a list"),
        ({"loads": [3]}, "3 is no load"),
        ({"forces": {"v_rot": 1}}, "no speed 'v_rot'.*'v_rod'"),
        ({"forces": {"v_rod": "x"}}, "forces: v_rod: 'x' is neither a finite number"),
        ({"forces": 3}, "forces is 3; give a dictionary"),
        ({"time": "t s"}, "time is 't s'; give one name"),
        ({"time": 3}, "time is 3; give names"),
        ({"time": length}, "a length or a mass depends on the time l"),
    ),
)
def test_what_has_no_formula_is_refused(given, words):
    with pytest.raises(ls.SymbolicError, match=words):
        derive(pendulum(), **given)


def test_numbers_and_symbols_of_the_same_name_are_told_apart():
    with pytest.raises(ls.SymbolicError, match="'u_rod' is used twice"):
        derive(pendulum(sympy.Symbol("u_rod")), loads=[ls.Actuator("rod")])
