"""Straight beams: what lies beyond a section, for the loads that the section carries.

The shapes of a beam are polynomials in each piece of its axis, and its particles stand at Gauss
stations of these pieces: their values fix the polynomials, and Gauss points between a section and
the next end of a piece integrate the inertia of the part beyond it exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre

from .along import second_shapes_along
from .normal import MassIntegrals, NormalBody

Array = np.ndarray

_PARTICLES = 4  # at a station


class OutboardMass(NamedTuple):
    """Mass beyond a section, about the origin of the body and in its axes.

    `first_moment` and `second_moment` are those of the second order of the deformation, as in
    `SecondOrder`; None without it.
    """

    integrals: MassIntegrals
    first_moment: Array | None
    second_moment: Array | None


class BeamAxis:
    """Axis of the beam of a body, at any place between its ends.

    `length`: [m]; `direction` (3,): from the root to the tip, body axes; `axes` (3, 3): columns x
    (the direction), y and z of the undeformed sections, body axes.
    """

    def __init__(self, body: NormalBody) -> None:
        assert body.line is not None
        self.body, self.line = body, body.line
        first = self.line.nodes
        count = self.line.pieces * self.line.stations
        particles = slice(first, first + _PARTICLES * count)
        points = body.node_positions[particles].reshape(count, _PARTICLES, 3)
        shapes = body.node_shapes[particles].reshape(count, _PARTICLES, 6, -1)
        tip = body.node_positions[first - 1] - body.node_positions[0]
        self.length = float(np.linalg.norm(tip))
        self.direction = tip / self.length
        self.offsets = points[0] - points[0].mean(axis=0)
        across = self.offsets[[0, 2]] / np.linalg.norm(self.offsets[[0, 2]], axis=1)[:, None]
        self.axes = np.stack([self.direction, *across], axis=1)
        self._xi, self._weights = legendre.leggauss(self.line.stations)
        self._coefficients = self._fitted(shapes.mean(axis=1))

    def _fitted(self, shapes: Array) -> Array:
        """Legendre coefficients of the shapes in each piece, (stations, pieces, 6, m)."""
        n = self.line.stations
        values = shapes.reshape(self.line.pieces, n, *shapes.shape[1:])
        basis = legendre.legvander(self._xi, n - 1) * self._weights[:, None]
        return np.einsum("sj,psrm->jprm", basis * (np.arange(n) + 0.5), values)

    def shapes(self, fractions: Array, derivative: int = 0) -> Array:
        """Shapes of the axis (k, 6, m) at fractions of its length, or their derivative by it."""
        n = self.line.pieces
        piece = np.clip((fractions * n).astype(int), 0, n - 1)
        c = self._coefficients
        for _ in range(derivative):
            c = legendre.legder(c, axis=0) * (2 * n / self.length)
        basis = legendre.legvander(2 * (fractions * n - piece) - 1, len(c) - 1)
        return np.einsum("kj,jkrm->krm", basis, c[:, piece])

    def second_shapes(self, fractions: Array, *, twist: bool = True) -> Array:
        """Second order [rho; h] of the axis at fractions of its length, (k, 6, m, m).

        Without the twist, as the mass takes it; see `structures.second_order`.
        """
        return second_shapes_along(
            fractions, self.length, self.direction, self.line.stations, self._fields(twist)
        )

    def _fields(self, twist: bool) -> Callable[[Array], tuple[Array, Array, Array]]:
        """Function of fractions: curvature, its first integral and stretch of each shape."""
        e = self.direction
        across = np.eye(3) - (0.0 if twist else 1.0) * np.outer(e, e)

        def fields(fractions: Array) -> tuple[Array, Array, Array]:
            slopes = self.shapes(fractions, derivative=1)
            turn = self.shapes(fractions)[:, :3]
            stretch = np.outer(e, e) @ slopes[:, 3:]
            return across @ slopes[:, :3], across @ turn, stretch

        return fields

    def beyond(self, fraction: float) -> OutboardMass:
        """Mass between a section, at a fraction of the length, and the tip."""
        at, weights = self._points(fraction)
        axis, count = self.shapes(at), len(at) * _PARTICLES
        twist = np.einsum("c,kcm->km", self.direction, axis[:, :3])
        swung = np.cross(self.direction, self.offsets)  # of a unit of twist
        shapes = axis[:, None, 3:] + swung[None, :, :, None] * twist[:, None, None]
        places = at[:, None, None] * self.length * self.direction + self.offsets
        masses = np.repeat(weights * self.body.mass / _PARTICLES, _PARTICLES)
        integrals = MassIntegrals.of_points(
            masses, places.reshape(count, 3), shapes.reshape(count, 3, -1)
        )
        if self.body.second_order is None:
            return OutboardMass(integrals, None, None)
        h = self.second_shapes(at, twist=False)[:, 3:]
        weighted = weights[:, None, None, None] * self.body.mass * h
        arms = at[:, None] * self.length * self.direction
        return OutboardMass(
            integrals, weighted.sum(axis=0), np.einsum("ka,kbij->abij", arms, weighted)
        )

    def _points(self, fraction: float) -> tuple[Array, Array]:
        """Gauss points beyond a section as fractions of the length, and their weights."""
        n = self.line.pieces
        ends = np.arange(n + 1) / n
        starts = np.maximum(ends[:-1], fraction)
        lengths = np.maximum(ends[1:] - starts, 0.0)
        at = starts[:, None] + lengths[:, None] * (1 + self._xi) / 2
        return np.minimum(at, 1.0).ravel(), np.outer(lengths, self._weights / 2).ravel()

    @property
    def describes_body(self) -> bool:
        """Whether the mass of the body is that of its beam, with the joint at its root."""
        whole, of_body = self.beyond(0.0).integrals, self.body.integrals
        pairs = [(whole.second_moment, of_body.second_moment)]
        pairs += [(whole.modal_second_moment, of_body.modal_second_moment)]
        alike = all(
            np.abs(a - b).max(initial=0.0) <= 1e-9 * np.abs(b).max(initial=1e-300) for a, b in pairs
        )
        return alike and self.body.inboard == 0 and not self.body.lumps
