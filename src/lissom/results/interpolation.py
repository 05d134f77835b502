"""Interpolation of states between the rows of a trajectory.

In each interval every joint has local coordinates s about the left row, where s = 0.  Their values,
first and second derivatives at both ends, from q, v and dv/dt of the two rows, determine a
polynomial of degree five; q, v and dv/dt at an instant are those of the polynomial, so that v is
exactly the rate of q.

  quaternions   q(t) = q0 exp(s),  omega = J_r(s) ds/dt,  domega/dt = J_r s'' + (dJ_r/dt) s'   (1)
  free          position p in inboard axes:  v = R* p',  dv/dt = R* p'' - omega x v            (2)
  simple, compound, own with quasi-speeds  q itself:  q' = N v,  q'' = N dv/dt + (dN/dt) v     (3)
  all others, modes  q itself:  q' = v                                                         (4)

In (3) there may be more coordinates than speeds; v is then the least-squares solution.

Where the motion is smooth the error is O(h^6) in q, O(h^5) in v, O(h^4) in dv/dt.  A joint must
turn by less than about five radians in an interval.  Applied forces, loads and forces of loops may
not be smooth, and are interpolated linearly.  Every joint is interpolated separately, so that
between rows loops are violated by the errors of q and v.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..errors import SingularError, StateError
from ..joints import Joint
from ..spatial.many_rotations import (
    cross,
    exponential,
    jacobian,
    jacobian_rate,
    over_jacobian,
    product,
    rotated,
    rotation_vector,
    unit,
)
from ..system import System
from .store import Columns, Store, block_size

Array = np.ndarray

_STEP = 1e-30  # complex step for the derivative of rate maps
_SPACING = 1e-3  # change of coordinates in differences of rate maps of own joints
_SINGULAR = 1e12  # larger entries of a rate map indicate singular coordinates


class MotionSamples(NamedTuple):
    """Coordinates, speeds and accelerations, or local coordinates and two derivatives, (n, k)."""

    q: Array
    v: Array
    a: Array

    def part(self, q: Any, v: Any) -> MotionSamples:
        """Motion of some columns: q of the coordinates, v of the others."""
        return MotionSamples(self.q[:, q], self.v[:, v], self.a[:, v])


def check_times(time: Array, times: Any) -> Array:
    """Validated instants (n,): ascending and within the times of the rows."""
    try:
        wanted = np.array(times, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise StateError(f"times is {times!r}; expected numbers [s]") from None
    if wanted.ndim != 1:
        raise StateError(
            f"times has shape {wanted.shape}; expected a one-dimensional array of instants [s]"
        )
    if len(time) == 0:
        raise StateError("the trajectory has no rows, so that it cannot be interpolated")
    first, last = float(time[0]), float(time[-1])
    outside = ~((wanted >= first) & (wanted <= last))
    if np.any(outside):
        t = float(wanted[np.argmax(outside)])
        raise StateError(
            f"time {t!r} s is outside the trajectory, which runs from {first!r} s to {last!r} s"
        )
    if np.any(np.diff(wanted) < 0):
        k = int(np.argmax(np.diff(wanted) < 0))
        raise StateError(
            f"times must not decrease: {float(wanted[k])!r} s is followed by "
            f"{float(wanted[k + 1])!r} s"
        )
    return wanted


def sampled_rows(system: System, store: Store, time: Array, times: Array) -> Array:
    """Rows (n, width) at instants validated by `check_times`.

    At the instant of a row the result is that row, bit for bit; of several rows at the same
    instant, the last one.
    """
    columns = store.columns
    out = np.empty((len(times), columns.width))
    for part, first, left in _groups(time, times, block_size(columns)):
        stop = min(first + int(left[-1]) + 2, len(time))
        fields = [store.read(field, first, stop) for field in columns.fields]
        rows = np.column_stack([np.reshape(x, (stop - first, -1)) for x in fields])
        piece = rows[left]
        between = np.flatnonzero(piece[:, 0] != times[part])
        if len(between):
            k = left[between]
            piece[between] = _between(system, columns, rows[k], rows[k + 1], times[part][between])
        out[part] = piece
    return out


def _groups(time: Array, times: Array, size: int) -> Iterator[tuple[slice, int, Array]]:
    """Slices of the instants, the first row needed for each, and left rows relative to it."""
    left = np.searchsorted(time, times, side="right") - 1
    start = 0
    while start < len(times):
        first = int(left[start])
        stop = int(np.searchsorted(left, first + size, side="left"))
        stop = min(stop, start + size)
        yield slice(start, stop), first, left[start:stop] - first
        start = stop


def _between(system: System, columns: Columns, left: Array, right: Array, t: Array) -> Array:
    """Rows at the instants t inside the intervals from left to right, (n, width) each."""
    a, b = (
        MotionSamples(*(columns.part(rows, f) for f in ("q", "v", "acceleration")))
        for rows in (left, right)
    )
    h = (right[:, 0] - left[:, 0])[:, None]
    tau = (t[:, None] - left[:, :1]) / h
    out = left + tau * (right - left)  # forces of all kinds, which are not overwritten below
    out[:, 0] = t
    moved = _moved(system, a, b, h, tau)
    for field, values in zip(("q", "v", "acceleration"), moved, strict=True):
        out[:, columns.slices[field]] = values
    return out


def _moved(
    system: System, a: MotionSamples, b: MotionSamples, h: Array, tau: Array
) -> MotionSamples:
    plain_q, plain_v, others = _plan(system)
    out = MotionSamples(*(np.empty_like(x) for x in a))

    def put(q: Any, v: Any, motion: MotionSamples) -> None:
        for whole, columns, part in zip(out, (q, v, v), motion, strict=True):
            whole[:, columns] = part

    put(plain_q, plain_v, _hermite(a.part(plain_q, plain_v), b.part(plain_q, plain_v), h, tau))
    for i in others:
        joint, q, v = system.joints[i], system.layout.hinge_q(i), system.layout.hinge_v(i)
        ends = a.part(q, v), b.part(q, v)
        if joint.has_quaternion:
            put(q, v, _turned(*ends, h, tau, free=joint.n_v == 6))
        else:
            put(q, v, _mapped(joint, system.names[i], *ends, h, tau))
    return out


def _plan(system: System) -> tuple[Array, Array, list[int]]:
    """Coordinates whose rates are speeds, these speeds, and bodies with other joints."""
    if "interpolation" not in system.derived:
        layout, q, v = system.layout, [np.zeros(0, int)], [np.zeros(0, int)]
        others = [i for i, x in enumerate(system.joints) if x.has_quasi_speeds]
        for i in range(system.n_body):
            pieces = [(layout.modal_q(i), layout.modal_v(i))]
            if i not in others:
                pieces.append((layout.hinge_q(i), layout.hinge_v(i)))
            q += [np.arange(x.start, x.stop) for x, _ in pieces]
            v += [np.arange(x.start, x.stop) for _, x in pieces]
        system.derived["interpolation"] = np.concatenate(q), np.concatenate(v), others
    plan: tuple[Array, Array, list[int]] = system.derived["interpolation"]
    return plan


def _hermite(a: MotionSamples, b: MotionSamples, h: Array, tau: Array) -> MotionSamples:
    """Polynomial of degree five through a and b with two derivatives, at tau in [0, 1]."""
    c1, c2 = h * a.v, h**2 * a.a / 2
    d, e, f = b.q - a.q - c1 - c2, h * b.v - c1 - 2 * c2, h**2 * b.a - 2 * c2
    c3, c4, c5 = 10 * d - 4 * e + f / 2, -15 * d + 7 * e - f, 6 * d - 3 * e + f / 2
    return MotionSamples(
        a.q + tau * (c1 + tau * (c2 + tau * (c3 + tau * (c4 + tau * c5)))),
        (c1 + tau * (2 * c2 + tau * (3 * c3 + tau * (4 * c4 + tau * 5 * c5)))) / h,
        (2 * c2 + tau * (6 * c3 + tau * (12 * c4 + tau * 20 * c5))) / h**2,
    )


def _turned(
    a: MotionSamples, b: MotionSamples, h: Array, tau: Array, *, free: bool
) -> MotionSamples:
    """Spherical (1) or free joint (1), (2)."""
    q0, q1 = (unit(m.q[:, :4]) for m in (a, b))
    w0, w1, w1_dot = a.v[:, :3], b.v[:, :3], b.a[:, :3]
    s1 = rotation_vector(product(q0 * [1.0, -1.0, -1.0, -1.0], q1), h * (w0 + w1) / 2)
    s1_dot = over_jacobian(s1, w1)
    s1_dot2 = over_jacobian(s1, w1_dot - jacobian_rate(s1, s1_dot))
    s, s_dot, s_dot2 = _hermite(
        MotionSamples(np.zeros_like(s1), w0, a.a[:, :3]), MotionSamples(s1, s1_dot, s1_dot2), h, tau
    )
    q = product(q0, exponential(s))
    w, w_dot = jacobian(s, s_dot), jacobian(s, s_dot2) + jacobian_rate(s, s_dot)
    if not free:
        return MotionSamples(q, w, w_dot)
    p, p_dot, p_dot2 = _hermite(_inboard(a, q0), _inboard(b, q1), h, tau)
    back = q * [1.0, -1.0, -1.0, -1.0]
    v = rotated(back, p_dot)
    v_dot = rotated(back, p_dot2) - cross(w, v)
    return MotionSamples(np.hstack([q, p]), np.hstack([w, v]), np.hstack([w_dot, v_dot]))


def _inboard(m: MotionSamples, q: Array) -> MotionSamples:
    """Position of a free joint and its two derivatives in inboard axes (2)."""
    w, v, v_dot = m.v[:, :3], m.v[:, 3:], m.a[:, 3:]
    return MotionSamples(m.q[:, 4:], rotated(q, v), rotated(q, v_dot + cross(w, v)))


def _mapped(
    joint: Joint, name: str, a: MotionSamples, b: MotionSamples, h: Array, tau: Array
) -> MotionSamples:
    """Joint with q' = N v, one instant at a time (3)."""

    def rate_map(q: Array) -> Array:
        rates = joint.rate_map(q)
        if not np.all(np.abs(rates) < _SINGULAR):
            raise SingularError(
                f"body {name!r}: the coordinates of its joint ({joint.label}) are singular in "
                "this interval, as for Euler angles in gimbal lock; use Spherical or Free",
                body=name,
            )
        return rates

    def change(q: Array, q_dot: Array) -> Array:
        if joint.maps:
            return joint.rate_map(q + 1j * _STEP * q_dot).imag / _STEP
        return _difference(lambda s: rate_map(q + s * q_dot), np.abs(q_dot).max(initial=0.0))

    def rates(m: MotionSamples) -> MotionSamples:
        maps = np.stack([rate_map(q) for q in m.q])
        q_dot = _times(maps, m.v)
        changes = np.stack([change(*pair) for pair in zip(m.q, q_dot, strict=True)])
        return MotionSamples(m.q, q_dot, _times(maps, m.a) + _times(changes, m.v))

    q, q_dot, q_dot2 = _hermite(rates(a), rates(b), h, tau)
    v, v_dot = np.empty_like(a.v), np.empty_like(a.a)
    for k, (x, y) in enumerate(zip(q, q_dot, strict=True)):
        inverse = np.linalg.pinv(rate_map(x))
        v[k] = inverse @ y
        v_dot[k] = inverse @ (q_dot2[k] - change(x, y) @ v[k])
    return MotionSamples(q, v, v_dot)


def _difference(function: Callable[[float], Array], rate: float) -> Array:
    """Derivative at zero by central differences of order four."""
    h = _SPACING / (1.0 + rate)
    near, far = (function(k * h) - function(-k * h) for k in (1, 2))
    return np.asarray((8 * near - far) / (12 * h))


def _times(matrices: Array, vectors: Array) -> Array:
    return np.einsum("nij,nj->ni", matrices, vectors)
