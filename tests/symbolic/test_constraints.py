"""Loops, couplings and constraints by formula: against trees, SymPy's Kane and known solutions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate
import sympy
from sympy.physics import mechanics as me

import lissom as ls
from lissom.symbolic import derive
from tests.samples.symbolic_models import SKEW

TURN_Y = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
OFFSET_TURN = np.array([0, 0.6, 0.8, 0.2, 0.1, 0])

JOINTS = {
    "fixed": ls.Fixed(),
    "revolute": ls.Revolute((2, -1, 2)),
    "prismatic": ls.Prismatic((1, 2, 2)),
    "cylindrical": ls.Cylindrical("y"),
    "screw": ls.Screw("x", 0.3),
    "universal": ls.Universal("x", (0, 1, 2)),
    "planar": ls.Planar((0, 3, 4)),
    "spherical": ls.Spherical(),
    "simple": ls.SimpleJoint(OFFSET_TURN),
}


def carrier(name, joint):
    """A turning arm, and a body on a joint at its tip; or a free body closed by that joint."""
    model = ls.Model(name, gravity=(0.3, -0.2, -9.81))
    arm = ls.RigidBody.box(2.0, (1.0, 0.2, 0.1), com=(0.5, 0, 0))
    body = ls.RigidBody(1.5, (0.1, 0.2, -0.1), (0.2, 0.3, 0.25))
    model.add(arm, ls.Universal("z", "x"), name="arm")
    if joint is None:
        model.add(body, ls.Free(), name="body")
    else:
        model.add(body, joint, to="arm", at=(1.0, 0.1, 0), rotation=SKEW, name="body")
    return model


@pytest.mark.parametrize("name", JOINTS)
def test_a_free_body_closed_by_a_joint_moves_as_the_body_that_the_joint_carries(name):
    tree = carrier("tree", JOINTS[name]).compile()
    model = carrier("closed", None)
    model.close(JOINTS[name], "arm", "body", at_a=(1.0, 0.1, 0), rotation_a=SKEW, name="lock")
    equations = derive(model)
    functions = equations.lambdify()
    assert len(equations.constraints) == 6 - JOINTS[name].n_v
    assert set(equations.constraints.sources) == {"lock"}
    rng = np.random.default_rng(4)
    q = rng.uniform(-0.9, 0.9, tree.n_q)
    if name == "spherical":
        q[2:] /= np.linalg.norm(q[2:])
    state = tree.state(q, rng.uniform(-1, 1, tree.n_v))
    pose, V = ls.pose(tree, state, "body"), ls.velocity(tree, state, "body")
    closed = model.compile()
    free = closed.state(arm=q[:2], body=ls.Free().nearest(pose.rotation, pose.position))
    v = np.concatenate([state.v[:2], pose.rotation.T @ V[:3], pose.rotation.T @ V[3:]])
    f = rng.uniform(-1, 1, 2)
    expected = ls.forward_dynamics(tree, state, np.concatenate([f, np.zeros(tree.n_v - 2)]))
    forces = np.concatenate([f, np.zeros(6)])
    found = functions.forward_dynamics(free.q, v, forces)
    np.testing.assert_allclose(found[:2], expected[:2], rtol=1e-10, atol=1e-10)
    A = functions.constraint_jacobian(free.q)
    assert np.abs(A @ v).max() < 1e-12
    if name not in ("screw", "simple"):
        assert np.abs(functions.closure(free.q)).max() < 1e-12
    left = functions.mass(free.q) @ found + functions.bias(free.q, v) - forces
    lam = functions.multipliers(free.q, v, forces)
    np.testing.assert_allclose(left, A.T @ lam, atol=1e-9)
    u = v[[equations.speeds.index(s) for s in equations.constraints.projected.independent]]
    np.testing.assert_allclose(functions.speeds(free.q, u), v, atol=1e-10)
    reduced = functions.reduced_dynamics(free.q, u, forces)
    kept = [equations.speeds.index(s) for s in equations.constraints.projected.independent]
    np.testing.assert_allclose(reduced, found[kept], rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", [n for n in JOINTS if n not in ("screw", "simple")])
def test_rates_of_the_closure_are_the_rows_where_it_is_closed(name):
    model = carrier("closed", None)
    model.close(JOINTS[name], "arm", "body", at_a=(1.0, 0.1, 0), rotation_a=SKEW, name="lock")
    functions = derive(model).lambdify(functions=["closure", "constraint_jacobian"])
    tree = carrier("tree", JOINTS[name]).compile()
    state = tree.neutral().replace(q=tree.neutral().q + np.eye(tree.n_q)[0] * 0.4)
    pose = ls.pose(tree, state, "body")
    system = model.compile()
    free = ls.Free().nearest(pose.rotation, pose.position)
    at = system.state(arm=state.q[:2], body=free)
    h, v = 1e-6, np.random.default_rng(1).uniform(-1, 1, system.n_v)
    ends = []
    for s in (h, -h):
        moved = [at.q[:2] + s * v[:2], ls.Free().moved(at.q[2:], s * v[2:])]
        ends.append(functions.closure(np.concatenate(moved)))
    rate = (ends[0] - ends[1]) / (2 * h)
    np.testing.assert_allclose(functions.constraint_jacobian(at.q) @ v, rate, atol=1e-8)


a, b, c, d, g, m = sympy.symbols("a b c d g m", positive=True)


def four_bar():
    model = ls.Model("four bar", gravity=(0, 0, -g))
    rods = {"crank": a, "coupler": b, "rocker": c}
    bodies = {k: ls.RigidBody.rod(m, x, com=(x / 2, 0, 0)) for k, x in rods.items()}
    model.add(bodies["crank"], ls.Revolute("y"), name="crank")
    model.add(bodies["coupler"], ls.Revolute("y"), to="crank", at=(a, 0, 0), name="coupler")
    model.add(bodies["rocker"], ls.Revolute("y"), at=(d, 0, 0), name="rocker")
    model.close(ls.Revolute("y"), "coupler", "rocker", at_a=(b, 0, 0), at_b=(c, 0, 0), name="pin")
    return model


NUMBERS = {"a": 1.0, "b": 2.5, "c": 2.0, "d": 3.0, "g": 9.81, "m": 1.5}


def kane_of_four_bar():
    """Accelerations of the three joints by SymPy's Kane with constraints, at q and u."""
    q, u = me.dynamicsymbols("q1:4"), me.dynamicsymbols("u1:4")
    t = me.dynamicsymbols._t
    N, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(N, 0)
    A = N.orientnew("A", "Axis", [q[0], N.y])
    B = A.orientnew("B", "Axis", [q[1], A.y])
    C = N.orientnew("C", "Axis", [q[2], N.y])
    joint, base = origin.locatenew("joint", a * A.x), origin.locatenew("base", d * N.x)
    base.set_vel(N, 0)
    rates = dict(zip([x.diff(t) for x in q], u, strict=True))
    bodies, loads = [], []
    for frame, start, length in ((A, origin, a), (B, joint, b), (C, base, c)):
        centre = start.locatenew("centre", length / 2 * frame.x)
        centre.set_vel(N, centre.pos_from(origin).dt(N).subs(rates))
        frame.set_ang_vel(N, frame.ang_vel_in(N).subs(rates))
        J = m * length**2 / 12
        inertia = (me.inertia(frame, 0, J, J), centre)
        bodies.append(me.RigidBody("body", centre, frame, m, inertia))
        loads.append((centre, -m * g * N.z))
    gap = (a * A.x + b * B.x - d * N.x - c * C.x).to_matrix(N)
    closure = [gap[0], gap[2]]
    kane = me.KanesMethod(
        N,
        q_ind=[q[0]],
        u_ind=[u[0]],
        kd_eqs=[x.diff(t) - y for x, y in zip(q, u, strict=True)],
        q_dependent=q[1:],
        configuration_constraints=closure,
        u_dependent=u[1:],
        velocity_constraints=[x.diff(t).subs(rates) for x in closure],
    )
    kane.kanes_equations(bodies, loads)
    numbers = [sympy.Symbol(name, positive=True) for name in NUMBERS]
    return sympy.lambdify([q, u, numbers], [kane.mass_matrix, kane.forcing])


