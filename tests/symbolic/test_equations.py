"""Equations of small mechanisms as textbooks have them, and what is read off them."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from sympy.physics.mechanics import dynamicsymbols

import lissom as ls
from lissom.symbolic import derive

m1, m2, l1, l2, c1, c2, I1, I2, g = sympy.symbols("m1 m2 l1 l2 c1 c2 I1 I2 g", positive=True)


def two_links():
    model = ls.Model("arm", gravity=(0, -g, 0))
    model.add(ls.RigidBody(m1, (c1, 0, 0), (0, 0, I1)), ls.Revolute("z"), name="upper")
    model.add(
        ls.RigidBody(m2, (c2, 0, 0), (0, 0, I2)),
        ls.Revolute("z"),
        to="upper",
        at=(l1, 0, 0),
        name="lower",
    )
    return derive(model, coordinates="a b", speeds="u w")


def zero(expression):
    return sympy.simplify(expression) == sympy.zeros(*getattr(expression, "shape", (0, 0)))


def test_two_link_arm_is_the_textbook_s():
    equations = two_links()
    (a, b), (u, w) = equations.coordinates, equations.speeds
    shared = I2 + m2 * c2**2 + m2 * l1 * c2 * sympy.cos(b)
    expected = sympy.Matrix(
        [
            [
                I1 + I2 + m1 * c1**2 + m2 * (l1**2 + c2**2 + 2 * l1 * c2 * sympy.cos(b)),
                shared,
            ],
            [shared, I2 + m2 * c2**2],
        ]
    )
    assert zero(equations.mass - expected)
    h = -m2 * l1 * c2 * sympy.sin(b)
    assert zero(equations.coriolis - sympy.Matrix([[h * w, h * (u + w)], [-h * u, 0]]))
    outer = m2 * g * c2 * sympy.cos(a + b)
    weight = sympy.Matrix([(m1 * c1 + m2 * l1) * g * sympy.cos(a) + outer, outer])
    assert zero(equations.force - weight)
    assert zero(sympy.Matrix([equations.potential]).jacobian([a, b]).T - weight)
    assert equations.kinematics == sympy.eye(2)


def test_expressions_are_as_short_as_by_hand():
    equations = two_links()
    assert equations.mass[0, 1] == I2 + c2**2 * m2 + c2 * l1 * m2 * sympy.cos(
        sympy.Symbol("b", real=True)
    )
    assert sympy.count_ops(equations.potential) <= 13
    assert sympy.cos(sum(equations.coordinates)) in equations.force.atoms(sympy.cos)


def lagrange(model_energy, coordinates):
    """Lagrange's equations by SymPy: mass matrix and all other forces."""
    kinetic, potential, q = model_energy
    t = dynamicsymbols._t
    rates = [x.diff(t) for x in q]
    L = kinetic - potential
    rows = [L.diff(r).diff(t) - L.diff(x) for x, r in zip(q, rates, strict=True)]
    names = dict(zip(rates, coordinates[1], strict=True))
    accelerations = [x.diff(t, 2) for x in q]
    rows = [sympy.expand(row) for row in rows]
    mass = sympy.Matrix([[row.coeff(x) for x in accelerations] for row in rows])
    rest = sympy.Matrix([row.subs(dict.fromkeys(accelerations, 0)) for row in rows])
    plain = dict(zip(q, coordinates[0], strict=True))
    return mass.subs(names).subs(plain), rest.subs(names).subs(plain)


def test_pendulum_on_a_cart_is_lagrange_s():
    M, m, L, J = sympy.symbols("M m l J", positive=True)
    model = ls.Model("cart", gravity=(0, 0, -g))
    model.add(ls.RigidBody(M), ls.Prismatic("x"), name="cart")
    model.add(ls.RigidBody(m, (0, 0, L), (0, J, 0)), ls.Revolute("y"), to="cart", name="pole")
    equations = derive(model)
    x, theta = dynamicsymbols("x theta")
    t = dynamicsymbols._t
    r = sympy.Matrix([x + L * sympy.sin(theta), L * sympy.cos(theta)])
    rate = r.diff(t)
    kinetic = (M * x.diff(t) ** 2 + m * rate.dot(rate) + J * theta.diff(t) ** 2) / 2
    mass, rest = lagrange(
        (kinetic, m * g * r[1], [x, theta]), (equations.coordinates, equations.speeds)
    )
    assert zero(equations.mass - mass)
    assert zero(equations.bias - rest)
    assert equations.ignorable == (equations.coordinates[0],)
    momentum = equations.conserved_momenta[equations.coordinates[0]]
    v, w = equations.speeds
    assert (
        sympy.simplify(momentum - (M + m) * v - m * L * sympy.cos(equations.coordinates[1]) * w)
        == 0
    )


