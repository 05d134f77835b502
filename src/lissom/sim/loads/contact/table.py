"""Normal law by points that were measured or computed elsewhere."""

from __future__ import annotations

from functools import cached_property
from typing import Any, final

import numpy as np

from ....errors import LoadError, shown
from ....fields import declare, declared
from ....kernels.contact import law as kernel
from .law import DampedLaw, RowField

Array = np.ndarray

__all__ = ["TableContact"]


@final
@declared()
class TableContact(DampedLaw):
    """Force by a smooth curve through points of depth and force, times 1 + dissipation rate.

    Between the points it is cubic and grows all the way, with a continuous slope (Fritsch and
    Butland's slopes, PCHIP); beyond the last one it goes on as a straight line.

    Examples
    --------
    >>> pad = TableContact([0.0, 1e-3, 2e-3, 3e-3], [0.0, 10.0, 40.0, 200.0])
    >>> print(pad.force([0.5e-3, 3e-3]))
    [  3.125 200.   ]
    """

    file_kind = "table_contact"

    depth: Any = declare(RowField("length"), "Depths of the points, growing; the first is zero.")
    force_at: Any = declare(
        RowField("force"), "Forces at these depths, growing; the first is zero."
    )

    def check(self) -> None:
        """Check what a field alone does not tell."""
        for name in ("depth", "force_at"):
            row = getattr(self, name)
            if len(row) < 2 or row[0] != 0.0 or np.any(np.diff(row) <= 0.0):
                raise LoadError(
                    f"{self.label}: {name} is {shown(row.tolist())}; expected two or more numbers "
                    "that start at zero, each greater than the one before"
                )
        if len(self.depth) != len(self.force_at):
            raise LoadError(
                f"{self.label}: depth has {len(self.depth)} numbers and force_at "
                f"{len(self.force_at)}; give one force for each depth"
            )

    @cached_property
    def _curves(self) -> tuple[Any, Any, Any]:
        """Force, slope and energy as piecewise polynomials."""
        from scipy.interpolate import CubicHermiteSpline, pchip_interpolate

        slopes = pchip_interpolate(self.depth, self.force_at, self.depth, der=1)
        chord = (self.force_at[-1] - self.force_at[-2]) / (self.depth[-1] - self.depth[-2])
        slopes[-1] = max(slopes[-1], 0.5 * chord)  # it may be zero, and the line beyond flat
        curve = CubicHermiteSpline(self.depth, self.force_at, slopes)
        return curve, curve.derivative(), curve.antiderivative()

    def numbers(self) -> list[float]:
        """Numbers of the law for the kernels, in SI units."""
        _curve, slope, energy = self._curves
        rows = np.concatenate([self.depth, self.force_at, slope(self.depth), energy(self.depth)])
        return [*self._head(kernel.TABLE), float(len(self.depth)), *map(float, rows)]

    def _elastic(self, depth: Array) -> tuple[Array, Array]:
        curve, slope, _energy = self._curves
        inside = np.minimum(depth, self.depth[-1])
        steep = slope(inside)
        return curve(inside) + steep * (depth - inside), steep

    def _energy(self, depth: Array) -> Array:
        curve, slope, energy = self._curves
        inside = np.minimum(depth, self.depth[-1])
        beyond = depth - inside
        return energy(inside) + beyond * (curve(inside) + 0.5 * slope(inside) * beyond)
