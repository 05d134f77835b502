"""Reference implementation of the recursions, against which everything else is tested.

It is functional (nothing is modified in place) and generic in the scalar type: the same code runs
on floats, complex numbers, SymPy and CasADi objects.

Notation (bodies numbered base to tip; all quantities in body axes at the body's origin)
  p = parent(i), t its node that carries body i     the papers' k+1 is the parent here
  R, r     body i's axes -> parent's axes, and its origin from the node, in parent's axes
  X        motion of the node (parent's axes) -> motion of body i's frame (its axes); X^T: forces
  H*       motion map (6 x n_dof), c the joint's velocity-dependent acceleration
  V, alpha spatial velocity and acceleration; accelerations are inertial derivatives
  gravity  enters as the ground's acceleration [0; -g]

Kinematics, base to tip:
  V_t, gamma, Pi_hat of the parent's node                        see `body_terms`
  V = X V_t + H* beta, as (A 7), (A 8), (A 9), (A 10), (B 5), (E 44), (E 45), (E 47)         (1)
  c = [R^T (w_N x w_j); R^T (w_N x (w_N x r) + 2 w_N x r_dot)] + bias of the joint           (2)
      w_N rate of the node (at "ruthless" of its body); w_j, r_dot rates of the body relative to
      the node, in parent's axes
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import SingularError
from ...spatial import block_diagonal, cross, motion_transform, rotate, symmetric
from ...spatial.scalar import is_numeric, solve, solve_spd, zeros
from ...system import GROUND, System
from .body_terms import BodyTerms, NodeMotion, body_terms, node_motion

Array = np.ndarray
# Spatial forces on nodes: (body, node, [moment; force] in node axes).
External = Sequence[tuple[int, int, Array]]

# Inertia added to the generalized coordinates: per body the diagonal on its modes and the symmetric
# block on its hinge.
Armature = Sequence[tuple[Array, Array]]

# Deflection, as a fraction of the length, below which a truncated mass matrix is definite.
_BENT = 1e-3

# Fraction of its scale below which a hinge inertia is noise.
_BLIND = 50 * np.finfo(float).eps


@dataclass(frozen=True, eq=False)
class BodyMotion:
    """Kinematics of one body; output of the kinematics sweep."""

    # eta, eta_dot, beta: modal coordinates and rates, hinge rates
    eta: Array
    eta_dot: Array
    beta: Array
    world_rotation: Array  # (3, 3) body axes to world axes
    world_position: Array  # (3,) body origin in the world [m]
    transform: Array  # (6, 6) X, from the carrying node to the body
    motion_map: Array  # (6, n_dof) H*
    bias: Array  # (6,) c
    velocity: Array  # (6,) V
    # nodes that carry children, as listed in ``system.outboard_nodes``
    outboard: tuple[NodeMotion, ...]
    terms: BodyTerms  # inertia and gyroscopic forces of the body

    @property
    def outboard_shapes(self) -> Array:
        """Stacked Pi_hat (6 n_t, n_mode) of the nodes that carry children."""
        shapes = (node.shapes for node in self.outboard)
        return np.concatenate([zeros(0, len(self.eta)), *shapes])

    @property
    def outboard_shift(self) -> Array:
        """Rigid shifts phi from those nodes, side by side (6, 6 n_t)."""
        shifts = (node.shift for node in self.outboard)
        return np.concatenate([zeros(6, 0), *shifts], axis=1)


@dataclass(frozen=True, eq=False)
class Articulated:
    """Articulated-body quantities of one body (normalised form)."""

    W: Array  # (n_mode, n_mode) (M_ff + armature)^-1
    Y: Array  # (6, 6 n_t) shift from the outboard nodes, reduced by the modes
    S: Array  # (6 n_t, 6 n_t) compliance at the outboard nodes
    # (6 n_t, 6 n_t) part of a force on the outboard nodes that is transmitted through the
    # compliance
    N: Array
    E: Array  # (6 n_t, 6 n_t) inertia of the children seen through the compliance
    inertia: Array  # (6, 6) P_R, articulated inertia with the body's modes free
    hinge_inertia: Array  # (n_dof, n_dof) D
    hinge_gain: Array  # (6, n_dof) G, the Kalman gain
    inertia_inboard: Array  # (6, 6) P+, inboard of the hinge


def base_to_tip(system: System) -> range:
    """Body numbers, each after its parent."""
    return range(system.n_body)


def tip_to_base(system: System) -> Iterator[int]:
    """Body numbers, each before its parent."""
    return reversed(range(system.n_body))


def carriers(system: System, i: int) -> list[int]:
    """A body and all that carry it, inward; empty for the ground."""
    bodies = []
    while i != GROUND:
        bodies.append(i)
        i = int(system.parent[i])
    return bodies


def kinematics_base_to_tip(system: System, q: Array, v: Array) -> list[BodyMotion]:
    """Poses, velocities and velocity-dependent terms of all bodies.  O(N)."""
    motions: list[BodyMotion] = []
    for i in base_to_tip(system):
        layout, body, joint, p = system.layout, system.bodies[i], system.joints[i], system.parent[i]
        eta, theta = q[layout.modal_q(i)], q[layout.hinge_q(i)]
        eta_dot, beta = v[layout.modal_v(i)], v[layout.hinge_v(i)]
        node = carrying_node(system, motions, i)
        R_parent = np.eye(3) if p == GROUND else motions[p].world_rotation
        r_parent = zeros(3) if p == GROUND else motions[p].world_position
        R_joint, r_joint = joint.pose(theta)
        inboard = node.rotation @ system.frame_rotation[i]
        R, r = inboard @ R_joint, node.rotation @ system.frame_position[i] + inboard @ r_joint
        X, Ht = motion_transform(R, r), joint.motion_map(theta)
        V = X @ node.velocity + Ht @ beta  # (1)
        motions.append(
            BodyMotion(
                eta=eta,
                eta_dot=eta_dot,
                beta=beta,
                world_rotation=R_parent @ R,
                world_position=r_parent + R_parent @ (node.position + r),
                transform=X,
                motion_map=Ht,
                bias=_hinge_bias(node.turning, R, r, Ht @ beta) + joint.bias(theta, beta),
                velocity=V,
                outboard=tuple(
                    node_motion(body, t, eta, eta_dot, V) for t in system.outboard_nodes[i]
                ),
                terms=body_terms(body, eta, eta_dot, V),
            )
        )
    return motions


def _hinge_bias(w_N: Array, R: Array, r: Array, relative: Array) -> Array:
    """Acceleration of the child frame due to the rotation of its node (2), (C 1.2), (C 1.3)."""
    w_j, r_dot = R @ relative[:3], R @ relative[3:]
    linear = cross(w_N, cross(w_N, r)) + 2 * cross(w_N, r_dot)
    return rotate(R.T, np.concatenate([cross(w_N, w_j), linear]))


def carrying_node(system: System, motions: Sequence[BodyMotion], i: int) -> NodeMotion:
    """Node of the parent that carries body i; the world frame for a base body."""
    p = system.parent[i]
    if p == GROUND:
        return NodeMotion(zeros(3), np.eye(3), zeros(6, 0), zeros(6), zeros(6), zeros(3))
    return motions[p].outboard[_slot(system, i)]


def _slot(system: System, i: int) -> int:
    """Index of the node that carries body i among its parent's outboard nodes."""
    return system.outboard_nodes[system.parent[i]].index(int(system.parent_node[i]))


