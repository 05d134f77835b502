"""Schema of bodies, joints and solids in model files."""

# ruff: noqa: D101  (names and fields describe the tables)
from __future__ import annotations

from functools import reduce
from itertools import starmap
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, Union

from pydantic import BeforeValidator, Field, create_model

from ....bodies.rod import MOST_ELEMENTS as MOST_ELEMENTS_OF_RODS, MOST_STATIONS
from ....bodies.rod_checks import MOST_FUNCTIONS as MOST_FUNCTIONS_OF_RODS
from ....bodies.solids import SOLIDS, Solid, solid_fields
from ....joints import Joint
from ....joints.base import parameter_kinds
from ....structures import Material
from ....structures.counts import MOST_FUNCTIONS
from ....structures.sections import SECTIONS
from ..joint_kinds import JOINTS, own_joints
from ..units import described
from .types import (
    ArrayFile,
    BodyFile,
    Direction,
    Length,
    Mass,
    Name,
    Point,
    Rotation,
    TableType,
    Words,
    array_of,
    fault,
    number_of,
    one_or_more,
    one_or_two,
    table_of,
    whole,
)

Level = Literal["full", "linear", "ruthless", "stiffened"]
Shapes = Literal["static", "clamped"]
Axis = Literal["x", "y", "z"]
MOST_MODES, MOST_ELEMENTS = 200, 300
_ELASTIC = {"section", "sections", "stiffness", "material"}  # keys that no rigid rod has


class SolidTable(TableType):
    """Fields common to all solids."""

    at: Point = (0.0, 0.0, 0.0)
    rotation: Rotation = None
    color: Words = None


def _solid_field(shape: tuple[int, ...], is_whole: bool, many: bool) -> Any:
    """Type of a solid's field, with its validator."""
    if shape == (-1,):
        return list[Annotated[Any, whole()]]
    if shape and shape[0] < 0:
        depths = (len(shape), len(shape) + 1) if many else (len(shape),)
        return Annotated[Any, array_of("number" if is_whole else "length", ndim=depths)]
    return Point if shape else Length


def _solid_table(name: str, kind: type[Solid]) -> type[SolidTable]:
    entries: dict[str, Any] = {"kind": (Literal[name], ...)}
    entries |= {key: (_solid_field(*about), ...) for key, about in solid_fields(kind).items()}
    return create_model(f"{kind.__name__}Solid", __base__=SolidTable, **entries)


if TYPE_CHECKING:
    AnySolid = SolidTable
else:
    AnySolid = Annotated[
        reduce(or_, starmap(_solid_table, SOLIDS.items())), Field(discriminator="kind")
    ]


class BodyTable(TableType):
    """Fields common to all bodies."""

    solids: list[AnySolid] | None = None


class RigidTable(BodyTable):
    kind: Literal["rigid"]
    mass: Mass
    com: Point = (0.0, 0.0, 0.0)
    inertia: Annotated[Any, array_of("inertia", ndim=(0, 1, 2))] = 0.0


class BoxTable(BodyTable):
    kind: Literal["box"]
    mass: Mass
    size: Point
    com: Point = (0.0, 0.0, 0.0)


class CylinderTable(BodyTable):
    kind: Literal["cylinder"]
    mass: Mass
    radius: Length
    length: Length
    axis: Axis = "z"
    com: Point = (0.0, 0.0, 0.0)


class SphereTable(BodyTable):
    kind: Literal["sphere"]
    mass: Mass
    radius: Length
    com: Point = (0.0, 0.0, 0.0)


class RodTable(BodyTable):
    kind: Literal["rod"]
    mass: Mass
    length: Length
    axis: Axis = "x"
    com: Point = (0.0, 0.0, 0.0)


class PointsTable(BodyTable):
    kind: Literal["points"]
    points: Annotated[Any, array_of("length", ndim=(2,))]
    masses: Annotated[Any, array_of("mass", ndim=(1,))]


class NodesTable(BodyTable):
    """Fields common to bodies with nodes; omitted arrays are read from the file `arrays`."""

    arrays: ArrayFile = None
    positions: Annotated[Any, array_of("length", ndim=(2,))] = None
    node_inertias: Annotated[Any, array_of("inertia", ndim=(3,))] = None
    inboard: Annotated[Any, BeforeValidator(lambda x: x)] = 0
    names: dict[str, Annotated[Any, whole()]] = Field(default_factory=dict)
    level: Level = "full"


