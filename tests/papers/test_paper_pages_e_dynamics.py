"""Kwatny & Blankenship 1995, section III: Poincaré's equations and the thin disk."""

import numpy as np
import pytest
import sympy as sp
from sympy import Rational as Q

import lissom as ls
from tests.references.exact_mechanics import (
    Lagrange,
    bracket,
    hat,
    inverse,
    pose,
    pseudo_inertia,
    skew,
    turn,
    vee,
)
from tests.references.paper_e import (
    FORCE_COMPOUND,
    FORCE_SIMPLE,
    GAMMA,
    ROTATION,
    SLIDE_X,
    SLIDE_Y,
    SLIDE_Z,
    TURN_X,
    TURN_Y,
    TURN_Z,
    compound,
    disk,
    mass_compound,
    simple,
    t,
    t2,
    w,
)
from tests.tools.exact_algebra import vanishes

g = sp.Symbol("g", positive=True)
q = x1, x2, x3, x4, x5 = sp.symbols("x1:6", real=True)
p = sp.symbols("p1:6", real=True)
p_dot = sp.symbols("pdot1:6", real=True)

# A sled that turns and slides in a plane, as a screw across it, and carries a pole on two axes.
SLED = 2, (Q(1, 3), 0, Q(1, 2)), sp.diag(1, 2, 3)
POLE = 1, (0, 0, 1), sp.diag(Q(1, 3), Q(1, 3), Q(1, 5))
SOCKET = (1, 0, Q(1, 2))


def sled(form="poincare"):
    model = ls.Model("sled", gravity=(0, 0, -g))
    base, pole = (ls.RigidBody(m, c, np.array(inertia)) for m, c, inertia in (SLED, POLE))
    model.add(base, simple(TURN_Z + 2 * SLIDE_Z, SLIDE_X, SLIDE_Y), name="sled")
    model.add(pole, compound(TURN_X, TURN_Y), to="sled", at=SOCKET, name="pole")
    return ls.symbolic.derive(model, form=form, coordinates=q, speeds=p)


@pytest.fixture(scope="module")
def equations():
    return sled()


@pytest.fixture(scope="module")
def lagrange():
    """The same mechanism, its poses written down by hand."""
    base = pose(turn("z", x1), (x2, x3, 2 * x1))
    pole = base * pose(turn("y", x5) * turn("x", x4), SOCKET)
    inertias = [pseudo_inertia(*SLED), pseudo_inertia(*POLE)]
    return Lagrange([base, pole], inertias, q, (0, 0, -g))


def fields(V):
    """Columns of V."""
    return [V[:, i] for i in range(V.cols)]


def along(values, V):
    """d(values)/dq V, row by row."""
    return sp.Matrix(values).jacobian(q[: V.rows]) * V


# Hamilton's principle


def test_the_example_moves_as_it_is_written_down(equations, lagrange):
    for name, (X, _) in zip(("sled", "pole"), lagrange.bodies, strict=True):
        assert vanishes(equations.pose(name) - X)


@pytest.mark.parametrize("name", ["sled", "disk", "free"])
def test_structure_constants_are_those_of_the_brackets_of_the_columns(equations, name):
    """(E 38)."""
    if name == "sled":
        these = equations
    elif name == "disk":
        these = disk(simple(TURN_X, TURN_Y, TURN_Z))
    else:
        model = ls.Model()
        model.add(ls.RigidBody(1), ls.SimpleJoint(np.eye(6)), name="body")
        these = ls.symbolic.derive(model)
    V, c, n = these.kinematics, these.structure_constants, len(these.speeds)
    coordinates = sp.Matrix(these.coordinates)
    for i in range(n):
        for j in range(i + 1, n):
            expected = sum((c[k, i, j] * V[:, k] for k in range(n)), sp.zeros(n, 1))
            assert vanishes(bracket(V[:, i], V[:, j], coordinates) - expected)
            assert all(c[k, i, j] == -c[k, j, i] for k in range(n))
    assert any(sp.flatten(c))


