"""Kwatny & Blankenship 1995: its two mechanisms, and its results as they are printed.

Numbers in brackets are equations of the paper.  Decimals are written as the fractions they are
rounded from: 0.525 is 21/40, 0.0969792 is 931/9600, 0.00510417 is 49/9600, 0.091875 is 147/1600.
"""

import numpy as np
import sympy as sp
from sympy import Rational as Q, cos, sec, sin, tan

import lissom as ls
from lissom.symbolic import joint_configuration, joint_map
from tests.references.exact_mechanics import skew

TURN_X, TURN_Y, TURN_Z, SLIDE_X, SLIDE_Y, SLIDE_Z = np.eye(6, dtype=int)


def columns(*motions):
    """One map from its columns."""
    return sp.Matrix.hstack(*(sp.Matrix(m) for m in motions))


def simple(*motions):
    """Joint with a constant map."""
    return ls.SimpleJoint(np.array(columns(*motions)))


def compound(*motions):
    """Joint with one axis after another, the first at the body."""
    return ls.CompoundJoint(motions)


# The thin disk

t = t1, t2, t3 = sp.symbols("t1:4", real=True)
w = w1, w2, w3 = sp.symbols("w1:4", real=True)
u1, u2, u3 = w  # the letters of (E 55b)


def disk(joint):
    """5 kg, radius 2 m, free to turn about its centre."""
    model = ls.Model("disk")
    model.add(ls.RigidBody(5, inertia=np.diag([5, 5, 10])), joint, name="disk")
    return ls.symbolic.derive(model, coordinates=t, speeds=w)


ROTATION = sp.Matrix(  # (E 35b)
    [
        [
            cos(t2) * cos(t3),
            cos(t3) * sin(t1) * sin(t2) - cos(t1) * sin(t3),
            cos(t1) * cos(t3) * sin(t2) + sin(t1) * sin(t3),
        ],
        [
            cos(t2) * sin(t3),
            cos(t1) * cos(t3) + sin(t1) * sin(t2) * sin(t3),
            -cos(t3) * sin(t1) + cos(t1) * sin(t2) * sin(t3),
        ],
        [-sin(t2), cos(t2) * sin(t1), cos(t1) * cos(t2)],
    ]
)
GAMMA = sp.Matrix(  # (E 36b), (E 54a), the spherical joint of table II
    [
        [1, sin(t1) * tan(t2), cos(t1) * tan(t2)],
        [0, cos(t1), -sin(t1)],
        [0, sec(t2) * sin(t1), cos(t1) * sec(t2)],
    ]
)
FORCE_SIMPLE = sp.Matrix([-5 * w2 * w3, 5 * w1 * w3, 0])  # (E 54b)


def mass_compound(last):
    """(E 55a), with the last term of entry (3, 3)."""
    corner = 10 * cos(t1) ** 2 * cos(t2) ** 2 + 5 * cos(t2) ** 2 * sin(t1) ** 2 + last
    side = -Q(5, 2) * cos(t2) * sin(2 * t1)
    return sp.Matrix(
        [
            [5, 0, -5 * sin(t2)],
            [0, Q(5, 2) * (3 - cos(2 * t1)), side],
            [-5 * sin(t2), side, corner],
        ]
    )


FORCE_COMPOUND = sp.Matrix(  # (E 55b)
    [
        u3 * (-5 * u2 * cos(2 * t1) * cos(t2) - 5 * u3 * cos(t2) ** 2 * sin(2 * t1)) / 2
        + u2 * (5 * u3 * cos(t2) + (-5 * u3 * cos(2 * t1) * cos(t2) + 5 * u2 * sin(2 * t1)) / 2),
        u1 * (-5 * u3 * cos(t2) / 2 + 5 * u3 * cos(2 * t1) * cos(t2) - 5 * u2 * sin(2 * t1))
        - 5 * u2 * u3 * sin(2 * t1) * sin(t2) / 4
        + u3
        * (
            -5 * u1 * cos(t2)
            + 5 * u2 * sin(2 * t1) * sin(t2) / 2
            - 5 * u3 * cos(t1) ** 2 * sin(2 * t2)
        )
        / 2,
        u1 * (5 * u2 * cos(2 * t1) * cos(t2) + 5 * u3 * cos(t2) ** 2 * sin(2 * t1))
        + u2
        * (
            5 * u1 * cos(t2)
            - 5 * u2 * sin(2 * t1) * sin(t2) / 2
            + 5 * u3 * cos(t1) ** 2 * sin(2 * t2)
        ),
    ]
)

