"""A few of the random runs that `make verify` judges by the thousand."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from tests.honest_runs import Case, draw, judged

BEGIN = 0.50007  # between two looks


@pytest.mark.parametrize("number", range(3))
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


@pytest.mark.parametrize("integrator", ["auto", "rosenbrock"])
def test_speeds_of_a_vibration_on_a_spring_are_kept_beside_a_stiff_one(integrator):
    """The two masses do not touch each other; the second limits explicit steps."""
    model = ls.Model("two masses")
    for name in ("slow", "stiff"):
        model.add(ls.RigidBody(1.0), ls.Prismatic("x"), name=name)
    system, rate, size, end = model.compile(), 300.0, 3e-5, 0.37
    loads = [ls.JointSpring("slow", rate**2), ls.JointSpring("stiff", 2.5e9, damping=1e5)]
    start = system.state(slow=size, stiff=1e-6)
    run = ls.simulate(system, start, duration=end, loads=loads, integrator=integrator)
    found = run.state(end)
    assert abs(found.q[0] - size * np.cos(rate * end)) < 1e-7
    assert abs(found.v[0] + size * rate * np.sin(rate * end)) < 1e-7
