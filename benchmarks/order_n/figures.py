"""Figures of the Order-N platform."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..drawing import BLUE, GREEN, ORANGE, RED, Records, new_panels
from .runs import METHODS, PAPER, WAYS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TICKS = (0.3, 0.5, 1.0, 2.0, 3.0)
OUTSIDE: Any = {"fontsize": 7, "loc": "center left", "bbox_to_anchor": (1.0, 0.5)}


def draw_times(records: Records) -> Figure:
    """Time of O(N) over that of the mass matrix against degrees of freedom, here and in the paper.

    Parameters
    ----------
    records : tuple of dict
        Measured records.
    """
    from matplotlib.ticker import NullFormatter

    rows = [r for r in records if r["kind"] == "time" and r["status"] == "finished"]
    figure, (panels,) = new_panels(1, 2, (9.5, 3.6), sharey=True)
    for panel, closed in zip(panels, (False, True), strict=True):
        here = [r for r in rows if (r["loops"] > 0) == closed]
        for way, style, name in (
            (WAYS[0], "o-", "lissom, the paper's steps"),
            (WAYS[1], "s:", "lissom, generalized-alpha"),
        ):
            panel.semilogy(
                *_ratios([r for r in here if r["way"] == way]), style, color=BLUE, label=name
            )
        panel.semilogy(*_paper(here), "P-", color=ORANGE, label="the paper")
        panel.axhline(1.0, color="grey", linewidth=1)
        panel.set(xlabel="freedoms", title="closed loops" if closed else "trees")
    panels[0].yaxis.set_minor_formatter(NullFormatter())
    panels[0].set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])
    panels[0].set_ylabel(" over ".join(METHODS.values()))
    panels[1].legend(**OUTSIDE)
    return figure


def _ratios(rows: list[dict[str, Any]]) -> tuple[list[int], list[float]]:
    """Degrees of freedom and ratios of the two methods' times, sorted."""
    seconds = {(r["case"], r["method"]): r["seconds"] / r["duration"] for r in rows}
    sizes = {r["case"]: sum(r["freedoms"]) for r in rows}
    points = [
        (size, seconds[case, "articulated"] / seconds[case, "composite"])
        for case, size in sizes.items()
        if all((case, method) in seconds for method in METHODS)
    ]
    return _sorted(points)


def _paper(rows: list[dict[str, Any]]) -> tuple[list[int], list[float]]:
    sizes = {r["case"]: sum(r["freedoms"]) for r in rows if r["case"] in PAPER}
    return _sorted([(size, PAPER[case][0] / PAPER[case][1]) for case, size in sizes.items()])


def _sorted(points: list[tuple[int, float]]) -> tuple[list[int], list[float]]:
    ordered = sorted(points)
    return [x for x, _ in ordered], [y for _, y in ordered]


def draw_motion(records: Records) -> Figure:
    """Displacements of plate and object by both methods, and the acceleration of a leg's joint.

    Parameters
    ----------
    records : tuple of dict
        Measured records.
    """
    one, other, *rigid = [r for r in records if r["kind"] == "motion"]
    figure, ((left, right),) = new_panels(1, 2, (11.0, 3.8))
    for body, name, width in (("top", "top plate", 1.6), ("object", "object", 0.8)):
        if body not in one:
            continue
        for axis, colour in enumerate((BLUE, ORANGE, GREEN)):
            label = f"{name}, {'xyz'[axis]}"
            left.plot(*_moved(one, body, axis), color=colour, linewidth=width, label=label)
            left.plot(*_moved(other, body, axis), "k:", linewidth=0.9)
    left.set(xlabel="time [s]", ylabel="displacement [m]")
    left.set_title(f"case {one['case']}: O(N), and mass matrix dotted", fontsize=9)
    left.legend(fontsize=6)
    for r, colour in zip((one, *rigid), (BLUE, RED), strict=False):
        right.plot(r["time"], r["pitch"], color=colour, linewidth=0.8, label=f"case {r['case']}")
    right.set(xlabel="time [s]", ylabel="rad/s²")
    right.set_title("leg 2, lower pitch joint: acceleration, every 0.1 s", fontsize=9)
    right.legend(fontsize=7)
    return figure


def _moved(record: dict[str, Any], body: str, axis: int) -> tuple[list[float], list[float]]:
    """Times and displacements of a body along an axis."""
    places = [row[axis] for row in record[body]]
    return record["time"], [place - places[0] for place in places]
