"""Couplings in a model: how they are given, what is refused, files, printing."""

from __future__ import annotations

import json

import numpy as np
import pytest
import sympy as sp

import lissom as ls
from lissom import symbolic
from tests.samples.couplings import flexible_arm, geared_rotors, rotor
from tests.tools.measures import error


def sample() -> ls.Model:
    """Bodies on joints of all kinds."""
    model = ls.Model("sample")
    joints = {
        "left": ls.Revolute("z"),
        "right": ls.Revolute("z"),
        "rack": ls.Prismatic("x"),
        "tube": ls.Cylindrical("x"),
        "cross": ls.Universal("x", "y"),
        "puck": ls.Planar("z"),
        "ball": ls.Spherical(),
        "float": ls.Free(),
        "weld": ls.Fixed(),
        "mapped": ls.SimpleJoint([[0], [0], [1], [0], [0], [0]]),
    }
    for name, joint in joints.items():
        model.add(rotor(0.1), joint, name=name)
    return model


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"ratios": {}}, "ratios is {}; expected a number for each coordinate"),
        ({"ratios": None}, "expected a number for each coordinate"),
        ({"ratios": {"left": 0.0, "right": 1.0}}, "ratio of 'left' is 0, which has no effect"),
        ({"ratios": {"left": np.nan}}, "ratio of 'left' is nan; expected a finite"),
        ({"ratios": {"left": 1j}}, "expected a finite real number"),
        ({"ratios": {"left": "two"}}, "ratio of 'left' is 'two'; expected a number"),
        ({"ratios": {"left": [1.0, 2.0]}}, "expected a number"),
        ({"ratios": {"left": True}}, "expected a number"),
        ({"ratios": {3: 1.0}}, '3 is not a coordinate; give "body" or "body.coordinate"'),
        ({"ratios": {"left": 1.0, ls.Part("left"): 2.0}}, "a coordinate is given twice; add up"),
        ({"ratios": {"left": 1.0}, "offset": np.inf}, "offset is inf; expected a finite"),
        ({"ratios": {"left": 1.0}, "name": "left"}, "there is a body 'left' already"),
        ({"ratios": {"left": 1.0}, "name": "a.b"}, "coupling name 'a.b' contains a dot"),
        ({"ratios": {"left": 1.0}, "name": ""}, "a coupling's name must be non-empty text"),
    ],
)
def test_what_is_wrong_without_names_is_refused_at_once(given, words):
    with pytest.raises(ls.ModelError, match=words.replace("{", r"\{").replace("}", r"\}")):
        sample().couple(**{"name": "gear", **given})


@pytest.mark.parametrize(
    ("ratios", "words"),
    [
        ({"lef": 1.0}, "coupling 'gear': there is no body 'lef'; did you mean 'left'"),
        ({"weld": 1.0}, r"joint of 'weld' \(fixed\) has no coordinate; couple revolute"),
        ({"ball": 1.0}, r"joint of 'ball' \(spherical\) has coordinates whose rates are not"),
        ({"float": 1.0}, r"joint of 'float' \(free\) has coordinates whose rates are not"),
        ({"mapped": 1.0}, "joint of 'mapped' .* rates are not its speeds"),
        ({"tube": 1.0}, "has 2 coordinates; name one: 'tube.angle' or 'tube.slide'"),
        ({"puck.z": 1.0}, "joint of 'puck' .* has no coordinate 'z'"),
        ({"left": 1.0, "left.angle": 1.0}, "'left' and 'left.angle' are the same coordinate"),
    ],
)
def test_names_are_checked_by_compile(ratios, words):
    model = sample()
    model.couple(ratios, name="gear")
    with pytest.raises(ls.ModelError, match=words):
        model.compile()