def test_satellite_keeps_its_linear_momentum_in_the_world():
    M, m, L = sympy.symbols("M m l", positive=True)
    model = ls.Model("satellite")
    model.add(
        ls.RigidBody(M, (0, 0, 0), sympy.symbols("A B C", positive=True)), ls.Free(), name="hub"
    )
    model.add(ls.RigidBody(m, (L, 0, 0), 0), ls.Revolute("z"), to="hub", name="arm")
    equations = derive(model)
    assert equations.ignorable == equations.coordinates[4:7]
    values = {"M": 3.0, "m": 0.5, "l": 1.2, "A": 1.0, "B": 1.3, "C": 1.7}
    system = model.compile(values={sympy.Symbol(k, positive=True): x for k, x in values.items()})
    rng = np.random.default_rng(3)
    q = rng.normal(size=system.n_q)
    q[:4] /= np.linalg.norm(q[:4])
    state = system.state(q, rng.normal(size=system.n_v))
    numbers = dict(
        zip((*equations.coordinates, *equations.speeds), [*state.q, *state.v], strict=True)
    )
    numbers |= {p: values[p.name] for p in equations.parameters}
    found = [float(x.subs(numbers)) for x in equations.conserved_momenta.values()]
    np.testing.assert_allclose(found, ls.momentum(system, state)[3:], rtol=1e-12)


def test_entries_depend_on_the_coordinates_that_they_do_depend_on():
    equations = two_links()
    a, b = equations.coordinates
    assert equations.dependence("mass") == {(0, 0): (b,), (0, 1): (b,), (1, 0): (b,), (1, 1): ()}
    assert equations.dependence("force") == {(0,): (a, b), (1,): (a, b)}
    assert equations.ignorable == ()
    with pytest.raises(ls.SymbolicError, match="'mass'"):
        equations.dependence("mas")


def test_linear_equations_about_the_hanging_position():
    equations = two_links()
    linear = equations.linearize({"a": -sympy.pi / 2, "b": 0})
    K = linear.stiffness
    assert zero(linear.force)
    outer = m2 * g * c2
    assert zero(K - sympy.Matrix([[(m1 * c1 + m2 * l1) * g + outer, outer], [outer, outer]]))
    n = dict.fromkeys((m1, m2, l1, l2, c1, c2), 1.0) | {I1: 0.1, I2: 0.1, g: 9.81}
    A = np.array(linear.A.subs(n), dtype=float)
    frequencies = np.sort(np.abs(np.linalg.eigvals(A).imag))[[0, 2]]
    M, stiff = (np.array(x.subs(n), dtype=float) for x in (linear.mass, K))
    np.testing.assert_allclose(
        frequencies**2, np.sort(np.linalg.eigvals(np.linalg.solve(M, stiff)))
    )
    assert linear.B.shape == (4, 2)


def test_lagrange_s_form_takes_rates_for_speeds():
    model = ls.Model("top", gravity=(0, 0, -g))
    model.add(
        ls.RigidBody(m1, (0, 0, c1), (I1, I1, I2)), ls.SimpleJoint(np.eye(6)[:, :3]), name="top"
    )
    names = "x y z"
    rates = derive(model, form="lagrange", coordinates=names)
    quasi = derive(model, coordinates=names)
    assert rates.kinematics == sympy.eye(3)
    V = quasi.kinematics
    W = V.inv()
    assert zero(rates.mass - W.T * quasi.mass * W)
    assert rates.is_skew() and quasi.is_skew()
    assert zero(rates.poincare_coriolis * sympy.Matrix(rates.speeds) - rates.velocity_force)
    assert zero(quasi.poincare_coriolis * sympy.Matrix(quasi.speeds) - quasi.velocity_force)
    with pytest.raises(ls.SymbolicError, match="quaternion"):
        ball = ls.Model("ball")
        ball.add(ls.RigidBody(1, (0, 0, 0), 1), ls.Spherical(), name="ball")
        derive(ball, form="lagrange")


def test_skew_symmetry_is_lost_at_level_linear_and_kept_at_full():
    boom = ls.beam(1.0, ls.Tube(0.02, 0.001), ls.ALUMINIUM, bending=1, torsion=0, stretch=0)
    model = ls.Model("boom")
    model.add(boom, ls.Revolute("z"), name="boom")
    model.add(ls.RigidBody(1.0, (0.1, 0, 0), 0.01), ls.Revolute("y"), to="boom.tip", name="load")
    assert not derive(model, level="linear").is_skew()


