"""The examples run, and one number of each is right."""

import importlib.util
from pathlib import Path

import numpy as np

import lissom as ls

EXAMPLES = Path(__file__).parent.parent / "examples"


def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_flexible_arm_balances_its_energy(tmp_path, capsys):
    example = load("flexible_arm")
    example.PULSE, example.DURATION, example.ROWS = 0.5, 0.75, 5e-4
    error = example.main(str(tmp_path))
    assert error < 1e-7
    assert "work of the torques" in capsys.readouterr().out
    assert (tmp_path / "flexible_arm.png").stat().st_size > 20_000
    assert (tmp_path / "flexible_arm.html").stat().st_size > 50_000


def test_flexible_arm_booms_are_as_soft_as_beam_theory_says():
    """Four modes give the compliance L^3 / 3EI of a tip load to half a per cent."""
    example = load("flexible_arm")
    system = example.arm()
    tip = system.bodies[1].node_shapes[system.bodies[1].node_names["tip"]]
    compliance = tip[4] ** 2 @ (1 / system.bodies[1].stiffness)
    EI = ls.CARBON.youngs_modulus * ls.Tube(radius=0.04, thickness=0.002).second_moment_z
    assert np.isclose(compliance, 6.0**3 / (3 * EI), rtol=5e-3)


def test_four_bar_passes_its_flat_positions_as_a_pendulum(capsys):
    error, energy = load("four_bar").main(duration=4.0)
    assert error < 1e-5
    assert energy < 1e-4
    assert "7 times flat" in capsys.readouterr().out


def test_tracking_arm_decays_as_its_formulas_say(tmp_path, capsys):
    off, falls = load("tracking_arm").main(str(tmp_path), duration=2.0)
    assert off < 1e-8
    assert falls
    assert "falls all the time" in capsys.readouterr().out
    assert (tmp_path / "tracking_arm.png").stat().st_size > 10_000
