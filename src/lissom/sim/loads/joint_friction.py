"""Coulomb friction of a joint."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY
from typing import TYPE_CHECKING

from ...fields import NumberField, declare, declared
from ...kernels.compiling import jit
from ...kernels.run.registry import JointKind, register
from .forms import JointField
from .load import Load

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


@declared()
class JointFriction(Load):
    """Coulomb friction of a joint, smoothed at zero speed: -force tanh(rate / speed)."""

    file_kind = "joint_friction"

    joint: str = declare(JointField(), "Body that the joint carries, or loop that it closes.")
    force: float = declare(NumberField("joint force", least=0), "Friction at large speed.")
    _: KW_ONLY
    speed: float = declare(
        NumberField("rate", above=0), "Speed at which it reaches 76 % of that.", default=1e-3
    )

    def enter(self, plan: Plan) -> None:
        """Add the load to the plan of a run."""
        joint = plan.joint(self.joint, self, loops=True)
        plan.add_hinge_load(self, FRICTION, joint, [self.force, self.speed])
