"""The system mass matrix."""

from __future__ import annotations

import numpy as np

from ...system import StateLike, System
from . import engine, reference
from .arguments import all_floats, as_state, motions_of


def mass_matrix(system: System, state: StateLike) -> np.ndarray:
    """Mass matrix by composite bodies (A 50), (D 6.1).  O(N^2) for a chain.

    With loops it is that of the tree, in which some speeds depend on others:
    ``closure(system, state).mass_matrix`` is that of the independent speeds.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration; the speeds are ignored.

    Returns
    -------
    array (n_v, n_v)
        Symmetric positive definite; the kinetic energy is v^T M v / 2.
    """
    state = as_state(system, state)
    if all_floats(state):
        return engine.mass_matrix(system, state.raw_q)
    return reference.mass_matrix(system, motions_of(system, state))
