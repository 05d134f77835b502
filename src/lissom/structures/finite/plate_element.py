"""Rectangular element of a thin plate, with bending and membrane.

Bending is Kirchhoff's with the conforming bicubic element of Bogner, Fox and Schmit (1965): w, w_x,
w_y and w_xy at four corners, products of Hermite cubics.  Frequencies converge with the fourth
power of the size, from above.  The membrane is bilinear with Wilson's incompatible modes, and the
rotation t about the normal, which bending does not know, follows the membrane after Hughes and
Brezzi (1989), in the middle of the element, since bending in the plane has no constant rotation:

    V = D/2 int (w_xx² + w_yy² + 2 nu w_xx w_yy + 2 (1-nu) w_xy²)                              (1)
      + A/2 int (e_x² + e_y² + 2 nu e_x e_y + (1-nu)/2 g_xy²)                                  (2)
      + A (1-nu)/4 int (t - (v_x - u_y)/2)²                                                    (3)

Freedoms of a corner: rotations w_y, -w_x, t, translations u, v, w, and w_y + c w_xy, a rotation
too: the slope at the distance c along x.  It stands for w_xy, which rigid motion would leave at
zero, so that all freedoms are rotations and translations.

The mass lies at 4 x 4 Gauss points, two particles to a point at z = +-rho above and below, which
move by (u - z w_x, v - z w_y, w); their sum is the consistent mass with rotary inertia.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray

Array = NDArray[np.float64]

N_CORNER = 7  # freedoms of a corner
CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))
_SMALL = 1e-3  # part of (3) that is integrated fully, against differences within an element
_SLOPE_X, _SLOPE_Y, _DRILL, _U, _V, _W, _TWIST = 1, 0, 2, 3, 4, 5, 6


@dataclass(frozen=True, eq=False)
class PlateElement:
    """Rectangle 0..a, 0..b in its plane; 28 freedoms, seven at each of `CORNERS`."""

    # a, b: sides along x and y [m]
    a: float
    b: float
    bending: float  # D of (1) [N m]
    membrane: float  # a of (2), E t / (1 - nu²) of a solid plate [N/m]
    poisson_ratio: float  # nu
    reach: float  # c, distance of the slope that stands for the twist [m]

    @cached_property
    def stiffness(self) -> Array:
        """Stiffness of (1)-(3), (28, 28)."""
        elastic = self._elasticity
        drill = self.membrane * (1 - self.poisson_ratio) / 2
        K = np.zeros((28, 28))
        for x, y, weight in self.points(4):
            B = self.curvature(x, y)
            K += weight * self.bending * B.T @ elastic @ B
            B = self.strain(x, y)
            K += weight * self.membrane * B.T @ elastic @ B
        for n, part in ((1, 1.0), (2, _SMALL)):
            for x, y, weight in self.points(n):
                r = self._spin(x, y)
                K += weight * part * drill * np.outer(r, r)
        return (K + K.T) / 2

    @property
    def _elasticity(self) -> Array:
        nu = self.poisson_ratio
        return np.array([[1.0, nu, 0.0], [nu, 1.0, 0.0], [0.0, 0.0, (1 - nu) / 2]])

    def points(self, n: int) -> list[tuple[float, float, float]]:
        """Gauss points n x n, with their weights [m²]."""
        xi, w = leggauss(n)
        along, across = self.a * (1 + xi) / 2, self.b * (1 + xi) / 2
        return [
            (along[i], across[j], w[i] * w[j] * self.a * self.b / 4)
            for i, j in product(range(n), range(n))
        ]

    def deflection(self, x: float, y: float) -> Array:
        """w, w_x and w_y, (3, 28)."""
        return self._bicubic(x, y, ((0, 0), (1, 0), (0, 1)))

    def curvature(self, x: float, y: float) -> Array:
        """w_xx, w_yy and 2 w_xy, (3, 28)."""
        return self._bicubic(x, y, ((2, 0), (0, 2), (1, 1))) * np.array([[1.0], [1.0], [2.0]])

    def moved(self, x: float, y: float, z: float) -> Array:
        """Displacement of a material point, (3, 28)."""
        w, w_x, w_y = self.deflection(x, y)
        shape = self._bilinear(x, y)[0]
        displacement = np.zeros((3, 28))
        displacement[0, _U::N_CORNER], displacement[1, _V::N_CORNER] = shape, shape
        displacement[0] -= z * w_x
        displacement[1] -= z * w_y
        displacement[2] = w
        return displacement

    def strain(self, x: float, y: float) -> Array:
        """e_x, e_y and g_xy of the membrane, incompatible modes eliminated, (3, 28)."""
        return self._compatible(x, y) - self._bubble(x, y) @ self._follow

    def force(self, x: float, y: float) -> Array:
        """Forces N_xx, N_yy and N_xy in the membrane [N/m], (3, 28)."""
        return np.asarray(self.membrane * self._elasticity @ self.strain(x, y))

    def slopes(self, x: float, y: float) -> Array:
        """Derivatives along x and y of u, v and w, (2, 3, 28)."""
        _, d_x, d_y = self._bilinear(x, y)
        gradient = np.zeros((2, 3, 28))
        for k, derivative in enumerate((d_x, d_y)):
            gradient[k, 0, _U::N_CORNER] = gradient[k, 1, _V::N_CORNER] = derivative
        gradient[:, 2] = self.deflection(x, y)[1:]
        return gradient

    def stress(self, x: float, y: float, z: float, modulus: float) -> Array:
        """xx, yy and xy at the height z for E / (1 - nu²) [Pa], (3, 28)."""
        strain = self.strain(x, y) - z * self.curvature(x, y)
        return modulus * self._elasticity @ strain

    def _bicubic(self, x: float, y: float, orders: tuple[tuple[int, int], ...]) -> Array:
        """Derivatives of w of some orders, (len, 28)."""
        derivatives = np.zeros((len(orders), 4, N_CORNER))
        along = [_hermite(x, self.a, k) for k in range(3)]
        across = [_hermite(y, self.b, k) for k in range(3)]
        for row, (p, q) in enumerate(orders):
            for corner, (i, j) in enumerate(CORNERS):
                value_x, slope_x = along[p][i]
                value_y, slope_y = across[q][j]
                derivatives[row, corner, _W] = value_x * value_y
                derivatives[row, corner, _SLOPE_X] = -slope_x * value_y
                twist = slope_x * slope_y / self.reach
                derivatives[row, corner, _SLOPE_Y] = value_x * slope_y - twist
                derivatives[row, corner, _TWIST] = twist
        return derivatives.reshape(len(orders), 28)

    def _bilinear(self, x: float, y: float) -> tuple[Array, Array, Array]:
        """Functions of the corners and their derivatives along x and y, each (4,)."""
        i, j = np.array(CORNERS).T
        fx, fy = np.where(i, x / self.a, 1 - x / self.a), np.where(j, y / self.b, 1 - y / self.b)
        gx, gy = np.where(i, 1.0, -1.0) / self.a, np.where(j, 1.0, -1.0) / self.b
        return fx * fy, gx * fy, fx * gy

    def _compatible(self, x: float, y: float) -> Array:
        _, d_x, d_y = self._bilinear(x, y)
        strains = np.zeros((3, 28))
        strains[0, _U::N_CORNER], strains[1, _V::N_CORNER] = d_x, d_y
        strains[2, _U::N_CORNER], strains[2, _V::N_CORNER] = d_y, d_x
        return strains

    def _bubble(self, x: float, y: float) -> Array:
        """Strains of the incompatible u and v, 1 - xi² and 1 - eta² each, (3, 4)."""
        d_x = -4 / self.a * (2 * x / self.a - 1)
        d_y = -4 / self.b * (2 * y / self.b - 1)
        return np.array([[d_x, 0, 0, 0], [0, 0, 0, d_y], [0, d_y, d_x, 0]])

    @cached_property
    def _follow(self) -> Array:
        """Amplitudes of the incompatible modes from the freedoms, with the sign of `strain`."""
        mode_stiffness, both = np.zeros((4, 4)), np.zeros((4, 28))
        for x, y, weight in self.points(2):
            G = self._bubble(x, y)
            mode_stiffness += weight * G.T @ self._elasticity @ G
            both += weight * G.T @ self._elasticity @ self._compatible(x, y)
        return np.asarray(np.linalg.solve(mode_stiffness, both))

    def _spin(self, x: float, y: float) -> Array:
        """Bracket of (3), (28,)."""
        shape, d_x, d_y = self._bilinear(x, y)
        rates = np.zeros(28)
        rates[_DRILL::N_CORNER] = shape
        rates[_V::N_CORNER], rates[_U::N_CORNER] = -d_x / 2, d_y / 2
        return rates


def _hermite(x: float, length: float, order: int) -> tuple[tuple[float, float], ...]:
    """Derivative of the Hermite cubics at x: (value, slope) of the first and of the second end."""
    s = x / length
    if order == 0:
        ends = (1 - 3 * s**2 + 2 * s**3, s - 2 * s**2 + s**3), (3 * s**2 - 2 * s**3, s**3 - s**2)
    elif order == 1:
        ends = (6 * s**2 - 6 * s, 1 - 4 * s + 3 * s**2), (6 * s - 6 * s**2, 3 * s**2 - 2 * s)
    else:
        ends = (12 * s - 6, 6 * s - 4), (6 - 12 * s, 6 * s - 2)
    scale = length**order
    return tuple((value / scale, slope * length / scale) for value, slope in ends)
