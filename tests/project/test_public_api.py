"""The public side: names exist, parameters are documented, the import is light."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from functools import cached_property

import pytest

import lissom
from tests.tools.public_names import CALLABLES, METHODS, PUBLIC

HEAVY = ("scipy", "numba", "sympy", "casadi", "matplotlib", "pydantic")
SECTION = re.compile(
    r"^(?:Parameters|Attributes)\n-{10}\n(.*?)(?=^\S[^\n]*\n-{3,}\n|\Z)", re.MULTILINE | re.DOTALL
)


def documented(function: object) -> set[str]:
    """Names in the section Parameters (Attributes of a dataclass); `a, b : int` lists both.

    A class has those of the classes that it is derived from too.
    """
    sources = inspect.getmro(function) if inspect.isclass(function) else [function]
    text = "\n".join(f"{inspect.getdoc(source) or ''}\n" for source in sources)
    entries = re.findall(
        r"^(\*{0,2}\w[\w*, ]*?)(?: :.*)?$", "".join(SECTION.findall(text)), re.MULTILINE
    )
    return {name.strip(" *") for entry in entries for name in entry.split(",")}


def parameters(function: object) -> set[str]:
    signature = inspect.signature(function)  # type: ignore[arg-type]
    return {name for name in signature.parameters if name not in ("self", "cls")}


def test_all_is_sorted_and_without_duplicates():
    assert sorted(set(lissom.__all__)) == sorted(lissom.__all__)


@pytest.mark.parametrize("name", lissom.__all__)
def test_every_exported_name_exists_and_is_documented(name):
    value = getattr(lissom, name)
    if callable(value):
        assert inspect.getdoc(value)


def test_dir_lists_every_exported_name():
    assert set(lissom.__all__) <= set(dir(lissom))


@pytest.mark.parametrize("name", sorted(CALLABLES))
def test_every_parameter_is_documented(name):
    value = CALLABLES[name]
    if inspect.isclass(value) and (inspect.isabstract(value) or issubclass(value, BaseException)):
        return
    assert parameters(value) <= documented(value)


@pytest.mark.parametrize("name", sorted(METHODS))
def test_every_public_method_has_a_docstring(name):
    cls, _, attribute = name.rpartition(".")
    assert inspect.getdoc(getattr(PUBLIC[cls], attribute))


def test_every_parameter_of_a_method_is_documented():
    """There, or where a base class has the method."""
    for name, method in METHODS.items():
        cls, _, attribute = name.rpartition(".")
        if isinstance(method, property | cached_property):
            continue
        texts = [vars(base)[attribute] for base in PUBLIC[cls].__mro__ if attribute in vars(base)]
        explained = set().union(*(documented(getattr(text, "__func__", text)) for text in texts))
        assert parameters(getattr(PUBLIC[cls], attribute)) <= explained, name


def test_classes_are_importable_from_one_place_by_pickle():
    import pickle

    for value in CALLABLES.values():
        assert pickle.loads(pickle.dumps(value)) is value


def test_import_is_light():
    code = f"import sys, lissom; print(*[m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        lissom.no_such_name  # noqa: B018
