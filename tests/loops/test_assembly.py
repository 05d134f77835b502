"""assemble: closed forms, branches, singular starts, held parts, speeds, and what it says."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from tests.samples.closures import (
    JOINTS,
    TURN,
    bending_stiffness,
    clamped_beam,
    closed_to,
    closed_tree,
    four_bar,
    four_bar_angles,
    platform_pose,
    stewart,
    wrapped,
)

LENGTHS = (1.0, 2.0, 1.5, 2.0)


# Closed forms


@pytest.mark.parametrize("flexible", [False, True])
@pytest.mark.parametrize("branch", [1, -1])
@pytest.mark.parametrize("crank", np.linspace(-3.0, 3.0, 7))
def test_four_bar_comes_to_the_branch_it_starts_near(crank, branch, flexible):
    system = four_bar(LENGTHS, flexible=flexible)
    coupler, rocker = four_bar_angles(LENGTHS, crank, branch)
    exact = np.array([crank, coupler - crank, rocker - coupler])
    near = dict(zip(system.names, exact + np.array([0.0, 0.3, -0.25]), strict=True))
    found = ls.assemble(system, system.state(**near), held="crank")
    angles = np.concatenate([found[name] for name in system.names])
    np.testing.assert_allclose(wrapped(angles - exact), 0, atol=1e-12)
    assert closed_to(system, found) < 1e-12
    assert found["crank"] == crank
    for name in system.names:  # hinges can do it, so nothing bends
        assert not np.any(found[f"{name}.modes"])


@pytest.mark.parametrize("seed", range(4))
def test_stewart_platform_has_the_leg_lengths_of_its_pose(seed):
    """|p + R P_i - B_i|, the inverse kinematics that everybody knows; and back from these."""
    system, low, high = stewart()
    q, R, position = platform_pose(np.random.default_rng(seed))
    lengths = np.linalg.norm(position + high @ R.T - low, axis=1)
    start = system.state(platform=q, **{f"upper{k}": 2.0 for k in range(6)})
    found = ls.assemble(system, start, held="platform")
    np.testing.assert_allclose([found[f"upper{k}"][0] for k in range(6)], lengths, rtol=1e-12)
    assert closed_to(system, found) < 1e-12
    np.testing.assert_array_equal(found["platform"], q)
    shifted = q + np.concatenate([np.zeros(4), [0.1, -0.05, 0.1]])
    nearby = found.replace(q=np.concatenate([shifted, found.q[7:]]))
    again = ls.assemble(system, nearby, held=[f"upper{k}" for k in range(6)])
    np.testing.assert_allclose(again["platform"], q, atol=1e-11)


@pytest.mark.parametrize("name", JOINTS)
def test_loop_of_any_joint_between_flexible_branches_closes_again(name):
    rng = np.random.default_rng(11)
    system, state, _ = closed_tree(JOINTS[name], rng)
    q = state.q.copy()
    for i, joint in enumerate(system.joints):
        piece = system.layout.hinge_q(i)
        q[piece] += 0.2 * rng.standard_normal(piece.stop - piece.start)
        if joint.has_quaternion:
            q[piece.start : piece.start + 4] /= np.linalg.norm(q[piece.start : piece.start + 4])
    found = ls.assemble(system, system.state(q, state.v))
    assert closed_to(system, found) < 1e-12
    assert np.abs(ls.closure(system, found).rate).max() < 1e-11
    np.testing.assert_allclose(found["hub"], q[system.layout.hinge_q("hub")], atol=1e-14)


def test_closed_state_stays_as_it_is():
    system, state, _ = closed_tree(JOINTS["revolute"], np.random.default_rng(2))
    found = ls.assemble(system, state, velocity=False)
    np.testing.assert_allclose(found.q, state.q, atol=1e-12)
    np.testing.assert_array_equal(found.v, state.v)
    again = ls.assemble(system, ls.assemble(system, state))
    np.testing.assert_allclose(again.v, ls.assemble(system, state).v, atol=1e-11)


def test_tree_is_returned_as_it_is():
    model = ls.Model("tree")
    model.add(ls.RigidBody(1.0, inertia=(1, 1, 1)), TURN, name="one")
    system = model.compile()
    state = system.state(one=0.3)
    assert ls.assemble(system, state) is state


def test_readable_text_assembles_too(monkeypatch):
    system = four_bar(LENGTHS)
    start = system.state(crank=-1.0, coupler=0.8, rocker=1.9)
    compiled = ls.assemble(system, start, held="crank")
    monkeypatch.setattr("lissom.algorithms.tree.arguments.READABLE", True)
    readable = ls.assemble(system, start, held="crank")
    np.testing.assert_allclose(readable.q, compiled.q, atol=1e-12)


# Singular places


@pytest.mark.parametrize("flexible", [False, True])
def test_stretched_chain_folds_to_reach_a_point_on_its_line(flexible):
    """Neutral, all links lie on a line: to first order nothing moves the end along it."""
    system = four_bar(LENGTHS, flexible=flexible)
    found = ls.assemble(system)
    assert closed_to(system, found) < 1e-12
    for name in system.names:
        assert not np.any(found[f"{name}.modes"])


def test_chain_just_long_enough_is_stretched():
    """At the edge of what it can reach, where the equations are singular: error of angle^2."""
    system = four_bar((1.0, 1.0, 1.0, 3.0))
    found = ls.assemble(system, system.state([0.1, -0.2, 0.3]))
    assert closed_to(system, found) < 1e-12
    np.testing.assert_allclose(found.q, 0, atol=1e-5)


def test_flat_parallelogram_and_redundant_loops():
    model = ls.Model("parallelograms")
    rod = ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0))
    beam = ls.RigidBody.rod(3.0, 4.0, com=(2, 0, 0))
    model.add(rod, TURN, name="first")
    model.add(beam, TURN, to="first", at=(1, 0, 0), name="beam")
    for k, x in enumerate((2.0, 4.0)):
        model.add(rod, TURN, at=(x, 0, 0), name=f"leg{k}")
        model.close(TURN, f"leg{k}", "beam", at_a=(1, 0, 0), at_b=(x, 0, 0), name=f"pin{k}")
    system = model.compile()
    up = ls.assemble(system, system.state(first=-1.2, beam=1.0, leg0=-1.0, leg1=-1.4), held="first")
    assert closed_to(system, up) < 1e-12
    np.testing.assert_allclose(up.q, [-1.2, 1.2, -1.2, -1.2], atol=1e-12)
    assert ls.closure(system, up).rank == 3  # the third leg adds nothing but its own turning
    flat = ls.assemble(system, system.neutral())
    assert closed_to(system, flat) < 1e-12


def test_far_from_the_origin_no_digits_are_lost():
    rng = np.random.default_rng(6)
    system, state, _ = closed_tree(JOINTS["spherical"], rng, flexible=False)
    q = state.q.copy()
    q[4:7] = [7e6, -2e6, 1e6]
    q[system.layout.hinge_q("left")] += 0.2
    found = ls.assemble(system, system.state(q, state.v))
    q = found.q.copy()
    q[4:7] = 0.0
    assert closed_to(system, system.state(q)) < 1e-12
    np.testing.assert_array_equal(found.q[4:7], [7e6, -2e6, 1e6])


# Modes


def test_modes_bend_where_hinges_cannot_and_with_the_least_energy():
    """A beam clamped at both ends, one end displaced: energy of the guided beam 6 E I s^2 / L^3."""
    sag, span = 0.02, 2.0
    system = clamped_beam(4, span=span, sag=sag)
    with pytest.warns(ls.ModelWarning, match=r"bent 'beam' by 0.02 m \(1 % of its length"):
        found = ls.assemble(system)
    assert closed_to(system, found) < 1e-12
    tip = ls.pose(system, found, "beam.tip")
    np.testing.assert_allclose(tip.position, [span, 0, sag], atol=1e-12)
    np.testing.assert_allclose(tip.rotation, np.eye(3), atol=1e-12)
    # the least energy that the modes allow, by Lagrange's equations for the tip
    body = system.bodies[0]
    Pi = body.node_shapes[body.node_names["tip"]]
    compliance = Pi @ (Pi / body.stiffness).T
    forces = np.linalg.pinv(compliance, rcond=1e-9) @ [0, 0, 0, 0, 0, sag]
    energy = ls.energy(system, found).strain
    assert energy == pytest.approx(forces[5] * sag / 2, rel=1e-9)
    exact = 6 * bending_stiffness() * sag**2 / span**3
    assert energy == pytest.approx(exact, rel=1e-9)


def test_given_modes_are_kept_if_hinges_can_close_the_loop():
    system = four_bar(LENGTHS, flexible=True)
    bent = np.array([0.0, 0.01, 0.0, -0.002])  # in the plane
    start = system.state(crank=-1.0, coupler=0.8, rocker=1.9, **{"coupler.modes": bent})
    found = ls.assemble(system, start, held="crank")
    np.testing.assert_array_equal(found["coupler.modes"], bent)
    assert closed_to(system, found) < 1e-12
    straight = ls.assemble(system, system.state(crank=-1.0, coupler=0.8, rocker=1.9), held="crank")
    assert np.abs(found["coupler"] - straight["coupler"]) > 1e-4


def test_modes_across_the_plane_are_released_and_only_as_much_as_they_must():
    system = four_bar(LENGTHS, flexible=True)
    bent = np.array([0.02, 0.01, 0.0, 0.0])  # the first one across the plane
    start = system.state(crank=-1.0, coupler=0.8, rocker=1.9, **{"coupler.modes": bent})
    with pytest.warns(ls.ModelWarning, match="while 'crank' is held: loop 'pin' stays open"):
        found = ls.assemble(system, start, held="crank")
    assert closed_to(system, found) < 1e-12
    # that one has to give way, bending in the plane hardly
    assert abs(found["coupler.modes"][1] - 0.01) < 0.01 * 0.01
    with pytest.raises(ls.SingularError, match=r"'coupler.modes'.* held"):
        every = [f"{name}.modes" for name in system.names]
        ls.assemble(system, start, held=["crank", *every])


# Speeds


@pytest.mark.parametrize("name", ["revolute", "spherical", "universal", "fixed"])
def test_speeds_are_the_nearest_in_the_metric_of_the_masses(name):
    """v - M^-1 A^T (A M^-1 A^T)^+ A v over the hinges, by dense algebra; modes keep their rates."""
    system, state, _ = closed_tree(JOINTS[name], np.random.default_rng(7))
    found = ls.assemble(system, state)
    hinges = np.concatenate([np.r_[system.layout.hinge_v(i)] for i in range(system.n_body)])
    A, M = ls.closure(system, found).jacobian, ls.mass_matrix(system, found)
    A_h, M_h = A[:, hinges], M[np.ix_(hinges, hinges)]
    push = np.linalg.pinv(A_h @ np.linalg.solve(M_h, A_h.T)) @ (A @ state.v)
    expected = state.v.copy()
    expected[hinges] -= np.linalg.solve(M_h, A_h.T @ push)
    np.testing.assert_allclose(found.v, expected, atol=1e-8)
    np.testing.assert_allclose(A @ found.v, 0, atol=1e-9)


def test_speeds_of_a_held_crank_are_kept_and_the_others_follow():
    system = four_bar(LENGTHS)
    start = system.state([-1.0, 0.8, 1.9], [2.0, 0.3, -0.1])
    found = ls.assemble(system, start, held=["crank"])
    angles, (a, b, c, _) = np.cumsum(found.q), LENGTHS
    A, B, C = angles
    coupler = 2.0 * a * np.sin(C - A) / (b * np.sin(B - C))
    rocker = 2.0 * a * np.sin(A - B) / (c * np.sin(B - C))
    np.testing.assert_allclose(np.cumsum(found.v), [2.0, coupler, rocker], atol=1e-12)


def test_held_modes_keep_their_rates():
    system = four_bar(LENGTHS, flexible=True)
    held = ["crank", *(f"{name}.modes" for name in system.names)]
    start = system.state(crank=-1.0, coupler=0.8, rocker=1.9, **{"crank.rates": 2.0})
    found = ls.assemble(system, start, held=held)
    for name in system.names:
        assert not np.any(found[f"{name}.mode_rates"])
    # hinges can do it: modes are not set ringing, and one that rings in the plane goes on
    assert np.array_equal(ls.assemble(system, start, held="crank").v, found.v)
    ringing = system.state(found.q, found.v, **{"coupler.mode_rates": [0, 0.3, 0, 0]})
    kept = ls.assemble(system, ringing, held="crank")
    np.testing.assert_array_equal(kept["coupler.mode_rates"], [0, 0.3, 0, 0])
    assert np.abs(ls.closure(system, kept).rate).max() < 1e-12
    assert np.abs(ls.closure(system, found).rate).max() < 1e-12


def test_locked_mechanism_loses_all_its_speed():
    """A rocker welded to the ground along x: the triangle 1, 1.2, 0.5 is left, and rigid."""
    system = four_bar((1.0, 1.2, 1.5, 2.0), joint=ls.Fixed())
    crank = np.arccos((1 + 0.5**2 - 1.2**2) / (2 * 0.5))
    coupler = np.angle(0.5 - np.exp(1j * crank))
    q = np.diff([crank, coupler, 0.0], prepend=0.0)
    assert closed_to(system, system.state(q)) < 1e-15
    found = ls.assemble(system, system.state(q, [1.0, 2.0, -3.0]))
    np.testing.assert_allclose(found.q, q, atol=1e-12)
    np.testing.assert_allclose(found.v, 0, atol=1e-12)


def test_held_speeds_that_contradict_are_named():
    system = four_bar(LENGTHS)
    closed = ls.assemble(system, system.state([-1.0, 0.8, 1.9]), held="crank")
    start = system.state(closed.q, [1.0, 0.0, 1.0])
    with pytest.raises(ls.StateError, match=r"held at 'crank', 'coupler'.* loop 'pin' opens at"):
        ls.assemble(system, start, held=["crank", "coupler"])
    with pytest.raises(ls.StateError, match=r"'crank', 'coupler', 'rocker'"):
        ls.assemble(system, start, held=["crank", "coupler", "rocker"])
    assert ls.assemble(system, start, held=system.names, velocity=False).v is not None


# What cannot be closed


def test_points_out_of_reach_are_named_with_the_gap_that_is_left():
    system = four_bar((1.0, 1.0, 1.0, 4.0))
    with pytest.raises(ls.SingularError) as caught:
        ls.assemble(system, system.state([0.1, 0.2, -0.1]))
    assert "loop 'pin' stays open by 1 m and 0 rad" in str(caught.value).replace("0.000", "0")
    assert "check" in str(caught.value)
    assert caught.value.loops == ("pin",)
    nearest = caught.value.state  # stretched towards the point
    np.testing.assert_allclose(nearest.q, 0, atol=5e-3)


def test_attitude_out_of_reach_is_given_in_radians():
    """Three links in a plane cannot end in a frame that is turned out of it by half a radian."""
    turn = np.array([[1, 0, 0], [0, np.cos(0.5), -np.sin(0.5)], [0, np.sin(0.5), np.cos(0.5)]])
    model = ls.Model("turned")
    rod = ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0))
    model.add(rod, TURN, name="one")
    model.add(rod, TURN, to="one", at=(1, 0, 0), name="two")
    model.add(rod, TURN, to="two", at=(1, 0, 0), name="three")
    at = dict(at_a=(1, 0, 0), at_b=(1, 0, 0), rotation_a=turn)
    model.close(ls.Fixed(), None, "three", **at, name="weld")
    system = model.compile()
    with pytest.raises(ls.SingularError, match="loop 'weld' stays open by .* and 0.5 rad"):
        ls.assemble(system, system.state([0.5, -1.0, 0.5]))


def test_what_is_held_is_named_if_it_is_the_reason():
    lengths = (2.0, 1.0, 1.0, 2.0)  # the crank cannot turn past arccos(1/2)
    system = four_bar(lengths)
    start = system.state([-1.5, 1.0, 1.0])
    with pytest.raises(ls.SingularError, match="while 'crank' is held.* hold fewer"):
        ls.assemble(system, start, held="crank")
    assert closed_to(system, ls.assemble(system, start)) < 1e-12


def test_loops_that_contradict_each_other_are_named_and_others_are_not():
    """The end of a rod cannot be at two points; each alone, and the loop elsewhere, close."""
    model = ls.Model("contradiction")
    rod = ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0))
    model.add(rod, TURN, name="rod")
    model.add(rod, TURN, at=(5, 0, 0), name="other")
    model.close(TURN, None, "other", at_a=(5, 0, -1), at_b=(1, 0, 0), name="fine")
    model.close(TURN, None, "rod", at_a=(0, 0, 1), at_b=(1, 0, 0), name="up")
    model.close(TURN, None, "rod", at_a=(1, 0, 0), at_b=(1, 0, 0), name="ahead")
    system = model.compile()
    with pytest.raises(
        ls.SingularError, match="contradict each other: each can be closed alone"
    ) as caught:
        ls.assemble(system, system.state(rod=0.3, other=0.4))
    assert set(caught.value.loops) == {"up", "ahead"}
    assert "'fine'" not in str(caught.value)


def test_a_loop_that_never_closes_is_named_though_others_do():
    model = ls.Model("one wrong")
    rod = ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0))
    model.add(rod, TURN, name="rod")
    model.add(rod, TURN, at=(5, 0, 0), name="other")
    model.close(TURN, None, "other", at_a=(5, 0, -1), at_b=(1, 0, 0), name="fine")
    model.close(TURN, None, "rod", at_a=(0, 0, 1.25), at_b=(1, 0, 0), name="short")
    system = model.compile()
    with pytest.raises(ls.SingularError, match="loop 'short' stays open by 0.25 m") as caught:
        ls.assemble(system, system.state(rod=0.3))
    assert caught.value.loops == ("short",)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (dict(held="crnk"), "no body 'crnk'; did you mean 'crank'"),
        (dict(held=["crank.tip"]), 'neither "body" nor "body.modes"'),
        (dict(held=3), "no body '3'"),
        (dict(velocity="yes"), "expected True or False"),
    ],
)
def test_wrong_arguments(arguments, message):
    system = four_bar(LENGTHS)
    with pytest.raises(ls.StateError, match=message):
        ls.assemble(system, system.neutral(), **arguments)


def test_complex_states_are_refused():
    system = four_bar(LENGTHS)
    with pytest.raises(ls.StateError, match="real numbers"):
        ls.assemble(system, system.state(np.zeros(3) + 0j))


def test_handles_of_parts_can_be_held():
    model = ls.Model("handles")
    rod = ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0))
    one = model.add(rod, TURN, name="one")
    two = model.add(rod, TURN, to=one, at=(1, 0, 0), name="two")
    model.add(rod, TURN, to=two, at=(1, 0, 0), name="three")
    model.close(TURN, None, "three", at_a=(1, 0, 0), at_b=(1, 0, 0), name="pin")
    system = model.compile()
    start = system.state([-1.0, 1.0, 1.5])
    found = ls.assemble(system, start, held=one)
    np.testing.assert_array_equal(found.q, ls.assemble(system, start, held=["one"]).q)
