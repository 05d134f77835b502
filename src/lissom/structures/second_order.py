"""Second order of the deformation of a straight beam with static shapes.

Sections follow (1) and (2) of `bodies.along`.  Particles of a section take the h of the axis: they
leave out the tilt in the first order too.  The sums over the mass leave out the products of torsion
and bending: with them, twisting a bent beam moves its mass sideways, which the constant modal mass
does not match, and the mass matrix of a free beam is not definite beyond a deflection of a tenth of
the section's radius of gyration.  Nodes keep these products, so that they are missing only for
loads distributed along one beam.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..bodies.along import second_shapes_along
from ..bodies.second_order import SecondOrder
from .beam_basis import Basis, Properties
from .static_shapes import strains_at

Array = NDArray[np.float64]

_AXIS = np.array([1.0, 0.0, 0.0])


def second_order(solid: Properties, basis: Basis) -> SecondOrder:
    """Second order of a beam at its nodes, and its sums over the mass.

    Parameters
    ----------
    solid : Properties
        Of the beam.
    basis : Basis
        Its static shapes.
    """
    grid = basis.grid
    n_end = grid.elements + 1
    shapes = _at(grid.points, solid, basis)
    h = shapes[n_end:, 3:]
    masses, places = solid.mass * grid.weights, solid.length * grid.points[n_end:]
    twisting = basis.chosen[0] == 2
    h = np.where(twisting[:, None] | twisting, 0.0, h)
    sigma = np.einsum("n,nkij->kij", masses, h)
    second = np.zeros((3, *sigma.shape))
    second[0] = np.einsum("n,n,nlij->lij", masses, places, h)
    nodes = [*shapes[:n_end], *np.repeat(shapes[n_end:], 4, axis=0)]  # four particles a station
    return SecondOrder(sigma, second, dict(enumerate(nodes)))


def _at(points: Array, solid: Properties, basis: Basis) -> Array:
    """[rho; h] at fractions of the length, (n, 6, n_mode, n_mode), by (1) and (2)."""
    most = max(len(family.strains) for family in basis.families)
    fields = partial(_fields, solid=solid, basis=basis)
    return second_shapes_along(points, solid.length, _AXIS, most + 1, fields)


def _fields(t: Array, solid: Properties, basis: Basis) -> tuple[Array, Array, Array]:
    """Curvature [1/m], its first integral [rad] and stretch of each mode, each (n, 3, n_mode)."""
    root, length = math.sqrt(solid.mass), solid.length
    units = (1 / (root * length), -1 / (root * length), 1 / math.sqrt(solid.polar), 1 / root)
    family, index = basis.chosen
    curvature, turn, stretch = np.zeros((3, len(t), 3, len(family)))
    fields = [strains_at(t, modes) for modes in basis.families]
    for column, (f, k) in enumerate(zip(family, index, strict=True)):
        strain, once = (field[:, k] * units[f] for field in fields[f])
        if f == 3:
            stretch[:, 0, column] = strain / length
        else:  # plane x-y turns about z, plane x-z about -y, torsion about x
            row = (2, 1, 0)[f]
            curvature[:, row, column], turn[:, row, column] = strain / length, once
    return curvature, turn, stretch
