"""Contacts in series with the residual compliance of flexible bodies.

What the modes of a body leave out answers statically (MacNeal 1971, Rubin 1975): its contact points
move by u = Phi eta + R f, R >= 0.  With the depth delta by the coordinates, that of a law d, and
its elastic force f(d), which grows with d and is zero for d <= 0:

  d + R f(d) = delta                                                                            (1)
  df/ddelta = f'/(1 + R f'),  dd/ddelta = 1/(1 + R f')                                          (2)

Damping sees d and the rate of delta: R is in series with the elastic force alone.  Energy is
R f^2/2 + the law's own; a power law f = k d^n has k d^(n+1)/(n+1).  With n >= 1 (1) is convex, and
Newton's iterates start above its root, at the smaller of delta and (delta/(R k))^(1/n).

Several points share a matrix R.  Their forces are the root of

  g = f(delta - R g)                                                                            (3)

where psi(g) = g^T R g/2 + sum U(delta - R g) is least, U the laws' energies: convex and with one
set of depths, R semi-definite or not.  No set of closed contacts is searched, f is zero for d <= 0.
Newton's step is, with S = diag(f') and T = S^(1/2),

  (1 + S R) Dg = f - g = b,   Dg = b - T (1 + T R T)^-1 T R b                                   (4)

a descent of psi, whose slope along it is (g - f)^T R Dg.  Halved until this slope is not above a
tenth of the first, a step never goes far beyond the least value.  Derivatives:

  df/ddelta = D = T (1 + T R T)^-1 T = D^T,   dd/ddelta = 1 - R D                               (5)
"""

from __future__ import annotations

import math

from ..compiling import jit
from ..dense import factor_spd, solve_spd
from ..tree.modal import modal_dot

_MOST = 60  # steps of Newton's method
_MOST_HALVES = 40
_SMALL = 1e-9  # relative step after which the next one is below rounding
_NEAR = 0.01  # relative correction of a depth that one step of Newton's method can make
_OVER = 0.1  # slope behind the least value, relative to that at the start


@jit
def power_law(table, c, depth, _rate):
    """Force k d^n without damping, and its derivatives; k and n at table[c:]."""
    if depth <= 0.0:
        return 0.0, 0.0, 0.0
    slope = table[c] * depth ** (table[c + 1] - 1.0)
    return slope * depth, table[c + 1] * slope, 0.0


@jit
def power_in_series(k, n, compliance, depth):
    """Force, its slope (2) and the depth of the law, of f = k d^n with n >= 1, by (1)."""
    if depth <= 0.0:
        return 0.0, 0.0, depth
    ratio = compliance * k * depth ** (n - 1.0)  # of depths, for the force k depth^n
    x = 1.0 if ratio <= 1.0 else ratio ** (-1.0 / n)  # d/depth
    if ratio > 0.0:
        for _ in range(_MOST):
            rest = ratio * x ** (n - 1.0)
            step = (x + rest * x - 1.0) / (1.0 + n * rest)
            x -= step
            if step <= _SMALL * x:
                break
    d = x * depth
    slope = k * d ** (n - 1.0)
    return slope * d, n * slope / (1.0 + compliance * n * slope), d


@jit
def damped_in_series(force, slope, damping, rate):
    """Force f (1 + a rate), not below zero, and its derivatives by depth and rate."""
    factor = 1.0 + damping * rate
    if factor <= 0.0:
        return 0.0, 0.0, 0.0
    return force * factor, slope * factor, force * damping


@jit
def power_energy(k, n, compliance, force, d):
    """Energy of the residual compliance and of the law k d^n."""
    if d <= 0.0:
        return 0.0
    return 0.5 * compliance * force * force + k * d ** (n + 1.0) / (n + 1.0)


@jit
def law_depth(law, table, c, compliance, depth):
    """Depth d of any law by (1), between zero and the depth by the coordinates."""
    if depth <= 0.0 or compliance <= 0.0:
        return depth
    low, high, d = 0.0, depth, depth
    for _ in range(_MOST):
        force, slope, _ = law(table, c, d, 0.0)
        gap = d + compliance * force - depth
        if gap > 0.0:
            high = d
        else:
            low = d
        x = d - gap / (1.0 + compliance * slope)
        if not low <= x <= high:
            x = 0.5 * (low + high)
        step = abs(x - d)
        d = x
        if step <= _SMALL * d:
            break
    return d


@jit
def law_in_series(law, table, c, compliance, depth, rate):
    """Force of any law, its derivatives by depth and rate by the coordinates, and its depth.

    law(table, c, depth, rate) -> force, its derivatives by depth and by rate.
    """
    if depth <= 0.0:
        return 0.0, 0.0, 0.0, depth
    d = law_depth(law, table, c, compliance, depth)
    _, elastic_slope, _ = law(table, c, d, 0.0)
    force, slope, rate_slope = law(table, c, d, rate)
    return force, slope / (1.0 + compliance * elastic_slope), rate_slope, d


@jit
def residual_along(table, r, size, i, n_i, j, n_j):
    """Displacement of point i along n_i per force on point j along n_j, both in node axes.

    At table[r:] is the residual compliance, a matrix with `size` columns, three for each point.
    """
    total = 0.0
    for a in range(3):
        row = r + (3 * i + a) * size + 3 * j
        total += n_i[a] * (table[row] * n_j[0] + table[row + 1] * n_j[1] + table[row + 2] * n_j[2])
    return total


# Numbers of m coupled points at x[o:]
#
#   depths, rates        m each     by the coordinates
#   compliance           m x m      R along their normals
#   forces, rate slopes  m each     results: forces, and their derivatives by the points' own rates
#   law depths           m          d
#   tangent              m x m      derivatives of the forces by the depths
#   work                 m x m, and 4 m


