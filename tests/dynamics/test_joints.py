"""Every joint checks itself: its map is the derivative of its pose, its bias that of its map."""

import numpy as np
import pytest

import lissom as ls
from lissom.spatial import skew

ROTATIONS = np.eye(6)[:, :3]
PLANE = np.array([[0, 0, 0], [0, 0, 0], [1, 0, 0], [0.3, 1, 0], [-0.2, 0, 1], [0, 0, 0]])
SCREW = np.array([0.2, -0.4, 0.7, 0.3, 0.1, -0.5])
SLOW_SCREW = np.array([1e-3, 2e-3, -1e-3, 1.0, 0.5, 0.3])
SKEW_AXIS = np.array([0.0, 0.6, 0.8, 0.1, 0.8, -0.6])

JOINTS = {
    "fixed": ls.Fixed(),
    "revolute": ls.Revolute((1, 2, -0.5)),
    "prismatic": ls.Prismatic((0.3, -1, 2)),
    "screw": ls.Screw((1, 1, 0), pitch=0.2),
    "cylindrical": ls.Cylindrical((0, 1, 3)),
    "universal": ls.Universal("x", (0.2, 1, 0.3)),
    "spherical": ls.Spherical(),
    "planar": ls.Planar((1, -2, 0.5)),
    "planar -z": ls.Planar((0, 0, -1)),
    "free": ls.Free(),
    "simple one": ls.SimpleJoint(SCREW),
    "simple slow": ls.SimpleJoint(SLOW_SCREW),
    "simple ball": ls.SimpleJoint(ROTATIONS),
    "simple plane": ls.SimpleJoint(PLANE),
    "simple six": ls.SimpleJoint(np.eye(6)[:, [3, 0, 4, 1, 5, 2]]),
    "compound angles": ls.CompoundJoint(
        [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0]]
    ),
    "compound mixed": ls.CompoundJoint([SCREW, ROTATIONS, SKEW_AXIS]),
    "compound plane": ls.CompoundJoint([PLANE, SCREW]),
}


@pytest.fixture(params=JOINTS, ids=str)
def joint(request):
    return JOINTS[request.param]


def sample(joint, seed=0):
    rng = np.random.default_rng(seed)
    q = rng.uniform(-0.9, 0.9, joint.n_q)
    if joint.has_quaternion:
        q[:4] /= np.linalg.norm(q[:4])
    return q, rng.standard_normal(joint.n_v)


def directional(function, joint, q, v, h=1e-20):
    """Derivative of function(q) along qdot = N v by a complex step."""
    return np.imag(function(q + 1j * h * (joint.rate_map(q) @ v))) / h


def relative_velocity(joint, q, v):
    """[omega; v] in outboard axes from the rates of the pose alone."""
    R, _ = joint.pose(q)
    R_dot = directional(lambda x: joint.pose(x)[0], joint, q, v)
    r_dot = directional(lambda x: joint.pose(x)[1] + 0j, joint, q, v)
    W = R.T @ R_dot
    assert np.allclose(W, -W.T, atol=1e-13)
    return np.array([W[2, 1], W[0, 2], W[1, 0], *(R.T @ r_dot)])


def test_pose_is_a_rotation(joint):
    R, r = joint.pose(sample(joint)[0])
    assert np.allclose(R.T @ R, np.eye(3), atol=1e-14) and np.linalg.det(R) > 0
    assert r.shape == (3,)


def test_neutral_pose_is_the_identity(joint):
    R, r = joint.pose(joint.neutral())
    assert np.array_equal(R, np.eye(3)) and not np.any(r)


