"""Closed curves in a plane, and height fields: cubic splines through points."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from ..bodies import solids
from ..errors import ModelError
from ..fields import NumberField, declare, declared
from .base import Array, ContactShape, final_shape
from .forms import AscendingField, PlanePointsField, TableField
from .hollow import strips

_FINE = 8  # drawn corners between two points of a curve
_THIN = 0.1  # width with which a curve is drawn, in its largest extents


@final
@final_shape
@declared()
class CurveShape(ContactShape):
    """Wall along z over a closed curve in its xy plane, as of a cam; without an end along z.

    The curve is the periodic cubic spline through the points. The body is on its left: inside of
    the curve where the points are counterclockwise, around a hole where they are clockwise.
    """

    kind = "curve"

    points: Any = declare(
        PlanePointsField(least=4), "Points in order; the first need not stand again at the end []."
    )
    width: float | None = declare(
        NumberField("length", above=0),
        "Width along z [] of the part that is drawn; by default a tenth of its extent.",
        default=None,
    )

    def check(self) -> None:
        """Check that points in a row are different."""
        steps = np.linalg.norm(np.diff(self._closed, axis=0), axis=1)
        if not np.all(steps > 0) or len(steps) < 4:
            raise ModelError(
                "Curve: points has equal points in a row; give four or more different ones"
            )

    @property
    def _closed(self) -> Array:
        """Points, the first again at the end."""
        again = np.array_equal(self.points[0], self.points[-1])
        return np.concatenate([self.points[:-1] if again else self.points, self.points[:1]])

    @property
    def spline(self) -> Any:
        """The curve (x, y) over the sum of its chords [m]."""
        points = self._closed
        steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
        chords = np.concatenate([[0.0], np.cumsum(steps)])
        from scipy.interpolate import CubicSpline

        return CubicSpline(chords, points, bc_type="periodic")

    @property
    def numbers(self) -> Array:
        """Count of the pieces; of each its length and its coefficients, ascending, of x and y."""
        spline = self.spline
        pieces = spline.c[::-1].transpose(1, 2, 0).reshape(-1, 8)
        rows = np.column_stack([np.diff(spline.x), pieces])
        return np.array([len(rows), *rows.flat])

    @property
    def bounding_radius(self) -> float:
        """Infinite along z."""
        return np.inf

    def solid(self) -> tuple[solids.Solid, ...]:
        """The wall, with both ends where the body is inside."""
        spline = self.spline
        s = [
            np.linspace(a, b, _FINE, endpoint=False)
            for a, b in zip(spline.x, spline.x[1:], strict=False)
        ]
        outline = spline(np.concatenate(s))
        n = len(outline)
        half = 0.5 * (self.width or _THIN * np.ptp(outline, axis=0).max())
        ends = [np.column_stack([outline, np.full(n, z)]) for z in (-half, half)]
        following = np.roll(outline, -1, axis=0)
        area = outline[:, 0] * following[:, 1] - outline[:, 1] * following[:, 0]
        triangles = [strips(2, n)]
        if area.sum() > 0:
            middle = ((outline + following) * area[:, None]).sum(axis=0) / (3 * area.sum())
            ends += [np.array([[*middle, -half], [*middle, half]])]
            a = np.arange(n)
            b = (a + 1) % n
            low, high = np.full(n, 2 * n), np.full(n, 2 * n + 1)
            triangles += [np.column_stack([low, b, a]), np.column_stack([high, a + n, b + n])]
        return (self._drawn(solids.Mesh, np.concatenate(ends), np.concatenate(triangles)),)


@final
@final_shape
@declared()
class HeightField(ContactShape):
    """Surface z = h(x, y) over a rectangle, with the body below it.

    h is the bicubic spline through the heights, with continuous second derivatives (not-a-knot at
    the edges); beyond the rectangle it goes on straight.
    """

    kind = "height_field"

    x: Any = declare(AscendingField(), "Lines of the grid along x, ascending.")
    y: Any = declare(AscendingField(), "Lines of the grid along y, ascending.")
    heights: Any = declare(TableField(), "Heights at ``x[i], y[j]``, (len(x), len(y)) [].")

    def check(self) -> None:
        """Check that there is a height for each point of the grid."""
        expected = len(self.x), len(self.y)
        if self.heights.shape != expected:
            raise ModelError(
                f"HeightField: heights has shape {self.heights.shape}; expected {expected}, rows "
                "along x and columns along y"
            )

    @property
    def numbers(self) -> Array:
        """Counts of cells, where they are counted from, and coefficients (cell, cell, 4, 4)."""
        along_x = _pieces(self.x, self.heights)  # power, cell, y
        both = _pieces(
            self.y, along_x.transpose(2, 0, 1)
        )  # power of y, cell of y, power of x, cell of x
        starts = [np.append(x[0], x) for x in (self.x, self.y)]
        cells = both.transpose(3, 1, 2, 0)
        return np.concatenate([[len(x) for x in starts], *starts, cells.ravel()])

    @property
    def bounding_radius(self) -> float:
        """Infinite."""
        return np.inf

    def solid(self) -> tuple[solids.Solid, ...]:
        """Triangles between the points of the grid, to be seen from both sides."""
        n, m = self.heights.shape
        x, y = np.meshgrid(self.x, self.y, indexing="ij")
        vertices = np.column_stack([x.ravel(), y.ravel(), self.heights.ravel()])
        a = (np.arange(n - 1)[:, None] * m + np.arange(m - 1)).ravel()
        front = np.concatenate(
            [np.column_stack([a, a + m, a + m + 1]), np.column_stack([a, a + m + 1, a + 1])]
        )
        return (self._drawn(solids.Mesh, vertices, np.concatenate([front, front[:, ::-1]])),)


def _pieces(x: Array, values: Array) -> Array:
    """Coefficients, ascending, of cubic splines along the first axis (4, cells, ...).

    Before the first cell and after the last there is one that goes on straight.
    """
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(x, values, axis=0)
    ends = [np.zeros((4, 1, *values.shape[1:])) for _ in range(2)]
    for piece, place in zip(ends, (x[0], x[-1]), strict=True):
        piece[0, 0], piece[1, 0] = spline(place), spline(place, 1)
    return np.concatenate([ends[0], spline.c[::-1], ends[1]], axis=1)


Curve = CurveShape
