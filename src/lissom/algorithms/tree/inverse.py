"""Inverse dynamics, and bias, gravity and joint forces derived from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...errors import StateError
from ...kernels.quantities import INVERSE
from ...system import GROUND, State, StateLike, System
from ..loops.actuation import actuated_joints, actuator_forces
from ..loops.frames import check_real, closure_slices, loop_external, placed_loops
from ..loops.joint_loads import applied_forces
from . import engine, reference
from .arguments import all_floats, as_state, motions_of, speeds_vector, to_external
from .articulated import forward_dynamics, loop_forces
from .quick import QuickFunction

Array = np.ndarray

_INVERSE, _JOINT_FORCES = QuickFunction("inverse"), QuickFunction("joint_forces")
_BIAS = QuickFunction("bias", lambda system, state, x: _of_tree(system, state, x))
_GRAVITY = QuickFunction("gravity", lambda system, state, x: _readable_gravity(system, state, x))


def inverse_dynamics(
    system: System,
    state: StateLike,
    acceleration: Any,
    *,
    external: Mapping[Any, Any] | None = None,
    actuated: Any = None,
) -> Array:
    """Generalized forces that produce given accelerations: forces = M vdot + bias.  O(N).

    With loops or couplings, M vdot + bias = forces + A^T lambda, which has infinitely many
    solutions; `actuated` selects the joints that may act.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration and speeds.
    acceleration : array (n_v,) or mapping
        Rates of the speeds.
    external : mapping, optional
        Spatial forces {"body", "body.node" or "frame": [moment; force]} in the axes of that frame.
    actuated : sequence of str, optional
        Bodies whose joints are actuated; required with loops.  If more joints are actuated than
        motions are free, the forces of least norm, with moments divided by ``system.length``.
        Modes have no actuators: accelerations of flexible systems must be attainable by forces on
        these joints, for example those of `forward_dynamics`.

    Returns
    -------
    array (n_v,)
        With `actuated`, zero except at these joints.  StateError if they cannot produce the
        accelerations, or if the accelerations open a loop.
    """
    if external is None and actuated is None:
        T = _INVERSE.call(system, state, acceleration)
        if T is not None:
            return T
    state = as_state(system, state)
    vdot = speeds_vector(system, acceleration, "acceleration")
    loads = to_external(system, external)
    if system.constraints or actuated is not None:
        return _by_actuators(system, state, vdot, loads, actuated, "inverse_dynamics")[0]
    _INVERSE.prepared(system, state)
    return _of_tree(system, state, vdot, loads)


def _of_tree(system: System, state: State, vdot: Array, loads: reference.External = ()) -> Array:
    """Forces M vdot + bias - external forces of the tree, ignoring loops."""
    if all_floats(state, vdot, *(wrench for *_, wrench in loads)):
        q, v = state.raw_q, state.raw_v
        return engine.value(system, INVERSE, q, v, vdot, external=loads)
    return reference.inverse_dynamics(system, motions_of(system, state), vdot, loads)[0]


def _by_actuators(
    system: System,
    state: State,
    vdot: Array,
    loads: reference.External,
    actuated: Any,
    what: str,
) -> tuple[Array, reference.External]:
    """Forces of actuated joints, and external forces including those of the loops."""
    actuated_joints(system, actuated, what)
    check_real(state, what)
    if not all(x.dtype == float for x in (vdot, *(wrench for *_, wrench in loads))):
        raise StateError(f"{what}: with loops, couplings or actuated joints give real numbers")
    needed = _of_tree(system, state, vdot, loads)
    bias = _of_tree(system, state, np.zeros(system.n_v), loads)
    tau, lam = actuator_forces(system, state, vdot, needed, bias, actuated, what)
    pushed = list(loads)
    # couplings follow the loops: their forces are part of the hinge forces
    for loop, rows in zip(placed_loops(system, state.raw_q), closure_slices(system), strict=False):
        pushed += loop_external(loop, loop.scale * (loop.directions @ lam[rows]))
    return tau, pushed


def bias_force(system: System, state: StateLike) -> Array:
    """Bias of the equations of motion, M vdot + bias = forces.  O(N).

    It contains velocity-dependent terms, gravity, stiffness and damping.  With loops it is that of
    the tree, without loop forces; see `closure` and `loop_forces`.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration and speeds.

    Returns
    -------
    array (n_v,)
    """
    T = _BIAS.call(system, state)
    return _BIAS.general(system, state) if T is None else T


def gravity_force(system: System, state: StateLike) -> Array:
    """Part of `bias_force` due to gravity: the forces that hold the system against it.  O(N).

    With loops it is that of the tree, as if all joints were held and the loops transmitted nothing.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration; the speeds are ignored.

    Returns
    -------
    array (n_v,)
    """
    T = _GRAVITY.call(system, state)
    return _GRAVITY.general(system, state) if T is None else T


def _readable_gravity(system: System, state: State, zero: Array) -> Array:
    motions = motions_of(system, state.replace(v=zero))
    return reference.inverse_dynamics(system, motions, zero, elastic=False)[0]


def joint_forces(
    system: System,
    state: StateLike,
    acceleration: Any = None,
    *,
    forces: Any = None,
    external: Mapping[Any, Any] | None = None,
    actuated: Any = None,
    axes: str = "body",
) -> Array:
    """Spatial force through every joint of the tree, all six components.  O(N).

    For joints that close loops see `loop_forces`.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration and speeds.
    acceleration : array (n_v,) or mapping, optional
        Rates of the speeds; by default those that `forces` and `external` cause.
    forces : array (n_v,) or mapping, optional
        Generalized forces, used only if `acceleration` is not given.
    external : mapping, optional
        Spatial forces on nodes, as for `forward_dynamics`.
    actuated : sequence of str, optional
        Bodies whose joints are actuated, as for `inverse_dynamics`; required if `acceleration` is
        given and there are loops.
    axes : {"body", "parent", "world"}
        Axes of the result: those of each body, of the body that carries it, or of the world.

    Returns
    -------
    array (n_body, 6)
        [moment; force] on each body from its joint, at the body's origin.
    """
    plain = external is None and actuated is None and acceleration is not None
    if plain and type(axes) is str and axes == "body":
        wrenches = _JOINT_FORCES.call(system, state, acceleration)
        if wrenches is not None:
            return wrenches
    state = as_state(system, state)
    if not system.constraints:
        _JOINT_FORCES.prepared(system, state)
    if not isinstance(axes, str) or axes not in ("body", "parent", "world"):
        raise StateError(f'axes is {axes!r}; use "body", "parent" or "world"')
    wrenches = _joint_forces(system, state, acceleration, forces, external, actuated)
    if axes == "body":
        return wrenches
    motions = motions_of(system, state)
    turned = []
    for i, wrench in enumerate(wrenches):
        turn, parent = motions[i].world_rotation, int(system.parent[i])
        if axes == "parent" and parent != GROUND:
            turn = motions[parent].world_rotation.T @ turn
        turned.append(np.concatenate([turn @ wrench[:3], turn @ wrench[3:]]))
    return np.array(turned).reshape(system.n_body, 6)


def _joint_forces(
    system: System, state: State, acceleration: Any, forces: Any, external: Any, actuated: Any
) -> Array:
    """Spatial forces through the joints, body axes."""
    vdot, loads = balanced(system, state, acceleration, forces, external, actuated, "joint_forces")
    if all_floats(state, vdot, *(wrench for *_, wrench in loads)):
        return engine.joint_forces(system, state.raw_q, state.raw_v, vdot, loads)
    motions = motions_of(system, state)
    return np.array(reference.inverse_dynamics(system, motions, vdot, loads)[1])


def balanced(
    system: System,
    state: State,
    acceleration: Any,
    forces: Any,
    external: Mapping[Any, Any] | None,
    actuated: Any,
    what: str,
) -> tuple[Array, reference.External]:
    """Accelerations (n_v,), and all spatial forces on nodes, those of loops too."""
    loads = to_external(system, external)
    if acceleration is None:
        if actuated is not None:
            raise StateError(
                f"{what}: actuated is given without acceleration; omit it, or give both"
            )
        vdot = forward_dynamics(system, state, forces, external=external)
        loads = applied_forces(system, state, forces, external)[1]
        if system.loops:
            wrenches = loop_forces(system, state, forces, external=external)
            for loop, wrench in zip(placed_loops(system, state.raw_q), wrenches, strict=True):
                loads = [*loads, *loop_external(loop, wrench)]
        return vdot, loads
    vdot = speeds_vector(system, acceleration, "acceleration")
    if system.constraints or actuated is not None:
        loads = _by_actuators(system, state, vdot, loads, actuated, what)[1]
    return vdot, loads