def test_four_bar_is_that_of_kane_and_reads_like_a_textbook():
    model = four_bar()
    equations = derive(model)
    q1, q2, q3 = equations.coordinates
    closed = [
        a * sympy.cos(q1) + b * sympy.cos(q1 + q2) - d - c * sympy.cos(q3),
        a * sympy.sin(q1) + b * sympy.sin(q1 + q2) - c * sympy.sin(q3),
    ]
    gaps = equations.constraints.closure
    assert sympy.simplify(gaps[0] + closed[0]) == 0 == sympy.simplify(gaps[1] - closed[1])
    assert equations.constraints.multipliers == sympy.symbols("lambda_pin_1:3", real=True)
    ratio = equations.constraints.projected.map[2]
    expected = a * sympy.sin(q2) / (c * sympy.sin(q1 + q2 - q3))
    assert sympy.simplify(ratio - expected) == 0
    system = model.compile(values={sympy.Symbol(k, positive=True): x for k, x in NUMBERS.items()})
    state = ls.assemble(system, system.state(q=[0.9, -0.5, 1.0], v=[1.3, 0, 0]))
    M, F = kane_of_four_bar()(state.q, state.v, list(NUMBERS.values()))
    kane = np.linalg.solve(M, F).ravel()
    functions = equations.lambdify(values=NUMBERS)
    none = np.zeros(3)
    np.testing.assert_allclose(functions.forward_dynamics(state.q, state.v, none), kane, rtol=1e-9)
    reduced = functions.reduced_dynamics(state.q, state.v[:1], none)
    np.testing.assert_allclose(reduced, kane[:1], rtol=1e-9)


