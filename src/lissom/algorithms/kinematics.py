"""Poses, velocities, accelerations and Jacobians of bodies and nodes; centre of mass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import SingularError, StateError
from ..spatial import rotate
from ..spatial.scalar import is_numeric
from ..system import GROUND, State, System
from . import engine
from ._kernels.fields import ACCELERATED, RATES
from .arguments import all_floats, check_axes, check_state, motions_of, speeds_vector
from .articulated import forward_dynamics
from .body_terms import NodeMotion, first_moment, node_motion
from .reference import BodyMotion, accelerations_base_to_tip, carrying_node

Array = np.ndarray

# Larger entries of a rate map indicate singular coordinates.
_SINGULAR = 1e12


@dataclass(frozen=True, eq=False)
class Pose:
    """Position and attitude of a frame.

    Attributes
    ----------
    position : array (3,)
        Origin in the world [m].
    rotation : array (3, 3)
        Axes of the frame to world axes.
    """

    position: Array
    rotation: Array


@dataclass(frozen=True, eq=False)
class _Frame:
    """Motion of a node and of its body."""

    body: int
    motion: BodyMotion
    node: NodeMotion

    def to_axes(self, spatial: Array, axes: str) -> Array:
        """Components in world axes or frame axes, from body axes."""
        check_axes(axes)
        turn = self.motion.world_rotation if axes == "world" else self.node.rotation.T
        return rotate(turn, spatial)


def _frame(system: System, motions: Sequence[BodyMotion], i: int, t: int) -> _Frame:
    motion = motions[i]
    node = node_motion(system.bodies[i], t, motion.eta, motion.eta_dot, motion.velocity)
    return _Frame(i, motion, node)


def pose(system: System, state: State, where: Any) -> Pose:
    """Pose of a body frame or node frame.  O(N).

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State
        Configuration.
    where : str
        "body" or "body.node".

    Returns
    -------
    Pose
        ``.position`` in the world, ``.rotation`` to world axes.
    """
    check_state(system, state)
    return node_pose(system, state, *system.locate(where))


def node_pose(system: System, state: State, i: int, t: int) -> Pose:
    """Pose of node t of body i.  O(N)."""
    if all_floats(state):
        zero = np.zeros(system.n_v)
        R, position, _ = engine.frame_motion(system, i, t, state.raw_q, zero, zero, 0)
        return Pose(position=position, rotation=R)
    frame = _frame(system, motions_of(system, state), i, t)
    R = frame.motion.world_rotation
    return Pose(
        position=frame.motion.world_position + R @ frame.node.position,
        rotation=R @ frame.node.rotation,
    )


def velocity(system: System, state: State, where: Any, *, axes: str = "world") -> Array:
    """Spatial velocity [omega; v] of a body frame or node frame.  O(N).

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State
        Configuration and speeds.
    where : str
        "body" or "body.node".
    axes : {"world", "body"}
        Axes of the components: world axes, or those of the frame.

    Returns
    -------
    array (6,)
        Angular velocity [rad/s] and velocity of the frame's origin [m/s].
    """
    check_state(system, state)
    check_axes(axes)
    if all_floats(state):
        i, node = system.locate(where)
        v = state.raw_v
        R, _, V = engine.frame_motion(system, i, node, state.raw_q, v, v, ACCELERATED)
        return V if axes == "world" else rotate(R.T, V)
    frame = _frame(system, motions_of(system, state), *system.locate(where))
    return frame.to_axes(frame.node.velocity, axes)


def acceleration(
    system: System,
    state: State,
    where: Any,
    acceleration: Any = None,
    *,
    axes: str = "world",
) -> Array:
    """Spatial acceleration of a body frame or node frame, as an inertial derivative.  O(N).

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State
        Configuration and speeds.
    where : str
        "body" or "body.node".
    acceleration : array (n_v,) or mapping, optional
        Rates of the speeds; by default those without applied forces.
    axes : {"world", "body"}
        Axes of the components.

    Returns
    -------
    array (6,)
        Angular acceleration [rad/s^2] and true acceleration of the frame's origin [m/s^2]
        (a falling body has the acceleration of gravity).
    """
    check_state(system, state)
    check_axes(axes)
    if acceleration is None:
        vdot = forward_dynamics(system, state)
    else:
        vdot = speeds_vector(system, acceleration, "acceleration")
    if all_floats(state, vdot):
        i, t = system.locate(where)
        flags = RATES | ACCELERATED
        R, _, A = engine.frame_motion(system, i, t, state.raw_q, state.raw_v, vdot, flags)
        return A if axes == "world" else rotate(R.T, A)
    motions = motions_of(system, state)
    alphas, _ = accelerations_base_to_tip(system, motions, vdot)
    frame = _frame(system, motions, *system.locate(where))
    node, i = frame.node, frame.body
    A = node.shift.T @ alphas[i] + node.shapes @ vdot[system.layout.modal_v(i)] + node.coriolis
    gravity = np.concatenate([np.zeros(3), frame.motion.world_rotation.T @ system.gravity])
    return frame.to_axes(A + gravity, axes)


def jacobian(system: System, state: State, where: Any, *, axes: str = "world") -> Array:
    """Jacobian of a frame: speeds to its spatial velocity.  O(N).

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State
        Configuration.
    where : str
        "body" or "body.node".
    axes : {"world", "body"}
        Axes of the components.

    Returns
    -------
    array (6, n_v)
        Matrix J with velocity = J @ v.
    """
    check_state(system, state)
    check_axes(axes)
    return node_jacobian(system, state, *system.locate(where), axes)


def node_jacobian(system: System, state: State, i: int, t: int, axes: str = "world") -> Array:
    """Jacobian (6, n_v) of node t of body i.  O(N)."""
    if all_floats(state):
        J = engine.jacobian(system, i, t, state.raw_q)
        return J if axes == "world" else rotate(node_pose(system, state, i, t).rotation.T, J)
    motions = motions_of(system, state)
    frame = _frame(system, motions, i, t)
    layout, node = system.layout, frame.node
    pieces: dict[int, Array] = {}
    to_node = np.eye(6)  # velocity of the node, in the axes of body i -> velocity of the frame
    while True:
        to_body = to_node @ node.shift.T
        pieces[i] = np.concatenate([to_node @ node.shapes, to_body @ motions[i].motion_map], axis=1)
        if (p := int(system.parent[i])) == GROUND:
            break
        to_node = to_body @ motions[i].transform
        node, i = carrying_node(system, motions, i), p
    columns = [
        pieces.get(k, np.zeros((6, layout.hinge_v(k).stop - layout.modal_v(k).start)))
        for k in range(system.n_body)
    ]
    return frame.to_axes(np.concatenate(columns, axis=1), axes)


def qdot(system: System, state: State) -> Array:
    """Rates of the coordinates, N(q) v.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State
        Configuration and speeds.

    Returns
    -------
    array (n_q,)
    """
    check_state(system, state)
    layout, pieces = system.layout, []
    for name, joint in zip(system.names, system.joints, strict=True):
        N = joint.rate_map(state.q[layout.hinge_q(name)])
        if is_numeric(N) and not np.all(np.abs(N) < _SINGULAR):
            raise SingularError(
                f"body {name!r}: the coordinates of its joint ({joint.label}) are singular here, "
                "as for Euler angles in gimbal lock; use Spherical or Free, or another order of "
                "the motions",
                body=name,
            )
        pieces += [state.v[layout.modal_v(name)], N @ state.v[layout.hinge_v(name)]]
    return np.concatenate(pieces) if pieces else np.zeros(0)


def center_of_mass(system: System, state: State) -> Array:
    """Centre of mass of the whole system in the world [m].

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State
        Configuration.

    Returns
    -------
    array (3,)
    """
    check_state(system, state)
    total = sum(body.mass for body in system.bodies)
    if total == 0:
        raise StateError("the system has no mass, so that its centre of mass is undefined")
    if all_floats(state):
        zero = np.zeros(system.n_v)
        return engine.totals(system, state.raw_q, zero, np.zeros(3))[4:7] / total
    motions = motions_of(system, state)
    moment = np.zeros(3)
    for body, motion in zip(system.bodies, motions, strict=True):
        p = first_moment(body, motion.eta)
        moment = moment + body.mass * motion.world_position + motion.world_rotation @ p
    return moment / total
