"""Tables of the Order-N platform."""

from __future__ import annotations

from typing import Any

from ..result import Cell, Requirement, Table
from .runs import IMPLICIT_STEP, METHODS, PAPER, WAYS

Record = dict[str, Any]
Records = tuple[Record, ...]

WHOLE = 100.0  # simulated time to which all times are scaled [s]
LARGEST = 16  # number of the case with bounds


def _chosen(records: Records, **fixed: Any) -> list[Record]:
    return [r for r in records if all(r.get(name) == value for name, value in fixed.items())]


def _scaled(record: Record | None) -> float | None:
    """CPU seconds for `WHOLE`; None if the run ended early."""
    if record is None or record["status"] != "finished":
        return None
    return float(WHOLE * record["seconds"] / record["duration"])


def _ratio(one: float | None, other: float | None) -> float | None:
    return one / other if one and other else None


def _scientific(value: float | None) -> str | None:
    return None if value is None else f"{value:.1e}"


def _time(records: Records, case: int, way: str, method: str) -> float | None:
    found = _chosen(records, kind="time", case=case, way=way, method=method)
    return _scaled(found[0] if found else None)


def times_table(records: Records, way: str) -> Table:
    """Times of every case by both methods, next to those of the paper.

    Parameters
    ----------
    records : tuple of dict
        Measured records.
    way : str
        One of `WAYS`.
    """
    rows: list[tuple[Cell, ...]] = []
    cases = _chosen(records, kind="time", way=way, method="articulated")
    for r in cases:
        number = r["case"]
        rigid, modal = r["freedoms"]
        own = [_time(records, number, way, method) for method in METHODS]
        what = (number, "flexible" if r["flexible"] else "rigid", r["loops"])
        head = (*what, f"{rigid} + {modal}", *own, _ratio(*own))
        if way == WAYS[0]:
            paper = PAPER.get(number, (None, None))
            rows.append((*head, *paper, _ratio(*paper)))
        else:
            rows.append((*head, _ratio(_time(records, number, WAYS[0], "articulated"), own[0])))
    names = tuple(METHODS.values())
    header = ("case", "booms", "loops", "freedoms", *names, "ratio")
    paper_header = (*(f"{name}, paper" for name in names), "ratio, paper")
    more = paper_header if way == WAYS[0] else ("the paper's steps over it",)
    return Table(_times_title(way, cases), (*header, *more), tuple(rows), _times_note(cases))


def _times_title(way: str, cases: list[Record]) -> str:
    steps = ", ".join(f"{1e3 * s:g} ms" for s in sorted({r["step"] for r in cases}, reverse=True))
    how = {WAYS[0]: "Euler-Cromer and Baumgarte", WAYS[1]: "Generalized-alpha and projection"}
    return f"{how[way]}, {steps} [CPU s for {WHOLE:g} s of simulated time]"


def _times_note(cases: list[Record]) -> str:
    shortest = min((r["duration"] for r in cases if r["status"] == "finished"), default=0.0)
    measured = f"Measured over {shortest:g} s of simulated time"
    if shortest < WHOLE:
        measured += f" and scaled to {WHOLE:g} s"
    names = " over ".join(METHODS.values())
    return f"{measured}. Freedoms are rigid + flexible ones; the ratio is {names}."


def difference_table(records: Records) -> Table:
    """Distances between the methods, compared with the effect of the last bit of one coordinate.

    Parameters
    ----------
    records : tuple of dict
        Measured records.
    """
    rows: list[tuple[Cell, ...]] = []
    for r in _chosen(records, kind="difference"):
        times = _chosen(records, kind="time", case=r["case"], way=r["way"], method="articulated")
        gap = times[0]["gap"]
        sizes = (_scientific(x) for x in (r["methods"], r["last bit"], gap))
        rows.append((r["case"], r["way"], f"{r['duration']:g}", *sizes))
    header = (
        "case",
        "way",
        "simulated [s]",
        "O(N) from mass matrix [m]",
        "last bit of a coordinate [m]",
        "largest gap of a loop [m]",
    )
    note = (
        "Distances at the end, of the centre of the top plate or of the object, whichever is "
        "larger. The last bit is that of the first leg's elbow angle at the start: no method can "
        "be expected to agree with another better than with itself after such a change. Angles of "
        "a gap are multiplied by the system's length."
    )
    return Table("How far the two methods lead apart", header, tuple(rows), note)


