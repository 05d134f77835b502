"""The command `lissom equations`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .output import say
from .values import NoCode

if TYPE_CHECKING:
    from ..model import Model
    from ..sim import Load
    from ..symbolic import Equations


class EquationFormat(StrEnum):
    """Output formats."""

    LATEX = "latex"
    PYTHON = "python"
    C = "c"
    CASADI = "casadi"
    MATLAB = "matlab"


class BodyLevel(StrEnum):
    """Levels of flexible bodies."""

    LINEAR = "linear"
    FULL = "full"
    STIFFENED = "stiffened"


class Form(StrEnum):
    """Forms of the equations, which differ in their speeds."""

    POINCARE = "poincare"
    LAGRANGE = "lagrange"


class Backend(StrEnum):
    """Libraries that a Python module can use."""

    NUMPY = "numpy"
    NUMBA = "numba"
    JAX = "jax"


class Real(StrEnum):
    """Floating-point types of a C program."""

    DOUBLE = "double"
    FLOAT = "float"


def equations(
    model: Annotated[
        str,
        typer.Argument(
            help="Model file, or FILE.py:NAME or MODULE:NAME of a Model or of a function without "
            "arguments that returns one; FILE.py alone if it has a single Model.",
            metavar="MODEL",
        ),
    ],
    format: Annotated[
        EquationFormat,
        typer.Option(metavar="|".join(EquationFormat), help="Output format; by default latex."),
    ] = EquationFormat.LATEX,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Folder for files; by default, C and MATLAB go to this folder, the rest to the "
            "terminal.",
            metavar="FOLDER",
        ),
    ] = None,
    level: Annotated[
        BodyLevel | None,
        typer.Option(
            metavar="|".join(BodyLevel),
            help="Level of all flexible bodies; by default that of each body.",
        ),
    ] = None,
    form: Annotated[
        Form,
        typer.Option(
            metavar="|".join(Form),
            help="With lagrange, all speeds are rates of coordinates.",
        ),
    ] = Form.POINCARE,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="Value of a parameter; repeatable.", metavar="NAME=NUMBER"),
    ] = None,
    backend: Annotated[
        Backend | None,
        typer.Option(
            metavar="|".join(Backend), help="For python only: library used by the module."
        ),
    ] = None,
    real: Annotated[
        Real | None, typer.Option(metavar="|".join(Real), help="For c only: floating-point type.")
    ] = None,
    frame: Annotated[
        list[str] | None,
        typer.Option(
            help="For programs only: frame with pose and Jacobian; repeatable.",
            metavar="BODY[.NODE]",
        ),
    ] = None,
    loads: Annotated[
        bool,
        typer.Option("--loads", help="Include the loads of a model file."),
    ] = False,
    no_code: NoCode = False,
) -> None:
    """Write the equations of motion as formulas or as a program."""
    _check_options(format, backend, real, frame)
    from ..symbolic import derive

    source, model_loads = _source(model, loads, code=not no_code)
    derived = derive(source, level=level and level.value, form=form.value, loads=model_loads)
    values = _numbers(set_ or [], [symbol.name for symbol in derived.parameters])
    if format is EquationFormat.C:
        folder = Path() if output is None else output
        precision = (real or Real.DOUBLE).value
        for path in derived.to_c(folder, real=precision, values=values, frames=frame):
            say(f"wrote {path}")
        return
    if format is EquationFormat.MATLAB:
        folder = Path() if output is None else output
        say(f"wrote {derived.to_matlab(folder, values=values, frames=frame)}")
        return
    if format is EquationFormat.LATEX:
        text = derived.latex(values=values) + "\n"
    else:
        uses = "casadi" if format is EquationFormat.CASADI else (backend or Backend.NUMPY).value
        text = derived.python_source(values=values, backend=uses, frames=frame)
    if output is None:
        say(text, end="")
    else:
        _write(derived, format, output, text)


def _source(place: str, loads: bool, *, code: bool) -> tuple[Model, Sequence[Load]]:
    """Model of a source, and the loads of a model file if they are wanted."""
    if not loads:
        from .sources import load_model

        return load_model(place, code=code), ()
    from .sources import load_source

    run = load_source(place, code=code)
    return run.model, run.settings.get("loads", ())


def _check_options(
    format: EquationFormat, backend: Backend | None, real: Real | None, frame: list[str] | None
) -> None:
    """Reject options that do not apply to the format."""
    if backend and format is not EquationFormat.PYTHON:
        raise typer.BadParameter("--backend is an option of --format python")
    if real and format is not EquationFormat.C:
        raise typer.BadParameter("--real is an option of --format c")
    if frame and format is EquationFormat.LATEX:
        raise typer.BadParameter("--frame is an option of --format python, c, casadi and matlab")


def _numbers(settings: list[str], parameters: list[str]) -> dict[str, float]:
    """Numbers of known parameters from texts such as "m=2.5"."""
    from ..errors import SymbolicError, suggestion

    numbers: dict[str, float] = {}
    for text in settings:
        name, equals, number = (part.strip() for part in text.partition("="))
        if not name or not equals:
            raise SymbolicError(f"--set {text}: expected NAME=NUMBER, such as --set m=2.5")
        if name in numbers:
            raise SymbolicError(f"--set {text}: {name} is set twice; give one number")
        if name not in parameters:
            remedy = (
                suggestion(name, parameters)
                if parameters
                else "the model has no parameters, all values are numbers"
            )
            raise SymbolicError(f"--set {text}: there is no parameter {name!r}; {remedy}")
        numbers[name] = _number(text, number)
    return numbers


def _number(text: str, number: str) -> float:
    from ..errors import SymbolicError

    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if math.isfinite(value):
        return value
    raise SymbolicError(
        f"--set {text}: {number!r} is not a finite number; give a number such as 2.5"
    )


def _write(derived: Equations, format: EquationFormat, folder: Path, text: str) -> None:
    from ..symbolic.names import identifier
    from ..symbolic.writing import write_text

    endings = {
        EquationFormat.LATEX: ".tex",
        EquationFormat.PYTHON: ".py",
        EquationFormat.CASADI: "_casadi.py",
    }
    name = identifier(derived.name or "model")
    say(f"wrote {write_text(folder / f'{name}{endings[format]}', text)}")
