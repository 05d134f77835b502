"""Tests that take too long for continuous integration.

  python -m tests.verify_long_tests

Formulas of Kwatny & Blankenship 1995, section IV, that are multiplied out: how long the mass matrix
of the arm is.  The benchmark of formulas where there is no C compiler.  SymPy's expressions of an
arm with lumps.  Public functions with 600 random arguments each.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest
import sympy as sp

import lissom as ls
from benchmarks.depth import QUICK
from benchmarks.symbolic import c as symbolic_c, measure as symbolic
from benchmarks.symbolic.cases import KINDS
from tests.references.paper_e import (
    COMPOUND,
    SIMPLE,
    WRIST,
    arm,
    both_arms,
    by_recursion,
    compound,
    e,
    q,
    s1,
    s2,
    simple,
    t,
    upper,
)
from tests.samples.flexible_arms import flexible_arm
from tests.tools.benchmark_checks import silent
from tests.tools.exact_algebra import normal_form, vanishes
from tests.tools.junk_calls import CALLS, outcomes_of_mistakes
from tests.tools.measures import TOLERANCE, error
from tests.tools.sympy_numbers import sympy_case

KEPT = [0, 1, 3, 4, 5, 6]  # speeds of the arm with three axes in the shoulder, without the third


@pytest.fixture(scope="module")
def arms():
    return both_arms()


@pytest.fixture(scope="module")
def three_axes():
    """Arms with x as the third axis of the shoulder, all joints simple or all compound."""
    angles = (s1, s2, sp.Symbol("s3", real=True), e, *t)
    speeds = sp.symbols("w1:4 u1 v1:4", real=True)
    return {
        "simple": arm(simple(*WRIST), simple(*WRIST), angles, speeds),
        "compound": arm(compound(*WRIST), compound(*WRIST), angles, speeds),
    }


def test_its_mass_matrix_is_that_of_a_ball_joint_without_one_speed(three_axes):
    """The kinetic energy of the paper's simple shoulder exists; its coordinates do not."""
    whole = three_axes["simple"].mass
    M = by_recursion(SIMPLE, outboard=True)
    assert all(vanishes(x) for x in upper(whole.extract(KEPT, KEPT) - M))
    assert not whole.free_symbols & set(q[:2])


def n_operations(matrix):
    """Operations of a symmetric matrix that is multiplied out, with 1 - cos^2 for sin^2."""
    return sum(sp.count_ops(normal_form(x)) for x in upper(matrix))


def test_the_printed_quarter_is_that_of_the_wrong_recursion():
    """In which no angle of a simple wrist is left; the right matrix keeps more than a third."""
    ratio = {
        outboard: n_operations(by_recursion(SIMPLE, outboard))
        / n_operations(by_recursion(COMPOUND, outboard))
        for outboard in (False, True)
    }
    assert 0.25 < ratio[False] < 0.30
    assert 0.34 < ratio[True] < 0.40
    assert not by_recursion(SIMPLE, outboard=False).free_symbols & set(t)
    assert by_recursion(SIMPLE, outboard=True).free_symbols >= set(t)


def test_simple_joints_make_the_mass_matrix_shorter_but_not_by_three_quarters(arms, three_axes):
    """Operations of the mass matrix as it is shown."""
    compound_wrist = sp.count_ops(arms["compound"].mass)
    simple_shoulder = three_axes["simple"].mass.extract(KEPT, KEPT)
    assert 0.8 < sp.count_ops(arms["simple"].mass) / compound_wrist < 0.95
    assert 0.4 < sp.count_ops(simple_shoulder) / compound_wrist < 0.65
    whole = {k: sp.count_ops(these.mass) for k, these in three_axes.items()}
    assert 0.2 < whole["simple"] / whole["compound"] < 0.4


def test_programs_differ_less_since_nothing_is_worked_out_twice(arms, three_axes):
    """Operations of the mass matrix, and of it and the bias, as a list of assignments."""
    for quantities in (("mass",), ("mass", "bias")):
        size = {k: these.staged(*quantities).operations for k, these in arms.items()}
        assert 0.8 < size["simple"] / size["compound"] < 0.95
        size = {k: these.staged(*quantities).operations for k, these in three_axes.items()}
        assert 0.6 < size["simple"] / size["compound"] < 0.85


def test_mass_matrix_is_that_of_the_recursion(arms):
    """(E 52b), all of it with symbols."""
    M = arms["compound"].mass
    assert M == M.T
    assert all(vanishes(x) for x in upper(M - by_recursion(COMPOUND, outboard=True)))


def test_without_a_compiler_the_tables_say_so(monkeypatch):
    monkeypatch.setattr(symbolic_c.shutil, "which", lambda name: None)
    monkeypatch.setenv("CI", "")
    quick = symbolic.PLANS["quick"]
    small = replace(quick, links={"Kane": (2,), "Lagrange": (2,)}, kinds=KINDS[:1], ten=2)
    monkeypatch.setitem(symbolic.PLANS, "quick", small)
    result = symbolic.run(QUICK, silent)
    times = [table for table in result.tables if table.title.endswith("[µs]")]
    assert len(times) == 3
    for table in times:
        assert "No C compiler" in table.note
        assert [row[table.header.index("C")] for row in table.rows] == [None] * len(table.rows)
    assert "no C compiler was found" in result.about


def test_sympy_forward_dynamics_of_an_arm_with_lumps_on_a_spherical_joint():
    system = flexible_arm("full", n_mode=1)
    symbolic, x, state, given, evaluate = sympy_case(system)
    value = evaluate.of_array(ls.forward_dynamics(system, symbolic, x))
    assert error(value, ls.forward_dynamics(system, state, given)) < TOLERANCE


@pytest.mark.parametrize("name", CALLS)
def test_many_mistakes_end_in_our_own_errors(name):
    assert outcomes_of_mistakes(name, 600) >= {"refused"}


if __name__ == "__main__":
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", __file__]))
