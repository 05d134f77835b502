"""Kernels for a GPU, by their symbols."""

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
