"""Names say what they hold, and none stands for two things."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src/lissom"
TREES = {
    path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text("utf-8"))
    for path in sorted(SOURCE.rglob("*.py"))
}
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
