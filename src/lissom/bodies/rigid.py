"""Rigid bodies and the constructors for common shapes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, final

import numpy as np

from ..errors import ModelError
from ..fields import numbers_or_symbols
from ..immutable import immutable
from ..printing import Shown
from ..spatial import inertia_fault, inertia_matrix, second_moment
from ..spatial.scalar import array, is_numeric, zeros
from .normal import REMEDY, MassIntegrals, NormalBody
from .solids import Box, Cylinder, Solid, Sphere, checked_solids

Array = np.ndarray

_AXES = {"x": 0, "y": 1, "z": 2}
# Rotations that take z to each axis.
_ALONG = {
    "x": np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]]),
    "y": np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]),
    "z": np.eye(3),
}
_SLENDER = 40  # length over radius of a rod in drawings


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class RigidBody(Shown):
    """Body that does not deform.

    Parameters
    ----------
    mass : float or symbol
        [kg]; zero is allowed for a body that only connects joints.
    com : array (3,)
        Centre of mass in the body frame [m].
    inertia : float, array (3,) or array (3, 3)
        About the centre of mass, in body axes [kg m^2]; one number is a multiple of the
        identity, three numbers are the diagonal.
    solids : Solid or sequence of Solid
        Appearance in drawings and views; set by the constructors for common shapes.
    """

    mass: Any
    com: Any = (0.0, 0.0, 0.0)
    inertia: Any = 0.0
    solids: Any = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        mass = _mass(self.mass)
        com = numbers_or_symbols(self.com, "RigidBody: com", "3 numbers, finite [m]", (3,))
        try:
            inertia = inertia_matrix(self.inertia)
        except (TypeError, ValueError):
            inertia = zeros(0)
        if inertia.shape != (3, 3):
            raise ModelError(
                f"RigidBody: inertia is {self.inertia!r}; give a number, three diagonal entries "
                "or a 3x3 matrix about the centre of mass [kg m^2]"
            )
        if is_numeric(mass) and mass < 0:
            raise ModelError(f"RigidBody: mass is {mass:g} kg; it must not be negative")
        if is_numeric(inertia) and (fault := inertia_fault(inertia)):
            raise ModelError(f"RigidBody: the inertia is not physical: {fault}")
        object.__setattr__(self, "mass", mass[()])
        object.__setattr__(self, "com", com)
        object.__setattr__(self, "inertia", inertia)
        object.__setattr__(self, "solids", checked_solids(self.solids, "RigidBody"))

    @classmethod
    def box(cls, mass: float, size: Any, com: Any = (0.0, 0.0, 0.0)) -> RigidBody:
        """Uniform box.

        Parameters
        ----------
        mass : float
            [kg].
        size : array (3,)
            Edges along x, y, z [m].
        com : array (3,)
            Centre of the box [m].
        """
        m = _mass(mass)[()]
        x, y, z = _lengths("box", size=size)["size"] ** 2
        body = cls(m, com, m / 12 * array([y + z, z + x, x + y]))
        return body._drawn_as(Box, size=size)

    @classmethod
    def cylinder(
        cls, mass: float, radius: float, length: float, axis: str = "z", com: Any = (0.0, 0.0, 0.0)
    ) -> RigidBody:
        """Uniform solid cylinder.

        Parameters
        ----------
        mass : float
            [kg].
        radius, length : float
            [m].
        axis : {"x", "y", "z"}
            Direction of the cylinder's axis.
        com : array (3,)
            Centre of the cylinder [m].
        """
        m = _mass(mass)[()]
        r, h = (x[()] for x in _lengths("cylinder", radius=radius, length=length).values())
        along = m * r**2 / 2
        about = _about(axis, along, along / 2 + m * h**2 / 12, "cylinder")
        return cls(m, com, about)._drawn_as(Cylinder, radius=r, length=h, rotation=_ALONG[axis])

    @classmethod
    def sphere(cls, mass: float, radius: float, com: Any = (0.0, 0.0, 0.0)) -> RigidBody:
        """Uniform solid sphere.

        Parameters
        ----------
        mass : float
            [kg].
        radius : float
            [m].
        com : array (3,)
            Centre of the sphere [m].
        """
        m = _mass(mass)[()]
        r = _lengths("sphere", radius=radius)["radius"][()]
        return cls(m, com, 0.4 * m * r**2)._drawn_as(Sphere, radius=r)

    @classmethod
    def rod(
        cls, mass: float, length: float, axis: str = "x", com: Any = (0.0, 0.0, 0.0)
    ) -> RigidBody:
        """Uniform thin rod, without inertia about its axis.

        Parameters
        ----------
        mass : float
            [kg].
        length : float
            [m].
        axis : {"x", "y", "z"}
            Direction of the rod.
        com : array (3,)
            Middle of the rod [m].
        """
        m = _mass(mass)[()]
        h = _lengths("rod", length=length)["length"][()]
        about = _about(axis, 0 * m, m * h**2 / 12, "rod")
        sizes = {"radius": h / _SLENDER, "length": h}
        return cls(m, com, about)._drawn_as(Cylinder, **sizes, rotation=_ALONG[axis])

    @classmethod
    def from_points(cls, points: Any, masses: Any) -> RigidBody:
        """Rigidly connected point masses.

        Parameters
        ----------
        points : array (n, 3)
            Positions in the body frame [m].
        masses : array (n,)
            [kg].
        """
        try:
            r, m = array(points), array(masses)
        except (TypeError, ValueError):
            raise ModelError("RigidBody.from_points: points and masses must be numbers") from None
        if r.ndim != 2 or r.shape[1] != 3 or m.shape != (len(r),):
            raise ModelError(
                f"RigidBody.from_points: points has shape {r.shape} and masses {m.shape}; "
                "expected (n, 3) and (n,)"
            )
        if is_numeric(m) and (np.any(m < 0) or not m.sum() > 0):
            raise ModelError("RigidBody.from_points: masses must not be negative, and not all zero")
        mass = m.sum()
        com = (m @ r) / mass
        L = (m[:, None] * (r - com)).T @ (r - com)
        return cls(mass, com, np.trace(L) * np.eye(3) - L)

    def _drawn_as(self, kind: type[Solid], **sizes: Any) -> RigidBody:
        """Same body with a solid at its centre of mass; without one if a size is a symbol."""
        if not all(is_numeric(array(x)) for x in (self.com, *sizes.values())):
            return self
        return replace(self, solids=kind(at=self.com, **sizes))

    def converted(self, convert: Callable[[Any], Any]) -> RigidBody:
        """Same body with every parameter passed through `convert` (symbols to floats).

        Parameters
        ----------
        convert : callable
            Maps a parameter (a number, symbol or array) to its replacement.
        """
        if all(is_numeric(np.asarray(x)) for x in (self.mass, self.com, self.inertia)):
            return self
        new = (convert(x) for x in (self.mass, self.com, self.inertia))
        return RigidBody(*new, solids=self.solids)

    def normalised(self, level: str | None = None) -> NormalBody:
        """Constants of the body in normalised form, for the algorithms.

        Parameters
        ----------
        level : {"full", "linear", "ruthless", "stiffened"}, optional
            Has no effect on a rigid body.
        """
        L0 = second_moment(self.inertia) + self.mass * np.outer(self.com, self.com)
        return NormalBody(
            integrals=MassIntegrals.of_rigid(self.mass, self.mass * self.com, L0),
            lumps=(),
            stiffness=zeros(0),
            damping=zeros(0, 0),
            node_positions=zeros(1, 3),
            node_shapes=zeros(1, 6, 0),
            inboard=0,
            node_names={},
            level="full",
            solids=self.solids,
        )


def _mass(value: Any) -> Array:
    return numbers_or_symbols(value, "RigidBody: mass", "one number, finite [kg]")


def _lengths(shape: str, **lengths: Any) -> dict[str, Array]:
    """Lengths as arrays; those that are numbers must be positive."""
    result = {}
    for name, length in lengths.items():
        expected, n = ("three numbers [m]", (3,)) if name == "size" else ("a number [m]", ())
        what = f"RigidBody.{shape}: {name}"
        result[name] = value = numbers_or_symbols(length, what, expected, n)
        if is_numeric(value) and not np.all(value > 0):
            raise ModelError(f"{what} is {value}; it must be positive [m]")
    return result


def _about(axis: str, along: Any, across: Any, shape: str) -> Array:
    if not isinstance(axis, str) or axis not in _AXES:
        raise ModelError(f'RigidBody.{shape}: axis is {axis!r}; give "x", "y" or "z"')
    return array([along if i == _AXES[axis] else across for i in range(3)])
