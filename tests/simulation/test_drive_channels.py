"""Channels of elastic drives: angles on both sides of the gear, and the torque through it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli import app
from lissom.results.store import MemoryStore
from tests.samples.mechanisms import driven_arm

RATIO, STIFFNESS, DAMPING, INERTIA = 50.0, 4e3, 2.0, 1e-4  # of the sample


@pytest.fixture(scope="module")
def run():
    model, drive = driven_arm()
    system = model.compile()
    motor = ls.Actuator("arm_rotor", 0.3, ratio=RATIO)
    start = system.state(arm_rotor=0.4, **{"arm_rotor.rates": -0.5})
    settings = {"duration": 0.3, "output_step": 0.002, "rtol": 1e-10}
    return ls.simulate(system, start, loads=[drive, motor], **settings)


def test_the_joint_is_where_the_body_is(run):
    """The angle about -y of the body's attitude and velocity, which know nothing of drives."""
    turn = run["arm.rotation"]
    angle = np.arctan2(turn[:, 2, 0], turn[:, 0, 0])
    np.testing.assert_allclose(run["arm.joint_angle"], angle, atol=1e-12)
    np.testing.assert_allclose(
        run["arm.joint_rate"], -run["arm.angular_velocity"][:, 1], atol=1e-12
    )
    assert np.abs(run["arm.joint_angle"] - run["arm_rotor.angle"]).max() > 1e-4


def test_the_gear_moves_the_arm_and_holds_back_the_rotor(run):
    """Newton's law of both sides: weight and inertia of the rod; the rotor and its motor."""
    change = run["arm.hinge_acceleration"][:, 0] + run["arm_rotor.hinge_acceleration"][:, 0]
    inertia = 2.0 * 0.6**2 / 3
    weight = 2.0 * 9.81 * 0.3 * np.cos(run["arm.joint_angle"])
    gear = run["arm.gear_torque"]
    np.testing.assert_allclose(gear, inertia * change + weight, atol=1e-9 * np.abs(gear).max())
    rotor = INERTIA * RATIO**2 * run["arm_rotor.hinge_acceleration"][:, 0]
    np.testing.assert_allclose(rotor, RATIO * 0.3 - gear, atol=1e-7)
    np.testing.assert_array_equal(run["arm.motor_angle"], RATIO * run["arm_rotor.angle"])
    np.testing.assert_array_equal(run["arm.motor_rate"], RATIO * run["arm_rotor.rates"][:, 0])


def test_a_linear_drive_has_slides_and_a_force():
    model, drive = driven_arm(ls.Prismatic("x"))
    run = ls.simulate(model.compile(), duration=0.01, loads=[drive])
    assert run.channels("arm.joint_slide")["arm.joint_slide"].unit == "m"
    assert run.channels("arm.gear_force")["arm.gear_force"].unit == "N"
    assert run["arm.motor_slide"].shape == run.time.shape
    with pytest.raises(
        ls.StateError, match=r"has no joint_angle; use 'arm\.joint_slide', .*gear_f"
    ):
        run["arm.joint_angle"]


def test_what_has_no_drive_says_so(run):
    with pytest.raises(ls.StateError, match="'arm_rotor' has no elastic drive.*known: 'arm'"):
        run["arm_rotor.gear_torque"]
    assert "arm_rotor.joint_angle" not in run and "arm_rotor.joint_angle" not in run.channels()
    plain = ls.Model("plain")
    plain.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Revolute("z"), name="box")
    other = ls.simulate(plain.compile(), duration=0.01)
    with pytest.raises(ls.StateError, match="no elastic drive.*see flexible_drive"):
        other["box.joint_angle"]


def test_what_is_not_known_of_a_gear_is_no_channel(run):
    """The torque of one that an event switches; the motor's side in files of earlier versions."""
    model, drive = driven_arm()
    cut = ls.Event(lambda t, state: t - 0.005, ls.Switch(drive.label), name="cut")
    switched = ls.simulate(model.compile(), duration=0.01, loads=[drive], events=[cut])
    assert "arm.motor_angle" in switched and "arm.gear_torque" not in switched
    rows = MemoryStore(replace(run.store.columns, drives=()), run.store.rows)
    old = ls.Trajectory(run.system, rows)
    assert np.array_equal(old["arm.joint_angle"], run["arm.joint_angle"])
    assert "arm.motor_angle" not in old and "arm.gear_torque" not in old


def test_files_plots_and_the_command_line_have_them(tmp_path, run):
    model, drive = driven_arm()
    model.save(tmp_path / "arm.toml", simulation={"duration": 0.02, "loads": [drive]})
    words = ["run", str(tmp_path / "arm.toml"), "--output", str(tmp_path / "arm.nc")]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    listed = CliRunner().invoke(app, ["plot", str(tmp_path / "arm.nc"), "--list"]).output
    for name, unit in {"joint_angle": "rad", "gear_torque": "N m", "motor_rate": "rad/s"}.items():
        (line,) = (x for x in listed.splitlines() if x.split()[:1] == [f"arm.{name}"])
        assert unit in line
    (line,) = (x for x in listed.splitlines() if x.split()[:1] == ["arm.angle"])
    assert "twist of the gear" in line
    loaded = ls.load(tmp_path / "arm.nc")
    assert np.array_equal(
        loaded["arm.gear_torque"], -(4e3 * loaded["arm.angle"] + 2.0 * loaded.v[:, 1])
    )
    panels = {axes.get_title(loc="left"): axes for axes in run.plot().axes}
    (line,) = panels["Joint angles"].get_lines()
    np.testing.assert_array_equal(line.get_ydata(), run["arm.joint_angle"])
    assert "Twist of gears" in panels


def test_linear_models_have_the_joint_beyond_the_gear():
    """They are those of the body's attitude, which knows nothing of drives."""
    model, drive = driven_arm()
    system = model.compile()
    state = system.state(arm_rotor=0.4, arm=-0.001)
    given = {"loads": [drive], "forces": {"arm_rotor": 9.0}, "inputs": ["arm_rotor"]}
    names = ["arm.joint_angle", "arm.joint_rate"]
    linear = ls.linearize(system, state, outputs=names, **given)
    attitude = ["arm.attitude.y", "arm.angular_velocity.y"]
    angular = ls.linearize(system, state, outputs=attitude, **given)
    assert list(linear.outputs) == [(names[0], "rad"), (names[1], "rad/s")]
    np.testing.assert_allclose(linear.C, -angular.C, atol=1e-14)
    np.testing.assert_allclose(linear.D, 0, atol=1e-14)
