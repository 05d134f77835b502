"""Recursion of the Order-N paper for closed loops, for comparison with the normalised one.

It gives the same result as `closed_loops.constrained_dynamics` and is meant to be read with the
paper: for each body it inverts a matrix of the size of the modes, and it carries six columns for
every constrained point to the base and out again, while the normalised form carries one column for
each constraint, inward only.

Notation (the paper's letters, our axes and order)
  p, k     parent and children of body n
  C, S     X phi^T and X Pi_hat: acceleration of p's origin and modes to that of n     (C 1.6)
  P, A_R   H*; X gamma + c                                                    (C 1.5), (C 1.6)
  points   both ends of every loop; C_c, S_c are phi^T and Pi_hat of their nodes
  F_c      forces [moment; force] on the points, in the axes of their bodies, stacked
  u        [1; F_c]: quantities Q, B, W, D below have a column for each of its entries, so that the
           paper's q_n, Q_c,n,j are columns of one matrix, and so are b_n, B_c,n,j and the others
  L        rows of the constraints: L A_points + velocity terms = 0; forces L^T lambda
Differs: the ground is p of the base, so that a free base is a body on a `Free` joint and gravity an
acceleration of the ground, where the report has (C 4.9) and (C 4.10); the relative motion of a loop
is taken at the origin of its frame b, which is needed where the loop's joint slides; signs as
derived, not as printed (see `inward`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from ..algorithms.loops.closed_loops import LoopMotion, loop_motions
from ..algorithms.tree.body_terms import NodeMotion
from ..algorithms.tree.reference import (
    BodyMotion,
    External,
    carrying_node,
    external_terms,
    ground_acceleration,
)
from ..spatial import block_diagonal
from ..system import GROUND, System

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Coefficients:
    """Coefficients (C 4.2), (C 4.4), (C 4.5), (C 4.6), (C 4.8) of one body; gamma: joint, q: modes.

    q_ddot = Q_A A + Q u                        gamma_ddot = B_A A_p + B_q q_ddot_p + B u
    A = W_A A_p + W_q q_ddot_p + W u            F = D_A A_p + D_q q_ddot_p + D u
    """

    Q_A: Array
    Q: Array
    M_bar: Array
    B_A: Array
    B_q: Array
    B: Array
    W_A: Array
    W_q: Array
    W: Array
    D_A: Array
    D_q: Array
    D: Array


def points(system: System) -> list[tuple[int, int]]:
    """Constrained points (body, node), a before b of every loop; the ground is (-1, -1)."""
    return [(end.body, end.node) for loop in system.loops for end in loop.ends]


def inward(
    system: System,
    motions: Sequence[BodyMotion],
    forces: Array,
    external: External = (),
    printed: Collection[str] = (),
) -> list[Coefficients]:
    """Step 2: coefficients (C 4.1) of every body, tip to base.

    `printed` lists equations, among "4.2", "4.3" and "4.5", whose terms of F_c take the signs as
    printed in the paper.
    """
    n_point = len(points(system))
    signs = _signs(n_point, -1.0 if "4.2" in printed else 1.0)
    branch = _signs(n_point, -1.0 if "4.3" in printed else 1.0)
    joint = _signs(n_point, -1.0 if "4.5" in printed else 1.0)
    inv, coefficients = np.linalg.inv, dict[int, Coefficients]()
    loads = external_terms(system, motions, external)
    for n in reversed(range(system.n_body)):
        t, body, motion = motions[n].terms, system.bodies[n], motions[n]
        elastic = body.stiffness * motion.eta + body.damping @ motion.eta_dot
        T_f, sigma = forces[system.layout.modal_v(n)], forces[system.layout.hinge_v(n)]
        G_r, G_e = loads[n][1] - t.b_r, T_f + loads[n][0] - t.b_f - elastic  # (C 3.1), (C 3.2)
        C_cT, S_cT = _own_points(system, motions, n)  # (C 3.3), (C 3.4)
        G_r, G_e = np.column_stack([G_r, C_cT]), np.column_stack([G_e, S_cT]) * signs
        M_rr, M_re, M_er, M_ee = t.M_rr, t.M_rf, t.M_rf.T, t.M_ff
        for k in system.children[n]:
            (C, S), x = _shift(system, motions, k), coefficients[k]
            M_ee, M_er, G_e = M_ee + S.T @ x.D_q, M_er + S.T @ x.D_A, G_e - S.T @ x.D  # (C 4.2)
            M_rr, M_re = M_rr + C.T @ x.D_A, M_re + C.T @ x.D_q  # (C 4.3)
            G_r = G_r - C.T @ x.D * branch  # (C 2.1)
        Q_A, Q = -inv(M_ee) @ M_er, inv(M_ee) @ G_e  # (C 4.2)
        M_bar, G_bar = M_rr + M_re @ Q_A, G_r - M_re @ Q  # (C 4.4)
        (C, S), P = _shift(system, motions, n), motion.motion_map
        A_R = motion.transform @ carrying_node(system, motions, n).coriolis + motion.bias
        G_P = P.T @ (G_bar - _constant(M_bar @ A_R, n_point)) + _constant(sigma, n_point)  # (C 2.2)
        M_gg = inv(P.T @ M_bar @ P)  # (C 4.5)
        B_A, B_q, B = -M_gg @ P.T @ M_bar @ C, -M_gg @ P.T @ M_bar @ S, M_gg @ G_P * joint
        W_A, W_q, W = C + P @ B_A, S + P @ B_q, P @ B + _constant(A_R, n_point)  # (C 4.6)
        D_A, D_q, D = M_bar @ W_A, M_bar @ W_q, M_bar @ W - G_bar  # (C 4.8)
        coefficients[n] = Coefficients(Q_A, Q, M_bar, B_A, B_q, B, W_A, W_q, W, D_A, D_q, D)
    return [coefficients[n] for n in range(system.n_body)]


def outward(
    system: System, motions: Sequence[BodyMotion], swept: Sequence[Coefficients], u: Array
) -> tuple[Array, Array]:
    """Steps 3 and 5: rates of the speeds and accelerations of the points, base to tip.

    `u` (1 + 6 n_point, columns).  The identity gives h and H of (C 4.11), (C 4.12),
    (C 4.13), (C 4.14) side by side.
    """
    ground = np.outer(ground_acceleration(system), u[0])
    A: list[Array] = []
    q: list[Array] = []
    vdot: list[Array] = []
    for n, x in enumerate(swept):
        p = int(system.parent[n])
        A_p, q_p = (ground, ground[:0]) if p == GROUND else (A[p], q[p])
        vdot_joint = x.B_A @ A_p + x.B_q @ q_p + x.B @ u  # (C 4.5)
        A.append(x.W_A @ A_p + x.W_q @ q_p + x.W @ u)  # (C 4.6)
        q.append(x.Q_A @ A[n] + x.Q @ u)  # (C 4.2); with (C 4.6) in it this is (C 4.7)
        vdot += [q[n], vdot_joint]
    at_points = [ground[:0]]
    for n, node in points(system):
        if n == GROUND:
            at_points.append(ground)
            continue
        E = _node(system, motions, n, node)
        # (C 4.12)
        at_points.append(E.shift.T @ A[n] + E.shapes @ q[n] + np.outer(E.coriolis, u[0]))
    return np.concatenate(vdot), np.concatenate(at_points)


def solve_loops(
    system: System,
    motions: Sequence[BodyMotion],
    forces: Array,
    external: External = (),
    *,
    point_forces: Array | None = None,
    stiffness: float | Array = 0.0,
    damping: float | Array = 0.0,
    printed: Collection[str] = (),
) -> tuple[Array, Array, Array]:
    """Steps 2-5: rates of the speeds, lambda [N], and the matrix M of (C 4.20), which is -Lambda.

    `point_forces` are given forces on the points, F_f of (C 4.17); `stiffness` [1/s^2] and
    `damping` [1/s] are Baumgarte's constants K_i and C_i of (C 4.16): one number for all loops, or
    one for each.  The constraints must be independent.
    """
    loops = loop_motions(system, motions)
    L = constraint_rows(loops)
    swept = inward(system, motions, forces, external, printed)
    both = outward(system, motions, swept, np.eye(1 + L.shape[1]))[1]
    h, H = both[:, 0], both[:, 1:]
    F_f = np.zeros(L.shape[1]) if point_forces is None else point_forces
    M, Z = -L @ H @ L.T, L @ (h + H @ F_f)  # (C 4.15): E' - E, for a force on E; (C 4.19)
    P_dot = np.concatenate([m.constraint_map.T @ m.bias - m.drift for m in loops])
    gap, rate = (np.concatenate([getattr(m, what) for m in loops]) for what in ("gap", "rate"))
    K, C = (_for_each(loops, values) for values in (stiffness, damping))
    lam = np.linalg.solve(M, Z - P_dot + K * gap + C * rate)  # (C 4.16), (C 4.20)
    u = np.concatenate([[1.0], L.T @ lam + F_f])  # (C 4.17), (C 4.18)
    return outward(system, motions, swept, u[:, None])[0][:, 0], lam, M


def _for_each(loops: Sequence[LoopMotion], values: float | Array) -> Array:
    """Numbers of loops, one for all or one for each, for each of their equations."""
    return np.repeat(np.broadcast_to(values, len(loops)), [len(m.gap) for m in loops])


def constraint_rows(loops: Sequence[LoopMotion]) -> Array:
    """Rows L: the paper's P_c^T at E and -P_c^T at E', moved to the nodes, in body axes."""
    return block_diagonal(*(np.hstack([m.map_a, m.map_b]) for m in loops))


def _signs(n_point: int, sign: float) -> Array:
    return np.concatenate([[1.0], np.full(6 * n_point, sign)])


def _constant(x: Array, n_point: int) -> Array:
    return np.column_stack([x, np.zeros((len(x), 6 * n_point))])


def _node(system: System, motions: Sequence[BodyMotion], n: int, node: int) -> NodeMotion:
    return motions[n].outboard[system.outboard_nodes[n].index(node)]


def _shift(system: System, motions: Sequence[BodyMotion], n: int) -> tuple[Array, Array]:
    node, X = carrying_node(system, motions, n), motions[n].transform
    return X @ node.shift.T, X @ node.shapes


def _own_points(system: System, motions: Sequence[BodyMotion], n: int) -> tuple[Array, Array]:
    """Matrices C_c^T and S_c^T of the points on body n; columns of other points are zero."""
    C_cT, S_cT = [np.zeros((6, 0))], [np.zeros((system.bodies[n].n_mode, 0))]
    for body, node in points(system):
        E = _node(system, motions, body, node) if body == n else None
        C_cT.append(np.zeros((6, 6)) if E is None else E.shift)
        S_cT.append(np.zeros((len(S_cT[0]), 6)) if E is None else E.shapes.T)
    return np.hstack(C_cT), np.hstack(S_cT)