class FlexibleTable(NodesTable):
    kind: Literal["flexible"]
    masses: Annotated[Any, array_of("mass", ndim=(1,))] = None
    shapes: Annotated[Any, array_of("number", ndim=(3,))] = None
    stiffness: Annotated[Any, array_of("number", ndim=(1, 2))] = None
    damping: Annotated[Any, array_of("number", ndim=(0, 1, 2))] = None
    node_offsets: Annotated[Any, array_of("length", ndim=(2,))] = None
    second_first_moment: Annotated[Any, array_of("number", ndim=(3,))] = None
    second_second_moment: Annotated[Any, array_of("number", ndim=(4,))] = None
    second_nodes: Annotated[Any, array_of("number", ndim=(1,))] = None
    second_node_shapes: Annotated[Any, array_of("number", ndim=(4,))] = None
    line_sizes: Annotated[Any, array_of("number", ndim=(1,))] = None
    line_places: Annotated[Any, array_of("length", ndim=(2,))] = None
    line_factors: Annotated[Any, array_of("number", ndim=(3,))] = None
    contact_nodes: Annotated[Any, array_of("number", ndim=(1,))] = None
    residual_compliance: Annotated[Any, array_of("number", ndim=(2,))] = None


class BodyFileTable(BodyTable):
    """Flexible body in a file of its own, see `FlexibleBody.save`."""

    kind: Literal["file"]
    file: BodyFile


class NodalTable(NodesTable):
    kind: Literal["nodal"]
    masses: Annotated[Any, array_of("number", "mass", ndim=(1, 2))] = None
    stiffness: Annotated[Any, array_of("number", ndim=(2,))] = None
    damping: Annotated[Any, array_of("number", ndim=(0, 1, 2))] = None


if TYPE_CHECKING:
    AnySection = TableType
    MaterialTable = TableType
else:
    AnySection = Annotated[
        reduce(or_, (table_of(kind, TableType) for kind in SECTIONS.values())),
        Field(discriminator="kind"),
    ]
    MaterialTable = table_of(Material, TableType, leave_out=("name",))


def _two_sections(sections: Any) -> Any:
    if not isinstance(sections, list) or len(sections) != 2:
        raise fault(f"is {described(sections)}; expected a list of two sections, at root and tip")
    return sections


class BeamTable(BodyTable):
    kind: Literal["beam"]
    length: Length
    section: AnySection
    material: Name
    modes: Annotated[Any, whole(1, MOST_MODES)] = None
    bending: Annotated[Any, one_or_two(0, MOST_FUNCTIONS)] = None
    torsion: Annotated[Any, whole(0, MOST_FUNCTIONS)] = None
    stretch: Annotated[Any, whole(0, MOST_FUNCTIONS)] = None
    shapes: Shapes | None = None
    level: Level = "full"
    damping: Annotated[Any, one_or_more("number")] = 0.005
    elements: Annotated[Any, whole(1, MOST_ELEMENTS)] = None
    contact: Annotated[Any, BeforeValidator(lambda x: x)] = ()


class ElasticRodTable(BodyTable):
    """Rod that bends; the file calls it "rod", and what it is made of tells it from a rigid one."""

    kind: Literal["elastic rod"]
    length: Length
    section: AnySection | None = None
    sections: Annotated[list[AnySection], BeforeValidator(_two_sections)] | None = None
    material: Name = None
    shear_factor: Annotated[Any, number_of("number", above=0)] = None
    stiffness: Annotated[Any, array_of("number", ndim=(1, 2))] = None
    mass_per_length: Annotated[Any, array_of("mass per length", ndim=(0, 1))] = None
    mass: Annotated[Any, array_of("mass per length", ndim=(0, 1))] = None  # its former name
    inertia: Annotated[Any, array_of("inertia per length", ndim=(1, 2))] = None
    stress_factors: Annotated[Any, array_of("number", ndim=(3, 4))] = None
    bending: Annotated[Any, one_or_two(0, MOST_FUNCTIONS_OF_RODS)] = 4
    torsion: Annotated[Any, whole(0, MOST_FUNCTIONS_OF_RODS)] = 2
    stretch: Annotated[Any, whole(0, MOST_FUNCTIONS_OF_RODS)] = 1
    shear: Annotated[Any, one_or_two(0, MOST_FUNCTIONS_OF_RODS)] = 0
    curvature: Annotated[Any, array_of("curvature", ndim=(1, 2))] = (0.0, 0.0, 0.0)
    damping: Annotated[Any, array_of("number", ndim=(0, 1, 2))] = 0.005
    nodes: dict[str, Annotated[Any, number_of("length", least=0)]] = Field(default_factory=dict)
    elements: Annotated[Any, whole(1, MOST_ELEMENTS_OF_RODS)] = 24
    stations: Annotated[Any, whole(1, MOST_STATIONS)] = None


