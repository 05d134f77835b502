"""Section loads of frames, at both ends of every part of a member.

The wrenches at the ends of an element with freedoms d and forces F on its particles, which move by
N d, are those of its stiffness less what the forces exert on held ends:

    K_e d - N^T F                                                                               (1)

N are the exact static shapes, so that (1) is exact for any forces at the particles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import splu

from ...bodies.balance import Balance
from ...bodies.recovery import Recovery, Stations
from .assembly import stacked
from .frame_geometry import PlacedElement

Array = NDArray[np.float64]

_ORDER = [3, 4, 5, 0, 1, 2]  # [moment; force] -> N, Q_y, Q_z, T, M_y, M_z


def frame_recovery(
    pieces: Sequence[PlacedElement],
    positions: Array,
    stiffness: Any,
    particles: tuple[Array, Array, Any],
    nodes: Mapping[str, int],
    displacements: Array,
) -> Recovery:
    """Section loads of displacements (N, m), with the tables of their equilibrium.

    `positions` (n, 3): nodes [m]; `stiffness` (N, N): stiffness; `displacements` (N, m): shapes
    that vanish at one of these, the inboard one.
    """
    ends = [(piece, x) for piece in pieces for x in (0.0, 1.0)]
    of_nodes = stacked(
        [piece.rows for piece, _ in ends],
        [piece.element.loads(x) @ piece.T for piece, x in ends],
        len(displacements),
    )
    stations = len(ends)
    distinct_nodes = list(dict.fromkeys(nodes.values()))
    inboard = min(distinct_nodes, key=lambda k: float(np.abs(displacements[_rows(k)]).max()))
    of_particles = _of_particles(pieces, len(particles[0]))
    statics = _Held(of_nodes, of_particles, stiffness, inboard)
    return Recovery(
        stations=Stations(
            positions=np.array(
                [
                    piece.start(positions) + x * piece.element.length * piece.axes[:, 0]
                    for piece, x in ends
                ]
            ),
            axes=np.array([piece.axes for piece, _ in ends]),
            members=np.array([piece.bar.number for piece, _ in ends]),
            places=np.array([(piece.part + x) * piece.element.length for piece, x in ends]),
            loads=np.asarray(of_nodes @ displacements).reshape(stations, 6, -1),
            sections=tuple(piece.element.section(x) for piece, x in ends),
            balance=Balance(
                np.array(distinct_nodes),
                statics.of_wrenches(distinct_nodes).reshape(stations, 6, len(distinct_nodes), 6),
                statics.of_mass(particles, displacements).reshape(stations, 6, -1, 3),
            ),
        )
    )


def _rows(node: int) -> NDArray[np.intp]:
    return 6 * node + np.arange(6)


def _of_particles(pieces: Sequence[PlacedElement], count: int) -> Any:
    """Second part of (1) as section loads per force on each particle, sparse (12 p, 3 k)."""
    columns, blocks, at = [], [], 0
    for piece in pieces:
        N = piece.element.particles[2]
        wrenches = -np.einsum("pke,ak->epa", N, piece.axes).reshape(12, -1)
        both = np.concatenate([-wrenches[:6][_ORDER], wrenches[6:][_ORDER]])
        columns.append(np.arange(3 * at, 3 * (at + len(N))))
        blocks.append(both)
        at += len(N)
    return stacked(columns, blocks, 3 * count)


class _Held:
    """Section loads of the frame that is held at a node, (1) of `bodies.balance`."""

    def __init__(self, of_nodes: Any, of_particles: Any, stiffness: Any, node: int) -> None:
        self.of_nodes, self.of_particles = of_nodes, of_particles
        self.free = np.setdiff1d(np.arange(stiffness.shape[0]), _rows(node))
        self.solver = splu(sparse.csc_array(stiffness[self.free][:, self.free]))

    def of_nodal(self, forces: Array) -> Array:
        """Of forces (N, k) on the nodes, (12 p, k)."""
        u = np.zeros_like(forces)
        u[self.free] = self.solver.solve(forces[self.free])
        return np.asarray(self.of_nodes @ u)

    def of_wrenches(self, nodes: Sequence[int]) -> Array:
        """Of unit moments and forces on nodes, (12 p, 6 k)."""
        forces = np.zeros((self.of_nodes.shape[1], 6 * len(nodes)))
        forces[np.concatenate([_rows(k) for k in nodes]), np.arange(6 * len(nodes))] = 1.0
        return self.of_nodal(forces)

    def of_mass(self, particles: tuple[Array, Array, Any], shapes: Array) -> Array:
        """Of unit accelerations of the mass by field and direction, (12 p, 3 (4 + 3 m))."""
        masses, places, motion = particles
        moved = np.asarray(motion @ shapes).reshape(len(masses), 3, -1)
        fields = np.column_stack(
            [np.ones(len(masses)), places, moved.swapaxes(1, 2).reshape(len(masses), -1)]
        )
        weighted = masses[:, None] * fields
        forces = np.einsum("pf,lk->plfk", weighted, np.eye(3)).reshape(3 * len(masses), -1)
        return self.of_nodal(motion.T @ forces) + np.asarray(self.of_particles @ forces)
