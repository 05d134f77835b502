"""Systems as text and arrays, and back."""

import json
import pickle
import random
import struct
from dataclasses import fields, replace
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given, strategies as st

import lissom as ls
from lissom.algorithms.loops.closed_loops import constrained_dynamics
from lissom.algorithms.tree.reference import kinematics_base_to_tip
from lissom.bodies import Lump, MassIntegrals, NormalBody, SecondOrder, solids
from lissom.bodies.line import NodeLine
from lissom.errors import ResultError
from lissom.records import legacy
from lissom.records.codec import KINDS
from lissom.records.packed import pack, unpack
from lissom.records.system import describe, digest, restore
from lissom.results.files.formats import open_results, save
from lissom.results.files.versions import FORMAT_VERSION
from lissom.system import Loop, LoopEnd
from tests.samples.kernel_cases import JOINTS, STRUCTURES, far_state, joint_systems, random_system
from tests.samples.mechanisms import pendulum
from tests.samples.results import (
    META,
    description_in,
    looped,
    parallelogram,
    parts,
    same,
    stored,
    structure,
    write_journal,
)

DATA = Path(__file__).parents[1] / "data"
N_BODY = structure("beams").n_body
SYSTEMS = {
    "beams": lambda: structure("beams"),
    "loops": lambda: looped(ls.Revolute("z"), ls.Universal("x", "y")),
}
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


def test_a_tree_in_a_journal_of_version_1_has_the_same_bits():
    """See data/README.md for what wrote the file."""
    system, store, _ = open_results(DATA / "format_1.nc.part")
    plain = replace(pendulum(), bodies=(replace(pendulum().bodies[0], solids=()),))
    assert_identical(plain, system)
    same(stored(plain, 5, ["rod"]), store)
    assert digest(system) == digest(pendulum())


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
    last = [3.000740706089694, 0.0020704637471875348, -0.0023183668408841584]
    assert np.allclose(run["b10.position"][-1], last, rtol=0, atol=1e-14)


def test_a_netcdf_file_with_a_variable_for_each_array_opens():
    """See data/README.md for what wrote the file and for the numbers."""
    run = ls.load(DATA / "format_6.nc")
    eye = [0.5009755966424979, 0.0, 0.0950251291630165]
    assert np.allclose(run["eye.position"][-1], eye, rtol=0, atol=1e-14)
    assert np.isclose(run["slide.force"][-1][2], -4.649243989331209, rtol=1e-12)


def test_a_netcdf_file_of_version_10_opens_and_its_run_goes_on():
    """Its rows have the accelerations, and the stresses, of the system that comes out of it."""
    run = ls.load(DATA / "format_10.nc")
    system = run.system
    for k in range(len(run.time)):
        expected = run.acceleration[k]
        found = ls.forward_dynamics(system, (run.q[k], run.v[k]))
        assert np.allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
    eye = [0.5000095737380432, 0.9999982267998229, 0.9995104279453673]
    assert np.allclose(run["eye.position"][-1], eye, rtol=0, atol=1e-14)
    for name, stress in {
        "boom": 73225.9303765643,
        "angle": 262577.094828,
        "sheet": 94473.29284,
    }.items():
        assert run[f"{name}.stress"][-1] == pytest.approx(stress, rel=1e-9)
    assert [len(body.solids) for body in system.bodies] == [1, 1, 1, 1, 1, 0, 2, 0, 1, 1, 1, 1]
    more = ls.simulate(system, run.state(run.time[-1]), duration=0.002, progress=False)
    assert more.status == "finished"


OLD_DIGESTS = {
    "joints.npz": "6b1605dba2f45ae0f51e681ceb41f1cc0ab10459ed833d917348b92ed48965cf",
    "format_1.nc": "071083fc79dac7e4fad979ec92e0cf7e510cf3f7529427e8b7ec5efcdc32fa31",
    "format_6.nc": "9990314d68995e24fefaa9ae33f282c86e34459586b427bba3f84551f55f4070",
    "format_10.nc": "05c04e99622b414af4d3261eb7e28d55bcffc5343498c053e7ced5930097e158",
}


@pytest.mark.parametrize("name", OLD_DIGESTS)
def test_the_digest_that_an_earlier_version_wrote_is_found_again(name):
    """See data/README.md for the digests; frames, looks and stresses have no part in them."""
    words, arrays = description_in(DATA / name)
    assert legacy.digest(words, arrays) == OLD_DIGESTS[name]
    restored = restore(words, arrays)
    assert digest(restored) == digest(round_trip(restored))


