"""Derivatives of inverse and forward dynamics of trees."""

from dataclasses import dataclass

import numpy as np
import pytest

import lissom as ls
from lissom.algorithms.tree import engine
from lissom.algorithms.tree.derivatives import complex_steps
from lissom.kernels import entries
from tests.references.lagrange_rods import random_motion, random_tree
from tests.samples.kernel_cases import (
    JOINTS,
    PLACE,
    STRUCTURES,
    TURN,
    far_state,
    flexible,
    joint_systems,
    many_children,
    massless_links,
    random_case,
    rigid,
)
from tests.tools.derivative_checks import (
    against_complex_steps,
    error,
    random_external,
    ruthless_error,
    spring_error,
    tree_error,
)


@pytest.mark.parametrize("seed", range(3))
def test_forces_have_the_slopes_of_particles_by_automatic_differentiation(seed):
    assert tree_error(seed) < 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_springs_between_nodes_have_their_slopes_by_automatic_differentiation(seed):
    assert spring_error(seed) < 1e-13


@pytest.mark.parametrize("seed", range(8))
def test_ruthless_bodies_have_the_slopes_of_their_equations_by_automatic_differentiation(seed):
    assert ruthless_error(seed) < 1e-11


@pytest.mark.parametrize("level", ["ruthless", "linear", "full", "stiffened"])
def test_levels_and_external_forces_against_complex_steps(level):
    for seed in range(4):
        system, state, rng = random_case(seed, level)
        external = random_external(system, rng)
        assert against_complex_steps(system, state, rng, external) < 1e-11


def test_free_shapes_and_own_levels_against_complex_steps():
    for seed in (0, 6, 7, 9, 14):
        system, state, rng = random_case(seed)
        assert against_complex_steps(system, state, rng, random_external(system, rng)) < 1e-11


def test_rods_against_complex_steps():
    for seed in range(3):
        system, rng = random_tree(seed).system, np.random.default_rng(seed)
        q, v, _ = random_motion(system, rng)
        state = system.state(q, v)
        assert against_complex_steps(system, state, rng, random_external(system, rng)) < 1e-11


@pytest.mark.parametrize("joint", JOINTS.values(), ids=JOINTS.keys())
def test_every_joint_on_every_carrier_against_complex_steps(joint):
    rng = np.random.default_rng(3)
    for label, system in joint_systems(joint, slice(None, None, 7)):
        found = against_complex_steps(system, far_state(system, rng), rng)
        assert found < 1e-11, label


@pytest.mark.parametrize("model", [massless_links, many_children])
def test_many_children_and_massless_links_against_complex_steps(model):
    system, rng = model().compile(), np.random.default_rng(5)
    assert against_complex_steps(system, far_state(system, rng), rng) < 1e-11


def test_accelerations_follow_their_derivatives_to_second_order():
    """The remainder of a step falls with the square of the step, on quaternions too."""
    system, state, rng = random_case(9)
    found = ls.forward_dynamics_derivatives(system, state)
    dq, dv, dT = rng.standard_normal((3, system.n_v))
    rest = []
    for h in (1e-3, 1e-4):
        q = state.q + h * ls.qdot(system, system.state(state.q, dq))
        moved = ls.forward_dynamics(system, system.state(q, state.v + h * dv), h * dT)
        change = h * (found.q @ dq + found.v @ dv + found.forces @ dT)
        rest.append(np.abs(moved - found.value - change).max())
    assert 1.9 < np.log10(rest[0] / rest[1]) < 2.1


def test_accelerations_are_those_of_forward_dynamics():
    system, state, rng = random_case(13)
    forces = rng.standard_normal(system.n_v)
    found = ls.forward_dynamics_derivatives(system, state, forces)
    assert np.allclose(found.value, ls.forward_dynamics(system, state, forces), rtol=1e-9)
    M = ls.mass_matrix(system, state)
    assert error(M @ found.forces, np.eye(system.n_v)) < 1e-9


def test_far_from_the_origin_and_in_orbit_nothing_is_lost():
    """Neither distance nor speed of the whole mechanism changes its derivatives."""
    model = ls.Model("satellite")
    model.add(ls.RigidBody.box(300, (1, 1.2, 0.8), com=(0.1, 0, 0)), ls.Free(), name="hub")
    boom = ls.beam(5.0, ls.Tube(radius=0.05, thickness=0.002), ls.CARBON, modes=4)
    model.add(boom, ls.Revolute("z"), to="hub", at=(0.5, 0.2, 0), name="boom")
    model.add(
        ls.RigidBody.box(20, (0.3, 0.3, 0.3)), ls.Universal("x", "y"), to="boom.tip", name="load"
    )
    system, rng = model.compile(), np.random.default_rng(1)
    near = far_state(system, rng, deformation=0.05)
    q, v = near.q.copy(), near.v.copy()
    R = ls.pose(system, near, "hub").rotation
    hub_q, hub_v = system.layout.hinge_q("hub"), system.layout.hinge_v("hub")
    q[hub_q.start + 4 : hub_q.stop] += [7e6, -2e6, 1e6]
    drift = R.T @ np.array([1000.0, 7000.0, -500.0])
    v[hub_v.start + 3 : hub_v.stop] += drift
    x = rng.standard_normal(system.n_v)
    here = ls.inverse_dynamics_derivatives(system, near, x)
    # the speeds of the hub are in its axes: in orbit its acceleration turns with it
    w = v[hub_v.start : hub_v.start + 3]
    there_x = x.copy()
    there_x[hub_v.start + 3 : hub_v.stop] -= np.cross(w, drift)
    there = ls.inverse_dynamics_derivatives(system, (q, v), there_x)
    others = [k for k in range(system.n_v) if not hub_v.start <= k < hub_v.start + 3]
    assert error(there.q[:, others], here.q[:, others]) < 1e-10
    assert error(there.v[:, others], here.v[:, others]) < 1e-10


