"""Articulated-body forward dynamics in the forms of Jain & Rodriguez, besides the normalised one.

All three give the accelerations of `reference.forward_dynamics`; they differ in cost for a body
with m modes and in accuracy.

  method          source                                    per body   a heavy child costs digits
  "innovations"   (A 51), (A 58): one block                 O(m^3)     yes
  "separate"      (A 62), (A 63), (A 64): modes, then hinge O(m^3)     yes
  "ruthless"      (A 63), (A 64) with (A B3)                O(m^2)     yes
  (reference)     normalised form                           O(m)       no

Differs from the print: modes are zero at the inboard node, so H_f = [I, 0]; trees, with the nodes
that carry children stacked; (A 64) subtracts z_f, printed z_r; (A B3) as printed needs the inverse
of Gamma, which does not exist inboard of a moving hinge: [Gamma^-1 + Omega]^-1 is written
(I + Gamma Omega)^-1 Gamma.  The method "ruthless" is meant for the levels "linear" and "ruthless",
where Lambda and Omega are constants of the body except for the attitude of the nodes; it solves the
equations of every level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..algorithms.operators import Operators
from ..algorithms.tree.reference import (
    BodyMotion,
    External,
    carrying_node,
    check_hinge_inertia,
    children_inertia,
    coriolis_acceleration,
    external_terms,
    outboard_rows,
)
from ..spatial import symmetric
from ..system import GROUND, System

Array = np.ndarray


def forward_dynamics_in_blocks(
    system: System, motions: Sequence[BodyMotion], forces: Array, external: External = ()
) -> Array:
    """Accelerations with the modes and hinge of a body eliminated together (A 58).

    z   = sum of the children's Phi z+  +  P a_m + b_m + K_m theta - loads        (1)
    eps = T - H z     nu = D^-1 eps     z+ = z + G eps                            (2)
    alpha+ = Phi* alpha(p)    chi_dot = nu - G* alpha+    alpha = alpha+ + H* chi_dot + a_m   (3)
    """
    op = Operators(system, motions)
    loads = external_terms(system, motions, external)
    a_m, constant = op.by_body(op.a_m), op.by_body(op.b_m + op.elastic)
    z = [
        P @ a + b - np.concatenate(load)  # (1), without the children
        for P, a, b, load in zip(op.P.blocks, a_m, constant, loads, strict=True)
    ]
    nu: dict[int, Array] = {}
    for i in reversed(range(system.n_body)):
        epsilon = forces[op.speeds[i]] - op.H.blocks[i] @ z[i]  # (2)
        nu[i] = np.linalg.solve(op.D.blocks[i], epsilon)
        if (step := op.steps[i]) is not None:
            p = int(system.parent[i])
            z[p] = z[p] + step @ (z[i] + op.G.blocks[i] @ epsilon)[-6:]
    alpha: list[Array] = []
    vdot = []
    for i in range(system.n_body):
        plus = np.zeros_like(a_m[i])
        if (step := op.steps[i]) is not None:
            plus[-6:] = step.T @ alpha[system.parent[i]]  # (3)
        vdot.append(nu[i] - op.G.blocks[i].T @ plus)
        alpha.append(plus + op.H.blocks[i].T @ vdot[i] + a_m[i])
    return np.concatenate(vdot)


@dataclass(frozen=True, eq=False)
class ArticulatedParts:
    """Articulated-body quantities of one body, modes and hinge separate (A 63)."""

    modal_inertia_inverse: Array  # (n_mode, n_mode) d_f^-1
    modal_gain: Array  # (6, n_mode) g
    inertia: Array  # (6, 6) P_R, with the body's modes free
    hinge_inertia: Array  # (n_dof, n_dof) D_R
    hinge_gain: Array  # (6, n_dof) G_R
    inertia_inboard: Array  # (6, 6) P_R+, inboard of the hinge


def articulate_in_parts(
    system: System, motions: Sequence[BodyMotion], *, ruthless: bool = False
) -> list[ArticulatedParts]:
    """Articulated-body quantities, tip to base, eliminating the modes of a body before its hinge.

    P   = Q Gamma Q* + M_m,  Q = [Pi_hat^T; phi]                                  (1)
    D_f = P_ff    mu = P_rf    g = mu D_f^-1    P_R = P_rr - g mu*                (2)
    D_f^-1 = Lambda - Upsilon (I + Gamma Omega)^-1 Gamma Upsilon*   if ruthless   (3)
    D_R = H P_R H*    G_R = P_R H* D_R^-1    P_R+ = P_R - G_R D_R G_R*            (4)
    Source: (A 62), (A 63), (A B3), (A B4).
    """
    parts: dict[int, ArticulatedParts] = {}
    inboard: dict[int, Array] = {}
    for i in reversed(range(system.n_body)):
        terms, Ht = motions[i].terms, motions[i].motion_map
        Gamma = children_inertia(system, motions, i, inboard)
        Pi, phi = motions[i].outboard_shapes, motions[i].outboard_shift
        D_f, mu = terms.M_ff + Pi.T @ Gamma @ Pi, terms.M_rf + phi @ Gamma @ Pi  # (1), (2)
        D_f_inverse = _ruthless_inverse(terms.M_ff, Pi, Gamma) if ruthless else np.linalg.inv(D_f)
        g = mu @ D_f_inverse
        P_R = terms.M_rr + phi @ Gamma @ phi.T - g @ mu.T
        D_R = Ht.T @ P_R @ Ht  # (4)
        check_hinge_inertia(system, i, D_R, P_R, Ht)
        G_R = np.linalg.solve(D_R, Ht.T @ P_R).T
        inboard[i] = symmetric(P_R - G_R @ D_R @ G_R.T)
        parts[i] = ArticulatedParts(D_f_inverse, g, P_R, D_R, G_R, inboard[i])
    return [parts[i] for i in range(system.n_body)]


def forward_dynamics_in_parts(
    system: System,
    motions: Sequence[BodyMotion],
    forces: Array,
    external: External = (),
    *,
    ruthless: bool = False,
) -> Array:
    """Accelerations with the modes of a body eliminated before its hinge (A 64).

    Tip to base:
      z   = Q zeta + b_m + K_m theta - loads                                        (5)
      eps_f = T_f - z_f    z_R = z_r + g eps_f + P_R a_mR                           (6)
      eps_R = T_R - H z_R    z_R+ = z_R + G_R eps_R                                 (7)
    Base to tip:
      beta_dot = D_R^-1 eps_R - G_R* alpha+    alpha = alpha+ + H* beta_dot + a_mR  (8)
      eta_ddot = D_f^-1 eps_f - g* alpha                                            (9)
    """
    parts = articulate_in_parts(system, motions, ruthless=ruthless)
    loads = external_terms(system, motions, external)
    z_plus: dict[int, Array] = {}
    innovations: dict[int, tuple[Array, Array]] = {}
    for i in reversed(range(system.n_body)):
        motion, terms, body, part = motions[i], motions[i].terms, system.bodies[i], parts[i]
        Pi, phi = motion.outboard_shapes, motion.outboard_shift
        zeta = _children_forces(system, motions, i, z_plus)
        elastic = body.stiffness * motion.eta + body.damping @ motion.eta_dot
        z_f = Pi.T @ zeta + terms.b_f + elastic - loads[i][0]  # (5)
        z_r = phi @ zeta + terms.b_r - loads[i][1]
        eps_f = forces[system.layout.modal_v(i)] - z_f  # (6)
        z_R = (
            z_r + part.modal_gain @ eps_f + part.inertia @ coriolis_acceleration(system, motions, i)
        )
        eps_R = forces[system.layout.hinge_v(i)] - motion.motion_map.T @ z_R  # (7)
        z_plus[i] = z_R + part.hinge_gain @ eps_R
        innovations[i] = (eps_f, eps_R)
    return _outward(system, motions, parts, innovations)


def _outward(
    system: System,
    motions: Sequence[BodyMotion],
    parts: Sequence[ArticulatedParts],
    innovations: dict[int, tuple[Array, Array]],
) -> Array:
    """Accelerations, base to tip (8), (9)."""
    alpha: list[Array] = []
    eta_ddot: list[Array] = []
    vdot = []
    for i, (motion, part) in enumerate(zip(motions, parts, strict=True)):
        eps_f, eps_R = innovations[i]
        alpha_plus = np.zeros(6)
        if (p := int(system.parent[i])) != GROUND:
            node = carrying_node(system, motions, i)
            A_t = node.shift.T @ alpha[p] + node.shapes @ eta_ddot[p]
            alpha_plus = motion.transform @ A_t
        nu_R = np.linalg.solve(part.hinge_inertia, eps_R)
        beta_dot = nu_R - part.hinge_gain.T @ alpha_plus  # (8)
        coriolis = coriolis_acceleration(system, motions, i)
        alpha.append(alpha_plus + motion.motion_map @ beta_dot + coriolis)
        eta_ddot.append(part.modal_inertia_inverse @ eps_f - part.modal_gain.T @ alpha[i])  # (9)
        vdot += [eta_ddot[i], beta_dot]
    return np.concatenate(vdot)


def _ruthless_inverse(M_ff: Array, Pi: Array, Gamma: Array) -> Array:
    """Inverse D_f^-1 by (A B2), (A B3), corrected; Lambda = M_ff^-1, Omega fixed if linearised."""
    Lam = np.linalg.inv(M_ff)
    Upsilon = Lam @ Pi.T
    Omega = Pi @ Upsilon
    return Lam - Upsilon @ np.linalg.solve(np.eye(len(Gamma)) + Gamma @ Omega, Gamma) @ Upsilon.T


def _children_forces(
    system: System, motions: Sequence[BodyMotion], i: int, z_plus: dict[int, Array]
) -> Array:
    zeta = np.zeros(6 * len(system.outboard_nodes[i]))
    for c in system.children[i]:
        zeta[outboard_rows(system, c)] += motions[c].transform.T @ z_plus[c]
    return zeta
