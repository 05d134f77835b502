"""Rates of coordinates from a pose and a motion map whose speeds are quasi-speeds.

  B(q) qdot = P(q) v      B: derivatives of the pose by the coordinates, P: the motion map     (1)
The map alone says which velocities are allowed (B 6); (1) adds the
coordinates, of which there may be more than speeds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError

if TYPE_CHECKING:
    from .base import Joint

Array = np.ndarray

STEP = 1e-30  # complex step
SINGULAR = 1e-9  # ratio of singular values of B below which coordinates are singular


def pose_derivatives(joint: Joint, q: Array) -> Array:
    """Columns B (6, n_q): relative velocity [omega; v] for each rate, in outboard axes."""
    R, _ = joint.pose(q)
    columns = []
    for direction in np.eye(joint.n_q):
        R_k, r_k = joint.pose(q + 1j * STEP * direction)
        W, u = R.T @ np.imag(R_k) / STEP, R.T @ np.imag(r_k) / STEP
        columns.append([W[2, 1], W[0, 2], W[1, 0], *u])
    return np.array(columns).T


def rates_from_pose(joint: Joint, q: Array) -> Array:
    """Solution N (n_q, n_v) of B N = P (1); infinite where the coordinates are singular."""
    if np.asarray(q).dtype.kind != "f":
        raise ModelError(
            f"joint class {type(joint).__name__} does not support symbols or complex numbers; "
            "define its method rate_map(q)"
        )
    B, P = pose_derivatives(joint, q), joint.motion_map(q)
    rates, _, rank, _ = np.linalg.lstsq(B, P, rcond=SINGULAR)
    return rates if rank == joint.n_q else np.full((joint.n_q, joint.n_v), np.inf)
