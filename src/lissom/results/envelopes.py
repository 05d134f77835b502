"""Largest and smallest values of loads over a run, with their times and places."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bodies.sections import Sections, has_sections, needs_balance
from ..errors import ResultError, StateError, printable, suggestion
from ..notebook import table
from ..printing import WIDTH, Shown
from .channels import resolved
from .contact_channels import contact_names
from .display_units import ChosenUnits, in_unit
from .files.disk import PathLike, as_path, replacing
from .labels import cell
from .peaks import (
    MARKS,
    RISES,
    SPARSE,
    RowCheck,
    between_rows,
    body_of,
    is_load,
    loads_among,
    lock_notes,
    lock_peak_notes,
    rising_after,
    sparse_note,
)
from .row_blocks import RowBlock, collected, rows_within
from .section_quantities import SECTION, asked
from .stress_quantities import has_strain, strain_at_points, worst_stress

if TYPE_CHECKING:
    from .trajectory import Trajectory

Array = np.ndarray

_SHOWN = 80  # lines of a printed table
_ROUNDING = 1e-12  # fraction of a load that is printed as zero
_COLUMNS = ("largest", "at [s]", "place", "smallest", "at [s]", "place")


@dataclass(frozen=True)
class Extreme(Shown):
    """Largest and smallest value of one component of a load.

    Attributes
    ----------
    name : str
        Channel, with the component: "arm.section_moment.y".
    unit : str
        Unit.
    largest, smallest : float
        Values.
    largest_time, smallest_time : float
        When they first occur [s].
    largest_place, smallest_place : str
        Where along the body; empty for a channel that has one place.
    largest_mark, smallest_mark : str
        Why the value may not be that of the mechanism; empty if nothing speaks against it.  See
        ``Envelope.notes``.
    """

    name: str
    unit: str
    largest: float
    largest_time: float
    largest_place: str
    smallest: float
    smallest_time: float
    smallest_place: str
    largest_mark: str = ""
    smallest_mark: str = ""


class Envelope(Sequence[Extreme]):
    """Extremes of loads over a run; prints as a table.

    Parameters
    ----------
    extremes : sequence of Extreme
        One for each component.
    notes : sequence of str
        What there is to know about them, such as what their marks mean.
    """

    def __init__(self, extremes: Sequence[Extreme], notes: Sequence[str] = ()) -> None:
        self._extremes, self.notes = tuple(extremes), tuple(notes)

    def __getitem__(self, key: Any) -> Any:
        """Extreme by number, or by the name of a component."""
        if isinstance(key, str):
            by_name = {one.name: one for one in self._extremes}
            if key not in by_name:
                raise StateError(f"the envelope has no {key!r}; {suggestion(key, by_name)}")
            return by_name[key]
        return self._extremes[key]

    def __len__(self) -> int:
        """Number of components."""
        return len(self._extremes)

    def __iter__(self) -> Iterator[Extreme]:
        """Extremes in turn."""
        return iter(self._extremes)

    @property
    def times(self) -> Array:
        """Times of all extremes [s], ascending: the instants of the design loads."""
        every = [t for one in self for t in (one.largest_time, one.smallest_time)]
        return np.unique(np.array(every, dtype=float))

    def _rows(self) -> list[list[str]]:
        rows, sizes = [["load", "unit", *_COLUMNS]], self._sizes()
        for one in self:
            least = _ROUNDING * sizes[_group(one)]
            ends = [
                (one.largest, one.largest_mark, one.largest_time, one.largest_place),
                (one.smallest, one.smallest_mark, one.smallest_time, one.smallest_place),
            ]
            cells = [
                ("0", "", "") if abs(x) <= least else (f"{x:.5g}{_signs(mark)}", f"{t:.5g}", place)
                for x, mark, t, place in ends
            ]
            rows.append([one.name, one.unit, *cells[0], *cells[1]])
        return rows

    def _sizes(self) -> dict[str, float]:
        """Largest absolute value of each load, over its components; moments as of arms of 1 m."""
        sizes: dict[str, float] = {}
        for one in self:
            size = max(abs(one.largest), abs(one.smallest))
            sizes[_group(one)] = max(sizes.get(_group(one), 0.0), size)
        return sizes

    def __repr__(self) -> str:
        """Table with one line for each component."""
        rows = self._rows()[: _SHOWN + 1]
        lines = _aligned(rows)
        if max(map(len, lines)) > WIDTH:
            lines = _aligned(_under_headings(rows))
        return "\n".join(printable(line) for line in [*lines, *self._more(rows)])

    def _repr_html_(self) -> str:
        """The same as a table, for notebooks."""
        head, *rows = self._rows()[: _SHOWN + 1]
        return table(f"{len(self)} loads", head, rows, self._more([head, *rows]))

    def _more(self, rows: Sequence[Sequence[str]]) -> list[str]:
        more = len(self) - len(rows) + 1
        lines = [f"... and {more} more; .save('envelope.csv') writes all"] if more else []
        return lines + [line for note in self.notes for line in wrap(note, WIDTH)]

    def save(self, path: PathLike) -> None:
        """Write the table as text, with full numbers.

        Parameters
        ----------
        path : path
            File to write, with the suffix ".csv".
        """
        check_csv(path)
        with replacing(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as f:
            out = csv.writer(f, lineterminator="\n")
            out.writerow(["load", "unit", *_HEADINGS])
            for one in self:
                high = [repr(one.largest), repr(one.largest_time), cell(one.largest_place)]
                low = [repr(one.smallest), repr(one.smallest_time), cell(one.smallest_place)]
                marks = [one.largest_mark, one.smallest_mark]
                out.writerow([cell(one.name), one.unit, *high, *low, *marks])


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table; a row of one cell is a heading."""
    widths = [
        max(map(len, column)) for column in zip(*(x for x in rows if len(x) > 1), strict=True)
    ]
    return [
        "  ".join(f"{x:{w}s}" for x, w in zip(row, widths, strict=False)).rstrip() for row in rows
    ]


