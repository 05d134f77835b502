"""Poses, velocities, accelerations and Jacobians of bodies, nodes and frames; centre of mass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...bodies import NormalBody
from ...errors import SingularError, StateError
from ...kernels.quantities import ACCELERATION, CENTER, JACOBIAN, POSE, VELOCITY, Quantity
from ...printing import Shown
from ...spatial import rotate
from ...spatial.scalar import is_numeric
from ...system import GROUND, Frame, State, StateLike, System
from . import engine
from .arguments import all_floats, as_state, check_axes, motions_of, speeds_vector
from .articulated import forward_dynamics
from .body_terms import NodeMotion, first_moment, node_motion
from .quick import POSES, QuickFunction
from .reference import BodyMotion, accelerations_base_to_tip, carrying_node

Array = np.ndarray

_POSE, _VELOCITY, _ACCELERATION, _JACOBIAN, _CENTER, _CENTER_MOVING = map(
    QuickFunction, ("pose", "velocity", "acceleration", "jacobian", "center", "center_moving")
)

# Larger entries of a rate map indicate singular coordinates.
_SINGULAR = 1e12


@dataclass(frozen=True, eq=False, slots=True)
class Pose(Shown):
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


POSES.append(Pose)


@dataclass(frozen=True, eq=False)
class _Frame:
    """A frame, and the motions of its node and of its body."""

    place: Frame
    motion: BodyMotion
    node: NodeMotion

    def to_axes(self, spatial: Array, axes: str) -> Array:
        """Components in world axes or in the frame's own, from body axes."""
        if axes == "world":
            return rotate(self.motion.world_rotation, spatial)
        attitude, _ = self.place.pose(self.node.rotation, self.node.position)
        return rotate(attitude.T, spatial)


def _frame(system: System, motions: Sequence[BodyMotion], place: Frame) -> _Frame:
    i = place.body
    motion = motions[i]
    node = node_motion(system.bodies[i], place.node, motion.eta, motion.eta_dot, motion.velocity)
    return _Frame(place, motion, node)


def pose(system: System, state: StateLike, where: Any, *, at: Any = None) -> Pose:
    """Pose of a body, node or named frame.  O(N).

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration.
    where : str
        "body", "body.node" or the name of a frame.
    at : array (3,), optional
        Point of which the position is asked for, in the axes of that frame [m].

    Returns
    -------
    Pose
        ``.position`` in the world, ``.rotation`` to world axes.
    """
    if at is None:
        quick = _POSE.call(system, state, None, None, where)
        if quick is not None:
            return quick
        state = _POSE.prepared(system, state, where)
    return _pose(system, as_state(system, state), system.place(where, at))


def _pose(system: System, state: State, place: Frame) -> Pose:
    """Pose of a frame.  O(N)."""
    if place.grounded:
        return Pose(position=place.position.copy(), rotation=place.rotation.copy())
    if all_floats(state, place.position):
        path = engine.path_constants(system, place)
        out = engine.value(system, POSE, state.raw_q, place=path, name=place.name)
        return Pose(position=out[9:], rotation=out[:9].reshape(3, 3))
    frame = _frame(system, motions_of(system, state), place)
    R = frame.motion.world_rotation
    R, x = place.pose(
        R @ frame.node.rotation, frame.motion.world_position + R @ frame.node.position
    )
    return Pose(position=x, rotation=R)


def node_pose(system: System, state: State, i: int, t: int) -> Pose:
    """Pose of node t of body i.  O(N)."""
    return _pose(system, state, Frame(system.names[i], i, t, plain=True))


