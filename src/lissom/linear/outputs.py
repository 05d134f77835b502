"""Outputs of a linear model: what channels of a run would show, to first order, by name.

An output y(q, v, a, T, w) depends on configuration, speeds, accelerations, generalized forces and
moments and forces on nodes, all of which depend on states and inputs:
  dy = y_q delta + y_v nu + y_a da + y_T dT + y_w dw                                           (1)
Of frames, y_q of a position, y_v of a velocity and y_a of an acceleration are the Jacobian, and the
other derivatives are compiled; with joints of users' own they are complex steps.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.loops.frames import loop_external, placed_loops
from ..algorithms.tree import engine
from ..algorithms.tree.coordinates import error_sizes, moved
from ..algorithms.tree.derivatives import compiled
from ..algorithms.tree.frame_derivatives import FrameDerivatives, frame_derivatives
from ..algorithms.tree.kinematics import acceleration, jacobian, pose, velocity
from ..algorithms.tree.reference import External, inverse_dynamics, kinematics_base_to_tip
from ..bodies import RigidBody
from ..errors import StateError, suggestion
from ..joints import Free, Joint
from ..results.labels import LOAD, XYZ, Parts, forces as force_parts, modes, per
from ..system import GROUND, Frame, State, System
from .directions import STEP, Directions

# Moments and forces through joints, to first order.
#
# On a tree each joint whose reaction is asked for is cut: a body without mass takes its place, and
# a free joint at its neutral position joins that to the body.  The forces of inverse dynamics at
# the free joints are the reactions R(q, v, a, w), w the wrenches on nodes, and their derivatives
# are those of inverse dynamics, in closed form.  With the deviations of a state or an input
#   dR = R_q delta + R_v nu + R_a da + R_w dw                                                   (1)
# In stiff bodies da is large, and its terms cancel along the free motions H of the joint, where the
# reaction is the applied force T less that of the armature A_r; so these parts are put right by
#   H^T dR + dH^T R = dT - A_r da                                                               (2)
# With joints of users' own on a tree they are complex steps of the readable text.
#
# With loops the forces of the loops change, too.  Then they are central differences of two
# spacings, extrapolated, of all reactions at
#   g(h):  q moved by h delta,  v + h nu,  a + h da,  w + h dw                                  (3)
# from forward dynamics under T + h dT - A_r (a + h da).  Deviations keep loops closed to first
# order in h; what is open is of second order, and central differences do not see it.

SPACING = 1e-3  # of (3), relative to the sizes of coordinates and speeds


def reaction_rows(name: str, x: Directions) -> Array:
    """Rows (6, m) of the moment and force of a joint on its body, body axes."""
    i = x.system.layout.index(name)
    if not compiled(x.system):
        return _by_complex_steps(i, x)
    compute = _by_differences if x.system.constraints else _by_cuts
    rows: Array = x.once("reactions", lambda: compute(x))[i]
    return rows


class Cut(NamedTuple):
    """System whose joints have free ones behind them, and where the parts of the other one are."""

    system: System  # the tree with cuts
    bodies: list[int]  # number of each body in it
    # at_q, at_v: (n_q,), (n_v,) where coordinates and speeds are in its own
    at_q: Array
    at_v: Array


def cut(system: System, joints: Collection[int]) -> Cut:
    """Tree in which forces at free joints are the reactions of `joints`."""
    rows: list[tuple[Any, ...]] = []
    hinges, bodies = list[int](), list[int]()  # the bodies that have the joint, and that it carries
    for i, (name, joint, body) in enumerate(
        zip(system.names, system.joints, system.bodies, strict=True)
    ):
        up, node = int(system.parent[i]), int(system.parent_node[i])
        up = GROUND if up == GROUND else bodies[up]
        place = (system.frame_rotation[i], system.frame_position[i])
        hinges.append(len(rows))
        if i in joints:
            rows.append((f"{name} | cut", up, node, *place, joint, _POINT))
            up, node, place, joint = hinges[i], 0, (np.eye(3), np.zeros(3)), Free()
        bodies.append(len(rows))
        rows.append((name, up, node, *place, joint, body))
    names, parent, nodes, turns, positions, hinges_of, parts = zip(*rows, strict=True)
    new = System(
        system.name,
        system.gravity,
        names,
        np.array(parent),
        np.array(nodes),
        np.array(turns),
        np.array(positions),
        hinges_of,
        parts,
    )
    layout = new.layout
    pairs = list(zip(bodies, hinges, strict=True))
    at_q = [np.r_[layout.modal_q(body), layout.hinge_q(hinge)] for body, hinge in pairs]
    at_v = [np.r_[layout.modal_v(body), layout.hinge_v(hinge)] for body, hinge in pairs]
    return Cut(new, bodies, np.concatenate(at_q), np.concatenate(at_v))


_POINT = RigidBody(0.0).normalised()


def _by_cuts(x: Directions) -> dict[int, Array]:
    """Rows (6, m) of the joints that are asked for, by (1) and (2)."""
    system, state = x.system, x.state
    joints = {system.layout.index(name) for name in x.reactions}
    tree = _cached_cut(system, frozenset(joints))
    q = np.array(tree.system.neutral().raw_q)
    v, a = np.zeros((2, tree.system.n_v))
    q[tree.at_q], v[tree.at_v], a[tree.at_v] = state.raw_q, state.raw_v, x.vdot
    loads = [(tree.bodies[b], n, w) for b, n, w, _ in x.wrenches]
    _, slopes = engine.inverse_derivatives(tree.system, q, v, a, loads)
    by_wrenches = _by_wrenches(x)
    rows = {}
    for i in joints:
        R_q, R_v, R_a = slopes[:, tree.system.layout.hinge_v(tree.bodies[i])][:, :, tree.at_v]
        row = R_q @ x.delta + R_v @ x.nu + R_a @ x.acceleration + by_wrenches[i]
        hinge = system.layout.hinge_v(i)
        H = system.joints[i].motion_map(state.raw_q[system.layout.hinge_q(i)])
        turning = slopes[0][np.ix_(tree.at_v[hinge], tree.at_v[hinge])] - H.T @ R_q[:, hinge]
        applied = x.force[hinge] - x.armature[hinge, None] * x.acceleration[hinge]
        missing = applied - (H.T @ row + turning @ x.delta[hinge])  # (2)
        rows[i] = row + np.linalg.pinv(H.T) @ missing
    return rows


def _cached_cut(system: System, joints: frozenset[int]) -> Cut:
    """Cut of the last joints that were asked for, or another one."""
    last = system.derived.get("cut")
    if last is None or last[0] != joints:
        last = system.derived["cut"] = joints, cut(system, joints)
    tree: Cut = last[1]
    return tree


def _by_wrenches(x: Directions) -> Array:
    """R_w dw of all joints, (n_body, 6, m)."""
    system, m = x.system, x.delta.shape[1]
    rows = np.zeros((system.n_body, 6, m))
    if x.wrenches:
        dw = np.concatenate([dw for *_, dw in x.wrenches])
        columns = np.flatnonzero(dw.any(axis=0))
        places = [(b, n) for b, n, *_ in x.wrenches]
        changes = engine.wrenches_through_joints(system, x.state.raw_q, places, dw[:, columns].T)
        rows[:, :, columns] = changes.transpose(1, 2, 0)
    return rows


def _by_complex_steps(i: int, x: Directions) -> Array:
    system, vdot = x.system, x.vdot

    def measure(state: State, a: Array, wrenches: Sequence[Array]) -> Array:
        motions = kinematics_base_to_tip(system, state.q, state.v)
        loads = [(b, n, w) for (b, n, _, _), w in zip(x.wrenches, wrenches, strict=True)]
        return np.array(inverse_dynamics(system, motions, a, loads)[1][i])

    node_wrenches = [w for *_, w, _ in x.wrenches]
    by_q, by_v = x.slopes(lambda near: measure(near, vdot, node_wrenches))
    rows = by_q @ x.delta + by_v @ x.nu
    for k in range(rows.shape[1]):
        step = 1j * STEP
        a = vdot + step * x.acceleration[:, k]
        wrenches = [w + step * dw[:, k] for *_, w, dw in x.wrenches]
        rows[:, k] += measure(x.state, a, wrenches).imag / STEP
    return rows


def _by_differences(x: Directions) -> Array:
    """Rows (n_body, 6, m) of all joints of a system with loops, by (3)."""
    sizes, pace = error_sizes(x.system)
    rows = np.zeros((x.system.n_body, 6, x.delta.shape[1]))
    for k in range(rows.shape[2]):
        farthest = np.abs(x.delta[:, k] / sizes).max(initial=0.0)
        farthest = max(farthest, np.abs(x.nu[:, k] / pace).max(initial=0.0))
        rows[:, :, k] = _slope(partial(_at, x, k), SPACING / farthest if farthest else 1.0)
    return rows


def _slope(along: Callable[[float], Array], h: float) -> Array:
    """Derivative from central differences of spacings h and h / 2."""
    far, near = ((along(s) - along(-s)) / (2 * s) for s in (h, h / 2))
    return (4 * near - far) / 3


def _at(x: Directions, k: int, h: float) -> Array:
    """All reactions (3) a step h along column k."""
    system = x.system
    q = moved(system, x.state.raw_q, h * x.delta[:, k])
    v, a = x.state.raw_v + h * x.nu[:, k], x.vdot + h * x.acceleration[:, k]
    loads = [(b, n, w + h * dw[:, k]) for b, n, w, dw in x.wrenches]
    T = x.applied + h * x.force[:, k] - x.armature * a
    return joint_wrenches(State(system, q, v), T, loads)


def joint_wrenches(state: State, T: Array, loads: External) -> Array:
    """Moments and forces (n_body, 6) through all joints under given forces.

    `T` (n_v,): generalized forces.
    """
    system, q, v = state.system, state.raw_q, state.raw_v
    a, loads = engine.forward_dynamics(system, q, v, T, loads), list(loads)
    if system.loops:
        wrenches = engine.loop_forces(system, q, v, T, loads)
        for loop, wrench in zip(placed_loops(system, q), wrenches, strict=True):
            loads += loop_external(loop, wrench)
    return engine.joint_forces(system, q, v, a, loads)


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
