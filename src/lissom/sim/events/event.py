"""Events: actions when a quantity crosses zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import LoadError, shown, suggestion
from ...fields import NumbersField, is_number, keep
from ...kernels.layout import run
from ...model import Part
from ...printing import Shown
from ..loads.latch import enter_latch
from ..run.checks import (
    checked_values,
    joint_name,
    number,
    switch,
    text,
)
from ..signals.callbacks import is_compiled, trusted_state
from .action import Action as Action
from .gap import Gap
from .rigid_impact import RigidImpact

if TYPE_CHECKING:
    from ..run.plan import Plan

Array = np.ndarray


@dataclass(frozen=True)
class Stop(Action):
    """End the run."""

    def prepare(self, plan: Plan, what: str) -> None:
        """Nothing to resolve."""


@dataclass(frozen=True)
class Lock(Action):
    """Lock a joint in its present position.

    A rigid lock stops it at once, by an impulse on the mechanism; see `Trajectory.events`.  With a
    stiffness the joint is caught by a spring and a damper, unstressed at the position that it has
    then.  A joint that such a lock already holds stays as it is.

    Parameters
    ----------
    joint : str
        Body that the joint carries.
    stiffness : float or array (n_v,), optional
        Stiffness [N m/rad or N/m]; spherical joints take one number, free joints one or two (for
        rotation and translation).
    damping : float or array (n_v,)
        Damping [N m s/rad or N s/m], like the stiffness.
    """

    joint: str
    stiffness: Any = field(default=None, kw_only=True)
    damping: Any = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        keep(self, joint=joint_name(self.joint, "Lock: joint"))
        what = f"Lock({self.joint!r})"
        for name in ("stiffness", "damping"):
            if (value := getattr(self, name)) is not None:
                form = NumbersField(f"joint {name}", least=0)
                values = np.asarray(form.check(value, f"{what}: {name}", LoadError), dtype=float)
                keep(self, **{name: tuple(values.tolist()) if values.ndim else float(values)})
        if self.stiffness is None and np.any(self.damping):
            raise LoadError(
                f"{what}: damping is {shown(self.damping)} without a stiffness; a rigid lock has "
                "neither, give a stiffness too"
            )
        if self.stiffness is not None and not np.any(self.stiffness):
            raise LoadError(
                f"{what}: stiffness is zero; give a positive one, or none for a rigid lock"
            )

    def prepare(self, plan: Plan, what: str) -> None:
        """Create the lock, open."""
        joint = plan.joint(self.joint, what)
        if joint.body in plan.driven:
            raise LoadError(
                f"{what}: joint {self.joint!r} is driven by {plan.driven[joint.body]!r}; a driven "
                "joint cannot be locked"
            )
        if self.stiffness is None:
            plan.lock(joint)
        else:
            enter_latch(plan, joint, self.stiffness, self.damping, what)


@dataclass(frozen=True)
class Release(Action):
    """Release a locked joint, or end the given motion of a driven one.

    Parameters
    ----------
    joint : str
        Body that the joint carries.
    """

    joint: str

    def __post_init__(self) -> None:
        keep(self, joint=joint_name(self.joint, "Release: joint"))

    def prepare(self, plan: Plan, what: str) -> None:
        """Create the lock if there is none."""
        joint = plan.joint(self.joint, what)
        if joint.body not in plan.driven:
            plan.lock(joint)


@dataclass(frozen=True)
class Switch(Action):
    """Switch a load on or off.

    Parameters
    ----------
    load : str
        Name of the load.
    on : bool
        Whether it acts afterwards.
    """

    load: str
    on: bool = False

    def __post_init__(self) -> None:
        keep(
            self,
            load=text(self.load, "Switch: load", "the name of a load as text"),
            on=switch(self.on, "Switch: on"),
        )

    def prepare(self, plan: Plan, what: str) -> None:
        """Check that the load exists."""
        if self.load not in plan.active:
            raise LoadError(
                f"{what}: there is no load {self.load!r}; {suggestion(self.load, plan.active)}"
            )


@dataclass(frozen=True, eq=False)
class Event(Shown):
    """Actions to take when a quantity crosses zero.

    Parameters
    ----------
    when : str, callable or Gap
        Joint (by the body that it carries) whose coordinate is watched; a contact by its name,
        which touches (direction -1) or leaves (1); a function f(time, state) -> number; compiled
        by Numba: f(time, q, v) -> number; or ``Gap(a, b)``, the gap between two shapes.
    action : Action or sequence of Action
        `Stop()`, `Lock(joint)`, `Release(joint)`, `Switch(load, on)`, `RigidImpact(restitution)`;
        by default Stop().  With ``()`` the run continues, and the result's ``events`` record the
        time.
    value : float
        Value of the coordinate, of the function, or of the gap at which the event occurs.
    rate : bool
        Watch the joint's speed instead of its coordinate.
    direction : {-1, 0, 1}
        Only when falling, in both directions, only when rising.
    once : bool
        Whether it occurs the first time only.
    name : str
        Name in results and messages; by default that of the joint, the function or the shapes.
    """

    when: Any
    action: Any = field(default_factory=Stop)
    value: float = field(default=0.0, kw_only=True)
    rate: bool = field(default=False, kw_only=True)
    direction: int = field(default=0, kw_only=True)
    once: bool = field(default=False, kw_only=True)
    name: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        if isinstance(self.when, Part):
            keep(self, when=joint_name(self.when, "event: when"))
        if not isinstance(self.when, (str, Gap)) and not callable(self.when):
            raise LoadError(
                f"event: when is {shown(self.when)}; expected a joint's name, f(time, state) or "
                "Gap(a, b)"
            )
        keep(self, name=text(self.name, "event: name"))
        if not is_number(self.direction) or self.direction not in (-1, 0, 1):
            raise LoadError(f"{self.label}: direction is {shown(self.direction)}; use -1, 0 or 1")
        keep(
            self,
            direction=int(self.direction),
            value=number(self.value, f"{self.label}: value"),
            rate=switch(self.rate, f"{self.label}: rate"),
            once=switch(self.once, f"{self.label}: once"),
        )
        for action in self.actions:
            if not isinstance(action, Action):
                hint = "Stop(), Lock(joint), Release(joint), Switch(load, on) or RigidImpact(0.8)"
                raise LoadError(f"{self.label}: action is {shown(action)}; use {hint}")
        self._check_gap()

    def _check_gap(self) -> None:
        """Check what a gap and an impact have to do with the other fields."""
        if self.rate and isinstance(self.when, Gap):
            raise LoadError(
                f"{self.label}: rate=True is for joints; a gap is watched as it is, or by a "
                "function of the state"
            )
        if not self.strikes:
            return
        if not isinstance(self.when, Gap):
            raise LoadError(
                f"{self.label}: a RigidImpact acts between the shapes of a gap; give "
                "Event(Gap(a, b), RigidImpact(...))"
            )
        if self.value or self.direction == 1:
            name = "value" if self.value else "direction"
            raise LoadError(
                f"{self.label}: {name} is {shown(getattr(self, name))}, but a RigidImpact is where "
                "the gap falls to zero; leave it out"
            )
        if sum(isinstance(x, RigidImpact) for x in self.actions) > 1:
            raise LoadError(f"{self.label}: there are two actions RigidImpact; give one")
        keep(self, direction=-1)

    @property
    def strikes(self) -> bool:
        """Whether a rigid impact is among the actions."""
        return any(isinstance(x, RigidImpact) for x in self.actions)

    @property
    def actions(self) -> Sequence[Action]:
        """Actions, in order."""
        return self.action if isinstance(self.action, (list, tuple)) else (self.action,)

    @property
    def title(self) -> str:
        """Name of the event, or of the joint, the function or the shapes that it watches."""
        if self.name or isinstance(self.when, str):
            return self.name or self.when
        if isinstance(self.when, Gap):
            return self.when.title
        return str(getattr(self.when, "__name__", type(self.when).__name__))

    @property
    def label(self) -> str:
        """Name in messages."""
        return f"event {self.title!r}"

    def enter(self, plan: Plan) -> None:
        """Add the event to the plan of a run.

        Parameters
        ----------
        plan : Plan
            Resolved arguments of `simulate`.
        """
        # Previous value, whether it is armed, and the level from which a gap is counted
        place = plan.reserve(3, [0.0, 1.0, 0.0])
        common = {"memory": place, "way": self.direction, "value": plan.table(self.value)}
        if isinstance(self.when, str) and self.when in plan.contact_names:
            self._check_contact()  # the run itself ends steps where contacts close and open
        elif isinstance(self.when, str):
            joint = plan.joint(self.when, self.label)
            if joint.n_v != 1 or joint.n_q != 1:
                raise LoadError(
                    f"{self.label}: joint {self.when!r} has {joint.n_v} motions and {joint.n_q} "
                    "coordinates, not one; watch a function of the state instead"
                )
            kind = run.SPEED if self.rate else run.COORDINATE
            plan.add("events", kind=kind, q=joint.q, v=joint.v, **common)
        elif isinstance(self.when, Gap):
            points = self.when.enter(plan, self.label)
            n, first = len(points.points), points.first
            plan.add("events", kind=run.GAP, gaps=first, n_gap=n, **common)
            plan.gaps[place] = points
        else:
            address, which = self._function(plan)
            plan.add("events", kind=run.FUNCTION, address=address, which=which, **common)
        for action in self.actions:
            action.prepare(plan, self.label)
        plan.events.append((self, place))

    def _check_contact(self) -> None:
        """Refuse what does not go with the gap of a contact."""
        if self.value or self.rate:
            what = "rate=True" if self.rate else f"value={self.value:g}"
            raise LoadError(
                f"{self.label}: {self.when!r} is a contact, which closes and opens where its gap "
                f"is zero; leave out {what}, or watch a function of the state"
            )

    def _function(self, plan: Plan) -> tuple[int, int]:
        if is_compiled(self.when):
            return plan.functions.add_compiled(self.label, self.when, "event", 1)
        system, function, what = plan.system, self.when, self.label

        def number(t: float, q: Array, v: Array) -> Array:
            value = function(t, trusted_state(system, q, v))
            if isinstance(value, (bool, np.bool_)):
                raise LoadError(
                    f"{what} returned {value} at t = {t:g} s; expected a number that crosses zero "
                    "at the event, such as time - 0.5"
                )
            return checked_values(value, 1, what, t)

        return plan.functions.add_plain(what, number, 1)
