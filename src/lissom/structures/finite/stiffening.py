"""Second order of the deformation of frames, from the geometric stiffness of their elements.

The strains of an element are those of its first-order shapes, (1)-(4) of `beam_element`, with
amplitudes f.  A geometrically exact beam with these strains has its end 2 at D f + H[f, f]/2 in the
axes of end 1 (`structures/second_order.py`, equations (1) and (2)), and finite rotations of the
nodes put it at d + d2[d, d]/2.  Equal poses give f to second order and the strain energy to third:

    q[d, d] = d2[d, d] - H[f, f]        V = f.D(L) f / 2 + f.q[d, d] / 2 + ...                  (1)

By the envelope theorem V is exact to third order for forces at the ends although the strains are
those of the first: it has the bow of a member under compression and the coupling of bending and
torsion.  The second order h of shapes Phi is chosen so that strains are linear in the amplitudes as
nearly as compatibility allows, which is the least of sum (S h + D^-1 q)^T D (S h + D^-1 q):

    K h = - sum of S^T q[Phi, Phi]                                                              (2)

Then V = eta^T Phi^T K Phi eta / 2 up to third order, as level "stiffened" assumes, and the
coordinates of a straight member are its strains, as in `ls.beam`.  For a load with the static
deflection u (inboard interface held) and Q_k, the symmetric matrix of component k of q,

    load . h = -Phi^T [sum over elements and k of f_k(u) Q_k] Phi                               (3)

Loads are unit forces and moments at named nodes, and the mass under the twelve acceleration fields
e_k and r_k e_l, applied to the nodes by the first-order shapes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

from ...bodies.second_order import SecondOrder
from ...errors import ModelError
from .beam_element import BeamElement, lever
from .member import Placed

Array = NDArray[np.float64]

_AXIS = np.array([1.0, 0.0, 0.0])
_EPSILON = np.zeros((3, 3, 3))  # (a x b)_k = sum of _EPSILON[k, i, j] a_i b_j
for _k, _i, _j in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    _EPSILON[_k, _i, _j], _EPSILON[_k, _j, _i] = 1.0, -1.0


@dataclass(frozen=True, eq=False)
class Piece:
    """Element in its place.

    Attributes
    ----------
    element : BeamElement
        In its own axes.
    nodes : tuple of int
        Its two nodes.
    axes : array (3, 3)
        Columns x, y, z, body axes.
    offsets : array (2, 3)
        From the nodes to the ends [m], body axes.
    bar : Placed
        Member.
    part : int
        Number of the part of the member.
    """

    element: BeamElement
    nodes: tuple[int, int]
    axes: Array
    offsets: Array
    bar: Placed
    part: int

    @property
    def rows(self) -> NDArray[np.intp]:
        """Freedoms of the two nodes, (12,)."""
        return np.concatenate([6 * node + np.arange(6) for node in self.nodes])

    @cached_property
    def T(self) -> Array:  # noqa: N802
        """Motions of the ends in element axes from the freedoms of the nodes, (12, 12)."""
        found = np.zeros((12, 12))
        R = self.axes.T
        for k, offset in enumerate(self.offsets):
            turn, move = slice(6 * k, 6 * k + 3), slice(6 * k + 3, 6 * k + 6)
            found[turn, turn] = found[move, move] = R
            found[move, turn] = -R @ np.einsum("kij,i->kj", _EPSILON, offset)
        return found

    def start(self, positions: Array) -> Array:
        """First end [m]."""
        return positions[self.nodes[0]] + self.offsets[0]

    @property
    def forms(self) -> Array:
        """Q of (3) in the nodes' motions in element axes, (6, 12, 12)."""
        found = _forms(self.element)
        if np.any(self.offsets):
            found = found.copy()
            for k, sign in ((0, -1.0), (1, 1.0)):
                turn = slice(6 * k, 6 * k + 3)
                found[3:, turn, turn] += sign * _twice_turned(self.axes.T @ self.offsets[k])
        kept = self.element.kept
        return np.asarray(kept.T @ found @ kept)


def _twice_turned(v: Array) -> Array:
    """Symmetric forms of t x (t x v) = t (t.v) - v (t.t) in t, (3, 3, 3)."""
    one = np.einsum("ki,j->kij", np.eye(3), v)
    return (one + one.swapaxes(1, 2)) / 2 - np.einsum("k,ij->kij", v, np.eye(3))


def _forms(element: BeamElement) -> Array:
    """d2 - H of (1), before pins and offsets, (6, 12, 12)."""
    found = np.zeros((6, 12, 12))
    turn_1, move_1, turn_2, move_2 = (slice(k, k + 3) for k in (0, 3, 6, 9))
    found[:3, turn_1, turn_2] = -_EPSILON  # rotation: -t1 x t2
    found[3:, turn_1, move_2] = -2 * _EPSILON  # translation: -2 t1 x (u2 - u1) + t1 x (t1 x L e)
    found[3:, turn_1, move_1] = 2 * _EPSILON
    found = (found + found.swapaxes(1, 2)) / 2
    found[3:, turn_1, turn_1] += _twice_turned(element.length * _AXIS)
    S = element.unpinned
    return np.asarray(found - S.T @ _bow(element) @ S)


