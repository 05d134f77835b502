"""Model.attach: a copy of a model in another one equals what is built by hand, to the last bit."""

import copy
import re

import numpy as np
import pytest

import lissom as ls
from lissom.spatial import axis_rotation
from tests.samples.model_files import differences, linkage, tree_of_bodies
from tests.tools.measures import random_state

BALL = ls.RigidBody.sphere(2.0, 0.1, com=(0.1, 0, 0))
BOOM = ls.beam(2.0, ls.Tube(0.03, 0.002), ls.CARBON, bending=1, torsion=0, stretch=0)
TURN = axis_rotation(np.array([0.6, 0.0, 0.8]), 0.7)
AT = np.array([0.1, -0.3, 1 / 3])


def limb():
    """A boom and a foot on the ground, a strut between the ground and the boom's tip."""
    model = ls.Model("limb", gravity=(1, 2, 3))
    model.add(BOOM, ls.Universal("y", "z"), name="boom", at=(0, 0.1, -0.0), rotation=TURN.T)
    model.add(BALL, ls.Revolute("y"), to="boom.tip", name="foot")
    model.add(BALL, ls.Prismatic("x"), name="strut", at=(0, -0.2, 0))
    model.close(ls.Spherical(), "boom.tip", "strut", at_b=(1.9, 0, 0), name="tie")
    model.close(ls.Universal("x", "y"), None, "foot", at_a=(2, 0.1, 0), name="stand")
    model.add(BALL, None, name="loose")
    model.join(ls.Spherical(), None, "loose", at_a=(0, 0, 5), rotation_a=TURN, name="ball")
    return model


def by_hand(model, prefix, to, *, at=None, rotation=None):
    """The same limb, paragraph by paragraph."""

    def frame(position, turn=None):
        position, turn = np.array(position, dtype=float), np.eye(3) if turn is None else turn
        if rotation is not None:
            position, turn = rotation @ position, rotation @ turn
        return position if at is None else at + position, turn

    p, turn = frame((0, 0.1, -0.0), TURN.T)
    model.add(BOOM, ls.Universal("y", "z"), name=f"{prefix}boom", to=to, at=p, rotation=turn)
    model.add(BALL, ls.Revolute("y"), to=f"{prefix}boom.tip", name=f"{prefix}foot")
    p, turn = frame((0, -0.2, 0))
    model.add(BALL, ls.Prismatic("x"), name=f"{prefix}strut", to=to, at=p, rotation=turn)
    ends = f"{prefix}boom.tip", f"{prefix}strut"
    model.close(ls.Spherical(), *ends, at_b=(1.9, 0, 0), name=f"{prefix}tie")
    p, turn = frame((2, 0.1, 0))
    joint, foot = ls.Universal("x", "y"), f"{prefix}foot"
    model.close(joint, to, foot, at_a=p, rotation_a=turn, name=f"{prefix}stand")
    loose = f"{prefix}loose"
    model.add(BALL, None, name=loose)
    p, turn = frame((0, 0, 5), TURN)
    model.join(ls.Spherical(), to, loose, at_a=p, rotation_a=turn, name=f"{prefix}ball")


def host():
    model = ls.Model("walker", gravity=(0, 0, -9.81))
    model.add(BOOM, ls.Free(), name="hub")
    return model


def assert_same(a, b):
    """Systems, mass matrices, bias and poses with the same bits."""
    a, b = a.compile(), b.compile()
    assert differences(a, b) == []
    states = [random_state(x, np.random.default_rng(5)) for x in (a, b)]
    assert np.array_equal(ls.mass_matrix(a, states[0]), ls.mass_matrix(b, states[1]))
    assert np.array_equal(ls.bias_force(a, states[0]), ls.bias_force(b, states[1]))
    for name in a.names:
        one, two = (ls.pose(s, x, name) for s, x in zip((a, b), states, strict=True))
        assert np.array_equal(one.position, two.position)
        assert np.array_equal(one.rotation, two.rotation)


@pytest.mark.parametrize("to", [None, "hub", "hub.tip"])
@pytest.mark.parametrize(
    "place", [{}, {"at": AT}, {"rotation": TURN}, {"at": AT, "rotation": TURN}]
)
def test_attached_twice_equals_what_is_built_by_hand(to, place):
    made, expected = host(), host()
    for prefix in ("left_", "right_"):
        made.attach(limb(), to=to, prefix=prefix, **place)
        by_hand(expected, prefix, to, **place)
    assert list(made.loops) == ["left_tie", "left_stand", "right_tie", "right_stand"]
    assert list(made.joins) == ["left_ball", "right_ball"]
    assert_same(made, expected)


