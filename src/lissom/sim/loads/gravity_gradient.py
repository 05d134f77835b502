"""Gravity gradient about a point on a circular orbit, on all bodies of a system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...errors import LoadError, shown
from ..run.checks import keep, positive
from .gravity_field import TIDAL, enter_field
from .load import FileField, Load
from .on_node import direction, point

if TYPE_CHECKING:
    from ..run.plan import Plan

_SQUARE = 1e-9  # allowed cosine between radial direction and orbit normal


@dataclass(frozen=True, eq=False)
class GravityGradient(Load):
    """Gravity gradient around a point that moves on a circular orbit, for attitude and deployment.

    The world frame goes along with the point and does not turn.  A mass at x from the point has the
    acceleration -n^2 (x - 3 u u.x), u being the direction from the centre of gravity through the
    point, which turns about the orbit's normal at the rate n: gravity less what the point itself
    feels, to first order in x.  It acts on every body with mass: the force and torque on the
    deformed body, and the forces on its modes.  The model's own constant gravity must be zero.

    Parameters
    ----------
    rate : float
        Rate n of the orbit [rad/s]: sqrt(mu / radius^3).
    radial : str or array (3,)
        Direction away from the centre at time zero: "x", "y", "z" or a vector.
    normal : str or array (3,)
        Normal of the orbit, about which it turns by the right-hand rule; square to `radial`.
    center : array (3,)
        The point in the world [m].
    """

    file_kind = "gravity_gradient"
    file_fields: ClassVar[Mapping[str, FileField]] = {
        "rate": FileField("number", "angular speed", above=0),
        "radial": FileField("direction"),
        "normal": FileField("direction"),
        "center": FileField("point", "length"),
    }

    rate: float
    radial: Any = field(default="x", kw_only=True)
    normal: Any = field(default="z", kw_only=True)
    center: Any = field(default=(0.0, 0.0, 0.0), kw_only=True)

    def check(self) -> None:
        """Check the fields that do not depend on a system."""
        keep(
            self,
            rate=positive(self.rate, f"{self.label}: rate", "a positive rate [rad/s]"),
            radial=direction(self, "radial"),
            normal=direction(self, "normal"),
            center=point(self, "center"),
        )
        if abs(self.radial @ self.normal) > _SQUARE:
            raise LoadError(
                f"{self.label}: radial {shown(self.radial.tolist())} and normal "
                f"{shown(self.normal.tolist())} are not square to each other; the normal of an "
                "orbit is square to the direction of its centre"
            )

    @property
    def place(self) -> str:
        """All bodies."""
        return "all bodies"

    def enter(self, plan: Plan) -> None:
        """Add the load to the plan of a run."""
        along = np.cross(self.normal, self.radial)
        enter_field(plan, self, [TIDAL, self.rate, *self.center, 0.0, *self.radial, *along])
