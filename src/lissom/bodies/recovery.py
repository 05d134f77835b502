"""Stresses and section loads of a flexible body, linear in the amplitudes of its shapes.

A body carries them as matrices; a state or a run turns them into numbers:

  stress(p) = S_p eta          section loads(p) = F_p eta                                   (1)
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..immutable import immutable

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
    """

    positions: Any
    stresses: Any
    nodes: Any
    labels: tuple[str, ...] = ()

    def in_modes(self, x: Array) -> StressPoints:
        """Same stresses in other amplitudes: those given here are x times them."""
        return replace(self, stresses=self.stresses @ x)

    def turned(self, R: Array) -> StressPoints:
        """Same stresses in other axes; R (3, 3) takes old axes to new ones."""
        tensor = self.stresses[:, _TENSOR]
        tensor = np.einsum("ka,lb,pabm->pklm", R, R, tensor)
        stresses = tensor[:, [0, 1, 2, 1, 2, 0], [0, 1, 2, 2, 0, 1]]
        return replace(self, positions=self.positions @ R.T, stresses=stresses)


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
    """

    positions: Any
    axes: Any
    members: Any
    places: Any
    loads: Any
    sections: tuple[Any, ...]

    def in_modes(self, x: Array) -> Stations:
        """Same loads in other amplitudes: those given here are x times them."""
        return replace(self, loads=self.loads @ x)

    def turned(self, R: Array) -> Stations:
        """Same loads in other axes; those of the sections turn with them."""
        return replace(self, positions=self.positions @ R.T, axes=R @ self.axes)


@immutable("make another one")
@dataclass(frozen=True, eq=False)
class Recovery:
    """What a flexible body knows of its stresses; either part may be missing."""

    points: StressPoints | None = field(default=None)
    stations: Stations | None = field(default=None)

    def in_modes(self, x: Array) -> Recovery:
        """Same recovery in other amplitudes: those given here are x times them.

        Parameters
        ----------
        x : array (m, k)
            Map of the amplitudes.
        """
        return Recovery(
            None if self.points is None else self.points.in_modes(x),
            None if self.stations is None else self.stations.in_modes(x),
        )

    def turned(self, R: Array) -> Recovery:
        """Same recovery in other axes.

        Parameters
        ----------
        R : array (3, 3)
            Old axes to new ones.
        """
        return Recovery(
            None if self.points is None else self.points.turned(R),
            None if self.stations is None else self.stations.turned(R),
        )