def test_augmented_equations_are_solved_by_accelerations_and_multipliers():
    equations = derive(four_bar())
    functions = equations.lambdify(values=NUMBERS)
    augmented = equations.constraints.augmented
    names = [*equations.coordinates, *equations.speeds, *equations.parameters]
    matrix, right = (sympy.lambdify(names, x) for x in (augmented.matrix, augmented.right))
    q, v = np.array([0.4, 0.3, 1.1]), np.array([0.7, -0.2, 0.5])
    at = [*q, *v, *(NUMBERS[s.name] for s in equations.parameters)]
    forces = np.array([0.3, -0.1, 0.2])
    solved = np.linalg.solve(matrix(*at), right(*at).ravel() + np.append(forces, [0, 0]))
    np.testing.assert_allclose(functions.forward_dynamics(q, v, forces), solved[:3], rtol=1e-10)
    np.testing.assert_allclose(functions.multipliers(q, v, forces), solved[3:], rtol=1e-10)


def test_independent_speeds_may_be_chosen():
    equations = derive(four_bar(), independent="v_rocker")
    assert [str(s) for s in equations.constraints.projected.independent] == ["v_rocker"]
    for given, words in (
        ("v_crnk", "no speed 'v_crnk'.*'v_crank'"),
        ("v_crank v_rocker", "with 2 constraints, do not determine the others; give 1"),
    ):
        with pytest.raises(ls.SymbolicError, match=words):
            derive(four_bar(), independent=given)


def test_structure_without_motion_keeps_its_rows():
    """A triangle of two rods: lengths of zero, which close it too, are no way to judge it."""
    model = ls.Model("triangle")
    model.add(ls.RigidBody(m, (a, 0, 0)), ls.Revolute("y"), name="upper")
    model.add(ls.RigidBody(m, (b, 0, 0)), ls.Revolute("y"), to="upper", at=(a, 0, 0), name="lower")
    model.close(ls.Revolute("y"), "lower", None, at_a=(b, 0, 0), at_b=(c, 0, 0), name="pin")
    equations = derive(model)
    assert len(equations.constraints) == 2 and equations.constraints.projected.independent == ()
    assert "speeds" not in equations.functions and "multipliers" in equations.functions


def test_gear_with_symbols():
    """Two rotors with a ratio n: the first feels J1 + n^2 J2."""
    J1, J2, n, c0 = sympy.symbols("J1 J2 n c0", positive=True)
    model = ls.Model("gear")
    for name, J in (("left", J1), ("right", J2)):
        model.add(ls.RigidBody(0, inertia=(0, 0, J)), ls.Revolute("z"), name=name)
    model.couple({"right": 1, "left": -n}, offset=c0, name="gear")
    equations = derive(model)
    constraints = equations.constraints
    assert constraints.jacobian == sympy.ImmutableDenseMatrix([[-n, 1]])
    left, right = equations.coordinates
    assert sympy.simplify(constraints.closure[0] - (right - n * left - c0)) == 0
    assert sympy.simplify(constraints.projected.mass[0] - (J1 + n**2 * J2)) == 0


