"""The examples run without a warning, and one number of each is right.

They are the pages of the gallery, so the documentation runs them too; there they check themselves.
"""

from __future__ import annotations

import runpy
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import lissom as ls
from lissom.library.demos import demo

EXAMPLES = Path(__file__).parent.parent / "examples"

# Of each example: an expression of its names, its value, and how far it may be off.
NUMBERS = {
    "chain": ("-end[-1]", 8.0, 0.02),  # a folded chain falls by 0.8 of its length, without losses
    "deploying_panels": ("run.events[-1][0]", 5.174, 0.005),  # the last latch [s]
    "flexible_arm": ("work[-1]", 28.635245, 1e-4),  # [J]
    "four_bar": ("flat", 11, 0),  # passes of the singular position
    "gyroscope": ("measured", 9.81 * 0.65 / (1.5 * 0.25**2 / 2 * 90), 1e-8),  # m g r / I s
    "kalman_reading": ("smoother_error", 0.0, 1e-9),
    "kwatny_blankenship": ("ratio", 0.88, 0.06),
    "order_n_platform": ("system.n_v - 121 + difference", 0.0, 1e-9),
    "pendulum": ("period", 2.8863955824, 1e-8),  # elliptic integral
    "robot": ("sag", 4.224e-3, 0.01 * 4.224e-3),  # beam theory [m]
    "satellite": ("angle[-1]", 40.0, 0.1),  # [deg]
    "slider_crank": ("across[last].max()", 288.2e-6, 0.02 * 288.2e-6),  # beam theory [m]
    "stewart_platform": ("error", 0.0, 1e-7),  # [m]
    "tracking_arm": ("off", 0.0, 1e-8),  # [rad]
}


@pytest.fixture
def run_example(monkeypatch):
    """Run an example as a program and give its names."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    monkeypatch.delenv("DISPLAY", raising=False)  # otherwise `show` complains of Agg

    def run(name, *arguments):
        monkeypatch.setattr(sys, "argv", [name, *arguments])
        with warnings.catch_warnings(action="error", category=ls.SimulationWarning):
            return runpy.run_path(str(EXAMPLES / f"{name}.py"))

    yield run
    plt.close("all")


@pytest.mark.parametrize("name", NUMBERS)
def test_example_has_its_number(name, run_example, tmp_path, capsys):
    names = run_example(name, *([str(tmp_path)] if name == "flexible_arm" else []))
    expression, value, tolerance = NUMBERS[name]
    assert abs(eval(expression, names) - value) <= tolerance
    printed = capsys.readouterr().out
    if name == "flexible_arm":
        assert (tmp_path / "flexible_arm.png").stat().st_size > 20_000
        assert (tmp_path / "flexible_arm.html").stat().st_size > 50_000
        assert "work of the torques" in printed
    if name == "kwatny_blankenship":
        assert "5*w2*w3" in printed and "6  931/9600" in printed


def test_every_example_has_a_number():
    assert sorted(path.stem for path in EXAMPLES.glob("*.py")) == sorted(NUMBERS)


def test_booms_of_the_arm_are_as_soft_as_beam_theory_says():
    """Four modes give the compliance L^3 / 3EI of a tip load to half a per cent."""
    upper = demo("arm").system.bodies[1]
    tip = upper.node_shapes[upper.node_names["tip"]]
    compliance = tip[4] ** 2 @ (1 / upper.stiffness)
    EI = ls.CARBON.youngs_modulus * ls.Tube(radius=0.04, thickness=0.002).second_moment_z
    assert np.isclose(compliance, 6.0**3 / (3 * EI), rtol=5e-3)
