"""Contacts: constraints on relative velocities, for `Model.close`.

Frame a of the loop has the plane: its axes x and y, normal n along z.  In its axes, with s the
wheel's axis, r the centre, w and v the relative angular velocity and that of the centre:
  rho = -radius u / |u|,  u = n - (n.s) s    from the centre to the point of contact; ball: u = n
  gap of the distance: n.(r + rho)                                                            (1)
  rates: t.(v + w x rho) for t = n, x, y, velocities of the material point in contact         (2)
  their derivatives: t.(vdot + wdot x rho) + t.(w x rhodot)                                   (3)
The rate along n is the derivative of the gap; the other two have no gap.  A skate has the rate e.v
with e fixed in frame b and the derivative e.vdot + (w x e).v                                 (4)
Source: J. I. Neimark, N. A. Fufaev, Dynamics of Nonholonomic Systems, 1972.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, final

import numpy as np

from ..errors import ModelError, StateError
from ..immutable import immutable
from ..printing import summary
from ..spatial import cross
from ..spatial.scalar import array, is_numeric, sqrt, zeros
from .base import DIRECTION, REMEDY, Joint, Names, Symbol

Array = np.ndarray

# Sine of the angle between wheel and plane below which the wheel lies flat.
FLAT = 1e-9
RADIUS = {"kind": "number", "unit": "m", "dimension": "length"}


class PlaneTouch(NamedTuple):
    """A contact in a configuration and motion.

    Attributes
    ----------
    coordinates : array (n_q,)
        Coordinates of the contact.
    constraint_map : array (6, n)
        P: forces [moment; force] on frame b, in its axes; rates are P^T [w; v].
    gap : array (n,)
        Gap [m]; zero for rates without one.
    drift : array (n,)
        Part (3), (4) of the derivative of the rates due to velocities.
    """

    coordinates: Array
    constraint_map: Array
    gap: Array
    drift: Array

    def __repr__(self) -> str:
        """Fields, large arrays by their size."""
        return summary(self)


@dataclass(frozen=True, eq=False)
class ClosedContact(Joint):
    """Constraint on the velocity of frame b relative to frame a; it cannot carry a body.

    Attributes
    ----------
    rows : tuple of str
        Names of its constraints.
    n_gap : int
        Number of constraints on positions; they are the first.
    """

    rows: ClassVar[tuple[str, ...]] = ()
    n_gap: ClassVar[int] = 0
    symbol: ClassVar[Symbol] = Symbol("o", axes=False)

    @property
    def n_v(self) -> int:
        """Number of relative motions that are left."""
        return 6 - len(self.rows)

    @property
    def nearest_iterates(self) -> bool:
        """Whether coordinates are found by iteration."""
        return False

    @abstractmethod
    def touch(self, rotation: Array, position: Array, velocity: Array) -> PlaneTouch:
        """Constraints at a relative pose and velocity.

        Parameters
        ----------
        rotation : array (3, 3)
            Axes of frame b to axes of frame a.
        position : array (3,)
            Origin of frame b in frame a [m].
        velocity : array (6,)
            Velocity [angular; linear] of frame b relative to frame a, in axes of b.
        """

    def nearest(self, rotation: Array, position: Array) -> Array:
        """Coordinates of the contact at a relative pose."""
        return self.touch(rotation, position, zeros(6)).coordinates

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Raise: a contact has no pose."""
        raise self._no_pose()

    def motion_map(self, q: Array) -> Array:
        """Raise: a contact has no motion map."""
        raise self._no_pose()

    def _no_pose(self) -> ModelError:
        return ModelError(
            f"{type(self).__name__} constrains velocities between two frames and has no pose"
        )


def _pushed(rotation: Array, directions: Sequence[Array], arm: Array) -> Array:
    """Columns [moment; force] (6, n) in axes of b of unit forces at `arm`, in axes of a."""
    columns = [np.concatenate([rotation.T @ cross(arm, t), rotation.T @ t]) for t in directions]
    return np.stack(columns, axis=1)


