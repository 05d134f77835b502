"""Loads, stresses and strains of bodies, in all rows of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..bodies.sections import needs_balance
from .row_blocks import RowBlock, collected, rows_within
from .section_quantities import asked
from .store import Store, blocks
from .stress_quantities import strains, stresses

if TYPE_CHECKING:
    from ..system import System

Array = np.ndarray


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
