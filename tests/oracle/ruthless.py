"""The same mechanisms at level "ruthless" (Jain & Rodriguez 1992, appendix B), by CasADi.

Poses and velocities are those of `points`.  Accelerations are passed on from body to body without
what the deformation of a body and its rate add to them, (A B1): with w, alpha, a of a flexible body
and a node at l0 + delta, whose rates of turning and moving are linear in eta_dot,
  alpha_N = alpha + (d w_r / d eta_dot) eta_ddot
  a_N     = a + alpha x l + w x (w x l0) + delta(eta_ddot)
and of what is hung there at r, moving in the axes of the node with w_j and r_dot,
  alpha   = alpha_N + w x w_j + w_j_dot
  a       = a_N + alpha_N x r + w x (w x r) + 2 w x r_dot + r_ddot
with the rate w of the body, not of the node.  Its own particles move as on the undeformed body.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from . import joints
from .description import Mechanism, skew
from .points import FrameKey, Layout, body_poses, displaced, node_pose


def axial(W) -> ca.SX:
    """The vector of an antisymmetric matrix."""
    return ca.vertcat(W[2, 1], W[0, 2], W[1, 0])


@dataclass(frozen=True)
class Frame:
    """A frame of the mechanism in world axes: pose, rates, and accelerations of this level."""

    rotation: ca.SX
    position: ca.SX
    w: ca.SX
    velocity: ca.SX
    alpha: ca.SX
    acceleration: ca.SX


class RuthlessMotion:
    """Symbols q, v, vdot of a mechanism and the motion of its frames.

    Without its gravity; `link.at` and `link.rotation` may be symbols.
    """

    def __init__(self, mechanism: Mechanism):
        self.links, self.layout = mechanism.links, Layout.of(mechanism)
        sizes = (self.layout.n_q, self.layout.n_v, self.layout.n_v)
        self.q, self.v, self.a = (ca.SX.sym(name, n) for name, n in zip("qva", sizes, strict=True))
        self.rates = self.coordinate_rates(self.v)
        self.poses = body_poses(mechanism, self.layout, self.q)
        self.bodies: list[Frame] = []
        for i in range(len(self.links)):
            self.bodies.append(self._hung(i))

    def coordinate_rates(self, v) -> ca.SX:
        """N(q) v."""
        found = []
        for i, link in enumerate(self.links):
            hinge_q, hinge_v = self.q[self.layout.hinge_q[i], 0], v[self.layout.hinge_v[i], 0]
            found += [v[self.layout.modal_v[i], 0]]
            found += [joints.coordinate_rates(link.joint, hinge_q, hinge_v)]
        return ca.densify(ca.vertcat(*found))

    def dt(self, x) -> ca.SX:
        """Rate of an expression of q and v."""
        return ca.jtimes(x, self.q, self.rates) + ca.jtimes(x, self.v, self.a)

    def spin(self, R) -> ca.SX:
        """Rate of turning."""
        return axial(ca.jtimes(R, self.q, self.rates) @ R.T)

    def frame(self, key: FrameKey) -> Frame:
        """Frame of a body (node None) or of one of its nodes."""
        i, node = key
        b, body = self.bodies[i], self.links[i].body
        if node is None:
            return b
        eta, accelerated = self.q[self.layout.modal_q[i], 0], self.a[self.layout.modal_v[i], 0]
        R, p = node_pose(body, node, *self.poses[i], eta)
        turned, arm = displaced(body.positions[node], body.shapes[node], eta)
        w_r = self.spin(turned)
        alpha = b.alpha + b.rotation @ ca.jtimes(w_r, self.v, self.a)
        linear = b.acceleration + ca.cross(b.alpha, b.rotation @ arm)
        linear += ca.cross(b.w, ca.cross(b.w, b.rotation @ body.positions[node]))
        linear += b.rotation @ (ca.DM(body.shapes[node, 3:]) @ accelerated)
        velocity = ca.jtimes(p, self.q, self.rates)
        return Frame(R, p, self.spin(R), velocity, alpha, linear)

    def _hung(self, i: int) -> Frame:
        """Frame of body i on its carrier."""
        link, zero = self.links[i], ca.SX.zeros(3)
        w, N = zero, Frame(ca.SX.eye(3), zero, zero, zero, zero, zero)
        if link.parent >= 0:
            w, N = self.bodies[link.parent].w, self.frame((link.parent, link.node))
        turned, moved = joints.configuration(link.joint, self.q[self.layout.hinge_q[i], 0])
        r, turned = link.at + link.rotation @ moved, link.rotation @ turned
        own, r_dot = self.spin(turned), ca.jtimes(r, self.q, self.rates)
        w_j, own_dot, r_ddot = (N.rotation @ x for x in (own, self.dt(own), self.dt(r_dot)))
        r, r_dot = N.rotation @ r, N.rotation @ r_dot
        alpha = N.alpha + ca.cross(w, w_j) + own_dot
        linear = N.acceleration + ca.cross(N.alpha, r) + ca.cross(w, ca.cross(w, r))
        linear += 2 * ca.cross(w, r_dot) + r_ddot
        R, p = self.poses[i]
        return Frame(R, p, self.spin(R), ca.jtimes(p, self.q, self.rates), alpha, linear)

    def particle(self, key: FrameKey, offset) -> tuple[ca.SX, ca.SX]:
        """Velocity and acceleration of a particle fixed in a frame."""
        i, node = key
        b, body, modal = self.bodies[i], self.links[i].body, self.layout.modal_v[i]
        arm, moved, lifted = offset, ca.SX.zeros(3), ca.SX.zeros(3)
        if node is not None:
            arm = body.positions[node] + offset
            shape = ca.DM(body.shapes[node, 3:] - skew(offset) @ body.shapes[node, :3])
            moved, lifted = shape @ self.v[modal, 0], shape @ self.a[modal, 0]
        arm = b.rotation @ arm
        linear = ca.cross(b.alpha, arm) + ca.cross(b.w, ca.cross(b.w, arm))
        velocity = b.velocity + ca.cross(b.w, arm) + b.rotation @ moved
        return velocity, b.acceleration + linear + b.rotation @ lifted

    def inertial_forces(self, particles, gravity) -> ca.SX:
        """Generalized forces of particles [(frame, offset, mass), ...] and of their weight."""
        found = [self.particle(key, offset) for key, offset, _ in particles]
        pushed = [mass * (a - gravity) for (_, a), (*_, mass) in zip(found, particles, strict=True)]
        velocities = ca.vertcat(*(velocity for velocity, _ in found))
        return ca.jtimes(velocities, self.v, ca.vertcat(*pushed), True)


def particles_of(mechanism: Mechanism) -> list[tuple[FrameKey, np.ndarray, float]]:
    """All particles of a mechanism: frame, offset and mass."""
    return [
        ((i, node), offset, mass)
        for i, link in enumerate(mechanism.links)
        for node, cloud in link.body.clouds.items()
        for offset, mass in zip(cloud.offsets, cloud.masses, strict=True)
    ]


def forces(motion: RuthlessMotion, mechanism: Mechanism, external=None) -> ca.SX:
    """Generalized forces T(q, v, vdot), external wrenches in the axes of their frames."""
    T = motion.inertial_forces(particles_of(mechanism), ca.DM(mechanism.gravity))
    for i, link in enumerate(mechanism.links):
        modal_q, modal_v = motion.layout.modal_q[i], motion.layout.modal_v[i]
        if link.body.n_mode:
            elastic = ca.DM(link.body.stiffness) @ motion.q[modal_q, 0]
            T[modal_v, 0] += elastic + ca.DM(link.body.damping) @ motion.v[modal_v, 0]
    for key, wrench in (external or {}).items():
        frame = motion.frame(key)
        moving = ca.vertcat(frame.rotation.T @ frame.w, frame.rotation.T @ frame.velocity)
        T -= ca.jtimes(moving, motion.v, ca.DM(wrench), True)
    return T


def slopes(motion: RuthlessMotion, x, q, v, vdot) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Value of an expression, and its derivatives along the speeds and by the speeds."""
    w = ca.SX.sym("w", motion.layout.n_v)
    N = ca.jacobian(motion.coordinate_rates(w), w)
    out = [x, ca.jacobian(x, motion.q) @ N, ca.jacobian(x, motion.v)]
    found = ca.Function("slopes", [motion.q, motion.v, motion.a], out)
    return tuple(y.full() for y in found(q, v, vdot))
