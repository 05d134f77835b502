"""Forces of loads by parameters that move the places where they act.

A load on a node pushes the coordinates through the geometry between them.  Derivatives of its
generalized forces by places of joints and by users' functions are differences of order six between
systems with changed parameters:
  (45 (T_1 - T_-1) - 9 (T_2 - T_-2) + T_3 - T_-3) / 60 h                                      (1)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ...algorithms.tree.design_parameters import (
    Resolved,
    built_system,
    signs_of_modes,
    spacing_of,
)
from ...errors import LoadError
from ...kernels.run import fields as run
from ...kernels.tree.derivatives import design
from ...spatial import rotation_exp
from ...system import System
from ..run.choice import at_rest
from ..run.machine import Machine
from ..run.start import planned

Array = np.ndarray

SPACING = 1e-3  # of displacements, in lengths of the system, and of turns [rad]
_WEIGHTS = {-3: -1 / 60, -2: 9 / 60, -1: -45 / 60, 1: 45 / 60, 2: -9 / 60, 3: 1 / 60}


class _Side(NamedTuple):
    """A changed system: its loads, the weight of their forces, and signs of its coordinates."""

    machine: Machine
    weight: float
    turned: Array
    signs: Array


class PlacedLoads:
    """Derivatives of the forces of loads by parameters of the design.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    found : Resolved
        Parameters.
    loads, forces
        As for `simulate`.
    what : str
        Name of the caller in errors.
    """

    def __init__(self, system: System, found: Resolved, loads: Any, forces: Any, what: str) -> None:
        self.n_parameter, self.columns = len(found.names), {}
        plan = planned(system, forces, loads, ())
        if not (plan.slots or plan.points or plan.fields):
            return
        rows = found.rows.reshape(-1, 3)
        directions = found.directions.reshape(-1, design.DIRECTION)
        for k, name in enumerate(found.names):
            if k >= len(rows):
                one = found.built[k - len(rows)]
                h = spacing_of(one)
                systems = {s: built_system(one, s) for s in _WEIGHTS}
            elif rows[k, 0] in (design.SHIFT, design.TURNING):
                h = SPACING * (system.length if rows[k, 0] == design.SHIFT else 1.0)
                systems = {s: _placed(system, rows[k], directions[k], s * h) for s in _WEIGHTS}
            elif rows[k, 0] == design.INERTIA and plan.fields:
                raise LoadError(
                    f"{what}: a field of gravity acts on all mass, so that its forces change with "
                    f"{name!r}; give a DesignParameter with a function that builds the model"
                )
            else:
                continue
            self.columns[k] = [
                _side(system, other, name, _WEIGHTS[s] / h, (forces, loads))
                for s, other in systems.items()
            ]

    def slopes(self, times: Array, Q: Array, V: Array) -> Array | None:
        """Derivatives (k, n_v, n_parameter) of the forces at times; None if all are zero."""
        if not self.columns:
            return None
        found = np.zeros((*V.shape, self.n_parameter))
        for column, sides in self.columns.items():
            for machine, weight, turned, signs in sides:
                for k, t in enumerate(times):
                    machine.memory[run.TIME] = t
                    machine.q[:], machine.v[:] = turned * Q[k], signs * V[k]
                    _, T, _, _ = machine.load_derivatives()
                    found[k, :, column] += weight * signs * T
        return found


def _placed(system: System, row: Array, direction: Array, amount: float) -> System:
    """System whose joint is displaced or turned on its carrier."""
    kind, i, _ = row
    change = amount * direction[:3]
    if kind == design.SHIFT:
        places = np.array(system.frame_position)
        places[i] += change
        return replace(system, frame_position=places)
    turns = np.array(system.frame_rotation)
    turns[i] = rotation_exp(change) @ turns[i]
    return replace(system, frame_rotation=turns)


def _side(system: System, other: System, name: str, weight: float, given: Any) -> _Side:
    forces, loads = given
    signs, turned = signs_of_modes(system, other, name), np.ones(system.n_q)
    for i in range(system.n_body):
        turned[system.layout.modal_q(i)] = signs[system.layout.modal_v(i)]
    machine = at_rest(planned(other, forces, loads, ()), other.neutral(), 0.0, exact=True)
    return _Side(machine, weight, turned, signs)
