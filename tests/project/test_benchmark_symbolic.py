"""The benchmark of symbolic equations: what it compares is the same, and is counted alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy

import lissom as ls
from benchmarks.cases import moving_case
from benchmarks.depth import QUICK
from benchmarks.peers.twins import PeerError
from benchmarks.symbolic import (
    c as symbolic_c,
    checks as symbolic_checks,
    measure as symbolic,
    programs as symbolic_programs,
    ways as symbolic_ways,
)
from benchmarks.symbolic.cases import KINDS, Link, Mechanism, arm, chain
from benchmarks.symbolic.derivations import derivation_records, growth_records
from benchmarks.symbolic.tables import program_tables, requirements
from lissom.library import rigid_chain
from tests.tools.benchmark_checks import silent


def test_operations_are_counted_once_for_each_statement_and_entry():
    a, b, z = sympy.symbols("a b z")
    assert symbolic_ways.operations([(z, a * b)], [z + 1, z + 1, sympy.sin(z)]) == 3


@pytest.mark.parametrize("kind", KINDS)
def test_all_ways_give_the_numbers_of_the_engine(kind):
    mechanism = chain(2, kind)
    for derived in symbolic_ways.WAYS.values():
        assert symbolic_checks.difference(mechanism, derived(mechanism)) < 1e-13


def test_kane_agrees_on_a_joint_of_several_axes():
    link = Link("xzy", (0, 0, 1), 2, (sympy.Rational(1, 5), 0, 1), (1, 2, 2))
    mechanism = Mechanism("wrist", (link,), 10, {})
    assert symbolic_checks.difference(mechanism, symbolic_ways.by_kane(mechanism)) < 1e-13


def test_formulas_of_something_else_are_not_compared(monkeypatch):
    def heavier(mechanism):
        return symbolic_ways.by_kane(replace(mechanism, gravity=2 * mechanism.gravity))

    monkeypatch.setitem(symbolic_ways.WAYS, "Kane", heavier)
    with pytest.raises(PeerError, match=r"Kane and lissom's numbers differ by .* on straight"):
        derivation_records(
            [(chain(2, "straight"), ["lissom", "Kane"])], enough=0.0, basic=False, tell=silent
        )


def test_slower_option_of_sympy_is_counted_where_asked_for():
    cases = [(chain(2, "straight"), ["lissom", "Kane"])]
    own, kane = derivation_records(cases, enough=0.0, basic=True, tell=silent)
    assert own["basic operations"] is None
    assert 0 < kane["basic operations"] != kane["operations"]


def test_arm_has_the_inertia_that_the_paper_prints_last():
    """Entry (6, 6) of the inertia matrix of the compound joints, Kwatny & Blankenship 1995."""
    system = arm().model(numbers=True).compile()
    q = np.array([0.3, -0.7, 0.4, 0.5, 1.1, -0.2])
    (s1, s2), (c1, c2) = np.sin(q[3:5]), np.cos(q[3:5])
    printed = 0.0969792 * c1**2 * c2**2 + 0.00510417 * c2**2 * s1**2 + 0.0969792 * s2**2
    assert ls.mass_matrix(system, system.state(q))[5, 5] == pytest.approx(printed, rel=1e-6)


def test_forward_dynamics_that_leave_forces_are_refused(monkeypatch):
    monkeypatch.setattr(
        "benchmarks.symbolic.checks.inverse_dynamics",
        lambda system, state, rates: ls.inverse_dynamics(system, state, 1.01 * rates),
    )
    with pytest.raises(PeerError, match="leave a relative residual force"):
        growth_records([chain(2, "straight")], silent)


def growth(*counts):
    return tuple(
        {"part": "growth", "kind": "general", "bodies": n, "operations": count}
        for n, count in zip((10, 20, 30), counts, strict=True)
    )


def test_growth_is_judged_by_what_further_bodies_add():
    def judged(*counts):
        last = requirements(growth(*counts))[-1]
        return last.measured, last.met

    assert judged(100, 200, 300) == (1.0, True)
    assert judged(100, 220, 340) == (1.0, True)
    assert judged(100, 150, 280) == (2.6, False)


def test_bounds_take_the_least_favourable_mechanism():
    shared = {"part": "derivation", "links": 3, "basic operations": None}
    rows = [
        ("a", 3, "lissom", 1.0, 100),
        ("a", 3, "Kane", 2.0, 400),
        ("b", 6, "lissom", 1.0, 100),
        ("b", 6, "Kane", 8.0, 90),
        ("two links", 2, "lissom", 1.0, 9),
        ("two links", 2, "Kane", 0.5, 1),
    ]
    keys = ("mechanism", "freedoms", "way", "seconds", "operations")
    found = requirements(tuple(shared | dict(zip(keys, row, strict=True)) for row in rows))
    assert [(r.measured, r.where, r.met) for r in found[:4]] == [
        (2.0, "a, Kane", True),
        (8.0, "b, Kane", True),
        (100 / 90, "b, Kane", False),
        (100 / 90, "b, Kane", False),
    ]
    assert [r.measured for r in found[4:]] == [None] * 3


def test_a_missing_compiler_is_an_error_in_continuous_integration(monkeypatch):
    monkeypatch.setattr(symbolic_c.shutil, "which", lambda name: None)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(PeerError, match="there is no C compiler"):
        symbolic.run(QUICK, silent)


def test_a_compiler_that_fails_is_named(tmp_path):
    equations = ls.symbolic.derive(rigid_chain(1))
    with pytest.raises(PeerError, match=r"false -O2 .* failed"):
        symbolic_c.c_loops(equations, {"mass": ("q",)}, tmp_path, "false")


def test_programs_that_compute_something_else_are_not_timed():
    programs = symbolic_programs.Programs(moving_case(rigid_chain(2), size=3), numba=False)
    assert max(programs.differences().values()) < 1e-12
    programs.outputs["inverse dynamics", "NumPy"] = (
        1.001 * programs.outputs["inverse dynamics", "NumPy"]
    )
    with pytest.raises(PeerError, match="inverse dynamics of the program for NumPy"):
        programs.differences()


def test_times_of_programs_stand_beside_the_engine():
    shared = {"part": "program", "mechanism": "m", "difference": 1e-16}
    times = {"C": 1e-6, "NumPy": 4e-6, "engine batch": 3e-6, "engine call": 5e-6}
    records = tuple(
        shared | {"quantity": quantity, "form": form, "seconds": seconds}
        for quantity in symbolic_programs.FUNCTIONS
        for form, seconds in times.items()
    )
    forward = program_tables(records, "")[0]
    assert forward.header[1:8] == (
        "C",
        "Numba",
        "NumPy",
        "CasADi",
        "engine batch",
        "engine call",
        "engine batch over C",
    )
    assert forward.rows[0][1:8] == pytest.approx((1.0, None, 4.0, None, 3.0, 5.0, 3.0))
