"""Whatever is put into the public functions, a mistake ends in one of our own errors."""

import numpy as np
import pytest

import lissom as ls
from tests.tools.junk_calls import CALLS, arm, outcomes_of_mistakes


@pytest.mark.parametrize("name", CALLS)
def test_mistakes_end_in_our_own_errors(name):
    """In some random calls; `tests.verify_long_tests` has more."""
    assert "refused" in outcomes_of_mistakes(name, 50)


def test_a_section_that_raises_is_named_with_its_place():
    with pytest.raises(ls.ModelError, match=r"section.* raised TypeError at s/length = 0"):
        ls.rod(1.0, len, ls.STEEL)


def test_parts_are_removed_with_what_they_carry_only_by_true():
    with pytest.raises(ls.ModelError, match="outboard is .*; expected True or False"):
        arm().remove("upper", outboard=np.ones(3))
