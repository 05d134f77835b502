"""Values that are accepted elsewhere and mean something else: told, or refused by name."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli import app

FILE = """
lissom = 1
name = "pendulum"
gravity = [0, 0, -9.81]
[[parts]]
name = "arm"
body = { kind = "box", mass = "1 kg", size = ["1 m", "0.1 m", "0.1 m"], com = ["0.5 m", 0, 0] }
joint = { kind = "revolute", axis = "y" }
[simulation]
duration = "1 s"
"""


def machine(damping: object = 0.01) -> ls.System:
    """A flexible arm on a hinge and a sled."""
    model = ls.Model("machine")
    model.add(
        ls.beam(1.0, ls.Circle(0.01), ls.STEEL, damping=damping), ls.Revolute("z"), name="arm"
    )
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Prismatic("x"), name="sled")
    return model.compile()


def told(function, *arguments, **settings) -> list[str]:
    """Different warnings of a call, which must be at its line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(*arguments, **settings)
    assert all(Path(one.filename) == Path(__file__) for one in caught)
    return [*{str(one.message): 1 for one in caught if one.category is ls.ModelWarning}]


@pytest.mark.parametrize("ratio", [5, [0.01] * 7 + [1.5]])
def test_a_damping_ratio_above_one_is_told(ratio) -> None:
    (words,) = told(machine, ratio)
    x = np.max(ratio)
    assert f"'arm': damping = {x:g} is a ratio, {100 * x:g} % of critical" in words
    assert words.endswith(f"for {x:g} % give {x / 100:g}")


@pytest.mark.parametrize("damping", [1.0, 0.5, np.diag([2e3] * 8)])
def test_ratios_up_to_one_and_matrices_are_silent(damping) -> None:
    assert told(machine, damping) == []


@pytest.mark.parametrize(
    ("modulus", "density", "doubted"),
    [
        (2.1e5, 7.85e-9, True),  # MPa, t/mm³
        (210, 7.85e-6, True),  # GPa, kg/mm³
        (210, 7850, True),  # GPa
        (2.1e5, 7850, True),  # MPa
        (2.1e11, 7850, False),
        (5e5, 1100, False),  # silicone
        (2.1e11, 1e-6, False),  # a beam whose mass does not count
    ],
)
def test_materials_in_other_units_are_told(modulus, density, doubted) -> None:
    answers = told(ls.Material, "one", modulus, density)
    assert len(answers) == doubted and all("give both in SI units" in x for x in answers)


def test_damping_of_nodal_bodies_and_rods_is_told() -> None:
    model = ls.Model("rod")
    model.add(ls.rod(1.0, ls.Circle(0.01), ls.STEEL, damping=2), ls.Fixed(), name="rod")
    assert "damping = 2 is a ratio" in told(model.compile)[0]


@pytest.mark.parametrize(
    ("load", "words"),
    [
        (ls.JointSpring("arm", 1.0, rest=90), ["rest of the angle is 90 rad, 14.3 turns"]),
        (ls.JointSpring("arm", 1.0, rest=[-22.5]), ["rest of the angle is -22.5 rad"]),
        (ls.JointStop("arm", -90, np.inf, stiffness=1.0), ["lower of the angle is -90 rad"]),
        (ls.JointStop("arm", -1.0, 180, stiffness=1.0), [r"np.radians(180), in a model file"]),
        (ls.JointSpring("arm", 1.0, rest=np.radians(90)), []),
        (ls.JointSpring("arm", 1.0, rest=20 * np.pi), []),  # ten turns of a spring that is wound
        (ls.JointSpring("sled", 1.0, rest=90), []),  # metres
        (ls.Servo("arm", 100.0, kp=1e-3, kd=0.0), []),  # a motor turns as far as it is told
    ],
)
def test_angles_of_springs_and_stops_that_look_like_degrees_are_told(load, words) -> None:
    system = machine()
    for call in (
        lambda: ls.simulate(system, duration=1e-4, loads=[load]),
        lambda: ls.linearize(system, system.neutral(), loads=[load]),
    ):
        answers = told(call)
        assert len(answers) == len(words)
        for sentence, part in zip(answers, words, strict=True):
            assert part in sentence


@pytest.mark.parametrize(
    ("angle", "doubted"),
    [(90, True), (-45, True), (100.5, False), (3.0, False), (400 * np.pi, False)],
)
def test_angles_of_states_that_look_like_degrees_are_told(angle, doubted) -> None:
    system = machine()
    assert len(told(system.state, arm=angle)) == doubted
    assert told(system.state, sled=angle) == told(system.state, **{"arm.rates": angle}) == []


