"""Stiffness of a contact from the materials and the curvatures of both shapes.

  1/E* = (1 - nu_1^2)/E_1 + (1 - nu_2^2)/E_2                                                  (1)

Point contact, A <= B half of the principal relative curvatures, K and E the complete elliptic
integrals of m = 1 - b^2/a^2, a >= b the half axes of the patch, D = (K - E)/m:

  B/A = (K - D)/((1 - m) D)                                                                   (2)
  N = k x^1.5,   k = (2 pi/3)(E*/K) sqrt(D/(K A)),   a^2 = x D/(K A)                            (3)

Contact of two cylinders along a line, f the force over the length, x between their axes:

  x = f sum_i (1 - nu_i^2)/(pi E_i) (2 ln(4 |R_i|/a) - 1),   a^2 = 4 f R/(pi E*)                (4)

and for a plane body, over the thickness t, 2 ln(2 t/a) - nu/(1 - nu) in place of the bracket.
Source: Johnson, Contact Mechanics, 1985: (2), (3) from equations 4.26 to 4.32, (4) is equations
5.57 and 5.56.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ....errors import LoadError, shown
from ....fields import FieldForm
from ....structures import Material

__all__ = [
    "LineForm",
    "MaterialField",
    "PointContact",
    "line_contact",
    "mindlin_ratio",
    "point_stiffness",
    "principal_curvatures",
    "reduced_modulus",
]


@dataclass(frozen=True)
class MaterialField(FieldForm):
    """Material of a body."""

    kind: str = "Material"

    def check(self, value: Any, what: str, error: Any) -> Any:
        """The material."""
        if not isinstance(value, Material):
            raise error(f"{what} is {shown(value)}; expected a Material, as lissom.STEEL")
        return value


class PointContact(NamedTuple):
    """Elastic contact at a point: force = stiffness depth^1.5.

    Attributes
    ----------
    stiffness : float
        [N/m^1.5].
    long, short : float
        Squares of the half axes of the patch, over the depth [m].
    """

    stiffness: float
    long: float
    short: float


class LineForm(NamedTuple):
    """Elastic contact along a line: depth = s f (1 + ln(f_max / f)).

    Attributes
    ----------
    compliance : float
        s [m²/N].
    limit : float
        f_max [N/m].
    """

    compliance: float
    limit: float


def reduced_modulus(material: Material, other: Material | None = None) -> float:
    """Modulus E* of the contact of two materials [Pa], (1).

    Parameters
    ----------
    material, other : Material
        Materials of both bodies; one alone stands for both.
    """
    return 1.0 / sum(_plane_compliance(x) for x in (material, other or material))


def _plane_compliance(material: Material) -> float:
    return (1.0 - material.poisson_ratio**2) / material.youngs_modulus


def mindlin_ratio(material: Material, other: Material | None = None) -> float:
    """Tangential over normal stiffness of a patch that sticks, 4 G*/E*; 2 (1 - nu)/(2 - nu).

    Mindlin, Journal of Applied Mechanics 16 (1949), with 1/G* = sum of (2 - nu_i)/G_i.

    Parameters
    ----------
    material, other : Material
        Materials of both bodies; one alone stands for both.
    """
    both = (material, other or material)
    shear = 1.0 / sum((2.0 - x.poisson_ratio) / x.shear_modulus for x in both)
    return 4.0 * shear / reduced_modulus(material, other)


def principal_curvatures(shape: ArrayLike, other: ArrayLike = 0.0) -> tuple[float, float]:
    """Smaller and greater principal curvature of two surfaces relative to each other [1/m].

    Parameters
    ----------
    shape, other : array_like
        Curvatures of each surface at the point of contact [1/m], above zero where it is convex: one
        number for a ball, or the shape operator as (xx, xy, yy) along two common tangents.
    """
    xx, xy, yy = _operator(shape) + _operator(other)
    middle, radius = 0.5 * (xx + yy), math.hypot(0.5 * (xx - yy), xy)
    return float(middle - radius), float(middle + radius)


def _operator(shape: ArrayLike) -> np.ndarray:
    values = np.asarray(shape, dtype=float)
    if values.ndim == 0:
        return np.array([values, 0.0, values])
    if values.shape != (3,) or not np.all(np.isfinite(values)):
        raise LoadError(f"curvatures are {shown(shape)}; expected one number, or xx, xy, yy [1/m]")
    return values


def point_stiffness(modulus: float, curvatures: tuple[float, float]) -> PointContact:
    """Stiffness and patch of an elastic contact at a point, (2) and (3).

    Parameters
    ----------
    modulus : float
        E* [Pa], see `reduced_modulus`.
    curvatures : tuple of float
        Smaller and greater relative curvature [1/m], both above zero.

    Returns
    -------
    PointContact
        Stiffness and half axes.

    Examples
    --------
    >>> import lissom as ls
    >>> ball = point_stiffness(reduced_modulus(ls.STEEL), (100.0, 100.0))  # R 10 mm on a plane
    >>> f"{ball.stiffness:.6g}"
    '1.46520e+10'
    """
    low, high = curvatures
    if not 0.0 < low <= high < math.inf:
        raise LoadError(
            f"the relative curvatures are {low:.6g} and {high:.6g} 1/m; a contact at a point needs "
            "both above zero: use LineContact for parallel cylinders, or a crowned shape"
        )
    from scipy.special import ellipkm1, elliprd

    rest = _axis_ratio(high / low) ** 2  # 1 - m
    K, D = float(ellipkm1(rest)), float(elliprd(0.0, rest, 1.0)) / 3.0
    squared = 2.0 * D / (K * low)
    stiffness = 2.0 * math.pi / 3.0 * modulus / K * math.sqrt(squared)
    return PointContact(stiffness, squared, squared * rest)


def _axis_ratio(ratio: float) -> float:
    """Half axes b/a of the patch by (2), with its logarithm as the unknown."""
    if ratio == 1.0:
        return 1.0
    from scipy.optimize import brentq
    from scipy.special import ellipkm1, elliprd

    def excess(log: float) -> float:
        rest = math.exp(2.0 * log)
        D = elliprd(0.0, rest, 1.0) / 3.0
        return float(math.log((ellipkm1(rest) - D) / (rest * D) / ratio))

    # b/a lies between (A/B)^0.5 and (A/B)^(2/3)
    low, high = -0.7 * math.log(ratio), -0.4 * math.log(ratio)
    return math.exp(brentq(excess, low - 1e-9, min(high + 1e-9, 0.0), xtol=1e-15, rtol=1e-15))


def line_contact(
    materials: tuple[Material, Material],
    radii: tuple[float, float],
    thickness: float | None = None,
) -> LineForm:
    """Numbers of (4), with f_max such that depth and force follow from each other.

    Parameters
    ----------
    materials : tuple of Material
        Materials of both bodies.
    radii : tuple of float
        Radii [m]; below zero for the wall of a bore, infinite for a plane.
    thickness : float, optional
        Thickness of the plane body [m]; a plane needs it.
    """
    curvature = sum(1.0 / x for x in radii)
    if curvature <= 0.0:
        raise LoadError(
            f"the radii of the cylinders are {radii[0]:.6g} and {radii[1]:.6g} m; the pin must be "
            "thinner than its bore: the sum of the curvatures must be above zero"
        )
    shares = [_plane_compliance(x) / math.pi for x in materials]
    squared = 4.0 * sum(shares) / curvature  # a^2 / f, as 1 / (pi E*) is the sum of the shares
    total = 0.0
    for material, share, radius in zip(materials, shares, radii, strict=True):
        nu = material.poisson_ratio
        if math.isfinite(radius):
            total += share * (2.0 * math.log(4.0 * abs(radius)) - math.log(squared) - 1.0)
        elif thickness is None:
            raise LoadError(
                "the approach of a cylinder and a plane along a line depends on the thickness of "
                "the plane body: give thickness=... [m]"
            )
        else:
            squeezed = 2.0 * math.log(2.0 * thickness) - math.log(squared)
            total += share * (squeezed - nu / (1.0 - nu))
    return LineForm(sum(shares), math.exp(total / sum(shares) - 1.0))
