"""Figure of the times of calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..drawing import SEQUENCE, Records, new_panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MECHANISM = "rigid chain"
FORMS = ("state", "arrays", "evaluator", "Pinocchio")


def draw_calls(records: Records) -> Figure:
    """Microseconds of each call of the rigid chain, one panel per number of joints.

    Parameters
    ----------
    records : sequence of dict
        Records of the result "calls".
    """
    chain = [record for record in records if record.get("mechanism") == MECHANISM]
    sizes = sorted({record["n"] for record in chain})
    names = list(dict.fromkeys(record["quantity"] for record in chain))
    figure, (panels,) = new_panels(1, len(sizes), (9.0, 3.4))
    for panel, n in zip(panels, sizes, strict=True):
        own = [record for record in chain if record["n"] == n]
        for k, (form, colour) in enumerate(zip(FORMS, SEQUENCE, strict=False)):
            times = [_fastest(own, name, form) for name in names]
            places = np.arange(len(names)) + (k - 1.5) * 0.2
            panel.bar(places, times, 0.2, color=colour, label=form)
        panel.set_xticks(range(len(names)), [name.replace(" ", "\n") for name in names], fontsize=7)
        panel.set_title(f"{MECHANISM}, {n} joints", fontsize=9)
    panels[0].set_ylabel("µs per call")
    panels[0].legend(fontsize=7)
    return figure


def _fastest(records: list[dict[str, Any]], quantity: str, form: str) -> float:
    """Time of the fastest call whose form begins so [µs]; none is not drawn."""
    found = [
        record["seconds"]
        for record in records
        if record["quantity"] == quantity and record["form"].startswith(form)
    ]
    return 1e6 * min(found, default=float("nan"))
