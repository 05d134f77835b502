"""Shapes of models: names, carriers, copies, compiled systems, and the descriptions of these."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest

import lissom as ls
from lissom import shapes
from lissom.records.system import describe, digest, restore
from tests.samples.contact_shapes import SHAPES, hopper


def refused(words, call, error=ls.ModelError):
    with pytest.raises(error, match=words):
        call()


def test_shapes_are_found_by_their_names_or_as_the_only_one_of_a_carrier():
    system = hopper().compile()
    assert [x.name for x in system.shapes] == ["ball_sphere", "foot", "block", "ground"]
    assert [x.carrier for x in system.shapes] == ["ball", "leg.tip", "tool", None]
    for where, name in {"ball": "ball_sphere", "leg.tip": "foot", "tool": "block"}.items():
        assert system.find_shape(where).name == name
        assert system.find_shape(name) is system.find_shape(where)
    tip = system.locate("leg.tip")[1]
    assert system.find_shape(f"leg.{tip}").name == "foot"  # the same node by its number


def test_what_carries_no_shape_or_several_is_named_with_the_remedy():
    model = hopper()
    model.add_shape(shapes.Sphere(0.1), "ball", name="second")
    system = model.compile()
    refused("'ball' carries 2 shapes.*'second'", lambda: system.find_shape("ball"), ls.StateError)
    words = r"'leg' carries no shape; .*add_shape\(shape, on='leg'\)"
    refused(words, lambda: system.find_shape("leg"), ls.StateError)
    words = "no shape, body or frame 'grund'; did you mean 'ground'"
    refused(words, lambda: system.find_shape("grund"), ls.StateError)


def test_a_shape_without_a_name_gets_that_of_its_carrier_and_kind():
    model = hopper()
    names = [str(model.add_shape(shapes.Sphere(0.1), "leg", node="tip")) for _ in range(3)]
    assert names == ["leg_tip_sphere", "leg_tip_sphere_2", "leg_tip_sphere_3"]
    assert str(model.add_shape(shapes.HalfSpace())) == "half_space"


def test_names_are_unique_among_all_parts_and_have_no_dots():
    model = hopper()
    for taken, kind in {"ball": "body", "tool": "frame", "foot": "shape"}.items():
        refused(
            f"there is a {kind} '{taken}' already",
            lambda name=taken: model.add_shape(shapes.Sphere(1), name=name),
        )
    refused("there is a shape 'foot' already", lambda: model.frame("foot"))
    refused("contains a dot", lambda: model.add_shape(shapes.Sphere(1), name="a.b"))


def test_what_is_no_shape_or_has_no_carrier_is_refused_by_name():
    model = hopper()
    refused("shape 'x': expected one of lissom.shapes", lambda: model.add_shape(3, name="x"))
    refused(r"write Sphere\(\.\.\.\)", lambda: model.add_shape(shapes.Sphere))
    refused("no model; use model.add_shape", lambda: ls.Part("ball").add_shape(shapes.Sphere(1)))
    cases = {
        "bal": "'x' is on 'bal', which is not in the model; did you mean 'ball'",
        "leg.tap": "'x' is attached to node 'tap' of body 'leg'.*did you mean 'tip'",
        "tool.tip": "'x' is on 'tool.tip', but 'tool' is a frame",
        "ball.tip": "'x' is attached to node 'tip' of body 'ball', but that body is rigid",
    }
    for where, words in cases.items():
        other = hopper()
        other.add_shape(shapes.Sphere(1), where, name="x")
        refused(words, other.compile)


def test_a_model_and_its_system_show_their_shapes():
    model = hopper()
    lines = repr(model).splitlines()
    assert lines[0].endswith("2 bodies, 1 frame, 4 shapes")
    assert "  foot: shape, Sphere on leg.tip" in lines
    assert "  ground: shape, HalfSpace on the ground" in lines
    assert "shape foot         Sphere     on leg.tip" in repr(model.compile())


def test_shapes_go_with_their_carriers_and_stay_in_copies():
    model = hopper()
    other = copy.copy(model)
    other.remove("ball", outboard=True)
    assert list(other.shapes) == ["foot", "ground"]
    other.remove("foot")
    assert list(other.shapes) == ["ground"]
    assert list(model.shapes) == ["ball_sphere", "foot", "block", "ground"]


def test_a_shape_of_a_body_that_becomes_flexible_moves_to_the_nearest_node():
    model = ls.Model("bar")
    bar = model.add(ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0)), ls.Revolute("y"), name="bar")
    bar.add_shape(shapes.Sphere(0.01, at=(1.0, 0, 0.02)), name="end")
    bar.add_shape(shapes.Sphere(0.01), name="start")
    model.replace("bar", ls.beam(1.0, ls.Circle(0.01), ls.STEEL))
    end, start = model.shapes["end"], model.shapes["start"]
    assert str(end.on) == "bar.tip" and np.allclose(end.shape.at, (0, 0, 0.02), atol=1e-15)
    assert str(start.on) == "bar"


def test_a_shape_beside_a_node_of_a_flexible_body_is_doubted():
    model = ls.Model("bar")
    bar = model.add(ls.beam(1.0, ls.Circle(0.01), ls.STEEL), ls.Revolute("y"), name="bar")
    bar.add_shape(shapes.Sphere(0.01, at=(1.0, 0, 0)), name="end")
    with pytest.warns(ls.ModelWarning, match=r"shape 'end' is attached to the frame of 'bar'.*tip"):
        model.compile()


def test_attached_shapes_have_prefixed_names_and_those_of_the_ground_its_new_place():
    model = ls.Model("two")
    hub = model.add(ls.RigidBody.sphere(1.0, 0.1), ls.Free(), name="hub")
    model.attach(hopper(), to=hub, prefix="left_", at=(1, 2, 3), rotation={"axis": "z", "angle": 1})
    placed = {x.name: x for x in model.compile().shapes}
    assert placed["left_foot"].carrier == "left_leg.tip"
    ground = placed["left_ground"]
    c, s = np.cos(1), np.sin(1)
    assert ground.carrier == "hub" and np.array_equal(ground.shape.at, (1, 2, 3))
    assert np.allclose(ground.shape.rotation, [[c, -s, 0], [s, c, 0], [0, 0, 1]], atol=1e-15)


def test_handles_know_their_model_but_do_not_carry_it_elsewhere():
    part = hopper().add(ls.RigidBody.sphere(1.0, 0.1), ls.Free(), name="other")
    assert part.model is not None and part["tip"].model is part.model
    other = pickle.loads(pickle.dumps(part))
    assert other == part == ls.Part("other") and other.model is None
    assert repr(part) == "Part(name='other')"


def test_a_contact_of_names_is_that_of_shapes():
    system = hopper().compile()
    law = ls.LinearContact(1e5, restitution=0.5, at_speed=0.5)
    by_name = ls.Contact("ball", "ground", law)
    by_shape = ls.Contact(system.shape("ball", shapes.Sphere(0.1)), shapes.HalfSpace(), law)
    last = []
    for load in (by_name, by_shape):
        run = ls.simulate(system, duration=0.1, loads=[load], integrator="dop853", progress=False)
        last.append(run.state(0.1))
        assert len(run.events) == 2
    assert np.array_equal(last[0].q, last[1].q) and np.array_equal(last[0].v, last[1].v)
    with pytest.raises(ls.LoadError, match="no shape, body or frame 'grund'"):
        ls.simulate(system, duration=0.1, loads=[ls.Contact("ball", "grund", law)])


@pytest.mark.parametrize("kind", SHAPES)
def test_a_description_has_every_bit_of_a_shape(kind):
    model = hopper()
    model.add_shape(SHAPES[kind], "leg.tip", name="more")
    system = model.compile()
    words, arrays = describe(system)
    other = restore(words, arrays)
    again, numbers = describe(other)
    assert again == words and all(np.array_equal(x, numbers[k]) for k, x in arrays.items())
    shape, placed = SHAPES[kind], other.shapes[-1]
    assert type(placed.shape) is type(shape) and placed.carrier == "leg.tip"
    assert placed.shape.numbers.tobytes() == shape.numbers.tobytes()
    assert placed.shape.rotation.tobytes() == shape.rotation.tobytes()


def test_shapes_alone_do_not_change_the_digest():
    model = hopper()
    bare = copy.copy(model)
    for name in model.shapes:
        bare.remove(name)
    bare_system = bare.compile()
    assert digest(model.compile()) == digest(bare_system)
    assert "shapes" not in describe(bare_system)[0]["system"]


def test_a_description_of_shapes_that_cannot_be_is_refused():
    words, arrays = describe(hopper().compile())
    placed = words["system"]["shapes"]
    placed[1]["placed_shape"]["carrier"] = "leg.tap"
    refused("'leg.tap', which does not exist", lambda: restore(words, arrays), ls.ResultError)
    words, arrays = describe(hopper().compile())
    words["system"]["shapes"][0]["placed_shape"]["name"] = "foot"
    refused("have one name", lambda: restore(words, arrays), ls.ResultError)
    words, arrays = describe(hopper().compile())
    words["system"]["shapes"][0]["placed_shape"]["shape"]["sphere_shape"]["radius"] = -1.0
    refused("radius", lambda: restore(words, arrays), ls.ResultError)


def test_shapes_come_back_from_files_of_results(tmp_path):
    system = hopper().compile()
    for name in ("run.nc", "run.npz"):
        run = ls.simulate(system, duration=0.01, file=tmp_path / "run.nc", progress=False)
        run.save(tmp_path / name)
        other = ls.Trajectory.load(tmp_path / name).system
        assert [repr(x) for x in other.shapes] == [repr(x) for x in system.shapes]


def test_the_former_meaning_of_contact_works_and_warns():
    wheel = ls.RollingBall(0.1)
    with pytest.warns(ls.DeprecatedWarning, match=r"use lissom.ClosedContact"):
        assert isinstance(wheel, ls.Contact)
    with pytest.warns(ls.DeprecatedWarning, match=r"base class of a joint .* 0.4.0"):

        class Runner(ls.Contact):
            def touch(self, rotation, position, velocity):
                raise NotImplementedError

    assert issubclass(Runner, ls.ClosedContact)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not isinstance(wheel, ls.Load) and isinstance(wheel, ls.ClosedContact)
        assert not issubclass(type(wheel), ls.Load)
        load = ls.Contact("a", "b", ls.LinearContact(1.0))
        assert isinstance(load, ls.Contact) and isinstance(load, ls.Load)