def test_bodies_without_mass_are_held_by_the_constraints():
    """A slider-crank whose rod has no mass: that of a piston on a prescribed triangle."""
    r, rod, J, M = sympy.symbols("r l J M", positive=True)
    model = ls.Model("engine")
    model.add(ls.RigidBody(0, inertia=(0, J, 0)), ls.Revolute("y"), name="crank")
    model.add(ls.RigidBody(0), ls.Revolute("y"), to="crank", at=(r, 0, 0), name="rod")
    model.add(ls.RigidBody(M), ls.Prismatic("x"), name="piston")
    model.close(ls.Revolute("y"), "rod", "piston", at_a=(rod, 0, 0), name="pin")
    functions = derive(model).lambdify(values={"r": 0.5, "l": 2.0, "J": 0.3, "M": 1.2})
    theta, omega = 0.7, 1.9
    lean = np.arcsin(0.5 * np.sin(theta) / 2.0)
    q = [theta, -theta - lean, 0.5 * np.cos(theta) + 2.0 * np.cos(lean)]
    v = functions.speeds(q, [omega])

    def place(x):
        return 0.5 * np.cos(x) + np.sqrt(4.0 - 0.25 * np.sin(x) ** 2)

    h = 1e-4
    slope = (place(theta + h) - place(theta - h)) / (2 * h)
    bend = (place(theta + h) - 2 * place(theta) + place(theta - h)) / h**2
    expected = (0.8 - 1.2 * slope * bend * omega**2) / (0.3 + 1.2 * slope**2)
    found = functions.forward_dynamics(q, v, [0.8, 0, 0])
    assert np.isclose(v[2], slope * omega, rtol=1e-7)
    assert np.isclose(found[0], expected, rtol=1e-6)
    lam = functions.multipliers(q, v, [0.8, 0, 0])
    assert np.isclose(abs(lam[0]), abs(1.2 * found[2]), rtol=1e-9)


# Rolling


def rolling_disk():
    """A disk in the frame of its centre: slides x, y, z, then yaw about z, lean about x, spin y."""
    r = sympy.Symbol("r", positive=True)
    unit = np.eye(6)
    J = m * r**2 / 4
    model = ls.Model("disk", gravity=(0, 0, -g))
    joint = ls.CompoundJoint([unit[k] for k in (1, 0, 2, 5, 4, 3)])
    model.add(ls.RigidBody(m, inertia=(J, 2 * J, J)), joint, name="disk")
    names = {
        "coordinates": "spin lean yaw z y x",
        "speeds": "v_spin v_lean v_yaw v_z v_y v_x",
    }
    free = derive(model, **names)
    yaw, lean = (sympy.Symbol(x, real=True) for x in ("yaw", "lean"))
    V = free.jacobian("disk") * sympy.Matrix(free.speeds)
    up = [sympy.sin(yaw) * sympy.sin(lean), -sympy.cos(yaw) * sympy.sin(lean), sympy.cos(lean)]
    contact = V[3:, 0] + sympy.Matrix(V[:3]).cross(-r * sympy.Matrix(up))
    return derive(model, constraints=list(contact), **names)


def kane_of_rolling_disk():
    """The rolling disk of SymPy's documentation; its speeds here are rates of the angles."""
    q, u = me.dynamicsymbols("q1:4"), me.dynamicsymbols("u1:4")
    t, r = me.dynamicsymbols._t, sympy.Symbol("r", positive=True)
    N = me.ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [q[0], N.z])
    L = Y.orientnew("L", "Axis", [q[1], Y.x])
    R = L.orientnew("R", "Axis", [q[2], L.y])
    rates = dict(zip([x.diff(t) for x in q], u, strict=True))
    for frame in (Y, L, R):
        frame.set_ang_vel(N, frame.ang_vel_in(N).subs(rates))
    C = me.Point("C")
    C.set_vel(N, 0)
    centre = C.locatenew("centre", r * L.z)
    centre.v2pt_theory(C, N, R)
    inertia = me.inertia(L, m / 4 * r**2, m / 2 * r**2, m / 4 * r**2)
    body = me.RigidBody("disk", centre, R, m, (inertia, centre))
    kd = [x.diff(t) - y for x, y in zip(q, u, strict=True)]
    kane = me.KanesMethod(N, q_ind=q, u_ind=u, kd_eqs=kd)
    kane.kanes_equations([body], [(centre, -m * g * Y.z)])
    return sympy.lambdify([q, u, m, g, r], [kane.mass_matrix, kane.forcing])


