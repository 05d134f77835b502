"""Motions and forces of a system at rest whose loops stay closed, for `equilibrium`.

With u motions that cost about the same, w the sizes of the coordinates, those that are held or
driven left out of both:
  tangent Z = diag(u) N,     A Z = 0,    N orthonormal                              (1)
  loop forces: lambda so that w (r + A^T lambda) is smallest                        (2)
u is small where something is stiff, so that N does not mix a soft motion with rounding errors of
stiff ones.
A system without loops has N = I and no lambda.  Forces of couplings do not depend on the position
and do no work along (1): their lambda is not needed.
"""

from __future__ import annotations

import numpy as np

from ..algorithms.assembly import assembly_sizes
from ..algorithms.closing_search import ClosingSearch
from ..algorithms.coordinates import error_sizes, moved
from ..algorithms.loop_frames import (
    closure_jacobian,
    closure_slices,
    loop_external,
    placed_loops,
)
from ..algorithms.redundancy import RANK
from ..algorithms.reference import External
from ..errors import SingularError, name_list
from ..system import System

__all__ = ["LoopBalance"]

Array = np.ndarray

HALVINGS = 12
# Part of the largest singular value below which a loop force would be out of proportion.
WEAK = 1e-7


class LoopBalance:
    """Loops of a system of which some coordinates are fixed.

    Parameters
    ----------
    system : System
        Compiled mechanism, with loops or without.
    fixed : array (n_v,) of bool
        Speeds that are held or driven.
    motions : array (n_v,)
        The motions u of (1).
    """

    def __init__(self, system: System, fixed: Array, motions: Array) -> None:
        self.system, self.motions = system, motions
        self.size = error_sizes(system)[0]
        self.free = np.flatnonzero(~fixed)
        self.search = ClosingSearch(system, assembly_sizes(system, fixed))

    def tangent(self, q: Array) -> Array:
        """Z (n_v, k): motions that the loops leave free (1)."""
        Z = np.zeros((self.system.n_v, len(self.free)))
        Z[self.free] = np.diag(self.motions[self.free])
        if self.system.constraints and len(self.free):
            A = self._equations(q, self.motions)
            _, values, rows = np.linalg.svd(A)
            rank = int(np.sum(values > RANK * values.max(initial=0.0)))
            Z = Z @ rows[rank:].T
        return Z

    def _equations(self, q: Array, motions: Array) -> Array:
        """A diag(motions) of what is free."""
        A = closure_jacobian(self.system, q, placed_loops(self.system, q))
        return A[:, self.free] * motions[self.free]

    def forces(self, q: Array, r: Array) -> Array:
        """Loop forces (n_loop, 6) that balance r (2): [moment / length; force] on b, b's axes."""
        found = np.zeros((len(self.system.loops), 6))
        if not self.system.loops:
            return found
        A, wanted = self._equations(q, self.size), -self.size[self.free] * r[self.free]
        lam = np.linalg.lstsq(A.T, wanted, rcond=WEAK)[0]
        placed = placed_loops(self.system, q)
        for k, at in enumerate(placed):
            found[k] = at.directions @ lam[closure_slices(self.system)[k]]
        return found

    def external(self, q: Array, forces: Array) -> External:
        """The same loop forces at other coordinates, as forces on nodes.

        What does work on the joint there is left out, so that they depend smoothly on q however the
        directions of a loop are chosen.
        """
        if not np.any(forces):
            return []
        loads: list[tuple[int, int, Array]] = []
        for at, force in zip(placed_loops(self.system, q), forces, strict=True):
            N = at.directions
            loads += loop_external(at, at.scale * (N @ (N.T @ force)))
        return loads

    def step(self, q: Array, s: Array) -> Array:
        """Coordinates after motions s of the speeds, loops closed; shorter where they must be."""
        if not self.system.constraints:
            return moved(self.system, q, s)
        for k in range(HALVINGS):
            found = self.search.descend(moved(self.system, q, s / 2**k))
            if found.closed:
                return found.q
        names = name_list(one.name for one in self.system.constraints)
        raise SingularError(
            f"no equilibrium found: on the way to it the loops ({names}) come to a place from "
            "where they do not close; start elsewhere (state=)"
        )
