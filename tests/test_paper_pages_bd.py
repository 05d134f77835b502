"""The pages on the other papers show every equation, and executed code checks it."""

import re
from pathlib import Path

import pytest

PAPERS = Path(__file__).parent.parent / "docs" / "papers"
BLOCK = re.compile(r"^```python\n.*?^```", re.MULTILINE | re.DOTALL)
TAG = re.compile(r"\\tag\{([^}]*)\}")
COMMENT = re.compile(r"^(?:>>>|\.\.\.).*?#(.*)$", re.MULTILINE)


def dotted(sections):
    """Numbers such as 4.1, 4.2, ... from {section: count}."""
    return [f"{s}.{n}" for s, count in sections.items() for n in range(1, count + 1)]


def lettered(numbers, letters):
    """Numbers with those that the paper splits into a, b, c."""
    return [f"{n}{letter}" for n in numbers for letter in letters.get(n, [""])]


EQUATIONS = {
    "deleuterio_damaren": lettered(range(1, 44), {}),
    "rodriguez": lettered(
        dotted({3: 2, 4: 7, 5: 1, 6: 2, 7: 2, 8: 5, 9: 26}),
        {"8.2": "ab"},
    ),
    "kwatny_blankenship": lettered(
        range(1, 56),
        {n: "ab" for n in (2, 10, 11, 12, 17, 52, 54, 55)}
        | {n: "abc" for n in (3, 18, 23, 28, 35, 36, 53)},
    ),
    "order_n": dotted({1: 6, 2: 2, 3: 4, 4: 20}),
}
LETTERS = {"deleuterio_damaren": "B", "order_n": "C", "rodriguez": "D", "kwatny_blankenship": "E"}
DEFINITIONS = {"kwatny_blankenship": {"3a", "3b", "3c", "4"}}  # nothing that could be false

pages = pytest.mark.parametrize("page", EQUATIONS)


def text_of(page):
    return (PAPERS / f"{page}.md").read_text(encoding="utf-8")


def cited(page):
    """Equation numbers in the comments of executed code."""
    comments = [c for block in BLOCK.findall(text_of(page)) for c in COMMENT.findall(block)]
    return set(re.findall(rf"\({LETTERS[page]} (\d[\d.]*[a-c]?)\)", "\n".join(comments)))


@pytest.mark.parametrize(("page", "count"), [("deleuterio_damaren", 43), ("rodriguez", 46)])
def test_the_lists_of_equations_are_complete(page, count):
    assert len(EQUATIONS[page]) == count


@pages
def test_every_equation_of_the_paper_is_shown_once_and_in_order(page):
    shown = [n for group in TAG.findall(text_of(page)) for n in group.split(", ")]
    assert shown == [f"{LETTERS[page]} {n}" for n in EQUATIONS[page]]


@pages
def test_every_equation_is_named_by_the_code_that_checks_it(page):
    assert set(EQUATIONS[page]) - cited(page) == DEFINITIONS.get(page, set())
