"""Formulas without what rounding left of zeros."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy

import lissom as ls
from lissom.symbolic import derive
from lissom.symbolic.bridge import Bridge
from lissom.symbolic.derivation import Derivation
from lissom.symbolic.graph import Graph, ordered
from lissom.symbolic.shortest import Shortest
from tests.symbolic_samples import SAMPLES


def is_of_a_series(x: float) -> bool:
    """Whether a number is a whole multiple of 1/20!, as those of the series for small angles."""
    times = x * math.factorial(20)
    return round(times) != 0 and abs(times - round(times)) < 1e-9 * abs(times)


@pytest.mark.parametrize("name", SAMPLES)
def test_programs_of_the_samples_have_no_dust(name):
    sample = SAMPLES[name]()
    d = Derivation(sample.model, sample.level)
    nodes = ordered([*d.mass.ravel(), *d.bias, d.potential])
    numbers = {float(x.args[0]) for x in nodes if x.op == "number"}
    assert [x for x in numbers if 0 < abs(x) < 1e-12 and not is_of_a_series(x)] == []


def test_formulas_of_a_boom_have_no_dust():
    boom = ls.beam(3.0, ls.Tube(0.02, 0.001), ls.ALUMINIUM, bending=1, torsion=0, stretch=0)
    integrals = boom.normalised("linear").integrals
    assert 0 < np.abs(integrals.first_moment).min() < 1e-15  # what has to be dropped
    model = ls.Model("boom", gravity=(0.3, 0.2, -9.81))
    model.add(boom, ls.Universal("y", "z"), name="boom")
    equations = derive(model, level="linear")
    for quantity in (equations.mass, equations.force, sympy.Matrix([equations.kinetic])):
        assert all(abs(x) > 1e-6 for x in quantity.atoms(sympy.Float))


def test_terms_that_cancel_after_several_sums_are_gone():
    graph = Graph()
    bridge = Bridge(graph)
    x, y = (bridge.node(sympy.Symbol(s)) for s in "xy")
    parts = [math.pi / 7, math.e / 3, math.sqrt(2) / 9, math.sqrt(3) / 11]
    terms = [*parts, *(-z for z in parts)]
    assert 0 < abs(sum(terms)) < 1e-15
    total = sum((z * x for z in terms), y)
    assert bridge.expression(total) == sympy.Symbol("y") == Shortest(bridge).expression(total)
    assert sum(map(graph.number, terms[1:]), graph.number(terms[0])) is graph.zero
    kept = graph.number(1.2345678901234567e-13) + graph.number(1e-30 * math.pi)
    assert kept.number != 0
