"""Where runs begin: on given motions with closed loops, or not at all."""

from __future__ import annotations

import json
import re
import warnings
from functools import cache

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli import app

CRANK, ROD, RATE = 0.1, 0.3, 60.0


@cache
def slider_crank():
    """Crank and rod about y, a piston along x; closed at the wrist."""
    model = ls.Model("engine")

    def bar(length):
        return ls.RigidBody.box(1.0, (length, 0.02, 0.02), com=(length / 2, 0, 0))

    model.add(bar(CRANK), ls.Revolute((0, -1, 0)), name="crank")
    model.add(bar(ROD), ls.Revolute((0, -1, 0)), to="crank", at=(CRANK, 0, 0), name="rod")
    model.add(ls.RigidBody(0.5), ls.Prismatic("x"), name="piston")
    model.close(ls.Revolute((0, -1, 0)), "rod", "piston", at_a=(ROD, 0, 0), name="wrist")
    return model, model.compile()


def piston(angle, rate):
    """Place and speed of the piston, by Pythagoras."""
    across = np.sqrt(ROD**2 - (CRANK * np.sin(angle)) ** 2)
    speed = -CRANK * np.sin(angle) - CRANK**2 * np.sin(angle) * np.cos(angle) / across
    return CRANK * np.cos(angle) + across, speed * rate


MOTIONS = {
    "position": lambda: ls.Motion("crank", lambda t: 0.8 + RATE * t),
    "velocity": lambda: ls.Motion("crank", velocity=RATE),
    "acceleration": lambda: ls.Motion("crank", acceleration=0.0),
}
GUESS = {"crank": 0.8, "rod": -1.0, "piston": 0.36, "crank.rates": RATE}


@pytest.mark.parametrize("way", MOTIONS)
def test_assembly_holds_what_is_driven(way):
    _, system = slider_crank()
    loads = [MOTIONS[way]()]
    state = ls.assemble(system, system.state(**GUESS), loads=loads)
    found = [state["crank"], state["crank.rates"], state["piston"], state["piston.rates"]]
    expected = [0.8, RATE, *piston(0.8, RATE)]
    np.testing.assert_allclose(np.ravel(found), expected, rtol=1e-11)
    run = ls.simulate(system, state, duration=0.01, loads=loads)
    assert np.abs(run["crank.rates"] - RATE).max() < 1e-8


@pytest.mark.parametrize(
    "given, says",
    [
        ({"crank": 0.3, "rod": -0.4, "piston": 0.39}, r"'crank' is at 0.3 rad, .* at 0.8 rad"),
        ({"crank": 0.8, "rod": -1.04}, r"'crank' has the rate 0 rad/s, .* gives it 60 rad/s"),
    ],
    ids=["position", "rate"],
)
@pytest.mark.parametrize("start", [0.0, 2.0])
def test_a_start_that_contradicts_a_motion_is_refused_and_the_advice_leads_on(given, says, start):
    """The advice is taken out of the message and executed as it stands."""
    _, system = slider_crank()
    loads = [ls.Motion("crank", lambda t: 0.8 + RATE * (t - start), name="motor")]
    state = ls.assemble(system, system.state(**given), held=["crank"])
    with pytest.raises(ls.StateError, match=says) as caught:
        ls.simulate(system, state, start=start, duration=0.01, loads=loads)
    assert "motor" in str(caught.value) and f"t = {start:g} s" in str(caught.value)
    advice = re.search(r"state = (assemble\(.*?\)) \(in", str(caught.value))[1]
    names = {"assemble": ls.assemble, "system": system, "state": state, "loads": loads}
    state = eval(advice, names)
    run = ls.simulate(system, state, start=start, duration=0.01, loads=loads)
    place, speed = piston(run["crank.angle"], RATE)
    assert np.abs(run["crank.angle"] - 0.8 - RATE * (run.time - start)).max() < 1e-12
    np.testing.assert_allclose(run["piston.slide"], place, rtol=1e-9)
    np.testing.assert_allclose(run["piston.rates"][:, 0], speed, rtol=1e-8)


