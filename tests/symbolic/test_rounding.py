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
from tests.samples.symbolic_models import SAMPLES


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
    assert np.abs(integrals.first_moment).min() < 1e-15  # rounding, which has to be dropped
    model = ls.Model("boom", gravity=(0.3, 0.2, -9.81))
    model.add(boom, ls.Universal("y", "z"), name="boom")
    equations = derive(model, level="linear")
    for quantity in (equations.mass, equations.force, sympy.Matrix([equations.kinetic])):
        assert all(abs(x) > 1e-6 for x in quantity.atoms(sympy.Float))


def test_numbers_that_cancel_after_several_sums_are_gone():
    """The last difference is as large as what the first sum was rounded by."""
    graph = Graph()
    terms = [1000 * math.pi, math.e / 100, -1000 * math.pi, -math.e / 100]
    assert abs(sum(terms)) > 1e-15
    assert sum(map(graph.number, terms[1:]), graph.number(terms[0])) is graph.zero
    kept = graph.number(1.2345678901234567e-13) + graph.number(1e-30 * math.pi)
    assert kept.number != 0


def test_coefficients_that_sympy_adds_up_to_rounding_are_gone():
    bridge = Bridge(Graph())
    x, y = (bridge.node(sympy.Symbol(s)) for s in "xy")
    rng = np.random.default_rng(0)
    parts = next(p for p in rng.random((99, 3)).tolist() if p[0] + p[1] + p[2] != sum(p[::-1]))
    total = y + parts[0] * x + parts[1] * x + parts[2] * x - sum(parts[::-1]) * x
    assert bridge.expression(total) == sympy.Symbol("y")