@jit
def coupled_size(m):
    """Count of numbers that m coupled points need."""
    return m * (3 * m + 9)


@jit
def coupled_in_series(law, table, c, stride, m, x, o):
    """Forces, law depths and tangent of m points at x[o:], without damping, by (3) to (5).

    law(table, c + i stride, depth, rate) is that of point i, as for `law_in_series`.  Returns the
    count of Newton's steps, or -1 if they do not converge.
    """
    compliance = o + 2 * m
    forces = compliance + m * m
    d = forces + 2 * m
    for i in range(m):
        diagonal = x[compliance + i * m + i]
        depth = law_depth(law, table, c + i * stride, diagonal, x[o + i])
        x[forces + i] = 0.0
        if depth > 0.0:
            x[forces + i] = law(table, c + i * stride, depth, 0.0)[0]
    for i in range(m):
        x[d + i] = x[o + i] - modal_dot(x, compliance + i * m, m, x, forces)
    steps = -1
    for k in range(_MOST):
        if _newton_step(law, table, c, stride, m, x, o):
            steps = k + 1
            break
    _put_tangent(law, table, c, stride, m, x, o)
    return steps


@jit
def _newton_step(law, table, c, stride, m, x, o):
    """Step (4) from the forces and law depths in x; whether it was the last."""
    compliance = o + 2 * m
    forces = compliance + m * m
    d = forces + 2 * m
    matrix = d + m + m * m
    b = matrix + m * m
    y, root, change = b + m, b + 2 * m, b + 3 * m
    for i in range(m):
        force, slope = 0.0, 0.0
        if x[d + i] > 0.0:
            force, slope, _ = law(table, c + i * stride, x[d + i], 0.0)
        x[b + i] = force - x[forces + i]
        x[root + i] = math.sqrt(slope)
    for i in range(m):
        x[y + i] = x[root + i] * modal_dot(x, compliance + i * m, m, x, b)
    _factor_system(m, x, compliance, root, matrix)
    solve_spd(x, matrix, m, x, y)
    first, largest, largest_change = 0.0, 0.0, 0.0
    for i in range(m):
        x[y + i] = x[b + i] - x[root + i] * x[y + i]  # Dg
        largest = max(largest, abs(x[forces + i]))
        largest_change = max(largest_change, abs(x[y + i]))
    last = largest_change <= _SMALL * largest
    for i in range(m):
        x[change + i] = modal_dot(x, compliance + i * m, m, x, y)  # R Dg
        first -= x[b + i] * x[change + i]
    part = 1.0
    for _ in range(_MOST_HALVES):
        if last:  # slopes are rounding
            break
        slope_there = 0.0
        for i in range(m):
            force, there = 0.0, x[d + i] - part * x[change + i]
            if there > 0.0:
                force, _, _ = law(table, c + i * stride, there, 0.0)
            slope_there += (x[forces + i] + part * x[y + i] - force) * x[change + i]
        if slope_there <= _OVER * abs(first):
            break
        part *= 0.5
    for i in range(m):
        x[forces + i] += part * x[y + i]
    for i in range(m):  # from the forces, so that rounding does not add up
        x[d + i] = x[o + i] - modal_dot(x, compliance + i * m, m, x, forces)
    return last


@jit
def _factor_system(m, x, compliance, root, matrix):
    """Factor of 1 + T R T at x[matrix]."""
    for i in range(m):
        for j in range(i + 1):
            x[matrix + i * m + j] = x[root + i] * x[root + j] * x[compliance + i * m + j]
        x[matrix + i * m + i] += 1.0
    factor_spd(x, matrix, m, 0.0)


@jit
def _put_tangent(law, table, c, stride, m, x, o):
    """Tangent (5); forces not below zero, and depths, cleared of rounding."""
    compliance = o + 2 * m
    forces = compliance + m * m
    d = forces + 2 * m
    tangent = d + m
    matrix = tangent + m * m
    y, root = matrix + m * m + m, matrix + m * m + 2 * m
    for i in range(m):
        x[forces + i] = max(x[forces + i], 0.0)
        x[forces + m + i] = 0.0
        slope = 0.0
        if x[d + i] > 0.0:
            force, slope, _ = law(table, c + i * stride, x[d + i], 0.0)
            # (3) as a difference has lost digits of a small d, the force has not
            if abs(x[forces + i] - force) < _NEAR * slope * x[d + i]:
                x[d + i] += (x[forces + i] - force) / slope
                _, slope, _ = law(table, c + i * stride, x[d + i], 0.0)
        x[root + i] = math.sqrt(slope)
    _factor_system(m, x, compliance, root, matrix)
    for j in range(m):
        for i in range(m):
            x[y + i] = 0.0
        x[y + j] = x[root + j]
        solve_spd(x, matrix, m, x, y)
        for i in range(m):
            x[tangent + i * m + j] = x[root + i] * x[y + i]


@jit
def damp_coupled(law, table, c, stride, m, x, o):
    """Replace the elastic forces at x[o:], and their derivatives, by those with damping.

    Each force is that of its law at its depth d and the rate of its delta; the tangent is then no
    longer symmetric.
    """
    forces = o + 2 * m + m * m
    d = forces + 2 * m
    tangent = d + m
    for i in range(m):
        if x[d + i] <= 0.0:
            continue
        at = c + i * stride
        _, elastic_slope, _ = law(table, at, x[d + i], 0.0)
        force, slope, x[forces + m + i] = law(table, at, x[d + i], x[o + m + i])
        x[forces + i] = force
        if elastic_slope > 0.0:
            for j in range(m):
                x[tangent + i * m + j] *= slope / elastic_slope
