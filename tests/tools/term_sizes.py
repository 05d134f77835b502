"""Sums of absolute terms, entry by entry: what an error of a direct quantity is measured against.

The recursions of `algorithms.tree.reference` once more, with the lengths [angular, linear] of
3-vectors in the place of spatial vectors: what they add is added in absolute value, and rotations
drop out.  A body's integrals enter by Cauchy's inequality: J the trace of its inertia, sqrt(m J)
its first moment, sqrt(J M_kk) and sqrt(m M_kk) its modes against the rigid motion.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lissom.algorithms.tree.body_terms import node_motion
from lissom.system import GROUND
from tests.references.reference_quantities import Reference, armature_matrix

ALL = ("speeds", "gravity", "springs")


def lengths(spatial):
    """[angular, linear] lengths of a spatial vector (6,) or of columns (6, n)."""
    return np.linalg.norm(np.reshape(spatial, (2, 3, *np.shape(spatial)[1:])), axis=1)


def _squares(forms, x):
    """[angular, linear] lengths of quadratic forms (6, m, m) of x, term by term."""
    return lengths(np.abs(forms) @ np.abs(x) @ np.abs(x))


def _outward(arm: float):
    """Motion at the far end of an arm; transposed: a force there, felt at the near end."""
    return np.array([[1.0, 0.0], [arm, 1.0]])


def _columns(x):
    return np.abs(x[:, None] if np.ndim(x) == 1 else x)


@dataclass(frozen=True)
class Node:
    """Arm from the body's origin, lengths of the shapes, of the velocity and the Coriolis terms."""

    arm: float
    shapes: np.ndarray
    velocity: np.ndarray
    coriolis: np.ndarray


