"""Exceptions of lissom, and helpers for their messages.

Every user error raises a subclass of `LissomError` whose message names the part, the value found,
what was expected and the remedy.  Control characters, which names in files may contain, are escaped
in messages, so that none reaches the terminal.
"""

from __future__ import annotations

import difflib
import errno
import inspect
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, Self

__all__ = [
    "MOST_LINES",
    "CopyError",
    "DeprecatedWarning",
    "KernelError",
    "LissomError",
    "LoadError",
    "ModelError",
    "ModelFileError",
    "ModelWarning",
    "ResultError",
    "SimulationError",
    "SimulationWarning",
    "SingularError",
    "StateError",
    "SweepError",
    "SymbolicError",
    "cut_lines",
    "name_list",
    "printable",
    "shown",
    "suggestion",
    "warn_user",
]

MOST_LISTED = 12  # names in one message
MOST_LINES = 40  # of one kind in a printout
_LONGEST = 120  # characters of a value in a message
_FAR = 10_000  # names that are searched for the nearest


class _Printable:
    """Exceptions whose text is safe to print on a terminal."""

    def __str__(self) -> str:
        """Message, with control characters escaped."""
        return printable(super().__str__(), lines=True)


class LissomError(_Printable, Exception):
    """Base class of all errors that lissom raises on purpose."""


class ModelError(LissomError, ValueError):
    """A body, a joint or the assembly of a model is not acceptable."""


class ModelFileError(ModelError):
    """A model file cannot be read or written, or its content is not acceptable.

    Parameters
    ----------
    message : str
        All problems, one per line, with file, line, key and what was expected.
    problems : sequence
        The same as objects, see `check_file`.
    """

    def __init__(self, message: str, problems: Sequence[Any] = ()) -> None:
        super().__init__(message)
        self.problems = list(problems)


class LoadError(LissomError, ValueError):
    """A load, motion, controller, event or setting given to a simulation is not acceptable."""


class StateError(LissomError, ValueError):
    """A state, force, acceleration or name given to a function does not fit the system."""


class SweepError(LissomError, ValueError):
    """A parameter study cannot be set up, or not be continued, as asked."""


class SymbolicError(LissomError, ValueError):
    """Equations cannot be derived, written or evaluated as asked."""


class CopyError(LissomError, TypeError):
    """An object that belongs to this process, as a stepper or an open page, cannot be pickled."""


class SingularError(LissomError, ArithmeticError):
    """The answer does not exist or is not unique at this state.

    Parameters
    ----------
    message : str
        Description of the singularity, its place and the remedy.
    body : str, optional
        Name of the body at fault.
    """

    def __init__(self, message: str, body: str = "") -> None:
        super().__init__(message)
        self.body = body


class ResultError(LissomError, OSError):
    """A results file cannot be written, read or continued.

    It is also an OSError, so that existing handlers of file errors catch it.
    """

    @classmethod
    def of(cls, error: BaseException, path: Any, doing: str, more: str = "") -> Self:
        """Error for a failed file operation, naming the path and the remedy.

        Parameters
        ----------
        error : BaseException
            Exception that was raised, preferably an OSError.
        path : path
            File or folder concerned.
        doing : str
            Operation that failed, such as "write".
        more : str
            Additional sentence, for example which data is safe.
        """
        number = getattr(error, "errno", None)
        if number is None and (match := re.search(r"errno = (\d+)", str(error))):
            number = int(match[1])  # HDF5 gives it only in its message
        unknown = (getattr(error, "strerror", None) or str(error), "try another path")
        reason, remedy = _REASONS.get(number or 0, unknown)
        if number == errno.ENOENT and doing != "write":
            reason, remedy = "there is no such file", "correct the path"
        result = cls(f"cannot {doing} {path}: {reason}; {remedy}{'. ' + more if more else ''}")
        result.errno = number
        return result


