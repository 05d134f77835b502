"""Joints that close loops of bodies."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..immutable import array_of, immutable
from ..joints import Joint
from ..printing import Shown

Array = np.ndarray

GROUND = -1


@immutable("change the loop of the model and compile it again")
@dataclass(frozen=True, eq=False)
class LoopEnd(Shown):
    """Frame on a node of a body, or on the ground, at which a loop is cut.

    Attributes
    ----------
    body : int
        Number of the body, -1 for the ground.
    node : int
        Node of the body; -1 for the ground.
    rotation : array (3, 3)
        Axes of the frame to the axes of the node.
    position : array (3,)
        Origin of the frame in the frame of the node [m].
    """

    body: int
    node: int
    rotation: Array = field(metadata=array_of("1", "axis", "other_axis"))
    position: Array = field(metadata=array_of("m", "axis"))


@immutable("change the loop of the model and compile it again")
@dataclass(frozen=True, eq=False)
class Loop(Shown):
    """Joint between two frames of a tree: frame b moves relative to frame a as the joint allows.

    Attributes
    ----------
    name : str
        Name of the loop.
    joint : Joint
        Joint that closes the loop; its inboard frame is at end `a`, its outboard frame at end `b`.
    a, b : LoopEnd
        Attachments of the joint.
    chosen : bool
        Whether `Model.compile` chose to cut this joint, rather than the user.
    """

    name: str
    joint: Joint
    a: LoopEnd
    b: LoopEnd
    chosen: bool = field(default=False, kw_only=True)

    @property
    def ends(self) -> tuple[LoopEnd, LoopEnd]:
        """Both ends."""
        return self.a, self.b

    @property
    def n_constraint(self) -> int:
        """Number of constraint equations."""
        return 6 - self.joint.n_v
