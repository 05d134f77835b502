"""Strains of the sections of rods, and the moments and forces that they mean.

    strain = (kappa - natural, eps - e_x) = B(s) eta      moment, force = C(s) strain
in section axes: what the part towards the tip exerts on the part towards the root.  C is diagonal.
Where a strain has no functions the rod is rigid, and C says nothing of the moment or force there.
"""

from __future__ import annotations

import numpy as np

from .rod_tables import EPS_X, RodTables

Array = np.ndarray


def strains(rod: RodTables, at: Array, eta: Array) -> Array:
    """Curvatures [rad/m] less the natural ones, stretch and shears, (k, p, 6).

    Parameters
    ----------
    rod : RodTables
        Constants of the rod.
    at : array (p,)
        Arc lengths of sections [m].
    eta : array (k, m)
        Coordinates.
    """
    values = rod.interpolated(at) @ rod.functions
    axes = np.equal(np.arange(6)[:, None], rod.strains)
    return np.einsum("km,pm,cm->kpc", eta, values, axes)


def curvatures(rod: RodTables, at: Array, eta: Array) -> Array:
    """Twist and curvatures with the natural ones [rad/m], (k, p, 3).

    Parameters
    ----------
    rod : RodTables
        Constants of the rod.
    at : array (p,)
        Arc lengths of sections [m].
    eta : array (k, m)
        Coordinates.
    """
    return rod.interpolated(at) @ rod.natural + strains(rod, at, eta)[:, :, :EPS_X]


def stresses(rod: RodTables, at: Array, eta: Array) -> Array:
    """Moments [N m] and forces [N] that sections carry, (k, p, 6).

    Only the components in `elastic` mean something.

    Parameters
    ----------
    rod : RodTables
        Constants of the rod.
    at : array (p,)
        Arc lengths of sections [m].
    eta : array (k, m)
        Coordinates.
    """
    return rod.interpolated(at) @ rod.section_stiffness * strains(rod, at, eta)


def elastic(rod: RodTables) -> list[int]:
    """Components of strain that have functions, ascending.

    Parameters
    ----------
    rod : RodTables
        Constants of the rod.
    """
    return sorted({int(k) for k in rod.strains})
