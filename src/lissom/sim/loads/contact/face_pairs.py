"""Contact of flat faces in the plan of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....errors import LoadError
from ....kernels.contact.faces import CORNER, CORNERS, HEAD, N_SUM, SPARE
from ....kernels.layout.contact import FACES, ContactNumbers
from ....kernels.run.face_forces import add_face_contact, add_face_contact_change
from ....kernels.run.registry import NodeKind, register
from ....shapes import HalfSpace
from ....shapes.faces import bearing_area, face_numbers

if TYPE_CHECKING:
    from ...run.plan import Plan

Array = np.ndarray

FACE_CONTACT = register(
    NodeKind(
        "contact of faces", add_face_contact, add_face_contact_change, stiff=True,
        advice="make it softer, or ",
    )
)  # fmt: skip


def add_faces(plan: Plan, load: Any, a: Any, b: Any, tolerance: float) -> None:
    """Add the contact of the faces of two shapes; the half space, if there is one, as the second.

    a, b: sides of the load, as of `Contact`; tolerance: gap that counts as closed [m].
    """
    swapped = isinstance(a.shape, HalfSpace)
    if swapped:
        a, b = b, a
    shapes = [_numbers(load, side.shape) for side in (a, b)]
    if isinstance(a.shape, HalfSpace):
        raise LoadError(f"{load.label}: both shapes are half spaces; give a Face, Box or Cylinder")
    law = load.law.over(bearing_area(a.shape, b.shape))
    values = np.zeros(ContactNumbers.size)
    numbers = ContactNumbers(values, 0)
    numbers.pair = FACES
    numbers.shape_a, numbers.shape_b = (plan.table(x) for x in shapes)
    numbers.law = plan.table(law.numbers())
    if load.friction is not None:
        numbers.slip = plan.table(_friction(load, law))
    numbers.tolerance = tolerance
    numbers.ball = a.shape.bounding_radius + b.shape.bounding_radius
    numbers.center_a, numbers.center_b = a.point(a.shape.center), b.point(b.shape.center)
    numbers.R_a, numbers.R_b = a.rotation.ravel(), b.rotation.ravel()
    numbers.p_a, numbers.p_b = a.point(a.shape.at), b.point(b.shape.at)
    slot_a, slot_b = plan.slot(a.frame), plan.slot(b.frame)
    plan.add_contact(load, FACE_CONTACT, slot_a, slot_b, values, swapped=swapped)
    plan.scratch = max(plan.scratch, _scratch(*shapes))


def _numbers(load: Any, shape: Any) -> Array:
    numbers = face_numbers(shape)
    if numbers is None:
        raise LoadError(
            f"{load.label}: {shape.name} has no flat faces, which PressureField needs; give a law "
            "of smooth shapes, as Hertz, or Face, Box, Cylinder or HalfSpace"
        )
    return numbers


def _friction(load: Any, law: Any) -> list[float]:
    if load.friction.hold:
        raise LoadError(
            f"{load.label}: friction has hold=True, which contacts by a PressureField do not have; "
            "leave it out"
        )
    return list(load.friction.numbers(law))


def _scratch(a: Array, b: Array) -> int:
    """Numbers of the buffer that the kernels need for two shapes."""
    corners = 0
    for numbers in (a, b):
        o, most = HEAD, 0
        for _ in range(int(numbers[0])):
            most = max(most, int(numbers[o]))
            o += CORNERS + 3 * int(numbers[o])
        corners += most
    return N_SUM + 2 * CORNER * (corners + SPARE)
