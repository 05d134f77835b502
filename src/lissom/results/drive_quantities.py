"""Channels of joints with an elastic gear: both sides of the gear and the torque through it.

The joint of the rotor has the angle of the motor over the ratio, the joint of the body that is
driven the twist of the gear:

    joint angle   rotor + twist                                                              (1)
    motor angle   ratio rotor                                                                (2)
    gear torque   -(stiffness twist + damping rate of the twist), on the body                (3)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .labels import Parts, forces, per
from .quantity import ChannelFrame, ChannelQuantity
from .row_blocks import RowBlock

Array = np.ndarray


def _driven(
    parts: Callable[[Parts], Parts], unit: str = "", constants: int = 0
) -> Callable[[ChannelFrame], Parts | None]:
    """Labels and units of a channel, for joints with a drive of a unit and so many constants."""

    def driven_parts(frame: ChannelFrame) -> Parts | None:
        drive = frame.drive
        if drive is None or len(drive) < constants or unit not in ("", frame.coordinates[0][1]):
            return None
        return tuple(("", x) for _, x in parts(frame.coordinates))

    return driven_parts


def _piece(frame: ChannelFrame, name: str, piece: str) -> slice:
    layout = frame.system.layout
    return getattr(layout, piece)(layout.index(name))


def _joint(field: str, piece: str) -> Callable[[ChannelFrame, RowBlock], Array]:
    """(1)."""

    def compute(frame: ChannelFrame, block: RowBlock) -> Array:
        rows, (rotor, joint, *_) = block[field], frame.drive or ("", "")
        return (rows[:, _piece(frame, rotor, piece)] + rows[:, _piece(frame, joint, piece)])[:, 0]

    return compute


def _motor(field: str, piece: str) -> Callable[[ChannelFrame, RowBlock], Array]:
    """(2)."""

    def compute(frame: ChannelFrame, block: RowBlock) -> Array:
        rotor, _, ratio, *_ = frame.drive or ("", "", 0.0)
        return ratio * block[field][:, _piece(frame, rotor, piece)][:, 0]

    return compute


def _gear(frame: ChannelFrame, block: RowBlock) -> Array:
    """(3)."""
    _, joint, _, stiffness, damping = frame.drive or ("", "", 0.0, 0.0, 0.0)
    q, v = (block[x][:, _piece(frame, joint, f"hinge_{x}")][:, 0] for x in "qv")
    return -(stiffness * q + damping * v)


def _rates(parts: Parts) -> Parts:
    return per("s", parts)


def _same(parts: Parts) -> Parts:
    return parts


_Q, _V = ("q", "hinge_q"), ("v", "hinge_v")
_RATIO, _ALL = 3, 5  # constants of a drive that a channel needs
_GEAR = "of the gear on the body"
DRIVE = {
    "joint_angle": ChannelQuantity(
        "angle of the joint beyond its gear", _driven(_same, "rad"), _joint(*_Q), ()
    ),
    "joint_slide": ChannelQuantity(
        "slide of the joint beyond its gear", _driven(_same, "m"), _joint(*_Q), ()
    ),
    "joint_rate": ChannelQuantity(
        "speed of the joint beyond its gear", _driven(_rates), _joint(*_V), ()
    ),
    "gear_torque": ChannelQuantity(f"torque {_GEAR}", _driven(forces, "rad", _ALL), _gear, ()),
    "gear_force": ChannelQuantity(f"force {_GEAR}", _driven(forces, "m", _ALL), _gear, ()),
    "motor_angle": ChannelQuantity(
        "angle of the motor", _driven(_same, "rad", _RATIO), _motor(*_Q), ()
    ),
    "motor_slide": ChannelQuantity(
        "slide of the motor", _driven(_same, "m", _RATIO), _motor(*_Q), ()
    ),
    "motor_rate": ChannelQuantity(
        "speed of the motor", _driven(_rates, "", _RATIO), _motor(*_V), ()
    ),
}
