"""The joint coordinates that come nearest to a pose, and what is left between two poses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .base import Joint

__all__ = [
    "angle_about",
    "constraint_map",
    "nearest_by_iteration",
    "nearest_from",
    "pose_error",
    "quaternion_of",
]

Array = np.ndarray

# Newton's method for joints without a formula: its length, starts, and what counts as reached.
ITERATIONS, STARTS, REACHED = 40, 25, 1e-18
# Fractions whose multiples fill a cube evenly: powers of the root of x^7 = x + 1, below one.
SPREAD = [1.1127756842787055 ** -(k + 1) for k in range(6)]


def angle_about(axis: Array, rotation: Array) -> float:
    """Angle [rad] whose rotation about a unit axis is nearest to the given rotation."""
    R = rotation
    sine = axis @ np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return float(np.arctan2(sine, np.trace(R) - axis @ R @ axis))


def quaternion_of(R: Array) -> Array:
    """Unit quaternion (w, x, y, z) of a rotation, w not negative."""
    # the row of 4 q q^T whose diagonal entry is the largest loses no digits
    squares = np.array(
        [
            1 + R[0, 0] + R[1, 1] + R[2, 2],
            1 + R[0, 0] - R[1, 1] - R[2, 2],
            1 - R[0, 0] + R[1, 1] - R[2, 2],
            1 - R[0, 0] - R[1, 1] + R[2, 2],
        ]
    )
    w = [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]
    xy, xz, yz = R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1]
    rows = [
        [squares[0], *w],
        [w[0], squares[1], xy, xz],
        [w[1], xy, squares[2], yz],
        [w[2], xz, yz, squares[3]],
    ]
    q = np.array(rows[int(np.argmax(squares))])
    return q / np.linalg.norm(q) * (1.0 if q[0] >= 0 else -1.0)


def rotation_log(R: Array) -> Array:
    """Rotation vector of a rotation, at most pi long."""
    q = quaternion_of(R)
    s = np.linalg.norm(q[1:])
    return q[1:] * (2 * np.arctan2(s, q[0]) / s if s > 0 else 2.0)


def pose_error(joint: Joint, q: Array, rotation: Array, position: Array) -> Array:
    """Small motion [angle; displacement] (6,) from the joint's pose at q to a pose, its axes."""
    R, r = joint.pose(q)
    return np.concatenate([rotation_log(R.T @ rotation), rotation.T @ (position - r)])


def constraint_map(motion_map: Array, length: float) -> Array:
    """P (6, 6 - r): forces [moment; force] that do no work on the motions of a joint.

    P^T H* = 0.  The columns diag(1/length, 1) P are orthonormal, so that all of them are forces
    [N], and P^T times a motion is a displacement [m].  Where the joint's motions are pure rotations
    and translations, every column is a pure moment or a pure force.

    Parameters
    ----------
    motion_map : array (6, r)
        H*, motions [angular; linear] that the joint allows.
    length : float
        Length that makes moments comparable with forces [m].
    """
    scale = np.array([length] * 3 + [1.0] * 3)
    known: list[Array] = []
    for h in (scale[:, None] * motion_map).T:
        known.append(_beside(h, known))
    r = len(known)
    left = [_less(e, known) for e in np.eye(6)]
    for _ in range(6 - r):  # the unit vector that has most left comes next
        k = int(np.argmax([x @ x for x in left]))
        known.append(_beside(left[k], known))
        left = [_less(x, known[-1:]) for x in left]
    return scale[:, None] * np.array(known[r:]).reshape(-1, 6).T


def _less(x: Array, known: list[Array]) -> Array:
    for y in known:
        x = x - (y @ x) * y
    return x


def _beside(x: Array, known: list[Array]) -> Array:
    """Unit vector of x beside orthonormal ones, made orthogonal twice for the last digit."""
    x = _less(_less(x, known), known)
    return x / np.linalg.norm(x)


def nearest_by_iteration(joint: Joint, rotation: Array, position: Array) -> Array:
    """Coordinates nearest to a pose by Newton's method, from the neutral ones and then others.

    The first ones with which the joint reaches the pose, else the nearest of all.  Where several
    sets of coordinates belong to one pose, this is a choice.
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
    """The k-th of a sequence of starts that fill the cube of half-turns evenly; first zero."""
    return 2 * np.pi * (np.mod(0.5 + k * np.array(SPREAD[:n]), 1.0) - 0.5)


def nearest_from(joint: Joint, rotation: Array, position: Array, q: Array) -> tuple[Array, float]:
    """Coordinates after Newton's method from q, and the square of what is left [rad, m]."""
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
