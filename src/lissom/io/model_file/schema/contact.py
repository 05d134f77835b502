"""Schema of normal laws and friction in model files, derived from the fields of their classes."""

from __future__ import annotations

import dataclasses
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, create_model

from ....fields import FieldForm
from ....sim.loads import contact
from ....sim.loads.contact import Friction
from ....sim.loads.contact.hertz import MaterialField
from ....sim.loads.contact.law import DissipationField, NormalLaw
from .types import Name, TableType, annotation, number_of, table_of

# Normal laws, by their names in files
LAWS: dict[str, type[NormalLaw]] = {
    law.file_kind: law
    for law in vars(contact).values()
    if isinstance(law, type) and issubclass(law, NormalLaw)
}


class LawTable(TableType):
    """Base class of the tables of normal laws."""


def _annotation(form: FieldForm) -> Any:
    """Type of a field of a law, with its validator."""
    match form:
        case MaterialField():
            return Name
        case DissipationField():
            return Annotated[Any, number_of("stop damping", least=0)]
    return annotation(form)


def _law_table(law: type[NormalLaw]) -> type[LawTable]:
    """Table of a law, with its own fields and those that it has from others."""
    entries: Any = {"kind": (Literal[law.file_kind], ...)}
    table = create_model(f"{law.__name__}OfKind", __base__=LawTable, **entries)
    for kind in reversed(law.__mro__):
        if dataclasses.is_dataclass(kind) and "file_fields" in vars(kind):
            table = table_of(kind, table, _annotation, tagged=False)
    return table


if TYPE_CHECKING:
    AnyLaw = LawTable
    FrictionTable = TableType
else:
    AnyLaw = Annotated[reduce(or_, map(_law_table, LAWS.values())), Field(discriminator="kind")]
    FrictionTable = table_of(Friction, TableType, tagged=False)
