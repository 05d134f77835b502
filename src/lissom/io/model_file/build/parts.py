"""Bodies, joints and solids from the validated tables of a model file."""

from __future__ import annotations

import dataclasses
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ....bodies import FlexibleBody, NodalBody, RigidBody, Rod, SecondOrder
from ....bodies.line import NodeLine
from ....bodies.solids import SOLIDS, Solid
from ....errors import DeprecatedWarning, ModelError, suggestion
from ....joints import CompoundJoint, Joint, SimpleJoint
from ....model.parts import Body
from ....shapes import ContactShape
from ....structures import ALUMINIUM, CARBON, STEEL, TITANIUM, Material, Section, beam, rod
from ....structures.sections import SECTIONS
from ....system import SHAPES
from ...structures.body_file import load_body
from ..arrays import ArrayFiles
from ..joint_kinds import JOINTS, own_joints
from ..schema.parts import (
    BeamTable,
    BodyFileTable,
    BodyTable,
    ElasticRodTable,
    FlexibleTable,
    JointTable,
    NodalTable,
    NodesTable,
)
from ..schema.shapes import ShapeTable
from ..schema.types import Reference

MATERIALS = {x.name: x for x in (ALUMINIUM, CARBON, STEEL, TITANIUM)}
_SHAPES: dict[str, Callable[..., RigidBody]] = {
    "rigid": RigidBody,
    "box": RigidBody.box,
    "cylinder": RigidBody.cylinder,
    "sphere": RigidBody.sphere,
    "rod": RigidBody.rod,
    "points": RigidBody.from_points,
}


def build_joint(table: JointTable) -> Joint | None:
    """Joint of a table; None for a body connected by joins only."""
    fields = _fields(table)
    kind = fields.pop("kind")
    if kind == "none":
        return None
    if kind == "simple":
        return SimpleJoint(fields["motion_map"])
    if kind == "compound":
        return CompoundJoint(fields["motion_maps"])
    if kind == "own":
        values = {name: np.array(x)[()] for name, x in fields["parameters"].items()}
        return own_joints()[fields["joint"]](**values)
    return JOINTS[kind](**fields)


def build_body(
    table: BodyTable, arrays: ArrayFiles, materials: Mapping[str, Material], version: int
) -> Body:
    """Body of a table."""
    fields = _fields(table)
    kind, solids = fields.pop("kind"), fields.pop("solids")
    body: Body
    if isinstance(table, BeamTable):
        body = _build_beam(fields, materials, version)
    elif isinstance(table, ElasticRodTable):
        body = _build_rod({name: _array(x, arrays) for name, x in fields.items()}, materials)
    elif isinstance(table, BodyFileTable):
        body = load_body(os.path.join(arrays.folder, fields["file"]))
    elif isinstance(table, NodesTable):
        body = _build_nodal(table, fields, arrays)
    else:
        body = _SHAPES[kind](**{name: _array(x, arrays) for name, x in fields.items()})
    if solids is None:
        return body
    if isinstance(body, NodalBody):
        raise ModelError("a nodal body cannot have solids; leave them out")
    return dataclasses.replace(body, solids=[_build_solid(x, arrays) for x in solids])


def _fields(table: Any) -> dict[str, Any]:
    return {name: getattr(table, name) for name in type(table).model_fields}


def _array(value: Any, arrays: ArrayFiles) -> Any:
    """Value, with a reference replaced by its array."""
    return arrays.get(*value.parts) if isinstance(value, Reference) else value


def _build_solid(table: Any, arrays: ArrayFiles) -> Solid:
    fields = {name: _array(x, arrays) for name, x in _fields(table).items()}
    kind = fields.pop("kind")
    if "triangles" in fields:
        fields["triangles"] = _whole(fields["triangles"], f"triangles of a {kind}")
    return SOLIDS[kind](**fields)


def build_shape(table: ShapeTable, arrays: ArrayFiles) -> ContactShape:
    """Shape of contact of a table."""
    kind: Any = SHAPES[getattr(table, "kind")]  # noqa: B009  (each table has its own)
    names = [f.name for f in dataclasses.fields(kind)]
    return kind(**{name: _plain(_array(getattr(table, name), arrays)) for name in names})


def _plain(value: Any) -> Any:
    """Numbers without their units."""
    return float(value) if isinstance(value, float) else value


def _whole(values: Any, what: str, kind: str = "vertex indices") -> Any:
    numbers = np.asarray(values)
    if np.any(numbers != np.round(numbers)) or np.any(np.abs(numbers) > 1e15):
        raise ModelError(f"{what} must be {kind}; give whole numbers")
    return numbers.astype(np.int64)


def _build_beam(
    fields: dict[str, Any], materials: Mapping[str, Material], version: int
) -> FlexibleBody:
    material = material_named(fields.pop("material"), materials)
    section = _build_section(fields.pop("section"))
    if fields["shapes"] is None:
        fields["shapes"] = "clamped" if version == 1 else "static"
    return beam(fields.pop("length"), section, material, **fields)


def material_named(name: str, materials: Mapping[str, Material]) -> Material:
    """Material of a file, or one that is built in."""
    by_name = {**MATERIALS, **materials}
    if name not in by_name:
        raise ModelError(f"there is no material {name!r}; {suggestion(name, by_name)}")
    return by_name[name]


def _build_section(table: Any) -> Section:
    fields = _fields(table)
    kind: Any = SECTIONS[fields.pop("kind")]
    return kind(**{k: float(x) for k, x in fields.items()})


