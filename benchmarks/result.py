"""Result of a benchmark: tables, requirements and the underlying numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

Cell = str | int | float | None


@dataclass(frozen=True)
class Table:
    """Table of numbers.

    Parameters
    ----------
    title : str
        Heading.
    header : tuple of str
        Names of the columns, with units.
    rows : tuple of tuple
        Texts and numbers; None where there is nothing.
    note : str
        Explanation for the reader.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


@dataclass(frozen=True)
class Requirement:
    """Bound on a measured value.

    Parameters
    ----------
    key : str
        Short name, used to look up explanations.
    what : str
        Description of the bounded value.
    bound : {"at least", "at most"}
        Direction of the bound.
    required : float
        The bound.
    measured : float or None
        Least favourable value; None if it was not measured.
    where : str
        Case with that value.
    unit : str
        Unit of both numbers.
    aim : bool
        Whether it is an aim, not a requirement.
    """

    key: str
    what: str
    bound: str
    required: float
    measured: float | None
    where: str = ""
    unit: str = ""
    aim: bool = False

    @property
    def met(self) -> bool | None:
        """Whether the measured value meets the bound; None if there is none."""
        if self.measured is None:
            return None
        if self.bound == "at least":
            return self.measured >= self.required
        return self.measured <= self.required

    def row(self) -> tuple[Cell, ...]:
        """Cells of a table of requirements."""
        kind = "aim" if self.aim else "required"
        bound = f"{self.bound} {self.required:g}{_space(self.unit)}"
        measured = "–" if self.measured is None else f"{self.measured:.3g}{_space(self.unit)}"
        return self.what, kind, bound, measured, self.where, verdict(self.met)


@dataclass(frozen=True)
class Result:
    """Outcome of one benchmark.

    Parameters
    ----------
    name : str
        Name on the command line.
    title, about : str
        Heading, and description of the measurement.
    tables : tuple of Table
        Tables for the reader.
    requirements : tuple of Requirement
        Bounds with measured values.
    records : tuple of dict
        All measured numbers, for other programs.
    """

    name: str
    title: str
    about: str
    tables: tuple[Table, ...]
    requirements: tuple[Requirement, ...] = ()
    records: tuple[dict[str, Any], ...] = field(default=(), repr=False)

    def as_json(self) -> dict[str, Any]:
        """Dictionary for JSON."""
        data = asdict(self)
        for entry, requirement in zip(data["requirements"], self.requirements, strict=True):
            entry["met"] = requirement.met
        return data

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> Self:
        """Result from the dictionary of `as_json`.

        Parameters
        ----------
        data : mapping
            Lists may replace tuples, as in JSON.
        """
        tables = tuple(
            Table(t["title"], tuple(t["header"]), tuple(map(tuple, t["rows"])), t["note"])
            for t in data["tables"]
        )
        requirements = tuple(
            Requirement(**{key: value for key, value in r.items() if key != "met"})
            for r in data["requirements"]
        )
        return cls(
            data["name"], data["title"], data["about"], tables, requirements, tuple(data["records"])
        )


REQUIREMENT_HEADER = ("what", "kind", "bound", "measured", "where", "met")


def verdict(met: bool | None) -> str:
    """Outcome of a requirement as a word."""
    return {True: "yes", False: "no", None: "not measured"}[met]


def shown(cell: Cell) -> str:
    """Text of a cell: a number with three digits, a dash for None."""
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:.0f}" if abs(cell) >= 100 else f"{cell:.3g}"
    return str(cell)


def _space(unit: str) -> str:
    return f" {unit}" if unit and unit != "×" else unit
