"""Stress and strain of bodies, and quantities of sections, in the rows of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bodies.normal import NormalBody
from ..bodies.recovery import check_has_strain
from ..bodies.sections import (
    Sections,
    check_has_stress,
    checked_points,
    has_sections,
    needs_balance,
)
from ..bodies.stress import principal_magnitude, von_mises
from .row_blocks import RowBlock, collected, rows_within
from .section_quantities import SECTION, Asked, asked
from .store import Store, blocks

if TYPE_CHECKING:
    from ..algorithms.tree.section_loads import LoadedStates
    from ..system import System

Array = np.ndarray

_NUMBERS = 1 << 22  # stress components computed at a time [32 MB]


def has_stress(body: NormalBody) -> bool:
    """Whether the stress of a body is known."""
    if body.recovery is not None and body.recovery.points is not None:
        return True
    return has_sections(body) and Sections(body, "").has_stress


def has_strain(body: NormalBody) -> bool:
    """Whether the strain of a solid or a panel is known."""
    points = None if body.recovery is None else body.recovery.points
    return points is not None and points.elasticity is not None


def strains(system: System, i: int, at: Any, q: Array) -> Array:
    """Components of strain in n rows, (n, p, 6); see `Trajectory.strain`."""
    points = check_has_strain(system.names[i], system.bodies[i].recovery)
    chosen = checked_points(system.names[i], len(points.positions), at)
    return np.einsum("...cm,nm->n...c", points.strains(chosen), q[:, system.layout.modal_q(i)])


def stresses(system: System, i: int, at: Any, rows: LoadedStates) -> Any:
    """Components of stress in n rows: (n, p, 6), of beams (n, p, k, 6); see `Trajectory.stress`."""
    body = system.bodies[i]
    if body.recovery is not None and body.recovery.points is not None:
        points = body.recovery.points
        chosen = checked_points(system.names[i], len(points.positions), at)
        eta = rows.q[:, system.layout.modal_q(i)]
        return np.einsum("...cm,nm->n...c", points.stresses[chosen], eta)
    sections = Sections(body, system.names[i])
    check_has_stress(sections)
    places = sections.checked(at)
    every = np.atleast_1d(places)
    loads = Asked(system, i, sections).loads(every, rows)
    by_section = sections.stress(every, loads)
    if not places.ndim:
        return by_section[0]
    same = len({x.shape[1] for x in by_section}) == 1
    return np.stack(by_section, axis=1) if same else by_section


def worst_stress(system: System, i: int, rows: LoadedStates) -> Array:
    """Von Mises stress (n, p) at the points, or the largest of each of the usual sections."""
    body = system.bodies[i]
    if body.recovery is not None and body.recovery.points is not None:
        eta = rows.q[:, system.layout.modal_q(i)]
        return at_points(body, np.arange(len(body.recovery.points.positions)), eta)
    sections = Sections(body, system.names[i])
    largest = SECTION["stress"].compute(Asked(system, i, sections), sections.usual, rows)
    return largest[..., 0]


def at_points(body: NormalBody, points: Array, eta: Array) -> Array:
    """Von Mises stress (n, p) at stress points of a body.

    `points` (p,): which of them; `eta` (n, m): modal coordinates.
    """
    assert body.recovery is not None and body.recovery.points is not None
    return _measured(von_mises, body.recovery.points.stresses[points], eta)


def strain_at_points(body: NormalBody, points: Any, eta: Array) -> Array:
    """Largest magnitude (n, p) of the principal strains at stress points of a body.

    `points` (p,): which of them; `eta` (n, m): modal coordinates.
    """
    assert body.recovery is not None and body.recovery.points is not None
    return _measured(principal_magnitude, body.recovery.points.strains(points), eta)


def _measured(measure: Callable[[Array], Array], per_mode: Array, eta: Array) -> Array:
    """Measure (n, p) of tensors (p, 6, m) per unit of the modal coordinates (n, m)."""
    step = max(1, _NUMBERS // max(1, 6 * len(per_mode)))
    parts = [eta[k : k + step] for k in range(0, len(eta), step)]
    pieces = [measure(np.einsum("pcm,nm->npc", per_mode, part)) for part in parts]
    return np.concatenate([np.zeros((0, len(per_mode))), *pieces])


# Of all rows of a run


def along(system: System, store: Store, body: Any, quantity: Any, at: Any) -> Array:
    """Values of a quantity of sections; see `Trajectory.along`."""
    body_sections, section, places = asked(system, body, quantity, at)
    parts, every = section.parts(body_sections.body), np.atleast_1d(places)

    def compute(block: RowBlock) -> Array:
        rows = rows_within(system, block, balance=body_sections.sections.by_balance)
        return section.compute(body_sections, every, rows)

    values = collected(store, (len(every), len(parts)), compute)
    values = values[..., 0] if parts[0][0] == "" else values
    return values if places.ndim else values[:, 0]


def stress(system: System, store: Store, body: Any, at: Any) -> Any:
    """Components of stress; see `Trajectory.stress`."""
    i = system.layout.index(body)
    balance = needs_balance(system.bodies[i])
    parts = []
    for start, stop in blocks(store):
        rows = rows_within(system, RowBlock(store, start, stop), balance=balance)
        parts.append(stresses(system, i, at, rows))
    if isinstance(parts[0], list):
        return [np.concatenate(x) for x in zip(*parts, strict=True)]
    return np.concatenate(parts)


def strain(system: System, store: Store, body: Any, at: Any) -> Array:
    """Components of strain; see `Trajectory.strain`."""
    i = system.layout.index(body)
    q = (np.asarray(store.read("q", start, stop)) for start, stop in blocks(store))
    return np.concatenate([strains(system, i, at, rows) for rows in q])
