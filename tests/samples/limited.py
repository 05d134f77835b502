"""Small mechanisms for the limits of lissom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

import lissom as ls
from lissom.spatial.rotation import axis_rotation


def sled(gravity: Any = (0, 0, -9.81)) -> ls.System:
    """A mass of 1 kg that slides along x."""
    model = ls.Model("sled", gravity=gravity)
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Prismatic("x"), name="sled")
    return model.compile()


def arm() -> ls.System:
    """A flexible arm that hangs on a hinge."""
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    body = ls.beam(1.0, ls.Circle(0.01), ls.STEEL, bending=2)
    model.add(body, ls.Revolute("y"), name="arm")
    return model.compile()


def linkage(
    pin: Any = ..., *, crank: Any = None, compiled: bool = True
) -> tuple[Any, ls.State | None]:
    """A crank, a rod and a rocker in the plane x-z, and a closed state; `pin` None: as a tree."""
    model = ls.Model("linkage", gravity=(0, 0, -9.81))
    for name, to, at in (("crank", None, 0.0), ("rod", "crank", 1.0), ("rocker", None, 1.5)):
        joint = crank if name == "crank" and crank is not None else ls.Revolute("y")
        body = ls.RigidBody(1.0, (0.5, 0, 0), (0.1, 0.1, 0.1))
        model.add(body, joint, name=name, to=to, at=(at, 0, 0))
    if pin is not None:
        joint = ls.Revolute("y") if pin is ... else pin
        model.close(joint, "rod", "rocker", name="pin", at_a=(1, 0, 0), at_b=(1, 0, 0))
    if not compiled:
        return model, None
    system = model.compile()
    state = system.state(crank=-1.2, rod=1.0, rocker=-1.8)
    return system, state if pin is None else ls.assemble(system, state)


def disk() -> ls.System:
    """A disk that rolls on the plane z = 0."""
    model = ls.Model("disk", gravity=(0, 0, -9.81))
    body = ls.RigidBody.cylinder(1.0, radius=0.3, length=0.02, axis="y")
    model.add(body, ls.Free(), name="disk", at=(0, 0, 0.3))
    model.close(ls.Rolling(0.3, "y"), None, "disk", name="floor")
    return model.compile()


def own_joint() -> ls.Joint:
    """A hinge about y of one's own."""

    @final
    @dataclass(frozen=True, eq=False)
    class Hinge(ls.Joint):
        coordinates = (("angle", "rad"),)

        def pose(self, q: Any) -> Any:
            return axis_rotation(np.array([0.0, 1, 0]), q[0]), np.zeros(3)

        def motion_map(self, q: Any) -> Any:
            return np.eye(6)[:, 1:2] + 0 * q[0]

        def bias(self, q: Any, v: Any) -> Any:
            return np.zeros(6) * (q[0] + v[0])

    return Hinge()
