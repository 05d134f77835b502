"""Quantities of a trajectory and their computation from blocks of rows.

The kernels are imported where they are called, so that files can be opened without them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..bodies.rod_poses import section_poses
from ..bodies.sections import Sections, needs_balance
from ..joints import Joint
from ..spatial.many_rotations import exponential, quaternions, roll_pitch_yaw, rotated
from ..system import System
from .drive_quantities import DRIVE
from .labels import LOAD, QUATERNION, ROLL_PITCH_YAW, XYZ, Parts, forces, per, times
from .quantity import ChannelFrame, ChannelQuantity
from .row_blocks import RowBlock, collected, rows_within
from .section_quantities import SECTION, Asked, OfSection
from .store import Columns, Store
from .stress_quantities import at_points, has_strain, has_stress, strain_at_points, worst_stress


def _of_section(quantity: OfSection) -> ChannelQuantity:
    """Quantity of the section at a node of a beam or rod."""

    def parts(frame: ChannelFrame) -> Parts | None:
        if frame.section is None:
            return None
        return quantity.parts(frame.system.bodies[frame.body]) or None

    def compute(frame: ChannelFrame, block: RowBlock) -> Array:
        body = frame.system.bodies[frame.body]
        sections = Sections(body, frame.system.names[frame.body])
        rows = rows_within(frame.system, block, balance=sections.by_balance)
        asked = Asked(frame.system, frame.body, sections)
        values = quantity.compute(asked, np.array([frame.section]), rows)[:, 0]
        return values[:, 0] if quantity.parts(body)[0][0] == "" else values

    return ChannelQuantity(quantity.description, parts, compute)


def _stress_parts(frame: ChannelFrame) -> Parts | None:
    is_known = has_stress(frame.system.bodies[frame.body])
    return (("", "Pa"),) if is_known else None


def _largest_stress(frame: ChannelFrame, block: RowBlock) -> Array:
    body = frame.system.bodies[frame.body]
    rows = rows_within(frame.system, block, balance=needs_balance(body))
    return worst_stress(frame.system, frame.body, rows).max(axis=1)


def _stress_points(frame: ChannelFrame) -> Array:
    """Numbers of the stress points on the node."""
    recovery = None if frame.place.grounded else frame.system.bodies[frame.body].recovery
    if recovery is None or recovery.points is None:
        return np.zeros(0, dtype=int)
    return np.flatnonzero(np.asarray(recovery.points.nodes) == frame.node)


def _stress_at_node() -> ChannelQuantity:
    """Stress of the section at a node, or at the stress points on it."""
    of_section = _of_section(SECTION["stress"])

    def parts(frame: ChannelFrame) -> Parts | None:
        return (("", "Pa"),) if len(_stress_points(frame)) else of_section.parts(frame)

    def compute(frame: ChannelFrame, block: RowBlock) -> Array:
        points = _stress_points(frame)
        if not len(points):
            return of_section.compute(frame, block)
        eta = block["q"][:, frame.system.layout.modal_q(frame.body)]
        return at_points(frame.system.bodies[frame.body], points, eta).max(axis=1)

    return ChannelQuantity("largest von Mises stress there", parts, compute, ())


def _strain(of_body: bool) -> ChannelQuantity:
    """Strain of the section of a rod; else the largest of a body, or at the points on a node."""
    of_rod = _of_section(SECTION["strain"])

    def solid(frame: ChannelFrame) -> bool:
        return not frame.place.grounded and has_strain(frame.system.bodies[frame.body])

    def parts(frame: ChannelFrame) -> Parts | None:
        has_points = solid(frame) and (of_body or len(_stress_points(frame)))
        return (("", "1"),) if has_points else of_rod.parts(frame)

    def compute(frame: ChannelFrame, block: RowBlock) -> Array:
        if not solid(frame):
            return of_rod.compute(frame, block)
        points = slice(None) if of_body else _stress_points(frame)
        eta = block["q"][:, frame.system.layout.modal_q(frame.body)]
        return strain_at_points(frame.system.bodies[frame.body], points, eta).max(axis=1)

    def words(frame: ChannelFrame) -> str:
        where = "of the body" if of_body else "there"
        largest = f"largest principal strain {where}, by magnitude"
        return largest if solid(frame) else of_rod.described(frame)

    return ChannelQuantity(words, parts, compute)


def _reaction(axes: str) -> Callable[[ChannelFrame, RowBlock], Array]:
    """Moment and force of the joint of a body, in axes of the body, its parent or the world."""

    def compute(frame: ChannelFrame, block: RowBlock) -> Array:
        from ..algorithms.tree.interface_loads import in_axes

        rows = rows_within(frame.system, block)
        return in_axes(frame.system, frame.body, rows.reactions[:, frame.body], rows.q, axes)

    return compute


def _attached(frame: ChannelFrame) -> Parts | None:
    """Labels and units of what acts on a node, if something can."""
    if frame.place.grounded or not frame.place.plain:
        return None
    system, here = frame.system, (frame.body, frame.node)
    children = ((frame.body, int(system.parent_node[c])) for c in system.children[frame.body])
    ends = ((end.body, end.node) for loop in system.loops for end in loop.ends)
    loaded = frame.node == system.bodies[frame.body].inboard or bool(frame.wrenches)
    return LOAD if loaded or here in children or here in ends else None


def _interface(axes: str) -> ChannelQuantity:
    """Moment about a node, and force, of all that acts on the body there."""

    def compute(frame: ChannelFrame, block: RowBlock) -> Array:
        from ..algorithms.tree.interface_loads import in_axes, interface_wrenches

        rows = rows_within(frame.system, block)
        wrenches = interface_wrenches(frame.system, frame.body, frame.node, rows)
        return in_axes(frame.system, frame.body, wrenches, rows.q, axes)

    whose = "parent's" if axes == "parent" else axes
    return ChannelQuantity(f"moment and force of attachments, {whose} axes", _attached, compute)


NODE_LOADS = {
    **{name: _of_section(quantity) for name, quantity in SECTION.items()},
    "stress": _stress_at_node(),
    "strain": _strain(of_body=False),
    "interface_load": _interface("body"),
    "interface_load_parent": _interface("parent"),
    "interface_load_world": _interface("world"),
}
BODY_LOADS = {
    "reaction": ChannelQuantity(
        "moment and force of its joint, body axes", lambda _: LOAD, _reaction("body")
    ),
    "reaction_parent": ChannelQuantity(
        "moment and force of its joint, parent's axes", lambda _: LOAD, _reaction("parent")
    ),
    "reaction_world": ChannelQuantity(
        "moment and force of its joint, world axes", lambda _: LOAD, _reaction("world")
    ),
    "stress": ChannelQuantity(
        "largest von Mises stress of the body", _stress_parts, _largest_stress, ()
    ),
    "strain": _strain(of_body=True),
}


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
