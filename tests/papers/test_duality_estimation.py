"""Forward dynamics as estimation, against textbook filters and a joint Gaussian distribution."""

import numpy as np
import pytest

import lissom as ls
from lissom.algorithms.tree.arguments import motions_of
from lissom.papers.duality import filter_and_smoother
from lissom.papers.duality.blocks import modal_blocks
from tests.samples.dual_trees import SEEDS, TOLERANCE, Case, case, largest, serial_chain, solved
from tests.tools.measures import error

seeds = pytest.mark.parametrize("seed", SEEDS)


@seeds
def test_smoothed_accelerations_and_forces_are_those_of_dynamics(seed):
    c = case(seed)
    found = filter_and_smoother(c.system, c.state, c.forces, external=c.external)
    options = {"forces": c.forces, "external": c.external}
    vdot = ls.forward_dynamics(c.system, c.state, **options)
    assert error(found.acceleration, vdot, c.weight) < TOLERANCE
    forces = ls.joint_forces(c.system, c.state, vdot, external=c.external)
    assert error([f[-6:] for f in found.hinge_force], forces) < TOLERANCE
    for i, name in enumerate(c.system.names):
        alpha = ls.acceleration(c.system, c.state, name, vdot, axes="body")
        alpha[3:] -= ls.pose(c.system, c.state, name).rotation.T @ c.system.gravity
        assert error(found.spatial_acceleration[i][-6:], alpha) < 1e-8


@seeds
def test_filter_and_regulator_are_dual(seed):
    """P = S, D = R, G^T A = K, and z = r - P A a_non with a_non of the parent."""
    c, (problem, solution) = case(seed), solved(seed)
    found = filter_and_smoother(c.system, c.state, c.forces, external=c.external)
    P, D, G = found.articulated_inertia, found.hinge_inertia, found.hinge_gain
    size = largest(np.concatenate([*found.residual_force, c.forces]))
    a_non = []
    for i, p in enumerate(problem.parent):
        a_non.append(found.spatial_acceleration[i] - solution.states[i])
        assert error(P[i], solution.value_matrix[i]) < TOLERANCE
        assert error(D[i], solution.control_hessian[i]) < TOLERANCE
        assert largest(G[i].T @ problem.transition[i] - solution.gain[i]) < 1e-8
        inboard = problem.transition[i] @ (np.zeros(6) if p < 0 else a_non[p])
        z = solution.value_slope[i] - P[i] @ inboard
        assert largest(z - found.residual_force[i]) <= 1e-9 * size
        nothing = found.articulated_inertia_inboard[i] @ problem.control_map[i]
        assert largest(nothing) <= TOLERANCE * largest(P[i])


def moving(system, seed=0):
    rng = np.random.default_rng(seed)
    q = system.neutral().q + rng.uniform(-1, 1, system.n_q)
    q[:4] /= np.linalg.norm(q[:4])
    for name in ("upper", "lower"):
        q[system.layout.modal_q(name)] *= 1e-2
    return system.state(q, rng.normal(size=system.n_v)), rng.normal(size=system.n_v)


def kalman(F, H, Q, mean, y):
    """Textbook filter for x(k+1) = F x(k) + w, y = H x; lists (x-, P-, K, innovation, x+, P+)."""
    steps, n = [], len(Q[0])
    x, P = np.zeros(n), np.zeros((n, n))
    for k in range(len(y)):
        x, P = (F[k] @ x, F[k] @ P @ F[k].T) if k else (np.zeros(n), np.zeros((n, n)))
        x, P = x + mean[k], P + Q[k]
        innovation, S = y[k] - H[k] @ x, H[k] @ P @ H[k].T
        K = P @ H[k].T @ np.linalg.inv(S)
        predicted = x, P
        x, P = x + K @ innovation, (np.eye(len(P)) - K @ H[k]) @ P
        steps.append((*predicted, K, innovation, x, P))
    return steps


