"""Comparison of derivatives that users give with differences of their functions.

With F(h) and B(h) the differences forward and backward over a spacing h, an entry D is accepted if
  min(F, B) - e <= D <= max(F, B) + e                                                         (1)
for one of several spacings: the curvature of the function lies between F and B, and so do both of
its slopes where it has a corner.  e is rounding and a small part of F and B.  Where the function
jumps, differences grow as spacings shrink, and nothing is compared.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from weakref import WeakSet

import numpy as np

from ...algorithms.tree.coordinates import error_sizes, moved
from ...errors import LoadError
from ...system import System
from .plan import GivenDerivatives, Plan

Array = np.ndarray

SPACINGS = 1e-5, 1e-3  # of the differences, in sizes of coordinates and speeds
NEAR = 0.02  # second point at which they are compared, in the same units
PART = 1e-3  # difference that counts, as a part of the entry
ROUNDING = 1e-14  # of the values of the function
SMALL = 1e-6  # error that does not count, as a part of the largest entry in the row
JUMP = 10.0  # growth of a difference from the coarse spacing to the fine one that shows a jump
PARTS = "by_q", "by_v"


def check_given_derivatives(plan: Plan, q: Array, v: Array, t: float) -> None:
    """Refuse derivatives of the user's that differences contradict; once for each function."""
    if not plan.given_derivatives:
        return
    system = plan.system
    checked = system.derived.setdefault("checked derivatives", WeakSet())
    sizes, pace = error_sizes(system)
    signs = np.where(np.arange(system.n_v) % 2, -1.0, 1.0)
    near = moved(system, q, NEAR * signs * sizes), v + NEAR * np.roll(signs, 1) * pace
    for one in plan.given_derivatives:
        if one.function not in checked:
            _check_at(plan, one, q, v, t)
            _check_at(plan, one, *near, t)
            checked.add(one.function)
        plan.functions.taken()  # of a function that does not take states near the first


def _check_at(plan: Plan, one: GivenDerivatives, q: Array, v: Array, t: float) -> None:
    """Compare in one state; nothing if function or derivatives fail there, as the run will."""
    system, m, n = plan.system, len(one.names), plan.system.n_v
    value = _call(plan, int(one.row.address), int(one.row.which), m, t)
    derivatives = _call(plan, int(one.row.by_address), int(one.row.by_which), 2 * m * n, t)(q, v)
    middle = value(q, v)
    if derivatives is None or middle is None:
        return

    def at(name: str, k: int, h: float) -> Array | None:
        step = h * np.eye(n)[k]
        return value(moved(system, q, step), v) if name == "by_q" else value(q, v + step)

    for name, D, sizes in zip(
        PARTS, derivatives.reshape(2, m, n), error_sizes(system), strict=True
    ):
        least = SMALL * np.abs(D * sizes).max(axis=1, initial=0.0)
        for k, size in enumerate(sizes):
            pairs = [_bounds(partial(at, name, k), middle, s * size) for s in SPACINGS]
            bounds = [pair for pair in pairs if pair is not None]
            if len(bounds) == len(SPACINGS):
                wrong = _outside(D[:, k], least / size, bounds)
                for j in np.flatnonzero(wrong)[:1]:
                    raise _differs(
                        system, one, name, (int(j), k), D[j, k], np.mean(bounds[0], 0)[j]
                    )


def _bounds(
    along: Callable[[float], Array | None], middle: Array, h: float
) -> tuple[Array, Array] | None:
    """Lower and upper bound (1) of the derivatives; None if the function fails."""
    ahead, behind = along(h), along(-h)
    if ahead is None or behind is None:
        return None
    F, B = (ahead - middle) / h, (middle - behind) / h
    e = ROUNDING * np.maximum(np.abs(middle), np.abs(ahead)) / h
    e = e + PART * np.maximum(np.abs(F), np.abs(B))
    return np.minimum(F, B) - e, np.maximum(F, B) + e


def _outside(D: Array, least: Array, bounds: list[tuple[Array, Array]]) -> Array:
    """Entries that contradict the bounds of all spacings, and are not those of a jump."""
    wrong = np.ones(len(D), dtype=bool)
    for low, high in bounds:
        wrong &= (low - least > D) | (high + least < D)
    fine, coarse = (np.abs(np.mean(pair, axis=0)) for pair in bounds)
    return wrong & (fine <= JUMP * coarse)


def _call(
    plan: Plan, address: int, which: int, n: int, t: float
) -> Callable[[Array, Array], Array | None]:
    return lambda q, v: plan.functions.values(address, which, t, q, v, n)


def _differs(
    system: System,
    one: GivenDerivatives,
    name: str,
    place: tuple[int, int],
    entry: float,
    slope: float,
) -> LoadError:
    j, k = place
    along = "along the motion of" if name == "by_q" else "by"
    return LoadError(
        f"{one.what}: the derivatives contradict the function: {name}[{j}, {k}], of "
        f"{one.names[j]} {along} {system.layout.owner_v(k)}, is {entry:.6g}, but differences give "
        f"{slope:.6g}; correct it (columns are directions of the speeds, dq = N(q) e_k), or give "
        "the function without derivatives"
    )
