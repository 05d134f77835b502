"""Stress at points of cross-sections, linear in the section loads N, Q_y, Q_z, T, M_y, M_z.

Normal stress of all sections, by Bernoulli and Navier:

    sigma_xx = N / A + M_y z / I_y - M_z y / I_z                                              (1)

Shear stress by formulas of Timoshenko, "Strength of Materials", part I (transverse shear after
Jourawski, tau = Q S / (I b)), and Timoshenko and Goodier, "Theory of Elasticity" (torsion after
Saint-Venant); see each function.  Restrained warping is left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..printing import Shown

if TYPE_CHECKING:
    from .sections import Section

Array = NDArray[np.float64]

_N, _Q_Y, _Q_Z, _T, _M_Y, _M_Z = range(6)


@dataclass(frozen=True, eq=False)
class SectionPoints(Shown):
    """Points of a cross-section and their stress per unit section load.

    Attributes
    ----------
    places : array (p, 2)
        y and z [m].
    factors : array (p, 3, 6)
        Normal stress xx and shear stresses xy and xz [Pa] per unit of N, Q_y, Q_z [N] and T, M_y,
        M_z [N m].
    names : tuple of str
        Of the points, such as "corner +y +z".
    """

    places: Array
    factors: Array
    names: tuple[str, ...]

    def von_mises(self, loads: Array) -> Array:
        """Von Mises stress sqrt(sigma² + 3 tau²) at the points [Pa].

        Parameters
        ----------
        loads : array (..., 6)
            N, Q_y, Q_z, T, M_y, M_z.

        Returns
        -------
        array (..., p)
        """
        stress = np.einsum("pij,...j->...pi", self.factors, loads)
        return np.asarray(np.sqrt(stress[..., 0] ** 2 + 3 * (stress[..., 1:] ** 2).sum(axis=-1)))

    def axial(self, loads: Array) -> Array:
        """Normal stress of pull and bending at the points [Pa], by (1).

        Parameters
        ----------
        loads : array (..., 6)
            N, Q_y, Q_z, T, M_y, M_z.

        Returns
        -------
        array (..., p)
        """
        return np.asarray(np.einsum("pj,...j->...p", self.factors[:, 0], loads))


def _points(section: Section, places: Array, names: tuple[str, ...]) -> SectionPoints:
    """Points with their normal stress (1)."""
    factors = np.zeros((len(places), 3, 6))
    factors[:, 0, _N] = 1 / section.area
    factors[:, 0, _M_Y] = places[:, 1] / section.second_moment_y
    factors[:, 0, _M_Z] = -places[:, 0] / section.second_moment_z
    return SectionPoints(places, factors, names)


def plain(section: Section) -> SectionPoints:
    """Corners of the outline, normal stress alone: for sections whose shear is not known."""
    places = np.asarray(section.outline, dtype=float)
    return _points(section, places, tuple(f"corner {k}" for k in range(len(places))))


def rectangle(section: Section, width: float, height: float) -> SectionPoints:
    """Corners and middles of the sides.

    Transverse shear is 3/2 Q / A at the middle of the sides along it and 0 at the corners.  Torsion
    at the middles of the sides, with a >= b and k = 1, 3, 5, ...:

        long side   T b / J (1 - 8/pi² sum 1 / (k² cosh(k pi a / 2b)))
        short side  T b / J 8/pi² sum (-1)^((k-1)/2) tanh(k pi a / 2b) / k²
    """
    y, z = width / 2, height / 2
    corners = [(-y, -z), (y, -z), (y, z), (-y, z)]
    places = np.array([*corners, (y, 0.0), (0.0, z), (-y, 0.0), (0.0, -z)])
    names = tuple(f"corner {'+-'[a < 0]}y {'+-'[b < 0]}z" for a, b in corners)
    points = _points(section, places, (*names, "side +y", "side +z", "side -y", "side -z"))
    along_z, along_y = _torsion_of_rectangle(section, width, height)
    for k, sign in ((4, 1.0), (6, -1.0)):  # sides y = const: shear along z
        points.factors[k, 2, _Q_Z] = 1.5 / section.area
        points.factors[k, 2, _T] = sign * along_z
    for k, sign in ((5, 1.0), (7, -1.0)):  # sides z = const: shear along y
        points.factors[k, 1, _Q_Y] = 1.5 / section.area
        points.factors[k, 1, _T] = -sign * along_y
    return points


def _torsion_of_rectangle(section: Section, width: float, height: float) -> tuple[float, float]:
    """Shear stress per torque at the middles of the sides along z and along y [1/m³]."""
    a, b = max(width, height), min(width, height)
    k = np.arange(1, 4001, 2)
    u = np.minimum(k * math.pi * a / (2 * b), 300.0)
    long = 1 - 8 / math.pi**2 * np.sum(1 / (k**2 * np.cosh(u)))
    catalan = 0.915965594177219015  # sum (-1)^((k-1)/2) / k²: tanh is 1 for all but a few terms
    signs = 1.0 - 2.0 * ((k - 1) // 2 % 2)
    short = 8 / math.pi**2 * (catalan + np.sum(signs * (np.tanh(u) - 1) / k**2))
    per_torque = b / section.torsion_constant
    pair = (float(long * per_torque), float(short * per_torque))
    return pair if height >= width else pair[::-1]


def ring(section: Section, radius: float, inner: float) -> SectionPoints:
    """Eight points on the outer circle of a bar or tube.

    Shear stress is tangential there: T R / J by torsion, and by Q across the point's radius

        4/3 Q / A (R² + R r + r²) / (R² + r²)

    which is 4/3 Q / A of a bar and 2 Q / A of a thin tube; at other points times the cosine.
    """
    angle = np.arange(8) * np.pi / 4
    c, s = np.cos(angle), np.sin(angle)
    names = tuple(f"{45 * k} deg" for k in range(8))
    points = _points(section, radius * np.stack([c, s], axis=1), names)
    shear = 4 / 3 / section.area * (radius**2 + radius * inner + inner**2)
    shear /= radius**2 + inner**2
    tangential = np.zeros((8, 6))
    tangential[:, _T] = radius / section.torsion_constant
    tangential[:, _Q_Y], tangential[:, _Q_Z] = -shear * s, shear * c
    points.factors[:, 1] = -s[:, None] * tangential
    points.factors[:, 2] = c[:, None] * tangential
    return points


def i_section(
    section: Section, width: float, height: float, flange: float, web: float
) -> SectionPoints:
    """Corners and middles of the flanges, ends and middle of the web on both its faces.

    Thin walls: Q_z is carried by the web, tau = Q_z S / (I_y web); Q_y by the flanges as by
    rectangles, 3/2 Q_y / (2 width flange); torsion gives T thickness / J at the faces of each wall.
    Shear in the flanges by Q_z, a small part of that in the web, is left out.
    """
    y, z, inner = width / 2, height / 2, height / 2 - flange
    corners = [(-y, -z), (y, -z), (y, z), (-y, z)]
    middles = [(0.0, z), (0.0, -z)]
    webs = [(side * web / 2, at) for side in (1, -1) for at in (inner, 0.0, -inner)]
    names = [f"corner {'+-'[a < 0]}y {'+-'[b < 0]}z" for a, b in corners]
    names += ["flange +z", "flange -z"]
    names += [
        f"web {'+-'[a < 0]}y {place}" for (a, _), place in zip(webs, _WEB_PLACES, strict=True)
    ]
    points = _points(section, np.array([*corners, *middles, *webs]), tuple(names))
    for k, sign in ((4, 1.0), (5, -1.0)):
        points.factors[k, 1, _Q_Y] = 1.5 / (2 * width * flange)
        points.factors[k, 1, _T] = -sign * flange / section.torsion_constant
    outer = width * flange * (height - flange) / 2  # first moment of a flange
    for k, (a, at) in enumerate(webs, start=6):
        first = outer + web * (inner**2 - at**2) / 2
        points.factors[k, 2, _Q_Z] = first / (section.second_moment_y * web)
        points.factors[k, 2, _T] = math.copysign(web / section.torsion_constant, a)
    return points


_WEB_PLACES = ("+z", "middle", "-z") * 2
