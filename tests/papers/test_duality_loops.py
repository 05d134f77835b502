"""Dual readings of systems with loops and couplings: constrained control, estimation of a bias.

The references are the particle model with loops, which does not import lissom, a dense solution of
the conditions of optimality, and the estimate of Gauss and Markov.
"""

from dataclasses import replace

import numpy as np
import pytest

import lissom as ls
from lissom.algorithms.tree.reference import kinematics_base_to_tip
from lissom.papers import order_n
from tests.samples.random_couplings import coupled_tree
from tests.samples.random_loops import looped_tree
from tests.samples.random_trees import frame_names

SEEDS = (0, 1, 5)


def both_duals(case, forces, external):
    """Solution of the control problem, and the filter."""
    system, own = case.tree.system, case.tree.to_lissom(forces)
    problem = ls.optimal_control_dual(system, case.state, own, external=external)
    filtered = ls.filter_and_smoother(system, case.state, own, external=external)
    return ls.solve_lq(problem), filtered


def wrenches(description):
    names = frame_names(description)
    return {names[key]: wrench for key, wrench in description.external.items()}


@pytest.mark.parametrize("seed", SEEDS)
def test_loops_are_constraints_of_the_control_problem_and_a_bias_of_the_estimation(seed):
    case = looped_tree(seed)
    given = case.description
    snapshot = case.oracle.at(case.q, case.v, length=case.tree.system.length)
    vdot, _ = snapshot.forward_dynamics(given.forces, given.external)
    solution, filtered = both_duals(case, given.forces, wrenches(given))
    weight = np.sqrt(np.diag(snapshot.tree.mass_matrix))
    free = snapshot.tree.forward_dynamics(given.forces, given.external)
    scale = max(1e-3, *(np.abs(weight * x).max() for x in (vdot, free)))
    for found in (ls.dual_accelerations(solution), filtered.acceleration):
        found = found[case.tree.v_index]
        assert np.abs(weight * (found - vdot)).max() < 1e-8 * scale
    A = ls.closure(case.tree.system, case.state).jacobian[:, case.tree.v_index]
    Lambda = A @ np.linalg.solve(snapshot.tree.mass_matrix, A.T)
    for found in (solution.constraint_compliance, filtered.loop_information):
        assert found == pytest.approx(Lambda, abs=1e-8 * np.abs(Lambda).max())
    pushed = snapshot.tree.mass_matrix @ (vdot - free)  # the generalized forces of the loops
    size = np.abs(pushed).max() + np.abs(given.forces).max()
    for lam in (-solution.multipliers, filtered.loop_force):
        assert A.T @ lam == pytest.approx(pushed, abs=1e-6 * size)
    for f, adjoint in zip(filtered.hinge_force, solution.adjoints, strict=True):
        assert f == pytest.approx(-adjoint, abs=1e-6 * max(1.0, np.abs(adjoint).max()))


@pytest.mark.parametrize("seed, loops", [(0, False), (2, True)])
def test_couplings_are_constraints_of_the_controls(seed, loops):
    case = coupled_tree(seed, loops=loops)
    given = case.description
    vdot, _, _ = case.forward_dynamics(given.forces, given.external)
    solution, filtered = both_duals(case, given.forces, wrenches(given))
    weight = np.sqrt(np.diag(case.M))
    free = case.snapshot.forward_dynamics(given.forces, given.external)
    scale = max(1e-3, *(np.abs(weight * x).max() for x in (vdot, free)))
    for found in (ls.dual_accelerations(solution), filtered.acceleration):
        assert np.abs(weight * (found[case.tree.v_index] - vdot)).max() < 1e-8 * scale


def test_forces_of_loops_are_the_estimate_of_gauss_and_markov():
    """T = noise of covariance M, minus A^T lambda with an unknown lambda."""
    model = ls.Model("four bars")
    bar = ls.RigidBody.box(1.0, (1.0, 0.1, 0.1), com=(0.5, 0, 0))
    model.add(bar, ls.Revolute("z"), name="crank")
    model.add(bar, ls.Universal("z", "y"), to="crank", at=(1, 0, 0), name="coupler")
    model.add(bar, ls.Revolute("z"), at=(1, 0, 0), name="rocker")
    model.close(ls.Spherical(), "coupler", "rocker", at_a=(1, 0, 0), at_b=(1, 0, 0), name="pin")
    system = model.compile()
    state = system.state(crank=1.2, coupler=(-1.2, 0.0), rocker=1.2)
    rng = np.random.default_rng(0)
    T = rng.standard_normal(system.n_v)
    A, M = ls.closure(system, state).jacobian, ls.mass_matrix(system, state)
    W = np.linalg.inv(M)
    covariance = np.linalg.inv(A @ W @ A.T)
    found = ls.filter_and_smoother(system, state, T)
    assert found.loop_force == pytest.approx(-covariance @ A @ W @ T, rel=1e-9)
    assert np.linalg.inv(found.loop_information) == pytest.approx(covariance, rel=1e-9)
    wrench = ls.loop_forces(system, state, T)[0]
    assert np.abs(wrench[3:]).max() > 0.1
    driven = np.array([T[0], 0, 0, 0])
    solution = ls.solve_lq(ls.optimal_control_dual(system, state, driven))
    vdot = ls.dual_accelerations(solution)
    joints = ls.joint_forces(system, state, vdot, actuated=["crank"])
    assert ls.dual_joint_forces(solution) == pytest.approx(joints, abs=1e-9)


