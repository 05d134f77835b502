"""Forward dynamics as an estimation problem: a Kalman filter inwards, a smoother outwards.

"Time" runs from the tips to the base.  The state is the force f through the hinges, driven by
"noise" of covariance M_m; the generalized forces T are measurements of it:

  f(i) = sum over children Phi(i, c) f(c) + w,     cov w = M_m                              (1)
  T(i) = H f(i) + e,                               cov e = armature, zero without one       (2)

  ====================  =========================  ==============================================
  estimation            symbol                     field of `FilteredForces`
  ====================  =========================  ==============================================
  predicted state       z                          ``residual_force``
  its covariance        P, articulated inertia     ``articulated_inertia``
  innovation            epsilon = T - H z          ``innovation_force``
  its covariance        D, hinge inertia           ``hinge_inertia``
  scaled innovation     nu = D^-1 epsilon          ``innovation_acceleration``
  Kalman gain           G                          ``hinge_gain``
  filtered state        z+                         ``residual_force_inboard``
  its covariance        P+                         ``articulated_inertia_inboard``
  adjoint of smoother   alpha+, alpha              ``spatial_acceleration_inboard``,
                                                   ``spatial_acceleration``
  smoothed state        f = z+ + P+ alpha+         ``hinge_force``
  ====================  =========================  ==============================================

Filter, tip to base (sums over children c):
  P = M_m + sum Phi P+ Phi*                                                                 (3)
  D = H P H* + a,   G = P H* D^-1,   tau_bar = I - G H                                      (4)
  P+ = tau_bar P tau_bar* + G a G*                                                          (5)
  z = sum Phi z+ + P a_m + beta_m                                                           (6)
  epsilon = T - H z,   nu = D^-1 epsilon,   z+ = z + G epsilon                              (7)
Smoother, base to tip, from alpha = [0; -g] on the ground:
  alpha+ = Phi* alpha(parent)                                                               (8)
  vdot = nu - G* alpha+,   alpha = alpha+ + H* vdot + a_m                                   (9)
  f = z+ + P+ alpha+                                                                        (10)

Loops and couplings are unknown constant inputs lambda of the process, with no prior knowledge: a
force -E* lambda on the bodies and an offset F* lambda of the measurements (`loop_blocks`).  Then z,
epsilon and z+ are affine in lambda, with zeta, psi and zeta+ for their slopes (Friedland's filter
of a bias apart from the state):
  zeta = sum Phi zeta+ - E*,   psi = F* - H zeta,   zeta+ = zeta + G psi                     (11)
  Lambda = sum psi* D^-1 psi                                                                (12)
  Lambda lambda = -(sum psi* nu - zeta* a_m) + zeta+* [0; -g] on the ground + e             (13)
Lambda is the information about lambda in the innovations, and (13) are the normal equations of
generalized least squares; they say that the smoothed accelerations keep the loops closed.

For a state at rest without gravity, deformation and external forces z and z+ are conditional
expectations of f under (1), (2) with zero-mean noise.  Otherwise the noise has the mean M_m a +
beta_m; a are velocity-dependent accelerations, which in z(i) are accumulated from body i outwards,
so that no separate sweep is needed: z(i) is the force through hinge i for alpha(i) = a_m(i).

Source: (A 51), (A 58); the reading as estimation is Rodriguez's, in
D'Eleuterio & Damaren 1991, section V.  Differs: trees, numbered base to tip; damping and external
forces in beta_m; armature, the covariance of a measurement error; (5) is a sum of squares and
equals tau_bar P; gravity starts the smoother; loops (11)-(13), after B. Friedland, Treatment of
bias in recursive filtering, IEEE T-AC 14, 1969.  Under a tip much heavier than its links this form
loses digits that `forward_dynamics` keeps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...algorithms.tree.arguments import motions_of, speeds_vector, to_armature, to_external
from ...algorithms.tree.reference import ground_acceleration
from ...printing import Shown
from ...system import StateLike, System
from .blocks import ModalBlock, check_loads, modal_blocks, real_state
from .loop_blocks import LoopBlocks, loop_blocks
from .rounding import check_definite, diagonal_bound, least_multipliers

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class FilteredForces(Shown):
    """Forces through the hinges, filtered tip to base and smoothed base to tip.

    Each field but `acceleration` has one array for each body, in its axes at its origin; n_b =
    n_mode + 6, modes first; n_dof counts modes and hinge.

    Attributes
    ----------
    articulated_inertia : tuple of arrays (n_b, n_b)
        P, covariance of the predicted force.
    articulated_inertia_inboard : tuple of arrays (n_b, n_b)
        P+, covariance of the filtered force.
    hinge_inertia : tuple of arrays (n_dof, n_dof)
        D, covariance of the innovations.
    hinge_gain : tuple of arrays (n_b, n_dof)
        G, the Kalman gain.
    residual_force : tuple of arrays (n_b,)
        z, the predicted force.
    residual_force_inboard : tuple of arrays (n_b,)
        z+, the filtered force.
    innovation_force : tuple of arrays (n_dof,)
        epsilon.
    innovation_acceleration : tuple of arrays (n_dof,)
        nu.
    spatial_acceleration_inboard : tuple of arrays (n_b,)
        alpha+, acceleration of the body without those of its modes and hinge.
    spatial_acceleration : tuple of arrays (n_b,)
        alpha_m = [eta_ddot; alpha], gravity as an acceleration of the ground.
    hinge_force : tuple of arrays (n_b,)
        f, the smoothed force: on the modes, and [moment; force] on the body from its joint.
    acceleration : array (n_v,)
        Rates of the speeds, equal to `forward_dynamics`.
    loop_force : array (n_constraint,)
        lambda of loops and couplings [N], of least norm where they depend on each other; the other
        fields belong to it.
    loop_information : array (n_constraint, n_constraint)
        Lambda: its inverse, where it has one, is the covariance of the estimate of lambda.
    bias_slope : tuple of arrays (n_b, n_constraint)
        zeta, change of the predicted force with lambda.
    """

    articulated_inertia: tuple[Array, ...]
    articulated_inertia_inboard: tuple[Array, ...]
    hinge_inertia: tuple[Array, ...]
    hinge_gain: tuple[Array, ...]
    residual_force: tuple[Array, ...]
    residual_force_inboard: tuple[Array, ...]
    innovation_force: tuple[Array, ...]
    innovation_acceleration: tuple[Array, ...]
    spatial_acceleration_inboard: tuple[Array, ...]
    spatial_acceleration: tuple[Array, ...]
    hinge_force: tuple[Array, ...]
    acceleration: Array
    loop_force: Array
    loop_information: Array
    bias_slope: tuple[Array, ...]


@dataclass(frozen=True, eq=False)
class _Filtered:
    """Result of the filter at one body; `rounding_inboard` bounds the rounding error of P+."""

    P: Array
    P_plus: Array
    D: Array
    G: Array
    z: Array
    z_plus: Array
    epsilon: Array
    nu: Array
    rounding_inboard: Array


@dataclass(frozen=True, eq=False)
class _Bias:
    """Slopes of z, epsilon and z+ of one body by the forces of loops."""

    zeta: Array
    psi: Array
    zeta_plus: Array


def filter_and_smoother(
    system: System,
    state: StateLike,
    forces: Any = None,
    *,
    external: Mapping[Any, Any] | None = None,
    armature: Any = None,
) -> FilteredForces:
    """Forward dynamics of a state as the estimation of its hinge forces.  O(N).

    Forces of loops and couplings are estimated with them, as unknown inputs.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration and speeds, real numbers.
    forces : array (n_v,) or mapping, optional
        Generalized forces, as for `forward_dynamics`: the measurements.
    external : mapping, optional
        Spatial forces {"body", "body.node" or "frame": [moment; force]} in the axes of that frame.
    armature : array (n_v,) or mapping, optional
        Inertia added to the speeds, as for `forward_dynamics`: covariance of the measurement error.

    Returns
    -------
    FilteredForces
    """
    state = real_state(system, state)
    motions = motions_of(system, state)
    T = speeds_vector(system, forces, "forces")
    loads, added = to_external(system, external), to_armature(system, armature)
    check_loads(T, loads)
    blocks = modal_blocks(system, motions, state.v, T, loads, added)
    filtered = _filter_tip_to_base(system, blocks)
    loops = loop_blocks(system, motions)
    slopes = _bias_tip_to_base(system, blocks, filtered, loops)
    lam, information = _estimated_bias(system, blocks, filtered, slopes, loops)
    filtered = [_with_bias(f, b, lam) for f, b in zip(filtered, slopes, strict=True)]
    alpha_plus, alpha, vdot = _smooth_base_to_tip(system, blocks, filtered)
    return FilteredForces(
        articulated_inertia=tuple(f.P for f in filtered),
        articulated_inertia_inboard=tuple(f.P_plus for f in filtered),
        hinge_inertia=tuple(f.D for f in filtered),
        hinge_gain=tuple(f.G for f in filtered),
        residual_force=tuple(f.z for f in filtered),
        residual_force_inboard=tuple(f.z_plus for f in filtered),
        innovation_force=tuple(f.epsilon for f in filtered),
        innovation_acceleration=tuple(f.nu for f in filtered),
        spatial_acceleration_inboard=tuple(alpha_plus),
        spatial_acceleration=tuple(alpha),
        hinge_force=tuple(
            f.z_plus + f.P_plus @ a
            for f, a in zip(filtered, alpha_plus, strict=True)  # (10)
        ),
        acceleration=np.concatenate([np.zeros(0), *vdot]),
        loop_force=lam,
        loop_information=information,
        bias_slope=tuple(b.zeta for b in slopes),
    )


def _filter_tip_to_base(system: System, blocks: Sequence[ModalBlock]) -> list[_Filtered]:
    """Predicted and filtered forces of all bodies, with their covariances (3)-(7)."""
    filtered: dict[int, _Filtered] = {}
    for i in reversed(range(system.n_body)):
        block = blocks[i]
        P, force = block.modal_mass, block.bias_force
        rounding = diagonal_bound(np.abs(P))
        for c in system.children[i]:
            Phi = blocks[c].propagate_to_parent
            P = P + Phi @ filtered[c].P_plus @ Phi.T  # (3)
            force = force + Phi @ filtered[c].z_plus
            rounding = rounding + Phi @ filtered[c].rounding_inboard @ Phi.T
        z = force + P @ block.coriolis_acceleration  # (6)
        filtered[i] = _across_hinge(block, P, z, rounding, system.names[i])
    return [filtered[i] for i in range(system.n_body)]


def _across_hinge(block: ModalBlock, P: Array, z: Array, rounding: Array, name: str) -> _Filtered:
    """Update of one body by its measurement (4), (5), (7)."""
    Ht, a = block.motion_map, block.armature
    D = Ht.T @ P @ Ht + a  # (4)
    check_definite(
        D,
        Ht.T @ rounding @ Ht + diagonal_bound(np.abs(Ht).T @ np.abs(P) @ np.abs(Ht) + a),
        f"body {name!r}: its joint or a mode has a motion that moves no inertia in this state; "
        "give the body or what it carries inertia about that axis, or move away from the singular "
        "configuration",
        body=name,
    )
    G = np.linalg.solve(D, Ht.T @ P).T
    tau_bar = np.eye(len(P)) - G @ Ht.T
    P_plus = tau_bar @ P @ tau_bar.T + G @ a @ G.T  # (5)
    epsilon = block.generalized_force - Ht.T @ z  # (7)
    size = np.eye(len(P)) + np.abs(G) @ np.abs(Ht).T
    gross = size @ np.abs(P) @ size.T + np.abs(G) @ np.abs(a) @ np.abs(G).T
    return _Filtered(
        P=P,
        P_plus=(P_plus + P_plus.T) / 2,
        D=D,
        G=G,
        z=z,
        z_plus=z + G @ epsilon,
        epsilon=epsilon,
        nu=np.linalg.solve(D, epsilon),
        rounding_inboard=tau_bar @ rounding @ tau_bar.T + diagonal_bound(gross),
    )


def _bias_tip_to_base(
    system: System,
    blocks: Sequence[ModalBlock],
    filtered: Sequence[_Filtered],
    loops: LoopBlocks,
) -> list[_Bias]:
    """Slopes of all bodies by the forces of loops (11)."""
    biases: dict[int, _Bias] = {}
    for i in reversed(range(system.n_body)):
        zeta = -loops.state[i].T
        for c in system.children[i]:
            zeta = zeta + blocks[c].propagate_to_parent @ biases[c].zeta_plus
        psi = loops.control[i].T - blocks[i].motion_map.T @ zeta
        biases[i] = _Bias(zeta, psi, zeta + filtered[i].G @ psi)
    return [biases[i] for i in range(system.n_body)]


def _estimated_bias(
    system: System,
    blocks: Sequence[ModalBlock],
    filtered: Sequence[_Filtered],
    slopes: Sequence[_Bias],
    loops: LoopBlocks,
) -> tuple[Array, Array]:
    """Forces of loops and the information about them (12), (13)."""
    right, n = loops.value.copy(), len(loops.value)
    information, ground = np.zeros((n, n)), ground_acceleration(system)
    for block, body, bias, p in zip(blocks, filtered, slopes, system.parent, strict=True):
        information += bias.psi.T @ np.linalg.solve(body.D, bias.psi)  # (12)
        right -= bias.psi.T @ body.nu - bias.zeta.T @ block.coriolis_acceleration
        if p < 0:
            right += bias.zeta_plus.T @ (block.propagate_to_parent.T @ ground)
    information = (information + information.T) / 2
    return least_multipliers(information, right), information  # (13)


def _with_bias(body: _Filtered, bias: _Bias, lam: Array) -> _Filtered:
    """Result of the filter with the forces of loops inserted."""
    epsilon = body.epsilon + bias.psi @ lam
    return replace(
        body,
        z=body.z + bias.zeta @ lam,
        epsilon=epsilon,
        nu=np.linalg.solve(body.D, epsilon),
        z_plus=body.z_plus + bias.zeta_plus @ lam,
    )


def _smooth_base_to_tip(
    system: System, blocks: Sequence[ModalBlock], filtered: Sequence[_Filtered]
) -> tuple[list[Array], list[Array], list[Array]]:
    """Accelerations alpha+, alpha and vdot of all bodies (8), (9)."""
    inboard: list[Array] = []
    alphas: list[Array] = []
    vdots: list[Array] = []
    for block, body, p in zip(blocks, filtered, system.parent, strict=True):
        from_parent = ground_acceleration(system) if p < 0 else alphas[p]
        alpha_plus = block.propagate_to_parent.T @ from_parent  # (8)
        vdot = body.nu - body.G.T @ alpha_plus  # (9)
        inboard.append(alpha_plus)
        alphas.append(alpha_plus + block.motion_map @ vdot + block.coriolis_acceleration)
        vdots.append(vdot)
    return inboard, alphas, vdots
