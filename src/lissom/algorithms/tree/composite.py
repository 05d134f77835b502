"""The system mass matrix."""

from __future__ import annotations

import numpy as np

from ...system import State, StateLike, System
from . import reference
from .arguments import motions_of
from .quick import QuickFunction

Array = np.ndarray


def _readable(system: System, state: State, _: Array) -> Array:
    return reference.mass_matrix(system, motions_of(system, state))


_MASS = QuickFunction("mass", _readable)


def mass_matrix(system: System, state: StateLike) -> Array:
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
    M = _MASS.call(system, state)
    return _MASS.general(system, state) if M is None else M
