"""Descriptions of systems as files up to format version 10 have them, for reading only.

Words were lists of sizes and names, one for each concern (bodies, joints, rods, ...); the numbers
of a concern stood in arrays of its own, those of all bodies or joints one after another.  Nothing
is checked here: `system.restore` checks what comes out.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..bodies import Lump, MassIntegrals, NormalBody, SecondOrder
from ..bodies.balance import Balance
from ..bodies.line import NodeLine
from ..bodies.recovery import KnownSection, Recovery, Stations, StressPoints
from ..bodies.rod_tables import RodTables
from ..bodies.solids import SOLIDS, Solid, solid_fields
from ..immutable import declared_arrays
from ..joints import CompoundJoint, Joint, SimpleJoint
from ..joints.base import parameter_kinds
from ..joints.factored import Product
from ..system import Coupling, Frame, Loop, LoopEnd, System
from .codec import KINDS, OWN, kind_named, new_record

Array = np.ndarray
_STILL = ("solids", "recoveries", "frames")  # words without effect on the motion
_OF_LUMP = {"mass": (), "offset": (3,), "inertia": (3, 3)}  # shapes
_RIGID = ("first_moment", "second_moment")  # what a body's frame of shapes has in common with it
_OF_BODY = ("solids", "second_orders", "rods", "floating", "recoveries")


def is_old(words: Any) -> bool:
    """Whether a description is of format version 10 or before."""
    return isinstance(words, dict) and "format_version" in words


def digest(words: dict[str, Any], arrays: Mapping[str, Array]) -> str:
    """Digest of the system of a description, as these versions computed it."""
    moving = {key: value for key, value in words.items() if key not in _STILL}
    if words["format_version"] == 4:  # for its frames alone
        moving["format_version"] = 3 if "couplings" in words else 2 if "loops" in words else 1
    still = ("solid_", "recovery_", "named_frame_")
    moved = {name: x for name, x in arrays.items() if not name.startswith(still)}
    # files did not hold empty arrays
    of_bodies = [*declared_arrays(MassIntegrals), *declared_arrays(NormalBody)]
    names = ["joint_parameters", *(f"body_{name}" for name in of_bodies)]
    names += [f"body_lump_{name}" for name in _OF_LUMP]
    names += ["loop_joint_parameters"] * ("loops" in words)
    moved = dict.fromkeys(names, np.zeros(0)) | moved
    result = hashlib.sha256(json.dumps(moving, sort_keys=True).encode())
    for name in sorted(moved):
        result.update(f"{name} {moved[name].shape}".encode())
        result.update(moved[name].tobytes())
    return result.hexdigest()


class FlatArrays:
    """Arrays by name, from which pieces are taken in turn; one that is missing is empty."""

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        self.left = {name: np.array(x, dtype=float).ravel() for name, x in arrays.items()}

    def check_used(self) -> None:
        """Refuse numbers that belong to nothing."""
        if any(len(values) for values in self.left.values()):
            raise ValueError("an array is too long")

    def take(self, name: str, *shape: int) -> Any:
        """Next numbers of an array in a shape; without one, a float."""
        left, size = self.left.get(name, np.zeros(0)), math.prod(shape)
        if not 0 <= size <= len(left):
            raise ValueError("an array is too short")
        piece, self.left[name] = left[:size], left[size:]
        return piece.reshape(shape).copy() if shape else float(piece[0])

    def arrays(
        self, name: str, kind: Any, lengths: Mapping[str, int], but: Collection[str] = ()
    ) -> dict[str, Any]:
        """Arrays of a record, from those of a name that may have the field in it."""
        values = {}
        for field, about in declared_arrays(kind, but).items():
            shape = (lengths[x.removeprefix("other_")] for x in about["dimensions"])
            array = self.take(name.format(field), *shape)
            values[field] = _whole(array) if about["whole"] else array
        return values


def restored(words: dict[str, Any], arrays: Mapping[str, Array]) -> System:
    """System of a description, with the same bits as when it was written."""
    flat, names = FlatArrays(arrays), tuple(map(str, words["names"]))
    bodies = [_body(words, k, flat) for k in range(len(words["bodies"]))]
    n, take = len(names), partial(flat.take, "joint_parameters")
    number = _whole(flat.take("body_number", n))
    if np.any(number < 0):
        raise ValueError("a body has a negative number")
    system = System(
        name=str(words["name"]),
        gravity=flat.take("gravity", 3),
        names=names,
        parent=_whole(flat.take("parent", n)),
        parent_node=_whole(flat.take("parent_node", n)),
        frame_rotation=flat.take("frame_rotation", n, 3, 3),
        frame_position=flat.take("frame_position", n, 3),
        joints=tuple(_joint(x, take) for x in words["joints"]),
        bodies=tuple(bodies[k] for k in number),
        loops=tuple(_loop(x, flat) for x in words.get("loops", ())),
        couplings=tuple(_coupling(x, flat) for x in words.get("couplings", ())),
        drives=tuple((str(a), str(b)) for a, b in words.get("drives", ())),
        frames=tuple(
            Frame(str(name), *_place("named_frame", flat)) for name in words.get("frames", ())
        ),
    )
    flat.check_used()
    return system


def _whole(values: Array) -> Array:
    return values.astype(int)


def _body(words: dict[str, Any], k: int, flat: FlatArrays) -> NormalBody:
    """Body k of a description, which follows the bodies before it in each array."""
    sizes, take = words["bodies"][k], flat.take
    of = {name: values[k] for name in _OF_BODY if (values := words.get(name))}
    m, n = sizes["n_mode"], sizes["n_node"]
    lengths = {"axis": 3, "six": 6, "component": 6, "plane": 2, "stress": 3, "constant": 2}
    lengths |= {"mode": m, "node": n}
    integrals = flat.arrays("body_{}", MassIntegrals, lengths)
    body = NormalBody(
        integrals=MassIntegrals(mass=take("body_mass"), **integrals),
        lumps=tuple(
            Lump(**{x: take(f"body_lump_{x}", *s) for x, s in _OF_LUMP.items()}, node=node)
            for node in sizes["lumps"]
        ),
        **flat.arrays("body_{}", NormalBody, lengths),
        inboard=sizes["inboard"],
        node_names=dict(sizes["node_names"]),
        level=sizes["level"],
        solids=restored_solids(of.get("solids", ()), flat),
    )
    if (nodes := of.get("second_orders")) is not None:
        moments = flat.arrays("second_order_numbers", SecondOrder, lengths, but=["node_shapes"])
        shapes = {x: take("second_order_numbers", 6, m, m) for x in nodes}
        body = replace(body, second_order=SecondOrder(**moments, node_shapes=shapes))
    if (rod := of.get("rods")) is not None:
        length, strains = take("rod_numbers"), np.array(rod["strains"], dtype=int)
        stations = lengths | {"station": rod["stations"]}
        arrays = flat.arrays("rod_numbers", RodTables, stations, but=["strains"])
        body = replace(body, rod=RodTables(length=length, strains=strains, **arrays))
    if of.get("floating"):
        shapes = take("floating_numbers", n, 6, m)
        moments = flat.arrays("floating_numbers", MassIntegrals, lengths, but=_RIGID)
        of_shapes = replace(body.integrals, **moments)
        floating = replace(body, integrals=of_shapes, node_shapes=shapes, inboard=-1, solids=())
        body = replace(body, floating=floating)
    return _with_stresses(body, of["recoveries"], lengths, flat) if "recoveries" in of else body


def _with_stresses(
    body: NormalBody, words: dict[str, Any], lengths: dict[str, int], flat: FlatArrays
) -> NormalBody:
    take = partial(flat.arrays, "recovery_numbers")
    line = points = stations = rod = None
    if "line" in words:
        *sizes, k = words["line"]
        line = NodeLine(*sizes, **take(NodeLine, lengths | {"section_point": k}))
    if (entry := words.get("points")) is not None:
        but = () if entry.get("elastic") is True else ("elasticity",)
        arrays = take(StressPoints, lengths | {"point": entry["n"]}, but)
        points = StressPoints(**arrays, labels=tuple(map(str, entry["labels"])))
    if (entry := words.get("stations")) is not None:
        lengths = lengths | {"station": entry["n"], "field": 4 + 3 * body.n_mode}
        arrays, balance = take(Stations, lengths), None
        sizes = (lengths | {"section_point": k} for k in entry["kinds"])
        sections = [KnownSection(**take(KnownSection, x)) for x in sizes]
        if "nodes" in entry:
            nodes = np.array(entry["nodes"])
            tables = take(Balance, lengths | {"loaded_node": len(nodes)}, but=["nodes"])
            balance = Balance(nodes, **tables)
        chosen = tuple(sections[k] for k in entry["sections"])
        stations = Stations(**arrays, sections=chosen, balance=balance)
    if "rod" in words:
        rod = flat.take("recovery_numbers", *words["rod"], 3, 6)
    parts = points, stations, rod
    recovery = None if all(x is None for x in parts) else Recovery(*parts)
    return replace(body, line=line, recovery=recovery)


def restored_solids(words: Sequence[dict[str, Any]], flat: FlatArrays) -> tuple[Solid, ...]:
    """Solids of their kinds, colors and numbers of rows; body files have them so, too."""
    solids, take = [], partial(flat.take, "solid_numbers")
    for entry in words:
        kind = SOLIDS[entry["kind"].lower()]
        values = {"at": take(3), "rotation": take(3, 3)}
        for name, (shape, whole, _) in solid_fields(kind).items():
            counted = shape and shape[0] < 0
            rows = np.atleast_1d(entry["rows"][name]).tolist() if counted else shape[:1]
            value = take(*(int(n) for n in (*rows, *shape[1:])))
            values[name] = _whole(value) if whole else value
        solids.append(kind(color=entry["color"], **values))
    return tuple(solids)


def _joint(words: list[Any], take: Callable[..., Any]) -> Joint:
    """Joint of the name of its class and the sizes of what has no fixed size."""
    name, *sizes = words
    kind = kind_named(name.lower() if name.lower() in KINDS else f"{OWN}{name}")
    if not issubclass(kind, Joint):
        raise ValueError(f"{name!r} is no joint")
    if kind is Product:
        shapes = {"turn": ((3,), ()), "slide": ((3,),), "twist": ((6,),)}
        of = [(factor.lower(), q) for factor, q in sizes[0]]
        factors = tuple(KINDS[x](q, *(take(*shape) for shape in shapes[x])) for x, q in of)
        return Product(factors, tuple((str(x), str(unit)) for x, unit in sizes[1]))
    if kind in (SimpleJoint, CompoundJoint):
        maps = [np.array(take(6, n), order=order) for n, order in sizes]
        parts = tuple(new_record(SimpleJoint, {"columns": H}) for H in maps)
        return new_record(kind, {"parts": parts}) if kind is CompoundJoint else parts[0]
    counted = iter(sizes[0] if sizes else [])
    fixed = {"direction": (3,), "number": ()}
    kinds = ((x, about["kind"]) for x, about in parameter_kinds(kind).items())
    return new_record(
        kind, {x: take(*(fixed[what] if what in fixed else next(counted))) for x, what in kinds}
    )


def _loop(words: dict[str, Any], flat: FlatArrays) -> Loop:
    joint = _joint(words["joint"], partial(flat.take, "loop_joint_parameters"))
    a, b = (LoopEnd(*_place("loop", flat, order)) for order in words["orders"])
    return Loop(str(words["name"]), joint, a, b, chosen=bool(words["chosen"]))


def _place(of: str, flat: FlatArrays, order: Any = "C") -> tuple[int, int, Array, Array]:
    body, node = (int(flat.take(f"{of}_{x}")) for x in ("body", "node"))
    rotation = np.array(flat.take(f"{of}_rotation", 3, 3), order=order)
    return body, node, rotation, flat.take(f"{of}_position", 3)


def _coupling(words: dict[str, Any], flat: FlatArrays) -> Coupling:
    bodies, entries = (tuple(map(int, words[key])) for key in ("bodies", "entries"))
    ratios = flat.take("coupling_numbers", len(bodies))
    return Coupling(str(words["name"]), bodies, entries, ratios, flat.take("coupling_numbers"))
