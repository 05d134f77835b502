"""Layout of help texts: short, plain, at most eighty columns, with an example at the end."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from .ending import INTERRUPTED, READER_GONE
from .output import say

WIDTH = 80


class Command(TyperCommand):
    """Command whose epilog is an example."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Words of the usage line after the command's name."""
        return ["[OPTIONS]", *(_argument_text(x) for x in self.params if _is_argument(x))]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write usage, description, arguments, options and example."""
        formatter.width = min(formatter.width, WIDTH)
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        params: list[Any] = [*self.get_params(ctx)]
        arguments = [(_name(x), x.help or "") for x in params if _is_argument(x)]
        if arguments:
            with formatter.section("Arguments"):
                formatter.write_dl(arguments)
        with formatter.section("Options"):
            formatter.write_dl(_options(params))
        if self.epilog:
            with formatter.section("Example"):
                formatter.write(f"  {self.epilog}\n")


class Group(TyperGroup):
    """Group of commands whose epilog is a list of first steps."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; Ctrl-C and a closed pipe become exit codes."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise typer.Exit(READER_GONE) from None
        except KeyboardInterrupt:
            say("lissom: interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write usage, commands, options and first steps."""
        formatter.width = min(formatter.width, WIDTH)
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, _short(self.commands[name])) for name in self.list_commands(ctx)]
            )
        with formatter.section("Options"):
            formatter.write_dl(_options(self.get_params(ctx)))
        with formatter.section("First steps"):
            for line in (self.epilog or "").splitlines():
                formatter.write(f"  {line}\n")


def _is_argument(param: Any) -> bool:
    return bool(param.param_type_name == "argument")


def _name(param: Any) -> str:
    return str(param.metavar or param.name.upper())


def _argument_text(argument: Any) -> str:
    name = f"{_name(argument)}..." if argument.nargs == -1 else _name(argument)
    return name if argument.required else f"[{name}]"


def _options(params: list[Any]) -> list[tuple[str, str]]:
    return [(_option_text(x), x.help or "") for x in params if not _is_argument(x) and not x.hidden]


def _option_text(option: Any) -> str:
    names = ", ".join(sorted([*option.opts, *option.secondary_opts], key=len))
    return names if option.is_flag else f"{names} {_name(option)}"


def _short(command: Any) -> str:
    """First paragraph of the help of a command."""
    return " ".join((command.help or "").partition("\n\n")[0].split())
