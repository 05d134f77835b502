"""All that Python can describe has its place in a model file: a new class without one fails."""

import dataclasses
import inspect
from typing import get_args

import pytest

import lissom as ls
from lissom import structures
from lissom.bodies import solids
from lissom.io.model_file.build import loads as acting, parts as making
from lissom.io.model_file.joint_kinds import JOINTS
from lissom.io.model_file.schema import (
    contact as schema_contact,
    loads as schema_loads,
    model as schema,
    parts as schema_bodies,
    shapes as schema_shapes,
    simulation as schema_simulation,
)
from lissom.options import DEFAULTS, IN_FILES
from lissom.sim import Drive
from lissom.sim.integrators import KINDS
from lissom.sim.loads.contact.law import NormalLaw
from lissom.system import SHAPES


def public(base):
    """Classes of a kind that can be made, by the names that lissom offers."""
    found = [getattr(ls, name) for name in ls.__all__]
    classes = {x for x in found if isinstance(x, type) and issubclass(x, base)}
    return {x for x in classes if not inspect.isabstract(x) and x is not base}


def kinds(union):
    """Values of `kind` in the tables of a union."""
    tables = get_args(get_args(union)[0])
    return {name for t in tables for name in get_args(t.model_fields["kind"].annotation)}


def test_joints():
    assert set(JOINTS.values()) == public(ls.Joint)
    assert kinds(schema_bodies.AnyJoint) == {*JOINTS, "none", "own"}


def test_bodies():
    from lissom.model.parts import Body

    tables = {
        ls.RigidBody: {"rigid", "box", "cylinder", "sphere", "rod", "points"},
        ls.FlexibleBody: {"flexible", "file", "beam"},
        ls.NodalBody: {"nodal"},
        ls.Rod: {"elastic rod"},  # "rod" in files, where it has a section or a stiffness
    }
    assert set(get_args(Body)) == set(tables)
    assert kinds(schema_bodies.OwnBody) == set().union(*tables.values())
    makers = [x for x, f in vars(ls.RigidBody).items() if isinstance(f, classmethod)]
    assert {"from_points" if x == "points" else x for x in tables[ls.RigidBody]} == {
        "rigid",
        *(x for x in makers if x[0] != "_"),
    }
    known = {x for x in vars(solids).values() if isinstance(x, type)}
    assert set(making.SOLIDS.values()) == {
        x for x in known if issubclass(x, solids.Solid) and not inspect.isabstract(x)
    } - {solids.Solid}


def test_sections():
    assert set(making.SECTIONS.values()) == public(ls.Section)
    assert kinds(schema_bodies.AnySection) == set(making.SECTIONS)
    materials = {x for x in vars(structures).values() if isinstance(x, ls.Material)}
    assert set(making.MATERIALS.values()) == materials


def test_loads():
    assert set(acting.KINDS.values()) == public(ls.Load) - {ls.Contacts} | {Drive}  # no sets
    assert kinds(schema_loads.AnyLoad) == set(acting.KINDS)
    for load in acting.KINDS.values():
        given = {x.name for x in dataclasses.fields(load)} - {"name", "on"}
        assert set(load.file_fields) == given, load


def test_shapes():
    classes = {x for x in vars(ls.shapes).values() if isinstance(x, type)}
    classes = {x for x in classes if issubclass(x, ls.shapes.ContactShape)}
    assert set(SHAPES.values()) == classes - {ls.shapes.ContactShape}
    assert kinds(schema_shapes.AnyShape) == set(SHAPES)


def test_laws_and_friction_of_contacts():
    laws = public(NormalLaw)
    assert set(schema_contact.LAWS.values()) == laws
    for table in get_args(get_args(schema_contact.AnyLaw)[0]):
        (kind,) = get_args(table.model_fields["kind"].annotation)
        fields = {x.name for x in dataclasses.fields(schema_contact.LAWS[kind])}
        assert set(table.model_fields) == fields | {"kind"}
    friction = {x.name for x in dataclasses.fields(ls.Friction)}
    assert set(schema_contact.FrictionTable.model_fields) == friction


