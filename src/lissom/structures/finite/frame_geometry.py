"""Third order of the strain energy of frames, and the second order of the axes of their members.

The strains of an element are those of its first-order shapes, (1)-(4) of `beam_element`, with
amplitudes f.  A geometrically exact beam with these strains has its end 2 at D f + H[f, f]/2 in the
axes of end 1 (`structures/beam.py`, equations (1) and (2)), and finite rotations of the
nodes put it at d + d2[d, d]/2.  Equal poses give f to second order and the strain energy to third:

    q[d, d] = d2[d, d] - H[f, f]        V = f.D(L) f / 2 + f.q[d, d] / 2 + ...                  (1)

By the envelope theorem V is exact to third order for forces at the ends although the strains are
those of the first: it has the bow of a member under compression and the coupling of bending and
torsion.  With Q_k, the symmetric matrix of component k of q, its stress stiffness is

    T(u; Phi, Phi) = Phi^T [sum over elements and k of f_k(u) Q_k] Phi                          (2)

so that the coordinates of a straight member are its strains, as in `ls.beam`.  The mass follows the
nodes by the first-order shapes, and the second order of the axis between them,

    n(x)[d, d] = 2 t1 x D(x) f + t1 x (t1 x (x e)) + H(x)[f, f] + D(x) D(L)^-1 q[d, d]          (3)

which vanishes at both ends; t1 is the rotation of end 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .beam_element import BeamElement, lever
from .geometry import CROSS, ElementGeometry, twice_turned
from .member import Placed

Array = NDArray[np.float64]

_AXIS = np.array([1.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False)
class PlacedElement:
    """Element in its place."""

    element: BeamElement  # in its own axes
    nodes: tuple[int, int]  # its two nodes
    axes: Array  # (3, 3) columns x, y, z, body axes
    offsets: Array  # (2, 3) from the nodes to the ends [m], body axes
    bar: Placed  # member
    part: int  # number of the part of the member

    @property
    def rows(self) -> NDArray[np.intp]:
        """Freedoms of the two nodes, (12,)."""
        return np.concatenate([6 * node + np.arange(6) for node in self.nodes])

    @cached_property
    def T(self) -> Array:  # noqa: N802
        """Motions of the ends in element axes from the freedoms of the nodes, (12, 12)."""
        matrix = np.zeros((12, 12))
        R = self.axes.T
        for k, offset in enumerate(self.offsets):
            turn, move = slice(6 * k, 6 * k + 3), slice(6 * k + 3, 6 * k + 6)
            matrix[turn, turn] = matrix[move, move] = R
            matrix[move, turn] = -R @ np.einsum("kij,i->kj", CROSS, offset)
        return matrix

    def start(self, positions: Array) -> Array:
        """First end [m]."""
        return positions[self.nodes[0]] + self.offsets[0]


class _Bent:
    """Forms of the second order of one element, in the motions of its ends in element axes.

    `pose` (6, 12, 12): Q of (2), before pins and offsets; `stations` (j, 3, 12, 12): n of (3) at
    the stations of the mass, likewise.
    """

    def __init__(self, element: BeamElement) -> None:
        S = element.unpinned
        self.pose = _relative(element.length) - S.T @ _bow(element, 1.0) @ S
        within = np.linalg.solve(element.flexibility(1.0), self.pose.reshape(6, -1))
        stations = []
        for x, _ in element.points(1.0):
            D = element.flexibility(x)[3:]
            n = S.T @ _bow(element, x)[3:] @ S + (D @ within).reshape(3, 12, 12)
            one = 2 * np.einsum("kij,ja->kia", CROSS, D @ S)  # 2 t1 x D f
            n[:, :3] += one / 2
            n[:, :, :3] += one.swapaxes(1, 2) / 2
            n[:, :3, :3] += twice_turned(element.length * x * _AXIS)
            stations.append(n)
        self.stations = np.array(stations)


def _relative(length: float) -> Array:
    """d2 of (1), (6, 12, 12): -t1 x t2 and -2 t1 x (u2 - u1) + t1 x (t1 x L e)."""
    forms = np.zeros((6, 12, 12))
    turn_1, move_1, turn_2, move_2 = (slice(k, k + 3) for k in (0, 3, 6, 9))
    forms[:3, turn_1, turn_2] = -CROSS
    forms[3:, turn_1, move_2] = -2 * CROSS
    forms[3:, turn_1, move_1] = 2 * CROSS
    forms = (forms + forms.swapaxes(1, 2)) / 2
    forms[3:, turn_1, turn_1] += twice_turned(length * _AXIS)
    return forms


def _bow(element: BeamElement, end: float) -> Array:
    """H: second order of the pose at a fraction of the length in the wrench f, (6, 6, 6)."""
    forms = np.zeros((6, 6, 6))
    for x, weight in element.points(end):
        turn = element.flexibility(x)[:3]
        strain = element.compliance(x)[:, None] * lever(element.length * (1 - x))
        bend, stretch = strain[:3], strain[3:]
        across = np.einsum("kij,ia,j->ka", CROSS, bend, _AXIS)
        moved = element.length * (end - x) * across + stretch
        forms[:3] += weight * np.einsum("kij,ia,jb->kab", CROSS, turn, bend)
        forms[3:] += 2 * weight * np.einsum("kij,ia,jb->kab", CROSS, turn, moved)
    return (forms + forms.swapaxes(1, 2)) / 2


@dataclass(frozen=True, eq=False)
class FrameGeometry(ElementGeometry):
    """Stress stiffness of a frame, six freedoms a node."""

    pieces: tuple[PlacedElement, ...]  # elements
    positions: Array  # (n, 3) nodes [m]
    # masses, positions and motion; those of the elements first, four to a station
    particles: tuple[Array, Array, Any]
    # masses (k,) and arms (k, 3) of particles that are fixed to a node
    lumps: Mapping[int, tuple[Array, Array]]

    @cached_property
    def _rows(self) -> NDArray[np.intp]:
        return np.array([piece.rows for piece in self.pieces])

    @cached_property
    def _maps(self) -> Array:
        return np.array([piece.T for piece in self.pieces])

    @cached_property
    def _bent(self) -> dict[int, _Bent]:
        elements = {id(piece.element): piece.element for piece in self.pieces}
        return {key: _Bent(element) for key, element in elements.items()}

    def _pose(self, piece: PlacedElement) -> Array:
        """Q of (2) in the motions of the nodes in element axes."""
        forms = self._bent[id(piece.element)].pose
        if np.any(piece.offsets):
            forms = forms.copy()
            for k, sign in ((0, -1.0), (1, 1.0)):
                turn = slice(6 * k, 6 * k + 3)
                forms[3:, turn, turn] += sign * twice_turned(piece.axes.T @ piece.offsets[k])
        to_ends = piece.element.node_to_end
        return np.asarray(to_ends.T @ forms @ to_ends)

    def between(self, shapes: Array, u: Array) -> Array:
        """T of (2)."""
        S = np.array([piece.element.wrench for piece in self.pieces])
        Q = np.array([self._pose(piece) for piece in self.pieces])
        f = S @ (self._maps @ u[self._rows])  # (n, 6, k)
        motions = self._maps @ shapes[self._rows]
        forms = motions.swapaxes(1, 2)[:, None] @ Q @ motions[:, None]  # (n, 6, m, m)
        return np.asarray(np.tensordot(f, forms, ((0, 1), (0, 1))))

    def inside(self, shapes: Array, about: Array) -> Array:
        """Sums over the mass of (1, r) n, by (3) and for lumps on arms."""
        masses, places, _ = self.particles
        m, n = shapes.shape[1], self._in_stations
        sums, at = np.zeros((4, 3, m, m)), 0
        masses = 4 * masses[:n:4]
        r = places[:n].reshape(-1, 4, 3).mean(axis=1) - about
        fields = np.column_stack([np.ones(len(r)), r])
        for piece, phi in zip(self.pieces, self._maps @ shapes[self._rows], strict=True):
            n_of = self._bent[id(piece.element)].stations
            if np.any(piece.offsets[0]):
                n_of = n_of.copy()
                n_of[:, :, :3, :3] += twice_turned(piece.axes.T @ piece.offsets[0])
            here = slice(at, at + len(n_of))
            at += len(n_of)
            ends = piece.element.node_to_end @ phi
            moved = (piece.axes @ n_of.reshape(len(n_of), 3, 144)).reshape(-1, 3 * 144)
            forms = ((masses[here, None] * fields[here]).T @ moved).reshape(4, 3, 12, 12)
            sums += ends.T @ (forms @ ends)
        for node, (weights, arms) in self.lumps.items():
            sums += _on_arms(weights, arms, self.positions[node] - about, shapes, node)
        return sums

    def twisting(self, shapes: Array) -> NDArray[np.bool_]:
        """Shapes of which more than half of the modal mass is rotation of sections, (m,)."""
        masses, _, motion = self.particles
        n = self._in_stations
        moved = (motion @ shapes).reshape(len(masses), 3, -1)
        whole = np.einsum("n,nkm->m", masses, moved**2)
        axis = moved[:n].reshape(-1, 4, 3, shapes.shape[1]).mean(axis=1)
        on_axis = np.einsum("n,nkm->m", masses[:n].reshape(-1, 4).sum(axis=1), axis**2)
        on_axis += np.einsum("n,nkm->m", masses[n:], moved[n:] ** 2)
        return np.asarray(on_axis < 0.5 * whole)

    @property
    def _in_stations(self) -> int:
        """Number of particles of elements."""
        return sum(len(piece.element.particles[0]) for piece in self.pieces)


def _on_arms(masses: Array, arms: Array, place: Array, shapes: Array, node: int) -> Array:
    """Sums over particles of (1, r) t x (t x arm), t the rotation of their node, (4, 3, m, m)."""
    turn = shapes[6 * node : 6 * node + 3]
    sums = np.zeros((4, 3, turn.shape[1], turn.shape[1]))
    for mass, arm in zip(masses, arms, strict=True):
        bent = turn.T @ twice_turned(arm) @ turn
        sums += mass * np.multiply.outer([1.0, *(place + arm)], bent)
    return sums
