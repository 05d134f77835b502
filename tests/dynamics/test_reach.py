"""reach: closed forms, Pinocchio's robots, limits, loops, bent bodies, and what it says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import lissom as ls
from lissom.algorithms import ReachError
from tests.references.peers import peer
from tests.samples.closures import (
    closed_to,
    four_bar,
    four_bar_angles,
    platform_pose,
    stewart,
    wrapped,
)
from tests.samples.urdf_files import robot_file

UPPER, LOWER = 0.9, 0.7


def two_links():
    """Upper and lower arm in the plane of x and y, a hand at the end."""
    model = ls.Model("arm")
    for name, to, at, length in (
        ("upper", None, 0.0, UPPER),
        ("lower", "upper", UPPER, LOWER),
    ):
        rod = ls.RigidBody.rod(1.0, length, com=(length / 2, 0, 0))
        model.add(rod, ls.Revolute("z"), name=name, to=to, at=(at, 0, 0))
    model.frame("hand", on="lower", at=(LOWER, 0, 0))
    return model.compile()


ARM = two_links()


def two_link_angles(x, y, branch):
    """Shoulder and elbow by the law of cosines."""
    elbow = branch * np.arccos((x * x + y * y - UPPER**2 - LOWER**2) / (2 * UPPER * LOWER))
    inside = np.arctan2(LOWER * np.sin(elbow), UPPER + LOWER * np.cos(elbow))
    return np.array([np.arctan2(y, x) - inside, elbow])


def elbow_manipulator():
    """Six revolute joints: waist z, shoulder y, elbow y, and a spherical wrist z, y, z."""
    model = ls.Model("6R")
    box = ls.RigidBody.box(1.0, (0.1, 0.1, 0.1))
    rows = (("waist", "z", 0.0), ("shoulder", "y", 0.5), ("elbow", "y", 0.8))
    rows += (("roll", "z", 0.6), ("pitch", "y", 0.0), ("yaw", "z", 0.0))
    carrier = None
    for name, axis, height in rows:
        model.add(box, ls.Revolute(axis), name=name, to=carrier, at=(0, 0, height))
        carrier = name
    model.frame("tool", on="yaw", at=(0, 0, 0.15))
    return model.compile()


def elbow_angles(position, rotation, bend, flip):
    """Joint angles of the manipulator in closed form: arm by geometry, wrist by Euler angles."""
    x, y, z = position - 0.15 * rotation[:, 2]  # centre of the wrist
    r, h = np.hypot(x, y), z - 0.5
    elbow = bend * np.arccos((r * r + h * h - 0.8**2 - 0.6**2) / (2 * 0.8 * 0.6))
    shoulder = np.arctan2(r, h) - np.arctan2(0.6 * np.sin(elbow), 0.8 + 0.6 * np.cos(elbow))
    waist = np.arctan2(y, x)
    arm = Rotation.from_euler("ZY", [waist, shoulder + elbow]).as_matrix()
    W = arm.T @ rotation
    pitch = flip * np.arccos(W[2, 2])
    roll = np.arctan2(flip * W[1, 2], flip * W[0, 2])
    yaw = np.arctan2(flip * W[2, 1], -flip * W[2, 0])
    return np.array([waist, shoulder, elbow, roll, pitch, yaw])


# Closed forms


@pytest.mark.parametrize("branch", [1, -1])
@pytest.mark.parametrize("seed", range(5))
def test_two_links_come_to_the_closed_form_on_the_side_they_start(seed, branch):
    rng = np.random.default_rng(seed)
    r, angle = rng.uniform(0.4, 1.5), rng.uniform(-3, 3)
    target = np.array([r * np.cos(angle), r * np.sin(angle), 0.0])
    exact = two_link_angles(*target[:2], branch)
    found = ls.reach(ARM, ARM.state(exact + rng.uniform(-0.2, 0.2, 2)), {"hand": target})
    assert found.reached and found.starts == 1
    np.testing.assert_allclose(wrapped(found.state.q - exact), 0, atol=1e-12)


@pytest.mark.parametrize("bend", [1, -1])
@pytest.mark.parametrize("flip", [1, -1])
@pytest.mark.parametrize("seed", range(3))
def test_six_axes_with_a_spherical_wrist_come_to_the_closed_form(seed, flip, bend):
    system, rng = elbow_manipulator(), np.random.default_rng(seed)
    direction = rng.standard_normal(3) * (1, 1, 0.5)
    position = np.array([0, 0, 0.6]) + 0.8 * direction / np.linalg.norm(direction)
    R = Rotation.random(random_state=seed).as_matrix()
    exact = elbow_angles(position, R, bend, flip)
    start = system.state(exact + rng.uniform(-0.15, 0.15, 6))
    found = ls.reach(system, start, {"tool": (position, R)})
    assert found.reached
    np.testing.assert_allclose(wrapped(found.state.q - exact), 0, atol=1e-11)


def test_convergence_is_quadratic():
    """With the rotation's exact Jacobian: digits double from step to step."""
    from lissom.algorithms.reaching.reach import bounds_of
    from lissom.algorithms.reaching.search import ReachSearch
    from lissom.algorithms.reaching.targets import aims_of

    system, sizes = elbow_manipulator(), []
    R = Rotation.from_rotvec([0.4, 1.1, -0.6]).as_matrix()
    aims = aims_of(system, {"tool": ((0.5, 0.4, 0.7), R)})
    moving = np.ones(6, dtype=bool)

    class Watched(ReachSearch):
        def evaluate(self, q):
            found = super().evaluate(q)
            sizes.append(float(np.linalg.norm(found[0])))
            return found

    Watched(system, aims, moving, bounds_of(system, None)).run(np.full(6, 0.6))
    near = [k for k, x in enumerate(sizes) if 1e-7 < x < 1e-2]
    assert near
    for k in near:
        assert sizes[k + 1] < 20 * sizes[k] ** 2
    assert sizes[-1] < 1e-14 or sizes[-2] < 1e-14


