"""Named frames in results, in files and in pictures."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli import app
from lissom.io import check_file
from lissom.results.description.system import describe, digest, restore
from lissom.results.stored_energy import power_on_nodes
from lissom.viz.scene.arrows import arrow_values
from lissom.viz.scene.motion import Scene
from tests.samples.frames import arm
from tests.samples.results import random_run


@pytest.fixture(scope="module")
def system():
    return arm().compile()


@pytest.fixture(scope="module")
def run(system):
    return random_run(system, np.random.default_rng(2), n=3)


@pytest.mark.parametrize("where", ["flange", "tool", "goal"])
def test_channels_of_frames_are_what_the_functions_say(run, where):
    system = run.system
    for k in range(run.n):
        state = system.state(run.q[k], run.v[k])
        pose, V = ls.pose(system, state, where), ls.velocity(system, state, where)
        A = ls.acceleration(system, state, where, run["acceleration"][k])
        expected = {"position": pose.position, "rotation": pose.rotation, "velocity": V[3:]}
        expected |= {"angular_velocity": V[:3], "acceleration": A[3:]}
        expected["angular_acceleration"] = A[:3]
        for key, value in expected.items():
            found = run[f"{where}.{key}"][k]
            assert np.abs(found - value).max() <= 1e-11 * max(1.0, np.abs(value).max()), key


def test_the_deflection_of_a_frame_is_how_far_bending_moves_it(run):
    system = run.system
    for where in ("flange", "tool"):
        moved = run[f"{where}.deflection"]
        body = "upper" if where == "flange" else "hand"
        for k in range(run.n):
            state = system.state(run.q[k])
            straight = system.state(run.q[k], **{"upper.modes": np.zeros(4)})
            found = [ls.pose(system, x, where).position for x in (state, straight)]
            if where == "flange":
                frame = ls.pose(system, state, body)
                expected = frame.rotation.T @ (found[0] - found[1])
                assert np.abs(moved[k] - expected).max() < 1e-12
            else:
                assert not np.any(moved[k])


def test_channels_list_frames_and_wrong_names_are_told(run):
    names = run.channels("tool")
    assert "tool.position" in names and "tool.coordinates" not in names
    assert "flange.deflection" in run.channels() and "tool.deflection" not in run.channels()
    for name, words in (
        ("tool", "'tool' is a frame; give one of its quantities, such as 'tool.position'"),
        ("tool.anglse", "frame 'tool' has no 'anglse'; did you mean 'angles'"),
        ("tool.angle", "frame 'tool' has no 'angle': it is on body 'hand'; use 'hand.angle'"),
        ("tool.a.position", 'a channel of a frame is "frame.quantity"'),
        ("tol.position", "there is no body or frame 'tol'; did you mean 'tool'"),
        ("tool.load", "no load on 'tool' was stored"),
    ):
        with pytest.raises(ls.StateError, match=words):
            run[name]


@pytest.mark.parametrize("name", ["run.nc", "run.npz"])
def test_files_of_results_keep_frames_to_the_last_bit(run, tmp_path, name):
    run.save(tmp_path / name)
    other = ls.Trajectory.load(tmp_path / name)
    for a, b in zip(run.system.frames, other.system.frames, strict=True):
        assert (a.name, a.body, a.node) == (b.name, b.body, b.node)
        assert a.rotation.tobytes() == b.rotation.tobytes()
        assert a.position.tobytes() == b.position.tobytes()
    assert run["tool.position"].tobytes() == other["tool.position"].tobytes()


def test_frames_do_not_change_what_a_system_is():
    """How it moves does not depend on them: digests and states fit, the format knows them."""
    model = arm()
    with_frames = model.compile()
    for name in ("tool", "camera", "goal"):
        model.remove(name)
    model.move("hand", to="upper.tip")
    model.remove("flange")
    model.move("hand", to="upper.tip")
    without = model.compile()
    model.frame("tool", on="hand", at=(1, 2, 3))
    again = model.compile()
    assert digest(again) == digest(without) != digest(with_frames)
    assert again.fingerprint == without.fingerprint
    assert describe(again)[0]["format_version"] == 4
    assert describe(without)[0]["format_version"] == 1


@pytest.mark.parametrize(
    ("key", "value"),
    [("named_frame_body", 7), ("named_frame_node", 9999), ("named_frame_body", -1)],
)
def test_a_file_with_a_frame_on_nothing_is_refused(system, key, value):
    description, arrays = describe(system)
    arrays[key] = arrays[key].copy()
    arrays[key][0] = value
    with pytest.raises(ls.ResultError, match="frame 'flange' is on a node that does not exist"):
        restore(description, arrays)


def test_a_file_with_two_things_of_one_name_is_refused(system):
    description, arrays = describe(system)
    description["frames"][0] = "hand"
    with pytest.raises(ls.ResultError, match="have one name"):
        restore(description, arrays)


# Model files


@pytest.mark.parametrize("suffix", ["toml", "json", "yaml"])
def test_model_files_keep_frames_to_the_last_bit(tmp_path, suffix):
    model = arm()
    model.frame("middle", on="upper", node=3, at=(0.1, 0.2, 1 / 3))
    path = tmp_path / f"arm.{suffix}"
    model.save(path)
    other = ls.load(path)
    assert list(other.frames) == list(model.frames)
    for a, b in zip(model.frames.values(), other.frames.values(), strict=True):
        assert str(a.end.part) == str(b.end.part)
        assert a.end.at.tobytes() == b.end.at.tobytes()
        assert a.end.rotation.tobytes() == b.end.rotation.tobytes()
    assert str(other.parts["hand"].to) == "flange"
    assert digest(other.compile()) == digest(model.compile())


FILE = """lissom = 1
[[parts]]
name = "arm"
body = {kind = "rod", mass = 1.0, length = 2.0}
joint = "revolute z"

