"""Inertia and velocity-dependent forces of a single body, and the motion of its nodes.

Notation (k, l run over x, y, z; all in body axes at the body's origin)
  eta, eta_dot   modal coordinates and rates
  V = [omega; v] spatial velocity of the body frame
  Pi             mode shapes of a node, [Pi_rot; Pi_tr];  Pi_hat = [J_l Pi_rot; Pi_tr]
  M_m = [[M_ff, M_rf^T], [M_rf, M_rr]],  b_m = [b_f; b_r]   (A 23), (A 37)
  of a rigid body M_rr and b_r alone, (B 3), (B 4), (D 6.2)

Point masses, with the constants s, g, N, p0, L0 of `MassIntegrals`:
  h_kl = g_kl + eta^T N_kl    p = p0 + s eta    L_kl = L0_kl + g_lk eta + h_kl eta      (1)
  J = tr(L) I - L    A = omega omega^T - omega^2 I    Q_kl = h_kl eta_dot               (2)
  M_rr = [[J, [p]x], [-[p]x, m I]]                                                      (3)
  M_rf = [h_yz - h_zy; h_zx - h_xz; h_xy - h_yx; s_x; s_y; s_z]                         (4)
  b_r = [omega x J omega + 2 (tr(Q) I - Q^T) omega;  A p + 2 omega x (s eta_dot)]       (5)
  b_f = sum_kl A_kl h_lk^T + 2 [omega_x (N_zy - N_yz) + omega_y (N_xz - N_zx)
        + omega_z (N_yx - N_xy)] eta_dot                                                (6)
Levels "linear" and "ruthless" are the same with eta = eta_dot = 0 (A B1); lumps are then part of
the constants.  Lumps at level "full" add, with M_s, b_s of the small rigid body at the node:
  M_m += [Pi_hat^T; phi] M_s [Pi_hat, phi^T]                                            (7)
  b_m += [Pi_hat^T; phi] (M_s gamma + [w x J_b w; m w x (w x p_b)]),  w = omega + omega_r (8)

Level "stiffened" adds the second order of the deformation, h and rho of `SecondOrder`, so far as it
makes a Lagrangian system with M_ff = I and the exact linearisation under spin and loads:
  h_kl += eta^T Z_kl    s_k += eta^T sigma_k    p += sigma[eta, eta]/2
  L_kl += (Z_kl + Z_lk)[eta, eta]/2                                                     (13)
  b_r += [Z_yz - Z_zy; Z_zx - Z_xz; Z_xy - Z_yx; sigma_x; sigma_y; sigma_z][eta_dot, eta_dot]  (14)
  Pi += [rho; h] eta in (10)-(12),  theta += rho[eta, eta]/2,  l += h[eta, eta]/2
  gamma += [J_l rho; h][eta_dot, eta_dot]                                               (15)

Level "exact": the sections of a rod at its stations (`bodies.rod_map`) are lumps without offset at
nodes with Pi_hat = [W; D] and gamma = [gamma_w + omega x omega_r; ... + gamma_v], (7) and (8).

A body whose shapes turn its inboard node d is described in the frame F of its shapes (`floating`)
and moved to d.  With S, c, r, R the shapes, bias, position and attitude of F seen from d, (17):
  [eta_dot; V_F] = T [eta_dot; V],  T = [[I, 0], [X S, X phi(r)^T]],  X = diag(R^T, R^T)
  M_m = T^T M_F T    b_m = T^T (b_F + M_F [0; X gamma_F])                               (16)
  of a node s seen from d, with all of F's axes on the right, l = l_s - l_d, E_d^T in front:
  R = E_s    r = l    [W; D] = Pi_hat_s - phi(l)^T Pi_hat_d
  c = [B_s - B_d - w_d x (w_s - w_d);  w_d x (w_d x l) - B_d x l - 2 w_d x l_dot]       (17)
  w = J_l theta_dot,  B = dJ_l/dt theta_dot

Nodes: l = l0 + Pi_tr eta,  theta = Pi_rot eta,  E = exp([theta]x)                      (9)
  V_t = phi(l)^T V + Pi_hat eta_dot, as (A 5)                                           (10)
  A_t = phi(l)^T alpha + Pi_hat eta_ddot + gamma, as (A 27), (C 1.1)                    (11)
  gamma = [dJ_l/dt theta_dot + omega x omega_r;  omega x (omega x l) + 2 omega x delta_dot]  (12)
Level "ruthless": gamma = [0; omega x (omega x l0)], and a hinge on the node turns with omega, not
with omega + omega_r, in its own bias: a_m of the undeformed body (A B1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...bodies import Lump, NormalBody
from ...bodies.normal import LINEARISED
from ...bodies.rod_map import SectionMotion, sections_at, stations
from ...spatial import (
    cross,
    left_jacobian,
    left_jacobian_rate,
    rigid_shift,
    rotate,
    rotation_exp,
    skew,
    spatial_inertia,
)
from ...spatial.scalar import scaled, zeros

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class NodeMotion:
    """Motion of a node of a moving, deforming body; body axes."""

    position: Array  # (3,) l, from the body's origin [m]
    rotation: Array  # (3, 3) E, node axes to body axes
    shapes: Array  # (6, n_mode) pi_hat: modal rates -> relative [omega; v]
    velocity: Array  # (6,) v_t, spatial velocity of the node
    coriolis: Array  # (6,) gamma, the node's acceleration at zero alpha and eta_ddot
    # (3,) angular velocity in the bias of a hinge on the node; not that of the node at "ruthless"
    turning: Array

    @property
    def shift(self) -> Array:
        """Rigid shift phi(l) from the node to the body's origin, (6, 6)."""
        return rigid_shift(self.position)