class TermSizes:
    """Sizes of the terms of which a reference's quantities are the sums.

    The methods take columns: vdot is (n_v,) or (n_v, k), results have k columns.  `terms` lists
    what counts besides vdot.
    """

    def __init__(self, of: Reference) -> None:
        self.system, self.motions = of.system, of.motions
        self.arm, self.hinge, self.velocity, self.bias, self.position = [], [], [], [], []
        self._nodes: dict[tuple[int, int], Node] = {}
        for i, motion in enumerate(self.motions):
            at = self._carrier(i)
            slide = self.system.joints[i].pose(of.q[self.system.layout.hinge_q(i)])[1]
            arm = np.linalg.norm(self.system.frame_position[i]) + np.linalg.norm(slide)
            hinge, w = lengths(motion.motion_map), at.velocity[0]
            w_j, v_j = hinge @ np.abs(motion.beta)
            swing = w * w * arm + 2 * w * v_j + w_j * v_j
            p = self.system.parent[i]
            self.arm.append(arm)
            self.hinge.append(hinge)
            self.velocity.append(_outward(arm) @ at.velocity + [w_j, v_j])
            self.bias.append(np.array([w * w_j + w_j**2, swing]))
            self.position.append(at.arm + arm + (0.0 if p == GROUND else self.position[p]))

    def node(self, i: int, t: int) -> Node:
        """Node t of body i."""
        if (i, t) not in self._nodes:
            body, motion, V = self.system.bodies[i], self.motions[i], self.velocity[i]
            moving = node_motion(body, t, motion.eta, motion.eta_dot, motion.velocity)
            shapes = lengths(moving.shapes)
            arm = np.linalg.norm(body.node_positions[t]) + shapes[1] @ np.abs(motion.eta)
            w_t, v_t = shapes @ np.abs(motion.eta_dot)
            coriolis = np.array([w_t**2 + V[0] * w_t, V[0] ** 2 * arm + 2 * V[0] * v_t])
            if body.second_order is not None:
                coriolis += _squares(body.second_shapes(t), motion.eta_dot)
            self._nodes[i, t] = Node(arm, shapes, _outward(arm) @ V + [w_t, v_t], coriolis)
        return self._nodes[i, t]

    def _carrier(self, i: int) -> Node:
        """The node that carries body i."""
        if self.system.parent[i] == GROUND:
            return Node(0.0, np.zeros((2, 0)), np.zeros(2), np.zeros(2))
        return self.node(int(self.system.parent[i]), int(self.system.parent_node[i]))

    def accelerations(self, vdot, terms=ALL) -> list:
        """Of all bodies, (2, k) each."""
        vdot, alphas = _columns(vdot), []
        speeds, gravity = "speeds" in terms, "gravity" in terms
        for i, p in enumerate(self.system.parent):
            if p == GROUND:
                A = gravity * np.array([[0.0], [np.linalg.norm(self.system.gravity)]])
            else:
                node = int(self.system.parent_node[i])
                A = self.node_acceleration(int(p), node, alphas[p], vdot, terms)
            own = self.hinge[i] @ vdot[self.system.layout.hinge_v(i)]
            alphas.append(_outward(self.arm[i]) @ A + own + speeds * self.bias[i][:, None])
        return alphas

    def node_acceleration(self, i: int, t: int, alpha, vdot, terms=ALL):
        """Of a node, from that of its body."""
        node = self.node(i, t)
        own = node.shapes @ _columns(vdot)[self.system.layout.modal_v(i)]
        return _outward(node.arm) @ alpha + own + ("speeds" in terms) * node.coriolis[:, None]

    def body(self, i: int):
        """Rigid (2, 2), mixed (2, n_mode) and modal (n_mode, n_mode) inertia of a body."""
        terms = self.motions[i].terms
        J, m = np.trace(terms.M_rr[:3, :3]), terms.M_rr[3, 3]
        rigid = np.array([[J, np.sqrt(J * m)], [np.sqrt(J * m), m]])
        root = np.sqrt(np.diag(terms.M_ff))
        body = self.system.bodies[i]
        modal = np.outer(root, root) if body.dense_mass else terms.M_ff
        return rigid, np.outer(np.sqrt([J, m]), root), modal

    def gyroscopic(self, i: int):
        """Velocity-dependent forces of a body: modal (n_mode,) and spatial (2,)."""
        body, motion = self.system.bodies[i], self.motions[i]
        rigid, mixed, modal = self.body(i)
        rate, root = np.linalg.norm(motion.eta_dot), np.sqrt(np.diag(modal))
        turns = [lengths(body.node_shapes[lump.node])[0] for lump in body.lumps]
        if body.floating is not None:  # its frame turns against the inboard node
            turns.append(lengths(body.floating.node_shapes[body.inboard])[0])
        spin = self.velocity[i][0] + max((x @ np.abs(motion.eta_dot) for x in turns), default=0.0)
        spatial = spin**2 * rigid[:, 0] + 2 * spin * rate * np.sqrt(np.diag(rigid))
        if body.second_order is not None:
            of = body.second_order
            both = np.concatenate([np.abs(of.second_moment).sum(axis=0), of.first_moment])
            spatial = spatial + _squares(both, motion.eta_dot)
        return spin**2 * mixed[0] + 2 * spin * rate * root, spatial

    def forces(self, vdot, external=None, terms=ALL):
        """Generalized forces (n_v, k), and forces through the joints, (2, k) for each body."""
        vdot, layout = _columns(vdot), self.system.layout
        alphas = self.accelerations(vdot, terms)
        total = np.zeros(vdot.shape)
        spatial = [np.zeros((2, vdot.shape[1])) for _ in alphas]
        for where, wrench in (external or {}).items():
            i, t = self.system.locate(where)
            self._push(i, self.node(i, t), lengths(np.asarray(wrench))[:, None], total, spatial)
        for i in reversed(range(self.system.n_body)):
            rigid, mixed, modal = self.body(i)
            modes, hinge, p = layout.modal_v(i), layout.hinge_v(i), int(self.system.parent[i])
            spatial[i] += rigid @ alphas[i] + mixed @ vdot[modes]
            total[modes] += mixed.T @ alphas[i] + modal @ vdot[modes]
            if "speeds" in terms:
                b_f, b_r = self.gyroscopic(i)
                spatial[i], total[modes] = spatial[i] + b_r[:, None], total[modes] + b_f[:, None]
            if "springs" in terms:
                total[modes] += self._springs(i)[:, None]
            total[hinge] += self.hinge[i].T @ spatial[i]
            if p != GROUND:
                f = _outward(self.arm[i]).T @ spatial[i]
                self._push(p, self._carrier(i), f, total, spatial)
        return total, spatial

    def _push(self, i: int, node: Node, f, total, spatial) -> None:
        """Add a force (2, k) on a node of body i to the body and to its modes."""
        spatial[i] = spatial[i] + _outward(node.arm).T @ f
        total[self.system.layout.modal_v(i)] += node.shapes.T @ f

    def _springs(self, i: int):
        body, motion = self.system.bodies[i], self.motions[i]
        spring = np.abs(body.stiffness * motion.eta)
        return spring + np.abs(body.damping) @ np.abs(motion.eta_dot)

    @cached_property
    def mass(self):
        """Of the mass matrix, (n_v, n_v)."""
        return self.forces(np.eye(self.system.n_v), terms=())[0]

    @cached_property
    def weight(self):
        """Of the gravity force, (n_v,)."""
        return self.forces(np.zeros(self.system.n_v), terms=("gravity",))[0][:, 0]

    def inverse_dynamics(self, vdot, external=None, armature=None):
        """Of the forces for one vdot, (n_v,)."""
        added = armature_matrix(self.system, armature)
        return self.forces(vdot, external)[0][:, 0] + np.abs(added) @ np.abs(vdot)

    def jacobian(self, where):
        """Of the Jacobian of a frame, [angular, linear] by columns (2, n_v)."""
        i, t = self.system.locate(where)
        unit = np.eye(self.system.n_v)
        alpha = self.accelerations(unit, terms=())[i]
        return self.node_acceleration(i, t, alpha, unit, terms=())

    def energies(self) -> tuple[float, float, float]:
        """Of the kinetic, potential and strain energy."""
        v = np.concatenate([[0.0], *(np.r_[m.eta_dot, m.beta] for m in self.motions)])[1:]
        kinetic = np.abs(v) @ self.mass @ np.abs(v) / 2
        potential = np.linalg.norm(self.system.gravity) * self.moments().sum()
        return kinetic, potential, self._strain()

    def _strain(self) -> float:
        pairs = zip(self.system.bodies, self.motions, strict=True)
        return sum(body.stiffness @ motion.eta**2 / 2 for body, motion in pairs)

    def moments(self):
        """First moments of the bodies' mass about the world's origin, (n_body,)."""
        rows = []
        for i, body in enumerate(self.system.bodies):
            arm = np.abs(self.motions[i].eta).sum() * lengths(
                body.node_shapes.transpose(1, 0, 2).reshape(6, -1)
            )[1].max(initial=0.0)
            rows.append(body.mass * (self.position[i] + arm) + self.body(i)[0][0, 1])
        return np.array(rows)

    def momentum(self, about):
        """Of the momentum, [angular, linear]."""
        total = np.zeros(2)
        for i, motion in enumerate(self.motions):
            rigid, mixed, _ = self.body(i)
            h = rigid @ self.velocity[i] + mixed @ np.abs(motion.eta_dot)
            total += _outward(self.position[i] + np.linalg.norm(about)).T @ h
        return total
