"""Results of a batch, and errors of its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..algorithms.tree.articulated import forward_dynamics
from ..algorithms.tree.inverse import inverse_dynamics
from ..errors import LissomError, StateError
from ..kernels import fields as field
from ..kernels.quantities import ACCELERATIONS, INVERSE, Quantity
from ..printing import summary
from .arrays import on_cpu

if TYPE_CHECKING:
    from .batch import Batch


class Energies(NamedTuple):
    """Energies of many states [J].

    Attributes
    ----------
    kinetic, potential, strain : arrays (k,)
    """

    kinetic: Any
    potential: Any
    strain: Any

    def __repr__(self) -> str:
        """Fields, large arrays by their size."""
        return summary(self)


def raise_failures(batch: Batch, quantity: Quantity, statuses: Any, inputs: list[Any]) -> None:
    """Raise the error of the first state that failed, with its row."""
    wrong = statuses != field.DONE
    if not bool(wrong.any()):
        return
    row = int(wrong.argmax())
    system = batch.systems[row if batch.n_variant else 0]
    numbers = [on_cpu(x[row]) for x in inputs]
    try:
        state = system.state(*numbers[:2])
        if quantity is ACCELERATIONS:
            forward_dynamics(system, state, numbers[2])
        elif quantity is INVERSE:
            inverse_dynamics(system, state, numbers[2])
    except LissomError as error:
        error.args = (f"row {row}: {error}",)
        raise
    raise StateError(f"row {row}: the result is not finite; the values are too large")


def actuated_rows(batch: Batch, inputs: list[Any], actuated: Any) -> Any:
    """Forces of actuated joints (k, n_v), state by state on the CPU."""
    rows = zip(*map(on_cpu, inputs), strict=True)
    forces = np.zeros((len(inputs[0]), batch.system.n_v))
    for k, (q, v, acceleration) in enumerate(rows):
        system = batch.systems[k if batch.n_variant else 0]
        try:
            state = system.state(q, v)
            forces[k] = inverse_dynamics(system, state, acceleration, actuated=actuated)
        except LissomError as error:
            error.args = (f"row {k}: {error}",)
            raise
    return forces
