"""Gravity of a central body, on all bodies of a system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from ...errors import LoadError
from ..run.checks import keep, not_negative, number, positive
from .gravity_field import CENTRAL, enter_field
from .load import FileField, Load
from .on_node import direction, point

if TYPE_CHECKING:
    from ..run.plan import Plan


@dataclass(frozen=True, eq=False)
class CentralGravity(Load):
    """Gravity of a central body in an inertial world frame: the system orbits.

    It acts on every body with mass: the force and the gravity-gradient torque on the deformed body,
    and the forces on its modes, to second order in the size of the body over its distance from the
    centre.  The model's own constant gravity must be zero.

    Parameters
    ----------
    mu : float
        Gravitational parameter, the constant of gravitation times the mass of the central body
        [m^3/s^2]; of the Earth 3.986004418e14.
    center : array (3,)
        Its place in the world [m].
    j2 : float
        Oblateness coefficient J2 of the central body; of the Earth 1.08263e-3.
    radius : float
        Equatorial radius that belongs to `j2` [m]; of the Earth 6378137.
    pole : str or array (3,)
        Axis of the oblateness: "x", "y", "z" or a vector.
    """

    file_kind = "central_gravity"
    file_fields: ClassVar[Mapping[str, FileField]] = {
        "mu": FileField("number", "gravitational parameter", above=0),
        "center": FileField("point", "length"),
        "j2": FileField("number", "number"),
        "radius": FileField("number", "length", least=0),
        "pole": FileField("direction"),
    }

    mu: float
    center: Any = field(default=(0.0, 0.0, 0.0), kw_only=True)
    j2: float = field(default=0.0, kw_only=True)
    radius: float = field(default=0.0, kw_only=True)
    pole: Any = field(default="z", kw_only=True)

    def check(self) -> None:
        """Check the fields that do not depend on a system."""
        keep(
            self,
            mu=positive(self.mu, f"{self.label}: mu", "a positive number [m^3/s^2]"),
            center=point(self, "center"),
            j2=number(self.j2, f"{self.label}: j2"),
            radius=not_negative(self.radius, f"{self.label}: radius", "a radius [m]"),
            pole=direction(self, "pole"),
        )
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
