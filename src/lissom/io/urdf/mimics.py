"""Mimic joints of a URDF file as couplings of the model."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from ...errors import name_list, suggestion
from ...model import Model
from ...printing import Shown
from .xml_tree import Element, shown

LOGGER = logging.getLogger("lissom")
_REMEDY = 'Correct it, or read the file with mimics="free"'
_ONE_COORDINATE = ("revolute", "continuous", "prismatic")


@dataclass(frozen=True)
class Mimic(Shown):
    """A joint that follows another joint: q = multiplier q_other + offset.

    Attributes
    ----------
    joint : str
        Joint that is followed.
    multiplier, offset : float
    """

    joint: str
    multiplier: float
    offset: float


def read_mimics(joints: Mapping[str, Element], *, checked: bool) -> dict[str, Mimic]:
    """Mimic joints by name.

    Parameters
    ----------
    joints : mapping
        All joints of the file, by name.
    checked : bool
        Whether to reject mimics that cannot be coupled.
    """
    found = {}
    for name, joint in joints.items():
        mimic = joint.find("mimic")
        if mimic is None:
            continue
        if checked and joint.text("type") == "fixed":
            words = f"joint {shown(name)!r} is fixed and cannot follow a joint; mimic ignored"
            LOGGER.info(f"{mimic.title}: {words}")
            continue
        other = mimic.text("joint")
        if checked:
            _check_followed(name, joint, mimic, other, joints)
        multiplier, offset = mimic.number("multiplier", 1.0), mimic.number("offset", 0.0)
        found[name] = Mimic(other, multiplier, offset)
    if checked:
        _check_cycles(joints, found)
    return found


def _check_followed(
    name: str, joint: Element, mimic: Element, other: str, joints: Mapping[str, Element]
) -> None:
    own, followed = shown(name), shown(other)
    if other not in joints:
        near = suggestion(followed, [shown(x) for x in islice(joints, 2000)])
        raise mimic.fault(f"joint {own!r}: there is no joint {followed!r}; {near}  {_REMEDY}")
    if other == name:
        raise mimic.fault(f"joint {own!r} follows itself; give another joint")
    for which, element in ((own, joint), (followed, joints[other])):
        kind = shown(element.text("type"))
        if kind not in _ONE_COORDINATE:
            raise mimic.fault(
                f"joint {own!r} follows {followed!r}, but {which!r} is {kind} and does not have "
                "exactly one coordinate; use revolute, continuous or prismatic joints"
            )


def _check_cycles(joints: Mapping[str, Element], mimics: Mapping[str, Mimic]) -> None:
    """Reject joints that follow each other in a cycle."""
    checked: set[str] = set()
    for name in mimics:
        chain: dict[str, None] = {}  # ordered set
        while name in mimics and name not in checked:
            if name in chain:
                cycle = [*list(chain)[list(chain).index(name) :], name]
                words = name_list(map(shown, cycle), between=" -> ")
                mimic = joints[name].need("mimic")
                raise mimic.fault(
                    f"joints {words} follow each other in a cycle; remove one <mimic>"
                )
            chain[name] = None
            name = mimics[name].joint
        checked.update(chain)


def couple_mimics(model: Model, mimics: Mapping[str, Mimic], bodies: Mapping[str, str]) -> None:
    """Add a coupling named "JOINT_mimic" to a model for each mimic joint.

    Parameters
    ----------
    model : Model
        Model with all bodies.
    mimics : mapping
        By joint.
    bodies : mapping
        Body carried by each joint.
    """
    for joint, mimic in mimics.items():
        name = f"{joint.replace('.', '_')}_mimic"
        while name in model.parts or name in model.couplings or name in model.frames:
            name += "_"
        ratios = {bodies[joint]: 1.0}
        if mimic.multiplier:
            ratios[bodies[mimic.joint]] = -mimic.multiplier
        model.couple(ratios, offset=mimic.offset, name=name)