def poincare(equations, c_term):
    """Left side of (E 40) as a column, from the energies and V; c_term(c, i, j, k) is c's place."""
    V, n = equations.kinematics, len(p)
    lagrangian = equations.kinetic - equations.potential
    momentum = sp.Matrix([lagrangian.diff(x) for x in p])
    rate = along(momentum, V) * sp.Matrix(p) + momentum.jacobian(p) * sp.Matrix(p_dot)
    slope = along([lagrangian], V)
    c = equations.structure_constants
    entries = []
    for k in range(n):
        turning = sum(c_term(c, i, j, k) * momentum[i] * p[j] for i in range(n) for j in range(n))
        entries.append(rate[k] - turning - slope[k])
    return sp.Matrix(entries)


def left_side(equations):
    """M pdot + C p + F."""
    return equations.mass * sp.Matrix(p_dot) + equations.velocity_force + equations.force


def test_poincare_s_equations_in_components(equations):
    """(E 40), printed with c_ij^k where c_jk^i is meant; for a spherical joint they are equal."""
    ours = left_side(equations)
    assert vanishes(poincare(equations, lambda c, i, j, k: c[i, j, k]) - ours)
    assert not vanishes(poincare(equations, lambda c, i, j, k: c[k, i, j]) - ours)
    c = disk(simple(TURN_X, TURN_Y, TURN_Z)).structure_constants
    assert all(c[i, j, k] == c[k, i, j] for i, j, k in np.ndindex(3, 3, 3))


def test_poincare_s_equations_as_a_row(equations):
    """(E 41)."""
    V, n = equations.kinematics, len(p)
    lagrangian = equations.kinetic - equations.potential
    momentum = sp.Matrix([lagrangian.diff(x) for x in p])
    rate = along(momentum, V) * sp.Matrix(p) + momentum.jacobian(p) * sp.Matrix(p_dot)
    turning = sp.zeros(n, n)
    for j in range(n):
        X_j = [bracket(V[:, j], v, sp.Matrix(q)) for v in fields(V)]
        turning += p[j] * sp.Matrix.hstack(*X_j)
    row = rate.T - momentum.T * V.inv() * turning - along([lagrangian], V)
    assert vanishes(row.T - left_side(equations))


def test_they_are_lagrange_s_equations_in_other_speeds(equations, lagrange):
    """(E 37), (E 39): V^T (M q'' + b + G) with q' = V p, from poses and inertias alone."""
    V = equations.kinematics
    rates = V * sp.Matrix(p)
    V_dot = sum((V.diff(x) * rate for x, rate in zip(q, rates, strict=True)), sp.zeros(5))
    accelerations = V * sp.Matrix(p_dot) + V_dot * sp.Matrix(p)
    G = sp.Matrix([lagrange.potential.diff(x) for x in q])
    forces = lagrange.mass() * accelerations + lagrange.bias(rates) + G
    assert vanishes(V.T * forces - left_side(equations))


def test_forces_change_over_with_v_transposed():
    """(E 41), (E 53c): printed are V^-1 and V^-T; power says V^T, so does the weight of a top."""
    model = ls.Model("top", gravity=(0, 0, -g))
    model.add(ls.RigidBody(1, (0, 0, 1), 1), simple(TURN_X, TURN_Y, TURN_Z), name="top")
    these = ls.symbolic.derive(model, coordinates=t, speeds=w)
    height = ROTATION[2, 2]
    V, G = these.kinematics, sp.Matrix([g * height.diff(x) for x in t])
    assert vanishes(these.force - V.T * G)
    assert not vanishes(these.force - V.inv().T * G)
    Q_q, speeds = sp.Matrix(sp.symbols("Q1:4")), sp.Matrix(w)
    power = Q_q.dot(V * speeds)
    assert vanishes((V.T * Q_q).dot(speeds) - power)
    assert not vanishes((V.inv().T * Q_q).dot(speeds) - power)


def test_with_rates_for_speeds_they_are_lagrange_s_equations(lagrange):
    """The remark after proposition 4: V = 1."""
    these = sled("lagrange")
    assert these.kinematics == sp.eye(5)
    assert vanishes(these.mass - lagrange.mass())
    assert vanishes(these.velocity_force - lagrange.bias(p))
    assert not any(sp.flatten(these.structure_constants))


