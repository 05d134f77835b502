"""Joint coordinates nearest to a pose, and the difference between two poses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .base import Joint

Array = np.ndarray

# Newton's method for joints without a closed form: most iterations, number of starting points, and
# squared error [rad^2, m^2] at which the pose counts as reached.
ITERATIONS, STARTS, REACHED = 40, 25, 1e-18
# Steps of a low-discrepancy sequence in a cube: inverse powers of the root of x^7 = x + 1.
SPREAD = [1.1127756842787055 ** -(k + 1) for k in range(6)]


def angle_about(axis: Array, rotation: Array) -> float:
    """Angle [rad] whose rotation about a unit axis is nearest to the given rotation."""
    R = rotation
    sine = axis @ np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return float(np.arctan2(sine, np.trace(R) - axis @ R @ axis))


def quaternion_of(R: Array) -> Array:
    """Unit quaternion (w, x, y, z) of a rotation, w not negative."""
    # The row of 4 q q^T with the largest diagonal entry avoids cancellation.
    squares = np.array(
        [
            1 + R[0, 0] + R[1, 1] + R[2, 2],
            1 + R[0, 0] - R[1, 1] - R[2, 2],
            1 - R[0, 0] + R[1, 1] - R[2, 2],
            1 - R[0, 0] - R[1, 1] + R[2, 2],
        ]
    )
    skew = [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]
    xy, xz, yz = R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1]
    rows = [
        [squares[0], *skew],
        [skew[0], squares[1], xy, xz],
        [skew[1], xy, squares[2], yz],
        [skew[2], xz, yz, squares[3]],
    ]
    q = np.array(rows[int(np.argmax(squares))])
    return q / np.linalg.norm(q) * (1.0 if q[0] >= 0 else -1.0)


def rotation_log(R: Array) -> Array:
    """Rotation vector of a rotation matrix, of length pi at most."""
    q = quaternion_of(R)
    s = np.linalg.norm(q[1:])
    return q[1:] * (2 * np.arctan2(s, q[0]) / s if s > 0 else 2.0)


def pose_error(joint: Joint, q: Array, rotation: Array, position: Array) -> Array:
    """Motion [angle; displacement] (6,) from the joint's pose at q to a given pose, in its axes."""
    R, r = joint.pose(q)
    return np.concatenate([rotation_log(R.T @ rotation), rotation.T @ (position - r)])


def constraint_map(motion_map: Array, length: float) -> Array:
    """Constraint map P (6, 6 - r): forces [moment; force] without work on a joint's motions (E 5).

    P^T H* = 0.  The columns diag(1/length, 1) P are orthonormal, so that multipliers are forces [N]
    and P^T times a motion is a displacement [m].  If the joint's motions are pure rotations and
    translations, every column is a pure moment or a pure force.

    `motion_map` (6, r): H*, motions [angular; linear] of the joint; `length`: characteristic length
    that scales moments to forces [m].
    """
    scale = np.array([length] * 3 + [1.0] * 3)
    basis: list[Array] = []
    for h in (scale[:, None] * motion_map).T:
        basis.append(_orthonormal(h, basis))
    n_motion = len(basis)
    left = [_orthogonal_part(e, basis) for e in np.eye(6)]
    for _ in range(6 - n_motion):  # the unit vector with the largest remainder is next
        k = int(np.argmax([x @ x for x in left]))
        basis.append(_orthonormal(left[k], basis))
        left = [_orthogonal_part(x, basis[-1:]) for x in left]
    return scale[:, None] * np.array(basis[n_motion:]).reshape(-1, 6).T


def _orthogonal_part(x: Array, basis: list[Array]) -> Array:
    for y in basis:
        x = x - (y @ x) * y
    return x


def _orthonormal(x: Array, basis: list[Array]) -> Array:
    """Normalised part of x orthogonal to a basis, orthogonalised twice for full precision."""
    x = _orthogonal_part(_orthogonal_part(x, basis), basis)
    return x / np.linalg.norm(x)


def nearest_by_iteration(joint: Joint, rotation: Array, position: Array) -> Array:
    """Coordinates nearest to a pose, by Newton's method from several starting points.

    The first result that reaches the pose is returned, otherwise the nearest.  If several sets of
    coordinates give the same pose, any of them may be returned.
    """
    best, least = joint.neutral(), np.inf
    for start in range(STARTS):
        q, left = nearest_from(joint, rotation, position, scattered(start, joint.n_q))
        if left < (1 - 1e-6) * least:
            best, least = q, left
        if least < REACHED:
            break
    return best


def scattered(k: int, n: int) -> Array:
    """Starting point k of a low-discrepancy sequence in [-pi, pi]^n; point 0 is zero."""
    return 2 * np.pi * (np.mod(0.5 + k * np.array(SPREAD[:n]), 1.0) - 0.5)


def nearest_from(joint: Joint, rotation: Array, position: Array, q: Array) -> tuple[Array, float]:
    """Coordinates found by Newton's method from q, and the squared error [rad^2, m^2]."""
    for _ in range(ITERATIONS):
        xi = pose_error(joint, q, rotation, position)
        beta = np.linalg.lstsq(joint.motion_map(q), xi, rcond=1e-9)[0]
        rates = joint.rate_map(q)
        step = rates @ beta if np.all(np.isfinite(rates)) else np.full(joint.n_q, 0.1)
        q = q + step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-15:
            break
    xi = pose_error(joint, q, rotation, position)
    return q, float(xi @ xi)
