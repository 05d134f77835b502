"""Named frames: where they are, how they move, forces on them."""

import numpy as np
import pytest

import lissom as ls
from tests.samples.frames import arm, homogeneous, matrix
from tests.tools.measures import error

STEP = 1e-30
PLACES = ("upper", "upper.tip", "flange", "tool", "camera", "goal")


@pytest.fixture(scope="module")
def system():
    return arm().compile()


@pytest.fixture(scope="module")
def state(system):
    bent = {"upper.modes": [0.01, -0.006, 2e-4, 1e-4], "upper.mode_rates": [0.1, -0.2, 3e-3, 1e-3]}
    rates = {"upper.rates": [0.3, -0.4], "hand.rates": 0.9}
    return system.state(upper=[0.5, -0.8], hand=1.1, **bent, **rates)


def moving(system, state, vdot=0.0):
    """The state a moment later, as a complex step."""
    q = state.q + 1j * STEP * ls.qdot(system, state)
    return system.state(q, state.v + 1j * STEP * vdot)


# Kinematics


def test_a_frame_is_where_the_product_of_all_matrices_is(system, state):
    frames = arm().frames
    placed = {x: homogeneous(f.end.rotation, f.end.at) for x, f in frames.items()}
    tip, hand = (matrix(ls.pose(system, state, x)) for x in ("upper.tip", "hand"))
    expected = {
        "flange": tip @ placed["flange"],
        "camera": hand @ placed["camera"],
        "tool": hand @ placed["camera"] @ placed["tool"],
        "goal": placed["goal"],
    }
    for name, T in expected.items():
        assert error(matrix(ls.pose(system, state, name)), T) < 1e-15


@pytest.mark.parametrize("at", [None, (0.3, -0.2, 0.1)])
@pytest.mark.parametrize("where", PLACES)
def test_velocities_and_accelerations_are_derivatives(system, state, where, at):
    vdot = ls.forward_dynamics(system, state)
    later = moving(system, state, vdot)
    pose, V = ls.pose(system, state, where, at=at), ls.velocity(system, state, where, at=at)
    moved = ls.pose(system, later, where, at=at)
    spin = moved.rotation.imag / STEP @ pose.rotation.T
    omega = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
    assert np.abs(V - np.concatenate([omega, moved.position.imag / STEP])).max() < 1e-13
    A = ls.acceleration(system, state, where, at=at)
    rate = ls.velocity(system, later, where, at=at).imag / STEP
    assert np.abs(A - rate).max() <= 1e-12 * max(1.0, np.abs(A).max())


@pytest.mark.parametrize("at", [None, (0.3, -0.2, 0.1)])
@pytest.mark.parametrize("where", PLACES)
def test_jacobians_give_velocities_and_own_axes_are_turned_ones(system, state, where, at):
    R = np.kron(np.eye(2), ls.pose(system, state, where, at=at).rotation)
    J = ls.jacobian(system, state, where, at=at)
    V = ls.velocity(system, state, where, at=at)
    assert np.abs(J @ state.v - V).max() < 1e-13
    for function in (ls.jacobian, ls.velocity, ls.acceleration):
        world = function(system, state, where, at=at)
        own = function(system, state, where, at=at, axes="body")
        assert np.abs(R @ own - world).max() <= 1e-13 * max(1.0, np.abs(world).max())


@pytest.mark.parametrize("where", PLACES)
def test_kernels_and_readable_text_agree_on_frames(system, state, where):
    complex_one = system.state(state.q + 0j, state.v + 0j)
    vdot = np.linspace(-1, 1, system.n_v)
    calls = [(ls.velocity,), (ls.jacobian,), (ls.acceleration, vdot)]
    for axes in ("world", "body"):
        for function, *more in calls:
            a, b = (
                function(system, x, where, *more, at=(0.1, 0, 0.2), axes=axes)
                for x in (state, complex_one)
            )
            assert np.abs(a - b).max() <= 1e-12 * max(1.0, np.abs(a).max())


def test_a_point_of_a_frame_is_a_frame_there(system, state):
    at = np.array([0.05, 0.3, -0.1])  # where the tool is on the camera, in other axes
    for function in (ls.velocity, ls.jacobian, ls.acceleration):
        a, b = function(system, state, "camera", at=at), function(system, state, "tool")
        assert np.abs(a - b).max() < 1e-12 * max(1.0, np.abs(b).max())
    a, b = ls.pose(system, state, "camera", at=at), ls.pose(system, state, "tool")
    assert np.abs(a.position - b.position).max() < 1e-15


