"""Short texts of objects for consoles and notebooks: few lines, 80 columns, six digits."""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, ClassVar

import numpy as np

from .errors import printable

__all__ = ["WIDTH", "Shown", "filled", "folded", "short", "summary"]

WIDTH = 80
_ENTRIES = 6  # of an array, a sequence or a mapping that is written out
_LONGEST = 120  # characters of a text
_DEEP = 3  # objects within objects


class Shown:
    """Base class of dataclasses that print as `summary` does; a subclass may have its own text.

    Attributes
    ----------
    usual : mapping
        Values of fields that are left out like defaults, where a default stands for another value.
    """

    __slots__ = ()
    usual: ClassVar[Mapping[str, Any]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.__repr__ = cls.__repr__  # type: ignore[method-assign]  # found by `dataclass`, and kept

    def __repr__(self) -> str:
        """Name of the class, and fields that differ from their defaults."""
        return summary(self)


def summary(thing: Any, depth: int = 0) -> str:
    """Name of a class and its fields, without those that have their default value.

    Examples
    --------
    >>> import lissom as ls
    >>> ls.RigidBody(2.0, com=(0.1, 0, 0), inertia=(1, 2, 3))
    RigidBody(mass=2, com=[0.1, 0, 0], inertia=diag(1, 2, 3))
    """
    pieces = [f"{name}={short(value, depth + 1)}" for name, value in _fields(thing)]
    return filled(f"{type(thing).__name__}(", pieces) if depth == 0 else _joined(thing, pieces)


def filled(start: str, pieces: Sequence[str], end: str = ")", indent: int = 4) -> str:
    """Pieces after an opening, separated by commas, in lines of at most 80 columns."""
    lines, below = [start], " " * indent
    for k, piece in enumerate(pieces):
        text = piece + (end if k == len(pieces) - 1 else ",")
        space = "" if k == 0 or lines[-1] == below else " "
        if len(lines[-1]) + len(space) + len(text) <= WIDTH:
            lines[-1] += space + text
            continue
        if k:
            lines.append(below)
        folded = textwrap.wrap(
            text, WIDTH, initial_indent=lines[-1], subsequent_indent=below, break_on_hyphens=False
        )
        lines[-1:] = folded
    return "\n".join(lines) if pieces else start + end


def folded(text: str) -> str:
    """Text whose lines have at most 80 columns: longer ones are folded at spaces."""
    lines: list[str] = []
    for line in text.split("\n"):
        if len(line) <= WIDTH:
            lines.append(line)
            continue
        below = " " * (len(line) - len(line.lstrip()) + 4)
        lines += textwrap.wrap(
            line, WIDTH, subsequent_indent=below, break_long_words=False, break_on_hyphens=False
        )
    return "\n".join(lines)


def short(value: Any, depth: int = 0) -> str:
    """Text of a value in one line: numbers with six digits, sizes of large arrays and lists."""
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, (bool, np.bool_, type(None))):
        return str(value)
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (complex, np.complexfloating)):
        return f"{value:.6g}"
    if isinstance(value, str):
        return _text(repr(str(value)))
    if isinstance(value, Mapping):
        return _mapping(value, depth)
    if isinstance(value, (list, tuple, Set, range)) and not hasattr(value, "_fields"):
        return _sequence(value, depth)
    return _object(value, depth)


def _fields(thing: Any) -> Iterator[tuple[str, Any]]:
    """Fields to print with their values, those that are given by position first."""
    if hasattr(thing, "_fields"):
        yield from zip(thing._fields, thing, strict=True)
        return
    if not is_dataclass(thing):
        yield from ((name, x) for name, x in vars(thing).items() if not name.startswith("_"))
        return
    every = [f for f in fields(thing) if f.repr and not f.name.startswith("_")]
    for field in sorted(every, key=lambda f: bool(f.kw_only)):
        value = getattr(thing, field.name)
        default: Any = field.default
        if default is MISSING and callable(field.default_factory):
            default = field.default_factory()
        default = getattr(thing, "usual", {}).get(field.name, default)
        if default is MISSING or not _same(value, default):
            yield field.name, value


