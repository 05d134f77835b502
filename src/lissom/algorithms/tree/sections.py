"""Sections of beams, rods and frames: where they are, what they carry and how they are stressed."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ...bodies import rod_strains
from ...bodies.axis import Axis
from ...bodies.recovery import SECTION_LOADS
from ...errors import StateError, suggestion
from ...system import System
from .section_loads import Rows, section_loads_rows

Array = np.ndarray

UNITS = ("N", "N", "N", "N m", "N m", "N m")  # of SECTION_LOADS
_ROD = [3, 4, 5, 0, 1, 2]  # of `rod_strains.stresses`


class Sections:
    """Sections of a body, StateError if it has none.

    A section of a beam or rod is named by its distance from the root, one of a frame by the number
    of its station.

    Parameters
    ----------
    system : System
        Mechanism.
    i : int
        Number of the body.
    """

    def __init__(self, system: System, i: int) -> None:
        self.system, self.i = system, i
        self.name, self.body = system.names[i], system.bodies[i]
        recovery = self.body.recovery
        self.stations = None if recovery is None else recovery.stations
        if self.body.line is None and self.body.rod is None and self.stations is None:
            raise StateError(
                f"{self.name!r} has no sections whose loads are known; make the body with ls.beam, "
                f"ls.rod or ls.frame; '{self.name}.reaction' is the load of its joint"
            )
        if self.body.line is not None and not self.axis.describes_body:
            raise StateError(
                f"the section loads of {self.name!r} are unknown: its masses, shapes or inboard "
                "node were changed after ls.beam made it; attach masses as bodies on Fixed joints"
            )

    @cached_property
    def axis(self) -> Axis:
        """Axis of a beam."""
        return Axis(self.body)

    @property
    def length(self) -> float:
        """Of a beam or rod [m]."""
        return self.axis.length if self.body.rod is None else self.body.rod.length

    @property
    def usual(self) -> Array:
        """Sections taken by default: nodes on the axis, or all stations."""
        if self.body.rod is not None:
            return np.unique(self.body.rod.places)
        if self.body.line is not None:
            return np.linspace(0.0, self.length, self.body.line.nodes)
        assert self.stations is not None
        return np.arange(len(self.stations.positions))

    def of_node(self, node: int) -> float | None:
        """Section at a node of a beam or rod, if the node is on its axis."""
        if self.body.rod is not None:
            return float(self.body.rod.places[node])
        if self.body.line is not None and node < self.body.line.nodes:
            return self.length * node / (self.body.line.nodes - 1)
        return None

    def nodes(self, at: Array) -> Array:
        """Nearest node of the body to each section, for pictures."""
        if self.body.rod is not None:
            places = self.body.rod.places
            return np.argmin(np.abs(places[:, None] - at), axis=0)
        if self.body.line is not None:
            return np.rint(at / self.length * (self.body.line.nodes - 1)).astype(int)
        assert self.stations is not None
        away = self.body.node_positions[:, None] - self.stations.positions[at.astype(int)]
        return np.argmin(np.linalg.norm(away, axis=2), axis=0)

    def place(self, at: float) -> str:
        """Section in words, for tables."""
        if self.stations is None or self.body.line is not None:
            return f"{at:.6g} m"
        k = int(at)
        member = int(self.stations.members[k])
        return f"member {member}, {self.stations.places[k]:.6g} m"

    def checked(self, at: Any) -> Array:
        """Sections that were asked for, () or (p,); the usual ones for None."""
        if at is None:
            return self.usual
        try:
            found = np.asarray(at, dtype=float)
        except (TypeError, ValueError, OverflowError):
            found = np.array([np.nan])
        last = self.usual[-1] if self.body.line is None and self.body.rod is None else self.length
        whole = self.stations is None or bool(np.all(found == np.rint(found)))
        if found.ndim > 1 or not np.all((found >= 0) & (found <= last)) or not whole:
            expected = f"distances from the root of {self.name!r}, 0 to {last:g} m"
            if last is not self.length and self.body.line is None and self.body.rod is None:
                expected = f"numbers of stations of {self.name!r}, 0 to {last}"
            raise StateError(f"at is {at!r}; expected {expected}")
        return found

    def loads(self, at: Array, rows: Rows) -> Array:
        """N, Q_y, Q_z, T, M_y, M_z of sections, (n, p, 6), section axes.

        Of rods and frames they follow from the deformation, of beams from equilibrium; components
        that a rod is rigid against are NaN.

        Parameters
        ----------
        at : array (p,)
            Sections.
        rows : Rows
            States.
        """
        eta = rows.q[:, self.system.layout.modal_q(self.i)]
        if self.body.rod is not None:
            found = rod_strains.stresses(self.body.rod, at, eta)
            rigid = sorted(set(range(6)) - set(rod_strains.elastic(self.body.rod)))
            found[:, :, rigid] = np.nan
            return found[:, :, _ROD]
        if self.body.line is not None:
            return section_loads_rows(self.system, self.i, self.axis, at, rows)
        assert self.stations is not None
        return np.einsum("pcm,nm->npc", self.stations.loads[at.astype(int)], eta)

    @property
    def has_stress(self) -> bool:
        """Whether stresses follow from the loads."""
        return self.body.rod is None

    def stress(self, at: Array, loads: Array) -> list[Array]:
        """Stress (n, k, 6) at the points of each of p sections, section axes [Pa].

        Parameters
        ----------
        at : array (p,)
            Sections.
        loads : array (n, p, 6)
            Their loads.
        """
        found = []
        for k, place in enumerate(at):
            three = np.einsum("kcl,nl->nkc", self._factors(place), loads[:, k])
            six = np.zeros((*three.shape[:2], 6))
            six[..., [0, 5, 4]] = three
            found.append(six)
        return found

    def _factors(self, place: float) -> Array:
        if self.body.line is not None:
            return self.body.line.factors
        assert self.stations is not None
        return self.stations.sections[int(place)].stress_points().factors


def body_number(system: System, body: Any) -> int:
    """Number of a body by its name, checked.

    Parameters
    ----------
    system : System
        Mechanism.
    body : str
        Name, as given.
    """
    if not isinstance(body, str) or body not in system.names:
        raise StateError(f"there is no body {body!r}; {suggestion(str(body), system.names)}")
    return system.names.index(body)


__all__ = ["SECTION_LOADS", "UNITS", "Sections", "body_number"]