@pytest.mark.parametrize("name", ["many children, ruthless", "all levels"])
def test_ruthless_bodies_that_carry_many_against_complex_steps(name):
    """Several children on one node of a body, each of which sees the node in its own way."""
    system, rng = STRUCTURES[name]().compile(), np.random.default_rng(5)
    external = random_external(system, rng)
    assert against_complex_steps(system, far_state(system, rng), rng, external) < 1e-11


def test_ruthless_bodies_on_every_other_body_against_complex_steps():
    """On a rigid body, a rod, a body in the frame of its shapes and one at each level."""
    rod = ls.rod(0.8, ls.Circle(0.01), ls.ALUMINIUM, bending=2, torsion=1, stretch=0)
    beam = ls.beam(0.8, ls.Rectangle(0.1, 0.2), ls.ALUMINIUM, bending=2, torsion=0,
                   level="stiffened")  # fmt: skip
    carriers = [rigid(1), rod, flexible(2, free=True), flexible(3), beam,
                flexible(4, level="linear"), flexible(5, level="ruthless")]  # fmt: skip
    model, rng = ls.Model("all", gravity=(1, 2, -9)), np.random.default_rng(6)
    place = {}
    for k, carrier in enumerate(carriers):
        model.add(carrier, ls.Universal("z", "x"), name=f"c{k}", **place)
        to = {"to": f"c{k}" if k == 0 else f"c{k}.tip"}
        ruthless = flexible(10 + k, level="ruthless", damping=0.1)
        model.add(ruthless, ls.Revolute("y"), at=(0.1, 0, 0), name=f"r{k}", **to)
        place = {"to": f"r{k}.tip", "at": (0, 0.1, 0)}
    system = model.compile()
    state = far_state(system, rng, deformation=0.02)
    assert against_complex_steps(system, state, rng, random_external(system, rng)) < 1e-11


@pytest.mark.parametrize("joint", JOINTS.values(), ids=JOINTS.keys())
def test_every_joint_on_a_ruthless_body_against_complex_steps(joint):
    model, rng = ls.Model("joint", gravity=(1, 2, -9)), np.random.default_rng(4)
    model.add(flexible(2, level="ruthless"), ls.Revolute("y"), name="carrier", at=(0.1, 0, 0))
    model.add(
        flexible(1, level="ruthless"), joint, to="carrier.tip", at=PLACE, rotation=TURN, name="body"
    )
    model.add(rigid(3), ls.Revolute("x"), to="body.tip", at=(0.2, 0.1, 0), name="end")
    system = model.compile()
    assert against_complex_steps(system, far_state(system, rng), rng) < 1e-11


def test_couplings_of_ruthless_bodies_keep_their_equations_in_the_derivatives():
    """du_dot = -(Z^T M Z)^-1 Z^T dT with a constant Z, and dT by complex steps."""
    model, place, rng = ls.Model("chain", gravity=(1, 2, -9)), {}, np.random.default_rng(2)
    for k, axis in enumerate("xyz"):
        model.add(flexible(k, level="ruthless"), ls.Revolute(axis), name=f"l{k}", **place)
        place = {"to": f"l{k}.tip", "at": (0.2, 0.1, 0)}
    model.couple({"l0": 1.0, "l1": -0.5, "l2": 0.3}, name="gear")
    system = model.compile()
    state = ls.assemble(system, far_state(system, rng))
    found = ls.forward_dynamics_derivatives(system, state)
    by_q, by_v = complex_steps(system, state, found.value, ())
    Z, M = found.motions, ls.mass_matrix(system, state)
    held = Z @ np.linalg.solve(Z.T @ M @ Z, Z.T)
    assert error(found.q, -held @ by_q @ Z) < 1e-10
    assert error(found.v, -held @ by_v @ Z) < 1e-10


def test_own_joints_on_ruthless_bodies_take_complex_steps():
    model, rng = ls.Model("lift", gravity=(1, 2, -9)), np.random.default_rng(4)
    model.add(flexible(2, level="ruthless"), ls.Revolute("y"), name="boom")
    model.add(rigid(3), Lift(), to="boom.tip", at=(0.2, 0.1, 0), name="lift")
    system = model.compile()
    state, h = far_state(system, rng), 1e-5
    x = rng.standard_normal(system.n_v)
    found = ls.inverse_dynamics_derivatives(system, state, x)
    for k, e in enumerate(h * np.eye(system.n_v)):
        ends = [
            ls.inverse_dynamics(system, system.state(state.q, state.v + s * e), x) for s in (1, -1)
        ]
        assert error(found.v[:, k], (ends[0] - ends[1]) / (2 * h)) < 1e-8


