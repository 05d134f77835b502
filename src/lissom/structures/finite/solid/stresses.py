"""Stress of a solid from displacements.

  strain = sym sum_i u_i g_i^T          stress = lambda tr(strain) 1 + 2 mu strain            (1)

at the points of each element where it is most accurate (Barlow's points: for a quadratic
hexahedron those of the 2 x 2 x 2 rule), from which the polynomial through them gives it at the
nodes, averaged over the elements of one material that meet there.
Source: Hinton & Campbell, "Local and global smoothing of discontinuous finite element functions
using a least squares method", 1974.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....bodies.recovery import Recovery, StressPoints
from .elements import ElementBlock, gradients

Array = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SolidRecovery:
    """Function of displacements (3 n, m), node by node, that returns their `Recovery`.

    Its points are nodes of the surface first, in ascending order, once for each material that meets
    there, then the points in the elements.
    """

    positions: Array  # (n, 3) nodes [m]
    blocks: Sequence[ElementBlock]  # elements
    nodes: Whole  # (s,) nodes at which averaged stress is wanted: those of the surface
    names: Whole  # (n,) numbers of the nodes in labels

    def __call__(self, displacements: Array) -> Recovery:
        """Stresses at the points, for displacements (3 n, m) [m]."""
        u = np.asarray(displacements, dtype=float)
        u = u.reshape(len(self.positions), 3, -1)
        m = u.shape[2]
        names, kinds = self._materials
        nodes, node_kind = np.nonzero(self._used(kinds))
        slot = np.full((len(self.positions), len(names)), -1)
        slot[nodes, node_kind] = np.arange(len(nodes))
        total, count = np.zeros((len(nodes), 6, m)), np.zeros(len(nodes))
        inside, places, labels, elastic = [], [], [], [np.array(list(names))[node_kind]]
        for block, kind in zip(self.blocks, kinds, strict=True):
            for part in block.parts():
                at, s = self._in_elements(block, part, u)
                inside.append(s.reshape(-1, 6, m))
                places.append(at.reshape(-1, 3))
                labels += _labels(block, part, at.shape[1])
                elastic.append(np.tile(_elasticity(block), (len(places[-1]), 1)))
                slots = slot[block.cells[part], kind]
                here = slots >= 0
                values = np.tensordot(s, block.kind.to_nodes, ([1], [1]))  # (e, 6, m, n)
                np.add.at(total, slots[here], values.transpose(0, 3, 1, 2)[here])
                np.add.at(count, slots[here], 1)
        at_nodes = total / np.maximum(count, 1)[:, None, None]
        none = np.full(sum(map(len, places)), -1)
        points = StressPoints(
            np.concatenate([self.positions[nodes], *places]),
            np.concatenate([at_nodes, *inside]),
            np.concatenate([nodes, none]),
            (*self._node_labels(nodes, [list(names.values())[k] for k in node_kind]), *labels),
            np.concatenate(elastic),
        )
        return Recovery(points)

    @property
    def _materials(self) -> tuple[dict[tuple[float, float], str], list[int]]:
        """Materials that differ in elasticity, with their names; and the number of each block's."""
        names = {_elasticity(block): block.material.name or "unnamed" for block in self.blocks}
        order = list(names)
        return names, [order.index(_elasticity(block)) for block in self.blocks]

    def _used(self, kinds: Sequence[int]) -> NDArray[np.bool_]:
        """Whether a node of the surface (row) has elements of a material (column)."""
        has_material = np.zeros((len(self.positions), max(kinds) + 1), dtype=bool)
        for block, kind in zip(self.blocks, kinds, strict=True):
            has_material[block.cells, kind] = True
        on_surface = np.zeros(len(self.positions), dtype=bool)
        on_surface[self.nodes] = True
        return np.asarray(has_material & on_surface[:, None])

    def _node_labels(self, nodes: Whole, materials: Sequence[str]) -> list[str]:
        """Numbers of nodes, with the material where several meet."""
        several = np.bincount(nodes, minlength=1)[nodes] > 1
        return [
            f"node {self.names[n]}" + (f", {material}" if more else "")
            for n, material, more in zip(nodes, materials, several, strict=True)
        ]

    def _in_elements(self, block: ElementBlock, part: slice, u: Array) -> tuple[Array, Array]:
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


def _elasticity(block: ElementBlock) -> tuple[float, float]:
    return block.material.youngs_modulus, block.material.poisson_ratio


def _labels(block: ElementBlock, part: slice, q: int) -> list[str]:
    return [f"element {e}, point {k}" for e in block.numbers[part] for k in range(q)]
