"""Trees of finite-element bodies in nodal coordinates.

Notation of Rodriguez, sections 3 and 4: (D 4.1), (D 4.2), (D 4.3).  Bodies are numbered base to
tip, so that the paper's k+1 is the parent here, and each body has its own axes.

Node i of a body with displacements u_i = [theta; delta], u = h0* x, body axes:
  l = l0 + delta      E = exp([theta]x)      T = blockdiag(J_l(theta), I)                  (1)
  V_i = phi(l)^T V + T u_dot                                                             (2)
  A_i = phi(l)^T alpha + T u_ddot + gamma                                                (3)
so that B has phi(l), h* = T h0*, and m has E J E^T.  With w the angular velocity of the node:
  gamma = [dJ_l/dt theta_dot + omega x J_l theta_dot; omega x (omega x l) + 2 omega x delta_dot]
  b = [w x E J E^T w; 0]                                                                 (4)
The force of the structure on x is -h0 (s u + c u_dot): it does work on u alone, not on V.
Not in the paper, which omits velocity-dependent terms and takes bodies undeformed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...algorithms.tree.arguments import (
    as_state,
    check_no_loops,
    check_reals,
    motions_of,
    to_external,
)
from ...algorithms.tree.reference import BodyMotion
from ...bodies import NormalBody
from ...bodies.nodal import NodalBody
from ...errors import StateError
from ...spatial import (
    block_diagonal,
    cross,
    left_jacobian,
    left_jacobian_rate,
    rigid_shift,
    rotation_exp,
    spatial_inertia,
)
from ...spatial.scalar import array
from ...system import GROUND, State, StateLike, System

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


Array = np.ndarray


@dataclass(frozen=True, eq=False)
class NodalLink:
    """Body of a tree, in its axes; a rigid body has no freedoms."""

    name: str  # name of the body
    parent: int  # number of the parent, -1 for the ground
    mass: Array  # (6 n, 6 n) m_k, the free-free mass matrix of the n nodes
    # (6 n, f) h_k*: motions of the nodes relative to the inboard node, per rate of a nodal freedom
    freedoms: Array
    # (6 n, f) h0_k*: displacements of the nodes, per nodal freedom; `freedoms` if they are zero
    displacements: Array
    # (6, 6 n) b(k) = [phi(k, 1), ..., phi(k, N_k)]: forces on the nodes to the body's frame
    shift: Array
    # (6 n_parent, 6) c(k+1, k): a force at the body's frame to the nodes of the parent, in the
    # parent's axes
    attachment: Array
    motion_map: Array  # (6, r) h*(k), the motions that the joint allows, in the body's axes
    gravity: Array  # (6,) [0; g] in the body's axes [m/s^2]
    coriolis: Array  # (6 n,) gamma, accelerations of the nodes due to velocities
    gyroscopic: Array  # (6 n,) b, forces on the nodes due to velocities
    joint_coriolis: Array  # (6,) c, acceleration of the joint due to velocities
    structural: Array  # (f,) elastic and damping forces on the nodal freedoms
    node_rotations: Array  # (n, 3, 3) E, node axes to body axes

    @property
    def n_node(self) -> int:
        """Number of nodes."""
        return len(self.mass) // 6


@dataclass(frozen=True, eq=False)
class NodalTree:
    """Bodies numbered base to tip."""

    links: tuple[NodalLink, ...]  # bodies, each after its parent

    @property
    def n_body(self) -> int:
        """Number of bodies."""
        return len(self.links)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Numbers of the children of each body."""
        carried: list[list[int]] = [[] for _ in self.links]
        for i, link in enumerate(self.links):
            if link.parent != GROUND:
                carried[link.parent].append(i)
        return tuple(tuple(c) for c in carried)


def nodal_tree(system: System, state: StateLike, nodal: Mapping[str, NodalBody]) -> NodalTree:
    """Tree in nodal coordinates, with the geometry and the joints of a system in a state."""
    state = as_state(system, state)
    check_reals("the dynamics of nodal bodies", state)
    motions = motions_of(system, state)
    _check_no_rods(system)
    check_no_loops(system, "the dynamics of nodal bodies", "forward_dynamics with modal bodies")
    if not isinstance(nodal, Mapping):
        raise StateError(f'nodal is {nodal!r}; give a mapping {{"body": NodalBody}}')
    for name, body in nodal.items():
        _check_same_nodes(system, name, body)
        if not body.is_lumped:
            _check_at_rest(system, state, name)
    return NodalTree(tuple(_link(system, motions, i, nodal) for i in range(system.n_body)))


def _check_no_rods(system: System) -> None:
    for name, body in zip(system.names, system.bodies, strict=True):
        if body.rod is not None:
            raise StateError(
                f"body {name!r} is a rod, which has no nodal coordinates; make it with ls.beam, or "
                "use forward_dynamics"
            )


