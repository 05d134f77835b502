"""Kernels of one state or one run, as a thread of a GPU executes them, by their symbols.

They are the functions that a CPU executes, on other arrays.  In the signatures
  int64[::1]      integers, the same for all states or a row for each
  float64[::1]    constants, the same for all states or a row for each; a state, a result
  float64[:]      workspace: numbers of 32 threads side by side, so that a warp reads them in one
                  transaction; one number is LANES numbers after the one before it
  float64[:,::1]  a matrix for each state
`ptx` makes the code around them that finds the arrays of a thread.
"""

from __future__ import annotations

from ..compiling import Kernel, plain

# Integrators that the kernels of runs are compiled for, by the kernels' symbols
METHODS_OF = {
    "advance_explicit": ("Euler-Cromer", "Runge-Kutta"),
    "advance_implicit": ("generalized-alpha",),
}
LANES = 32  # threads whose numbers lie side by side


class DeviceEntry:
    """A kernel of one state or one run for a GPU."""

    def __init__(
        self,
        function: Kernel,
        signature: str,
        name: str,
        *,
        symbol: str = "",
    ) -> None:
        self.function, self.signature, self.name = function, signature, name
        self.symbol = symbol or str(plain(function).__name__)
        self.methods = METHODS_OF.get(self.symbol, ())
        self.inlined = not self.methods
        DEVICE_ENTRIES[self.symbol] = self


DEVICE_ENTRIES: dict[str, DeviceEntry] = {}
