"""Channels of the contacts of a run, from the stored numbers of their points.

A contact has one point, or several where a shape is made of parts.  In a stored point the first
body may be that of the second shape; then force and slip change their signs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..errors import StateError, suggestion
from .labels import XYZ, Parts
from .row_blocks import RowBlock, collected
from .store import CONTACT_SIZE, Columns, Store

__all__ = [
    "CONTACT",
    "contact_names",
    "contact_parts",
    "contact_values",
    "is_of_contact",
    "missing_contact",
]

Array = np.ndarray

_VECTOR = ("force", "point", "slip")


class _Points(NamedTuple):
    """Numbers of the points of a contact over n rows, seen from its first shape."""

    gap: Array  # (n, p)
    press: Array
    force: Array  # (n, p, 3)
    point: Array
    slip: Array
    patch: Array

    @property
    def first(self) -> Array:
        """Number (n,) of the most loaded point, or of that with the least gap if all are open."""
        loaded = np.any(self.press > 0.0, axis=1)
        return np.where(loaded, np.argmax(self.press, axis=1), np.argmin(self.gap, axis=1))

    def at_first(self, values: Array) -> Array:
        """Values at that point."""
        return np.asarray(values[np.arange(len(values)), self.first])


def _point(points: _Points) -> Array:
    """Mean of the points by their normal forces; where all are open that with the least gap."""
    total = np.sum(points.press, axis=1)[:, None]
    mean = np.einsum("np,npk->nk", points.press, points.point) / np.where(total > 0, total, 1.0)
    return np.where(total > 0, mean, points.at_first(points.point))


_Compute = Callable[[_Points], Array]

# Quantities of a contact: description, unit, values
CONTACT: dict[str, tuple[str, str, _Compute]] = {
    "gap": ("least gap of its points, negative where they are pressed", "m",
            lambda x: np.min(x.gap, axis=1)),
    "normal_force": ("normal force, sum over its points", "N",
                     lambda x: np.sum(x.press, axis=1)),
    "force": ("force on the body of its first shape, world axes; opposite on the other", "N",
              lambda x: np.sum(x.force, axis=1)),
    "point": ("where it acts in the world; of several points their mean by normal force", "m",
              _point),
    "slip": ("velocity of the first body relative to the second along the surface, at the most "
             "loaded point, world axes", "m/s", lambda x: x.at_first(x.slip)),
    "slip_speed": ("magnitude of this velocity", "m/s",
                   lambda x: np.linalg.norm(x.at_first(x.slip), axis=1)),
    "patch": ("radius of the patch of contact at the most loaded point", "m",
              lambda x: x.at_first(x.patch)),
}  # fmt: skip


def contact_names(columns: Columns) -> list[str]:
    """Names of the contacts of a run."""
    return [str(record[0]) for record in columns.contacts]


def is_of_contact(columns: Columns, name: str) -> bool:
    """Whether a channel is one of a contact."""
    contact, _, key = name.rpartition(".")
    return key in CONTACT and contact in contact_names(columns)


def contact_parts(name: str) -> tuple[str, Parts]:
    """Description and components of the channel of a contact."""
    key = name.rpartition(".")[2]
    words, unit, _ = CONTACT[key]
    labels = XYZ if key in _VECTOR else ("",)
    return words, tuple((x, unit) for x in labels)


def contact_values(store: Store, name: str) -> Array:
    """Values of the channel of a contact, one for each row; read-only."""
    contact, _, key = name.rpartition(".")
    compute = CONTACT[key][2]
    piece, signs = _place(store.columns, contact)

    def of_block(block: RowBlock) -> Array:
        return compute(_seen(block["contact"][:, piece], signs))

    values = collected(store, (3,) if key in _VECTOR else (), of_block)
    values.flags.writeable = False
    return values


def _place(columns: Columns, contact: str) -> tuple[slice, Array]:
    """Slice of the numbers of a contact among those of all, and the sign of each of its points."""
    start = 0
    for name, *_, swapped in columns.contacts:
        stop = start + CONTACT_SIZE * len(swapped)
        if name == contact:
            return slice(start, stop), np.where(swapped, -1.0, 1.0)
        start = stop
    raise KeyError(contact)


def _seen(numbers: Array, signs: Array) -> _Points:
    """Points of a contact from their stored numbers (n, CONTACT_SIZE p)."""
    x = numbers.reshape(len(numbers), len(signs), CONTACT_SIZE)
    turned = signs[:, None]
    force, slip = (turned * x[:, :, k : k + 3] + 0.0 for k in (2, 8))  # no negative zeros
    return _Points(x[:, :, 0], x[:, :, 1], force, x[:, :, 5:8], slip, x[:, :, 11])


def missing_contact(columns: Columns, name: Any) -> None:
    """Raise a StateError for a name that begins with a contact and leads nowhere."""
    if not isinstance(name, str):
        return
    for contact in sorted(contact_names(columns), key=len, reverse=True):
        if name == contact:
            raise StateError(
                f"{name!r} is a contact; give one of its quantities, such as '{name}.gap'"
            )
        if name.startswith(f"{contact}."):
            key = name[len(contact) + 1 :]
            raise StateError(f"contact {contact!r} has no {key!r}; {suggestion(key, CONTACT)}")