# Robots, with Pinocchio's forward kinematics


@pytest.mark.parametrize(
    ("name", "link"),
    [
        ("panda_description/urdf/panda.urdf", "panda_hand"),
        ("ur_description/urdf/ur5_robot.urdf", "tool0"),
    ],
)
@pytest.mark.parametrize("seed", range(4))
def test_a_robot_reaches_poses_that_pinocchio_computes_within_its_limits(name, link, seed):
    pin = peer("pin")
    path = robot_file(name)
    robot = ls.read_urdf(path, meshes=False, mimics="free", unphysical="keep")
    system, model = robot.model.compile(), pin.buildModelFromUrdf(str(path))
    data, frame = model.createData(), model.getFrameId(link)
    rng = np.random.default_rng(seed)
    low, high = np.maximum(model.lowerPositionLimit, -3), np.minimum(model.upperPositionLimit, 3)
    there = rng.uniform(low, high)
    pin.framesForwardKinematics(model, data, there)
    wanted = data.oMf[frame].copy()
    limits = {robot.joints[joint]: bounds for joint, bounds in robot.limits.items()}
    start = {robot.joints[model.names[k + 1]]: x for k, x in enumerate((low + high) / 2)}
    target = (wanted.translation, wanted.rotation)
    found = ls.reach(system, system.state(**start), {link: target}, limits=limits)
    assert found.reached
    q = np.array([found.state[robot.joints[joint]][0] for joint in list(model.names)[1:]])
    pin.framesForwardKinematics(model, data, q)
    np.testing.assert_allclose(data.oMf[frame].homogeneous, wanted.homogeneous, atol=1e-10)
    assert np.all(q >= model.lowerPositionLimit) and np.all(q <= model.upperPositionLimit)


# Parts of a pose, weights, several targets


def test_position_alone_rotation_alone_and_a_free_turn_about_an_axis():
    system, start = elbow_manipulator(), np.array([0.1, 0.4, 0.9, 0.2, 0.7, -0.3])
    R = Rotation.from_rotvec([0.3, 2.0, 0.2]).as_matrix()
    found = ls.reach(system, system.state(start), {"tool": (0.4, 0.5, 0.9)})
    np.testing.assert_allclose(ls.pose(system, found.state, "tool").position, [0.4, 0.5, 0.9])
    for given in (R, Rotation.from_matrix(R), {"rpy": Rotation.from_matrix(R).as_euler("xyz")}):
        found = ls.reach(system, system.state(start), {"tool": given})
        np.testing.assert_allclose(ls.pose(system, found.state, "tool").rotation, R, atol=1e-12)
    target = ls.Target((0.4, 0.5, 0.9), R, rotation_weight=(1, 1, 0))
    found = ls.reach(system, system.state(start), {"tool": target}, joints=system.names[:5])
    assert found.reached and found.state["yaw"] == -0.3
    now = ls.pose(system, found.state, "tool")
    np.testing.assert_allclose(now.rotation[:, 2], R[:, 2], atol=1e-12)
    assert np.linalg.norm(now.rotation - R) > 0.01


