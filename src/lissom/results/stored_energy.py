"""Energy of springs and rotors that are loads of a run, and the work of all other loads.

What is stored in loads follows from the rows and from the constants that `Columns` keep:

    springs   1/2 k (x - x_0)^2 of coordinates, lengths or rotation vectors                  (1)
    rotors    1/2 J beta^2, with the inertia J that a rotor adds at the speed beta; of a wheel
              with the momentum h about its axis a on a body that turns with omega: h^2 / 2 J,
              and if the body has its inertia, too, h a . omega more                         (2)
    work      energy that comes from elsewhere: motors, dampers, friction, forces,
              prescribed motions, less what modal damping takes                              (3)

So the total energy changes by the work.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from ..spatial.many_rotations import rotation_vector
from ..system import System
from .loop_channels import loop_values
from .row_blocks import RowBlock, collected
from .store import Columns, Store

Array = np.ndarray


def springs(system: System, store: Store) -> Array:
    """Energy of the springs (n,) [J] (1)."""
    energy = np.zeros(len(store))
    for kind, *constants in store.columns.springs:
        energy += _ENERGIES[kind](system, store, *constants)
    return energy


def _joint(system: System, store: Store, name: str, k: Any, rest: Any) -> Array:
    """Springs on the coordinates of a joint, also that of a loop."""
    if name in system.names:
        x = store.read("q")[:, system.layout.hinge_q(system.names.index(name))]
    else:
        x = loop_values(system, store, f"{name}.coordinates")[f"{name}.coordinates"]
    return 0.5 * (x - np.array(rest)) ** 2 @ np.array(k)


def _ball(system: System, store: Store, name: str, turning: float, moving: float) -> Array:
    """Springs on the rotation vector of a joint, and on its position if it is free."""
    if name in system.names:
        q = np.array(store.read("q")[:, system.layout.hinge_q(system.names.index(name))])
    else:
        q = loop_values(system, store, f"{name}.coordinates")[f"{name}.coordinates"]
    turn = rotation_vector(q[:, :4], np.zeros((len(q), 3)))
    return 0.5 * (turning * np.sum(turn**2, axis=1) + moving * np.sum(q[:, 4:] ** 2, axis=1))


def _node(
    system: System, store: Store, ends: Any, points: Any, stiffness: float, length: float
) -> Array:
    """Spring between two points."""

    def compute(block: RowBlock) -> Array:
        a, b = (
            _point(system, block["q"], end, np.array(at))
            for end, at in zip(ends, points, strict=True)
        )
        return 0.5 * stiffness * (np.linalg.norm(b - a, axis=1) - length) ** 2

    return collected(store, (), compute)


def _point(system: System, q: Array, end: Any, at: Array) -> Array:
    """World position (n, 3) of a point given from a body, node or frame, or fixed in the world."""
    from ..algorithms.tree import engine

    if not isinstance(end, str):
        return np.broadcast_to(np.array(end) + at, (len(q), 3))
    place = system.place(end)
    if place.grounded:
        return np.broadcast_to(place.position + place.rotation @ at, (len(q), 3))
    turn, position = engine.pose_rows(system, place, q)
    return position + turn @ at


_ENERGIES: dict[str, Callable[..., Array]] = {"joint": _joint, "ball": _ball, "node": _node}


def rotors(system: System, store: Store) -> Array:
    """Kinetic energy of the rotors (n,) [J] (2)."""
    total, v = wheels(system, store), store.read("v")
    for speed, inertia in store.columns.rotors:
        total += 0.5 * inertia * v[:, speed] ** 2
    return total


def wheels(system: System, store: Store) -> Array:
    """Kinetic energy (n,) [J] of rotors on bodies, but for those geared to joints (2)."""
    from ..algorithms.tree import engine
    from ..kernels.fields import ACCELERATED

    def compute(block: RowBlock) -> Array:
        total = np.zeros(block.stop - block.start)
        for k, (_, where, axis, inertia, mode) in enumerate(store.columns.wheels):
            h, place = block["wheel"][:, k], system.place(where)
            if mode != "geared":
                total += 0.5 * h**2 / inertia
            if mode == "spun":
                turn, _, rate = engine.frame_motion_rows(
                    system, place.body, place.node, block["q"], block["v"], block["v"], ACCELERATED
                )
                along = turn @ (place.rotation @ np.array(axis))
                total += h * np.einsum("ti,ti->t", along, rate[:, :3])
        return total

    return collected(store, (), compute) if is_counted(store.columns) else np.zeros(len(store))


def is_counted(columns: Columns) -> bool:
    """Whether there are rotors on bodies whose energy is counted."""
    return any(wheel[-1] != "geared" for wheel in columns.wheels)


def work(system: System, store: Store) -> Array:
    """Work since the first row (n,) [J] (3), by Simpson's rule over the rows."""
    total = integral(np.asarray(store.read("time")), power(system, store))
    if store.columns.springs and len(total):
        stored = springs(system, store)
        total += stored - stored[0]
    if is_counted(store.columns) and len(total):  # their motors turn them, too
        stored = wheels(system, store)
        total += stored - stored[0]
    return total


