"""Files of strangers: what they hold commands neither the shell nor the terminal, and runs only
if it may."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
import lissom.cli as cli
from lissom.cli.results import quoted_completions
from lissom.io.load import check_file
from lissom.io.urdf.meshes import read_mesh
from tests.samples.results import rows_of

EVIL = [
    "x$(touch PWNED)",
    "y\\$(touch PWNED)",
    "z`touch PWNED`",
    'd"$(touch PWNED)"',
    "f'$(touch PWNED)'",
    "a;touch PWNED;",
    "g*",
    "left leg",
    "-output",
    "n\n$(touch PWNED)",
    "plain",
]
ESCAPES = "\x1b]0;owned\x07\x1b[31m\x9b2J‮\r"
PART = 'name = "a"\nbody = {kind = "sphere", mass = 1, radius = 1}\njoint = "revolute y"\n'
MODEL = f"lissom = 1\n[[parts]]\n{PART}"


@pytest.fixture
def lissom(tmp_path, monkeypatch, capsys):
    """Both outputs of a command, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def call(*words, code=0):
        with pytest.raises(SystemExit) as end:
            cli.main(list(words))
        out, err = capsys.readouterr()
        assert end.value.code == code, (out, err)
        return out + err

    return call


@contextmanager
def within(seconds):
    """Fail where something would wait for ever."""

    def over(*_):
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, over)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def resting(system):
    """A run in which nothing happens."""
    q, v = np.tile(system.neutral().q, (2, 1)), np.zeros((2, system.n_v))
    return ls.Trajectory(system, rows_of(system, [0.0, 1.0], q, v, v), {"status": "finished"})


# Completion


@pytest.fixture
def evil_results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = ls.Model()
    for name in EVIL:
        model.add(ls.RigidBody(1, com=(1, 0, 0)), ls.Revolute("y"), name=name)
    system = model.compile()
    resting(system).save("evil.nc")
    return tmp_path


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_gets_quoted_names_and_runs_none_of_them(evil_results):
    """What the script that users install offers is put into a line, and the line is run."""
    (evil_results / "lissom").write_text(f'#!/bin/sh\nexec {sys.executable} -m lissom "$@"\n')
    (evil_results / "lissom").chmod(0o755)
    program = """
    eval "$(lissom --show-completion bash)"
    COMP_WORDS=(lissom plot evil.nc ""); COMP_CWORD=3
    _lissom_completion lissom
    for word in "${COMPREPLY[@]}"; do eval "printf '%s\\n' $word"; done
    """
    folder = f"{evil_results}:{os.environ['PATH']}"
    environment = os.environ | {
        "PATH": folder,
        "PYTHONPATH": os.path.dirname(os.path.dirname(ls.__file__)),
        "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1",
    }
    done = subprocess.run(
        ["bash", "--norc", "-c", program], env=environment, capture_output=True, text=True
    )
    named = done.stdout.splitlines()
    assert not (evil_results / "PWNED").exists()
    for name in EVIL:
        taken = name.isprintable() and name[0] != "-"
        assert (f"{name}.angle" in named) == taken, (name, done.stderr)


@pytest.mark.parametrize("shell", ["zsh", "pwsh", "powershell"])
def test_shells_that_evaluate_get_plain_names_only(evil_results, shell):
    words = {"_TYPER_COMPLETE_ARGS": "lissom plot evil.nc "}
    done = CliRunner().invoke(
        cli.app, [], env={"_LISSOM_COMPLETE": f"complete_{shell}", **words}, prog_name="lissom"
    )
    assert "plain.angle" in done.stdout
    assert ("left leg.angle" in done.stdout) == (shell == "zsh")
    assert "touch" not in done.stdout and "-output" not in done.stdout


@pytest.mark.skipif(shutil.which("zsh") is None, reason="needs zsh")
def test_zsh_evaluates_what_it_is_given_and_nothing_runs(evil_results):
    environment = {
        "_LISSOM_COMPLETE": "complete_zsh",
        "_TYPER_COMPLETE_ARGS": "lissom plot evil.nc ",
    }
    text = CliRunner().invoke(cli.app, [], env=environment, prog_name="lissom").stdout
    # As zsh's own _arguments does it: the words between (( and )) are evaluated once more.
    program = (
        "_arguments() { local spec=${1#*'(('}; eval \"ws=( ${spec%'))'} )\"; print -l $ws }\n"
        f"eval {shlex.quote(text)}"
    )
    done = subprocess.run(["zsh", "-f", "-c", program], capture_output=True, text=True)
    assert "plain.angle" in done.stdout.splitlines()
    assert not (evil_results / "PWNED").exists()


def test_fish_quotes_by_itself(monkeypatch):
    monkeypatch.setenv("_LISSOM_COMPLETE", "complete_fish")
    assert quoted_completions(EVIL, "x") == [EVIL[0]]


