"""Starts that are told: joints inside stops, motions that contradict each other in loops."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli import app

TURN = ls.Revolute("y")
STOP = ls.JointStop("arm", -0.5, 0.0, stiffness=2000.0)


def arm():
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody.rod(2.0, 1.0, com=(0.5, 0, 0)), TURN, name="arm")
    return model.compile()


def told(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [one for one in caught if "inside a stop" in str(one.message)]


# Stops

CALLS = {
    "simulate": lambda s, x, loads: ls.simulate(s, x, duration=1e-3, loads=loads),
    "Stepper": lambda s, x, loads: ls.Stepper(s, x, step=1e-3, loads=loads),
    "simulate_batch": lambda s, x, loads: ls.simulate_batch(
        s, [x, x], duration=1e-3, step=1e-4, loads=loads
    ),
    "linearize": lambda s, x, loads: ls.linearize(s, x, loads=loads),
    "modes": lambda s, x, loads: ls.modes(s, x, loads=loads),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_start_inside_a_stop_is_told_once_with_depth_and_force(name):
    system = arm()
    said = told(lambda: CALLS[name](system, system.state(arm=0.7), [STOP]))
    assert len(said) == 1
    text = str(said[0].message)
    assert "joint 'arm' starts 0.7 rad inside a stop, at 0.7 rad with upper 0 rad" in text
    assert "JointStop on 'arm' pushes it out with 1.4e+03 N m" in text
    if name != "simulate_batch":
        assert said[0].filename == __file__


@pytest.mark.parametrize("name", CALLS)
def test_a_joint_that_rests_on_its_stop_is_as_it_should_be(name):
    """The remedy of the message, which ends at the static moment over the stiffness."""
    system = arm()
    rest = []
    assert not told(
        lambda: rest.append(ls.equilibrium(system, system.state(arm=0.7), loads=[STOP]))
    )
    assert rest[0]["arm"] * 2000.0 == pytest.approx(2.0 * 9.81 * 0.5, rel=1e-3)
    assert not told(lambda: CALLS[name](system, rest[0], [STOP]))
    assert not told(lambda: CALLS[name](system, system.state(arm=-0.2), [STOP]))  # between
    off = ls.JointStop("arm", -0.5, 0.0, stiffness=2000.0)
    off = type(off)(**{**vars(off), "on": False})
    assert not told(lambda: CALLS[name](system, system.state(arm=0.7), [off]))


def test_a_joint_that_is_pressed_further_in_is_not_told():
    system = arm()
    held = [STOP, ls.Actuator("arm", 500.0)]
    assert not told(lambda: ls.simulate(system, system.state(arm=0.01), duration=1e-4, loads=held))
    driven = [STOP, ls.Motion("arm", 0.01)]
    assert told(lambda: ls.simulate(system, system.state(arm=0.01), duration=1e-4, loads=driven))


def test_lower_limits_slides_and_joints_of_loops_are_looked_at():
    model = ls.Model("slides")
    model.add(ls.RigidBody.box(1.0, (0.1, 0.1, 0.1)), ls.Prismatic("x"), name="one")
    model.add(ls.RigidBody.box(1.0, (0.1, 0.1, 0.1)), ls.Free(), name="two")
    model.close(ls.Prismatic("z"), None, "two", name="guide")
    system = model.compile()
    state = ls.assemble(system, system.state(one=-0.3, two=[1, 0, 0, 0, 0, 0, 0.25]))
    stops = [
        ls.JointStop("one", -0.1, 0.1, stiffness=100.0),
        ls.JointStop("guide", -0.1, 0.1, stiffness=100.0),
    ]
    one, guide = told(lambda: ls.simulate(system, state, duration=1e-4, loads=stops))
    assert "'one' starts 0.2 m inside a stop, at -0.3 m with lower -0.1 m" in str(one.message)
    assert "pushes it out with 20 N;" in str(one.message)
    assert "'guide' starts 0.15 m inside a stop, at 0.25 m with upper 0.1" in str(guide.message)


@pytest.mark.parametrize("angle, says", [("0.7 rad", 1), ("-0.2 rad", 0)])
def test_the_command_check_puts_the_run_at_its_start(angle, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.toml").write_text(f"""
lissom = 2
[[parts]]
name = "arm"
body = {{ kind = "rod", mass = 2, length = 1, com = [0.5, 0, 0] }}
joint = "revolute y"
[simulation]
duration = 1e-3
state = {{ arm = "{angle}" }}
[[simulation.loads]]
kind = "joint_stop"
joint = "arm"
lower = -0.5
upper = 0
stiffness = "2000 N m/rad"
""")
    for command in ("check", "run"):
        with warnings.catch_warnings(action="always"):
            result = CliRunner().invoke(app, [command, "arm.toml", "--json"])
        facts = json.loads(result.stdout)
        assert result.exit_code == 0
        assert len([x for x in facts["warnings"] if "inside a stop" in x]) == says


# Motions


def four_bar(flexible=True):
    """Crank and rocker on rigid bars, the coupler between them a beam."""
    model = ls.Model("four-bar")
    model.add(ls.RigidBody.rod(0.3, 0.04, com=(0.02, 0, 0)), TURN, name="crank")
    link = ls.RigidBody.rod(0.2, 0.3, com=(0.15, 0, 0))
    end, at = "coupler", (0.3, 0, 0)
    if flexible:
        link, end, at = ls.beam(0.3, ls.Rectangle(0.02, 0.005), ls.STEEL), "coupler.tip", (0, 0, 0)
    model.add(link, TURN, to="crank", at=(0.04, 0, 0), name="coupler")
    rocker = ls.RigidBody.rod(0.3, 0.1, com=(0.05, 0, 0))
    model.add(rocker, TURN, at=(0.28, 0, 0), name="rocker")
    model.close(TURN, end, "rocker", at_a=at, at_b=(0.1, 0, 0), name="pin")
    return model.compile()


def closed(system, crank=-1.0):
    near = system.state(crank=crank, coupler=0.8, rocker=-1.9)
    return ls.assemble(system, near, held="crank")


def contradictions(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [one for one in caught if "contradict each other" in str(one.message)]


def test_two_motions_of_one_freedom_are_told_before_the_run_with_what_they_cost():
    """The rocker stands while the crank turns: the coupler takes up the change of the distance."""
    system = four_bar()
    start = closed(system)
    turned = 2e-3
    loads = [
        ls.Motion("crank", ls.Table([0, 1], [-1, -1 + turned * 1e3], "smooth", clamped=True)),
        ls.Motion("rocker", float(start["rocker"][0])),
    ]
    (one,) = contradictions(lambda: ls.simulate(system, start, duration=2e-3, loads=loads))
    assert one.filename == __file__
    text = str(one.message)
    assert "the motions of 'crank', 'rocker' contradict" in text
    assert "leave 1 of these 2 motions free" in text and "'coupler' by" in text
    # the length that is missing, from the distance of the pins
    angle = -1 + turned * 1e3 * (3 * 2e-3**2 - 2 * 2e-3**3)
    pins = np.array([0.28, 0.0]) + 0.1 * np.array(
        [np.cos(start["rocker"][0]), -np.sin(start["rocker"][0])]
    )
    elbow = 0.04 * np.array([np.cos(angle), -np.sin(angle)])
    missing = abs(np.linalg.norm(pins - elbow) - 0.3)
    EA = ls.STEEL.youngs_modulus * 0.02 * 0.005
    energy = float(text.split("all store ")[1].split(" J")[0])
    assert energy == pytest.approx(EA * missing**2 / 0.6, rel=0.02)


def test_motions_that_agree_are_not_told():
    """The rocker follows the crank as the rigid linkage does, by a table."""
    system, rigid = four_bar(), four_bar(flexible=False)
    times, near, follows = np.linspace(0, 2e-3, 21), closed(rigid), []
    cranks = -1 + 2 * (times / 2e-3) ** 3 * 1e-3
    for crank in cranks:
        near = ls.assemble(rigid, rigid.state(near.q, crank=crank), held="crank")
        follows.append(near["rocker"][0])
    loads = [
        ls.Motion("crank", ls.Table(times, cranks, "smooth", clamped=True)),
        ls.Motion("rocker", ls.Table(times, follows, "smooth", clamped=True)),
    ]
    start = ls.assemble(system, closed(system), loads=loads)
    assert not contradictions(lambda: ls.simulate(system, start, duration=2e-3, loads=loads))
    alone = [ls.Motion("crank", -1.0)]
    assert not contradictions(
        lambda: ls.simulate(system, closed(system), duration=1e-4, loads=alone)
    )


def test_rates_that_differ_are_told_at_the_start_of_a_stepper():
    system = four_bar()
    start = closed(system)
    rates = system.state(start.q, **{"crank.rates": 1.0, "rocker.rates": 0.0})
    with warnings.catch_warnings(action="ignore"):
        start = ls.assemble(system, rates, held=["crank", "rocker"])
    loads = [ls.Motion("crank", velocity=1.0), ls.Motion("rocker", velocity=0.0)]
    (one,) = contradictions(lambda: ls.Stepper(system, start, step=1e-5, loads=loads))
    assert "their rates at t = 0 s differ, and open the loops at" in str(one.message)


def test_two_motions_of_two_freedoms_are_not_told():
    """A five-bar has two."""
    model = ls.Model("five-bar")
    bar = ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0))
    link = ls.beam(1.0, ls.Rectangle(0.02, 0.02), ls.STEEL)
    model.add(bar, TURN, name="left")
    model.add(link, TURN, to="left", at=(1, 0, 0), name="upper")
    model.add(bar, TURN, at=(1, 0, 0), name="right")
    model.add(bar, TURN, to="right", at=(1, 0, 0), name="other")
    model.close(TURN, "upper.tip", "other", at_b=(1, 0, 0), name="pin")
    system = model.compile()
    near = system.state(left=-2.0, right=-1.2, upper=1.5, other=-1.0)
    loads = [ls.Motion("left", -2.0), ls.Motion("right", -1.2)]
    start = ls.assemble(system, near, loads=loads)
    assert not contradictions(lambda: ls.simulate(system, start, duration=1e-4, loads=loads))
