"""Contacts in implicit steps: their derivatives as inertia of nodes and as rows."""

import functools

import numpy as np
import pytest

import lissom as ls
from lissom import shapes
from lissom.sim.loads.contact import Contact, Friction, LinearContact
from lissom.sim.run.prepare import prepared
from lissom.sim.run.settings import run_options

RADIUS, DEPTH, STIFFNESS, DISSIPATION = 0.02, 1e-3, 1e5, 0.2
FRICTION = Friction(0.5, 0.4, speed=0.05)


@functools.cache
def mechanism() -> ls.System:
    """Free body with flexible, rigid and sliding ones; contacts find every kind of node."""
    model = ls.Model("m", gravity=(0, 0, -9.81))

    def beam(level: str) -> ls.FlexibleBody:
        section = ls.Tube(radius=0.03, thickness=0.003)
        return ls.beam(
            1.0, section, ls.ALUMINIUM, bending=(2, 1), torsion=0, stretch=0, level=level
        )

    def box(mass: float) -> ls.RigidBody:
        return ls.RigidBody.box(mass, (0.2, 0.1, 0.1))

    model.add(box(2.0), ls.Free(), name="base")
    model.add(beam("full"), ls.Revolute("y"), name="b0", to="base")
    model.add(beam("linear"), ls.Revolute("z"), name="b1", to="b0.tip")
    model.add(box(1.0), ls.Spherical(), name="hand", to="b1.tip")
    model.add(beam("stiffened"), ls.Universal("x", "y"), name="b2", to="base")
    model.add(box(0.5), ls.Prismatic("x"), name="slider", to="b0.tip", at=(0, 0.1, 0))
    return model.compile()


def bent_state(system: ls.System) -> ls.State:
    rng = np.random.default_rng(1)
    q = system.state(b0=0.3, b1=-0.4, b2=[0.5, 0.2], slider=0.1).q.copy()
    for name in ("b0", "b1", "b2"):
        piece = system.layout.modal_q(name)
        q[piece] += 3e-3 * rng.normal(size=piece.stop - piece.start)
    return system.state(q, 0.3 * rng.normal(size=system.n_v))


def pressed(system: ls.System, state: ls.State, place: str, friction: Friction | None) -> Contact:
    """A ball about a node, pressed into a plane of the ground, as the first or second shape."""
    at = ls.pose(system, state, place).position - [0, 0, RADIUS - DEPTH]
    ball, plane = system.shape(place, shapes.Sphere(RADIUS)), shapes.HalfSpace(at=at)
    law = LinearContact(STIFFNESS, dissipation=DISSIPATION)
    pair = (plane, ball) if place == "base" else (ball, plane)
    return Contact(*pair, law, friction, name=place)


def motion_at(system: ls.System, state: ls.State, place: str, x: np.ndarray) -> np.ndarray:
    """Velocity of the material of a body at a point of the world by the speeds."""
    pose = ls.pose(system, state, place)
    return ls.jacobian(system, state, place, at=pose.rotation.T @ (x - pose.position))[3:]


def friction_damping(friction: Friction | None, N: float, v: np.ndarray, n: np.ndarray):
    """Derivative of minus the friction by the slip, by differences."""
    across = np.eye(3) - np.outer(n, n)
    if friction is None:
        return np.zeros((3, 3))

    def force(slip):
        speed = np.linalg.norm(slip)
        return N * friction.coefficient(speed) * slip / speed

    slip, e = across @ v, 1e-6
    columns = [(force(slip + e * t) - force(slip - e * t)) / (2 * e) for t in across.T]
    return np.array(columns).T @ across


def symmetric_part(C: np.ndarray) -> np.ndarray:
    """Symmetric part without eigenvalues below zero."""
    w, V = np.linalg.eigh(0.5 * (C + C.T))
    return V @ np.diag(np.maximum(w, 0)) @ V.T


