"""Options shared by the commands."""

from __future__ import annotations

from typing import Annotated, overload

import typer

NoCode = Annotated[
    bool,
    typer.Option("--no-code", help="Run no user programs: reject functions and models in Python."),
]

Units = Annotated[
    str | None,
    typer.Option(help="Units in place of those of SI, such as deg,mm,kN.", metavar="UNITS"),
]


@overload
def number(text: str, option: str, dimension: str = ...) -> float: ...
@overload
def number(text: None, option: str, dimension: str = ...) -> None: ...
def number(text: str | None, option: str, dimension: str = "number") -> float | None:
    """Value of an option, which may have a unit; None stays None.

    Parameters
    ----------
    text : str or None
        Text as typed, such as "2" or "200 ms".
    option : str
        Name of the option, for messages.
    dimension : str
        Key of `lissom.units.DIMENSIONS`.
    """
    if text is None:
        return None
    from ..io.model_file.units import UnitError, quantity

    try:
        return float(quantity(text, (dimension,)))
    except UnitError as error:
        words = str(error).replace(' or "0.5 unit"', ' or "500 ms"' if dimension == "time" else "")
        raise typer.BadParameter(f"{option} {words}") from None
