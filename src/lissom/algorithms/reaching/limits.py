"""Limits of joints and the joints that may move, as given to `reach`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...errors import StateError, shown, suggestion
from ...joints import Free
from ...spatial.scalar import reals
from ...system import System
from ..loops.assembly import held_speeds, listed
from ..tree.coordinates import hinge_speeds
from .search import Bounds

Array = np.ndarray


def moving_speeds(system: System, joints: Any) -> Array:
    """Mask (n_v,) of the speeds that may move."""
    if joints is not None:
        names = listed(joints)
        mask = held_speeds(system, names, "reach: joints")
        if not np.any(mask):
            raise StateError("reach: joints names no joint that can move; name at least one")
        return mask
    mask = hinge_speeds(system)
    for i, joint in enumerate(system.joints):
        if isinstance(joint, Free) and not _in_loop(system, i):
            mask[system.layout.hinge_v(i)] = False
    return mask


def _in_loop(system: System, i: int) -> bool:
    """Whether a loop leads through the joint of body i."""
    carried = {i}
    for k in range(i + 1, system.n_body):
        if int(system.parent[k]) in carried:
            carried.add(k)
    return any((loop.a.body in carried) != (loop.b.body in carried) for loop in system.loops)


def bounds_of(system: System, limits: Any) -> Bounds:
    """Checked limits from {"body": (lower, upper)}."""
    coordinate = np.full(system.n_v, -1)
    lower, upper = np.full(system.n_v, -np.inf), np.full(system.n_v, np.inf)
    if limits is None:
        return Bounds(coordinate, lower, upper)
    if not isinstance(limits, Mapping):
        raise StateError(
            f"reach: limits is {shown(limits)}; expected a mapping "
            '{"body": (lower, upper)}, a joint by the body that it carries'
        )
    for name, given in limits.items():
        if name not in system.names:
            hint = suggestion(str(name), system.names)
            raise StateError(f"reach: limits: there is no body {name!r}; {hint}")
        low, high = _pair(system, name, given)
        if np.all(np.isneginf(low)) and np.all(np.isposinf(high)):
            continue
        if system.joints[system.layout.index(name)].has_quasi_speeds:
            label = system.joints[system.layout.index(name)].label
            raise StateError(
                f"reach: limits of {name!r}: the coordinates of its joint ({label}) take no "
                "limits; use Revolute, Universal or another joint whose speeds are their rates"
            )
        v, q = system.layout.hinge_v(name), system.layout.hinge_q(name)
        lower[v], upper[v] = low, high
        coordinate[v] = np.arange(q.start, q.stop)
    return Bounds(coordinate, lower, upper)


def _pair(system: System, name: str, given: Any) -> tuple[Array, Array]:
    """Lower and upper limits (n,) of a joint, from a pair or an object with both."""
    n = system.joints[system.layout.index(name)].n_v
    if hasattr(given, "lower") and hasattr(given, "upper"):
        given = (given.lower, given.upper)
    try:
        low, high = given
        low, high = (np.broadcast_to(reals(x), n) for x in (low, high))
    except (TypeError, ValueError):
        many = "two numbers" if n == 1 else f"two numbers, or {n} each,"
        raise StateError(
            f"reach: limits of {name!r} are {shown(given)}; expected {many} (lower, upper) "
            "[rad or m], infinite where there is none"
        ) from None
    empty = (low > high) | np.isposinf(low) | np.isneginf(high)
    if np.any(np.isnan(low)) or np.any(np.isnan(high)) or np.any(empty):
        raise StateError(
            f"reach: limits of {name!r} are {shown(given)}; the lower must not be above the upper"
        )
    return low, high


def near_start(system: System, q: Array, start: Array, bounds: Bounds) -> Array:
    """Coordinates with every angle turned back by whole turns towards its start.

    Angles in couplings stay, and those that would leave their limits.
    """
    new = q.copy()
    coupled = {
        (i, k) for one in system.couplings for i, k in zip(one.bodies, one.entries, strict=True)
    }
    for i, joint in enumerate(system.joints):
        if joint.has_quasi_speeds:
            continue
        for k, turns in enumerate(joint.turning):
            at, v = system.layout.hinge_q(i).start + k, system.layout.hinge_v(i).start + k
            whole = 2 * np.pi * round((q[at] - start[at]) / (2 * np.pi)) if turns else 0.0
            allowed = bounds.lower[v] <= q[at] - whole <= bounds.upper[v]
            if whole and allowed and (i, k) not in coupled:
                new[at] -= whole
    return new
