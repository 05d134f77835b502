"""Joints run backwards, and joints seen in turned axes.

Notation
  J(q)  pose of the outboard frame in the inboard frame, a member of SE(3)
  J(q)^-1                the joint run backwards
  R J(q) R^T             the joint with all its directions turned by R

Both are joints of the same kind.  Those with axes keep their coordinates (a universal joint and a
product of exponentials in the opposite order, when run backwards); spherical, planar and free
joints reach the same poses with other coordinates.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..joints import (
    CompoundJoint,
    Cylindrical,
    Fixed,
    Free,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    SimpleJoint,
    Spherical,
    Universal,
)
from ..spatial import block_diagonal

__all__ = ["run_backwards", "slides_through", "turned"]

Array = np.ndarray


def run_backwards(joint: Joint) -> Joint | None:
    """Joint with the poses J^-1; None for a kind that is not known here."""
    match joint:
        case Fixed() | Spherical() | Planar() | Free():
            return joint  # their poses form a group
        case Revolute() | Prismatic() | Screw() | Cylindrical():
            return replace(joint, axis=0.0 - joint.axis)
        case Universal():
            return Universal(0.0 - joint.axis2, 0.0 - joint.axis1)
        case SimpleJoint():
            return SimpleJoint(_opposite(joint.columns))
        case CompoundJoint():
            return CompoundJoint([_opposite(part.columns) for part in reversed(joint.parts)])
    return None


def turned(joint: Joint, R: Array) -> Joint | None:
    """Joint with the poses R J R^T; None for a kind that is not known here."""
    if np.array_equal(R, np.eye(3)):
        return joint
    match joint:
        case Fixed() | Spherical() | Free():
            return joint
        case Revolute() | Prismatic() | Screw() | Cylindrical():
            return replace(joint, axis=R @ joint.axis)
        case Universal():
            return Universal(R @ joint.axis1, R @ joint.axis2)
        case Planar():
            return Planar(R @ joint.normal)
        case SimpleJoint():
            return SimpleJoint(block_diagonal(R, R) @ joint.columns)
        case CompoundJoint():
            return CompoundJoint([block_diagonal(R, R) @ part.columns for part in joint.parts])
    return None


def slides_through(joint: Joint, p: Array) -> bool:
    """Whether a shift p of its frames passes through the joint: J (I, p) = (I, p) J.

    So it is where all rotations of the joint are about p.
    """
    q = joint.neutral() if joint.has_quaternion else 0.3 + 0.11 * np.arange(joint.n_q)
    across = np.cross(joint.motion_map(q)[:3].T, p)
    return bool(np.abs(across).max(initial=0.0) <= 1e-15 * np.abs(p).max())


def _opposite(columns: Array) -> Array:
    """Map of the inverse of a product of exponentials: the last comes first, with opposite sign."""
    return 0.0 - columns[:, ::-1]
