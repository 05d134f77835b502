"""Systems as text and arrays, and back."""

import json
import pickle
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import lissom as ls
from lissom.algorithms.loops.closed_loops import constrained_dynamics
from lissom.algorithms.tree.reference import kinematics_base_to_tip
from lissom.bodies import Lump, MassIntegrals, NormalBody, SecondOrder, solids
from lissom.bodies.line import NodeLine
from lissom.bodies.rod_tables import RodTables
from lissom.errors import ResultError
from lissom.joints.base import joint_classes, parameter_kinds
from lissom.joints.factored import Product
from lissom.results.description import rods, system as described
from lissom.results.description.packed import pack, unpack
from lissom.results.description.system import describe, digest, restore
from lissom.results.files.formats import open_results
from lissom.system import Coupling, Frame, Loop, LoopEnd
from tests.samples.couplings import geared_rotors
from tests.samples.kernel_cases import JOINTS, STRUCTURES, far_state, joint_systems, random_system
from tests.samples.mechanisms import pendulum
from tests.samples.results import looped, parallelogram, same, stored, structure, write_journal

DATA = Path(__file__).parents[1] / "data"
CLOSING = {name: joint for name, joint in JOINTS.items() if joint.n_v < 6}


def bits(value) -> object:
    """A value with every number as its bits, for comparisons."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.kind, value.tobytes()
    if isinstance(value, (float, np.floating)):
        return float(value).hex()
    if isinstance(value, tuple):
        return tuple(map(bits, value))
    if isinstance(value, dict):
        return {key: bits(x) for key, x in value.items()}
    if isinstance(
        value,
        (
            ls.Joint,
            NormalBody,
            MassIntegrals,
            SecondOrder,
            Lump,
            NodeLine,
            Loop,
            LoopEnd,
            solids.Solid,
        ),
    ):
        return type(value), {f.name: bits(getattr(value, f.name)) for f in fields(value)}
    return value


def assert_same_fields(system, other) -> None:
    for f in fields(system):
        assert bits(getattr(system, f.name)) == bits(getattr(other, f.name)), f.name


def assert_identical(system, other) -> None:
    assert_same_fields(system, other)
    pairs = [[b.bodies.index(x) for x in b.bodies] for b in (system, other)]
    assert pairs[0] == pairs[1]
    state = far_state(system, np.random.default_rng(5), deformation=0.05)
    mirrored = other.state(state.q, state.v)
    for method in ("auto", "reference"):
        a = ls.forward_dynamics(system, state, method=method)
        assert a.tobytes() == ls.forward_dynamics(other, mirrored, method=method).tobytes()


def round_trip(system) -> ls.System:
    description, arrays = describe(system)
    json.dumps(description)
    return restore(*unpack(pack(description, arrays)))


@pytest.mark.parametrize("name", STRUCTURES)
def test_a_restored_system_has_the_same_bits(name):
    assert_identical(structure(name), round_trip(structure(name)))


@pytest.mark.parametrize("name", JOINTS)
def test_a_restored_joint_has_the_same_bits(name):
    for _, system in joint_systems(JOINTS[name], slice(1, None, 6)):
        assert_identical(system, round_trip(system))


@pytest.mark.parametrize("seed", range(25))
def test_a_restored_random_mechanism_has_the_same_bits(seed):
    system = random_system(seed)
    assert_identical(system, round_trip(system))


@pytest.mark.parametrize("name", CLOSING)
def test_restored_loops_have_the_same_bits(name):
    system = looped(CLOSING[name], CLOSING["spherical"])
    other = round_trip(system)
    assert_same_fields(system, other)
    assert [loop.name for loop in other.loops] == ["pin", "rod"]
    state = far_state(system, np.random.default_rng(5), deformation=0.05)
    found = [
        constrained_dynamics(s, kinematics_base_to_tip(s, state.q, state.v), np.zeros(s.n_v))
        for s in (system, other)
    ]
    assert bits(found[0]) == bits(found[1])


def test_a_restored_loop_knows_who_cut_it():
    system = parallelogram()
    for chosen in (False, True):
        loops = (replace(system.loops[0], chosen=chosen),)
        assert round_trip(replace(system, loops=loops)).loops[0].chosen is chosen


def test_a_rotation_of_an_end_keeps_its_order_in_memory():
    system = parallelogram()
    for order in "CF":
        (loop,) = system.loops
        end = replace(loop.a, rotation=np.array(loop.a.rotation, order=order))
        (back,) = round_trip(replace(system, loops=(replace(loop, a=end),))).loops
        assert back.a.rotation.flags.c_contiguous == (order == "C")
        assert back.a.rotation.flags.f_contiguous == (order == "F")


def test_a_tree_is_described_as_it_was_before_there_were_loops(tmp_path, monkeypatch):
    """See data/README.md for what wrote the file and for the digest."""
    old = DATA / "format_1.nc.part"
    system, store, _ = open_results(old)
    plain = replace(pendulum(), bodies=(replace(pendulum().bodies[0], solids=()),))
    assert_identical(plain, system)
    same(stored(plain, 5, ["rod"]), store)
    expected = "071083fc79dac7e4fad979ec92e0cf7e510cf3f7529427e8b7ec5efcdc32fa31"
    assert digest(system) == digest(pendulum()) == expected
    written_by = json.loads(old.read_bytes().split(b'"lissom_version": ')[1].split(b",")[0])
    monkeypatch.setattr("lissom.results.files.journal.writer.lissom_version", lambda: written_by)
    write_journal(tmp_path / "new.nc.part", plain, stored(plain, 5, ["rod"]), [3, 2])
    assert (tmp_path / "new.nc.part").read_bytes() == old.read_bytes()


def test_results_with_every_joint_of_an_earlier_version_open():
    """See data/README.md for what wrote the file and for the numbers."""
    run = ls.load(DATA / "joints.npz")
    kinds = [type(joint).__name__ for joint in run.system.joints]
    assert (
        kinds
        == (
            "Free Revolute Prismatic Screw Cylindrical Universal Spherical Planar SimpleJoint "
            "CompoundJoint Fixed"
        ).split()
    )
    expected = "6b1605dba2f45ae0f51e681ceb41f1cc0ab10459ed833d917348b92ed48965cf"
    assert digest(run.system) == expected
    last = [3.000740706089694, 0.0020704637471875348, -0.0023183668408841584]
    assert np.allclose(run["b10.position"][-1], last, rtol=0, atol=1e-14)


def test_a_netcdf_file_with_a_variable_for_each_array_opens():
    """See data/README.md for what wrote the file and for the numbers."""
    run = ls.load(DATA / "format_6.nc")
    assert digest(run.system) == "9990314d68995e24fefaa9ae33f282c86e34459586b427bba3f84551f55f4070"
    eye = [0.5009755966424979, 0.0, 0.0950251291630165]
    assert np.allclose(run["eye.position"][-1], eye, rtol=0, atol=1e-14)
    assert np.isclose(run["slide.force"][-1][2], -4.649243989331209, rtol=1e-12)


def test_only_systems_with_loops_state_the_version_that_older_readers_refuse():
    assert describe(pendulum())[0]["format_version"] == 1
    assert describe(parallelogram())[0]["format_version"] == 2


def test_a_map_keeps_its_order_in_memory():
    """Systems are made with rows in order; files of older versions can have columns in order."""
    model = ls.Model()
    turned = np.ascontiguousarray(np.eye(6)[:, [3, 4]].T).T
    model.add(ls.RigidBody(1.0), ls.SimpleJoint(turned), name="a")
    system = model.compile()
    assert system.joints[0].columns.flags.c_contiguous
    object.__setattr__(system.joints[0], "columns", turned)
    joint = round_trip(system).joints[0]
    assert joint.columns.flags.f_contiguous and not joint.columns.flags.c_contiguous


def test_every_field_of_system_body_and_joint_has_its_place_in_the_description():
    """Who adds a field must store it, and raise the format version if a reader must know it."""
    names = {
        cls: {f.name for f in fields(cls)}
        for cls in (ls.System, NormalBody, MassIntegrals, Lump, Loop, LoopEnd)
    }
    assert names[ls.System] == {
        *("name", "gravity", "names", "parent", "parent_node", "frame_rotation"),
        *("frame_position", "joints", "bodies", "loops", "couplings", "drives", "frames"),
    }
    assert names[Loop] == {"a", "b", *describe(parallelogram())[0]["loops"][0]} - {"orders"}
    assert {f"loop_{x}" for x in names[LoopEnd]} < set(describe(parallelogram())[1])
    model = ls.Model()
    model.add(ls.RigidBody(1.0), ls.Fixed(), name="a")
    model.frame("b", on="a")
    of_frame = {f.name for f in fields(Frame)} - {"name", "plain"}
    assert {f"named_frame_{x}" for x in of_frame} < set(describe(model.compile())[1])
    assert {f.name for f in fields(Coupling)} == {
        *describe(geared_rotors())[0]["couplings"][0],
        *("ratios", "offset"),
    }
    shapes = set(described._body_shapes(0, 0, 0))
    assert names[MassIntegrals] <= shapes
    assert names[Lump] == {*described._OF_LUMP, "node"}
    sizes = set(described._sizes(structure("beams").bodies[0])) - {"n_mode", "n_node"}
    elsewhere = {"integrals", "solids", "second_order", "rod", "floating", "recovery", "line"}
    assert names[NormalBody] == {*elsewhere, *described._OF_BODY, *sizes}
    assert {f.name for f in fields(RodTables)} == {"strains", *rods._shapes(0, 0, 0)}
    assert {f.name for f in fields(SecondOrder)} == {"first_moment", "second_moment", "node_shapes"}
    for kind in set(joint_classes().values()) - {ls.SimpleJoint, ls.CompoundJoint, Product}:
        if kind.__module__.startswith("lissom."):
            about = parameter_kinds(kind)
            assert [f.name for f in fields(kind)] == list(about)
            assert {x["kind"] for x in about.values()} <= {"direction", "number"}


def test_a_thousand_links_are_described_in_a_few_arrays():
    system = ls.library.rigid_chain(1000).compile()
    description, arrays = describe(system)
    data = pack(description, arrays)
    assert len(arrays) < 30 and len(data) < 1_000_000
    other = restore(*unpack(data))
    assert digest(other) == digest(system) == digest(ls.library.rigid_chain(1000).compile())


def test_shared_bodies_are_stored_once():
    one, many = (ls.library.flexible_chain(n, 8).compile() for n in (1, 50))
    assert describe(one)[1]["body_damping"].shape == describe(many)[1]["body_damping"].shape
    assert len({id(body) for body in round_trip(many).bodies}) == 1


def test_the_digest_sees_one_bit():
    system = structure("beams")
    position = system.frame_position.copy()
    position[1, 0] = np.nextafter(position[1, 0], 9)
    others = [replace(system, frame_position=position), replace(system, name="other")]
    assert len({digest(system), *map(digest, others)}) == 3
    assert digest(system) == digest(pickle.loads(pickle.dumps(system)))


def test_the_digest_sees_loops_and_one_bit_of_them():
    system = parallelogram()
    (loop,) = system.loops
    moved, turned = loop.b.position.copy(), loop.b.rotation.copy()
    moved[0] = np.nextafter(moved[0], 9)
    turned[0, 0] = np.nextafter(turned[0, 0], 0)
    others = [
        (),
        (replace(loop, name="other"),),
        (replace(loop, chosen=not loop.chosen),),
        (replace(loop, joint=ls.Revolute((0, 0, -1))),),
        (replace(loop, joint=ls.Spherical()),),
        (replace(loop, a=loop.b, b=loop.a),),
        (replace(loop, b=replace(loop.b, position=moved)),),
        (replace(loop, b=replace(loop.b, rotation=turned)),),
        (loop, replace(loop, name="twin")),
    ]
    digests = {digest(replace(system, loops=loops)) for loops in others}
    assert len({digest(system), *digests}) == 1 + len(others)
    assert digest(system) == digest(parallelogram()) == digest(round_trip(system))


DAMAGES = {
    "a parent beyond": lambda d, a: a["parent"].__setitem__(1, 99),
    "a parent that is itself": lambda d, a: a["parent"].__setitem__(1, 1),
    "a negative parent": lambda d, a: a["parent"].__setitem__(0, -2),
    "a node beyond": lambda d, a: a["parent_node"].__setitem__(2, 999),
    "a negative node": lambda d, a: a["parent_node"].__setitem__(2, -1),
    "a body beyond": lambda d, a: a["body_number"].__setitem__(0, 99),
    "a negative body": lambda d, a: a["body_number"].__setitem__(0, -1),
    "an inboard node beyond": lambda d, a: d["bodies"][1].__setitem__("inboard", 999),
    "an inboard node between": lambda d, a: d["bodies"][1].__setitem__("inboard", 0.5),
    "a named node beyond": lambda d, a: d["bodies"][1]["node_names"].__setitem__("tip", 999),
    "a level": lambda d, a: d["bodies"][1].__setitem__("level", "best"),
    "negative modes": lambda d, a: d["bodies"][1].__setitem__("n_mode", -5),
    "more modes": lambda d, a: d["bodies"][1].__setitem__("n_mode", 6),
    "lumps": lambda d, a: d["bodies"][1].__setitem__("lumps", [0]),
    "words for modes": lambda d, a: d["bodies"][1].__setitem__("n_mode", "five"),
    "a joint": lambda d, a: d["joints"].__setitem__(0, ["System"]),
    "a wide joint": lambda d, a: d["joints"].__setitem__(0, ["CompoundJoint", [4, "C"], [4, "C"]]),
    "a joint of nothing": lambda d, a: d["joints"].__setitem__(0, ["CompoundJoint"]),
    "one joint less": lambda d, a: d["joints"].pop(),
    "a name twice": lambda d, a: d["names"].__setitem__(0, d["names"][1]),
    "no names": lambda d, a: d.pop("names"),
    "a short array": lambda d, a: a.__setitem__("body_node_shapes", np.zeros(3)),
    "a long array": lambda d, a: a.__setitem__("body_node_shapes", np.zeros(100_000)),
    "no gravity": lambda d, a: a.pop("gravity"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_description_is_refused(name):
    description, arrays = describe(structure("beams"))
    description = json.loads(json.dumps(description))
    DAMAGES[name](description, arrays)
    with pytest.raises(ResultError, match="arm.nc is damaged"):
        restore(description, arrays, source="arm.nc")


def place(name, k, value):
    return lambda d, a: a[f"loop_{name}"].__setitem__(k, value)


def word(name, value):
    return lambda d, a: d["loops"][0].__setitem__(name, value)


LOOP_DAMAGES = {
    "a body beyond": place("body", 0, 99),
    "a negative body": place("body", 0, -2),
    "a node beyond": place("node", 0, 999),
    "a negative node": place("node", 0, -1),
    "a node of the ground": place("node", 2, 0),
    "a body without its node": place("body", 2, 0),
    "both ends on one body": lambda d, a: a["loop_body"].__setitem__(1, a["loop_body"][0]),
    "a joint that is none": word("joint", ["System"]),
    "a joint that holds nothing": word("joint", ["Free"]),
    "a joint with more parameters": word("joint", ["Screw"]),
    "a joint with fewer parameters": word("joint", ["Spherical"]),
    "one end": word("orders", ["C"]),
    "an order that is none": word("orders", ["C", "X"]),
    "the name of a body": word("name", "boom"),
    "the name of the other loop": word("name", "rod"),
    "no name": lambda d, a: d["loops"][0].pop("name"),
    "a loop less": lambda d, a: d["loops"].pop(),
    "a loop that is a word": lambda d, a: d["loops"].__setitem__(0, "pin"),
    "a number of loops": lambda d, a: d.__setitem__("loops", 2),
    "no bodies": lambda d, a: a.pop("loop_body"),
    "no positions": lambda d, a: a.pop("loop_position"),
    "a long rotation": lambda d, a: a.__setitem__("loop_rotation", np.zeros(40)),
}


@pytest.mark.parametrize("name", LOOP_DAMAGES)
def test_a_damaged_description_of_loops_is_refused(name):
    description, arrays = describe(looped(ls.Revolute("z"), ls.Universal("x", "y")))
    description = json.loads(json.dumps(description))
    restore(description, arrays)
    LOOP_DAMAGES[name](description, arrays)
    with pytest.raises(ResultError, match="arm.nc is damaged"):
        restore(description, arrays, source="arm.nc")


def test_a_joint_that_cannot_be_made_again_is_refused_by_name():
    class Own(ls.Joint):  # not a dataclass of its own
        coordinates = ()
        pose = motion_map = None

    system = replace(pendulum(), joints=(Own(),))
    with pytest.raises(ResultError, match="body 'rod': a joint of type Own cannot be stored"):
        describe(system)
    system = parallelogram()
    loops = (replace(system.loops[0], joint=Own()),)
    with pytest.raises(ResultError, match="loop 'pin': a joint of type Own cannot be stored"):
        describe(replace(system, loops=loops))


def test_packed_arrays_keep_type_shape_and_bits():
    arrays = {
        "float": np.array([[1.0, np.nan], [-0.0, 5e-324]]),
        "big": np.arange(3, dtype=">i4"),
        "bool": np.array([True, False]),
        "scalar": np.array(3.5),
        "empty": np.zeros((0, 3)),
        "columns": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    }
    text, back = unpack(pack({"a": [1, "ü", None]}, arrays))
    assert text == {"a": [1, "ü", None]}
    for name, array in arrays.items():
        assert back[name].shape == array.shape and back[name].dtype.kind == array.dtype.kind
        assert np.array_equal(back[name], array, equal_nan=array.dtype.kind == "f")
        assert back[name].flags.writeable
    with pytest.raises(TypeError, match="'words' does not contain numbers"):
        pack({}, {"words": np.array(["a"])})


@given(data=st.binary(max_size=200))
def test_unpacking_garbage_is_a_value_error(data):
    with pytest.raises(ValueError):
        unpack(data)


def test_what_bodies_look_like_comes_back_and_does_not_change_the_digest():
    model = ls.Model("looks")
    mesh = solids.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], color="#ff8800")
    model.add(ls.RigidBody.box(1.0, (1, 2, 3)), ls.Revolute("z"), name="block")
    model.add(ls.RigidBody(1.0, (0, 0, 0), 1.0, solids=[mesh]), ls.Revolute("z"), name="part")
    model.add(
        ls.beam(1.0, ls.Tube(0.02, 0.001), ls.STEEL, bending=1, torsion=0, stretch=0),
        ls.Fixed(),
        name="boom",
    )
    model.add(ls.RigidBody.sphere(1.0, 0.1), ls.Fixed(), to="boom.tip", name="ball")
    system = model.compile()
    again = restore(*describe(system))
    for body, other in zip(system.bodies, again.bodies, strict=True):
        assert [type(x) for x in body.solids] == [type(x) for x in other.solids]
        for solid, copy in zip(body.solids, other.solids, strict=True):
            for name, value in vars(solid).items():
                np.testing.assert_array_equal(getattr(copy, name), value)
    plain = ls.Model("looks")
    for part in model.parts.values():
        body = replace(part.body, solids=())
        to = None if part.to is None else f"{part.to.name}.tip"
        plain.add(body, part.joint, name=part.name, to=to)
    assert digest(plain.compile()) == digest(system)
