"""Includes, repeated parts, and the section of simulations of model files."""

import json

import numpy as np
import pytest

import lissom as ls
from lissom.io.model_file.units import UnitError, quantity
from tests.samples.model_files import HUB, RUN, differences


def test_a_chain_of_forty_links_is_one_paragraph(tmp_path):
    text = """
lissom = 1
name = "chain"

[[parts]]
name = "link{i}"
repeat = 40
body = { kind = "box", mass = 0.2, size = [0.1, 0.01, 0.02], com = [0.05, 0, 0] }
joint = "revolute y"
to = "link{i-1}"
at = ["10 cm", 0, 0]
first = { to = "hub", at = [0.5, 0, 0], joint = "universal x y" }
"""
    (tmp_path / "a.toml").write_text(text + HUB)
    model = ls.Model("chain")
    link = ls.RigidBody.box(0.2, (0.1, 0.01, 0.02), com=(0.05, 0, 0))
    model.add(link, ls.Universal("x", "y"), name="link1", to="hub", at=(0.5, 0, 0))
    for i in range(2, 41):
        model.add(link, ls.Revolute("y"), name=f"link{i}", to=f"link{i - 1}", at=(0.1, 0, 0))
    model.add(ls.RigidBody.box(4, (1, 1, 1)), ls.Free(), name="hub")
    again = ls.load(tmp_path / "a.toml")
    assert differences(again.compile(), model.compile()) == []
    bodies = {id(part.body) for part in again.parts.values()}
    assert len(bodies) == 2


def test_repeated_loops_take_numbers_too(tmp_path):
    text = """
lissom = 1
[[parts]]
name = "bar{i}"
repeat = 3
body = { kind = "box", mass = 1, size = [1, 0.1, 0.1] }
joint = "revolute z"
at = [0, 0, 0]
[[loops]]
name = "tie{i}"
repeat = 2
joint = "spherical"
a = "bar{i}"
b = "bar{i + 1}"
at_a = [0.5, 0, 0]
at_b = [0.5, 0, 0]
"""
    (tmp_path / "a.toml").write_text(text)
    loops = ls.load(tmp_path / "a.toml").loops
    assert [(x.name, x.a.body, x.b.body) for x in loops.values()] == [
        ("tie1", "bar1", "bar2"),
        ("tie2", "bar2", "bar3"),
    ]


def test_names_with_braces_are_left_alone_without_repeat(tmp_path):
    model = ls.Model("a")
    model.add(ls.RigidBody.box(1, (1, 1, 1)), ls.Free(), name="x{i}")
    model.save(tmp_path / "a.toml")
    assert list(ls.load(tmp_path / "a.toml").parts) == ["x{i}"]


def test_includes_bring_bodies_materials_and_parts(tmp_path):
    (tmp_path / "lib").mkdir()
    boom = ls.beam(2.0, ls.Circle(0.01), ls.Material("alloy", 7e10, 2700.0), modes=4)
    np.savez(tmp_path / "lib" / "boom.npz", **{x: getattr(boom, x) for x in FIELDS})
    (tmp_path / "lib" / "materials.toml").write_text(
        "lissom = 1\n[materials.alloy]\nyoungs_modulus = 7e10\ndensity = 2700\n"
    )
    (tmp_path / "lib" / "boom.toml").write_text(
        'lissom = 2\ninclude = ["materials.toml"]\n[bodies.boom]\nkind = "beam"\nlength = 2\n'
        'section = { kind = "circle", radius = 0.01 }\nmaterial = "alloy"\nmodes = 4\n'
        '[bodies.arrays]\nkind = "flexible"\narrays = "boom.npz"\nnames = { root = 0, tip = 24 }\n'
        "damping = 0.005\n" + HUB
    )
    (tmp_path / "a.json").write_text(
        json.dumps(
            {
                "lissom": 1,
                "include": ["lib/boom.toml", "lib/materials.toml"],
                "parts": [
                    {"name": "one", "body": "boom", "joint": "revolute z", "to": "hub"},
                    {"name": "two", "body": "arrays", "joint": "revolute z", "to": "one.tip"},
                ],
            }
        )
    )
    model = ls.load(tmp_path / "a.json")
    assert list(model.parts) == ["hub", "one", "two"]
    one, two = (model.parts[x].body for x in ("one", "two"))
    assert differences(one, boom) == []
    found = [x for x in differences(one, two) if "solids" not in x and "line" not in x]
    assert found == []  # what a beam knows beside its arrays


