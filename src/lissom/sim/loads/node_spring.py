"""Spring and damper between two nodes."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Any

from ...errors import LoadError
from ...fields import NumberField, PointField, declare, declared
from ...kernels.compiling import jit
from ...kernels.run.registry import NodeKind, register
from ...kernels.run.slots import SLOT_POSE, SLOT_POSITION, SLOT_RATE, add_change, add_wrench
from ...kernels.small import add, added, cross, dot, matrix, scaled, turn, turn_back, vector
from .forms import ORIGIN, EndField, in_slot, place_text
from .load import Load

if TYPE_CHECKING:
    from ..run.plan import Plan

STIFFNESS, DAMPING, LENGTH, AT_A, AT_B = 0, 1, 2, 3, 6  # its constants


@jit
def _force(load, table, memory, signals, work, a, b, states, o):
    c = load.constants
    r_a, r_b = vector(table, c + AT_A), vector(table, c + AT_B)
    f, _d, _rate = _pull(table, c, work, a, b)
    f_a = turn_back(matrix(work, a + SLOT_POSE), f)
    f_b = turn_back(matrix(work, b + SLOT_POSE), scaled(-1.0, f))
    add_wrench(work, a, cross(r_a, f_a), f_a)
    add_wrench(work, b, cross(r_b, f_b), f_b)


@jit
def _pull(table, c, work, a, b):
    """Force on the end at a, from a to b, and from a to b their distance and its rate.

    f = (k (|d| - l) + c u . d') u      u = d / |d|                                          (1)
    """
    x_a, v_a = _end(work, a, vector(table, c + AT_A))
    x_b, v_b = _end(work, b, vector(table, c + AT_B))
    d, rate = added(x_b, -1.0, x_a), added(v_b, -1.0, v_a)
    length = math.sqrt(dot(d, d))
    if length > 0.0:
        unit = scaled(1.0 / length, d)
        pull = table[c + STIFFNESS] * (length - table[c + LENGTH])
        pull += table[c + DAMPING] * dot(unit, rate)
        f = scaled(pull, unit)
    else:
        f = scaled(table[c + DAMPING], rate)
    return f, d, rate


@jit
def _end(work, slot, r):
    """Position and velocity, world axes, of a point r given in the axes of a slot."""
    arm = turn(matrix(work, slot + SLOT_POSE), r)
    x = add(vector(work, slot + SLOT_POSITION), arm)
    return x, add(vector(work, slot + SLOT_RATE + 3), cross(vector(work, slot + SLOT_RATE), arm))


@jit
def _change(load, table, memory, signals, work, a, b, motion, m_a, m_b, out, o_a, o_b):
    """Change of the wrenches of (1); in the axes of a slot that turns by theta, df - theta x f.

    df = u (k u . dd + c du . d' + c u . dd') + (|f| / |d|) (dd - u (u . dd))                (2)
    du = (dd - u (u . dd)) / |d|
    """
    c = load.constants
    f, d, rate = _pull(table, c, work, a, b)
    arm_a, x_a, v_a = _end_change(work, a, vector(table, c + AT_A), motion, m_a)
    arm_b, x_b, v_b = _end_change(work, b, vector(table, c + AT_B), motion, m_b)
    change, change_rate = added(x_b, -1.0, x_a), added(v_b, -1.0, v_a)
    length = math.sqrt(dot(d, d))
    k, damping = table[c + STIFFNESS], table[c + DAMPING]
    if length > 0.0:
        u = scaled(1.0 / length, d)
        along = dot(u, change)
        across = added(change, -along, u)
        pull = k * along + damping * (dot(across, rate) / length + dot(u, change_rate))
        df = added(scaled(pull, u), dot(f, u) / length, across)
    else:  # only a spring that is relaxed at this length has a derivative
        df = scaled(damping, change_rate)
        if table[c + LENGTH] == 0.0:
            df = added(df, k, change)
    f_a = added(df, -1.0, cross(vector(motion, m_a), f))
    f_b = added(scaled(-1.0, df), 1.0, cross(vector(motion, m_b), f))
    add_change(out, o_a, cross(arm_a, f_a), f_a)
    add_change(out, o_b, cross(arm_b, f_b), f_b)


@jit
def _end_change(work, slot, r, motion, m):
    """Arm of a point r in world axes, and changes of its position and velocity."""
    arm = turn(matrix(work, slot + SLOT_POSE), r)
    turned = cross(vector(motion, m), arm)
    rate = add(vector(motion, m + 9), cross(vector(motion, m + 6), arm))
    rate = add(rate, cross(vector(work, slot + SLOT_RATE), turned))
    return arm, add(vector(motion, m + 3), turned), rate


NODE_SPRING = register(
    NodeKind("spring between nodes", _force, _change, stiff=True, advice="make it softer, or ")
)


@declared()
class NodeSpring(Load):
    """Spring and damper along the line between two nodes."""

    file_kind = "node_spring"

    a: Any = declare(
        EndField(),
        '"body", "body.node", the name of a frame, or a point fixed in the world [m]; None is the '
        "origin of the world, from which `at_a` leads to the point.",
    )
    b: Any = declare(EndField(), "The other end, likewise.", default=None)
    stiffness: float = declare(NumberField("stiffness", least=0), "Stiffness.", default=0.0)
    _: KW_ONLY
    damping: float = declare(NumberField("damping", least=0), "Damping.", default=0.0)
    length: float = declare(NumberField("length", least=0), "Relaxed length.", default=0.0)
    at_a: Any = declare(
        PointField(),
        "Attachment point, from the origin of the body, node or frame `a`, in its axes.",
        default=ORIGIN,
    )
    at_b: Any = declare(PointField(), "Attachment point on `b`, likewise.", default=ORIGIN)

    @property
    def place(self) -> str:
        """Both ends."""
        return f"{place_text(self.a)} and {place_text(self.b)}"

    def enter(self, plan: Plan) -> None:
        """Add the load to the plan of a run."""
        ends = plan.place(self.a, self), plan.place(self.b, self)
        if ends[0].node == ends[1].node and ends[0].body == ends[1].body:
            what = "the ground" if ends[0].grounded else "the same body or node"
            raise LoadError(f"{self.label}: both ends are on {what}; attach one elsewhere")
        a, b = (plan.slot(end) for end in ends)
        at_a, at_b = in_slot(ends[0], self.at_a), in_slot(ends[1], self.at_b)
        constants = [self.stiffness, self.damping, self.length, *at_a, *at_b]
        rates = self.damping > 0
        plan.add_node_load(self, NODE_SPRING, a, b, constants, 0, "world", rates=rates)
