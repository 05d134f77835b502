"""Pages of commands: they are run in order, and say what is printed there."""

from __future__ import annotations

import re
from pathlib import Path

import lissom.cli as cli
from tests.samples.console_blocks import followed

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "commands.md").read_text(encoding="utf-8")


def test_the_page_says_what_the_commands_say(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("lissom.building.build", lambda **_: False)  # takes minutes after an edit
    assert followed(PAGE, capsys) == {command.__name__ for command in cli.COMMANDS}


def test_the_press_of_the_migration_page_runs_and_obeys_its_formulas(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = (DOCS / "coming_from/simscape_adams.md").read_text(encoding="utf-8")
    assert followed(page, capsys) == {"check", "run", "plot", "table", "compare.py"}


def test_the_page_has_every_exit_code():
    from lissom.cli import ending

    names = ("FAILED", "USAGE", "INTERNAL", "INTERRUPTED", "READER_GONE")
    codes = [0, *(getattr(ending, name) for name in names)]
    assert [int(x) for x in re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)] == codes


def test_the_page_names_every_command_with_json():
    takers = {command.__name__ for command in cli.COMMANDS if "json" in command.__annotations__}
    sentence = re.search(r"^(.*) take `--json`", PAGE, re.MULTILINE)
    assert takers == set(re.findall(r"`(\w+)`", sentence[1]))
