"""Legs and arms of the Order-N platform: joints, links and initial angles.

A stretched limb lies along x.  Its joints turn about x (roll), z (yaw) and y (pitch).  In its mount
frame x is the normal of the plate and y points along the rim, so that a limb with positive pitch
leans outwards.  A link extends from its joint along x to the next; the links of the shoulder pitch
and of the elbow are booms, all others are joint modules:

    roll, yaw | pitch = boom = pitch = boom = (pitch,) yaw, roll |
    shoulder           ...      elbow   ...    wrist
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..spatial import axis_rotation

Array = np.ndarray
Pose = tuple[Array, Array]  # rotation and origin [m] of a frame in another one

MODULE = 0.3  # length of a joint module [m]
LEG_BOOM, ARM_BOOM = 3.0, 3.5  # [m]

_SIX = ("shoulder_roll", "shoulder_yaw", "shoulder_pitch", "elbow", "wrist_yaw", "wrist_roll")
_SEVEN = (*_SIX[:4], "wrist_pitch", *_SIX[4:])
_BOOMS = ("shoulder_pitch", "elbow")
_AXES = {"roll": "x", "yaw": "z", "pitch": "y", "elbow": "y"}


@dataclass(frozen=True)
class Limb:
    """A leg or an arm."""

    joints: tuple[str, ...]  # names of the joints, from mount to end
    angles: tuple[float, ...]  # initial joint angles [rad]
    boom: float  # length of each of its two booms [m]

    @property
    def axes(self) -> tuple[str, ...]:
        """Axis of each joint: "x", "y" or "z"."""
        return tuple(_AXES[joint.rpartition("_")[2]] for joint in self.joints)

    @property
    def lengths(self) -> tuple[float, ...]:
        """Length of the link that each joint carries [m]."""
        return tuple(self.boom if joint in _BOOMS else MODULE for joint in self.joints)

    def is_boom(self, joint: str) -> bool:
        """Whether the joint carries a boom."""
        return joint in _BOOMS

    def end(self, mount: Pose) -> Pose:
        """Initial frame at the outer end of the last link, in the frame of `mount`."""
        rotation, position = mount
        for axis, length, angle in zip(self.axes, self.lengths, self.angles, strict=True):
            rotation = rotation @ axis_rotation(np.eye(3)["xyz".index(axis)], angle)
            position = position + rotation[:, 0] * length
        return rotation, position


def mount(azimuth: float, radius: float, height: float) -> Pose:
    """Frame of a limb on the upper side of a plate, in the plate's frame.

    `azimuth`: direction from the centre of the plate, measured from x towards y [rad]; `radius`,
    `height`: distances from the plate's axis and above its centre [m].
    """
    outward = np.array([math.cos(azimuth), math.sin(azimuth), 0.0])
    up = np.array([0.0, 0.0, 1.0])
    axes = np.stack([up, np.cross(up, outward), -outward], axis=1)
    return axes, radius * outward + height * up


def leg(joints: int, rise: float, inward: float) -> Limb:
    """Leg that ends `rise` above its mount and `inward` of it [m], with its knee outwards.

    The last link of a leg with seven joints is upright.  A leg with six has no joint to turn it
    upright; if it were flat, it could not move the plate in the plane of the leg without bending,
    because four of its joints would turn about lines in that plane.  So its wrist is turned out of
    the plane and its shoulder is turned back by the roll: a triangle with sides 3, 4 and 5.
    """
    above = rise - 2 * MODULE  # from the shoulder's pitch joint
    if joints == 7:
        pitch, elbow = _triangle(above - 3 * MODULE, -inward, LEG_BOOM, LEG_BOOM)
        return Limb(_SEVEN, (0.0, 0.0, pitch, elbow, -pitch - elbow, 0.0, 0.0), LEG_BOOM)
    sideways, back = 0.6 * inward, 0.8 * inward
    yaw = math.asin(sideways / (2 * MODULE))
    forearm = LEG_BOOM + 2 * MODULE * math.cos(yaw)
    pitch, elbow = _triangle(above, -back, LEG_BOOM, forearm)
    roll = math.atan2(sideways, back)
    return Limb(_SIX, (roll, 0.0, pitch, elbow, yaw, 0.0), LEG_BOOM)


def arm(rise: float, inward: float) -> Limb:
    """Arm of seven joints that ends `rise` above its mount and `inward` of it [m], level.

    Its elbow points outwards.
    """
    out = 3 * MODULE - inward  # distance of the wrist's pitch joint outwards of the mount
    pitch, elbow = _triangle(rise - 2 * MODULE, out, ARM_BOOM, ARM_BOOM)
    wrist = -math.pi / 2 - pitch - elbow
    return Limb(_SEVEN, (0.0, 0.0, pitch, elbow, wrist, 0.0, 0.0), ARM_BOOM)


def _triangle(up: float, out: float, upper: float, lower: float) -> tuple[float, float]:
    """Angles of two links from a joint to a point `up` and `out` of it, bent outwards [rad]."""
    chord = math.hypot(up, out)
    lean = math.atan2(out, up)
    first = lean + math.acos((upper**2 + chord**2 - lower**2) / (2 * upper * chord))
    second = lean - math.acos((lower**2 + chord**2 - upper**2) / (2 * lower * chord))
    return first, second - first
