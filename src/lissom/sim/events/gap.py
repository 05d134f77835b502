"""The gap between two shapes, as what an event watches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from ...algorithms import jacobian, pose
from ...algorithms.tree import engine
from ...errors import LissomError, LoadError
from ...fields import check_fields, declare, declared
from ...immutable import immutable
from ...kernels.contact.pairs import pair_number
from ...kernels.layout.contact import ContactNumbers, GapNumbers
from ...kernels.run.contact_forces import CLOSEST_POINTS, WITNESS_SIZE
from ...printing import Shown
from ...shapes import ContactShape, parts
from ...system import GROUND, Frame, PlacedShape, State, System
from ..loads.contact.contact import ShapeField, placed_shape
from ..loads.forms import place_text

if TYPE_CHECKING:
    from ..run.plan import Plan

Array = np.ndarray


@final
@immutable("make another one")
@declared()
class Gap(Shown):
    """The gap between two shapes, for `Event` to watch: zero where they touch.

    Of shapes that may touch at several points, such as a box on a plane, the smallest one.
    """

    a: Any = declare(
        ShapeField(),
        "Name of a shape, or of the body, node or frame that carries one; or a shape as "
        "`System.shape` gives it.",
    )
    b: Any = declare(
        ShapeField(), "The other shape, likewise; one without a carrier belongs to the world."
    )

    def __post_init__(self) -> None:
        check_fields(self, "Gap", LoadError)

    @property
    def title(self) -> str:
        """Both shapes."""
        return f"{_text(self.a)} and {_text(self.b)}"

    def enter(self, plan: Plan, what: str) -> GapPoints:
        """Points that may touch, resolved against a plan; their constants go into its table.

        Parameters
        ----------
        plan : Plan
            Resolved arguments of `simulate`.
        what : str
            Name of the event in errors.
        """
        system = plan.system
        placed = [placed_shape(system, x, what) for x in (self.a, self.b)]
        frames = [_frame(system, x, what) for x in placed]
        _check_mobile(system, frames, what)
        points = [
            _point(what, placed, a, frames[0], b, frames[1])
            for a, b in _pieces(placed[0].shape, placed[1].shape)
        ]
        first = plan.table(*(x.numbers(plan) for x in points))
        labels = (placed[0].label, placed[1].label)
        return GapPoints(points, first, labels)


class GapPoint(NamedTuple):
    """Two smooth shapes, in the order of their pair."""

    pair: int
    swapped: bool  # whether a is that of the gap's b
    a: ContactShape
    frame_a: Frame
    b: ContactShape
    frame_b: Frame

    def numbers(self, plan: Plan) -> Array:
        """Constants for kernels: `GapNumbers` and `ContactNumbers`."""
        values, system = np.zeros(GapNumbers.size + ContactNumbers.size), plan.system
        paths, numbers = GapNumbers(values, 0), ContactNumbers(values, GapNumbers.size)
        paths.path_a, paths.path_b = (
            -1.0 if x.grounded else plan.table(engine.path_constants(system, x))
            for x in (self.frame_a, self.frame_b)
        )
        numbers.pair = self.pair
        numbers.shape_a, numbers.shape_b = (plan.table(x.numbers) for x in (self.a, self.b))
        numbers.ball = self.a.bounding_radius + self.b.bounding_radius
        numbers.center_a = _in_slot(self.frame_a, self.a.center)
        numbers.center_b = _in_slot(self.frame_b, self.b.center)
        numbers.R_a = (_turn(self.frame_a) @ self.a.rotation).ravel()
        numbers.R_b = (_turn(self.frame_b) @ self.b.rotation).ravel()
        numbers.p_a = _in_slot(self.frame_a, self.a.at)
        numbers.p_b = _in_slot(self.frame_b, self.b.at)
        return values

    def closest(self, system: System, state: State) -> ClosestPoints:
        """Closest points in a state, a and b as in the gap."""
        poses: list[Array] = []
        for shape, frame in ((self.a, self.frame_a), (self.b, self.frame_b)):
            R, x = _pose(system, state, frame)
            poses += [np.ravel(R @ shape.rotation), x + R @ np.asarray(shape.at)]
        sizes, out = len(self.a.numbers), np.zeros(WITNESS_SIZE)
        table = np.concatenate([self.a.numbers, self.b.numbers])
        CLOSEST_POINTS.load()(self.pair, table, 0, sizes, np.concatenate(poses), out)
        x, axes = 0.5 * (out[4:7] + out[7:10]), np.column_stack([out[10:13], out[13:16], out[1:4]])
        rows = [_velocity_rows(system, state, frame, x) for frame in (self.frame_a, self.frame_b)]
        J = axes.T @ (rows[0] - rows[1])
        if self.swapped:  # the other normal, and tangents that stay right-handed with it
            axes = axes[:, [1, 0, 2]] * [1.0, 1.0, -1.0]
            J = axes.T @ (rows[1] - rows[0])
        return ClosestPoints(float(out[0]), x, axes, J)


class ClosestPoints(NamedTuple):
    """Where two shapes are closest.

    gap: distance, negative where they overlap; point (3,): half-way between their closest points;
    axes (3, 3): two tangents and the normal from b to a as columns; J (3, n_v): takes the speeds to
    the velocity of a relative to b at the point, in these axes.
    """

    gap: float
    point: Array
    axes: Array
    J: Array


@dataclass(frozen=True, eq=False)
class GapPoints:
    """A gap in a plan: its points, their place in the table, and the names of both shapes."""

    points: list[GapPoint]
    first: int
    labels: tuple[str, str]

    def closest(self, system: System, state: State) -> list[ClosestPoints]:
        """Closest points of all its points."""
        return [x.closest(system, state) for x in self.points]


def _pieces(a: ContactShape, b: ContactShape) -> Iterator[tuple[ContactShape, ContactShape]]:
    """Pairs of smooth shapes."""
    for shape in parts(a, b):
        for other in parts(b, shape):
            yield shape, other


def _frame(system: System, placed: PlacedShape, what: str) -> Frame:
    """Frame of the carrier of a shape."""
    if placed.carrier is None:
        return Frame("the world", GROUND, GROUND, position=np.zeros(3))
    try:
        return system.place(placed.carrier)
    except LissomError as error:
        raise LoadError(f"{what}: {error}") from None


def _check_mobile(system: System, frames: list[Frame], what: str) -> None:
    """Refuse shapes that cannot move relative to each other."""
    a, b = frames
    if a.grounded and b.grounded:
        raise LoadError(
            f"{what}: both shapes are fixed to the ground; put one on a body that moves"
        )
    if a.body == b.body and (a.node == b.node or not system.bodies[a.body].n_mode):
        raise LoadError(
            f"{what}: both shapes are on {system.names[a.body]!r}, where they cannot move relative "
            "to each other; put one on another body"
        )


def _point(
    what: str,
    placed: list[PlacedShape],
    a: ContactShape,
    frame_a: Frame,
    b: ContactShape,
    frame_b: Frame,
) -> GapPoint:
    """Two smooth shapes as a pair."""
    pair = pair_number(a.kind, b.kind)
    if pair is None:
        raise LoadError(
            f"{what}: the closest points of {placed[0].label} ({a.name}) and {placed[1].label} "
            f"({b.name}) are not known; give shapes of a pair on the page of contacts"
        )
    number, swapped = pair
    sides = (b, frame_b, a, frame_a) if swapped else (a, frame_a, b, frame_b)
    return GapPoint(number, swapped, *sides)


def _turn(frame: Frame) -> Array:
    """Axes of a frame of the ground in the world; of others one, since paths lead to frames."""
    return np.asarray(frame.rotation) if frame.grounded else np.eye(3)


def _in_slot(frame: Frame, at: Any) -> Array:
    """Point of a frame in the world if it is on the ground, else in its own axes."""
    return frame.position + frame.rotation @ np.asarray(at) if frame.grounded else np.asarray(at)


def _pose(system: System, state: State, frame: Frame) -> tuple[Array, Array]:
    """Attitude and position of a frame."""
    if frame.grounded:
        return np.asarray(frame.rotation), np.asarray(frame.position)
    placed = pose(system, state, frame.name)
    return np.asarray(placed.rotation), np.asarray(placed.position)


def _velocity_rows(system: System, state: State, frame: Frame, x: Array) -> Array:
    """Matrix (3, n_v) of the velocity of the point of a carrier that is at x, world axes."""
    if frame.grounded:
        return np.zeros((3, system.n_v))
    R, origin = _pose(system, state, frame)
    return np.asarray(jacobian(system, state, frame.name, at=R.T @ (x - origin))[3:])


def _text(where: Any) -> str:
    if isinstance(where, PlacedShape):
        return where.label
    return where.name if isinstance(where, ContactShape) else place_text(where)
