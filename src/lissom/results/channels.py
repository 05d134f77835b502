"""What can be read from a trajectory by name, and how it is computed from the rows.

A name is "quantity" of the whole system, "body.quantity" or "body.node.quantity"; "body" alone is
its hinge coordinates, as in a state.  The number of parts decides: "arm.position" is that of body
"arm" even if it has a node called "position", whose own is "arm.position.position".  Where a body
has the name of a quantity of the whole system ("q", "time"), the name alone is the quantity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..algorithms import engine
from ..algorithms._kernels.layout import ACCELERATED, RATES
from ..errors import StateError, suggestion
from ..joints import Cylindrical, Free, Planar, Prismatic, Revolute, Screw, Spherical, Universal
from ..system import System
from .interpolation import block_size
from .store import Columns, Store

__all__ = ["Channel", "listed", "resolved", "sums", "values"]

Array = np.ndarray
Parts = tuple[tuple[str, str], ...]  # label and unit of each component

_XYZ = ("x", "y", "z")
_ALL_RATES = RATES | ACCELERATED


@dataclass(frozen=True)
class Channel:
    """A named quantity of a trajectory.

    Attributes
    ----------
    name : str
        What it is read by.
    description : str
        What it is, and in which axes.
    shape : tuple of int
        Of the value in one row.
    labels : tuple of str
        Names of the components, in the order of the flattened value; empty for a number.
    units : tuple of str
        Unit of each component; "" where the user's motion maps decide.
    """

    name: str
    description: str
    shape: tuple[int, ...]
    labels: tuple[str, ...]
    units: tuple[str, ...]

    @property
    def unit(self) -> str:
        """Units of the components, each once."""
        return "; ".join(dict.fromkeys(self.units))


@dataclass(frozen=True)
class Block:
    """Rows start to stop of a store, copied so that kernels can take them."""

    store: Store
    start: int
    stop: int

    def __getitem__(self, field: str) -> Array:
        """One field of the rows."""
        return np.array(self.store.read(field, self.start, self.stop), dtype=float, order="C")


class Frame(NamedTuple):
    """A node of a body; of the body itself the inboard one."""

    system: System
    columns: Columns
    body: int
    node: int

    @property
    def wrenches(self) -> list[int]:
        """Which of the stored loads act on this node."""
        here = (self.body, self.node)
        return [k for k, w in enumerate(self.columns.wrenches) if self.system.locate(w) == here]


class Quantity(NamedTuple):
    """What a channel of a body or node is.

    `parts` gives labels and units, and None where there is no such thing; `compute` the values of
    a block of rows.  Without a shape there is one axis of components.
    """

    description: str
    parts: Callable[[Frame], Parts | None]
    compute: Callable[[Frame, Block], Array]
    shape: tuple[int, ...] | None = None


_TURN: Parts = tuple((f"turn_{x}", "rad") for x in _XYZ)
_MOVE: Parts = tuple((f"move_{x}", "m") for x in _XYZ)
_QUATERNION: Parts = tuple((x, "1") for x in ("w", "x", "y", "z"))
_LOAD: Parts = (*((f"moment_{x}", "N m") for x in _XYZ), *((f"force_{x}", "N") for x in _XYZ))
_FORCE_UNIT = {"rad": "N m", "m": "N", "kg^0.5 m": "kg^0.5 m/s^2", "": ""}
# Label and unit (before "per second") of each speed of a hinge, and of each coordinate if others.
_SPEEDS: dict[type, Parts] = {
    Revolute: (("angle", "rad"),),
    Prismatic: (("slide", "m"),),
    Screw: (("angle", "rad"),),
    Cylindrical: (("angle", "rad"), ("slide", "m")),
    Universal: (("angle1", "rad"), ("angle2", "rad")),
    Planar: (("x", "m"), ("y", "m"), ("angle", "rad")),
    Spherical: _TURN,
    Free: (*_TURN, *_MOVE),
}
_COORDINATES: dict[type, Parts] = {
    **_SPEEDS,
    Spherical: _QUATERNION,
    Free: (*((f"q{x}", "1") for x, _ in _QUATERNION), *((x, "m") for x in _XYZ)),
}


def _hinge(known: dict[type, Parts]) -> Callable[[Frame], Parts]:
    def parts(frame: Frame) -> Parts:
        joint = frame.system.joints[frame.body]
        return known.get(type(joint)) or tuple((str(k), "") for k in range(joint.n_v))

    return parts


_hinge_q, _hinge_v = _hinge(_COORDINATES), _hinge(_SPEEDS)


def _modal(frame: Frame) -> Parts:
    return tuple((str(k), "kg^0.5 m") for k in range(frame.system.bodies[frame.body].n_mode))


def _per(time: str, parts: Callable[[Frame], Parts]) -> Callable[[Frame], Parts]:
    """The same labels, the units divided by a time."""
    return lambda frame: tuple((x, f"{u}/{time}" if u else "") for x, u in parts(frame))


def _forces(parts: Callable[[Frame], Parts]) -> Callable[[Frame], Parts]:
    """The same labels, the units of generalized forces."""
    return lambda frame: tuple((x, _FORCE_UNIT[u]) for x, u in parts(frame))


def _same(unit: str) -> Callable[[Frame], Parts]:
    return lambda _: tuple((x, unit) for x in _XYZ)


def _one(label: str) -> Callable[[Frame], Parts | None]:
    """A single coordinate of a hinge, if it has one of that label."""
    return lambda frame: tuple(p for p in _hinge_q(frame) if p[0] == label) or None


def _stored(field: str, piece: str) -> Callable[[Frame, Block], Array]:
    """Slice of a field that belongs to the body."""
    return lambda frame, block: block[field][:, getattr(frame.system.layout, piece)(frame.body)]


def _coordinate(label: str) -> Callable[[Frame, Block], Array]:
    def compute(frame: Frame, block: Block) -> Array:
        k = [p[0] for p in _hinge_q(frame)].index(label)
        return block["q"][:, frame.system.layout.hinge_q(frame.body).start + k]

    return compute


def _motion(flags: int, which: int) -> Callable[[Frame, Block], Array]:
    """Attitude (0), position (1), angular (2) or linear (3) part of velocity or acceleration."""

    def compute(frame: Frame, block: Block) -> Array:
        q, v = block["q"], block["v"]
        x = block["acceleration"] if flags & RATES else v
        where = (frame.body, frame.node)
        turn, position, change = engine.frame_motion_rows(frame.system, *where, q, v, x, flags)
        return (turn, position, change[:, :3], change[:, 3:])[which]

    return compute


def _quaternion(frame: Frame, block: Block) -> Array:
    """A row of 4 q q^T, the one with the largest diagonal entry, which is at least one."""
    turn = _motion(0, 0)(frame, block)
    x, y, z = (turn[:, k, k] for k in range(3))
    squares = np.stack([1 + x + y + z, 1 + x - y - z, 1 - x + y - z, 1 - x - y + z], axis=1)
    outer = np.empty((len(turn), 4, 4))
    outer[:, range(4), range(4)] = squares
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        outer[:, 0, k + 1] = outer[:, k + 1, 0] = turn[:, j, i] - turn[:, i, j]
        outer[:, i + 1, j + 1] = outer[:, j + 1, i + 1] = turn[:, i, j] + turn[:, j, i]
    q = outer[np.arange(len(turn)), np.argmax(squares, axis=1)]
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def _make_continuous(q: Array) -> None:
    """Change signs of quaternions (n, 4) that jump from row to row; w >= 0 in the first."""
    follows = np.where(np.sum(q[1:] * q[:-1], axis=1) < 0, -1.0, 1.0)
    first = np.where(q[:1, 0] < 0, -1.0, 1.0)
    q *= np.cumprod(np.concatenate([first, follows]))[:, None]


def _deflection(frame: Frame, block: Block) -> Array:
    shapes = frame.system.bodies[frame.body].node_shapes[frame.node]
    return _stored("q", "modal_q")(frame, block) @ shapes[3:].T


def _loaded(frame: Frame) -> Parts | None:
    return _LOAD if frame.wrenches else None


def _load(frame: Frame, block: Block) -> Array:
    given = block["wrench"].reshape(block.stop - block.start, -1, 6)
    return given[:, frame.wrenches].sum(axis=1)


def _reaction(frame: Frame, block: Block) -> Array:
    places = [frame.system.locate(w) for w in frame.columns.wrenches]
    q, v, a, w = (block[field] for field in ("q", "v", "acceleration", "wrench"))
    return engine.joint_forces_rows(frame.system, q, v, a, places, w)[:, frame.body]


_NODE = {
    "position": Quantity("position of the origin in the world", _same("m"), _motion(0, 1)),
    "rotation": Quantity(
        "matrix from own axes to world axes",
        lambda _: tuple((a + b, "1") for a in _XYZ for b in _XYZ),
        _motion(0, 0),
        (3, 3),
    ),
    "quaternion": Quantity("turn from own axes to world axes", lambda _: _QUATERNION, _quaternion),
    "velocity": Quantity(
        "velocity of the origin, world axes", _same("m/s"), _motion(ACCELERATED, 3)
    ),
    "angular_velocity": Quantity(
        "angular velocity, world axes", _same("rad/s"), _motion(ACCELERATED, 2)
    ),
    "acceleration": Quantity(
        "true acceleration of the origin, world axes", _same("m/s^2"), _motion(_ALL_RATES, 3)
    ),
    "angular_acceleration": Quantity(
        "angular acceleration, world axes", _same("rad/s^2"), _motion(_ALL_RATES, 2)
    ),
    "deflection": Quantity("elastic displacement, body axes", _same("m"), _deflection),
    "load": Quantity("moment and force of the loads on it, own axes", _loaded, _load),
}
_BODY = {
    "coordinates": Quantity("hinge coordinates", _hinge_q, _stored("q", "hinge_q")),
    "angle": Quantity("hinge angle", _one("angle"), _coordinate("angle"), ()),
    "slide": Quantity("hinge slide", _one("slide"), _coordinate("slide"), ()),
    "rates": Quantity("hinge speeds", _per("s", _hinge_v), _stored("v", "hinge_v")),
    "hinge_acceleration": Quantity(
        "rates of the hinge speeds", _per("s^2", _hinge_v), _stored("acceleration", "hinge_v")
    ),
    "force": Quantity("force applied at the hinge", _forces(_hinge_v), _stored("force", "hinge_v")),
    "modes": Quantity("modal coordinates", _modal, _stored("q", "modal_q")),
    "mode_rates": Quantity(
        "rates of the modal coordinates", _per("s", _modal), _stored("v", "modal_v")
    ),
    "mode_acceleration": Quantity(
        "second rates of the modal coordinates",
        _per("s^2", _modal),
        _stored("acceleration", "modal_v"),
    ),
    "modal_force": Quantity(
        "force applied to the modes", _forces(_modal), _stored("force", "modal_v")
    ),
    "reaction": Quantity("moment and force of its joint, body axes", lambda _: _LOAD, _reaction),
}
_STORED = {
    "q": ("coordinates", _BODY["modes"], _BODY["coordinates"]),
    "v": ("speeds", _BODY["mode_rates"], _BODY["rates"]),
    "acceleration": (
        "rates of the speeds",
        _BODY["mode_acceleration"],
        _BODY["hinge_acceleration"],
    ),
    "force": ("forces applied to the speeds", _BODY["modal_force"], _BODY["force"]),
}
_ANGULAR: Parts = tuple((x, "N m s") for x in _XYZ)
_LINEAR: Parts = tuple((x, "N s") for x in _XYZ)
_BOTH = (*((f"angular_{x}", u) for x, u in _ANGULAR), *((f"linear_{x}", u) for x, u in _LINEAR))
_ENERGY: Parts = (("", "J"),)
# Name -> description, parts, and where it is among the sums of `engine.totals`.
_SUMS: dict[str, tuple[str, Parts, Any]] = {
    "energy.kinetic": ("kinetic energy", _ENERGY, 0),
    "energy.potential": ("potential of gravity", _ENERGY, 1),
    "energy.strain": ("strain energy", _ENERGY, 2),
    "energy.total": ("kinetic + potential + strain", _ENERGY, slice(0, 3)),
    "momentum": ("about the world's origin, world axes", _BOTH, slice(7, 13)),
    "momentum.angular": ("about the world's origin, world axes", _ANGULAR, slice(7, 10)),
    "momentum.linear": ("linear momentum, world axes", _LINEAR, slice(10, 13)),
    "center_of_mass": ("centre of mass in the world", tuple((x, "m") for x in _XYZ), slice(4, 7)),
}


def _channel(name: str, description: str, parts: Parts, shape: Any = None) -> Channel:
    labels, units = tuple(p[0] for p in parts), tuple(p[1] for p in parts)
    scalar = shape == () or labels == ("",)
    shape = () if scalar else shape or (len(parts),)
    return Channel(name, description, shape, () if scalar else labels, units)


def _whole(system: System, columns: Columns, name: str) -> Channel | None:
    """Channel of the whole system."""
    if name == "time":
        return _channel(name, "time", (("", "s"),))
    if name in _SUMS:
        return _channel(name, *_SUMS[name][:2])
    if name not in _STORED:
        return None
    description, *pieces = _STORED[name]
    parts: list[tuple[str, str]] = []
    for i, body in enumerate(system.names):
        frame = Frame(system, columns, i, system.bodies[i].inboard)
        for piece, kind in zip(pieces, ("mode", "hinge"), strict=True):
            parts += [(f"{body}.{kind}.{x}", unit) for x, unit in piece.parts(frame) or ()]
    return _channel(name, description, tuple(parts))


def listed(system: System, columns: Columns, text: str = "") -> dict[str, Channel]:
    """All channels whose names contain a text; of nodes those that have names.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    columns : Columns
        Of the rows, for the loads in them.
    text : str
        Part of a name.
    """
    names = ["time", *_STORED, *_SUMS]
    found = {n: c for n in names if text in n and (c := _whole(system, columns, n)) is not None}
    for i, body in enumerate(system.names):
        own = system.bodies[i]
        nodes = [(body, own.inboard), *((f"{body}.{n}", t) for n, t in own.node_names.items())]
        for place, node in nodes:
            frame = Frame(system, columns, i, node)
            for key, quantity in (_NODE | _BODY if place == body else _NODE).items():
                name = f"{place}.{key}"
                if text not in name or (key == "deflection" and not own.n_mode):
                    continue
                if parts := quantity.parts(frame):
                    found[name] = _channel(name, quantity.description, parts, quantity.shape)
    return found


def resolved(
    system: System, columns: Columns, name: Any
) -> tuple[Channel, Callable[[Block], Array] | None]:
    """Channel of a name, and what computes it from a block of rows (None: of the whole system).

    A StateError says which part of the name is wrong, and what may have been meant.
    """
    if not isinstance(name, str):
        raise StateError(f'a channel has a name such as "body.position", got {name!r}')
    if (channel := _whole(system, columns, name)) is not None:
        return channel, None
    parts = name.split(".")
    if parts[0] not in system.names or len(parts) > 3:
        raise StateError(_unknown(system, name, parts))
    if len(parts) == 1:
        parts.append("coordinates")
    *place, key = parts
    known = _NODE if len(place) == 2 else _NODE | _BODY
    if key not in known:
        raise StateError(_unknown(system, name, parts))
    frame = Frame(system, columns, *system.locate(".".join(place)))
    components = known[key].parts(frame)
    if components is None:
        raise StateError(_missing(frame, ".".join(place), key))
    channel = _channel(name, known[key].description, components, known[key].shape)
    return channel, partial(known[key].compute, frame)


def _unknown(system: System, name: str, parts: list[str]) -> str:
    """Words for a name that leads nowhere."""
    body, *rest = parts
    groups = {n.partition(".")[0] for n in _SUMS if "." in n}
    if body not in system.names:
        if body in groups and rest:
            keys = [n.partition(".")[2] for n in _SUMS if n.startswith(f"{body}.")]
            return f"there is no channel {name!r}; {suggestion(rest[0], keys)}"
        words = ["time", *_STORED, *_SUMS] if not rest else sorted(groups)
        what = "channel" if not rest else "body"
        return f"there is no {what} {body!r}; {suggestion(body, [*system.names, *words])}"
    nodes = system.bodies[system.names.index(body)].node_names
    if len(rest) > 2:
        return f'{name!r} has too many parts; a channel is "body.quantity" or "body.node.quantity"'
    if len(rest) == 2:
        system.locate(f"{body}.{rest[0]}")  # says so if it is the node
        if rest[1] in _BODY:
            return f"{rest[1]!r} belongs to the body, not to its nodes: use '{body}.{rest[1]}'"
        return f"a node has no {rest[1]!r}; {suggestion(rest[1], _NODE)}"
    if rest[0] in nodes:
        return f"{name!r} is a node; say what of it, such as '{name}.position'"
    return f"body {body!r} has no {rest[0]!r}; {suggestion(rest[0], [*_NODE, *_BODY, *nodes])}"


def _missing(frame: Frame, place: str, key: str) -> str:
    """Words for a quantity that this body or node lacks."""
    if key == "load":
        return f"no load on {place!r} was stored; {suggestion(place, frame.columns.wrenches)}"
    label = frame.system.joints[frame.body].label
    return f"the joint of {place!r} ({label}) has no single {key}; use '{place}.coordinates'"


def values(system: System, store: Store, name: Any) -> dict[str, Array]:
    """Values of a channel by its name, and of the others that cost nothing more; read-only.

    Rows are read in blocks.
    """
    channel, compute = resolved(system, store.columns, name)
    if name == "center_of_mass" and not sum(body.mass for body in system.bodies):
        raise StateError("the system has no mass, so it has no centre of mass")
    if name in _SUMS:
        return sums(system, store, np.zeros(3))
    if compute is None:
        found = store.read(name).view()
        if name == "time" and not np.all(found[1:] >= found[:-1]):
            k = int(np.argmin(found[1:] >= found[:-1]))
            raise StateError(f"the time of row {k + 1} is {found[k + 1]} s, after {found[k]} s")
    else:
        found = _collected(store, channel.shape, compute)
        if name.endswith(".quaternion"):
            _make_continuous(found)
    found.flags.writeable = False
    return {name: found}


def sums(system: System, store: Store, about: Array) -> dict[str, Array]:
    """Energies, momenta about a point (3,) or a point for each row (n, 3), and centre of mass."""

    def compute(block: Block) -> Array:
        point = about if about.ndim == 1 else about[block.start : block.stop]
        return engine.totals_rows(system, block["q"], block["v"], point)

    rows = _collected(store, (16,), compute)
    rows[:, 4:7] /= sum(body.mass for body in system.bodies) or np.nan
    found = {name: rows[:, piece] for name, (_, _, piece) in _SUMS.items()}
    found["energy.total"] = found["energy.total"].sum(axis=1)
    for array in found.values():
        array.flags.writeable = False
    return found


def _collected(store: Store, shape: tuple[int, ...], compute: Callable[[Block], Array]) -> Array:
    n, size = len(store), block_size(store.columns)
    out = np.empty((n, *shape))
    for start in range(0, n, size):
        block = Block(store, start, min(start + size, n))
        try:
            out[block.start : block.stop] = compute(block)
        except engine.RowError as failure:
            k = start + failure.row
            t = float(store.read("time", k, k + 1)[0])
            raise StateError(
                f"row {k} (time {t!r} s): the result is not finite; what was stored is not finite "
                "or too large"
            ) from None
    return out
