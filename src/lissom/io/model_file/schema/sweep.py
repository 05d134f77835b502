"""Schema of parameter studies in model files."""

# ruff: noqa: D101  (names and fields describe the tables)
from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, create_model

from ....units import DIMENSIONS
from ..units import UnitError, described, quantity
from .types import TableType, Words, fault, number_of, whole

_ANY = tuple(DIMENSIONS)

Number = Annotated[Any, number_of(*_ANY)]
Positive = Annotated[Any, number_of(*_ANY, above=0)]


def _texts(value: Any) -> Any:
    """Validated text or list of texts, as a list."""
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not texts or not all(isinstance(x, str) for x in texts):
        raise fault(f"is {described(value)}; expected text, or a list of texts")
    return texts


Texts = Annotated[list[str], BeforeValidator(_texts)]


def _values(values: Any) -> Any:
    """Validated list of values: numbers with or without units, texts, or truth values."""
    if not isinstance(values, list) or not values:
        raise fault(f"is {described(values)}; expected a list of values")
    if all(isinstance(x, bool) for x in values):
        return values
    try:
        return [quantity(x, _ANY) for x in values]
    except UnitError as error:
        if all(isinstance(x, str) for x in values):
            return values
        raise fault(f"an entry {error}") from None


Values = Annotated[Any, BeforeValidator(_values)]


class ParameterTable(TableType):
    """A parameter: the addresses that it sets, by default its name."""

    set: Texts = Field(default_factory=list)


class ListTable(ParameterTable):
    kind: Literal["list"]
    values: Values


# A field cannot be called "from" in the text of a class.
_FIELDS: dict[str, Any] = {
    "kind": (Literal["range"], ...),
    "from": (Number, ...),
    "to": (Number, ...),
    "count": (Annotated[Any, whole(2, 1_000_000)], ...),
    "spacing": (Literal["linear", "logarithmic"], "linear"),
}
RangeTable: Any = create_model("RangeTable", __base__=ParameterTable, **_FIELDS)


class UniformTable(ParameterTable):
    kind: Literal["uniform"]
    low: Number
    high: Number


class NormalTable(ParameterTable):
    kind: Literal["normal"]
    mean: Number
    sigma: Positive
    low: Number = None
    high: Number = None


class LogNormalTable(ParameterTable):
    kind: Literal["lognormal"]
    median: Positive
    sigma: Annotated[Any, number_of("number", above=0)]


class TriangularTable(ParameterTable):
    kind: Literal["triangular"]
    low: Number
    mode: Number
    high: Number


class ChoiceTable(ParameterTable):
    kind: Literal["choice"]
    values: Values
    weights: Any = None


def _parameter(value: Any) -> Any:
    if isinstance(value, list):
        return {"kind": "list", "values": value}
    if isinstance(value, dict) and "from" in value:
        return {"kind": "range", **value}
    return value


AnyParameter = Annotated[
    ListTable
    | RangeTable
    | UniformTable
    | NormalTable
    | LogNormalTable
    | TriangularTable
    | ChoiceTable,
    Field(discriminator="kind"),
    BeforeValidator(_parameter),
]


class OutputTable(TableType):
    """One quantity of a run, as it is or reduced to one number for each component."""

    channel: Words
    component: Words = None
    reduce: Literal["whole", "max", "min", "peak", "mean", "rms", "final"] = "whole"


class SweepTable(TableType):
    """The section [sweep]."""

    parameters: dict[str, AnyParameter] = Field(default_factory=dict)
    together: list[list[str]] = Field(default_factory=list)
    samples: Annotated[Any, whole(1, 100_000_000)] = None
    seed: Annotated[Any, whole(0, 2**63 - 1)] = None
    sampling: Literal["random", "latin_hypercube", "sobol"] = "random"
    channels: Texts = Field(default_factory=list)
    outputs: dict[str, OutputTable] = Field(default_factory=dict)
