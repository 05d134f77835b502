"""Addresses of values in a model file: "parts.payload.body.mass", "gravity[2]".

Steps are keys, separated by dots, and numbers of list entries in brackets.  In a list of tables an
entry is also found by its name.  A key may contain dots itself, as "upper.rates" does.  Keys of
"simulation.state" need not be in the file.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import suggestion
from .units import described

Path = tuple[str | int, ...]

_STEP = re.compile(r"([^.\[\]]+)|\[(-?\d+)\]")
_STATE = ("simulation", "state")
_WHOLE = re.compile(r"[^.\[\]]+(?:\.[^.\[\]]+|\[-?\d+\])*")


class AddressError(ValueError):
    """An address that leads nowhere; the message follows the address."""


def path_of_address(data: Mapping[str, Any], address: str) -> Path:
    """Path of keys and numbers of an address; the last key of a table may be missing there."""
    if not _WHOLE.fullmatch(address):
        raise AddressError("cannot be read; write it like parts.payload.body.mass or gravity[2]")
    steps: list[str | int] = [x[0] or int(x[1]) for x in _STEP.findall(address)]
    here: Any = data
    path: list[str | int] = []
    while steps:
        if tuple(path) == _STATE and all(isinstance(x, str) for x in steps):
            return (*_STATE, ".".join(map(str, steps)))
        step, used = _step(here, steps, _shown(path))
        path.append(step)
        del steps[:used]
        try:
            here = here[step]
        except KeyError:
            here = {}  # has its default so far
    return tuple(path)


def _step(here: Any, steps: list[str | int], where: str) -> tuple[str | int, int]:
    """Next key or number, and how many steps of the address it is."""
    first = steps[0]
    if isinstance(here, dict):
        for count in range(len(steps), 0, -1):
            words = steps[:count]
            if (
                all(isinstance(x, str) for x in words)
                and (key := ".".join(map(str, words))) in here
            ):
                return key, count
        if isinstance(first, str) and (len(steps) == 1 or (where, first) == _STATE):
            return first, 1
        raise AddressError(
            f"leads nowhere: {where} has no {first!r}; {suggestion(str(first), here)}"
        )
    if isinstance(here, list):
        if isinstance(first, int) and -len(here) <= first < len(here):
            return first % len(here), 1
        names = [x.get("name") if isinstance(x, dict) else None for x in here]
        if isinstance(first, str) and names.count(first) == 1:
            return names.index(first), 1
        if isinstance(first, int):
            raise AddressError(f"leads nowhere: {where} has {len(here)} entries, numbered from 0")
        named = [x for x in names if isinstance(x, str)]
        raise AddressError(f"leads nowhere: {where} has no {first!r}; {suggestion(first, named)}")
    raise AddressError(f"leads nowhere: {where} is {described(here)}")


def _shown(path: Sequence[str | int]) -> str:
    from .problems import key_text

    return key_text(tuple(path)) or "the file"


def changed(data: dict[str, Any], values: Mapping[Path, Any]) -> dict[str, Any]:
    """Content of a file with other values."""
    whole = copy.deepcopy(data)
    for path, value in values.items():
        here: Any = whole
        for step in path[:-1]:
            here = here.setdefault(step, {}) if isinstance(here, dict) else here[step]
        here[path[-1]] = value
    return whole
