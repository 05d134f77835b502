"""Forward dynamics as optimal control: Gibbs' function, Armstrong's form, accuracy and cost."""

import tracemalloc
from collections import Counter

import numpy as np
import pytest

import lissom as ls
from lissom.papers.duality import (
    constraint_forces,
    dual_accelerations,
    dual_joint_forces,
    filter_and_smoother,
    gibbs_function,
    optimal_control_dual,
    solve_lq,
)
from tests.samples.dual_trees import SEEDS, TOLERANCE, case, largest, serial_chain, solved
from tests.samples.random_trees import frame_names
from tests.tools.measures import error
from tests.tools.oracle_comparison import well_conditioned

seeds = pytest.mark.parametrize("seed", SEEDS)


def test_the_random_trees_have_every_feature():
    total = sum((case(seed).coverage for seed in SEEDS), Counter())
    features = (
        *("branch", "several roots", "chain of four", "flexible on flexible", "body: rigid"),
        *("two nodes with children", "two children on one node", "body: massless link"),
        *("full and deformed", "linear and deformed", "external wrench on a node"),
    )
    assert [feature for feature in features if not total[feature]] == []


@seeds
def test_optimal_controls_are_the_accelerations(seed):
    c, (_, solution) = case(seed), solved(seed)
    expected = ls.forward_dynamics(c.system, c.state, c.forces, external=c.external)
    assert error(dual_accelerations(solution), expected, c.weight) < TOLERANCE


@seeds
def test_adjoints_are_the_joint_forces(seed):
    c, (_, solution) = case(seed), solved(seed)
    expected = ls.joint_forces(c.system, c.state, forces=c.forces, external=c.external)
    assert error(dual_joint_forces(solution), expected) < TOLERANCE
    for i, adjoint in enumerate(solution.adjoints):
        modal = c.forces[c.system.layout.modal_v(i)]
        assert largest(adjoint[:-6] + modal) <= TOLERANCE * largest(expected)


@seeds
def test_armature_is_the_weight_of_the_controls(seed):
    c = case(seed)
    options = {"external": c.external, "armature": c.armature}
    solution = solve_lq(optimal_control_dual(c.system, c.state, c.forces, **options))
    expected = ls.forward_dynamics(c.system, c.state, c.forces, **options)
    assert error(dual_accelerations(solution), expected, c.weight) < TOLERANCE
    found = filter_and_smoother(c.system, c.state, c.forces, **options)
    assert error(found.acceleration, expected, c.weight) < TOLERANCE


@seeds
def test_rate_linear_dynamics_are_those_at_rest_with_damping(seed):
    c = case(seed)
    options = {"external": c.external}
    problem = optimal_control_dual(c.system, c.state, c.forces, rate_linear=True, **options)
    forces = c.forces.copy()
    for i, body in enumerate(c.system.bodies):
        piece = c.system.layout.modal_v(i)
        forces[piece] -= body.damping @ c.state.v[piece]
    at_rest = c.state.replace(v=np.zeros(c.system.n_v))
    expected = ls.forward_dynamics(c.system, at_rest, forces, **options)
    assert error(dual_accelerations(solve_lq(problem)), expected, c.weight) < TOLERANCE


@seeds
def test_gradient_of_gibbs_function_vanishes_at_the_true_accelerations(seed):
    """The gradient is inverse dynamics less the forces; the Hessian is the mass matrix."""
    c = case(seed)
    vdot = ls.forward_dynamics(c.system, c.state, c.forces, external=c.external)
    problem, _ = solved(seed)
    edges = np.cumsum([B.shape[1] for B in problem.control_map])[:-1]

    def gradient(at):
        return np.array(
            [problem.cost(np.split(at + 1e-30j * e, edges)).imag / 1e-30 for e in np.eye(len(at))]
        )

    M = ls.mass_matrix(c.system, c.state)
    scale = np.abs(M) @ np.abs(vdot) + np.abs(ls.bias_force(c.system, c.state))
    assert np.max(np.abs(gradient(vdot)) / c.weight) < TOLERANCE * np.max(scale / c.weight)
    at_zero = gradient(np.zeros(len(vdot)))
    hessian = np.array([gradient(e) - at_zero for e in np.eye(len(vdot))])
    assert error(hessian, M) < 1e-8
    bias = ls.inverse_dynamics(c.system, c.state, 0 * vdot, external=c.external)
    assert error(at_zero, bias - c.forces) < TOLERANCE


