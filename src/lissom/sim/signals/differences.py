"""Derivatives of a user's function of time by finite differences with adapted spacing.

Nine instants t + j h, central or on one side, for h halved again and again:
  D_k(h) = sum w_kj f(t + j h) / h^k                                                           (1)
  E(h) = |D(h) - D(h/2)|                                                                       (2)
The result is D(h/2) for the h with the smallest E, which bounds the error both where h is too long
for the function and where rounding dominates.  A vibration whose period divides h looks constant at
all sample points, so h is accepted only if the polynomial also matches the function between them.

Where central differences fail for all h, the function is rough within a few microseconds.  It is
then differentiated from both sides: a jump of the acceleration is normal for a motor; a jump of
position or velocity would need an infinite force and is refused.  The result depends on t alone, so
that a resumed run continues bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...errors import LoadError

Array = np.ndarray
Function = Callable[[float], Array]

COARSEST = 1e-2  # [s] first spacing, rounded down to a power of two
_HALVINGS = 16
_MET = 1e-3  # tolerance of the match, as a fraction of the range of the values
_GOOD, _USABLE = 1e-11, 1e-6  # relative errors: end the search, acceptable
_JUMP = 1e-3  # relative change of the velocity that counts as a jump


class Precision(NamedTuple):
    """Precision of the highest derivative at an instant."""

    error: float  # as estimated
    size: float  # its largest number
    of_time: bool  # whether the rounding of times explains the error


def precision_at(function: Function, t: float, orders: int, spacing: float) -> Precision:
    """Precision of the derivatives of a function at an instant."""
    noted: list[Precision] = []
    _searched(function, t, orders, _CENTRAL, spacing, noted)
    return noted[0] if noted else Precision(0.0, 0.0, of_time=False)


class _Stencil(NamedTuple):
    """Sample points in units of h, weights of both derivatives, weights of a point between."""

    places: tuple[float, ...]
    weights: tuple[tuple[float, ...], tuple[float, ...]]
    between: float
    middle: tuple[float, ...]


def _stencil(places: Array, between: float) -> _Stencil:
    powers = np.vander(places, increasing=True).T  # (power, place)
    sides = np.zeros((9, 3))
    sides[1, 0], sides[2, 1] = 1.0, 2.0
    sides[:, 2] = between ** np.arange(9)
    first, second, middle = (tuple(w) for w in np.linalg.solve(powers, sides).T.tolist())
    return _Stencil(tuple(places.tolist()), (first, second), between, middle)


_CENTRAL = _stencil(np.arange(-4.0, 5.0), 0.41421356)
_AFTER, _BEFORE = _stencil(np.arange(9.0), 3.41421356), _stencil(-np.arange(9.0), -3.41421356)


def rates_at(
    function: Function,
    t: float,
    orders: int,
    what: str,
    spacing: float = COARSEST,
) -> Array:
    """Value and first derivatives of a function, (orders + 1, n).

    `spacing`: first spacing of the search [s].
    """
    rates = _searched(function, t, orders, _CENTRAL, spacing)
    if rates is None:
        return _across(function, t, orders, what, spacing)
    return rates


def _searched(
    function: Function,
    t: float,
    orders: int,
    stencil: _Stencil,
    spacing: float,
    noted: list[Precision] | None = None,
) -> Array | None:
    """Value and derivatives by a stencil; None if no spacing is good enough.

    Their precision is appended to `noted`.

    Plain floats: arrays of nine numbers would take ten times as long.
    """
    value = function(t)
    base = value.tolist()
    samples: dict[float, list[float]] = {}
    best, smallest = [base] * orders, [math.inf] * orders
    good, usable, of_time = [0.0] * orders, [0.0] * orders, 0.0
    coarse: list[list[float]] | None = None
    h = 2.0 ** math.floor(math.log2(spacing))  # so that t + x h is exact, also far from zero
    for _ in range(_HALVINGS):
        for x in stencil.places:
            if x * h not in samples:
                samples[x * h] = _less(function(t + x * h), base)
        rows = [samples[x * h] for x in stencil.places]
        spread = max(abs(y) for row in rows for y in row)
        noise = math.ulp(max(map(abs, base)) + spread)
        there = _less(function(t + stencil.between * h), base)
        off = max(abs(x - y) for x, y in zip(there, _product(stencil.middle, rows), strict=True))
        if off > max(_MET * spread, 8 * noise):
            coarse = None
        else:
            fine = [
                [y / h**k for y in _product(w, rows)]
                for k, w in enumerate(stencil.weights[:orders], 1)
            ]
            if coarse is not None:
                sizes = _largest_differences(rows)
                # rounding of the values, and of the times multiplied by the slope
                late = math.ulp(abs(t) + 8 * h) * sizes[0] / h
                noise += late
                for k in range(orders):
                    error = max(abs(x - y) for x, y in zip(fine[k], coarse[k], strict=True))
                    if error < smallest[k]:
                        scale = h ** -(k + 1)
                        floor = 4 * noise * sum(map(abs, stencil.weights[k])) * scale
                        best[k], smallest[k] = fine[k], error
                        of_time = 4 * late * sum(map(abs, stencil.weights[k])) * scale
                        good[k] = max(_GOOD * sizes[k] * scale, floor)
                        usable[k] = max(_USABLE * sizes[k] * scale, 100 * floor)
                if all(x <= y for x, y in zip(smallest, good, strict=True)):
                    break
            coarse = fine
        h *= 0.5
    if not all(x <= y for x, y in zip(smallest, usable, strict=True)):
        return None
    if noted is not None:
        size = max(map(abs, best[-1]))
        noted.append(Precision(smallest[-1], size, of_time=smallest[-1] <= 10 * of_time))
    return np.array([base, *best])


def _less(values: Array, base: list[float]) -> list[float]:
    return _less_rows(values.tolist(), base)


def _product(weights: tuple[float, ...], rows: list[list[float]]) -> list[float]:
    """Weighted sum of rows."""
    return [
        sum([w * row[k] for w, row in zip(weights, rows, strict=True)]) for k in range(len(rows[0]))
    ]


def _largest_differences(rows: list[list[float]]) -> tuple[float, float]:
    """Largest first and second differences of neighbours."""
    first = [_less_rows(b, a) for a, b in pairwise(rows)]
    second = [_less_rows(b, a) for a, b in pairwise(first)]
    return max(abs(x) for r in first for x in r), max(abs(x) for r in second for x in r)


def _less_rows(a: list[float], b: list[float]) -> list[float]:
    return [x - y for x, y in zip(a, b, strict=True)]


def _across(function: Function, t: float, orders: int, what: str, spacing: float) -> Array:
    """Value and derivatives near a point where the function is rough; jumps are refused."""
    width = 8 * spacing * 0.5 ** (_HALVINGS - 1) + 8 * np.spacing(abs(t))
    before = _searched(function, t - width, orders, _BEFORE, spacing)
    after = _searched(function, t + width, orders, _AFTER, spacing)
    word = "position" if orders == 2 else "velocity"
    if before is None or after is None:
        raise LoadError(
            f"{what} changes too fast near t = {t:.9g} s to differentiate it numerically; give the "
            f'derivatives too, or Table(times, values, "monotone") of the {word}'
        )
    reach = 2 * width * np.maximum(np.abs(before[1:]), np.abs(after[1:]))
    for k in range(orders):  # the last derivative may jump
        size = np.maximum(np.abs(before[k]), np.abs(after[k]))
        allowed = 2 * reach[k] + (_JUMP * size if k else 1e-9 * size)
        if np.any(np.abs(after[k] - before[k]) > allowed):
            jumps = (word, "velocity", "acceleration")[k] if orders == 2 else word
            near = round(t, max(0, -math.ceil(math.log10(10 * width))))  # t is some widths away
            raise _jump(what, jumps, near, before[k], after[k])
    # both sides are extrapolated to t; t belongs to the side that matches the function there
    at = function(t)
    first, second = _moved(before, width), _moved(after, -width)
    past = np.abs(at - first[0]).max() > np.abs(at - second[0]).max()
    return np.concatenate([at[None], (second if past else first)[1:]])


def _moved(motion: Array, dt: float) -> Array:
    """Value and derivatives extrapolated by a short time."""
    moved = motion.copy()
    moved[:-1] += dt * motion[1:]
    if len(motion) == 3:
        moved[0] += 0.5 * dt * dt * motion[2]
    return moved


class JumpWatch:
    """Detector of jumps of a given position between two calls, which rates may not show."""

    def __init__(self, function: Function, what: str) -> None:
        self.function, self.what = function, what
        self.last: tuple[float, Array] | None = None

    def look(self, t: float, motion: Array) -> None:
        """Refuse a jump since the last call.

        `motion` (3, n): position, velocity, acceleration.
        """
        last, self.last = self.last, (t, motion)
        if last is None or last[0] == t:
            return
        (low, a), (high, b) = sorted([last, (t, motion)], key=lambda x: x[0])
        dt, step = high - low, np.abs(b[0] - a[0])
        fair = dt * np.maximum(np.abs(a[1]), np.abs(b[1])) + dt * dt * np.maximum(
            np.abs(a[2]), np.abs(b[2])
        )
        if np.all(step <= 2 * fair + 1e-12 * (1 + np.abs(a[0]))):
            return
        first, second = a[0], b[0]
        while high - low > 8 * np.spacing(max(abs(low), abs(high))):
            middle = 0.5 * (low + high)
            value = self.function(middle)
            if np.abs(value - first).max() > np.abs(second - value).max():
                high, second = middle, value
            else:
                low, first = middle, value
        if np.abs(second - first).max() > 0.1 * step.max():
            raise _jump(self.what, "position", high, first, second)


def _jump(what: str, word: str, t: float, before: Array, after: Array) -> LoadError:
    return LoadError(
        f"{what}: the {word} jumps near t = {t:.9g} s, from {_shown(before)} to {_shown(after)}, "
        "which would need an infinite force; make it continuous, for example "
        'Table(times, values, "monotone")'
    )


def _shown(values: Array) -> str:
    return ", ".join(f"{x:.6g}" for x in values[:6])
