"""Quantities of a trajectory and their computation from blocks of rows.

The kernels are imported where they are called, so that files can be opened without them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..bodies.rod_poses import section_poses
from ..joints import Joint
from ..spatial.many_rotations import exponential, quaternions, roll_pitch_yaw, rotated
from ..system import System
from .drive_quantities import DRIVE
from .labels import LOAD, QUATERNION, ROLL_PITCH_YAW, XYZ, Parts, forces, per, times
from .load_quantities import BODY_LOADS, NODE_LOADS
from .quantity import ChannelFrame, ChannelQuantity
from .row_blocks import RowBlock, collected
from .store import Columns, Store

Array = np.ndarray


def _same(unit: str) -> Callable[[ChannelFrame], Parts]:
    return lambda _: tuple((x, unit) for x in XYZ)


def _one(label: str) -> Callable[[ChannelFrame], Parts | None]:
    """Single coordinate of a hinge with a given label, if there is one."""
    return lambda frame: tuple(p for p in frame.coordinates if p[0] == label) or None


def _twist_or(words: str) -> Callable[[ChannelFrame], str]:
    """Description of the coordinate of a joint, which may be the twist of its elastic gear."""
    return lambda frame: "twist of the gear of its joint" if frame.drive else words


def _stored(field: str, piece: str) -> Callable[[ChannelFrame, RowBlock], Array]:
    """Slice of a field for the body."""
    return lambda frame, block: block[field][:, getattr(frame.system.layout, piece)(frame.body)]


def _coordinate(label: str) -> Callable[[ChannelFrame, RowBlock], Array]:
    def compute(frame: ChannelFrame, block: RowBlock) -> Array:
        k = [p[0] for p in frame.coordinates].index(label)
        return block["q"][:, frame.system.layout.hinge_q(frame.body).start + k]

    return compute


def _pose(which: int) -> Callable[[ChannelFrame, RowBlock], Array]:
    """Attitude (0) or position (1)."""

    def compute(frame: ChannelFrame, block: RowBlock) -> Array:
        from ..algorithms.tree import engine

        q, place = block["q"], frame.place
        if place.grounded:
            return np.tile((place.rotation, place.position)[which], (len(q), *(1, 1)[which:]))
        return engine.pose_rows(frame.system, place, q)[which]

    return compute


def _rate(part: slice, order: int) -> Callable[[ChannelFrame, RowBlock], Array]:
    """Angular or linear part of the velocity (order 1) or acceleration (order 2)."""

    def compute(frame: ChannelFrame, block: RowBlock) -> Array:
        place = frame.place
        if place.grounded:
            return np.zeros((len(block["q"]), 3))
        turn, velocity, change = _node_rates(frame, block, order)
        if order == 1:
            return place.velocity(velocity.T, turn).T[:, part]
        return place.acceleration(change.T, velocity[:, :3].T, turn).T[:, part]

    return compute


def _node_rates(frame: ChannelFrame, block: RowBlock, order: int) -> tuple[Array, Array, Array]:
    """Attitudes, velocities and accelerations of a frame's node, as far as they are needed."""
    from ..algorithms.tree import engine
    from ..kernels.fields import ACCELERATED, RATES

    q, v, place = block["q"], block["v"], frame.place

    def motion(x: Array, flags: int) -> tuple[Array, Array, Array]:
        return engine.frame_motion_rows(frame.system, place.body, place.node, q, v, x, flags)

    if order == 1:
        turn, _, velocity = motion(v, ACCELERATED)
        return turn, velocity, velocity
    turn, _, change = motion(block["acceleration"], RATES | ACCELERATED)
    velocity = change if place.plain else motion(v, ACCELERATED)[2]  # a node itself needs none
    return turn, velocity, change


def _quaternion(frame: ChannelFrame, block: RowBlock) -> Array:
    return quaternions(_pose(0)(frame, block))


def _angles(frame: ChannelFrame, block: RowBlock) -> Array:
    """Roll, pitch and yaw of a block; `channels.values` joins blocks without jumps."""
    return roll_pitch_yaw(_quaternion(frame, block))


def _hinge_angles(frame: ChannelFrame, block: RowBlock) -> Array:
    return roll_pitch_yaw(_stored("q", "hinge_q")(frame, block))


def _turning(frame: ChannelFrame) -> Parts | None:
    """Labels and units of attitudes, for joints with a quaternion."""
    return ROLL_PITCH_YAW if frame.system.joints[frame.body].has_quaternion else None


