"""Figures of the simulations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..drawing import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    RED,
    SKY,
    Records,
    new_panels,
    values,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OUTSIDE: Any = {"fontsize": 7, "loc": "center left", "bbox_to_anchor": (1.0, 0.5)}

# Line of each method, for lissom's links with modes.
METHODS = {
    "generalized_alpha": "o-",
    "generalized_alpha, adaptive": "o:",
    "rk4": "s-",
    "dop853": "D-",
    "linearly_implicit_euler": "v--",
    "euler_cromer": "^--",
}


def draw_rigid(records: Records) -> Figure:
    """Time for a simulated second against joints.

    Parameters
    ----------
    records : tuple of dict
        Records of the benchmark.
    """
    from matplotlib.ticker import NullFormatter

    styles = {
        "lissom": (BLUE, "o-"),
        "lissom, dop853": (BLUE, "D:"),
        "MuJoCo": (GREEN, "^-"),
        "Pinocchio": (ORANGE, "s-"),
        "Exudyn": (RED, "v-"),
    }
    figure, ((panel,),) = new_panels(1, 1, (5.5, 3.6))
    for who, (colour, style) in styles.items():
        rows = sorted((r["n"], 1e3 * r["seconds"]) for r in records if r["who"] == who)
        if rows:
            label = who if "dop853" in who else f"{who}, RK4 1 ms"
            panel.loglog(*zip(*rows, strict=True), style, color=colour, label=label)
    sizes = sorted(values(records, "n"))
    panel.xaxis.set_minor_formatter(NullFormatter())
    panel.set_xticks(sizes, [str(n) for n in sizes])
    panel.set(xlabel="joints", ylabel="ms for a simulated second", title="rigid chain")
    panel.legend(**OUTSIDE)
    return figure


def draw_tips(records: Records) -> Figure:
    """Time against the error of the tip; parameters as for `draw_rigid`."""
    return _errors(records, "tip", "error of the tip [m]")


def draw_bows(records: Records) -> Figure:
    """Time against the error of the bows; parameters as for `draw_rigid`."""
    return _errors(records, "bow", "error of the bow [m]")


def _errors(records: Records, what: str, label: str) -> Figure:
    """One panel for each number of modes with curves; other models appear in all of them."""
    models = [m for m in values(records, "model") if m.endswith("modes")]
    swept = [m for m in models if len(_curve(records, "lissom", m, "dop853", what)) > 1]
    swept.sort(key=lambda m: int(m.split()[0]))
    shown = swept[:2] or models[:1]
    size = (4.2 * len(shown) + 2.2, 4.8)
    figure, (panels,) = new_panels(1, len(shown), size, sharex=True, sharey=True)
    for panel, model in zip(panels, shown, strict=True):
        for key, (name, colour, style) in _styles(model).items():
            points = _curve(records, *key, what)
            if points:
                panel.loglog(
                    *zip(*points, strict=True), style, color=colour, label=name, markersize=3.5
                )
        level = records[0]["modelling"][what]
        panel.axvline(level, color="grey", linewidth=3, alpha=0.4, label="models differ")
        panel.set(xlabel=label, title=f"links with {model}, and other models")
    panels[0].set_ylabel("ms for a simulated second")
    panels[-1].legend(**OUTSIDE)
    return figure


def _styles(model: str) -> dict[tuple[str, str, str], tuple[str, str, str]]:
    """Name, colour and line of each curve: (library, model, method) -> ..."""
    own = {
        ("lissom", model, method): (f"lissom, modes: {method}", BLUE, style)
        for method, style in METHODS.items()
    }
    return own | {
        **{
            ("lissom", "3 shapes, stiffened", method): (f"lissom, stiffened: {method}", BLACK, line)
            for method, line in METHODS.items()
            if method in ("generalized_alpha", "rk4", "dop853")
        },
        ("Exudyn", model, "generalised α"): ("Exudyn, floating frames", ORANGE, "P-"),
        ("Exudyn", "beam elements", "generalised α"): ("Exudyn, beam elements", RED, "X-"),
        ("MuJoCo", "segments", "rk4"): ("MuJoCo, segments: RK4", GREEN, "s-"),
        ("Pinocchio", "segments", "rk4"): ("Pinocchio, segments: RK4", PURPLE, "s-"),
        ("lissom", "segments", "rk4"): ("lissom, segments: rk4", SKY, "s-"),
        ("lissom", "segments", "dop853"): ("lissom, segments: dop853", SKY, "D-"),
        ("lissom", "segments", "generalized_alpha"): (
            "lissom, segments: generalized_alpha",
            SKY,
            "o-",
        ),
    }


def _curve(
    records: Records, library: str, model: str, method: str, what: str
) -> list[tuple[float, float]]:
    """Errors and milliseconds, from small steps to large steps."""
    key = (library, model, method)
    rows = [r for r in records if (r["library"], r["model"], r["method"]) == key]
    rows.sort(key=lambda r: r["value"])
    return [(r[what], 1e3 * r["seconds"]) for r in rows]


def draw_drift(records: Records) -> Figure:
    """Drift of energy and of angular momentum against time; parameters as for `draw_rigid`."""
    colours = {
        "generalized_alpha, spectral radius 0.8": BLUE,
        "generalized_alpha, spectral radius 1": ORANGE,
        "linearly_implicit_euler": PURPLE,
        "rk4": GREEN,
        "dop853": BLACK,
    }
    lines = {"1 ms": "-", "5 ms": "--", "20 ms": ":", "rtol 1e-8": "-", "rtol 1e-10": "--"}
    figure, (panels,) = new_panels(1, 2, (10.5, 4.4), sharey=True)
    for r in records:
        for panel, what in zip(panels, ("energy", "momentum"), strict=True):
            panel.semilogy(
                r["time"][1:],
                [max(abs(x), 1e-16) for x in r[what][1:]],
                lines[r["setting"]],
                color=colours[r["method"]],
                label=f"{r['method']}, {r['setting']}",
                linewidth=1.2,
            )
    panels[0].set(xlabel="time [s]", ylabel="relative drift", title="energy")
    panels[1].set(xlabel="time [s]", title="angular momentum")
    panels[1].legend(**OUTSIDE)
    return figure
