"""Propagation along the tree by all steps, (I - E)^-1.

A block of E maps a force on a body to a force on its parent; transposed it maps a motion of the
parent to a motion of the body.  E is nilpotent, so that

  Phi = (I - E)^-1 = I + E + E^2 + ...        (A 18), (A 19); Psi likewise (A 53)

is applied by one sweep: y(p) += E(p, i) y(i), tip to base; transposed base to tip.
"""

from __future__ import annotations

import numpy as np

from .algebra import Label, SpatialOperator
from .blocks import Blocks

Array = np.ndarray


class Propagation(SpatialOperator):
    """Propagation (I - E)^-1 of a step E: the sum over everything outboard.

    Parameters
    ----------
    label : Label
        Name, cost and state.
    step : Blocks
        E, with the blocks of inboard bodies first.
    """

    def __init__(self, label: Label, step: Blocks) -> None:
        super().__init__(label, step.shape)
        self._step = step

    def _apply(self, x: Array) -> Array:
        y = self._step.empty(len(x), x)
        y[:] = x
        self._step.add(y, y, backwards=True)  # tip to base
        return y

    def _apply_transpose(self, y: Array) -> Array:
        x = self._step.empty(len(y), y)
        x[:] = y
        self._step.add(x, x, transposed=True)  # base to tip
        return x
