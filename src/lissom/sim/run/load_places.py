"""How the nodes that loads act on move, and how their motions change with the configuration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...algorithms.tree import engine
from ...kernels import entries, fields as field
from ...kernels.tree.derivatives.frames import COLUMNS
from ...kernels.tree.derivatives.motions import MOTION
from ...system import System

if TYPE_CHECKING:
    from .machine import Machine

Array = np.ndarray

NO_PLACES = np.zeros(0)
FLAGS = field.RATES | field.ACCELERATED  # without gravity and elasticity


class LoadPlaces:
    """Columns of nodes, and the derivative of the forces by constant wrenches on them.

    A wrench w that is constant in the axes of its node has the generalized forces J^T w, minus
    those of inverse dynamics at rest without gravity, whose derivative is compiled; the stiffness
    of flexible bodies, which that derivative contains, is set to zero.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    nodes : sequence of (int, int)
        Body and node of each place.
    """

    def __init__(self, system: System, nodes: Sequence[tuple[int, int]]) -> None:
        n = system.n_v
        pieces = [engine.node_constants(system, body, node) for body, node in nodes]
        self._starts = np.cumsum([0, *map(len, pieces)])[:-1].astype(np.int64)
        self._where = np.concatenate([*pieces, np.zeros(1)])
        self._columns = np.zeros((COLUMNS * len(nodes), n))
        self._motions = np.zeros(MOTION * len(nodes))
        work = engine.workspace(system)
        plan, numbers, index = work.derivatives
        self._numbers = numbers.copy()
        self._plan, self._index, self._floats = plan, index.copy(), work.packed.floats.copy()
        for row in work.packed.rows:
            if row[field.LEVEL] != field.RIGID:
                s = row[field.SHAPES]
                self._floats[s : s + row[field.N_MODE]] = 0.0
        self._rest, self._D = np.zeros(n), np.empty((3 * n, n))
        self._of_frames = work.kernel(entries.FRAME_COLUMNS)
        self._of_forces = work.kernel(entries.INVERSE_DERIVATIVES)

    def put(self, machine: Machine) -> tuple[Array, Array]:
        """Columns and motions of the nodes in the state of a run."""
        self._of_frames(
            machine.ints, machine.plan.packed.floats, machine.scratch, self._plan, self._numbers,
            machine.q, machine.v, self._rest, self._starts, self._where, self._columns,
            self._motions, FLAGS,
        )  # fmt: skip
        return self._columns.ravel(), self._motions

    def turning(self, machine: Machine) -> Array:
        """Derivative (n_v, n_v) of minus the forces by the external wrenches in a run's scratch."""
        n = len(self._rest)
        self._of_forces(
            machine.ints, self._floats, machine.scratch, self._plan, self._numbers, self._index,
            machine.q, self._rest, self._rest, np.empty(n), self._D, FLAGS, 0, 1,
        )  # fmt: skip
        return self._D[:n]
