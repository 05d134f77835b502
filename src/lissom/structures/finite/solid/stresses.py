"""Stress of a solid from displacements.

  strain = sym sum_i u_i g_i^T          stress = lambda tr(strain) 1 + 2 mu strain            (1)

at the points of each element where it is most accurate (Barlow's points: for a quadratic
hexahedron those of the 2 x 2 x 2 rule), from which the polynomial through them gives it at the
nodes, averaged over the elements that meet there.
Source: Hinton & Campbell, "Local and global smoothing of discontinuous finite element functions
using a least squares method", 1974.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....bodies.recovery import Recovery, StressPoints
from .elements import Block, gradients

Array = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SolidRecovery:
    """Function of displacements (3 n, m), node by node, that returns their `Recovery`.

    Its points are nodes of the surface first, in ascending order, then the points in the elements.

    Attributes
    ----------
    positions : array (n, 3)
        Nodes [m].
    blocks : sequence of Block
        Elements.
    nodes : array (s,) of int
        Nodes at which averaged stress is wanted: those of the surface.
    names : array (n,) of int
        Numbers of the nodes in labels.
    """

    positions: Array
    blocks: Sequence[Block]
    nodes: Whole
    names: Whole

    def __call__(self, displacements: Array) -> Recovery:
        """Stresses at the points, for displacements (3 n, m) [m]."""
        u = np.asarray(displacements, dtype=float)
        u = u.reshape(len(self.positions), 3, -1)
        m = u.shape[2]
        slot = np.full(len(self.positions), -1)
        slot[self.nodes] = np.arange(len(self.nodes))
        total, count = np.zeros((len(self.nodes), 6, m)), np.zeros(len(self.nodes))
        inside, places, labels = [], [], []
        for block in self.blocks:
            for part in block.parts():
                at, s = self._in_elements(block, part, u)
                inside.append(s.reshape(-1, 6, m))
                places.append(at.reshape(-1, 3))
                labels += _labels(block, part, at.shape[1])
                own = slot[block.cells[part]]
                here = own >= 0
                values = np.tensordot(s, block.kind.to_nodes, ([1], [1]))  # (e, 6, m, n)
                np.add.at(total, own[here], values.transpose(0, 3, 1, 2)[here])
                np.add.at(count, own[here], 1)
        at_nodes = total / np.maximum(count, 1)[:, None, None]
        none = np.full(sum(map(len, places)), -1)
        points = StressPoints(
            np.concatenate([self.positions[self.nodes], *places]),
            np.concatenate([at_nodes, *inside]),
            np.concatenate([self.nodes, none]),
            (*(f"node {n}" for n in self.names[self.nodes]), *labels),
        )
        return Recovery(points)

    def _in_elements(self, block: Block, part: slice, u: Array) -> tuple[Array, Array]:
        """Positions (e, q, 3) and stresses (e, q, 6, m) at the points of elements, by (1)."""
        kind, cells = block.kind, block.cells[part]
        points, _ = kind.rule("stress")
        corners = self.positions[cells]
        g, _ = gradients(kind, points, corners)
        e, q, n, _ = g.shape
        moved = u[cells].reshape(e, n, -1)
        slope = g.transpose(0, 1, 3, 2).reshape(e, 3 * q, n) @ moved
        slope = slope.reshape(e, q, 3, 3, u.shape[2])  # derivative along a of component b
        lam, mu = block.lame
        normal = np.stack([slope[:, :, a, a] for a in range(3)], axis=2)
        shear = [slope[:, :, a, b] + slope[:, :, b, a] for a, b in ((1, 2), (2, 0), (0, 1))]
        pressure = lam * normal.sum(axis=2, keepdims=True)
        s = np.concatenate([2 * mu * normal + pressure, mu * np.stack(shear, axis=2)], axis=2)
        return kind.functions(points)[0] @ corners, s


def _labels(block: Block, part: slice, q: int) -> list[str]:
    return [f"element {e}, point {k}" for e in block.numbers[part] for k in range(q)]
