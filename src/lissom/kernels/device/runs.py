"""Kernels of one run, as a thread of a GPU executes them; arrays as in `entry`.

They are compiled for few integrators at a time: the driver of a GPU takes minutes for all.
"""

from __future__ import annotations

from ..compiling import uncounted
from ..run.advance import advance
from .entry import DeviceEntry


@uncounted
def advance_run(
    ints, floats, scratch, stiff, plan, table, memory, work, mass, rows, capacity, budget, mode
):
    """`advance` of one run; mass: without rows, the mass matrix is not used here."""
    return advance(
        ints, floats, scratch, stiff, plan, table, memory, work, mass, rows, capacity, budget, mode
    )


_I, _C, _W, _M = "int64[::1]", "float64[::1]", "float64[:]", "float64[:,::1]"
_RUN = f"int64({_I}, {_C}, {_W}, {_W}, {_I}, {_C}, {_W}, {_W}, {_M}, {_W}, int64, int64, int64)"
EXPLICIT = DeviceEntry(
    advance_run,
    _RUN,
    "simulation by explicit steps",
    symbol="advance_explicit",
)
IMPLICIT = DeviceEntry(
    advance_run,
    _RUN,
    "simulation by implicit steps",
    symbol="advance_implicit",
)
