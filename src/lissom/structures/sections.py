"""Cross-sections of beams, with principal axes y and z and the centroid at the origin."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..fields import check_fields, declare, declared
from ..printing import Shown
from . import section_points
from ._checks import PositiveField
from .section_points import SectionPoints

LENGTH, SECOND_MOMENT = PositiveField("length"), PositiveField("second moment")


class Section(Shown, ABC):
    """A cross-section that is symmetric about y and about z; the beam's axis is x.

    Symmetry puts the centroid and the shear centre on the axis, so that bending in the two planes,
    torsion and stretch do not couple.  To define another section, derive a subclass with these
    four properties; `outline`, `shear_factors` and `stress_points` may be given too.
    """

    file_kind: ClassVar[str]  # name of the kind in model files

    def __post_init__(self) -> None:
        """Check the declared fields."""
        check_fields(self, self.name)

    @property
    @abstractmethod
    def area(self) -> float:
        """Area [m²]."""

    @property
    @abstractmethod
    def second_moment_y(self) -> float:
        """Second moment of area ∫z² dA [m⁴]: resists bending in the plane x-z."""

    @property
    @abstractmethod
    def second_moment_z(self) -> float:
        """Second moment of area ∫y² dA [m⁴]: resists bending in the plane x-y."""

    @property
    @abstractmethod
    def torsion_constant(self) -> float:
        """Saint-Venant's torsion constant J [m⁴]: twist per length is torque / (G J)."""

    @property
    def outline(self) -> NDArray[np.float64]:
        """Corners of the outline in y and z for drawings, (k, 2) [m]; by default a rectangle."""
        moments = (self.second_moment_z, self.second_moment_y)
        y, z = (math.sqrt(3 * moment / self.area) for moment in moments)
        return np.array([[-y, -z], [y, -z], [y, z], [-y, z]])

    def shear_factors(self, poisson_ratio: float) -> tuple[float, float]:  # noqa: ARG002
        """Parts k_y and k_z of the area that carry shear along y and z; by default 5/6.

        Sections of this package have those of Cowper, "The shear coefficient in Timoshenko's beam
        theory", Journal of Applied Mechanics 33 (1966).

        Parameters
        ----------
        poisson_ratio : float
            Poisson's ratio of the material.
        """
        return 5 / 6, 5 / 6

    def stress_points(self) -> SectionPoints:
        """Points of the section with their stress per unit section load.

        By default the corners of the outline, with the normal stress of pull and bending alone.
        """
        return section_points.plain(self)

    @property
    def name(self) -> str:
        """Name used in messages and reports."""
        return type(self).__name__


@final
@declared(eq=True)
class Rectangle(Section):
    """A solid rectangle."""

    file_kind = "rectangle"

    width: float = declare(LENGTH, "Side along y [], above zero.")
    height: float = declare(LENGTH, "Side along z [], above zero.")

    @property
    def area(self) -> float:
        """Area [m²]."""
        return self.width * self.height

    @property
    def second_moment_y(self) -> float:
        """Second moment of area ∫z² dA [m⁴]."""
        return self.width * self.height**3 / 12.0

    @property
    def second_moment_z(self) -> float:
        """Second moment of area ∫y² dA [m⁴]."""
        return self.height * self.width**3 / 12.0

    @property
    def torsion_constant(self) -> float:
        """Torsion constant [m⁴], to rounding.

        With sides a >= b, Saint-Venant's Fourier series is

            J = a b³/3 (1 - 192/π⁵ b/a Σ tanh(k π a/2b) / k⁵),  k = 1, 3, 5, ...

        Its slowly converging part Σ 1/k⁵ = 31/32 ζ(5) is summed in closed form; the remaining terms
        decrease by a factor of exp(-2π) each.
        """
        a, b = max(self.width, self.height), min(self.width, self.height)
        total = 31.0 / 32.0 * 1.0369277551433699263
        for k in range(1, 15, 2):
            total -= 2.0 / (1.0 + math.exp(min(k * math.pi * a / b, 700.0))) / k**5
        return a * b**3 / 3.0 * (1.0 - 192.0 / math.pi**5 * b / a * total)

    def shear_factors(self, poisson_ratio: float) -> tuple[float, float]:
        """Shear factors after Cowper: 10 (1 + ν) / (12 + 11 ν)."""
        return (_of_rectangle(poisson_ratio),) * 2

    def stress_points(self) -> SectionPoints:
        """Corners and middles of the sides; see `section_points.rectangle`."""
        return section_points.rectangle(self, self.width, self.height)


