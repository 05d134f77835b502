"""Exceptions of lissom and the helper that words their suggestions.

Every mistake a user can make raises a subclass of `LissomError` whose message names the part,
the value found, what was expected and what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["LissomError", "ModelError", "SingularError", "StateError", "suggestion"]


class LissomError(Exception):
    """Base class of all errors that lissom raises on purpose."""


class ModelError(LissomError, ValueError):
    """A body, a joint or the way they are put together is not acceptable."""


class StateError(LissomError, ValueError):
    """A state, force, acceleration or name given to a function does not fit the system."""


class SingularError(LissomError, ArithmeticError):
    """The answer does not exist or is not unique at this state.

    Parameters
    ----------
    message : str
        What is singular, where, and what to do.
    body : str, optional
        Name of the body at fault.
    """

    def __init__(self, message: str, body: str = "") -> None:
        super().__init__(message)
        self.body = body


def suggestion(name: str, known: Iterable[str]) -> str:
    """Sentence that points to the nearest known name, or lists what there is.

    Parameters
    ----------
    name : str
        The name that was not found.
    known : iterable of str
        The names that exist.

    Returns
    -------
    str
    """
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if near:
        return f"did you mean {near[0]!r}?"
    if not names:
        return "there are none yet."
    shown = ", ".join(repr(n) for n in names[:12])
    return f"known: {shown}{', ...' if len(names) > 12 else '.'}"
