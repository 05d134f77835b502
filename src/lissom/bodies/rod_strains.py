"""Strains of the sections of rods, and the moments and forces that they mean.

    strain = (kappa - natural, eps - e_x) = B(s) eta      moment, force = C(s) strain
in section axes: what the part towards the tip exerts on the part towards the root.  C is diagonal.
Where a strain has no functions the rod is rigid, and C says nothing of the moment or force there.
"""

from __future__ import annotations

import numpy as np

from .rod_tables import EPS_X, EPS_Y, EPS_Z, KAPPA_X, KAPPA_Y, KAPPA_Z, RodTables

Array = np.ndarray


def strains(rod: RodTables, at: Array, eta: Array) -> Array:
    """Curvatures [rad/m] less the natural ones, stretch and shears, (k, p, 6).

    `at` (p,): arc lengths of sections [m]; `eta` (k, m): coordinates.
    """
    values = rod.interpolated(at) @ rod.functions
    axes = np.equal(np.arange(6)[:, None], rod.strains)
    return np.einsum("km,pm,cm->kpc", eta, values, axes)


def curvatures(rod: RodTables, at: Array, eta: Array) -> Array:
    """Twist and curvatures with the natural ones [rad/m], (k, p, 3).

    `at` (p,): arc lengths of sections [m]; `eta` (k, m): coordinates.
    """
    return rod.interpolated(at) @ rod.natural + strains(rod, at, eta)[:, :, :EPS_X]


def stresses(rod: RodTables, at: Array, eta: Array) -> Array:
    """Moments [N m] and forces [N] that sections carry, (k, p, 6).

    Only the components in `elastic` mean something.

    `at` (p,): arc lengths of sections [m]; `eta` (k, m): coordinates.
    """
    return rod.interpolated(at) @ rod.section_stiffness * strains(rod, at, eta)


def elastic(rod: RodTables) -> list[int]:
    """Components of strain that have functions, ascending."""
    return sorted({int(k) for k in rod.strains})


def surface_strains(rod: RodTables, eta: Array) -> Array:
    """Stretch, shear and strains at the surface by bending and torsion, (k, 4); largest of nodes.

        |eps_x|, |(eps_y, eps_z)|                                    stretch, shear       (1)
        |kappa_y| z + |kappa_z| y,  y² = 3 EI_z/EA, z² = 3 EI_y/EA   bending              (2)
        |kappa_x| r,  r² = 2 GJ/GA                                   torsion              (3)

    with curvatures less the natural ones.  y and z are the half sides of the rectangle with this
    stiffness, r is the radius of the circle; for other sections they are estimates.

    `eta` (k, m): coordinates.
    """
    at = rod.places
    strain = np.abs(strains(rod, at, eta))
    C = rod.interpolated(at) @ rod.section_stiffness
    with np.errstate(divide="ignore", invalid="ignore"):
        y, z = (np.sqrt(3 * C[:, k] / C[:, EPS_X]) for k in (KAPPA_Z, KAPPA_Y))
        r = np.sqrt(2 * C[:, KAPPA_X] / np.minimum(C[:, EPS_Y], C[:, EPS_Z]))
    y, z, r = (np.where(np.isfinite(x), x, 0.0) for x in (y, z, r))  # (2)-(3): no EA or GA given
    measures = (
        strain[:, :, EPS_X],
        np.hypot(strain[:, :, EPS_Y], strain[:, :, EPS_Z]),
        strain[:, :, KAPPA_Y] * z + strain[:, :, KAPPA_Z] * y,
        strain[:, :, KAPPA_X] * r,
    )
    return np.stack([x.max(axis=1) for x in measures], axis=1)
