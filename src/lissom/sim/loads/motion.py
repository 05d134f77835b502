"""Joints whose motion is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from ...algorithms._kernels.simulation import fields as run
from ...errors import LoadError
from ..checks import joint_name, keep, positive, shown
from ..differences import COARSEST
from ..followed import followed
from ..functions import is_compiled
from ..signals import Table, as_signal
from .load import FileField, Load

if TYPE_CHECKING:
    from ..plan import Plan

__all__ = ["Motion"]


@dataclass(frozen=True, eq=False)
class Motion(Load):
    """Motion of a joint given as a function of time; the force that it needs is an output.

    The channel "body.force" of the joint is the whole force there; what springs, dampers and motors
    on the same joint give is part of it.

    Give one of position, velocity and acceleration.  With `position` also velocity and acceleration
    may be given, as its first and second derivatives; otherwise a function's derivatives are taken
    by differences whose spacing fits the function at that instant (relative errors about 1e-11 and
    1e-9).  Where that fails, at jumps and kinks, the run ends and says when.  Tables are
    differentiated exactly.

    Parameters
    ----------
    joint : str
        Body that the joint carries.  All motions of the joint are given.
    position : number, array (n_q,), Table or callable, optional
        Coordinates as f(time); at joints with a quaternion that first.  Compiled by Numba:
        f(time, out) that writes the coordinates, their rates and their second rates.
    velocity : number, array (n_v,), Table or callable, optional
        Speeds as f(time); the coordinates follow by integration.
    acceleration : number, array (n_v,), Table or callable, optional
        Rates of the speeds.
    spacing : float
        Largest spacing of the differences [s].
    """

    file_kind = "motion"
    file_fields: ClassVar[Mapping[str, FileField]] = {
        "joint": FileField("text"),
        "position": FileField("signal", "coordinate"),
        "velocity": FileField("signal", "rate"),
        "acceleration": FileField("signal", "rate of speed"),
        "spacing": FileField("number", "time", above=0),
    }

    joint: str
    position: Any = None
    velocity: Any = field(default=None, kw_only=True)
    acceleration: Any = field(default=None, kw_only=True)
    spacing: float = field(default=COARSEST, kw_only=True)

    def check(self) -> None:
        """Refuse what is wrong without a system."""
        keep(self, joint=joint_name(self.joint, f"{self.label}: joint"))
        if self.position is None and self.velocity is None and self.acceleration is None:
            raise LoadError(f"{self.label}: give position, velocity or acceleration")
        if self.position is None and self.velocity is not None and self.acceleration is not None:
            raise LoadError(f"{self.label}: velocity and acceleration both given; give one")
        if self.position is not None:
            self._check_rates()
        what = f"{self.label}: spacing"
        keep(self, spacing=positive(self.spacing, what, "a positive time [s]"))

    def _check_rates(self) -> None:
        """Refuse rates beside a position that would go unused."""
        rates = {"velocity": self.velocity, "acceleration": self.acceleration}
        given = [name for name, rate in rates.items() if rate is not None]
        if not given:
            return
        if not callable(self.position) or is_compiled(self.position):
            kind = "no function, its rates follow from it"
            if callable(self.position):
                kind = "a compiled function, which writes its rates"
            raise LoadError(
                f"{self.label}: {given[0]} is given beside a position that is {kind}; leave "
                f"{given[0]} out"
            )
        if len(given) == 1:
            missing = "acceleration" if given == ["velocity"] else "velocity"
            raise LoadError(f"{self.label}: with {given[0]} also give {missing}, or neither")
        for name, rate in rates.items():
            if not callable(rate) or is_compiled(rate):
                raise LoadError(
                    f"{self.label}: {name} is {shown(rate)}; expected a function of time in plain "
                    "Python, as the position"
                )

    @property
    def place(self) -> str:
        """Joint."""
        return self.joint

    def enter(self, plan: Plan) -> None:
        """Write it into the plan of a run."""
        joint = plan.joint(self.joint, self)
        if joint.body in plan.driven:
            raise LoadError(
                f"joint {self.joint!r} is driven twice: by {plan.driven[joint.body]!r} and by "
                f"{self.label!r}; keep one"
            )
        plan.driven[joint.body] = self.label
        if self.position is not None:
            mode, n, orders, given = run.POSITION, joint.n_q, 2, self.position
            if not joint.plain:
                raise LoadError(
                    f"{self.label}: the speeds of a {joint.label} joint are not the rates of its "
                    "coordinates; give velocity or acceleration"
                )
        elif self.velocity is not None:
            mode, n, orders, given = run.VELOCITY, joint.n_v, 1, self.velocity
        else:
            mode, n, orders, given = run.ACCELERATION_, joint.n_v, 0, self.acceleration
        what = f"{self.label}: {('acceleration', 'velocity', 'position')[orders]}"
        signal = self._signal(plan, as_signal(given, n, what), n, orders, what)
        plan.add_motion(self.label, joint, mode, signal, on=self.on)

    def _signal(self, plan: Plan, value: Any, n: int, orders: int, what: str) -> int:
        if isinstance(value, Table):
            rough = {"steps": 0, "linear": 1, "smooth": 2}[value.kind]
            if rough < orders:
                raise LoadError(
                    f'{what}: a {value.kind!r} table jumps in its derivatives; use kind="smooth"'
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
