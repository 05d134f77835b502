"""Simulations that are saved with a model: what is loaded again runs to the same bits."""

import functools
import re

import numpy as np
import pytest

import lissom as ls
from tests.samples.model_files import HUB, RUN, differences, linkage
from tests.tools.measures import random_state

OWN = """
import math

CALLS = []

def drive(t):
    CALLS.append(t)
    return 0.3 * math.sin(2 * t)

def hold(time, state):
    return {"slide": -5.0 * state["slide"] + 1e-9 * len(CALLS)}

def late(time, state):
    return time - 0.1

class Memory:
    def __init__(self):
        self.sum = 0.0

    def update(self, time, state):
        self.sum += 0.1
        return {"panel": self.sum}

memory = Memory()
"""
FUNCTIONS = """
[simulation]
duration = 0.2
step = 0.001
integrator = { kind = "generalized_alpha", spectral_radius = 0.9 }
drift = { stiffness = 400, damping = 40 }
time_limit = 100
forces = { function = "own.py:hold" }

[[simulation.loads]]
kind = "motion"
joint = "slide"
position = { function = "own.py:drive" }

[[simulation.loads]]
kind = "controller"
update = { function = "own.py:memory" }
period = "20 ms"

[[simulation.events]]
when = { function = "own.py:late" }
action = []
"""


def same_settings(one, two):
    assert differences(one.system, two.system) == []
    assert one.state.q.tobytes() == two.state.q.tobytes()
    assert one.state.v.tobytes() == two.state.v.tobytes()
    a, b = dict(one.settings), dict(two.settings)
    assert set(a) == set(b)
    for name in ("loads", "events"):
        assert [type(x) for x in a[name]] == [type(x) for x in b[name]]
        for x, y in zip(a.pop(name), b.pop(name), strict=True):
            for key, value in vars(x).items():
                assert same(value, vars(y)[key]), (name, key)
    for name, value in a.items():
        assert same(value, b[name]), name


def same(a, b):
    if isinstance(a, ls.Table):
        return differences(a, b) == []
    if callable(a) or hasattr(a, "update"):
        return getattr(a, "__name__", type(a).__name__) == getattr(b, "__name__", type(b).__name__)
    if isinstance(a, (list, tuple)) and not all(isinstance(x, (int, float)) for x in a):
        return list(a) == list(b)
    if isinstance(a, (int, float, list, tuple, np.ndarray)):
        return np.array_equal(a, b)
    return a == b


@pytest.mark.parametrize("suffix", ["toml", "json", "yaml"])
def test_a_run_is_saved_with_all_that_its_file_says(tmp_path, suffix):
    (tmp_path / "a.toml").write_text(RUN)
    run = ls.load_run(tmp_path / "a.toml")
    run.save(tmp_path / f"b.{suffix}")
    again = ls.load_run(tmp_path / f"b.{suffix}")
    same_settings(run, again)
    assert ls.check_file(tmp_path / f"b.{suffix}") == []
    one, two = run.simulate(), again.simulate()
    assert one.q.tobytes() == two.q.tobytes() and one.v.tobytes() == two.v.tobytes()


def test_functions_are_saved_by_the_names_that_lead_to_them(tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "a.toml").write_text(RUN[: RUN.index("[simulation]")] + FUNCTIONS)
    run = ls.load_run(tmp_path / "a.toml")
    (tmp_path / "deep").mkdir()
    run.save(tmp_path / "deep" / "b.toml")
    text = (tmp_path / "deep" / "b.toml").read_text()
    assert text.count("../own.py:") == 4
    again = ls.load_run(tmp_path / "deep" / "b.toml")
    same_settings(run, again)
    one, two = run.simulate(), again.simulate()
    assert one.q.tobytes() == two.q.tobytes() and len(one.events) == 1


def test_functions_of_one_file_share_what_the_file_holds(tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "a.toml").write_text(RUN[: RUN.index("[simulation]")] + FUNCTIONS)
    settings = ls.load_run(tmp_path / "a.toml").settings
    assert settings["forces"].__globals__ is settings["loads"][0].position.__globals__


def model():
    made = ls.Model("one")
    made.add(ls.RigidBody.box(2, (1, 1, 1)), ls.Revolute("z"), name="a")
    made.add(ls.RigidBody.box(1, (1, 1, 1)), ls.Free(), name="b", to="a")
    return made


def test_arguments_of_simulate_are_saved_from_python(tmp_path):
    made = model()
    system = made.compile()
    given = {
        "duration": 0.1,
        "step": 1e-3,
        "start": 0.25,
        "atol": np.array([1e-9, *[1e-8] * 6]),
        "integrator": ls.GeneralizedAlpha(0.7, 1e-10),
        "drift": ls.Baumgarte(100, 20),
        "method": "composite",
        "forces": {"a": 3.0, "b": [0, 0, 1, 0, 0, 0.5]},
        "loads": [
            ls.Actuator(ls.Part("a"), ls.Table([0, 1], [0, 1], "smooth", clamped=True)),
            ls.JointStop("a", -np.inf, 1 / 3, stiffness=10),
            ls.NodeForce(ls.Part("b"), force=np.array([1, 2, 3])),
        ],
        "state": system.state(a=1 / 3, b=[0.6, 0, 0.8, 0, 1, 2, 1 / 7], **{"b.rates": [1] * 6}),
    }
    made.save(tmp_path / "a.json", simulation=given)
    again = ls.load_run(tmp_path / "a.json")
    own = ls.simulate(system, **given)
    found = again.simulate()
    assert own.q.tobytes() == found.q.tobytes() and own.v.tobytes() == found.v.tobytes()
    made.save(tmp_path / "b.toml", simulation={"duration": 1, "forces": np.arange(7.0)})
    assert ls.load_run(tmp_path / "b.toml").settings["forces"] == list(np.arange(7.0))
    made.save(tmp_path / "c.toml", simulation={"duration": 1, "integrator": ls.RungeKutta4})
    assert ls.load_run(tmp_path / "c.toml").settings["integrator"] == "rk4"