def outboard_rows(system: System, i: int) -> slice:
    """Rows of the node that carries body i in arrays stacked over its parent's outboard nodes."""
    slot = _slot(system, i)
    return slice(6 * slot, 6 * slot + 6)


def coriolis_acceleration(system: System, motions: Sequence[BodyMotion], i: int) -> Array:
    """Acceleration of body i independent of vdot: X gamma + c, with -g at the base.

    Source: (A 25), the spatial part a_mR.
    """
    at_base = system.parent[i] == GROUND
    A_t = ground_acceleration(system) if at_base else carrying_node(system, motions, i).coriolis
    return motions[i].transform @ A_t + motions[i].bias


def accelerations_base_to_tip(
    system: System, motions: Sequence[BodyMotion], vdot: Array
) -> tuple[list[Array], list[list[Array]]]:
    """Spatial accelerations of bodies and their outboard nodes, gravity as base motion.  O(N).

    A_t = phi(l)^T alpha + Pi_hat eta_ddot + gamma        (3)
    alpha = X A_t + H* beta_dot + c                       (4)
    Source: (A 24), (C 1.4).  Differs: Coriolis terms split between node and hinge.
    """
    alphas: list[Array] = []
    at_nodes: list[list[Array]] = []
    for i in base_to_tip(system):
        motion, p = motions[i], system.parent[i]
        A_t = ground_acceleration(system) if p == GROUND else at_nodes[p][_slot(system, i)]
        beta_dot, eta_ddot = vdot[system.layout.hinge_v(i)], vdot[system.layout.modal_v(i)]
        alpha = motion.transform @ A_t + motion.motion_map @ beta_dot + motion.bias  # (4)
        alphas.append(alpha)
        at_nodes.append(
            [n.shift.T @ alpha + n.shapes @ eta_ddot + n.coriolis for n in motion.outboard]  # (3)
        )
    return alphas, at_nodes


