"""Labels and units of the numbers in a row: one table for channels and for files.

Of the whole system they are "upper.angle", "hub.qw", "boom.mode.0"; modes and the motions of joints
given by maps are counted from 0, as the columns of their arrays are.
"""

from __future__ import annotations

from ..bodies import NormalBody
from ..system import Coupling, System
from .store import Columns

__all__ = [
    "LOAD",
    "QUATERNION",
    "ROLL_PITCH_YAW",
    "XYZ",
    "Parts",
    "coupling_units",
    "field_parts",
    "forces",
    "modes",
    "per",
    "times",
]

Parts = tuple[tuple[str, str], ...]  # label and unit of each component

XYZ = ("x", "y", "z")
QUATERNION: Parts = tuple((x, "1") for x in ("w", *XYZ))
ROLL_PITCH_YAW: Parts = tuple((x, "rad") for x in ("roll", "pitch", "yaw"))
LOAD: Parts = (*((f"moment_{x}", "N m") for x in XYZ), *((f"force_{x}", "N") for x in XYZ))

# Modes have unit mass: half the square of a modal rate is an energy.
_MODE = "kg^0.5 m"
# Numbers of a stored point of contact
_POINT: Parts = (
    ("gap", "m"),
    ("normal_force", "N"),
    *((f"{name}_{x}", unit) for name, unit in (("force", "N"), ("point", "m")) for x in XYZ),
    *((f"slip_{x}", "m/s") for x in XYZ),
    ("patch", "m"),
)
_FORCE_UNIT = {"rad": "N m", "m": "N", "1": "N m", _MODE: "kg^0.5 m/s^2"}


def coupling_units(system: System, coupling: Coupling) -> tuple[str, str, str]:
    """Units of the sum of a coupling, of its rate, and of its force."""
    terms = zip(coupling.bodies, coupling.entries, strict=True)
    units = {system.joints[i].coordinates[k][1] for i, k in terms}
    if len(units) > 1:
        return "1", "1/s", "1"
    unit = units.pop()
    return unit, f"{unit}/s", _FORCE_UNIT[unit]


def modes(body: NormalBody) -> Parts:
    """Labels and units of the modal coordinates of a body."""
    return tuple((str(k), _MODE) for k in range(body.n_mode))


def per(time: str, parts: Parts) -> Parts:
    """The same labels, the units divided by a time."""
    return tuple((x, f"{unit}/{time}") for x, unit in parts)


def forces(parts: Parts) -> Parts:
    """The same labels, the units of generalized forces: power is speed times force."""
    return tuple((x, _FORCE_UNIT[unit]) for x, unit in parts)


def field_parts(system: System, columns: Columns, field: str) -> Parts:
    """Label and unit of every number of a field, such as ("boom.mode.0", "kg^0.5 m")."""
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
    if field == "wheel":
        return tuple((str(wheel[0]), "N m s") for wheel in columns.wheels)
    if field == "contact":
        return _contact_parts(columns)
    if field == "loop_load":
        joints = {loop.name: loop.joint for loop in system.loops}
        pairs = ((name, part) for name in columns.loaded for part in forces(joints[name].speeds))
        return tuple((f"{name}.{x}", unit) for name, (x, unit) in pairs)
    named: list[tuple[str, str]] = []
    for name, body, joint in zip(system.names, system.bodies, system.joints, strict=True):
        named += [(f"{name}.mode.{x}", unit) for x, unit in modes(body)]
        hinge = joint.coordinates if field == "q" else joint.speeds
        named += [(f"{name}.{x}", unit) for x, unit in hinge]
    parts = tuple(named)
    if field == "force":
        return forces(parts)
    return parts if field == "q" else per("s" if field == "v" else "s^2", parts)


def _contact_parts(columns: Columns) -> Parts:
    """Numbers of all points of contact; those of one contact are counted from 0."""
    named: list[tuple[str, str]] = []
    for name, *_, points in columns.contacts:
        for k in range(len(points)):
            where = f"{name}.{k}" if len(points) > 1 else str(name)
            named += [(f"{where}.{x}", unit) for x, unit in _POINT]
    return tuple(named)


def cell(text: str) -> str:
    """Text for a cell of a table, which spreadsheets do not take for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def times(time: str, parts: Parts) -> Parts:
    """The same labels, the units multiplied by a time."""
    return tuple((x, f"{unit} {time}") for x, unit in parts)


def _servo_parts(system: System, columns: Columns) -> Parts:
    """Force, error and integral of each servo."""
    named: list[tuple[str, str]] = []
    for name in columns.servos:
        speeds = system.joints[system.layout.index(name)].speeds
        groups = (("force", forces(speeds)), ("error", speeds), ("integral", times("s", speeds)))
        named += [(f"{name}.{what}.{x}", unit) for what, parts in groups for x, unit in parts]
    return tuple(named)
