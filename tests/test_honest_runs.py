"""A few of the random runs that `make verify` judges by the thousand."""

from __future__ import annotations

import pytest

import lissom as ls
from tests.honest_runs import Case, draw, judged

BEGIN = 0.50007  # between two looks


@pytest.mark.parametrize("number", range(6))
def test_a_run_is_right_or_says_that_it_may_not_be(number):
    verdict = judged(draw(number))
    assert verdict.honest, verdict


def test_a_wrong_run_is_found_out():
    """The judge, on a run that misses a blow because it says nothing of it and looks nowhere."""
    model = ls.Model("mass")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Prismatic("x"), name="mass")
    system = model.compile()
    blow = ls.Actuator("mass", lambda t: 1e4 if BEGIN <= t < BEGIN + 1e-5 else 0.0)
    case = Case(0, system, system.neutral(), [blow], {}, [BEGIN, BEGIN + 1e-5], 1.0, {"rtol": 1e-6})
    verdict = judged(case)
    assert not verdict.honest
    assert verdict.error > 0.01