class BodyByName(TableType):
    kind: Literal["named"]
    name: Name


def _own_body(table: Any) -> Any:
    """Table of a body; a rod is elastic if it has a section or a stiffness."""
    if isinstance(table, dict) and table.get("kind") == "rod" and not _ELASTIC.isdisjoint(table):
        return {**table, "kind": "elastic rod"}
    return table


def _body(entry: Any) -> Any:
    """Table of a body; a string is the name of a body in [bodies]."""
    return {"kind": "named", "name": entry} if isinstance(entry, str) else _own_body(entry)


OwnBody = Annotated[
    RigidTable
    | BoxTable
    | CylinderTable
    | SphereTable
    | RodTable
    | PointsTable
    | FlexibleTable
    | BodyFileTable
    | NodalTable
    | BeamTable
    | ElasticRodTable,
    Field(discriminator="kind"),
    BeforeValidator(_own_body),
]
AnyBody = Annotated[
    RigidTable
    | BoxTable
    | CylinderTable
    | SphereTable
    | RodTable
    | PointsTable
    | FlexibleTable
    | BodyFileTable
    | NodalTable
    | BeamTable
    | ElasticRodTable
    | BodyByName,
    Field(discriminator="kind"),
    BeforeValidator(_body),
]


class JointTable(TableType):
    """Base class of the tables of joints."""


class NoJoint(JointTable):
    """No joint: the body is connected by joins only."""

    kind: Literal["none"]


class OwnJoint(JointTable):
    """Joint of a user-defined class; `joint` is its name in the file."""

    kind: Literal["own"]
    joint: str
    parameters: dict[str, Annotated[Any, array_of("number", ndim=(0, 1, 2))]]


_SPECIAL: dict[str, Any] = {
    "simple": {"motion_map": Annotated[Any, array_of("number", ndim=(1, 2))]},
    "compound": {"motion_maps": list[Annotated[Any, array_of("number", ndim=(1, 2))]]},
}


def _table(name: str, kind: type[Joint]) -> Any:
    """Table of a joint class, with the parameters of the class as keys."""
    keys = _SPECIAL.get(name) or {
        key: Direction
        if about["kind"] == "direction"
        else Annotated[Any, number_of(about["dimension"])]
        for key, about in parameter_kinds(kind).items()
    }
    fields: dict[str, Any] = {"kind": (Literal[name], ...)} | {k: (x, ...) for k, x in keys.items()}
    return create_model(f"{kind.__name__}Table", __base__=JointTable, **fields)


def _joint(entry: Any) -> Any:
    """Table of a joint; a string is a kind and its axes: "free", "revolute z", "universal x y"."""
    table = entry
    if isinstance(entry, str):
        kind, *axes = entry.split() or [""]
        joint_class = JOINTS.get(kind)
        about = parameter_kinds(joint_class) if joint_class else {}
        names = [name for name, x in about.items() if x["kind"] == "direction"] or ["axis"]
        table = {"kind": kind}
        for k, axis in enumerate(axes):
            table[names[k] if k < len(names) else f"axis{k + 1}"] = axis
    named = table.get("kind") if isinstance(table, dict) else None
    if isinstance(named, str) and named in own_joints():
        parameters = {key: x for key, x in table.items() if key != "kind"}
        return {"kind": "own", "joint": named, "parameters": parameters}
    return table


AnyJoint: TypeAlias = Annotated[  # type: ignore[valid-type]
    Union[(*(_table(name, kind) for name, kind in JOINTS.items()), NoJoint, OwnJoint)],
    Field(discriminator="kind"),
    BeforeValidator(_joint),
]
