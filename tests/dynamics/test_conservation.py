"""What levels `full` and `stiffened` conserve: energy, momentum, the power of what is applied."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import lissom as ls
from tests.samples.flexible_arms import flexible_arm, flexible_body, spacecraft
from tests.tools.measures import TOLERANCE, error, random_state

STEP = 1e-30
POINT = np.array([0.7, -1.1, 0.4])
N_STEPS = (30, 60, 120, 240)
DURATION = 0.8


def moved(system, state, vdot):
    """The state an imaginary instant later: rates without an integrator and without differences."""
    q = state.q + 1j * STEP * ls.qdot(system, state)
    return system.state(q=q, v=state.v + 1j * STEP * vdot)


def energy_rate(system, state, vdot):
    return ls.energy(system, moved(system, state, vdot)).total.imag / STEP


def momentum_rate(system, state, vdot, about=POINT):
    return ls.momentum(system, moved(system, state, vdot), about=about).imag / STEP


def wrenches_on(system, rng):
    """Spatial forces on bodies and nodes, in the axes of their frames."""
    places = [name + node for name in system.names for node in ("", ".tip", ".side")]
    flexible = {name for name, body in zip(system.names, system.bodies, strict=True) if body.n_mode}
    places = [place for place in places if "." not in place or place.split(".")[0] in flexible]
    return {place: rng.standard_normal(6) for place in places}


def wrench_about(system, state, where, wrench, point=POINT):
    """[Moment about the point; force] in world axes of a spatial force in the axes of its frame."""
    pose = ls.pose(system, state, where)
    moment, force = pose.rotation @ wrench[:3], pose.rotation @ wrench[3:]
    return np.concatenate([moment + np.cross(pose.position - point, force), force])


def weight_about(system, state, point=POINT):
    force = sum(body.mass for body in system.bodies) * system.gravity
    return np.concatenate([np.cross(ls.center_of_mass(system, state) - point, force), force])


SYSTEMS = {
    "spacecraft": spacecraft,
    "arm": lambda: flexible_arm(damping=0.0),
    "stiffened spacecraft": lambda: spacecraft("stiffened"),
    "stiffened arm": lambda: flexible_arm("stiffened", damping=0.0),
}


CASES = [(name, seed) for name in SYSTEMS for seed in range(2 if "stiff" in name else 4)]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]} {case[1]}")
def loaded(request):
    """System, state, generalized forces, external forces and the accelerations they cause."""
    name, seed = request.param
    system, rng = SYSTEMS[name](), np.random.default_rng(seed)
    state = random_state(system, rng, deformation=0.3)
    forces, external = 5 * rng.standard_normal(system.n_v), wrenches_on(system, rng)
    vdot = ls.forward_dynamics(system, state, forces, external=external)
    return system, state, forces, external, vdot


def test_power_balance(loaded):
    """The energy grows by the power of the applied forces."""
    system, state, forces, external, vdot = loaded
    powers = [forces * state.v] + [
        wrench * ls.velocity(system, state, where, axes="body")
        for where, wrench in external.items()
    ]
    scale = sum(np.abs(power).sum() for power in powers)
    expected = sum(power.sum() for power in powers)
    assert abs(energy_rate(system, state, vdot) - expected) < TOLERANCE * scale


def test_momentum_balance(loaded):
    """The momentum grows by the external forces, the weight and what the ground gives."""
    system, state, _, external, vdot = loaded
    ground = ls.joint_forces(system, state, vdot, external=external)[0]
    given = [weight_about(system, state), wrench_about(system, state, system.names[0], ground)]
    given += [wrench_about(system, state, *pair) for pair in external.items()]
    assert error(momentum_rate(system, state, vdot), sum(given)) < TOLERANCE


def test_forces_on_a_free_base_are_external():
    """The free joint's generalized forces are the spatial force through it, in body axes."""
    system, rng = spacecraft(), np.random.default_rng(5)
    state, forces = random_state(system, rng), rng.standard_normal(system.n_v)
    vdot = ls.forward_dynamics(system, state, forces)
    expected = wrench_about(system, state, "hub", forces[:6])
    assert error(momentum_rate(system, state, vdot), expected) < TOLERANCE


def test_linear_momentum_is_mass_times_velocity_of_the_centre_of_mass(loaded):
    system, state, *_ = loaded
    later = moved(system, state, np.zeros(system.n_v))
    velocity = ls.center_of_mass(system, later).imag / STEP
    mass = sum(body.mass for body in system.bodies)
    assert error(ls.momentum(system, state)[3:], mass * velocity) < TOLERANCE


