"""Conversion of a System to text and arrays, as stored in results files, and back.

The text is JSON and the arrays are plain numbers, so that files are safe to open and keep their
meaning in later versions.  Nothing is recomputed: a restored system is bitwise identical.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from ...bodies import Lump, MassIntegrals, NormalBody
from ...bodies.normal import LEVELS
from ...bodies.solids import Solid
from ...errors import ResultError
from ...system import GROUND, System
from ..files.versions import version_for
from .couplings import check_couplings, describe_couplings, restored_couplings
from .floating import described_floating, restored_floating
from .frames import check_frames, describe_frames, restored_frames
from .joints import Numbers, UnknownJointError, described_joint, floats, joined, restored_joint
from .loops import check_loops, describe_loops, restored_loops
from .recoveries import described_recoveries, knows_stress, restored_recoveries
from .rods import described_rods, restored_rods
from .second_order import described_second_orders, restored_second_orders
from .solids import described_solids, restored_solids

Array = np.ndarray


def describe(system: System, *, whole: bool = True) -> tuple[dict[str, Any], dict[str, Array]]:
    """Text and arrays that `restore` makes the same system of."""
    bodies = list({id(body): body for body in system.bodies}.values())
    number = {id(body): k for k, body in enumerate(bodies)}
    pairs = zip(system.names, system.joints, strict=True)
    joints = [described_joint(f"body {name!r}", joint) for name, joint in pairs]
    contents = [_contents(body) for body in bodies]
    fields = _body_shapes(0, 0, 0)
    arrays = {
        "gravity": floats(system.gravity),
        "parent": np.array(system.parent, dtype="<i8"),
        "parent_node": np.array(system.parent_node, dtype="<i8"),
        "frame_rotation": floats(system.frame_rotation),
        "frame_position": floats(system.frame_position),
        "joint_parameters": joined([x for _, numbers in joints for x in numbers]),
        "body_number": np.array([number[id(body)] for body in system.bodies], dtype="<i8"),
        **{f"body_{field}": joined([c[field] for c in contents]) for field in fields},
    }
    description = {
        "format_version": version_for(system, frames=whole),
        "name": system.name,
        "names": list(system.names),
        "joints": [words for words, _ in joints],
        "bodies": [_sizes(body) for body in bodies],
    }
    if any(body.second_order is not None for body in bodies):
        description["second_orders"], numbers = described_second_orders(bodies)
        arrays["second_order_numbers"] = joined(numbers)
    if any(body.rod is not None for body in bodies):
        description["rods"], numbers = described_rods(bodies)
        arrays["rod_numbers"] = joined(numbers)
    if any(body.floating is not None for body in bodies):
        description["floating"], numbers = described_floating(bodies)
        arrays["floating_numbers"] = joined(numbers)
    if whole and any(body.solids for body in bodies):
        looks = [described_solids(body.solids) for body in bodies]
        description["solids"] = [words for words, _ in looks]
        arrays["solid_numbers"] = joined([x for _, numbers in looks for x in numbers])
    if whole and any(knows_stress(body) for body in bodies):
        description["recoveries"], numbers = described_recoveries(bodies)
        arrays["recovery_numbers"] = joined(numbers)
    if system.loops:  # files without loops keep their original format
        description["loops"], of_loops = describe_loops(system.loops)
        arrays |= of_loops
    if system.couplings:
        description["couplings"], arrays["coupling_numbers"] = describe_couplings(system.couplings)
    if whole and system.frames:
        description["frames"], of_frames = describe_frames(system.frames)
        arrays |= of_frames
    if system.drives:
        description["drives"] = [list(pair) for pair in system.drives]
    return description, arrays


def restore(
    description: dict[str, Any], arrays: dict[str, Array], *, source: object = "the file"
) -> System:
    """System from a description, bitwise equal to the described one."""
    try:
        system = _restored(description, arrays)
        _check(system)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ResultError(
            f"the description of the system in {source} is damaged ({error}); run again"
        ) from None
    except UnknownJointError as error:
        raise ResultError(
            f"the description of the system in {source} is damaged, or it has a joint of a class "
            f"{str(error)!r} of your own; in that case import the module that defines the class "
            "before you open the file"
        ) from None
    return system


def digest(system: System) -> str:
    """SHA-256 of everything that determines the motion of a system; equal for equal systems."""
    if "digest" in system.derived:
        return system.derived["digest"]
    description, arrays = describe(system, whole=False)
    result = hashlib.sha256(json.dumps(description, sort_keys=True).encode())
    for name in sorted(arrays):
        result.update(f"{name} {arrays[name].shape}".encode())
        result.update(arrays[name].tobytes())
    return system.derived.setdefault("digest", result.hexdigest())


def _sizes(body: NormalBody) -> dict[str, Any]:
    return {
        "level": body.level,
        "n_mode": body.n_mode,
        "n_node": len(body.node_positions),
        "inboard": int(body.inboard),
        "node_names": {name: int(node) for name, node in body.node_names.items()},
        "lumps": [int(lump.node) for lump in body.lumps],
    }


def _body_shapes(m: int, n: int, k: int) -> dict[str, tuple[int, ...]]:
    """Shapes of a body's arrays; m modes, n nodes, k lumps."""
    return {
        "mass": (),
        "first_moment": (3,),
        "second_moment": (3, 3),
        "modal_first_moment": (3, m),
        "modal_second_moment": (3, 3, m),
        "modal_products": (3, 3, m, m),
        "stiffness": (m,),
        "damping": (m, m),
        "node_positions": (n, 3),
        "node_shapes": (n, 6, m),
        "lump_mass": (k,),
        "lump_offset": (k, 3),
        "lump_inertia": (k, 3, 3),
    }


