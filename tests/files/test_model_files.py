"""Model files: what is written is read again to the last bit, in every format."""

import dataclasses
import json
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

import lissom as ls
from tests.samples.model_files import JOINTS, MODELS, bodies, differences, flexible

DATA = Path(__file__).parents[1] / "data"
SUFFIXES = ("toml", "json", "yaml")


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("name", MODELS)
def test_a_saved_model_compiles_to_the_same_system_to_the_last_bit(tmp_path, name, suffix):
    model = MODELS[name]()
    path = tmp_path / f"{name}.{suffix}"
    model.save(path)
    again = ls.load(path)
    assert isinstance(again, ls.Model)
    assert repr(again) == repr(model)
    assert differences(model.compile(), again.compile()) == []
    for part, other in zip(model.parts.values(), again.parts.values(), strict=True):
        assert differences(part, other) == []


@pytest.mark.parametrize("name", MODELS)
def test_a_model_saved_twice_gives_the_same_text(tmp_path, name):
    first, second = tmp_path / "a" / "m.toml", tmp_path / "b" / "m.toml"
    first.parent.mkdir(), second.parent.mkdir()
    MODELS[name]().save(first)
    ls.load(first).save(second)
    assert first.read_text() == second.read_text()


def test_the_comparison_sees_one_bit():
    one, other = MODELS["joints"](), MODELS["joints"]()
    part = other._parts["universal"]
    x, y, z = part.at
    other._parts["universal"] = dataclasses.replace(part, at=np.array([x, np.nextafter(y, 1), z]))
    assert differences(one.compile(), other.compile()) == [".frame_position"]


@pytest.mark.parametrize("kind", JOINTS)
def test_every_joint_is_read_again_to_the_last_bit(tmp_path, kind):
    model = ls.Model("one")
    model.add(ls.RigidBody.box(1, (1, 2, 3)), JOINTS[kind], name="body")
    model.save(tmp_path / "one.toml")
    joint = ls.load(tmp_path / "one.toml").parts["body"].joint
    assert differences(joint, JOINTS[kind]) == []


@pytest.mark.parametrize("kind", bodies())
def test_every_body_is_read_again_to_the_last_bit(tmp_path, kind):
    body = bodies()[kind]
    model = ls.Model("one")
    model.add(body, ls.Free(), name="body")
    model.save(tmp_path / "one.json")
    assert differences(ls.load(tmp_path / "one.json").parts["body"].body, body) == []


def test_random_axes_and_rotations_keep_their_bits(tmp_path):
    rng = np.random.default_rng(11)
    model = ls.Model("many")
    for k in range(200):
        Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        Q *= np.sign(np.linalg.det(Q))
        body = ls.RigidBody.box(rng.uniform(), rng.uniform(size=3))
        model.add(body, ls.Revolute(rng.normal(size=3)), name=f"b{k}", rotation=Q + 1e-9)
    model.save(tmp_path / "many.toml")
    assert differences(ls.load(tmp_path / "many.toml").compile(), model.compile()) == []


def test_small_arrays_are_inline_and_large_ones_beside(tmp_path):
    model = ls.Model("one")
    model.add(flexible(n=2, m=1), ls.Free(), name="small")
    model.save(tmp_path / "one.toml")
    assert not (tmp_path / "one_bodies.npz").exists()
    model.add(bodies()["beam"], ls.Free(), name="large")
    model.save(tmp_path / "one.toml")
    assert sorted(np.load(tmp_path / "one_bodies.npz")) == [
        "large.line_factors",
        "large.line_places",
        "large.line_sizes",
        "large.masses",
        "large.positions",
        "large.shapes",
        "large.stiffness",
    ]


def test_a_body_that_serves_twice_is_written_once(tmp_path):
    boom = bodies()["beam"]
    model = ls.Model("two")
    model.add(boom, ls.Free(), name="one")
    model.add(boom, ls.Fixed(), to="one.tip", name="two")
    model.save(tmp_path / "two.toml")
    data = tomllib.loads((tmp_path / "two.toml").read_text())
    assert list(data["bodies"]) == ["one"]
    parts = ls.load(tmp_path / "two.toml").parts
    assert parts["one"].body is parts["two"].body


