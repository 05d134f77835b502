"""Shapes of contact from the collision elements of URDF links."""

from __future__ import annotations

import logging
from typing import Any

from ...errors import ModelError
from ...model import Model
from ...shapes import Box, Capsule, ContactShape, Cylinder, Sphere
from .visuals import lengths, origin
from .xml_tree import Element, shown

LOGGER = logging.getLogger("lissom")


def add_collisions(model: Model, links: dict[str, Element], named: dict[str, str]) -> list[str]:
    """Add the collision elements of links as shapes; returns what was left out, with reasons.

    `named`: body or frame of each link.
    """
    left_out: list[str] = []
    for link, element in links.items():
        collisions = element.all("collision")
        for k, collision in enumerate(collisions):
            shape = _shape(collision, left_out)
            if shape is not None:
                first = collision.attributes.get("name") or f"{link}_collision"
                several = len(collisions) > 1 and "name" not in collision.attributes
                name = _free(model, f"{first}_{k + 1}" if several else first)
                model.add_shape(shape, named[link], name=name)
    if left_out:
        rest = len(left_out) - 1
        words = f"no shape of contact: {left_out[0]}"
        if rest:
            words += f", and {rest} more, which .left_out of read_urdf lists"
        LOGGER.warning(words)
    return left_out


def _free(model: Model, name: str) -> str:
    """Name that no other part has, with underscores for dots."""
    name = name.replace(".", "_")
    while any(name in group for group in (model.parts, model.frames, model.shapes)):
        name += "_"
    return name


def _shape(collision: Element, left_out: list[str]) -> ContactShape | None:
    """Shape of a collision element, None for one that is left out."""
    rotation, at = origin(collision)
    geometry = collision.need("geometry")
    if not geometry.children:
        raise geometry.fault("is empty; give <box>, <cylinder>, <sphere> or <capsule>")
    element, place = geometry.children[0], {"at": at, "rotation": rotation}
    try:
        shape = _known_shape(element, place)
    except ModelError as error:
        words = str(error)
        raise (error if words.startswith(str(element.file)) else element.fault(words)) from None
    if shape is None:
        what = "a mesh" if element.tag == "mesh" else "an unknown shape"
        remedy = "add shapes that fit it with Model.add_shape"
        left_out.append(f"{element.title}: {shown(what)} is no shape of contact; {remedy}")
    return shape


def _known_shape(element: Element, place: dict[str, Any]) -> ContactShape | None:
    match element.tag:
        case "box":
            return Box(lengths(element, "size", 3), **place)
        case "sphere":
            return Sphere(float(lengths(element, "radius")), **place)
        case "cylinder" | "capsule":
            radius, length = (float(lengths(element, x)) for x in ("radius", "length"))
            return (Cylinder if element.tag == "cylinder" else Capsule)(radius, length, **place)
    return None
