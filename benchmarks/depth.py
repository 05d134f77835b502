"""How deep to measure."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DEPTHS", "FULL", "NORMAL", "QUICK", "Depth"]


@dataclass(frozen=True)
class Depth:
    """How often each cell of a measurement is visited, and for how long.

    Parameters
    ----------
    name : {"quick", "normal", "full"}
        The benchmarks choose their sizes by it.
    rounds : int
        Visits to each cell.
    visit : float
        Length of a visit [s]; it holds as many calls as fit, at least one.
    passes : int
        How often the whole is repeated where not all cells fit in memory together.
    """

    name: str
    rounds: int
    visit: float
    passes: int = 1


QUICK = Depth("quick", rounds=1, visit=2e-4)
NORMAL = Depth("normal", rounds=10, visit=5e-3)
FULL = Depth("full", rounds=12, visit=1e-2, passes=3)

DEPTHS = {depth.name: depth for depth in (QUICK, NORMAL, FULL)}
