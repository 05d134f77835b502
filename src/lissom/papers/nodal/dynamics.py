"""Forward dynamics of finite-element bodies in nodal coordinates: a Kalman filter and a smoother.

Source: Rodriguez, section 9; it solves (D 8.5).

Notation (bodies numbered base to tip; all quantities of a body in its axes)
  k, children      the paper's k-1 is a child of k; sums over children are added here
  m, h, B, C, H    see `NodalLink`;  u = h* x  are the displacements relative to the inboard node
  p-, d, g, p+     inertia of the nodes, of the nodal freedoms; gain; inertia with these released
  P-, D, G, P+     the same at the joint
  z, e; Z, E       residual forces and innovations at the nodes; at the joint
  a, A             accelerations of the nodes and of the body's frame
  gamma, b, c, s   velocity terms of the nodes and of the joint, forces of the structure: `tree`
  -, +             in the inward sweep before and after a freedom is released, in the outward sweep
                   after and before it is added (A+ is inboard of the joint, A- outboard)

Departures from the source
  - Trees; any joint, with a matrix D(k); rigid bodies, which have no nodal freedoms.
  - h selects free nodes in the paper; here massless displacements follow the others statically, so
    that d is always positive definite (see `NodalBody.freedoms`).
  - Velocity terms, which the paper omits: gamma and b enter z-, c enters Z-, and both accelerations
    are added again on the way out.  Bodies may be deformed.
  - Applied forces f on the nodes enter z- instead of e-, because they also act on the inboard
    joints.  Forces s of a deformed structure enter e-, as in (D 9.12): they do no work on the
    joints.  For small displacements, where they are in equilibrium, both are equivalent.
  - Misprints: (D 9.2) gives p-; (D 9.12) has z-; (D 9.22) is a(N_k) = phi^T(k, N_k) A-(k), and
    (D 9.23) simply a+(i) = phi^T(k, i) A-(k); the sum of (D 9.24) runs over all nodes, the inboard
    one included (without it the result is correct for lumped mass only).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...algorithms.tree.arguments import speeds_vector
from ...algorithms.tree.reference import sees_inertia
from ...bodies.nodal import NodalBody
from ...errors import SingularError, StateError
from ...printing import Shown
from ...spatial import symmetric
from ...spatial.scalar import solve_spd
from ...system import GROUND, StateLike, System
from .tree import NodalTree, nodal_loads, nodal_tree

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class NodalGains(Shown):
    """Inertias and Kalman gains of one body: n nodes, f nodal freedoms, r degrees at the joint.

    Attributes
    ----------
    nodal_inertia : array (6 n, 6 n)
        p-, mass of the body and inertia of its children at their nodes.
    freedom_inertia : array (f, f)
        d.
    nodal_gain : array (6 n, f)
        g.
    nodal_inertia_released : array (6 n, 6 n)
        p+, with the nodal freedoms released.
    articulated_inertia : array (6, 6)
        P-, at the body's frame.
    hinge_inertia : array (r, r)
        D.
    hinge_gain : array (6, r)
        G.
    articulated_inertia_inboard : array (6, 6)
        P+, inboard of the joint.
    """

    nodal_inertia: Array
    freedom_inertia: Array
    nodal_gain: Array
    nodal_inertia_released: Array
    articulated_inertia: Array
    hinge_inertia: Array
    hinge_gain: Array
    articulated_inertia_inboard: Array


@dataclass(frozen=True, eq=False)
class NodalResiduals(Shown):
    """Spatial residual forces and innovations of one body.

    Attributes
    ----------
    nodal_residual_force : array (6 n,)
        z-.
    nodal_innovation_force : array (f,)
        e-.
    nodal_innovation_acceleration : array (f,)
        e+, acceleration of the nodal freedoms with everything inboard held.
    nodal_residual_force_released : array (6 n,)
        z+.
    residual_force : array (6,)
        Z-.
    innovation_force : array (r,)
        E-.
    innovation_acceleration : array (r,)
        E+.
    residual_force_inboard : array (6,)
        Z+.
    """

    nodal_residual_force: Array
    nodal_innovation_force: Array
    nodal_innovation_acceleration: Array
    nodal_residual_force_released: Array
    residual_force: Array
    innovation_force: Array
    innovation_acceleration: Array
    residual_force_inboard: Array


@dataclass(frozen=True, eq=False)
class NodalAccelerations(Shown):
    """Accelerations of one body, [angular; linear], in its axes, as inertial derivatives.

    Attributes
    ----------
    spatial_acceleration_inboard : array (6,)
        A+, of the body frame without the joint acceleration.
    joint : array (r,)
        Accelerations of the joint's speeds (the paper's theta_ddot).
    spatial_acceleration : array (6,)
        A-, of the body's frame.
    rigid : array (n, 6)
        a+, of the nodes if the body did not deform, without velocity terms.
    freedoms : array (f,)
        x_ddot, of the nodal freedoms.
    relative : array (n, 6)
        u_ddot, second rates of the displacements of the nodes.
    total : array (n, 6)
        a-, of the nodes.
    """

    spatial_acceleration_inboard: Array
    joint: Array
    spatial_acceleration: Array
    rigid: Array
    freedoms: Array
    relative: Array
    total: Array


@dataclass(frozen=True, eq=False)
class NodalSolution(Shown):
    """Forward dynamics in nodal coordinates, by name of body.

    Attributes
    ----------
    gains : dict of NodalGains
        Inertias and gains.
    residuals : dict of NodalResiduals
        Residual forces and innovations.
    accelerations : dict of NodalAccelerations
        Accelerations of joints and nodes.
    """

    gains: dict[str, NodalGains]
    residuals: dict[str, NodalResiduals]
    accelerations: dict[str, NodalAccelerations]


def nodal_forward_dynamics(
    system: System,
    state: StateLike,
    nodal: Mapping[str, NodalBody],
    forces: Any = None,
    *,
    external: Mapping[Any, Any] | None = None,
    nodal_forces: Mapping[str, Any] | None = None,
) -> NodalSolution:
    """Accelerations of joints and nodes by filtering and smoothing.  O(N) in bodies.

    With lumped masses it equals `forward_dynamics` of the system compiled with the bodies'
    ``to_modal()``, all modes kept.

    Parameters
    ----------
    system : System
        Compiled mechanism without loops.  Of its flexible bodies only the nodes are used, and the
        shapes by which the state displaces them; mass, stiffness and damping come from `nodal`.
        For a body with a consistent mass matrix, use any FlexibleBody with the same nodes.
    state : State or (q, v)
        Configuration and speeds.  Bodies with consistent mass must be undeformed, and then at rest.
    nodal : mapping
        {"body": NodalBody} for every flexible body.
    forces : array (n_v,) or mapping, optional
        Generalized forces of the joints, as for `forward_dynamics`; not on modes.
    external : mapping, optional
        Spatial forces {"body", "body.node" or "frame": [moment; force]} in body axes.
    nodal_forces : mapping, optional
        {"body": array (n, 6)}: spatial forces on all nodes in body axes.  Elastic and damping
        forces of the state's deformation are added without being given.

    Returns
    -------
    NodalSolution
        Gains, residuals and accelerations by name of body.

    Raises
    ------
    StateError
        If a body with consistent mass moves or is deformed, a name or shape does not match, or
        there are loops.
    SingularError
        If a motion of a joint moves no inertia.

    Notes
    -----
    (D 9.5) and (D 9.9) are differences: a load 10^k times as heavy as the body that carries it
    costs k of the 16 digits.  `forward_dynamics` does not lose them.
    """
    tree = nodal_tree(system, state, nodal)
    loads = nodal_loads(system, tree, external, nodal_forces)
    hinge_forces = hinge_values(system, forces, "forces", "nodal_forces")
    gains = nodal_gains_tip_to_base(tree)
    residuals = filter_tip_to_base(tree, gains, hinge_forces, loads)
    accelerations = smooth_base_to_tip(tree, gains, residuals)
    return NodalSolution(
        gains=dict(zip(system.names, gains, strict=True)),
        residuals=dict(zip(system.names, residuals, strict=True)),
        accelerations=dict(zip(system.names, accelerations, strict=True)),
    )


def hinge_values(system: System, user_values: Any, what: str, instead: str) -> list[Array]:
    """Values at the joints of all bodies; those of modes must be zero.

    `user_values` (n_v,): as given by the user.
    """
    values = speeds_vector(system, user_values, what)
    if values.dtype != float:
        raise StateError(f"{what}: the dynamics of nodal bodies needs real numbers")
    for name in system.names:
        if np.any(values[system.layout.modal_v(name)]):
            raise StateError(
                f"{what} act on modes of body {name!r}, which has nodal coordinates here; give "
                f"them as {instead}"
            )
    return [values[system.layout.hinge_v(name)] for name in system.names]


def nodal_gains_tip_to_base(tree: NodalTree) -> list[NodalGains]:
    """Riccati equation for the articulated inertias.

    p- = m + sum over children C P+ C^T                                  (D 9.1), (D 9.2)
    d  = h p- h^T       g = p- h^T d^-1       p+ = p- - g d g^T          (D 9.3), (D 9.4), (D 9.5)
    P- = B p+ B^T                                                        (D 9.6)
    D  = H P- H^T       G = P- H^T D^-1       P+ = P- - G D G^T          (D 9.7), (D 9.8), (D 9.9)
    The paper prints (D 9.5) and (D 9.9) as (I - g h) p- and (I - G H) P-, which is the same.
    """
    gains: dict[int, NodalGains] = {}
    for k in reversed(range(tree.n_body)):
        link = tree.links[k]
        ht, Ht = link.freedoms, link.motion_map
        p_minus = link.mass
        for c in tree.children[k]:
            C = tree.links[c].attachment
            p_minus = p_minus + C @ gains[c].articulated_inertia_inboard @ C.T  # (D 9.2)
        d = ht.T @ p_minus @ ht  # (D 9.3)
        g = solve_spd(d, ht.T @ p_minus).T  # (D 9.4)
        p_plus = p_minus - g @ d @ g.T  # (D 9.5)
        P_minus = link.shift @ p_plus @ link.shift.T  # (D 9.6)
        D = Ht.T @ P_minus @ Ht  # (D 9.7)
        _check_hinge_inertia(link.name, D, P_minus, Ht)
        G = solve_spd(D, Ht.T @ P_minus).T  # (D 9.8)
        P_plus = symmetric(P_minus - G @ D @ G.T)  # (D 9.9)
        gains[k] = NodalGains(p_minus, d, g, p_plus, P_minus, D, G, P_plus)
    return [gains[k] for k in range(tree.n_body)]


def filter_tip_to_base(
    tree: NodalTree,
    gains: Sequence[NodalGains],
    hinge_forces: Sequence[Array],
    loads: Sequence[Array],
) -> list[NodalResiduals]:
    """Residual forces, tip to base; hinge forces F(k) (r,) and forces f on the nodes (6 n,).

    z- = sum over children C Z+ - f + b + p- gamma                  (D 9.10), (D 9.11)
    e- = s - h z-       e+ = d^-1 e-      z+ = z- + g e-            (D 9.12), (D 9.13), (D 9.14)
    Z- = B z+ + P- c                                                (D 9.15)
    E- = F - H Z-       E+ = D^-1 E-      Z+ = Z- + G E-            (D 9.16), (D 9.17), (D 9.18)
    """
    residuals: dict[int, NodalResiduals] = {}
    for k in reversed(range(tree.n_body)):
        link, gain = tree.links[k], gains[k]
        z_minus = link.gyroscopic + gain.nodal_inertia @ link.coriolis - loads[k]
        for c in tree.children[k]:
            z_minus = z_minus + tree.links[c].attachment @ residuals[c].residual_force_inboard
        e_minus = link.structural - link.freedoms.T @ z_minus  # (D 9.12)
        e_plus = solve_spd(gain.freedom_inertia, e_minus)  # (D 9.13)
        z_plus = z_minus + gain.nodal_gain @ e_minus  # (D 9.14)
        Z_minus = link.shift @ z_plus + gain.articulated_inertia @ link.joint_coriolis  # (D 9.15)
        E_minus = hinge_forces[k] - link.motion_map.T @ Z_minus  # (D 9.16)
        E_plus = solve_spd(gain.hinge_inertia, E_minus)  # (D 9.17)
        Z_plus = Z_minus + gain.hinge_gain @ E_minus  # (D 9.18)
        residuals[k] = NodalResiduals(
            z_minus, e_minus, e_plus, z_plus, Z_minus, E_minus, E_plus, Z_plus
        )
    return [residuals[k] for k in range(tree.n_body)]


def smooth_base_to_tip(
    tree: NodalTree, gains: Sequence[NodalGains], residuals: Sequence[NodalResiduals]
) -> list[NodalAccelerations]:
    """Accelerations, base to tip.

    A+ = C^T a- of the parent, zero on the ground                              (D 9.19), (D 9.26)
    theta_ddot = E+ - G^T A+              A- = A+ + H^T theta_ddot + c         (D 9.20), (D 9.21)
    a+ = B^T A-                                                                (D 9.22), (D 9.23)
    x_ddot = e+ - g^T a+                  a- = a+ + h^T x_ddot + gamma         (D 9.24), (D 9.25)
    """
    result: list[NodalAccelerations] = []
    for link, gain, residual in zip(tree.links, gains, residuals, strict=True):
        A_plus = np.zeros(6)  # (D 9.19)
        if link.parent != GROUND:
            A_plus = link.attachment.T @ result[link.parent].total.ravel()  # (D 9.26)
        theta_ddot = residual.innovation_acceleration - gain.hinge_gain.T @ A_plus  # (D 9.20)
        A_minus = A_plus + link.motion_map @ theta_ddot + link.joint_coriolis  # (D 9.21)
        a_plus = link.shift.T @ A_minus  # (D 9.22), (D 9.23)
        x_ddot = residual.nodal_innovation_acceleration - gain.nodal_gain.T @ a_plus  # (D 9.24)
        u_ddot = link.displacements @ x_ddot
        a_minus = a_plus + link.freedoms @ x_ddot + link.coriolis  # (D 9.25)
        rigid, relative, total = (a.reshape(-1, 6) for a in (a_plus, u_ddot, a_minus))
        result.append(
            NodalAccelerations(A_plus, theta_ddot, A_minus, rigid, x_ddot, relative, total)
        )
    return result


def _check_hinge_inertia(name: str, D: Array, P: Array, Ht: Array) -> None:
    """Raise if a motion of the hinge moves no inertia."""
    if sees_inertia(D, P, Ht):
        return
    raise SingularError(
        f"body {name!r}: its joint has a motion that moves no inertia in this state; give the body "
        "inertia about that axis. For a nodal body only the inboard node counts at the joint: give "
        "that node mass and rotary inertia, or use to_modal with fewer modes",
        body=name,
    )
