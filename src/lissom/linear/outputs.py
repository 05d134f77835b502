"""Outputs of a linear model: what channels of a run would show, to first order, by name.

An output y(q, v, a, T, w) depends on configuration, speeds, accelerations, generalized forces and
moments and forces on nodes, all of which depend on states and inputs:
  dy = y_q delta + y_v nu + y_a da + y_T dT + y_w dw                                           (1)
Of frames, y_q of a position, y_v of a velocity and y_a of an acceleration are the Jacobian, and the
other derivatives are compiled; with joints of users' own they are complex steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..algorithms.tree.derivatives import compiled
from ..algorithms.tree.frame_derivatives import FrameDerivatives, frame_derivatives
from ..algorithms.tree.kinematics import acceleration, jacobian, pose, velocity
from ..errors import StateError, suggestion
from ..joints import Joint
from ..results.labels import LOAD, XYZ, Parts, forces as force_parts, modes, per
from ..system import Frame, System
from .directions import Directions
from .reactions import reaction_rows

Array = np.ndarray


class OutputRows(NamedTuple):
    """Rows of an output, with their names and units."""

    parts: Parts
    values: Array


def chosen_outputs(names: Sequence[str], directions: Directions) -> OutputRows:
    """Outputs by name."""
    outputs = [_resolved(name, directions) for name in names]
    parts = tuple(part for one in outputs for part in one.parts)
    empty = np.zeros((0, directions.delta.shape[1]))
    return OutputRows(parts, np.vstack([empty, *(one.values for one in outputs)]))


def _resolved(name: str, directions: Directions) -> OutputRows:
    exact = _whole(name, directions)
    if exact is not None:
        return exact
    rest, _, label = name.rpartition(".")
    whole = _whole(rest, directions) if rest else None
    if whole is not None:
        for k, (full, unit) in enumerate(whole.parts):
            if full.rpartition(".")[2] == label:
                return OutputRows(((name, unit),), whole.values[[k]])
    raise StateError(_unknown(directions.system, name))


def _whole(name: str, directions: Directions) -> OutputRows | None:
    """Output with all its components, or None."""
    system = directions.system
    *place, key = name.split(".")
    if not place:
        place, key = [key], "coordinates"
        if place[0] not in system.names:
            return None
    if len(place) == 1 and place[0] in system.names:
        body_rows = _of_body(place[0], key, directions)
        if body_rows is not None:
            return _named(name, *body_rows)
    if key in FRAME:
        try:
            frame = system.place(".".join(place))
        except StateError:
            return None
        unit, measure = FRAME[key]
        values = np.zeros((3, directions.delta.shape[1]))
        if not frame.grounded:
            values = measure(frame, directions)
        return _named(name, tuple((x, unit) for x in XYZ), values)
    return None


def _named(name: str, parts: Parts, values: Array) -> OutputRows:
    several = len(parts) > 1
    return OutputRows(
        tuple((f"{name}.{x}" if several else name, unit) for x, unit in parts), values
    )


# Joints and modes


def _of_body(name: str, key: str, x: Directions) -> tuple[Parts, Array] | None:
    layout, i = x.system.layout, x.system.layout.index(name)
    joint, eta = x.system.joints[i], modes(x.system.bodies[i])
    hinge, modal = layout.hinge_v(i), layout.modal_v(i)
    by_key = {
        "coordinates": (joint.coordinates, lambda: x.rate_map[layout.hinge_q(i)] @ x.delta),
        "rates": (per("s", joint.speeds), lambda: x.nu[hinge]),
        "hinge_acceleration": (per("s^2", joint.speeds), lambda: x.acceleration[hinge]),
        "force": (force_parts(joint.speeds), lambda: x.force[hinge]),
        "modes": (eta, lambda: x.delta[modal]),
        "mode_rates": (per("s", eta), lambda: x.nu[modal]),
        "mode_acceleration": (per("s^2", eta), lambda: x.acceleration[modal]),
        "modal_force": (force_parts(eta), lambda: x.force[modal]),
        "reaction": (LOAD, lambda: reaction_rows(name, x)),
    }
    if key in by_key:
        parts, rows = by_key[key]
        return parts, rows()
    coordinate = _coordinate(joint, key, layout.hinge_q(i), x)
    return coordinate if coordinate is not None else _beyond_gear(name, key, x)


def _coordinate(joint: Joint, key: str, piece: slice, x: Directions) -> tuple[Parts, Array] | None:
    """One coordinate of a joint by its own name, such as "angle"."""
    for k, (label, unit) in enumerate(joint.coordinates):
        if label == key:
            row = x.rate_map[piece.start + k]
            return ((label, unit),), (row @ x.delta)[None]
    return None


def _beyond_gear(name: str, key: str, x: Directions) -> tuple[Parts, Array] | None:
    """Coordinate or speed of a joint with an elastic gear: that of the rotor and the twist."""
    rotor = {joint: rotor for rotor, joint in x.system.drives}.get(name)
    if rotor is None:
        return None
    label, unit = x.system.joints[x.system.layout.index(name)].coordinates[0]
    motor, twist = (x.system.layout.hinge_v(body) for body in (rotor, name))
    if key == f"joint_{label}":
        return ((key, unit),), x.delta[motor] + x.delta[twist]
    if key == "joint_rate":
        return ((key, f"{unit}/s"),), x.nu[motor] + x.nu[twist]
    return None


# Frames


def _jacobian(frame: Frame, x: Directions) -> Array:
    return jacobian(x.system, x.state, frame.name)


def _motion_slopes(frame: Frame, x: Directions) -> FrameDerivatives:
    """Derivatives of velocity and acceleration of a frame."""
    system, where = x.system, frame.name

    def computed() -> FrameDerivatives:
        if compiled(system):
            return frame_derivatives(system, x.state, where, x.vdot)
        velocity_q, jacobian_v = x.slopes(lambda near: velocity(system, near, where))
        by_q, by_v = x.slopes(lambda near: acceleration(system, near, where, x.vdot))
        return FrameDerivatives(jacobian_v, velocity_q, by_q, by_v)

    slopes: FrameDerivatives = x.once(f"motion of {where}", computed)
    return slopes


def _position(part: slice) -> Callable[[Frame, Directions], Array]:
    return lambda frame, x: _jacobian(frame, x)[part] @ x.delta


def _velocity(part: slice) -> Callable[[Frame, Directions], Array]:
    def rows(frame: Frame, x: Directions) -> Array:
        values = _jacobian(frame, x) @ x.nu
        if np.any(x.state.v):
            values = values + _motion_slopes(frame, x).velocity_q @ x.delta
        return values[part]

    return rows


def _acceleration(part: slice) -> Callable[[Frame, Directions], Array]:
    def rows(frame: Frame, x: Directions) -> Array:
        values = _jacobian(frame, x) @ x.acceleration
        if not x.still:
            slopes = _motion_slopes(frame, x)
            values = values + slopes.acceleration_q @ x.delta + slopes.acceleration_v @ x.nu
        return values[part]

    return rows


def _deflection(frame: Frame, x: Directions) -> Array:
    """Elastic displacement in body axes, of the frame relative to its body: by its modes alone."""
    modal = x.system.layout.modal_v(frame.body)
    turn = pose(x.system, x.state, x.system.names[frame.body]).rotation
    return turn.T @ _jacobian(frame, x)[LINEAR, modal] @ x.delta[modal]


ANGULAR, LINEAR = slice(0, 3), slice(3, 6)
# Quantity of a frame -> unit, and its rows
FRAME: dict[str, tuple[str, Callable[[Frame, Directions], Array]]] = {
    "position": ("m", _position(LINEAR)),
    "attitude": ("rad", _position(ANGULAR)),
    "velocity": ("m/s", _velocity(LINEAR)),
    "angular_velocity": ("rad/s", _velocity(ANGULAR)),
    "acceleration": ("m/s^2", _acceleration(LINEAR)),
    "angular_acceleration": ("rad/s^2", _acceleration(ANGULAR)),
    "deflection": ("m", _deflection),
}
BODY = (
    *("coordinates", "rates", "hinge_acceleration", "force", "modes", "mode_rates"),
    *("mode_acceleration", "modal_force", "reaction"),
)


def _unknown(system: System, name: str) -> str:
    key = name.rpartition(".")[2]
    first = name.partition(".")[0]
    frames = [frame.name for frame in system.frames]
    if first not in (*system.names, *frames):
        words = suggestion(first, [*system.names, *frames])
        return f"there is no output {name!r}: no body or frame {first!r}; {words}"
    return f"there is no output {name!r}; {suggestion(key, [*FRAME, *BODY])}"
