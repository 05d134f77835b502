"""Loads that store energy, as records for the columns of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..events.event import Switch
from ..loads.drive import Drive
from ..loads.forms import per_motion
from ..loads.joint_spring import JointSpring
from ..loads.load import Load
from ..loads.node_spring import NodeSpring

if TYPE_CHECKING:
    from .plan import Plan

Record = tuple[Any, ...]


def spring_records(plan: Plan) -> tuple[Record, ...]:
    """Constants of the springs that act all the time; those that are switched do work instead."""
    records: list[Record] = []
    for load in _steady(plan):
        if isinstance(load, Drive):
            records.append(("joint", load.joint, (load.stiffness,), (0.0,)))
        elif isinstance(load, JointSpring) and np.any(load.stiffness):
            records.append(_joint(plan, load))
        elif isinstance(load, NodeSpring) and load.stiffness:
            ends = tuple(x if (x := _name(end)) else _numbers(end) for end in (load.a, load.b))
            points = (_numbers(load.at_a), _numbers(load.at_b))
            records.append(("node", ends, points, float(load.stiffness), float(load.length)))
    return tuple(records)


def drive_records(plan: Plan) -> tuple[Record, ...]:
    """Rotor, joint and constants of the elastic drives; of those that are switched without gear."""
    steady = _steady(plan)
    records: list[Record] = []
    for load in plan.loads:
        if isinstance(load, Drive):
            gear = (float(load.stiffness), float(load.damping)) if load in steady else ()
            records.append((load.rotor, load.joint, float(load.ratio), *gear))
    return tuple(records)


def _steady(plan: Plan) -> list[Load]:
    """Loads that act all the time."""
    switched = {x.load for event, _ in plan.events for x in event.actions if isinstance(x, Switch)}
    return [load for load in plan.loads if load.on and load.label not in switched]


def _joint(plan: Plan, load: JointSpring) -> Record:
    joint = plan.joint(load.joint, load, loops=True)
    if joint.has_quaternion:
        turning, moving = np.broadcast_to(np.asarray(load.stiffness, dtype=float).ravel(), 2)
        return ("ball", str(load.joint), float(turning), float(moving))
    columns = (_numbers(per_motion(load, x, joint.n_v)) for x in ("stiffness", "rest"))
    return ("joint", str(load.joint), *columns)


def _name(end: Any) -> str:
    """Name of an end of a spring; empty for a point of the world."""
    return "" if isinstance(end, (tuple, list, np.ndarray)) else str(end)


def _numbers(values: Any) -> tuple[float, ...]:
    return tuple(float(x) for x in values)


def rotor_records(plan: Plan) -> tuple[tuple[int, float], ...]:
    """Numbers of the speeds at which rotors add inertia, and how much."""
    return tuple((int(k), float(plan.armature[k])) for k in np.flatnonzero(plan.armature))


def contact_records(plan: Plan) -> tuple[Record, ...]:
    """Names of the contacts, carriers of their shapes, and which points stand for the second."""
    return tuple(
        (name, *load.carriers(plan.system), tuple(plan.swapped[first : first + n]))
        for name, (load, first, n) in zip(plan.contact_names, plan.contact_parts, strict=True)
    )
