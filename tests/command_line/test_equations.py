"""The command `lissom equations`: sources of models, formats, and one line for every mistake."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lissom.cli import app, main
from lissom.errors import LissomError
from tests.tools.generated_c import compile_strictly

PENDULUM = """
import sympy
import lissom as ls

m, l, g = sympy.symbols("m l g", positive=True)


def build(mass=m):
    model = ls.Model("pendulum", gravity=(0, 0, -g))
    model.add(ls.RigidBody(mass, com=(l, 0, 0)), ls.Revolute("y"), name="rod")
    return model


def heavier(by):
    return build(by * m)


model = build()
number = 3
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with a model in a file."""
    (tmp_path / "swing.py").write_text(PENDULUM)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    """Standard output of a command that succeeds."""
    done = CliRunner().invoke(app, ["equations", *arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


def complaint(capsys, monkeypatch, *arguments):
    """The one line on the standard error that a mistake ends in."""
    monkeypatch.setattr(sys, "argv", ["lissom", "equations", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("lissom: ") and err.count("\n") == 1, err
    done = CliRunner().invoke(app, ["equations", *arguments])
    assert done.exit_code == 1 and isinstance(done.exception, LissomError)
    return err


# Formats


def test_latex_goes_to_the_terminal(folder):
    text = run("swing.py")
    assert text.startswith("\\begin{aligned}\n") and text.endswith("\\end{aligned}\n")
    assert "g l m" in text
    assert run("swing.py:model") == run("swing.py:build") == run("swing:build") == text
    assert run(str(folder / "swing.py")) == text


def test_numbers_are_set(folder):
    text = run("swing.py", "--set", "g=9.81", "--set", "m=2")
    assert r"- \frac{981 l \cos{\left(q_{rod} \right)}}{50}" in text and "2 l^{2}" in text
    assert "g l" not in text and "m" not in text.split("V = ")[1].replace("matrix", "")


def test_python_module_goes_to_the_terminal(folder):
    space = {}
    exec(run("swing.py", "--format", "python", "--set", "l=2"), space)
    assert space["mass"]([0.3], [9.81, 5.0]) == [[20.0]]  # p: g, m
    numba = run("swing.py", "--format", "python", "--backend", "numba")
    assert "from numba import njit" in numba


def test_casadi_module_goes_to_the_terminal(folder):
    assert "import casadi as ca" in run("swing.py", "--format", "casadi")


def test_c_program_is_written_to_this_folder_or_another(folder):
    said = run("swing.py", "--format", "c")
    assert said == "wrote pendulum.h\nwrote pendulum.c\n"
    run("swing.py", "--format", "c", "--output", "deep/down", "--real", "float")
    assert "float g;" in (folder / "deep/down/pendulum.h").read_text()
    compile_strictly(folder / "deep/down/pendulum.c", "-fsyntax-only")
    compile_strictly(folder / "pendulum.c", "-fsyntax-only")


def test_matlab_package_is_written_to_a_folder(folder):
    place = Path("made", "+pendulum")
    assert run("swing.py", "--format", "matlab", "--output", "made") == f"wrote {place}\n"
    assert (folder / place / "mass.m").read_text().startswith("function out = mass(")


def test_loads_of_a_model_file_are_included_on_request(folder):
    (folder / "spring.toml").write_text(SPRING)
    assert "7 q" not in run("spring.toml")
    assert "7 q_{mass}" in run("spring.toml", "--loads")


SPRING = """
lissom = 2
name = "spring"

[[parts]]
name = "mass"
body = { kind = "rigid", mass = 1 }
joint = "prismatic x"

[simulation]
duration = 1.0

