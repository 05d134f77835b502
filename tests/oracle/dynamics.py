"""d'Alembert's principle over particles: Σ m J'(a - g) + K η + C η̇ = generalized forces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .description import LINEAR, Mechanism, skew
from .points import FrameKey, PointFunctions

Wrenches = dict[FrameKey, np.ndarray]


def vee(matrix: np.ndarray) -> np.ndarray:
    """The vector of a matrix's antisymmetric part; further axes are carried along."""
    half = (matrix - matrix.swapaxes(0, 1)) / 2
    return np.stack([half[2, 1], half[0, 2], half[1, 0]])


@dataclass(frozen=True)
class FrameMotion:
    """A frame's pose and motion. Spatial vectors [angular; linear of the origin], world axes."""

    position: np.ndarray
    rotation: np.ndarray
    world_jacobian: np.ndarray
    world_bias: np.ndarray

    def axes(self, axes: str) -> np.ndarray:
        """The 6×6 matrix that takes world components to components in these axes."""
        return np.eye(6) if axes == "world" else np.kron(np.eye(2), self.rotation.T)

    def jacobian(self, axes: str = "world") -> np.ndarray:
        return self.axes(axes) @ self.world_jacobian

    def velocity(self, v: np.ndarray, axes: str = "world") -> np.ndarray:
        return self.jacobian(axes) @ v

    def acceleration(self, vdot: np.ndarray, axes: str = "world") -> np.ndarray:
        """[ω̇; acceleration of the origin], inertial derivatives."""
        return self.axes(axes) @ (self.world_jacobian @ vdot + self.world_bias)

    @classmethod
    def of(cls, points: np.ndarray, jacobians: np.ndarray, bias: np.ndarray) -> FrameMotion:
        """From a frame's four points: its origin and its three axes."""
        rotation = points[1:].T
        spin = np.einsum("aij,ak->ikj", jacobians[1:], points[1:])  # Rdot R', one per speed
        turning = np.einsum("ai,ak->ik", bias[1:], points[1:])  # Rddot R'
        jacobian = np.concatenate([vee(spin), jacobians[0]])
        return cls(points[0], rotation, jacobian, np.concatenate([vee(turning), bias[0]]))


@dataclass(frozen=True)
class Particles:
    """What d'Alembert's principle needs of each particle; arrays with one row per particle.

    Momenta act at `arms`; the weight's potential is that of `positions`. They are the same at level
    `full`.
    """

    body: np.ndarray
    mass: np.ndarray
    arms: np.ndarray
    positions: np.ndarray
    jacobian: np.ndarray
    bias: np.ndarray


class Oracle:
    """The equations of motion of a mechanism, compiled once for many states."""

    def __init__(self, mechanism: Mechanism):
        self.mechanism = mechanism
        self.functions = PointFunctions(mechanism)
        self.layout = self.functions.layout
        self.children_of = [
            [j for j, link in enumerate(mechanism.links) if i in self._ancestors(link.parent)]
            for i in range(len(mechanism.links))
        ]
        clouds = [link.body.clouds for link in mechanism.links]
        in_order = [clouds[i][node] for i, node in dict.fromkeys(self.functions.particle_frame)]
        self.masses = np.concatenate([cloud.masses for cloud in in_order])
        self.offsets = np.concatenate([cloud.offsets for cloud in in_order])
        self.bodies = np.array([i for i, _ in self.functions.particle_frame])

    def _ancestors(self, i: int) -> set[int]:
        found = set()
        while i >= 0:
            found.add(i)
            i = self.mechanism.links[i].parent
        return found

    def at(self, q: np.ndarray, v: np.ndarray) -> Snapshot:
        """Everything at one state."""
        return Snapshot(self, np.asarray(q, float), np.asarray(v, float))