def test_every_plain_coordinate_can_be_coupled():
    """A coordinate follows another, and only that one."""
    keys = ["left", "rack", "tube.angle", "tube.slide", "cross.angle1", "cross.angle2"]
    keys += ["puck.x", "puck.y", "puck.angle"]
    for key in keys:
        model = sample()
        model.couple({"right": 1.0, key: -2.0}, offset=0.5, name="gear")
        system = model.compile()
        state = ls.assemble(system, system.state(right=0.9, **{"right.rates": 4.0}), held=["right"])
        body, _, name = key.partition(".")
        names = {"tube": ["angle", "slide"], "cross": ["angle1", "angle2"]}
        names |= {"puck": ["x", "y", "angle"]}
        entry = names[body].index(name) if name else 0
        expected = np.zeros(len(state[body]))
        expected[entry] = 0.2
        assert error(state[body], expected) < 1e-14
        expected[entry] = 2.0
        assert error(state[f"{body}.rates"], expected) < 1e-14


def test_symbols_get_their_numbers_at_compile():
    n, c = sp.symbols("n c")
    model = sample()
    model.couple({"left": 1.0, "right": -n}, offset=c, name="gear")
    assert "gear: coupling, left + (-n) right = c" in repr(model)
    system = model.compile(values={n: 3.0, c: 0.25})
    assert str(system).splitlines()[-1] == "coupling gear  left - 3 right = 0.25"
    with pytest.raises(ls.ModelError, match="coupling 'gear': no value for c|no value for n"):
        model.compile()
    with pytest.raises(ls.ModelError, match="ratio of 'right' is 0, which has no effect"):
        model.compile(values={n: 0.0, c: 0.25})
    with pytest.raises(ls.LissomError, match="contains symbols, which files cannot hold"):
        model.save("unused.toml")
    row = symbolic.derive(model).constraints.jacobian
    assert {x for x in row if x != 0} == {sp.Integer(1), -n}


def test_remove_and_attach():
    model = sample()
    model.couple({"left": 1.0, "right": -1.0}, name="gear")
    with pytest.raises(ls.ModelError, match="the coupling 'gear' depends on it"):
        model.remove("left")
    whole = ls.Model("whole")
    whole.attach(model, prefix="a_")
    whole.attach(model, prefix="b_")
    assert list(whole.couplings) == ["a_gear", "b_gear"]
    assert list(whole.couplings["b_gear"].ratios) == ["b_left", "b_right"]
    assert len(whole.compile().couplings) == 2
    model.remove("left", outboard=True)
    assert not model.couplings
    whole.remove("a_gear")
    assert list(whole.couplings) == ["b_gear"]
    with pytest.raises(ls.ModelError, match="there is no body 'b_gea'; did you mean 'b_gear'"):
        whole.remove("b_gea")


def test_a_joint_that_compile_chose_cannot_be_coupled():
    bar = ls.RigidBody.box(1.0, (1, 0.05, 0.05), com=(0.5, 0, 0))
    model = ls.Model("graph")
    for name in ("crank", "coupler", "rocker"):
        model.add(bar, None, name=name)
    z = ls.Revolute("z")
    model.join(z, None, "crank", name="A")
    model.join(z, "crank", "coupler", at_a=(1, 0, 0), name="B")
    model.join(z, "coupler", "rocker", at_a=(1, 0, 0), at_b=(1, 0, 0), name="C")
    model.join(z, None, "rocker", at_a=(1, 0, 0), name="D")
    model.couple({"crank": 1.0, "rocker": -1.0}, name="gear")
    with pytest.raises(ls.ModelError, match="coupling 'gear': the joint that carries 'crank'"):
        model.compile()


@pytest.mark.parametrize("ending", ["toml", "json", "yaml"])
def test_model_files_hold_couplings(ending, tmp_path):
    if ending == "yaml":
        pytest.importorskip("yaml")
    model = sample()
    model.couple({"left": 1.0, "tube.slide": -1 / 3}, offset=0.1, name="gear")
    model.couple({"right": 2.0}, name="lock")
    path = tmp_path / f"model.{ending}"
    model.remove("mapped")
    model.save(path)
    again = ls.load(path)
    assert repr(again) == repr(model)
    for name, couple in model.couplings.items():
        other = again.couplings[name]
        assert (dict(other.ratios), other.offset) == (dict(couple.ratios), couple.offset)


