"""Second order of the deformation along a straight beam, from curvature and stretch of its shapes.

Notation: s arc length, kappa_i and e_i curvature (with twist) and stretch of shape i, turn_i the
first integral of kappa_i from the root, e_x the direction of the axis; all in root axes.  Sections
turn by R' = R [kappa]x and the axis follows r' = R (e_x + e).  To second order in the amplitudes a
section is displaced by Pi eta + h[eta, eta]/2 and turned by the vector Pi eta + rho[eta, eta]/2.
Integrals go from 0 to s:

    S_ij = turn_i x (kappa_j x e_x) + turn_j x (kappa_i x e_x)
    h_ij = integral of (s - t) S_ij dt + integral of turn_i x e_j + turn_j x e_i dt            (1)
    rho_ij = integral of (turn_i x kappa_j + turn_j x kappa_i) / 2 dt                          (2)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Array = np.ndarray


def second_shapes_along(
    points: Array,
    length: float,
    axis: Array,
    stations: int,
    fields: Callable[[Array], tuple[Array, Array, Array]],
) -> Array:
    """[rho; h] at fractions of the length, (n, 6, n_mode, n_mode), by (1) and (2).

    `points` (n,): fractions of the length; `length`: of the beam [m]; `axis` (3,): direction e_x;
    `fields`: function of fractions: curvature [1/m], its first integral [rad] and stretch of each
    shape, each (k, 3, n_mode).
    """
    xi, weights = np.polynomial.legendre.leggauss(stations)
    t = np.outer(points, (1.0 + xi) / 2.0)
    values = fields(t.ravel())
    shapes = []
    for k, x in enumerate(points):
        curvature, turn, stretch = (f[k * len(xi) : (k + 1) * len(xi)] for f in values)
        w = length * x * weights / 2.0
        bent = _products(turn, np.cross(curvature, axis, axisa=1, axisb=0, axisc=1))
        ahead = np.tensordot(w * length * (x - t[k]), bent, 1)
        stretched = np.tensordot(w, _products(turn, stretch), 1)
        turned = np.tensordot(w, _products(turn, curvature), 1) / 2.0
        shapes.append(np.concatenate([turned, ahead + stretched]))
    return np.stack(shapes)


def _products(a: Array, b: Array) -> Array:
    """Cross products of all pairs of modes, a_i x b_j + a_j x b_i; shape (n, 3, m, m)."""
    one = np.cross(a[:, :, :, None], b[:, :, None, :], axis=1)
    return one + one.swapaxes(2, 3)
