"""MATLAB programs: a package folder with one file for each function; Octave runs them too."""

from __future__ import annotations

from pathlib import Path

from ..errors import SymbolicError
from .names import identifier
from .printing import FUNCTIONS, Language, body_of
from .program import Function, Program, heading
from .writing import as_path, write_text

_RESERVED = frozenset(
    """break case catch classdef continue else elseif end for function global if otherwise parfor
    persistent return spmd switch try while""".split()
)
# MATLAB has no conditional expression; both alternatives are finite.
MATLAB = Language(
    {name: name for name in FUNCTIONS},
    "(({x} < {limit}) * {below} + ({x} >= {limit}) * {above})",
)


def write_matlab(program: Program, folder: str | Path, name: str) -> Path:
    """Write the functions into the package folder +NAME, and return its path."""
    for word in program.parameters:
        _check_name(word)
    package = identifier(name, ascii_only=True)
    package = f"m{package}" if package.startswith("_") else package  # names begin with a letter
    where = as_path(folder, "folder") / f"+{package}"
    texts = [_source(program.function(f), program) for f in program.names]
    for function, text in zip(program.names, texts, strict=True):
        write_text(where / f"{identifier(function, ascii_only=True)}.m", text)
    return where


def _check_name(word: str) -> None:
    valid = word.isidentifier() and word.isascii() and not word.startswith("_")
    if word in _RESERVED or not valid:
        why = "is a reserved word in MATLAB" if word in _RESERVED else "is not a name in MATLAB"
        raise SymbolicError(
            f"the parameter {word!r} {why}; rename the symbol, or give its number with values="
        )


def _source(function: Function, program: Program) -> str:
    symbols = {name: f"p.{name}" for name in program.parameters}
    for vector, names in function.inputs.items():
        for k, name in enumerate(names):
            symbols[name] = vector if vector in function.SCALARS else f"{vector}({k + 1})"
    body = body_of(function, MATLAB, symbols)
    name = identifier(function.name, ascii_only=True)
    arguments = [*function.inputs, *(["p"] if program.parameters else [])]
    rows, columns = (*function.output.shape, 1)[:2]
    lines = [f"function out = {name}({', '.join(arguments)})"]
    lines += [f"% {name.upper()}  {function.words}: {rows} x {columns}", "%"]
    lines += [f"% {line}".rstrip() for line in heading(program)]
    if program.parameters:
        lines.append(f"% p: struct with the fields {', '.join(program.parameters)}")
    for vector, entries in function.inputs.items():
        n = 1 if vector in function.SCALARS else len(entries)
        lines += _check(name, vector, n)
    lines += [f"{label} = {text};" for label, text in body.assignments]
    lines.append(f"out = zeros({rows}, {columns});")
    for k, text in enumerate(body.results):
        lines.append(f"out({k // columns + 1}, {k % columns + 1}) = {text};")
    return "\n".join([*lines, "end", ""])


def _check(function: str, vector: str, n: int) -> list[str]:
    """Lines that refuse a vector of another size, or with entries that are not finite."""
    return [
        f"if numel({vector}) ~= {n} || ~all(isfinite({vector}(:)))",
        f"    error('{function}: {vector} must be {n} finite numbers');",
        "end",
    ]
