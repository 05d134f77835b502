"""Given functions of time: a constant, a table, or a function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...errors import LoadError, shown
from ...fields import as_numbers, keep
from ...printing import Shown
from ..run.checks import choice, switch
from .callbacks import is_compiled, takes_state
from .with_derivatives import WithDerivatives

# Curves through given values: splines, curves without overshoot, motions from rest to rest.
#
# The slopes s at the knots make the second derivative continuous (de Boor 1978, chapter IV):
#
# h_k s_(k-1) + 2 (h_(k-1) + h_k) s_k + h_(k-1) s_(k+1) = 3 (h_k d_(k-1) + h_(k-1) d_k)     (1)
#
# with widths h and mean slopes d of the intervals.  The two missing equations are s = 0 (clamped),
# a second derivative of zero (natural), or a third derivative that is continuous at the second knot
# from each end (not a knot).
#
# Curves without overshoot have the slopes (Fritsch and Butland 1984)
#
# s_k = (a + b) / (a / d_(k-1) + b / d_k),  a = 2 h_k + h_(k-1),  b = h_k + 2 h_(k-1)           (2)
#
# where d_(k-1) and d_k have the same sign, and zero elsewhere; at the ends those of the parabola
# through three points, limited to the sign and to three times the mean slope beside them.
#
# Between two points at rest the value moves by the quintic with zero first and second derivatives
# at both ends,
#
# y = y_k + (y_(k+1) - y_k) (10 x^3 - 15 x^4 + 6 x^5),  x = (t - t_k) / h_k                     (3)

FEW = 200  # knots, below which a full matrix is solved sooner than SciPy is imported


def spline_pieces(times: Array, values: Array, *, clamped: bool) -> Array:
    """Coefficients (intervals, k, 4), highest power first, of the spline in each interval.

    `times` (n,): knots, ascending [s]; `values` (n, k): values at the knots.
    """
    h = np.diff(times)[:, None]
    d = np.diff(values, axis=0) / h
    return _cubics(h, d, _solution(*_equations(h, d, clamped=clamped)), values)


def monotone_pieces(times: Array, values: Array, *, clamped: bool) -> Array:
    """Coefficients as of `spline_pieces`, of the curve without overshoot (2)."""
    h = np.diff(times)[:, None]
    d = np.diff(values, axis=0) / h
    s = np.zeros_like(values)
    a, b = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    same = np.sign(d[:-1]) * np.sign(d[1:]) > 0
    s[1:-1] = np.where(same, (a + b) / (a / d[:-1] + b / d[1:]), 0.0)  # (2)
    if not clamped and len(h) == 1:
        s[:] = d[0]
    elif not clamped:
        s[0], s[-1] = _end_slope(h[0], h[1], d[0], d[1]), _end_slope(h[-1], h[-2], d[-1], d[-2])
    return _cubics(h, d, s, values)


def _end_slope(h0: Array, h1: Array, d0: Array, d1: Array) -> Array:
    """Slope at an end from the two intervals beside it."""
    s = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1)
    s = np.where(np.sign(s) == np.sign(d0), s, 0.0)
    steep = (np.sign(d0) != np.sign(d1)) & (np.abs(s) > 3 * np.abs(d0))
    return np.where(steep, 3 * d0, s)


def resting_pieces(times: Array, values: Array) -> Array:
    """Coefficients (intervals, k, 6), highest power first, of motions from rest to rest (3)."""
    h, change = np.diff(times)[:, None], np.diff(values, axis=0)
    none = np.zeros_like(change)
    powers = [factor * change / h**power for factor, power in ((6, 5), (-15, 4), (10, 3))]
    return _checked(np.stack([*powers, none, none, values[:-1]], axis=2))


def _cubics(h: Array, d: Array, s: Array, values: Array) -> Array:
    """Coefficients of cubics with the slopes s at the knots."""
    bend = (s[:-1] + s[1:] - 2 * d) / h
    return _checked(np.stack([bend / h, (d - s[:-1]) / h - bend, s[:-1], values[:-1]], axis=2))


def _checked(pieces: Array) -> Array:
    if not np.all(np.isfinite(pieces)):
        raise ValueError("the slopes of a curve are not finite")
    return pieces


def _equations(h: Array, d: Array, *, clamped: bool) -> tuple[Array, Array]:
    """Bands (3, n) above, on and below the diagonal, and right sides (n, k), of the slopes."""
    n = len(h) + 1
    bands, right = np.zeros((3, n)), np.zeros((n, d.shape[1]))
    bands[0, 2:], bands[2, :-2] = h[:-1, 0], h[1:, 0]
    bands[1, 1:-1] = 2 * (h[:-1, 0] + h[1:, 0])
    right[1:-1] = 3 * (h[1:] * d[:-1] + h[:-1] * d[1:])  # (1)
    if clamped:
        bands[1, 0] = bands[1, -1] = 1.0
    elif n < 4:
        bands[1, 0], bands[0, 1], right[0] = 2.0, 1.0, 3 * d[0]
        bands[1, -1], bands[2, -2], right[-1] = 2.0, 1.0, 3 * d[-1]
    else:
        bands[1, 0], bands[0, 1], right[0] = _not_a_knot(h[0], h[1], d[0], d[1])
        bands[1, -1], bands[2, -2], right[-1] = _not_a_knot(h[-1], h[-2], d[-1], d[-2])
    return bands, right


def _not_a_knot(h0: Array, h1: Array, d0: Array, d1: Array) -> tuple[float, float, Array]:
    """Factors of the slopes at an end and beside it, and right side, of the equation of the end."""
    both = h0 + h1
    return h1[0], both[0], ((h0 + 2 * both) * h1 * d0 + h0 * h0 * d1) / both


def _solution(bands: Array, right: Array) -> Array:
    if bands.shape[1] <= FEW:
        above, on, below = bands
        full = np.diag(on) + np.diag(above[1:], 1) + np.diag(below[:-1], -1)
        return np.linalg.solve(full, right)
    from scipy.linalg import solve_banded

    return np.asarray(solve_banded((1, 1), bands, right))


Array = np.ndarray


# Kinds of tables, each with the derivatives that do not jump within it; of "monotone" the second
# one does, at the points, where steps end.
SMOOTHNESS = {"linear": 0, "monotone": 1, "smooth": 2, "rest": 2, "steps": -1}
KINDS = tuple(SMOOTHNESS)


@dataclass(frozen=True, eq=False)
class Table(Shown):
    """Values at given times, joined by straight lines or by curves.

    The first value holds before the first time, the last value after the last time.

    Parameters
    ----------
    times : array (n,)
        Ascending instants [s].
    values : array (n,) or (n, k)
        Values at these times.
    kind : {"linear", "monotone", "smooth", "rest", "steps"}
        Straight lines between the points; curves that rise and fall only where the points do, so
        that they never leave their range, with continuous slope; a cubic spline with continuous
        curvature, which swings beyond its points where these turn sharply; curves that come to
        rest at every point, with zero slope and curvature; or each value held until the next time.
    clamped : bool
        Whether a "smooth" or "monotone" curve starts and ends with zero slope: a motion from rest
        to rest.
    """

    times: Any
    values: Any
    kind: str = "linear"
    clamped: bool = False

    def __post_init__(self) -> None:
        times, values = _floats(self.times, "times"), _floats(self.values, "values")
        if times.ndim != 1 or len(times) < 2 or values.ndim not in (1, 2):
            raise LoadError(
                f"Table: times of shape {times.shape} and values of shape {values.shape}; expected "
                "(n,) with n >= 2 and (n,) or (n, k)"
            )
        if len(values) != len(times):
            raise LoadError(
                f"Table: {len(times)} times but {len(values)} values; give one for each"
            )
        if not np.all(np.diff(times) > 0):
            k = int(np.flatnonzero(~(np.diff(times) > 0))[0])
            raise LoadError(
                f"Table: times must ascend, but times[{k}] = {times[k]} and "
                f"times[{k + 1}] = {times[k + 1]}"
            )
        keep(
            self,
            times=times,
            values=values,
            kind=choice(self.kind, "Table: kind", KINDS),
            clamped=switch(self.clamped, "Table: clamped"),
        )

    @property
    def n_value(self) -> int:
        """Number of values at a time."""
        return 1 if self.values.ndim == 1 else self.values.shape[1]

    def pieces(self) -> Array:
        """Coefficients (intervals, k, degree + 1), highest power first, of each interval."""
        y = self.values.reshape(len(self.times), self.n_value)
        if self.kind == "steps":
            return y[:, :, None]
        if self.kind == "linear":
            slope = np.diff(y, axis=0) / np.diff(self.times)[:, None]
            return np.stack([slope, y[:-1]], axis=2)
        try:
            with np.errstate(all="ignore"):
                if self.kind == "rest":
                    return resting_pieces(self.times, y)
                curve = monotone_pieces if self.kind == "monotone" else spline_pieces
                return curve(self.times, y, clamped=self.clamped)
        except ValueError:  # slopes beyond the range of floats
            raise LoadError(
                f"Table: values up to {np.abs(y).max():.3g} change too fast for a {self.kind} "
                "curve; give smaller ones"
            ) from None

    @property
    def edges(self) -> Array:
        """Ends of the intervals; the last value of steps holds indefinitely."""
        return np.append(self.times, np.inf) if self.kind == "steps" else self.times

    def end_slopes(self) -> Array:
        """Slopes (2, k) at the first and the last time."""
        coefficients, widths = self.pieces(), np.diff(self.edges)
        powers = np.arange(coefficients.shape[2] - 1, -1, -1)
        slopes = [
            coefficients[k] @ (powers * x ** np.maximum(powers - 1, 0))
            for k, x in ((0, 0.0), (-1, widths[-1]))
        ]
        return np.array(slopes)

    @property
    def corners(self) -> Array:
        """Times at which the curve or its slope jumps; integration steps end there."""
        return self.times if SMOOTHNESS[self.kind] < 2 else self.times[[0, -1]]


def _floats(values: Any, what: str) -> Array:
    array = as_numbers(values)
    if array is None:
        raise LoadError(f"Table: {what} is {shown(values)}; expected an array of numbers")
    if not np.all(np.isfinite(array)):
        k = int(np.flatnonzero(~np.isfinite(array))[0])
        raise LoadError(
            f"Table: {what} has entries that are not finite, the first is {array.flat[k]} at index "
            f"{k}; leave them out"
        )
    return array


# A constant (n,), a table, or a function of time (or of time and state)
Signal = Array | Table | Callable[..., Any]


def as_signal(value: Any, n: int, what: str) -> Signal:
    """Signal of n numbers from the user's value.

    `value` (n,): user's value.
    """
    if callable(value):
        return value
    if isinstance(value, Table):
        if value.n_value != n:
            raise LoadError(
                f"{what}: the table has {value.n_value} values a row; expected {n}, give values of "
                f"shape ({len(value.times)}, {n})"
            )
        return value
    numbers = as_numbers(value)
    if numbers is None:
        raise LoadError(
            f"{what} is {shown(value)}; expected {_numbers(n)}, a Table or a function of time"
        )
    if n == 1 and numbers.shape == ():
        numbers = numbers[None]
    if numbers.shape != (n,):
        raise LoadError(f"{what} has shape {numbers.shape}; expected {_numbers(n)}")
    if not np.all(np.isfinite(numbers)):
        raise LoadError(f"{what} is {shown(value)}; expected {_numbers(n)}, finite")
    return numbers


def turned_signal(signal: Signal, rotation: Array, what: str) -> Signal:
    """Signal of three components in other axes.

    `signal` (3,): as from `as_signal`; `rotation` (3, 3): from the signal's axes to the others.
    """
    if isinstance(signal, WithDerivatives):
        function = turned_signal(signal.function, rotation, what)
        return WithDerivatives(function, _turned_derivatives(signal.derivatives, rotation, what))
    if isinstance(signal, Table):
        return replace(signal, values=signal.values @ rotation.T)
    if isinstance(signal, np.ndarray):
        return rotation @ signal
    if hasattr(signal, "address"):
        raise LoadError(
            f"{what}: the result of a C function cannot be transformed to the axes of the node; "
            "give axes='world', a Numba or Python function, or name the node itself"
        )
    if hasattr(signal, "py_func"):  # compiled: f(time, out)

        def compiled(t: float) -> Array:
            out = np.zeros(3)
            signal(t, out)
            return rotation @ out

        return compiled
    if takes_state(signal, what):
        return lambda t, state: _turned(signal(t, state), rotation)
    return lambda t: _turned(signal(t), rotation)


def _turned_derivatives(derivatives: Any, rotation: Array, what: str) -> Callable[..., Any]:
    """Derivatives of three components in other axes, from plain ones."""
    if is_compiled(derivatives):
        raise LoadError(
            f"{what}: compiled derivatives cannot be transformed to the axes of the node; give "
            "axes='world', a Python function, or name the node itself"
        )

    def turned(t: float, state: Any) -> Any:
        pair = derivatives(t, state)
        if not isinstance(pair, (tuple, list)):  # left to the check of derivatives
            return pair
        matrices = [None if x is None else as_numbers(x) for x in pair]
        return [
            x if y is None or y.ndim != 2 or len(y) != 3 else rotation @ y
            for x, y in zip(pair, matrices, strict=True)
        ]

    return turned


def _turned(vector: Any, rotation: Array) -> Any:
    """Three numbers in other axes; any other value is left to the check of signals."""
    values = as_numbers(vector)
    return vector if values is None or values.shape != (3,) else rotation @ values


def _numbers(n: int) -> str:
    return "a number" if n == 1 else f"{n} numbers"
