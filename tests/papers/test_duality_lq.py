"""The linear-quadratic solver against dense conditions, other optimisers and textbook results."""

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize

import lissom as ls
from lissom.papers.duality import LQProblem, constraint_forces, solve_lq
from tests.references.peers import peer
from tests.samples.dual_trees import TOLERANCE, case
from tests.tools.measures import error


def random_problem(seed, *, chain=False, weights=True) -> LQProblem:
    """Convex problem with nodes of different sizes; weights: W, N, L and c beside M, h and t."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(3, 9))
    parent = [k - 1 if chain else int(rng.integers(-1, k)) for k in range(count)]
    n, m = rng.integers(2, 5, count), rng.integers(0 if weights else 1, 3, count)
    x0 = rng.normal(size=3)
    n_p = [len(x0) if p < 0 else n[p] for p in parent]

    def matrices(rows, columns, size=1.0):
        return [size * rng.normal(size=shape) for shape in zip(rows, columns, strict=True)]

    def positive(sizes, least):
        return [a @ a.T + least * np.eye(len(a)) for a in matrices(sizes, sizes)]

    options = {}
    if weights:
        options = {
            "control_weight": positive(m, 2.0),
            "cross_weight": matrices(n, m, 0.2),
            "inboard_cross_weight": matrices(n_p, m, 0.2),
            "offset": [rng.normal(size=k) for k in n],
        }
    return LQProblem(
        matrices(n, n_p),
        matrices(n, m),
        positive(n, 0.5),
        [rng.normal(size=k) for k in n],
        [rng.normal(size=k) for k in m],
        None if chain else parent,
        x0,
        **options,
    )


def dense(problem):
    """Hessian, gradient, constraint matrix and right side in the variables (all x, all u)."""
    n = [len(A) for A in problem.transition]
    m = [B.shape[1] for B in problem.control_map]
    edges = np.cumsum([0, *n, *m])
    x = [slice(*edges[i : i + 2]) for i in range(len(n))]
    u = [slice(*edges[i : i + 2]) for i in range(len(n), 2 * len(n))]
    size, rows = edges[-1], edges[len(n)]
    H, g, C, d = np.zeros((size, size)), np.zeros(size), np.zeros((rows, size)), np.zeros(rows)
    for i, p in enumerate(problem.parent):
        H[x[i], x[i]], H[u[i], u[i]] = problem.state_weight[i], problem.control_weight[i]
        H[x[i], u[i]] = problem.cross_weight[i]
        H[u[i], x[i]] = problem.cross_weight[i].T
        g[x[i]], g[u[i]] = problem.state_slope[i], -problem.control_reward[i]
        C[x[i], x[i]], C[x[i], u[i]] = np.eye(n[i]), -problem.control_map[i]
        d[x[i]] = problem.offset[i]
        if p < 0:
            d[x[i]] += problem.transition[i] @ problem.initial_state
            g[u[i]] += problem.inboard_cross_weight[i].T @ problem.initial_state
        else:
            C[x[i], x[p]] = -problem.transition[i]
            H[x[p], u[i]] = problem.inboard_cross_weight[i]
            H[u[i], x[p]] = problem.inboard_cross_weight[i].T
    return H, g, C, d


def stacked(solution):
    return np.concatenate([*solution.states, *solution.controls])


lq_kinds = pytest.mark.parametrize("kind", [{}, {"weights": False}, {"chain": True}], ids=str)


@lq_kinds
@pytest.mark.parametrize("seed", range(6))
def test_the_solution_solves_the_dense_optimality_conditions(kind, seed):
    problem = random_problem(seed, **kind)
    solution, (H, g, C, d) = solve_lq(problem), dense(problem)
    free = scipy.linalg.null_space(C)
    assert np.linalg.eigvalsh(free.T @ H @ free)[0] > 0
    conditions = np.block([[H, C.T], [C, np.zeros((len(d), len(d)))]])
    expected = np.linalg.solve(conditions, np.concatenate([-g, d]))
    assert error(np.concatenate([stacked(solution), *solution.adjoints]), expected) < TOLERANCE
    z = expected[: len(g)]
    assert np.isclose(solution.cost, z @ H @ z / 2 + g @ z, rtol=1e-11)


@lq_kinds
@pytest.mark.parametrize("seed", range(2))
def test_two_optimisers_find_the_same_minimum(kind, seed):
    problem = random_problem(seed, **kind)
    solution, (H, g, C, d) = solve_lq(problem), dense(problem)
    found = scipy.optimize.minimize(
        lambda z: z @ H @ z / 2 + g @ z,
        np.zeros(len(g)),
        jac=lambda z: H @ z + g,
        constraints={"type": "eq", "fun": lambda z: C @ z - d, "jac": lambda z: C},
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert found.success
    assert np.isclose(found.fun, solution.cost, rtol=1e-7)
    assert error(found.x, stacked(solution)) < 1e-4
    assert error(quadratic_program(problem), stacked(solution)) < 1e-8


def quadratic_program(problem):
    """Minimum by CasADi's active-set QP solver."""
    casadi = peer("casadi")
    H, g, C, d = dense(problem)
    H, C = casadi.DM(H), casadi.DM(C)
    quiet = {"print_iter": False, "print_header": False, "print_info": False}
    solver = casadi.conic("solver", "qrqp", {"h": H.sparsity(), "a": C.sparsity()}, quiet)
    return solver(h=H, g=g, a=C, lba=d, uba=d)["x"].full().ravel()


