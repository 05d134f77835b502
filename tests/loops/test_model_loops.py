"""Models with loops and joins: editing, printing, copies, and what is refused."""

import copy
import logging
import pickle
from dataclasses import dataclass

import casadi
import numpy as np
import pytest
import sympy

import lissom as ls
from lissom.algorithms.loops.closed_loops import constrained_dynamics
from lissom.algorithms.tree.reference import kinematics_base_to_tip
from tests.samples.four_bars import Y, four_bar_of_a_chain, four_bar_of_joins
from tests.samples.mechanisms import BOOM

BALL = ls.RigidBody.sphere(mass=2.0, radius=0.3)
TIP = BOOM.names["tip"]


def chain():
    """Two balls and a boom in a row; the boom is tied to the ground by its tip."""
    model = ls.Model("chain")
    model.add(BALL, Y, name="a")
    model.add(BALL, Y, to="a", at=(1, 0, 0), name="b")
    model.add(BOOM, Y, to="b", at=(1, 0, 0), name="c")
    model.close(ls.Cylindrical("y"), None, "c.tip", at_a=(4, 0, 0), name="tie")
    return model


def ends(loop):
    return [(end.body, end.node, *end.position) for end in loop.ends]


def test_a_loop_has_numbers_for_bodies_and_nodes():
    model = chain()
    model.close(Y, ls.Part("c")[3], "a", at_a=(0, 1, 0), at_b=(0, 0, 2), name="more")
    system = model.compile()
    assert [loop.name for loop in system.loops] == ["tie", "more"]
    assert ends(system.loops[0]) == [(-1, -1, 4, 0, 0), (2, TIP, 0, 0, 0)]
    assert ends(system.loops[1]) == [(2, 3, 0, 1, 0), (0, 0, 0, 0, 2)]
    assert (system.n_constraint, system.outboard_nodes[2]) == (9, (3, TIP))
    assert not any(loop.chosen for loop in system.loops)


def test_joins_alone_make_the_tree_that_add_makes():
    model = ls.Model()
    model.add(BOOM, None, name="boom")
    model.add(BALL, None, name="ball")
    model.join(Y, "boom.tip", "ball", at_a=(0.1, 0, 0), name="hinge")
    model.join(ls.Spherical(), None, "boom", at_a=(0, 0, 1), name="foot")
    plain = ls.Model()
    plain.add(BOOM, ls.Spherical(), at=(0, 0, 1), name="boom")
    plain.add(BALL, Y, to="boom.tip", at=(0.1, 0, 0), name="ball")
    one, other = model.compile(), plain.compile()
    assert one.names == other.names and not one.loops and repr(one) == repr(other)
    for field in ("parent", "parent_node", "frame_position", "frame_rotation"):
        assert np.array_equal(getattr(one, field), getattr(other, field))


def test_an_added_joint_may_be_run_backwards_or_cut():
    model = ls.Model()
    model.add(BALL, ls.Spherical(), to="hand", at=(1, 0, 0), name="arm")
    model.add(BALL, None, name="hand")
    model.join(Y, None, "arm", name="pin")
    system = model.compile()
    assert system.names == ("arm", "hand@arm", "hand") and list(system.parent) == [-1, 0, 1]
    assert np.allclose(ls.pose(system, system.neutral(), "hand").position, (-1, 0, 0))
    model.join(Y, None, "hand", name="more")
    loops = model.compile().loops
    assert [(loop.name, loop.joint.label, loop.chosen) for loop in loops] == [
        ("arm-hand", "spherical", True)
    ]
    assert ends(loops[0]) == [(1, 0, 1, 0, 0), (0, 0, 0, 0, 0)]


def test_symbols_in_loops_and_joins_become_numbers():
    d = sympy.Symbol("d")
    model = chain()
    model.close(ls.Screw("x", d), "a", "c", at_a=(d, 0, 0), name="loop")
    model.join(ls.Screw("x", d), "b", None, at_b=(d, 0, 0), rotation_b=d * np.eye(3), name="join")
    system = model.compile(values={d: 1})
    assert [loop.joint.pitch for loop in system.loops[1:]] == [1, 1]
    assert ends(system.loops[1])[0] == (0, 0, 1, 0, 0)