@pytest.mark.parametrize("seed", range(4))
def test_map_is_derivative_of_pose(joint, seed):
    q, v = sample(joint, seed)
    assert np.allclose(joint.motion_map(q) @ v, relative_velocity(joint, q, v), atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_bias_is_derivative_of_map(joint, seed):
    q, v = sample(joint, seed)
    p = joint.motion_map(q) @ v
    p_dot = directional(lambda x: joint.motion_map(x) @ v + 0j, joint, q, v)
    expected = p_dot + np.concatenate([np.zeros(3), skew(p[:3]) @ p[3:]])
    assert np.allclose(joint.bias(q, v), expected, atol=1e-12)


def test_rate_map_has_shape_and_keeps_quaternion_length(joint):
    q, v = sample(joint)
    N = joint.rate_map(q)
    assert N.shape == (joint.n_q, joint.n_v)
    if joint.has_quaternion:
        assert abs(q[:4] @ (N @ v)[:4]) < 1e-15


def test_listed_joints_as_simple_and_compound_maps():
    q = np.array([0.4, -0.7])
    axis = np.array([1, 2, 2]) / 3
    turn, slide = np.r_[axis, 0, 0, 0], np.r_[0, 0, 0, axis]
    pairs = [
        (ls.Cylindrical(axis), ls.SimpleJoint(np.c_[turn, slide]), q),
        (ls.Screw(axis, 0.3), ls.SimpleJoint(turn + 0.3 * slide), q[:1]),
    ]
    for listed, mapped, x in pairs:
        for a, b in zip(listed.pose(x), mapped.pose(x), strict=True):
            assert np.allclose(a, b, atol=1e-15)
    universal = ls.Universal("x", "y").pose(q)[0]
    compound = ls.CompoundJoint([np.eye(6)[1], np.eye(6)[0]]).pose(q[::-1])[0]
    assert np.allclose(universal, compound, atol=1e-15)


def test_paper_e_spherical_kinematics():
    """Table II of Kwatny & Blankenship: Gamma of the simple spherical joint."""
    y1, y2, y3 = 0.3, -0.5, 0.8
    s, c, t = np.sin, np.cos, np.tan
    expected = [
        [1, s(y1) * t(y2), c(y1) * t(y2)],
        [0, c(y1), -s(y1)],
        [0, s(y1) / c(y2), c(y1) / c(y2)],
    ]
    assert np.allclose(ls.SimpleJoint(ROTATIONS).rate_map(np.array([y1, y2, y3])), expected)


def test_paper_e_compound_map():
    """(E 35a): the joint map of the three-angle compound joint."""
    t1, t2, t3 = 0.3, -0.5, 0.8
    s, c = np.sin, np.cos
    expected = np.zeros((6, 3))
    expected[:3] = [[1, 0, -s(t2)], [0, c(t1), c(t2) * s(t1)], [0, -s(t1), c(t1) * c(t2)]]
    H = JOINTS["compound angles"].motion_map(np.array([t1, t2, t3]))
    assert np.allclose(H, expected, atol=1e-15)


def test_large_translation_and_rotation():
    q = np.array([1e5, 40 * np.pi + 0.1])
    R, r = ls.CompoundJoint([np.eye(6)[3], np.eye(6)[2]]).pose(q)
    assert np.allclose(r, 1e5 * np.array([np.cos(0.1), np.sin(0.1), 0]), rtol=1e-12)
    assert np.allclose(R @ R.T, np.eye(3), atol=1e-14)


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: ls.Revolute((0, 0, 0)), ["Revolute: axis", "zero"]),
        (lambda: ls.Revolute("w"), ["'w'", '"x"']),
        (lambda: ls.Revolute((1, 2)), ["three numbers"]),
        (lambda: ls.Prismatic((np.nan, 0, 1)), ["Prismatic: axis", "finite"]),
        (lambda: ls.Universal("x", "x"), ["parallel", "Revolute"]),
        (lambda: ls.Screw("x", "fast"), ["pitch", "'fast'"]),
        (lambda: ls.Screw("x", np.inf), ["pitch", "finite"]),
        (lambda: ls.SimpleJoint(np.eye(5)), ["(5, 5)", "(6, r)"]),
        (lambda: ls.SimpleJoint(np.eye(6)[:, [0, 0]]), ["linearly dependent"]),
        (lambda: ls.SimpleJoint(np.full((6, 1), np.nan)), ["finite"]),
        (
            lambda: ls.SimpleJoint(np.eye(6)[:, [1, 2]]),
            ["nonholonomic", "columns 0 and 1", "Compound"],
        ),
        (lambda: ls.CompoundJoint([]), ["motion_maps is []; expected a list of arrays (6, r)"]),
        (lambda: ls.CompoundJoint([np.eye(6)[2], np.eye(6)[2]]), ["linearly dependent"]),
        (lambda: ls.CompoundJoint([np.eye(6), np.eye(6)[0]]), ["linearly dependent"]),
        (lambda: ls.CompoundJoint([np.eye(6)[:, [1, 2]]]), ["motion_maps[0]", "nonholonomic"]),
    ],
)
def test_bad_joints_say_what_is_wrong(make, words):
    with pytest.raises(ls.ModelError) as error:
        make()
    for word in words:
        assert word in str(error.value)
