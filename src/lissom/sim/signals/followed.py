"""Signals of a run from the user's functions of time and their derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import LoadError
from ..run.checks import checked_values
from .callbacks import is_compiled
from .differences import JumpWatch, precision_at, rates_at

if TYPE_CHECKING:
    from ..run.plan import Plan

Array = np.ndarray


def followed(
    plan: Plan,
    functions: Sequence[Callable[..., Any]],
    n: int,
    orders: int,
    what: str,
    spacing: float,
) -> int:
    """Offset of the signal of a function of time and its derivatives.

    `spacing`: largest spacing of finite differences [s], if derivatives are not given.
    """
    plan.timed = True
    count, function = n * (orders + 1), functions[0]
    if is_compiled(function):
        _check_compiled(function, count, what)
        return plan.called(*plan.functions.add_compiled(what, function, "time", count), n)
    numbers = _with_rates(plan, functions, n, orders, what, spacing)
    return plan.called(*plan.functions.add_plain(what, numbers, count, of_state=False), n)


def _check_compiled(function: Any, n: int, what: str) -> None:
    """Refuse a compiled function that does not write all n numbers."""
    if not hasattr(function, "py_func"):
        return
    out = np.full(n, np.nan)
    try:
        function(0.0, out)
    except Exception as error:
        raise LoadError(f"{what}: f(time, out) failed at t = 0: {error}") from None
    if not np.all(np.isfinite(out)):
        raise LoadError(
            f"{what}: a compiled f(time, out) must write {n} numbers, first the values and then "
            f"their rates; at t = 0 out is {out}"
        )


def _with_rates(
    plan: Plan,
    callables: Sequence[Callable[[float], Any]],
    n: int,
    orders: int,
    what: str,
    spacing: float,
) -> Callable[[float, Array, Array], Array]:
    """Function of time that returns the value and its derivatives up to `orders`."""
    function, functions = callables[0], plan.functions

    def value(t: float) -> Array:
        functions.check_halt()  # a derivative may take many calls
        return checked_values(function(t), n, what, t)

    watch = JumpWatch(value, what)
    if len(callables) < orders + 1:
        looked = partial(precision_at, value, orders=orders, spacing=spacing)
        plan.differences.append((what, looked))

    def rates(t: float, _q: Array, _v: Array) -> Array:
        if len(callables) == orders + 1:
            motion = np.array([checked_values(f(t), n, what, t) for f in callables])
        else:
            motion = rates_at(value, t, orders, what, spacing)
        if orders == 2:
            watch.look(t, motion)
        return motion.ravel()

    return rates
