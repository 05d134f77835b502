"""Propagation along the tree by one step, E, and by all steps, (I - E)^-1.

The block of a body i with parent p maps a force on i to a force on p; transposed it maps a motion
of p to a motion of i.  E is nilpotent, so that

  Phi = (I - E)^-1 = I + E + E^2 + ...        paper A, eqs. (18), (19); Psi likewise, (53)

is applied by one sweep: y(p) += E(p, i) y(i), tip to base; transposed base to tip.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...system import GROUND
from .algebra import Label, SpatialOperator

Array = np.ndarray


class StepPropagation(SpatialOperator):
    """One-step propagation E, from every body to its parent.

    Parameters
    ----------
    label : Label
        Name, cost and state.
    parent : array of int
        Parent of each body.
    bodies : sequence of slice
        Slice of each body in the stacked vectors.
    steps : sequence of array or None
        Block (p, i) of each body i that has a parent.
    sources : sequence of slice
        Entries of body i that its block acts on.
    """

    def __init__(
        self,
        label: Label,
        parent: Array,
        bodies: Sequence[slice],
        steps: Sequence[Array | None],
        sources: Sequence[slice],
    ) -> None:
        n = bodies[-1].stop
        super().__init__(label, (n, n))
        self.links = [
            (bodies[parent[i]], block, sources[i])
            for i, block in enumerate(steps)
            if block is not None and parent[i] != GROUND
        ]

    def _apply(self, x: Array) -> Array:
        y = np.zeros_like(x)
        for target, block, source in self.links:
            y[target] += block @ x[source]
        return y

    def _apply_transpose(self, y: Array) -> Array:
        x = np.zeros_like(y)
        for target, block, source in self.links:
            x[source] += block.T @ y[target]
        return x


class Propagation(SpatialOperator):
    """Propagation (I - E)^-1 of a step E: the sum over everything outboard.

    Parameters
    ----------
    label : Label
        Name, cost and state.
    step : StepPropagation
        E.
    """

    def __init__(self, label: Label, step: StepPropagation) -> None:
        super().__init__(label, step.shape)
        self._step = step

    def _apply(self, x: Array) -> Array:
        y = x.copy()
        for target, block, source in reversed(self._step.links):  # tip to base
            y[target] += block @ y[source]
        return y

    def _apply_transpose(self, y: Array) -> Array:
        x = y.copy()
        for target, block, source in self._step.links:  # base to tip
            x[source] += block.T @ x[target]
        return x
