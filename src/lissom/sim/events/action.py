"""What all actions of events have."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from ...printing import Shown

if TYPE_CHECKING:
    from ..run.plan import Plan


class Action(Shown, ABC):
    """Action of an event."""

    @abstractmethod
    def prepare(self, plan: Plan, what: str) -> None:
        """Resolve names against the plan; errors name the event.

        Parameters
        ----------
        plan : Plan
            Resolved arguments of `simulate`.
        what : str
            Name of the event in errors.
        """
