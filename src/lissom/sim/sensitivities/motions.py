"""Given motions in a run: what does not change with anything else.

Accelerations of driven joints are functions of time, and so are their speeds unless the motion is
given by accelerations, and their coordinates if it is given by positions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...kernels.run import fields as run

Array = np.ndarray


class Driven(NamedTuple):
    """Speeds whose accelerations are given, whose values are, and whose coordinates are.

    Attributes
    ----------
    x, v, q : arrays of int
        Indices among the speeds.
    """

    x: Array
    v: Array
    q: Array

    def still(self, n: int, change: Array) -> None:
        """Clear changes of what is given, in an array [displacement; change of speeds; ...]."""
        change[..., self.q, :] = 0.0
        change[..., n + self.v, :] = 0.0


def driven_speeds(plan: Any) -> Driven:
    """Driven speeds of a plan.

    Parameters
    ----------
    plan : Plan
        Plan of the run.
    """
    found: tuple[list[int], list[int], list[int]] = ([], [], [])
    for row in plan.rows["motions"]:
        speeds = range(row[run.E_V], row[run.E_V] + row[run.E_N])
        found[0].extend(speeds)
        found[1].extend(speeds if row[run.E_KIND] != run.ACCELERATION_ else ())
        found[2].extend(speeds if row[run.E_KIND] == run.POSITION else ())
    return Driven(*(np.array(x, dtype=int) for x in found))