@pytest.mark.parametrize(
    "loads", [[], [ls.JointDamper("rod", 0.1)], [ls.Motion("rod", velocity=-2)]]
)
def test_the_advice_for_an_open_loop_holds_what_is_driven(loads):
    _, system = slider_crank()
    forces = [ls.Motion("crank", velocity=RATE)]
    state = system.state(**GUESS)
    with pytest.raises(ls.StateError, match="'wrist' is open by") as caught:
        ls.simulate(system, state, duration=0.01, forces=forces, loads=loads)
    advice = str(caught.value).partition("state = ")[2]
    if any(isinstance(load, ls.Motion) for load in loads):
        assert "loads=[*loads, *forces])" in advice
        return
    found = eval(advice, {"assemble": ls.assemble, "system": system, "state": state} | locals())
    assert found["crank"] == 0.8 and found["crank.rates"] == RATE


def test_without_a_state_a_run_begins_on_its_motions_with_closed_loops():
    _, system = slider_crank()
    run = ls.simulate(system, duration=0.01, loads=[MOTIONS["position"]()])
    place, _ = piston(0.8, RATE)
    assert abs(run["piston.slide"][0]) == pytest.approx(place, rel=1e-9)
    assert run["crank.rates"][0, 0] == pytest.approx(RATE, rel=1e-9)


def test_motions_of_one_mechanism_that_say_nothing_of_position_or_rate():
    """A velocity leaves the position as it is, an acceleration both."""
    model = ls.Model("slide")
    model.add(ls.RigidBody(1.0), ls.Prismatic("x"), name="b")
    system = model.compile()
    state = system.state(b=0.4, **{"b.rates": 0.7})
    for motion, rate in (
        (ls.Motion("b", velocity=0.7 + 1e-6), 0.7),  # as a rounded number
        (ls.Motion("b", acceleration=0.0), 0.7),
    ):
        run = ls.simulate(system, state, duration=0.1, loads=[motion])
        assert run["b.slide"][[0, -1]] == pytest.approx([0.4, 0.4 + 0.1 * rate], abs=1e-6)
    with pytest.raises(ls.StateError, match=r"has the rate 0.7 m/s, .* gives it 0.5 m/s"):
        ls.simulate(system, state, duration=0.1, loads=[ls.Motion("b", velocity=0.5)])


def test_both_signs_of_a_quaternion_agree_with_a_motion():
    model = ls.Model("ball")
    model.add(ls.RigidBody(1.0, inertia=(1.0, 1, 1)), ls.Spherical(), name="b")
    system = model.compile()
    motion = ls.Motion("b", [np.cos(0.3), 0.0, np.sin(0.3), 0.0])
    turned = system.state(b=[-np.cos(0.3), 0.0, -np.sin(0.3), 0.0])
    assert ls.simulate(system, turned, duration=0.1, loads=[motion]).status == "finished"
    with pytest.raises(ls.StateError, match=r"'b' is at \[1, 0, 0, 0\], .* \[0.955336, 0, 0.29"):
        ls.simulate(system, system.neutral(), duration=0.1, loads=[motion])


def test_a_motion_that_is_off_drives_nothing():
    model = ls.Model("slide", gravity=(1.0, 0, 0))
    model.add(ls.RigidBody(1.0), ls.Prismatic("x"), name="b")
    system = model.compile()
    off = ls.Motion("b", 0.5, on=False)
    run = ls.simulate(system, system.neutral(), duration=1.0, loads=[off])
    assert run["b.slide"][[0, -1]] == pytest.approx([0.0, 0.5], abs=1e-9)  # falls: t^2 / 2
    spring = ls.JointSpring("b", 4.0)
    assert ls.equilibrium(system, loads=[off, spring])["b"] == pytest.approx(0.25)


