"""Joints as the kernels read them: the row of a joint follows from its factors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...joints import Joint, Rolling, RollingBall, Skate, Slide, Turn
from ...joints.factors import OneFactor, Quaternion, is_pure, twist_of
from ...kernels import fields as field

Array = np.ndarray


class JointRow(NamedTuple):
    """What the kernels read of a joint."""

    kind: int  # of `kernels.fields`
    axis: int  # coordinate axis of an aligned revolute or prismatic joint
    constants: list[float]  # numbers that its kind needs


def joint_row(joint: Joint) -> JointRow:
    """Row of a joint that carries a body: those along coordinate axes have kinds of their own."""
    match joint.factors:
        case (Turn(axis=axis) as turn,) if is_pure(turn) and (k := _coordinate_axis(axis)) >= 0:
            return JointRow(field.REVOLUTE, k, [])
        case (Slide(axis=axis),) if (k := _coordinate_axis(axis)) >= 0:
            return JointRow(field.PRISMATIC, k, [])
    return loop_joint_row(joint)


def loop_joint_row(joint: Joint) -> JointRow:
    """Row of a joint that closes a loop; OWN for one whose methods have to be called."""
    match joint:
        case Rolling(radius=radius, axis=axis):
            return JointRow(field.ROLLING, 0, [*axis, radius])
        case RollingBall(radius=radius):
            return JointRow(field.BALL, 0, [0.0, 0.0, 0.0, radius])
        case Skate(axis=axis):
            return JointRow(field.SKATE, 0, [*axis])
    factors = joint.factors
    if factors is None:
        return JointRow(field.OWN, 0, [])
    if joint.is_from_maps:
        return JointRow(field.EXPONENTIAL, 0, _columns([H.T for H in joint.maps]))
    match factors:
        case ():
            return JointRow(field.FIXED, 0, [])
        case (Quaternion(q=0),):
            return JointRow(field.SPHERICAL, 0, [])
        case (Slide(), Slide(), Slide(), Quaternion(q=0)):
            return JointRow(field.FREE, 0, [])
    if not joint.nearest_iterates and (row := _closed_form_row(factors)) is not None:
        return row
    outward = [[twist_of(f)] for f in reversed(factors)]
    return JointRow(field.EXPONENTIAL, 0, _columns(outward, [f.q for f in reversed(factors)]))


def _closed_form_row(factors: tuple[OneFactor, ...]) -> JointRow | None:
    """Row of factors whose coordinates have formulas: slides and then turns, or one screw."""
    match factors:
        case (Turn(axis=axis, pitch=pitch),):
            return JointRow(field.AXIAL, 0, [*axis, 1, pitch, 0])
        case (Slide(axis=axis),):
            return JointRow(field.AXIAL, 0, [*axis, 0, 1, 0])
        case (Slide(q=1, axis=axis), Turn(q=0, axis=other)) if np.array_equal(axis, other):
            return JointRow(field.AXIAL, 0, [*axis, 1, 0, 1])
        case (Turn(q=0, axis=one), Turn(q=1, axis=two)):
            return JointRow(field.UNIVERSAL, 0, [*one, *two])
        case (Slide(q=0, axis=x), Slide(q=1, axis=y), Turn(q=2, axis=normal)):
            return JointRow(field.PLANAR, 0, [*normal, *x, *y])
    return None


def loop_columns(joint: Joint, row: JointRow) -> list[float]:
    """Constants by which the coordinates of a loop's joint are found.

    Products of exponentials are treated as if each column were a joint: the poses are the same.
    """
    if joint.is_from_maps:
        return _columns([[column] for H in joint.maps for column in H.T])
    return row.constants


def _columns(maps: Sequence[Any], order: list[int] | None = None) -> list[float]:
    """Constants of an EXPONENTIAL joint: each column with the number of its coordinate."""
    numbers: list[float] = [len(maps)]
    places = iter(order if order is not None else range(6))
    for columns in maps:
        numbers += [len(columns), *(x for column in columns for x in (next(places), *column))]
    return numbers


def _coordinate_axis(axis: Array) -> int:
    """Number of the coordinate axis, -1 for a direction in between."""
    for k in range(3):
        if np.array_equal(axis, np.eye(3)[k]):
            return k
    return -1