_FULL = ("the disk is full", "free some space or choose a path on another disk")
_FORBIDDEN = ("permission denied", "change the permissions or choose a path in another folder")
_MISSING = ("its folder does not exist", "create the folder or correct the path")
_NO_FOLDER = ("part of the path is a file, not a folder", "correct the path")
_REASONS = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: ("your disk quota is used up", _FULL[1]),
    errno.EFBIG: ("the file exceeds the limit of the file system or the user", _FULL[1]),
    errno.EACCES: _FORBIDDEN,
    errno.EPERM: _FORBIDDEN,
    errno.EROFS: ("the disk is read-only", "choose a path on another disk"),
    errno.ENOENT: _MISSING,
    errno.ENOTDIR: _NO_FOLDER,
    errno.EEXIST: _NO_FOLDER,
    errno.EISDIR: ("it is a folder", "give the name of a file in it"),
    errno.ENAMETOOLONG: ("the name is too long", "choose a shorter one"),
}


class SimulationError(LissomError, RuntimeError):
    """A user function failed during a run, or a step of a `Stepper` cannot be taken.

    Parameters
    ----------
    message : str
        Name of the function or of the body, time, and what happened.
    trajectory : Trajectory, optional
        Results of a run up to the failure.
    """

    def __init__(self, message: str, trajectory: Any = None) -> None:
        super().__init__(message)
        self.trajectory = trajectory


class KernelError(LissomError, RuntimeError):
    """Compiled kernels cannot be built, or not be used as asked."""


class ModelWarning(_Printable, UserWarning):
    """A mechanism is probably not what was intended."""


class SimulationWarning(_Printable, UserWarning):
    """A run ended early, or its result should be checked."""


class DeprecatedWarning(_Printable, FutureWarning):
    """A name or parameter that a later version will not have; the message says what to write."""


def warn_user(message: str, category: type[Warning] = ModelWarning) -> None:
    """Warn at the line that called lissom, however deep the call is."""
    package, level, frame = __name__.partition(".")[0] + ".", 0, inspect.currentframe()
    while frame is not None and f"{frame.f_globals.get('__name__')}.".startswith(package):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level + 1)


def suggestion(name: str, choices: Iterable[str]) -> str:
    """Hint with the nearest known name, or a list of the known names."""
    names = list(choices)
    near = difflib.get_close_matches(name[:200], names[:_FAR], n=1, cutoff=0.6)
    if near:
        return f"did you mean {near[0]!r}?"
    if not names:
        return "there are none yet."
    return f"known: {name_list(names)}."


def name_list(
    names: Iterable[Any],
    *,
    show: Callable[[Any], str] = repr,
    between: str = ", ",
    most: int = MOST_LISTED,
) -> str:
    """List of names for a message: the first dozen and the number of others.

    Examples
    --------
    >>> name_list(["hub", "arm"])
    "'hub', 'arm'"
    >>> name_list(range(5000), most=3)
    '0, 1, 2 and 4997 more'
    """
    every = list(names)
    few = every[:most]
    left = len(every) - len(few)
    return between.join(map(show, few)) + (f" and {left} more" if left else "")


def printable(text: str, *, lines: bool = False) -> str:
    r"""Text that is safe to print on a terminal, with control characters escaped.

    Examples
    --------
    >>> print(printable("arm\x1b[31m"))
    arm\x1b[31m
    """
    if text.isascii() and text.isprintable():
        return text
    line_end = "\n" if lines else ""
    return "".join(x if x.isprintable() or x == line_end else repr(x)[1:-1] for x in text)


def cut_lines(lines: Iterable[str], most: int | None, what: str = "", count: int = 0) -> list[str]:
    """First lines of a printout, and one with the number of lines left out.

    `most`: largest number of lines to keep; None keeps all.
    """
    first_lines = list(islice(lines, most))
    left = count - len(first_lines)
    return [*first_lines, f"... and {left} more {what}"] if left > 0 else first_lines


def shown(value: Any) -> str:
    """Short text of a value for a message; never fails, unlike `repr` of very long integers.

    Parameters
    ----------
    value : object
        Value as given by the user.
    """
    try:
        words = repr(value).replace("\n", " ")
    except Exception:  # the repr of a user's object may raise anything
        return f"of type {type(value).__name__}"
    if len(words) <= _LONGEST:
        return words
    return f"{words[: _LONGEST // 2]} ... {words[-_LONGEST // 4 :]}"
