"""Shapes and contacts in model files: read, checked with lines, and written back."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

import lissom as ls
from lissom import shapes
from lissom.structures import STEEL
from tests.samples.contact_shapes import SHAPES, hopper

FILE = """lissom = 2
name = "ball"
gravity = [0, 0, -9.81]

[materials.rubber]
youngs_modulus = "10 MPa"
density = 1100
poisson_ratio = 0.49

[[parts]]
name = "ball"
body = {kind = "sphere", mass = 1, radius = "100 mm"}
joint = "free"
at = [0, 0, 0.2]

[[frames]]
name = "tool"
on = "ball"

[[shapes]]
kind = "sphere"
on = "ball"
radius = "10 cm"
color = "#ff0000"

[[shapes]]
name = "block"
kind = "box"
on = "tool"
size = ["10 mm", "2 cm", 0.03]
at = [0.1, 0, 0]
rotation = {rpy = [0, 0, "90 deg"]}

[[shapes]]
name = "ground"
kind = "half_space"
normal = [0, 3, 4]

[simulation]
duration = "0.1 s"

[[simulation.loads]]
kind = "contact"
a = "ball"
b = "ground"
law = {kind = "hertz", material = "rubber", restitution = 0.8, at_speed = "50 cm/s"}
friction = {static = 0.6, dynamic = 0.4, speed = "2 mm/s", spin = true}
"""
LAWS = {
    "hertz": ls.Hertz(1.5e9, exponent=1.3, restitution=0.5, damping="flores", slowest=1e-2),
    "hertz_of_materials": ls.Hertz(material=STEEL, other=ls.Material("soft", 1e6, 900.0, 0.4)),
    "linear_contact": ls.LinearContact(1e5, dissipation=1 / 3),
    "impact": ls.Impact(1e8, 2.2, 1e3, 1e-4),
    "line_contact": ls.LineContact(0.02, material=STEEL, radius=0.01, other_radius=-0.0101),
    "plane": ls.LineContact(0.02, material=STEEL, other_radius=np.inf, thickness=0.1),
    "table_contact": ls.TableContact([0.0, 1e-3, 3e-3], [0.0, 10.0, 40.0], restitution=0.7),
}
FRICTION = ls.Friction(0.5, 0.3, speed=2e-3, spin=True, rolling=0.01)


def written(folder, text, name="ball.toml"):
    path = folder / name
    path.write_text(text)
    return path


def equal(a, b):
    """Whether two objects have the same fields, bit for bit."""
    if dataclasses.is_dataclass(a):
        names = [f.name for f in dataclasses.fields(a)]
        return type(a) is type(b) and all(equal(getattr(a, x), getattr(b, x)) for x in names)
    if isinstance(a, np.ndarray):
        return a.tobytes() == b.tobytes()
    return a == b


def test_a_file_says_what_python_says(tmp_path):
    run = ls.load_run(written(tmp_path, FILE))
    placed = {x.name: x for x in run.system.shapes}
    assert {name: x.carrier for name, x in placed.items()} == {
        "ball_sphere": "ball",
        "block": "tool",
        "ground": None,
    }
    assert equal(placed["ball_sphere"].shape, shapes.Sphere(0.1, color="#ff0000"))
    box = shapes.Box((0.01, 0.02, 0.03), at=(0.1, 0, 0), rotation={"rpy": (0, 0, np.pi / 2)})
    assert equal(placed["block"].shape, box)
    assert equal(placed["ground"].shape, shapes.HalfSpace((0, 0.6, 0.8)))
    (load,) = run.settings["loads"]
    rubber = ls.Material("rubber", 10e6, 1100.0, 0.49)
    law = ls.Hertz(material=rubber, restitution=0.8, at_speed=0.5)
    friction = ls.Friction(0.6, 0.4, speed=2e-3, spin=True)
    assert equal(load, ls.Contact("ball", "ground", law, friction))


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("suffix", ["toml", "json", "yaml"])
def test_every_shape_comes_back_from_a_file(kind, suffix, tmp_path):
    model = hopper()
    model.add_shape(SHAPES[kind], "leg.tip", name="more")
    model.save(tmp_path / f"model.{suffix}")
    other = ls.load(tmp_path / f"model.{suffix}")
    assert list(other.shapes) == list(model.shapes)
    more = other.shapes["more"]
    assert str(more.on) == "leg.tip" and equal(more.shape, SHAPES[kind])


def test_a_large_surface_goes_into_the_file_of_arrays(tmp_path):
    x = np.linspace(0, 1, 20)
    heights = np.random.default_rng(1).random((20, 20))
    model = hopper()
    model.add_shape(shapes.HeightField(x, x, heights), name="hills")
    model.save(tmp_path / "model.toml")
    assert 'heights = "model_bodies.npz:hills' in (tmp_path / "model.toml").read_text()
    shape = ls.load(tmp_path / "model.toml").shapes["hills"].shape
    assert np.array_equal(shape.heights, heights)


@pytest.mark.parametrize("name", LAWS)
def test_every_law_and_friction_come_back_from_a_file(name, tmp_path):
    loads = [ls.Contact("ball", "ground", LAWS[name], FRICTION, name="foot", on=False)]
    loads += [ls.Contact("foot", "ground", LAWS[name])]
    path = tmp_path / "run.toml"
    hopper().save(path, simulation={"duration": 1.0, "loads": loads})
    assert all(map(equal, ls.load_run(path).settings["loads"], loads))


def test_a_material_whose_name_means_another_one_is_renamed(tmp_path):
    laws = [ls.Hertz(material=ls.Material("steel", 2e11, 7000.0)), ls.Hertz(material=STEEL)]
    laws.append(ls.Hertz(material=ls.Material(youngs_modulus=1e9, density=900.0)))
    loads = [ls.Contact("ball", "ground", law) for law in laws]
    hopper().save(tmp_path / "run.json", simulation={"duration": 1.0, "loads": loads})
    materials = json.loads((tmp_path / "run.json").read_text())["materials"]
    assert set(materials) == {"steel 2", "material"}
    again = [x.law.material for x in ls.load_run(tmp_path / "run.json").settings["loads"]]
    assert [x.youngs_modulus for x in again] == [2e11, STEEL.youngs_modulus, 1e9]


def test_a_shape_that_is_not_in_the_model_cannot_be_saved(tmp_path):
    model = hopper()
    system = model.compile()
    law = ls.LinearContact(1e5)
    for outside in (shapes.HalfSpace(), system.shape("ball", shapes.Sphere(0.1), "ball_sphere")):
        loads = [ls.Contact("foot", outside, law)]
        with pytest.raises(ls.ModelFileError, match="is not in the model, .*Model.add_shape"):
            model.save(tmp_path / "run.toml", simulation={"duration": 1.0, "loads": loads})
    loads = [ls.Contact(system.find_shape("foot"), "ground", law)]
    model.save(tmp_path / "run.toml", simulation={"duration": 1.0, "loads": loads})
    assert ls.load_run(tmp_path / "run.toml").settings["loads"][0].a == "foot"


MISTAKES = {
    ('radius = "10 cm"', 'radius = "10 kg"'): "is '10 kg', which is a mass; expected a length",
    ('radius = "10 cm"', "radius = -1"): "is -1; it must not be negative",
    ('on = "tool"', 'on = "tol"'): "is 'tol', but there is no such body; did you mean 'tool'",
    ('name = "block"', 'name = "tool"'): "there is a frame 'tool' already",
    ('kind = "half_space"', 'kind = "halfspace"'): "did you mean 'half_space'",
    ("normal = [0, 3, 4]", "normals = [0, 3, 4]"): "unknown key; did you mean 'normal'",
    ('"2 cm", 0.03]', '"2 cm"]'): "expected three positive lengths",
    ('b = "ground"', 'b = "grund"'): "no shape, body or frame 'grund'; did you mean 'ground'",
    ('a = "ball"', 'a = "ground"'): "both shapes are fixed to the ground",
    ('kind = "hertz"', 'kind = "herz"'): "did you mean 'hertz'",
    ('material = "rubber"', 'material = "ruber"'): "no material 'ruber'; did you mean 'rubber'",
    ("restitution = 0.8", "restitution = 1.8"): "expected a number above 0 and at most 1",
    ("static = 0.6", "static = 0.1"): "static must not be the smaller one",
    ("dynamic = 0.4", "dynamc = 0.4"): "unknown key; did you mean 'dynamic'",
    ('speed = "2 mm/s"', 'speed = "2 mm"'): "is '2 mm', which is a length; expected a speed",
}


@pytest.mark.parametrize("change", MISTAKES, ids=lambda x: x[1])
def test_a_mistake_is_told_with_its_line(change, tmp_path):
    before, after = change
    assert FILE.count(before) == 1
    (problem,) = ls.check_file(written(tmp_path, FILE.replace(before, after)))
    lines = FILE.splitlines()
    line = next(k for k, x in enumerate(lines, 1) if before in x)
    heads = [k for k, x in enumerate(lines, 1) if x.startswith("[") and k <= line]
    assert MISTAKES[change] in problem.message
    assert problem.line in (line, heads[-1])


def test_a_right_file_has_no_problems(tmp_path):
    assert not ls.check_file(written(tmp_path, FILE))


def test_shapes_of_included_and_repeated_parts_are_theirs(tmp_path):
    written(tmp_path, FILE.split("[simulation]")[0], "leg.toml")
    text = """lissom = 2
include = [{file = "leg.toml", prefix = "left_"}, {file = "leg.toml", prefix = "right_"}]
[[parts]]
name = "bead{i}"
body = {kind = "sphere", mass = 1, radius = 0.1}
joint = "free"
repeat = 3
[[shapes]]
kind = "sphere"
on = "bead{i}"
radius = 0.1
repeat = 3
"""
    model = ls.load(written(tmp_path, text))
    beads = {f"bead{i}_sphere": f"bead{i}" for i in (1, 2, 3)}
    carriers = {name: str(x.on) for name, x in model.shapes.items()}
    assert carriers.items() >= beads.items()
    assert carriers["left_block"] == "left_tool" and carriers["right_ground"] == "None"
    changed = text.replace('on = "bead{i}"', 'on = "beed{i}"')
    (problem,) = ls.check_file(written(tmp_path, changed, "other.toml"))
    assert problem.line == 10 and "did you mean 'bead1'" in problem.message
