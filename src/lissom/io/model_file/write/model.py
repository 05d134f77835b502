"""Saving of models to TOML, JSON or YAML, with bit-exact numbers."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from ....bodies import FlexibleBody, NodalBody, RigidBody, Rod
from ....bodies.solids import SOLIDS, Solid
from ....errors import ModelFileError
from ....joints import CompoundJoint, Joint, SimpleJoint
from ....model import Model, Part
from ....model.coupling import Couple
from ....model.frames import NamedFrame
from ....model.parts import Body, Closing, Connection
from ....model.shapes import NamedShape
from ....spatial.scalar import is_numeric
from ...structures.body_file import save_body
from ..joint_kinds import JOINTS, file_kind, own_joints
from ..schema.model import FORMAT
from ..source import SUFFIXES

INLINE = 60  # most numbers of a body's arrays that are written to the model file itself

_SOLID_NAMES = {kind: name for name, kind in SOLIDS.items()}
_AXES = {(1.0, 0.0, 0.0): "x", (0.0, 1.0, 0.0): "y", (0.0, 0.0, 1.0): "z"}
_ROW = re.compile(r"\[\n((?:[ ]*[^\[\]\n\"{}]+,\n)+)[ ]*\]")


def save_model(model: Model, path: str | os.PathLike[str], simulation: Any = None) -> None:
    """Write a model; see `Model.save`."""
    try:
        target = Path(os.fspath(path))
    except TypeError:
        raise ModelFileError(f"path is {path!r}; expected a path, such as 'arm.toml'") from None
    if target.suffix.lower() not in SUFFIXES:
        kinds = ", ".join(SUFFIXES)
        raise ModelFileError(
            f"{target}: the suffix {target.suffix!r} is not a known format; use {kinds}"
        )
    writer = _Writer(target.stem + "_bodies.npz")
    data = writer.file(model)
    if simulation is not None:
        from .simulation import simulation_table

        section, materials = simulation_table(simulation, str(target.parent), model)
        if materials:
            data["materials"] = materials
        data["simulation"] = section
    text = _text(target, data)
    try:
        for name, body in writer.body_files.items():
            save_body(body, target.with_name(name))
        if writer.arrays:
            _write(target.with_name(writer.array_file), writer.arrays)
        _write(target, text)
    except (OSError, ValueError) as error:  # ValueError: text that UTF-8 cannot encode
        reason = getattr(error, "strerror", None) or str(error)
        raise ModelFileError(f"{target}: cannot be written ({reason})") from None


def _write(path: Path, content: Any) -> None:
    """Write a file atomically."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    try:
        with open(draft, "wb") as file:
            if isinstance(content, str):
                file.write(content.encode("utf-8"))
            else:
                np.savez(file, **content)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _text(path: Path, data: dict[str, Any]) -> str:
    suffix = path.suffix.lower()
    if suffix == ".json":
        return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    if suffix == ".toml":
        import tomli_w

        return _ROW.sub(_joined, tomli_w.dumps(data))
    try:
        import yaml
    except ImportError:
        raise ModelFileError(f"{path}: YAML needs PyYAML: pip install lissom[yaml]") from None
    return str(yaml.safe_dump(data, sort_keys=False, default_flow_style=None, allow_unicode=True))


def _joined(match: re.Match[str]) -> str:
    """List of numbers on one line, if it is short."""
    line = "[" + ", ".join(x.strip().rstrip(",") for x in match[1].splitlines()) + "]"
    return line if len(line) <= 90 else match[0]


