"""Geometric (stress) stiffness of structures, from the second order of their deformation.

The strains of a structure are of second order in its displacements, E = B u + q[u, u] / 2, and its
strain energy has a third order, which is a sum over stresses C B of the first order:

    V = u.K u / 2 + T(u; u, u) / 2 + ...,      T(u; a, b) = sum of (C B u) . q[a, b]            (1)

T(u; a, b), symmetric in a and b, is the stress stiffness of the displacement u between the shapes
a and b.  Each kind of structure has its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

CROSS = np.zeros((3, 3, 3))  # (a x b)_k = sum of CROSS[k, i, j] a_i b_j
for _k, _i, _j in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    CROSS[_k, _i, _j], CROSS[_k, _j, _i] = 1.0, -1.0

_SLABS = 12  # along a body
_SLENDER = 0.25  # radii of gyration, across over along, of bodies whose torsion is set apart


class Geometry(ABC):
    """Stress stiffness of a structure, and the second order of what lies between its nodes."""

    @abstractmethod
    def of_loads(self, shapes: Array, u: Array, places: tuple[str, ...]) -> Array:
        """T of (1) between shapes (N, m) for the loads of `second_order`, array (k, m, m).

        Parameters
        ----------
        shapes : array (N, m)
            Displacements a and b.
        u : array (N, k)
            Static displacements under twelve loads of the mass, then six loads at each place.
        places : tuple of str
            Interfaces and named nodes.
        """

    def inside(self, shapes: Array, about: Array) -> Array | float:  # noqa: ARG002
        """Sums over the mass of (1, r) n, array (4, 3, m, m).

        n[a, b] is the second order of the mass relative to the nodes, which is zero where its
        displacement is linear in theirs; r is its position from `about`.
        """
        return 0.0

    def twisting(self, shapes: Array) -> NDArray[np.bool_]:
        """Shapes (m,) whose products with others the sums over the mass leave out.

        Torsion of slender parts: twisting what is bent moves its mass sideways, which the constant
        modal mass of level "stiffened" does not match.  A free body would lose the definiteness of
        its mass matrix at a fraction of its section's radius.
        """
        return np.zeros(shapes.shape[1], dtype=bool)


class ElementGeometry(Geometry):
    """Stress stiffness by elements, from any displacement."""

    @abstractmethod
    def between(self, shapes: Array, u: Array) -> Array:
        """T of (1) between shapes (N, m) for displacements (N, k), array (k, m, m)."""

    def of_loads(self, shapes: Array, u: Array, places: tuple[str, ...]) -> Array:  # noqa: ARG002
        """T of (1) for the loads of `second_order`."""
        return self.between(shapes, u)


def twice_turned(v: Array) -> Array:
    """Symmetric forms of t x (t x v) = t (t.v) - v (t.t) in t, (3, 3, 3)."""
    one = np.einsum("ki,j->kij", np.eye(3), v)
    return np.asarray((one + one.swapaxes(1, 2)) / 2 - np.einsum("k,ij->kij", v, np.eye(3)))


def twisted_slabs(masses: Array, places: Array, moved: Array) -> NDArray[np.bool_]:
    """Shapes (m,) of a slender body that mostly turn its slabs about its length.

    `masses`, `places`, `moved` (n,), (n, 3), (n, 3, m): of points of the body; displacements by the
    shapes.
    """
    centred = places - masses @ places / masses.sum()
    values, axes = np.linalg.eigh((masses[:, None] * centred).T @ centred)
    if values[1] > _SLENDER**2 * values[2]:
        return np.zeros(moved.shape[2], dtype=bool)
    axis, along = axes[:, 2], centred @ axes[:, 2]
    edges = np.linspace(along.min(), along.max(), _SLABS + 1)[1:-1]
    slab = np.searchsorted(edges, along)
    m = np.maximum(np.bincount(slab, masses, _SLABS), 1e-300)
    mean = np.stack([np.bincount(slab, masses * x, _SLABS) / m for x in centred.T], axis=1)
    swung = np.cross(axis, centred - mean[slab])  # by a unit turn of the slab
    inertia = np.bincount(slab, masses * np.sum(swung**2, axis=1), _SLABS)
    work = masses[:, None] * np.einsum("nk,nkm->nm", swung, moved)
    turned = np.stack([np.bincount(slab, x, _SLABS) for x in work.T], axis=1)
    energy = (turned**2 / np.maximum(inertia, 1e-300)[:, None]).sum(axis=0)
    return np.asarray(energy > 0.5 * np.einsum("n,nkm->m", masses, moved**2))
