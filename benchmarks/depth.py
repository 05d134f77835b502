"""Depth of measurements."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Depth:
    """Number and length of the visits to each cell of a measurement.

    Parameters
    ----------
    name : {"quick", "normal", "full"}
        Name by which the benchmarks choose their sizes.
    rounds : int
        Visits to each cell.
    visit : float
        Length of a visit [s]; it consists of as many calls as fit, at least one.
    passes : int
        Repetitions of the whole measurement where not all cells fit into memory together.
    """

    name: str
    rounds: int
    visit: float
    passes: int = 1


QUICK = Depth("quick", rounds=1, visit=2e-4)
NORMAL = Depth("normal", rounds=10, visit=5e-3)
FULL = Depth("full", rounds=12, visit=1e-2, passes=3)

DEPTHS = {depth.name: depth for depth in (QUICK, NORMAL, FULL)}