def test_a_point_of_a_frame_comes_to_a_height():
    target = ls.Target((0, 0.8, 0), position_weight=(0, 1, 0), at=(0.1, 0.2, 0))
    found = ls.reach(ARM, ARM.state([0.2, 0.4]), {"hand": target})
    assert found.reached
    place = ls.pose(ARM, found.state, "hand", at=(0.1, 0.2, 0)).position
    assert abs(place[1] - 0.8) < 1e-14 and abs(place[0]) > 0.1


def test_weights_decide_between_targets_that_exclude_each_other():
    """One slide, two points on it asked to be at 0 and at 1: the mean with squared weights."""
    model = ls.Model("slide")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Prismatic("x"), name="sled")
    model.frame("mark", on="sled", at=(0, 1, 0))
    system = model.compile()
    targets = {"sled": ls.Target((0, 0, 0), position_weight=2.0), "mark": (1, 1, 0)}
    found = ls.reach(system, None, targets)
    assert not found.reached
    np.testing.assert_allclose(found.state.q, [1 / 5], rtol=1e-7)
    np.testing.assert_allclose([found.errors["sled"][0], found.errors["mark"][0]], [0.2, 0.8])


def test_two_hands_of_a_tree_reach_at_once():
    model = ls.Model("torso")
    box, rng = ls.RigidBody.box(1.0, (0.1, 0.1, 0.1)), np.random.default_rng(5)
    model.add(box, ls.Spherical(), name="torso")
    for side in (-1, 1):
        carrier, at = "torso", (0, 0.3 * side, 0.5)
        for k in range(4):
            name = f"{'left' if side > 0 else 'right'}{k}"
            model.add(box, ls.Universal("x", "y"), name=name, to=carrier, at=at)
            carrier, at = name, (0, 0, 0.3)
    system = model.compile()
    there = ls.reach(system, None, {"torso": {"axis": (1, 2, 3), "angle": 0.7}}).state.q
    there = system.state(np.concatenate([there[:4], rng.uniform(-0.8, 0.8, system.n_q - 4)]))
    wanted = {name: ls.pose(system, there, name) for name in ("left3", "right3")}
    found = ls.reach(system, None, wanted)
    assert found.reached
    for name, aim in wanted.items():
        now = ls.pose(system, found.state, name)
        np.testing.assert_allclose(now.position, aim.position, atol=1e-12)
        np.testing.assert_allclose(now.rotation, aim.rotation, atol=1e-12)


# Out of reach, singular, limited


@pytest.mark.parametrize("distance", [1.7, 3.0, 40.0])
def test_out_of_reach_the_arm_stretches_towards_the_target(distance):
    target = distance * np.array([np.cos(0.8), np.sin(0.8), 0])
    found = ls.reach(ARM, ARM.state([0.1, 0.7]), {"hand": target})
    assert not found.reached
    np.testing.assert_allclose(found.state.q, [0.8, 0.0], atol=2e-5)
    np.testing.assert_allclose(found.errors["hand"][0], distance - UPPER - LOWER, rtol=1e-9)
    assert "Not reached" in repr(found)
    with pytest.raises(ReachError, match="'hand' stays .* m and 0 rad away") as raised:
        ls.reach(ARM, ARM.state([0.1, 0.7]), {"hand": target}, strict=True)
    np.testing.assert_allclose(raised.value.state.q, found.state.q)
    assert raised.value.errors == found.errors


def test_the_edge_of_the_reach_and_the_way_inwards_from_it():
    edge = ls.reach(ARM, ARM.state([0.3, 0.5]), {"hand": (UPPER + LOWER, 0, 0)})
    assert edge.reached
    np.testing.assert_allclose(edge.state.q, 0, atol=2e-4)
    inwards = ls.reach(ARM, None, {"hand": (1.0, 0, 0)})  # stretched: no first-order motion
    assert inwards.reached and inwards.starts > 1
    elbow = two_link_angles(1.0, 0.0, np.sign(inwards.state.q[1]))
    np.testing.assert_allclose(inwards.state.q, elbow, atol=1e-12)


