"""Names on their way out: one warning, with the version of the removal and what to write instead.

The page "Stability" says what is promised.  A test finds the uses of these decorators and fails
when the version has come that removes a name.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from .errors import DeprecatedWarning

__all__ = ["deprecated", "renamed"]

F = TypeVar("F", bound=Callable[..., Any])


def deprecated(*, since: str, removal: str, instead: str) -> Callable[[F], F]:
    """Mark a function, a method or a class as one that a later version will not have.

    Examples
    --------
    >>> @deprecated(since="0.3.0", removal="0.5.0", instead="mass_of()")
    ... def weight_of(part):
    ...     return part["mass"]
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     weight_of({"mass": 2.0})
    2.0
    >>> print(caught[0].message)
    weight_of() is deprecated since 0.3.0 and will be removed in 0.5.0: use mass_of()
    """

    def decorate(marked: Any) -> Any:
        words = f"{marked.__qualname__}() {_fate(since, removal)}: use {instead}"
        note = f"\n\n.. deprecated:: {since}\n   Use {instead}; {removal} removes it.\n"
        if isinstance(marked, type):
            constructor: Any = marked.__init__  # type: ignore[misc]
            marked.__init__ = _warning(constructor, words)  # type: ignore[misc]
            marked.__doc__ = (marked.__doc__ or "") + note
            return marked
        warned = _warning(marked, words)
        warned.__doc__ = (marked.__doc__ or "") + note
        return warned

    return decorate


def renamed(*, since: str, removal: str, **names: str) -> Callable[[F], F]:
    """Let a function or a class take parameters by their former names, too.

    Examples
    --------
    >>> @renamed(since="0.3.0", removal="0.5.0", length="reach")
    ... def volume(reach):
    ...     return reach**3
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     volume(length=2)
    8
    >>> print(caught[0].message)
    volume(length=) is deprecated since 0.3.0 and will be removed in 0.5.0: use reach=
    """

    def decorate(marked: Any) -> Any:
        if isinstance(marked, type):
            marked.__init__ = translating(marked.__init__, marked.__qualname__)  # type: ignore[misc]
            return marked
        return translating(marked, marked.__qualname__)

    def translating(function: Any, name: str) -> Any:
        @functools.wraps(function)
        def translated(*args: Any, **kwargs: Any) -> Any:
            for former in names.keys() & kwargs.keys():
                new = names[former]
                if new in kwargs:
                    raise TypeError(f"{name}() got {former}= and {new}=, which are the same")
                words = f"{name}({former}=) {_fate(since, removal)}: use {new}="
                warnings.warn(words, DeprecatedWarning, stacklevel=2)
                kwargs[new] = kwargs.pop(former)
            return function(*args, **kwargs)

        return translated

    return decorate


def _fate(since: str, removal: str) -> str:
    return f"is deprecated since {since} and will be removed in {removal}"


def _warning(function: Any, words: str) -> Any:
    @functools.wraps(function)
    def warned(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(words, DeprecatedWarning, stacklevel=2)
        return function(*args, **kwargs)

    return warned
