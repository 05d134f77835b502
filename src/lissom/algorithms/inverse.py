"""Inverse dynamics and what follows from it: bias, gravity and joint forces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..system import State, System
from . import engine, reference
from ._kernels.layout import ACCELERATED, GRAVITY
from .arguments import all_floats, check_state, motions_of, speeds_vector, to_external
from .articulated import forward_dynamics

__all__ = ["bias_force", "gravity_force", "inverse_dynamics", "joint_forces"]

Array = np.ndarray


def inverse_dynamics(
    system: System,
    state: State,
    acceleration: Any,
    *,
    external: Mapping[Any, Any] | None = None,
) -> Array:
    """Generalized forces that produce given accelerations: forces = M vdot + bias.  O(N).

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State
        Configuration and speeds.
    acceleration : array (n_v,) or mapping
        Rates of the speeds.
    external : mapping, optional
        Spatial forces {"body" or "body.node": [moment; force]} in the axes of that frame.

    Returns
    -------
    array (n_v,)
    """
    if external is None:
        T = _quick(system, state, acceleration)
        if T is not None:
            return T
    check_state(system, state)
    vdot = speeds_vector(system, acceleration, "acceleration")
    loads = to_external(system, external)
    if all_floats(state, vdot, *(wrench for *_, wrench in loads)):
        return engine.inverse_dynamics(system, state.raw_q, state.raw_v, vdot, loads)
    return reference.inverse_dynamics(system, motions_of(system, state), vdot, loads)[0]


def _quick(system: System, state: State, acceleration: Any) -> Array | None:
    """The common call with nothing to convert; None if there is something, or something is wrong.

    The kernel itself refuses arrays of another type, and says when its result is not finite.
    """
    try:
        work = system.derived["kernels"][1].workspace
        if state.system is not system or acceleration.shape != work.shape:
            return None
        out = np.empty(work.shape)
        flags = engine.ALL | ACCELERATED
        if work.one_inverse(state.raw_q, state.raw_v, acceleration, out, flags, 0, 1) < 0:
            return out
    except (AttributeError, KeyError, TypeError):
        pass
    return None


def bias_force(system: System, state: State) -> Array:
    """All of the equations of motion but M vdot: M vdot + bias = forces.  O(N).

    Velocity-dependent terms, gravity, stiffness and damping.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State
        Configuration and speeds.

    Returns
    -------
    array (n_v,)
    """
    check_state(system, state)
    return inverse_dynamics(system, state, np.zeros(system.n_v))


def gravity_force(system: System, state: State) -> Array:
    """Part of `bias_force` that gravity causes: the forces that hold the system against it.  O(N).

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State
        Configuration; the speeds play no part.

    Returns
    -------
    array (n_v,)
    """
    check_state(system, state)
    zero = np.zeros(system.n_v)
    if all_floats(state):
        return engine.inverse_dynamics(system, state.raw_q, zero, zero, flags=GRAVITY)
    motions = motions_of(system, state.replace(v=zero))
    return reference.inverse_dynamics(system, motions, zero, elastic=False)[0]


def joint_forces(
    system: System,
    state: State,
    acceleration: Any = None,
    *,
    forces: Any = None,
    external: Mapping[Any, Any] | None = None,
) -> Array:
    """Spatial force through every joint, all six components.  O(N).

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State
        Configuration and speeds.
    acceleration : array (n_v,) or mapping, optional
        Rates of the speeds; by default those that `forces` and `external` cause.
    forces : array (n_v,) or mapping, optional
        Generalized forces, used only where `acceleration` is not given.
    external : mapping, optional
        Spatial forces on nodes, as for `forward_dynamics`.

    Returns
    -------
    array (n_body, 6)
        [moment; force] on each body from its joint, in the body's axes at the body's origin.
    """
    check_state(system, state)
    if acceleration is None:
        vdot = forward_dynamics(system, state, forces, external=external)
    else:
        vdot = speeds_vector(system, acceleration, "acceleration")
    loads = to_external(system, external)
    if all_floats(state, vdot, *(wrench for *_, wrench in loads)):
        return engine.joint_forces(system, state.raw_q, state.raw_v, vdot, loads)
    motions = motions_of(system, state)
    return np.array(reference.inverse_dynamics(system, motions, vdot, loads)[1])
