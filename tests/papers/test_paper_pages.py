"""The pages on the papers name every equation, and the example that goes with them is right."""

import re
import runpy
from pathlib import Path

import pytest

from tests.references.paper_numbers import NUMBERS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "papers" / "jain_rodriguez.md"
BLOCK = re.compile(r"^```python\n.*?^```", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def text():
    return PAGE.read_text(encoding="utf-8")


def test_every_equation_of_jain_and_rodriguez_is_shown_once(text):
    tags = re.findall(r"\\tag\{A (\w+)\}", text)
    assert tags == sorted(tags, key=[str(n) for n in NUMBERS].index)
    assert tags == [str(n) for n in NUMBERS]


def test_every_display_of_equations_is_followed_by_a_check(text):
    """No group of equations is left unchecked: each section that has tags has executed code."""
    sections = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    shown = [s for s in sections if r"\tag{" in s]
    assert len(shown) >= 12
    assert [s.splitlines()[0] for s in shown if not BLOCK.search(s)] == []


def test_kalman_reading_filter_is_the_conditional_expectation(capsys):
    result = runpy.run_path(str(ROOT / "examples" / "kalman_reading.py"))
    assert result["filter_error"] < 1e-10
    assert result["covariance_error"] < 1e-7
    assert result["smoother_error"] < 1e-10
    assert "joint distribution" in capsys.readouterr().out
