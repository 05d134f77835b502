"""Tension and compression along flexible bodies, and the forces they are compared with.

A model without geometric stiffness bends as if there were no axial force.  With w the transverse
deflection along the length s and N the axial force, positive in tension, it neglects
    K_G = N integral w'^T w' ds                                                      (1)
Compression is compared with Euler's load, tension with the force whose stiffening about equals the
bending stiffness of the body.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...algorithms.tree.reference import carriers
from ...bodies import NormalBody
from ...spatial.rotation import rotation_exp
from ...system import System

Array = np.ndarray

# Transverse supports of the ends of a body: root clamped, tip free; both pinned; root clamped, tip
# pinned.
FREE_TIP, PINNED, CLAMPED = range(3)
# Fraction of the length: nodes farther from the axis also move with the rotation of the section.
ON_AXIS = 1e-3
# Ratio of a cantilever's Euler load to the force of `axial_scale`: (pi^2 / 4) / 3.
CANTILEVER = math.pi**2 / 12


def axial_scale(body: NormalBody) -> tuple[float, Array]:
    """Axial force that about doubles the bending stiffness of a body, and the axis.

    The force is r/c: r is the distance of the farthest node from the joint, c the largest
    compliance of that node across this direction.  A cantilever has 3EI/L².

        C = Π_t K_m⁻¹ Π_t*                                       (2)
        N = r / max eig of C across r                            (3)

    Returns (float, array (3,)): force [N], infinite for a body that does not bend across, and the
    direction, body axes.
    """
    far, length, along = _axis(body)
    if length == 0.0 or body.stiffness.min() <= 0.0:
        return math.inf, np.zeros(3)
    shape = _across(along) @ body.node_shapes[far][3:]
    compliance = np.linalg.eigvalsh(shape / body.stiffness @ shape.T)[-1]  # (2)
    return (length / compliance if compliance > 0.0 else math.inf), along  # (3)


def euler_load(body: NormalBody, ends: int) -> float:
    """Axial force at which a body buckles [N]: K + K_G of (1) is singular in its modes."""
    far, length, along = _axis(body)
    if length == 0.0 or body.stiffness.min() <= 0.0:
        return math.inf
    order, steps = _nodes_on_axis(body)
    if len(order) < 3:
        return CANTILEVER * axial_scale(body)[0]
    across = _across(along)
    w = np.einsum("ij,njm->nim", across, body.node_shapes[order, 3:]) / np.sqrt(body.stiffness)
    slopes = np.diff(w, axis=0) / steps[:, None, None]
    tip = across @ body.node_shapes[far][3:] / np.sqrt(body.stiffness)
    if ends == PINNED:  # relative to the chord, which rotates with the tip
        slopes = slopes - tip / length
    K_G = np.einsum("n,nim,nik->mk", steps, slopes, slopes)  # (1)
    if ends == CLAMPED:  # deflections that keep the tip fixed
        _, values, rows = np.linalg.svd(tip)
        Z = rows[int(np.sum(values > 1e-9 * values.max(initial=0.0))) :].T
        K_G = Z.T @ K_G @ Z
    largest = float(np.linalg.eigvalsh(K_G)[-1]) if len(K_G) else 0.0
    return 1 / largest if largest > 0.0 else math.inf


def curvatures(body: NormalBody) -> Array:
    """Mean curvatures between the nodes on the axis, per modal coordinate, (k, 3, n_mode) [1/m].

    Zero for a body that is not a rod with nodes on a line.
    """
    order, steps = _nodes_on_axis(body)
    if len(order) < 3:
        return np.zeros((1, 3, body.n_mode))
    turns = np.diff(body.node_shapes[order, :3], axis=0) / steps[:, None, None]
    across: Array = np.einsum("ij,njm->nim", _across(_axis(body)[2]), turns)
    return across


def _nodes_on_axis(body: NormalBody) -> tuple[Array, Array]:
    """Nodes on the line from the joint to the farthest node, in order, and their distances."""
    _, length, along = _axis(body)
    places = body.node_positions @ along
    off = np.linalg.norm(body.node_positions @ _across(along), axis=1)
    order = np.argsort(places)
    order = order[off[order] <= ON_AXIS * length]
    order = order[np.diff(places[order], prepend=-math.inf) > 1e-9 * length]
    return order, np.diff(places[order])


def _axis(body: NormalBody) -> tuple[int, float, Array]:
    """Farthest node, its distance from the joint [m], and the direction to it."""
    far = int(np.argmax(np.sum(body.node_positions**2, axis=1)))
    length = float(np.linalg.norm(body.node_positions[far]))
    return far, length, body.node_positions[far] / (length or 1.0)


def _across(along: Array) -> Array:
    return np.eye(3) - np.outer(along, along)


def supports(system: System) -> list[int]:
    """End supports of each body, as far as joints and loops determine them.

    A tip is supported where a loop continues from it; a root is pinned where its joint rotates
    about a transverse axis.
    """
    in_loops: set[int] = set()
    for loop in system.loops:
        a, b = (set(carriers(system, end.body)) for end in loop.ends)
        in_loops |= a ^ b
    ends = []
    for i, (body, joint) in enumerate(zip(system.bodies, system.joints, strict=True)):
        turning = _across(_axis(body)[2]) @ joint.motion_map(joint.neutral())[:3]
        turns = bool(np.abs(turning).max(initial=0.0) > 0.1)
        if i in in_loops:
            ends.append(PINNED if turns else CLAMPED)
        else:
            ends.append(PINNED if joint.n_v == 6 else FREE_TIP)
    return ends


def axial_forces(
    system: System,
    q: Array,
    reactions: Array,
    bodies: Sequence[int],
    along: Array,
    places: Sequence[tuple[int, int]],
    wrenches: Array,
) -> Array:
    """Axial forces of bodies, from their joints or from loads, whichever is larger [N].

    `q` (n_q,): coordinates; `reactions` (n_body, 6): moments and forces of all joints, body axes;
    `along` (k, 3): their axes, in body axes; `wrenches` (n, 6): their moments and forces, node
    axes; returns (k,): positive in tension.
    """
    # a reaction against the axis is tension
    at_root = -np.sum(reactions[list(bodies), 3:] * along, axis=1)
    at_nodes = np.zeros(len(bodies))
    where = {body: k for k, body in enumerate(bodies)}
    for (body, node), wrench in zip(places, wrenches, strict=True):
        if body in where and node != system.bodies[body].inboard:
            moved = system.bodies[body].displaced(node, q[system.layout.modal_q(body)])
            at_nodes[where[body]] += rotation_exp(moved[:3]) @ wrench[3:] @ along[where[body]]
    return np.where(np.abs(at_nodes) > np.abs(at_root), at_nodes, at_root)
