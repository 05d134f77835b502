"""Cost of a rod as a link, beside a beam with the same functions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from lissom.algorithms import forward_dynamics_batch
from lissom.joints import Revolute
from lissom.model import Model
from lissom.structures import ALUMINIUM, Tube, beam, rod

from ..cases import moving_case
from ..depth import Depth
from ..result import Cell, Requirement, Table
from ..timing import best_times

DEFAULT = (4, 2, 1)
FUNCTIONS = ((2, 0, 0), (3, 2, 0), (4, 2, 0), DEFAULT, (6, 4, 0))  # bending a plane, torsion, ...
KINDS = ("full", "stiffened", "rod")
LINKS = 10


def chain(kind: str, functions: tuple[int, int, int]) -> Model:
    """Ten equal tubes on revolute joints about x, y and z in turn.

    Parameters
    ----------
    kind : {"full", "stiffened", "rod"}
        Level of beams, or rods.
    functions : tuple of int
        Functions of bending in each plane, of torsion and of stretch.
    """
    bending, torsion, stretch = functions
    tube = (3.0, Tube(radius=0.08, thickness=0.003), ALUMINIUM)
    asked: Any = {"bending": (bending, bending), "torsion": torsion, "stretch": stretch}
    body: Any = rod(*tube, **asked) if kind == "rod" else beam(*tube, level=kind, **asked)
    model = Model("chain")
    for k in range(LINKS):
        where: Any = {"to": f"link{k - 1}.tip"} if k else {}
        model.add(body, Revolute("xyz"[k % 3]), name=f"link{k}", **where)
    return model


def cost_table(
    depth: Depth, progress: Callable[[int, int], None]
) -> tuple[Table, list[dict[str, Any]], Requirement]:
    """Microseconds of a link in forward dynamics, records and the requirement.

    Parameters
    ----------
    depth : Depth
        Measurement depth.
    progress : callable
        Called with (visits done, total visits).
    """
    calls, sizes = {}, {}
    for functions in FUNCTIONS if depth.name != "quick" else (DEFAULT,):
        for kind in KINDS:
            case = moving_case(chain(kind, functions))
            sizes[functions, kind] = case.size * LINKS
            given = (case.system, case.many_q, case.many_v, case.many_forces)
            out = np.empty_like(case.many_v)
            calls[functions, kind] = functools.partial(forward_dynamics_batch, *given, out=out)
    best = best_times(calls, depth, progress=progress)
    each = {key: seconds / sizes[key] for key, seconds in best.items()}
    rows: list[tuple[Cell, ...]] = []
    for functions in dict.fromkeys(f for f, _ in each):
        full, stiffened, exact = (each[functions, kind] for kind in KINDS)
        words = "{} + {}, {}, {}".format(functions[0], *functions)
        micro = (1e6 * full, 1e6 * stiffened, 1e6 * exact)
        rows.append((words, 2 * functions[0] + sum(functions[1:]), *micro, exact / full))
    header = ("bending, torsion, stretch", "coordinates", "beam, full", "beam, stiffened", "rod")
    note = "Forward dynamics of a batch of states, time of a state over the ten links."
    table = Table("Cost of a link [µs]", (*header, "rod over full"), tuple(rows), note)
    records = [
        {"what": "cost", "functions": list(functions), "kind": kind, "seconds": seconds}
        for (functions, kind), seconds in each.items()
    ]
    return table, records, _requirement(each)


def _requirement(each: dict[tuple[tuple[int, int, int], str], float]) -> Requirement:
    ratio = each[DEFAULT, "rod"] / each[DEFAULT, "full"]
    what = "cost of a rod with the default functions over that of a beam at level full"
    return Requirement("rod, cost", what, "at most", 3.5, ratio, "", "×")