def rauch_tung_striebel(F, steps):
    """Textbook fixed-interval smoother: the smoothed states, first to last."""
    smoothed = [steps[-1][4]]
    for k in reversed(range(len(steps) - 1)):
        x_minus, P_minus = steps[k + 1][:2]
        x_plus, P_plus = steps[k][4:]
        C = P_plus @ F[k + 1].T @ np.linalg.inv(P_minus)
        smoothed.append(x_plus + C @ (smoothed[-1] - x_minus))
    return smoothed[::-1]


def chain_in_time(system, state, forces):
    """(F, H, Q, a_non, beta, y) of a serial chain, tip to base; gravity in a_non."""
    blocks = modal_blocks(system, motions_of(system, state), state.v, forces)
    inboard, a_non = np.concatenate([np.zeros(3), -system.gravity]), []
    for block in blocks:
        inboard = block.propagate_to_parent.T @ inboard + block.coriolis_acceleration
        a_non.append(inboard)
    tips_first = blocks[::-1]
    return (
        [None, *(block.propagate_to_parent for block in tips_first[:-1])],
        [block.motion_map.T for block in tips_first],
        [block.modal_mass for block in tips_first],
        a_non[::-1],
        [block.bias_force for block in tips_first],
        [block.generalized_force for block in tips_first],
    )


def test_a_textbook_kalman_filter_finds_the_same_forces_at_rest():
    system = serial_chain()
    state, forces = moving(system)
    straight = {"upper.modes": np.zeros(3), "lower.modes": np.zeros(3)}
    state = system.state(state.q, **straight)
    found = filter_and_smoother(system, state, forces)
    F, H, Q, _, beta, y = chain_in_time(system, state, forces)
    assert not np.any(np.concatenate(beta))
    for k, step in enumerate(kalman(F, H, Q, [np.zeros(len(q)) for q in Q], y)):
        i = system.n_body - 1 - k
        x_minus, P_minus, K, innovation, x_plus, P_plus = step
        assert error(found.residual_force[i], x_minus) < TOLERANCE
        assert error(found.articulated_inertia[i], P_minus) < TOLERANCE
        assert error(found.hinge_gain[i], K) < TOLERANCE
        assert error(found.innovation_force[i], innovation) < TOLERANCE
        assert error(found.residual_force_inboard[i], x_plus) < TOLERANCE
        deviation = found.articulated_inertia_inboard[i] - P_plus
        assert largest(deviation) <= TOLERANCE * largest(P_minus)


def test_a_textbook_smoother_finds_joint_forces_and_accelerations_in_motion():
    """The noise has the mean M a_non + beta; the smoother's adjoint is alpha - a_non."""
    system = serial_chain()
    state, forces = moving(system)
    F, H, Q, a_non, beta, y = chain_in_time(system, state, forces)
    mean = [M @ a + b for M, a, b in zip(Q, a_non, beta, strict=True)]
    steps = kalman(F, H, Q, mean, y)
    smoothed = rauch_tung_striebel(F, steps)
    found = filter_and_smoother(system, state, forces)
    expected = ls.joint_forces(system, state, forces=forces)
    for k, f in enumerate(smoothed):
        i = system.n_body - 1 - k
        assert error(f[-6:], expected[i]) < 1e-9
        assert error(found.hinge_force[i], f) < 1e-9
        x_minus, P_minus = steps[k][:2]
        adjoint = np.linalg.solve(P_minus, f - x_minus)
        assert error(found.spatial_acceleration[i], a_non[k] + adjoint) < 1e-8