def test_armstrongs_form_has_the_forces_of_couplings_and_loops():
    """Constraint forces and those along the free motions add up to the forces of the joints."""
    case = coupled_tree(2, loops=True)
    system, own = case.tree.system, case.tree.to_lissom(case.description.forces)
    problem = ls.optimal_control_dual(system, case.state, own)
    solution = ls.solve_lq(problem)
    found = ls.constraint_forces(problem, solution)
    pairs = zip(problem.control_reward, problem.control_constraint, strict=True)
    free = [t - F.T @ solution.multipliers for t, F in pairs]
    for k, (B, t) in enumerate(zip(problem.control_map, free, strict=True)):
        total = B @ np.linalg.solve(B.T @ B, t) + found.complement[k] @ found.force[k]
        size = np.abs(solution.adjoints[k]).max()
        assert total == pytest.approx(-solution.adjoints[k], abs=1e-7 * size)


def random_problem(rng, n_c=3):
    sizes, parent = [(3, 2), (4, 3), (2, 2), (3, 1), (4, 2)], [-1, 0, 0, 2, 1]

    def normal(*shape):
        return rng.standard_normal(shape)

    def positive(n):
        root = normal(n, n)
        return root @ root.T + np.eye(n)

    inboard = [2 if p < 0 else sizes[p][0] for p in parent]
    return ls.LQProblem(
        transition=[normal(n, k) for (n, _), k in zip(sizes, inboard, strict=True)],
        control_map=[normal(n, m) for n, m in sizes],
        state_weight=[positive(n) for n, _ in sizes],
        state_slope=[normal(n) for n, _ in sizes],
        control_reward=[normal(m) for _, m in sizes],
        control_weight=[positive(m) for _, m in sizes],
        cross_weight=[0.1 * normal(n, m) for n, m in sizes],
        inboard_cross_weight=[0.1 * normal(k, m) for (_, m), k in zip(sizes, inboard, strict=True)],
        offset=[normal(n) for n, _ in sizes],
        parent=parent,
        initial_state=normal(2),
        state_constraint=[normal(n_c, n) for n, _ in sizes],
        control_constraint=[normal(n_c, m) for _, m in sizes],
        constraint_value=normal(n_c),
    )


def dense_solution(problem):
    """Controls and multipliers by the conditions of optimality, without any recursion."""
    widths = [B.shape[1] for B in problem.control_map]
    edges = np.cumsum(widths)[:-1]

    def cost(u):
        return problem.cost(np.split(u, edges))

    def held(u):
        pieces = np.split(u, edges)
        states = problem.response(pieces)
        total = -problem.constraint_value.astype(u.dtype)
        for k, (x, w) in enumerate(zip(states, pieces, strict=True)):
            total = total + problem.state_constraint[k] @ x + problem.control_constraint[k] @ w
        return total

    n, unit, zero = sum(widths), np.eye(sum(widths)), np.zeros(sum(widths))
    slope = [cost(zero + 1e-30j * e).imag / 1e-30 for e in unit]
    H = [[cost(a + 1e-30j * e).imag / 1e-30 for e in unit] - np.array(slope) for a in unit]
    J = np.stack([held(e) - held(zero) for e in unit], axis=1)
    K = np.block([[np.array(H), J.T], [J, np.zeros((len(J), len(J)))]])
    found = np.linalg.lstsq(K, np.concatenate([-np.array(slope), -held(zero)]), rcond=None)[0]
    return found[:n], found[n:]


@pytest.mark.parametrize("seed", range(3))
def test_constraints_between_any_nodes_are_those_of_a_dense_solution(seed):
    problem = random_problem(np.random.default_rng(seed))
    solution = ls.solve_lq(problem)
    u, mu = dense_solution(problem)
    assert np.concatenate(solution.controls) == pytest.approx(u, rel=1e-8, abs=1e-9)
    assert solution.multipliers == pytest.approx(mu, rel=1e-8, abs=1e-9)
    assert solution.cost == pytest.approx(problem.cost(solution.controls))
    moved = replace(problem, constraint_value=problem.constraint_value + np.array([1e-5, 0, 0]))
    rise = (ls.solve_lq(moved).cost - solution.cost) / 1e-5
    assert -rise == pytest.approx(mu[0], rel=1e-3)  # the price of a constraint


