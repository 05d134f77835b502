"""Reference implementation of closed loops: closure, its derivatives, and constraint forces.

The tree is unchanged; each loop is an additional joint between two of its frames.

Notation (frames a, b of a loop; all in the axes of frame b, at its origin; d from a to b)
  R, r     frame b in frame a: its axes to those of a, its origin
  q_j      coordinates of the loop's joint that come nearest to this pose
  xi       small motion from the joint's pose at q_j to this pose
  H*       motion map of the joint at q_j
  P        forces that do no work on the joint's motions: P^T H* = 0, see `constraint_map`
  dV       relative velocity [w_b - w_a; v_b - v_a - w_a x d]

  gap g = P^T xi                                                                  (1)
  rate A v = P^T dV, its derivative where the loop is closed                      (2)
  A_b = [alpha_a; a_a + alpha_a x d] + H* beta_dot + c,  so that
  A vdot + gamma = P^T (A_b - [alpha_a; a_a + alpha_a x d] - c) = 0               (3)
  c = [w_a x w_rel; w_a x (w_a x d) + 2 w_a x v_rel] + bias of the joint          (4)
      of a contact, P^T times its bias is -drift, see `joints.contacts`
      and the centripetal acceleration of the frames on their nodes: w x (w x p), p from the node
  forces: [moment; force] = P lambda on b, its opposite on a, both at the origin of frame b
  M vdot + b = T + A^T lambda,   Lambda lambda = -(A vdot_free + gamma),   Lambda = A M^-1 A^T  (5)
All rows of A are displacements [m] and all lambda are forces [N]: angles are multiplied and moments
divided by the length of the system.  Derivatives of P are not needed, because P^T H* = 0 always.
Couplings between hinge coordinates are additional rows, with forces u at hinges: see `couplings`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...joints import ClosedContact
from ...joints.nearness import constraint_map, pose_error
from ...spatial import block_diagonal, cross, motion_transform
from ...spatial.scalar import solve_spd
from ...system import GROUND, Loop, LoopEnd, System
from ..tree.body_terms import NodeMotion
from ..tree.reference import (
    Armature,
    Articulated,
    BodyMotion,
    External,
    accelerations_base_to_tip,
    articulate_tip_to_base,
    forward_dynamics,
    ground_acceleration,
    mass_matrix,
    outboard_rows,
    tip_to_base,
)
from .couplings import coupling_jacobian

Array = np.ndarray

# Remainder of a row of Lambda, relative to its size, below which it depends on others.
DEPENDENT = 1e-12
# Fractions of the largest diagonal entry of Lambda, and of the inverse mass of the system, below
# which a constraint moves nothing.
NEGLIGIBLE, MOTIONLESS = 1e-10, 1e-16


@dataclass(frozen=True, eq=False)
class LoopMotion:
    """Closure of one loop and its rates."""

    coordinates: Array  # (n_q,) q_j of the loop's joint
    constraint_map: Array  # (6, n) P, in the axes of frame b [length, 1]
    # map_a, map_b: (n, 6) motions of the two nodes (in body axes, at the node) -> rates: A v =
    # map_b V_b + map_a V_a
    map_a: Array
    map_b: Array
    gap: Array  # (n,) g [m]
    rate: Array  # (n,) a v [m/s]
    bias: Array  # (6,) c, in the axes of frame b
    gap_motion: Array  # (6,) xi, in the axes of frame b [rad; m]
    drift: Array  # (n,) part of A vdot + gamma due to the change of P; zero for joints


@dataclass(frozen=True, eq=False)
class _LoopFrame:
    """Frame of a loop: world pose, map from node velocity, velocity and `turning`, in its axes.

    turning: centripetal acceleration due to the rotation of the node.
    """

    rotation: Array
    position: Array
    transform: Array
    velocity: Array
    turning: Array


def _outboard_node(system: System, motions: Sequence[BodyMotion], end: LoopEnd) -> NodeMotion:
    return motions[end.body].outboard[system.outboard_nodes[end.body].index(end.node)]


def _frame(system: System, motions: Sequence[BodyMotion], end: LoopEnd) -> _LoopFrame:
    if end.body == GROUND:
        X = motion_transform(end.rotation, end.position)
        return _LoopFrame(end.rotation, end.position, X, np.zeros(6), np.zeros(6))
    motion, node = motions[end.body], _outboard_node(system, motions, end)
    R = motion.world_rotation @ node.rotation
    r = motion.world_position + motion.world_rotation @ node.position
    X = motion_transform(node.rotation @ end.rotation, node.rotation @ end.position)
    V, p = X @ node.velocity, end.rotation.T @ end.position
    turning = np.concatenate([np.zeros(3), cross(V[:3], cross(V[:3], p))])
    return _LoopFrame(R @ end.rotation, r + R @ end.position, X, V, turning)


def loop_motions(system: System, motions: Sequence[BodyMotion]) -> list[LoopMotion]:
    """Closure of every loop and its rates (1)-(4)."""
    return [_loop_motion(system, motions, loop) for loop in system.loops]


def _loop_motion(system: System, motions: Sequence[BodyMotion], loop: Loop) -> LoopMotion:
    a, b = _frame(system, motions, loop.a), _frame(system, motions, loop.b)
    R, r = a.rotation.T @ b.rotation, a.rotation.T @ (b.position - a.position)
    X = motion_transform(R, r)  # motion of frame a -> motion at b of a body fixed to a
    dV = b.velocity - X @ a.velocity
    w_a, d = R.T @ a.velocity[:3], R.T @ r
    turning = cross(w_a, cross(w_a, d)) + 2 * cross(w_a, dV[3:])
    c = np.concatenate([cross(w_a, dV[:3]), turning])
    c = c + X @ a.turning - b.turning  # (4)
    if isinstance(loop.joint, ClosedContact):
        q, P, gap, drift = loop.joint.touch(R, r, dV)
        xi = np.zeros(6)
    else:
        q = loop.joint.nearest(R, r)
        Ht = loop.joint.motion_map(q)
        P = constraint_map(Ht, system.length)
        xi = pose_error(loop.joint, q, R, r)
        gap, drift = P.T @ xi, np.zeros(P.shape[1])
        c = c + loop.joint.bias(q, np.linalg.lstsq(Ht, dV, rcond=None)[0])
    return LoopMotion(
        coordinates=q,
        constraint_map=P,
        map_a=-P.T @ X @ a.transform,
        map_b=P.T @ b.transform,
        gap=gap,
        rate=P.T @ dV,
        bias=c,
        gap_motion=xi,
        drift=drift,
    )


def constraint_jacobian(
    system: System, motions: Sequence[BodyMotion], loops: Sequence[LoopMotion]
) -> Array:
    """Jacobian A (n_constraint, n_v): generalized speeds to rates of the closure (2).  O(N^2)."""
    forces = np.eye(system.n_constraint)
    return generalized_loop_forces(system, motions, loops, forces)


def generalized_loop_forces(
    system: System, motions: Sequence[BodyMotion], loops: Sequence[LoopMotion], forces: Array
) -> Array:
    """Forces A^T lambda (k, n_v) of k vectors lambda, the rows of `forces`, by an inward sweep.

    T_f = sum Pi_hat_t^T f_t,    T_r = H f + u,    f = sum phi_t f_t, f_t with X^T f of the children
    """
    at_nodes = _node_columns(system, loops, forces)
    T = np.zeros((system.n_v, len(forces)))
    for i in tip_to_base(system):
        motion, p, f = motions[i], system.parent[i], at_nodes[i]
        T[system.layout.modal_v(i)] = motion.outboard_shapes.T @ f
        F = motion.outboard_shift @ f
        T[system.layout.hinge_v(i)] = motion.motion_map.T @ F
        if p != GROUND:
            at_nodes[p][outboard_rows(system, i)] += motion.transform.T @ F
    return T.T + forces[:, _first_coupling(system) :] @ coupling_jacobian(system)


def _first_coupling(system: System) -> int:
    """Row of the first coupling; couplings follow the loops."""
    return system.n_constraint - len(system.couplings)


def _node_columns(system: System, loops: Sequence[LoopMotion], forces: Array) -> list[Array]:
    """Stacked forces on the outboard nodes of every body, body axes; one column per row."""
    at_nodes = [np.zeros((6 * len(nodes), len(forces))) for nodes in system.outboard_nodes]
    first = 0
    for loop, motion in zip(system.loops, loops, strict=True):
        columns = forces[:, first : first + loop.n_constraint].T
        first += loop.n_constraint
        for end, on_node in ((loop.a, motion.map_a), (loop.b, motion.map_b)):
            if end.body != GROUND:
                slot = 6 * system.outboard_nodes[end.body].index(end.node)
                at_nodes[end.body][slot : slot + 6] += on_node.T @ columns
    return at_nodes


def operational_compliance(
    system: System,
    motions: Sequence[BodyMotion],
    loops: Sequence[LoopMotion],
    articulated: Sequence[Articulated],
) -> Array:
    """Operational compliance A M^-1 A^T by one inward sweep.  O(N) in bodies, O(1) in modes.

    One column for each constraint; F is its force on the nodes of the body:
      zeta = sum of the children's X^T Z+ at each node - F                          (6)
      Z_R = Y N zeta        Lambda += zeta^T S N zeta                               (7)
      U = u - H Z_R         Lambda += U^T D^-1 U          Z+ = Z_R + G U            (8)
    Source: steps 2-4 of the Order-N paper to (C 4.20), in the form of `articulate_tip_to_base`.
    Differs: nodes with loops are treated as nodes with massless children, so that constraint forces
    on the body and on outer bodies follow the same equations; N replaces I - E S.
    """
    zeta = [-f for f in _node_columns(system, loops, np.eye(system.n_constraint))]
    Lam = np.zeros((system.n_constraint, system.n_constraint))
    u = np.zeros((system.n_v, system.n_constraint))
    u[:, _first_coupling(system) :] = coupling_jacobian(system).T
    for i in tip_to_base(system):
        motion, block, p = motions[i], articulated[i], system.parent[i]
        passed = block.N @ zeta[i]
        Lam = Lam + zeta[i].T @ block.S @ passed  # (7)
        Z_R = block.Y @ passed
        U = u[system.layout.hinge_v(i)] - motion.motion_map.T @ Z_R  # (8)
        Lam = Lam + U.T @ solve_spd(block.hinge_inertia, U)
        if p != GROUND:
            Z_plus = Z_R + block.hinge_gain @ U
            zeta[p][outboard_rows(system, i)] += motion.transform.T @ Z_plus  # (6)
    return (Lam + Lam.T) / 2


def closure_accelerations(
    system: System, motions: Sequence[BodyMotion], loops: Sequence[LoopMotion], vdot: Array
) -> Array:
    """Residual A vdot + gamma (n_constraint,); zero if accelerations keep the loops closed (3)."""
    _, at_nodes = accelerations_base_to_tip(system, motions, vdot)
    rows = []
    for loop, motion in zip(system.loops, loops, strict=True):
        row = motion.drift - motion.constraint_map.T @ motion.bias
        for end, on_node in ((loop.a, motion.map_a), (loop.b, motion.map_b)):
            A_t = ground_acceleration(system)
            if end.body != GROUND:
                A_t = at_nodes[end.body][system.outboard_nodes[end.body].index(end.node)]
            row = row + on_node @ A_t
        rows.append(row)
    return np.concatenate([np.zeros(0), *rows, coupling_jacobian(system) @ vdot])


def constrained_dynamics(
    system: System,
    motions: Sequence[BodyMotion],
    forces: Array,
    external: External = (),
    armature: Armature | None = None,
    *,
    dense: bool = False,
) -> tuple[Array, Array]:
    """Accelerations of a system with loops, and the loop forces lambda (5).

    Solves the free tree, then the loop forces, then the tree with these forces.  `dense`: Lambda
    from A and the mass matrix instead of the sweep.
    """
    loops = loop_motions(system, motions)
    if dense:
        M, A = mass_matrix(system, motions), constraint_jacobian(system, motions, loops)
        if armature is not None:
            M = M + block_diagonal(*(b for a_f, a_r in armature for b in (np.diag(a_f), a_r)))
        Lam = A @ solve_spd(M, A.T)
    else:
        articulated = articulate_tip_to_base(system, motions, armature)
        Lam = operational_compliance(system, motions, loops, articulated)
    free = forward_dynamics(system, motions, forces, external, armature)
    rhs = -closure_accelerations(system, motions, loops, free)
    lam, _ = least_norm(Lam, rhs, _row_sizes(system, Lam))
    pushed = generalized_loop_forces(system, motions, loops, lam[None])[0]
    return forward_dynamics(system, motions, forces + pushed, external, armature), lam


def loop_wrenches(system: System, loops: Sequence[LoopMotion], lam: Array) -> Array:
    """Wrenches [moment; force] = P lambda on end b of each loop, (n_loop, 6), axes of frame b."""
    pieces = np.split(lam, np.cumsum([loop.n_constraint for loop in system.loops]))[:-1]
    return np.array([m.constraint_map @ x for m, x in zip(loops, pieces, strict=True)])


def least_norm(Lam: Array, rhs: Array, size: Array) -> tuple[Array, list[int]]:
    """Solution of Lambda lambda = rhs of least norm, and the independent rows.

    Lambda = L L^T over the independent rows, found by elimination with pivoting: next is the row
    with the largest remainder relative to its size, the largest diagonal entry of its loop.  A row
    whose remainder is below DEPENDENT depends on those before it.  With the solution x of the
    independent rows, lambda = L (L^T L)^-1 L^T x has the least norm.

    `Lam` (n, n): lambda; `rhs` (n,): right-hand side; `size` (n,): sizes of the rows.
    """
    left, L = Lam.copy(), np.zeros((len(Lam), 0))
    rows: list[int] = []
    while len(rows) < len(Lam):
        part = np.diag(left) / size
        part[rows] = 0.0
        k = int(np.argmax(part))
        if not part[k] > DEPENDENT:
            break
        rows.append(k)
        L = np.column_stack([L, left[:, k] / np.sqrt(left[k, k])])
        left = left - np.outer(L[:, -1], L[:, -1])
    x = np.zeros(len(Lam))
    if rows:
        x[rows] = np.linalg.solve(Lam[np.ix_(rows, rows)], rhs[rows])
        x = L @ np.linalg.lstsq(L, x, rcond=None)[0]
    return x, rows


def _row_sizes(system: System, Lam: Array) -> Array:
    """Largest diagonal entry of the loop of each row; for a coupling, its diagonal entry."""
    diagonal, motionless = np.diag(Lam), MOTIONLESS / sum(body.mass for body in system.bodies)
    least = max(NEGLIGIBLE * diagonal.max(initial=0.0), motionless)
    pieces = np.split(diagonal, np.cumsum([loop.n_constraint for loop in system.loops]))
    largest = [np.full(len(x), max(x.max(initial=0.0), least)) for x in pieces[:-1]]
    return np.concatenate([*largest, np.maximum(pieces[-1], motionless)])
