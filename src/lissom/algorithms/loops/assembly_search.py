"""Coordinates that close loops: a damped Gauss-Newton iteration on the gap.

With y the motions of the free coordinates relative to their sizes w, g the gap relative to the
length of the system:
  J = A diag(w) / length = U diag(sigma) V^T                                       (1)
  y = -V diag(sigma / (sigma^2 + mu)) U^T g,    of limited length                  (2)
A is the derivative of g up to terms of the size of g, and A^T g that of g^T g / 2, so that (2)
converges quadratically near a solution, and linearly near a singular one.  A step that does not
reduce the gap is repeated with a larger mu.  Where no step reduces the gap (for a stretched chain
whose ends should meet half-way, the first derivative in that direction is zero), small
deterministic displacements are tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...system import Coupling, Loop, System
from ..tree.coordinates import error_sizes, hinge_speeds, moved
from .couplings import coupling_gaps, coupling_jacobian
from .frames import closure_gaps, closure_jacobian, placed_loops

Array = np.ndarray

LONGEST = 0.3  # longest motion of a step [rad], or relative to the size of a coordinate
MOST_STEPS = 100
CLOSED = 1e-9  # relative gap that counts as closed; iteration continues to rounding
ROUNDING = 64 * np.finfo(float).eps
NOISE = 1e-11  # singular values below this fraction of the largest count as zero
STALLED, PATIENCE = 1e-3, 8  # gain and number of steps after which the search is stuck
KICKS = (0.1, -0.1, 0.4, -0.4)  # displacements tried when the search is stuck


@dataclass(frozen=True, eq=False)
class ClosingResult:
    """Result of a search."""

    q: Array  # (n_q,) coordinates
    gap: float  # remaining gap, relative to the length of the system
    closed: bool  # whether the gap is zero up to rounding


class ClosingSearch:
    """Search for coordinates that close loops.

    `sizes` (n_v,): motions that count as equal; zero for held speeds.
    """

    def __init__(
        self,
        system: System,
        sizes: Array,
        constraints: Sequence[Loop | Coupling] | None = None,
        follows: bool = True,
    ) -> None:
        self.system, self.sizes = system, sizes
        chosen = system.constraints if constraints is None else constraints
        self.loops = [one for one in chosen if isinstance(one, Loop)]
        self.couplings = [one for one in chosen if isinstance(one, Coupling)]
        self.follows = follows
        self.near: list[Array] | None = None

    def run(self, q: Array) -> ClosingResult:
        """Coordinates near q with closed loops, or those with the smallest gap."""
        first = self.descend(self.coupled(q))
        if first.closed:
            return first
        for k, size in enumerate(KICKS):
            kick = self.kick(first.q, size, k // 2)
            if kick is None:
                break
            kicked = self.descend(moved(self.system, first.q, kick))
            if kicked.closed:
                return kicked
        return first

    def coupled(self, q: Array) -> Array:
        """Coordinates near q that satisfy all couplings, which are linear, in a single step."""
        for _ in range(2 if self.couplings else 0):  # the second time for the last digits
            J = coupling_jacobian(self.system, self.couplings) * self.sizes
            gap = coupling_gaps(self.system, q, self.couplings)
            q = moved(self.system, q, -self.sizes * np.linalg.lstsq(J, gap, rcond=NOISE)[0])
        return q

    def descend(self, q: Array) -> ClosingResult:
        """Iterate from q without extra displacements."""
        g, J, floor = self.evaluate(q)
        size, damping, stalled = float(np.linalg.norm(g)), 1e-3, 0
        for _ in range(MOST_STEPS):
            if size <= ROUNDING or not np.any(J):
                break
            new = moved(self.system, q, self.step(g, J, damping * size**2))
            size_new = np.inf  # coordinates of compound joints may be singular
            if np.all(np.isfinite(new)):
                g_new, J_new, floor_new = self.evaluate(new)
                size_new = float(np.linalg.norm(g_new))
            gain = 1 - size_new / size
            stalled = 0 if gain > STALLED else stalled + 1
            damping = damping / 10 if gain > 0 else max(10 * damping, 1e-4)
            if gain > 0:
                q, g, J, size, floor = new, g_new, J_new, size_new, floor_new
            if stalled == PATIENCE or (stalled and size <= floor):
                break
        return ClosingResult(q, size, size <= max(CLOSED, floor))

    def evaluate(self, q: Array) -> tuple[Array, Array, float]:
        """Gap, J (1) and rounding error of the gap, relative to the length."""
        length = self.system.length
        with np.errstate(all="ignore"):
            placed = placed_loops(self.system, q, self.loops, self.near)
            if self.follows and all(np.all(np.isfinite(x.coordinates)) for x in placed):
                self.near = [x.coordinates for x in placed]
            g = closure_gaps(self.system, q, placed, self.couplings) / length
            J = closure_jacobian(self.system, q, placed, self.couplings, of_gaps=True)
            J = J * self.sizes / length
        far = max((float(np.abs(x.frames[1].position).max()) for x in placed), default=0.0)
        return g, J, ROUNDING * max(1.0, far / length)

    def step(self, g: Array, J: Array, mu: float) -> Array:
        """Step of the speeds (2)."""
        U, sigma, Vt = np.linalg.svd(J, full_matrices=False)
        significant = sigma > NOISE * sigma[0]
        part = np.where(significant, sigma / np.where(significant, sigma**2 + mu, 1.0), 0.0)
        s = self.sizes * (-Vt.T @ (part * (U.T @ g)))
        longest = float(np.abs(s / error_sizes(self.system)[0]).max())
        return s * min(1.0, LONGEST / max(longest, 1e-300))

    def kick(self, q: Array, size: float, k: int) -> Array | None:
        """Displacement of coordinates that can move the ends of loops; None if there are none."""
        pattern, hinge = np.zeros(self.system.n_v), hinge_speeds(self.system)
        luck = np.random.default_rng(k)
        for kind in (
            hinge,
            ~hinge,
        ):  # hinges first, so that the kick is the same for rigid and flexible bodies
            pattern[kind] = luck.uniform(-1, 1, int(kind.sum())) * self.sizes[kind]
        J = self.evaluate(moved(self.system, q, abs(size) * pattern))[1]
        moves = np.abs(J).max(axis=0, initial=0.0) > 1e-9
        return size * pattern * moves if np.any(moves) else None
