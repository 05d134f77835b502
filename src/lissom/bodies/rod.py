"""Rods that bend as far as they will: exact kinematics, amplitudes of strain as coordinates."""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.polynomial import legendre

from ..deprecation import renamed
from ..errors import DeprecatedWarning, ModelError
from ..fields import count
from ..immutable import immutable, read_only
from ..printing import folded
from . import rod_tables
from .normal import REMEDY, Lump, MassIntegrals, NormalBody
from .recovery import Recovery
from .rod_checks import (
    checked_functions,
    checked_places,
    checked_stress_factors,
    numbers,
    pair,
    positive,
    table,
)
from .rod_map import sections_at, stations
from .rod_modes import natural_frequencies, weighted_shapes
from .rod_tables import EPS_X, EPS_Y, EPS_Z, KAPPA_X, KAPPA_Y, KAPPA_Z, RodTables
from .solids import checked_solids

Array = np.ndarray
Functions = int | Sequence[Callable[[Array], Any]]  # of one strain

LEAST_STATIONS, MOST_STATIONS = 5, 60  # unless others are asked for
MOST_ELEMENTS = 1000

# Strains in the order of the coordinates, with the argument that asks for them.
ORDER = (
    (KAPPA_Z, "bending in the plane x-y"),
    (KAPPA_Y, "bending in the plane x-z"),
    (KAPPA_X, "torsion"),
    (EPS_X, "stretch"),
    (EPS_Y, "shear along y"),
    (EPS_Z, "shear along z"),
)

_TOTAL = (
    "Rod.mass is the total mass [kg] since 0.2.0; in 0.1.0 it was the mass per length [kg/m], "
    "which is now mass_per_length. rod.normalised().mass is the total without this warning"
)

_TURN = 0.6  # rad: natural turn of a piece from which on there are more stations
_LEAST = 1e-9  # smallest fraction of a strain's motion that counts as inertia