@dataclass(frozen=True, eq=False)
class BodyTerms:
    """Blocks of the modal mass M_m and gyroscopic force b_m of a body."""

    M_ff: Array  # (n_mode, n_mode)
    M_rf: Array  # (6, n_mode)
    M_rr: Array  # (6, 6)
    b_f: Array  # (n_mode,)
    b_r: Array  # (6,)

    @property
    def modal_mass(self) -> Array:
        """Complete matrix M_m, (n_mode + 6, n_mode + 6)."""
        return np.block([[self.M_ff, self.M_rf.T], [self.M_rf, self.M_rr]])


def node_motion(body: NormalBody, node: int, eta: Array, eta_dot: Array, V: Array) -> NodeMotion:
    """Position, attitude, velocity and Coriolis acceleration of a node (9)-(12)."""
    if node == body.inboard:
        return NodeMotion(zeros(3), np.eye(3), zeros(6, body.n_mode), V, zeros(6), V[:3])
    if body.rod is not None:
        (section,) = sections_at(body.rod, [body.rod.node_pieces[node]], eta, eta_dot)
        return _section_motion(section, eta_dot, V)
    if body.floating is not None:
        at_node = node_motion(body.floating, node, eta, eta_dot, zeros(6))
        return _section_motion(_seen_from_inboard(body, at_node, eta, eta_dot), eta_dot, V)
    Pi = body.node_shapes[node]
    omega = V[:3]
    theta, l = Pi[:3] @ eta, body.node_positions[node] + Pi[3:] @ eta
    bend = zeros(6)
    if body.second_order is not None:
        second = body.second_shapes(node)  # (15)
        turned = second @ eta
        theta, l = theta + turned[:3] @ eta / 2, l + turned[3:] @ eta / 2
        Pi, bend = Pi + turned, second @ eta_dot @ eta_dot
    theta_dot, delta_dot = Pi[:3] @ eta_dot, Pi[3:] @ eta_dot
    J_l = left_jacobian(theta)
    Pi_hat = np.concatenate([J_l @ Pi[:3], Pi[3:]])
    angular = left_jacobian_rate(theta, theta_dot) + cross(omega, J_l @ theta_dot) + J_l @ bend[:3]
    linear = cross(omega, cross(omega, l)) + 2 * cross(omega, delta_dot) + bend[3:]
    velocity = rigid_shift(l).T @ V + Pi_hat @ eta_dot
    turning = velocity[:3]
    if body.level == "ruthless":
        angular, turning = zeros(3), omega
        linear = cross(omega, cross(omega, body.node_positions[node]))
    return NodeMotion(
        position=l,
        rotation=rotation_exp(theta),
        shapes=Pi_hat,
        velocity=velocity,
        coriolis=np.concatenate([angular, linear]),
        turning=turning,
    )


