"""Joints of a URDF file that follow others, as couplings of the model."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from ..errors import name_list, suggestion
from ..model import Model
from .xml_tree import Element, shown

__all__ = ["Mimic", "couple_mimics", "read_mimics"]

LOGGER = logging.getLogger("lissom")
_REMEDY = 'Correct it, or read the file with mimics="free"'
_ONE_COORDINATE = ("revolute", "continuous", "prismatic")


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another one: q = multiplier q_other + offset.

    Attributes
    ----------
    joint : str
        The other joint.
    multiplier, offset : float
    """

    joint: str
    multiplier: float
    offset: float


def read_mimics(joints: Mapping[str, Element], *, checked: bool) -> dict[str, Mimic]:
    """Joints that follow others, by name.

    Parameters
    ----------
    joints : mapping
        All joints of the file, by name.
    checked : bool
        Whether to refuse those that cannot follow, or what they name.
    """
    found = {}
    for name, joint in joints.items():
        mimic = joint.find("mimic")
        if mimic is None:
            continue
        if checked and joint.text("type") == "fixed":
            words = f"joint {shown(name)!r} is fixed and follows nothing; left out"
            LOGGER.info(f"{mimic.title}: {words}")
            continue
        other = mimic.text("joint")
        if checked:
            _check_followed(name, joint, mimic, other, joints)
        multiplier, offset = mimic.number("multiplier", 1.0), mimic.number("offset", 0.0)
        found[name] = Mimic(other, multiplier, offset)
    if checked:
        _check_rings(joints, found)
    return found


def _check_followed(
    name: str, joint: Element, mimic: Element, other: str, joints: Mapping[str, Element]
) -> None:
    own, followed = shown(name), shown(other)
    if other not in joints:
        near = suggestion(followed, [shown(x) for x in islice(joints, 2000)])
        raise mimic.fault(f"joint {own!r}: there is no joint {followed!r}; {near}  {_REMEDY}")
    if other == name:
        raise mimic.fault(f"joint {own!r} follows itself; name another joint")
    for which, element in ((own, joint), (followed, joints[other])):
        kind = shown(element.text("type"))
        if kind not in _ONE_COORDINATE:
            raise mimic.fault(
                f"joint {own!r} follows {followed!r}, but {which!r} is {kind} and has no single "
                "coordinate; only revolute, continuous and prismatic joints follow each other"
            )


def _check_rings(joints: Mapping[str, Element], mimics: Mapping[str, Mimic]) -> None:
    """Refuse joints that follow each other in a ring."""
    checked: set[str] = set()
    for name in mimics:
        chain: dict[str, None] = {}  # in this order
        while name in mimics and name not in checked:
            if name in chain:
                ring = [*list(chain)[list(chain).index(name) :], name]
                words = name_list(map(shown, ring), between=" -> ")
                raise (
                    joints[name]
                    .need("mimic")
                    .fault(
                        f"the joints {words} follow each other in a ring; one of them must be free"
                    )
                )
            chain[name] = None
            name = mimics[name].joint
        checked.update(chain)


def couple_mimics(model: Model, mimics: Mapping[str, Mimic], bodies: Mapping[str, str]) -> None:
    """Put a coupling for each joint that follows another one, called "JOINT_mimic", into a model.

    Parameters
    ----------
    model : Model
        With all bodies.
    mimics : mapping
        By joint.
    bodies : mapping
        Body that each joint carries.
    """
    for joint, mimic in mimics.items():
        name = f"{joint.replace('.', '_')}_mimic"
        while name in model.parts or name in model.couplings or name in model.frames:
            name += "_"
        ratios = {bodies[joint]: 1.0}
        if mimic.multiplier:
            ratios[bodies[mimic.joint]] = -mimic.multiplier
        model.couple(ratios, offset=mimic.offset, name=name)