[[frames]]
name = "hole{i}"
on = "arm"
at = ["10 cm", 0, 0]
rotation = {axis = "z", angle = "90 deg"}
repeat = 2

[[frames]]
name = "tool"
on = "hole2"
at = [1.0, 0.0, 0.0]
"""
MISTAKES = {
    "unknown": ('on = "hole2"', 'on = "hole3"', 16, "is 'hole3', but there is no such body"),
    "key": ('on = "hole2"', 'to = "hole2"', 16, "to"),
    "point": ("at = [1.0, 0.0, 0.0]", "at = [1.0]", 17, "expected a list of 3"),
    "angle": ('angle = "90 deg"', 'angle = "9 m"', 11, "expected an angle"),
    "axis": ('axis = "z"', "axis = [0, 0, 0]", 11, "is zero; give a direction"),
    "twice": ('name = "tool"', 'name = "arm"', 14, "there is a body 'arm' already"),
    "numbers": ('name = "hole{i}"', 'name = "hole"', 8, "needs {i} in its name"),
    "itself": ('on = "hole2"', 'on = "tool"', 14, "frame 'tool' is attached to itself"),
    "node": ('on = "arm"', 'on = "arm.tip"', 9, "that body is rigid"),
}


def test_a_model_file_can_repeat_frames_and_put_them_on_each_other(tmp_path):
    (tmp_path / "arm.toml").write_text(FILE)
    system = ls.load(tmp_path / "arm.toml").compile()
    assert [x.name for x in system.frames] == ["hole1", "hole2", "tool"]
    assert np.allclose(ls.pose(system, system.state(), "tool").position, [0.1, 1.0, 0.0])


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_about_frames_in_files_are_told_with_their_lines(tmp_path, case):
    old, new, line, words = MISTAKES[case]
    path = tmp_path / "arm.toml"
    path.write_text(FILE.replace(old, new))
    problems = [str(x) for x in check_file(path)]
    assert any(f"arm.toml:{line}:" in x and words in x for x in problems), problems


def test_a_load_in_a_file_can_act_on_a_frame(tmp_path):
    path = tmp_path / "arm.toml"
    loads = '[simulation]\nduration = 0.01\n[[simulation.loads]]\nkind = "node_force"\n'
    path.write_text(FILE + loads + 'where = "tool"\nforce = [0, 3, 0]\naxes = "body"\n')
    run = ls.load_run(path).simulate()
    assert np.allclose(run["tool.load"], [0, 0, 0, 0, 3, 0], atol=1e-15)
    assert run["acceleration"][0, 0] != 0


def test_an_included_file_brings_its_frames(tmp_path):
    (tmp_path / "arm.toml").write_text(FILE)
    text = 'lissom = 1\ninclude = [{file = "arm.toml", prefix = "left_", to = "stand"}]\n'
    text += '[[frames]]\nname = "stand"\nat = [0, 0, 1]\n'
    (tmp_path / "whole.toml").write_text(text)
    system = ls.load(tmp_path / "whole.toml").compile()
    assert np.allclose(ls.pose(system, system.state(), "left_tool").position, [0.1, 1.0, 1.0])


# Pictures


def test_the_view_gets_frames_and_arrows_of_loads_on_them(system):
    calm = system.state(upper=[0.5, -0.8], hand=1.1)
    load = ls.NodeForce("tool", (0, 0, 3.0), moment=(0.5, 0, 0), axes="body")
    run = ls.simulate(system, calm, duration=1e-3, loads=[load])
    scene = Scene(run, ["tool"])
    data = scene.data()
    named = {x["name"]: x for x in data["named"]}
    assert list(named) == ["flange", "tool", "camera", "goal"]
    assert named["tool"]["body"] == system.names.index("hand")
    assert named["goal"]["body"] == -1
    assert np.allclose(named["goal"]["offset"] + scene.origin, [1, 2, 3])
    assert np.all(scene.high >= ls.pose(system, calm, "goal").position)
    assert data["trails"][0]["offset"] == named["tool"]["offset"]
    moment, force = (x for x in data["forces"] if x["name"] == "load on tool")
    assert moment["offset"] == force["offset"] == named["tool"]["offset"]
    turn = system.place("tool").rotation
    values = arrow_values(run, False)[0]
    assert np.allclose(values, [turn @ [0.5, 0, 0], turn @ [0, 0, 3.0]], atol=1e-14)


def test_the_work_of_loads_at_a_frame_and_at_its_body_counts_once(system):
    loads = [ls.NodeForce("tool", (0, 0, 3.0)), ls.NodeForce("hand", (2.0, 0, 0))]
    run = ls.simulate(system, system.state(hand=1.1), duration=1e-2, loads=loads)
    expected = 3.0 * run["tool.velocity"][:, 2] + 2.0 * run["hand.velocity"][:, 0]
    assert (
        np.abs(power_on_nodes(system, run.store) - expected).max() <= 1e-12 * np.abs(expected).max()
    )


def test_the_command_tells_of_frames(tmp_path):
    (tmp_path / "arm.toml").write_text(FILE)
    done = CliRunner().invoke(app, ["info", str(tmp_path / "arm.toml"), "--json"])
    assert [x["name"] for x in json.loads(done.stdout)["frames"]] == ["hole1", "hole2", "tool"]
    done = CliRunner().invoke(app, ["info", str(tmp_path / "arm.toml")])
    assert "frame tool   on arm" in done.stdout
