"""load_derivatives: generalized forces of loads in a state, and their derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algorithms.tree.arguments import as_state, check_system
from ..errors import LoadError, SingularError, StateError
from ..kernels.layout import run
from ..printing import Shown
from ..system import StateLike, System
from .run.checks import number
from .run.derivative_checks import check_given_derivatives
from .run.reasons import nearest_to_singular
from .run.start import at_rest, planned

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class LoadDerivatives(Shown):
    """Generalized forces of loads and their derivatives.

    Directions in the configuration are those of the speeds: column k of `q` is the derivative
    along dq = N(q) e_k, where qdot = N(q) v.

    Attributes
    ----------
    forces : array (n_v,)
        Generalized forces of all loads [N m, N, or of modal coordinates].
    q, v : arrays (n_v, n_v)
        Their derivatives by configuration and by speeds.
    """

    forces: Array
    q: Array
    v: Array


def load_derivatives(
    system: System,
    state: StateLike,
    loads: Any = (),
    *,
    forces: Any = None,
    time: float = 0.0,
) -> LoadDerivatives:
    """Generalized forces of loads in a state, and their derivatives by configuration and speeds.

    Stiffness is minus the derivative by configuration, damping minus that by speeds.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration and speeds.
    loads, forces
        As for `simulate`.  Users' functions of the state are differentiated by central differences,
        unless their derivatives are given (`WithDerivatives`).
        A sampled `Controller` and a given `Motion` have no forces here, and the integral of a
        `Servo` is that of its start.
    time : float
        Time at which loads are evaluated [s].

    Returns
    -------
    LoadDerivatives
        For a system with loops or couplings these are the forces and derivatives on all speeds of
        its tree, as if they were independent.
    """
    check_system(system)
    user_state = as_state(system, state)
    if not user_state.real:
        raise StateError("load_derivatives needs a state of real numbers")
    instant = number(time, "load_derivatives: time", "a finite time [s]")
    plan = planned(system, forces, loads, ())
    machine = at_rest(plan, user_state, instant, exact=True)
    machine.v[:] = user_state.raw_v
    status, load_forces, by_q, by_v = machine.load_derivatives()
    functions = plan.functions
    if functions.error is None:
        check_given_derivatives(plan, user_state.raw_q, user_state.raw_v, instant)
    if (error := functions.taken()) is not None:
        if isinstance(error, LoadError):
            raise error
        raise LoadError(f"{functions.failed} raised {error!r}") from error
    if status == run.SINGULAR_COORDINATES:
        name = nearest_to_singular(system, [user_state.raw_q])
        raise SingularError(
            f"load_derivatives: the coordinates of the joint of {name} are singular in this "
            "state, so that it cannot be moved by small amounts; give another state"
        )
    if not all(np.all(np.isfinite(x)) for x in (load_forces, by_q, by_v)):
        raise LoadError(
            f"load_derivatives: {functions.blame()}forces or their derivatives are not finite; "
            "check the loads in this state"
        )
    return LoadDerivatives(load_forces, by_q, by_v)
