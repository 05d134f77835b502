"""Descriptions of systems as files up to format version 10 have them, for reading only.

Words were lists of sizes and names, one for each concern (bodies, joints, rods, ...); the numbers
of a concern stood in arrays of its own, those of all bodies or joints one after another.  Nothing
is checked here: `system.restore` checks what comes out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..bodies import Lump, MassIntegrals, NormalBody, SecondOrder
from ..bodies.balance import Balance
from ..bodies.line import NodeLine
from ..bodies.recovery import KnownSection, Recovery, Stations, StressPoints
from ..bodies.rod_tables import RodTables
from ..bodies.solids import SOLIDS, Solid, solid_fields
from ..immutable import declared_arrays
from ..joints import CompoundJoint, Joint, SimpleJoint, Slide, Turn, Twist
from ..joints.base import parameter_kinds
from ..joints.factored import Product
from ..system import Coupling, Frame, Loop, LoopEnd, System
from .codec import KINDS, OWN, kind_named, new_record

Array = np.ndarray
_STILL = ("solids", "recoveries", "frames")  # words without effect on the motion
_OF_LUMP = ("lump_mass", "lump_offset", "lump_inertia")


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
    of_bodies = [*declared_arrays(MassIntegrals), *declared_arrays(NormalBody), *_OF_LUMP]
    names = ["joint_parameters", *(f"body_{name}" for name in of_bodies)]
    names += ["loop_joint_parameters"] * ("loops" in words)
    moved = dict.fromkeys(names, np.zeros(0)) | moved
    result = hashlib.sha256(json.dumps(moving, sort_keys=True).encode())
    for name in sorted(moved):
        result.update(f"{name} {moved[name].shape}".encode())
        result.update(moved[name].tobytes())
    return result.hexdigest()


class Numbers:
    """Flat array from which pieces are taken in turn."""

    def __init__(self, values: Any) -> None:
        self.values = np.array(values, dtype=float).ravel()
        self.used = 0

    def check_used(self) -> None:
        """Refuse numbers that belong to nothing."""
        if self.used < len(self.values):
            raise ValueError("an array is too long")

    def take(self, *shape: int) -> Any:
        """Next numbers in a shape; without one, a float."""
        size = int(np.prod(shape, dtype=int))
        piece = self.values[self.used : self.used + size]
        if size < 0 or len(piece) < size:
            raise ValueError("an array is too short")
        self.used += size
        return piece.reshape(shape) if shape else float(piece[0])


class _Flat(dict[str, Numbers]):
    """Arrays of a description by name; one that is missing is empty."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self.arrays = arrays

    def __missing__(self, name: str) -> Numbers:
        return self.setdefault(name, Numbers(self.arrays.get(name, np.zeros(0))))


def restored(words: dict[str, Any], arrays: Mapping[str, Array]) -> System:
    """System of a description, with the same bits as when it was written."""
    flat, names = _Flat(arrays), tuple(map(str, words["names"]))
    bodies = [_body(words, k, flat) for k in range(len(words["bodies"]))]
    n = len(names)
    number = _whole(flat["body_number"].take(n))
    if np.any(number < 0):
        raise ValueError("a body has a negative number")
    system = System(
        name=str(words["name"]),
        gravity=flat["gravity"].take(3),
        names=names,
        parent=_whole(flat["parent"].take(n)),
        parent_node=_whole(flat["parent_node"].take(n)),
        frame_rotation=flat["frame_rotation"].take(n, 3, 3),
        frame_position=flat["frame_position"].take(n, 3),
        joints=tuple(_joint(x, flat["joint_parameters"]) for x in words["joints"]),
        bodies=tuple(bodies[k] for k in number),
        loops=tuple(_loop(x, flat) for x in words.get("loops", ())),
        couplings=tuple(_coupling(x, flat) for x in words.get("couplings", ())),
        drives=tuple((str(a), str(b)) for a, b in words.get("drives", ())),
        frames=tuple(
            Frame(str(name), *_place("named_frame", flat)) for name in words.get("frames", ())
        ),
    )
    for numbers in flat.values():
        numbers.check_used()
    return system