def _deflection(frame: ChannelFrame, block: RowBlock) -> Array:
    if not frame.bends:
        return np.zeros((block.stop - block.start, 3))
    body = frame.system.bodies[frame.body]
    moved = body.displaced(frame.node, _stored("q", "modal_q")(frame, block))
    if frame.place.plain:
        return moved[:, 3:]
    point = np.broadcast_to(_at_rest(frame), (len(moved), 3))
    return moved[:, 3:] + rotated(exponential(moved[:, :3]), point) - point


def _at_rest(frame: ChannelFrame) -> Array:
    """Origin of a frame relative to its node at rest, body axes; sections of rods have others."""
    rod, point = frame.system.bodies[frame.body].rod, frame.place.position
    if rod is None:
        return point
    rest = np.zeros((1, len(rod.strains)))
    turns, _ = section_poses(rod, [rod.node_pieces[frame.node]], rest)
    return rotated(turns[:, 0], point[None])[0]


def _loaded(frame: ChannelFrame) -> Parts | None:
    return LOAD if frame.wrenches else None


def _load(frame: ChannelFrame, block: RowBlock) -> Array:
    wrenches = block["wrench"].reshape(block.stop - block.start, -1, 6)
    return frame.place.wrench_at_frame(wrenches[:, frame.wrenches].sum(axis=1).T).T


def _servo(part: int) -> Callable[[ChannelFrame, RowBlock], Array]:
    """Force (0), error (1) or integral (2) of the servos of a joint, added up."""

    def compute(frame: ChannelFrame, block: RowBlock) -> Array:
        rows, start = block["servo"], 0
        n = frame.system.joints[frame.body].n_v
        total = np.zeros((len(rows), n))
        for name in frame.columns.servos:
            body = frame.system.layout.index(name)
            if body == frame.body:
                total += rows[:, start + part * n : start + (part + 1) * n]
            start += 3 * frame.system.joints[body].n_v
        return total

    return compute


def _driven(parts: Callable[[Parts], Parts]) -> Callable[[ChannelFrame], Parts | None]:
    """Labels and units, for joints with a servo."""

    def driven_parts(frame: ChannelFrame) -> Parts | None:
        here = frame.system.names[frame.body]
        return parts(frame.speeds) if here in frame.columns.servos else None

    return driven_parts


NODE = {
    "position": ChannelQuantity("position of the origin in the world", _same("m"), _pose(1)),
    "rotation": ChannelQuantity(
        "rotation matrix, own axes to world axes",
        lambda _: tuple((a + b, "1") for a in XYZ for b in XYZ),
        _pose(0),
        (3, 3),
    ),
    "quaternion": ChannelQuantity(
        "rotation from own axes to world axes", lambda _: QUATERNION, _quaternion
    ),
    "angles": ChannelQuantity(
        "roll, pitch and yaw in the world",
        lambda _: ROLL_PITCH_YAW,
        _angles,
    ),
    "velocity": ChannelQuantity(
        "velocity of the origin, world axes", _same("m/s"), _rate(slice(3, 6), 1)
    ),
    "angular_velocity": ChannelQuantity(
        "angular velocity, world axes", _same("rad/s"), _rate(slice(3), 1)
    ),
    "acceleration": ChannelQuantity(
        "true acceleration of the origin, world axes", _same("m/s^2"), _rate(slice(3, 6), 2)
    ),
    "angular_acceleration": ChannelQuantity(
        "angular acceleration, world axes", _same("rad/s^2"), _rate(slice(3), 2)
    ),
    "deflection": ChannelQuantity("elastic displacement, body axes", _same("m"), _deflection),
    **NODE_LOADS,
    "load": ChannelQuantity("moment and force of its loads, own axes", _loaded, _load),
}
BODY = {
    "angle": ChannelQuantity(_twist_or("hinge angle"), _one("angle"), _coordinate("angle"), ()),
    "slide": ChannelQuantity(_twist_or("hinge slide"), _one("slide"), _coordinate("slide"), ()),
    "coordinates": ChannelQuantity(
        "hinge coordinates", lambda f: f.coordinates, _stored("q", "hinge_q")
    ),
    "hinge_angles": ChannelQuantity("roll, pitch and yaw of the hinge", _turning, _hinge_angles),
    "rates": ChannelQuantity("hinge speeds", lambda f: per("s", f.speeds), _stored("v", "hinge_v")),
    "hinge_acceleration": ChannelQuantity(
        "rates of the hinge speeds",
        lambda f: per("s^2", f.speeds),
        _stored("acceleration", "hinge_v"),
    ),
    "force": ChannelQuantity(
        "force applied at the hinge", lambda f: forces(f.speeds), _stored("force", "hinge_v")
    ),
    "modes": ChannelQuantity("modal coordinates", lambda f: f.modes, _stored("q", "modal_q")),
    "mode_rates": ChannelQuantity(
        "rates of the modal coordinates", lambda f: per("s", f.modes), _stored("v", "modal_v")
    ),
    "mode_acceleration": ChannelQuantity(
        "second rates of the modal coordinates",
        lambda f: per("s^2", f.modes),
        _stored("acceleration", "modal_v"),
    ),
    "modal_force": ChannelQuantity(
        "force applied to the modes", lambda f: forces(f.modes), _stored("force", "modal_v")
    ),
    "servo_force": ChannelQuantity("force of its servo", _driven(forces), _servo(0)),
    "servo_error": ChannelQuantity(
        "target of its servo less coordinate", _driven(lambda x: x), _servo(1)
    ),
    "servo_integral": ChannelQuantity(
        "integral of the error of its servo", _driven(lambda x: times("s", x)), _servo(2)
    ),
    **DRIVE,
    **BODY_LOADS,
}


