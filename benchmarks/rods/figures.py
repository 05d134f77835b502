"""Figure of the motions of rods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..drawing import BLUE, GREEN, ORANGE, RED, SKY, Records, new_panels, values
from ..simulation.figures import OUTSIDE
from ..simulation.swinging_runs import GENERALIZED_ALPHA
from .runs import ADAPTIVE, EXPLICIT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS = {
    GENERALIZED_ALPHA: ("lissom, generalized_alpha", BLUE, "o"),
    ADAPTIVE: ("lissom, generalized_alpha, adaptive", SKY, "o"),
    EXPLICIT: ("lissom, dop853", GREEN, "D"),
    "generalised α, Newton 1e-06": ("Exudyn, Newton 1e-6", RED, "X"),
    "generalised α, Newton 1e-04": ("Exudyn, Newton 1e-4", ORANGE, "X"),
}


def draw_rods(records: Records) -> Figure:
    """Time against error of all runs; lines join the fastest of each library.

    Parameters
    ----------
    records : tuple of dict
        Records of the benchmark.
    """
    runs = tuple(r for r in records if r["what"] == "run")
    motions = values(runs, "motion")
    figure, (panels,) = new_panels(1, len(motions), (3.4 * len(motions) + 2.2, 4.2))
    for panel, motion in zip(panels, motions, strict=True):
        here = tuple(r for r in runs if r["motion"] == motion)
        for method, (label, colour, mark) in METHODS.items():
            points = [(r["error"], 1e3 * r["seconds"]) for r in here if r["method"] == method]
            if points:
                x, y = zip(*points, strict=True)
                panel.loglog(
                    x, y, mark, color=colour, label=label, markersize=3, alpha=0.6, linewidth=0
                )
        for library, colour in (("lissom", BLUE), ("Exudyn", RED)):
            panel.plot(*_front(here, library), "-", color=colour, linewidth=1.5)
        panel.set(xlabel="error / length", title=motion)
    panels[0].set_ylabel("ms for the motion")
    panels[-1].legend(**OUTSIDE)
    return figure


def _front(records: Records, library: str) -> tuple[list[float], list[float]]:
    """Errors and milliseconds of runs that no other of the library beats in both."""
    found = sorted((r["seconds"], r["error"]) for r in records if r["library"] == library)
    x, y, best = [], [], float("inf")
    for seconds, error in found:
        if error < best:
            best = error
            x.append(error)
            y.append(1e3 * seconds)
    return x, y
