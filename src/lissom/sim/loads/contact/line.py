"""Normal law of two cylinders that touch along a line."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import KW_ONLY
from functools import cached_property
from typing import Self, final

import numpy as np
from numpy.typing import ArrayLike

from ....errors import LoadError, ModelWarning, warn_user
from ....fields import NumberField, declare, declared
from ....kernels.contact import law as kernel
from ....structures import Material
from .hertz import (
    LineForm,
    MaterialField,
    line_contact,
    mindlin_ratio,
    principal_curvatures,
    reduced_modulus,
)
from .law import DampedLaw

Array = np.ndarray

__all__ = ["LineContact"]

_CONFORMAL = 0.1  # load over length, modulus and clearance; Hertz's peak pressure is 5 % low there
_STEEPEST = kernel.STEEPEST


@final
@declared()
class LineContact(DampedLaw):
    """Elastic contact of two parallel cylinders, along a line of constant length.

    Force f length (1 + dissipation rate) at the depth of Johnson, Contact Mechanics, 1985, equation
    5.57: the approach of the axes of two cylinders, which depends on their radii and not on the
    contact alone.  Beyond a half width of half a radius the force goes on as a straight line.

    A pin that fills its bore is no line: beyond the load `conformal_load` the true pressure is more
    than 5 % above that of this law.

    Examples
    --------
    >>> import lissom as ls
    >>> pin = LineContact(0.02, material=ls.STEEL, radius=0.01, other_radius=-0.01005)
    >>> print(f"{pin.conformal_load:.0f} N")
    10989 N
    """

    file_kind = "line_contact"

    length: float = declare(NumberField("length", above=0), "Length of the line.")
    _: KW_ONLY
    material: Material = declare(MaterialField(), "Material of the body of the first shape.")
    other: Material | None = declare(
        MaterialField(), "Material of the other body; by default the same.", default=None
    )
    radius: float | None = declare(
        NumberField("length", above=0),
        "Radius of the first cylinder []; by default that of its shape.",
        default=None,
    )
    other_radius: float | None = declare(
        NumberField("length", infinite=True, nonzero=True),
        "Radius of the other cylinder []: below zero for a bore, infinite for a plane; by default "
        "that of its shape.",
        default=None,
    )
    thickness: float | None = declare(
        NumberField("length", above=0),
        "Thickness of the body of a plane [], over which it is compressed.",
        default=None,
    )

    def check(self) -> None:
        """Check what a field alone does not tell."""
        if self.radius is not None and self.other_radius is not None:
            line_contact(self._materials, (self.radius, self.other_radius), self.thickness)

    @property
    def tangential_ratio(self) -> float:
        """Tangential over normal stiffness while sticking, by Mindlin."""
        return mindlin_ratio(self.material, self.other)

    def between(self, shape: ArrayLike, other: ArrayLike = 0.0) -> Self:
        """Law between two shapes, with their radii where none are given.

        Parameters
        ----------
        shape, other : array_like
            Curvatures of each surface at the line [1/m], above zero where it is convex: the shape
            operator as (xx, xy, yy) along two common tangents, zero for a plane.

        Returns
        -------
        LineContact
            Law with its radii.
        """
        return dataclasses.replace(
            self,
            radius=self.radius or _radius(shape),
            other_radius=self.other_radius or _radius(other),
        )

    @property
    def conformal_load(self) -> float:
        """Load above which a pin in a bore is no line any more [N]; infinite for convex shapes."""
        first, second = self._radii
        if second > 0.0:
            return math.inf
        clearance = -second - first
        return _CONFORMAL * self.length * reduced_modulus(*self._materials) * clearance

    def warn_conformal(self, load: float) -> None:
        """Warn if a load is beyond `conformal_load`.

        Parameters
        ----------
        load : float
            Greatest normal force [N].
        """
        if load > self.conformal_load:
            warn_user(
                f"{self.label}: the load {load:.6g} N makes the pin fill its bore (conformal "
                f"contact): above {self.conformal_load:.6g} N, a tenth of length x modulus x "
                "clearance, forces and pressures of a line do not hold; use a TableContact",
                ModelWarning,
            )

    def numbers(self) -> list[float]:
        """Numbers of the law for the kernels, in SI units."""
        form = self._form
        return [*self._head(kernel.LINE), self.length, form.compliance, form.limit]

    @property
    def _materials(self) -> tuple[Material, Material]:
        return self.material, self.other or self.material

    @property
    def _radii(self) -> tuple[float, float]:
        if self.radius is None or self.other_radius is None:
            raise LoadError(
                f"{self.label}: the radii depend on the shapes; use law.between(curvature, other "
                "curvature), or give radius=... and other_radius=... [m]"
            )
        return self.radius, self.other_radius

    @cached_property
    def _form(self) -> LineForm:
        return line_contact(self._materials, self._radii, self.thickness)

    def _root(self, depth: Array) -> tuple[Array, Array, Array]:
        """Root u of u - ln u = 1 - ln y by Lambert's function, force over length, depth beyond."""
        from scipy.special import lambertw

        s, limit = self._form
        last = s * limit * _STEEPEST * math.exp(1.0 - _STEEPEST)
        inside = np.clip(depth, 1e-300, last)
        y = inside / (s * limit)
        u = -np.real(lambertw(-y / math.e, -1))
        return u, limit * y / u, np.maximum(depth - last, 0.0)

    def _elastic(self, depth: Array) -> tuple[Array, Array]:
        u, f, beyond = self._root(depth)
        slope = self.length / (self._form.compliance * (u - 1.0))
        return self.length * f * (depth > 0.0) + slope * beyond, slope * (depth > 0.0)

    def _energy(self, depth: Array) -> Array:
        u, f, beyond = self._root(depth)
        s = self._form.compliance
        stored = 0.25 * s * f * f * (2.0 * u - 1.0)
        stored = stored + beyond * (f + 0.5 * beyond / (s * (u - 1.0)))
        return self.length * stored * (depth > 0.0)


def _radius(shape: ArrayLike) -> float:
    """Radius of a cylinder, of its curvature that is not zero."""
    low, high = principal_curvatures(shape)
    curvature = high if high > -low else low
    return 1.0 / curvature if curvature else math.inf
