"""Inverse dynamics and what follows from it: bias, gravity and joint forces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import StateError
from ..system import State, System
from . import engine, reference
from ._kernels.fields import ACCELERATED, GRAVITY
from .actuation import actuated_joints, actuator_forces
from .arguments import all_floats, check_state, motions_of, speeds_vector, to_external
from .articulated import forward_dynamics, loop_forces
from .loop_frames import check_real, closure_slices, loop_external, placed_loops

Array = np.ndarray


def inverse_dynamics(
    system: System,
    state: State,
    acceleration: Any,
    *,
    external: Mapping[Any, Any] | None = None,
    actuated: Any = None,
) -> Array:
    """Generalized forces that produce given accelerations: forces = M vdot + bias.  O(N).

    With loops or couplings, M vdot + bias = forces + forces of these, and infinitely many forces do
    it; `actuated` says which joints may act.

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
    actuated : sequence of str, optional
        Bodies whose joints are actuated; needed where there are loops.  If more joints are than
        motions are free, the smallest forces, moments taken at ``system.length``.  Modes have no
        actuators: accelerations of flexible systems must be such as forces on these joints cause,
        for example those of `forward_dynamics`.

    Returns
    -------
    array (n_v,)
        With `actuated`, zero but for these joints.  StateError if they cannot cause the
        accelerations, or if the accelerations open a loop.
    """
    if external is None and actuated is None:
        T = _quick(system, state, acceleration)
        if T is not None:
            return T
    check_state(system, state)
    vdot = speeds_vector(system, acceleration, "acceleration")
    loads = to_external(system, external)
    if system.constraints or actuated is not None:
        return _by_actuators(system, state, vdot, loads, actuated, "inverse_dynamics")[0]
    return _of_tree(system, state, vdot, loads)


def _of_tree(system: System, state: State, vdot: Array, loads: reference.External = ()) -> Array:
    """M vdot + bias - external forces, whether there are loops or not."""
    if all_floats(state, vdot, *(wrench for *_, wrench in loads)):
        return engine.inverse_dynamics(system, state.raw_q, state.raw_v, vdot, loads)
    return reference.inverse_dynamics(system, motions_of(system, state), vdot, loads)[0]


def _quick(system: System, state: State, acceleration: Any) -> Array | None:
    """The common call with nothing to convert; None if there is something, or something is wrong.

    The kernel itself refuses arrays of another type, and says when its result is not finite.
    """
    try:
        work = system.derived["kernels"][1].workspace
        if system.constraints or state.system is not system or acceleration.shape != work.shape:
            return None
        out = np.empty(work.shape)
        flags = engine.ALL | ACCELERATED
        if work.one_inverse(state.raw_q, state.raw_v, acceleration, out, flags, 0, 1) < 0:
            return out
    except (AttributeError, KeyError, TypeError):
        pass
    return None


def _by_actuators(
    system: System,
    state: State,
    vdot: Array,
    loads: reference.External,
    actuated: Any,
    what: str,
) -> tuple[Array, reference.External]:
    """Forces of actuated joints, and external forces with those of the loops."""
    actuated_joints(system, actuated, what)
    check_real(state, what)
    needed = _of_tree(system, state, vdot, loads)
    bias = _of_tree(system, state, np.zeros(system.n_v), loads)
    tau, lam = actuator_forces(system, state, vdot, needed, bias, actuated, what)
    pushed = list(loads)
    # couplings come after the loops: what they do to hinges is part of the forces there
    for at, rows in zip(placed_loops(system, state.raw_q), closure_slices(system), strict=False):
        pushed += loop_external(at, at.scale * (at.directions @ lam[rows]))
    return tau, pushed


def bias_force(system: System, state: State) -> Array:
    """All of the equations of motion but M vdot: M vdot + bias = forces.  O(N).

    Velocity-dependent terms, gravity, stiffness and damping.  With loops: of the tree, without the
    forces of the loops; see `closure` and `loop_forces`.

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
    return _of_tree(system, state, np.zeros(system.n_v))


def gravity_force(system: System, state: State) -> Array:
    """Part of `bias_force` that gravity causes: the forces that hold the system against it.  O(N).

    With loops: of the tree, as if each of its joints were held and the loops carried nothing.

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
    actuated: Any = None,
) -> Array:
    """Spatial force through every joint of the tree, all six components.  O(N).

    Those through joints that close loops are `loop_forces`.

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
    actuated : sequence of str, optional
        Bodies whose joints are actuated, as for `inverse_dynamics`; needed where `acceleration` is
        given and there are loops.

    Returns
    -------
    array (n_body, 6)
        [moment; force] on each body from its joint, in the body's axes at the body's origin.
    """
    check_state(system, state)
    loads = to_external(system, external)
    if acceleration is None:
        if actuated is not None:
            raise StateError("joint_forces: actuated is given without acceleration; leave it out")
        vdot = forward_dynamics(system, state, forces, external=external)
        if system.loops:
            wrenches = loop_forces(system, state, forces, external=external)
            for at, wrench in zip(placed_loops(system, state.raw_q), wrenches, strict=True):
                loads = [*loads, *loop_external(at, wrench)]
    else:
        vdot = speeds_vector(system, acceleration, "acceleration")
        if system.constraints or actuated is not None:
            loads = _by_actuators(system, state, vdot, loads, actuated, "joint_forces")[1]
    if all_floats(state, vdot, *(wrench for *_, wrench in loads)):
        return engine.joint_forces(system, state.raw_q, state.raw_v, vdot, loads)
    motions = motions_of(system, state)
    return np.array(reference.inverse_dynamics(system, motions, vdot, loads)[1])
