"""Outputs of a linear model: what channels of a run would show, to first order, by name.

An output y(q, v, a, T, w) depends on configuration, speeds, accelerations, generalized forces and
moments and forces on nodes, all of which depend on states and inputs:
  dy = y_q delta + y_v nu + y_a da + y_T dT + y_w dw                                           (1)
Of frames, y_q of a position, y_v of a velocity and y_a of an acceleration are the Jacobian; the
others are complex steps, exact to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..algorithms.tree.kinematics import acceleration, jacobian, pose, velocity
from ..algorithms.tree.reference import inverse_dynamics, kinematics_base_to_tip
from ..errors import StateError, suggestion
from ..joints import Joint
from ..results.labels import LOAD, XYZ, Parts, forces as force_parts, modes, per
from ..system import Frame, State, System

Array = np.ndarray

STEP = 1e-30  # complex step


@dataclass(frozen=True, eq=False)
class Directions:
    """Deviations of everything that outputs depend on, one column for each state and input.

    Attributes
    ----------
    state : State
        Configuration and speeds.
    vdot : array (n_v,)
        Accelerations.
    delta, nu, acceleration, force : arrays (n_v, m)
        Deviations of configuration, speeds, accelerations and generalized forces.
    wrenches : list of (int, int, array (6,), array (6, m))
        Body, node, moment and force on it in its axes, and their deviations.
    """

    state: State
    vdot: Array
    delta: Array
    nu: Array
    acceleration: Array
    force: Array
    wrenches: list[tuple[int, int, Array, Array]]

    @property
    def system(self) -> System:
        """Compiled mechanism."""
        return self.state.system

    @property
    def still(self) -> bool:
        """Whether nothing moves and nothing accelerates."""
        return not np.any(self.state.v) and not np.any(self.vdot)

    @cached_property
    def nearby(self) -> list[tuple[State, State]]:
        """Complex steps along each motion: of the configuration, and of the speeds."""
        found, (q, v) = [], (self.state.q, self.state.v)
        for k, direction in enumerate(np.eye(self.system.n_v)):
            along = self.rate_map[:, k]
            found.append(
                (
                    State(self.system, q + 1j * STEP * along, v),
                    State(self.system, q, v + 1j * STEP * direction),
                )
            )
        return found

    @cached_property
    def rate_map(self) -> Array:
        """N (n_q, n_v) of the whole system."""
        system = self.system
        N = np.zeros((system.n_q, system.n_v))
        for i, joint in enumerate(system.joints):
            at_q, at_v = system.layout.modal_q(i), system.layout.modal_v(i)
            N[at_q, at_v] = np.eye(at_v.stop - at_v.start)
            piece = system.layout.hinge_q(i)
            N[piece, system.layout.hinge_v(i)] = joint.rate_map(self.state.q[piece])
        return N

    def slopes(self, measure: Callable[[State], Array]) -> tuple[Array, Array]:
        """Derivatives (k, n_v) of a measure by configuration and by speeds."""
        pairs = [[measure(x).imag / STEP for x in both] for both in self.nearby]
        return np.transpose([a for a, _ in pairs]), np.transpose([b for _, b in pairs])


class Rows(NamedTuple):
    """Rows of an output, with their names and units."""

    parts: Parts
    values: Array


def chosen_outputs(names: Sequence[str], directions: Directions) -> Rows:
    """Outputs by name.

    Parameters
    ----------
    names : sequence of str
        Names of channels, with or without a component, such as "tip.position.z".
    directions : Directions
        Deviations of everything that they depend on.
    """
    found = [_resolved(name, directions) for name in names]
    parts = tuple(part for one in found for part in one.parts)
    empty = np.zeros((0, directions.delta.shape[1]))
    return Rows(parts, np.vstack([empty, *(one.values for one in found)]))


def _resolved(name: str, directions: Directions) -> Rows:
    found = _whole(name, directions)
    if found is not None:
        return found
    rest, _, label = name.rpartition(".")
    whole = _whole(rest, directions) if rest else None
    if whole is not None:
        for k, (full, unit) in enumerate(whole.parts):
            if full.rpartition(".")[2] == label:
                return Rows(((name, unit),), whole.values[[k]])
    raise StateError(_unknown(directions.system, name))


def _whole(name: str, directions: Directions) -> Rows | None:
    """Output with all its components, or None."""
    system = directions.system
    *place, key = name.split(".")
    if not place:
        place, key = [key], "coordinates"
        if place[0] not in system.names:
            return None
    if len(place) == 1 and place[0] in system.names:
        found = _of_body(place[0], key, directions)
        if found is not None:
            return _named(name, *found)
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


def _named(name: str, parts: Parts, values: Array) -> Rows:
    several = len(parts) > 1
    return Rows(tuple((f"{name}.{x}" if several else name, unit) for x, unit in parts), values)


# Joints and modes


def _of_body(name: str, key: str, x: Directions) -> tuple[Parts, Array] | None:
    layout, i = x.system.layout, x.system.layout.index(name)
    joint, eta = x.system.joints[i], modes(x.system.bodies[i])
    hinge, modal = layout.hinge_v(i), layout.modal_v(i)
    known = {
        "coordinates": (joint.coordinates, lambda: x.rate_map[layout.hinge_q(i)] @ x.delta),
        "rates": (per("s", joint.speeds), lambda: x.nu[hinge]),
        "hinge_acceleration": (per("s^2", joint.speeds), lambda: x.acceleration[hinge]),
        "force": (force_parts(joint.speeds), lambda: x.force[hinge]),
        "modes": (eta, lambda: x.delta[modal]),
        "mode_rates": (per("s", eta), lambda: x.nu[modal]),
        "mode_acceleration": (per("s^2", eta), lambda: x.acceleration[modal]),
        "modal_force": (force_parts(eta), lambda: x.force[modal]),
        "reaction": (LOAD, lambda: _reaction(i, x)),
    }
    if key in known:
        parts, rows = known[key]
        return parts, rows()
    return _coordinate(joint, key, layout.hinge_q(i), x)


def _coordinate(joint: Joint, key: str, piece: slice, x: Directions) -> tuple[Parts, Array] | None:
    """One coordinate of a joint by its own name, such as "angle"."""
    for k, (label, unit) in enumerate(joint.coordinates):
        if label == key:
            row = x.rate_map[piece.start + k]
            return ((label, unit),), (row @ x.delta)[None]
    return None


def _reaction(i: int, x: Directions) -> Array:
    """Moment and force of a joint, body axes."""
    system, vdot = x.system, x.vdot

    def measure(state: State, a: Array, wrenches: Sequence[Array]) -> Array:
        motions = kinematics_base_to_tip(system, state.q, state.v)
        loads = [(b, n, w) for (b, n, _, _), w in zip(x.wrenches, wrenches, strict=True)]
        return np.array(inverse_dynamics(system, motions, a, loads)[1][i])

    given = [w for *_, w, _ in x.wrenches]
    by_q, by_v = x.slopes(lambda near: measure(near, vdot, given))
    rows = by_q @ x.delta + by_v @ x.nu
    for k in range(rows.shape[1]):
        step = 1j * STEP
        a = vdot + step * x.acceleration[:, k]
        wrenches = [w + step * dw[:, k] for *_, w, dw in x.wrenches]
        rows[:, k] += measure(x.state, a, wrenches).imag / STEP
    return rows


# Frames


def _jacobian(frame: Frame, x: Directions) -> Array:
    return jacobian(x.system, x.state, frame.name)


def _position(part: slice) -> Callable[[Frame, Directions], Array]:
    return lambda frame, x: _jacobian(frame, x)[part] @ x.delta


def _velocity(part: slice) -> Callable[[Frame, Directions], Array]:
    def rows(frame: Frame, x: Directions) -> Array:
        found = _jacobian(frame, x) @ x.nu
        if np.any(x.state.v):
            by_q, _ = x.slopes(lambda near: velocity(x.system, near, frame.name))
            found = found + by_q @ x.delta
        return found[part]

    return rows


def _acceleration(part: slice) -> Callable[[Frame, Directions], Array]:
    def rows(frame: Frame, x: Directions) -> Array:
        found = _jacobian(frame, x) @ x.acceleration
        if not x.still:
            by_q, by_v = x.slopes(lambda near: acceleration(x.system, near, frame.name, x.vdot))
            found = found + by_q @ x.delta + by_v @ x.nu
        return found[part]

    return rows


def _deflection(frame: Frame, x: Directions) -> Array:
    """Elastic displacement in body axes: of the frame relative to its body."""
    body = x.system.names[frame.body]

    def measure(near: State) -> Array:
        root, here = pose(x.system, near, body), pose(x.system, near, frame.name)
        return root.rotation.T @ (here.position - root.position)

    return x.slopes(measure)[0] @ x.delta


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
