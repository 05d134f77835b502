"""Checks of flexible drives: each has its load, and is driven and started at its rotor."""

from __future__ import annotations

import warnings

import numpy as np

from ...algorithms.tree import engine
from ...errors import LoadError, SimulationWarning
from ...fields import is_number
from ...joints import Revolute
from ..loads import Drive, Motion
from ..loads.drive import across_gear
from .machine import Machine
from .plan import Plan

Array = np.ndarray

# A gear that starts with more twist than this [rad, or system lengths], and more than this many
# times the twist under the loads at the start, is probably a mistake.
TWIST, TIMES = 0.02, 10.0


def check_drives(plan: Plan) -> None:
    """Refuse a run in which the gear of a drive has no load, or a motor acts on the wrong side."""
    present = {(load.rotor, load.joint) for load in plan.loads if isinstance(load, Drive)}
    for rotor, joint in plan.system.drives:
        if (rotor, joint) not in present:
            raise LoadError(
                f"joint {joint!r} is the elastic gear of a drive whose Drive is not among the "
                f"loads: nothing connects rotor {rotor!r} with body {joint!r}; add the result of "
                "flexible_drive to loads (for a model attached with a prefix: "
                "drive.prefixed(prefix))"
            )
    gears = {joint: rotor for rotor, joint in {*plan.system.drives, *present}}
    for load in plan.loads:
        across = load.is_motor or (isinstance(load, Motion) and not _locks(load))
        if across and load.place in gears:
            raise across_gear(load.label, gears[load.place], load.place)


def _locks(motion: Motion) -> bool:
    """Whether a motion is a constant position, that is, a rigid gear."""
    return is_number(motion.position)


def warn_of_winding(machine: Machine, row: Array, stacklevel: int) -> None:
    """Warn of gears that start far more twisted than their loads would twist them.

    This happens if the angle of a joint was assigned to the body and not to its rotor.
    """
    plan, system = machine.plan, machine.system
    drives = [load for load in plan.loads if isinstance(load, Drive) and load.on]
    if not drives:
        return
    names = ("q", "v", "force", "wrench")
    part = {name: machine.columns.part(row[None], name)[0] for name in names}
    external = [
        (i, node, wrench)
        for (_, i, node), wrench in zip(plan.slots, part["wrench"].reshape(-1, 6), strict=True)
    ]
    rest = np.zeros(system.n_v)
    needed = engine.inverse_dynamics(system, part["q"], part["v"], rest, external)
    for drive in drives:
        gear, rotor = plan.joint(drive.joint, drive), plan.joint(drive.rotor, drive)
        twist, rate = float(part["q"][gear.q]), float(part["v"][gear.v])
        turns = isinstance(gear.joint, Revolute)
        least = TWIST * (1.0 if turns else system.length)
        carried = (abs(needed[gear.v]) + abs(part["force"][rotor.v])) / drive.stiffness
        unit = "rad" if turns else "m"
        if abs(twist) > max(least, TIMES * carried):
            force = f"{abs(twist) * drive.stiffness:.3g} {'N m' if turns else 'N'}"
            what, end = f"a twist of {twist:.3g} {unit}, which needs {force}", ""
        elif abs(rate) > least and part["v"][rotor.v] == 0:
            what, end = f"{rate:.3g} {unit}/s while its rotor is at rest", ".rates"
        else:
            continue
        warnings.warn(
            f"the gear of {drive.label} starts with {what}; the coordinate of {drive.joint!r} is "
            f"the twist of the gear, and the joint turns with the rotor: set '{drive.rotor}{end}'",
            SimulationWarning,
            stacklevel,
        )
