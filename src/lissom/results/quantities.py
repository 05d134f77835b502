"""What can be read from a trajectory, and how it is computed from blocks of rows.

The kernels are imported where they are called: a file can be opened without them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..errors import StateError
from ..system import System
from .labels import (
    LOAD,
    QUATERNION,
    XYZ,
    Parts,
    forces,
    hinge_coordinates,
    hinge_speeds,
    modes,
    per,
    times,
)
from .loop_forces import forces_at_nodes
from .store import Columns, Store, blocks

__all__ = [
    "BODY",
    "NODE",
    "STORED",
    "SUMS",
    "Block",
    "Frame",
    "Quantity",
    "collected",
    "reactions",
    "reactions_within",
    "sums",
    "wrenches_within",
]

Array = np.ndarray


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

    @property
    def coordinates(self) -> Parts:
        """Labels and units of the hinge coordinates."""
        return hinge_coordinates(self.system.joints[self.body])

    @property
    def speeds(self) -> Parts:
        """Labels of the hinge speeds, and units times a second."""
        return hinge_speeds(self.system.joints[self.body])

    @property
    def modes(self) -> Parts:
        """Labels and units of the modal coordinates."""
        return modes(self.system.bodies[self.body])


class Quantity(NamedTuple):
    """What a channel of a body or node is.

    `parts` gives labels and units, and None where there is no such thing; `compute` the values of
    a block of rows.  Without a shape there is one axis of components.
    """

    description: str
    parts: Callable[[Frame], Parts | None]
    compute: Callable[[Frame, Block], Array]
    shape: tuple[int, ...] | None = None


def _same(unit: str) -> Callable[[Frame], Parts]:
    return lambda _: tuple((x, unit) for x in XYZ)


def _one(label: str) -> Callable[[Frame], Parts | None]:
    """A single coordinate of a hinge, if it has one of that label."""
    return lambda frame: tuple(p for p in frame.coordinates if p[0] == label) or None


def _stored(field: str, piece: str) -> Callable[[Frame, Block], Array]:
    """Slice of a field that belongs to the body."""
    return lambda frame, block: block[field][:, getattr(frame.system.layout, piece)(frame.body)]


def _coordinate(label: str) -> Callable[[Frame, Block], Array]:
    def compute(frame: Frame, block: Block) -> Array:
        k = [p[0] for p in frame.coordinates].index(label)
        return block["q"][:, frame.system.layout.hinge_q(frame.body).start + k]

    return compute


def _motion(which: int, *, rates: int = 0) -> Callable[[Frame, Block], Array]:
    """Attitude (0), position (1), angular (2) or linear (3) part of the first or second rates."""

    def compute(frame: Frame, block: Block) -> Array:
        from ..algorithms import engine
        from ..algorithms._kernels.fields import ACCELERATED, RATES

        flags = (0, ACCELERATED, RATES | ACCELERATED)[rates]
        q, v = block["q"], block["v"]
        x = block["acceleration"] if rates == 2 else v
        where = (frame.body, frame.node)
        turn, position, change = engine.frame_motion_rows(frame.system, *where, q, v, x, flags)
        return (turn, position, change[:, :3], change[:, 3:])[which]

    return compute


def _quaternion(frame: Frame, block: Block) -> Array:
    """A row of 4 q q^T, the one with the largest diagonal entry, which is at least one."""
    turn = _motion(0)(frame, block)
    x, y, z = (turn[:, k, k] for k in range(3))
    squares = np.stack([1 + x + y + z, 1 + x - y - z, 1 - x + y - z, 1 - x - y + z], axis=1)
    outer = np.empty((len(turn), 4, 4))
    outer[:, range(4), range(4)] = squares
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        outer[:, 0, k + 1] = outer[:, k + 1, 0] = turn[:, j, i] - turn[:, i, j]
        outer[:, i + 1, j + 1] = outer[:, j + 1, i + 1] = turn[:, i, j] + turn[:, j, i]
    q = outer[np.arange(len(turn)), np.argmax(squares, axis=1)]
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def _deflection(frame: Frame, block: Block) -> Array:
    shapes = frame.system.bodies[frame.body].node_shapes[frame.node]
    return _stored("q", "modal_q")(frame, block) @ shapes[3:].T


def _loaded(frame: Frame) -> Parts | None:
    return LOAD if frame.wrenches else None


def _load(frame: Frame, block: Block) -> Array:
    given = block["wrench"].reshape(block.stop - block.start, -1, 6)
    return given[:, frame.wrenches].sum(axis=1)


def _servo(part: int) -> Callable[[Frame, Block], Array]:
    """Force (0), error (1) or integral (2) of the servos of a joint, added up."""

    def compute(frame: Frame, block: Block) -> Array:
        rows, start = block["servo"], 0
        n = frame.system.joints[frame.body].n_v
        found = np.zeros((len(rows), n))
        for name in frame.columns.servos:
            body = frame.system.layout.index(name)
            if body == frame.body:
                found += rows[:, start + part * n : start + (part + 1) * n]
            start += 3 * frame.system.joints[body].n_v
        return found

    return compute


def _driven(parts: Callable[[Parts], Parts]) -> Callable[[Frame], Parts | None]:
    """Labels and units, for joints with a servo."""

    def found(frame: Frame) -> Parts | None:
        here = frame.system.names[frame.body]
        return parts(frame.speeds) if here in frame.columns.servos else None

    return found


def _reaction(frame: Frame, block: Block) -> Array:
    return reactions_within(frame.system, block)[:, frame.body]


def reactions_within(system: System, block: Block) -> Array:
    """Moments and forces of all joints in some rows, (n, n_body, 6) in body axes.

    Parameters
    ----------
    system : System
        What moved.
    block : Block
        The rows.
    """
    from ..algorithms import engine

    places, w = wrenches_within(system, block)
    q, v, a = (block[field] for field in ("q", "v", "acceleration"))
    return engine.joint_forces_rows(system, q, v, a, places, w)


def wrenches_within(system: System, block: Block) -> tuple[list[tuple[int, int]], Array]:
    """Bodies and nodes that loads and loops act on, and what acts there in some rows.

    Parameters
    ----------
    system : System
        What moved.
    block : Block
        The rows.

    Returns
    -------
    places : list of (body, node)
        There are k.
    wrenches : array (n, 6 k)
        Moments and forces, node axes.
    """
    places, w = [system.locate(x) for x in block.store.columns.wrenches], block["wrench"]
    if system.loops:
        ends, of_loops = forces_at_nodes(system, block["q"], block["v"], block["loop_force"])
        places, w = places + ends, np.concatenate([w, of_loops], axis=1)
    return places, w


NODE = {
    "position": Quantity("position of the origin in the world", _same("m"), _motion(1)),
    "rotation": Quantity(
        "matrix from own axes to world axes",
        lambda _: tuple((a + b, "1") for a in XYZ for b in XYZ),
        _motion(0),
        (3, 3),
    ),
    "quaternion": Quantity("turn from own axes to world axes", lambda _: QUATERNION, _quaternion),
    "velocity": Quantity("velocity of the origin, world axes", _same("m/s"), _motion(3, rates=1)),
    "angular_velocity": Quantity(
        "angular velocity, world axes", _same("rad/s"), _motion(2, rates=1)
    ),
    "acceleration": Quantity(
        "true acceleration of the origin, world axes", _same("m/s^2"), _motion(3, rates=2)
    ),
    "angular_acceleration": Quantity(
        "angular acceleration, world axes", _same("rad/s^2"), _motion(2, rates=2)
    ),
    "deflection": Quantity("elastic displacement, body axes", _same("m"), _deflection),
    "load": Quantity("moment and force of the loads on it, own axes", _loaded, _load),
}
BODY = {
    "coordinates": Quantity("hinge coordinates", lambda f: f.coordinates, _stored("q", "hinge_q")),
    "angle": Quantity("hinge angle", _one("angle"), _coordinate("angle"), ()),
    "slide": Quantity("hinge slide", _one("slide"), _coordinate("slide"), ()),
    "rates": Quantity("hinge speeds", lambda f: per("s", f.speeds), _stored("v", "hinge_v")),
    "hinge_acceleration": Quantity(
        "rates of the hinge speeds",
        lambda f: per("s^2", f.speeds),
        _stored("acceleration", "hinge_v"),
    ),
    "force": Quantity(
        "force applied at the hinge", lambda f: forces(f.speeds), _stored("force", "hinge_v")
    ),
    "modes": Quantity("modal coordinates", lambda f: f.modes, _stored("q", "modal_q")),
    "mode_rates": Quantity(
        "rates of the modal coordinates", lambda f: per("s", f.modes), _stored("v", "modal_v")
    ),
    "mode_acceleration": Quantity(
        "second rates of the modal coordinates",
        lambda f: per("s^2", f.modes),
        _stored("acceleration", "modal_v"),
    ),
    "modal_force": Quantity(
        "force applied to the modes", lambda f: forces(f.modes), _stored("force", "modal_v")
    ),
    "servo_force": Quantity("force of its servo", _driven(forces), _servo(0)),
    "servo_error": Quantity("target of its servo less coordinate", _driven(lambda x: x), _servo(1)),
    "servo_integral": Quantity(
        "integral of the error of its servo", _driven(lambda x: times("s", x)), _servo(2)
    ),
    "reaction": Quantity("moment and force of its joint, body axes", lambda _: LOAD, _reaction),
}
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
# Name -> description, parts, and where it is among the sums of `engine.totals`.
SUMS: dict[str, tuple[str, Parts, Any]] = {
    "energy.kinetic": ("kinetic energy", _ENERGY, 0),
    "energy.potential": ("potential of gravity", _ENERGY, 1),
    "energy.strain": ("strain energy", _ENERGY, 2),
    "energy.total": ("kinetic + potential + strain", _ENERGY, slice(0, 3)),
    "momentum": ("about the world's origin, world axes", _BOTH, slice(7, 13)),
    "momentum.angular": ("about the world's origin, world axes", _ANGULAR, slice(7, 10)),
    "momentum.linear": ("linear momentum, world axes", _LINEAR, slice(10, 13)),
    "center_of_mass": ("centre of mass in the world", tuple((x, "m") for x in XYZ), slice(4, 7)),
}


def sums(system: System, store: Store, about: Array) -> dict[str, Array]:
    """Energies, momenta about a point (3,) or a point for each row (n, 3), and centre of mass."""

    def compute(block: Block) -> Array:
        from ..algorithms import engine

        point = about if about.ndim == 1 else about[block.start : block.stop]
        return engine.totals_rows(system, block["q"], block["v"], point)

    rows = collected(store, (16,), compute)
    rows[:, 4:7] /= sum(body.mass for body in system.bodies) or np.nan
    found = {name: rows[:, piece] for name, (_, _, piece) in SUMS.items()}
    found["energy.total"] = found["energy.total"].sum(axis=1)
    for array in found.values():
        array.flags.writeable = False
    return found


def reactions(system: System, store: Store) -> Array:
    """Moments and forces of all joints, (n, n_body, 6) in body axes.

    Parameters
    ----------
    system : System
        What moved.
    store : Store
        Its rows.
    """
    return collected(store, (system.n_body, 6), lambda block: reactions_within(system, block))


def collected(store: Store, shape: tuple[int, ...], compute: Callable[[Block], Array]) -> Array:
    """Values (n, *shape) of all rows, computed block by block."""
    from ..algorithms.engine import RowError

    out = np.empty((len(store), *shape))
    for start, stop in blocks(store):
        try:
            out[start:stop] = compute(Block(store, start, stop))
        except RowError as failure:
            k = start + failure.row
            t = float(store.read("time", k, k + 1)[0])
            raise StateError(
                f"row {k} (time {t!r} s): the result is not finite; what was stored is not finite "
                "or too large"
            ) from None
    return out
