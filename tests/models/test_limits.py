"""What the pages say that lissom does not do is dated, and true."""

from __future__ import annotations

from datetime import date

import pytest

from tests.tools.claims import claims
from tests.tools.limits_register import REGISTER


@pytest.mark.parametrize("place", claims(), ids=lambda x: f"{x.page}:{x.line}")
def test_each_claim_of_absence_has_an_entry(place):
    answers = [x for x in REGISTER if x.places.get(place.page, "\0") in place.text]
    assert answers, (
        f"{place.page}:{place.line} says {place.text!r}: try it, and enter day and trial in "
        "tests/tools/limits_register.py, or say it in other words (the rule: tests/tools/claims.py)"
    )


@pytest.mark.parametrize("entry", REGISTER, ids=lambda x: x.check.__name__)
def test_each_entry_is_dated_and_its_claim_is_there(entry):
    assert date(2026, 1, 1) <= date.fromisoformat(entry.day) <= date.today()
    texts = [(place.page, place.text) for place in claims()]
    for page, words in entry.places.items():
        assert any(name == page and words in text for name, text in texts), (page, words)


@pytest.mark.parametrize("entry", REGISTER, ids=lambda x: x.check.__name__)
def test_what_is_said_to_be_missing_is_missing(entry):
    entry.check()