class _Writer:
    """Converter of a model's parts to tables."""

    def __init__(self, array_file: str) -> None:
        self.array_file = array_file
        self.arrays: dict[str, Any] = {}
        self.body_files: dict[str, FlexibleBody] = {}
        self.where = ""

    def file(self, model: Model) -> dict[str, Any]:
        self.where = f"model {model.name!r}"
        data: dict[str, Any] = {"lissom": FORMAT, "name": model.name}
        data["gravity"] = self.numbers(model.gravity, "gravity")
        bodies: dict[str, Any] = {}
        names: dict[int, str] = {}
        parts = []
        for part in model.parts.values():
            self.where = f"body {part.name!r}"
            if id(part.body) not in names:
                names[id(part.body)] = part.name
                plain = re.fullmatch(r"[\w -]{1,100}", part.name)
                key = part.name if plain else f"#{len(bodies)}"  # keys of .npz files are file names
                bodies[part.name] = self.body(part.body, key)
            parts.append(self.part(part, names[id(part.body)]))
        data |= {"bodies": bodies, "parts": parts}
        for group in ("loops", "joins"):
            closings = getattr(model, group).values()
            if closings:
                data[group] = [self.closing(x) for x in closings]
        if model.couplings:
            data["couplings"] = [self.couple(x) for x in model.couplings.values()]
        if model.frames:
            data["frames"] = [self.named_frame(x) for x in model.frames.values()]
        if model.shapes:
            data["shapes"] = [self.shape(x) for x in model.shapes.values()]
        return data

    def part(self, part: Connection, body: str) -> dict[str, Any]:
        table: dict[str, Any] = {"name": part.name, "body": body}
        table["joint"] = "none" if part.loose else self.joint(part.joint)
        table |= self.place(part.to, "to", "node")
        if part.geared:
            table["geared"] = True
        return table | self.frame(part.at, part.rotation, "")

    def closing(self, closing: Closing) -> dict[str, Any]:
        self.where = closing.title
        table: dict[str, Any] = {"name": closing.name, "joint": self.joint(closing.joint)}
        for side, end in (("a", closing.a), ("b", closing.b)):
            table |= self.place(end.part, side, f"node_{side}")
            table |= self.frame(end.at, end.rotation, f"_{side}")
        return table

    def couple(self, couple: Couple) -> dict[str, Any]:
        self.where = couple.title
        ratios = {key: self.numbers(x, "a ratio") for key, x in couple.ratios.items()}
        table: dict[str, Any] = {"name": couple.name, "ratios": ratios}
        offset = self.numbers(couple.offset, "offset")
        return table | ({"offset": offset} if offset else {})

    def named_frame(self, frame: NamedFrame) -> dict[str, Any]:
        self.where = frame.title
        table = {"name": frame.name, **self.place(frame.end.part, "on", "node")}
        return table | self.frame(frame.end.at, frame.end.rotation, "")

    def shape(self, named: NamedShape) -> dict[str, Any]:
        self.where, shape = named.title, named.shape
        table: dict[str, Any] = {"kind": shape.kind, "name": named.name}
        table |= self.place(named.on, "on", "node")
        for field in dataclasses.fields(shape):
            value, usual = getattr(shape, field.name), field.default
            if field.name in ("at", "rotation") or value is None:
                continue
            if usual is not dataclasses.MISSING and _same(value, usual):
                continue
            plain = re.fullmatch(r"[\w -]{1,100}", named.name)
            key = f"shape{len(self.arrays)}" if plain is None else f"{named.name}.shape"
            small = np.size(value) <= INLINE
            if not isinstance(value, str):
                value = self.array(value, f"{key}.{field.name}", small)
            table[field.name] = value
        return table | self.frame(shape.at, shape.rotation, "")

    def place(self, place: Part | None, key: str, node: str) -> dict[str, Any]:
        if place is None:
            return {}
        if isinstance(place.node, (int, np.integer)):
            return {key: place.name, node: int(place.node)}
        return {key: str(place)}

    def frame(self, at: Any, rotation: Any, ending: str) -> dict[str, Any]:
        table = {}
        if not _same(at, np.zeros(3)):
            table[f"at{ending}"] = self.numbers(at, "at")
        if not _same(rotation, np.eye(3)):
            table[f"rotation{ending}"] = self.numbers(rotation, "rotation")
        return table

    def numbers(self, values: Any, what: str) -> Any:
        """Nested lists of floats; symbols are rejected."""
        array = np.asarray(values)
        if array.dtype.kind not in "fiu":
            raise ModelFileError(
                f"{self.where}: {what} contains symbols, which files cannot hold; replace them "
                "with numbers before saving"
            )
        return array.tolist()

    def joint(self, joint: Joint) -> Any:
        if isinstance(joint, SimpleJoint):
            return {"kind": "simple", "motion_map": self.numbers(joint.columns, "motion_map")}
        if isinstance(joint, CompoundJoint):
            maps = [self.numbers(x.columns, "motion_map") for x in joint.parts]
            return {"kind": "compound", "motion_maps": maps}
        kind = file_kind(type(joint))
        if {**JOINTS, **own_joints()}.get(kind) is not type(joint):
            raise ModelFileError(
                f"{self.where}: a joint of type {type(joint).__name__} cannot be saved to a "
                "file; make the class a dataclass (frozen=True, eq=False) with a unique name whose "
                "fields are numbers"
            )
        parameters = {name: self.numbers(value, name) for name, value in joint.parameters.items()}
        named = {k: _named_axis(x) for k, x in parameters.items()}
        if all(isinstance(x, str) for x in named.values()):
            return " ".join([kind, *named.values()])
        return {"kind": kind, **named}

    def body(self, body: Body, name: str) -> dict[str, Any]:
        if isinstance(body, RigidBody):
            table = self.rigid(body)
        elif isinstance(body, FlexibleBody) and body.recovery is not None:
            file = f"{self.array_file.removesuffix('.npz')}_{len(self.body_files)}.nc"
            self.body_files[file] = body
            return {"kind": "file", "file": file}
        elif isinstance(body, Rod):
            table = self.rod(body, name)
        else:
            table = self.nodes(body, name)
        solids = () if isinstance(body, NodalBody) else body.solids
        if solids:
            table["solids"] = [self.solid(x, f"{name}.solid{k}") for k, x in enumerate(solids)]
        return table

    def rigid(self, body: RigidBody) -> dict[str, Any]:
        table: dict[str, Any] = {"kind": "rigid", "mass": self.numbers(body.mass, "mass")}
        if not _same(body.com, np.zeros(3)):
            table["com"] = self.numbers(body.com, "com")
        inertia = self.numbers(body.inertia, "inertia")
        diagonal = np.diag(body.inertia)
        if _same(body.inertia, np.diag(diagonal)):
            inertia = self.numbers(diagonal, "inertia")
        return table | {"inertia": inertia}

    def rod(self, body: Rod, name: str) -> dict[str, Any]:
        """Table of a rod; one row of an array is written without the outer list."""
        table: dict[str, Any] = {"kind": "rod", "length": body.length}
        rows = {
            x: getattr(body, x) for x in ("stiffness", "mass_per_length", "inertia", "curvature")
        }
        arrays = {key: x[0] if len(x) == 1 else x for key, x in rows.items()}
        if _same(arrays["curvature"], np.zeros(3)):
            del arrays["curvature"]
        arrays["damping"] = body.damping
        small = sum(np.size(x) for x in arrays.values()) <= INLINE
        for key, value in arrays.items():
            table[key] = self.array(value, f"{name}.{key}", small or np.ndim(value) == 0)
        if (stress := body.stress_factors) is not None:
            stress = stress[0] if len(stress) == 1 else stress
            key = "stress_factors"
            table[key] = self.array(stress, f"{name}.{key}", stress.size <= INLINE)
        if body.counts is None:
            raise ModelFileError(
                f"{self.where}: the functions of a strain are callables, which files cannot hold; "
                "give numbers of functions (Legendre polynomials) to save the rod"
            )
        table |= {key: x if isinstance(x, int) else list(x) for key, x in body.counts.items()}
        if body.nodes:
            table["nodes"] = dict(body.nodes)
        return table | {"elements": body.elements, "stations": len(body.tables.masses)}

    def nodes(self, body: FlexibleBody | NodalBody, name: str) -> dict[str, Any]:
        names = ["positions", "masses", "shapes", "stiffness", "damping"]
        names += ["node_inertias", "node_offsets"]
        arrays = {x: getattr(body, x) for x in names if getattr(body, x, None) is not None}
        if isinstance(body, FlexibleBody) and body.level == "stiffened":
            arrays |= _second_order(body)
        if isinstance(body, FlexibleBody) and (line := body.line) is not None:
            arrays["line_sizes"] = np.array([line.nodes, line.pieces, line.stations])
            arrays |= {"line_places": line.places, "line_factors": line.factors}
        if isinstance(body, FlexibleBody) and body.contact_nodes:
            arrays["contact_nodes"] = np.array(body.contact_nodes)
            arrays["residual_compliance"] = body.residual_compliance
        small = sum(np.size(x) for x in arrays.values()) <= INLINE
        kind = "flexible" if isinstance(body, FlexibleBody) else "nodal"
        table: dict[str, Any] = {"kind": kind, "level": body.level, "inboard": int(body.inboard)}
        if body.names:
            table["names"] = dict(body.names)
        for key, value in arrays.items():
            self.numbers(value, key)
            table[key] = self.array(value, f"{name}.{key}", small or np.ndim(value) == 0)
        return table

    def array(self, value: Any, key: str, inline: bool) -> Any:
        if inline:
            return self.numbers(value, key)
        self.arrays[key] = np.asarray(value)
        return f"{self.array_file}:{key}"

    def solid(self, solid: Solid, name: str) -> dict[str, Any]:
        table: dict[str, Any] = {"kind": _SOLID_NAMES[type(solid)]}
        for key, value in vars(solid).items():
            if key == "nodes":
                table[key] = [int(x) for x in value]
            elif key == "color":
                table |= {} if value is None else {key: value}
            elif key not in ("at", "rotation"):
                small = np.size(value) <= INLINE
                table[key] = self.array(value, f"{name}.{key}", small)
        return table | self.frame(solid.at, solid.rotation, "")


def _second_order(body: FlexibleBody) -> dict[str, Any]:
    second = body.constants_of_second_order
    return {
        "second_first_moment": second.first_moment,
        "second_second_moment": second.second_moment,
        "second_nodes": np.array(list(second.node_shapes)),
        "second_node_shapes": np.stack(list(second.node_shapes.values())),
    }


def _named_axis(axis: Any) -> Any:
    if isinstance(axis, list) and tuple(axis) in _AXES and not np.any(np.signbit(axis)):
        return _AXES[tuple(axis)]
    return axis


def _same(values: Any, other: Any) -> bool:
    """Whether two arrays are equal, including signs of zero."""
    values = np.asarray(values)
    if not is_numeric(values):
        return False
    return bool(
        np.array_equal(values, other) and np.array_equal(np.signbit(values), np.signbit(other))
    )