@seeds
def test_true_accelerations_minimise_gibbs_function(seed):
    c, rng = case(seed), np.random.default_rng(seed)
    options = {"forces": c.forces, "external": c.external}
    vdot = ls.forward_dynamics(c.system, c.state, **options)
    M = ls.mass_matrix(c.system, c.state)
    least = gibbs_function(c.system, c.state, vdot, **options)
    assert np.isclose(least, solved(seed)[1].cost, rtol=1e-9)
    for size in (0.1, 1.0, 10.0):
        step = size * rng.normal(size=len(vdot)) / c.weight * np.abs(c.weight * vdot).max()
        more = gibbs_function(c.system, c.state, vdot + step, **options)
        assert more > least
        assert np.isclose(more - least, step @ M @ step / 2, rtol=1e-7)


def particle_gibbs(snapshot, vdot, forces, external):
    """Gibbs' sum 1/2 m a^2 - F a over the particles of the oracle, all forces among F."""
    particles = snapshot.particles
    a = particles.jacobian @ vdot + particles.bias
    total = np.sum(particles.mass[:, None] * a * (a / 2 - snapshot.gravity))
    total -= (forces - snapshot.elastic_force) @ vdot
    for key, wrench in external.items():
        total -= wrench @ snapshot.frames[key].acceleration(vdot, "body")
    return total


def dropped_constant(tree, snapshot, problem, external):
    """What Gibbs' sum has beside the cost of the dual, as its docstring lists it."""
    particles, frames = snapshot.particles, snapshot.frames

    def carried(i, point):
        """Bias acceleration of a point that is fixed to body i, undeformed."""
        angular, linear = np.split(frames[i, None].world_bias, 2)
        return linear + np.cross(angular, point - frames[i, None].position)

    total = 0.0
    for i, own in enumerate(tree.body_index):
        M, h = problem.state_weight[own], problem.state_slope[own]
        a_non = np.zeros(len(h))
        a_non[-6:] = frames[i, None].acceleration(np.zeros(len(snapshot.v)), "body")
        total += a_non @ M @ a_non / 2 + (h - M @ a_non) @ a_non
    for i, m, arm, bias in zip(
        particles.body, particles.mass, particles.arms, particles.bias, strict=True
    ):
        gamma = bias - carried(i, arm)
        total += m * (gamma @ gamma - snapshot.gravity @ snapshot.gravity) / 2
    for (i, node), wrench in external.items():
        frame = frames[i, node]
        angular = frame.world_bias[:3] - frames[i, None].world_bias[:3]
        linear = frame.world_bias[3:] - carried(i, frame.position) + snapshot.gravity
        total -= wrench @ frame.axes("body") @ np.concatenate([angular, linear])
    return total


@pytest.mark.parametrize("seed", range(4))
def test_gibbs_function_is_that_of_the_particles_but_for_a_constant(seed):
    description, tree, snapshot = well_conditioned(seed, None)
    names, rng = frame_names(description), np.random.default_rng(seed)
    external = {names[key]: wrench for key, wrench in description.external.items()}
    state, forces = tree.state(snapshot.q, snapshot.v), tree.to_lissom(description.forces)
    problem = optimal_control_dual(tree.system, state, forces, external=external)
    constant = dropped_constant(tree, snapshot, problem, description.external)
    for vdot in rng.normal(size=(4, len(forces))) * 10:
        own = tree.to_lissom(vdot)
        found = gibbs_function(tree.system, state, own, forces, external=external)
        expected = particle_gibbs(snapshot, vdot, description.forces, description.external)
        size = max(abs(expected), abs(constant))
        assert abs(found + constant - expected) < TOLERANCE * size


@seeds
def test_armstrong_form_gives_the_constraint_forces(seed):
    """(B 8), (B 10), (B 31): a force through a hinge is B (B'B)^-1 t + Q f_box."""
    problem, solution = solved(seed)
    result = constraint_forces(problem, solution)
    scale = largest(dual_joint_forces(solution))
    for i in range(problem.n_node):
        B, Q, t = problem.control_map[i], result.complement[i], problem.control_reward[i]
        assert largest(B.T @ Q) < 1e-14
        assert largest(Q.T @ Q - np.eye(Q.shape[1])) < 1e-14
        assert not np.any(Q[:-6])
        free = B @ np.linalg.solve(B.T @ B, t)
        deviation = free + Q @ result.force[i] + solution.adjoints[i]
        assert largest(deviation) <= TOLERANCE * scale
        affine = result.inertia[i] @ Q.T @ solution.states[i] + result.bias[i]
        assert largest(affine - result.force[i]) <= 1e-13 * scale