def test_limits_choose_the_other_elbow():
    target, wrong = np.array([0.5, 0.9, 0.0]), two_link_angles(0.5, 0.9, 1)
    found = ls.reach(ARM, ARM.state(wrong), {"hand": target}, limits={"lower": (-np.pi, -0.1)})
    assert found.reached
    np.testing.assert_allclose(
        wrapped(found.state.q - two_link_angles(0.5, 0.9, -1)), 0, atol=1e-12
    )


@pytest.mark.parametrize("seed", range(6))
def test_limits_hold_and_the_rest_is_the_least_square_of_scipy(seed):
    """Bounded least squares by another algorithm, from our end and from others."""
    from scipy.optimize import least_squares

    rng = np.random.default_rng(seed)
    model = ls.Model("snake")
    for k in range(5):
        rod = ls.RigidBody.rod(1.0, 0.4, com=(0.2, 0, 0))
        place = {"to": f"link{k - 1}", "at": (0.4, 0, 0)} if k else {}
        model.add(rod, ls.Revolute(rng.standard_normal(3)), name=f"link{k}", **place)
    model.frame("tip", on="link4", at=(0.4, 0, 0))
    system = model.compile()
    low, high = rng.uniform(-0.6, -0.2, 5), rng.uniform(0.2, 0.6, 5)
    limits = {f"link{k}": (low[k], high[k]) for k in range(5)}
    target = rng.uniform(-1.2, 1.2, 3)
    found = ls.reach(system, None, {"tip": target}, limits=limits, starts=1)
    q = found.state.q
    assert np.all(q >= low) and np.all(q <= high) and not found.reached and found.at_limits
    for name in found.at_limits:
        assert found.state[name][0] in limits[name]

    def error(q):
        return ls.pose(system, (q, np.zeros(5)), "tip").position - target

    peer_end = least_squares(error, q, bounds=(low - 1e-15, high + 1e-15), xtol=1e-15, gtol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(error(q)), np.linalg.norm(peer_end.fun), rtol=1e-9)


def test_the_same_call_gives_the_same_answer():
    system = elbow_manipulator()
    target = {"tool": ((0.2, -0.4, 1.1), {"axis": (1, 1, 0), "angle": 2.5})}
    first, second = (ls.reach(system, None, target) for _ in range(2))
    assert first.reached
    np.testing.assert_array_equal(first.state.q, second.state.q)


# What may move


def floating_arm(modes=0):
    model = ls.Model("free flyer")
    model.add(ls.RigidBody.box(50.0, (1, 1, 1)), ls.Free(), name="base")
    tube = ls.Tube(radius=0.02, thickness=0.002)
    carrier, at = "base", (0.5, 0, 0)
    for k, axis in enumerate("zyxyz"):
        link = ls.beam(0.6, tube, ls.ALUMINIUM, modes=4) if modes else None
        body = link or ls.RigidBody.rod(1.0, 0.6, com=(0.3, 0, 0))
        model.add(body, ls.Revolute(axis), name=f"link{k}", to=carrier, at=at)
        carrier = f"link{k}.tip" if modes else f"link{k}"
        at = (0, 0, 0) if modes else (0.6, 0, 0)
    model.frame("grip", on=carrier, at=at)
    return model.compile()


def test_a_free_base_stays_unless_it_is_named():
    system = floating_arm()
    start = system.state(base=[0.8, 0.6, 0, 0, 1, 2, 3], link1=0.4, link3=0.7)
    near = ls.pose(system, start, "grip").position + np.array([0.3, -0.4, 0.2])
    found = ls.reach(system, start, {"grip": near})
    assert found.reached
    np.testing.assert_array_equal(found.state["base"], start["base"])
    far = near + np.array([0, 10, 0])
    assert not ls.reach(system, start, {"grip": far}, starts=2).reached
    moved = ls.reach(system, start, {"grip": far}, joints=["base"])
    assert moved.reached and not np.array_equal(moved.state["base"], start["base"])
    for k in range(5):
        np.testing.assert_array_equal(moved.state[f"link{k}"], start[f"link{k}"])