@final
@renamed(since="0.2.0", removal="0.4.0", mass="mass_per_length")
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class Rod:
    """Rod along +x with exact kinematics: any deflection, small strain.

    Its coordinates are amplitudes of curvature, twist, stretch and shear along the rod, so that its
    stiffness is constant while the positions of its sections are exact: geometric stiffening,
    large deflection, buckling and shortening by bending are all there.  The body frame is at the
    root.  `rod` makes one from a section and a material.

    Parameters
    ----------
    length : float
        Length of the unstrained axis [m].
    stiffness : array (6,) or (k, 6)
        Of the section: torsion GJ, bending EI_y and EI_z [N m^2], stretch EA, shear GA_y and
        GA_z [N].  k rows are the values at the k Gauss points of the length; between them they are
        polynomials.
    mass_per_length : float or array (k,)
        Mass per length [kg/m].
    inertia : array (3,) or (k, 3)
        Of the section about its axes x, y and z, per length [kg m].
    bending, shear : int, sequence of callables, or a pair of these
        Number of functions of the strain in each plane, or in the planes x-y and x-z: Legendre
        polynomials.  Callables are the functions themselves, of s/length in [0, 1].
    torsion, stretch : int or sequence of callables
        The same for twist and stretch.  0 makes the rod rigid in this respect.
    curvature : array (3,) or (k, 3)
        Natural curvature about the axes x (twist), y and z of the sections [rad/m].
    damping : float, array (m,) or array (m, m)
        Damping ratio of all coordinates or of each, or a matrix in the coordinates; it acts on
        strain rates, so that rigid motion is not damped.
    nodes : dict
        Names and arc lengths [m] of nodes, such as {"middle": 0.5}; "root" and "tip" are there.
    elements : int
        Number of equal parts of the axis between numbered nodes.
    stations : int, optional
        Number of sections that carry the mass; by default two more than the largest number of
        functions, and more where the natural curvature turns a piece far.
    solids : Solid or sequence of Solid
        Appearance in drawings and views.
    stress_factors : array (k, 3, 6) or (s, k, 3, 6), optional
        Stresses xx, xy, xz [Pa] at k points of the section per unit of twist, curvature about y
        and z [rad/m], stretch, shear along y and z: for a point at (y, z) the first row is
        (0, E z, -E y, E, 0, 0).  s of them are values at s equally spaced places from the root to
        the tip, linear between.  `rod` finds them from the section.
    """

    length: float
    stiffness: Any
    mass_per_length: Any
    inertia: Any
    bending: Any = field(default=4, kw_only=True)
    torsion: Any = field(default=2, kw_only=True)
    stretch: Any = field(default=1, kw_only=True)
    shear: Any = field(default=0, kw_only=True)
    curvature: Any = field(default=(0.0, 0.0, 0.0), kw_only=True)
    damping: Any = field(default=0.005, kw_only=True)
    nodes: Mapping[str, float] = field(default_factory=dict, kw_only=True)
    elements: int = field(default=24, kw_only=True)
    stations: int | None = field(default=None, kw_only=True)
    solids: Any = field(default=(), kw_only=True)
    stress_factors: Any = field(default=None, kw_only=True)

    level = "exact"
    inboard = 0

    def __post_init__(self) -> None:
        self._set(length=positive(self.length, "length [m]"))
        self._set(stiffness=table(self.stiffness, "stiffness", (6,)))
        self._set(mass_per_length=table(self.mass_per_length, "mass_per_length", ()))
        self._set(inertia=table(self.inertia, "inertia", (3,)))
        self._set(curvature=table(self.curvature, "curvature", (3,)))
        self._set(damping=numbers(self.damping, "damping"))
        self._set(elements=count(self.elements, "Rod: elements", 1, MOST_ELEMENTS))
        self._set(nodes=dict(checked_places(self.nodes, self.length)))
        self._set(solids=checked_solids(self.solids, "Rod"))
        self._set(stress_factors=checked_stress_factors(self.stress_factors))
        _ = self.functions
        if self.stations is not None:
            least, most = self._largest + 1, MOST_STATIONS
            self._set(stations=count(self.stations, "Rod: stations", least, most))
        self._check_sections()
        self._check_damping()
        _ = self._basis

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        """Summary in one line."""
        counts = ", ".join(
            f"{word} {len(functions)}"
            for (_, word), functions in zip(ORDER, self.functions, strict=True)
            if functions
        )
        return folded(f"Rod({self.length:.4g} m, {self._total:.4g} kg, functions: {counts})")

    @property
    def is_numeric(self) -> bool:
        """Whether all parameters are numbers, as they always are."""
        return True

    @property
    def n_mode(self) -> int:
        """Number of coordinates."""
        return sum(len(functions) for functions in self.functions)

    @property
    def mass(self) -> float:
        """Total mass [kg], with a warning, because version 0.1.0 had the mass per length here."""
        warnings.warn(_TOTAL, DeprecatedWarning, stacklevel=2)
        return self._total

    @property
    def _total(self) -> float:
        return float(self.tables.masses.sum())

    @property
    def names(self) -> dict[str, int]:
        """Numbers of named nodes."""
        first = {"root": 0, "tip": self.elements}
        return {**first, **{name: self.elements + 1 + k for k, name in enumerate(self.nodes)}}

    @property
    def positions(self) -> Array:
        """Undeformed nodes (n_node, 3) [m]."""
        return self._rest_nodes[0]

    @property
    def tables(self) -> RodTables:
        """Constants of the rod."""
        return self._basis[0]

    @cached_property
    def frequencies(self) -> Array:
        """Natural frequencies with the root held [Hz], ascending."""
        return read_only(natural_frequencies(*self._basis))

    @cached_property
    def functions(self) -> tuple[tuple[Callable[[Array], Any], ...], ...]:
        """Functions of s/length of each strain, in the order of the coordinates."""
        planes = pair(self.bending, "bending"), pair(self.shear, "shear")
        asked = (*planes[0], self.torsion, self.stretch, *planes[1])
        functions = tuple(
            checked_functions(x, what) for x, (_, what) in zip(asked, ORDER, strict=True)
        )
        if not any(functions):
            raise ModelError(
                "Rod: bending, torsion, stretch and shear are 0, so nothing deforms; give one of "
                "them functions, or use RigidBody.rod"
            )
        return functions

    @property
    def counts(self) -> dict[str, int | tuple[int, int]] | None:
        """Numbers of functions as the arguments that ask for them; None if some are callables."""
        planes = (*pair(self.bending, "bending"), *pair(self.shear, "shear"))
        asked = (*planes, self.torsion, self.stretch)
        if any(isinstance(x, (list, tuple)) and x for x in asked):
            return None
        y, z, torsion, stretch, shear_y, shear_z = (len(functions) for functions in self.functions)
        return {
            "bending": y if y == z else (y, z),
            "torsion": torsion,
            "stretch": stretch,
            "shear": shear_y if shear_y == shear_z else (shear_y, shear_z),
        }

    def converted(self, convert: Callable[[Any], Any]) -> Rod:
        """The rod itself: it has no symbols.

        Parameters
        ----------
        convert : callable
            Not called.
        """
        del convert
        return self

    def normalised(self, level: str | None = None) -> NormalBody:
        """Constants of the body for the algorithms.

        Parameters
        ----------
        level : {"exact"}, optional
            A rod has one level.
        """
        if level is not None and not (isinstance(level, str) and level == "exact"):
            raise ModelError(
                f'Rod: level is {level!r}; a rod is always "exact": leave level out of compile, or '
                'make the body with ls.beam, which has the levels "linear", "full" and "stiffened"'
            )
        tables, stiffness = self._basis
        positions, shapes = self._rest_nodes
        return NormalBody(
            integrals=_rest_integrals(tables),
            lumps=(),
            stiffness=stiffness,
            damping=self._coordinate_damping(),
            node_positions=positions,
            node_shapes=shapes,
            inboard=0,
            node_names=self.names,
            level="exact",
            solids=self.solids,
            rod=tables,
            recovery=None if self.stress_factors is None else Recovery(rod=self.stress_factors),
        )

    # Computed once.

    @property
    def _largest(self) -> int:
        return max(len(functions) for functions in self.functions)

    @cached_property
    def _places(self) -> Array:
        """Arc lengths of the nodes."""
        even = np.linspace(0.0, self.length, self.elements + 1)
        return read_only(np.array([*even, *self.nodes.values()]))

    @cached_property
    def _rest_nodes(self) -> tuple[Array, Array]:
        """Positions (n_node, 3) and shapes (n_node, 6, m) of the nodes of the rod at rest."""
        zero = np.zeros(self.n_mode)
        sections = sections_at(self.tables, self.tables.node_pieces, zero, zero)
        stacked = (np.stack([x.position for x in sections]), np.stack([x.shapes for x in sections]))
        return read_only(stacked[0]), read_only(stacked[1])

    @property
    def _n_station(self) -> int:
        if self.stations is not None:
            return self.stations
        turn = np.linalg.norm(self.curvature, axis=-1).max() * self.length
        # the longest piece of n Radau points is about pi/2 / n of the length
        least = max(self._largest + 2, LEAST_STATIONS, math.ceil(1.6 * turn / _TURN))
        return min(least, MOST_STATIONS)

    @cached_property
    def _basis(self) -> tuple[RodTables, Array]:
        """Constants with normalised functions, and the stiffness of the coordinates.

        Within each strain the coordinates are the modes of vibration of the rod at rest with its
        root held, with modal mass 1; the signs are such that the tip moves (torsion: turns) in
        the positive direction.
        """
        points = rod_tables.radau_points(self._n_station)
        weights = self.length * rod_tables.integration(points, np.ones(1))[0]
        strains = [np.full(len(f), c) for (c, _), f in zip(ORDER, self.functions, strict=True)]
        sampled = [_sampled(f, points) for functions in self.functions for f in functions]
        raw = RodTables(
            length=self.length,
            strains=np.concatenate(strains).astype(int),
            functions=np.stack(sampled, axis=1),
            natural=_at(self.curvature, points),
            masses=weights * _at(self.mass_per_length, points),
            inertias=weights[:, None] * _at(self.inertia, points),
            section_stiffness=_at(self.stiffness, points),
            places=self._places,
        )
        T, stiffness = self._normalising(raw)
        return dataclasses.replace(raw, functions=raw.functions @ T), read_only(stiffness)

    def _normalising(self, raw: RodTables) -> tuple[Array, Array]:
        """Given amplitudes by normalised ones, strain by strain, and the stiffness of these.

        By singular values of the motion per unit of strain energy, without inverses of the mass.
        """
        m = len(raw.strains)
        T, stiffness = np.zeros((m, m)), np.zeros(m)
        zero = np.zeros(m)
        sections = stations(raw, zero, zero)
        rows = np.concatenate([weighted_shapes(raw, k, x) for k, x in enumerate(sections)])
        tip = sections[-1].shapes
        for component, what in ORDER:
            chosen = np.flatnonzero(raw.strains == component)
            if not len(chosen):
                continue
            L = np.linalg.cholesky(self._strain_energy(raw, component, chosen))
            Z = np.linalg.solve(L, rows[:, chosen].T).T
            _, sigma, Vt = np.linalg.svd(Z, full_matrices=False)
            _check_inertia(sigma, rows[:, chosen], what)
            inverse = np.linalg.solve(L.T, Vt.T) / sigma
            row = {KAPPA_Z: 4, KAPPA_Y: 5, KAPPA_X: 0, EPS_X: 3, EPS_Y: 4, EPS_Z: 5}[component]
            moved = (tip[:, chosen] @ inverse)[row]
            inverse = inverse * np.where(moved < 0, -1.0, 1.0)
            T[np.ix_(chosen, chosen)] = inverse
            stiffness[chosen] = 1 / sigma**2
        return T, stiffness

    def _strain_energy(self, raw: RodTables, component: int, chosen: Array) -> Array:
        """Stiffness of the given amplitudes of one strain."""
        n = len(raw.functions)
        x, weights = legendre.leggauss(n + len(self.stiffness))
        at = (x + 1) / 2
        values = rod_tables.interpolation(raw.points / self.length, at) @ raw.functions[:, chosen]
        section = _at(self.stiffness, at)[:, component]
        K = values.T @ ((weights * self.length / 2 * section)[:, None] * values)
        if np.linalg.eigvalsh(K)[0] <= 1e-12 * np.trace(K):
            what = dict(ORDER)[component]
            raise ModelError(
                f"Rod: the functions of {what} are not independent; leave one out, or give more "
                "stations if they vary fast"
            )
        return K

    def _coordinate_damping(self) -> Array:
        if self.damping.ndim == 2:
            return self.damping
        return np.diag(2 * self.damping * np.sqrt(self._basis[1]))

    def _check_sections(self) -> None:
        at = np.linspace(0.0, 1.0, 101)
        sections = _at(self.stiffness, at)
        for (component, what), functions in zip(ORDER, self.functions, strict=True):
            if functions and sections[:, component].min() <= 0:
                raise ModelError(
                    f"Rod: the stiffness against {what} is {sections[:, component].min():.4g}; it "
                    "must be above zero along the whole rod, or give this strain no functions"
                )
        mass, inertia = _at(self.mass_per_length, at).min(), _at(self.inertia, at).min()
        if mass <= 0:
            raise ModelError(
                f"Rod: the mass per length is {mass:.4g} kg/m; it must be above zero along the rod"
            )
        if inertia < 0:
            raise ModelError(
                f"Rod: an inertia of the section is {inertia:.4g} kg m; it must not be negative "
                "anywhere along the rod"
            )

    def _check_damping(self) -> None:
        C, m = self.damping, self.n_mode
        if C.shape not in ((), (m,), (m, m)):
            raise ModelError(
                f"Rod: damping has shape {C.shape}; give one ratio, {m} ratios or a {m}x{m} matrix"
            )
        least = np.linalg.eigvalsh((C + C.T) / 2)[0] if C.ndim == 2 else C.min(initial=0.0)
        if least < -1e-12 * np.abs(C).max(initial=0.0):
            raise ModelError(
                f"Rod: damping has the negative value {least:.4g}, which would feed energy into "
                "the rod; give zero or more"
            )