# The arm

q = s1, s2, e, *_ = (*sp.symbols("s1 s2 e", real=True), *t)
p = sp.symbols("w1 w2 u1 v1:4", real=True)
g = sp.Symbol("g", positive=True)
SHOULDER, ELBOW, WRIST = (TURN_Y, TURN_Z), (TURN_Y,), (TURN_Y, TURN_Z, TURN_X)
LENGTH, REACH, MASS, RADIUS = 3, Q(7, 10), Q(1, 2), Q(7, 20)  # bars; gripper


def bodies(spin=12):
    """(mass, com, inertia about it) of the three bodies; the gripper's spin inertia is m R^2/spin.

    It is printed m R^2/12; that of a cylinder is m R^2/2.
    """
    bar = 1, (0, 0, Q(LENGTH, 2)), sp.diag(Q(3, 4), Q(3, 4), 0)
    across = MASS * (REACH**2 + 3 * RADIUS**2) / 12
    gripper = MASS, (0, 0, REACH / 2), sp.diag(across, across, MASS * RADIUS**2 / spin)
    return [bar, bar, gripper]


def arm(shoulder, wrist, coordinates=q, speeds=p, spin=12):
    """Upper arm, lower arm and gripper along z, gravity along -z."""
    model = ls.Model("arm", gravity=(0, 0, -g))
    given = bodies(spin)
    upper, lower, gripper = (ls.RigidBody(m, com, np.array(inertia)) for m, com, inertia in given)
    model.add(upper, shoulder, name="upper")
    model.add(lower, ls.Revolute("y"), to="upper", at=(0, 0, LENGTH), name="lower")
    model.add(gripper, wrist, to="lower", at=(0, 0, LENGTH), name="gripper")
    return ls.symbolic.derive(model, coordinates=coordinates, speeds=speeds)


def end_effector():
    """Its configuration matrix as XEndEf gives it."""
    rows = []
    sums = [
        (cos(s2), -sin(s2), sin(s1) * cos(s2)),  # of x, y and z: what the upper arm's axes give
        (sin(s2), cos(s2), sin(s1) * sin(s2)),
    ]
    for along, across, reach in sums:
        fore = cos(e) * cos(s1) * along - along * sin(e) * sin(s1)
        down = cos(s1) * along * sin(e) + cos(e) * along * sin(s1)
        third = (
            cos(t2) * fore * sin(t1)
            + across * (cos(t3) * sin(t1) * sin(t2) - cos(t1) * sin(t3))
            + down * (cos(t1) * cos(t3) + sin(t1) * sin(t2) * sin(t3))
        )
        rows.append(
            [
                cos(t1) * cos(t2) * fore
                + across * (cos(t1) * cos(t3) * sin(t2) + sin(t1) * sin(t3))
                + down * (-cos(t3) * sin(t1) + cos(t1) * sin(t2) * sin(t3)),
                cos(t2) * cos(t3) * across - fore * sin(t2) + cos(t2) * down * sin(t3),
                third,
                3 * reach + 3 * down + REACH * third,
            ]
        )
    fore = -cos(s1) * sin(e) - cos(e) * sin(s1)
    down = cos(e) * cos(s1) - sin(e) * sin(s1)
    third = cos(t2) * fore * sin(t1) + down * (cos(t1) * cos(t3) + sin(t1) * sin(t2) * sin(t3))
    rows.append(
        [
            cos(t1) * cos(t2) * fore + down * (-cos(t3) * sin(t1) + cos(t1) * sin(t2) * sin(t3)),
            -fore * sin(t2) + cos(t2) * down * sin(t3),
            third,
            3 * cos(s1) + 3 * down + REACH * third,
        ]
    )
    return sp.Matrix([*rows, [0, 0, 0, 1]])


