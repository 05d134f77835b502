"""The press of `examples/press.toml`: the table that the command writes, against hand formulas.

The formulas are those of a rigid slider-crank at constant speed, Newton and Euler for each part.
They share nothing with the package; numbers of the mechanism are typed in again, in SI units.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
import lissom.cli as cli
from tests.samples.console_blocks import followed

PRESS = Path(__file__).parents[2] / "examples" / "press.toml"
PAGE = Path(__file__).parents[2] / "docs" / "how_to" / "press.md"
UNITS = ["--units", "deg,mm,kN"]
CHANNELS = "crank.angle,ram.slide,rod.reaction_world.force,wrist.force_world,crank.force"
SPEED = 240 * 2 * np.pi / 60  # of the crank [rad/s]
CRANK, ROD = 0.1, 0.4  # lengths [m]
M_CRANK, M_RAM, G = 8.0, 15.0, 9.81
M_ROD = 7850 * 0.020 * 0.012 * ROD
SPRING, REST, DAMPER, FRICTION, BUSH = 20e3, 0.35, 100.0, 60.0, 15.0


def by_hand(angle):
    """Slide [m], pin forces on rod and ram (n, 2) in x and z [N], torque on the crank [N m]."""
    s, c = np.sin(angle), np.cos(angle)
    sin = -CRANK * s / ROD  # of the rod above the x axis
    cos = np.sqrt(1 - sin**2)
    rate = -CRANK * c * SPEED / (ROD * cos)
    change = (CRANK * s * SPEED**2 + ROD * sin * rate**2) / (ROD * cos)
    slide = CRANK * c + ROD * cos
    slide_rate = -CRANK * s * SPEED - ROD * sin * rate
    slide_change = -CRANK * c * SPEED**2 - ROD * (cos * rate**2 + sin * change)
    middle = np.stack(  # acceleration of the middle of the rod
        [
            -CRANK * c * SPEED**2 - ROD / 2 * (cos * rate**2 + sin * change),
            -CRANK * s * SPEED**2 - ROD / 2 * (sin * rate**2 - cos * change),
        ]
    )
    load = -SPRING * (slide - REST) - DAMPER * slide_rate - FRICTION * np.tanh(slide_rate / 1e-3)
    wrist_x = M_RAM * slide_change - load
    big_x = M_ROD * middle[0] + wrist_x
    moment = M_ROD * ROD**2 / 12 * change + BUSH * np.arcsin(sin)
    weight = M_ROD * (middle[1] + G)
    wrist_z = ((sin * (big_x + wrist_x) - 2 / ROD * moment) / cos - weight) / 2
    big_z = weight + wrist_z
    torque = CRANK * (c * big_z - s * big_x) + M_CRANK * G * CRANK / 2 * c
    return slide, np.stack([big_x, big_z], 1), np.stack([wrist_x, wrist_z], 1), torque


def table_of(file, folder, *options):
    """Columns of the table that the command writes, by their names with units."""
    target = folder / "press.csv"
    given = ["run", str(file), "-q", "-o", str(target), *UNITS, "--channels", CHANNELS, *options]
    done = CliRunner().invoke(cli.app, given)
    assert done.exit_code == 0, done.output
    with open(target, encoding="utf-8", newline="") as lines:
        head, *rows = csv.reader(lines)
    return dict(zip(head, np.array(rows, dtype=float).T, strict=True))


@pytest.fixture(scope="module")
def bending(tmp_path_factory):
    return table_of(PRESS, tmp_path_factory.mktemp("bending"))


@pytest.fixture(scope="module")
def rigid(tmp_path_factory):
    """The same file with a rigid rod."""
    folder = tmp_path_factory.mktemp("rigid")
    text = PRESS.read_text("utf-8")
    start, end = text.index("[parts.body]"), text.index("[[parts]]", text.index("[parts.body]"))
    body = (
        f'body = {{ kind = "rod", mass = {M_ROD!r}, length = 0.4, axis = "x", com = [0.2, 0, 0] }}'
    )
    text = f"{text[:start]}{body}\n\n{text[end:]}"
    text = text.replace('a = "rod.tip"', 'a = "rod"\nat_a = ["400 mm", 0, 0]')
    (folder / "rigid.toml").write_text(text, "utf-8")
    return table_of(folder / "rigid.toml", folder)


def columns(table, name, parts="xz"):
    return np.stack([table[f"{name}.{x} [kN]"] for x in parts], axis=1)


def test_the_table_has_these_columns_in_these_units(bending):
    assert list(bending)[:3] == ["time [s]", "crank.angle [deg]", "ram.slide [mm]"]
    assert list(bending)[-1].startswith("crank.force") and list(bending)[-1].endswith("[kN mm]")
    np.testing.assert_allclose(bending["crank.angle [deg]"], 1440 * bending["time [s]"], atol=1e-6)
    assert len(bending["time [s]"]) == 1001


def test_a_rigid_rod_has_the_forces_of_the_formulas(rigid):
    slide, big_end, wrist, torque = by_hand(np.radians(rigid["crank.angle [deg]"]))
    np.testing.assert_allclose(rigid["ram.slide [mm]"], 1e3 * slide, atol=1e-5)
    np.testing.assert_allclose(columns(rigid, "rod.reaction_world.force"), big_end / 1e3, atol=1e-5)
    np.testing.assert_allclose(columns(rigid, "wrist.force_world"), wrist / 1e3, atol=1e-5)
    np.testing.assert_allclose(list(rigid.values())[-1], torque, atol=1e-3)
    assert np.abs(columns(rigid, "rod.reaction_world.force", "y")).max() < 1e-9


def test_the_rod_that_bends_differs_by_its_bending_alone(bending):
    """Its first frequency is 15 times that of the crank: a few per cent across, less along."""
    _, big_end, wrist, torque = by_hand(np.radians(bending["crank.angle [deg]"]))
    for name, force in (("rod.reaction_world.force", big_end), ("wrist.force_world", wrist)):
        off = 1e3 * columns(bending, name) - force
        assert 1e-4 < np.abs(off).max() / np.abs(force).max() < 0.02
    assert np.abs(list(bending.values())[-1] - torque).max() < 0.02 * np.abs(torque).max()


@pytest.mark.parametrize("which", ["bending", "rigid"])
def test_the_motor_pays_for_friction_and_damper(which, request):
    """Over a revolution: torque times angle is what these two take; the rod's damping is small."""
    table = request.getfixturevalue(which)
    turn = (table["time [s]"] >= 0.25 - 1e-9) & (table["time [s]"] <= 0.5 + 1e-9)
    time, torque = table["time [s]"][turn], list(table.values())[-1][turn]
    slide = table["ram.slide [mm]"][turn] / 1e3
    rate = np.gradient(slide, time, edge_order=2)
    spent = np.trapezoid(DAMPER * rate**2, time) + FRICTION * np.abs(np.diff(slide)).sum()
    assert np.trapezoid(torque * SPEED, time) == pytest.approx(spent, rel=2e-3)
    assert spent > 60


