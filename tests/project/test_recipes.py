"""The recipes of CONTRIBUTING.md, carried out on a copy of the package.

Kernels run uncompiled here: compiling them would take a minute for each recipe.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(python|diff) (\S+)\n(.*?)^```$", re.S | re.M)
RECIPES = {
    title: BLOCK.findall(text)
    for title, text in re.findall(
        r"^### (.+?)\n(.*?)(?=^##)", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.S | re.M
    )
}
EXPECTED = [
    *("A joint", "A load", "A Runge–Kutta method", "An implicit method"),
    *("A channel", "An output format"),
]


def test_there_is_a_recipe_for_each_kind_of_addition():
    assert [title for title, blocks in RECIPES.items() if blocks] == EXPECTED


@pytest.mark.parametrize("title", EXPECTED)
def test_a_recipe_of_at_most_three_files_works(title, tmp_path):
    shutil.copytree(ROOT / "src", tmp_path / "src")
    *changes, (_, last, check) = RECIPES[title]
    assert last == "check"
    assert len({path for _, path, _ in changes}) == len(changes) <= 3
    for kind, path, text in changes:
        file = tmp_path / path
        assert file.exists() == (kind == "diff"), f"{path}: a new file, or a change of an old one?"
        file.write_text(changed(file.read_text("utf-8"), text) if kind == "diff" else text, "utf-8")
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "src"), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", check],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def changed(source: str, difference: str) -> str:
    """Text after a change: lines that stay begin with a blank, new ones with a plus."""
    for hunk in difference.strip("\n").split("\n\n"):
        lines = hunk.splitlines(keepends=True)
        old = "".join(line[1:] for line in lines if line[0] == " ").rstrip("\n")
        new = "".join(line[1:] for line in lines).rstrip("\n")
        assert source.count(old) == 1, f"{old!r} occurs {source.count(old)} times"
        source = source.replace(old, new)
    return source