def ground_acceleration(system: System) -> Array:
    """Spatial acceleration [0; -g] of the ground, by which gravity enters."""
    return np.concatenate([zeros(3), -system.gravity])


def inverse_dynamics(
    system: System,
    motions: Sequence[BodyMotion],
    vdot: Array,
    external: External = (),
    armature: Armature | None = None,
    *,
    elastic: bool = True,
) -> tuple[Array, list[Array]]:
    """Generalized forces for given accelerations, and the spatial force through every hinge.  O(N).

    f_r = M_rr alpha + M_rf eta_ddot + b_r - sum phi_c F_c + sum phi_t f_t                  (5)
    T_f = M_rf^T alpha + M_ff eta_ddot + b_f + K eta + C eta_dot
          - sum Pi_hat_c^T F_c + sum Pi_hat_t^T f_t                                         (6)
    T_r = H f_r,    f_t = sum over the children at t of X^T f_r                             (7)
    Source: (A 34), (A 41), (A 44), (A 45), (B 7).  Differs: bodies numbered base to tip; external
    forces F_c on nodes c; modes zero at the inboard node, so that T_f has no hinge part; armature
    adds a_f eta_ddot and a_r beta_dot; `elastic` = False omits K and C.
    """
    alphas, _ = accelerations_base_to_tip(system, motions, vdot)
    loads = external_terms(system, motions, external)
    hinge_forces: dict[int, Array] = {}
    forces: dict[int, Array] = {}
    for i in tip_to_base(system):
        motion, body, terms, alpha = motions[i], system.bodies[i], motions[i].terms, alphas[i]
        eta_ddot, beta_dot = vdot[system.layout.modal_v(i)], vdot[system.layout.hinge_v(i)]
        load_f, load_r = loads[i]
        f_r = terms.M_rr @ alpha + terms.M_rf @ eta_ddot + terms.b_r - load_r  # (5)
        T_f = terms.M_rf.T @ alpha + terms.M_ff @ eta_ddot + terms.b_f - load_f  # (6)
        if elastic:
            T_f = T_f + body.stiffness * motion.eta + body.damping @ motion.eta_dot
        for c in system.children[i]:
            node = carrying_node(system, motions, c)
            f_t = motions[c].transform.T @ hinge_forces[c]  # (7)
            f_r, T_f = f_r + node.shift @ f_t, T_f + node.shapes.T @ f_t
        hinge_forces[i] = f_r
        T_r = motion.motion_map.T @ f_r
        if armature is not None:
            a_f, a_r = armature[i]
            T_f, T_r = T_f + a_f * eta_ddot, T_r + a_r @ beta_dot
        forces[i] = np.concatenate([T_f, T_r])
    stacked = [forces[i] for i in base_to_tip(system)]
    return np.concatenate(stacked), [hinge_forces[i] for i in base_to_tip(system)]


