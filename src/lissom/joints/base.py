"""Interface and shared checks of joints."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from ..errors import ModelError
from ..fields import numbers_or_symbols
from ..printing import Shown
from ..spatial.given import NAMED_AXES, unit_axis
from ..spatial.scalar import zeros
from .nearness import nearest_by_iteration

# Rates of coordinates from a pose and a motion map whose speeds are quasi-speeds.
#
#   B(q) qdot = P(q) v      B: derivatives of the pose by the coordinates, P: the motion map     (1)
# The map alone says which velocities are allowed (B 6); (1) adds the
# coordinates, of which there may be more than speeds.

STEP = 1e-30  # complex step
SINGULAR = 1e-9  # ratio of singular values of B below which coordinates are singular


def pose_derivatives(joint: Joint, q: Array) -> Array:
    """Columns B (6, n_q): relative velocity [omega; v] for each rate, in outboard axes."""
    R, _ = joint.pose(q)
    columns = []
    for direction in np.eye(joint.n_q):
        R_k, r_k = joint.pose(q + 1j * STEP * direction)
        W, u = R.T @ np.imag(R_k) / STEP, R.T @ np.imag(r_k) / STEP
        columns.append([W[2, 1], W[0, 2], W[1, 0], *u])
    return np.array(columns).T


def rates_from_pose(joint: Joint, q: Array) -> Array:
    """Solution N (n_q, n_v) of B N = P (1); infinite where the coordinates are singular."""
    if np.asarray(q).dtype.kind != "f":
        raise ModelError(
            f"joint class {type(joint).__name__} does not support symbols or complex numbers; "
            "define its method rate_map(q)"
        )
    B, P = pose_derivatives(joint, q), joint.motion_map(q)
    rates, _, rank, _ = np.linalg.lstsq(B, P, rcond=SINGULAR)
    return rates if rank == joint.n_q else np.full((joint.n_q, joint.n_v), np.inf)


Array = np.ndarray
Names = tuple[tuple[str, str], ...]  # name and unit of each coordinate or speed

REMEDY = "create a new one"  # in the error about changing a joint


class Symbol(NamedTuple):
    """Mark of a joint in drawings.

    Attributes
    ----------
    marker : str
        Matplotlib marker.
    filled : bool
        Whether the marker is filled.
    size : float
        Size relative to the mark of a revolute joint.
    along : bool
        Whether the marker is aligned with the sliding direction.
    axes : bool
        Whether the axes of motion are drawn as well.
    """

    marker: str = "^"
    filled: bool = False
    size: float = 1.0
    along: bool = False
    axes: bool = True


class Chart(NamedTuple):
    """Coordinates of a joint, or of a part of it, as integrated in a simulation."""

    # "plain" (rates are speeds), "ball" (quaternion), "pose" (quaternion and position), "product"
    # (of the exponentials of a motion map), or "mapped" (rates from `rate_map`)
    kind: str
    # n_q, n_v: number of coordinates and speeds
    n_q: int
    n_v: int
    columns: Array | None = None  # (6, n_v) motion map of a product


# Metadata of a joint's dataclass fields, used to check, store and read them.
DIRECTION = {
    "kind": "direction",
    "dimensions": ("axis",),
}  # "x", "y", "z" or three numbers; normalised
PITCH = {"kind": "number", "unit": "m/rad", "dimension": "pitch"}


@dataclass(frozen=True, eq=False)
class Joint(Shown, ABC):
    """Motion of a body's frame relative to the joint's inboard frame.

    A joint is immutable and does not refer to bodies.  Its methods accept coordinates of any
    scalar type.  `motion_map` is the derivative of `pose` along the motions of the speeds, and
    `bias` completes the second derivative.

    A user-defined joint is a dataclass (``frozen=True, eq=False``) derived from `FactoredJoint` if
    it is a product of turns, slides and twists, otherwise from this class with `coordinates`,
    `pose` and `motion_map`; everything else has a default.  With `speeds` as well, the speeds are
    quasi-speeds, qdot = N(q) v, and there may be fewer of them than coordinates: the joint is then
    nonholonomic.  `compile` checks that map and bias are the derivatives of the pose.

    Attributes
    ----------
    has_quaternion : bool
        Whether the first four coordinates are a unit quaternion.
    symbol : Symbol
        Mark in drawings.
    compiled : callable, optional
        Function compiled by Numba, ``f(parameters, q, v, rotation, position, motion_map, bias)``.
        It gets the joint's parameters in one array and writes what the methods return (the map as
        one row of six for each speed).  With quasi-speeds it has one more argument, ``rates``, and
        writes qdot there.  Without it, compiled code calls the methods.
    """

    has_quaternion: ClassVar[bool] = False
    symbol: ClassVar[Symbol] = Symbol()
    compiled: ClassVar[Callable[..., Any] | None] = None

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Reject a class without the required methods."""
        if missing := sorted(getattr(cls, "__abstractmethods__", ())):
            raise ModelError(
                f"joint class {cls.__name__} does not define {', '.join(missing)}; a joint derived "
                "from Joint needs coordinates, pose(q) and motion_map(q), one derived from "
                "FactoredJoint needs coordinates and factors"
            )
        return super().__new__(cls)

    def __post_init__(self) -> None:
        """Check the parameters that have metadata."""
        for f in fields(self):
            what, value = f"{type(self).__name__}: {f.name}", getattr(self, f.name)
            if f.metadata.get("kind") == "direction":
                object.__setattr__(self, f.name, unit_axis(value, what))
            elif f.metadata.get("kind") == "number":
                expected = f"a finite real number [{f.metadata['unit']}]"
                object.__setattr__(self, f.name, numbers_or_symbols(value, what, expected)[()])

    @property
    @abstractmethod
    def coordinates(self) -> tuple[tuple[str, str], ...]:
        """Name and unit of each coordinate: ``(("angle", "rad"), ("slide", "m"))``; or unit "1"."""

    @property
    def speeds(self) -> tuple[tuple[str, str], ...]:
        """Name of each speed, and the unit of its integral; by default rates of the coordinates."""
        return self.coordinates

    @property
    def has_quasi_speeds(self) -> bool:
        """Whether the speeds are not the rates of the coordinates."""
        return type(self).rate_map is not Joint.rate_map or self.speeds != self.coordinates

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
        """Turns, slides, twists and quaternions whose product is the pose; None if unknown."""
        return None

    @property
    def maps(self) -> tuple[Array, ...]:
        """Constant motion maps (6, r) whose speeds are not rates of coordinates, or empty."""
        return ()

    @property
    def is_from_maps(self) -> bool:
        """Whether the joint is given by motion maps, whose motions have no units that are sure."""
        return bool(self.maps) and not self.has_quaternion

    @property
    def plain_coordinates(self) -> tuple[tuple[str, str], ...]:
        """Coordinates, if all their rates are speeds; otherwise empty."""
        return () if self.has_quasi_speeds else self.coordinates

    @property
    def named_coordinates(self) -> tuple[tuple[str, str], ...]:
        """Coordinates that are channels of results by their names."""
        return () if self.maps else self.coordinates

    @property
    def charts(self) -> tuple[Any, ...]:
        """Parts of the coordinates as integrated in a simulation."""
        kind = "mapped" if self.has_quasi_speeds else "plain"
        return (Chart(kind, self.n_q, self.n_v),)

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
        """Default coordinates (n_q,) of a state: zeros, quaternions (1, 0, 0, 0)."""
        q = zeros(self.n_q)
        if self.has_quaternion:
            q[0] = 1.0
        return q

    @abstractmethod
    def pose(self, q: Array) -> tuple[Array, Array]:
        """Pose of the outboard frame in the inboard frame (E 1).

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
        """Motion map H* (6, n_v): speeds -> relative [omega; v] of the outboard frame, in its axes.

        Parameters
        ----------
        q : array (n_q,)
            Coordinates.
        """

    def bias(self, q: Array, v: Array) -> Array:
        """Relative acceleration (6,) at zero speed rates: [dH_w/dt v; dH_v/dt v + w x (H_v v)].

        This is the inertial derivative of the relative velocity with the inboard frame at rest, in
        outboard axes.  By default it is computed by a complex step through `motion_map`, also for
        complex speeds, of which it is a quadratic form; override it to support symbols, or complex
        coordinates at speeds that are not zero.

        Parameters
        ----------
        q : array (n_q,)
            Coordinates.
        v : array (n_v,)
            Speeds.
        """
        q, v = np.asarray(q), np.asarray(v)
        if v.dtype.kind in "fc" and not np.any(v):
            return zeros(6)
        if q.dtype.kind != "f" or v.dtype.kind not in "fc":
            raise ModelError(
                f"joint class {type(self).__name__} does not support symbols, nor the complex "
                "numbers that derivatives in motion need; define its method bias(q, v)"
            )
        if v.dtype.kind == "c":
            a, b = v.real, v.imag
            scale = (abs(a).max() or 1.0) / (abs(b).max() or 1.0)
            mixed = self.bias(q, a + scale * b) - self.bias(q, a - scale * b)
            return self.bias(q, a) - self.bias(q, b) + 0.5j / scale * mixed
        step = 1e-30
        p = self.motion_map(q) @ v
        with np.errstate(invalid="ignore"):  # singular coordinates have infinite rates
            q_dot = self.rate_map(q) @ v
            p_dot = np.imag(self.motion_map(q + 1j * step * q_dot) @ v) / step
        p_dot[3:] += np.cross(p[:3], p[3:])
        return p_dot

    def rate_map(self, q: Array) -> Array:
        """Rate map N (n_q, n_v) with qdot = N @ v.

        By default the identity or, where `speeds` are not the coordinates, the rates with which
        the pose moves as `motion_map` says; these need a pose that determines the coordinates.

        Parameters
        ----------
        q : array (n_q,)
            Coordinates.
        """
        if self.speeds == self.coordinates:
            return np.eye(self.n_v)
        return rates_from_pose(self, q)

    def moved(self, q: Array, motion: Array) -> Array:
        """Coordinates (n_q,) after a small motion.

        Parameters
        ----------
        q : array (n_q,)
            Coordinates before.
        motion : array (n_v,)
            Integral of the speeds.
        """
        if not self.has_quasi_speeds:
            return q + motion
        half = q + 0.5 * self.rate_map(q) @ motion
        return q + self.rate_map(half) @ motion

    def nearest(self, rotation: Array, position: Array) -> Array:
        """Coordinates (n_q,) whose pose is nearest to a given one; exact if the joint can reach it.

        Real numbers only.  The remaining difference between the two poses is the gap of a loop.
        The default is Newton's method.

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
        """Whether `nearest` is iterative, so that its result depends on the starting point."""
        return True

    @property
    def turning(self) -> tuple[bool, ...]:
        """Whether `nearest` returns each coordinate as an angle in [-pi, pi]."""
        return (False,) * self.n_q

    def with_rates(self) -> Joint | None:
        """Joint with the same coordinates whose speeds are their rates; None if there is none."""
        return None if self.has_quasi_speeds else self

    def reversed(self) -> Joint | None:
        """Joint with inboard and outboard frames swapped (E 2b); None if unknown."""
        return None

    def rotated(self, R: Array) -> Joint | None:
        """Joint with the poses R J R^T, all its directions rotated by R; None if unknown.

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
        """Copy with every parameter passed through `convert` (symbols to floats).

        Parameters
        ----------
        convert : callable
            Maps a parameter (number, symbol or array) to its new value.
        """
        new = {name: convert(value) for name, value in self.parameters.items()}
        return replace(self, **new) if new else self


def joint_classes() -> dict[str, type[Joint]]:
    """Concrete joint classes by name, including the user-defined ones that exist so far."""
    classes: dict[str, type[Joint]] = {}
    waiting: list[Any] = [Joint]
    while waiting:
        for kind in waiting.pop(0).__subclasses__():
            waiting.append(kind)
            if not inspect.isabstract(kind) and "__dataclass_fields__" in vars(kind):
                classes[kind.__name__] = kind
    return classes


def parameter_kinds(kind: type[Joint]) -> Mapping[str, Mapping[str, Any]]:
    """Parameters of a joint class: {name: {"kind": "direction" | "number" | "values"}}."""
    if not is_dataclass(kind):
        return {}
    return {f.name: f.metadata or {"kind": "values"} for f in fields(kind) if f.init}


def _shown(value: Any) -> str:
    for name, axis in NAMED_AXES.items():
        if np.shape(value) == (3,) and np.array_equal(value, axis):
            return name
    if np.ndim(value) == 0:
        return f"{value:g}" if isinstance(value, float) else str(value)
    return "(" + ", ".join(f"{x:.4g}" if isinstance(x, float) else str(x) for x in value) + ")"
