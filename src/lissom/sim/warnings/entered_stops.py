"""Check that no joint starts inside a stop that throws it out."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from ...algorithms.loops.frames import joint_jacobian, placed_loops
from ...algorithms.tree.composite import mass_matrix
from ...algorithms.tree.coordinates import error_sizes
from ...system import State, System
from ..loads import JointStop
from ..run.plan import Plan
from .gathering import say

Array = np.ndarray

DEEP = 1e-6  # rad, or fraction of the length of the system, that is not worth a warning
LEAVES = 0.01  # acceleration out of the stop, beside what it would give the joint alone
# of joints that are free, and of those that are held
REMEDIES = (
    "start between the limits, or at rest on the stop: state = equilibrium(system, state, "
    "loads=loads)",
    "hold it between the limits, or leave out the stop",
)


def warn_of_entered_stops(
    plan: Plan, q: Array, v: Array, a: Array, stacklevel: int, held: Collection[str] = ()
) -> None:
    """Warn of joints inside of their stops that do not rest there.

    A joint that other forces hold in a stop, or press further in, is as it should be.
    """
    system = plan.system
    stops = [load for load in plan.loads if isinstance(load, JointStop) and load.on]
    for stop in stops:
        x, along, units = _joint(system, stop.joint, q)
        for k in range(len(x)):
            above = x[k] > stop.upper
            depth = float(x[k] - stop.upper if above else stop.lower - x[k])
            out = -1.0 if above else 1.0
            rate, leaving = out * float(along[k] @ v), out * float(along[k] @ a)
            force = stop.stiffness * depth * max(0.0, 1 - stop.damping * rate)
            least = DEEP * (system.length if units[k] == "m" else 1.0)
            if not depth > least or force <= 0:
                continue
            alone = force * _mobility(plan, q, along[k])
            driven = stop.joint in {system.names[body] for body in plan.driven}
            stays = stop.joint in held
            if leaving <= LEAVES * alone and not driven and not stays:
                continue
            limit = f"upper {stop.upper:.6g}" if above else f"lower {stop.lower:.6g}"
            unit = units[k]
            say(
                "starts in stops",
                depth,
                f"joint {stop.joint!r} {'is held' if stays else 'starts'} {depth:.3g} {unit} "
                f"inside a stop, at {x[k]:.6g} {unit} with {limit} {unit}: {stop.label} pushes it "
                f"out with {force:.3g} {'N' if unit == 'm' else 'N m'}; {REMEDIES[stays]}",
                stacklevel,
            )


def _joint(system: System, name: str, q: Array) -> tuple[Array, Array, list[str]]:
    """Coordinates (n,) of a joint of the tree or a loop, rows (n, n_v) to their rates, units."""
    if name in system.names:
        rows = np.eye(system.n_v)[system.layout.hinge_v(name)]
        joint = system.joints[system.names.index(name)]
        return q[system.layout.hinge_q(name)], rows, [unit for _, unit in joint.coordinates]
    k = [loop.name for loop in system.loops].index(name)
    (placed,) = placed_loops(system, q, [system.loops[k]])
    units = [unit for _, unit in system.loops[k].joint.coordinates]
    return placed.coordinates, joint_jacobian(system, q, placed), units


def _mobility(plan: Plan, q: Array, along: Array) -> float:
    """Acceleration along a coordinate for a unit of force there, other coordinates at rest."""
    system = plan.system
    M = mass_matrix(system, State.trusted(system, q, np.zeros(system.n_v)))
    inertia = M.diagonal() + plan.armature
    part = along * error_sizes(system)[0]
    k = int(np.argmax(np.abs(part)))
    return float(along[k] ** 2 / inertia[k]) if inertia[k] > 0 else 0.0