def _seen_from_inboard(
    body: NormalBody, node: NodeMotion, eta: Array, eta_dot: Array
) -> SectionMotion:
    """Motion relative to the inboard node of a node given in the frame of the shapes (17)."""
    assert body.floating is not None
    held = node_motion(body.floating, body.inboard, eta, eta_dot, zeros(6))
    l, w_d, turn = node.position - held.position, held.velocity[:3], held.rotation.T
    l_dot, w = node.velocity[3:] - held.velocity[3:], node.velocity[:3]
    B_s, B_d = node.coriolis[:3], held.coriolis[:3]
    angular = B_s - B_d - cross(w_d, w - w_d)
    linear = cross(w_d, cross(w_d, l)) - cross(B_d, l) - 2 * cross(w_d, l_dot)
    return SectionMotion(
        rotation=turn @ node.rotation,
        position=turn @ l,
        shapes=rotate(turn, node.shapes - rigid_shift(l).T @ held.shapes),
        coriolis=rotate(turn, np.concatenate([angular, linear])),
    )


def _section_motion(section: SectionMotion, eta_dot: Array, V: Array) -> NodeMotion:
    """Motion of a section of a rod whose root moves (10), (12)."""
    omega, l, relative = V[:3], section.position, section.shapes @ eta_dot
    angular = cross(omega, relative[:3])
    linear = cross(omega, cross(omega, l)) + 2 * cross(omega, relative[3:])
    velocity = rigid_shift(l).T @ V + relative
    return NodeMotion(
        position=l,
        rotation=section.rotation,
        shapes=section.shapes,
        velocity=velocity,
        coriolis=section.coriolis + np.concatenate([angular, linear]),
        turning=velocity[:3],
    )


def body_terms(body: NormalBody, eta: Array, eta_dot: Array, V: Array) -> BodyTerms:
    """Inertia and velocity terms of a body at its level."""
    if body.rod is not None:
        return _rod_terms(body, eta, eta_dot, V)
    if body.floating is not None:
        return _floating_terms(body, eta, eta_dot, V)
    if body.level in LINEARISED:
        eta = eta_dot = zeros(body.n_mode)
    terms = _point_terms(body, eta, eta_dot, V[:3])
    return _with_lumps(body, terms, eta, eta_dot, V) if body.lumps else terms


def _floating_terms(body: NormalBody, eta: Array, eta_dot: Array, V: Array) -> BodyTerms:
    """Terms of a body whose shapes turn its inboard node (16)."""
    assert body.floating is not None
    m = body.n_mode
    at_rest = NodeMotion(zeros(3), np.eye(3), zeros(6, m), zeros(6), zeros(6), zeros(3))
    frame = _section_motion(_seen_from_inboard(body, at_rest, eta, eta_dot), eta_dot, V)
    terms = body_terms(body.floating, eta, eta_dot, rotate(frame.rotation.T, frame.velocity))
    S, shift = rotate(frame.rotation.T, frame.shapes), rotate(frame.rotation.T, frame.shift.T)
    gamma = rotate(frame.rotation.T, frame.coriolis)
    b_r = terms.b_r + terms.M_rr @ gamma
    M_rf = terms.M_rf + terms.M_rr @ S
    return BodyTerms(
        M_ff=terms.M_ff + terms.M_rf.T @ S + S.T @ M_rf,
        M_rf=shift.T @ M_rf,
        M_rr=shift.T @ terms.M_rr @ shift,
        b_f=terms.b_f + terms.M_rf.T @ gamma + S.T @ b_r,
        b_r=shift.T @ b_r,
    )


def first_moment(body: NormalBody, eta: Array) -> Array:
    """First moment of mass p about the origin of the deformed body [kg m]."""
    if body.floating is not None:
        held = node_motion(body.floating, body.inboard, eta, zeros(body.n_mode), zeros(6))
        p = first_moment(body.floating, eta) - scaled(body.mass, held.position)
        return held.rotation.T @ p
    if body.rod is not None:
        sections = stations(body.rod, eta, zeros(body.n_mode))
        pairs = zip(body.rod.masses.tolist(), sections, strict=True)
        return sum((mass * x.position for mass, x in pairs), zeros(3))
    p = body.integrals.first_moment + body.integrals.modal_first_moment @ eta
    if body.second_order is not None:
        p = p + body.second_order.first_moment @ eta @ eta / 2  # (13)
    for lump in body.lumps:
        node = node_motion(body, lump.node, eta, zeros(body.n_mode), zeros(6))
        p = p + lump.mass * (node.position + node.rotation @ lump.offset)
    return p