def test_flexible_body_with_symbols_in_closed_form():
    """One mode that moves the tip across; what the tip's mass does is written down by hand."""
    m, k, L = sympy.symbols("m k L", positive=True)
    shapes = np.zeros((2, 6, 1), dtype=object)
    shapes[1, 4, 0] = 1
    body = ls.FlexibleBody([[0, 0, 0], [L, 0, 0]], [0, m], shapes, [[k]], names={"tip": 1})
    model = ls.Model("arm", gravity=(0, -g, 0))
    model.add(body, ls.Revolute("z"), name="arm")
    equations = derive(model, level="full", coordinates="e q", speeds="d w")
    (e, q), (d, w) = equations.coordinates, equations.speeds
    x = e / sympy.sqrt(m)  # the tip's deflection
    assert zero(
        equations.mass
        - sympy.Matrix([[1, L * sympy.sqrt(m)], [L * sympy.sqrt(m), m * (L**2 + x**2)]])
    )
    assert zero(equations.velocity_force - sympy.Matrix([-e * w**2, 2 * e * d * w]))
    height = L * sympy.sin(q) + x * sympy.cos(q)
    potential = m * g * height + k * x**2 / 2
    assert sympy.simplify(equations.potential - potential) == 0
    assert zero(equations.force - sympy.Matrix([potential.diff(e), potential.diff(q)]))
    assert equations.is_skew()


def test_pose_and_jacobian_of_points():
    equations = two_links()
    a, b = equations.coordinates
    X = equations.pose("lower", at=(l2, 0, 0))
    tip = sympy.Matrix(
        [l1 * sympy.cos(a) + l2 * sympy.cos(a + b), l1 * sympy.sin(a) + l2 * sympy.sin(a + b), 0]
    )
    assert zero(X[:3, 3] - tip)
    J = equations.jacobian("lower", at=(l2, 0, 0))
    assert zero(J[3:, :] - tip.jacobian([a, b]))
    assert zero(J[:3, :] - sympy.Matrix([[0, 0], [0, 0], [1, 1]]))
    own = equations.jacobian("lower", at=(l2, 0, 0), axes="body")
    assert zero(X[:3, :3] * own[3:, :] - J[3:, :])


def test_operators_factor_the_mass_matrix():
    equations = two_links()
    Phi, H, inertia = (getattr(equations.operators, x) for x in ("Phi", "H", "inertia"))
    assert zero(H.T * Phi.T * inertia * Phi * H - equations.mass)


def test_simplify_gives_the_same():
    model = ls.Model("pendulum", gravity=(0, 0, -g))
    model.add(ls.RigidBody(m1, (l1, 0, 0)), ls.Revolute("y"), name="rod")
    assert derive(model, simplify=True).force == derive(model).force


def test_staged_equations_are_the_equations():
    equations = two_links()
    staged = equations.staged("mass", "bias", "coriolis")
    for name, expected in (("mass", equations.mass), ("bias", equations.bias)):
        found = staged.results[name]
        for symbol, expression in reversed(staged.assignments):
            found = found.subs(symbol, expression)
        assert zero(found - expected)
    assert staged.operations < 80


def test_map_with_symbols_that_is_nonholonomic_is_refused_by_the_body_s_name():
    """A universal joint as one map, with a screw: its bracket turns about the third axis."""
    s = sympy.Symbol("s")
    H = np.array([[0, 1], [0, 0], [1, 0], [0, s], [0, 0], [0, 0]], dtype=object)
    model = ls.Model("wrist")
    model.add(ls.RigidBody(1, (0, 0, 0), 1), ls.SimpleJoint(H), name="hand")
    with pytest.raises(ls.SymbolicError, match="'hand'.*nonholonomic.*CompoundJoint"):
        derive(model)
    model = ls.Model("wrist")
    model.add(ls.RigidBody(1, (0, 0, 0), 1), ls.CompoundJoint(list(H.T)), name="hand")
    assert derive(model).kinematics == sympy.eye(2)


def test_screw_and_slide_with_symbols_share_an_axis():
    s = sympy.Symbol("s")
    H = np.array([[0, 0], [0, 0], [1, 0], [0, 0], [0, 0], [s, 1]], dtype=object)
    model = ls.Model("spindle")
    model.add(ls.RigidBody(m1, (0, 0, 0), (0, 0, I1)), ls.SimpleJoint(H), name="nut")
    equations = derive(model, coordinates="a z")
    a, z = equations.coordinates
    assert equations.pose("nut")[2, 3] == s * a + z
    assert zero(equations.mass - sympy.Matrix([[I1 + m1 * s**2, m1 * s], [m1 * s, m1]]))
