"""Included files that are attached with a prefix and a place: one file for many limbs."""

import json

import numpy as np
import pytest
import yaml

import lissom as ls
from lissom.io.model_file.includes import DEEPEST
from lissom.spatial import axis_rotation
from tests.samples.model_files import differences, linkage

LEG = """lissom = 1
name = "leg"
gravity = [1, 2, 3]
include = ["tubes.toml"]

[[parts]]
name = "thigh"
body = "tube"
joint = "revolute y"
at = [0, 0.1, 0]

[[parts]]
name = "foot"
body = { kind = "sphere", mass = 1, radius = 0.1 }
joint = "universal x y"
to = "thigh.tip"

[[loops]]
name = "tie"
joint = "spherical"
b = "foot"
at_a = [1, 0, 0]

[simulation]
duration = 1
"""
TUBES = """lissom = 1
[bodies.tube]
kind = "beam"
length = 1
section = { kind = "circle", radius = 0.02 }
material = "steel"
modes = 2
"""
WALKER = """lissom = 1
name = "walker"
gravity = [0, 0, -9.81]

[[include]]
file = "leg.toml"
prefix = "left_"
to = "hub"
at = [0, "20 cm", 0]

[[include]]
file = "leg.toml"
prefix = "right_"
to = "hub"
at = [0, -0.2, 0]
rotation = { axis = "z", angle = "180 deg" }

[[parts]]
name = "hub"
body = { kind = "box", mass = 10, size = [1, 1, 1] }
joint = "free"

[[parts]]
name = "lamp"
body = { kind = "sphere", mass = 1, radius = 0.1 }
joint = "fixed"
to = "left_thigh.tip"
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "leg.toml").write_text(LEG)
    (tmp_path / "tubes.toml").write_text(TUBES)
    (tmp_path / "walker.toml").write_text(WALKER)
    return tmp_path


def test_a_file_used_twice_is_the_model_attached_twice(folder):
    leg = ls.load(folder / "leg.toml")
    model = ls.Model("walker", gravity=(0, 0, -9.81))
    model.attach(leg, to="hub", prefix="left_", at=(0, 0.2, 0))
    turn = axis_rotation(np.array([0.0, 0, 1]), np.deg2rad(180.0))
    model.attach(leg, to="hub", prefix="right_", at=(0, -0.2, 0), rotation=turn)
    model.add(ls.RigidBody.box(10, (1, 1, 1)), ls.Free(), name="hub")
    model.add(ls.RigidBody.sphere(1, 0.1), ls.Fixed(), name="lamp", to="left_thigh.tip")
    assert ls.check_file(folder / "walker.toml") == []
    made = ls.load(folder / "walker.toml")
    assert list(made.loops) == ["left_tie", "right_tie"]
    assert differences(made.compile(), model.compile()) == []
    made.save(folder / "flat.toml")
    assert differences(ls.load(folder / "flat.toml").compile(), model.compile()) == []


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_the_other_formats_have_it_too(folder, suffix):
    import tomllib

    data = tomllib.loads(WALKER)
    text = json.dumps(data) if suffix == "json" else yaml.safe_dump(data)
    (folder / f"w.{suffix}").write_text(text)
    one, two = (ls.load(folder / x).compile() for x in (f"w.{suffix}", "walker.toml"))
    assert differences(one, two) == []


def test_attached_files_are_nested_and_have_names_of_their_own(folder):
    linkage().save(folder / "linkage.toml")
    (folder / "pair.toml").write_text(
        'lissom = 1\ninclude = ["tubes.toml", { file = "linkage.toml", prefix = "a_" },'
        ' { file = "linkage.toml", prefix = "b_", to = "a_bar1" }]\n'
    )
    (folder / "all.toml").write_text(
        'lissom = 1\ninclude = [{ file = "pair.toml", prefix = "p_" },'
        ' { file = "leg.toml", prefix = "", to = "p_b_bar2" }]\n'
    )
    pair, expected = ls.Model(), ls.Model()
    pair.attach(linkage(), prefix="a_")
    pair.attach(linkage(), prefix="b_", to="a_bar1")
    expected.attach(pair, prefix="p_")
    expected.attach(ls.load(folder / "leg.toml"), to="p_b_bar2")
    assert differences(ls.load(folder / "all.toml").compile(), expected.compile()) == []


def problems(folder):
    return [
        (x.file.removeprefix(f"{folder}/"), x.line, x.key, x.message)
        for x in ls.check_file(folder / "walker.toml")
    ]


def test_a_mistake_in_an_attached_file_is_told_once_with_its_line(folder):
    (folder / "leg.toml").write_text(LEG.replace("mass = 1", 'mass = "1 m"'))
    [found] = problems(folder)
    assert found[:3] == ("leg.toml", 14, "parts[1].body.mass")
    (folder / "leg.toml").write_text(LEG.replace('to = "thigh.tip"', 'to = "thihg.tip"'))
    [found] = problems(folder)
    assert found[:3] == ("leg.toml", 16, "parts[1].to") and "did you mean 'thigh'" in found[3]
    (folder / "leg.toml").write_text(LEG)
    (folder / "tubes.toml").write_text(TUBES.replace("circle", "circus"))
    assert problems(folder)[0][:3] == ("tubes.toml", 5, "bodies.tube.section.kind")


def test_what_compile_finds_is_placed_in_the_attached_file(folder):
    (folder / "leg.toml").write_text(LEG.replace("mass = 1,", "mass = 0,"))
    [found] = problems(folder)
    assert found[:3] == ("leg.toml", 12, "parts[1]") and "_foot'" in found[3]


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "words"),
    [
        ('to = "hub"', 'to = "hubb"', 8, "include[0].to", "no such body; did you mean 'hub'"),
        ('to = "hub"', 'to = "lamp.tip"', 8, "include[0].to", "rigid and has no nodes"),
        ('to = "hub"', 'to = "left_foot"', 5, "include[0]", "would carry themselves"),
        ('"right_"', '"left_"', 11, "include[1]", "there is a body 'left_thigh' already"),
        ('"right_"', '"ri.ght_"', 13, "include[1].prefix", "expected text without a dot"),
        ('to = "hub"', 'too = "hub"', 8, "include[0].too", "did you mean 'to'"),
        ('to = "hub"', "node = 3", 5, "include[0]", "node"),
        ('"leg.toml"', '"lag.toml"', 6, "include[0].file", "did you mean 'leg.toml'"),
        ('"20 cm"', '"20 deg"', 9, "include[0].at", "is an angle; expected a length"),
        ('name = "hub"', 'name = "left_tie"', 18, "parts[0]", "there is a loop 'left_tie' already"),
        ('"left_thigh.tip"', '"left_thigh.tipp"', 27, "parts[1].to", "did you mean 'tip'"),
    ],
)
def test_mistakes_of_places(folder, old, new, line, key, words):
    (folder / "walker.toml").write_text(WALKER.replace(old, new, 1))
    found = problems(folder)
    assert ("walker.toml", line, key) in [x[:3] for x in found]
    assert words in " ".join(x[3] for x in found)


def test_what_includes_may_be(folder):
    (folder / "walker.toml").write_text(WALKER.replace("[[include]]\nfile", "[[inc]]\nfile"))
    assert any("did you mean 'include'" in x[3] for x in problems(folder))
    (folder / "walker.toml").write_text("lissom = 1\ninclude = [3]\n")
    [found] = problems(folder)
    assert found[2] == "include[0]" and "expected the path of a model file" in found[3]


def test_circles_and_towers_of_attached_files_are_refused(folder):
    again = '["tubes.toml", { file = "walker.toml", prefix = "a_" }]'
    (folder / "leg.toml").write_text(LEG.replace('["tubes.toml"]', again))
    [found] = problems(folder)
    assert (
        found[:3] == ("leg.toml", 4, "include[1].file")
        and "includes this file again; remove one" in found[3]
    )
    for k in range(DEEPEST + 2):
        include = ", ".join(f'{{ file = "f{k + 1}.toml", prefix = "{p}" }}' for p in "ab")
        (folder / f"f{k}.toml").write_text(f"lissom = 1\ninclude = [{include}]\n")
    (folder / f"f{DEEPEST + 2}.toml").write_text(TUBES)
    found = ls.check_file(folder / "f0.toml")
    assert any("levels deep" in x.message for x in found)
    (folder / f"f{DEEPEST}.toml").write_text("lissom = 1\n" + WALKER.split("\n\n", 3)[3])
    found = ls.check_file(folder / "f0.toml")  # 2**20 hubs
    assert any("more than 10000 parts" in x.message for x in found)


def test_a_run_of_a_model_with_attached_files(folder):
    text = "[simulation]\nduration = 0.01\nstep = 0.005\n[[simulation.loads]]\n"
    text += 'kind = "joint_damper"\njoint = "left_thigh"\ndamping = 1\n'
    (folder / "walker.toml").write_text(WALKER + text)
    run = ls.load_run(folder / "walker.toml")
    assert run.settings["loads"][0].joint == "left_thigh" and run.settings["duration"] == 0.01
