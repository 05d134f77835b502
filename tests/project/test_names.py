"""Names say what they hold, and none stands for two things; tests do not import tests."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/lissom"
TREES = {
    path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text("utf-8"))
    for path in sorted(SOURCE.rglob("*.py"))
}
FOLDERS = ("tests", "benchmarks", "docs", "examples", "tools")
# They say that something was found or given, and not what it is.
EMPTY = {"found", "given", "own", "known", "kept", "made"}
PUBLIC = {("symbolic/equations.py", "given")}  # parameters that users name


def stored(tree: ast.AST) -> set[str]:
    """Variables and parameters, and names of fields and methods of classes."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def imported(tree: ast.AST) -> set[str]:
    """Dotted names of modules, and of what is taken from them."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = "tests" if node.level else ""  # elsewhere nothing is called test_*
            module = ".".join(part for part in (start, node.module) if part)
            names |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
    return names


def of_tests(names: set[str]) -> set[str]:
    """Files of tests among them; what two of these share belongs in a module of helpers."""
    return {name for name in names if re.match(r"tests\.((?!verify_)\w+\.)?test_", name)}


def test_no_file_imports_from_a_file_of_tests():
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    assert len(files) > 300
    taken = {str(path): of_tests(imported(ast.parse(path.read_text("utf-8")))) for path in files}
    assert {path: names for path, names in taken.items() if names} == {}


@pytest.mark.parametrize(
    "line",
    [
        "from tests.dynamics.test_joints import arm",
        "from tests import measures, test_joints",
        "import tests.dynamics.test_joints as joints",
        "from . import test_joints",
        "from .test_joints import arm",
        "def f():\n    from tests.dynamics.test_joints import arm",
    ],
)
def test_the_search_for_such_imports_finds_each_form(line):
    assert of_tests(imported(ast.parse(line)))
    assert not of_tests(imported(ast.parse(line.replace("test_joints", "joint_samples"))))


def test_no_class_name_stands_for_two_classes():
    places = defaultdict(list)
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(path)
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_no_variable_says_only_that_it_was_found():
    empty = {(path, name) for path, tree in TREES.items() for name in stored(tree) & EMPTY}
    assert empty - PUBLIC == set()


def test_the_search_for_empty_names_finds_one():
    assert stored(ast.parse("def f(x, given=1):\n    found = x\n")) & EMPTY == {"found", "given"}


def test_what_users_cannot_name_is_documented_in_sentences():
    sections = ("Parameters\n---", "Returns\n---", "Attributes\n---")
    wrong = [
        (path, node.name)
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and ((node.name.startswith("_") and not node.name.startswith("__")) or "kernels/" in path)
        and any(words in (ast.get_docstring(node) or "") for words in sections)
    ]
    assert wrong == []