def _point_terms(body: NormalBody, eta: Array, eta_dot: Array, omega: Array) -> BodyTerms:
    I, xyz = body.integrals, range(3)
    g, N, s = I.modal_second_moment, I.modal_products, I.modal_first_moment
    h = [[g[k, l] + eta @ N[k, l] for l in xyz] for k in xyz]  # (1)
    p = I.first_moment + s @ eta
    L = I.second_moment + np.array([[g[l, k] @ eta + h[k][l] @ eta for l in xyz] for k in xyz])
    bend = zeros(6)
    if body.second_order is not None:
        sigma, Z = body.second_order.first_moment, body.second_order.second_moment
        half = Z @ eta @ eta / 2  # (13)
        p, L, s = p + sigma @ eta @ eta / 2, L + half + half.T, s + sigma @ eta
        h = [[h[k][l] + Z[k, l] @ eta for l in xyz] for k in xyz]
        bend = np.concatenate([_axial(Z @ eta_dot @ eta_dot), sigma @ eta_dot @ eta_dot])  # (14)
    J = scaled(np.trace(L), np.eye(3)) - L  # (2)
    A = np.outer(omega, omega) - scaled(omega @ omega, np.eye(3))
    Q = np.array([[h[k][l] @ eta_dot for l in xyz] for k in xyz])
    M_rf = np.stack([h[1][2] - h[2][1], h[2][0] - h[0][2], h[0][1] - h[1][0], *s])  # (4)
    swirl = scaled(np.trace(Q), omega) - Q.T @ omega
    moment = cross(omega, J @ omega) + 2 * swirl  # (5)
    force = cross(omega, cross(omega, p)) + 2 * cross(omega, s @ eta_dot)  # A p
    b_f = sum((scaled(A[k, l], h[l][k]) for k in xyz for l in xyz), zeros(body.n_mode))  # (6)
    for k, l, m in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        b_f = b_f + scaled(2 * omega[k], (N[m, l] - N[l, m]) @ eta_dot)
    # The modal mass at rest, seen from the inboard node, is the identity, lumps included;
    # N_xx + N_yy + N_zz: the points' part.
    part = body.lumps or body.inboard < 0
    M_ff = N[0, 0] + N[1, 1] + N[2, 2] if part else np.eye(body.n_mode)
    return BodyTerms(
        M_ff=M_ff,
        M_rf=M_rf,
        M_rr=spatial_inertia(I.mass, p, J),  # (3)
        b_f=b_f,
        b_r=np.concatenate([moment, force]) + bend,
    )


def _axial(T: Array) -> Array:
    """Vector of the antisymmetric part of a tensor, doubled."""
    return np.stack([T[1, 2] - T[2, 1], T[2, 0] - T[0, 2], T[0, 1] - T[1, 0]])


def _with_lumps(
    body: NormalBody, terms: BodyTerms, eta: Array, eta_dot: Array, V: Array
) -> BodyTerms:
    for lump in body.lumps:
        terms = _with_lump(terms, lump, node_motion(body, lump.node, eta, eta_dot, V))
    return terms


def _with_lump(terms: BodyTerms, lump: Lump, node: NodeMotion) -> BodyTerms:
    M_s, b_s = _lump_terms(lump, node)
    Pi_hat, phi = node.shapes, node.shift
    force = M_s @ node.coriolis + b_s  # (8)
    return BodyTerms(
        M_ff=terms.M_ff + Pi_hat.T @ M_s @ Pi_hat,  # (7)
        M_rf=terms.M_rf + phi @ M_s @ Pi_hat,
        M_rr=terms.M_rr + phi @ M_s @ phi.T,
        b_f=terms.b_f + Pi_hat.T @ force,
        b_r=terms.b_r + phi @ force,
    )


def _rod_terms(body: NormalBody, eta: Array, eta_dot: Array, V: Array) -> BodyTerms:
    """Terms of a rod: sums over its stations."""
    assert body.rod is not None
    m = body.n_mode
    terms = BodyTerms(zeros(m, m), zeros(6, m), zeros(6, 6), zeros(m), zeros(6))
    for k, section in enumerate(stations(body.rod, eta, eta_dot)):
        lump = Lump(float(body.rod.masses[k]), zeros(3), np.diag(body.rod.inertias[k]), 0)
        terms = _with_lump(terms, lump, _section_motion(section, eta_dot, V))
    return terms


def _lump_terms(lump: Lump, node: NodeMotion) -> tuple[Array, Array]:
    """Spatial inertia and gyroscopic force of a lump at its node, body axes."""
    E, w = node.rotation, node.velocity[:3]
    J_b, p_b = E @ lump.inertia @ E.T, lump.mass * (E @ lump.offset)
    M_s = np.block([[J_b, skew(p_b)], [-skew(p_b), lump.mass * np.eye(3)]])
    b_s = np.concatenate([cross(w, J_b @ w), cross(w, cross(w, p_b))])
    return M_s, b_s
