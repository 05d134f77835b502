"""Tangents of the steps of a run: what all methods share.

A change of a state is [displacement; change of speeds], 2 n_v numbers, and what else a method
carries from step to step.  Its columns are by the initial state, parameters and controls.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from ...errors import LoadError
from .dynamics import Dynamics

Array = np.ndarray

_APART = 1e-8  # relative distance between the end of a step found here and that of the run


class Steps(NamedTuple):
    """Consecutive steps of a run: times (k + 1,), coordinates, speeds, accelerations (k + 1, ...).

    Accelerations are those at the starts of steps; z are the integrals of servos.
    """

    time: Array
    q: Array
    v: Array
    x: Array
    z: Array

    def between(self, first: int, last: int) -> Steps:
        """Steps from row `first` to row `last`."""
        return Steps(*(y[first : last + 1] for y in self))

    def at(self, rows: Array) -> Steps:
        """The states of some rows."""
        return Steps(*(y[rows] for y in self))


class GradientShare(NamedTuple):
    """What some steps add to a gradient: by parameters, and by the values of each control."""

    parameters: Array
    controls: list[Array]


class StepTangents(ABC):
    """Tangents of the steps of one run."""

    def __init__(self, dynamics: Dynamics, steps: Steps) -> None:
        self.dynamics, self.steps = dynamics, steps

    @property
    def rows(self) -> int:
        """Numbers of a change that are carried from step to step."""
        return 2 * self.dynamics.system.n_v

    @property
    @abstractmethod
    def numbers(self) -> int:
        """Numbers in memory for each step of a block."""

    @property
    def numbers_backward(self) -> int:
        """The same backward in time."""
        return self.numbers

    @abstractmethod
    def forward(self, first: int, last: int, change: Array) -> Array:
        """Changes (k, rows, columns) at the ends of the steps from row `first` to row `last`.

        `change` (rows, columns): at row `first`.
        """

    @abstractmethod
    def backward(self, first: int, last: int, gradients: Array, adjoint: Array) -> GradientShare:
        """Take an adjoint from row `last` back to row `first`, in place.

        `gradients` (k, 2 n_v): derivatives of the objective by the states at the starts of these
        steps; `adjoint` (rows,): derivatives by the change at row `last`, replaced by those at row
        `first`.
        """

    def basis(self) -> tuple[Array, tuple[int, ...] | None]:
        """Changes (2 n_v, columns) of the initial state, and the independent speeds with loops."""
        n = self.dynamics.system.n_v
        basis = np.eye(2 * n)
        self.dynamics.driven.still(n, basis)
        return basis, None

    def part(self, by_inputs: Array) -> GradientShare:
        """Derivatives by parameters, then by values of controls, as a `GradientShare`."""
        first, parts = self.dynamics.n_parameter, []
        for control in self.dynamics.controls:
            count = control.n_time * control.n_value
            piece = by_inputs[first : first + count]
            parts.append(piece.reshape(control.n_time, control.n_value))
            first += count
        return GradientShare(by_inputs[: self.dynamics.n_parameter], parts)


def check_ends(computed: tuple[Array, ...], expected: tuple[Array, ...]) -> None:
    """Check that the steps differentiated are those of the run."""
    for one, other in zip(computed, expected, strict=True):
        scale = 1.0 + np.abs(other).max(initial=0.0)
        if not np.abs(one - other).max(initial=0.0) <= _APART * scale:
            raise LoadError(
                "a load acts in the run that has no derivatives here, or the step is divided "
                "by corners of tables; leave it out, and let tables have their times on steps"
            )