def nodal_loads(
    system: System,
    tree: NodalTree,
    external: Mapping[Any, Any] | None = None,
    nodal_forces: Mapping[str, Any] | None = None,
) -> list[Array]:
    """Forces f_k on the nodes of each body, shape (6 n,), in body axes, including gravity.

    `external`: spatial forces {"body", "body.node" or "frame": [moment; force]}; `nodal_forces`:
    {"body": array (n, 6)}, rows [moment; force].
    """
    loads = [link.mass @ np.tile(link.gravity, link.n_node) for link in tree.links]
    for i, node, wrench in to_external(system, external):
        if wrench.dtype != float:
            raise StateError("the dynamics of nodal bodies needs real numbers in external")
        E = tree.links[i].node_rotations[node]
        turned = np.concatenate([E @ wrench[:3], E @ wrench[3:]])
        loads[i] = loads[i] + np.kron(np.eye(tree.links[i].n_node)[node], turned)
    if nodal_forces is not None and not isinstance(nodal_forces, Mapping):
        raise StateError(f'nodal_forces is {nodal_forces!r}; give a mapping {{"body": (n, 6)}}')
    for name, values in (nodal_forces or {}).items():
        i = system.layout.index(name)
        wrenches, n = real_array(values), tree.links[i].n_node
        if wrenches.shape != (n, 6) or not np.all(np.isfinite(wrenches)):
            raise StateError(
                f"nodal_forces of body {name!r}: expected finite numbers of shape ({n}, 6), a "
                f"row [moment; force] for each node; got shape {wrenches.shape}"
            )
        loads[i] = loads[i] + wrenches.ravel()
    return loads


def real_array(values: Any) -> Array:
    """Array of floats, empty if the values are not real numbers."""
    try:
        numbers = array(values)
    except (TypeError, ValueError):
        return np.zeros(0)
    return numbers if numbers.dtype.kind == "f" else np.zeros(0)


def _link(
    system: System, motions: Sequence[BodyMotion], i: int, nodal: Mapping[str, NodalBody]
) -> NodalLink:
    name, body, motion, p = system.names[i], system.bodies[i], motions[i], int(system.parent[i])
    if body.n_mode and name not in nodal:
        raise StateError(
            f"body {name!r} is flexible and has no nodal data; add a NodalBody for {name!r} to "
            "nodal"
        )
    nodes = rigid_nodes(body, motion)
    if name in nodal:
        nodes = flexible_nodes(nodal[name], body, motion, name)
    if p == GROUND:
        attachment = np.zeros((0, 6))
    else:
        n_node, t = len(system.bodies[p].node_positions), int(system.parent_node[i])
        attachment = np.kron(np.eye(n_node)[:, [t]], motion.transform.T)
    return NodalLink(
        name=name,
        parent=p,
        mass=nodes.mass,
        freedoms=nodes.freedoms,
        displacements=nodes.displacements,
        shift=np.concatenate([rigid_shift(l) for l in nodes.positions], axis=1),
        attachment=attachment,
        motion_map=motion.motion_map,
        gravity=np.concatenate([np.zeros(3), motion.world_rotation.T @ system.gravity]),
        coriolis=nodes.coriolis,
        gyroscopic=nodes.gyroscopic,
        joint_coriolis=motion.bias,
        structural=nodes.structural,
        node_rotations=nodes.rotations,
    )


def _check_at_rest(system: System, state: State, name: str) -> None:
    """Refuse motion or deformation of a body whose mass has no known place."""
    if np.any(state.v):
        owner = system.layout.owner_v(int(np.flatnonzero(state.v)[0]))
        raise StateError(
            f"{owner} is not zero, but body {name!r} has a consistent mass matrix, which does not "
            "say where its mass is: velocity-dependent terms need lumped masses; give them, or "
            "state.replace(v=0 * state.v)"
        )
    if np.any(state.q[system.layout.modal_q(name)]):
        raise StateError(
            f"body {name!r} is deformed, but has a consistent mass matrix, which belongs to the "
            "undeformed body; give lumped masses, or set its modes to zero and give the elastic "
            "forces -stiffness @ u as nodal_forces"
        )


def _check_same_nodes(system: System, name: str, body: NodalBody) -> None:
    if not isinstance(body, NodalBody):
        raise StateError(f"nodal data of body {name!r}: expected a NodalBody, got {body!r}")
    other = system.bodies[system.layout.index(name)]
    nodes = body.positions - body.positions[body.inboard]
    same = nodes.shape == other.node_positions.shape and body.inboard == other.inboard
    if not same or not np.allclose(nodes, other.node_positions, 0.0, 1e-9 * np.abs(nodes).max()):
        raise StateError(
            f"nodal data of body {name!r}: its {body.n_node} nodes (inboard {body.inboard}) "
            f"differ from those of the body in the system, which has {len(other.node_positions)} "
            f"(inboard {other.inboard}); compile the system with the to_modal() of this body"
        )