def _rest_integrals(tables: RodTables) -> MassIntegrals:
    """Integrals over the rod at rest, to zeroth order."""
    m = len(tables.strains)
    zero = np.zeros(m)
    integrals = MassIntegrals.of_points(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3, m)))
    integrals = dataclasses.replace(integrals, mass=0.0)
    sections = stations(tables, zero, zero)
    for k, section in enumerate(sections):
        R = section.rotation
        inertia = R @ np.diag(tables.inertias[k]) @ R.T
        lump = Lump(float(tables.masses[k]), np.zeros(3), inertia, 0)
        integrals = integrals.with_lump(lump, section.position, section.shapes)
    return integrals


def _check_inertia(sigma: Array, rows: Array, what: str) -> None:
    if sigma[-1] > _LEAST * sigma[0] and np.any(rows):
        return
    remedy = "give the section inertia about x" if what == "torsion" else "give more stations"
    raise ModelError(
        f"Rod: {what} has a function that moves no mass; {remedy}, or fewer functions of {what}"
    )


def _at(values: Array, points: Array) -> Array:
    """Values at fractions of the length, of the polynomial through those at the Gauss points."""
    if len(values) == 1:
        return np.repeat(values, len(points), axis=0)
    x, _ = legendre.leggauss(len(values))
    return rod_tables.interpolation((x + 1) / 2, points) @ values


def _sampled(function: Callable[[Array], Any], points: Array) -> Array:
    values = np.asarray(function(points), dtype=float)
    values = np.broadcast_to(values, points.shape)
    if not np.all(np.isfinite(values)):
        raise ModelError("Rod: a function of a strain is not finite on [0, 1]; give another one")
    return values
