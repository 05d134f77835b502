"""Loops of any joint on the particle model: closure by geometry, derivatives by CasADi.

A loop has coordinates of its own, s, and is closed where frame b coincides with the joint's
outboard frame at s.  With R, r the pose of frame b in frame a and R_j(s), r_j(s) that of the joint:

    Phi(q, s) = [vee(R_j^T R - R^T R_j) / 2;  r - r_j] = 0                       (1)
    dPhi/dt = B v + C u = 0,        sdot = N_j(s) u                              (2)
    B vdot + C udot + gamma = 0     by differentiating (2)                       (3)
    M vdot + b = T + B^T mu,    C^T mu = 0                                       (4)

The multipliers mu are the moment on b in its axes and the force on b in the axes of a.  (4) is
solved by Gauss's principle: of all accelerations that (3) allows, that which is nearest to the free
one in the metric M.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca
import numpy as np
from scipy.integrate import solve_ivp

from tests.oracle import Joint, Mechanism, Oracle, joints
from tests.oracle.points import FrameKey, body_poses, node_pose

GROUND: FrameKey = (-1, None)
# Part of the largest singular value below which the others are zero.
RANK = 1e-9


@dataclass(frozen=True)
class End:
    """A frame on the frame of a body, of a node, or of the ground."""

    on: FrameKey = GROUND
    rotation: np.ndarray = field(default_factory=lambda: np.eye(3))
    position: np.ndarray = field(default_factory=lambda: np.zeros(3))


@dataclass(frozen=True)
class Closing:
    """A joint from frame a to frame b, and its coordinates s where the loop is closed."""

    joint: Joint
    a: End
    b: End
    s: np.ndarray


def joint_pose(joint: Joint, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rotation and position of a joint's outboard frame at coordinates s."""
    x = ca.SX.sym("s", len(s))
    R, r = joints.configuration(joint, x)
    pose = ca.Function("pose", [x], [ca.densify(ca.SX(R)), ca.densify(ca.SX(r))])
    rotation, position = pose(s)
    return rotation.full(), position.full().ravel()


class LoopedOracle:
    """Particle model of a tree with loops, for many states."""

    def __init__(self, mechanism: Mechanism, closings: list[Closing]):
        self.tree = Oracle(mechanism)
        self.closings = closings
        layout = self.tree.layout
        self.n_v = layout.n_v
        q, v = ca.SX.sym("q", layout.n_q), ca.SX.sym("v", layout.n_v)
        poses = body_poses(mechanism, layout, q)
        qdot = self.tree.functions._rates(mechanism, q, v)
        s, u, phi, sdot, turns = [], [], [], [], []
        for k, closing in enumerate(closings):
            n_s, n_u = joints.sizes(closing.joint)
            s.append(ca.SX.sym(f"s{k}", n_s))
            u.append(ca.SX.sym(f"u{k}", n_u))
            a, b = (_pose(mechanism, layout, poses, q, end) for end in (closing.a, closing.b))
            R, r = a[0].T @ b[0], a[0].T @ (b[1] - a[1])
            R_j, r_j = joints.configuration(closing.joint, s[-1])
            W = R_j.T @ R
            turn = ca.vertcat(W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]) / 2
            phi += [turn, r - r_j]  # (1)
            sdot.append(joints.coordinate_rates(closing.joint, s[-1], u[-1]))
            turns.append(R)
        x, xdot = ca.vertcat(q, *s), ca.vertcat(qdot, *sdot)
        u, phi = ca.vertcat(*u), ca.densify(ca.vertcat(*phi))
        rate = ca.jtimes(phi, x, xdot)
        outputs = [phi, ca.jacobian(rate, v), ca.jacobian(rate, u), ca.jtimes(rate, x, xdot)]
        outputs = [ca.densify(y) for y in (*outputs, ca.horzcat(*turns), ca.vertcat(*sdot))]
        self._closure = ca.Function("closure", [q, ca.vertcat(*s), v, u], outputs)

    @property
    def s(self) -> np.ndarray:
        """Coordinates of all loops as given."""
        return np.concatenate([np.zeros(0), *(closing.s for closing in self.closings)])

    def at(self, q, v, s=None, *, length: float = 1.0) -> LoopedSnapshot:
        """Closure and dynamics at a state; `length` weighs moments against forces [m]."""
        return LoopedSnapshot(
            self, np.asarray(q), np.asarray(v), self.s if s is None else s, length
        )

    def motion(
        self, q, v, duration: float, *, rtol: float = 1e-11
    ) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and speeds after a time without forces; loops are kept by (3) alone."""
        n_q, n_s = len(q), len(self.s)

        def rates(_, y):
            here = self.at(y[:n_q], y[n_q + n_s :], y[n_q : n_q + n_s])
            vdot, _ = here.forward_dynamics(np.zeros(self.n_v))
            return np.concatenate([here.tree.qdot, here.sdot, vdot])

        start = np.concatenate([q, self.s, v])
        end = solve_ivp(rates, (0, duration), start, method="DOP853", rtol=rtol, atol=rtol).y[:, -1]
        return end[:n_q], end[n_q + n_s :]


def _pose(mechanism, layout, poses, q, end: End):
    """World pose of a loop's frame."""
    i, node = end.on
    R, r = ca.SX.eye(3), ca.SX.zeros(3)
    if i >= 0:
        R, r = node_pose(mechanism.links[i].body, node, *poses[i], q[layout.modal_q[i], 0])
    return R @ end.rotation, r + R @ end.position


