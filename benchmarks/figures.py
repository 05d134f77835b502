"""Figures of results, drawn by Matplotlib."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .batches import draw_batches
from .calls.figures import draw_calls
from .drawing import BLUE, GREEN, ORANGE, SEQUENCE, STYLE, Records, new_panels, values
from .linear import draw_linear
from .order_n.figures import draw_motion, draw_times
from .result import Result
from .rods.figures import draw_rods
from .simulation.figures import draw_bows, draw_drift, draw_rigid, draw_tips
from .structures import draw_structures
from .sweeps import draw_sweeps
from .symbolic.figures import draw_symbolic

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def file_names(result: Result) -> list[str]:
    """Names of the files of a result's figures.

    Parameters
    ----------
    result : Result
        Measured result.
    """
    return [f"{result.name}{more}.svg" for more in DRAWINGS[result.name]]


def save(result: Result, folder: Path) -> list[Path]:
    """Draw a result and write it as SVG.

    Parameters
    ----------
    result : Result
        Measured result.
    folder : pathlib.Path
        Destination, which must exist.

    Returns
    -------
    list of pathlib.Path
        Paths of the files, named after the result.
    """
    import matplotlib

    paths = [folder / name for name in file_names(result)]
    for path, figure in zip(paths, DRAWINGS[result.name].values(), strict=True):
        with matplotlib.rc_context(STYLE):
            drawn = figure(result.records)
            drawn.savefig(path, metadata={"Date": None}, bbox_inches="tight")
    return paths


def _selected(records: Records, x: str, y: str, **fixed: Any) -> tuple[list[Any], list[Any]]:
    """Columns x and y, sorted by x, of the records with the given values and a value of y."""
    rows = [r for r in records if all(r[k] == v for k, v in fixed.items()) and r[y] is not None]
    rows.sort(key=lambda r: r[x])
    return [r[x] for r in rows], [r[y] for r in rows]


def _micro(seconds: list[float]) -> list[float]:
    return [1e6 * s for s in seconds]


def _rigid(records: Records) -> Figure:
    """Time against joints: mechanisms in rows, quantities in columns."""
    mechanisms = values(records, "mechanism")
    quantities = ("forward dynamics", "inverse dynamics", "mass matrix")
    curves = (
        ("lissom", "batch", "lissom, batch", BLUE, "o-"),
        ("lissom", "call", "lissom, call", BLUE, "o:"),
        ("Pinocchio", "batch", "Pinocchio, batch", ORANGE, "s-"),
        ("Pinocchio", "call", "Pinocchio, call", ORANGE, "s:"),
        ("MuJoCo", "call", "MuJoCo, call", GREEN, "^:"),
    )
    figure, panels = new_panels(len(mechanisms), 3, (9.0, 7.0), sharex=True, sharey=True)
    for row, mechanism in enumerate(mechanisms):
        for column, quantity in enumerate(quantities):
            panel = panels[row, column]
            here = tuple(
                r for r in records if (r["mechanism"], r["quantity"]) == (mechanism, quantity)
            )
            for library, form, label, colour, style in curves:
                best = _smallest(here, library, form)
                if best:
                    panel.loglog(
                        list(best), _micro(list(best.values())), style, color=colour, label=label
                    )
            panel.set_title(f"{mechanism}: {quantity}", fontsize=9)
    for panel in panels[-1]:
        panel.set_xlabel("joints")
    for panel in panels[:, 0]:
        panel.set_ylabel("µs per state")
    panels[0, 0].legend(fontsize=7)
    return figure


def _smallest(records: Records, library: str, form: str) -> dict[int, float]:
    """Smallest time for each size, over the forms that begin with `form`."""
    best: dict[int, float] = {}
    for r in records:
        if r["library"] == library and r["form"].startswith(form):
            best[r["n"]] = min(r["seconds"], best.get(r["n"], np.inf))
    return dict(sorted(best.items()))


def _flexible(records: Records) -> Figure:
    """Time per link against links, and time against modes."""
    figure, ((left, right),) = new_panels(1, 2, (9.0, 3.6))
    shared = {"level": "linear", "form": "batch"}
    outside: Any = {"fontsize": 7, "loc": "center left", "bbox_to_anchor": (1.0, 0.5)}
    linear = tuple(r for r in records if r["level"] == "linear")
    for colour, m in zip(SEQUENCE, values(linear, "modes"), strict=False):
        x, y = _selected(records, "links", "seconds", modes=m, **shared)
        each = [t / n for t, n in zip(_micro(y), x, strict=True)]
        left.semilogx(x, each, "o-", color=colour, label=str(m), markersize=3)
    left.set(xlabel="links", ylabel="µs per state and link", title="linear, batch")
    left.set_ylim(bottom=0)
    left.legend(title="modes", **outside)
    for colour, n in zip(SEQUENCE, values(linear, "links"), strict=False):
        x, y = _selected(records, "modes", "seconds", links=n, **shared)
        right.semilogy(x, _micro(y), "o-", color=colour, label=str(n), markersize=3)
    right.set(xlabel="modes per link", ylabel="µs per state", title="linear, batch")
    right.legend(title="links", reverse=True, **outside)
    return figure


def _counts(records: Records) -> Figure:
    """Operations up to ten modes (the axes of the paper's Figure 2), and times for all modes."""
    figure, ((left, right),) = new_panels(1, 2, (9.0, 3.6))
    few = tuple(r for r in records if r["modes"] <= 10)
    for method, colour in (("articulated", BLUE), ("composite", ORANGE)):
        for column, style, who in (("paper", "--", "paper"), ("own", "o-", "lissom")):
            x, y = _selected(few, "modes", column, method=method)
            left.plot(x, y, style, color=colour, label=f"{method}, {who}", markersize=3)
        x, y = _selected(records, "modes", "seconds", method=method)
        right.semilogy(x, _micro(y), "o-", color=colour, label=method, markersize=3)
    left.set(xlabel="modes per body", ylabel="operations", title="ten bodies: operations")
    right.set(xlabel="modes per body", ylabel="µs per state", title="ten bodies: time")
    left.legend(fontsize=7)
    right.legend(fontsize=7)
    return figure


def _crossover(records: Records) -> Figure:
    """Heat map of composite over articulated; letters for the choice of auto."""
    links, modes = sorted(values(records, "links")), sorted(values(records, "modes"))
    ratio = np.full((len(links), len(modes)), np.nan)
    figure, ((panel,),) = new_panels(1, 1, (7.0, 4.5))
    for r in records:
        row, column = links.index(r["links"]), modes.index(r["modes"])
        ratio[row, column] = r["composite seconds"] / r["articulated seconds"]
        wrong, dark = r["loss"] > 1.05, abs(np.log2(ratio[row, column])) > 2.0
        panel.text(
            column,
            row,
            r["chosen"][0] + ("!" if wrong else ""),
            ha="center",
            va="center",
            fontsize=8,
            color="white" if dark else "black",
            fontweight="bold" if wrong else "normal",
        )
    reach = max(1.0, float(np.nanmax(np.abs(np.log2(ratio)))))
    limits = {"vmin": -min(reach, 3.0), "vmax": min(reach, 3.0)}
    image = panel.imshow(np.log2(ratio), cmap="RdBu", origin="lower", aspect="auto", **limits)
    bar = figure.colorbar(image, ax=panel, extend="both")
    bar.set_label("log2 of composite over articulated (blue: articulated is faster)")
    panel.set_xticks(range(len(modes)), modes)
    panel.set_yticks(range(len(links)), links)
    panel.grid(False)
    panel.set(xlabel="modes per link", ylabel="links")
    panel.set_title(
        "auto: a articulated, c composite, ! the better one is faster by over 5 %", fontsize=9
    )
    return figure


def _batch(records: Records) -> Figure:
    """Time per state against the size of the batch, one panel per mechanism."""
    from matplotlib.ticker import NullFormatter, ScalarFormatter

    mechanisms = values(records, "mechanism")
    figure, (panels,) = new_panels(1, len(mechanisms), (9.0, 3.2))
    for panel, mechanism in zip(panels, mechanisms, strict=True):
        for colour, threads in zip(SEQUENCE, values(records, "threads"), strict=False):
            x, y = _selected(records, "states", "seconds", mechanism=mechanism, threads=threads)
            panel.loglog(x, _micro(y), "o-", color=colour, label=f"threads: {threads}")
        panel.set(xlabel="states in the batch")
        panel.yaxis.set_major_formatter(ScalarFormatter())
        panel.yaxis.set_minor_formatter(NullFormatter())
        panel.set_title(mechanism, fontsize=9)
    panels[0].set_ylabel("µs per state")
    panels[0].legend(fontsize=7)
    return figure


# Functions that draw a result, by the suffix of the file name.
def _loops(records: Records) -> Figure:
    """Time per window against windows."""
    figure, ((panel,),) = new_panels(1, 1, (5.0, 3.4))
    for colour, name in zip((BLUE, ORANGE), values(records, "mechanism"), strict=True):
        x, y = _selected(records, "windows", "seconds", mechanism=name)
        each = [t / n for t, n in zip(_micro(y), x, strict=True)]
        panel.semilogx(x, each, "o-", color=colour, label=name, markersize=3)
    panel.set(xlabel="windows", ylabel="µs per window", title="forward dynamics")
    panel.set_ylim(bottom=0)
    panel.legend(fontsize=7)
    return figure


def _derivatives(records: Records) -> Figure:
    """Time against joints: mechanisms in columns, quantities in rows."""
    mechanisms = [m for m in values(records, "mechanism") if m != "flexible chain"]
    quantities = ("inverse", "forward")
    curves = (
        ("evaluator", "lissom, evaluator", BLUE, "o-"),
        ("loop", "lissom, loop", BLUE, "o:"),
        ("Pinocchio", "Pinocchio", ORANGE, "s-"),
    )
    size = len(quantities), len(mechanisms)
    figure, axes = new_panels(*size, (9.0, 5.0), sharex=True, sharey=True)
    for row, quantity in zip(axes, quantities, strict=True):
        for ax, mechanism in zip(row, mechanisms, strict=True):
            own = tuple(
                {**r, "n": int(r["size"])}
                for r in records
                if (r["mechanism"], r["quantity"]) == (mechanism, quantity)
            )
            for form, label, color, style in curves:
                n, seconds = _selected(own, "n", "seconds", form=form)
                ax.loglog(n, _micro(seconds), style, color=color, label=label)
            ax.set_title(f"{mechanism}: {quantity} dynamics", fontsize=9)
            ax.set_xlabel("joints")
            ax.set_ylabel("time [µs]")
    axes[0][0].legend(fontsize=7)
    return figure


def _gradients(records: Records) -> Figure:
    """Time of gradients over that of runs alone, and the aim."""
    figure, ((panel,),) = new_panels(1, 1, (7.0, 0.5 + 0.3 * len(records)))
    names = [f"{r['links']}, {r['method'].replace('_', ' ')}" for r in records]
    ratios = [r["gradient"] / r["run"] for r in records]
    bars = panel.barh(names, ratios, color=BLUE, height=0.6)
    panel.bar_label(bars, [f"{x:.1f}" for x in ratios], padding=3, fontsize=8)
    panel.axvline(5.0, color=ORANGE, linewidth=1)
    panel.invert_yaxis()
    panel.set(xlabel="time of value and gradient, in runs", xlim=(0, 1.1 * max(ratios)))
    panel.tick_params(labelsize=8)
    return figure


DRAWINGS: dict[str, dict[str, Callable[[Records], Figure]]] = {
    "rigid": {"": _rigid},
    "calls": {"": draw_calls},
    "derivatives": {"": _derivatives},
    "linear": {"": draw_linear},
    "sensitivities": {"": _gradients},
    "flexible": {"": _flexible},
    "counts": {"": _counts},
    "crossover": {"": _crossover},
    "batch": {"": _batch},
    "batches": {"": draw_batches},
    "loops": {"": _loops},
    "simulate-rigid": {"": draw_rigid},
    "simulate-flexible": {"": draw_tips, "-bow": draw_bows},
    "rods": {"": draw_rods},
    "drift": {"": draw_drift},
    "order-n": {"": draw_times, "-motion": draw_motion},
    "symbolic": {"": draw_symbolic},
    "structures": {"": draw_structures},
    "sweeps": {"": draw_sweeps},
    "starts": {},
}