FIELDS = ("positions", "masses", "shapes", "stiffness")


def test_a_problem_in_an_included_file_names_that_file(tmp_path):
    (tmp_path / "b.toml").write_text('lissom = 1\n\n[bodies.a]\nkind = "box"\nmass = 1\n')
    (tmp_path / "a.toml").write_text('lissom = 1\ninclude = ["b.toml"]\n' + HUB)
    [problem] = ls.check_file(tmp_path / "a.toml")
    assert (problem.file, problem.line, problem.key) == (
        str(tmp_path / "b.toml"),
        3,
        "bodies.a.size",
    )


def test_the_same_name_in_two_files_is_a_problem(tmp_path):
    body = '[bodies.a]\nkind = "sphere"\nmass = 1\nradius = 1\n'
    (tmp_path / "b.toml").write_text("lissom = 1\n" + body)
    (tmp_path / "a.toml").write_text('lissom = 1\ninclude = ["b.toml"]\n' + body + HUB)
    [problem] = ls.check_file(tmp_path / "a.toml")
    assert problem.key == "bodies.a"
    where = f"{tmp_path / 'b.toml'}, line 2"
    assert problem.message == f"is given twice, also in {where}; remove or rename one"


def test_a_run_of_a_file_is_that_of_python(tmp_path):
    (tmp_path / "a.toml").write_text(RUN)
    run = ls.load_run(tmp_path / "a.toml")
    loads = [
        ls.Actuator(
            "panel",
            ls.Table([0, 0.5, 1], [0, 20, 3], "steps"),
            ratio=2,
            rotor_inertia=3e-3,
            limit=100,
            name="motor",
        ),
        ls.JointSpring("panel", 2, rest=np.deg2rad(80), damping=0.1),
        ls.JointDamper("slide", 3),
        ls.JointFriction("panel", 0.1, speed=np.deg2rad(0.1)),
        ls.JointStop("slide", -0.1, np.inf, stiffness=1e4, damping=0.2),
        ls.NodeForce(
            "hub",
            (1, 0, 2),
            ls.Table([0, 1], [[0, 0, 0], [0, 0, 1]]),
            axes="body",
            at=(0.1, 0, 0),
        ),
        ls.NodeSpring(
            "hub", (0, 0, 3), 10, damping=0.1, length=3, at_a=(0.1, 0, 0), on=False, name="tether"
        ),
    ]
    events = [
        ls.Event(
            "panel",
            [ls.Lock("panel"), ls.Switch("tether", True)],
            value=np.deg2rad(40),
            direction=1,
            once=True,
            name="latch",
        ),
        ls.Event("slide", rate=True, value=5.0),
    ]
    state = {
        "panel": np.deg2rad(30),
        "panel.rates": 2 * 2 * np.pi / 60,
        "slide": 0.02,
        "hub.rates": [0, 0, np.deg2rad(1), 0, 0.1, 0],
    }
    assert np.allclose(run.state.q, run.system.state(**state).q, rtol=1e-15)
    assert np.allclose(run.state.v, run.system.state(**state).v, rtol=1e-15)
    own = ls.simulate(
        run.system,
        run.system.state(**state),
        duration=0.2,
        start=0.5,
        step=1e-3,
        integrator="rk4",
        output_step=0.01,
        loads=loads,
        events=events,
    )
    found = run.simulate()
    assert np.allclose(found.q, own.q, rtol=1e-12, atol=1e-14)
    assert np.allclose(found.v, own.v, rtol=1e-12, atol=1e-14)
    assert found.time[-1] == own.time[-1] == pytest.approx(0.7)
    shorter = run.simulate(duration=0.05)
    assert shorter.time[-1] == pytest.approx(0.55)