def external_terms(
    system: System, motions: Sequence[BodyMotion], external: External
) -> list[tuple[Array, Array]]:
    """Modal force sum Pi_hat_c^T F_c and spatial force sum phi_c F_c of each body."""
    terms = [(zeros(body.n_mode), zeros(6)) for body in system.bodies]
    for i, c, wrench in external:
        motion = motions[i]
        node = node_motion(system.bodies[i], c, motion.eta, motion.eta_dot, motion.velocity)
        F = rotate(node.rotation, wrench)
        modal, spatial = terms[i]
        terms[i] = (modal + node.shapes.T @ F, spatial + node.shift @ F)
    return terms


def mass_matrix(system: System, motions: Sequence[BodyMotion]) -> Array:
    """System mass matrix by composite bodies.  O(N^2) for a chain.

    R_m = M_m + sum over children [Pi_hat_t^T; phi_t] X^T R_rr X [Pi_hat_t, phi_t^T]    (8)
    columns of body i: F = [R_rf, R_rr H*];  then inward F <- X^T F, rows Pi_hat^T F, H phi F   (9)
    Source: (A 48), (A 49), (A 50).  Differs: R_rr of a child suffices, because its
    modes and hinge are frozen in the composite body.
    """
    composite: dict[int, BodyTerms] = {}
    blocks: dict[tuple[int, int], Array] = {}
    for i in tip_to_base(system):
        R_m = _composite_terms(system, motions, i, composite)
        composite[i] = R_m
        Ht = motions[i].motion_map
        F = np.concatenate([R_m.M_rf, R_m.M_rr @ Ht], axis=1)  # (9)
        modal_rows = np.concatenate([R_m.M_ff, R_m.M_rf.T @ Ht], axis=1)
        blocks[i, i] = np.concatenate([modal_rows, Ht.T @ F])
        for p, node, F_t in _inward(system, motions, i, F):
            hinge_rows = motions[p].motion_map.T @ (node.shift @ F_t)
            blocks[p, i] = np.concatenate([node.shapes.T @ F_t, hinge_rows])
    return _assembled(system, blocks)


def _composite_terms(
    system: System, motions: Sequence[BodyMotion], i: int, composite: Mapping[int, BodyTerms]
) -> BodyTerms:
    """Inertia of body i with everything outboard frozen to it (8)."""
    terms = motions[i].terms
    M_ff, M_rf, M_rr = terms.M_ff, terms.M_rf, terms.M_rr
    for c in system.children[i]:
        node, X = carrying_node(system, motions, c), motions[c].transform
        R_t = X.T @ composite[c].M_rr @ X
        Pi_hat, phi = node.shapes, node.shift
        M_ff = M_ff + Pi_hat.T @ R_t @ Pi_hat
        M_rf = M_rf + phi @ R_t @ Pi_hat
        M_rr = M_rr + phi @ R_t @ phi.T
    return BodyTerms(M_ff, M_rf, M_rr, terms.b_f, terms.b_r)


def _inward(
    system: System, motions: Sequence[BodyMotion], i: int, F: Array
) -> Iterator[tuple[int, NodeMotion, Array]]:
    """Forces at body i shifted to the node of each inboard body."""
    while (p := int(system.parent[i])) != GROUND:
        node = carrying_node(system, motions, i)
        F = motions[i].transform.T @ F
        yield p, node, F
        F, i = node.shift @ F, p