def test_the_printed_system_lists_its_loops():
    system = four_bar_of_joins().compile()
    lines = repr(system).splitlines()
    assert lines[1].startswith("  1 loop with 5 constraint equations, gravity")
    words = "loop C  revolute y  coupler - rocker  5 constraint equations, cut by compile"
    assert lines[2 + system.n_body :] == [words]
    model = chain()
    model.close(ls.CompoundJoint([[1, 0, 0, 0, 0, 0], np.eye(6)[:, 2:]]), "a", "c", name="slack")
    lines = repr(model.compile()).splitlines()
    assert "2 loops with 5 constraint equations" in lines[1]
    assert lines[5:] == [
        "loop tie    cylindrical y             the ground - c (tip)  4 equations",
        "loop slack  compound, 2 parts, 5 dof  a - c                 1 equation",
    ]


def test_the_logger_says_what_compile_cuts(caplog):
    with caplog.at_level(logging.INFO, "lissom"):
        four_bar_of_a_chain().compile()
        assert not caplog.records
        four_bar_of_joins().compile()
    assert [r.getMessage() for r in caplog.records] == [
        "model 'four-bar': compile cuts 'C' (revolute y, coupler - rocker), 5 constraint equations"
    ]


def test_the_printed_model_lists_loops_and_joins():
    model = chain()
    assert repr(model).splitlines()[::4] == [
        "Model 'chain': 3 bodies, 1 loop",
        "  tie: loop, cylindrical y, the ground - c.tip",
    ]
    lines = repr(four_bar_of_joins()).splitlines()
    assert lines[0] == "Model 'four-bar': 3 bodies, 4 joins"
    assert lines[1] == "  crank: RigidBody, connected by joins"
    assert lines[5] == "  B: join, revolute y, coupler - crank"


def test_remove_takes_loops_and_joins_by_name():
    model = chain()
    model.join(Y, "a", "c", name="hinge")
    model.remove("tie")
    model.remove("hinge")
    assert not model.loops and not model.joins and not model.compile().loops
    with pytest.raises(ls.ModelError, match=r"'ti'.*known: 'a', 'b', 'c'"):
        model.remove("ti")


def test_remove_needs_consent_for_loops_and_joins():
    model = chain()
    model.join(Y, "a", "b", name="hinge")
    with pytest.raises(
        ls.ModelError, match=r"remove\('c'\): the loop 'tie' depends.*outboard=True"
    ):
        model.remove("c")
    with pytest.raises(ls.ModelError, match=r"carries 'c' and the loop 'tie'.*the join 'hinge'"):
        model.remove("b")
    assert list(model.parts) == ["a", "b", "c"] and model.loops and model.joins
    model.remove("c", outboard=True)
    assert (list(model.parts), list(model.loops), list(model.joins)) == (["a", "b"], [], ["hinge"])
    model.remove("b", outboard=True)
    assert (list(model.parts), list(model.joins)) == (["a"], [])


def test_replace_and_move_leave_loops_in_place():
    model = chain()
    model.move("c", to="a")
    model.replace("c", ls.beam(3.0, ls.Circle(0.05), ls.STEEL, bending=1, torsion=0, stretch=0))
    system = model.compile()
    assert list(system.parent) == [-1, 0, 0] and ends(system.loops[0])[1][0] == 2
    model.replace("c", BALL)
    with pytest.raises(ls.ModelError, match=r"loop 'tie': its end b.*'tip'.*rigid.*give at_b="):
        model.compile()


def test_attach_copies_loops_and_joins_onto_the_new_base():
    limb = chain()
    limb.add(BALL, None, name="loose")
    limb.join(ls.Spherical(), None, "loose", at_a=(0, 0, 5), name="ball joint")
    model = ls.Model("walker")
    model.add(BOOM, ls.Free(), name="hub")
    parts = model.attach(limb, to="hub.tip", prefix="left_")
    model.attach(limb, prefix="right_")
    assert [str(part) for part in parts] == ["left_a", "left_b", "left_c", "left_loose"]
    system = model.compile()
    assert [loop.name for loop in system.loops] == ["left_tie", "right_tie"]
    number = system.names.index
    assert ends(system.loops[0]) == [(0, TIP, 4, 0, 0), (number("left_c"), TIP, 0, 0, 0)]
    assert ends(system.loops[1])[0] == (-1, -1, 4, 0, 0)
    assert system.parent[number("left_loose")] == 0 and system.parent[number("right_loose")] == -1
    with pytest.raises(ls.ModelError, match=r"loop 'tie' already"):
        chain().attach(_with_body_named("x", loop="tie"))
    assert limb.parts.keys() == {"a", "b", "c", "loose"}


