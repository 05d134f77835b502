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
from ....structures import (
    ALUMINIUM,
    CARBON,
    STEEL,
    TITANIUM,
    Circle,
    GeneralSection,
    ISection,
    Material,
    Rectangle,
    Section,
    Tube,
    beam,
    rod,
)
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
SECTIONS: dict[str, Callable[..., Section]] = {
    "tube": Tube,
    "circle": Circle,
    "rectangle": Rectangle,
    "i": ISection,
    "general": GeneralSection,
}


def made_joint(table: JointTable) -> Joint | None:
    """Joint of a table; None for a body connected by joins only."""
    given = _fields(table)
    kind = given.pop("kind")
    if kind == "none":
        return None
    if kind == "simple":
        return SimpleJoint(given["motion_map"])
    if kind == "compound":
        return CompoundJoint(given["motion_maps"])
    if kind == "own":
        values = {name: np.array(x)[()] for name, x in given["parameters"].items()}
        return own_joints()[given["joint"]](**values)
    return JOINTS[kind](**given)


def made_body(
    table: BodyTable, arrays: ArrayFiles, materials: Mapping[str, Material], version: int
) -> Body:
    """Body of a table.

    Parameters
    ----------
    table : BodyTable
        Validated table; not a reference by name.
    arrays : ArrayFiles
        Array files to which the table may refer.
    materials : mapping
        Materials of the file, by name.
    version : int
        Version of the format of the file with the table.
    """
    given = _fields(table)
    kind, solids = given.pop("kind"), given.pop("solids")
    body: Body
    if isinstance(table, BeamTable):
        body = _made_beam(given, materials, version)
    elif isinstance(table, ElasticRodTable):
        body = _made_rod({name: _array(x, arrays) for name, x in given.items()}, materials)
    elif isinstance(table, BodyFileTable):
        body = load_body(os.path.join(arrays.folder, given["file"]))
    elif isinstance(table, NodesTable):
        body = _made_of_nodes(table, given, arrays)
    else:
        body = _SHAPES[kind](**{name: _array(x, arrays) for name, x in given.items()})
    if solids is None:
        return body
    if isinstance(body, NodalBody):
        raise ModelError("a nodal body cannot have solids; leave them out")
    return dataclasses.replace(body, solids=[_made_solid(x, arrays) for x in solids])


def _fields(table: Any) -> dict[str, Any]:
    return {name: getattr(table, name) for name in type(table).model_fields}


def _array(value: Any, arrays: ArrayFiles) -> Any:
    """Value, with a reference replaced by its array."""
    return arrays.get(*value.parts) if isinstance(value, Reference) else value


def _made_solid(table: Any, arrays: ArrayFiles) -> Solid:
    given = {name: _array(x, arrays) for name, x in _fields(table).items()}
    kind = given.pop("kind")
    if "triangles" in given:
        given["triangles"] = _whole(given["triangles"], f"triangles of a {kind}")
    return SOLIDS[kind](**given)


def _whole(values: Any, what: str, kind: str = "vertex indices") -> Any:
    numbers = np.asarray(values)
    if np.any(numbers != np.round(numbers)) or np.any(np.abs(numbers) > 1e15):
        raise ModelError(f"{what} must be {kind}; give whole numbers")
    return numbers.astype(np.int64)


def _made_beam(
    given: dict[str, Any], materials: Mapping[str, Material], version: int
) -> FlexibleBody:
    material = _material(given.pop("material"), materials)
    section = _made_section(given.pop("section"))
    if given["shapes"] is None:
        given["shapes"] = "clamped" if version == 1 else "static"
    return beam(given.pop("length"), section, material, **given)


def _material(name: str, materials: Mapping[str, Material]) -> Material:
    known = {**MATERIALS, **materials}
    if name not in known:
        raise ModelError(f"there is no material {name!r}; {suggestion(name, known)}")
    return known[name]


def _made_section(table: Any) -> Section:
    given = _fields(table)
    return SECTIONS[given.pop("kind")](**{k: float(x) for k, x in given.items()})


_OF_SECTIONS = ("section", "sections", "material", "shear_factor")
_OF_ARRAYS = ("stiffness", "mass_per_length", "inertia", "stress_factors")


_FORMER = (
    "mass is taken as the mass per length [kg/m] of this rod, called mass_per_length since "
    "0.2.0; rename the key"
)


def _made_rod(given: dict[str, Any], materials: Mapping[str, Material]) -> Rod:
    """Rod from a section and a material, or from the arrays of its sections."""
    former = given.pop("mass")
    if former is not None:
        if given["mass_per_length"] is not None:
            raise ModelError(
                "a rod has mass and mass_per_length, which are the same; leave out mass"
            )
        given["mass_per_length"] = former
        warnings.warn(_FORMER, DeprecatedWarning, stacklevel=2)
    for name in ("bending", "shear"):
        given[name] = tuple(given[name]) if isinstance(given[name], list) else given[name]
    from_sections, from_arrays = (
        {name: x for name in names if (x := given.pop(name)) is not None}
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
        return Rod(given.pop("length"), **from_arrays, **given)
    _need(from_sections, ("material",), 'such as "steel"')
    shapes = [from_sections.pop(x) for x in ("section", "sections") if x in from_sections]
    if len(shapes) != 1:
        what = "both section and sections" if shapes else "no section"
        raise ModelError(f"a rod has {what}; give section, or sections = [root, tip] of a taper")
    found = [_made_section(x) for x in (shapes[0] if isinstance(shapes[0], list) else shapes)]
    material = _material(from_sections.pop("material"), materials)
    length = float(given.pop("length"))
    return rod(length, found[0] if len(found) == 1 else found, material, **from_sections, **given)


def _need(given: Mapping[str, Any], names: Sequence[str], remedy: str) -> None:
    for name in names:
        if name not in given:
            raise ModelError(f"{name} is missing; give it, {remedy}")


_NEEDED = {
    FlexibleTable: ("positions", "masses", "shapes", "stiffness"),
    NodalTable: ("positions", "masses", "stiffness"),
}


def _made_of_nodes(table: NodesTable, given: dict[str, Any], arrays: ArrayFiles) -> Body:
    file = given.pop("arrays")
    other = ("inboard", "names", "level")  # not arrays
    values = {name: _array(x, arrays) for name, x in given.items() if name not in other}
    found = arrays.keys(file) if file else []
    for name, value in values.items():
        if value is None and name in found:
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
    return kind(**values, **{name: given[name] for name in other})


def _line(values: dict[str, Any]) -> NodeLine | None:
    """Axis of a beam from its arrays, which are taken out of `values`."""
    names = ("line_sizes", "line_places", "line_factors")
    sizes, places, factors = found = [values.pop(name) for name in names]
    if all(x is None for x in found):
        return None
    for name, value in zip(names, found, strict=True):
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
    first, second, nodes, shapes = found = [values.pop(f"second_{name}") for name in names]
    if all(x is None for x in found):
        return None
    for name, value in zip(names, found, strict=True):
        if value is None:
            raise ModelError(f"second_{name} is missing beside other arrays of the second order")
    if len(nodes) != len(shapes):
        raise ModelError(
            f"second_nodes has {len(nodes)} nodes, second_node_shapes {len(shapes)}; give as many"
        )
    nodes = _whole(nodes, "second_nodes", "node numbers")
    return SecondOrder(first, second, dict(zip(nodes.tolist(), shapes, strict=True)))
