"""Exported CasADi functions give what the engine gives, and so do their derivatives."""

from __future__ import annotations

import numpy as np
import pytest

from lissom.algorithms.tree import reference
from lissom.symbolic import derive
from tests.references.peers import peer
from tests.samples.symbolic_models import SAMPLES, double_pendulum, engine, inputs_of, states
from tests.tools.measures import TOLERANCE, error, forward_tolerance

casadi = peer("casadi")
pytestmark = pytest.mark.peer
EVERY_SAMPLE = pytest.mark.parametrize("name", SAMPLES)
STEP = 1e-30


def numbers_of(sample, equations):
    """Vector p of a sample's parameters, if it has any."""
    return [np.array([sample.values[s] for s in equations.parameters])] if sample.values else []


@EVERY_SAMPLE
def test_casadi_functions_give_what_the_engine_gives(name):
    sample = SAMPLES[name]()
    equations, system = sample.equations(), sample.system()
    frames = system.names[-2:]
    functions = equations.to_casadi(frames=frames)
    p = numbers_of(sample, equations)
    for inputs in states(system):
        expected = engine(system, inputs, frames)
        assert set(functions) == set(expected)
        for function, value in expected.items():
            taken = [inputs[key] for key in inputs_of(function)]
            result = np.array(functions[function](*taken, *p)).reshape(value.shape)
            is_forward = function == "forward_dynamics"
            bound = forward_tolerance(expected["mass"]) if is_forward else TOLERANCE
            assert error(result, value) < bound, function


@EVERY_SAMPLE
def test_casadi_jacobian_of_forward_dynamics_is_the_derivative(name):
    """Along the rates of the coordinates, since quaternions must stay of unit length."""
    sample = SAMPLES[name]()
    equations, system = sample.equations(), sample.system()
    function = equations.to_casadi(values=sample.values)["forward_dynamics"]
    inputs = states(system)[0]
    q, v, forces = (inputs[key] for key in ("q", "v", "forces"))
    symbols = [casadi.SX.sym(key, len(inputs[key])) for key in ("q", "v", "forces")]
    slopes = [casadi.jacobian(function(*symbols), x) for x in symbols]
    by_q, by_v, by_forces = (
        np.array(x) for x in casadi.Function("slopes", symbols, slopes)(q, v, forces)
    )
    N = rate_matrix(system, q)
    directions = np.eye(system.n_v)
    expected_q = [rate_of_change(system, (q, v, forces), (N @ d, 0, 0)) for d in directions]
    expected_v = [rate_of_change(system, (q, v, forces), (0, d, 0)) for d in directions]
    expected_forces = [rate_of_change(system, (q, v, forces), (0, 0, d)) for d in directions]
    assert error(by_q @ N, np.stack(expected_q, axis=1)) < 1e-9
    assert error(by_v, np.stack(expected_v, axis=1)) < 1e-9
    assert error(by_forces, np.stack(expected_forces, axis=1)) < 1e-9


def rate_matrix(system, q):
    """N with qdot = N v."""
    N = np.zeros((system.n_q, system.n_v))
    for i, joint in enumerate(system.joints):
        layout = system.layout
        N[layout.modal_q(i), layout.modal_v(i)] = np.eye(system.bodies[i].n_mode)
        N[layout.hinge_q(i), layout.hinge_v(i)] = joint.rate_map(q[layout.hinge_q(i)])
    return N


def rate_of_change(system, at, along):
    """Derivative of the accelerations along a direction, by a complex step."""
    q, v, forces = (x + 1j * STEP * np.asarray(d) for x, d in zip(at, along, strict=True))
    motions = reference.kinematics_base_to_tip(system, q, v)
    return np.imag(reference.forward_dynamics(system, motions, forces)) / STEP


def test_inputs_have_the_names_of_their_vectors():
    functions = double_pendulum().equations().to_casadi()
    forward = functions["forward_dynamics"]
    assert forward.name_in() == ["q", "v", "forces", "p"] and forward.name_out() == ["out"]
    assert forward.size_in("p") == (5, 1)
    fixed = double_pendulum().equations().to_casadi(values=double_pendulum().values)
    assert fixed["mass"].name_in() == ["q"]


def test_derivatives_by_parameters_exist():
    """Of the energies by g: kinetic 0, potential over g."""
    sample = double_pendulum()
    equations, system = sample.equations(), sample.system()
    energy = equations.to_casadi(functions=["energy"])["energy"]
    q, v, p = (casadi.SX.sym(key, n) for key, n in (("q", 2), ("v", 2), ("p", 5)))
    slope = casadi.Function("slope", [q, v, p], [casadi.jacobian(energy(q, v, p), p)])
    inputs = states(system)[0]
    by_gravity = np.array(slope(inputs["q"], inputs["v"], *numbers_of(sample, equations)))[:, 0]
    potential = engine(system, inputs)["energy"][1]
    assert error(by_gravity, np.array([0.0, potential / 9.81])) < TOLERANCE


def test_written_module_takes_symbols_and_numbers(tmp_path):
    import importlib.util

    path = derive(double_pendulum().model).to_python(tmp_path / "pendulum.py", backend="casadi")
    spec = importlib.util.spec_from_file_location("pendulum", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sample = double_pendulum()
    inputs = states(sample.system())[0]
    p = casadi.DM([sample.values[s] for s in sample.equations().parameters])
    expected = engine(sample.system(), inputs)["mass"]
    assert error(np.array(module.mass(casadi.DM(inputs["q"]), p)), expected) < TOLERANCE
    assert module.mass(casadi.SX.sym("q", 2), p).shape == (2, 2)
