"""What acts on a mechanism: forces and springs on joints and nodes, rotors, given motions.

A load is immutable and knows no system; `enter` writes it into the plan of a run, where names are
resolved and sizes are checked.  Joints are called by the body that they carry.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms._kernels.simulation import layout as at
from ..errors import LoadError
from .signals import as_signal

if TYPE_CHECKING:
    from .plan import Plan

__all__ = [
    "Actuator",
    "JointDamper",
    "JointFriction",
    "JointSpring",
    "JointStop",
    "Load",
    "Loads",
    "NodeForce",
    "NodeSpring",
]

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Load(ABC):
    """What every load offers.

    Attributes
    ----------
    name : str
        What events call it by, to switch it; by default made of its kind and place.
    on : bool
        Whether it acts from the start; events can switch it.
    """

    name: str = field(default="", kw_only=True)
    on: bool = field(default=True, kw_only=True)

    @property
    def label(self) -> str:
        """Its name, or what it is and where."""
        return self.name or f"{type(self).__name__} on {self.place!r}"

    @property
    @abstractmethod
    def place(self) -> str:
        """Joint or node that it acts on, in words."""

    @abstractmethod
    def enter(self, plan: Plan) -> None:
        """Write it into the plan of a run."""


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

    def __post_init__(self) -> None:
        _check(self, "ratio", _finite(self.ratio) and self.ratio != 0, "a number that is not zero")
        _check(self, "rotor_inertia", _not_negative(self.rotor_inertia), "zero or more")
        _check(self, "limit", _number(self.limit) and self.limit > 0, "a positive number")

    @property
    def place(self) -> str:
        """Joint."""
        return self.joint

    def enter(self, plan: Plan) -> None:
        """Write it into the plan of a run."""
        joint = plan.joint(self.joint, self)
        plan.add_armature(joint, self.ratio**2 * self.rotor_inertia)
        value = as_signal(self.force, joint.n_v, f"{self.label}: force")
        plan.add_hinge_load(
            self,
            at.FORCE,
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

    def __post_init__(self) -> None:
        _check(self, "stiffness", _not_negative(self.stiffness), "zero or more")
        _check(self, "damping", _not_negative(self.damping), "zero or more")
        _check(self, "rest", _finite(self.rest), "finite")

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
                    f"{self.label}: rest is {self.rest!r}; a spring on a joint with a quaternion "
                    "is relaxed at its neutral position"
                )
            k, c = (_both(self, x, joint.n_v) for x in ("stiffness", "damping"))
            plan.add_hinge_load(self, at.BALL_SPRING, joint, [k[0], c[0], k[1], c[1]])
            return
        if not joint.plain:
            raise LoadError(
                f"{self.label}: the coordinates of a {joint.label} joint are no measure of a "
                "spring; use NodeSpring between two nodes"
            )
        columns = [_spread(self, x, joint.n_v) for x in ("stiffness", "rest", "damping")]
        plan.add_hinge_load(self, at.SPRING, joint, np.stack(columns, axis=1).ravel())


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

    def __post_init__(self) -> None:
        _check(self, "damping", _not_negative(self.damping), "zero or more")

    @property
    def place(self) -> str:
        """Joint."""
        return self.joint

    def enter(self, plan: Plan) -> None:
        """Write it into the plan of a run."""
        joint = plan.joint(self.joint, self)
        plan.add_hinge_load(self, at.DAMPER, joint, _spread(self, "damping", joint.n_v))


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

    def __post_init__(self) -> None:
        _check(
            self, "force", _not_negative(self.force) and np.ndim(self.force) == 0, "zero or more"
        )
        _check(self, "speed", _finite(self.speed) and self.speed > 0, "positive")

    @property
    def place(self) -> str:
        """Joint."""
        return self.joint

    def enter(self, plan: Plan) -> None:
        """Write it into the plan of a run."""
        joint = plan.joint(self.joint, self)
        plan.add_hinge_load(self, at.FRICTION, joint, [self.force, self.speed])


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

    def __post_init__(self) -> None:
        limits = _number(self.lower) and _number(self.upper)
        if not limits or not self.lower < self.upper:
            raise LoadError(
                f"{self.label}: lower is {self.lower!r} and upper is {self.upper!r}; expected two "
                "numbers, lower < upper"
            )
        _check(self, "stiffness", _finite(self.stiffness) and self.stiffness > 0, "positive")
        _check(self, "damping", _not_negative(self.damping), "zero or more")

    @property
    def place(self) -> str:
        """Joint."""
        return self.joint

    def enter(self, plan: Plan) -> None:
        """Write it into the plan of a run."""
        joint = plan.joint(self.joint, self)
        if not joint.plain or joint.has_quaternion:
            raise LoadError(f"{self.label}: a {joint.label} joint has no coordinates to limit")
        numbers = [self.lower, self.upper, self.stiffness, self.damping]
        plan.add_hinge_load(self, at.STOP_FORCE, joint, numbers)


@dataclass(frozen=True, eq=False)
class NodeForce(Load):
    """Force and moment on a body or node.

    Parameters
    ----------
    where : str
        "body" or "body.node".
    force, moment : array (3,), Table of 3 columns, or callable
        [N], [N m]; a function is f(time) or f(time, state).
    axes : {"world", "body"}
        Axes of the components: the world's, or those of the node, with which they turn.
    at : array (3,)
        Where the force acts, from the body's origin or node, in its axes [m].
    """

    where: str
    force: Any = (0.0, 0.0, 0.0)
    moment: Any = (0.0, 0.0, 0.0)
    axes: str = field(default="world", kw_only=True)
    at: Any = field(default=(0.0, 0.0, 0.0), kw_only=True)

    def __post_init__(self) -> None:
        _check(self, "axes", self.axes in ("world", "body"), '"world" or "body"')

    @property
    def place(self) -> str:
        """Node."""
        return str(self.where)

    def enter(self, plan: Plan) -> None:
        """Write it into the plan of a run."""
        slot = plan.slot(self.where, self)
        for part, offset in (("moment", 0), ("force", 3)):
            value = getattr(self, part)
            if not callable(value) and not hasattr(value, "times") and not np.any(value):
                as_signal(value, 3, f"{self.label}: {part}")
                continue
            given = as_signal(value, 3, f"{self.label}: {part}")
            signal = plan.signal(given, 3, f"{self.label}: {part}")
            numbers = [offset, *_point(self, "at")]
            plan.add_node_load(self, at.NODE_FORCE, slot, slot, numbers, signal, self.axes)


@dataclass(frozen=True, eq=False)
class NodeSpring(Load):
    """Spring and damper along the line between two nodes.

    Parameters
    ----------
    a, b : str or array (3,)
        "body", "body.node", or a point fixed in the world.
    stiffness : float
        [N/m].
    damping : float
        [N s/m].
    length : float
        Length at which it is relaxed [m].
    at_a, at_b : array (3,)
        Where it is fastened, from the origin or node of each body, in its axes [m].
    """

    a: Any
    b: Any
    stiffness: float = 0.0
    damping: float = field(default=0.0, kw_only=True)
    length: float = field(default=0.0, kw_only=True)
    at_a: Any = field(default=(0.0, 0.0, 0.0), kw_only=True)
    at_b: Any = field(default=(0.0, 0.0, 0.0), kw_only=True)

    def __post_init__(self) -> None:
        _check(self, "stiffness", _not_negative(self.stiffness), "zero or more")
        _check(self, "damping", _not_negative(self.damping), "zero or more")
        _check(self, "length", _not_negative(self.length), "zero or more")

    @property
    def place(self) -> str:
        """Both ends."""
        return f"{self.a} and {self.b}"

    def enter(self, plan: Plan) -> None:
        """Write it into the plan of a run."""
        a, b = plan.slot(self.a, self), plan.slot(self.b, self)
        at_a, at_b = _point(self, "at_a"), _point(self, "at_b")
        if a == b:
            raise LoadError(f"{self.label}: both ends are on the same body or node")
        numbers = [self.stiffness, self.damping, self.length, *at_a, *at_b]
        plan.add_node_load(self, at.NODE_SPRING, a, b, numbers, 0, "world", rates=self.damping > 0)


@dataclass(frozen=True, eq=False)
class Loads(Load):
    """Several loads under one name.

    Parameters
    ----------
    parts : sequence of Load
        What it consists of.
    """

    parts: Any = ()

    @property
    def place(self) -> str:
        """Places of its parts."""
        return ", ".join(part.place for part in self.parts)

    def enter(self, plan: Plan) -> None:
        """Write it into the plan of a run."""
        for part in self.parts:
            part.enter(plan)


def _check(load: Load, attribute: str, good: bool, expected: str) -> None:
    if not good:
        value = getattr(load, attribute)
        raise LoadError(f"{load.label}: {attribute} is {value!r}; expected {expected}")


def _point(load: Load, attribute: str) -> Array:
    """Attribute as three finite numbers."""
    value = getattr(load, attribute)
    if not _finite(value) or np.shape(value) != (3,):
        raise LoadError(f"{load.label}: {attribute} is {value!r}; expected three numbers [m]")
    return np.asarray(value, dtype=float)


def _number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not np.isnan(float(value))


def _finite(value: Any) -> bool:
    if isinstance(value, (str, bytes)):
        return False
    try:
        return bool(np.all(np.isfinite(np.asarray(value, dtype=float))))
    except (TypeError, ValueError):
        return False


def _not_negative(value: Any) -> bool:
    return _finite(value) and bool(np.all(np.asarray(value, dtype=float) >= 0))


def _spread(load: Load, attribute: str, n: int) -> Array:
    """Attribute as n numbers."""
    given = np.asarray(getattr(load, attribute), dtype=float)
    if given.shape not in ((), (n,)):
        raise LoadError(
            f"{load.label}: {attribute} has shape {given.shape}; expected a number or ({n},)"
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