def test_check_finds_no_problem_and_says_what_it_is():
    done = CliRunner().invoke(cli.app, ["check", str(PRESS)])
    assert done.exit_code == 0 and "4 loads" in done.output and "no problems" in done.output


def test_the_plot_has_the_units(tmp_path):
    run = ls.load_run(PRESS)
    result = ls.simulate(run.system, run.state, **{**run.settings, "duration": 0.01})
    figure = result.plot("rod.reaction_world.force", "ram.slide", units="kN, mm")
    assert {axes.get_ylabel() for axes in figure.axes} == {"force [kN]", "slide [mm]"}


def test_the_page_has_this_file_and_says_what_the_commands_say(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = PAGE.read_text("utf-8")
    assert followed(page, capsys) == {"check", "run", "table", "plot"}
    own = Path("press.toml").read_text("utf-8").partition("lissom = 2")[2]
    assert own.strip() == PRESS.read_text("utf-8").partition("lissom = 2")[2].strip()
    lines = [line for line in own.splitlines() if line.strip()]
    assert f"{len(lines) + 1} lines of TOML" in page  # the first one is cut off above
    picture = (PAGE.parent.parent / "pictures" / "press-plot.svg").read_text("utf-8")
    assert drawn(picture) == drawn(Path("press.svg").read_text("utf-8"))


def drawn(picture):
    """Number of lines and words of a picture, which do not depend on the machine."""
    return len(re.findall("<path", picture)), re.findall("<!-- (.*?) -->", picture)


def test_a_program_for_the_table_writes_the_same(bending, tmp_path, monkeypatch):
    """The long way that the page counts: body axes, SI units, columns by hand."""
    monkeypatch.chdir(tmp_path)
    given = ls.load_run(PRESS)
    ls.simulate(given.system, given.state, file="press.nc", **given.settings)
    assert len([line for line in LONG_WAY.splitlines() if line.strip()]) == 17
    exec(compile(LONG_WAY, "long_way.py", "exec"), {})
    with open("long.csv", encoding="utf-8", newline="") as lines:
        _, *rows = csv.reader(lines)
    found = np.array(rows, dtype=float)
    np.testing.assert_allclose(found, np.stack(list(bending.values()), 1), atol=1e-9)


LONG_WAY = """
import csv
import numpy as np
import lissom as ls
run = ls.Trajectory.load("press.nc")
turn = run["rod.rotation"]
big_end = np.einsum("nij,nj->ni", turn, run["rod.reaction"][:, 3:])
turn_b = run["ram.rotation"]
wrist = np.einsum("nij,nj->ni", turn_b, run["wrist.force"])
columns = [("time [s]", run.time), ("crank.angle [deg]", np.degrees(run["crank.angle"]))]
columns += [("ram.slide [mm]", 1e3 * run["ram.slide"])]
for name, force in (("rod", big_end), ("wrist", wrist)):
    columns += [(f"{name}.{x} [kN]", force[:, k] / 1e3) for k, x in enumerate("xyz")]
columns += [("crank.force [kN mm]", run["crank.force"][:, 0])]
with open("long.csv", "w", newline="") as file:
    table = csv.writer(file)
    table.writerow([heading for heading, _ in columns])
    table.writerows(np.stack([values for _, values in columns], 1).tolist())
"""
