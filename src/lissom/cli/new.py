"""The command `lissom new`: a commented model file to start from."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from .output import say

TEXT = """\
# A flexible boom on a hinge, with a load at its tip.
#   lissom check {name}    list the problems of this file, or describe the mechanism
#   lissom run {name}      simulate it and write {stem}.nc
#   lissom view {stem}.nc       view the motion

lissom = 2                        # version of the format
name = "{stem}"
gravity = [0, 0, "-9.81 m/s^2"]   # quantities may carry units; plain numbers are SI

[bodies.boom]                     # a body that parts can share
kind = "beam"
length = "3 m"
section = {{ kind = "tube", radius = "30 mm", thickness = "1.5 mm" }}
material = "aluminium"
modes = 4

[[parts]]                         # each part is a body on a joint
name = "boom"
body = "boom"
joint = "revolute y"              # the joint's axis; the boom lies along x

[[parts]]
name = "load"
body = {{ kind = "sphere", mass = "2 kg", radius = "8 cm" }}
joint = "fixed"
to = "boom.tip"                   # carried by this node of that part

[simulation]
duration = "5 s"
output_step = "10 ms"

[simulation.state]
boom = "-20 deg"                  # angle of the joint that carries the boom
"""


def new(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="File to write; by default model.toml.")
    ] = Path("model.toml"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a commented model file to start from."""
    from ..errors import ModelError, ResultError

    if file.suffix != ".toml":
        raise ModelError(f"{file}: give a name that ends in .toml, such as {file.stem}.toml")
    if not file.name.isprintable() or set(file.name) & set('"\\'):
        raise ModelError(f"{file}: give a name without quotes, backslashes and control characters")
    if file.exists() and not force:
        raise ModelError(f"{file}: already exists; give another name, or --force")
    try:
        file.write_text(TEXT.format(name=file.name, stem=file.stem), encoding="utf-8")
    except OSError as error:
        raise ResultError.of(error, file, "write") from None
    say(f"wrote {file}; edit it, then: lissom run {shlex.quote(str(file))}")