def _contents(body: NormalBody) -> dict[str, Any]:
    lumps = {f"lump_{x}": [getattr(lump, x) for lump in body.lumps] for x in _OF_LUMP}
    return {**vars(body.integrals), **vars(body), **lumps}


_OF_LUMP = ("mass", "offset", "inertia")
_OF_BODY = ("stiffness", "damping", "node_positions", "node_shapes")


def _restored(description: dict[str, Any], arrays: dict[str, Array]) -> System:
    names, empty = tuple(map(str, description["names"])), np.zeros(0)
    flat = {field: Numbers(arrays.get(f"body_{field}", empty)) for field in _body_shapes(0, 0, 0)}
    numbers = Numbers(arrays.get("solid_numbers", empty))
    looks = description.get("solids", [[]] * len(description["bodies"]))
    solids = [restored_solids(words, numbers) for words in looks]
    pairs = zip(description["bodies"], solids, strict=True)
    bodies = [_restored_body(sizes, flat, look) for sizes, look in pairs]
    bends = Numbers(arrays.get("second_order_numbers", empty))
    bodies = restored_second_orders(bodies, description.get("second_orders", ()), bends)
    along = Numbers(arrays.get("rod_numbers", empty))
    bodies = restored_rods(bodies, description.get("rods", ()), along)
    shapes = Numbers(arrays.get("floating_numbers", empty))
    bodies = restored_floating(bodies, description.get("floating", ()), shapes)
    stresses = Numbers(arrays.get("recovery_numbers", empty))
    bodies = restored_recoveries(bodies, description.get("recoveries", ()), stresses)
    parameters = Numbers(arrays.get("joint_parameters", empty))
    of_body = np.asarray(arrays.get("body_number", empty)).astype(int)
    if np.any(of_body < 0):
        raise ValueError("a body has a negative size")
    system = System(
        name=str(description["name"]),
        gravity=Numbers(arrays["gravity"]).take(3),
        names=names,
        parent=np.array(arrays.get("parent", empty), dtype=int).reshape(len(names)),
        parent_node=np.array(arrays.get("parent_node", empty), dtype=int).reshape(len(names)),
        frame_rotation=Numbers(arrays.get("frame_rotation", empty)).take(len(names), 3, 3),
        frame_position=Numbers(arrays.get("frame_position", empty)).take(len(names), 3),
        joints=tuple(restored_joint(words, parameters) for words in description["joints"]),
        bodies=tuple(bodies[k] for k in of_body),
        loops=restored_loops(description.get("loops", ()), arrays),
        couplings=restored_couplings(description.get("couplings", ()), arrays),
        drives=tuple((str(a), str(b)) for a, b in description.get("drives", ())),
        frames=restored_frames(description.get("frames", ()), arrays),
    )
    for taken in (*flat.values(), parameters, numbers, bends, along, shapes, stresses):
        taken.check_used()
    return system


def _restored_body(
    sizes: dict[str, Any], flat: dict[str, Numbers], solids: tuple[Solid, ...]
) -> NormalBody:
    nodes = sizes["lumps"]
    shapes = _body_shapes(sizes["n_mode"], sizes["n_node"], len(nodes))
    a = {field: flat[field].take(*shape) for field, shape in shapes.items()}
    lumps = zip(*(a[f"lump_{x}"] for x in _OF_LUMP), nodes, strict=True)
    of_integrals = MassIntegrals.__dataclass_fields__
    return NormalBody(
        integrals=MassIntegrals(**{x: a[x] for x in of_integrals}),
        lumps=tuple(Lump(float(mass), *rest) for mass, *rest in lumps),
        **{x: a[x] for x in _OF_BODY},
        inboard=sizes["inboard"],
        node_names=dict(sizes["node_names"]),
        level=sizes["level"],
        solids=solids,
    )


def _check(system: System) -> None:
    """Reject invalid numbers of bodies and nodes, which the kernels would use as indices."""
    n = len(system.names)
    if not len(system.joints) == len(system.bodies) == n == len(set(system.names)):
        raise ValueError("the numbers of names, joints and bodies differ")
    for i, (p, node) in enumerate(zip(system.parent, system.parent_node, strict=True)):
        nodes = 0 if p == GROUND else len(system.bodies[p].node_positions)
        if not (GROUND <= p < i and (node == GROUND if p == GROUND else 0 <= node < nodes)):
            raise ValueError(f"the parent of body {system.names[i]!r} does not exist")
    for body in {id(b): b for b in system.bodies}.values():
        used = [body.inboard, *body.node_names.values(), *(lump.node for lump in body.lumps)]
        exist = (type(k) is int and 0 <= k < len(body.node_positions) for k in used)
        if body.level not in _levels(body) or not all(exist):
            raise ValueError("a body has a node or a level that does not exist")
    if {name for pair in system.drives for name in pair} - set(system.names):
        raise ValueError("a drive refers to a body that does not exist")
    check_loops(system)
    check_couplings(system)
    check_frames(system)


def _levels(body: NormalBody) -> tuple[str, ...]:
    """Levels that a body with these constants can have."""
    if body.rod is not None:
        return ("exact",) if body.second_order is None and not body.lumps else ()
    return LEVELS if body.second_order is None else ("stiffened",)
