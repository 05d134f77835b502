"""Which peaks of loads are those of the mechanism, and which depend on its discretisation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..algorithms.tree.coordinates import error_sizes
from ..errors import LissomError, name_list
from .channels import resolved
from .event_records import EventRecord, ImpactImpulse, Impulse
from .store import MemoryStore, Store

if TYPE_CHECKING:
    from ..system import System
    from .trajectory import Trajectory

Array = np.ndarray

# Share of the upper half of the shapes in the kinetic energy that an event gives to the shapes,
# above which peaks of loads after it rise with the number of shapes.
MOST_IN_UPPER_HALF = 0.02
_LASTING = 0.02  # loss, as a part of it and of the energy of shapes, that a shock is worth naming

_RISING_UNITS = {"N", "N m", "Pa", "m/s^2", "rad/s^2", "kg^0.5 m/s^2", "1/m"}
_RISING_KEYS = ("section_force", "section_moment", "stress", "strain", "curvature")

RISES, SPARSE = "rises with the number of shapes", "may be higher between rows"
MARKS = {RISES: "*", SPARSE: "~"}

_SPARSE = 1.5  # steps for each interval of rows from which on rows are compared
_JOLT = 0.25  # part of its largest value by which a speed may differ from that of a smooth motion
_NOISE = 1e-3  # part of the largest component below which differences do not count
_MISSED = 0.05  # part of a peak by which rows may differ from what their neighbours predict
_PIECE = 1024  # intervals whose insides are looked at together
_INSIDE = np.array([0.25, 0.5, 0.75])
_MOST_BYTES = 1 << 29  # of rows that are compared with their neighbours
_NAMED = 3  # loads that a note names


def body_of(run: Trajectory, name: str) -> str:
    """Body that a channel belongs to; empty for loops, couplings and the whole system."""
    first = name.partition(".")[0]
    if first in run.system.names:
        return first
    try:
        i = run.system.place(first).body
    except LissomError:
        return ""
    return run.system.names[i] if i >= 0 else ""


def is_load(name: str, units: Sequence[str] = ()) -> bool:
    """Whether a channel is one of loads or accelerations, which impulses raise."""
    last = name.rpartition(".")[2]
    return last in _RISING_KEYS or not _RISING_UNITS.isdisjoint(units)


def rising_after(events: Sequence[EventRecord], body: str = "") -> float:
    """Time [s] from which peaks of loads rise with the number of shapes, or infinity."""
    times = (
        x.time for x in events if any(_share(y, body) > MOST_IN_UPPER_HALF for y in x.impulses)
    )
    return next(times, np.inf)


def _share(impulse: Impulse | ImpactImpulse, body: str) -> float:
    return max(impulse.share, impulse.shares.get(body, 0.0))


def lock_peak_notes(run: Trajectory, names: Sequence[str]) -> list[str]:
    """What the locks and impacts of a run mean for peaks of channels."""
    bodies = dict.fromkeys(body_of(run, name) for name in loads_among(run, names))
    return lock_notes(run.events, list(bodies)) if bodies else []


def loads_among(run: Trajectory, names: Sequence[str]) -> list[str]:
    """Those channels that are loads or accelerations."""

    def units(name: str) -> Sequence[str]:
        return resolved(run.system, run.store.columns, name)[0].units

    return [x for x in names if is_load(x) or is_load(x, units(x))]


def lock_notes(events: Sequence[EventRecord], bodies: Sequence[str] = ()) -> list[str]:
    """What the locks and impacts of a run mean for peaks of loads, and what to do."""
    notes = []
    for event in events:
        for impulse in event.impulses:
            rising = [x for x in bodies if impulse.shares.get(x, 0.0) > MOST_IN_UPPER_HALF]
            if impulse.share > MOST_IN_UPPER_HALF or rising:
                notes.append(_rising_note(event, impulse))
            elif impulse.loss > _LASTING * (impulse.loss + impulse.energy):
                notes.append(_shock_note(event, impulse))
    return notes


def rising_note(event: EventRecord, impulse: Impulse | ImpactImpulse) -> str:
    """Words for an impulse after which all peaks rise with the number of shapes; else empty."""
    return _rising_note(event, impulse) if impulse.share > MOST_IN_UPPER_HALF else ""


def _rising_note(event: EventRecord, impulse: Impulse | ImpactImpulse) -> str:
    bodies = [x for x, part in impulse.shares.items() if part > MOST_IN_UPPER_HALF]
    share = max([impulse.share, *impulse.shares.values()])
    if isinstance(impulse, Impulse) and impulse.rate < np.inf:
        return (
            f"event {event.label!r} locks joint {impulse.joint!r} at t = {event.time:.6g} s with a "
            f"stiffness on which it vibrates at {impulse.rate:.3g} rad/s, and the upper half of "
            f"the shapes of {name_list(bodies)} takes {100 * share:.0f} % of the energy that "
            "shapes take up: peaks of loads after it change with the number of shapes. Give more "
            "shapes, or a lower stiffness"
        )
    what = "takes {} of the energy that it gives to them"
    if isinstance(impulse, ImpactImpulse):
        what = "gives {} of the compliance there"
    what = what.format(f"{100 * share:.0f} %")
    return (
        f"{_stop(event, impulse)}, and the upper half of the shapes of {name_list(bodies)} {what}: "
        f"peaks of loads after it rise with the number of shapes. {_remedy(impulse)} has peaks "
        "that do not"
    )


def _shock_note(event: EventRecord, impulse: Impulse | ImpactImpulse) -> str:
    return (
        f"{_stop(event, impulse)}, which takes {impulse.loss:.4g} J in no time: no force here "
        f"contains it. {_remedy(impulse)} spreads it over a time"
    )


def _stop(event: EventRecord, impulse: Impulse | ImpactImpulse) -> str:
    if isinstance(impulse, ImpactImpulse):
        return (
            f"event {event.label!r} is an impact of {impulse.place} at t = {event.time:.6g} s with "
            f"an impulse of {np.linalg.norm(impulse.impulse):.4g} N s"
        )
    sizes: dict[str, float] = {}
    for p, unit in zip(impulse.impulse, impulse.units, strict=True):
        sizes[unit] = float(np.hypot(sizes.get(unit, 0.0), p))
    words = " and ".join(f"{size:.4g} {unit}" for unit, size in sizes.items())
    return (
        f"event {event.label!r} locks joint {impulse.joint!r} at t = {event.time:.6g} s by an "
        f"impulse of {words}"
    )


def _remedy(impulse: Impulse | ImpactImpulse) -> str:
    if isinstance(impulse, ImpactImpulse):
        return "A Contact, whose law gives way,"
    return f"A latch that gives way, Lock({impulse.joint!r}, stiffness=...),"


# Between rows


class RowCheck:
    """Whether the rows of a run show how fast its loads change."""

    def __init__(self, run: Trajectory) -> None:
        self._run, self.sparse = run, _are_sparse(run)

    @cached_property
    def _predicted(self) -> tuple[Trajectory, Array] | None:
        return _predicted_rows(self._run)

    @cached_property
    @np.errstate(all="ignore")  # rows of a run that diverged
    def _jolted(self) -> bool:
        """Whether speeds and their rates at neighbouring rows are not those of one smooth motion.

        Impacts between rows, and vibrations of whole periods from row to row, may show in no load
        at the rows.  Over a time h a smooth motion has
          dv = h (a_0 + a_1) / 2,    dq = h (v_0 + v_1) / 2 - h^2 (a_1 - a_0) / 12
        but for small errors; for a vibration those of the first are 1/4 of its speed where it has
        four rows in a period.
        """
        run = self._run
        h = np.diff(run.time)[:, None]
        size = error_sizes(run.system)[1]
        v, a = run.v / size, run.acceleration / size
        gap = np.abs(np.diff(v, axis=0) - h * (a[1:] + a[:-1]) / 2)
        q, columns = _plain_coordinates(run.system)
        w, b = v[:, columns], a[:, columns]
        moved = np.diff(run.q[:, q] / size[columns], axis=0) + h**2 * np.diff(b, axis=0) / 12
        missing = np.abs(moved - h * (w[1:] + w[:-1]) / 2)
        gap[:, columns] = np.maximum(gap[:, columns], missing / np.where(h > 0, h, 1.0))
        most = np.abs(v).max(axis=0, initial=0.0)
        least = np.maximum(_JOLT * most, _NOISE * most.max(initial=0.0))
        return not np.all(gap[h[:, 0] > 0] <= least)

    def missed(self, values: Array, read: Callable[[Trajectory], Array]) -> list[bool]:
        """Which components of a load may have higher peaks between rows.

        `values` (n, p, c): the load at all rows and p places.
        """
        n = values.shape[2]
        if not self.sparse or self._predicted is None or self._jolted:
            return [self.sparse] * n
        there, rows = self._predicted
        guess, size = read(there), float(np.nanmax(np.abs(values), initial=0.0))
        return [_differs(values[rows, :, k], guess[:, :, k], size) for k in range(n)]


def _plain_coordinates(system: System) -> tuple[Array, Array]:
    """Numbers of coordinates whose rates are speeds, and of these speeds."""
    q, v, layout = [np.zeros(0, dtype=int)], [np.zeros(0, dtype=int)], system.layout
    for i, joint in enumerate(system.joints):
        pieces = [(layout.modal_q(i), layout.modal_v(i))]
        if not (joint.has_quasi_speeds or joint.has_quaternion):
            pieces.append((layout.hinge_q(i), layout.hinge_v(i)))
        for of_q, of_v in pieces:
            q.append(np.arange(of_q.start, of_q.stop))
            v.append(np.arange(of_v.start, of_v.stop))
    return np.concatenate(q), np.concatenate(v)


def _are_sparse(run: Trajectory) -> bool:
    """Whether the run has taken steps that are shorter than the distance of its rows."""
    if run.n < 2:
        return False
    if float(run.statistics.get("steps", 0)) > _SPARSE * (run.n - 1):
        return True
    shortest = float(run.statistics.get("smallest_step", np.inf))
    chosen = run.meta.get("output_step") is not None  # else there is a row for each step
    return chosen and _SPARSE * shortest < float(np.diff(run.time).max())


def between_rows(run: Trajectory) -> Iterator[Trajectory]:
    """Rows interpolated between those of a run, in pieces."""
    time = run.time
    for first in range(0, run.n - 1, _PIECE):
        t = time[first : first + _PIECE + 1]
        apart = np.flatnonzero(np.diff(t) > 0)
        if len(apart):
            inside = t[apart, None] + np.diff(t)[apart, None] * _INSIDE
            yield run.sample(np.clip(inside.ravel(), t[0], t[-1]))


def _predicted_rows(run: Trajectory) -> tuple[Trajectory, Array] | None:
    """Every other row as its neighbours predict it, and the numbers of these rows.

    None if the rows are few, or too many to be read at once.
    """
    columns, time = run.store.columns, run.time
    left_out = _every_other(time)
    if not len(left_out) or 8 * run.n * columns.width > _MOST_BYTES:
        return None
    rows = _whole_rows(run.store)
    rest = np.ones(run.n, dtype=bool)
    rest[left_out] = False
    fewer = type(run)(run.system, MemoryStore(columns, rows[rest]), run.meta)
    return fewer.sample(time[left_out]), left_out


def _every_other(time: Array) -> Array:
    """Numbers of rows between two others, no two of them neighbours; not beside jumps."""
    ends = [-1, *np.flatnonzero(np.diff(time) <= 0), len(time) - 1]
    pieces = [np.arange(a + 2, b, 2) for a, b in pairwise(ends)]
    return np.concatenate(pieces).astype(int)


def _whole_rows(store: Store) -> Array:
    n = len(store)
    return np.column_stack([np.reshape(store.read(x), (n, -1)) for x in store.columns.fields])


def _differs(values: Array, predicted: Array, size: float) -> bool:
    """Whether values differ from predictions so much that peaks between rows are unknown.

    `size` is the largest value of all components of the load.
    """
    error = np.nanmax(np.abs(values - predicted), initial=0.0)
    return bool(error > max(_MISSED * np.nanmax(np.abs(values), initial=0.0), _NOISE * size))


def sparse_note(run: Trajectory, names: Sequence[str] = ()) -> str:
    """What rows that are too far apart mean for peaks, and what to do."""
    output_step = run.meta.get("output_step")
    spacing = output_step or (run.time[-1] - run.time[0]) / (run.n - 1)
    steps = (run.time[-1] - run.time[0]) / max(1, run.statistics["steps"])
    steps = min(steps, run.statistics.get("smallest_step", np.inf))
    remedy = "without output_step" if output_step else "with all rows of the run"
    loads = name_list(list(names[:_NAMED])) if names else "these loads"
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return (
        f"rows are {spacing:.3g} s apart, steps down to {steps:.2g} s, and {loads}{more} may "
        "change faster than the rows show: peaks between rows may be higher. A run "
        f"{remedy} has them"
    )
