"""The body space, n_mode + 6 entries for each body, and the vectors of the equations of motion."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from ...spatial import block_diagonal
from ...system import System
from ..tree.reference import BodyMotion, coriolis_acceleration
from .algebra import Label
from .blocks import BlockDiagonal
from .nodal_terms import NodalTerms, nodal_terms

Array = np.ndarray

BLOCKS = "O(N) small blocks"


def slices(sizes: Sequence[int]) -> list[slice]:
    """Places of pieces of given sizes in a stacked vector."""
    return [slice(a, b) for a, b in pairwise(int(e) for e in np.cumsum([0, *sizes]))]


class BodySpace:
    """Vectors of a state on the body space (A 42), (A 57); base of `Operators`.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    motions : sequence of BodyMotion
        Kinematics of the state.
    """

    def __init__(self, system: System, motions: Sequence[BodyMotion]) -> None:
        self.system = system
        self._motions = motions
        numbers = (x for m in motions for x in (m.eta, m.eta_dot, m.transform, m.velocity))
        self.dtype = np.result_type(float, *numbers)
        self._bodies = slices([body.n_mode + 6 for body in system.bodies])
        self._spatial = [slice(body.stop - 6, body.stop) for body in self._bodies]
        self._modes = slices([body.n_mode for body in system.bodies])
        self._hinges = slices([motion.motion_map.shape[1] for motion in motions])
        self._frames = slices([6] * system.n_body)
        self._nodes = slices([6 * len(nodes) for nodes in system.outboard_nodes])

    @cached_property
    def a_m(self) -> Array:
        """Coriolis accelerations a_m (A 25); those of base bodies include -gravity."""
        pieces = []
        for i, motion in enumerate(self._motions):
            coriolis = coriolis_acceleration(self.system, self._motions, i)
            pieces += [np.zeros(len(motion.eta)), coriolis]
        return np.concatenate(pieces)

    @cached_property
    def b_m(self) -> Array:
        """Gyroscopic forces b_m (A 37)."""
        terms = [motion.terms for motion in self._motions]
        return np.concatenate([x for t in terms for x in (t.b_f, t.b_r)])

    @cached_property
    def K_m(self) -> BlockDiagonal:
        """Stiffness of the modes on the body space, blocks [K 0; 0 0] (A 38)."""
        stiffness = [np.diag(body.stiffness) for body in self.system.bodies]
        return self._on_bodies("K_m", [block_diagonal(K, np.zeros((6, 6))) for K in stiffness])

    @cached_property
    def C_m(self) -> BlockDiagonal:
        """Damping of the modes on the body space, blocks [C 0; 0 0]; not in the paper."""
        damping = [body.damping for body in self.system.bodies]
        return self._on_bodies("C_m", [block_diagonal(C, np.zeros((6, 6))) for C in damping])

    @cached_property
    def elastic(self) -> Array:
        """Elastic and damping forces, K_m theta of (A 38) with C_m V_m added."""
        pieces = []
        for body, motion in zip(self.system.bodies, self._motions, strict=True):
            pieces += [body.stiffness * motion.eta + body.damping @ motion.eta_dot, np.zeros(6)]
        return np.concatenate(pieces)

    @cached_property
    def V_m(self) -> Array:
        """Modal velocities [eta_dot; V] of the bodies, Phi* H* v (A 11), (A 20)."""
        return np.concatenate([x for m in self._motions for x in (m.eta_dot, m.velocity)])

    def nodal_terms(self, body: str) -> NodalTerms:
        """Motion of all nodes of a flexible body, (A 21), (A 22), (A 27), (A 28) and (A 31).

        Parameters
        ----------
        body : str
            Name of a body with modes at level "full".
        """
        i = self.system.layout.index(body)
        return nodal_terms(self.system, self._motions[i], i)

    def by_body(self, x: Array) -> list[Array]:
        """Pieces of a vector of the body space, one for each body.

        Parameters
        ----------
        x : array
            Vector of the body space.
        """
        return [x[piece] for piece in self._bodies]

    def _label(self, name: str, cost: str) -> Label:
        return Label(name, cost, self)

    def _diagonal(
        self, name: str, blocks: Sequence[Array], rows: Sequence[slice], columns: Sequence[slice]
    ) -> BlockDiagonal:
        return BlockDiagonal(self._label(name, BLOCKS), blocks, rows, columns)

    def _on_bodies(self, name: str, blocks: Sequence[Array]) -> BlockDiagonal:
        return BlockDiagonal(self._label(name, BLOCKS), blocks, self._bodies, self._bodies)