def test_dependent_constraints_share_their_multiplier_and_contradictions_are_refused():
    problem = random_problem(np.random.default_rng(7), n_c=1)

    def twice(blocks):
        return [np.concatenate([block, block]) for block in blocks]

    doubled = replace(
        problem,
        state_constraint=twice(problem.state_constraint),
        control_constraint=twice(problem.control_constraint),
        constraint_value=np.repeat(problem.constraint_value, 2),
    )
    one, two = ls.solve_lq(problem), ls.solve_lq(doubled)
    assert two.multipliers == pytest.approx(np.repeat(one.multipliers / 2, 2))
    assert np.concatenate(two.controls) == pytest.approx(np.concatenate(one.controls))
    wrong = replace(doubled, constraint_value=problem.constraint_value + np.array([0.0, 1.0]))
    with pytest.raises(ls.SingularError, match=r"cannot all hold.*missed by.*contradict others"):
        ls.solve_lq(wrong)
    with pytest.raises(
        ls.ModelError, match=r"state_constraint has shape \(1, 3\); expected \(2, 3"
    ):
        replace(problem, constraint_value=[0.0, 1.0])


def test_a_terminal_constraint_brings_a_cart_to_rest_exactly():
    step, n = 0.1, 20
    A, B = np.array([[1, step], [0, 1]]), np.array([[step**2 / 2], [step]])
    problem = ls.LQProblem.from_time_series(
        [A] * n, [B] * n, [np.zeros((2, 2))] * (n + 1), x0=[1.0, 0.0], W=[np.eye(1)] * n
    )
    ends = [np.zeros((2, 2))] * n + [np.eye(2)]
    problem = replace(
        problem, state_constraint=ends, control_constraint=(), constraint_value=np.zeros(2)
    )
    solution = ls.solve_lq(problem)
    assert solution.states[n] == pytest.approx([0, 0], abs=1e-12)
    # least energy: u = -G^T (G G^T)^-1 A^n x_0, with G the reachability matrix
    G = np.hstack([np.linalg.matrix_power(A, n - 1 - k) @ B for k in range(n)])
    u = -G.T @ np.linalg.solve(G @ G.T, np.linalg.matrix_power(A, n) @ [1.0, 0.0])
    assert np.concatenate(solution.controls) == pytest.approx(u, rel=1e-9)


def sleigh():
    """Chaplygin's sleigh that glides and turns, and its accelerations in body axes.

    Centre of mass ahead of the edge by a: u' = a w^2, w' = -m a u w / (J + m a^2).
    """
    mass, a, J, u, w = 2.0, 0.3, 0.15, 1.2, 2.0
    model = ls.Model("sleigh")
    body = ls.RigidBody(mass, com=(a, 0, 0), inertia=(0.1, 0.1, J))
    model.add(body, ls.Planar("z"), name="sleigh")
    model.close(ls.Skate("y"), None, "sleigh", name="edge")
    system = model.compile()
    state = system.state(v=[u, 0.0, w])
    return system, state, np.array([a * w**2, u * w, -mass * a * u * w / (J + mass * a**2)])


def test_duals_of_a_sleigh_that_turns_have_the_accelerations_of_the_closed_form():
    system, state, vdot = sleigh()
    solution = ls.solve_lq(ls.optimal_control_dual(system, state))
    np.testing.assert_allclose(ls.dual_accelerations(solution), vdot, atol=1e-12)
    filtered = ls.filter_and_smoother(system, state)
    np.testing.assert_allclose(filtered.acceleration, vdot, atol=1e-12)
    motions = kinematics_base_to_tip(system, state.q, state.v)
    found, _, _ = order_n.solve_loops(system, motions, np.zeros(3))
    np.testing.assert_allclose(found, vdot, atol=1e-12)


@pytest.mark.parametrize("contact", [ls.Rolling(0.3, "y"), ls.RollingBall(0.3), ls.Skate("y")])
def test_duals_of_contacts_that_move_are_those_of_forward_dynamics(contact):
    model = ls.Model("contact", gravity=(0, 0, -9.81))
    body = ls.RigidBody(1.5, (0.1, 0.05, 0.02), (0.1, 0.2, 0.25))
    model.add(body, ls.Free(), name="wheel", at=(0, 0, 0.3))
    model.close(contact, None, "wheel", name="floor")
    system = model.compile()
    v = [0.4, 3.0, -0.7, 0.3, -0.5, 0.2]
    state = ls.assemble(system, system.state(v=v))
    vdot = ls.forward_dynamics(system, state)
    solution = ls.solve_lq(ls.optimal_control_dual(system, state))
    np.testing.assert_allclose(ls.dual_accelerations(solution), vdot, atol=1e-10)
    acceleration = ls.filter_and_smoother(system, state).acceleration
    np.testing.assert_allclose(acceleration, vdot, atol=1e-10)
