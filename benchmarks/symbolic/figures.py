"""Figure of the symbolic equations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..drawing import BLUE, GREEN, ORANGE, PURPLE, RED, Records, new_panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WAYS = {"lissom": (BLUE, "o"), "Kane": (ORANGE, "s"), "Lagrange": (GREEN, "^")}
LINES = {"general": "-", "straight": ":"}
FORMS = {
    "C": (ORANGE, "s-"),
    "Numba": (GREEN, "^-"),
    "NumPy": (RED, "v-"),
    "CasADi": (PURPLE, "d-"),
    "engine batch": (BLUE, "o-"),
    "engine call": (BLUE, "o:"),
}


def draw_symbolic(records: Records) -> Figure:
    """Seconds and operations of the equations against links, times of programs against joints.

    Parameters
    ----------
    records : tuple of dict
        Records of the benchmark.
    """
    figure, ((left, middle, right),) = new_panels(1, 3, (10.0, 3.6))
    derived = [r for r in records if r["part"] == "derivation"]
    for panel, column in ((left, "seconds"), (middle, "operations")):
        for way, (colour, marker) in WAYS.items():
            for kind, line in LINES.items():
                rows = [r for r in derived if (r["way"], r["kind"]) == (way, kind)]
                label = f"{way}, {kind}"
                _curve(panel, "links", column, rows, f"{marker}{line}", colour, label)
        panel.set(xlabel="links", title="deriving a chain", ylabel=column)
        panel.xaxis.get_major_locator().set_params(integer=True)
    programs = [r for r in records if r["part"] == "program" and r["mechanism"].startswith("chain")]
    for form, (colour, style) in FORMS.items():
        rows = [r for r in programs if (r["form"], r["quantity"]) == (form, "forward dynamics")]
        micro = [r | {"micro": 1e6 * r["seconds"]} for r in rows]
        _curve(right, "joints", "micro", micro, style, colour, form)
    right.set_xscale("log")
    sizes = sorted({r["joints"] for r in programs})
    right.set_xticks(sizes, sizes)
    right.set_xticks([], minor=True)
    right.set(xlabel="joints", ylabel="µs per state", title="forward dynamics of a chain")
    shown: Any = {"loc": "outside lower left", "ncols": len(WAYS) * len(LINES), "fontsize": 7}
    figure.legend(*left.get_legend_handles_labels(), **shown)
    right.legend(fontsize=7)
    return figure


def _curve(
    panel: Any, x: str, y: str, rows: list[dict[str, Any]], style: str, colour: str, label: str
) -> None:
    if rows:
        points = sorted((r[x], r[y]) for r in rows)
        panel.semilogy(*zip(*points, strict=True), style, color=colour, label=label, markersize=4)
