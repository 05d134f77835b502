"""Exit codes and error messages of commands, also those for unknown commands and options.

0 success, 1 a problem was found or the run failed, 2 wrong usage, 3 a bug in lissom, 130 ended by
Ctrl-C, 141 the output pipe was closed.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer

from ..errors import LissomError, ModelFileError, ResultError, suggestion
from .output import json_text, say

FAILED, USAGE, INTERNAL, INTERRUPTED, READER_GONE = 1, 2, 3, 130, 141


def run_to_its_end(command: Callable[[], Any], *, debug: bool, as_json: bool) -> int:
    """Exit code of a command; exceptions become messages on the standard error.

    Parameters
    ----------
    command : callable
        Command to run; returns None or an exit code.
    debug : bool
        Whether tracebacks are shown.
    as_json : bool
        Whether errors are also written as JSON to the standard output.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # characters that the terminal cannot show
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # not relevant on the command line
            warnings.showwarning = _shown_once()
            code = command()
        sys.stdout.flush()
    except BrokenPipeError:
        code = READER_GONE
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except Exception as error:
        code = _failed(error, debug=debug, as_json=as_json)
    if code == READER_GONE:
        _discard_output()
    return code if isinstance(code, int) else 0


def _failed(error: Exception, *, debug: bool, as_json: bool) -> int:
    code, message = _words(error)
    if debug:
        _show_traceback(error)
    try:
        if as_json:
            say(_json(error, code, message))
        if isinstance(error, ModelFileError) and any(x.line for x in error.problems):
            from .check import show_problems
            from .progress import console

            show_problems(console(stderr=True), sorted(error.problems))
        else:
            say(f"lissom: {message}", err=True)
    except BrokenPipeError:
        return READER_GONE
    return code


def _words(error: Exception) -> tuple[int, str]:
    """Exit code and message."""
    if isinstance(error, LissomError):
        return FAILED, str(error)
    if isinstance(error, UsageError):
        return USAGE, usage_message(error)
    if isinstance(error, MemoryError):
        return FAILED, "out of memory; use a smaller model or store fewer rows"
    if isinstance(error, OSError) and error.filename is not None:
        return FAILED, str(ResultError.of(error, error.filename, "use"))
    return INTERNAL, (
        f"internal error: {type(error).__name__}: {error}\n"
        "This is a bug in lissom. Please report it, with the output of:\n"
        "  lissom info --env\n"
        "  the same command with --debug"
    )


def _json(error: Exception, code: int, message: str) -> str:
    from dataclasses import asdict

    facts: dict[str, Any] = {
        "kind": type(error).__name__,
        "message": message,
        "exit_code": code,
    }
    if isinstance(error, ModelFileError):
        facts["problems"] = [asdict(x) for x in error.problems]
    return json_text({"error": facts})


def _show_traceback(error: BaseException) -> None:
    """Print the traceback with all causes, including suppressed ones."""
    import traceback

    here: BaseException | None = error
    while here is not None:
        here.__suppress_context__ = False
        here = here.__cause__ or here.__context__
    say("".join(traceback.format_exception(error)), err=True, end="")


@contextmanager
def warnings_noted(texts: list[str] | None = None) -> Iterator[list[str]]:
    """Show warnings, and collect their texts, each once, in a list of before if there is one.

    Parameters
    ----------
    texts : list of str, optional
        Texts so far; grows.
    """
    noted, show = [] if texts is None else texts, warnings.showwarning

    def note(message: Warning | str, *others: Any, **more: Any) -> None:
        if str(message) not in noted:
            noted.append(str(message))
        show(message, *others, **more)

    with warnings.catch_warnings():
        warnings.showwarning = note
        yield noted


def _shown_once() -> Any:
    """Function that shows a warning, unless the command has shown the same before."""
    shown: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        if str(message) not in shown:
            shown.add(str(message))
            say(f"lissom: warning: {message}", err=True)

    return show


def _discard_output() -> None:
    """Discard pending output: the pipe is closed, and Python would report an error on exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # typer has no public name for it

# Words that people type and the package does not have.
ELSEWHERE = {"bench": "measurements are in the repository: make bench"}

_CHOICE = re.compile(r"(?:Value error, )?'(?P<given>.*)' is not one of (?P<known>'.*')\.?")


def usage_message(error: Any) -> str:
    """Message for a wrong command line, with the correct usage.

    Parameters
    ----------
    error : UsageError
        Exception raised by typer.
    """
    words = _usage_words(error)
    context = error.ctx
    if context is None:
        return words
    path = context.command_path
    usage = " ".join((path, *context.command.collect_usage_pieces(context)))
    return f"{words}\nusage: {usage}    (for more: {path} --help)"


def _usage_words(error: Any) -> str:
    kind = type(error).__name__
    if kind == "NoSuchOption":
        near = [x for x in error.possibilities or () if x]
        choices = near or [y for x in error.ctx.command.params for y in x.opts if y[:1] == "-"]
        return f"there is no option {error.option_name}; {suggestion(error.option_name, choices)}"
    if kind == "MissingParameter" and error.param is not None:
        return f"{_name(error.param)} is missing; expected: {(error.param.help or '').rstrip('.')}"
    if kind == "BadOptionUsage":
        return f"{error.option_name} needs a value; give {error.option_name} VALUE"
    message = str(error.message)
    if match := re.fullmatch(r"No such command '(.*?)'.*", message):
        remedy = ELSEWHERE.get(match[1]) or suggestion(match[1], _commands(error))
        return f"there is no command {match[1]!r}; {remedy}"
    if match := re.fullmatch(r"Got unexpected extra arguments? ?\(?s?\)? ?\((.*)\)", message):
        return f"unexpected argument {match[1]!r}; omit it, or put quotes around a name with spaces"
    if match := _CHOICE.fullmatch(message):
        choices = re.findall(r"'([^']*)'", match["known"])
        message = f"is {match['given']!r}; {suggestion(match['given'], choices)}"
    param = getattr(error, "param", None)
    return f"{_name(param)} {message}" if param is not None else message


def _commands(error: Any) -> list[str]:
    return list(error.ctx.command.commands)


def _name(param: Any) -> str:
    """Name of an option or argument as shown in the help."""
    if param.param_type_name == "option":
        return str(max(param.opts, key=len))
    return str(param.metavar or param.name.upper())
