"""Vibration of uniform cantilevers of length 1, clamped at x = 0, by finite elements.

Two problems, each with unit stiffness and unit mass per length:

- the bar, u'' = -ω² u (torsion, stretch): continuous, quadratic three-node elements;
- the beam, v'''' = ω² v (bending, Euler-Bernoulli): cubic Hermite elements, slope continuous.

Both spaces are parametrised by *strain*, because both have a strain (u' or v'') that is linear in
each element and may jump between elements.  In an orthonormal basis of these strains,

    displacement at the stations = T c,  strain energy = cᵀc / 2,  mass matrix = (√w T)ᵀ(√w T)   (1)

where T integrates the strain once (bar) or twice (beam) from the clamped end and w are Gauss
weights that integrate the product of two shapes exactly.  The singular value decomposition

    √w T = U Σ Vᵀ :  frequencies 1/Σ, mass-normalised displacements U/√w, strains V/Σ            (2)

needs no stiffness matrix, whose condition number would cost the low modes half of their digits: the
lowest frequencies are the largest singular values, accurate to rounding, and U is orthonormal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

_STATIONS = 4  # Gauss points in an element: exact to degree 7; the product of two cubics has 6


@final
@dataclass(frozen=True)
class BeamMesh:
    """Equal elements on the unit length, and Gauss stations."""

    elements: int  # number of elements n
    # (n + 1 + stations,) the element ends from 0 to 1, then the Gauss stations in ascending order
    # [-]
    points: NDArray[np.float64]
    weights: NDArray[np.float64]  # (stations,) gauss weights of the stations; their sum is 1


@final
@dataclass(frozen=True)
class CantileverModes:
    """Modes of a cantilever on a mesh, in ascending order."""

    frequencies: NDArray[np.float64]  # (k,) angular frequencies, dimensionless
    # (points, k) displacement at the points of the mesh; ∫ value² dx = 1, positive at the free end
    values: NDArray[np.float64]
    # (points, k) derivative of the displacement; zero for the bar, where it jumps at the element
    # ends and is not needed
    slopes: NDArray[np.float64]
    strains: NDArray[np.float64]  # (k, k) coefficients of the orthonormal strains in each mode


def mesh(elements: int) -> BeamMesh:
    """Equal elements with four Gauss-Legendre stations each."""
    xi, weights = np.polynomial.legendre.leggauss(_STATIONS)
    ends = np.arange(elements + 1.0)
    stations = ends[:-1, None] + (1.0 + xi) / 2.0
    points = np.concatenate([ends, stations.ravel()]) / elements
    return BeamMesh(elements, points, np.tile(weights / (2.0 * elements), elements))


def bar_modes(grid: BeamMesh) -> CantileverModes:
    """Modes of the clamped-free bar (torsion, stretch); exact frequencies (2k-1) π/2."""
    once, _ = _strain_integrals(grid)
    frequencies, strains, values = ritz_modes(once, grid)
    return CantileverModes(frequencies, values, np.zeros_like(values), strains)


def beam_modes(grid: BeamMesh) -> CantileverModes:
    """Modes of the clamped-free Euler-Bernoulli beam; exact frequencies β², cos β cosh β = -1."""
    once, twice = _strain_integrals(grid)
    frequencies, strains, values = ritz_modes(twice, grid)
    return CantileverModes(frequencies, values, once @ strains, strains)


def _strain_integrals(grid: BeamMesh) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """First and second integral, from 0 to each point, of the orthonormal strains.

    In an element of unit length with -1 <= ξ <= 1 these strains are 1 and √3 ξ; their integrals
    are (ξ+1)/2, √3 (ξ²-1)/4, and (ξ+1)²/8, √3 (ξ+1)²(ξ-2)/24; beyond the element only the strain 1
    contributes a slope.  Shapes (n + 1 + 4 n, 2 n).
    """
    n = grid.elements
    ahead = (grid.points * n)[:, None] - np.arange(n)
    xi = 2.0 * np.clip(ahead, 0.0, 1.0) - 1.0
    beyond = np.maximum(ahead - 1.0, 0.0)
    root3 = np.sqrt(3.0)
    once = np.hstack([(xi + 1.0) / 2.0, root3 * (xi**2 - 1.0) / 4.0])
    square = (xi + 1.0) ** 2
    twice = np.hstack([square / 8.0 + beyond, root3 * square * (xi - 2.0) / 24.0])
    return once * n**-0.5, twice * n**-1.5


def ritz_modes(
    displacement: NDArray[np.float64], grid: BeamMesh
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Frequencies, strains and values at the points by the decomposition (2).

    `displacement` (points, k): displacement at the points of the mesh of each of k orthonormal
    strains.
    """
    n_end = grid.elements + 1
    root_w = np.sqrt(grid.weights)[:, None]
    left, sigma, right = np.linalg.svd(root_w * displacement[n_end:], full_matrices=False)  # (2)
    sign = np.where(displacement[n_end - 1] @ right.T < 0.0, -1.0, 1.0)
    strains = right.T * sign / sigma
    values = np.vstack([displacement[:n_end] @ strains, left * sign / root_w])
    return 1.0 / sigma, strains, values
