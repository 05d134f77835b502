"""The page that leads from a symbol of a paper to its name and its line in the source."""

from __future__ import annotations

import functools
import inspect
import re
import sys

import pytest

import lissom as ls
from lissom.algorithms.tree import reference
from lissom.bodies import Lump
from lissom.papers.nodal.tree import nodal_tree
from tests.references.paper_numbers import EQUATIONS, NUMBERS
from tests.samples import nodal_bodies as nodal_samples
from tests.tools.pages import FENCE
from tests.tools.public_names import resolve
from tools import source_lines, symbols

PAPERS = symbols.load()
CLASSES = PAPERS.pop("page")["classes"]
NAMES = sorted(
    {name for paper in PAPERS.values() for row in paper["rows"] for name in row["names"]}
)
papers = pytest.mark.parametrize("key", PAPERS)
NUMBER = symbols.NUMBER.pattern
CITED = re.compile(rf"\((?:[A-E] {NUMBER},\s+)*[A-E] {NUMBER}\)")
OTHER_MANNERS = re.compile(
    r"\b[Ee]qs?\. ?\(?\d"  # eqs. (48)
    r"|\b[Pp]aper [A-E]\b"  # paper A, (51)
    r"|\b[A-E] \((?:\d\d|[AB]\d|\d\.\d)"  # A (51)
    rf"|\b[Pp]aper(?:'s)? \({NUMBER}\)|\({NUMBER}\) (?:of|in) the (?:\S+ )?paper"
    rf"|(?:199\d|22350|Rodriguez|Damaren|Blankenship),? \({NUMBER}\)"
    rf"|\([A-E] {NUMBER}\) ?(?:-|–|to) ?\([A-E]"  # (A 48)-(A 50)
    r"|(?<=[ (])\([1-9]\.[1-9]\d?[ab]?\)"  # (9.12)
)


def defined(name: str) -> bool:
    """Whether the imported package has a name, or objects of one of its classes have."""
    dotted, _, variable = name.partition(":")
    try:
        value = resolve(dotted)
    except AttributeError:
        owner, _, last = dotted.rpartition(".")
        kind = resolve(owner)
        fields = {field for base in kind.__mro__ for field in getattr(base, "__annotations__", ())}
        return last in fields or f"self.{last} = " in inspect.getsource(kind)
    if not variable:
        return True
    value = getattr(value, "fget", None) or getattr(value, "func", value)
    code = inspect.unwrap(value).__code__
    return variable in (*code.co_varnames, *code.co_cellvars)


def shows(name: str) -> bool:
    """Whether the line that is linked has the name."""
    place = source_lines.find(name)
    line = place.path.read_text("utf-8").splitlines()[place.line - 1]
    return re.search(rf"\b{re.split('[.:]', name)[-1]}\b", line) is not None


def test_the_page_is_made_from_the_table_and_the_sources_as_they_are():
    made, stored = symbols.page().splitlines(), symbols.PAGE.read_text("utf-8").splitlines()
    changed = [line for line in made if line not in set(stored)] or made != stored
    assert not changed, f"{symbols.PAGE.name} is out of date; make it again: {symbols.COMMAND}"


def test_regeneration_is_one_command():
    makefile = (symbols.PAPERS.parent.parent / "Makefile").read_text("utf-8")
    target = symbols.COMMAND.split()[1]
    assert re.search(rf"^{target}:.*\n\t\S+python tools/symbols.py$", makefile, re.MULTILINE)


def test_every_name_exists_when_the_package_is_imported():
    assert [name for name in NAMES if not defined(name)] == []
    assert not defined("lissom.State.nothing") and not defined("lissom.spatial.skew:nothing")


def test_every_linked_line_has_its_name():
    assert [name for name in NAMES if not shows(name)] == []


def test_names_that_do_not_exist_are_reported():
    for name in (
        "lissom.nothing",
        "lissom.State.nothing",
        "lissom.spatial.skew:nothing",
        "other.a",
    ):
        with pytest.raises(LookupError, match="nothing|other"):
            source_lines.find(name)


