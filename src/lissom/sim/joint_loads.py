"""Loads on joints: motors, springs, dampers, friction and stops.

Joints are called by the body that they carry.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms._kernels.simulation import fields as run
from ..errors import LoadError
from .checks import is_number, joint_name, keep, not_negative, number, numbers, positive, shown
from .loads import Load
from .signals import as_signal

if TYPE_CHECKING:
    from .plan import Plan

__all__ = ["Actuator", "JointDamper", "JointFriction", "JointSpring", "JointStop"]

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Actuator(Load):
    """Force or torque of a motor on a joint, through a gear.

    The joint receives ``ratio * force``; a rotor adds ``ratio**2 * rotor_inertia`` to the inertia
    that the joint's speed sees.  The rotor's own gyroscopic effect on its carrier is left out.

    Parameters
    ----------
    joint : str
        Body that the joint carries.
    force : number, array, Table or callable
        On the motor's side [N or N m], one number for each speed of the joint: constant, given at
        times, or a function f(time) or f(time, state).
    ratio : float
        Turns of the motor for one of the joint.
    rotor_inertia : float
        About the motor's axis [kg m^2], or moved mass [kg] of a linear motor.
    limit : float
        Largest size of `force`.
    """

    joint: str
    force: Any = 0.0
    ratio: float = field(default=1.0, kw_only=True)
    rotor_inertia: float = field(default=0.0, kw_only=True)
    limit: float = field(default=np.inf, kw_only=True)

    def check(self) -> None:
        """Refuse what is wrong without a system."""
        keep(self, joint=joint_name(self.joint, f"{self.label}: joint"))
        what = f"{self.label}: rotor_inertia"
        keep(
            self,
            ratio=number(
                self.ratio,
                f"{self.label}: ratio",
                "one finite number that is not zero",
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
        """Write it into the plan of a run."""
        joint = plan.joint(self.joint, self)
        plan.add_armature(joint, self.ratio * self.ratio * self.rotor_inertia)
        value = as_signal(self.force, joint.n_v, f"{self.label}: force")
        plan.add_hinge_load(
            self,
            run.FORCE,
            joint,
            [self.ratio, self.limit],
            plan.signal(value, joint.n_v, self.label),
        )


@dataclass(frozen=True, eq=False)
class JointSpring(Load):
    """Spring, with a damper beside it, on the coordinates of a joint.

    Parameters
    ----------
    joint : str
        Body that the joint carries.  At a spherical joint the spring acts on the rotation vector,
        at a free joint on that and on the position.
    stiffness : float or array (n_v,)
        [N m/rad or N/m]; spherical joints take one number, free joints one or two (for rotation and
        translation).
    rest : float or array
        Coordinates at which it is relaxed; joints with a quaternion: the neutral position.
    damping : float or array (n_v,)
        [N m s/rad or N s/m], as the stiffness.
    """

    joint: str
    stiffness: Any
    rest: Any = field(default=0.0, kw_only=True)
    damping: Any = field(default=0.0, kw_only=True)

    def check(self) -> None:
        """Refuse what is wrong without a system."""
        keep(self, joint=joint_name(self.joint, f"{self.label}: joint"))
        for attribute in ("stiffness", "damping"):
            _check_not_negative(self, attribute)
        numbers(self.rest, f"{self.label}: rest", "a finite number, or one for each coordinate")

    @property
    def place(self) -> str:
        """Joint."""
        return self.joint

    def enter(self, plan: Plan) -> None:
        """Write it into the plan of a run."""
        joint = plan.joint(self.joint, self)
        if joint.has_quaternion:
            if np.any(self.rest):
                raise LoadError(
                    f"{self.label}: rest is {shown(self.rest)}; a spring on a joint with a "
                    "quaternion is relaxed at its neutral position, leave rest out"
                )
            k, c = (_both(self, x, joint.n_v) for x in ("stiffness", "damping"))
            plan.add_hinge_load(self, run.BALL_SPRING, joint, [k[0], c[0], k[1], c[1]])
            return
        if not joint.plain:
            raise LoadError(
                f"{self.label}: the coordinates of a {joint.label} joint are no measure of a "
                "spring; use NodeSpring between two nodes"
            )
        columns = [_spread(self, x, joint.n_v) for x in ("stiffness", "rest", "damping")]
        plan.add_hinge_load(self, run.SPRING, joint, np.stack(columns, axis=1).ravel())


@dataclass(frozen=True, eq=False)
class JointDamper(Load):
    """Viscous damping of a joint.

    Parameters
    ----------
    joint : str
        Body that the joint carries.
    damping : float or array (n_v,)
        [N m s/rad or N s/m].
    """

    joint: str
    damping: Any

    def check(self) -> None:
        """Refuse what is wrong without a system."""
        keep(self, joint=joint_name(self.joint, f"{self.label}: joint"))
        _check_not_negative(self, "damping")

    @property
    def place(self) -> str:
        """Joint."""
        return self.joint

    def enter(self, plan: Plan) -> None:
        """Write it into the plan of a run."""
        joint = plan.joint(self.joint, self)
        plan.add_hinge_load(self, run.DAMPER, joint, _spread(self, "damping", joint.n_v))


@dataclass(frozen=True, eq=False)
class JointFriction(Load):
    """Coulomb friction of a joint, smooth about zero speed: -force tanh(rate / speed).

    Parameters
    ----------
    joint : str
        Body that the joint carries.
    force : float
        Friction at large speed [N m or N].
    speed : float
        Speed at which it reaches 76 % of that [rad/s or m/s].
    """

    joint: str
    force: float
    speed: float = field(default=1e-3, kw_only=True)

    def check(self) -> None:
        """Refuse what is wrong without a system."""
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
        """Write it into the plan of a run."""
        joint = plan.joint(self.joint, self)
        plan.add_hinge_load(self, run.FRICTION, joint, [self.force, self.speed])


@dataclass(frozen=True, eq=False)
class JointStop(Load):
    """Elastic stops at the ends of a joint's travel.

    Beyond a limit by the depth d: stiffness d (1 + damping d'), never pulling (Hunt and Crossley).

    Parameters
    ----------
    joint : str
        Body that the joint carries.
    lower, upper : float
        Limits of each coordinate.
    stiffness : float
        [N m/rad or N/m].
    damping : float
        [s/rad or s/m].
    """

    joint: str
    lower: float
    upper: float
    stiffness: float = field(kw_only=True)
    damping: float = field(default=0.0, kw_only=True)

    def check(self) -> None:
        """Refuse what is wrong without a system."""
        keep(self, joint=joint_name(self.joint, f"{self.label}: joint"))
        limits = is_number(self.lower) and is_number(self.upper)
        if not limits or not self.lower < self.upper:
            raise LoadError(
                f"{self.label}: lower is {shown(self.lower)} and upper is {shown(self.upper)}; "
                "expected two numbers, lower < upper, that may be infinite"
            )
        keep(
            self,
            lower=float(self.lower),
            upper=float(self.upper),
            stiffness=positive(self.stiffness, f"{self.label}: stiffness"),
            damping=not_negative(self.damping, f"{self.label}: damping"),
        )

    @property
    def place(self) -> str:
        """Joint."""
        return self.joint

    def enter(self, plan: Plan) -> None:
        """Write it into the plan of a run."""
        joint = plan.joint(self.joint, self)
        if not joint.plain or joint.has_quaternion:
            raise LoadError(
                f"{self.label}: a {joint.label} joint has no coordinates to limit; stops need "
                "joints such as Revolute or Prismatic"
            )
        numbers = [self.lower, self.upper, self.stiffness, self.damping]
        plan.add_hinge_load(self, run.STOP_FORCE, joint, numbers)


def _check_not_negative(load: Load, attribute: str) -> None:
    """Refuse an attribute that is neither one number nor a row of them, zero or more."""
    expected = "zero or more: one number, or one for each motion of the joint"
    numbers(getattr(load, attribute), f"{load.label}: {attribute}", expected, least=0.0)


def _spread(load: Load, attribute: str, n: int) -> Array:
    """Attribute as n numbers."""
    given = np.asarray(getattr(load, attribute), dtype=float)
    if given.shape not in ((), (n,)):
        raise LoadError(
            f"{load.label}: {attribute} has shape {given.shape}; expected one number or ({n},)"
        )
    return np.broadcast_to(given, (n,))


def _both(load: Load, attribute: str, n: int) -> tuple[float, float]:
    """Attribute for rotation and for translation: one number, or one for each."""
    given = np.asarray(getattr(load, attribute), dtype=float)
    if given.shape == () or (n == 3 and given.shape == (1,)):
        return float(given.flat[0]), float(given.flat[0])
    if n == 6 and given.shape == (2,):
        return float(given[0]), float(given[1])
    raise LoadError(
        f"{load.label}: {attribute} has shape {given.shape}; expected one number, or at a free "
        "joint two: for rotation and translation"
    )