@final
@declared(eq=True)
class Circle(Section):
    """A solid circular section."""

    file_kind = "circle"

    radius: float = declare(LENGTH, "Radius [], above zero.")

    @property
    def area(self) -> float:
        """Area [m²]."""
        return math.pi * self.radius**2

    @property
    def second_moment_y(self) -> float:
        """Second moment of area ∫z² dA [m⁴]."""
        return math.pi * self.radius**4 / 4.0

    @property
    def second_moment_z(self) -> float:
        """Second moment of area ∫y² dA [m⁴], equal to ∫z² dA."""
        return self.second_moment_y

    @property
    def torsion_constant(self) -> float:
        """Torsion constant [m⁴]: the polar second moment of area."""
        return 2.0 * self.second_moment_y

    @property
    def outline(self) -> NDArray[np.float64]:
        """Corners of a polygon for drawings, (k, 2) [m]."""
        return _polygon(self.radius)

    def shear_factors(self, poisson_ratio: float) -> tuple[float, float]:
        """Shear factors after Cowper: 6 (1 + ν) / (7 + 6 ν)."""
        return (_of_ring(poisson_ratio, 0.0),) * 2

    def stress_points(self) -> SectionPoints:
        """Eight points on the circle; see `section_points.ring`."""
        return section_points.ring(self, self.radius, 0.0)


@final
@declared(eq=True)
class Tube(Section):
    """A circular tube."""

    file_kind = "tube"

    radius: float = declare(LENGTH, "Outer radius [], above zero.")
    thickness: float = declare(
        LENGTH,
        "Wall thickness [], above zero and at most the radius (a solid bar).",
    )

    def __post_init__(self) -> None:
        """Check both numbers and that the wall fits."""
        super().__post_init__()
        if self.thickness > self.radius:
            raise ModelError(
                f"Tube: thickness {self.thickness} m is more than the outer radius {self.radius} m;"
                " make the wall thinner, or use Circle for a solid bar"
            )

    @property
    def area(self) -> float:
        """Area [m²]."""
        return math.pi * self.thickness * (2.0 * self.radius - self.thickness)

    @property
    def second_moment_y(self) -> float:
        """Second moment of area ∫z² dA [m⁴]."""
        return self.area * (self.radius**2 + (self.radius - self.thickness) ** 2) / 4.0

    @property
    def second_moment_z(self) -> float:
        """Second moment of area ∫y² dA [m⁴], equal to ∫z² dA."""
        return self.second_moment_y

    @property
    def torsion_constant(self) -> float:
        """Torsion constant [m⁴]: the polar second moment of area."""
        return 2.0 * self.second_moment_y

    @property
    def outline(self) -> NDArray[np.float64]:
        """Corners of a polygon for drawings, (k, 2) [m]."""
        return _polygon(self.radius)

    def shear_factors(self, poisson_ratio: float) -> tuple[float, float]:
        """Shear factors after Cowper, between those of a bar and about 1/2 of a thin wall."""
        return (_of_ring(poisson_ratio, 1 - self.thickness / self.radius),) * 2

    def stress_points(self) -> SectionPoints:
        """Eight points on the outer circle; see `section_points.ring`."""
        return section_points.ring(self, self.radius, self.radius - self.thickness)