@pytest.mark.parametrize("seed", range(6))
def test_a_quadratic_program_finds_the_accelerations_of_a_tree(seed):
    """The dual of a flexible tree, solved without any recursion."""
    c = case(seed)
    problem = ls.optimal_control_dual(c.system, c.state, c.forces, external=c.external)
    found = quadratic_program(problem)[-c.system.n_v :]
    expected = ls.forward_dynamics(c.system, c.state, c.forces, external=c.external)
    assert error(found, expected, c.weight) < 1e-8


@pytest.mark.parametrize("seed", range(4))
def test_the_cost_to_go_is_the_value_of_the_subtree(seed):
    problem = random_problem(seed)
    solution = solve_lq(problem)
    total = np.zeros(problem.n_node)
    for i in reversed(range(problem.n_node)):
        x, u, p = solution.states[i], solution.controls[i], problem.parent[i]
        S, r = solution.value_matrix[i], solution.value_slope[i]
        total[i] += x @ problem.state_weight[i] @ x / 2 + problem.state_slope[i] @ x
        assert np.isclose(total[i], x @ S @ x / 2 + r @ x + solution.value_constant[i], rtol=1e-10)
        inboard = problem.initial_state if p < 0 else solution.states[p]
        control = u @ problem.control_weight[i] @ u / 2 - problem.control_reward[i] @ u
        control += (x @ problem.cross_weight[i] + inboard @ problem.inboard_cross_weight[i]) @ u
        if p >= 0:
            total[p] += total[i] + control
        assert error(u, solution.feedforward[i] - solution.gain[i] @ inboard) < 1e-12


def time_series(seed=0, n=40):
    rng = np.random.default_rng(seed)
    A, B = np.eye(3) + 0.3 * rng.normal(size=(3, 3)), rng.normal(size=(3, 2))
    whole = rng.normal(size=(5, 5))
    whole = whole @ whole.T + 0.1 * np.eye(5)
    return A, B, whole[:3, :3], whole[3:, 3:], whole[:3, 3:], rng, n


