"""Kwatny & Blankenship 1995, section IV: the arm with six degrees of freedom, and its size."""

import numpy as np
import pytest
import sympy as sp
from sympy import Rational as Q, cos, sin

import lissom as ls
from tests.references.exact_mechanics import Lagrange, pose, pseudo_inertia, turn
from tests.references.paper_e import (
    COMPOUND,
    LENGTH,
    MASS,
    RADIUS,
    REACH,
    ROW_COMPOUND,
    ROW_SIMPLE,
    SHOULDER,
    SIMPLE,
    WRIST,
    arm,
    bodies,
    both_arms,
    by_recursion,
    e,
    end_effector,
    g,
    p,
    potential,
    q,
    s1,
    s2,
    simple,
    t,
)
from tests.tools.exact_algebra import at, circle_point, vanishes

POINT = circle_point(q, [Q(1, 2), Q(-1, 3), Q(2, 3), Q(1, 5), Q(-3, 4), Q(2, 5)])
SPEEDS = dict(zip(p, (Q(1), Q(-2), Q(1, 2), Q(3), Q(-1, 3), Q(2)), strict=True))


@pytest.fixture(scope="module")
def arms():
    return both_arms()


@pytest.fixture(scope="module")
def lagrange():
    """The arm without lissom."""
    t1, t2, t3 = t
    upper = pose(turn("z", s2) * turn("y", s1))
    lower = upper * pose(turn("y", e), (0, 0, LENGTH))
    gripper = lower * pose(turn("x", t3) * turn("z", t2) * turn("y", t1), (0, 0, LENGTH))
    inertias = [pseudo_inertia(*body) for body in bodies()]
    return Lagrange([upper, lower, gripper], inertias, q, (0, 0, -g))


# Kinematics and potential energy


@pytest.mark.parametrize("wrist", ["compound", "simple"])
def test_configuration_of_the_end_effector_is_the_printed_one(arms, wrist):
    assert vanishes(arms[wrist].pose("gripper", at=(0, 0, REACH)) - end_effector())


@pytest.mark.parametrize("wrist", ["compound", "simple"])
def test_potential_energy_has_masses_and_the_offsets_of_the_joints(arms, wrist, lagrange):
    found, third = arms[wrist].potential, end_effector()[2, 2]
    assert vanishes(found - g * (6 * cos(s1) + 3 * cos(s1 + e) + Q(7, 40) * third))
    assert vanishes(found - lagrange.potential)
    assert not vanishes(found - g * potential())


def test_the_printed_potential_energy_is_that_of_turned_bodies_that_stay_in_place(lagrange):
    heights = [(X[:3, :3] * J[:3, 3] / J[3, 3])[2] for X, J in lagrange.bodies]
    assert vanishes(potential() - sum(heights))


@pytest.mark.parametrize("wrist", ["compound", "simple"])
def test_forces_of_gravity_come_from_the_potential_energy(arms, wrist):
    these = arms[wrist]
    slope = sp.Matrix([these.potential.diff(x) for x in q])
    assert vanishes(these.force - these.kinematics.T * slope)


def test_spin_inertia_of_a_cylinder_is_half_m_r_squared():
    """Printed m R^2 / 12."""
    own = ls.RigidBody.cylinder(MASS, RADIUS, REACH, axis="z").inertia
    expected, printed = (body[2][2, 2] for body in (bodies(spin=2)[2], bodies(spin=12)[2]))
    assert np.isclose(own[2, 2], float(expected))
    assert not np.isclose(own[2, 2], float(printed))
    assert np.isclose(own[0, 0], float(bodies()[2][2][0, 0]))


# Mass matrix and Poincare's equations


@pytest.mark.parametrize("wrist", ["compound", "simple"])
def test_mass_matrix_is_that_of_lagrange_s_equations_at_a_rational_point(arms, wrist, lagrange):
    V = at(arms[wrist].kinematics, POINT)
    assert at(arms[wrist].mass, POINT) == V.T * lagrange.mass(POINT) * V


@pytest.mark.parametrize("wrist", ["compound"])
def test_poincare_s_equations_are_lagrange_s_at_a_rational_point(arms, wrist, lagrange):
    these = arms[wrist]
    V, speeds = at(these.kinematics, POINT), sp.Matrix([SPEEDS[x] for x in p])
    rates = V * speeds
    V_dot = sp.zeros(6)
    for x, rate in zip(q, rates, strict=True):
        V_dot += at(these.kinematics.diff(x), POINT) * rate
    bias = lagrange.mass(POINT) * V_dot * speeds + lagrange.bias(rates, POINT)
    expected = V.T * bias
    assert at(these.velocity_force, POINT | SPEEDS) == expected
    assert all(x.is_Rational for x in expected) and any(expected)


# Last rows, as they are printed and as they are


def difference(row, other):
    """Two rows, without half angles."""
    half = sp.Symbol("half", real=True)
    return (sp.Matrix(row) - sp.Matrix(other)).subs(s1, 2 * half)


@pytest.mark.parametrize(("maps", "printed"), [(COMPOUND, ROW_COMPOUND), (SIMPLE, ROW_SIMPLE)])
def test_printed_last_rows_turn_with_the_joint_inboard_of_the_right_one(maps, printed):
    """Not with (E 45), (E 46): the rows are those of a program that is one joint behind."""
    wrong = list(by_recursion(maps, outboard=False)[5, :])
    assert vanishes(difference(wrong, printed))
    right = list(by_recursion(maps, outboard=True)[5, :])
    assert not vanishes(difference(right, printed))


def test_last_row_with_a_compound_wrist(arms):
    row = list(arms["compound"].mass[5, :])
    for ours, printed in zip(row[:3], ROW_COMPOUND[:3], strict=True):
        assert not vanishes(difference([ours], [printed]))
    assert vanishes(difference(row[3:], ROW_COMPOUND[3:]))  # the wrist alone: no recursion in it


def test_last_row_with_a_simple_wrist(arms):
    t1, t2, t3 = t
    row, forward = list(arms["simple"].mass[5, :]), sin(t1) * sin(t3) + sin(t2) * cos(t1) * cos(t3)
    assert vanishes(row[2] - Q(931, 9600) * forward - Q(21, 40) * sin(t2))
    for ours, printed in zip(row[:3], ROW_SIMPLE[:3], strict=True):
        assert not vanishes(difference([ours], [printed]))
    assert row[3:] == ROW_SIMPLE[3:] == [0, 0, Q(931, 9600)]


def test_a_simple_shoulder_of_two_columns_is_refused():
    with pytest.raises(ls.ModelError, match="nonholonomic"):
        ls.SimpleJoint(np.transpose(SHOULDER))
    with pytest.raises(ls.SymbolicError, match="'upper'.*nonholonomic"):
        arm(simple(*SHOULDER), simple(*WRIST))
