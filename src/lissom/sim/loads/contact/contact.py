"""Contact between two shapes: a normal law, friction, and where both are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ....algorithms import pose
from ....errors import LissomError, LoadError, shown
from ....fields import ChoiceField, FieldForm, declare, declared
from ....kernels.contact.pairs import pair_number
from ....kernels.layout.contact import ContactNumbers
from ....kernels.run.contact_forces import (
    CLOSEST_POINTS,
    WITNESS_SIZE,
    add_contact,
    add_contact_change,
)
from ....kernels.run.registry import NodeKind, register
from ....model import Part
from ....shapes import ContactShape, parts
from ....system import Frame, PlacedShape, System
from ..forms import in_slot, place_text
from ..load import Load
from .face_pairs import add_faces
from .former import LoadOfContact
from .friction import Friction
from .law import NormalLaw
from .pressure import PressureField

if TYPE_CHECKING:
    from ...run.plan import Plan

Array = np.ndarray

CLOSED_GAP = 1e-10  # gap that counts as closed, in sizes of the mechanism

CONTACT = register(
    NodeKind(
        "contact", add_contact, add_contact_change, stiff=True,
        advice="make it softer, or ",
    )
)  # fmt: skip


@dataclass(frozen=True)
class ShapeField(FieldForm):
    """A shape of the mechanism or of the world."""

    kind: str = "str or shape"
    takes_none: ClassVar[bool] = True

    def check(self, value: Any, what: str, error: Any) -> Any:
        """The value."""
        if isinstance(value, (str, Part, ContactShape, PlacedShape)):
            return value
        raise error(
            f"{what} is {shown(value)}; give the name of a shape, a body, node or frame that "
            "carries one, or a shape of the world such as shapes.HalfSpace()"
        )


@dataclass(frozen=True)
class LawField(FieldForm):
    """A normal law."""

    kind: str = "normal law"

    def check(self, value: Any, what: str, error: Any) -> Any:
        """The value."""
        if isinstance(value, NormalLaw):
            return value
        raise error(
            f"{what} is {shown(value)}; give a law such as Hertz(material=STEEL, restitution=0.8, "
            "at_speed=0.5) or LinearContact(stiffness)"
        )


@dataclass(frozen=True)
class FrictionField(FieldForm):
    """Friction of a contact."""

    kind: str = "Friction"

    def check(self, value: Any, what: str, error: Any) -> Any:
        """The value."""
        if isinstance(value, Friction):
            return value
        raise error(f"{what} is {shown(value)}; give Friction(0.3), or None without friction")


@dataclass(frozen=True)
class InitiallyField(ChoiceField):
    """How a contact may be at the start of a run."""

    options: tuple[str, ...] = ("apart", "pressed")


INITIALLY = '"pressed": the run may start with shapes that overlap although they do not rest so.'


class ShapeSide(NamedTuple):
    """A shape in the axes of a slot."""

    shape: ContactShape
    frame: Frame

    @property
    def rotation(self) -> Array:
        """Own axes of the shape to those of the slot."""
        return np.asarray(self.frame.rotation @ self.shape.rotation)

    def point(self, at: Any) -> Array:
        """Point of the carrier in the axes of the slot."""
        return np.asarray(in_slot(self.frame, np.asarray(at)))


def placed_shape(system: System, where: Any, what: str) -> PlacedShape:
    """Shape with its carrier; what: names the load or event in errors."""
    if isinstance(where, ContactShape):
        return PlacedShape(where)
    if isinstance(where, PlacedShape):
        return where
    try:
        return system.find_shape(where)
    except LissomError as error:
        raise LoadError(f"{what}: {error}") from None


@declared()
class Contact(Load, metaclass=LoadOfContact):
    """Contact between two shapes, which touch, slide, roll, stick and part.

    No step goes over a touch-down, however short the contact is.
    """

    file_kind = "contact"

    a: Any = declare(
        ShapeField(),
        "Name of a shape, or of the body, node or frame that carries one; or a shape as "
        "`System.shape` gives it.",
    )
    b: Any = declare(
        ShapeField(), "The other shape, likewise; one without a carrier belongs to the world."
    )
    law: Any = declare(LawField(), "Normal law.")
    friction: Any = declare(FrictionField(), "Friction, if there is any.", default=None)
    _: KW_ONLY
    initially: str = declare(InitiallyField(), INITIALLY, default="apart")

    @property
    def place(self) -> str:
        """Both shapes."""
        return f"{_text(self.a)} and {_text(self.b)}"

    def enter(self, plan: Plan) -> None:
        """Add the load to the plan of a run."""
        check_friction(self.label, self.friction)
        sides = [self._side(plan, x) for x in (self.a, self.b)]
        frames = [side.frame for side in sides]
        if frames[0].grounded and frames[1].grounded:
            raise LoadError(
                f"{self.label}: both shapes are fixed to the ground; put one on a body that moves"
            )
        if not frames[0].grounded and frames[0].body == frames[1].body:
            if frames[0].node == frames[1].node or not plan.system.bodies[frames[0].body].n_mode:
                raise LoadError(
                    f"{self.label}: both shapes are on {plan.system.names[frames[0].body]!r}, "
                    "where they cannot move relative to each other; put one on another body"
                )
        first = len(plan.contacts)
        if isinstance(self.law, PressureField):
            add_faces(plan, self, sides[0], sides[1], CLOSED_GAP * plan.system.length)
        else:
            for a, b in self._points(*sides):
                self._add_point(plan, a, b, first)
        sizes = [side.shape.bounding_radius for side in sides]
        plan.contact_sizes += [min(sizes)] * (len(plan.contacts) - first)
        plan.contact_parts.append((self, first, len(plan.contacts) - first))

    def _side(self, plan: Plan, where: Any) -> ShapeSide:
        """Shape and carrier of one side."""
        placed = placed_shape(plan.system, where, self.label)
        carrier = np.zeros(3) if placed.carrier is None else placed.carrier
        return ShapeSide(placed.shape, plan.place(carrier, self))

    def carriers(self, system: System) -> tuple[str, str]:
        """Carriers of both shapes; the world has no name.

        Parameters
        ----------
        system : System
            Mechanism with the shapes.
        """
        placed = (placed_shape(system, x, self.label) for x in (self.a, self.b))
        a, b = (x.carrier or "" for x in placed)
        return a, b

    def _points(self, a: ShapeSide, b: ShapeSide) -> Iterator[tuple[ShapeSide, ShapeSide]]:
        """Pairs of smooth shapes, one point of contact each."""
        for shape in parts(a.shape, b.shape):
            for other in parts(b.shape, shape):
                yield a._replace(shape=shape), b._replace(shape=other)

    def _add_point(self, plan: Plan, a: ShapeSide, b: ShapeSide, first: int) -> None:
        pair = pair_number(a.shape.kind, b.shape.kind)
        if pair is None:
            raise LoadError(
                f"{self.label}: there is no contact of {a.shape.name} with {b.shape.name} yet; "
                "pairs are on the page of contacts"
            )
        number, swapped = pair
        if swapped:
            a, b = b, a
        friction = self.friction
        curvatures = witness(plan.system, number, a, b)[16:]
        law = self.law.between(curvatures[:3], curvatures[3:])
        mean = 0.5 * float(curvatures[[0, 2, 3, 5]].sum())
        plan.contact_radii.append(1.0 / mean if mean > 0.0 else np.inf)
        values = np.zeros(ContactNumbers.size)
        numbers = ContactNumbers(values, 0)
        numbers.pair = number
        numbers.shape_a, numbers.shape_b = (plan.table(x.shape.numbers) for x in (a, b))
        numbers.law = plan.table(law.numbers())
        numbers.first = first
        if friction is not None:
            radius = 1.0 / mean if mean > 0.0 else 0.0
            numbers.slip = plan.table(friction.numbers(law, radius=radius))
        numbers.tolerance = CLOSED_GAP * plan.system.length
        numbers.ball = a.shape.bounding_radius + b.shape.bounding_radius
        numbers.center_a, numbers.center_b = a.point(a.shape.center), b.point(b.shape.center)
        numbers.R_a, numbers.R_b = a.rotation.ravel(), b.rotation.ravel()
        numbers.p_a, numbers.p_b = a.point(a.shape.at), b.point(b.shape.at)
        slot_a, slot_b = plan.slot(a.frame), plan.slot(b.frame)
        plan.add_contact(self, CONTACT, slot_a, slot_b, values, swapped=swapped)


def check_friction(label: str, friction: Any) -> None:
    """Refuse friction that runs do not have."""
    if friction is not None and friction.hold:
        raise LoadError(
            f"{label}: friction that holds (hold=True) is not part of runs yet; leave hold out, "
            "and give a small speed=... [m/s], at which a body at rest creeps at most"
        )


def witness(system: System, number: int, a: ShapeSide, b: ShapeSide) -> Array:
    """Witness of a pair in the neutral position; see `closest_points`."""
    numbers = [side.shape.numbers for side in (a, b)]
    poses, out = [], np.zeros(WITNESS_SIZE)
    for side in (a, b):
        R, x = side.frame.rotation, side.frame.position
        if not side.frame.grounded:
            at = pose(system, system.neutral(), side.frame.name)
            R, x = at.rotation, at.position
        poses += [R @ side.shape.rotation, x + R @ np.asarray(side.shape.at)]
    flat = np.concatenate([np.ravel(x) for x in poses])
    CLOSEST_POINTS.load()(number, np.concatenate(numbers), 0, len(numbers[0]), flat, out)
    return out


def _text(where: Any) -> str:
    if isinstance(where, PlacedShape):
        return where.label
    return where.name if isinstance(where, ContactShape) else place_text(where)
