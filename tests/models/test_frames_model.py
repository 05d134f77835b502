"""Named frames of models: joints on them, copies, removal, mistakes."""

import numpy as np
import pytest
import sympy

import lissom as ls
from tests.samples.frames import BOOM, HAND, arm, matrix
from tests.tools.measures import error


def test_joints_on_frames_sit_where_the_frames_are():
    model, plain = arm(), ls.Model("plain")
    camera, tool = (model.frames[x].end for x in ("camera", "tool"))
    model.add(HAND, ls.Revolute("z"), name="finger", to="tool", at=(0, 0, 0.1))
    model.close(ls.Spherical(), "goal", "camera", at_b=(0.1, 0, 0), name="loop")
    system = model.compile()
    plain.add(BOOM, ls.Universal("z", "y"), name="upper", at=(0, 0, 0.5))
    at = np.array([0.05, 0, -0.1]) + model.frames["flange"].end.rotation @ [0.02, 0, 0]
    turn = model.frames["flange"].end.rotation
    plain.add(HAND, ls.Revolute("x"), name="hand", to="upper.tip", at=at, rotation=turn)
    at = camera.at + camera.rotation @ (tool.at + tool.rotation @ [0, 0, 0.1])
    turn = camera.rotation @ tool.rotation
    plain.add(HAND, ls.Revolute("z"), name="finger", to="hand", at=at, rotation=turn)
    other = plain.compile()
    assert error(system.frame_position, other.frame_position) < 1e-15
    assert error(system.frame_rotation, other.frame_rotation) < 1e-15
    assert np.array_equal(system.parent_node, other.parent_node)
    (loop,) = system.loops
    assert (loop.a.body, system.names[loop.b.body]) == (-1, "hand")
    assert np.allclose(loop.a.position, [1, 2, 3])
    assert np.allclose(loop.b.position, camera.at + camera.rotation @ [0.1, 0, 0])


def test_joins_on_frames_are_cut_as_those_on_bodies():
    model = ls.Model("graph")
    model.add(HAND, None, name="left")
    model.add(HAND, None, name="right")
    model.frame("a", on="left", at=(0.1, 0, 0))
    model.frame("b", on="right", at=(0, 0.2, 0))
    model.join(ls.Revolute("z"), None, "left", name="base")
    model.join(ls.Revolute("z"), "a", "b", name="elbow")
    system = model.compile()
    state = system.state(left=0.3, **{"right@elbow": 0.4})
    a, b = (ls.pose(system, state, x).position for x in ("a", "b"))
    assert np.allclose(a, b, atol=1e-15) and {x.name for x in system.frames} == {"a", "b"}


def test_a_frame_cannot_have_the_name_of_what_compile_makes():
    model = ls.Model("graph")
    model.add(HAND, None, name="left")
    model.join(ls.Revolute("z"), None, "left", at_b=(0.1, 0, 0), name="base")
    assert "left@base" in model.compile().names
    model.frame("left@base")
    with pytest.raises(ls.ModelError, match="'left@base' is needed for a massless body or a loop"):
        model.compile()


def test_a_frame_with_the_name_of_a_quantity_is_warned_of():
    model = arm()
    model.frame("momentum", on="hand")
    with pytest.warns(ls.ModelWarning, match="frame 'momentum' has the name.*momentum.position"):
        model.compile()


def test_an_attached_model_brings_its_frames_under_its_prefix():
    whole = ls.Model("two arms")
    turn = {"axis": "z", "angle": 0.5}
    whole.frame("stand", at=(0, 0, 1), rotation=turn)
    whole.attach(arm(), to="stand", prefix="left_", at=(1, 0, 0))
    whole.attach(arm(), prefix="right_")
    system = whole.compile()
    assert [x for x in whole.frames if "goal" in x] == ["left_goal", "right_goal"]
    state = system.state(left_hand=0.3, right_hand=0.3)
    stand = ls.pose(system, state, "stand", at=(1, 0, 0))
    for name in ("tool", "flange", "goal"):
        left, right = (ls.pose(system, state, f"{x}_{name}") for x in ("left", "right"))
        assert error(matrix(left), matrix(stand) @ matrix(right)) < 1e-15


def test_a_frame_follows_the_bending_when_its_body_becomes_flexible():
    model = ls.Model("link")
    model.add(ls.RigidBody.rod(1.0, 1.2, com=(0.6, 0, 0)), ls.Revolute("y"), name="link")
    model.frame("end", on="link", at=(1.21, 0, 0))
    model.replace("link", BOOM)
    end = model.frames["end"].end
    assert str(end.part) == "link.tip" and np.allclose(end.at, [0.01, 0, 0], atol=1e-15)
    state = model.compile().state(**{"link.modes": [0.01, 0, 0, 0]})
    assert abs(ls.pose(state.system, state, "end").position - [1.21, 0, 0]).max() > 1e-4


def test_a_frame_beside_a_node_of_a_body_that_bends_is_warned_of():
    model = arm()
    model.frame("end", on="upper", at=(1.2, 0, 0))
    with pytest.warns(ls.ModelWarning, match="frame 'end' is attached to .* 'upper'.*'tip'"):
        model.compile()


