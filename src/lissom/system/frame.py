"""Frames fixed to a node of a body or to the ground: where they are, given where the node is.

Notation: a node with attitude R at x; a frame in it with attitude R_F at p; r = R p
  attitude R R_F, origin x + r                                     (1)
  velocity [omega; v + omega x r]                                  (2)
  acceleration [alpha; a + alpha x r + omega x (omega x r)]        (3)
  wrench [m; f] at the frame, in its axes = [R_F m + p x R_F f; R_F f] at the node, in its axes (4)
All hold for symbols and complex numbers too.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import StateError, shown
from ..immutable import array_of, immutable
from ..printing import Shown
from ..spatial import cross, rotate
from ..spatial.scalar import array, is_numeric
from .loop import GROUND

__all__ = ["Frame"]

Array = np.ndarray

_SAME, _ZERO = np.eye(3), np.zeros(3)
_SAME.flags.writeable = _ZERO.flags.writeable = False


@immutable("change the frame of the model and compile it again")
@dataclass(frozen=True, eq=False)
class Frame(Shown):
    """A named frame; a node by itself is a frame, too.

    Attributes
    ----------
    name : str
        By which it was asked for.
    body : int
        Number of the body, -1 for the ground.
    node : int
        Node of the body; -1 for the ground.
    rotation : array (3, 3)
        Axes of the frame to the axes of the node.
    position : array (3,)
        Origin of the frame in the frame of the node [m].
    plain : bool
        Whether it is the node itself.
    """

    name: str
    body: int
    node: int
    rotation: Array = field(
        default_factory=lambda: _SAME, metadata=array_of("1", "axis", "other_axis")
    )
    position: Array = field(default_factory=lambda: _ZERO, metadata=array_of("m", "axis"))
    plain: bool = False

    @property
    def grounded(self) -> bool:
        """Whether it is fixed to the ground."""
        return self.body == GROUND

    def at(self, point: Any) -> Frame:
        """The same axes with their origin at a point, given in these axes [m]."""
        try:
            vector = array(point)
        except (TypeError, ValueError):
            vector = np.zeros(0)
        if vector.shape != (3,) or (is_numeric(vector) and not np.all(np.isfinite(vector))):
            raise StateError(
                f"at is {shown(point)}; expected three finite numbers [m], a point in the axes of "
                f"{self.name!r}"
            )
        return replace(self, position=self.position + self.rotation @ vector, plain=False)

    def pose(self, R: Array, x: Array) -> tuple[Array, Array]:
        """Attitude and origin (1) from those of the node, (3, 3) and (3,) or many of them."""
        return (R, x) if self.plain else (R @ self.rotation, x + R @ self.position)

    def velocity(self, V: Array, R: Array) -> Array:
        """Velocity (2) or Jacobian (6, ...), from that of the node, both in the axes R leads to.

        Many velocities are columns (6, n), with R of shape (n, 3, 3).
        """
        if self.plain:
            return V
        return np.concatenate([V[:3], V[3:] + cross(V[:3], (R @ self.position).T)])

    def acceleration(self, A: Array, omega: Array, R: Array) -> Array:
        """Acceleration (3), likewise; omega is the angular velocity."""
        if self.plain:
            return A
        turning = cross(omega, cross(omega, (R @ self.position).T))
        moved = self.velocity(A, R)
        return np.concatenate([moved[:3], moved[3:] + turning])

    def wrench_at_node(self, wrench: Array) -> Array:
        """Moment and force (4) at the node, in its axes, from [m; f] at the frame."""
        if self.plain:
            return wrench
        turned = rotate(self.rotation, wrench)
        return np.concatenate([turned[:3] + cross(self.position, turned[3:]), turned[3:]])

    def wrench_at_frame(self, wrench: Array) -> Array:
        """Moment and force [m; f] at the frame, in its axes: the inverse of (4)."""
        if self.plain:
            return wrench
        moment = wrench[:3] - cross(self.position, wrench[3:])
        return rotate(self.rotation.T, np.concatenate([moment, wrench[3:]]))
