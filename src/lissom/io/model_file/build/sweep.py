"""Parameter studies from the section [sweep] of a model file."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....errors import LissomError, StateError, SweepError, suggestion
from ....printing import Shown
from ....results.channels import resolved
from ....results.store import Columns
from ....sweeps import Choice, Distribution, LogNormal, Normal, Triangular, Uniform, sweep
from ....sweeps.parameters import MOST_TASKS, sobol_problem, sorted_parameters
from ....sweeps.study import RESERVED
from ..addresses import AddressError, Path, changed, path_of_address
from ..includes import Document, IncludeEntry, document_of
from ..problems import Problem, key_text
from ..source import Source
from ..units import NumberWithUnit, usual_units
from ..validation import validated
from .simulation import ModelRun, run_of
from .sweep_task import (
    MOST_TIMES,
    FileBuild,
    FileRun,
    n_time,
    output_times,
    set_values,
    too_many_times,
)

_KINDS: dict[str, type[Distribution]] = {
    "uniform": Uniform,
    "normal": Normal,
    "lognormal": LogNormal,
    "triangular": Triangular,
    "choice": Choice,
}
MOST_TRIED = 100  # values of a list that are tried when the file is read
TIME = "time"  # dimension of what is kept over time
_DURATION: Path = ("simulation", "duration")
_STORED = ("load", "servo")  # channels that depend on what acts in a run


@dataclass(frozen=True, eq=False)
class ModelSweep(Shown):
    """A model file with its parameter study, ready to run.

    Attributes
    ----------
    parameters : mapping
        As of `lissom.sweep`.
    units : mapping
        Units of parameters.
    settings : mapping
        Further arguments of `lissom.sweep`: samples, seed, sampling.
    build : callable
        Makes the run of the file with other values.
    run : callable
        Does it, and keeps channels and outputs.
    notes : mapping
        What distinguishes it from other studies.
    """

    parameters: Mapping[Any, Any]
    units: Mapping[str, str]
    settings: Mapping[str, Any]
    build: Any
    run: Any
    notes: Mapping[str, Any]

    def sweep(
        self, executor: Any = None, *, channels: Sequence[str] | None = None, **changes: Any
    ) -> Any:
        """Run the study; see `lissom.sweep`.

        Parameters
        ----------
        executor : None, str or object
            As of `lissom.sweep`.
        channels : sequence of str, optional
            Channels over time in place of those of the file.
        **changes
            Arguments of `lissom.sweep`: samples, seed, sampling, store, tasks, workers and others.

        Returns
        -------
        xarray.Dataset
        """
        run = self.run if channels is None else self.run.keeping(channels)
        run.check()
        notes = {**self.notes, "outputs": run.description()}
        settings = {**self.settings, **changes, "notes": notes, "units": self.units}
        return sweep(self.build, self.parameters, run, executor, **settings)


def check_section(document: Document) -> None:
    """Refuse a file without a section [sweep]."""
    if document.sweep is None and document.source.value(["sweep"]) is None:
        raise SweepError(
            f"{document.source.path}: there is no section [sweep]; add one with parameters"
        )


def names_functions(document: Document) -> bool:
    """Whether the section [simulation] names a function, which looking up runs programs."""

    def named(value: Any) -> bool:
        if isinstance(value, Mapping):
            return "function" in value or any(map(named, value.values()))
        return isinstance(value, list) and any(map(named, value))

    return named(document.source.data.get("simulation"))


def model_sweep(document: Document, run: ModelRun, *, code: bool) -> ModelSweep:
    """Study of a file without problems."""
    check_section(document)
    entry = document.sweep
    assert entry is not None
    table, source = entry.table, document.source
    reader = _SweepReader(document, entry)
    settings = {x: getattr(table, x) for x in ("samples", "seed", "sampling")}
    build = FileBuild(source.path, source.text, source.data, reader.targets, code)
    settings_of_longest = reader.longest(run)
    times = output_times(settings_of_longest)
    return ModelSweep(
        reader.parameters,
        {name: usual_units(powers) for name, (_, powers) in reader.targets.items() if powers},
        {x: value for x, value in settings.items() if value is not None},
        build,
        FileRun(tuple(table.channels), _outputs(table), times, n_time(settings_of_longest)),
        {"model": run.model.name, "file": _digest(document)},
    )


def _outputs(table: Any) -> dict[str, tuple[str, str | None, str]]:
    return {name: (x.channel, x.component, x.reduce) for name, x in table.outputs.items()}


def _digest(document: Document) -> str:
    whole = hashlib.sha256()
    for text in sorted({x.text for x in _sources(document)}):
        whole.update(text.encode())
    return whole.hexdigest()


def _sources(document: Document) -> Iterator[Source]:
    yield document.source
    named = ("parts", "loops", "joins", "couplings", "frames", "shapes")
    groups = [getattr(document, x) for x in named]
    for group in (*groups, document.materials.values(), document.bodies.values()):
        yield from (entry.source for entry in group)
    for assembly in document.assemblies:
        yield from _sources(assembly.document)


class _SweepReader:
    """Parameters of the section; problems are collected."""

    def __init__(self, document: Document, entry: IncludeEntry) -> None:
        self.document, self.entry, self.table = document, entry, entry.table
        self.problems: list[Problem] = []
        self.targets: dict[str, tuple[tuple[Path, ...], Any]] = {}
        self.parameters: dict[Any, Any] = {}
        tied = {name for group in self.table.together for name in group}
        parameters = {
            name: self._choices_of(name, x, tied=name in tied)
            for name, x in self.table.parameters.items()
        }
        self.parameters |= {x: value for x, value in parameters.items() if x not in tied}
        for k, group in enumerate(self.table.together):
            self._tie(k, group, parameters)

    def values_of(self, path: Path) -> list[Any]:
        """Values in the study of what is at a path, which is no distribution; empty if none."""
        for key, choices in self.parameters.items():
            names = key if isinstance(key, tuple) else (key,)
            for k, name in enumerate(names):
                if path in self.targets[name][0] and not isinstance(choices, Distribution):
                    return [x[k] for x in choices] if isinstance(key, tuple) else list(choices)
        return []

    def longest(self, run: ModelRun) -> dict[str, Any]:
        """Settings of the longest run of the study."""
        durations = self.values_of(_DURATION) or [run.settings["duration"]]
        return {**run.settings, "duration": max(durations)}

    def _note(self, message: str, *inner: str | int) -> None:
        self.problems.append(self.entry.problem(message, *inner))

    def _choices_of(self, name: str, table: Any, *, tied: bool) -> Any:
        """List or distribution of a parameter, whose values may come twice where it is tied."""
        paths = []
        for address in table.set or [name]:
            try:
                paths.append(path_of_address(self.document.source.data, address))
            except AddressError as error:
                inner = ("set",) if table.set else ()
                self._note(f"the address {address!r} {error}", "parameters", name, *inner)
        fields = {
            x: getattr(table, x) for x in type(table).model_fields if x not in ("kind", "set")
        }
        numbers = [*fields.values(), *(fields.get("values") or ())]
        powers = {
            x.powers for x in numbers if isinstance(x, NumberWithUnit) and x.powers is not None
        }
        if len(powers) > 1:
            self._note("has values with different units; use one", "parameters", name)
        self.targets[name] = (tuple(paths), next(iter(powers), None))
        try:
            choices = _list_or_distribution(table.kind, fields)
            sorted_parameters({name: [0.0] if tied else choices})
            return choices
        except SweepError as error:
            self._note(str(error), "parameters", name)
        return [0.0]

    def _tie(self, k: int, group: Sequence[str], parameters: Mapping[str, Any]) -> None:
        """Parameters that change together: one list of rows."""
        unknown = [x for x in group if x not in parameters]
        if unknown:
            hint = suggestion(unknown[0], parameters)
            self._note(f"names {unknown[0]!r}, which is not a parameter; {hint}", "together", k)
            return
        lists = [parameters[x] for x in group]
        same = all(isinstance(x, list) for x in lists) and len({len(x) for x in lists}) == 1
        tied = {x for key in self.parameters if isinstance(key, tuple) for x in key}
        if not same or len(group) < 2 or tied & set(group) or len(set(group)) < len(group):
            message = "parameters that change together need lists of the same length, each once"
            self._note(message, "together", k)
            return
        self.parameters[tuple(group)] = list(zip(*lists, strict=True))


def _list_or_distribution(kind: str, fields: dict[str, Any]) -> Any:
    """List or distribution from the fields of a table."""
    if kind == "list":
        return _plain(fields["values"])
    if kind == "range":
        first, last = float(fields["from"]), float(fields["to"])
        if fields["spacing"] == "linear":
            return np.linspace(first, last, fields["count"]).tolist()
        if not first * last > 0:
            raise SweepError("logarithmic spacing needs ends of the same sign, not zero")
        return np.geomspace(first, last, fields["count"]).tolist()
    arguments = {x: value for x, value in fields.items() if value is not None}
    return _KINDS[kind](**{x: _plain(value) for x, value in arguments.items()})


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(x) for x in value]
    return float(value) if isinstance(value, NumberWithUnit) else value


def sweep_problems(document: Document, entry: IncludeEntry, run: ModelRun) -> list[Problem]:
    """Problems of the section [sweep] of a file that has none else."""
    reader = _SweepReader(document, entry)
    table, problems = entry.table, reader.problems
    if not table.parameters and table.samples is None:
        problems.append(entry.problem("has no parameters; add [sweep.parameters]"))
    drawn = [x for x, choices in reader.parameters.items() if isinstance(choices, Distribution)]
    if drawn and table.samples is None:
        message = f"the parameter {drawn[0]!r} is a distribution; give samples = 100"
        problems.append(entry.problem(message))
    elif drawn and table.sampling == "sobol" and (words := sobol_problem(table.samples)):
        problems.append(entry.problem(f"sampling = 'sobol' needs {words}", "samples"))
    problems += _channel_problems(entry, run)
    problems += _name_problems(entry)
    if not problems:
        problems += _value_problems(document, entry, reader)
    problems += _overlap_problems(entry, reader)
    problems += _duration_problems(entry, reader)
    problems += _size_problems(entry, reader, run)
    return problems


def _channel_problems(entry: IncludeEntry, run: ModelRun) -> Iterator[Problem]:
    table = entry.table
    requests = [(x, "whole", ("channels", k)) for k, x in enumerate(table.channels)]
    requests += [(x.channel, x.reduce, ("outputs", name)) for name, x in table.outputs.items()]
    columns = Columns.of(run.system)
    for channel, reduce, place in requests:
        if reduce == "whole" and not run.settings.get("output_step"):
            message = "is kept over time, which needs output_step in the section [simulation]"
            yield entry.problem(message, *place)
        if channel.rpartition(".")[2].startswith(_STORED):
            continue
        try:
            resolved_channel = resolved(run.system, columns, channel)[0]
        except StateError as error:
            yield entry.problem(str(error), *place)
            continue
        component = None if place[0] == "channels" else table.outputs[place[1]].component
        if component is not None and component not in (*resolved_channel.labels, "norm"):
            hint = suggestion(component, [*resolved_channel.labels, "norm"])
            yield entry.problem(f"{channel!r} has no component {component!r}; {hint}", *place)


def _overlap_problems(entry: IncludeEntry, reader: _SweepReader) -> Iterator[Problem]:
    """Addresses that two parameters set."""
    owners: dict[Path, str] = {}
    for name, (paths, _) in reader.targets.items():
        for path in paths:
            for other, owner in owners.items():
                n = min(len(path), len(other))
                if path[:n] == other[:n]:
                    message = f"sets {key_text(path)}, which {owner!r} sets, too; remove one"
                    yield entry.problem(message, "parameters", name)
        owners |= dict.fromkeys(paths, name)


def _name_problems(entry: IncludeEntry) -> Iterator[Problem]:
    """Channels and outputs that are called like something else of the dataset."""
    table = entry.table
    owners = dict.fromkeys((*RESERVED, TIME), "something else in the dataset")
    owners |= dict.fromkeys(table.parameters, "a parameter")
    for k, name in enumerate(table.channels):
        if name in owners and name != TIME:
            yield entry.problem(f"{name!r} is also the name of {owners[name]}", "channels", k)
    owners |= dict.fromkeys(table.channels, "a channel")
    for name in table.outputs:
        if name in owners or "/" in name:
            words = f"is also the name of {owners[name]}" if name in owners else "has a slash"
            yield entry.problem(f"the name {name!r} {words}; rename it", "outputs", name)
    if _keeps_time(table) and TIME in table.parameters:
        message = f"{TIME!r} is also the name of a dimension of what is kept over time; rename it"
        yield entry.problem(message, "parameters", TIME)


def _keeps_time(table: Any) -> bool:
    return bool(table.channels) or any(x.reduce == "whole" for x in table.outputs.values())


def _duration_problems(entry: IncludeEntry, reader: _SweepReader) -> Iterator[Problem]:
    """Durations by chance, where the rows of all tasks must have the same times."""
    for name, choices in reader.parameters.items():
        if isinstance(choices, Distribution) and _DURATION in reader.targets[name][0]:
            if _keeps_time(entry.table):
                message = "is a distribution of durations, and channels are kept over time; give a "
                message += "list of durations, or outputs reduced over time"
                yield entry.problem(message, "parameters", name)


def _size_problems(entry: IncludeEntry, reader: _SweepReader, run: ModelRun) -> Iterator[Problem]:
    """Studies of more tasks or times than anything could hold."""
    lists = [x for x in reader.parameters.values() if not isinstance(x, Distribution)]
    tasks = math.prod(map(len, lists)) * (entry.table.samples or 1)
    if tasks > MOST_TASKS:
        yield entry.problem(f"{tasks} tasks are too many; use at most {MOST_TASKS}")
    n_times = n_time(reader.longest(run)) if run.settings.get("output_step") else 0.0
    if _keeps_time(entry.table) and n_times > MOST_TIMES:
        yield entry.problem(too_many_times(n_times))


def _value_problems(
    document: Document, entry: IncludeEntry, reader: _SweepReader
) -> Iterator[Problem]:
    """Problems of the file with values of the parameters, reported where they are given."""
    values: dict[str, Any] = {}
    for name, choices in reader.parameters.items():
        if isinstance(choices, Distribution):
            values[name] = np.asarray(choices.quantile(np.array([0.5])))[0].item()
        elif isinstance(name, tuple):
            values |= dict(zip(name, choices[0], strict=True))
        else:
            values[name] = choices[0]
    try:
        problems = run_of(document_of(_with_values(document, reader, values)), functions=False)[1]
    except LissomError as error:
        yield entry.problem(str(error), "parameters")
        return
    yield from _problems_of_parameters(entry, reader, problems)
    if not problems:
        yield from _further_problems(document, entry, reader)


def _further_problems(
    document: Document, entry: IncludeEntry, reader: _SweepReader
) -> Iterator[Problem]:
    """Problems that the schema has with other values of lists, the first of each parameter."""
    for names, choices in reader.parameters.items():
        if isinstance(choices, Distribution):
            continue
        for value in choices[1:MOST_TRIED]:
            one = (
                dict(zip(names, value, strict=True)) if isinstance(names, tuple) else {names: value}
            )
            if problems := validated(_with_values(document, reader, one))[1]:
                yield from _problems_of_parameters(entry, reader, problems)
                break


def _with_values(document: Document, reader: _SweepReader, values: Mapping[str, Any]) -> Source:
    """The file with values of some parameters."""
    source = document.source
    data = changed(source.data, set_values(reader.targets, values))
    return Source(source.path, source.text, data, lambda: source.places)


def _problems_of_parameters(
    entry: IncludeEntry, reader: _SweepReader, problems: Sequence[Problem]
) -> Iterator[Problem]:
    """Problems where the parameters are that set these values."""
    owners = {key_text(p): name for name, (paths, _) in reader.targets.items() for p in paths}
    for problem in problems:
        name = next((x for key, x in owners.items() if problem.key.startswith(key)), None)
        inner = ("parameters", name) if name else ("parameters",)
        then = ":" if problem.message.startswith("unknown key") else ", which then"
        yield entry.problem(f"sets {problem.key}{then} {problem.message}", *inner)