def power(system: System, store: Store) -> Array:
    """Power (n,) [W] of all loads and modal damping."""

    def compute(block: RowBlock) -> Array:
        force, v = block["force"] - damping_forces(system, block["v"]), block["v"]
        return np.einsum("ti,ti->t", force, v)

    return collected(store, (), compute) + power_on_nodes(system, store)


def damping_forces(system: System, v: Array) -> Array:
    """Forces of modal damping (n, n_v), against the speeds.

    `v` (n, n_v): speeds.
    """
    drag = np.zeros_like(v)
    for i, body in enumerate(system.bodies):
        piece = system.layout.modal_v(i)
        drag[:, piece] = v[:, piece] @ body.damping.T
    return drag


def power_on_nodes(system: System, store: Store) -> Array:
    """Power (n,) [W] of the loads on nodes and frames, and of those on the joints of loops."""
    from ..algorithms.tree import engine
    from ..kernels.fields import ACCELERATED

    def compute(block: RowBlock) -> Array:
        q, v, total = block["q"], block["v"], np.zeros(block.stop - block.start)
        wrenches = block["wrench"].reshape(len(total), -1, 6)
        for k, name in enumerate(store.columns.wrenches):
            place = system.place(name)
            if place.grounded:
                continue
            turn, _, rate = engine.frame_motion_rows(
                system, place.body, place.node, q, v, v, ACCELERATED
            )
            for part in (slice(3), slice(3, 6)):
                total += np.einsum("tij,tj,ti->t", turn, wrenches[:, k, part], rate[:, part])
        return total

    return collected(store, (), compute)


def trapezoids(time: Array, rate: Array) -> Array:
    """Integral (n,) by the trapezoidal rule.

    `time`, `rate` (n,): times and what is integrated.
    """
    steps = np.diff(time) * (rate[1:] + rate[:-1]) / 2
    return np.concatenate([[0.0], np.cumsum(steps)])[: len(time)]


def integral(time: Array, rate: Array) -> Array:
    """Integral (n,) by Simpson's rule on each interval without a jump.

    `time`, `rate` (n,): times, repeated at a jump, and what is integrated.
    """
    from scipy.integrate import cumulative_simpson

    total = trapezoids(time, rate)
    jumps = np.flatnonzero(np.diff(time) == 0) + 1
    ends = [0, *(int(k) for k in jumps), len(time)]
    before = 0.0
    for a, b in pairwise(ends):
        if b - a >= 3:
            total[a:b] = before + cumulative_simpson(rate[a:b], x=time[a:b], initial=0.0)
        elif b > a:
            total[a:b] = before + trapezoids(time[a:b], rate[a:b])
        before = total[b - 1] if b else 0.0
    return total
