"""Text in tables that a spreadsheet would take for a formula, and files of other programs."""

import csv
import shutil
from pathlib import Path

import numpy as np
import pytest

import lissom as ls
from tests.samples.results import random_run

URDF = Path(__file__).parents[2] / "examples" / "six_axis.urdf"


@pytest.mark.parametrize("name", ["=cmd|calc", "+1", "@sum", "-x"])
def test_headings_are_no_formulas(tmp_path, name):
    model = ls.Model("strange")
    model.add(ls.RigidBody(1.0, com=(1, 0, 0), inertia=1.0), ls.Revolute("z"), name=name)
    run = random_run(model.compile(), np.random.default_rng(0))
    envelope, table, rows = (tmp_path / f"{x}.csv" for x in ("envelope", "table", "rows"))
    extremes = run.envelope(f"{name}.reaction")
    extremes.save(envelope)
    run.save(table, channels=[f"{name}.angle"])
    run.save(rows)
    cells = []
    for path in (envelope, table, rows):
        with open(path, encoding="utf-8", newline="") as file:
            first, *others = csv.reader(x for x in file if not x.startswith("#"))
        cells += [*first, *(row[0] for row in others if path == envelope)]
    assert any(cell.startswith(f"'{name}") for cell in cells)
    assert not [cell for cell in cells if cell[:1] in "=+-@"]


@pytest.mark.parametrize(
    ("file", "remedy"),
    [
        ("arm.xml", "ls.read_urdf reads a URDF file of any name. MJCF of MuJoCo is not read"),
        ("arm.sdf", "URDF"),
        ("a.xacro", "expand"),
    ],
)
def test_files_of_other_programs_are_told_what_is_read(tmp_path, file, remedy):
    (tmp_path / file).write_text("<mujoco/>")
    with pytest.raises(ls.ModelFileError, match=f"{file}: ls.load reads model files.*{remedy}"):
        ls.load(tmp_path / file)


def test_a_urdf_is_read_whatever_it_is_called(tmp_path):
    shutil.copy(URDF, tmp_path / "arm.xml")
    assert ls.read_urdf(tmp_path / "arm.xml").model.compile().n_v == 6