def test_a_long_horizon_has_the_gain_of_the_algebraic_riccati_equation():
    A, B, M, W, N, rng, n = time_series()
    x0 = rng.normal(size=3)
    weights = {"W": [W] * n, "N": [N] * n}
    solution = solve_lq(
        LQProblem.from_time_series([A] * n, [B] * n, [M] * (n + 1), x0=x0, **weights)
    )
    S = scipy.linalg.solve_discrete_are(A, B, M, W, s=N)
    K = np.linalg.solve(B.T @ S @ B + W, B.T @ S @ A + N.T)
    assert error(solution.value_matrix[0], S) < 1e-9
    assert error(solution.gain[1], K) < 1e-9
    assert np.isclose(solution.cost, x0 @ S @ x0 / 2, rtol=1e-9)


def test_time_series_with_linear_terms_is_the_textbook_sum():
    A, B, M, W, N, rng, n = time_series(1, 5)
    h, t, c = rng.normal(size=(n + 1, 3)), rng.normal(size=(n, 2)), rng.normal(size=(n, 3))
    x0, terminal = rng.normal(size=3), [M] * n + [7 * M]
    problem = LQProblem.from_time_series(
        [A] * n, [B] * n, terminal, h, t, x0, W=[W] * n, N=[N] * n, c=c
    )

    def cost(controls):
        x, total = x0, 0.0
        for k, u in enumerate(controls.reshape(n, 2)):
            total += x @ M @ x / 2 + h[k] @ x + u @ W @ u / 2 - t[k] @ u + x @ N @ u
            x = A @ x + B @ u + c[k]
        return total + x @ (7 * M) @ x / 2 + h[n] @ x

    solution = solve_lq(problem)
    found = scipy.optimize.minimize(cost, np.zeros(2 * n), tol=1e-10)
    assert np.isclose(solution.cost, found.fun, rtol=1e-9)
    assert np.isclose(solution.cost, cost(np.concatenate(solution.controls)), rtol=1e-12)
    assert np.array_equal(solution.states[0], x0)
    u, x = solution.controls[3], solution.states
    assert error(x[3], A @ x[2] + B @ u + c[2]) < 1e-14


def test_paper_form_meets_its_boundary_value_problem():
    """(B 35), (B 36), (B 37), (B 38) and the Riccati equation (B 40), in the paper's indices."""
    problem = random_problem(3, chain=True, weights=False)
    solution = solve_lq(problem)
    x, u, lam = solution.states, solution.controls, solution.adjoints
    S, r, R = solution.value_matrix, solution.value_slope, solution.control_hessian
    N = problem.n_node - 1
    for k in range(N):
        A, B, t = (
            f[k + 1] for f in (problem.transition, problem.control_map, problem.control_reward)
        )
        M, h = problem.state_weight[k], problem.state_slope[k]
        assert error(x[k + 1], A @ x[k] + B @ u[k + 1]) < 1e-13  # (35)
        assert error(lam[k], A.T @ lam[k + 1] - M @ x[k] - h) < TOLERANCE  # (36)
        assert np.abs(t + B.T @ lam[k + 1]).max() < TOLERANCE * np.abs(lam[k + 1]).max()  # (37)
        assert error(lam[k], -S[k] @ x[k] - r[k]) < 1e-13  # (38)
        inner = S[k + 1] - S[k + 1] @ B @ np.linalg.solve(R[k + 1], B.T @ S[k + 1])
        assert error(S[k], A.T @ inner @ A + M) < TOLERANCE  # (40)