def _assembled(system: System, blocks: Mapping[tuple[int, int], Array]) -> Array:
    """Symmetric matrix from its blocks (ancestor, body)."""
    sizes = [blocks[i, i].shape[0] for i in base_to_tip(system)]
    rows = []
    for i in base_to_tip(system):
        row = []
        for j in base_to_tip(system):
            if (i, j) in blocks:
                row.append(blocks[i, j])
            elif (j, i) in blocks:
                row.append(blocks[j, i].T)
            else:
                row.append(zeros(sizes[i], sizes[j]))
        rows.append(np.concatenate(row, axis=1))
    return np.concatenate(rows)


def articulate_tip_to_base(
    system: System,
    motions: Sequence[BodyMotion],
    armature: Armature | None = None,
) -> list[Articulated]:
    """Articulated-body inertias and hinge gains.  O(N), and O(1) in modes except for W.

    W   = (M_ff + a_f)^-1                                    (10)
    M_bar = M_rr - M_rf W M_rf^T   Y = phi - M_rf W Pi_hat^T   S = Pi_hat W Pi_hat^T   (11)
    Gamma = blockdiag of sum of the children's X^T P+ X at each node                   (12)
    N   = (I + Gamma S)^-1      E = N Gamma                  (13)
    P_R = M_bar + Y E Y^T                                    (14)
    D   = H P_R H* + a_r        G = P_R H* D^-1              (15)
    P+  = P_R - G D G^T                                      (16)
    Source: (A 58), (A 62), (A 63).  Differs: normalised form, in which the
    recursion is independent of the number of modes; see the theory page "Articulated bodies".  P+
    is made exactly symmetric: an antisymmetric rounding error would grow from link to link.
    """
    blocks: dict[int, Articulated] = {}
    inboard: dict[int, Array] = {}
    for i in tip_to_base(system):
        motion, terms, body = motions[i], motions[i].terms, system.bodies[i]
        a_f, a_r = armature[i] if armature is not None else (zeros(body.n_mode), 0.0)
        W = _modal_inverse(terms, a_f, body.dense_mass)  # (10)
        Pi_hat, phi = motion.outboard_shapes, motion.outboard_shift
        M_bar = terms.M_rr - terms.M_rf @ W @ terms.M_rf.T  # (11)
        Y, S = phi - terms.M_rf @ W @ Pi_hat.T, Pi_hat @ W @ Pi_hat.T
        Gamma = children_inertia(system, motions, i, inboard)  # (12)
        _check_modes(system, motions, i, terms.M_ff + np.diag(a_f) + Pi_hat.T @ Gamma @ Pi_hat)
        N = solve(np.eye(len(Gamma)) + Gamma @ S, np.eye(len(Gamma)))  # (13)
        E = N @ Gamma
        P_R = M_bar + Y @ E @ Y.T  # (14)
        Ht = motion.motion_map
        D = Ht.T @ P_R @ Ht + a_r  # (15)
        if not sees_inertia(D, P_R, Ht):
            _raise_if_bent(system, motions, i)
        check_hinge_inertia(system, i, D, P_R, Ht)
        G = solve_spd(D, Ht.T @ P_R).T
        free = Ht.shape[1] == 6 and armature is None  # then (16) is zero, not its rounding errors
        inboard[i] = zeros(6, 6) if free else symmetric(P_R - G @ D @ G.T)  # (16)
        blocks[i] = Articulated(W, Y, S, N, E, P_R, D, G, inboard[i])
    return [blocks[i] for i in base_to_tip(system)]


def _modal_inverse(terms: BodyTerms, a_f: Array, deformable_mass: bool) -> Array:
    """Inverse W; the modal mass is the identity unless lumps make it depend on the deformation."""
    if deformable_mass:
        return solve_spd(terms.M_ff + np.diag(a_f), np.eye(len(a_f)))
    return np.diag(1 / (1 + a_f))