def _whole(values: Array) -> Array:
    return values.astype(int)


def _arrays(
    kind: Any, lengths: Mapping[str, int], take: Callable[..., Any], but: Sequence[str] = ()
) -> dict[str, Any]:
    """Arrays of a record by the lengths of their dimensions, in the order of its fields."""
    values = {}
    for name, about in declared_arrays(kind, but).items():
        array = take(name, *(lengths[x.removeprefix("other_")] for x in about["dimensions"]))
        values[name] = _whole(array) if about["whole"] else array
    return values


def _in_turn(numbers: Numbers) -> Callable[..., Any]:
    return lambda _, *shape: numbers.take(*shape)


def _body(words: dict[str, Any], k: int, flat: _Flat) -> NormalBody:
    """Body k of a description, which follows the bodies before it in each array."""
    sizes = words["bodies"][k]

    def take(name: str, *shape: int) -> Any:
        return flat[f"body_{name}"].take(*shape)

    def concern(name: str) -> Any:
        return words[name][k] if words.get(name) else None

    m, n = sizes["n_mode"], sizes["n_node"]
    lengths = {"axis": 3, "six": 6, "component": 6, "plane": 2, "stress": 3, "constant": 2}
    lengths |= {"mode": m, "node": n}
    body = NormalBody(
        integrals=MassIntegrals(mass=take("mass"), **_arrays(MassIntegrals, lengths, take)),
        lumps=tuple(
            Lump(take("lump_mass"), take("lump_offset", 3), take("lump_inertia", 3, 3), node)
            for node in sizes["lumps"]
        ),
        **_arrays(NormalBody, lengths, take),
        inboard=sizes["inboard"],
        node_names=dict(sizes["node_names"]),
        level=sizes["level"],
        solids=restored_solids(concern("solids") or (), flat["solid_numbers"]),
    )
    if (nodes := concern("second_orders")) is not None:
        of_second = flat["second_order_numbers"].take
        shapes = of_second(3, m, m), of_second(3, 3, m, m), {x: of_second(6, m, m) for x in nodes}
        body = replace(body, second_order=SecondOrder(*shapes))
    if (rod := concern("rods")) is not None:
        numbers, strains = flat["rod_numbers"], np.array(rod["strains"], dtype=int)
        length, stations = numbers.take(), lengths | {"station": rod["stations"]}
        values = _arrays(RodTables, stations, _in_turn(numbers), but=("strains",))
        body = replace(body, rod=RodTables(length=length, strains=strains, **values))
    if concern("floating"):
        body = replace(body, floating=_floating(body, flat["floating_numbers"]))
    if stress := concern("recoveries"):
        body = _with_stresses(body, stress, lengths, flat["recovery_numbers"])
    return body


def _floating(body: NormalBody, numbers: Numbers) -> NormalBody:
    m = body.n_mode
    shapes = numbers.take(*body.node_shapes.shape)
    mass = replace(
        body.integrals,
        modal_first_moment=numbers.take(3, m),
        modal_second_moment=numbers.take(3, 3, m),
        modal_products=numbers.take(3, 3, m, m),
    )
    return replace(body, integrals=mass, node_shapes=shapes, inboard=-1, solids=())


def _with_stresses(
    body: NormalBody, words: dict[str, Any], lengths: dict[str, int], numbers: Numbers
) -> NormalBody:
    take = _in_turn(numbers)
    line = points = stations = rod = None
    if "line" in words:
        *sizes, k = words["line"]
        line = NodeLine(*sizes, **_arrays(NodeLine, lengths | {"section_point": k}, take))
    if (entry := words.get("points")) is not None:
        but = () if entry.get("elastic") is True else ("elasticity",)
        arrays = _arrays(StressPoints, lengths | {"point": entry["n"]}, take, but)
        points = StressPoints(**arrays, labels=tuple(map(str, entry["labels"])))
    if (entry := words.get("stations")) is not None:
        lengths = lengths | {"station": entry["n"], "field": 4 + 3 * body.n_mode}
        arrays, balance = _arrays(Stations, lengths, take), None
        sections = [
            KnownSection(**_arrays(KnownSection, lengths | {"section_point": k}, take))
            for k in entry["kinds"]
        ]
        if "nodes" in entry:
            nodes = np.array(entry["nodes"])
            lengths["loaded_node"] = len(nodes)
            balance = Balance(nodes, **_arrays(Balance, lengths, take, but=("nodes",)))
        chosen = tuple(sections[k] for k in entry["sections"])
        stations = Stations(**arrays, sections=chosen, balance=balance)
    if "rod" in words:
        rod = numbers.take(*words["rod"], 3, 6)
    parts = points, stations, rod
    recovery = None if all(x is None for x in parts) else Recovery(*parts)
    return replace(body, line=line, recovery=recovery)


