"""File and line of a dotted name of the package, found in the sources without importing them.

`lissom.operators` is a function, `lissom.algorithms.Operators.P` a property,
`lissom.bodies.Lump.mass` a field, and `lissom.spatial.bracket:a` a variable of a function.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

SOURCES = Path(__file__).resolve().parent.parent / "src"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Place(NamedTuple):
    """Where a name is defined."""

    path: Path
    node: ast.AST

    @property
    def line(self) -> int:
        """Line of the definition, counted from 1; a module is its first line."""
        return getattr(self.node, "lineno", 1)


def find(name: str) -> Place:
    """Place of a dotted name, with ``:variable`` for a variable of a function.

    Parameters
    ----------
    name : str
        Dotted name that starts with the package.
    """
    dotted, _, variable = name.partition(":")
    parts = dotted.split(".")
    for n in range(len(parts), 0, -1):
        if (path := _module(parts[:n])) is not None:
            place = Place(path, _parsed(path))
            for part in parts[n:]:
                place = _member(place, part, name)
            return _variable(place, variable, name) if variable else place
    raise LookupError(f"{name}: no such module below {SOURCES.name}")


def _module(parts: list[str]) -> Path | None:
    """File of a module; the stub of a package that loads its names on first use."""
    base = SOURCES.joinpath(*parts)
    files = (base / "__init__.pyi", base / "__init__.py", base.with_suffix(".py"))
    return next((path for path in files if path.is_file()), None)


@cache
def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _member(place: Place, part: str, name: str) -> Place:
    """Definition of a name in a module or a class, through imports and base classes."""
    for node in getattr(place.node, "body", ()):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name) == part:
                    return find(".".join([*_imported(place.path, node), alias.name]))
        elif part in _defined(node):
            return Place(place.path, node)
    if isinstance(place.node, ast.ClassDef):
        for node in ast.walk(place.node):
            if _is_own_attribute(node, part):
                return Place(place.path, node)
        for base in place.node.bases:
            if isinstance(base, ast.Name):
                module = Place(place.path, _parsed(place.path))
                try:
                    return _member(_member(module, base.id, name), part, name)
                except LookupError:
                    continue
    where = f"{place.path.relative_to(SOURCES)} line {place.line}"
    raise LookupError(f"{name}: {where} defines no {part!r}; give the name that it has now")


def _imported(path: Path, node: ast.ImportFrom) -> list[str]:
    """Module that an import names."""
    if not node.level:
        return (node.module or "").split(".")
    package = path.relative_to(SOURCES).parent.parts
    kept = package[: len(package) - node.level + 1]
    return [*kept, *(node.module.split(".") if node.module else ())]


def _defined(node: ast.stmt) -> set[str]:
    """Names that a statement defines."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return {node.name}
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return {n.id for n in _stored(node) if isinstance(n, ast.Name)}
    return set()


def _stored(node: ast.AST) -> Iterator[ast.AST]:
    return (n for n in ast.walk(node) if isinstance(getattr(n, "ctx", None), ast.Store))


def _is_own_attribute(node: ast.AST, part: str) -> bool:
    """Whether a node is the target of ``self.part = ...``."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and node.attr == part
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    )


def _variable(place: Place, variable: str, name: str) -> Place:
    """First line of a function at which a variable gets a value."""
    if isinstance(place.node, FUNCTIONS):
        found = [n for n in _stored(place.node) if getattr(n, "id", "") == variable]
        found += [n for n in ast.walk(place.node) if getattr(n, "arg", "") == variable]
        if found:
            return Place(place.path, min(found, key=lambda n: getattr(n, "lineno", 1)))
    raise LookupError(f"{name}: the function has no variable {variable!r}")
