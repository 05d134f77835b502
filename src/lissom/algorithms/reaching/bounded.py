"""A least-squares step with equations and bounds, by an active set.

  minimise |J y + e|^2 + mu |y|^2   where   A y = -g,   lower <= y <= upper          (1)
With the entries of y in the working set at their bounds, and f the others:
  A_f = U diag(s) V^T,   y_f = V_1 s^-1 U^T (-g - A_w y_w) + Z u,   Z = V_2           (2)
  u = -W diag(t / (t^2 + mu)) T^T (J y + e at u = 0),   J_f Z = T diag(t) W^T        (3)
and the working set is right when no multiplier pulls away from its bound,
  r = J^T (J y + e) + mu y + A^T lambda,   r_f = 0,   r >= 0 at lower, r <= 0 at upper  (4)
A step is cut where it meets a bound, which joins the set; one with a wrong sign leaves it.
Source: Nocedal and Wright 2006, algorithm 16.3, with (2), (3) instead of its KKT system.
"""

from __future__ import annotations

import numpy as np

Array = np.ndarray

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
    kept = t > NOISE * t.max(initial=0.0)
    part = np.where(kept, t / np.where(kept, t**2 + mu, 1.0), 0.0)
    u = -Wt.T @ (part * (T.T @ (J @ y + e)))
    return y + (u if Z is None else Z @ u), back
