"""Conversion of couplings to text and numbers, and back, for `system`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...system import Coupling, System
from .joints import Numbers, joined

Array = np.ndarray


def describe_couplings(couplings: Sequence[Coupling]) -> tuple[list[dict[str, Any]], Array]:
    """Name, bodies and coordinates of each coupling; ratios and offsets of all couplings."""
    words = [
        {"name": one.name, "bodies": list(one.bodies), "entries": list(one.entries)}
        for one in couplings
    ]
    return words, joined([np.append(one.ratios, one.offset) for one in couplings])


def restored_couplings(
    words: Sequence[dict[str, Any]], arrays: dict[str, Array]
) -> tuple[Coupling, ...]:
    """Couplings from their descriptions and arrays, bitwise equal."""
    numbers, couplings = Numbers(arrays.get("coupling_numbers", np.zeros(0))), []
    for one in words:
        bodies, entries = (tuple(int(x) for x in one[key]) for key in ("bodies", "entries"))
        constants = numbers.take(len(bodies) + 1)
        coupling = Coupling(str(one["name"]), bodies, entries, constants[:-1], float(constants[-1]))
        couplings.append(coupling)
    numbers.check_used()
    return tuple(couplings)


def check_couplings(system: System) -> None:
    """Reject couplings of invalid coordinates, which the kernels would use as indices."""
    names = [*system.names, *(one.name for one in system.constraints)]
    if len(set(names)) != len(names):
        raise ValueError("two couplings, or a coupling and a body or loop, have the same name")
    for one in system.couplings:
        places = list(zip(one.bodies, one.entries, strict=True))
        if not places or len(set(places)) != len(places) or not np.all(one.ratios):
            raise ValueError(f"coupling {one.name!r} couples nothing, or a coordinate twice")
        for i, k in places:
            on_body = 0 <= i < system.n_body
            if not on_body or not 0 <= k < len(system.joints[i].plain_coordinates):
                raise ValueError(f"coupling {one.name!r} is of a coordinate that does not exist")
