"""Shapes of uniform cantilevers of length 1, clamped at x = 0, whose strains are polynomials.

The strain (v'' of the beam, u' of the bar) is a polynomial of degree below p, in the orthonormal
Legendre polynomials

    e_k = √(2k+1) P_k(ξ),   ξ = 2x - 1,   k = 0 ... p-1,   ∫ e_j e_k dx = δ_jk                 (1)
    I_0 = x,     I_k = ∫₀ˣ P_k dx = (P_{k+1} - P_{k-1}) / (4k+2)                               (2)
    D_0 = x²/2,  D_k = ∫₀ˣ I_k dx = (I_{k+1} - I_{k-1}) / (4k+2)                               (3)

A force and a moment at the free end give a curvature that is linear in x, a torque or a pull a
constant strain: from p = 2 (beam) and p = 1 (bar) on, the deformation by such loads is exact.  With
p = 2 the beam is one cubic Hermite element.

The shapes are the modes of vibration within this space, by the decomposition (2) of `cantilever`.
Gauss stations over the whole length integrate the product of two shapes, of degree 2p + 2, exactly.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from .cantilever import BeamMesh, CantileverModes, ritz_modes

Array = NDArray[np.float64]


def static_mesh(elements: int, functions: int) -> BeamMesh:
    """Equal elements, with Gauss stations over the whole length."""
    xi, weights = legendre.leggauss(functions + 2)
    points = np.concatenate([np.arange(elements + 1.0) / elements, (1.0 + xi) / 2.0])
    return BeamMesh(elements, points, weights / 2.0)


def bar_shapes(grid: BeamMesh, functions: int) -> CantileverModes:
    """Static shapes of the clamped-free bar (torsion, stretch)."""
    once, _ = _strain_integrals(grid.points, functions)
    frequencies, strains, values = ritz_modes(once, grid)
    return CantileverModes(frequencies, values, np.zeros_like(values), strains)


def beam_shapes(grid: BeamMesh, functions: int) -> CantileverModes:
    """Static shapes of the clamped-free Euler-Bernoulli beam."""
    once, twice = _strain_integrals(grid.points, functions)
    frequencies, strains, values = ritz_modes(twice, grid)
    return CantileverModes(frequencies, values, once @ strains, strains)


def strains_at(x: Array, modes: CantileverModes) -> tuple[Array, Array]:
    """Strain of each static shape at points of the unit length, and its first integral from 0."""
    n = len(modes.strains)
    strain = legendre.legvander(2.0 * x - 1.0, max(n - 1, 0))[:, :n] * np.sqrt(
        2.0 * np.arange(n) + 1.0
    )
    once, _ = _strain_integrals(x, n)
    return strain @ modes.strains, once @ modes.strains


def _strain_integrals(x: Array, functions: int) -> tuple[Array, Array]:
    """First and second integral, from 0 to each point, of the strains (1); exactly zero at 0."""
    k = np.arange(functions + 1)
    p = legendre.legvander(2.0 * x - 1.0, functions + 1)
    once, twice = np.empty((2, len(x), functions + 1))
    once[:, 0], twice[:, 0] = x, x**2 / 2.0
    once[:, 1:] = (p[:, 2:] - p[:, :-2]) / (4.0 * k[1:] + 2.0)  # (2)
    twice[:, 1:-1] = (once[:, 2:] - once[:, :-2]) / (4.0 * k[1:-1] + 2.0)  # (3)
    norm = np.sqrt(2.0 * k[:-1] + 1.0)  # (1)
    return once[:, :-1] * norm, twice[:, :-1] * norm