def test_angles_of_rotations_beyond_one_turn_are_told() -> None:
    model = ls.Model("frames")
    body = ls.RigidBody.box(1.0, (1, 1, 1))
    for rotation, count in (
        ({"axis": "z", "angle": 90}, 1),
        ({"rpy": (0, 90, 45)}, 2),
        ({"rpy": (0, np.pi / 2, -2 * np.pi)}, 0),
    ):
        answers = told(model.add, body, ls.Fixed(), name=f"b{len(model.parts)}", rotation=rotation)
        assert len(answers) == count and all("np.radians(" in one for one in answers)


def test_two_loads_of_one_name_are_refused_by_everything_that_takes_loads(tmp_path) -> None:
    system = machine()
    loads = [ls.JointSpring("arm", 1.0, name="k"), ls.JointDamper("sled", 1.0, name="k")]
    words = "two loads are called 'k': JointSpring on 'arm' and JointDamper on 'sled'"
    for call in (
        lambda: ls.simulate(system, duration=1e-4, loads=loads),
        lambda: ls.simulate_batch(system, [system.neutral()], duration=1e-4, loads=loads),
        lambda: ls.equilibrium(system, loads=loads),
        lambda: ls.linearize(system, system.neutral(), loads=loads),
        lambda: ls.Stepper(system, step=1e-3, loads=loads),
    ):
        with pytest.raises(ls.LoadError, match=words):
            call()
    unnamed = [ls.JointSpring("arm", 1.0), ls.JointSpring("arm", 2.0)]
    assert ls.simulate(system, duration=1e-4, loads=unnamed).status == "finished"
    path = tmp_path / "twice.toml"
    one = '[[simulation.loads]]\nkind = "joint_damper"\njoint = "arm"\ndamping = 1\nname = "k"\n'
    path.write_text(FILE + one + one)
    (problem,) = ls.check_file(path)
    assert problem.line == 16 and "two loads are called 'k'" in problem.message


REFUSED = {
    'integrator = "rk4"': "RK4 needs a fixed step",
    'step = "1 ms"\noutput_step = "1.5 ms"': "output_step is 0.0015 s",
    "rtol = 1e-20": "rtol is 1e-20",
    '[simulation.state]\narm = 0.5\n[[simulation.loads]]\nkind = "motion"\njoint = "arm"\n'
    "position = 0.2": "in the state joint 'arm' is at 0.5 rad",
    '[[simulation.loads]]\nkind = "motion"\njoint = "arm"\nposition = '
    '{times = [0, 0.5], values = [0, 1], kind = "smooth"}': "the table ends at t = 0.5 s",
}


@pytest.mark.parametrize("lines", REFUSED)
def test_what_a_run_refuses_at_its_start_is_a_problem_of_check(tmp_path, lines) -> None:
    path = tmp_path / "pendulum.toml"
    path.write_text(FILE + lines + "\n")
    with pytest.raises(ls.LissomError) as refused:
        ls.load_run(path).simulate()
    (problem,) = ls.check_file(path)
    assert REFUSED[lines] in problem.message and REFUSED[lines] in str(refused.value)
    assert problem.line >= 9 and problem.key.startswith("simulation")
    done = CliRunner().invoke(app, ["check", str(path)])
    assert done.exit_code == 1 and "1 problem" in done.output + done.stderr


def test_check_of_a_motion_from_a_program_that_is_not_run_has_no_problem(tmp_path) -> None:
    path = tmp_path / "pendulum.toml"
    path.write_text(
        FILE + '[[simulation.loads]]\nkind = "motion"\njoint = "arm"\n'
        'position = { function = "moves.py:wave" }\n'
    )
    (tmp_path / "moves.py").write_text("def wave(t):\n    return 0.3 + t\n")
    assert ls.check_file(path) == [] == ls.check_file(path, functions=True)
    (tmp_path / "moves.py").write_text("def wave(t):\n    return float('nan')\n")
    assert ls.check_file(path) == []
    assert len(ls.check_file(path, functions=True)) == 1


def test_commands_say_each_doubt_once(tmp_path) -> None:
    path = tmp_path / "door.toml"
    path.write_text(
        FILE + '[[simulation.loads]]\nkind = "joint_spring"\njoint = "arm"\nstiffness = 1\n'
        "rest = 90\n"
    )
    doubt = "JointSpring on 'arm': rest of the angle is 90 rad"
    for arguments in (["check"], ["check", "--json"], ["run", "--json"]):
        command = [sys.executable, "-m", "lissom", *arguments, path.name]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0 and done.stderr.count(doubt) == 1
        if "--json" in arguments:
            warned = json.loads(done.stdout)["warnings"]
            assert sum(doubt in x for x in warned) == 1