@seeds
def test_armstrong_inertias_make_the_articulated_inertias(seed):
    """(B 29), (B 30) with T_{n+1,n} transposed, and (B 42), on a tree."""
    problem, solution = solved(seed)
    result, S = constraint_forces(problem, solution), solution.value_matrix
    by_30 = [M.copy() for M in problem.state_weight]
    by_42 = [M.copy() for M in problem.state_weight]
    for i, p in enumerate(problem.parent):
        B, Q = problem.control_map[i], result.complement[i]
        through = Q @ result.inertia[i] @ Q.T
        passed = S[i] - S[i] @ B @ np.linalg.solve(B.T @ S[i] @ B, B.T @ S[i])
        assert largest(passed - through) <= TOLERANCE * largest(S[i])  # (29)
        if p >= 0:
            A = problem.transition[i]
            Gamma = A - B @ solution.gain[i]
            by_30[p] += A.T @ through @ A
            by_42[p] += Gamma.T @ S[i] @ Gamma
    for i in range(problem.n_node):
        assert error(by_30[i], S[i]) <= TOLERANCE
        assert error(by_42[i], S[i]) <= TOLERANCE


def test_with_armature_the_riccati_equation_gains_a_term():
    c = case(2)
    problem = optimal_control_dual(c.system, c.state, armature=c.armature)
    solution = solve_lq(problem)
    expected = [M.copy() for M in problem.state_weight]
    for i, p in enumerate(problem.parent):
        if p >= 0:
            K, W = solution.gain[i], problem.control_weight[i]
            Gamma = problem.transition[i] - problem.control_map[i] @ K
            expected[p] += Gamma.T @ solution.value_matrix[i] @ Gamma + K.T @ W @ K
    for S, sum_ in zip(solution.value_matrix, expected, strict=True):
        assert error(S, sum_) < 1e-12
    with pytest.raises(ls.ModelError, match="armature"):
        constraint_forces(problem, solution)


def memory(function, *arguments):
    tracemalloc.start()
    function(*arguments)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def long_chain(n):
    model = ls.Model(gravity=(0, 0, -9.81))
    for k in range(n):
        body = ls.RigidBody.box(1.0, (0.5, 0.05, 0.05), com=(0.25, 0, 0))
        place = {"to": f"l{k - 1}", "at": (0.5, 0, 0)} if k else {}
        model.add(body, ls.Universal("y", "z"), name=f"l{k}", **place)
    return model.compile()


def test_memory_grows_linearly_with_the_bodies():
    """Twice the bodies, twice the memory; a matrix of the size of the system would take four."""
    peaks = []
    for n in (60, 120):
        system = long_chain(n)
        state = system.neutral()
        problem = optimal_control_dual(system, state)
        solution = solve_lq(problem)
        peaks.append(
            [
                memory(optimal_control_dual, system, state),
                memory(solve_lq, problem),
                memory(constraint_forces, problem, solution),
                memory(filter_and_smoother, system, state),
            ]
        )
    assert np.all(np.divide(peaks[1], peaks[0]) < 2.4)


def test_a_long_chain_keeps_its_digits():
    system = long_chain(100)
    state = system.state(np.tile([0.3, 0.41], 100), 0.1 * np.ones(200))
    expected = ls.forward_dynamics(system, state, method="composite")
    M = ls.mass_matrix(system, state)
    limit = 100 * np.finfo(float).eps * np.linalg.cond(M)
    regulated = dual_accelerations(solve_lq(optimal_control_dual(system, state)))
    assert error(regulated, expected) < limit
    assert error(filter_and_smoother(system, state).acceleration, expected) < limit


def test_a_hinge_without_inertia_is_named():
    """Axes of a massless gimbal that lie in one plane when the middle one is at 90 degrees."""
    model = ls.Model()
    model.add(ls.RigidBody(0.0), ls.Revolute("x"), name="outer")
    model.add(ls.RigidBody(0.0), ls.Revolute("y"), to="outer", name="middle")
    model.add(
        ls.RigidBody(3.0, inertia=np.diag([1, 1.2, 0.9])), ls.Revolute("z"), to="middle", name="w"
    )
    system = model.compile()
    vdot = dual_accelerations(
        solve_lq(optimal_control_dual(system, system.state(middle=1.0), [1, 2, 3]))
    )
    assert error(vdot, ls.forward_dynamics(system, system.state(middle=1.0), [1, 2, 3])) < 1e-12
    locked = system.state(middle=np.pi / 2)
    with pytest.raises(ls.SingularError, match="outer") as caught:
        solve_lq(optimal_control_dual(system, locked))
    assert caught.value.body == "outer"
    with pytest.raises(ls.SingularError, match="body 'outer': .* moves no inertia"):
        filter_and_smoother(system, locked)


def test_duals_need_real_numbers():
    system = serial_chain()
    state = system.neutral()
    for dual in (optimal_control_dual, filter_and_smoother):
        with pytest.raises(ls.StateError, match="real numbers"):
            dual(system, state.replace(v=state.v + 1e-20j))
        with pytest.raises(ls.StateError, match="expected a State"):
            dual(system, state.q)
        with pytest.raises(ls.StateError, match="forces has shape"):
            dual(system, state, [1.0])