def test_files_state_the_version_of_their_words(tmp_path):
    for suffix in ("nc", "npz"):
        save(tmp_path / f"a.{suffix}", pendulum(), stored(pendulum(), 5), META)
    write_journal(tmp_path / "a.nc.part", pendulum(), stored(pendulum(), 5), [5])
    with h5py.File(tmp_path / "a.nc") as file, np.load(tmp_path / "a.npz") as archive:
        journal = struct.unpack_from("<I", (tmp_path / "a.nc.part").read_bytes(), 8)[0]
        versions = file.attrs["format_version"], archive["format_version"], journal
    assert versions == (FORMAT_VERSION,) * 3


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


WORDS = """
system: name gravity names parent parent_node frame_rotation frame_position joints bodies loops
    couplings drives frames shapes
frame: name body node rotation position plain
loop: name joint a b chosen
end: body node rotation position
coupling: name bodies entries ratios offset
body: integrals lumps stiffness damping node_positions node_shapes inboard node_names level solids
    second_order rod floating recovery line residual
integrals: mass first_moment second_moment modal_first_moment modal_second_moment modal_products
lump: mass offset inertia node
second_order: first_moment second_moment node_shapes
rod: length strains functions natural masses inertias section_stiffness places
line: nodes pieces stations places factors
residual: nodes matrix
recovery: points stations rod
points: positions stresses nodes labels elasticity
stations: positions axes members places loads sections balance
section: places factors
balance: nodes wrenches inertia
turn: q axis pitch
slide: q axis
twist: q motion
product: factors coordinates
compoundjoint: parts
cylindrical: axis
fixed:
free:
planar: normal
prismatic: axis
revolute: axis
rolling: radius axis
rollingball: radius
screw: axis pitch
simplejoint: columns
skate: axis
spherical:
universal: axis1 axis2
box: at rotation color size
cylinder: at rotation color radius length
sphere: at rotation color radius
mesh: at rotation color vertices triangles
sweep: at rotation color outline nodes
surface: at rotation color triangles nodes
placed_shape: shape carrier name
bore_shape: at rotation color radius length
box_shape: at rotation color size rounding
capsule_shape: at rotation color radius length
curve_shape: at rotation color points width
cylinder_shape: at rotation color radius length rim
face_shape: at rotation color corners
half_space_shape: at rotation color normal extent
height_field_shape: at rotation color x y heights
shell_shape: at rotation color radius
sphere_shape: at rotation color radius
"""


def test_the_words_of_files_are_those_of_their_version():
    """Who changes a kind or a field raises the format version, and reads those before it."""
    lines = WORDS.replace("\n    ", " ").strip().splitlines()
    expected = {kind: set(names.split()) for kind, _, names in (x.partition(":") for x in lines)}
    now = {name: getattr(kind, "_fields", None) or fields(kind) for name, kind in KINDS.items()}
    assert {n: {getattr(f, "name", f) for f in x} for n, x in now.items()} == expected


def test_a_thousand_links_are_described_in_a_few_arrays():
    system = ls.library.rigid_chain(1000).compile()
    description, arrays = describe(system)
    data = pack(description, arrays)
    assert len(arrays) == 2 and len(data) < 1_000_000
    other = restore(*unpack(data))
    assert digest(other) == digest(system) == digest(ls.library.rigid_chain(1000).compile())


def test_shared_bodies_are_stored_once():
    many = ls.library.flexible_chain(50, 8).compile()
    assert len(parts(describe(many)[0], "body")) == 1
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


def of(kind, k=0, **changed):
    """Damage to fields of the k-th record of a kind."""
    return lambda words, arrays: parts(words, kind)[k].update(changed)


def whole(k, value):
    return lambda words, arrays: arrays["whole"].__setitem__(k, value)


def system_without(name):
    return lambda words, arrays: parts(words, "system")[0].pop(name)