@papers
def test_the_equations_are_all_those_of_the_paper(key):
    stems = {"A": "jain_rodriguez", "B": "deleuterio_damaren", "C": "order_n"}
    stems |= {"D": "rodriguez", "E": "kwatny_blankenship"}
    expected = EQUATIONS | {"jain_rodriguez": [str(n) for n in NUMBERS]}
    assert symbols.equations(PAPERS[key]) == expected[stems[key]]


@papers
def test_every_equation_is_named_by_a_symbol_or_listed_with_the_page_that_shows_it(key):
    paper = PAPERS[key]
    shown = symbols.sections(symbols.PAPERS / paper["page"])
    assert {f"{key} {number}" for number in symbols.equations(paper)} == set(shown)
    named = [number for row in paper["rows"] for number in symbols.mentioned(row)]
    assert set(named) <= set(symbols.equations(paper))
    assert len(symbols.without_symbol(paper)) < len(shown) / 5


@papers
def test_every_row_is_complete_and_every_dash_says_why(key):
    for row in PAPERS[key]["rows"]:
        assert set(row) - {"note"} == {"symbol", "equation", "meaning", "names"}
        assert row["symbol"] and row["meaning"] and row["equation"], row
        assert row["names"] or row["note"], row
        assert "|" not in "".join([row["symbol"], row["meaning"], row.get("note", "")]), row
        assert not re.search(r"\\[,;!{}]", row["symbol"]), f"{row}: Markdown eats this command"


@papers
def test_a_symbol_and_its_equation_have_one_row(key):
    pairs = [(row["symbol"], row["equation"]) for row in PAPERS[key]["rows"]]
    assert len(set(pairs)) == len(pairs)


@pytest.mark.parametrize(
    ("symbol", "letters"),
    [
        (r"\bar\tau_R(k)", "tau_bar_R(k)"),
        (r"\mathcal E_\Phi", "script E_Phi"),
        (r"\dot{\mathcal T}_{n,n-1}", "script T_dot_n,n-1"),
        (r"\boldsymbol f_{n,\square}", "f_n,box"),
        (r"I + \mathcal H\Phi K", "I + script H Phi K"),
        (r"\S_{n,\hat n}", "§_n,n_hat"),
    ],
)
def test_symbols_are_spelled_in_letters_that_can_be_typed(symbol, letters):
    assert symbols.spelled(symbol) == letters


@functools.cache
def of_a_tree() -> dict[str, object]:
    """What the expressions of the last table speak of."""
    body = nodal_samples.cantilever(nodal_samples.Bar(), 2, "lumps", names={"tip": 2})
    model = ls.Model("tree")
    model.add(body.to_modal(modes=2), ls.Revolute("z"), name="body")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Revolute("y"), to="body.tip", name="box")
    names = {**of_a_system(model.compile()), "nodal": {"body": body}, "name": "body"}
    names["problem"] = ls.optimal_control_dual(names["system"], names["state"])
    names["solution"] = ls.solve_lq(names["problem"])
    names["tree"] = nodal_tree(names["system"], names["state"], names["nodal"])
    rigid = ls.Model("rigid")
    rigid.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Revolute("z"), name="box")
    return {**names, "model": rigid}


@functools.cache
def of_a_loop() -> dict[str, object]:
    model = ls.Model("loop")
    for name in ("left", "right"):
        model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Revolute("y"), name=name)
    model.close(ls.Planar("y"), "left", "right", name="loop")
    return of_a_system(model.compile())


def of_a_system(system: ls.System) -> dict[str, object]:
    state = system.neutral()
    motions = reference.kinematics_base_to_tip(system, state.q, state.v)
    named = {"ls": ls, "reference": reference, "system": system, "state": state}
    return {**named, "motions": motions, "forces": state.v, "i": 1}


@pytest.mark.parametrize("row", CLASSES, ids=lambda row: row["name"])
def test_the_last_table_says_how_to_get_an_object_of_a_class(row):
    kind = resolve(row["name"])
    names = of_a_loop() if kind.__name__ in ("Loop", "LoopMotion", "Closure") else of_a_tree()
    beside = vars(sys.modules[kind.__module__])
    assert isinstance(eval(row["get"].replace("(...)", "()"), {**beside, **names}), kind)


