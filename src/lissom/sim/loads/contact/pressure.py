"""Normal law of flat faces, by the pressure at each of their points."""

from __future__ import annotations

import dataclasses
from dataclasses import KW_ONLY, dataclass
from typing import Self, final

import numpy as np

from ....errors import LoadError
from ....fields import NumberField, declare, declared
from ....kernels.contact import law as kernel
from ....structures import Material
from .hertz import MaterialField
from .law import DampedLaw, power

Array = np.ndarray

__all__ = ["PressureField"]


@dataclass(frozen=True)
class PressureStiffnessField(NumberField):
    """Pressure over depth."""

    above: float | None = 0.0

    @property
    def expected(self) -> str:
        """What an error says was expected."""
        return "a positive number [N/m^3]"


@final
@declared()
class PressureField(DampedLaw):
    """Contact of flat faces: at each point the pressure stiffness depth (1 + dissipation rate).

    Both faces are as elastic as if one of them had a layer of independent springs (Winkler's).
    The pressure acts where the faces overlap, it never pulls, and its integral is exact: forces,
    moments and their changes are continuous while corners lift, and a block tips about its edge.
    Depth and rate are those of each point, so that rocking is damped too.

    A box, a cylinder or a `Face` touches a half space, or a plane face of the other body: `b`
    bears with the plane of its face that looks most towards `a`, within its edges.  Its faces are
    sharp, roundings of edges do not count, and a cylinder is a prism of 32 sides.  Friction acts at
    the centre of pressure, and resists spin.

    Examples
    --------
    >>> import lissom as ls
    >>> pad = PressureField(material=ls.Material(youngs_modulus=5e6, density=1100), thickness=0.01)
    >>> pad.stiffness
    500000000.0
    """

    file_kind = "pressure_field"

    stiffness: float | None = declare(
        PressureStiffnessField(),
        "Pressure over depth [N/m^3], in place of a layer.",
        default=None,
    )
    _: KW_ONLY
    material: Material | None = declare(
        MaterialField(),
        "Material of a layer that is free to widen; its modulus over its thickness is the "
        "stiffness.  A thin one that is bonded is stiffer: give `stiffness`.",
        default=None,
    )
    thickness: float | None = declare(
        NumberField("length", above=0), "Thickness of the layer.", default=None
    )
    area: float | None = declare(
        NumberField(above=0),
        "Area of the whole face [m²], for `force`, `energy`, `depth_at` and `contact_time`; in a "
        "run that of the faces.",
        default=None,
    )

    def check(self) -> None:
        """Check what a field alone does not tell."""
        layer = self.material is not None and self.thickness is not None
        if (self.material is None) != (self.thickness is None) or layer == (
            self.stiffness is not None
        ):
            raise LoadError(
                f"{self.label}: give either stiffness=... [N/m^3], or a layer by material=... and "
                "thickness=... [m]"
            )
        if self.material is not None and self.thickness is not None:
            object.__setattr__(self, "stiffness", self.material.youngs_modulus / self.thickness)
            object.__setattr__(self, "material", None)
            object.__setattr__(self, "thickness", None)

    def over(self, area: float) -> Self:
        """Law of a face of an area, if it has none of its own.

        Parameters
        ----------
        area : float
            Area of the whole face [m²].
        """
        return self if self.area is not None else dataclasses.replace(self, area=area)

    def numbers(self) -> list[float]:
        """Numbers of the law for the kernels, in SI units."""
        return [*self._head(kernel.POWER), self._whole, 1.0, self._stiffness]

    @property
    def _stiffness(self) -> float:
        assert self.stiffness is not None  # `check` has seen to it
        return self.stiffness

    @property
    def _whole(self) -> float:
        if self.area is None:
            raise LoadError(f"{self.label}: the force depends on the area; give area=... [m²]")
        return self._stiffness * self.area

    def _elastic(self, depth: Array) -> tuple[Array, Array]:
        return power(self._whole, 1.0, depth)

    def _energy(self, depth: Array) -> Array:
        return 0.5 * self._whole * depth**2
