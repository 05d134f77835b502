"""Labels and units of the numbers in a row: one table for channels and for files.

Of the whole system they are "upper.angle", "hub.qw", "boom.mode.0"; modes and the motions of joints
given by maps are counted from 0, as the columns of their arrays are.
"""

from __future__ import annotations

import numpy as np

from ..bodies import NormalBody
from ..joints import (
    CompoundJoint,
    Free,
    Joint,
    SimpleJoint,
    Spherical,
)
from ..joints.plain import PLAIN
from ..system import Coupling, System
from .store import Columns

__all__ = [
    "LOAD",
    "QUATERNION",
    "XYZ",
    "Parts",
    "coupling_units",
    "field_parts",
    "forces",
    "hinge_coordinates",
    "hinge_speeds",
    "modes",
    "per",
    "times",
]

Parts = tuple[tuple[str, str], ...]  # label and unit of each component

XYZ = ("x", "y", "z")
QUATERNION: Parts = tuple((x, "1") for x in ("w", *XYZ))
LOAD: Parts = (*((f"moment_{x}", "N m") for x in XYZ), *((f"force_{x}", "N") for x in XYZ))

_TURN: Parts = tuple((f"turn_{x}", "rad") for x in XYZ)
_MOVE: Parts = tuple((f"move_{x}", "m") for x in XYZ)
_BALL: Parts = tuple((f"q{x}", "1") for x, _ in QUATERNION)
# Modes have unit mass: half the square of a modal rate is an energy.
_MODE = "kg^0.5 m"
_FORCE_UNIT = {"rad": "N m", "m": "N", "1": "N m", _MODE: "kg^0.5 m/s^2"}

# Label and unit (before "per second") of each speed of a hinge, and of each coordinate if others.
_SPEEDS: dict[type, Parts] = {
    **PLAIN,
    Spherical: _TURN,
    Free: (*_TURN, *_MOVE),
}
_COORDINATES: dict[type, Parts] = {
    **_SPEEDS,
    Spherical: _BALL,
    Free: (*_BALL, *((x, "m") for x in XYZ)),
}


def hinge_coordinates(joint: Joint) -> Parts:
    """Labels and units of the coordinates of a joint.

    Parameters
    ----------
    joint : Joint
        Of which.
    """
    return _COORDINATES.get(type(joint)) or _mapped(joint)


def hinge_speeds(joint: Joint) -> Parts:
    """Labels of the speeds of a joint, and their units times a second.

    Parameters
    ----------
    joint : Joint
        Of which.
    """
    return _SPEEDS.get(type(joint)) or _mapped(joint)


def _mapped(joint: Joint) -> Parts:
    """Motions of a map; those that are neither unit turns nor unit slides are mere numbers."""
    if not isinstance(joint, (SimpleJoint, CompoundJoint)):
        return tuple((f"motion{k}", "1") for k in range(joint.n_v))
    parts = joint.parts if isinstance(joint, CompoundJoint) else (joint,)
    columns = np.concatenate([part.columns for part in parts], axis=1)
    turn, slide = (np.linalg.norm(x, axis=0) for x in (columns[:3], columns[3:]))
    units = np.where(
        np.isclose(turn, 1), "rad", np.where((turn == 0) & np.isclose(slide, 1), "m", "1")
    )
    return tuple((f"motion{k}", str(unit)) for k, unit in enumerate(units))


def coupling_units(system: System, coupling: Coupling) -> tuple[str, str, str]:
    """Units of the sum of a coupling, of its rate, and of its force.

    Parameters
    ----------
    system : System
        Whose coupling.
    coupling : Coupling
        Its ratios have no units if all coordinates have the same; else all are mere numbers.
    """
    terms = zip(coupling.bodies, coupling.entries, strict=True)
    units = {hinge_coordinates(system.joints[i])[k][1] for i, k in terms}
    if len(units) > 1:
        return "1", "1/s", "1"
    unit = units.pop()
    return unit, f"{unit}/s", _FORCE_UNIT[unit]


def modes(body: NormalBody) -> Parts:
    """Labels and units of the modal coordinates of a body.

    Parameters
    ----------
    body : NormalBody
        Of which.
    """
    return tuple((str(k), _MODE) for k in range(body.n_mode))


def per(time: str, parts: Parts) -> Parts:
    """The same labels, the units divided by a time.

    Parameters
    ----------
    time : str
        Such as "s^2".
    parts : Parts
        Labels and units.
    """
    return tuple((x, f"{unit}/{time}") for x, unit in parts)


def forces(parts: Parts) -> Parts:
    """The same labels, the units of generalized forces: power is speed times force.

    Parameters
    ----------
    parts : Parts
        Labels and units of speeds, as from `hinge_speeds`.
    """
    return tuple((x, _FORCE_UNIT[unit]) for x, unit in parts)


def field_parts(system: System, columns: Columns, field: str) -> Parts:
    """Label and unit of every number of a field, such as ("boom.mode.0", "kg^0.5 m").

    Parameters
    ----------
    system : System
        What was simulated.
    columns : Columns
        What a row holds.
    field : str
        One of `Columns.fields`.
    """
    if field == "time":
        return (("time", "s"),)
    if field == "wrench":
        return tuple((f"{where}.{x}", unit) for where in columns.wrenches for x, unit in LOAD)
    if field == "loop_force":
        return tuple((f"{loop.name}.{x}", unit) for loop in system.loops for x, unit in LOAD)
    if field == "coupling_force":
        return tuple((one.name, coupling_units(system, one)[2]) for one in system.couplings)
    if field == "servo":
        return _servo_parts(system, columns)
    hinge = hinge_coordinates if field == "q" else hinge_speeds
    found: list[tuple[str, str]] = []
    for name, body, joint in zip(system.names, system.bodies, system.joints, strict=True):
        found += [(f"{name}.mode.{x}", unit) for x, unit in modes(body)]
        found += [(f"{name}.{x}", unit) for x, unit in hinge(joint)]
    parts = tuple(found)
    if field == "force":
        return forces(parts)
    return parts if field == "q" else per("s" if field == "v" else "s^2", parts)


def times(time: str, parts: Parts) -> Parts:
    """The same labels, the units multiplied by a time.

    Parameters
    ----------
    time : str
        Such as "s".
    parts : Parts
        Labels and units.
    """
    return tuple((x, f"{unit} {time}") for x, unit in parts)


def _servo_parts(system: System, columns: Columns) -> Parts:
    """Force, error and integral of each servo."""
    found: list[tuple[str, str]] = []
    for name in columns.servos:
        speeds = hinge_speeds(system.joints[system.layout.index(name)])
        groups = (("force", forces(speeds)), ("error", speeds), ("integral", times("s", speeds)))
        found += [(f"{name}.{what}.{x}", unit) for what, parts in groups for x, unit in parts]
    return tuple(found)