def test_every_class_that_a_name_belongs_to_is_in_the_last_table():
    told = {resolve(row["name"]) for row in CLASSES}
    made = (ls.FlexibleBody, ls.NodalBody, ls.RigidBody, ls.Model, ls.Baumgarte)
    told |= {*made, ls.SimpleJoint, ls.CompoundJoint, ls.Revolute, Lump}
    names = [name for name in NAMES if ":" not in name]
    owners = {resolve(name.rpartition(".")[0]) for name in names}
    assert {owner for owner in owners if isinstance(owner, type)} - told == set()


@pytest.mark.parametrize("page", sorted(symbols.PAPERS.glob("*.md")), ids=lambda page: page.stem)
def test_pages_on_the_papers_are_readable_on_a_code_host(page):
    text = page.read_text("utf-8")
    directives = set(re.findall(r"^```\{(\w+)\}", text, re.MULTILINE))
    assert directives <= {"toctree"}, "write a quotation that opens with a bold word"
    plain = re.sub(r"`[^`\n]+`", "", FENCE.sub("", text))
    assert r"\begin{" not in plain and "$$" not in plain, "write displays as ```math"
    eaten = [m for m in re.findall(r"\$[^$]+\$", plain) if re.search(r"\\[,;!{}]", m)]
    assert eaten == [], r"Markdown eats \, and \{ : write a space and \lbrace"


def python_sources() -> dict[str, str]:
    """Text of every module of the package, by its path."""
    paths = sorted(source_lines.SOURCES.rglob("*.py"))
    return {str(path.relative_to(source_lines.SOURCES)): path.read_text("utf-8") for path in paths}


def cited(text: str) -> set[str]:
    """Equations of papers in a text, each in the form "A 51"."""
    return {number for group in CITED.findall(text) for number in re.split(r",\s+", group[1:-1])}


@papers
def test_every_equation_is_found_by_its_letter_and_number(key):
    paper, sources = PAPERS[key], cited("\n".join(python_sources().values()))
    numbers = {f"{key} {number}" for number in symbols.equations(paper)}
    page = set(symbols.tags((symbols.PAPERS / paper["page"]).read_text("utf-8")))
    assert numbers - sources - page == set()
    assert {f"{key} {number}" for number in symbols.computed(paper)} - sources == set()


@papers
def test_an_equation_of_the_text_alone_says_why_and_is_not_cited(key):
    sources = cited("\n".join(python_sources().values()))
    for item in PAPERS[key].get("text_only", ()):
        assert len(item["why"]) > 20
        numbers = symbols.mentioned(item)
        assert set(numbers) <= set(symbols.equations(PAPERS[key]))
        assert [n for n in numbers if f"{key} {n}" in sources] == [], "cited: take it off the list"


def test_sources_and_pages_cite_no_equation_that_a_paper_does_not_have():
    there = {f"{key} {number}" for key in PAPERS for number in symbols.equations(PAPERS[key])}
    pages = symbols.PAPERS.parent.rglob("*.md")
    texts = python_sources() | {path.name: path.read_text("utf-8") for path in pages}
    assert {name: cited(text) - there for name, text in texts.items() if cited(text) - there} == {}


def test_sources_cite_equations_of_papers_in_no_other_manner():
    found = {name: OTHER_MANNERS.findall(text) for name, text in python_sources().items()}
    assert {name: manners for name, manners in found.items() if manners} == {}


@pytest.mark.parametrize(
    "text",
    [
        "paper A, (B1)",
        "Jain & Rodriguez 1992, eqs. (48)-(50)",
        "(4.17) of the Order-N paper",
        "the paper's (33)",
        "A (51), (58)",
        "paper E, (53b)",
        "(A 48)-(A 50)",
        "section 9, (9.12)",
    ],
)
def test_other_manners_are_seen(text):
    assert OTHER_MANNERS.search(text)
    assert not OTHER_MANNERS.search("(A 48), (A 49) and (C 4.17); (1)-(3), (2) of `tree`")
