"""Sections that vary along a member."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from ..errors import LissomError, ModelError
from .sections import Section


def section_function(section: Any, what: str) -> Callable[[float], Section]:
    """Section as a function of s/length.

    Parameters
    ----------
    section : Section, pair of Section, or callable
        As given by the user.
    what : str
        Name of the part, for messages.
    """
    if isinstance(section, Section):
        return lambda _: section
    if isinstance(section, (list, tuple)) and len(section) == 2:
        root, tip = section
        return _tapered(root, tip, what)
    if callable(section) and not isinstance(section, type):
        return lambda x: _checked(_called(section, x, what), what)
    raise ModelError(
        f"{what}: section is {section!r}; give a Section such as Circle(0.01), a pair of them for "
        "root and tip, or a function of s/length that returns one"
    )


def _tapered(root: Any, tip: Any, what: str) -> Callable[[float], Section]:
    """Section whose dimensions vary linearly from the root to the tip."""
    kind: Any = type(_checked(root, what))
    if kind is not type(_checked(tip, what)) or not dataclasses.is_dataclass(kind):
        raise ModelError(
            f"{what}: the sections at root and tip are {root!r} and {tip!r}; give two of the same "
            "kind"
        )
    names = [field.name for field in dataclasses.fields(kind)]

    def at(x: float) -> Section:
        sizes = {name: (1 - x) * getattr(root, name) + x * getattr(tip, name) for name in names}
        return _checked(kind(**sizes), what)

    return at


def _called(section: Callable[[float], Any], x: float, what: str) -> Any:
    try:
        return section(x)
    except LissomError:
        raise
    except Exception as error:  # whatever a function of the user raises
        raise ModelError(
            f"{what}: its section as a function raised {type(error).__name__} at s/length = {x:g}: "
            f"{error}"
        ) from error


def _checked(section: Any, what: str) -> Section:
    if not isinstance(section, Section):
        raise ModelError(f"{what}: a section is {section!r}; give a Section such as Circle(0.01)")
    return section
