"""Rigid impact as an action of the event that finds two shapes in contact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, ClassVar, final

from ...errors import LoadError, shown
from ...fields import ChoiceField, FieldForm, NumberField, check_fields, declare, declared
from ...immutable import immutable
from .action import Action

if TYPE_CHECKING:
    from ..run.plan import Plan

LAWS = ("stronge", "poisson", "newton")


@final
@immutable("make another one")
@declared(eq=True)
class RigidImpact(Action):
    """Impulse between the shapes of a `Gap` that meet, by a coefficient of restitution.

    Speeds change at once, those of all joints and modes of shape; the impulse and the energy lost
    are in `Trajectory.events`.  It is for those who have a coefficient and nothing else: there is
    no force and no time of contact, and bodies that stay in contact need a `Contact`.

    "stronge" ends the impact by the work of the normal force, "poisson" by its impulse; neither
    gains energy.  "newton", by the normal speed, does with friction, and is refused there.  Without
    friction all three are the same.
    """

    file_fields: ClassVar[Mapping[str, FieldForm]]

    restitution: float = declare(
        NumberField("number", least=0), "Coefficient of restitution, from 0 to 1."
    )
    friction: float = declare(
        NumberField("number", least=0), "Coefficient of friction.", default=0.0
    )
    _: KW_ONLY
    law: str = declare(ChoiceField(options=LAWS), "What ends the impact.", default="stronge")
    order: float | None = declare(
        NumberField("number"),
        "Place among impacts at one instant, the smallest first; without it impacts that change "
        "each other end the run.",
        default=None,
    )

    def __post_init__(self) -> None:
        check_fields(self, "RigidImpact", LoadError)
        if self.restitution > 1:
            raise LoadError(
                f"RigidImpact: restitution is {shown(self.restitution)}; expected a number from 0 "
                "to 1: an impact returns no more than it takes"
            )
        if self.law == "newton" and self.friction > 0:
            raise LoadError(
                f'RigidImpact: law is "newton" with friction {shown(self.friction)}, which may '
                'gain energy; use law="stronge" or "poisson"'
            )

    def prepare(self, plan: Plan, what: str) -> None:
        """Nothing to resolve: the event has the shapes."""
