"""Systems as text and arrays, and back."""

import json
import pickle
import time
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

import lissom as ls
from lissom import joints as all_joints
from lissom.bodies import Lump, MassIntegrals, NormalBody
from lissom.errors import ResultError
from lissom.results import described
from lissom.results.described import describe, digest, restore
from lissom.results.packed import pack, unpack
from tests.kernel_cases import JOINTS, STRUCTURES, far_state, joint_systems, random_system
from tests.result_samples import pendulum, structure


def bits(value) -> object:
    """A value with every number as its bits, for comparisons."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.kind, value.tobytes()
    if isinstance(value, (float, np.floating)):
        return float(value).hex()
    if isinstance(value, tuple):
        return tuple(map(bits, value))
    if isinstance(value, (ls.Joint, NormalBody, MassIntegrals, Lump)):
        return type(value), {f.name: bits(getattr(value, f.name)) for f in fields(value)}
    return value


def assert_identical(system, other) -> None:
    for f in fields(system):
        assert bits(getattr(system, f.name)) == bits(getattr(other, f.name)), f.name
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
    for _, system in list(joint_systems(JOINTS[name]))[1::6]:
        assert_identical(system, round_trip(system))


@pytest.mark.parametrize("seed", range(25))
def test_a_restored_random_mechanism_has_the_same_bits(seed):
    system = random_system(seed)
    assert_identical(system, round_trip(system))


def test_a_map_keeps_its_order_in_memory():
    model = ls.Model()
    turned = np.ascontiguousarray(np.eye(6)[:, [3, 4]].T).T
    model.add(ls.RigidBody(1.0), ls.SimpleJoint(turned), name="a")
    joint = round_trip(model.compile()).joints[0]
    assert joint.columns.flags.f_contiguous and not joint.columns.flags.c_contiguous


def test_every_field_of_system_body_and_joint_has_its_place_in_the_description():
    """Who adds a field must store it, and raise the format version."""
    names = {
        cls: {f.name for f in fields(cls)} for cls in (ls.System, NormalBody, MassIntegrals, Lump)
    }
    assert names[ls.System] == {
        *("name", "gravity", "names", "parent", "parent_node", "frame_rotation"),
        *("frame_position", "joints", "bodies"),
    }
    shapes = set(described._body_shapes(0, 0, 0))
    assert names[MassIntegrals] <= shapes
    assert names[Lump] == {*described._OF_LUMP, "node"}
    sizes = set(described._sizes(structure("beams").bodies[0])) - {"n_mode", "n_node"}
    assert names[NormalBody] == {"integrals", *described._OF_BODY, *sizes}
    for name in set(all_joints.__all__) - {"Joint", "SimpleJoint", "CompoundJoint"}:
        kind = getattr(all_joints, name)
        assert [f.name for f in fields(kind)] == list(described._PARAMETERS[kind])


def test_a_thousand_links_are_described_in_a_few_arrays_and_quickly():
    system = ls.library.rigid_chain(1000).compile()
    start = time.perf_counter()
    description, arrays = describe(system)
    data = pack(description, arrays)
    seconds = time.perf_counter() - start
    assert seconds < 0.5 and len(arrays) < 30 and len(data) < 1_000_000
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


def test_a_joint_of_a_users_own_is_refused_by_name():
    class Own(ls.Joint):
        n_q = n_v = 0
        pose = motion_map = None

    system = replace(pendulum(), joints=(Own(),))
    with pytest.raises(ResultError, match="body 'rod': a joint of type Own cannot be stored"):
        describe(system)


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
    with pytest.raises(TypeError, match="'words' holds no numbers"):
        pack({}, {"words": np.array(["a"])})


@given(data=st.binary(max_size=200))
def test_unpacking_garbage_is_a_value_error(data):
    with pytest.raises(ValueError):
        unpack(data)