def test_events_and_actions():
    assert public(ls.Action) == {ls.Stop, ls.Lock, ls.Release, ls.Switch, ls.RigidImpact}
    words = {"stop", "lock", "release", "switch", "rigid_impact"}
    assert kinds(schema_simulation.AnyAction) == words


def test_integrators():
    assert set(KINDS) == public(ls.Integrator)
    own = {x.names[0] for x in KINDS if inspect.signature(x).parameters}
    kind = schema_simulation.IntegratorTable.model_fields["kind"].annotation
    assert set(get_args(kind)) == own
    options = set(inspect.signature(ls.GeneralizedAlpha).parameters)
    assert options == set(schema_simulation.IntegratorTable.model_fields) - {"kind"}
    baumgarte = set(inspect.signature(ls.Baumgarte).parameters)
    assert baumgarte == set(schema_simulation.DriftTable.model_fields)


# Where results go and what is shown belongs to the command, not to the description.
NOT_IN_FILES = {"system", "file", "resume", "progress"}
ARGUMENTS = {
    "simulate": (
        ls.simulate,
        schema_simulation.SimulationTable,
        NOT_IN_FILES,
        {"held"},
    ),  # of assemble
    "add": (ls.Model.add, schema.PartTable, {"self"}, {"repeat", "first", "geared"}),  # mark_gear
    "close": (ls.Model.close, schema.ClosingTable, {"self"}, {"repeat", "node_a", "node_b"}),
    "join": (ls.Model.join, schema.ClosingTable, {"self"}, {"repeat", "node_a", "node_b"}),
    "attach": (ls.Model.attach, schema.IncludeTable, {"self", "model"}, {"file"}),
    "Event": (ls.Event, schema_simulation.EventTable, set(), set()),
    "Table": (ls.Table, schema_simulation.SignalTable, set(), set()),
    "Material": (ls.Material, schema_bodies.MaterialTable, {"name"}, set()),
    "beam": (ls.beam, schema_bodies.BeamTable, set(), {"kind", "solids"}),
    "FlexibleBody": (
        ls.FlexibleBody,
        schema_bodies.FlexibleTable,
        {"second_order", "line", "recovery", "source", "frame"},  # recovery: in body files
        {"kind", "arrays", "second_first_moment", "second_second_moment", "second_nodes"}
        | {"second_node_shapes", "line_sizes", "line_places", "line_factors"},
    ),
    "NodalBody": (ls.NodalBody, schema_bodies.NodalTable, set(), {"kind", "arrays", "solids"}),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments(name):
    function, table, only_python, only_files = ARGUMENTS[name]
    parameters = set(inspect.signature(function).parameters)
    assert parameters - only_python == set(table.model_fields) - only_files


def test_the_options_of_a_run_are_the_arguments_of_simulate_with_its_defaults():
    arguments = inspect.signature(ls.simulate).parameters.values()
    asked = {x.name: x.default for x in arguments if x.name not in {"state", *NOT_IN_FILES}}
    assert asked.pop("duration") is inspect.Parameter.empty
    declared = {x: y for x, y in DEFAULTS.items() if x in IN_FILES}
    assert declared.pop("duration") is None
    assert list(declared.items()) == list(asked.items())
    steps = inspect.signature(ls.Stepper).parameters.values()
    defaults = {x.name: x.default for x in steps if x.name not in ("system", "state", "step")}
    assert defaults == {name: DEFAULTS[name] for name in defaults}


@pytest.mark.parametrize("kind", acting.KINDS)
def test_arguments_of_loads(kind):
    tables = get_args(get_args(schema_loads.AnyLoad)[0])
    [table] = [t for t in tables if kind in get_args(t.model_fields["kind"].annotation)]
    parameters = set(inspect.signature(acting.KINDS[kind]).parameters)
    assert parameters == set(table.model_fields) - {"kind", "repeat"}


GROUPS = {"parts", "loops", "joins", "couplings", "frames", "shapes"}


def test_a_model_holds_nothing_else():
    held = set(vars(ls.Model()))
    assert held == {"name", "_gravity"} | {f"_{group}" for group in GROUPS}
    groups = {x for x in schema.FileTable.model_fields if x not in ("lissom", "name", "gravity")}
    assert groups == {"include", "materials", "bodies", "simulation", "sweep"} | GROUPS
