"""The command `lissom build`."""

from __future__ import annotations

from typing import Annotated

import typer

from .output import say


def build(
    anew: Annotated[
        bool, typer.Option("--anew", help="Compile even if the kernels are up to date.")
    ] = False,
    device: Annotated[
        bool, typer.Option("--device", help="Compile the code for GPUs of NVIDIA instead.")
    ] = False,
) -> None:
    """Compile all kernels ahead of their use.

    Installing the package does the same if a C compiler is there. It takes two to three
    minutes on two cores; without it, what is used for the first time is compiled by Numba.
    """
    if device:
        from ..building.device_build import build_device
        from ..kernels.device.code import ARCHIVE

        rebuilt = build_device(anew=anew)
        say(f"{'compiled' if rebuilt else 'up to date'}: {ARCHIVE}")
        return
    from ..building import build as compile_kernels
    from ..kernels.native import BINARY

    compiled = compile_kernels(anew=anew)
    say(f"{'compiled' if compiled else 'up to date'}: {BINARY}")