def test_nested_models_equal_what_is_built_by_hand():
    pair = ls.Model("pair")
    pair.add(BALL, ls.Revolute("x"), name="bar")
    pair.attach(limb(), to="bar", prefix="a_")
    pair.attach(limb(), to="a_boom", node="tip", prefix="b_", at=AT)
    made = host()
    made.attach(pair, to="hub.tip", prefix="left_")
    expected = host()
    expected.add(BALL, ls.Revolute("x"), name="left_bar", to="hub.tip")
    by_hand(expected, "left_a_", "left_bar")
    by_hand(expected, "left_b_", "left_a_boom.tip", at=AT)
    assert_same(made, expected)


def test_a_place_moves_the_whole_model_and_the_hosts_gravity_counts():
    alone, moved = limb(), ls.Model("host", gravity=(0, 0, -9.81))
    parts = moved.attach(alone, prefix="p_", at=AT, rotation=TURN)
    assert [str(part) for part in parts] == ["p_boom", "p_foot", "p_strut", "p_loose"]
    one, two = alone.compile(), moved.compile()
    assert np.array_equal(two.gravity, (0, 0, -9.81))
    for name in alone.parts:
        before = ls.pose(one, one.neutral(), name)
        after = ls.pose(two, two.neutral(), f"p_{name}")
        np.testing.assert_allclose(after.position, AT + TURN @ before.position, atol=1e-15)
        np.testing.assert_allclose(after.rotation, TURN @ before.rotation, atol=1e-15)


@pytest.mark.parametrize("make", [linkage, tree_of_bodies])
def test_bodies_of_all_kinds_come_along_with_their_solids(make):
    given = make()
    model = ls.Model(given.name, gravity=given.gravity)
    model.attach(given)
    assert differences(model.compile(), given.compile()) == []
    assert all(model.parts[name].body is part.body for name, part in given.parts.items())


@pytest.mark.parametrize(
    ("attach", "words"),
    [
        (lambda m: m.attach("limb"), "expected a Model, got 'limb'"),
        (lambda m: m.attach(m, prefix="b_"), "cannot be attached to itself; attach a copy"),
        (lambda m: m.attach(limb(), prefix=3), "prefix is 3; expected text"),
        (lambda m: m.attach(limb(), prefix="a."), "'a.boom' contains a dot"),
        (lambda m: m.attach(limb(), to=7), "attach: to is 7"),
        (
            lambda m: m.attach(limb(), node="tip"),
            "attach: node='tip' is given without its body; give to=",
        ),
        (
            lambda m: m.attach(limb(), to="hub.tip", node=3),
            "to='hub.tip' already names a node; leave out node=3",
        ),
        (lambda m: m.attach(limb(), at=(1, 2)), "attach: at is (1, 2)"),
        (lambda m: m.attach(limb(), rotation=2 * np.eye(3)), "attach: rotation is not a rotation"),
        (lambda m: m.attach(host()), "there is a body 'hub' already"),
        (lambda m: m.attach(limb(), to="a_boom.tip", prefix="a_"), "would carry themselves"),
        (lambda m: (m.attach(limb(), to="hubb"), m.compile()), "did you mean 'hub'"),
        (lambda m: (m.attach(limb(), to="hub.top"), m.compile()), "did you mean 'tip'"),
    ],
)
def test_mistakes_are_named_and_leave_the_model_as_it_was(attach, words):
    model = host()
    with pytest.raises(ls.ModelError, match=re.escape(words)):
        attach(model)
    if "did you mean" not in words:
        assert list(model.parts) == ["hub"] and not model.loops and not model.joins


def test_clashes_of_loops_and_joins_are_noticed():
    for name in ("tie", "ball"):
        model = host()
        model.add(BALL, ls.Free(), name=name)
        with pytest.raises(ls.ModelError, match=f"there is a body '{name}' already"):
            model.attach(limb())


def test_a_copy_can_be_attached_to_the_model_itself():
    model = host()
    model.attach(copy.deepcopy(model), to="hub.tip", prefix="second_")
    assert model.compile().names == ("hub", "second_hub")