def acceleration_table(records: Records) -> Table:
    """Largest relative difference of accelerations, compared with rounding.

    Parameters
    ----------
    records : tuple of dict
        Measured records.
    """
    rows: list[tuple[Cell, ...]] = [
        (r["case"], r["states"], f"{r['largest']:.1e}", f"{r['rounding']:.1e}")
        for r in _chosen(records, kind="accelerations")
    ]
    header = ("case", "states of a run", "largest relative difference", "rounding")
    note = (
        "The largest difference of an acceleration, relative to the largest acceleration of the "
        "state. Rounding is the unit roundoff times the condition number of the tree's mass "
        "matrix, the largest over the states: the possible effect of rounding its entries. "
        "The dense method corrects its solution once by inverse dynamics, which removes most of it."
    )
    return Table("Accelerations by the two methods", header, tuple(rows), note)


def implicit_table(records: Records) -> Table:
    """Cost and error of large steps.

    Parameters
    ----------
    records : tuple of dict
        Measured records.
    """
    found = _chosen(records, kind="implicit")
    bodies = [body for body in ("top", "object") if f"{body} error" in found[0]]
    names = {"top": "top plate", "object": "object"}
    rows: list[tuple[Cell, ...]] = []
    for r in found:
        errors = (_scientific(r[f"{body} error"]) for body in bodies)
        head = (r["way"], f"{1e3 * r['step']:g} ms", f"{r['duration']:g}")
        rows.append((*head, r["seconds"], r["wall seconds"], *errors))
    moved = " and ".join(f"{names[b]} {found[0][f'{b} moved']:.2g} m" for b in bodies)
    header = ("way", "steps", "simulated [s]", "CPU s", "seconds on the wall")
    note = (
        "Largest distances of the centres from a run by dop853 with rtol 1e-8 and projection, "
        f"over their common time. For comparison, the displacements: {moved}."
    )
    title = f"Case {found[0]['case']}, O(N): error against cost"
    return Table(
        title, (*header, *(f"error of the {names[b]} [m]" for b in bodies)), tuple(rows), note
    )


def requirements(records: Records) -> tuple[Requirement, ...]:
    """Bounds on the largest case.

    Parameters
    ----------
    records : tuple of dict
        Measured records.
    """
    times: dict[str, float | None] = {}
    for way in WAYS:
        found = _chosen(records, kind="implicit", case=LARGEST, way=way, status="finished")
        found = [r for r in found if way == WAYS[0] or r["step"] == IMPLICIT_STEP]
        whole = bool(found) and found[0]["duration"] >= WHOLE
        times[way] = found[0]["wall seconds"] if whole else None
    what = f"{WHOLE:g} s of case {LARGEST}, O(N)"
    return (
        *(_agreement(records, case) for case in (LARGEST - 4, LARGEST)),
        Requirement(
            "order-n explicit",
            f"{what}, Euler-Cromer, 0.1 ms",
            "at most",
            100.0,
            times[WAYS[0]],
            unit="s",
            aim=True,
        ),
        Requirement(
            "order-n implicit",
            f"{what}, generalized-alpha, 10 ms",
            "at most",
            5.0,
            times[WAYS[1]],
            unit="s",
            aim=True,
        ),
    )


def _agreement(records: Records, case: int) -> Requirement:
    found = _chosen(records, kind="accelerations", case=case)
    booms = "flexible" if case == LARGEST else "rigid"
    return Requirement(
        f"order-n accelerations, {booms}",
        f"accelerations of the two methods along a run of case {case}, relative difference",
        "at most",
        1e-10,
        found[0]["largest"] if found else None,
    )