FILE = """lissom = 1
name = "train"

[[parts]]
name = "wheel{i}"
body = {kind = "rigid", mass = 1.0, inertia = [0.1, 0.1, 0.2]}
joint = "revolute z"
repeat = 4

[[couplings]]
name = "mesh{i}"
ratios = {"wheel{i}" = 2.0, "wheel{i+1}" = 1.0}
offset = "30 deg"
repeat = 3
"""


def test_repeated_couplings_of_a_file(tmp_path):
    path = tmp_path / "train.toml"
    path.write_text(FILE)
    system = ls.load(path).compile()
    lines = str(system).splitlines()[-3:]
    assert lines[1] == "coupling mesh2  2 wheel2 + wheel3 = 0.523599"
    assert system.couplings[0].offset == pytest.approx(np.pi / 6, abs=1e-16)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('"wheel{i+1}" = 1.0', '"whel{i+1}" = 1.0', 12, "there is no body 'whel2'"),
        ('"wheel{i+1}" = 1.0', '"wheel{i+1}" = 0', 10, "has no effect"),
        ('"wheel{i+1}" = 1.0', '"wheel{i+1}" = "one"', 12, "one"),
        ('"wheel{i+1}" = 1.0', '"wheel{i+1}.slide" = 1', 12, "has no coordinate 'slide'"),
        ('name = "mesh{i}"', 'name = "mesh"', 11, "needs {i} in its name"),
        ("offset =", "offzet =", 13, "did you mean 'offset'"),
        ('"30 deg"', '"30 kg"', 13, "mass"),
        ('ratios = {"wheel{i}" = 2.0, "wheel{i+1}" = 1.0}\n', "", 10, "is missing"),
        ("ratios = {", "ratios = 3 # {", 12, "ratios"),
    ],
)
def test_mistakes_in_a_file_are_named_by_line(old, new, line, words, tmp_path):
    path = tmp_path / "train.toml"
    path.write_text(FILE.replace(old, new, 1))
    with pytest.raises(ls.LissomError) as failure:
        ls.load(path).compile()
    assert words in str(failure.value)
    assert f":{line}:" in str(failure.value) or f"line {line}" in str(failure.value)


def test_info_counts_couplings(tmp_path):
    from typer.testing import CliRunner

    from lissom.cli import app

    path = tmp_path / "train.toml"
    path.write_text(FILE)
    found = CliRunner().invoke(app, ["info", str(path), "--json"])
    assert json.loads(found.stdout)["couplings"] == ["mesh1", "mesh2", "mesh3"]
    printed = CliRunner().invoke(app, ["info", str(path)]).stdout
    assert "couplings: mesh1, mesh2, mesh3; 3 constraint equations" in printed
    assert CliRunner().invoke(app, ["check", str(path)]).exit_code == 0


def test_printed_system():
    text = str(flexible_arm())
    assert "2 couplings with 2 constraint equations" in text
    assert "coupling screw  cart - 0.5 hand.slide + 0.02 hand.angle = 0" in text


def test_a_drive_is_put_in_before_its_joint_is_coupled():
    model = sample()
    model.couple({"left": 1.0, "right": -1.0}, name="gear")
    with pytest.raises(ls.ModelError, match="becomes the twist of the gear, but coupling 'gear'"):
        ls.flexible_drive(model, "left", stiffness=100.0, ratio=10.0, rotor_inertia=1e-4)
    model.remove("gear")
    ls.flexible_drive(model, "left", stiffness=100.0, ratio=10.0, rotor_inertia=1e-4)
    model.couple({"left_rotor": 1.0, "right": -1.0}, name="gear")
    assert len(model.compile().couplings) == 1


def test_a_joint_of_a_coupling_may_be_locked_by_an_event():
    """Both wheels stop; the impulse goes through the gear."""
    system = geared_rotors()
    start = ls.assemble(system, system.state(**{"motor.rates": 3.0}), held=["motor"])
    run = ls.simulate(
        system, start, duration=1.0, events=[ls.Event("motor", ls.Lock("wheel"), value=1.5)]
    )
    assert run.status == "finished" and error(run.q[-1], [1.5, -0.5]) < 1e-9
    assert np.abs(run.v[-1]).max() < 1e-12
