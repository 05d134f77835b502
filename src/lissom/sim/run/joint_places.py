"""Places of the joints that loads act on: those of the tree, and those that close loops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...errors import LoadError
from ...joints import ClosedContact, Joint
from ...system import GROUND, Frame, LoopEnd, System

if TYPE_CHECKING:
    from .plan import Plan


@dataclass(frozen=True)
class JointPlace:
    """Offsets and counts of a joint's coordinates and speeds."""

    body: int  # number of the body that the joint carries; -1 for the joint of a loop
    joint: Joint
    # q, v: offsets of its coordinates and speeds; of a loop: among those of all loaded loops
    q: int
    v: int
    # n_q, n_v: numbers of coordinates and speeds
    n_q: int
    n_v: int
    loop: int = -1  # number of the loop that the joint closes, or -1

    @property
    def has_quaternion(self) -> bool:
        """Whether its first coordinates are a quaternion."""
        return self.joint.has_quaternion

    @property
    def plain(self) -> bool:
        """Whether its speeds are the rates of its coordinates."""
        if self.loop >= 0 and self.joint.nearest_iterates:
            return False  # its coordinates are searched for and may jump
        return all(chart.kind not in ("product", "mapped") for chart in self.joint.charts)

    @property
    def label(self) -> str:
        """Kind of the joint."""
        return type(self.joint).__name__


def loop_joint(plan: Plan, name: str, label: str) -> JointPlace:
    """Joint of a loop; at its first use it gets room for its motions, and slots at its ends."""
    if name in plan.loop_joints:
        return plan.loop_joints[name]
    k = [loop.name for loop in plan.system.loops].index(name)
    loop, before = plan.system.loops[k], plan.loop_joints.values()
    joint = loop.joint
    if isinstance(joint, ClosedContact):
        raise LoadError(
            f"{label}: loop {name!r} is a contact ({joint.label}), which has no joint to load; act "
            "on the joint of the wheel, or use NodeForce"
        )
    if joint.n_v == 0:
        raise LoadError(f"{label}: the joint of loop {name!r} is fixed; nothing moves there")
    q, v = sum(x.n_q for x in before), sum(x.n_v for x in before)
    a, b = (plan.slot(_node(plan.system, end)) for end in loop.ends)
    plan.add(
        "loop_joints",
        loop=k,
        q=q,
        v=v,
        n=joint.n_v,
        n_q=joint.n_q,
        slot_a=a,
        slot_b=b,
        turning=plan.table(joint.turning),
        angles=plan.reserve(joint.n_q, [np.inf] * joint.n_q),
    )
    place = JointPlace(GROUND, joint, q, v, joint.n_q, joint.n_v, k)
    plan.loop_joints[name] = place
    return place


def _node(system: System, end: LoopEnd) -> Frame:
    """Node that carries an end of a loop."""
    if end.body == GROUND:
        return Frame("the ground", GROUND, GROUND)
    name, body = system.names[end.body], system.bodies[end.body]
    if end.node != body.inboard:
        nodes = {number: node for node, number in body.node_names.items()}
        name = f"{name}.{nodes.get(end.node, end.node)}"
    return Frame(name, end.body, end.node, plain=True)