def _under_headings(rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Rows with the components of a load below its name."""
    lines = [rows[0]]
    for group, some in groupby(rows[1:], lambda row: row[0].rpartition(".")[0]):
        members = list(some)
        if len(members) == 1:
            lines += members
        else:
            lines += [[group], *(["  " + row[0][len(group) + 1 :], *row[1:]] for row in members)]
    return lines


def _group(one: Extreme) -> str:
    return one.name.rpartition(".")[0]


_HEADINGS = (
    *("largest", "largest at time [s]", "largest at place"),
    *("smallest", "smallest at time [s]", "smallest at place"),
    *("largest: note", "smallest: note"),
)


def check_csv(path: Any) -> None:
    """Reject names of files that do not end in .csv."""
    if not as_path(path).endswith(".csv"):
        raise ResultError(f"path is {as_path(path)!r}; expected a name that ends in .csv")


def usual_loads(run: Trajectory) -> list[str]:
    """Loads taken by default: of joints, loops, contacts, attachments, sections, and stresses."""
    loops, names = {one.name for one in run.system.loops}, []
    contacts = contact_names(run.store.columns)
    for body, normal_body in zip(run.system.names, run.system.bodies, strict=True):
        keys = [
            key for key in _LOADS if has_sections(normal_body) and SECTION[key].parts(normal_body)
        ]
        names += [f"{body}.{key}" for key in keys]
    for name in run.channels():
        group, _, last = name.rpartition(".")
        of_body = group in run.system.names and last in ("reaction", "stress")
        of_loop = group in loops and last in ("force", "moment")
        inboard = group.rpartition(".")[0] in run.system.names and _is_inboard(run, group)
        of_node = last == "interface_load" and "." in group and not inboard
        if of_body or of_loop or of_node or (group in contacts and last == "force"):
            names.append(name)
    return names


_LOADS = ("section_force", "section_moment")


def _is_inboard(run: Trajectory, place: str) -> bool:
    frame = run.system.place(place)
    return frame.node == run.system.bodies[frame.body].inboard


def envelope(run: Trajectory, names: Sequence[str], units: Any = None) -> Envelope:
    """Extremes of loads; see `Trajectory.envelope`."""
    if not run.n:
        raise StateError("the trajectory has no rows, so that there are no extremes")
    loads, events = _Loads(run), run.events
    extremes, chosen, bodies = [], ChosenUnits.of(units), dict[str, None]()
    for name in names or usual_loads(run):
        values, labels, of_si, places = _values(run, name)
        body = body_of(run, name)
        rising = rising_after(events, body) if (load := is_load(name, of_si)) else np.inf
        bodies |= {body: None} if load else {}
        time, values, missed = loads.refined(name, values)
        for k, (label, unit) in enumerate(zip(labels, of_si, strict=True)):
            full = f"{name}.{label}" if label else name
            word, factor = chosen.shown(unit)
            scaled = in_unit(values[:, :, k], factor)
            extremes.append(_extreme(full, word, scaled, time, places, rising, missed[k]))
    notes = lock_notes(events, list(bodies)) if bodies else []
    notes += [sparse_note(run)] if loads.sparse else []
    return Envelope(extremes, _marked(extremes, notes))


def peak_notes(run: Trajectory, names: Sequence[str], check: RowCheck | None = None) -> list[str]:
    """What locks and rows mean for peaks of channels; see `Trajectory.peak_notes`."""
    return lock_peak_notes(run, names) + row_peak_notes(run, names, check)


def row_peak_notes(
    run: Trajectory, names: Sequence[str], check: RowCheck | None = None
) -> list[str]:
    """What rows mean for peaks of channels, at most one note."""
    check = RowCheck(run) if check is None else check

    def read(there: Trajectory, name: str) -> Array:
        return _values(there, name)[0]

    missed = [
        name
        for name in (loads_among(run, names) if check.sparse else ())
        if any(check.missed(read(run, name), partial(read, name=name)))
    ]
    return [sparse_note(run, missed)] if missed else []


class _Loads:
    """Values of loads at the rows of a run and, where rows are sparser than steps, between them."""

    def __init__(self, run: Trajectory) -> None:
        self._run, self.sparse = run, False
        self._check = RowCheck(run)

    @cached_property
    def _between(self) -> list[Trajectory]:
        return list(between_rows(self._run))

    def refined(self, name: str, values: Array) -> tuple[Array, Array, list[bool]]:
        """Times, values with those between the rows, and which components are too fast for them."""
        run = self._run
        missed = self._check.missed(values, lambda there: _values(there, name)[0])
        self.sparse = self.sparse or any(missed)
        if all(missed) or not self._check.sparse:
            return run.time, values, missed
        pieces = [_values(there, name)[0] for there in self._between]
        times = np.concatenate([run.time, *(there.time for there in self._between)])
        every = np.concatenate([values, *pieces])
        every[len(values) :, :, np.array(missed)] = np.nan  # the rows alone
        return times, every, missed


def _extreme(
    name: str,
    unit: str,
    values: Array,
    time: Array,
    places: list[str],
    rising: float,
    missed: bool,
) -> Extreme:
    """Extremes of values (n, p), marked where they may not be those of the mechanism."""
    ends: list[Any] = []
    marks: list[str] = []
    for find in (np.nanargmax, np.nanargmin):
        row, place = np.unravel_index(find(values), values.shape)
        ends += [float(values[row, place]), float(time[row]), places[int(place)]]
        words = [RISES] * bool(time[row] >= rising) + [SPARSE] * missed
        marks.append("; ".join(words))
    return Extreme(name, unit, *ends, *marks)


def _signs(mark: str) -> str:
    return "".join(sign for words, sign in MARKS.items() if words in mark)


def _marked(extremes: Sequence[Extreme], notes: Sequence[str]) -> list[str]:
    """Notes, after what the signs in the table mean."""
    said = {_signs(mark) for one in extremes for mark in (one.largest_mark, one.smallest_mark)}
    signs = [f"{sign} {words}" for words, sign in MARKS.items() if sign in "".join(said)]
    return [*signs, *notes]


def _values(run: Trajectory, name: str) -> tuple[Array, Any, Any, list[str]]:
    """Values (n, p, c) of a load, labels and units of its c components, and its p places."""
    body, _, key = name.partition(".") if isinstance(name, str) else ("", "", "")
    whole = _whole_body(run, body, key)
    if whole is None and body in run.system.names and key in SECTION:
        body_sections, section, at = asked(run.system, body, key, None)
        labels, units = zip(*section.parts(body_sections.body), strict=True)
        return run.along(body, key), labels, units, [body_sections.sections.place(x) for x in at]
    channel = resolved(run.system, run.store.columns, name)[0]
    if whole is not None:
        return whole(run, body), ("",), channel.units, _stress_places(run, body)
    return run[name].reshape(run.n, 1, -1), channel.labels or ("",), channel.units, [""]


def _whole_body(run: Trajectory, body: str, key: str) -> Callable[[Trajectory, str], Array] | None:
    """Function for a quantity that is known all over a body, if it is one."""
    if body not in run.system.names or key not in ("stress", "strain"):
        return None
    if key == "stress":
        return _stress
    return _strain if has_strain(run.system.bodies[run.system.names.index(body)]) else None


def _strain(run: Trajectory, body: str) -> Array:
    """Largest magnitude of the principal strains (n, p, 1) at the points of a body."""
    i = run.system.names.index(body)
    normal_body, modal = run.system.bodies[i], run.system.layout.modal_q(i)

    def compute(block: RowBlock) -> Array:
        return strain_at_points(normal_body, slice(None), block["q"][:, modal])

    return collected(run.store, (len(_stress_places(run, body)),), compute)[..., None]


def _stress(run: Trajectory, body: str) -> Array:
    """Von Mises stress (n, p, 1) all over a body."""
    i = run.system.names.index(body)
    normal_body = run.system.bodies[i]

    def compute(block: RowBlock) -> Array:
        return worst_stress(
            run.system, i, rows_within(run.system, block, balance=needs_balance(normal_body))
        )

    return collected(run.store, (len(_stress_places(run, body)),), compute)[..., None]


def _stress_places(run: Trajectory, body: str) -> list[str]:
    normal_body = run.system.bodies[run.system.names.index(body)]
    if normal_body.recovery is not None and (points := normal_body.recovery.points) is not None:
        return list(points.labels) or [f"point {k}" for k in range(len(points.positions))]
    sections = Sections(normal_body, body)
    return [sections.place(at) for at in sections.usual]