def restored_solids(words: Sequence[dict[str, Any]], numbers: Numbers) -> tuple[Solid, ...]:
    """Solids of their kinds, colors and numbers of rows; body files have them so, too."""
    solids = []
    for entry in words:
        kind = SOLIDS[entry["kind"].lower()]
        values = {"at": numbers.take(3), "rotation": numbers.take(3, 3)}
        for name, (shape, whole, _) in solid_fields(kind).items():
            counted = shape and shape[0] < 0
            rows = np.atleast_1d(entry["rows"][name]).tolist() if counted else shape[:1]
            value = numbers.take(*(int(n) for n in (*rows, *shape[1:])))
            values[name] = _whole(value) if whole else value
        solids.append(kind(color=entry["color"], **values))
    return tuple(solids)


def _joint(words: list[Any], numbers: Numbers) -> Joint:
    """Joint of the name of its class and the sizes of what has no fixed size."""
    name, *sizes = words
    kind = kind_named(name.lower() if name.lower() in KINDS else f"{OWN}{name}")
    if not issubclass(kind, Joint):
        raise ValueError(f"{name!r} is no joint")
    if kind is Product:
        takers: dict[str, Callable[[int], Any]] = {
            "Turn": lambda q: Turn(q, numbers.take(3), numbers.take()),
            "Slide": lambda q: Slide(q, numbers.take(3)),
            "Twist": lambda q: Twist(q, numbers.take(6)),
        }
        factors, names = sizes
        turns = tuple(takers[factor](q) for factor, q in factors)
        return Product(turns, tuple((str(x), str(unit)) for x, unit in names))
    if kind in (SimpleJoint, CompoundJoint):
        maps = [np.array(numbers.take(6, n), order=order) for n, order in sizes]
        parts = tuple(new_record(SimpleJoint, {"columns": H}) for H in maps)
        return new_record(kind, {"parts": parts}) if kind is CompoundJoint else parts[0]
    shapes = iter(sizes[0] if sizes else [])
    take = {
        "direction": lambda: numbers.take(3),
        "number": numbers.take,
        "values": lambda: numbers.take(*next(shapes)),
    }
    return new_record(
        kind, {x: take[about["kind"]]() for x, about in parameter_kinds(kind).items()}
    )


def _loop(words: dict[str, Any], flat: _Flat) -> Loop:
    joint = _joint(words["joint"], flat["loop_joint_parameters"])
    a, b = (LoopEnd(*_place("loop", flat, order)) for order in words["orders"])
    return Loop(str(words["name"]), joint, a, b, chosen=bool(words["chosen"]))


def _place(of: str, flat: _Flat, order: Any = "C") -> tuple[int, int, Array, Array]:
    body, node = (int(flat[f"{of}_{x}"].take()) for x in ("body", "node"))
    rotation = np.array(flat[f"{of}_rotation"].take(3, 3), order=order)
    return body, node, rotation, flat[f"{of}_position"].take(3)


def _coupling(words: dict[str, Any], flat: _Flat) -> Coupling:
    bodies, entries = (tuple(map(int, words[key])) for key in ("bodies", "entries"))
    ratios = flat["coupling_numbers"].take(len(bodies))
    return Coupling(str(words["name"]), bodies, entries, ratios, flat["coupling_numbers"].take())
