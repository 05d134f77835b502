"""Forces and moments of loads, loops and joints, drawn as arrows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import StateError
from ...results.row_blocks import reactions
from ...results.store import MemoryStore
from ...results.trajectory import Trajectory
from ...spatial.many_rotations import rotated
from ...system import GROUND, Loop, LoopEnd, System
from ..scene.frames import LARGEST
from ..scene.joints import node_poses, poses

Array = np.ndarray

_ROUNDING = 1e-12  # fraction of a moment about the node that may remain about a frame where it is 0


@dataclass(frozen=True, eq=False)
class Arrow:
    """Origin and meaning of an arrow."""

    name: str  # source of the force
    kind: str  # force or moment of a load, force or moment of a loop or of a joint
    # body, node: point of action; body -1 is the ground
    body: int
    node: int
    # (3,) offset from the node, in node axes; on the ground, from the world origin [m]
    offset: Array


def arrows(system: System, wrenches: tuple[str, ...], joints: bool) -> list[Arrow]:
    """All arrows, in the order of `arrow_values`."""
    zero = np.zeros(3)
    all_arrows = []
    for where in wrenches:
        frame = system.place(where)
        for kind in ("moment", "force"):
            place = (frame.body, frame.node, frame.position)
            all_arrows.append(Arrow(f"load on {where}", kind, *place))
    for end in ("", "_moment"):
        all_arrows += [_at(f"loop {loop.name}", f"loop{end}", loop.b) for loop in system.loops]
        bodies = zip(system.names, system.bodies, strict=True) if joints else ()
        for i, (name, body) in enumerate(bodies):
            all_arrows.append(Arrow(f"joint of {name}", f"joint{end}", i, body.inboard, zero))
    return all_arrows


def arrow_values(rows: Trajectory, joints: bool) -> Array:
    """Forces and moments, shape (n, n_arrow, 3) [N or N m].

    Loads are in node axes, in which most are constant; others are in world axes, so that
    interpolation between frames is not affected by fast rotation.
    """
    system, n = rows.system, rows.n
    blocks = [_loads(rows)]
    placed = poses(system, rows.q) if joints or system.loops else np.zeros((n, 0, 7))
    joint_loads = _joint_loads(rows) if joints else np.zeros((n, 0, 6))
    turns = placed[:, : joint_loads.shape[1], 3:].reshape(-1, 4)
    for key, part in (("force", slice(3, 6)), ("moment", slice(0, 3))):
        blocks += [_of_loop(rows, loop, key, placed)[:, None] for loop in system.loops]
        blocks.append(rotated(turns, joint_loads[..., part].reshape(-1, 3)).reshape(n, -1, 3))
    values = np.concatenate(blocks, axis=1)
    return np.where(np.abs(values) < LARGEST, values, 0.0)


def _of_loop(rows: Trajectory, loop: Loop, key: str, placed: Array) -> Array:
    """Force or moment of a loop on its end b, world axes (n, 3)."""
    values: Array = rows[f"{loop.name}.{key}"] @ loop.b.rotation.T
    if loop.b.body == GROUND:
        return values
    turn = node_poses(rows.system, loop.b.body, loop.b.node, rows.q, placed)[1]
    return rotated(turn, values)


def _loads(rows: Trajectory) -> Array:
    """Moments and forces of loads (n, 2 k, 3) in the axes of their nodes, about their frames."""
    store = rows.store
    values = np.array(store.read("wrench")).reshape(rows.n, -1, 2, 3)
    for k, where in enumerate(store.columns.wrenches):
        frame = rows.system.place(where)
        if not frame.plain:
            lever = np.cross(frame.position, values[:, k, 1])
            values[:, k, 0] -= lever
            rest, whole = (np.linalg.norm(x, axis=1) for x in (values[:, k, 0], lever))
            values[rest < _ROUNDING * whole, k, 0] = 0.0
    return values.reshape(rows.n, -1, 3)


def _joint_loads(rows: Trajectory) -> Array:
    """Moments and forces of all joints in body axes (n, n_body, 6); zero where there are none."""
    system, columns = rows.system, rows.store.columns
    table = np.concatenate([rows.store.read(x).reshape(rows.n, -1) for x in columns.fields], axis=1)
    bad = ~np.all(np.isfinite(table), axis=1)
    table[bad, columns.slices["v"].start :] = 0.0
    try:
        loads = np.array(reactions(system, MemoryStore(columns, table)))
    except StateError:  # finite, but so large that the result overflows
        return np.zeros((rows.n, system.n_body, 6))
    loads[bad] = 0.0
    return loads


def _at(name: str, kind: str, end: LoopEnd) -> Arrow:
    node = 0 if end.body == GROUND else end.node
    return Arrow(name, kind, end.body, node, end.position)
