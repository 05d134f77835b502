"""Normal laws of contact: force, slopes, stored energy and time of a contact.

Notation: depth x, its rate x', force N, elastic force E(x), damping a [s/m].

  N = E(x) (1 + a x')   and zero where x <= 0 or 1 + a x' <= 0                                (1)
  E = k x^n                                              POWER
  E = cubic Hermite pieces through given points          TABLE
  E = L f,  x = s f (1 + ln(f_max / f))                  LINE                                 (2)
  N = k x^n + c s^2 (3 - 2 s) x',  s = min(x / d, 1)     IMPACT, never below zero             (3)

(1) is continuous and never pulls.  (2) is the approach of the axes of two long cylinders, Johnson,
Contact Mechanics, 1985, equation 5.57; with x = s f_max y and u = 1 + ln(f_max / f) it reads
u - ln u = 1 - ln y, f = f_max y / u.  (3) is the function IMPACT of Adams.
"""

from __future__ import annotations

import math

import numpy as np

from ..compiling import jit

# Places of the numbers of a law; the first four are those of every kind
KIND, DAMPING, DAMPING_NUMBER, SLOWEST = range(4)
STIFFNESS, EXPONENT = 4, 5  # POWER, IMPACT
LARGEST_DAMPING, RAMP = 6, 7  # IMPACT
LINE_LENGTH, LINE_COMPLIANCE, LINE_LIMIT = 4, 5, 6  # LINE: L, s and f_max
COUNT, POINTS = 4, 5  # TABLE: m, then m depths, m forces, m slopes, m energies

POWER, IMPACT, TABLE, LINE = range(4)

STEEPEST = 3.0  # u of (2) where the force goes on as a straight line: half width near half a radius
_MOST = 60  # iterations; Newton's method ends after fewer than ten

_GAUSS = np.polynomial.legendre.leggauss(12)
NODES = tuple(float(0.5 + 0.5 * x) for x in _GAUSS[0])  # from 0 to 1
WEIGHTS = tuple(float(0.5 * x) for x in _GAUSS[1])


@jit
def law(table, c, depth, rate):
    """Force of the law at table[c], and its slopes by depth and by rate."""
    return law_damped(table, c, depth, rate, table[c + DAMPING])


@jit
def law_damped(table, c, depth, rate, a):
    """Force of a law with a damping `a` of its own in (1), and its slopes by depth and rate."""
    if depth <= 0.0:
        return 0.0, 0.0, 0.0
    if table[c + KIND] == IMPACT:
        return _impact(table, c, depth, rate)
    grow = 1.0 + a * rate
    if grow <= 0.0:
        return 0.0, 0.0, 0.0
    force, slope = elastic(table, c, depth)
    return force * grow, slope * grow, force * a


@jit
def latched_damping(table, c, rate):
    """Damping of (1) for a contact that begins at this rate; table[c + DAMPING] if it has none."""
    if table[c + DAMPING_NUMBER] == 0.0:
        return table[c + DAMPING]
    return table[c + DAMPING_NUMBER] / max(rate, table[c + SLOWEST])


@jit
def latched_slope(table, c, rate):
    """Derivative of `latched_damping` by the rate at which the contact begins."""
    if table[c + DAMPING_NUMBER] == 0.0 or rate <= table[c + SLOWEST]:
        return 0.0
    return -table[c + DAMPING_NUMBER] / (rate * rate)


@jit
def elastic(table, c, depth):
    """Force of a law at rest, and its slope, at a depth above zero."""
    kind = table[c + KIND]
    if kind == TABLE:
        return _table(table, c, depth)
    if kind == LINE:
        return _line(table, c, depth)
    n = table[c + EXPONENT]
    force = table[c + STIFFNESS] * depth**n
    return force, n * force / depth


@jit
def _impact(table, c, depth, rate):
    """Force of (3) and its slopes."""
    force, slope = elastic(table, c, depth)
    largest, ramp = table[c + LARGEST_DAMPING], table[c + RAMP]
    s = min(depth / ramp, 1.0)
    damping = largest * s * s * (3.0 - 2.0 * s)
    total = force + damping * rate
    if total <= 0.0:
        return 0.0, 0.0, 0.0
    return total, slope + largest * 6.0 * s * (1.0 - s) / ramp * rate, damping


@jit
def _line(table, c, depth):
    """Force of (2) and its slope."""
    length, s, limit = table[c + LINE_LENGTH], table[c + LINE_COMPLIANCE], table[c + LINE_LIMIT]
    start = s * limit * STEEPEST * math.exp(1.0 - STEEPEST)
    if depth >= start:
        slope = length / (s * (STEEPEST - 1.0))
        return length * limit * math.exp(1.0 - STEEPEST) + slope * (depth - start), slope
    y = depth / (s * limit)
    u = _line_root(1.0 - math.log(y))
    return length * limit * y / u, length / (s * (u - 1.0))


@jit
def _line_root(b):
    """Solution u > 1 of u - ln u = b, b > 1: Newton's method from above, where it is monotone."""
    u = b + math.log(b) + 1.0
    for _ in range(_MOST):
        step = (u - math.log(u) - b) * u / (u - 1.0)
        u -= step
        if abs(step) <= 1e-14 * u:
            break
    return u


