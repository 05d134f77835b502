"""Tangents of Runge-Kutta steps of systems with loops, which are closed after each step.

The accelerations keep the loops closed, and stages are off the closed configurations by small
amounts, so that derivatives are needed in all directions, not along the free motions only:
  x(q, v, T) = x(q, v, 0) + W T      W = M^-1 - M^-1 A^T (A M^-1 A^T)^-1 A M^-1               (1)
W is found column by column, x is of second degree in v, so that its central differences are exact,
and its derivatives by q are differences of order six with spacing h, compared with order four:
  (45 (x_1 - x_-1) - 9 (x_2 - x_-2) + x_3 - x_-3) / 60 h                                      (2)
  (8 (x_1 - x_-1) - (x_2 - x_-2)) / 12 h                                                      (3)
Derivatives of loads and parameters are those of trees, through W.  The projection onto closed loops
  (q, v) -> (q', v')      v' is linear in v                                                   (4)
is differentiated in the same way.  The distance of (2) and (3) is compared with the derivatives;
where these vanish, as those by the coordinates of gears do, with the values.  The initial state
changes along the free motions,
  dq = Z dz      dv = Z du + Y dz                                                             (5)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...algorithms.tree import engine
from ...algorithms.tree.arguments import to_armature
from ...algorithms.tree.coordinates import error_sizes
from ...algorithms.tree.derivatives import forward_dynamics_derivatives
from ...errors import SimulationError, name_list
from ..integrators.tableau import Tableau
from ..run.start import at_rest
from . import charts
from .dynamics import Dynamics
from .explicit import ExplicitTangents, Stage, StageMatrices
from .steps import Steps

Array = np.ndarray

SPACINGS = (2e-3, 4e-4, 8e-5, 1.6e-5)  # of the differences, in sizes of coordinates
# Relative distance of (2) and (3): the error of (2) is far smaller, up to rounding.
ENOUGH, APART = 1e-10, 1e-6
SMALL = 1e-6  # fraction of the largest derivative below which one is not resolved
# Derivative, as a fraction of the values for a coordinate of its size, that is none: values of
# linear couplings differ by rounding alone, which has no digits to compare.
NONE = 1e-3
_SHIFTS = np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0])
_SIXTH = np.array([-1.0, 9.0, -45.0, 45.0, -9.0, 1.0]) / 60
_FOURTH = np.array([0.0, 1.0, -8.0, 8.0, -1.0, 0.0]) / 12


class ClosedTangents(ExplicitTangents):
    """Tangents of the steps of an explicit Runge-Kutta method with closed loops."""

    def __init__(self, dynamics: Dynamics, steps: Steps, tableau: Tableau) -> None:
        super().__init__(dynamics, steps, tableau)
        self.machine = at_rest(dynamics.plan, dynamics.system.neutral(), 0.0)
        self.sizes = error_sizes(dynamics.system)

    def basis(self) -> tuple[Array, tuple[int, ...]]:
        """Changes of the initial state along the free motions (5), and the independent speeds."""
        derivatives = forward_dynamics_derivatives(
            self.dynamics.system, (self.steps.q[0], self.steps.v[0])
        )
        Z, Y = derivatives.motions, derivatives.speeds
        assert Z is not None and Y is not None and derivatives.independent is not None
        return np.block([[Z, np.zeros_like(Z)], [Y, Z]]), derivatives.independent

    def _slopes(self, i: int, stage: Stage, width: int) -> Array:
        """Matrices [X_q, X_v, X_p, X_u] of stage i (1)-(3)."""
        of, n = self.dynamics, self.dynamics.system.n_v
        _, P = of.derivatives(stage.q, stage.v, stage.x, stage.acting)
        right = self._unit_forces(i, P, width)
        if stage.acting.T_q is not None:
            right[:, :, :n], right[:, :, n : 2 * n] = stage.acting.T_q, stage.acting.T_v
        self._put_integrals(stage, right)
        slopes = self._responses(stage.q) @ right
        slopes[:, :, :n] += self._by_q(stage)
        slopes[:, :, n : 2 * n] += self._by_v(stage)
        return slopes

    def _accelerations(self, Q: Array, V: Array, T: Array, prescribed: Array) -> Array:  # noqa: ARG002
        """Accelerations (k, n_v) of stages."""
        return self._near(Q, V, T)

    def _near(self, Q: Array, V: Array, T: Array, flags: int = engine.ALL) -> Array:
        """Accelerations (k, n_v), whether the loops are open or closed."""
        of, accelerations = self.dynamics, np.empty_like(V)
        work, k = engine.workspace(of.system), 0
        work.set_armature(to_armature(of.system, of.armature))
        rows = (Q.ravel(), V.ravel(), T.ravel(), accelerations.ravel())
        while k < len(Q):  # the kernel returns at each state whose loops are open, and has its x
            failed = work.accelerations(rows, False, engine.LEAST, flags, k, len(Q))
            k = failed + 1 if failed >= 0 else len(Q)
        work.set_armature(None)
        if not np.all(np.isfinite(rows[3])):
            raise SimulationError(
                f"{of.what}: accelerations near the run are not finite; use a shorter step"
            )
        return rows[3].reshape(accelerations.shape)

    def _responses(self, Q: Array) -> Array:
        """W (k, n_v, n_v), the accelerations of unit forces (1)."""
        k, n = len(Q), self.dynamics.system.n_v
        unit = np.tile(np.eye(n), (k, 1))
        responses = self._near(np.repeat(Q, n, axis=0), np.zeros((k * n, n)), unit, 0)
        return np.swapaxes(responses.reshape(k, n, n), 1, 2)

    def _by_v(self, stage: Stage) -> Array:
        """Derivatives (k, n_v, n_v) of the accelerations by speeds, at constant forces."""
        k, n = stage.v.shape
        d = np.diag(self.sizes[1])
        sides = [
            self._near(
                np.repeat(stage.q, n, axis=0),
                (stage.v[:, None] + sign * d).reshape(k * n, n),
                np.repeat(stage.acting.T, n, axis=0),
            )
            for sign in (1.0, -1.0)
        ]
        slopes = (sides[0] - sides[1]).reshape(k, n, n) / (2 * self.sizes[1][:, None])
        return np.swapaxes(slopes, 1, 2)

    def _displaced(self, Q: Array, spacing: float) -> Array:
        """Coordinates (k n 6, n_q) displaced along each speed by all shifts of (2)."""
        k, n = len(Q), self.dynamics.system.n_v
        shifts = _SHIFTS[:, None] * (spacing * np.diag(self.sizes[0]))[:, None]  # (n, 6, n)
        S = np.tile(shifts.reshape(6 * n, n), (k, 1))
        return charts.moved(self.dynamics.system, self.pieces, np.repeat(Q, 6 * n, axis=0), S)

    def _differences(self, function: Callable[[Array], Array], Q: Array) -> Array:
        """Derivatives (k, m, n_v) of a function of coordinates with m values (2), (3)."""
        k, n = len(Q), self.dynamics.system.n_v
        best, least = np.zeros(()), np.full((k, n, 1), np.inf)
        for spacing in SPACINGS:
            values = function(self._displaced(Q, spacing)).reshape(k, n, 6, -1)
            h = spacing * self.sizes[0][:, None]
            sixth, fourth = (np.einsum("s,knsm->knm", w, values) / h for w in (_SIXTH, _FOURTH))
            size = np.abs(sixth).max(axis=2, initial=1e-300, keepdims=True)  # of each direction
            size = np.maximum(size, SMALL * size.max(axis=1, keepdims=True))
            level = np.abs(values).max(axis=(1, 2, 3), initial=0.0)[:, None, None]
            size = np.maximum(size, NONE * level / self.sizes[0][:, None])
            apart = np.abs(sixth - fourth).max(axis=2, initial=0.0, keepdims=True) / size
            best, least = np.where(apart < least, sixth, best), np.minimum(apart, least)
            if np.all(least <= ENOUGH):
                break
        if np.all(least <= APART):
            return np.swapaxes(best, 1, 2)
        raise SimulationError(
            f"{self.dynamics.what}: the motion comes too close to a position in which the "
            f"equations of {self._closures()} are singular, or they are redundant only while the "
            "loops are closed; there are no derivatives there.  Leave redundant joints out, or "
            "shorten the run"
        )

    def _closures(self) -> str:
        """Loops and couplings by name."""
        system = self.dynamics.system
        return name_list([x.name for x in system.loops] + [x.name for x in system.couplings])

    def _by_q(self, stage: Stage) -> Array:
        """Derivatives (k, n_v, n_v) of the accelerations along the speeds, at constant forces."""
        V, T = (np.repeat(x, 6 * stage.v.shape[1], axis=0) for x in (stage.v, stage.acting.T))
        return self._differences(lambda Q: self._near(Q, V, T), stage.q)

    def _projected(self, Q: Array, V: Array) -> tuple[Array, Array]:
        """Coordinates and speeds with closed loops (4)."""
        q, v, machine = np.empty_like(Q), np.empty_like(V), self.machine
        for k in range(len(Q)):
            machine.q[:], machine.v[:] = Q[k], V[k]
            if machine.settle() != 0:
                raise SimulationError(
                    f"{self.dynamics.what}: {self._closures()} cannot be closed near the run; "
                    "use a shorter step"
                )
            q[k], v[k] = machine.q, machine.v
        return q, v

    def _ends(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Coordinates and speeds at the ends of steps, with closed loops."""
        return self._projected(q, v)

    def _end_changes(self, matrices: StageMatrices, change: Array) -> Array:
        """Changes at the ends of steps, with closed loops."""
        k, n = matrices.v.shape
        times, system = 6 * n, self.dynamics.system
        to, V = self._projected(matrices.q, matrices.v)[0], np.repeat(matrices.v, times, axis=0)

        def closed(Q: Array) -> Array:
            q, v = self._projected(Q, V)
            S = charts.between(system, self.pieces, np.repeat(to, times, axis=0), q)
            return np.concatenate([S, v], axis=1)

        by_q = self._differences(closed, matrices.q)
        _, by_v = self._projected(np.repeat(matrices.q, n, axis=0), np.tile(np.eye(n), (k, 1)))
        settled = change.copy()
        settled[:, : 2 * n] = by_q @ change[:, :n]
        settled[:, n : 2 * n] += np.swapaxes(by_v.reshape(k, n, n), 1, 2) @ change[:, n : 2 * n]
        return settled
