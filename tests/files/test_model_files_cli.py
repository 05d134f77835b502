"""The commands `lissom check` and `lissom run`, and model files for other commands."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli import app
from lissom.cli.sources import load_model
from lissom.library.demos import demo
from tests.samples.model_files import differences

EXAMPLE = Path(__file__).parents[2] / "examples" / "arm.toml"
BAD = """lissom = 1
[[parts]]
name = "hub"
joint = "fre"
body = { kind = "sphere", mass = -1, radius = 1 }
"""


def call(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def test_check_says_what_the_mechanism_is():
    done = call("check", EXAMPLE)
    assert done.exit_code == 0
    assert "flexible arm: 4 bodies" in done.stdout
    assert "simulation of 9 s, 2 loads, 0 events" in done.stdout
    assert done.stdout.strip().endswith("no problems")


def test_check_lists_all_problems_with_their_lines(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text(BAD)
    done = call("check", path)
    assert done.exit_code == 1
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    assert lines == [
        f"{path}:4:1: parts[0].joint: is 'fre'; did you mean 'free'?",
        '     4 | joint = "fre"',
        "         ^",
        f"{path}:5:27: parts[0].body.mass: is -1; it must not be negative",
        '     5 | body = { kind = "sphere", mass = -1, radius = 1 }',
        "                                   ^",
        "2 problems",
    ]


def test_check_of_a_file_that_does_not_exist(tmp_path):
    done = call("check", tmp_path / "nothing.toml")
    assert done.exit_code == 1
    assert "there is no such file" in done.stdout


def test_run_writes_results_and_a_summary(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = call("run", EXAMPLE, "--duration", "0.2")
    assert done.exit_code == 0, done.output
    assert "finished at t = 0.2 s, 21 rows" in done.stdout
    assert "wrote arm.nc" in done.stdout
    run = ls.load(tmp_path / "arm.nc")
    own = ls.load_run(EXAMPLE).simulate(duration=0.2)
    assert (run.q == own.q).all()


@pytest.mark.parametrize("name", ["out.npz", "out.csv"])
def test_run_writes_other_formats(tmp_path, name):
    done = call("run", EXAMPLE, "--duration", "0.02", "--output", tmp_path / name, "--quiet")
    assert done.exit_code == 0, done.output
    assert (tmp_path / name).stat().st_size > 100
    assert done.stdout == ""


def test_run_of_a_bad_file_lists_the_problems(tmp_path):
    (tmp_path / "bad.toml").write_text(BAD)
    done = call("run", tmp_path / "bad.toml")
    assert done.exit_code == 1
    assert len(done.exception.problems) == 2


def test_run_refuses_other_suffixes(tmp_path):
    done = call("run", EXAMPLE, "--output", tmp_path / "out.txt")
    assert isinstance(done.exception, ls.ResultError)
    assert list(tmp_path.iterdir()) == []


def test_other_commands_take_model_files():
    model = load_model(str(EXAMPLE))
    assert differences(model.compile(), ls.load(EXAMPLE).compile()) == []
    with pytest.raises(ls.ModelError, match="one model"):
        load_model(f"{EXAMPLE}:arm")


def test_the_example_is_the_arm_of_python():
    assert differences(ls.load(EXAMPLE).compile(), demo("arm").system) == []