# the parents of two bodies, and the nodes that carry these, are the first whole numbers
DAMAGES = {
    "a parent beyond": whole(1, 99),
    "a parent that is itself": whole(1, 1),
    "a negative parent": whole(0, -2),
    "a node beyond": whole(N_BODY + 2, 999),
    "a negative node": whole(N_BODY + 2, -1),
    "a node of the ground": whole(N_BODY, 0),
    "a body less": lambda words, arrays: parts(words, "system")[0]["bodies"].pop(),
    "a body that is another record": of("system", bodies=[{"fixed": {}}] * N_BODY),
    "a shared body beyond": of("system", bodies=[{"same": 99}] * N_BODY),
    "a negative shared body": of("system", bodies=[{"same": -1}] * N_BODY),
    "an inboard node beyond": of("body", 1, inboard=999),
    "an inboard node between": of("body", 1, inboard=0.5),
    "a named node beyond": of("body", 1, node_names={"map": [["tip", 999]]}),
    "a name that is a number": of("body", 1, node_names={"map": [[3, 1]]}),
    "a level": of("body", 1, level="best"),
    "negative modes": of("body", 1, stiffness={"f": [-5]}),
    "more modes": of("body", 1, stiffness={"f": [6]}),
    "words for modes": of("body", 1, stiffness={"f": ["five"]}),
    "numbers in words": of("body", 1, stiffness=[1.0, 2.0, 3.0, 4.0, 5.0]),
    "lumps that are an array": of("body", lumps={"f": [0]}),
    "a map of no numbers": of("body", 1, stiffness={"map": []}),
    "an axis that is a map": of("revolute", axis={"map": []}),
    "whole numbers": of("body", 1, stiffness={"i": [2]}),
    "a lump of nothing": of("body", 1, lumps=[{"lump": {"mass": 1.0}}]),
    "a joint": lambda words, arrays: parts(words, "system")[0]["joints"].__setitem__(
        0, {"fixed": 3}
    ),
    "a joint of nothing": of("system", joints=[{"compoundjoint": {"parts": []}}] * N_BODY),
    "a joint of turns without coordinates": of(
        "system", joints=[{"product": {"factors": [{"slide": {"q": 0, "axis": {"f": [3]}}}]}}]
    ),
    "a joint that is a body": lambda words, arrays: parts(words, "system")[0].update(
        joints=parts(words, "system")[0]["bodies"]
    ),
    "an axis of four": of("revolute", axis={"f": [4]}),
    "an axis that is a number": of("revolute", axis=1.0),
    "one joint less": lambda words, arrays: parts(words, "system")[0]["joints"].pop(),
    "a name twice": lambda words, arrays: parts(words, "system")[0]["names"].__setitem__(
        0, parts(words, "system")[0]["names"][1]
    ),
    "no names": system_without("names"),
    "no gravity": system_without("gravity"),
    "a short array": lambda _, arrays: arrays.update(floats=arrays["floats"][:-1]),
    "a long array": lambda _, arrays: arrays.update(floats=np.append(arrays["floats"], 0.0)),
    "no array": lambda _, arrays: arrays.pop("whole"),
    "two records in one": lambda words, arrays: words.update({"fixed": {}}),
    "another record": lambda words, arrays: words.update(fixed=words.pop("system")),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_description_is_refused(name):
    words, arrays = describe(structure("beams"))
    words = json.loads(json.dumps(words))
    DAMAGES[name](words, arrays)
    with pytest.raises(ResultError, match="arm.nc (is damaged|has the field)"):
        restore(words, arrays, source="arm.nc")


LOOP_DAMAGES = {
    "a body beyond": of("end", body=99),
    "a negative body": of("end", body=-2),
    "a node beyond": of("end", node=999),
    "a negative node": of("end", node=-1),
    "a node of the ground": of("end", 2, node=0),
    "a body without its node": of("end", 2, body=0),
    "both ends on one body": lambda words, arrays: parts(words, "end")[1].update(
        body=parts(words, "end")[0]["body"]
    ),
    "a joint that is none": of("loop", joint={"system": {}}),
    "a joint that holds nothing": of("loop", joint={"free": {}}),
    "a joint with more parameters": of("loop", joint={"screw": {"axis": {"f": [3]}}}),
    "a joint with fewer parameters": of("loop", joint={"spherical": {}}),
    "one end": lambda words, arrays: parts(words, "loop")[0].pop("b"),
    "a turned shape": of("end", rotation={"f": [9]}),
    "an order that is none": of("end", rotation={"X": [3, 3]}),
    "the name of a body": of("loop", name="boom"),
    "the name of the other loop": of("loop", name="rod"),
    "no name": lambda words, arrays: parts(words, "loop")[0].pop("name"),
    "a loop less": lambda words, arrays: parts(words, "system")[0]["loops"].pop(),
    "a loop that is a word": lambda words, arrays: parts(words, "system")[0].update(loops=["pin"]),
    "a number of loops": of("system", loops=2),
}


@pytest.mark.parametrize("name", LOOP_DAMAGES)
def test_a_damaged_description_of_loops_is_refused(name):
    words, arrays = describe(looped(ls.Revolute("z"), ls.Universal("x", "y")))
    words = json.loads(json.dumps(words))
    restore(words, arrays)
    LOOP_DAMAGES[name](words, arrays)
    with pytest.raises(ResultError, match=r"arm\.nc (is damaged|has a record of the kind 'X')"):
        restore(words, arrays, source="arm.nc")


OLD_DAMAGES = {
    "a parent beyond": lambda d, a: a["parent"].__setitem__(1, 99),
    "a negative parent": lambda d, a: a["parent"].__setitem__(0, -2),
    "a node beyond": lambda d, a: a["parent_node"].__setitem__(4, 999),
    "a body beyond": lambda d, a: a["body_number"].__setitem__(0, 99),
    "a negative body": lambda d, a: a["body_number"].__setitem__(0, -1),
    "an inboard node beyond": lambda d, a: d["bodies"][3].__setitem__("inboard", 999),
    "a named node beyond": lambda d, a: d["bodies"][3]["node_names"].__setitem__("tip", 999),
    "a level": lambda d, a: d["bodies"][3].__setitem__("level", "best"),
    "negative modes": lambda d, a: d["bodies"][3].__setitem__("n_mode", -5),
    "more modes": lambda d, a: d["bodies"][3].__setitem__("n_mode", 6),
    "a joint": lambda d, a: d["joints"].__setitem__(0, ["System"]),
    "a wide joint": lambda d, a: d["joints"].__setitem__(0, ["CompoundJoint", [4, "C"], [4, "C"]]),
    "a joint of nothing": lambda d, a: d["joints"].__setitem__(0, ["CompoundJoint"]),
    "no names": lambda d, a: d.pop("names"),
    "a short array": lambda d, a: a.__setitem__("body_node_shapes", np.zeros(3)),
    "a long array": lambda d, a: a.__setitem__("body_node_shapes", np.zeros(100_000)),
    "no gravity": lambda d, a: a.pop("gravity"),
    "a strain": lambda d, a: d["rods"][4]["strains"].__setitem__(0, 6),
    "a node of a second order": lambda d, a: d["second_orders"][3].__setitem__(0, 10**6),
    "a station's section": lambda d, a: d["recoveries"][6]["stations"]["sections"].__setitem__(
        0, 9
    ),
    "a loaded node": lambda d, a: d["recoveries"][6]["stations"]["nodes"].__setitem__(0, 999),
    "an end of a loop": lambda d, a: a["loop_node"].__setitem__(0, 5),
    "a body of a coupling": lambda d, a: d["couplings"][0].__setitem__("bodies", [-1, 1]),
    "a frame": lambda d, a: a["named_frame_node"].__setitem__(0, -1),
    "a solid": lambda d, a: d["solids"][0][0].__setitem__("kind", "Sun"),
}


@pytest.mark.parametrize("name", OLD_DAMAGES)
def test_a_damaged_description_of_an_earlier_version_is_refused(name):
    words, arrays = description_in(DATA / "format_10.nc")
    restore(words, arrays)
    OLD_DAMAGES[name](words, arrays)
    with pytest.raises(ResultError, match=r"arm\.nc (is damaged|has a record of the kind 'joint )"):
        restore(words, arrays, source="arm.nc")


VALUES = (
    *(None, True, -1, 0, 7, 10**18, 0.5, float("nan"), "", "root", [], {}, [[1, 2]]),
    *({"f": [3]}, {"f": [-1]}, {"i": [1]}, {"same": 0}, {"map": []}, {"system": {}}),
)


def nodes(words, at=()):
    """Paths to all entries of JSON."""
    pairs = words.items() if isinstance(words, dict) else ()
    for key, entry in enumerate(words) if isinstance(words, list) else pairs:
        yield (*at, key)
        yield from nodes(entry, (*at, key))


@pytest.mark.parametrize("source", ["beams", "loops", "format_10.nc"])
def test_whatever_a_description_says_comes_out_right_or_as_an_error_of_ours(source):
    whole = description_in(DATA / source) if "." in source else describe(SYSTEMS[source]())
    rng, refused = random.Random(3), 0
    for _ in range(100):
        words, arrays = json.loads(json.dumps(whole[0])), {k: x.copy() for k, x in whole[1].items()}
        *path, last = rng.choice(list(nodes(words)))
        entry = words
        for key in path:
            entry = entry[key]
        entry[last] = json.loads(json.dumps(rng.choice(VALUES)))
        numbers = rng.choice([x for x in arrays.values() if x.size and x.dtype.kind == "i"])
        numbers.flat[rng.randrange(numbers.size)] += rng.choice([0, 0, 1, -2, 99])
        try:
            system = restore(words, arrays, source="arm.nc")
        except ResultError as error:
            assert "arm.nc" in str(error)
            refused += 1
        else:
            assert digest(system) == digest(round_trip(system))
    assert 50 < refused < 100


def test_what_a_later_version_has_added_is_named():
    words, arrays = describe(pendulum())
    for added, what in (
        ({"joints": [{"joint Wave": {}}]}, "a record of the kind 'joint Wave'"),
        ({"wind": []}, "the field 'wind' in a record of the kind 'system'"),
    ):
        changed = json.loads(json.dumps(words))
        parts(changed, "system")[0].update(added)
        remedies = "update lissom.* import the module"
        with pytest.raises(ResultError, match=f"arm.nc has {what}.*{remedies}"):
            restore(changed, arrays, source="arm.nc")


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
