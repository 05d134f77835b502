"""What every joint offers, and the checks they share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np

from ..errors import ModelError
from ..spatial.scalar import array, is_numeric, sqrt, zeros

__all__ = ["REMEDY", "Array", "Joint", "unit_axis"]

Array = np.ndarray

REMEDY = "make another one"  # instead of changing a joint
_UNIT = 1e-15  # a length this near to 1 is 1
_NAMED_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


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
    for name, axis in _NAMED_AXES.items():
        if np.shape(value) == (3,) and np.array_equal(value, axis):
            return name
    if np.ndim(value) == 0:
        return f"{value:g}" if isinstance(value, float) else str(value)
    return "(" + ", ".join(f"{x:.4g}" if isinstance(x, float) else str(x) for x in value) + ")"


def unit_axis(axis: Any, what: str) -> Array:
    """Unit vector from "x", "y", "z" or three numbers or symbols.

    Parameters
    ----------
    axis : str or array (3,)
        What the user gave.
    what : str
        How to call it in an error, such as "Revolute: axis".

    Returns
    -------
    array (3,)
    """
    if isinstance(axis, str):
        if axis not in _NAMED_AXES:
            raise ModelError(f'{what} is {axis!r}; give "x", "y", "z" or three numbers')
        return array(_NAMED_AXES[axis])
    try:
        given = array(axis)
    except (TypeError, ValueError):
        given = zeros(0)
    if given.shape != (3,) or np.iscomplexobj(given):
        raise ModelError(f'{what} is {axis!r}; give "x", "y", "z" or three numbers')
    if not is_numeric(given):
        return given / sqrt(given @ given)
    if not np.all(np.isfinite(given)):
        raise ModelError(f"{what} is {axis!r}; its entries must be finite")
    length = np.linalg.norm(given)
    if length == 0:
        raise ModelError(f"{what} is zero; give the direction of the joint's axis")
    if abs(length - 1) < _UNIT:
        return given  # to the last bit: dividing once more would move it
    return given / length
