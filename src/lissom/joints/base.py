"""The interface of every joint, and the checks they share."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from ..errors import ModelError
from ..spatial.given import NAMED_AXES, unit_axis
from ..spatial.scalar import array, is_numeric, zeros
from .nearness import nearest_by_iteration

Array = np.ndarray
Names = tuple[tuple[str, str], ...]  # name and unit of each coordinate or speed

REMEDY = "make another one"  # instead of changing a joint


class Symbol(NamedTuple):
    """Mark of a joint in drawings.

    Attributes
    ----------
    marker : str
        One of Matplotlib's.
    filled : bool
        Whether it is solid.
    size : float
        Compared with the mark of a revolute joint.
    along : bool
        Whether it lies along the slide of the joint.
    axes : bool
        Whether the axes of motion are drawn too.
    """

    marker: str = "^"
    filled: bool = False
    size: float = 1.0
    along: bool = False
    axes: bool = True


class Chart(NamedTuple):
    """Coordinates of a joint, or of a part of it, as a run integrates them.

    Attributes
    ----------
    kind : str
        "plain" (rates are speeds), "ball" (quaternion), "pose" (quaternion and position), or
        "product" (of the exponentials of a motion map).
    n_q, n_v : int
        Number of coordinates and speeds.
    columns : array (6, n_v), optional
        Motion map of a product.
    """

    kind: str
    n_q: int
    n_v: int
    columns: Array | None = None


# Metadata of a joint's dataclass fields, by which they are checked, stored and read from files.
DIRECTION = {"kind": "direction"}  # "x", "y", "z" or three numbers; normalised
PITCH = {"kind": "number", "unit": "m/rad", "dimension": "pitch"}


@dataclass(frozen=True, eq=False)
class Joint(ABC):
    """Motion of a body's frame relative to the joint's inboard frame.

    A joint is immutable and does not refer to bodies.  Its functions take coordinates of any
    scalar type.  `pose` and `motion_map` belong together: the map is the derivative of the pose,
    and `bias` completes the second derivative.

    A joint of your own is a dataclass (``frozen=True, eq=False``) derived from `FactoredJoint`, if
    it is a product of turns, slides and twists, or from this class, with `coordinates`, `pose` and
    `motion_map`; all else has a default.  `compile` checks that map and bias are the derivatives
    of the pose.

    Attributes
    ----------
    has_quaternion : bool
        Whether the first four coordinates are a unit quaternion.
    symbol : Symbol
        Mark in drawings.
    compiled : callable, optional
        Function compiled by Numba, ``f(parameters, q, v, rotation, position, motion_map, bias)``,
        that writes what the methods return (map as rows of six, one for each speed) from the
        joint's parameters in one array.  Without it compiled code calls the methods.
    """

    has_quaternion: ClassVar[bool] = False
    symbol: ClassVar[Symbol] = Symbol()
    compiled: ClassVar[Callable[..., Any] | None] = None

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Refuse a class that lacks something, with a word on what a joint needs."""
        if missing := sorted(getattr(cls, "__abstractmethods__", ())):
            raise ModelError(
                f"joint class {cls.__name__} has no {', '.join(missing)}; a joint derived from "
                "Joint needs coordinates, pose(q) and motion_map(q), one derived from "
                "FactoredJoint needs coordinates and factors"
            )
        return super().__new__(cls)

    def __post_init__(self) -> None:
        """Check the parameters that say what they are."""
        for f in fields(self):
            what, given = f"{type(self).__name__}: {f.name}", getattr(self, f.name)
            if f.metadata.get("kind") == "direction":
                object.__setattr__(self, f.name, unit_axis(given, what))
            elif f.metadata.get("kind") == "number":
                object.__setattr__(self, f.name, _finite(given, what, f.metadata["unit"]))

    @property
    @abstractmethod
    def coordinates(self) -> tuple[tuple[str, str], ...]:
        """Name and unit of each coordinate: ``(("angle", "rad"), ("slide", "m"))``; or unit "1"."""

    @property
    def speeds(self) -> tuple[tuple[str, str], ...]:
        """Name of each speed, and the unit of its integral; by default rates of the coordinates."""
        return self.coordinates

    @property
    def n_q(self) -> int:
        """Number of coordinates."""
        return len(self.coordinates)

    @property
    def n_v(self) -> int:
        """Number of speeds."""
        return len(self.speeds)

    @property
    def factors(self) -> tuple[Any, ...] | None:
        """Turns, slides, twists and quaternions that the pose is a product of, if it is one."""
        return None

    @property
    def maps(self) -> tuple[Array, ...]:
        """Constant motion maps (6, r) whose speeds are not rates of coordinates; else empty."""
        return ()

    @property
    def is_from_maps(self) -> bool:
        """Whether the joint is given by motion maps, whose motions have no units that are sure."""
        return bool(self.maps) and not self.has_quaternion

    @property
    def plain_coordinates(self) -> tuple[tuple[str, str], ...]:
        """Coordinates whose rates are the speeds; empty if the joint has others."""
        return () if self.maps else self.coordinates

    @property
    def charts(self) -> tuple[Any, ...]:
        """Pieces of the coordinates as a run integrates them."""
        return (Chart("plain", self.n_q, self.n_v),)

    @property
    def parameters(self) -> dict[str, Any]:
        """Values of the parameters by name, in the order of the constructor."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.init}

    @property
    def numbers(self) -> Array | None:
        """All parameters in one array, for the compiled function; None if some are symbols."""
        values = [np.asarray(x) for x in self.parameters.values()]
        if not all(x.dtype.kind in "fiub" for x in values):
            return None
        return np.concatenate([zeros(0), *(x.astype(float).ravel() for x in values)])

    def neutral(self) -> Array:
        """Coordinates (n_q,) that a state has by default: zeros, or the unit quaternion."""
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
        in outboard axes.  By default the derivative is taken by a complex step through
        `motion_map`; give it for a joint that is to work with symbols or complex numbers.

        Parameters
        ----------
        q : array (n_q,)
            Coordinates.
        v : array (n_v,)
            Speeds.
        """
        if np.asarray(v).dtype.kind == "f" and not np.any(v):
            return zeros(6)
        if np.asarray(q).dtype.kind != "f" or np.asarray(v).dtype.kind != "f":
            raise ModelError(
                f"joint class {type(self).__name__} needs a method bias(q, v) to work with symbols "
                "or complex numbers"
            )
        step = 1e-30
        p = self.motion_map(q) @ v
        p_dot = np.imag(self.motion_map(q + 1j * step * (self.rate_map(q) @ v)) @ v) / step
        p_dot[3:] += np.cross(p[:3], p[3:])
        return p_dot

    def rate_map(self, q: Array) -> Array:
        """N (n_q, n_v) with qdot = N @ v.

        Parameters
        ----------
        q : array (n_q,)
            Coordinates.
        """
        return np.eye(self.n_v)

    def moved(self, q: Array, motion: Array) -> Array:
        """Coordinates (n_q,) after a small motion.

        Parameters
        ----------
        q : array (n_q,)
            Coordinates before.
        motion : array (n_v,)
            Integral of the speeds.
        """
        return q + motion

    def nearest(self, rotation: Array, position: Array) -> Array:
        """Coordinates (n_q,) whose pose comes near a given one; exact if the joint can reach it.

        Real numbers only.  Loops are closed with it: what is left between the two poses is the gap.
        By default Newton's method finds them.

        Parameters
        ----------
        rotation : array (3, 3)
            Outboard axes to inboard axes.
        position : array (3,)
            Outboard origin, in inboard axes [m].
        """
        return nearest_by_iteration(self, rotation, position)

    @property
    def nearest_iterates(self) -> bool:
        """Whether `nearest` is a search, whose result depends on where it starts."""
        return True

    @property
    def turning(self) -> tuple[bool, ...]:
        """Which coordinates `nearest` gives as angles within half a turn."""
        return (False,) * self.n_q

    def with_rates(self) -> Joint | None:
        """Joint of the same coordinates whose speeds are their rates; None if there is none."""
        return self

    def reversed(self) -> Joint | None:
        """Joint with the inverse poses: inboard and outboard exchanged; None if unknown."""
        return None

    def rotated(self, R: Array) -> Joint | None:
        """Joint with the poses R J R^T, all its directions turned; None if unknown.

        Parameters
        ----------
        R : array (3, 3)
            Rotation.
        """
        return None

    @property
    def label(self) -> str:
        """Short description for printed trees."""
        values = self.parameters.values()
        return " ".join([type(self).__name__.lower(), *(_shown(x) for x in values)])

    def converted(self, convert: Callable[[Any], Any]) -> Self:
        """Same joint with every parameter passed through `convert` (symbols to floats).

        Parameters
        ----------
        convert : callable
            Takes a parameter, a number, symbol or array, and returns what stands for it.
        """
        new = {name: convert(value) for name, value in self.parameters.items()}
        return replace(self, **new) if new else self


