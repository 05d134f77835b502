"""The reference implementation runs unchanged on complex numbers, SymPy and CasADi objects."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import lissom as ls
from tests.references.peers import peer
from tests.samples.flexible_arms import AXLE, flexible_arm, flexible_body
from tests.tools.measures import TOLERANCE, error, random_state
from tests.tools.sympy_numbers import sympy_case

STEP = 1e-30
LEVELS = ("full", "linear")
DERIVATIVE_TOLERANCE = 1e-12


def complex_step(function, x):
    """Jacobian of function(x), column by column."""
    return np.stack([function(x + 1j * STEP * e).imag / STEP for e in np.eye(len(x))], axis=1)


def extrapolated_differences(function, x, h=0.02):
    """Jacobian by central differences of three steps, extrapolated to the sixth order."""

    def central(h):
        pairs = [(function(x + h * e), function(x - h * e)) for e in np.eye(len(x))]
        return np.stack([(a - b) / (2 * h) for a, b in pairs], axis=1)

    first, second, third = central(h), central(h / 2), central(h / 4)
    coarse, fine = (4 * second - first) / 3, (4 * third - second) / 3
    return (16 * fine - coarse) / 15


class Arm:
    """The flexible arm at one level, in a state that bends it, and its forward dynamics."""

    def __init__(self, level):
        rng = np.random.default_rng(3)
        self.system = flexible_arm(level)
        self.state = random_state(self.system, rng)
        self.forces = rng.standard_normal(self.system.n_v)
        self.wrench = rng.standard_normal(6)
        self.arguments = (self.state.q, self.state.v, self.forces)

    def forward(self, q, v, forces):
        state = self.system.state(q=q, v=v)
        external = {"lower.side": self.wrench}
        return ls.forward_dynamics(self.system, state, forces, external=external)

    def function_of(self, index):
        """The acceleration as a function of q, v or the forces, the others held."""

        def function(x):
            given = list(self.arguments)
            given[index] = x
            return self.forward(*given)

        return function


@pytest.fixture(scope="module", params=LEVELS)
def arm(request):
    return Arm(request.param)


def casadi_vector(ca, name, n):
    """A CasADi vector and the object array of its entries."""
    vector = ca.SX.sym(name, n)
    entries = np.empty(n, dtype=object)
    entries[:] = ca.vertsplit(vector)
    return vector, entries


def casadi_forward(ca, arm):
    """CasADi function (q, v, forces) -> acceleration and its three Jacobians."""
    sizes = {"q": arm.system.n_q, "v": arm.system.n_v, "forces": arm.system.n_v}
    pairs = [casadi_vector(ca, name, n) for name, n in sizes.items()]
    vdot = ca.vertcat(*arm.forward(*(entries for _, entries in pairs)))
    symbols = [vector for vector, _ in pairs]
    return ca.Function("forward", symbols, [vdot, *(ca.jacobian(vdot, x) for x in symbols)])


def test_complex_step_equals_automatic_differentiation(arm):
    ca = peer("casadi")
    value, *jacobians = (np.array(x) for x in casadi_forward(ca, arm)(*arm.arguments))
    assert error(arm.forward(*arm.arguments), value[:, 0]) < DERIVATIVE_TOLERANCE
    for index, expected in enumerate(jacobians):
        own = complex_step(arm.function_of(index), arm.arguments[index])
        assert error(own, expected) < DERIVATIVE_TOLERANCE


@pytest.mark.parametrize("index", range(3), ids=["q", "v", "forces"])
def test_complex_step_equals_extrapolated_differences(arm, index):
    function, x = arm.function_of(index), arm.arguments[index]
    if index == 0:  # quaternions are read as quaternion / |quaternion|, but far ones are refused
        h = 5e-4
        assert error(complex_step(function, x), extrapolated_differences(function, x, h)) < 1e-8
    else:
        assert error(complex_step(function, x), extrapolated_differences(function, x)) < 1e-8


@pytest.mark.parametrize("method", ["articulated", "composite"])
def test_derivative_by_forces_is_the_inverse_mass_matrix(arm, method):
    system, state = arm.system, arm.state

    def function(forces):
        return ls.forward_dynamics(system, state, forces, method=method)

    inverse = np.linalg.inv(ls.mass_matrix(system, state))
    assert error(complex_step(function, arm.forces), inverse) < DERIVATIVE_TOLERANCE


def test_derivative_by_acceleration_is_the_mass_matrix(arm):
    system, state = arm.system, arm.state
    own = complex_step(lambda a: ls.inverse_dynamics(system, state, a), arm.forces)
    assert error(own, ls.mass_matrix(system, state)) < DERIVATIVE_TOLERANCE


@pytest.mark.parametrize("where", ["upper", "upper.side", "lower.tip"])
def test_jacobian_is_the_derivative_of_velocity(arm, where):
    system, state = arm.system, arm.state
    own = complex_step(lambda v: ls.velocity(system, state.replace(v=v), where), state.v)
    assert error(own, ls.jacobian(system, state, where)) < DERIVATIVE_TOLERANCE


@pytest.mark.parametrize("where", ["upper", "upper.side", "lower.tip"])
def test_acceleration_is_the_rate_of_velocity(arm, where):
    system, state, vdot = arm.system, arm.state, arm.forces
    moved = system.state(
        q=state.q + 1j * STEP * ls.qdot(system, state), v=state.v + 1j * STEP * vdot
    )
    rate = ls.velocity(system, moved, where).imag / STEP
    assert error(ls.acceleration(system, state, where, vdot), rate) < DERIVATIVE_TOLERANCE


EVERY_JOINT = {
    "fixed": ls.Fixed(),
    "revolute": ls.Revolute(AXLE),
    "prismatic": ls.Prismatic(AXLE),
    "screw": ls.Screw(AXLE, 0.3),
    "cylindrical": ls.Cylindrical(AXLE),
    "universal": ls.Universal(AXLE, "y"),
    "spherical": ls.Spherical(),
    "planar": ls.Planar(AXLE),
    "free": ls.Free(),
    "simple": ls.SimpleJoint([0.2, -0.4, 0.7, 0.3, 0.1, -0.5]),
    "slow": ls.SimpleJoint([1e-3, 2e-3, -1e-3, 1.0, 0.5, 0.3]),
    "compound": ls.CompoundJoint([np.eye(6)[:, :3], [0.2, -0.4, 0.7, 0.3, 0.1, -0.5]]),
}
QUANTITIES = {
    "mass_matrix": ls.mass_matrix,
    "bias_force": ls.bias_force,
    "gravity_force": ls.gravity_force,
    "forward_dynamics": ls.forward_dynamics,
    "composite": lambda system, state: ls.forward_dynamics(system, state, method="composite"),
    "joint_forces": ls.joint_forces,
    "qdot": ls.qdot,
    "energy": lambda system, state: np.array([ls.energy(system, state).total]),
    "momentum": ls.momentum,
    "center_of_mass": ls.center_of_mass,
    "position": lambda system, state: ls.pose(system, state, "link.tip").position,
    "rotation": lambda system, state: ls.pose(system, state, "link.tip").rotation,
    "velocity": lambda system, state: ls.velocity(system, state, "link.tip"),
    "acceleration": lambda system, state: ls.acceleration(system, state, "link.tip"),
    "jacobian": lambda system, state: ls.jacobian(system, state, "link.tip", axes="body"),
}


def one_joint_system(joint):
    """A rigid base on a hinge that carries a flexible link on the given joint."""
    model = ls.Model("one joint", gravity=(1, -2, 3))
    base = ls.RigidBody(2.0, (0.1, 0.2, 0.3), np.diag([0.3, 0.4, 0.5]))
    model.add(base, ls.Revolute(AXLE), name="base")
    model.add(flexible_body(4, n_mode=1), joint, name="link", to="base", at=(0.3, -0.1, 0.2))
    return model.compile()


@pytest.mark.parametrize("joint", EVERY_JOINT)
def test_every_quantity_runs_on_casadi_objects(joint):
    ca = peer("casadi")
    system = one_joint_system(EVERY_JOINT[joint])
    state = random_state(system, np.random.default_rng(5))
    (q, q_entries), (v, v_entries) = (
        casadi_vector(ca, "q", system.n_q),
        casadi_vector(ca, "v", system.n_v),
    )
    symbolic = system.state(q=q_entries, v=v_entries)
    for name, quantity in QUANTITIES.items():
        expected = quantity(system, state)
        entries = ca.vertcat(*np.ravel(quantity(system, symbolic)))
        value = np.array(ca.Function("f", [q, v], [entries])(state.q, state.v))
        assert error(value.reshape(expected.shape), expected) < TOLERANCE, name


@pytest.mark.parametrize("joint", EVERY_JOINT)
def test_every_quantity_runs_on_complex_numbers(joint):
    system = one_joint_system(EVERY_JOINT[joint])
    state = random_state(system, np.random.default_rng(5))
    at_zero = system.state(q=state.q + 0j, v=state.v + 0j)
    for name, quantity in QUANTITIES.items():
        value = quantity(system, at_zero)
        assert error(value.real, quantity(system, state)) < TOLERANCE, name
        assert not np.any(value.imag), name


def revolute_arm(n_mode):
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    model.add(flexible_body(1, n_mode=n_mode, damping=0.1), ls.Revolute("z"), name="upper")
    lower = flexible_body(2, n_mode=n_mode, level="linear")
    model.add(lower, ls.Revolute(AXLE), name="lower", to="upper.tip")
    return model.compile()


SYMPY_FUNCTIONS = {
    "mass_matrix": lambda system, state, x: ls.mass_matrix(system, state),
    "bias_force": lambda system, state, x: ls.bias_force(system, state),
    "inverse_dynamics": ls.inverse_dynamics,
    "forward_dynamics": ls.forward_dynamics,
    "composite": lambda *given: ls.forward_dynamics(*given, method="composite"),
}


@pytest.mark.parametrize("name", SYMPY_FUNCTIONS)
def test_sympy_expressions_of_a_flexible_arm(name):
    system, function = revolute_arm(n_mode=1), SYMPY_FUNCTIONS[name]
    symbolic, x, state, given, evaluate = sympy_case(system)
    value = evaluate.of_array(function(system, symbolic, x))
    assert error(value, function(system, state, given)) < TOLERANCE


def test_sympy_expressions_of_one_flexible_link_lambdify():
    model = ls.Model("link", gravity=(0, 0, -9.81))
    model.add(flexible_body(1, n_mode=2), ls.Revolute(AXLE), name="link")
    system = model.compile()
    symbolic, x, state, given, _ = sympy_case(system)
    vdot = ls.forward_dynamics(system, symbolic, x)
    function = sympy.lambdify([*symbolic.q, *symbolic.v, *x], vdot.tolist())
    value = function(*state.q, *state.v, *given)
    assert error(value, ls.forward_dynamics(system, state, given)) < TOLERANCE


MASS, PITCH, STIFFNESS, GRAVITY, LENGTH = sympy.symbols("mass pitch stiffness gravity length")
VALUES = {MASS: 2.0, PITCH: 0.2, STIFFNESS: 30.0, GRAVITY: 9.81, LENGTH: 0.3}


def parametric_model(mass, pitch, stiffness, gravity, length):
    """Every kind of parameter, as numbers or as symbols."""
    rng = np.random.default_rng(7)
    model = ls.Model("parametric", gravity=(0, 0, -gravity))
    body = ls.RigidBody(mass=mass, com=(length, 0, 0), inertia=[mass / 10, mass / 9, mass / 8])
    model.add(body, ls.Screw("x", pitch=pitch), name="nut", at=(length, 0, 1))
    positions = [[0, 0, 0], [1, 0, length], [2, 1, 0], [2, 0, 1]]
    shapes = 0.3 * rng.standard_normal((4, 6, 2))
    K = [[stiffness, 0], [0, 2 * stiffness]]
    link = ls.FlexibleBody(positions, [mass, mass, 1.0, 1.0], shapes, K, 0.01)
    model.add(link, ls.Universal((length, 1, 0), "z"), name="link", to="nut")
    return model


def test_symbols_as_parameters_become_numbers():
    from_symbols = parametric_model(*VALUES).compile(values=VALUES)
    from_numbers = parametric_model(*VALUES.values()).compile()
    state = random_state(from_numbers, np.random.default_rng(8))
    same = from_symbols.state(q=state.q, v=state.v)
    own = ls.forward_dynamics(from_symbols, same)
    assert error(own, ls.forward_dynamics(from_numbers, state)) < 1e-14


@pytest.mark.parametrize("missing", VALUES, ids=str)
def test_a_symbol_without_a_value_is_named(missing):
    values = {symbol: value for symbol, value in VALUES.items() if symbol != missing}
    with pytest.raises(ls.ModelError, match=str(missing)):
        parametric_model(*VALUES).compile(values=values)


def test_values_of_symbols_are_checked_like_numbers():
    with pytest.raises(ls.ModelError, match=r"'nut'.*mass is -1 kg"):
        parametric_model(*VALUES).compile(values=VALUES | {MASS: -1.0})
    with pytest.raises(ls.ModelError, match=r"'link'.*stiffness is indefinite"):
        parametric_model(*VALUES).compile(values=VALUES | {STIFFNESS: -1.0})