class Snapshot:
    """The mechanism at one state (q, v)."""

    def __init__(self, oracle: Oracle, q: np.ndarray, v: np.ndarray):
        self.oracle, self.q, self.v = oracle, q, v
        self.links, self.gravity = oracle.mechanism.links, oracle.mechanism.gravity
        points, bias = oracle.functions.motion(q, v)
        jacobian, self.coordinate_map = oracle.functions.velocity_map(q)
        n = len(oracle.masses)
        self.frames = {}
        for k, key in enumerate(oracle.functions.frames):
            four = slice(n + 4 * k, n + 4 * k + 4)
            self.frames[key] = FrameMotion.of(points[four], jacobian[four], bias[four])
        self.particles = Particles(
            oracle.bodies, oracle.masses, points[:n].copy(), points[:n], jacobian[:n], bias[:n]
        )
        for p, (i, node) in enumerate(oracle.functions.particle_frame):
            if self.links[i].body.level == LINEAR:
                self._freeze(p, i, node)

    def _freeze(self, p: int, i: int, node: int | None) -> None:
        """Move particle p as on the undeformed body: at l0, and without the Coriolis term 2ω×δ̇."""
        body, frame, particles = self.links[i].body, self.frames[i, None], self.particles
        eta, modal = self.q[self.oracle.layout.modal_q[i]], self.oracle.layout.modal_v[i]
        offset = self.oracle.offsets[p]
        shape = np.zeros((3, body.n_mode))
        l0 = offset
        if node is not None:
            l0 = body.positions[node] + offset
            shape = body.shapes[node, 3:] - skew(offset) @ body.shapes[node, :3]
        arm, omega = frame.rotation @ l0, frame.velocity(self.v)[:3]
        J, bias = frame.world_jacobian, frame.world_bias
        particles.arms[p] = frame.position + arm
        particles.positions[p] = frame.position + frame.rotation @ (l0 + shape @ eta)
        particles.jacobian[p] = J[3:] - skew(arm) @ J[:3]
        particles.jacobian[p, :, modal] += frame.rotation @ shape
        particles.bias[p] = (
            bias[3:] + np.cross(bias[:3], arm) + np.cross(omega, np.cross(omega, arm))
        )

    @property
    def qdot(self) -> np.ndarray:
        return self.coordinate_map @ self.v

    @cached_property
    def mass_matrix(self) -> np.ndarray:
        J = self.particles.jacobian * np.sqrt(self.particles.mass)[:, None, None]
        flat = J.reshape(-1, J.shape[2])
        return flat.T @ flat

    def _project(self, forces: np.ndarray) -> np.ndarray:
        """Generalized forces of a force (particles, 3) on each particle."""
        return np.einsum("pki,pk->i", self.particles.jacobian, forces)

    @property
    def gravity_force(self) -> np.ndarray:
        """The weight's part of `bias_force`."""
        return self._project(-self.particles.mass[:, None] * self.gravity)

    @property
    def elastic_force(self) -> np.ndarray:
        """K η + C η̇."""
        force = np.zeros(len(self.v))
        layout = self.oracle.layout
        for i, link in enumerate(self.links):
            eta, rate = self.q[layout.modal_q[i]], self.v[layout.modal_v[i]]
            force[layout.modal_v[i]] = link.body.stiffness @ eta + link.body.damping @ rate
        return force

    @cached_property
    def bias_force(self) -> np.ndarray:
        inertial = self._project(self.particles.mass[:, None] * self.particles.bias)
        return inertial + self.gravity_force + self.elastic_force

    def external_force(self, external: Wrenches | None) -> np.ndarray:
        """Generalized forces of wrenches [moment; force] given in the axes of their frames."""
        force = np.zeros(len(self.v))
        for key, wrench in (external or {}).items():
            force += self.frames[key].jacobian("body").T @ wrench
        return force

    def inverse_dynamics(self, vdot, external: Wrenches | None = None) -> np.ndarray:
        return self.mass_matrix @ vdot + self.bias_force - self.external_force(external)

    def forward_dynamics(self, forces, external: Wrenches | None = None, armature=0.0):
        """Solve (M + diag(armature)) vdot + bias = forces."""
        right_side = forces + self.external_force(external) - self.bias_force
        added = np.diag(np.broadcast_to(armature, right_side.shape))
        return np.linalg.solve(self.mass_matrix + added, right_side)

    def force_scale(self, vdot, external: Wrenches | None = None) -> np.ndarray:
        """Sum of the absolute terms of `inverse_dynamics`, entry by entry.

        At least a millionth of the largest: at 1e-9 of that, rounding of an entry that is zero
        counts as such.
        """
        particles, J = self.particles, np.abs(self.particles.jacobian)
        total = J @ np.abs(vdot) + np.abs(particles.bias) + np.abs(self.gravity)
        scale = np.einsum("pki,pk,p->i", J, total, particles.mass) + np.abs(self.elastic_force)
        for key, wrench in (external or {}).items():
            scale += np.abs(self.frames[key].jacobian("body")).T @ np.abs(wrench)
        return np.maximum(scale, 1e-6 * scale.max(initial=0.0))

    @property
    def kinetic_energy(self) -> float:
        return float(self.v @ self.mass_matrix @ self.v) / 2

    @property
    def potential_energy(self) -> float:
        return float(-self.particles.mass @ self.particles.positions @ self.gravity)

    @property
    def strain_energy(self) -> float:
        slices = self.oracle.layout.modal_q
        etas = [self.q[part] for part in slices]
        pairs = zip(self.links, etas, strict=True)
        return float(sum(eta @ link.body.stiffness @ eta for link, eta in pairs)) / 2

    @property
    def center_of_mass(self) -> np.ndarray:
        return self.particles.mass @ self.particles.positions / self.particles.mass.sum()

    def _moment_and_sum(self, vectors: np.ndarray, about: np.ndarray) -> np.ndarray:
        """[moment about a point; sum] of vectors (particles, 3)."""
        moment = np.cross(self.particles.arms - about, vectors).sum(axis=0)
        return np.concatenate([moment, vectors.sum(axis=0)])

    def momentum(self, about=(0.0, 0.0, 0.0)) -> np.ndarray:
        """[angular momentum about a point; linear momentum], world axes."""
        velocities = self.particles.jacobian @ self.v
        return self._moment_and_sum(self.particles.mass[:, None] * velocities, np.asarray(about))

    def joint_forces(self, vdot, external: Wrenches | None = None) -> np.ndarray:
        """Wrench (n_body, 6) on each body through its inboard hinge, in its axes at its origin."""
        particles = self.particles
        accelerations = particles.jacobian @ vdot + particles.bias - self.gravity
        needed = particles.mass[:, None] * accelerations
        forces = []
        for i in range(len(self.links)):
            frame, subtree = self.frames[i, None], [i, *self.oracle.children_of[i]]
            inside = np.isin(particles.body, subtree)[:, None]
            wrench = self._moment_and_sum(inside * needed, frame.position)
            for key, given in (external or {}).items():
                if key[0] in subtree:
                    wrench -= self._moved(key, given, frame.position)
            forces.append(frame.axes("body") @ wrench)
        return np.array(forces)

    def _moved(self, key: FrameKey, wrench: np.ndarray, point: np.ndarray) -> np.ndarray:
        """A wrench given in a frame's axes, in world axes about a point."""
        frame = self.frames[key]
        moment, force = frame.rotation @ wrench[:3], frame.rotation @ wrench[3:]
        return np.concatenate([moment + np.cross(frame.position - point, force), force])
