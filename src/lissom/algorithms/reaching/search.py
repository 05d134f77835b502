"""Coordinates that bring frames to targets: a damped Gauss-Newton iteration with loops and limits.

With y the motions of the moving coordinates relative to their sizes w, e the weighted errors of
the targets, g the gap of loops and couplings relative to the length of the system:
  e(q) + J y,   g(q) + A y,   columns of J and A times w                              (1)
  y: minimise |e + J y|^2 + mu |y|^2  where  A y = -g,  q within its limits            (2)
  merit |e|^2 / 2 + nu |g|,   nu >= 2 |lambda|,   lambda the multipliers of A y = -g   (3)
A step that lowers the merit is taken.  mu = c |e|^2, and c shrinks where the merit falls as (1)
predicts and grows where it does not: near a solution the iteration is Newton's, and quadratic;
near a singular position, or where the target is out of reach, it follows the gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...system import State, System
from ..loops.assembly_search import CLOSED, ClosingSearch
from ..tree.coordinates import error_sizes, moved
from .targets import Aim

# A least-squares step with equations and bounds, by an active set.
#
#   minimise |J y + e|^2 + mu |y|^2   where   A y = -g,   lower <= y <= upper          (1)
# With the entries of y in the working set at their bounds, and f the others:
#   A_f = U diag(s) V^T,   y_f = V_1 s^-1 U^T (-g - A_w y_w) + Z u,   Z = V_2           (2)
#   u = -W diag(t / (t^2 + mu)) T^T (J y + e at u = 0),   J_f Z = T diag(t) W^T        (3)
# and the working set is right when no multiplier pulls away from its bound,
#   r = J^T (J y + e) + mu y + A^T lambda,   r_f = 0,   r >= 0 at lower, r <= 0 at upper  (4)
# A step is cut where it meets a bound, which joins the set; one with a wrong sign leaves it.
# Source: Nocedal and Wright 2006, algorithm 16.3, with (2), (3) instead of its KKT system.

NOISE = 1e-11  # singular values below this fraction of the largest count as zero
_PULLS = 1e-12  # multiplier of a bound, relative to the gradient, that counts as zero


def bounded_step(
    J: Array, e: Array, A: Array, g: Array, mu: float, lower: Array, upper: Array
) -> tuple[Array, Array]:
    """Solution y of (1) and multipliers of its equations; the bounds must contain zero."""
    n = len(lower)
    y, at = np.zeros(n), np.zeros(n, dtype=int)  # at: -1 lower, 1 upper, 0 free
    for _ in range(4 * n + 4):
        free = at == 0
        aim = y.copy()
        aim[free], back = _free(
            J[:, free], A[:, free], _rest(J, e, y, free), _rest(A, g, y, free), mu
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            step = aim - y
            room = np.where(step > 0, (upper - y) / step, (lower - y) / step)
        room[step == 0] = np.inf
        k = int(np.argmin(room)) if n else 0
        if n and room[k] < 1:
            y = y + max(room[k], 0.0) * step
            at[k] = 1 if step[k] > 0 else -1
            y[k] = upper[k] if step[k] > 0 else lower[k]
            continue
        y = aim
        pull = J.T @ (J @ y + e) + mu * y
        multipliers = -back @ pull[free]
        pull = (pull + A.T @ multipliers) * at
        k = int(np.argmax(pull)) if n else 0
        if not n or pull[k] <= _PULLS * np.abs(J.T @ e).max(initial=0.0):
            return y, multipliers
        at[k] = 0
    return y, np.zeros(len(g))


def _rest(B: Array, b: Array, y: Array, free: Array) -> Array:
    """What B y + b is with the free entries at zero."""
    return b if np.all(free) else b + B[:, ~free] @ y[~free]


def _free(J: Array, A: Array, e: Array, g: Array, mu: float) -> tuple[Array, Array]:
    """Free entries (2), (3), and the inverse of A_f^T for multipliers."""
    if len(g):
        U, s, Vt = np.linalg.svd(A)
        rank = int(np.sum(s > NOISE * s[0])) if len(s) and s[0] > 0 else 0
        back = (U[:, :rank] / s[:rank]) @ Vt[:rank]
        y, Z = -back.T @ g, Vt[rank:].T
    else:
        back, y, Z = np.zeros((0, J.shape[1])), np.zeros(J.shape[1]), None
    T, t, Wt = np.linalg.svd(J if Z is None else J @ Z, full_matrices=False)
    significant = t > NOISE * t.max(initial=0.0)
    part = np.where(significant, t / np.where(significant, t**2 + mu, 1.0), 0.0)
    u = -Wt.T @ (part * (T.T @ (J @ y + e)))
    return y + (u if Z is None else Z @ u), back


Array = np.ndarray

LONGEST = 0.5  # longest motion of a step [rad], or relative to the size of a coordinate
MOST_STEPS = 200
REACHED = 1e-9  # relative error that counts as reached; iteration continues to rounding
ROUNDING = 16 * np.finfo(float).eps
PATIENCE = 12  # steps without gain, after which the search ends
LEAST_GAIN, LEAST_LAST_GAIN = 1e-3, 1e-13  # of the merit: in a search, in its completion


@dataclass(frozen=True, eq=False)
class Arrival:
    """End of a search."""

    q: Array  # (n_q,) coordinates
    # error, gap: weighted error of the targets and gap of loops and couplings, relative to the
    # length
    error: float
    gap: float
    # reached, closed: whether they are zero up to REACHED and CLOSED
    reached: bool
    closed: bool
    steps: int  # number of iterations


@dataclass(frozen=True, eq=False)
class CoordinateBounds:
    """Limits of coordinates whose rates are speeds; infinite where there are none."""

    q: Array  # (n_v,) coordinate of each speed; -1 for speeds without limits
    # lower, upper: (n_v,) limits
    lower: Array
    upper: Array

    def room(self, q: Array) -> tuple[Array, Array]:
        """Motions (n_v,) down to the lower and up to the upper limit."""
        at = np.where(self.q < 0, 0.0, q[self.q])
        return np.minimum(self.lower - at, 0.0), np.maximum(self.upper - at, 0.0)

    def clipped(self, q: Array) -> Array:
        """Coordinates moved to the nearest limit where they are outside."""
        new, limited = q.copy(), self.q >= 0
        new[self.q[limited]] = np.clip(q[self.q[limited]], self.lower[limited], self.upper[limited])
        return new


class ReachSearch:
    """Search for coordinates that bring frames to their targets.

    `moving` (n_v,): speeds that may move.
    """

    def __init__(
        self, system: System, aims: Sequence[Aim], moving: Array, bounds: CoordinateBounds
    ) -> None:
        self.system, self.aims, self.bounds = system, aims, bounds
        self.moving = np.flatnonzero(moving)
        self.sizes = np.where(moving, error_sizes(system)[0], 0.0)
        self.closing = ClosingSearch(system, self.sizes) if system.constraints else None

    def closed(self, q: Array) -> Array:
        """Coordinates within limits near q, with closed loops if the limits allow it."""
        q = self.bounds.clipped(q)
        return q if self.closing is None else self.closing.run(q).q

    def evaluate(self, q: Array) -> tuple[Array, Array, Array, Array, float]:
        """Errors e, J, gap g, A of (1) and their rounding error."""
        system, moving = self.system, self.moving
        state = State.trusted(system, q, np.zeros(system.n_v))
        scale = np.repeat([1.0, 1 / system.length], 3)
        e, J, far = [], [], 1.0
        for aim in self.aims:
            error, w = aim.error(system, state), aim.weights * scale
            derivative = aim.derivative(system, state, error)
            e.append(w * error)
            J.append(w[:, None] * derivative[:, moving] * self.sizes[moving])
            far = max(far, float(np.abs(aim.position).max()) / system.length)
        g, A = np.zeros(0), np.zeros((0, len(moving)))
        if self.closing:
            g, full, _ = self.closing.evaluate(q)
            A = full[:, moving]
        return np.concatenate(e), np.concatenate(J), g, A, ROUNDING * far

    def completed(self, arrival: Arrival) -> Arrival:
        """The same end, with the last digits of a target that is out of reach."""
        if arrival.reached and arrival.closed:
            return arrival
        last = self.run(arrival.q, LEAST_LAST_GAIN)
        return replace(last, steps=arrival.steps + last.steps)

    def run(self, q: Array, least: float = LEAST_GAIN) -> Arrival:
        """Coordinates near q that meet the targets, or those nearest to them."""
        q = self.bounds.clipped(q)
        e, J, g, A, floor = self.evaluate(q)
        c, nu, stalled, steps = 1e-3, 0.0, 0, 0
        while steps < MOST_STEPS and stalled < PATIENCE:
            error, gap = float(np.linalg.norm(e)), float(np.linalg.norm(g))
            if max(error, gap) <= floor:
                break
            steps += 1
            y, pulls = self.step(q, e, J, g, A, c * error**2)
            nu = max(nu, 2 * float(np.linalg.norm(pulls)))
            merit = error**2 / 2 + nu * gap
            hoped = merit - _merit(e + J @ y, g + A @ y, nu)
            new = self.taken(q, y)
            there = self.evaluate(new) if np.all(np.isfinite(new)) else None
            won = -np.inf if there is None else merit - _merit(there[0], there[2], nu)
            stalled = 0 if won > least * merit else stalled + 1
            c = _damping(c, won, hoped)
            if won > 0 and there is not None:
                q, (e, J, g, A, floor) = new, there
            elif max(error, gap) <= REACHED or hoped <= ROUNDING * merit:
                break
        error, gap = float(np.linalg.norm(e)), float(np.linalg.norm(g))
        return Arrival(q, error, gap, self.reached(q), gap <= max(CLOSED, floor), steps)

    def step(
        self, q: Array, e: Array, J: Array, g: Array, A: Array, mu: float
    ) -> tuple[Array, Array]:
        """Step (2) of limited length, and the multipliers of the loops."""
        down, up = (room[self.moving] / self.sizes[self.moving] for room in self.bounds.room(q))
        y, pulls = bounded_step(J, e, A, g, mu, down, up)
        longest = float(np.abs(y).max(initial=0.0))
        return y * min(1.0, LONGEST / max(longest, 1e-300)), pulls

    def taken(self, q: Array, y: Array) -> Array:
        """Coordinates after the step y."""
        s = np.zeros(self.system.n_v)
        s[self.moving] = self.sizes[self.moving] * y
        return self.bounds.clipped(moved(self.system, q, s))

    def reached(self, q: Array) -> bool:
        """Whether all targets are met, whatever their weights."""
        state = State.trusted(self.system, q, np.zeros(self.system.n_v))
        for aim in self.aims:
            metres, radians = aim.left(aim.error(self.system, state))
            far = max(1.0, float(np.abs(aim.position).max()) / self.system.length)
            if metres > REACHED * far * self.system.length or radians > REACHED:
                return False
        return True


def _merit(e: Array, g: Array, nu: float) -> float:
    return float(e @ e) / 2 + nu * float(np.linalg.norm(g))


def _damping(c: float, won: float, hoped: float) -> float:
    """Next c, from what a step won and what it should have won."""
    if won > 0.75 * hoped:
        return c / 10
    if won < 0.25 * hoped:
        return max(5 * c, 1e-6)
    return c
