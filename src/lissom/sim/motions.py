"""Joints whose motion is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms._kernels.simulation import layout as at
from ..errors import LoadError
from .checks import joint_name, keep, positive, shown
from .functions import is_compiled
from .loads import Load
from .plan import checked_values
from .signals import Table, as_signal

if TYPE_CHECKING:
    from .plan import Plan

__all__ = ["Motion"]

Array = np.ndarray

# Central differences of order eight at spacing h: error about (rate h)^8 / 630 and eps / h^2.
_SPACING = 1e-2
_FIRST = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
_SECOND = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560])


@dataclass(frozen=True, eq=False)
class Motion(Load):
    """Motion of a joint given as a function of time; the force that it needs is an output.

    The channel "body.force" of the joint is the whole force there; what springs, dampers and motors
    on the same joint give is part of it.

    Give one of position, velocity and acceleration.  With `position` also velocity and acceleration
    may be given, as its first and second derivatives; otherwise a function's derivatives are taken
    by central differences of order eight (relative errors about 1e-12 and 1e-10 for motions slower
    than 20 rad/s).  Tables are differentiated exactly.

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
        Of the differences [s]; smaller for motions that change faster than in 0.1 s.
    """

    joint: str
    position: Any = None
    velocity: Any = field(default=None, kw_only=True)
    acceleration: Any = field(default=None, kw_only=True)
    spacing: float = field(default=_SPACING, kw_only=True)

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
            mode, n, orders, given = at.POSITION, joint.n_q, 2, self.position
            if not joint.plain:
                raise LoadError(
                    f"{self.label}: the speeds of a {joint.label} joint are not the rates of its "
                    "coordinates; give velocity or acceleration"
                )
        elif self.velocity is not None:
            mode, n, orders, given = at.VELOCITY, joint.n_v, 1, self.velocity
        else:
            mode, n, orders, given = at.ACCELERATION_, joint.n_v, 0, self.acceleration
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
        if is_compiled(value):
            self._check_compiled(value, n * (orders + 1), what)
            address, which = plan.functions.add_compiled(what, value, "time", n * (orders + 1))
            return plan.called(address, which, n)
        numbers = self._with_rates(value, n, orders, what)
        address, which = plan.functions.add_plain(what, numbers, n * (orders + 1))
        return plan.called(address, which, n)

    def _check_compiled(self, function: Any, n: int, what: str) -> None:
        """Refuse a compiled function that does not write all that is needed."""
        if not hasattr(function, "py_func"):
            return
        out = np.full(n, np.nan)
        try:
            function(0.0, out)
        except Exception as error:
            raise LoadError(f"{what}: f(time, out) failed at t = 0: {error}") from None
        if not np.all(np.isfinite(out)):
            raise LoadError(
                f"{what}: a compiled f(time, out) must write {n} numbers, the values and then "
                f"their rates; at t = 0 it left {out}"
            )

    def _with_rates(
        self, function: Callable[[float], Any], n: int, orders: int, what: str
    ) -> Callable[[float, Array, Array], Array]:
        """Function of time that gives the value and its derivatives up to `orders`."""
        given = [function]
        if self.position is not None:
            given += [f for f in (self.velocity, self.acceleration) if f is not None]

        def exact(t: float, q: Array, v: Array) -> Array:
            return np.concatenate([checked_values(f(t), n, what, t) for f in given])

        def by_differences(t: float, q: Array, v: Array) -> Array:
            instants = t + self.spacing * np.arange(-4, 5)
            samples = np.array([checked_values(function(x), n, what, x) for x in instants])
            centred = samples - samples[4]
            rates = [
                w @ centred / self.spacing**k for k, w in ((1, _FIRST), (2, _SECOND)) if k <= orders
            ]
            return np.concatenate([samples[4], *rates])

        return exact if len(given) == orders + 1 else by_differences
