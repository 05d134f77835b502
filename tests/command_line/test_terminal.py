"""The command line itself: help, terminals and pipes, completion, JSON, how commands end."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

import lissom.cli as cli
from lissom import __version__
from lissom.cli.new import TEXT
from lissom.library.demos import DEMOS

NAMES = [command.__name__ for command in cli.COMMANDS]
COMMAND = (sys.executable, "-m", "lissom")
ARM = Path(__file__).parents[2] / "examples" / "arm.toml"
ESCAPE = "\x1b"


@pytest.fixture
def lissom(tmp_path, monkeypatch, capsys):
    """Standard output of a command, in a folder with the starter model."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "boom.toml").write_text(TEXT.format(name="boom.toml", stem="boom"))

    def call(*words, code=0):
        with pytest.raises(SystemExit) as end:
            cli.main(list(words))
        out, err = capsys.readouterr()
        assert end.value.code == code, (out, err)
        return out

    return call


# Help


def test_every_command_of_the_requirement_is_there():
    assert (
        NAMES
        == "demo new check info run plot table loads view sweep equations selftest build".split()
    )


@pytest.mark.parametrize("words", [[], *([name] for name in NAMES)], ids=lambda x: "".join(x))
@pytest.mark.parametrize("columns", ["80", "200"])
def test_help_fits_a_screen_and_has_an_example(words, columns):
    done = CliRunner().invoke(cli.app, [*words, "--help"], env={"COLUMNS": columns})
    lines = done.stdout.splitlines()
    assert len(lines) <= 32 and max(map(len, lines)) <= 80
    assert done.stdout.isascii()  # no boxes, no colours
    assert not re.search(r"<\w+>|\{|\.\.\.$", done.stdout)  # no types, no sentence cut off
    assert (
        f"  lissom {' '.join(words) or 'demo'}"
        in done.stdout.partition("Example:" if words else "First steps:")[2]
    )


def test_examples_of_the_help_have_the_options_they_use():
    for command, example in cli.COMMANDS.items():
        text = CliRunner().invoke(cli.app, [command.__name__, "--help"]).stdout
        for option in re.findall(r"(?<= )--?[a-z]+", example):
            assert re.search(rf"^  (-\w, )?{option}\b", text, re.MULTILINE), (example, option)


def test_alone_it_shows_the_help_and_counts_as_wrong_usage(capsys):
    with pytest.raises(SystemExit) as end:
        cli.main([])
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("Usage: lissom [OPTIONS] ")


def test_version_is_printed():
    assert CliRunner().invoke(cli.app, ["--version"]).stdout == f"lissom {__version__}\n"


