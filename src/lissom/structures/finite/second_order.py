"""Second order of the deformation of a structure, from its stress stiffness.

The second order h of shapes Phi is chosen so that strains are linear in the amplitudes as nearly as
compatibility allows, which is the least of the integral of (B h + q) C (B h + q):

    K h = -T(.; Phi, Phi)                                                                       (1)

with T of `geometry`.  Then V = eta^T Phi^T K Phi eta / 2 up to third order, as level "stiffened"
assumes.  For a load f with the static deflection u (inboard interface held)

    f . h = -T(u; Phi, Phi)                                                                     (2)

Loads are unit moments and forces at interfaces and named nodes, and the mass under the twelve
acceleration fields e_k and r_k e_l.  What is tied to an interface follows its finite rotation t:

  rigid     a node at r moves by t x (t x r) / 2 beside its first order, on which the force that
            its tie transmits, f - K u, does work: T gets the sum of (K u - f) . t x (t x r)    (3)
  average   the rotation is that of the least weighted squares |r + d - R(t) r|², d the motion of a
            node less the mean; to second order, with its first order t and about the centre
            sum w (r x (r x t2) + t x (t x r) x r + 2 (t x r) x d) = 0                          (4)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...bodies.second_order import SecondOrder
from ...errors import ModelError
from .geometry import CROSS, twice_turned
from .shapes import Assembly
from .ties import Ties

if TYPE_CHECKING:
    from .structure import Structure

Array = NDArray[np.float64]

_FLAT = 1e-9  # relative moment of inertia of nodes on a line
_MOVED = 1e-9  # relative, motion of an interface that is held


def second_order(structure: Structure, assembly: Assembly, x: Array) -> SecondOrder:
    """Second order of shapes at the interfaces and named nodes, and its sums over the mass.

    `x` (N, m): displacements that vanish at the inboard interface.
    """
    geometry, ties = structure.geometry, assembly.ties
    assert geometry is not None
    motion = _motion(structure, ties, x)
    mass, at_nodes = _mass_loads(structure, ties.positions[0]), _node_loads(structure)
    of_ties = assembly.unit_loads(ties.names[1:])
    on_nodes = np.hstack([mass, np.zeros((len(x), of_ties.shape[1])), at_nodes])
    loads = ties.T.T @ on_nodes
    loads[:, 12 : 12 + of_ties.shape[1]] = of_ties
    u = ties.T @ assembly.inboard_held(loads)
    forms = -geometry.of_loads(x, u, (*ties.names[1:], *structure.node_names))
    forms -= _of_rigid_ties(structure, ties, motion, structure.stiffness @ u - on_nodes)
    m = x.shape[1]
    moments = forms[:12].reshape(4, 3, m, m) + geometry.inside(x, ties.positions[0])
    twisting = geometry.twisting(x)
    moments = np.where(twisting[:, None] != twisting, 0.0, moments)
    nodes = np.concatenate([np.zeros((6, m, m)), forms[12:]]).reshape(-1, 6, m, m)
    for k, name in enumerate(ties.names):
        if structure.interfaces[name].tie == "average":
            nodes[k] += _of_average(structure, name, motion[k], x)
    return SecondOrder(moments[0], moments[1:], dict(enumerate(nodes)))


def _motion(structure: Structure, ties: Ties, x: Array) -> Array:
    """Motion of the interfaces by the shapes, (k, 6, m)."""
    z = ties.T.T @ x
    for start in range(0, ties.n_own, 6):
        part = slice(start, start + 6)
        T = ties.T[:, part].toarray()
        z[part] = np.linalg.solve(T.T @ T, z[part])
    motion: Array = (ties.B @ z).reshape(len(ties.names), 6, -1)
    size = np.ptp(structure.positions, axis=0).max()
    moved = np.abs(motion[0] * np.repeat([size, 1.0], 3)[:, None]).max(initial=0.0)
    if moved > _MOVED * np.abs(x).max(initial=1e-300):
        raise ModelError(
            f"{structure.name}: the second order needs shapes that vanish at the inboard "
            'interface; take method "craig-bampton" or "cantilever"'
        )
    return motion


def _mass_loads(structure: Structure, about: Array) -> Array:
    """Loads (N, 12) of the mass in the fields e_l, x e_l, y e_l, z e_l, r from a point."""
    if structure.particles is not None:
        masses, places, motion = structure.particles
        fields = np.column_stack([np.ones(len(masses)), places - about])
        loads = np.einsum("p,pk,jl->pjkl", masses, fields, np.eye(3))
        return np.asarray(motion.T @ loads.reshape(-1, 12))
    node, direction = structure.freedoms.T
    fields = np.column_stack([np.ones(len(node)), structure.positions[node] - about])
    unit_fields = np.zeros((len(node), 4, 3))
    for j in range(3):
        along, about_j = direction == 3 + j, direction == j
        unit_fields[along, :, j] = fields[along]
        unit_fields[about_j, 1:] = CROSS[j] / 2  # rotation of the field, half its curl
    return np.asarray(structure.mass @ unit_fields.reshape(len(node), 12))


def _node_loads(structure: Structure) -> Array:
    """Unit loads (N, 6 k) on the freedoms of the named nodes."""
    rows = [row for node in structure.node_names.values() for row in structure.rows(int(node))]
    loads = np.zeros((structure.n_freedom, len(rows)))
    loads[rows, np.arange(len(rows))] = 1.0
    return loads


def _of_rigid_ties(structure: Structure, ties: Ties, motion: Array, force: Array) -> Array:
    """Sum of (3) for forces K u - f (N, k), array (k, m, m)."""
    m, k = motion.shape[2], force.shape[1]
    forms = np.zeros((k, m, m))
    for name, (turn, _) in zip(ties.names, motion.reshape(-1, 2, 3, m), strict=True):
        interface = structure.interfaces[name]
        if interface.tie != "rigid":
            continue
        node, direction = structure.freedoms.T
        lever = np.zeros((k, 3, 3))  # sum of force times position
        for j in range(3):
            rows = np.flatnonzero(np.isin(node, interface.nodes) & (direction == 3 + j))
            lever[:, j] = force[rows].T @ (structure.positions[node[rows]] - interface.position)
        inner = (lever + lever.swapaxes(1, 2)) / 2
        inner -= np.trace(lever, axis1=1, axis2=2)[:, None, None] * np.eye(3)
        forms += turn.T @ inner @ turn
    return forms


def _of_average(structure: Structure, name: str, motion: Array, x: Array) -> Array:
    """Second order of an average beyond the average of the second order, by (4), (6, m, m)."""
    interface, m = structure.interfaces[name], x.shape[1]
    nodes = np.asarray(interface.nodes)
    weights = np.ones(len(nodes)) if interface.weights is None else np.asarray(interface.weights)
    w = weights / weights.sum()
    u = np.zeros((structure.n_node, 6, m))
    u[structure.freedoms[:, 0], structure.freedoms[:, 1]] = x
    d = u[nodes, 3:]
    d = d - np.einsum("n,nka->ka", w, d)
    centre = w @ structure.positions[nodes]
    r, turn = structure.positions[nodes] - centre, motion[:3]
    L = (w[:, None] * r).T @ r
    inertia = np.trace(L) * np.eye(3) - L
    # (t x (t x r)) x r = (t x r) (t.r), summed: t x (L t);  2 (t x r) x d
    twice = np.einsum("kij,jl,ia,lb->kab", CROSS, L, turn, turn, optimize=True)
    swung = np.einsum("jpi,pa,ni->nja", CROSS, turn, r, optimize=True)
    twice = twice + 2 * np.einsum("kij,n,nia,njb->kab", CROSS, w, swung, d, optimize=True)
    twice = (twice + twice.swapaxes(1, 2)) / 2
    # of nodes on a line, whose rotation about it is the mean of theirs, nothing is added to that
    rho = np.tensordot(np.linalg.pinv(inertia, _FLAT, hermitian=True), twice, 1)
    arm = np.asarray(interface.position) - centre
    moved = np.einsum("kij,iab,j->kab", CROSS, rho, arm)
    moved += turn.T @ twice_turned(arm) @ turn
    return np.concatenate([rho, moved])