@final
@declared(eq=True)
class ISection(Section):
    """An I-section: two flanges along y at the top and bottom (±z), a web along z between them."""

    file_kind = "i"

    width: float = declare(LENGTH, "Width of the flanges along y [], above zero.")
    height: float = declare(LENGTH, "Total height along z [], above zero.")
    flange: float = declare(LENGTH, "Thickness of each flange along z [], at most half the height.")
    web: float = declare(LENGTH, "Thickness of the web along y [], at most the width.")

    def __post_init__(self) -> None:
        """Check the numbers and that flanges and web fit."""
        super().__post_init__()
        if 2.0 * self.flange > self.height:
            raise ModelError(
                f"ISection: two flanges of {self.flange} m are more than the height {self.height} m"
                "; make the flanges thinner or the section higher"
            )
        if self.web > self.width:
            raise ModelError(
                f"ISection: web {self.web} m is more than the width {self.width} m; "
                "make the web thinner or the section wider"
            )

    @property
    def area(self) -> float:
        """Area [m²]."""
        return 2.0 * self.width * self.flange + self._web_height * self.web

    @property
    def second_moment_y(self) -> float:
        """Second moment of area ∫z² dA [m⁴]."""
        gap = self.width - self.web
        return (self.width * self.height**3 - gap * self._web_height**3) / 12.0

    @property
    def second_moment_z(self) -> float:
        """Second moment of area ∫y² dA [m⁴]."""
        return (2.0 * self.flange * self.width**3 + self._web_height * self.web**3) / 12.0

    @property
    def torsion_constant(self) -> float:
        """Torsion constant [m⁴] of thin walls: the sum of length · thickness³ / 3.

        It neglects the fillets, the ends of the walls and restrained warping, so it is an estimate
        whose error is of the order of thickness / length of the walls.
        """
        return (2.0 * self.width * self.flange**3 + self._web_height * self.web**3) / 3.0

    @property
    def _web_height(self) -> float:
        """Height of the web between the flanges [m]."""
        return self.height - 2.0 * self.flange

    @property
    def outline(self) -> NDArray[np.float64]:
        """Corners for drawings, (12, 2) [m]."""
        y, z, web, inner = self.width / 2, self.height / 2, self.web / 2, self._web_height / 2
        right = [[y, -z], [y, -inner], [web, -inner], [web, inner], [y, inner], [y, z]]
        return np.array([*right, *([-a, b] for a, b in reversed(right))])

    def shear_factors(self, poisson_ratio: float) -> tuple[float, float]:
        """Shear factors: along y the flanges as rectangles, along z after Cowper for thin walls.

        With m = 2 width flange / (h web), n = width / h, h between the middles of the flanges:

            k_z = 10 (1 + ν) (1 + 3m)² / (12 + 72m + 150m² + 90m³ + ν (11 + 66m + 135m² + 90m³)
                                          + 30 n² (m + m²) + 5 ν n² (8m + 9m²))
        """
        nu, height = poisson_ratio, self.height - self.flange
        m, n2 = 2 * self.width * self.flange / (height * self.web), (self.width / height) ** 2
        below = 12 + 72 * m + 150 * m**2 + 90 * m**3
        below += nu * (11 + 66 * m + 135 * m**2 + 90 * m**3)
        below += 30 * n2 * (m + m**2) + 5 * nu * n2 * (8 * m + 9 * m**2)
        flanges = 2 * self.width * self.flange / self.area
        return flanges * _of_rectangle(nu), 10 * (1 + nu) * (1 + 3 * m) ** 2 / below

    def stress_points(self) -> SectionPoints:
        """Flanges and web; see `section_points.i_section`."""
        return section_points.i_section(self, self.width, self.height, self.flange, self.web)


def _of_rectangle(nu: float) -> float:
    return 10 * (1 + nu) / (12 + 11 * nu)


def _of_ring(nu: float, m: float) -> float:
    """Cowper's factor of a circle with a hole of m times its radius."""
    both = (1 + m**2) ** 2
    return 6 * (1 + nu) * both / ((7 + 6 * nu) * both + (20 + 12 * nu) * m**2)


def _polygon(radius: float, corners: int = 16) -> NDArray[np.float64]:
    angle = 2 * np.pi * np.arange(corners) / corners
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


@final
@declared(eq=True)
class GeneralSection(Section):
    """A section given by its area, second moments and torsion constant, such as of a catalogue.

    It is drawn as a rectangle with these second moments, and its stresses are those of pull and
    bending at the corners of this rectangle.

    Examples
    --------
    >>> GeneralSection(1e-3, second_moment_y=2e-7, second_moment_z=1e-7, torsion_constant=5e-8)
    GeneralSection(area=0.001, second_moment_y=2e-07, second_moment_z=1e-07,
        torsion_constant=5e-08)
    """

    file_kind = "general"

    area: float = declare(PositiveField("area"), "Area [], above zero.", default=0.0)
    second_moment_y: float = declare(
        SECOND_MOMENT, "Second moment of area ∫z² dA [], above zero.", default=0.0
    )
    second_moment_z: float = declare(
        SECOND_MOMENT, "Second moment of area ∫y² dA [], above zero.", default=0.0
    )
    torsion_constant: float = declare(
        SECOND_MOMENT,
        "Saint-Venant's torsion constant J [], above zero.",
        default=0.0,
    )


# Sections of this package, by their names in files
SECTIONS: dict[str, type[Section]] = {
    kind.file_kind: kind for kind in (Tube, Circle, Rectangle, ISection, GeneralSection)
}
