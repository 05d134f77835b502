"""Sections that vary along a member."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import LissomError, ModelError, shown
from .sections import Section


def section_function(section: Any, what: str) -> Callable[[float], Section]:
    """Section as a function of s/length."""
    if isinstance(section, Section):
        return _Uniform(section)
    if isinstance(section, (list, tuple)) and len(section) == 2:
        root, tip = section
        return _tapered(root, tip, what)
    if callable(section) and not isinstance(section, type):
        return _Given(section, what)
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
    return _Tapered(root, tip, what)


# Objects rather than functions within functions, which cannot be pickled.


@dataclass(frozen=True)
class _Uniform:
    """The same section everywhere."""

    section: Section

    def __call__(self, _: float) -> Section:
        return self.section


@dataclass(frozen=True)
class _Tapered:
    """Section between two of a kind."""

    root: Any
    tip: Any
    what: str

    def __call__(self, x: float) -> Section:
        names = [field.name for field in dataclasses.fields(self.root)]
        root, tip = self.root, self.tip
        sizes = {name: (1 - x) * getattr(root, name) + x * getattr(tip, name) for name in names}
        return _checked(type(root)(**sizes), self.what)


@dataclass(frozen=True)
class _Given:
    """Section by a function of the user."""

    function: Callable[[float], Any]
    what: str

    def __call__(self, x: float) -> Section:
        return _checked(_called(self.function, x, self.what), self.what)

    def __deepcopy__(self, memo: Any) -> _Given:
        return self

    def __getstate__(self) -> dict[str, Any]:
        try:
            pickle.dumps(self.function)
        except Exception as error:  # of several classes, or of the user's object
            raise ModelError(
                f"{self.what}: its section is the function {shown(self.function)}, which cannot be "
                f"pickled ({error}); define it with def at the top of a module"
            ) from None
        return vars(self)


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