def joint_gaussian(c: Case, blocks):
    """Stacked (I - E)^-1, H, M, and the slices of bodies in forces and in measurements."""
    n = np.cumsum([0, *(len(block.modal_mass) for block in blocks)])
    m = np.cumsum([0, *(block.motion_map.shape[1] for block in blocks)])
    rows = [slice(*n[i : i + 2]) for i in range(len(blocks))]
    measured = [slice(*m[i : i + 2]) for i in range(len(blocks))]
    step, H, M = np.zeros((n[-1], n[-1])), np.zeros((m[-1], n[-1])), np.zeros((n[-1], n[-1]))
    for i, block in enumerate(blocks):
        if (p := c.system.parent[i]) >= 0:
            step[rows[p], rows[i]] = block.propagate_to_parent
        H[measured[i], rows[i]] = block.motion_map.T
        M[rows[i], rows[i]] = block.modal_mass
    return np.linalg.inv(np.eye(n[-1]) - step), H, M, rows, measured


def outboard_of(system, i):
    found = {i}
    for j in range(i + 1, system.n_body):
        if system.parent[j] in found:
            found.add(j)
    return found


@pytest.mark.parametrize("seed", range(8))
def test_filtered_forces_are_conditional_expectations_of_a_joint_gaussian(seed):
    """z(i) given T outboard of i, z+(i) given T(i) as well; accelerations count from body i."""
    c = case(seed)
    motions = motions_of(c.system, c.state)
    blocks = modal_blocks(c.system, motions, c.state.v, c.forces)
    Phi, H, M, rows, measured = joint_gaussian(c, blocks)
    found = filter_and_smoother(c.system, c.state, c.forces)
    scale = largest(np.concatenate([*found.residual_force, c.forces]))
    covariance = Phi @ M @ Phi.T
    assert error(H @ covariance @ H.T, ls.mass_matrix(c.system, c.state)) < TOLERANCE
    for i in range(c.system.n_body):
        tree = sorted(outboard_of(c.system, i))
        mean, a = np.zeros(len(M)), {}
        for j in tree:
            inboard = a.get(c.system.parent[j])
            carried = 0 if inboard is None else blocks[j].propagate_to_parent.T @ inboard
            a[j] = carried + blocks[j].coriolis_acceleration
            mean[rows[j]] = blocks[j].modal_mass @ a[j] + blocks[j].bias_force
        mean = Phi @ mean
        for given, expected in (
            (tree[1:], found.residual_force),
            (tree, found.residual_force_inboard),
        ):
            index = [k for j in given for k in range(measured[j].start, measured[j].stop)]
            H_g, y = H[index], c.forces[index]
            gain = covariance @ H_g.T @ np.linalg.inv(H_g @ covariance @ H_g.T)
            estimate = mean + gain @ (y - H_g @ mean)
            assert largest(estimate[rows[i]] - expected[i]) <= 1e-8 * scale


@pytest.mark.parametrize("seed", range(8))
def test_accelerations_are_multipliers_of_the_least_squares_problem(seed):
    """Estimate of the noise: w = M alpha; alpha and vdot are the multipliers of (1) and (2)."""
    c = case(seed)
    state = c.system.state(c.state.q)
    blocks = modal_blocks(c.system, motions_of(c.system, state), state.v, c.forces)
    Phi, H, M, *_ = joint_gaussian(c, blocks)
    a_non, ground = [], np.concatenate([np.zeros(3), -c.system.gravity])
    for block, p in zip(blocks, c.system.parent, strict=True):
        a_non.append(block.propagate_to_parent.T @ (ground if p < 0 else a_non[p]))
    beta = np.concatenate([block.bias_force for block in blocks])
    mean = Phi @ (M @ np.concatenate(a_non) + beta)
    # min 1/2 w' M^-1 w, f = Phi (mean noise + w), H f = T, with w = M alpha as M may be singular
    vdot = np.linalg.solve(H @ Phi @ M @ Phi.T @ H.T, c.forces - H @ mean)
    alpha = Phi.T @ H.T @ vdot
    found = filter_and_smoother(c.system, state, c.forces)
    assert error(found.acceleration, vdot, c.weight) < 1e-9
    assert error(np.concatenate(found.spatial_acceleration), np.concatenate(a_non) + alpha) < 1e-8
