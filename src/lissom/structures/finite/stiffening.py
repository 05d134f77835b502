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
e_k and r_k e_l.  They act on the nodes by the first-order shapes, and on the second order of the
axis between them,

    n(x)[d, d] = 2 t1 x D(x) f + t1 x (t1 x (x e)) + H(x)[f, f] + D(x) D(L)^-1 q[d, d]          (4)

which vanishes at both ends; t1 is the rotation of end 1.
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


class _Bent:
    """Forms of the second order of one element, in the motions of its ends in element axes.

    Attributes
    ----------
    pose : array (6, 12, 12)
        Q of (3), before pins and offsets.
    stations : array (j, 3, 12, 12)
        n of (4) at the stations of the mass, likewise.
    """

    def __init__(self, element: BeamElement) -> None:
        S = element.unpinned
        self.pose = _relative(element.length) - S.T @ _bow(element, 1.0) @ S
        within = np.linalg.solve(element.flexibility(1.0), self.pose.reshape(6, -1))
        found = []
        for x, _ in element.points(1.0):
            D = element.flexibility(x)[3:]
            n = S.T @ _bow(element, x)[3:] @ S + (D @ within).reshape(3, 12, 12)
            one = 2 * np.einsum("kij,ja->kia", _EPSILON, D @ S)  # 2 t1 x D f
            n[:, :3] += one / 2
            n[:, :, :3] += one.swapaxes(1, 2) / 2
            n[:, :3, :3] += _twice_turned(element.length * x * _AXIS)
            found.append(n)
        self.stations = np.array(found)


def _relative(length: float) -> Array:
    """d2 of (1), (6, 12, 12): -t1 x t2 and -2 t1 x (u2 - u1) + t1 x (t1 x L e)."""
    found = np.zeros((6, 12, 12))
    turn_1, move_1, turn_2, move_2 = (slice(k, k + 3) for k in (0, 3, 6, 9))
    found[:3, turn_1, turn_2] = -_EPSILON
    found[3:, turn_1, move_2] = -2 * _EPSILON
    found[3:, turn_1, move_1] = 2 * _EPSILON
    found = (found + found.swapaxes(1, 2)) / 2
    found[3:, turn_1, turn_1] += _twice_turned(length * _AXIS)
    return found


def _twice_turned(v: Array) -> Array:
    """Symmetric forms of t x (t x v) = t (t.v) - v (t.t) in t, (3, 3, 3)."""
    one = np.einsum("ki,j->kij", np.eye(3), v)
    return (one + one.swapaxes(1, 2)) / 2 - np.einsum("k,ij->kij", v, np.eye(3))


def _bow(element: BeamElement, end: float) -> Array:
    """H: second order of the pose at a fraction of the length in the wrench f, (6, 6, 6)."""
    found = np.zeros((6, 6, 6))
    for x, weight in element.points(end):
        turn = element.flexibility(x)[:3]
        strain = element.compliance(x)[:, None] * lever(element.length * (1 - x))
        bend, stretch = strain[:3], strain[3:]
        across = np.einsum("kij,ia,j->ka", _EPSILON, bend, _AXIS)
        moved = element.length * (end - x) * across + stretch
        found[:3] += weight * np.einsum("kij,ia,jb->kab", _EPSILON, turn, bend)
        found[3:] += 2 * weight * np.einsum("kij,ia,jb->kab", _EPSILON, turn, moved)
    return (found + found.swapaxes(1, 2)) / 2