[[simulation.loads]]
kind = "joint_spring"
joint = "mass"
stiffness = 7.0
"""


@pytest.mark.parametrize(
    ("format", "file"),
    (("latex", "pendulum.tex"), ("python", "pendulum.py"), ("casadi", "pendulum_casadi.py")),
)
def test_text_is_written_to_a_folder_on_request(folder, format, file):
    text = run("swing.py", "--format", format)
    said = run("swing.py", "--format", format, "--output", "out")
    assert said == f"wrote {Path('out', file)}\n"
    assert (folder / "out" / file).read_text() == text


def test_level_form_and_frames_are_passed_on(folder):
    (folder / "boom.py").write_text(
        "import lissom as ls\n"
        "boom = ls.beam(2.0, ls.Circle(0.02), ls.STEEL, bending=(1, 0), torsion=0, stretch=0)\n"
        "sat = ls.Model('sat')\n"
        "sat.add(boom, ls.SimpleJoint([[1, 0, 0], [0, 1, 0], [0, 0, 1]] + [[0, 0, 0]] * 3),"
        " name='boom')\n"
    )
    own, full, linear, lagrange = (
        run("boom.py", "--format", "python", "--frame", "boom.root", *more)
        for more in ((), ("--level", "full"), ("--level", "linear"), ("--form", "lagrange"))
    )
    assert own == full and len({linear, full, lagrange}) == 3
    assert "pose_boom_root" in linear and "pose_boom_tip" not in linear
    assert "pose_boom_tip" in run("boom.py", "--format", "python")
    assert "qdot" in lagrange and "return _gathered((4,), [v[0], v[1], v[2], v[3]])" in lagrange


# Sources


def test_one_model_under_two_names_is_one(folder):
    (folder / "two.py").write_text(PENDULUM + "\nagain = model\n_other = build()\n")
    assert run("two.py") == run("swing.py")


def test_file_may_import_its_neighbours_and_print(folder, monkeypatch):
    (folder / "inner").mkdir()
    (folder / "inner" / "parts_beside.py").write_text(PENDULUM)
    (folder / "inner" / "whole.py").write_text(
        "from dataclasses import dataclass\nfrom parts_beside import build\n"
        "print('building')\n\n\n"
        "@dataclass\nclass Size:\n    length: 'float' = 1.0\n\n\n"
        "def model():\n    print('built')\n    return build()\n"
    )
    before = list(sys.path)
    done = CliRunner().invoke(app, ["equations", "inner/whole.py:model"])
    assert done.exit_code == 0 and done.stdout.startswith("\\begin")
    assert done.stderr == "building\nbuilt\n" and sys.path == before


def test_module_of_a_package(folder):
    (folder / "mechanisms").mkdir()
    (folder / "mechanisms" / "__init__.py").write_text("")
    (folder / "mechanisms" / "swinging.py").write_text(PENDULUM)
    assert run("mechanisms.swinging:model") == run("swing.py")


SOURCES = {
    "swng.py": ("swng.py", "no such file", "did you mean 'swing.py'?"),
    "nowhere/swing.py": ("nowhere/swing.py", "no folder nowhere"),
    "swing.txt": ("neither a file nor a module 'swing.txt'", "file.py:name"),
    "./swing.txt": ("'./swing.txt'", "ends in .py"),
    "swingg:model": ("neither a file nor a module 'swingg'", "module:name"),
    "os.pathh:x": ("neither a file nor a module 'os.pathh'",),
    "a b": ("'a b' is neither", "file.py"),
    "swing.py:modl": ("swing.py has no 'modl'", "did you mean 'model'?"),
    "swing.py:zzz": ("swing.py has no 'zzz'", "known: 'model', 'build', 'heavier'"),
    "swing.py:number": ("swing.py: number is of type int", "not a Model", "give a Model"),
    "swing.py:ls": ("ls is of type module", "not a Model"),
    "swing.py:heavier": ("heavier() needs by", "without arguments"),
    "some.py": ("some.py has several models: a, b", "some.py:a"),
    "none.py": ("none.py has neither a Model nor a function", "lissom.Model"),
    "made.py": ("no Model at module level", "choose one of one, two", "made.py:one"),
    "made.py:one": ("made.py: one() returns None", "not a Model"),
    "made.py:two": ("made.py, line 8: ZeroDivisionError: division by zero",),
    "made.py:Model": ("made.py: Model is the class Model", "not a Model"),
    "made.py:system": ("system is of type System", "the model that it was compiled from"),
    "wrong.py": ("wrong.py, line 4: RigidBody: mass is -1 kg", "must not be negative"),
    "syntax.py": ("syntax.py, line 2: SyntaxError: invalid syntax",),
    "imports.py": ("wrong.py, line 4: RigidBody: mass is -1 kg",),
    "lacks.py": ("lacks.py, line 1: ModuleNotFoundError: No module named 'nothing_of_that_name'",),
    "ends.py": ("ends.py, line 2: the program exits", "__main__"),
    "lines.py": ("lines.py, line 1: ValueError: one two",),
    "loop.py": ("loop 'pin': its joint", "close the loop at another joint"),
}
FILES = {
    "some.py": "import lissom as ls\na, b = ls.Model('a'), ls.Model('b')\n",
    "none.py": "x = 1\n",
    "made.py": "from lissom import Model, RigidBody, Revolute\n\n\ndef one():\n    pass\n\n\n"
    "def two(): 1 / 0\n\n\ndef _three(): pass\n_model = Model()\n"
    "_model.add(RigidBody(1, inertia=1), Revolute('x'), name='a')\nsystem = _model.compile()\n",
    "wrong.py": "import lissom as ls\n\nmodel = ls.Model()\n"
    "model.add(ls.RigidBody(-1.0), ls.Revolute('x'), name='a')\n",
    "syntax.py": "x = 1\ndef f(:\n",
    "imports.py": "import wrong\n",
    "lacks.py": "import nothing_of_that_name\n",
    "ends.py": "import sys\nsys.exit(0)\n",
    "lines.py": "raise ValueError('one\\ntwo')\n",
    "loop.py": PENDULUM
    + "\nmodel.close(ls.CompoundJoint([[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]]), None, 'rod', "
    + "name='pin')\n",
}


@pytest.mark.parametrize("source", SOURCES)
def test_sources_that_are_none(folder, source, capsys, monkeypatch):
    for name, text in FILES.items():
        (folder / name).write_text(text)
    line = complaint(capsys, monkeypatch, source)
    for words in SOURCES[source]:
        assert words in line


def test_file_that_cannot_be_read(folder, capsys, monkeypatch):
    (folder / "folder.py").mkdir()
    assert "folder.py: cannot be read" in complaint(capsys, monkeypatch, "folder.py")


# Options


@pytest.mark.parametrize(
    ("options", "words"),
    (
        (("--set", "m"), ("--set m:", "NAME=NUMBER")),
        (("--set", "=2"), ("--set =2:", "NAME=NUMBER")),
        (("--set", "m=two"), ("--set m=two:", "'two' is not a finite number")),
        (("--set", "m=nan"), ("--set m=nan:", "'nan' is not a finite number")),
        (("--set", "m=1", "--set", "m=2"), ("--set m=2:", "set twice")),
        (("--set", "mm=2"), ("--set mm=2:", "no parameter 'mm'", "did you mean 'm'?")),
        (("--format", "c", "--output", "swing.py"), ("swing.py/pendulum.h", "not a folder")),
        (("--output", "swing.py"), ("swing.py/pendulum.tex", "not a folder")),
        (("--format", "c", "--frame", "rood"), ("no body 'rood'", "did you mean 'rod'?")),
        (("--format", "c", "--set", "m=0"), ("divides by zero",)),
    ),
)
def test_options_that_do_not_fit_the_model(folder, options, words, capsys, monkeypatch):
    line = complaint(capsys, monkeypatch, "swing.py", *options)
    for word in words:
        assert word in line


def test_numbers_for_a_model_without_parameters(folder, capsys, monkeypatch):
    (folder / "fixed.py").write_text(FILES["made.py"].replace("_model", "model"))
    line = complaint(capsys, monkeypatch, "fixed.py", "--set", "m=1")
    assert "no parameter 'm'; the model has no parameters" in line


@pytest.mark.parametrize(
    "options",
    (
        ("--format", "julia"),
        ("--level", "exact"),
        ("--form", "hamilton"),
        ("--backend", "numba"),
        ("--format", "c", "--backend", "numba"),
        ("--real", "float"),
        ("--frame", "rod"),
        ("--format", "python", "--backend", "torch"),
    ),
)
def test_options_that_do_not_fit_each_other_are_refused_with_the_usage(folder, options):
    done = CliRunner().invoke(app, ["equations", "swing.py", *options])
    assert done.exit_code == 2
    assert "Usage" in done.output and "Traceback" not in done.output
    assert any(part.strip("-") in done.output for part in options)


# The command itself

COMMAND = (sys.executable, "-c", "from lissom.cli import main; main()")


def test_command_gives_the_same_program_in_every_process(folder):
    """Also with another order of sets, and where its output goes to a pipe."""
    texts = set()
    for seed in ("1", "2"):
        done = subprocess.run(
            [*COMMAND, "equations", "swing.py", "--format", "python"],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr == ""
        texts.add(done.stdout)
    assert texts == {run("swing.py", "--format", "python")}


def test_command_ends_in_one_line_and_without_a_traceback(folder):
    (folder / "wrong.py").write_text(FILES["wrong.py"])
    done = subprocess.run([*COMMAND, "equations", "wrong.py"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert (
        done.stderr
        == "lissom: wrong.py, line 4: RigidBody: mass is -1 kg; it must not be negative\n"
    )


def test_help_fits_eighty_columns_and_loads_no_library(folder):
    code = (
        "import sys; from typer.testing import CliRunner; from lissom.cli import app;"
        "print(CliRunner().invoke(app, ['equations', '--help'], env={'COLUMNS': '80'}).stdout);"
        "assert not {'numpy', 'sympy', 'numba', 'scipy'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert max(len(line) for line in done.stdout.splitlines()) <= 80
    for option in ("--format", "--output", "--level", "--form", "--set", "--backend", "--real"):
        assert option in done.stdout
