"""Constants of a rod: stations, strain functions, and integrals of these over the pieces.

The stations are the right Radau points of (0, L], the tip among them.  Fields along the rod are the
polynomials through their values at the stations, so that a field is known everywhere from n
numbers; Legendre polynomials of degree below n are exact.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cache, cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.polynomial import legendre

from ..immutable import array_of, immutable, read_only
from ..printing import Shown

Array = np.ndarray

# Strains in the order of components: curvatures and twist, then stretch and shears.
KAPPA_X, KAPPA_Y, KAPPA_Z, EPS_X, EPS_Y, EPS_Z = range(6)

_SAME = 1e-12  # fraction of the length within which two places are one
_TO_MAGNUS = np.array([[9 / 4, 0, -15], [0, 12, 0], [-15, 0, 180]])  # (2) of `rod_map`


_REMEDY = "put another body into the model and compile it again"


@immutable(_REMEDY)
@dataclass(frozen=True, eq=False)
class RodPiece:
    """Piece of a rod, from a station (or the root) to a section.

    Attributes
    ----------
    start : int
        Station where it starts; -1 for the root.
    natural : array (3, 3)
        a1, a2, a3 of the natural curvature, by rows.
    moments : array (3, m)
        Those of each curvature function; zero for stretch and shear.
    integration : array (n,)
        Weights of the stations in integrals from the root to the end of the piece [m].
    is_empty : bool
        Whether the section is at the station.
    """

    start: int
    natural: Array
    moments: Array
    integration: Array
    is_empty: bool


@immutable(_REMEDY)
@dataclass(frozen=True, eq=False)
class RodTables(Shown):
    """Constants of a rod with n stations and m coordinates.

    Attributes
    ----------
    length : float
        L [m].
    strains : array (m,)
        Component of the strain that each coordinate belongs to, 0 to 5.
    functions : array (n, m)
        Strain per unit of each coordinate, at the stations.
    natural : array (n, 3)
        Natural curvature at the stations [rad/m].
    masses : array (n,)
        Of the stations [kg].
    inertias : array (n, 3)
        Principal moments of inertia of the stations' sections [kg m^2].
    section_stiffness : array (n, 6)
        GJ, EI_y, EI_z [N m^2], EA, GA_y, GA_z [N] at the stations.
    places : array (n_node,)
        Arc lengths of the nodes [m].
    """

    length: float
    strains: Array = field(metadata=array_of("1", "mode", whole=True))
    functions: Array = field(metadata=array_of("1", "station", "mode"))
    natural: Array = field(metadata=array_of("rad/m", "station", "axis"))
    masses: Array = field(metadata=array_of("kg", "station"))
    inertias: Array = field(metadata=array_of("kg m2", "station", "axis"))
    section_stiffness: Array = field(metadata=array_of("N m2, N", "station", "six"))
    places: Array = field(metadata=array_of("m", "node"))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the fields alone; the rest follows from them."""
        return RodTables, tuple(getattr(self, f.name) for f in fields(self))

    @cached_property
    def points(self) -> Array:
        """Arc lengths of the stations [m]."""
        return read_only(self.length * radau_points(len(self.functions)))

    @cached_property
    def curvature_axes(self) -> Array:
        """Ones where a coordinate (column) bends or twists about an axis (row)."""
        return read_only(np.equal(np.arange(3)[:, None], self.strains).astype(float))

    @cached_property
    def strain_axes(self) -> Array:
        """Ones where a coordinate (column) stretches or shears along an axis (row)."""
        return read_only(np.equal(np.arange(3, 6)[:, None], self.strains).astype(float))

    @cached_property
    def station_pieces(self) -> tuple[RodPiece, ...]:
        """Pieces that end at the stations."""
        ends = self.points
        return tuple(self._piece(k - 1, end) for k, end in enumerate(ends))

    @cached_property
    def node_pieces(self) -> tuple[RodPiece, ...]:
        """Pieces that end at the nodes."""
        return tuple(self.piece_to(s) for s in self.places)

    def piece_to(self, s: float) -> RodPiece:
        """Piece from the last station before a section to the section.

        Parameters
        ----------
        s : float
            Arc length of the section [m].
        """
        start = int(np.searchsorted(self.points, s + _SAME * self.length)) - 1
        return self._piece(start, s)

    def interpolated(self, at: Array) -> Array:
        """Values at the stations to values at arc lengths, (p, n).

        Parameters
        ----------
        at : array (p,)
            Arc lengths [m].
        """
        return interpolation(self.points / self.length, np.asarray(at, dtype=float) / self.length)

    def _piece(self, start: int, end: float) -> RodPiece:
        begin = self.points[start] if start >= 0 else 0.0
        n, h = len(self.functions), end - begin
        x, weights = _gauss(n // 2 + 3)
        fields = interpolation(self.points / self.length, (begin + h * (x + 1) / 2) / self.length)
        powers = np.stack([weights * h / 2 * (x / 2) ** k for k in range(3)])
        moments = _TO_MAGNUS @ powers @ fields
        bends = self.strains < EPS_X
        return RodPiece(
            start=start,
            natural=moments @ self.natural,
            moments=(moments @ self.functions) * bends,
            integration=self.length
            * integration(self.points / self.length, np.array([end / self.length]))[0],
            is_empty=abs(h) <= _SAME * self.length,
        )


@cache
def radau_points(n: int) -> Array:
    """Right Radau points of (0, 1]."""
    top = np.zeros(n + 1)
    top[n - 1 :] = -1, 1
    return read_only(np.append((np.sort(legendre.legroots(top).real) + 1)[:-1] / 2, 1.0))


def interpolation(points: Array, at: Array) -> Array:
    """Values at points to values at other places of (0, 1), of a polynomial."""
    return legendre.legvander(2 * at - 1, len(points) - 1) @ _to_legendre(points.tobytes())


def integration(points: Array, to: Array) -> Array:
    """Values at points to integrals of the polynomial from 0 to other places."""
    n, x = len(points), 2 * to - 1
    P = legendre.legvander(x, n)
    rows = np.empty((len(to), n))
    rows[:, 0] = (x + 1) / 2
    # the integral of P_k from -1 is (P_k+1 - P_k-1) / (2 k + 1)
    rows[:, 1:] = (P[:, 2:] - P[:, :-2]) / (4 * np.arange(1, n) + 2)
    return rows @ _to_legendre(points.tobytes())


@lru_cache(maxsize=64)
def _to_legendre(points: bytes) -> Array:
    """Values at points of (0, 1) to coefficients of Legendre polynomials."""
    x = 2 * np.frombuffer(points) - 1
    return np.linalg.inv(legendre.legvander(x, len(x) - 1))


_gauss = lru_cache(maxsize=64)(legendre.leggauss)