class _Geometric:
    """Second order of all pieces between given shapes."""

    def __init__(self, pieces: Sequence[Piece], shapes: Array) -> None:
        self.pieces = pieces
        self.rows = np.array([piece.rows for piece in pieces])
        self.T = np.array([piece.T for piece in pieces])
        self.S = np.array([piece.element.wrench for piece in pieces])
        self.shapes = self.T @ shapes[self.rows]
        elements = {id(piece.element): piece.element for piece in pieces}
        self.bent = {key: _Bent(element) for key, element in elements.items()}
        self.Q = np.array([self._pose(piece) for piece in pieces])

    def _pose(self, piece: Piece) -> Array:
        """Q of (3) in the motions of the nodes in element axes."""
        found = self.bent[id(piece.element)].pose
        if np.any(piece.offsets):
            found = found.copy()
            for k, sign in ((0, -1.0), (1, 1.0)):
                turn = slice(6 * k, 6 * k + 3)
                found[3:, turn, turn] += sign * _twice_turned(piece.axes.T @ piece.offsets[k])
        kept = piece.element.kept
        return np.asarray(kept.T @ found @ kept)

    def between(self, u: Array) -> Array:
        """Phi^T [sum of f_k(u) Q_k] Phi, (m, m)."""
        f = np.einsum("nki,nij,nj->nk", self.S, self.T, u[self.rows], optimize=True)
        blocks = np.einsum("nk,nkij->nij", f, self.Q)
        return np.asarray(
            np.einsum("nia,nib->ab", self.shapes, blocks @ self.shapes, optimize=True)
        )

    def within(self, masses: Array, fields: Array) -> Array:
        """Sums over the mass of (1, r) n, (4, 3, m, m); masses and fields by station."""
        m = self.shapes.shape[2]
        found, at = np.zeros((4, 3, m, m)), 0
        for piece, phi in zip(self.pieces, self.shapes, strict=True):
            n = self.bent[id(piece.element)].stations
            if np.any(piece.offsets[0]):
                n = n.copy()
                n[:, :, :3, :3] += _twice_turned(piece.axes.T @ piece.offsets[0])
            here = slice(at, at + len(n))
            at += len(n)
            ends = piece.element.kept @ phi
            moved = (piece.axes @ n.reshape(len(n), 3, 144)).reshape(-1, 3 * 144)
            forms = ((masses[here, None] * fields[here]).T @ moved).reshape(4, 3, 12, 12)
            found += ends.T @ (forms @ ends)
        return found


def second_order(
    pieces: Sequence[Piece],
    positions: Array,
    stiffness: Any,
    particles: tuple[Array, Array, Any],
    nodes: Mapping[str, int],
    lumps: Mapping[int, tuple[Array, Array]],
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
    lumps : dict
        Masses (k,) and arms (k, 3) of particles that are fixed to a node.
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
    in_stations = sum(len(piece.element.particles[0]) for piece in pieces)
    turning = _turning(in_stations, masses, motion, shapes)
    fields = np.column_stack([np.ones(len(masses)), places - positions[inboard]])
    middles = fields[:in_stations].reshape(-1, 4, 4).mean(axis=1)
    m = shapes.shape[1]
    moments = np.zeros((4, 3, m, m))
    for k in range(4):
        for direction in range(3):
            force = np.zeros((len(masses), 3))
            force[:, direction] = masses * fields[:, k]
            moments[k, direction] = of_load(motion.T @ force.ravel())
    on_axis = slice(0, in_stations, 4)
    moments += geometric.within(4 * masses[on_axis], middles)
    for node, (m_lump, arms) in lumps.items():
        moments += _on_arms(m_lump, arms, positions[node] - positions[inboard], shapes, node)
    moments = np.where(turning[:, None] | turning, 0.0, moments)
    found = {
        node: np.zeros((6, m, m))
        if node == inboard
        else np.array([of_load(_unit(len(shapes), 6 * node + k)) for k in range(6)])
        for node in nodes.values()
    }
    return SecondOrder(moments[0], moments[1:], found)


def _on_arms(masses: Array, arms: Array, place: Array, shapes: Array, node: int) -> Array:
    """Sums over particles of (1, r) t x (t x arm), t the rotation of their node, (4, 3, m, m)."""
    turn = shapes[6 * node : 6 * node + 3]
    found = np.zeros((4, 3, turn.shape[1], turn.shape[1]))
    for mass, arm in zip(masses, arms, strict=True):
        bent = turn.T @ _twice_turned(arm) @ turn
        found += mass * np.multiply.outer([1.0, *(place + arm)], bent)
    return found


def _unit(n: int, row: int) -> Array:
    """Unit load on a freedom."""
    found = np.zeros(n)
    found[row] = 1.0
    return found


def _held(nodes: Mapping[str, int], shapes: Array) -> int:
    """Named node at which the shapes vanish, the first of several."""
    moves = {node: np.abs(shapes[6 * node : 6 * node + 6]).max() for node in nodes.values()}
    found = min(moves, key=lambda node: round(moves[node] / np.abs(shapes).max(), 9))
    if moves[found] > 1e-9 * np.abs(shapes).max():
        raise ModelError(
            'frame: level "stiffened" needs shapes that vanish at the inboard interface; take '
            'method "craig-bampton" or "cantilever"'
        )
    return found


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
