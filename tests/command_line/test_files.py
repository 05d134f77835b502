"""The commands new, info, plot and view, as a newcomer uses them."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli import app
from lissom.library.demos import DEMOS, demo


@pytest.fixture
def lissom(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(*words, fails=False):
        result = CliRunner().invoke(app, [str(w) for w in words])
        if fails:
            assert isinstance(result.exception, ls.LissomError), result.output
            return str(result.exception)
        assert result.exit_code == 0, (result.output, result.exception)
        return result.output

    return call


def test_a_new_file_is_checked_run_plotted_and_shown(lissom, tmp_path):
    assert "lissom run boom.toml" in lissom("new", "boom.toml")
    assert "no problems" in lissom("check", "boom.toml")
    assert "wrote boom.nc" in lissom("run", "boom.toml", "--duration", "0.3")
    assert "wrote boom.png" in lissom("plot", "boom.nc")
    assert "wrote tip.svg" in lissom("plot", "boom.nc", "boom.tip.deflection", "-o", "tip.svg")
    assert "wrote boom.html" in lissom("view", "boom.nc", "-o", "boom.html")
    assert (tmp_path / "boom.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "tip.svg").read_text()
    assert "webgl2" in (tmp_path / "boom.html").read_text()
    listed = lissom("plot", "boom.nc", "--list").splitlines()
    assert ["boom.angle", "[rad]", "hinge", "angle"] in [line.split() for line in listed]
    few = lissom("plot", "boom.nc", "--list", "tip.deflection").splitlines()
    assert [line.split()[:3] for line in few] == [["boom.tip.deflection", "3", "[m]"]]
    few = lissom("plot", "boom.nc", "--list", "tip.deflection", "--units", "mm").splitlines()
    assert [line.split()[:3] for line in few] == [["boom.tip.deflection", "3", "[mm]"]]
    assert "there is no quantity 'tipp'" in lissom("plot", "boom.nc", "--list", "tipp", fails=True)


def test_tables_in_chosen_units(lissom, tmp_path):
    lissom("new", "boom.toml")
    options = ("--channels", "boom.angle, load.position", "--units", "deg,mm")
    lissom("run", "boom.toml", "--duration", "0.3", "-o", "a.csv", *options)
    lissom("run", "boom.toml", "--duration", "0.3")
    names = ("boom.angle", "load.position")
    assert "wrote b.csv" in lissom("table", "boom.nc", *names, "--units", "deg,mm", "-o", "b.csv")
    lines = (tmp_path / "a.csv").read_text().splitlines()
    head = (
        "time [s],boom.angle [deg],load.position.x [mm],load.position.y [mm],load.position.z [mm]"
    )
    assert lines[0] == head and lines == (tmp_path / "b.csv").read_text().splitlines()
    run = ls.load("boom.nc")
    found = np.loadtxt(tmp_path / "a.csv", delimiter=",", skiprows=1)
    expected = np.c_[run.time, np.rad2deg(run["boom.angle"]), 1e3 * run["load.position"]]
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    assert "kN" in lissom("loads", "boom.nc", "--units", "kN,kN m")
    assert "wrote boom.png" in lissom("plot", "boom.nc", "--units", "deg")
    assert "channels and units are for tables" in lissom(
        "table", "boom.nc", "-o", "a.mat", fails=True
    )
    assert "did you mean 'deg'" in lissom("table", "boom.nc", "--units", "degg", fails=True)


def test_values_of_a_model_file_are_set(lissom, tmp_path):
    """A heavier load and a longer boom give the run of a file that says so."""
    lissom("new", "boom.toml")
    changes = ("--set", "parts.load.body.mass=3 kg", "--set", "gravity[2]=-1.62")
    more = ("--set", "simulation.state.boom=0.1", "--set", "bodies.boom.modes=2")
    steps = ("--integrator", "rk4", "--step", "2 ms", "--duration", "0.2")
    lissom("run", "boom.toml", *changes, *more, *steps, "-o", "set.nc")
    text = (tmp_path / "boom.toml").read_text()
    text = text.replace("2 kg", "3 kg").replace('"-9.81 m/s^2"', "-1.62")
    text = text.replace('boom = "-20 deg"', "boom = 0.1").replace("modes = 4", "modes = 2")
    (tmp_path / "other.toml").write_text(text)
    lissom("run", "other.toml", *steps, "-o", "other.nc")
    one, other = ls.load("set.nc"), ls.load("other.nc")
    assert one.meta["integrator"] == "RK4" and one.statistics["steps"] == 100
    assert np.array_equal(one.q, other.q) and one.q.shape == (21, 3)
    for given, words in {
        "bodies.boom.lenght=3": "did you mean 'length'",
        "bodies.boom.length=3 kg": "which is a mass; expected a length",
        "bodys.boom.length=3": "leads nowhere: the file has no 'bodys'",
        "bodies.boom.length": "expected ADDRESS=VALUE",
        "gravity=1": 'each entry an acceleration [m/s^2] (given as "gravity=1")',
        "gravity[1]=1 m": "expected an acceleration [m/s^2] (with",
    }.items():
        said = lissom("run", "boom.toml", "--set", given, fails=True)
        assert words in said
        assert " | " not in said or "(with" in words  # a line of the file has other values
    assert "there is no integrator 'rk5'" in lissom(
        "run", "boom.toml", "--integrator", "rk5", "-o", "c.nc", fails=True
    )


def test_a_new_file_does_not_overwrite(lissom, tmp_path):
    lissom("new", "a.toml")
    (tmp_path / "a.toml").write_text("mine")
    assert "--force" in lissom("new", "a.toml", fails=True)
    assert (tmp_path / "a.toml").read_text() == "mine"
    lissom("new", "a.toml", "--force")
    assert "lissom = 2" in (tmp_path / "a.toml").read_text()
    assert ".toml" in lissom("new", "a.txt", fails=True)
    assert "no/folder" in lissom("new", "no/folder/a.toml", fails=True)


def test_info_says_what_a_mechanism_is(lissom):
    lissom("new", "boom.toml")
    text = lissom("info", "boom.toml")
    assert "revolute y" in text and "6.58" in text
    facts = json.loads(lissom("info", "boom.toml", "--json"))
    assert facts["speeds"] == 5 and facts["mass"] == pytest.approx(4.233, abs=1e-3)
    lissom("run", "boom.toml", "--duration", "0.1")
    assert json.loads(lissom("info", "boom.nc", "--json")) == facts


def test_info_of_the_environment_names_versions(lissom):
    text = lissom("info", "--env")
    assert re.search(r"lissom +\d+\.\d+\.\d+", text) and "numba" in text


def test_info_points_at_what_looks_odd(lissom, tmp_path):
    (tmp_path / "odd.py").write_text(
        "import lissom as ls\n"
        "model = ls.Model('odd')\n"
        "boom = ls.beam(1.0, ls.Tube(0.01, 0.001), ls.STEEL, modes=4, level='linear')\n"
        "model.add(boom, ls.Revolute('y'), name='boom')\n"
        "model.add(ls.RigidBody(1e9, (0, 0, 0), 1.0), ls.Fixed(), to='boom.tip', name='rock')\n"
    )
    text = lissom("info", "odd.py:model")
    assert "warning: 'boom': level \"linear\"" in text
    assert "warning: masses differ" in text


def test_results_are_asked_for_where_results_are_needed(lissom):
    lissom("new", "boom.toml")
    assert "lissom run boom.toml" in lissom("plot", "boom.toml", fails=True)
    assert "lissom run boom.toml" in lissom("view", "boom.toml", fails=True)
    assert "nothing.nc" in lissom("plot", "nothing.nc", fails=True)


def test_info_wants_a_model_or_env():
    result = CliRunner().invoke(app, ["info"])
    assert result.exit_code == 2 and "--env" in result.output


def test_demos_are_listed_and_run(lissom, tmp_path):
    assert "\ngyroscope  a spinning wheel" in lissom("demo")
    text = lissom("demo", "gyroscope", "--no-show", "-o", "pictures")
    assert "times faster than real time" in text
    assert (tmp_path / "pictures" / "gyroscope.html").exists()
    assert "did you mean 'arm'" in lissom("demo", "armm", "--no-show", fails=True)


@pytest.mark.parametrize("name", DEMOS)
@pytest.mark.filterwarnings("error")
def test_every_demo_finishes_without_warnings_and_keeps_its_balance(name):
    chosen = demo(name)
    run = chosen.run(duration=2.0)
    assert run.status == "finished"
    if name in ("whip", "four-bar", "gyroscope"):
        lost = 1e-2 if name == "whip" else 1e-6  # the links damp themselves
        assert np.ptp(run.energy.total) < lost * np.abs(run.energy.kinetic).max()


def test_the_gyroscope_precesses_as_fast_as_the_formula_says():
    """Steady precession, slow: m g l / (I w), seen over several turns of its small nutation."""
    run = demo("gyroscope").run()
    place = run["wheel.position"]
    angle = np.unwrap(np.arctan2(place[:, 1], place[:, 0]))
    rate = (angle[-1] - angle[0]) / run.time[-1]
    arm = 1.5 * 0.4 + 0.2 * 0.25
    spin = 1.5 * 0.25**2 / 2 * 90.0
    assert abs(rate) == pytest.approx(9.81 * arm / spin, rel=0.05)
    assert place[:, 2].min() > -0.1
