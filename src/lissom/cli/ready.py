"""Loading of sources: models with initial state and settings, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from .sources import load_model, split_source

if TYPE_CHECKING:
    from ..io.model_file.build.simulation import ModelRun
    from ..io.model_file.problems import Problem


def load_source(source: str, *, code: bool = True, changes: Sequence[str] = ()) -> ModelRun:
    """Model of a source, ready to run; without a section [simulation] it starts at rest.

    Parameters
    ----------
    source : str
        As for `load_model`.
    code : bool
        Whether user programs may be run.
    changes : sequence of str
        Values in place of those of a model file, ADDRESS=VALUE.
    """
    run, problems = checked_source(source, functions=True, code=code, changes=changes)
    if run is None or problems:
        from ..io.model_file.source import failed

        raise failed(sorted(problems))
    return run


def checked_source(
    source: str,
    *,
    functions: bool,
    code: bool = True,
    changes: Sequence[str] = (),
    begin: bool = False,
) -> tuple[ModelRun | None, list[Problem]]:
    """Run of a source, or None if it cannot be loaded, and the problems of a model file.

    Parameters
    ----------
    source : str
        As for `load_model`.
    functions : bool
        Whether to look up functions named in a model file, which runs user programs.
    code : bool
        Whether user programs may be run; otherwise functions are problems.
    changes : sequence of str
        As for `load_source`.
    begin : bool
        Whether to close loops, and to put the run of a model file at its start, which finds what
        `run` refuses.
    """
    from ..io.load import MODEL_SUFFIXES
    from ..io.model_file.build.simulation import ModelRun, checked_run

    place, name = split_source(source)
    if not name and place.lower().endswith(MODEL_SUFFIXES):
        run, problems = checked_run(
            place, functions=functions, code=code, changes=changes, begin=begin
        )
        if run is None or problems or run.settings:
            return run, problems
    elif changes:
        raise typer.BadParameter(
            f"--set {changes[0]}: {source} is no model file, whose values could be set; write one "
            "with Model.save, or change the program"
        )
    else:
        model = load_model(source, code=code)
        system = model.compile()
        run = ModelRun(model, system, system.neutral(), {})
    if begin:
        from ..io.model_file.build.closed_start import closed_start

        run, _ = closed_start(run)
    return run, []
