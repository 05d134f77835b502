"""Linear elastic, isotropic materials."""

from __future__ import annotations

from typing import final

from ..errors import ModelError, warn_user
from ..fields import TextField, check_fields, declare, declared
from ..printing import Shown
from ._checks import FiniteField, PositiveField

_MISSING = float("nan")  # not given
_SLOW = 8.0  # m/s; the speed of sound in soft rubber is 30


@final
@declared(eq=True)
class Material(Shown):
    """A linear elastic, isotropic material.

    Raises
    ------
    ModelError
        If a number is not finite or outside its range.

    Examples
    --------
    >>> Material("my alloy", youngs_modulus=72e9, density=2800, poisson_ratio=0.33)
    Material(name='my alloy', youngs_modulus=7.2e+10, density=2800, poisson_ratio=0.33)
    >>> Material(youngs_modulus=72e9, density=2800)
    Material(youngs_modulus=7.2e+10, density=2800)
    """

    name: str = declare(
        TextField(),
        "Name used in messages and reports; may be left out if the numbers are given by name.",
        default="",
    )
    youngs_modulus: float = declare(
        PositiveField("pressure"), "Young's modulus E [], above zero.", default=_MISSING
    )
    density: float = declare(PositiveField("density"), "Density [], above zero.", default=_MISSING)
    poisson_ratio: float = declare(
        FiniteField("number"), "Poisson's ratio, above -1 and at most 0.5.", default=0.3
    )

    def __post_init__(self) -> None:
        """Check every number and keep it as a float."""
        if not isinstance(self.name, str):
            raise ModelError(
                f"the first argument of Material is {self.name!r}; expected its name, a string: "
                'write Material("name", youngs_modulus, density, poisson_ratio), or '
                "Material(youngs_modulus=..., density=...)"
            )
        part = self.label
        for name in ("youngs_modulus", "density"):
            if getattr(self, name) is _MISSING:
                raise ModelError(f"{part}: {name} is missing; give {name}=... in SI units")
        check_fields(self, part)
        modulus, density, poisson = self.youngs_modulus, self.density, self.poisson_ratio
        if not -1.0 < poisson <= 0.5:
            raise ModelError(
                f"{part}: poisson_ratio must be above -1 and at most 0.5, not {poisson}; "
                "metals have about 0.3"
            )
        if modulus < 1e7 and (density < 1e-5 or modulus / density < _SLOW**2):
            warn_user(
                f"{part}: youngs_modulus = {modulus:.6g} Pa and density = {density:.6g} kg/m³ are "
                "those of no solid (steel: 2e11 and 7850); give both in SI units: MPa times 1e6, "
                "GPa times 1e9, t/mm³ times 1e12, kg/mm³ times 1e9"
            )

    @property
    def label(self) -> str:
        """Name in messages."""
        return f"material {self.name!r}" if self.name else "a material without a name"

    @property
    def shear_modulus(self) -> float:
        """Shear modulus G = E / (2 (1 + Poisson's ratio)) [Pa]."""
        return self.youngs_modulus / (2.0 * (1.0 + self.poisson_ratio))


# Room-temperature values, rounded; the ranges are those that engineering handbooks print.

# Wrought structural alloys: E 68-74 GPa, 2640-2840 kg/m³, 0.33.
ALUMINIUM = Material("aluminium", youngs_modulus=70e9, density=2700.0, poisson_ratio=0.33)

# Carbon and low-alloy steels: E 190-210 GPa, 7800-7870 kg/m³, 0.27-0.30.
STEEL = Material("steel", youngs_modulus=200e9, density=7850.0, poisson_ratio=0.30)

# Ti-6Al-4V: E 110-119 GPa, 4420-4450 kg/m³, 0.31-0.34.
TITANIUM = Material("titanium", youngs_modulus=114e9, density=4430.0, poisson_ratio=0.33)

# Quasi-isotropic laminate of carbon fibre in epoxy, fibre volume near 60 %: in-plane E 45-70 GPa,
# 1550-1610 kg/m³, 0.29-0.33, by lamination theory from the plies' handbook values (T300/5208 of
# Tsai & Hahn, "Introduction to Composite Materials", 1980: 69.7 GPa and 0.30).  In the plane of
# such a laminate the isotropic relation of shear and Young's modulus holds.
CARBON = Material("carbon", youngs_modulus=60e9, density=1600.0, poisson_ratio=0.31)
