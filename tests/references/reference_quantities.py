"""Every public quantity from the readable recursions alone, never through a public function.

The tests of the compiled text compare with these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np

from lissom.algorithms.tree import reference
from lissom.algorithms.tree.body_terms import first_moment, node_motion
from lissom.errors import SingularError
from lissom.spatial import cross, rotate
from lissom.system import GROUND


def loads_of(system, external) -> list:
    """External forces {"body[.node]": [moment; force]} as the recursions take them."""
    return [(*system.locate(where), np.array(wrench)) for where, wrench in (external or {}).items()]


def armature_blocks(system, armature):
    """Added inertia, a vector or hinge blocks by name, as the recursions take it."""
    if armature is None:
        return None
    layout, blocks = system.layout, []
    for i, name in enumerate(system.names):
        n = layout.hinge_v(i).stop - layout.hinge_v(i).start
        if isinstance(armature, Mapping):
            given = np.asarray(armature.get(name, 0.0), float)
            block = given if given.ndim == 2 else np.diag(np.broadcast_to(given, n))
            blocks.append((np.zeros(system.bodies[i].n_mode), block))
        else:
            vector = np.asarray(armature)
            blocks.append((vector[layout.modal_v(i)], np.diag(vector[layout.hinge_v(i)])))
    return blocks


def armature_matrix(system, armature):
    """Added inertia as a matrix (n_v, n_v)."""
    added = np.zeros((system.n_v, system.n_v))
    for i, (a_f, a_r) in enumerate(armature_blocks(system, armature) or ()):
        modes, hinge = system.layout.modal_v(i), system.layout.hinge_v(i)
        added[modes, modes], added[hinge, hinge] = np.diag(a_f), a_r
    return added


class Reference:
    """All quantities of one state; the methods are called as the public functions are."""

    def __init__(self, system, state) -> None:
        self.system, self.q, self.v = system, state.q, state.v
        self.motions = reference.kinematics_base_to_tip(system, state.q, state.v)

    @cached_property
    def at_rest(self) -> list:
        """Kinematics of the same configuration without speeds."""
        return reference.kinematics_base_to_tip(self.system, self.q, np.zeros(self.system.n_v))

    @cached_property
    def weightless(self):
        """The same system without gravity."""
        return replace(self.system, gravity=np.zeros(3))

    @cached_property
    def mass_matrix(self):
        return reference.mass_matrix(self.system, self.motions)

    def multiply_mass(self, x):
        """M x without the matrix: the forces of an acceleration from rest."""
        return reference.inverse_dynamics(self.weightless, self.at_rest, x, elastic=False)[0]

    def bias_force(self):
        return self.inverse_dynamics(np.zeros(self.system.n_v))

    def gravity_force(self):
        zero = np.zeros(self.system.n_v)
        return reference.inverse_dynamics(self.system, self.at_rest, zero, elastic=False)[0]

    def inverse_dynamics(self, acceleration, external=None):
        loads = loads_of(self.system, external)
        return reference.inverse_dynamics(self.system, self.motions, acceleration, loads)[0]

    def joint_forces(self, acceleration, external=None):
        loads = loads_of(self.system, external)
        forces = reference.inverse_dynamics(self.system, self.motions, acceleration, loads)[1]
        return np.array(forces).reshape(-1, 6)

    def forward_dynamics(self, forces=None, external=None, armature=None):
        T = np.zeros(self.system.n_v) if forces is None else forces
        loads, added = loads_of(self.system, external), armature_blocks(self.system, armature)
        return reference.forward_dynamics(self.system, self.motions, T, loads, added)

    def solve_mass(self, x, armature=None):
        """(M + armature)^-1 x: the accelerations of forces from rest, without springs."""
        rest = replace(self.weightless, bodies=tuple(map(_limp, self.system.bodies)))
        added = armature_blocks(self.system, armature)
        return reference.forward_dynamics(rest, self.at_rest, x, (), added)

    def hinge_margin(self, armature=None) -> float:
        """Smallest hinge inertia, as a share of its scale; 0 where the check of it fails."""
        added, margins = armature_blocks(self.system, armature), [1.0]
        try:
            blocks = reference.articulate_tip_to_base(self.system, self.motions, added)
        except SingularError:
            return 0.0
        for block, motion in zip(blocks, self.motions, strict=True):
            D, P, Ht = block.hinge_inertia, block.inertia, motion.motion_map
            traces = np.array([np.trace(P[:3, :3]), np.trace(P[3:, 3:])])
            size = traces @ np.sum(Ht.reshape(2, 3, -1) ** 2, axis=1)
            scale = np.sqrt(np.maximum(size, np.abs(np.diag(D))))
            margins += list(np.linalg.eigvalsh(D / np.outer(scale, scale)))
        return float(min(margins))

    def energy(self) -> tuple[float, float, float]:
        """Kinetic, potential and strain energy."""
        kinetic = potential = strain = 0.0
        for body, motion in zip(self.system.bodies, self.motions, strict=True):
            p = motion.world_rotation @ first_moment(body, motion.eta)
            modal, spatial = _momenta(motion)
            kinetic += (motion.velocity @ spatial + motion.eta_dot @ modal) / 2
            potential -= self.system.gravity @ (body.mass * motion.world_position + p)
            strain += motion.eta @ (body.stiffness * motion.eta) / 2
        return kinetic, potential, strain

    def momentum(self, about=(0.0, 0.0, 0.0)):
        total = np.zeros(6)
        for motion in self.motions:
            h = rotate(motion.world_rotation, _momenta(motion)[1])
            total[:3] += h[:3] + cross(motion.world_position - np.array(about), h[3:])
            total[3:] += h[3:]
        return total

    def center_of_mass(self):
        moment = np.zeros(3)
        for body, motion in zip(self.system.bodies, self.motions, strict=True):
            moment += body.mass * motion.world_position
            moment += motion.world_rotation @ first_moment(body, motion.eta)
        return moment / sum(body.mass for body in self.system.bodies)

    def qdot(self):
        rates, layout = np.empty(self.system.n_q), self.system.layout
        for i, joint in enumerate(self.system.joints):
            N = joint.rate_map(self.q[layout.hinge_q(i)])
            rates[layout.modal_q(i)] = self.v[layout.modal_v(i)]
            rates[layout.hinge_q(i)] = N @ self.v[layout.hinge_v(i)]
        return rates

    def pose(self, where):
        """Position and rotation."""
        i, node = self._frame(where)
        R = self.motions[i].world_rotation
        return self.motions[i].world_position + R @ node.position, R @ node.rotation

    def velocity(self, where, axes="world"):
        i, node = self._frame(where)
        return self._in_axes(i, node, node.velocity, axes)

    def acceleration(self, where, acceleration, axes="world"):
        i, node = self._frame(where)
        alphas, _ = reference.accelerations_base_to_tip(self.system, self.motions, acceleration)
        eta_ddot = acceleration[self.system.layout.modal_v(i)]
        A = node.shift.T @ alphas[i] + node.shapes @ eta_ddot + node.coriolis
        A[3:] += self.motions[i].world_rotation.T @ self.system.gravity
        return self._in_axes(i, node, A, axes)

    def jacobian(self, where, axes="world"):
        i, node = self._frame(where)
        first, at, J, outward = i, node, np.zeros((6, self.system.n_v)), np.eye(6)
        while True:
            J[:, self.system.layout.modal_v(i)] = outward @ at.shapes
            outward = outward @ at.shift.T
            J[:, self.system.layout.hinge_v(i)] = outward @ self.motions[i].motion_map
            if self.system.parent[i] == GROUND:
                return self._in_axes(first, node, J, axes)
            outward = outward @ self.motions[i].transform
            at = reference.carrying_node(self.system, self.motions, i)
            i = int(self.system.parent[i])

    def _frame(self, where):
        i, t = self.system.locate(where)
        motion = self.motions[i]
        body = self.system.bodies[i]
        return i, node_motion(body, t, motion.eta, motion.eta_dot, motion.velocity)

    def _in_axes(self, i, node, spatial, axes):
        turn = self.motions[i].world_rotation if axes == "world" else node.rotation.T
        return rotate(turn, spatial)


def _limp(body):
    """The same body without stiffness."""
    return replace(body, stiffness=np.zeros(body.n_mode))


def _momenta(motion):
    """Modal and spatial momentum of a body, in its axes at its origin."""
    terms = motion.terms
    modal = terms.M_rf.T @ motion.velocity + terms.M_ff @ motion.eta_dot
    return modal, terms.M_rr @ motion.velocity + terms.M_rf @ motion.eta_dot