def potential():
    """GravPotChn, per unit of g."""
    fore, down = -cos(s1) * sin(e) - cos(e) * sin(s1), cos(e) * cos(s1) - sin(e) * sin(s1)
    third = cos(t2) * fore * sin(t1) + down * (cos(t1) * cos(t3) + sin(t1) * sin(t2) * sin(t3))
    return Q(3, 2) * cos(s1) + Q(3, 2) * down + Q(7, 20) * third


I_O, I_Z, ARM = Q(931, 9600), Q(49, 9600), Q(21, 40)
ROW_COMPOUND = [  # e in the place of r, and the second power of the second cos(s1/2), see the page
    2 * ARM * cos(s1 / 2) ** 2 * cos(t1) * cos(t2) * sin(s2)
    + I_O * cos(e + s1) * cos(t1) * cos(t2) * sin(s2)
    + I_Z * cos(t2) * sin(e + s1) * sin(s2) * sin(t1)
    - I_O * cos(s2) * sin(t2)
    - 2 * ARM * cos(e + s1 / 2) * cos(s1 / 2) * cos(s2) * sin(t2),
    -Q(7, 40)
    * cos(t1)
    * cos(t2)
    * (6 * cos(s1 / 2) ** 2 * cos(s2) * sin(s1) + Q(3, 2) * sin(2 * s1))
    + I_O * cos(t1) * cos(t2) * (-cos(e + s1) * cos(s2) * sin(s1) - cos(s1) * sin(e + s1))
    + I_Z * cos(t2) * (cos(s1) * cos(e + s1) - cos(s2) * sin(s1) * sin(e + s1)) * sin(t1)
    - I_O * sin(s1) * sin(s2) * sin(t2)
    - 2 * ARM * cos(e + s1 / 2) * cos(s1 / 2) * sin(s1) * sin(s2) * sin(t2),
    -I_O * sin(t2) - ARM * cos(e) * sin(t2),
    -I_O * sin(t2),
    -Q(147, 1600) * cos(t1) * cos(t2) * sin(t1),
    I_O * cos(t1) ** 2 * cos(t2) ** 2 + I_Z * cos(t2) ** 2 * sin(t1) ** 2 + I_O * sin(t2) ** 2,
]
ROW_SIMPLE = [
    2 * ARM * cos(s1 / 2) ** 2 * sin(s2) + I_O * cos(e + s1) * sin(s2),
    -ARM * sin(s1) - I_O * sin(e + s1),
    0,
    0,
    0,
    I_O,
]


COMPOUND = [list(SHOULDER), list(ELBOW), list(WRIST)]
SIMPLE = [columns(*SHOULDER), columns(*ELBOW), columns(*WRIST)]


def both_arms():
    """By wrist; the shoulder is compound, since two columns make no simple joint."""
    shoulder = compound(*SHOULDER)
    return {
        "compound": arm(shoulder, compound(*WRIST)),
        "simple": arm(shoulder, simple(*WRIST)),
    }


def upper(matrix):
    """Entries of a symmetric matrix, each once."""
    return [matrix[i, j] for i, j in zip(*np.triu_indices(matrix.rows), strict=True)]


def by_recursion(maps, outboard):
    """H^T Phi^T M Phi H, with the rotation of the outboard or of the inboard joint in (E 46)."""

    def phi(r):
        return sp.Matrix.vstack(sp.eye(3).row_join(sp.zeros(3)), (-skew(r)).row_join(sp.eye(3)))

    coordinates = [(s1, s2), (e,), t]
    pairs = list(zip(maps, coordinates, strict=True))
    L = [joint_configuration(*pair)[:3, :3].T for pair in pairs]
    first, second = (sp.diag(x, x) * phi((0, 0, LENGTH)) for x in (L[1:] if outboard else L[:2]))
    Phi = sp.eye(18)
    Phi[6:12, :6], Phi[12:, 6:12], Phi[12:, :6] = first, second, second * first
    inertias = [phi(c).T * sp.diag(inertia, m * sp.eye(3)) * phi(c) for m, c, inertia in bodies()]
    V = Phi * sp.diag(*(joint_map(*pair) for pair in pairs))
    return V.T * sp.diag(*inertias) * V
