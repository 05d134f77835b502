"""Linear-quadratic optimal control on a chain or a tree by the Riccati recursion.

Notation, at node i with parent p (see `LQProblem`); V the cost of the node and all outboard of it
  V_i(x) = 1/2 x' S x + r' x + s        R  Hessian of the cost in u        K, k  gain, feedforward
  Gamma  closed loop                    lambda  adjoint                    mu  multipliers of E, F

Tip to base; the sums run over the children of p:
  R = B'SB + B'N + N'B + W                                                            (1)
  K = R^-1 ((B'S + N') A + L')                                                        (2)
  k = R^-1 (t - B'r - (B'S + N') c)                                                   (3)
  Gamma = A - B K                                                                     (4)
  S_p = M_p + sum Gamma'S Gamma + K'WK - Gamma'NK - K'N'Gamma - LK - K'L'             (5)
  r_p = h_p + sum Gamma'(S c + r) + K'(t - N'c)                                       (6)
  s_p = sum s + c'(S c / 2 + r) - k'R k / 2                                           (7)
Base to tip:
  u = -K x_p + k,   x = A x_p + B u + c                                               (8)
  lambda = -(S x + r) - N u                                                           (9)
Constraints sum E x + F u = e make h + E'mu of h and t - F'mu of t.  S, R and K stay; r, k and s
become r + rho mu, k - kappa mu and s + sigma'mu - 1/2 mu'Lambda mu, with rho = E' at a tip and
  kappa = R^-1 (F' + B'rho)                                                           (10)
  rho_p = E_p' + sum Gamma'rho - K'F'                                                 (11)
  sigma_p = sum sigma + rho'c + kappa'R k,   Lambda_p = sum Lambda + kappa'R kappa    (12)
Inboard of the root the cost is largest in mu where the constraints hold, x_0 the initial state:
  Lambda mu = rho'x_0 + sigma - e                                                     (13)

Source: (B 34), (B 35), (B 36), (B 37), (B 38), (B 39), (B 40), (B 41), (B 42).  Differs: trees; the
control of node i drives into it (the paper's k + 1); weights W, N, L and offsets c, without which
(1)-(3) are (B 39), (5) is (B 42), (6) is (B 41), (8) is (B 35) and (9) is (B 38).  (5) has the form
of (B 42), a sum of squares where N = L = 0, not of (B 40), a difference; R of (1) is
Psi_nPP of (B 25).  The paper has no constraints.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ...errors import ModelError, SingularError
from ...printing import Shown
from .lq_problem import LQProblem
from .rounding import check_definite, diagonal_bound, least_multipliers

Array = np.ndarray

_FULFILLED = 1e-6  # fraction of the largest terms by which a constraint may be missed


@dataclass(frozen=True, eq=False)
class LQSolution(Shown):
    """Optimal states and controls, and the optimal feedback law.

    Each field except the cost has one entry for each node.

    Attributes
    ----------
    states : tuple of arrays (n_i,)
        x.
    controls : tuple of arrays (m_i,)
        u, the control that drives into the node.
    adjoints : tuple of arrays (n_i,)
        lambda, the multiplier of x_i - A x_p - B u_i - c_i = 0; -(S x + r) where the problem has
        no cross weight N.
    multipliers : array (n_c,)
        mu, of the constraints E, F; of least norm where constraints depend on each other.
    cost : float
        Smallest cost.
    value_matrix, value_slope : tuple of arrays (n_i, n_i), (n_i,)
        S and r of the cost-to-go 1/2 x'Sx + r'x + s of the node and everything outboard.
    value_constant : tuple of float
        s.
    gain : tuple of arrays (m_i, n_p)
        K of the feedback law u_i = -K x_p + k.
    feedforward : tuple of arrays (m_i,)
        k.
    control_hessian : tuple of arrays (m_i, m_i)
        R, second derivative of the cost-to-go in u_i.
    constraint_slope : tuple of arrays (n_i, n_c)
        rho: `value_slope`, which belongs to the multipliers found, changes by rho with them.
    constraint_compliance : array (n_c, n_c)
        Lambda, minus the second derivative of the smallest cost in mu.
    """

    states: tuple[Array, ...]
    controls: tuple[Array, ...]
    adjoints: tuple[Array, ...]
    cost: float
    value_matrix: tuple[Array, ...]
    value_slope: tuple[Array, ...]
    value_constant: tuple[float, ...]
    gain: tuple[Array, ...]
    feedforward: tuple[Array, ...]
    control_hessian: tuple[Array, ...]
    multipliers: Array
    constraint_slope: tuple[Array, ...]
    constraint_compliance: Array


@dataclass(frozen=True, eq=False)
class _Value:
    """Cost-to-go 1/2 x'Sx + r'x + s, and a bound E of the rounding error of S.

    rho, sigma, Lambda: how r and s depend on the multipliers.
    """

    S: Array
    r: Array
    s: float
    E: Array
    rho: Array
    sigma: Array
    Lam: Array

    def __add__(self, other: _Value) -> _Value:
        return _Value(*(x + y for x, y in zip(_parts(self), _parts(other), strict=True)))


def _parts(value: _Value) -> list[Any]:
    return [getattr(value, field.name) for field in fields(value)]


@dataclass(frozen=True, eq=False)
class _Law:
    """Optimal control u = -K x_p + k - kappa mu and its Hessian R."""

    R: Array
    K: Array
    k: Array
    kappa: Array


def solve_lq(problem: LQProblem) -> LQSolution:
    """Solve a linear-quadratic problem on a chain or a tree.  O(N) in the nodes.

    Constraints between nodes are columns of the same sweeps: O(N n_c^2) and one solution of n_c
    equations.

    Parameters
    ----------
    problem : LQProblem
        Dynamics and weights.  State weights may be singular or indefinite as long as the cost has
        a unique minimum: every R must be positive definite.

    Returns
    -------
    LQSolution

    Raises
    ------
    SingularError
        If R of a node is singular or indefinite, so that the cost has no unique minimum; or if the
        constraints contradict each other.

    Examples
    --------
    A mass on a line, brought to rest from x = 1 m in 60 steps of 0.1 s:

    >>> import numpy as np
    >>> from lissom.papers.duality import LQProblem, solve_lq
    >>> A, B = np.array([[1, 0.1], [0, 1]]), np.array([[0.0], [0.1]])
    >>> M, W, n = np.eye(2), 0.1 * np.eye(1), 60
    >>> problem = LQProblem.from_time_series(
    ...     [A] * n, [B] * n, [M] * (n + 1), x0=[1, 0], W=[W] * n
    ... )
    >>> solution = solve_lq(problem)
    >>> solution.controls[1].round(3)  # u_0
    array([-2.585])
    >>> bool(np.allclose(solution.states[n], 0, atol=0.02))
    True
    """
    if not isinstance(problem, LQProblem):
        raise ModelError(f"solve_lq: expected an LQProblem, got {type(problem).__name__}")
    values, laws, root = _riccati_tip_to_base(problem)
    mu = _multipliers(problem, root)
    states: list[Array] = []
    controls: list[Array] = []
    for i, p in enumerate(problem.parent):
        inboard = problem.initial_state if p < 0 else states[p]
        u = laws[i].k - laws[i].kappa @ mu - laws[i].K @ inboard  # (8)
        free = problem.transition[i] @ inboard + problem.offset[i]
        states.append(free + problem.control_map[i] @ u)
        controls.append(u)
    adjoints = [
        -(value.S @ x + value.r + value.rho @ mu) - N @ u  # (9)
        for value, x, u, N in zip(values, states, controls, problem.cross_weight, strict=True)
    ]
    return LQSolution(
        states=tuple(states),
        controls=tuple(controls),
        adjoints=tuple(adjoints),
        cost=float(problem.cost(controls)),
        value_matrix=tuple(value.S for value in values),
        value_slope=tuple(value.r + value.rho @ mu for value in values),
        value_constant=tuple(
            float(value.s + value.sigma @ mu - mu @ value.Lam @ mu / 2) for value in values
        ),
        gain=tuple(law.K for law in laws),
        feedforward=tuple(law.k - law.kappa @ mu for law in laws),
        control_hessian=tuple(law.R for law in laws),
        multipliers=mu,
        constraint_slope=tuple(value.rho for value in values),
        constraint_compliance=root.Lam,
    )


def _riccati_tip_to_base(problem: LQProblem) -> tuple[list[_Value], list[_Law], _Value]:
    """Costs-to-go and feedback laws of all nodes, and the whole cost (1)-(7), (10)-(12)."""
    n, n_c = len(problem.initial_state), len(problem.constraint_value)
    none = np.zeros(n_c), np.zeros((n_c, n_c))
    values = [
        _Value(M, h, 0.0, diagonal_bound(np.abs(M)), E.T, *none)
        for M, h, E in zip(
            problem.state_weight, problem.state_slope, problem.state_constraint, strict=True
        )
    ]
    whole = _Value(np.zeros((n, n)), np.zeros(n), 0.0, np.zeros((n, n)), np.zeros((n, n_c)), *none)
    laws: dict[int, _Law] = {}
    for i in reversed(range(problem.n_node)):
        laws[i] = _law(problem, i, values[i])
        value = _inboard_value(problem, i, values[i], laws[i])
        if (p := problem.parent[i]) >= 0:
            values[p] = values[p] + value
        else:
            whole = whole + value
    return values, [laws[i] for i in range(problem.n_node)], whole


def _multipliers(problem: LQProblem, whole: _Value) -> Array:
    """Multipliers mu of the constraints (13)."""
    e, x_0 = problem.constraint_value, problem.initial_state
    right = whole.rho.T @ x_0 + whole.sigma - e
    mu = least_multipliers(whole.Lam, right)
    gross = np.abs(whole.rho.T) @ np.abs(x_0) + np.abs(whole.sigma) + np.abs(e)
    missed = np.abs(whole.Lam @ mu - right)
    scale = (gross + np.abs(whole.Lam) @ np.abs(mu)).max(initial=0.0)
    if np.any(missed > _FULFILLED * scale):
        k = int(np.argmax(missed))
        raise SingularError(
            f"the constraints of the problem cannot all hold: row {k} is missed by {missed[k]:.3g};"
            " remove rows that contradict others, or that no control can change"
        )
    return mu


def _law(problem: LQProblem, i: int, value: _Value) -> _Law:
    """Feedback law of one node (1)-(3)."""
    A, B, c = problem.transition[i], problem.control_map[i], problem.offset[i]
    W, N, L = problem.control_weight[i], problem.cross_weight[i], problem.inboard_cross_weight[i]
    S, r, t = value.S, value.r, problem.control_reward[i]
    F = B.T @ S + N.T
    R = _symmetric(F @ B + B.T @ N + W)  # (1)
    gross = np.abs(B).T @ (np.abs(S) @ np.abs(B) + 2 * np.abs(N)) + np.abs(W)
    check_definite(
        R,
        B.T @ value.E @ B + diagonal_bound(gross),
        f"{problem.label(i)}: the cost has no unique minimum in its control, because R = B'SB + "
        "B'N + N'B + W is singular or not positive definite; give the control a weight, or the "
        "states that it moves",
        body=problem.names[i] if problem.names else "",
    )
    held = problem.control_constraint[i].T + B.T @ value.rho
    right = np.column_stack([F @ A + L.T, t - B.T @ r - F @ c, held])
    n = A.shape[1]
    solved = np.linalg.solve(R, right)
    return _Law(R, solved[:, :n], solved[:, n], solved[:, n + 1 :])  # (2), (3), (10)


def _inboard_value(problem: LQProblem, i: int, value: _Value, law: _Law) -> _Value:
    """Cost of a node and everything outboard as a function of its parent's state (4)-(7)."""
    A, B, c = problem.transition[i], problem.control_map[i], problem.offset[i]
    W, N, L = problem.control_weight[i], problem.cross_weight[i], problem.inboard_cross_weight[i]
    S, r, K, k, t = value.S, value.r, law.K, law.k, problem.control_reward[i]
    rho, kappa = value.rho, law.kappa
    Gamma = A - B @ K  # (4)
    mixed = (Gamma.T @ N + L) @ K
    S_p = Gamma.T @ S @ Gamma + K.T @ W @ K - mixed - mixed.T  # (5)
    size, push = np.abs(A) + np.abs(B) @ np.abs(K), np.abs(K)
    gross = size.T @ (np.abs(S) @ size + 2 * np.abs(N) @ push) + 2 * np.abs(L) @ push
    gross = gross + push.T @ np.abs(W) @ push
    return _Value(
        S=_symmetric(S_p),
        r=Gamma.T @ (S @ c + r) + K.T @ (t - N.T @ c),  # (6)
        s=float(value.s + c @ (S @ c / 2 + r) - k @ law.R @ k / 2),  # (7)
        E=Gamma.T @ value.E @ Gamma + diagonal_bound(gross),
        rho=Gamma.T @ rho - K.T @ problem.control_constraint[i].T,  # (11)
        sigma=value.sigma + rho.T @ c + kappa.T @ law.R @ k,  # (12)
        Lam=_symmetric(value.Lam + kappa.T @ law.R @ kappa),
    )


def _symmetric(matrix: Array) -> Array:
    return (matrix + matrix.T) / 2