# Kinetic energy


def phi(r):
    """(E 43)."""
    return sp.Matrix.vstack(sp.eye(3).row_join(sp.zeros(3)), (-skew(r)).row_join(sp.eye(3)))


def test_the_velocity_of_another_point_of_a_body(equations):
    """(E 42), (E 43)."""
    r = (1, -2, 3)
    J = equations.jacobian("pole", axes="body")
    assert vanishes(equations.jacobian("pole", at=r, axes="body") - phi(r) * J)
    assert not vanishes(equations.jacobian("pole", at=r, axes="body") - phi([-x for x in r]) * J)


def test_spatial_inertia_has_the_vector_from_the_origin_to_the_centre_of_mass(equations):
    """(E 48); its text has a from the centre of mass to the origin."""
    for k, (m, com, inertia) in enumerate((SLED, POLE)):
        found = equations.operators.inertia[6 * k : 6 * k + 6, 6 * k : 6 * k + 6]
        a, at_com = sp.Matrix(com), sp.diag(inertia, m * sp.eye(3))
        assert vanishes(phi(a).T * at_com * phi(a) - found)
        assert vanishes(found[:3, 3:] - m * skew(a))
        assert not vanishes(phi(-a).T * at_com * phi(-a) - found)


def chain():
    """Three bodies, with joints of two, one and two columns."""
    model = ls.Model("chain")
    joints = [compound(TURN_Y, SLIDE_X), ls.Revolute("z"), simple(TURN_X, SLIDE_X)]
    for k, joint in enumerate(joints):
        body = ls.RigidBody(k + 1, (k, 1, 0), np.diag([2, 2, 2 + k]))
        on = {} if k == 0 else {"to": f"b{k - 1}", "at": (1, k, 2)}
        model.add(body, joint, name=f"b{k}", **on)
    return ls.symbolic.derive(model)


def test_velocities_of_a_chain_body_by_body():
    """Phi from the joints' configurations, the bodies' velocities from their poses.

    (E 44), (E 45), (E 46), (E 47), (E 48), (E 49), (E 50), (E 51).
    """
    these = chain()
    step = []
    for k in (1, 2):
        X = these.joint_configuration(f"b{k}")
        L, r = X[:3, :3].T, sp.Matrix((1, k, 2)) + X[:3, 3]  # to the origin, wherever it slid to
        step.append(sp.diag(L, L) * phi(r))  # (E 46)
    Phi = sp.eye(18)
    Phi[6:12, :6], Phi[12:, 6:12], Phi[12:, :6] = step[0], step[1], step[1] * step[0]  # (E 51)
    assert vanishes(these.operators.Phi - Phi)
    rates = these.kinematics * sp.Matrix(these.speeds)
    V = these.operators.Phi * these.operators.H * sp.Matrix(these.speeds)  # (E 50)
    for k in range(3):
        X = these.pose(f"b{k}")
        X_dot = sum(
            (X.diff(x) * rate for x, rate in zip(these.coordinates, rates, strict=True)),
            sp.zeros(4),
        )
        assert vanishes(vee(inverse(X) * X_dot) - V[6 * k : 6 * k + 6, :])
        assert vanishes(inverse(X) * X_dot - hat(V[6 * k : 6 * k + 6, :]))


def test_mass_matrix_of_a_chain_is_h_phi_m_phi_h(equations, lagrange):
    """(E 52a), (E 52b), and the kinetic energy from poses."""
    for these in (equations, chain()):
        op = these.operators
        M = op.H.T * op.Phi.T * op.inertia * op.Phi * op.H
        assert vanishes(M - these.mass)
        speeds = sp.Matrix(these.speeds)
        assert vanishes((speeds.T * M * speeds)[0] / 2 - these.kinetic)
    V = equations.kinematics
    assert vanishes(V.T * lagrange.mass() * V - equations.mass)


# C


