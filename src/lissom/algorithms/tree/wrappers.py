"""C functions around users' functions compiled by Numba, each compiled once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any


def kept_wrapper(function: Any, key: Hashable, wrapped: Callable[[], Any]) -> Any:
    """Wrapper of a compiled function, kept with it until the function is compiled again.

    Whoever uses its address must keep the wrapper too.
    """
    by_key = getattr(function, "__dict__", {}).setdefault("_lissom_wrappers", {})
    entry = by_key.get(key)
    if entry is None or entry[0] != _versions(function):
        wrapper = wrapped()
        by_key[key] = entry = _versions(function), wrapper
    return entry[1]


def _versions(function: Any) -> list[Any]:
    """Signatures that Numba has compiled so far."""
    return list(getattr(function, "overloads", {}).values())
