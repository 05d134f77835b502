"""Matrix-free products with the mass matrix and its inverse.  O(N)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...kernels.fields import TREE
from ...system import State, StateLike, System
from . import engine, reference
from .arguments import all_floats, motions_of, speeds_vector, to_armature
from .quick import QuickFunction


def _readable_product(system: System, state: State, x: np.ndarray) -> np.ndarray:
    return reference.mass_matrix(system, motions_of(system, state)) @ x


_PRODUCT, _SOLUTION = QuickFunction("product", _readable_product), QuickFunction("solution")


def multiply_mass(system: System, state: StateLike, x: Any) -> np.ndarray:
    """Product M x of the mass matrix and a vector: the momentum, if x are speeds.  O(N).

    With loops M is that of the tree, see `mass_matrix`.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration; the speeds are ignored.
    x : array (n_v,) or mapping
        Vector.

    Returns
    -------
    array (n_v,)
    """
    momentum = _PRODUCT.call(system, state, x)
    return _PRODUCT.general(system, state, x) if momentum is None else momentum


def solve_mass(system: System, state: StateLike, x: Any, *, armature: Any = None) -> np.ndarray:
    """Product (M + armature)^-1 x by articulated bodies.  O(N).

    With loops M is that of the tree, see `mass_matrix`; `forward_dynamics` keeps loops closed.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration; the speeds are ignored.
    x : array (n_v,) or mapping
        Vector.
    armature : array (n_v,) or mapping, optional
        Inertia added to the speeds, as for `forward_dynamics`.

    Returns
    -------
    array (n_v,)
    """
    if armature is None:
        rates = _SOLUTION.call(system, state, x)
        if rates is not None:
            return rates
    state = _SOLUTION.prepared(system, state)
    vector, added = speeds_vector(system, x, "x"), to_armature(system, armature)
    if all_floats(state, vector):
        q, v = state.raw_q, state.raw_v
        return engine.forward_dynamics(system, q, v, vector, (), added, flags=TREE)
    free = reference.kinematics_base_to_tip(system, state.q, np.zeros(system.n_v))
    zero = np.zeros(system.n_v)
    bias = reference.inverse_dynamics(system, free, zero)[0]
    return reference.forward_dynamics(system, free, vector + bias, (), added)
