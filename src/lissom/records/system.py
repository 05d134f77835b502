"""Systems as words and numbers, and back; all that files of results hold besides the rows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..bodies import NormalBody
from ..bodies.normal import LEVELS
from ..bodies.recovery import Recovery
from ..bodies.rod import MOST_STATIONS, ORDER
from ..bodies.rod_tables import RodTables
from ..errors import ResultError, StateError
from ..joints import CompoundJoint, Joint, SimpleJoint
from ..joints.factored import Product
from ..system import GROUND, PlacedShape, System
from . import legacy
from .codec import UnknownRecordError, check_lengths, check_storable, decode, encode
from .packed import pack, unpack

Array = np.ndarray

TEXTS = ("description", "wrenches", "meta")  # JSON, as characters
CONTENT = "content"  # variable of files with all of it, packed

# Fields without effect on the motion; what a shape does is in the numbers of its contacts
_STILL = frozenset({"frames", "shapes", "solids", "recovery", "line"})
_STRAINS = [component for component, _ in ORDER]
_BEYOND_TIP = 1e-9  # fraction of the length by which the last node of a rod may miss the tip


def describe(system: System) -> tuple[Any, dict[str, Array]]:
    """Words and arrays that `restore` makes the same system of."""
    for name, joint in zip(system.names, system.joints, strict=True):
        check_storable(f"body {name!r}", joint)
    for loop in system.loops:
        check_storable(f"loop {loop.name!r}", loop.joint)
    return encode(system)


def restore(words: Any, arrays: dict[str, Array], *, source: object = "the file") -> System:
    """System from its description, bitwise equal to the described one."""
    try:
        system = (legacy.restored if legacy.is_old(words) else decode)(words, arrays)
        if not isinstance(system, System):
            raise ValueError("it has another record")
        check_lengths(system)
        _check(system)
    except (
        *(KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError),
        RecursionError,
    ) as error:
        raise ResultError(
            f"the description of the system in {source} is damaged ({error}); run again"
        ) from None
    except UnknownRecordError as error:
        raise ResultError(
            f"the description of the system in {source} has {error}, which this lissom does not "
            "know: update lissom, or run again; if it is the class of a joint of your own, import "
            "the module that defines the class before you open the file"
        ) from None
    return system


def digest(system: System) -> str:
    """SHA-256 of everything that determines the motion of a system; equal for equal systems."""
    if "digest" in system.derived:
        return system.derived["digest"]
    words, arrays = encode(system, without=_STILL)
    result = hashlib.sha256(json.dumps(words, sort_keys=True).encode())
    for array in arrays.values():
        result.update(array.tobytes())
    return system.derived.setdefault("digest", result.hexdigest())


def stored_digest(words: Any, arrays: dict[str, Array], system: System) -> str:
    """`digest` of the system of a description as the version that wrote it computed it."""
    return legacy.digest(words, arrays) if legacy.is_old(words) else digest(system)


def packed_content(system: System, names: Any, meta: dict[str, Any]) -> Array:
    """Bytes of all content; `names` are `Columns.names`."""
    words, arrays = describe(system)
    return np.frombuffer(pack(dict(zip(TEXTS, (words, names, meta), strict=True)), arrays), "u1")


def unpacked_content(stored: dict[str, Array]) -> tuple[list[Any], dict[str, Array]]:
    """The three texts and the arrays of a system, from the variables of a file.

    Before format 10, in NumPy archives before 11, each array and each text was a variable.
    """
    if CONTENT not in stored:
        return [json.loads(stored.pop(name).tobytes()) for name in TEXTS], stored
    texts, arrays = unpack(stored[CONTENT].tobytes())
    return [texts[name] for name in TEXTS], arrays


def group_digest(arrays: Mapping[str, Array]) -> str:
    """SHA-256 of the variables of a file that hold its content."""
    result = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        if array.size:
            kind = array.dtype.newbyteorder("<")
            result.update(f"{name} {kind.str} {array.shape} ".encode())
            result.update(array.astype(kind).tobytes())
    return result.hexdigest()


def _check(system: System) -> None:
    """Reject numbers that the kernels would use as indices, and names that stand twice."""
    if not len(system.parent) == len(system.joints) == len(system.bodies) == system.n_body:
        raise ValueError("the numbers of names, joints and bodies differ")
    named: tuple[Any, ...] = (*system.loops, *system.couplings, *system.frames)
    names = [*system.names, *(one.name for one in named)]
    names += [shape.name for shape in system.shapes if shape.name]
    if len(set(names)) != len(names):
        raise ValueError("two bodies, loops, couplings, frames or shapes have one name")
    for i, (p, node) in enumerate(zip(system.parent, system.parent_node, strict=True)):
        if not (p < i and _is_place(system, p, node)):
            raise ValueError(f"the parent of body {system.names[i]!r} does not exist")
    for body in {id(b): b for b in system.bodies}.values():
        _check_body(body)
    for joint in (*system.joints, *(loop.joint for loop in system.loops)):
        _check_joint(joint)
    if {name for pair in system.drives for name in pair} - set(system.names):
        raise ValueError("a drive refers to a body that does not exist")
    for loop in system.loops:
        if loop.joint.n_v >= 6 or loop.a.body == loop.b.body:
            raise ValueError(f"loop {loop.name!r} has no constraint")
        if not all(_is_place(system, end.body, end.node) for end in loop.ends):
            raise ValueError(f"loop {loop.name!r} ends on a node that does not exist")
    for frame in system.frames:
        if not _is_place(system, frame.body, frame.node):
            raise ValueError(f"frame {frame.name!r} is on a node that does not exist")
    for shape in system.shapes:
        _check_carrier(system, shape)
    for one in system.couplings:
        places = list(zip(one.bodies, one.entries, one.ratios, strict=True))
        if not places or len({x[:2] for x in places}) != len(places) or not np.all(one.ratios):
            raise ValueError(f"coupling {one.name!r} couples nothing, or a coordinate twice")
        for i, k, _ in places:
            on_body = 0 <= i < system.n_body
            if not on_body or not 0 <= k < len(system.joints[i].plain_coordinates):
                raise ValueError(f"coupling {one.name!r} is of a coordinate that does not exist")


def _check_carrier(system: System, shape: PlacedShape) -> None:
    """Refuse a shape of something that does not exist."""
    if shape.carrier is None:
        return
    try:
        system.place(shape.carrier)
    except StateError:
        raise ValueError(f"{shape.label} is on {shape.carrier!r}, which does not exist") from None


def _is_place(system: System, body: int, node: int) -> bool:
    """Whether a body, or the ground, has a node."""
    if body == GROUND:
        return node == GROUND
    return 0 <= body < system.n_body and 0 <= node < len(system.bodies[body].node_positions)


def _check_joint(joint: Joint) -> None:
    if isinstance(joint, (CompoundJoint, SimpleJoint)):
        sizes = [H.shape[1] for H in joint.maps]
        if not (sizes and all(sizes) and sum(sizes) <= 6):
            raise ValueError(f"the sizes of a joint are {sizes}")
    if isinstance(joint, Product):
        numbers = sorted(factor.q for factor in joint.factors)
        if numbers != list(range(len(joint.coordinates))):
            raise ValueError(f"the coordinates of a joint are {numbers}")


def _check_body(body: NormalBody) -> None:
    n = len(body.node_positions)
    if body.level not in _levels(body):
        raise ValueError(f"a body cannot have the level {body.level!r}")
    if not all(type(k) is int and 0 <= k < n for k in _used_nodes(body)):
        raise ValueError("a body refers to a node that does not exist")
    if (floating := body.floating) is not None and (body.level, floating.inboard) != ("full", -1):
        raise ValueError('a body has a frame of its own shapes and is not at level "full"')
    if (line := body.line) is not None and (
        not (line.nodes >= 2 and line.pieces > 0 and line.stations > 0)
        or line.nodes + 4 * line.pieces * line.stations > n
    ):
        raise ValueError("the axis of a beam has more nodes than its body")
    if (residual := body.residual) is not None and len(residual.matrix) != 3 * len(residual.nodes):
        raise ValueError("a residual compliance is of another number of nodes")
    if body.rod is not None:
        _check_rod(body.rod)
    if body.recovery is not None:
        _check_recovery(body.recovery, n, body.n_mode)


def _used_nodes(body: NormalBody) -> Iterator[int]:
    yield body.inboard
    yield from body.node_names.values()
    yield from (lump.node for lump in body.lumps)
    if body.second_order is not None:
        yield from body.second_order.node_shapes
    if body.residual is not None:
        yield from body.residual.nodes


def _levels(body: NormalBody) -> tuple[str, ...]:
    """Levels that a body with these constants can have."""
    if body.rod is not None:
        return ("exact",) if body.second_order is None and not body.lumps else ()
    return LEVELS if body.second_order is None else ("stiffened",)


def _check_rod(rod: RodTables) -> None:
    if not 1 <= len(rod.masses) <= MOST_STATIONS:
        raise ValueError(f"a rod has {len(rod.masses)} stations")
    order = [_STRAINS.index(k) for k in rod.strains]  # ValueError if there is no such strain
    if order != sorted(order):  # the kernels count on it
        raise ValueError("the strains of a rod are not in order")
    inside = (rod.places >= 0) & (rod.places <= (1 + _BEYOND_TIP) * rod.length)
    if not (0 < rod.length < np.inf and np.all(inside)):
        raise ValueError("a node of a rod is not on it")


def _check_recovery(recovery: Recovery, n_node: int, n_mode: int) -> None:
    points, stations = recovery.points, recovery.stations
    if points is not None and np.any((points.nodes < -1) | (points.nodes >= n_node)):
        raise ValueError("a stress point is on a node that does not exist")
    if recovery.rod is not None and not recovery.rod.size:
        raise ValueError("the stress of a rod has no places or no points")
    if stations is None:
        return
    if len(stations.sections) != len(stations.positions):
        raise ValueError("a station has no section")
    if (balance := stations.balance) is not None:
        if np.any((balance.nodes < 0) | (balance.nodes >= n_node)):
            raise ValueError("a frame is loaded on a node that does not exist")
        if balance.inertia.shape[2] != 4 + 3 * n_mode:
            raise ValueError("the balance of a frame is of another number of modes")