def test_a_bent_arm_reaches_with_its_bending_kept():
    system, rng = floating_arm(modes=4), np.random.default_rng(2)
    bent = {f"link{k}.modes": 0.02 * rng.standard_normal(4) for k in range(5)}
    start = system.state(base=[1, 0, 0, 0, 0, 0, 0], link1=0.5, link3=-0.6, **bent)
    there = system.state(start.q, **{f"link{k}": 0.3 * (-1) ** k for k in range(5)})
    straight = system.state(there.q, **{name: np.zeros(4) for name in bent})
    wanted = ls.pose(system, there, "grip")
    assert np.linalg.norm(wanted.position - ls.pose(system, straight, "grip").position) > 1e-3
    found = ls.reach(system, start, {"grip": wanted.position})
    assert found.reached
    for name, eta in bent.items():
        np.testing.assert_array_equal(found.state[name], eta)
    now = ls.pose(system, found.state, "grip").position
    np.testing.assert_allclose(now, wanted.position, atol=1e-13)
    by_bending = ls.reach(
        system, there, {"grip": wanted.position + 1e-3}, joints=[f"link{k}.modes" for k in range(5)]
    )
    assert by_bending.reached
    np.testing.assert_array_equal(by_bending.state["link2"], there["link2"])


def test_speeds_are_kept():
    start = ARM.state([0.2, 0.4], [1.0, -2.0])
    np.testing.assert_array_equal(ls.reach(ARM, start, {"hand": (1, 0.5, 0)}).state.v, start.v)


# Loops and couplings


@pytest.mark.parametrize("flexible", [False, True])
@pytest.mark.parametrize("branch", [1, -1])
def test_the_coupler_point_of_a_four_bar_comes_to_its_curve(branch, flexible):
    lengths = (1.0, 2.0, 1.5, 2.0)
    system = four_bar(lengths, flexible=flexible)
    crank = 1.1
    coupler, rocker = four_bar_angles(lengths, crank, branch)
    exact = np.array([crank, coupler - crank, rocker - coupler])
    point = np.array([0.9, 0.0, 0.4])  # of the coupler, in the plane of x and z; angles about y
    c, s = np.cos(coupler), np.sin(coupler)
    x = np.cos(crank) + c * point[0] + s * point[2]
    z = -np.sin(crank) - s * point[0] + c * point[2]
    near = dict(zip(system.names, exact + np.array([0.3, -0.2, 0.1]), strict=True))
    start = ls.assemble(system, system.state(**near, **{"crank.rates": 1.0}), held="crank")
    target = ls.Target((x, 0, z), at=point)
    found = ls.reach(system, start, {"coupler": target})
    assert found.reached
    angles = np.concatenate([found.state[name] for name in system.names])
    np.testing.assert_allclose(wrapped(angles - exact), 0, atol=1e-10)
    closure = ls.closure(system, found.state)
    assert closed_to(system, found.state) < 1e-10
    np.testing.assert_allclose(closure.rate, 0, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_a_stewart_platform_has_the_legs_of_the_pose_it_is_asked_for(seed):
    system, low, high = stewart()
    rng = np.random.default_rng(seed)
    q, _, _ = platform_pose(rng)
    guess = system.state(platform=q, **{f"upper{k}": 2.0 for k in range(6)})
    start = ls.assemble(system, guess, held="platform")
    _, R, position = platform_pose(rng)
    found = ls.reach(system, start, {"platform": (position, R)})
    assert found.reached and closed_to(system, found.state) < 1e-10
    lengths = np.linalg.norm(position + high @ R.T - low, axis=1)
    legs = [found.state[f"upper{k}"][0] for k in range(6)]
    np.testing.assert_allclose(legs, lengths, rtol=1e-10)


def test_limits_of_legs_stop_a_platform_that_stays_closed():
    system, low, high = stewart()
    q, _, position = platform_pose(np.random.default_rng(0))
    guess = system.state(platform=q, **{f"upper{k}": 2.0 for k in range(6)})
    start = ls.assemble(system, guess, held="platform")
    limits = {f"upper{k}": (1.0, 3.2) for k in range(6)}
    aim = {"platform": position + np.array([0, 0, 2.0])}
    found = ls.reach(system, start, aim, limits=limits, starts=2)
    assert not found.reached and len(found.at_limits) >= 3
    assert closed_to(system, found.state) < 1e-10
    rows = [found.state[f"upper{k}"][0] for k in range(6)]
    assert max(rows) <= 3.2
    place, R = found.state["platform"][4:], ls.pose(system, found.state, "platform").rotation
    np.testing.assert_allclose(np.linalg.norm(place + high @ R.T - low, axis=1), rows, rtol=1e-10)


def test_a_geared_arm_keeps_its_ratio():
    """Elbow geared to twice the shoulder backwards: the hand moves along a line."""
    model = ls.Model("geared")
    rod = ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0))
    model.add(rod, ls.Revolute("z"), name="upper")
    model.add(rod, ls.Revolute("z"), name="lower", to="upper", at=(1, 0, 0))
    model.couple({"lower": 1.0, "upper": 2.0}, name="gear")
    model.frame("hand", on="lower", at=(1, 0, 0))
    system = model.compile()
    found = ls.reach(system, system.state([0.3, -0.6]), {"hand": (1.2, 0, 0)})
    assert found.reached
    np.testing.assert_allclose(found.state.q, np.arccos(0.6) * np.array([1, -2]), atol=1e-12)


