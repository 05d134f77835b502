"""Values of tables that drive joints, as the controls of a run.

The force of an actuator with a table of values u_k at times t_k is linear in them:
  T(t) = ratio sum_k w_k(t) u_k                                                               (1)
with w_k the table whose values are all zero but one.  Pieces are selected as in
`kernels.run.signals`: those of tables with corners by the middle between the start of a step and t.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import LoadError, shown
from ...system import System
from ..loads import Actuator
from ..signals.signal import SMOOTHNESS, Table

Array = np.ndarray


class Control:
    """An actuator with a table of forces, whose values are differentiated."""

    def __init__(self, system: System, actuator: Any) -> None:
        if not isinstance(actuator, Actuator) or not isinstance(actuator.force, Table):
            raise LoadError(
                f"controls contains {shown(actuator)}; expected Actuators whose force is a Table"
            )
        if np.isfinite(actuator.limit):
            raise LoadError(
                f"{actuator.label}: limit is {actuator.limit:g}, at which the derivative by a "
                "control jumps; bound the values in the optimisation instead"
            )
        if actuator.force.kind == "monotone":
            raise LoadError(
                f'{actuator.label}: force is a "monotone" table, whose slopes are not linear in '
                'its values; give a "linear", "smooth" or "rest" one to differentiate with respect '
                "to them"
            )
        if actuator.joint not in system.names:
            raise LoadError(f"{actuator.label}: there is no joint {actuator.joint!r}")
        self.actuator, self.table = actuator, actuator.force
        self.speeds = system.layout.hinge_v(actuator.joint)
        self.n_time, self.n_value = len(self.table.times), self.table.n_value
        basis = replace(self.table, values=np.eye(self.n_time))
        self._pieces, self._edges = basis.pieces(), basis.edges

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the values."""
        return np.shape(self.table.values)

    def weights(self, start: Array, times: Array) -> Array:
        """Weights (k, n_time) of the values at times, within steps that began at `start` (1)."""
        pieces, edges = self._pieces, self._edges
        sought = times if SMOOTHNESS[self.table.kind] == 2 else (start + times) / 2
        which = np.clip(np.searchsorted(edges, sought, side="right") - 1, 0, len(pieces) - 1)
        x = np.clip(times, edges[0], edges[-1]) - edges[which]
        weights = pieces[which, :, 0]
        for power in range(1, pieces.shape[2]):
            weights = weights * x[:, None] + pieces[which, :, power]
        return self.actuator.ratio * weights

    def forces(self, weights: Array) -> Array:
        """Forces (k, r) on the joint."""
        return weights @ self.table.values.reshape(self.n_time, self.n_value)
