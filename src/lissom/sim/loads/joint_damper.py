"""Viscous damping of a joint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ...kernels.compiling import jit
from ...kernels.run.registry import JointKind, register
from ..run.checks import joint_name, keep
from .load import FileField, Load
from .on_joint import check_not_negative, per_motion

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


@dataclass(frozen=True, eq=False)
class JointDamper(Load):
    """Viscous damping of a joint.

    Parameters
    ----------
    joint : str
        Body that the joint carries, or loop that it closes.
    damping : float or array (n_v,)
        Damping [N m s/rad or N s/m].
    """

    file_kind = "joint_damper"
    file_fields: ClassVar[Mapping[str, FileField]] = {
        "joint": FileField("text"),
        "damping": FileField("numbers", "damping"),
    }

    joint: str
    damping: Any

    def check(self) -> None:
        """Check the fields that do not depend on a system."""
        keep(self, joint=joint_name(self.joint, f"{self.label}: joint"))
        check_not_negative(self, "damping")

    @property
    def place(self) -> str:
        """Joint."""
        return self.joint

    def enter(self, plan: Plan) -> None:
        """Add the load to the plan of a run."""
        joint = plan.joint(self.joint, self, loops=True)
        plan.add_hinge_load(self, DAMPER, joint, per_motion(self, "damping", joint.n_v))