def children_inertia(
    system: System, motions: Sequence[BodyMotion], i: int, inboard: Mapping[int, Array]
) -> Array:
    """Block-diagonal Gamma: P+ of the children (`inboard`, 6x6 each) at the nodes of body i."""
    at_node = [zeros(6, 6) for _ in system.outboard_nodes[i]]
    for c in system.children[i]:
        X, slot = motions[c].transform, _slot(system, c)
        at_node[slot] = at_node[slot] + X.T @ inboard[c] @ X
    return block_diagonal(*at_node) if at_node else zeros(0, 0)


def sees_inertia(D: Array, P: Array, Ht: Array) -> bool:
    """Whether every motion of a hinge moves inertia above the rounding errors of P.

    Symbols cannot be checked and are accepted.
    """
    if not is_numeric(D) or not is_numeric(P) or D.shape[0] == 0:
        return True
    D, P, Ht = D.real, P.real, Ht.real
    size = np.trace(P[:3, :3]) * np.sum(Ht[:3] ** 2, axis=0)
    size = size + np.trace(P[3:, 3:]) * np.sum(Ht[3:] ** 2, axis=0)
    scale = np.sqrt(np.maximum(size, np.abs(np.diag(D))))
    if not np.all(np.isfinite(D)) or not np.all(scale > 0):
        return False
    return bool(np.linalg.eigvalsh(D / np.outer(scale, scale))[0] > _BLIND)


def check_hinge_inertia(system: System, i: int, D: Array, P: Array, Ht: Array) -> None:
    """Raise if a motion of the hinge moves no inertia."""
    if sees_inertia(D, P, Ht):
        return
    raise SingularError(
        f"body {system.names[i]!r}: its joint ({system.joints[i].label}) has a motion that moves "
        "no inertia in this state; give the body or what it carries inertia about that axis, or "
        "move away from the singular configuration",
        body=system.names[i],
    )


def _check_modes(system: System, motions: Sequence[BodyMotion], i: int, M: Array) -> None:
    """Raise if the modes of a body, with what it carries, have no positive definite mass."""
    stiffened = any(body.second_order is not None for body in system.bodies[i:])
    if stiffened and len(M) and is_numeric(M) and np.linalg.eigvalsh(M.real)[0] <= 0:
        _raise_if_bent(system, motions, i)


def _is_outboard(system: System, k: int, i: int) -> bool:
    """Whether body k is body i or carried by it."""
    while k > i:
        k = int(system.parent[k])
    return k == i


def _raise_if_bent(system: System, motions: Sequence[BodyMotion], i: int) -> None:
    """Blame the most bent body at level "stiffened" from body i outwards, if there is one."""
    deflections = [(0.0, "")]
    for k in range(i, system.n_body):
        body, name = system.bodies[k], system.names[k]
        if body.second_order is not None and _is_outboard(system, k, i):
            deflections.append((body.deflection(motions[k].eta.real), name))
    part, name = max(deflections)
    if part > _BENT:
        raise SingularError(
            f"body {name!r} deflects by {part:.2g} of its length, and the mass matrix of level "
            '"stiffened" is not positive definite there; check the loads, use fewer shapes, or '
            "divide the body into parts in a row, which bend less each",
            body=name,
        )


