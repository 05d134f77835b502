"""Loads on bodies and their nodes: forces, moments, and springs between two of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms._kernels.simulation import fields as run
from ..errors import LoadError
from ..model import Part
from ..system import Frame
from .checks import as_numbers, choice, keep, node_name, not_negative, numbers, shown
from .loads import Load
from .signals import as_signal, turned_signal

if TYPE_CHECKING:
    from .plan import Plan

__all__ = ["NodeForce", "NodeSpring"]

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class NodeForce(Load):
    """Force and moment on a body, node or frame.

    Parameters
    ----------
    where : str
        "body", "body.node" or the name of a frame.
    force, moment : array (3,), Table of 3 columns, or callable
        [N], [N m]; a function is f(time) or f(time, state).
    axes : {"world", "body"}
        Axes of the components: the world's, or those of the node or frame, with which they turn.
    at : array (3,)
        Where the force acts, from the origin of the body, node or frame, in its axes [m].
    """

    where: str
    force: Any = (0.0, 0.0, 0.0)
    moment: Any = (0.0, 0.0, 0.0)
    axes: str = field(default="world", kw_only=True)
    at: Any = field(default=(0.0, 0.0, 0.0), kw_only=True)

    def check(self) -> None:
        """Refuse what is wrong without a system."""
        keep(self, where=node_name(self.where, f"{self.label}: where"))
        keep(
            self,
            axes=choice(self.axes, f"{self.label}: axes", ("world", "body")),
            at=_point(self, "at"),
        )

    @property
    def place(self) -> str:
        """Node."""
        return _worded(self.where)

    def enter(self, plan: Plan) -> None:
        """Write it into the plan of a run."""
        frame = plan.place(self.where, self)
        if frame.grounded:
            raise LoadError(
                f"{self.label}: {self.where!r} is fixed to the ground, which no force moves; give "
                "a body, a node or a frame on one"
            )
        slot, at = plan.slot(frame), _in_slot(frame, self.at)
        for part, offset in (("moment", 0), ("force", 3)):
            what = f"{self.label}: {part}"
            given = as_signal(getattr(self, part), 3, what)
            if isinstance(given, np.ndarray) and not np.any(given):
                continue
            if self.axes == "body" and not frame.plain:
                given = turned_signal(given, frame.rotation, what)
            signal = plan.signal(given, 3, what)
            constants = [offset, *at]
            plan.add_node_load(self, run.NODE_FORCE, slot, slot, constants, signal, self.axes)


@dataclass(frozen=True, eq=False)
class NodeSpring(Load):
    """Spring and damper along the line between two nodes.

    Parameters
    ----------
    a, b : str or array (3,)
        "body", "body.node", the name of a frame, or a point fixed in the world.
    stiffness : float
        [N/m].
    damping : float
        [N s/m].
    length : float
        Length at which it is relaxed [m].
    at_a, at_b : array (3,)
        Where it is fastened, from the origin of each body, node or frame, in its axes [m].
    """

    a: Any
    b: Any
    stiffness: float = 0.0
    damping: float = field(default=0.0, kw_only=True)
    length: float = field(default=0.0, kw_only=True)
    at_a: Any = field(default=(0.0, 0.0, 0.0), kw_only=True)
    at_b: Any = field(default=(0.0, 0.0, 0.0), kw_only=True)

    def check(self) -> None:
        """Refuse what is wrong without a system."""
        for attribute in ("a", "b"):
            _check_end(self, attribute)
        keep(
            self,
            stiffness=not_negative(self.stiffness, f"{self.label}: stiffness"),
            damping=not_negative(self.damping, f"{self.label}: damping"),
            length=not_negative(self.length, f"{self.label}: length"),
            at_a=_point(self, "at_a"),
            at_b=_point(self, "at_b"),
        )

    @property
    def place(self) -> str:
        """Both ends."""
        return f"{_worded(self.a)} and {_worded(self.b)}"

    def enter(self, plan: Plan) -> None:
        """Write it into the plan of a run."""
        ends = plan.place(self.a, self), plan.place(self.b, self)
        if ends[0].node == ends[1].node and ends[0].body == ends[1].body:
            what = "the ground" if ends[0].grounded else "the same body or node"
            raise LoadError(f"{self.label}: both ends are on {what}; fasten one elsewhere")
        a, b = (plan.slot(end) for end in ends)
        at_a, at_b = _in_slot(ends[0], self.at_a), _in_slot(ends[1], self.at_b)
        constants = [self.stiffness, self.damping, self.length, *at_a, *at_b]
        rates = self.damping > 0
        plan.add_node_load(self, run.NODE_SPRING, a, b, constants, 0, "world", rates=rates)


def _in_slot(frame: Frame, at: Array) -> Array:
    """Point of a frame in the axes of its slot: from the node, or from the frame's own origin."""
    turned = frame.rotation @ at
    return turned if frame.grounded else frame.position + turned


def _worded(where: Any) -> str:
    """Place in words."""
    if isinstance(where, (str, Part)):
        return str(where)
    return shown(where.tolist() if isinstance(where, np.ndarray) else where)


def _check_end(load: NodeSpring, attribute: str) -> None:
    """Refuse what is neither the name of a body or node nor a point of the world."""
    value = getattr(load, attribute)
    if isinstance(value, (str, Part)):
        return
    point = as_numbers(value)
    if point is None or point.shape != (3,) or not np.all(np.isfinite(point)):
        raise LoadError(
            f'{load.label}: {attribute} = {shown(value)} is not a place; give "body", "body.node", '
            "a frame, or three numbers for a point fixed in the world"
        )


def _point(load: Load, attribute: str) -> Array:
    """Attribute as three finite numbers."""
    what = f"{load.label}: {attribute}"
    return numbers(getattr(load, attribute), what, "three numbers [m]", n=3)
