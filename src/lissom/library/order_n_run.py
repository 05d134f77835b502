"""Initial state and loads of runs of the Order-N platform."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .order_n_places import limb_counts, limbs

if TYPE_CHECKING:
    from ..sim import Load
    from ..system import State, System

# Joint damping [N m s/rad]; forces [N] and moments [N m], reversed every PERIOD seconds.
DAMPING = 20.0
PERIOD, END = 20.0, 100.0
ON_TOP = ((20.0, 10.0, 5.0), (5.0, -5.0, 10.0))
ON_OBJECT = ((-10.0, 15.0, 5.0), (3.0, 4.0, -5.0))
ON_JOINTS = 2.0


def order_n_start(system: System) -> State:
    """Initial state: at rest, undeformed, loops closed, plates and object 5 m above each other.

    Parameters
    ----------
    system : System
        Any case of the platform, compiled.
    """
    angles = {}
    for place in limbs(*limb_counts(system)):
        for joint, angle in zip(place.limb.joints, place.limb.angles, strict=True):
            angles[f"{place.name}_{joint}"] = angle
    return system.state(**angles)


def order_n_loads(system: System) -> list[Load]:
    """Loads of the paper's runs of 100 s: joint damping, and forces that reverse every 20 s.

    Each joint of a limb has a viscous damping of 20 N m s/rad.  Forces (20, 10, 5) N and moments
    (5, -5, 10) N m act on the top plate, (-10, 15, 5) N and (3, 4, -5) N m on the object, in world
    axes at their centres; the joints of the first leg are driven by 2 and -2 N m in turn.

    Parameters
    ----------
    system : System
        Any case of the platform, compiled.
    """
    from ..sim import Actuator, JointDamper, NodeForce

    places = list(limbs(*limb_counts(system)))
    joints = [f"{place.name}_{joint}" for place in places for joint in place.limb.joints]
    loads: list[Load] = [JointDamper(joint, DAMPING) for joint in joints]
    for k, joint in enumerate(places[0].limb.joints):
        torque = ON_JOINTS if k % 2 == 0 else -ON_JOINTS
        loads.append(Actuator(f"{places[0].name}_{joint}", _reversing(torque)))
    for body, acting in (("top", ON_TOP), ("object", ON_OBJECT)):
        if body in system.names:
            loads.append(NodeForce(body, *(_reversing(vector) for vector in acting)))
    return loads


def _reversing(value: Any) -> Any:
    """Table of a value that is reversed periodically."""
    from ..sim import Table

    times = np.arange(0.0, END, PERIOD)
    signs = np.where(np.arange(len(times)) % 2 == 0, 1.0, -1.0)
    return Table(times, np.multiply.outer(signs, value), "steps")
