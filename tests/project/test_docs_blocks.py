"""Every block of code in the documentation is run, or checked in the way that fits it."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import lissom as ls
from lissom.cli import app
from tests.tools.pages import ROOT, TEXTS, relative

FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?<=\n\n)((?: {4}[^\n]*\n)+)")
SHELL = ("bash", "text", "indented")
RUN_BY = {  # pages that a test runs from top to end
    "docs/commands.md": "tests/command_line/test_page.py",
    "docs/coming_from/simscape_adams.md": "tests/command_line/test_page.py",
    "docs/how_to/press.md": "tests/command_line/test_press.py",
}

# A second block of a page's model file may need parts that the text speaks of and does not show.
MORE_PARTS = """
[[parts]]
name = "link{i}"
repeat = 40
body = { kind = "box", mass = 0.2, size = [0.1, 0.01, 0.02] }
joint = "revolute y"
to = "link{i-1}"
first = { to = "hand" }
"""


@dataclass(frozen=True)
class Block:
    """One block of code: where it is, what it calls itself, what it holds."""

    path: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{relative(self.path)}:{self.line}"


def blocks(path: Path) -> Iterator[Block]:
    """Blocks between fences, and those that are indented by four."""
    text = path.read_text(encoding="utf-8")
    for found in FENCE.finditer(text):
        yield Block(path, text.count("\n", 0, found.start()) + 1, found[1].strip(), found[2])
    rest = FENCE.sub(lambda found: "\n" * found[0].count("\n"), text)
    for found in INDENTED.finditer(rest):
        if not rest[: found.start()].rstrip().rpartition("\n")[2].startswith(("-", "  ")):
            line = rest.count("\n", 0, found.start()) + 1
            yield Block(path, line, "indented", found[1])


BLOCKS = [block for path in TEXTS for block in blocks(path)]


def of(*languages: str) -> list[Block]:
    """Blocks of these languages, but for pages that a test of their own runs."""
    left = [block for block in BLOCKS if relative(block.path) not in RUN_BY]
    return [block for block in left if block.language in languages]


def commands(block: Block) -> list[list[str]]:
    lines = [shlex.split(line, comments=True) for line in block.text.splitlines()]
    return [words for words in lines if words]


def test_every_block_is_of_a_kind_that_is_checked():
    known = ("python", "toml", "matlab", "math", *SHELL)
    for block in BLOCKS:
        is_directive = block.language.startswith("{")  # Sphinx, whose warnings are errors
        is_run = relative(block.path) in RUN_BY and block.language in ("console", "python", "toml")
        is_recipe = block.path.name == "CONTRIBUTING.md" and " " in block.language
        assert is_directive or is_run or is_recipe or block.language in known, block
    assert len(of("python")) > 300 and len(of(*SHELL)) > 5 and len(of("toml")) > 2


def test_displays_close_what_they_open():
    for block in of("math"):
        opened = re.findall(r"\\(begin|end)\{(.*?)\}", block.text)
        stack: list[str] = []
        for verb, name in opened:
            assert verb == "begin" or (stack and stack.pop() == name), f"{block}: {name}"
            stack += [name] * (verb == "begin")
        assert not stack, f"{block}: {stack}"
        sides = [len(re.findall(rf"\\{side}(?![a-z])", block.text)) for side in ("left", "right")]
        assert sides[0] == sides[1], block
    assert len(of("math")) > 50


def test_python_is_a_doctest_and_none_is_skipped():
    for block in of("python"):
        lines = block.text.splitlines()
        assert lines[0].startswith(">>> "), f"{block}: start with >>> so that the tests run it"
        assert "+SKIP" not in block.text, block
        for line in lines:  # plain statements between examples would be read as output
            assert not re.match(r"(import|from|for|def|with) ", line), f"{block}: {line}"


def test_pages_run_by_other_tests_are_named_there():
    for page, test in RUN_BY.items():
        assert Path(page).name in (ROOT / test).read_text(encoding="utf-8")


def test_doctests_of_these_pages_are_collected():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    options = settings["tool"]["pytest"]["ini_options"]
    assert "--doctest-glob=*.md" in options["addopts"]
    ignored = [word for word in options["addopts"] if word.startswith("--ignore") and ".md" in word]
    assert ignored == []
    for path in {block.path for block in of("python")}:
        assert any(path.is_relative_to(ROOT / place) for place in options["testpaths"]), path


@pytest.mark.parametrize("block", of(*SHELL), ids=str)
def test_shell_commands_exist_with_their_options(block):
    for words in commands(block):
        checks = {"lissom": a_command, "make": a_target, "python": a_program, "pip": an_install}
        checks[words[0]](words[1:])


def a_command(words: list[str]) -> None:
    """The command takes these words; click ends with an error where it does not."""
    group = typer.main.get_command(app)
    group.commands[words[0]].make_context(words[0], list(words[1:]))


def a_target(words: list[str]) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for word in words:
        assert "=" in word or re.search(rf"^{word}:", makefile, re.MULTILINE), word


def a_program(words: list[str]) -> None:
    """A program here, or one of our modules; the examples and verify run them."""
    name = words[0] if words[0] != "-m" else words[1].replace(".", "/") + ".py"
    assert (ROOT / name).is_file(), name


def an_install(words: list[str]) -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert words[0] == "install"
    for extras in re.findall(r"\[(.*?)\]", " ".join(words)):
        assert set(extras.split(",")) <= set(settings["optional-dependencies"])


def model_files() -> dict[str, str]:
    """Pages with model files; blocks after the first one go on with it."""
    texts: dict[str, str] = {}
    for block in of("toml"):
        name = relative(block.path)
        before = texts.get(name, "")
        more = MORE_PARTS if before and MORE_PARTS not in before else ""
        texts[name] = before + more + block.text
    return texts


@pytest.mark.parametrize("page", sorted(model_files()))
def test_model_files_have_no_problems(page, tmp_path):
    path = tmp_path / "model.toml"
    path.write_text(model_files()[page], encoding="utf-8")
    assert ls.check_file(path) == []


def test_the_file_of_the_tutorial_is_its_arm_and_its_commands_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("arm.toml").write_text(model_files()["docs/tutorial.md"], encoding="utf-8")
    browser = {"view": ["--output", "arm.html"]}  # instead of opening one
    for block in of("bash"):
        for words in commands(block) if block.path.name == "tutorial.md" else []:
            if words[0] == "lissom":
                done = CliRunner().invoke(app, [*words[1:], *browser.get(words[1], [])])
                assert done.exit_code == 0, (words, done.output)
    run = ls.load("arm.nc")
    assert np.degrees(run["upper.angle"][[0, -1]]).round(1).tolist() == [-45.8, 47.8]  # the text's
    assert {path.name for path in tmp_path.iterdir()} >= {"arm.html", "arm.png"}


def test_what_matlab_reads_is_in_the_file(tmp_path):
    model = ls.Model("arm")
    model.add(ls.RigidBody.sphere(1.0, 0.1), ls.Revolute("z"), name="boom")
    ls.simulate(model.compile(), duration=0.1).save(tmp_path / "arm.nc")
    names = re.findall(r"ncread\('arm.nc', '(\w+)'\)", "".join(b.text for b in of("matlab")))
    assert len(names) >= 3
    with h5py.File(tmp_path / "arm.nc") as file:
        assert set(names) <= set(file)
