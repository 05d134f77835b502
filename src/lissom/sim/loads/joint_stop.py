"""Elastic stops of a joint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from ...errors import LoadError, shown
from ...kernels.compiling import jit
from ...kernels.run.registry import JointKind, register
from ..run.checks import is_number, joint_name, keep, not_negative, positive
from .load import FileField, Load

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


@dataclass(frozen=True, eq=False)
class JointStop(Load):
    """Elastic stops at the ends of a joint's travel.

    Force at the depth d beyond a limit: stiffness d (1 + damping d'), never pulling (Hunt and
    Crossley).

    Parameters
    ----------
    joint : str
        Body that the joint carries, or loop that it closes.
    lower, upper : float
        Limits of each coordinate; the angle of a loop's joint as for `JointSpring`.
    stiffness : float
        Stiffness [N m/rad or N/m].
    damping : float
        Damping [s/rad or s/m].
    """

    file_kind = "joint_stop"
    file_fields: ClassVar[Mapping[str, FileField]] = {
        "joint": FileField("text"),
        "lower": FileField("number", "coordinate", infinite=True),
        "upper": FileField("number", "coordinate", infinite=True),
        "stiffness": FileField("number", "stiffness", above=0),
        "damping": FileField("number", "stop damping", least=0),
    }

    joint: str
    lower: float
    upper: float
    stiffness: float = field(kw_only=True)
    damping: float = field(default=0.0, kw_only=True)

    def check(self) -> None:
        """Check the fields that do not depend on a system."""
        keep(self, joint=joint_name(self.joint, f"{self.label}: joint"))
        limits = is_number(self.lower) and is_number(self.upper)
        if not limits or not self.lower < self.upper:
            raise LoadError(
                f"{self.label}: lower is {shown(self.lower)} and upper is {shown(self.upper)}; "
                "expected two numbers, possibly infinite, with lower < upper"
            )
        keep(
            self,
            lower=float(self.lower),
            upper=float(self.upper),
            stiffness=positive(self.stiffness, f"{self.label}: stiffness"),
            damping=not_negative(self.damping, f"{self.label}: damping"),
        )

    @property
    def place(self) -> str:
        """Joint."""
        return self.joint

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
