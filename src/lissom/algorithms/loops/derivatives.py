"""Derivatives of forward dynamics of systems with loops, along their free motions.

Configurations move along dq = Z dz, speeds along dv = Z du + Y dz: Z are the free motions, A Z = 0,
and Y the changes of the dependent speeds that keep the loops closed in speed.

Notation of `closed_loops` and of `kernels.tree.derivatives.frames`: world axes about one point,
columns xi, psi_1, psi_2, phi_2 of the frames a and b of a loop; zeta = xi_b - xi_a = S dtheta the
motion of its joint, S its motion map in these axes, u = V_b - V_a = S beta its velocity.
Changes are seen from frame b (those of a by -zeta x).  With the joint's own change dS of S:
  dV_b = psi_1b dz + xi_b dv    dV_a = psi_1a dz - zeta x V_a + xi_a dv                       (1)
  dA_b = (psi_2b + psi_1b x V_b) dz + (phi_2b + xi_b x V_b) dv
  dA_a = (psi_2a + psi_1a x V_a) dz - zeta x A_a + (phi_2a + xi_a x V_a) dv                   (2)
  speeds:        P^T (dV_b - dV_a - dS beta) = 0, which gives Y                               (3)
  accelerations: A dx + P^T (dA_b - dA_a - dV_a x u - V_a x (dV_b - dV_a) - d(bias) - dS beta_dot)
                 = 0, which gives dx up to a free motion: dx = x_p + Z du_dot                 (4)
Forces: the loop force f on b turns with b, its opposite on a does not turn with a, and it stays
without work, dP^T S = -P^T dS:
  E = xi_a^T (-zeta x* f) + (xi_b - xi_a)^T dP lambda,   dP lambda = -(S^T)^+ dS^T f           (5)
  Z^T M Z du_dot = Z^T (E - D_q Z - D_v Y - M x_p)                                            (6)
with D_q, D_v, M of the tree under the loop forces as external forces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import StateError
from ...joints import ClosedContact
from ...spatial import bracket, cross
from ...system import Loop, State, System
from ..tree import engine
from ..tree.reference import External
from .closure import Closure
from .couplings import coupling_jacobian
from .frames import PlacedLoop, loop_external, placed_loops

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class FreeDerivatives:
    """Derivatives of the accelerations along the free motions of a closed system."""

    # q, v: (n_v, n_free) by configuration, along Z with the speeds that go with it, and by the free
    # speeds
    q: Array
    v: Array
    forces: Array  # (n_v, n_v) by generalized forces
    directions: Array  # (n_v, n_free) Z
    speeds: Array  # (n_v, n_free) Y
    # speeds by which the free motions are measured: rows of Z that are the identity
    independent: tuple[int, ...]


def _force_bracket(a: Array, f: Array) -> Array:
    """Spatial cross product a x* f of columns a (6, n) and a force."""
    n, f = f[:3, None], f[3:, None]
    return np.concatenate([cross(a[:3], n) + cross(a[3:], f), cross(a[:3], f)])


@dataclass(frozen=True, eq=False)
class _End:
    """Columns and motion of one end of a loop."""

    xi: Array
    psi_1: Array
    psi_2: Array
    phi_2: Array
    V: Array
    A: Array

    def velocity(self, dq: Array, dv: Array) -> Array:
        """Change of the velocity, seen from the end (1)."""
        return self.psi_1 @ dq + self.xi @ dv

    def acceleration(self, dq: Array, dv: Array) -> Array:
        """Change of the acceleration, seen from the end (2)."""
        by_q = self.psi_2 @ dq + bracket(self.psi_1 @ dq, self.V[:, None])
        return by_q + self.phi_2 @ dv + bracket(self.xi @ dv, self.V[:, None])


@dataclass(frozen=True, eq=False)
class _LoopTerms:
    """One loop in common axes: its ends, map S, its slopes (r, 6, r), forces P, and force f."""

    a: _End
    b: _End
    S: Array
    slopes: Array
    P: Array
    force: Array
    loop: Loop
    coordinates: Array
    to_common: Array  # (6, 6): motions in the axes of frame b to common axes

    @property
    def beta(self) -> Array:
        """Speeds of the joint."""
        return np.linalg.lstsq(self.S, self.b.V - self.a.V, rcond=None)[0]

    def moved(self, dq: Array) -> tuple[Array, Array]:
        """Motion zeta of the joint and changes of its coordinates along its speeds."""
        zeta = (self.b.xi - self.a.xi) @ dq
        return zeta, np.linalg.lstsq(self.S, zeta, rcond=None)[0]

    def slope(self, speeds: Array, dtheta: Array) -> Array:
        """Columns dS speeds (6, n)."""
        return np.einsum("lic,c,ln->in", self.slopes, speeds, dtheta)

    def relative_velocity(self, dq: Array, dv: Array) -> Array:
        """Brackets of (3)."""
        zeta, dtheta = self.moved(dq)
        dV_a = self.a.velocity(dq, dv) - bracket(zeta, self.a.V[:, None])
        return self.b.velocity(dq, dv) - dV_a - self.slope(self.beta, dtheta)

    def relative_acceleration(self, dq: Array, dv: Array) -> Array:
        """Brackets of (4), without A dx."""
        a, b, (zeta, dtheta) = self.a, self.b, self.moved(dq)
        u, beta = b.V - a.V, self.beta
        dV_b, dV_a = b.velocity(dq, dv), a.velocity(dq, dv) - bracket(zeta, a.V[:, None])
        dA_a = a.acceleration(dq, dv) - bracket(zeta, a.A[:, None])
        dbeta = np.linalg.lstsq(self.S, dV_b - dV_a - self.slope(beta, dtheta), rcond=None)[0]
        bias = _spatial_bias(self.loop, self.coordinates, beta)
        g = b.A - a.A - bracket(a.V, u) - self.to_common @ bias
        beta_dot = np.linalg.lstsq(self.S, g, rcond=None)[0]
        d_bias = _bias_changes(self.loop, self.coordinates, beta, dtheta, dbeta)
        return (
            b.acceleration(dq, dv)
            - dA_a
            - bracket(dV_a, u[:, None])
            - bracket(a.V[:, None], dV_b - dV_a)
            - self.to_common @ d_bias
            - self.slope(beta_dot, dtheta)
        )

    def turned_force(self, dq: Array) -> Array:
        """Generalized forces E of (5), (n_v, n)."""
        zeta, dtheta = self.moved(dq)
        on_a = self.a.xi.T @ -_force_bracket(zeta, self.force)
        along = np.einsum("lic,i,ln->cn", self.slopes, self.force, dtheta)
        needed = -np.linalg.pinv(self.S.T) @ along
        return on_a + (self.b.xi - self.a.xi).T @ needed


def free_derivatives(
    system: System, state: State, x: Array, wrenches: Array, external: External
) -> FreeDerivatives:
    """Derivatives along the free motions of a state whose loops are closed.

    `x` (n_v,): its accelerations; `wrenches` (n_loop, 6): forces of the loops on their ends b, in
    the axes of these.
    """
    for loop in system.loops:
        if isinstance(loop.joint, ClosedContact):
            raise StateError(
                f"derivatives do not support contacts: the loop {loop.name!r} is closed by "
                f"{loop.joint.label}; close it by a joint"
            )
    closure, placed = Closure(system, state), placed_loops(system, state.raw_q)
    pushed = [y for one, w in zip(placed, wrenches, strict=True) for y in loop_external(one, w)]
    _, (D_q, D_v, M) = engine.inverse_derivatives(
        system, state.raw_q, state.raw_v, x, [*external, *pushed]
    )
    loops = _terms(system, state, x, placed, wrenches)
    Z, free = closure.basis, closure.independent.indices
    couplings = coupling_jacobian(system)
    A = np.concatenate([*(one.P.T @ (one.b.xi - one.a.xi) for one in loops), couplings])
    none, n = np.zeros_like(Z), len(couplings)

    def rows(pieces: Sequence[Array]) -> Array:
        return np.concatenate([*pieces, np.zeros((n, Z.shape[1]))])

    Y = _dependent(A, free, -rows([one.P.T @ one.relative_velocity(Z, none) for one in loops]))
    by_q = -rows([one.P.T @ one.relative_acceleration(Z, Y) for one in loops])
    by_v = -rows([one.P.T @ one.relative_acceleration(none, Z) for one in loops])
    E = sum((one.turned_force(Z) for one in loops), np.zeros_like(Z))
    inverse = Z @ np.linalg.solve(Z.T @ M @ Z, Z.T)

    def accelerations(rates: Array, forces: Array) -> Array:
        x_p = _dependent(A, free, rates)
        return x_p + inverse @ (forces - M @ x_p)  # (6)

    return FreeDerivatives(
        q=accelerations(by_q, E - D_q @ Z - D_v @ Y),
        v=accelerations(by_v, -D_v @ Z),
        forces=inverse,
        directions=Z,
        speeds=Y,
        independent=free,
    )


def _dependent(A: Array, free: Sequence[int], rhs: Array) -> Array:
    """Solution of A y = rhs that is zero at the independent speeds."""
    y = np.zeros((A.shape[1], rhs.shape[1]))
    follow = [k for k in range(A.shape[1]) if k not in set(free)]
    if follow:
        y[follow] = np.linalg.lstsq(A[:, follow], rhs, rcond=None)[0]
    return y


def _terms(
    system: System, state: State, x: Array, placed: Sequence[PlacedLoop], wrenches: Array
) -> list[_LoopTerms]:
    """All loops in common axes."""
    places = [(end.body, end.node) for one in placed for end in one.loop.ends]
    columns, motions = engine.frame_columns(system, places, state.raw_q, state.raw_v, x)
    ends = [
        _End(c[0], c[1], c[2], c[3], m[12:18], m[18:24])
        for c, m in zip(columns, motions, strict=True)
    ]
    terms = []
    for k, (one, wrench) in enumerate(zip(placed, wrenches, strict=True)):
        end, node = one.loop.b, motions[2 * k + 1]
        R_node = node[:9].reshape(3, 3)
        R, p = R_node @ end.rotation, node[9:12] + R_node @ end.position
        X = np.zeros((6, 6))
        X[:3, :3] = X[3:, 3:] = R
        X[3:, :3] = np.cross(p, R.T).T
        to_force = np.linalg.inv(X).T
        q = one.coordinates
        terms.append(
            _LoopTerms(
                a=ends[2 * k],
                b=ends[2 * k + 1],
                S=X @ one.loop.joint.motion_map(q),
                slopes=np.array([X @ dS for dS in _map_slopes(one.loop, q)]).reshape(
                    one.loop.joint.n_v, 6, one.loop.joint.n_v
                ),
                P=to_force @ (one.scale[:, None] * one.directions),
                force=to_force @ wrench,
                loop=one.loop,
                coordinates=q,
                to_common=X,
            )
        )
    return terms


_STEP = 1e-30  # complex steps


def _map_slopes(loop: Loop, q: Array) -> list[Array]:
    """Changes of the joint's motion map (6, r) along each of its speeds."""
    N = loop.joint.rate_map(q)
    return [loop.joint.motion_map(q + 1j * _STEP * column).imag / _STEP for column in N.T]


def _spatial_bias(loop: Loop, q: Array, beta: Array) -> Array:
    """Rate of the motion map times speeds: the joint's bias less [0; w x v], axes of b."""
    relative = loop.joint.motion_map(q) @ beta
    turned = np.cross(relative[:3], relative[3:])
    return loop.joint.bias(q, beta) - np.concatenate([np.zeros(3), turned])


def _bias_changes(loop: Loop, q: Array, beta: Array, dtheta: Array, dbeta: Array) -> Array:
    """Changes (6, n) of `_spatial_bias`."""
    N = loop.joint.rate_map(q)
    columns = [
        _spatial_bias(loop, q + 1j * _STEP * (N @ e), beta + 1j * _STEP * d).imag / _STEP
        for e, d in zip(dtheta.T, dbeta.T, strict=True)
    ]
    return np.reshape(columns, (dtheta.shape[1], 6)).T
