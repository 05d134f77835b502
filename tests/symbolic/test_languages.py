"""Programs in all languages have constraints, inputs and time."""

from __future__ import annotations

import importlib.util
import re

import numpy as np
import pytest
import sympy

import lissom as ls
from lissom.symbolic import derive
from tests.references.peers import peer
from tests.tools.generated_c import CProgram
from tests.tools.octave import called


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
    numba = equations.lambdify(
        values={"g": 9.81}, backend="numba", functions=["energy", "actuation"]
    )
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
    given = [DRIVEN[x] for x in ("q", "v", "t")]
    np.testing.assert_allclose(numba.energy(*given), expected.energy(*given))
    assert numba.actuation(DRIVEN["inputs"])[0] == 2.0  # at its limit
    with pytest.raises(ls.StateError, match="energy: t"):
        numba.energy(*given[:2], np.nan)


@pytest.mark.peer
def test_matlab_functions_give_what_those_of_numpy_give(tmp_path):
    equations = driven_four_bar()
    expected = equations.lambdify(values={"g": 9.81})
    package = equations.to_matlab(tmp_path)
    assert package.name == "+four_bar"
    calls = {}
    for path in sorted(package.glob("*.m")):
        head = path.read_text().partition("\n")[0]
        calls[path.stem] = [x for x in re.search(r"\((.*)\)", head)[1].split(", ") if x != "p"]
    assert set(calls) == set(equations.functions)
    found = called(package, calls, DRIVEN, {"g": 9.81})
    for name, arguments in calls.items():
        right = getattr(expected, name)(*(DRIVEN[x] for x in arguments))
        np.testing.assert_allclose(found[name].reshape(right.shape), right, rtol=1e-12, atol=1e-14)


def test_matlab_functions_check_their_arguments(tmp_path):
    package = derive(pendulum()).to_matlab(tmp_path, name="1st")
    assert package.name == "+m_1st"
    with pytest.raises(AssertionError, match="mass: q must be 1 finite numbers"):
        called(package, {"mass": ["q"]}, {"q": [1.0, 2.0]}, {})
    for name in ("end", "_x"):
        with pytest.raises(ls.SymbolicError, match=f"parameter '{name}' is .* in MATLAB"):
            derive(pendulum(sympy.Symbol(name))).to_matlab(tmp_path)


@pytest.mark.peer
def test_jax_functions_give_what_those_of_numpy_give_and_have_derivatives():
    jax = peer("jax")
    equations = driven_four_bar()
    expected = equations.lambdify(values={"g": 9.81})
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        made = equations.lambdify(values={"g": 9.81}, backend="jax", functions=["multipliers"])
        given = [DRIVEN[x] for x in ("q", "v", "forces", "inputs", "t")]
        right = expected.multipliers(*given)
        np.testing.assert_allclose(made.multipliers(*given), right, rtol=1e-12)
        by_time = jax.jacfwd(made.multipliers, argnums=4)(*given)
        h = 1e-6
        ends = [expected.multipliers(*given[:4], 0.7 + s * h) for s in (1, -1)]
        np.testing.assert_allclose(by_time, (ends[0] - ends[1]) / (2 * h), rtol=1e-7)
        many = jax.vmap(made.multipliers, (1, None, None, None, None))
        assert many(np.stack([given[0]] * 3, axis=1), *given[1:]).shape == (3, 2)
        with pytest.raises(
            ls.StateError, match=r"multipliers: q has shape \(2,\); expected \(3,\)"
        ):
            made.multipliers(given[0][:2], *given[1:])
    finally:
        jax.config.update("jax_enable_x64", before)


def pendulum(mass=1.0):
    model = ls.Model("pendulum", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody(mass, com=(1, 0, 0)), ls.Revolute("y"), name="rod")
    return model


def test_jax_that_is_not_installed(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ls.SymbolicError, match=r"pip install 'lissom\[jax\]'"):
        derive(pendulum()).lambdify(backend="jax")
