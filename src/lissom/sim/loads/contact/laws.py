"""Normal laws that are powers of the depth."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike

from ....errors import LoadError
from ....fields import NumberField, declare, declared
from ....kernels.contact import law as kernel
from ....structures import Material
from .hertz import (
    MaterialField,
    mindlin_ratio,
    point_stiffness,
    principal_curvatures,
    reduced_modulus,
)
from .law import DampedLaw, NormalLaw, power

Array = np.ndarray

__all__ = ["Hertz", "Impact", "LinearContact"]


@dataclass(frozen=True)
class PowerStiffnessField(NumberField):
    """Factor of a power of the depth."""

    above: float | None = 0.0

    @property
    def expected(self) -> str:
        """What an error says was expected."""
        return "a positive number [N/m^exponent]"


@dataclass(frozen=True)
class ExponentField(NumberField):
    """Exponent of the depth."""

    least: float | None = 1.0

    @property
    def expected(self) -> str:
        """What an error says was expected."""
        return "a number of 1 or more; metals have 1.5 at a point"


@final
@declared()
class Hertz(DampedLaw):
    """Elastic contact at a point: stiffness depth^exponent (1 + dissipation rate).

    Give the materials, and the stiffness follows from the curvatures of both shapes where they
    touch (Hertz; Johnson, Contact Mechanics, 1985), or the stiffness itself.  The force is zero
    apart, and never pulls.

    Examples
    --------
    >>> import lissom as ls
    >>> law = Hertz(material=ls.STEEL, restitution=0.8, at_speed=0.5).between(1 / 0.01)
    >>> law  # a ball of radius 10 mm on a plane
    Hertz(stiffness=1.4652e+10, restitution=0.8, at_speed=0.5, radius=0.01)
    >>> print(f"{law.depth_at(1000.0) * 1e6:.2f} um")
    16.70 um
    """

    file_kind = "hertz"

    stiffness: float | None = declare(
        PowerStiffnessField(),
        "Force at a depth of 1 m [N/m^exponent], in place of the materials.",
        default=None,
    )
    _: KW_ONLY
    exponent: float = declare(
        ExponentField(), "Exponent of the depth, 1 or more; 1.5 with materials.", default=1.5
    )
    material: Material | None = declare(
        MaterialField(), "Material of the body of the first shape.", default=None
    )
    other: Material | None = declare(
        MaterialField(), "Material of the other body; by default the same.", default=None
    )
    radius: float | None = declare(
        NumberField("length", above=0),
        "Square of the radius of the patch over the depth [], for friction that spins: the "
        "relative radius of balls; with materials it follows from the curvatures.",
        default=None,
    )

    def check(self) -> None:
        """Check what a field alone does not tell."""
        if (self.stiffness is None) == (self.material is None):
            both = "both" if self.material is not None else "neither"
            raise LoadError(
                f"{self.label}: stiffness and material are {both} given; give material=... (and "
                "other=...) for the stiffness by Hertz, or stiffness=... [N/m^exponent]"
            )
        if self.material is None and self.other is not None:
            raise LoadError(f"{self.label}: other needs material=..., that of the first body")
        if self.material is not None and self.exponent != 1.5:
            raise LoadError(
                f"{self.label}: exponent is {self.exponent:.6g}; a contact at a point of two "
                "materials has 1.5: leave it out, or give stiffness=..."
            )

    @property
    def tangential_ratio(self) -> float:
        """Tangential over normal stiffness while sticking, by Mindlin."""
        return (
            mindlin_ratio(self.material, self.other) if self.material else super().tangential_ratio
        )

    def between(self, shape: ArrayLike, other: ArrayLike = 0.0) -> Self:
        """Law between two shapes, with the stiffness that their curvatures decide.

        Parameters
        ----------
        shape, other : array_like
            Curvatures of each surface at the point of contact [1/m], above zero where it is convex:
            one number for a ball, zero for a plane, or the shape operator as (xx, xy, yy) along two
            common tangents.

        Returns
        -------
        Hertz
            Law with its stiffness and the radius of its patch.
        """
        if self.material is None:
            return self
        modulus = reduced_modulus(self.material, self.other)
        point = point_stiffness(modulus, principal_curvatures(shape, other))
        radius = math.sqrt(point.long * point.short)
        return dataclasses.replace(
            self, stiffness=point.stiffness, radius=radius, material=None, other=None
        )

    def patch(self, depth: ArrayLike) -> Array:
        """Radius of the patch at a depth [m]; of an ellipse, of the circle of its area.

        Parameters
        ----------
        depth : array_like
            Depth of the overlap [m].
        """
        if self.radius is None:
            raise LoadError(f"{self.label}: the patch needs radius=... [m], or materials")
        return np.sqrt(self.radius * np.maximum(np.asarray(depth, float), 0.0))

    def numbers(self) -> list[float]:
        """Numbers of the law for the kernels, in SI units."""
        return [*self._head(kernel.POWER), self._stiffness, self.exponent]

    @property
    def _stiffness(self) -> float:
        if self.stiffness is None:
            raise LoadError(
                f"{self.label}: the stiffness depends on the shapes; use "
                "law.between(curvature, other curvature), or give stiffness=... [N/m^1.5]"
            )
        return self.stiffness

    def _elastic(self, depth: Array) -> tuple[Array, Array]:
        return power(self._stiffness, self.exponent, depth)

    def _energy(self, depth: Array) -> Array:
        return self._stiffness * depth ** (self.exponent + 1.0) / (self.exponent + 1.0)


@final
@declared()
class LinearContact(DampedLaw):
    """Elastic contact with a constant stiffness: stiffness depth (1 + dissipation rate).

    The force is zero apart, and never pulls.
    """

    file_kind = "linear_contact"

    stiffness: float = declare(NumberField("stiffness", above=0), "Stiffness.")

    def numbers(self) -> list[float]:
        """Numbers of the law for the kernels, in SI units."""
        return [*self._head(kernel.POWER), self.stiffness, 1.0]

    def _elastic(self, depth: Array) -> tuple[Array, Array]:
        return power(self.stiffness, 1.0, depth)

    def _energy(self, depth: Array) -> Array:
        return 0.5 * self.stiffness * depth**2


@final
@declared()
class Impact(NormalLaw):
    """Function IMPACT of Adams, for models that come from there.

    Force stiffness depth^exponent + damping s^2 (3 - 2 s) rate with s = depth / `depth`, at most 1;
    where it would pull it is zero.  Its restitution depends on mass and speed: prefer `Hertz`.
    """

    file_kind = "impact"

    stiffness: float = declare(PowerStiffnessField(), "Force at a depth of 1 m [N/m^exponent].")
    exponent: float = declare(ExponentField(), "Exponent of the depth, 1 or more.")
    damping: float = declare(NumberField("damping", least=0), "Greatest damping.")
    depth: float = declare(
        NumberField("length", above=0), "Depth from which on the damping is greatest."
    )

    def numbers(self) -> list[float]:
        """Numbers of the law for the kernels, in SI units."""
        head = [float(kernel.IMPACT), 0.0, 0.0, 0.0]
        return [*head, self.stiffness, self.exponent, self.damping, self.depth]

    def _damped(self, depth: Array, rate: Array, at_speed: Any) -> Array:
        s = np.minimum(depth / self.depth, 1.0)
        damping = self.damping * s * s * (3.0 - 2.0 * s)
        return np.maximum(self._elastic(depth)[0] + damping * rate, 0.0)

    def _elastic(self, depth: Array) -> tuple[Array, Array]:
        return power(self.stiffness, self.exponent, depth)

    def _energy(self, depth: Array) -> Array:
        return self.stiffness * depth ** (self.exponent + 1.0) / (self.exponent + 1.0)