def test_rolling_disk_is_that_of_kane():
    equations = rolling_disk()
    assert len(equations.constraints) == 3
    values = {"m": 1.3, "g": 9.81, "r": 0.4}
    functions = equations.lambdify(values=values, functions=["forward_dynamics", "speeds"])
    yaw, lean, spin = 0.3, 0.4, 1.1
    u = np.array([0.8, -0.5, 2.1])  # of yaw, lean and spin
    M, F = kane_of_rolling_disk()([yaw, lean, spin], u, *values.values())
    expected = np.linalg.solve(M, F).ravel()
    q = [spin, lean, yaw, 0.4 * np.cos(lean), 0.0, 0.0]
    v = functions.speeds(q, u[::-1])
    assert np.isclose(v[3], -0.4 * np.sin(lean) * u[1])  # the centre stays above its contact
    found = functions.forward_dynamics(q, v, np.zeros(6))
    np.testing.assert_allclose(found[:3][::-1], expected, rtol=1e-10)


def sleigh():
    """Chaplygin's: a blade at the origin of a body whose mass is in front of it."""
    arm, J = sympy.symbols("l J", positive=True)
    theta, vx, vy = (sympy.Symbol(x, real=True) for x in ("theta", "v_x", "v_y"))
    model = ls.Model("sleigh")
    model.add(ls.RigidBody(m, (arm, 0, 0), (0, 0, J)), ls.Planar("z"), name="body")
    across = -sympy.sin(theta) * vx + sympy.cos(theta) * vy
    names = {"coordinates": "x y theta", "speeds": "v_x v_y omega"}
    return derive(model, constraints=across, **names)


def test_chaplygin_s_sleigh_moves_along_its_known_solution():
    """v = c tanh, omega = c' sech: m v^2 + (J + m l^2) omega^2 stays, and omega dies out."""
    functions = sleigh().lambdify(
        values={"m": 2.0, "l": 0.7, "J": 0.9}, functions=["reduced_dynamics", "speeds", "qdot"]
    )
    k = 2.0 * 0.7 / (0.9 + 2.0 * 0.7**2)
    omega0, v0 = 1.5, 0.2
    speed = np.sqrt(v0**2 + omega0**2 * 0.7 / k)  # sqrt(2 E / m)
    rate = k * speed
    shift = np.arctanh(v0 / speed) / rate

    def slope(t, x):
        q, u = x[:3], x[3:]
        v = functions.speeds(q, u)
        return [*functions.qdot(q, v), *functions.reduced_dynamics(q, u, np.zeros(3))]

    theta0 = 0.3
    start = [0.0, 0.0, theta0, v0 * np.cos(theta0), omega0]
    end = 0.9
    x = scipy.integrate.solve_ivp(slope, (0, end), start, rtol=1e-10, atol=1e-12).y[:, -1]
    v = speed * np.tanh(rate * (end + shift))
    omega = omega0 * np.cosh(rate * shift) / np.cosh(rate * (end + shift))
    assert np.isclose(x[3] / np.cos(x[2]), v, rtol=1e-8)
    assert np.isclose(x[4], omega, rtol=1e-8)


def vehicle():
    """A cart on two driven wheels: no motion across, and both wheels roll."""
    r, w, J, spin = sympy.symbols("r w J I", positive=True)
    model = ls.Model("cart")
    model.add(ls.RigidBody(m, inertia=(0, 0, J)), ls.Planar("z"), name="cart")
    for side, y in (("left", w), ("right", -w)):
        wheel = ls.RigidBody(0, inertia=(0, spin, 0))
        model.add(wheel, ls.Revolute("y"), to="cart", at=(0, y, 0), name=side)
    theta, vx, vy, omega, left, right = (
        sympy.Symbol(x, real=True)
        for x in ("q_cart_3", "v_cart_1", "v_cart_2", "v_cart_3", "v_left", "v_right")
    )
    ahead = sympy.cos(theta) * vx + sympy.sin(theta) * vy
    across = -sympy.sin(theta) * vx + sympy.cos(theta) * vy
    rolling = [ahead - w * omega - r * left, sympy.Eq(ahead + w * omega, r * right)]
    return derive(model, constraints=[across, *rolling], independent="v_left v_right")


