"""Damping of a normal law from a coefficient of restitution.

A mass that meets the law N = E(x) (1 + a x') at the speed v, with d = a v, parts at e v:

  d (1 + e) = ln((1 + d) / (1 - d e))                                                         (1)

for every elastic force E and every mass, because v dv / (1 + a v) integrates to zero.
"""

from __future__ import annotations

import math

from ....errors import LoadError, shown

__all__ = ["DAMPING_NUMBERS", "damping_number", "restitution"]


def _exact(e: float) -> float:
    """Solution d of (1), which lies above a third of its value for small d and below 1 / e."""
    if e == 1.0:
        return 0.0
    from scipy.optimize import brentq

    low = 0.45 * (1.0 - e * e) / (1.0 + e**3)
    high = math.nextafter(1.0 / e, 0.0)
    while high * e >= 1.0:
        high = math.nextafter(high, 0.0)
    if _excess(high, e) < 0.0:  # nearer to 1 / e than numbers are to each other
        return high
    return float(brentq(lambda d: _excess(d, e), low, high, xtol=1e-15, rtol=1e-15))


def _excess(d: float, e: float) -> float:
    """Right side of (1) less its left side, without a difference of nearly equal numbers."""
    if d * max(e, 1.0) < 0.02:  # ln(1 + d) - ln(1 - d e) - d (1 + e) = sum of (e^k ± 1) d^k / k
        powers = range(2, 12)
        return sum((e**k - (-1) ** k) * d**k / k for k in powers)
    return math.log1p(d) - math.log1p(-d * e) - d * (1.0 + e)


# Damping number d = a v of each form, by the restitution e that is asked for
DAMPING_NUMBERS = {
    "exact": _exact,
    "hunt_crossley": lambda e: 1.5 * (1.0 - e),
    "lankarani_nikravesh": lambda e: 0.75 * (1.0 - e * e),
    "flores": lambda e: 1.6 * (1.0 - e) / e,
    "gonthier": lambda e: (1.0 - e * e) / e,
    "carvalho_martins": lambda e: 1.5 * (1.0 - e) * (11.0 - e) / (1.0 + 9.0 * e),
}


def damping_number(e: float, damping: str = "exact") -> float:
    """Damping number d = a v that is meant to give a restitution at the speed v.

    Parameters
    ----------
    e : float
        Coefficient of restitution, above 0 and at most 1.
    damping : str
        "exact", which reaches e, or a published fit, which does not: "hunt_crossley" (1975),
        "lankarani_nikravesh" (1990), "gonthier" (2004), "flores" (2011), "carvalho_martins" (2019).

    Returns
    -------
    float
        Number without a unit, for `dissipation` = d / v.
    """
    if not 0.0 < e <= 1.0:
        raise LoadError(
            f"restitution is {shown(e)}; expected a number above 0 and at most 1: an impact "
            "without rebound needs infinite damping, give 0.01"
        )
    return DAMPING_NUMBERS[damping](e)


def restitution(d: float) -> float:
    """Coefficient of restitution that a law reaches at a speed v.

    Parameters
    ----------
    d : float
        Damping number: dissipation [s/m] times speed [m/s], zero or more.

    Returns
    -------
    float
        Speed after the impact over speed before, by (1).
    """
    if d == 0.0:
        return 1.0
    from scipy.optimize import brentq

    top = 1.0 if d < 1.0 else 1.0 / d
    while d * top >= 1.0:
        top = math.nextafter(top, 0.0)
    if _excess(d, top) < 0.0:  # nearer to 1 / d than numbers are to each other
        return top
    return float(brentq(lambda e: _excess(d, e), 0.0, top, xtol=1e-16, rtol=1e-15))
