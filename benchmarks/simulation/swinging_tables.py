"""Tables of the simulations of swinging flexible links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..peers.result import PeerRun, differences
from ..result import Cell, Table
from .swinging_runs import BEAMS, SEGMENTS, SHAPES, Point

Record = dict[str, Any]

TARGETS = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)


def step_table(records: list[Record], points: Sequence[Point], model: str, step: float) -> Table:
    """All runs at one step: those of the model first, then the other kinds of model.

    Parameters
    ----------
    records : list of dict
        Measured records.
    points : sequence of Point
        Attempted runs; those missing in the records were unstable.
    model : str
        Name of the model, which gives the number of modes.
    step : float
        Step [s]; methods with tolerances are shown at 1e-8.
    """
    shown = [
        p
        for p in points
        if p.model in (model, *SHAPES, SEGMENTS, BEAMS)
        and (p.value == step or (p.kind, p.value) == ("rtol", 1e-8))
    ]
    shown.sort(key=lambda p: (p.model != model, p.library != "lissom", p.model))
    theirs = _found(records, "Exudyn", model, "generalised α", step)
    rows: list[tuple[Cell, ...]] = []
    for p in shown:
        found = _found(records, *p.curve, p.value)
        who = (p.library, p.model, p.method, p.setting)
        if found is None:
            rows.append((*who, "unstable", None, None, None))
            continue
        over = theirs["seconds"] / found["seconds"] if theirs else None
        errors = (f"{found[what]:.1e}" for what in ("tip", "bow"))
        rows.append((*who, 1e3 * found["seconds"], *errors, over))
    header = ("library", "model", "method", "steps", "ms for a simulated second")
    errors_of = ("error of the tip [m]", "error of the bow [m]")
    note = (
        "The last column is the time of Exudyn's floating frames at the same step over that of "
        "the row. Floating frames are Exudyn's row with modes."
    )
    return Table(
        f"Links with {model}, and other models, at {1e3 * step:g} ms",
        (*header, *errors_of, "floating frames over it"),
        tuple(rows),
        note,
    )


def _found(
    records: list[Record], library: str, model: str, method: str, value: float
) -> Record | None:
    wanted = (library, model, method, value)
    for r in records:
        if (r["library"], r["model"], r["method"], r["value"]) == wanted:
            return r
    return None


def modelling_table(exact: dict[str, PeerRun]) -> tuple[Table, dict[str, float]]:
    """Differences between converged models, and the largest between modes and the others.

    Parameters
    ----------
    exact : dict
        Converged motion of each model.
    """
    base = next(model for model in (f"8 {BEAMS}", BEAMS, SEGMENTS) if model in exact)
    rows: list[tuple[Cell, ...]] = []
    levels = {"tip": 0.0, "bow": 0.0}
    for model, motion in exact.items():
        if model == base:
            continue
        far = differences(motion, exact[base])
        rows.append((_counted(model), *(f"{far[what]:.1e}" for what in levels)))
        if model.endswith("modes"):
            levels = {what: max(levels[what], far[what]) for what in levels}
    largest = float(abs(exact[base].bows).max())
    note = (
        f"The bows are up to {largest:.1e} m. Segments and beam elements, which both follow "
        "large deformations, agree better the finer they are. Links with modes differ from both: "
        "they have no stiffening by tension, and more modes do not add it; level `stiffened` does."
    )
    title = f"Converged models: largest distance from {_counted(base)} in a link [m]"
    return Table(title, ("model", "tip", "bow"), tuple(rows), note), levels


def _counted(model: str) -> str:
    return f"4 {model}" if model in (BEAMS, SEGMENTS) else model


def way_table(records: list[Record], swept: Sequence[str], what: str, level: float) -> Table:
    """Cheapest run for a given error, for each model and library.

    Parameters
    ----------
    records : list of dict
        Measured records.
    swept : sequence of str
        Models that were run with many steps.
    what : {"tip", "bow"}
        Kind of error.
    level : float
        Difference between converged models [m].
    """
    records = [r for r in records if r["model"] in swept]
    groups = list(dict.fromkeys(_of(r) for r in records))
    groups.sort(key=lambda g: (g[0] != "lissom", g[0], swept.index(g[1])))
    rows: list[tuple[Cell, ...]] = []
    for target in TARGETS:
        best = {group: _cheapest(records, group, what, target) for group in groups}
        known = {group: r["seconds"] for group, r in best.items() if r is not None}
        if not known:
            continue
        first = min(known, key=lambda group: known[group])
        cells = (_way(r) if group[0] == "lissom" else _time(r) for group, r in best.items())
        rows.append((f"{target:.0e}", *cells, ", ".join(first)))
    header = tuple(f"{library}, {model}" for library, model in groups)
    note = (
        f"Milliseconds for a simulated second. {_losses(records, groups, what)} The converged "
        f"models differ by up to {level:.1e} m: rows below that compare integrations, not "
        "descriptions of the bars."
    )
    title = f"Cheapest run whose {what} is within an error of the converged one of its model"
    return Table(title, ("error [m]", *header, "cheapest"), tuple(rows), note)


def _of(record: Record) -> tuple[str, str]:
    return record["library"], record["model"]


def _cheapest(
    records: list[Record], group: tuple[str, str], what: str, target: float
) -> Record | None:
    good = [r for r in records if _of(r) == group and r[what] <= target]
    return min(good, key=lambda r: r["seconds"], default=None)


def _time(record: Record | None) -> Cell:
    return None if record is None else 1e3 * float(record["seconds"])


def _way(record: Record | None) -> Cell:
    if record is None:
        return None
    return f"{1e3 * record['seconds']:.3g} ({record['method']}, {record['setting']})"


def _losses(records: list[Record], groups: list[tuple[str, str]], what: str) -> str:
    """Text about the errors at which another library is cheaper than lissom's links with modes."""
    said = []
    for own in (g for g in groups if g[0] == "lissom" and g[1].endswith("modes")):
        lost: dict[str, list[str]] = {}
        for target in TARGETS:
            ours = _cheapest(records, own, what, target)
            for other in (g for g in groups if g[0] != "lissom"):
                theirs = _cheapest(records, other, what, target)
                if theirs and (ours is None or theirs["seconds"] < ours["seconds"]):
                    lost.setdefault(", ".join(other), []).append(f"{target:.0e}")
        words = "; ".join(f"{name} at {', '.join(targets)} m" for name, targets in lost.items())
        said.append(f"Cheaper than lissom's {own[1]}: {words or 'none of the other libraries'}.")
    return " ".join(said)