def velocity(
    system: System, state: StateLike, where: Any, *, at: Any = None, axes: str = "world"
) -> Array:
    """Spatial velocity [omega; v] of a body, node or named frame.  O(N).

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration and speeds.
    where : str
        "body", "body.node" or the name of a frame.
    at : array (3,), optional
        Point of which the velocity is asked for, in the axes of that frame [m].
    axes : {"world", "body"}
        Axes of the components: world axes, or those of the frame.

    Returns
    -------
    array (6,)
        Angular velocity [rad/s] and velocity of the frame's origin [m/s].
    """
    if at is None and type(axes) is str and axes == "world":
        motion = _VELOCITY.call(system, state, None, None, where)
        if motion is not None:
            return motion[12:]
    state = _VELOCITY.prepared(system, state, where) if at is None else as_state(system, state)
    check_axes(axes)
    place = system.place(where, at)
    if place.grounded:
        return np.zeros(6)
    if all_floats(state):
        V, R = _node_velocity(system, state, place)
        return _in_axes(place, place.velocity(V, R), R, axes)
    frame = _frame(system, motions_of(system, state), place)
    return frame.to_axes(place.velocity(frame.node.velocity, frame.node.rotation), axes)


def _node_velocity(system: System, state: State, place: Frame) -> tuple[Array, Array]:
    """Velocity of the node that carries a frame, in world axes, and its attitude; floats."""
    return _node_motion(system, VELOCITY, state, state.raw_v, place)


def _node_motion(
    system: System, quantity: Quantity, state: State, x: Array, place: Frame
) -> tuple[Array, Array]:
    """Velocity or acceleration (6,) of the node that carries a frame, and its attitude; floats."""
    node = engine.node_constants(system, place.body, place.node)
    out = engine.value(system, quantity, state.raw_q, state.raw_v, x, node)
    return out[12:], out[:9].reshape(3, 3)


def _in_axes(place: Frame, spatial: Array, R: Array, axes: str) -> Array:
    """Components in world axes, or in those of the frame; R is the attitude of its node."""
    return spatial if axes == "world" else rotate((R @ place.rotation).T, spatial)


def acceleration(
    system: System,
    state: StateLike,
    where: Any,
    acceleration: Any = None,
    *,
    at: Any = None,
    axes: str = "world",
) -> Array:
    """Spatial acceleration of a body, node or named frame, as an inertial derivative.  O(N).

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration and speeds.
    where : str
        "body", "body.node" or the name of a frame.
    acceleration : array (n_v,) or mapping, optional
        Rates of the speeds; by default those of the system left to itself (no applied forces).
    at : array (3,), optional
        Point of which the acceleration is asked for, in the axes of that frame [m].
    axes : {"world", "body"}
        Axes of the components.

    Returns
    -------
    array (6,)
        Angular acceleration [rad/s^2] and true acceleration of the frame's origin [m/s^2]
        (a falling body has the acceleration of gravity).
    """
    if at is None and type(axes) is str and axes == "world" and acceleration is not None:
        motion = _ACCELERATION.call(system, state, acceleration, None, where)
        if motion is not None:
            return motion[12:]
    state = _ACCELERATION.prepared(system, state, where) if at is None else as_state(system, state)
    check_axes(axes)
    place = system.place(where, at)
    if acceleration is None:
        vdot = forward_dynamics(system, state)
    else:
        vdot = speeds_vector(system, acceleration, "acceleration")
    if place.grounded:
        return np.zeros(6)
    i = place.body
    if all_floats(state, vdot):
        A, R = _node_motion(system, ACCELERATION, state, vdot, place)
        if not place.plain:
            A = place.acceleration(A, _node_velocity(system, state, place)[0][:3], R)
        return _in_axes(place, A, R, axes)
    motions = motions_of(system, state)
    alphas, _ = accelerations_base_to_tip(system, motions, vdot)
    frame = _frame(system, motions, place)
    node = frame.node
    A = node.shift.T @ alphas[i] + node.shapes @ vdot[system.layout.modal_v(i)] + node.coriolis
    gravity = np.concatenate([np.zeros(3), frame.motion.world_rotation.T @ system.gravity])
    A = place.acceleration(A + gravity, node.velocity[:3], node.rotation)
    return frame.to_axes(A, axes)


