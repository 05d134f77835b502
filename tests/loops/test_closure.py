"""closure: differences of poses, closed forms of planar linkages, and its own identities."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import lissom as ls
from tests.samples.closures import (
    JOINTS,
    TURN,
    clamped_beam,
    closed_tree,
    four_bar,
    four_bar_angles,
)
from tests.tools.measures import error

LENGTHS = (1.0, 2.0, 1.5, 2.0)


def four_bar_state(system, crank=-1.0, branch=1, rate=0.0):
    """Closed in closed form, at the speeds of the textbook."""
    coupler, rocker = four_bar_angles(LENGTHS, crank, branch)
    a, b, c, _ = LENGTHS
    # a sin(A) wa + b sin(B) wb + c sin(C) wc = 0, the same with cosines
    w_coupler = rate * a * np.sin(rocker - crank) / (b * np.sin(coupler - rocker))
    w_rocker = rate * a * np.sin(crank - coupler) / (c * np.sin(coupler - rocker))
    q = [crank, coupler - crank, rocker - coupler]
    v = [rate, w_coupler - rate, w_rocker - w_coupler]
    return system.state(q, v)


def relative_pose(system, state):
    """Frame b in frame a of the loop "ring", composed by hand."""
    loop = system.loops[0]
    frames = []
    for name, end in (("left hand", loop.a), ("right hand", loop.b)):
        body = ls.pose(system, state, name)
        frames.append((body.rotation @ end.rotation, body.position + body.rotation @ end.position))
    (R_a, p_a), (R_b, p_b) = frames
    return R_a.T @ R_b, R_a.T @ (p_b - p_a)


def along(system, state, speeds, t, steps=4):
    """Coordinates after a time t at constant speeds, by Runge and Kutta's method."""
    h, q = t / steps, state.q.copy()

    def rate(q):
        return ls.qdot(system, ls.State(system, q, speeds))

    for _ in range(steps):
        k1 = rate(q)
        k2 = rate(q + h / 2 * k1)
        k3 = rate(q + h / 2 * k2)
        q = q + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(q + h * k3))
    return system.state(q, speeds)


def twist(ahead, behind, here, t):
    """Rate of a pose [angular; linear] in its own axes, from poses before and after."""
    turning = here[0].T @ (ahead[0] - behind[0]) / (2 * t)
    angular = [turning[2, 1] - turning[1, 2], turning[0, 2] - turning[2, 0]]
    angular = np.array([*angular, turning[1, 0] - turning[0, 1]]) / 2
    return np.concatenate([angular, here[0].T @ (ahead[1] - behind[1]) / (2 * t)])


def differences(pose_at, n, here, t=1e-5):
    """Columns of rates of a pose, one for each unit motion."""
    columns = [twist(pose_at(x), pose_at(-x), here, t) for x in t * np.eye(n)]
    return np.array(columns).reshape(n, 6).T


@pytest.mark.parametrize("name", JOINTS)
def test_jacobian_is_the_part_of_relative_motion_that_the_joint_prevents(name):
    """A^T A = D^T (1 - Q Q^T) D: D motions by differences, Q an orthonormal basis of H*."""
    joint = JOINTS[name]
    system, state, q = closed_tree(joint, np.random.default_rng(3))
    here = relative_pose(system, state)
    D = differences(
        lambda x: relative_pose(system, along(system, state, x / 1e-5, 1e-5)), system.n_v, here
    )
    # the joint's motions, by differences of its pose along its coordinates
    rates = differences(lambda x: joint.pose(q + x), joint.n_q, here)
    scale = np.array([system.length] * 3 + [1.0] * 3)
    D, rates = scale[:, None] * D, scale[:, None] * rates
    if joint.has_quaternion:
        rates = scale[:, None] * np.eye(6)[:, :3]
    Q = np.linalg.svd(rates, full_matrices=False)[0][:, : joint.n_v]
    left = D - Q @ (Q.T @ D)
    A = ls.closure(system, state).jacobian
    assert A.shape == (6 - joint.n_v, system.n_v)
    assert error(A.T @ A, left.T @ left) < 1e-7


@pytest.mark.parametrize("name", JOINTS)
def test_bias_is_the_second_derivative_of_the_gap_at_constant_speeds(name):
    system, state, _ = closed_tree(JOINTS[name], np.random.default_rng(5))
    state = ls.assemble(system, state)
    found, t = ls.closure(system, state), 1e-4
    ahead, behind = (ls.closure(system, along(system, state, state.v, x)).gap for x in (t, -t))
    expected = (ahead + behind) / t**2
    assert np.abs(found.bias).max() > 0.1
    assert error(found.bias, expected) < 2e-5


