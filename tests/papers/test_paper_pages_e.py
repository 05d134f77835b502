"""Kwatny & Blankenship 1995, section II: every printed result on joints, and its mistakes."""

from itertools import permutations

import pytest
import sympy as sp
from sympy import Rational as Q

import lissom as ls
from lissom.symbolic import joint_configuration, joint_kinematics, joint_map
from tests.references.exact_mechanics import adjoint, bracket, hat, inverse, pose, skew, turn, vee
from tests.references.paper_e import (
    GAMMA,
    ROTATION,
    SLIDE_X,
    SLIDE_Y,
    SLIDE_Z,
    TURN_X,
    TURN_Y,
    TURN_Z,
    columns,
    t,
)
from tests.tools.exact_algebra import vanishes

s = sp.Symbol("s", real=True)  # pitch
eps = z1, z2, *_ = sp.symbols("z1:7", real=True)
beta = sp.symbols("beta1:7", real=True)

UNIVERSAL = columns(TURN_Y, TURN_Z)
UNIVERSAL_SCREW = columns(TURN_Z, TURN_X + s * SLIDE_X)
TABLE_1 = {
    "revolute": (columns(TURN_Z), pose(turn("z", z1))),
    "universal": (UNIVERSAL, pose(turn("z", z2) * turn("y", z1))),
    "prismatic": (columns(SLIDE_Z), pose(None, (0, 0, z1))),
    "screw": (columns(TURN_Z + s * SLIDE_Z), pose(turn("z", z1), (0, 0, s * z1))),
    "cylindrical": (columns(TURN_Z, SLIDE_Z), pose(turn("z", z1), (0, 0, z2))),
}
TABLE_2 = {
    "revolute": columns(TURN_Z),
    "prismatic": columns(SLIDE_X),
    "screw": columns(TURN_X + s * SLIDE_X),
}
# all closed under the bracket; one with axes that are not at right angles
HOLONOMIC = {
    "revolute": columns(TURN_Z),
    "prismatic": columns(SLIDE_Z),
    "screw": columns(TURN_Z + s * SLIDE_Z),
    "cylindrical": columns(TURN_Z, SLIDE_Z),
    "spherical": columns(TURN_X, TURN_Y, TURN_Z),
    "spherical, oblique": columns(TURN_X, Q(3, 5) * TURN_X + Q(4, 5) * TURN_Y, TURN_Z),
    "plane, with a screw": columns(TURN_Z + s * SLIDE_Z, SLIDE_X, SLIDE_Y),
    "translation": columns(SLIDE_X, SLIDE_X + SLIDE_Y, SLIDE_Z - SLIDE_Y),
    "free": sp.eye(6),
}
NONHOLONOMIC = {"universal": UNIVERSAL, "universal-screw": UNIVERSAL_SCREW}
COMPOUND = [
    columns(TURN_Z, SLIDE_Z),
    columns(TURN_X + s * SLIDE_X),
    columns(SLIDE_X, SLIDE_Y),
]

holonomic = pytest.mark.parametrize("name", HOLONOMIC)
nonholonomic = pytest.mark.parametrize("name", NONHOLONOMIC)


def parts(maps):
    """Maps with their coordinates."""
    start = 0
    for H in maps:
        yield H, eps[start : start + H.cols]
        start += H.cols


def seen_from_the_body(maps):
    """Columns of (E 18a), (E 28a): each map seen through the configurations outboard of it."""
    U, blocks = sp.eye(4), []
    for H, q in parts(maps):
        blocks.append(adjoint(U) * H)
        U = joint_configuration(H, q) * U
    return sp.Matrix.hstack(*blocks)


def b_matrix(H):
    """B of (E 18a), (E 18b), (E 18c)."""
    return seen_from_the_body([H[:, i] for i in range(H.cols)])


# Table I, proposition 1, corollary 1


@pytest.mark.parametrize("name", TABLE_1)
def test_joints_of_table_1_have_their_maps_and_configurations(name):
    H, X = TABLE_1[name]
    q = eps[: H.cols]
    assert joint_map(H, q) == H
    assert vanishes(joint_configuration(H, q) - X)


@pytest.mark.parametrize("name", ["revolute", "prismatic", "screw", "cylindrical"])
def test_kinematics_of_table_1_are_those_of_rates(name):
    H, _ = TABLE_1[name]
    assert joint_kinematics(H, eps[: H.cols]) == sp.eye(H.cols)


@pytest.mark.parametrize("axis", [(1, 2, 2), (0, 3, 4), (0, 0, 0)])
def test_proposition_1_configuration_of_one_column(axis):
    """(E 12a), (E 12b), (E 13), (E 14) with axes of any length; (E 12b) by integration."""
    h = sp.Matrix([*axis, 1, s, -2])
    X = joint_configuration(h, [z1])
    assert vanishes(X.diff(z1) - X * hat(h))
    assert X.subs(z1, 0) == sp.eye(4)
    L = X[:3, :3].T
    assert vanishes(L.diff(z1) + skew(h[:3]) * L)
    integral = (L.T * h[3:, :]).applyfunc(lambda x: sp.integrate(sp.expand(x), (z1, 0, z1)))
    assert sp.simplify(X[:3, 3] - integral).is_zero_matrix