@jit
def _piece(table, c, depth):
    """Index of the piece of a table that a depth lies in, by halving."""
    low, high = 0, int(table[c + COUNT]) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if table[c + POINTS + middle] <= depth:
            low = middle
        else:
            high = middle
    return low


@jit
def _table(table, c, depth):
    """Force of a table and its slope; beyond the last point it goes on as a straight line."""
    m, x = int(table[c + COUNT]), c + POINTS
    last = depth - table[x + m - 1]
    if last >= 0.0:
        slope = table[x + 3 * m - 1]
        return table[x + 2 * m - 1] + slope * last, slope
    j = x + _piece(table, c, depth)
    h = table[j + 1] - table[j]
    a, b, d = _cubic(table, j, m, h)
    r = depth - table[j]
    return ((a * r + b) * r + d) * r + table[j + m], (3.0 * a * r + 2.0 * b) * r + d


@jit
def _cubic(table, j, m, h):
    """Coefficients of the third, second and first power of a piece of width h."""
    chord = (table[j + m + 1] - table[j + m]) / h
    left, right = table[j + 2 * m], table[j + 2 * m + 1]
    return (left + right - 2.0 * chord) / (h * h), (3.0 * chord - 2.0 * left - right) / h, left


@jit
def energy(table, c, depth):
    """Energy that the elastic force of a law stores down to a depth."""
    if depth <= 0.0:
        return 0.0
    kind = table[c + KIND]
    if kind == TABLE:
        return _table_energy(table, c, depth)
    if kind == LINE:
        return _line_energy(table, c, depth)
    n = table[c + EXPONENT]
    return table[c + STIFFNESS] * depth ** (n + 1.0) / (n + 1.0)


@jit
def _line_energy(table, c, depth):
    """Integral of (2): L s f^2 (2 u - 1) / 4."""
    length, s, limit = table[c + LINE_LENGTH], table[c + LINE_COMPLIANCE], table[c + LINE_LIMIT]
    start = s * limit * STEEPEST * math.exp(1.0 - STEEPEST)
    if depth >= start:
        f = limit * math.exp(1.0 - STEEPEST)
        beyond = depth - start
        stored = 0.25 * s * f * f * (2.0 * STEEPEST - 1.0)
        return length * (stored + beyond * (f + 0.5 * beyond / (s * (STEEPEST - 1.0))))
    y = depth / (s * limit)
    u = _line_root(1.0 - math.log(y))
    f = limit * y / u
    return 0.25 * length * s * f * f * (2.0 * u - 1.0)


@jit
def _table_energy(table, c, depth):
    """Integral of the pieces of a table."""
    m, x = int(table[c + COUNT]), c + POINTS
    last = depth - table[x + m - 1]
    if last >= 0.0:
        force = table[x + 2 * m - 1] + 0.5 * table[x + 3 * m - 1] * last
        return table[x + 4 * m - 1] + force * last
    j = x + _piece(table, c, depth)
    a, b, d = _cubic(table, j, m, table[j + 1] - table[j])
    r = depth - table[j]
    return table[j + 3 * m] + r * (table[j + m] + r * (d / 2.0 + r * (b / 3.0 + r * a / 4.0)))


@jit
def deepest(table, c, stored, start):
    """Depth at which a law stores an energy above zero, from a depth above zero to start with.

    Newton's method in the logarithms, in which the energy of a power is a straight line, halving
    where it leaves the bounds.
    """
    low = high = start
    for _ in range(_MOST):
        if energy(table, c, high) >= stored:
            break
        low, high = high, 8.0 * high
    for _ in range(_MOST):
        if energy(table, c, low) <= stored:
            break
        low, high = 0.125 * low, low
    depth = high
    for _ in range(_MOST):
        held = energy(table, c, depth)
        if held > stored:
            high = depth
        else:
            low = depth
        force, _slope = elastic(table, c, depth)
        step = math.log(stored / held) * held / (force * depth)
        new = depth * math.exp(step)
        if new <= low or new >= high:
            new = math.sqrt(low * high)
        if abs(new - depth) <= 1e-13 * depth:
            return new
        depth = new
    return depth


@jit
def contact_time(table, c, mass, speed):
    """Time of a free elastic impact of a mass at a speed above zero; damping makes it longer.

    T = 4 d / v times the integral of s / sqrt(1 - E(d (1 - s^2)) / E(d)) over s from 0 to 1,

    d the greatest depth and E the energy that it stores.
    """
    stored = 0.5 * mass * speed * speed
    depth = deepest(table, c, stored, 1e-6)
    total = 0.0
    for k in range(len(NODES)):
        s = NODES[k]
        left = 1.0 - energy(table, c, depth * (1.0 - s * s)) / stored
        total += WEIGHTS[k] * s / math.sqrt(max(left, 1e-15))
    return 4.0 * depth / speed * total


@jit
def static_depth(table, c, force):
    """Depth at which the elastic force of a law has a value above zero.

    Newton's method in the logarithms, in which a power is a straight line.
    """
    depth, target = 1e-6, math.log(force)
    for _ in range(_MOST):
        there, slope = elastic(table, c, depth)
        step = (target - math.log(there)) * there / (slope * depth)
        depth *= math.exp(min(max(step, -5.0), 5.0))
        if abs(step) <= 1e-12:
            break
    return depth