def test_toml_json_and_yaml_with_the_same_words_give_the_same_model(tmp_path):
    text = """
lissom = 1
name = "pendulum"
gravity = [0, 0, "-9.81 m/s^2"]

[[parts]]
name = "rod"
body = { kind = "rod", mass = "1.5 kg", length = "40 cm", com = [0.2, 0, 0] }
joint = "revolute y"
at = ["1 mm", 1e-3, 0]
"""
    (tmp_path / "a.toml").write_text(text)
    (tmp_path / "a.json").write_text(json.dumps(tomllib.loads(text)))
    (tmp_path / "a.yaml").write_text(
        """
lissom: 1
name: pendulum
gravity: [0, 0, -9.81 m/s^2]
parts:
  - name: rod
    body: {kind: rod, mass: 1.5 kg, length: 40 cm, com: [0.2, 0, 0]}
    joint: revolute y
    at: [1 mm, 1e-3, 0]
"""
    )
    systems = [ls.load(tmp_path / f"a.{suffix}").compile() for suffix in SUFFIXES]
    assert differences(systems[0], systems[1]) == []
    assert differences(systems[0], systems[2]) == []
    model = ls.Model("pendulum", gravity=(0, 0, -9.81))
    rod = ls.RigidBody.rod(1.5, 0.4, com=(0.2, 0, 0))
    model.add(rod, ls.Revolute("y"), name="rod", at=(1e-3, 1e-3, 0))
    assert differences(systems[0], model.compile()) == []


def test_every_shape_of_a_file_is_the_one_of_python(tmp_path):
    given = {
        "rigid": ({"mass": 2, "com": [1, 2, 3], "inertia": 0.5}, ls.RigidBody(2, (1, 2, 3), 0.5)),
        "box": ({"mass": 2, "size": [1, 2, 3]}, ls.RigidBody.box(2, (1, 2, 3))),
        "cylinder": (
            {"mass": 2, "radius": 0.1, "length": 3, "axis": "x"},
            ls.RigidBody.cylinder(2, 0.1, 3, "x"),
        ),
        "sphere": ({"mass": 2, "radius": "5 cm"}, ls.RigidBody.sphere(2, 0.05)),
        "rod": ({"mass": 2, "length": 3, "axis": "z"}, ls.RigidBody.rod(2, 3, "z")),
        "points": (
            {"points": [[0, 0, 0], [1, 0, 2]], "masses": [1, "2 kg"]},
            ls.RigidBody.from_points([[0, 0, 0], [1, 0, 2]], [1, 2]),
        ),
    }
    parts = [
        {"name": kind, "joint": "fixed", "body": {"kind": kind, **table}}
        for kind, (table, _) in given.items()
    ]
    (tmp_path / "a.json").write_text(json.dumps({"lissom": 1, "parts": parts}))
    model = ls.load(tmp_path / "a.json")
    for kind, (_, body) in given.items():
        assert differences(model.parts[kind].body, body) == [], kind


SECTIONS = {
    "tube": ({"radius": 0.1, "thickness": 0.01}, ls.Tube(0.1, 0.01)),
    "circle": ({"radius": 0.1}, ls.Circle(0.1)),
    "rectangle": ({"width": 0.1, "height": 0.02}, ls.Rectangle(0.1, 0.02)),
    "i": (
        {"width": 0.1, "height": 0.2, "flange": 0.01, "web": 0.005},
        ls.ISection(0.1, 0.2, 0.01, 0.005),
    ),
}


@pytest.mark.parametrize("kind", SECTIONS)
def test_beams_of_every_section_and_of_ones_own_material(tmp_path, kind):
    table, section = SECTIONS[kind]
    beam = {"kind": "beam", "length": 2, "section": {"kind": kind, **table}, "material": "alloy"}
    shapes = {"bending": 1, "torsion": 1, "stretch": 0}
    data = {
        "lissom": 2,
        "materials": {"alloy": {"youngs_modulus": "72 GPa", "density": "2.8 g/cm^3"}},
        "bodies": {"boom": {**beam, **shapes, "damping": [0.1, 0.2, 0.3], "level": "linear"}},
        "parts": [{"name": "boom", "body": "boom", "joint": "revolute z"}],
    }
    (tmp_path / "a.json").write_text(json.dumps(data))
    alloy = ls.Material("alloy", 72e9, 2800.0)
    expected = ls.beam(2.0, section, alloy, **shapes, damping=[0.1, 0.2, 0.3], level="linear")
    assert differences(ls.load(tmp_path / "a.json").parts["boom"].body, expected) == []


