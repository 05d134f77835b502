"""Pages of commands: they are run in order, and say what is printed there."""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import lissom.cli as cli

DOCS = Path(__file__).parent.parent / "docs"
PAGE = (DOCS / "commands.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(console|python|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CHECKER = doctest.OutputChecker()
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def commands(block):
    """Command lines of a block, each with what it prints."""
    for text in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, _, output = text.partition("\n")
        yield line, output


def test_the_page_says_what_the_commands_say(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("lissom.building.build", lambda **_: False)  # takes minutes after an edit
    assert followed(PAGE, capsys) == {command.__name__ for command in cli.COMMANDS}


def test_the_press_of_the_migration_page_runs_and_obeys_its_formulas(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = (DOCS / "coming_from/simscape_adams.md").read_text(encoding="utf-8")
    assert followed(page, capsys) == {"check", "run", "plot", "table", "compare.py"}


def followed(page, capsys):
    """Follow a page in this folder; the commands that it had."""
    code, seen = 0, set()
    for kind, block in BLOCK.findall(page):
        if kind != "console":
            Path(block.split()[1]).write_text(block, encoding="utf-8")
            continue
        for line, expected in commands(block):
            program, *words = shlex.split(line)
            if program == "sed":
                change(words)
                continue
            if program == "echo":
                assert str(code) == expected.strip(), line
                continue
            seen.add(words[0])
            if program == "python":
                found = subprocess.check_output([sys.executable, *words], text=True)
                assert CHECKER.check_output(expected, found, FLAGS), (line, found)
                continue
            with pytest.raises(SystemExit) as end:
                cli.main(words)
            code, found = end.value.code, capsys.readouterr()
            assert CHECKER.check_output(expected, found.out, FLAGS), (line, found)
    return seen


def change(words):
    """What sed -i does, also where there is no sed."""
    before, after = words[1].split("/")[1:3]
    path = Path(words[2])
    assert before in path.read_text()
    path.write_text(path.read_text().replace(before, after))


def test_the_page_has_every_exit_code():
    from lissom.cli import ending

    names = ("FAILED", "USAGE", "INTERNAL", "INTERRUPTED", "READER_GONE")
    codes = [0, *(getattr(ending, name) for name in names)]
    assert [int(x) for x in re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)] == codes


def test_the_page_names_every_command_with_json():
    takers = {command.__name__ for command in cli.COMMANDS if "json" in command.__annotations__}
    sentence = re.search(r"^(.*) take `--json`", PAGE, re.MULTILINE)
    assert takers == set(re.findall(r"`(\w+)`", sentence[1]))
