"""Random joints and their coordinates, away from coordinate singularities."""

from __future__ import annotations

import casadi as ca
import numpy as np

from . import joints
from .description import Joint, skew

ONE_DOF = ("revolute", "prismatic", "screw")
TWO_DOF = ("cylindrical", "universal")
KINDS = ("fixed", *ONE_DOF, *TWO_DOF, "planar", "spherical", "free", *2 * ("simple", "compound"))
MAX_TWIST_CONDITION = 50.0


def random_rotation(rng) -> np.ndarray:
    """A rotation matrix, uniformly distributed."""
    p = rng.normal(size=4)
    p /= np.linalg.norm(p)
    K = skew(p[1:])
    return np.eye(3) + 2 * p[0] * K + 2 * K @ K


def random_axis(rng):
    """One of "x", "y", "z", or a vector that is not of unit length."""
    return str(rng.choice(list("xyz"))) if rng.random() < 0.3 else rng.normal(size=3) * 2


def _columns(*rows) -> np.ndarray:
    return np.array(rows, float).T


RX, RY, RZ, TX, TY, TZ = np.eye(6)
SUBGROUPS = {  # maps whose columns span a Lie algebra, so that the joint is holonomic
    "rotations": lambda rng: _columns(RX, RY, RZ),
    "screw": lambda rng: _columns(RZ + rng.uniform(0.2, 1) * TZ),
    "slow screw": lambda rng: _columns(rng.uniform(0.001, 0.04) * RZ + TX + 0.5 * TZ),
    "slide": lambda rng: _columns(TX),
    "cylinder": lambda rng: _columns(RZ, TZ),
    "plane": lambda rng: _columns(RZ, TX, TY),
    "screw in a plane": lambda rng: _columns(RZ + rng.uniform(0.2, 1) * TZ, TX, TY),
    "two slides": lambda rng: _columns(TX, TY),
    "three slides": lambda rng: _columns(TX, TY, TZ),
    "rotation and slides": lambda rng: _columns(RZ, TX, TY, TZ),
    "six": lambda rng: np.eye(6),
}


def random_map(rng, name: str) -> np.ndarray:
    """A subgroup's map as it is, or moved to another frame and its columns mixed."""
    columns = SUBGROUPS[name](rng)
    count = columns.shape[1]
    if rng.random() < 0.3:
        return columns
    rotation, place = random_rotation(rng), rng.normal(size=3) * 0.5
    moved = np.zeros((6, 6))
    moved[:3, :3] = moved[3:, 3:] = rotation
    moved[3:, :3] = skew(place) @ rotation
    mixing = np.eye(count) + 0.3 * rng.uniform(-1, 1, (count, count))
    return moved @ columns @ mixing


def random_simple(rng) -> tuple[Joint, str]:
    """A simple joint and its subgroup's name."""
    name = str(rng.choice(list(SUBGROUPS)))
    return Joint("simple", maps=(random_map(rng, name),)), name


def random_compound(rng) -> Joint:
    """Two to four maps, together at most six columns, that allow independent motions."""
    count = rng.integers(2, 5)
    while True:
        names = rng.choice(list(SUBGROUPS), size=count)
        joint = Joint("compound", maps=tuple(random_map(rng, str(name)) for name in names))
        n_v = joints.sizes(joint)[1]
        if n_v <= 6 and regular(joint, 0.3 * rng.normal(size=n_v)):
            return joint


def random_joint(rng, kinds=KINDS) -> tuple[Joint, list[str]]:
    """A joint and the names of its features."""
    kind = str(rng.choice(kinds))
    features = [f"joint: {kind}"]
    if kind == "simple":
        joint, name = random_simple(rng)
        return joint, [*features, f"simple: {name}"]
    if kind == "compound":
        joint = random_compound(rng)
        several = any(joint_map.shape[1] > 1 for joint_map in joint.maps)
        features.append(f"compound: {len(joint.maps)} maps")
        return joint, [*features, *(["compound: a map of several columns"] if several else [])]
    axis, axis2 = random_axis(rng), random_axis(rng)
    while kind == "universal" and nearly_parallel(axis, axis2):
        axis2 = random_axis(rng)
    pitch = float(rng.choice([-1, 1]) * rng.uniform(0.1, 0.6))
    return Joint(kind, axis, axis2, pitch if kind == "screw" else 0.0), features


def nearly_parallel(axis, axis2) -> bool:
    """Whether two axes are within 17 degrees of a common line."""
    return bool(np.linalg.norm(np.cross(joints.unit_axis(axis), joints.unit_axis(axis2))) < 0.3)


def regular(joint: Joint, q: np.ndarray) -> bool:
    """Whether the coordinates of a simple or compound joint are far from singular at q."""
    s = ca.SX.sym("s", len(q))
    parts = [joints.simple_joint_configuration(joint_map, s) for joint_map in joint.maps[:1]]
    if joint.kind == "compound":
        slices = joints.map_slices(joint)
        pairs = list(zip(joint.maps, slices, strict=True))
        parts = [joints.simple_joint_configuration(joint_map, s[part]) for joint_map, part in pairs]
        parts.append(joints.pose_matrix(*joints.configuration(joint, s)))
    maps = [joints.body_twist_map(X, s) for X in parts]
    values = ca.Function("maps", [s], [ca.densify(B) for B in maps])(q)
    values = [values] if isinstance(values, ca.DM) else values
    conditions = []
    for value in values:
        B = value.full()
        B = B[:, np.abs(B).max(axis=0) > 0]  # a part of a compound joint has its own columns only
        conditions.append(np.linalg.cond(B))
    return max(conditions) < MAX_TWIST_CONDITION


def random_coordinates(rng, joint: Joint) -> np.ndarray:
    """Coordinates of order one."""
    n_q, _ = joints.sizes(joint)
    while True:
        q = rng.normal(size=n_q)
        if joint.kind in ("spherical", "free"):
            q[:4] /= np.linalg.norm(q[:4])
        if not joint.maps or regular(joint, q):
            return q
