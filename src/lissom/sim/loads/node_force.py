"""Force and moment on a body, node or frame."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import LoadError
from ...fields import ChoiceField, PointField, declare, declared
from ...kernels.compiling import jit
from ...kernels.run.registry import STIFF_FUNCTION, NodeKind, register
from ...kernels.run.slots import SLOT_POSE, add_change, add_wrench
from ...kernels.small import ZERO, cross, matrix, scaled, turn, turn_back, vector
from ..signals.signal import as_signal, turned_signal
from .forms import ORIGIN, PlaceField, SignalField, in_slot
from .load import Load

if TYPE_CHECKING:
    from ..run.plan import Plan

IS_FORCE, ARM = range(2)  # its constants: force or moment, and point of application


@jit
def _force(load, table, memory, signals, work, a, b, states, o):
    c = load.constants
    f = vector(signals, 0)
    if load.axes != 0:
        f = turn_back(matrix(work, a + SLOT_POSE), f)
    if table[c + IS_FORCE] == 0.0:
        add_wrench(work, a, f, ZERO)
    else:
        add_wrench(work, a, cross(vector(table, c + ARM), f), f)


@jit
def _change(load, table, memory, signals, work, a, b, motion, m_a, m_b, out, o_a, o_b):
    """Change in the axes of the node, which turns by theta: -theta x f if f keeps its direction."""
    c = load.constants
    if load.axes == 0:
        return
    f = scaled(-1.0, cross(vector(motion, m_a), vector(signals, 0)))
    if table[c + IS_FORCE] == 0.0:
        add_change(out, o_a, f, ZERO)
    else:
        arm = turn(matrix(work, a + SLOT_POSE), vector(table, c + ARM))
        add_change(out, o_a, cross(arm, f), f)


NODE_FORCE = register(NodeKind("force on a node", _force, _change, advice=STIFF_FUNCTION))


@declared()
class NodeForce(Load):
    """Force and moment on a body, node or frame."""

    file_kind = "node_force"

    where: str = declare(PlaceField(), '"body", "body.node" or the name of a frame.')
    force: Any = declare(
        SignalField("force", "array (3,), Table of 3 columns, or callable"),
        "Force []; a function is f(time) or f(time, state).",
        default=ORIGIN,
    )
    moment: Any = declare(
        SignalField("torque", "array (3,), Table of 3 columns, or callable"),
        "Moment [], like the force.",
        default=ORIGIN,
    )
    _: KW_ONLY
    axes: str = declare(
        ChoiceField(options=("world", "body")),
        "Axes of the components: world axes, or those of the node or frame (follower force).",
        default="world",
    )
    at: Any = declare(
        PointField(),
        "Point of application, from the origin of the body, node or frame, in its axes.",
        default=ORIGIN,
    )

    def enter(self, plan: Plan) -> None:
        """Add the load to the plan of a run."""
        frame = plan.place(self.where, self)
        if frame.grounded:
            raise LoadError(
                f"{self.label}: {self.where!r} is fixed to the ground, where a force has no "
                "effect; give a body, a node or a frame on one"
            )
        slot, at = plan.slot(frame), in_slot(frame, self.at)
        for part, is_force in (("moment", False), ("force", True)):
            what = f"{self.label}: {part}"
            components = as_signal(getattr(self, part), 3, what)
            if isinstance(components, np.ndarray) and not np.any(components):
                continue
            if self.axes == "body" and not frame.plain:
                components = turned_signal(components, frame.rotation, what)
            signal = plan.signal(components, 3, what)
            constants = [is_force, *at]
            plan.add_node_load(self, NODE_FORCE, slot, slot, constants, signal, self.axes)
