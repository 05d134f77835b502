"""Gravity of a central body, on all bodies of a system."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Any

from ...errors import LoadError
from ...fields import DirectionField, NumberField, PointField, declare, declared
from .forms import ORIGIN
from .gravity_field import CENTRAL, enter_field
from .load import Load

if TYPE_CHECKING:
    from ..run.plan import Plan


@declared()
class CentralGravity(Load):
    """Gravity of a central body in an inertial world frame: the system orbits.

    It acts on every body with mass: the force and the gravity-gradient torque on the deformed body,
    and the forces on its modes, to second order in the size of the body over its distance from the
    centre.  The model's own constant gravity must be zero.
    """

    file_kind = "central_gravity"

    mu: float = declare(
        NumberField("gravitational parameter", above=0),
        "Gravitational parameter, the constant of gravitation times the mass of the central body "
        "[]; of the Earth 3.986004418e14.",
    )
    _: KW_ONLY
    center: Any = declare(PointField(), "Its place in the world.", default=ORIGIN)
    j2: float = declare(
        NumberField("number"),
        "Oblateness coefficient J2 of the central body; of the Earth 1.08263e-3.",
        default=0.0,
    )
    radius: float = declare(
        NumberField("length", least=0),
        "Equatorial radius that belongs to `j2` []; of the Earth 6378137.",
        default=0.0,
    )
    pole: Any = declare(
        DirectionField(), 'Axis of the oblateness: "x", "y", "z" or a vector.', default="z"
    )

    def check(self) -> None:
        """Check what a field alone does not tell."""
        if self.j2 != 0 and self.radius == 0:
            raise LoadError(
                f"{self.label}: j2 is {self.j2:g}, but radius is 0; give the radius [m] that j2 "
                "belongs to"
            )

    @property
    def place(self) -> str:
        """All bodies."""
        return "all bodies"

    def enter(self, plan: Plan) -> None:
        """Add the load to the plan of a run."""
        oblate = -1.5 * self.j2 * self.radius**2
        enter_field(plan, self, [CENTRAL, self.mu, *self.center, oblate, *self.pole, 0.0, 0.0, 0.0])
