"""Interface of loads on a mechanism: forces, springs, rotors, given motions, controllers.

A load is immutable and independent of a system; `enter` adds it to the plan of a run, where names
are resolved and sizes are checked.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import KW_ONLY, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...errors import LoadError, shown
from ...fields import (
    FieldForm,
    NumberField,
    SwitchField,
    TextField,
    check_fields,
    declare,
    declared,
    keep,
)
from ...printing import Shown
from .forms import JointField, PlaceField, place_text

if TYPE_CHECKING:
    from ..run.plan import Plan


@declared()
class Load(Shown, ABC):
    """Interface of loads."""

    file_kind: ClassVar[str]  # name of the kind in model files
    file_fields: ClassVar[Mapping[str, FieldForm]]  # forms of its own fields, without name and on
    is_motor: ClassVar[bool] = False  # whether it must act on the rotor of an elastic drive

    _: KW_ONLY
    name: str = declare(
        TextField(),
        "Name by which events switch it; by default made from its kind and place.",
        default="",
    )
    on: bool = declare(
        SwitchField(), "Whether it is on at the start; events can switch it.", default=True
    )

    def __post_init__(self) -> None:
        for entry in fields(self):  # copies, so that later changes by the user have no effect
            if isinstance(value := getattr(self, entry.name), (list, np.ndarray)):
                keep(self, **{entry.name: copy.deepcopy(value)})
        formulas = self.formulas
        for name, value in formulas.items():  # checked as the numbers that they stand for
            keep(self, **{name: 1.0 if np.ndim(value) == 0 else np.ones(np.shape(value))})
        check_fields(self, self.label, LoadError)
        self.check()
        keep(self, **formulas)

    @property
    def label(self) -> str:
        """Name of the load, or its kind and place."""
        name = self.name if isinstance(self.name, str) else ""
        return name or f"{type(self).__name__} on {shown(self.place)}"

    @property
    def formulas(self) -> dict[str, Any]:
        """Fields that hold SymPy expressions in place of numbers, for `symbolic.derive`."""
        return {
            name: getattr(self, name)
            for name, form in self.file_fields.items()
            if isinstance(form, NumberField)
            and not form.infinite
            and _has_symbols(getattr(self, name))
        }

    @property
    def place(self) -> str:
        """Name of the joint or node that it acts on."""
        forms = self.file_fields.items()
        name = next(x for x, form in forms if isinstance(form, (JointField, PlaceField)))
        return place_text(getattr(self, name))

    def check(self) -> None:
        """Check what a field alone does not tell; `fields` has checked each one."""

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