def _bow(element: BeamElement) -> Array:
    """H: second order of the pose of end 2 in the wrench f there, (6, 6, 6)."""
    found = np.zeros((6, 6, 6))
    for x, weight in element.points(1.0):
        turn = element.flexibility(x)[:3]
        strain = element.compliance(x)[:, None] * lever(element.length * (1 - x))
        bend, stretch = strain[:3], strain[3:]
        across = np.einsum("kij,ia,j->ka", _EPSILON, bend, _AXIS)
        ahead = element.length * (1 - x)
        found[:3] += weight * np.einsum("kij,ia,jb->kab", _EPSILON, turn, bend)
        found[3:] += (
            2 * weight * np.einsum("kij,ia,jb->kab", _EPSILON, turn, ahead * across + stretch)
        )
    return (found + found.swapaxes(1, 2)) / 2


class _Geometric:
    """Geometric stiffness of all pieces between given shapes, the bracket of (3)."""

    def __init__(self, pieces: Sequence[Piece], shapes: Array) -> None:
        self.rows = np.array([piece.rows for piece in pieces])
        self.T = np.array([piece.T for piece in pieces])
        self.S = np.array([piece.element.wrench for piece in pieces])
        self.Q = np.array([piece.forms for piece in pieces])
        self.shapes = self.T @ shapes[self.rows]

    def between(self, u: Array) -> Array:
        """Phi^T [sum of f_k(u) Q_k] Phi, (m, m)."""
        f = np.einsum("nki,nij,nj->nk", self.S, self.T, u[self.rows], optimize=True)
        blocks = np.einsum("nk,nkij->nij", f, self.Q)
        return np.asarray(
            np.einsum("nia,nib->ab", self.shapes, blocks @ self.shapes, optimize=True)
        )


def second_order(
    pieces: Sequence[Piece],
    positions: Array,
    stiffness: Any,
    particles: tuple[Array, Array, Any],
    nodes: Mapping[str, int],
    shapes: Array,
    inboard: int | None = None,
) -> SecondOrder:
    """Second order of a frame at its named nodes, and its sums over the mass, by (3).

    Shapes that mostly turn their sections (torsion of a straight member) are left out of the sums
    over the mass, as in `ls.beam`; the named nodes have them.

    Parameters
    ----------
    pieces : sequence of Piece
        Elements.
    positions : array (n, 3)
        Nodes [m].
    stiffness : sparse array (N, N)
        Stiffness.
    particles : tuple
        Masses, positions and motion.
    nodes : dict
        Named nodes.
    shapes : array (N, m)
        Displacements that vanish at the inboard node.
    inboard : int, optional
        Inboard node; by default the first named one at which all shapes vanish.
    """
    if inboard is None:
        inboard = _held(nodes, shapes)
    free = np.setdiff1d(np.arange(len(shapes)), 6 * inboard + np.arange(6))
    solver = splu(stiffness[free][:, free].tocsc())
    geometric = _Geometric(pieces, shapes)

    def of_load(load: Array) -> Array:
        u = np.zeros(len(shapes))
        u[free] = solver.solve(load[free])
        return -geometric.between(u)

    masses, places, motion = particles
    in_stations = sum(4 * len(piece.element.points(1.0)) for piece in pieces)
    turning = _turning(in_stations, masses, motion, shapes)
    fields = np.column_stack([np.ones(len(masses)), places - positions[inboard]])
    m = shapes.shape[1]
    moments = np.zeros((4, 3, m, m))
    for k in range(4):
        for direction in range(3):
            force = np.zeros((len(masses), 3))
            force[:, direction] = masses * fields[:, k]
            moments[k, direction] = of_load(motion.T @ force.ravel())
    moments = np.where(turning[:, None] | turning, 0.0, moments)
    unit = np.eye(len(shapes))
    found = {
        node: np.zeros((6, m, m))
        if node == inboard
        else np.array([of_load(unit[6 * node + k]) for k in range(6)])
        for node in nodes.values()
    }
    return SecondOrder(moments[0], moments[1:], found)


def _held(nodes: Mapping[str, int], shapes: Array) -> int:
    """First named node at which all shapes vanish."""
    for node in nodes.values():
        if not np.any(shapes[6 * node : 6 * node + 6]):
            return node
    raise ModelError(
        'frame: level "stiffened" needs shapes that vanish at the inboard interface; take method '
        '"craig-bampton" or "cantilever"'
    )


def _turning(n: int, masses: Array, motion: Any, shapes: Array) -> NDArray[np.bool_]:
    """Whether more than half of a shape's modal mass is rotation of sections, (m,).

    The first n particles are those of stations, four around the axis, whose motion is their mean.
    """
    moved = (motion @ shapes).reshape(len(masses), 3, -1)
    whole = np.einsum("n,nkm->m", masses, moved**2)
    axis = moved[:n].reshape(-1, 4, 3, shapes.shape[1]).mean(axis=1)
    on_axis = np.einsum("n,nkm->m", masses[:n].reshape(-1, 4).sum(axis=1), axis**2)
    on_axis += np.einsum("n,nkm->m", masses[n:], moved[n:] ** 2)
    return on_axis < 0.5 * whole