def test_frames_have_the_derivatives_of_their_motion():
    system, rng = many_children().compile(), np.random.default_rng(8)
    state, h = far_state(system, rng), 1e-6
    x = rng.standard_normal(system.n_v)

    def motion(q, v):
        at = system.state(q, v)
        return ls.velocity(system, at, "b.tip"), ls.acceleration(system, at, "b.tip", x)

    found = ls.frame_derivatives(system, state, "b.tip", x)
    for k in range(system.n_v):
        e = np.eye(system.n_v)[k]
        along = ls.qdot(system, system.state(state.q, e))
        by_q = [motion(state.q + s * h * along, state.v) for s in (1, -1)]
        by_v = [motion(state.q, state.v + s * h * e) for s in (1, -1)]
        for actual, ends, which in (
            (found.velocity_q, by_q, 0),
            (found.acceleration_q, by_q, 1),
            (found.jacobian, by_v, 0),
            (found.acceleration_v, by_v, 1),
        ):
            slope = (ends[0][which] - ends[1][which]) / (2 * h)
            assert error(actual[:, k], slope) < 1e-7


def test_one_and_many_states_have_the_same_derivatives():
    system, state, rng = random_case(3)
    n, work = system.n_v, engine.workspace(system)
    Q, V = (np.stack([x, x + 0.01 * rng.standard_normal(len(x))]) for x in (state.q, state.v))
    F, X, D = rng.standard_normal((2, n)), np.empty(2 * n), np.empty((6 * n, n))
    rows = (Q.ravel(), V.ravel(), F.ravel(), X, np.empty(2 * n), D)
    kernel = work.kernel(entries.FORWARD_DERIVATIVES)
    assert kernel(*work.call, *work.derivatives, *rows, engine.ALL, 0, 2) == -1
    for k in range(2):
        value, alone = engine.forward_derivatives(system, Q[k], V[k], F[k])
        assert np.array_equal(X.reshape(2, n)[k], value)
        assert np.array_equal(D.reshape(2, 3, n, n)[k], alone)


def test_mistakes_are_named():
    system, state, _ = random_case(3)
    with pytest.raises(ls.StateError, match="acceleration"):
        ls.inverse_dynamics_derivatives(system, state, [1.0])
    with pytest.raises(ls.StateError, match="nowhere"):
        ls.frame_derivatives(system, state, "nowhere")


@dataclass(frozen=True, eq=False)
class Lift(ls.Joint):
    """Slide along z by a cube; `real`: computed in a way that loses imaginary parts."""

    real: bool = False
    coordinates = (("lift", "m"),)

    def pose(self, q):
        z = float(np.real(q[0])) ** 3 if self.real else q[0] ** 3
        return np.eye(3), np.array([0.0, 0.0, 1.0]) * z

    def motion_map(self, q):
        return np.array([[0.0], [0.0], [0.0], [0.0], [0.0], [1.0]]) * (3 * q[0] ** 2)

    def bias(self, q, v):
        return np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0]) * (6 * q[0] * v[0] ** 2)


def test_own_joints_are_differentiated_or_refused():
    """Mass 2 on a lift z = q^3 under gravity 10: T = 2 (3 q^2)(3 q^2 a + 6 q v^2 + 10)."""
    for real in (False, True):
        model = ls.Model("lift", gravity=(0, 0, -10))
        model.add(ls.RigidBody(2.0, inertia=(1, 1, 1)), Lift(real), name="lift")
        system = model.compile()
        q, v, a = 0.7, 0.4, -0.3
        state = system.state([q], [v])
        if real:
            with pytest.raises(ls.StateError, match="complex numbers"):
                ls.inverse_dynamics_derivatives(system, state, [a])
            continue
        found = ls.inverse_dynamics_derivatives(system, state, [a])
        slope = 12 * q * (3 * q**2 * a + 6 * q * v**2 + 10) + 6 * q**2 * (6 * q * a + 6 * v**2)
        assert np.isclose(found.q[0, 0], slope, rtol=1e-12)
        assert np.isclose(found.v[0, 0], 72 * q**3 * v, rtol=1e-12)


def test_own_joints_without_complex_steps_are_named():
    model = ls.Model("lift")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Revolute("z"), name="base")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), Lift(), to="base", name="cage")
    system = model.compile()
    with pytest.raises(ls.StateError, match=r"frame_derivatives.*'cage'.*your own"):
        ls.frame_derivatives(system, system.state(), "cage")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Revolute("z"), name="wheel")
    model.couple({"base": 1.0, "wheel": -1.0}, name="belt")
    system = model.compile()
    with pytest.raises(ls.StateError, match=r"couplings.*'cage'.*your own"):
        ls.forward_dynamics_derivatives(system, system.state())
