"""Runs from the section [simulation] of a model file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ....algorithms.loops.assembly import held_speeds
from ....errors import LissomError, LoadError
from ....model import Model
from ....options import of_form
from ....printing import Shown
from ....results import Trajectory
from ....system import State, System
from ..coordinate_units import check_state_units
from ..functions import import_function, unread_function
from ..includes import Document, IncludeEntry, read_document
from ..problems import Problem
from ..schema.model import MOST_COPIES
from ..schema.simulation import FunctionTable
from .loads import build_drift, build_event, build_integrator, build_load
from .model import PATIENCE, Builder, expanded


@dataclass(frozen=True, eq=False)
class ModelRun(Shown):
    """A model with the simulation settings of its file.

    Attributes
    ----------
    model : Model
        The mechanism.
    system : System
        The compiled mechanism.
    state : State
        Initial state.
    settings : mapping
        Further arguments of `simulate`: duration, integrator, step, loads, events and so on.
    held : tuple of str
        Joints "body" and modes "body.modes" that keep their values where loops are closed.
    """

    model: Model
    system: System
    state: State
    settings: Mapping[str, Any]
    held: tuple[str, ...] = ()

    def simulate(self, **changes: Any) -> Trajectory:
        """Run the simulation.

        Parameters
        ----------
        **changes
            Arguments of `simulate` that override those of the file.

        Returns
        -------
        Trajectory
        """
        from ....sim import simulate

        settings = {**self.settings, **changes}
        if "duration" not in settings:
            raise LoadError(
                f"model {self.model.name!r}: its file has no section [simulation]; add one with a "
                "duration, or use simulate(duration=...)"
            )
        return simulate(self.system, self.state, **settings)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write model, state and settings to a file that `load_run` reads.

        Functions are saved as "module:name" or "file.py:name".

        Parameters
        ----------
        path : path
            NAME.toml, NAME.json or NAME.yaml; an existing file is replaced.
        """
        arguments = {**self.settings, "state": self.state, "held": list(self.held)}
        self.model.save(path, simulation=arguments if "duration" in arguments else None)


def checked_run(
    path: str | os.PathLike[str],
    *,
    functions: bool,
    code: bool = True,
    changes: Sequence[str] = (),
    begin: bool = False,
) -> tuple[ModelRun | None, list[Problem]]:
    """Run of a model file, None if it cannot be created, and all problems."""
    document = read_document(path, changes)
    return checked_document(document, functions=functions, code=code, begin=begin)


def checked_document(
    document: Document, *, functions: bool, code: bool = True, begin: bool = False
) -> tuple[ModelRun | None, list[Problem]]:
    """The same of a document, its section [sweep] included."""
    run, problems = run_of(document, functions=functions, code=code, begin=begin)
    if run is not None and document.sweep is not None and not problems:
        from .sweep import sweep_problems

        problems += sweep_problems(document, document.sweep, run)
    return run, problems


def run_of(
    document: Document, *, functions: bool, code: bool = True, begin: bool = False
) -> tuple[ModelRun | None, list[Problem]]:
    """Run of a document, None if it cannot be created, and all problems."""
    builder = Builder(document, compiled=True)
    if builder.system is None:
        return None, builder.problems
    section = document.simulation
    if section is None:
        state = builder.system.neutral()
        return ModelRun(builder.model, builder.system, state, {}), builder.problems
    reader = _SectionReader(builder, section, functions=functions, code=code)
    state, settings = reader.state(), reader.settings()
    if not reader.problems:
        reader.check_plan(settings)
    complete = functions or not reader.unread
    if not reader.problems and complete:
        state = reader.on_motions(state, settings)
    run = ModelRun(builder.model, builder.system, state, settings, reader.held())
    if begin and not reader.problems:
        run = reader.check_start(run, complete=complete)
    return run, reader.problems


def _floats(value: Any) -> Any:
    """Quantities as plain floats."""
    return [float(x) for x in value] if isinstance(value, list) else float(value)


