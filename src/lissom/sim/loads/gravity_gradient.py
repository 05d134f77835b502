"""Gravity gradient about a point on a circular orbit, on all bodies of a system."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import LoadError, shown
from ...fields import DirectionField, NumberField, PointField, declare, declared
from .forms import ORIGIN
from .gravity_field import TIDAL, enter_field
from .load import Load

if TYPE_CHECKING:
    from ..run.plan import Plan

_SQUARE = 1e-9  # allowed cosine between radial direction and orbit normal


@declared()
class GravityGradient(Load):
    """Gravity gradient around a point that moves on a circular orbit, for attitude and deployment.

    The world frame goes along with the point and does not turn.  A mass at x from the point has the
    acceleration -n^2 (x - 3 u u.x), u being the direction from the centre of gravity through the
    point, which turns about the orbit's normal at the rate n: gravity less what the point itself
    feels, to first order in x.  It acts on every body with mass: the force and torque on the
    deformed body, and the forces on its modes.  The model's own constant gravity must be zero.
    """

    file_kind = "gravity_gradient"

    rate: float = declare(
        NumberField("angular speed", above=0), "Rate n of the orbit []: sqrt(mu / radius^3)."
    )
    _: KW_ONLY
    radial: Any = declare(
        DirectionField(),
        'Direction away from the centre at time zero: "x", "y", "z" or a vector.',
        default="x",
    )
    normal: Any = declare(
        DirectionField(),
        "Normal of the orbit, about which it turns by the right-hand rule; square to `radial`.",
        default="z",
    )
    center: Any = declare(PointField(), "The point in the world.", default=ORIGIN)

    def check(self) -> None:
        """Check what a field alone does not tell."""
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
