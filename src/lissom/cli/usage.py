"""Messages for unknown or invalid commands and options."""

from __future__ import annotations

import re
from typing import Any

import typer

from ..errors import suggestion

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
    words = _words(error)
    context = error.ctx
    if context is None:
        return words
    path = context.command_path
    usage = " ".join((path, *context.command.collect_usage_pieces(context)))
    return f"{words}\nusage: {usage}    (for more: {path} --help)"


def _words(error: Any) -> str:
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
