"""Rods in model files and results: what is read again is the same to the last bit."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest

import lissom as ls
from lissom.results.description.system import describe, digest, restore

FILE = """
lissom = 2
name = "lash"
gravity = [0, 0, -9.81]

[bodies.whip]
kind = "rod"
length = "80 cm"
sections = [{ kind = "circle", radius = "6 mm" }, { kind = "circle", radius = "3 mm" }]
material = "rubber"
bending = [3, 2]
torsion = 1
shear = [1, 0]
curvature = [0, 0, "20 deg/m"]
nodes = { middle = "40 cm" }
damping = 0.02

[materials.rubber]
youngs_modulus = "30 MPa"
density = 1100

[[parts]]
name = "whip"
body = "whip"
joint = "revolute y"

[[parts]]
name = "handle"
body = { kind = "rod", mass = 0.2, length = 0.3 }
joint = "fixed"
to = "whip.middle"
"""


def same_rod(a, b):
    """Whether all constants of two compiled rods have the same bits."""
    arrays = [*vars(a.rod).items()] + [(k, vars(a)[k]) for k in ("stiffness", "damping")]
    return a.level == b.level == "exact" and all(
        np.asarray(x).tobytes() == np.asarray(getattr(b.rod, k, getattr(b, k, None))).tobytes()
        for k, x in arrays
        if isinstance(x, (float, np.ndarray))
    )


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("rods") / "lash.toml"
    path.write_text(FILE)
    return ls.load(path)


def test_a_file_says_what_python_says(model):
    rubber = ls.Material("rubber", 30e6, 1100.0)
    whip = ls.rod(
        0.8, (ls.Circle(0.006), ls.Circle(0.003)), rubber, bending=(3, 2), torsion=1, shear=(1, 0),
        curvature=(0, 0, np.radians(20)), nodes={"middle": 0.4}, damping=0.02,
    )  # fmt: skip
    found = model.compile().bodies[0]
    assert same_rod(whip.normalised(), found)
    assert found.node_names == {"root": 0, "tip": 24, "middle": 25}
    assert model.parts["handle"].body.mass == 0.2  # a rod with a mass is the rigid one


@pytest.mark.parametrize("suffix", ["toml", "json", "yaml"])
def test_saved_rods_have_the_same_bits(model, suffix, tmp_path):
    model.save(tmp_path / f"lash.{suffix}")
    again = ls.load(tmp_path / f"lash.{suffix}").compile()
    system = model.compile()
    assert same_rod(system.bodies[0], again.bodies[0])
    assert digest(system) == digest(again)
    np.testing.assert_array_equal(
        system.bodies[0].solids[0].outline, again.bodies[0].solids[0].outline
    )


def test_a_uniform_rod_is_saved_within_the_file(tmp_path):
    model = ls.Model("strip")
    damping = np.diag([1.0, 2.0, 3.0])
    rod = ls.Rod(1.1, [1, 2, 3, 4e3, 5, 6], 0.3, [1e-4, 2e-4, 3e-4], bending=(0, 2), torsion=0,
                 damping=damping)  # fmt: skip
    model.add(rod, ls.Fixed(), name="strip")
    model.save(tmp_path / "strip.toml")
    assert [x.name for x in tmp_path.iterdir()] == ["strip.toml"]
    assert "stiffness = [1.0, 2.0, 3.0, 4000.0, 5.0, 6.0]" in (tmp_path / "strip.toml").read_text()
    again = ls.load(tmp_path / "strip.toml").compile()
    assert same_rod(model.compile().bodies[0], again.bodies[0])


def test_the_former_key_of_the_mass_per_length_is_read_and_told(tmp_path):
    path, rod = tmp_path / "strip.toml", ls.Rod(2.0, [1.0] * 6, 0.3, [1e-4] * 3)
    model = ls.Model("strip")
    model.add(rod, ls.Fixed(), name="strip")
    model.save(path)
    assert "mass_per_length = 0.3\n" in path.read_text()
    path.write_text(path.read_text().replace("mass_per_length =", "mass ="))
    with pytest.warns(ls.DeprecatedWarning, match=r"strip.toml:\d+:.*mass_per_length.*rename") as w:
        again = ls.load(path).compile()
    assert len(w) == 1 and same_rod(model.compile().bodies[0], again.bodies[0])


def test_functions_of_python_cannot_be_saved(tmp_path):
    model = ls.Model("odd")
    rod = ls.rod(1.0, ls.Circle(0.01), ls.STEEL, torsion=[np.cos])
    model.add(rod, ls.Fixed(), name="reed")
    with pytest.raises(ls.ModelFileError, match="body 'reed'.*callables.*numbers of functions"):
        model.save(tmp_path / "odd.toml")


SECTIONS = FILE[FILE.index("sections") : FILE.index("material =")]
MISTAKES = {
    "kind": ('"rod"\nlength', '"rodd"\nlength', "is 'rodd'; did you mean 'rod'?"),
    "unit": ('length = "80 cm"', 'length = "80 kg"', "expected a length [m]"),
    "key": ("bending =", "bend =", "unknown key; did you mean 'bending'?"),
    "count": ("bending = [3, 2]", "bending = [3, 99]", "a whole number from 0 to 30"),
    "three": ("sections = [", 'sections = [{kind = "circle", radius = 1}, ', "of two sections"),
    "curvature": ('"20 deg/m"', '"20 deg"', "expected a curvature [rad/m]"),
    "material": ('"rubber"\nbending', '"ruber"\nbending', "did you mean 'rubber'?"),
    "no material": ('material = "rubber"\n', "", "material is missing"),
    "no section": (SECTIONS, "", "a rod has no section"),
    "both": ("bending =", 'mass_per_length = "1 kg/m"\nbending =', "sections and mass_per_length"),
    "two ways": (
        SECTIONS,
        SECTIONS + 'section = { kind = "circle", radius = 1 }\n',
        "both section and sections",
    ),
    "arrays": (SECTIONS + 'material = "rubber"', "stiffness = [1, 1, 1, 1, 1, 1]",
               "mass_per_length is missing"),
    "same": ("bending =", 'mass = 1\nmass_per_length = 1\nbending =', "which are the same; leave"),
    "node": ('middle = "40 cm"', 'middle = "90 cm"', "0 to 0.8 m"),
    "stations": ("damping =", "stations = 2\ndamping =", "stations is 2"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_told_with_their_lines(name, tmp_path):
    old, new, words = MISTAKES[name]
    assert old in FILE
    (tmp_path / "lash.toml").write_text(FILE.replace(old, new, 1))
    problems = ls.check_file(tmp_path / "lash.toml")
    assert any(words in x.message for x in problems)
    assert all(x.line > 1 and x.key.startswith("bodies.whip") for x in problems)


def test_results_hold_rods_to_the_last_bit(model):
    system = model.compile()
    description, arrays = describe(system)
    assert description["format_version"] == 6
    again = restore(json.loads(json.dumps(description)), arrays)
    assert same_rod(system.bodies[0], again.bodies[0])
    assert digest(again) == digest(system)


def _longer(words, arrays):
    arrays["rod_numbers"] = np.append(arrays["rod_numbers"], 0.0)


def _shorter(words, arrays):
    arrays["rod_numbers"] = arrays["rod_numbers"][:-1]


def _negative(words, arrays):
    arrays["rod_numbers"] = -arrays["rod_numbers"]


DAMAGE = {
    "level": lambda words, _: words["bodies"][0].update(level="full"),
    "no rod": lambda words, _: words.pop("rods"),
    "rod of another": lambda words, _: words["rods"].reverse(),
    "strain": lambda words, _: words["rods"][0]["strains"].__setitem__(0, 6),
    "order": lambda words, _: words["rods"][0]["strains"].reverse(),
    "no strains": lambda words, _: words["rods"][0].update(strains=[]),
    "stations": lambda words, _: words["rods"][0].update(stations=10**9),
    "stations as text": lambda words, _: words["rods"][0].update(stations="5"),
    "words": lambda words, _: words["rods"].__setitem__(0, 3),
    "long": _longer,
    "short": _shorter,
    "length": _negative,
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_description_is_refused(model, name):
    description, arrays = copy.deepcopy(describe(model.compile()))
    DAMAGE[name](description, arrays)
    with pytest.raises(ls.ResultError, match="is damaged"):
        restore(description, arrays)


def test_runs_with_rods_are_written_resumed_and_exported(model, tmp_path):
    system = model.compile()
    run = {
        "state": system.state(whip=0.3),
        "duration": 0.02,
        "step": 1e-3,
        "integrator": "generalized_alpha",
        "loads": [ls.NodeForce("whip.tip", (0, 0.1, 0))],
    }
    whole = ls.simulate(system, **run)
    with pytest.warns(ls.SimulationWarning, match="time limit"):
        ls.simulate(system, **run, file=tmp_path / "run.nc", time_limit=1e-9)
    resumed = ls.simulate(system, **run, resume=tmp_path / "run.nc.part")
    again = ls.Trajectory.load(tmp_path / "run.nc")
    for name in whole.channels():
        np.testing.assert_array_equal(whole[name], resumed[name])
        np.testing.assert_array_equal(whole[name], again[name])
    whole.save(tmp_path / "run.npz")
    np.testing.assert_array_equal(ls.load(tmp_path / "run.npz").q, whole.q)
    for suffix in ("csv", "mat"):
        whole.save(tmp_path / f"run.{suffix}")
    table = whole.to_pandas("whip.tip.section_moment", "whip.section_force")
    ends = [f"section_moment.{x}" for x in "xyz"]
    assert [*table] == [*(f"whip.tip.{x}" for x in ends), "whip.section_force.x",
                        "whip.section_force.y"]  # fmt: skip