@holonomic
def test_corollary_1_configuration_is_a_product_of_one_column_motions(name):
    H, X = HOLONOMIC[name], sp.eye(4)
    for i in range(H.cols):
        X = joint_configuration(H[:, i], [eps[i]]) * X
    assert vanishes(joint_configuration(H, eps[: H.cols]) - X)


def test_the_inverse_of_a_configuration_has_the_position_turned():
    """(E 2b), printed -R."""
    X = joint_configuration(columns(TURN_Z, SLIDE_X), [z1, z2])
    L, R = X[:3, :3].T, X[:3, 3]
    assert vanishes(X * pose(L, -L * R) - sp.eye(4))
    assert not vanishes(X * pose(L, -R) - sp.eye(4))


# Proposition 2, table II


@holonomic
def test_proposition_2_kinematics_solve_b_gamma_is_h(name):
    """(E 16), (E 17a), (E 17b), (E 18a), (E 18b), (E 18c), (E 19), (E 24)."""
    H = HOLONOMIC[name]
    assert vanishes(b_matrix(H) * joint_kinematics(H, eps[: H.cols]) - H)


@holonomic
def test_columns_of_b_are_the_velocities_that_the_coordinates_cause(name):
    """With B Gamma = H, the body moves with H beta.

    (E 7), (E 10a), (E 10b), (E 20), (E 21), (E 22), (E 23a), (E 23b), (E 23c).
    """
    H = HOLONOMIC[name]
    X, B = joint_configuration(H, eps[: H.cols]), b_matrix(H)
    for i in range(H.cols):
        assert vanishes(inverse(X) * X.diff(eps[i]) - hat(B[:, i]))


def test_recursions_17_are_products_and_not_the_printed_sums():
    H = HOLONOMIC["plane, with a screw"]
    products, sums, R, R_sum = [sp.eye(3)], [sp.eye(3)], [sp.zeros(3, 1)], [sp.zeros(3, 1)]
    for i in range(3):
        X = joint_configuration(H[:, i], [eps[i]])
        products.append(X[:3, :3] * products[-1])
        R.append(X[:3, :3] * R[-1] + X[:3, 3])
        sums.append(X[:3, :3] + sums[-1])
        R_sum.append(X[:3, :3] * sp.ones(3, 1) + R_sum[-1] + X[:3, 3])

    def b(LT, R):
        own = [(LT[i].T, R[i], H[:3, i], H[3:, i]) for i in range(3)]
        return sp.Matrix.hstack(
            *((L * h).col_join(L * (skew(h) * r + v)) for L, r, h, v in own)  # (E 18a)
        )

    Gamma = joint_kinematics(H, eps[:3])
    assert vanishes(b(products, R) * Gamma - H)
    assert not vanishes(b(sums, R_sum) * Gamma - H)


@pytest.mark.parametrize("name", TABLE_2)
def test_table_2_one_column(name):
    assert joint_kinematics(TABLE_2[name], [z1]) == sp.Matrix([[1]])


def test_table_2_spherical():
    Gamma = joint_kinematics(HOLONOMIC["spherical"], t)
    assert vanishes(Gamma - GAMMA)


@nonholonomic
def test_table_2_universal_maps_have_the_printed_kinematics_only_as_a_fit(name):
    H = NONHOLONOMIC[name]
    Gamma = joint_kinematics(H, [z1, z2], least_squares=True)
    assert vanishes(Gamma - sp.diag(1, sp.cos(z1)))
    with pytest.raises(ls.ModelError, match="nonholonomic.*columns 0 and 1.*compound joint"):
        joint_kinematics(H, [z1, z2])


@nonholonomic
def test_no_kinematics_at_all_belong_to_the_universal_maps(name):
    """B Gamma = H has no solution: H is outside the span of B, and the bracket outside that of H.

    So that it is not true that every simple joint is holonomic.
    """
    H, B = NONHOLONOMIC[name], b_matrix(NONHOLONOMIC[name])
    assert not vanishes(B * sp.diag(1, sp.cos(z1)) - H)
    assert B.row_join(H).subs({z1: sp.pi / 6, s: 2}).rank() == 3
    left, right = hat(H[:, 0]), hat(H[:, 1])
    assert H.row_join(vee(left * right - right * left)).rank() == 3


@nonholonomic
def test_the_universal_maps_are_joints_if_each_column_is_a_part(name):
    H = NONHOLONOMIC[name]
    maps = [H[:, 0], H[:, 1]]
    assert joint_kinematics(maps, [z1, z2]) == sp.eye(2)
    assert vanishes(joint_map(maps, [z1, z2]) - b_matrix(H))
    assert joint_configuration(maps, [z1, z2]) == joint_configuration(H, [z1, z2])


