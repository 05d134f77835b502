"""Elastic stops of a joint."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import TYPE_CHECKING

from ...errors import LoadError, shown
from ...fields import NumberField, declare, declared
from ...kernels.compiling import jit
from ...kernels.run.registry import JointKind, register
from .forms import JointField
from .load import Load

if TYPE_CHECKING:
    from ..run.plan import Plan

LOWER, UPPER, STIFFNESS, DAMPING = range(4)  # its constants


@jit
def _stop_force(table, c, x, rate):
    """Force that pushes a coordinate back between its limits, and its slopes in x and rate.

    k d (1 + damping d'), d the depth beyond the limit: continuous at contact, never pulling.
    """
    lower, upper = table[c + LOWER], table[c + UPPER]
    k, damping = table[c + STIFFNESS], table[c + DAMPING]
    depth, sign = 0.0, 1.0
    if x > upper:
        depth = x - upper
    elif x < lower:
        depth, sign = lower - x, -1.0
    if depth == 0.0:
        return 0.0, 0.0, 0.0
    grow = 1.0 + damping * sign * rate
    if grow <= 0.0:
        return 0.0, 0.0, 0.0
    return sign * k * depth * grow, k * grow, k * depth * damping


@jit
def _force(table, c, n, q, o_q, v, o_v, signals, states, z, dz, o, T):
    for j in range(n):
        T[o_v + j] -= _stop_force(table, c, q[o_q + j], v[o_v + j])[0]


@jit
def _slopes(table, c, n, q, o_q, v, o_v, signals, states, z, sides, K, C):
    for j in range(n):
        _f, stiffness, damping = _stop_force(table, c, q[o_q + j], v[o_v + j])
        K[o_v + j] += stiffness
        C[o_v + j] += damping


STOP = register(
    JointKind(
        "stop",
        _force,
        _slopes,
        steepest=lambda numbers, _n: (numbers[STIFFNESS], 0.0),
        nonlinear=True,
        kinked=True,
        catches=True,
    )
)


@declared()
class JointStop(Load):
    """Elastic stops at the ends of a joint's travel.

    Force at the depth d beyond a limit: stiffness d (1 + damping d'), never pulling (Hunt and
    Crossley).
    """

    file_kind = "joint_stop"

    joint: str = declare(JointField(), "Body that the joint carries, or loop that it closes.")
    lower: float = declare(
        NumberField("coordinate", infinite=True),
        "Lower limit of each coordinate []; the angle of a loop's joint as for `JointSpring`.",
    )
    upper: float = declare(
        NumberField("coordinate", infinite=True), "Upper limit of each coordinate."
    )
    _: KW_ONLY
    stiffness: float = declare(NumberField("joint stiffness", above=0), "Stiffness.")
    damping: float = declare(NumberField("joint stop damping", least=0), "Damping.", default=0.0)

    def check(self) -> None:
        """Check what a field alone does not tell."""
        if not self.lower < self.upper:
            raise LoadError(
                f"{self.label}: lower is {shown(self.lower)} and upper is {shown(self.upper)}; "
                "expected two numbers, possibly infinite, with lower < upper"
            )

    def enter(self, plan: Plan) -> None:
        """Add the load to the plan of a run."""
        joint = plan.joint(self.joint, self, loops=True)
        if not joint.plain or joint.has_quaternion:
            raise LoadError(
                f"{self.label}: a {joint.label} joint has no coordinates to limit; stops need "
                "joints such as Revolute or Prismatic"
            )
        numbers = [self.lower, self.upper, self.stiffness, self.damping]
        plan.add_hinge_load(self, STOP, joint, numbers)
