"""Motions and forces of a system at rest with closed loops, for `equilibrium`.

With u motions of about the same energy and w the sizes of the coordinates, both without held and
driven coordinates:
  tangent Z = diag(u) N,     A Z = 0,    N orthonormal                              (1)
  loop forces: lambda that minimizes |w (r + A^T lambda)|                           (2)
u is small where something is stiff, so that N does not mix a soft motion with rounding errors of
stiff ones.
A system without loops has N = I and no lambda.  Forces of couplings do not depend on position and
do no work along (1), so their lambda is not needed.
"""

from __future__ import annotations

import numpy as np

from ..algorithms.loops.assembly import assembly_sizes
from ..algorithms.loops.assembly_search import ClosingSearch
from ..algorithms.loops.frames import closure_jacobian, closure_slices, loop_external, placed_loops
from ..algorithms.loops.redundancy import RANK
from ..algorithms.tree.coordinates import error_sizes, moved
from ..algorithms.tree.reference import External
from ..errors import SingularError, name_list
from ..system import System

Array = np.ndarray

HALVINGS = 12
# Fraction of the largest singular value below which a loop force would be disproportionate.
WEAK = 1e-7


class LoopBalance:
    """Loops of a system some of whose coordinates are fixed.

    Parameters
    ----------
    system : System
        Compiled mechanism, with loops or without.
    fixed : array (n_v,) of bool
        Speeds that are held or driven.
    motions : array (n_v,)
        Motions u of (1).
    """

    def __init__(self, system: System, fixed: Array, motions: Array) -> None:
        self.system, self.motions = system, motions
        self.size = error_sizes(system)[0]
        self.free = np.flatnonzero(~fixed)
        self.search = ClosingSearch(system, assembly_sizes(system, fixed))

    def tangent(self, q: Array) -> Array:
        """Motions Z (n_v, k) that the loops leave free (1)."""
        Z = np.zeros((self.system.n_v, len(self.free)))
        Z[self.free] = np.diag(self.motions[self.free])
        if self.system.constraints and len(self.free):
            A = self._equations(q, self.motions)
            _, values, rows = np.linalg.svd(A)
            rank = int(np.sum(values > RANK * values.max(initial=0.0)))
            Z = Z @ rows[rank:].T
        return Z

    def _equations(self, q: Array, motions: Array) -> Array:
        """Product A diag(motions), free columns."""
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

        Components that do work on the joint there are removed, so that the forces depend smoothly
        on q for any choice of the directions of a loop.
        """
        if not np.any(forces):
            return []
        loads: list[tuple[int, int, Array]] = []
        for at, force in zip(placed_loops(self.system, q), forces, strict=True):
            N = at.directions
            loads += loop_external(at, at.scale * (N @ (N.T @ force)))
        return loads

    def step(self, q: Array, s: Array) -> Array:
        """Coordinates after motions s, loops closed; s is shortened if they do not close."""
        if not self.system.constraints:
            return moved(self.system, q, s)
        for k in range(HALVINGS):
            found = self.search.descend(moved(self.system, q, s / 2**k))
            if found.closed:
                return found.q
        names = name_list(one.name for one in self.system.constraints)
        raise SingularError(
            f"no equilibrium found: the search reached a position near which the loops ({names}) "
            "cannot be closed; start elsewhere (state=)"
        )
