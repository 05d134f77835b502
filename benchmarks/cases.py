"""Systems in motion, the inputs of timed functions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom.model import Model
from lissom.system import State, System

Array = np.ndarray


@dataclass(frozen=True)
class Case:
    """System with one state and a batch of states.

    Parameters
    ----------
    model : Model
        Mechanism.
    system : System
        Compiled mechanism.
    state : State
        First state of the batch.
    forces : array (n_v,)
        First forces of the batch.
    many_q, many_v, many_forces : array (k, n_q), (k, n_v), (k, n_v)
        Coordinates, speeds and forces of the batch, one state per row.
    """

    model: Model
    system: System
    state: State
    forces: Array
    many_q: Array
    many_v: Array
    many_forces: Array

    @property
    def size(self) -> int:
        """Number of states in the batch."""
        return len(self.many_q)


def moving_case(model: Model, size: int | None = None, seed: int = 1992) -> Case:
    """Mechanism with random states in which everything moves.

    Hinge angles are of the order of 1, hinge rates of 0.3 and modal coordinates of 1e-3: the time
    of a call does not depend on them.

    Parameters
    ----------
    model : Model
        A mechanism whose coordinates are free numbers (no quaternions).
    size : int, optional
        Number of states; by default `batch_size`.
    seed : int
        Seed of the random numbers.
    """
    system = model.compile()
    k = batch_size(system) if size is None else size
    rng = np.random.default_rng(seed)
    scale = np.ones(system.n_v)
    for name in system.names:
        scale[system.layout.modal_v(name)] = 1e-3
    q = rng.standard_normal((k, system.n_q)) * scale
    v = 0.3 * rng.standard_normal((k, system.n_v)) * scale
    forces = rng.standard_normal((k, system.n_v)) * scale
    return Case(model, system, system.state(q[0], v[0]), forces[0].copy(), q, v, forces)


def batch_size(system: System) -> int:
    """Batch size: large enough to hide the overhead of the call, small enough for the cache."""
    return int(np.clip(16_384 // max(system.n_v, 1), 4, 512))