class _SectionReader:
    """Reader of the section [simulation]; collects all problems."""

    def __init__(
        self, builder: Builder, entry: IncludeEntry, *, functions: bool, code: bool
    ) -> None:
        assert builder.system is not None
        self.system, self.entry, self.table = builder.system, entry, entry.table
        self.problems, self.materials = builder.problems, builder.materials
        self.look_up, self.code = functions, code
        self.unread = False  # whether a function was not looked up
        self.modules: dict[str, Any] = {}
        self.folder = os.path.dirname(entry.source.path)

    def _note(self, error: Any, *inner: str | int) -> None:
        self.problems.append(self.entry.problem(str(error), *inner))

    def state(self) -> State:
        """Initial state."""
        values = {}
        for name, value in self.table.state.items():
            if len(self.problems) > PATIENCE:
                break
            try:
                self.system.layout.piece(name)
                check_state_units(self.system, name, value)
                self.system.state(**{name: value})
            except LissomError as error:
                self._note(error, "state", name)
            else:
                values[name] = value
        try:
            return self.system.state(**values)
        except LissomError as error:
            self._note(error, "state")
        return self.system.neutral()

    def held(self) -> tuple[str, ...]:
        """Joints and modes that keep their values where loops are closed."""
        try:
            held_speeds(self.system, self.table.held, "held")
        except LissomError as error:
            self._note(str(error).removeprefix("held: "), "held")
        return tuple(self.table.held)

    def settings(self) -> dict[str, Any]:
        """Arguments of `simulate`."""
        from ....sim.run.settings import check_rate_linear

        table = self.table
        numbers = {x: getattr(table, x) for x in of_form("number", "tolerances")}
        settings = {x: _floats(value) for x, value in numbers.items() if value is not None}
        settings |= {x: getattr(table, x) for x in of_form("choice", "switch")}
        try:
            check_rate_linear(self.system, rate_linear=table.rate_linear)
        except LissomError as error:
            self._note(error, "rate_linear")
        makers: dict[str, Callable[[Any], Any]] = {
            "integrator": build_integrator,
            "drift": partial(build_drift, self.system),
        }
        for name, make in makers.items():
            try:
                settings[name] = make(getattr(table, name))
            except LissomError as error:
                self._note(error, name)
        if isinstance(table.forces, FunctionTable):
            settings["forces"] = self._function(table.forces, "forces")
        elif isinstance(table.forces, dict):
            settings["forces"] = {x: _floats(value) for x, value in table.forces.items()}
        elif table.forces is not None:
            settings["forces"] = _floats(table.forces)
        return settings | {"loads": self._loads(), "events": self._events()}

    def _function(self, table: Any, *inner: str | int) -> Any:
        if not self.code:
            words = f"names the function {table.function!r}, but code may not be run"
            remedy = "give numbers or a table, or allow code (code=True, or omit --no-code)"
            self._note(f"{words}; {remedy}", *inner)
            return unread_function
        if not self.look_up:
            self.unread = True
            return unread_function
        try:
            return import_function(table.function, self.folder, self.modules)
        except LoadError as error:
            self._note(error, *inner)
            return unread_function

    def _loads(self) -> list[Any]:
        loads: list[Any] = []
        for k, table in enumerate(self.table.loads):
            if len(self.problems) > PATIENCE:
                break
            if len(loads) + (table.repeat or 1) > MOST_COPIES:
                self._note(f"there are more than {MOST_COPIES} loads; use fewer", "loads", k)
                break
            for _, copy in expanded(table):
                load = self._from_table(
                    lambda c, f: build_load(self.system, c, f, self.materials), copy, "loads", k
                )
                if load is None:
                    break
                loads.append(load)
        return loads

    def _events(self) -> list[Any]:
        events: list[Any] = []
        for k, table in enumerate(self.table.events):
            if len(self.problems) > PATIENCE:
                break
            events.append(
                self._from_table(lambda c, f: build_event(self.system, c, f), table, "events", k)
            )
        return [x for x in events if x is not None]

    def _from_table(self, make: Any, table: Any, *inner: str | int) -> Any:
        key = ""

        def function(entry: Any, name: str) -> Any:
            return self._function(entry, *inner, name)

        try:
            return make(table, function)
        except LissomError as error:
            key = getattr(error, "key", "")
            self._note(error, *inner, *([key] if key else []))
        return None

    def check_plan(self, settings: Mapping[str, Any]) -> None:
        """Check names and sizes of loads and events against the system."""
        from ....sim.loads.forces import enter_forces
        from ....sim.run.drive_checks import check_drives
        from ....sim.run.plan import Plan

        plan = Plan(self.system)
        owners = [k for k, x in enumerate(self.table.loads) for _ in range(x.repeat or 1)]
        for k, load in zip(owners, settings["loads"], strict=True):
            self._tried(partial(plan.enter, load), "loads", k)
        if "forces" in settings and settings["forces"] is not unread_function:
            try:
                enter_forces(plan, settings["forces"])
            except LissomError as error:
                self._note(error, "forces")
        for k, event in enumerate(settings["events"]):
            self._tried(partial(event.enter, plan), "events", k)
        if not self.problems:
            self._tried(partial(check_drives, plan), "loads")

    def check_start(self, run: ModelRun, *, complete: bool) -> ModelRun:
        """Run with closed loops, put at its start as `simulate` does; notes what that refuses.

        Where functions were not looked up (`complete` is False), loops are closed and settings
        checked, and nothing is evaluated.
        """
        from .closed_start import check_settings, closed_start, set_at_start

        try:
            with np.errstate(all="ignore"):
                run, _ = closed_start(run)
                if complete:
                    set_at_start(run)
                else:
                    check_settings(run)
        except LissomError as error:
            words = str(error)
            keys = [x for x in type(self.table).model_fields if words.startswith(f"{x} ")]
            self._note(words, *keys[:1])
        return run

    def on_motions(self, state: State, settings: Mapping[str, Any]) -> State:
        """State with prescribed motions applied to the joints that the file leaves out."""
        from ....sim.run.start import at_motions, driven_bodies, planned

        plan = planned(self.system, None, settings["loads"], ())
        driven = [self.system.names[body] for body in driven_bodies(plan)]
        pieces = [piece for name in driven for piece in (name, f"{name}.rates")]
        if all(piece in self.table.state for piece in pieces):
            return state
        try:
            moved = at_motions(plan, state, settings.get("start", 0.0))
        except LissomError as error:
            self._note(error, "loads")
            return state
        values = {x: (state if x in self.table.state else moved)[x] for x in pieces}
        return self.system.state(state.raw_q, state.raw_v, **values)

    def _tried(self, enter: Callable[[], None], *inner: str | int) -> None:
        if len(self.problems) > PATIENCE:
            return
        try:
            with np.errstate(all="ignore"):
                enter()
        except LissomError as error:
            self._note(error, *inner)
        except (ArithmeticError, np.linalg.LinAlgError, ValueError) as error:
            self._note(f"its values cause a numerical failure ({error})", *inner)