def _null_space(matrix: np.ndarray) -> np.ndarray:
    """Orthonormal columns x with matrix x = 0."""
    _, values, Vt = np.linalg.svd(matrix)
    rank = int(np.sum(values > RANK * values.max(initial=0.0)))
    return Vt[rank:].T


class LoopedSnapshot:
    """A tree with loops at one state.

    Attributes
    ----------
    gap : Phi.
    A, gamma : rows of (3) freed of udot, by an orthonormal basis of the forces that the joints do
        not feel, with moments divided by `length`: rows of A are displacements.
    """

    def __init__(self, oracle: LoopedOracle, q, v, s, length: float):
        self.oracle, self.q, self.v, self.s = oracle, q, v, s
        n_u = sum(joints.sizes(c.joint)[1] for c in oracle.closings)
        B, C = (m.full() for m in oracle._closure(q, s, 0 * v, np.zeros(n_u))[1:3])
        self.u = np.linalg.lstsq(C, -B @ v, rcond=None)[0]
        gap, _, _, gamma, turns, sdot = oracle._closure(q, s, v, self.u)
        self.gap, self.sdot = gap.full().ravel(), sdot.full().ravel()
        self.relative, self.B, self.C = turns.full(), B, C
        scale = np.tile([length] * 3 + [1.0] * 3, len(oracle.closings))
        self._forces = scale[:, None] * _null_space((scale[:, None] * C).T)
        self.A = self._forces.T @ B
        self.gamma = self._forces.T @ gamma.full().ravel()
        self.tree = oracle.tree.at(q, v)

    @property
    def acceleration_scale(self) -> float:
        """The largest acceleration of a frame that carries a loop, at vdot = 0, or 1 m/s^2."""
        ends = [end for closing in self.oracle.closings for end in (closing.a, closing.b)]
        frames = [self.tree.frames[end.on] for end in ends if end.on != GROUND]
        reach = 1.0 + max(np.linalg.norm(end.position) for end in ends)
        turning = [np.linalg.norm(frame.velocity(self.v)[:3]) ** 2 * reach for frame in frames]
        return max(1.0, max(turning), *(np.abs(frame.world_bias).max() for frame in frames))

    def consistent_velocity(self, v: np.ndarray) -> np.ndarray:
        """Velocity that keeps the loops closed and is nearest to v in the metric of the masses."""
        L = np.linalg.cholesky(self.tree.mass_matrix)
        return v - np.linalg.solve(L.T, self._pinv(L) @ (self.A @ v))

    def _pinv(self, L: np.ndarray) -> np.ndarray:
        return np.linalg.pinv(np.linalg.solve(L, self.A.T).T, rcond=RANK)

    @property
    def singular_values(self) -> np.ndarray:
        """Of A in the metric of the masses."""
        L = np.linalg.cholesky(self.tree.mass_matrix)
        return np.linalg.svd(np.linalg.solve(L, self.A.T), compute_uv=False)

    def forward_dynamics(self, forces, external=None) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations, and the smallest forces [moment; force] (loops, 6) on b in its axes."""
        free = self.tree.forward_dynamics(forces, external)
        L = np.linalg.cholesky(self.tree.mass_matrix)
        pinv = self._pinv(L)
        needed = -self.gamma - self.A @ free
        vdot = free + np.linalg.solve(L.T, pinv @ needed)
        mu = (self._forces @ (pinv.T @ (pinv @ needed))).reshape(-1, 6)
        on_b = [
            np.concatenate([x[:3], self.relative[:, 3 * k : 3 * k + 3].T @ x[3:]])
            for k, x in enumerate(mu)
        ]
        return vdot, np.array(on_b).reshape(-1, 6)
