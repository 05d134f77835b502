"""The pages on the other papers show every equation, and executed code checks it."""

import re
from pathlib import Path

import pytest

from tests.references.paper_numbers import EQUATIONS

PAPERS = Path(__file__).parents[2] / "docs" / "papers"
BLOCK = re.compile(r"^```python\n.*?^```", re.MULTILINE | re.DOTALL)
TAG = re.compile(r"\\tag\{([^}]*)\}")
COMMENT = re.compile(r"^(?:>>>|\.\.\.).*?#(.*)$", re.MULTILINE)


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