# Compound joints


def test_proposition_3_a_compound_joint_of_2_1_and_2_columns():
    """(E 25), (E 26), (E 27), (E 28a), (E 28b), (E 28c)."""
    blocks = [joint_kinematics(H, q) for H, q in parts(COMPOUND)]
    assert vanishes(joint_kinematics(COMPOUND, eps[:5]) - sp.diag(*blocks))
    X = sp.eye(4)
    for H, q in parts(COMPOUND):
        X = joint_configuration(H, q) * X
    assert vanishes(joint_configuration(COMPOUND, eps[:5]) - X)
    assert vanishes(joint_map(COMPOUND, eps[:5]) - seen_from_the_body(COMPOUND))


def test_the_body_moves_with_the_map_of_a_compound_joint():
    """(E 29), (E 30), (E 31), (E 32), (E 33), (E 34)."""
    q, p = eps[:5], sp.Matrix(beta[:5])
    X, rates = joint_configuration(COMPOUND, q), joint_kinematics(COMPOUND, q) * p
    X_dot = sum((X.diff(x) * rate for x, rate in zip(q, rates, strict=True)), sp.zeros(4))
    assert vanishes(inverse(X) * X_dot - hat(joint_map(COMPOUND, q) * p))


def test_the_joint_with_three_axes():
    """(E 35a), (E 35b), (E 35c); the simple joint of the same columns has the same poses."""
    maps = [TURN_X, TURN_Y, TURN_Z]
    t1, t2, _ = t
    H = sp.Matrix(
        [
            [1, 0, -sp.sin(t2)],
            [0, sp.cos(t1), sp.cos(t2) * sp.sin(t1)],
            [0, -sp.sin(t1), sp.cos(t1) * sp.cos(t2)],
        ]
    )
    assert vanishes(joint_map(maps, t) - H.col_join(sp.zeros(3)))
    assert vanishes(joint_configuration(maps, t) - pose(ROTATION))
    assert joint_kinematics(maps, t) == sp.eye(3)
    assert joint_configuration(columns(*maps), t) == joint_configuration(maps, t)


# Six columns


def test_the_joint_with_six_columns():
    """(E 36a), (E 36b), (E 36c): angles 3-2-1 seen from inboard, and the position in its axes."""
    q = (*t, *sp.symbols("x y z", real=True))
    Gamma = joint_kinematics(sp.eye(6), q)
    assert vanishes(Gamma - sp.diag(GAMMA, ROTATION))
    X = joint_configuration(sp.eye(6), q)
    assert vanishes(X - pose(ROTATION, q[3:]))
    assert vanishes(ROTATION - turn("z", t[2]) * turn("y", t[1]) * turn("x", t[0]))


@pytest.mark.parametrize("order", list(permutations("xyz")), ids="".join)
def test_the_order_of_the_first_three_columns_is_the_convention_of_the_angles(order):
    H = columns(*({"x": TURN_X, "y": TURN_Y, "z": TURN_Z}[axis] for axis in order))
    first, second, third = (turn(axis, angle) for axis, angle in zip(order, t, strict=True))
    X = joint_configuration(H, t)
    assert vanishes(X - pose(third * second * first))
    assert vanishes(b_matrix(H).subs(dict(zip(eps, t, strict=False))) * joint_kinematics(H, t) - H)


def test_with_translations_first_the_position_is_in_body_axes():
    """Its rate is then u - omega x r and not the velocity u itself."""
    r, angles = sp.Matrix(eps[:3]), eps[3:]
    H = columns(SLIDE_X, SLIDE_Y, SLIDE_Z, TURN_X, TURN_Y, TURN_Z)
    X = joint_configuration(H, eps)
    L = ROTATION.T.subs(dict(zip(t, angles, strict=True)))
    assert vanishes(X - pose(L.T, L.T * r))
    u, omega = sp.Matrix(beta[:3]), sp.Matrix(beta[3:])
    rates = joint_kinematics(H, eps) * sp.Matrix(beta)
    assert vanishes(rates[:3, :] - (u - omega.cross(r)))
    assert not vanishes(rates[:3, :] - u)


def test_brackets_of_the_kinematics_are_those_of_the_columns():
    """The vector fields that the columns of Gamma are have the structure of the map, (E 38)."""
    H = HOLONOMIC["plane, with a screw"]
    q = sp.Matrix(eps[:3])
    V = joint_kinematics(H, list(q))
    for i in range(3):
        for j in range(3):
            left, right = hat(H[:, i]), hat(H[:, j])
            c = H.pinv() * vee(left * right - right * left)
            assert vanishes(bracket(V[:, i], V[:, j], q) - V * sp.simplify(c))