def test_a_frame_on_the_ground_stays_where_it_is(system, state):
    assert not np.any(ls.velocity(system, state, "goal"))
    assert ls.jacobian(system, state, "goal").shape == (6, system.n_v)
    assert not np.any(ls.jacobian(system, state, "goal", axes="body"))
    assert not np.any(ls.acceleration(system, state, "goal"))


def test_operators_know_frames(system, state):
    J = np.concatenate([ls.jacobian(system, state, x, axes="body") for x in ("tool", "flange")])
    expected = J @ np.linalg.solve(ls.mass_matrix(system, state), J.T)
    found = ls.operators(system, state).compliance(["tool", "flange"], axes="body")
    assert error(found, expected) < 1e-10
    with pytest.raises(ls.StateError, match="'goal' is fixed to the ground"):
        ls.operators(system, state).compliance("goal")


def test_formulas_and_programs_know_frames():
    model = ls.Model("pendulum")
    model.add(ls.RigidBody.rod(1.0, 2.0, com=(1, 0, 0)), ls.Revolute("y"), name="rod")
    model.frame("end", on="rod", at=(2, 0, 0), rotation={"axis": "y", "angle": 0.25})
    model.frame("pin", on="end", at=(0.0, 0.1, 0.0), rotation={"axis": "z", "angle": 0.5})
    model.frame("goal", at=(1, 2, 3))
    system, equations = model.compile(), ls.symbolic.derive(model)
    state = system.state(rod=0.7)
    values = dict(zip(equations.coordinates, state.q, strict=True))
    for where in ("end", "pin", "goal"):
        T = np.array(equations.pose(where, at=(0.1, 0.2, 0.3)).subs(values), dtype=float)
        assert error(T, matrix(ls.pose(system, state, where, at=(0.1, 0.2, 0.3)))) < 1e-14
        for axes in ("world", "body"):
            J = np.array(equations.jacobian(where, axes=axes).subs(values), dtype=float)
            assert np.abs(J - ls.jacobian(system, state, where, axes=axes)).max() < 1e-14
    program = equations.lambdify(frames=["pin"], functions=["pose_pin"])
    assert error(program.pose_pin(state.q), matrix(ls.pose(system, state, "pin"))) < 1e-14


# Forces


def test_a_force_on_a_frame_is_its_wrench_on_the_node(system, state):
    """By hand: the force turned into the axes of the hand, with its moment about the origin."""
    wrench = np.array([0.3, -0.1, 0.7, 2.0, -1.0, 0.5])
    hand, tool = (ls.pose(system, state, x) for x in ("hand", "tool"))
    turn = hand.rotation.T @ tool.rotation
    arm_of_force = hand.rotation.T @ (tool.position - hand.position)
    moment, force = turn @ wrench[:3], turn @ wrench[3:]
    on_hand = np.concatenate([moment + np.cross(arm_of_force, force), force])
    for function in (ls.forward_dynamics, ls.inverse_dynamics):
        more = () if function is ls.forward_dynamics else (np.zeros(system.n_v),)
        a = function(system, state, *more, external={"tool": wrench})
        b = function(system, state, *more, external={"hand": on_hand})
        assert error(a, b) < 1e-12


def test_the_power_of_a_force_on_a_flexible_frame_is_that_of_its_velocity(system, state):
    wrench = np.array([0.3, -0.1, 0.7, 2.0, -1.0, 0.5])
    zero = np.zeros(system.n_v)
    T = ls.inverse_dynamics(system, state, zero)
    with_force = ls.inverse_dynamics(system, state, zero, external={"flange": wrench})
    V = ls.velocity(system, state, "flange", axes="body")
    assert (T - with_force) @ state.v == pytest.approx(wrench @ V, rel=1e-11)


def test_names_and_points_that_lead_nowhere_are_named(system, state):
    for where, at, words in (
        ("toool", None, "there is no body or frame 'toool'; did you mean 'tool'"),
        ("tool.tip", None, "frame 'tool' has no node 'tip': a frame is 'tool' alone"),
        ("tool", (1, 2), r"at is \(1, 2\); expected three finite numbers \[m\].*'tool'"),
        ("tool", (1, 2, np.nan), "at is .*; expected three finite numbers"),
    ):
        with pytest.raises(ls.StateError, match=words):
            ls.pose(system, state, where, at=at)
    with pytest.raises(ls.StateError, match="'goal': this frame is fixed to the ground"):
        ls.forward_dynamics(system, state, external={"goal": np.zeros(6)})