def gradient(system, state, function):
    """Derivatives of function(state) along the motions of the single speeds, v itself held."""
    directions = (ls.qdot(system, state.replace(v=e)) for e in np.eye(system.n_v))
    states = (state.replace(q=state.q + 1j * STEP * direction) for direction in directions)
    return np.array([function(later).imag / STEP for later in states])


def potential_gradient(system, state):
    def potential(state):
        energy = ls.energy(system, state)
        return energy.potential + energy.strain

    return gradient(system, state, potential)


def test_forces_at_rest_are_the_gradient_of_the_potential(loaded):
    system, state, *_ = loaded
    at_rest = state.replace(v=np.zeros(system.n_v))
    work = potential_gradient(system, state)
    assert error(ls.bias_force(system, at_rest), work) < TOLERANCE


def turning_of_the_axes(system, state, p):
    """The term of Poincare's equations for speeds that are components in turning axes."""
    term = np.zeros(system.n_v)
    for name, joint in zip(system.names, system.joints, strict=True):
        hinge = system.layout.hinge_v(name)
        if joint.has_quaternion:
            w, u = state.v[hinge][:3], state.v[hinge][3:]
            p_w, p_u = p[hinge][:3], p[hinge][3:]
            turned = [np.cross(w, p_w)]
            if len(u):
                turned = [turned[0] + np.cross(u, p_u), np.cross(w, p_u)]
            term[hinge] = np.concatenate(turned)
    return term


def test_equations_of_motion_are_poincares(loaded):
    """d(M v)/dt + turning of the axes - gradient of v M v / 2 + gradient of the potential = forces.

    Here M(q) is all that the velocity terms are made of; gyroscopic ones, which no conservation law
    sees, are among them.
    """
    system, state, _, _, vdot = loaded
    later = moved(system, state, vdot)
    p = ls.mass_matrix(system, state) @ state.v
    p_rate = (ls.mass_matrix(system, later) @ later.v).imag / STEP
    kinetic = gradient(system, state, lambda s: s.v @ ls.mass_matrix(system, s) @ s.v / 2)
    potential = potential_gradient(system, state)
    expected = p_rate + turning_of_the_axes(system, state, p) - kinetic + potential
    assert error(ls.inverse_dynamics(system, state, vdot), expected) < TOLERANCE


DAMPING = np.array([[1.0, 0.6], [-0.3, 0.8]])  # not symmetric, as a gyroscopic part makes it


def damped_arm(damping):
    model = ls.Model("damped", gravity=(0, 0, -9.81))
    body = flexible_body(6, damping=damping)
    model.add(body, ls.Spherical(), name="link")
    return body, model.compile()


@pytest.mark.parametrize("seed", range(3))
def test_energy_falls_by_the_damping(seed):
    body, system = damped_arm(DAMPING)
    state = random_state(system, np.random.default_rng(seed))
    amplitudes = body.transform @ state["link.mode_rates"]
    vdot = ls.forward_dynamics(system, state)
    loss = energy_rate(system, state, vdot)
    assert loss < 0
    assert abs(loss + amplitudes @ DAMPING @ amplitudes) < TOLERANCE * abs(loss)


def test_damping_force_is_the_matrix_times_the_rates():
    (body, damped), (_, undamped) = damped_arm(DAMPING), damped_arm(0.0)
    state = random_state(damped, np.random.default_rng(1))
    same = undamped.state(q=state.q, v=state.v)
    own = ls.bias_force(damped, state) - ls.bias_force(undamped, same)
    T = body.transform
    expected = np.concatenate([T.T @ DAMPING @ T @ state["link.mode_rates"], np.zeros(3)])
    assert error(own, expected) < TOLERANCE


def without_deformation(system, state):
    pieces = [f"{name}.{part}" for name in system.names for part in ("modes", "mode_rates")]
    return system.state(q=state.q, v=state.v, **{piece: 0 * state[piece] for piece in pieces})


@pytest.mark.parametrize("make", [spacecraft, flexible_arm], ids=["spacecraft", "arm"])
@pytest.mark.parametrize("seed", range(3))
def test_linear_equals_full_without_deformation(make, seed):
    full, linear = make("full"), make("linear")
    state = without_deformation(full, random_state(full, np.random.default_rng(seed)))
    same = linear.state(q=state.q, v=state.v)
    for quantity in (ls.mass_matrix, ls.bias_force, ls.forward_dynamics, ls.joint_forces):
        assert error(quantity(linear, same), quantity(full, state)) < TOLERANCE


