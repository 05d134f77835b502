"""Coulomb friction of a joint."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from ...kernels.compiling import jit
from ...kernels.run.registry import JointKind, register
from ..run.checks import joint_name, keep, not_negative, positive
from .load import FileField, Load

if TYPE_CHECKING:
    from ..run.plan import Plan

SIZE, SPEED = range(2)  # its constants


@jit
def _force(table, c, n, q, o_q, v, o_v, signals, states, z, dz, o, T):
    for j in range(n):
        T[o_v + j] -= table[c + SIZE] * math.tanh(v[o_v + j] / table[c + SPEED])


@jit
def _slopes(table, c, n, q, o_q, v, o_v, signals, states, z, sides, K, C):
    """Slope of a secant: the tangent of a near-step would make iterates jump across it endlessly.

    The secant between the last iterates on both sides halves the interval each time.
    """
    size, speed = table[c + SIZE], table[c + SPEED]
    n_v = len(K)
    for j in range(n):
        y = math.tanh(v[o_v + j] / speed)
        slope = (1.0 - y * y) / speed
        below, above = sides[o_v + j], sides[n_v + o_v + j]
        if below < 0.0 and above > 0.0:
            y = math.tanh(above / speed) - math.tanh(below / speed)
            slope = max(slope, y / (above - below))
        C[o_v + j] += size * slope


FRICTION = register(
    JointKind(
        "friction",
        _force,
        _slopes,
        steepest=lambda numbers, _n: (0.0, numbers[SIZE] / numbers[SPEED]),
        nonlinear=True,
        kinked=True,
    )
)


@dataclass(frozen=True, eq=False)
class JointFriction(Load):
    """Coulomb friction of a joint, smoothed at zero speed: -force tanh(rate / speed).

    Parameters
    ----------
    joint : str
        Body that the joint carries, or loop that it closes.
    force : float
        Friction at large speed [N m or N].
    speed : float
        Speed at which it reaches 76 % of that [rad/s or m/s].
    """

    file_kind = "joint_friction"
    file_fields: ClassVar[Mapping[str, FileField]] = {
        "joint": FileField("text"),
        "force": FileField("number", "force", least=0),
        "speed": FileField("number", "rate", above=0),
    }

    joint: str
    force: float
    speed: float = field(default=1e-3, kw_only=True)

    def check(self) -> None:
        """Check the fields that do not depend on a system."""
        keep(self, joint=joint_name(self.joint, f"{self.label}: joint"))
        keep(
            self,
            force=not_negative(self.force, f"{self.label}: force"),
            speed=positive(self.speed, f"{self.label}: speed"),
        )

    @property
    def place(self) -> str:
        """Joint."""
        return self.joint

    def enter(self, plan: Plan) -> None:
        """Add the load to the plan of a run."""
        joint = plan.joint(self.joint, self, loops=True)
        plan.add_hinge_load(self, FRICTION, joint, [self.force, self.speed])