def test_a_controller_given_as_forces_is_a_load_of_the_file(tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "a.toml").write_text(RUN[: RUN.index("[simulation]")] + FUNCTIONS)
    run = ls.load_run(tmp_path / "a.toml")
    controller = run.settings["loads"][1]
    run.model.save(tmp_path / "b.toml", simulation={"duration": 1, "forces": controller})
    [load] = ls.load_run(tmp_path / "b.toml").settings["loads"]
    assert type(load) is ls.Controller and load.period == 0.02
    run.model.save(tmp_path / "c.toml", simulation={"duration": 1, "forces": [controller]})
    assert len(ls.load_run(tmp_path / "c.toml").settings["loads"]) == 1


def test_states_of_joints_that_compile_chooses_are_saved(tmp_path):
    linked = linkage()
    system = linked.compile()
    state = random_state(system, np.random.default_rng(3))
    linked.save(tmp_path / "a.toml", simulation={"duration": 1, "state": state})
    again = ls.load_run(tmp_path / "a.toml").state
    assert again.q.tobytes() == state.q.tobytes() and again.v.tobytes() == state.v.tobytes()
    with pytest.raises(ls.ModelFileError, match="state has the body 'bar1'"):
        model().save(tmp_path / "b.toml", simulation={"duration": 1, "state": state})


def test_a_run_without_a_simulation_is_saved_as_a_model(tmp_path):
    (tmp_path / "a.toml").write_text("lissom = 1\n" + HUB)
    ls.load_run(tmp_path / "a.toml").save(tmp_path / "b.toml")
    assert "simulation" not in (tmp_path / "b.toml").read_text()


class Strange(ls.JointDamper):
    pass


class Bell(ls.Action):
    def prepare(self, plan, what):
        pass


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"duration": 1, "file": "a.nc"}, "'file' cannot be saved to a file"),
        ({"duration": 1, "forcs": 3}, "did you mean 'forces'"),
        ({}, "duration is missing"),
        (3, "simulation is 3; expected arguments of simulate"),
        ({"duration": 1, "forces": lambda t, s: 0}, "forces is the function"),
        (
            {"duration": 1, "loads": [ls.Actuator("a", functools.partial(max, 0))]},
            "Actuator on 'a': force is the function partial, which has no name in an importable",
        ),
        ({"duration": 1, "loads": [Strange("a", 1)]}, "a load of type Strange cannot be saved"),
        ({"duration": 1, "loads": ["a"]}, "a load of type str cannot be saved"),
        ({"duration": 1, "events": ["a"]}, "expected an Event, got 'a'"),
        ({"duration": 1, "events": [ls.Event("a", Bell())]}, "an action of type Bell cannot be"),
        ({"duration": 1, "state": [1, 2]}, "state is [1, 2]; expected a State"),
        ({"duration": object()}, "files can only hold numbers"),
    ],
)
def test_what_cannot_be_saved_is_named(tmp_path, given, words):
    with pytest.raises(ls.ModelFileError, match=re.escape(words)):
        model().save(tmp_path / "a.toml", simulation=given)
    assert not (tmp_path / "a.toml").exists()


@pytest.mark.parametrize(
    ("line", "key", "words"),
    [
        ("integrator = 3", "integrator", "expected a name or {kind"),
        ('integrator = { kind = "rk5" }', "integrator.kind", "generalized_alpha"),
        (
            'integrator = { kind = "generalized_alpha", spectral_radius = 7 }',
            "integrator",
            "0 to 1",
        ),
        ("drift = 3", "drift", 'expected "projection" or'),
        ("drift = { stiffness = 1 }", "drift.damping", "missing"),
        ("forces = 3", "forces", "numbers by joint"),
        ("forces = [1, 2]", "forces", "2"),
        ('forces = { hbu = "3 N m" }', "forces", "did you mean 'hub'"),
        ('forces = { hub = "3 m" }', "forces", "is a length"),
        ('atol = "3 m"', "atol", "is a length"),
    ],
)
def test_mistakes_in_settings_have_their_line(tmp_path, line, key, words):
    text = f"lissom = 1\n[simulation]\nduration = 1\n{line}\n{HUB}"
    (tmp_path / "a.toml").write_text(text)
    found = ls.check_file(tmp_path / "a.toml")
    assert f"simulation.{key}" in [x.key for x in found], found
    assert any(words in x.message and x.line == 4 for x in found), found