def rate(system, y):
    """Time derivative of y = [q, v] of the system left to itself."""
    state = system.state(q=y[: system.n_q], v=y[system.n_q :])
    return np.concatenate([ls.qdot(system, state), ls.forward_dynamics(system, state)])


def runge_kutta_step(system, y, h):
    k1 = rate(system, y)
    k2 = rate(system, y + h / 2 * k1)
    k3 = rate(system, y + h / 2 * k2)
    k4 = rate(system, y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def trajectory(system, state, n_steps):
    """States of the classical Runge-Kutta method with a fixed step; quaternions may drift."""
    y, states = np.concatenate([state.q, state.v]), [state]
    for _ in range(n_steps):
        y = runge_kutta_step(system, y, DURATION / n_steps)
        states.append(system.state(q=y[: system.n_q], v=y[system.n_q :]))
    return states


def drift(values, size=None):
    """Largest departure from the first value, relative to the size, by default that value's."""
    values = np.array(values).reshape(len(values), -1)
    size = np.linalg.norm(values[0]) if size is None else size
    return np.linalg.norm(values - values[0], axis=1).max() / size


def fitted_order(drifts):
    return -np.polyfit(np.log(N_STEPS), np.log(drifts), 1)[0]


def energies(system, states):
    return [ls.energy(system, state).total for state in states]


CONSERVED = {
    "energy": energies,
    "linear momentum": lambda system, states: [ls.momentum(system, s)[3:] for s in states],
    "angular momentum about the origin": lambda system, states: [
        ls.momentum(system, s)[:3] for s in states
    ],
    "angular momentum about a point": lambda system, states: [
        ls.momentum(system, s, about=POINT)[:3] for s in states
    ],
}


@cache
def free_motions(level="full"):
    system = spacecraft(level)
    state = random_state(system, np.random.default_rng(11), deformation=0.2)
    return system, [trajectory(system, state, n) for n in N_STEPS]


def assert_drift_is_the_integrators(drifts):
    """It falls with the fourth power of the step, or the fifth, towards nothing."""
    assert 3.7 < fitted_order(drifts) < 5.5, drifts
    assert drifts[-1] < 1e-7, drifts


@pytest.mark.parametrize("quantity", CONSERVED)
@pytest.mark.parametrize("level", ["full", "stiffened"])
def test_free_motion_conserves(quantity, level):
    system, motions = free_motions(level)
    drifts = [drift(CONSERVED[quantity](system, states)) for states in motions]
    assert_drift_is_the_integrators(drifts)


def test_the_free_motion_is_a_test():
    """It bends, twists and turns enough to show a missing term."""
    system, motions = free_motions()
    states = motions[-1]
    strain = [ls.energy(system, s).strain for s in states]
    kinetic = [ls.energy(system, s).kinetic for s in states]
    assert np.ptp(strain) > 0.05 * np.mean(kinetic)
    twist = max(
        np.linalg.norm(system.bodies[i].node_shapes[-1, :3] @ s[f"{name}.modes"])
        for s in states
        for i, name in ((1, "boom"), (2, "panel"))
    )
    assert twist > 0.15
    relative = ls.pose(system, states[0], "panel").rotation.T @ (
        ls.pose(system, states[-1], "panel").rotation
    )
    assert np.arccos((np.trace(relative) - 1) / 2) > 0.5


def test_motion_under_gravity_on_the_ground_conserves_energy():
    system = flexible_arm(damping=0.0)
    state = random_state(system, np.random.default_rng(12))
    size = ls.energy(system, state).kinetic  # the zero of the potential is anywhere
    motions = [trajectory(system, state, n) for n in N_STEPS]
    drifts = [drift(energies(system, states), size) for states in motions]
    assert_drift_is_the_integrators(drifts)


def test_damping_takes_energy_away():
    system = spacecraft(damping=0.1)
    state = random_state(system, np.random.default_rng(13))
    states = trajectory(system, state, 80)
    assert np.all(np.diff(energies(system, states)) < 0)
    for quantity in list(CONSERVED)[1:]:
        assert drift(CONSERVED[quantity](system, states)) < 1e-5