def jacobian(
    system: System, state: StateLike, where: Any, *, at: Any = None, axes: str = "world"
) -> Array:
    """Matrix that takes the speeds to the spatial velocity of a frame.  O(N).

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration.
    where : str
        "body", "body.node" or the name of a frame.
    at : array (3,), optional
        Point whose velocity it gives, in the axes of that frame [m].
    axes : {"world", "body"}
        Axes of the components.

    Returns
    -------
    array (6, n_v)
        Matrix J with velocity = J @ v.
    """
    if at is None and type(axes) is str and axes == "world":
        J = _JACOBIAN.call(system, state, None, None, where)
        if J is not None:
            return J
    state = _JACOBIAN.prepared(system, state, where) if at is None else as_state(system, state)
    check_axes(axes)
    place = system.place(where, at)
    if place.grounded:
        return np.zeros((6, system.n_v))
    if not all_floats(state, place.position):
        return _readable_jacobian(system, state, place, axes)
    J = _jacobian(system, state, place)
    return J if axes == "world" else rotate(_pose(system, state, place).rotation.T, J)


def node_jacobian(system: System, state: State, i: int, t: int) -> Array:
    """Jacobian (6, n_v) of node t of body i, world axes.  O(N)."""
    node = Frame(system.names[i], i, t, plain=True)
    if all_floats(state):
        return _jacobian(system, state, node)
    return _readable_jacobian(system, state, node, "world")


def _jacobian(system: System, state: State, place: Frame) -> Array:
    """Jacobian (6, n_v) of a frame, world axes; floats."""
    return engine.value(system, JACOBIAN, state.raw_q, place=engine.path_constants(system, place))


def _readable_jacobian(system: System, state: State, place: Frame, axes: str) -> Array:
    """Jacobian (6, n_v) of a frame for numbers of any type."""
    motions = motions_of(system, state)
    i, frame = place.body, _frame(system, motions, place)
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
    J = np.concatenate(columns, axis=1)  # of the node, in body axes
    return frame.to_axes(place.velocity(J, frame.node.rotation), axes)


def qdot(system: System, state: StateLike) -> Array:
    """Rates of the coordinates, N(q) v.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration and speeds.

    Returns
    -------
    array (n_q,)
    """
    state = as_state(system, state)
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


def center_of_mass(system: System, state: StateLike, *, moving: bool = False) -> Array:
    """Centre of mass of the whole system in the world [m].

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration.
    moving : bool
        Whether only bodies that can move count.  Otherwise those welded to the ground do, too,
        such as the base of a robot, which other libraries take for ground.

    Returns
    -------
    array (3,)
    """
    function = _CENTER_MOVING if moving else _CENTER
    center = function.call(system, state)
    if center is not None:
        return center
    state = as_state(system, state)
    place = _not_counted(system, moving)
    function.prepared(system, state, place=place)
    if all_floats(state):
        return engine.value(system, CENTER, state.raw_q, place=place)
    moment = np.zeros(3)
    for body, motion in zip(system.bodies, motions_of(system, state), strict=True):
        moment = moment + _first_moment(body, motion)
    return (moment - place[:3]) / place[3]


def _not_counted(system: System, moving: bool) -> Array:
    """First moment of the bodies that do not count 3, and the mass of those that do."""
    left_out = _welded(system) if moving else []
    total = sum(body.mass for body in system.bodies) - sum(mass for mass, _ in left_out)
    if total == 0:
        what = "nothing that moves has mass" if left_out else "the system has no mass"
        raise StateError(f"{what}, so that its centre of mass is undefined")
    return np.array([*sum((p for _, p in left_out), np.zeros(3)), total])


def _first_moment(body: NormalBody, motion: BodyMotion) -> Array:
    """Mass times the centre of mass of a body in the world."""
    p = first_moment(body, motion.eta)
    return body.mass * motion.world_position + motion.world_rotation @ p


def _welded(system: System) -> list[tuple[Any, Array]]:
    """Mass and first moment in the world of each body that is welded to the ground."""
    records = system.derived.get("welded")
    if records is None:
        motions, records, held = motions_of(system, system.neutral()), [], set()
        for i, (body, joint) in enumerate(zip(system.bodies, system.joints, strict=True)):
            p = int(system.parent[i])
            if (p == GROUND or p in held) and not joint.n_v and not body.n_mode:
                held.add(i)
                records.append((body.mass, _first_moment(body, motions[i])))
        system.derived["welded"] = records
    return records
