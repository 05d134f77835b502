"""Joints as the kernels read them."""

from __future__ import annotations

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
from ..spatial import shortest_rotation
from ._kernels import fields as field

__all__ = ["joint_constants", "loop_joint_constants"]

Array = np.ndarray


def joint_constants(joint: Joint) -> tuple[int, int, list[float] | Array]:
    """Kind, axis and constants of a joint."""
    match joint:
        case Fixed():
            return field.FIXED, 0, []
        case Revolute() | Prismatic() if (axis := _coordinate_axis(joint.axis)) is not None:
            return field.REVOLUTE if isinstance(joint, Revolute) else field.PRISMATIC, axis, []
        case Revolute():
            return field.AXIAL, 0, [*joint.axis, 1, 0, 0]
        case Prismatic():
            return field.AXIAL, 0, [*joint.axis, 0, 1, 0]
        case Screw():
            return field.AXIAL, 0, [*joint.axis, 1, joint.pitch, 0]
        case Cylindrical():
            return field.AXIAL, 0, [*joint.axis, 1, 0, 1]
        case Universal():
            return field.UNIVERSAL, 0, [*joint.axis1, *joint.axis2]
        case Planar():
            plane = shortest_rotation(joint.normal)
            return field.PLANAR, 0, [*joint.normal, *plane[:, 0], *plane[:, 1]]
        case Spherical():
            return field.SPHERICAL, 0, []
        case Free():
            return field.FREE, 0, []
        case SimpleJoint() | CompoundJoint():
            parts = joint.parts if isinstance(joint, CompoundJoint) else (joint,)
            columns = [x for part in parts for x in (part.n_v, *part.columns.T.ravel())]
            return field.EXPONENTIAL, 0, [len(parts), *columns]
    raise TypeError(f"the kernels know no joint of type {type(joint).__name__}")


def _coordinate_axis(axis: Array) -> int | None:
    for k in range(3):
        if np.array_equal(axis, np.eye(3)[k]):
            return k
    return None


def loop_joint_constants(joint: Joint) -> tuple[int, list[float] | Array, list[float] | Array]:
    """Kind and constants of a joint that closes a loop, and those that its coordinates go by.

    Joints along coordinate axes have no path of their own here.  The coordinates of paper E's
    joints are found as if each column were a joint: the poses are the same.
    """
    match joint:
        case Revolute():
            numbers: list[float] | Array = [*joint.axis, 1, 0, 0]
            return field.AXIAL, numbers, numbers
        case Prismatic():
            numbers = [*joint.axis, 0, 1, 0]
            return field.AXIAL, numbers, numbers
        case SimpleJoint() | CompoundJoint():
            parts = joint.parts if isinstance(joint, CompoundJoint) else (joint,)
            columns = [column for part in parts for column in part.columns.T]
            single = [len(columns), *(x for c in columns for x in (1, *c))]
            return field.EXPONENTIAL, joint_constants(joint)[2], single
    kind, _, numbers = joint_constants(joint)
    return kind, numbers, numbers
