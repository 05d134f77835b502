"""Particles that have the mass integrals of a reduced structure.

All mass integrals of a body with m shapes are entries of the Gram matrix of 4 + 3 m scalar fields,
1, x, y, z and the components of the shapes, over the mass:

  G = integral f f^T dm = F^T F                                                               (1)

Any orthogonal matrix may be put in front of F.  With one that makes its first column constant, the
rows of F are particles of equal mass with positions and shapes, and their sums are the integrals.

Where the quadrature points of the mass are known, F is their weighted values.  A mass matrix M
alone gives, with the rigid motions R and the shapes V,

  R^T M R,  R^T M V,  V^T M V                                                                 (2)

exactly.  The rest of G follows from an isotropic kernel, see docs/theory/consistent_mass.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.fft
import scipy.linalg as la
from numpy.typing import NDArray

Array = NDArray[np.float64]

_PRESENT = 1e-12  # relative size of a kernel that a field must have


def equivalent_particles(G: Array) -> tuple[Array, Array, Array]:
    """Masses (n,), positions (n, 3) and displacements (n, 3, m) with the integrals G.

    `G` (4 + 3 m, 4 + 3 m): gram matrix (1) of 1, x, y, z, then x, y, z of shape 0, and so on.
    """
    n = len(G)
    mean = G[0, 1:] / G[0, 0]
    central = G[1:, 1:] - np.outer(G[0, 1:], mean)
    scale = np.sqrt(np.diag(central).clip(min=0))
    scale[scale == 0] = 1.0
    values, vectors = la.eigh(central / np.outer(scale, scale))
    root = (np.sqrt(values.clip(min=0))[:, None] * vectors.T)[::-1] * scale
    # Cosines spread each field over all particles, so that none is far away or moves far.
    spread = scipy.fft.dct(np.eye(n), norm="ortho", axis=0).T
    fields = mean + spread[:, 1:] @ root * np.sqrt(n / G[0, 0])
    return np.full(n, G[0, 0] / n), fields[:, :3], fields[:, 3:].reshape(n, -1, 3).swapaxes(1, 2)


def gram_of_points(masses: Array, positions: Array, displacements: Array) -> Array:
    """Gram matrix (1) of particles.

    `masses`, `positions`, `displacements` (k,), (k, 3), (3 k, m): of the particles; displacements
    by the shapes.
    """
    k = len(masses)
    fields = displacements.reshape(k, 3, -1).swapaxes(1, 2).reshape(k, -1)
    F = np.hstack([np.ones((k, 1)), positions, fields])
    return F.T @ (masses[:, None] * F)


def gram_of_matrices(
    rigid_mass: Array, coupling: Array, modal_mass: Array, kernel: Array | None = None
) -> Array:
    """Gram matrix (1) with the exact sums (2), and the rest from a kernel.

    `rigid_mass` (6, 6): R^T M R about the origin of the positions, rotation first; `coupling` (6,
    m): R^T M V; `modal_mass` (m, m): V^T M V; `kernel` (4 + 3 m, 4 + 3 m): gram matrix of nodal
    values with an isotropic kernel; without it nothing is known but (2).

    Notes
    -----
    Equations (7) to (11) of docs/theory/consistent_mass.md.
    """
    m = coupling.shape[1]
    rigid = _rigid_fields(rigid_mass)
    alpha: Any = np.linalg.lstsq(rigid_mass, coupling, rcond=None)[0]
    elastic = modal_mass - alpha.T @ coupling
    G = np.zeros((4 + 3 * m, 4 + 3 * m))
    G[:4, :4] = rigid
    products = np.zeros((3 * m, 3 * m))
    if kernel is not None:
        free = _without_rigid_motion(kernel, alpha)
        D, left = _contraction(_trace(free[4:, 4:]), elastic)
        spread = np.kron(D, np.eye(3))
        products = spread.T @ free[4:, 4:] @ spread
        floor = 1e-13 * np.diag([rigid[0, 0], *[np.trace(rigid[1:, 1:])] * 3])
        ratio = la.eigh(free[:4, :4], rigid + floor, eigvals_only=True)
        G[:4, 4:] = free[:4, 4:] @ spread / np.sqrt(max(1.0, float(ratio[-1])))
    else:
        left = elastic
    G[4:, 4:] = products + np.kron(left, np.eye(3)) / 3
    G[4:, :4] = G[:4, 4:].T
    move = np.eye(4 + 3 * m)
    move[:4, 4:] = rigid_field_map(alpha)
    return move.T @ G @ move


def rigid_field_map(alpha: Array) -> Array:
    """Coefficients (4, 3 m) of the fields 1, x, y, z in rigid motions alpha (6, m)."""
    m = alpha.shape[1]
    coefficients = np.zeros((4, m, 3))
    coefficients[0] = alpha[3:].T
    a, b, c = alpha[:3]
    coefficients[1, :, 1], coefficients[1, :, 2] = c, -b
    coefficients[2, :, 0], coefficients[2, :, 2] = -c, a
    coefficients[3, :, 0], coefficients[3, :, 1] = b, -a
    return coefficients.reshape(4, 3 * m)


def _rigid_fields(rigid_mass: Array) -> Array:
    """Gram matrix of 1, x, y, z from the inertia about the origin."""
    J, mass = rigid_mass[:3, :3], np.trace(rigid_mass[3:, 3:]) / 3
    p = rigid_mass[:3, 3:]  # skew of the first moment
    first = np.array([p[2, 1] - p[1, 2], p[0, 2] - p[2, 0], p[1, 0] - p[0, 1]]) / 2
    second = np.trace(J) / 2 * np.eye(3) - J
    return np.block([[np.array([[mass]]), first[None]], [first[:, None], second]])


def _without_rigid_motion(kernel: Array, alpha: Array) -> Array:
    """Kernel of the shapes less their rigid motion, with no momentum of their own in it."""
    m = alpha.shape[1]
    move = np.eye(len(kernel))
    move[:4, 4:] = -rigid_field_map(alpha)
    free = move.T @ kernel @ move
    rigid = rigid_field_map(np.eye(6))  # (4, 18): fields of the six rigid motions
    inertia = _trace(rigid.T @ free[:4, :4] @ rigid)
    cross = (rigid.T @ free[:4, 4:]).reshape(6, 3, m, 3)
    momentum = np.einsum("ikjk->ij", cross)
    values, vectors = la.eigh(inertia)
    inverse = np.where(values > _PRESENT * values[-1], 1 / np.maximum(values, 1e-300), 0.0)
    beta = vectors @ (inverse[:, None] * (vectors.T @ momentum))
    move = np.eye(len(kernel))
    move[:4, 4:] = -rigid_field_map(beta)
    return move.T @ free @ move


def _contraction(kernel: Array, exact: Array) -> tuple[Array, Array]:
    """D and the rest E - D^T kernel D, which is not negative; D = 1 where kernel <= exact."""
    if not len(exact):
        return exact, exact
    scale = 1 / np.sqrt(np.diag(exact).clip(min=1e-300))
    E = exact * np.outer(scale, scale)
    ratio, q = la.eigh(kernel * np.outer(scale, scale), E + 1e-14 * np.eye(len(E)))
    shrunk = np.minimum(1.0, 1 / np.sqrt(np.maximum(ratio, 1e-300)))
    inverse = q.T @ E  # of q
    D = scale[:, None] * (q * shrunk) @ inverse / scale
    left = inverse.T @ ((1 - ratio * shrunk**2).clip(min=0)[:, None] * inverse)
    return D, left / np.outer(scale, scale)


def _trace(products: Array) -> Array:
    """Sum over the three components, (m, m) of (3 m, 3 m)."""
    m = len(products) // 3
    trace: Any = np.einsum("ikjk->ij", products.reshape(m, 3, m, 3))
    return trace
