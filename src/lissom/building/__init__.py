"""Compiling all kernels ahead of their use, into one binary; `python -m lissom.building`.

`front_end` makes bitcode of kernels, `back_end` machine code for each level of processors
(`targets`), `link` one library, `build` runs them all.  The Python side is `kernels.native`.
"""

from .build import build, check_system

__all__ = ["build", "check_system"]
