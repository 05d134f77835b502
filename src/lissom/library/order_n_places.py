"""Attachment of the limbs of the Order-N platform to its plates and the object."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError
from .order_n_limbs import Limb, Pose, arm, leg, mount

if TYPE_CHECKING:
    from ..system import System

Array = np.ndarray

THICKNESS = 0.1  # of both plates [m]
OBJECT = (1.5, 1.5, 1.0)  # edges [m]
SPACING = 5.0  # initial distance between the centres of base plate, top plate and object [m]
LEG_RADIUS, LEG_RADIUS_TOP, ARM_RADIUS = 1.6, 1.2, 0.9  # radii at which limbs are attached [m]


@dataclass(frozen=True)
class Place:
    """A limb and the two bodies it connects; initial poses in the frames of these bodies."""

    name: str
    limb: Limb
    carrier: str
    mount: Pose
    held: str
    contact: Array


def limbs(leg_joints: int, n_arm: int) -> Iterator[Place]:
    """Legs, then arms, with their attachments."""
    half = THICKNESS / 2
    walking = leg(leg_joints, SPACING - THICKNESS, LEG_RADIUS - LEG_RADIUS_TOP)
    for k in range(3):
        azimuth = 2 * math.pi * k / 3
        foot, contact = (mount(azimuth, r, half) for r in (LEG_RADIUS, LEG_RADIUS_TOP))
        below = contact[1] - [0.0, 0.0, THICKNESS]
        yield Place(f"leg{k + 1}", walking, "base", foot, "top", below)
    holding = arm(SPACING - half, ARM_RADIUS - OBJECT[0] / 2)
    for k in range(n_arm):
        shoulder = mount(math.pi * k, ARM_RADIUS, half)
        face = mount(math.pi * k, OBJECT[0] / 2, 0.0)[1]
        yield Place(f"arm{k + 1}", holding, "top", shoulder, "object", face)


def joints(configuration: int) -> tuple[int, int]:
    """Number of joints of a leg and number of arms."""
    return (6 if configuration < 3 else 7), (2 if configuration == 4 else 0)


def limb_counts(system: System) -> tuple[int, int]:
    """Number of joints of a leg and number of arms of a compiled platform."""
    if not {"base", "top", "leg1_elbow"} <= set(system.names):
        raise ModelError(
            f"the system {system.name!r} is not an Order-N platform; give order_n(case).compile()"
        )
    joints = 7 if "leg1_wrist_pitch" in system.names else 6
    return joints, sum(f"arm{k}_elbow" in system.names for k in (1, 2))
