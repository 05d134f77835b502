"""What is compiled never changes: neither by hand, nor by changes of what it was made of."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest

import lissom as ls
from tests.samples.flexible_arms import flexible_body
from tests.samples.model_files import JOINTS, bodies


def model_with_everything():
    """Each kind of joint and body, a loop and a coupling."""
    model = ls.Model("everything", gravity=(0, 0, -9.81))
    for name, body in bodies().items():
        model.add(body, ls.Revolute("y"), name=name)
    for name, joint in JOINTS.items():
        model.add(ls.RigidBody.box(1.0, (0.1, 0.2, 0.3)), joint, name=f"on {name}")
    model.close(ls.Spherical(), "beam.tip", None, at_b=(7.0, 0, 0), name="loop")
    model.couple({"box": 1.0, "sphere": -2.0}, name="gear")
    return model


def arrays_in(thing, name="", seen=None):
    """Every array that can be reached through fields and caches, with where it is."""
    seen = {} if seen is None else seen
    if id(thing) in seen:
        return
    seen[id(thing)] = thing
    if isinstance(thing, np.ndarray):
        yield name, thing
    elif isinstance(thing, (tuple, list)):
        for k, x in enumerate(thing):
            yield from arrays_in(x, f"{name}[{k}]", seen)
    elif isinstance(thing, dict):
        for k, x in thing.items():
            yield from arrays_in(x, f"{name}[{k!r}]", seen)
    elif hasattr(thing, "__dict__") and not isinstance(thing, type):
        for k, x in vars(thing).items():
            yield from arrays_in(x, f"{name}.{k}", seen)


def written(thing):
    """Where there are arrays that can be written to, be it through what they are a part of."""
    return [name for name, array in arrays_in(thing) if can_be_written(array)]


def can_be_written(array):
    """Whether numbers can be put into an array or into the one that it is a part of."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return True
        array = array.base
    return False


SYSTEM = model_with_everything().compile()


def test_no_array_of_a_system_can_be_written_nor_those_of_its_copies():
    assert SYSTEM.n_v > 20  # the layout is among what is looked at
    twins = {
        "compiled": SYSTEM,
        "pickled": pickle.loads(pickle.dumps(SYSTEM)),
        "copied": copy.copy(SYSTEM),
        "deeply copied": copy.deepcopy(SYSTEM),
        "replaced": dataclasses.replace(SYSTEM, gravity=np.zeros(3)),
    }
    for name, system in twins.items():
        assert len(list(arrays_in(system))) > 200, name
        assert written(system) == [], name


def test_no_array_of_a_part_of_a_model_can_be_written():
    model = model_with_everything()
    groups = (model.parts, model.loops, model.couplings)
    assert model.compile().n_body == len(model.parts)  # caches are filled
    for thing in (x for group in groups for x in group.values()):
        assert written(thing) == []
    nodal = bodies()["nodal"]
    for array in (nodal.mass_matrix, nodal.freedoms, flexible_body(1).transform):
        assert not can_be_written(array)


CHANGES = {
    "gravity": (lambda s: s, "gravity", "model.gravity = ...; system = model.compile()"),
    "a new name": (lambda s: s, "anything", "a System is immutable"),
    "stiffness": (lambda s: s.bodies[2], "stiffness", "into the model and compile it again"),
    "axis": (lambda s: s.joints[0], "axis", "a Revolute is immutable"),
    "loop": (lambda s: s.loops[0], "joint", "change the loop of the model"),
    "end": (lambda s: s.loops[0].a, "position", "compile it again"),
    "coupling": (lambda s: s.couplings[0], "ratios", "change the coupling of the model"),
    "layout": (lambda s: s.layout, "n_q", "a Layout is immutable"),
    "state": (lambda s: s.state(), "q", "state.replace"),
    "body": (lambda s: ls.RigidBody(1.0), "mass", "model.replace"),
    "flexible body": (lambda s: flexible_body(1), "stiffness", "model.replace"),
    "nodal body": (lambda s: bodies()["nodal"], "damping", "model.replace"),
    "solid": (lambda s: ls.solids.Sphere(radius=1.0), "radius", "make another one"),
}


