"""Motor force or torque on a joint."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import LoadError
from ...fields import NumberField, declare, declared
from ...kernels.compiling import jit
from ...kernels.run.registry import STIFF_FUNCTION, JointKind, register
from ..run.checks import number
from ..signals.signal import as_signal
from .forms import JointField, SignalField
from .load import Load

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


@declared()
class Actuator(Load):
    """Force or torque of a motor on a joint, through a gear.

    The joint receives ``ratio * force``; a rotor adds ``ratio**2 * rotor_inertia`` to the inertia
    at the joint's speed.  Its gyroscopic moment on its carrier is a `Rotor`.
    """

    file_kind = "actuator"
    is_motor = True

    joint: str = declare(JointField(), "Body that the joint carries, or loop that it closes.")
    force: Any = declare(
        SignalField("joint force"),
        "On the motor side [], one number for each speed of the joint: constant, tabulated, or a "
        "function f(time) or f(time, state).",
        default=0.0,
    )
    _: KW_ONLY
    ratio: float = declare(
        NumberField("number", nonzero=True),
        "Turns of the motor per turn of the joint.",
        default=1.0,
    )
    rotor_inertia: float = declare(
        NumberField("rotor", least=0),
        "About the motor's axis [kg m^2], or moved mass [kg] of a linear motor.",
        default=0.0,
    )
    limit: float = declare(
        NumberField("joint force", above=0, infinite=True),
        "Largest magnitude of `force`.",
        default=np.inf,
    )

    def check(self) -> None:
        """Check what a field alone does not tell."""
        seen = self.ratio * self.ratio * self.rotor_inertia  # ** would raise where it overflows
        what = f"{self.label}: rotor_inertia times ratio squared"
        number(seen, what, "a finite number; give smaller ones")

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