# The terminal


def is_harmless(text):
    return all(x.isprintable() or x == "\n" for x in text)


def test_names_of_files_do_not_command_the_terminal(lissom, tmp_path):
    text = MODEL.replace('"a"', json.dumps(f"a{ESCAPES}"))
    text = f"name = {json.dumps(f'm{ESCAPES}')}\n{text}".replace("\\x", "\\u00")
    (tmp_path / "a.toml").write_text(
        f'{text}[simulation]\nduration = 0.01\nintegrator = "rk4"\nstep = 0.01\n'
    )
    for words in (["check"], ["info"], ["info", "--json"], ["run"], ["run", "--json"]):
        told = lissom(words[0], "a.toml", *words[1:])
        assert is_harmless(told) and "owned" in told, words
    facts = json.loads(lissom("info", "a.toml", "--json"))
    assert facts["name"] == f"m{ESCAPES}"  # programs get what is there
    for words in (["plot", "a.nc", "--list"], ["info", "a.nc"]):
        assert is_harmless(lissom(*words))


def test_messages_about_files_do_not_command_the_terminal(lissom, tmp_path):
    name = f"b{ESCAPES}.toml"
    (tmp_path / name).write_text(f"{MODEL}{ESCAPES}\n", newline="")
    (tmp_path / "c.toml").write_text(MODEL + json.dumps(ESCAPES) + " = 1\n")
    (tmp_path / "d.urdf").write_text('<robot name="‮"><link name="\x9b"/><joint/></robot>')
    (tmp_path / "e.py").write_text(f"raise ValueError({ESCAPES!r})\n")
    for file in (name, "c.toml", "d.urdf", "e.py", f"f{ESCAPES}.toml", f"f{ESCAPES}.nc"):
        for command in ("check", "info"):
            for more in ([], ["--json"], ["--debug"]):
                assert is_harmless(lissom(command, file, *more, code=1)), (file, command)
        assert is_harmless(lissom("plot", file, code=1))


def test_errors_warnings_and_prints_of_python_are_harmless(tmp_path):
    model = ls.Model(f"m{ESCAPES}")
    model.add(ls.RigidBody(1, com=(1, 0, 0)), ls.Revolute("y"), name=f"a{ESCAPES}")
    system = model.compile()
    run = resting(system)
    things = (model, system, system.neutral(), system.layout, run, run.channels())
    for thing in (*things, ls.ModelError(ESCAPES), ls.SimulationWarning(ESCAPES)):
        assert is_harmless(str(thing)), type(thing)


def test_the_bar_of_a_run_is_harmless(capsys, monkeypatch):
    from lissom.sim.run import progress

    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    bar = progress.ProgressBar(f"a{ESCAPES}[red]", 0.0, 1.0, True)
    bar.update(0.5)
    assert is_harmless(capsys.readouterr().err)


# Files that are none


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_pipes_and_devices_are_refused_at_once(lissom, tmp_path):
    for name in ("f.toml", "f.py", "f.stl", "f.nc", "f.urdf", "f.npz"):
        os.mkfifo(tmp_path / name)
    os.symlink("/dev/zero", tmp_path / "z.toml")
    os.symlink("/dev/zero", tmp_path / "z.py")
    os.symlink("/dev/zero", tmp_path / "z.stl")
    load = '[simulation]\nduration = 1\nforces = {{ function = "{}:f" }}\n'
    mesh = '<robot name="r"><link name="l"><visual><geometry><mesh filename="{}"/></geometry>'
    with within(20):
        for kind in "fz":
            (tmp_path / "i.toml").write_text(f'lissom = 1\ninclude = ["{kind}.toml"]\n')
            assert "pipe or a device" in lissom("check", "i.toml", code=1)
            (tmp_path / "g.toml").write_text(MODEL + load.format(f"{kind}.py"))
            assert "pipe or a device" in lissom("run", "g.toml", code=1)
            text = mesh.format(f"{kind}.stl") + "</visual></link></robot>"
            (tmp_path / "m.urdf").write_text(text)
            lissom("check", "m.urdf")
            with pytest.raises(ls.ModelError, match="pipe or a device"):
                read_mesh(tmp_path / f"{kind}.stl")
        for name in ("f.toml", "f.py", "f.nc", "f.urdf", "f.npz"):
            assert "pipe or a device" in lissom("info", name, code=1)
        assert quoted_completions([], "") == []
        lissom("plot", "f.nc", code=1)


