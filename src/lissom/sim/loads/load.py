"""Interface of loads on a mechanism: forces, springs, rotors, given motions, controllers.

A load is immutable and independent of a system; `enter` adds it to the plan of a run, where names
are resolved and sizes are checked.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ...errors import shown
from ...printing import Shown
from ..run.checks import keep, switch, text

if TYPE_CHECKING:
    from ..run.plan import Plan


class FileField(NamedTuple):
    """Description of a field of a load in model files.

    Attributes
    ----------
    form : str
        "text", "place", "point", "direction", "end", "function", "choice", "number", "numbers"
        (one or several) or "signal" (these, a table of values over time, or a function).
    of : str
        Quantity of the numbers: for loads on joints one that depends on the joint, such as
        "stiffness" [N m/rad or N/m], for others a dimension.  See `io.natures` and `io.units`.
    least, above : float, optional
        A number must be at least this, or greater than this.
    infinite : bool
        Whether a number may be infinite.
    options : tuple of str
        Options of a choice.
    """

    form: str
    of: str = ""
    least: float | None = None
    above: float | None = None
    infinite: bool = False
    options: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Load(Shown, ABC):
    """Interface of loads.

    Attributes
    ----------
    name : str
        Name by which events switch it; by default made from its kind and place.
    on : bool
        Whether it is on at the start; events can switch it.
    """

    file_kind: ClassVar[str]  # name of the kind in model files
    file_fields: ClassVar[Mapping[str, FileField]]  # all except name and on
    is_motor: ClassVar[bool] = False  # whether it must act on the rotor of an elastic drive

    name: str = field(default="", kw_only=True)
    on: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        kind = type(self).__name__
        # first, since the label in other errors is made from the name
        keep(self, name=text(self.name, f"{kind}: name"))
        keep(self, on=switch(self.on, f"{self.label}: on"))
        for entry in fields(self):  # copies, so that later changes by the user have no effect
            if isinstance(value := getattr(self, entry.name), (list, np.ndarray)):
                keep(self, **{entry.name: copy.deepcopy(value)})
        formulas = self.formulas
        for name, value in formulas.items():  # checked as the numbers that they stand for
            keep(self, **{name: 1.0 if np.ndim(value) == 0 else np.ones(np.shape(value))})
        self.check()
        keep(self, **formulas)

    @property
    def label(self) -> str:
        """Name of the load, or its kind and place."""
        return self.name or f"{type(self).__name__} on {shown(self.place)}"

    @property
    def formulas(self) -> dict[str, Any]:
        """Fields that hold SymPy expressions in place of numbers, for `symbolic.derive`."""
        return {
            name: getattr(self, name)
            for name, kind in self.file_fields.items()
            if kind.form in ("number", "numbers")
            and not kind.infinite
            and _has_symbols(getattr(self, name))
        }

    @property
    @abstractmethod
    def place(self) -> str:
        """Name of the joint or node that it acts on."""

    @abstractmethod
    def check(self) -> None:
        """Check the fields that do not depend on a system; `name` and `on` are checked before."""

    @abstractmethod
    def enter(self, plan: Plan) -> None:
        """Add the load to the plan of a run.

        Parameters
        ----------
        plan : Plan
            Resolved arguments of `simulate`.
        """


def _has_symbols(value: Any) -> bool:
    if isinstance(value, (list, tuple, np.ndarray)):
        return any(_has_symbols(x) for x in value)
    return bool(getattr(value, "free_symbols", False))