def test_one_shape_that_a_file_did_not_ask_for_is_told_with_its_place(tmp_path):
    text = """lissom = 2
[[parts]]
name = "boom"
joint = "free"
body = { kind = "beam", length = 1, material = "steel", modes = 2, section = { SECTION } }
"""
    file = tmp_path / "a.toml"
    file.write_text(text.replace("SECTION", 'kind = "circle", radius = 0.02'))
    place = re.escape(f"{file}:5:1: parts[0].body: beam: modes=2 leaves one bending shape")
    with pytest.warns(ls.ModelWarning, match=place):
        ls.load(file)


def test_a_section_by_its_four_numbers(tmp_path):
    tube = ls.Tube(0.1, 0.01)
    numbers = {x: getattr(tube, x) for x in ("area", "second_moment_y", "second_moment_z")}
    section = {"kind": "general", "torsion_constant": tube.torsion_constant, **numbers}
    beam = {"kind": "beam", "length": 2, "section": section, "material": "steel", "modes": 4}
    data = {"lissom": 2, "parts": [{"name": "a", "body": beam, "joint": "free"}]}
    (tmp_path / "a.json").write_text(json.dumps(data))
    body = ls.load(tmp_path / "a.json").parts["a"].body
    expected = ls.beam(2.0, tube, ls.STEEL, modes=4)
    assert np.array_equal(body.shapes, expected.shapes)
    assert np.array_equal(body.stiffness, expected.stiffness)


def test_a_flexible_body_from_a_file_of_arrays(tmp_path):
    body = flexible(names={"tip": 3})
    np.savez(
        tmp_path / "boom.npz",
        positions=body.positions,
        masses=body.masses,
        shapes=body.shapes,
        stiffness=body.stiffness,
    )
    text = """
lissom = 1
[[parts]]
name = "boom"
joint = "free"
body = { kind = "flexible", arrays = "boom.npz", names = { tip = 3 } }
"""
    (tmp_path / "a.toml").write_text(text)
    assert differences(ls.load(tmp_path / "a.toml").parts["boom"].body, body) == []


ROTATIONS = {
    "matrix": "[[0, -1, 0], [1, 0, 0], [0, 0, 1]]",
    "quaternion": "{ quaternion = [0.7071067811865476, 0, 0, 0.7071067811865476] }",
    "axis and angle": '{ axis = "z", angle = "90 deg" }',
    "axis as a vector": "{ axis = [0, 0, 2], angle = 1.5707963267948966 }",
    "roll, pitch, yaw": '{ rpy = [0, 0, "90 deg"] }',
}


@pytest.mark.parametrize("way", ROTATIONS)
def test_rotations_can_be_given_in_many_ways(tmp_path, way):
    text = f"""
lissom = 1
[[parts]]
name = "a"
joint = "fixed"
body = {{ kind = "sphere", mass = 1, radius = 1 }}
rotation = {ROTATIONS[way]}
"""
    (tmp_path / "a.toml").write_text(text)
    rotation = ls.load(tmp_path / "a.toml").parts["a"].rotation
    assert np.allclose(rotation, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)


def test_roll_comes_first_then_pitch_then_yaw(tmp_path):
    text = """
lissom = 1
[[parts]]
name = "a"
joint = "fixed"
body = { kind = "sphere", mass = 1, radius = 1 }
rotation = { rpy = ["90 deg", 0, "90 deg"] }
"""
    (tmp_path / "a.toml").write_text(text)
    rotation = ls.load(tmp_path / "a.toml").parts["a"].rotation
    # y goes to z by the roll and stays there; x goes to y by the yaw
    assert np.allclose(rotation @ [0, 1, 0], [0, 0, 1], atol=1e-15)
    assert np.allclose(rotation @ [1, 0, 0], [0, 1, 0], atol=1e-15)


def test_results_are_still_loaded(tmp_path):
    model = ls.Model("one")
    model.add(ls.RigidBody.box(1, (1, 2, 3)), ls.Revolute("z"), name="body")
    system = model.compile()
    run = ls.simulate(system, duration=0.1, step=0.01)
    run.save(tmp_path / "run.nc")
    assert isinstance(ls.load(tmp_path / "run.nc"), ls.Trajectory)
    with pytest.raises(ls.ResultError):
        ls.load(tmp_path / "nothing.nc")