def test_what_an_included_file_holds_is_not_told_unless_it_is_a_model_file(lissom, tmp_path):
    (tmp_path / "secret.yaml").write_text("user: me\npassword: hunter2\n")
    (tmp_path / "key.toml").write_text("[hunter2]\n[hunter2]\n")
    (tmp_path / "token.json").write_text('{"hunter2": 1, "hunter2": 2}')
    for name in ("secret.yaml", "key.toml", "token.json"):
        (tmp_path / "a.toml").write_text(f'include = ["{name}"]\n{MODEL}')
        told = lissom("check", "a.toml", code=1)
        assert "not a model file" in told and "hunter2" not in told
    (tmp_path / "leg.toml").write_text('lissom = 1\nparst = "typed wrong"\n')
    (tmp_path / "a.toml").write_text(f'include = ["leg.toml"]\n{MODEL}')
    told = lissom("check", "a.toml", code=1)
    assert "leg.toml:2:1" in told and "typed wrong" in told


# Programs


def test_without_code_nothing_of_a_file_is_run(lissom, tmp_path):
    (tmp_path / "p.py").write_text(
        "from pathlib import Path\nimport lissom\nPath('RUN').touch()\n"
        "model = lissom.Model()\ndef f(t, s): return 0.0\n"
    )
    load = '[simulation]\nduration = 0.01\nforces = { function = "p.py:f" }\n'
    (tmp_path / "a.toml").write_text(MODEL + load)
    for words in (["run", "a.toml"], ["check", "a.toml"], ["check", "a.toml", "--functions"]):
        assert "p.py:f" in lissom(*words, "--no-code", code=1)
    for command in ("run", "check", "info", "equations"):
        assert "--no-code" in lissom(command, "p.py", "--no-code", code=1)
        assert "--no-code" in lissom(command, "p:model", "--no-code", code=1)
    with pytest.raises(ls.ModelFileError, match="a.toml:8:1: simulation.forces: names .* 'p.py:f'"):
        ls.load_run("a.toml", code=False)
    assert lissom("info", "a.toml") and not check_file("a.toml") and ls.load("a.toml")
    assert not (tmp_path / "RUN").exists()
    ls.load_run("a.toml")
    assert (tmp_path / "RUN").exists()


def test_commands_that_messages_propose_are_quoted(lissom, tmp_path):
    told = lissom("new", "a $(touch PWNED).toml")
    assert "lissom run 'a $(touch PWNED).toml'" in told
    assert "lissom run 'a $(touch PWNED).toml'" in lissom("plot", "a $(touch PWNED).toml", code=1)


# Sizes


@pytest.mark.parametrize("line", ["modes = 1000000000", "elements = 1000000000"])
def test_giant_beams_are_refused(lissom, tmp_path, line):
    beam = 'kind = "beam", length = 1, section = {kind = "circle", radius = 1}, material = "steel"'
    body = f"{{ {beam}, {line.replace(' = ', '=')} }}"
    text = MODEL.replace('{kind = "sphere", mass = 1, radius = 1}', body)
    (tmp_path / "a.toml").write_text(text)
    with within(20):
        assert "expected a whole number from 1 to" in lissom("check", "a.toml", code=1)
        key = line.split()[0]
        with pytest.raises(ls.ModelError, match=f"{key} is .* must not exceed 1000"):
            ls.beam(1.0, ls.Circle(0.01), ls.STEEL, **{key: 10**9})


def test_giant_counts_are_refused(lissom, tmp_path):
    with within(20):
        (tmp_path / "a.toml").write_text(f"{MODEL}repeat = 1000000000\n")
        assert "repeat: is 1000000000" in lissom("check", "a.toml", code=1)
        with pytest.raises(ls.ModelError, match="from 1 to 100000"):
            ls.library.rigid_chain(10**9)
        system = ls.library.rigid_chain(1).compile()
        with pytest.raises(ls.ResultError, match="rows of this run need .* GB of memory"):
            ls.simulate(system, system.neutral(), duration=1e6, output_step=1e-6)


def test_giant_sums_of_modes_are_refused(lissom, tmp_path):
    beam = 'kind = "beam", length = 1, section = {kind = "circle", radius = 1}, material = "steel"'
    text = MODEL.replace('{kind = "sphere", mass = 1, radius = 1}', f"{{ {beam}, modes=30 }}")
    (tmp_path / "a.toml").write_text(text.replace('"a"', '"a{i}"') + "repeat = 9999\n")
    assert "299970 modes" in lissom("check", "a.toml", code=1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[parts]]\n" * 100_001, "more than 100000 tables"),
        ("include = [" + '"a.toml",' * 1001 + "]\n", "more than 1000 includes"),
        ("a = " + "[" * 10**6, "nested more than 40 levels"),
        ("#" * 4_000_001, "larger than 4 MB"),
    ],
    ids=["tables", "includes", "depth", "size"],
)
def test_giant_files_are_refused(tmp_path, text, words):
    path = tmp_path / "a.toml"
    path.write_text(f"lissom = 1\n{text}")
    problems = check_file(path)
    assert len(problems) == 1 and words in problems[0].message