@pytest.mark.parametrize("thing, name, words", CHANGES.values(), ids=CHANGES)
def test_attributes_cannot_be_set_and_the_error_says_what_to_do(thing, name, words):
    with pytest.raises(AttributeError) as caught:
        setattr(thing(SYSTEM), name, 1.0)
    assert words in str(caught.value)


def test_names_of_nodes_cannot_be_changed():
    with pytest.raises(TypeError, match="is read-only"):
        SYSTEM.bodies[SYSTEM.layout.index("beam")].node_names["tip"] = 0
    with pytest.raises(TypeError, match="is read-only"):
        flexible_body(1).names.update(tip=0)


def test_a_compiled_system_does_not_follow_the_model_nor_the_arrays_it_was_made_of():
    gravity, at, com = np.array([0.0, 0, -9.81]), np.array([1.0, 0, 0]), np.array([0.5, 0, 0])
    axis, turn, ratios = np.array([0.0, 1, 0]), np.eye(3), {"a": 1.0, "b": 1.0}
    inertia, stiffness = np.eye(3), np.array([40.0])
    shapes = np.zeros((2, 6, 1))
    shapes[1, 4] = 1.0
    model = ls.Model("m", gravity=gravity)
    model.add(ls.RigidBody(1.0, com, inertia), ls.Revolute(axis), name="a")
    bar = ls.FlexibleBody([[0, 0, 0], [1, 0, 0]], [1.0, 1.0], shapes, stiffness)
    model.add(bar, ls.Revolute("y"), name="b", to="a", at=at, rotation=turn)
    model.couple(ratios, name="gear")
    system = model.compile()
    before = pickle.dumps(system)
    for array in (gravity, at, com, axis, turn, inertia, stiffness, shapes):
        array += 1.0
    ratios["a"] = 7.0
    model.gravity[2] = 0.0
    model.gravity = (1, 2, 3)
    model.replace("a", ls.RigidBody(9.0))
    model.remove("gear")
    assert pickle.dumps(system) == before


def test_loads_keep_the_numbers_that_they_were_given():
    force, times, values = np.array([1.0, 2, 3]), np.array([0.0, 1]), np.array([0.0, 5])
    load, table = ls.NodeForce("arm", force), ls.Table(times, values)
    listed = [1.0, 2.0, 3.0]
    other = ls.NodeForce("arm", listed)
    for array in (force, times, values):
        array += 10.0
    listed[0] = 11.0
    assert list(load.force) == [1, 2, 3] and list(other.force) == [1, 2, 3]
    assert list(table.times) == [0, 1] and list(table.values) == [0, 5]
    for array in (load.force, table.times, table.values):
        assert not can_be_written(array)


@pytest.mark.parametrize("wrong", ("abc", None, (1, 2), (0, 0, np.nan), (0, 0, 1j)))
def test_gravity_that_is_set_is_checked_at_once(wrong):
    model = ls.Model("m")
    with pytest.raises(ls.ModelError, match="model 'm': gravity is"):
        model.gravity = wrong
    given = np.array([0.0, 0, -1.62])
    model.gravity = given
    given[2] = 0.0
    assert model.gravity[2] == -1.62


# Copies


@pytest.mark.parametrize("copied", (copy.copy, copy.deepcopy))
def test_a_copy_of_a_model_is_a_model_of_its_own(copied):
    model = model_with_everything()
    before = repr(model)
    twin = copied(model)
    assert repr(twin) == before
    assert pickle.dumps(twin.compile()) == pickle.dumps(model.compile())
    twin.add(ls.RigidBody(1.0), ls.Free(), name="more")
    twin.remove("gear")
    twin.remove("loop")
    twin.replace("box", ls.RigidBody(99.0))
    twin.gravity[2] = 0.0
    assert repr(model) == before and model.gravity[2] == -9.81
    assert model.parts["box"].body.mass != 99.0
    model.remove("sphere", outboard=True)
    assert "sphere" in twin.parts


@pytest.mark.parametrize(
    "copied", (copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)))
)
def test_copies_of_states_and_parts_are_equal_and_fixed(copied):
    state = SYSTEM.state(box=0.3)
    twin = copied(state)
    assert np.array_equal(twin.q, state.q) and twin["box"] == 0.3
    with pytest.raises(ValueError, match="read-only"):
        twin.q[0] = 1.0
    part = ls.Model("m").add(ls.RigidBody(1.0), ls.Free(), name="hub")
    assert copied(part) == part
