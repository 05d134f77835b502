"""Given motion of a joint."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Any

from ...errors import LoadError, shown
from ...fields import NumberField, declare, declared
from ...kernels.layout import run
from ..signals.callbacks import is_compiled
from ..signals.differences import COARSEST
from ..signals.followed import followed
from ..signals.signal import SMOOTHNESS, Table, as_signal
from .forms import JointField, SignalField
from .load import Load

if TYPE_CHECKING:
    from ..run.plan import Plan


@declared()
class Motion(Load):
    """Given motion of a joint as a function of time; the force that it requires is an output.

    The channel "body.force" of the joint is the total force there, including springs, dampers and
    motors on the same joint.

    Give one of position, velocity and acceleration.  With `position`, velocity and acceleration may
    be given too, as its first and second derivatives; otherwise a function is differentiated
    numerically with a spacing adapted to it (relative errors about 1e-11 and 1e-9).  Where that
    fails, at jumps and kinks, the run ends with the time in its message.  Tables are differentiated
    exactly.
    """

    file_kind = "motion"

    joint: str = declare(
        JointField(), "Body that the joint carries.  All motions of the joint are given."
    )
    position: Any = declare(
        SignalField("coordinate", "number, array (n_q,), Table or callable"),
        "Coordinates [] as f(time), a quaternion first.  Compiled by Numba: f(time, out) that "
        "writes the coordinates and their first and second derivatives.",
        default=None,
    )
    _: KW_ONLY
    velocity: Any = declare(
        SignalField("rate"), "Speeds [] as f(time); the coordinates are integrated.", default=None
    )
    acceleration: Any = declare(SignalField("rate of speed"), "Rates of the speeds.", default=None)
    spacing: float = declare(
        NumberField("time", above=0), "Largest spacing of the differences [].", default=COARSEST
    )

    def check(self) -> None:
        """Check what a field alone does not tell."""
        if self.position is None and self.velocity is None and self.acceleration is None:
            raise LoadError(f"{self.label}: give position, velocity or acceleration")
        if self.position is None and self.velocity is not None and self.acceleration is not None:
            raise LoadError(f"{self.label}: velocity and acceleration both given; give one")
        if self.position is not None:
            self._check_rates()

    def _check_rates(self) -> None:
        """Refuse rates that would be ignored next to a position."""
        rates = {"velocity": self.velocity, "acceleration": self.acceleration}
        rate_names = [name for name, rate in rates.items() if rate is not None]
        if not rate_names:
            return
        if not callable(self.position) or is_compiled(self.position):
            kind = "a constant or a table, whose rates are known"
            if callable(self.position):
                kind = "a compiled function, which writes its rates"
            raise LoadError(
                f"{self.label}: {rate_names[0]} is given with a position that is {kind}; leave "
                f"{rate_names[0]} out"
            )
        if len(rate_names) == 1:
            missing = "acceleration" if rate_names == ["velocity"] else "velocity"
            raise LoadError(f"{self.label}: with {rate_names[0]} also give {missing}, or neither")
        for name, rate in rates.items():
            if not callable(rate) or is_compiled(rate):
                raise LoadError(
                    f"{self.label}: {name} is {shown(rate)}; expected a plain Python function of "
                    "time, like the position"
                )

    def enter(self, plan: Plan) -> None:
        """Add the load to the plan of a run."""
        joint = plan.joint(self.joint, self)
        if joint.body in plan.driven:
            raise LoadError(
                f"joint {self.joint!r} is driven twice: by {plan.driven[joint.body]!r} and by "
                f"{self.label!r}; keep one"
            )
        plan.driven[joint.body] = self.label
        if self.position is not None:
            mode, n, orders, motion = run.POSITION, joint.n_q, 2, self.position
            if not joint.plain:
                raise LoadError(
                    f"{self.label}: the speeds of a {joint.label} joint are not the rates of its "
                    "coordinates; give velocity or acceleration"
                )
        elif self.velocity is not None:
            mode, n, orders, motion = run.VELOCITY, joint.n_v, 1, self.velocity
        else:
            mode, n, orders, motion = run.ACCELERATION_, joint.n_v, 0, self.acceleration
        what = f"{self.label}: {('acceleration', 'velocity', 'position')[orders]}"
        signal = self._signal(plan, as_signal(motion, n, what), n, orders, what)
        plan.add_motion(self.label, joint, mode, signal, on=self.on)

    def _signal(self, plan: Plan, value: Any, n: int, orders: int, what: str) -> int:
        if isinstance(value, Table):
            if SMOOTHNESS[value.kind] + 1 < orders:
                raise LoadError(
                    f"{what}: a {value.kind!r} table jumps in its derivatives; use "
                    'kind="monotone", which stays between its points'
                )
            if orders == 2:
                plan.ends.append((what, value))
            return plan.signal(value, n, what)
        if not callable(value):
            return plan.signal(value, n, what)
        rates = []
        if self.position is not None:
            rates = [f for f in (self.velocity, self.acceleration) if f is not None]
        return followed(plan, [value, *rates], n, orders, what, self.spacing)