def simple_problem(**changes):
    fields = {
        "transition": [np.eye(2)] * 3,
        "control_map": [np.eye(2)[:, :1]] * 3,
        "state_weight": [np.eye(2)] * 3,
    }
    return LQProblem(**fields | changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"transition": []}, "at least one node"),
        ({"transition": 3.0}, "transition is 3.0"),
        ({"control_map": [np.eye(2)] * 2}, "control_map has 2 entries; there are 3 nodes"),
        ({"control_map": [np.eye(3)] * 3}, r"node 0: control_map has shape \(3, 3\); .*\(2, 3\)"),
        ({"transition": [np.eye(2), np.ones((2, 3)), np.eye(2)]}, r"node 1: transition .*\(2, 3\)"),
        ({"state_weight": None}, "state_weight has 0 entries"),
        ({"state_weight": [np.eye(2), np.eye(2), [1, 2]]}, "node 2: state_weight .* 2 axes"),
        ({"state_weight": [np.eye(2), np.eye(2), [[1, 2], [0, 1]]]}, "node 2: .* not symmetric"),
        ({"state_slope": [[1, 2], [3, 4], [5]]}, r"node 2: state_slope has shape \(1,\).*\(2,\)"),
        ({"control_reward": [[1], [np.nan], [1]]}, "node 1: control_reward .* not finite"),
        ({"control_reward": [[1], [1j], [1]]}, "node 1: control_reward is not an array of real"),
        ({"offset": [["a", "b"]] * 3}, "node 0: offset is not an array of real numbers"),
        ({"cross_weight": [np.eye(2)] * 3}, r"node 0: cross_weight .* expected \(2, 1\)"),
        ({"parent": [-1, 1, 0]}, "node 1: parent is 1; .* base to tip"),
        ({"parent": [-1, 0]}, "expected 3 whole numbers"),
        ({"parent": [-1, 0, 0.5]}, "expected 3 whole numbers"),
        ({"initial_state": [1, 2, 3]}, r"initial_state has shape \(3,\); expected \(2,\)"),
        ({"names": ["a"]}, "names has 1 entries"),
        ({"names": "abc", "offset": [[0, 0], [0, 0], [0]]}, r"node 2 \(c\): offset"),
    ],
)
def test_bad_data_are_named(changes, message):
    with pytest.raises(ls.ModelError, match=message):
        simple_problem(**changes)


def test_bad_time_series_are_named():
    A, B, M = np.eye(2), np.ones((2, 1)), np.eye(2)
    with pytest.raises(ls.ModelError, match="M has 3 entries; expected 4 for 3 stages"):
        LQProblem.from_time_series([A] * 3, [B] * 3, [M] * 3)
    with pytest.raises(ls.ModelError, match="W has 4 entries; expected 3 for 3 stages"):
        LQProblem.from_time_series([A] * 3, [B] * 3, [M] * 4, W=[np.eye(1)] * 4)
    with pytest.raises(ls.ModelError, match=r"node 2 \(state x_2, stage 1\): control_map"):
        LQProblem.from_time_series([A] * 3, [B, np.ones((3, 1)), B], [M] * 4)


def test_fields_do_not_change():
    problem = simple_problem()
    with pytest.raises(ValueError, match="read-only"):
        problem.transition[0][0, 0] = 2.0


@pytest.mark.parametrize("weight", [np.zeros((2, 2)), np.diag([-1.0, 1.0])])
def test_a_control_without_a_unique_optimum_is_named(weight):
    problem = simple_problem(state_weight=[np.eye(2), np.eye(2), weight], names=["a", "b", "c"])
    with pytest.raises(ls.SingularError, match=r"node 2 \(c\): .* no unique minimum") as caught:
        solve_lq(problem)
    assert caught.value.body == "c"


@pytest.mark.parametrize("units", [1e-9, 1.0, 1e9])
def test_leftover_noise_is_not_taken_for_weight(units):
    """Two controls in the same direction, in which only the outer node has weight."""
    b = units * np.array([[0.3], [0.7]])
    problem = simple_problem(state_weight=[np.zeros((2, 2))] * 2 + [np.eye(2)], control_map=[b] * 3)
    with pytest.raises(ls.SingularError, match="node 1"):
        solve_lq(problem)


def test_constraint_forces_need_the_solution_of_the_problem():
    with pytest.raises(ls.ModelError, match="give the solution of this problem"):
        constraint_forces(simple_problem(), solve_lq(random_problem(0)))
