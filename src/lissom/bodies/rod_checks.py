"""Checks of what a rod is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.polynomial import legendre

from ..errors import ModelError, shown
from ..fields import count
from ..spatial.scalar import reals
from .nodes import checked_names

Array = np.ndarray

MOST_FUNCTIONS = 30  # of one strain


def _legendre(degree: int, x: Array) -> Array:
    """Legendre polynomial of x in [0, 1]."""
    return legendre.legval(2 * x - 1, (0,) * degree + (1,))


def pair(setting: Any, what: str) -> tuple[Any, Any]:
    """What is asked for in both planes."""
    if isinstance(setting, (Sequence, np.ndarray)) and not isinstance(setting, str):
        if all(callable(x) for x in setting) and len(setting):
            return setting, setting
        if len(setting) == 2:
            return setting[0], setting[1]
        raise ModelError(
            f"Rod: {what} is {shown(setting)}; give a number, a list of functions, or a pair of "
            "these for the planes x-y and x-z"
        )
    return setting, setting


def checked_functions(setting: Any, what: str) -> tuple[Callable[[Array], Any], ...]:
    """Functions of one strain: Legendre polynomials if a number is given."""
    if isinstance(setting, (list, tuple)) and all(callable(x) for x in setting):
        functions = tuple(setting)
    else:
        functions = tuple(
            partial(_legendre, k) for k in range(count(setting, f"Rod: {what}", 0, MOST_FUNCTIONS))
        )
    if len(functions) > MOST_FUNCTIONS:
        raise ModelError(
            f"Rod: {len(functions)} functions of {what}; at most {MOST_FUNCTIONS} are possible: "
            "divide "
            "the rod into parts in a row on Fixed joints"
        )
    return functions


def checked_places(nodes: Any, length: float) -> Mapping[str, float]:
    """Arc lengths of named nodes."""
    if not isinstance(nodes, Mapping):
        raise ModelError(f'Rod: nodes is {nodes!r}; give a dictionary {{"middle": 0.5}} of metres')
    checked_names({name: 0 for name in nodes}, 1, "Rod")
    for name, s in nodes.items():
        if name in ("root", "tip"):
            raise ModelError(f"Rod: node {name!r} is there already; give another name")
        if (
            isinstance(s, bool)
            or not isinstance(s, (int, float, np.number))
            or not 0 <= s <= length
        ):
            raise ModelError(
                f"Rod: node {name!r} is at {shown(s)}; give its arc length from the root, 0 to "
                f"{length:g} m"
            )
    return {name: float(s) for name, s in nodes.items()}


def numbers(entry: Any, what: str) -> Array:
    """Array of finite real numbers."""
    try:
        values = reals(entry)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"Rod: {what} is {shown(entry)}; give real numbers") from None
    if not np.all(np.isfinite(values)):
        raise ModelError(f"Rod: {what} has a value that is not finite; give finite numbers")
    return values


def table(entry: Any, what: str, shape: tuple[int, ...]) -> Array:
    """Values at k Gauss points of the length, (k, *shape); one row if they are constant."""
    values = numbers(entry, what)
    if values.shape == shape:
        return values[None]
    if values.ndim == len(shape) + 1 and values.shape[1:] == shape and 1 <= len(values) <= 30:
        return values
    many = " or ".join(str((*k, *shape)) for k in ((), ("k",)))
    raise ModelError(
        f"Rod: {what} has shape {values.shape}; expected {many}, k up to 30, for values at the k "
        "Gauss points of the length"
    )


def positive(entry: Any, what: str) -> float:
    """Number above zero."""
    value = numbers(entry, what)
    if value.ndim or value <= 0:
        raise ModelError(f"Rod: {what} is {shown(entry)}; it must be a number above zero")
    return float(value)


def checked_stress_factors(entry: Any) -> Array | None:
    """Stresses of points per unit strain, (s, k, 3, 6); None for none."""
    if entry is None:
        return None
    factors = numbers(entry, "stress_factors")
    factors = factors[None] if factors.ndim == 3 else factors
    if factors.ndim != 4 or factors.shape[2:] != (3, 6) or not factors.size:
        raise ModelError(
            f"Rod: stress_factors has the shape {np.shape(entry)}; give (k, 3, 6): xx, xy, xz at k "
            "points per unit of six strains, or (s, k, 3, 6) along the rod"
        )
    return factors
