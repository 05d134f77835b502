"""Quantities of the sections of beams, rods and frames: strains, loads and stress."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..bodies import rod_strains
from ..bodies.normal import NormalBody
from ..bodies.recovery import no_strain
from ..bodies.sections import Sections, has_sections
from ..bodies.stress import von_mises
from ..errors import StateError, suggestion
from .labels import XYZ, Parts

if TYPE_CHECKING:
    from ..algorithms.tree.section_loads import LoadedStates
    from ..system import System

Array = np.ndarray
_STRAINS: Parts = (
    *((f"kappa_{x}", "rad/m") for x in XYZ),
    *((f"eps_{x}", "1") for x in XYZ),
)
_FORCE, _MOMENT = 0, 3  # first components among N, Q_y, Q_z, T, M_y, M_z


class Asked(NamedTuple):
    """Sections of body i of a system."""

    system: System
    i: int
    sections: Sections

    @property
    def body(self) -> NormalBody:
        """The body."""
        return self.sections.body

    def loads(self, at: Array, rows: LoadedStates) -> Array:
        """N, Q_y, Q_z, T, M_y, M_z of sections, (n, p, 6)."""
        from ..algorithms.tree.section_loads import loads_of

        return loads_of(self.system, self.i, self.sections, at, rows)

    def eta(self, rows: LoadedStates) -> Array:
        """Modal coordinates (n, m)."""
        return rows.q[:, self.system.layout.modal_q(self.i)]


class OfSection(NamedTuple):
    """Definition of a quantity of sections.

    `parts` returns labels and units, none if the body does not have it; `compute` the values
    (n, p, n_part) at p sections in n rows.
    """

    description: str
    parts: Callable[[NormalBody], Parts]
    compute: Callable[[Asked, Array, LoadedStates], Array]


def _carried(body: NormalBody, first: int) -> list[int]:
    """Which of the three components from `first` on are known: those a rod is elastic in."""
    if body.rod is None:
        return [0, 1, 2]
    start = 3 if first == _FORCE else 0
    return [k - start for k in rod_strains.elastic(body.rod) if start <= k < start + 3]


def _load_parts(first: int, unit: str) -> Callable[[NormalBody], Parts]:
    return lambda body: tuple((XYZ[k], unit) for k in _carried(body, first))


def _load(first: int) -> Callable[[Asked, Array, LoadedStates], Array]:
    def compute(asked: Asked, at: Array, rows: LoadedStates) -> Array:
        columns = [first + k for k in _carried(asked.body, first)]
        return asked.loads(at, rows)[:, :, columns]

    return compute


def _of_rod(parts: Parts, values: Callable[[Any, Array, Array], Array]) -> tuple[Any, Any]:
    """Parts and computation of a strain, which rods have."""

    def compute(asked: Asked, at: Array, rows: LoadedStates) -> Array:
        return values(asked.body.rod, at, asked.eta(rows))

    return (lambda body: () if body.rod is None else parts), compute


def _largest_stress(asked: Asked, at: Array, rows: LoadedStates) -> Array:
    """Largest von Mises stress of each section, (n, p, 1)."""
    stresses = asked.sections.stress(at, asked.loads(at, rows))
    return np.stack([von_mises(x).max(axis=1) for x in stresses], axis=1)[..., None]


_CURVATURES: Parts = tuple((x, "rad/m") for x in XYZ)
SECTION = {
    "curvature": OfSection(
        "twist and curvature of the section, section axes",
        *_of_rod(_CURVATURES, rod_strains.curvatures),
    ),
    "strain": OfSection(
        "strain against the natural shape, section axes", *_of_rod(_STRAINS, rod_strains.strains)
    ),
    "section_moment": OfSection(
        "moment that the section carries, section axes",
        _load_parts(_MOMENT, "N m"),
        _load(_MOMENT),
    ),
    "section_force": OfSection(
        "force that the section carries, section axes",
        _load_parts(_FORCE, "N"),
        _load(_FORCE),
    ),
    "stress": OfSection(
        "largest von Mises stress of the section",
        lambda body: (("", "Pa"),) if Sections(body, "").has_stress else (),
        _largest_stress,
    ),
}


def missing(name: str, body: NormalBody | None, key: str) -> str:
    """Message for a quantity that a body does not have.

    `body`: the body; None for the ground.
    """
    rod = None if body is None else body.rod
    points = None if body is None or body.recovery is None else body.recovery.points
    if points is not None and key == "strain":
        if points.elasticity is None:
            return no_strain(name)
        return f"no point of {name!r} is at this node; run.strain({name!r}) has all"
    if rod is None and key in ("curvature", "strain"):
        more = "; solids and panels have strain, too" if key == "strain" else ""
        return f"{name!r} is no rod and has no {key}; make the body with ls.rod{more}"
    if body is not None and rod is not None and key == "stress":
        return Sections(body, name).no_stress
    if rod is None:
        sectioned = body is not None and has_sections(body)
        where = "at this node: it is not on the axis of the beam" if sectioned else "of its own"
        return (
            f"{name!r} has no {key} {where}; beams, rods and frames have it along their axes "
            "(run.along), solids have stress"
        )
    strains = "bending or torsion" if key == "section_moment" else "stretch or shear"
    return (
        f"rod {name!r} is rigid against {strains}, so that its {key} does not follow from strains; "
        f"give it functions of {strains}, or use '{name}.reaction', which is that of its joint"
    )


def asked(system: System, body: Any, quantity: Any, at: Any) -> tuple[Asked, OfSection, Array]:
    """Sections, quantity and places (p,) of `Trajectory.along`, checked."""
    i = system.layout.index(body)
    if not isinstance(quantity, str) or quantity not in SECTION:
        raise StateError(
            f"sections of bodies have no {quantity!r}; {suggestion(str(quantity), SECTION)}"
        )
    normal_body = system.bodies[i]
    if not has_sections(normal_body) or not SECTION[quantity].parts(normal_body):
        raise StateError(missing(body, normal_body, quantity))
    sections = Sections(normal_body, body)
    return Asked(system, i, sections), SECTION[quantity], sections.checked(at)