@pytest.mark.parametrize("name", JOINTS)
def test_gap_is_zero_where_the_loop_was_closed_and_coordinates_are_those_of_its_joint(name):
    joint = JOINTS[name]
    system, state, q = closed_tree(joint, np.random.default_rng(1))
    found = ls.closure(system, state)
    assert np.abs(found.gap).max() < 1e-13
    R, r = joint.pose(q)
    S, s = joint.pose(found.coordinates["ring"])
    np.testing.assert_allclose(S, R, atol=1e-12)
    np.testing.assert_allclose(s, r, atol=1e-12)


@pytest.mark.parametrize("name", JOINTS)
def test_operational_is_the_dense_product(name):
    system, state, _ = closed_tree(JOINTS[name], np.random.default_rng(2))
    found, M = ls.closure(system, state), ls.mass_matrix(system, state)
    A = found.jacobian
    assert error(found.operational, A @ np.linalg.solve(M, A.T)) < 1e-10
    np.testing.assert_allclose(found.rate, A @ state.v, atol=1e-12)


@pytest.mark.parametrize("name", JOINTS)
def test_basis_spans_all_motions_that_keep_the_loop_closed(name):
    system, state, _ = closed_tree(JOINTS[name], np.random.default_rng(4))
    found = ls.closure(system, state)
    A, B = found.jacobian, found.basis
    values = np.linalg.svd(A, compute_uv=False)
    assert found.rank == np.sum(values > 1e-9 * values[0])
    assert B.shape == (system.n_v, system.n_v - found.rank)
    assert np.abs(A @ B).max() < 1e-12 * np.abs(A).max() * np.abs(B).max()
    np.testing.assert_array_equal(B[list(found.independent.indices)], np.eye(B.shape[1]))
    M = ls.mass_matrix(system, state)
    assert error(found.mass_matrix, B.T @ M @ B) < 1e-13


def test_readable_text_gives_the_same(monkeypatch):
    system, state, _ = closed_tree(JOINTS["universal"], np.random.default_rng(8))
    compiled = ls.closure(system, state)
    values = compiled.gap, compiled.jacobian, compiled.mass_matrix
    monkeypatch.setattr("lissom.algorithms.tree.arguments.READABLE", True)
    readable = ls.closure(system, state)
    for a, b in zip(values, (readable.gap, readable.jacobian, readable.mass_matrix), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)


# Planar linkages in closed form


@pytest.mark.parametrize("branch", [1, -1])
@pytest.mark.parametrize("crank", [-2.3, -1.0, 0.4, 2.0])
def test_mass_matrix_of_a_four_bar_is_the_textbooks_reduced_inertia(crank, branch):
    """Sum of m |dx/dcrank|^2 + J (dangle/dcrank)^2 over the links."""
    system = four_bar(LENGTHS)
    state = four_bar_state(system, crank, branch, rate=1.0)
    angles, rates = np.cumsum(state.q), np.cumsum(state.v)
    reduced, end = 0.0, np.zeros(2)
    for mass, length, angle, rate in zip((1.0, 2.0, 1.5), LENGTHS[:3], angles, rates, strict=True):
        across = rate * length * np.array([-np.sin(angle), np.cos(angle)])
        center = end + across / 2
        reduced += mass * (center @ center) + mass * length**2 / 12 * rate**2
        end = end + across
    assert np.abs(end).max() < 1e-14  # the last joint does not move
    found = ls.closure(system, state)
    assert found.independent.indices == (0,)
    assert found.independent.names == ("hinge rate 0 of body 'crank'",)
    np.testing.assert_allclose(found.mass_matrix, [[reduced]], rtol=1e-12)
    np.testing.assert_allclose(found.basis[:, 0], state.v, atol=1e-13)
    np.testing.assert_allclose(found.rate, 0, atol=1e-14)


def slider_crank(a=0.4, b=1.1):
    model = ls.Model("slider-crank")
    model.add(ls.RigidBody.rod(2.0, a, com=(a / 2, 0, 0)), TURN, name="crank")
    model.add(
        ls.RigidBody.rod(1.0, b, com=(b / 2, 0, 0)), TURN, to="crank", at=(a, 0, 0), name="rod"
    )
    model.add(ls.RigidBody(3.0), ls.Prismatic("x"), name="piston")
    model.close(TURN, "rod", "piston", at_a=(b, 0, 0), name="wrist")
    return model.compile()