# What it says


TURN = {"axis": "z", "angle": 0.1}
MISTAKES = {
    "there is no body or frame 'hnd'; did you mean 'hand'": {"targets": {"hnd": (1, 0, 0)}},
    "expected a mapping": {"targets": (1, 0, 0)},
    "target of 'hand' is .*expected a Pose, a position": {"targets": {"hand": (1, 0, 0, 0)}},
    "position of the target of 'hand' is .*three finite": {"targets": {"hand": ((1, 0), TURN)}},
    "has a quaternion of length 2": {"targets": {"hand": {"quaternion": (2, 0, 0, 0)}}},
    "rotation of the target of 'hand' is not a rotation": {"targets": {"hand": np.ones((3, 3))}},
    "neither position nor rotation": {"targets": {"hand": ls.Target()}},
    "position_weight of the target of 'hand' is -1": {
        "targets": {"hand": ls.Target((1, 0, 0), position_weight=-1)}
    },
    "all weights of the target of 'hand' are zero": {
        "targets": {"hand": ls.Target((1, 0, 0), position_weight=0)}
    },
    "joints: there is no body 'elbow'": {"joints": ["elbow"]},
    '"body" nor "body.modes"': {"joints": ["lower.tip"]},
    "names no joint": {"joints": []},
    "limits: there is no body 'elbow'": {"limits": {"elbow": (0, 1)}},
    "limits of 'lower' are .*must not be above": {"limits": {"lower": (1, 0)}},
    "limits of 'lower' are .inf, inf.; the lower": {"limits": {"lower": (np.inf, np.inf)}},
    "limits of 'lower' are 3; expected two numbers": {"limits": {"lower": 3}},
    "limits is 3; expected a mapping": {"limits": 3},
    "starts is 0; expected": {"starts": 0},
    "strict is 'yes'": {"strict": "yes"},
}


@pytest.mark.parametrize("message", MISTAKES)
def test_mistakes_are_named_with_their_remedy(message):
    with pytest.raises(ls.StateError, match=message):
        ls.reach(ARM, None, **{"targets": {"hand": (1, 0, 0)}, **MISTAKES[message]})


def test_limits_of_a_ball_and_targets_on_the_ground_are_refused():
    model = ls.Model("ball")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Spherical(), name="ball")
    model.frame("wall", on=None, at=(1, 0, 0))
    system = model.compile()
    with pytest.raises(ls.StateError, match="limits of 'ball': the coordinates of its joint"):
        ls.reach(system, None, {"ball": np.eye(3)}, limits={"ball": (-1, 1)})
    with pytest.raises(ls.StateError, match="'wall' is fixed to the ground"):
        ls.reach(system, None, {"wall": (0, 0, 0)})
    with pytest.raises(ls.StateError, match="real numbers"):
        ls.reach(ARM, ARM.state([0.1 + 0j, 0.2]), {"hand": (1, 0, 0)})


def test_loops_that_limits_hold_open_are_an_error_with_the_state():
    system = four_bar()
    limits = {"rocker": (0.0, 0.01), "coupler": (0.0, 0.01)}
    with pytest.raises(ReachError, match="cannot be closed .* within their limits") as raised:
        ls.reach(system, None, {"coupler": (1, 0, 0)}, limits=limits, starts=2)
    assert 0.0 <= raised.value.state["rocker"][0] <= 0.01
