"""Checks of what a rod is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.polynomial import legendre

from ..errors import ModelError, shown
from ..spatial.scalar import reals
from .nodes import checked_names

Array = np.ndarray

MOST_FUNCTIONS = 30  # of one strain


def _legendre(degree: int, x: Array) -> Array:
    """Legendre polynomial of x in [0, 1]."""
    return legendre.legval(2 * x - 1, (0,) * degree + (1,))


def pair(given: Any, what: str) -> tuple[Any, Any]:
    """What is asked for in both planes."""
    if isinstance(given, (Sequence, np.ndarray)) and not isinstance(given, str):
        if all(callable(x) for x in given) and len(given):
            return given, given
        if len(given) == 2:
            return given[0], given[1]
        raise ModelError(
            f"Rod: {what} is {shown(given)}; give a number, a list of functions, or a pair of "
            "these for the planes x-y and x-z"
        )
    return given, given


def checked_functions(given: Any, what: str) -> tuple[Callable[[Array], Any], ...]:
    """Functions of one strain: Legendre polynomials if a number is given."""
    if isinstance(given, (list, tuple)) and all(callable(x) for x in given):
        found = tuple(given)
    else:
        found = tuple(partial(_legendre, k) for k in range(count(given, what, 0, MOST_FUNCTIONS)))
    if len(found) > MOST_FUNCTIONS:
        raise ModelError(
            f"Rod: {len(found)} functions of {what}; at most {MOST_FUNCTIONS} are possible: divide "
            "the rod into parts in a row on Fixed joints"
        )
    return found


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


def numbers(given: Any, what: str) -> Array:
    """Array of finite real numbers."""
    try:
        values = reals(given)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"Rod: {what} is {shown(given)}; give real numbers") from None
    if not np.all(np.isfinite(values)):
        raise ModelError(f"Rod: {what} has a value that is not finite; give finite numbers")
    return values


def table(given: Any, what: str, shape: tuple[int, ...]) -> Array:
    """Values at k Gauss points of the length, (k, *shape); one row if they are constant."""
    values = numbers(given, what)
    if values.shape == shape:
        return values[None]
    if values.ndim == len(shape) + 1 and values.shape[1:] == shape and 1 <= len(values) <= 30:
        return values
    many = " or ".join(str((*k, *shape)) for k in ((), ("k",)))
    raise ModelError(
        f"Rod: {what} has shape {values.shape}; expected {many}, k up to 30, for values at the k "
        "Gauss points of the length"
    )


def positive(given: Any, what: str) -> float:
    """Number above zero."""
    value = numbers(given, what)
    if value.ndim or value <= 0:
        raise ModelError(f"Rod: {what} is {shown(given)}; it must be a number above zero")
    return float(value)


def count(given: Any, what: str, least: int, most: int) -> int:
    """Whole number within limits."""
    whole = isinstance(given, (int, np.integer)) and not isinstance(given, bool)
    if not whole or not least <= given <= most:
        raise ModelError(
            f"Rod: {what} is {shown(given)}; give a whole number from {least} to {most}"
        )
    return int(given)


def checked_stress_factors(given: Any) -> Array | None:
    """Stresses of points per unit strain, (s, k, 3, 6); None for none."""
    if given is None:
        return None
    found = numbers(given, "stress_factors")
    found = found[None] if found.ndim == 3 else found
    if found.ndim != 4 or found.shape[2:] != (3, 6) or not found.size:
        raise ModelError(
            f"Rod: stress_factors has the shape {np.shape(given)}; give (k, 3, 6): xx, xy, xz at k "
            "points per unit of six strains, or (s, k, 3, 6) along the rod"
        )
    return found
