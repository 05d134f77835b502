"""Validation of model files: pydantic's errors become problems with locations and remedies."""

from __future__ import annotations

import re
import types
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from ...errors import suggestion
from .problems import Problem
from .schema.model import FORMAT, FileTable
from .schema.simulation import SignalTable
from .source import Source
from .units import described

MOST = 200  # problems reported for one file

Loc = tuple[str | int, ...]


def validated(source: Source) -> tuple[FileTable | None, list[Problem]]:
    """Validated tables of a file, and all problems with its keys and values."""
    version = source.data.get("lissom")
    if isinstance(version, int) and not isinstance(version, bool) and version > FORMAT:
        message = (
            f"is {version}; this version of lissom reads formats 1 to {FORMAT}: install a newer "
            "lissom, or save the model with this version"
        )
        return None, [source.problem(("lissom",), message)]
    try:
        return _root(source).model_validate(source.data), []
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
    except RecursionError:
        return None, [source.problem((), "nested too deeply; use fewer levels")]
    problems = [_problem(source, fault) for fault in faults[:MOST]]
    if len(faults) > MOST:
        problems.append(source.problem((), f"there are {len(faults) - MOST} more problems"))
    return None, sorted(problems)


def _root(source: Source) -> type[FileTable]:
    """Schema of a file; the schema of loads is imported only if needed."""
    simulation = source.data.get("simulation")
    if not isinstance(simulation, dict) or not simulation.get("loads"):
        return FileTable
    from .schema.loads import LoadedFileTable

    return LoadedFileTable


def _problem(source: Source, fault: Any) -> Problem:
    """Problem from a pydantic error, located at the key or at the table that lacks it."""
    loc: Loc = fault["loc"]
    path, value = _path_and_value(source.data, loc)
    kind, context = fault["type"], fault.get("ctx", {})
    if kind == "missing":
        remedy = f"write lissom = {FORMAT} at the top" if loc == ("lissom",) else "give it"
        return source.problem((*path, loc[-1]), f"is missing; {remedy}")
    if kind == "extra_forbidden":
        return source.problem(
            path, f"unknown key; {suggestion(str(loc[-1]), _keys(_root(source), loc))}"
        )
    if kind == "union_tag_invalid":
        tags = [x for x in re.findall(r"'([^']*)'", context["expected_tags"]) if _is_file_kind(x)]
        inner = (*path, "kind") if isinstance(value, dict) else path
        tag = context["tag"]
        return source.problem(inner, f"is {described(tag)}; {suggestion(tag, tags)}")
    if kind == "union_tag_not_found":
        return source.problem((*path, "kind"), f"is missing; {_kinds(_root(source), loc)}")
    return source.problem(path, _message(kind, value, fault))


def _message(kind: str, value: Any, fault: Any) -> str:
    if kind == "lissom":
        return str(fault["msg"])
    if kind == "list_type":
        return f"is {described(value)}; expected a list"
    if kind in ("dict_type", "model_type", "model_attributes_type"):
        return f"is {described(value)}; expected a table"
    if kind == "literal_error":
        expected = str(fault["ctx"]["expected"])
        choices = re.findall(r"'([^']*)'", expected)
        if isinstance(value, str) and choices:
            return f"is {described(value)}; {suggestion(value, choices)}"
        return f"is {described(value)}; expected {expected}"
    return f"is {described(value)}; {fault['msg']}"


def _path_and_value(data: Any, loc: Loc) -> tuple[Loc, Any]:
    """Existing key path along a pydantic location, and its value; tags of unions are skipped."""
    path: list[str | int] = []
    here = data
    for step in loc:
        if isinstance(here, dict) and step in here and isinstance(step, str):
            if here.get("kind") == step and not isinstance(here[step], (dict, list)):
                continue  # a tag of a union that is also a key, as in kind = "radius"
            here = here[step]
        elif isinstance(here, list) and isinstance(step, int) and step < len(here):
            here = here[step]
        else:
            continue
        path.append(step)
    return tuple(path), here


def _keys(root: Any, loc: Loc) -> list[str]:
    """Keys that the table at a location may have."""
    kind = _schema(root, loc[:-1])
    return list(kind.model_fields) if _is_table(kind) else []


def _kinds(root: Any, loc: Loc) -> str:
    names = [x for table in _tables(_schema(root, loc)) for x in _names(table) if _is_file_kind(x)]
    return f"expected one of {', '.join(repr(x) for x in names)}" if names else "give it"


def _is_file_kind(kind: str) -> bool:
    """Whether files have this kind; "elastic rod" is a "rod" there."""
    return " " not in kind


def _schema(root: Any, loc: Loc) -> Any:
    """Type at a location in the schema: a table, a union of tables, or another type."""
    here: Any = root
    for step in loc:
        tables = _tables(here)
        named = [t for t in tables if step in _names(t)]
        if named and not _is_table(here):
            here = named[0]
        elif _is_table(here) and step in here.model_fields:
            here = here.model_fields[str(step)].annotation
        elif get_origin(_bare(here)) in (list, dict):
            here = get_args(_bare(here))[-1]
        elif tables:
            here = tables[0].model_fields[str(step)].annotation if step in _all(tables) else Any
        if here is Any:
            here = SignalTable  # the only table in a signal
    return _bare(here) if not _is_table(here) else here


def _all(tables: list[Any]) -> set[str]:
    return set(tables[0].model_fields)


def _bare(kind: Any) -> Any:
    """Type without annotations and without None."""
    while get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) in (Union, types.UnionType):
        rest = [x for x in get_args(kind) if x is not type(None)]
        if len(rest) == 1:
            return _bare(rest[0])
    return kind


def _tables(kind: Any) -> list[Any]:
    """Tables of a union, or the single table."""
    bare = _bare(kind)
    if _is_table(bare):
        return [bare]
    if get_origin(bare) in (Union, types.UnionType):
        return [x for x in get_args(bare) if _is_table(x)]
    return []


def _is_table(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _names(table: Any) -> tuple[Any, ...]:
    """Values that a table accepts for its key "kind"."""
    field = table.model_fields.get("kind")
    annotation = None if field is None else field.annotation
    return get_args(annotation) if get_origin(annotation) is Literal else ()
