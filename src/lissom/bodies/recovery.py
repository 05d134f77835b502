"""Stresses, strains and section loads of a flexible body, linear in the amplitudes of its shapes.

A body carries them as matrices; a state or a run turns them into numbers:

  stress(p) = S_p eta          section loads(p) = F_p eta                                   (1)

Strain follows from stress by the law of Hooke, with tensor components of shear (half the angle):

  strain = ((1 + nu) stress - nu tr(stress) 1) / E                                          (2)
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import ModelError, StateError, shown
from ..immutable import array_of, immutable
from ..spatial.scalar import reals
from .balance import Balance

Array = np.ndarray

STRESSES = ("xx", "yy", "zz", "yz", "zx", "xy")
_TENSOR = np.array([[0, 5, 4], [5, 1, 3], [4, 3, 2]])  # component of each entry of the tensor
SECTION_LOADS = ("N", "Q_y", "Q_z", "T", "M_y", "M_z")


@immutable("make another one")
@dataclass(frozen=True, eq=False)
class StressPoints:
    """Points of a body at which its stress is known.

    Attributes
    ----------
    positions : array (p, 3)
        Undeformed [m], in the frame of the body's nodes.
    stresses : array (p, 6, m)
        xx, yy, zz, yz, zx, xy [Pa] per unit amplitude, body axes.
    nodes : array (p,) of int
        Node of the body that each point lies on, -1 if none; the view colours these nodes.
    labels : tuple of str
        Names of the points for tables, such as "element 12, point 3"; empty for numbers.
    elasticity : array (p, 2) or (2,), optional
        Young's modulus [Pa] and Poisson's ratio of the isotropic material at each point, or of all
        points; without it there are no strains.
    """

    positions: Any = field(metadata=array_of("m", "point", "axis"))
    stresses: Any = field(metadata=array_of("Pa", "point", "component", "mode"))
    nodes: Any = field(metadata=array_of("1", "point", whole=True))
    labels: tuple[str, ...] = ()
    elasticity: Any = field(default=None, metadata=array_of("Pa, 1", "point", "constant"))

    def __post_init__(self) -> None:
        if self.elasticity is not None:
            elasticity = _checked_elasticity(self.elasticity, len(self.positions))
            object.__setattr__(self, "elasticity", elasticity)

    def strains(self, chosen: Any = slice(None)) -> Array:
        """Strains xx, yy, zz, yz, zx, xy per unit amplitude, body axes, by (2).

        Parameters
        ----------
        chosen : array of int, optional
            Which points; by default all.
        """
        stress = self.stresses[chosen]
        E, nu = np.moveaxis(self.elasticity[chosen], -1, 0)[..., None, None]
        strain = (1 + nu) * stress
        strain[..., :3, :] -= nu * stress[..., :3, :].sum(axis=-2, keepdims=True)
        return np.asarray(strain / E)

    def in_modes(self, x: Array) -> StressPoints:
        """Same stresses in other amplitudes: those given here are x times them."""
        return replace(self, stresses=self.stresses @ x)

    def turned(self, R: Array) -> StressPoints:
        """Same stresses in other axes; R (3, 3) takes old axes to new ones."""
        tensor = self.stresses[:, _TENSOR]
        tensor = np.einsum("ka,lb,pabm->pklm", R, R, tensor)
        stresses = tensor[:, [0, 1, 2, 1, 2, 0], [0, 1, 2, 2, 0, 1]]
        return replace(self, positions=self.positions @ R.T, stresses=stresses)


def _checked_elasticity(elasticity: Any, n: int) -> Array:
    """Young's modulus and Poisson's ratio of n points, (n, 2)."""
    try:
        pairs = np.array(np.broadcast_to(reals(elasticity), (n, 2)))
    except (TypeError, ValueError):
        pairs = np.full((1, 2), np.nan)
    E, nu = pairs.T
    if not np.all((E > 0) & (E < np.inf) & (nu > -1) & (nu <= 0.5)):
        raise ModelError(
            f"StressPoints: elasticity is {shown(elasticity)}; expected Young's modulus "
            "above 0 [Pa] "
            f"and Poisson's ratio above -1 and up to 0.5, one pair or one for each of {n} points"
        )
    return pairs


def check_has_strain(name: str, recovery: Recovery | None) -> StressPoints:
    """Points of a body whose strain is known; StateError if there are none."""
    points = None if recovery is None else recovery.points
    if points is None:
        raise StateError(
            f"{name!r} has no points at which strain is known; solids and panels have them, rods "
            f"run.along({name!r}, 'strain'); the normal strain of a beam is its stress over "
            "Young's modulus"
        )
    if points.elasticity is None:
        raise StateError(no_strain(name))
    return points


def no_strain(name: str) -> str:
    """Message for a body whose stresses are known without a material."""
    return (
        f"the stresses of {name!r} came without a material, so that its strain is not known; give "
        "its StressPoints elasticity=(E, nu), Young's modulus [Pa] and Poisson's ratio"
    )


@immutable("make another one")
@dataclass(frozen=True, eq=False)
class Stations:
    """Stations along the members of a body of beams, at which its section loads are known.

    Attributes
    ----------
    positions : array (s, 3)
        Undeformed [m], in the frame of the body's nodes.
    axes : array (s, 3, 3)
        Columns x (along the member), y, z of the section, body axes.
    members : array (s,) of int
        Number of the member of each station.
    places : array (s,)
        Distance from the member's first end [m].
    loads : array (s, 6, m)
        N, Q_y, Q_z, T, M_y, M_z per unit amplitude: force [N] and moment [N m] that the part
        beyond the station exerts on the part before it, section axes.
    sections : tuple of Section
        Cross-section of each station, for stresses at its points.
    balance : Balance, optional
        What is missing in `loads` for equilibrium with all that acts on the body.
    """

    positions: Any = field(metadata=array_of("m", "station", "axis"))
    axes: Any = field(metadata=array_of("1", "station", "axis", "other_axis"))
    members: Any = field(metadata=array_of("1", "station", whole=True))
    places: Any = field(metadata=array_of("m", "station"))
    loads: Any = field(metadata=array_of("N, N m", "station", "component", "mode"))
    sections: tuple[Any, ...]
    balance: Balance | None = None

    def in_modes(self, x: Array) -> Stations:
        """Same loads in other amplitudes: those given here are x times them."""
        balance = None if self.balance is None else self.balance.in_modes(x)
        return replace(self, loads=self.loads @ x, balance=balance)

    def turned(self, R: Array) -> Stations:
        """Same loads in other axes; those of the sections turn with them."""
        balance = None if self.balance is None else self.balance.turned(R)
        return replace(self, positions=self.positions @ R.T, axes=R @ self.axes, balance=balance)

    def seen_from(self, origin: Array) -> Stations:
        """Same loads with positions relative to a point (3,) [m]."""
        balance = None if self.balance is None else self.balance.seen_from(origin)
        return replace(self, positions=self.positions - origin, balance=balance)


@immutable("make another one")
@dataclass(frozen=True, eq=False)
class KnownSection:
    """Cross-section of which only the points with known stress are left, as in results files."""

    places: Any = field(metadata=array_of("m", "section_point", "plane"))
    factors: Any = field(
        metadata=array_of("Pa/N, Pa/(N m)", "section_point", "stress", "component")
    )

    def stress_points(self) -> KnownSection:
        """The points themselves."""
        return self


@immutable("make another one")
@dataclass(frozen=True, eq=False)
class Recovery:
    """What a flexible body knows of its stresses; any part may be missing.

    Attributes
    ----------
    points : StressPoints, optional
        Of a solid or a panel.
    stations : Stations, optional
        Of a body of beams.
    rod : array (s, k, 3, 6), optional
        Stresses xx, xy, xz [Pa] at k points of a rod's section per unit of its strains, at s places
        at equal distances from the root to the tip; linear between, one for all if s is 1.
    """

    points: StressPoints | None = field(default=None)
    stations: Stations | None = field(default=None)
    rod: Any = field(
        default=None, metadata=array_of("Pa", "place", "section_point", "stress", "component")
    )

    def seen_from(self, origin: Array) -> Recovery:
        """Same recovery with positions relative to a point.

        Parameters
        ----------
        origin : array (3,)
            The point [m].
        """
        points, stations = self.points, self.stations
        if points is not None:
            points = replace(points, positions=points.positions - origin)
        if stations is not None:
            stations = stations.seen_from(origin)
        return replace(self, points=points, stations=stations)

    def in_modes(self, x: Array) -> Recovery:
        """Same recovery in other amplitudes: those given here are x times them.

        Parameters
        ----------
        x : array (m, k)
            Map of the amplitudes.
        """
        return replace(
            self,
            points=None if self.points is None else self.points.in_modes(x),
            stations=None if self.stations is None else self.stations.in_modes(x),
        )

    def turned(self, R: Array) -> Recovery:
        """Same recovery in other axes.

        Parameters
        ----------
        R : array (3, 3)
            Old axes to new ones.
        """
        return replace(
            self,
            points=None if self.points is None else self.points.turned(R),
            stations=None if self.stations is None else self.stations.turned(R),
        )
