"""Inverse dynamics in nodal coordinates: accelerations outward, forces inward.

Source: Rodriguez, section 5; read from the right, (D 5.1) is the recursion

  A- = A+ + H* theta_ddot + c      a = B* A- + h* x_ddot + gamma      A+ = C* a of the parent   (1)
  f = m a + b - (applied forces) + sum over children C F                                       (2)
  F = B f      on the freedoms: h f - s      on the joint: H F                                  (3)

Notation as in `dynamics` and `tree`.  Differs: trees; velocity terms, applied forces and the forces
s of a deformed structure, which the paper does not have here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...bodies.nodal import NodalBody
from ...errors import StateError
from ...printing import Shown
from ...system import GROUND, StateLike, System
from .dynamics import hinge_values
from .tree import NodalTree, nodal_loads, nodal_tree, real_array

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class NodalForces(Shown):
    """Forces that given accelerations require of one body: n nodes, f nodal freedoms.

    Attributes
    ----------
    joint : array (r,)
        Generalized forces of the joint.
    freedoms : array (f,)
        Forces on the nodal freedoms, besides those of the structure.
    hinge_force : array (6,)
        F, spatial force [moment; force] on the body from its joint, in its axes at its frame.
    total : array (n, 6)
        a, accelerations of the nodes in body axes.
    """

    joint: Array
    freedoms: Array
    hinge_force: Array
    total: Array


def nodal_inverse_dynamics(
    system: System,
    state: StateLike,
    nodal: Mapping[str, NodalBody],
    acceleration: Any = None,
    *,
    freedoms: Mapping[str, Any] | None = None,
    external: Mapping[Any, Any] | None = None,
    nodal_forces: Mapping[str, Any] | None = None,
) -> dict[str, NodalForces]:
    """Forces that given accelerations of joints and nodes require.  O(N) in bodies.

    The inverse of `nodal_forward_dynamics`: with its ``joint`` and ``freedoms`` accelerations the
    joint forces are those given there, and the forces on the freedoms are zero.

    Parameters
    ----------
    system : System
        Compiled mechanism without loops, as for `nodal_forward_dynamics`.
    state : State or (q, v)
        Configuration and speeds.
    nodal : mapping
        {"body": NodalBody} for every flexible body.
    acceleration : array (n_v,) or mapping, optional
        Accelerations of the joints; not of modes.  By default zero.
    freedoms : mapping, optional
        {"body": array (n_freedom,)}: second rates of the displacements x that have mass, ``u =
        body.freedoms @ x``; by default zero.
    external : mapping, optional
        Spatial forces {"body", "body.node" or "frame": [moment; force]} in the axes of that frame.
    nodal_forces : mapping, optional
        {"body": array (n, 6)}: spatial forces on all nodes in body axes.

    Returns
    -------
    dict of NodalForces
        By name of body.

    Raises
    ------
    StateError
        As `nodal_forward_dynamics`.
    """
    tree = nodal_tree(system, state, nodal)
    loads = nodal_loads(system, tree, external, nodal_forces)
    joints = hinge_values(system, acceleration, "acceleration", "freedoms")
    forces = forces_of(tree, joints, _freedoms(system, tree, freedoms), loads)
    return dict(zip(system.names, forces, strict=True))


def forces_of(
    tree: NodalTree, joints: Sequence[Array], freedoms: Sequence[Array], loads: Sequence[Array]
) -> list[NodalForces]:
    """Forces of all bodies (1)-(3)."""
    nodes: list[Array] = []
    for link, theta_ddot, x_ddot in zip(tree.links, joints, freedoms, strict=True):
        A_plus = np.zeros(6)
        if link.parent != GROUND:
            A_plus = link.attachment.T @ nodes[link.parent]
        A_minus = A_plus + link.motion_map @ theta_ddot + link.joint_coriolis
        nodes.append(link.shift.T @ A_minus + link.freedoms @ x_ddot + link.coriolis)  # (1)
    forces: dict[int, NodalForces] = {}
    for k in reversed(range(tree.n_body)):
        link, f = tree.links[k], tree.links[k].gyroscopic - loads[k]
        f = f + link.mass @ nodes[k]
        for c in tree.children[k]:
            f = f + tree.links[c].attachment @ forces[c].hinge_force  # (2)
        F = link.shift @ f
        forces[k] = NodalForces(
            joint=link.motion_map.T @ F,  # (3)
            freedoms=link.freedoms.T @ f - link.structural,
            hinge_force=F,
            total=nodes[k].reshape(-1, 6),
        )
    return [forces[k] for k in range(tree.n_body)]


def _freedoms(system: System, tree: NodalTree, freedoms: Any) -> list[Array]:
    """Accelerations of the nodal freedoms of all bodies, checked."""
    if freedoms is not None and not isinstance(freedoms, Mapping):
        raise StateError(f'freedoms is {freedoms!r}; give a mapping {{"body": (n_freedom,)}}')
    vectors = [np.zeros(link.freedoms.shape[1]) for link in tree.links]
    for name, values in (freedoms or {}).items():
        i = system.layout.index(name)
        x = real_array(values)
        if x.shape != vectors[i].shape or not np.all(np.isfinite(x)):
            raise StateError(
                f"freedoms of body {name!r}: expected {len(vectors[i])} finite numbers, one for "
                f"each nodal freedom; got shape {x.shape}"
            )
        vectors[i] = x
    return vectors