def forward_dynamics(
    system: System,
    motions: Sequence[BodyMotion],
    forces: Array,
    external: External = (),
    armature: Armature | None = None,
) -> Array:
    """Generalized accelerations by articulated bodies.  O(N).

    Tip to base, zeta = sum of the children's X^T z+ at each node:
      eps_f = T_f - b_f - K eta - C eta_dot + sum Pi_hat_c^T F_c       (17)
      z_r = b_r - sum phi_c F_c                                         (18)
      y   = Pi_hat W eps_f + gamma                                      (19)
      f_0 = E y + N zeta,   z_R = z_r + M_rf W eps_f + Y f_0            (20)
      z_c = z_R + P_R c,   eps_R = T_R - H z_c,   z+ = z_c + G eps_R    (21)
    Base to tip:
      alpha+ = X A_t,   beta_dot = D^-1 eps_R - G^T alpha+              (22)
      alpha = alpha+ + H* beta_dot + c                                  (23)
      f_t = E Y^T alpha + f_0,   A_t = Y^T alpha + y - S f_t            (24)
      eta_ddot = W (eps_f - M_rf^T alpha - Pi_hat^T f_t)                (25)
    Source: (A 46), (A 64), in normalised form; there eps_f contains the children.
    N zeta equals (I - E S) zeta, but that difference loses all digits with a heavy child.
    """
    articulated = articulate_tip_to_base(system, motions, armature)
    residuals = _residuals_tip_to_base(system, motions, articulated, forces, external)
    at_nodes: list[list[Array]] = []
    vdot: list[Array] = []
    for i in base_to_tip(system):
        motion, block, p = motions[i], articulated[i], system.parent[i]
        eps_f, eps_R, y, f_0 = residuals[i]
        A_p = ground_acceleration(system) if p == GROUND else at_nodes[p][_slot(system, i)]
        alpha_plus = motion.transform @ A_p
        nu = solve_spd(block.hinge_inertia, eps_R)
        beta_dot = nu - block.hinge_gain.T @ alpha_plus  # (22)
        alpha = alpha_plus + motion.motion_map @ beta_dot + motion.bias  # (23)
        f_t = block.E @ (block.Y.T @ alpha) + f_0  # (24)
        A_t = block.Y.T @ alpha + y - block.S @ f_t
        Pi_hat_f = sum(
            (n.shapes.T @ f for n, f in zip(motion.outboard, _by_node(f_t), strict=True)),
            zeros(system.bodies[i].n_mode),
        )
        eta_ddot = block.W @ (eps_f - motion.terms.M_rf.T @ alpha - Pi_hat_f)  # (25)
        at_nodes.append(_by_node(A_t))
        vdot.append(np.concatenate([eta_ddot, beta_dot]))
    return np.concatenate(vdot)


def _residuals_tip_to_base(
    system: System,
    motions: Sequence[BodyMotion],
    articulated: Sequence[Articulated],
    forces: Array,
    external: External,
) -> list[tuple[Array, Array, Array, Array]]:
    """Residuals (eps_f, eps_R, y, f_0) of every body (17)-(21)."""
    loads = external_terms(system, motions, external)
    inboard: dict[int, Array] = {}
    residuals: dict[int, tuple[Array, Array, Array, Array]] = {}
    for i in tip_to_base(system):
        motion, terms, block, body = motions[i], motions[i].terms, articulated[i], system.bodies[i]
        T_f, T_R = forces[system.layout.modal_v(i)], forces[system.layout.hinge_v(i)]
        load_f, load_r = loads[i]
        elastic = body.stiffness * motion.eta + body.damping @ motion.eta_dot
        eps_f = T_f - terms.b_f - elastic + load_f  # (17)
        z_r = terms.b_r - load_r  # (18)
        w = block.W @ eps_f
        nodes = motion.outboard
        y = np.concatenate([zeros(0), *(n.shapes @ w + n.coriolis for n in nodes)])  # (19)
        zeta = [zeros(6) for _ in nodes]
        for c in system.children[i]:
            slot = _slot(system, c)
            zeta[slot] = zeta[slot] + motions[c].transform.T @ inboard[c]
        stacked = np.concatenate([zeros(0), *zeta])
        f_0 = block.E @ y + block.N @ stacked  # (20)
        z_R = z_r + terms.M_rf @ w + block.Y @ f_0
        z_c = z_R + block.inertia @ motion.bias  # (21)
        eps_R = T_R - motion.motion_map.T @ z_c
        inboard[i] = z_c + block.hinge_gain @ eps_R
        residuals[i] = (eps_f, eps_R, y, f_0)
    return [residuals[i] for i in base_to_tip(system)]


def _by_node(stacked: Array) -> list[Array]:
    return [stacked[k : k + 6] for k in range(0, len(stacked), 6)]