def test_the_command_line_starts_without_libraries():
    heavy = {"numpy", "scipy", "numba", "sympy", "matplotlib", "pydantic", "rich"}
    code = (
        "import sys; from lissom.cli import main\n"
        "try: main(['--help'])\n"
        f"except SystemExit: print(*{heavy!r} & set(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "\n", done.stderr


# Completion


def completed(*words, shell="bash"):
    """Answer to a request for completion of the last word."""
    variables = {
        "_LISSOM_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
        "_TYPER_COMPLETE_ARGS": " ".join(words),
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    return CliRunner().invoke(cli.app, [], env=variables, prog_name="lissom").stdout.split()


def test_commands_options_and_demos_are_completed():
    assert completed("lissom", "") == NAMES
    assert completed("lissom", "de") == ["demo"]
    assert completed("lissom", "demo", "") == list(DEMOS)
    assert completed("lissom", "demo", "g") == ["gyroscope"]
    assert completed("lissom", "run", "--du") == ["--duration"]
    assert completed("lissom", "equations", "a.py", "--format", "c") == ["c", "casadi"]
    assert completed("lissom", "run", "") == []  # then the shell completes files
    assert "gyroscope" in completed("lissom", "demo", "g", shell="fish")
    assert any("gyroscope" in x for x in completed("lissom", "demo", "g", shell="zsh"))
    assert "_files" in completed("lissom", "run", "", shell="zsh")


def test_quantities_of_a_result_file_are_completed(lissom):
    lissom("run", "boom.toml", "--duration", "0.01")
    assert completed("lissom", "plot", "boom.nc", "boom.tip.p") == ["boom.tip.position"]
    assert completed("lissom", "plot", "nothing.nc", "b") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_made(shell):
    done = CliRunner().invoke(
        cli.app, [], env={"_LISSOM_COMPLETE": f"source_{shell}"}, prog_name="lissom"
    )
    assert f"_LISSOM_COMPLETE=complete_{shell}" in done.stdout and "lissom" in done.stdout


# JSON: each text is parsed whole, so nothing else may stand on the standard output.


def test_json_of_check(lissom, tmp_path):
    assert json.loads(lissom("check", "boom.toml", "--json")) == {
        "model": "boom.toml",
        "problems": [],
        "warnings": [],
        "name": "boom",
        "bodies": 2,
        "speeds": 5,
        "duration": 5.0,
    }
    (tmp_path / "bad.toml").write_text("lissom = 1\nparts = 3\n")
    problems = json.loads(lissom("check", "bad.toml", "--json", code=1))["problems"]
    assert [(x["file"], x["line"], x["key"]) for x in problems] == [("bad.toml", 2, "parts")]


def test_json_of_run(lissom, tmp_path):
    facts = json.loads(lissom("run", "boom.toml", "--duration", "50 ms", "--json"))
    assert (facts["status"], facts["rows"], facts["end"]) == ("finished", 6, 0.05)
    assert facts["file"] == "boom.nc" and (tmp_path / "boom.nc").exists()
    assert facts["energy"]["start"] == pytest.approx(facts["energy"]["end"], rel=1e-3)


def test_warnings_are_in_the_json_of_run(lissom, tmp_path):
    """Programs read that, and not what is written to the terminal beside it."""
    text = """lissom = 1
[[parts]]
name = "mass"
body = { kind = "sphere", mass = 1, radius = 0.1 }
joint = "prismatic x"
[simulation]
duration = 1
step = "20 ms"
state = { mass = "0.1 m" }
[[simulation.loads]]
kind = "joint_spring"
joint = "mass"
stiffness = "10000 N/m"
"""
    (tmp_path / "mass.toml").write_text(text)
    (told,) = json.loads(lissom("run", "mass.toml", "--json", "--quiet"))["warnings"]
    assert told.startswith("a fixed step of 0.02 s leaves an error")


def test_json_of_info(lissom):
    facts = json.loads(lissom("info", "boom.toml", "--env", "--json"))
    assert facts["environment"]["Python"] == ".".join(map(str, sys.version_info[:3]))
    assert [x["name"] for x in facts["bodies"]] == ["boom", "load"]
    assert facts["bodies"][0]["frequencies"][0] == pytest.approx(6.58, abs=0.01)
    assert facts["loops"] == facts["warnings"] == []


def test_json_of_demos(lissom):
    listed = json.loads(lissom("demo", "--json"))
    assert [x["name"] for x in listed] == list(DEMOS)
    facts = json.loads(lissom("demo", "gyroscope", "--no-show", "--json"))
    assert facts["status"] == "finished" and facts["page"] == "gyroscope.html"


# Terminals, pipes and signals, in processes of their own


def in_terminal(*words, cwd):
    """Exit code and what an 80-column terminal gets to see."""
    pty = pytest.importorskip("pty")
    child, end = pty.fork()
    if child == 0:
        os.chdir(cwd)
        os.environ.update(TERM="xterm", COLUMNS="80", LINES="24")
        os.execv(sys.executable, [*COMMAND, *words])
    seen = b""
    while select.select([end], [], [], 60)[0]:
        try:
            seen += os.read(end, 65536)
        except OSError:  # the other side is closed
            break
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), seen.decode().replace("\r\n", "\n")


def test_a_terminal_gets_colours_and_a_file_gets_none(lissom, tmp_path):
    (tmp_path / "bad.toml").write_text("lissom = 1\nparts = 3\n")
    code, seen = in_terminal("check", "bad.toml", cwd=tmp_path)
    assert code == 1 and ESCAPE in seen
    piped = lissom("check", "bad.toml", code=1)
    assert ESCAPE not in piped
    assert re.sub(r"\x1b\[[\d;]*m", "", seen) == piped


def test_lines_fit_eighty_columns(lissom, tmp_path):
    texts = [lissom("check", "boom.toml"), lissom("info", "boom.toml"), lissom("demo")]
    texts.append(lissom("run", "boom.toml", "--duration", "0.1"))
    for text in texts:  # trees are as wide as they are in a file
        assert max(len(x) for x in text.splitlines() if "└─" not in x) <= 80, text
        assert ESCAPE not in text


def test_a_tree_fits_a_terminal_of_80_columns_and_is_the_same_in_a_file(lissom, tmp_path):
    code, seen = in_terminal("info", str(ARM), cwd=tmp_path)
    assert code == 0 and max(map(len, seen.splitlines())) <= 80
    piped = lissom("info", str(ARM))
    assert "revolute (0, 0.29, 0.96) at tip  4.705 kg  4 modes, 2.64 Hz\n" in piped
    assert seen.split() == piped.split()


def test_a_reader_that_leaves_is_no_mistake(lissom, tmp_path):
    line = f"{' '.join(COMMAND)} info --env"
    done = subprocess.run(
        ["bash", "-c", f"{line} | head -1; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
    )
    assert re.fullmatch(r"lissom +\d+\.\d+\.\d+(\.dev\d+)?\n", done.stdout)
    assert done.stderr == "" and done.returncode in (0, 141)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_keeps_what_there_is_and_says_so(lissom, tmp_path):
    words = ("run", "boom.toml", "--duration", "1e6 s")
    started = subprocess.Popen(
        [*COMMAND, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    journal, sizes, limit = tmp_path / "boom.nc.part", set(), time.monotonic() + 60
    while len(sizes) < 3 and time.monotonic() < limit:  # it is made, and rows are written
        time.sleep(0.05)
        sizes |= {journal.stat().st_size} if journal.exists() else set()
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert started.returncode == 130 and "Traceback" not in out + err
    assert "wrote boom.nc.part" in out
    assert re.search(
        r"interrupted.* rows until t = \d.* are in boom\.nc\.part; continue with: ", err
    )
    assert "lissom run boom.toml --duration '1e6 s' --resume" in err


def test_ctrl_c_elsewhere(lissom, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("lissom.io.load", interrupt)
    assert lissom("info", "boom.toml", code=130) == ""
