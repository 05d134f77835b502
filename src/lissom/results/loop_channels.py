"""Channels of the loops and couplings of a system.

Their forces are stored; gaps, rates and coordinates follow from the coordinates and speeds of a
row.  All of the latter come from one computation, so that reading one provides the others.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..joints import Joint
from ..spatial.many_rotations import continuous
from ..system import Coupling, Loop, System
from .labels import XYZ, Parts, coupling_units, forces
from .loop_forces import in_axes
from .row_blocks import RowBlock, collected
from .store import Columns, Store

Array = np.ndarray


def _vector(unit: str) -> Callable[[Loop], Parts]:
    return lambda _: tuple((x, unit) for x in XYZ)


def _rows(unit: str) -> Callable[[Loop], Parts]:
    """One component for each constraint, counted from 0."""
    return lambda loop: tuple((str(k), unit) for k in range(loop.n_constraint))


# Quantities of a loop: description, labels and units.
LOOP: dict[str, tuple[str, Callable[[Loop], Parts]]] = {
    "force": ("constraint force on its end b, axes of that end", _vector("N")),
    "moment": ("constraint moment on its end b, axes of that end", _vector("N m")),
    "force_a": ("constraint force on its end b, axes of end a", _vector("N")),
    "moment_a": ("constraint moment on its end b, axes of end a", _vector("N m")),
    "force_world": ("constraint force on its end b, world axes", _vector("N")),
    "moment_world": ("constraint moment on its end b, world axes", _vector("N m")),
    "gap": ("constraint residual of its joint", _rows("m")),
    "rate": ("rate of the constraint residual", _rows("m/s")),
    "coordinates": ("coordinates of its joint", lambda loop: loop.joint.coordinates),
    "load": ("force of the loads on its joint", lambda loop: forces(loop.joint.speeds)),
}
# Quantities of a coupling: description, and index of the unit.
COUPLING: dict[str, tuple[str, int]] = {
    "gap": ("constraint residual: ratios times coordinates, minus the offset", 0),
    "rate": ("rate of the constraint residual", 1),
    "force": ("transmitted force: each joint receives its ratio times this", 2),
}
# Quantities of all loops and couplings.
CLOSURE: dict[str, tuple[str, Parts]] = {
    "closure": ("largest gap of a loop or coupling", (("", "m"),)),
    "closure_rate": ("largest rate of a loop or coupling", (("", "m/s"),)),
}
_COMPUTED = ("gap", "rate", "coordinates")


def coupling_parts(system: System, coupling: Coupling, key: str) -> Parts:
    """Component and unit of a quantity of a coupling."""
    return (("", coupling_units(system, coupling)[COUPLING[key][1]]),)


def loop_values(system: System, store: Store, name: str) -> dict[str, Array]:
    """Values of a loop channel by name, with others from the same computation; read-only."""
    group, _, key = name.partition(".")
    couplings = [one.name for one in system.couplings]
    if group in couplings and key == "force":
        values = store.read("coupling_force")[:, couplings.index(group)].view()
        values.flags.writeable = False
        return {name: values}
    if key == "load":
        values = store.read("loop_load")[:, loaded_speeds(system, store.columns, group)].view()
        values.flags.writeable = False
        return {name: values}
    kind, _, axes = key.partition("_")
    if kind not in ("force", "moment"):
        motions = _motions(system, store)
        # a loop's name alone
        return motions if name in motions else {**motions, name: motions[f"{name}.coordinates"]}
    number = [loop.name for loop in system.loops].index(group)
    k = 6 * number + (3 if kind == "force" else 0)
    if axes:
        loop = system.loops[number]

        def compute(block: RowBlock) -> Array:
            return in_axes(system, loop, block["q"], block["loop_force"][:, k : k + 3], axes)

        values = collected(store, (3,), compute)
    else:
        values = store.read("loop_force")[:, k : k + 3].view()
    values.flags.writeable = False
    return {name: values}


def loaded_speeds(system: System, columns: Columns, name: str) -> slice:
    """Forces of the loads on the joint of a loop among those of all loops."""
    speeds = {loop.name: loop.joint.n_v for loop in system.loops}
    before = columns.loaded[: columns.loaded.index(name)]
    start = sum(speeds[x] for x in before)
    return slice(start, start + speeds[name])


def _motions(system: System, store: Store) -> dict[str, Array]:
    """Gap, rate and coordinates of every loop by name, and the largest of all."""
    from ..algorithms.loops.couplings import coupled_rows
    from ..algorithms.tree.engine import closure_rows

    def compute(block: RowBlock) -> Array:
        return closure_rows(system, block["q"], block["v"])

    pieces, width = _pieces(system)
    rows = collected(store, (width,), compute)
    motions = {name: rows[:, piece] for name, piece in pieces.items()}
    for loop in system.loops:
        name = f"{loop.name}.coordinates"
        motions[name] = _continued(loop.joint, motions[name])
    for name, key in (("closure", "gap"), ("closure_rate", "rate")):
        # components depend on the basis of the constraints, their norm does not
        norms = [
            np.hypot.reduce(motions[f"{one.name}.{key}"], axis=1) for one in system.constraints
        ]
        motions[name] = np.max(norms, axis=0)
    for coupling, row in zip(system.couplings, coupled_rows(system), strict=True):
        for name in (f"{coupling.name}.gap", f"{coupling.name}.rate"):
            motions[name] = motions[name][:, 0] / row.scale
    for array in motions.values():
        array.flags.writeable = False
    return motions


def _pieces(system: System) -> tuple[dict[str, slice], int]:
    """Slices of the quantities of each loop in the rows of `closure_rows`, and their width."""
    pieces, start = {}, 0
    for loop in system.loops:
        sizes = (loop.n_constraint, loop.n_constraint, loop.joint.n_q)
        for key, size in zip(_COMPUTED, sizes, strict=True):
            pieces[f"{loop.name}.{key}"] = slice(start, start + size)
            start += size
    for coupling in system.couplings:
        for key in ("gap", "rate"):
            pieces[f"{coupling.name}.{key}"] = slice(start, start + 1)
            start += 1
    return pieces, start


def _continued(joint: Joint, coordinates: Array) -> Array:
    """Coordinates (n, n_q) of a joint without jumps from row to row by a turn or in sign."""
    if joint.has_quaternion:
        return continuous(coordinates)
    return np.where(joint.turning, np.unwrap(coordinates, axis=0), coordinates)