def dense_step(system, state, contacts, B_K, B_C, h):
    """Speeds after a linearly implicit Euler step with dense matrices."""
    K, C = np.zeros(system.n_v), np.zeros(system.n_v)
    for name, body in zip(system.names, system.bodies, strict=True):
        if body.n_mode:
            K[system.layout.modal_v(name)] = body.stiffness
            C[system.layout.modal_v(name)] = np.diag(body.damping)
    M, v = ls.mass_matrix(system, state), state.v
    forces = M @ ls.forward_dynamics(
        system, state, ls.load_derivatives(system, state, contacts).forces
    )
    A = M + h * (np.diag(C) + B_C) + h * h * (np.diag(K) + B_K)
    return v + h * np.linalg.solve(A, forces - h * K * v - h * B_K @ v)


def one_step(system, state, contacts, h):
    result = ls.simulate(
        system, state, duration=h, step=h, integrator="implicit_euler", loads=contacts
    )
    assert result.statistics["steps"] == 1
    return result.v[-1]


def test_contacts_with_the_ground_are_the_symmetric_part_of_their_derivatives_in_a_step():
    system = mechanism()
    state, h = bent_state(system), 1e-3
    B_K, B_C = np.zeros((2, system.n_v, system.n_v))
    contacts, n = [], np.array([0.0, 0.0, 1.0])
    for place in ("base", "b1.tip", "b2.tip", "hand", "b0.tip"):
        friction = None if place == "hand" else FRICTION
        contacts.append(pressed(system, state, place, friction))
        x = ls.pose(system, state, place).position - (RADIUS - DEPTH / 2) * n
        J = motion_at(system, state, place, x)
        grow = 1 - DISSIPATION * n @ J @ state.v
        N = STIFFNESS * DEPTH * grow
        of_slip = symmetric_part(friction_damping(friction, N, J @ state.v, n))
        B_K += STIFFNESS * grow * J.T @ np.outer(n, n) @ J
        B_C += J.T @ (STIFFNESS * DEPTH * DISSIPATION * np.outer(n, n) + of_slip) @ J
    expected = dense_step(system, state, contacts, B_K, B_C, h)
    change = np.abs(expected - state.v).max()
    assert np.abs(one_step(system, state, contacts, h) - expected).max() < 1e-8 * change


@pytest.mark.parametrize("places", [("hand", "b2.tip"), ("slider", "base"), ("b0.tip", "b1.tip")])
def test_contacts_between_bodies_are_rows_with_their_coupling_in_a_step(places):
    system = mechanism()
    state, h = bent_state(system), 1e-3
    a, b = (ls.pose(system, state, place).position for place in places)
    gap, n = np.linalg.norm(a - b), (a - b) / np.linalg.norm(a - b)
    radius = 0.5 * (gap + DEPTH)
    ball, other = (system.shape(place, shapes.Sphere(radius)) for place in places)
    law = LinearContact(STIFFNESS, dissipation=DISSIPATION)
    contact = Contact(ball, other, law, FRICTION)
    J = motion_at(system, state, places[0], 0.5 * (a + b))
    J = J - motion_at(system, state, places[1], 0.5 * (a + b))
    v = J @ state.v
    grow, slip = 1 - DISSIPATION * n @ v, v - n * (n @ v)
    N, speed = STIFFNESS * DEPTH * grow, np.linalg.norm(slip)
    direction = n - FRICTION.coefficient(speed) * slip / speed
    of_slip = friction_damping(FRICTION, N, v, n)
    B_K = J.T @ np.outer(STIFFNESS * grow * direction, n) @ J
    B_C = J.T @ (np.outer(STIFFNESS * DEPTH * DISSIPATION * direction, n) + of_slip) @ J
    expected = dense_step(system, state, [contact], B_K, B_C, h)
    change = np.abs(expected - state.v).max()
    assert np.abs(one_step(system, state, [contact], h) - expected).max() < 1e-8 * change


