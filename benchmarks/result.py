"""What a benchmark gives: tables, requirements and the numbers behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

__all__ = ["Cell", "Requirement", "Result", "Table", "shown", "verdict"]

Cell = str | int | float | None


@dataclass(frozen=True)
class Table:
    """Numbers in rows.

    Parameters
    ----------
    title : str
        What it shows.
    header : tuple of str
        Names of the columns, with units.
    rows : tuple of tuple
        Texts and numbers; None where there is nothing.
    note : str
        What a reader must know.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


@dataclass(frozen=True)
class Requirement:
    """A bound on something measured.

    Parameters
    ----------
    key : str
        Short name, by which a page can explain it.
    what : str
        What is bounded.
    bound : {"at least", "at most"}
        The sense of the bound.
    required : float
        The bound.
    measured : float or None
        The least favourable value; None if it was not measured.
    where : str
        Where that value was found.
    unit : str
        Of both numbers.
    aim : bool
        Whether it is only aimed at.
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
        """Whether the measured value keeps the bound; None if there is none."""
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
        Its name on the command line.
    title, about : str
        Heading, and what was done in plain words.
    tables : tuple of Table
        For reading.
    requirements : tuple of Requirement
        Bounds, with what was measured.
    records : tuple of dict
        Every number measured, for other programs.
    """

    name: str
    title: str
    about: str
    tables: tuple[Table, ...]
    requirements: tuple[Requirement, ...] = ()
    records: tuple[dict[str, Any], ...] = field(default=(), repr=False)

    def as_json(self) -> dict[str, Any]:
        """Dictionary that JSON can hold."""
        data = asdict(self)
        for entry, requirement in zip(data["requirements"], self.requirements, strict=True):
            entry["met"] = requirement.met
        return data

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> Self:
        """Result of what `as_json` gave.

        Parameters
        ----------
        data : mapping
            Lists may stand for tuples, as in JSON.
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
    """Word for the outcome of a requirement."""
    return {True: "yes", False: "no", None: "not measured"}[met]


def shown(cell: Cell) -> str:
    """Text of a cell: three figures of a number, a dash for nothing."""
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:.0f}" if abs(cell) >= 100 else f"{cell:.3g}"
    return str(cell)


def _space(unit: str) -> str:
    return f" {unit}" if unit and unit != "×" else unit
