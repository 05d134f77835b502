"""Conversion of loops to text and arrays, and back, for `system`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...system import GROUND, Loop, LoopEnd, System
from .joints import Numbers, described_joint, joined, restored_joint

Array = np.ndarray


def describe_loops(loops: Sequence[Loop]) -> tuple[list[dict[str, Any]], dict[str, Array]]:
    """Name, kind of joint, origin of the cut and memory orders of loops, and their numbers."""
    joints = [described_joint(f"loop {loop.name!r}", loop.joint) for loop in loops]
    ends = [end for loop in loops for end in loop.ends]
    words = [
        {
            "name": loop.name,
            "joint": kind,
            "chosen": bool(loop.chosen),
            # As for the maps of joints: the memory order affects the last bit of products.
            "orders": ["C" if end.rotation.flags.c_contiguous else "F" for end in loop.ends],
        }
        for loop, (kind, _) in zip(loops, joints, strict=True)
    ]
    arrays = {
        "loop_body": np.array([end.body for end in ends], dtype="<i8"),
        "loop_node": np.array([end.node for end in ends], dtype="<i8"),
        "loop_rotation": joined([end.rotation for end in ends]),
        "loop_position": joined([end.position for end in ends]),
        "loop_joint_parameters": joined([x for _, numbers in joints for x in numbers]),
    }
    return words, arrays


def restored_loops(words: Sequence[dict[str, Any]], arrays: dict[str, Array]) -> tuple[Loop, ...]:
    """Loops from their descriptions and arrays, bitwise equal."""
    if not words:
        return ()
    names = ("loop_rotation", "loop_position", "loop_joint_parameters")
    flat = [Numbers(arrays.get(name, np.zeros(0))) for name in names]
    places = np.stack([np.asarray(arrays[name]) for name in ("loop_body", "loop_node")])
    places = places.astype(int).reshape(2, len(words), 2)
    rotations, positions, parameters = flat

    def end(place: Array, order: Any) -> LoopEnd:
        body, node = map(int, place)
        rotation = np.array(rotations.take(3, 3), order=order)
        return LoopEnd(body, node, rotation, positions.take(3))

    loops = []
    for k, loop in enumerate(words):
        joint = restored_joint(loop["joint"], parameters)
        orders = zip((0, 1), loop["orders"], strict=True)
        ends = (end(places[:, k, side], order) for side, order in orders)
        loops.append(Loop(str(loop["name"]), joint, *ends, chosen=bool(loop["chosen"])))
    for numbers in flat:
        numbers.check_used()
    return tuple(loops)


def check_loops(system: System) -> None:
    """Reject loops between invalid nodes, which the kernels would use as indices."""
    names = [loop.name for loop in system.loops]
    if len({*names, *system.names}) != len(names) + system.n_body:
        raise ValueError("two loops, or a loop and a body, have the same name")
    for loop in system.loops:
        if loop.joint.n_v >= 6 or loop.a.body == loop.b.body:
            raise ValueError(f"loop {loop.name!r} has no constraint")
        for end in loop.ends:
            on_body = 0 <= end.body < system.n_body
            nodes = len(system.bodies[end.body].node_positions) if on_body else 0
            if not (0 <= end.node < nodes or end.body == end.node == GROUND):
                raise ValueError(f"loop {loop.name!r} ends on a node that does not exist")
