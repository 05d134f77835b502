"""Trees of finite-element bodies in nodal coordinates, at rest and undeformed.

Notation of Rodriguez, N91-22350, sections 3 and 4; bodies are numbered base to tip, so that the
paper's k+1 is the parent here, and each body has its own axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ....bodies.nodal import NodalBody
from ....errors import StateError
from ....spatial import rigid_shift
from ....spatial.scalar import array
from ....system import GROUND, State, StateLike, System
from ...tree.arguments import as_state, check_no_loops, motions_of, to_external
from ...tree.reference import BodyMotion

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class NodalLink:
    """Body of a tree, in its axes; a rigid body has no freedoms.

    Attributes
    ----------
    name : str
        Name of the body.
    parent : int
        Number of the parent, -1 for the ground.
    mass : array (6 n, 6 n)
        m_k, the free-free mass matrix of the n nodes.
    freedoms : array (6 n, f)
        h_k*: displacements of the nodes relative to the inboard node, per nodal freedom.
    shift : array (6, 6 n)
        B(k) = [phi(k, 1), ..., phi(k, N_k)]: forces on the nodes to the body's frame.
    attachment : array (6 n_parent, 6)
        C(k+1, k): a force at the body's frame to the nodes of the parent, in the parent's axes.
    motion_map : array (6, r)
        H*(k), the motions that the joint allows, in the body's axes.
    gravity : array (6,)
        [0; g] in the body's axes [m/s^2].
    """

    name: str
    parent: int
    mass: Array
    freedoms: Array
    shift: Array
    attachment: Array
    motion_map: Array
    gravity: Array

    @property
    def n_node(self) -> int:
        """Number of nodes."""
        return len(self.mass) // 6


@dataclass(frozen=True, eq=False)
class NodalTree:
    """Bodies numbered base to tip.

    Attributes
    ----------
    links : tuple of NodalLink
        Bodies, each after its parent.
    """

    links: tuple[NodalLink, ...]

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
    """Tree in nodal coordinates, with the geometry and the joints of a system in a state.

    Parameters
    ----------
    system : System
        Compiled mechanism without loops.  Of its flexible bodies only the nodes are used.
    state : State or (q, v)
        Configuration, at rest and with undeformed bodies.
    nodal : mapping
        {"body": NodalBody} for every flexible body of the system, with the same nodes.

    Returns
    -------
    NodalTree
    """
    state = as_state(system, state)
    motions = motions_of(system, state)
    _check_no_rods(system)
    check_no_loops(system, "the dynamics of nodal bodies", "forward_dynamics with modal bodies")
    _check_at_rest(system, state)
    if not isinstance(nodal, Mapping):
        raise StateError(f'nodal is {nodal!r}; give a mapping {{"body": NodalBody}}')
    for name, body in nodal.items():
        _check_same_nodes(system, name, body)
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

    Parameters
    ----------
    system : System
        Compiled mechanism.
    tree : NodalTree
        The same mechanism in nodal coordinates.
    external : mapping, optional
        Spatial forces {"body", "body.node" or "frame": [moment; force]}.
    nodal_forces : mapping, optional
        {"body": array (n, 6)}, rows [moment; force].
    """
    loads = [link.mass @ np.tile(link.gravity, link.n_node) for link in tree.links]
    for i, node, wrench in to_external(system, external):
        loads[i] = loads[i] + np.kron(np.eye(tree.links[i].n_node)[node], wrench)
    if nodal_forces is not None and not isinstance(nodal_forces, Mapping):
        raise StateError(f'nodal_forces is {nodal_forces!r}; give a mapping {{"body": (n, 6)}}')
    for name, values in (nodal_forces or {}).items():
        i = system.layout.index(name)
        given, n = _real(values), tree.links[i].n_node
        if given.shape != (n, 6) or not np.all(np.isfinite(given)):
            raise StateError(
                f"nodal_forces of body {name!r}: expected finite numbers of shape ({n}, 6), a "
                f"row [moment; force] for each node; got shape {given.shape}"
            )
        loads[i] = loads[i] + given.ravel()
    return loads


def _real(values: Any) -> Array:
    """Array of floats, empty if `values` are not real numbers."""
    try:
        given = array(values)
    except (TypeError, ValueError):
        return np.zeros(0)
    return given if given.dtype.kind == "f" else np.zeros(0)


def _link(
    system: System, motions: Sequence[BodyMotion], i: int, nodal: Mapping[str, NodalBody]
) -> NodalLink:
    name, body, motion, p = system.names[i], system.bodies[i], motions[i], int(system.parent[i])
    if name in nodal:
        mass, freedoms = nodal[name].mass_matrix, nodal[name].freedoms
        nodes = nodal[name].positions - nodal[name].positions[body.inboard]
    elif body.n_mode:
        raise StateError(
            f"body {name!r} is flexible and has no nodal data; add a NodalBody for {name!r} to "
            "nodal"
        )
    else:
        nodes, at_inboard = body.node_positions, np.eye(len(body.node_positions))[body.inboard]
        mass = np.kron(np.outer(at_inboard, at_inboard), motion.terms.M_rr)
        freedoms = np.zeros((6 * len(nodes), 0))
    if p == GROUND:
        attachment = np.zeros((0, 6))
    else:
        n_node, t = len(system.bodies[p].node_positions), int(system.parent_node[i])
        attachment = np.kron(np.eye(n_node)[:, [t]], motion.transform.T)
    return NodalLink(
        name=name,
        parent=p,
        mass=mass,
        freedoms=freedoms,
        shift=np.concatenate([rigid_shift(l) for l in nodes], axis=1),
        attachment=attachment,
        motion_map=motion.motion_map,
        gravity=np.concatenate([np.zeros(3), motion.world_rotation.T @ system.gravity]),
    )


def _check_at_rest(system: System, state: State) -> None:
    if np.any(state.v):
        owner = system.layout.owner_v(int(np.flatnonzero(state.v)[0]))
        raise StateError(
            f"{owner} is not zero; the nodal recursions omit velocity-dependent terms and support "
            "states at rest only: use forward_dynamics, or state.replace(v=0 * state.v)"
        )
    for name in system.names:
        if np.any(state.q[system.layout.modal_q(name)]):
            raise StateError(
                f"body {name!r} is deformed; the nodal recursions support undeformed bodies only: "
                "set its modes to zero and give the elastic forces -stiffness @ u as nodal_forces"
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
