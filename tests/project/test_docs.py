"""The documentation holds together: links, versions, forms, numbering."""

from __future__ import annotations

import inspect
import pydoc
import re

import pytest
import yaml

import lissom
from tests import changelog
from tests.tools.pages import DOCS, FENCE, PAGES, ROOT, TEXTS, relative
from tests.tools.public_names import METHODS, PUBLIC

FOREIGN = set(  # classes of others that functions return
    "Any Array Callable Expr Figure ImmutableDenseNDimArray Iterator Mapping Matrix NDArray None "
    "Path Self Sequence Symbol".split()
)
SOURCES = sorted((ROOT / "src").rglob("*.py"))

LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)|!\[[^\]\n]*\]\(([^)\s]+)\)")
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```", re.MULTILINE | re.DOTALL)
LABEL = re.compile(r"^\$\$ \(([a-z-]+?)-(\d+)\)$", re.MULTILINE)
UNFINISHED = re.compile(
    r"\bTODO\b|\bFIXME\b|\bXXX\b|coming soon|to be written|lorem ipsum"
    r"|(?<![\w&])#\d+\b"  # a tracker's number means nothing to a reader of the release
    r"|(?<![\w.])/(?:home|root|tmp|work|opt|Users)/",  # a path on somebody's machine
    re.IGNORECASE,
)


@pytest.mark.parametrize("path", TEXTS, ids=relative)
def test_links_point_to_existing_files(path):
    for match in LINK.finditer(FENCE.sub("", path.read_text(encoding="utf-8"))):
        target = (match[1] or match[2]).partition("#")[0]
        if target and "://" not in target:
            assert (path.parent / target).exists(), target


@pytest.mark.parametrize("path", TEXTS + SOURCES, ids=relative)
def test_no_unfinished_marks_and_no_machine_paths(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        assert UNFINISHED.search(line) is None, f"line {number}: {line.strip()}"


def test_every_page_is_in_a_toctree():
    listed = set()
    for page in PAGES:
        for block in TOCTREE.findall(page.read_text(encoding="utf-8")):
            entries = [e for e in block.split() if not e.startswith(":") and e != "1"]
            listed |= {page.parent / f"{entry}.md" for entry in entries if "/" in entry or entry}
    assert {page for page in PAGES if page not in listed} == {DOCS / "index.md"}


@pytest.mark.parametrize("path", PAGES, ids=relative)
def test_equations_of_a_page_are_numbered_from_one(path):
    labels = LABEL.findall(path.read_text(encoding="utf-8"))
    page = path.stem.replace("_", "-")
    assert labels == [(page, str(n + 1)) for n in range(len(labels))]


@pytest.mark.parametrize("path", TEXTS, ids=relative)
def test_examples_end_with_an_empty_line_before_the_fence(path):
    """Otherwise the fence would be read as expected output and the example would fail oddly."""
    for block in FENCE.findall(path.read_text(encoding="utf-8")):
        if ">>> " in block:
            assert block.endswith("\n\n```"), block


def test_what_can_go_wrong_has_all_its_cases_in_its_table_each_with_an_example():
    text = (DOCS / "what_can_go_wrong.md").read_text(encoding="utf-8")
    table = re.findall(r"\[([^\]]+)\]\(#([\w-]+)\)", text.partition("\n## ")[0])
    cases = re.split(r"^### (.+)\n", FENCE.sub("EXAMPLE", text), flags=re.MULTILINE)[1:]
    anchors = [re.sub(r"[^\w -]", "", x.lower()).replace(" ", "-") for x in cases[::2]]
    assert table == list(zip(cases[::2], anchors, strict=True))
    assert len(set(cases[::2])) == len(cases[::2]) > 50
    assert [
        name for name, what in zip(*[iter(cases)] * 2, strict=True) if "EXAMPLE" not in what
    ] == []


API = sorted((DOCS / "api").glob("*.md"))


def api_names() -> list[tuple[str, str]]:
    """Names that the pages of the API describe, each with its options."""
    entry = re.compile(r"^\.\. auto\w+:: (lissom[\w.]+)\n((?:   :.*\n)*)", re.MULTILINE)
    return [x for page in API for x in entry.findall(page.read_text(encoding="utf-8"))]


