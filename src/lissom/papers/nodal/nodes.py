"""Nodes of one moving and deformed body: masses, maps and velocity terms; see `tree`, (1)-(4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...algorithms.tree.reference import BodyMotion
from ...bodies import NormalBody
from ...bodies.nodal import NodalBody
from ...errors import StateError
from ...spatial import (
    block_diagonal,
    cross,
    left_jacobian,
    left_jacobian_rate,
    rotation_exp,
    spatial_inertia,
)

Array = np.ndarray

_WITHIN = 1e-9  # fraction of displacements that may be outside the freedoms of a body


@dataclass(frozen=True, eq=False)
class Nodes:
    """Nodes of a body in its axes; the fields are those of `NodalLink`, and positions (n, 3)."""

    positions: Array
    rotations: Array
    mass: Array
    freedoms: Array
    displacements: Array
    coriolis: Array
    gyroscopic: Array
    structural: Array


def rigid_nodes(body: NormalBody, motion: BodyMotion) -> Nodes:
    """Nodes of a rigid body, whose mass is all at the inboard one."""
    n, omega = len(body.node_positions), motion.velocity[:3]
    at_inboard = np.eye(n)[body.inboard]
    turning = [np.concatenate([np.zeros(3), _centripetal(omega, l)]) for l in body.node_positions]
    none = np.zeros((6 * n, 0))
    return Nodes(
        positions=body.node_positions,
        rotations=np.stack([np.eye(3)] * n),
        mass=np.kron(np.outer(at_inboard, at_inboard), motion.terms.M_rr),
        freedoms=none,
        displacements=none,
        coriolis=np.concatenate(turning),
        gyroscopic=np.kron(at_inboard, motion.terms.b_r),
        structural=np.zeros(0),
    )


def flexible_nodes(nodal: NodalBody, body: NormalBody, motion: BodyMotion, name: str) -> Nodes:
    """Nodes of a flexible body with lumped mass, or with consistent mass at rest, undeformed."""
    h, shapes = nodal.freedoms, body.node_shapes[: nodal.n_node].reshape(6 * nodal.n_node, -1)
    u, u_dot = shapes @ motion.eta, shapes @ motion.eta_dot
    x, x_dot = (_freedoms_of(h, moved, name) for moved in (u, u_dot))
    omega, rest = motion.velocity[:3], nodal.positions - nodal.positions[nodal.inboard]
    parts = [
        _node(l, moved, rate, omega)
        for l, moved, rate in zip(rest, u.reshape(-1, 6), u_dot.reshape(-1, 6), strict=True)
    ]
    E = np.stack([part.rotation for part in parts])
    mass, gyroscopic = nodal.mass_matrix, np.zeros(6 * nodal.n_node)
    if nodal.is_lumped:
        mass, gyroscopic = _lumped(nodal, E, np.stack([part.angular_velocity for part in parts]))
    turned = block_diagonal(*(y for part in parts for y in (part.jacobian, np.eye(3))))
    return Nodes(
        positions=np.stack([part.position for part in parts]),
        rotations=E,
        mass=mass,
        freedoms=turned @ h,
        displacements=h,
        coriolis=np.concatenate([part.coriolis for part in parts]),
        gyroscopic=gyroscopic,
        structural=-h.T @ nodal.stiffness @ (h @ x) - nodal.freedom_damping @ x_dot,
    )


@dataclass(frozen=True, eq=False)
class _Node:
    """One node (1)-(4)."""

    position: Array
    rotation: Array
    jacobian: Array
    angular_velocity: Array
    coriolis: Array


def _node(l0: Array, u: Array, u_dot: Array, omega: Array) -> _Node:
    theta, theta_dot, l = u[:3], u_dot[:3], l0 + u[3:]
    J = left_jacobian(theta)
    relative = J @ theta_dot
    angular = left_jacobian_rate(theta, theta_dot) + cross(omega, relative)
    linear = _centripetal(omega, l) + 2 * cross(omega, u_dot[3:])
    coriolis = np.concatenate([angular, linear])
    return _Node(l, rotation_exp(theta), J, omega + relative, coriolis)


def _lumped(nodal: NodalBody, E: Array, w: Array) -> tuple[Array, Array]:
    """Mass matrix of the turned nodes, and the gyroscopic forces on them (4)."""
    inertias = np.zeros((nodal.n_node, 3, 3))
    if nodal.node_inertias is not None:
        inertias = E @ nodal.node_inertias @ E.transpose(0, 2, 1)
    pairs = zip(nodal.masses, inertias, strict=True)
    mass = block_diagonal(*(spatial_inertia(m, np.zeros(3), J) for m, J in pairs))
    moments = np.cross(w, np.einsum("nij,nj->ni", inertias, w))
    return mass, np.concatenate([moments, np.zeros_like(moments)], axis=1).ravel()


def _freedoms_of(h: Array, u: Array, name: str) -> Array:
    """Freedoms x with u = h x; an error if the shapes of the system displace nodes otherwise."""
    if not np.any(u):
        return np.zeros(h.shape[1])
    x = np.linalg.lstsq(h, u, rcond=None)[0]
    if np.abs(h @ x - u).max() > _WITHIN * np.abs(u).max():
        raise StateError(
            f"body {name!r} is deformed by shapes that its nodal data do not have; compile the "
            "system with the to_modal() of this NodalBody"
        )
    return np.asarray(x)


def _centripetal(omega: Array, l: Array) -> Array:
    return cross(omega, cross(omega, l))
