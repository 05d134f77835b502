"""Operation counts of Jain & Rodriguez 1992, section VII.

For serial chains of N flexible bodies with n modes each, on hinges of one degree of freedom, with
linearised bodies; multiplications and additions together.  The printed N_m^2 is read as n_m^2.
"""

from __future__ import annotations


def composite(bodies: int, modes: int) -> float:
    """Mass matrix by composite bodies (A 50), bias (A 45) and a dense solution (A 46).

    Parameters
    ----------
    bodies, modes : int
        N, and n of each body.
    """
    n = modes
    size = bodies * (n + 1)
    inertias = bodies * (n**2 + (48 + 97 / 2) * n + 206)
    rows = bodies * (bodies + 1) / 2 * (23 * n**2 + 58 * n + 26)
    bias = bodies * (4 * n**2 + 104 * n + 349)
    solution = size**3 / 3 + 5 / 2 * size**2 - 11 / 6 * size
    return inertias + rows + bias + size + solution


def articulated(bodies: int, modes: int) -> float:
    """Articulated bodies by (A 63) and (A 64), with the cheaper of the two ways to D_f^-1.

    Parameters
    ----------
    bodies, modes : int
        N, and n of each body.
    """
    n = modes
    sweeps = (2 * n**2 + 49 * n + 99) + (37 * n + 94)
    return bodies * (min(explicit(n), indirect(n)) + sweeps)


def explicit(modes: int) -> float:
    """(A 63) for one body, D_f inverted; cheaper up to seven modes."""
    return 5 / 3 * modes**3 + 23 * modes**2 + 1312 / 3 * modes + 344


def indirect(modes: int) -> float:
    """(A 63) for one body, D_f^-1 by (A B3); cheaper from eight modes on."""
    return 25 * modes**2 + 437 * modes + 1017