def api_entries() -> dict[object, str]:
    return {pydoc.locate(name): options for name, options in api_names()}


def test_api_pages_describe_every_public_name_once_and_what_they_describe_exists():
    entries, text = api_entries(), "".join(page.read_text(encoding="utf-8") for page in API)
    assert None not in entries
    assert len(entries) == len(api_names())
    for name, value in PUBLIC.items():
        if callable(value):
            assert value in entries, name
        else:  # modules and materials
            assert f"`{name}`" in text or f"`lissom.{name}`" in text, name


def test_every_topic_of_the_api_is_in_its_table():
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    assert [page.stem for page in API if f"](api/{page.stem}.md)" not in text] == []


def test_api_pages_describe_the_classes_that_are_returned():
    listed = {value.__name__ for value in api_entries()}
    for name, value in {**PUBLIC, **METHODS}.items():
        function = getattr(value, "fget", None) or getattr(value, "func", value)
        annotation = getattr(function, "__annotations__", {}).get("return", "")
        assert set(re.findall(r"\b[A-Z]\w+", str(annotation))) - FOREIGN <= listed, name


def test_api_pages_show_every_public_method():
    """With its class, or with a class that it is derived from."""
    entries = api_entries()
    for name in METHODS:
        cls, _, attribute = name.rpartition(".")
        options = [entries[c] for c in PUBLIC[cls].__mro__ if c in entries and attribute in dir(c)]
        named = re.compile(rf":members:(\n|.*\b{attribute}\b)")
        assert any(named.search(text) for text in options), name


def test_conventions_page_has_an_example_of_every_joint():
    text = (DOCS / "conventions.md").read_text(encoding="utf-8")
    joints = [n for n in lissom.__all__ if _is_joint(getattr(lissom, n))]
    assert len(joints) >= 11
    assert [name for name in joints if f"\n### {name}\n" not in text] == []


def _is_joint(value: object) -> bool:
    return (
        isinstance(value, type)
        and issubclass(value, lissom.Joint)
        and not issubclass(value, lissom.ClosedContact)  # contacts are on the page of loops
        and not inspect.isabstract(value)
    )


def test_readme_opens_with_the_two_commands():
    head = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:20]
    run, test = (
        next(i for i, line in enumerate(head) if c in line) for c in ("make run", "make test")
    )
    assert run < test


def test_changelog_has_the_form_of_keep_a_changelog():
    assert changelog.problems((ROOT / "CHANGELOG.md").read_text(encoding="utf-8")) == []


def test_changelog_problems_are_found():
    assert changelog.problems("# Changes\n\n## [1.0]\n")
    good = "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-02-01\n\n### Added\n\n- A.\n"
    assert changelog.problems(good) == []
    assert changelog.problems(good.replace("Added", "New"))
    assert changelog.problems(good.replace("02-01", "02-31"))
    assert changelog.problems(good.replace("- A.\n", ""))
    assert changelog.problems(good.replace("### Added\n", ""))
    assert changelog.problems(good + "\n## [0.3.0] - 2026-01-01\n")


def test_version_is_the_newest_release_or_one_in_development_after_it():
    number, _, development = lissom.__version__.partition(".dev")
    version = tuple(int(part) for part in number.split("."))
    newest = changelog.newest_release((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert version > newest if development else version == newest


def test_citation_file_is_complete_and_names_the_newest_release():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert citation["cff-version"] == "1.2.0"
    assert f"[{citation['version']}] - {citation['date-released']}" in text
    assert tuple(map(int, citation["version"].split("."))) == changelog.newest_release(text)
    assert {"message", "title", "authors", "license"} <= set(citation)
    for work in [citation, *citation["references"]]:
        assert work["title"] and work["authors"]
        for author in work["authors"]:
            assert "name" in author or {"family-names", "given-names"} <= set(author)


def test_licence_is_named_alike_everywhere():
    assert "BSD 3-Clause" in (ROOT / "LICENSE").read_text(encoding="utf-8").splitlines()[0]
    assert 'license = "BSD-3-Clause"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert "license: BSD-3-Clause" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
