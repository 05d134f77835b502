"""Parts of records that bodies of a compact workspace use in turn.

Forward dynamics of a tree needs the motion of a body, and the articulated inertia of its children,
only between that body and its last child, in each of its sweeps.  Bodies for which these intervals
do not overlap share them, so that a chain of rigid bodies has one of each: less memory to move, on
GPUs the cost of an evaluation.  After a sweep they hold the numbers of some bodies only.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...joints import Free, Spherical
from ...system import System


def shared_records(system: System, rigid: Sequence[bool]) -> dict[int, int]:
    """Number of the shared part of each rigid body, and of the only node of each flexible one.

    Rigid bodies on ball and free joints keep their own: the inward sweep needs their attitudes.

    Parameters
    ----------
    system : System
        The mechanism.
    rigid : sequence of bool
        Which bodies are rigid.
    """
    numbers: dict[int, int] = {}
    until: list[int] = []  # last body that uses each part
    for i, joint in enumerate(system.joints):
        if isinstance(joint, (Free, Spherical)) if rigid[i] else len(system.outboard_nodes[i]) != 1:
            continue
        last = max(system.children[i], default=i)
        # The last child reads the part before it writes its own.
        free = next((k for k, stop in enumerate(until) if stop <= i), len(until))
        until[free : free + 1] = [last]
        numbers[i] = free
    return numbers
