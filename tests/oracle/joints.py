"""What each joint does, as CasADi expressions: its configuration and its kinematic equation.

`configuration` is the pose (rotation, position) of the child frame in the joint's inboard frame;
`coordinate_rates` is qdot = N(q) v. Velocities are never written down: they follow from these two
by differentiation. For simple and compound joints even N(q) does, see `simple_joint_rates`.
"""

from __future__ import annotations

from itertools import pairwise

import casadi as ca
import numpy as np

from .description import Joint, skew, unit_axis

SIZES = {
    "fixed": (0, 0),
    "revolute": (1, 1),
    "prismatic": (1, 1),
    "screw": (1, 1),
    "cylindrical": (2, 2),
    "universal": (2, 2),
    "planar": (3, 3),
    "spherical": (4, 3),
    "free": (7, 6),
}


def sizes(joint: Joint) -> tuple[int, int]:
    """Numbers of coordinates and of speeds."""
    if joint.maps:
        count = sum(joint_map.shape[1] for joint_map in joint.maps)
        return count, count
    return SIZES[joint.kind]


def turn(axis: np.ndarray, angle) -> ca.SX:
    """Rotation by an angle about a constant unit axis."""
    K = skew(axis)
    return np.eye(3) + ca.sin(angle) * K + (1 - ca.cos(angle)) * (K @ K)


def small_turn(theta) -> ca.SX:
    """``exp(skew(theta))`` by Taylor polynomials in |θ|²: smooth at zero, exact for |θ| < 2."""
    square = ca.dot(theta, theta)
    sine, versine = 0, 0  # sin t / t and (1 - cos t) / t², by Horner's rule
    for k in range(10, -1, -1):
        sine = 1 - square / ((2 * k + 2) * (2 * k + 3)) * sine
        versine = 1 - square / ((2 * k + 3) * (2 * k + 4)) * versine
    K = ca.skew(theta)
    return ca.SX.eye(3) + sine * K + versine / 2 * (K @ K)


def quaternion_rotation(p) -> ca.SX:
    """Rotation matrix of a unit quaternion (w, x, y, z), child axes to parent axes."""
    K = ca.skew(p[1:])
    return ca.SX.eye(3) + 2 * p[0] * K + 2 * (K @ K)


def quaternion_rates(p, omega) -> ca.SX:
    """Rate of a unit quaternion whose frame turns at omega, given in its own axes."""
    return ca.vertcat(-ca.dot(p[1:], omega), p[0] * omega + ca.cross(p[1:], omega)) / 2


def plane_axes(normal: np.ndarray) -> np.ndarray:
    """Columns x, y, z of the shortest rotation that takes z to the normal."""
    cross, cosine = np.cross([0, 0, 1], normal), normal[2]
    return np.eye(3) + skew(cross) + skew(cross) @ skew(cross) / (1 + cosine)


def pose_matrix(rotation, position) -> ca.SX:
    """The 4×4 matrix [rotation, position; 0, 1]."""
    return ca.vertcat(ca.horzcat(rotation, position), ca.DM([[0, 0, 0, 1]]))


def column_configuration(column: np.ndarray, amount) -> ca.SX:
    """λ(ε) = exp(ε ĥ) of one column h = [h1; h2]: L' = exp(ε ĥ1), R = ∫ exp(σ ĥ1) h2 dσ."""
    h1, h2 = column[:3], column[3:]
    rate = np.linalg.norm(h1)
    if rate == 0:
        return pose_matrix(ca.SX.eye(3), amount * h2)
    n = h1 / rate
    K, angle = skew(n), rate * amount
    integral = amount * (np.eye(3) + K @ K) + 2 * ca.sin(angle / 2) ** 2 / rate * K
    return pose_matrix(turn(n, angle), (integral - ca.sin(angle) / rate * (K @ K)) @ h2)


def simple_joint_configuration(joint_map: np.ndarray, q) -> ca.SX:
    """λ = λ_r(ε_r) ... λ_1(ε_1)."""
    X = ca.SX.eye(4)
    for i, column in enumerate(joint_map.T):
        X = column_configuration(column, q[i]) @ X
    return X


def body_twist_map(X, q) -> ca.SX:
    """B(q), where X⁻¹ Xdot = hat(B qdot), by differentiating X."""
    rotation = X[:3, :3]
    columns = []
    for i in range(q.numel()):
        X_i = ca.jtimes(X, q, ca.DM.eye(q.numel())[:, i])
        W = rotation.T @ X_i[:3, :3]
        columns.append(ca.vertcat(W[2, 1], W[0, 2], W[1, 0], rotation.T @ X_i[:3, 3]))
    return ca.horzcat(*columns)


def simple_joint_rates(joint_map: np.ndarray, q, v) -> ca.SX:
    """qdot from B(q) qdot = H v: least squares, exact when the columns of H span a Lie algebra."""
    s = ca.SX.sym("s", q.numel())
    B = body_twist_map(simple_joint_configuration(joint_map, s), s)
    Q, R = ca.qr(ca.densify(ca.substitute(B, s, q)))
    right_side = Q.T @ (ca.DM(joint_map) @ v)
    rates = []
    for i in reversed(range(q.numel())):
        known = sum((R[i, i + 1 + j] * rate for j, rate in enumerate(rates)), ca.SX(0))
        rates.insert(0, (right_side[i] - known) / R[i, i])
    return ca.vertcat(*rates)


def map_slices(joint: Joint) -> list[slice]:
    """The coordinates (and speeds) of each of a compound joint's maps."""
    ends = np.cumsum([0] + [joint_map.shape[1] for joint_map in joint.maps])
    return [slice(int(a), int(b)) for a, b in pairwise(ends)]


def configuration(joint: Joint, q) -> tuple[ca.SX, ca.SX]:
    """Rotation and position of the child frame in the joint's inboard frame."""
    eye, origin = ca.SX.eye(3), ca.SX.zeros(3)
    if joint.maps:
        X = ca.SX.eye(4)
        for joint_map, part in zip(joint.maps, map_slices(joint), strict=True):
            X = simple_joint_configuration(joint_map, q[part]) @ X
        return X[:3, :3], X[:3, 3]
    match joint.kind:
        case "fixed":
            return eye, origin
        case "spherical":
            return quaternion_rotation(q), origin
        case "free":
            return quaternion_rotation(q[:4]), q[4:]
    axis = unit_axis(joint.axis)
    match joint.kind:
        case "revolute":
            return turn(axis, q[0]), origin
        case "prismatic":
            return eye, axis * q[0]
        case "screw":
            return turn(axis, q[0]), axis * (joint.pitch * q[0])
        case "cylindrical":
            return turn(axis, q[0]), axis * q[1]
        case "universal":
            return turn(axis, q[0]) @ turn(unit_axis(joint.axis2), q[1]), origin
        case "planar":
            return turn(axis, q[2]), plane_axes(axis)[:, :2] @ q[:2]
    raise ValueError(f"no joint of kind {joint.kind!r}")


def coordinate_rates(joint: Joint, q, v) -> ca.SX:
    """qdot = N(q) v."""
    if joint.maps:
        pairs = zip(joint.maps, map_slices(joint), strict=True)
        return ca.vertcat(*(simple_joint_rates(H, q[part], v[part]) for H, part in pairs))
    match joint.kind:
        case "spherical":
            return quaternion_rates(q, v)
        case "free":
            rotation = quaternion_rotation(q[:4])
            return ca.vertcat(quaternion_rates(q[:4], v[:3]), rotation @ v[3:])
    return v