def printed_c(equations):
    """(E 53b) as it is printed."""
    V, M = equations.kinematics, equations.mass
    speeds = sp.Matrix(equations.speeds)
    coordinates = sp.Matrix(equations.coordinates)
    slope = (M * speeds).jacobian(coordinates) * V
    turning = sp.zeros(len(speeds))
    for j in range(len(speeds)):
        X_j = sp.Matrix.hstack(*(bracket(V[:, j], v, coordinates) for v in fields(V)))
        turning += speeds[j] * X_j.T
    return -slope + slope.T / 2 + turning * V.inv().T * M


@pytest.mark.parametrize("name", ["sled", "simple disk", "compound disk"])
def test_c_of_53b_has_all_its_signs_reversed(equations, name):
    axes = TURN_X, TURN_Y, TURN_Z
    these = {
        "sled": lambda: equations,
        "simple disk": lambda: disk(simple(*axes)),
        "compound disk": lambda: disk(compound(*axes)),
    }[name]()
    C, speeds = printed_c(these), sp.Matrix(these.speeds)
    assert vanishes(C + these.poincare_coriolis)
    assert vanishes(these.poincare_coriolis * speeds - these.velocity_force)
    assert vanishes(these.coriolis * speeds - these.velocity_force)
    assert not vanishes(C * speeds - these.velocity_force)


# The thin disk


def euler(omega, rates):
    """Euler's equations of the disk."""
    inertia = sp.diag(5, 5, 10)
    return inertia * rates + omega.cross(inertia * omega)


def test_thin_disk_on_a_simple_joint():
    """(E 54a), (E 54b); X is (E 35b), where the text says (E 55b)."""
    these = disk(simple(TURN_X, TURN_Y, TURN_Z))
    assert vanishes(these.joint_configuration("disk") - pose(ROTATION))
    assert vanishes(these.kinematics - GAMMA)
    assert these.mass == sp.diag(5, 5, 10)
    omega, rates = sp.Matrix(w), sp.Matrix(p_dot[:3])
    assert vanishes(these.mass * rates + these.velocity_force - euler(omega, rates))
    assert vanishes(these.velocity_force + FORCE_SIMPLE)  # printed with the sign of (E 53b)
    assert not vanishes(these.velocity_force - FORCE_SIMPLE)


def test_thin_disk_on_a_compound_joint():
    """(E 55a), (E 55b), against Euler's equations in rates of the angles and Lagrange's."""
    these = disk(compound(TURN_X, TURN_Y, TURN_Z))
    assert vanishes(these.joint_configuration("disk") - pose(ROTATION))
    assert these.kinematics == sp.eye(3)
    assert vanishes(these.mass - mass_compound(5 * sp.sin(t2) ** 2))
    assert not vanishes(these.mass - mass_compound(5 * sp.sin(t2)))
    assert vanishes(these.velocity_force + FORCE_COMPOUND)
    for ours, printed in zip(these.velocity_force, FORCE_COMPOUND, strict=True):
        assert not vanishes(ours - printed)
    own = Lagrange([pose(ROTATION)], [pseudo_inertia(5, (0, 0, 0), sp.diag(5, 5, 10))], t)
    assert vanishes(these.mass - own.mass())
    assert vanishes(these.velocity_force - own.bias(w))


def test_mass_matrices_of_the_two_disks_belong_to_one_kinetic_energy():
    """The remark on Poincare versus Lagrange: V^-T M V^-1."""
    axes = TURN_X, TURN_Y, TURN_Z
    V_inverse = disk(simple(*axes)).kinematics.inv()
    mass = V_inverse.T * disk(simple(*axes)).mass * V_inverse
    assert vanishes(mass - disk(compound(*axes)).mass)


def test_only_the_compound_disk_has_equations_that_depend_on_its_angles():
    axes = TURN_X, TURN_Y, TURN_Z
    simple_disk, compound_disk = disk(simple(*axes)), disk(compound(*axes))
    for quantity in ("mass", "bias"):
        used = {s for names in simple_disk.dependence(quantity).values() for s in names}
        assert not used & set(t)
        used = {s for names in compound_disk.dependence(quantity).values() for s in names}
        assert used & set(t) == set(t[:2])
