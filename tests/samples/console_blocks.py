"""Pages with commands, followed as a reader does."""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import lissom.cli as cli

BLOCK = re.compile(r"^```(console|python|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CHECKER = doctest.OutputChecker()
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def commands(block):
    """Command lines of a block, each with what it prints."""
    for text in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, _, output = text.partition("\n")
        yield line, output


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