def ball_on_table(spin: float = 0.0) -> tuple[ls.System, ls.State, Contact]:
    """A ball at rest in the table, which it rolls and slides over."""
    model = ls.Model("table", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody(1.0, inertia=(4e-3, 4e-3, 4e-3)), ls.Free(), name="ball")
    system = model.compile()
    law = LinearContact(2e3, dissipation=0.5)
    q = system.neutral().q.copy()
    q[6] = 0.1 - 9.81 / 2e3
    v = np.array([0.3, spin, 0.2, 0.6, 0.1, -0.05])
    ball = system.shape("ball", shapes.Sphere(0.1))
    table = shapes.HalfSpace()
    return system, system.state(q, v), Contact(ball, table, law, Friction(0.5, 0.4, speed=0.3))


def ends(method, steps, duration=0.1, case=None, **settings):
    system, state, *loads = case or ball_on_table(2.0)
    result = ls.simulate(
        system, state, duration=duration, loads=loads, integrator=method,
        step=duration / steps, output_step=duration, **settings,
    )  # fmt: skip
    return np.concatenate([result.q[-1], result.v[-1]])


def exact(duration=0.1, case=None):
    system, state, *loads = case or ball_on_table(2.0)
    result = ls.simulate(
        system, state, duration=duration, loads=loads, integrator="dop853", rtol=1e-12,
        output_step=duration,
    )  # fmt: skip
    return np.concatenate([result.q[-1], result.v[-1]])


@pytest.mark.parametrize(("method", "order"), [("rosenbrock", 3), ("generalized_alpha", 2)])
def test_order_of_implicit_methods_on_a_rolling_ball(method, order):
    reference = exact()
    errors = [np.abs(ends(method, n) - reference).max() for n in (40, 80, 160)]
    rates = np.log2(np.divide(errors[:-1], errors[1:]))
    assert rates.min() > order - 0.3
    assert errors[-1] < 1e-3


def stacked_balls() -> tuple[ls.System, ls.State, Contact, Contact]:
    """A ball on a ball on a table: a contact between bodies and one with the ground."""
    model = ls.Model("balls", gravity=(0, 0, -9.81))
    for name in ("lower", "upper"):
        model.add(ls.RigidBody(1.0, inertia=(4e-3, 4e-3, 4e-3)), ls.Free(), name=name)
    system = model.compile()
    lower, upper = (system.shape(name, shapes.Sphere(0.1)) for name in ("lower", "upper"))
    law, friction = LinearContact(2e3, dissipation=0.5), Friction(0.5, 0.4, speed=0.3)
    q = system.neutral().q.copy()
    q[6], q[11], q[13] = 0.1 - 2 * 9.81 / 2e3, 0.02, 0.28
    v = np.array([0.3, 2.0, 0.2, 0.6, 0.1, -0.05, 1.0, 0.5, 0.3, 0.1, 0.2, -0.1])
    below = Contact(lower, shapes.HalfSpace(), law, friction)
    return system, system.state(q, v), below, Contact(upper, lower, law, friction)


@pytest.mark.parametrize(("method", "order"), [("rosenbrock", 3), ("generalized_alpha", 2)])
def test_order_of_implicit_methods_with_contacts_between_bodies(method, order):
    case = stacked_balls()
    reference = exact(0.05, case)
    errors = [np.abs(ends(method, n, 0.05, case) - reference).max() for n in (20, 40, 80)]
    rates = np.log2(np.divide(errors[:-1], errors[1:]))
    assert rates.min() > order - 0.3


def test_undamped_contacts_keep_the_energy():
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody(1.0, inertia=(4e-3, 4e-3, 4e-3)), ls.Prismatic("z"), name="ball")
    system = model.compile()
    ball = system.shape("ball", shapes.Sphere(0.1))
    contact = Contact(ball, shapes.HalfSpace(), LinearContact(1e4))
    result = ls.simulate(
        system, system.state(ball=0.11), duration=0.5, loads=[contact], integrator="rosenbrock",
        rtol=1e-8,
    )  # fmt: skip
    z, v = result.q[:, 0], result.v[:, 0]
    depth = np.maximum(0.1 - z, 0.0)
    energy = 0.5 * v**2 + 9.81 * z + 0.5 * 1e4 * depth**2
    assert len(result.events) >= 6
    assert np.ptp(energy) < 1e-6 * energy[0]