def test_cart_on_two_wheels_in_closed_form():
    r, w, J, spin = sympy.symbols("r w J I", positive=True)
    equations = vehicle()
    assert set(equations.parameters) == {m, r, w, J, spin}
    projected = equations.constraints.projected
    own = m * r**2 / 4 + J * r**2 / (4 * w**2) + spin
    shared = m * r**2 / 4 - J * r**2 / (4 * w**2)
    expected = sympy.Matrix([[own, shared], [shared, own]])
    assert sympy.simplify(projected.mass - expected) == sympy.zeros(2, 2)
    functions = equations.lambdify(
        values={"m": 3.0, "r": 0.2, "w": 0.4, "J": 0.5, "I": 0.02},
        functions=["reduced_bias", "speeds"],
    )
    q = [0.1, 0.2, 0.7, 0.0, 0.0]
    assert np.abs(functions.reduced_bias(q, [3.0, -1.0])).max() < 1e-12
    v = functions.speeds(q, [3.0, -1.0])
    assert np.isclose(v[2], 0.2 * (-1.0 - 3.0) / 0.8)


# Refusals


def one_slider():
    model = ls.Model("slider")
    model.add(ls.RigidBody(1.0), ls.Prismatic("x"), name="a")
    model.add(ls.RigidBody(1.0), ls.Prismatic("y"), name="b")
    return model


q_a, v_a, v_b = (sympy.Symbol(x) for x in ("q_a", "v_a", "v_b"))


@pytest.mark.parametrize(
    "given, words",
    (
        ([v_a**2 - 1], "equation 0 .* not linear in the speeds"),
        ([v_a - v_b, 2 * v_a - 2 * v_b], "equation 1 .* restricts no motion"),
        (["v_a"], "equation 0 .*'v_a'; give a SymPy expression"),
        ([sympy.Integer(0)], "equation 0 .* restricts no motion"),
        ([sympy.gamma(q_a)], "equation 0 .* unsupported function"),
    ),
)
def test_wrong_formulas(given, words):
    with pytest.raises(ls.SymbolicError, match=words):
        derive(one_slider(), constraints=given)


def test_symbols_of_formulas_are_known_by_name():
    equations = derive(one_slider(), constraints=v_a - sympy.Symbol("k") * v_b)
    assert [str(s) for s in equations.parameters] == ["k"]
    assert [str(s) for s in equations.constraints.projected.independent] == ["v_a"]


def test_momenta_of_constrained_mechanisms_are_not_claimed():
    with pytest.raises(ls.SymbolicError, match="constraints"):
        _ = derive(one_slider(), constraints=v_a - v_b).conserved_momenta


def bennett():
    """Four skew hinges that move though seven bodies and hinges should not: one motion is free."""
    model = ls.Model("Bennett", gravity=(0, 0, -9.81))
    l1, l2, t1 = 1.0, 1.5, 0.6
    t2 = float(np.arcsin(l2 * np.sin(t1) / l1))
    links = ((l1, t1), (l2, t2), (l1, t1))
    at, turn, to = (0.0, 0.0, 0.0), np.eye(3), None
    for k, (length, twist) in enumerate(links):
        body = ls.RigidBody.box(1.0, (length, 0.1, 0.1), com=(length / 2, 0, 0))
        model.add(body, ls.Revolute("z"), to=to, at=at, rotation=turn, name=f"link{k}")
        s, c = np.sin(twist), np.cos(twist)
        at, turn, to = (length, 0, 0), np.array([[1, 0, 0], [0, c, -s], [0, s, c]]), f"link{k}"
    s, c = np.sin(t2), np.cos(t2)
    back = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    model.close(
        ls.Revolute("z"),
        to,
        None,
        at_a=at,
        rotation_a=turn,
        at_b=-back.T @ np.array([l2, 0, 0]),
        rotation_b=back.T,
        name="last",
    )
    return model


def test_linkage_that_moves_against_the_count_keeps_the_rows_that_hold_it():
    model = bennett()
    system = model.compile()
    state = ls.assemble(system, system.state(q=[0.8, -1.0, 0.9], v=[1.0, 0, 0]))
    equations = derive(model)
    assert len(equations.constraints) == 2
    found = equations.lambdify().forward_dynamics(state.q, state.v, np.zeros(3))
    np.testing.assert_allclose(found, ls.forward_dynamics(system, state), rtol=1e-7)
