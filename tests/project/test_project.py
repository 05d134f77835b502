"""What a project needs beside its code: workflows, hooks, releases, names on their way out."""

from __future__ import annotations

import ast
import datetime
import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
import warnings
from pathlib import Path

import pytest
import yaml

import lissom as ls
from lissom.deprecation import deprecated, renamed
from tests import changelog

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / ".github/workflows").glob("*.yml"))
}
FATE = {"since": "0.3.0", "removal": "0.5.0"}


def versions(classifiers: list[str]) -> list[str]:
    """Versions of Python among classifiers."""
    return [x.rpartition(" ")[2] for x in classifiers if re.search(r":: 3\.\d+$", x)]


# Workflows and hooks; `make static` checks their form.


def test_everything_runs_with_each_version_of_python_that_is_supported():
    matrix = WORKFLOWS["tests"]["jobs"]["all"]["strategy"]["matrix"]
    supported = versions(SETTINGS["project"]["classifiers"])
    assert matrix["python"] == supported
    assert SETTINGS["project"]["requires-python"] == f">={supported[0]}"
    others = WORKFLOWS["tests"]["jobs"]["installed"]["strategy"]["matrix"]
    assert others["python"] == [supported[0], supported[-1]]
    assert {x.partition("-")[0] for x in others["system"]} == {"ubuntu", "macos", "windows"}


@pytest.mark.parametrize("name", WORKFLOWS)
def test_what_a_workflow_runs_exists(name):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    steps = [step for job in WORKFLOWS[name]["jobs"].values() for step in job["steps"]]
    lines = [step["run"] for step in steps if "run" in step]
    assert lines
    for target in re.findall(r"\bmake (\w+)", "\n".join(lines)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    for program in re.findall(r"(?<!\S)\.\w+/\w+", "\n".join(lines)):
        assert (ROOT / program).stat().st_mode & 0o100, program


def test_hooks_are_of_this_repository_and_run_what_make_static_runs():
    settings = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert [x["repo"] for x in settings["repos"]] == ["local"]
    static = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\nstatic:")[2]
    for hook in settings["repos"][0]["hooks"]:
        assert hook["language"] == "system"
        if hook["entry"] != "make static":
            assert hook["entry"].replace(".venv/bin", "$(BIN)") in static, hook["id"]


def test_hooks_find_what_is_wrong(tmp_path):
    """In a repository of their own, with this environment."""
    pre_commit = Path(sys.executable).with_name("pre-commit")
    if not pre_commit.exists():
        pytest.skip("pre-commit is not installed: the extra dev has it")
    for name in (".pre-commit-config.yaml", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / ".venv").symlink_to(Path(sys.executable).parents[1])
    (tmp_path / "good.py").write_text('"""Good."""\n', encoding="utf-8")
    (tmp_path / "bad.py").write_text('"""Bad."""\nimport os\n', encoding="utf-8")
    for words in (["git", "init", "--quiet"], ["git", "add", "good.py", "bad.py"]):
        subprocess.run(words, cwd=tmp_path, check=True)
    command = [str(pre_commit), "run", "--files"]
    good, bad = (
        subprocess.run([*command, name], cwd=tmp_path, capture_output=True, text=True, check=False)
        for name in ("good.py", "bad.py")
    )
    assert good.returncode == 0, good.stdout
    assert bad.returncode != 0 and "F401" in bad.stdout


# Releases


@pytest.fixture
def project(tmp_path):
    """Copies of the files that a release changes."""
    for name in ("CHANGELOG.md", "CITATION.cff", "src/lissom/__init__.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    text = (tmp_path / "CHANGELOG.md").read_text(encoding="utf-8")
    new = "## [Unreleased]\n\n### Fixed\n\n- A leak.\n\n## [0.1.0]"
    text = re.sub(r"## \[Unreleased\]\n.*?## \[0.1.0\]", new, text, count=1, flags=re.DOTALL)
    (tmp_path / "CHANGELOG.md").write_text(text, encoding="utf-8")
    return tmp_path


def release():
    """The program of releases."""
    spec = importlib.util.spec_from_file_location("release", ROOT / "tools/release.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_release_moves_the_changes_and_the_version_everywhere(project):
    tool, day = release(), datetime.date(2030, 2, 1)
    tool.cut(project, "7.1.0", day)
    text = (project / "CHANGELOG.md").read_text(encoding="utf-8")
    assert changelog.problems(text) == [] and changelog.newest_release(text) == (7, 1, 0)
    assert "## [Unreleased]\n\n## [7.1.0] - 2030-02-01\n\n### Fixed\n\n- A leak.\n" in text
    citation = yaml.safe_load((project / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == "7.1.0" and citation["date-released"] == day
    package = project / "src/lissom/__init__.py"
    assert '\n__version__ = "7.1.0"\n' in package.read_text(encoding="utf-8")
    tool.begin(project, "7.2.0")
    assert '\n__version__ = "7.2.0.dev0"\n' in package.read_text(encoding="utf-8")


def test_a_release_that_cannot_be_is_refused(project):
    tool, day = release(), datetime.date(2030, 2, 1)
    with pytest.raises(SystemExit, match="not at a release"):
        tool.begin(project, "7.2.0")
    for version, words in (("7.1", "three numbers"), ("0.1.0", "not after 0.1.0")):
        with pytest.raises(SystemExit, match=words):
            tool.cut(project, version, day)
    tool.cut(project, "7.1.0", day)
    with pytest.raises(SystemExit, match="nothing to release"):
        tool.cut(project, "7.2.0", day)


# Names on their way out


@deprecated(**FATE, instead="new()")
def old(number):
    """Twice a number."""
    return 2 * number


@deprecated(**FATE, instead="Wheel")
class Disk:
    """A disk."""

    def __init__(self, radius):
        self.radius = radius


@renamed(**FATE, length="reach", wide="width")
def area(reach, width=1.0):
    return reach * width


def test_what_is_deprecated_works_and_warns_where_it_is_called():
    for called, value in ((lambda: old(2), 4), (lambda: Disk(3.0).radius, 3.0)):
        with pytest.warns(ls.DeprecatedWarning, match=r"since 0\.3\.0 .* removed in 0\.5\.0") as w:
            assert called() == value
        assert w[0].filename == __file__
    assert "deprecated:: 0.3.0" in old.__doc__ and old.__doc__.startswith("Twice a number.")
    assert isinstance(Disk, type)


def test_former_names_of_parameters_are_taken_and_warned_of():
    with pytest.warns(ls.DeprecatedWarning) as caught:
        assert area(length=3.0, wide=2.0) == 6.0
    said = sorted(str(x.message).partition(" is")[0] for x in caught)
    assert said == ["area(length=)", "area(wide=)"] and caught[0].filename == __file__
    with pytest.raises(TypeError, match="length= and reach=, which are the same"):
        area(length=3.0, reach=3.0)
    with warnings.catch_warnings(action="error"):
        assert area(3.0, width=2.0) == 6.0


def test_what_was_to_be_removed_is_removed():
    now = tuple(int(x) for x in ls.__version__.partition(".dev")[0].split("."))
    for path in sorted((ROOT / "src/lissom").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if path.name == "deprecation.py" or "deprecation import" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("deprecated", "renamed"):
                given = {x.arg: ast.literal_eval(x.value) for x in node.keywords}
                removal = tuple(int(x) for x in given["removal"].split("."))
                assert now < removal, f"{path.name}:{node.lineno}: {given['removal']} has come"
