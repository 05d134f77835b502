"""What every load on a mechanism is: forces, springs, rotors, given motions, controllers.

A load is immutable and knows no system; `enter` writes it into the plan of a run, where names are
resolved and sizes are checked.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from ..checks import keep, shown, switch, text

if TYPE_CHECKING:
    from ..plan import Plan

__all__ = ["FileField", "Load"]


class FileField(NamedTuple):
    """What a model file holds of a field of a load.

    Attributes
    ----------
    form : {"text", "place", "point", "end", "function", "choice", "number", "numbers", "signal"}
        "numbers": one or several; "signal": these, a table of values at times, or a function.
    of : str
        What the numbers are: of loads on joints a quantity that depends on the joint, such as
        "stiffness" [N m/rad or N/m], of others a dimension.  See `io.natures` and `io.units`.
    least, above : float, optional
        A number must be at least this, or greater than this.
    infinite : bool
        Whether a number may be infinite.
    options : tuple of str
        Of a choice.
    """

    form: str
    of: str = ""
    least: float | None = None
    above: float | None = None
    infinite: bool = False
    options: tuple[str, ...] = ()


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

    file_kind: ClassVar[str]  # what model files call it
    file_fields: ClassVar[Mapping[str, FileField]]  # all but name and on
    is_motor: ClassVar[bool] = False  # whether it must act on the rotor of an elastic drive

    name: str = field(default="", kw_only=True)
    on: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        kind = type(self).__name__
        # first of all: the label that other errors use is made of the name
        keep(self, name=text(self.name, f"{kind}: name"))
        keep(self, on=switch(self.on, f"{self.label}: on"))
        for given in fields(self):  # what the user does with these later is not ours
            if isinstance(value := getattr(self, given.name), (list, np.ndarray)):
                keep(self, **{given.name: copy.deepcopy(value)})
        self.check()

    @property
    def label(self) -> str:
        """Its name, or what it is and where."""
        return self.name or f"{type(self).__name__} on {shown(self.place)}"

    @property
    @abstractmethod
    def place(self) -> str:
        """Joint or node that it acts on, in words."""

    @abstractmethod
    def check(self) -> None:
        """Refuse what is wrong without a system; `name` and `on` are checked before."""

    @abstractmethod
    def enter(self, plan: Plan) -> None:
        """Write it into the plan of a run.

        Parameters
        ----------
        plan : Plan
            What `simulate` makes of its arguments before it starts.
        """