def test_frames_are_removed_by_themselves_and_with_what_carries_them():
    model = arm()
    with pytest.raises(ls.ModelError, match="it carries 'tool'"):
        model.remove("camera")
    model.remove("camera", outboard=True)
    assert list(model.frames) == ["flange", "goal"]
    with pytest.raises(ls.ModelError, match="it carries 'hand'"):
        model.remove("flange")
    model.remove("upper", outboard=True)
    assert list(model.frames) == ["goal"] and not model.parts
    model.remove("goal")
    assert not model.frames


def collide(kind):
    model = arm()
    if kind == "frame":
        model.frame("hand")
    else:
        model.add(HAND, ls.Free(), name="tool")


WRONG = {
    "a frame with the name of a body": (lambda: collide("frame"), "a body 'hand' already"),
    "a body with the name of a frame": (lambda: collide("body"), "a frame 'tool' already"),
    "a dot": (lambda: arm().frame("a.b"), "frame name 'a.b' contains a dot"),
    "not text": (lambda: arm().frame(3), "a frame's name must be non-empty text, got 3"),
    "no place": (lambda: arm().frame("a", on=3), "frame 'a': on is 3; expected"),
    "node alone": (lambda: arm().frame("a", node="tip"), "without its body; give on="),
    "a point of two": (lambda: arm().frame("a", at=(1, 2)), "frame 'a': at is .*three real"),
}


@pytest.mark.parametrize("case", WRONG)
def test_frames_that_cannot_be_are_refused(case):
    make, words = WRONG[case]
    with pytest.raises(ls.ModelError, match=words):
        make()


def broken(kind):
    model = arm()
    match kind:
        case "cycle":
            model.frame("a", on="b")
            model.frame("b", on="a")
        case "itself":
            model.frame("a", on="a")
        case "unknown":
            model.frame("a", on="hnad")
        case "node":
            model.frame("a", on="upper.tp")
        case "rigid node":
            model.frame("a", on="hand.tip")
        case "node of a frame":
            model.add(HAND, ls.Free(), name="a", to="tool.tip")
        case "one body":
            model.close(ls.Spherical(), "tool", "camera", name="a")
        case "carried by itself":
            model.move("hand", to="tool")
        case "unknown carrier":
            model.add(HAND, ls.Free(), name="a", to="tol")
    return model


BROKEN = {
    "cycle": "frame 'a' is attached to itself: a -> b -> a; attach one of these frames to a body",
    "itself": "frame 'a' is attached to itself: a -> a",
    "unknown": "frame 'a' is attached to 'hnad', which is not in the model; did you mean 'hand'",
    "node": "frame 'a' is attached to node 'tp' of body 'upper', which does not exist",
    "rigid node": "frame 'a' is attached to node 'tip' of body 'hand', but that body is rigid",
    "node of a frame": "body 'a' is attached to 'tool.tip', but 'tool' is a frame and has no nodes",
    "one body": "loop 'a' connects body 'hand' to itself",
    "carried by itself": "bodies carry each other in a cycle",
    "unknown carrier": "body 'a' is attached to 'tol', .*did you mean 'tool'",
}


@pytest.mark.parametrize("case", BROKEN)
def test_compile_names_the_frame_that_leads_nowhere(case):
    with pytest.raises(ls.ModelError, match=BROKEN[case]):
        broken(case).compile()


def test_a_long_chain_of_frames_is_followed():
    model = ls.Model()
    model.add(HAND, ls.Revolute("z"), name="f0")
    for k in range(1, 3001):
        model.frame(f"f{k}", on=f"f{k - 1}", at=(0.001, 0, 0))
    system = model.compile()
    assert ls.pose(system, system.state(), "f3000").position[0] == pytest.approx(3.0)


def test_places_of_frames_can_be_symbols():
    L, a = sympy.symbols("L a")
    model = ls.Model("pendulum")
    model.add(ls.RigidBody.rod(1.0, 2.0, com=(1, 0, 0)), ls.Revolute("y"), name="rod")
    model.frame("end", on="rod", at=(L, 0, 0), rotation={"axis": "z", "angle": a})
    model.add(HAND, ls.Revolute("y"), name="hand", to="end", at=(0.5, 0, 0))
    with pytest.raises(ls.ModelError, match="frame 'end': no value for L"):
        model.compile(values={a: 0.5})
    system = model.compile(values={L: 2.0, a: 0.5})
    expected = [2.0 + 0.5 * np.cos(0.5), 0.5 * np.sin(0.5), 0.0]
    assert np.allclose(ls.pose(system, system.state(), "hand").position, expected, atol=1e-15)
    pose = ls.symbolic.derive(model).pose("end")
    assert {L, a} <= pose.free_symbols


def test_a_frame_is_no_body():
    for change in (lambda m: m.move("tool", to=None), lambda m: m.replace("tool", HAND)):
        with pytest.raises(ls.ModelError, match="'tool' is a frame on body 'camera'"):
            change(arm())


def test_prints_show_frames():
    model = arm()
    assert "5 frames" not in str(model) and "4 frames" in str(model)
    assert "  tool: frame, on camera" in str(model)
    assert "frame tool    on hand" in str(model.compile())
    assert "frame flange  on upper (tip)" in str(model.compile())
    assert "frame goal    on the ground" in str(model.compile())