@pytest.mark.parametrize("crank", [0.3, 1.2, 2.9, -1.9])
def test_mass_matrix_of_a_slider_crank_is_the_textbooks(crank):
    """x = a cos + sqrt(b^2 - a^2 sin^2), and its derivatives."""
    a, b = 0.4, 1.1
    system = slider_crank(a, b)
    sine, cosine = np.sin(crank), np.cos(crank)
    lean = -np.arcsin(a * sine / b)
    x = a * cosine + b * np.cos(lean)
    lean_rate = -a * cosine / (b * np.cos(lean))
    x_rate = -a * sine - b * np.sin(lean) * lean_rate
    state = system.state(crank=crank, rod=lean - crank, piston=x)
    found = ls.closure(system, state)
    assert np.abs(found.gap).max() < 1e-15
    assert found.independent.names == ("hinge rate 0 of body 'crank'",)
    np.testing.assert_allclose(found.basis[:, 0], [1, lean_rate - 1, x_rate], atol=1e-13)
    center = np.array([-a * sine - b / 2 * np.sin(lean) * lean_rate, a * cosine / 2])
    reduced = 2.0 * a**2 / 3 + center @ center + b**2 / 12 * lean_rate**2 + 3.0 * x_rate**2
    np.testing.assert_allclose(found.mass_matrix, [[reduced]], rtol=1e-12)


def test_coordinates_of_the_pin_are_the_rockers_angle_to_the_ground():
    system = four_bar(LENGTHS)
    state = four_bar_state(system, 0.7)
    angle = np.sum(state.q)
    found = ls.closure(system, state).coordinates["pin"]
    np.testing.assert_allclose(found, [(angle + np.pi) % (2 * np.pi) - np.pi], atol=1e-13)


# Redundancy


def test_planar_four_bar_with_a_spatial_pin_has_three_equations_too_many():
    found = ls.closure(four_bar(LENGTHS), four_bar_state(four_bar(LENGTHS)))
    assert (found.system.n_constraint, found.rank) == (5, 2)
    assert set(found.redundant["pin"]) == {
        "rotation about x",
        "rotation about z",
        "displacement along y",
    }
    # the words are the truth: forces in these directions act on nothing
    values = np.linalg.svd(found.operational, compute_uv=False)
    assert np.sum(values > 1e-12 * values[0]) == 2


@pytest.mark.parametrize(
    "joint, words",
    [
        (ls.Cylindrical("y"), ("rotation about x", "rotation about z")),
        (ls.Spherical(), ("displacement along y",)),
        (ls.Fixed(), ("rotation about x", "rotation about z", "displacement along y")),
    ],
)
def test_redundancy_of_other_pins(joint, words):
    system = four_bar(LENGTHS, joint=joint)
    found = ls.closure(system, four_bar_state(system))
    assert set(found.redundant["pin"]) == set(words)
    assert found.system.n_constraint - found.rank == len(words)


def test_oblique_redundancy_is_a_combination_of_axes():
    """A pin whose frame is turned by 0.3 rad about x: what is prevented twice is turned too."""
    c, s = np.cos(0.3), np.sin(0.3)
    turn = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    model = ls.Model("turned")
    rod = ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0))
    model.add(rod, TURN, name="one")
    model.add(rod, TURN, to="one", at=(1, 0, 0), name="two")
    pin = dict(rotation_a=turn, rotation_b=turn)
    model.close(ls.Spherical(), None, "two", at_a=(1, 0, 0), at_b=(1, 0, 0), **pin, name="pin")
    system = model.compile()
    state = system.state(one=np.pi / 3, two=-2 * np.pi / 3)
    (words,) = ls.closure(system, state).redundant["pin"]
    # y of the world in the pin's axes, up to its sign
    assert words.replace("-", "+").split("+")[1:] == [
        f"{c:.2f} displacement along y ",
        f"{s:.2f} displacement along z",
    ]


def test_a_loop_closed_twice_is_redundant_as_a_whole():
    model = ls.Model("twice")
    rod = ls.RigidBody(1.0, com=(0.5, 0, 0), inertia=(0.1, 0.2, 0.2))
    model.add(rod, ls.Spherical(), name="one")
    model.add(rod, ls.Spherical(), to="one", at=(1, 0, 0), name="two")
    for name in ("first", "second"):
        model.close(ls.Spherical(), None, "two", at_a=(1, 0, 0), at_b=(1, 0, 0), name=name)
    system = model.compile()
    half = np.sqrt(0.5)
    state = ls.assemble(system, system.state(one=[half, 0, half, 0], two=[half, 0, -half, 0.0]))
    found = ls.closure(system, state)
    assert found.redundant["first"] == ()
    assert set(found.redundant["second"]) == {f"displacement along {x}" for x in "xyz"}
    assert found.rank == 3


