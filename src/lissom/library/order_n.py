"""The platform of the Order-N paper: a plate on three legs, and two arms that hold an object.

Source: the Order-N algorithm of NASA Johnson Space Center, section "Simulation test cases".  It
describes the mechanism and gives times for sixteen cases of it, but the data are missing from the
available copy.  Topology, joints, modes and degrees of freedom are the paper's; lengths, masses and
forces were chosen here.

The paper does not describe what the last joint of a limb carries.  Here it is one more joint
module, welded to the plate or object, so that a limb with a free end has inertia about its last
axis too.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from ..bodies import FlexibleBody, RigidBody
from ..bodies.flexible import check_level
from ..errors import ModelError
from ..joints import Fixed, Free, Joint, Revolute
from ..model import Model, Part
from ..structures import Material, Tube, beam
from .checks import count
from .order_n_limbs import MODULE
from .order_n_places import OBJECT, THICKNESS, Place, joints, limbs

# Plates: radius [m] and mass [kg].
BASE, TOP = (2.0, 2000.0), (1.5, 500.0)
OBJECT_MASS = 1000.0

MODULE_RADIUS, MODULE_MASS = 0.1, 20.0
TUBE = Tube(radius=0.08, thickness=0.003)
MATERIAL = Material("aluminium", youngs_modulus=70e9, density=2700.0)
MODES, MODE_DAMPING = 4, 0.005


def order_n(case: int, *, level: str = "full") -> Model:
    """One of the paper's sixteen cases of the platform.

    Parameters
    ----------
    case : int
        1 to 4 are the configurations of `order_n_platform`, rigid and open; 5 to 8 flexible and
        open; 9 to 12 rigid and closed; 13 to 16 flexible and closed.
    level : str
        Level of the flexible booms, see `FlexibleBody`.

    Returns
    -------
    Model

    Examples
    --------
    >>> from lissom.library import order_n
    >>> system = order_n(16).compile()
    >>> system.n_v, len(system.loops)
    (121, 3)
    """
    kind, place = divmod(_within(case, "order_n: case", 16) - 1, 4)
    return order_n_platform(place + 1, flexible=bool(kind % 2), closed=kind >= 2, level=level)


def order_n_platform(
    configuration: int = 4, *, flexible: bool = True, closed: bool = True, level: str = "full"
) -> Model:
    """Free base plate, top plate on three legs, and two arms on the top plate that hold an object.

    Parameters
    ----------
    configuration : {1, 2, 3, 4}
        1: three legs of six joints.  2: the same, each boom made of two rigidly joined halves.
        3: three legs of seven joints, halved booms.  4: the same, with two arms of seven joints
        with halved booms, and the object.
    flexible : bool
        Whether the booms are flexible: two cantilever modes in each plane for every rod, damping
        ratio 0.005.
    closed : bool
        Whether legs 2 and 3 are welded to the top plate and arm 2 to the object.  Otherwise their
        ends are free, and the mechanism is a tree.
    level : str
        Level of the flexible booms, see `FlexibleBody`.

    Returns
    -------
    Model
        Without gravity.  Bodies "base", "top", "object" have their frames at their centres.  The
        links of a limb are named after their joints: "leg1_shoulder_roll", "_shoulder_yaw",
        "_shoulder_pitch" (the first boom), "_elbow" (the second), "_wrist_pitch" (if there are
        seven), "_wrist_yaw" and "_wrist_roll", which is the module welded to the plate or object;
        the outer half of a boom has the suffix "_outer".  Loops "leg2", "leg3", "arm2".

    See Also
    --------
    order_n_start : State at rest with closed loops.
    order_n_loads : Joint damping and forces.

    Examples
    --------
    >>> from lissom.library import order_n_platform
    >>> [order_n_platform(c, flexible=False).compile().n_v for c in (1, 2, 3, 4)]
    [24, 24, 27, 41]
    >>> [order_n_platform(c).compile().n_v for c in (1, 2, 3, 4)]
    [48, 72, 75, 121]
    """
    number = _within(configuration, "order_n_platform: configuration", 4)
    rods = _Rods(flexible, halved=number > 1, level=check_level(level))
    model = Model("Order-N platform")
    radius, mass = BASE
    model.add(RigidBody.cylinder(mass, radius, THICKNESS), Free(), name="base")
    for place in limbs(*joints(number)):
        end = _add_limb(model, place, rods)
        if place.name.endswith("1"):
            _add_held(model, place, end)
        elif closed:
            _weld(model, place, end)
    return model


def _add_limb(model: Model, place: Place, rods: _Rods) -> Part:
    """Add the links of a limb; return the last one."""
    axes, position = place.mount
    where: dict[str, Any] = {"to": place.carrier, "at": position, "rotation": axes}
    limb = place.limb
    for joint, axis, length in zip(limb.joints, limb.axes, limb.lengths, strict=True):
        name = f"{place.name}_{joint}"
        if limb.is_boom(joint):
            where = rods.add(model, name, Revolute(axis), length, where)
        else:
            com = (length / 2, 0.0, 0.0)
            module = RigidBody.cylinder(MODULE_MASS, MODULE_RADIUS, length, "x", com)
            model.add(module, Revolute(axis), name=name, **where)
            where = {"to": name, "at": (length, 0.0, 0.0)}
    return Part(name)


def _add_held(model: Model, place: Place, end: Part) -> None:
    """Add the top plate or the object, welded to the first limb, with the axes of its carrier."""
    axes, _ = place.limb.end(place.mount)
    if place.held == "top":
        radius, mass = TOP
        body = RigidBody.cylinder(mass, radius, THICKNESS)
    else:
        body = RigidBody.box(OBJECT_MASS, OBJECT)
    at = [MODULE, 0.0, 0.0] - axes.T @ place.contact
    model.add(body, Fixed(), name=place.held, to=end, at=at, rotation=axes.T)


def _weld(model: Model, place: Place, end: Part) -> None:
    """Close the loop of another limb."""
    axes, _ = place.limb.end(place.mount)
    model.close(
        Fixed(),
        place.held,
        end,
        at_a=place.contact,
        rotation_a=axes,
        at_b=(MODULE, 0.0, 0.0),
        name=place.name,
    )


@dataclass(frozen=True)
class _Rods:
    """Builder of booms."""

    flexible: bool
    halved: bool
    level: str

    def add(
        self, model: Model, name: str, joint: Joint, length: float, where: dict[str, Any]
    ) -> dict[str, Any]:
        """Add a boom; return the placement of the next joint."""
        if not self.halved:
            return self._add_rod(model, name, joint, length, where)
        middle = self._add_rod(model, name, joint, length / 2, where)
        return self._add_rod(model, f"{name}_outer", Fixed(), length / 2, middle)

    def _add_rod(
        self, model: Model, name: str, joint: Joint, length: float, where: dict[str, Any]
    ) -> dict[str, Any]:
        model.add(_rod(length, self.level if self.flexible else None), joint, name=name, **where)
        if self.flexible:
            return {"to": Part(name, "tip")}
        return {"to": name, "at": (length, 0.0, 0.0)}


@functools.lru_cache(maxsize=16)
def _rod(length: float, level: str | None) -> RigidBody | FlexibleBody:
    """Tube of a given length, flexible if there is a level."""
    if level is not None:
        return beam(
            length,
            TUBE,
            MATERIAL,
            modes=MODES,
            shapes="clamped",
            level=level,
            damping=MODE_DAMPING,
        )
    mass = MATERIAL.density * TUBE.area * length
    gyration = TUBE.second_moment_y / TUBE.area  # squared radius [m^2]
    across = mass * (gyration + length**2 / 12)
    return RigidBody(mass, (length / 2, 0.0, 0.0), (2 * mass * gyration, across, across))


def _within(value: Any, what: str, most: int) -> int:
    number = count(value, what, 1)
    if number > most:
        raise ModelError(f"{what} is {number}; expected 1 to {most}")
    return number
