"""Flexible drives: a rotor and a gear in series with a joint."""

from __future__ import annotations

from dataclasses import KW_ONLY, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...bodies import RigidBody
from ...errors import LoadError, ModelError, shown, suggestion
from ...fields import NumberField, declare, declared
from ...joints import Prismatic, Revolute
from ...model import Model, Part
from ..run.checks import joint_name, number, text
from .forms import JointField
from .joint_spring import JointSpring
from .load import Load

if TYPE_CHECKING:
    from ..run.plan import Plan


@declared()
class Drive(Load):
    """Inertia of a rotor on one joint and elasticity of its gear on the next.

    Created by `flexible_drive`.
    """

    file_kind = "drive"

    rotor: str = declare(
        JointField(),
        "Body that represents the rotor; its joint turns by the motor angle over the gear ratio.",
    )
    joint: str = declare(
        JointField(), "Body that is driven; its joint is the deflection of the gear."
    )
    _: KW_ONLY
    ratio: float = declare(NumberField("number"), "Turns of the motor per turn of the joint.")
    rotor_inertia: float = declare(
        NumberField("rotor", above=0), "About the motor's axis, or moved mass of a linear motor."
    )
    stiffness: float = declare(
        NumberField("joint stiffness", above=0), "Stiffness of gear and shaft, on the joint side."
    )
    damping: float = declare(
        NumberField("joint damping", least=0),
        "Damping of gear and shaft, on the joint side.",
        default=0.0,
    )

    def check(self) -> None:
        """Check what a field alone does not tell."""
        _check_ratio(self.label, self.ratio, self.rotor_inertia)

    @property
    def place(self) -> str:
        """Joint."""
        return self.joint

    def prefixed(self, prefix: str) -> Drive:
        """Copy of the load for a model attached with a prefix.

        Parameters
        ----------
        prefix : str
            Prefix of the names of rotor and joint, as for `Model.attach`.
        """
        before = text(prefix, f"{self.label}: prefix")
        rotor, joint = f"{before}{self.rotor}", f"{before}{self.joint}"
        return replace(self, rotor=rotor, joint=joint, name=f"{before}{self.label}")

    def enter(self, plan: Plan) -> None:
        """Add the load to the plan of a run."""
        # The rotor's body has its inertia once; the gear makes it ratio^2 times as much.
        added = (self.ratio * self.ratio - 1) * self.rotor_inertia
        plan.add_armature(plan.joint(self.rotor, self), added)
        gear = JointSpring(
            self.joint, self.stiffness, damping=self.damping, name=self.label, on=self.on
        )
        gear.enter(plan)


def flexible_drive(
    model: Model,
    joint: str | Part,
    *,
    stiffness: float,
    damping: float = 0.0,
    ratio: float = 1.0,
    rotor_inertia: float,
    name: str = "",
) -> Drive:
    """Insert a motor's rotor and an elastic gear between a joint and the body it carries.

    A new body for the rotor takes over the joint; the body follows on a joint of the same kind,
    whose coordinate is the deflection of the gear.  Motor forces act on the rotor's joint (times
    the ratio, see `Actuator`).

    Parameters
    ----------
    model : Model
        Model to change.
    joint : str or Part
        Body that the joint carries; revolute or prismatic.
    stiffness : float
        Stiffness of gear and shaft, on the joint side [N m/rad or N/m].
    damping : float
        Damping of gear and shaft, on the joint side [N m s/rad or N s/m].
    ratio : float
        Turns of the motor per turn of the joint.
    rotor_inertia : float
        About the motor's axis [kg m^2], or moved mass of a linear motor [kg].
    name : str
        Name of the rotor; by default the body's name followed by "_rotor".

    Returns
    -------
    Drive
        Load for `simulate` and `equilibrium`, which refuse the model without it.
    """
    if not isinstance(model, Model):
        raise LoadError(f"flexible_drive: model is {shown(model)}; expected a Model")
    body_name = (
        joint.name if isinstance(joint, Part) else joint_name(joint, "flexible_drive: joint")
    )
    if body_name not in model.parts:
        hint = suggestion(body_name, model.parts)
        raise ModelError(f"flexible_drive: there is no body {body_name!r}; {hint}")
    part = model.parts[body_name]
    kind = part.joint
    if not isinstance(kind, (Revolute, Prismatic)):
        raise ModelError(
            f"flexible_drive: the joint of body {body_name!r} is {kind.label}; a drive needs a "
            "revolute or prismatic one"
        )
    for couple in model.couplings.values():
        if body_name in couple.bodies:
            raise ModelError(
                f"flexible_drive: the coordinate of {body_name!r} becomes the twist of the gear, "
                f"but {couple.title} uses it; remove the coupling, and couple the rotor afterwards"
            )
    constants: dict[str, Any] = {"stiffness": stiffness, "damping": damping, "ratio": ratio}
    constants["rotor_inertia"] = rotor_inertia
    for key, value in constants.items():
        form = Drive.file_fields[key]
        constants[key] = form.check(value, f"flexible_drive: {key}", LoadError)
    _check_ratio("flexible_drive", constants["ratio"], constants["rotor_inertia"])
    rotor = text(name, "flexible_drive: name") or f"{body_name}_rotor"
    model.add(
        _rotor(kind, constants["rotor_inertia"]),
        kind,
        name=rotor,
        to=part.to,
        at=part.at,
        rotation=part.rotation,
    )
    model.move(body_name, to=rotor)
    model.mark_gear(body_name)
    return Drive(rotor, body_name, **constants, name=f"drive of {body_name!r}")


def across_gear(what: str, rotor: str, joint: str) -> LoadError:
    """Error for a motor on the wrong side of a drive."""
    return LoadError(
        f"{what} acts across the gear of a drive: the coordinate of joint {joint!r} is the twist "
        f"of that gear; a motor acts on its rotor: {rotor!r}"
    )


def _check_ratio(label: str, ratio: float, rotor_inertia: float) -> None:
    """Refuse a gear that turns the rotor less than the joint, and more inertia than floats hold."""
    size = "one number of magnitude 1 or more"
    number(ratio, f"{label}: ratio", size, lambda x: 1 <= abs(x) < np.inf)
    what = f"{label}: rotor_inertia times ratio squared"
    number(ratio * ratio * rotor_inertia, what, "a finite number; give smaller ones")


def _rotor(kind: Any, inertia: float) -> RigidBody:
    """Thin disc about the axis, or moved mass."""
    if isinstance(kind, Prismatic):
        return RigidBody(inertia)
    axis = np.asarray(kind.axis)
    across = np.eye(3) - np.outer(axis, axis)
    return RigidBody(0.0, inertia=inertia * (np.outer(axis, axis) + 0.5 * across))
