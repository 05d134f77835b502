"""Viscous damping of a joint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...fields import NumbersField, declare, declared
from ...kernels.compiling import jit
from ...kernels.run.registry import JointKind, register
from .forms import JointField, per_motion
from .load import Load

if TYPE_CHECKING:
    from ..run.plan import Plan

# Its constants: the damping of each motion


@jit
def _force(table, c, n, q, o_q, v, o_v, signals, states, z, dz, o, T):
    for j in range(n):
        T[o_v + j] -= table[c + j] * v[o_v + j]


@jit
def _slopes(table, c, n, q, o_q, v, o_v, signals, states, z, sides, K, C):
    for j in range(n):
        C[o_v + j] += table[c + j]


DAMPER = register(
    JointKind("damper", _force, _slopes, steepest=lambda numbers, n: (0.0, numbers[:n]))
)


@declared()
class JointDamper(Load):
    """Viscous damping of a joint."""

    file_kind = "joint_damper"

    joint: str = declare(JointField(), "Body that the joint carries, or loop that it closes.")
    damping: Any = declare(NumbersField("joint damping", least=0), "Damping.")

    def enter(self, plan: Plan) -> None:
        """Add the load to the plan of a run."""
        joint = plan.joint(self.joint, self, loops=True)
        plan.add_hinge_load(self, DAMPER, joint, per_motion(self, "damping", joint.n_v))
