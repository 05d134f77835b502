"""Motor force or torque on a joint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...errors import LoadError
from ...kernels.compiling import jit
from ...kernels.run.registry import STIFF_FUNCTION, JointKind, register
from ..run.checks import joint_name, keep, not_negative, number
from ..signals.signal import as_signal
from .load import FileField, Load

if TYPE_CHECKING:
    from ..run.plan import Plan

RATIO, LIMIT = range(2)  # its constants


@jit
def _force(table, c, n, q, o_q, v, o_v, signals, states, z, dz, o, T):
    ratio, limit = table[c + RATIO], table[c + LIMIT]
    for j in range(n):
        T[o_v + j] += ratio * min(max(signals[j], -limit), limit)


@jit
def _change(table, c, n, signals, o, T, o_v):
    for j in range(n):
        if abs(signals[j]) < table[c + LIMIT]:
            T[o_v + j] += table[c + RATIO] * signals[o + j]


FORCE = register(
    JointKind("force", _force, signal_alone=True, change=_change, advice=STIFF_FUNCTION)
)


@dataclass(frozen=True, eq=False)
class Actuator(Load):
    """Force or torque of a motor on a joint, through a gear.

    The joint receives ``ratio * force``; a rotor adds ``ratio**2 * rotor_inertia`` to the inertia
    at the joint's speed.  Its gyroscopic moment on its carrier is a `Rotor`.

    Parameters
    ----------
    joint : str
        Body that the joint carries, or loop that it closes.
    force : number, array, Table or callable
        On the motor side [N or N m], one number for each speed of the joint: constant, tabulated,
        or a function f(time) or f(time, state).
    ratio : float
        Turns of the motor per turn of the joint.
    rotor_inertia : float
        About the motor's axis [kg m^2], or moved mass [kg] of a linear motor.
    limit : float
        Largest magnitude of `force`.
    """

    file_kind = "actuator"
    file_fields: ClassVar[Mapping[str, FileField]] = {
        "joint": FileField("text"),
        "force": FileField("signal", "force"),
        "ratio": FileField("number", "number"),
        "rotor_inertia": FileField("number", "rotor", least=0),
        "limit": FileField("number", "force", above=0, infinite=True),
    }
    is_motor = True

    joint: str
    force: Any = 0.0
    ratio: float = field(default=1.0, kw_only=True)
    rotor_inertia: float = field(default=0.0, kw_only=True)
    limit: float = field(default=np.inf, kw_only=True)

    def check(self) -> None:
        """Check the fields that do not depend on a system."""
        keep(self, joint=joint_name(self.joint, f"{self.label}: joint"))
        what = f"{self.label}: rotor_inertia"
        keep(
            self,
            ratio=number(
                self.ratio,
                f"{self.label}: ratio",
                "one finite number other than zero",
                lambda x: 0 < abs(x) < np.inf,
            ),
            rotor_inertia=not_negative(self.rotor_inertia, what),
            limit=number(
                self.limit, f"{self.label}: limit", "one positive number", lambda x: x > 0
            ),
        )
        seen = self.ratio * self.ratio * self.rotor_inertia  # ** would raise where it overflows
        number(seen, f"{what} times ratio squared", "a finite number; give smaller ones")

    @property
    def place(self) -> str:
        """Joint."""
        return self.joint

    def enter(self, plan: Plan) -> None:
        """Add the load to the plan of a run."""
        joint = plan.joint(self.joint, self, loops=True)
        if joint.loop >= 0 and self.rotor_inertia:
            raise LoadError(
                f"{self.label}: rotor_inertia is {self.rotor_inertia:g}, but {self.joint!r} is the "
                "joint of a loop, at which there is no inertia; leave it out, add it to a body, or "
                "cut the loop at another joint (Model.close)"
            )
        plan.add_armature(joint, self.ratio * self.ratio * self.rotor_inertia)
        value = as_signal(self.force, joint.n_v, f"{self.label}: force")
        plan.add_hinge_load(
            self,
            FORCE,
            joint,
            [self.ratio, self.limit],
            signal=plan.signal(value, joint.n_v, self.label),
        )