_OF_SECTIONS = ("section", "sections", "material", "shear_factor")
_OF_ARRAYS = ("stiffness", "mass_per_length", "inertia", "stress_factors")


_FORMER = (
    "mass is taken as the mass per length [kg/m] of this rod, called mass_per_length since "
    "0.2.0; rename the key"
)


def _build_rod(fields: dict[str, Any], materials: Mapping[str, Material]) -> Rod:
    """Rod from a section and a material, or from the arrays of its sections."""
    former = fields.pop("mass")
    if former is not None:
        if fields["mass_per_length"] is not None:
            raise ModelError(
                "a rod has mass and mass_per_length, which are the same; leave out mass"
            )
        fields["mass_per_length"] = former
        warnings.warn(_FORMER, DeprecatedWarning, stacklevel=2)
    for name in ("bending", "shear"):
        fields[name] = tuple(fields[name]) if isinstance(fields[name], list) else fields[name]
    from_sections, from_arrays = (
        {name: x for name in names if (x := fields.pop(name)) is not None}
        for names in (_OF_SECTIONS, _OF_ARRAYS)
    )
    if from_sections and from_arrays:
        a, b = next(iter(from_sections)), next(iter(from_arrays))
        raise ModelError(
            f"a rod has {a} and {b}; give section (or sections) and material, or stiffness, "
            "mass_per_length and inertia per length"
        )
    if from_arrays:
        _need(from_arrays, _OF_ARRAYS[:3], "or a section and a material instead")
        return Rod(fields.pop("length"), **from_arrays, **fields)
    _need(from_sections, ("material",), 'such as "steel"')
    shapes = [from_sections.pop(x) for x in ("section", "sections") if x in from_sections]
    if len(shapes) != 1:
        what = "both section and sections" if shapes else "no section"
        raise ModelError(f"a rod has {what}; give section, or sections = [root, tip] of a taper")
    sections = [_build_section(x) for x in (shapes[0] if isinstance(shapes[0], list) else shapes)]
    material = material_named(from_sections.pop("material"), materials)
    length = float(fields.pop("length"))
    return rod(
        length, sections[0] if len(sections) == 1 else sections, material, **from_sections, **fields
    )


def _need(fields: Mapping[str, Any], names: Sequence[str], remedy: str) -> None:
    for name in names:
        if name not in fields:
            raise ModelError(f"{name} is missing; give it, {remedy}")


_NEEDED = {
    FlexibleTable: ("positions", "masses", "shapes", "stiffness"),
    NodalTable: ("positions", "masses", "stiffness"),
}


def _build_nodal(table: NodesTable, fields: dict[str, Any], arrays: ArrayFiles) -> Body:
    file = fields.pop("arrays")
    other = ("inboard", "names", "level")  # not arrays
    values = {name: _array(x, arrays) for name, x in fields.items() if name not in other}
    keys = arrays.keys(file) if file else []
    for name, value in values.items():
        if value is None and name in keys:
            values[name] = arrays.get(file, name)
    for name in _NEEDED[type(table)]:
        if values[name] is None:
            place = f" or put it into {file}" if file else ' or an array file: arrays = "file.npz"'
            raise ModelError(f"{name} is missing; give it{place}")
    if values["damping"] is None:
        values["damping"] = 0.0
    kind = FlexibleBody if isinstance(table, FlexibleTable) else NodalBody
    if kind is FlexibleBody:
        values["second_order"] = _second_order(values)
        values["line"] = _line(values)
        nodes = values.pop("contact_nodes")
        if nodes is not None:
            values["contact_nodes"] = _whole(nodes, "contact_nodes", "node numbers").tolist()
    return kind(**values, **{name: fields[name] for name in other})


def _line(values: dict[str, Any]) -> NodeLine | None:
    """Axis of a beam from its arrays, which are taken out of `values`."""
    names = ("line_sizes", "line_places", "line_factors")
    sizes, places, factors = arrays = [values.pop(name) for name in names]
    if all(x is None for x in arrays):
        return None
    for name, value in zip(names, arrays, strict=True):
        if value is None:
            raise ModelError(f"{name} is missing beside other arrays of the axis of a beam")
    whole = _whole(sizes, "line_sizes", "numbers of nodes, pieces and stations").tolist()
    if len(whole) != 3:
        raise ModelError(f"line_sizes has {len(whole)} numbers; give nodes, pieces and stations")
    nodes, pieces, stations = whole
    return NodeLine(nodes, pieces, stations, np.asarray(places), np.asarray(factors))


def _second_order(values: dict[str, Any]) -> SecondOrder | None:
    """Second order of a flexible body from its arrays, which are taken out of `values`."""
    names = ("first_moment", "second_moment", "nodes", "node_shapes")
    first, second, nodes, shapes = arrays = [values.pop(f"second_{name}") for name in names]
    if all(x is None for x in arrays):
        return None
    for name, value in zip(names, arrays, strict=True):
        if value is None:
            raise ModelError(f"second_{name} is missing beside other arrays of the second order")
    if len(nodes) != len(shapes):
        raise ModelError(
            f"second_nodes has {len(nodes)} nodes, second_node_shapes {len(shapes)}; give as many"
        )
    nodes = _whole(nodes, "second_nodes", "node numbers")
    return SecondOrder(first, second, dict(zip(nodes.tolist(), shapes, strict=True)))
