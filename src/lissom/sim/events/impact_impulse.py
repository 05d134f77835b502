"""Impulse of a rigid impact at one point: Newton, Poisson, Stronge, with Coulomb friction.

With p the impulse on body a, c its velocity relative to b at the point, both in axes (t, u, n), and
W the inverse of the reduced inertia (3 x 3),

  c(p) = c- + W p,    dp = (-mu e, 1) dp_n while it slips, e = c_t / |c_t|                    (1)

and p_n grows until the impact ends (Routh 1891).  With b = W_tn, W_tt the parts of W, s = |c_t|,

  ds/dp_n = e . (b - mu W_tt e),    s de/dp_n = its part across e                             (2)

so that slip turns unless e is a fixed direction of (2), as always in a plane.  Over dp_n = s dtau
both are regular where s vanishes.  Slip that has stopped

  sticks for good, dp_t = -W_tt^-1 b dp_n,  if |W_tt^-1 b| <= mu                              (3)
  else goes on along the one e with  (mu W_tt + lambda) e = b,  lambda = ds/dp_n > 0          (4)

The impact is compressed until c_n = 0, at p_c and the work w_c = int c_n dp_n < 0.  It ends where

  Poisson   p_n = (1 + e) p_c
  Stronge   w - w_c = -e^2 w_c                                                                (5)

or, where slip that turns has brought the bodies back to c_n < 0 by then, at the next c_n = 0.
Without friction both are Newton's c_n+ = -e c_n-.  Sources: E. J. Routh, Dynamics of a System of
Rigid Bodies, 1891; W. J. Stronge, Proc. R. Soc. A 431, 1990; J. A. Batlle, J. Appl. Mech. 63, 1996.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

Array = np.ndarray

_STOPPED = 1e-13  # slip, as a part of the speed before the impact, that counts as none
_STRAIGHT = 1e-14  # turning of the slip in a unit of impulse, as a part of its change of speed
_PHASES = 50
_RTOL, _ATOL = 1e-12, 1e-14
_LONGEST = 1e9  # of tau, scaled


@dataclass
class _Impact:
    """State of an impact along its normal impulse; speeds and compliances are scaled."""

    W: Array
    mu: float
    e: float
    law: str
    c: Array
    p: Array = field(default_factory=lambda: np.zeros(3))
    work: float = 0.0
    p_c: float = math.inf  # normal impulse of the compression
    work_c: float = -math.inf
    ended: bool = False
    again: bool = False  # whether slip that turns has compressed the bodies once more

    @property
    def compressed(self) -> bool:
        """Whether the compression has ended."""
        return self.p_c < math.inf

    def left(self, p_n: float, work: float) -> float:
        """What is left of the expansion: normal impulse, or work."""
        if self.law == "poisson":
            return (1 + self.e) * self.p_c - p_n
        return -(self.e**2) * self.work_c - (work - self.work_c)


def impact_impulse(W: Array, c: Array, e: float, mu: float, law: str) -> Array:
    """Impulse (3,) on body a in axes (t, u, n).

    Parameters
    ----------
    W : array (3, 3)
        Change of the relative velocity by the impulse.
    c : array (3,)
        Relative velocity before, c[2] < 0.
    e, mu : float
        Coefficients of restitution and friction.
    law : {"stronge", "poisson", "newton"}
        What ends it; "newton" without friction only.
    """
    if mu == 0.0:
        return np.array([0.0, 0.0, -(1 + e) * c[2] / W[2, 2]])
    compliance, speed = W[2, 2], float(np.linalg.norm(c))
    impact = _Impact(W / compliance, mu, e, law, c / speed)
    for _ in range(_PHASES):
        _phase(impact)
        if impact.ended:
            break
    return impact.p * (speed / compliance)


def _phase(x: _Impact) -> None:
    """Go on until the slip stops, the compression ends, or the impact."""
    slip = float(np.hypot(x.c[0], x.c[1]))
    if slip <= _STOPPED:
        x.c[:2] = 0.0
        _straight(x, _way_of_stopped(x.W, x.mu))
        return
    e = x.c[:2] / slip
    change = x.W[:2, 2] - x.mu * x.W[:2, :2] @ e
    across = -e[1] * change[0] + e[0] * change[1]
    if abs(across) <= _STRAIGHT * max(1.0, float(np.abs(x.W).max())):
        _straight(x, -x.mu * e, slip, float(e @ change))
    else:
        _curved(x, math.atan2(e[1], e[0]), slip)


def _way_of_stopped(W: Array, mu: float) -> Array:
    """Tangential impulse (2,) in a unit of normal impulse where slip has stopped: (3), (4)."""
    w, axes = np.linalg.eigh(W[:2, :2])
    b = axes.T @ W[:2, 2]
    b[w <= 1e-14 * max(1.0, w[1])] = 0.0  # directions in which nothing moves
    w = np.maximum(w, 0.0)
    held = -np.divide(b, w, out=np.zeros(2), where=b != 0)
    if np.hypot(*held) <= mu:
        return np.asarray(axes @ held)
    low, high = 0.0, float(np.hypot(*b))
    while high - low > 1e-16 * high:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        size = np.hypot(*np.divide(b, mu * w + middle))
        low, high = (middle, high) if size > 1 else (low, middle)
    e = b / (mu * w + high)
    return np.asarray(-mu * (axes @ (e / np.hypot(*e))))


def _straight(x: _Impact, way: Array, slip: float = 0.0, rate: float = 0.0) -> None:
    """A phase in which the impulse grows in one direction; slip changes at a rate."""
    d = np.array([*way, 1.0])
    rates = x.W @ d
    stops = [(math.inf, "")]
    if slip > 0 and rate < 0:
        stops.append((-slip / rate, "stopped"))
    if not x.compressed and rates[2] > 0:
        stops.append((max(0.0, -x.c[2] / rates[2]), "compressed"))
    if x.compressed:
        stops.append((_to_end(x, rates[2]), "end"))
    span, what = min(stops)
    if not span < math.inf:  # rounding alone: W would not be that of an inertia
        x.ended = True
        return
    x.work += x.c[2] * span + 0.5 * rates[2] * span**2
    x.p += span * d
    x.c += span * rates
    _note(x, what)


def _to_end(x: _Impact, rate: float) -> float:
    """Normal impulse that is left of the expansion while c_n grows at a rate."""
    left = max(0.0, x.left(x.p[2], x.work))
    if x.law == "poisson":
        return left
    root = x.c[2] ** 2 + 2 * rate * left
    if root < 0:
        return math.inf
    under = x.c[2] + math.sqrt(root)
    return 2 * left / under if under > 0 else 0.0


def _note(x: _Impact, what: str) -> None:
    """Note why a phase has ended."""
    if what == "stopped":
        x.c[:2] = 0.0
    elif what == "compressed":
        x.c[2] = 0.0
        x.p_c, x.work_c = x.p[2], x.work
        x.ended = x.again
    elif what == "end":
        x.again = bool(x.c[2] < -_STOPPED)
        x.ended = not x.again
        x.p_c = math.inf if x.again else x.p_c


def _curved(x: _Impact, angle: float, slip: float) -> None:
    """A phase of slip that turns, by (2) over tau: y = (angle, ln s, p_t, p_u, p_n, c_n, work)."""
    from scipy.integrate import solve_ivp

    W, mu, start = x.W, x.mu, math.log(_STOPPED)

    def rates(_tau: float, y: Array) -> list[float]:
        e, s = np.array([math.cos(y[0]), math.sin(y[0])]), math.exp(y[1])
        change = W[:2, 2] - mu * W[:2, :2] @ e
        turning = -e[1] * change[0] + e[0] * change[1]
        normal = W[2, 2] - mu * W[2, :2] @ e
        return [turning, e @ change, -mu * s * e[0], -mu * s * e[1], s, s * normal, s * y[5]]

    def stopped(_tau: float, y: Array) -> float:
        return y[1] - start

    def compressed(_tau: float, y: Array) -> float:
        return y[5]

    def end(_tau: float, y: Array) -> float:
        return x.left(y[4], y[6])

    second = end if x.compressed else compressed
    for event in (stopped, second):
        event.terminal = True  # type: ignore[attr-defined]
    compressed.direction = 1.0  # type: ignore[attr-defined]
    if x.compressed and end(0.0, np.array([0, 0, 0, 0, x.p[2], 0, x.work])) <= 0:
        x.ended = True
        return
    first = [angle, math.log(slip), *x.p, x.c[2], x.work]
    solution = solve_ivp(
        rates, (0.0, _LONGEST), first, "DOP853", events=(stopped, second), rtol=_RTOL, atol=_ATOL
    )
    y = solution.y[:, -1]
    s = math.exp(y[1])
    x.p, x.work = y[2:5].copy(), float(y[6])
    x.c = np.array([s * math.cos(y[0]), s * math.sin(y[0]), y[5]])
    if len(solution.t_events[0]):
        _note(x, "stopped")
    elif len(solution.t_events[1]):
        _note(x, "end" if x.compressed else "compressed")
    else:
        x.ended = True