@pytest.mark.parametrize(
    "motion, says",
    [
        (ls.Motion("b", 0.4, on=False, name="grip"), r"is at 0.5 m, but grip has it at 0.4 m"),
        (ls.Motion("b", velocity=1.0, on=False, name="grip"), None),
        (ls.Motion("b", velocity=0.3, on=False, name="grip"), r"the rate 1 m/s, .* 0.3 m/s"),
    ],
)
def test_a_motion_that_is_switched_on_elsewhere_is_noticed(motion, says):
    model = ls.Model("slide", gravity=(1.0, 0, 0))
    model.add(ls.RigidBody(1.0), ls.Prismatic("x"), name="b")
    now = ls.Event(lambda t, state: t - 1.0, ls.Switch("grip", True))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ls.simulate(model.compile(), duration=1.5, loads=[motion], events=[now])
    found = [str(x.message) for x in caught]
    assert bool(found) == (says is not None)
    assert not found or re.search(says + " .*at t = 1 s", found[0])


def command(tmp_path, name, state, motion, *, duration=0.01):
    model, system = slider_crank()
    given = {"duration": duration, "loads": [motion], "state": system.state(**state)}
    model.save(tmp_path / name, simulation=given)
    out = tmp_path / "out.nc"
    return CliRunner().invoke(app, ["run", str(tmp_path / name), "-o", str(out), "--json"]), out


def test_the_command_line_closes_a_driven_loop_around_the_crank(tmp_path):
    result, out = command(tmp_path, "a.toml", GUESS, ls.Motion("crank", velocity=RATE))
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["start_moved"]
    run = ls.Trajectory.load(out)
    assert np.abs(run["crank.rates"] - RATE).max() < 1e-9
    assert run["crank.angle"][0] == 0.8


def test_a_file_that_says_nothing_of_a_driven_joint_starts_on_its_motion(tmp_path):
    path = tmp_path / "engine.toml"
    model, _ = slider_crank()
    table = ls.Table([0.0, 0.1, 0.2], [0.8, 6.8, 12.8], "smooth")
    simulation = {"duration": 0.01, "loads": [ls.Motion("crank", table)]}
    model.save(path, simulation=simulation)
    path.write_text(path.read_text().partition("[simulation.state]")[0])
    start = ls.load_run(path).state
    assert start["crank"] == pytest.approx(0.8) and start["crank.rates"] == pytest.approx(RATE)
    assert start["rod"] == start["piston"] == 0.0


FUNCTION = """
[simulation]
duration = 0.01
[[simulation.loads]]
kind = "motion"
joint = "rod"
position = { function = "own.py:turn" }
"""


@pytest.mark.parametrize("words", [[], ["--functions"]], ids=["unread", "read"])
def test_a_check_does_not_hold_a_joint_whose_motion_it_has_not_read(tmp_path, words):
    """With the rod along the crank at zero no piston closes the loop; with -0.3 one does."""
    model = ls.Model("triangle")
    for name, to in (("crank", None), ("rod", "crank")):
        bar = ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0))
        model.add(bar, ls.Revolute("z"), to=to, at=(1, 0, 0) if to else (0, 0, 0), name=name)
    model.close(ls.Revolute("z"), None, "rod", at_a=(1.5, 0, 0), at_b=(1, 0, 0), name="pin")
    model.save(tmp_path / "a.toml")
    path, angle = tmp_path / "a.toml", float(2 * np.arccos(0.75))
    path.write_text(path.read_text() + FUNCTION)
    (tmp_path / "own.py").write_text(f"def turn(t):\n    return -{angle!r}\n")
    result = CliRunner().invoke(app, ["check", str(path), *words])
    assert result.exit_code == 0, (result.output, result.exception)


def test_a_file_whose_state_contradicts_a_motion_is_refused(tmp_path):
    state = {**GUESS, "crank.rates": 3.0}
    result, _ = command(tmp_path, "b.toml", state, ls.Motion("crank", velocity=RATE))
    assert result.exit_code != 0
    assert "leave 'crank' and 'crank.rates' out" in str(result.exception)
