"""Derivatives of inverse dynamics by design, from the oracle's points by automatic differentiation.

The oracle's poses with symbols for inertias, places of joints, gravity and modal constants; the
forces follow from d'Alembert's principle over particles, and their derivatives from CasADi.
"""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np

from tests.oracle import joints
from tests.oracle.description import Mechanism
from tests.oracle.points import Layout, body_poses, node_pose
from tests.oracle.random_bodies import RigidData
from tests.oracle.ruthless import RuthlessMotion

XYZ, SIX = "xyz", ("xx", "xy", "xz", "yy", "yz", "zz")


class Design:
    """Symbols of a design, and their values."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.symbols: list[ca.SX] = []
        self.values: list[float] = []

    def add(self, name: str, value: float) -> ca.SX:
        symbol = ca.SX.sym(name)
        self.names.append(name)
        self.symbols.append(symbol)
        self.values.append(float(value))
        return symbol

    def vector(self, name: str, values) -> ca.SX:
        return ca.vertcat(*(self.add(f"{name}.{x}", y) for x, y in zip(XYZ, values, strict=True)))


def particles_of(design: Design, name: str, data: RigidData) -> tuple[list[ca.SX], list[ca.SX]]:
    """Offsets and masses of six particles with symbols for mass, centre and inertia about it."""
    mass, com = design.add(f"{name}.mass", data.mass), design.vector(f"{name}.com", data.com)
    J = ca.SX.zeros(3, 3)
    inertia = np.asarray(data.inertia, float)
    for label, (k, j) in zip(SIX, zip(*np.triu_indices(3), strict=True), strict=True):
        J[k, j] = J[j, k] = design.add(f"{name}.inertia.{label}", inertia[k, j])
    arms = ca.sqrt(3 / mass) * ca.chol(ca.trace(J) / 2 * ca.SX.eye(3) - J)
    offsets = [com + sign * arms[k, :].T for sign in (1, -1) for k in range(3)]
    return offsets, [mass / 6] * 6


def derivatives(description, transforms) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Names of the parameters, forces in the description's state, and their derivatives."""
    design, mechanism = Design(), description.mechanism(transforms)
    links = []
    for part, link in zip(description.parts, mechanism.links, strict=True):
        at = design.vector(f"{part.name}.at", link.at)
        turn = design.vector(f"{part.name}.rotation", np.zeros(3))
        skewed = ca.skew(turn)  # to first order
        links.append(replace(link, at=at, rotation=(ca.SX.eye(3) + skewed) @ link.rotation))
    gravity = design.vector("gravity", mechanism.gravity)
    placed = Mechanism(tuple(links), mechanism.gravity)
    if any(link.body.level == "ruthless" for link in links):
        motion = RuthlessMotion(placed)
        particles = list(_particles(design, description, placed))
        forces = motion.inertial_forces(particles, gravity)
        q, v, a, layout = motion.q, motion.v, motion.a, motion.layout
    else:
        q, v, a, layout, forces = _full_forces(design, description, placed, gravity)
    for i, (part, link) in enumerate(zip(description.parts, links, strict=True)):
        for k in range(link.body.n_mode):
            stiffness = design.add(f"{part.name}.stiffness[{k}]", link.body.stiffness[k, k])
            damping = design.add(f"{part.name}.damping[{k}]", 0.0)
            row, eta = layout.modal_v[i].start + k, q[layout.modal_q[i].start + k]
            others = ca.dot(ca.DM(link.body.damping[k]), v[layout.modal_v[i], 0])
            forces[row] += stiffness * eta + damping * v[row] + others
    p = ca.vertcat(*design.symbols)
    found = ca.Function("design", [q, v, a, p], [forces, ca.jacobian(forces, p)])
    state = description.state(transforms)
    T, P = found(*state, description.acceleration, design.values)
    return design.names, np.array(T).ravel(), np.array(P)


def _full_forces(design, description, mechanism, gravity):
    """Symbols q, v and vdot, their layout, and forces of inertia and weight at level "full"."""
    links, layout = mechanism.links, Layout.of(mechanism)
    q, v, a = ca.SX.sym("q", layout.n_q), ca.SX.sym("v", layout.n_v), ca.SX.sym("a", layout.n_v)
    points, masses = _points(design, description, mechanism, layout, q)
    qdot = ca.vertcat(
        *(
            piece
            for i, link in enumerate(links)
            for piece in (
                v[layout.modal_v[i], 0],
                joints.coordinate_rates(
                    link.joint, q[layout.hinge_q[i], 0], v[layout.hinge_v[i], 0]
                ),
            )
        )
    )
    velocities = ca.jtimes(points, q, qdot)
    accelerations = ca.jtimes(velocities, q, qdot) + ca.jtimes(velocities, v, a)
    needed = accelerations - ca.repmat(gravity, len(masses), 1)
    weights = ca.vertcat(*(m for mass in masses for m in [mass] * 3))
    forces = ca.jtimes(velocities, v, weights * needed, True)
    return q, v, a, layout, forces


def _particles(design, description, mechanism):
    """Frame, offset and mass of all particles."""
    for i, (part, link) in enumerate(zip(description.parts, mechanism.links, strict=True)):
        if isinstance(part.data, RigidData):
            for offset, mass in zip(*particles_of(design, part.name, part.data), strict=True):
                yield (i, None), offset, mass
            continue
        for node, cloud in link.body.clouds.items():
            for offset, mass in zip(cloud.offsets, cloud.masses, strict=True):
                yield (i, node), offset, mass


def _points(design, description, mechanism, layout, q):
    """Positions of all particles, stacked, and their masses."""
    found, masses = [], []
    poses = body_poses(mechanism, layout, q)
    for i, (part, link) in enumerate(zip(description.parts, mechanism.links, strict=True)):
        eta = q[layout.modal_q[i], 0]
        if isinstance(part.data, RigidData):
            offsets, weights = particles_of(design, part.name, part.data)
            found += [poses[i][1] + poses[i][0] @ offset for offset in offsets]
            masses += weights
            continue
        for node, cloud in link.body.clouds.items():
            rotation, position = node_pose(link.body, node, *poses[i], eta)
            found += [position + rotation @ ca.DM(offset) for offset in cloud.offsets]
            masses += list(cloud.masses)
    return ca.vertcat(*found), masses
