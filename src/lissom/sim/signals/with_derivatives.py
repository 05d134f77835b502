"""A user's function of the state together with its derivatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import LoadError, shown
from ...fields import as_numbers
from ...printing import Shown
from .callbacks import is_compiled

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class WithDerivatives(Shown):
    """Function of the state with derivatives of your own, in place of differences.

    Taken wherever a function of time and state is: the argument `forces` of `simulate` and others,
    ``Actuator.force``, ``NodeForce.force`` and ``.moment``.  `load_derivatives`, `linearize` and
    implicit steps use the derivatives.  They are compared with differences once for each system, at
    the first state and near it, and an error names what differs.

    Parameters
    ----------
    function : callable
        f(time, state) -> m numbers, or a function compiled by Numba, as where it is used.
    derivatives : callable
        f(time, state) -> (by_q, by_v), arrays (m, n_v); None where they are zero.  Column k of by_q
        is the derivative along the motion of speed k, dq = N(q) e_k, as in `load_derivatives`.
        Compiled by Numba: f(time, q, v, by_q, by_v) that writes into arrays of zeros.
    """

    function: Any
    derivatives: Any

    def __post_init__(self) -> None:
        for name in ("function", "derivatives"):
            entry = getattr(self, name)
            if isinstance(entry, WithDerivatives) or not (callable(entry) or is_compiled(entry)):
                raise LoadError(
                    f"WithDerivatives: {name} is {shown(entry)}; expected a function of time and "
                    "state"
                )

    def __call__(self, time: float, state: Any) -> Any:
        """Value of a plain function.

        Parameters
        ----------
        time : float
            Time [s].
        state : State
            Configuration and speeds.
        """
        if is_compiled(self.function):
            raise LoadError(
                "a compiled function with derivatives is called by a run; call .function instead"
            )
        return self.function(time, state)


def derivative_numbers(
    function: Callable[..., Any], m: int, n_v: int, what: str
) -> Callable[[float, Any], Array]:
    """Derivatives of a plain function as a checked function (t, state) -> 2 m n_v numbers."""

    def numbers(t: float, state: Any) -> Array:
        both = function(t, state)
        if not isinstance(both, (tuple, list)) or len(both) != 2:
            raise LoadError(
                f"{what} returned {shown(both)} at t = {t:g} s; expected a pair (by_q, by_v)"
            )
        pair = zip(("by_q", "by_v"), both, strict=True)
        return np.concatenate([_matrix(x, m, n_v, f"{what}: {name}", t) for name, x in pair])

    return numbers


def _matrix(matrix: Any, m: int, n_v: int, what: str, t: float) -> Array:
    """One of the two arrays, checked, as m n_v numbers."""
    if matrix is None:
        return np.zeros(m * n_v)
    values = as_numbers(matrix)
    if values is None:
        raise LoadError(f"{what} is {shown(matrix)} at t = {t:g} s; expected an array of numbers")
    if values.shape != (m, n_v) and not (m == 1 and values.shape == (n_v,)):
        raise LoadError(
            f"{what} has shape {values.shape} at t = {t:g} s; expected ({m}, {n_v}): a row for "
            "each number of the function, a column for each speed"
        )
    values = values.ravel()
    if not np.all(np.isfinite(values)):
        k = int(np.flatnonzero(~np.isfinite(values))[0])
        raise LoadError(
            f"{what}[{k // n_v}, {k % n_v}] is {values[k]} at t = {t:g} s; all entries must be "
            "finite"
        )
    return values