def of_hinge(joint: Joint) -> dict[str, ChannelQuantity]:
    """Quantities that have the names of the coordinates of a joint."""
    names = [name for name, _ in joint.named_coordinates]
    return {x: ChannelQuantity(f"hinge {x}", _one(x), _coordinate(x), ()) for x in names}


def of_body(joint: Joint) -> dict[str, ChannelQuantity]:
    """All quantities of a body on a joint."""
    return of_hinge(joint) | NODE | BODY


# Fields of the rows that are channels of the whole system.
STORED = {
    "q": "coordinates",
    "v": "speeds",
    "acceleration": "rates of the speeds",
    "force": "forces applied to the speeds",
}
_ANGULAR: Parts = tuple((x, "N m s") for x in XYZ)
_LINEAR: Parts = tuple((x, "N s") for x in XYZ)
_BOTH = (*((f"angular_{x}", u) for x, u in _ANGULAR), *((f"linear_{x}", u) for x, u in _LINEAR))
_ENERGY: Parts = (("", "J"),)
# Name -> description, parts, and position in the sums of `engine.totals`.
SUMS: dict[str, tuple[str, Parts, Any]] = {
    "energy.kinetic": ("kinetic energy", _ENERGY, 0),
    "energy.potential": ("potential energy of gravity", _ENERGY, 1),
    "energy.strain": ("strain energy", _ENERGY, 2),
    "energy.total": ("of the mechanism, with its springs and rotors", _ENERGY, slice(0, 3)),
    "momentum": ("with rotors, about the world origin, world axes", _BOTH, slice(7, 13)),
    "momentum.angular": (
        "with rotors, about the world origin, world axes",
        _ANGULAR,
        slice(7, 10),
    ),
    "momentum.linear": ("linear momentum, world axes", _LINEAR, slice(10, 13)),
    "center_of_mass": ("centre of mass in the world", tuple((x, "m") for x in XYZ), slice(4, 7)),
}


# Energies of loads, and work: name -> description.
LOADS = {
    "energy.springs": "of the springs among the loads",
    "energy.rotors": "kinetic energy of rotors among the loads",
    "energy.work": "work since the start, of all but springs",
}
CUMULATED = "energy.work"  # summed over all rows: a few of them, or one, do not tell it


def of_loads(columns: Columns) -> dict[str, tuple[str, Parts]]:
    """Channels of the energies of loads that a run has."""
    spinning = columns.rotors or any(wheel[-1] != "geared" for wheel in columns.wheels)
    there = {"energy.springs": columns.springs, "energy.rotors": spinning}
    return {name: (words, _ENERGY) for name, words in LOADS.items() if there.get(name, True)}


def sums(system: System, store: Store, about: Array) -> dict[str, Array]:
    """Energies, momenta about a point (3,) or a point for each row (n, 3), and centre of mass.

    Momenta contain those of rotors on bodies; energies do not, see `stored_energy`.
    """

    def compute(block: RowBlock) -> Array:
        from ..algorithms.tree import engine

        point = about if about.ndim == 1 else about[block.start : block.stop]
        total = engine.totals_rows(system, block["q"], block["v"], point)
        for k, (_, where, axis, *_) in enumerate(store.columns.wheels):
            turn = engine.pose_rows(system, system.place(where), block["q"])[0]
            total[:, 7:10] += block["wheel"][:, k, None] * (turn @ np.array(axis))
        return total

    rows = collected(store, (16,), compute)
    rows[:, 4:7] /= sum(body.mass for body in system.bodies) or np.nan
    totals = {name: rows[:, piece] for name, (_, _, piece) in SUMS.items()}
    totals["energy.total"] = totals["energy.total"].sum(axis=1)
    for array in totals.values():
        array.flags.writeable = False
    return totals
