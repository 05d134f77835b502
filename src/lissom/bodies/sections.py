"""Sections of beams, rods and frames: where they are, what they carry and how they are stressed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import StateError
from ..spatial.scalar import reals
from . import rod_strains
from .axis import BeamAxis
from .normal import NormalBody
from .rod_tables import EPS_X, RodTables

Array = np.ndarray

_ROD = [3, 4, 5, 0, 1, 2]  # of `rod_strains.stresses`


class Sections:
    """Sections of a body, StateError if it has none.

    A section of a beam or rod is named by its distance from the root, one of a frame by the number
    of its station.
    """

    def __init__(self, body: NormalBody, name: str) -> None:
        self.body, self.name = body, name
        self._factors_by_section: dict[int, Array] = {}  # of which stations share few
        self.stations = None if body.recovery is None else body.recovery.stations
        if not has_sections(body):
            raise StateError(
                f"{name!r} has no sections whose loads are known; make the body with ls.beam, "
                f"ls.rod or ls.frame; '{name}.reaction' is the load of its joint"
            )

    @cached_property
    def axis(self) -> BeamAxis:
        """Axis of a beam."""
        return BeamAxis(self.body)

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

    def place(self, at: float) -> str:
        """Section in words, for tables."""
        if not self._numbered:
            return f"{at:.6g} m"
        assert self.stations is not None
        k = int(at)
        member = int(self.stations.members[k])
        return f"member {member}, {self.stations.places[k]:.6g} m"

    def checked(self, at: Any) -> Array:
        """Sections that were asked for, () or (p,); the usual ones for None."""
        if at is None:
            return self.usual
        try:
            chosen = reals(at)
        except (TypeError, ValueError, OverflowError):
            chosen = np.array([np.nan])
        last, expected = self._expected
        inside = chosen.ndim <= 1 and bool(np.all((chosen >= 0) & (chosen <= last)))
        if not inside or (self._numbered and np.any(chosen != np.rint(chosen))):
            raise StateError(f"at is {at!r}; expected {expected}")
        return chosen

    @property
    def _numbered(self) -> bool:
        return self.body.line is None and self.body.rod is None

    @property
    def _expected(self) -> tuple[float, str]:
        """Last section, and what `at` may be in words."""
        if self._numbered:
            last = len(self.usual) - 1
            return last, f"numbers of stations of {self.name!r}, 0 to {last}"
        where = "arc lengths" if self.body.rod is not None else "distances"
        return self.length, f"{where} from the root of {self.name!r}, 0 to {self.length:g} m"

    @property
    def by_balance(self) -> bool:
        """Whether loads follow from equilibrium; else from the deformation alone."""
        return needs_balance(self.body)

    def check_balance(self) -> None:
        """Reject a body that is no longer the beam whose axis it has."""
        if not self.axis.describes_body:
            raise StateError(
                f"the section loads of {self.name!r} are unknown: its masses, shapes or inboard "
                "node were changed after ls.beam made it; attach masses as bodies on Fixed joints"
            )

    def check_nodes(self, nodes: Array, balanced: Mapping[int, int]) -> None:
        """Reject loads on nodes of a frame whose effect on its sections is not known.

        `nodes` (k,): nodes on which something acts; `balanced`: nodes that the frame's balance has.
        """
        for node in nodes:
            if int(node) not in balanced:
                raise StateError(
                    f"the section loads of {self.name!r} are unknown: something acts on its node "
                    f"{node}, which is neither an interface nor named; name it in "
                    "ls.frame(names={...})"
                )

    def elastic_loads(self, at: Array, eta: Array) -> Array:
        """N, Q_y, Q_z, T, M_y, M_z by the deformation, (n, p, 6), section axes.

        Components that a rod is rigid against are NaN.

        `at` (p,): sections; `eta` (n, m): modal coordinates.
        """
        if self.body.rod is not None:
            stresses = rod_strains.stresses(self.body.rod, at, eta)
            rigid = sorted(set(range(6)) - set(rod_strains.elastic(self.body.rod)))
            stresses[:, :, rigid] = np.nan
            return stresses[:, :, _ROD]
        assert self.stations is not None
        return np.einsum("pcm,nm->npc", self.stations.loads[at.astype(int)], eta)

    @property
    def has_stress(self) -> bool:
        """Whether stresses follow from the loads."""
        return not self.no_stress

    @property
    def no_stress(self) -> str:
        """Why there is no stress, in words; empty if there is."""
        if self.body.rod is None:
            return ""
        if self.body.recovery is None or self.body.recovery.rod is None:
            return (
                f"rod {self.name!r} was made of stiffnesses, so that its stress is not known; make "
                "it with ls.rod, or give Rod stress_factors"
            )
        if EPS_X not in rod_strains.elastic(self.body.rod):
            return (
                f"rod {self.name!r} is rigid against stretch, so that its normal force and with it "
                "its stress are not known; give it a function of stretch: stretch=1"
            )
        return ""

    def stress(self, at: Array, loads: Array) -> list[Array]:
        """Stress (n, k, 6) at the points of each of p sections, section axes [Pa].

        `at` (p,): sections; `loads` (n, p, 6): their loads.
        """
        stresses, stressing = [], self._stressing
        for k, place in enumerate(at):
            factors = self._factors(place)[..., stressing]
            three = np.einsum("kcl,nl->nkc", factors, loads[:, k, stressing])
            six = np.zeros((*three.shape[:2], 6))
            six[..., [0, 5, 4]] = three
            stresses.append(six)
        return stresses

    def _factors(self, place: float) -> Array:
        if self.body.line is not None:
            return self.body.line.factors
        if self.body.rod is not None:
            return self._rod_factors(self.body.rod, place)
        assert self.stations is not None
        section = self.stations.sections[int(place)]
        if id(section) not in self._factors_by_section:
            self._factors_by_section[id(section)] = section.stress_points().factors
        return self._factors_by_section[id(section)]

    @property
    def _stressing(self) -> list[int]:
        """Loads that add to the stress: all that a rod is not rigid against."""
        if self.body.rod is None:
            return list(range(6))
        return [k for k in range(6) if _ROD[k] in rod_strains.elastic(self.body.rod)]

    def _rod_factors(self, rod: RodTables, place: float) -> Array:
        """Stress per unit load of a section of a rod, from that per unit strain."""
        assert self.body.recovery is not None
        at_stations = self.body.recovery.rod
        at = place / rod.length * (len(at_stations) - 1)
        k = min(int(at), max(len(at_stations) - 2, 0))
        per_strain = at_stations[k] + (at - k) * (
            at_stations[min(k + 1, len(at_stations) - 1)] - at_stations[k]
        )
        stiffness = (rod.interpolated(np.array([place])) @ rod.section_stiffness)[0]
        stressing, factors = self._stressing, np.zeros(per_strain.shape)
        strains = [_ROD[k] for k in stressing]
        factors[..., stressing] = per_strain[..., strains] / stiffness[strains]
        return factors


def has_sections(body: NormalBody) -> bool:
    """Whether a body has sections whose loads are known."""
    stations = None if body.recovery is None else body.recovery.stations
    return body.line is not None or body.rod is not None or stations is not None


def needs_balance(body: NormalBody) -> bool:
    """Whether section loads of a body follow from all that acts on it, not from its shape alone."""
    stations = None if body.recovery is None else body.recovery.stations
    return body.line is not None or (stations is not None and stations.balance is not None)


def check_has_stress(sections: Sections) -> None:
    """Reject rods whose stress does not follow from what they know."""
    if words := sections.no_stress:
        raise StateError(words)


def checked_points(body: str, count: int, at: Any) -> Array:
    """Numbers of stress points that were asked for; all for None.

    `at` (p,): as given.
    """
    if at is None:
        return np.arange(count)
    try:
        chosen = np.asarray(at)
        wrong = chosen.ndim > 1 or chosen.dtype.kind not in "iu"
        wrong = wrong or bool(np.any((chosen < 0) | (chosen >= count)))
    except (TypeError, ValueError):
        wrong = True
    if wrong:
        raise StateError(f"at is {at!r}; expected numbers of points of {body!r}, 0 to {count - 1}")
    return chosen