def _with_body_named(name, loop):
    model = ls.Model()
    model.add(BALL, Y, name=name)
    model.close(Y, name, None, name=loop)
    return model


@pytest.mark.parametrize("make", [four_bar_of_joins, four_bar_of_a_chain, chain])
def test_systems_with_loops_pickle_and_copy(make):
    def accelerations(system):
        motions = kinematics_base_to_tip(system, system.neutral().q, np.zeros(system.n_v))
        return np.concatenate(constrained_dynamics(system, motions, np.ones(system.n_v)))

    model = make()
    system = model.compile()
    copies = [pickle.loads(pickle.dumps(system)), copy.deepcopy(system)]
    copies += [twin.compile() for twin in (pickle.loads(pickle.dumps(model)), copy.copy(model))]
    for twin in copies:
        assert repr(twin) == repr(system)
        assert np.array_equal(accelerations(twin), accelerations(system))


def joined(*args, **more):
    model = chain()
    model.join(*args, **({"name": "j"} | more))
    return model


def closed(*args, **more):
    model = chain()
    model.close(*args, **({"name": "j"} | more))
    return model


@pytest.mark.parametrize("kind, make", [("loop", closed), ("join", joined)])
@pytest.mark.parametrize(
    "args, more, words",
    [
        ((Y, "a", "a"), {}, ["body 'a' to itself", "two different bodies"]),
        ((Y, "c.tip", "c.tip"), {}, ["body 'c' to itself"]),
        ((Y, None, None), {}, ["the ground to itself"]),
        ((Y, "a", "cc"), {}, ["end b", "'cc'", "not in the model", "did you mean 'c'"]),
        ((Y, "q", "a"), {}, ["end a", "'q'", "known: 'a', 'b', 'c'"]),
        ((Y, "a", "c.top"), {}, ["end b", "'top'", "does not exist", "did you mean 'tip'"]),
        ((Y, "a", ls.Part("c", 9999)), {}, ["end b", "9999", "0 to"]),
        ((Y, "a.tip", "c"), {}, ["end a", "'a'", "rigid", "give at_a="]),
        ((Y, 3, "c"), {}, ["a is 3", '"body.node"']),
        ((Y, "a", 1.5), {}, ["b is 1.5", '"body.node"']),
        ((ls.Free(), "a", "c"), {}, ["free", "constrains nothing", "Free()"]),
        ((ls.SimpleJoint(np.eye(6)), "a", "c"), {}, ["simple, 6 dof", "constrains nothing"]),
        ((ls.Revolute, "a", "c"), {}, ["expected a joint", "write Revolute(...)"]),
        ((None, "a", "c"), {}, ["expected a joint, got None"]),
        ((Y, "a", "c"), {"at_a": (1, 2)}, ["at_a", "three real numbers"]),
        ((Y, "a", "c"), {"at_b": (1, 2, np.nan)}, ["at_b", "finite"]),
        ((Y, "a", "c"), {"rotation_a": np.eye(2)}, ["rotation_a", "(3, 3)"]),
        ((Y, "a", "c"), {"rotation_b": 2 * np.eye(3)}, ["rotation_b", "not a rotation"]),
        ((Y, "a", "c"), {"at_a": (sympy.Symbol("d"), 0, 0)}, ["no value for d", "values="]),
        ((ls.Screw("x", casadi.SX.sym("h")), "a", "c"), {}, ["no value for h", "values="]),
    ],
)
def test_bad_loops_and_joins_say_what_is_wrong(kind, make, args, more, words):
    with pytest.raises(ls.ModelError) as error:
        make(*args, **more).compile()
    for word in (f"{kind} 'j'", *words):
        assert word in str(error.value)
    assert str(error.value).count(f"{kind} 'j'") == 1