def test_what_cannot_be_saved_says_why(tmp_path):
    import sympy

    model = ls.Model("symbolic")
    model.add(ls.RigidBody(sympy.Symbol("m")), ls.Free(), name="hub")
    with pytest.raises(ls.ModelFileError, match="body 'hub': mass contains symbols"):
        model.save(tmp_path / "a.toml")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ls.ModelFileError, match="suffix '.xml'"):
        ls.Model("a").save(tmp_path / "a.xml")
    with pytest.raises(ls.ModelFileError, match="cannot be written"):
        MODELS["linkage"]().save(tmp_path / "no folder" / "a.toml")


def test_without_pyyaml_the_message_says_what_to_install(tmp_path, monkeypatch):
    import sys

    (tmp_path / "a.yaml").write_text("lissom: 1")
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ls.ModelFileError, match=r"pip install lissom\[yaml\]"):
        ls.load(tmp_path / "a.yaml")
    with pytest.raises(ls.ModelFileError, match=r"pip install lissom\[yaml\]"):
        MODELS["linkage"]().save(tmp_path / "b.yaml")


def test_loading_results_loads_no_pydantic():
    import subprocess
    import sys

    code = "import sys, lissom; lissom.load; print('pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# Versions of the format


def test_beams_of_format_1_keep_their_modes():
    """Numbers that the last release without static shapes found; see tests/data/README.md."""
    model = ls.load(DATA / "beams_format_1.toml")
    for name, expected in json.loads((DATA / "beams_format_1.json").read_text()).items():
        body = model.parts[name].body
        assert len(body.masses) == expected["nodes"]
        np.testing.assert_allclose(body.frequencies, expected["frequencies"], rtol=1e-12)
        tip = np.array(expected["tip"])
        found = body.shapes[body.names["tip"]]
        np.testing.assert_allclose(found, tip, atol=1e-11 * np.abs(tip).max())


BEAM = {"kind": "beam", "length": 2, "section": {"kind": "circle", "radius": 0.01}}


@pytest.mark.parametrize(
    "version, keys, options",
    [
        (1, {}, {"shapes": "clamped"}),
        (1, {"modes": 5}, {"shapes": "clamped", "modes": 5}),
        (1, {"shapes": "static"}, {}),
        (2, {}, {}),
        (2, {"modes": 4}, {"modes": 4}),
        (2, {"bending": [3, 2], "torsion": 2, "stretch": 0}, None),
        (2, {"bending": 2, "shapes": "clamped"}, None),
    ],
)
def test_the_shapes_of_beams_follow_the_version_of_the_file(tmp_path, version, keys, options):
    body = {**BEAM, "material": "steel", **keys}
    data = {"lissom": version, "parts": [{"name": "a", "body": body, "joint": "free"}]}
    (tmp_path / "a.json").write_text(json.dumps(data))
    expected = ls.beam(2.0, ls.Circle(0.01), ls.STEEL, **(keys if options is None else options))
    assert differences(ls.load(tmp_path / "a.json").parts["a"].body, expected) == []


@pytest.mark.parametrize("outer, inner", [(1, 2), (2, 1)])
def test_an_included_file_follows_its_own_version(tmp_path, outer, inner):
    table = {**BEAM, "material": "steel"}
    merged = {"lissom": inner, "bodies": {"inner": table}}
    attached = {"lissom": inner, "parts": [{"name": "b", "body": table, "joint": "free"}]}
    (tmp_path / "merged.json").write_text(json.dumps(merged))
    (tmp_path / "attached.json").write_text(json.dumps(attached))
    parts = [{"name": n, "body": b, "joint": "free"} for n, b in (("a", "inner"), ("c", table))]
    data = {"lissom": outer, "include": ["merged.json", {"file": "attached.json", "prefix": "x_"}]}
    (tmp_path / "whole.json").write_text(json.dumps({**data, "parts": parts}))
    model = ls.load(tmp_path / "whole.json")
    modes = {1: 6, 2: 8}
    found = {name: part.body.n_mode for name, part in model.parts.items()}
    assert found == {"a": modes[inner], "x_b": modes[inner], "c": modes[outer]}


def test_a_saved_model_says_the_version_and_keeps_its_beams(tmp_path):
    """Bodies are saved as they are, whichever shapes they have."""
    model = ls.Model("both")
    for shapes in ("static", "clamped"):
        model.add(ls.beam(2.0, ls.Circle(0.01), ls.STEEL, shapes=shapes), ls.Free(), name=shapes)
    model.save(tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text())["lissom"] == 2
    for name, part in ls.load(tmp_path / "a.json").parts.items():
        assert differences(part.body, model.parts[name].body) == []