def test_motions_and_functions_of_ones_own(tmp_path):
    (tmp_path / "own.py").write_text(
        "import math\n\ndef drive(t):\n    return 0.3 * math.sin(2 * t)\n\n"
        "def hold(time, state):\n    return {'slide': -5.0 * state['slide']}\n\n"
        "def late(time, state):\n    return time - 0.1\n"
    )
    text = RUN[: RUN.index("[simulation]")]
    text += """
[simulation]
duration = 0.2
step = 0.001
forces = { function = "own.py:hold" }
[[simulation.loads]]
kind = "motion"
joint = "panel"
position = { function = "own.py:drive" }
[[simulation.loads]]
kind = "motion"
joint = "slide"
velocity = { times = [0, 1], values = ["1 mm/s", "2 mm/s"] }
[[simulation.events]]
when = { function = "own.py:late" }
name = "late"
action = []
[[simulation.events]]
when = "panel"
value = 0.07
action = [{ kind = "release", joint = "slide" }, "stop"]
"""
    (tmp_path / "a.toml").write_text(text)
    run = ls.load_run(tmp_path / "a.toml").simulate()
    assert np.allclose(run["panel.angle"], 0.3 * np.sin(2 * run.time), atol=1e-9)
    assert [name for _, name in run.events] == ["late", "panel"]
    assert run.status == "event"


def test_a_file_without_a_simulation_has_the_neutral_state(tmp_path):
    (tmp_path / "a.toml").write_text("lissom = 1\n" + HUB)
    run = ls.load_run(tmp_path / "a.toml")
    assert np.array_equal(run.state.q, run.system.neutral().q)
    assert run.simulate(duration=0.1, step=0.05).status == "finished"
    with pytest.raises(ls.LoadError, match=r"no section \[simulation\]"):
        run.simulate()


@pytest.mark.parametrize(
    ("text", "dimension", "value"),
    [
        ("12 deg", "angle", np.pi / 15),
        ("12°", "angle", np.pi / 15),
        ("0.5 rev", "angle", np.pi),
        ("5 Hz", "angular speed", 10 * np.pi),
        ("60 rpm", "angular speed", 2 * np.pi),
        ("3 rad/s", "angular speed", 3.0),
        ("3 1/s", "angular speed", 3.0),
        ("3 kN", "force", 3000.0),
        ("165 mm", "length", 0.165),
        ("165mm", "length", 0.165),
        ("2 ft", "length", 0.6096),
        ("20 N m s/rad", "angular damping", 20.0),
        ("20 N*m*s/rad", "angular damping", 20.0),
        ("20 N m", "angular stiffness", 20.0),
        ("7 g/cm^3", "density", 7000.0),
        ("7 g/cm³", "density", 7000.0),
        ("210 GPa", "pressure", 2.1e11),
        ("1 g0", "acceleration", 9.80665),
        ("-9.81 m/s^2", "acceleration", -9.81),
        ("3 mg m**2", "inertia", 3e-6),
        ("5 %", "number", 0.05),
        ("1e-3", "length", 1e-3),
        ("1_000", "length", 1000.0),
        (7, "length", 7.0),
    ],
)
def test_units(text, dimension, value):
    assert quantity(text, [dimension]) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "dimension", "words"),
    [
        ("12 deg", "length", "which is an angle; expected a length [m]"),
        ("12 N", "torque", "which is a force; expected a torque [N m]"),
        ("20 N m/rad", "torque", "which is an angular stiffness; expected a torque [N m]"),
        ("1 kg^2", "mass", "which is in kg^2; expected a mass [kg]"),
        ("1 m/s/s", "speed", "which is an acceleration; expected a speed [m/s]"),
        ("3 parsec", "length", "there is no unit 'parsec'"),
        ("3 m^", "length", "the unit 'm^' cannot be read"),
        ("m", "length", "expected a length [m]"),
        ("", "length", "expected a length [m]"),
        ("1e999", "length", "expected a finite length [m]"),
        ("1" * 5000, "length", "expected a length [m]"),
        ([1], "length", "is a list of 1; expected a length [m]"),
        (None, "length", "is nothing; expected a length [m]"),
    ],
)
def test_wrong_units(text, dimension, words):
    with pytest.raises(UnitError) as error:
        quantity(text, [dimension])
    assert words in str(error.value)
