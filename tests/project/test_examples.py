"""The examples are pages of the gallery, which runs them; here what the gallery does not see."""

from __future__ import annotations

import ast
import runpy
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import lissom as ls
from lissom.library.demos import demo

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def test_the_flagship_writes_its_files(tmp_path, monkeypatch, capsys):
    """`make run` gives it a folder."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    monkeypatch.delenv("DISPLAY", raising=False)  # otherwise `show` complains of Agg
    monkeypatch.setattr(sys, "argv", ["flexible_arm", str(tmp_path)])
    with warnings.catch_warnings(action="error", category=ls.SimulationWarning):
        names = runpy.run_path(str(ROOT / "examples" / "flexible_arm.py"))
    plt.close("all")
    assert abs(names["work"][-1] - 29.120428) <= 1e-4  # [J]
    assert (tmp_path / "flexible_arm.png").stat().st_size > 20_000
    assert (tmp_path / "flexible_arm.html").stat().st_size > 50_000
    assert "work of the torques" in capsys.readouterr().out


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_checks_itself(path):
    program = ast.parse(path.read_text(encoding="utf-8"))
    assert any(isinstance(line, ast.Assert) for line in program.body)


def test_every_example_is_run_by_the_gallery_where_mistakes_and_warnings_end_the_build():
    settings = ast.parse((ROOT / "docs" / "conf.py").read_text(encoding="utf-8"))
    texts = [ast.unparse(line) for line in settings.body]
    (listed,) = (x.value for x in settings.body if ast.unparse(x).startswith("examples = "))
    assert sorted(ast.literal_eval(listed)) == [path.name for path in EXAMPLES]
    assert "warnings.simplefilter('error', lissom.SimulationWarning)" in texts
    (gallery,) = (text for text in texts if text.startswith("sphinx_gallery_conf = "))
    for setting in ("'abort_on_example_error': True", "'plot_gallery': True", r"'\\.py$'"):
        assert setting in gallery


def test_booms_of_the_arm_are_as_soft_as_beam_theory_says():
    """Four modes give the compliance L^3 / 3EI of a tip load to half a per cent."""
    upper = demo("arm").system.bodies[1]
    tip = upper.node_shapes[upper.node_names["tip"]]
    compliance = tip[4] ** 2 @ (1 / upper.stiffness)
    EI = ls.CARBON.youngs_modulus * ls.Tube(radius=0.04, thickness=0.002).second_moment_z
    assert np.isclose(compliance, 6.0**3 / (3 * EI), rtol=5e-3)
