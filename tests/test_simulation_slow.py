"""Implicit runs that a load without a derivative holds up say so, early and with its name."""

from __future__ import annotations

import re
import warnings
from functools import cache

import numba
import numpy as np
import pytest

import lissom as ls
from lissom.sim.warnings.slow_iterations import SlowIterations


@cache
def boom():
    model = ls.Model("boom", gravity=(0, 0, -9.81))
    body = ls.beam(1.0, ls.Tube(radius=0.02, thickness=0.001), ls.ALUMINIUM, modes=4)
    model.add(body, ls.Revolute("y"), name="boom")
    return model.compile()


@numba.njit
def pd(t, q, v, out):
    out[4] = 1e4 * (0.3 * np.sin(3 * t) - q[4]) - 1e2 * v[4]


def stiff(t, state):
    return -100.0 * state["boom.rates"][0]


CASES = {
    "compiled forces": ({"forces": pd}, "the function given as forces"),
    "fixed steps": ({"forces": pd, "step": 1e-3}, "the function given as forces"),
    "plain actuator": (
        {
            "loads": [ls.Actuator("boom", stiff, name="brake"), ls.Actuator("boom", np.sin)],
            "rtol": 1e-4,  # or the steps are short for accuracy first
        },
        "brake",
    ),
    "the stiffer of two": (
        {
            "forces": pd,
            "loads": [ls.Actuator("boom", lambda t, s: -s["boom.rates"][0], name="mild")],
        },
        "the function given as forces",
    ),
}
QUIET = {
    "spring and damper": {"loads": [ls.JointSpring("boom", 1e4, damping=1e2)]},
    "controller": {
        "forces": ls.Controller(lambda t, s: {"boom": -0.01 * s["boom.rates"][0]}, 1e-3)
    },
    "function of time": {"loads": [ls.Actuator("boom", np.sin)]},
    "mild function": {"forces": lambda t, s: {"boom": -0.1 * s["boom.rates"][0]}, "rtol": 1e-10},
    "stop": {"loads": [ls.JointStop("boom", -0.01, 0.1, stiffness=1e6, damping=10.0)]},
    "explicit": {"forces": pd, "integrator": "dop853"},
}


def said(settings, *, until):
    """Messages of a run of 2 s that is ended sooner, and the run."""
    end = ls.Event(lambda t, s: t - until, ls.Stop(), name="end")
    options = {"integrator": "generalized_alpha", **settings}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = ls.simulate(boom(), duration=2.0, events=[end], **options)
    return [str(x.message) for x in caught if "slowed down" in str(x.message)], run


@pytest.mark.parametrize("case", CASES)
def test_a_stiff_function_is_named_early(case):
    """The rate of damping on the hinge is known: d (M^-1)_hh."""
    settings, name = CASES[case]
    found, _ = said(settings, until=0.004)
    assert len(found) == 1 and f"slowed down by {name}: " in found[0]
    assert "JointSpring and JointDamper" in found[0] and "dop853" in found[0]
    inverse = np.linalg.inv(ls.mass_matrix(boom(), boom().neutral()))
    rate = float(re.search(r"about (\S+) /s", found[0])[1])
    assert rate == pytest.approx(100.0 * inverse[4, 4], rel=0.05)
    assert float(re.search(r"until t = (\S+) s", found[0])[1]) <= 0.004


@pytest.mark.parametrize("case", QUIET)
def test_what_settles_is_not_blamed(case):
    assert said(QUIET[case], until=0.02)[0] == []


def test_the_look_changes_nothing(monkeypatch):
    _, run = said({"forces": pd}, until=0.004)
    monkeypatch.setattr(SlowIterations, "look", lambda self, stacklevel: None)
    found, other = said({"forces": pd}, until=0.004)
    assert not found and np.array_equal(run.q, other.q) and np.array_equal(run.time, other.time)
