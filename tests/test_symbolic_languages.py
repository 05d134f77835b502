"""Programs in all languages have constraints, inputs and time."""

from __future__ import annotations

import importlib.util

import numpy as np
import sympy

import lissom as ls
from lissom.symbolic import derive
from tests.generated_c import CProgram


def driven_four_bar():
    """A four-bar with a spring, a motor, and gravity that swings in time."""
    t, g = sympy.symbols("t g", real=True)
    model = ls.Model("four bar", gravity=(0, 0, -g * sympy.cos(t)))
    for name, to, at, length in (
        ("crank", None, 0, 1.0),
        ("coupler", "crank", 1.0, 2.5),
        ("rocker", None, 3.0, 2.0),
    ):
        rod = ls.RigidBody.rod(1.0, length, com=(length / 2, 0, 0))
        model.add(rod, ls.Revolute("y"), to=to, at=(at, 0, 0), name=name)
    ends = {"at_a": (2.5, 0, 0), "at_b": (2.0, 0, 0)}
    model.close(ls.Revolute("y"), "coupler", "rocker", **ends, name="pin")
    loads = [ls.JointFriction("rocker", 0.3, speed=0.1), ls.Actuator("crank", limit=2.0)]
    return derive(model, loads=loads, time="t")


DRIVEN = {
    "q": np.array([0.8, -0.3, 1.6]),
    "v": np.array([1.1, -0.4, 0.6]),
    "u": np.array([1.1]),
    "forces": np.array([0.1, -0.2, 0.3]),
    "acceleration": np.array([0.4, 0.1, -0.2]),
    "inputs": np.array([3.0]),
    "t": 0.7,
}


def test_every_language_has_constraints_inputs_and_time(tmp_path):
    equations = driven_four_bar()
    expected = equations.lambdify(values={"g": 9.81})
    numba = equations.lambdify(values={"g": 9.81}, backend="numba", functions=["multipliers"])
    program = CProgram(*equations.to_c(tmp_path))
    casadi = equations.to_casadi() if importlib.util.find_spec("casadi") else {}
    assert {"closure", "multipliers", "reduced_dynamics", "actuation"} <= set(program.functions)
    for name, (_, arguments) in program.functions.items():
        given = [DRIVEN[x] for x in arguments if x != "p"]
        right = getattr(expected, name)(*given)
        np.testing.assert_allclose(program(name, DRIVEN, {"g": 9.81}), right, rtol=1e-12)
        if casadi:
            found = np.array(casadi[name](*given, [9.81])).reshape(right.shape)
            np.testing.assert_allclose(found, right, rtol=1e-12, atol=1e-15)
    given = [DRIVEN[x] for x in ("q", "v", "forces", "inputs", "t")]
    np.testing.assert_allclose(numba.multipliers(*given), expected.multipliers(*given))