def test_driven_joints_and_loops_with_contacts_agree_with_an_explicit_method():
    model = ls.Model("four-bar", gravity=(0, 0, -9.81))
    bar = functools.partial(ls.RigidBody.box, size=(1.0, 0.05, 0.05), com=(0.5, 0, 0))
    model.add(bar(1.0), ls.Revolute("y"), name="crank")
    model.add(bar(1.0), ls.Revolute("y"), name="coupler", to="crank", at=(1, 0, 0))
    model.add(bar(1.0), ls.Revolute("y"), name="rocker", at=(1.5, 0, 0))
    model.close(ls.Revolute("y"), "coupler", "rocker", at_a=(1, 0, 0), at_b=(1, 0, 0))
    system = model.compile()
    state = ls.assemble(system, system.state(crank=-1.0, coupler=1.0, rocker=-1.4))
    at = ls.pose(system, state, "coupler").position - [0, 0, 0.1 - 1e-3]
    law, friction = LinearContact(2e3, dissipation=0.5), Friction(0.5, 0.4, speed=0.3)
    sole = system.shape("coupler", shapes.Sphere(0.1))
    foot = Contact(sole, shapes.HalfSpace(at=at), law, friction)
    drive = ls.Motion("crank", lambda t: state.q[0] + 0.3 * t * t)
    for loads in ([foot], [foot, drive]):
        case = system, state, *loads
        reference = exact(0.05, case)
        for method in ("rosenbrock", "generalized_alpha", "implicit_euler"):
            errors = [np.abs(ends(method, n, 0.05, case) - reference).max() for n in (25, 50)]
            assert errors[1] < max(0.7 * errors[0], 1e-8), method


def head_of(system, contacts, method="rosenbrock"):
    """Header of the plan of a run."""
    options = run_options({"duration": 1.0, "integrator": method, "loads": contacts})
    return prepared(system, system.neutral(), options).machine.head


def test_contacts_between_bodies_have_three_rows_and_those_with_the_ground_none():
    system = mechanism()
    law = LinearContact(STIFFNESS)
    shape = {x: system.shape(x, shapes.Sphere(RADIUS)) for x in ("base", "b1.tip", "b2.tip")}
    ground = [Contact(x, shapes.HalfSpace(), law) for x in shape.values()]
    between = [Contact(shape["base"], shape["b2.tip"], law)]
    for contacts, n_row, n_touched in ((ground, 0, 3), (between, 3, 0), (ground + between, 3, 3)):
        head = head_of(system, contacts)
        assert (head.n_row, head.touched.count) == (n_row, n_touched)
        assert head_of(system, contacts, "dop853").touched.count == 0


def test_open_contacts_leave_a_step_as_it_is():
    system = mechanism()
    state = bent_state(system)
    far = shapes.HalfSpace(at=(0, 0, -50))
    contacts = [
        Contact(system.shape(x, shapes.Sphere(RADIUS)), far, LinearContact(STIFFNESS), FRICTION)
        for x in ("base", "b1.tip", "hand")
    ]
    for method in ("rosenbrock", "generalized_alpha", "implicit_euler"):
        runs = [
            ls.simulate(system, state, duration=5e-3, step=1e-3, integrator=method, loads=loads)
            for loads in ([], contacts)
        ]
        assert np.array_equal(runs[0].v, runs[1].v), method


def test_the_recursion_of_other_calls_does_not_list_touched_nodes():
    system = mechanism()
    before = system.outboard_nodes
    state = bent_state(system)
    values = [
        one_step(system, state, [pressed(system, state, "b2.tip", FRICTION)], 1e-4)
        for _ in range(2)
    ]
    assert system.outboard_nodes is before
    assert np.array_equal(*values)
