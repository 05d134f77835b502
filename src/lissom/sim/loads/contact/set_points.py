"""Points of contact of a set in a plan: each shape once, each pair with its law."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ....algorithms import pose
from ....kernels.contact.pairs import pair_number
from ....kernels.layout import contact
from ....kernels.layout.contact import BallNumbers, ContactNumbers
from ....kernels.run.contact_forces import CLOSEST_POINTS, WITNESS_SIZE
from ....shapes import ContactShape, HalfSpace, parts
from ....system import Frame, System
from .contact import CLOSED_GAP, CONTACT, ShapeSide
from .members import SetMember

if TYPE_CHECKING:
    from ...run.plan import Plan

Array = np.ndarray

TYPICAL = 0.2  # margin of a list, in medians of the radii
_ROUND = ("sphere", "half_space")  # kinds whose curvatures do not depend on where they touch


class SetContact(NamedTuple):
    """A contact of a set, as a load of its own would be: name, law, carriers of its shapes."""

    label: str
    law: Any
    on: bool
    places: tuple[str, str]
    initially: str
    name: str = ""  # it was given none

    def carriers(self, system: System) -> tuple[str, str]:
        """Carriers of both shapes; the world has no name."""
        return self.places


class _ShapePart:
    """A shape without parts, in the plan: numbers, slot, ball, and pose in the neutral position."""

    def __init__(self, plan: Plan, shape: ContactShape, frame: Frame) -> None:
        side = ShapeSide(shape, frame)
        self.plan, self.shape, self.frame = plan, shape, frame
        self.kind, self.radius = shape.kind, shape.bounding_radius
        self.numbers = shape.numbers
        self.table = plan.table(self.numbers)
        self.slot = plan.slot(frame)
        self.center, self.R, self.p = side.point(shape.center), side.rotation, side.point(shape.at)
        self.ball = plan.add_ball(self.slot, self._ball(shape))

    def _ball(self, shape: ContactShape) -> Array:
        """Constants of the ball about it."""
        values = np.zeros(BallNumbers.size)
        numbers = BallNumbers(values, 0)
        numbers.kind, numbers.center = contact.BALL, self.center
        if not np.isfinite(self.radius):
            numbers.kind = contact.ENDLESS
            if isinstance(shape, HalfSpace) and self.frame.grounded:
                numbers.kind, numbers.center = contact.PLANE, self.p
                numbers.normal = self.R @ np.asarray(shape.normal)
        else:
            numbers.radius = self.radius
        return values

    @cached_property
    def pose(self) -> Array:
        """Attitude and place of its own axes (12,), in the neutral position."""
        R, x = self.frame.rotation, self.frame.position
        if not self.frame.grounded:
            system = self.plan.system
            at = pose(system, system.neutral(), self.frame.name)
            R, x = at.rotation, at.position
        R_shape = R @ self.shape.rotation
        return np.concatenate([R_shape.ravel(), x + R @ np.asarray(self.shape.at)])


class SetPoints:
    """Points of contact of one set; `add` each pair, then `close`."""

    def __init__(self, plan: Plan, load: Any, members: list[SetMember]) -> None:
        self.plan, self.load, self.members = plan, load, members
        self._active = plan.flag(load.label, load.on)
        self._closest = CLOSEST_POINTS.load()
        self._parts: dict[Any, _ShapePart] = {}
        self._laws: dict[Any, Any] = {}
        self._offsets: dict[Any, tuple[int, Any]] = {}
        self._tolerance = CLOSED_GAP * plan.system.length
        self._first_pair = len(plan.rows["pairs"])

    def add(
        self, a: SetMember, b: SetMember, law: Any, friction: Any, *, has_channels: bool
    ) -> None:
        """Add the points of a pair."""
        plan, first = self.plan, len(self.plan.contacts)
        for k, part in enumerate(parts(a.shape, b.shape)):
            for j, other in enumerate(parts(b.shape, part)):
                sides = (a, self._part(a, part, b, k)), (b, self._part(b, other, a, j))
                self._add_point(sides, law, friction, first)
        points = plan.contacts[first:]
        size = min(a.shape.bounding_radius, b.shape.bounding_radius)
        plan.contact_sizes += [size] * len(points)
        if not has_channels:
            plan.without_channels.update(map(id, points))
        places = a.placed.carrier or "", b.placed.carrier or ""
        name = SetContact(f"{a.name}-{b.name}", law, self.load.on, places, self.load.initially)
        plan.contact_parts.append((name, first, len(points)))

    def close(self, *, sums: bool) -> None:
        """Add sums of all contacts of each shape, if they are wanted, and the margin."""
        plan = self.plan
        radii = [x.radius for x in self._parts.values() if np.isfinite(x.radius) and x.radius > 0]
        margin = self.load.margin
        if margin is None:
            margin = TYPICAL * float(np.median(radii)) if radii else 0.01 * plan.system.length
        plan.margin = min(plan.margin, margin)
        first = len(plan.totals)
        if sums:
            pressed = self.load.initially == "pressed"
            plan.totals += [
                (f"{x.name}.contacts", x.placed.carrier or "", pressed) for x in self.members
            ]
        else:
            first = -1
        for row in plan.rows["pair_sides"][self._first_pair :]:
            for side in ("total_a", "total_b"):
                setattr(row, side, first + getattr(row, side) if sums else -1)

    def _part(self, member: SetMember, shape: ContactShape, other: SetMember, k: int) -> _ShapePart:
        """Part of a shape: itself, or the k-th of those that stand for it on another shape."""
        key = (member.number, None if shape is member.shape else (other.shape.kind, k))
        if key not in self._parts:
            self._parts[key] = _ShapePart(self.plan, shape, member.frame)
        return self._parts[key]

    def _add_point(self, sides: Any, law: Any, friction: Any, first: int) -> None:
        """Add one point of contact."""
        number, swapped = pair_number(sides[0][1].kind, sides[1][1].kind) or (0, False)
        (member_a, a), (member_b, b) = reversed(sides) if swapped else sides
        values = np.zeros(ContactNumbers.size)
        numbers = ContactNumbers(values, 0)
        numbers.pair = number
        numbers.shape_a, numbers.shape_b = a.table, b.table
        numbers.law, law, mean = self._law(law, number, a, b)
        numbers.slip = 0.0 if friction is None else self._friction(friction, law, mean)
        numbers.tolerance = self._tolerance
        numbers.first = first
        numbers.ball = a.radius + b.radius
        numbers.center_a, numbers.center_b = a.center, b.center
        numbers.R_a, numbers.R_b = a.R.ravel(), b.R.ravel()
        numbers.p_a, numbers.p_b = a.p, b.p
        self.plan.contact_radii.append(1.0 / mean if mean > 0.0 else np.inf)
        self.plan.add_pair(
            CONTACT, a.slot, b.slot, values, active=self._active, swapped=swapped,
            ball_a=a.ball, ball_b=b.ball, total_a=member_a.number, total_b=member_b.number,
        )  # fmt: skip

    def _law(self, law: Any, number: int, a: _ShapePart, b: _ShapePart) -> tuple[int, Any, float]:
        """Place of the numbers of a law between two shapes, this law, and their mean curvature."""
        key: Any = id(law), number, a.ball, b.ball
        if a.kind in _ROUND and b.kind in _ROUND:
            key = (id(law), number, float(a.radius), float(b.radius))
        if key not in self._laws:
            curvatures = self._curvatures(number, a, b)
            between = law.between(curvatures[:3], curvatures[3:])
            numbers = tuple(between.numbers())
            if (id(law), numbers) not in self._offsets:
                self._offsets[id(law), numbers] = self.plan.table(numbers), between
            mean = 0.5 * float(curvatures[[0, 2, 3, 5]].sum())
            self._laws[key] = *self._offsets[id(law), numbers], mean
        offset, between, mean = self._laws[key]
        return offset, between, mean

    def _friction(self, friction: Any, law: Any, mean: float) -> int:
        """Place of the numbers of friction beside a law."""
        key = "friction", id(friction), id(law), mean
        if key not in self._offsets:
            radius = 1.0 / mean if mean > 0.0 else 0.0
            self._offsets[key] = self.plan.table(friction.numbers(law, radius=radius)), law
        return self._offsets[key][0]

    def _curvatures(self, number: int, a: _ShapePart, b: _ShapePart) -> Array:
        """Shape operators (6,) of a pair in the neutral position."""
        out = np.zeros(WITNESS_SIZE)
        table, poses = np.concatenate([a.numbers, b.numbers]), np.concatenate([a.pose, b.pose])
        self._closest(number, table, 0, len(a.numbers), poses, out)
        return out[16:]
