"""Targets of `reach`: poses that frames should have, and how far they are from them.

With the pose (R, x) of a frame, its target (R_t, x_t) and the length l of the system:
  e_x = (x - x_t) / l,           e_R = log(R_t^T R)                              (1)
  e_x' = J_v v / l,              e_R' = J_r(e_R)^-1 R^T J_w v                     (2)
J_w, J_v are the halves of the Jacobian in world axes, J_r(a) = J_l(-a) the right Jacobian of the
rotation vector.  (2) is exact, so that Newton's iteration on (1) converges quadratically.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import StateError, shown
from ...joints.nearness import rotation_log
from ...printing import Shown
from ...spatial import left_jacobian, rotation_exp
from ...spatial.given import rotation_of
from ...spatial.scalar import reals
from ...system import State, System
from ..tree.kinematics import Pose, jacobian, pose

Array = np.ndarray

_EXPECTED = (
    "expected a Pose, a position (3,), a rotation (3, 3), a pair (position, rotation) or a Target"
)


@dataclass(frozen=True, eq=False)
class Target(Shown):
    """Where a frame should be; what is not given is free.

    Attributes
    ----------
    position : array (3,), optional
        Its origin in the world [m].
    rotation : array (3, 3), mapping or Rotation, optional
        Its axes to world axes.
    position_weight : float or array (3,)
        Weights along the world's axes, against other targets that cannot be met together with this
        one; a zero leaves that direction free.
    rotation_weight : float or array (3,)
        Likewise about the axes of the target: (1, 1, 0) leaves a turn about its z axis free.
    at : array (3,), optional
        Point that should come to the position, in the axes of the frame [m]; by default its origin.
    """

    position: Any = None
    rotation: Any = None
    position_weight: Any = 1.0
    rotation_weight: Any = 1.0
    at: Any = None


@dataclass(frozen=True, eq=False)
class Aim:
    """A checked target of a frame."""

    name: str  # frame, as it was named
    at: Array | None  # (3,) point in its axes
    # position, rotation: (3,) and (3, 3) target; anything where weights are zero
    position: Array
    rotation: Array
    weights: Array  # (6,) of rotation and position

    def error(self, system: System, state: State) -> Array:
        """Rotation about target axes [rad] and displacement [m] (6,), from the target to it (1)."""
        now = pose(system, state, self.name, at=self.at)
        turn = rotation_log(self.rotation.T @ now.rotation)
        return np.concatenate([turn, now.position - self.position])

    def derivative(self, system: System, state: State, error: Array) -> Array:
        """Derivative (6, n_v) of the error by the speeds (2)."""
        J = jacobian(system, state, self.name, at=self.at)
        if not np.any(self.weights[:3]):
            return J
        R = self.rotation @ rotation_exp(error[:3])
        turning = np.linalg.solve(left_jacobian(-error[:3]), R.T @ J[:3])
        return np.concatenate([turning, J[3:]])

    def left(self, error: Array) -> tuple[float, float]:
        """Distance [m] and angle [rad] that count."""
        counted = np.where(self.weights > 0, error, 0.0)
        return float(np.linalg.norm(counted[3:])), float(np.linalg.norm(counted[:3]))


def aims_of(system: System, targets: Any) -> list[Aim]:
    """Checked targets from {"body", "body.node" or "frame": target}."""
    if not isinstance(targets, Mapping) or not targets:
        raise StateError(
            f"reach: targets is {shown(targets)}; expected a mapping "
            '{"body", "body.node" or "frame": target}'
        )
    return [_aim(system, str(where), target) for where, target in targets.items()]


def _aim(system: System, where: str, value: Any) -> Aim:
    if system.place(where).grounded:
        raise StateError(
            f"reach: {where!r} is fixed to the ground and cannot be moved; name a body, a node or "
            "a frame on one"
        )
    target = _target(where, value)
    if target.position is None and target.rotation is None:
        raise StateError(f"reach: the target of {where!r} has neither position nor rotation")
    w_x = _weights(where, "position_weight", target.position_weight)
    w_R = _weights(where, "rotation_weight", target.rotation_weight)
    x, R = np.zeros(3), np.eye(3)
    if target.position is None:
        w_x = np.zeros(3)
    else:
        x = _vector(where, "position", target.position)
    if target.rotation is None:
        w_R = np.zeros(3)
    else:
        try:
            R = rotation_of(target.rotation)
        except ValueError as error:
            raise StateError(f"reach: the rotation of the target of {where!r} {error}") from None
    weights = np.concatenate([w_R, w_x])
    if not np.any(weights):
        raise StateError(f"reach: all weights of the target of {where!r} are zero; leave it out")
    at = None if target.at is None else _vector(where, "at", target.at)
    return Aim(where, at, x, R, weights)


def _target(where: str, value: Any) -> Target:
    """Target from any of its forms."""
    if isinstance(value, Target):
        return value
    if isinstance(value, Pose):
        return Target(value.position, value.rotation)
    if isinstance(value, Mapping) or callable(getattr(value, "as_matrix", None)):
        return Target(rotation=value)
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return Target(*value)
    try:
        shape = reals(value).shape
    except (TypeError, ValueError):
        shape = ()
    if shape == (3, 3):
        return Target(rotation=value)
    if shape == (3,):
        return Target(position=value)
    raise StateError(f"reach: the target of {where!r} is {shown(value)}; {_EXPECTED}")


def _vector(where: str, what: str, value: Any) -> Array:
    try:
        vector = reals(value)
    except (TypeError, ValueError):
        vector = np.zeros(0)
    if vector.shape != (3,) or not np.all(np.isfinite(vector)):
        raise StateError(
            f"reach: {what} of the target of {where!r} is {shown(value)}; expected three finite "
            "numbers [m]"
        )
    return vector


def _weights(where: str, what: str, value: Any) -> Array:
    try:
        weights = reals(value)
    except (TypeError, ValueError):
        weights = np.full(1, np.nan)
    if weights.shape not in ((), (3,)) or not np.all(np.isfinite(weights) & (weights >= 0)):
        raise StateError(
            f"reach: {what} of the target of {where!r} is {shown(value)}; expected one or three "
            "numbers, none negative"
        )
    return np.broadcast_to(weights, 3)