@pytest.mark.parametrize("make", [closed, joined])
@pytest.mark.parametrize(
    "name, words",
    [
        ("a", "a body 'a' already"),
        ("tie", "a loop 'tie' already"),
        ("a.b", "contains a dot"),
        ("", "must be non-empty text"),
        (3, "must be non-empty text"),
    ],
)
def test_names_of_loops_and_joins_are_checked(make, name, words):
    with pytest.raises(ls.ModelError, match=words):
        make(Y, "a", "c", name=name)
    model = joined(Y, "a", "c")
    for again in (model.join, model.close):
        with pytest.raises(ls.ModelError, match="a join 'j' already"):
            again(Y, "a", "c", name="j")
    with pytest.raises(ls.ModelError, match="a join 'j' already"):
        model.add(BALL, Y, name="j")


def loose(*names, body=BALL, **more):
    model = ls.Model()
    for name in names:
        model.add(body, None, name=name, **more)
    return model


def pair_in_the_air():
    model = loose("a", "b")
    model.join(Y, "a", "b", name="j")
    return model


def boom_held_by_its_tip():
    model = loose("boom", body=BOOM)
    model.join(Y, None, "boom.tip", name="pin")
    return model


@dataclass(frozen=True, eq=False)
class Odd(ls.Joint):
    """A joint of a user's own, which cannot be run backwards."""

    coordinates = (("way", "m"),)

    def pose(self, q):
        return np.eye(3), np.array([q[0], q[0] ** 2, 0])

    def motion_map(self, q):
        return np.array([[0, 0, 0, 1, 2 * q[0], 0]]).T

    def nearest(self, rotation, position):
        return position[:1]


def odd_joint(*ends, **more):
    model = loose("a")
    model.join(Odd(), *ends, name="odd", **more)
    return model


def names_that_clash():
    model = loose("rod")
    model.join(Y, None, "rod", at_b=(1, 0, 0), name="pin")
    model.add(BALL, Y, name="rod@pin")
    return model


def cycle_of_one():
    model = pair_in_the_air()
    model.add(BALL, Y, to="c", name="c")
    return model


def massless_end():
    model = loose("rod", body=ls.RigidBody(0.0))
    for name in ("left", "right"):
        model.join(ls.Spherical(), None, "rod", name=name)
    return model


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: loose("a"), ["no joint connects body 'a' to the ground", "Free()"]),
        (pair_in_the_air, ["the bodies 'a', 'b'", "join one of them", "Free()"]),
        (boom_held_by_its_tip, ["'boom'", "join 'pin'", f"node {TIP}", "inboard node, 0"]),
        (lambda: odd_joint("a", None), ["'a'", "join 'odd'", "Odd", "reversed", "swap"]),
        (lambda: loose("a", at=(1, 0, 0)), ["'a'", "its joint is None", "model.join"]),
        (lambda: loose("a", to="b"), ["'a'", "its joint is None"]),
        (names_that_clash, ["'rod@pin' is needed", "rename"]),
        (cycle_of_one, ["c -> c", "cycle"]),
        (massless_end, ["'rod'", "no inertia", "instead of 'right'", "model.close"]),
        (lambda: loose("a").move("a", to=None), ["'a'", "no joint to move", "join it"]),
    ],
)
def test_bad_graphs_say_what_is_wrong(make, words):
    with pytest.raises(ls.ModelError) as error:
        make().compile()
    for word in words:
        assert word in str(error.value)


def test_a_joint_of_another_kind_carries_forwards():
    """Only the readable text of the algorithms knows such joints."""
    system = odd_joint(None, "a", at_b=(1, 0, 0)).compile()
    assert system.names == ("a",)  # it does not turn, so that the shift passes through it
    motion = kinematics_base_to_tip(system, np.array([0.5]), np.zeros(1))[-1]
    assert np.allclose(motion.world_position, (-0.5, 0.25, 0))
    system = odd_joint(None, "a", rotation_b=[[0, -1, 0], [1, 0, 0], [0, 0, 1]]).compile()
    assert system.names == ("a@odd", "a")
    motion = kinematics_base_to_tip(system, np.array([0.5]), np.zeros(1))[-1]
    assert np.allclose(motion.world_position, (0.5, 0.25, 0))
    assert np.allclose(motion.world_rotation, [[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
