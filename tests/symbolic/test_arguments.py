"""Levels that equations are derived at, and what generated functions refuse."""

import importlib.util

import numba
import numpy as np
import pytest

import lissom as ls
from lissom.symbolic import derive
from tests.samples.flexible_arms import flexible_body


def bending_arm():
    """Two links that bend, one at each level, far from the straight position when moved."""
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    upper = flexible_body(1, n_node=3, n_mode=1)
    lower = flexible_body(2, n_node=3, n_mode=1, level="linear")
    model.add(upper, ls.Revolute("y"), name="upper")
    model.add(lower, ls.Revolute("z"), name="lower", to="upper.tip")
    return model


def cart():
    model = ls.Model("cart", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody(1.0), ls.Prismatic("x"), name="cart")
    model.add(ls.RigidBody(0.2, com=(0, 0, 0.5)), ls.Revolute("y"), to="cart", name="pole")
    return model


# Levels


def test_equations_are_derived_at_the_level_of_each_body_as_systems_are_compiled():
    model, q, v = bending_arm(), [0.4, 0.3, -0.3, 0.2], [1.0, 2.0, -1.0, 0.5]
    found = {}
    for level, given in ((None, {}), ("full", {"level": "full"}), ("linear", {"level": "linear"})):
        functions = derive(model, **given).lambdify(functions=["forward_dynamics"])
        found[level] = functions.forward_dynamics(q, v, np.zeros(4))
        system = model.compile(**given)
        expected = ls.forward_dynamics(system, system.state(q, v))
        assert np.abs(found[level] - expected).max() < 1e-10 * np.abs(expected).max()
    for level in ("full", "linear"):
        assert np.abs(found[level] - found[None]).max() > 1e-3 * np.abs(found[None]).max()


def test_programs_are_those_of_the_model_as_it_was_when_it_was_derived():
    model = cart()
    equations = derive(model)
    model.gravity = (0, 0, 0)
    model.replace("pole", ls.RigidBody(5.0, com=(0, 0, 0.5)))
    made = equations.lambdify(functions=["energy", "mass"])
    assert np.isclose(made.energy([0.0, 0.0], [0.0, 0.0])[1], 0.2 * 0.5 * 9.81)
    assert made.mass([0.0, 0.0])[0, 0] == float(equations.mass[0, 0]) == 1.2


# Arguments

MADE = {b: derive(cart()).lambdify(backend=b) for b in ("numpy", "numba")}
BAD = {
    "transposed batch": (np.zeros((5, 2)), "q has shape (5, 2); expected (2,)"),
    "short": (np.zeros(1), "q has shape (1,); expected (2,)"),
    "long": ([0.0, 0.0, 0.0], "q has shape (3,); expected (2,)"),
    "number": (0.3, "q has shape (); expected (2,)"),
    "nothing": (None, "q is None; expected an array of 2 real numbers"),
    "text": (["1", "2"], "q is ['1', '2']; expected an array of 2 real numbers"),
    "complex": (np.array([1j, 0]), "expected an array of 2 real numbers"),
    "NaN": ([0.0, np.nan], "q[1] is nan; all entries must be finite"),
    "infinite": (np.array([-np.inf, 0.0]), "q[0] is -inf; all entries must be finite"),
}


@pytest.mark.parametrize("given, words", BAD.values(), ids=BAD)
@pytest.mark.parametrize("backend", MADE)
def test_generated_functions_refuse_what_does_not_fit(backend, given, words):
    for name, more in (("mass", ()), ("forward_dynamics", ([0.0, 0.0], [0.0, 0.0]))):
        with pytest.raises(ls.StateError) as caught:
            getattr(MADE[backend], name)(given, *more)
        assert str(caught.value).startswith(f"{name}: ") and words in str(caught.value)


def test_every_argument_is_checked():
    for made in MADE.values():
        for function, names in (
            ("forward_dynamics", ("q", "v", "forces")),
            ("inverse_dynamics", ("q", "v", "acceleration")),
        ):
            for k, name in enumerate(names):
                given = [np.zeros(2) for _ in names]
                given[k] = np.zeros(3)
                with pytest.raises(ls.StateError, match=f"{function}: {name} has shape"):
                    getattr(made, function)(*given)
    with pytest.raises(ls.StateError, match=r"q \(2, 3\), v \(2, 4\) have different numbers"):
        MADE["numpy"].bias(np.zeros((2, 3)), np.zeros((2, 4)))
    with pytest.raises(ls.StateError, match=r"q has shape \(2, 5\); expected \(2,\)$"):
        MADE["numba"].mass(np.zeros((2, 5)))
    large = [1e308, 1e308]  # finite, though its sum is not
    assert all(np.all(made.qdot([0.0, 0.0], large) == large) for made in MADE.values())


def test_compiled_functions_take_what_numpy_takes_and_serve_compiled_code():
    made, q = MADE["numba"].mass, np.array([0.1, 0.4])
    expected = MADE["numpy"].mass(q)
    for given in ((0.1, 0.4), [0.1, 0.4], q, q[::-1][::-1], np.array([0.1, 0.4, 9.0])[:2]):
        assert np.array_equal(made(given), expected)
    assert np.array_equal(made([0, 0]), MADE["numpy"].mass([0, 0]))

    @numba.njit
    def heaviest(q):
        return made(q)[0, 0]

    assert heaviest(q) == expected[0, 0]
    with pytest.raises(ls.StateError, match="mass: q must be 2 finite numbers"):
        heaviest(np.zeros(3))


@pytest.mark.parametrize("backend", ("numpy", "numba", "casadi"))
def test_written_modules_check_too(backend, tmp_path):
    if backend == "casadi":
        pytest.importorskip("casadi")
    path = derive(cart()).to_python(tmp_path / "m.py", backend=backend, functions=["qdot"])
    spec = importlib.util.spec_from_file_location("m", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for given in (np.zeros(3), np.zeros((5, 2))):
        with pytest.raises(ValueError, match="qdot: v "):
            module.qdot(np.zeros(2), given)
    if backend != "casadi":
        with pytest.raises(ValueError, match=r"qdot: q.*finite"):
            module.qdot(np.array([np.nan, 0.0]), np.zeros(2))


def test_c_headers_say_that_sizes_are_the_caller_s(tmp_path):
    header, _ = derive(cart()).to_c(tmp_path)
    text = header.read_text()
    assert "Sizes are not checked" in text and "q has 2 entries, v, forces and" in text
