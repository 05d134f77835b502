"""Named frames of a System as names and arrays, and back, for `system`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...system import GROUND, Frame, System
from .joints import Numbers, joined

__all__ = ["check_frames", "describe_frames", "restored_frames"]

Array = np.ndarray


def describe_frames(frames: Sequence[Frame]) -> tuple[list[str], dict[str, Array]]:
    """Names of the frames; their bodies, nodes, axes and origins."""
    arrays = {
        "named_frame_body": np.array([frame.body for frame in frames], dtype="<i8"),
        "named_frame_node": np.array([frame.node for frame in frames], dtype="<i8"),
        "named_frame_rotation": joined([frame.rotation for frame in frames]),
        "named_frame_position": joined([frame.position for frame in frames]),
    }
    return [frame.name for frame in frames], arrays


def restored_frames(names: Sequence[str], arrays: dict[str, Array]) -> tuple[Frame, ...]:
    """Frames of their names and of the arrays of a description, to the last bit."""
    if not names:
        return ()
    keys = ("named_frame_body", "named_frame_node")
    places = np.stack([np.asarray(arrays[key]).astype(int) for key in keys]).reshape(2, len(names))
    rotations = Numbers(arrays["named_frame_rotation"])
    positions = Numbers(arrays["named_frame_position"])
    frames = [
        Frame(str(name), int(body), int(node), rotations.take(3, 3), positions.take(3))
        for name, body, node in zip(names, *places, strict=True)
    ]
    rotations.check_used()
    positions.check_used()
    return tuple(frames)


def check_frames(system: System) -> None:
    """Refuse frames on places that do not exist: the kernels would follow them."""
    frames = [frame.name for frame in system.frames]
    names = [*system.names, *(one.name for one in system.constraints), *frames]
    if len(set(names)) != len(names):
        raise ValueError("two frames, or a frame and a body, loop or coupling, have one name")
    for frame in system.frames:
        on_body = 0 <= frame.body < system.n_body
        nodes = len(system.bodies[frame.body].node_positions) if on_body else 0
        if not (0 <= frame.node < nodes or frame.body == frame.node == GROUND):
            raise ValueError(f"frame {frame.name!r} is on a node that does not exist")
