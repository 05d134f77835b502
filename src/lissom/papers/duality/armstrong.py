"""Armstrong's form of the recursion: only constraint forces are passed from body to body.

A force through a hinge has a part along the free motions of the hinge, determined by t, and a
constraint part, which is an affine function of the motion that the hinge prevents.

Notation, at node i of a problem without control and cross weights
  B, S, r, t     control map, cost-to-go, reward (in the source P, Psi, psi, I f_c)
  Q              orthonormal columns with B'Q = 0
  S_BB = B'SB    S_BQ = B'SQ    S_QQ = Q'SQ

  Phi = S_QQ - S_BQ' S_BB^-1 S_BQ                                   (1)
  phi = Q'r + S_BQ' S_BB^-1 (t - B'r)                               (2)
  f_box = Phi Q'x + phi                                             (3)
  -lambda = B (B'B)^-1 t + Q f_box                                  (4)
  S - S B S_BB^-1 B'S = Q Phi Q'                                    (5)
  S_p = M_p + sum A'Q Phi Q'A                                       (6)

Source: (B 8), (B 10), (B 29), (B 30), (B 31).  (5) and (6) are (B 29) and (B 30), with T_{n+1,n}
transposed in (B 30); all of them need an orthonormal Q.  Differs: for a flexible body B holds its
modes, all of which are free, so that Q has rows for the hinge only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import ModelError
from ...printing import Shown
from .lq import LQSolution
from .lq_problem import LQProblem

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class ConstraintForces(Shown):
    """Constraint forces of all nodes, and their affine laws.

    Attributes
    ----------
    force : tuple of arrays (n_i - m_i,)
        f_box, components of the constraint force along the columns of the complement.
    complement : tuple of arrays (n_i, n_i - m_i)
        Q, orthonormal: the directions that the control (the hinge) cannot move.
    inertia : tuple of arrays (n_i - m_i, n_i - m_i)
        Phi.
    bias : tuple of arrays (n_i - m_i,)
        phi.
    """

    force: tuple[Array, ...]
    complement: tuple[Array, ...]
    inertia: tuple[Array, ...]
    bias: tuple[Array, ...]


def constraint_forces(problem: LQProblem, solution: LQSolution) -> ConstraintForces:
    """Constraint forces of a solved problem by Armstrong's form.  O(N).

    For the dual of a mechanism they are the components of the force through each hinge that do no
    work: ``complement[i] @ force[i]`` is this part of the force, in body axes at the body's origin.

    Parameters
    ----------
    problem : LQProblem
        Problem without control and cross weights (a mechanism without armature).
    solution : LQSolution
        Result of `solve_lq`.

    Returns
    -------
    ConstraintForces
    """
    if len(solution.states) != problem.n_node:
        raise ModelError(
            f"the solution has {len(solution.states)} nodes, the problem {problem.n_node}; give "
            "the solution of this problem"
        )
    for i in range(problem.n_node):
        _check_weights(problem, i)
    nodes = [_node(problem, solution, i) for i in range(problem.n_node)]
    force, complement, inertia, bias = zip(*nodes, strict=True)
    return ConstraintForces(force, complement, inertia, bias)


def _check_weights(problem: LQProblem, i: int) -> None:
    weights = (problem.control_weight, problem.cross_weight, problem.inboard_cross_weight)
    if any(np.any(weight[i]) for weight in weights):
        raise ModelError(
            f"{problem.label(i)} has a control weight, a cross weight or armature; omit it: "
            "Armstrong's form requires that the free part of the force equals the reward"
        )


def _node(problem: LQProblem, solution: LQSolution, i: int) -> tuple[Array, Array, Array, Array]:
    """Quantities (f_box, Q, Phi, phi) of one node (1)-(3)."""
    B = problem.control_map[i]
    t = problem.control_reward[i] - problem.control_constraint[i].T @ solution.multipliers
    S, r, x = solution.value_matrix[i], solution.value_slope[i], solution.states[i]
    Q = _orthonormal_complement(B)
    S_BQ = B.T @ S @ Q
    solved = np.linalg.solve(B.T @ S @ B, np.column_stack([S_BQ, t - B.T @ r]))
    Phi = Q.T @ S @ Q - S_BQ.T @ solved[:, :-1]  # (1)
    phi = Q.T @ r + S_BQ.T @ solved[:, -1]  # (2)
    return Phi @ (Q.T @ x) + phi, Q, Phi, phi  # (3)


def _orthonormal_complement(B: Array) -> Array:
    """Orthonormal basis of the complement of the independent columns of B."""
    return np.linalg.qr(B, mode="complete")[0][:, B.shape[1] :]
