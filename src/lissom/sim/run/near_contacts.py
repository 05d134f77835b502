"""The list of near contacts of a run, in its memory; see `kernels.run.near`."""

from __future__ import annotations

import math

import numpy as np

from ...kernels.layout.contact import NearRecord
from .plan import Plan

Array = np.ndarray


def reserve_near(plan: Plan) -> None:
    """Reserve the list, which holds all contacts until a run makes it."""
    if plan.rows["pairs"] and not plan.near:
        first, n = np.zeros(NearRecord.size), len(plan.contacts)
        near = NearRecord(first, 0)
        near.least, near.wide, near.margin, near.count = plan.margin, 1.0, math.inf, n
        plan.near = plan.reserve(NearRecord.size + n, [*first, *range(n)])


def near_parts(plan: Plan, memory: Array) -> list[int]:
    """Numbers of the contacts among `Plan.contact_parts` of which a point is listed."""
    if not plan.near:
        return list(range(len(plan.contact_parts)))
    start = plan.near + NearRecord.size
    listed = memory[start : start + int(NearRecord(memory, plan.near).count)].astype(int)
    firsts = np.array([first for _, first, _ in plan.contact_parts])
    return [int(k) for k in np.unique(np.searchsorted(firsts, listed, side="right") - 1)]
