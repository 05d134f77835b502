"""Loading of sources: models with initial state and settings, checked."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from .sources import divided, load_model

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


def check_settings(run: ModelRun) -> None:
    """Reject inconsistent steps and tolerances, as `simulate` would.

    Parameters
    ----------
    run : ModelRun
        Run as loaded.
    """
    from ..sim import simulate
    from ..sim.integrators import as_integrator
    from ..sim.run.settings import checked_settings

    given = {name: x.default for name, x in inspect.signature(simulate).parameters.items()}
    given |= run.settings
    integrator = as_integrator(given["integrator"])
    if "duration" not in run.settings or integrator is None:  # chosen when the run starts
        return
    wanted = inspect.signature(checked_settings).parameters
    checked_settings(
        run.system,
        integrator,
        **{
            name: given[name]
            for name in wanted
            if name in given and name not in ("system", "integrator")
        },
    )


def check_start(run: ModelRun) -> None:
    """Put a run at its start, as `simulate` would, with the same errors and warnings.

    A run that names functions which were not looked up is left alone.

    Parameters
    ----------
    run : ModelRun
        Run as loaded, loops closed.
    """
    from ..io.model_file.build.simulation import lacks_functions
    from ..sim import simulate
    from ..sim.run.prepare import prepared
    from ..sim.run.whole_run import begun_run
    from ..sim.warnings.starts import warn_of_start

    settings = run.settings
    if "duration" not in settings or lacks_functions(settings):
        return
    given = {name: x.default for name, x in inspect.signature(simulate).parameters.items()}
    given |= settings
    wanted = inspect.signature(prepared).parameters
    options = {name: given[name] for name in wanted if name in given and name != "system"}
    ready = prepared(run.system, **{**options, "state": run.state})
    warn_of_start(ready.machine, begun_run(ready), stacklevel=2)


def checked_source(
    source: str, *, functions: bool, code: bool = True, changes: Sequence[str] = ()
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
    """
    from ..io.load import MODEL_SUFFIXES
    from ..io.model_file.build.simulation import ModelRun, checked_run

    place, name = divided(source)
    if not name and place.lower().endswith(MODEL_SUFFIXES):
        return checked_run(place, functions=functions, code=code, changes=changes)
    if changes:
        raise typer.BadParameter(
            f"--set {changes[0]}: {source} is no model file, whose values could be set; write one "
            "with Model.save, or change the program"
        )
    model = load_model(source, code=code)
    system = model.compile()
    return ModelRun(model, system, system.neutral(), {}), []
