"""Drives with elastic gears: a run needs their loads, and both ends are told apart."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli import app
from lissom.results.description.system import describe, restore
from lissom.sim import Drive
from tests.samples.mechanisms import driven_arm

FORGOTTEN = r"'arm' is the elastic gear .* nothing connects rotor 'arm_rotor' .*flexible_drive"


HOLDING = ls.Actuator("arm_rotor", 2.0 * 9.81 * 0.3 / 50, ratio=50.0)


def quiet(call):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return call()


def test_a_forgotten_load_is_refused_by_runs_and_equilibria():
    model, drive = driven_arm()
    system = model.compile()
    for function in (
        lambda **x: ls.simulate(system, duration=0.1, **x),
        lambda **x: ls.equilibrium(system, held="arm_rotor", **x),
    ):
        with pytest.raises(ls.LoadError, match=FORGOTTEN):
            function()
        with pytest.raises(ls.LoadError, match=FORGOTTEN):
            function(loads=[HOLDING])
        quiet(lambda f=function: f(loads=[drive, HOLDING]))
        quiet(lambda f=function: f(forces=[drive]))
    found = ls.equilibrium(system, loads=[drive], held="arm_rotor")
    assert found["arm"] == pytest.approx(-2.0 * 9.81 * 0.3 / 4e3, rel=1e-3)  # sags by its weight


def copies(tmp_path, system, model):
    yield "pickle", pickle.loads(pickle.dumps(system))
    yield "description", restore(*describe(system))
    yield "deepcopy", copy.deepcopy(model).compile()
    yield "level", model.compile(level="linear")
    for suffix in ("toml", "json"):
        model.save(tmp_path / f"arm.{suffix}")
        yield suffix, ls.load(tmp_path / f"arm.{suffix}").compile()


def test_what_a_system_goes_through_keeps_its_drives(tmp_path):
    model, drive = driven_arm()
    system = model.compile()
    assert system.drives == (("arm_rotor", "arm"),)
    for way, same in copies(tmp_path, system, model):
        assert same.drives == system.drives, way
    run = ls.simulate(system, duration=0.01, loads=[drive], file=tmp_path / "run.nc")
    assert ls.Trajectory.load(tmp_path / "run.nc").system.drives == system.drives
    with pytest.raises(ls.LoadError, match=FORGOTTEN):
        ls.simulate(run.system, duration=0.1)


def test_attached_drives_have_the_names_of_the_whole(tmp_path):
    model, drive = driven_arm()
    pair = ls.Model("pair", gravity=model.gravity)
    for k, side in enumerate(("left_", "right_")):
        pair.attach(model, prefix=side, at=(0, k, 0))
    system = pair.compile()
    with pytest.raises(ls.LoadError, match=r"'left_arm' is the elastic gear .*prefixed"):
        ls.simulate(system, duration=0.01)
    loads = [drive.prefixed("left_"), drive.prefixed("right_")]
    with pytest.raises(ls.LoadError, match="'right_arm' is the elastic gear"):
        ls.simulate(system, duration=0.01, loads=loads[:1])
    run = quiet(lambda: ls.simulate(system, duration=0.1, loads=loads))
    alone = ls.simulate(model.compile(), duration=0.1, loads=[drive])
    assert run["right_arm_rotor.angle"][-1] == pytest.approx(alone["arm_rotor.angle"][-1], rel=1e-6)
    model.save(tmp_path / "arm.toml")
    text = 'lissom = 1\ninclude = [{file = "arm.toml", prefix = "left_"}]\n'
    (tmp_path / "one.toml").write_text(text)
    assert ls.load(tmp_path / "one.toml").compile().drives == (("left_arm_rotor", "left_arm"),)


def test_the_command_line_says_that_the_load_is_missing(tmp_path):
    model, drive = driven_arm()
    model.save(tmp_path / "arm.toml", simulation={"duration": 0.01, "loads": [HOLDING]})
    result = CliRunner().invoke(app, ["check", str(tmp_path / "arm.toml")])
    assert result.exit_code != 0 and "'arm' is the elastic gear" in result.output.replace("\n", " ")
    model.save(tmp_path / "arm.toml", simulation={"duration": 0.01, "loads": [drive]})
    assert CliRunner().invoke(app, ["check", str(tmp_path / "arm.toml")]).exit_code == 0


@pytest.mark.parametrize(
    "given",
    [
        {"loads": [ls.Actuator("arm", 3.0)]},
        {"loads": [ls.Motion("arm", np.sin)]},
        {"loads": [ls.Motion("arm", velocity=1.0)]},
        {"forces": {"arm": 3.0}},
        {"forces": lambda t, state: {"arm": 3.0 - state["arm"][0]}},
        {"forces": ls.Controller(lambda t, state: {"arm": 3.0}, 0.001)},
    ],
    ids=["actuator", "position", "velocity", "forces", "function", "controller"],
)
def test_what_drives_the_gear_and_not_the_rotor_is_refused(given):
    model, drive = driven_arm()
    given = {**given, "loads": [drive, *given.get("loads", ())]}
    with pytest.raises(ls.LoadError, match="across the gear .* its rotor: 'arm_rotor'"):
        ls.simulate(model.compile(), duration=0.01, **given)


def test_a_gear_can_be_locked_and_have_stops():
    model, drive = driven_arm()
    loads = [drive, ls.Motion("arm", 0.0)]
    run = quiet(lambda: ls.simulate(model.compile(), duration=0.1, loads=loads))
    # a rod on its end: m L^2 / 3 + 50^2 J, pulled down by m g L / 2
    expected = -2.0 * 9.81 * 0.3 / (2.0 * 0.6**2 / 3 + 2500 * 1e-4)
    assert run["arm_rotor.hinge_acceleration"][0, 0] == pytest.approx(expected, rel=1e-3)
    loads = [drive, ls.JointStop("arm", -0.1, 0.1, stiffness=1e4), ls.JointFriction("arm", 0.1)]
    quiet(lambda: ls.simulate(model.compile(), duration=0.01, loads=loads))


@pytest.mark.parametrize(
    "state, says",
    [
        ({"arm": 0.5}, r"twist of 0.5 rad, which needs 2e\+03 N m; .* set 'arm_rotor'$"),
        ({"arm.rates": 2.0}, r"2 rad/s while its rotor is at rest; .* set 'arm_rotor.rates'$"),
    ],
)
def test_a_start_that_winds_the_gear_up_is_noticed(state, says):
    model, drive = driven_arm()
    system = model.compile()
    with pytest.warns(ls.SimulationWarning, match=says):
        ls.simulate(system, system.state(**state), duration=0.01, loads=[drive])


def test_starts_that_are_meant_are_not_noticed():
    """Turned by the rotor; resting on the gear; a soft gear that carries what it would."""
    model, drive = driven_arm()
    system = model.compile()
    loads = [drive, HOLDING]
    rest = ls.equilibrium(system, loads=loads, held="arm_rotor")
    turned = system.state(arm_rotor=0.5, **{"arm_rotor.rates": 2.0, "arm.rates": 0.1})
    for start in (rest, turned):
        quiet(lambda s=start: ls.simulate(system, s, duration=0.01, loads=loads))
    soft = Drive("arm_rotor", "arm", ratio=50.0, rotor_inertia=1e-4, stiffness=50.0)
    start = system.state(arm=-0.25)
    quiet(lambda: ls.simulate(system, start, duration=0.01, loads=[soft, HOLDING]))


def test_linear_drives():
    model, drive = driven_arm(ls.Prismatic("x"))
    system = model.compile()
    with pytest.warns(ls.SimulationWarning, match="twist of 0.2 m, which needs 800 N;"):
        ls.simulate(system, system.state(arm=0.2), duration=0.01, loads=[drive])


def test_a_gear_that_is_moved_away_from_its_rotor_is_none():
    model, _ = driven_arm()
    model.move("arm", to=None)
    assert model.compile().drives == ()
    with pytest.raises(ls.ModelError, match="'arm': its joint .revolute.* cannot be a gear"):
        model.mark_gear("arm")
