"""Rigid impacts by other means: dense matrices, and a march in small steps of the impulse.

Along the normal impulse P each step adds dP, and the friction f in the disc of radius mu dP that
leaves the least energy in the slip (maximum dissipation), taken implicitly:

  c_t + W_tn dP + W_tt f = -k f,   k >= 0,

with k = 0 where the slip stops inside the disc.  The error is of first order in dP.
"""

from __future__ import annotations

import numpy as np


def friction_of_step(W, c, dP, mu):
    """Tangential impulse of a step of the march."""
    w, axes = np.linalg.eigh(W[:2, :2])
    b = axes.T @ (c[:2] + W[:2, 2] * dP)
    fixed = w < 1e-12 * W[2, 2]
    with np.errstate(divide="ignore", invalid="ignore"):
        stick = np.where(fixed & (np.abs(b) < 1e-12), 0.0, -b / w)
    if np.hypot(*stick) <= mu * dP:
        return axes @ stick
    k, radius = np.hypot(*b) / (mu * dP), mu * dP
    for _ in range(60):  # Newton for |b / (w + k)| = radius, convex in k
        f = b / (w + k)
        size = np.hypot(*f)
        slope = -(f @ (f / (w + k))) / size
        new = k - (1 / radius - 1 / size) / (slope / size**2)
        if abs(new - k) < 1e-15 * abs(k):
            break
        k = max(new, 0.0)
    return axes @ (-b / (w + k))


def march(W, c, e, mu, law, steps=20000):
    """Impulse (3,) of an impact in axes (t, u, n), by small steps."""
    c, p, work, P_c, work_c = np.array(c, float), np.zeros(3), 0.0, None, None
    inverse = np.linalg.pinv(W, rcond=1e-10)
    dP = -(1 + e) * c[2] * max(inverse[2, 2], 1 / W[2, 2]) / steps
    while True:
        f = friction_of_step(W, c, dP, mu)
        d = np.array([f[0], f[1], dP])
        after = c + W @ d
        gain = 0.5 * (c[2] + after[2]) * dP
        part, ended = 1.0, False
        if P_c is not None:
            left = (1 + e) * P_c - p[2] if law == "poisson" else -(e**2) * work_c - (work - work_c)
            step = dP if law == "poisson" else gain
            if step >= left:
                part, ended = left / step, True
        elif after[2] >= 0:
            part = c[2] / (c[2] - after[2])
        p, work = p + part * d, work + part * gain
        c = c + part * (W @ d)
        if P_c is None and after[2] >= 0:
            P_c, work_c = p[2], work
        if ended:
            return p


def planar(W, c, e, mu, law):
    """Impulse (t, n) of an impact in a plane, piece by piece (Routh), W (2, 2), c (2,)."""
    a, b, d = W[0, 0], W[0, 1], W[1, 1]
    s0, v0, p_t, p_n = c[0], c[1], 0.0, 0.0
    sign = np.sign(s0)

    def pieces():
        """Ways (slope of p_t, length in p_n) that follow each other."""
        first = np.inf
        if sign:
            rate = b - mu * sign * a
            if rate * sign < 0:
                first = -s0 / rate
            yield -mu * sign, first
        if first < np.inf or not sign:
            stick = -b / a if a > 0 else 0.0
            yield (stick if abs(stick) <= mu else mu * np.sign(stick)), np.inf

    work, compression = 0.0, None
    for slope, length in pieces():
        rate = d + b * slope
        while length > 0:
            v = v0 + b * p_t + d * p_n
            if compression is None:
                stop = -v / rate if rate > 0 else np.inf
            elif law == "poisson":
                stop = (1 + e) * compression[0] - p_n
            else:
                rest = -(e**2) * compression[1] - (work - compression[1])
                roots = np.roots([rate / 2, v, -rest])
                stop = min(x.real for x in roots if x.real >= 0 and abs(x.imag) < 1e-12)
            x = min(stop, length)
            work += v * x + rate * x * x / 2
            p_t, p_n, length = p_t + slope * x, p_n + x, length - x
            if x == stop and compression is not None:
                return np.array([p_t, p_n])
            if x == stop:
                compression = (p_n, work)
    raise AssertionError("the impact does not end")