def test_rank_drops_where_a_parallelogram_is_flat():
    """All links on a line: the two equations of the plane become one, and two motions are free."""
    system = four_bar((1.0, 2.0, 1.0, 2.0))
    up = system.state([0.4, -0.4, 0.4 + np.pi])
    flat = system.state([0.0, 0.0, np.pi])
    assert np.abs(ls.closure(system, up).gap).max() < 1e-15
    assert ls.closure(system, up).rank == 2
    found = ls.closure(system, flat)
    assert found.rank == 1
    assert found.basis.shape == (3, 2)
    assert np.abs(found.jacobian @ found.basis).max() < 1e-15


# Modes


def test_hinges_follow_before_modes():
    """In a flexible four-bar the coupler and rocker follow; modes only out of the plane."""
    system = four_bar(LENGTHS, flexible=True)
    crank = -1.0
    coupler, rocker = four_bar_angles(LENGTHS, crank, 1)
    state = system.state(crank=crank, coupler=coupler - crank, rocker=rocker - coupler)
    found = ls.closure(system, state)
    assert found.rank == 5
    assert found.redundant["pin"] == ()
    follow = set(range(system.n_v)) - set(found.independent.indices)
    hinges = {system.layout.hinge_v(name).start for name in ("coupler", "rocker")}
    assert hinges < follow
    for k in follow - hinges:  # they bend across the plane of the linkage
        body = next(i for i in range(3) if k < system.layout.hinge_v(i).start)
        shapes = system.bodies[body].node_shapes[..., k - system.layout.modal_v(body).start]
        assert np.abs(shapes[:, 5]).max() < 1e-9 * np.abs(shapes).max()


def test_without_hinges_modes_follow():
    system = clamped_beam(8)
    found = ls.closure(system, system.neutral())
    # bars with bending modes only: nothing stretches or twists them
    assert set(found.redundant["clamp"]) == {"rotation about x", "displacement along x"}
    assert found.rank == 4
    assert len(found.independent.indices) == 4


# What users see


def test_one_loop_by_name():
    system = four_bar(LENGTHS)
    state = system.state([-1.0, 0.8, 1.2], [1.0, 0.0, 0.0])
    one = ls.closure(system, state)["pin"]
    end = np.zeros(2)
    for length, angle in zip(LENGTHS[:3], np.cumsum(state.q), strict=True):
        end = end + length * np.array([np.cos(angle), -np.sin(angle)])
    gap = end - [2.0, 0.0]
    assert one.displacement == pytest.approx(np.linalg.norm(gap), rel=1e-13)
    assert one.rotation < 1e-15
    assert np.linalg.norm(one.gap) == pytest.approx(np.linalg.norm(gap), rel=1e-13)
    assert np.linalg.norm(one.rate) == pytest.approx(np.linalg.norm(end), rel=1e-13)


def test_print_says_what_is_closed_and_free():
    system = four_bar(LENGTHS)
    text = " ".join(repr(ls.closure(system, four_bar_state(system))).split())
    assert "four-bar: 1 loop, 5 equations of rank 2, 3 speeds of which 1 independent" in text
    assert "pin: revolute y, gap" in text
    assert "3 of its 5 equations follow from others: rotation about x" in text
    assert "independent: hinge rate 0 of body 'crank'" in text


def test_unknown_loop_is_named_with_what_there_is():
    system = four_bar(LENGTHS)
    found = ls.closure(system, system.neutral())
    with pytest.raises(ls.StateError, match="no loop 'pim'; did you mean 'pin'"):
        found["pim"]


def test_tree_has_nothing_to_close():
    model = ls.Model("tree")
    model.add(ls.RigidBody(1.0, inertia=(1, 1, 1)), TURN, name="one")
    system = model.compile()
    found = ls.closure(system, system.neutral())
    assert found.names == ()
    assert found.jacobian.shape == (0, 1)
    assert (found.rank, found.gap.size, found.bias.size) == (0, 0, 0)
    assert found.operational.shape == (0, 0)
    np.testing.assert_array_equal(found.basis, np.eye(1))
    assert "0 loops" in repr(found)


def test_complex_states_are_refused():
    system = four_bar(LENGTHS)
    with pytest.raises(ls.StateError, match="real numbers"):
        ls.closure(system, system.state(np.zeros(3) + 0j))


def test_closure_pickles():
    system = four_bar(LENGTHS)
    found = ls.closure(system, four_bar_state(system))
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.jacobian, found.jacobian)
