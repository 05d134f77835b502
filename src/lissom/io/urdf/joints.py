"""Joints of URDF files: their kinds, axes, limits, damping and friction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ...errors import suggestion
from ...joints import Fixed, Free, Joint, Planar, Prismatic, Revolute
from ...printing import Shown
from .xml_tree import Element, shown

_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")


@dataclass(frozen=True)
class Limits(Shown):
    """Limits of a joint; infinite if not given in the file.

    Attributes
    ----------
    lower, upper : float
        Bounds of the coordinate [rad or m].
    effort : float
        Largest force or torque [N or N m].
    velocity : float
        Largest speed [rad/s or m/s].
    """

    lower: float = -np.inf
    upper: float = np.inf
    effort: float = np.inf
    velocity: float = np.inf


def nearest(name: str, names: Iterable[str]) -> str:
    """Suggestion of the nearest known name, limited in length."""
    return suggestion(shown(name), [shown(x) for x in islice(names, 2000)])


def joint_of(element: Element) -> Joint:
    """Joint of a <joint>."""
    kind = element.text("type")
    if kind not in _TYPES:
        raise element.fault(f'type="{shown(kind)}"; {nearest(kind, _TYPES)}')
    if kind == "fixed":
        return Fixed()
    if kind == "floating":
        return Free()
    axis = element.find("axis")
    direction = np.array([1.0, 0.0, 0.0]) if axis is None else axis.numbers("xyz", 3)
    joint_class = {"prismatic": Prismatic, "planar": Planar}.get(kind, Revolute)
    size = np.abs(direction).max()
    if axis is not None and size == 0:
        raise axis.fault(f'xyz="{shown(axis.text("xyz"))}" is zero; give a direction')
    # squares must neither underflow nor overflow
    return joint_class(direction if 1e-100 < size < 1e100 else direction / size)


def limits_of(joint: Element) -> Limits:
    """Limits of a joint, infinite where there are none."""
    limit = joint.find("limit")
    if limit is None:
        if joint.text("type") in ("revolute", "prismatic"):
            instead = ', or use type="continuous"' if joint.text("type") == "revolute" else ""
            raise joint.fault(f"has no <limit>; add it{instead}")
        return Limits()
    effort, velocity = limit.number("effort", np.inf), limit.number("velocity", np.inf)
    if joint.text("type") not in ("revolute", "prismatic"):
        return Limits(effort=effort, velocity=velocity)
    lower, upper = limit.number("lower", 0.0), limit.number("upper", 0.0)
    if lower > upper:
        remark = " (not given)" if "upper" not in limit.attributes else ""
        raise limit.fault(f"lower {lower:g} is above upper {upper:g}{remark}; give lower <= upper")
    return Limits(lower, upper, effort, velocity)


def dynamics_of(joints: Mapping[str, Element], name: str) -> dict[str, float]:
    """Damping or friction of the joints that have some, by name."""
    values = {}
    for key, joint in joints.items():
        dynamics = joint.find("dynamics")
        value = 0.0 if dynamics is None else dynamics.number(name, 0.0, least=0.0)
        if value > 0:
            values[key] = value
    return values