def joint_classes() -> dict[str, type[Joint]]:
    """All joints that can be made, by the name of the class; users' own once they are defined."""
    found: dict[str, type[Joint]] = {}
    waiting: list[Any] = [Joint]
    while waiting:
        for kind in waiting.pop(0).__subclasses__():
            waiting.append(kind)
            if not inspect.isabstract(kind) and "__dataclass_fields__" in vars(kind):
                found[kind.__name__] = kind
    return found


def parameter_kinds(kind: type[Joint]) -> Mapping[str, Mapping[str, Any]]:
    """Parameters of a class of joints: {name: {"kind": "direction" | "number" | "values"}}.

    Parameters
    ----------
    kind : type
        A joint.
    """
    if not is_dataclass(kind):
        return {}
    return {f.name: f.metadata or {"kind": "values"} for f in fields(kind) if f.init}


def _finite(value: Any, what: str, unit: str) -> Any:
    """Finite number or symbol."""
    try:
        given = array(value)
    except (TypeError, ValueError):
        given = zeros(0)
    if given.shape != () or (is_numeric(given) and not np.isfinite(given)):
        raise ModelError(f"{what} is {value!r}; give a finite number [{unit}]")
    return given[()]


def _shown(value: Any) -> str:
    for name, axis in NAMED_AXES.items():
        if np.shape(value) == (3,) and np.array_equal(value, axis):
            return name
    if np.ndim(value) == 0:
        return f"{value:g}" if isinstance(value, float) else str(value)
    return "(" + ", ".join(f"{x:.4g}" if isinstance(x, float) else str(x) for x in value) + ")"
