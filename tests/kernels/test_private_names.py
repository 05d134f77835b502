"""Private names of dependencies: each use is listed here, and its dependency has an upper bound.

A later version may rename what is private; pip must not install one that was not tried.  The
bounds are in pyproject.toml: raise one when this test and the tests of the kernels pass with the
new version.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src/lissom").rglob("*.py"))

# Module of the dependency in whose text each name is.  Those of Python's library have a fallback.
PRIVATE = {
    "numba": {
        "_cache": "core.dispatcher",
        "_engine": "core.codegen",
        "_final_module": "core.codegen",
        "_finalize_dynamic_globals": "core.codegen",
        "_finalize_final_module": "core.codegen",
        "_finalized": "core.codegen",
        "_getvalue": "core.cgutils",
        "_impl": "core.caching",
        "_linking_libraries": "core.codegen",
        "_optimize_final_module": "core.codegen",
        "_pyfunc": "core.ccallback",
        "_verify_declare_only_symbols": "core.codegen",
    },
    "meshio": {"_common": "gmsh.common", "_gmsh_to_meshio_type": "gmsh.common"},
}
PYTHON = {"_exit", "_replace", "_inheriting", "_max_workers", "_processes"}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_"


def names(tree: ast.Module) -> tuple[set[str], set[str]]:
    """Private names that are used outside their object, and those that are defined, in a module."""
    used, defined = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            used |= {*node.module.split("."), *(x.name for x in node.names)}
        elif isinstance(node, ast.Import):
            used |= {part for x in node.names for part in x.name.split(".")}
        elif isinstance(node, ast.Attribute):
            is_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            (defined if is_own else used).add(node.attr)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("getattr", "hasattr"):
            used |= {node.args[1].value} if isinstance(node.args[1], ast.Constant) else set()
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            defined.add(node.target.id)
        elif isinstance(node, ast.Assign):
            defined |= {x.id for x in node.targets if isinstance(x, ast.Name)}
    return set(filter(is_private, used)), set(filter(is_private, defined))


def test_every_private_name_of_a_dependency_is_listed():
    used, defined = set(), set()
    for path in SOURCES:
        here = names(ast.parse(path.read_text(encoding="utf-8")))
        used, defined = used | here[0], defined | here[1]
    listed = {name for table in PRIVATE.values() for name in table} | PYTHON
    assert used - defined == listed - defined
    assert listed <= used


def test_a_private_name_is_found_wherever_it_stands():
    text = "import a._b\nfrom c import _d\nx._e\ngetattr(y, '_f')\nself._g\n"
    assert names(ast.parse(text)) == ({"_b", "_d", "_e", "_f"}, {"_g"})


@pytest.mark.parametrize("package", PRIVATE)
def test_the_installed_version_has_them(package):
    pytest.importorskip(package)
    for name, module in PRIVATE[package].items():
        text = inspect.getsource(importlib.import_module(f"{package}.{module}"))
        assert re.search(rf"\b{name}\b", text), name


def test_dependencies_with_private_names_have_an_upper_bound():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    bounds: dict[str, set[str]] = {name: set() for name in PRIVATE}
    for wanted in (x for these in lists for x in these):
        name = re.match(r"[\w-]+", wanted)[0]
        if name in PRIVATE:
            assert ",<" in wanted, f"{wanted}: private names are used, give an upper bound"
            bounds[name].add(wanted.partition(",")[2])
    assert all(len(found) == 1 for found in bounds.values())
    build = (ROOT / "hatch_build.py").read_text(encoding="utf-8")
    (bound,) = bounds["numba"]
    assert re.search(rf'"numba>=[0-9.]+,{bound}"', build), "the environment of the build"
