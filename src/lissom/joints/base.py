"""What every joint offers, and the checks they share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np

from ..spatial.given import NAMED_AXES, unit_axis
from ..spatial.scalar import zeros

__all__ = ["REMEDY", "Array", "Joint", "unit_axis"]

Array = np.ndarray

REMEDY = "make another one"  # instead of changing a joint


@dataclass(frozen=True, eq=False)
class Joint(ABC):
    """How a body's frame may move against the joint's inboard frame.

    A joint is immutable and knows nothing of bodies.  Its functions take coordinates of any
    scalar type.  `pose` and `motion_map` belong together: the map is the derivative of the pose,
    and `bias` completes the second derivative; the tests check both for every joint.

    Attributes
    ----------
    n_q, n_v : int
        Number of coordinates q and of speeds v.
    has_quaternion : bool
        Whether the first four coordinates are a unit quaternion.
    """

    has_quaternion: ClassVar[bool] = False

    @property
    @abstractmethod
    def n_q(self) -> int:
        """Number of coordinates."""

    @property
    @abstractmethod
    def n_v(self) -> int:
        """Number of speeds."""

    def neutral(self) -> Array:
        """Coordinates at which the outboard frame coincides with the inboard frame."""
        q = zeros(self.n_q)
        if self.has_quaternion:
            q[0] = 1.0
        return q

    @abstractmethod
    def pose(self, q: Array) -> tuple[Array, Array]:
        """Outboard frame in the inboard frame.

        Parameters
        ----------
        q : array (n_q,)
            Coordinates.

        Returns
        -------
        rotation : array (3, 3)
            Outboard axes to inboard axes.
        position : array (3,)
            Outboard origin, in inboard axes [m].
        """

    @abstractmethod
    def motion_map(self, q: Array) -> Array:
        """H* (6, n_v): speeds -> relative [omega; v] of the outboard frame, in its own axes.

        Parameters
        ----------
        q : array (n_q,)
            Coordinates.
        """

    def bias(self, q: Array, v: Array) -> Array:
        """Relative acceleration (6,) at zero speed rates: [dH_w/dt v; dH_v/dt v + w x (H_v v)].

        It is the inertial derivative of the relative velocity, inboard frame held still,
        in outboard axes.

        Parameters
        ----------
        q : array (n_q,)
            Coordinates.
        v : array (n_v,)
            Speeds.
        """
        return zeros(6)

    def rate_map(self, q: Array) -> Array:
        """N (n_q, n_v) with qdot = N @ v.

        Parameters
        ----------
        q : array (n_q,)
            Coordinates.
        """
        return np.eye(self.n_v)

    @abstractmethod
    def nearest(self, rotation: Array, position: Array) -> Array:
        """Coordinates (n_q,) whose pose comes near a given one; exact if the joint can reach it.

        Real numbers only.  Loops are closed with it: what is left between the two poses is the gap.

        Parameters
        ----------
        rotation : array (3, 3)
            Outboard axes to inboard axes.
        position : array (3,)
            Outboard origin, in inboard axes [m].
        """

    @property
    def label(self) -> str:
        """Short description for printed trees."""
        values = (getattr(self, f.name) for f in fields(self))
        return " ".join([type(self).__name__.lower(), *(_shown(x) for x in values)])

    def converted(self, convert: Callable[[Any], Any]) -> Self:
        """Same joint with every parameter passed through `convert` (symbols to floats).

        Parameters
        ----------
        convert : callable
            Takes a parameter, a number, symbol or array, and returns what stands for it.
        """
        new = {f.name: convert(getattr(self, f.name)) for f in fields(self)}
        return replace(self, **new)


def _shown(value: Any) -> str:
    for name, axis in NAMED_AXES.items():
        if np.shape(value) == (3,) and np.array_equal(value, axis):
            return name
    if np.ndim(value) == 0:
        return f"{value:g}" if isinstance(value, float) else str(value)
    return "(" + ", ".join(f"{x:.4g}" if isinstance(x, float) else str(x) for x in value) + ")"