class _Rolls(ClosedContact):
    """Rolling on the plane x, y of frame a without slip."""

    rows: ClassVar[tuple[str, ...]] = ("distance", "slip along x", "slip along y")
    n_gap: ClassVar[int] = 1
    coordinates: ClassVar[Names] = (("x", "m"), ("y", "m"))
    radius: float

    def __post_init__(self) -> None:
        """Check the radius."""
        super().__post_init__()
        if isinstance(self.radius, (int, float)) and not self.radius > 0:
            raise ModelError(
                f"{type(self).__name__}: radius is {self.radius:g}; expected a positive number [m]"
            )

    @abstractmethod
    def _arm(self, rotation: Array, spin: Array) -> tuple[Array, Array]:
        """From the centre to the point of contact, and its rate, in axes of a.

        `rotation` (3, 3): axes of b to axes of a; `spin` (3,): relative angular velocity in axes of
        a.
        """

    def touch(self, rotation: Array, position: Array, velocity: Array) -> PlaneTouch:
        """Constraints (1)-(3)."""
        w = rotation @ velocity[:3]
        rho, rho_dot = self._arm(rotation, w)
        x, y, n = array(np.eye(3))
        directions = (n, x, y)
        point, swept = position + rho, cross(w, rho_dot)
        return PlaneTouch(
            coordinates=point[:2],
            constraint_map=_pushed(rotation, directions, rho),
            gap=array([point[2], 0.0, 0.0]),
            drift=array([t @ swept for t in directions]),
        )


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class Rolling(_Rolls):
    """Wheel or disk that rolls on the plane x, y of frame a without slip.

    Frame b is at its centre.  The wheel may lean and turn; its edge is a circle.

    Parameters
    ----------
    radius : float
        Radius [m].
    axis : str or array (3,)
        Axis of the wheel in frame b.
    """

    radius: float = field(metadata=RADIUS)
    axis: Array = field(metadata=DIRECTION)

    def _arm(self, rotation: Array, spin: Array) -> tuple[Array, Array]:
        """From the centre to the lowest point of the edge, and its rate."""
        s = rotation @ self.axis
        s_dot, n = cross(spin, s), array([0.0, 0.0, 1.0])
        u = n - s[2] * s
        size = sqrt(u @ u)
        if is_numeric(u) and abs(size) < FLAT:
            raise StateError(
                f"a wheel ({self.label}) lies flat on its plane and touches it along its whole "
                "edge; start with the wheel more upright"
            )
        e, u_dot = u / size, -s_dot[2] * s - s[2] * s_dot
        return -self.radius * e, -self.radius / size * (u_dot - (e @ u_dot) * e)


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class RollingBall(_Rolls):
    """Ball that rolls on the plane x, y of frame a without slip; it may spin on its point.

    Frame b is at its centre.

    Parameters
    ----------
    radius : float
        Radius [m].
    """

    radius: float = field(metadata=RADIUS)

    def _arm(self, rotation: Array, spin: Array) -> tuple[Array, Array]:
        """From the centre to the lowest point, constant."""
        return array([0.0, 0.0, -self.radius]), zeros(3)


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class Skate(ClosedContact):
    """Edge whose origin does not move across: no velocity along an axis of frame b.

    All other motions are free.  A skate on ice is a body on a planar joint with this contact; a
    wheel of no size, the rear axle of a car or the keel of a boat are others.

    Parameters
    ----------
    axis : str or array (3,)
        Direction across the edge, in frame b.
    """

    rows: ClassVar[tuple[str, ...]] = ("slip across",)
    coordinates: ClassVar[Names] = ()
    axis: Array = field(metadata=DIRECTION)

    def touch(self, rotation: Array, position: Array, velocity: Array) -> PlaneTouch:
        """Constraint (4)."""
        P = np.concatenate([zeros(3), array(self.axis)])[:, None]
        drift = cross(velocity[:3], array(self.axis)) @ velocity[3:]
        return PlaneTouch(zeros(0), P, zeros(1), array([drift]))