def _same(value: Any, default: Any) -> bool:
    """Whether a field has its default, also as an array or another form of it."""
    if isinstance(value, np.ndarray):
        if default is None:
            return False
        try:
            return value.dtype != object and bool(np.all(value == np.asarray(default)))
        except (TypeError, ValueError):
            return False
    if value is default:
        return True
    if isinstance(value, (str, int, float, tuple, list, Mapping)):
        try:
            return bool(value == default)
        except (TypeError, ValueError):
            return False
    return False


def _array(values: np.ndarray) -> str:
    if values.dtype == object:
        return _sequence(values.tolist(), 0) if values.size <= _ENTRIES else _size(values)
    if values.ndim == 0:
        return short(values[()])
    if values.ndim == 1 and len(values) <= _ENTRIES:
        return f"[{', '.join(map(short, values))}]"
    if values.shape == (3, 3):
        if np.array_equal(values, np.eye(3)):
            return "identity"
        if np.array_equal(values, np.diag(np.diag(values))):
            return f"diag({', '.join(map(short, np.diag(values)))})"
    if values.ndim == 2 and 0 < values.size <= _ENTRIES + 3:
        return f"[{', '.join(_array(row) for row in values)}]"
    return _size(values)


def _size(values: Any) -> str:
    shape = " x ".join(map(str, values.shape))
    return f"<array of {shape}>" if len(values.shape) == 1 else f"<{shape} array>"


def _sequence(values: Any, depth: int) -> str:
    n = len(values)
    if not n:
        return "()"
    if n > _ENTRIES:
        return f"<{n} of {_kinds(values)}>"
    text = ", ".join(short(x, depth + 1) for x in values)
    if len(text) > _LONGEST and n > 1:
        return f"<{n} of {_kinds(values)}>"
    left, right = "[]" if isinstance(values, list) else "{}" if isinstance(values, Set) else "()"
    return f"{left}{text}{',' if n == 1 and left == '(' else ''}{right}"


def _kinds(values: Any) -> str:
    names = sorted({type(x).__name__.removeprefix("nd") for x in values})
    return names[0] if len(names) == 1 else "several kinds"


def _mapping(values: Mapping[Any, Any], depth: int) -> str:
    if not values:
        return "{}"
    text = ", ".join(f"{short(k)}: {short(x, depth + 1)}" for k, x in values.items())
    if len(values) > _ENTRIES or len(text) > _LONGEST:
        names = ", ".join(_text(str(k), 24) for k in list(values)[:3])
        return f"<{len(values)} entries: {names}{', ...' if len(values) > 3 else ''}>"
    return f"{{{text}}}"


def _object(value: Any, depth: int) -> str:
    if inspect.isclass(value):
        return value.__name__
    if isinstance(value, functools.partial):
        return f"partial({short(value.func, depth)}, ...)"
    if inspect.isroutine(value) or (callable(value) and hasattr(value, "__name__")):
        return f"<function {value.__name__}>"
    if _is_sparse(value):
        return f"<{' x '.join(map(str, value.shape))} sparse, {value.nnz} entries>"
    if isinstance(value, Shown) and type(value).__repr__ is Shown.__repr__:
        return summary(value, depth) if depth <= _DEEP else type(value).__name__
    if getattr(type(value), "__repr__", None) is object.__repr__:
        return f"<{type(value).__name__}>"
    text = repr(value)
    if isinstance(getattr(value, "shape", None), tuple) and ("\n" in text or len(text) > _LONGEST):
        kind = "matrix" if len(value.shape) == 2 else "array"
        return f"<{' x '.join(map(str, value.shape))} {kind}>"
    first = text.split("\n", 1)[0].rstrip(" :(,")
    return text if first == text and len(text) <= _LONGEST else f"<{_text(first, 60)}>"


def _is_sparse(value: Any) -> bool:
    return hasattr(value, "nnz") and hasattr(value, "tocsr")


def _joined(thing: Any, pieces: Sequence[str]) -> str:
    text = f"{type(thing).__name__}({', '.join(pieces)})"
    return text if len(text) <= _LONGEST else f"{type(thing).__name__}(...)"


def _text(words: str, most: int = _LONGEST) -> str:
    words = printable(words)
    return words if len(words) <= most else f"{words[: most - 4]} ..."
